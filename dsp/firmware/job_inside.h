/* SPDX-License-Identifier: MIT */
/* A job that runs: what job.c and control.c share. */
#ifndef JOB_INSIDE_H
#define JOB_INSIDE_H

#include "dsp/firmware/counters.h"
#include "dsp/firmware/gang.h"
#include "dsp/firmware/job.h"
#include "dsp/firmware/memory_counters.h"
#include "dsp/firmware/platform.h"
#include "dsp/firmware/programs.h"
#include "dsp/program/interpreter.h"
#include "dsp/program/nn_control.h"

/* A callback returns one of these to end the run; nn_program_run() hands it through. */
enum stop {
	STOP_CANCEL = 1,
	STOP_FAULT = 2,
	STOP_YIELD = 3,		/* the gang leaves the job off */
	STOP_ALONE = 4,
	STOP_ENDED = 5,		/* the job's result says how */
};

struct job {
	uint64_t id;
	struct gang gang;
	uint32_t op;			/* the operator that runs, ~0 if none */
	struct program_user user;
	const struct program *program;	/* of the pass before, */
	uint32_t flags;			/* and its NN_PASS_* */
	struct nn_run run;
	bool profiling;
	struct counts counts;
	struct counts op_begin;
	struct counts pass_begin;	/* the end of the pass before: nothing is left out */
	/* It is, as that one was counted, too. Passes of a control program begin by themselves. */
	bool begun;
	volatile struct nn_profile_record *profile;	/* in the window */
	volatile struct nn_memory_record *memory;	/* likewise; NULL: not counted */
	struct memory_counters memory_op_begin;
	struct memory_counters memory_pass_begin;
	struct job_result *result;
};

/* The space that the SMMU translates for; 0 when the next job must select in any case. */
extern uint32_t job_selected_space;

static inline void refuse(struct job *job, enum nn_program_reason reason, uint32_t op)
{
	job->result->status = NNLOOP_STATUS_BAD_PROGRAM;
	job->result->fail_reason = reason;
	job->result->fail_op = op;
}

/* Whether a pair of registers has the job's id. */
static inline bool names_job(uint32_t reg_lo, const struct job *job)
{
	return worker_read(reg_lo) == (uint32_t)job->id &&
	       worker_read(reg_lo + 4) == (uint32_t)(job->id >> 32);
}

/*
 * If there was a fault, end the job with it. A fault explains everything that was read after it, so
 * it goes before other errors.
 */
static inline bool take_fault(struct job *job)
{
	if (!platform_fault.pending)
		return false;
	job->result->status = NNLOOP_STATUS_FAULT;
	job->result->fault_address = platform_fault.address;
	job->result->fault_access = platform_fault.access;
	job->result->fail_op = job->op;
	job->result->fail_reason = NN_REASON_NONE;
	platform_fault.pending = 0;
	job_selected_space = 0;
	return true;
}

/* An entry of the ring is a vector, and its arguments beyond `count` are 0. */
typedef uint32_t entry_vector __attribute__((vector_size(sizeof(struct nnloop_cmd)), may_alias));

/* A pass's entry, and behind it the arguments that an entry has no room for, which are 0. */
struct entry {
	struct nnloop_cmd cmd;
	entry_vector beyond;
} __attribute__((aligned(sizeof(entry_vector))));
_Static_assert(NNLOOP_MAX_ARGS * sizeof(uint32_t) + sizeof(entry_vector) >=
		       NN_ARG_COUNT_ALL * sizeof(uint32_t), "room for all arguments");
_Static_assert(offsetof(struct entry, cmd.pass.arg[NNLOOP_MAX_ARGS]) ==
		       offsetof(struct entry, beyond), "arguments go on behind the entry");
/*
 * One pass with known arguments: see known_run(). False: the job has ended, as its result says.
 */
bool job_run_known(struct job *job, const struct nnloop_cmd *cmd, bool together);

/*
 * A pass of a control program, with its entry in a struct entry's `cmd`; likewise.
 */
bool control_run(struct job *job, struct nnloop_cmd *cmd, bool together);

/*
 * A pass cannot begin, as the result says; always false. Of a gang that is said at the barrier for
 * the pass, so that they have done the one before: what may end that goes first.
 */
bool job_end_before_pass(struct job *job, bool together);

/* Waits at the barrier between operators that several workers run, and where a pass begins. */
int job_barrier(struct nn_run *run);

/* Notes how a pass was stopped that did not fail by itself. */
void job_note_stop(struct job *job, enum stop stop);

/* Adds what was counted between `begin` and `end` to a profile's record. */
void job_profile_add(volatile struct nn_profile_record *record, const struct counts *begin,
		     const struct counts *end);

#endif
