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
#include <stddef.h>
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
 * Returns multiplier / count and shift, as the operator has them, as a factor of 2^-32, or 0 if it
 * is not less than 1 or the shift leaves something out. The operator rounds down twice, with a half
 * in between, which is to round down once. Ties away from 0 have the least factor above 1 / count;
 * of the sums of MEANS_MOST elements no other is past an integer, or before one, by that.
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

/* The numbers that rows of a call have in common. */
struct common {
	struct factors factors;
	struct known_means known;
	struct window_groups groups;
};

/* Returns the number of known means of windows with `area` elements that count as `count`. */
static uint32_t know_means(struct common *common, const struct nn_call *call, uint32_t count,
			   uint32_t area)
{
	struct known_means *known = &common->known;
	uint32_t i = area % KNOWN_MEANS;

	if (known->count[i] != count || known->area[i] != area) {
		/* Groups may have had the means that go. */
		common->groups.columns = 0;
		known->count[i] = count;
		known->area[i] = area;
		known->has_means[i] =
			nn_means_settle(&known->means[i], call,
					known_factor(&common->factors, call, count), area,
					1u << 31);
	}
	return i;
}

/* Computes the means of one window, by words. */
static void average_window(const struct nn_call *call, const struct average *average,
			   const struct finish *finish, const uint16_t *down, uint8_t *out)
{
	const struct nn_window_params *params = &call->op->window;
	uint32_t channels = call->input[0].dims[3];

	for (uint32_t c = 0; c < channels; c += VECTOR) {
		HVX_Vector low = average_channels(down + c, params->kernel_w, channels, average),
			   high = low;

		if (channels - c > 64)
			high = average_channels(down + c + 64, params->kernel_w, channels, average);
		store_bytes(out + c, finish_8bit(low, high, finish),
			    min_u32(channels - c, VECTOR));
	}
}

static void make_group(struct window_group *group, const struct means *means, uint8_t *out)
{
	struct mean_windows *windows = &group->windows;
	uint32_t results = windows->windows * windows->channels;

	place_group(group, out);
	if (means_are_added(windows))
		nn_means_add(windows);
	for (uint32_t i = 0; i < results; i += MEANS_MOST_CHUNKS * MEANS_CHUNK)
		nn_means_make(windows, means, i,
			      min_u32(results - i, MEANS_MOST_CHUNKS * MEANS_CHUNK), NULL);
	part_pair(group, out);
}

/* Computes windows that are equally large together, where they are few elements. */
static void average_windows(const struct nn_call *call, uint32_t height,
			    const struct column_part *part, const uint16_t *down,
			    struct common *common, uint8_t *out)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *output = &call->output[0];
	uint32_t channels = output->dims[3];
	struct average average = { .count = 0 };
	struct window_group group;

	if (groups_are_kept(&common->groups, part, height)) {
		for (uint32_t i = 0; i < common->groups.count; i++)
			make_group(&common->groups.group[i],
				   &common->known.means[common->groups.group[i].means], out);
		return;
	}
	for (uint32_t x = 0; x < part->columns; x = group.end) {
		struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
						 call->op->out_min, call->op->out_max);
		uint32_t area, count;

		group = group_of(call, part, x, &common->groups.paired);
		if (!group.windows.windows)
			continue;
		area = height * group.columns;
		count = params->count_padding ? params->kernel_h * params->kernel_w : area;
		group.means = know_means(common, call, count, area);
		if (common->known.has_means[group.means]) {
			keep_group(&common->groups, &group);
			make_group(&group, &common->known.means[group.means], out);
			continue;
		}
		/* A row with such windows has no groups that are kept. */
		common->groups.columns = 0;
		common->groups.count = MOST_GROUPS + 1;
		settle_average(&average, call, count, area);
		for (uint32_t k = x; k < group.end; k++)
			average_window(call, &average, &finish,
				       down + k * params->stride_w * channels, out + k * channels);
		if (group.other)
			average_window(call, &average, &finish,
				       down + group.other * params->stride_w * channels,
				       out + group.other * channels);
	}
	finish_groups(&common->groups, part, height);
}

static int average_row(struct progress *progress, void *common, const uint8_t *image,
		       uint32_t y, const struct column_part *part, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	struct pool_window rows = pool_window(call, y, part->out_x);
	uint16_t *down = (uint16_t *)call->scratch;
	int ret = progress_add(progress, row_work(part, &rows, call->input[0].dims[3]));

	if (ret)
		return ret;
	add_rows(call, image, &rows, part, down);
	ret = progress_add(progress, part->columns * column_work(call));
	if (!ret)
		average_windows(call, rows.bottom - rows.top, part, down, common, out);
	return ret;
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

static int run_dense(const struct nn_call *stated)
{
	struct laid_down down;
	const struct nn_call *call = lay_down(stated, &down);
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = average_columns(call);
	struct progress progress = { .call = call };
	uint8_t *out = output->data;
	struct common common;
	struct plan_2x2s2 plan;
	struct plan_3x3s1 lines;
	bool has_2x2s2, has_3x3s1 = settle_3x3s1(&lines, call);

	for (uint32_t i = 0; i < FACTORS; i++)
		common.factors.count[i] = 0;
	for (uint32_t i = 0; i < KNOWN_MEANS; i++)
		common.known.count[i] = 0;
	common.groups.columns = 0;
	has_2x2s2 = settle_2x2s2(&plan, call, &common.factors);

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
				ret = average_rest(average_row, &progress, &common, image, y + i,
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
