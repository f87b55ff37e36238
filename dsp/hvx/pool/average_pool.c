// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL and AVERAGE_POOL_AWAY: means of windows, in integers. nn_average_pool_hvx() and
 * nn_average_pool_away_hvx() are their vector kernels, in the table of kernels.c. Windows of 2x2
 * with stride 2 and of 3x3 with stride 1 have assembly (average_2x2s2.h, average_3x3s1.h); all
 * others are added up as average.h has it, rows first:
 *
 *	image   |3 rows of a window|  ->  `down`, a row of halfwords  ->  sums of columns  ->  means
 *
 * AVERAGE_POOL_AWAY is AVERAGE_POOL with one type and zero point, which count as 0 then, and a
 * multiplier that is the least bit too great: so a tie, to which a half is added and which is
 * rounded down, is past an integer if it is above 0, and below one if it is not.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/pool/average.h"
#include "dsp/hvx/pool/average_2x2s2.h"
#include "dsp/hvx/pool/average_3x3s1.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/common/strips.h"

static bool is_away(const struct nn_call *call)
{
	return call->op->opcode == NN_OPCODE_AVERAGE_POOL_AWAY;
}

struct average {
	HVX_Vector multiplier;
	HVX_Vector zero;	/* the elements' zero points added up */
	HVX_Vector half;
	uint32_t shift;
	uint32_t count;		/* of elements: 0, or what multiplier and shift are for */
};

static inline HVX_Vector average_words(HVX_Vector sum, const struct average *average)
{
	HVX_VectorPair product;

	sum = Q6_Vw_vasl_VwR(Q6_Vw_vsub_VwVw(sum, average->zero), 6);
	product = Q6_W_vmpye_VwVuh(sum, average->multiplier);
	product = Q6_W_vmpyoacc_WVwVh(product, sum, average->multiplier);
	return Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(Q6_V_hi_W(product), average->half), average->shift);
}

/* Computes the means of 64 channels. */
static inline HVX_Vector average_channels(const uint16_t *column, uint32_t columns,
					  uint32_t channels, const struct average *average)
{
	HVX_VectorPair sum = add_columns(column, columns, channels);

	return Q6_Vh_vsat_VwVw(average_words(Q6_V_hi_W(sum), average),
			       average_words(Q6_V_lo_W(sum), average));
}

/*
 * Adds up windows, to unsigned halfwords, so of at most 257 elements, channel after channel and
 * window after window. It writes up to a vector too much.
 */
static void add_windows(uint16_t *to, const uint16_t *down, const struct nn_window_params *params,
			uint32_t windows, uint32_t channels)
{
	for (uint32_t x = 0; x < windows;
	     x++, down += params->stride_w * channels, to += channels) {
		for (uint32_t c = 0; c < channels; c += VECTOR / 2) {
			const uint16_t *column = down + c;
			HVX_Vector sum = load(column);

			for (uint32_t k = 1; k < params->kernel_w; k++) {
				column += channels;
				sum = Q6_Vh_vadd_VhVh(sum, load(column));
			}
			store(to + c, sum);
		}
	}
}

/* Computes the means of 64 sums, in the order that they have. */
static inline HVX_Vector average_halves(HVX_Vector sums, const struct average *average)
{
	HVX_VectorPair words = Q6_Wuw_vzxt_Vuh(sums);

	return Q6_Vh_vsat_VwVw(average_words(Q6_V_hi_W(words), average),
			       average_words(Q6_V_lo_W(words), average));
}

/* Computes the means of `count` sums. */
static void average_sums(uint8_t *out, const uint16_t *sums, uint32_t count,
			 const struct average *average, const struct finish *finish)
{
	for (; count >= VECTOR; count -= VECTOR, sums += VECTOR, out += VECTOR)
		store(out, finish_8bit(average_halves(load(sums), average),
				       average_halves(load(sums + VECTOR / 2), average), finish));
	if (count)
		store_bytes(out, finish_8bit(average_halves(load(sums), average),
					     average_halves(load(sums + VECTOR / 2), average),
					     finish), count);
}

/*
 * Returns multiplier / count and shift, as the operator has them, as a factor of 2^-32, or 0 if it
 * is not less than 1 or the shift leaves something out. The operator rounds down twice, with a half
 * in between, which is to round down once. Ties away from 0 have the least factor above 1 / count;
 * of the sums of MOST_ADDED elements no other is past an integer, or before one, by that.
 */
