// SPDX-License-Identifier: MIT
/*
 * Runs jobs on the host device: several side by side, each on one thread of the device's team, or
 * one on all of them, which then do the operators' work together. Whoever finds the team taken, by
 * another graph, does without.
 */
#include "host.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "dsp/program/kernels.h"

/* Nanoseconds of work below which waking others, or having one more of them, takes longer. */
#define LEAST_WORK	20000u
#define CHUNKS		4u	/* for each of the team, so that none waits long for another */

/* Jobs that are run. */
struct running {
	struct nn_host_device *host;
	struct nn_job *jobs;
	const struct nn_watch *watch;
	uint32_t reported;		/* passes, by the calling thread */
	atomic_uint done;		/* passes, of all jobs */
	atomic_uint failed;		/* the first job that has; those behind it need not go on */
};

struct nn_queue {
	void *scratch;
	void *prepared;			/* memory of the program that was prepared last */
	uint64_t prepared_size;
	/* The job that is under way, and its pass. */
	struct running *running;
	uint32_t number;		/* of the job */
	uint64_t *times;
	uint64_t began;			/* the operator, or the one before was done */
};

int nn_host_queue_create(struct nn_device *device, struct nn_queue **result,
			 struct nn_error *error)
{
	struct nn_queue *queue = calloc(1, sizeof(*queue));

	(void)device;
	if (queue)
		queue->scratch = aligned_alloc(NN_HOST_ALIGNMENT, NN_SCRATCH_SIZE);
	if (!queue || !queue->scratch) {
		free(queue);
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	*result = queue;
	return 0;
}

void nn_host_queue_destroy(struct nn_queue *queue)
{
	free(queue->prepared);
	free(queue->scratch);
	free(queue);
}

/* ---- One operator on all threads ---- */

struct division {
	const struct nn_call *call;
	nn_run_units *units;
	uint8_t *scratch;
	atomic_int result;
};

static void run_units(void *opaque, uint32_t member, uint32_t begin, uint32_t end)
{
	struct division *division = opaque;
	struct nn_call call = *division->call;
	int result;

	if (atomic_load(&division->result))
		return;
	if (member) {
		call.scratch = division->scratch + (member - 1) * NN_SCRATCH_SIZE;
		call.scratch_size = NN_SCRATCH_SIZE;
	}
	result = division->units(&call, begin, end);
	if (result)
		atomic_store(&division->result, result);
}

static int divide(const struct nn_call *call, uint32_t count, uint64_t work, nn_run_units *units)
{
	struct nn_queue *queue = call->run->context;
	struct nn_host_device *host = queue->running->host;
	struct division division = { .call = call, .units = units, .scratch = host->scratch };
	uint64_t chunks = nn_team_size(host->team) * CHUNKS;

	if (chunks > work / LEAST_WORK)
		chunks = work / LEAST_WORK;
	if (chunks < 2)
		return units(call, 0, count);
	nn_team_run(host->team, count, (count - 1) / chunks + 1, run_units, &division);
	return atomic_load(&division.result);
}

/* ---- A job ---- */

static int host_progress(struct nn_run *run, uint32_t op)
{
	struct nn_queue *queue = run->context;
	struct running *running = queue->running;

	(void)op;
	if (atomic_load(running->watch->cancelled) || atomic_load(&running->failed) < queue->number)
		return -ECANCELED;
	return 0;
}

static void host_finished(struct nn_run *run, uint32_t op)
{
	struct nn_queue *queue = run->context;
	uint64_t now = nn_clock_ns();

	queue->times[op] += now - queue->began;
	queue->began = now;
}

/* 0 or why not. */
static int prepare_program(struct nn_queue *queue, const struct nn_bound_program *program,
			   struct nn_prepared **prepared, struct nn_failure *failure)
{
	uint64_t size = nn_program_prepared_size(program->program);

