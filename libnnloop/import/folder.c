// SPDX-License-Identifier: MIT
/* Files that an import reads (folder.h). */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/guard.h"
#include "import/folder.h"

#define MAPPED_SIZE	((size_t)1 << 24) /* from which on a file is mapped */
#define MOST_BYTES	((uint64_t)1 << 40) /* of a file */
#define MOST_FILES	65536 /* that a model may name */

struct file {
	char *name; /* in the folder; NULL: the model's own */
	void *data;
	size_t size, room;
	int guard; /* of a mapped one; -1: it is copied */
	int fd; /* of a mapped one */
	struct stat stat; /* of it when it was opened */
};

struct nn_folder {
	int fd; /* -1: there is none */
	struct file *files;
	size_t count, room;
	sigset_t mask; /* of the thread before */
};

/* ---- One file ---- */

/* Room for at least one more byte. */
static int grow(struct file *file)
{
	size_t room = file->room ? 2 * file->room : 65536;
	char *data;

	if (file->size < file->room)
		return 0;
	if (file->room > MOST_BYTES)
		return -EFBIG;
	data = realloc(file->data, room);
	if (!data)
		return -ENOMEM;
	file->data = data;
	file->room = room;
	return 0;
}

/* Reads a file to its end. */
static int copy(int fd, size_t expected, struct file *file)
{
	/* One byte more than a regular file has: its end is found without growing. */
	file->data = malloc(expected + 1);
	file->room = file->data ? expected + 1 : 0;
	for (;;) {
		int err = grow(file);
		ssize_t got;

		if (err)
			return err;
		got = read(fd, (char *)file->data + file->size, file->room - file->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return 0;
		file->size += got;
	}
}

/* False: it is to be copied. */
static bool map(int fd, struct file *file)
{
	void *data;

	if (!S_ISREG(file->stat.st_mode) || (uint64_t)file->stat.st_size < MAPPED_SIZE ||
	    lseek(fd, 0, SEEK_CUR))
		return false;
	data = mmap(NULL, file->stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return false;
	file->guard = nn_guard_begin(data, file->stat.st_size);
	if (file->guard < 0) {
		munmap(data, file->stat.st_size);
		return false;
	}
	file->data = data;
	file->size = file->stat.st_size;
	file->fd = fd;
	return true;
}

/* The descriptor is the file's, or closed. */
static int take(int fd, struct file *file)
{
	size_t expected = 65536;
	int err = 0;

	if (fstat(fd, &file->stat))
		err = -errno;
	else if (S_ISCHR(file->stat.st_mode)) /* which may have no end */
		err = -ENODEV;
	else if (S_ISREG(file->stat.st_mode) && (uint64_t)file->stat.st_size > MOST_BYTES)
		err = -EFBIG;
	else if (S_ISREG(file->stat.st_mode) && map(fd, file))
		return 0;
	if (!err && S_ISREG(file->stat.st_mode))
		expected = file->stat.st_size;
	if (!err)
		err = copy(fd, expected, file);
	close(fd);
	return err;
}

static bool is_changed(struct file *file)
{
	struct stat now;
	bool is_short;

	if (file->guard < 0)
		return false;
	is_short = nn_guard_end(file->guard);
	file->guard = -1;
	return is_short || fstat(file->fd, &now) || now.st_size != file->stat.st_size ||
	       now.st_mtim.tv_sec != file->stat.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != file->stat.st_mtim.tv_nsec;
}

static void drop(struct file *file)
{
	is_changed(file);
	if (file->fd >= 0) {
		munmap(file->data, file->size);
		close(file->fd);
	} else {
		free(file->data);
	}
	free(file->name);
}

/* ---- The folder ---- */

static struct file *add(struct nn_folder *folder)
{
	size_t room = folder->room ? 2 * folder->room : 8;
	struct file *files;

	if (folder->count == folder->room) {
		files = reallocarray(folder->files, room, sizeof(*files));
		if (!files)
			return NULL;
		folder->files = files;
		folder->room = room;
	}
	folder->files[folder->count] = (struct file){ .guard = -1, .fd = -1 };
	return &folder->files[folder->count++];
}

/* Lets the signal of a fault reach its handler: where it is blocked, it ends the process. */
static void let_signal(struct nn_folder *folder)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &set, &folder->mask);
}

static int open_folder(const char *path)
{
	const char *end = strrchr(path, '/');
	char *name = end ? strndup(path, end - path + 1) : strdup(".");
	int fd;

	if (!name)
		return -1;
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(name);
	return fd;
}

int nn_folder_open(const char *path, struct nn_folder **result, const void **data, size_t *size,
		   const char **failed)
{
	struct nn_folder *folder = calloc(1, sizeof(*folder));
	struct file *file = folder ? add(folder) : NULL;
	int fd, err;

	*failed = "open";
	if (!file) {
		free(folder);
		return -ENOMEM;
	}
	folder->fd = -1;
	let_signal(folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	if (!err) {
		*failed = "read";
		folder->fd = open_folder(path);
		err = take(fd, file);
	}
	if (err) {
		nn_folder_close(folder);
		return err;
	}
	*result = folder;
	*data = file->data;
	*size = file->size;
	return 0;
}

/* Opens a file below the folder. A kernel before 5.6 cannot say that no link leads elsewhere. */
static int open_beneath(const struct nn_folder *folder, const char *name)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int fd = syscall(SYS_openat2, folder->fd, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static bool has_parent(const char *name)
{
	for (const char *at = name; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return true;
	}
	return false;
}

int nn_folder_get(struct nn_folder *folder, const char *name, const void **data, size_t *size)
{
	struct file *file = NULL;
	struct stat stat;
	int fd, err;

	for (size_t i = 1; i < folder->count && !file; i++)
		file = strcmp(folder->files[i].name, name) ? NULL : &folder->files[i];
	if (!file) {
		if (!*name || *name == '/' || has_parent(name))
			return -EXDEV;
		if (folder->count == MOST_FILES)
			return -EMFILE;
		fd = open_beneath(folder, name);
		if (fd < 0)
			return fd;
		err = fstat(fd, &stat) ? -errno : S_ISREG(stat.st_mode) ? 0 : -EISDIR;
		file = err ? NULL : add(folder);
		if (!file) {
			close(fd);
			return err ? err : -ENOMEM;
		}
		file->name = strdup(name);
		err = take(fd, file);
		if (err || !file->name) {
			drop(file);
			folder->count--;
			return err ? err : -ENOMEM;
		}
	}
	*data = file->data;
	*size = file->size;
	return 0;
}

bool nn_folder_is_changed(struct nn_folder *folder)
{
	bool changed = false;

	for (size_t i = 0; i < folder->count; i++)
		changed |= is_changed(&folder->files[i]);
	return changed;
}

void nn_folder_close(struct nn_folder *folder)
{
	if (!folder)
		return;
	for (size_t i = 0; i < folder->count; i++)
		drop(&folder->files[i]);
	pthread_sigmask(SIG_SETMASK, &folder->mask, NULL);
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->files);
	free(folder);
}
