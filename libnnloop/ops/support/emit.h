/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the operators' lower functions: adding tensors, constants and operators to the program
 * that is being written.
 */
#ifndef NN_EMIT_H
#define NN_EMIT_H

#include "dsp/program/nn_program.h"
#include "graph/graph.h"

/* The program's number of a value; -errno if the program is full. */
int nn_lower_value(struct nn_lowering *lowering, struct nn_value *value);

/* The same elements as one row of level 0, all rows that there is room for. For values in the
 * arena, inputs and constants. */
int nn_lower_flat(struct nn_lowering *lowering, struct nn_value *value);

/* The same for a value that keeps its elements, whether the loop whose rows it has runs or not. */
int nn_lower_whole(struct nn_lowering *lowering, struct nn_value *value);

/*
 * The rows of a pass of a loop of this level in what it collects, `block` elements each; `of` is that,
 * with so many rows in all.
 */
int nn_lower_collected(struct nn_lowering *lowering, struct nn_value *of, uint32_t rows,
		       uint32_t level, uint32_t pass_rows, uint32_t block);

/* All of what a loop of this level collects, as rows that are those of each of its passes. */
int nn_lower_collected_along(struct nn_lowering *lowering, struct nn_value *of, uint32_t rows,
			     uint32_t level, uint32_t block);

/* The same for the rows of a count of this level, which are packed. */
int nn_lower_packed(struct nn_lowering *lowering, struct nn_value *of, uint32_t rows, uint32_t level,
		    uint32_t block);

/*
 * One row of a loop that has one row in each pass, of all elements of a value without a loop's rows.
 */
int nn_lower_single_row(struct nn_lowering *lowering, struct nn_value *value, uint32_t level);

/*
 * Returns the program's number of the tensor that has the pixels that a value is in, if it is some
 * channels of another, whose pixels are side by side. The value's channels begin at byte *offset of
 * each, and so many bytes are from a pixel to the next.
 */
int nn_lower_pixels(struct nn_lowering *lowering, struct nn_value *value, uint32_t *offset,
		    uint32_t *pitch);

/* The same elements of a value, an image, as one of other sizes. */
int nn_lower_image(struct nn_lowering *lowering, struct nn_value *value, uint32_t height,
		   uint32_t width, uint32_t channels);

/*
 * A small constant of the lowered graph, and a tensor of one dimension that is all of it. *data is
 * where to write its elements, zeros so far; NULL if they have been written by an earlier plan.
 * Returns the program's number of the tensor or -errno.
 */
int nn_lower_constant(struct nn_lowering *lowering, enum nn_type type, uint64_t elements,
		      void **data);

/* The same with a tensor of one row. */
int nn_lower_row(struct nn_lowering *lowering, enum nn_type type, uint64_t elements, void **data);

/* The same without a tensor: 0 or -errno. */
int nn_lower_bytes(struct nn_lowering *lowering, uint64_t bytes, void **data);

/* Writes all bytes of a constant of a node to the device's memory, which has anything in it and is
 * not to be read, because it may be uncached. */
typedef void (*nn_fill_fp)(void *to, const struct nn_node *node);
/* A large one, which is only made where the device needs it. 0 or -errno. */
int nn_lower_filled(struct nn_lowering *lowering, uint64_t bytes, nn_fill_fp fill,
		    const struct nn_node *node);

/* A tensor in the constant that was added last, from byte `offset` on, of one dimension if there is
 * one row. Returns the program's number of it or -errno. */
int nn_lower_part(struct nn_lowering *lowering, enum nn_type type, uint64_t offset, uint32_t rows,
		  uint64_t elements);

/* Its zero point, which is 0 else. */
void nn_lower_zero_point(struct nn_lowering *lowering, int tensor, int32_t zero_point);

/* Add an operator; NULL after reporting an error. Valid until the next call; operands are
 * NN_NO_TENSOR and the clamp is off. */
struct nn_program_op *nn_lower_op(struct nn_lowering *lowering, struct nn_node *node,
				  enum nn_opcode opcode);

/* The same with its first input and output, and nothing else of it. 0 or -errno. */
int nn_lower_unary(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode,
		   struct nn_value *from, struct nn_value *to, struct nn_program_op **op);

/* Add a copy from one of the program's tensors to another. Where finding one failed its number is
 * -errno, which this returns. */
int nn_lower_copy_tensor(struct nn_lowering *lowering, struct nn_node *node, int input, int output,
			 const struct nn_copy_params *copy);

/* Rows of a value to output `slot` of the execution. */
int nn_lower_copy_to_output(struct nn_lowering *lowering, struct nn_node *node,
			    struct nn_value *value, uint32_t slot);

/* A copy of a value of the same shape, but perhaps of another number of rows. */
int nn_lower_copy(struct nn_lowering *lowering, struct nn_node *node, struct nn_value *from,
		  struct nn_value *to);

/* Set the clamp to the range of the output's type and the activation that is part of the node. */
void nn_lower_limits(struct nn_program_op *op, const struct nn_node *node);

#endif
