// SPDX-License-Identifier: MIT
/*
 * Control programs of plans (controlled.h): the steps of a plan become those of a control program,
 * with each part of a partition for a program.
 */
#include "controlled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "ops/support/handing.h"
#include "ops/support/slices.h"
#include "plan/bind.h"
#include "plan/blocks.h"
#include "plan/decide.h"

#define ALIGNMENT	128u

/* ---- Whether there can be one */

/* Where a value is that a step looks at. */
struct place {
	const void *data;		/* for the CPU */
	uint64_t address;		/* for the device */
	bool constant;			/* in the graph alone */
};

/* False: there is no single place for it. */
static bool find_place(const struct nn_plan *plan, struct nn_value *value, struct place *place)
{
	struct nn_value *root = nn_value_root(value);
	const struct nn_block *block;
	uint64_t offset = 0;

	*place = (struct place){ 0 };
	if (!nn_value_has_place(value))
		return false;
	switch (root->storage) {
	case NN_STORAGE_CONST:
		place->constant = true;
		place->data = root->node->data;
		return place->data;
	case NN_STORAGE_INPUT:
		block = &plan->binding->buffers[root->slot];
		break;
	case NN_STORAGE_ARENA:
		block = &plan->binding->streams[0].arena;
		offset = root->offset;
		break;
	default:
		return false;
	}
	place->data = block->data ? (const uint8_t *)block->data + offset : NULL;
	place->address = block->address + offset;
	return place->data;
}

/* Whether what steps look at of a loop is where the CPU sees it, too. */
static bool places_are_known(const struct nn_plan *plan, const struct nn_scope *scope)
{
	struct nn_node *lcn = scope->lcn;
	struct place place;

	if (lcn->op == &nn_op_proposal)
		return find_place(plan, nn_proposal_count(lcn), &place);
	if (lcn->op == &nn_op_while_loop)
		return find_place(plan, &scope->condition->hidden[0], &place) &&
		       find_place(plan, lcn->inputs[0], &place);
	return !nn_loop_is_counted(lcn) || find_place(plan, lcn->inputs[0], &place);
}

/*
 * An output that there is room for however many rows it will have. Where it has those of a loop, whether
 * there is room is seen when a pass needs it.
 */
static bool output_has_room(const struct nn_plan *plan, uint32_t slot)
{
	uint32_t level = plan->output->inputs[slot]->info.level;

	return !nn_level_is_count(level) ||
	       plan->binding->output_rooms[slot] >= plan->max_rows[level];
}

bool nn_controlled_is_possible(const struct nn_plan *plan)
{
	uint32_t i;

	if (!plan->binding->device->controls || plan->graph->trace ||
	    !nn_plan_may_be_controlled(plan))
		return false;
	for (i = 1; i < plan->scope_count; i++)
		if (!places_are_known(plan, &plan->scopes[i]))
			return false;
	for (i = 0; i < plan->output->input_count; i++)
		if (!output_has_room(plan, i))
			return false;
	return true;
}

/* ---- Writing it */

struct writing {
	const struct nn_plan *plan;
	struct nn_control_step *steps;
	uint32_t count;
	const volatile void **memory;	/* by step */
	uint32_t enter[NN_MAX_SCOPES + 1];	/* by scope: its step, */
	uint32_t loop[NN_MAX_SCOPES + 1];	/* and its number */
	uint32_t loops;
	uint64_t profile;		/* address of the records of all passes; 0: none */
};

static struct nn_control_step *add_step(struct writing *writing, enum nn_control_kind kind)
{
	struct nn_control_step *step = &writing->steps[writing->count++];

	*step = (struct nn_control_step){ .kind = kind };
	return step;
}

/* A step looks at a value. The host device has no addresses, but a step has to have one. */
static void look_at(struct writing *writing, struct nn_control_step *step, const struct place *place)
{
	writing->memory[step - writing->steps] = place->data;
	step->address = place->address ? place->address : ALIGNMENT;
}

/* A step that runs a part. */
static struct nn_control_step *add_run(struct writing *writing, uint32_t part)
{
	struct nn_control_step *step = add_step(writing, NN_CONTROL_RUN);

	step->number = part;
	step->address = writing->profile;
	return step;
}

