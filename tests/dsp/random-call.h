/* SPDX-License-Identifier: MIT */
/*
 * Random calls, small, with operands at the ends of mapped memory: random shapes, types, zero
 * points, clamps, scales and data.
 */
#ifndef RANDOM_CALL_H
#define RANDOM_CALL_H

#include "kernel-test.h"

/* Products that a call may take, so that a test does not take long. */
#define RANDOM_WORK	40000

/* Once, before the first call. */
void random_calls_create(void);

/*
 * Call `number` of an opcode's. Each has a stream of random numbers of its own, which whoever runs
 * it goes on with: what one call draws, or one that is new, changes no other, and neither what is
 * counted of them.
 */
void random_call(enum nn_opcode opcode, uint32_t number);
/* The same for calls that are made by the caller; `kind` is NN_OPCODE_END or more. */
void random_begin(uint32_t kind, uint32_t number);

/* The number of the call that is being made. Large ones are made every so many calls. */
extern uint32_t call_number;

uint32_t random_pick(const uint32_t *list, uint32_t count);
#define PICK(...) \
	random_pick((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

uint8_t random_8bit(void);	/* a type */
uint32_t random_rows(void);	/* of dimension 0, also none, and rarely many */
uint32_t random_size(void);	/* elements of a row, often around a vector's end */

/*
 * A size: half of the time one of those at which something is known to change, else any from the
 * least to the most, of which the small ones are more frequent. With a list alone nobody sees what
 * is wrong between its sizes.
 */
uint32_t random_size_of(uint32_t least, uint32_t most, const uint32_t *list, uint32_t count);
#define SIZE_FROM(least, most, ...) \
	random_size_of(least, most, (const uint32_t[]){ __VA_ARGS__ }, \
		       sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)
#define SIZE_TO(most, ...)	SIZE_FROM(1, most, __VA_ARGS__)

/* Draws how many rows there are, and vectors of such a length in each: not too many elements. */
void random_vectors(uint32_t length, uint32_t *rows, uint32_t *vectors);

/*
 * Dimensions of `rows` and of about so many elements of a row, of any rank, or of rank 2 with all
 * of a row in one. Returns the rank.
 */
uint32_t random_dims(uint32_t rows, uint32_t elements, uint32_t dims[NN_MAX_RANK]);

/*
 * Operand i with random data, and a zero point if it is 8 bit; a packed one; the output, whose
 * memory is the caller's. Kernels find a clamp in `op`.
 */
void random_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);
void random_constant(uint32_t i, uint8_t type, uint32_t elements);
void random_output(uint8_t type, uint32_t rank, const uint32_t *dims);

/* Outputs behind the first, whose memory is of this file; their zero points are the caller's. */
void random_more_output(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);
/* Keeps what has been written to them; tells, after another run, whether that wrote the same. */
void keep_more_outputs(void);
bool are_more_outputs_kept(const char *how);

/* Whether its output can have a pitch. */
bool can_be_pitched(uint32_t opcode);

/*
 * Pitches for those operands of the call that can have one, the output among them: they are placed
 * anew, with random bytes between their pixels. False: none can, or they would be too large.
 */
bool random_pitches(void);

/* The same for operand i alone, which is of two dimensions or more. */
bool random_pitch(uint32_t i);

/*
 * From an operand's first byte to its last, and its elements alone, from one such place to another.
 */
uint32_t span_of(const struct nn_tensor *tensor);
void copy_elements(const struct nn_tensor *tensor, uint8_t *to, const uint8_t *from);

/*
 * Whether it has the bytes that the call's output should have. Else prints which has not, and how
 * it was made.
 */
bool is_output(const uint8_t *out, const uint8_t *wanted, const char *how);

/* The same type size, bytes and places: the output can be in place of the operand. */
bool can_be_in_place(const struct nn_tensor *tensor);

/*
 * Scales that bring accumulators of about `magnitude` to the range of bytes, but for a few: in
 * drawn_scale[], from which pack_scales() makes operand i; and biases of that magnitude or, rarely,
 * any.
 */
#define MOST_OUTPUTS	5200
extern float drawn_scale[MOST_OUTPUTS];
void random_scales(uint32_t outputs, uint32_t magnitude);
void random_biases(uint32_t i, uint32_t elements, uint32_t magnitude);

/*
 * Random scales of sums that are at most `reach` in magnitude, NULL: any. Lanes are those of
 * dsp/program/pack.h: as many as outputs, and more up to a multiple of 32, or repeated ones.
 */
void pack_scales(uint32_t i, uint32_t outputs, const uint32_t *reach, bool is_repeated);

/*
 * Returns what the sums of an output's products can be, less the bias: of weights of which those
 * above their zero point add up to `positive`, and the others to -`negative`.
 */
uint32_t reach_of(const struct nn_tensor *input, int32_t bias, int64_t positive, int64_t negative);

/*
 * A scale of about `like`: often the same, a simple multiple, or a neighbour of one, so that
 * results are ties or next to them; rarely anything that is positive and normal.
 */
float random_scale_like(float like);
float random_any_scale(void);

/*
 * A kernel that slides over input 0, [N, H, W, channels] and 8 bit. Returns what the output is to
 * have: N, height and width.
 */
void random_window(uint32_t max_dilation, uint32_t channels, uint32_t *n, uint32_t *out_h,
		   uint32_t *out_w);

/* The same of any type. */
void random_window_of(uint8_t type, uint32_t max_dilation, uint32_t channels, uint32_t *n,
		      uint32_t *out_h, uint32_t *out_w);

#endif
