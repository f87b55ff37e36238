// SPDX-License-Identifier: MIT
/*
 * Reads an ONNX file into protobuf-c's structures. Nothing in it is trusted.
 *
 * protobuf-c bounds every read by the buffer it is given, but neither its recursion nor its memory:
 * a few bytes of a hostile file can cost a stack frame or an object of a hundred bytes. So the
 * bytes are walked once before (nesting depth, fields that may occur only once), and unpacking has
 * a budget of memory in proportion to what it gets.
 *
 * It copies all bytes, and weights are most of a file. So it gets the file without them: in the
 * place of a tensor's raw data are its offset and size, unless it is short.
 *
 * Others may write to a file that is mapped (import/folder.h), between two looks at it as well. So
 * what is unpacked, shapes and axes included, is a copy, and making it relies on nothing that was
 * read before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_FILE_SIZE INT32_MAX /* bytes, which is protobuf's own limit */
#define RAW_DATA 9 /* the number of TensorProto's field */
#define MAX_DEPTH 48 /* of messages in messages: an If in a Loop in a function needs less than 20 \
		      */

/* Memory for what is unpacked, of so many bytes: these, once, and generous room for structures. */
#define BUDGET(size) (((size_t)1 << 20) + 32 * (size_t)(size))

/* Memory is counted per block, which carries its size in front. */
struct budget {
	size_t left;
	bool exceeded, no_memory;
};

union block {
	size_t size;
	max_align_t align;
};

static void *budget_alloc(void *data, size_t size)
{
	struct budget *budget = data;
	union block *block;

	if (size > budget->left) {
		budget->exceeded = true;
		return NULL;
	}
	block = malloc(sizeof(*block) + size);
	if (!block) {
		budget->no_memory = true;
		return NULL;
	}
	block->size = size;
	budget->left -= size;
	return block + 1;
}

static void budget_free(void *data, void *pointer)
{
	struct budget *budget = data;
	union block *block = pointer;

	if (!pointer)
		return;
	budget->left += block[-1].size;
	free(block - 1);
}

/* A cursor over bytes; running off the end is remembered and reads as zero. */
struct cursor {
	const uint8_t *at, *end;
	bool overrun;
};

static uint64_t take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 70 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->overrun = true;
	return 0;
}

static const uint8_t *take_bytes(struct cursor *c, uint64_t size)
{
	const uint8_t *at = c->at;

	if (size > (uint64_t)(c->end - c->at)) {
		c->overrun = true;
		return NULL;
	}
	c->at += size;
	return at;
}

/* A reference in the place of a tensor's raw data: any of exactly REFERENCE_SIZE bytes is one. */
struct raw_reference {
	uint64_t offset, size; /* in the file */
};

#define REFERENCE_SIZE (sizeof(struct raw_reference) + 1) /* which is odd: few have it */
#define SHORT 4096 /* bytes of raw data up to which it stays in its place */

static bool is_raw_data(const ProtobufCMessageDescriptor *type, uint64_t number)
{
	return type == &onnx__tensor_proto__descriptor && number == RAW_DATA;
}

static bool is_referred_to(uint64_t size)
{
	return size > SHORT || size == REFERENCE_SIZE;
}

/* Bytes that a field's value loses when it is referred to. */
static uint64_t saved_bytes(uint64_t size)
{
	return is_referred_to(size) ? size - REFERENCE_SIZE : 0;
}

