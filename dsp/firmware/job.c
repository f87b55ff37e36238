// SPDX-License-Identifier: MIT
/*
 * One job: its passes, each one run of a program by the interpreter.
 *
 * Nothing that comes from the client is used in place. A pass's arguments are copied out of the
 * ring; a program is copied out of the window, checked, and kept with its regions resolved for as
 * long as the job lasts, so that the passes of a loop do not pay for it again. Addresses are
 * compared with the window before they are touched, and the SMMU stops what the client has not
 * mapped: the access goes nowhere, and the job ends as soon as the fault is seen, at the latest
 * when the operator ends.
 */
#include <stddef.h>

#include "counters.h"
#include "dsp/interpreter.h"
#include "job.h"
#include "platform.h"
#include "runtime.h"

#define SLOTS		8
#define MAX_REGIONS	(NN_PROGRAM_MAX_SIZE / sizeof(struct nn_program_region))

/* What a progress callback returns to end the run; nn_program_run() hands it through. */
enum stop {
	STOP_CANCEL = 1,
	STOP_FAULT = 2,
};

/* A checked private copy of a program, valid for one job. */
struct program {
	uint32_t address;
	uint32_t size;
	struct nn_memory memory[MAX_REGIONS];
	uint8_t copy[NN_PROGRAM_MAX_SIZE] __attribute__((aligned(128)));
};

static struct program programs[SLOTS];
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

struct job {
	uint64_t id;
	uint32_t program_count;		/* of programs[] that are valid */
	uint32_t program_next;		/* the one to give up next when all are */
	uint32_t op;			/* the operator that runs, ~0 if none */
	uint32_t progress;
	bool profiling;
	struct counters op_counters;
	struct counters pass_counters;	/* since the end of the pass before: nothing is left out */
	volatile struct nn_profile_record *profile;	/* in the window */
	struct job_result *result;
};

/*
 * The space that the SMMU translates for, and as of which change. space is 0 when the next job must
 * select in any case.
 */
static uint32_t selected_space;
static uint32_t selected_generation;
static uint64_t selected_root;

static bool in_window(uint32_t address, uint64_t size)
{
	return address >= NNLOOP_WINDOW_BASE && address <= NNLOOP_WINDOW_END &&
	       size <= NNLOOP_WINDOW_END - address;
}

static void refuse(struct job *job, enum nn_program_reason reason, uint32_t op)
{
	job->result->status = NNLOOP_STATUS_BAD_PROGRAM;
	job->result->fail_reason = reason;
	job->result->fail_op = op;
}

/* Whether a pair of registers has the job's id. */
static bool names_job(uint32_t reg_lo, const struct job *job)
{
	return worker_read(reg_lo) == (uint32_t)job->id &&
	       worker_read(reg_lo + 4) == (uint32_t)(job->id >> 32);
}

/*
 * If there was a fault, end the job with it. A fault explains everything that was read after it, so
 * it goes before other errors.
 */
static bool take_fault(struct job *job)
{
	if (!platform_fault.pending)
		return false;
	job->result->status = NNLOOP_STATUS_FAULT;
	job->result->fault_address = platform_fault.address;
	job->result->fault_access = platform_fault.access;
	job->result->fail_op = job->op;
	job->result->fail_reason = NN_REASON_NONE;
	platform_fault.pending = 0;
	selected_space = 0;
	return true;
}

/* Resolve the regions of a checked program. */
static int program_resolve(struct job *job, struct program *program)
{
	const struct nn_program *header = (const void *)program->copy;
	const struct nn_program_region *region = (const void *)(header + 1);
	uint32_t i;

	for (i = 0; i < header->region_count; i++) {
		if (!in_window(region[i].base, region[i].size)) {
			refuse(job, NN_REASON_ADDRESS, ~0u);
			return -1;
		}
		program->memory[i].base = (uint8_t *)(uintptr_t)region[i].base;
		program->memory[i].size = region[i].size;
		program->memory[i].writable = region[i].flags & NN_REGION_WRITABLE;
	}
	return 0;
}

