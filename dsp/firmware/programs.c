// SPDX-License-Identifier: MIT
/*
 * Programs are copied out of the window, checked, and prepared with their regions resolved. A copy
 * is used for as long as the job lasts, so that the passes of a loop do not pay for it again; and,
 * if the client says that the program is constant, by later jobs of that client, until something is
 * taken away from its space: then another program may come to the address.
 *
 * What a client says is believed for its own jobs only. A copy is nothing but bytes that were
 * checked, with addresses in the window; whose memory these are is decided by the SMMU when they
 * are touched. So a client that lies runs an old program of its own, on its own memory as it is
 * now.
 *
 * Copies lie one behind the other in a piece of memory, and begin again at its start: who comes
 * takes the place of those that came first.
 */
#include <stddef.h>

#include "dsp/firmware/platform.h"
#include "dsp/firmware/programs.h"
#include "dsp/firmware/runtime.h"

#define COPIES		32
#define HINTS		32
#define MAX_REGIONS	(NN_PROGRAM_MAX_SIZE / sizeof(struct nn_program_region))
#define MEMORY_SIZE	(16u << 20)
#define ALIGNMENT	128u

_Static_assert(NN_PROGRAM_MAX_SIZE + NN_PREPARED_MAX_SIZE <= MEMORY_SIZE, "of the longest program");

static struct program copies[COPIES];
static uint32_t next_copy;
/* The programs at some addresses, as they were found last. */
static const struct program *hints[HINTS];

static uint8_t memory[MEMORY_SIZE] __attribute__((aligned(ALIGNMENT)));
static uint32_t next_memory;

/* The program that is looked at. Only one that is right takes others' place. */
static uint8_t candidate[NN_PROGRAM_MAX_SIZE] __attribute__((aligned(ALIGNMENT)));
static struct nn_memory regions[MAX_REGIONS];

static bool refuse(struct nn_failure *failure, enum nn_program_reason reason)
{
	failure->reason = reason;
	failure->op = NN_SAME_OP;
	return false;
}

static bool resolve_regions(struct nn_failure *failure)
{
	const struct nn_program *header = (const void *)candidate;
	const struct nn_program_region *region = (const void *)(header + 1);

	for (uint32_t i = 0; i < header->region_count; i++) {
		if (!in_window(region[i].base, region[i].size))
			return refuse(failure, NN_REASON_ADDRESS);
		regions[i].base = (uint8_t *)(uintptr_t)region[i].base;
		regions[i].size = region[i].size;
		regions[i].writable = region[i].flags & NN_REGION_WRITABLE;
	}
	return true;
}

/* The program in the window becomes the candidate. */
static bool copy_and_check(uint32_t address, uint32_t size, struct nn_run *run,
			   struct nn_failure *failure)
{
	if (address % 8 || !in_window(address, size))
		return refuse(failure, NN_REASON_ADDRESS);
	if (size < sizeof(struct nn_program) || size > NN_PROGRAM_MAX_SIZE)
		return refuse(failure, NN_REASON_HEADER);
	memcpy(candidate, (const void *)(uintptr_t)address, size);
	if (platform_fault.pending)
		return refuse(failure, NN_REASON_NONE);
	return !nn_program_check_long(candidate, size, run, failure) && resolve_regions(failure);
}

/* Memory for a copy, taken from the oldest ones: where it begins in memory[]. */
static uint32_t take_memory(uint32_t size)
{
	uint32_t begin = size > MEMORY_SIZE - next_memory ? 0 : next_memory;

	next_memory = begin + size;
	for (uint32_t i = 0; i < COPIES; i++) {
		if (copies[i].begin < next_memory && copies[i].end > begin)
			copies[i].address = 0;
	}
	return begin;
}

static const struct program *keep_candidate(const struct program_user *user, uint32_t address,
					    uint32_t size, bool constant, struct nn_run *run,
					    struct nn_failure *failure)
{
	const struct nn_program *header = (const void *)candidate;
	uint32_t first = (size + ALIGNMENT - 1) & -ALIGNMENT, all;
	struct program *program = &copies[next_copy];
	uint32_t begin;

	all = first + ((nn_program_prepared_size(header) + ALIGNMENT - 1) & -ALIGNMENT);
	begin = take_memory(all);
	memcpy(memory + begin, candidate, size);
	next_copy = (next_copy + 1) % COPIES;
	*program = (struct program){
		.address = address,
		.size = size,
		.constant = constant,
		.user = *user,
		.profile_size = (1 + header->op_count) * sizeof(struct nn_profile_record),
		.prepared = nn_program_prepare_long((const void *)(memory + begin), regions,
						    memory + begin + first, run, failure),
		.begin = begin,
		.end = begin + all,
	};
	if (program->prepared)
		return program;
	program->address = 0;
	return NULL;
}

static bool is_usable(const struct program *program, const struct program_user *user,
		      uint32_t address, uint32_t size, bool constant)
{
	if (program->address != address || program->size != size || program->constant != constant)
		return false;
	if (!constant)
		return program->user.job == user->job;
	return program->user.client == user->client && program->user.generation == user->generation;
}

const struct program *program_get(const struct program_user *user, uint32_t address, uint32_t size,
				  bool constant, struct nn_run *run, struct nn_failure *failure)
{
	const struct program **hint = &hints[address / 64 % HINTS], *program = *hint;

	constant &= user->client != 0;
	if (program && is_usable(program, user, address, size, constant))
		return program;
	for (program = copies; program < copies + COPIES; program++) {
		if (is_usable(program, user, address, size, constant))
			goto found;
	}
	if (!copy_and_check(address, size, run, failure))
		return NULL;
	program = keep_candidate(user, address, size, constant, run, failure);
	if (!program)
		return NULL;
found:
	*hint = program;
	return program;
}

bool program_has_counts(const struct program *program)
{
	return nn_program_has_counts((const void *)(memory + program->begin));
}
