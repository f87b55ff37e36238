// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: priorities and who may have them, ids, limits, many at once, and their end with work in
 * them.
 */
#include "kselftest_harness.h"

#include <linux/capability.h>
#include <sys/syscall.h>

#include "program.h"

FIXTURE(queue) {
	int fd;
	struct slow *slow;
};

FIXTURE_SETUP(queue)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
}

FIXTURE_TEARDOWN(queue)
{
	close(self->fd);
	free(self->slow);
}

TEST_F(queue, priorities)
{
	static const __u32 priority[] = {
		DRM_NNLOOP_PRIORITY_NORMAL, DRM_NNLOOP_PRIORITY_LOW, DRM_NNLOOP_PRIORITY_HIGH,
	};
	struct queue queue;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(priority); i++) {
		ASSERT_EQ(0, queue_create_priority(self->fd, priority[i], &queue));
		EXPECT_NE(0, queue.id);
		EXPECT_NE(0, queue.syncobj);
		EXPECT_EQ(0, queue_destroy(&queue));
	}
}

TEST_F(queue, bad_create)
{
	struct drm_nnloop_queue_create create;
	struct queue queue;
	int bit;

	EXPECT_EQ(-EOPNOTSUPP, queue_create_priority(self->fd, 3, &queue));
	EXPECT_EQ(-EOPNOTSUPP, queue_create_priority(self->fd, ~0u, &queue));
	for (bit = 0; bit < 32; bit++) {
		memset(&create, 0, sizeof(create));
		create.flags = 1u << bit;
		EXPECT_EQ(-EOPNOTSUPP, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_CREATE,
						    &create));
	}
}

/* Whatever the out fields hold on the way in is of no interest. */
TEST_F(queue, out_fields_are_not_read)
{
	struct drm_nnloop_queue_create create = { .queue = ~0u, .syncobj = ~0u };
	struct drm_nnloop_submit submit = {
		.passes = (uintptr_t)&self->slow->code.pass,
		.pass_count = 1,
		.pass_stride = sizeof(self->slow->code.pass),
		.point = ~0ull,
	};
	struct drm_nnloop_status status;
	struct queue queue = { .fd = self->fd };

	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_CREATE, &create));
	queue.id = create.queue;
	queue.syncobj = create.syncobj;
	submit.queue = queue.id;
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_SUBMIT, &submit));
	EXPECT_EQ(1, submit.point);
	ASSERT_EQ(0, queue_wait(&queue, 1, &status));
	EXPECT_EQ(0, status.error);
}

static int drop_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[capability / 32].effective &= ~(1u << capability % 32);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

TEST_F(queue, high_priority_needs_sys_nice)
{
	struct queue queue;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, drop_capability(CAP_SYS_NICE));
	EXPECT_EQ(-EACCES, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_HIGH, &queue));
	EXPECT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_NORMAL, &queue));
	EXPECT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_LOW, &queue));
}

TEST_F(queue, limit)
{
	struct drm_nnloop_device_info info;
	struct queue *queue, other;
	int fd = device_open();
	unsigned int i, k;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_query(self->fd, &info));
	queue = calloc(info.max_queues + 1, sizeof(*queue));
	ASSERT_NE(NULL, queue);
	for (i = 0; i < info.max_queues; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		EXPECT_NE(0, queue[i].id);
		for (k = 0; k < i; k++)
			ASSERT_NE(queue[k].id, queue[i].id);
	}
	EXPECT_EQ(-EBUSY, queue_create(self->fd, &queue[i]));
	/* It is a limit of the client, not of the device. */
	EXPECT_EQ(0, queue_create(fd, &other));
	EXPECT_EQ(0, queue_destroy(&queue[i / 2]));
	EXPECT_EQ(0, queue_create(self->fd, &queue[i / 2]));
	EXPECT_EQ(-EBUSY, queue_create(self->fd, &queue[i]));
	free(queue);
	close(fd);
}

