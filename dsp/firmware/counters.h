/* SPDX-License-Identifier: MIT */
/*
 * The core's counters of executed packets, instructions and HVX instructions. They are exact and
 * repeatable, and 32 bits wide: add up differences, taken at least once per 2^32 packets.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

/* The assembler has no names for control registers 20 to 22. The words are r0 = c20, c21, c22. */
#define COUNTER_READ(word)						\
({									\
	register uint32_t count asm("r0");				\
	asm volatile(".word " #word : "=r"(count) : : "memory");	\
	count;								\
})

static inline uint32_t counter_packets(void)
{
	return COUNTER_READ(0x6a14c000);
}

static inline uint32_t counter_instructions(void)
{
	return COUNTER_READ(0x6a15c000);
}

static inline uint32_t counter_hvx_instructions(void)
{
	return COUNTER_READ(0x6a16c000);
}

/*
 * All that was counted up to counts_update(), from wherever the counters stood: what happened
 * between two updates is the difference.
 */
struct counts {
	uint64_t packets;
	uint64_t instructions;
	uint64_t hvx_instructions;
};

static inline void counts_update(struct counts *c)
{
	uint32_t packets = counter_packets();
	uint32_t instructions = counter_instructions();
	uint32_t hvx_instructions = counter_hvx_instructions();

	c->packets += packets - (uint32_t)c->packets;
	c->instructions += instructions - (uint32_t)c->instructions;
	c->hvx_instructions += hvx_instructions - (uint32_t)c->hvx_instructions;
}

/* The same, and now is where something begins: with as few packets of this as can be. */
static inline void counts_begin(struct counts *c, struct counts *begin)
{
	counts_update(c);
	*begin = *c;
	begin->packets += counter_packets() - (uint32_t)begin->packets;
}

/* Sums since counters_start(), as of the last counters_update(). */
struct counters {
	uint64_t packets;
	uint64_t instructions;
	uint64_t hvx_instructions;
	uint32_t last_packets;
	uint32_t last_instructions;
	uint32_t last_hvx_instructions;
};

static inline void counters_start(struct counters *c)
{
	c->packets = 0;
	c->instructions = 0;
	c->hvx_instructions = 0;
	c->last_hvx_instructions = counter_hvx_instructions();
	c->last_instructions = counter_instructions();
	c->last_packets = counter_packets();
}

static inline void counters_update(struct counters *c)
{
	uint32_t packets = counter_packets();
	uint32_t instructions = counter_instructions();
	uint32_t hvx_instructions = counter_hvx_instructions();

	c->packets += packets - c->last_packets;
	c->instructions += instructions - c->last_instructions;
	c->hvx_instructions += hvx_instructions - c->last_hvx_instructions;
	c->last_packets = packets;
	c->last_instructions = instructions;
	c->last_hvx_instructions = hvx_instructions;
}

#endif
