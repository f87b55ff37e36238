// SPDX-License-Identifier: MIT
/*
 * The worker's own words in a gang (driver/nnloop_hw.h): PHASE_JOB and PHASE. What it has written
 * to memory, and PHASE_JOB, can be seen before PHASE says so.
 */
#include "dsp/firmware/gang.h"

static uint32_t own_number(void)
{
	return (platform_worker_block - NNLOOP_WORKER(0)) / (NNLOOP_WORKER(1) - NNLOOP_WORKER(0));
}

bool gang_read(struct gang *gang, const volatile struct nnloop_cmd *job)
{
	uint32_t count = job->job.gang_count, index = job->job.gang_index, members = 0;

	gang->number = own_number();
	if (count <= 1)
		return !index;
	if (count > NNLOOP_MAX_WORKERS || index >= count ||
	    job->job.gang_worker[index] != gang->number)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t worker = job->job.gang_worker[i];

		if (worker >= board_read(NNLOOP_REG_WORKERS) || members >> worker & 1)
			return false;
		members |= 1u << worker;
	}
	gang->share.index = index;
	gang->share.count = count;
	gang->others = members & ~(1u << gang->number);
	return true;
}

void gang_begin(uint64_t id)
{
	worker_write(NNLOOP_WREG_PHASE, 0);
	platform_fence();
	worker_write(NNLOOP_WREG_PHASE_JOB_LO, (uint32_t)id);
	worker_write(NNLOOP_WREG_PHASE_JOB_HI, (uint32_t)(id >> 32));
}

enum board_barrier gang_barrier(struct gang *gang)
{
	enum board_barrier result;

	gang->barriers++;
	platform_fence();
	worker_write(NNLOOP_WREG_PHASE, gang->barriers);
	result = platform_barrier(gang->number, gang->others, gang->barriers);
	if (result == BOARD_BARRIER_NONE)
		platform_panic("the board has no barriers: it is older than the firmware");
	return result;
}

void gang_end(const struct gang *gang, enum nnloop_status status)
{
	uint32_t phase = gang->barriers | NNLOOP_PHASE_ENDED;

	/* This worker leaves at the barrier where a pass begins, to which it does not go itself. */
	if (status == NNLOOP_STATUS_YIELDED && !gang->share.index)
		phase = (gang->barriers + 1) | NNLOOP_PHASE_ENDED | NNLOOP_PHASE_LEAVES;
	else if (status != NNLOOP_STATUS_OK && status != NNLOOP_STATUS_YIELDED)
		phase |= NNLOOP_PHASE_FAILED;
	platform_fence();
	worker_write(NNLOOP_WREG_PHASE, phase);
	platform_fence();	/* then the doorbells */
	for (uint32_t i = 0; i < NNLOOP_MAX_WORKERS; i++) {
		if (gang->others >> i & 1)
			platform_ring(i);
	}
}
