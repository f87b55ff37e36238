/* SPDX-License-Identifier: MIT */
/*
 * Bytes that come again and again: ROTATE_ROWS and ROW_NUMBERS make them once, and copy them from
 * there.
 */
#ifndef NN_REPEAT_H
#define NN_REPEAT_H

#include "dsp/kernels/progress.h"

/* Repeats the first `period` bytes to the end of `bytes`. */
static inline int repeat_bytes(struct progress *progress, uint8_t *data, uint64_t period,
			       uint64_t bytes)
{
	int ret = 0;

	for (uint64_t done = period; done < bytes && !ret;) {
		uint64_t part = bytes - done < done ? bytes - done : done;

		ret = progress_copy(progress, data + done, data, part);
		done += part;
	}
	return ret;
}

#endif
