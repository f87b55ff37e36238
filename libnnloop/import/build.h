/* SPDX-License-Identifier: MIT */
/*
 * The builder: what importers build graphs with.
 *
 * An importer reads a file and knows what its format means: names, versions, attributes, where it
 * says how a tensor is quantized. What nnloop makes of that is the same for all formats and is
 * here: constants of any type, tensors with their quantization and the order they are stored in,
 * windows, weights, bias, and the nodes.
 *
 *	options.c	what a user says of the inputs
 *	refusals.c	reasons why a model cannot run
 *	build.c		errors, memory, quantization, and nodes in general
 *	constant.c	constants
 *	tensor.c	tensors in the order that an operator needs; what moves or clamps elements
 *	scope.c		loops and branches of a model
 *	whole.c		dimension 0 as any other, where a model fixes it
 *	arrange.c	steps, padding, repetition, blocks
 *	take.c		elements by indices that are computed
 *	broadcast.c	operators of two operands or more
 *	matmul.c	matrices times matrices
 *	window.c	windows and their padding; pools
 *	resize.c	images of another size
 *	roi_align.c	boxes out of images
 *	reduce.c	along dimensions
 *	normalize.c	normalizations
 *	real.c		results of float32
 *	weights.c	convolutions and the fully connected operator
 *	transposed.c	transposed convolutions
 *
 * Nothing here knows a file format, and nothing of a file is trusted: what nnloop cannot do, or
 * what makes no sense, is an error with a sentence that begins with the model's node. A sentence
 * that goes on from there says "it" and "its". After -EOPNOTSUPP an importer notes the reason
 * (nn_builder_note()) and goes on with what does not depend on it, to find the others; the graph is
 * cleared in the end.
 *
 * Order of dimensions. nnloop stores images as N, H, W, C. A tensor's shape is always written here
 * in the model's own order, which is N, C, H, W where a format has the channels first; how its
 * elements are stored is the tensor's layout. A tensor keeps the order it was made in, and is
 * turned only where an operator needs another one. A format that has the channels last knows one
 * layout, NN_LAYOUT_PLAIN, and nothing is ever turned.
 *
 * Dimension 0 of a tensor is the batch where it is NN_ROWS: the caller of the graph says how many
 * rows there are, and all functions here keep it as it is. A reshape may make several rows of each
 * of these (nn_rows_of()), as a model does that takes a dimension into its batch, or undo that.
 * Where the model fixes dimension 0, it is one as any other.
 */
#ifndef NN_IMPORT_BUILD_H
#define NN_IMPORT_BUILD_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/graph.h"
#include "import/refusals.h"

#define NN_ROWS 0u /* as dims[0]: the caller's number of rows */
#define NN_MANY_ROWS 0x80000000u /* or so many for each of these, with this bit */
#define NN_QUOTED 64 /* characters of a name that are worth showing */

/* As dims[0]: so many rows, 2^31 - 1 at most, for each of the caller's. */
static inline uint32_t nn_rows_of(uint32_t count)
{
	return count == 1 ? NN_ROWS : NN_MANY_ROWS | count;
}

/* Whether a first dimension is of the caller's rows. */
static inline bool nn_is_rows(uint32_t dim)
{
	return dim == NN_ROWS || dim & NN_MANY_ROWS;
}

/* How many there are of it for each of the caller's. */
static inline uint32_t nn_rows_count(uint32_t dim)
{
	return dim == NN_ROWS ? 1 : dim & ~NN_MANY_ROWS;
}

/* ---- build.c: the import, errors, memory ---- */

/* One import. The importer owns it, and what is in its pool lives until the import ends. */
struct nn_builder {
	struct nn_graph *graph; /* locked by the importer */
	struct nn_pool pool;
	uint32_t next_id; /* of the next node that is appended; begins with 1 */
	struct nn_body *body; /* the innermost that is open (scope.c); NULL: none */
	bool channels_first; /* the model's order of images is N, C, H, W */
	/* The model is for one item, and the graph for any number: what is fixed as dimension 0 are
	 * the rows of each item, and those of the items follow one another (whole.c). */
	bool each_item;
	/* The model keeps a state, and is for one item after another (state.c). */
	bool is_stream;
	/* The model's node that is being looked at, for messages; op is NULL when there is none.
	 * Nodes of the graph are named as it is. */
	struct {
		const char *op, *name, *result; /* name and result may be NULL */
		const char *domain; /* of op; NULL or "": the format's own */
		const char *part; /* of it, by which refusals differ, too: an attribute; or NULL */
		bool any_op; /* what is refused does not depend on op */
		const void *key; /* that tells nodes apart */
	} node;
	char said[640]; /* by nn_builder_fail(), without the node */
	const char *help; /* behind that; NULL: nothing in particular */
	bool said_float; /* all that is wrong is that something is in float */
	bool said_form; /* and of that, that it has a form of float32 only */
	char quotes[8][NN_QUOTED + 6]; /* in use in turn */
	uint32_t quote_count;
	/* Ends the import, whatever comes of it: who asks for a thing is not always told from
	 * whom there is none. */
	bool no_memory;
	struct nn_refusals refusals;
	const struct nn_import_options *options; /* what is given; NULL: nothing */
	const char *only_input; /* of the model; NULL: it has another number */
	const char *manual; /* what helps where nothing better is known; NULL: nothing */
	const char *result; /* name of the tensors that are made next; NULL: none */
};

/* An error with a sentence, in front of which stands the node that is being looked at. Behind a
 * newline it says what would help, which is for nn_builder_note(). Returns code. */
