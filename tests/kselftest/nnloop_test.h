/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the nnloop kselftests share: opening the device, buffers, queues, jobs and
 * syncobjs as plain functions. All return 0 (or what their comment says) or a negative errno, and
 * print nothing.
 *
 * Include it after "kselftest_harness.h". Without a device the whole program is skipped (exit code
 * 4).
 */
#ifndef NNLOOP_TEST_H
#define NNLOOP_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <drm/nnloop_accel.h>

#include "node.h"

/* The kernel's, of which buffers and their addresses are multiples; the DSP's own has 4 KiB. */
#define PAGE_SIZE	((size_t)sysconf(_SC_PAGESIZE))
#define NO_OP		(~0u)		/* fail_op when no operator is to blame */

/*
 * The time that the harness allows a test, in seconds: a debug kernel (tests/debug) in emulation is
 * ten times slower than a plain one. Within TEST_F() this counts, not the harness's own 30.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	300

/* Is all wanted that there is, also what mostly finds no more than a part of it? */
static inline bool test_all(void)
{
	const char *all = getenv("NNLOOP_TEST_ALL");

	return all && *all;
}

/* For a wait that must succeed: far more than anything here takes, less than the harness allows. */
#define WAIT_SECONDS	60

static inline int device_open_node(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline int device_open(void)
{
	return device_open_node(NNLOOP_NODE);
}

static inline int device_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -errno : 0;
}

static inline int device_query(int fd, struct drm_nnloop_device_info *info)
{
	struct drm_nnloop_query query = {
		.type = DRM_NNLOOP_QUERY_DEVICE,
		.size = sizeof(*info),
		.pointer = (uintptr_t)info,
	};

	memset(info, 0, sizeof(*info));
	return device_ioctl(fd, DRM_IOCTL_NNLOOP_QUERY, &query);
}

/* Is the file one of nnloop's? */
static inline bool device_is_nnloop(int fd)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !device_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "nnloop");
}

/* The DRM node (render or accel) that NNLOOP_NODE is, or is another name of: opened, or -errno. */
static inline int device_open_drm_node(char *path, size_t size)
{
	static const char * const form[] = { "/dev/accel/accel%u", "/dev/dri/renderD%u" };
	unsigned int minor, i;
	struct stat st;

	if (stat(NNLOOP_NODE, &st))
		return -errno;
	/* Both nodes have the same minor number. */
	minor = st.st_rdev & 0xff;
	for (i = 0; i < 2; i++) {
		int fd;

		snprintf(path, size, form[i], minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (device_is_nnloop(fd))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* Write to a file of the kernel's. O_TRUNC is how a trace is cleared. */
static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* The rest of the line with that key; -ENOENT if there is none. */
static inline int fdinfo_text(int fd, const char *key, char *text, size_t size)
{
	char path[64], line[256], *value;
	int ret = -ENOENT;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (ret && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)) || line[strlen(key)] != ':')
			continue;
		line[strcspn(line, "\n")] = 0;
		value = line + strlen(key) + 1;
		snprintf(text, size, "%s", value + strspn(value, " \t"));
		ret = 0;
	}
	fclose(file);
	return ret;
}

/*
 * The name of the device on its bus: a PCI function's address, or that of a board of this machine.
 */
