/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The list of operators: one line each. It is included wherever something is made from it, by who
 * has defined one of these or more:
 *
 * NN_OPERATOR(ID, name): an operator of graphs. libnnloop/ops/ has NN_OP_ID and nn_op_name, in
 *	name.c or the file of its family.
 * NN_OPCODE(ID, name, number, where): an operator of programs. NN_OPCODE_ID is its number, which
 *	is part of the program format: numbers are only ever added. dsp/kernels/name.c says what
 *	it computes and has nn_name_check() and nn_name_portable(); where is hvx if a name.c below dsp/hvx/
 *	has nn_name_hvx(), else portable, and the DSP runs that. tests/dsp/kernels/name.c has the
 *	tests.
 * NN_SOME_VECTORS(ID, name): the vector kernel of opcode ID is for some calls only. Which ones
 *	nn_name_has_vectors() of dsp/kernels/name.c says, for the kernel itself, which leaves the
 *	others to portable C, and for the library, which tells users.
 * NN_PARAMS(ID, last): opcode ID has parameters, of which this is the last one in struct
 *	nn_program_op. The interpreter refuses what is not 0 behind it, and in an opcode without
 *	parameters altogether.
 * NN_CLAMPED(ID): results of opcode ID that have 8 or 16 bits are clamped to out_min and out_max of
 *	struct nn_program_op. Else these are 0.
 * NN_PITCHED(ID, inputs): output 0 of opcode ID can have a pitch (struct nn_program_tensor), and so
 *	can the inputs of which a bit is set, if any. The interpreter refuses a program where any
 *	other operand has one, so nobody but the kernels of these needs to know what that is.
 *
 * Many operators of graphs become others' opcodes; some opcodes are the library's own.
 */
#ifndef NN_OPERATOR
#define NN_OPERATOR(ID, name)
#endif
#ifndef NN_OPCODE
#define NN_OPCODE(ID, name, number, where)
#endif
#ifndef NN_SOME_VECTORS
#define NN_SOME_VECTORS(ID, name)
#endif
#ifndef NN_PARAMS
#define NN_PARAMS(ID, last)
#endif
#ifndef NN_CLAMPED
#define NN_CLAMPED(ID)
#endif
#ifndef NN_PITCHED
#define NN_PITCHED(ID, inputs)
#endif

/* The graph's ends, and what the library puts in. */
NN_OPERATOR(INPUT, input)
NN_OPERATOR(CONST, const)
NN_OPERATOR(OUTPUT, output)
NN_OPERATOR(SINK, sink)

/* Operators that move or rename elements. */
NN_OPERATOR(NOP, nop)
NN_OPERATOR(EXPECT, expect)
NN_OPERATOR(COPY, copy)
	NN_OPCODE(COPY, copy, 9, hvx)		/* also reshape, concatenation, slices */
	NN_PARAMS(COPY, copy.dst_stride)
NN_OPERATOR(RESHAPE, reshape)
NN_OPERATOR(TRANSPOSE, transpose) NN_OPCODE(TRANSPOSE, transpose, 10, hvx)
	NN_PARAMS(TRANSPOSE, transpose.permutation)
NN_OPERATOR(CONCAT, concat)
NN_OPERATOR(SLICE, slice)
NN_OPERATOR(SPREAD, spread) NN_OPCODE(SPREAD, spread, 28, hvx)
	NN_PARAMS(SPREAD, spread.pad_left)
NN_OPERATOR(MOVE, move) NN_OPCODE(MOVE, move, 19, hvx)	/* by strides of any kind */
	NN_SOME_VECTORS(MOVE, move)
	NN_PARAMS(MOVE, move.dst_stride)
NN_OPERATOR(GATHER, gather)
NN_OPERATOR(TAKE, take) NN_OPCODE(TAKE, take, 32, hvx)	/* by indices that are computed */
	NN_PARAMS(TAKE, take.run)
NN_OPERATOR(SCATTER, scatter) NN_OPCODE(SCATTER, scatter, 35, hvx)	/* to such */
	NN_SOME_VECTORS(SCATTER, scatter)
	NN_PARAMS(SCATTER, scatter.form)
