// SPDX-License-Identifier: MIT
/*
 * Which file of another runtime's tensors is which tensor's.
 *
 * Names of tensors have characters that files cannot have, and everybody writes something else in
 * their place. In a model between QuantizeLinear and DequantizeLinear a tensor has three names: of
 * real numbers, of their integers, and of what these stand for. Here it is one tensor with one
 * name; which of the three, depends on the operator that makes it.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "nnloop.h"
#include "tensors.h"

/* The tails by which onnxruntime.quantization names a tensor around its pair; the first are real. */
static const char *const tails[] = {
	"", "_QuantizeLinear_Input", "_QuantizeLinear_Output", "_DequantizeLinear_Output",
	"_quantized", "_dequantized",
};

#define REAL_TAILS	2
#define TAILS		(sizeof(tails) / sizeof(*tails))

static char *make_key(const char *name, size_t length)
{
	char *key = strndup(name, length);

	for (char *at = key; at && *at; at++) {
		if (!isalnum((unsigned char)*at))
			*at = '_';
	}
	return key;
}

static int by_key(const void *a, const void *b)
{
	const struct array_file *x = a, *y = b;

	return strcmp(x->key, y->key);
}

void array_files_free(struct array_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->files[i].name);
		free(files->files[i].key);
	}
	free(files->files);
}

static int add_file(struct array_files *files, const char *name)
{
	size_t length = strlen(name) - strlen(".npy");
	struct array_file *more = reallocarray(files->files, files->count + 1, sizeof(*more));

	if (!more)
		return fail("out of memory");
	files->files = more;
	more += files->count++;
	*more = (struct array_file) {
		.name = strndup(name, length),
		.key = make_key(name, length),
	};
	return more->name && more->key ? 0 : fail("out of memory");
}

int array_files_list(const char *folder, struct array_files *files)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int status = 0;

	if (!dir)
		return errno == ENOTDIR ?
			       fail("%s is no folder: --with wants one that has a NAME.npy for each tensor",
				    folder) :
			       fail("cannot read the folder %s: %s", folder, strerror(errno));
	while (!status && (entry = readdir(dir))) {
		if (file_has_suffix(entry->d_name, ".npy"))
			status = add_file(files, entry->d_name);
	}
	closedir(dir);
	if (status)
		return status;
	if (!files->count)
		return fail("there is no .npy file in %s", folder);
	qsort(files->files, files->count, sizeof(*files->files), by_key);
	return 0;
}

/* The file of a key that is made of the beginning of another one and a tail. */
static struct array_file *find(struct array_files *files, const char *stem, size_t length,
			       const char *tail)
{
	char key[MAX_TENSOR_NAME + 64];
	struct array_file wanted = { .key = key };

	if (!files->count || length + strlen(tail) >= sizeof(key))
		return NULL;
	memcpy(key, stem, length);
	strcpy(key + length, tail);
	return bsearch(&wanted, files->files, files->count, sizeof(*files->files), by_key);
}

/* How long a key is without its tail. */
static size_t stem_length(const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 1; i < TAILS; i++) {
		size_t tail = strlen(tails[i]);

		if (length > tail && !strcmp(key + length - tail, tails[i]))
			return length - tail;
	}
	return length;
}

static struct array_file *find_tails(struct array_files *files, const char *key, size_t first,
				     size_t count)
{
	size_t length = stem_length(key);

	for (size_t i = first; i < first + count; i++) {
		struct array_file *file = find(files, key, length, tails[i]);

		if (file && !file->is_claimed)
			return file;
	}
	return NULL;
}

void array_files_claim(struct array_files *files, const char *tensor)
{
	char *key = make_key(tensor, strlen(tensor));
	struct array_file *file = key ? find(files, key, strlen(key), "") : NULL;

	if (file)
		file->is_claimed = true;
	free(key);
}

/* Files with any of the names of a tensor are known, though one of them is compared. */
static void mark_used(struct array_files *files, const char *key)
{
	for (size_t i = 0; i < TAILS; i++) {
		struct array_file *file = find_tails(files, key, i, 1);

		if (file)
			file->is_used = true;
	}
}

struct array_file *array_files_find(struct array_files *files, const char *tensor)
{
	char *key = make_key(tensor, strlen(tensor));
	struct array_file *file = NULL;

	if (key)
		file = find(files, key, strlen(key), "");
	/* Integers first: they are what is stored. */
	if (key && !file)
		file = find_tails(files, key, REAL_TAILS, TAILS - REAL_TAILS);
	if (key && !file)
		file = find_tails(files, key, 0, REAL_TAILS);
	if (file) {
		file->is_used = true;
		mark_used(files, key);
	}
	free(key);
	return file;
}

struct array_file *array_files_find_real(struct array_files *files, const char *tensor)
{
	char *key = make_key(tensor, strlen(tensor));
	struct array_file *file = key ? find_tails(files, key, 0, REAL_TAILS) : NULL;

	free(key);
	return file;
}
