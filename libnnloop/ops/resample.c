// SPDX-License-Identifier: MIT
/*
 * Resample: each element along the last dimension is a sum of others with constant weights, as
 * pictures are enlarged and made smaller. It is what a model computes in float, and runs on the host's
 * processor.
 *
 * Sums are of float32, one product after the other, as in ONNX Runtime.
 *
 * docs/operators.md:
 * | `Resample` | x 8-bit or float32; indices int32 `[size, taps]` and weights float32 alike, biases
 * float32 `[size]`: constants | | float32, as x, of which the last dimension is `size`: the sum of the
 * elements at the indices, each times its weight, and of the bias |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { X, TAPS, WEIGHTS, BIASES, INPUTS };

struct resample {
	float real[256]; /* by stored bytes, of 8 bits */
	const int32_t *taps;
	const float *weights, *biases;
	const void *x;
};

static int check_constants(struct nn_node *node)
{
	static const enum nn_data_type types[INPUTS] = { 0, NN_INT32, NN_FLOAT32, NN_FLOAT32 };
	const uint32_t *dims = node->inputs[TAPS]->info.dims;

	for (uint32_t i = TAPS; i < INPUTS; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (!nn_node_has(node->inputs[i]->node, NN_OP_CONST) || info->type != types[i] ||
		    info->rank != (i == BIASES ? 1 : 2) || info->dims[0] != dims[0] ||
		    (i == WEIGHTS && info->dims[1] != dims[1]))
			return nn_node_fail(node, -EINVAL,
					    "indices, weights and biases must be constants of int32 and "
					    "float32 of one size");
	}
	return 0;
}

static int check_resample(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct resample *resample = nn_node_make_state(node, sizeof(*resample));
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	uint32_t dims[NN_MAX_RANK];
	int error = 0;

	(void)graph;
	(void)opaque;
	if (!resample)
		return -ENOMEM;
	if (from->rank < 2)
		return nn_node_fail(node, -EINVAL, "needs an input of 2 dimensions or more");
	if (from->type != NN_FLOAT32) {
		error = nn_node_need_8bit(node, from, "input");
		if (!error)
			nn_host_fill_reals(resample->real, from);
	}
	if (!error)
		error = check_constants(node);
	if (error)
		return error;
	memcpy(dims, from->dims, from->rank * sizeof(*dims));
	dims[from->rank - 1] = node->inputs[TAPS]->info.dims[0];
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, dims);
}

static float read_real(const struct resample *resample, bool is_float, uint64_t at)
{
	return is_float ? ((const float *)resample->x)[at] :
			  resample->real[((const uint8_t *)resample->x)[at]];
}

/* One vector, of `length` elements from `first` on. An index that is none of them adds nothing. */
static void sum_vector(const struct resample *resample, const struct nn_node *node, uint64_t first,
		       uint32_t length, float *out)
{
	const uint32_t *dims = node->inputs[TAPS]->info.dims, taps = dims[1];
	const bool is_float = node->inputs[X]->info.type == NN_FLOAT32;

	for (uint32_t i = 0; i < dims[0]; i++) {
		float sum = resample->biases[i];

		for (uint32_t k = 0; k < taps; k++) {
			uint64_t tap = (uint64_t)i * taps + k;
			int32_t index = resample->taps[tap];

			if (index >= 0 && (uint32_t)index < length)
				sum += resample->weights[tap] *
				       read_real(resample, is_float, first + index);
		}
		out[i] = sum;
	}
}

static int execute_resample(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct resample *resample = node->state;
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const uint32_t length = from->dims[from->rank - 1];
	const uint32_t size = node->inputs[TAPS]->info.dims[0];
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	uint64_t vectors = nn_graph_rows(graph, node->inputs[X]);

	(void)opaque;
	for (uint32_t i = 1; i + 1 < from->rank; i++)
		vectors *= from->dims[i];
	if (!vectors)
		return 0;
	resample->x = nn_graph_locate(graph, node->inputs[X]);
	resample->taps = nn_graph_locate(graph, node->inputs[TAPS]);
	resample->weights = nn_graph_locate(graph, node->inputs[WEIGHTS]);
	resample->biases = nn_graph_locate(graph, node->inputs[BIASES]);
	if (!out || !resample->x || !resample->taps || !resample->weights || !resample->biases)
		return nn_host_deny(node);
	for (uint64_t i = 0; i < vectors; i++)
		sum_vector(resample, node, i * length, length, out + i * size);
	return 0;
}

const struct nn_op nn_op_resample = {
	.name = "Resample",
	.min_inputs = INPUTS,
	.max_inputs = INPUTS,
	.outputs = 1,
	.check = check_resample,
	.execute = execute_resample,
};
