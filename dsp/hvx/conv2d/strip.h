/* SPDX-License-Identifier: MIT */
/*
 * Strips: a convolution's inputs, some rows of the output at a time, as conv2d.c goes through them:
 * where they are, and the sums of windows.
 */
#ifndef NN_CONV2D_STRIP_H
#define NN_CONV2D_STRIP_H

#include "dsp/hvx/conv2d/accumulate.h"
#include "dsp/hvx/conv2d/layer.h"

/*
 * A row of a strip, in bytes:
 *
 *	| padding before | inside, from the image | padding behind |
 */
struct padding {
	uint32_t before, inside, behind;
	uint32_t pixels;	/* of the image */
	uint32_t from;		/* bytes from the beginning of the image's row, */
	uint32_t row_pitch;	/* and from that to the next row's */
};

/* A strip of an image, and where its inputs are. */
struct strip {
	/* The caller's. */
	const uint8_t *image;
	uint32_t out_y, out_rows, out_x, out_columns;

	/* conv2d_begin_strip()'s. */
	const uint8_t *base;
	uint32_t row_pitch, element_pitch, element_bytes;
	uint32_t elements;	/* in a row */
	uint32_t step;		/* bytes from where a window begins to the next */
	struct padding padding;
	bool is_element;	/* a window is one element */
	/*
	 * The sums [out_rows][sums_pitch]: the weights' zero point times the sum of a window, of
	 * every `sum_step`th.
	 */
	const int32_t *sums;
	uint32_t sums_pitch, sum_step;

	/* conv2d_fill_strip()'s. */
	uint32_t filled;	/* rows of inputs */
	uint32_t ready;		/* rows of the output whose inputs and sums are there */
};

#define CONV2D_GROUP_MAX 512	/* pixels */

/*
 * Bytes that may be read behind copied rows: 32 elements of a vector or less, or what a larger
 * one's end takes.
 */
static inline uint32_t conv2d_slack(const struct layer *layer)
{
	uint32_t pitch = layer->source == EXPANDED ? conv2d_expanded_pitch(layer) : layer->channels;

	return pitch > VECTOR ? VECTOR : 32 * VECTOR;
}

struct conv2d_constants;
struct conv2d_tiles;

/* An expansion lays out windows' rows, several at a time, if that can be. */
struct expansion {
	HVX_Vector control;	/* of vdelta */
	uint32_t windows;	/* at a time, a power of two; 0: they cannot */
};

#define CONV2D_PARTS_MAX 8
#define CONV2D_PART_STEPS 4	/* at least */

/* A part of a window's products, which is made of all tiles of a group before the next part. */
struct window_part {
	uint32_t step;		/* its first */
	uint32_t offset;	/* bytes from the window's beginning */
};

/* The parts of scratch memory, and how conv2d_divide() has divided the work. */
struct memory {
	struct segment *segments;
	int32_t *advances;	/* of all steps of a window, and again of the first */
	uint32_t listed_pitch;	/* of a strip's rows, for which both are; 0: none */
	struct conv2d_tiles *tiles;
	uint8_t *rest;		/* a tile's results */
	struct conv2d_constants *constants;	/* of each 64 outputs */
	uint32_t constants_count, constants_made;
	/* Results of pixels, if they are staged: the first `wide`, and behind them the others. */
	uint32_t wide, wide_pitch;
	uint8_t *staging;	/* [group][wide_pitch] */
	uint8_t *narrow;	/* [group][32] */
	HVX_Vector packing;	/* of two or four pixels in it, by vrdelta, */
	bool has_packing;	/* once it is made */
	uint8_t *gathered;	/* [group][outputs] */
	struct four_pixels *fours;	/* of a group, two tiles 8x32 more, and up to seven */
	uint32_t listed_y, listed_x, listed;	/* that one's first pixel, and how many; 0: none */
	uint32_t group;		/* pixels, multiple of 4 */
	HVX_Vector *sums_of_parts;	/* of a group's tiles, and one more */
	struct window_part parts[CONV2D_PARTS_MAX];	/* of a window's products */
	uint32_t part_count;
	uint32_t fetched;	/* outputs whose weights were asked for, and have not gone again */
	uint32_t block;		/* outputs of all groups of a strip before others: all, 64 or 32 */
	uint32_t tile_outputs;	/* made at a time: 64, or 32 if a block has no more */
	/*
	 * A strip's inputs in as many pieces, counted from those on that a block read last: which
	 * of them are read once more before the next block begins.
	 */
#define KEPT_PIECES 64
	uint32_t kept_from, kept_end;
	uint8_t *rows;
	uint8_t *padded;	/* one padded row, for EXPANDED */
	struct expansion expansion;
	int32_t *element_sums, *sums;
	uint32_t sums_pitch;	/* elements, multiple of 32, with room for 32 more to read */
	uint32_t out_rows, out_columns;
};

/*
 * Stores to `sums` the weights' zero point times the sum of each of `elements` elements in a row,
 * `bytes` long, one every `pitch` bytes; room is for a multiple of 32. Behind them `slack` bytes
 * may be read. Returns what a report of progress did.
 */
int conv2d_add_elements(struct progress *progress, int32_t *sums, const uint8_t *row,
			uint32_t elements, uint32_t pitch, uint32_t bytes, uint32_t slack,
			bool is_signed);

/* Fills in the rest of *strip, of which nothing is ready. */
void conv2d_begin_strip(const struct layer *layer, struct strip *strip,
			const struct memory *memory);

/* Asks for the inputs that a strip from row `out_y` of the output on will read, or some of them. */
void conv2d_fetch_strip(const struct layer *layer, const struct strip *strip, uint32_t out_y);

/*
 * Copies the inputs that the strip's first `out_rows` rows need, unless they are read in place, and
 * adds up their windows. Returns what a report of progress did.
 */
int conv2d_fill_strip(struct layer *layer, struct strip *strip, const struct memory *memory,
		      uint32_t out_rows);

/*
 * Reads the inputs again that memory->kept_from and kept_end say; `back`: the last block went
 * through them from the end to the beginning. Returns what a report of progress did.
 */
int conv2d_keep_strip(struct layer *layer, const struct strip *strip, const struct memory *memory,
		      bool back);

#endif
