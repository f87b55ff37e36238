// SPDX-License-Identifier: MIT
/*
 * Transposes 33 to 63 rows of bytes, 128 columns at a time, for transpose.c.
 *
 *	49 rows of input       |a0 a1 .. a127|	->	64 bytes a row in scratch memory:
 *	                       |b0 b1 .. b127|		|a0 b0 .. (49 bytes, then 15 of any kind)|
 *	output, side by side   |a0 b0 .. (49 bytes) a1 b1 .. (49 bytes)|
 *
 * The rows move as 64, in two times three steps like those of transpose_tile.c: of eight rows at a
 * distance of eight, and then of eight vectors that these steps made. Rows behind the last one are
 * not loaded. Then the output's rows are at a distance of 64 bytes, and two of them are brought
 * together and stored at once.
 *
 * 49 rows take 145 packets, 117 and 130 for 128 columns, which are 49 vectors: 8 for each.
 */
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/move/transpose_under64.h"

#define GROUPS	8u

void nn_transpose_under64_settle(struct transpose_under64 *few, const struct matrix *matrix)
{
	static void (*const make[])(const struct transpose_groups *) = {
		nn_transpose_load_4, nn_transpose_load_5, nn_transpose_load_6, nn_transpose_load_7,
		nn_transpose_load_8,
	};
	uint32_t pitch = matrix->from_pitch, vectors = matrix->rows / GROUPS;
	struct transpose_groups groups = {
		.to = matrix->scratch,
		.from_next = GROUPS * pitch,
		.to_next = VECTOR,
		.count = matrix->rows % GROUPS,
		.unit = -1,
	};

	groups.from_adjust = pitch - (vectors + 1) * groups.from_next;
	few->more = groups;
	groups.from_adjust += groups.from_next;
	groups.to += groups.count * GROUPS * VECTOR;
	groups.count = GROUPS - groups.count;
	few->fewer = groups;
	few->second = (struct transpose_groups){
		.from = matrix->scratch,
		.to = matrix->scratch + GROUPS * GROUPS * VECTOR,
		.from_next = GROUPS * VECTOR,
		.to_next = VECTOR,
		.from_adjust = VECTOR - GROUPS * GROUPS * VECTOR,
		.count = GROUPS,
		.unit = -1,
	};
	few->make_fewer = make[vectors - 4];
	few->make_more = few->more.count ? make[vectors - 3] : 0;
}

void nn_transpose_under64(struct transpose_under64 *few, const struct matrix *matrix,
			  const uint8_t *from, uint8_t *to, bool are_last)
{
	uint32_t pair = 2 * matrix->rows, pairs = VECTOR / 2;
	const uint8_t *made = few->second.to;

	few->more.from = from;
	few->fewer.from = from + few->more.count * matrix->from_pitch;
	if (few->make_more)
		few->make_more(&few->more);
	few->make_fewer(&few->fewer);
	nn_transpose_groups_forth(&few->second);
	if (!are_last) {
		nn_gather_vectors(to, made, matrix->control, pair, pairs);
		return;
	}
	/* The whole vectors of these pairs end with the last row, or before it. */
	pairs -= (VECTOR - 1) / pair + 1;
	nn_gather_vectors(to, made, matrix->control, pair, pairs);
	for (uint32_t i = pairs; i < VECTOR / 2; i++)
		store_bytes(to + i * pair,
			    Q6_V_vrdelta_VV(load(made + i * VECTOR), *matrix->control), pair);
}
