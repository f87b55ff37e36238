// SPDX-License-Identifier: GPL-2.0
/*
 * Making a call: a valid one out of the objects that live, then perhaps with a field, a pointer or
 * the structure's length wrong. Everything follows from the random number that a call begins with,
 * and from the answers to the calls before.
 */
#include "ioctl.h"

#include <sys/eventfd.h>
#include <sys/wait.h>

#include "kcov.h"

#define ARENA		(256 << 10)	/* of a thread, for what calls point to */
#define ITEM_ROOM	(8 << 10)	/* there, for what a field other than `passes` points to */
#define STRUCT_ROOM	(16 << 10)	/* at its end: the longest that an ioctl number can carry */

static _Atomic int fds[FD_TYPES][OBJECTS];	/* other files of this process, 0: none */
static __thread struct thread *self;
static __thread __u64 random_state;
static __thread __u8 *arena;
static __thread void *map;		/* a buffer that is mapped, or NULL */
static __thread size_t map_size;
static __thread unsigned int weights;	/* of all calls */

static __u64 random_next(void)		/* splitmix64 */
{
	__u64 x;

	random_state += 0x9e3779b97f4a7c15;
	x = random_state;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static __u64 below(__u64 n)
{
	return random_next() % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

/* One that lives, if there is one. */
static struct object *pick(struct object *objects)
{
	unsigned int first = below(OBJECTS), i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *object = &objects[(first + i) % OBJECTS];

		if (object->handle)
			return object;
	}
	return &objects[first];
}

static void keep_fd(enum fd_type type, int fd)
{
	int old = atomic_exchange(&fds[type][below(OBJECTS)], fd);

	if (old)
		close(old);
}

static int pick_fd(enum fd_type type)
{
	unsigned int first = below(OBJECTS), i;

	if (one_in(16))
		type = below(FD_TYPES);
	for (i = 0; i < OBJECTS; i++) {
		int fd = fds[type][(first + i) % OBJECTS];

		if (fd)
			return fd;
	}
	return -1;
}

/* Keeps an object; what was in its place is destroyed by `request`, whose first field names it. */
static struct object *keep(struct client *client, struct object *objects, __u32 handle,
			   unsigned int request)
{
	struct object *object = &objects[below(OBJECTS)];
	__u32 old[2] = { atomic_exchange(&object->handle, handle) };

	if (old[0])
		ioctl(client->fd, request, old);
	object->program_size = 0;
	object->point = 0;
	return object;
}

static void keep_bo(struct client *client, __u32 handle)
{
	struct drm_nnloop_bo_info info = { .handle = handle };
	struct object *bo;

	if (ioctl(client->fd, DRM_IOCTL_NNLOOP_BO_INFO, &info))
		return;
	bo = keep(client, client->bos, handle, DRM_IOCTL_GEM_CLOSE);
	bo->iova = info.iova;
	bo->offset = info.mmap_offset;
	bo->size = info.size;
}

static void forget(struct object *objects, __u32 handle)
{
	unsigned int i;

	/* What is gone is worth a call, too. */
	if (one_in(8))
		return;
	for (i = 0; i < OBJECTS; i++) {
		if (objects[i].handle == handle)
			objects[i].handle = 0;
	}
}

/* Numbers at which something may end, begin or overflow. */
static __u64 interesting(void)
{
	static const __u64 numbers[] = {
		0, 1, 2, 7, 8, 63, 64, 65, 111, 112, 255, 1023, 1024, 4095, 4096, 4097, 0xffff,
		0x7fffffff, 0x80000000, 0xdfffffff, 0xe0000000, 0xfffff000, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000, -4096ull, -1ull,
	};

	if (one_in(4))
		return random_next() >> below(64);
	return numbers[below(ARRAY_SIZE(numbers))];
}

static __u64 mutated(__u64 value)
{
	switch (below(4)) {
	case 0:
		return value ^ 1ull << below(64);
	case 1:
		return value + 1;
	case 2:
		return value - 1;
	default:
		return interesting();
	}
}

/* Pointers to what cannot be read, or, for what a call need not understand, nearly so. */
static __u64 bad_pointer(bool readable)
{
	const __u64 end = (uintptr_t)arena + ARENA;
	const __u64 pointers[] = {
		0, 1, end, 0xffff888000000000, -4096ull, 0x00007ffffffff000,
		end - below(64), end - below(4096), end - ARENA + 1,
		(uintptr_t)&calls, /* read-only */
		(uintptr_t)map, /* a buffer */
	};

	return pointers[below(readable ? ARRAY_SIZE(pointers) : 6)];
}

/* Near the newest. */
static __u64 some_point(const struct object *queue)
{
	__u64 point = queue->point, back = below(4);

	return one_in(16) ? point + 1 : point > back ? point - back : 1;
}

static void fill_passes(struct client *client, struct drm_nnloop_pass *passes)
{
	unsigned int count = one_in(256) ? 1023 : 8, i, k;

	for (i = 0; i < count; i++) {
		const struct object *bo = pick(client->bos);

		for (k = 0; k < 8 && !bo->program_size; k++)
			bo = pick(client->bos);
		memset(&passes[i], 0, sizeof(passes[i]));
		passes[i].program = bo->iova;
		passes[i].program_size = bo->program_size ?: 64;
		if (one_in(2)) {
			passes[i].arg_count = 3;
			passes[i].args[NN_ARG_ROWS(1)] = below(5);
			passes[i].args[NN_ARG_FIRST(1)] = below(5);
		}
		if (one_in(64)) {
			__u32 *word = (__u32 *)&passes[i] + below(sizeof(passes[i]) / 4);

			*word = mutated(*word);
		}
	}
}

/* Fills in what a field points to. */
static void *fill_items(struct client *client, enum kind kind, void *room)
{
	struct drm_nnloop_sync *syncs = room;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		const struct object *queue = pick(client->queues);
		bool timeline = !one_in(4);
		__u32 handle = timeline ? queue->syncobj : pick(client->syncobjs)->handle;
		__u64 point = timeline ? some_point(queue) : one_in(4) * below(8);

		if (kind == SYNCS)
			syncs[i] = (struct drm_nnloop_sync){ handle, one_in(64), point };
		else if (kind == HANDLES)
			((__u32 *)room)[i] = handle;
		else if (kind == POINTS)
			((__u64 *)room)[i] = point;
		else
			memset(room + 8 * i, 'a' + one_in(64) * below(256), 8);
	}
	return room;
}

