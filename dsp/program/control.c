// SPDX-License-Identifier: MIT
/*
 * The interpreter of control programs.
 *
 * nn_control_check() makes sure that loops are nested, and that no step leads into the body of a
 * loop, or out of it but by its END. So the loops that are running follow from the step alone, and
 * a state that a client has made up is wrong counts at worst. Those are looked at by whoever runs a
 * program with them, in each pass (dsp/program/interpreter.c). A control program may run for ever:
 * its caller can end it between two steps.
 */
#include <stddef.h>

#include "dsp/program/control.h"
#include "dsp/program/kernels.h"

static int fail(struct nn_failure *failure, enum nn_program_reason reason, uint32_t step)
{
	failure->reason = reason;
	failure->op = step;
	return -1;
}

/* Checks */

static enum nn_program_reason check_header(const struct nn_control *control, uint32_t size)
{
	uint64_t need;

	if (size < sizeof(*control) || size > NN_CONTROL_MAX_SIZE ||
	    control->magic != NN_CONTROL_MAGIC)
		return NN_REASON_HEADER;
	if (control->version != NN_CONTROL_VERSION)
		return NN_REASON_VERSION;
	if (control->size != size ||
	    control->program_count > NN_CONTROL_MAX_PROGRAMS ||
	    control->step_count > NN_CONTROL_MAX_STEPS ||
	    control->loop_count > NN_CONTROL_MAX_LOOPS)
		return NN_REASON_HEADER;
	need = sizeof(*control) +
	       (uint64_t)control->program_count * sizeof(struct nn_control_program) +
	       (uint64_t)control->step_count * sizeof(struct nn_control_step);
	return need == size ? NN_REASON_NONE : NN_REASON_HEADER;
}

uint32_t nn_control_step_bytes(const struct nn_control_step *step)
{
	switch (step->kind) {
	case NN_CONTROL_ENTER:
		return step->source == NN_CONTROL_MEMORY ? nn_type_size(step->type) : 0;
	case NN_CONTROL_END:
		return step->address ? 1 : 0;
	case NN_CONTROL_SKIP:
		return 1;
	}
	return 0;
}

/* The steps that are looked at, and the loops that they are in. */
struct checking {
	const struct nn_control *control;
	uint32_t depth;				/* loops around this step */
	uint32_t loops;				/* that have begun, of all */
	uint32_t enter[1 + NN_MAX_LEVELS];	/* steps that began them, by level */
	/* The loop right around each step, and 1; 0: none. */
	uint8_t around[NN_CONTROL_MAX_STEPS + 1];
	bool has_ended[NN_CONTROL_MAX_LOOPS];
};

static bool is_only(const struct nn_control_step *step, const struct nn_control_step *known)
{
	return step->kind == known->kind && step->level == known->level &&
	       step->loop == known->loop && step->flags == known->flags &&
	       step->source == known->source && step->type == known->type &&
	       !(step->reserved[0] | step->reserved[1]) && step->number == known->number &&
	       step->address == known->address && step->rows == known->rows &&
	       step->most == known->most && step->target == known->target;
}

static bool run_is_valid(const struct checking *checking, const struct nn_control_step *step)
{
	struct nn_control_step known = {
		.kind = step->kind, .number = step->number, .address = step->address,
	};

	if (step->flags == NN_CONTROL_FIRST) {
		known.flags = NN_CONTROL_FIRST;
		known.level = step->level;
		if (!step->level || step->level > checking->depth)
			return false;
	}
	return is_only(step, &known) && step->number < checking->control->program_count;
}

static bool enter_is_valid(struct checking *checking, const struct nn_control_step *step,
			   uint32_t index)
{
	struct nn_control_step known = {
		.kind = step->kind,
		.level = checking->depth + 1,
		.loop = checking->loops,
		.flags = step->flags & (NN_CONTROL_CLIPPED | NN_CONTROL_SKIPS),
		.source = step->source,
		.rows = step->rows,
		.most = step->most,
		.target = step->target,
	};

	if (known.level > NN_MAX_LEVELS || known.loop >= checking->control->loop_count)
		return false;
	switch (step->source) {
	case NN_CONTROL_CONSTANT:
		known.number = step->number;
		break;
	case NN_CONTROL_MEMORY:
		known.type = step->type;
		known.address = step->address;
		if ((step->type != NN_TYPE_INT32 && step->type != NN_TYPE_INT64 &&
		     step->type != NN_TYPE_BOOL) || step->address % nn_type_size(step->type))
			return false;
		break;
	case NN_CONTROL_ROWS:
		known.number = step->number;
		if (step->number >= NN_LEVELS || !step->number)
			return false;
		break;
	default:
		return false;
	}
	checking->loops++;
	checking->depth++;
	checking->enter[checking->depth] = index;
	return is_only(step, &known) && step->target > index &&
	       step->target < checking->control->step_count;
}

