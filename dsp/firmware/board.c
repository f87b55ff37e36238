// SPDX-License-Identifier: MIT
/*
 * The platform of the virtual board: a Linux process in qemu-hexagon, whose system calls stand for
 * doorbell, interrupt and SMMU.
 */
#include "dsp/firmware/memory_counters.h"
#include "dsp/firmware/platform.h"
#include "dsp/firmware/syscall.h"

uint32_t platform_worker_block;
uint32_t platform_l2_bytes;
volatile struct board_fault platform_fault;

static void map_or_panic(uint32_t address, uint32_t size, int flags, int fd, const char *why)
{
	uint32_t got = sys_mmap(address, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd);

	if (got != address)
		platform_panic(why);
}

static void board_call(uint32_t number, uint32_t a, uint32_t b, uint32_t c)
{
	volatile struct board_call *call = (struct board_call *)BOARD_CALL_ADDRESS;

	call->argument[0] = a;
	call->argument[1] = b;
	call->argument[2] = c;
	call->number = number;
	sys_signal_self(BOARD_SIGNAL);
	if (call->number)
		platform_panic("there is no SMMU: only the board, vdsp, can start the firmware");
}

void platform_init(uint32_t worker)
{
	/*
	 * First of all a shared mapping: from then on QEMU emits code that is safe beside other
	 * processes, which it cannot know of when the SMMU puts guest memory under an address.
	 */
	map_or_panic(PLATFORM_REGISTERS, NNLOOP_REGS_SIZE, MAP_SHARED, BOARD_FD_REGISTERS,
		     "cannot map the registers");
	platform_worker_block = NNLOOP_WORKER(worker);

	/*
	 * QEMU keeps its own record of what may be accessed. For it both windows are plain memory;
	 * the SMMU decides underneath.
	 */
	map_or_panic(NNLOOP_WINDOW_BASE, NNLOOP_SYSTEM_END - NNLOOP_WINDOW_BASE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, "cannot reserve the windows");
	map_or_panic(BOARD_CALL_ADDRESS, sizeof(struct board_call), MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     "cannot map the page of calls");
	platform_l2_bytes = memory_counters_take(MEMORY_COMMAND_LATCH)->size;
	board_call(BOARD_CALL_SMMU_ATTACH, (uintptr_t)&platform_fault,
		   worker_read(NNLOOP_WREG_SYSTEM_ROOT_LO),
		   worker_read(NNLOOP_WREG_SYSTEM_ROOT_HI));
}

void platform_wait(void)
{
	struct pollfd doorbell = { .fd = BOARD_FD_DOORBELL, .events = POLLIN };
	uint64_t rings;

	sys_poll(&doorbell, 1);
	sys_read(BOARD_FD_DOORBELL, &rings, sizeof(rings));
}

void platform_interrupt(void)
{
	uint64_t one = 1;

	sys_write(BOARD_FD_INTERRUPT, &one, sizeof(one));
}

void platform_ring(uint32_t worker)
{
	uint64_t one = 1;

	sys_write(BOARD_FD_DOORBELLS + worker, &one, sizeof(one));
}

enum board_barrier platform_barrier(uint32_t worker, uint32_t others, uint32_t barrier)
{
	const volatile struct board_call *call = (struct board_call *)BOARD_CALL_ADDRESS;

	board_call(BOARD_CALL_BARRIER, worker, others, barrier);
	return call->result;
}

void platform_fence(void)
{
	uint32_t word = 0;

	/*
	 * The DSP's own barrier does nothing in QEMU. A conditional store is a compare and exchange
	 * of the host's, once memory is shared, and that is a full fence on x86.
	 */
	asm volatile("1:\n\t"
		     "r0 = memw_locked(%0)\n\t"
		     "memw_locked(%0, p0) = r0\n\t"
		     "if (!p0) jump 1b"
		     : : "r"(&word) : "r0", "p0", "memory");
}

void platform_select_space(uint64_t root)
{
	board_call(BOARD_CALL_SMMU_SELECT, (uint32_t)root, (uint32_t)(root >> 32), 0);
}

uint32_t platform_refill_microseconds(void)
{
	const volatile struct board_call *call = (struct board_call *)BOARD_CALL_ADDRESS;

	return call->refill_time;
}

void platform_panic(const char *why)
{
	static const char prefix[] = "firmware: ";
	uint32_t length = 0;

	while (why[length])
		length++;
	sys_write(2, prefix, sizeof(prefix) - 1);
	sys_write(2, why, length);
	sys_write(2, "\n", 1);
	sys_exit(1);
}
