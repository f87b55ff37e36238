/* SPDX-License-Identifier: MIT */
/* A job that several workers run together: who they are, and their barriers. */
#ifndef GANG_H
#define GANG_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/interpreter.h"
#include "dsp/firmware/platform.h"

struct gang {
	struct nn_share share;		/* of each pass; count 1: this worker has the job alone */
	uint32_t number;		/* of this worker, */
	uint32_t others;		/* and of the others, a bit for each */
	uint32_t barriers;		/* of the job that it has come to */
};

/* Whether there are others. */
static inline bool gang_has_others(const struct gang *gang)
{
	return gang->share.count > 1;
}

/* Who runs the job, by its entry. False: that is garbage. */
bool gang_read(struct gang *gang, const volatile struct nnloop_cmd *job);

/* Lets the others of a gang find this worker in the job from now on. */
void gang_begin(uint64_t id);

/* Come to the next barrier, and wait for the others. */
enum board_barrier gang_barrier(struct gang *gang);

/* The others need not wait for this worker any more, which has ended the job so. */
void gang_end(const struct gang *gang, enum nnloop_status status);

#endif