	if (size > queue->prepared_size) {
		free(queue->prepared);
		queue->prepared = malloc(size);
		queue->prepared_size = queue->prepared ? size : 0;
		if (!queue->prepared)
			return -ENOMEM;
	}
	*prepared = nn_program_prepare(program->program, program->memory, queue->prepared, failure);
	return *prepared ? 0 : -EINVAL;
}

/* The application hears of it in the thread that it called from. */
static void report_progress(struct running *running)
{
	running->reported = atomic_load(&running->done);
	running->watch->progress(running->watch->opaque, running->reported);
}

/* ---- Control programs */

/* A control program that runs. */
struct controlled {
	struct nn_control_run run;
	struct nn_run *passes;
	const struct nn_bound_control *control;
	const struct nn_bound_program *prepared;	/* the program that was run last */
	struct nn_failure failure;	/* of a program, or of a step */
	bool reports;
};

static int control_between(struct nn_control_run *run)
{
	struct controlled *controlled = run->context;

	controlled->control->state->running.step = run->step;
	controlled->control->state->running.passes = run->passes;
	return host_progress(controlled->passes, 0);
}

static int control_pass(struct nn_control_run *run, const struct nn_control_step *step)
{
	struct controlled *controlled = run->context;
	const struct nn_bound_program *program = controlled->control->programs[step->number];
	struct nn_queue *queue = controlled->passes->context;
	int error = 0;

	if (program != controlled->prepared)
		error = prepare_program(queue, program, &controlled->passes->prepared,
					&controlled->failure);
	controlled->prepared = error ? NULL : program;
	if (!error)
		error = nn_program_run(controlled->passes, &controlled->failure);
	if (error)
		return error == -1 ? -EINVAL : error;
	if (controlled->reports)
		queue->running->watch->progress(queue->running->watch->opaque, run->passes + 1);
	return 0;
}

static int run_control(struct nn_run *passes, const struct nn_bound_control *control, bool reports,
		       struct nn_failure *failure)
{
	uint32_t args[NN_ARG_COUNT_ALL] = { 0 };
	struct controlled controlled = {
		.run = {
			.control = control->control,
			.memory = control->memory,
			.arg = args,
			.between = control_between,
			.pass = control_pass,
			.context = &controlled,
		},
		.passes = passes,
		.control = control,
		.reports = reports,
	};
	int error;

	passes->arg = args;
	passes->finished = NULL;
	error = nn_control_begin(&controlled.run, control->state, &controlled.failure);
	if (!error)
		error = nn_control_run(&controlled.run, &controlled.failure);
	if (!error)
		nn_control_save(&controlled.run, control->state);
	*failure = controlled.failure;
	return error == -1 ? -EINVAL : error;
}

static int run_passes(struct nn_job *job, struct nn_run *run, bool reports)
{
	const struct nn_bound_program *program = NULL;
	struct nn_queue *queue = job->queue;
	struct nn_run_result *result = &job->result;
	struct nn_failure failure;
	uint32_t i;
	int error;

	for (i = 0; i < job->count; i++) {
		const struct nn_pass *pass = &job->passes[i];

		run->arg = pass->args;
		error = host_progress(run, 0);
		if (!error && !pass->control && pass->program != program)
			error = prepare_program(queue, pass->program, &run->prepared, &failure);
		program = pass->program;
		queue->times = pass->times;
		queue->began = pass->times ? nn_clock_ns() : 0;
		run->finished = pass->times ? host_finished : NULL;
		if (!error && pass->control)
			error = run_control(run, pass->control, reports, &failure);
		else if (!error)
			error = nn_program_run(run, &failure);
		if (error == -ECANCELED || error == -ENOMEM)
			return error;
		if (error) {
			result->fail_op = failure.op;
			result->fail_reason = failure.reason;
			return -EINVAL;
		}
		result->passes_done++;
		atomic_fetch_add(&queue->running->done,
				 pass->control ? pass->control->state->running.passes : 1);
		if (reports)
			report_progress(queue->running);
	}
	return 0;
}

static void run_job(struct running *running, uint32_t number, bool reports, bool divides)
{
	struct nn_job *job = &running->jobs[number];
	struct nn_run run = {
		.scratch = job->queue->scratch,
		.scratch_size = NN_SCRATCH_SIZE,
		.progress = host_progress,
		.divide = divides ? divide : NULL,
		.context = job->queue,
	};
	uint32_t failed;

	job->queue->running = running;
	job->queue->number = number;
	job->result = (struct nn_run_result){ .fail_op = NN_SAME_OP };
	job->error = run_passes(job, &run, reports);
	if (!job->error)
		return;
	failed = atomic_load(&running->failed);
	while (number < failed && !atomic_compare_exchange_weak(&running->failed, &failed, number))
		;
}

/* ---- All jobs ---- */

static void run_side_by_side(void *opaque, uint32_t member, uint32_t begin, uint32_t end)
{
	for (; begin < end; begin++)
		run_job(opaque, begin, !member, false);
}

void nn_host_jobs_run(struct nn_device *device, struct nn_job *jobs, uint32_t count,
		      const struct nn_watch *watch)
{
	struct nn_host_device *host = nn_host_of(device);
	struct running running = {
		.host = host,
		.jobs = jobs,
		.watch = watch,
		.failed = UINT32_MAX,
	};
	bool has_team = nn_team_take(host->team);
	uint32_t i;

	if (has_team && count > 1) {
		nn_team_run(host->team, count, 1, run_side_by_side, &running);
	} else {
		for (i = 0; i < count; i++)
			run_job(&running, i, true, has_team);
	}
	if (has_team)
		nn_team_release(host->team);
	if (atomic_load(&running.done) != running.reported)
		report_progress(&running);
}
