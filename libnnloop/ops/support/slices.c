// SPDX-License-Identifier: MIT
/*
 * Windows of a dimension (slices.h).
 */
#include "slices.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "emit.h"
#include "ops/ops.h"
#include "owner.h"

static const char *const window_attrs[] = { "axis", "window", "stride", "tail" };

bool nn_slices_are_wanted(const struct nn_node *node)
{
	size_t i;

	for (i = 0; i < sizeof(window_attrs) / sizeof(*window_attrs); i++)
		if (nn_node_get_attr(node, window_attrs[i]))
			return true;
	return false;
}

const struct nn_slices *nn_slices_of(const struct nn_node *node)
{
	return node->op == &nn_op_batch_loop ? node->state : NULL;
}

/* ---- Counting windows */

uint64_t nn_slices_count(const struct nn_slices *slices, uint64_t size)
{
	uint64_t most = slices->window > slices->stride ? slices->window : slices->stride;

	if (slices->tail == NN_TAIL_DROP)
		return size < slices->window ? 0 : (size - slices->window) / slices->stride + 1;
	if (!size)
		return 0;
	return size <= most ? 1 : (size - most + slices->stride - 1) / slices->stride + 1;
}

/* The elements of all windows together, which those at the end may be short of. */
static uint64_t count_elements(const struct nn_slices *slices, uint64_t size)
{
	uint64_t windows = nn_slices_count(slices, size), last = slices->window;

	if (!windows)
		return 0;
	if (slices->tail == NN_TAIL_SHORT && size - (windows - 1) * slices->stride < last)
		last = size - (windows - 1) * slices->stride;
	return (windows - 1) * slices->window + last;
}

/* ---- Checking */

bool nn_slices_read_tail(const char *text, enum nn_tail *tail)
{
	if (!strcmp(text, "short"))
		*tail = NN_TAIL_SHORT;
	else if (!strcmp(text, "pad"))
		*tail = NN_TAIL_PAD;
	else if (!strcmp(text, "drop"))
		*tail = NN_TAIL_DROP;
	else
		return false;
	return true;
}

static int get_tail(struct nn_node *node, enum nn_tail *tail)
{
	const char *text = nn_node_get_string(node, "tail", "short");

	if (nn_slices_read_tail(text, tail))
		return 0;
	return nn_node_fail(node, -EINVAL, "tail must be short, pad or drop, not %s", text);
}

static int get_slices(struct nn_node *node, struct nn_slices *slices)
{
	const struct nn_tensor_info *first = &node->inputs[0]->info;
	bool stepped = nn_node_get_attr(node, "step");
	int64_t axis = nn_node_get_attr_int(node, "axis", 0);
	int64_t window = nn_node_get_attr_int(node, stepped ? "step" : "window", 0);
	int64_t stride = nn_node_get_attr_int(node, "stride", window);

	if (nn_node_get_attr(node, "graph_batch") || nn_node_get_attr(node, "quantum") ||
	    nn_node_get_attr(node, "options"))
		return nn_node_fail(
			node, -EINVAL,
			"graph_batch, quantum and options go without axis, window, stride and tail");
	if (stepped == !!nn_node_get_attr(node, "window"))
		return nn_node_fail(node, -EINVAL, "needs window, or step, to say how much an "
						   "iteration has of dimension axis");
	if (stepped && (nn_node_get_attr(node, "stride") || nn_node_get_attr(node, "tail")))
		return nn_node_fail(node, -EINVAL, "stride and tail go with window, not with step");
	if (window < 1 || window > UINT32_MAX || stride < 1 || stride > UINT32_MAX)
		return nn_node_fail(node, -EINVAL, "step, window and stride must be from 1 to %u",
				    UINT32_MAX);
	axis += axis < 0 ? first->rank : 0;
	if (axis < 0 || axis >= first->rank)
		return nn_node_fail(node, -EINVAL, "axis is not one of the dimensions of input 0");
	slices->axis = axis;
	slices->window = window;
	slices->stride = stride;
	return get_tail(node, &slices->tail);
}

/* The inputs have as much of the dimension as the first has. */
static int check_inputs(struct nn_node *node, uint32_t axis)
{
	uint32_t i, size = node->inputs[0]->info.dims[axis];
	int error = nn_batch_loop_check_inputs(node);

	for (i = 0; i < node->input_count && !error; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->rank <= axis || info->dims[axis] != size)
			return nn_node_fail(node, -EINVAL,
					    "input %u has %u in dimension %u, but input 0 has %u", i,
					    info->rank > axis ? info->dims[axis] : 0, axis, size);
		if (info->scales)
			return nn_node_fail(
				node, -EINVAL,
				"cannot take windows of input %u, which has more than one scale", i);
	}
	return error;
}

/* Outputs are windows that are copied. */
static int set_outputs(struct nn_node *node, const struct nn_slices *slices)
{
	uint32_t i;
	int error = 0;

	for (i = 0; i < node->input_count && !error; i++) {
		struct nn_tensor_info info = node->inputs[i]->info;

		if (slices->axis)
			info.dims[slices->axis] = slices->window;
		error = nn_node_set_output(node, i, &info, NN_LEVEL_OWN);
	}
	return error;
}

