/* SPDX-License-Identifier: MIT */
/*
 * The builder's operators of float32 tensors (floats.c): tensors whose quant.type is NN_FLOAT32 and
 * that have no scale. A model's own float operators become these where nothing quantizes what they
 * read and make.
 */
#ifndef NN_IMPORT_FLOATS_H
#define NN_IMPORT_FLOATS_H

#include "import/build.h"

/* The type, and no scale. */
extern const struct nn_quant nn_quant_float;

static inline bool nn_is_float(const struct nn_build_tensor *tensor)
{
	return tensor->quant.type == NN_FLOAT32;
}

/* Adds a FloatEach, whose function is ONNX's by name, or one of the graph's own. Parameters: NULL, or
 * infinite: what they are without. */
int nn_build_float_each(struct nn_builder *builder, const char *function, const float *alpha,
			const float *beta, const struct nn_build_tensor *x,
			struct nn_build_tensor *out);
/* Adds a FloatBinary; quant is that of float32, or of bool for comparisons. */
int nn_build_float_binary(struct nn_builder *builder, const char *function,
			  const struct nn_operand operands[2], const struct nn_quant *quant,
			  struct nn_build_tensor *out);
/* The same of a tensor and a constant, or a number; *out may be the tensor. */
int nn_build_float_by(struct nn_builder *builder, const char *function,
		      const struct nn_build_tensor *x, const struct nn_const *by,
		      struct nn_build_tensor *out);
int nn_build_float_by_number(struct nn_builder *builder, const char *function,
			     const struct nn_build_tensor *x, float by,
			     struct nn_build_tensor *out);
/* Adds a FloatConvert: integers as float32, or float32 as integers. */
int nn_build_float_convert(struct nn_builder *builder, const struct nn_build_tensor *x,
			   const struct nn_quant *quant, struct nn_build_tensor *out);

/* Weights of floats in whatever order the model has them, as struct nn_build_weights. */
struct nn_float_weights {
	const struct nn_const *values, *bias; /* bias: NULL, or one number, or one for each output */
	uint32_t outputs, height, width;
	uint32_t inputs; /* of one group */
	uint64_t output_stride, row_stride, column_stride, input_stride;
};

/* A convolution of images. */
int nn_build_float_conv(struct nn_builder *builder, const struct nn_build_tensor *x,
			const struct nn_float_weights *weights, uint32_t groups,
			const struct nn_window *window, struct nn_build_tensor *out);
/*
 * A transposed convolution of images. With several groups, output o and input i of its group are
 * elements of input i + o / outputs of a group * inputs of a group, of output o modulo outputs of a
 * group.
 */
int nn_build_float_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			      const struct nn_float_weights *weights, uint32_t groups,
			      const struct nn_transposed *transposed, struct nn_build_tensor *out);
/* A pool of images, of function max or mean; far: how much padding below and to the right counts. */
int nn_build_float_pool(struct nn_builder *builder, const struct nn_build_tensor *x,
			const char *function, const struct nn_window *window, const uint32_t far[2],
			struct nn_build_tensor *out);
/* A fully connected layer of the last dimension; height and width are 1. */
int nn_build_float_layer(struct nn_builder *builder, const struct nn_build_tensor *x,
			 const struct nn_float_weights *weights, struct nn_build_tensor *out);
/* Matrices times matrices. */
int nn_build_float_product(struct nn_builder *builder, const struct nn_product *product,
			   struct nn_build_tensor *out);

/* A FloatReduce along the axes, a bit for each, which stay as 1 if it makes one number of a vector. */
struct nn_float_along {
	const char *function;
	uint32_t axes;
	float epsilon;
	bool makes_one;
};
int nn_build_float_reduce(struct nn_builder *builder, const struct nn_build_tensor *x,
			  const struct nn_float_along *reduction, struct nn_build_tensor *out);

#endif
