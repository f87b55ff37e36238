// SPDX-License-Identifier: MIT
/*
 * The SMMU of the virtual board: a plugin of qemu-hexagon, one in each worker.
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
 * All of it runs on the one thread that executes the firmware, in system calls and in the signal
 * handler, which never nest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "driver/nnloop_hw.h"
#include "dsp/firmware/board.h"

/*
 * The part of QEMU's plugin interface used here (docs/devel/tcg-plugins); Debian does not package
 * the header.
 */
#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION	1

typedef uint64_t qemu_plugin_id_t;
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned int vcpu,
					      int64_t number, uint64_t a1, uint64_t a2,
					      uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
					      uint64_t a7, uint64_t a8);

void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb);
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
					   char **argv);
QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define PAGE_SIZE	(1u << NNLOOP_PAGE_SHIFT)
#define WINDOW_PAGES	((NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE) / PAGE_SIZE)
#define EVICT_PAGES	4096	/* at once, when the host has no mapping left */

static struct {
	const uint8_t *ram;		/* the VM's memory, read-only: for page tables */
	uint64_t ram_base;		/* its DMA address */
	uint64_t ram_size;

	uint64_t window_root;
	uint64_t system_root;
	bool window_selected;
	bool system_faulted;		/* the page of nowhere is mapped in the system window */

	int nowhere_fd;			/* the page under every forbidden address */
	uint8_t *nowhere;		/* itself */
	bool nowhere_used;		/* since it was cleared */

	/*
	 * Pages mapped in the window, in order of mapping: a ring with its oldest at `oldest`. May
	 * name a page twice.
	 */
	uint32_t mapped[WINDOW_PAGES];
	uint32_t oldest;
	uint32_t mapped_count;

	struct board_fault *fault;	/* in the firmware's memory */
	struct sigaction qemu_action;
} smmu;

static void __attribute__((noreturn, format(printf, 1, 2))) fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("smmu: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	_exit(1);
}

static void *host_address(uint32_t address)
{
	return (void *)(uintptr_t)(BOARD_GUEST_BASE + address);
}

/* Take all access from a stretch of a window. */
static int unmap(uint32_t address, size_t size)
{
	void *got = mmap(host_address(address), size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	return got == MAP_FAILED ? -1 : 0;
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

		smmu.oldest = (smmu.oldest + 1) % WINDOW_PAGES;
		if (munmap(host_address(address), PAGE_SIZE)) {
			smmu.mapped[(smmu.oldest + smmu.mapped_count - 1) % WINDOW_PAGES] = page;
			continue;
		}
		if (unmap(address, PAGE_SIZE))
			fatal("cannot take a page back: %s", strerror(errno));
		smmu.mapped_count--;
		evicted++;
	}
	if (!evicted)
		fatal("the host has no mappings left (sysctl vm.max_map_count)");
}

static void unmap_window(void)
{
	while (unmap(NNLOOP_WINDOW_BASE, NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE)) {
		if (errno != ENOMEM)
			fatal("cannot clear the window: %s", strerror(errno));
		evict();
	}
	smmu.oldest = 0;
	smmu.mapped_count = 0;
}

static void unmap_system(void)
{
	if (unmap(NNLOOP_SYSTEM_BASE, NNLOOP_SYSTEM_END - NNLOOP_SYSTEM_BASE))
		fatal("cannot clear the system window: %s", strerror(errno));
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
	while (mmap(host_address(page), PAGE_SIZE, prot, MAP_SHARED | MAP_FIXED, fd, offset) ==
	       MAP_FAILED) {
		if (errno != ENOMEM)
			fatal("cannot map a page at 0x%08x: %s", page, strerror(errno));
		evict();
	}
	if (!system)
		smmu.mapped[(smmu.oldest + smmu.mapped_count++) % WINDOW_PAGES] =
			(page - NNLOOP_WINDOW_BASE) / PAGE_SIZE;
}

