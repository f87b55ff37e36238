/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The program format: what libnnloop hands to the DSP for one pass of a partition.
 *
 * Read by the library, which writes programs (lower.c), and by the interpreter (dsp/program/interpreter.c),
 * which the firmware runs on the DSP and the library's host device runs in process. The kernel
 * driver carries programs and arguments without looking at them.
 *
 * A program is a list of operators over tensors over regions, in one block: struct nn_program, then
 * region_count struct nn_program_region, tensor_count struct nn_program_tensor, op_count struct
 * nn_program_op. It is constant: what changes from pass to pass comes in the pass's arguments.
 * Everything is little endian and naturally aligned. The interpreter takes a private copy, checks
 * every field of it, and never trusts the producer.
 */
#ifndef NN_PROGRAM_H
#define NN_PROGRAM_H

#include <stdint.h>

#define NN_PROGRAM_MAGIC	0x50474e4eu	/* "NNGP" */
#define NN_PROGRAM_VERSION	2	/* since firmware 1.5 */
/* The same, but that a tensor's level can be a row count. Since firmware 1.8. */
#define NN_PROGRAM_VERSION_COUNTS	3
#define NN_PROGRAM_MAX_SIZE	(1u << 20)	/* bytes */

#define NN_MAX_RANK		8
#define NN_MAX_LEVELS		4	/* loop levels 1 .. 4; level 0 is outside every loop */
/*
 * Row counts: how many rows a loop has collected, where only the run knows that. A tensor of so
 * many rows has a count in place of a loop level, by the numbers behind those of loops.
 */
#define NN_MAX_COUNTS		16
#define NN_LEVEL_OF_COUNT(count)	(NN_MAX_LEVELS + 1 + (count))
#define NN_LEVELS		NN_LEVEL_OF_COUNT(NN_MAX_COUNTS)	/* level 0 and all others */
#define NN_MAX_OP_INPUTS	8
#define NN_MAX_OP_OUTPUTS	4
#define NN_NO_TENSOR		0xffffu		/* an absent optional input */

/*
 * Arguments of a pass. For each loop level: `first`, the row of the level's source where this pass
 * begins (the rows handed out before in this loop); `rows`, how many rows this pass has;
 * `out_first`, the row of the packed output where they go. A level that is not active has rows 0
 * and no tensor may use it.
 */
#define NN_ARG_FIRST(level)	(3 * ((level) - 1))
#define NN_ARG_ROWS(level)	(3 * ((level) - 1) + 1)
#define NN_ARG_OUT_FIRST(level)	(3 * ((level) - 1) + 2)
/*
 * Address of 1 + op_count struct nn_profile_record, the first for the whole pass; 0: none. Where
 * several workers run a pass together, each has as many of its own, one set behind the other, with
 * what NN_PASS_MEMORY adds to each: there has to be room for as many as may be. One that has no
 * share in an operator counts no call of it.
 */
#define NN_ARG_PROFILE		12
/* NN_PASS_*. Since firmware 1.2: an older one refuses a pass where this is not 0. */
#define NN_ARG_FLAGS		13
#define NN_ARG_COUNT		14	/* a shorter list is filled up with 0 */
/*
 * Behind these, arguments for programs of NN_PROGRAM_VERSION_COUNTS; for others they have to be 0.
 * For each row count: `rows`, how many rows it has, which begin at row 0 of whatever has them; and
 * `out_first`, where they go in a packed output. A pass that the driver carries has room for five
 * counts, and the others have no rows then.
 */
#define NN_ARG_COUNT_ROWS(count)	(NN_ARG_COUNT + 2 * (count))
#define NN_ARG_COUNT_OUT_FIRST(count)	(NN_ARG_COUNT + 2 * (count) + 1)
#define NN_ARG_COUNT_ALL	NN_ARG_COUNT_ROWS(NN_MAX_COUNTS)

/*
 * The program's bytes stay what they are, from the first pass that says so until its buffer is
 * closed: the DSP may run a copy that it has checked in an earlier job. Only a sealed buffer can be
 * relied on for that. Where it is not so, it is not known which of the programs that were there is
 * run; it is one of this client's, and checked.
 */
#define NN_PASS_CONSTANT	1u

/*
 * The pass counts memory, too: behind the records of NN_ARG_PROFILE are as many struct
 * nn_memory_record, in the same order. Since firmware 1.4.
 */
#define NN_PASS_MEMORY		2u

/*
 * The pass's program is a control program (nn_control.h), which runs programs. Of a pass like that
 * the arguments of loop levels and counts are 0, and NN_ARG_PROFILE is the address of a single
 * struct nn_profile_record for all of it; the other flags are those of the programs. Since firmware
 * 1.8.
 */
#define NN_PASS_CONTROL		4u

struct nn_program {
	uint32_t magic;
	uint32_t version;
	uint32_t size;			/* of the whole program in bytes, exactly */
	uint32_t region_count;
	uint32_t tensor_count;		/* at most 65534 */
	uint32_t op_count;
	uint32_t reserved[2];		/* 0 */
};

