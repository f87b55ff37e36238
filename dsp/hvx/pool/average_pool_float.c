// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL_FLOAT: means of windows that other frameworks compute in float32, here in integers,
 * and again in float32 where an integer cannot tell how the float rounds.
 * nn_average_pool_float_hvx() is its vector kernel, in the table of kernels.c. Windows are added up
 * as average.h has it, those of 2x2 with stride 2 by the assembly of average_2x2s2.h, but for
 * NN_AVERAGE_EXACT.
 *
 * The sum of a window is an integer. For NN_AVERAGE_EXACT it is requantized as any accumulator is.
 * For the others its product with scale_input / (scale_output * count) has 16 bits of fraction, and
 * where that is far enough from a half it rounds to the integer that float32 comes to. In steps of
 * 2^-16 the product is off by less than 1.5 + 2, and float32's last two roundings move the result
 * by less than 2; so little, 1 at most, does that of a result with its zero point, for
 * NN_AVERAGE_ZERO_POINT. Before them, each of its additions is off by 2^-24 of the sum so far,
 * which is 255 * scale_input for each element in it at most. Divided by their number that makes,
 * with `length` as in sum_length(), less than (length + 1) * 255 / 2^8 * scale_input /
 * scale_output. Means that are not that far from a half are computed as they are defined.
 */
#include "dsp/kernels/average_float.h"
#include "dsp/kernels/checks.h"
#include "dsp/hvx/pool/average.h"
#include "dsp/hvx/pool/average_2x2s2.h"
#include "dsp/hvx/pool/average_2x2s2_ties.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/common/strips.h"

#define MOST_MARGIN	0x3000u	/* with this, a third of all results may be ties */
#define SMALL_AREA	16	/* elements; their pages have been read before */
#define TIE_WORK	24	/* for a mean of four that is computed as it is defined */
#define ROUND		0x1.8p23f	/* added to a small number it leaves an integer in the */
#define ROUND_BITS	0x4b400000	/* last bits, and these */

struct average_float {
	struct requant requant;
	HVX_Vector more;		/* a half, and the margin */
	HVX_Vector ties;		/* fractions below may be ties */
	HVX_Vector zero;		/* the elements' zero points added up */
	double inverse_count, inverse_scale;
};

/*
 * Returns the elements in the result of each addition, added up and divided by the number of
 * elements; or more than that.
 */
static uint32_t sum_length(const struct nn_average_float_params *params)
{
	uint32_t height = params->window.kernel_h, width = params->window.kernel_w;

	switch (params->order) {
	case NN_AVERAGE_COLUMNS:
		return (height + width) / 2 + 1;
	case NN_AVERAGE_ROWS:
	case NN_AVERAGE_ZERO_POINT:
		return height * width / 2 + 1;
	}
	return height * width / 8 + 8;
}

/*
 * Returns how near to a half a fraction may be a tie, in steps of 2^-16. With MOST_MARGIN or more
 * integers do not pay off.
 */
static uint32_t margin_of(const struct nn_average_float_params *params)
{
	float steps = (float)(sum_length(params) + 1) * params->scale_input / params->scale_output;

	if (!is_usual_scale(params->scale_input) || !is_usual_scale(params->scale_output))
		return MOST_MARGIN;
	if (params->order == NN_AVERAGE_EXACT)
		return 0;
	return steps < (float)(MOST_MARGIN - 8) ? (uint32_t)steps + 8 : MOST_MARGIN;
}

static void set_count(struct average_float *average, const struct nn_average_float_params *params,
		      uint32_t count)
{
	average->requant = requant_scale(average_scale(params, count));
	average->inverse_count = inverse_of((float)count);
}

/* Adds up q() of 64 channels, in their order. */
static inline void sum_channels(const uint16_t *column, uint32_t columns, uint32_t channels,
				const struct average_float *average, HVX_Vector *acc)
{
	HVX_VectorPair sum = add_columns(column, columns, channels);

	sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -4);
	acc[0] = Q6_Vw_vsub_VwVw(Q6_V_lo_W(sum), average->zero);
	acc[1] = Q6_Vw_vsub_VwVw(Q6_V_hi_W(sum), average->zero);
}

/* Computes 64 results as halfwords, and which of them may be ties: all bits of their halfwords. */
static inline HVX_Vector round_64(const HVX_Vector *acc, const struct average_float *average,
				  HVX_Vector *ties)
{
	HVX_Vector product0 = requant_product(acc[0], &average->requant, average->more);
	HVX_Vector product1 = requant_product(acc[1], &average->requant, average->more);
	HVX_VectorPred is_tie = Q6_Q_vcmp_gt_VuhVuh(average->ties,
						    Q6_Vh_vpacke_VwVw(product1, product0));

	*ties = Q6_V_vmux_QVV(is_tie, splat_w(-1), Q6_V_vzero());
	return Q6_Vh_vpacko_VwVw(product1, product0);
}

