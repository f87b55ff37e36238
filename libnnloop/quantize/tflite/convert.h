/* SPDX-License-Identifier: MIT */
/*
 * From a TensorFlow Lite model in float to an ONNX model that computes the same, which the quantizer
 * then takes as it takes any.
 *
 *	convert.c	the walk: inputs, operators in their order, outputs; tensors and their layouts
 *	nodes.c		nodes, their attributes, constants
 *	layers.c	operators with weights or a window
 *	elements.c	functions of one element or two, and what is along dimensions
 *	moves.c		operators that only move elements
 *
 * The importer has walked over the model before, so that all is checked, all shapes are known, and
 * constants that it could work out are constants.
 *
 * Images have their channels last in a TensorFlow Lite model, and second in ONNX. So a tensor of four
 * dimensions can be there in two layouts, as nodes want it: a Transpose makes one of the other where
 * both are wanted, and functions of elements are computed in the layout that there is. What the model
 * takes and gives has the layout of the file.
 *
 * The first error is kept, and from then on nothing is written: no function has a branch for it.
 */
#ifndef NN_QUANTIZE_CONVERT_H
#define NN_QUANTIZE_CONVERT_H

#include "import/tflite/tflite.h"
#include "quantize/quantizer.h"

enum convert_layout {
	CONVERT_PLAIN,	/* as in the file */
	CONVERT_TURNED,	/* N, C, H, W, of what the file has as N, H, W, C */
	CONVERT_LAYOUTS,
};

struct conversion {
	struct nn_quantizer *quantizer;
	struct nn_pool *pool;	/* the quantizer's */
	struct tflite_import *import;
	const struct tflite_operator *now;	/* the operator that is being written, */
	const char *becomes;	/* and the one of ONNX that it is, or the first of them; or NULL */
	bool is_named;	/* a node of it has its name */
	struct quantizer_list nodes, constants;
	/* The names that each tensor of the file has by layout; NULL: it is not there in that. */
	struct convert_tensor {
		const char *names[CONVERT_LAYOUTS];
		bool is_output;	/* of the model */
	} *tensors;
	/* The names that the file has, in order, and of one name those of earlier tensors first. */
	struct convert_name {
		const char *name;
		uint32_t tensor;
	} *file_names;
	uint32_t file_name_count;
	uint32_t made_names;
	int err;
};

/* ---- convert.c ---- */

/* Has an error, if there is none: the model cannot be written because of the current operator. */
void convert_refuse(struct conversion *c, const char *why);
void convert_no_memory(struct conversion *c);
/* Input i of the current operator, which is there. */
const struct tflite_tensor *convert_input(const struct conversion *c, uint32_t i);
const struct tflite_tensor *convert_output(const struct conversion *c, uint32_t i);
/* The name of input i in a layout. */
const char *convert_read(struct conversion *c, uint32_t i, enum convert_layout layout);
/* The name for output i in a layout, which a node makes from here on. */
const char *convert_define(struct conversion *c, uint32_t i, enum convert_layout layout);
/* The layout in which the current operator's elements, of which each is computed by itself, are there. */
enum convert_layout convert_find_layout(const struct conversion *c);
/* A dimension's place in a layout, and a shape in it, of a tensor of the file. */
uint32_t convert_place(uint32_t dim, enum convert_layout layout);
void convert_shape(const struct tflite_tensor *tensor, enum convert_layout layout, int64_t *dims);
/* Input i, a constant of whole numbers; with none where it is something else, which is an error. */
const struct nn_const *convert_ints(struct conversion *c, uint32_t i);
/* Input i, a constant, as floats. */
struct nn_const convert_floats(struct conversion *c, uint32_t i);

/* ---- nodes.c ---- */

/* Lists the file's names, before any is made. */
void convert_list_names(struct conversion *c);
/* The first tensor of the file with a name; NO_TENSOR: there is none. */
uint32_t convert_find_name(const struct conversion *c, const char *name);
/* A name that no tensor of the file has, and none that was made. */
const char *convert_new_name(struct conversion *c, const char *name);
/* Adds a node, to which the functions below add attributes. NULL: the error is set. */
Onnx__NodeProto *convert_add(struct conversion *c, const char *op, const char *const *inputs,
			     uint32_t count, const char *made);
void convert_set_int(struct conversion *c, Onnx__NodeProto *node, const char *name, int64_t value);
void convert_set_ints(struct conversion *c, Onnx__NodeProto *node, const char *name,
		      const int64_t *values, uint32_t count);
void convert_set_float(struct conversion *c, Onnx__NodeProto *node, const char *name, float value);
void convert_set_string(struct conversion *c, Onnx__NodeProto *node, const char *name,
			const char *value);
/* ONNX's number of a type; 0: no float model has it. */
int convert_type(enum nn_element element);
/* Adds constants, and returns their names. name: what they are made of. */
const char *convert_constant(struct conversion *c, const char *name, const struct nn_const *values);
const char *convert_number(struct conversion *c, float number);
const char *convert_list(struct conversion *c, const int64_t *values, uint32_t count);
/* The same elements in another order of dimensions, which live as long as the import. */
struct nn_const convert_permute(struct conversion *c, const struct nn_const *values,
				const uint32_t *perm);
/* Reshapes a tensor to the shape of one of the file. */
void convert_reshape(struct conversion *c, const char *from, const struct tflite_tensor *to,
		     const char *made);
/*
 * Names what a node makes whose activation comes behind it: output 0 or, where there is an activation,
 * something in between; and adds the activation of that.
 */
const char *convert_inner(struct conversion *c, int64_t activation, enum convert_layout layout);
void convert_activate(struct conversion *c, int64_t activation, const char *inner,
		      enum convert_layout layout);

/* ---- layers.c ---- */

void convert_conv(struct conversion *c);
void convert_depthwise_conv(struct conversion *c);
void convert_transpose_conv(struct conversion *c);
void convert_transpose_bias(struct conversion *c);
void convert_fully_connected(struct conversion *c);
void convert_batch_matmul(struct conversion *c);
void convert_pool(struct conversion *c);
void convert_resize_bilinear(struct conversion *c);
void convert_resize_nearest(struct conversion *c);

/* ---- elements.c ---- */

void convert_each(struct conversion *c);
void convert_two(struct conversion *c);
void convert_reduce(struct conversion *c);
void convert_softmax(struct conversion *c);
void convert_select(struct conversion *c);
void convert_cast(struct conversion *c);
void convert_arg(struct conversion *c);

/* ---- moves.c ---- */

void convert_same_elements(struct conversion *c);
void convert_transpose(struct conversion *c);
void convert_concatenation(struct conversion *c);
void convert_pad(struct conversion *c);
void convert_slice(struct conversion *c);
void convert_strided_slice(struct conversion *c);
void convert_split(struct conversion *c);
void convert_split_v(struct conversion *c);
void convert_pack(struct conversion *c);
void convert_unpack(struct conversion *c);
void convert_gather(struct conversion *c);
void convert_tile(struct conversion *c);
void convert_broadcast_to(struct conversion *c);
void convert_blocks(struct conversion *c);

#endif