/*
 * A stretch of memory. On the DSP base is an address in the window; the host device passes its own
 * table of pointers beside the program and ignores base.
 */
struct nn_program_region {
	uint32_t base;			/* multiple of 128 */
	uint32_t size;			/* bytes */
	uint32_t flags;			/* NN_REGION_* */
	uint32_t reserved;
};
#define NN_REGION_WRITABLE	1u	/* some tensor in it is an output */

enum nn_type {
	NN_TYPE_INT8 = 1,
	NN_TYPE_UINT8 = 2,
	NN_TYPE_INT16 = 3,
	NN_TYPE_UINT16 = 4,
	NN_TYPE_INT32 = 5,
	NN_TYPE_FLOAT32 = 6,	/* scales, and what computes in float */
	NN_TYPE_BOOL = 7,	/* a byte: 0, or anything else for true */
	NN_TYPE_INT64 = 8,
	NN_TYPE_UINT32 = 9,
	NN_TYPE_UINT64 = 10,
};

/* The kinds of memory that a tensor's rows can be in. */
enum nn_place {
	NN_PLACE_REGION = 0,	/* row 0 at `offset` of region `source` */
	NN_PLACE_OUTPUT = 1,	/* the same, but this pass's rows begin at row out_first[level] */
	/*
	 * Rows first[level] .. of the tensor `source`, which comes earlier in the list and is of a
	 * lower level, or of a count. Not for a count's level. An output may be a view, too.
	 */
	NN_PLACE_VIEW = 2,
};

/*
 * A tensor: NHWC, dimension 0 the slowest. With level 0, dimension 0 is dims[0]. With level L it is
 * rows[L] of the pass, and dims[0] is the most there is room for: out_first[L] + rows[L] (OUTPUT)
 * or rows[L] (REGION) must not exceed it, or first[L] + rows[L] the source's rows (VIEW).
 *
 * Its elements are side by side in each pixel, which is what the last dimension has, and `pitch`
 * elements lie from a pixel to the next, of the same row or not. So some of the channels of an
 * image are a tensor in the same place, beginning `offset` bytes farther, with the image's channels
 * for a pitch. Which operators can have such operands dsp/program/operators.h says; those of windows but
 * CONV2D since firmware 1.7.
 */
struct nn_program_tensor {
	uint8_t type;			/* enum nn_type */
	uint8_t rank;			/* 1 .. NN_MAX_RANK */
	uint8_t level;			/* 0 .. NN_MAX_LEVELS, or a count's */
	uint8_t place;			/* enum nn_place */
	uint32_t source;		/* region or tensor index, see place */
	uint32_t offset;		/* bytes, multiple of the type's size; 0 for a VIEW */
	int32_t zero_point;		/* of a quantized tensor, within its type's range */
	uint32_t dims[NN_MAX_RANK];	/* each at least 1 (dims[0] may be 0 rows); 0 beyond rank */
	/*
	 * The pitch: at least the last dimension, or 0, which stands for that. 0 with rank 1, of a
	 * VIEW and of its source.
	 */
	uint32_t pitch;
};

/*
 * Two operators of one number would be two members of one name, and the greatest number is the
 * size.
 */
union nn_opcode_numbers {
#define NN_OPCODE(ID, name, number, where) char is_##number[number];
#include "dsp/program/operators.h"
};

/*
 * Scales of CONV2D, DEPTHWISE_CONV2D, FULLY_CONNECTED and REQUANTIZE: INT32 [NN_SCALE_ROWS, lanes],
 * packed. A lane is an output's; how many there are, and of which outputs, says dsp/program/pack.h. What an
 * operator computes follows from row NN_SCALE_FLOAT alone. The others are what vector kernels need,
 * as dsp/program/pack.h makes them of that; if they are anything else, results are unspecified.
 */
enum nn_scale_row {
	NN_SCALE_FLOAT = 0,	/* the scale, a float32: m * 2^e with 2^23 <= m < 2^24 */
	NN_SCALE_MULTIPLIER = 1,	/* m << 7 */
	/* sum * scale * 2^16 = (sum << this) * multiplier / 2^31; within -31 .. 30. */
	NN_SCALE_SHIFT = 2,
	/*
	 * A sum that is shifted without loss. Results of greater ones, and of sums less than its
	 * complement, are past 8 bits.
	 */
	NN_SCALE_GREATEST = 3,
	NN_SCALE_EXACT = 4,	/* scale * 2^16 where that is an integer below 2^16, else 0 */
	NN_SCALE_FLAGS = 5,	/* NN_SCALES_*, in each word those of all its 32 outputs */
	NN_SCALE_ROWS
};
#define NN_SCALES_INEXACT	1u	/* NN_SCALE_EXACT is 0 somewhere */
#define NN_SCALES_CLAMPED	2u	/* sums can be past what is shifted without loss */
#define NN_SCALES_ROUGH		4u	/* a shift is to the right, and loses bits */
#define NN_SCALES_SMALL		8u	/* a scale is below 2^-16 */
#define NN_SCALES_WIDE		16u	/* a multiplier would be 2^31, rounded to its upper half */

