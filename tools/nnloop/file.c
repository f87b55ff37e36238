// SPDX-License-Identifier: MIT
/* Files that are read as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnloop.h"

#define MAX_FILE_SIZE ((size_t)1 << 30)
#define MAPPED_SIZE ((size_t)1 << 20)	/* from which on a file is mapped */

/* A large regular file is not copied. One that becomes shorter meanwhile ends the program. */
static bool map(int fd, const struct stat *stat, struct file *file)
{
	void *data;

	if (!S_ISREG(stat->st_mode) || (uint64_t)stat->st_size < MAPPED_SIZE ||
	    lseek(fd, 0, SEEK_CUR))
		return false;
	data = mmap(NULL, stat->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return false;
	file->data = data;
	file->size = stat->st_size;
	file->is_mapped = true;
	return true;
}

/* Files that can be read only once, as they were read; to the end of the program. */
static struct kept {
	struct file file;
	struct kept *next;
} *kept_files;

static const struct file *find_kept(const char *path)
{
	for (const struct kept *kept = kept_files; kept; kept = kept->next) {
		if (!strcmp(kept->file.path, path))
			return &kept->file;
	}
	return NULL;
}

static int copy(const struct file *from, struct file *to)
{
	*to = (struct file) { .path = from->path, .data = malloc(from->size + 1), .size = from->size };
	if (!to->data)
		return fail("out of memory");
	memcpy(to->data, from->data, from->size);
	return 0;
}

int file_read_first(const char *path, struct file *file)
{
	struct kept *kept;
	struct stat stat;
	int status = file_read(path, file);

	/* Standard input may be a file, of which there is no more behind its end. */
	if (status || find_kept(path) ||
	    (strcmp(path, "-") && !lstat(path, &stat) && S_ISREG(stat.st_mode)))
		return status;
	kept = calloc(1, sizeof(*kept));
	status = kept ? copy(file, &kept->file) : fail("out of memory");
	if (status) {
		free(kept);
		file_free(file);
		return status;
	}
	kept->next = kept_files;
	kept_files = kept;
	return 0;
}

int file_read(const char *path, struct file *file)
{
	const struct file *kept = find_kept(path);
	bool is_input = !strcmp(path, "-");
	static bool input_is_read;
	size_t room = 0;
	struct stat stat;
	int status = 0, fd;

	if (kept)
		return copy(kept, file);
	*file = (struct file) { .path = path };
	fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail("cannot open %s: %s", path, strerror(errno));
	if (is_input && input_is_read)
		return fail("standard input is given twice, but can be read only once");
	input_is_read |= is_input;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && (uint64_t)stat.st_size < MAX_FILE_SIZE)
		room = stat.st_size;
	if (room && map(fd, &stat, file))
		goto close_fd;
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
close_fd:
	if (fd != STDIN_FILENO)
		close(fd);
	if (status)
		file_free(file);
	return status;
}

void file_free(struct file *file)
{
	if (file->is_mapped)
		munmap(file->data, file->size);
	else
		free(file->data);
	file->data = NULL;
	file->size = 0;
	file->is_mapped = false;
}

int folder_check(const char *folder)
{
	struct stat there;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return fail("cannot make the folder %s: %s", folder, strerror(errno));
	if (!stat(folder, &there) && !S_ISDIR(there.st_mode))
		return fail("%s is no folder", folder);
	if (access(folder, W_OK | X_OK))
		return fail("cannot write to the folder %s: %s", folder, strerror(errno));
	return 0;
}

bool file_has_suffix(const char *path, const char *suffix)
{
	size_t length = strlen(path), suffix_length = strlen(suffix);

	return length > suffix_length && !strcmp(path + length - suffix_length, suffix);
}
