// SPDX-License-Identifier: MIT
/*
 * BINARY: functions of two elements. nn_binary_hvx() is its vector kernel, in the table of
 * kernels.c. It does sums, differences and products, where one input has all elements of the
 * output, and the other all of them, too, or blocks that are used again and again (a value for each
 * channel or each pixel). Those blocks are laid out in scratch memory as often as they are used:
 *
 *	full input    |e0 e1 e2 e3 e4 e5 e6 ...|
 *	other input   |b0 b1 b2|			a value for each of 3 channels
 *	laid out      |b0 b1 b2 b0 b1 b2 b0 ...|
 *
 * Sums and differences are ADD's and ADD_FLOAT's. A product is one of integers, which are exact, by
 * a scale in fixed point. MUL_ONCE is defined so, and requantized as accumulators are. For the
 * others that result is off by less than 8 / 2^16 where it is in the range of bytes: float32's
 * roundings move it by less than 6.1 / 2^16, four of the definition and two of the scale each by
 * 257 / 2^24 (MUL), or by less than 3.1 / 2^16 (MUL_FUSED), and the fixed point by 1.5 / 2^16.
 * Where it is not as near as that to a half, it rounds to the same integer. The others, which may
 * be ties, are computed as they are defined.
 *
 * Where the other input is one element, any other function is a table.
 */
#include "dsp/kernels/binary.h"
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/elementwise/add.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/elementwise/multiply_vectors.h"
#include "dsp/hvx/common/requant.h"

#include <stddef.h>

#define MARGIN		8	/* in 2^-16 */
#define MARGIN_FUSED	5
#define MARGIN_ONCE	1	/* of struct conv2d_constants, where no bits are lost */
#define VECTOR_WORK	96	/* for 128 elements */
#define QUICK_WORK	40	/* for these in the assembly, with their memory */
#define QUICK_BYTES	(NN_TILE / QUICK_WORK * VECTOR)
#define ELEMENT_WORK	256	/* for one that is computed as it is defined */
#define BLOCK_WORK	64
#define PART		16384u	/* most elements that are laid out at a time */
#define LEAST_FOR_TABLE	1024u	/* elements, from which on 256 are worth being computed */

/* Offsets in scratch memory of what a rounding fixup reads. */
enum {
	TIES = 0,
	OPERAND_A = VECTOR,
	OPERAND_B = 2 * VECTOR,
	RESULTS = 3 * VECTOR,
	VECTORS = 4 * VECTOR,
};

/*
 * A pattern says how an input is used: `blocks` blocks of `block` bytes, each of them for `run`
 * bytes of output, and then the first again.
 */
struct pattern {
	uint64_t block, run;
	uint64_t blocks;
};

/* Finds an input's pattern. Returns false if it has none. */
static bool find_pattern(struct pattern *pattern, const struct nn_tensor *input,
			 const struct nn_tensor *output)
{
	uint32_t d = output->rank;

	*pattern = (struct pattern){ 1, 1, 1 };
	for (; d && input->dims[d - 1] == output->dims[d - 1]; d--)
		pattern->block *= output->dims[d - 1];
	pattern->run = pattern->block;
	for (; d && input->dims[d - 1] == 1; d--)
		pattern->run *= output->dims[d - 1];
	for (; d && input->dims[d - 1] == output->dims[d - 1]; d--)
		pattern->blocks *= output->dims[d - 1];
	while (d && input->dims[d - 1] == 1)
		d--;
	return !d;
}

struct product {
	struct requant requant[4];	/* the same */
	struct finish finish;
	HVX_Vector flip_a, flip_b, zero_a, zero_b;
	bool is_once;
	struct multiply_vectors *vectors;	/* NULL: the assembly cannot do it */
};

