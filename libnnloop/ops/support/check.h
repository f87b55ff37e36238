/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the operators' check functions, which infer what their outputs are. All errors are
 * reported and returned.
 */
#ifndef NN_CHECK_H
#define NN_CHECK_H

#include "graph/graph.h"

/* Zeroed memory that lives as long as the plan. NULL after reporting that there is none. */
void *nn_node_alloc(struct nn_node *node, size_t count, size_t size);
/* The same for what lower or execute will need: it is node->state then. */
void *nn_node_make_state(struct nn_node *node, size_t size);

/* A check for operators of which everything was said at append. */
int nn_check_nothing(struct nn_graph *graph, struct nn_node *node, void *opaque);

/* Whether a tensor is one row that the operator can have for all. */
bool nn_is_one_row(const struct nn_node *node, const struct nn_tensor_info *info);
/* The one info that all non-constant inputs' rows and level are like, but for those of one row for
 * all; input 0's if all are constant. */
const struct nn_tensor_info *nn_node_rows(const struct nn_node *node);
/*
 * Makes type or quantization of the output as `like`, where its description says nothing about
 * them.
 */
void nn_node_default_quantization(struct nn_node *node, uint32_t output,
				  const struct nn_tensor_info *like);
/* The same for an operator that cannot change them: an error where the description does. */
int nn_node_keep_quantization(struct nn_node *node, uint32_t output,
			      const struct nn_tensor_info *like);
/* The attribute `axis`, one of the dimensions of `of`: the last one if it is absent, counted from
 * the end if it is negative. An error for dimension 0, which the node "cannot" treat so. */
int nn_node_get_axis(struct nn_node *node, const struct nn_tensor_info *of, const char *cannot);
/* Give an output its shape: dimension 0 and level as `rows`, the others as `dims`. An error if the
 * description had another. */
int nn_node_infer_shape(struct nn_node *node, uint32_t output, const struct nn_tensor_info *rows,
			uint32_t rank, const uint32_t *dims);
/* Give an output this type, no quantization, and its shape as above. An error if the description
 * had another. */
int nn_node_infer_unquantized(struct nn_node *node, uint32_t output, enum nn_data_type type,
			      const struct nn_tensor_info *rows, uint32_t rank,
			      const uint32_t *dims);
/* The first input must be float32. */
int nn_node_need_float(struct nn_node *node);
/* int8 or uint8; and with one scale. */
int nn_node_need_bytes(struct nn_node *node, const struct nn_tensor_info *info, const char *what);
/* Either 8 bits, or int16 with any zero point, and one scale. */
int nn_node_need_real(struct nn_node *node, const struct nn_tensor_info *info, const char *what);
int nn_node_need_8bit(struct nn_node *node, const struct nn_tensor_info *info, const char *what);
/* 8-bit, or int16 around 0; with one scale. */
int nn_node_need_quantized(struct nn_node *node, const struct nn_tensor_info *info,
			   const char *what);
int nn_node_need_scale(struct nn_node *node, const struct nn_tensor_info *info, const char *what);

#endif
