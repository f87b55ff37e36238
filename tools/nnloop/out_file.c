// SPDX-License-Identifier: MIT
/* Files that are made as a whole or not at all: see out_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnloop.h"
#include "out_file.h"

/*
 * A file that is being written, in a list until the program ends, because a signal may look through
 * it at any time.
 */
struct out_file {
	struct out_file *next;
	const char *path;	/* as it was named */
	char *place;		/* the same, links followed */
	char *volatile beside;	/* NULL: it is written in its place */
	FILE *stream;
	volatile sig_atomic_t finished;
};

static struct out_file *volatile files;

/* The mode that creat() would give a new file. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* A file beside its place, which a signal takes away again. The descriptor, or -1 with errno. */
static int open_beside(struct out_file *file, mode_t mode)
{
	const char *slash = strrchr(file->place, '/');
	int folder = slash ? slash + 1 - file->place : 0, fd, error;
	sigset_t all, before;
	char *path;

	if (asprintf(&path, "%.*s.nnloop-XXXXXX", folder, file->place) < 0) {
		errno = ENOMEM;
		return -1;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	fd = mkostemp(path, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		file->beside = path;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd >= 0) {
		fchmod(fd, mode);
		return fd;
	}
	free(path);
	errno = error;
	return -1;
}

/* The descriptor, or -1 with errno. */
static int open_any(struct out_file *file)
{
	struct stat old;
	int fd, error;

	/* A link to nothing makes what it names. */
	if (stat(file->path, &old))
		return errno != ENOENT || !lstat(file->path, &old) ?
			       open(file->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) :
			       open_beside(file, new_mode());
	if (!S_ISREG(old.st_mode))
		return open(file->path, O_WRONLY | O_CLOEXEC);
	if (access(file->path, W_OK))
		return -1;
	free(file->place);
	file->place = realpath(file->path, NULL);
	if (!file->place)
		return -1;
	fd = open_beside(file, old.st_mode & 0777);
	if (fd >= 0) {
		/* It stays whose it was, if that is allowed. */
		if (!fchown(fd, old.st_uid, old.st_gid))
			fchmod(fd, old.st_mode & 0777);
		return fd;
	}
	error = errno;
	fd = open(file->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		errno = error;
	return fd;
}

int out_file_spares(const char *path, const char *needed)
{
	struct stat there, other;

	if (stat(path, &there) || stat(needed, &other) || !S_ISREG(there.st_mode) ||
	    there.st_dev != other.st_dev || there.st_ino != other.st_ino)
		return 0;
	return fail("%s is read, and would be written over: name another output", path);
}

/* Says whether another file that is being written is to come to the same place. */
static bool is_taken(const struct out_file *file)
{
	for (struct out_file *other = file->next; other; other = other->next) {
		if (file->beside && other->beside && !other->finished &&
		    !strcmp(other->place, file->place))
			return true;
	}
	return false;
}

int out_file_open(const char *path, struct out_file **result)
{
	struct out_file *file = calloc(1, sizeof(*file));
	int fd;

	*result = NULL;
	if (!file)
		return fail("out of memory");
	file->path = path;
	file->next = files;
	files = file;
	if (!strcmp(path, "-")) {
		file->stream = stdout;
		*result = file;
		return 0;
	}
	file->place = strdup(path);
	if (!file->place)
		return fail("out of memory");
	fd = open_any(file);
	if (fd < 0)
		return fail("cannot create %s: %s", path, strerror(errno));
	if (is_taken(file)) {
		close(fd);
		return fail("%s is named for two outputs", path);
	}
	file->stream = fdopen(fd, "wb");
	if (!file->stream) {
		close(fd);
		return fail("out of memory");
	}
	*result = file;
	return 0;
}

const char *out_file_path(const struct out_file *file)
{
	return file->path;
}

FILE *out_file_stream(struct out_file *file)
{
	/* Not before there is something to put there; it may be a pipe, too. */
	if (file->stream != stdout && !file->beside && ftruncate(fileno(file->stream), 0))
		errno = 0;
	return file->stream;
}

int out_file_finish(struct out_file *file)
{
	bool bad = ferror(file->stream);

	/* Others write there, too: main() finds out whether it took all of it. */
	if (file->stream == stdout)
		return 0;
	if (fclose(file->stream) || bad)
		return fail("cannot write %s: %s", file->path, strerror(errno));
	if (file->beside && rename(file->beside, file->place))
		return fail("cannot create %s: %s", file->path, strerror(errno));
	file->finished = 1;
	return 0;
}

void out_files_discard(void)
{
	for (struct out_file *file = files; file; file = file->next) {
		if (file->beside && !file->finished)
			unlink(file->beside);
	}
}