/* Walks one message; NULL or what is wrong with it. *saved: bytes that raw data loses. */
static const char *walk(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, uint64_t size,
			int depth, uint64_t *saved)
{
	struct cursor c = { .at = bytes, .end = bytes + size };
	uint64_t seen = 0;

	if (depth > MAX_DEPTH)
		return "its messages are nested too deeply";
	while (c.at < c.end) {
		uint64_t key = take_varint(&c);
		const ProtobufCFieldDescriptor *field;
		const uint8_t *start;
		const char *wrong;
		uint64_t length;

		/* A file of zeros, for one, would else be walked to its end. */
		if (!(key >> 3))
			return "a field has no number";
		switch (key & 7) {
		case 0:
			take_varint(&c);
			break;
		case 1:
			take_bytes(&c, 8);
			break;
		case 5:
			take_bytes(&c, 4);
			break;
		case 2:
			length = take_varint(&c);
			start = take_bytes(&c, length);
			if (c.overrun)
				break;
			if (key >> 3 > UINT32_MAX)
				return "a field has an impossible number";
			if (is_raw_data(type, key >> 3))
				*saved += saved_bytes(length);
			field = protobuf_c_message_descriptor_get_field(type, key >> 3);
			if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
				break;
			/* Merging is the format's rule for a repeated singular field; no writer
			 * needs it, and its cost is quadratic. */
			if (field->label != PROTOBUF_C_LABEL_REPEATED) {
				uint64_t bit = 1ull << (field - type->fields);

				if (seen & bit)
					return "a field that may occur only once occurs twice";
				seen |= bit;
			}
			wrong = walk(field->descriptor, start, length, depth + 1, saved);
			if (wrong)
				return wrong;
			break;
		default:
			return "a field has an unknown wire type";
		}
		if (c.overrun)
			return "it ends in the middle of a field";
	}
	return NULL;
}

/* ---- The file without its weights ---- */

struct squeeze {
	const uint8_t *file;
	uint8_t *to, *end; /* how far it has been written, and how far it can be */
	bool overrun; /* the file is not what was walked */
};

static void put_bytes(struct squeeze *squeeze, const void *bytes, size_t size)
{
	if (!bytes || size > (size_t)(squeeze->end - squeeze->to)) {
		squeeze->overrun = true;
		return;
	}
	memcpy(squeeze->to, bytes, size);
	squeeze->to += size;
}

/* A length in as many bytes as it had; it has not grown. */
static void put_length(uint8_t *to, uint64_t length, size_t bytes)
{
	for (; bytes > 1; bytes--, length >>= 7)
		*to++ = (length & 0x7f) | 0x80;
	*to = length;
}

/* Copies a message that has been walked, in which nothing is taken for granted all the same. */
static void squeeze_message(struct squeeze *squeeze, const ProtobufCMessageDescriptor *type,
			    const uint8_t *bytes, uint64_t size, int depth)
{
	struct cursor c = { .at = bytes, .end = bytes + size };

	squeeze->overrun |= depth > MAX_DEPTH;
	while (c.at < c.end && !squeeze->overrun) {
		const uint8_t *start = c.at, *value;
		uint64_t key = take_varint(&c), length;
		const ProtobufCFieldDescriptor *field;
		uint8_t *head;
		size_t length_bytes;

		if ((key & 7) != 2) {
			if ((key & 7) == 0)
				take_varint(&c);
			else
				take_bytes(&c, (key & 7) == 1 ? 8 : 4);
			put_bytes(squeeze, start, c.at - start);
			continue;
		}
		head = squeeze->to + (c.at - start);
		value = c.at;
		length = take_varint(&c);
		length_bytes = c.at - value;
		put_bytes(squeeze, start, c.at - start);
		value = take_bytes(&c, length);
		squeeze->overrun |= c.overrun || key >> 3 > UINT32_MAX;
		if (squeeze->overrun)
			return;
		field = protobuf_c_message_descriptor_get_field(type, key >> 3);
		if (is_raw_data(type, key >> 3) && is_referred_to(length)) {
			struct raw_reference reference = { value - squeeze->file, length };

			put_bytes(squeeze, &reference, sizeof(reference));
			put_bytes(squeeze, "", 1);
		} else if (field && field->type == PROTOBUF_C_TYPE_MESSAGE) {
			squeeze_message(squeeze, field->descriptor, value, length, depth + 1);
		} else {
			put_bytes(squeeze, value, length);
		}
		put_length(head, squeeze->to - head - length_bytes, length_bytes);
	}
}

bool onnx_find_raw(const struct nn_model_source *source, const Onnx__TensorProto *tensor,
		   const void **data, uint64_t *size)
{
	struct raw_reference reference;

	*data = tensor->raw_data.data;
	*size = tensor->raw_data.len;
	if (*size != REFERENCE_SIZE)
		return tensor->has_raw_data;
	memcpy(&reference, *data, sizeof(reference));
	if (reference.offset > source->size ||
	    reference.size > source->size - reference.offset)
		return false;
	*data = (const uint8_t *)source->data + reference.offset;
	*size = reference.size;
	return true;
}