static bool end_is_valid(struct checking *checking, const struct nn_control_step *step,
			 uint32_t index)
{
	const struct nn_control_step *enter;
	struct nn_control_step known = { .kind = step->kind, .address = step->address };

	if (!checking->depth)
		return false;
	known.target = checking->enter[checking->depth];
	enter = &nn_control_steps(checking->control)[known.target];
	known.level = enter->level;
	known.loop = enter->loop;
	if (step->address) {
		known.most = step->most;
		known.flags = step->flags & NN_CONTROL_STRICT;
	}
	checking->has_ended[enter->loop] = true;
	checking->depth--;
	return is_only(step, &known) && enter->target == index;
}

static bool step_is_valid(struct checking *checking, uint32_t index)
{
	const struct nn_control_step *step = &nn_control_steps(checking->control)[index];
	struct nn_control_step known = { .kind = step->kind };
	const uint32_t depth = checking->depth;

	checking->around[index] =
		depth ? 1 + nn_control_steps(checking->control)[checking->enter[depth]].loop : 0;
	switch (step->kind) {
	case NN_CONTROL_RUN:
		return run_is_valid(checking, step);
	case NN_CONTROL_ENTER:
		return enter_is_valid(checking, step, index);
	case NN_CONTROL_END:
		return end_is_valid(checking, step, index);
	case NN_CONTROL_SKIP:
		known.address = step->address;
		known.target = step->target;
		return is_only(step, &known) && step->target > index &&
		       step->target <= checking->control->step_count;
	case NN_CONTROL_COUNT:
		known.number = step->number;
		if (step->flags) {
			known.flags = NN_CONTROL_FIRST;
			return is_only(step, &known) && step->number < NN_MAX_COUNTS;
		}
		if (step->source == NN_CONTROL_ROWS) {
			known.source = step->source;
			known.target = step->target;
			return is_only(step, &known) && step->number < NN_MAX_COUNTS &&
			       step->target < NN_MAX_COUNTS;
		}
		known.loop = step->loop;
		known.rows = step->rows;
		return is_only(step, &known) && step->number < NN_MAX_COUNTS &&
		       step->loop < checking->control->loop_count &&
		       checking->has_ended[step->loop];
	}
	return false;
}

int nn_control_check(const void *data, uint32_t size, struct nn_failure *failure)
{
	struct checking checking = { .control = data };
	const struct nn_control *control = data;
	const struct nn_control_step *step;
	enum nn_program_reason reason;
	uint32_t i;

	reason = check_header(control, size);
	if (reason)
		return fail(failure, reason, NN_SAME_OP);
	step = nn_control_steps(control);
	for (i = 0; i < control->step_count; i++) {
		if (!step_is_valid(&checking, i))
			return fail(failure, NN_REASON_STEP, i);
	}
	if (checking.depth || checking.loops != control->loop_count)
		return fail(failure, NN_REASON_STEP, control->step_count);
	/* What is skipped ends in the body, or outside of all loops, where it begins. */
	for (i = 0; i < control->step_count; i++) {
		if (step[i].kind == NN_CONTROL_SKIP &&
		    checking.around[step[i].target] != checking.around[i])
			return fail(failure, NN_REASON_STEP, i);
	}
	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	return 0;
}

/* Where a run is */

static void set_arguments(uint32_t *arg, uint32_t level, const struct nn_control_loop *loop)
{
	arg += NN_ARG_FIRST(level);
	arg[0] = loop->prev;
	arg[1] = loop->current;
	arg[2] = loop->prev + loop->prev_outer;
}

/* Whether the loop's counts are below 2^32. */
static bool can_count(const struct nn_control_loop *loop)
{
	return (uint64_t)loop->prev + loop->current + loop->prev_outer <= UINT32_MAX;
}

static void read_words(void *to, const volatile void *from, uint32_t bytes)
{
	const volatile uint32_t *word = from;

	for (uint32_t i = 0; i < bytes / sizeof(*word); i++)
		((uint32_t *)to)[i] = word[i];
}