static void write_partition(struct writing *writing, uint32_t partition)
{
	const struct nn_plan *plan = writing->plan;
	uint32_t i;

	for (i = plan->first_part[partition]; i < plan->first_part[partition + 1]; i++) {
		const struct nn_part *part = &plan->parts[i];
		struct nn_control_step *step;

		if (!part->program || part->before_loop)
			continue;
		step = add_run(writing, i);
		if (part->first_only) {
			step->flags = NN_CONTROL_FIRST;
			step->level = part->first_only;
		}
	}
}

/* A total that data decide. */
static void write_total(struct writing *writing, struct nn_control_step *step, struct nn_value *value)
{
	struct place place;

	step->flags |= NN_CONTROL_SKIPS;
	find_place(writing->plan, value, &place);
	if (place.constant) {
		step->number = nn_total_read(value, place.data);
		return;
	}
	step->source = NN_CONTROL_MEMORY;
	step->type = (uint8_t)value->info.type;
	look_at(writing, step, &place);
}

/* The total that a Proposal works out before its loop, which always has an iteration. */
static void write_proposal(struct writing *writing, struct nn_control_step *step,
			   const struct nn_node *lcn)
{
	struct place place;

	find_place(writing->plan, nn_proposal_count(lcn), &place);
	step->flags = NN_CONTROL_CLIPPED;
	step->rows = nn_node_get_attr_int(lcn, "step", 1);
	step->most = lcn->most_rows;
	step->source = NN_CONTROL_MEMORY;
	step->type = NN_TYPE_INT32;
	look_at(writing, step, &place);
}

/* Counts whose rows a loop packs begin anew before it does. */
static void write_beginnings(struct writing *writing, const struct nn_scope *scope)
{
	const struct nn_plan *plan = writing->plan;
	uint32_t i;

	for (i = 0; i < plan->count_count; i++) {
		struct nn_control_step *step;

		if (plan->counts[i].scope != scope || !nn_count_begins_anew(&plan->counts[i]))
			continue;
		step = add_step(writing, NN_CONTROL_COUNT);
		step->number = plan->counts[i].of - NN_LEVEL_OF_COUNT(0);
		step->flags = NN_CONTROL_FIRST;
		step->node = scope->lcn->id;
	}
}

static void write_enter(struct writing *writing, const struct nn_scope *scope)
{
	struct nn_node *lcn = scope->lcn;
	struct nn_control_step *step;

	write_beginnings(writing, scope);
	if (nn_node_is_before_loop(lcn))
		add_run(writing, writing->plan->first_part[lcn->refs]);
	step = add_step(writing, NN_CONTROL_ENTER);
	writing->enter[scope->number] = step - writing->steps;
	writing->loop[scope->number] = writing->loops++;
	step->level = scope->level;
	step->loop = writing->loop[scope->number];
	step->node = lcn->id;
	step->most = UINT32_MAX;
	if (lcn->op == &nn_op_batch_loop) {
		const struct nn_slices *slices = nn_slices_of(lcn);
		uint32_t level = lcn->total_level;

		step->flags = NN_CONTROL_CLIPPED;
		step->rows = slices && slices->axis ? lcn->max_rows : lcn->full_rows;
		step->source = level ? NN_CONTROL_ROWS : NN_CONTROL_CONSTANT;
		step->number = level ? level : nn_loop_total(scope);
	} else if (lcn->op == &nn_op_proposal) {
		write_proposal(writing, step, lcn);
	} else if (lcn->op == &nn_op_while_loop) {
		step->rows = step->most = 1;
		write_total(writing, step, lcn->inputs[0]);
	} else if (nn_loop_is_counted(lcn)) {
		step->rows = nn_node_get_attr_int(lcn, "current", 1);
		step->most = nn_node_get_attr_int(lcn, "most", 0);
		write_total(writing, step, lcn->inputs[0]);
	} else {
		step->rows = nn_node_get_attr_int(lcn, "current", 0);
		step->number = nn_node_get_attr_int(lcn, "total", 0);
	}
}

