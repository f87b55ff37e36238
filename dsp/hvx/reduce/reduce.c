// SPDX-License-Identifier: MIT
/*
 * REDUCE: sums, means, extremes and the like over dimensions. nn_reduce_hvx() is its vector kernel,
 * in the table of kernels.c, for dimensions that are one behind the other. The elements of a result
 * are a column of lines of `inner`, or, where that is 1, one behind the other:
 *
 *	inner > 1   |a0 a1 a2 ...|	a line; result 0 is of a0, b0, c0, 128 results at a time
 *	            |b0 b1 b2 ...|
 *	            |c0 c1 c2 ...|
 *	inner 1     |a0 b0 c0 ...|	one result
 *
 * Vectors take sums, sums of squares and extremes, of elements as unsigned bytes. What is made of
 * them is as reduce.h has it, result by result, but for three things. Divisions by the same number
 * are multiplications, by its inverse to 2^-51 (float32.h). SUM and MEAN, which add floats one
 * after the other, are made of the integer sum. It differs from the float by less than half of the
 * square of the number of elements, times the last bit of the largest element; where that, or what
 * the last operations round, can decide how the result rounds, the elements are taken as they are
 * defined. And sums and means of lines are the integer sum by a factor in fixed point, 128 at a
 * time, where the fraction is not so near to a half that this could round otherwise.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/reduce.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"

#define MOST		(1u << 14)	/* elements: few of their float sums may be ties */
#define LEAST		16u		/* from which on this is quicker, side by side */
#define LINES		256u		/* whose sums fit 16 bits */
#define LINE_WORK	8u
#define FINISH_WORK	96u		/* for a result, without a division */
#define MOST_MARGIN	4096u		/* in 2^-16: most fractions are not as near to a half */

/*
 * The sums and extremes of 128 results, or of one that is made of elements side by side, in scratch
 * memory.
 */
struct lanes {
	uint32_t sum[VECTOR], squares[VECTOR];	/* of unsigned bytes; where, lane_word() says */
	uint8_t most[VECTOR], least[VECTOR];
	uint8_t is_tie[VECTOR];	/* not 0: computed as defined, not by a factor */
};

/* The shape of the input: elements [...][count][inner]. */
struct shape {
	uint32_t count, inner;
};

struct reduction {
	const struct nn_call *call;
	struct reduce_constants constants;
	struct shape shape;
	struct progress progress;
	bool needs_squares, needs_extremes, in_floats;
	float factor, margin;	/* of in_floats */
	uint32_t tie;		/* margin of a factor in fixed point, in 2^-16; 0: there is none */
	int32_t flip;
};

/* Tells whether the dimensions that go are one behind the other; those of 1 are anywhere. */
static bool find_shape(const struct nn_call *call, struct shape *shape)
{
	const struct nn_tensor *input = &call->input[0];

	*shape = (struct shape){ 1, 1 };
	for (uint32_t i = 1; i < input->rank; i++) {
		uint32_t size = input->dims[i];

		if (size == 1)
			continue;
		if (call->op->reduce.axes >> i & 1) {
			if (shape->inner > 1)
				return false;
			shape->count *= size;
		} else if (shape->count > 1) {
			shape->inner *= size;
		}
	}
	return true;
}

static bool is_moderate(float x)
{
	return x >= 0x1p-30f && x <= 0x1p30f;
}

/* Sets the factor of results that are sums by one, and how near to a half they may be ties. */
static void settle_factor(struct reduction *reduction)
{
	const struct reduce_constants *constants = &reduction->constants;
	float margin;

	switch (reduction->call->op->reduce.form) {
	case NN_REDUCE_SUM:
	case NN_REDUCE_MEAN:
		margin = reduction->margin + 256 * 0x1p-20f;
		break;
	case NN_REDUCE_MEAN_ONCE:
		reduction->factor = constants->scale;
		margin = 0x1p-16f;
		break;
	case NN_REDUCE_MEAN_AWAY:
		/* Four operations round, whose operands are less than 2^8 elements. */
		reduction->factor = constants->scale / (float)constants->count;
		margin = constants->scale * 0x1p-14f + 0x1p-16f;
		break;
	case NN_REDUCE_MEAN_LINEAR:
	case NN_REDUCE_SUM_LINEAR:
		/* The same of sums, of which each is less than 2^8 for each element. */
		reduction->factor = constants->scale;
		margin = constants->scale * (float)constants->count * 0x1p-14f + 0x1p-16f;
		break;
	default:
		return;
	}
	/* The factor itself rounds, and the fixed point. */
	margin = margin * 0x1p16f + 5;
	if (margin < MOST_MARGIN && is_moderate(reduction->factor))
		reduction->tie = margin;
}

