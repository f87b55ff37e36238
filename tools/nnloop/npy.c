// SPDX-License-Identifier: MIT
/* NumPy's .npy format (numpy.lib.format, versions 1 to 3). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

#define MAX_ELEMENTS ((uint64_t)1 << 30)

static const char magic[] = "\x93NUMPY";
#define MAGIC_SIZE (sizeof(magic) - 1)

static const struct npy_type {
	const char *descr, *name;
	enum nn_data_type type;	/* what a reader of the array sees */
	uint32_t size;		/* in the file */
} npy_types[] = {
	{ "|u1", "uint8", NN_UINT8, 1 },     { "|i1", "int8", NN_INT8, 1 },
	{ "<u2", "uint16", NN_UINT16, 2 },   { "<i2", "int16", NN_INT16, 2 },
	{ "<i4", "int32", NN_INT32, 4 },     { "<i8", "int64", NN_INT64, 8 },
	{ "<f4", "float32", NN_FLOAT32, 4 }, { "<f8", "float64", NN_FLOAT32, 8 },
	{ "|b1", "bool", NN_BOOL, 1 },       { "<u4", "uint32", NN_UINT32, 4 },
	{ "<u8", "uint64", NN_UINT64, 8 },
};

#define TYPE_COUNT (sizeof(npy_types) / sizeof(*npy_types))

bool npy_is(const struct file *file)
{
	return file->size >= MAGIC_SIZE && !memcmp(file->data, magic, MAGIC_SIZE);
}

/* ---- Header ---- */

struct header {
	const struct npy_type *type;
	bool fortran;	/* the first index is the fastest */
};

/* Finds the text behind 'key': in the header, a Python dictionary; NULL if it is not there. */
static const char *find_key(const char *header, const char *key)
{
	char quoted[32];
	const char *at;

	snprintf(quoted, sizeof(quoted), "'%s'", key);
	at = strstr(header, quoted);
	if (!at)
		return NULL;
	at += strlen(quoted);
	at += strspn(at, " :");
	return at;
}

static bool parse_header(const char *text, struct header *header, struct npy *npy)
{
	const char *descr = find_key(text, "descr"), *order = find_key(text, "fortran_order"),
		   *shape = find_key(text, "shape");

	if (!descr || !order || !shape || *shape++ != '(' || *descr++ != '\'')
		return false;
	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (!strncmp(descr, npy_types[i].descr, 3) && descr[3] == '\'')
			header->type = &npy_types[i];
	}
	header->fortran = !strncmp(order, "True", 4);
	if (!header->type || (!header->fortran && strncmp(order, "False", 5)))
		return false;
	npy->count = 1;
	while (*(shape += strspn(shape, " ,")) != ')') {
		char *end;
		uint64_t dim;

		errno = 0;
		dim = strtoull(shape, &end, 10);
		if (end == shape || errno || npy->rank == NN_MAX_RANK || dim > MAX_ELEMENTS ||
		    npy->count * dim > MAX_ELEMENTS)
			return false;
		shape = end;
		npy->dims[npy->rank++] = dim;
		npy->count *= dim;
	}
	return true;
}

/* ---- Data ---- */

/* Copies an array whose first index is the fastest to one whose last index is. */
static void reorder(const struct npy *npy, const uint8_t *from, uint8_t *to, size_t size)
{
	uint64_t index[NN_MAX_RANK] = { 0 }, strides[NN_MAX_RANK], stride = 1, at = 0;

	for (uint32_t k = 0; k < npy->rank; k++) {
		strides[k] = stride;
		stride *= npy->dims[k];
	}
	for (uint64_t i = 0; i < npy->count; i++) {
		memcpy(to + i * size, from + at * size, size);
		for (uint32_t k = npy->rank; k--;) {
			at += strides[k];
			if (++index[k] < npy->dims[k])
				break;
			at -= strides[k] * npy->dims[k];
			index[k] = 0;
		}
	}
}

/*
 * Gives the array memory of its own, in which it is in order and its elements are what nnloop
 * knows.
 */
