// SPDX-License-Identifier: MIT
/*
 * Passes of control programs (dsp/program/nn_control.h): the interpreter of steps on the DSP.
 *
 * Nothing that comes from the client is used in place but what steps look at, and that is read once
 * each time. Addresses are compared with the window before the first step. Between two steps the
 * worker looks for a fault, for a cancel, and whether it is to leave the job off: then it writes
 * where it is to the program's state, and another job entry goes on from there.
 *
 * Of a gang each worker runs the same steps, with a barrier before what data decide, and the first
 * one writes the state. It leaves the job off only before a step where all come to a barrier, and
 * not before the others have begun. It also does so when they have come to many barriers, because
 * they are counted anew only when the job comes back, and a loop can have more iterations than the
 * count can hold.
 */
#include <stddef.h>

#include "dsp/firmware/job_inside.h"
#include "dsp/firmware/runtime.h"
#include "dsp/program/control.h"

/*
 * A gang's job is left off when it has come to so many barriers: rarely enough to cost nothing. Up to
 * the next look there are at most those of NN_CONTROL_MAX_STEPS programs.
 */
#define MOST_BARRIERS	(1u << 14)
_Static_assert(MOST_BARRIERS + (NN_CONTROL_MAX_STEPS + NNLOOP_MAX_PASSES) *
		       (NN_PROGRAM_MAX_SIZE / sizeof(struct nn_program_op) + 1ull) <
		       NNLOOP_PHASE_BARRIERS, "a count of barriers does not come round");

static uint8_t copy[(NN_CONTROL_MAX_SIZE + 127) & -128ul] __attribute__((aligned(128)));
static const volatile void *memory[NN_CONTROL_MAX_STEPS];
static struct nn_control_run run;

static struct {
	struct job *job;
	uint32_t id;		/* the lower half of the job's */
	struct nnloop_cmd *cmd;
	volatile struct nn_control_state *state;
	bool together;
	bool writes;		/* the state: the only worker, or the gang's first */
	bool has_moved;		/* a step was done */
} pass;

static const struct nn_control *control(void)
{
	return (const void *)copy;
}

/* The control program in the window becomes the copy, if it is right. */
static bool read_control(uint32_t address, uint32_t size, struct nn_failure *failure)
{
	const struct nn_control_step *step;

	failure->op = NN_SAME_OP;
	failure->reason = NN_REASON_ADDRESS;
	if (address % 8 || !in_window(address, size))
		return false;
	failure->reason = NN_REASON_HEADER;
	if (size < sizeof(struct nn_control) || size > NN_CONTROL_MAX_SIZE)
		return false;
	memcpy(copy, (const void *)(uintptr_t)address, size);
	if (platform_fault.pending || nn_control_check(copy, size, failure))
		return false;
	failure->reason = NN_REASON_ADDRESS;
	if (control()->state % 128 ||
	    !in_window(control()->state, sizeof(struct nn_control_state)))
		return false;
	step = nn_control_steps(control());
	for (uint32_t i = 0; i < control()->step_count; i++) {
		uint32_t bytes = nn_control_step_bytes(&step[i]);

		failure->op = i;
		if (bytes && !in_window(step[i].address, bytes))
			return false;
		memory[i] = (const void *)(uintptr_t)step[i].address;
	}
	return true;
}

/* Whether the workers of a gang meet at this step, which is a RUN, ENTER or END. */
static bool meet(void)
{
	const struct nn_control_step *step = &nn_control_steps(control())[run.step];

	return step->kind != NN_CONTROL_ENTER || step->source == NN_CONTROL_MEMORY;
}

/* A register may have the job's id: whether it is told to stop. */
static int __attribute__((noinline)) look(void)
{
	if (names_job(NNLOOP_WREG_CANCEL_LO, pass.job))
		return STOP_CANCEL;
	if (pass.writes && names_job(NNLOOP_WREG_YIELD_LO, pass.job) && pass.has_moved &&
	    (!pass.together || meet()))
		return STOP_YIELD;
	return 0;
}

