// SPDX-License-Identifier: MIT
/*
 * Real: what the elements stand for, by a table of 256 reals, and functions of the vectors along
 * the last dimension that they make up: what a model computes in float and does not round. It runs
 * on the host's processor.
 *
 * Sums, roots and powers are computed in double and rounded once to float32, and what divides by a
 * norm divides in float32: runtimes, which sum in float32 in an order of their own, differ in the
 * last bits.
 *
 * docs/operators.md:
 * | `Real` | x 8-bit; table float32 `[256]`, a constant: the reals, by the stored byte of the
 * element (an int8 as uint8) | `function` (`each`; `sum`, `mean`, `length`, `log_sum`,
 * `log_sum_exp`; `softmax`, `log_softmax`, `l1`, `l2`) | float32; of `sum` to `log_sum_exp` the last
 * dimension is 1 |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { X, TABLE };

/* A function of `count` reals, of an element each, which are in `reals`, to be left in `out`. */
typedef void (*vector_fp)(const float *reals, const uint8_t *x, uint32_t count, float *out);

static void compute_sum(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += reals[x[i]];
	*out = sum;
}

static void compute_mean(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += reals[x[i]];
	*out = sum / count;
}

/* The logarithm may be no number, or minus infinity: Quantize makes the least of it. */
static void compute_log_sum(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += reals[x[i]];
	*out = log(sum);
}

static double find_length(const float *reals, const uint8_t *x, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += (double)reals[x[i]] * reals[x[i]];
	return sqrt(sum);
}

static void compute_length(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	*out = find_length(reals, x, count);
}

static double find_max(const float *reals, const uint8_t *x, uint32_t count)
{
	double max = -INFINITY;

	for (uint32_t i = 0; i < count; i++)
		max = fmax(max, reals[x[i]]);
	return max;
}

/* Powers of e of what elements are below the greatest one, summed. */
static double sum_powers(const float *reals, const uint8_t *x, uint32_t count, double max)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += exp(reals[x[i]] - max);
	return sum;
}

static void compute_log_sum_exp(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double max = find_max(reals, x, count);

	*out = max + log(sum_powers(reals, x, count, max));
}

static void compute_softmax(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double max = find_max(reals, x, count), sum = sum_powers(reals, x, count, max);

	for (uint32_t i = 0; i < count; i++)
		out[i] = exp(reals[x[i]] - max) / sum;
}

static void compute_log_softmax(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double max = find_max(reals, x, count), sum = sum_powers(reals, x, count, max);

	for (uint32_t i = 0; i < count; i++)
		out[i] = reals[x[i]] - max - log(sum);
}

/* A vector of zeros stays that. */
static void divide_by(float length, const float *reals, const uint8_t *x, uint32_t count,
		      float *out)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = length ? reals[x[i]] / length : 0;
}

static void compute_l1(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += fabs((double)reals[x[i]]);
	divide_by(sum, reals, x, count, out);
}

static void compute_l2(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	divide_by(find_length(reals, x, count), reals, x, count, out);
}

static void compute_each(const float *reals, const uint8_t *x, uint32_t count, float *out)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = reals[x[i]];
}

static const struct function {
	const char *name;
	vector_fp compute;
	bool makes_one;		/* of a vector */
} functions[] = {
	{ "each", compute_each, false },
	{ "sum", compute_sum, true },
	{ "mean", compute_mean, true },
	{ "length", compute_length, true },
	{ "log_sum", compute_log_sum, true },
	{ "log_sum_exp", compute_log_sum_exp, true },
	{ "softmax", compute_softmax, false },
	{ "log_softmax", compute_log_softmax, false },
	{ "l1", compute_l1, false },
	{ "l2", compute_l2, false },
};

static const struct function *find_function(const struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "function", "each");

	for (uint32_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

static int check_real(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const struct nn_value *table = node->inputs[TABLE];
	const struct function *function = find_function(node);
	uint32_t dims[NN_MAX_RANK];
	char text[NN_SHAPE_TEXT];
	int error = nn_node_need_bytes(node, from, "input");

	(void)graph;
	(void)opaque;
	if (error)
		return error;
	if (!function)
		return nn_node_fail(node, -EINVAL, "has no function \"%s\"",
				    nn_node_get_string(node, "function", ""));
	if (!nn_node_has(table->node, NN_OP_CONST) || table->info.type != NN_FLOAT32 ||
	    table->info.rank != 1 || table->info.dims[0] != 256)
		return nn_node_fail(node, -EINVAL,
				    "the table must be a constant of 256 float32, not %s of %s",
				    nn_info_format_shape(&table->info, text, sizeof(text)),
				    nn_data_type_name(table->info.type));
	if (from->rank < 2)
		return nn_node_fail(node, -EINVAL, "needs an input of 2 dimensions or more, not %s",
				    nn_info_format_shape(from, text, sizeof(text)));
	memcpy(dims, from->dims, sizeof(dims));
	if (function->makes_one)
		dims[from->rank - 1] = 1;
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, dims);
}

static int execute_real(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const struct function *function = find_function(node);
	const uint32_t length = from->dims[from->rank - 1];
	const uint32_t made = function->makes_one ? 1 : length;
	const float *reals = nn_graph_locate(graph, node->inputs[TABLE]);
	const uint8_t *x = nn_graph_locate(graph, node->inputs[X]);
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	uint64_t count = nn_graph_rows(graph, node->inputs[X]) * nn_info_row_bytes(from);

	(void)opaque;
	if (!count)
		return 0;
	if (!x || !reals || !out)
		return nn_host_deny(node);
	for (uint64_t i = 0; i < count; i += length, x += length, out += made)
		function->compute(reals, x, length, out);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_real = {
	.name = "Real",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_real,
	.execute = execute_real,
};