NN_OPERATOR(PAD, pad) NN_OPCODE(FILL, fill, 20, hvx)	/* one value everywhere */
	NN_PARAMS(FILL, fill.value)

/* Windows. */
NN_OPERATOR(CONV2D, conv2d) NN_OPCODE(CONV2D, conv2d, 1, hvx)
	NN_SOME_VECTORS(CONV2D, conv2d)
	NN_PARAMS(CONV2D, window.pad_left) NN_CLAMPED(CONV2D)
	NN_PITCHED(CONV2D, 1)
	NN_OPCODE(CONV2D_INT16, conv2d_int16, 25, hvx)	/* also depthwise */
	NN_SOME_VECTORS(CONV2D_INT16, conv2d_int16)
	NN_PARAMS(CONV2D_INT16, window.pad_left) NN_CLAMPED(CONV2D_INT16)
NN_OPERATOR(DEPTHWISE_CONV2D, depthwise_conv2d)
	NN_OPCODE(DEPTHWISE_CONV2D, depthwise_conv2d, 2, hvx)
	NN_SOME_VECTORS(DEPTHWISE_CONV2D, depthwise_conv2d)
	NN_PARAMS(DEPTHWISE_CONV2D, window.pad_left) NN_CLAMPED(DEPTHWISE_CONV2D)
	NN_PITCHED(DEPTHWISE_CONV2D, 1)
NN_OPERATOR(FULLY_CONNECTED, fully_connected) NN_OPCODE(FULLY_CONNECTED, fully_connected, 3, hvx)
	NN_SOME_VECTORS(FULLY_CONNECTED, fully_connected)
	NN_CLAMPED(FULLY_CONNECTED)
NN_OPERATOR(MATMUL, matmul) NN_OPCODE(MATMUL, matmul, 29, hvx)	/* without constant weights */
	NN_SOME_VECTORS(MATMUL, matmul)
	NN_PARAMS(MATMUL, matmul.by) NN_CLAMPED(MATMUL)
	NN_OPCODE(MATMUL_INT16, matmul_int16, 47, hvx)	/* of 16 bits */
	NN_SOME_VECTORS(MATMUL_INT16, matmul_int16)
	NN_PARAMS(MATMUL_INT16, matmul.by) NN_CLAMPED(MATMUL_INT16)
NN_OPERATOR(MAX_POOL, max_pool) NN_OPCODE(MAX_POOL, max_pool, 4, hvx)
	NN_SOME_VECTORS(MAX_POOL, max_pool)
	NN_PARAMS(MAX_POOL, window.pad_left) NN_CLAMPED(MAX_POOL)
	NN_PITCHED(MAX_POOL, 1)
NN_OPERATOR(AVERAGE_POOL, average_pool) NN_OPCODE(AVERAGE_POOL, average_pool, 5, hvx)
	NN_SOME_VECTORS(AVERAGE_POOL, average_pool)
	NN_PARAMS(AVERAGE_POOL, window.shift) NN_CLAMPED(AVERAGE_POOL)
	NN_PITCHED(AVERAGE_POOL, 1)
	NN_OPCODE(AVERAGE_POOL_FLOAT, average_pool_float, 15, hvx)	/* rounded as in float32 */
	NN_SOME_VECTORS(AVERAGE_POOL_FLOAT, average_pool_float)
	NN_PARAMS(AVERAGE_POOL_FLOAT, average_float.order) NN_CLAMPED(AVERAGE_POOL_FLOAT)
	NN_PITCHED(AVERAGE_POOL_FLOAT, 1)
	NN_OPCODE(AVERAGE_POOL_AWAY, average_pool_away, 16, hvx)	/* ties away from 0 */
	NN_SOME_VECTORS(AVERAGE_POOL_AWAY, average_pool_away)
	NN_PARAMS(AVERAGE_POOL_AWAY, window.pad_left) NN_CLAMPED(AVERAGE_POOL_AWAY)
	NN_PITCHED(AVERAGE_POOL_AWAY, 1)
	NN_OPCODE(POOL_INT16, pool_int16, 41, hvx)	/* the greatest or the mean */
	NN_SOME_VECTORS(POOL_INT16, pool_int16)
	NN_PARAMS(POOL_INT16, pool_int16.average) NN_CLAMPED(POOL_INT16)
