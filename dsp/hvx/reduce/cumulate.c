// SPDX-License-Identifier: MIT
/*
 * CUMULATE: sums along a dimension of all elements up to each. nn_cumulate_hvx() is its vector
 * kernel, in the table of kernels.c. Elements that are `step` apart are summed up. Where a vector
 * has no two of one sum, vectors are added to one another, down the dimension; else within a
 * vector, to those at twice the distance each time, and on to the next vector:
 *
 *	step 1		|a b c d ...|
 *	by one		|a a+b b+c c+d ...|
 *	by two		|a a+b a+b+c a+b+c+d ...|	and so on
 *
 * NN_CUMULATE_FLOAT's sums are those of integers, 32 words at a time, which are exact, and then
 * requantized. float32's sums are off from them: with elements of 8 bits and a sign, product i and
 * sum i by less than 255 / 2^24 and 255 * i / 2^24 of the input's scale. Results that are not that
 * far from a half are computed as they are defined, from the first element on.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/cumulate.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"

#define WORDS		32
#define VECTOR_WORK	160
#define ELEMENT_WORK	16	/* of a sum that is computed as it is defined, */
#define RESULT_WORK	300	/* and of its result */

/* The numbers that are constant in a call. */
struct scan {
	const struct nn_call *call;
	struct progress *progress;
	uint32_t size;		/* of an element */
	uint32_t lane;		/* bytes of an element in a vector */
	uint32_t step, length;	/* elements */
	uint32_t wide;		/* elements of a vector, at most */
	bool is_within;		/* vectors have several of one sum */
	bool exclusive, backwards;
	/* NN_CUMULATE_FLOAT */
	bool is_float;
	struct requant requant;
	struct finish finish;
	HVX_Vector more, ties, flip, zero;
};

/* Adds integers of `size` bytes. Of 8, a carry goes from each even word to the odd one behind. */
static inline HVX_Vector add_integers(HVX_Vector a, HVX_Vector b, uint32_t size)
{
	HVX_Vector sum, carries;

	if (size == 1)
		return Q6_Vb_vadd_VbVb(a, b);
	if (size == 2)
		return Q6_Vh_vadd_VhVh(a, b);
	sum = Q6_Vw_vadd_VwVw(a, b);
	if (size == 4)
		return sum;
	carries = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuwVuw(a, sum), splat_w(1), Q6_V_vzero());
	carries = Q6_V_lo_W(Q6_W_vdeal_VVR(Q6_V_vzero(), carries, -4));
	return Q6_Vw_vadd_VwVw(sum, Q6_V_lo_W(Q6_W_vshuff_VVR(carries, Q6_V_vzero(), -4)));
}

static inline HVX_Vector subtract_integers(HVX_Vector a, HVX_Vector b, uint32_t size)
{
	HVX_Vector one = splat_w(1);

	if (size == 1)
		return Q6_Vb_vsub_VbVb(a, b);
	if (size == 2)
		return Q6_Vh_vsub_VhVh(a, b);
	if (size == 4)
		return Q6_Vw_vsub_VwVw(a, b);
	/* a + ~b + 1 */
	one = Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_V_vzero(), one, -4));
	return add_integers(add_integers(a, Q6_V_vnot_V(b), 8), one, 8);
}

/*
 * Sums within the first `bytes` bytes of a vector, the others of which are 0. `carry` has the sums
 * before in its first step, or, backwards, in the last one of these bytes.
 */
static HVX_Vector sum_within(const struct scan *scan, HVX_Vector v, HVX_Vector carry,
			     uint32_t bytes)
{
	HVX_Vector zero = Q6_V_vzero();

	v = add_integers(v, carry, scan->lane);
	for (uint32_t by = scan->step * scan->lane; by < bytes; by *= 2)
		v = add_integers(v, scan->backwards ? Q6_V_valign_VVR(zero, v, by) :
						      Q6_V_vlalign_VVR(v, zero, by), scan->lane);
	return v;
}

/* Loads elements as they are summed up; what is behind them is 0. */
static HVX_Vector load_elements(const struct scan *scan, const uint8_t *from, uint32_t elements)
{
	HVX_VectorPred first = first_bytes(elements * scan->lane);
	HVX_Vector v = load_bytes(from, elements * scan->size);

	if (scan->is_float) {
		v = Q6_V_lo_W(Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(v, scan->flip)));
		v = Q6_Vw_vsub_VwVw(Q6_V_lo_W(Q6_Wuw_vunpack_Vuh(v)), scan->zero);
	} else if (scan->call->input[0].type == NN_TYPE_BOOL) {
		v = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VbVb(v, Q6_V_vzero()), Q6_V_vzero(), splat_b(1));
	}
	return Q6_V_vmux_QVV(first, v, Q6_V_vzero());
}

