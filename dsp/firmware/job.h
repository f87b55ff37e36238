/* SPDX-License-Identifier: MIT */
/*
 * One job of a worker: what main.c hands to job.c, and its result.
 */
#ifndef JOB_H
#define JOB_H

#include <stdint.h>

#include "driver/nnloop_hw.h"

struct job_result {
	uint64_t id;
	enum nnloop_status status;
	uint32_t fail_op;		/* ~0: none in particular */
	uint32_t fail_reason;		/* enum nn_program_reason */
	uint32_t fault_address;
	uint32_t fault_access;
};

/*
 * Run the job whose JOB entry is at count `head` of the ring, of which `available` entries are
 * valid. Keeps PASSES_DONE, CURRENT_* and PROGRESS up to date. Returns how many entries it used up:
 * never 0, at most `available`.
 */
uint32_t job_run(const volatile struct nnloop_cmd *ring, uint32_t head, uint32_t available,
		 struct job_result *result);

#endif