struct binary {
	const struct nn_call *call;
	struct progress *progress;
	uint32_t full;		/* the input that has all elements */
	struct nn_program_op op;	/* ADD or ADD_FLOAT that it is, else as it was */
	int (*run)(const struct nn_call *part);
	struct product product;
	struct float_sum sum;
	struct nn_add_float_params scales;
	/*
	 * The rest of scratch memory, behind that for computing a part: `room` bytes for what is
	 * laid out.
	 */
	uint8_t *laid_out;
	uint32_t room;
};

static HVX_VectorPair multiply_halves(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair product = Q6_Ww_vmpy_VhVh(a, b);

	return Q6_W_vshuff_VVR(Q6_V_hi_W(product), Q6_V_lo_W(product), -4);
}

/* Tells which of 64 products with fractions may be ties: all bits of their halfwords are set. */
static HVX_Vector are_ties(HVX_Vector product0, HVX_Vector product1)
{
	HVX_Vector fraction = Q6_Vh_vpacke_VwVw(product1, product0);

	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * MARGIN), fraction), splat_w(-1),
			     Q6_V_vzero());
}

/* Computes as they are defined those of the first `bytes` results that may be ties. */
static int multiply_ties(const struct binary *binary, uint32_t bytes)
{
	const struct nn_call *call = binary->call;
	const uint8_t *a = call->scratch + OPERAND_A, *b = call->scratch + OPERAND_B;
	int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]);

	for (int32_t i = -1; (i = next_set(call->scratch + TIES, i)) >= 0 && i < (int32_t)bytes;) {
		int32_t result, ret = progress_add(binary->progress, ELEMENT_WORK);

		if (ret)
			return ret;
		result = compute_binary(&call->op->binary, &binary->sum,
					load_8bit(&a[i], flip_a) - call->input[0].zero_point,
					load_8bit(&b[i], flip_b) - call->input[1].zero_point);
		call->scratch[RESULTS + i] = clamp_int(result + call->output[0].zero_point,
						       call->op->out_min, call->op->out_max);
	}
	return 0;
}

/* Multiplies 128 elements, of which the first `bytes` are wanted. */
static inline HVX_Vector multiply_vector(const struct binary *binary, HVX_Vector stored_a,
					 HVX_Vector stored_b, uint32_t bytes, int *ret)
{
	const struct product *p = &binary->product;
	uint8_t *scratch = binary->call->scratch;
	HVX_VectorPair a = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_a, p->flip_a));
	HVX_VectorPair b = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_b, p->flip_b));
	HVX_VectorPair low = multiply_halves(Q6_Vh_vsub_VhVh(Q6_V_lo_W(a), p->zero_a),
					     Q6_Vh_vsub_VhVh(Q6_V_lo_W(b), p->zero_b));
	HVX_VectorPair high = multiply_halves(Q6_Vh_vsub_VhVh(Q6_V_hi_W(a), p->zero_a),
					      Q6_Vh_vsub_VhVh(Q6_V_hi_W(b), p->zero_b));
	HVX_Vector product[4] = { Q6_V_lo_W(low), Q6_V_hi_W(low), Q6_V_lo_W(high),
				  Q6_V_hi_W(high) };
	HVX_Vector ties_low, ties_high, result;

	if (p->is_once)
		return requant_128(product, p->requant, &p->finish);
	for (uint32_t i = 0; i < 4; i++)
		product[i] = requant_product(product[i], p->requant, splat_w(0x8000 + MARGIN));
	result = finish_8bit(Q6_Vh_vpacko_VwVw(product[1], product[0]),
			      Q6_Vh_vpacko_VwVw(product[3], product[2]), &p->finish);
	ties_low = are_ties(product[0], product[1]);
	ties_high = are_ties(product[2], product[3]);
	if (!any_lane(Q6_Q_vcmp_gt_VuhVuh(Q6_V_vor_VV(ties_low, ties_high), Q6_V_vzero())))
		return result;
	store(scratch + TIES, Q6_Vb_vpacke_VhVh(ties_high, ties_low));
	store(scratch + OPERAND_A, stored_a);
	store(scratch + OPERAND_B, stored_b);
	store(scratch + RESULTS, result);
	*ret = multiply_ties(binary, bytes);
	return load(scratch + RESULTS);
}