static uint32_t factor_of(const struct nn_call *call, uint32_t count)
{
	const struct nn_window_params *params = &call->op->window;
	bool is_power = !(count & (count - 1));
	uint64_t multiplier;

	if (is_away(call))
		return count > 1 ? 0xffffffff / count + 1 + is_power : 0;
	multiplier = average_multiplier(params->multiplier, count);

	if (params->shift > 38)
		return 0;
	multiplier <<= 38 - params->shift;
	return multiplier >> 32 ? 0 : multiplier;
}

#define FACTORS		4u
#define MOST_ADDED	128u	/* elements, whose sum has 15 bits */

/* Factors of a few counts, which cost a division each: they are found by the count's last bits. */
struct factors {
	uint32_t count[FACTORS], factor[FACTORS];
};

static uint32_t known_factor(struct factors *factors, const struct nn_call *call, uint32_t count)
{
	uint32_t i = count % FACTORS;

	if (factors->count[i] != count) {
		factors->count[i] = count;
		factors->factor[i] = factor_of(call, count);
	}
	return factors->factor[i];
}

/* The means of sums S, which have 15 bits: bits 32 and up of S * multiplier + base. */
struct means {
	uint32_t low, high;	/* halves of the multiplier, both twice */
	HVX_Vector base_low, base_high;
	HVX_Vector flip, min, max;	/* results are unsigned until `flip` makes them signed */
};

/* Returns false for windows or multipliers of which this cannot make the means. */
static bool settle_means(struct means *means, const struct nn_call *call, uint32_t multiplier,
			 uint32_t area)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	int32_t zero_point = input->zero_point + (input->type == NN_TYPE_INT8 ? 128 : 0);
	int32_t offset = output->type == NN_TYPE_INT8 ? 128 : 0;
	int64_t base = (1ll << 31) - (int64_t)multiplier * area * zero_point +
		       ((int64_t)(output->zero_point + offset) << 32);

	/* Products with both halves have 31 bits, that with the upper one 30. */
	if (!multiplier || area > MOST_ADDED || (uint64_t)multiplier * area * 255 >> 46)
		return false;
	means->low = (multiplier & 0xffff) * 0x10001u;
	means->high = (multiplier >> 16) * 0x10001u;
	means->base_low = splat_w(base & 0xffff);
	means->base_high = splat_w((int32_t)(base >> 16));
	means->flip = splat_b(offset);
	means->min = splat_b(call->op->out_min + offset);
	means->max = splat_b(call->op->out_max + offset);
	return true;
}

/* Computes the means of 64 sums, as halfwords. */
static inline HVX_Vector mean_halves(HVX_Vector sums, const struct means *means)
{
	HVX_VectorPair low = Q6_W_vcombine_VV(means->base_low, means->base_low);
	HVX_VectorPair high = Q6_W_vcombine_VV(means->base_high, means->base_high);

	low = Q6_Wuw_vmpyacc_WuwVuhRuh(low, sums, means->low);
	high = Q6_Wuw_vmpyacc_WuwVuhRuh(high, sums, means->high);
	return Q6_Vh_vshuffo_VhVh(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(high), Q6_V_hi_W(low), 16),
				  Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(high), Q6_V_lo_W(low), 16));
}

/* Computes 128 means of `columns` sums each, `step` halfwords from one to the next. */
static inline __attribute__((always_inline)) HVX_Vector mean_128(const uint16_t *sums,
								 uint32_t columns, uint32_t step,
								 const struct means *means)
{
	HVX_Vector low = load(sums), high = load(sums + VECTOR / 2), v;

	for (uint32_t k = 1; k < columns; k++) {
		sums += step;
		low = Q6_Vh_vadd_VhVh(low, load(sums));
		high = Q6_Vh_vadd_VhVh(high, load(sums + VECTOR / 2));
	}
	v = Q6_Vub_vpack_VhVh_sat(mean_halves(high, means), mean_halves(low, means));
	v = Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, means->min), means->max);
	return Q6_V_vxor_VV(v, means->flip);
}

static inline __attribute__((always_inline)) void mean_vectors(uint8_t *out, const uint16_t *sums,
							       uint32_t count, uint32_t columns,
							       uint32_t step,
							       const struct means *means)
{
	for (; count >= VECTOR; count -= VECTOR, sums += VECTOR, out += VECTOR)
		store(out, mean_128(sums, columns, step, means));
	if (count)
		store_bytes(out, mean_128(sums, columns, step, means), count);
}