NN_OPERATOR(CROP_RESIZE, crop_resize)
	NN_OPCODE(CROP_RESIZE, crop_resize, 13, hvx)	/* boxes out of images, bilinear */
NN_OPERATOR(ROI_ALIGN, roi_align)
	NN_OPCODE(ROI_ALIGN, roi_align, 46, hvx)	/* boxes out of images, in float32 */
	NN_SOME_VECTORS(ROI_ALIGN, roi_align)
	NN_PARAMS(ROI_ALIGN, roi_align.scale_output) NN_CLAMPED(ROI_ALIGN)
NN_OPERATOR(RESIZE, resize)
	NN_OPCODE(RESIZE, resize, 21, hvx)		/* the nearest pixels */
	NN_PITCHED(RESIZE, 0)
	NN_OPCODE(RESIZE_LINEAR, resize_linear, 22, hvx)		/* bilinear */
	NN_SOME_VECTORS(RESIZE_LINEAR, resize_linear)
	NN_PARAMS(RESIZE_LINEAR, resize_linear.scale_output) NN_CLAMPED(RESIZE_LINEAR)
	NN_OPCODE(FLOAT_RESIZE, float_resize, 71, portable)	/* bilinear, of float32 */

/* Element by element. */
NN_OPERATOR(ADD, add) NN_OPCODE(ADD, add, 6, hvx)
	NN_PARAMS(ADD, add.shift) NN_CLAMPED(ADD)
	NN_PITCHED(ADD, 3)
	NN_OPCODE(ADD_FLOAT, add_float, 14, hvx)		/* rounded as in float32 */
	NN_SOME_VECTORS(ADD_FLOAT, add_float)
	NN_PARAMS(ADD_FLOAT, add_float.form) NN_CLAMPED(ADD_FLOAT)
	NN_PITCHED(ADD_FLOAT, 3)
NN_OPERATOR(ADD_INT16, add_int16) NN_OPCODE(ADD_INT16, add_int16, 26, hvx)
	NN_PARAMS(ADD_INT16, add_int16.output) NN_CLAMPED(ADD_INT16)
NN_OPERATOR(SUB, sub)
NN_OPERATOR(MUL, mul)
NN_OPERATOR(DIV, div)
NN_OPERATOR(MINIMUM, minimum)
NN_OPERATOR(MAXIMUM, maximum)
NN_OPERATOR(PRELU, prelu)
NN_OPERATOR(SQUARED_DIFFERENCE, squared_difference)
NN_OPCODE(BINARY, binary, 18, hvx)	/* any function of two, any of which is broadcast */
	NN_SOME_VECTORS(BINARY, binary)
	NN_PARAMS(BINARY, binary.add) NN_CLAMPED(BINARY)
NN_OPCODE(BINARY_INT16, binary_int16, 40, hvx)
	NN_SOME_VECTORS(BINARY_INT16, binary_int16)
	NN_PARAMS(BINARY_INT16, binary_int16.by) NN_CLAMPED(BINARY_INT16)
NN_OPERATOR(COMPARE, compare)
NN_OPERATOR(INTEGERS, integers)
	NN_OPCODE(INTEGERS, integers, 37, hvx)	/* also comparisons */
	NN_SOME_VECTORS(INTEGERS, integers)
	NN_PARAMS(INTEGERS, integers.by)
NN_OPERATOR(SELECT, select) NN_OPCODE(SELECT, select, 38, hvx)
NN_OPERATOR(CAST, cast) NN_OPCODE(CONVERT, convert, 39, hvx)	/* among integers */
	NN_SOME_VECTORS(CONVERT, convert)
NN_OPERATOR(REQUANTIZE, requantize)
	NN_OPCODE(REQUANTIZE, requantize, 7, hvx)	/* int32 to 8 bit */
	NN_CLAMPED(REQUANTIZE)
NN_OPERATOR(TABLE, table)
	NN_OPCODE(TABLE, table, 8, hvx)		/* 8 bit to 8 bit by a table of 256 */
	NN_PITCHED(TABLE, 1)
	NN_OPCODE(TABLE_INT16, table_int16, 45, hvx)	/* where 16 bits are read or made */
	NN_SOME_VECTORS(TABLE_INT16, table_int16)