static inline int device_address(int fd, char *text, size_t size)
{
	char link[64], path[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	if (!realpath(link, path))
		return -errno;
	snprintf(text, size, "%s", strrchr(path, '/') + 1);
	return 0;
}

/* Is it no PCI function, but a board of this machine? */
static inline bool device_is_soft(int fd)
{
	char address[64];

	return !device_address(fd, address, sizeof(address)) &&
	       !strncmp(address, "nnloop-soft", strlen("nnloop-soft"));
}

/* The time that the file has had of the workers, or -1. */
static inline long long engine_ns(int fd)
{
	char text[64];

	if (fdinfo_text(fd, "drm-engine-dsp", text, sizeof(text)))
		return -1;
	return atoll(text);
}

/* Buffers */

struct bo {
	int fd;
	__u32 handle;
	__u64 size;
	__u64 iova;
	__u64 offset;		/* for mmap() */
	__u8 *map;		/* NULL: not mapped */
};

static inline int bo_create(int fd, __u64 size, __u32 flags, struct bo *bo)
{
	struct drm_nnloop_bo_create create = { .size = size, .flags = flags };
	int ret;

	memset(bo, 0, sizeof(*bo));
	bo->fd = fd;
	ret = device_ioctl(fd, DRM_IOCTL_NNLOOP_BO_CREATE, &create);
	if (ret)
		return ret;
	bo->handle = create.handle;
	bo->size = create.size;
	bo->iova = create.iova;
	bo->offset = create.mmap_offset;
	return 0;
}

static inline int bo_map_prot(struct bo *bo, int prot)
{
	void *map = mmap(NULL, bo->size, prot, MAP_SHARED, bo->fd, bo->offset);

	if (map == MAP_FAILED)
		return -errno;
	bo->map = map;
	return 0;
}

static inline int bo_map(struct bo *bo)
{
	return bo_map_prot(bo, PROT_READ | PROT_WRITE);
}

static inline void bo_unmap(struct bo *bo)
{
	if (bo->map)
		munmap(bo->map, bo->size);
	bo->map = NULL;
}

static inline int bo_close(struct bo *bo)
{
	struct drm_gem_close close = { .handle = bo->handle };

	return device_ioctl(bo->fd, DRM_IOCTL_GEM_CLOSE, &close);
}

/* A buffer that the CPU can reach. */
static inline int bo_new(int fd, __u64 size, struct bo *bo)
{
	int ret = bo_create(fd, size, 0, bo);

	if (ret)
		return ret;
	ret = bo_map(bo);
	if (ret)
		bo_close(bo);
	return ret;
}

static inline void bo_free(struct bo *bo)
{
	bo_unmap(bo);
	bo_close(bo);
}

static inline int bo_info(int fd, __u32 handle, struct drm_nnloop_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = handle;
	return device_ioctl(fd, DRM_IOCTL_NNLOOP_BO_INFO, info);
}

static inline int bo_seal(struct bo *bo)
{
	struct drm_nnloop_bo_seal seal = { .handle = bo->handle };

	return device_ioctl(bo->fd, DRM_IOCTL_NNLOOP_BO_SEAL, &seal);
}

static inline int bo_set_name(struct bo *bo, const char *name, __u32 size)
{
	struct drm_nnloop_bo_set_name set_name = {
		.handle = bo->handle,
		.size = size,
		.name = (uintptr_t)name,
	};

	return device_ioctl(bo->fd, DRM_IOCTL_NNLOOP_BO_SET_NAME, &set_name);
}

static inline int bo_begin_cpu(struct bo *bo, __u32 access)
{
	struct drm_nnloop_bo_cpu_access cpu = { .handle = bo->handle, .access = access };

	return device_ioctl(bo->fd, DRM_IOCTL_NNLOOP_BO_BEGIN_CPU, &cpu);
}

static inline int bo_end_cpu(struct bo *bo, __u32 access)
{
	struct drm_nnloop_bo_cpu_access cpu = { .handle = bo->handle, .access = access };

	return device_ioctl(bo->fd, DRM_IOCTL_NNLOOP_BO_END_CPU, &cpu);
}

/* A pattern that differs from byte to byte and from seed to seed. */
static inline __u8 pattern_byte(__u32 seed, size_t i)
{
	__u32 x = (seed + 1) * 2654435761u ^ (__u32)i * 2246822519u;

	x ^= x >> 15;
	x *= 2654435761u;
	return x >> 24;
}

static inline void pattern_fill(__u8 *data, size_t size, __u32 seed)
{
	size_t i;

	for (i = 0; i < size; i++)
		data[i] = pattern_byte(seed, i);
}

/* Returns how many of the leading bytes have the pattern: `size` if all. */
static inline size_t pattern_match(const __u8 *data, size_t size, __u32 seed)
{
	size_t i;

	for (i = 0; i < size && data[i] == pattern_byte(seed, i); i++)
		;
	return i;
}

/* Returns how many of the leading bytes have this value: `size` if all. */
static inline size_t value_match(const __u8 *data, size_t size, __u8 value)
{
	size_t i;

	for (i = 0; i < size && data[i] == value; i++)
		;
	return i;
}

/* Pages that can be told from each other: page i of a buffer has the pattern seed + i. */
static inline void pages_fill(__u8 *data, unsigned int first, unsigned int count, __u32 seed)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		pattern_fill(data + i * PAGE_SIZE, PAGE_SIZE, seed + first + i);
}

