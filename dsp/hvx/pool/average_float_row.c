// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL_FLOAT's rows (average_float_row.h). Windows of up to 128 elements are made in groups
 * (means.h), with marks of what may be ties; larger ones by themselves, from words.
 *
 * The sum of a window is an integer. Its product with scale_input / (scale_output * count) has 16
 * bits of fraction, and where that is far enough from a half it rounds to the integer that float32
 * comes to. In steps of 2^-16 the product is off by less than 1.5 + 2, and float32's last two
 * roundings move the result by less than 2; so little, 1 at most, does that of a result with its
 * zero point, for NN_AVERAGE_ZERO_POINT. NN_AVERAGE_EXACT has one of these roundings alone. Before
 * them, each of the other orders' additions is off by 2^-24 of the sum so far, which is 255 *
 * scale_input for each element in it at most. Divided by their number that makes, with `length` as
 * in sum_length(), less than (length + 1) * 255 / 2^8 * scale_input / scale_output. Means that are
 * not that far from a half are computed as they are defined.
 */
#include <stddef.h>
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/pool/average_float_row.h"
#include "dsp/hvx/pool/average_quarters.h"

#define LEAST_MARGIN	8u	/* in steps of 2^-16, of NN_AVERAGE_EXACT, too */
#define TABLED		192u	/* products that are computed one by one before there is a table */
#define TABLE_WORK	2048u
#define WIDE_MARGIN	0x400u	/* from which on one of a window's own elements is worth it */
#define FEW		25u	/* elements that are added up without reports */
#define LONG		16u	/* elements from which on the assembly is quicker */
#define ELEMENT_WORK	8u	/* of a sum */
#define RESULT_WORK	128u

