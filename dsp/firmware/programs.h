/* SPDX-License-Identifier: MIT */
/* Checked copies of programs, ready to be run. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/interpreter.h"

/* Who uses programs. */
struct program_user {
	uint64_t job;
	uint64_t client;		/* 0: not known */
	uint64_t generation;		/* of the client's space */
};

struct program {
	uint32_t address;		/* in the window; 0: of none */
	uint32_t size;
	bool constant;			/* then for all jobs of its client and generation */
	struct program_user user;	/* for whom it was copied */
	uint32_t profile_size;		/* of its struct nn_profile_record, in bytes */
	struct nn_prepared *prepared;
	uint32_t begin, end;		/* of its memory, among all copies' */
};

/*
 * The copy of the program at `address` that a job uses, made now if there is none; `constant`: the
 * client says that it has been the same since its space had this generation. It is valid until the
 * next call. NULL: it was refused, for the reason in *failure; or without one there was a fault, or
 * run->progress(), which is asked meanwhile, has ended it.
 */
const struct program *program_get(const struct program_user *user, uint32_t address, uint32_t size,
				  bool constant, struct nn_run *run, struct nn_failure *failure);

/* Whether its passes have arguments for row counts. */
bool program_has_counts(const struct program *program);

#endif
