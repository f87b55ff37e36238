// SPDX-License-Identifier: GPL-2.0
/*
 * The limits of an administrator: file_memory_mb, the most MiB of buffers that an open file can
 * have, and the range of hang_timeout_ms. (Limits of queues are tested in queue.c, of jobs and
 * their parts in submit.c, of the address window in buffer.c.)
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "partner.h"
#include "program.h"
#include "vmctl.h"

#define PARAMETER "/sys/module/nnloop/parameters/file_memory_mb"

static int limit_set(unsigned int mb)
{
	FILE *file = fopen(PARAMETER, "w");
	int ret = 0;

	if (!file)
		return -errno;
	if (fprintf(file, "%u\n", mb) < 0)
		ret = -errno;
	return fclose(file) ? -errno : ret;
}

FIXTURE(limits) {
	int fd;
};

FIXTURE_SETUP(limits)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, limit_set(4));
}

FIXTURE_TEARDOWN(limits)
{
	limit_set(0);
	close(self->fd);
}

TEST_F(limits, up_to_it_and_not_beyond)
{
	struct bo first, second, third;

	ASSERT_EQ(0, bo_create(self->fd, 3 << 20, 0, &first));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, (1 << 20) + 4096, 0, &second));
	EXPECT_EQ(0, bo_create(self->fd, 1 << 20, 0, &second));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, 4096, 0, &third));
	/* What is given back can be had again. */
	EXPECT_EQ(0, bo_close(&second));
	EXPECT_EQ(0, bo_create(self->fd, 1 << 20, 0, &third));
}

TEST_F(limits, each_file_by_itself)
{
	struct bo mine, its;
	int other = device_open();

	ASSERT_LE(0, other);
	EXPECT_EQ(0, bo_create(self->fd, 4 << 20, 0, &mine));
	EXPECT_EQ(0, bo_create(other, 4 << 20, 0, &its));
	EXPECT_EQ(-ENOSPC, bo_create(other, 4096, 0, &its));
	close(other);
}

/* A buffer that a job may still use counts, though its handle is closed: its memory is there. */
TEST_F(limits, closed_in_use_counts)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__s64 end = deadline_ns(WAIT_SECONDS);
	struct queue queue;
	struct bo bo, more;
	__u64 point;
	int ret;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, bo_create(self->fd, 3 << 20, 0, &bo));
	ASSERT_EQ(0, slow_start(slow, &queue, &point));
	EXPECT_EQ(0, bo_close(&bo));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, 3 << 20, 0, &more));
	ASSERT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(0, queue_wait(&queue, point, &status));
	/* Soon after the job's end. */
	while ((ret = bo_create(self->fd, 3 << 20, 0, &more)) == -ENOSPC && deadline_ns(0) < end)
		sleep_ms(1);
	EXPECT_EQ(0, ret);
	free(slow);
}

/* So does one whose handle is closed while the process has it mapped. */
TEST_F(limits, closed_and_mapped_counts)
{
	struct bo bo, more;

	ASSERT_EQ(0, bo_new(self->fd, 3 << 20, &bo));
	ASSERT_EQ(0, bo_close(&bo));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, 3 << 20, 0, &more));
	EXPECT_EQ(0, bo_create(self->fd, 1 << 20, 0, &more));
	bo_unmap(&bo);
	EXPECT_EQ(0, bo_create(self->fd, 3 << 20, 0, &more));
}

TEST_F(limits, closed_and_exported_counts)
{
	struct bo bo, more;
	int dma_buf;

	ASSERT_EQ(0, bo_create(self->fd, 3 << 20, 0, &bo));
	dma_buf = prime_export(self->fd, bo.handle);
	ASSERT_LE(0, dma_buf);
	ASSERT_EQ(0, bo_close(&bo));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, 3 << 20, 0, &more));
	close(dma_buf);
	EXPECT_EQ(0, bo_create(self->fd, 3 << 20, 0, &more));
}

