/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that do not return: the memory that they are to read or write is a page whose fault nobody
 * answers (userfaultfd), as a file system in user space can do it as well. What else happens in the
 * system must not wait for them.
 */
#ifndef NNLOOP_TEST_STUCK_H
#define NNLOOP_TEST_STUCK_H

#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "partner.h"
#include "program.h"

/* A page that is not there until it is given, or that is there and cannot be written to. */
struct stuck_page {
	int uffd;
	bool write_protected;
	__u8 *page;
	__u8 *content;		/* what it will have; write it before stuck_page_arm() */
};

static inline int stuck_page_new(struct stuck_page *stuck)
{
	memset(stuck, 0, sizeof(*stuck));
	stuck->uffd = -1;
	stuck->page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	stuck->content = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return stuck->page == MAP_FAILED || stuck->content == MAP_FAILED ? -errno : 0;
}

static inline int stuck_page_protect(struct stuck_page *stuck, bool protect)
{
	struct uffdio_writeprotect args = {
		.range = { .start = (uintptr_t)stuck->page, .len = PAGE_SIZE },
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return device_ioctl(stuck->uffd, UFFDIO_WRITEPROTECT, &args);
}

/*
 * From now on whoever touches the page is stuck; with @write_protected, whoever writes to it.
 * -EOPNOTSUPP if this kernel cannot do the latter.
 */
static inline int stuck_page_arm(struct stuck_page *stuck, bool write_protected)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register args = {
		.range = { .start = (uintptr_t)stuck->page, .len = PAGE_SIZE },
		.mode = write_protected ? UFFDIO_REGISTER_MODE_WP : UFFDIO_REGISTER_MODE_MISSING,
	};
	int ret;

	stuck->write_protected = write_protected;
	stuck->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (stuck->uffd < 0)
		return -errno;
	ret = device_ioctl(stuck->uffd, UFFDIO_API, &api);
	if (!ret && write_protected && !(api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP))
		return -EOPNOTSUPP;
	ret = ret ?: device_ioctl(stuck->uffd, UFFDIO_REGISTER, &args);
	if (ret || !write_protected)
		return ret;
	memcpy(stuck->page, stuck->content, PAGE_SIZE);
	return stuck_page_protect(stuck, true);
}

/* Wait until somebody is stuck. */
static inline bool stuck_page_is_waited_for(struct stuck_page *stuck)
{
	struct pollfd fault = { .fd = stuck->uffd, .events = POLLIN };

	return poll(&fault, 1, WAIT_SECONDS * 1000) == 1 && fault.revents == POLLIN;
}

static inline int stuck_page_give(struct stuck_page *stuck)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)stuck->page,
		.src = (uintptr_t)stuck->content,
		.len = PAGE_SIZE,
	};

	if (stuck->write_protected)
		return stuck_page_protect(stuck, false);
	return device_ioctl(stuck->uffd, UFFDIO_COPY, &copy);
}

/* A call under way in a thread of its own, and what it answered. */
struct stuck_call {
	const char *name;
	unsigned long request;
	void *arg;
	bool write_protected;
	bool started;
	int fd;
	int ret;
	struct stuck_page memory;
	pthread_t thread;
	union {
		struct drm_nnloop_submit submit;
		struct drm_nnloop_query query;
		struct drm_nnloop_bo_set_name set_name;
		struct drm_syncobj_timeline_wait wait;
	};
};

#define STUCK_CALLS 13

/* All the ways to be stuck, of one client. */
struct stuck {
	struct stuck_call call[STUCK_CALLS];
	unsigned int count;
	struct queue queue;
	struct code code;
	struct bo data;
	struct drm_nnloop_sync signal;	/* of call[0], the submit whose passes come late */
};

static inline struct stuck_call *stuck_add(struct stuck *stuck, const char *name,
					   unsigned long request, const void *content, size_t size)
{
	struct stuck_call *call = &stuck->call[stuck->count++];

	if (stuck_page_new(&call->memory))
		abort();
	memcpy(call->memory.content, content, size);
	call->name = name;
	call->fd = stuck->queue.fd;
	call->request = request;
	call->arg = call->memory.page;
	return call;
}

/* Each with a pass that is right, so that nothing but the page is in the way. */
static inline struct stuck_call *stuck_add_submit(struct stuck *stuck, const char *name,
						  const void *content, size_t size)
{
	struct stuck_call *call = stuck_add(stuck, name, DRM_IOCTL_NNLOOP_SUBMIT, content, size);

	call->submit = (struct drm_nnloop_submit){
		.queue = stuck->queue.id,
		.passes = (uintptr_t)&stuck->code.pass,
		.pass_count = 1,
		.pass_stride = sizeof(stuck->code.pass),
	};
	call->arg = &call->submit;
	return call;
}