NN_OPERATOR(RELU, relu)
NN_OPERATOR(RELU6, relu6)
NN_OPERATOR(CLAMP, clamp)
NN_OPERATOR(LEAKY_RELU, leaky_relu)
NN_OPERATOR(RESCALE, rescale)
	NN_OPCODE(RESCALE, rescale, 27, hvx)	/* where 16 bits are read or made */
	NN_PARAMS(RESCALE, rescale.by_below) NN_CLAMPED(RESCALE)
NN_OPERATOR(SIGMOID, sigmoid)
NN_OPERATOR(TANH, tanh)

/* Along a dimension. */
NN_OPERATOR(SOFTMAX, softmax) NN_OPCODE(SOFTMAX, softmax, 17, hvx)
	NN_SOME_VECTORS(SOFTMAX, softmax)
	NN_PARAMS(SOFTMAX, softmax.scale_input) NN_CLAMPED(SOFTMAX)
	NN_OPCODE(SOFTMAX_INT16, softmax_int16, 42, hvx)
	NN_SOME_VECTORS(SOFTMAX_INT16, softmax_int16)
	NN_PARAMS(SOFTMAX_INT16, softmax_int16.by) NN_CLAMPED(SOFTMAX_INT16)
NN_OPERATOR(REDUCE, reduce) NN_OPCODE(REDUCE, reduce, 23, hvx)
	NN_SOME_VECTORS(REDUCE, reduce)
	NN_PARAMS(REDUCE, reduce.scale_output) NN_CLAMPED(REDUCE)
	NN_OPCODE(REDUCE_INT16, reduce_int16, 43, hvx)
	NN_SOME_VECTORS(REDUCE_INT16, reduce_int16)
	NN_PARAMS(REDUCE_INT16, reduce_int16.by) NN_CLAMPED(REDUCE_INT16)
NN_OPERATOR(ARG, arg) NN_OPCODE(ARG, arg, 30, hvx)	/* where the extremes are */
	NN_SOME_VECTORS(ARG, arg)
	NN_PARAMS(ARG, arg.last)
NN_OPERATOR(TOP, top) NN_OPCODE(TOP, top, 36, hvx)	/* where the greatest ones are */
	NN_SOME_VECTORS(TOP, top)
	NN_PARAMS(TOP, top.least)
NN_OPERATOR(WEIGHTED_SUM, weighted_sum)
	NN_OPCODE(WEIGHTED_SUM, weighted_sum, 48, hvx)	/* of int16, by int16 */
NN_OPERATOR(LSTM, lstm) NN_OPCODE(LSTM, lstm, 49, hvx)	/* with a state of int16 */
	NN_SOME_VECTORS(LSTM, lstm)
	NN_PARAMS(LSTM, lstm.cell_clip)
NN_OPERATOR(SVDF, svdf) NN_OPCODE(SVDF, svdf, 50, hvx)	/* filters over time */
	NN_SOME_VECTORS(SVDF, svdf)
	NN_PARAMS(SVDF, svdf.memory)
NN_OPERATOR(CUMULATE, cumulate) NN_OPCODE(CUMULATE, cumulate, 31, hvx)
	NN_SOME_VECTORS(CUMULATE, cumulate)
	NN_PARAMS(CUMULATE, cumulate.scale_output) NN_CLAMPED(CUMULATE)
NN_OPERATOR(NORMALIZE, normalize) NN_OPCODE(NORMALIZE, normalize, 33, hvx)
	NN_SOME_VECTORS(NORMALIZE, normalize)
	NN_PARAMS(NORMALIZE, normalize.scale_output) NN_CLAMPED(NORMALIZE)
NN_OPERATOR(L2_NORMALIZE, l2_normalize)
	NN_OPCODE(L2_NORMALIZE, l2_normalize, 34, hvx)	/* in integers */
	NN_CLAMPED(L2_NORMALIZE)

