// SPDX-License-Identifier: MIT
/*
 * Ranges of histograms, by several methods, and what they make of scales and zero points. A range
 * has 0 in it, so that padding and what a clamp makes are exact.
 */
#include <math.h>
#include <string.h>

#include "quantize/quantizer.h"

#define STEPS 255 /* between the integers of 8 bits, whose ranges are narrowed */
#define HALF (QUANTIZER_BINS / 2)
#define PERCENTILE 1e-4 /* of elements on each side that may be outside */
#define TRIES 48 /* widths that are tried on each side, */
#define NARROWEST 0.1 /* down to that part of all that occurred */

struct range {
	double low, high;
};

/* The real value in the middle of a bin; d: the distance of neighbours. */
static double middle(uint32_t bin, double d)
{
	return ((double)bin - HALF + 0.5) * d;
}

static double bin_width(const struct quantizer_statistics *statistics)
{
	return ldexp(1.0 / HALF, statistics->exponent);
}

/* ---- Percentile ---- */

static struct range find_percentile(const struct quantizer_statistics *statistics, struct range all)
{
	double width = bin_width(statistics), most = statistics->count * PERCENTILE, outside = 0;
	uint32_t low = 0, high = QUANTIZER_BINS;

	while (low < HALF && outside + statistics->bins[low] <= most)
		outside += statistics->bins[low++];
	outside = 0;
	while (high > HALF && outside + statistics->bins[high - 1] <= most)
		outside += statistics->bins[--high];
	return (struct range){ fmax(all.low, ((double)low - HALF) * width),
			       fmin(all.high, ((double)high - HALF) * width) };
}

/* ---- Squared error ---- */

/* Sums over all bins below one: of elements, of their values and of these squared. */
struct sums {
	double count[QUANTIZER_BINS + 1], first[QUANTIZER_BINS + 1], second[QUANTIZER_BINS + 1];
};

static void add_up(const struct quantizer_statistics *statistics, struct sums *sums)
{
	double width = bin_width(statistics);

	sums->count[0] = sums->first[0] = sums->second[0] = 0;
	for (uint32_t i = 0; i < QUANTIZER_BINS; i++) {
		double count = statistics->bins[i], value = middle(i, width);

		sums->count[i + 1] = sums->count[i] + count;
		sums->first[i + 1] = sums->first[i] + count * value;
		sums->second[i + 1] = sums->second[i] + count * value * value;
	}
}

/* The bin that begins at a value, or behind it. */
static uint32_t bin_at(double value, double width)
{
	double bin = value / width + HALF;

	return bin <= 0 ? 0 : bin >= QUANTIZER_BINS ? QUANTIZER_BINS : (uint32_t)ceil(bin);
}

/* Sum of (x - edge)^2 over bins from and below to. */
static double distances(const struct sums *sums, uint32_t from, uint32_t to, double edge)
{
	double count = sums->count[to] - sums->count[from], first = sums->first[to] - sums->first[from];
	double second = sums->second[to] - sums->second[from];

	return fmax(0, second - 2 * edge * first + edge * edge * count);
}

static double squared_error(const struct quantizer_statistics *statistics, const struct sums *sums,
			    struct range range)
{
	double width = bin_width(statistics), step = (range.high - range.low) / STEPS;
	uint32_t low = bin_at(range.low, width), high = bin_at(range.high, width);
	double inside = sums->count[high] - sums->count[low] - statistics->zeros;

	return distances(sums, 0, low, range.low) + distances(sums, high, QUANTIZER_BINS, range.high) +
	       fmax(0, inside) * step * step / 12;
}

static double part(int try)
{
	return 1 - (1 - NARROWEST) * try / TRIES;
}

static struct range find_least_error(const struct quantizer_statistics *statistics, struct range all)
{
	struct range best = all;
	static const struct sums none;
	struct sums sums = none;
	double least;

	add_up(statistics, &sums);
	least = squared_error(statistics, &sums, all);
	for (int i = 0; i < TRIES; i++) {
		for (int k = 0; k < TRIES; k++) {
			struct range range = { all.low * part(i), all.high * part(k) };
			double error;

			/* A side without elements has nothing to be narrowed. */
			if ((i && !all.low) || (k && !all.high))
				continue;
			error = squared_error(statistics, &sums, range);
			if (error < least) {
				least = error;
				best = range;
			}
		}
	}
	return best;
}

/* ---- Entropy ---- */

