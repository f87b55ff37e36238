// SPDX-License-Identifier: MIT
/*
 * RealTransposed: a transposed convolution of reals, as models have it whose weights are not
 * quantized. Sums are made in double and rounded once. It runs on the host's processor.
 *
 * docs/operators.md:
 * | `RealTransposed` | x float32 `[N, C, H, W]`; weights float32 `[C, O / groups, KH, KW]`, bias
 * float32 `[O]`, constants | `size` (required: OH,OW), `stride`, `dilation` (1,1), `before` (0,0: what
 * is cut off in front), `groups` (1) | float32 `[N, O, OH, OW]` |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>

#define MOST 65535 /* of each attribute */

enum { X, WEIGHTS, BIAS };

struct transposed {
	int64_t size[2], stride[2], dilation[2], before[2];
	int64_t groups;
};

static int read_attrs(struct nn_node *node, struct transposed *t)
{
	*t = (struct transposed){ .stride = { 1, 1 }, .dilation = { 1, 1 } };
	nn_node_get_ints(node, "size", 2, t->size);
	nn_node_get_ints(node, "stride", 2, t->stride);
	nn_node_get_ints(node, "dilation", 2, t->dilation);
	nn_node_get_ints(node, "before", 2, t->before);
	t->groups = 1;
	nn_node_get_ints(node, "groups", 1, &t->groups);
	for (int i = 0; i < 2; i++) {
		if (t->size[i] < 1 || t->size[i] > MOST || t->stride[i] < 1 ||
		    t->stride[i] > MOST || t->dilation[i] < 1 || t->dilation[i] > MOST ||
		    t->before[i] < 0 || t->before[i] > MOST)
			return nn_node_fail(node, -EINVAL,
					    "size, stride and dilation must be 1 to %d, and before 0 "
					    "to %d", MOST, MOST);
	}
	return 0;
}

static bool is_constant(const struct nn_value *value, uint32_t rank)
{
	return nn_node_has(value->node, NN_OP_CONST) && value->info.type == NN_FLOAT32 &&
	       value->info.rank == rank;
}

static int check_transposed(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const struct nn_tensor_info *weights = &node->inputs[WEIGHTS]->info;
	struct transposed *t = nn_node_make_state(node, sizeof(*t));
	uint64_t outputs;
	int error;

	(void)graph;
	(void)opaque;
	if (!t)
		return -ENOMEM;
	error = read_attrs(node, t);
	if (error)
		return error;
	if (from->type != NN_FLOAT32 || from->rank != 4 ||
	    !is_constant(node->inputs[WEIGHTS], 4) || !is_constant(node->inputs[BIAS], 1))
		return nn_node_fail(node, -EINVAL,
				    "needs images of float32, N, C, H, W, weights of 4 dimensions and "
				    "a bias of one, constants of float32");
	outputs = (uint64_t)weights->dims[1] * (uint64_t)t->groups;
	if (t->groups < 1 || t->groups > from->dims[1] || from->dims[1] % t->groups ||
	    weights->dims[0] != from->dims[1] || outputs != node->inputs[BIAS]->info.dims[0])
		return nn_node_fail(node, -EINVAL,
				    "weights of %" PRIu32 " x %" PRIu32 " and a bias of %" PRIu32
				    " do not fit %" PRIu32 " channels in %" PRId64 " groups",
				    weights->dims[0], weights->dims[1],
				    node->inputs[BIAS]->info.dims[0], from->dims[1], t->groups);
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, 4,
					 (const uint32_t[]){ from->dims[0], (uint32_t)outputs,
							     (uint32_t)t->size[0],
							     (uint32_t)t->size[1] });
}

/* The input's row or column that a tap takes for an output's; -1: none. */
static int64_t find_source(const struct transposed *t, int i, int64_t at, int64_t tap, int64_t size)
{
	int64_t from = at + t->before[i] - tap * t->dilation[i];

	if (from < 0 || from % t->stride[i] || from / t->stride[i] >= size)
		return -1;
	return from / t->stride[i];
}

/* A layer is what each image has in a row. */
struct layer {
	const struct transposed *t;
	const struct nn_tensor_info *from, *weights;
	const float *w;
	uint32_t inputs; /* of a group */
};

/* One output, of channel o: all inputs of its group, and all taps that have a pixel there. */
static double find_sum(const struct layer *layer, const float *x, uint32_t o, int64_t row,
		       int64_t column)
{
	const uint32_t *w = layer->weights->dims, height = layer->from->dims[2],
		       width = layer->from->dims[3];
	const uint32_t first = o / w[1] * layer->inputs;
	double sum = 0;

	for (uint32_t ky = 0; ky < w[2]; ky++) {
		int64_t y = find_source(layer->t, 0, row, ky, height);

		for (uint32_t kx = 0; kx < w[3] && y >= 0; kx++) {
			int64_t at = find_source(layer->t, 1, column, kx, width);

			for (uint32_t c = first; c < first + layer->inputs && at >= 0; c++)
				sum += (double)x[((uint64_t)c * height + y) * width + at] *
				       layer->w[(((uint64_t)c * w[1] + o % w[1]) * w[2] + ky) *
							w[3] + kx];
		}
	}
	return sum;
}

static int execute_transposed(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct transposed *t = node->state;
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const float *x = nn_graph_locate(graph, node->inputs[X]);
	const float *bias = nn_graph_locate(graph, node->inputs[BIAS]);
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	uint32_t rows = nn_graph_rows(graph, node->inputs[X]);
	const struct layer layer = {
		.t = t,
		.from = from,
		.weights = &node->inputs[WEIGHTS]->info,
		.w = nn_graph_locate(graph, node->inputs[WEIGHTS]),
		.inputs = from->dims[1] / t->groups,
	};
	const uint64_t row_size = (uint64_t)from->dims[1] * from->dims[2] * from->dims[3];
	const uint32_t outputs = node->outputs[0].info.dims[1];

	(void)opaque;
	if (!rows)
		return 0;
	if (!x || !layer.w || !bias || !out)
		return nn_host_deny(node);
	for (uint32_t n = 0; n < rows; n++, x += row_size) {
		for (uint32_t o = 0; o < outputs; o++) {
			for (int64_t y = 0; y < t->size[0]; y++) {
				for (int64_t k = 0; k < t->size[1]; k++)
					*out++ = find_sum(&layer, x, o, y, k) + bias[o];
			}
		}
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "size", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ .name = "stride", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ .name = "dilation", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ .name = "before", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ .name = "groups", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_real_transposed = {
	.name = "RealTransposed",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = attrs,
	.check = check_transposed,
	.execute = execute_transposed,
};
