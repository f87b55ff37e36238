// SPDX-License-Identifier: MIT
/* Zip archives (zip.h), by PKWARE's APPNOTE.TXT. All numbers have their low bytes first. */
#include <string.h>

#include "import/zip.h"

#define END_SIZE	22u /* of the record at the end of the directory, without its comment */
#define END_COUNT	10
#define END_BYTES	12
#define END_OFFSET	16
#define END_COMMENT	20
#define MOST_COMMENT	65535u

#define ENTRY_SIZE	46u /* of one in the directory, without its name and more */
#define ENTRY_FLAGS	8
#define ENTRY_METHOD	10
#define ENTRY_PACKED	20
#define ENTRY_UNPACKED	24
#define ENTRY_NAME	28
#define ENTRY_EXTRA	30
#define ENTRY_COMMENT	32
#define ENTRY_OFFSET	42

#define LOCAL_SIZE	30u /* of the head in front of the data, without its name and more */
#define LOCAL_NAME	26
#define LOCAL_EXTRA	28

#define ENCRYPTED	1

static uint32_t load(const uint8_t *from, uint32_t size)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint32_t)from[i] << (8 * i);
	return value;
}

static bool has_sign(const uint8_t *at, const char sign[4])
{
	return !memcmp(at, sign, 4);
}

bool zip_is(const void *data, size_t size)
{
	return size >= 4 && has_sign(data, "PK\3\4");
}

bool zip_open(struct zip *zip, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t back = END_SIZE; back <= size && back <= END_SIZE + MOST_COMMENT; back++) {
		const uint8_t *end = bytes + size - back;
		uint64_t length, offset;

		if (!has_sign(end, "PK\5\6") || load(end + END_COMMENT, 2) != back - END_SIZE)
			continue;
		length = load(end + END_BYTES, 4);
		offset = load(end + END_OFFSET, 4);
		if (offset + length > size - back)
			return false;
		*zip = (struct zip){
			.data = bytes,
			.size = size,
			.base = size - back - length - offset,
			.at = size - back - length,
			.end = size - back,
			.left = load(end + END_COUNT, 2),
		};
		return true;
	}
	return false;
}

/* Where an entry's data are; NULL: not in the file. */
static const uint8_t *find_data(const struct zip *zip, uint64_t at, size_t size)
{
	uint64_t data;

	if (at > zip->size || zip->size - at < LOCAL_SIZE || !has_sign(zip->data + at, "PK\3\4"))
		return NULL;
	data = at + LOCAL_SIZE + load(zip->data + at + LOCAL_NAME, 2) +
	       load(zip->data + at + LOCAL_EXTRA, 2);
	return data > zip->size || size > zip->size - data ? NULL : zip->data + data;
}

bool zip_next(struct zip *zip, struct zip_entry *entry)
{
	const uint8_t *at = zip->data + zip->at;
	uint64_t size;

	if (!zip->left || zip->end - zip->at < ENTRY_SIZE || !has_sign(at, "PK\1\2"))
		return false;
	size = ENTRY_SIZE + load(at + ENTRY_NAME, 2);
	if (size > zip->end - zip->at)
		return false;
	*entry = (struct zip_entry){
		.name = (const char *)at + ENTRY_SIZE,
		.name_size = load(at + ENTRY_NAME, 2),
		.is_stored = !load(at + ENTRY_METHOD, 2) &&
			     !(load(at + ENTRY_FLAGS, 2) & ENCRYPTED) &&
			     load(at + ENTRY_PACKED, 4) == load(at + ENTRY_UNPACKED, 4),
		.size = load(at + ENTRY_UNPACKED, 4),
	};
	if (entry->is_stored)
		entry->data = find_data(zip, zip->base + load(at + ENTRY_OFFSET, 4), entry->size);
	size += (uint64_t)load(at + ENTRY_EXTRA, 2) + load(at + ENTRY_COMMENT, 2);
	zip->at += size < zip->end - zip->at ? size : zip->end - zip->at;
	zip->left--;
	return true;
}
