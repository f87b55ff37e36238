// SPDX-License-Identifier: GPL-2.0
/*
 * Making a call: a valid one out of the objects that live, then perhaps with a field, a pointer or
 * the structure's length wrong. Everything follows from the random number that a call begins with,
 * and from the answers to the calls before.
 */
#include "ioctl.h"

#include "kcov.h"

#define ITEM_ROOM	(8 << 10)	/* in the arena, for what a field points to, but `passes` */

__thread struct thread *self;
__thread __u8 *arena;
__thread void *map;

static __thread unsigned int weights;	/* of all calls */

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
		if (bo->is_control) {
			passes[i].arg_count = NN_ARG_COUNT;
			passes[i].args[NN_ARG_FLAGS] = NN_PASS_CONTROL;
		} else if (one_in(2)) {
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

void call_counted(struct client *client, unsigned int i)
{
	int ret;

	self->call = i;
	self->since = deadline_ns(0);
	ret = calls[i].function ? calls[i].function(client) : call_request(client, &calls[i]);
	self->since = 0;
	kcov_collect();
	shared->count[i][-ret]++;
}

/*
 * Gets what a thread needs before its first call, and makes the first calls. Returns 0 or -errno.
 */
int calls_start(struct thread *thread, __u64 random)
{
	unsigned int i;
	int ret;

	self = thread;
	random_seed(random);
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

void call_next(bool may_fork)
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
	random_seed(random);
	call_next(true);
}