int nn_builder_fail(struct nn_builder *builder, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Behind nn_builder_fail(): what was said is of something in float, and nothing else is wrong. */
static inline int nn_builder_fail_float(struct nn_builder *builder, int code)
{
	builder->said_float = true;
	return code;
}
/* The same of what has a form in float32 only, so that quantizing is no help. */
static inline int nn_builder_fail_form(struct nn_builder *builder, int code)
{
	builder->said_form = true;
	return nn_builder_fail_float(builder, code);
}
/* The code of the error that was just set. */
static inline int nn_builder_failed(const struct nn_builder *builder)
{
	return builder->graph->error.code;
}
/*
 * Called behind everything that may fail for what nnloop cannot do: notes that, of the node that is
 * being looked at or, if there is none, of what is called `name`. Returns 0 then, and if it follows
 * from what was noted before; else err, with which the import has to end.
 */
int nn_builder_note(struct nn_builder *builder, int err, const char *name);
/*
 * An error that follows from another: something is needed that was refused. No reason of its own.
 */
#define NN_FOLLOWS (-ECANCELED)
int nn_builder_follow(struct nn_builder *builder);
/* The end of an import of so many nodes: what it returns. Frees what the builder has. */
int nn_builder_end(struct nn_builder *builder, int err, uint32_t node_count);
/* A name in quotes, fit for a message: the file may contain anything. Good for a few calls. */
const char *nn_builder_quote(struct nn_builder *builder, const char *name);
/* Zeroed memory that lives as long as the import; NULL if there is none, and the error is set. */
void *nn_builder_alloc(struct nn_builder *builder, size_t count, size_t size);
/* The same that lives as long as the graph. */
void *nn_builder_alloc_kept(struct nn_builder *builder, size_t count, size_t size);

/* ---- constant.c: constants ---- */

/* Types of a constant's elements: more than tensors have, with the same numbers. */
enum nn_element {
	NN_ELEMENT_NONE = 0,
	NN_ELEMENT_INT8 = NN_INT8,
	NN_ELEMENT_UINT8 = NN_UINT8,
	NN_ELEMENT_INT16 = NN_INT16,
	NN_ELEMENT_UINT16 = NN_UINT16,
	NN_ELEMENT_INT32 = NN_INT32,
	NN_ELEMENT_FLOAT = NN_FLOAT32,
	NN_ELEMENT_INT64 = NN_INT64,
	NN_ELEMENT_BOOL = NN_BOOL,
	NN_ELEMENT_UINT32 = NN_UINT32,
	NN_ELEMENT_UINT64 = NN_UINT64,
};

/* Bytes; 0 for NN_ELEMENT_NONE. */
uint32_t nn_element_size(enum nn_element element);
const char *nn_element_name(enum nn_element element);
/* The type of tensors with such elements; 0 if there are none. */
enum nn_data_type nn_element_to_type(enum nn_element element);

/* A constant: a view of elements that are the file's or the builder's, in the order of its
 * dimensions, at any alignment. */
struct nn_const {
	enum nn_element element;
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK];
	uint64_t count; /* of elements; 2^31 - 1 at most */
	const void *data;
	bool is_narrow; /* of 4 bits in the file, each of which has 8 here */
};

/* Element i of an integer constant, of which uint64 has the same bits; of a float one. */
int64_t nn_const_int(const struct nn_const *c, uint64_t i);
float nn_const_float(const struct nn_const *c, uint64_t i);
/* One element of the type, as where a single number is meant. */
static inline bool nn_const_is_one(const struct nn_const *c, enum nn_element element)
{
	return c->count == 1 && c->element == element;
}
/* The same elements with other dimensions, as many in all; no copy. */
void nn_const_reshape(struct nn_const *c, uint32_t rank, const uint32_t *dims);
/* Dimension i of the result is dimension perm[i]. The elements are copied; c and out may be one. */
int nn_const_transpose(struct nn_builder *builder, const struct nn_const *c, const uint32_t *perm,
		       struct nn_const *out);

/* ---- build.c: quantization ---- */

/*
 * Quantization: how integers stand for reals: real = (integer - zero point) * scale. Per tensor, or
 * with one scale and zero point for each index of a dimension, which only constants can have.
 */
struct nn_quant {
	enum nn_data_type type;
	float scale; /* 0: plain integers */
	int32_t zero_point;
	const float *scales; /* NULL: per tensor */
	const struct nn_const *zero_points; /* with scales: one for each, or one; NULL: all zero */
	uint32_t axis;
	/* With int16: the model has uint16, where elements and zero points are 32768 more. */
	bool is_unsigned;
};

#define NN_UNSIGNED 32768 /* what uint16 is more than what nnloop computes with */

/* The type that the model has. */
static inline enum nn_data_type nn_quant_model_type(const struct nn_quant *quant)
{
	return quant->is_unsigned ? NN_UINT16 : quant->type;
}

/* Bools; and integers of 32 bits without a scale. */
extern const struct nn_quant nn_quant_truth, nn_quant_int32;
/* The same, and per tensor. */
bool nn_quant_equal(const struct nn_quant *a, const struct nn_quant *b);
/* The scale and zero point of index i of its dimension; of any i if it is per tensor. */
float nn_quant_scale(const struct nn_quant *quant, uint64_t i);
int64_t nn_quant_zero_point(const struct nn_quant *quant, uint64_t i);
/*
 * Fills in scale and zero point, or scales and zero points, and checks them. scales: floats, one or
 * more; zero_points: integers, one or as many, or NULL. Where there is more than one, axis (from
 * the last one if negative) is a dimension of `dims` with as many indices.
 */
int nn_quant_fill(struct nn_builder *builder, enum nn_data_type type, const struct nn_const *scales,
		  const struct nn_const *zero_points, int64_t axis, uint32_t rank,
		  const uint32_t *dims, struct nn_quant *out);
