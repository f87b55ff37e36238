// SPDX-License-Identifier: MIT
/*
 * RealEach: a function of each real, or of two that are broadcast, as models have it that leave
 * operators in float between quantized tensors. It runs on the host's processor.
 *
 * docs/operators.md:
 * | `RealEach` | x float32; or a, b float32, broadcast, of which one may be a constant | `function`
 * (required: as ONNX calls it, or `clamp`, `prelu`), `alpha`, `beta` (its own), `tanh` (0) |
 * float32 |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/formulas.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

/* Where the elements of an input are, as the output's are counted. */
struct walk {
	const float *from;
	uint64_t strides[NN_MAX_RANK]; /* 0: it is the same all along the dimension */
};

static const struct nn_formula *find_formula(const struct nn_node *node)
{
	return nn_formula_find(nn_node_get_string(node, "function", ""));
}

static int check_real_each(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_formula *formula = find_formula(node);
	const struct nn_tensor_info *from = &node->inputs[0]->info;

	(void)graph;
	(void)opaque;
	for (uint32_t i = 0; i < node->input_count; i++) {
		if (node->inputs[i]->info.type != NN_FLOAT32)
			return nn_node_fail(node, -EINVAL, "needs inputs of float32");
	}
	if (!formula || (node->input_count == 1 ? !formula->of_one : !formula->of_two))
		return nn_node_fail(node, -EINVAL, "has no function \"%s\" of %s",
				    nn_node_get_string(node, "function", ""),
				    node->input_count == 1 ? "one real" : "two reals");
	if (node->input_count == 1)
		return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, from->dims);
	if (node->outputs[0].info.type && node->outputs[0].info.type != NN_FLOAT32)
		return nn_node_fail(node, -EINVAL, "makes float32");
	node->outputs[0].info.type = NN_FLOAT32;
	return nn_infer_broadcast(node);
}

static void compute_one(const struct nn_formula *formula,
			const struct nn_formula_parameters *parameters, const float *x,
			uint64_t count, float *out)
{
	for (uint64_t i = 0; i < count; i++)
		out[i] = formula->of_one(x[i], parameters);
}

/* Strides of an input's elements; a constant of one row has that for all. */
static void begin_walk(const struct nn_value *input, const struct nn_tensor_info *made,
		       struct walk *walk)
{
	uint64_t stride = 1;

	for (uint32_t i = made->rank; i-- > 0;) {
		uint32_t size = input->info.dims[i];
		bool stays = i ? size == 1 : nn_value_is_const(input) && size == 1;

		walk->strides[i] = stays ? 0 : stride;
		stride *= i ? size : 1;
	}
}

static void compute_two(const struct nn_formula *formula, struct walk walks[2],
			const struct nn_tensor_info *made, uint64_t count, float *out)
{
	uint32_t index[NN_MAX_RANK] = { 0 };
	uint64_t at[2] = { 0 };

	for (uint64_t to = 0; to < count; to++) {
		out[to] = formula->of_two(walks[0].from[at[0]], walks[1].from[at[1]]);
		for (uint32_t i = made->rank; i-- > 0;) {
			at[0] += walks[0].strides[i];
			at[1] += walks[1].strides[i];
			if (++index[i] < made->dims[i] || !i)
				break;
			at[0] -= walks[0].strides[i] * index[i];
			at[1] -= walks[1].strides[i] * index[i];
			index[i] = 0;
		}
	}
}

static int execute_real_each(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_formula *formula = find_formula(node);
	struct nn_formula_parameters parameters = {
		.alpha = nn_node_get_float(node, "alpha", formula->otherwise.alpha),
		.beta = nn_node_get_float(node, "beta", formula->otherwise.beta),
	};
	const struct nn_tensor_info *made = &node->outputs[0].info;
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	uint64_t count = nn_graph_rows(graph, &node->outputs[0]) * nn_info_row_bytes(made) /
			 sizeof(float);
	struct walk walks[2] = { 0 };
	int64_t is_tanh = 0;

	(void)opaque;
	if (!count)
		return 0;
	nn_node_get_ints(node, "tanh", 1, &is_tanh);
	parameters.is_tanh = is_tanh;
	for (uint32_t i = 0; i < node->input_count; i++) {
		walks[i].from = nn_graph_locate(graph, node->inputs[i]);
		if (!walks[i].from || !out)
			return nn_host_deny(node);
		begin_walk(node->inputs[i], made, &walks[i]);
	}
	if (node->input_count == 1)
		compute_one(formula, &parameters, walks[0].from, count, out);
	else
		compute_two(formula, walks, made, count, out);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "alpha", .type = NN_ATTR_FLOAT },
	{ .name = "beta", .type = NN_ATTR_FLOAT },
	{ .name = "tanh", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_real_each = {
	.name = "RealEach",
	.min_inputs = 1,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_real_each,
	.execute = execute_real_each,
};