/*
 * Computes nn_average_float_sum() of a small window, in columns or rows: in the order of the
 * additions, and without a report.
 */
static float sum_small(const struct nn_call *call, const uint8_t *image,
		       const struct pool_window *window, uint32_t c)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	const struct nn_tensor *input = &call->input[0];
	uint32_t channels = input->dims[3], pitch = input->dims[2] * channels;
	uint32_t height = window->bottom - window->top, width = window->right - window->left;
	const uint8_t *from = image + window->top * pitch + window->left * channels + c;
	bool in_columns = params->order == NN_AVERAGE_COLUMNS;
	uint32_t outer = in_columns ? width : height, inner = in_columns ? height : width;
	uint32_t outer_stride = in_columns ? channels : pitch;
	uint32_t inner_stride = in_columns ? pitch : channels;
	int32_t flip = flip_of(input);
	float total = 0;

	for (uint32_t i = 0; i < outer; i++, from += outer_stride) {
		float part = in_columns ? 0 : total;
		const uint8_t *element = from;

		for (uint32_t k = 0; k < inner; k++, element += inner_stride)
			part += (float)(load_8bit(element, flip) - input->zero_point) *
				params->scale_input;
		total = in_columns ? total + part : part;
	}
	return total;
}

/*
 * Computes as they are defined those of the `bytes` channels from c on that may be ties. `ties` is
 * in memory.
 */
static int average_again(struct progress *progress, const uint8_t *image,
			 const struct pool_window *window, double inverse_count,
			 double inverse_scale, const uint8_t *ties, uint32_t c, uint32_t bytes,
			 uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	uint32_t area = (window->bottom - window->top) * (window->right - window->left);
	bool is_small = area <= SMALL_AREA && params->order != NN_AVERAGE_QUARTERS;

	for (int32_t i = -1; (i = next_set(ties, i)) >= 0 && i < (int32_t)bytes;) {
		float sum = 0;
		int ret = is_small ? progress_add(progress, 64 + 16 * area)
				   : nn_average_float_sum(progress, image, window, c + i, &sum);

		if (ret)
			return ret;
		if (is_small)
			sum = sum_small(call, image, window, c + i);
		sum = divide(divide(sum, inverse_count), inverse_scale);
		out[i] = clamp_int(average_round(params, sum, call->output[0].zero_point),
				   call->op->out_min, call->op->out_max);
	}
	return 0;
}

/* The last vector of scratch memory, which sums of columns leave free. */
static inline uint8_t *scratch_vector(const struct nn_call *call)
{
	return call->scratch + (call->scratch_size / VECTOR - 1) * VECTOR;
}

/*
 * Computes 128 channels of one window, or those that there are, from c on. `down` has sums of its
 * columns.
 */
static inline int average_channels(struct progress *progress, const uint8_t *image,
				   const struct pool_window *window,
				   const struct average_float *average,
				   const struct finish *finish, const uint16_t *down, uint32_t c,
				   uint8_t *out)
{
	const struct nn_average_float_params *params = &progress->call->op->average_float;
	uint32_t channels = progress->call->input[0].dims[3];
	uint32_t bytes = min_u32(channels - c, VECTOR);
	const struct requant all[4] = { average->requant, average->requant, average->requant,
					average->requant };
	uint8_t *tie_bytes = scratch_vector(progress->call);
	HVX_Vector acc[4], ties[2], low, high;

	sum_channels(down, params->window.kernel_w, channels, average, acc);
	if (bytes > VECTOR / 2)
		sum_channels(down + 64, params->window.kernel_w, channels, average, acc + 2);
	else
		acc[2] = acc[3] = acc[0];
	if (params->order == NN_AVERAGE_EXACT) {
		store_bytes(out, requant_128(acc, all, finish), bytes);
		return 0;
	}
	low = high = round_64(acc, average, &ties[0]);
	ties[1] = ties[0];
	if (bytes > VECTOR / 2)
		high = round_64(acc + 2, average, &ties[1]);
	store_bytes(out, finish_8bit(low, high, finish), bytes);
	if (!is_any_set(Q6_V_vor_VV(ties[0], ties[1])))
		return 0;
	store(tie_bytes, Q6_Vb_vpack_VhVh_sat(ties[1], ties[0]));
	return average_again(progress, image, window, average->inverse_count,
			     average->inverse_scale, tie_bytes, c, bytes, out);
}