/* A constant of uint16 as nnloop has it, in int16. (constant.c) */
int nn_const_sign(struct nn_builder *builder, const struct nn_const *from, struct nn_const *out);
/* The other way around. */
int nn_const_unsign(struct nn_builder *builder, const struct nn_const *from, struct nn_const *out);
/* A constant of floats, quantized to 8 bits or int16: to the nearest, ties to even. (constant.c) */
int nn_const_quantize(struct nn_builder *builder, const struct nn_const *from,
		      const struct nn_quant *quant, struct nn_const *out);
/* The other way: floats of integers, less the zero point and times the scale. (constant.c) */
int nn_const_dequantize(struct nn_builder *builder, const struct nn_const *from,
			const struct nn_quant *quant, struct nn_const *out);

/* ---- build.c: tensors and nodes ---- */

enum nn_layout {
	NN_LAYOUT_PLAIN, /* stored in the model's order */
	NN_LAYOUT_NHWC, /* N, C, H, W, stored as N, H, W, C */
	/* N, C * H * W, or N, C, W where H is 1, stored as N, H, W, C: a flattened image */
	NN_LAYOUT_FLAT_NHWC,
};

/* A tensor of the graph: an output of a node. */
struct nn_build_tensor {
	const char *name; /* the model's, and that of tensors made by turning it; NULL: none */
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK]; /* in the model's order; dims[0] may be NN_ROWS */
	struct nn_quant quant;
	struct nn_input source;
	enum nn_layout layout;
	uint32_t channels, height, width; /* of NN_LAYOUT_FLAT_NHWC */
};

/* Whether it is one element, and no item of a batch. */
static inline bool nn_is_single(const struct nn_build_tensor *tensor)
{
	for (uint32_t i = 0; i < tensor->rank; i++) {
		if (tensor->dims[i] != 1)
			return false;
	}
	return true;
}

/* Elements of an item (all dimensions but the first); fails where one is 0, or where they are too
 * many to count in 31 bits. */
int nn_item_elements(struct nn_builder *builder, uint32_t rank, const uint32_t *dims,
		     uint64_t *elements);

/* One attribute more, where it has a value. */
void nn_add_string(struct nn_attr *attrs, uint32_t *count, const char *name, const char *value);

/* A node with one output, whose shape it infers. Of *out, source, quant and name are set, its
 * layout is NN_LAYOUT_PLAIN, and its shape is the first input's. */
int nn_build_node(struct nn_builder *builder, const char *op, const struct nn_build_tensor *inputs,
		  uint32_t input_count, const struct nn_attr *attrs, uint32_t attr_count,
		  const struct nn_quant *quant, struct nn_build_tensor *out);
/* A node with any number of outputs: name and quant of each are given, and its source is set. */
int nn_build_outputs(struct nn_builder *builder, const char *op,
		     const struct nn_build_tensor *inputs, uint32_t input_count,
		     const struct nn_attr *attrs, uint32_t attr_count,
		     struct nn_build_tensor *outputs, uint32_t output_count);
/* A loop-control node, whose outputs are rows of its inputs. */
int nn_build_loop(struct nn_builder *builder, const char *op, const struct nn_build_tensor *inputs,
		  uint32_t count, const struct nn_attr *attrs, uint32_t attr_count,
		  struct nn_build_tensor *outputs);
/* Adds a constant. Only the source of *out is set. */
int nn_build_const(struct nn_builder *builder, const struct nn_tensor_info *info, const void *data,
		   struct nn_build_tensor *out);
/* The same without a copy of the data, which lives as long as the graph. */
int nn_build_kept_const(struct nn_builder *builder, const struct nn_tensor_info *info,
			const void *data, struct nn_build_tensor *out);
/* The graph's input that is described by all of *tensor but the source, which is set. */
int nn_build_input(struct nn_builder *builder, struct nn_build_tensor *tensor);
/* The graph's outputs, which are stored in the model's order. */
int nn_build_graph_outputs(struct nn_builder *builder, const struct nn_build_tensor *tensors,
			   uint32_t count);

/* ---- tensor.c: what moves or clamps elements ---- */

/* The tensor in a layout; a Transpose or Reshape is appended where that takes one, with the
 * tensor's name. */
int nn_build_layout(struct nn_builder *builder, const struct nn_build_tensor *tensor,
		    enum nn_layout layout, struct nn_build_tensor *out);
/* Fails for a tensor that is no image, in whatever order. */
int nn_need_image(struct nn_builder *builder, const struct nn_build_tensor *tensor);
/* The tensor as an image, stored as N, H, W, C. */
int nn_build_image(struct nn_builder *builder, const struct nn_build_tensor *tensor,
		   struct nn_build_tensor *out);
/* The layout of images that operators make. */
enum nn_layout nn_image_layout(const struct nn_builder *builder);
/* The dimension of a stored tensor that is dimension `axis` of the model. */
uint32_t nn_layout_axis(enum nn_layout layout, uint32_t axis);
/* Gives a new tensor the layout of the one it was made of element by element. */
void nn_build_keep_layout(struct nn_build_tensor *out, const struct nn_build_tensor *like);

/* Dimensions of an image, behind the batch, in the model's order. */
enum nn_image_axis { NN_IMAGE_CHANNELS, NN_IMAGE_HEIGHT, NN_IMAGE_WIDTH };
uint32_t nn_image_axis(const struct nn_builder *builder, enum nn_image_axis axis);

/* Other dimensions; the number of elements must be the same, and dimension 0 where it is the batch.
 * Nothing is appended where the elements' order says as much. */
int nn_build_reshape(struct nn_builder *builder, const struct nn_build_tensor *input, uint32_t rank,
		     const uint32_t *dims, struct nn_build_tensor *out);