/* The rows that a loop has collected, when it has ended. */
static void write_counts(struct writing *writing, const struct nn_scope *scope)
{
	const struct nn_plan *plan = writing->plan;
	uint32_t i;

	for (i = 0; i < plan->count_count; i++) {
		struct nn_control_step *step;

		if (plan->counts[i].scope != scope)
			continue;
		step = add_step(writing, NN_CONTROL_COUNT);
		step->number = i;
		step->node = scope->lcn->id;
		if (plan->counts[i].of) {
			step->source = NN_CONTROL_ROWS;
			step->target = plan->counts[i].of - NN_LEVEL_OF_COUNT(0);
		} else {
			step->loop = writing->loop[scope->number];
			step->rows = 1;
		}
	}
}

static void write_end(struct writing *writing, const struct nn_scope *scope)
{
	struct nn_control_step *step = add_step(writing, NN_CONTROL_END);
	struct nn_node *lcn = scope->lcn;
	struct place place;

	step->level = scope->level;
	step->loop = writing->loop[scope->number];
	step->target = writing->enter[scope->number];
	step->node = lcn->id;
	writing->steps[step->target].target = step - writing->steps;
	if (lcn->op != &nn_op_while_loop) {
		write_counts(writing, scope);
		return;
	}
	step->most = nn_node_get_attr_int(lcn, "most", 1);
	if (nn_node_get_attr_int(lcn, "strict", 0))
		step->flags = NN_CONTROL_STRICT;
	find_place(writing->plan, &scope->condition->hidden[0], &place);
	look_at(writing, step, &place);
	write_counts(writing, scope);
}

static void write_steps(struct writing *writing)
{
	const struct nn_plan *plan = writing->plan;
	uint32_t i;

	for (i = 0; i < plan->step_count; i++) {
		const struct nn_step *step = &plan->steps[i];

		if (step->kind == NN_STEP_RUN)
			write_partition(writing, step->partition);
		else if (step->kind == NN_STEP_ENTER)
			write_enter(writing, step->scope);
		else
			write_end(writing, step->scope);
	}
}

/*
 * A control program, and what the library keeps beside it. The device can write to the memory that it
 * runs from: so the library looks at a copy of its own only.
 */
struct controlled {
	struct nn_submission *submission;
	struct nn_control *copy;
	struct nn_bound_control bound;
	const struct nn_bound_program *programs[NN_CONTROL_MAX_PROGRAMS];
	const volatile void *memory[NN_CONTROL_MAX_STEPS];
};

/* Memory for it, from one execution to the next: its state, then the program. */
static int need_memory(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;

	if (binding->control.data)
		return 0;
	return nn_create_block(plan->graph, binding->device,
			       ((sizeof(struct nn_control_state) + ALIGNMENT - 1) &
				~(uint64_t)(ALIGNMENT - 1)) +
				       NN_CONTROL_MAX_SIZE,
			       &binding->control);
}

/*
 * Whether packets are counted: of the whole in a record at the beginning of the profile's memory, and
 * of all passes together behind that.
 */
static bool counts_packets(const struct nn_plan *plan)
{
	return plan->flags & NN_PREPARE_PROFILE && !plan->binding->device->in_place;
}

static void begin_counting(const struct nn_plan *plan, struct nn_pass *pass)
{
	struct nn_binding *binding = plan->binding;

	if (!counts_packets(plan))
		return;
	binding->device->ops->block_begin(binding->device, &binding->profile, true);
	memset(binding->profile.data, 0, binding->profile.size);
	binding->device->ops->block_end(binding->device, &binding->profile, true);
	pass->args[NN_ARG_PROFILE] = binding->profile.address;
}

/* Returns the packets between the passes. */
static uint64_t end_counting(const struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	const struct nn_profile_record *whole = binding->profile.data, *passes;
	uint64_t packets;

	if (!counts_packets(plan))
		return 0;
	passes = (const void *)((const uint8_t *)binding->profile.data + NN_CONTROL_RECORD_BYTES);
	binding->device->ops->block_begin(binding->device, &binding->profile, false);
	packets = whole->packets > passes->packets ? whole->packets - passes->packets : 0;
	binding->device->ops->block_end(binding->device, &binding->profile, false);
	return packets;
}

