// SPDX-License-Identifier: MIT
/*
 * Tests of the functions that the compiler expects to find on the DSP (dsp/firmware/runtime.c):
 * memory functions of every length up to a few vectors, at all alignments and overlaps, beside
 * pages that are not there; and divisions of integers, which their product and the remainder tell.
 * Runs in qemu-hexagon.
 */
#include "../../dsp/firmware/counters.h"
#include "../../dsp/firmware/runtime.h"
#include "harness.h"

#define MOST_BYTES	400u
#define ROUNDS		3000u
#define DIVISIONS	20000u

static struct guarded source, target;
static uint8_t before[4 * MOST_BYTES];

/* Lengths about those of a vector and of eight bytes more often than others. */
static uint32_t random_length(void)
{
	if (random_below(3) == 0)
		return random_range(0, 20);
	if (random_below(2))
		return 128 * random_range(1, 3) + random_range(0, 4) - 2;
	return random_range(0, MOST_BYTES);
}

static bool test_copy(void)
{
	for (uint32_t n = 0; n < ROUNDS; n++) {
		uint32_t bytes = random_length(), alignment = random_below(2) ? 1 : 8;
		uint8_t *from = guarded_place(&source, bytes, alignment);
		uint8_t *to = guarded_place(&target, bytes, alignment);

		random_fill(from, bytes);
		if (memcpy(to, from, bytes) != to || !guarded_check(&target))
			return false;
		for (uint32_t i = 0; i < bytes; i++) {
			if (to[i] != from[i])
				return false;
		}
	}
	return true;
}

/* Packets for 120 bytes. */
static uint32_t count_copy(uint32_t to_offset, uint32_t from_offset)
{
	static uint64_t from[17], to[17];
	volatile uint32_t bytes = 120;
	uint32_t begin = counter_packets();

	memcpy((uint8_t *)to + to_offset, (uint8_t *)from + from_offset, bytes);
	return counter_packets() - begin;
}

/*
 * Eight bytes at a time where both sides are aligned, which the bytes do not tell; nowhere else,
 * for the DSP has no such access, though qemu-hexagon does.
 */
static bool test_words(void)
{
	return count_copy(0, 0) < 60 && count_copy(1, 0) > 120 && count_copy(0, 4) > 120 &&
	       count_copy(4, 4) > 120;
}

static bool test_set(void)
{
	for (uint32_t n = 0; n < ROUNDS; n++) {
		uint32_t bytes = random_length(), value = random_bits();
		uint8_t *to = guarded_place(&target, bytes, 1);

		if (memset(to, (int)value, bytes) != to || !guarded_check(&target))
			return false;
		for (uint32_t i = 0; i < bytes; i++) {
			if (to[i] != (uint8_t)value)
				return false;
		}
	}
	return true;
}

/* Tests moves from anywhere in some memory to anywhere in it. */
static bool test_move(void)
{
	for (uint32_t n = 0; n < ROUNDS; n++) {
		uint32_t bytes = random_length(), room = bytes + random_below(2 * bytes + 4);
		uint32_t from = random_below(room - bytes + 1), to = random_below(room - bytes + 1);
		uint8_t *memory = guarded_place(&target, room, 1);

		random_fill(memory, room);
		for (uint32_t i = 0; i < room; i++)
			before[i] = memory[i];
		if (memmove(memory + to, memory + from, bytes) != memory + to ||
		    !guarded_check(&target))
			return false;
		for (uint32_t i = 0; i < room; i++) {
			bool is_moved = i >= to && i < to + bytes;

			if (memory[i] != before[is_moved ? from + i - to : i])
				return false;
		}
	}
	return true;
}

static bool test_compare(void)
{
	for (uint32_t n = 0; n < ROUNDS; n++) {
		uint32_t bytes = random_range(1, 40), at = random_below(bytes);
		uint8_t *a = guarded_place(&source, bytes, 1), *b = guarded_place(&target, bytes, 1);

		random_fill(a, bytes);
		for (uint32_t i = 0; i < bytes; i++)
			b[i] = i > at ? ~a[i] : a[i];
		if (memcmp(a, b, at) || memcmp(a, b, at + 1))
			return false;
		b[at] += 1 + random_below(255);
		if (memcmp(a, b, at))
			return false;
		if ((memcmp(a, b, bytes) < 0) != (a[at] < b[at]) ||
		    (memcmp(a, b, bytes) > 0) != (a[at] > b[at]))
			return false;
	}
	return true;
}

/* A random number of any number of bits up to `most`. */
static uint64_t random_number(uint32_t most)
{
	uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();

	return bits >> (64 - random_range(1, most));
}

static bool is_quotient(uint64_t n, uint64_t d, uint64_t quotient, uint64_t rest)
{
	return rest < d && quotient * d + rest == n;
}

static bool test_unsigned(void)
{
	for (uint32_t i = 0; i < DIVISIONS; i++) {
		uint64_t n = random_number(64), d = random_number(64);
		uint32_t n32 = random_number(32), d32 = random_number(32);

		d += d == 0;
		d32 += d32 == 0;
		if (i % 8 == 0) {
			n = d;
			n32 = d32;
		}
		if (!is_quotient(n, d, n / d, n % d) ||
		    !is_quotient(n32, d32, n32 / d32, n32 % d32))
			return false;
	}
	return true;
}

/* Toward 0; the rest has the dividend's sign. */
static bool test_signed(void)
{
	for (uint32_t i = 0; i < DIVISIONS; i++) {
		int64_t n = (int64_t)random_number(63), d = (int64_t)random_number(63);
		int32_t n32 = (int32_t)random_number(31), d32 = (int32_t)random_number(31);
		int64_t quotient = (int64_t)((uint64_t)n / (uint64_t)(d + (d == 0)));
		int32_t quotient32 = (int32_t)((uint32_t)n32 / (uint32_t)(d32 + (d32 == 0)));
		int64_t sign_n = random_below(2) ? -1 : 1, sign_d = random_below(2) ? -1 : 1;

		d += d == 0;
		d32 += d32 == 0;
		if (n * sign_n / (d * sign_d) != quotient * sign_n * sign_d ||
		    n * sign_n % (d * sign_d) != (n - quotient * d) * sign_n)
			return false;
		if (n32 * (int32_t)sign_n / (d32 * (int32_t)sign_d) !=
			    quotient32 * (int32_t)(sign_n * sign_d) ||
		    n32 * (int32_t)sign_n % (d32 * (int32_t)sign_d) !=
			    (n32 - quotient32 * d32) * (int32_t)sign_n)
			return false;
	}
	return true;
}

/*
 * Division by 0 is as runtime.c says, though nothing relies on it. By their names: C does not
 * define it.
 */
uint64_t __hexagon_udivdi3(uint64_t n, uint64_t d);
uint64_t __hexagon_umoddi3(uint64_t n, uint64_t d);

static bool test_zero(void)
{
	return __hexagon_udivdi3(7, 0) == ~0ull && __hexagon_umoddi3(7, 0) == 7;
}

int main(void)
{
	guarded_create(&source);
	guarded_create(&target);
	plan(8);
	result(test_copy(), "memcpy");
	result(test_words(), "memcpy of words");
	result(test_set(), "memset");
	result(test_move(), "memmove");
	result(test_compare(), "memcmp");
	result(test_unsigned(), "unsigned division");
	result(test_signed(), "signed division");
	result(test_zero(), "division by 0");
	return finish_tests();
}
