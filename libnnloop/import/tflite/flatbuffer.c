// SPDX-License-Identifier: MIT
/*
 * FlatBuffers. A table begins with the way back to its vtable: two bytes each for the size of the
 * vtable, that of the table, and, for each field, where in the table it is, or 0. Tables, vectors
 * and strings are reached by offsets of 32 bits, which lead forward from where they stand. All is
 * little-endian.
 */
#include <string.h>

#include "import/tflite/flatbuffer.h"

#define BUDGET_TIMES 4 /* the file may be read, and a little for small ones */
#define BUDGET_MORE 65536

#define IDENTIFIER_AT 4
#define MIN_SIZE 8

static void set_wrong(struct flatbuffer *buffer, const char *what)
{
	if (!buffer->wrong)
		buffer->wrong = what;
}

/* Takes `size` bytes at `at`: whether they are in the file, aligned, and not too many in all. */
static bool take(struct flatbuffer *buffer, uint64_t at, uint64_t size, uint32_t alignment)
{
	if (buffer->wrong)
		return false;
	if (at > buffer->size || size > buffer->size - at) {
		set_wrong(buffer, "it ends before something that it refers to");
		return false;
	}
	if (at % alignment) {
		set_wrong(buffer, "something in it is not aligned");
		return false;
	}
	if (size > buffer->budget) {
		set_wrong(buffer, "it refers to the same bytes over and over");
		return false;
	}
	buffer->budget -= size;
	return true;
}

/* Loads a number from bytes that were taken. */
static uint64_t load(const struct flatbuffer *buffer, uint64_t at, uint32_t size)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint64_t)buffer->data[at + i] << (8 * i);
	return value;
}

bool flatbuffer_open(struct flatbuffer *buffer, const void *data, size_t size)
{
	*buffer = (struct flatbuffer){ .data = data };
	if (size < MIN_SIZE) {
		set_wrong(buffer, "it is too short");
		return false;
	}
	/* Offsets lead no further. */
	buffer->size = size < INT32_MAX ? size : INT32_MAX;
	buffer->budget = BUDGET_TIMES * (uint64_t)buffer->size + BUDGET_MORE;
	return true;
}

bool flatbuffer_is(const void *data, size_t size, const char identifier[4])
{
	return size >= MIN_SIZE && !memcmp((const uint8_t *)data + IDENTIFIER_AT, identifier, 4);
}

/*
 * Returns where the offset at `at` leads; after something that was wrong, anywhere: nothing is
 * taken then.
 */
static uint32_t follow(struct flatbuffer *buffer, uint32_t at)
{
	uint64_t to = take(buffer, at, 4, 4) ? at + load(buffer, at, 4) : 0;

	if (to == at || to > buffer->size)
		set_wrong(buffer, "an offset in it leads out of it");
	return to;
}

static struct flatbuffer_table read_table(struct flatbuffer *buffer, uint32_t at)
{
	struct flatbuffer_table table = { .at = at };
	int64_t vtable;
	uint32_t length;

	if (!at || !take(buffer, at, 4, 4))
		return (struct flatbuffer_table){ 0 };
	vtable = (int64_t)at - (int32_t)load(buffer, at, 4);
	if (vtable < 0 || !take(buffer, vtable, 4, 2)) {
		set_wrong(buffer, "a table in it is not described");
		return (struct flatbuffer_table){ 0 };
	}
	length = load(buffer, vtable, 2);
	table.size = load(buffer, vtable + 2, 2);
	if (length < 4 || length % 2 || table.size < 4)
		set_wrong(buffer, "the description of a table in it makes no sense");
	if (!take(buffer, vtable, length, 2) || !take(buffer, at, table.size, 4))
		return (struct flatbuffer_table){ 0 };
	table.vtable = vtable + 4;
	table.fields = (length - 4) / 2;
	return table;
}

struct flatbuffer_table flatbuffer_root(struct flatbuffer *buffer)
{
	return read_table(buffer, follow(buffer, 0));
}

