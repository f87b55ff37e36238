// SPDX-License-Identifier: MIT
/*
 * FlexBuffers, byte by byte: a map in each of the widths that its parts can have, each kind of
 * number, and what is wrong with each byte of it. The maps are laid out by hand here, as
 * https://flatbuffers.dev/flexbuffers describes them.
 */
#include <stdlib.h>
#include <string.h>

#include "import/tflite/flexbuffer.h"
#include "tap.h"

#define MOST	256

enum { INT = 1, UINT, FLOAT, STRING = 5, INDIRECT_INT, INDIRECT_UINT, INDIRECT_FLOAT, MAP, BOOL = 26 };

struct bytes {
	uint8_t data[MOST];
	size_t size;
};

static void put(struct bytes *to, uint64_t value, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		to->data[to->size++] = value >> 8 * i;
}

static void put_type(struct bytes *to, uint32_t kind, uint32_t width)
{
	put(to, kind << 2 | (width == 8 ? 3 : width == 4 ? 2 : width - 1), 1);
}

/* The layout of a map's parts. */
struct layout {
	uint32_t width, key_width, root_width;
};

/* { "a": -3, "bc": 200 }, and where its parts are. */
static struct bytes make_map(const struct layout *l, size_t *keys, size_t *values)
{
	struct bytes map = { .size = 0 };

	memcpy(map.data, "a\0bc", 5);
	map.size = 5;
	put(&map, 2, l->key_width);
	*keys = map.size;
	put(&map, map.size, l->key_width);
	put(&map, map.size - 2, l->key_width);
	put(&map, map.size - *keys, l->width);
	put(&map, l->key_width, l->width);
	put(&map, 2, l->width);
	*values = map.size;
	put(&map, -3, l->width);
	put(&map, 200, l->width);
	put_type(&map, INT, l->width);
	put_type(&map, UINT, l->width);
	put(&map, map.size - *values, l->root_width);
	put_type(&map, MAP, l->width);
	put(&map, l->root_width, 1);
	return map;
}

/* Where a byte too many would be read, the sanitizer notices. */
static bool open_copy(struct flexbuffer_map *map, const void *data, size_t size, void **copy)
{
	*copy = malloc(size ? size : 1);
	if (!*copy)
		exit(1);
	memcpy(*copy, data, size);
	return flexbuffer_open_map(map, *copy, size);
}

/* Whether it is a map, and all of it can be read. */
static bool can_read(const struct bytes *bytes)
{
	struct flexbuffer_map map;
	void *copy;
	bool good = open_copy(&map, bytes->data, bytes->size, &copy);

	for (uint32_t i = 0; good && i < map.count; i++) {
		const char *key = flexbuffer_key(&map, i);

		good = key && strlen(key) < MOST;
		flexbuffer_value(&map, i);
	}
	good = good && !map.wrong;
	free(copy);
	return good;
}

static void check_map(const struct bytes *bytes)
{
	struct flexbuffer_number number;
	struct flexbuffer_map map;
	void *copy;

	CHECK(open_copy(&map, bytes->data, bytes->size, &copy) && map.count == 2);
	CHECK(!strcmp(flexbuffer_key(&map, 0), "a") && !strcmp(flexbuffer_key(&map, 1), "bc"));
	number = flexbuffer_value(&map, 0);
	CHECK(number.kind == FLEXBUFFER_INTEGER && number.integer == -3 && number.real == -3);
	number = flexbuffer_value(&map, 1);
	CHECK(number.kind == FLEXBUFFER_INTEGER && number.integer == 200 && number.real == 200);
	CHECK(!map.wrong);
	free(copy);
}

static void test_widths(void)
{
	for (int i = 0; i < 64; i++) {
		struct layout l = { 1u << i % 4, 1u << i / 4 % 4, 1u << i / 16 };
		size_t keys, values;
		struct bytes map = make_map(&l, &keys, &values);

		check_map(&map);
	}
}

/*
 * Without its beginning there is no string; without its end the last byte is another; and nothing
 * behind it is read.
 */
static void test_parts(void)
{
	struct layout l = { 2, 2, 2 };
	size_t keys, values;
	struct bytes map = make_map(&l, &keys, &values), part;

	for (size_t cut = 1; cut <= map.size; cut++) {
		part.size = map.size - cut;
		memcpy(part.data, map.data + cut, part.size);
		CHECK(!can_read(&part));
	}
	for (size_t i = 0; i < map.size; i++) {
		for (uint32_t byte = 0; byte < 256; byte++) {
			part = map;
			part.data[i] = byte;
			can_read(&part); /* whatever it says, for the sanitizers */
		}
	}
	for (part.size = 0; part.size < map.size; part.size++) {
		memcpy(part.data, map.data, part.size);
		can_read(&part);
	}
}

