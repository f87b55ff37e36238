// SPDX-License-Identifier: MIT
/*
 * Collect: leaves a loop with what all of its iterations have made, one behind the other.
 *
 * It runs in each iteration, and puts that one's rows behind those before them into its output, which
 * is there from the beginning of the loop on (plan/memory.c). A value that counts no rows is put
 * there as a whole, as one row of a loop that has one in each iteration. Along another dimension than
 * 0 each iteration puts a piece into all rows.
 *
 * docs/operators.md:
 * | `Collect` | 1 or more | `loop`: the loop that it leaves, where no input is made in it; `stack`
 * (0): values that count no rows are put along a new dimension 0; `axis` (0): the dimension along
 * which they are put | output i: input i of all iterations, in the scope around the loop |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

/* The rows of a loop's own level are many in a pass. */
static bool has_own_rows(const struct nn_node *node, const struct nn_value *value)
{
	return value->info.level == node->runs_in->level;
}

static int fail_unlimited(struct nn_node *node)
{
	const struct nn_node *lcn = node->runs_in->lcn;

	return nn_node_fail(
		node, -EOPNOTSUPP,
		"leaves the loop of node %u (%s), of which nobody says how many iterations it has at most",
		lcn->id, lcn->op_name);
}

static int check_single(struct nn_node *node, uint32_t input)
{
	const struct nn_node *lcn = node->runs_in->lcn;

	if (node->inputs[input]->info.level)
		return nn_node_fail(
			node, -EINVAL,
			"input %u counts rows of loop level %u, not of the loop of node %u, which it leaves",
			input, node->inputs[input]->info.level, lcn->id);
	if (lcn->max_rows > 1 || lcn->full_rows > 1)
		return nn_node_fail(
			node, -EINVAL,
			"input %u counts no rows, which needs a loop with one row in each iteration; that of node %u has %u",
			input, lcn->id, lcn->full_rows > 1 ? lcn->full_rows : lcn->max_rows);
	return 0;
}

static const struct nn_count *find_count(const struct nn_node *node, uint32_t level)
{
	return &node->graph->preparing->counts[level - NN_LEVEL_OF_COUNT(0)];
}

/* Infers what is collected of a value that counts rows itself: those of all iterations, packed. */
static int infer_packed(struct nn_node *node, uint32_t i)
{
	const struct nn_tensor_info *from = &node->inputs[i]->info;
	const struct nn_node *lcn = node->runs_in->lcn;
	struct nn_tensor_info rows = { 0 };
	uint64_t most = lcn->most_trips * from->dims[0];

	if (nn_node_get_attr_int(node, "stack", 0))
		return nn_node_fail(node, -EINVAL, "input %u counts rows, and cannot be stacked", i);
	if (!lcn->most_trips)
		return fail_unlimited(node);
	/* The rows of an iteration are behind those of the ones before it, if each has its own. */
	if (!nn_scope_has(node->runs_in, find_count(node, from->level)->scope))
		return nn_node_fail(
			node, -EOPNOTSUPP,
			"input %u has as many rows as only the run knows, which are made outside of the loop of node %u",
			i, lcn->id);
	if (most > UINT32_MAX)
		return nn_node_fail(node, -EOVERFLOW, "collects more than 2^32 - 1 rows");
	rows.dims[0] = most;
	rows.level = nn_node_make_count(node, from->level, most);
	return rows.level ? nn_node_infer_shape(node, i, &rows, from->rank, from->dims) : -EINVAL;
}

/*
 * The dimension along which values are put, of one of them; 0 for rows, or after reporting that it has
 * none: *error.
 */
static uint32_t find_axis(struct nn_node *node, uint32_t rank, uint32_t input, int *error)
{
	int64_t axis = nn_node_get_attr_int(node, "axis", 0);

	axis += axis < 0 ? rank : 0;
	*error = 0;
	if (axis >= 0 && axis < rank)
		return axis;
	*error = nn_node_fail(node, -EINVAL, "axis is not one of the dimensions of input %u", input);
	return 0;
}

