// SPDX-License-Identifier: GPL-2.0
/*
 * A job that waits for a point that has failed does not run and ends with that error: whenever it
 * comes, from whatever file, after the DRM core has forgotten the point's fence, after a transfer,
 * and when the queue is gone.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>

#include "partner.h"
#include "program.h"

#define MAX_FAILURES	1024

FIXTURE(timeline) {
	int fd, other;
	struct slow *slow;
	struct queue queue;		/* that fails */
	struct queue waiting;		/* of fd, that waits for it */
	struct queue elsewhere;		/* of other */
	__u32 handle;			/* of queue's syncobj in other */
	struct bo data, far;
	struct code code, far_code;
};

FIXTURE_SETUP(timeline)
{
	struct drm_syncobj_handle args = { .fd = -1 };

	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, copy_new(self->fd, 4096, &self->waiting, &self->data, &self->code));
	ASSERT_EQ(0, copy_new(self->other, 4096, &self->elsewhere, &self->far, &self->far_code));
	args.handle = self->queue.syncobj;
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args));
	ASSERT_EQ(0, device_ioctl(self->other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args));
	close(args.fd);
	self->handle = args.handle;
}

FIXTURE_TEARDOWN(timeline)
{
	close(self->fd);
	close(self->other);
	free(self->slow);
}

/* A job that waits for one point: the error that it ends with, or what went wrong. */
static int wait_for(struct queue *queue, struct code *code, __u32 handle, __u64 point)
{
	struct drm_nnloop_sync wait = { .handle = handle, .point = point };
	struct drm_nnloop_status status;
	__u64 own;
	int ret = queue_submit_syncs(queue, &code->pass, 1, &wait, 1, NULL, 0, &own);

	ret = ret ?: queue_wait(queue, own, &status);
	if (ret)
		return ret;
	/* A job that did not run has done nothing. */
	return status.error && status.passes_done ? -EPROTO : status.error;
}

/* Expects the error with which all the ways to wait for a point of the queue end. */
static void expect_error(struct __test_metadata *_metadata, struct _test_data_timeline *self,
			 int error, __u64 point)
{
	EXPECT_EQ(error, wait_for(&self->waiting, &self->code, self->queue.syncobj, point))
		TH_LOG("point %llu, from the same file", point);
	EXPECT_EQ(error, wait_for(&self->elsewhere, &self->far_code, self->handle, point))
		TH_LOG("point %llu, from another file", point);
}

/* Makes the core walk the whole chain, and forget what has signalled. */
static int chain_walk(int fd, __u32 handle)
{
	__u64 point;

	return syncobj_query(fd, handle, &point) ?: syncobj_wait(fd, handle, 1, 0);
}

static int transfer_flags(int fd, __u32 from, __u64 from_point, __u32 to, __u64 to_point,
			  __u32 flags)
{
	struct drm_syncobj_transfer args = {
		.src_handle = from,
		.dst_handle = to,
		.src_point = from_point,
		.dst_point = to_point,
		.flags = flags,
	};

	return device_ioctl(fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &args);
}

static int transfer(int fd, __u32 from, __u64 from_point, __u32 to, __u64 to_point)
{
	return transfer_flags(fd, from, from_point, to, to_point, 0);
}

/* Point @point of the queue is cancelled, the ones around it are not. */
static int cancel_one(struct _test_data_timeline *self, __u64 *point)
{
	struct drm_nnloop_status status;
	__u64 next;
	int ret = slow_start(self->slow, &self->queue, point);

	ret = ret ?: queue_cancel(&self->queue);
	ret = ret ?: queue_wait(&self->queue, *point, &status);
	ret = ret ?: status.error == -ECANCELED ? 0 : -EPROTO;
	ret = ret ?: queue_submit(&self->queue, self->slow->passes, 1, &next);
	ret = ret ?: queue_wait(&self->queue, next, &status);
	return ret ?: status.error;
}

TEST_F(timeline, cancelled_point_is_remembered)
{
	__u64 first, second, i;

	ASSERT_EQ(0, cancel_one(self, &first));
	expect_error(_metadata, self, -ECANCELED, first);
	ASSERT_EQ(0, cancel_one(self, &second));
	ASSERT_EQ(0, chain_walk(self->fd, self->queue.syncobj));
	for (i = 1; i <= second + 1; i++)
		expect_error(_metadata, self, i == first || i == second ? -ECANCELED : 0, i);
	/* Without a point it is the newest, which is good. */
	EXPECT_EQ(0, wait_for(&self->waiting, &self->code, self->queue.syncobj, 0));
}