/* Prepares a reduction. Returns false if vectors cannot do it. */
static bool begin(struct reduction *reduction, const struct nn_call *call)
{
	const struct nn_reduce_params *params = &call->op->reduce;
	uint8_t form = params->form;
	float count;

	*reduction = (struct reduction){
		.call = call,
		.progress.call = call,
		.needs_squares = form == NN_REDUCE_VARIANCE || form == NN_REDUCE_SQUARES ||
				 form == NN_REDUCE_LENGTH,
		.needs_extremes = form == NN_REDUCE_MAX || form == NN_REDUCE_MIN,
		.in_floats = form == NN_REDUCE_SUM || form == NN_REDUCE_MEAN,
		.flip = flip_of(&call->input[0]),
	};
	if (form == NN_REDUCE_PROD || !find_shape(call, &reduction->shape) ||
	    reduction->shape.count > MOST ||
	    (reduction->shape.inner == 1 && reduction->shape.count < LEAST))
		return false;
	reduction->constants = reduce_constants_of(call, reduction->shape.count);
	if (reduction->needs_extremes || form == NN_REDUCE_MEAN_WHOLE)
		return true;
	if (!is_moderate(params->scale_input) || !is_moderate(params->scale_output))
		return false;
	count = reduction->shape.count;
	reduction->constants.length.inverse = inverse_of(count);
	reduction->constants.scale_output.inverse = inverse_of(params->scale_output);
	reduction->factor = params->scale_input / params->scale_output;
	/* Each addition is off by half of the last bit of a sum of so many elements. */
	reduction->margin = (count + 4) * (count + 4) * 0x1p-17f * reduction->factor;
	if (form == NN_REDUCE_MEAN) {
		reduction->factor /= count;
		reduction->margin /= count;
	}
	settle_factor(reduction);
	return true;
}

/* ---- Taking elements ---- */

/*
 * Returns the word of a byte's sum: sums are widened twice, and each time even ones are in the low
 * half.
 */
static inline uint32_t lane_word(uint32_t lane)
{
	return (lane & 1) * 64 + (lane >> 1 & 1) * 32 + lane / 4;
}

static inline void store_words(uint32_t *to, HVX_VectorPair even, HVX_VectorPair odd)
{
	store(to, Q6_V_lo_W(even));
	store(to + 32, Q6_V_hi_W(even));
	store(to + 64, Q6_V_lo_W(odd));
	store(to + 96, Q6_V_hi_W(odd));
}

static int take_lines(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
		      uint32_t bytes)
{
	uint32_t inner = reduction->shape.inner;
	uint32_t work = LINE_WORK + stride_work(inner);
	HVX_Vector zero = Q6_V_vzero(), flips = splat_b(reduction->flip);
	HVX_VectorPair even = Q6_W_vcombine_VV(zero, zero), odd = even;
	HVX_VectorPair even_squares = even, odd_squares = even;
	HVX_Vector most = zero, least = splat_w(-1);

	for (uint32_t i = 0; i < reduction->shape.count; i += LINES) {
		uint32_t lines = min_u32(reduction->shape.count - i, LINES);
		HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero);
		int ret = progress_add(&reduction->progress, lines * work);

		if (ret)
			return ret;
		for (uint32_t k = 0; k < lines; k++, from += inner) {
			HVX_Vector v = bytes < VECTOR ? load_bytes(from, bytes) : load(from);

			v = Q6_V_vxor_VV(v, flips);
			if (reduction->needs_extremes) {
				most = Q6_Vub_vmax_VubVub(most, v);
				least = Q6_Vub_vmin_VubVub(least, v);
				continue;
			}
			sum = Q6_Wh_vaddacc_WhVubVub(sum, v, zero);
			if (reduction->needs_squares) {
				HVX_VectorPair squares = Q6_Wuh_vmpy_VubVub(v, v);

				even_squares = Q6_Ww_vaddacc_WwVuhVuh(even_squares,
								      Q6_V_lo_W(squares), zero);
				odd_squares = Q6_Ww_vaddacc_WwVuhVuh(odd_squares,
								     Q6_V_hi_W(squares), zero);
			}
		}
		even = Q6_Ww_vaddacc_WwVuhVuh(even, Q6_V_lo_W(sum), zero);
		odd = Q6_Ww_vaddacc_WwVuhVuh(odd, Q6_V_hi_W(sum), zero);
	}
	store_words(lanes->sum, even, odd);
	store_words(lanes->squares, even_squares, odd_squares);
	store(lanes->most, most);
	store(lanes->least, least);
	return 0;
}

