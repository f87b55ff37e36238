// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/fdinfo/FD: whose file it is, what it holds and how long the DSP worked for it, in the
 * format of DRM drivers (Documentation/gpu/drm-usage-stats.rst).
 */
#include "kselftest_harness.h"

#include "program.h"

/* A number with that unit ("": none), or -errno. */
static long long fdinfo_number(int fd, const char *key, const char *unit)
{
	char text[128], found[16] = "";
	long long value;
	int ret = fdinfo_text(fd, key, text, sizeof(text));

	if (ret)
		return ret;
	if (sscanf(text, "%lld %15s", &value, found) < 1 || strcmp(found, unit))
		return -EPROTO;
	return value;
}

static long long memory_kib(int fd, const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "drm-%s-memory", what);
	return fdinfo_number(fd, key, "KiB");
}

static long long busy_ns(int fd)
{
	return fdinfo_number(fd, "drm-engine-dsp", "ns");
}

FIXTURE(fdinfo) {
	int fd;
	int other;
};

FIXTURE_SETUP(fdinfo)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
}

FIXTURE_TEARDOWN(fdinfo)
{
	close(self->fd);
	close(self->other);
}

TEST_F(fdinfo, identity)
{
	struct drm_nnloop_device_info info;
	char text[128];
	long long id;

	ASSERT_EQ(0, fdinfo_text(self->fd, "drm-driver", text, sizeof(text)));
	EXPECT_STREQ("nnloop", text);
	/* Newer kernels have this line for PCI functions only. */
	if (!device_is_soft(self->fd)) {
		ASSERT_EQ(0, fdinfo_text(self->fd, "drm-pdev", text, sizeof(text)));
		EXPECT_EQ(12, strlen(text)) TH_LOG("%s is no PCI address", text);
	}
	id = fdinfo_number(self->fd, "drm-client-id", "");
	EXPECT_LT(0, id);
	EXPECT_NE(id, fdinfo_number(self->other, "drm-client-id", ""));
	ASSERT_EQ(0, device_query(self->fd, &info));
	EXPECT_EQ(info.worker_count, fdinfo_number(self->fd, "drm-engine-capacity-dsp", ""));
}

/* A duplicate is the same client. */
TEST_F(fdinfo, duplicate)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	EXPECT_EQ(fdinfo_number(self->fd, "drm-client-id", ""),
		  fdinfo_number(copy, "drm-client-id", ""));
	close(copy);
}

TEST_F(fdinfo, memory)
{
	const long page = PAGE_SIZE / 1024;
	struct bo small, large;

	EXPECT_EQ(0, memory_kib(self->fd, "total"));
	ASSERT_EQ(0, bo_create(self->fd, 1, 0, &small));
	EXPECT_EQ(page, memory_kib(self->fd, "total"));
	ASSERT_EQ(0, bo_create(self->fd, 3 << 20, 0, &large));
	EXPECT_EQ(page + 3072, memory_kib(self->fd, "total"));
	EXPECT_EQ(page + 3072, memory_kib(self->fd, "resident"));
	EXPECT_EQ(0, memory_kib(self->fd, "shared"));
	EXPECT_EQ(0, memory_kib(self->other, "total"));
	EXPECT_EQ(0, bo_close(&large));
	EXPECT_EQ(page, memory_kib(self->fd, "total"));
	EXPECT_EQ(0, bo_close(&small));
	EXPECT_EQ(0, memory_kib(self->fd, "total"));
}

TEST_F(fdinfo, shared_memory)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	struct bo bo, alone;

	ASSERT_EQ(0, bo_create(self->fd, 1 << 20, 0, &bo));
	ASSERT_EQ(0, bo_create(self->fd, PAGE_SIZE, 0, &alone));
	prime.handle = bo.handle;
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, device_ioctl(self->other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	close(prime.fd);
	EXPECT_EQ(1024, memory_kib(self->fd, "shared"));
	EXPECT_EQ(1024, memory_kib(self->other, "shared"));
	EXPECT_EQ(1024 + PAGE_SIZE / 1024, memory_kib(self->fd, "total"));
	EXPECT_EQ(1024, memory_kib(self->other, "total"));
}

