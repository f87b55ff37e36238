// SPDX-License-Identifier: MIT
/*
 * Attention: what each query takes of the values, by how much it is like their keys. It is what a
 * model computes in float between quantized ends, and runs on the host's processor.
 *
 * Products, powers and sums are computed in double, and each result rounded once to float32;
 * runtimes, which compute in float32 in an order of their own, differ in the last bits. A query
 * that no key is for makes zeros.
 *
 * docs/operators.md:
 * | `Attention` | queries `[rows, batch, heads, l, d]`, keys `[rows, batch, groups, s, d]`, values
 * `[rows, batch, groups, s, e]`, 8-bit or float32; mask (optional) `[rows, batch, heads, l, s]`, of
 * which any can be 1, bool, 8-bit or float32; counts (optional, with a mask) int64 `[rows, batch]`:
 * how many keys there are | `scale` (1): what products are multiplied by, `softcap` (0: none),
 * `causal` (0; 1: no key behind the query), `past` (0): keys before the first query, `left`, `right`
 * (-1: any): keys that far from the query, `function` (`output`; `scores`, `capped`, `masked`,
 * `weights`: what comes before it) | float32 `[rows, batch, heads, l, e]`, or of `scores` to
 * `weights` `[rows, batch, heads, l, s]` |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops/support/indices.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define RANK 5

enum { QUERIES, KEYS, VALUES, MASK, COUNTS, INPUTS };
enum { ROWS, BATCH, HEADS, LENGTH, DEPTH };

static const char *const functions[] = { "scores", "capped", "masked", "weights", "output" };
enum stage { SCORES, CAPPED, MASKED, WEIGHTS, OUTPUT, STAGES };

/* Where an input's elements are while the node runs, and what they stand for. */
struct operand {
	const struct nn_tensor_info *info;
	const void *data;
	bool is_one_row; /* for all rows */
	float real[256]; /* by stored bytes, of 8 bits */
};

struct attention {
	enum stage stage;
	float scale, softcap;
	bool causal;
	int64_t past, left, right;
	struct operand operands[INPUTS];
	double *scores; /* of one query */
};

/* ---- Check ---- */

static int check_type(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	if (info->type == NN_FLOAT32)
		return 0;
	return nn_node_need_8bit(node, info, what);
}

static int check_attrs(struct nn_node *node, struct attention *attention)
{
	const char *function = nn_node_get_string(node, "function", functions[OUTPUT]);

	while (strcmp(functions[attention->stage], function)) {
		if (++attention->stage == STAGES)
			return nn_node_fail(node, -EINVAL, "has no function \"%s\"", function);
	}
	attention->scale = nn_node_get_float(node, "scale", 1);
	attention->softcap = nn_node_get_float(node, "softcap", 0);
	attention->causal = nn_node_get_attr_int(node, "causal", 0);
	attention->past = nn_node_get_attr_int(node, "past", 0);
	attention->left = nn_node_get_attr_int(node, "left", -1);
	attention->right = nn_node_get_attr_int(node, "right", -1);
	if (!isfinite(attention->scale) || !isfinite(attention->softcap) || attention->softcap < 0)
		return nn_node_fail(node, -EINVAL,
				    "scale and softcap must be finite, and softcap not below 0");
	if (attention->past < 0 || attention->past > INT32_MAX || attention->left < -1 ||
	    attention->left > INT32_MAX || attention->right < -1 || attention->right > INT32_MAX)
		return nn_node_fail(node, -EINVAL,
				    "past must be 0 or more, left and right -1 or more");
	return 0;
}

static int check_shapes(struct nn_node *node)
{
	const uint32_t *q = node->inputs[QUERIES]->info.dims, *k = node->inputs[KEYS]->info.dims;
	const uint32_t *v = node->inputs[VALUES]->info.dims;

	for (uint32_t i = 0; i < node->input_count; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->rank != (i == COUNTS ? 2 : RANK))
			return nn_node_fail(node, -EINVAL, "input %u has %u dimensions", i,
					    info->rank);
		if (!nn_fits_rows(node->inputs[i], nn_node_rows(node)))
			return nn_node_fail(node, -EINVAL,
					    "its inputs must have as many rows, unless one is a "
					    "constant of one row");
	}
	if (k[BATCH] != q[BATCH] || v[BATCH] != q[BATCH] || k[DEPTH] != q[DEPTH] ||
	    v[HEADS] != k[HEADS] || v[LENGTH] != k[LENGTH] || q[HEADS] % k[HEADS])
		return nn_node_fail(node, -EINVAL, "its queries, keys and values do not fit");
	if (node->input_count > MASK) {
		const uint32_t *mask = node->inputs[MASK]->info.dims;
		const uint32_t whole[RANK] = { 0, q[BATCH], q[HEADS], q[LENGTH], k[LENGTH] };

		for (uint32_t i = 1; i < RANK; i++) {
			if (mask[i] != 1 && mask[i] != whole[i])
				return nn_node_fail(node, -EINVAL, "its mask does not fit");
		}
	}
	if (node->input_count > COUNTS && node->inputs[COUNTS]->info.dims[1] != q[BATCH])
		return nn_node_fail(node, -EINVAL, "its counts do not fit");
	return 0;
}

