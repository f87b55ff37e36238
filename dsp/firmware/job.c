// SPDX-License-Identifier: MIT
/*
 * One job: its passes, each one run of a program by the interpreter.
 *
 * Nothing that comes from the client is used in place. A pass's entry is copied out of the ring,
 * its program out of the window (programs.c). Addresses are compared with the window before they
 * are touched, and the SMMU stops what the client has not mapped: the access goes nowhere, and the
 * job ends as soon as the fault is seen, at the latest when the operator ends.
 */
#include <stddef.h>

#include "dsp/firmware/job_inside.h"
#include "dsp/firmware/memory_counters.h"
#include "dsp/firmware/runtime.h"

static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

/*
 * The space that the SMMU translates for, and as of which change. space is 0 when the next job must
 * select in any case.
 */
uint32_t job_selected_space;
static uint32_t selected_generation;
static uint64_t selected_root;
static uint32_t selected_refill;	/* platform_refill_microseconds() just before */

static int run_progress(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;

	worker_write(NNLOOP_WREG_PROGRESS, worker_read(NNLOOP_WREG_PROGRESS) + 1);
	if (platform_fault.pending)
		return STOP_FAULT;
	if (names_job(NNLOOP_WREG_CANCEL_LO, job))
		return STOP_CANCEL;
	if (op != NN_SAME_OP) {
		job->op = op;
		worker_write(NNLOOP_WREG_CURRENT_OP, op);
	}
	return 0;
}

int job_barrier(struct nn_run *run)
{
	struct job *job = run->context;

	/* A fault of the last operator is this worker's, whoever ends first. */
	if (platform_fault.pending)
		return STOP_FAULT;
	switch (gang_barrier(&job->gang)) {
	case BOARD_BARRIER_COMPLETE:
		return 0;
	case BOARD_BARRIER_LEFT:
		return STOP_YIELD;
	case BOARD_BARRIER_CANCELLED:
		return STOP_CANCEL;
	default:
		return STOP_ALONE;
	}
}

/* The same where operators are counted. */
static int run_progress_counting(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;
	int stop = run_progress(run, op);

	if (op == NN_SAME_OP)
		counts_update(&job->counts);
	else
		counts_begin(&job->counts, &job->op_begin);
	return stop;
}

void job_profile_add(volatile struct nn_profile_record *record, const struct counts *begin,
			const struct counts *end)
{
	record->packets += end->packets - begin->packets;
	record->instructions += end->instructions - begin->instructions;
	record->hvx_instructions += end->hvx_instructions - begin->hvx_instructions;
	record->calls++;
}

static void run_finished(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;

	counts_update(&job->counts);
	job_profile_add(&job->profile[1 + op], &job->op_begin, &job->counts);
}

static void __attribute__((noinline)) memory_begin(struct memory_counters *begin)
{
	*begin = *memory_counters_take(MEMORY_COMMAND_LATCH);
}

/* Adds the traffic with memory since `begin` to its record. */
static void __attribute__((noinline)) memory_add(volatile struct nn_memory_record *record,
						 const struct memory_counters *begin)
{
	const volatile struct memory_counters *now = memory_counters_take(MEMORY_COMMAND_LATCH);

	record->size = now->size;
	record->fetched += (now->fetched - begin->fetched) * MEMORY_LINE;
	record->allocated += (now->allocated - begin->allocated) * MEMORY_LINE;
	record->written_back += (now->written_back - begin->written_back) * MEMORY_LINE;
}

/*
 * The same two functions where memory is counted as well, which takes no packets of the operators.
 */
static int run_progress_memory(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;

	if (op != NN_SAME_OP)
		memory_begin(&job->memory_op_begin);
	return run_progress_counting(run, op);
}

static void run_finished_memory(struct nn_run *run, uint32_t op)
{
	struct job *job = run->context;

	run_finished(run, op);
	memory_add(&job->memory[1 + op], &job->memory_op_begin);
}

/* The pass begins here: all that is counted from now on is its own. */
static void pass_begin(struct job *job)
{
	job->begun = true;
	counts_begin(&job->counts, &job->pass_begin);
}

/*
 * Returns where the records of a worker of a gang are; outside of the window if they do not fit it.
 */
