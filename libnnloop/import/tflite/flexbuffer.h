/* SPDX-License-Identifier: MIT */
/*
 * Reads FlexBuffers (https://flatbuffers.dev/flexbuffers), the encoding of custom operators'
 * options, as far as these need it: a map from names to numbers. Nothing of it is trusted: what is
 * outside of its bytes, or not as it should be, is remembered as flatbuffer.h does it, and reads as
 * nothing.
 */
#ifndef NN_FLEXBUFFER_H
#define NN_FLEXBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flexbuffer_map {
	const uint8_t *data;
	uint32_t size;
	const char *wrong; /* what was; NULL: nothing so far */
	uint32_t count;
	/*
	 * The offsets at which keys and values begin, how wide an entry of each is, and where the
	 * values' types are.
	 */
	uint32_t keys, key_width, values, width, types;
};

enum flexbuffer_kind {
	FLEXBUFFER_OTHER, /* no number */
	FLEXBUFFER_INTEGER, /* a bool is 0 or 1 */
	FLEXBUFFER_REAL,
};

struct flexbuffer_number {
	enum flexbuffer_kind kind;
	int64_t integer;
	double real; /* of both kinds */
};

/* False: it is no map. The bytes must live as long as what is read. */
bool flexbuffer_open_map(struct flexbuffer_map *map, const void *data, size_t size);
/* Keys are in their order, and each is another; NULL: something is wrong. */
const char *flexbuffer_key(struct flexbuffer_map *map, uint32_t i);
struct flexbuffer_number flexbuffer_value(struct flexbuffer_map *map, uint32_t i);

#endif