/* Computes a result as it is defined: that of the element at `offset`, whose index is `index`. */
static int sum_in_float(const struct scan *scan, uint64_t offset, uint32_t index)
{
	const struct nn_call *call = scan->call;
	const struct nn_tensor *input = &call->input[0];
	const struct nn_cumulate_params *params = &call->op->cumulate;
	uint32_t count = scan->backwards ? scan->length - index : index + 1;
	int32_t flip = flip_of(input);
	int64_t step = scan->backwards ? -(int64_t)scan->step : scan->step;
	const uint8_t *from = input->data + offset - (count - 1) * step;
	float sum = 0;
	int ret = progress_add(scan->progress,
			       min_u32(count * (ELEMENT_WORK + stride_work(scan->step)) +
				       RESULT_WORK, NN_TILE));

	if (ret)
		return ret;
	for (count -= scan->exclusive; count; count--, from += step)
		sum += (float)(load_8bit(from, flip) - input->zero_point) * params->scale_input;
	call->output[0].data[offset] = (uint8_t)clamp_int(
		round_float(sum / params->scale_output) + call->output[0].zero_point,
		call->op->out_min, call->op->out_max);
	return 0;
}

/* Stores sums. The first element's offset and its index along the dimension are given. */
static int store_sums(const struct scan *scan, HVX_Vector v, uint64_t offset, uint32_t index,
		      uint32_t elements)
{
	const struct nn_call *call = scan->call;
	uint8_t *to = call->output[0].data + offset * scan->size;
	HVX_Vector product, half, ties;

	if (!scan->is_float) {
		if (call->output[0].type == NN_TYPE_BOOL)
			v = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VbVb(v, Q6_V_vzero()), Q6_V_vzero(),
					  splat_b(1));
		store_bytes(to, v, elements * scan->size);
		return 0;
	}
	product = requant_product(v, &scan->requant, scan->more);
	half = Q6_Vh_vpacko_VwVw(product, product);
	store_bytes(to, finish_8bit(half, half, &scan->finish), elements);
	ties = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(scan->ties, Q6_Vh_vpacke_VwVw(product, product)),
			     splat_w(-1), Q6_V_vzero());
	ties = Q6_V_vmux_QVV(first_bytes(elements), Q6_Vb_vpacke_VhVh(ties, ties), Q6_V_vzero());
	if (!any_lane(Q6_Q_vcmp_gt_VubVub(ties, Q6_V_vzero())))
		return 0;
	store(call->scratch, ties);
	for (int32_t i = -1; (i = next_set(call->scratch, i)) >= 0;) {
		int ret = sum_in_float(scan, offset + i,
				       index + (scan->is_within ? i / scan->step : 0));

		if (ret)
			return ret;
	}
	return 0;
}

/* Sums along the dimension, of `elements` side by side in all others, from an offset on. */
static int sum_down(const struct scan *scan, uint64_t offset, uint32_t elements)
{
	HVX_Vector sum = Q6_V_vzero();

	for (uint32_t i = 0; i < scan->length; i++) {
		uint32_t index = scan->backwards ? scan->length - 1 - i : i;
		uint64_t at = offset + (uint64_t)index * scan->step;
		HVX_Vector v = load_elements(scan, scan->call->input[0].data + at * scan->size,
					     elements);
		HVX_Vector before = sum;
		int ret = progress_add(scan->progress,
				       VECTOR_WORK + 2 * stride_work(scan->step * scan->size));

		if (ret)
			return ret;
		sum = add_integers(sum, v, scan->lane);
		if (scan->call->input[0].type == NN_TYPE_BOOL)
			sum = Q6_Vub_vmin_VubVub(sum, splat_b(1));
		ret = store_sums(scan, scan->exclusive ? before : sum, at, index, elements);
		if (ret)
			return ret;
	}
	return 0;
}

/* The same of integers that are no bools, of whole vectors. */
static inline __attribute__((always_inline)) int sum_integers_down(const struct scan *scan,
								   uint64_t offset, uint32_t size)
{
	const uint64_t pitch = scan->step * size;
	const uint32_t work = VECTOR_WORK / 8 + 2 * stride_work(pitch);
	uint64_t at = offset * size + (scan->backwards ? (scan->length - 1) * pitch : 0);
	HVX_Vector sum = Q6_V_vzero();

	for (uint32_t i = 0; i < scan->length; i++) {
		HVX_Vector before = sum;
		int ret = progress_add(scan->progress, work);

		if (ret)
			return ret;
		sum = add_integers(sum, load(scan->call->input[0].data + at), size);
		store(scan->call->output[0].data + at, scan->exclusive ? before : sum);
		at += scan->backwards ? -pitch : pitch;
	}
	return 0;
}