/* A Reshape in any case, of dimensions as they are stored; *out has the input's shape. */
int nn_build_stored_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t rank, const uint32_t *dims, struct nn_build_tensor *out);
/* Dimension i of the output is dimension perm[i] of the input. As above. */
int nn_build_transpose(struct nn_builder *builder, const struct nn_build_tensor *input,
		       const uint32_t *perm, struct nn_build_tensor *out);
/* Checks that tensors of one rank can be concatenated along dimension `axis` (from the last one if
 * negative), and gives that and the shape that comes of it. */
int nn_concat_shape(struct nn_builder *builder, const struct nn_build_tensor *parts, uint32_t count,
		    int64_t axis, uint32_t *from_first, uint32_t *dims);
/* Builds a concatenation that was checked, once all parts have one quantization. */
int nn_build_concat(struct nn_builder *builder, const struct nn_build_tensor *parts, uint32_t count,
		    uint32_t axis, struct nn_build_tensor *out);

/* `size` indices of dimension `axis`, from `begin` on, which are some of the input's. Nothing is
 * appended where they are all. */
int nn_build_slice(struct nn_builder *builder, const struct nn_build_tensor *input, uint32_t axis,
		   uint32_t begin, uint32_t size, struct nn_build_tensor *out);

/* ---- state.c: what is kept from one run to the next ---- */

/*
 * A loop over the items, one in a pass: of a model's inputs, which have any number of them. items is
 * what a pass has of each, in an array of its own.
 */
int nn_build_stream(struct nn_builder *builder, const struct nn_build_tensor *inputs, uint32_t count,
		    struct nn_build_tensor *items);
/*
 * A state: its dimensions, the first of which is 1 where there is such a loop, and what it is at
 * first; NULL: what stands for 0.
 */
int nn_build_state(struct nn_builder *builder, uint32_t rank, const uint32_t *dims,
		   const struct nn_quant *quant, const void *initial, struct nn_build_tensor *out);
/* Makes value the state from now on; *out is the value. */
int nn_build_assign(struct nn_builder *builder, const struct nn_build_tensor *state,
		    const struct nn_build_tensor *value, struct nn_build_tensor *out);

/* ---- scope.c: loops and branches ---- */

/*
 * In all of these a tensor has fixed dimensions, and one without any is a single element.
 */
struct nn_body {
	uint32_t id; /* of its loop-control node */
	struct nn_body *around; /* NULL: none */
	struct nn_build_tensor inside; /* a value of its scope, for what else would be outside */
	bool has_inside;
};

/* This opens a scope. */
struct nn_body_desc {
	/* A value of one element, made outside, says how often it runs; NULL: `trips` times. */
	const struct nn_build_tensor *counted;
	/* Or a bool, whether it begins; nn_build_continue() says whether it goes on. */
	const struct nn_build_tensor *goes_on;
	int64_t trips; /* or the most of them, where one of these is not NULL */
	bool strict; /* a loop that goes on for longer fails, instead of ending there */
	/* What it hands out as it is, so that what is made of that alone is inside, too. */
	const struct nn_build_tensor **inputs;
	uint32_t count;
};

/* Opens one, which is the innermost then, up to nn_build_close(). */
int nn_build_scope(struct nn_builder *builder, const struct nn_body_desc *desc,
		   struct nn_build_tensor *handed, struct nn_body *scope);
static inline void nn_build_close(struct nn_builder *builder, const struct nn_body *scope)
{
	builder->body = scope->around;
}

/* A value of the scope's that is kept from one iteration to the next. */
int nn_build_variable(struct nn_builder *builder, const struct nn_body *scope,
		      const struct nn_build_tensor *initial, struct nn_build_tensor *out);
/* Changes variables at the end of an iteration, all at once. The values are in the scope, or outside
 * of it. */
int nn_build_assign_all(struct nn_builder *builder, const struct nn_build_tensor *variables,
			struct nn_build_tensor *values, uint32_t count);
/* Says at the end of an iteration whether there is another one. */
int nn_build_continue(struct nn_builder *builder, const struct nn_body *scope,
		      const struct nn_build_tensor *condition);
/* A variable when its loop has ended, for the scope around. */
int nn_build_last(struct nn_builder *builder, const struct nn_build_tensor *variable,
		  struct nn_build_tensor *out);
/* A value of each iteration as a row of all, of which there are so many, or NN_ROWS. */
int nn_build_collect(struct nn_builder *builder, const struct nn_body *scope, uint32_t rows,
		     const struct nn_build_tensor *value, struct nn_build_tensor *out);
/* A constant with the tensor's type, scale and shape, whose source is set. */
int nn_build_fixed_const(struct nn_builder *builder, struct nn_build_tensor *tensor,
			 const void *data);
/* One whose bytes are all 0. */
int nn_build_zeros(struct nn_builder *builder, const struct nn_build_tensor *like,
		   struct nn_build_tensor *out);
/* One without dimensions. */
int nn_build_number(struct nn_builder *builder, enum nn_data_type type, int64_t value,
		    struct nn_build_tensor *out);

/* ---- whole.c: dimension 0 as any other ---- */

/* A Reshape in any case, where both first dimensions are fixed; the elements are stored in the
 * model's order. */
int nn_build_whole_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			   uint32_t rank, const uint32_t *dims, struct nn_build_tensor *out);
/* A Reshape of the caller's rows to another number of rows for each of them. */
int nn_build_row_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			 uint32_t rank, const uint32_t *dims, struct nn_build_tensor *out);
/* The tensor as a single row: with a 1 in front of its dimensions, of which the first is fixed. */
int nn_build_lift(struct nn_builder *builder, const struct nn_build_tensor *input,
		  struct nn_build_tensor *out);
/* The opposite of nn_build_lift(): takes the 1 away, where another dimension is left. */
int nn_build_lower(struct nn_builder *builder, const struct nn_build_tensor *lifted,
		   struct nn_build_tensor *out);