static void write_words(volatile void *to, const void *from, uint32_t bytes)
{
	volatile uint32_t *word = to;

	for (uint32_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = ((const uint32_t *)from)[i];
}

/* The loops that run at run->step. False: their counts are none. */
static bool find_active(struct nn_control_run *run)
{
	const struct nn_control_step *step = nn_control_steps(run->control);

	for (uint32_t i = 0; i < run->step; i++, step++) {
		if (step->kind == NN_CONTROL_ENTER)
			run->active[step->level] = &run->loop[step->loop];
		else if (step->kind == NN_CONTROL_END)
			run->active[step->level] = NULL;
	}
	for (uint32_t level = 1; level <= NN_MAX_LEVELS; level++) {
		if (!run->active[level])
			continue;
		if (!can_count(run->active[level]))
			return false;
		set_arguments(run->arg, level, run->active[level]);
	}
	return true;
}

int nn_control_begin(struct nn_control_run *run, const volatile struct nn_control_state *state,
		     struct nn_failure *failure)
{
	const struct nn_control *control = run->control;
	uint32_t progress = state->progress;

	for (uint32_t level = 0; level <= NN_MAX_LEVELS; level++)
		run->active[level] = NULL;
	if (progress == NN_CONTROL_BEGINS) {
		run->step = 0;
		run->passes = 0;
		run->iterations = 0;
		for (uint32_t i = 0; i < control->loop_count; i++)
			run->loop[i] = (struct nn_control_loop){ 0 };
		for (uint32_t i = 0; i < NN_MAX_COUNTS; i++)
			run->count[i] = (struct nn_control_count){ 0 };
		return 0;
	}
	run->step = state->step;
	run->passes = state->running.passes;
	run->iterations = state->iterations;
	read_words(run->count, state->count, sizeof(run->count));
	read_words(run->loop, state->loop, control->loop_count * sizeof(*run->loop));
	if (progress != NN_CONTROL_GOES_ON || run->step >= control->step_count ||
	    !find_active(run))
		return fail(failure, NN_REASON_STATE, NN_SAME_OP);
	for (uint32_t i = 0; i < NN_MAX_COUNTS; i++) {
		run->arg[NN_ARG_COUNT_ROWS(i)] = run->count[i].rows;
		run->arg[NN_ARG_COUNT_OUT_FIRST(i)] = run->count[i].out_first;
	}
	return 0;
}

void nn_control_save(const struct nn_control_run *run, volatile struct nn_control_state *state)
{
	const struct nn_control *control = run->control;

	state->running.step = run->step;
	state->running.passes = run->passes;
	write_words(state->count, run->count, sizeof(run->count));
	write_words(state->loop, run->loop, control->loop_count * sizeof(*run->loop));
	state->iterations = run->iterations;
	state->step = run->step;
	state->progress = run->step < control->step_count ? NN_CONTROL_GOES_ON : NN_CONTROL_DONE;
}

/* Steps */

static inline bool read_bool(const volatile void *memory)
{
	return *(const volatile uint8_t *)memory;
}

/* The total of a loop that begins. False: it is below 0, or past 32 bits. */
static inline bool read_total(const struct nn_control_run *run, const struct nn_control_step *step,
			      uint32_t *total)
{
	const volatile void *memory = run->memory[run->step];
	int64_t value;

	if (step->source == NN_CONTROL_CONSTANT) {
		*total = step->number;
		return true;
	}
	if (step->source == NN_CONTROL_ROWS) {
		*total = step->number <= NN_MAX_LEVELS ?
				 run->arg[NN_ARG_ROWS(step->number)] :
				 run->count[step->number - NN_LEVEL_OF_COUNT(0)].rows;
		return true;
	}
	if (step->type == NN_TYPE_BOOL)
		value = read_bool(memory);
	else if (step->type == NN_TYPE_INT32)
		value = *(const volatile int32_t *)memory;
	else
		value = *(const volatile int64_t *)memory;
	*total = value;
	return value >= 0 && value <= UINT32_MAX;
}

/*
 * Begins an iteration of a loop, of which `prev` rows are done. 0, or why there is none.
 */
static inline enum nn_program_reason begin_iteration(struct nn_control_run *run,
						     const struct nn_control_step *enter,
						     struct nn_control_loop *loop)
{
	uint32_t rows = enter->rows;

	if (enter->flags & NN_CONTROL_CLIPPED && rows > loop->total - loop->prev)
		rows = loop->total - loop->prev;
	if (!rows && loop->total)
		return NN_REASON_PROGRESS;
	if (run->iterations >= run->control->limit)
		return NN_REASON_LIMIT;
	run->iterations++;
	loop->current = rows;
	if (!can_count(loop))
		return NN_REASON_TOO_MANY;
	set_arguments(run->arg, enter->level, loop);
	return NN_REASON_NONE;
}

static inline enum nn_program_reason enter_loop(struct nn_control_run *run,
						const struct nn_control_step *step)
{
	struct nn_control_loop *loop = &run->loop[step->loop];
	enum nn_program_reason reason;
	uint32_t total;

	if (!read_total(run, step, &total) || total > step->most)
		return NN_REASON_TRIPS;
	if (!total && step->flags & NN_CONTROL_SKIPS) {
		loop->ended = 0;
		run->step = step->target + 1;
		return NN_REASON_NONE;
	}
	loop->itercount = 0;
	loop->prev = 0;
	loop->total = total;
	reason = begin_iteration(run, step, loop);
	if (reason)
		return reason;
	run->active[step->level] = loop;
	run->step++;
	return NN_REASON_NONE;
}

/* Ends an iteration. */
static inline enum nn_program_reason end_iteration(struct nn_control_run *run,
						   const struct nn_control_step *step)
{
	const struct nn_control_step *enter = &nn_control_steps(run->control)[step->target];
	struct nn_control_loop *loop = &run->loop[step->loop];
	uint32_t rows = loop->prev + loop->current;
	enum nn_program_reason reason;
	bool goes_on;

	if (step->address) {
		goes_on = read_bool(run->memory[run->step]);
		if (goes_on && loop->itercount + 1 >= step->most) {
			if (step->flags & NN_CONTROL_STRICT)
				return NN_REASON_TRIPS;
			goes_on = false;
		}
	} else {
		goes_on = rows < loop->total;
	}
	if (goes_on) {
		loop->itercount++;
		loop->prev = rows;
		reason = begin_iteration(run, enter, loop);
		if (!reason)
			run->step = step->target + 1;
		return reason;
	}
	loop->ended = rows;
	loop->prev_outer += rows;
	*loop = (struct nn_control_loop){ .prev_outer = loop->prev_outer, .ended = rows };
	run->active[step->level] = NULL;
	for (uint32_t i = 0; i < 3; i++)
		run->arg[NN_ARG_FIRST(step->level) + i] = 0;
	run->step++;
	return NN_REASON_NONE;
}

static inline enum nn_program_reason set_count(struct nn_control_run *run,
					       const struct nn_control_step *step)
{
	struct nn_control_count *count = &run->count[step->number];
	uint64_t rows = (uint64_t)run->loop[step->loop].ended * step->rows;
	uint64_t first = (uint64_t)count->out_first + count->rows;

	/* Most are of a loop that has ended: one test for the others. */
	if (step->source | step->flags) {
		rows = (uint64_t)run->count[step->target].rows + run->count[step->target].out_first;
		if (step->flags)
			rows = first = 0;
	}
	if (rows > UINT32_MAX || first > UINT32_MAX - rows)
		return NN_REASON_TOO_MANY;
	count->rows = rows;
	count->out_first = first;
	run->arg[NN_ARG_COUNT_ROWS(step->number)] = rows;
	run->arg[NN_ARG_COUNT_OUT_FIRST(step->number)] = first;
	run->step++;
	return NN_REASON_NONE;
}

static inline bool is_left_out(const struct nn_control_run *run, const struct nn_control_step *step)
{
	return step->flags & NN_CONTROL_FIRST && run->active[step->level]->itercount;
}

/* Before a step that may take long, or come again. */
static inline int begin_step(struct nn_control_run *run, bool meets)
{
	int ret = run->between(run);

	return !ret && meets && run->barrier ? run->barrier(run) : ret;
}

int nn_control_run(struct nn_control_run *run, struct nn_failure *failure)
{
	const struct nn_control_step *steps = nn_control_steps(run->control);
	const uint32_t count = run->control->step_count;
	int ret = 0;

	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	while (run->step < count) {
		const struct nn_control_step *step = &steps[run->step];
		enum nn_program_reason reason = NN_REASON_NONE;

		switch (step->kind) {
		case NN_CONTROL_RUN:
			if (is_left_out(run, step)) {
				run->step++;
				break;
			}
			ret = begin_step(run, false);
			if (!ret)
				ret = run->pass(run, step);
			if (ret)
				return ret;
			run->passes++;
			run->step++;
			break;
		case NN_CONTROL_ENTER:
			ret = begin_step(run, step->source == NN_CONTROL_MEMORY);
			if (ret)
				return ret;
			reason = enter_loop(run, step);
			break;
		case NN_CONTROL_END:
			ret = begin_step(run, true);
			if (ret)
				return ret;
			reason = end_iteration(run, step);
			break;
		case NN_CONTROL_SKIP:
			/* There are not so many in a row that others have to wait for a look. */
			if (run->barrier)
				ret = run->barrier(run);
			if (ret)
				return ret;
			run->step = read_bool(run->memory[run->step]) ? run->step + 1 :
									step->target;
			break;
		default:
			reason = set_count(run, step);
		}
		if (__builtin_expect(reason, 0))
			return fail(failure, reason, run->step);
	}
	return 0;
}