/* It is its maker's, whoever else has it. */
TEST_F(limits, import_counts_for_its_maker)
{
	struct bo bo, import, more;
	int other = device_open();
	int dma_buf;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, bo_create(self->fd, 4 << 20, 0, &bo));
	dma_buf = prime_export(self->fd, bo.handle);
	ASSERT_LE(0, dma_buf);
	ASSERT_EQ(0, prime_import(other, dma_buf, &import.handle));
	import.fd = other;
	close(dma_buf);
	EXPECT_EQ(0, bo_create(other, 4 << 20, 0, &more));
	ASSERT_EQ(0, bo_close(&bo));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, PAGE_SIZE, 0, &more));
	ASSERT_EQ(0, bo_close(&import));
	EXPECT_EQ(0, bo_create(self->fd, 4 << 20, 0, &more));
	close(other);
}

TEST_F(limits, memory_of_another_driver_is_free)
{
	int dma_buf = dmabuf_from_vgem(8 << 20);
	struct bo bo;
	__u32 handle;

	if (dma_buf == -ENOENT)
		SKIP(return, "this kernel has no vgem");
	ASSERT_LE(0, dma_buf);
	EXPECT_EQ(0, prime_import(self->fd, dma_buf, &handle));
	EXPECT_EQ(0, bo_create(self->fd, 4 << 20, 0, &bo));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, PAGE_SIZE, 0, &bo));
	close(dma_buf);
}

/* What a file has left behind is not held against the next one: that would be the cgroup's. */
TEST_F(limits, maker_is_closed)
{
	int file = device_open();
	struct bo bo, more;

	ASSERT_LE(0, file);
	ASSERT_EQ(0, bo_new(file, 4 << 20, &bo));
	close(file);
	memset(bo.map, 1, bo.size);
	file = device_open();
	ASSERT_LE(0, file);
	EXPECT_EQ(0, bo_create(file, 4 << 20, 0, &more));
	bo_unmap(&bo);
	EXPECT_EQ(-ENOSPC, bo_create(file, PAGE_SIZE, 0, &more));
	close(file);
}

#define THREADS	8

struct racer {
	pthread_t thread;
	int fd;
	int had;	/* buffers of 1 MiB */
	int ret;	/* of the one that was refused */
};

static void *race(void *data)
{
	struct racer *racer = data;
	struct bo bo;

	while (!(racer->ret = bo_create(racer->fd, 1 << 20, 0, &bo)))
		racer->had++;
	return NULL;
}

/* Nor beyond it by being quick. */
TEST_F(limits, threads_race_for_the_last)
{
	struct racer racer[THREADS];
	int i, round, had;

	for (round = 0; round < 20; round++) {
		int file = device_open();

		ASSERT_LE(0, file);
		for (i = 0; i < THREADS; i++) {
			racer[i] = (struct racer){ .fd = file };
			ASSERT_EQ(0, pthread_create(&racer[i].thread, NULL, race, &racer[i]));
		}
		for (i = 0, had = 0; i < THREADS; i++) {
			pthread_join(racer[i].thread, NULL);
			EXPECT_EQ(-ENOSPC, racer[i].ret);
			had += racer[i].had;
		}
		EXPECT_EQ(4, had);
		close(file);
	}
}

/* It holds from the next buffer on; 0 is none. */
TEST_F(limits, raised_and_off)
{
	struct bo first, second;

	EXPECT_EQ(-ENOSPC, bo_create(self->fd, 5 << 20, 0, &first));
	ASSERT_EQ(0, limit_set(5));
	EXPECT_EQ(0, bo_create(self->fd, 5 << 20, 0, &first));
	ASSERT_EQ(0, limit_set(0));
	EXPECT_EQ(0, bo_create(self->fd, 64 << 20, 0, &second));
}

/* A time out of range is refused, and changes nothing. (What it does is tested in reset.c.) */
TEST(hang_timeout)
{
	static const unsigned int bad[] = { 0, 99, 3600001, ~0u };
	int old = set_hang_timeout(100);
	unsigned int i;

	ASSERT_LT(0, old);
	EXPECT_EQ(100, set_hang_timeout(3600000));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, set_hang_timeout(bad[i]))
			TH_LOG("%u ms", bad[i]);
	EXPECT_EQ(3600000, set_hang_timeout(old));
}

TEST_HARNESS_MAIN