static uint32_t own_profile(const struct job *job, uint32_t profile)
{
	uint64_t bytes = job->program->profile_size, place;

	if (!profile)
		return 0;
	if (job->flags & NN_PASS_MEMORY)
		bytes += bytes / sizeof(*job->profile) * sizeof(*job->memory);
	place = profile + bytes * job->gang.share.index;
	return place < NNLOOP_WINDOW_END ? place : NNLOOP_WINDOW_END;
}

/*
 * Sets where the pass's counters go: an address in the window, or 0 for none. False: that is
 * outside of the window or misaligned.
 */
static bool set_profiling(struct job *job, const struct program *program, uint32_t profile)
{
	bool profiling = profile;

	if (profiling != job->profiling) {
		job->profiling = profiling;
		job->run.progress = profiling ? run_progress_counting : run_progress;
		job->run.finished = profiling ? run_finished : NULL;
	}
	if (!profiling)
		return true;
	if (!job->begun)
		pass_begin(job);
	job->profile = (void *)(uintptr_t)profile;
	return profile % sizeof(uint64_t) == 0 && in_window(profile, program->profile_size);
}

/*
 * Sets where memory is counted, behind set_profiling(), if this pass's flags or those of the one
 * before had NN_PASS_MEMORY. False: the address is outside of the window or misaligned. Without
 * counters the records stay at zeros.
 */
static bool __attribute__((noinline)) set_memory(struct job *job, const struct program *program,
						 uint32_t profile)
{
	bool wanted = profile && job->flags & NN_PASS_MEMORY, begun = job->memory;
	uint32_t bytes = program->profile_size / sizeof(*job->profile) * sizeof(*job->memory);
	uint32_t address = profile + program->profile_size;

	job->memory = NULL;
	if (wanted && !in_window(address, bytes))
		return false;
	if (wanted && memory_counters_take(MEMORY_COMMAND_LATCH)->size)
		job->memory = (void *)(uintptr_t)address;
	if (job->memory && !begun)
		memory_begin(&job->memory_pass_begin);
	if (profile) {
		job->run.progress = job->memory ? run_progress_memory : run_progress_counting;
		job->run.finished = job->memory ? run_finished_memory : run_finished;
	}
	return true;
}

/* Two arguments at once. */
typedef uint64_t pair __attribute__((may_alias));
#define KNOWN_BYTES	offsetof(struct nnloop_cmd, pass.arg[NN_ARG_COUNT])
_Static_assert(KNOWN_BYTES % sizeof(pair) == 0, "pairs of arguments");

void job_note_stop(struct job *job, enum stop stop)
{
	static const enum nnloop_status status[] = {
		[STOP_CANCEL] = NNLOOP_STATUS_CANCELLED,
		[STOP_YIELD] = NNLOOP_STATUS_YIELDED,
		[STOP_ALONE] = NNLOOP_STATUS_ALONE,
	};

	job->result->status = status[stop];
	job->result->fail_op = stop == STOP_YIELD ? ~0u : job->op;
}

/* Why there is no program for a pass: of what ends that in between a fault goes before a cancel. */
static void note_no_program(struct job *job, const struct nn_failure *failure)
{
	if (take_fault(job))
		return;
	if (failure->reason == NN_REASON_NONE)
		job_note_stop(job, STOP_CANCEL);
	else
		refuse(job, failure->reason, failure->op);
}

bool __attribute__((noinline)) job_end_before_pass(struct job *job, bool together)
{
	int stop = together ? job_barrier(&job->run) : 0;

	if (stop && !take_fault(job)) {
		*job->result = (struct job_result){ .id = job->id };
		job_note_stop(job, stop);
	}
	return false;
}

/*
 * One pass, alone or `together` with the others of the gang, whose arguments are known. False ends
 * the job; the result says why.
 */