/* Whether the access that raised the signal was a write. */
static bool was_write(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
	/*
	 * Records of the signal frame: magic, size, data. The one with this magic is the exception
	 * syndrome; its bit 6 is "write not read".
	 */
	const uint32_t *record = (const uint32_t *)context->uc_mcontext.__reserved;

	while (record[0]) {
		if (record[0] == 0x45535201)
			return record[2] & (1 << 6);
		record += record[1] / sizeof(*record);
	}
	return false;
#else
#error "tell here how a write fault looks on this host"
#endif
}

static void on_sigsegv(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uintptr_t)info->si_addr - BOARD_GUEST_BASE;

	if (info->si_code > 0 && address >= NNLOOP_WINDOW_BASE && address < NNLOOP_SYSTEM_END) {
		int saved_errno = errno;

		fill(address, was_write(context));
		errno = saved_errno;
		return;
	}
	smmu.qemu_action.sa_sigaction(number, info, context);
}

static void attach(uint32_t fault, uint64_t system_root)
{
	struct sigaction action;

	smmu.fault = host_address(fault);
	smmu.system_root = system_root;
	unmap_window();
	unmap_system();

	if (sigaction(SIGSEGV, NULL, &smmu.qemu_action))
		fatal("cannot read the SIGSEGV handler: %s", strerror(errno));
	action = smmu.qemu_action;	/* same mask and flags: it is called from ours */
	action.sa_sigaction = on_sigsegv;
	if (sigaction(SIGSEGV, &action, NULL))
		fatal("cannot install a SIGSEGV handler: %s", strerror(errno));
}

static void select_space(uint64_t root)
{
	smmu.window_root = root;
	smmu.window_selected = true;
	unmap_window();
	if (smmu.system_faulted)
		unmap_system();
	/* Nothing that one client wrote there is for another. */
	if (smmu.nowhere_used)
		memset(smmu.nowhere, 0, PAGE_SIZE);
	smmu.nowhere_used = false;
}

static void on_system_call(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1,
			   uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
			   uint64_t a7, uint64_t a8)
{
	(void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;

	switch (number) {
	case BOARD_CALL_SMMU_ATTACH:
		attach((uint32_t)a1, (uint32_t)a2 | (uint64_t)(uint32_t)a3 << 32);
		break;
	case BOARD_CALL_SMMU_SELECT:
		select_space((uint32_t)a1 | (uint64_t)(uint32_t)a2 << 32);
		break;
	case BOARD_CALL_FENCE:
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		break;
	}
}

/* argv[0] is "base=", the DMA address of the VM's memory. */
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	struct stat status;
	void *ram;

	(void)info;
	if (argc != 1 || strncmp(argv[0], "base=", 5)) {
		fprintf(stderr, "smmu: usage: -plugin smmu.so,base=ADDRESS\n");
		return -1;
	}
	smmu.ram_base = strtoull(argv[0] + 5, NULL, 0);

	if (fstat(BOARD_FD_RAM, &status)) {
		fprintf(stderr, "smmu: no memory of a VM: %s\n", strerror(errno));
		return -1;
	}
	smmu.ram_size = status.st_size;
	ram = mmap(NULL, smmu.ram_size, PROT_READ, MAP_SHARED, BOARD_FD_RAM, 0);
	if (ram == MAP_FAILED) {
		fprintf(stderr, "smmu: cannot map the VM's memory: %s\n", strerror(errno));
		return -1;
	}
	smmu.ram = ram;

	smmu.nowhere_fd = memfd_create("nnloop-nowhere", MFD_CLOEXEC);
	if (smmu.nowhere_fd >= 0 && !ftruncate(smmu.nowhere_fd, PAGE_SIZE))
		smmu.nowhere = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
				    smmu.nowhere_fd, 0);
	if (!smmu.nowhere || smmu.nowhere == MAP_FAILED) {
		fprintf(stderr, "smmu: no page for forbidden addresses: %s\n", strerror(errno));
		return -1;
	}
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
	return 0;
}