struct average_float {
	struct requant requant;
	HVX_Vector more;		/* a half, and the margin */
	HVX_Vector ties;		/* fractions below may be ties */
	HVX_Vector zero;		/* the elements' zero points added up */
	float inverse_count;
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

uint32_t nn_average_float_margin(const struct nn_average_float_params *params)
{
	float steps = (float)(sum_length(params) + 1) * params->scale_input / params->scale_output;

	if (params->order == NN_AVERAGE_EXACT)
		return 0;
	return steps < (float)(AVERAGE_MOST_MARGIN - 8) ? (uint32_t)steps + 8 : AVERAGE_MOST_MARGIN;
}

static void set_count(struct average_float *average, const struct nn_average_float_params *params,
		      uint32_t count)
{
	average->requant = requant_scale(average_scale(params, count));
	average->inverse_count = 1.0f / (float)count;
}

/* ---- Results as they are defined ---- */

static inline __attribute__((always_inline)) float product_of(const struct float_rows *rows,
							      const struct nn_call *call,
							      uint8_t byte, bool is_tabled)
{
	const struct nn_tensor *input = &call->input[0];

	if (is_tabled)
		return rows->product[byte];
	return (float)(load_8bit(&byte, flip_of(input)) - input->zero_point) *
	       call->op->average_float.scale_input;
}

/* Part sums of NN_AVERAGE_QUARTERS; `next` is the one of the next element. */
struct quarters {
	float next, second, third, fourth;
};

/* Adds `count` elements that are `step` bytes apart to four sums by turns. */
static inline __attribute__((always_inline)) void
add_quarters(const struct float_rows *rows, const struct nn_call *call, struct quarters *sums,
	     const uint8_t *from, uint32_t step, uint32_t count, bool is_tabled)
{
	struct quarters sum = *sums;

	if (is_tabled && count >= LONG) {
		uint32_t part = count / 4;

		sum.next = add_products(sum.next, rows->product, from, 4 * step, part);
		from += step;
		sum.second = add_products(sum.second, rows->product, from, 4 * step, part);
		from += step;
		sum.third = add_products(sum.third, rows->product, from, 4 * step, part);
		from += step;
		sum.fourth = add_products(sum.fourth, rows->product, from, 4 * step, part);
		from += (4 * part - 3) * step;
		count -= 4 * part;
	}
	for (; count >= 4; count -= 4, from += 4 * step) {
		sum.next += product_of(rows, call, from[0], is_tabled);
		sum.second += product_of(rows, call, from[step], is_tabled);
		sum.third += product_of(rows, call, from[2 * step], is_tabled);
		sum.fourth += product_of(rows, call, from[3 * step], is_tabled);
	}
	for (; count; count--, from += step)
		sum = (struct quarters){ sum.second, sum.third, sum.fourth,
					 sum.next + product_of(rows, call, *from, is_tabled) };
	*sums = sum;
}

/* The sum of a window's channel in float32, as nn_average_float_sum() has it. */
static inline __attribute__((always_inline)) int
add_up(struct progress *progress, const struct float_rows *rows, const uint8_t *from,
       const struct pool_window *window, bool is_tabled, float *result)
{
	const struct nn_call *call = progress->call;
	uint32_t order = call->op->average_float.order, channels = call->input[0].dims[3];
	uint32_t pitch = call->input[0].dims[2] * channels;
	uint32_t height = window->bottom - window->top, width = window->right - window->left;
	bool in_columns = order == NN_AVERAGE_COLUMNS;
	uint32_t outer = in_columns ? width : height, inner = in_columns ? height : width;
	uint32_t outer_step = in_columns ? channels : pitch;
	uint32_t inner_step = in_columns ? pitch : channels;
	uint32_t whole = height * width / 4 * 4;
	struct quarters sums = { 0, 0, 0, 0 };
	float total = 0;

	/* Whole rows are one. */
	if (!in_columns && width == call->input[0].dims[2]) {
		inner *= outer;
		outer = 1;
	}
	for (uint32_t i = 0; i < outer; i++, from += outer_step) {
		float part = in_columns ? 0 : total;
		const uint8_t *element = from;
		int ret = progress_add(progress, 16 + inner * (ELEMENT_WORK +
							       stride_work(inner_step)));

		if (ret)
			return ret;
		if (order == NN_AVERAGE_QUARTERS) {
			uint32_t count = min_u32(inner, whole);

			add_quarters(rows, call, &sums, from, inner_step, count, is_tabled);
			whole -= count;
			element += count * inner_step;
			if (!whole && count) {
				/* As many as there are rows left, which are of the last four. */
				total = (sums.next + sums.third) + (sums.second + sums.fourth);
				part = total;
			}
			for (uint32_t k = count; k < inner; k++, element += inner_step)
				part += product_of(rows, call, *element, is_tabled);
			total = whole ? 0 : part;
			continue;
		}
		if (is_tabled && inner >= LONG)
			part = add_products(part, rows->product, element, inner_step, inner);
		else
			for (uint32_t k = 0; k < inner; k++, element += inner_step)
				part += product_of(rows, call, *element, is_tabled);
		total = in_columns ? total + part : part;
	}
	*result = total;
	return 0;
}

static __attribute__((noinline)) int add_up_tabled(struct progress *progress,
						   const struct float_rows *rows,
						   const uint8_t *from,
						   const struct pool_window *window, float *result)
{
	return add_up(progress, rows, from, window, true, result);
}

static __attribute__((noinline)) int add_up_computed(struct progress *progress,
						     const struct float_rows *rows,
						     const uint8_t *from,
						     const struct pool_window *window,
						     float *result)
{
	return add_up(progress, rows, from, window, false, result);
}

/*
 * The same of a window of few elements, all orders but NN_AVERAGE_QUARTERS: no report is due
 * before its end.
 */
static inline __attribute__((always_inline)) float
add_up_few(const struct nn_call *call, const struct float_rows *rows, const uint8_t *from,
	   const struct pool_window *window, bool is_tabled)
{
	uint32_t channels = call->input[0].dims[3], pitch = call->input[0].dims[2] * channels;
	uint32_t height = window->bottom - window->top, width = window->right - window->left;
	float total = 0;

	if (call->op->average_float.order != NN_AVERAGE_COLUMNS) {
		for (; height; height--, from += pitch) {
#pragma clang loop unroll(disable)
			for (uint32_t x = 0; x < width; x++)
				total += product_of(rows, call, from[x * channels], is_tabled);
		}
		return total;
	}
	for (; width; width--, from += channels) {
		const uint8_t *element = from + pitch;
		float part = product_of(rows, call, *from, is_tabled);

#pragma clang loop unroll(disable)
		for (uint32_t y = 1; y < height; y++, element += pitch)
			part += product_of(rows, call, *element, is_tabled);
		total += part;
	}
	return total;
}

static __attribute__((noinline)) float add_up_few_tabled(const struct nn_call *call,
							 const struct float_rows *rows,
							 const uint8_t *from,
							 const struct pool_window *window)
{
	return add_up_few(call, rows, from, window, true);
}

static __attribute__((noinline)) float add_up_few_computed(const struct nn_call *call,
							   const struct float_rows *rows,
							   const uint8_t *from,
							   const struct pool_window *window)
{
	return add_up_few(call, rows, from, window, false);
}

static __attribute__((noinline)) int make_products(struct progress *progress, struct float_rows *rows)
{
	int ret = progress_add(progress, TABLE_WORK);

	for (uint32_t i = 0; i < 256 && !ret; i++)
		rows->product[i] = product_of(rows, progress->call, i, false);
	return ret;
}

static int sum_window(struct progress *progress, struct float_rows *rows, const uint8_t *from,
		      const struct pool_window *window, float *sum)
{
	uint32_t area = (window->bottom - window->top) * (window->right - window->left);
	uint32_t order = progress->call->op->average_float.order;
	bool is_few = area <= FEW && order != NN_AVERAGE_QUARTERS;

	if (rows->computed < TABLED) {
		rows->computed += area;
		if (rows->computed < TABLED && is_few) {
			*sum = add_up_few_computed(progress->call, rows, from, window);
			return 0;
		}
		if (rows->computed < TABLED)
			return add_up_computed(progress, rows, from, window, sum);
		if (make_products(progress, rows))
			return nn_call_progress(progress->call);
	}
	if (is_few) {
		*sum = add_up_few_tabled(progress->call, rows, from, window);
		return 0;
	}
	return add_up_tabled(progress, rows, from, window, sum);
}

/* Computes channel c of a window. */
static int average_one(struct progress *progress, struct float_rows *rows, const uint8_t *image,
		       const struct pool_window *window, float inverse_count, uint32_t c,
		       uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	const struct nn_tensor *input = &call->input[0];
	uint32_t pitch = input->dims[2] * input->dims[3];
	const uint8_t *from = image + window->top * pitch + window->left * input->dims[3] + c;
	int32_t zero_point = call->output[0].zero_point, result, exact = 0;
	/* With what few elements take, each on a page of its own. */
	int ret = progress_add(progress, RESULT_WORK + FEW * (ELEMENT_WORK + NN_PAGE_WORK));
	float sum = 0;

	if (ret)
		return ret;
	if (params->order == NN_AVERAGE_EXACT) {
		for (uint32_t y = window->top; y < window->bottom; y++, from += pitch) {
			for (uint32_t x = 0; x < window->right - window->left; x++)
				exact += load_8bit(from + x * input->dims[3], flip_of(input)) -
					 input->zero_point;
		}
		result = round_float((float)exact *
				     average_scale(params, average_count(&params->window, window))) +
			 zero_point;
	} else {
		ret = sum_window(progress, rows, from, window, &sum);
		sum = divide_fused(sum, (float)average_count(&params->window, window),
				   inverse_count);
		sum = divide_fused(sum, params->scale_output, rows->inverse_scale);
		result = average_round(params, sum, zero_point);
	}
	*out = clamp_int(result, call->op->out_min, call->op->out_max);
	return ret;
}

/* ---- Windows of more than 128 elements ---- */

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

/* The last vector of scratch memory, which sums of columns leave free. */
static inline uint8_t *scratch_vector(const struct nn_call *call)
{
	return call->scratch + (call->scratch_size / VECTOR - 1) * VECTOR;
}

/*
 * Computes 128 channels of one window, or those that there are, from c on. `down` has sums of its
 * columns.
 */
static inline int average_channels(struct progress *progress, struct float_rows *rows,
				   const uint8_t *image, const struct pool_window *window,
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
	if (rows->margin >= AVERAGE_MOST_MARGIN) {
		for (uint32_t i = 0; i < bytes; i++) {
			int ret = average_one(progress, rows, image, window,
					      average->inverse_count, c + i, out + i);

			if (ret)
				return ret;
		}
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
	for (int32_t i = -1; (i = next_set(tie_bytes, i)) >= 0 && i < (int32_t)bytes;) {
		int ret = average_one(progress, rows, image, window, average->inverse_count, c + i,
				      out + i);

		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Computes up to 128 channels of a window from c on, with a margin of each. A value is off by a few
 * times 2^-24 of itself, for what float32 rounds here and in what it stands for.
 */
static int average_quarters(struct progress *progress, struct float_rows *rows,
			    const uint8_t *image, const struct pool_window *window,
			    float inverse_count, uint32_t c, uint32_t bytes, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	struct quarter_sums *sums = (struct quarter_sums *)
		(call->scratch + call->scratch_size / 2 / VECTOR * VECTOR);
	uint32_t count = average_count(&params->window, window), width = call->input[0].dims[2];
	uint32_t area = (window->bottom - window->top) * width;
	float factor = average_scale(params, count);
	int ret = nn_average_quarters(progress, image, window, c, bytes, sums);

	for (uint32_t i = 0; i < bytes && !ret; i++) {
		uint32_t word = quarter_word(i);
		int32_t sum = sums->sum[0][word] + sums->sum[1][word] + sums->sum[2][word] +
			      sums->sum[3][word];
		float value = (float)sum * factor, size = value < 0 ? -value : value;
		float margin = quarters_error(sums, i, area, width) * factor * 0x1.01p-24f;
		int32_t whole = round_float(value);
		float rest = value - (float)whole;

		margin += 0x1p-12f + size * 0x1p-20f;
		ret = progress_add(progress, RESULT_WORK);
		if (ret)
			break;
		rest = rest < 0 ? -rest : rest;
		if (size < 1024 ? rest + margin >= 0.5f : margin >= 256)
			ret = average_one(progress, rows, image, window, inverse_count, c + i,
					  out + i);
		else
			out[i] = clamp_int(whole + call->output[0].zero_point, call->op->out_min,
					   call->op->out_max);
	}
	return ret;
}

static __attribute__((noinline)) int average_large(struct progress *progress,
						   struct float_rows *rows, const uint8_t *image,
						   uint32_t y, const struct column_part *part,
						   const uint16_t *down, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	uint32_t channels = input->dims[3], last_count = 0;
	bool has_quarters = rows->margin >= WIDE_MARGIN &&
			    call->scratch_size / 2 >= sizeof(struct quarter_sums) + 2 * VECTOR;
	struct average_float average = {
		.more = splat_w(0x8000 + rows->margin),
		.ties = splat_h(2 * rows->margin),
	};

	for (uint32_t x = 0; x < part->columns; x++) {
		struct pool_window window = pool_window(call, y, part->out_x + x);
		uint32_t area = window_area(&params->window, &window);
		uint32_t count = average_count(&params->window, &window);
		int ret = progress_add(progress, 500 + column_work(call));

		if (ret)
			return ret;
		if (count != last_count)
			set_count(&average, params, count);
		last_count = count;
		average.zero = splat_w(area * (input->zero_point + flip_of(input)));
		for (uint32_t c = 0; c < channels; c += VECTOR) {
			const uint16_t *column = down + x * params->window.stride_w * channels + c;

			if (has_quarters && has_quarter_rows(call, &window))
				ret = average_quarters(progress, rows, image, &window,
						       average.inverse_count, c,
						       min_u32(channels - c, VECTOR),
						       out + x * channels + c);
			else
				ret = average_channels(progress, rows, image, &window, &average,
						       &finish, column, c, out + x * channels + c);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* ---- Groups of windows ---- */

/* Returns the number of known means of windows with `area` elements that count as `count`. */
static uint32_t know_means(struct float_rows *rows, const struct nn_call *call, uint32_t count,
			   uint32_t area)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	struct known_means *known = &rows->known;
	uint32_t i = area % KNOWN_MEANS;
	float scale;

	if (known->count[i] == count && known->area[i] == area)
		return i;
	/* Groups may have had the means that go. */
	rows->groups.columns = 0;
	known->count[i] = count;
	known->area[i] = area;
	scale = divide_quickly(params->scale_input, params->scale_output * (float)count);
	rows->inverse_count[i] = divide_quickly(1, (float)count);
	/* In 2^-32 the factor is off by less than 1, the sum by less than 2^15. */
	known->has_means[i] = scale < 1 && rows->margin < AVERAGE_MOST_MARGIN &&
			      nn_means_settle(&known->means[i], call, (uint32_t)(scale * 0x1p32f),
					      area,
					      (1u << 31) + ((uint64_t)rows->margin << 16));
	known->means[i].ties = 2 * rows->margin * 0x10001u;
	return i;
}

/* at / channels, mostly by 2^32 / channels, which is the least too much. */
static inline uint32_t pixel_of(uint32_t at, uint32_t channels, uint32_t over)
{
	if (over && (at | channels) < 1u << 16)
		return (uint64_t)at * over >> 32;
	return at / channels;
}

/* The numbers that marked results of a chunk have in common. */
struct marked {
	struct progress *progress;
	const uint8_t *image;
	const struct window_group *group;
	uint32_t out_x, first;	/* of the part; the chunk's first result */
	float count, inverse_count;
	struct pool_window window;	/* its rows */
	bool is_few;		/* elements, which there is a table for */
};

/* Computes result `at` of a group's windows as it is defined. */
static __attribute__((noinline)) int make_marked_one(struct float_rows *rows, struct marked *marked,
						     uint32_t at)
{
	const struct nn_call *call = marked->progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	const struct window_group *group = marked->group;
	struct pool_window *window = &marked->window;
	uint32_t width = call->input[0].dims[2], channels = group->windows.channels;
	uint32_t x = pixel_of(at, channels, rows->over_channels), c = at - x * channels;
	uint8_t *to = group->windows.to + at;
	float sum;
	int ret;

	x = marked->out_x + (x && group->other ? group->other : group->x + x);
	pool_window_axis(x, params->window.stride_w, params->window.pad_left,
			 params->window.kernel_w, width, &window->left, &window->right);
	if (!marked->is_few)
		return average_one(marked->progress, rows, marked->image, window,
				   marked->inverse_count, c, to);
	ret = progress_add(marked->progress,
			   RESULT_WORK + FEW * (ELEMENT_WORK + NN_PAGE_WORK));
	sum = add_up_few_tabled(call, rows,
				marked->image + (window->top * width + window->left) * channels + c,
				window);
	sum = divide_fused(sum, marked->count, marked->inverse_count);
	sum = divide_fused(sum, params->scale_output, rows->inverse_scale);
	*to = clamp_int(average_round(params, sum, call->output[0].zero_point), call->op->out_min,
			call->op->out_max);
	return ret;
}

/* Computes as they are defined those results of a chunk that have marks. */
static int make_marked(struct float_rows *rows, struct marked *marked, uint32_t count,
		       const uint8_t *marks)
{
	const struct nn_average_float_params *params = &marked->progress->call->op->average_float;
	uint32_t height = marked->window.bottom - marked->window.top;
	bool is_few = params->order != NN_AVERAGE_EXACT && params->order != NN_AVERAGE_QUARTERS &&
		      height * marked->group->columns <= FEW;

	for (int32_t i = -1; (i = next_set(marks, i)) >= 0;) {
		for (uint32_t bits = marks[i]; bits; bits &= bits - 1) {
			uint32_t bit = __builtin_ctz(bits) + i % 2 * 8;
			uint32_t at = marked_result(i / 2, bit);
			int ret;

			if (at >= count)
				continue;
			marked->is_few = is_few && rows->computed >= TABLED;
			ret = make_marked_one(rows, marked, marked->first + at);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Computes as they are defined those results of a group, `count` from `first` on, that have marks. */
static __attribute__((noinline)) int make_chunks(struct progress *progress, struct float_rows *rows,
						 const uint8_t *image, uint32_t y, uint32_t out_x,
						 const struct window_group *group, uint32_t first,
						 uint32_t count)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *params = &call->op->window;
	struct marked marked = {
		.progress = progress,
		.image = image,
		.group = group,
		.out_x = out_x,
		.count = (float)rows->known.count[group->means],
		.inverse_count = rows->inverse_count[group->means],
	};

	pool_window_axis(y, params->stride_h, params->pad_top, params->kernel_h,
			 call->input[0].dims[1], &marked.window.top, &marked.window.bottom);
	for (uint32_t k = 0; k < count; k += MEANS_CHUNK) {
		int ret;

		marked.first = first + k;
		ret = make_marked(rows, &marked, min_u32(count - k, MEANS_CHUNK),
				  rows->marks[k / MEANS_CHUNK]);
		if (ret)
			return ret;
	}
	return 0;
}

static int make_group(struct progress *progress, struct float_rows *rows, const uint8_t *image,
		      uint32_t y, uint32_t out_x, struct window_group *group, uint8_t *out)
{
	struct mean_windows *windows = &group->windows;
	uint32_t results = windows->windows * windows->channels;

	place_group(group, out);
	if (means_are_added(windows))
		nn_means_add(windows);
	for (uint32_t i = 0; i < results; i += MEANS_MOST_CHUNKS * MEANS_CHUNK) {
		uint32_t count = min_u32(results - i, MEANS_MOST_CHUNKS * MEANS_CHUNK);
		int ret = 0;

		if (nn_means_make(windows, &rows->known.means[group->means], i, count, rows->marks))
			ret = make_chunks(progress, rows, image, y, out_x, group, i, count);
		if (ret)
			return ret;
	}
	part_pair(group, out);
	return 0;
}

void nn_average_float_begin(struct float_rows *rows, const struct nn_call *call)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	uint32_t margin = nn_average_float_margin(params);

	rows->inverse_scale = 1.0f / params->scale_output;
	rows->margin = margin < LEAST_MARGIN ? LEAST_MARGIN : margin;
	rows->over_channels = UINT32_MAX / call->output[0].dims[3] + 1;
	rows->computed = 0;
	rows->groups.columns = 0;
	for (uint32_t i = 0; i < KNOWN_MEANS; i++)
		rows->known.count[i] = 0;
}

int nn_average_float_row(struct progress *progress, void *float_rows, const uint8_t *image,
			 uint32_t y, const struct column_part *part, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *params = &call->op->window;
	struct float_rows *rows = float_rows;
	struct pool_window vertical = pool_window(call, y, part->out_x);
	uint32_t height = vertical.bottom - vertical.top;
	uint16_t *down = (uint16_t *)call->scratch;
	struct window_group group;
	int ret = progress_add(progress, row_work(part, &vertical, call->input[0].dims[3]));

	if (ret)
		return ret;
	add_rows(call, image, &vertical, part, down);
	ret = progress_add(progress, part->columns * column_work(call));
	if (groups_are_kept(&rows->groups, part, height)) {
		for (uint32_t i = 0; i < rows->groups.count && !ret; i++)
			ret = make_group(progress, rows, image, y, part->out_x,
					 &rows->groups.group[i], out);
		return ret;
	}
	for (uint32_t x = 0; x < part->columns && !ret; x = group.end) {
		uint32_t area, count;

		group = group_of(call, part, x, &rows->groups.paired);
		if (!group.windows.windows)
			continue;
		area = height * group.columns;
		count = params->count_padding ? params->kernel_h * params->kernel_w : area;
		group.means = know_means(rows, call, count, area);
		if (!rows->known.has_means[group.means])
			return average_large(progress, rows, image, y, part, down, out);
		keep_group(&rows->groups, &group);
		ret = make_group(progress, rows, image, y, part->out_x, &group, out);
	}
	if (!ret)
		finish_groups(&rows->groups, part, height);
	return ret;
}
