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

int quantizer_statistics_add(struct nn_pool *pool, struct quantizer_statistics *statistics,
			     const float *values, uint64_t count)
{
	float low = INFINITY, high = -INFINITY;
	int exponent = LEAST_EXPONENT;
	uint64_t zeros = 0;
	double scale;

	if (!count)
		return 0;
	if (!begin(pool, statistics))
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			return -EDOM;
		low = fminf(low, values[i]);
		high = fmaxf(high, values[i]);
		zeros += values[i] == 0;
	}
	if (low || high)
		frexp(fmax(-(double)low, (double)high), &exponent);
	grow(statistics, exponent);
	scale = ldexp(HALF, -statistics->exponent);
	for (uint64_t i = 0; i < count; i++)
		statistics->bins[(uint32_t)((double)values[i] * scale + HALF)]++;
	statistics->low = statistics->count ? fminf(statistics->low, low) : low;
	statistics->high = statistics->count ? fmaxf(statistics->high, high) : high;
	statistics->count += count;
	statistics->zeros += zeros;
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