static int between(struct nn_control_run *unused)
{
	uint32_t block = platform_worker_block, id = pass.id;

	(void)unused;
	board_write(block + NNLOOP_WREG_PROGRESS, board_read(block + NNLOOP_WREG_PROGRESS) + 1);
	if (platform_fault.pending)
		return STOP_FAULT;
	if (board_read(block + NNLOOP_WREG_CANCEL_LO) == id ||
	    board_read(block + NNLOOP_WREG_YIELD_LO) == id) {
		int stop = look();

		if (stop)
			return stop;
	}
	pass.has_moved = true;
	if (!pass.writes)
		return 0;
	pass.state->running.step = run.step;
	pass.state->running.passes = run.passes;
	return 0;
}

static int run_program(struct nn_control_run *unused, const struct nn_control_step *step)
{
	const struct nn_control_program *program = &nn_control_programs(control())[step->number];
	struct nnloop_cmd *cmd = pass.cmd;

	(void)unused;
	/* Its counters begin with it: what was between it and the pass before is the control program's. */
	pass.job->begun = false;
	cmd->pass.program = program->address;
	cmd->pass.program_size = program->size;
	cmd->pass.arg[NN_ARG_PROFILE] = step->address;
	return job_run_known(pass.job, cmd, pass.together) ? 0 : STOP_ENDED;
}

static int wait_for_others(struct nn_control_run *unused)
{
	(void)unused;
	/* The others see at this barrier that the first one leaves. */
	if (pass.writes && pass.job->gang.barriers >= MOST_BARRIERS)
		return STOP_YIELD;
	return job_barrier(&pass.job->run);
}

/* Whether the entry has nothing that control programs have no use for. */
static bool is_known(const struct nnloop_cmd *cmd)
{
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < NNLOOP_MAX_ARGS; i++) {
		if (i != NN_ARG_PROFILE && i != NN_ARG_FLAGS)
			unknown |= cmd->pass.arg[i];
	}
	return !unknown;
}

/* Runs the steps that are left: what nn_control_run() returns. */
static int run_steps(struct nn_failure *failure)
{
	int stop = nn_control_begin(&run, pass.state, failure);

	/* All have read the state before the first writes to it. */
	if (!stop && pass.together)
		stop = job_barrier(&pass.job->run);
	if (!stop)
		stop = nn_control_run(&run, failure);
	if (pass.writes && (!stop || stop == STOP_YIELD))
		nn_control_save(&run, pass.state);
	return stop;
}

bool control_run(struct job *job, struct nnloop_cmd *cmd, bool together)
{
	uint32_t profile = cmd->pass.arg[NN_ARG_PROFILE];
	volatile struct nn_profile_record *record = (void *)(uintptr_t)profile;
	struct nn_failure failure = { NN_REASON_HEADER, ~0u };
	struct counts begin;
	int stop;

	counts_begin(&job->counts, &begin);
	if (!is_known(cmd) ||
	    !read_control(cmd->pass.program, cmd->pass.program_size, &failure)) {
		if (!take_fault(job))
			refuse(job, failure.reason, failure.op);
		return job_end_before_pass(job, together);
	}
	if (profile && (profile % sizeof(uint64_t) || !in_window(profile, sizeof(*record)))) {
		refuse(job, NN_REASON_ADDRESS, ~0u);
		return job_end_before_pass(job, together);
	}
	pass.job = job;
	pass.id = job->id;
	pass.cmd = cmd;
	pass.state = (void *)(uintptr_t)control()->state;
	pass.together = together;
	pass.writes = !together || !job->gang.share.index;
	pass.has_moved = false;
	cmd->pass.arg[NN_ARG_FLAGS] &= ~NN_PASS_CONTROL;
	run.control = control();
	run.memory = memory;
	run.arg = cmd->pass.arg;
	run.between = between;
	run.pass = run_program;
	run.barrier = together ? wait_for_others : NULL;
	stop = run_steps(&failure);
	if (stop == STOP_ENDED)
		return false;
	if (profile && pass.writes) {
		counts_update(&job->counts);
		job_profile_add(record, &begin, &job->counts);
	}
	/* What is said of the passes of a job behind this one is 0 again. */
	for (uint32_t i = NNLOOP_MAX_ARGS; i < NN_ARG_COUNT_ALL; i++)
		cmd->pass.arg[i] = 0;
	if (take_fault(job))
		return false;
	if (stop < 0)
		refuse(job, failure.reason, failure.op);
	else if (stop)
		job_note_stop(job, stop);
	return !stop;
}