static int sum_vectors_down(const struct scan *scan, uint64_t offset)
{
	switch (scan->size) {
	case 1:
		return sum_integers_down(scan, offset, 1);
	case 2:
		return sum_integers_down(scan, offset, 2);
	case 4:
		return sum_integers_down(scan, offset, 4);
	}
	return sum_integers_down(scan, offset, 8);
}

/* Sums of one block within vectors, each of several whole steps. */
static int sum_along(const struct scan *scan, uint64_t offset)
{
	const uint32_t steps = scan->wide / scan->step, step_bytes = scan->step * scan->lane;
	const HVX_VectorPred first = first_bytes(step_bytes);
	HVX_Vector carry = Q6_V_vzero();

	for (uint32_t done = 0; done < scan->length;) {
		uint32_t part = min_u32(scan->length - done, steps), bytes = part * step_bytes;
		uint32_t index = scan->backwards ? scan->length - done - part : done;
		uint64_t at = offset + (uint64_t)index * scan->step;
		HVX_Vector v = load_elements(scan, scan->call->input[0].data + at * scan->size,
					     part * scan->step), sum;
		int ret = progress_add(scan->progress, VECTOR_WORK);

		if (ret)
			return ret;
		/* Backwards the sums before go into the last step. */
		if (scan->backwards)
			carry = Q6_V_vror_VR(carry, VECTOR - (bytes - step_bytes));
		sum = sum_within(scan, v, carry, bytes);
		carry = Q6_V_vror_VR(sum, scan->backwards ? 0 : bytes - step_bytes);
		carry = Q6_V_vmux_QVV(first, carry, Q6_V_vzero());
		if (scan->call->input[0].type == NN_TYPE_BOOL)
			carry = Q6_Vub_vmin_VubVub(carry, splat_b(1));
		if (scan->exclusive)
			sum = subtract_integers(sum, v, scan->lane);
		ret = store_sums(scan, sum, at, index, part * scan->step);
		if (ret)
			return ret;
		done += part;
	}
	return 0;
}

static void settle_float(struct scan *scan)
{
	const struct nn_call *call = scan->call;
	const struct nn_cumulate_params *params = &call->op->cumulate;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t margin = cumulate_margin(call);

	scan->requant = requant_scale(params->scale_input / params->scale_output);
	scan->finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				 call->op->out_min, call->op->out_max);
	scan->more = splat_w(0x8000 + margin);
	scan->ties = splat_h(2 * margin);
	scan->flip = splat_b(flip_of(input));
	scan->zero = splat_w(input->zero_point + flip_of(input));
}

int nn_cumulate_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	const struct nn_cumulate_params *params = &call->op->cumulate;
	struct progress progress = { .call = call };
	struct scan scan = {
		.call = call,
		.progress = &progress,
		.size = nn_type_size(input->type),
		.step = 1,
		.length = input->dims[params->axis],
		.exclusive = params->exclusive,
		.backwards = params->backwards,
		.is_float = params->form == NN_CUMULATE_FLOAT,
	};
	uint64_t elements = input->bytes / scan.size, block;

	if (!nn_cumulate_has_vectors(call))
		return nn_cumulate_portable(call);
	for (uint32_t i = input->rank; i-- > params->axis + 1;)
		scan.step *= input->dims[i];
	scan.lane = scan.is_float ? 4 : scan.size;
	scan.wide = VECTOR / scan.lane;
	scan.is_within = scan.step * 2 <= scan.wide;
	if (scan.is_float)
		settle_float(&scan);
	block = (uint64_t)scan.step * scan.length;
	for (uint64_t at = 0; at < elements; at += block) {
		int ret = progress_add(&progress, VECTOR_WORK);

		if (!ret && scan.is_within)
			ret = sum_along(&scan, at);
		for (uint32_t i = 0; !scan.is_within && i < scan.step && !ret; i += scan.wide) {
			uint32_t some = min_u32(scan.step - i, scan.wide);

			if (some == scan.wide && !scan.is_float && input->type != NN_TYPE_BOOL)
				ret = sum_vectors_down(&scan, at + i);
			else
				ret = sum_down(&scan, at + i, some);
		}
		if (ret)
			return ret;
	}
	return 0;
}
