/* SPDX-License-Identifier: MIT */
/*
 * Reads zip archives, of which nothing is trusted: those that models are packed in, and those that
 * a .tflite file has behind it. Entries are found by the directory at the end; what is in them is
 * where it is, so that only those that are not compressed can be read.
 */
#ifndef NN_ZIP_H
#define NN_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip {
	const uint8_t *data;
	size_t size;
	uint64_t base; /* where the archive begins in the file */
	uint64_t at, end; /* the next entry of the directory, and its end */
	uint32_t left; /* entries */
};

struct zip_entry {
	const char *name; /* without a 0 behind it */
	size_t name_size;
	bool is_stored; /* neither compressed nor encrypted */
	const uint8_t *data; /* NULL: it is not stored, or the archive is damaged */
	size_t size;
};

/* Whether a file begins as an archive. */
bool zip_is(const void *data, size_t size);
/* Opens the archive at the end of a file. False: there is none, or one of a form that is not known,
 * such as of 4 GiB and more. */
bool zip_open(struct zip *zip, const void *data, size_t size);
/* The next entry. False: there is none. */
bool zip_next(struct zip *zip, struct zip_entry *entry);

#endif
