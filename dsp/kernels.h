/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The operators' kernels: what each opcode computes, exactly, and the interface between them and
 * the interpreter.
 *
 * There are two implementations of each: portable C (dsp/kernels/), which the library's host device
 * runs and which defines the result, and vector code for the DSP (dsp/hvx/), equal to it bit for
 * bit. Both read constants in the layout that dsp/pack.h makes.
 *
 * The operands of each opcode, in the order of nn_program_op.input[] and output[]. "8 bit" is INT8
 * or UINT8, each tensor its own choice. q(x) below is x - the tensor's zero point. Accumulators are
 * int32 and wrap around. A "packed" operand has level 0, place REGION and an offset that is a
 * multiple of 128. Dimension 0 (N below, "rows") may be 0 in a pass.
 *
 * requant(acc, s), s a float32: rint(fl(fl(acc) * s)), where fl rounds to float32 and both
 * roundings are to nearest, ties to even; + the output's zero point; clamped to [out_min, out_max].
 * s must be positive and normal, else the result is unspecified.
 *
 * CONV2D: input 8 bit [N, H, W, C], weights UINT8 [nn_pack_conv2d_size()] packed, bias INT32
 *	[round_up(M, 32)] packed and folded (nn_pack_bias), scale FLOAT32 [round_up(M, 32)] packed;
 *	output 8 bit [N, OH, OW, M]. acc = bias[m] + sum over kernel and C of w * q(a), where a
 *	outside of the input counts as its zero point; requant(acc, scale[m]). With an INT32 output
 *	there is no scale (NN_NO_TENSOR) and the output is acc.
 * DEPTHWISE_CONV2D: the same with M a multiple of C: output m sees input channel m / (M / C)
 *	alone. Weights INT8 [nn_pack_depthwise_size()] packed, bias folded in the same way.
 * FULLY_CONNECTED: input 8 bit [N, ...], K elements a row; output 8 bit or INT32 [N, ...], M
 *	elements a row. Weights, bias and scale as of a CONV2D with a 1 x 1 kernel and K input
 *	channels.
 * MAX_POOL: input and output the same 8-bit type, [N, H, W, C] and [N, OH, OW, C]. The
 *	greatest a that is not padding, clamped to [out_min, out_max]. The zero points are not used.
 *	Each window has one element at least: pad < kernel, and see below.
 * AVERAGE_POOL: input and output 8 bit, any two types. With count = the window's elements that
 *	are not padding (or kernel_h * kernel_w if count_padding) and m = (multiplier + count / 2) /
 *	count: floor((floor(64 * sum of q(a) * m / 2^32) + 2^(shift - 33)) / 2^(shift - 32)) + zero
 *	point, clamped. multiplier in [2^30, 2^31), shift in 33 .. 62:
 *	nn_pack_average_pool_params().
 * ADD: two inputs and an output of the same dimensions, 8 bit, any types. floor((q(a) *
 *	multiplier_a + q(b) * multiplier_b + 2^(shift - 1)) / 2^shift) + zero point, clamped.
 *	|multipliers| at most 2^21, shift in 1 .. 30: nn_pack_add_params().
 * REQUANTIZE: input INT32 with zero point 0, output 8 bit, same dimensions, C the last; scale
 *	FLOAT32 [1] or [C], packed. requant(a, scale).
 * TABLE: input, output 8 bit, same number of elements a row; table UINT8 [256] packed, indexed
 *	by the input's byte (an int8 as uint8): output byte = table[input byte]. No zero point, no
 *	clamp.
 * COPY: struct nn_copy_params; any types. Both have the same rows. With count > 1, dst_stride
 *	>= block. Bytes of the output that no block covers keep their value. Input and output must
 *	not overlap.
 * ROTATE_ROWS: input with R rows of a level below L, output of level L with the same bytes a
 *	row: row r of the pass is the input's row (first[L] + r) mod R. If R is 0 in a pass, zeros.
 * ROW_NUMBERS: input with R rows of a level K below L, any type; output INT32 [N] of level L:
 *	out_first[K], 0 for level 0, + (first[L] + r) mod R, wrapping. If R is 0 in a pass, zeros.
 * TRANSPOSE: input and output the same type, same rank, output dimension i = input dimension
 *	permutation[i]; permutation[0] = 0.
 * CROP_RESIZE: images 8 bit [P, H, W, C], boxes INT32 [N, 4] (y0, x0, y1, x1 in 1/16 pixel),
 *	owner INT32 [N]; output [N, OH, OW, C] of the images' type. Box n is cut out of image
 *	owner[n] - out_first[K], K the images' level (0 in level 0); a box whose image is not among
 *	the P in the pass becomes the images' zero point. Output row i, and columns likewise, lies
 *	at p = 16 y0 + floor((y1 - y0) * (2 i + 1) * 8 / OH) - 128, clamped to 0 .. 256 (H - 1), in
 *	1/256 pixel from the centre of row 0, with y0, y1 clamped to 0 .. 16 H and y1 to at least
 *	y0. Between rows p / 256 and the next, and columns, it is bilinear: (top * (256 - fy) +
 *	bottom * fy + 32768) / 2^16 with top = left * (256 - fx) + right * fx. No clamp to out_min.
 *	H, W, OH and OW at most 2^16.
 *
 * Windows (convolutions and pools): the window of output y begins at y * stride - pad_top of the
 * input. Every window must begin before the input's end ((OH - 1) * stride_h - pad_top < H, the
 * same for W); it may reach past it.
 *
 * The output of ADD, TABLE and REQUANTIZE may lie where the (first) input lies if the types have
 * the same size; any other overlap between an operator's output and its inputs gives unspecified
 * values, but touches nothing outside of the operands.
 */
