/* SPDX-License-Identifier: MIT */
/*
 * A submission: passes are collected as the run loop comes to them, and go down to the device
 * together.
 *
 * It is due when something on the host is going to look at data (an operator of the
 * application's, an LCN that is not static, a loop end that is not the default), when it is as
 * long as the device takes, and at the end. So a nest of static loops is one submission, and of
 * a nest with a data-dependent loop around static ones, all passes of the inner ones between two
 * pushes of the outer.
 *
 * Where the plan has several streams, the passes of a submission are cut into as many jobs,
 * which run side by side, between iterations of the outermost loop. What was collected of one
 * iteration in an earlier submission is in the arena of that submission's last job: so the first
 * job of the next one goes to the same stream.
 */
#ifndef NN_SUBMISSION_H
#define NN_SUBMISSION_H

#include "plan/plan.h"

/* The origin of a pass: what it is in the graph. */
struct nn_pass_origin {
	const struct nn_part *part;
	uint32_t iteration;		/* of the outermost loop, of those in the submission */
	uint32_t depth;			/* loops that are running */
	struct nn_loopcounts counts[NN_MAX_LOOPSTACK];
};

/* An execution has one, and uses it again and again. */
struct nn_submission {
	struct nn_graph *graph;
	struct nn_plan *plan;
	struct nn_pass *passes;		/* for the device */
	struct nn_pass_origin *origins;	/* and what they are, one for each */
	uint32_t count, max;
	uint64_t iteration;		/* of the last pass */
	uint32_t stream_count;		/* that have a queue */
	uint32_t stream;		/* the last pass's that was run */
	uint64_t profile_used;
	bool on_cpu;			/* between begin and end of CPU access */
	uint64_t total;			/* passes of the execution, 0: not known */
	struct nn_execution_stats stats;	/* of the execution so far, but for pushes */
};

/* Initializes a submission for the plan that the graph has, which is bound to a device. */
int nn_submission_init(struct nn_submission *submission, struct nn_graph *graph);
void nn_submission_free(struct nn_submission *submission);
/* A pass of a part, with the loop stack as it is, in this iteration of the outermost loop. Runs
 * what was collected if there is no room. */
int nn_submission_add(struct nn_submission *submission, const struct nn_part *part,
		      uint64_t iteration);
/* Run what was collected, and wait for it. */
int nn_submission_run(struct nn_submission *submission);

/* The watch's progress of a job of the submission. */
void nn_submission_report(void *opaque, uint32_t passes_done);
/*
 * Says how a job of the submission has failed: `done` passes of the execution are complete, and pass
 * number `failed`, from 1, has not been; 0: it is not known. `node` is where, or NULL. Its error.
 */
int nn_submission_describe(struct nn_submission *submission, const struct nn_job *job,
			   const struct nn_node *node, uint64_t done, uint64_t failed);

/* Returns the arena of the last pass that was run, for the CPU. */
uint8_t *nn_submission_arena(const struct nn_submission *submission);

/* The CPU is going to look at data, and is done; all passes are complete. Twice is as good as
 * once, and nn_submission_run() ends it. */
void nn_submission_begin_cpu(struct nn_submission *submission);
void nn_submission_end_cpu(struct nn_submission *submission);

#endif