/* ---- arrange.c: what moves elements further ---- */

/* `count` indices of a dimension, of which the first is `begin` and each is `step` behind the one
 * before; step may be below 0. */
struct nn_steps {
	int64_t begin, step;
	uint32_t count;
};

/* All indices of each dimension. */
void nn_all_steps(const struct nn_build_tensor *tensor, struct nn_steps *steps);
/*
 * Takes those indices of each dimension; of the batch all are taken, whatever steps[0] is. Fails
 * where there are none, or where they are not in the input.
 */
int nn_build_steps(struct nn_builder *builder, const struct nn_build_tensor *input,
		   const struct nn_steps *steps, struct nn_build_tensor *out);
/* Some indices of dimension `axis`, in any order. */
int nn_build_gather(struct nn_builder *builder, const struct nn_build_tensor *input, uint32_t axis,
		    const int64_t *indices, uint32_t count, struct nn_build_tensor *out);
/* before[i] and after[i] more indices of dimension i; those of the batch are not looked at. mode is
 * what Pad's attribute can be; value: the integer that a constant is stored as. */
int nn_build_pad(struct nn_builder *builder, const struct nn_build_tensor *input,
		 const uint32_t *before, const uint32_t *after, const char *mode, int32_t value,
		 struct nn_build_tensor *out);
/* Dimensions of 1 become what dims says; the others, and the batch, are as dims says. */
int nn_build_expand(struct nn_builder *builder, const struct nn_build_tensor *input,
		    const uint32_t *dims, struct nn_build_tensor *out);
/* All indices of dimension i, repeats[i] times; that of the batch is not looked at. */
int nn_build_tile(struct nn_builder *builder, const struct nn_build_tensor *input,
		  const uint32_t *repeats, struct nn_build_tensor *out);
/*
 * block * block channels of an image become as many pixels: a block, row by row. depth_first: the
 * output's channels are next to each other in the input; else those of a block are.
 */
int nn_build_depth_to_space(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t block, bool depth_first, struct nn_build_tensor *out);
/* The opposite of the first. */
int nn_build_space_to_depth(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t block, struct nn_build_tensor *out);

/* ---- take.c: elements by indices that are computed ---- */

struct nn_operand; /* below */
struct nn_take {
	uint32_t axis, depth; /* as Take's attributes */
	bool each;
};
/*
 * Takes the elements of x whose indices are another tensor, of int32 or int64. One of the two may
 * be a constant, with 1 as its first dimension.
 */
int nn_build_take(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const struct nn_build_tensor *indices, const struct nn_take *take,
		  struct nn_build_tensor *out);
/* Builds such a constant of an operand's: one row, with one scale or none. */
int nn_build_row_constant(struct nn_builder *builder, const struct nn_operand *operand,
			  struct nn_build_tensor *out);
/* All of inputs[0], but for elements whose indices are inputs[1] what inputs[2] has for them, as
 * Scatter's `function` says. Each has as many rows; or there is one. */
int nn_build_scatter(struct nn_builder *builder, const struct nn_build_tensor inputs[3],
		     const struct nn_take *take, const char *function,
		     struct nn_build_tensor *out);
/* The indices of the greatest or least elements along the last dimension, as int64; it has `count`
 * or more. */
int nn_build_top(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t count,
		 bool least, struct nn_build_tensor *out);

/* ---- tensor.c again: what makes of each element one ---- */

/* A node that makes of each element one. It may be one of nnloop's operators for that, or
 * Requantize, with any attributes. */
int nn_build_unary(struct nn_builder *builder, const char *op, const struct nn_build_tensor *input,
		   const struct nn_attr *attrs, uint32_t attr_count, const struct nn_quant *quant,
		   struct nn_build_tensor *out);
/* A function of one 8-bit element: table has the stored bytes of its results, by the stored byte of
 * the element. */
int nn_build_table(struct nn_builder *builder, const struct nn_build_tensor *input,
		   const uint8_t table[256], const struct nn_quant *quant,
		   struct nn_build_tensor *out);
/*
 * The same where the input or quant is of int16: 65536 results by an element of int16 (as a
 * uint16), or 256.
 */
int nn_build_wide_table(struct nn_builder *builder, const struct nn_build_tensor *input,
			const int16_t *table, const struct nn_quant *quant,
			struct nn_build_tensor *out);

/* uint16 that has been read as int16 that is_unsigned, or the other way around. */
int nn_build_sign(struct nn_builder *builder, const struct nn_build_tensor *input, bool to_unsigned,
		  struct nn_build_tensor *out);

/*
 * Activations that clamp. Some operators can do so themselves: those below that take `activation`,
 * which is NULL or what nn_range_activation() gives. Behind others, and for ranges for which it
 * gives NULL, the node is one of its own.
 */
struct nn_range {
	float low, high; /* real; -/+INFINITY: no bound */
};

extern const struct nn_range nn_range_unbounded;
bool nn_range_is_bounded(const struct nn_range *range);
const char *nn_range_activation(const struct nn_range *range);
int nn_build_clamp(struct nn_builder *builder, const struct nn_build_tensor *input,
		   const struct nn_range *range, const struct nn_quant *quant,
		   struct nn_build_tensor *out);

/* ---- broadcast.c: operators of two operands or more ---- */

/* A constant operand. */
struct nn_parameter {
	const char *name;
	const struct nn_const *values; /* NULL: what the model has there is no constant */
	const struct nn_quant *quant;
	bool is_real; /* floats that are taken as they are, beside a tensor of int16 */
};

struct nn_operand {
	const struct nn_build_tensor *tensor; /* NULL: a constant */
	struct nn_parameter constant;
};