static int write_control(struct controlled *controlled)
{
	struct nn_plan *plan = controlled->submission->plan;
	const uint64_t state_bytes = (sizeof(struct nn_control_state) + ALIGNMENT - 1) &
				     ~(uint64_t)(ALIGNMENT - 1);
	struct nn_binding *binding = plan->binding;
	struct writing writing = {
		.plan = plan,
		.memory = controlled->memory,
		.profile = counts_packets(plan) ? binding->profile.address + NN_CONTROL_RECORD_BYTES : 0,
	};
	struct nn_control_program *programs;
	struct nn_control *control;
	uint32_t i;
	int error;

	error = need_memory(plan);
	if (error)
		return error;
	control = calloc(1, NN_CONTROL_MAX_SIZE);
	if (!control)
		return nn_graph_no_memory(plan->graph);
	controlled->copy = control;
	programs = (struct nn_control_program *)(control + 1);
	writing.steps = (struct nn_control_step *)(programs + plan->part_count);
	for (i = 0; i < plan->part_count; i++) {
		const struct nn_bound_program *program = &binding->streams[0].programs[i];

		controlled->programs[i] = program;
		programs[i] = (struct nn_control_program){ 0 };
		if (plan->parts[i].program)
			programs[i] = (struct nn_control_program){ program->address,
								   program->program->size };
	}
	write_steps(&writing);
	*control = (struct nn_control){
		.magic = NN_CONTROL_MAGIC,
		.version = NN_CONTROL_VERSION,
		.size = (uint8_t *)(writing.steps + writing.count) - (uint8_t *)control,
		.program_count = plan->part_count,
		.step_count = writing.count,
		.loop_count = writing.loops,
		.state = binding->control.address,
		.limit = plan->graph->pass_limit < UINT32_MAX ? plan->graph->pass_limit :
								UINT32_MAX,
	};
	binding->device->ops->block_begin(binding->device, &binding->control, true);
	memset(binding->control.data, 0, sizeof(struct nn_control_state));
	memcpy((uint8_t *)binding->control.data + state_bytes, control, control->size);
	binding->device->ops->block_end(binding->device, &binding->control, true);
	controlled->bound = (struct nn_bound_control){
		.control = control,
		.address = binding->control.address + state_bytes,
		.state = binding->control.data,
		.programs = controlled->programs,
		.memory = controlled->memory,
	};
	return 0;
}

/* ---- Running it */

/* A step has failed for a reason of control programs: the error is that of the loop on the host. */
static int describe_step(struct controlled *controlled, const struct nn_control_step *step,
			 uint32_t reason)
{
	struct nn_submission *submission = controlled->submission;
	struct nn_graph *graph = submission->graph;
	struct nn_node *lcn = nn_plan_find(submission->plan, step->node);
	const volatile void *memory =
		controlled->memory[step - nn_control_steps(controlled->bound.control)];

	switch (reason) {
	case NN_REASON_TRIPS:
		nn_submission_begin_cpu(submission);
		if (step->kind == NN_CONTROL_END)
			return nn_while_loop_fail(lcn);
		if (!nn_loop_is_counted(lcn))
			break;
		return nn_count_loop_fail(lcn, memory ? nn_total_read(lcn->inputs[0],
								    (const void *)memory) :
							step->number);
	case NN_REASON_LIMIT:
		return nn_graph_fail(
			graph, lcn, -ELOOP,
			"the loop takes more than %llu passes, which is the graph's limit",
			(unsigned long long)graph->pass_limit);
	case NN_REASON_TOO_MANY:
		return nn_graph_fail(graph, lcn, -EOVERFLOW,
				     "its loop counts more than 2^32 - 1 rows");
	}
	return nn_graph_fail(graph, lcn, -EINVAL, "%s", nn_program_reason_text(reason));
}

/* The part that a step runs, or NULL. */
static const struct nn_part *part_of(const struct controlled *controlled, uint32_t step)
{
	const struct nn_control *control = controlled->bound.control;

	if (step >= control->step_count ||
	    nn_control_steps(control)[step].kind != NN_CONTROL_RUN)
		return NULL;
	return &controlled->submission->plan->parts[nn_control_steps(control)[step].number];
}