#ifndef NN_KERNELS_H
#define NN_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter.h"
#include "nn_program.h"

/*
 * An operand. For check() dims[0] is the most rows that a pass can have, for run() the rows of this
 * pass, and every other field is the same in both; the interpreter has made sure that `bytes`
 * follows from type and dims, that data[0 .. bytes - 1] is inside of its region, aligned to the
 * type's size, and writable if it is an output. An absent operand has type 0.
 */
struct nn_tensor {
	uint8_t *data;		/* NULL for check() */
	uint8_t type;		/* enum nn_type */
	uint8_t rank;
	uint8_t level;
	bool packed;		/* level 0, place REGION, offset a multiple of 128 */
	int32_t zero_point;
	uint32_t dims[NN_MAX_RANK];	/* 1 beyond rank */
	uint64_t row_bytes;	/* of one index of dimension 0; at least 1 */
	uint64_t bytes;
};

/* An operator with its operands resolved. */
struct nn_call {
	const struct nn_program_op *op;
	struct nn_tensor input[NN_MAX_OP_INPUTS];
	struct nn_tensor output[NN_MAX_OP_OUTPUTS];

	/* For run() only. */
	struct nn_run *run;
	uint32_t first;		/* first row of output 0's level */
	uint8_t *scratch;	/* NN_SCRATCH_SIZE bytes at least, aligned to 128 */
	uint32_t scratch_size;
};

struct nn_kernel {
	const char *name;	/* NULL: there is no such opcode */

	/*
	 * Everything run() relies on: operands, types, shapes, parameters. It knows the shapes,
	 * never the data.
	 */
	enum nn_program_reason (*check)(const struct nn_call *call);

	/*
	 * Compute. May rely on check() alone: whatever bytes the operands hold, it ends, and
	 * touches nothing outside of them. Calls nn_call_progress() at least once per tile of about
	 * a million packets and returns at once what is not 0. A page of memory that it comes to
	 * counts as many packets: dsp/kernels/progress.h does the counting.
	 */
	int (*run)(const struct nn_call *call);
};

/*
 * By opcode. What the interpreter uses: the portable ones (dsp/kernels/host.c) or the vector ones
 * (dsp/hvx/kernels.c).
 */
extern const struct nn_kernel *const nn_kernels;

extern const struct nn_kernel nn_kernels_portable[NN_OPCODE_END];

static inline int nn_call_progress(const struct nn_call *call)
{
	struct nn_run *run = call->run;

	return run->progress ? run->progress(run, NN_SAME_OP) : 0;
}

#endif
