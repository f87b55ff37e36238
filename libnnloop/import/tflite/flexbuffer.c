// SPDX-License-Identifier: MIT
/*
 * FlexBuffers. The last byte is the width of the root, before it is its type, and before that the
 * root itself. A type is a byte: the two low bits say how wide what is referred to is, 1, 2, 4 or 8
 * bytes, the others what it is. Offsets lead backward from where they stand, and have the width of
 * what they stand in.
 *
 * A map is a vector of values, behind which are their types, and in front of which are the offset
 * of its keys, the width of these, and the number of its values. Keys are a vector of offsets of
 * strings that end with 0, in the order of strcmp().
 */
#include <string.h>

#include "import/tflite/flexbuffer.h"

#define MAX_SIZE (1u << 20) /* of options of an operator */

enum type {
	TYPE_INT = 1,
	TYPE_UINT = 2,
	TYPE_FLOAT = 3,
	TYPE_INDIRECT_INT = 6,
	TYPE_INDIRECT_UINT = 7,
	TYPE_INDIRECT_FLOAT = 8,
	TYPE_MAP = 9,
	TYPE_BOOL = 26,
};

static bool set_wrong(struct flexbuffer_map *map, const char *what)
{
	if (!map->wrong)
		map->wrong = what;
	return false;
}

/* A number of 1, 2, 4 or 8 bytes; 0 if it is not all there. */
static uint64_t load(struct flexbuffer_map *map, uint64_t at, uint32_t width)
{
	uint64_t value = 0;

	if (map->wrong || at > map->size || width > map->size - at) {
		set_wrong(map, "they refer to what is not in them");
		return 0;
	}
	for (uint32_t i = 0; i < width; i++)
		value |= (uint64_t)map->data[at + i] << (8 * i);
	return value;
}

/* Returns where the offset at `at` leads. */
static uint32_t follow(struct flexbuffer_map *map, uint32_t at, uint32_t width)
{
	uint64_t back = load(map, at, width);

	if (back > at || !back) {
		set_wrong(map, "an offset in them leads out of them");
		return 0;
	}
	return at - back;
}

static uint32_t width_of(uint8_t type)
{
	return 1u << (type & 3);
}

/* The vector at `at`, which has its length in front: whether there are so many entries. */
static bool has_entries(struct flexbuffer_map *map, uint32_t at, uint32_t width, uint64_t count)
{
	return !map->wrong && count <= (map->size - at) / width;
}

bool flexbuffer_open_map(struct flexbuffer_map *map, const void *data, size_t size)
{
	uint32_t root_width, at;
	uint64_t count;
	uint8_t type;

	*map = (struct flexbuffer_map) { .data = data };
	if (size < 3 || size > MAX_SIZE)
		return set_wrong(map, size < 3 ? "they are too short" : "they are too long");
	map->size = size;
	root_width = map->data[size - 1];
	type = map->data[size - 2];
	if (type >> 2 != TYPE_MAP || root_width > 8 || !root_width ||
	    (root_width & (root_width - 1)) || root_width + 2 > size)
		return set_wrong(map, "they are no map");
	at = follow(map, size - 2 - root_width, root_width);
	map->width = width_of(type);
	if (at < 3 * map->width)
		return set_wrong(map, "they are no map");
	count = load(map, at - map->width, map->width);
	map->key_width = load(map, at - 2 * map->width, map->width);
	map->keys = follow(map, at - 3 * map->width, map->width);
	map->values = at;
	if (map->key_width > 8 || !map->key_width || (map->key_width & (map->key_width - 1)) ||
	    !has_entries(map, map->values, map->width + 1, count) ||
	    !has_entries(map, map->keys, map->key_width, count))
		return set_wrong(map, "they are shorter than they say");
	map->count = count;
	map->types = at + map->count * map->width;
	return true;
}

static const char *read_key(struct flexbuffer_map *map, uint32_t i)
{
	uint32_t at = follow(map, map->keys + i * map->key_width, map->key_width);

	if (map->wrong || !memchr(map->data + at, 0, map->size - at)) {
		set_wrong(map, "a name in them does not end");
		return NULL;
	}
	return (const char *)map->data + at;
}

const char *flexbuffer_key(struct flexbuffer_map *map, uint32_t i)
{
	const char *key = read_key(map, i), *before = i ? read_key(map, i - 1) : NULL;

	if (key && before && strcmp(before, key) >= 0) {
		set_wrong(map, "names in them are not in their order");
		return NULL;
	}
	return key;
}

static double load_real(struct flexbuffer_map *map, uint32_t at, uint32_t width)
{
	uint64_t bits = load(map, at, width);
	uint32_t half = bits;
	double real = 0;
	float single;

	if (width == 8) {
		memcpy(&real, &bits, sizeof(real));
		return real;
	}
	if (width != 4) {
		set_wrong(map, "they have a real number of less than 4 bytes");
		return 0;
	}
	memcpy(&single, &half, sizeof(single));
	return single;
}

struct flexbuffer_number flexbuffer_value(struct flexbuffer_map *map, uint32_t i)
{
	struct flexbuffer_number number = { .kind = FLEXBUFFER_INTEGER };
	uint32_t at = map->values + i * map->width, width = map->width, unused;
	uint8_t packed = load(map, (uint64_t)map->types + i, 1);
	enum type type = packed >> 2;

	if (type >= TYPE_INDIRECT_INT && type <= TYPE_INDIRECT_FLOAT) {
		at = follow(map, at, width);
		width = width_of(packed);
		type = TYPE_INT + (type - TYPE_INDIRECT_INT);
	}
	unused = 64 - 8 * width;
	switch (type) {
	case TYPE_INT:
		number.integer = (int64_t)(load(map, at, width) << unused) >> unused;
		break;
	case TYPE_UINT:
		number.integer = (int64_t)load(map, at, width);
		if (number.integer < 0)
			set_wrong(map, "they have a number of more than 63 bits");
		break;
	case TYPE_BOOL:
		number.integer = load(map, at, width) != 0;
		break;
	case TYPE_FLOAT:
		return (struct flexbuffer_number){ .kind = FLEXBUFFER_REAL,
						   .real = load_real(map, at, width) };
	default:
		return (struct flexbuffer_number){ .kind = FLEXBUFFER_OTHER };
	}
	number.real = (double)number.integer;
	return number;
}