/*
 * Computes `count` means of `columns` sums each, `step` halfwords from one to the next, one behind
 * the other.
 */
static __attribute__((noinline)) void mean_sums(uint8_t *out, const uint16_t *sums, uint32_t count,
						uint32_t columns, uint32_t step,
						const struct means *means)
{
	/* A constant number of columns leaves loops out. */
	if (columns == 1)
		mean_vectors(out, sums, count, 1, step, means);
	else if (columns == 3)
		mean_vectors(out, sums, count, 3, step, means);
	else
		mean_vectors(out, sums, count, columns, step, means);
}

/* Prepares the means of windows of `count` elements, of which `area` are not padding. */
static void settle_average(struct average *average, const struct nn_call *call, uint32_t count,
			   uint32_t area)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	int32_t zero_point = input->zero_point + (input->type == NN_TYPE_INT8 ? 128 : 0);
	uint32_t k;

	average->zero = splat_w(area * zero_point);
	if (count == average->count)
		return;
	if (!is_away(call)) {
		average->multiplier = splat_w(average_multiplier(params->multiplier, count));
		average->shift = params->shift - 32;
	} else {
		/* This k makes 2^29 < 2^k / count <= 2^30. */
		k = 61 - __builtin_clz(count);
		average->multiplier = splat_w((uint32_t)((1ull << k) / count) + 1);
		average->shift = k - 26;
	}
	average->count = count;
	average->half = splat_w(1 << (average->shift - 1));
}

/* Computes windows of at most 257 elements, those that are equally large together. */
static void average_windows(const struct nn_call *call, uint32_t y, const struct column_part *part,
			    const uint16_t *down, struct factors *factors, struct average *average,
			    uint8_t *out, const struct finish *finish)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	uint16_t *sums = (uint16_t *)(call->scratch + call->scratch_size / 2 / VECTOR * VECTOR);
	uint32_t channels = input->dims[3], end;

	for (uint32_t x = 0; x < part->columns; x = end) {
		struct pool_window window = pool_window(call, y, part->out_x + x);
		uint32_t area = (window.bottom - window.top) * (window.right - window.left);
		uint32_t count = params->count_padding ? params->kernel_h * params->kernel_w : area;
		const uint16_t *from = down + x * params->stride_w * channels;
		struct means means;
		bool has_means = settle_means(&means, call, known_factor(factors, call, count),
					      area);

		/* Windows are whole until the first one that is cut off. */
		end = x + 1;
		if (window.right - window.left == params->kernel_w) {
			end = input->dims[2] + params->pad_left - params->kernel_w;
			if (params->stride_w != 1)
				end /= params->stride_w;
			end = min_u32(end + 1 - part->out_x, part->columns);
		}
		/* With stride 1, all windows of all channels follow each other. */
		if (has_means && params->stride_w == 1) {
			mean_sums(out + x * channels, from, (end - x) * channels, params->kernel_w,
				  channels, &means);
			continue;
		}
		add_windows(sums, from, params, end - x, channels);
		if (has_means) {
			mean_sums(out + x * channels, sums, (end - x) * channels, 1, 0, &means);
			continue;
		}
		settle_average(average, call, count, area);
		average_sums(out + x * channels, sums, (end - x) * channels, average, finish);
	}
}

static int average_row(struct progress *progress, void *factors, const uint8_t *image,
		       uint32_t y, const struct column_part *part, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	uint32_t channels = input->dims[3];
	uint16_t *down = (uint16_t *)call->scratch;
	struct pool_window rows = pool_window(call, y, part->out_x);
	struct average average = { .count = 0 };
	int ret = progress_add(progress, row_work(part, &rows, channels));

	if (ret)
		return ret;
	add_rows(call, image, &rows, part, down);
	ret = progress_add(progress, part->columns * column_work(call));
	if (ret)
		return ret;
	if (params->kernel_h * params->kernel_w <= 257) {
		average_windows(call, y, part, down, factors, &average, out, &finish);
		return 0;
	}
	for (uint32_t x = 0; x < part->columns; x++) {
		struct pool_window window = pool_window(call, y, part->out_x + x);
		uint32_t area = (window.bottom - window.top) * (window.right - window.left);
		uint32_t count = params->count_padding ? params->kernel_h * params->kernel_w : area;

		settle_average(&average, call, count, area);
		for (uint32_t c = 0; c < channels; c += VECTOR) {
			const uint16_t *column = down + x * params->stride_w * channels + c;
			HVX_Vector low = average_channels(column, params->kernel_w, channels,
							  &average),
				   high = low;

			if (channels - c > 64)
				high = average_channels(column + 64, params->kernel_w, channels,
							&average);
			store_bytes(out + x * channels + c, finish_8bit(low, high, &finish),
				    min_u32(channels - c, VECTOR));
		}
	}
	return 0;
}

