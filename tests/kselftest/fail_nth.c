// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and copy that a call of the driver makes, made to fail, one at a time: first the
 * call's first, then its second, until it succeeds without a failure. Each failure is an error that
 * says so, and the device works afterwards. That nothing leaks is what kmemleak says after all
 * tests. Needs a kernel with fault injection (tests/debug).
 */
#include "kselftest_harness.h"

#include "program.h"

#define DEBUGFS	"/sys/kernel/debug/"

/* The scene of a call: an open device and whatever else there has to be before. */
struct scene {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;	/* of copy_new() */
	struct bo plain;	/* not mapped */
	int dmabuf;		/* of another open device */
};

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Sets up fault injection, so that only this task has the failures that it asks for. */
static int injection_init(void)
{
	static const char * const files[][2] = {
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
		{ DEBUGFS "fail_usercopy/verbose", "0" },
	};
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ret = write_text(files[i][0], files[i][1]);
		if (ret)
			return ret;
	}
	return 0;
}

static int injection_open(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/fail-nth", gettid());
	return open(path, O_RDWR | O_CLOEXEC);
}

static int injection_set(int proc, unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	return pwrite(proc, text, length, 0) == length ? 0 : -errno;
}

/* Ends it. Returns whether the failure came. */
static bool injection_happened(int proc)
{
	char text[16] = "";

	if (pread(proc, text, sizeof(text) - 1, 0) < 0)
		return false;
	injection_set(proc, 0);
	return atoi(text) == 0;
}

static int scene_set(struct scene *scene)
{
	int ret;

	memset(scene, 0, sizeof(*scene));
	scene->fd = device_open();
	if (scene->fd < 0)
		return scene->fd;
	ret = copy_new(scene->fd, 4096, &scene->queue, &scene->data, &scene->code);
	return ret ?: bo_create(scene->fd, 4096, 0, &scene->plain);
}

static void scene_clear(struct scene *scene)
{
	bo_unmap(&scene->data);
	bo_unmap(&scene->code.bo);
	close(scene->fd);
}