/* The job's copy of the program at `address`. NULL: refused or faulted. */
static struct program *program_get(struct job *job, uint32_t address, uint32_t size)
{
	struct nn_failure failure = { NN_REASON_NONE, ~0u };
	struct program *program;
	uint32_t i;

	for (i = 0; i < job->program_count; i++)
		if (programs[i].address == address && programs[i].size == size)
			return &programs[i];

	/* From here on every failure ends the job, and with it the validity of all copies. */
	if (address % 8 || !in_window(address, size)) {
		refuse(job, NN_REASON_ADDRESS, ~0u);
		return NULL;
	}
	if (size < sizeof(struct nn_program) || size > NN_PROGRAM_MAX_SIZE) {
		refuse(job, NN_REASON_HEADER, ~0u);
		return NULL;
	}

	if (job->program_count < SLOTS) {
		program = &programs[job->program_count];
	} else {
		program = &programs[job->program_next];
		job->program_next = (job->program_next + 1) % SLOTS;
	}
	memcpy(program->copy, (const void *)(uintptr_t)address, size);
	if (take_fault(job))
		return NULL;
	if (nn_program_check(program->copy, size, &failure)) {
		refuse(job, failure.reason, failure.op);
		return NULL;
	}
	if (program_resolve(job, program))
		return NULL;
	program->address = address;
	program->size = size;
	if (job->program_count < SLOTS)
		job->program_count++;
	return program;
}

static int run_progress(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;

	worker_write(NNLOOP_WREG_PROGRESS, ++job->progress);
	if (platform_fault.pending)
		return STOP_FAULT;
	if (names_job(NNLOOP_WREG_CANCEL_LO, job))
		return STOP_CANCEL;
	if (op == NN_SAME_OP) {
		if (job->profiling)
			counters_update(&job->op_counters);
		return 0;
	}
	job->op = op;
	worker_write(NNLOOP_WREG_CURRENT_OP, op);
	if (job->profiling) {
		counters_update(&job->pass_counters);
		counters_start(&job->op_counters);
	}
	return 0;
}

static void profile_add(volatile struct nn_profile_record *record, const struct counters *c)
{
	record->packets += c->packets;
	record->instructions += c->instructions;
	record->hvx_instructions += c->hvx_instructions;
	record->calls++;
}

static void run_finished(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;

	if (!job->profiling)
		return;
	counters_update(&job->op_counters);
	profile_add(&job->profile[1 + op], &job->op_counters);
}

/* One pass. False ends the job; the result says why. */
static bool pass_run(struct job *job, const volatile struct nnloop_cmd *cmd)
{
	struct nn_failure failure = { NN_REASON_NONE, ~0u };
	uint32_t arg[NN_ARG_COUNT];
	struct program *program;
	struct nn_run run;
	uint32_t count = cmd->count;
	uint32_t address = cmd->pass.program;
	uint32_t size = cmd->pass.program_size;
	uint32_t i;
	int stop;

	if (cmd->type != NNLOOP_CMD_PASS || count > NNLOOP_MAX_ARGS) {
		if (!take_fault(job))
			refuse(job, NN_REASON_HEADER, ~0u);
		return false;
	}
	for (i = 0; i < NN_ARG_COUNT; i++)
		arg[i] = i < count ? cmd->pass.arg[i] : 0;
	/* A later library's arguments: zero asks for nothing, the rest for what is not known here. */
	for (; i < count; i++) {
		if (cmd->pass.arg[i]) {
			refuse(job, NN_REASON_HEADER, ~0u);
			return false;
		}
	}

	job->profiling = arg[NN_ARG_PROFILE];
	program = program_get(job, address, size);
	if (!program)
		return false;

	run.program = (const void *)program->copy;
	run.memory = program->memory;
	run.arg = arg;
	run.scratch = scratch;
	run.scratch_size = sizeof(scratch);
	run.progress = run_progress;
	run.finished = run_finished;
	run.context = job;
	if (job->profiling) {
		job->profile = (void *)(uintptr_t)arg[NN_ARG_PROFILE];
		if (arg[NN_ARG_PROFILE] % sizeof(uint64_t) ||
		    !in_window(arg[NN_ARG_PROFILE], (1ull + run.program->op_count) *
						     sizeof(struct nn_profile_record))) {
			refuse(job, NN_REASON_ADDRESS, ~0u);
			return false;
		}
	}

	stop = nn_program_run(&run, &failure);
	if (take_fault(job))
		return false;
	if (stop < 0) {
		refuse(job, failure.reason, failure.op);
		return false;
	}
	if (stop == STOP_CANCEL) {
		job->result->status = NNLOOP_STATUS_CANCELLED;
		job->result->fail_op = job->op;
		return false;
	}
	job->op = ~0u;
	worker_write(NNLOOP_WREG_CURRENT_OP, ~0u);
	if (job->profiling) {
		counters_update(&job->pass_counters);
		profile_add(&job->profile[0], &job->pass_counters);
		if (take_fault(job))
			return false;
	}
	counters_start(&job->pass_counters);
	return true;
}