/*
 * Operators, as dsp/program/operators.h lists them. Numbers are only ever added. What each computes is said
 * in dsp/kernels/NAME.c, and what they have in common in dsp/program/kernels.h.
 */
enum nn_opcode {
#define NN_OPCODE(ID, name, number, where) NN_OPCODE_##ID = number,
#include "dsp/program/operators.h"
	NN_OPCODE_END = sizeof(union nn_opcode_numbers) + 1	/* one past the greatest */
};

/*
 * Convolution, depthwise convolution and pooling. Bottom and right padding follow from the output's
 * size. In float32 kernels and strides are of up to NN_MAX_FLOAT_WINDOW, and a kernel has up to
 * NN_MAX_FLOAT_KERNEL elements.
 */
#define NN_MAX_FLOAT_WINDOW	4095u
#define NN_MAX_FLOAT_KERNEL	(255u * 255u)
struct nn_window_params {
	uint32_t kernel_h, kernel_w;	/* 1 .. 255 */
	uint32_t stride_h, stride_w;	/* 1 .. 255 */
	uint32_t dilation_h, dilation_w;	/* 1 .. 255; pooling: 1 */
	uint32_t pad_top, pad_left;	/* less than the dilated kernel */
	uint32_t count_padding;		/* averages: 1 if padding counts as zeros in the mean */
	int32_t multiplier;		/* AVERAGE_POOL: see dsp/kernels/average_pool.c */
	int32_t shift;
};

/* ADD: see dsp/kernels/add.c. */
struct nn_add_params {
	int32_t multiplier_a;
	int32_t multiplier_b;
	uint32_t shift;
};

/* The forms in which ADD_FLOAT and AVERAGE_POOL_FLOAT sum: see dsp/kernels/NAME.c. */
enum nn_add_form {
	NN_ADD_DEQUANTIZED = 0,
	NN_ADD_FUSED = 1,
	NN_ADD_FORMS
};

enum nn_average_order {
	NN_AVERAGE_COLUMNS = 0,
	NN_AVERAGE_ROWS = 1,
	NN_AVERAGE_QUARTERS = 2,
	NN_AVERAGE_EXACT = 3,
	NN_AVERAGE_ZERO_POINT = 4,
	NN_AVERAGE_ORDERS
};

/* ADD_FLOAT. Scales are positive and normal. */
struct nn_add_float_params {
	float scale_a, scale_b, scale_output;
	uint32_t form;			/* enum nn_add_form */
};

/* BINARY's functions, which dsp/kernels/binary.c defines. */
enum nn_binary_function {
	NN_BINARY_ADD = 0,
	NN_BINARY_SUB = 1,
	NN_BINARY_MUL = 2,
	NN_BINARY_DIV = 3,
	NN_BINARY_MIN = 4,
	NN_BINARY_MAX = 5,
	NN_BINARY_PRELU = 6,
	NN_BINARY_ADD_SHIFTED = 7,
	NN_BINARY_ADD_FUSED = 8,
	NN_BINARY_MUL_ONCE = 9,
	NN_BINARY_MUL_FUSED = 10,
	NN_BINARY_PRELU_FIXED = 11,
	NN_BINARY_SQUARED_DIFFERENCE_FIXED = 12,
	NN_BINARY_FUNCTIONS
};

/* multiplier / 2^31 * 2^exponent: see dsp/program/fixed.h. */
struct nn_fixed {
	int32_t multiplier;		/* 2^30 .. 2^31 - 1, its negative, or 0 */
	int32_t exponent;
};

/* BINARY. What a function does not name is 0. Scales are positive and normal. */
struct nn_binary_params {
	uint32_t function;		/* enum nn_binary_function */
	float scale_a, scale_b, scale_output;
	struct nn_fixed by[3];
	struct nn_add_params add;
};

/* INTEGERS' functions, which dsp/kernels/integers.c defines. */
enum nn_integers_function {
	NN_INTEGERS_ADD = 0,
	NN_INTEGERS_SUB = 1,
	NN_INTEGERS_MUL = 2,
	NN_INTEGERS_DIV = 3,
	NN_INTEGERS_FLOOR_DIV = 4,
	NN_INTEGERS_MOD = 5,
	NN_INTEGERS_FLOOR_MOD = 6,
	NN_INTEGERS_MIN = 7,
	NN_INTEGERS_MAX = 8,
	NN_INTEGERS_AND = 9,
	NN_INTEGERS_OR = 10,
	NN_INTEGERS_XOR = 11,
	/* Comparisons, in each of their forms in this order. */
	NN_INTEGERS_EQUAL = 12,
	NN_INTEGERS_NOT_EQUAL = 13,
	NN_INTEGERS_LESS = 14,
	NN_INTEGERS_LESS_OR_EQUAL = 15,
	NN_INTEGERS_EQUAL_FLOAT = 16,
	NN_INTEGERS_NOT_EQUAL_FLOAT = 17,
	NN_INTEGERS_LESS_FLOAT = 18,
	NN_INTEGERS_LESS_OR_EQUAL_FLOAT = 19,
	NN_INTEGERS_EQUAL_FIXED = 20,
	NN_INTEGERS_NOT_EQUAL_FIXED = 21,
	NN_INTEGERS_LESS_FIXED = 22,
	NN_INTEGERS_LESS_OR_EQUAL_FIXED = 23,
	NN_INTEGERS_FUNCTIONS
};

