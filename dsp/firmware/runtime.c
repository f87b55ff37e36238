// SPDX-License-Identifier: MIT
/*
 * The runtime: functions that compiled code calls unasked, for memory and integer division. It is
 * compiled with -fno-builtin, so that these loops are not turned into calls of themselves.
 *
 * The memory functions move 128-byte vectors at any alignment. The last vector of a copy is moved
 * so that it ends where the copy ends and overlaps the one before.
 */
#include <stdint.h>

#include "dsp/firmware/runtime.h"

#define VECTOR	128

typedef int32_t vector __attribute__((vector_size(VECTOR), aligned(1), may_alias));

static inline vector load(const uint8_t *p)
{
	return *(const vector *)p;
}

static inline void store(uint8_t *p, vector v)
{
	*(vector *)p = v;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t size)
{
	uint8_t *d = destination;
	const uint8_t *s = source;
	size_t i;

	if (size < VECTOR) {
		if (!(((uintptr_t)d | (uintptr_t)s) % 8)) {
			for (; size >= 8; size -= 8, d += 8, s += 8)
				*(uint64_t *)d = *(const uint64_t *)s;
		}
		for (i = 0; i < size; i++)
			d[i] = s[i];
		return destination;
	}
	for (i = 0; i + VECTOR < size; i += VECTOR)
		store(d + i, load(s + i));
	store(d + size - VECTOR, load(s + size - VECTOR));
	return destination;
}

/* A copy by this name is what clang calls for structures of vectors. */
void *__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void *restrict destination,
							    const void *restrict source,
							    size_t size);

void *__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void *restrict destination,
							    const void *restrict source,
							    size_t size)
{
	return memcpy(destination, source, size);
}

void *memmove(void *destination, const void *source, size_t size)
{
	uint8_t *d = destination;
	const uint8_t *s = source;
	size_t i;

	if ((uintptr_t)d - (uintptr_t)s >= size && (uintptr_t)s - (uintptr_t)d >= size)
		return memcpy(destination, source, size);	/* no overlap */
	if (d < s) {
		vector last;

		if (size < VECTOR) {
			for (i = 0; i < size; i++)
				d[i] = s[i];
			return destination;
		}
		last = load(s + size - VECTOR);
		for (i = 0; i + VECTOR < size; i += VECTOR)
			store(d + i, load(s + i));
		store(d + size - VECTOR, last);
	} else {
		vector first;

		if (size < VECTOR) {
			for (i = size; i > 0; i--)
				d[i - 1] = s[i - 1];
			return destination;
		}
		first = load(s);
		for (i = size; i > VECTOR; i -= VECTOR)
			store(d + i - VECTOR, load(s + i - VECTOR));
		store(d, first);
	}
	return destination;
}

void *memset(void *destination, int value, size_t size)
{
	uint8_t *d = destination;
	uint32_t pattern = (uint8_t)value * 0x01010101u;
	vector v = (vector){ 0 } + (int32_t)pattern;
	size_t i;

	if (size < VECTOR) {
		for (i = 0; i < size; i++)
			d[i] = (uint8_t)value;
		return destination;
	}
	for (i = 0; i + VECTOR < size; i += VECTOR)
		store(d + i, v);
	store(d + size - VECTOR, v);
	return destination;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const uint8_t *x = a;
	const uint8_t *y = b;
	size_t i;

	for (i = 0; i < size; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/*
 * Division, one bit of the quotient at a time beginning with the first that can be set. Division by
 * zero gives all ones and leaves the dividend as the remainder; nothing on the DSP relies on it.
 */
static inline uint64_t divide(uint64_t n, uint64_t d, uint64_t *remainder)
{
	uint64_t quotient = 0;
	int shift;

	if (!d) {
		*remainder = n;
		return ~0ull;
	}
	if (n < d) {
		*remainder = n;
		return 0;
	}
	for (shift = __builtin_clzll(d) - __builtin_clzll(n); shift >= 0; shift--) {
		if (n >= d << shift) {
			n -= d << shift;
			quotient |= 1ull << shift;
		}
	}
	*remainder = n;
	return quotient;
}

uint64_t __hexagon_udivdi3(uint64_t n, uint64_t d);
uint64_t __hexagon_umoddi3(uint64_t n, uint64_t d);
int64_t __hexagon_divdi3(int64_t n, int64_t d);
int64_t __hexagon_moddi3(int64_t n, int64_t d);
uint32_t __hexagon_udivsi3(uint32_t n, uint32_t d);
uint32_t __hexagon_umodsi3(uint32_t n, uint32_t d);
int32_t __hexagon_divsi3(int32_t n, int32_t d);
int32_t __hexagon_modsi3(int32_t n, int32_t d);

static inline uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

uint64_t __hexagon_udivdi3(uint64_t n, uint64_t d)
{
	uint64_t remainder;

	return divide(n, d, &remainder);
}

uint64_t __hexagon_umoddi3(uint64_t n, uint64_t d)
{
	uint64_t remainder;

	divide(n, d, &remainder);
	return remainder;
}

int64_t __hexagon_divdi3(int64_t n, int64_t d)
{
	uint64_t remainder;
	uint64_t quotient = divide(magnitude(n), magnitude(d), &remainder);

	return (int64_t)((n < 0) != (d < 0) ? -quotient : quotient);
}

int64_t __hexagon_moddi3(int64_t n, int64_t d)
{
	uint64_t remainder;

	divide(magnitude(n), magnitude(d), &remainder);
	return (int64_t)(n < 0 ? -remainder : remainder);
}

uint32_t __hexagon_udivsi3(uint32_t n, uint32_t d)
{
	return (uint32_t)__hexagon_udivdi3(n, d);
}

uint32_t __hexagon_umodsi3(uint32_t n, uint32_t d)
{
	return (uint32_t)__hexagon_umoddi3(n, d);
}

int32_t __hexagon_divsi3(int32_t n, int32_t d)
{
	return (int32_t)__hexagon_divdi3(n, d);
}

int32_t __hexagon_modsi3(int32_t n, int32_t d)
{
	return (int32_t)__hexagon_moddi3(n, d);
}
