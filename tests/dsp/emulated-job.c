// SPDX-License-Identifier: MIT
/*
 * Runs the jobs of the emulated device (emulated.c) in qemu-hexagon: the firmware's own job.c, its
 * interpreter and its kernels, on memory that is shared with the host. No board, driver or SMMU has
 * a part in it.
 */
#include "dsp/firmware/job.h"
#include "dsp/firmware/memory_counters.h"
#include "dsp/firmware/platform.h"
#include "dsp/firmware/runtime.h"
#include "dsp/firmware/syscall.h"
#include "dsp/program/nn_program.h"
#include "emulated.h"
#include "harness.h"

uint32_t platform_worker_block = NNLOOP_WORKER(0);
uint32_t platform_l2_bytes;
volatile struct board_fault platform_fault;

void platform_select_space(uint64_t root)
{
	(void)root;
}

uint32_t platform_refill_microseconds(void)
{
	return 0;
}

void platform_panic(const char *why)
{
	print("%s\n", why);
	sys_exit(1);
}

static void map(uint32_t address, uint32_t size, int flags, int fd)
{
	if (sys_mmap(address, size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_NORESERVE | flags, fd) != address)
		platform_panic("no memory");
}

/* Whether the job is one control program, whose state says where it is left off. */
static bool is_control(const struct nnloop_cmd *ring, uint32_t entries)
{
	return entries == 2 && ring[1].pass.arg[NN_ARG_FLAGS] & NN_PASS_CONTROL;
}

/* Runs a job and, where it leaves off, the rest of it as another one with the same id. */
static void run_job(struct emulated_control *control, uint32_t entries, struct job_result *result)
{
	bool leaves_off = control->leaves_off && is_control(control->ring, entries);
	uint64_t id = leaves_off ? control->ring[0].job.id : 0;

	worker_write(NNLOOP_WREG_YIELD_LO, id);
	worker_write(NNLOOP_WREG_YIELD_HI, id >> 32);
	job_run(control->ring, 0, entries, result);
	while (leaves_off && result->status == NNLOOP_STATUS_YIELDED) {
		control->left_off++;
		job_run(control->ring, 0, entries, result);
	}
}

int main(void)
{
	struct emulated_control *control = (void *)NNLOOP_SYSTEM_BASE;
	struct job_result result;
	uint32_t entries;

	map(PLATFORM_REGISTERS, NNLOOP_REGS_SIZE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(BOARD_CALL_ADDRESS, sizeof(struct board_call), MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(NNLOOP_WINDOW_BASE, EMULATED_WINDOW_SIZE, MAP_SHARED, EMULATED_WINDOW_FD);
	map(NNLOOP_SYSTEM_BASE, EMULATED_CONTROL_SIZE, MAP_SHARED, EMULATED_CONTROL_FD);
	platform_l2_bytes = memory_counters_take(MEMORY_COMMAND_LATCH)->size;
	while (sys_read(0, &entries, sizeof(entries)) == sizeof(entries)) {
		run_job(control, entries, &result);
		control->status = result.status;
		control->passes_done = worker_read(NNLOOP_WREG_PASSES_DONE);
		control->fail_op = result.fail_op;
		control->fail_reason = result.fail_reason;
		sys_write(1, &entries, sizeof(entries));
	}
	return 0;
}