/*
 * Multiplies `count` whole vectors by the assembly. Returns how many of them are left, the first
 * with a product that may be a tie.
 */
static uint32_t multiply_vectors(struct multiply_vectors *vectors, bool is_signed, const uint8_t *a,
				 const uint8_t *b, uint8_t *to, uint32_t count)
{
	vectors->from[0] = a;
	vectors->from[1] = b;
	vectors->to = to;
	vectors->count = count;
	return is_signed ? nn_multiply_int8(vectors) : nn_multiply_uint8(vectors);
}

static int multiply(const struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
		    uint64_t bytes)
{
	const struct product *product = &binary->product;

	for (uint64_t i = 0; i < bytes;) {
		uint64_t rest = bytes - i;
		uint32_t count = rest < QUICK_BYTES ? rest / VECTOR : QUICK_BYTES / VECTOR, left;
		uint32_t part = min_u32(rest, VECTOR);
		HVX_Vector result;
		int ret;

		if (product->vectors && count) {
			ret = progress_add(binary->progress, count * QUICK_WORK);
			if (ret)
				return ret;
			left = multiply_vectors(product->vectors, product->finish.is_signed, a + i,
						b + i, to + i, count);
			i += (count - left) * VECTOR;
			if (!left)
				continue;
		}
		ret = progress_add(binary->progress, VECTOR_WORK);
		if (ret)
			return ret;
		result = multiply_vector(binary, load_part(a + i, part), load_part(b + i, part),
					 part, &ret);
		if (ret)
			return ret;
		store_part(to + i, result, part);
		i += part;
	}
	return 0;
}

/* Computes `bytes` results from `at` on, with the other input's elements for them. */
static int compute_part(const struct binary *binary, uint64_t at, const uint8_t *other,
			uint64_t bytes)
{
	struct nn_call part = *binary->call;
	int ret;

	part.op = &binary->op;
	part.input[binary->full].data += at;
	part.input[!binary->full].data = (uint8_t *)other;
	part.output[0].data += at;
	part.output[0].bytes = bytes;
	part.scratch_size = binary->laid_out - part.scratch;
	if (!binary->run)
		return multiply(binary, part.input[0].data, part.input[1].data, part.output[0].data,
				bytes);
	ret = progress_add(binary->progress, bytes);
	return ret ? ret : binary->run(&part);
}

/*
 * Tells whether results with this scale are 257 / 2^24 off at most, because none on the way leaves
 * float32's range.
 */
static bool is_moderate(float scale)
{
	return scale >= 0x1p-40f && scale <= 0x1p40f;
}

/* Prepares the assembly's arguments, if it can have the scale. */
static void prepare_vectors(struct binary *binary, float scale)
{
	const struct nn_call *call = binary->call;
	struct multiply_vectors *vectors = (struct multiply_vectors *)(call->scratch + VECTORS);
	uint32_t function = call->op->binary.function;
	uint32_t margin = function == NN_BINARY_MUL ? MARGIN :
			  function == NN_BINARY_MUL_FUSED ? MARGIN_FUSED : MARGIN_ONCE;
	struct scale_words words = describe_scale(scale);

	if (words.shift < 0 || words.shift > MULTIPLY_MOST_SHIFT)
		return;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t flip = flip_of(&call->input[i]);
		uint32_t factor = 1u << (words.shift + i) / 2;

		vectors->flip[i] = flip * 0x1010101;
		vectors->factor[i] = factor * 0x1010101;
		vectors->zero[i] = (call->input[i].zero_point + flip) * factor * 0x10001;
	}
	vectors->multiplier = words.multiplier;
	vectors->more = call->output[0].zero_point * 0x10000 + 0x8000 + margin;
	vectors->ties = 2 * margin + (function == NN_BINARY_MUL_ONCE);
	vectors->out_min = four_bytes(call->op->out_min);
	vectors->out_max = four_bytes(call->op->out_max);
	binary->product.vectors = vectors;
}

