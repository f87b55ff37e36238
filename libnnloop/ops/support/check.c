// SPDX-License-Identifier: MIT
/* Helpers of check functions of operators (check.h): inferred shapes and quantization. */
#include "check.h"

#include <errno.h>
#include <string.h>

void *nn_node_alloc(struct nn_node *node, size_t count, size_t size)
{
	void *memory = nn_pool_array(node->graph->preparing->pool, count, size);

	if (!memory)
		nn_graph_no_memory(node->graph);
	return memory;
}

void *nn_node_make_state(struct nn_node *node, size_t size)
{
	node->state = nn_node_alloc(node, 1, size);
	return node->state;
}

int nn_check_nothing(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)node;
	(void)opaque;
	return 0;
}

bool nn_is_one_row(const struct nn_node *node, const struct nn_tensor_info *info)
{
	return node->op->takes_one_row && !info->level && info->dims[0] == 1;
}

const struct nn_tensor_info *nn_node_rows(const struct nn_node *node)
{
	const struct nn_tensor_info *one = NULL;
	uint32_t i;

	for (i = 0; i < node->input_count; i++) {
		if (!node->inputs[i] || nn_value_is_const(node->inputs[i]))
			continue;
		if (!nn_is_one_row(node, &node->inputs[i]->info))
			return &node->inputs[i]->info;
		one = one ? one : &node->inputs[i]->info;
	}
	if (one)
		return one;
	return node->input_count && node->inputs[0] ? &node->inputs[0]->info : NULL;
}

void nn_node_default_quantization(struct nn_node *node, uint32_t output,
				  const struct nn_tensor_info *like)
{
	struct nn_tensor_info *info = &node->outputs[output].info;

	if (!info->scale && !info->scales && (!info->type || info->type == like->type)) {
		info->scale = like->scale;
		info->zero_point = like->zero_point;
		info->scales = like->scales;
		info->scale_count = like->scale_count;
		info->axis = like->axis;
	}
	if (!info->type)
		info->type = like->type;
}

int nn_node_keep_quantization(struct nn_node *node, uint32_t output,
			      const struct nn_tensor_info *like)
{
	nn_node_default_quantization(node, output, like);
	if (nn_info_same_quantization(&node->outputs[output].info, like))
		return 0;
	return nn_node_fail(node, -EINVAL, "cannot change type or quantization");
}

int nn_node_get_axis(struct nn_node *node, const struct nn_tensor_info *of, const char *cannot)
{
	int64_t axis = nn_node_get_attr_int(node, "axis", -1);

	axis += axis < 0 ? of->rank : 0;
	if (axis < 0 || axis >= of->rank)
		return nn_node_fail(node, -EINVAL, "axis is not one of the dimensions");
	if (!axis)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "cannot %s dimension 0, which counts rows", cannot);
	return axis;
}

int nn_node_infer_shape(struct nn_node *node, uint32_t output, const struct nn_tensor_info *rows,
			uint32_t rank, const uint32_t *dims)
{
	struct nn_tensor_info *info = &node->outputs[output].info,
			      inferred = { .rank = rank, .level = rows->level };
	char got[NN_SHAPE_TEXT], want[NN_SHAPE_TEXT];
	uint32_t i;

	memcpy(inferred.dims, dims, rank * sizeof(*dims));
	inferred.dims[0] = rows->dims[0];
	for (i = rows->level ? 1 : 0; info->rank && i < rank; i++)
		if (info->dims[i] != inferred.dims[i])
			break;
	if (info->rank && (info->rank != rank || i < rank))
		return nn_node_fail(node, -EINVAL, "output %u is described as %s but is %s", output,
				    nn_info_format_shape(info, got, sizeof(got)),
				    nn_info_format_shape(&inferred, want, sizeof(want)));
	info->rank = rank;
	memcpy(info->dims, inferred.dims, sizeof(info->dims));
	info->level = rows->level;
	return 0;
}

int nn_node_infer_unquantized(struct nn_node *node, uint32_t output, enum nn_data_type type,
			      const struct nn_tensor_info *rows, uint32_t rank,
			      const uint32_t *dims)
{
	struct nn_tensor_info *info = &node->outputs[output].info;

	if ((info->type && info->type != type) || info->scale)
		return nn_node_fail(node, -EINVAL, "output %u is %s", output,
				    nn_data_type_name(type));
	info->type = type;
	return nn_node_infer_shape(node, output, rows, rank, dims);
}

int nn_node_need_float(struct nn_node *node)
{
	const struct nn_tensor_info *info = &node->inputs[0]->info;

	if (info->type == NN_FLOAT32)
		return 0;
	return nn_node_fail(node, -EINVAL, "the input must be float32, not %s",
			    nn_data_type_name(info->type));
}

int nn_node_need_bytes(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	if (!nn_type_is_8bit(info->type))
		return nn_node_fail(node, -EINVAL, "the %s must be int8 or uint8, not %s", what,
				    info->type ? nn_data_type_name(info->type) : "without a type");
	return 0;
}

int nn_node_need_8bit(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	int error = nn_node_need_bytes(node, info, what);

	return error ? error : nn_node_need_scale(node, info, what);
}

int nn_node_need_quantized(struct nn_node *node, const struct nn_tensor_info *info,
			   const char *what)
{
	if (info->type != NN_INT16)
		return nn_node_need_8bit(node, info, what);
	if (!(info->scale > 0) || info->scales || info->zero_point)
		return nn_node_fail(node, -EINVAL, "the %s is of int16 and must have one scale, "
						   "and zero point 0", what);
	return 0;
}

int nn_node_need_real(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	return info->type == NN_INT16 ? nn_node_need_scale(node, info, what) :
					nn_node_need_8bit(node, info, what);
}

int nn_node_need_scale(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	if (info->scales)
		return nn_node_fail(node, -EINVAL, "the %s has more than one scale", what);
	if (!info->scale)
		return nn_node_fail(node, -EINVAL, "the %s has no scale", what);
	return 0;
}
