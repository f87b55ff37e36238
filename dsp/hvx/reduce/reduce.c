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
#include "dsp/hvx/reduce/rows.h"

#define LINES		256u		/* whose sums fit 16 bits */
#define LINE_WORK	8u
#define LONG_ROW	(1u << 14)	/* elements; more go part by part */
#define IN_ORDER	256u		/* elements between two looks at progress */
#define IN_ORDER_WORK	3u
#define TABLE_WORK	2048u
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
	/* Sums of results side by side, in their order, and what they are made in. */
	uint32_t natural[VECTOR], natural_squares[VECTOR], first[REDUCE_ROWS];
	uint8_t rows[REDUCE_ROWS][VECTOR];
	float product[256];	/* each byte's q * scale_input */
};

struct reduction {
	const struct nn_call *call;
	struct reduce_constants constants;
	struct reduce_shape shape;
	struct progress progress;
	bool needs_squares, needs_extremes, in_floats;
	float factor, margin;	/* of in_floats */
	uint32_t tie;		/* margin of a factor in fixed point, in 2^-16; 0: there is none */
	int32_t flip;
	uint32_t apart;		/* bytes from a result's first element to the next one's */
	bool has_products;
};

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
	if (margin < MOST_MARGIN && reduce_is_moderate(reduction->factor))
		reduction->tie = margin;
}

static void begin(struct reduction *reduction, const struct nn_call *call)
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
		.in_floats = form == NN_REDUCE_SUM || form == NN_REDUCE_MEAN ||
			     form == NN_REDUCE_PROD,
		.flip = flip_of(&call->input[0]),
	};
	reduce_find_shape(call, &reduction->shape);
	reduction->constants = reduce_constants_of(call, reduction->shape.count);
	if (reduction->needs_extremes || form == NN_REDUCE_MEAN_WHOLE)
		return;
	count = reduction->shape.count;
	reduction->constants.root = root_quickly;
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

static inline HVX_VectorPair load_words(const uint32_t *from)
{
	return Q6_W_vcombine_VV(load(from + 32), load(from));
}

static inline HVX_Vector load_line(const uint8_t *from, uint32_t bytes)
{
	return bytes < VECTOR ? load_bytes(from, bytes) : load(from);
}

struct line_sums {
	HVX_VectorPair even, odd, even_squares, odd_squares;
};

/* Adds up at most LINES lines of 128 bytes, or, in parts, fewer; and their squares. */
static inline __attribute__((always_inline)) void
add_lines(struct line_sums *sums, const uint8_t *from, uint32_t lines, uint32_t inner,
	  uint32_t bytes, HVX_Vector flips, bool needs_squares)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPair sum = Q6_W_vcombine_VV(zero, zero), squares;

	for (; lines >= 2 && !needs_squares; lines -= 2, from += 2 * inner)
		sum = Q6_Wh_vaddacc_WhVubVub(sum, Q6_V_vxor_VV(load_line(from, bytes), flips),
					     Q6_V_vxor_VV(load_line(from + inner, bytes), flips));
	for (; lines; lines--, from += inner) {
		HVX_Vector v = Q6_V_vxor_VV(load_line(from, bytes), flips);

		sum = Q6_Wh_vaddacc_WhVubVub(sum, v, zero);
		if (!needs_squares)
			continue;
		squares = Q6_Wuh_vmpy_VubVub(v, v);
		sums->even_squares = Q6_Ww_vaddacc_WwVuhVuh(sums->even_squares,
							    Q6_V_lo_W(squares), zero);
		sums->odd_squares = Q6_Ww_vaddacc_WwVuhVuh(sums->odd_squares, Q6_V_hi_W(squares),
							   zero);
	}
	sums->even = Q6_Ww_vaddacc_WwVuhVuh(sums->even, Q6_V_lo_W(sum), zero);
	sums->odd = Q6_Ww_vaddacc_WwVuhVuh(sums->odd, Q6_V_hi_W(sum), zero);
}

