/* SPDX-License-Identifier: MIT */
/*
 * A grid of calls for each opcode, whose packets are counted (grid.c): grids/ has walk_NAME() for
 * the opcode NAME of dsp/program/operators.h, which makes them one after the other.
 *
 * All operands begin at multiples of 128, as those of programs mostly do, and have random bytes.
 * Types and zero points take turns from call to call.
 */
#ifndef GRID_H
#define GRID_H

#include "dsp/program/kernels.h"
#include "harness.h"
#include "tensor.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define FOR_EACH(entry, list) \
	for (typeof(&(list)[0]) entry = (list); entry < (list) + COUNT(list); entry++)

#define NN_OPCODE(ID, name, number, where) void walk_##name(void) __attribute__((weak));
#include "dsp/program/operators.h"

/* Packets of a call are compared with one of these. */
enum grid_unit {
	GRID_OUTPUT,	/* 128 bytes of its output */
	GRID_INPUT,	/* 128 bytes of input 0, of what makes little of much */
	GRID_MACS,	/* the multiplications, 256 in a packet */
	GRID_WIDE_MACS,	/* those of 16 bits, 128 in a packet */
};

/* An image of 1 x 1 pixel is a row. */
struct grid_image {
	uint32_t height, width, channels;
};

#define GRID_IMAGES	28
#define GRID_FEW_IMAGES	9
extern const struct grid_image grid_images[GRID_IMAGES], grid_few_images[GRID_FEW_IMAGES];

/* The call that is made. */
extern struct nn_program_op op;
extern struct nn_call call;

void grid_begin(enum nn_opcode opcode);
/* An 8-bit type, and a zero point for a type, in turn: also those at the ends. */
uint8_t grid_8bit(void);
int32_t grid_zero_point(uint8_t type);
/* Operand i: one with random bytes, and a zero point if it has 8 bits; the same, packed. */
void grid_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);
void grid_constant(uint32_t i, uint8_t type, uint32_t elements);
/* Operand i with bytes that are to be written. */
void *grid_numbers(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);
/* The same, packed. */
void *grid_table(uint32_t i, uint8_t type, uint32_t elements);
/* An output behind the first, of zero point 0. */
void grid_more_output(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims);
/* The output, all of whose values are let through. */
void grid_output(uint8_t type, uint32_t rank, const uint32_t *dims);
/* Biases and scales, operands 2 and 3, for sums of so many products. */
void grid_scales(uint32_t i, uint32_t outputs, uint32_t products, bool is_repeated, bool is_any);
/*
 * Gives op.window and the size of the output for a window over input 0, with padding of half of a
 * kernel. False: the image is smaller than the window.
 */
bool grid_window(const struct grid_image *image, uint32_t kernel, uint32_t stride,
		 uint32_t dilation, uint32_t *height, uint32_t *width);

/* Text for names: of all the parts, which are strings or numbers. */
const char *grid_name(const char *format, ...);

/* The name of a form or function that an opcode has: `name`, or its number where that is NULL. */
static inline const char *grid_form(const char *name, uint32_t number)
{
	return name ? name : grid_name("form %u", number);
}

/*
 * Runs the call and prints what it took: `class` has the shapes that have a bound together, and
 * `more` is what it has besides operands, or NULL. `macs`: its multiplications,
	 if that is the unit;
 * `bytes`: those of the output that the call writes, where it writes not all.
 */
void grid_measure_of(uint32_t bytes, const char *class, const char *more);
void grid_measure(enum grid_unit unit, uint32_t macs, const char *class, const char *more);

#endif