/*
 * Prepares a product. Returns false if the function is no product, or has scales for which integers
 * cannot tell.
 */
static bool prepare_product(struct binary *binary)
{
	const struct nn_binary_params *params = &binary->call->op->binary;
	const struct nn_tensor *a = &binary->call->input[0], *b = &binary->call->input[1];
	const struct nn_tensor *output = &binary->call->output[0];
	struct product *product = &binary->product;
	float scale = params->scale_output;

	if (params->function == NN_BINARY_MUL) {
		if (!is_moderate(params->scale_a) || !is_moderate(params->scale_b) ||
		    !is_moderate(params->scale_output))
			return false;
		scale = params->scale_a * params->scale_b / params->scale_output;
	} else if (params->function != NN_BINARY_MUL_ONCE &&
		   params->function != NN_BINARY_MUL_FUSED) {
		return false;
	}
	for (uint32_t i = 0; i < 4; i++)
		product->requant[i] = requant_scale(scale);
	product->finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				    binary->call->op->out_min, binary->call->op->out_max);
	product->flip_a = splat_b(flip_of(a));
	product->flip_b = splat_b(flip_of(b));
	product->zero_a = splat_h(a->zero_point + flip_of(a));
	product->zero_b = splat_h(b->zero_point + flip_of(b));
	product->is_once = params->function == NN_BINARY_MUL_ONCE;
	prepare_vectors(binary, scale);
	return true;
}

/* Prepares a call. Returns false if there is no vector code for its function. */
static bool prepare(struct binary *binary)
{
	const struct nn_binary_params params = binary->call->op->binary;
	struct nn_add_float_params in_float = binary_scales(&params);

	binary->op = *binary->call->op;
	binary->run = NULL;
	switch (params.function) {
	case NN_BINARY_SUB:
		in_float.scale_b = -in_float.scale_b;
		break;
	case NN_BINARY_ADD:
		break;
	case NN_BINARY_ADD_FUSED:
		in_float.form = NN_ADD_FUSED;
		break;
	case NN_BINARY_ADD_SHIFTED:
		binary->op.add = params.add;
		binary->run = nn_add_hvx;
		return true;
	default:
		return prepare_product(binary);
	}
	binary->op.add_float = in_float;
	binary->run = nn_add_float_hvx;
	return true;
}

/* Repeats `from`, of `block` bytes, until `bytes` bytes are full. */
static void lay_out(uint8_t *to, const uint8_t *from, uint32_t block, uint32_t bytes)
{
	if (block == 1) {
		__builtin_memset(to, *from, bytes);
		return;
	}
	__builtin_memcpy(to, from, block);
	for (uint32_t done = block; done < bytes;) {
		uint32_t more = min_u32(done, bytes - done);

		__builtin_memcpy(to + done, to, more);
		done += more;
	}
}

/* Divides scratch memory; ADD_FLOAT needs the most of it in front. */
static void divide_scratch(struct binary *binary)
{
	const struct nn_call *call = binary->call;
	uint32_t below = min_u32(call->scratch_size / 2 / VECTOR * VECTOR, ADD_FLOAT_SCRATCH);

	binary->laid_out = call->scratch + below;
	binary->room = min_u32(call->scratch_size - below, PART);
}