/* Infers what is collected along another dimension than rows. */
static int infer_along(struct nn_node *node, uint32_t i, uint32_t axis)
{
	const struct nn_tensor_info *from = &node->inputs[i]->info;
	const struct nn_node *lcn = node->runs_in->lcn;
	struct nn_tensor_info rows = { .dims = { from->dims[0] } };
	uint32_t dims[NN_MAX_RANK];
	int error;

	if (nn_node_get_attr_int(node, "stack", 0))
		return nn_node_fail(node, -EINVAL,
				    "has both axis and stack, which is a new dimension 0");
	if (!lcn->trips)
		return nn_node_fail(
			node, -EOPNOTSUPP,
			"collects along dimension %u, but how many iterations the loop of node %u (%s) has depends on rows or data: collect rows",
			axis, lcn->id, lcn->op_name);
	if (has_own_rows(node, node->inputs[i])) {
		rows.level = lcn->rows_level;
	} else {
		error = check_single(node, i);
		if (error)
			return error;
	}
	memcpy(dims, from->dims, sizeof(dims));
	if (__builtin_mul_overflow(dims[axis], lcn->trips, &dims[axis]))
		return nn_node_fail(node, -EOVERFLOW,
				    "collects more than 2^32 - 1 along dimension %u", axis);
	return nn_node_infer_shape(node, i, &rows, from->rank, dims);
}

/* The shape of what is collected of a value. */
static int infer(struct nn_node *node, uint32_t i, const struct nn_tensor_info *total)
{
	const struct nn_tensor_info *from = &node->inputs[i]->info;
	bool stacks = nn_node_get_attr_int(node, "stack", 0);
	struct nn_tensor_info rows = *total;
	uint32_t dims[NN_MAX_RANK + 1];
	int error;

	if (has_own_rows(node, node->inputs[i])) {
		if (stacks)
			return nn_node_fail(node, -EINVAL,
					    "input %u counts rows, and cannot be stacked", i);
		return nn_node_infer_shape(node, i, &rows, from->rank, from->dims);
	}
	error = check_single(node, i);
	if (error)
		return error;
	memcpy(dims + 1, from->dims, sizeof(from->dims));
	if (stacks) {
		if (from->rank == NN_MAX_RANK)
			return nn_node_fail(node, -EINVAL, "input %u has no dimension left", i);
		return nn_node_infer_shape(node, i, &rows, from->rank + 1, dims);
	}
	if (rows.level && from->dims[0] != 1)
		return nn_node_fail(
			node, -EINVAL,
			"input %u has %u rows in an iteration, and how many of these there are counts loop level %u: stack them",
			i, from->dims[0], rows.level);
	if (__builtin_mul_overflow(rows.dims[0], from->dims[0], &rows.dims[0]))
		return nn_node_fail(node, -EOVERFLOW, "collects more than 2^32 - 1 rows");
	return nn_node_infer_shape(node, i, &rows, from->rank, from->dims);
}

/* The rows of all iterations, and the level that counts them. */
static int find_total(struct nn_node *node, struct nn_tensor_info *total)
{
	const struct nn_node *lcn = node->runs_in->lcn;
	bool known = lcn->total_rows != NN_ROWS_UNKNOWN;
	uint64_t rows = known ? lcn->total_rows : lcn->most_rows;

	if (!known && !lcn->most_rows)
		return fail_unlimited(node);
	if (rows > UINT32_MAX)
		return nn_node_fail(node, -EOVERFLOW, "collects more than 2^32 - 1 rows");
	total->dims[0] = rows;
	total->level = known ? lcn->total_level : nn_node_make_count(node, 0, rows);
	return known || total->level ? 0 : -EINVAL;
}

static bool is_packed(const struct nn_value *value)
{
	return nn_level_is_count(value->info.level);
}