/* INTEGERS. What a function does not name is 0. Scales are positive and normal. */
struct nn_integers_params {
	uint32_t function;		/* enum nn_integers_function */
	float scale_a, scale_b;
	struct nn_fixed by[2];
};

/* AVERAGE_POOL_FLOAT. Of the window, multiplier and shift are 0. Scales as above. */
struct nn_average_float_params {
	struct nn_window_params window;
	float scale_input, scale_output;
	uint32_t order;			/* enum nn_average_order */
};

/*
 * COPY: `count` blocks of `block` bytes in each row, from src_offset + i * src_stride to dst_offset
 * + i * dst_stride of the row.
 */
struct nn_copy_params {
	uint32_t count;
	uint32_t block;
	uint32_t src_offset, src_stride;
	uint32_t dst_offset, dst_stride;
};

/* PIECE: see dsp/kernels/piece.c. In bytes, or with count 0 in rows. */
struct nn_piece_params {
	uint32_t count;			/* stretches in a row; 0: the rows are one */
	uint32_t whole;			/* of a stretch */
	uint32_t piece;			/* of it */
	uint32_t step;			/* from a piece to that of the next iteration */
	uint32_t into;			/* 1: pieces are put into stretches; 0: taken from them */
};

/* ADD_INT16: see dsp/kernels/add_int16.c. */
struct nn_add_int16_params {
	uint32_t left_shift;
	uint32_t subtract;		/* 1: b is subtracted */
	struct nn_fixed a, b, output;
};

/* BINARY_INT16: see dsp/kernels/binary_int16.c. */
enum nn_int16_function {
	NN_INT16_MUL = 0,
	NN_INT16_MIN = 1,
	NN_INT16_MAX = 2,
	NN_INT16_FUNCTIONS
};

struct nn_binary_int16_params {
	uint32_t function;		/* enum nn_int16_function */
	struct nn_fixed by;
};

/* POOL_INT16: see dsp/kernels/pool_int16.c. */
struct nn_pool_int16_params {
	struct nn_window_params window;
	uint32_t average;		/* 1: the mean, else the greatest */
};

/* SOFTMAX_INT16: see dsp/kernels/softmax_int16.c. */
struct nn_softmax_int16_params {
	struct nn_fixed by;
};

/* REDUCE_INT16: see dsp/kernels/reduce_int16.c. */
enum nn_reduce_int16_form {
	NN_REDUCE_INT16_MAX = 0,
	NN_REDUCE_INT16_MIN = 1,
	NN_REDUCE_INT16_MEAN_WHOLE = 2,
	NN_REDUCE_INT16_MEAN_AWAY = 3,
	NN_REDUCE_INT16_MEAN_FIXED = 4,
	NN_REDUCE_INT16_MEAN_SCALED = 5,
	NN_REDUCE_INT16_FORMS
};

struct nn_reduce_int16_params {
	uint32_t form;			/* enum nn_reduce_int16_form */
	uint32_t count, inner;
	float scale;			/* of MEAN_AWAY, positive and normal */
	struct nn_fixed by;
};

/* RESCALE: see dsp/kernels/rescale.c. */
struct nn_rescale_params {
	struct nn_fixed by, by_below;
};

/* LSTM: see dsp/kernels/lstm.c. Scales of each gate's sums, by the order of its weights. */
#define NN_LSTM_CELL_BITS	6
struct nn_lstm_params {
	struct nn_fixed input[4], last[4];
	struct nn_fixed output;
	uint32_t cell_bits;		/* 0 .. NN_LSTM_CELL_BITS */
	int32_t cell_clip;		/* 0 .. 32767; 0: the state is not clamped */
};

/* SVDF: see dsp/kernels/svdf.c. Scales of a feature's sum and of a unit's. */
struct nn_svdf_params {
	struct nn_fixed feature, output;
	uint32_t rank;			/* filters of a unit, 1 or more */
	uint32_t memory;		/* features of a filter that are kept, 1 or more */
};

/* SPREAD: see dsp/kernels/spread.c. */
struct nn_spread_params {
	uint32_t stride_h, stride_w;	/* 1 .. 255 */
	int32_t pad_top, pad_left;
};

/* SOFTMAX: see dsp/kernels/softmax.c. */
enum nn_softmax_form {
	NN_SOFTMAX_TENSORFLOW = 0,
	NN_SOFTMAX_FLOAT = 1,
	NN_SOFTMAX_LOG_TENSORFLOW = 2,
	NN_SOFTMAX_LOG_FLOAT = 3,
	NN_SOFTMAX_FORMS
};