/* The sums of lines go on from one call to the next, in memory. */
static inline __attribute__((always_inline)) void
go_on(struct lanes *lanes, const uint8_t *from, uint32_t lines, uint32_t inner, uint32_t bytes,
      int32_t flip, bool needs_squares)
{
	struct line_sums sums = {
		.even = load_words(lanes->sum),
		.odd = load_words(lanes->sum + 64),
		.even_squares = load_words(lanes->squares),
		.odd_squares = load_words(lanes->squares + 64),
	};

	add_lines(&sums, from, lines, inner, bytes, splat_b(flip), needs_squares);
	store_words(lanes->sum, sums.even, sums.odd);
	if (needs_squares)
		store_words(lanes->squares, sums.even_squares, sums.odd_squares);
}

/* These are functions of their own, so that each has its vectors in registers. */
static __attribute__((noinline)) void take_sums(struct lanes *lanes, const uint8_t *from,
						uint32_t lines, uint32_t inner, uint32_t bytes,
						int32_t flip)
{
	if (bytes == VECTOR)
		go_on(lanes, from, lines, inner, VECTOR, flip, false);
	else
		go_on(lanes, from, lines, inner, bytes, flip, false);
}

static __attribute__((noinline)) void take_squares(struct lanes *lanes, const uint8_t *from,
						   uint32_t lines, uint32_t inner, uint32_t bytes,
						   int32_t flip)
{
	go_on(lanes, from, lines, inner, bytes, flip, true);
}

static __attribute__((noinline)) void take_extremes(struct lanes *lanes, const uint8_t *from,
						    uint32_t lines, uint32_t inner, uint32_t bytes,
						    int32_t flip)
{
	HVX_Vector most = load(lanes->most), least = load(lanes->least), flips = splat_b(flip);

	for (; lines; lines--, from += inner) {
		HVX_Vector v = Q6_V_vxor_VV(load_line(from, bytes), flips);

		most = Q6_Vub_vmax_VubVub(most, v);
		least = Q6_Vub_vmin_VubVub(least, v);
	}
	store(lanes->most, most);
	store(lanes->least, least);
}

static __attribute__((noinline)) void clear_lanes(struct lanes *lanes)
{
	HVX_Vector zero = Q6_V_vzero();

	for (uint32_t i = 0; i < VECTOR; i += 32) {
		store(lanes->sum + i, zero);
		store(lanes->squares + i, zero);
	}
	store(lanes->most, zero);
	store(lanes->least, splat_w(-1));
}

static int take_lines(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
		      uint32_t bytes)
{
	uint32_t inner = reduction->shape.inner, count = reduction->shape.count;
	uint32_t work = LINE_WORK + stride_work(inner);
	int32_t flip = reduction->flip;

	clear_lanes(lanes);
	for (uint32_t i = 0; i < count; i += LINES, from += LINES * (uint64_t)inner) {
		uint32_t lines = min_u32(count - i, LINES);
		int ret = progress_add(&reduction->progress, lines * work);

		if (ret)
			return ret;
		if (reduction->needs_extremes)
			take_extremes(lanes, from, lines, inner, bytes, flip);
		else if (reduction->needs_squares)
			take_squares(lanes, from, lines, inner, bytes, flip);
		else
			take_sums(lanes, from, lines, inner, bytes, flip);
	}
	return 0;
}

