// SPDX-License-Identifier: MIT
/*
 * Runs a fuzzer's target on files, one test for each directory: what the fuzzer once found stays
 * found. A crash or a report of a sanitizer ends the program, after the file's name.
 *
 * usage: replay-FORMAT DIR...
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!file)
		return -errno;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	/* No room behind the last byte, so that reading on is seen. */
	data = malloc(size ? size : 1);
	if (!data || fread(data, 1, size, file) != (size_t)size) {
		free(data);
		fclose(file);
		return -EIO;
	}
	fclose(file);
	printf("# %s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

/* Returns how many files there were, those of folders in it as well, or a negative errno. */
static int replay_directory(const char *name)
{
	struct dirent **entries;
	int count = scandir(name, &entries, NULL, alphasort);
	int files = 0;

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		char path[4096];
		int ret = 0;

		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", name, entries[i]->d_name);
			if (entries[i]->d_type == DT_DIR)
				ret = replay_directory(path);
			else
				ret = replay_file(path) ?: 1;
		}
		if (ret < 0)
			files = ret;
		else if (files >= 0)
			files += ret;
		free(entries[i]);
	}
	free(entries);
	return files;
}

int main(int argc, char **argv)
{
	int failed = 0;

	printf("TAP version 13\n1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		int files = replay_directory(argv[i]);

		if (files <= 0) {
			failed = 1;
			printf("not ok %d %s: %s\n", i, argv[i], files ? strerror(-files) : "empty");
		} else {
			printf("ok %d %d files of %s\n", i, files, argv[i]);
		}
	}
	return failed || argc < 2;
}