/* What a file has made is its memory until it is gone, whoever holds it. */
TEST_F(fdinfo, memory_without_a_handle)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	struct bo mapped, exported;

	ASSERT_EQ(0, bo_new(self->fd, 1 << 20, &mapped));
	ASSERT_EQ(0, bo_create(self->fd, 2 << 20, 0, &exported));
	prime.handle = exported.handle;
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, bo_close(&mapped));
	ASSERT_EQ(0, bo_close(&exported));
	EXPECT_EQ(3072, memory_kib(self->fd, "total"));
	EXPECT_EQ(3072, memory_kib(self->fd, "resident"));
	bo_unmap(&mapped);
	EXPECT_EQ(2048, memory_kib(self->fd, "total"));

	ASSERT_EQ(0, device_ioctl(self->other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	EXPECT_EQ(2048, memory_kib(self->fd, "total"));
	EXPECT_EQ(2048, memory_kib(self->fd, "shared"));
	EXPECT_EQ(2048, memory_kib(self->other, "total"));
	EXPECT_EQ(2048, memory_kib(self->other, "shared"));
	close(prime.fd);
	exported.fd = self->other;
	exported.handle = prime.handle;
	ASSERT_EQ(0, bo_close(&exported));
	EXPECT_EQ(0, memory_kib(self->fd, "total"));
	EXPECT_EQ(0, memory_kib(self->fd, "resident"));
	EXPECT_EQ(0, memory_kib(self->fd, "shared"));
	EXPECT_EQ(0, memory_kib(self->other, "total"));
}

/* It grows while a job runs, and only then, for the client whose job it is. */
TEST_F(fdinfo, engine)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	long long first, later, end;
	struct queue queue;
	__u64 point;

	ASSERT_NE(NULL, slow);
	EXPECT_EQ(0, busy_ns(self->fd));
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, slow_start(slow, &queue, &point));
	/* A job that waits for its worker to wake counts as running, but not as work of the DSP. */
	ASSERT_EQ(0, queue_poll_passes(&queue, point, 1));
	first = busy_ns(self->fd);
	usleep(50000);
	later = busy_ns(self->fd);
	EXPECT_LE(first + 50000000, later);
	EXPECT_EQ(0, busy_ns(self->other));
	ASSERT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(0, queue_wait(&queue, point, &status));
	end = busy_ns(self->fd);
	EXPECT_LE(later, end);
	usleep(20000);
	EXPECT_EQ(end, busy_ns(self->fd));
	free(slow);
}

/* Passes are queued until their job ends, and count when they are done, whatever ends the job. */
TEST_F(fdinfo, passes)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	long long before, passes;
	struct queue queue;
	__u64 point, second;

	ASSERT_NE(NULL, slow);
	EXPECT_EQ(0, fdinfo_number(self->fd, "nnloop-passes", ""));
	EXPECT_EQ(0, fdinfo_number(self->fd, "nnloop-queued-passes", ""));
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, slow_start(slow, &queue, &point));
	passes = fdinfo_number(self->fd, "nnloop-queued-passes", "");
	EXPECT_LT(0, passes);
	/* The second one waits behind the first. */
	ASSERT_EQ(0, slow_submit(slow, &queue, &second));
	EXPECT_EQ(2 * passes, fdinfo_number(self->fd, "nnloop-queued-passes", ""));
	EXPECT_EQ(0, fdinfo_number(self->other, "nnloop-queued-passes", ""));
	ASSERT_EQ(0, queue_poll_passes(&queue, point, 1));
	ASSERT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(0, queue_wait(&queue, second, &status));
	EXPECT_EQ(0, status.passes_done);
	ASSERT_EQ(0, queue_wait(&queue, point, &status));
	EXPECT_EQ(0, fdinfo_number(self->fd, "nnloop-queued-passes", ""));
	before = fdinfo_number(self->fd, "nnloop-passes", "");
	EXPECT_EQ(status.passes_done, before);
	EXPECT_LE(1, before);
	EXPECT_EQ(0, fdinfo_number(self->other, "nnloop-passes", ""));
	free(slow);
}

TEST_HARNESS_MAIN