bool onnx_raw_data(const struct onnx_import *import, const Onnx__TensorProto *tensor,
		   const void **data, uint64_t *size)
{
	return onnx_find_raw(import->source, tensor, data, size);
}

/* ---- The file ---- */

/* Four bytes at a time, by a table for each. */
static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t table[4][256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
		table[0][i] = value;
	}
	for (uint32_t i = 0; i < 256; i++) {
		for (int k = 1; k < 4; k++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
	}
	for (; size >= 4; size -= 4, bytes += 4)
		crc = table[3][(crc ^ bytes[0]) & 0xff] ^ table[2][(crc >> 8 ^ bytes[1]) & 0xff] ^
		      table[1][(crc >> 16 ^ bytes[2]) & 0xff] ^ table[0][crc >> 24 ^ bytes[3]];
	for (; size; size--, bytes++)
		crc = crc >> 8 ^ table[0][(crc ^ *bytes) & 0xff];
	return ~crc;
}

/*
 * A writer can end a file with the metadata entry "org.nnloop.crc32": zlib's CRC-32 of all bytes
 * before the entry, as 8 hexadecimal digits. The format itself would not notice a changed weight.
 */
static bool checksum_is_wrong(const uint8_t *bytes, size_t size)
{
	static const uint8_t head[] = "\x72\x1c\x0a\x10"
				      "org.nnloop.crc32"
				      "\x12\x08";
	const size_t head_size = sizeof(head) - 1;
	char digits[9];

	if (size < head_size + 8 || memcmp(bytes + size - head_size - 8, head, head_size))
		return false;
	snprintf(digits, sizeof(digits), "%08" PRIx32, crc32_of(bytes, size - head_size - 8));
	return memcmp(bytes + size - 8, digits, 8) != 0;
}

Onnx__ModelProto *onnx_unpack(const void *data, size_t size, const char **wrong)
{
	struct budget budget = { 0 };
	ProtobufCAllocator allocator = { budget_alloc, budget_free, &budget };
	struct squeeze squeeze = { .file = data };
	Onnx__ModelProto *model;
	uint64_t saved = 0;
	uint8_t *squeezed;

	if (!size) {
		*wrong = "it is empty";
		return NULL;
	}
	if (size > MAX_FILE_SIZE) {
		*wrong = "it is larger than 2 GiB";
		return NULL;
	}
	*wrong = walk(&onnx__model_proto__descriptor, data, size, 0, &saved);
	if (*wrong)
		return NULL;
	if (checksum_is_wrong(data, size)) {
		*wrong = "its checksum is wrong, the file is damaged";
		return NULL;
	}
	budget.left = BUDGET(size - saved);
	squeezed = malloc(size - saved);
	if (!squeezed)
		return NULL;
	squeeze.to = squeezed;
	squeeze.end = squeezed + (size - saved);
	squeeze_message(&squeeze, &onnx__model_proto__descriptor, data, size, 0);
	if (squeeze.overrun)
		model = NULL;
	else
		model = onnx__model_proto__unpack(&allocator, squeeze.to - squeezed, squeezed);
	free(squeezed);
	if (!model && !budget.no_memory)
		*wrong = budget.exceeded ? "it needs more memory than a file of its size can" :
					   "a field is malformed";
	return model;
}

bool onnx_set_string(char **string, const char *to)
{
	struct budget budget = { .left = SIZE_MAX };
	char *copy = budget_alloc(&budget, strlen(to) + 1);

	if (!copy)
		return false;
	strcpy(copy, to);
	budget_free(&budget, *string);
	*string = copy;
	return true;
}

void onnx_free(Onnx__ModelProto *model)
{
	struct budget unused = { 0 };
	ProtobufCAllocator allocator = { budget_alloc, budget_free, &unused };

	if (model)
		onnx__model_proto__free_unpacked(model, &allocator);
}
