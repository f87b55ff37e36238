/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The interpreter of control programs (nn_control.h): checks one and runs it step by step. One
 * source for the firmware and the library's host device, like the interpreter of programs.
 *
 * It allocates nothing and keeps no state of its own. The caller owns every struct here.
 */
#ifndef NN_CONTROL_INTERPRETER_H
#define NN_CONTROL_INTERPRETER_H

#include "dsp/program/interpreter.h"
#include "dsp/program/nn_control.h"

#define NN_CONTROL_MAX_SIZE (sizeof(struct nn_control) + \
			     NN_CONTROL_MAX_PROGRAMS * sizeof(struct nn_control_program) + \
			     NN_CONTROL_MAX_STEPS * sizeof(struct nn_control_step))

static inline const struct nn_control_program *
nn_control_programs(const struct nn_control *control)
{
	return (const struct nn_control_program *)(control + 1);
}

static inline const struct nn_control_step *nn_control_steps(const struct nn_control *control)
{
	return (const struct nn_control_step *)(nn_control_programs(control) +
						control->program_count);
}

/*
 * The bytes of memory that a step looks at, at its address; 0: none. (The records of a RUN are the
 * program's matter.)
 */
uint32_t nn_control_step_bytes(const struct nn_control_step *step);

/*
 * Check everything about a control program but its addresses. `control` must be memory that nobody
 * else can write, aligned to 8; `size` its length in bytes. 0, or -1 with *failure filled in, whose
 * `op` is a step.
 */
int nn_control_check(const void *control, uint32_t size, struct nn_failure *failure);

/* A run of a checked control program: what it needs, and whom it tells. */
struct nn_control_run {
	const struct nn_control *control;
	/*
	 * Where the memory is that steps look at, by step; not looked at for those that have none.
	 * It may change at any time.
	 */
	const volatile void *const *memory;
	/*
	 * The arguments of the pass to come, NN_ARG_COUNT_ALL of them. Those of levels and counts
	 * are the run's; in the beginning they are 0.
	 */
	uint32_t *arg;

	/*
	 * Called before each ENTER and END, and each RUN that this iteration does not leave out.
	 * Non-zero ends the run at once with that value: a cancel, a fault, or that the program is
	 * left off, for which nn_control_save() is called then.
	 */
	int (*between)(struct nn_control_run *run);
	/* Runs a program as a RUN step says, with the arguments as they are. 0, or ends the run. */
	int (*pass)(struct nn_control_run *run, const struct nn_control_step *step);
	/*
	 * Several workers can run the program together, each with a struct nn_control_run of its
	 * own. Then this waits as nn_share.barrier() does, before what data decide and where an
	 * iteration ends. NULL: there are no others.
	 */
	int (*barrier)(struct nn_control_run *run);
	void *context;			/* the caller's */

	/* Where it is; nn_control_begin() sets it. */
	uint32_t step;			/* that runs, or is next */
	uint32_t passes;		/* programs that were run */
	uint32_t iterations;		/* that were begun */
	const struct nn_control_loop *active[1 + NN_MAX_LEVELS];	/* by level */
	struct nn_control_loop loop[NN_CONTROL_MAX_LOOPS];
	struct nn_control_count count[NN_MAX_COUNTS];
};

/*
 * Begins a run at the beginning or where the state says that it was left off. 0, or -1 with
 * *failure filled in if that is nowhere.
 */
int nn_control_begin(struct nn_control_run *run, const volatile struct nn_control_state *state,
		     struct nn_failure *failure);

/*
 * Runs all that is left. 0; -1 with *failure filled in; or what a callback returned. run->step is
 * where it ended.
 */
int nn_control_run(struct nn_control_run *run, struct nn_failure *failure);

/* Writes where it is to the state: done with all steps, or left off. */
void nn_control_save(const struct nn_control_run *run, volatile struct nn_control_state *state);

#endif