uint32_t nn_operand_rank(const struct nn_operand *operand);
/* A constant of plain numbers may have none: NULL. */
const struct nn_quant *nn_operand_quant(const struct nn_operand *operand);
/* The shape that comes of them, as numpy broadcasts; fails where they do not go together, where the
 * batch would be broadcast, and where all are constants. */
int nn_broadcast_all(struct nn_builder *builder, const struct nn_operand *operands, uint32_t count,
		     uint32_t *rank, uint32_t *dims);
/* Where an element of what is broadcast `to` a shape is in that of `rank`. */
uint64_t nn_broadcast_place(uint32_t rank, const uint32_t *dims, uint32_t to_rank,
			    const uint32_t *to, uint64_t place);
/* A constant of one number, as it is stored in quant->type. */
int nn_number_operand(struct nn_builder *builder, int32_t value, const struct nn_quant *quant,
		      struct nn_operand *out);
/* The function of Compare that is `word` (equal, not_equal, less, less_or_equal, greater,
 * greater_or_equal), and its operands: where the graph has none, the other way round. */
const char *nn_turn_comparison(const char *word, const struct nn_operand operands[2],
			       struct nn_operand out[2]);
/* op: one of nnloop's operators of so many operands, up to NN_MAX_OPERANDS, with any attributes. A
 * constant's quant may be plain integers. */
#define NN_MAX_OPERANDS 3
int nn_build_broadcast(struct nn_builder *builder, const char *op,
		       const struct nn_operand *operands, uint32_t count,
		       const struct nn_attr *attrs, uint32_t attr_count,
		       const struct nn_quant *quant, struct nn_build_tensor *out);
/* The same of two of 8 bits, where a constant has one scale: their shape, and nodes. */
int nn_broadcast_shape(struct nn_builder *builder, const struct nn_operand operands[2],
		       uint32_t *rank, uint32_t *dims);
/* The same of all dimensions but the last `behind`; both: what all are, with ones in front. */
int nn_broadcast_leading(struct nn_builder *builder, const struct nn_operand operands[2],
			 uint32_t behind, uint32_t *rank, uint32_t both[2][NN_MAX_RANK],
			 uint32_t *dims);
/* An operand as a tensor in a layout; a constant gets so many dimensions, its own behind ones. */
int nn_build_operand(struct nn_builder *builder, const struct nn_operand *operand, uint32_t rank,
		     enum nn_layout layout, struct nn_build_tensor *out);
/*
 * op: one of nnloop's operators of two 8-bit elements. activation: NULL or what
 * nn_range_activation() gives; rounding: what its attribute can be; NULL: none.
 */
int nn_build_binary(struct nn_builder *builder, const char *op,
		    const struct nn_operand operands[2], const char *activation,
		    const char *rounding, const struct nn_quant *quant,
		    struct nn_build_tensor *out);

/*
 * The same two where dimension 0 is one as any other (whole.c): tensors whose first one is fixed
 * are broadcast in all of them, and may have different numbers of them.
 */
int nn_broadcast_whole_shape(struct nn_builder *builder, const struct nn_operand operands[2],
			     uint32_t *rank, uint32_t *dims);
int nn_build_whole_binary(struct nn_builder *builder, const char *op,
			  const struct nn_operand operands[2], const char *activation,
			  const char *rounding, const struct nn_quant *quant,
			  struct nn_build_tensor *out);
/*
 * The tensors among the operands with as many dimensions, one more than any had, of which the first
 * is that of their only row; false: they can stay as they are, as they have `least` dimensions, or
 * have a batch.
 */
bool nn_describe_lifted(const struct nn_builder *builder, const struct nn_operand *operands,
			uint32_t count, uint32_t least, struct nn_build_tensor *lifted);
/* The operands, with tensors as they were lifted. */
void nn_take_lifted(const struct nn_operand *operands, uint32_t count,
		    const struct nn_build_tensor *lifted, struct nn_operand *out);
/* Builds the tensors as they were described. */
int nn_build_lifted(struct nn_builder *builder, const struct nn_operand *operands, uint32_t count,
		    struct nn_build_tensor *lifted, struct nn_operand *out);
/* nn_broadcast_all() and nn_build_broadcast(), likewise. */
int nn_broadcast_whole_all(struct nn_builder *builder, const struct nn_operand *operands,
			   uint32_t count, uint32_t *rank, uint32_t *dims);
int nn_build_whole_broadcast(struct nn_builder *builder, const char *op,
			     const struct nn_operand *operands, uint32_t count,
			     const struct nn_attr *attrs, uint32_t attr_count,
			     const struct nn_quant *quant, struct nn_build_tensor *out);

/* ---- matmul.c: matrices times matrices ---- */

/* Matrices are the last two dimensions, those before are broadcast. A transposed operand's are the
 * other way around. */
struct nn_product {
	struct nn_operand operands[2];
	bool transpose[2];
	const int64_t *zero_points; /* of both, for sums that are left as they are; NULL: their own */
};

/* The shape of the product; fails where sums would go over the batch, too. */
int nn_product_shape(struct nn_builder *builder, const struct nn_product *product, uint32_t *rank,
		     uint32_t *dims);
/* activation and rounding: as above; quant: of 8 bits, or int32. */
int nn_build_product(struct nn_builder *builder, const struct nn_product *product,
		     const char *activation, const char *rounding, const struct nn_quant *quant,
		     struct nn_build_tensor *out);

/* ---- window.c: windows, pools ---- */

#define NN_MAX_WINDOW 255 /* kernel, stride, dilation; of float32 only dilation */