/* Plans windows of 2x2 with stride 2 that are not cut off. */
static bool settle_2x2s2(struct plan_2x2s2 *plan, const struct nn_call *call,
			 struct factors *factors)
{
	uint32_t multiplier = 0;

	if (call->op->window.kernel_h == 2)
		multiplier = known_factor(factors, call, 4);
	return multiplier && nn_average_2x2s2_settle_any(plan, call, multiplier);
}

/* Prepares windows of 3x3 with stride 1. */
static bool settle_3x3s1(struct plan_3x3s1 *plan, const struct nn_call *call)
{
	const struct nn_window_params *params = &call->op->window;
	uint32_t whole, cut, corner;

	if (params->kernel_h != 3 || !nn_average_is_3x3s1(call))
		return false;
	whole = factor_of(call, 9);
	cut = params->count_padding ? whole : factor_of(call, 6);
	corner = params->count_padding ? whole : factor_of(call, 4);
	if (!whole || !cut || !corner)
		return false;
	plan->whole = nn_average_loop(call, whole, 9, 1u << 31);
	plan->cut = nn_average_loop(call, cut, 6, 1u << 31);
	plan->corner = nn_average_loop(call, corner, 4, 1u << 31);
	return true;
}

/* Computes the windows of `rows` rows from y on that the assembly makes. */
static int average_2x2s2(struct progress *progress, struct plan_2x2s2 *plan, const uint8_t *image,
			 uint32_t y, uint32_t rows, uint8_t *out)
{
	for (uint32_t run = 0; run < plan->runs; run++) {
		int ret = progress_add(progress, rows * plan->work);

		if (ret)
			return ret;
		nn_average_2x2s2_run(plan, progress->call, run, image, y, rows, out);
		plan->make(&plan->loop);
	}
	if (plan->whole != plan->most)
		nn_average_2x2s2_last(plan, progress->call, image, y, out);
	return 0;
}

static int run_dense(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = average_columns(call);
	struct progress progress = { .call = call };
	uint8_t *out = output->data;
	struct factors factors = { .count = { 0 } };
	struct plan_2x2s2 plan;
	struct plan_3x3s1 lines;
	bool has_2x2s2 = settle_2x2s2(&plan, call, &factors);
	bool has_3x3s1 = settle_3x3s1(&lines, call);

	if (!columns)
		return is_away(call) ? nn_average_pool_away_portable(call) :
				       nn_average_pool_portable(call);

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		if (has_3x3s1) {
			int ret = nn_average_3x3s1_image(&progress, &lines, image, out);

			if (ret)
				return ret;
			out += output->row_bytes;
			continue;
		}
		for (uint32_t y = 0, rows; y < output->dims[1]; y += rows) {
			uint32_t first = has_2x2s2 ? average_2x2s2_row(&plan, call, y) : 0;
			int ret;

			rows = 1;
			if (first) {
				rows = average_2x2s2_rows(&plan, y);
				ret = average_2x2s2(&progress, &plan, image, y, rows, out);
				if (ret)
					return ret;
				first = plan.most;
			}
			for (uint32_t i = 0; i < rows; i++) {
				ret = average_rest(average_row, &progress, &factors, image, y + i,
						   first, columns, out);
				if (ret)
					return ret;
				out += output->dims[2] * output->dims[3];
			}
		}
	}
	return 0;
}

int nn_average_pool_hvx(const struct nn_call *call)
{
	return windows_are_dense(call) ? run_dense(call) : nn_strips_run(call, run_dense);
}

int nn_average_pool_away_hvx(const struct nn_call *call)
{
	struct nn_call stored = *call;

	stored.input[0].zero_point = stored.output[0].zero_point = 0;
	return nn_average_pool_hvx(&stored);
}
