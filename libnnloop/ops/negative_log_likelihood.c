// SPDX-License-Identifier: MIT
/*
 * NegativeLogLikelihood: how far a model's scores are from the classes that are right. It is what a
 * model that is being evaluated ends with, in float, and runs on the host's processor.
 *
 * Sums are computed in double, and each result is rounded once to float32. A target that is no
 * class, which is an error in other runtimes, counts as one that is ignored.
 *
 * docs/operators.md:
 * | `NegativeLogLikelihood` | scores `[rows, batch, classes, places]`, 8-bit or float32; targets
 * int32 or int64 `[rows, batch, places]`: a class, from the last one if negative; weights (optional)
 * `[rows, classes]`, 8-bit or float32 | `reduction` (`none`; `mean`, by the weights; `sum`), `ignored`
 * (none): a target that counts nothing | float32 `[rows, batch, places]`: the target's score, negated
 * and times its weight; or `[rows, 1]` with a reduction |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops/support/indices.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { SCORES, TARGETS, WEIGHTS, INPUTS };
enum { ROWS, BATCH, CLASSES, PLACES };
enum reduction { NONE, MEAN, SUM, REDUCTIONS };

static const char *const reductions[] = { "none", "mean", "sum" };

struct likelihood {
	enum reduction reduction;
	int64_t ignored;
	bool ignores;
	const void *data[INPUTS];
	bool is_one_row[INPUTS];
	float real[INPUTS][256]; /* by stored bytes, of 8 bits */
};

/* ---- Check ---- */

static int check_reals(struct nn_node *node, struct likelihood *likelihood, uint32_t i,
		       const char *what)
{
	const struct nn_tensor_info *info = &node->inputs[i]->info;
	int error;

	if (info->type == NN_FLOAT32)
		return 0;
	error = nn_node_need_8bit(node, info, what);
	if (!error)
		nn_host_fill_reals(likelihood->real[i], info);
	return error;
}

static int check_shapes(struct nn_node *node)
{
	static const uint32_t ranks[] = { 4, 3, 2 };
	const uint32_t *scores = node->inputs[SCORES]->info.dims;
	const uint32_t *targets = node->inputs[TARGETS]->info.dims;

	for (uint32_t i = 0; i < node->input_count; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->rank != ranks[i])
			return nn_node_fail(node, -EINVAL,
					    "input %" PRIu32 " has %" PRIu32 " dimensions, not %" PRIu32,
					    i, info->rank, ranks[i]);
		if (!nn_fits_rows(node->inputs[i], nn_node_rows(node)))
			return nn_node_fail(node, -EINVAL,
					    "its inputs must have as many rows, unless one is a "
					    "constant of one row");
	}
	if (targets[BATCH] != scores[BATCH] || targets[2] != scores[PLACES])
		return nn_node_fail(node, -EINVAL, "its scores and targets do not fit");
	if (node->input_count > WEIGHTS && node->inputs[WEIGHTS]->info.dims[1] != scores[CLASSES])
		return nn_node_fail(node, -EINVAL, "its weights do not fit its scores");
	return 0;
}

static int check_attrs(struct nn_node *node, struct likelihood *likelihood)
{
	const char *word = nn_node_get_string(node, "reduction", reductions[NONE]);

	while (strcmp(reductions[likelihood->reduction], word)) {
		if (++likelihood->reduction == REDUCTIONS)
			return nn_node_fail(node, -EINVAL, "has no reduction \"%s\"", word);
	}
	likelihood->ignored = nn_node_get_attr_int(node, "ignored", INT64_MIN);
	likelihood->ignores = likelihood->ignored != INT64_MIN;
	return 0;
}

