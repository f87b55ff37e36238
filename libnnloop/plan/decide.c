// SPDX-License-Identifier: MIT
/*
 * Who decides how often loops run (decide.h). It follows from the plan alone: no device is asked.
 */
#include "plan/decide.h"

#include "dsp/program/nn_control.h"
#include "ops/ops.h"
#include "ops/support/handing.h"

#define PASS_COUNTS	5u	/* row counts that there is room for in a pass (nn_program.h) */

const struct nn_scope *nn_plan_find_loop(const struct nn_plan *plan, uint32_t slot)
{
	const struct nn_scope *scope = plan->output->scope;
	uint32_t level = plan->output->inputs[slot]->info.level;

	if (!level || nn_level_is_count(level))
		return NULL;
	while (scope->level > level)
		scope = scope->parent;
	return scope;
}

bool nn_count_begins_anew(const struct nn_count *count)
{
	return count->of && count->scope->level > 1;
}

/* Whether each iteration of the loop of a level, which is around a scope, has exactly one row. */
static bool has_one_row(const struct nn_scope *scope, uint32_t level)
{
	const struct nn_node *lcn;

	while (scope && scope->level > level)
		scope = scope->parent;
	if (!scope || scope->level != level || !scope->lcn)
		return false;
	lcn = scope->lcn;
	if (lcn->max_rows != 1)
		return false;
	if (lcn->op == &nn_op_while_loop || nn_loop_is_counted(lcn))
		return true;
	return (lcn->op == &nn_op_batch_loop || lcn->op == &nn_op_count_loop) && !lcn->total_level &&
	       nn_loop_total(scope) && nn_loop_total(scope) != NN_ROWS_UNKNOWN;
}

uint64_t nn_loop_total(const struct nn_scope *scope)
{
	const struct nn_node *lcn = scope->lcn;

	if (lcn->total_rows == NN_ROWS_UNKNOWN && lcn->trips &&
	    has_one_row(scope->parent, lcn->rows_level))
		return lcn->trips;
	return lcn->total_rows;
}

bool nn_value_has_place(struct nn_value *value)
{
	const struct nn_value *root = nn_value_root(value);

	if (root->storage == NN_STORAGE_CONST)
		return root->node->data;
	if (root->storage == NN_STORAGE_INPUT)
		return !root->info.level;
	return root->storage == NN_STORAGE_ARENA &&
	       (!root->info.level || has_one_row(root->node->scope, root->info.level));
}

/* A constant total that is wrong is the loop's own matter, which says so. */
static bool total_is_possible(struct nn_value *value)
{
	const struct nn_value *root = nn_value_root(value);
	int64_t total;

	if (!nn_value_has_place(value) || root->storage != NN_STORAGE_CONST)
		return nn_value_has_place(value);
	total = nn_total_read(value, root->node->data);
	return total >= 0 && total <= UINT32_MAX;
}

/*
 * A BatchLoop whose iterations have as many rows, from the first on, of a total that is a constant or
 * the rows of a level; or another of the library's.
 */
static bool loop_is_possible(const struct nn_scope *scope)
{
	struct nn_node *lcn = scope->lcn;

	if (lcn->op == &nn_op_batch_loop)
		return nn_loop_total(scope) != NN_ROWS_UNKNOWN &&
		       !nn_node_get_attr(lcn, "graph_batch");
	if (lcn->op == &nn_op_proposal)
		return nn_value_has_place(nn_proposal_count(lcn));
	if (lcn->op == &nn_op_while_loop)
		return nn_value_has_place(&scope->condition->hidden[0]) &&
		       nn_value_root(&scope->condition->hidden[0])->storage != NN_STORAGE_CONST &&
		       nn_value_has_place(lcn->inputs[0]);
	if (lcn->op != &nn_op_count_loop)
		return false;
	return !nn_loop_is_counted(lcn) || total_is_possible(lcn->inputs[0]);
}

/*
 * An output of whose rows none is left out: the loops inside of the one whose rows it has always have
 * an iteration.
 */
static bool output_is_possible(const struct nn_plan *plan, uint32_t slot)
{
	const struct nn_scope *loop = nn_plan_find_loop(plan, slot), *scope = plan->output->scope;

	if (!plan->output->inputs[slot]->info.level)
		return true;
	if (!loop)
		return scope && !scope->level;
	for (; scope != loop; scope = scope->parent)
		if (scope->lcn->may_skip)
			return false;
	return true;
}

bool nn_plan_may_be_controlled(const struct nn_plan *plan)
{
	/* More counts than a pass has room for the DSP alone keeps. */
	bool looks = plan->count_count > PASS_COUNTS;
	uint32_t i, begun = 0;

	if (plan->part_count > NN_CONTROL_MAX_PROGRAMS)
		return false;
	for (i = 1; i < plan->scope_count; i++) {
		looks |= !nn_node_is_static(plan->scopes[i].lcn);
		if (!loop_is_possible(&plan->scopes[i]))
			return false;
	}
	for (i = 0; i < plan->part_count; i++)
		if (plan->parts[i].host_node)
			return false;
	for (i = 0; i < plan->output->input_count; i++)
		if (!output_is_possible(plan, i))
			return false;
	for (i = 0; i < plan->count_count; i++)
		begun += nn_count_begins_anew(&plan->counts[i]);
	return looks && plan->step_count + plan->part_count + plan->count_count + begun <=
				NN_CONTROL_MAX_STEPS;
}

enum nn_decided_on nn_plan_decided_on(const struct nn_plan *plan, const struct nn_node *node)
{
	if (nn_node_is_lcn(node) ? nn_node_is_static(node) : node->op != &nn_op_continue)
		return NN_DECIDED_ON_NOTHING;
	return nn_plan_may_be_controlled(plan) ? NN_DECIDED_ON_DEVICE : NN_DECIDED_ON_HOST;
}
