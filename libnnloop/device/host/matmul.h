/* SPDX-License-Identifier: MIT */
/*
 * MATMUL on the host: rows of the left matrix and 32 columns of the right one are laid out as
 * float32, less their zero points, and multiplied (products.h).
 */
#ifndef NN_HOST_MATMUL_H
#define NN_HOST_MATMUL_H

#include <string.h>

#include "dsp/kernels/matmul.h"
#include "dsp/program/fixed.h"
#include "kernels.h"
#include "products.h"

#define MOST_ROWS	96u	/* of a unit, a multiple of PIXELS */

_Static_assert(MOST_ROWS % PIXELS == 0, "tiles end with a unit");

/* The layout of scratch memory. */
struct matmul_room {
	float columns[EXACT * BLOCK];
	float rows[MOST_ROWS * EXACT];
	uint32_t sums[MOST_ROWS * BLOCK];
};

_Static_assert(sizeof(struct matmul_room) <= NN_SCRATCH_SIZE, "there is that much");

struct matmul {
	const struct nn_call *call;
	struct matmul_room *room;
	struct matmul_side a, b;
	uint32_t groups;	/* of at most MOST_ROWS of a's rows, each a unit, of each pair */
};

static struct matmul find_matmul(const struct nn_call *call)
{
	struct matmul layer = {
		.call = call,
		.room = (struct matmul_room *)call->scratch,
		.a = matmul_left(call),
		.b = matmul_right(call),
	};

	layer.groups = (layer.a.outer + MOST_ROWS - 1) / MOST_ROWS;
	return layer;
}

/* Where the matrix of pair `number` begins. */
static const uint8_t *find_matrix(const struct nn_tensor *output, const struct matmul_side *side,
				  uint64_t number)
{
	const uint8_t *matrix = side->tensor->data;

	for (uint32_t d = output->rank - 2; d-- > 0; number /= output->dims[d])
		matrix += number % output->dims[d] * side->steps[d];
	return matrix;
}

/* Positions k, k + 1, ... of `count` rows or columns, from the first of them on. */
static void load_rows(float *to, const struct matmul_side *side, const uint8_t *from,
		      uint32_t length, uint32_t count)
{
	const int32_t flip = side->flip, zero = side->zero;

	for (uint32_t i = 0; i < count; i++, from += side->outer_step, to += length) {
		const uint8_t *place = from;

		if (side->inner_step == 1) {
			for (uint32_t k = 0; k < length; k++)
				to[k] = (float)(load_8bit(&place[k], flip) - zero);
			continue;
		}
		for (uint32_t k = 0; k < length; k++, place += side->inner_step)
			to[k] = (float)(load_8bit(place, flip) - zero);
	}
	memset(to, 0, (round_up(count, PIXELS) - count) * length * sizeof(*to));
}

static void load_columns(float *to, const struct matmul_side *side, const uint8_t *from,
			 uint32_t length, uint32_t count)
{
	const int32_t flip = side->flip, zero = side->zero;

	for (uint32_t k = 0; k < length; k++, from += side->inner_step, to += BLOCK) {
		const uint8_t *place = from;

		if (side->outer_step == 1 && count == BLOCK) {
			for (uint32_t i = 0; i < BLOCK; i++)
				to[i] = (float)(load_8bit(&place[i], flip) - zero);
			continue;
		}
		for (uint32_t i = 0; i < count; i++, place += side->outer_step)
			to[i] = (float)(load_8bit(place, flip) - zero);
		for (uint32_t i = count; i < BLOCK; i++)
			to[i] = 0;
	}
}

/* The first `count` results of a line of BLOCK sums, to element `at` of the output. */
static void store_products(const struct nn_call *call, uint64_t at, const uint32_t *sums,
			   uint32_t count)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	const struct nn_tensor *output = &call->output[0];
	const int32_t low = call->op->out_min, high = call->op->out_max;
	const int32_t zero = output->zero_point;
	uint8_t line[BLOCK];

	if (params->form == NN_MATMUL_SUM) {
		memcpy(output->data + 4 * at, sums, 4 * count);
		return;
	}
	if (params->form == NN_MATMUL_FLOAT) {
		const float scale = params->scale;

		for (uint32_t i = 0; i < BLOCK; i++)
			line[i] = clamp_int(requant((int32_t)sums[i], scale, zero), low, high);
	} else {
		const struct nn_fixed by = params->by;

		for (uint32_t i = 0; i < count; i++)
			line[i] = clamp_int(cut_int(nn_fixed_multiply((int32_t)sums[i], by)) +
						    zero, low, high);
	}
	memcpy(output->data + at, line, count);
}

/* Columns p .. p + columns - 1 of `rows` rows of a pair; is_laid_out: the rows are. */
static int sum_columns(const struct matmul *layer, const uint8_t *a, const uint8_t *b,
		       uint32_t rows, uint32_t columns, bool is_laid_out)
{
	struct matmul_room *room = layer->room;

	memset(room->sums, 0, round_up(rows, PIXELS) * BLOCK * sizeof(*room->sums));
	for (uint32_t k = 0; k < layer->a.inner; k += EXACT) {
		uint32_t length = min_u32(layer->a.inner - k, EXACT);
		int ret = nn_call_progress(layer->call);

		if (ret)
			return ret;
		if (!is_laid_out)
			load_rows(room->rows, &layer->a, a + k * layer->a.inner_step, length,
				  rows);
		load_columns(room->columns, &layer->b, b + k * layer->b.inner_step, length,
			     columns);
		multiply_block(room->sums, room->rows, length, room->columns, length, rows,
			       columns);
	}
	return 0;
}

/* Rows m, m + 1, ... of pair `number`. */
static int multiply_rows(const struct matmul *layer, uint64_t number, uint32_t m)
{
	const struct nn_tensor *output = &layer->call->output[0];
	const uint8_t *a = find_matrix(output, &layer->a, number) + m * layer->a.outer_step;
	const uint8_t *b = find_matrix(output, &layer->b, number);
	uint32_t rows = min_u32(layer->a.outer - m, MOST_ROWS), width = layer->b.outer;

	for (uint32_t p = 0; p < width; p += BLOCK) {
		uint32_t columns = min_u32(width - p, BLOCK);
		uint64_t at = (number * layer->a.outer + m) * width + p;
		int ret = sum_columns(layer, a, b + p * layer->b.outer_step, rows, columns,
				      p && layer->a.inner <= EXACT);

		if (ret)
			return ret;
		for (uint32_t i = 0; i < rows; i++, at += width)
			store_products(layer->call, at, &layer->room->sums[i * BLOCK], columns);
	}
	return 0;
}

static uint32_t matmul_units(const struct nn_call *call)
{
	const struct matmul layer = find_matmul(call);
	const struct nn_tensor *output = &call->output[0];
	uint32_t units = layer.groups;

	for (uint32_t d = 0; d + 2 < output->rank; d++)
		units *= output->dims[d];
	return units;
}

static int matmul(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct matmul layer = find_matmul(call);

	for (; begin < end; begin++) {
		int ret = multiply_rows(&layer, begin / layer.groups,
					begin % layer.groups * MOST_ROWS);

		if (ret)
			return ret;
	}
	return 0;
}

#endif