static void test_wrong_bytes(void)
{
	static const uint8_t widths[] = { 0, 3, 5, 6, 7, 9, 12, 16, 24, 32, 64, 128, 255 };
	struct layout l = { 4, 1, 1 };
	size_t keys, values;
	struct bytes map = make_map(&l, &keys, &values), other;

	for (size_t i = 0; i < sizeof(widths); i++) {
		other = map;
		other.data[map.size - 1] = widths[i];
		CHECK(!can_read(&other));
		other = map;
		other.data[values - 8] = widths[i];
		CHECK(!can_read(&other));
	}
	for (uint32_t kind = 0; kind < 64; kind++) {
		other = map;
		other.data[map.size - 2] = kind << 2 | 2;
		CHECK(can_read(&other) == (kind == MAP));
	}
	/* Values: one more has no type, and many more lie behind the end. */
	for (uint32_t count = 0; count < 256; count++) {
		other = map;
		other.data[values - 4] = count;
		other.data[keys - 1] = count;
		CHECK(count > 2 || can_read(&other));
		CHECK(count < 10 || !can_read(&other));
	}
	/* In the order of their names, and no name twice. */
	other = map;
	other.data[0] = 'b';
	CHECK(can_read(&other));
	other.data[3] = 0;
	CHECK(!can_read(&other));
	other.data[0] = 'c';
	CHECK(!can_read(&other));
	/* An offset of 0 leads to itself, and of more than there is before it. */
	other = map;
	other.data[keys] = keys;
	CHECK(can_read(&other));
	other.data[keys] = keys + 1;
	CHECK(!can_read(&other));
}

/* Reads "x" of a map, whose number is so wide, and stands before the map if it is indirect. */
static struct flexbuffer_number read_number(uint32_t kind, uint32_t width, uint64_t value, bool *wrong)
{
	bool indirect = kind >= INDIRECT_INT && kind <= INDIRECT_FLOAT;
	uint32_t entry = indirect ? 1 : width;
	struct flexbuffer_number number;
	struct bytes to = { .size = 0 };
	struct flexbuffer_map map;
	size_t keys, values;
	void *copy;

	put(&to, value, width);
	put(&to, 'x', 2);
	put(&to, 1, 1);
	keys = to.size;
	put(&to, 3, 1);
	put(&to, to.size - keys, entry);
	put(&to, 1, entry);
	put(&to, 1, entry);
	values = to.size;
	put(&to, indirect ? to.size : value, entry);
	put_type(&to, kind, width);
	put(&to, to.size - values, 1);
	put_type(&to, MAP, entry);
	put(&to, 1, 1);
	CHECK(open_copy(&map, to.data, to.size, &copy) && map.count == 1 && !strcmp(flexbuffer_key(&map, 0), "x"));
	number = flexbuffer_value(&map, 0);
	*wrong = map.wrong;
	free(copy);
	return number;
}

static void check_integer(uint32_t kind, uint32_t width, uint64_t value, int64_t expected)
{
	bool wrong;
	struct flexbuffer_number number = read_number(kind, width, value, &wrong);

	CHECK(!wrong && number.kind == FLEXBUFFER_INTEGER && number.integer == expected &&
	      number.real == (double)expected);
}

static void test_numbers(void)
{
	struct flexbuffer_number number;
	uint64_t bits;
	float single;
	double real;
	bool wrong;

	for (int indirect = 0; indirect < 2; indirect++) {
		uint32_t signed_kind = indirect ? INDIRECT_INT : INT, unsigned_kind = indirect ? INDIRECT_UINT : UINT;
		uint32_t real_kind = indirect ? INDIRECT_FLOAT : FLOAT;

		for (uint32_t width = 1; width <= 8; width *= 2) {
			int64_t most = INT64_MAX >> (64 - 8 * width);

			check_integer(signed_kind, width, 0, 0);
			check_integer(signed_kind, width, most, most);
			check_integer(signed_kind, width, -most - 1, -most - 1);
			check_integer(signed_kind, width, -1, -1);
			check_integer(unsigned_kind, width, most, most);
			if (width < 8)
				check_integer(unsigned_kind, width, -1, 2 * most + 1);
			number = read_number(unsigned_kind, width, -1, &wrong);
			CHECK(wrong == (width == 8));
			real = -0.3;
			single = real;
			bits = 0;
			memcpy(&bits, width == 8 ? (void *)&real : (void *)&single, width == 8 ? 8 : 4);
			number = read_number(real_kind, width, bits, &wrong);
			CHECK(wrong == (width < 4) && number.kind == FLEXBUFFER_REAL);
			CHECK(wrong || number.real == (width == 8 ? real : single));
		}
	}
	check_integer(BOOL, 1, 0, 0);
	check_integer(BOOL, 1, 1, 1);
	check_integer(BOOL, 1, 200, 1);
	number = read_number(STRING, 1, 1, &wrong);
	CHECK(number.kind == FLEXBUFFER_OTHER);
}

/*
 * A map has three numbers in front of its values. Two bytes are no room for them; three are, but
 * then the keys are nowhere.
 */
static void test_no_room(void)
{
	static const struct {
		const char *says;
		uint8_t data[8];
		uint32_t size;
	} cases[] = {
		{ "they are no map", { 1, 1, 1, MAP << 2, 1 }, 5 },
		{ "they are no map", { 1, 1, 1, 1, MAP << 2, 1 }, 6 },
		{ "an offset in them leads out of them", { 1, 1, 1, 0, 1, MAP << 2, 1 }, 7 },
		{ "an offset in them leads out of them", { 9, 9, 9, 9, MAP << 2, 1 }, 6 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct flexbuffer_map map;
		void *copy;

		if (!CHECK(!open_copy(&map, cases[i].data, cases[i].size, &copy) && map.wrong && !strcmp(map.wrong, cases[i].says)))
			printf("# case %zu: %s\n", i, map.wrong);
		free(copy);
	}
}

int main(void)
{
	tap_run("each width", test_widths);
	tap_run("no room", test_no_room);
	tap_run("parts of a map", test_parts);
	tap_run("wrong bytes", test_wrong_bytes);
	tap_run("numbers", test_numbers);
	return tap_end();
}
