// SPDX-License-Identifier: MIT
/*
 * Histograms of tensors' elements (struct quantizer_statistics). The ends are those of all elements; of
 * large tensors, only a sample is counted (struct quantizer_sample).
 */
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

#define LANES 4

typedef float floats __attribute__((vector_size(4 * LANES), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * LANES), may_alias));

/* The ends of a vector's lanes so far. */
struct ends {
	floats low, high;
	ints nothing; /* not 0 where an element was no number */
};

/* Elements of one vector where a mask is set, else those of another. */
static inline floats pick(ints mask, floats a, floats b)
{
	return (floats)((mask & (ints)a) | (~mask & (ints)b));
}

static inline void widen(struct ends *ends, const float *values)
{
	floats x;

	memcpy(&x, values, sizeof(x));
	ends->low = pick(x < ends->low, x, ends->low);
	ends->high = pick(x > ends->high, x, ends->high);
	ends->nothing |= x != x;
}

/* The least and the greatest element. False for one that is not finite. */
static bool find_ends(const float *values, uint64_t count, float *lowest, float *highest)
{
	struct ends ends = { { INFINITY, INFINITY, INFINITY, INFINITY },
			     { -INFINITY, -INFINITY, -INFINITY, -INFINITY }, { 0 } };
	struct ends others = ends; /* which do not wait for those */
	const uint64_t whole = count - count % (2 * LANES);

	for (uint64_t i = 0; i < whole; i += 2 * LANES) {
		widen(&ends, values + i);
		widen(&others, values + i + LANES);
	}
	for (uint64_t i = whole; i < count; i++)
		widen(&ends, (const float[LANES]){ values[i], values[i], values[i], values[i] });
	*lowest = INFINITY;
	*highest = -INFINITY;
	for (int k = 0; k < LANES; k++) {
		if (ends.nothing[k] || others.nothing[k])
			return false;
		*lowest = fminf(*lowest, fminf(ends.low[k], others.low[k]));
		*highest = fmaxf(*highest, fmaxf(ends.high[k], others.high[k]));
	}
	return *lowest > -INFINITY && *highest < INFINITY;
}

#define TABLES 4 /* side by side: equal elements, such as zeros, do not wait for each other */

static uint32_t find_bin(float value, double scale)
{
	return (uint32_t)(int32_t)((double)value * scale + HALF);
}

/* Counts the elements that a sample has; returns how many these are. */
static uint64_t count_bins(struct quantizer_statistics *statistics, const float *values,
			   struct quantizer_sample sample)
{
	const double scale = ldexp(HALF, -statistics->exponent);
	uint64_t zeros = 0;
	uint32_t tables[TABLES][QUANTIZER_BINS];

	memset(tables, 0, sizeof(tables));
	for (uint64_t r = 0; r < sample.rows; r++) {
		const float *row = values + quantizer_sample_row(sample, r) * sample.length;
		uint64_t i = 0;

		for (; i + TABLES <= sample.length; i += TABLES) {
			for (int k = 0; k < TABLES; k++) {
				tables[k][find_bin(row[i + k], scale)]++;
				zeros += row[i + k] == 0;
			}
		}
		for (; i < sample.length; i++) {
			tables[0][find_bin(row[i], scale)]++;
			zeros += row[i] == 0;
		}
	}
	for (uint32_t i = 0; i < QUANTIZER_BINS; i++) {
		uint64_t sum = 0;

		for (int k = 0; k < TABLES; k++)
			sum += tables[k][i];
		statistics->bins[i] += sum * sample.step;
	}
	statistics->zeros += zeros * sample.step;
	return sample.rows * sample.length * sample.step;
}

bool quantizer_statistics_begin(struct nn_pool *pool, struct quantizer_statistics *statistics)
{
	if (statistics->bins)
		return true;
	statistics->bins = nn_pool_array(pool, QUANTIZER_BINS, sizeof(*statistics->bins));
	statistics->exponent = LEAST_EXPONENT;
	return statistics->bins;
}

int quantizer_statistics_add(struct quantizer_statistics *statistics, const float *values,
			     uint64_t count, struct quantizer_sample sample)
{
	int exponent = LEAST_EXPONENT;
	float low, high;

	if (!count)
		return 0;
	if (!find_ends(values, count, &low, &high))
		return -EDOM;
	if (low || high)
		frexp(fmax(-(double)low, (double)high), &exponent);
	grow(statistics, exponent);
	statistics->low = statistics->count ? fminf(statistics->low, low) : low;
	statistics->high = statistics->count ? fmaxf(statistics->high, high) : high;
	statistics->count += count_bins(statistics, values, sample);
	return 0;
}

bool quantizer_statistics_merge(struct nn_pool *pool, struct quantizer_statistics *statistics,
				const struct quantizer_statistics *others)
{
	struct quantizer_statistics other = *others;

	if (!others->count)
		return true;
	if (!quantizer_statistics_begin(pool, statistics))
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
