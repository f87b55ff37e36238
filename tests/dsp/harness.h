/* SPDX-License-Identifier: MIT */
/*
 * The harness of the tests of kernels, in qemu-hexagon or on the host: TAP, random numbers, and
 * memory with an inaccessible page on both sides.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints %s, %d, %u (unsigned) and %x. */
void print(const char *format, ...);

/* TAP */
void plan(uint32_t tests);
void result(bool ok, const char *name);
int finish_tests(void);		/* the exit status */

/*
 * xorshift, of many streams, which are the same in every run: from here on that of these two
 * numbers.
 */
void random_restart(uint32_t kind, uint32_t number);
uint32_t random_bits(void);
uint32_t random_below(uint32_t n);
uint32_t random_range(uint32_t low, uint32_t high);	/* both included */
void random_fill(void *data, uint32_t bytes);

/* Returns how many of the first bytes are equal. */
uint32_t count_equal(const uint8_t *a, const uint8_t *b, uint32_t bytes);

/* A float32 and its bits. */
static inline float float_of(uint32_t bits)
{
	union {
		uint32_t bits;
		float value;
	} u = { bits };

	return u.value;
}

static inline uint32_t bits_of(float value)
{
	union {
		float value;
		uint32_t bits;
	} u = { value };

	return u.bits;
}

/*
 * Memory to place an operand in. guarded_place() fills the whole of it with a pattern and returns
 * room for `bytes`: at its end, at its beginning, or between, as chance decides, but aligned.
 * guarded_check(): every byte outside of the room still has the pattern.
 */
#define GUARDED_SIZE	(512u << 10)

struct guarded {
	uint8_t *base;
	uint8_t *place;
	uint32_t bytes;
};

void guarded_create(struct guarded *memory);
void *guarded_place(struct guarded *memory, uint32_t bytes, uint32_t alignment);
bool guarded_check(const struct guarded *memory);

#endif