static inline __attribute__((always_inline)) bool
known_run(struct job *job, const struct nnloop_cmd *cmd, const bool together)
{
	uint32_t flags = cmd->pass.arg[NN_ARG_FLAGS], profile = cmd->pass.arg[NN_ARG_PROFILE];
	uint32_t address = cmd->pass.program, size = cmd->pass.program_size;
	struct nn_failure failure = { NN_REASON_NONE, ~0u };
	const struct program *program;
	int stop;

	program = job->program;
	if (!program || program->address != address || program->size != size ||
	    job->flags != flags) {
		program = program_get(&job->user, address, size, flags & NN_PASS_CONSTANT,
				      &job->run, &failure);
		if (!program) {
			note_no_program(job, &failure);
			return job_end_before_pass(job, together);
		}
		job->program = program;
		job->flags = flags;
	}

	job->run.prepared = program->prepared;
	job->run.arg = cmd->pass.arg;
	if (together)
		profile = own_profile(job, profile);
	if (!set_profiling(job, program, profile) ||
	    ((job->memory || flags & NN_PASS_MEMORY) &&
	     !set_memory(job, program, profile))) {
		refuse(job, NN_REASON_ADDRESS, ~0u);
		return job_end_before_pass(job, together);
	}

	stop = together ? nn_program_run_share(&job->run, &job->gang.share, &failure) :
			  nn_program_run(&job->run, &failure);
	if (take_fault(job))
		return false;
	if (stop < 0) {
		refuse(job, failure.reason, failure.op);
		return false;
	}
	if (together ? stop : stop == STOP_CANCEL) {
		job_note_stop(job, stop);
		return false;
	}
	job->op = ~0u;
	worker_write(NNLOOP_WREG_CURRENT_OP, ~0u);
	if (job->profiling) {
		counts_update(&job->counts);
		job_profile_add(&job->profile[0], &job->pass_begin, &job->counts);
		if (job->memory) {
			memory_add(&job->memory[0], &job->memory_pass_begin);
			memory_begin(&job->memory_pass_begin);
		}
		if (take_fault(job))
			return false;
		pass_begin(job);
	} else {
		job->begun = false;
	}
	return true;
}

bool __attribute__((noinline))
job_run_known(struct job *job, const struct nnloop_cmd *cmd, bool together)
{
	return together ? known_run(job, cmd, true) : known_run(job, cmd, false);
}

/*
 * A pass with words that a program without counts has no use for: its own may be one with counts,
 * or a control program. One that cannot be had is refused for that.
 */
static bool __attribute__((noinline))
unusual_run(struct job *job, struct nnloop_cmd *cmd, bool together)
{
	uint32_t flags = cmd->pass.arg[NN_ARG_FLAGS];
	struct nn_failure failure;
	const struct program *program;

	if (cmd->type == NNLOOP_CMD_PASS && cmd->count <= NNLOOP_MAX_ARGS &&
	    !(flags & ~(NN_PASS_CONSTANT | NN_PASS_MEMORY | NN_PASS_CONTROL))) {
		if (flags & NN_PASS_CONTROL)
			return control_run(job, cmd, together);
		program = program_get(&job->user, cmd->pass.program, cmd->pass.program_size,
				      flags & NN_PASS_CONSTANT, &job->run, &failure);
		if (!program || program_has_counts(program))
			return job_run_known(job, cmd, together);
	}
	if (!take_fault(job))
		refuse(job, NN_REASON_HEADER, ~0u);
	return job_end_before_pass(job, together);
}

/* Behind the arguments that all programs have there is nothing. */
static inline void clear_rest(struct entry *copy)
{
	pair *rest = (void *)&copy->cmd.pass.arg[NN_ARG_COUNT];

#pragma clang loop unroll(full)
	for (uint32_t i = 0; i < (sizeof(*copy) - KNOWN_BYTES) / sizeof(*rest); i++)
		rest[i] = 0;
}

/* A pass of which the rest is of interest, too. */
static bool __attribute__((noinline))
unusual_pass(struct job *job, struct entry *copy, const volatile struct nnloop_cmd *entry,
	     bool together)
{
	bool goes_on;

	*(entry_vector *)&copy->cmd = *(const volatile entry_vector *)entry;
	goes_on = unusual_run(job, &copy->cmd, together);
	clear_rest(copy);
	return goes_on;
}

/*
 * The same of any entry of the ring, with `copy` for what of it is known; the rest of that is 0. By
 * pairs, because in an emulator a vector that is stored takes as long as some hundred of them.
 */