static __u64 field_value(struct client *client, const struct field *field, unsigned int index,
			 const struct object **queue)
{
	switch (field->kind) {
	case BITS:
		return random_next() & field->most;
	case FEW:
		return one_in(4) ? 1 + below(field->most) : 0;
	case NUMBER:
	case COUNT:
		return 1 + below(field->most);
	case FIXED:
		return field->most;
	case TIMEOUT:
		return one_in(2) ? deadline_ns(below(20) / 1000.0) : 0;
	case NEVER:
		return 0;
	case POINT:
		return one_in(8) ? 0 : some_point(*queue);
	case BO:
		return pick(client->bos)->handle;
	case QUEUE:
		*queue = pick(client->queues);
		return (*queue)->handle;
	case SYNCOBJ:
		if (one_in(2))
			return pick(client->syncobjs)->handle;
		*queue = pick(client->queues);
		return (*queue)->syncobj;
	case FD:
		return pick_fd(field->most);
	case PASSES:
		fill_passes(client, (void *)arena);
		return (uintptr_t)arena;
	default:
		return (uintptr_t)fill_items(client, field->kind, arena + ARENA / 2 +
					     index * ITEM_ROOM);
	}
}

static void field_mutate(const struct call *call, void *data)
{
	const struct field *field = &call->fields[below(MAX_FIELDS)];
	const struct field *other = &call->fields[below(MAX_FIELDS)];
	__u64 value = 0;

	if (!field->size || field->kind == TIMEOUT || field->kind == NEVER)
		return;
	memcpy(&value, data + field->offset, field->size);
	if (field->kind >= PASSES && !one_in(4))
		value = bad_pointer(true);
	else if (other->size && one_in(8))
		memcpy(&value, data + other->offset, field->size < other->size ?
		       field->size : other->size);
	else
		value = mutated(value);
	/* The core's kmalloc_array() would fail with a warning for millions. */
	if (field->kind == COUNT)
		value %= 0x20000;
	memcpy(data + field->offset, &value, field->size);
}

