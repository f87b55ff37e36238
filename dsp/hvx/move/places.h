/* SPDX-License-Identifier: MIT */
/*
 * Places that indices say, for TAKE and SCATTER: they are found once, in scratch memory of the
 * kernel's own, and nobody can change them then.
 */
#ifndef NN_PLACES_H
#define NN_PLACES_H

#include "dsp/kernels/indices.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

#define NO_PLACE	UINT32_MAX	/* for what is no index */
#define PLACE_WORK	96u		/* packets for each number of an index, at most */

/*
 * Finds `count` places in a part, of the numbers from `numbers` on. `place` is aligned to 128, with
 * room for whole vectors. Returns the greatest of them, or NO_PLACE if some index is none, or a
 * place is 2^31 or more.
 */
uint32_t nn_find_places(const struct nn_take_params *params, uint8_t type, const uint8_t *numbers,
		    uint32_t count, uint32_t *place);

/* Copies 128 bytes or more. */
static inline void copy_run(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	uint32_t last = bytes - VECTOR;

	for (uint32_t at = 0; at < last; at += VECTOR)
		store(to + at, load(from + at));
	store(to + last, load(from + last));
}

#endif
