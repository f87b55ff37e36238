// SPDX-License-Identifier: MIT
/*
 * RotaryEmbedding: pairs of a vector's elements, each turned by the angle of its place. It is what
 * a model computes in float between quantized ends, and runs on the host's processor.
 *
 * Products are computed in double, and each result rounded once to float32.
 *
 * docs/operators.md:
 * | `RotaryEmbedding` | x `[rows, batch, heads, l, d]`, cosines and sines `[rows, 1 or batch, n,
 * e]`, 2 e not above d, each 8-bit or float32; places (optional) int64 `[rows, batch, l]`, which of
 * the n an element of l takes, else n is l | `interleaved` (0: elements i and i + e are a pair; 1:
 * 2 i and 2 i + 1) | float32 as x: elements from 2 e on as they are; 0 where no such place is |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops/support/indices.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

#define RANK 5

enum { X, COSINES, SINES, PLACES, INPUTS };
enum { ROWS, BATCH, HEADS, LENGTH, DEPTH };

struct rotary {
	bool interleaved;
	const void *data[INPUTS];
	bool is_one_row[INPUTS];
	float real[PLACES][256]; /* by stored bytes, of 8 bits */
};

/* ---- Check ---- */

static int check_shapes(struct nn_node *node)
{
	const struct nn_tensor_info *x = &node->inputs[X]->info;
	const struct nn_tensor_info *cosines = &node->inputs[COSINES]->info;
	const struct nn_tensor_info *sines = &node->inputs[SINES]->info;
	bool has_places = node->input_count > PLACES, fits;

	fits = x->rank == RANK && cosines->rank == 4 && sines->rank == 4 &&
	       !memcmp(cosines->dims + 1, sines->dims + 1, 3 * sizeof(*sines->dims)) &&
	       (cosines->dims[1] == 1 || cosines->dims[1] == x->dims[BATCH]) &&
	       cosines->dims[3] <= x->dims[DEPTH] / 2 &&
	       (has_places || cosines->dims[2] == x->dims[LENGTH]);
	if (fits && has_places) {
		const struct nn_tensor_info *places = &node->inputs[PLACES]->info;

		fits = places->type == NN_INT64 && places->rank == 3 &&
		       places->dims[1] == x->dims[BATCH] && places->dims[2] == x->dims[LENGTH];
	}
	if (!fits)
		return nn_node_fail(node, -EINVAL, "its cosines, sines and places do not fit x");
	for (uint32_t i = 0; i < node->input_count; i++) {
		if (!nn_fits_rows(node->inputs[i], nn_node_rows(node)))
			return nn_node_fail(node, -EINVAL,
					    "its inputs must have as many rows, unless one is a "
					    "constant of one row");
	}
	return 0;
}

static int check_rotary(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	static const char *const names[] = { "x", "cosines", "sines" };
	struct rotary *rotary = nn_node_make_state(node, sizeof(*rotary));
	const struct nn_tensor_info *x = &node->inputs[X]->info;
	int error = 0;

	(void)graph;
	(void)opaque;
	if (!rotary)
		return -ENOMEM;
	rotary->interleaved = nn_node_get_attr_int(node, "interleaved", 0);
	for (uint32_t i = 0; i < PLACES && !error; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->type == NN_FLOAT32)
			continue;
		error = nn_node_need_8bit(node, info, names[i]);
		if (!error)
			nn_host_fill_reals(rotary->real[i], info);
	}
	if (!error)
		error = check_shapes(node);
	if (error)
		return error;
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, nn_node_rows(node), RANK, x->dims);
}

/* ---- Execute ---- */

static float read_real(const struct rotary *rotary, const struct nn_node *node, uint32_t i,
		       uint64_t at)
{
	if (node->inputs[i]->info.type == NN_FLOAT32)
		return ((const float *)rotary->data[i])[at];
	return rotary->real[i][((const uint8_t *)rotary->data[i])[at]];
}

/* Where the cosines or sines of an item's vector are; -1: there are none. */
static int64_t find_angles(const struct rotary *rotary, const struct nn_node *node, uint32_t i,
			   const uint32_t index[RANK - 1])
{
	const uint32_t *dims = node->inputs[i]->info.dims, *x = node->inputs[X]->info.dims;
	uint64_t row = rotary->is_one_row[i] ? 0 : index[ROWS];
	uint64_t item = row * dims[1] + (dims[1] == 1 ? 0 : index[BATCH]);
	int64_t place = index[LENGTH];

	if (node->input_count > PLACES) {
		uint64_t at = rotary->is_one_row[PLACES] ? 0 : index[ROWS];

		at = (at * x[BATCH] + index[BATCH]) * x[LENGTH] + index[LENGTH];
		place = ((const int64_t *)rotary->data[PLACES])[at];
	}
	if (place < 0 || place >= dims[2])
		return -1;
	return (int64_t)((item * dims[2] + place) * dims[3]);
}

static void turn(const struct rotary *rotary, const struct nn_node *node,
		 const uint32_t index[RANK - 1], uint64_t at, float *out)
{
	const uint32_t depth = node->inputs[X]->info.dims[DEPTH];
	const uint32_t pairs = node->inputs[COSINES]->info.dims[3];
	const int64_t cosines = find_angles(rotary, node, COSINES, index);
	const int64_t sines = find_angles(rotary, node, SINES, index);

	for (uint32_t i = 0; i < pairs; i++) {
		uint32_t first = rotary->interleaved ? 2 * i : i;
		uint32_t second = rotary->interleaved ? 2 * i + 1 : i + pairs;
		double a = read_real(rotary, node, X, at + first);
		double b = read_real(rotary, node, X, at + second);
		double c = cosines < 0 ? 0 : read_real(rotary, node, COSINES, cosines + i);
		double s = sines < 0 ? 0 : read_real(rotary, node, SINES, sines + i);

		out[first] = a * c - b * s;
		out[second] = a * s + b * c;
	}
	for (uint32_t i = 2 * pairs; i < depth; i++)
		out[i] = cosines < 0 ? 0 : read_real(rotary, node, X, at + i);
}

static int execute_rotary(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct rotary *rotary = node->state;
	const uint32_t *dims = node->outputs[0].info.dims;
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	const uint32_t rows = nn_graph_rows(graph, &node->outputs[0]);
	uint64_t at = 0, row = (uint64_t)dims[1] * dims[2] * dims[3] * dims[4];
	uint32_t index[RANK - 1];

	(void)opaque;
	if (!rows)
		return 0;
	for (uint32_t i = 0; i < node->input_count; i++) {
		rotary->data[i] = nn_graph_locate(graph, node->inputs[i]);
		rotary->is_one_row[i] = nn_value_is_const(node->inputs[i]) &&
					node->inputs[i]->info.dims[0] == 1;
		if (!rotary->data[i] || !out)
			return nn_host_deny(node);
	}
	for (index[0] = 0; index[0] < rows; index[0]++) {
		at = rotary->is_one_row[X] ? 0 : index[0] * row;
		for (index[1] = 0; index[1] < dims[1]; index[1]++)
			for (index[2] = 0; index[2] < dims[2]; index[2]++)
				for (index[3] = 0; index[3] < dims[3]; index[3]++) {
					turn(rotary, node, index, at, out);
					at += dims[4];
					out += dims[4];
				}
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "interleaved", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_rotary_embedding = {
	.name = "RotaryEmbedding",
	.min_inputs = 3,
	.max_inputs = INPUTS,
	.outputs = 1,
	.attrs = attrs,
	.check = check_rotary,
	.execute = execute_rotary,
};