/* Whether windows of rows are handed out once, so that they can stay where they are. */
static bool can_stay(const struct nn_slices *slices, const struct nn_tensor_info *from)
{
	return !slices->axis && slices->window == slices->stride &&
	       (slices->tail != NN_TAIL_PAD || (!from->level && from->dims[0] % slices->window == 0));
}

static int check_rows(struct nn_node *node, struct nn_slices *slices)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint64_t total = count_elements(slices, from->dims[0]);
	uint64_t windows = nn_slices_count(slices, from->dims[0]);

	if (total > UINT32_MAX)
		return nn_node_fail(node, -EOVERFLOW, "hands out more than 2^32 - 1 rows");
	node->full_rows = slices->window;
	node->most_trips = windows ? windows : 1;
	node->most_rows = total ? total : 1;
	/* Else how many there are depends on the rows that a loop around has. */
	if (!from->level || (!slices->copies && slices->tail == NN_TAIL_SHORT)) {
		node->total_rows = total;
		node->total_level = from->level;
	}
	return nn_node_set_max_rows(node, slices->window < total ? slices->window : total);
}

/* Whether a level has the same rows whenever they are handed out. */
static bool is_same(const struct nn_node *node, uint32_t level)
{
	const struct nn_scope *scope = node->scope;

	if (!level || nn_level_is_count(level))
		return !level;
	while (scope->level > level)
		scope = scope->parent;
	return scope->lcn->same_rows;
}

static int check_dimension(struct nn_node *node, struct nn_slices *slices)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint32_t size = from->dims[slices->axis];
	uint64_t trips = nn_slices_count(slices, size), left;

	if (!trips)
		return nn_node_fail(
			node, -EINVAL,
			"has no iteration: dimension %u has %u, which is less than a window of %u, and tail=drop leaves that out: pad it",
			slices->axis, size, slices->window);
	left = size - (trips - 1) * slices->stride;
	if (slices->tail == NN_TAIL_SHORT && left < slices->window)
		return nn_node_fail(
			node, -EOPNOTSUPP,
			"the last window of dimension %u would have %llu of %u, and only rows can be fewer at the end: tail=pad or tail=drop",
			slices->axis, (unsigned long long)left, slices->window);
	if (trips * from->dims[0] > UINT32_MAX)
		return nn_node_fail(node, -EOVERFLOW, "hands out more than 2^32 - 1 rows");
	node->trips = node->most_trips = trips;
	node->rows_level = from->level;
	node->same_rows = is_same(node, from->level);
	node->most_rows = from->dims[0] ? trips * from->dims[0] : 1;
	if (node->same_rows)
		node->total_rows = trips * from->dims[0];
	return nn_node_set_max_rows(node, from->dims[0]);
}

int nn_slices_check(struct nn_node *node)
{
	struct nn_slices *slices = nn_node_make_state(node, sizeof(*slices));
	uint32_t i;
	int error;

	if (!slices)
		return -ENOMEM;
	error = get_slices(node, slices);
	if (!error)
		error = check_inputs(node, slices->axis);
	if (error)
		return error;
	slices->copies = !can_stay(slices, &node->inputs[0]->info);
	if (slices->copies && node->output_count > node->input_count)
		return nn_node_fail(
			node, -EINVAL,
			"has owner=1, but only rows that are handed out once have one: axis=0, stride=window and no padding");
	if (slices->copies)
		error = set_outputs(node, slices);
	for (i = 0; i < node->input_count && !slices->copies && !error; i++)
		error = nn_node_set_output_view(node, i, i);
	if (!error)
		error = nn_owner_set(node);
	if (error)
		return error;
	return slices->axis ? check_dimension(node, slices) : check_rows(node, slices);
}

/* ---- Running */

int nn_slices_push(struct nn_node *node, uint32_t rows, uint32_t before)
{
	const struct nn_slices *slices = node->state;
	uint32_t total;

	if (slices->axis)
		return nn_loopstack_push(node->graph, node, rows, rows * node->trips);
	total = count_elements(slices, rows);
	return nn_loopstack_push(node->graph, node,
				 total - before < slices->window ? total - before : slices->window,
				 total);
}

static int lower_window(struct nn_lowering *lowering, struct nn_node *node, uint32_t i)
{
	const struct nn_slices *slices = node->state;
	const struct nn_tensor_info *from = &node->inputs[i]->info;
	struct nn_program_op *op;
	uint32_t inner, count;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_PIECE, node->inputs[i],
				   &node->outputs[i], &op);

	if (error)
		return error;
	if (!slices->axis) {
		op->piece = (struct nn_piece_params){ .piece = slices->window,
						      .step = slices->stride };
		return 0;
	}
	nn_info_around(from, slices->axis, &count, &inner);
	inner *= nn_data_type_size(from->type);
	op->piece = (struct nn_piece_params){
		.count = count,
		.whole = from->dims[slices->axis] * inner,
		.piece = slices->window * inner,
		/* The stride of a single window may be any number. */
		.step = (node->trips > 1 ? slices->stride : slices->window) * inner,
	};
	return 0;
}

int nn_slices_lower(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_slices *slices = node->state;
	uint32_t i;
	int error = 0;

	for (i = 0; i < node->input_count && slices->copies && !error; i++)
		error = lower_window(lowering, node, i);
	return error;
}