/* A fault, and what was behind it in the queue. */
TEST_F(timeline, failed_point_is_remembered)
{
	enum { BEHIND = 5 };
	struct drm_nnloop_pass bad = self->slow->code.pass;
	struct drm_nnloop_status status;
	__u64 point, last;
	int i;

	bad.program += 64 << 20;	/* nothing is there */
	ASSERT_EQ(0, queue_submit(&self->queue, self->slow->passes, 1, &point));
	ASSERT_EQ(0, slow_submit_short(self->slow, &self->queue, &point));
	ASSERT_EQ(0, queue_submit(&self->queue, &bad, 1, &point));
	for (i = 0; i < BEHIND; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, self->slow->passes, 1, &last));
	ASSERT_EQ(0, queue_wait(&self->queue, last, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	ASSERT_EQ(0, chain_walk(self->fd, self->queue.syncobj));
	expect_error(_metadata, self, 0, 1);
	expect_error(_metadata, self, 0, point - 1);
	expect_error(_metadata, self, -EFAULT, point);
	for (i = 1; i <= BEHIND; i++)
		expect_error(_metadata, self, -ECANCELED, point + i);
}

/* The job that waits is there before the other one fails. */
TEST_F(timeline, error_that_comes_later)
{
	struct drm_nnloop_sync wait = { .handle = self->handle };
	struct drm_nnloop_status status;
	__u64 point, own;

	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &wait.point));
	ASSERT_EQ(0, queue_submit(&self->queue, self->slow->passes, 1, &point));
	ASSERT_EQ(0, queue_submit_syncs(&self->elsewhere, &self->far_code.pass, 1, &wait, 1, NULL,
					0, &own));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->elsewhere, own, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(0, status.passes_done);
}

/* An error that came from a wait goes on to those who wait for the job. */
TEST_F(timeline, error_is_handed_on)
{
	struct drm_nnloop_sync wait = { .handle = self->queue.syncobj };
	struct drm_nnloop_status status;
	__u64 own, last;

	ASSERT_EQ(0, cancel_one(self, &wait.point));
	ASSERT_EQ(0, queue_submit_syncs(&self->waiting, &self->code.pass, 1, &wait, 1, NULL, 0,
					&own));
	ASSERT_EQ(0, queue_submit(&self->waiting, &self->code.pass, 1, &last));
	ASSERT_EQ(0, queue_wait(&self->waiting, last, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, chain_walk(self->fd, self->waiting.syncobj));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, self->waiting.syncobj, own));
	EXPECT_EQ(0, wait_for(&self->waiting, &self->code, self->waiting.syncobj, last));
}

TEST_F(timeline, transferred)
{
	__u32 binary, line;
	__u64 point, running;

	ASSERT_EQ(0, syncobj_create(self->fd, &binary));
	ASSERT_EQ(0, syncobj_create(self->fd, &line));
	ASSERT_EQ(0, cancel_one(self, &point));
	ASSERT_EQ(0, chain_walk(self->fd, self->queue.syncobj));
	/* After it has failed. */
	ASSERT_EQ(0, transfer(self->fd, self->queue.syncobj, point, binary, 0));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, binary, 0));
	ASSERT_EQ(0, transfer(self->fd, self->queue.syncobj, point, line, 7));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, line, 7));
	ASSERT_EQ(0, transfer(self->fd, self->queue.syncobj, point + 1, binary, 0));
	EXPECT_EQ(0, wait_for(&self->waiting, &self->code, binary, 0));
	/* By who would have waited for its submit. */
	ASSERT_EQ(0, transfer_flags(self->fd, self->queue.syncobj, point, binary, 0,
				    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, binary, 0));
	ASSERT_EQ(0, transfer_flags(self->fd, self->queue.syncobj, point, line, 8,
				    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, line, 8));
	/* Before. */
	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &running));
	ASSERT_EQ(0, transfer(self->fd, self->queue.syncobj, running, binary, 0));
	ASSERT_EQ(0, transfer(self->fd, self->queue.syncobj, running, line, 9));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, binary, 0));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, line, 9));
}

/* A transfer, in a thread of its own, of a point that is still to be submitted. */
struct early {
	int fd, ret;
	__u32 from, to;
	__u64 from_point, to_point;
	bool begun;
};

static void *early_transfer(void *arg)
{
	struct early *early = arg;

	__atomic_store_n(&early->begun, true, __ATOMIC_RELEASE);
	early->ret = transfer_flags(early->fd, early->from, early->from_point, early->to,
				    early->to_point, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT);
	return NULL;
}

/*
 * All on one processor: the point has failed when who has waited for its submit comes to look. It
 * is put on a timeline once, so that the points before it are what they were.
 */
