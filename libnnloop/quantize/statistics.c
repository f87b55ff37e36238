// SPDX-License-Identifier: MIT
/* Histograms of tensors' elements (struct quantizer_statistics). */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "quantize/quantizer.h"

#define HALF (QUANTIZER_BINS / 2)
#define LEAST_EXPONENT (-140) /* below that of any float32 but 0 */

/* Makes room for elements of less than 2^exponent. */
static void grow(struct quantizer_statistics *statistics, int exponent)
{
	int shift = exponent - statistics->exponent;
	uint64_t *bins = statistics->bins;

	if (shift <= 0)
		return;
	statistics->exponent = exponent;
	if (shift > 31)
		shift = 31;
	/* Towards the middle, where bins have been emptied before. */
	for (uint32_t i = HALF; i < QUANTIZER_BINS; i++) {
		uint64_t count = bins[i];

		bins[i] = 0;
		bins[HALF + ((i - HALF) >> shift)] += count;
	}
	for (uint32_t i = HALF; i-- > 0;) {
		uint64_t count = bins[i];

		bins[i] = 0;
		bins[HALF - 1 - ((HALF - 1 - i) >> shift)] += count;
	}
}

static bool begin(struct nn_pool *pool, struct quantizer_statistics *statistics)
{
	if (statistics->bins)
		return true;
	statistics->bins = nn_pool_array(pool, QUANTIZER_BINS, sizeof(*statistics->bins));
	statistics->exponent = LEAST_EXPONENT;
	return statistics->bins;
}

#define LANES 8 /* side by side, which compilers make vectors of */

/* The least and the greatest of a tensor's elements. */
struct ends {
	float low, high;
	uint64_t zeros;
};

/* False for an element that is not finite. */
static bool find_ends(const float *values, uint64_t count, struct ends *ends)
{
	float low[LANES], high[LANES], nothing[LANES] = { 0 };
	uint32_t zeros[LANES] = { 0 };
	const uint64_t whole = count - count % LANES;

	for (int k = 0; k < LANES; k++) {
		low[k] = INFINITY;
		high[k] = -INFINITY;
	}
	for (uint64_t i = 0; i < whole; i += LANES) {
		for (int k = 0; k < LANES; k++) {
			float value = values[i + k];

			low[k] = value < low[k] ? value : low[k];
			high[k] = value > high[k] ? value : high[k];
			zeros[k] += value == 0;
			/* Not a number from the first one on that is not finite. */
			nothing[k] += value * 0;
		}
	}
	for (uint64_t i = whole; i < count; i++) {
		low[0] = values[i] < low[0] ? values[i] : low[0];
		high[0] = values[i] > high[0] ? values[i] : high[0];
		zeros[0] += values[i] == 0;
		nothing[0] += values[i] * 0;
	}
	*ends = (struct ends){ INFINITY, -INFINITY, 0 };
	for (int k = 0; k < LANES; k++) {
		if (nothing[k] != 0)
			return false;
		ends->low = fminf(ends->low, low[k]);
		ends->high = fmaxf(ends->high, high[k]);
		ends->zeros += zeros[k];
	}
	return true;
}

static uint32_t find_bin(float value, double scale)
{
	return (uint32_t)(int32_t)((double)value * scale + HALF);
}

#define TABLES 4 /* side by side: equal elements, such as zeros, do not wait for each other */

static void count_bins(struct quantizer_statistics *statistics, const float *values, uint64_t count)
{
	const double scale = ldexp(HALF, -statistics->exponent);
	uint32_t tables[TABLES][QUANTIZER_BINS];
	uint64_t whole = count - count % TABLES;

	/* Fewer would be counted sooner than the tables are added up. */
	if (count < TABLES * QUANTIZER_BINS)
		whole = 0;
	else
		memset(tables, 0, sizeof(tables));
	for (uint64_t i = 0; i < whole; i += TABLES) {
		for (int k = 0; k < TABLES; k++)
			tables[k][find_bin(values[i + k], scale)]++;
	}
	for (uint32_t i = 0; i < QUANTIZER_BINS && whole; i++) {
		for (int k = 0; k < TABLES; k++)
			statistics->bins[i] += tables[k][i];
	}
	for (uint64_t i = whole; i < count; i++)
		statistics->bins[find_bin(values[i], scale)]++;
}

#define MOST_AT_ONCE (1u << 30) /* elements that numbers of 32 bits count */

int quantizer_statistics_add(struct nn_pool *pool, struct quantizer_statistics *statistics,
			     const float *values, uint64_t count)
{
	int exponent = LEAST_EXPONENT;
	struct ends ends;

	for (; count > MOST_AT_ONCE; values += MOST_AT_ONCE, count -= MOST_AT_ONCE) {
		int err = quantizer_statistics_add(pool, statistics, values, MOST_AT_ONCE);

		if (err)
			return err;
	}
	if (!count)
		return 0;
	if (!begin(pool, statistics))
		return -ENOMEM;
	if (!find_ends(values, count, &ends))
		return -EDOM;
	if (ends.low || ends.high)
		frexp(fmax(-(double)ends.low, (double)ends.high), &exponent);
	grow(statistics, exponent);
	count_bins(statistics, values, count);
	statistics->low = statistics->count ? fminf(statistics->low, ends.low) : ends.low;
	statistics->high = statistics->count ? fmaxf(statistics->high, ends.high) : ends.high;
	statistics->count += count;
	statistics->zeros += ends.zeros;
	return 0;
}

bool quantizer_statistics_merge(struct nn_pool *pool, struct quantizer_statistics *statistics,
				const struct quantizer_statistics *others)
{
	struct quantizer_statistics other = *others;

	if (!others->count)
		return true;
	if (!begin(pool, statistics))
		return false;
	other.bins = nn_pool_copy(pool, others->bins, QUANTIZER_BINS * sizeof(*other.bins));
	if (!other.bins)
		return false;
	grow(statistics, other.exponent);
	grow(&other, statistics->exponent);
	for (uint32_t i = 0; i < QUANTIZER_BINS; i++)
		statistics->bins[i] += other.bins[i];
	statistics->low = statistics->count ? fminf(statistics->low, other.low) : other.low;
	statistics->high = statistics->count ? fmaxf(statistics->high, other.high) : other.high;
	statistics->count += other.count;
	statistics->zeros += other.zeros;
	return true;
}

bool quantizer_statistics_of(struct nn_pool *pool, const struct quantizer_tensor *tensor,
			     struct quantizer_statistics *statistics)
{
	*statistics = (struct quantizer_statistics){ 0 };
	return quantizer_statistics_merge(pool, statistics, &tensor->halves[0]) &&
	       quantizer_statistics_merge(pool, statistics, &tensor->halves[1]);
}

void quantizer_statistics_spread(const struct quantizer_statistics *statistics, uint64_t *parts,
				 uint32_t count)
{
	double width = ldexp(1.0 / HALF, statistics->exponent);
	double range = (double)statistics->high - statistics->low;

	memset(parts, 0, count * sizeof(*parts));
	for (uint32_t i = 0; i < QUANTIZER_BINS && statistics->count && count; i++) {
		double middle = ((double)i - HALF + 0.5) * width;
		double part = range > 0 ? (middle - statistics->low) / range * count : 0;

		parts[(uint32_t)fmin(fmax(part, 0), count - 1)] += statistics->bins[i];
	}
}