/* Notes what a call has made or taken away. */
static void call_succeeded(struct client *client, unsigned int request, void *data)
{
	const struct drm_nnloop_queue_create *queue = data;
	const struct drm_nnloop_submit *submit = data;
	const struct drm_nnloop_status *status = data;
	const struct drm_syncobj_handle *syncobj = data;
	const struct drm_prime_handle *prime = data;
	__u32 handle = *(__u32 *)data;
	struct object *object;
	unsigned int i;

	switch (request) {
	case DRM_IOCTL_NNLOOP_BO_CREATE:
		return keep_bo(client, ((struct drm_nnloop_bo_create *)data)->handle);
	case DRM_IOCTL_PRIME_FD_TO_HANDLE:
		return keep_bo(client, handle);
	case DRM_IOCTL_GEM_CLOSE:
		return forget(client->bos, handle);
	case DRM_IOCTL_PRIME_HANDLE_TO_FD:
		return keep_fd(FD_DMABUF, prime->fd);
	case DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD:
		return keep_fd(FD_SYNC, syncobj->fd);
	case DRM_IOCTL_SYNCOBJ_CREATE:
		keep(client, client->syncobjs, handle, DRM_IOCTL_SYNCOBJ_DESTROY);
		return;
	case DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE:
		if (!syncobj->flags)
			keep(client, client->syncobjs, handle, DRM_IOCTL_SYNCOBJ_DESTROY);
		return;
	case DRM_IOCTL_SYNCOBJ_DESTROY:
		return forget(client->syncobjs, handle);
	case DRM_IOCTL_NNLOOP_QUEUE_CREATE:
		object = keep(client, client->queues, queue->queue, DRM_IOCTL_NNLOOP_QUEUE_DESTROY);
		handle = atomic_exchange(&object->syncobj, queue->syncobj);
		if (handle)
			keep(client, client->syncobjs, handle, DRM_IOCTL_SYNCOBJ_DESTROY);
		return;
	case DRM_IOCTL_NNLOOP_QUEUE_DESTROY:
		return forget(client->queues, handle);
	case DRM_IOCTL_NNLOOP_STATUS:
		if (status->state == DRM_NNLOOP_JOB_ENDED)
			shared->ended[-status->error]++;
		return;
	case DRM_IOCTL_NNLOOP_SUBMIT:
		for (i = 0; i < OBJECTS; i++) {
			if (client->queues[i].handle == submit->queue)
				client->queues[i].point = submit->point;
		}
	}
}

/* It is of little use any more. */
static void queue_lost(struct client *client, __u32 id)
{
	struct drm_nnloop_queue_destroy destroy = { .queue = id };

	forget(client->queues, id);
	ioctl(client->fd, DRM_IOCTL_NNLOOP_QUEUE_DESTROY, &destroy);
}

static int call_request(struct client *client, const struct call *call)
{
	const struct object *queue = pick(client->queues);
	unsigned int known = _IOC_SIZE(call->request), size = known, i;
	unsigned int request;
	__u8 *data;
	int ret;

	if (one_in(64))
		size = one_in(2) ? below(known) : below(STRUCT_ROOM);
	data = arena + ARENA - (size > known ? size : known);
	memset(data, one_in(4) ? 0xff : 0, arena + ARENA - data);
	memset(data, 0, known);
	for (i = 0; i < MAX_FIELDS && call->fields[i].size; i++) {
		__u64 value = field_value(client, &call->fields[i], i, &queue);

		memcpy(data + call->fields[i].offset, &value, call->fields[i].size);
	}
	while (one_in(6))
		field_mutate(call, data);
	request = _IOC(_IOC_DIR(call->request), _IOC_TYPE(call->request), _IOC_NR(call->request),
		       size);
	/* A shorter structure ends where memory does. */
	if (size < known)
		data = memmove(arena + ARENA - size, data, size);
	if (ioctl(client->fd, request, one_in(256) ? (void *)bad_pointer(false) : data)) {
		ret = -errno;
		if (call->request == DRM_IOCTL_NNLOOP_SUBMIT && ret == -ECANCELED)
			queue_lost(client, *(__u32 *)data);
		return ret;
	}
	if (size >= known)
		call_succeeded(client, call->request, data);
	return 0;
}