TEST_F(queue, bad_destroy)
{
	struct drm_nnloop_queue_destroy destroy = { 0 };
	struct drm_nnloop_status status;
	struct queue queue, foreign;
	int other = device_open(), i;

	ASSERT_LE(0, other);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, queue_create(other, &foreign));
	foreign.fd = self->fd;
	EXPECT_EQ(-ENOENT, queue_destroy(&foreign));
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	EXPECT_EQ(-ENOENT, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_DESTROY, &destroy));
	destroy.queue = ~0u;
	EXPECT_EQ(-ENOENT, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_DESTROY, &destroy));
	destroy.queue = queue.id;
	destroy.pad = 1;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_DESTROY, &destroy));
	EXPECT_EQ(-EINVAL, queue_status(&queue, 1, &status));
	EXPECT_EQ(0, queue_destroy(&queue));
	EXPECT_EQ(-ENOENT, queue_destroy(&queue));
	close(other);
}

TEST_F(queue, use_after_destroy)
{
	struct drm_nnloop_status status;
	struct queue queue;
	__u64 point;

	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, queue_run(&queue, &self->slow->code.pass, 1, &status));
	ASSERT_EQ(0, queue_destroy(&queue));
	EXPECT_EQ(-ENOENT, queue_submit(&queue, self->slow->passes, 1, &point));
	EXPECT_EQ(-ENOENT, queue_status(&queue, 1, &status));
	EXPECT_EQ(-ENOENT, queue_cancel(&queue));
	/* The syncobj is the client's. */
	EXPECT_EQ(0, syncobj_query(self->fd, queue.syncobj, &point));
	EXPECT_EQ(1, point);
	EXPECT_EQ(0, syncobj_destroy(self->fd, queue.syncobj));
}

/* The queue does not need the handle of its syncobj. */
TEST_F(queue, works_without_its_syncobj)
{
	struct drm_nnloop_status status;
	struct queue queue;
	__u64 point;

	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, syncobj_destroy(self->fd, queue.syncobj));
	ASSERT_EQ(0, queue_submit(&queue, self->slow->passes, 1, &point));
	EXPECT_EQ(1, point);
	ASSERT_EQ(0, queue_poll_state(&queue, 1, DRM_NNLOOP_JOB_ENDED));
	ASSERT_EQ(0, queue_status(&queue, 1, &status));
	EXPECT_EQ(0, status.error);
}

TEST_F(queue, destroy_with_work)
{
	struct queue queue;
	__u64 first, last;
	int i;

	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, slow_start(self->slow, &queue, &first));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, slow_submit(self->slow, &queue, &last));
	ASSERT_EQ(0, queue_destroy(&queue));
	EXPECT_EQ(0, syncobj_wait(self->fd, queue.syncobj, first, WAIT_SECONDS));
	EXPECT_EQ(0, syncobj_wait(self->fd, queue.syncobj, last, WAIT_SECONDS));
}

/* A file that is closed with work running takes it along, and the workers are free again. */
TEST_F(queue, close_with_work)
{
	struct drm_nnloop_status status;
	struct queue queue[4], mine;
	struct slow *slow = malloc(sizeof(*slow));
	__u64 point;
	int fd, i;

	ASSERT_NE(NULL, slow);
	fd = device_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, slow_new(fd, slow));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, queue_create(fd, &queue[i]));
		ASSERT_EQ(0, slow_submit(slow, &queue[i], &point));
		ASSERT_EQ(0, slow_submit(slow, &queue[i], &point));
	}
	bo_unmap(&slow->code.bo);
	close(fd);
	ASSERT_EQ(0, queue_create(self->fd, &mine));
	ASSERT_EQ(0, queue_run(&mine, &self->slow->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	free(slow);
}

/* The work of as many queues as there can be is given up at once. */
TEST_F(queue, close_many_with_work)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct queue queue;
	struct slow *slow = malloc(sizeof(*slow));
	unsigned int i;
	__u64 point;
	int fd = device_open();

	ASSERT_NE(NULL, slow);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_query(fd, &info));
	ASSERT_EQ(0, slow_new(fd, slow));
	for (i = 0; i < info.max_queues; i++) {
		ASSERT_EQ(0, queue_create(fd, &queue));
		ASSERT_EQ(0, slow_submit(slow, &queue, &point));
		ASSERT_EQ(0, slow_submit(slow, &queue, &point));
	}
	bo_unmap(&slow->code.bo);
	close(fd);
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, queue_run(&queue, &self->slow->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	free(slow);
}

/*
 * One worker runs one job at a time, and all workers run at the same time. The one too many is of a
 * lower priority: another would have its turn after a slice, and those that are left off count as
 * running.
 */
