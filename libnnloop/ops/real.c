// SPDX-License-Identifier: MIT
/*
 * Real: reals, or what 8-bit elements stand for by a table of 256 reals, and functions of the
 * vectors along the last dimension that they make up: what a model computes in float and does not
 * round. It runs on the host's processor.
 *
 * Sums, roots and powers are computed in double and rounded once to float32, and what divides by a
 * norm divides in float32: runtimes, which sum in float32 in an order of their own, differ in the
 * last bits.
 *
 * docs/operators.md:
 * | `Real` | x 8-bit; table float32 `[256]`, a constant: the reals, by the stored byte of the
 * element (an int8 as uint8); or x float32 alone | `function` (`each`; `sum`, `mean`, `length`,
 * `log_sum`, `log_sum_exp`; `softmax`, `log_softmax`, `l1`, `l2`, `deviation`, `rms`), `epsilon`
 * (1e-5) | float32; of `sum` to `log_sum_exp` the last dimension is 1 |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define EPSILON 1e-5f

enum { X, TABLE };

/* A vector: of reals, or of bytes with what each of them is. */
struct vector {
	const float *floats; /* NULL: of bytes */
	const uint8_t *bytes;
	const float *reals;
	uint32_t count;
	double epsilon;
};

static float at(const struct vector *x, uint32_t i)
{
	return x->floats ? x->floats[i] : x->reals[x->bytes[i]];
}

/* A function of a vector, whose results it leaves in `out`. */
typedef void (*vector_fp)(const struct vector *x, float *out);

static void compute_sum(const struct vector *x, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += at(x, i);
	*out = sum;
}

static void compute_mean(const struct vector *x, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += at(x, i);
	*out = sum / x->count;
}

/* The logarithm may be no number, or minus infinity: Quantize makes the least of it. */
static void compute_log_sum(const struct vector *x, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += at(x, i);
	*out = log(sum);
}

static double find_length(const struct vector *x)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += (double)at(x, i) * at(x, i);
	return sqrt(sum);
}

static void compute_length(const struct vector *x, float *out)
{
	*out = find_length(x);
}

static double find_max(const struct vector *x)
{
	double max = -INFINITY;

	for (uint32_t i = 0; i < x->count; i++)
		max = fmax(max, at(x, i));
	return max;
}

/* Powers of e of what elements are below the greatest one, summed. */
static double sum_powers(const struct vector *x, double max)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += exp(at(x, i) - max);
	return sum;
}

static void compute_log_sum_exp(const struct vector *x, float *out)
{
	double max = find_max(x);

	*out = max + log(sum_powers(x, max));
}

static void compute_softmax(const struct vector *x, float *out)
{
	double max = find_max(x), sum = sum_powers(x, max);

	for (uint32_t i = 0; i < x->count; i++)
		out[i] = exp(at(x, i) - max) / sum;
}

static void compute_log_softmax(const struct vector *x, float *out)
{
	double max = find_max(x), sum = sum_powers(x, max);

	for (uint32_t i = 0; i < x->count; i++)
		out[i] = at(x, i) - max - log(sum);
}

/* A vector of zeros stays that. */
static void divide_by(float length, const struct vector *x, float *out)
{
	for (uint32_t i = 0; i < x->count; i++)
		out[i] = length ? at(x, i) / length : 0;
}

static void compute_l1(const struct vector *x, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += fabs((double)at(x, i));
	divide_by(sum, x, out);
}

static void compute_l2(const struct vector *x, float *out)
{
	divide_by(find_length(x), x, out);
}

static void compute_each(const struct vector *x, float *out)
{
	for (uint32_t i = 0; i < x->count; i++)
		out[i] = at(x, i);
}

/* The difference from the mean, or with rms the element, by the root of the mean of its squares. */
static void compute_by_root(const struct vector *x, double mean, float *out)
{
	double squares = 0, root;

	for (uint32_t i = 0; i < x->count; i++)
		squares += (at(x, i) - mean) * (at(x, i) - mean);
	root = sqrt(squares / x->count + x->epsilon);
	for (uint32_t i = 0; i < x->count; i++)
		out[i] = (at(x, i) - mean) / root;
}

static void compute_deviation(const struct vector *x, float *out)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->count; i++)
		sum += at(x, i);
	compute_by_root(x, sum / x->count, out);
}

static void compute_rms(const struct vector *x, float *out)
{
	compute_by_root(x, 0, out);
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
	{ "deviation", compute_deviation, false },
	{ "rms", compute_rms, false },
};

static const struct function *find_function(const struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "function", "each");

	for (uint32_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

static int need_table(struct nn_node *node)
{
	int error = nn_node_need_bytes(node, &node->inputs[X]->info, "input");
	const struct nn_value *table;
	char text[NN_SHAPE_TEXT];

	if (error)
		return error;
	if (node->input_count != 2)
		return nn_node_fail(node, -EINVAL, "needs a table of what the bytes stand for");
	table = node->inputs[TABLE];
	if (!nn_node_has(table->node, NN_OP_CONST) || table->info.type != NN_FLOAT32 ||
	    table->info.rank != 1 || table->info.dims[0] != 256)
		return nn_node_fail(node, -EINVAL,
				    "the table must be a constant of 256 float32, not %s of %s",
				    nn_info_format_shape(&table->info, text, sizeof(text)),
				    nn_data_type_name(table->info.type));
	return 0;
}

static int check_real(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[X]->info;
	const struct function *function = find_function(node);
	uint32_t dims[NN_MAX_RANK];
	char text[NN_SHAPE_TEXT];
	int error = from->type == NN_FLOAT32 ? 0 : need_table(node);

	(void)graph;
	(void)opaque;
	if (error)
		return error;
	if (!function)
		return nn_node_fail(node, -EINVAL, "has no function \"%s\"",
				    nn_node_get_string(node, "function", ""));
	if (from->type == NN_FLOAT32 && node->input_count != 1)
		return nn_node_fail(node, -EINVAL, "needs no table of what is float32");
	if (!(nn_node_get_float(node, "epsilon", EPSILON) > 0))
		return nn_node_fail(node, -EINVAL, "epsilon must be above 0");
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
	const bool in_float = from->type == NN_FLOAT32;
	const uint64_t size = in_float ? sizeof(float) : 1;
	const void *x = nn_graph_locate(graph, node->inputs[X]);
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	uint64_t count = nn_graph_rows(graph, node->inputs[X]) * nn_info_row_bytes(from) / size;
	struct vector vector = { .count = length,
				 .epsilon = nn_node_get_float(node, "epsilon", EPSILON) };

	(void)opaque;
	if (!count)
		return 0;
	if (!in_float)
		vector.reals = nn_graph_locate(graph, node->inputs[TABLE]);
	if (!x || !out || (!in_float && !vector.reals))
		return nn_host_deny(node);
	for (uint64_t i = 0; i < count; i += length, out += made) {
		vector.floats = in_float ? (const float *)x + i : NULL;
		vector.bytes = (const uint8_t *)x + i;
		function->compute(&vector, out);
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "epsilon", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_real = {
	.name = "Real",
	.min_inputs = 1,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_real,
	.execute = execute_real,
};