/*
 * Returns how many of the leading pages are what they should be, if the first one is page `first`.
 */
static inline unsigned int pages_match(const __u8 *data, unsigned int first, unsigned int count,
				       __u32 seed)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (pattern_match(data + i * PAGE_SIZE, PAGE_SIZE, seed + first + i) != PAGE_SIZE)
			break;
	}
	return i;
}

/* A page of memory behind which there is none: what is at its end runs into the hole. */
static inline __u8 *page_before_hole(void)
{
	__u8 *page = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED || munmap(page + PAGE_SIZE, PAGE_SIZE))
		return NULL;
	return page;
}

/* Syncobjs */

static inline int syncobj_create(int fd, __u32 *handle)
{
	struct drm_syncobj_create create = { 0 };
	int ret = device_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);

	*handle = create.handle;
	return ret;
}

static inline int syncobj_destroy(int fd, __u32 handle)
{
	struct drm_syncobj_destroy destroy = { .handle = handle };

	return device_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
}

static inline __s64 deadline_ns(double seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + (__s64)(seconds * 1e9);
}

/* Wait for a point of a timeline syncobj, or a binary one (point 0). -ETIME if it did not come. */
static inline int syncobj_wait(int fd, __u32 handle, __u64 point, double seconds)
{
	struct drm_syncobj_timeline_wait wait = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.timeout_nsec = deadline_ns(seconds),
		.count_handles = 1,
	};

	return device_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait);
}

/* The last signalled point of a timeline. */
static inline int syncobj_query(int fd, __u32 handle, __u64 *point)
{
	struct drm_syncobj_timeline_array array = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)point,
		.count_handles = 1,
	};

	return device_ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &array);
}

/* Queues and jobs */

struct queue {
	int fd;
	__u32 id;
	__u32 syncobj;
	__u32 workers;		/* the most that its jobs can have, of those submitted here */
};

static inline int queue_create_priority(int fd, __u32 priority, struct queue *queue)
{
	struct drm_nnloop_queue_create create = { .priority = priority };
	int ret = device_ioctl(fd, DRM_IOCTL_NNLOOP_QUEUE_CREATE, &create);

	queue->fd = fd;
	queue->id = create.queue;
	queue->syncobj = create.syncobj;
	queue->workers = 0;
	return ret;
}

static inline int queue_create(int fd, struct queue *queue)
{
	return queue_create_priority(fd, DRM_NNLOOP_PRIORITY_NORMAL, queue);
}

static inline int queue_destroy(struct queue *queue)
{
	struct drm_nnloop_queue_destroy destroy = { .queue = queue->id };

	return device_ioctl(queue->fd, DRM_IOCTL_NNLOOP_QUEUE_DESTROY, &destroy);
}

static inline int queue_cancel(struct queue *queue)
{
	struct drm_nnloop_cancel cancel = { .queue = queue->id };

	return device_ioctl(queue->fd, DRM_IOCTL_NNLOOP_CANCEL, &cancel);
}

static inline int queue_status(struct queue *queue, __u64 point, struct drm_nnloop_status *status)
{
	memset(status, 0, sizeof(*status));
	status->queue = queue->id;
	status->point = point;
	return device_ioctl(queue->fd, DRM_IOCTL_NNLOOP_STATUS, status);
}

