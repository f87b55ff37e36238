// SPDX-License-Identifier: MIT
/*
 * The harness of tests that run on the DSP or the host: guarded memory, random numbers and TAP.
 */
#include <stdarg.h>

#include "../../dsp/firmware/runtime.h"
#include "harness.h"
#include "system.h"

#define PAGE	(64u << 10)
#define PIECE	(4u << 10)

static uint32_t tests_done, tests_failed;

static char *put_number(char *to, uint32_t value, uint32_t base)
{
	char digits[32];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		*to++ = digits[--n];
	return to;
}

void print(const char *format, ...)
{
	char line[512], *to = line;
	va_list args;

	va_start(args, format);
	for (; *format && to < line + sizeof(line) - 64; format++) {
		const char *s;
		int32_t d;

		if (*format != '%') {
			*to++ = *format;
			continue;
		}
		switch (*++format) {
		case 's':
			for (s = va_arg(args, const char *); *s && to < line + sizeof(line) - 64;
			     s++)
				*to++ = *s;
			break;
		case 'd':
			d = va_arg(args, int32_t);
			if (d < 0)
				*to++ = '-';
			to = put_number(to, d < 0 ? -(uint32_t)d : (uint32_t)d, 10);
			break;
		case 'u':
			to = put_number(to, va_arg(args, uint32_t), 10);
			break;
		case 'x':
			to = put_number(to, va_arg(args, uint32_t), 16);
			break;
		}
	}
	va_end(args);
	system_write(line, to - line);
}

void plan(uint32_t tests)
{
	print("TAP version 13\n1..%u\n", tests);
}

void result(bool ok, const char *name)
{
	tests_done++;
	if (!ok)
		tests_failed++;
	print("%sok %u %s\n", ok ? "" : "not ", tests_done, name);
}

int finish_tests(void)
{
	return tests_failed ? 1 : 0;
}

static uint64_t state = 0x9e3779b97f4a7c15ull;

/*
 * Mixed as in splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * 2014): streams of neighbours have nothing in common. A state of 0 would stay so.
 */
void random_restart(uint32_t kind, uint32_t number)
{
	uint64_t z = ((uint64_t)kind << 32 | number) + 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	state = (z ^ z >> 31) | 1;
}

uint32_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

uint32_t random_below(uint32_t n)
{
	return ((uint64_t)random_bits() * n) >> 32;
}

uint32_t random_range(uint32_t low, uint32_t high)
{
	return low + random_below(high - low + 1);
}

void random_fill(void *data, uint32_t bytes)
{
	uint8_t *to = data;
	uint32_t bits;

	for (; bytes >= sizeof(bits); bytes -= sizeof(bits), to += sizeof(bits)) {
		bits = random_bits();
		memcpy(to, &bits, sizeof(bits));
	}
	bits = random_bits();
	memcpy(to, &bits, bytes);
}

/* Counts equal bytes at the beginning, a vector at a time: emulation takes as long for a byte. */
uint32_t count_equal(const uint8_t *a, const uint8_t *b, uint32_t bytes)
{
	typedef uint32_t vector __attribute__((vector_size(128), aligned(1), may_alias));
	uint32_t i = 0;

	while (i + sizeof(vector) <= bytes) {
		vector differs = { 0 };
		uint32_t any = 0, end = i + PIECE < bytes ? i + PIECE : bytes, at = i;

		for (; at + sizeof(vector) <= end; at += sizeof(vector))
			differs |= *(const vector *)(a + at) ^ *(const vector *)(b + at);
		for (uint32_t k = 0; k < sizeof(vector) / sizeof(any); k++)
			any |= differs[k];
		if (any)
			break;
		i = at;
	}
	while (i < bytes && a[i] == b[i])
		i++;
	return i;
}

/* The pattern of bytes that belong to no operand, and the file that has it. */
static uint8_t pattern[GUARDED_SIZE];
static int pattern_file = -1;

static void fill_with_pattern(uint8_t *base, uint32_t from, uint32_t to)
{
	if (!system_fetch(pattern_file, base + from, from, to - from)) {
		print("Bail out! no pattern\n");
		system_exit(1);
	}
}

static bool has_pattern(const struct guarded *memory, uint32_t from, uint32_t to)
{
	uint32_t equal = count_equal(memory->base + from, pattern + from, to - from);

	if (equal == to - from)
		return true;
	print("# byte %d of an operand of %u bytes was written\n",
	      (int32_t)(memory->base + from + equal - memory->place), memory->bytes);
	return false;
}

void guarded_create(struct guarded *memory)
{
	uint8_t *all = system_reserve(GUARDED_SIZE + 2 * PAGE, PROT_NONE);

	if (!all || !system_open(all + PAGE, GUARDED_SIZE)) {
		print("Bail out! no memory\n");
		system_exit(1);
	}
	if (pattern_file < 0) {
		for (uint32_t i = 0; i < sizeof(pattern); i++)
			pattern[i] = i * 7 + 0x5a;
		pattern_file = system_keep(pattern, sizeof(pattern));
	}
	memory->base = all + PAGE;
	memory->place = memory->base;
	memory->bytes = GUARDED_SIZE;
}

void *guarded_place(struct guarded *memory, uint32_t bytes, uint32_t alignment)
{
	uint32_t room, from = memory->place - memory->base, to = from + memory->bytes;

	if (bytes > GUARDED_SIZE) {
		print("Bail out! %u bytes do not fit\n", bytes);
		system_exit(1);
	}
	room = (GUARDED_SIZE - bytes) / alignment;
	/* The pattern is gone only where memory was in use. */
	fill_with_pattern(memory->base, from, to);
	memory->bytes = bytes;
	switch (random_below(4)) {
	case 0:
		memory->place = memory->base;
		break;
	case 1:
		memory->place =
			memory->base + random_below(room < 400 ? room + 1 : 400) * alignment;
		break;
	default:
		memory->place = memory->base + room * alignment;
		break;
	}
	return memory->place;
}

bool guarded_check(const struct guarded *memory)
{
	uint32_t from = memory->place - memory->base, to = from + memory->bytes;
	uint32_t begin = from < 1024 ? 0 : from - 1024;
	uint32_t end = to + 1024 > GUARDED_SIZE ? GUARDED_SIZE : to + 1024;

	return has_pattern(memory, begin, from) && has_pattern(memory, to, end);
}
