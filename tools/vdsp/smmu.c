// SPDX-License-Identifier: MIT
/*
 * The SMMU of the virtual board, one in each worker: code in qemu-hexagon's process that QEMU does
 * not know of (loader.c). It is called by signals alone, and has no C library.
 *
 * The firmware sees two windows of its address space through page tables that the driver keeps in
 * the memory of the VM. QEMU cannot do that (its pages are 64 KiB), so it happens underneath: the
 * host memory behind the windows is without access at first, and a SIGSEGV handler, installed over
 * QEMU's own, walks the page table and maps the one 4 KiB page of the VM's memory that it names.
 * What was mapped stays until the firmware selects a space (this is the TLB), or until the host
 * refuses another mapping (vm.max_map_count); then the oldest go.
 *
 * An access that the page table does not allow is recorded for the firmware, and gets a page of
 * nowhere so that the worker can go on to the point where it looks: a fault never kills a worker
 * and never reaches memory that is not the client's. All such pages are one page, so that they cost
 * nothing, however many there are. It is cleared when a space is selected.
 *
 * The firmware's calls are a signal that it sends itself (dsp/firmware/board.h). QEMU takes over,
 * when it starts, the signals that would end it, and leaves this one as it found it; its SIGSEGV
 * handler is there by the time of the first call.
 *
 * All of it runs on the one thread that executes the firmware, in the two signal handlers, which
 * never nest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "smmu.h"
#include "driver/nnloop_hw.h"
#include "dsp/firmware/board.h"

_Static_assert(PAGE_SIZE == 1u << NNLOOP_PAGE_SHIFT, "the host's pages are the SMMU's");

#define WINDOW_PAGES	((NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE) / PAGE_SIZE)
#define LOCAL_RAM_SIZE	(1l << 44)	/* more than there is, and it can be mapped as a whole */
#define EVICT_PAGES	4096	/* at once, when the host has no mapping left */