static int check_types(struct nn_node *node)
{
	static const char *const names[] = { "queries", "keys", "values" };
	int error = 0;

	for (uint32_t i = 0; i < MASK && !error; i++)
		error = check_type(node, &node->inputs[i]->info, names[i]);
	if (!error && node->input_count > MASK && node->inputs[MASK]->info.type != NN_BOOL)
		error = check_type(node, &node->inputs[MASK]->info, "mask, which is not bool,");
	if (!error && node->input_count > COUNTS && node->inputs[COUNTS]->info.type != NN_INT64)
		error = nn_node_fail(node, -EINVAL, "its counts must be int64");
	return error;
}

static int check_attention(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct attention *attention = nn_node_make_state(node, sizeof(*attention));
	const struct nn_tensor_info *queries = &node->inputs[QUERIES]->info;
	uint32_t dims[RANK];
	int error;

	(void)graph;
	(void)opaque;
	if (!attention)
		return -ENOMEM;
	error = check_attrs(node, attention);
	if (!error)
		error = check_types(node);
	if (!error)
		error = check_shapes(node);
	if (error)
		return error;
	for (uint32_t i = 0; i < node->input_count; i++) {
		struct operand *operand = &attention->operands[i];

		operand->info = &node->inputs[i]->info;
		if (operand->info->type == NN_UINT8 || operand->info->type == NN_INT8)
			nn_host_fill_reals(operand->real, operand->info);
	}
	memcpy(dims, queries->dims, sizeof(dims));
	dims[DEPTH] = attention->stage == OUTPUT ? node->inputs[VALUES]->info.dims[DEPTH] :
						   node->inputs[KEYS]->info.dims[LENGTH];
	attention->scores =
		nn_node_alloc(node, node->inputs[KEYS]->info.dims[LENGTH], sizeof(double));
	if (!attention->scores)
		return -ENOMEM;
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, nn_node_rows(node), RANK, dims);
}

/* ---- Execute ---- */

static float read_real(const struct operand *operand, uint64_t i)
{
	if (operand->info->type == NN_FLOAT32)
		return ((const float *)operand->data)[i];
	return operand->real[((const uint8_t *)operand->data)[i]];
}

/* Where the vector of these indices begins; a dimension of 1 has one index. */
static uint64_t place_of(const struct operand *operand, const uint32_t index[RANK - 1])
{
	const uint32_t *dims = operand->info->dims;
	uint64_t at = operand->is_one_row ? 0 : index[ROWS];

	for (uint32_t i = 1; i < RANK - 1; i++)
		at = at * dims[i] + (dims[i] == 1 ? 0 : index[i]);
	return at * dims[DEPTH];
}

static double find_product(const struct attention *attention, uint64_t query, uint64_t key)
{
	const struct operand *queries = &attention->operands[QUERIES];
	const struct operand *keys = &attention->operands[KEYS];
	double sum = 0;

	for (uint32_t i = 0; i < queries->info->dims[DEPTH]; i++)
		sum += (double)read_real(queries, query + i) * read_real(keys, key + i);
	return sum * attention->scale;
}

/* The mask adds so much to a score; minus infinity: the key is not for the query. */
static double find_mask(const struct attention *attention, uint64_t at, uint32_t key)
{
	const struct operand *mask = &attention->operands[MASK];

	if (!mask->info)
		return 0;
	at += mask->info->dims[DEPTH] == 1 ? 0 : key;
	if (mask->info->type == NN_BOOL)
		return ((const uint8_t *)mask->data)[at] ? 0 : -INFINITY;
	return read_real(mask, at);
}

/* Whether a key is within what a query at an absolute place sees. */
static bool is_seen(const struct attention *attention, int64_t place, int64_t key)
{
	if (attention->causal && key > place)
		return false;
	if (attention->left >= 0 && key < place - attention->left)
		return false;
	return attention->right < 0 || key <= place + attention->right;
}

/* The powers of a query's scores over their sum; all 0 where no key is for it. */
static void make_weights(double *scores, uint32_t count)
{
	double most = -INFINITY, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		most = fmax(most, scores[i]);
	for (uint32_t i = 0; i < count; i++) {
		scores[i] = most == -INFINITY ? 0 : exp(scores[i] - most);
		sum += scores[i];
	}
	for (uint32_t i = 0; i < count && sum > 0; i++)
		scores[i] /= sum;
}