static int convert(struct npy *npy, const struct header *header)
{
	size_t size = header->type->size;

	npy->own = malloc(npy->count * size + 1);
	if (!npy->own)
		return fail("out of memory");
	if (header->fortran)
		reorder(npy, npy->data, npy->own, size);
	else
		memcpy(npy->own, npy->data, npy->count * size);
	npy->data = npy->own;
	if (header->type->type == NN_INT64)
		npy->wide = npy->own;
	if (header->type->type != NN_FLOAT32 || size != sizeof(double))
		return 0;
	for (uint64_t i = 0; i < npy->count; i++) {
		float value = ((const double *)npy->own)[i];

		/* Each behind what has been converted. */
		memcpy((float *)npy->own + i, &value, sizeof(value));
	}
	return 0;
}

int npy_read(const struct file *file, struct npy *npy)
{
	struct header header = { 0 };
	uint32_t version, length;
	size_t start;
	char *text;
	bool good;

	*npy = (struct npy) { 0 };
	if (file->size < MAGIC_SIZE + 6)
		return fail("%s is cut off", file->path);
	version = file->data[MAGIC_SIZE];
	length = file->data[MAGIC_SIZE + 2] | file->data[MAGIC_SIZE + 3] << 8;
	start = MAGIC_SIZE + 4;
	if (version > 1) {
		length |= (uint32_t)file->data[MAGIC_SIZE + 4] << 16 |
			  (uint32_t)file->data[MAGIC_SIZE + 5] << 24;
		start = MAGIC_SIZE + 6;
	}
	if (length > file->size - start)
		return fail("%s is cut off", file->path);
	text = strndup((const char *)file->data + start, length);
	if (!text)
		return fail("out of memory");
	good = parse_header(text, &header, npy);
	free(text);
	if (!good && header.type)
		return fail("%s has no shape that nnloop can read: it takes %u dimensions and 2^30 elements at most",
			    file->path, NN_MAX_RANK);
	if (!good)
		return fail("%s is no .npy file that nnloop can read: it must be of bool, int8 to int64, "
			    "uint8, uint16, float32 or float64, little endian",
			    file->path);
	if (file->size - start - length != npy->count * header.type->size)
		return fail("%s has %zu bytes of data, its shape takes %" PRIu64, file->path,
			    file->size - start - length, npy->count * header.type->size);
	npy->data = file->data + start + length;
	npy->type = header.type->type;
	npy->name = header.type->name;
	return header.fortran || header.type->size == 8 ? convert(npy, &header) : 0;
}

void npy_free(struct npy *npy)
{
	free(npy->own);
}

void npy_print_index(const struct npy *npy, uint64_t i, char *text, size_t size)
{
	uint64_t stride = npy->count;
	size_t at = 0;

	for (uint32_t k = 0; k < npy->rank && at < size; k++) {
		stride /= npy->dims[k];
		at += snprintf(text + at, size - at, "%s%" PRIu64, k ? ", " : "[", i / stride);
		i %= stride;
	}
	if (at < size)
		snprintf(text + at, size - at, "]");
}

void npy_write(FILE *stream, enum nn_data_type type, uint32_t rank, const uint32_t *dims,
	       const void *data, size_t size)
{
	char head[256] = { 0 }, shape[128] = "";
	const char *descr = "";
	int length;

	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (npy_types[i].type == type && npy_types[i].size == nn_data_type_size(type))
			descr = npy_types[i].descr;
	}
	for (uint32_t i = 0; i < rank; i++)
		snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), "%s%u%s",
			 i ? ", " : "", dims[i], rank == 1 ? "," : "");
	length = snprintf(head + 10, sizeof(head) - 10,
			  "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
	/* NumPy wants the data to begin at a multiple of 64, behind a newline. */
	while ((10 + length + 1) % 64)
		head[10 + length++] = ' ';
	head[10 + length++] = '\n';
	memcpy(head, magic, MAGIC_SIZE);
	head[MAGIC_SIZE] = 1;
	head[MAGIC_SIZE + 2] = length & 0xff;
	head[MAGIC_SIZE + 3] = length >> 8;
	fwrite(head, 1, 10 + length, stream);
	fwrite(data, 1, size, stream);
}