/* How much the distribution of a range, rounded, says less than that of all elements. */
static double divergence(const struct quantizer_statistics *statistics, struct range range)
{
	double width = bin_width(statistics), step = (range.high - range.low) / STEPS, sum = 0;
	uint32_t low = bin_at(range.low, width), high = bin_at(range.high, width);
	double below = 0, above = 0, total = statistics->count;

	if (high <= low + 1)
		return INFINITY;
	for (uint32_t i = 0; i < low; i++)
		below += statistics->bins[i];
	for (uint32_t i = high; i < QUANTIZER_BINS; i++)
		above += statistics->bins[i];
	for (uint32_t i = low; i < high;) {
		double of_step = 0, seen = 0, used = 0;
		uint32_t end = i;
		double level = rint((middle(i, width) - range.low) / step);

		while (end < high && rint((middle(end, width) - range.low) / step) == level) {
			of_step += statistics->bins[end];
			used += statistics->bins[end] > 0;
			end++;
		}
		for (; i < end; i++) {
			seen = statistics->bins[i];
			if (!seen)
				continue;
			if (i == low)
				seen += below;
			if (i + 1 == high)
				seen += above;
			sum += seen / total * log(seen / total / (of_step / used / total));
		}
	}
	/* Edges where nothing was, and outliers are now. */
	if (!statistics->bins[low])
		sum += below / total * 8;
	if (!statistics->bins[high - 1])
		sum += above / total * 8;
	return sum;
}

static struct range find_entropy(const struct quantizer_statistics *statistics, struct range all)
{
	double least = INFINITY;
	struct range best = all;

	for (int i = 0; i < TRIES; i++) {
		struct range range = { all.low * part(i), all.high * part(i) };
		double here = divergence(statistics, range);

		if (here < least) {
			least = here;
			best = range;
		}
	}
	return best;
}

/* ---- All of them ---- */

void quantizer_range(const struct quantizer_statistics *statistics, uint32_t method, float *low,
		     float *high)
{
	struct range all = { fmin(0, statistics->low), fmax(0, statistics->high) }, range = all;

	if (statistics->count && all.low < all.high) {
		if (method == NN_QUANTIZE_PERCENTILE)
			range = find_percentile(statistics, all);
		else if (method == NN_QUANTIZE_ENTROPY)
			range = find_entropy(statistics, all);
		else if (method == NN_QUANTIZE_SQUARED_ERROR)
			range = find_least_error(statistics, all);
	}
	if (range.low >= range.high)
		range = all;
	*low = range.low;
	*high = range.high;
}

static void set_steps(const struct nn_quantizer *quantizer, struct quantizer_tensor *tensor,
		      const struct quantizer_statistics *statistics, bool is_wide)
{
	struct quantizer_steps *steps = &tensor->steps[is_wide];
	int32_t count = quantizer_step_count(is_wide);
	float low, high;

	/* Steps of 16 bits are so small that nothing need be cut off for smaller ones. */
	quantizer_range(statistics, is_wide ? NN_QUANTIZE_MIN_MAX : tensor->method, &low, &high);
	steps->scale = (float)(((double)high - low) / count);
	/* Smaller ones have fewer digits, and products of them none. */
	if (!(steps->scale >= 0x1p-60f))
		steps->scale = 1;
	steps->zero_point = quantizer_least(quantizer, is_wide) +
			    (int32_t)fmin(fmax(rint(-(double)low / steps->scale), 0), count);
}

int quantizer_set_scales(struct nn_quantizer *quantizer)
{
	struct quantizer_statistics *all =
		nn_pool_array(&quantizer->pool, quantizer->tensor_count + 1, sizeof(*all));
	struct nn_pool_mark mark = nn_pool_get_mark(&quantizer->pool);
	bool good = all;

	for (uint32_t i = 0; i < quantizer->tensor_count && good; i++) {
		const struct quantizer_tensor *tensor = &quantizer->tensors[i];
		struct quantizer_statistics *group =
			&all[quantizer_group(quantizer, i) - quantizer->tensors];

		for (uint32_t half = 0; half < 2 && tensor->is_quantized && good; half++) {
			if (half + 1 != quantizer->left_out)
				good = quantizer_statistics_merge(&quantizer->pool, group,
								  &tensor->halves[half]);
		}
	}
	for (uint32_t i = 0; i < quantizer->tensor_count && good; i++) {
		if (quantizer->tensors[i].group != i || !all[i].count)
			continue;
		set_steps(quantizer, &quantizer->tensors[i], &all[i], false);
		set_steps(quantizer, &quantizer->tensors[i], &all[i], true);
	}
	nn_pool_rewind(&quantizer->pool, mark);
	return good ? 0 : quantizer_no_memory(quantizer);
}
