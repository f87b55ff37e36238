// SPDX-License-Identifier: MIT
/* Whole files, and NumPy's .npy format (numpy.lib.format, versions 1 to 3). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnloop.h"

#define MAX_FILE_SIZE ((size_t)1 << 30)

int file_read(const char *path, struct file *file)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	size_t room = 0;
	struct stat stat;
	int status = 0;

	*file = (struct file) { .path = path };
	if (fd < 0)
		return fail("cannot open %s: %s", path, strerror(errno));
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && (uint64_t)stat.st_size < MAX_FILE_SIZE)
		room = stat.st_size;
	for (;;) {
		ssize_t got;

		if (file->size >= room || !file->data) {
			uint8_t *data;

			/* One byte more than a regular file has: then its end is found without
			 * growing. */
			room = file->data ? 2 * room : room + 1;
			data = room <= 2 * MAX_FILE_SIZE ? realloc(file->data, room) : NULL;
			if (!data) {
				status = fail("%s is too large", path);
				break;
			}
			file->data = data;
		}
		got = read(fd, file->data + file->size, room - file->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = fail("cannot read %s: %s", path, strerror(errno));
		if (got <= 0)
			break;
		file->size += got;
	}
	if (fd != STDIN_FILENO)
		close(fd);
	if (status)
		file_free(file);
	return status;
}

void file_free(struct file *file)
{
	free(file->data);
	file->data = NULL;
	file->size = 0;
}

bool file_has_suffix(const char *path, const char *suffix)
{
	size_t length = strlen(path), suffix_length = strlen(suffix);

	return length > suffix_length && !strcmp(path + length - suffix_length, suffix);
}

/* ---- .npy ---- */

static const char magic[] = "\x93NUMPY";
#define MAGIC_SIZE (sizeof(magic) - 1)

static const struct {
	const char *descr;
	enum nn_data_type type;
} npy_types[] = {
	{ "|u1", NN_UINT8 }, { "|i1", NN_INT8 },  { "<u2", NN_UINT16 },
	{ "<i2", NN_INT16 }, { "<i4", NN_INT32 }, { "<f4", NN_FLOAT32 },
};

bool npy_is(const struct file *file)
{
	return file->size >= MAGIC_SIZE && !memcmp(file->data, magic, MAGIC_SIZE);
}

/* What stands behind 'key': in the header, a Python dictionary; NULL if it is not there. */
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

static bool parse_header(const char *header, struct npy *npy)
{
	const char *descr = find_key(header, "descr"), *order = find_key(header, "fortran_order"),
		   *shape = find_key(header, "shape");

	if (!descr || !order || !shape || *shape++ != '(' || *descr++ != '\'')
		return false;
	for (size_t i = 0; i < sizeof(npy_types) / sizeof(*npy_types); i++) {
		if (!strncmp(descr, npy_types[i].descr, 3) && descr[3] == '\'')
			npy->type = npy_types[i].type;
	}
	if (!npy->type || strncmp(order, "False", 5))
		return false;
	npy->count = 1;
	while (*(shape += strspn(shape, " ,")) != ')') {
		char *end;
		uint64_t dim;

		errno = 0;
		dim = strtoull(shape, &end, 10);
		if (end == shape || errno || npy->rank == NN_MAX_RANK || dim > MAX_FILE_SIZE ||
		    npy->count * dim > MAX_FILE_SIZE)
			return false;
		shape = end;
		npy->dims[npy->rank++] = dim;
		npy->count *= dim;
	}
	return true;
}

int npy_read(const struct file *file, struct npy *npy)
{
	uint32_t version, length;
	size_t start;
	char *header;
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
	header = strndup((const char *)file->data + start, length);
	if (!header)
		return fail("out of memory");
	good = parse_header(header, npy);
	free(header);
	if (!good)
		return fail("%s is no .npy file that nnloop can read: it must be of 8 or 16 bits, "
			    "int32 or float32, little endian, in C order",
			    file->path);
	if (file->size - start - length != npy->count * nn_data_type_size(npy->type))
		return fail("%s has %zu bytes of data, its shape takes %" PRIu64, file->path,
			    file->size - start - length, npy->count * nn_data_type_size(npy->type));
	npy->data = file->data + start + length;
	return 0;
}

void npy_write(FILE *stream, enum nn_data_type type, uint32_t rank, const uint32_t *dims,
	       const void *data, size_t size)
{
	char head[256] = { 0 }, shape[128] = "";
	const char *descr = "";
	int length;

	for (size_t i = 0; i < sizeof(npy_types) / sizeof(*npy_types); i++) {
		if (npy_types[i].type == type)
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