bool flatbuffer_has(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
		    uint32_t field)
{
	return !buffer->wrong && field < table->fields &&
	       load(buffer, table->vtable + 2 * field, 2);
}

/* Returns where a field of `size` bytes is; 0: it is absent. */
static uint32_t find_field(struct flatbuffer *buffer, const struct flatbuffer_table *table,
			   uint32_t field, uint32_t size)
{
	uint32_t offset;

	if (!flatbuffer_has(buffer, table, field))
		return 0;
	offset = load(buffer, table->vtable + 2 * field, 2);
	if (offset < 4 || offset + size > table->size) {
		set_wrong(buffer, "a field of a table in it is outside of that");
		return 0;
	}
	return take(buffer, table->at + offset, size, size) ? table->at + offset : 0;
}

int64_t flatbuffer_int(struct flatbuffer *buffer, const struct flatbuffer_table *table,
		       uint32_t field, uint32_t size, int64_t otherwise)
{
	uint32_t at = find_field(buffer, table, field, size);
	uint32_t unused = 64 - 8 * size;

	if (!at)
		return otherwise;
	return (int64_t)(load(buffer, at, size) << unused) >> unused;
}

float flatbuffer_float(struct flatbuffer *buffer, const struct flatbuffer_table *table,
		       uint32_t field, float otherwise)
{
	uint32_t at = find_field(buffer, table, field, 4);
	uint32_t bits;
	float value;

	if (!at)
		return otherwise;
	bits = load(buffer, at, 4);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Returns where what a field refers to is; 0: it is absent. */
static uint32_t follow_field(struct flatbuffer *buffer, const struct flatbuffer_table *table,
			     uint32_t field)
{
	uint32_t at = find_field(buffer, table, field, 4);

	return at ? follow(buffer, at) : 0;
}

struct flatbuffer_table flatbuffer_get_table(struct flatbuffer *buffer,
					     const struct flatbuffer_table *table, uint32_t field)
{
	return read_table(buffer, follow_field(buffer, table, field));
}

struct flatbuffer_vector flatbuffer_get_vector(struct flatbuffer *buffer,
					       const struct flatbuffer_table *table, uint32_t field,
					       uint32_t element_size)
{
	uint32_t at = follow_field(buffer, table, field), alignment = element_size;
	struct flatbuffer_vector vector = { 0 };

	if (!at || !take(buffer, at, 4, 4))
		return vector;
	vector.at = at + 4;
	vector.count = load(buffer, at, 4);
	/* Elements longer than 4 bytes are aligned, too, unless there are none. */
	if (!vector.count)
		alignment = 1;
	if (!take(buffer, vector.at, (uint64_t)vector.count * element_size, alignment))
		return (struct flatbuffer_vector){ 0 };
	return vector;
}

struct flatbuffer_vector flatbuffer_get_tables(struct flatbuffer *buffer,
					       const struct flatbuffer_table *table, uint32_t field)
{
	return flatbuffer_get_vector(buffer, table, field, 4);
}

struct flatbuffer_table flatbuffer_table_at(struct flatbuffer *buffer,
					    const struct flatbuffer_vector *vector, uint32_t i)
{
	if (i >= vector->count)
		return (struct flatbuffer_table){ 0 };
	return read_table(buffer, follow(buffer, vector->at + 4 * i));
}

const void *flatbuffer_elements(const struct flatbuffer *buffer,
				const struct flatbuffer_vector *vector)
{
	return vector->at && !buffer->wrong ? buffer->data + vector->at : NULL;
}

const char *flatbuffer_string(struct flatbuffer *buffer, const struct flatbuffer_table *table,
			      uint32_t field)
{
	struct flatbuffer_vector string = flatbuffer_get_vector(buffer, table, field, 1);

	if (!string.at || !take(buffer, (uint64_t)string.at + string.count, 1, 1))
		return NULL;
	if (buffer->data[string.at + string.count]) {
		set_wrong(buffer, "a string in it does not end");
		return NULL;
	}
	return (const char *)buffer->data + string.at;
}