/* Tensors of float32, on the DSP's scalar unit (dsp/kernels/float.h). */
NN_OPERATOR(FLOAT_CONV2D, float_conv2d) NN_OPCODE(FLOAT_CONV2D, float_conv2d, 64, portable)
	NN_PARAMS(FLOAT_CONV2D, float_conv2d.high)
NN_OPERATOR(FLOAT_POOL, float_pool) NN_OPCODE(FLOAT_POOL, float_pool, 65, portable)
	NN_PARAMS(FLOAT_POOL, float_pool.far_w)
NN_OPERATOR(FLOAT_MATMUL, float_matmul) NN_OPCODE(FLOAT_MATMUL, float_matmul, 66, portable)
	NN_PARAMS(FLOAT_MATMUL, float_matmul.transpose_b)
NN_OPERATOR(FLOAT_EACH, float_each) NN_OPCODE(FLOAT_EACH, float_each, 67, portable)
	NN_PARAMS(FLOAT_EACH, float_each.beta)
NN_OPERATOR(FLOAT_BINARY, float_binary) NN_OPCODE(FLOAT_BINARY, float_binary, 68, portable)
	NN_PARAMS(FLOAT_BINARY, float_binary.function)
NN_OPERATOR(FLOAT_REDUCE, float_reduce) NN_OPCODE(FLOAT_REDUCE, float_reduce, 69, portable)
	NN_PARAMS(FLOAT_REDUCE, float_reduce.epsilon)
NN_OPERATOR(FLOAT_CONVERT, float_convert) NN_OPCODE(FLOAT_CONVERT, float_convert, 70, portable)
	NN_PARAMS(FLOAT_CONVERT, float_convert.scale)

/* Loops, and what they carry. */
NN_OPERATOR(BATCH_LOOP, batch_loop)
NN_OPERATOR(COUNT_LOOP, count_loop)
NN_OPERATOR(WHILE_LOOP, while_loop)
NN_OPERATOR(CONTINUE, continue)	/* which a WhileLoop asks */
NN_OPERATOR(COLLECT, collect)	/* leaves a loop */
NN_OPERATOR(LAST, last)	/* likewise */
NN_OPERATOR(PROPOSAL, proposal)
	NN_OPCODE(PROPOSAL, proposal, 56, portable)	/* boxes of a grid that are best */
	NN_PARAMS(PROPOSAL, proposal.iou)
NN_OPERATOR(DETECTION_POST_PROCESS, detection_post_process)
NN_OPERATOR(NON_MAX_SUPPRESSION, non_max_suppression)
	NN_OPCODE(NON_MAX_SUPPRESSION, non_max_suppression, 61, portable)	/* boxes that are best */
	NN_PARAMS(NON_MAX_SUPPRESSION, non_max_suppression.form)
NN_OPERATOR(QUANTIZE, quantize)
NN_OPERATOR(REAL, real)
NN_OPERATOR(ATTENTION, attention)
NN_OPERATOR(GRID_SAMPLE, grid_sample)
NN_OPERATOR(ROTARY_EMBEDDING, rotary_embedding)
NN_OPERATOR(NEGATIVE_LOG_LIKELIHOOD, negative_log_likelihood)
NN_OPERATOR(RESAMPLE, resample)
NN_OPERATOR(REAL_EACH, real_each)
NN_OPERATOR(REAL_SCALE, real_scale)
NN_OPERATOR(REAL_TRANSPOSED, real_transposed)
NN_OPERATOR(REAL_RECURRENT, real_recurrent)
NN_OPERATOR(VARIABLE, variable)
NN_OPERATOR(ASSIGN, assign)
/* Rows of the source, beginning again after its last; and which row each row of a pass is. */
NN_OPCODE(ROTATE_ROWS, rotate_rows, 11, hvx)
NN_OPCODE(ROW_NUMBERS, row_numbers, 12, hvx)
/* A piece of a dimension, which one depends on the iteration. */
NN_OPCODE(PIECE, piece, 80, hvx)
	NN_PARAMS(PIECE, piece.into)

#undef NN_OPERATOR
#undef NN_OPCODE
#undef NN_SOME_VECTORS
#undef NN_PARAMS
#undef NN_CLAMPED
#undef NN_PITCHED