/* A window that goes over images. Index 0 is height, index 1 is width. */
struct nn_window {
	uint32_t kernel[2], stride[2], dilation[2];
	uint32_t most; /* of kernel and stride; 0: NN_MAX_WINDOW */
	uint32_t padding[4]; /* top, left, bottom, right */
	bool count_padding; /* an average counts padding as elements */
	/*
	 * The rounding that AveragePool's attribute can be for an average, Conv2d's for a
	 * convolution; NULL: none.
	 */
	const char *rounding;
	uint32_t windows[2]; /* the output's height and width */
};

/*
 * The kinds of padding. "Same" is enough for ceil(size / stride) windows; if it is odd, there is
 * more after (upper) or before (lower).
 */
enum nn_padding { NN_PADDING_GIVEN, NN_PADDING_SAME_UPPER, NN_PADDING_SAME_LOWER };

/* A number that the model's attribute has, as one of kernel, stride and dilation; most: as above. */
int nn_window_set(struct nn_builder *builder, uint32_t *to, const char *attr, int64_t value,
		  uint32_t most);
/*
 * Places the window: from kernel, stride and dilation to padding and windows. given: with
 * NN_PADDING_GIVEN: top, left, bottom, right. ceil_mode: one more window where less than a stride
 * is left.
 */
int nn_window_place(struct nn_builder *builder, struct nn_window *window,
		    const struct nn_build_tensor *image, enum nn_padding padding,
		    const int64_t given[4], bool ceil_mode);
/* One window, as large as the image. */
int nn_window_cover(struct nn_builder *builder, struct nn_window *window,
		    const struct nn_build_tensor *image);
/* The shape that an operator with the window makes of images. */
void nn_window_shape(const struct nn_builder *builder, const struct nn_window *window,
		     const struct nn_build_tensor *image, uint32_t channels, uint32_t dims[4]);
/* A node of an operator that has a window: a pool, or with weights, a convolution. */
int nn_build_window(struct nn_builder *builder, const char *op,
		    const struct nn_build_tensor *inputs, uint32_t input_count,
		    const struct nn_window *window, uint32_t channels, const char *activation,
		    const struct nn_quant *quant, struct nn_build_tensor *out);
/* op: MaxPool or AveragePool. */
int nn_build_pool(struct nn_builder *builder, const char *op, const struct nn_build_tensor *x,
		  const struct nn_window *window, const struct nn_quant *quant,
		  struct nn_build_tensor *out);

/* ---- resize.c: images of another size ---- */

/* The attributes of the graph's Resize; index 0 is height, index 1 is width. */
struct nn_resize {
	const char *mode, *coordinates;
	const char *round; /* NULL: what it is without one */
	uint32_t size[2];
	float scale[2]; /* 0: what follows from the sizes */
};

/* Builds a Resize of an image; quant is that of x but for mode linear. */
int nn_build_resize(struct nn_builder *builder, const struct nn_build_tensor *x,
		    const struct nn_resize *resize, const struct nn_quant *quant,
		    struct nn_build_tensor *out);

/* ---- roi_align.c: boxes out of images ---- */

/* The attributes of the graph's RoiAlign; index 0 is height, index 1 is width. */
struct nn_roi_align {
	const char *function;
	uint32_t size[2], samples;
	float spatial_scale;
	bool half_pixel;
};

/*
 * Adds a RoiAlign of all boxes of a fixed number of images: inputs[1] and inputs[2] are the boxes
 * and their images' indices, of a single row.
 */
int nn_build_roi_align(struct nn_builder *builder, const struct nn_build_tensor inputs[3],
		       const struct nn_roi_align *align, const struct nn_quant *quant,
		       struct nn_build_tensor *out);

/* ---- reduce.c: along dimensions ---- */

/*
 * A bit for each of the dimensions (from the last one if negative), which are x's and not the
 * batch.
 */
int nn_read_axes(struct nn_builder *builder, const struct nn_build_tensor *x, const int64_t *values,
		 uint64_t count, uint32_t *axes);
/* The shape that is left of x when these dimensions are reduced; one number has a dimension of 1. */
void nn_reduced_shape(const struct nn_build_tensor *x, uint32_t axes, bool keep_dims,
		      uint32_t *rank, uint32_t *dims);
/* Reduce, or an operator with its attributes; axes has a bit for each dimension that goes, or with
 * keep_dims becomes 1. */
int nn_build_reduce(struct nn_builder *builder, const char *op, const struct nn_build_tensor *x,
		    uint32_t axes, bool keep_dims, const char *function,
		    const struct nn_quant *quant, struct nn_build_tensor *out);
/*
 * Softmax, or its logarithm, as it is between dequantizing and quantizing, along `axis`; or along
 * all dimensions from that one on.
 */
int nn_build_softmax(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axis,
		     bool and_behind, bool log, const struct nn_quant *quant,
		     struct nn_build_tensor *out);
/*
 * Adds a Real operator: it gives the float32 numbers that elements of 8 bits or int16 stand for
 * (`table`, by their stored bits, 256 or 65536), or `function` of the vectors along the axes, as
 * Real's attribute says. `keep_dims` is for functions that make one number of a vector: the
 * dimension stays as 1. Without a table x is of float32.
 */
int nn_build_real(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const float *table, const char *function, uint32_t axes, bool keep_dims,
		  struct nn_build_tensor *out);
/* Sums of elements along `axis`: of each of `size` elements so many indices, with their weights. */
struct nn_resample {
	uint32_t size, count;
	int32_t *taps;
	float *weights, *biases; /* of each index, of each element */
};
/* x is of 8 bits or float32; the sums are of float32. */
int nn_build_resample(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axis,
		      const struct nn_resample *resample, struct nn_build_tensor *out);
