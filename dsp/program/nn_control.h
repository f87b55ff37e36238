/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The format of control programs: loops whose iterations data decide, run by the DSP itself.
 *
 * A pass with NN_PASS_CONTROL in its arguments runs a control program in place of a program. That
 * is a list of steps: run a program (nn_program.h) with the loop stack as it is, enter a loop, end
 * an iteration, skip steps. It is interpreted by dsp/program/control.c, which the firmware runs and
 * the library's host device as well. The kernel driver carries it as it carries programs.
 *
 * One block has struct nn_control, then program_count struct nn_control_program, then step_count
 * struct nn_control_step. Everything is little endian and naturally aligned. The interpreter takes
 * a private copy, checks every field of it, and never trusts the producer. What steps look at while
 * they run (a total, a condition) is in the client's memory and may change: it is read once, each
 * time.
 *
 * Loops have numbers, in the order in which their steps come. Each has an ENTER step and an END
 * step behind it; what is between is its body, and other loops are wholly inside of it or outside.
 * The loop's level is how deep that is. Loops side by side have the same level: only one of them
 * runs at a time. Counts of a loop are those of struct nn_loopcounts (libnnloop/nn_graph.h), and
 * END does what its standard loop-end function does.
 *
 * A pass of a control program can be left off between two steps, when others wait for the worker.
 * Where it is goes to its state, in the client's memory, and it goes on from there when the job
 * comes back, on any worker.
 */
#ifndef NN_CONTROL_H
#define NN_CONTROL_H

#include "dsp/program/nn_program.h"

#define NN_CONTROL_MAGIC	0x43474e4eu	/* "NNGC" */
#define NN_CONTROL_VERSION	1	/* since firmware 1.8 */

#define NN_CONTROL_MAX_PROGRAMS	1024
#define NN_CONTROL_MAX_STEPS	2048
#define NN_CONTROL_MAX_LOOPS	64

struct nn_control {
	uint32_t magic;
	uint32_t version;
	uint32_t size;			/* of the whole control program in bytes, exactly */
	uint32_t program_count;		/* at most NN_CONTROL_MAX_PROGRAMS */
	uint32_t step_count;		/* at most NN_CONTROL_MAX_STEPS */
	uint32_t loop_count;		/* at most NN_CONTROL_MAX_LOOPS */
	/* Address of a struct nn_control_state, a multiple of 128. The host device ignores it. */
	uint32_t state;
	uint32_t limit;			/* iterations of all loops together at most */
};

/* A program that steps run. The host device has its own list of them, and ignores this one. */
struct nn_control_program {
	uint32_t address;
	uint32_t size;
};

enum nn_control_kind {
	/*
	 * Run the program `number`, and count in the records at `address` (NN_ARG_PROFILE) if that
	 * is not 0. With NN_CONTROL_FIRST only in the first iteration of the loop of `level` that
	 * this step is in.
	 */
	NN_CONTROL_RUN = 1,
	/*
	 * Begin the loop `loop`, of `level`. Its total comes from `source`, and must be 0 ..
	 * `most`. An iteration has `rows` rows, with NN_CONTROL_CLIPPED no more than are left of
	 * the total. With NN_CONTROL_SKIPS a total of 0 is no iteration at all, and the loop has
	 * ended; else it is one. `target`: its END.
	 */
	NN_CONTROL_ENTER = 2,
	/*
	 * End an iteration of the loop `loop`, of `level`, whose ENTER is `target`. The loop goes
	 * on while its rows are less than its total; or, with an `address`, while the bool there is
	 * true and it has had fewer than `most` iterations (if it is true then, NN_CONTROL_STRICT
	 * says that this is an error).
	 */
	NN_CONTROL_END = 3,
	/* Go on at step `target`, which is behind this one, if the bool at `address` is false. */
	NN_CONTROL_SKIP = 4,
	/*
	 * The row count `number` is `rows` times the rows that the loop `loop` had when it ended
	 * last; or, with the source NN_CONTROL_ROWS, all rows that the count `target` has had: those
	 * that it is, and its out_first. Those that it was before go to its own out_first. With
	 * NN_CONTROL_FIRST it begins anew, with no rows and 0 for its out_first.
	 */
	NN_CONTROL_COUNT = 5,
	NN_CONTROL_KINDS
};

/* How an ENTER has its total, and a COUNT its rows. */
enum nn_control_source {
	NN_CONTROL_CONSTANT = 0,	/* `number` */
	NN_CONTROL_MEMORY = 1,		/* the element of `type` at `address` */
	NN_CONTROL_ROWS = 2,		/* the rows of level `number`, which may be a count's */
	NN_CONTROL_SOURCES
};

#define NN_CONTROL_FIRST	1u
#define NN_CONTROL_CLIPPED	2u
#define NN_CONTROL_SKIPS	4u
#define NN_CONTROL_STRICT	8u

/* A step. What its kind has no use for is 0. */
struct nn_control_step {
	uint8_t kind;			/* enum nn_control_kind */
	uint8_t level;			/* 1 .. NN_MAX_LEVELS */
	uint8_t loop;			/* below loop_count */
	uint8_t flags;			/* NN_CONTROL_* */
	uint8_t source;			/* enum nn_control_source */
	/* NN_TYPE_INT32, INT64 or BOOL; a bool is 0 or 1, and any byte but 0 is 1. */
	uint8_t type;
	uint8_t reserved[2];
	uint32_t number;
	uint32_t address;		/* a multiple of the type's size */
	uint32_t rows;
	uint32_t most;
	uint32_t target;		/* a step */
	uint32_t node;			/* the graph's id of its node, for errors and traces */
};

/* The counts of a loop. */
struct nn_control_loop {
	uint32_t itercount;		/* iterations before the current one */
	uint32_t prev;			/* rows of these */
	uint32_t current;		/* rows of the current one */
	uint32_t total;
	uint32_t prev_outer;		/* rows in earlier iterations of the loops around it */
	uint32_t ended;			/* rows that it had when it ended last */
};

struct nn_control_count {
	uint32_t rows, out_first;
};

enum nn_control_progress {
	NN_CONTROL_BEGINS = 0,
	NN_CONTROL_GOES_ON = 1,		/* it was left off before `step` */
	NN_CONTROL_DONE = 2,
};

/*
 * The state of a control program that was left off, or is done. The client clears all of it before
 * the pass. The firmware writes `running` while it runs, for whoever wants to know how far it is or
 * where it failed, and everything else when it leaves the program off, or has done it. It reads all
 * of it once when it begins the pass. A client that writes to it meanwhile makes its own results
 * wrong, and nothing else.
 */
struct nn_control_state {
	struct {
		uint32_t step;		/* that runs, or failed */
		uint32_t passes;	/* programs that were run */
	} running __attribute__((aligned(8)));
	uint32_t progress;		/* enum nn_control_progress */
	uint32_t step;
	uint32_t iterations;		/* of all loops */
	uint32_t reserved[3];
	struct nn_control_count count[NN_MAX_COUNTS];
	struct nn_control_loop loop[NN_CONTROL_MAX_LOOPS];
};

#endif
