// SPDX-License-Identifier: GPL-2.0
/* DRM_IOCTL_NNLOOP_QUERY: the facts, and how much of them is copied. */
#include "kselftest_harness.h"

#include "nnloop_test.h"

#define GUARD 0xa5

FIXTURE(query) {
	int fd;
};

FIXTURE_SETUP(query)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(query)
{
	close(self->fd);
}

static int query(int fd, __u32 type, void *pointer, __u32 *size)
{
	struct drm_nnloop_query query = {
		.type = type,
		.size = *size,
		.pointer = (uintptr_t)pointer,
	};
	int ret = device_ioctl(fd, DRM_IOCTL_NNLOOP_QUERY, &query);

	*size = query.size;
	return ret;
}

/* The interface's constants are spelled out here: a change of them is a change of the interface. */
TEST_F(query, facts)
{
	struct drm_nnloop_device_info info;

	ASSERT_EQ(0, device_query(self->fd, &info));
	EXPECT_EQ(1, info.hardware_version >> 16);
	EXPECT_EQ(1, info.firmware_version >> 16);
	EXPECT_LE(1, info.worker_count);
	EXPECT_GE(8, info.worker_count);
	EXPECT_LE(256, info.max_passes);
	EXPECT_EQ(24, info.max_args);
	EXPECT_EQ(PAGE_SIZE, info.page_size);
	EXPECT_EQ(0x80000000, info.window_base);
	EXPECT_EQ(0x60000000, info.window_size);
	EXPECT_LE(16, info.max_queues);
	EXPECT_LT(0, info.hang_timeout_ms);
}

TEST_F(query, hang_timeout_is_the_module_parameter)
{
	struct drm_nnloop_device_info info;
	FILE *file = fopen("/sys/module/nnloop/parameters/hang_timeout_ms", "r");
	unsigned int value = 0;

	ASSERT_NE(NULL, file);
	EXPECT_EQ(1, fscanf(file, "%u", &value));
	fclose(file);
	ASSERT_EQ(0, device_query(self->fd, &info));
	EXPECT_EQ(value, info.hang_timeout_ms);
}

TEST_F(query, size_alone)
{
	__u32 size = 0;

	EXPECT_EQ(0, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, NULL, &size));
	EXPECT_LE(sizeof(struct drm_nnloop_device_info), size);
	size = 12345;
	EXPECT_EQ(0, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, NULL, &size));
	EXPECT_LE(sizeof(struct drm_nnloop_device_info), size);
	EXPECT_GT(4096, size);
}

/* Nothing after the caller's structure is touched, whatever its length is. */
TEST_F(query, copies_the_smaller_size)
{
	__u8 whole[4096], part[8192];
	__u32 full = sizeof(whole), n;

	memset(whole, 0, sizeof(whole));
	ASSERT_EQ(0, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, whole, &full));
	ASSERT_GT(4096, full);
	for (n = 0; n <= full + 8; n++) {
		__u32 size = n, copied = n < full ? n : full;

		memset(part, GUARD, sizeof(part));
		ASSERT_EQ(0, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, part, &size));
		EXPECT_EQ(full, size);
		EXPECT_EQ(0, memcmp(part, whole, copied));
		EXPECT_EQ(sizeof(part) - copied,
			  value_match(part + copied, sizeof(part) - copied, GUARD));
	}
}

TEST_F(query, unknown_type)
{
	struct drm_nnloop_device_info info;
	__u32 size = sizeof(info);

	EXPECT_EQ(-EOPNOTSUPP, query(self->fd, 1, &info, &size));
	EXPECT_EQ(-EOPNOTSUPP, query(self->fd, ~0u, &info, &size));
}

TEST_F(query, bad_pointer)
{
	__u8 *page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u32 size = sizeof(struct drm_nnloop_device_info);

	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(-EFAULT, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, page, &size));
	munmap(page, PAGE_SIZE);
	size = sizeof(struct drm_nnloop_device_info);
	EXPECT_EQ(-EFAULT, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, page, &size));
	size = sizeof(struct drm_nnloop_device_info);
	EXPECT_EQ(-EFAULT, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, (void *)-4096l, &size));
}

/* The last bytes of the answer on a page that is not there. */
TEST_F(query, answer_runs_into_a_hole)
{
	__u32 size = sizeof(struct drm_nnloop_device_info);
	__u8 *page = page_before_hole();

	ASSERT_NE(NULL, page);
	EXPECT_EQ(-EFAULT, query(self->fd, DRM_NNLOOP_QUERY_DEVICE, page + PAGE_SIZE - size + 8,
				 &size));
	munmap(page, PAGE_SIZE);
}

TEST_HARNESS_MAIN
