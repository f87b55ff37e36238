// SPDX-License-Identifier: MIT
/*
 * The model of the L2 cache (tools/vdsp/cache.c) against patterns of accesses
 * whose misses can be told by hand, in a memory of 64 KiB: 64 sets of 8 lines. tests/dsp/memory
 * runs it under QEMU with the plugin.
 *
 * Between begin() and counted() nothing may be in memory but what the pattern accesses: no calls,
 * and no more variables than there are registers.
 */
#include "dsp/firmware/memory_counters.h"
#include "dsp/firmware/syscall.h"
#include "harness.h"

#define SIZE	(64u << 10)
#define LINES	(SIZE / MEMORY_LINE)
#define SETS	(LINES / MEMORY_WAYS)
#define STRIDE	(SETS * MEMORY_LINE)	/* of lines that are in one set */

static uint8_t data[3 * SIZE] __attribute__((aligned(SIZE)));

struct counted {
	uint64_t fetched, allocated, written_back;
};

static inline struct counted __attribute__((always_inline)) take(uint32_t command)
{
	const volatile struct memory_counters *now = memory_counters_take(command);

	return (struct counted){ now->fetched, now->allocated, now->written_back };
}

static inline struct counted __attribute__((always_inline)) begin(void)
{
	return take(MEMORY_COMMAND_EMPTY);
}

static inline struct counted __attribute__((always_inline)) since(struct counted begin)
{
	struct counted now = take(MEMORY_COMMAND_LATCH);

	return (struct counted){ now.fetched - begin.fetched, now.allocated - begin.allocated,
				 now.written_back - begin.written_back };
}

/* One byte at a line. */
static inline void __attribute__((always_inline)) read_line(uint32_t address)
{
	(void)*(volatile uint8_t *)(uintptr_t)address;
}

static inline void __attribute__((always_inline))
read_lines(uint32_t count, uint32_t step, uint32_t times)
{
	for (uint32_t time = 0; time < times; time++)
		for (uint32_t i = 0; i < count; i++)
			read_line((uintptr_t)data + i * step);
}

static inline void __attribute__((always_inline)) write_vectors(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		asm volatile("vmem(%0+#0) = v0" : : "r"(data + i * MEMORY_LINE) : "memory");
}

static void expect(struct counted found, uint32_t fetched, uint32_t allocated,
		   uint32_t written_back, const char *name)
{
	bool ok = found.fetched == fetched && found.allocated == allocated &&
		  found.written_back == written_back;

	if (!ok)
		print("# %u fetched, %u allocated, %u written back\n", (uint32_t)found.fetched,
		      (uint32_t)found.allocated, (uint32_t)found.written_back);
	result(ok, name);
}

static void test_reads(void)
{
	struct counted start = begin();

	read_lines(LINES, MEMORY_LINE, 2);
	expect(since(start), LINES, 0, 0, "lines that all fit are fetched once");

	/* Nine for each set: the one that is wanted next has always just gone. */
	start = begin();
	read_lines(9 * SETS, MEMORY_LINE, 2);
	expect(since(start), 2 * 9 * SETS, 0, 0,
	       "one line more for each set than it has is fetched again");

	start = begin();
	read_lines(MEMORY_WAYS, STRIDE, 3);
	expect(since(start), 8, 0, 0, "eight lines of one set fit");

	start = begin();
	read_lines(MEMORY_WAYS + 1, STRIDE, 3);
	expect(since(start), 27, 0, 0, "nine do not");

	/* 0 is used once more, so that 8 takes the place of 1, and 1 that of 2. */
	start = begin();
	read_lines(MEMORY_WAYS, STRIDE, 1);
	read_line((uintptr_t)data);
	read_line((uintptr_t)data + 8 * STRIDE);
	read_line((uintptr_t)data);
	read_line((uintptr_t)data + 1 * STRIDE);
	expect(since(start), 10, 0, 0, "the least recently used makes room");

	start = begin();
	read_lines(MEMORY_LINE, 1, 1);
	expect(since(start), 1, 0, 0, "128 bytes of a line are one");

	start = begin();
	(void)*(volatile uint64_t *)data;
	(void)*(volatile uint64_t *)(data + MEMORY_LINE - 8);
	(void)*(volatile uint64_t *)(data + MEMORY_LINE);
	expect(since(start), 2, 0, 0, "and 8 bytes at the end of one are no other");
}

static void test_writes(void)
{
	struct counted start = begin();

	write_vectors(9 * SETS);
	expect(since(start), 0, 9 * SETS, SETS,
	       "lines that are written to are not fetched, and are written back");

	start = begin();
	write_vectors(9 * SETS);
	read_lines(9 * SETS, MEMORY_LINE, 1);
	expect(since(start), 9 * SETS, 9 * SETS, 9 * SETS, "each of them once");

	start = begin();
	write_vectors(LINES);
	write_vectors(LINES);
	read_lines(LINES, MEMORY_LINE, 1);
	expect(since(start), 0, LINES, 0, "what is written and read and fits is not");

	/* All 8 lines of set 0, of which one was written to and read since. */
	start = begin();
	write_vectors(1);
	read_lines(MEMORY_WAYS + 1, STRIDE, 1);
	expect(since(start), 8, 1, 1, "a line that was read since is still to be written back");

	start = begin();
	read_line((uintptr_t)data);
	write_vectors(1);
	for (uint32_t i = 1; i <= MEMORY_WAYS; i++)
		read_line((uintptr_t)data + i * STRIDE);
	expect(since(start), 9, 0, 1, "and one that was read before");
}

static void test_vectors(void)
{
	struct counted start = begin();

	asm volatile("v0 = vmem(%0+#0)" : : "r"(data) : "v0");
	asm volatile("v0 = vmem(%0+#1)" : : "r"(data) : "v0");
	asm volatile("v0 = vmem(%0+#1):nt" : : "r"(data) : "v0");
	expect(since(start), 2, 0, 0, "a vector that is loaded is one line");

	start = begin();
	asm volatile("v0 = vmemu(%0+#0)" : : "r"(data + 1) : "v0");
	expect(since(start), 2, 0, 0, "one that is not aligned is two");

	start = begin();
	asm volatile("vmemu(%0+#0) = v0" : : "r"(data + 127) : "memory");
	expect(since(start), 0, 2, 0, "so is one that is stored");

	start = begin();
	asm volatile("q0 = vsetq(%0)\n\tif (q0) vmem(%1+#0) = v0"
		     : : "r"(1), "r"(data) : "q0", "memory");
	expect(since(start), 0, 1, 0, "one that is stored in part is one line");

	start = begin();
	asm volatile("q0 = vsetq(%0)\n\tq0 = and(q0,!q0)\n\tif (q0) vmem(%1+#0) = v0"
		     : : "r"(1), "r"(data) : "q0", "memory");
	expect(since(start), 0, 0, 0, "and of which nothing is stored is none");
}

int main(void)
{
	sys_mmap(MEMORY_COUNTERS_ADDRESS & ~0xffffu, 0x10000, PROT_READ | PROT_WRITE,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1);
	plan(18);
	result(memory_counters_take(MEMORY_COMMAND_LATCH)->size == SIZE, "there is a memory of 64 KiB");
	test_reads();
	test_writes();
	test_vectors();
	return finish_tests();
}
