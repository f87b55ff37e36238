/* SPDX-License-Identifier: MIT */
/*
 * Dynamic quantization, for importers (dynamic.c): tensors of float32 that are quantized by what is
 * in them when they are there, and sums of what comes of it. The sums are those of integers, as of
 * any quantized operator; scales and zero points are tensors.
 *
 * A zero point that is computed is none that an operator of integers can have. So the integers are
 * taken less a fixed number, NN_MIDDLE of uint8 and 0 of int8, and what the sums lack then, the
 * difference of the two (the shift) times the sum of the weights, is added to them.
 */
#ifndef NN_IMPORT_DYNAMIC_H
#define NN_IMPORT_DYNAMIC_H

#include "import/build.h"

#define NN_MIDDLE 128

/* The number that integers of 8 bits are taken less. */
static inline int32_t nn_fixed_zero(enum nn_data_type type)
{
	return type == NN_UINT8 ? NN_MIDDLE : 0;
}

/* The definitions that there are. */
enum nn_dynamic_form {
	NN_DYNAMIC_ONNX, /* DynamicQuantizeLinear: uint8; elements are divided by the scale */
	NN_DYNAMIC_XNNPACK, /* TensorFlow Lite's: int8; they are multiplied by steps of the range */
};

/*
 * A tensor of float32, quantized to 8 bits: the elements along the axes by their range, of which 0
 * is one.
 */
struct nn_dynamic {
	struct nn_build_tensor integers; /* as x; int8 of scale 1 and zero point 0, uint8 plain */
	struct nn_build_tensor scale, zero; /* x with 1 for the axes; of float32, and as integers */
};

/* A bit for each axis, none of which is the batch. Each step is in float32. */
int nn_build_dynamic(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axes,
		     enum nn_dynamic_form form, struct nn_dynamic *out);

/* The shift of a zero point: nn_fixed_zero() of its type less that, as int32. */
int nn_build_shift(struct nn_builder *builder, const struct nn_build_tensor *zero,
		   struct nn_build_tensor *out);
/* The sum of two tensors of int32, and the product of two. */
int nn_build_sum_of(struct nn_builder *builder, const struct nn_build_tensor *a,
		    const struct nn_build_tensor *b, struct nn_build_tensor *out);
int nn_build_product_of(struct nn_builder *builder, const struct nn_build_tensor *a,
			const struct nn_operand *b, struct nn_build_tensor *out);
/*
 * Sums with the shift times the sums of their weights, a constant of int32 that is broadcast to
 * them. *out may be the sums.
 */
int nn_build_shifted(struct nn_builder *builder, const struct nn_build_tensor *sums,
		     const struct nn_build_tensor *shift, const struct nn_const *of_weights,
		     struct nn_build_tensor *out);
/* Sums of the weights of each output, less their zero points: [outputs]. */
int nn_sum_weights(struct nn_builder *builder, const struct nn_build_weights *weights,
		   struct nn_const *out);
/* The same of what of a window is in the image, in the model's order of a single image; of a window
 * without padding, for all places of it. */
int nn_sum_window(struct nn_builder *builder, const struct nn_build_weights *weights,
		  const struct nn_window *window, const struct nn_build_tensor *image,
		  struct nn_const *out);

#endif