static int describe(struct controlled *controlled, const struct nn_job *job, uint64_t passes)
{
	const struct nn_control *control = controlled->bound.control;
	const struct nn_run_result *result = &job->result;
	const struct nn_part *part = part_of(controlled, controlled->bound.state->running.step);
	const struct nn_node *node = NULL;

	if (job->error == -EINVAL && result->fail_reason >= NN_REASON_STEP &&
	    result->fail_reason <= NN_REASON_LIMIT && result->fail_op < control->step_count)
		return describe_step(controlled, &nn_control_steps(control)[result->fail_op],
				     result->fail_reason);
	if (part && result->fail_op < part->program->op_count)
		node = nn_plan_find(controlled->submission->plan,
				    nn_program_ops(part->program)[result->fail_op].node);
	return nn_submission_describe(controlled->submission, job, node, passes,
				      part ? passes + 1 : 0);
}

/*
 * Whether a pass has failed for want of room in an output whose rows a loop counts, or of a view:
 * the host says which.
 */
static bool rows_are_too_many(const struct nn_job *job)
{
	return job->error == -EINVAL && job->result.fail_reason == NN_REASON_ROWS;
}

/* The rows that a loop has had in all, by its steps' number. */
static uint64_t count_loop(const struct controlled *controlled, const struct nn_scope *scope)
{
	const struct nn_control *control = controlled->bound.control;
	const struct nn_control_step *steps = nn_control_steps(control);
	uint32_t i;

	for (i = 0; i < control->step_count; i++)
		if (steps[i].kind == NN_CONTROL_ENTER && steps[i].node == scope->lcn->id)
			return controlled->bound.state->loop[steps[i].loop].prev_outer;
	return 0;
}

/* The rows that outputs have now. */
static void count_rows(const struct controlled *controlled, uint64_t *rows)
{
	const volatile struct nn_control_state *state = controlled->bound.state;
	const struct nn_plan *plan = controlled->submission->plan;
	uint32_t i;

	for (i = 0; i < plan->output->input_count; i++) {
		const struct nn_tensor_info *info = &plan->output->inputs[i]->info;
		const struct nn_scope *loop = nn_plan_find_loop(plan, i);
		uint64_t counted, room = info->dims[0];

		rows[i] = info->dims[0];
		if (!info->level)
			continue;
		if (loop) {
			counted = count_loop(controlled, loop);
			room = plan->binding->output_rooms[i];
		} else {
			counted = state->count[info->level - NN_LEVEL_OF_COUNT(0)].rows;
		}
		/* The client's memory, which is also the device's, has room for no more. */
		rows[i] = counted < room ? counted : room;
	}
}

int nn_controlled_run(struct nn_submission *submission, uint64_t *output_rows, bool *again)
{
	struct nn_plan *plan = submission->plan;
	struct nn_binding *binding = plan->binding;
	struct nn_watch watch = {
		.progress = nn_submission_report,
		.opaque = submission,
		.cancelled = &submission->graph->cancelled,
	};
	struct nn_job job = { .queue = binding->streams[0].queue, .count = 1, .workers = 1 };
	struct controlled *controlled = calloc(1, sizeof(*controlled));
	struct nn_pass pass = { 0 };
	uint64_t passes;
	uint32_t i;
	int error;

	if (!controlled)
		return nn_graph_no_memory(submission->graph);
	controlled->submission = submission;
	error = write_control(controlled);
	if (error)
		goto free_controlled;
	for (i = 0; i < plan->part_count; i++)
		if (plan->parts[i].workers > job.workers)
			job.workers = plan->parts[i].workers;
	pass.control = &controlled->bound;
	begin_counting(plan, &pass);
	job.passes = &pass;
	nn_submission_end_cpu(submission);
	submission->stats.submissions++;
	binding->device->ops->jobs_run(binding->device, &job, 1, &watch);
	binding->device->ops->block_begin(binding->device, &binding->control, false);
	passes = controlled->bound.state->running.passes;
	error = job.error;
	*again = rows_are_too_many(&job);
	if (*again)
		error = 0;
	else if (error)
		error = describe(controlled, &job, passes);
	else
		count_rows(controlled, output_rows);
	submission->stats.passes += passes;
	submission->stats.control_packets = end_counting(plan);
	submission->stats.pushes = controlled->bound.state->iterations;
	binding->device->ops->block_end(binding->device, &binding->control, false);
	if (job.result.queue_lost)
		nn_binding_drop_queue(binding, 0);
free_controlled:
	free(controlled->copy);
	free(controlled);
	return error;
}