static int check_likelihood(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct likelihood *likelihood = nn_node_make_state(node, sizeof(*likelihood));
	const struct nn_tensor_info *targets = &node->inputs[TARGETS]->info;
	uint32_t dims[3] = { 0, 1 };
	int error;

	(void)graph;
	(void)opaque;
	if (!likelihood)
		return -ENOMEM;
	error = check_attrs(node, likelihood);
	if (!error)
		error = check_reals(node, likelihood, SCORES, "scores");
	if (!error && targets->type != NN_INT32 && targets->type != NN_INT64)
		error = nn_node_fail(node, -EINVAL, "its targets must be int32 or int64");
	if (!error && node->input_count > WEIGHTS)
		error = check_reals(node, likelihood, WEIGHTS, "weights");
	if (!error)
		error = check_shapes(node);
	if (error)
		return error;
	if (likelihood->reduction == NONE)
		memcpy(dims, targets->dims, sizeof(dims));
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, nn_node_rows(node),
					 likelihood->reduction == NONE ? 3 : 2, dims);
}

/* ---- Execute ---- */

static double read_real(const struct likelihood *likelihood, const struct nn_node *node,
			uint32_t i, uint64_t at)
{
	if (node->inputs[i]->info.type == NN_FLOAT32)
		return ((const float *)likelihood->data[i])[at];
	return likelihood->real[i][((const uint8_t *)likelihood->data[i])[at]];
}

/* The class of a target; false: it counts nothing. */
static bool read_target(const struct likelihood *likelihood, const struct nn_node *node,
			uint64_t at, uint32_t classes, uint32_t *out)
{
	const void *data = likelihood->data[TARGETS];
	int64_t target = node->inputs[TARGETS]->info.type == NN_INT32 ?
				 ((const int32_t *)data)[at] :
				 ((const int64_t *)data)[at];

	if (likelihood->ignores && target == likelihood->ignored)
		return false;
	if (target < -(int64_t)classes || target >= classes)
		return false;
	*out = target + (target < 0 ? classes : 0);
	return true;
}

/* A row: each place's loss to out, or what is made of all. */
static void find_row(const struct likelihood *likelihood, const struct nn_node *node, uint32_t row,
		     float *out)
{
	const uint32_t *dims = node->inputs[SCORES]->info.dims;
	const uint32_t classes = dims[CLASSES], places = dims[PLACES];
	const uint64_t count = (uint64_t)dims[BATCH] * places;
	uint64_t first[INPUTS];
	double sum = 0, weights = 0;

	for (uint32_t i = 0; i < INPUTS; i++)
		first[i] = likelihood->is_one_row[i] ? 0 : row;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t item = first[SCORES] * dims[BATCH] + i / places;
		double loss = 0, weight = 0;
		uint32_t class;

		if (read_target(likelihood, node, first[TARGETS] * count + i, classes, &class)) {
			weight = node->input_count <= WEIGHTS ?
					 1 :
					 read_real(likelihood, node, WEIGHTS,
						   first[WEIGHTS] * classes + class);
			loss = -weight * read_real(likelihood, node, SCORES,
						   (item * classes + class) * places + i % places);
		}
		if (likelihood->reduction == NONE)
			out[i] = loss;
		sum += loss;
		weights += weight;
	}
	if (likelihood->reduction != NONE)
		*out = likelihood->reduction == MEAN ? sum / weights : sum;
}

static int execute_likelihood(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct likelihood *likelihood = node->state;
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	const uint32_t rows = nn_graph_rows(graph, &node->outputs[0]);
	const uint64_t step = nn_info_row_bytes(&node->outputs[0].info) / sizeof(*out);

	(void)opaque;
	for (uint32_t i = 0; i < node->input_count && rows; i++) {
		likelihood->data[i] = nn_graph_locate(graph, node->inputs[i]);
		likelihood->is_one_row[i] = nn_value_is_const(node->inputs[i]) &&
					    node->inputs[i]->info.dims[ROWS] == 1;
		if (!likelihood->data[i])
			return nn_host_deny(node);
	}
	if (rows && !out)
		return nn_host_deny(node);
	for (uint32_t row = 0; row < rows; row++)
		find_row(likelihood, node, row, out + row * step);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "reduction", .type = NN_ATTR_STRING },
	{ .name = "ignored", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_negative_log_likelihood = {
	.name = "NegativeLogLikelihood",
	.min_inputs = 2,
	.max_inputs = INPUTS,
	.outputs = 1,
	.attrs = attrs,
	.check = check_likelihood,
	.execute = execute_likelihood,
};
