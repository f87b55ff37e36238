// SPDX-License-Identifier: GPL-2.0
/*
 * Actions of the fuzzer on the driver beside its calls: mapping, writing programs, opening and
 * closing, forking, looking on.
 */
#include "ioctl.h"

#include <sys/eventfd.h>
#include <sys/wait.h>

#include "debugfs.h"
#include "partner.h"

#include "kcov.h"

static __thread size_t map_size;

/* Leaves it mapped until the next time. */
int call_map(struct client *client)
{
	static const int prots[] = { PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE };
	const struct object *bo = pick(client->bos);
	bool dmabuf = one_in(4);
	size_t size = one_in(8) ? below(0x20000) + 1 : bo->size + !bo->size;
	off_t offset = dmabuf ? 0 : one_in(8) ? mutated(bo->offset) : bo->offset;
	int prot = prots[below(3)];
	void *at = mmap(NULL, size, prot, one_in(16) ? MAP_PRIVATE : MAP_SHARED,
			dmabuf ? pick_fd(FD_DMABUF) : client->fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	if (map)
		munmap(map, map_size);
	map = at;
	map_size = size;
	/* No more than the object has: behind its end is a SIGBUS, as with any file. */
	if (prot & PROT_READ)
		__atomic_load_n((__u8 *)at, __ATOMIC_RELAXED);
	return mprotect(at, size, prots[below(3)]) ? -errno : 0;
}

int put_program(struct client *client, struct object *bo, __u32 *words, __u32 size,
		bool is_control)
{
	unsigned int i;
	void *at;

	for (i = one_in(8) * (1 + below(3)); i; i--) {
		__u32 *word = &words[below(size / 4)];

		*word = mutated(*word);
	}
	if (bo->size < size)
		return -ENOSPC;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd, bo->offset);
	if (at == MAP_FAILED)
		return -errno;
	memcpy(at, words, size);
	bo->program_size = size;
	bo->is_control = is_control;
	return munmap(at, size) ? -errno : 0;
}

/* A program that copies between buffers, with some words wrong or not. */
int call_program(struct client *client)
{
	const __u32 rows = 4, row_bytes = 128 << below(4);
	struct object *bo = pick(client->bos);
	__u64 from = pick(client->bos)->iova, to = pick(client->bos)->iova;
	__u32 image[sizeof(struct program) / 4];
	struct program program;

	if (one_in(2))
		program_init_copy(&program, from, to, below(4096) + 1);
	else
		program_init_rows(&program, from, to, rows, row_bytes);
	while (one_in(2) && program.header.op_count < PROGRAM_ROOM)
		program.op[program.header.op_count++] = program.op[0];
	return put_program(client, bo, image, program_write(&program, image), false);
}

/* Does what a new client does first, perhaps with mistakes. */
void client_fill(struct client *client)
{
	static const unsigned int requests[] = {
		DRM_IOCTL_NNLOOP_BO_CREATE, DRM_IOCTL_NNLOOP_BO_CREATE, DRM_IOCTL_NNLOOP_BO_CREATE,
		DRM_IOCTL_NNLOOP_QUEUE_CREATE, DRM_IOCTL_SYNCOBJ_CREATE,
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		for (k = 0; calls[k].request != requests[i]; k++)
			;
		call_counted(client, k);
	}
	call_program(client);
}

/* The process's own file, under the same number. */
int call_reopen(struct client *client)
{
	int fd = device_open();

	if (fd < 0)
		return fd;
	client = self->own;
	memset(client->bos, 0, sizeof(client->bos));
	memset(client->queues, 0, sizeof(client->queues));
	memset(client->syncobjs, 0, sizeof(client->syncobjs));
	dup3(fd, client->fd, O_CLOEXEC);
	close(fd);
	client_fill(client);
	return 0;
}

int call_close_fd(struct client *client)
{
	(void)client;
	if (one_in(4))
		keep_fd(FD_EVENT, eventfd(0, EFD_CLOEXEC));
	return forget_fd();
}

/*
 * Memory of somebody else, to be imported by as many files as like to. Not where DMA mappings are
 * debugged: each import maps it, as it must, and that check takes two mappings of the same memory
 * for an error even where caches are coherent.
 */
int call_foreign(struct client *client)
{
	int fd;

	(void)client;
	if (!access(DEBUGFS "/dma-api", F_OK))
		return -EOPNOTSUPP;
	fd = dmabuf_from_heap(PAGE_SIZE * (1 + below(4)));
	if (fd >= 0)
		keep_fd(FD_DMABUF, fd);
	return fd < 0 ? fd : 0;
}

/* Reads what an administrator does, while all the rest goes on. */
int call_look(struct client *client)
{
	static const char * const names[] = { "workers", "nnloop_clients", "buffers", "faults" };
	struct sync_fence_info fence;
	char text[4096];

	if (one_in(3))
		return sync_file_fence(pick_fd(FD_SYNC), &fence);
	if (one_in(2))
		return fdinfo_text(client->fd, "drm-engine-dsp", text, sizeof(text));
	return debugfs_read(client->fd, names[below(ARRAY_SIZE(names))], text, sizeof(text));
}

int call_fork(struct client *client)
{
	pid_t pid = fork();
	unsigned int i;
	int status;

	(void)client;
	if (pid < 0)
		return -errno;
	if (!pid) {
		kcov_stop();
		for (i = 0; i < 16; i++)
			call_next(false);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* The signal ends this process as it ended the child. */
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));
	return 0;
}

