// SPDX-License-Identifier: MIT
/*
 * One tensor beside another runtime's array: how many elements differ, by how many steps, and
 * whether that is because a number lies where rounding turns.
 *
 * Integers are compared as they are; nnloop keeps uint16 as int16, 2^15 less, in the middle of a
 * graph. Real numbers are compared in steps of the tensor's scale, as far as the tensor's type
 * reaches: a runtime that gives what integers stand for need not quantize it again, nor one that
 * gives what it rounds later. What it rounds can be beside the integers that it made of it: then
 * the integers are compared, and the real numbers say how near to half a step they came from.
 *
 * In the middle of a graph nnloop has images' channels last, and dimensions of one that the file
 * has not. So the array's dimensions may be in another order, and dimensions of one may be missing:
 * of the orders that its shape allows the one with the fewest differences counts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"

#define MAX_TURNED	5	/* dimensions, to be tried in all orders */

/* Which element of the tensor belongs to an element of the array. */
struct order {
	uint32_t rank;
	uint64_t dims[NN_MAX_RANK];	/* the array's, without those of one */
	uint64_t strides[NN_MAX_RANK];	/* the tensor's, of the same dimensions */
};

static double array_element(const struct npy *npy, uint64_t i)
{
	float real;
	int64_t whole = 0;
	uint16_t half;

	switch (npy->type) {
	case NN_FLOAT32:
		memcpy(&real, npy->data + 4 * i, sizeof(real));
		return real;
	case NN_UINT8:
	case NN_BOOL:
		return npy->data[i];
	case NN_INT8:
		return (int8_t)npy->data[i];
	case NN_UINT16:
	case NN_INT16:
		memcpy(&half, npy->data + 2 * i, sizeof(half));
		return npy->type == NN_INT16 ? (int16_t)half : half;
	case NN_INT32:
	case NN_UINT32:
		memcpy(&whole, npy->data + 4 * i, 4);
		return npy->type == NN_INT32 ? (double)(int32_t)whole : (double)(uint32_t)whole;
	default:
		memcpy(&whole, npy->data + 8 * i, sizeof(whole));
		return npy->type == NN_UINT64 ? (double)(uint64_t)whole : (double)whole;
	}
}

/* ---- Elements ---- */

/* A real number as it would be stored, if it did not have to be rounded. */
static double store(const struct nn_tensor_info *info, double real)
{
	double stored = real / (double)info->scale + info->zero_point;

	switch (info->type) {
	case NN_INT8:
		return fmin(fmax(stored, INT8_MIN), INT8_MAX);
	case NN_UINT8:
		return fmin(fmax(stored, 0), UINT8_MAX);
	case NN_INT16:
		return fmin(fmax(stored, INT16_MIN), INT16_MAX);
	case NN_UINT16:
		return fmin(fmax(stored, 0), UINT16_MAX);
	default:
		return stored;
	}
}

/* The array's integers are greater by so much than the tensor's that stand for the same. */
static double find_shift(const struct output *output, const struct npy *npy)
{
	if (npy->type == NN_UINT16 && output->info.type == NN_INT16)
		return -(double)INT16_MIN;
	return npy->type == NN_INT16 && output->info.type == NN_UINT16 ? INT16_MIN : 0;
}

/* How far a number is from the middle between two steps. */
static double find_from_half(double stored)
{
	return fabs(stored - floor(stored) - 0.5);
}

static void measure_element(const struct output *output, bool is_quantized, double here,
			    double there, const struct npy *real, uint64_t i, uint32_t within,
			    struct difference *difference)
{
	double stored, steps;

	if (isnan(here) && isnan(there))
		return;
	stored = is_quantized && !isnan(there) ? store(&output->info, there) : there;
	steps = fabs(here - stored);
	/* What is nearer to this step than to another is this step. */
	if (is_quantized)
		steps = rint(steps);
	if (steps <= within)
		return;
	if (!difference->count++) {
		difference->first = i;
		difference->here = is_quantized ? (double)output_real_element(output, difference->at)
						: here;
		difference->there = there;
	}
	if (!(steps <= difference->most))
		difference->most = steps;
	if (real)
		stored = store(&output->info, array_element(real, i));
	if (is_quantized || real)
		difference->from_half = fmax(difference->from_half, find_from_half(stored));
}