static inline __attribute__((always_inline)) bool
pass_run(struct job *job, struct entry *copy, const volatile struct nnloop_cmd *entry,
	 const bool together)
{
	const pair *words = (const void *)entry;
	pair *known = (void *)&copy->cmd;
	struct nnloop_cmd *cmd = &copy->cmd;
	uint64_t unknown;

#pragma clang loop unroll(full)
	for (uint32_t i = 0; i < KNOWN_BYTES / sizeof(*words); i++)
		known[i] = words[i];
	/* A later library's arguments: zero asks for nothing, the rest for what is not known. */
	unknown = cmd->pass.arg[NN_ARG_FLAGS] & ~(NN_PASS_CONSTANT | NN_PASS_MEMORY);
#pragma clang loop unroll(full)
	for (uint32_t i = KNOWN_BYTES / sizeof(*words); i < sizeof(*cmd) / sizeof(*words); i++)
		unknown |= words[i];
	if (cmd->type != NNLOOP_CMD_PASS || cmd->count > NNLOOP_MAX_ARGS || unknown)
		return unusual_pass(job, copy, entry, together);
	return known_run(job, cmd, together);
}

/*
 * Check the JOB entry and make its space the one that is translated. False: the ring holds garbage.
 */
static bool job_begin(struct job *job, const volatile struct nnloop_cmd *cmd)
{
	uint32_t space = cmd->job.space;
	uint32_t generation = cmd->job.generation;
	uint64_t root = cmd->job.root;

	if (cmd->type != NNLOOP_CMD_JOB || !job->id || !space || !gang_read(&job->gang, cmd))
		return false;
	job->user.job = job->id;
	job->user.client = cmd->job.client;
	job->user.generation = cmd->job.client_generation;
	if (space != job_selected_space || generation != selected_generation || root != selected_root) {
		selected_refill = platform_refill_microseconds();
		platform_select_space(root);
		job_selected_space = space;
		selected_generation = generation;
		selected_root = root;
	}
	return true;
}

/* The passes behind the JOB entry at count `head` of the ring. */
static inline __attribute__((always_inline)) void
run_passes(struct job *job, const volatile struct nnloop_cmd *ring, uint32_t head, uint32_t passes,
	   const bool together)
{
	struct entry copy;

	clear_rest(&copy);
	for (uint32_t i = 0; i < passes; i++) {
		worker_write(NNLOOP_WREG_CURRENT_PASS, i);
		worker_write(NNLOOP_WREG_PROGRESS, worker_read(NNLOOP_WREG_PROGRESS) + 1);
		if (names_job(NNLOOP_WREG_CANCEL_LO, job)) {
			job->result->status = NNLOOP_STATUS_CANCELLED;
			break;
		}
		/* The others of a gang see it at the barrier where the pass begins. */
		if (i && !(together && job->gang.share.index) &&
		    names_job(NNLOOP_WREG_YIELD_LO, job)) {
			job->result->status = NNLOOP_STATUS_YIELDED;
			break;
		}
		if (!pass_run(job, &copy, &ring[(head + 1 + i) % NNLOOP_RING_ENTRIES], together))
			break;
		worker_write(NNLOOP_WREG_PASSES_DONE, i + 1);
	}
}

static void __attribute__((noinline))
run_passes_together(struct job *job, const volatile struct nnloop_cmd *ring, uint32_t head,
		    uint32_t passes)
{
	job->gang.share.barrier = job_barrier;
	gang_begin(job->id);
	run_passes(job, ring, head, passes, true);
	gang_end(&job->gang, job->result->status);
}

uint32_t job_run(const volatile struct nnloop_cmd *ring, uint32_t head, uint32_t available,
		 struct job_result *result)
{
	const volatile struct nnloop_cmd *cmd = &ring[head % NNLOOP_RING_ENTRIES];
	struct job job = { .result = result, .op = ~0u };
	uint32_t passes = cmd->count;

	job.id = cmd->job.id;
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

	job.run.scratch = scratch;
	job.run.scratch_size = sizeof(scratch);
	job.run.l2_bytes = platform_l2_bytes;
	job.run.progress = run_progress;
	job.run.context = &job;
	pass_begin(&job);
	if (gang_has_others(&job.gang))
		run_passes_together(&job, ring, head, passes);
	else
		run_passes(&job, ring, head, passes, false);
	worker_write(NNLOOP_WREG_REFILL_TIME, platform_refill_microseconds() - selected_refill);
	worker_write(NNLOOP_WREG_CURRENT_OP, ~0u);
	return 1 + passes;
}