/*
 * Check the JOB entry and make its space the one that is translated. False: the ring holds garbage.
 */
static bool job_begin(struct job *job, const volatile struct nnloop_cmd *cmd)
{
	uint32_t space = cmd->job.space;
	uint32_t generation = cmd->job.generation;
	uint64_t root = cmd->job.root;

	if (cmd->type != NNLOOP_CMD_JOB || !job->id || !space)
		return false;
	if (space != selected_space || generation != selected_generation || root != selected_root) {
		platform_select_space(root);
		selected_space = space;
		selected_generation = generation;
		selected_root = root;
	}
	return true;
}

uint32_t job_run(const volatile struct nnloop_cmd *ring, uint32_t head, uint32_t available,
		 struct job_result *result)
{
	const volatile struct nnloop_cmd *cmd = &ring[head % NNLOOP_RING_ENTRIES];
	struct job job = { .result = result, .op = ~0u };
	uint32_t begin = platform_microseconds(), second = begin;
	uint32_t passes = cmd->count;
	uint32_t i;

	job.id = cmd->job.id;
	job.progress = worker_read(NNLOOP_WREG_PROGRESS);
	memset(result, 0, sizeof(*result));
	result->id = job.id;
	result->status = NNLOOP_STATUS_OK;
	result->fail_op = ~0u;
	worker_write(NNLOOP_WREG_PASSES_DONE, 0);
	worker_write(NNLOOP_WREG_CURRENT_OP, ~0u);

	if (cmd->type == NNLOOP_CMD_EMPTY)
		return 1;
	if (available > NNLOOP_RING_ENTRIES || passes >= available || !job_begin(&job, cmd)) {
		if (!take_fault(&job))
			refuse(&job, NN_REASON_HEADER, ~0u);
		return available;
	}

	counters_start(&job.pass_counters);
	for (i = 0; i < passes; i++) {
		worker_write(NNLOOP_WREG_CURRENT_PASS, i);
		worker_write(NNLOOP_WREG_PROGRESS, ++job.progress);
		if (names_job(NNLOOP_WREG_CANCEL_LO, &job)) {
			result->status = NNLOOP_STATUS_CANCELLED;
			break;
		}
		if (i && names_job(NNLOOP_WREG_YIELD_LO, &job)) {
			result->status = NNLOOP_STATUS_YIELDED;
			break;
		}
		if (!pass_run(&job, &ring[(head + 1 + i) % NNLOOP_RING_ENTRIES]))
			break;
		worker_write(NNLOOP_WREG_PASSES_DONE, i + 1);
		if (!i)
			second = platform_microseconds();
	}
	worker_write(NNLOOP_WREG_FIRST_PASS_TIME, second - begin);
	worker_write(NNLOOP_WREG_OTHER_PASSES_TIME, platform_microseconds() - second);
	worker_write(NNLOOP_WREG_CURRENT_OP, ~0u);
	return 1 + passes;
}