/* Takes the elements of one result that are side by side, part by part, into lane `i`. */
static int take_long_row(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
			 uint32_t i)
{
	uint32_t count = reduction->shape.count, *word = lanes->first;
	int32_t flip = reduction->flip;

	lanes->natural[i] = lanes->natural_squares[i] = lanes->most[i] = 0;
	lanes->least[i] = 255;
	for (uint32_t part; count; count -= part, from += part) {
		int ret;

		part = min_u32(count, LONG_ROW);
		ret = progress_add(&reduction->progress,
				   512 + part / VECTOR * LINE_WORK + memory_work(part));
		if (ret)
			return ret;
		if (!reduction->needs_extremes) {
			nn_reduce_rows(from, 1, part, flip, REDUCE_SUMS, lanes->rows, word);
			lanes->natural[i] += word[0];
		} else {
			nn_reduce_rows(from, 1, part, flip, REDUCE_MOST, lanes->rows, word);
			lanes->most[i] = lanes->most[i] > word[0] ? lanes->most[i] : word[0];
			nn_reduce_rows(from, 1, part, flip, REDUCE_LEAST, lanes->rows, word);
			lanes->least[i] = min_u32(lanes->least[i], word[0]);
		}
		if (reduction->needs_squares) {
			nn_reduce_rows(from, 1, part, flip, REDUCE_SQUARES, lanes->rows, word);
			lanes->natural_squares[i] += word[0];
		}
	}
	return 0;
}