static __attribute__((noinline)) int average_row(struct progress *progress, void *none,
						 const uint8_t *image, uint32_t y,
						 const struct column_part *part, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	uint32_t channels = input->dims[3], last_count = 0, margin = margin_of(params);
	struct pool_window rows = pool_window(call, y, part->out_x);
	uint16_t *down = (uint16_t *)call->scratch;
	struct average_float average = {
		.more = splat_w(0x8000 + margin),
		.ties = splat_h(2 * margin),
		.inverse_scale = inverse_of(params->scale_output),
	};
	int ret = progress_add(progress, row_work(part, &rows, channels));

	(void)none;
	if (ret)
		return ret;
	add_rows(call, image, &rows, part, down);
	for (uint32_t x = 0; x < part->columns; x++) {
		struct pool_window window = pool_window(call, y, part->out_x + x);
		uint32_t area = (window.bottom - window.top) * (window.right - window.left);
		uint32_t count = average_count(&params->window, &window);

		ret = progress_add(progress, 500 + column_work(call));
		if (ret)
			return ret;
		if (count != last_count)
			set_count(&average, params, count);
		last_count = count;
		average.zero = splat_w(area * (input->zero_point + flip_of(input)));
		for (uint32_t c = 0; c < channels; c += VECTOR) {
			const uint16_t *column = down + x * params->window.stride_w * channels + c;

			ret = average_channels(progress, image, &window, &average, &finish, column,
					       c, out + x * channels + c);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/*
 * A call's windows of 2x2 that the assembly computes. Scratch memory has a list of means, and then
 * marks.
 */
struct average_2x2s2_float {
	struct plan_2x2s2 plan;
	struct average_ties ties;
	bool is_signed;
	uint32_t most_rows;	/* for whose marks there is room */
};

#define PART_MOST	(AVERAGE_PART + 2)	/* vectors */
#define FEW_TIES	256			/* to which a part's are added */
#define TIES_LIST	round_up((FEW_TIES + PART_MOST * VECTOR + 1) * \
				 sizeof(struct average_tie), VECTOR)

/* The number of parts of a row's vectors. */
static uint32_t parts_of(uint32_t vectors)
{
	return (vectors - 2 - 1) / AVERAGE_PART + 1;
}

/*
 * Plans the windows of 2x2. In 2^-32 the factor is off by less than 1, the sum by less than 2^10,
 * which is nothing of a margin.
 */
static bool settle_plan(struct plan_2x2s2 *plan, const struct nn_call *call, uint32_t *most_rows)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	const uint32_t channels = call->input[0].dims[3];
	uint32_t margin, bytes, vectors;
	float scale;

	if (params->order == NN_AVERAGE_EXACT || params->window.kernel_h != 2)
		return false;
	margin = margin_of(params);
	scale = average_scale(params, 4);
	if (scale >= 1 || !nn_average_2x2s2_settle(plan, call, (uint32_t)(scale * 0x1p32f),
			     (1u << 31) + ((uint64_t)margin << 16)))
		return false;
	/* Bytes behind a window's are the next window's, and get no marks. */
	bytes = plan->vectors ? VECTOR : min_u32(channels, VECTOR);
	vectors = plan->vectors ? plan->vectors : plan->most;
	plan->loop.tie = 2 * margin * 0x10001u;
	plan->loop.even = round_up(bytes, 2);
	plan->loop.odd = bytes / 2 * 2;
	plan->loop.marks = call->scratch + TIES_LIST;
	plan->end = pool_whole_rows(call);
	/* A row's last vectors reach into the next row. */
	if (plan->left)
		plan->end = pool_followed_rows(call, plan->end);
	if (call->scratch_size < TIES_LIST)
		return false;
	*most_rows = (call->scratch_size - TIES_LIST) / (parts_of(vectors) * 2 * VECTOR);
	return *most_rows;
}

static bool settle_2x2s2(struct average_2x2s2_float *means, const struct nn_call *call)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	bool in_columns =
		params->order == NN_AVERAGE_COLUMNS || params->order == NN_AVERAGE_QUARTERS;
	bool zero_before = params->order == NN_AVERAGE_ZERO_POINT;
	const float divisor = 4 * params->scale_output;
	int32_t zero_point = call->output[0].zero_point;
	uint32_t most_rows;
	float inverse;

	if (!settle_plan(&means->plan, call, &most_rows))
		return false;
	inverse = 1 / divisor;
	means->most_rows = most_rows;
	means->is_signed = call->input[0].type == NN_TYPE_INT8;
	means->ties = (struct average_ties){
		.zero = call->input[0].zero_point,
		.scale = params->scale_input,
		.scale_third = in_columns ? params->scale_input : 0,
		.scale_last = in_columns ? 0 : params->scale_input,
		.divisor = divisor,
		.inverse = inverse,
		.rest = __builtin_HEXAGON_F2_sffms(1, inverse, divisor) * inverse,
		.zero_before = zero_before ? zero_point : 0,
		.round = ROUND,
		.zero_after = (zero_before ? 0 : zero_point) - ROUND_BITS,
		.min = call->op->out_min,
		.max = call->op->out_max,
	};
	return true;
}

