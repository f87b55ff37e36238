/* SPDX-License-Identifier: MIT */
/*
 * The ONNX importer's own declarations.
 *
 *	file.c	bytes to protobuf-c's structures
 *	tensor.c	constants and attributes
 *	value.c	what a name of the model stands for; layouts; the nodes appended
 *	ops.c	the operators, and those that only move, quantize or clamp elements
 *	compute.c	those that compute
 *	loop.c	those of nnloop's own domain: loops, and what runs in them
 *	scan.c	ONNX's own Loop, with its body
 *	onnx.c		nn_graph_import_onnx(): the walk over the model
 *
 * A quantized ONNX model computes on paper in float: DequantizeLinear, operator, QuantizeLinear.
 *The importer walks the nodes once, in their order, and keeps for each name what it stands for
 *(struct onnx_value): a stored tensor; a *real* view of one (behind a DequantizeLinear); or a
 **pending* result, an operator on real operands that no QuantizeLinear has rounded yet. The
 *QuantizeLinear says scale and zero point of the result and thereby turns the pending operator into
 *a node.
 */
#ifndef NN_ONNX_H
#define NN_ONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/graph.h"
#include "onnx.pb-c.h"

/* ---- file.c ---- */

Onnx__ModelProto *onnx_unpack(const void *data, size_t size, const char **wrong);
void onnx_free(Onnx__ModelProto *model);

/* ---- tensor.c ---- */

struct onnx_import;

/* A constant, elements in the order of its dimensions. */
struct onnx_const {
	int32_t type; /* ONNX__TENSOR_PROTO__DATA_TYPE__* */
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK];
	uint64_t count;
	const void *data; /* the model's or the import's */
};

int onnx_const_read(struct onnx_import *import, const Onnx__TensorProto *tensor,
		    struct onnx_const *out);
/* Element i of an integer constant (8 to 64 bits), of a float one. */
int64_t onnx_const_int(const struct onnx_const *c, uint64_t i);
float onnx_const_float(const struct onnx_const *c, uint64_t i);
const char *onnx_type_name(int32_t type);
enum nn_data_type onnx_to_nn_type(int32_t type); /* 0: none */

const Onnx__AttributeProto *onnx_attr(const Onnx__NodeProto *node, const char *name);
int64_t onnx_attr_int(const Onnx__NodeProto *node, const char *name, int64_t otherwise);
float onnx_attr_float(const Onnx__NodeProto *node, const char *name, float otherwise);
const char *onnx_attr_string(struct onnx_import *import, const char *name, const char *otherwise);

/* ---- value.c ---- */

/* How integers stand for reals: per tensor, or per index of one axis of a constant. */
struct onnx_quant {
	enum nn_data_type type;
	float scale; /* 0: plain integers */
	int32_t zero_point;
	const float *scales; /* NULL: per tensor */
	const struct onnx_const *zero_points; /* with scales; NULL: all zero */
	uint32_t axis;
};

enum onnx_layout {
	ONNX_PLAIN, /* stored in ONNX's order */
	ONNX_NHWC, /* N, C, H, W, stored as N, H, W, C */
	ONNX_FLAT_NHWC, /* N, C * H * W, stored as N, H * W * C: a flattened ONNX_NHWC */
};

#define ONNX_ROWS 0u /* as dims[0]: the caller's number of rows */

/* A node's output in the nnloop graph. */
struct onnx_stored {
	struct nn_input source;
	enum onnx_layout layout;
	uint32_t channels, height, width; /* of ONNX_FLAT_NHWC */
	struct onnx_quant quant;
};

enum onnx_kind {
	ONNX_UNDEFINED, /* not reached yet */
	ONNX_ABSENT, /* an optional input that is not there */
	ONNX_CONST,
	ONNX_STORED, /* a tensor of integers */
	ONNX_REAL_CONST, /* a constant, dequantized */
	ONNX_REAL, /* a tensor, dequantized */
	ONNX_PENDING, /* real, not rounded yet */
	ONNX_ROW_COUNT, /* dimension 0 of a tensor, as a number */
	ONNX_ITERATION, /* the number of a Loop's iteration */
};

struct onnx_import;
struct onnx_value;
struct onnx_pending;

/* Appends the nodes that compute `pending`, rounded as `quant` says. `activation`: NULL or what its
 * attribute can be. */
typedef int (*onnx_emit_fp)(struct onnx_import *import, const struct onnx_value *value,
			    const struct onnx_quant *quant, const char *activation,
			    struct onnx_stored *out);

