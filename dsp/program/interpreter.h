/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The interpreter: checks a program, prepares it, and runs it pass by pass. One source for the
 * firmware and the library's host device; only the kernels behind it (struct nn_kernel,
 * dsp/program/kernels.h) differ: vector code on the DSP, portable C on the host.
 *
 * It allocates nothing and keeps no state of its own. The caller owns every struct here.
 */
#ifndef NN_INTERPRETER_H
#define NN_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/nn_program.h"

/* A region as the interpreter can touch it. */
struct nn_memory {
	uint8_t *base;
	uint64_t size;		/* bytes; at least the program's region size */
	bool writable;
};

/* A failure: what went wrong, for the driver's status call and the library's sentence. */
struct nn_failure {
	enum nn_program_reason reason;
	uint32_t op;		/* index in the program, ~0: none in particular */
};

/*
 * Check everything about a program that does not depend on a pass. `program` must be memory that
 * nobody else can write (the firmware's private copy), aligned to 8; `size` its length in bytes. 0,
 * or -1 with *failure filled in. All sums and products in 64 bits.
 */
int nn_program_check(const void *program, uint32_t size, struct nn_failure *failure);

struct nn_run;

/*
 * The same of a program that may be long: run->progress() is asked every few operators, and what it
 * returns ends the check with that value, if it is not 0, and no reason in *failure. Nothing else
 * of *run is looked at.
 */
int nn_program_check_long(const void *program, uint32_t size, struct nn_run *run,
			  struct nn_failure *failure);

/*
 * The inputs of an operator that can have a pitch, a bit for each (NN_PITCHED in
 * dsp/program/operators.h).
 */
uint32_t nn_opcode_pitched_inputs(uint32_t opcode);

/* Whether a checked program's passes have arguments for row counts. */
static inline bool nn_program_has_counts(const struct nn_program *program)
{
	return program->version == NN_PROGRAM_VERSION_COUNTS;
}

/* Whether results of 8 and 16 bits are clamped (NN_CLAMPED in dsp/program/operators.h). */
bool nn_opcode_is_clamped(uint32_t opcode);

/*
 * A checked program that is ready to be run, any number of times: each operator's kernel is found,
 * and its operands are resolved as far as no pass changes them.
 */
struct nn_prepared;

/* Returns how much memory that takes, at most NN_PREPARED_MAX_SIZE. */
#define NN_PREPARED_MAX_SIZE	(12u << 20)

uint32_t nn_program_prepared_size(const struct nn_program *program);

/*
 * Prepare a checked program. `memory`: one for each region, which is looked at now only. `room`:
 * nn_program_prepared_size() bytes, aligned to 8. Program, room and what the regions' memory points
 * at must stay where they are for as long as the result is used. NULL with *failure filled in if
 * the memory is not what the program's regions need.
 */
struct nn_prepared *nn_program_prepare(const struct nn_program *program,
				       const struct nn_memory *memory, void *room,
				       struct nn_failure *failure);

/* The same with nn_program_check_long()'s `run`. NULL without a reason: it has ended it. */
struct nn_prepared *nn_program_prepare_long(const struct nn_program *program,
					    const struct nn_memory *memory, void *room,
					    struct nn_run *run, struct nn_failure *failure);

struct nn_call;

/* Does the units begin .. end - 1 of a call's work: 0, or what ended it. */
typedef int nn_run_units(const struct nn_call *call, uint32_t begin, uint32_t end);

/* A run of a prepared program: what it needs, and whom it tells. */
struct nn_run {
	struct nn_prepared *prepared;		/* of one run at a time */
	const uint32_t *arg;	/* NN_ARG_COUNT, or NN_ARG_COUNT_ALL where there are counts */
	void *scratch;				/* for kernels, aligned to 128 */
	uint32_t scratch_size;			/* at least NN_SCRATCH_SIZE */
	uint32_t l2_bytes;			/* bytes of the L2 cache; 0: not known */

	/*
	 * Called before every operator (op = its index), but for those whose work the one before
	 * does as well (nn_call_fuses()), and at least once per tile within it (op = NN_SAME_OP).
	 * Non-zero ends the run at once with that value: a cancel, a fault, a request to stop. The
	 * host device may leave it NULL.
	 */
	int (*progress)(struct nn_run *run, uint32_t op);
	/* Called after every operator that ran; the caller takes its counters here. May be NULL. */
	void (*finished)(struct nn_run *run, uint32_t op);
	/*
	 * Divides a call; for the host's kernels alone (libnnloop/device/host/kernels.c), which
	 * hand over what is in several units: to have `units` do those from 0 to count - 1, in any
	 * order, also at the same time. They write disjoint bytes, and read what none of them
	 * writes. Whoever does some has a call of its own, with the same `run` and other scratch
	 * memory. `work` is about how many nanoseconds one thread takes for all. Returns 0, or what
	 * one of them did. May be NULL.
	 */
	int (*divide)(const struct nn_call *call, uint32_t count, uint64_t work,
		      nn_run_units *units);
	void *context;				/* the caller's */
};
#define NN_SAME_OP	(~0u)
#define NN_SCRATCH_SIZE	(256u << 10)

/*
 * Run one pass. 0; -1 with *failure filled in if this pass's rows do not fit (nothing was written
 * then); or what progress() returned. An operator whose outputs have 0 rows does nothing.
 */
int nn_program_run(struct nn_run *run, struct nn_failure *failure);

/* One of several workers that run a pass together. */
struct nn_share {
	uint32_t index, count;		/* index < count */

	/*
	 * Returns 0 when all workers have called it as often as this one, and what they wrote
	 * before can be read; or non-zero to end the run with that value, as progress() does: when
	 * another one has ended, too, which would not come any more. The first call of a pass is
	 * where it begins, and each pass has that one at least.
	 */
	int (*barrier)(struct nn_run *run);
};

/*
 * Run one worker's share of a pass. Each of them has a struct nn_prepared, scratch memory and a
 * struct nn_run of its own; programs, arguments and what the regions' memory points at are the
 * same. Operators that can be divided are (dsp/program/share.h), the others are run by worker 0. There
 * is a barrier where a pass begins, so that the one before has ended, and between two operators,
 * unless worker 0 runs both: whatever one reads or overwrites may be another's. Of operators that
 * this worker has no share in progress() and finished() hear nothing. The pass has ended when 0 was
 * returned to all of them, and failed when one has failed.
 */
int nn_program_run_share(struct nn_run *run, const struct nn_share *share,
			 struct nn_failure *failure);

/*
 * Returns how many parts of equal work an operator of a checked program has for that, in a pass of
 * the most rows: 1 if it cannot be divided.
 */
uint32_t nn_program_count_parts(const struct nn_program *program, uint32_t op);

/* Whether the DSP computes an operator of a checked program with vectors (nn_call_has_vectors()). */
bool nn_program_op_has_vectors(const struct nn_program *program, uint32_t op);

#endif
