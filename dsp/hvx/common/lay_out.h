/* SPDX-License-Identifier: MIT */
/*
 * Inputs that are broadcast (dsp/kernels/broadcast.h), laid out as if each had all elements of the
 * output, so that kernels know of no shapes: some elements at a time, in scratch memory, or where
 * they are if they lie side by side.
 *
 *	output			|e0 e1 e2 e3 e4 e5 e6 ...|
 *	a value for a channel	|b0 b1 b2|		|b0 b1 b2 b0 b1 b2 b0 ...|
 *	a value for a pixel	|c0 c1 ...|		|c0 c0 c0 c1 c1 c1 c2 ...|
 *
 * BINARY, SELECT and INTEGERS call this.
 */
#ifndef NN_LAY_OUT_H
#define NN_LAY_OUT_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

/* The room for at most so many elements at a time, of so many bytes. */
#define LAY_OUT_ROOM(most, size)	((most) / 2 * 3 * (size) + 4 * VECTOR)

/* The work of laying out an element, in packets, where not many lie side by side. */
#define LAY_OUT_ELEMENT_WORK	4

/* A number to divide by, and 1 / it. */
struct divisor {
	uint32_t value;
	float inverse;
};

/* An input. Levels are runs of dimensions, the innermost first, of which every other one varies. */
struct laid_out {
	const uint8_t *data;
	uint32_t size;			/* bytes of an element */
	uint32_t levels;
	struct divisor extent[NN_MAX_RANK];
	bool varies;			/* level 0; level 1 then does not, and so on */
	bool is_dense;

	/*
	 * Units are what levels below `upper`, which varies, make of as many elements as lie side
	 * by side.
	 */
	uint32_t upper;
	struct divisor unit;		/* elements of the output, */
	uint32_t unit_from;		/* and of the input */
	struct divisor run;		/* the elements for which one block, or element, is used */
	uint32_t in_vector;		/* units of an input's vector; 0: a unit is too large */
	uint32_t most;			/* elements that are laid out at once */
	uint8_t *room;			/* a vector of indices first */
	const uint8_t *held;		/* what is in the room: of one block, or NULL */
};

/* Describes an input of which at most `most` (256 or more) elements are wanted at a time. */
void nn_lay_out_begin(struct laid_out *laid, const struct nn_tensor *input,
		      const struct nn_tensor *output, uint8_t *room, uint32_t most);

/* Returns how many elements from the output's element `at` on can be asked for at once. */
uint32_t nn_lay_out_span(const struct laid_out *laid, uint32_t at);

/*
 * Returns where the input's elements for `count` of the output from `at` on are, side by side: no
 * more than nn_lay_out_span() says. They stay there until the next call.
 */
const uint8_t *nn_lay_out(struct laid_out *laid, uint32_t at, uint32_t count);

/* The most inputs of those below. */
#define LAY_OUT_INPUTS	3

/* Computes `elements` of the output, at `to`, of as many of each input. */
typedef void (*laid_out_function)(const struct nn_call *call, const uint8_t *const *from,
				  uint8_t *to, uint32_t elements);

/*
 * Calls `run` for all of a call whose first inputs are broadcast, some elements at a time. `work`
 * is that of 128 elements, in packets. Returns what a report of progress did. Returns what the
 * portable kernel does if scratch memory is too small.
 */
int nn_lay_out_run(const struct nn_call *call, uint32_t inputs, laid_out_function run,
		   uint32_t work);

#endif