/* Computes the output's bytes from `at` on for which one block is used. */
static int compute_long_run(const struct binary *binary, const struct pattern *pattern,
			    uint64_t at, const uint8_t *block)
{
	const uint32_t room = binary->room;
	uint64_t most = pattern->block;
	int ret = 0;

	if (pattern->block * 2 <= room && pattern->run > pattern->block) {
		most = room / (uint32_t)pattern->block * pattern->block;
		if (most > pattern->run)
			most = pattern->run;
		ret = progress_add(binary->progress, BLOCK_WORK + memory_work(2 * room));
		lay_out(binary->laid_out, block, pattern->block, most);
		block = binary->laid_out;
	}
	for (uint64_t i = 0; i < pattern->run && !ret; i += most) {
		uint64_t rest = pattern->run - i;

		ret = compute_part(binary, at + i, block, rest < most ? rest : most);
	}
	return ret;
}

static int compute_all(const struct binary *binary, const struct pattern *pattern)
{
	const struct nn_call *call = binary->call;
	const uint8_t *other = call->input[!binary->full].data;
	uint64_t bytes = call->output[0].bytes, block = 0;
	uint32_t runs;
	int ret = 0;

	for (uint64_t at = 0; at < bytes && !ret; at += runs * pattern->run) {
		runs = 1;
		if (2 * pattern->run > binary->room || pattern->run == pattern->block) {
			ret = compute_long_run(binary, pattern, at, other + block * pattern->block);
			block = block + 1 < pattern->blocks ? block + 1 : 0;
			continue;
		}
		for (runs = 0; (runs + 1) * pattern->run <= binary->room &&
			       at + runs * pattern->run < bytes && !ret; runs++) {
			ret = progress_add(binary->progress, BLOCK_WORK);
			lay_out(binary->laid_out + runs * pattern->run,
				other + block * pattern->block, pattern->block, pattern->run);
			block = block + 1 < pattern->blocks ? block + 1 : 0;
		}
		if (!ret)
			ret = compute_part(binary, at, binary->laid_out, runs * pattern->run);
	}
	return ret;
}

/* Computes any function whose other input is one element, by a table. */
static int look_up(const struct binary *binary)
{
	const struct nn_call *call = binary->call;
	struct nn_call part = *call;
	const struct nn_tensor *full = &call->input[binary->full];
	const struct nn_tensor *other = &call->input[!binary->full];
	int32_t one = load_8bit(other->data, flip_of(other)) - other->zero_point;
	uint8_t *table = call->scratch;

	for (uint32_t i = 0; i < 256; i++) {
		uint8_t element = i;
		int32_t x = load_8bit(&element, flip_of(full)) - full->zero_point, result;
		int ret = progress_add(binary->progress, ELEMENT_WORK);

		if (ret)
			return ret;
		result = compute_binary(&call->op->binary, &binary->sum, binary->full ? one : x,
					binary->full ? x : one);
		table[i] = clamp_int(result + call->output[0].zero_point, call->op->out_min,
				     call->op->out_max);
	}
	part.input[0] = *full;
	part.input[1].data = table;
	return nn_table_hvx(&part);
}

int nn_binary_hvx(const struct nn_call *call)
{
	struct progress progress = { .call = call };
	struct binary binary = { .call = call, .progress = &progress };
	struct pattern pattern[2];
	uint64_t bytes = call->output[0].bytes;

	if (!bytes || !find_pattern(&pattern[0], &call->input[0], &call->output[0]) ||
	    !find_pattern(&pattern[1], &call->input[1], &call->output[0]))
		return nn_binary_portable(call);
	binary.full = pattern[0].block != bytes;
	if (pattern[binary.full].block != bytes)
		return nn_binary_portable(call);

	divide_scratch(&binary);
	binary.scales = binary_scales(&call->op->binary);
	binary.sum = float_sum_of(call, &binary.scales);
	if (prepare(&binary))
		return compute_all(&binary, &pattern[!binary.full]);
	if (pattern[!binary.full].run == bytes && pattern[!binary.full].block == 1 &&
	    bytes >= LEAST_FOR_TABLE)
		return look_up(&binary);
	return nn_binary_portable(call);
}