int call_unknown(struct client *client)
{
	unsigned int request = _IOC(below(4), one_in(8) ? below(256) : DRM_IOCTL_BASE,
				    DRM_COMMAND_BASE + below(DRM_COMMAND_END - DRM_COMMAND_BASE),
				    below(STRUCT_ROOM));

	memset(arena + ARENA - STRUCT_ROOM, 0, STRUCT_ROOM);
	return ioctl(client->fd, request, arena + ARENA - _IOC_SIZE(request)) ? -errno : 0;
}

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

/* A program that copies between buffers, with some words wrong or not. */
int call_program(struct client *client)
{
	const __u32 rows = 4, row_bytes = 128 << below(4);
	struct object *bo = pick(client->bos);
	__u64 from = pick(client->bos)->iova, to = pick(client->bos)->iova;
	__u32 image[sizeof(struct program) / 4], size;
	struct program program;
	unsigned int i;
	void *at;

	if (one_in(2))
		program_init_copy(&program, from, to, below(4096) + 1);
	else
		program_init_rows(&program, from, to, rows, row_bytes);
	while (one_in(2) && program.header.op_count < PROGRAM_ROOM)
		program.op[program.header.op_count++] = program.op[0];
	size = program_write(&program, image);
	for (i = one_in(8) * (1 + below(3)); i; i--) {
		__u32 *word = &image[below(size / 4)];

		*word = mutated(*word);
	}
	if (bo->size < size)
		return -ENOSPC;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd, bo->offset);
	if (at == MAP_FAILED)
		return -errno;
	memcpy(at, image, size);
	bo->program_size = size;
	return munmap(at, size) ? -errno : 0;
}

static void call_counted(struct client *client, unsigned int i)
{
	int ret;

	self->call = i;
	self->since = deadline_ns(0);
	ret = calls[i].function ? calls[i].function(client) : call_request(client, &calls[i]);
	self->since = 0;
	kcov_collect();
	shared->count[i][-ret]++;
}

/* What a new client does first, perhaps with mistakes. */
static void client_fill(struct client *client)
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
	int fd = atomic_exchange(&fds[below(FD_TYPES)][below(OBJECTS)], 0);

	(void)client;
	if (one_in(4))
		keep_fd(FD_EVENT, eventfd(0, EFD_CLOEXEC));
	return fd && close(fd) ? -errno : 0;
}

static void call_next(bool may_fork);

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
	/* As if it had happened here. */
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));
	return 0;
}

/* What a thread needs before its first call, and the first calls. Returns 0 or -errno. */
int calls_start(struct thread *thread, __u64 random)
{
	unsigned int i;
	int ret;

	self = thread;
	random_state = random;
	arena = mmap(NULL, ARENA + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (arena == MAP_FAILED || munmap(arena + ARENA, 4096))
		return -errno;
	for (i = 0; i < call_count; i++)
		weights += calls[i].weight;
	ret = kcov_start();
	if (ret)
		return ret;
	client_fill(thread->own);
	return 0;
}

static void call_next(bool may_fork)
{
	struct client *client = self->own;
	unsigned int n = below(weights), i;

	if (one_in(32))
		client = &shared->clients[below(SHARED_CLIENTS)];
	for (i = 0; n >= calls[i].weight; i++)
		n -= calls[i].weight;
	if (calls[i].function != call_fork || may_fork)
		call_counted(client, i);
}

/* A call that follows from a random number. */
void call_some(__u64 random)
{
	random_state = random;
	call_next(true);
}