static struct difference measure(const struct output *output, const struct npy *npy,
				 const struct npy *real, const struct order *order, uint32_t within)
{
	bool is_real = npy->type == NN_FLOAT32 || output->info.type == NN_FLOAT32;
	bool is_quantized = is_real && output->info.scale && output->info.type != NN_FLOAT32;
	double shift = find_shift(output, npy);
	struct difference difference = { .from_half = is_quantized || real ? 0 : 1 };
	uint64_t index[NN_MAX_RANK] = { 0 };

	for (uint64_t i = 0, at = 0; i < npy->count; i++) {
		double here = output->info.type == NN_FLOAT32 || (is_real && !is_quantized) ?
				      (double)output_real_element(output, at) :
				      output_element(output, at) + shift;

		difference.at = difference.count ? difference.at : at;
		measure_element(output, is_quantized, here, array_element(npy, i), real, i,
				within, &difference);
		for (uint32_t k = order->rank; k-- > 0;) {
			at += order->strides[k];
			if (++index[k] < order->dims[k])
				break;
			at -= order->strides[k] * index[k];
			index[k] = 0;
		}
	}
	return difference;
}

/* ---- Orders of dimensions ---- */

/* The dimensions that are not one; of none one. */
static uint32_t drop_ones(const uint64_t *from, uint32_t rank, uint64_t *to)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < rank; k++) {
		if (from[k] != 1)
			to[count++] = from[k];
	}
	return count;
}

/* The next order of 0 to rank - 1 behind this one, or false. */
static bool next_order(uint32_t *perm, uint32_t rank)
{
	uint32_t i = rank, j = rank;

	while (i-- > 1 && perm[i - 1] > perm[i])
		;
	if (i + 1 < 2)
		return false;
	while (perm[--j] < perm[i - 1])
		;
	for (uint32_t swap = perm[j], k = 0; !k; k++) {
		perm[j] = perm[i - 1];
		perm[i - 1] = swap;
	}
	for (j = rank; i + 1 < j; i++) {
		uint32_t swap = perm[i];

		perm[i] = perm[--j];
		perm[j] = swap;
	}
	return true;
}

static bool fits(const uint64_t *here, const uint64_t *there, const uint32_t *perm, uint32_t rank)
{
	for (uint32_t k = 0; k < rank; k++) {
		if (there[k] != here[perm[k]])
			return false;
	}
	return true;
}

bool compare_arrays(const struct output *output, const struct npy *npy, const struct npy *real,
		    uint32_t within, struct difference *difference)
{
	uint64_t dims[NN_MAX_RANK], here[NN_MAX_RANK], there[NN_MAX_RANK];
	uint64_t strides[NN_MAX_RANK + 1] = { 0 };
	uint32_t perm[NN_MAX_RANK], rank, there_rank;
	struct order order = { .rank = 1, .dims = { npy->count }, .strides = { 1 } };
	struct difference other;
	bool is_found = false;

	if (npy->count != output->rows * output->row_elements)
		return false;
	for (uint32_t k = 0; k < output->info.rank; k++)
		dims[k] = k ? output->info.dims[k] : output->rows;
	rank = drop_ones(dims, output->info.rank, here);
	there_rank = drop_ones(npy->dims, npy->rank, there);
	strides[rank] = 1;
	for (uint32_t k = rank; k-- > 0;) {
		strides[k] = k + 1 < rank ? strides[k + 1] * here[k + 1] : 1;
		perm[k] = k;
	}
	if (rank && rank == there_rank && rank <= MAX_TURNED) {
		do {
			if (!fits(here, there, perm, rank))
				continue;
			order.rank = rank;
			for (uint32_t k = 0; k < rank; k++) {
				order.dims[k] = there[k];
				order.strides[k] = strides[perm[k]];
			}
			other = measure(output, npy, real, &order, within);
			if (!is_found || other.count < difference->count)
				*difference = other;
			is_found = true;
		} while ((!is_found || difference->count) && next_order(perm, rank));
	}
	/* A reshape puts no element elsewhere. */
	if (!is_found)
		*difference = measure(output, npy, real,
				      &(struct order){ .rank = 1, .dims = { npy->count },
						       .strides = { 1 } }, within);
	return true;
}