static void find_scores(const struct attention *attention, const uint32_t index[RANK - 1])
{
	const struct operand *queries = &attention->operands[QUERIES];
	const struct operand *keys = &attention->operands[KEYS];
	const struct operand *mask = &attention->operands[MASK];
	const struct operand *counts = &attention->operands[COUNTS];
	const uint32_t shared = queries->info->dims[HEADS] / keys->info->dims[HEADS];
	const uint32_t first[RANK - 1] = { index[0], index[1], index[2] / shared };
	const uint64_t query = place_of(queries, index), key = place_of(keys, first);
	const uint64_t added = mask->info ? place_of(mask, index) : 0;
	const uint32_t count = keys->info->dims[LENGTH], depth = keys->info->dims[DEPTH];
	int64_t past = attention->past, most = count;

	if (counts->info) {
		most = ((const int64_t *)counts->data)[(uint64_t)index[ROWS] *
			       counts->info->dims[1] + index[BATCH]];
		past = most - (int64_t)queries->info->dims[LENGTH];
	}
	for (uint32_t i = 0; i < count; i++) {
		double score = find_product(attention, query, key + (uint64_t)i * depth);

		if (attention->softcap > 0 && attention->stage >= CAPPED)
			score = attention->softcap * tanh(score / attention->softcap);
		if (attention->stage >= MASKED) {
			bool seen = is_seen(attention, past + index[LENGTH], i) && i < most;

			score += seen ? find_mask(attention, added, i) : -INFINITY;
		}
		attention->scores[i] = score;
	}
	if (attention->stage >= WEIGHTS)
		make_weights(attention->scores, count);
}

static void write_one(const struct attention *attention, const uint32_t index[RANK - 1], float *out)
{
	const struct operand *values = &attention->operands[VALUES];
	const uint32_t shared = attention->operands[QUERIES].info->dims[HEADS] /
				values->info->dims[HEADS];
	const uint32_t first[RANK - 1] = { index[0], index[1], index[2] / shared };
	const uint32_t count = values->info->dims[LENGTH], depth = values->info->dims[DEPTH];
	const uint64_t at = place_of(values, first);

	find_scores(attention, index);
	for (uint32_t i = 0; i < count && attention->stage < OUTPUT; i++)
		out[i] = attention->scores[i];
	for (uint32_t e = 0; e < depth && attention->stage == OUTPUT; e++) {
		double sum = 0;

		/* What no query takes may be anything. */
		for (uint32_t i = 0; i < count; i++)
			sum += attention->scores[i] ?
				       attention->scores[i] *
					       read_real(values, at + (uint64_t)i * depth + e) :
				       0;
		out[e] = sum;
	}
}

static int locate(struct nn_graph *graph, struct nn_node *node, struct attention *attention)
{
	for (uint32_t i = 0; i < node->input_count; i++) {
		struct operand *operand = &attention->operands[i];

		operand->data = nn_graph_locate(graph, node->inputs[i]);
		operand->is_one_row = nn_value_is_const(node->inputs[i]) &&
				      operand->info->dims[ROWS] == 1;
		if (!operand->data)
			return nn_host_deny(node);
	}
	return 0;
}

static int execute_attention(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct attention *attention = node->state;
	const uint32_t *dims = node->outputs[0].info.dims;
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	const uint32_t rows = nn_graph_rows(graph, &node->outputs[0]);
	uint32_t index[RANK - 1];
	int error = rows ? locate(graph, node, attention) : 0;

	(void)opaque;
	if (error || !rows)
		return error;
	if (!out)
		return nn_host_deny(node);
	for (index[0] = 0; index[0] < rows; index[0]++)
		for (index[1] = 0; index[1] < dims[1]; index[1]++)
			for (index[2] = 0; index[2] < dims[2]; index[2]++)
				for (index[3] = 0; index[3] < dims[3]; index[3]++, out += dims[4])
					write_one(attention, index, out);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "scale", .type = NN_ATTR_FLOAT },
	{ .name = "softcap", .type = NN_ATTR_FLOAT },
	{ .name = "causal", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "past", .type = NN_ATTR_INT },
	{ .name = "left", .type = NN_ATTR_INT },
	{ .name = "right", .type = NN_ATTR_INT },
	{ .name = "function", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_attention = {
	.name = "Attention",
	.min_inputs = 3,
	.max_inputs = INPUTS,
	.outputs = 1,
	.attrs = attrs,
	.check = check_attention,
	.execute = execute_attention,
};