struct nn_softmax_params {
	float scale_output;
	uint32_t form;			/* enum nn_softmax_form */
	float scale_input;		/* of the logarithms, positive and normal */
};

/* REDUCE: see dsp/kernels/reduce.c. */
enum nn_reduce_form {
	NN_REDUCE_MAX = 0,
	NN_REDUCE_MIN = 1,
	NN_REDUCE_SUM = 2,
	NN_REDUCE_PROD = 3,
	NN_REDUCE_MEAN = 4,
	NN_REDUCE_MEAN_ONCE = 5,
	NN_REDUCE_MEAN_AWAY = 6,
	NN_REDUCE_MEAN_WHOLE = 7,
	NN_REDUCE_VARIANCE = 8,
	NN_REDUCE_SUM_AWAY = 9,
	NN_REDUCE_SQUARES = 10,
	NN_REDUCE_LENGTH = 11,
	NN_REDUCE_MEAN_LINEAR = 12,
	NN_REDUCE_SUM_LINEAR = 13,
	NN_REDUCE_FORMS
};

struct nn_reduce_params {
	uint32_t axes;			/* a bit for each dimension of the input that is reduced */
	uint32_t form;			/* enum nn_reduce_form */
	/* Positive and normal, where the form has them. */
	float scale_input, scale_output;
};

/* ARG: see dsp/kernels/arg.c. */
enum nn_arg_form {
	NN_ARG_MAX = 0,
	NN_ARG_MIN = 1,
	NN_ARG_FORMS
};

struct nn_arg_params {
	uint32_t axis;			/* a dimension of the input, not 0 */
	uint32_t form;			/* enum nn_arg_form */
	uint32_t last;			/* 1: of equal elements the last */
};

/* TAKE: see dsp/kernels/take.c. */
#define NN_TAKE_DEPTH	7

struct nn_take_params {
	uint32_t depth;			/* numbers that a position has, 1 .. NN_TAKE_DEPTH */
	uint32_t sizes[NN_TAKE_DEPTH];	/* one past the greatest of each; 1 beyond depth */
	uint32_t parts;			/* of a row, each with positions of its own */
	uint32_t each;			/* 1: indices for each part; 0: the same for all */
	uint32_t run;			/* elements that are at a position */
};

/* SCATTER: see dsp/kernels/scatter.c. */
enum nn_scatter_form {
	NN_SCATTER_PUT = 0,
	NN_SCATTER_ADD = 1,
	NN_SCATTER_MUL = 2,
	NN_SCATTER_MIN = 3,
	NN_SCATTER_MAX = 4,
	NN_SCATTER_FORMS
};

struct nn_scatter_params {
	struct nn_take_params indexing;
	uint32_t form;			/* enum nn_scatter_form */
};

/* TOP: see dsp/kernels/top.c. */
struct nn_top_params {
	uint32_t least;			/* 1: the least elements, not the greatest */
};

/* CUMULATE: see dsp/kernels/cumulate.c. */
enum nn_cumulate_form {
	NN_CUMULATE_FLOAT = 0,
	NN_CUMULATE_INTEGERS = 1,
	NN_CUMULATE_FORMS
};

struct nn_cumulate_params {
	uint32_t axis;			/* a dimension of the input, not 0 */
	uint32_t form;			/* enum nn_cumulate_form */
	uint32_t exclusive;		/* 1: an element is not in its own sum */
	uint32_t backwards;		/* 1: sums begin at the last index */
	float scale_input, scale_output;	/* of FLOAT, positive and normal */
};

/* MATMUL: see dsp/kernels/matmul.c. */
enum nn_matmul_form {
	NN_MATMUL_FLOAT = 0,
	NN_MATMUL_FIXED = 1,
	NN_MATMUL_SUM = 2,
	NN_MATMUL_FORMS
};

/* MATMUL_INT16: see dsp/kernels/matmul_int16.c. */
enum nn_matmul_int16_form {
	NN_MATMUL_INT16_FIXED = 0,
	NN_MATMUL_INT16_ONCE = 1,
	NN_MATMUL_INT16_FORMS
};

/* MATMUL_INT16 has them, too. */
struct nn_matmul_params {
	uint32_t form;			/* enum nn_matmul_form, nn_matmul_int16_form */
	uint32_t transpose_a, transpose_b;	/* 1: the last two dimensions are swapped */
	int32_t zero_a, zero_b;		/* what is subtracted from elements */
	float scale;			/* of FLOAT, positive and normal */
	struct nn_fixed by;		/* of FIXED, and of 16 bits */
};

/* NORMALIZE: see dsp/kernels/normalize.c. */
enum nn_normalize_form {
	NN_NORMALIZE_SCALE = 0,
	NN_NORMALIZE_CENTER = 1,
	NN_NORMALIZE_DEVIATION = 2,
	NN_NORMALIZE_ROOT = 3,
	NN_NORMALIZE_SUM = 4,
	NN_NORMALIZE_GIVEN = 5,
	NN_NORMALIZE_FORMS
};

