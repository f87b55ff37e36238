// SPDX-License-Identifier: MIT
/*
 * Reads an ONNX file into protobuf-c's structures. Nothing in it is trusted.
 *
 * protobuf-c bounds every read by the buffer it is given, but neither its recursion nor its memory:
 * a few bytes of a hostile file can cost a stack frame or an object of a hundred bytes. So the
 * bytes are walked once before (nesting depth, fields that may occur only once), and unpacking has
 * a budget of memory in proportion to the file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_FILE_SIZE (1u << 30) /* bytes; protobuf's own limit is twice that */
#define MAX_DEPTH 48 /* of messages in messages: an If in a Loop in a function needs less than 20 \
		      */

/* Memory for what is unpacked: what is in the file, once, and generous room for structures. */
#define BUDGET(size) (((size_t)1 << 20) + 32 * (size_t)(size))

/* Memory is counted per block, which carries its size in front. */
struct budget {
	size_t left;
	bool exceeded;
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
	if (!block)
		return NULL;
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

/* Walks one message; NULL or what is wrong with it. */
static const char *walk(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, uint64_t size,
			int depth)
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
			wrong = walk(field->descriptor, start, length, depth + 1);
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

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t crc = ~0u;

	while (size--) {
		crc ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
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
	struct budget budget = { .left = BUDGET(size) };
	ProtobufCAllocator allocator = { budget_alloc, budget_free, &budget };
	Onnx__ModelProto *model;

	if (!size) {
		*wrong = "it is empty";
		return NULL;
	}
	if (size > MAX_FILE_SIZE) {
		*wrong = "it is larger than 1 GiB";
		return NULL;
	}
	*wrong = walk(&onnx__model_proto__descriptor, data, size, 0);
	if (*wrong)
		return NULL;
	if (checksum_is_wrong(data, size)) {
		*wrong = "its checksum is wrong, the file is damaged";
		return NULL;
	}
	model = onnx__model_proto__unpack(&allocator, size, data);
	if (!model)
		*wrong = budget.exceeded ? "it needs more memory than a file of its size can" :
					   "a field is malformed";
	return model;
}

void onnx_free(Onnx__ModelProto *model)
{
	struct budget unused = { 0 };
	ProtobufCAllocator allocator = { budget_alloc, budget_free, &unused };

	if (model)
		onnx__model_proto__free_unpacked(model, &allocator);
}
