// SPDX-License-Identifier: MIT
/*
 * A plugin for QEMU that models the L2 cache, and counts what it has to fetch from
 * the one behind it and to write back there: 8 ways of 128-byte lines, the least recently used of a
 * set goes first. It answers the firmware through dsp/firmware/memory_counters.h, and computes
 * nothing else that the DSP could see.
 *
 * All data of the DSP are in it, as in the second-level cache of silicon that its vector unit reads
 * and writes: what clients have, and the firmware's own scratch memory, constants and stack, whose
 * accesses silicon's first-level cache would mostly keep. Instructions and registers are not. It is
 * indexed with the firmware's addresses. A line that a write does not find is taken without being
 * fetched, because nearly all writes are of whole vectors; the rest of a line of which only a part
 * is written counts as present.
 *
 * usage: qemu-hexagon -B BOARD_GUEST_BASE -plugin cache.so,size=BYTES PROGRAM
 *        qemu-hexagon -plugin cache.so,probe=on /nowhere
 * The latter exits with 0 if QEMU loads plugins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dsp/firmware/board.h"
#include "dsp/firmware/memory_counters.h"
#include "driver/nnloop_hw.h"
#include "qemu_plugin.h"

#define EXPORT	__attribute__((visibility("default")))

/*
 * The addresses where the registers begin (dsp/firmware/platform.h), and where what is no memory
 * ends.
 */
#define REGISTERS_BEGIN	0x70000000u
#define REGISTERS_END	(BOARD_CALL_ADDRESS + 0x10000u)

#define SET_BYTES	(MEMORY_WAYS * MEMORY_LINE)
#define LEAST_SIZE	SET_BYTES
#define MOST_SIZE	(64u << 20)

/* A line in the memory: its number, and whether it was written to. 0: none. */
#define PRESENT		(1u << 31)
#define DIRTY		(1u << 30)
#define NUMBER		(DIRTY - 1)

/* The most recently used line of a set comes first. */
struct set {
	uint32_t line[MEMORY_WAYS];
};

static struct {
	uint32_t size, set_count;
	struct set *sets;
	uint64_t fetched, allocated, written_back;
} cache;

/* The page of counters that the firmware reads. */
static struct memory_counters *guest_counters(void)
{
	return (struct memory_counters *)(BOARD_GUEST_BASE + MEMORY_COUNTERS_ADDRESS);
}

static void access_line(uint32_t number, bool write)
{
	uint32_t *line = cache.sets[number % cache.set_count].line;
	uint32_t entry, way = 0;

	while (way < MEMORY_WAYS - 1 && (line[way] & ~DIRTY) != (PRESENT | number))
		way++;
	entry = line[way];
	if ((entry & ~DIRTY) != (PRESENT | number)) {
		/* Not found, and this is the one to make room. */
		if (entry & DIRTY)
			cache.written_back++;
		if (write)
			cache.allocated++;
		else
			cache.fetched++;
		entry = PRESENT | number;
	}
	memmove(line + 1, line, way * sizeof(*line));
	line[0] = entry | (write ? DIRTY : 0);
}

static void answer(uint32_t command)
{
	struct memory_counters *counters = guest_counters();

	if (command == MEMORY_COMMAND_EMPTY)
		memset(cache.sets, 0, cache.set_count * sizeof(*cache.sets));
	counters->size = cache.size;
	counters->fetched = cache.fetched;
	counters->allocated = cache.allocated;
	counters->written_back = cache.written_back;
}

/*
 * One load or store. A vector is several, of its elements, and one that is stored under a mask is
 * only the bytes that are stored.
 */
static void on_access(unsigned int cpu, uint32_t what, uint64_t address, void *opaque)
{
	uint32_t first = address, last = first + (1u << qemu_plugin_mem_size_shift(what)) - 1;
	bool write = qemu_plugin_mem_is_store(what);

	(void)cpu;
	(void)opaque;
	if (first >= REGISTERS_BEGIN && first < REGISTERS_END) {
		if (write && first == MEMORY_COUNTERS_ADDRESS)
			answer(guest_counters()->command);
		return;
	}
	access_line(first / MEMORY_LINE, write);
	if (last / MEMORY_LINE != first / MEMORY_LINE)
		access_line(last / MEMORY_LINE, write);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *block)
{
	size_t count = qemu_plugin_tb_n_insns(block);

	(void)id;
	for (size_t i = 0; i < count; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_access,
						 QEMU_PLUGIN_NO_REGISTERS,
						 QEMU_PLUGIN_READS_AND_WRITES, NULL);
}

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc,
			       char **argv)
{
	unsigned long size = 0;

	if (argc == 1 && !strcmp(argv[0], "probe=on"))
		_exit(0);
	if (argc == 1 && !strncmp(argv[0], "size=", 5))
		size = strtoul(argv[0] + 5, NULL, 10);
	if (strcmp(info->target_name, "hexagon") || size < LEAST_SIZE || size > MOST_SIZE ||
	    size % SET_BYTES) {
		fprintf(stderr, "cache: usage: -plugin cache.so,size=BYTES: a multiple of %u from %u to %u\n",
			SET_BYTES, LEAST_SIZE, MOST_SIZE);
		return -1;
	}
	cache.size = size;
	cache.set_count = size / SET_BYTES;
	cache.sets = calloc(cache.set_count, sizeof(*cache.sets));
	if (!cache.sets)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