struct nn_normalize_params {
	uint32_t form;			/* enum nn_normalize_form */
	uint32_t length;		/* of a vector */
	uint32_t run;			/* elements that share scale and bias */
	float step, square_step, epsilon;
	float scale_output;		/* positive and normal */
};

/* RESIZE_LINEAR with weights in float32, else zeros. Scales are positive and normal. */
struct nn_resize_linear_params {
	float scale_input, scale_output;
};

/* ROI_ALIGN: see dsp/kernels/roi_align.c. */
enum nn_roi_align_form {
	NN_ROI_ALIGN_AVERAGE = 0,
	NN_ROI_ALIGN_MAX = 1,
	NN_ROI_ALIGN_FORMS
};

struct nn_roi_align_params {
	uint32_t form;			/* enum nn_roi_align_form */
	uint32_t samples;		/* of a bin, in each direction; 0: as its size says */
	uint32_t half_pixel;		/* 1: boxes begin half a pixel before */
	float spatial_scale;		/* all four are positive and normal */
	float scale_input, scale_boxes, scale_output;
};

/* MOVE, in elements: see dsp/kernels/move.c. */
#define NN_MOVE_DIMS	6

struct nn_move_params {
	uint32_t count[NN_MOVE_DIMS];
	uint32_t src_offset, dst_offset;
	int32_t src_stride[NN_MOVE_DIMS], dst_stride[NN_MOVE_DIMS];
};

/* FILL: see dsp/kernels/fill.c. */
struct nn_fill_params {
	uint32_t value;
};

/* FLOAT_CONV2D: see dsp/kernels/float_conv2d.c. Count, multiplier and shift are 0. */
struct nn_float_conv2d_params {
	struct nn_window_params window;
	uint32_t groups;
	float low, high;
};

/* FLOAT_POOL: see dsp/kernels/float_pool.c. Multiplier and shift are 0. */
enum nn_float_pool_form {
	NN_FLOAT_POOL_MAX = 0,
	NN_FLOAT_POOL_AVERAGE = 1,
	NN_FLOAT_POOL_FORMS
};

struct nn_float_pool_params {
	struct nn_window_params window;
	uint32_t form;			/* enum nn_float_pool_form */
	uint32_t far_h, far_w;		/* the input's size and what is padded behind it */
};

/* FLOAT_MATMUL: see dsp/kernels/float_matmul.c. */
struct nn_float_matmul_params {
	uint32_t transpose_a, transpose_b;	/* 1: the last two dimensions are swapped */
};

/* FLOAT_EACH: see dsp/kernels/float_each.c. */
enum nn_float_function {
	NN_FLOAT_ABS = 0,
	NN_FLOAT_NEGATE = 1,
	NN_FLOAT_CEIL = 2,
	NN_FLOAT_FLOOR = 3,
	NN_FLOAT_ROUND = 4,
	NN_FLOAT_SIGN = 5,
	NN_FLOAT_SQUARE_ROOT = 6,
	NN_FLOAT_RECIPROCAL = 7,
	NN_FLOAT_SQUARE = 8,
	NN_FLOAT_CLAMP = 9,
	NN_FLOAT_LEAKY = 10,
	NN_FLOAT_THRESHOLD = 11,
	NN_FLOAT_SHRINK = 12,
	NN_FLOAT_EXPONENTIAL = 13,
	NN_FLOAT_LOGARITHM = 14,
	NN_FLOAT_SIGMOID = 15,
	NN_FLOAT_TANH = 16,
	NN_FLOAT_ERROR = 17,
	NN_FLOAT_SOFTPLUS = 18,
	NN_FLOAT_SOFTSIGN = 19,
	NN_FLOAT_RECIPROCAL_ROOT = 20,
	NN_FLOAT_ELU = 21,
	NN_FLOAT_CELU = 22,
	NN_FLOAT_SELU = 23,
	NN_FLOAT_HARD_SIGMOID = 24,
	NN_FLOAT_HARD_SWISH = 25,
	NN_FLOAT_SWISH = 26,
	NN_FLOAT_MISH = 27,
	NN_FLOAT_GELU = 28,
	NN_FLOAT_GELU_TANH = 29,
	NN_FLOAT_SINE = 30,
	NN_FLOAT_COSINE = 31,
	NN_FLOAT_TANGENT = 32,
	NN_FLOAT_ARC_SINE = 33,
	NN_FLOAT_ARC_COSINE = 34,
	NN_FLOAT_ARC_TANGENT = 35,
	NN_FLOAT_HYPERBOLIC_SINE = 36,
	NN_FLOAT_HYPERBOLIC_COSINE = 37,
	NN_FLOAT_AREA_SINE = 38,
	NN_FLOAT_AREA_COSINE = 39,
	NN_FLOAT_AREA_TANGENT = 40,
	NN_FLOAT_FUNCTIONS
};

