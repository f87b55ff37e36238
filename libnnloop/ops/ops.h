/* SPDX-License-Identifier: MIT */
/*
 * The built-in operators, and what their families share.
 */
#ifndef NN_OPS_H
#define NN_OPS_H

#include "graph/graph.h"

/* Ids are only ever added, at the end: they are an index and part of nothing that is stored, but
 * keep tests and reports comparable. */
enum nn_op_id {
	NN_OP_INPUT,
	NN_OP_CONST,
	NN_OP_OUTPUT,
	NN_OP_SINK,
	NN_OP_NOP,
	NN_OP_COPY,
	NN_OP_CONV2D,
	NN_OP_DEPTHWISE_CONV2D,
	NN_OP_FULLY_CONNECTED,
	NN_OP_MAX_POOL,
	NN_OP_AVERAGE_POOL,
	NN_OP_ADD,
	NN_OP_REQUANTIZE,
	NN_OP_RELU,
	NN_OP_RELU6,
	NN_OP_CLAMP,
	NN_OP_SIGMOID,
	NN_OP_TANH,
	NN_OP_RESHAPE,
	NN_OP_TRANSPOSE,
	NN_OP_CONCAT,
	NN_OP_BATCH_LOOP,
	NN_OP_COUNT_LOOP,
	NN_OP_PROPOSAL,
	NN_OP_VARIABLE,
	NN_OP_ASSIGN,
	NN_OP_CROP_RESIZE,
	NN_OP_COUNT
};

/* basic.c: the graph's ends, and what the library puts in */
extern const struct nn_op nn_op_input, nn_op_const, nn_op_output, nn_op_sink;
/* layout.c: what only moves or renames elements */
extern const struct nn_op nn_op_nop, nn_op_copy, nn_op_reshape, nn_op_transpose, nn_op_concat;
/* window.c: convolutions, fully connected, pools */
extern const struct nn_op nn_op_conv2d, nn_op_depthwise_conv2d, nn_op_fully_connected,
	nn_op_max_pool, nn_op_average_pool;
/* pointwise.c: one element in, one element out */
extern const struct nn_op nn_op_add, nn_op_requantize, nn_op_relu, nn_op_relu6, nn_op_clamp,
	nn_op_sigmoid, nn_op_tanh;
/* loop.c: LCNs that count */
extern const struct nn_op nn_op_batch_loop, nn_op_count_loop;
/* proposal.c: an LCN over what a detector finds */
extern const struct nn_op nn_op_proposal;
/* crop.c */
extern const struct nn_op nn_op_crop_resize;
/* state.c: tensors that loops carry from one iteration to the next */
extern const struct nn_op nn_op_variable, nn_op_assign;

const struct nn_op *nn_op_get(enum nn_op_id id);
static inline bool nn_node_is(const struct nn_node *node, enum nn_op_id id)
{
	return node->op == nn_op_get(id);
}

/* A built-in operator or one of the graph's; NULL if nobody knows it. */
const struct nn_op *nn_op_find(const struct nn_graph *graph, const char *name);
/* How many outputs a node has that is described so; NN_ANY_NUMBER if the description is wrong. */
uint32_t nn_op_count_outputs(const struct nn_op *op, const struct nn_node_desc *desc);
/* Attributes against the operator's list. */
int nn_op_check_attrs(struct nn_graph *graph, const struct nn_op *op,
		      const struct nn_node_desc *desc);

/* ---- Attributes of a node, checked at append */

/* Fill `values` from an integer or a list; leaves what is there if the attribute is absent. */
void nn_node_get_ints(const struct nn_node *node, const char *name, uint32_t count,
		      int64_t *values);
const char *nn_node_get_string(const struct nn_node *node, const char *name, const char *otherwise);
float nn_node_get_float(const struct nn_node *node, const char *name, float otherwise);

/* ---- Inference: for check functions. All errors are reported and returned */

/* The one info that all non-constant inputs' rows and level are like; input 0's if all are
 * constant. */
const struct nn_tensor_info *nn_node_rows(const struct nn_node *node);
/* Where the output's description says nothing about type or quantization, it is as `like`. */
void nn_node_default_quantization(struct nn_node *node, uint32_t output,
				  const struct nn_tensor_info *like);
/* Give an output its shape: dimension 0 and level as `rows`, the others as `dims`. An error if the
 * description had another. */
int nn_node_infer_shape(struct nn_node *node, uint32_t output, const struct nn_tensor_info *rows,
			uint32_t rank, const uint32_t *dims);
/* The output has the same elements as the input, in the same order. nn_lower_aliases() is the lower
 * function to go with it. */
void nn_node_alias(struct nn_node *node, uint32_t output, uint32_t input);
int nn_node_need_8bit(struct nn_node *node, const struct nn_tensor_info *info, const char *what);
int nn_node_need_scale(struct nn_node *node, const struct nn_tensor_info *info, const char *what);

#endif
