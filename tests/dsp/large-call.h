/* SPDX-License-Identifier: MIT */
/*
 * Large calls. Inputs are zeros in memory that is read and never written, so that it takes none of
 * the host's; all of them begin at the same place.
 */
#ifndef LARGE_CALL_H
#define LARGE_CALL_H

#include "kernel-test.h"

/* Once, before the first call. */
void large_calls_reserve(void);

void large_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);
void large_constant(uint32_t i, uint8_t type, uint32_t elements);
void large_output(uint8_t type, uint32_t rank, const uint32_t *dims);
/* An output behind the first, and behind that in memory. */
void large_more_output(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);

/*
 * Inputs 2 and 3: biases of 1 and scales of a half, with lanes as dsp/program/pack.h has them. On HVX such
 * results take longest.
 */
void large_outputs(uint32_t outputs, bool is_repeated);
/* Input i: those scales, of the sums that there are, which are the biases, or of any. */
void large_scales(uint32_t i, uint32_t outputs, bool is_repeated, bool is_any);

/* Windows over an image of `size` squared, without padding: input 0 and the output, of UINT8. */
struct large_window {
	uint32_t size, channels, outputs, kernel, stride, dilation, rows;
};

void large_window(const struct large_window *shape);

/* The same input and output, of which a pixel is so many bytes behind the one before it. */
void large_pitches(uint32_t input, uint32_t output);

#endif