struct nn_float_each_params {
	uint32_t function;		/* enum nn_float_function */
	float alpha, beta;
};

/* FLOAT_BINARY: see dsp/kernels/float_binary.c. */
enum nn_float_two {
	NN_FLOAT_ADD = 0,
	NN_FLOAT_SUB = 1,
	NN_FLOAT_MUL = 2,
	NN_FLOAT_DIV = 3,
	NN_FLOAT_MIN = 4,
	NN_FLOAT_MAX = 5,
	NN_FLOAT_PRELU = 6,
	NN_FLOAT_POWER = 7,
	NN_FLOAT_SQUARED_DIFFERENCE = 8,
	NN_FLOAT_MODULO = 9,
	NN_FLOAT_EQUAL = 10,
	NN_FLOAT_LESS = 11,
	NN_FLOAT_LESS_OR_EQUAL = 12,
	NN_FLOAT_GREATER = 13,
	NN_FLOAT_GREATER_OR_EQUAL = 14,
	NN_FLOAT_TWO_FUNCTIONS
};

struct nn_float_binary_params {
	uint32_t function;		/* enum nn_float_two */
};

/* FLOAT_REDUCE: see dsp/kernels/float_reduce.c. */
enum nn_float_reduction {
	NN_FLOAT_SUM = 0,
	NN_FLOAT_MEAN = 1,
	NN_FLOAT_PRODUCT = 2,
	NN_FLOAT_REDUCE_MAX = 3,
	NN_FLOAT_REDUCE_MIN = 4,
	NN_FLOAT_SUM_MAGNITUDES = 5,
	NN_FLOAT_SUM_SQUARES = 6,
	NN_FLOAT_LENGTH = 7,
	NN_FLOAT_LOG_SUM = 8,
	NN_FLOAT_LOG_SUM_EXPONENTIAL = 9,
	/* What makes a vector of each. */
	NN_FLOAT_SOFTMAX = 16,
	NN_FLOAT_LOG_SOFTMAX = 17,
	NN_FLOAT_DEVIATION = 18,
	NN_FLOAT_RMS = 19,
	NN_FLOAT_HARD_MAX = 20,
	NN_FLOAT_DIVIDE_BY_SUM = 21,
	NN_FLOAT_DIVIDE_BY_LENGTH = 22,
	NN_FLOAT_CUMULATE = 23,
	NN_FLOAT_CUMULATE_BACKWARDS = 24,
	NN_FLOAT_CUMULATE_BEFORE = 25,
	NN_FLOAT_CUMULATE_BEHIND = 26,
	NN_FLOAT_REDUCTIONS
};

struct nn_float_reduce_params {
	uint32_t function;		/* enum nn_float_reduction */
	uint32_t length, inner;
	float epsilon;			/* 0 or above, finite */
};

/* FLOAT_CONVERT: see dsp/kernels/float_convert.c. */
enum nn_float_conversion {
	NN_FLOAT_FROM = 0,
	NN_FLOAT_QUANTIZE = 1,
	NN_FLOAT_CUT = 2,
	NN_FLOAT_CONVERSIONS
};

struct nn_float_convert_params {
	uint32_t form;			/* enum nn_float_conversion */
	float scale;			/* above 0, finite */
};

/* PROPOSAL: see dsp/kernels/proposal.c and docs/reader.md. */
struct nn_proposal_params {
	uint32_t stride_y, stride_x;	/* pixels, 1 .. 4096, */
	uint32_t image_h, image_w;	/* and these */
	uint32_t delta_zero;		/* 0 .. 255 */
	uint32_t delta_shift;		/* 1 .. 8 */
	uint32_t score_min;		/* 0 .. 255 */
	uint32_t min_size;		/* 1/16 pixel, 1 .. 65536 */
	uint32_t before, after;		/* at least 1 */
	uint32_t iou;			/* 1/256, 0 .. 256 */
};

/* NON_MAX_SUPPRESSION: see dsp/kernels/non_max_suppression.c. */
enum nn_suppression_form {
	NN_SUPPRESSION_ORDERED = 1,	/* equal scores by their index, and each box once: as in ONNX */
	NN_SUPPRESSION_CENTERS = 2,	/* a box is its middle and its lengths, x before y */
	NN_SUPPRESSION_FORMS = 4,	/* any of them together */
};

struct nn_non_max_suppression_params {
	float iou_max, score_min;	/* finite */
	float exponent;			/* of soft suppression, 0 or below; 0: none is soft */
	float scale_boxes, scale_scores;	/* above 0, finite; of FLOAT32: not looked at */
	uint32_t form;			/* enum nn_suppression_form */
};

struct nn_transpose_params {
	/* Output dimension i is input dimension permutation[i]; dimension 0 stays. */
	uint32_t permutation[NN_MAX_RANK];
};

#define NN_PARAM_WORDS	22

