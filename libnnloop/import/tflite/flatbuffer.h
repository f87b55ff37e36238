/* SPDX-License-Identifier: MIT */
/*
 * Reads FlatBuffers, the encoding of .tflite files (https://flatbuffers.dev/internals), of which
 * nothing is trusted.
 *
 * Every access is checked where it is made: offsets, vtables, lengths, alignment. The first that
 * fails is remembered in the buffer, and from then on everything is absent; whoever reads asks once
 * he is done whether anything was wrong. So no caller has a branch for damage, and nothing is read
 * that nobody has checked.
 *
 * Offsets may lead many times to the same bytes, which makes a small file as large as one likes to
 * whoever walks through it. So what is read is counted, and may be only a few times the file.
 */
#ifndef NN_FLATBUFFER_H
#define NN_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flatbuffer {
	const uint8_t *data;
	uint32_t size;
	uint64_t budget; /* bytes that may still be read */
	const char *wrong; /* what was; NULL: nothing so far */
};

/* A table. All zero is one that is absent: so are all of its fields. */
struct flatbuffer_table {
	uint32_t at, size;
	uint32_t vtable; /* of field 0's entry */
	uint32_t fields; /* how many have an entry */
};

/* Elements of one size, side by side. All zero: absent, or empty. */
struct flatbuffer_vector {
	uint32_t at, count;
};

/*
 * Opens a file, which must live as long as what is read; nothing is read behind its first 2^31 - 1
 * bytes. False: it is none.
 */
bool flatbuffer_open(struct flatbuffer *buffer, const void *data, size_t size);
/* Whether the four bytes behind the root's offset are these. */
bool flatbuffer_is(const void *data, size_t size, const char identifier[4]);
struct flatbuffer_table flatbuffer_root(struct flatbuffer *buffer);

/* Whether a field is there; what is not has its default. */
bool flatbuffer_has(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
		    uint32_t field);
/* A number of 1, 2, 4 or 8 bytes. */
int64_t flatbuffer_int(struct flatbuffer *buffer, const struct flatbuffer_table *table,
		       uint32_t field, uint32_t size, int64_t otherwise);
float flatbuffer_float(struct flatbuffer *buffer, const struct flatbuffer_table *table,
		       uint32_t field, float otherwise);
struct flatbuffer_table flatbuffer_get_table(struct flatbuffer *buffer,
					     const struct flatbuffer_table *table, uint32_t field);
/* Elements of 1, 2, 4 or 8 bytes. */
struct flatbuffer_vector flatbuffer_get_vector(struct flatbuffer *buffer,
					       const struct flatbuffer_table *table, uint32_t field,
					       uint32_t element_size);
/* A vector of tables. */
struct flatbuffer_vector flatbuffer_get_tables(struct flatbuffer *buffer,
					       const struct flatbuffer_table *table,
					       uint32_t field);
struct flatbuffer_table flatbuffer_table_at(struct flatbuffer *buffer,
					    const struct flatbuffer_vector *vector, uint32_t i);
/* A vector's elements, or a string's characters, behind which there is a 0. NULL: absent. */
const void *flatbuffer_elements(const struct flatbuffer *buffer,
				const struct flatbuffer_vector *vector);
const char *flatbuffer_string(struct flatbuffer *buffer, const struct flatbuffer_table *table,
			      uint32_t field);

#endif