static inline void stuck_add_all(struct stuck *stuck)
{
	struct drm_nnloop_bo_create create = { .size = PAGE_SIZE };
	struct drm_prime_handle export = { .handle = stuck->data.handle, .flags = DRM_CLOEXEC };
	struct drm_prime_handle import = { .fd = -1 };
	struct drm_gem_close close = { .handle = stuck->data.handle };
	struct stuck_call *call;
	__u64 point = 1;

	call = stuck_add_submit(stuck, "SUBMIT's passes", &stuck->code.pass,
				sizeof(stuck->code.pass));
	call->submit.passes = (uintptr_t)call->memory.page;
	call->submit.signals = (uintptr_t)&stuck->signal;
	call->submit.signal_count = 1;
	call = stuck_add_submit(stuck, "SUBMIT's waits", &stuck->signal, sizeof(stuck->signal));
	call->submit.waits = (uintptr_t)call->memory.page;
	call->submit.wait_count = 1;
	call = stuck_add_submit(stuck, "SUBMIT's signals", &stuck->signal, sizeof(stuck->signal));
	call->submit.signals = (uintptr_t)call->memory.page;
	call->submit.signal_count = 1;
	call = stuck_add(stuck, "QUERY's pointer", DRM_IOCTL_NNLOOP_QUERY, "", 1);
	call->query.type = DRM_NNLOOP_QUERY_DEVICE;
	call->query.size = sizeof(struct drm_nnloop_device_info);
	call->query.pointer = (uintptr_t)call->memory.page;
	call->arg = &call->query;
	call = stuck_add(stuck, "BO_SET_NAME's name", DRM_IOCTL_NNLOOP_BO_SET_NAME, "late", 4);
	call->set_name.handle = stuck->data.handle;
	call->set_name.size = 4;
	call->set_name.name = (uintptr_t)call->memory.page;
	call->arg = &call->set_name;
	stuck_add(stuck, "BO_CREATE", DRM_IOCTL_NNLOOP_BO_CREATE, &create, sizeof(create));
	call = stuck_add(stuck, "BO_CREATE's answer", DRM_IOCTL_NNLOOP_BO_CREATE, &create,
			 sizeof(create));
	call->write_protected = true;
	/* The structure is longer than the driver knows, and the page where it goes on. */
	call = stuck_add(stuck, "a longer QUERY", _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
						       DRM_COMMAND_BASE + DRM_NNLOOP_QUERY, 2048),
			 "", 1);
	stuck_add(stuck, "PRIME_HANDLE_TO_FD", DRM_IOCTL_PRIME_HANDLE_TO_FD, &export,
		  sizeof(export));
	call = stuck_add(stuck, "PRIME_HANDLE_TO_FD's answer", DRM_IOCTL_PRIME_HANDLE_TO_FD,
			 &export, sizeof(export));
	call->write_protected = true;
	stuck_add(stuck, "PRIME_FD_TO_HANDLE", DRM_IOCTL_PRIME_FD_TO_HANDLE, &import,
		  sizeof(import));
	stuck_add(stuck, "GEM_CLOSE", DRM_IOCTL_GEM_CLOSE, &close, sizeof(close));
	call = stuck_add(stuck, "SYNCOBJ_TIMELINE_WAIT's points", DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
			 &point, sizeof(point));
	call->wait.handles = (uintptr_t)&stuck->queue.syncobj;
	call->wait.points = (uintptr_t)call->memory.page;
	call->wait.count_handles = 1;
	call->arg = &call->wait;
}

static inline void *stuck_call_thread(void *arg)
{
	struct stuck_call *call = arg;

	call->ret = ioctl(call->fd, call->request, call->arg) < 0 ? -errno : 0;
	return NULL;
}

/* Returns when all calls are under way and stuck, or an error. */
static inline int stuck_start(struct stuck *stuck, int fd, __u32 syncobj)
{
	unsigned int i;
	int ret;

	memset(stuck, 0, sizeof(*stuck));
	stuck->signal.handle = syncobj;
	ret = copy_new(fd, 64, &stuck->queue, &stuck->data, &stuck->code);
	if (ret)
		return ret;
	stuck_add_all(stuck);
	for (i = 0; i < stuck->count; i++) {
		struct stuck_call *call = &stuck->call[i];

		ret = stuck_page_arm(&call->memory, call->write_protected);
		/* Not every architecture can: there it is the calls that read. */
		if (ret == -EOPNOTSUPP && call->write_protected)
			continue;
		ret = ret ?: -pthread_create(&call->thread, NULL, stuck_call_thread, call);
		if (ret)
			return ret;
		call->started = true;
		if (!stuck_page_is_waited_for(&call->memory))
			return -ETIME;
	}
	return 0;
}

/* The memory comes after all, and each call ends. */
static inline int stuck_end(struct stuck *stuck)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < stuck->count && !ret; i++) {
		struct stuck_call *call = &stuck->call[i];

		if (!call->started)
			continue;
		ret = stuck_page_give(&call->memory);
		ret = ret ?: -pthread_join(call->thread, NULL);
		close(call->memory.uffd);
	}
	return ret;
}

#endif