/* A real operator that waits for its QuantizeLinear. */
struct onnx_pending {
	onnx_emit_fp emit;
	const Onnx__NodeProto *node; /* where it came from */
	const struct onnx_value **operands;
	uint32_t operand_count;
	bool takes_activation; /* emit heeds its argument */
	float low, high; /* what Relu and Clip made of its range */

	/* Of windows (convolutions, pools). */
	uint32_t kernel[2], stride[2], dilation[2];
	uint32_t padding[4]; /* top, left, bottom, right */
	uint32_t group;
	bool count_padding;

	bool weights_by_output; /* fully connected: the weights are [O, K], not [K, O] */
	uint32_t axis; /* Concat: in ONNX's order */
};

struct onnx_value {
	const char *name; /* the model's */
	enum onnx_kind kind;
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK]; /* as ONNX has them; dims[0] may be ONNX_ROWS */
	struct onnx_const constant; /* ONNX_CONST and ONNX_REAL_CONST */
	struct onnx_quant quant; /* ONNX_REAL_CONST */
	struct onnx_stored stored; /* ONNX_STORED and ONNX_REAL */
	struct onnx_pending *pending; /* ONNX_PENDING */
	bool unrounded; /* ONNX_REAL: the model's float input, which only its first QuantizeLinear
			   makes integers */
	const struct onnx_value *rows_of; /* ONNX_ROW_COUNT */
	bool in_loop; /* made in a Loop's body, or from what was */
	bool rowless; /* a row without the dimension for it, which an Unsqueeze adds at once */
	uint32_t *users; /* nodes that read it, in order: indices of onnx_import.steps */
	uint32_t user_count;
};

/* A node, or the begin or end of a Loop, whose body's nodes are between the two. */
struct onnx_step {
	const Onnx__NodeProto *node;
	enum { ONNX_NODE, ONNX_LOOP_BEGIN, ONNX_LOOP_END } kind;
};

struct onnx_import {
	struct nn_graph *graph;
	const Onnx__ModelProto *model;
	struct onnx_step *steps; /* the nodes of the model, that of a Loop's body included */
	uint32_t step_count;
	struct onnx_scan *scan; /* the Loop that is open; NULL: none */
	uint32_t loop_count; /* loop-control nodes appended */
	const Onnx__NodeProto *node; /* that is being looked at, for messages; NULL: none */
	const char *result; /* name for the tensors that are made */
	uint32_t next_id;
	bool one_is_batch; /* every input's first dimension is 1, which is taken as ONNX_ROWS */
	struct onnx_value *values; /* sorted by name */
	uint32_t value_count;
	struct onnx_value absent;
	struct nn_pool pool; /* everything of the import but protobuf-c's structures */
};