/* struct sigaction as the kernel has it. */
struct host_sigaction {
	void (*handler)(int number, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct {
	const uint8_t *ram;		/* the VM's memory, read-only: for page tables */
	uint64_t ram_base;		/* its DMA address */
	uint64_t ram_size;

	uint64_t window_root;
	uint64_t system_root;
	bool window_selected;
	bool system_faulted;		/* the page of nowhere is mapped in the system window */
	uint64_t refill_ns;		/* taken for the window's translations so far */

	int nowhere_fd;			/* the page under every forbidden address */
	bool nowhere_used;		/* since it was cleared */

	/*
	 * Pages mapped in the window, in order of mapping: a ring with its oldest at `oldest`. May
	 * name a page twice.
	 */
	uint32_t mapped[WINDOW_PAGES];
	uint32_t oldest;
	uint32_t mapped_count;

	struct board_fault *fault;	/* in the firmware's memory */
	struct host_sigaction qemu_action, qemu_sigbus;
} smmu;

static void print(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	system_call(SYS_write, STDERR_FILENO, (long)text, length, 0, 0, 0);
}

void fatal(const char *what, long error)
{
	char number[8];
	char *digit = number + sizeof(number) - 1;

	*digit = '\0';
	for (long rest = -error; rest; rest /= 10)
		*--digit = '0' + rest % 10;
	print("smmu: ");
	print(what);
	if (error) {
		print(": error ");
		print(digit);
	}
	print("\n");
	for (;;)
		system_call(SYS_exit_group, 1, 0, 0, 0, 0, 0);
}

long map(uintptr_t address, uint64_t size, int prot, int flags, int fd, uint64_t offset)
{
	return system_call(SYS_mmap, address, size, prot, flags, fd, offset);
}

static long signal_action(int number, const struct host_sigaction *action,
			  struct host_sigaction *old)
{
	return system_call(SYS_rt_sigaction, number, (long)action, (long)old, sizeof(action->mask),
			   0, 0);
}

/* Take all access from a stretch of a window. 0, or -errno. */
static long unmap(uint32_t address, size_t size)
{
	long got = map(host_address(address), size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	return got < 0 ? got : 0;
}

/*
 * The host has no mapping left. In that state it takes nothing but an munmap() of something that is
 * a mapping of its own, so a page in the middle of a merged one stays and goes to the end of the
 * queue.
 */
static void evict(void)
{
	uint32_t left = smmu.mapped_count;
	uint32_t evicted = 0;

	for (; left && evicted < EVICT_PAGES; left--) {
		uint32_t page = smmu.mapped[smmu.oldest];
		uint32_t address = NNLOOP_WINDOW_BASE + page * PAGE_SIZE;
		long error;

		smmu.oldest = (smmu.oldest + 1) % WINDOW_PAGES;
		if (system_call(SYS_munmap, host_address(address), PAGE_SIZE, 0, 0, 0, 0)) {
			smmu.mapped[(smmu.oldest + smmu.mapped_count - 1) % WINDOW_PAGES] = page;
			continue;
		}
		error = unmap(address, PAGE_SIZE);
		if (error)
			fatal("cannot take a page back", error);
		smmu.mapped_count--;
		evicted++;
	}
	if (!evicted)
		fatal("the host has no mappings left (sysctl vm.max_map_count)", 0);
}

static void unmap_window(void)
{
	long error;

	for (;;) {
		error = unmap(NNLOOP_WINDOW_BASE, NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE);
		if (!error)
			break;
		if (error != -ENOMEM)
			fatal("cannot clear the window", error);
		evict();
	}
	smmu.oldest = 0;
	smmu.mapped_count = 0;
}

static void unmap_system(void)
{
	long error = unmap(NNLOOP_SYSTEM_BASE, NNLOOP_SYSTEM_END - NNLOOP_SYSTEM_BASE);

	if (error)
		fatal("cannot clear the system window", error);
	smmu.system_faulted = false;
}

/* Offset of `size` bytes in the VM's memory that begin at a DMA address. False: not memory. */
static bool ram_offset(uint64_t dma, uint64_t size, uint64_t *offset)
{
	if (dma < smmu.ram_base || dma - smmu.ram_base > smmu.ram_size ||
	    size > smmu.ram_size - (dma - smmu.ram_base))
		return false;
	*offset = dma - smmu.ram_base;
	return true;
}

/* The page entry for an address. False: there is none, whatever the tables hold. */
static bool walk(uint64_t root, uint32_t address, uint64_t *pte)
{
	uint64_t table = root;
	uint64_t offset;
	int level;

	for (level = 0; level < 3; level++) {
		uint32_t index = (address >> NNLOOP_PT_SHIFT(level)) % NNLOOP_PT_ENTRIES;
		const uint64_t *entries;

		if (table % PAGE_SIZE || !ram_offset(table, PAGE_SIZE, &offset))
			return false;
		entries = (const uint64_t *)(smmu.ram + offset);
		*pte = __atomic_load_n(&entries[index], __ATOMIC_ACQUIRE);
		if (!(*pte & NNLOOP_PTE_VALID))
			return false;
		table = *pte & NNLOOP_PTE_ADDRESS;
	}
	return true;
}

static uint64_t nanoseconds(void)
{
	struct timespec now = { 0 };

	system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Tells the firmware of nanoseconds more that the window's translations have taken. */
static void count_refill(uint64_t ns)
{
	struct board_call *call = (struct board_call *)host_address(BOARD_CALL_ADDRESS);

	smmu.refill_ns += ns;
	call->refill_time = smmu.refill_ns / 1000;
}

static void record_fault(uint32_t address, bool write)
{
	if (smmu.fault->pending)
		return;
	smmu.fault->address = address;
	smmu.fault->access = write ? NNLOOP_ACCESS_WRITE : NNLOOP_ACCESS_READ;
	__atomic_store_n(&smmu.fault->pending, 1, __ATOMIC_RELEASE);
}

/* Put something under the page that the firmware wants to access. */
static void fill(uint32_t address, bool write)
{
	bool system = address >= NNLOOP_SYSTEM_BASE;
	uint32_t page = address & ~(PAGE_SIZE - 1);
	int prot = PROT_READ | PROT_WRITE;
	int fd = BOARD_FD_RAM;
	uint64_t offset = 0;
	uint64_t pte;
	bool allowed;
	long got;

	allowed = (system || smmu.window_selected) &&
		  walk(system ? smmu.system_root : smmu.window_root, address, &pte) &&
		  ram_offset(pte & NNLOOP_PTE_ADDRESS, PAGE_SIZE, &offset) &&
		  !(write && (pte & NNLOOP_PTE_READ_ONLY));
	if (!allowed) {
		record_fault(address, write);
		fd = smmu.nowhere_fd;
		offset = 0;
		smmu.nowhere_used = true;
		if (system)
			smmu.system_faulted = true;
	} else if (pte & NNLOOP_PTE_READ_ONLY) {
		prot = PROT_READ;
	}

	if (!system && smmu.mapped_count == WINDOW_PAGES)
		unmap_window();
	for (;;) {
		/*
		 * Populated, so that the host has nothing left to do later, of which nobody knows.
		 */
		got = map(host_address(page), PAGE_SIZE, prot,
			  MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, offset);
		if (got >= 0)
			break;
		if (got != -ENOMEM)
			fatal("cannot map a page", got);
		evict();
	}
	if (!system)
		smmu.mapped[(smmu.oldest + smmu.mapped_count++) % WINDOW_PAGES] =
			(page - NNLOOP_WINDOW_BASE) / PAGE_SIZE;
}

static void on_sigsegv(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uintptr_t)info->si_addr - BOARD_GUEST_BASE;
	uint64_t begin;

	if (info->si_code <= 0 || address < NNLOOP_WINDOW_BASE || address >= NNLOOP_SYSTEM_END) {
		smmu.qemu_action.handler(number, info, context);
		return;
	}
	begin = nanoseconds();
	fill(address, host_was_write(context));
	/* The host takes about as long to come here and back, which nothing can measure here. */
	if (address < NNLOOP_SYSTEM_BASE)
		count_refill(2 * (nanoseconds() - begin));
}

/*
 * A page of a local board's that its driver has taken away, which it does when nothing should use
 * the page any more: the board was given up. QEMU's own are QEMU's business.
 */
static void on_sigbus(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uintptr_t)info->si_addr - BOARD_GUEST_BASE;
	uint64_t offset = (uintptr_t)info->si_addr - (uintptr_t)smmu.ram;

	if (info->si_code > 0 && (offset < smmu.ram_size || (address >= NNLOOP_WINDOW_BASE &&
							     address < NNLOOP_SYSTEM_END)))
		fatal("the driver has taken the memory away", 0);
	smmu.qemu_sigbus.handler(number, info, context);
}

/* Installs a handler over QEMU's, with its mask and flags: QEMU's is called from ours. */
static void take_signal(int number, void (*handler)(int, siginfo_t *, void *),
			struct host_sigaction *qemu)
{
	struct host_sigaction action;
	long error = signal_action(number, NULL, qemu);

	action = *qemu;
	action.handler = handler;
	/* The SMMU itself may find that a page table was taken away. */
	action.mask &= ~(1ull << (SIGBUS - 1));
	error = error ?: signal_action(number, &action, NULL);
	if (error)
		fatal("cannot install a signal handler", error);
}

static void attach(uint32_t fault, uint64_t system_root)
{
	smmu.fault = (struct board_fault *)host_address(fault);
	smmu.system_root = system_root;
	unmap_window();
	unmap_system();

	take_signal(SIGSEGV, on_sigsegv, &smmu.qemu_action);
	take_signal(SIGBUS, on_sigbus, &smmu.qemu_sigbus);
}

/* The page of nowhere is one of zeros, whatever was written there. Nobody has it mapped. */
static void clear_nowhere(void)
{
	long error = system_call(SYS_ftruncate, smmu.nowhere_fd, 0, 0, 0, 0, 0);

	error = error ?: system_call(SYS_ftruncate, smmu.nowhere_fd, PAGE_SIZE, 0, 0, 0, 0);
	if (error)
		fatal("no page for forbidden addresses", error);
	smmu.nowhere_used = false;
}

static void select_space(uint64_t root)
{
	uint64_t begin = nanoseconds();

	smmu.window_root = root;
	smmu.window_selected = true;
	unmap_window();
	if (smmu.system_faulted)
		unmap_system();
	/* Nothing that one client wrote there is for another. */
	if (smmu.nowhere_used)
		clear_nowhere();
	count_refill(nanoseconds() - begin);
}

static void on_call(int number, siginfo_t *info, void *context)
{
	struct board_call *call = (struct board_call *)host_address(BOARD_CALL_ADDRESS);
	uint32_t *argument = call->argument;

	(void)number, (void)info, (void)context;
	switch (call->number) {
	case BOARD_CALL_SMMU_ATTACH:
		attach(argument[0], argument[1] | (uint64_t)argument[2] << 32);
		break;
	case BOARD_CALL_SMMU_SELECT:
		select_space(argument[0] | (uint64_t)argument[1] << 32);
		break;
	case BOARD_CALL_BARRIER:
		call->result = barrier_wait(argument[0], argument[1], argument[2]);
		break;
	}
	call->number = 0;
}

HOST_SIGNAL_RETURN(signal_return);
void signal_return(void);

void smmu_init(uint64_t ram_base)
{
	const struct host_sigaction action = {
		.handler = on_call,
		.flags = SA_SIGINFO | SA_RESTART | SA_RESTORER,
		.restorer = signal_return,
		.mask = ~0ull,
	};
	long result;

	/* The device of a local board has no end, like an IOMMU. */
	result = system_call(SYS_lseek, BOARD_FD_RAM, 0, SEEK_END, 0, 0, 0);
	if (result == -ESPIPE)
		result = LOCAL_RAM_SIZE;
	if (result < 0)
		fatal("no memory of a VM", result);
	smmu.ram_base = ram_base;
	smmu.ram_size = result;
	result = map(0, smmu.ram_size, PROT_READ, MAP_SHARED, BOARD_FD_RAM, 0);
	if (result < 0)
		fatal("cannot map the VM's memory", result);
	smmu.ram = (const uint8_t *)result;

	result = system_call(SYS_memfd_create, (long)"nnloop-nowhere", MFD_CLOEXEC, 0, 0, 0, 0);
	if (result < 0)
		fatal("no page for forbidden addresses", result);
	smmu.nowhere_fd = result;
	clear_nowhere();

	result = signal_action(BOARD_SIGNAL, &action, NULL);
	if (result)
		fatal("cannot install the handler of the firmware's calls", result);
}
