/* SPDX-License-Identifier: MIT */
/*
 * Loops whose innermost blocks are small, by units: at most 128 bytes that lie side by side in the
 * output. All units of a move are made in the same way, of bytes that are in a few windows of 128
 * bytes each in the input:
 *
 *	input		|abc......def......ghi......jkl|	one window
 *	unit		|abcdefghijkl|
 *
 *	input		|aceg....|  ...  |bdfh....|		two windows
 *	unit		|abcdefgh|
 *
 * Each window is loaded, permuted and merged with the others, and the unit is stored. Where blocks
 * stand apart in the output, a unit is some of them and what is there between them.
 */
#ifndef NN_UNITS_H
#define NN_UNITS_H

#include "dsp/hvx/move/loops.h"
#include "dsp/hvx/common/vector.h"

#define MOST_WINDOWS	16u

/* How bytes of a window get to their places in a unit. */
enum unit_network {
	UNIT_SPREADS,		/* vdelta does it */
	UNIT_GATHERS,		/* vrdelta does it */
	UNIT_LOOKS_UP,		/* neither does: vlut32 takes each byte by its number */
};

struct unit_window {
	HVX_Vector control;	/* of the network, or numbers as vlut32 has them */
	HVX_Vector mask;	/* bytes of the unit that are from this window are all ones */
};

/* The units of loops: `part` indices of loop `split` and all that is inside of them are one. */
struct units {
	uint32_t bytes;			/* from its first to its last, with gaps in between */
	uint32_t split, part;
	bool has_gaps;			/* the output keeps what it has between blocks */
	uint32_t reach;			/* of a window: bytes from its first to its last */
	uint32_t windows;
	enum unit_network network;
	/* How far windows are from the unit's first byte in the input; one more does not count. */
	int32_t offset[MOST_WINDOWS + 1];
	int32_t last;			/* the greatest of them */
	const struct unit_window *window;
	const HVX_Vector *own;		/* bytes of the unit that are not in gaps are all ones */
};

/*
 * Finds the units of loops, of which there is one at least. Returns about how many packets they
 * take.
 */
uint64_t nn_units_count(const struct loops *loops, struct units *units);

/*
 * Makes windows and their networks in the call's scratch memory. Returns false if there are too
 * many.
 */
bool nn_units_settle(const struct nn_call *call, const struct loops *loops, struct units *units);

/*
 * The same in other scratch memory, which is aligned to 128, for any bytes of a unit: a vector for
 * each 32 of them says how far they are from its first byte in the input, at most 2^30. What
 * nn_units_count() finds of the units is known, but windows may be as long as a vector if `reach`
 * is 0.
 */
bool nn_units_settle_sources(uint8_t *scratch, uint32_t scratch_size, const HVX_Vector *source,
			     struct units *units);

/* Moves all units of the loops. */
int nn_units_run(struct progress *progress, const struct loops *loops, const struct units *units,
		 uint8_t *to, const uint8_t *from);

#endif