struct nn_program_op {
	uint32_t opcode;		/* enum nn_opcode */
	uint32_t node;			/* the graph's id of its node, for errors and traces */
	uint16_t input[NN_MAX_OP_INPUTS];	/* tensor index or NN_NO_TENSOR */
	uint16_t output[NN_MAX_OP_OUTPUTS];
	/* Clamp of 8- and 16-bit results, after the zero point was added: a fused activation. */
	int32_t out_min, out_max;
	/*
	 * The opcode's parameters; what it has none for is 0 (NN_PARAMS in
	 * dsp/program/operators.h).
	 */
	union {
		struct nn_window_params window;
		struct nn_add_params add;
		struct nn_add_float_params add_float;
		struct nn_binary_params binary;
		struct nn_integers_params integers;
		struct nn_average_float_params average_float;	/* begins as `window` does */
		struct nn_copy_params copy;
		struct nn_piece_params piece;
		struct nn_transpose_params transpose;
		struct nn_move_params move;
		struct nn_fill_params fill;
		struct nn_softmax_params softmax;
		struct nn_add_int16_params add_int16;
		struct nn_binary_int16_params binary_int16;
		struct nn_pool_int16_params pool_int16;	/* begins as `window` does */
		struct nn_softmax_int16_params softmax_int16;
		struct nn_reduce_int16_params reduce_int16;
		struct nn_rescale_params rescale;
		struct nn_lstm_params lstm;
		struct nn_svdf_params svdf;
		struct nn_spread_params spread;
		struct nn_resize_linear_params resize_linear;
		struct nn_roi_align_params roi_align;
		struct nn_reduce_params reduce;
		struct nn_matmul_params matmul;
		struct nn_arg_params arg;
		struct nn_cumulate_params cumulate;
		struct nn_take_params take;
		struct nn_scatter_params scatter;
		struct nn_top_params top;
		struct nn_normalize_params normalize;
		struct nn_float_conv2d_params float_conv2d;	/* begins as `window` does */
		struct nn_float_pool_params float_pool;		/* begins as `window` does */
		struct nn_float_matmul_params float_matmul;
		struct nn_float_each_params float_each;
		struct nn_float_binary_params float_binary;
		struct nn_float_reduce_params float_reduce;
		struct nn_float_convert_params float_convert;
		struct nn_proposal_params proposal;
		struct nn_non_max_suppression_params non_max_suppression;
		uint32_t words[NN_PARAM_WORDS];
	};
};

/*
 * Exact counts of the board while an operator or a pass ran. Packets are not cycles: they ignore
 * memory stalls. The host device writes zeros but for calls. Where an operator does the work of
 * those behind it as well, they have none.
 */
struct nn_profile_record {
	uint64_t packets;
	uint64_t instructions;
	uint64_t hvx_instructions;	/* of the above, vector ones */
	/* Times this operator ran. Records add up over passes until the library clears them. */
	uint64_t calls;
};

/*
 * The bytes of whole lines that passed between L2 and the memory behind it while an operator or a
 * pass ran. Zeros where nothing counts that. What an operator has written may be written back, and
 * is counted, while a later one runs.
 */
struct nn_memory_record {
	uint64_t size;		/* of the L2 cache; does not add up; 0: not known */
	uint64_t fetched;	/* from behind it, because a read did not find them there */
	uint64_t allocated;	/* there by writes, without being fetched */
	uint64_t written_back;	/* because room was needed for other lines */
};

/*
 * Why a program was refused. Numbers are only ever added, at the end. nn_program_reason_text() in
 * the library has a sentence for each.
 */
enum nn_program_reason {
	NN_REASON_NONE = 0,
	NN_REASON_ADDRESS,	/* program, region or profile outside the window or misaligned */
	NN_REASON_HEADER,		/* magic, size or counts */
	NN_REASON_REGION,		/* region fields */
	NN_REASON_TENSOR,		/* tensor fields, or it does not fit its region */
	NN_REASON_OPCODE,		/* unknown operator */
	NN_REASON_OPERAND,	/* missing or surplus operand, wrong type, read-only output */
	NN_REASON_SHAPE,		/* operand shapes do not fit each other or the parameters */
	NN_REASON_PARAMETER,		/* parameter out of range */
	NN_REASON_ROWS,			/* the pass's rows exceed a tensor's room */
	NN_REASON_VERSION,	/* the program is of no NN_PROGRAM_VERSION */
	NN_REASON_PITCH,	/* an operand has a pitch that the operator cannot have there */
	/* These are of control programs (nn_control.h), with a step's number for an operator. */
	NN_REASON_STEP,		/* fields of a step */
	NN_REASON_STATE,	/* the state is none that a control program is left off in */
	NN_REASON_PROGRESS,	/* a loop's iteration has 0 rows of a total that is not reached */
	NN_REASON_TRIPS,	/* a loop's total is below 0 or above its most, or it goes on past that */
	NN_REASON_TOO_MANY,	/* a loop or a count has more than 2^32 - 1 rows */
	NN_REASON_LIMIT,	/* there are more iterations than the limit */
};

#endif