/* An error with a sentence; names the node that is being looked at. Returns code. */
int onnx_fail(struct onnx_import *import, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The code of the error that was just set. */
static inline int onnx_failed(const struct onnx_import *import)
{
	return import->graph->error.code;
}
/* A name in quotes, fit for a message: the file may contain anything. */
const char *onnx_quote(struct onnx_import *import, const char *name);
/* Zeroed memory that lives as long as the import; NULL if there is none, and the error is set. */
void *onnx_alloc(struct onnx_import *import, size_t count, size_t size);
struct onnx_value *onnx_find(struct onnx_import *import, const char *name);
/* Input or output i of the current node. Absent ones are never NULL: their kind is ONNX_ABSENT. */
struct onnx_value *onnx_input(struct onnx_import *import, uint32_t i);
struct onnx_value *onnx_output(struct onnx_import *import, uint32_t i);

bool onnx_quant_equal(const struct onnx_quant *a, const struct onnx_quant *b);
/*
 * Scale and zero point as the inputs of a QuantizeLinear give them. `type` of the integers, or 0:
 * the zero point's, uint8 without one. `axis`, of dims, for one scale per index.
 */
int onnx_quant_read(struct onnx_import *import, const struct onnx_value *scale,
		    const struct onnx_value *zero_point, enum nn_data_type type, int64_t axis,
		    uint32_t rank, const uint32_t *dims, struct onnx_quant *out);
/* What a new tensor has of the one it was made of element by element. */
void onnx_keep_layout(struct onnx_stored *out, const struct onnx_stored *like);
/* The value as a stored tensor, rounded (again, if it was with another scale or zero point) as
 * `quant` says. */
int onnx_settle(struct onnx_import *import, const struct onnx_value *value,
		const struct onnx_quant *quant, struct onnx_stored *out);

/* The tensor of a stored or real value in a layout; appends a Transpose or Reshape where that takes
 * one. */
int onnx_in_layout(struct onnx_import *import, const struct onnx_value *value,
		   enum onnx_layout layout, struct onnx_stored *out);
/* Its dimension in the graph, of a dimension of the model. */
uint32_t onnx_layout_axis(enum onnx_layout layout, uint32_t axis);

/* One node of the graph with one output, whose shape is inferred. */
int onnx_append(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		uint32_t input_count, const struct nn_attr *attrs, uint32_t attr_count,
		const struct onnx_quant *quant, struct onnx_stored *out);
int onnx_append_const(struct onnx_import *import, const struct nn_tensor_info *info,
		      const void *data, struct onnx_stored *out);
int onnx_append_reshape(struct onnx_import *import, const struct onnx_stored *input, uint32_t rank,
			const uint32_t *dims, struct onnx_stored *out);

/* Elements of an item (all dimensions but the first); fails when they are too many to count in 32
 * bits. */
int onnx_item_elements(struct onnx_import *import, uint32_t rank, const uint32_t *dims,
		       uint64_t *elements);

/* ---- ops.c ---- */

/* Handles the current node, or fails. */
int onnx_lower_node(struct onnx_import *import);
/* Whether a node only moves elements, so that its output has its first input's quantization. */
bool onnx_only_moves(const Onnx__NodeProto *node);
/*
 * The quantization that a value gets further on: of the first QuantizeLinear that it reaches
 * through operators that only move or clamp elements. Of a stored one: of the first operator that
 * says what the integers mean; plain integers if none does.
 */
int onnx_find_quant(struct onnx_import *import, const struct onnx_value *value, bool stored,
		    enum nn_data_type type, struct onnx_quant *quant);
/* Gives output i of the current node the value of another one; an output that the model does not
 * name is wanted by nobody. */
int onnx_define(struct onnx_import *import, uint32_t i, const struct onnx_value *like);

/*
 * The operand of an operator that moves elements: stored or real. A pending one is settled as it
 * will be further on. NULL: the error is set.
 */
const struct onnx_value *onnx_movable_input(struct onnx_import *import, uint32_t i);

/* ---- compute.c ---- */

/* Strides, dilations and padding of the current node. weights: NULL: it has the attribute
 * kernel_shape. Sets dims[2] and [3] to the output's. */
int onnx_read_window(struct onnx_import *import, const struct onnx_value *x,
		     const struct onnx_value *weights, struct onnx_pending *window, uint32_t *dims);
/* A node with a window's attributes. */
int onnx_append_window(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		       uint32_t input_count, const struct onnx_pending *window,
		       const char *activation, const struct onnx_quant *quant,
		       struct onnx_stored *out);

int onnx_lower_conv(struct onnx_import *import);
int onnx_lower_gemm(struct onnx_import *import);
int onnx_lower_matmul(struct onnx_import *import);
int onnx_lower_add(struct onnx_import *import);
int onnx_lower_function(struct onnx_import *import);
int onnx_lower_average_pool(struct onnx_import *import);
int onnx_lower_global_average_pool(struct onnx_import *import);
int onnx_lower_qlinear_conv(struct onnx_import *import);
int onnx_lower_qlinear_matmul(struct onnx_import *import);
int onnx_lower_qlinear_add(struct onnx_import *import);
int onnx_lower_qlinear_global_average_pool(struct onnx_import *import);

/* ---- loop.c ---- */

int onnx_lower_loop(struct onnx_import *import);
int onnx_lower_proposal(struct onnx_import *import);
int onnx_lower_crop_resize(struct onnx_import *import);
/* Appends a loop-control node whose outputs are rows of its inputs; `attrs` as in nn_node_desc. */
int onnx_append_loop(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		     uint32_t count, const struct nn_attr *attrs, uint32_t attr_count,
		     struct onnx_stored *outputs);

/* ---- scan.c ---- */

/* The graph in a Loop node, or NULL. */
const Onnx__GraphProto *onnx_loop_body(const Onnx__NodeProto *node);
int onnx_begin_scan(struct onnx_import *import);
int onnx_end_scan(struct onnx_import *import);
int onnx_lower_gather(struct onnx_import *import);
int onnx_lower_shape(struct onnx_import *import);
/* Whether input 0 of the current node is a single number of a loop's, which reshaping only passes
 * on. */
bool onnx_is_index(struct onnx_import *import);
int onnx_lower_index(struct onnx_import *import);

#endif
