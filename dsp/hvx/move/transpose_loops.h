/* SPDX-License-Identifier: MIT */
/*
 * TRANSPOSE's steps for groups of eight aligned vectors, in assembly (transpose_loops.S, which
 * draws them). transpose_tile.c, transpose_8bytes.c and transpose_under64.c call them. C and
 * assembly include this file.
 */
#ifndef NN_TRANSPOSE_LOOPS_H
#define NN_TRANSPOSE_LOOPS_H

/* Offsets of the members of struct transpose_groups; pairs are loaded together. */
#define GROUPS_FROM_TO		0
#define GROUPS_NEXT		8
#define GROUPS_ADJUST		16
#define GROUPS_COUNT_UNIT	24

#ifndef __ASSEMBLER__

#include <stdint.h>

struct transpose_groups {
	const uint8_t *from;
	uint8_t *to;
	uint32_t from_next, to_next;	/* bytes from a group's vector to its next */
	uint32_t from_adjust, to_adjust;	/* from behind its last to the next group's first */
	uint32_t count;			/* at least 1 */
	int32_t unit;			/* -1 * the bytes of an element */
} __attribute__((aligned(8)));

/* Make three steps of vshuff, or of vdeal back, in 12 packets for a group. */
void nn_transpose_groups_forth(const struct transpose_groups *groups);
void nn_transpose_groups_back(const struct transpose_groups *groups);

#endif

#endif