/* Which elements along `axis` are the greatest or least, as int32. */
struct nn_arg {
	uint32_t axis;
	bool keep_dims;
	const char *function; /* as Arg's attribute */
	bool last; /* of equal ones the last */
};
int nn_build_arg(struct nn_builder *builder, const struct nn_build_tensor *x,
		 const struct nn_arg *arg, struct nn_build_tensor *out);

/* Sums along `axis` up to each element. */
struct nn_cumulation {
	uint32_t axis;
	bool exclusive, backwards; /* as Cumulate's attributes */
};
int nn_build_cumulate(struct nn_builder *builder, const struct nn_build_tensor *x,
		      const struct nn_cumulation *cumulation, const struct nn_quant *quant,
		      struct nn_build_tensor *out);

/* ---- normalize.c: normalizations ---- */

/* A normalization of a tensor x, as the graph's Normalize does it. */
struct nn_normalization {
	const char *function;
	uint32_t axes; /* a bit for each dimension that a vector goes over; 0: scale */
	float epsilon;
	/* Floats of x's rank, with x's dimensions or 1; without data: 1, and 0. */
	struct nn_const scale, bias;
	/*
	 * The divisor of function `given`: of x's shape, with 1 for each of the axes; and what its
	 * stored bytes stand for.
	 */
	const struct nn_build_tensor *divisor;
	const float *divisors;
};

/* A constant of floats gets x's rank, with ones in front, and 1 for the batch. */
int nn_fit_constant(struct nn_builder *builder, const struct nn_build_tensor *x, const char *name,
		    struct nn_const *constant);
int nn_build_normalize(struct nn_builder *builder, const struct nn_build_tensor *x,
		       const struct nn_normalization *normalization, const struct nn_quant *quant,
		       struct nn_build_tensor *out);

/* ---- weights.c: convolutions, fully connected ---- */

/*
 * Weights in whatever order the model has them: the one for an output, a place in the window and an
 * input is element output * output_stride + y * row_stride + x * column_stride +
 * input * input_stride. Their scales, if there are several, are those of outputs; 8 bits, signed or
 * not, with any zero point; with several of them, weights are -128 to 127 steps from theirs.
 */
struct nn_build_weights {
	struct nn_parameter parameter;
	uint32_t outputs, height, width;
	uint32_t inputs; /* of one group */
	uint64_t output_stride, row_stride, column_stride, input_stride;
	/* The model means real numbers: what its sums, of 32 bits, cannot hold is refused. */
	bool is_real;
	/* A fully connected layer of int16 sums in 64 bits without a bias, too. */
	bool is_long;
};

/* Whether channels, outputs and inputs fit that many groups. */
int nn_need_groups(struct nn_builder *builder, const struct nn_build_tensor *x,
		   const struct nn_build_weights *weights, int64_t group);
/*
 * A convolution: of x, its channels in `group` groups of weights->inputs each. A group of one
 * channel for each channel makes it a depthwise one; other groups become weights that are zero
 * where a group does not look. bias: NULL or int32 in steps of the scales of x and weights, or
 * floats that are such steps exactly; where x is int16, int64.
 */
int nn_build_conv(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const struct nn_build_weights *weights, uint32_t group,
		  const struct nn_parameter *bias, const struct nn_window *window,
		  const char *activation, const struct nn_quant *quant,
		  struct nn_build_tensor *out);
/*
 * A transposed convolution that goes over images: input i adds to outputs i * stride + k * dilation
 * - before, k over the window. Index 0 is height, index 1 is width.
 */
struct nn_transposed {
	uint32_t stride[2], dilation[2];
	uint32_t before[2]; /* outputs that are cut off in front */
	uint32_t outputs[2]; /* what is left */
};

/*
 * A transposed convolution, as convolutions of which each makes the outputs of a phase, or as one
 * of an image whose pixels are spread. Weights are elements of 8 bits, and their strides as above;
 * with several groups, output o and input i of its group are elements of input i + o / outputs of a
 * group * inputs of a group, of output o modulo outputs of a group. Rounded as `rounding` says; an
 * activation with the first only.
 */
enum nn_transposed_rounding {
	NN_TRANSPOSED_ONCE, /* as a convolution */
	NN_TRANSPOSED_TWICE, /* in multipliers of 31 bits, as TensorFlow Lite's own kernels */
};
int nn_build_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			const struct nn_build_weights *weights, uint32_t group,
			const struct nn_parameter *bias, const struct nn_transposed *transposed,
			enum nn_transposed_rounding rounding, const char *activation,
			const struct nn_quant *quant, struct nn_build_tensor *out);
/* Fully connected: of the last dimension of x, which weights->inputs are for. height and width are
 * 1. Bias as above. */
int nn_build_fully_connected(struct nn_builder *builder, const struct nn_build_tensor *x,
			     const struct nn_build_weights *weights,
			     const struct nn_parameter *bias, const char *activation,
			     const struct nn_quant *quant, struct nn_build_tensor *out);
/* A normalization of float32, whose scale and bias are one number, or one for each element of a
 * vector; its function is deviation, rms or scale. */
int nn_build_real_normalize(struct nn_builder *builder, const struct nn_build_tensor *x,
			    const struct nn_normalization *normalization,
			    struct nn_build_tensor *out);
struct nn_formula_parameters;
/* A function of each element of float32, or of two that are broadcast, one of which may be a
 * constant; it is one of RealEach. */
int nn_build_real_each(struct nn_builder *builder, const char *function,
		       const struct nn_formula_parameters *parameters,
		       const struct nn_operand *operands, uint32_t count,
		       struct nn_build_tensor *out);
/* A transposed convolution of float32; weights are [inputs, outputs of a group, height, width]. A
 * bias without data is 0. */
int nn_build_real_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			     const struct nn_const *weights, const struct nn_const *bias,
			     uint32_t group, const struct nn_transposed *transposed,
			     struct nn_build_tensor *out);

#endif