TEST_F(timeline, transferred_when_it_is_submitted)
{
	struct drm_nnloop_sync wait = { .handle = self->queue.syncobj };
	struct early early = { .fd = self->fd, .to_point = 7 };
	struct drm_nnloop_sync signal = { .point = 1 };
	struct drm_nnloop_status status;
	cpu_set_t old_set, one_set;
	__u64 own, slow_point;
	struct queue slow;
	pthread_t thread;

	ASSERT_EQ(0, cancel_one(self, &wait.point));
	ASSERT_EQ(0, syncobj_create(self->fd, &early.to));
	ASSERT_EQ(0, queue_create(self->fd, &slow));
	signal.handle = early.to;
	ASSERT_EQ(0, queue_submit_syncs(&self->waiting, &self->code.pass, 1, NULL, 0, &signal, 1,
					&own));
	ASSERT_EQ(0, queue_wait(&self->waiting, own, &status));
	signal.point = 2;
	ASSERT_EQ(0, queue_submit_syncs(&slow, self->slow->passes, SLOW_PASSES, NULL, 0, &signal,
					1, &slow_point));
	early.from = self->waiting.syncobj;
	early.from_point = own + 1;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(old_set), &old_set));
	CPU_ZERO(&one_set);
	CPU_SET(0, &one_set);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one_set), &one_set));
	ASSERT_EQ(0, pthread_create(&thread, NULL, early_transfer, &early));
	while (!__atomic_load_n(&early.begun, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	sleep_ms(20);
	/* What it waits for has failed: it ends at once. */
	ASSERT_EQ(0, queue_submit_syncs(&self->waiting, &self->code.pass, 1, &wait, 1, NULL, 0,
					&own));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(old_set), &old_set));
	ASSERT_EQ(0, early.ret);
	ASSERT_EQ(early.from_point, own);

	EXPECT_EQ(0, syncobj_wait(self->fd, early.to, 1, 0));
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, early.to, 2, 0));
	ASSERT_EQ(0, queue_cancel(&slow));
	EXPECT_EQ(0, syncobj_wait(self->fd, early.to, 7, WAIT_SECONDS));
	EXPECT_EQ(-ECANCELED, wait_for(&self->waiting, &self->code, early.to, 7));
}

TEST_F(timeline, bad_transfer)
{
	struct drm_syncobj_transfer args = { .src_handle = self->queue.syncobj, .pad = 1 };
	__u32 binary;

	ASSERT_EQ(0, cancel_one(self, &args.src_point));
	ASSERT_EQ(0, syncobj_create(self->fd, &binary));
	args.dst_handle = binary;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &args));
	EXPECT_EQ(-ENOENT, transfer(self->fd, self->queue.syncobj, args.src_point, ~0u, 0));
	EXPECT_EQ(-ENOENT, transfer(self->fd, ~0u, args.src_point, binary, 0));
	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_TRANSFER, NULL));
}

/* Queue and file are gone, the syncobj is not. */
TEST_F(timeline, queue_is_gone)
{
	__u64 point;

	ASSERT_EQ(0, cancel_one(self, &point));
	ASSERT_EQ(0, queue_destroy(&self->queue));
	ASSERT_EQ(0, chain_walk(self->other, self->handle));
	expect_error(_metadata, self, -ECANCELED, point);
	expect_error(_metadata, self, 0, point + 1);
	close(self->fd);
	EXPECT_EQ(-ECANCELED, wait_for(&self->elsewhere, &self->far_code, self->handle, point));
	EXPECT_EQ(0, wait_for(&self->elsewhere, &self->far_code, self->handle, point + 1));
	self->fd = device_open();
}

/* What a queue remembers is bounded, and never wrong. */
TEST_F(timeline, too_many_failures)
{
	struct drm_nnloop_sync wait = { .handle = self->queue.syncobj };
	struct drm_nnloop_status status;
	__u64 point = 0, last, good = 0;
	int i, ret = 0;

	ASSERT_EQ(0, cancel_one(self, &wait.point));
	for (i = 0; i < 2 * MAX_FAILURES && !ret; i++) {
		ret = queue_submit_syncs(&self->waiting, &self->code.pass, 1, &wait, 1, NULL, 0,
					 &last);
		ret = ret ?: queue_submit(&self->waiting, &self->code.pass, 1, &point);
		if (!ret)
			good = point;
		if (!ret && i % 100 == 0)
			ret = queue_wait(&self->waiting, good, &status);
	}
	EXPECT_EQ(-ECANCELED, ret);
	EXPECT_LE(MAX_FAILURES, i);
	ASSERT_EQ(0, queue_wait(&self->waiting, good, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(-ECANCELED, wait_for(&self->elsewhere, &self->far_code, self->handle,
				       wait.point));
	/* Another one takes its place. */
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(-ECANCELED, wait_for(&self->queue, &self->code, self->waiting.syncobj, 1));
	EXPECT_EQ(0, wait_for(&self->queue, &self->code, self->waiting.syncobj, 2));
}

TEST_HARNESS_MAIN
