// SPDX-License-Identifier: MIT
/*
 * The main loop of a worker of the firmware: it boots, then takes one job after another from its
 * ring.
 */
#include "dsp/firmware/job.h"
#include "dsp/firmware/platform.h"

#define RING_BYTES	(NNLOOP_RING_ENTRIES * (uint32_t)sizeof(struct nnloop_cmd))

static const volatile struct nnloop_cmd *ring_at(uint32_t base)
{
	if (base % sizeof(struct nnloop_cmd) || base < NNLOOP_SYSTEM_BASE ||
	    base > NNLOOP_SYSTEM_END - RING_BYTES)
		platform_panic("RING_BASE is not in the system window");
	return (const volatile struct nnloop_cmd *)(uintptr_t)base;
}

static void publish_result(const struct job_result *result, uint32_t head)
{
	worker_write(NNLOOP_WREG_STATUS, result->status);
	worker_write(NNLOOP_WREG_FAIL_OP, result->fail_op);
	worker_write(NNLOOP_WREG_FAIL_REASON, result->fail_reason);
	worker_write(NNLOOP_WREG_FAULT_ADDR, result->fault_address);
	worker_write(NNLOOP_WREG_FAULT_ACCESS, result->fault_access);
	platform_fence();	/* the job's data and its result, then DONE_ID */
	worker_write(NNLOOP_WREG_DONE_ID_LO, (uint32_t)result->id);
	worker_write(NNLOOP_WREG_DONE_ID_HI, (uint32_t)(result->id >> 32));
	platform_fence();	/* then HEAD */
	worker_write(NNLOOP_WREG_RING_HEAD, head);
	platform_fence();	/* then the interrupt */
	platform_interrupt();
}

static uint32_t parse_number(const char *text)
{
	uint32_t value = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (*text - '0');
	return value;
}

int main(int argc, char **argv)
{
	uint32_t worker = argc > 1 ? parse_number(argv[1]) : NNLOOP_MAX_WORKERS;
	const volatile struct nnloop_cmd *ring;
	uint32_t head;

	if (worker >= NNLOOP_MAX_WORKERS)
		platform_panic("no worker number");
	platform_init(worker);
	ring = ring_at(worker_read(NNLOOP_WREG_RING_BASE));
	head = worker_read(NNLOOP_WREG_RING_HEAD);

	/*
	 * Job ids may start again with another driver: an old one must not look done, nor as if
	 * this worker had come to a barrier of it.
	 */
	worker_write(NNLOOP_WREG_DONE_ID_LO, 0);
	worker_write(NNLOOP_WREG_DONE_ID_HI, 0);
	worker_write(NNLOOP_WREG_PASSES_DONE, 0);
	worker_write(NNLOOP_WREG_CURRENT_PASS, 0);
	worker_write(NNLOOP_WREG_CURRENT_OP, ~0u);
	worker_write(NNLOOP_WREG_PHASE, 0);
	worker_write(NNLOOP_WREG_PHASE_JOB_LO, 0);
	worker_write(NNLOOP_WREG_PHASE_JOB_HI, 0);
	board_write(NNLOOP_REG_FIRMWARE_VERSION, NNLOOP_FIRMWARE_VERSION);
	platform_fence();
	worker_write(NNLOOP_WREG_STATE, NNLOOP_STATE_READY);
	platform_fence();
	platform_interrupt();

	for (;;) {
		struct job_result result;
		uint32_t tail = worker_read(NNLOOP_WREG_RING_TAIL);

		if (tail == head) {
			platform_wait();
			continue;
		}
		platform_fence();	/* TAIL, then the entries before it */
		head += job_run(ring, head, tail - head, &result);
		publish_result(&result, head);
	}
}