/*
 * Sets the first window's elements, in the order of the additions: four sums of one element each
 * are two of columns.
 */
static void set_elements(struct average_2x2s2_float *means, const struct nn_call *call)
{
	const uint8_t *const *row = means->plan.loop.row;
	const uint8_t **element = means->ties.element;
	uint32_t channels = call->input[0].dims[3];
	bool in_columns = means->ties.scale_third != 0;

	element[0] = row[0];
	element[1] = in_columns ? row[1] : row[0] + channels;
	element[2] = in_columns ? row[0] + channels : row[1];
	element[3] = row[1] + channels;
}

/* Computes the means that are listed, up to `end`. */
static int make_listed(struct progress *progress, struct average_2x2s2_float *means,
		       struct average_tie *list, const struct average_tie *end)
{
	uint32_t count = end - list;
	int ret;

	if (!count)
		return 0;
	ret = progress_add(progress, count * TIE_WORK);
	if (ret)
		return ret;
	if (means->is_signed)
		nn_average_ties_s8(&means->ties, list, count);
	else
		nn_average_ties_u8(&means->ties, list, count);
	return 0;
}

/* Computes as they are defined those means of a run for `rows` rows that may be ties. */
static int make_ties(struct progress *progress, struct average_2x2s2_float *means, uint32_t rows)
{
	const struct nn_call *call = progress->call;
	struct average_tie *list = (struct average_tie *)call->scratch, *end = list;
	const struct average_loop *loop = &means->plan.loop;
	uint32_t channels = call->input[0].dims[3];
	uint32_t pitch = call->op->window.stride_h * call->input[0].dims[2] * channels;
	uint8_t *marks = loop->marks;

	set_elements(means, call);
	for (uint32_t y = 0; y < rows; y++) {
		uint8_t *to = loop->to + y * call->output[0].dims[2] * channels;
		uint32_t vectors = loop->rounds, offset = y * pitch;

		for (uint32_t i = 0; i < loop->parts; i++, marks += 2 * VECTOR) {
			if (end - list > FEW_TIES) {
				int ret = make_listed(progress, means, list, end);

				if (ret)
					return ret;
				end = list;
			}
			end = nn_average_ties_list(loop, marks, end, to, offset);
			to += vectors * loop->to_step;
			offset += vectors * loop->step;
			vectors = AVERAGE_PART;
		}
	}
	return make_listed(progress, means, list, end);
}

/* Computes the first windows of 2x2 of `rows` rows from y on, as many as the assembly makes. */
static __attribute__((noinline)) int average_2x2s2(struct progress *progress,
						   struct average_2x2s2_float *means,
						   const uint8_t *image, uint32_t y, uint32_t rows,
						   uint8_t *out)
{
	struct average_loop *loop = &means->plan.loop;

	for (uint32_t run = 0; run < means->plan.runs; run++) {
		int ret = progress_add(progress, rows * means->plan.work);

		if (ret)
			return ret;
		nn_average_2x2s2_run(&means->plan, progress->call, run, image, y, rows, out);
		loop->parts = parts_of(loop->rounds + 2);
		loop->rounds -= (loop->parts - 1) * AVERAGE_PART;
		nn_average_2x2s2_ties(loop);
		ret = make_ties(progress, means, rows);
		if (ret)
			return ret;
	}
	return 0;
}

static int run_dense(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = average_columns(call);
	struct progress progress = { .call = call };
	uint8_t *out = output->data;
	struct average_2x2s2_float means;
	bool has_2x2s2;

	if (!columns || margin_of(&call->op->average_float) >= MOST_MARGIN)
		return nn_average_pool_float_portable(call);
	has_2x2s2 = settle_2x2s2(&means, call);

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0, rows; y < output->dims[1]; y += rows) {
			uint32_t first = has_2x2s2 ? average_2x2s2_row(&means.plan, call, y) : 0;
			int ret;

			rows = 1;
			if (first) {
				rows = min_u32(average_2x2s2_rows(&means.plan, y), means.most_rows);
				ret = average_2x2s2(&progress, &means, image, y, rows, out);
				if (ret)
					return ret;
			}
			for (uint32_t i = 0; i < rows; i++) {
				ret = average_rest(average_row, &progress, 0, image, y + i, first,
						   columns, out);
				if (ret)
					return ret;
				out += output->dims[2] * output->dims[3];
			}
		}
	}
	return 0;
}

int nn_average_pool_float_hvx(const struct nn_call *call)
{
	return windows_are_dense(call) ? run_dense(call) : nn_strips_run(call, run_dense);
}