/* Takes the elements of results that are side by side, as many as lanes. */
static int take_rows(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
		     uint32_t results)
{
	uint32_t count = reduction->shape.count;
	uint32_t work = (count / VECTOR + 4) * LINE_WORK + memory_work(count);

	for (uint32_t i = 0; i < results && count > LONG_ROW; i++, from += count) {
		int ret = take_long_row(reduction, lanes, from, i);

		if (ret)
			return ret;
	}
	for (uint32_t i = 0; i < results && count <= LONG_ROW; i += REDUCE_ROWS) {
		uint32_t rows = min_u32(results - i, REDUCE_ROWS);
		int ret = progress_add(&reduction->progress, REDUCE_ROWS * work);

		if (ret)
			return ret;
		if (reduction->needs_extremes) {
			nn_reduce_rows(from, rows, count, reduction->flip, REDUCE_MOST,
				       lanes->rows, lanes->first);
			nn_reduce_pack(lanes->first, lanes->most + i);
			nn_reduce_rows(from, rows, count, reduction->flip, REDUCE_LEAST,
				       lanes->rows, lanes->first);
			nn_reduce_pack(lanes->first, lanes->least + i);
		} else {
			nn_reduce_rows(from, rows, count, reduction->flip, REDUCE_SUMS,
				       lanes->rows, lanes->natural + i);
		}
		if (reduction->needs_squares)
			nn_reduce_rows(from, rows, count, reduction->flip, REDUCE_SQUARES,
				       lanes->rows, lanes->natural_squares + i);
		from += rows * count;
	}
	nn_reduce_deal(lanes->natural, lanes->sum);
	if (reduction->needs_squares)
		nn_reduce_deal(lanes->natural_squares, lanes->squares);
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

/* Makes the products of all bytes. */
static int make_products(struct reduction *reduction, struct lanes *lanes)
{
	const struct nn_call *call = reduction->call;
	int ret = progress_add(&reduction->progress, TABLE_WORK);

	for (uint32_t i = 0; i < 256 && !ret; i++) {
		int32_t q = (int32_t)(i ^ reduction->flip) - reduction->flip -
			    call->input[0].zero_point;

		lanes->product[i] = (float)q * call->op->reduce.scale_input;
	}
	reduction->has_products = !ret;
	return ret;
}

/* Takes a result's elements one after the other, as floats. */
static int take_in_order(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
			 float *real)
{
	uint32_t inner = reduction->shape.inner, count = reduction->shape.count;
	bool is_product = reduction->call->op->reduce.form == NN_REDUCE_PROD;
	const float *product = lanes->product;
	float total = is_product;
	int ret = reduction->has_products ? 0 : make_products(reduction, lanes);

	for (uint32_t i = 0; i < count && !ret; i += IN_ORDER) {
		uint32_t part = min_u32(count - i, IN_ORDER);

		ret = progress_add(&reduction->progress,
				   part * (IN_ORDER_WORK + stride_work(inner)));
		if (ret)
			break;
		if (is_product) {
			for (uint32_t k = 0; k < part; k++, from += inner)
				total *= product[*from];
			continue;
		}
		if (part >= 3) {
			total = add_products(total, product, from, inner, part);
			from += part * inner;
			continue;
		}
		for (uint32_t k = 0; k < part; k++, from += inner)
			total += product[*from];
	}
	*real = total;
	return ret;
}

/*
 * Computes results first to end - 1. It is not inline because clang 14 lays what a function has on
 * the stack over the vectors that it has there, too.
 */
static __attribute__((noinline)) int finish(struct reduction *reduction, struct lanes *lanes,
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
		} else if (op->reduce.form == NN_REDUCE_PROD ||
			   !is_sure(reduction, &taken, &result)) {
			ret = take_in_order(reduction, lanes, from + i * reduction->apart,
					    &taken.real);
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

/* Computes 128 results that are extremes. */
static __attribute__((noinline)) void finish_extremes(const struct reduction *reduction,
						      const struct lanes *lanes, uint8_t *out,
						      uint32_t results)
{
	const struct nn_program_op *op = reduction->call->op;
	int32_t flip = reduction->flip;
	HVX_Vector v = load(op->reduce.form == NN_REDUCE_MAX ? lanes->most : lanes->least);

	v = Q6_Vub_vmax_VubVub(v, splat_b(op->out_min + flip));
	v = Q6_Vub_vmin_VubVub(v, splat_b(op->out_max + flip));
	store_bytes(out, Q6_V_vxor_VV(v, splat_b(flip)), results);
}

/*
 * Divides sums without fractions, of up to 65,536 elements and more. A mean is below 2^8, so its
 * product with the inverse is off by less than one, which the remainder tells.
 */
static __attribute__((noinline)) void finish_whole(const struct reduction *reduction,
						   const struct lanes *lanes, uint8_t *out,
						   uint32_t results)
{
	const struct nn_program_op *op = reduction->call->op;
	int32_t count = reduction->shape.count;
	float inverse = reciprocal_of((float)count);

	for (uint32_t i = 0; i < results; i++) {
		int32_t sum = taken_of(reduction, lanes, i).sum, size = sum < 0 ? -sum : sum;
		int32_t whole = (int32_t)((float)size * inverse), rest = size - whole * count;

		whole += (rest >= count) - (rest < 0);
		out[i] = clamp_int(sum < 0 ? -whole : whole, op->out_min, op->out_max);
	}
}

/* Computes the results of some lines. */
static int finish_lines(struct reduction *reduction, struct lanes *lanes, const uint8_t *from,
			uint32_t results, uint8_t *out)
{
	if (reduction->needs_extremes) {
		finish_extremes(reduction, lanes, out, results);
		return 0;
	}
	if (reduction->call->op->reduce.form == NN_REDUCE_MEAN_WHOLE) {
		finish_whole(reduction, lanes, out, results);
		return progress_add(&reduction->progress, results * FINISH_WORK);
	}
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
	uint64_t line, results = call->output[0].bytes;
	uint32_t inner, part;

	if (!nn_reduce_has_vectors(call) || call->scratch_size < sizeof(*lanes))
		return nn_reduce_portable(call);
	begin(&reduction, call);
	inner = reduction.shape.inner;
	line = (uint64_t)reduction.shape.count * inner;
	reduction.apart = inner == 1 ? reduction.shape.count : 1;
	/* Lines go part by part, and results side by side all in a row. */
	for (uint64_t at = 0, i = 0; results; results -= part) {
		const uint8_t *from = input->data + at + i;
		int ret;

		part = inner == 1 ? (results < VECTOR ? results : VECTOR) :
				    min_u32(inner - i, VECTOR);
		ret = inner == 1 ? take_rows(&reduction, lanes, from, part) :
				   take_lines(&reduction, lanes, from, part);
		if (!ret)
			ret = finish_lines(&reduction, lanes, from, part, out);
		if (ret)
			return ret;
		out += part;
		i += inner == 1 ? part * line : part;
		if (inner > 1 && i == inner) {
			at += line;
			i = 0;
		}
	}
	return 0;
}