/* The passes and syncs of one submit; *point is the job's, or 0 if it was refused. */
static inline int queue_submit_syncs(struct queue *queue, const struct drm_nnloop_pass *passes,
				     __u32 pass_count, const struct drm_nnloop_sync *waits,
				     __u32 wait_count, const struct drm_nnloop_sync *signals,
				     __u32 signal_count, __u64 *point)
{
	struct drm_nnloop_submit submit = {
		.queue = queue->id,
		.passes = (uintptr_t)passes,
		.pass_count = pass_count,
		.pass_stride = sizeof(*passes),
		.waits = (uintptr_t)waits,
		.signals = (uintptr_t)signals,
		.wait_count = wait_count,
		.signal_count = signal_count,
#ifdef DRM_NNLOOP_SUBMIT_WORKERS
		.workers = queue->workers,
#endif
	};
	int ret = device_ioctl(queue->fd, DRM_IOCTL_NNLOOP_SUBMIT, &submit);

	*point = ret ? 0 : submit.point;
	return ret;
}

static inline int queue_submit(struct queue *queue, const struct drm_nnloop_pass *passes,
			       __u32 pass_count, __u64 *point)
{
	return queue_submit_syncs(queue, passes, pass_count, NULL, 0, NULL, 0, point);
}

/* Wait for the end of a job and ask how it ended. */
static inline int queue_wait(struct queue *queue, __u64 point, struct drm_nnloop_status *status)
{
	int ret = syncobj_wait(queue->fd, queue->syncobj, point, WAIT_SECONDS);

	return ret ?: queue_status(queue, point, status);
}

/* Submit one job and see it to its end. */
static inline int queue_run(struct queue *queue, const struct drm_nnloop_pass *passes,
			    __u32 pass_count, struct drm_nnloop_status *status)
{
	__u64 point;
	int ret = queue_submit(queue, passes, pass_count, &point);

	return ret ?: queue_wait(queue, point, status);
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l };

	nanosleep(&time, NULL);
}

/*
 * Wait until a job is in a state and so many of its passes are done, by asking. 0, or -ETIME, or
 * -EEXIST if it is past that state.
 */
static inline int queue_poll(struct queue *queue, __u64 point, __u32 state, __u32 passes_done)
{
	struct drm_nnloop_status status;
	__s64 end = deadline_ns(WAIT_SECONDS);
	int ret;

	for (;;) {
		ret = queue_status(queue, point, &status);
		if (ret)
			return ret;
		if (status.state == state && status.passes_done >= passes_done)
			return 0;
		if (status.state > state)
			return -EEXIST;
		if (deadline_ns(0) > end)
			return -ETIME;
		sleep_ms(1);
	}
}

static inline int queue_poll_state(struct queue *queue, __u64 point, __u32 state)
{
	return queue_poll(queue, point, state, 0);
}

static inline int queue_poll_passes(struct queue *queue, __u64 point, __u32 passes_done)
{
	return queue_poll(queue, point, DRM_NNLOOP_JOB_RUNNING, passes_done);
}

/* Wait until a process sleeps in an ioctl. */
static inline bool waits_in_ioctl(pid_t pid)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	char path[64], line[128];
	bool waits = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	while (!waits && deadline_ns(0) < end) {
		sleep_ms(1);
		file = fopen(path, "r");
		if (!file)
			return false;
		waits = fgets(line, sizeof(line), file) && atoi(line) == SYS_ioctl;
		fclose(file);
	}
	return waits;
}

/* Runs before main(). A test that brings its own device does not ask for one. */
static void __attribute__((constructor)) need_device(void)
{
#ifndef NNLOOP_TEST_BRINGS_DEVICE
	int fd = device_open();

	if (fd < 0)
		ksft_print_header();
	if (fd == -ENOENT)
		ksft_exit_skip("no device: %s does not exist (is the module loaded?)\n",
			       NNLOOP_NODE);
	if (fd < 0)
		ksft_exit_fail_msg("%s: %s\n", NNLOOP_NODE, strerror(-fd));
	if (!device_is_nnloop(fd)) {
		ksft_print_header();
		ksft_exit_skip("no device: %s is another driver's\n", NNLOOP_NODE);
	}
	close(fd);
#endif
}

#endif