static int check_collect(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_tensor_info total = { 0 };
	uint32_t i, axis;
	int error = 0;

	(void)graph;
	(void)opaque;
	for (i = 0; i < node->input_count && !error; i++) {
		error = nn_node_keep_quantization(node, i, &node->inputs[i]->info);
		if (error)
			break;
		axis = find_axis(node, node->inputs[i]->info.rank, i, &error);
		if (error)
			break;
		if (axis) {
			error = infer_along(node, i, axis);
			continue;
		}
		if (is_packed(node->inputs[i])) {
			error = infer_packed(node, i);
			continue;
		}
		error = find_total(node, &total);
		if (!error)
			error = infer(node, i, &total);
	}
	return error;
}

/* Puts a piece along another dimension into each row, or into all elements of a value without rows. */
static int lower_along(struct nn_lowering *lowering, struct nn_node *node, uint32_t i, uint32_t axis)
{
	struct nn_value *from = node->inputs[i], *to = &node->outputs[i];
	uint32_t level = node->runs_in->level, rows = to->info.dims[0], count, inner;
	uint32_t elements = nn_info_row_elements(&to->info);
	struct nn_program_op *op;
	int input, output;

	nn_info_around(&from->info, axis, &count, &inner);
	inner *= nn_data_type_size(from->info.type);
	if (has_own_rows(node, from)) {
		input = nn_lower_value(lowering, from);
	} else {
		input = nn_lower_single_row(lowering, from, level);
		count *= rows;
		elements *= rows;
		rows = 1;
	}
	output = nn_lower_collected_along(lowering, to, rows, level, elements);
	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node, NN_OPCODE_PIECE);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	op->piece = (struct nn_piece_params){
		.count = count,
		.whole = to->info.dims[axis] * inner,
		.piece = from->info.dims[axis] * inner,
		.step = from->info.dims[axis] * inner,
		.into = 1,
	};
	return 0;
}

static int lower_one(struct nn_lowering *lowering, struct nn_node *node, uint32_t i)
{
	struct nn_value *from = node->inputs[i], *to = &node->outputs[i];
	const struct nn_node *lcn = node->runs_in->lcn;
	struct nn_copy_params copy = { .count = 1, .block = nn_info_row_bytes(&from->info) };
	uint32_t level = node->runs_in->level, block = nn_info_row_elements(&from->info);
	uint32_t rows = to->info.dims[0], axis;
	struct nn_program_op *op;
	int input, output, error;

	/* Also where there are no rows, because plans for other batches have the same constants. */
	input = nn_lower_value(lowering, from);
	if (input < 0 || !rows)
		return input < 0 ? input : 0;
	axis = find_axis(node, from->info.rank, i, &error);
	if (axis)
		return lower_along(lowering, node, i, axis);
	if (is_packed(from)) {
		output = nn_lower_packed(lowering, to, rows, from->info.level, block);
		return nn_lower_copy_tensor(lowering, node, input, output, &copy);
	}
	if (has_own_rows(node, from)) {
		output = nn_lower_collected(lowering, to, rows, level, lcn->max_rows, block);
		return nn_lower_copy_tensor(lowering, node, input, output, &copy);
	}
	/* All of it is a row here. */
	if (!nn_node_get_attr_int(node, "stack", 0))
		rows /= from->info.dims[0];
	input = nn_lower_flat(lowering, from);
	output = nn_lower_collected(lowering, to, rows, level, 1, from->info.dims[0] * block);
	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node, NN_OPCODE_ROTATE_ROWS);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	return 0;
}

static int lower_collect(struct nn_lowering *lowering, struct nn_node *node)
{
	uint32_t i;
	int error = 0;

	for (i = 0; i < node->input_count && !error; i++)
		error = lower_one(lowering, node, i);
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "loop", .type = NN_ATTR_INT },
	{ .name = "stack", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "axis", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_collect = {
	.name = "Collect",
	.flags = NN_OP_EXIT | NN_OP_COLLECTS | NN_OP_MIXED_LEVELS,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.check = check_collect,
	.lower = lower_collect,
};