/* Takes all elements of one result, into the first lane. */
static int take_line(struct reduction *reduction, struct lanes *lanes, const uint8_t *from)
{
	uint32_t count = reduction->shape.count;
	HVX_Vector zero = Q6_V_vzero(), full = splat_w(-1), flips = splat_b(reduction->flip);
	HVX_Vector sum = zero, squares = zero, most = zero, least = full;
	int ret = progress_add(&reduction->progress,
			       64 + count / VECTOR * LINE_WORK + memory_work(count));

	if (ret)
		return ret;
	for (uint32_t i = 0; i < count; i += VECTOR) {
		uint32_t bytes = min_u32(count - i, VECTOR);
		HVX_VectorPred inside = first_bytes(bytes);
		HVX_Vector v = bytes < VECTOR ? load_bytes(from + i, bytes) : load(from + i);

		v = Q6_V_vxor_VV(v, flips);
		least = Q6_Vub_vmin_VubVub(least, Q6_V_vmux_QVV(inside, v, full));
		v = Q6_V_vmux_QVV(inside, v, zero);
		most = Q6_Vub_vmax_VubVub(most, v);
		sum = Q6_Vuw_vrmpyacc_VuwVubRub(sum, v, 0x01010101);
		squares = Q6_Vuw_vrmpyacc_VuwVubVub(squares, v, v);
	}
	for (uint32_t i = VECTOR / 2; i; i /= 2) {
		most = Q6_Vub_vmax_VubVub(most, Q6_V_vror_VR(most, i));
		least = Q6_Vub_vmin_VubVub(least, Q6_V_vror_VR(least, i));
		if (i < 4)
			continue;
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, i));
		squares = Q6_Vw_vadd_VwVw(squares, Q6_V_vror_VR(squares, i));
	}
	lanes->sum[0] = Q6_R_vextract_VR(sum, 0);
	lanes->squares[0] = Q6_R_vextract_VR(squares, 0);
	lanes->most[0] = Q6_R_vextract_VR(most, 0);
	lanes->least[0] = Q6_R_vextract_VR(least, 0);
	return 0;
}

/* ---- Results ---- */

/* Returns what taking elements one after the other would have kept, but for floats. */
static struct reduce_taken taken_of(const struct reduction *reduction, const struct lanes *lanes,
				    uint32_t lane)
{
	int32_t flip = reduction->flip, count = reduction->shape.count;
	int32_t zero = reduction->call->input[0].zero_point + flip;
	uint32_t sum = lanes->sum[lane_word(lane)], squares = lanes->squares[lane_word(lane)];

	return (struct reduce_taken){
		.sum = (int32_t)sum - count * flip,
		.most = lanes->most[lane] - flip,
		.least = lanes->least[lane] - flip,
		.squares =
			(int64_t)squares - 2 * (int64_t)zero * sum + (int64_t)count * zero * zero,
	};
}

/* Tells whether the float sum's result is sure; then *result is that, without the clamp. */
static bool is_sure(const struct reduction *reduction, const struct reduce_taken *taken,
		    int32_t *result)
{
	const struct nn_call *call = reduction->call;
	int32_t count = reduction->shape.count;
	float value = (float)(taken->sum - count * call->input[0].zero_point) * reduction->factor;
	float size = value < 0 ? -value : value;
	float margin = reduction->margin + size * 0x1p-20f;
	int32_t whole = round_float(value);
	float rest = value - (float)whole;

	*result = whole + call->output[0].zero_point;
	/* Both sums are clamped, or both are nearer to the integer than to a half. */
	if (size >= 1024)
		return margin < 256;
	return (rest < 0 ? -rest : rest) + margin < 0.5f;
}

/*
 * Computes results first to end - 1. It is not inline because clang 14 lays what a function has on
 * the stack over the vectors that it has there, too.
 */