TEST_F(queue, workers_run_side_by_side)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct queue queue[9];
	__u64 point[9];
	unsigned int i, running = 0;

	ASSERT_EQ(0, device_query(self->fd, &info));
	ASSERT_GE(8, info.worker_count);
	for (i = 0; i <= info.worker_count; i++) {
		ASSERT_EQ(0, queue_create_priority(self->fd,
						   i < info.worker_count ?
						   DRM_NNLOOP_PRIORITY_NORMAL :
						   DRM_NNLOOP_PRIORITY_LOW, &queue[i]));
		ASSERT_EQ(0, slow_submit(self->slow, &queue[i], &point[i]));
		if (i < info.worker_count)
			ASSERT_EQ(0, queue_poll_state(&queue[i], point[i],
						      DRM_NNLOOP_JOB_RUNNING));
	}
	sleep_ms(20);
	for (i = 0; i <= info.worker_count; i++) {
		ASSERT_EQ(0, queue_status(&queue[i], point[i], &status));
		EXPECT_NE(DRM_NNLOOP_JOB_ENDED, status.state);
		running += status.state == DRM_NNLOOP_JOB_RUNNING;
	}
	EXPECT_EQ(info.worker_count, running);
	/* The one that waited comes on when a worker is free. */
	ASSERT_EQ(0, queue_cancel(&queue[0]));
	ASSERT_EQ(0, syncobj_wait(self->fd, queue[0].syncobj, point[0], WAIT_SECONDS));
	for (i = 1; i < info.worker_count; i++)
		ASSERT_EQ(0, queue_cancel(&queue[i]));
	EXPECT_EQ(0, queue_poll_state(&queue[i], point[i], DRM_NNLOOP_JOB_RUNNING));
}

/* Many queues over few workers: all get their turn. */
TEST_F(queue, many_queues)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct program program;
	struct queue *queue;
	struct code code;
	unsigned int i, k;

	program_init_copy(&program, self->slow->data.iova, self->slow->data.iova + 4096, 4096);
	ASSERT_EQ(0, code_new(self->fd, &program, &code));
	ASSERT_EQ(0, device_query(self->fd, &info));
	queue = calloc(info.max_queues, sizeof(*queue));
	ASSERT_NE(NULL, queue);
	for (i = 0; i < info.max_queues; i++)
		ASSERT_EQ(0, queue_create_priority(self->fd, i % 3, &queue[i]));
	for (k = 1; k <= 3; k++) {
		for (i = 0; i < info.max_queues; i++) {
			__u64 point;

			ASSERT_EQ(0, queue_submit(&queue[i], &code.pass, 1, &point));
			ASSERT_EQ(k, point);
		}
	}
	for (i = 0; i < info.max_queues; i++) {
		ASSERT_EQ(0, queue_wait(&queue[i], 3, &status));
		EXPECT_EQ(0, status.error);
	}
	free(queue);
}

/*
 * While all workers are busy, low and then high priority jobs are queued. Where a low one has
 * ended, a high one went before it.
 */
TEST_F(queue, higher_priority_first)
{
	enum { EACH = 8 };
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct queue low[EACH], high[EACH];
	struct blockade blockade;
	unsigned int i, done = 0;
	__u64 point;

	ASSERT_EQ(0, device_query(self->fd, &info));
	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	for (i = 0; i < EACH; i++) {
		ASSERT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_LOW, &low[i]));
		ASSERT_EQ(0, queue_submit(&low[i], self->slow->passes, 1, &point));
	}
	for (i = 0; i < EACH; i++) {
		ASSERT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_HIGH, &high[i]));
		ASSERT_EQ(0, queue_submit(&high[i], self->slow->passes, 1, &point));
	}
	ASSERT_EQ(0, workers_release(&blockade));

	for (i = 0; !done; i = (i + 1) % EACH) {
		ASSERT_EQ(0, queue_status(&low[i], 1, &status));
		done = status.state == DRM_NNLOOP_JOB_ENDED;
	}
	for (i = 0, done = 0; i < EACH; i++) {
		ASSERT_EQ(0, queue_status(&high[i], 1, &status));
		done += status.state == DRM_NNLOOP_JOB_ENDED;
	}
	TH_LOG("%u of %u high priority jobs had ended when the first low priority one had", done,
	       EACH);
	EXPECT_LE(EACH / info.worker_count, done);
}

TEST_HARNESS_MAIN
