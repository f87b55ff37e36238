/* SPDX-License-Identifier: MIT */
/*
 * The constants with which the assembly of tiles brings a convolution's sums to 8 bits. block.c
 * makes them once for each 64 outputs.
 *
 *	bias[2] high[2] shift[2] max[2]	32 words each: outputs 0 - 31, and 32 - 63
 *	low				| low of 0 | of 32 | of 1 | of 33 | ...	halfwords
 */
#ifndef NN_CONV2D_CONSTANTS_H
#define NN_CONV2D_CONSTANTS_H

#include "dsp/hvx/conv2d/layer.h"
#include "dsp/hvx/common/vector.h"

/*
 * The constants of 64 outputs, or of 32, twice the same. The assembly reads the vectors in this
 * order.
 *
 * A scale is (high * 2^16 + low) * 2^(shift - 47), both signed, and together about 2^30 to 2^31.
 */
struct conv2d_constants {
	HVX_Vector bias[2];
	HVX_Vector high[2];	/* << 16; is_exact: scale * 2^16 */
	HVX_Vector shift[2];	/* is_exact: the first is ones, of halfwords */
	HVX_Vector max[2];	/* of sums: past it, and below -max - 1, results are past 8 bits */
	HVX_Vector low;		/* of block 0 in even halfwords, 1 in odd; is_exact: halves */

	uint32_t first;		/* output */
	bool is_exact;		/* products have at most 16 bits of fraction */
	bool is_clamped;	/* sums can be past their limits */
	uint32_t error;		/* a product and float32's differ by less than this / 2^16 */
};

/* Makes the constants of `outputs` outputs from m on: up to 32, or up to 64. */
void conv2d_make_constants(const struct layer *layer, struct conv2d_constants *to, uint32_t m,
			   uint32_t outputs);

#endif