static __attribute__((noinline)) int finish(struct reduction *reduction, const struct lanes *lanes,
					    const uint8_t *from, uint32_t first, uint32_t end,
					    uint8_t *out)
{
	const struct nn_call *call = reduction->call;
	const struct nn_program_op *op = call->op;
	int ret = progress_add(&reduction->progress, (end - first) * FINISH_WORK);

	for (uint32_t i = first; i < end && !ret; i++) {
		struct reduce_taken taken = taken_of(reduction, lanes, i);
		int32_t result;

		if (!reduction->in_floats) {
			result = reduce_finish(call, &reduction->constants, &taken);
		} else if (!is_sure(reduction, &taken, &result)) {
			struct walk walk = walk_over(&call->input[0], op->reduce.axes, true);

			ret = reduce_take(&reduction->progress, from + i, &walk, &taken);
			result = reduce_finish(call, &reduction->constants, &taken);
		}
		out[i] = clamp_int(result, op->out_min, op->out_max);
	}
	return ret;
}

/*
 * Multiplies sums, as store_words() stored them, to the halfwords of lanes of even numbers, or odd
 * ones.
 */
static inline HVX_Vector multiply_sums(const uint32_t *sum, const struct requant *requant,
				       HVX_Vector zero, HVX_Vector more, HVX_Vector tie,
				       HVX_Vector *is_tie)
{
	HVX_Vector low = requant_product(Q6_Vw_vsub_VwVw(load(sum), zero), requant, more);
	HVX_Vector high = requant_product(Q6_Vw_vsub_VwVw(load(sum + 32), zero), requant, more);
	HVX_VectorPred is_less = Q6_Q_vcmp_gt_VuhVuh(tie, Q6_Vh_vshuffe_VhVh(high, low));

	*is_tie = Q6_V_vand_QR(is_less, -1);
	return Q6_Vh_vshuffo_VhVh(high, low);
}

/*
 * Computes 128 results by the factor. Returns whether some may be ties: lanes->is_tie says which.
 */
static __attribute__((noinline)) bool multiply_lanes(const struct reduction *reduction,
						     struct lanes *lanes, uint8_t *out,
						     uint32_t results)
{
	const struct nn_call *call = reduction->call;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct finish clamp = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					call->op->out_min, call->op->out_max);
	struct requant requant = requant_scale(reduction->factor);
	HVX_Vector zero = splat_w((int32_t)reduction->shape.count *
				  (input->zero_point + reduction->flip));
	HVX_Vector more = splat_w(0x8000 + reduction->tie), tie = splat_h(2 * reduction->tie);
	HVX_Vector ties_even, ties_odd, is_tie;
	HVX_Vector even = multiply_sums(lanes->sum, &requant, zero, more, tie, &ties_even);
	HVX_Vector odd = multiply_sums(lanes->sum + 64, &requant, zero, more, tie, &ties_odd);

	store_bytes(out, Q6_Vb_vshuff_Vb(finish_8bit(even, odd, &clamp)), results);
	is_tie = Q6_V_vand_QV(first_bytes(results), Q6_Vb_vshuffe_VbVb(ties_odd, ties_even));
	store(lanes->is_tie, is_tie);
	return any_lane(Q6_Q_vcmp_gt_VubVub(is_tie, Q6_V_vzero()));
}

/* Computes the results of some lines. */
static int finish_lines(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
			uint32_t results, uint8_t *out)
{
	if (!reduction->tie)
		return finish(reduction, lanes, from, 0, results, out);
	if (!multiply_lanes(reduction, lanes, out, results))
		return 0;
	for (int32_t i = -1; (i = next_set(lanes->is_tie, i)) >= 0;) {
		int ret = finish(reduction, lanes, from, i, i + 1, out);

		if (ret)
			return ret;
	}
	return 0;
}

int nn_reduce_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];
	struct lanes *lanes = (struct lanes *)call->scratch;
	uint8_t *out = call->output[0].data;
	struct reduction reduction;
	const struct shape *shape = &reduction.shape;
	uint64_t line;

	if (!begin(&reduction, call))
		return nn_reduce_portable(call);
	line = (uint64_t)shape->count * shape->inner;
	for (uint64_t at = 0; at < input->bytes; at += line) {
		for (uint32_t i = 0; i < shape->inner; i += VECTOR) {
			const uint8_t *from = input->data + at + i;
			uint32_t results = min_u32(shape->inner - i, VECTOR);
			int ret = shape->inner == 1 ? take_line(&reduction, lanes, from)
						    : take_lines(&reduction, lanes, from, results);

			if (!ret && shape->inner == 1)
				ret = finish(&reduction, lanes, from, 0, 1, out);
			else if (!ret)
				ret = finish_lines(&reduction, lanes, from, results, out);
			if (ret)
				return ret;
			out += results;
		}
	}
	return 0;
}