static int call_open(struct scene *scene)
{
	int fd = device_open();

	(void)scene;
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int call_query(struct scene *scene)
{
	struct drm_nnloop_device_info info;

	return device_query(scene->fd, &info);
}

static int call_bo_create(struct scene *scene)
{
	struct bo bo;

	return bo_create(scene->fd, 16 * PAGE_SIZE, 0, &bo);
}

static int call_bo_info(struct scene *scene)
{
	struct drm_nnloop_bo_info info;

	return bo_info(scene->fd, scene->data.handle, &info);
}

static int call_bo_map(struct scene *scene)
{
	struct bo bo = scene->data;
	int ret = bo_map(&bo);

	if (!ret)
		bo_unmap(&bo);
	return ret;
}

static int call_bo_set_name(struct scene *scene)
{
	return bo_set_name(&scene->data, "weights", 7);
}

static int call_bo_cpu(struct scene *scene)
{
	__u32 access = DRM_NNLOOP_ACCESS_READ | DRM_NNLOOP_ACCESS_WRITE;

	return bo_begin_cpu(&scene->data, access) ?: bo_end_cpu(&scene->data, access);
}

static int call_bo_seal(struct scene *scene)
{
	return bo_seal(&scene->plain);
}

static int call_bo_close(struct scene *scene)
{
	return bo_close(&scene->data);
}

static int call_export(struct scene *scene)
{
	struct drm_prime_handle prime = { .handle = scene->data.handle,
					  .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = device_ioctl(scene->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	if (!ret)
		close(prime.fd);
	return ret;
}

static int call_import(struct scene *scene)
{
	struct drm_prime_handle prime = { .fd = scene->dmabuf };

	return device_ioctl(scene->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
}

static int call_queue_create(struct scene *scene)
{
	struct queue queue;

	return queue_create(scene->fd, &queue);
}

static int call_queue_destroy(struct scene *scene)
{
	return queue_destroy(&scene->queue);
}

/* Submits with something to wait for, and something to signal, of either kind of syncobj. */
static int call_submit(struct scene *scene)
{
	struct drm_nnloop_sync waits[1] = { { .handle = scene->queue.syncobj, .point = 1 } };
	struct drm_nnloop_sync signals[2] = { { 0 }, { .point = 3 } };
	struct drm_nnloop_pass passes[3] = { scene->code.pass, scene->code.pass,
					     scene->code.pass };
	__u64 point;
	int ret = syncobj_create(scene->fd, &signals[0].handle);

	ret = ret ?: syncobj_create(scene->fd, &signals[1].handle);
	return ret ?: queue_submit_syncs(&scene->queue, passes, 3, waits, 1, signals, 2, &point);
}

static int call_status(struct scene *scene)
{
	struct drm_nnloop_status status;

	return queue_status(&scene->queue, 1, &status);
}

static int call_cancel(struct scene *scene)
{
	return queue_cancel(&scene->queue);
}

FIXTURE(fail_nth) {
	int dmabuf_owner;
	int dmabuf;
	struct bo shared;
};

FIXTURE_VARIANT(fail_nth) {
	int (*call)(struct scene *scene);
};

FIXTURE_VARIANT_ADD(fail_nth, open) { .call = call_open };
FIXTURE_VARIANT_ADD(fail_nth, query) { .call = call_query };
FIXTURE_VARIANT_ADD(fail_nth, bo_create) { .call = call_bo_create };
FIXTURE_VARIANT_ADD(fail_nth, bo_info) { .call = call_bo_info };
FIXTURE_VARIANT_ADD(fail_nth, bo_map) { .call = call_bo_map };
FIXTURE_VARIANT_ADD(fail_nth, bo_set_name) { .call = call_bo_set_name };
FIXTURE_VARIANT_ADD(fail_nth, bo_cpu) { .call = call_bo_cpu };
FIXTURE_VARIANT_ADD(fail_nth, bo_seal) { .call = call_bo_seal };
FIXTURE_VARIANT_ADD(fail_nth, bo_close) { .call = call_bo_close };
FIXTURE_VARIANT_ADD(fail_nth, export) { .call = call_export };
FIXTURE_VARIANT_ADD(fail_nth, import) { .call = call_import };
FIXTURE_VARIANT_ADD(fail_nth, queue_create) { .call = call_queue_create };
FIXTURE_VARIANT_ADD(fail_nth, queue_destroy) { .call = call_queue_destroy };
FIXTURE_VARIANT_ADD(fail_nth, submit) { .call = call_submit };
FIXTURE_VARIANT_ADD(fail_nth, status) { .call = call_status };
FIXTURE_VARIANT_ADD(fail_nth, cancel) { .call = call_cancel };

FIXTURE_SETUP(fail_nth)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };

	ASSERT_EQ(0, injection_init());
	self->dmabuf_owner = device_open();
	ASSERT_LE(0, self->dmabuf_owner);
	ASSERT_EQ(0, bo_create(self->dmabuf_owner, 1 << 20, 0, &self->shared));
	prime.handle = self->shared.handle;
	ASSERT_EQ(0, device_ioctl(self->dmabuf_owner, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	self->dmabuf = prime.fd;
}

FIXTURE_TEARDOWN(fail_nth)
{
	close(self->dmabuf);
	close(self->dmabuf_owner);
}

TEST_F(fail_nth, every_failure_is_an_error)
{
	struct drm_nnloop_status status;
	struct scene scene;
	unsigned int n;
	bool happened;
	int proc, ret;

	proc = injection_open();
	ASSERT_LE(0, proc);
	for (n = 1;; n++) {
		ASSERT_EQ(0, scene_set(&scene));
		scene.dmabuf = self->dmabuf;
		/* So that there is a point 1 for who needs one. */
		ASSERT_EQ(0, queue_run(&scene.queue, &scene.code.pass, 1, &status));
		ASSERT_EQ(0, injection_set(proc, n));
		ret = variant->call(&scene);
		happened = injection_happened(proc);
		scene_clear(&scene);
		/*
		 * A call may do without what failed; if it fails, it is for that. The kernel's
		 * shmem says ENOSPC where it gets no inode.
		 */
		EXPECT_TRUE(!ret || (happened &&
				     (ret == -ENOMEM || ret == -EFAULT || ret == -ENOSPC)))
			TH_LOG("failure %u: %s", n, strerror(-ret));
		if (!happened)
			break;
		ASSERT_GT(2000, n);
	}
	TH_LOG("%u failures", n - 1);
	EXPECT_LT(0, n);
	close(proc);

	/* And the device works. */
	ASSERT_EQ(0, scene_set(&scene));
	pattern_fill(scene.data.map, 4096, 5);
	ASSERT_EQ(0, queue_run(&scene.queue, &scene.code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(4096, pattern_match(scene.data.map + 4096, 4096, 5));
	scene_clear(&scene);
}

/* Runs before main(). */
static void __attribute__((constructor)) need_fault_injection(void)
{
	if (!access("/proc/self/fail-nth", W_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("this kernel has no fault injection\n");
}

TEST_HARNESS_MAIN
