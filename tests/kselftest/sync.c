// SPDX-License-Identifier: GPL-2.0
/*
 * Fences that leave the driver and fences that come from another one: sync_file and its errors,
 * waiting for a fence that nobody signals yet, and fences that outlive their queue and their file.
 */
#include "kselftest_harness.h"

#include <poll.h>

#include "partner.h"
#include "program.h"
#include "uapi_example.h"

FIXTURE(sync) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;	/* of copy_new() */
	struct slow *slow;
};

FIXTURE_SETUP(sync)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, copy_new(self->fd, 4096, &self->queue, &self->data, &self->code));
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	pattern_fill(self->data.map, 4096, 1);
}

FIXTURE_TEARDOWN(sync)
{
	close(self->fd);
	free(self->slow);
}

TEST_F(sync, sync_file_can_be_polled)
{
	struct pollfd poll_fd = { .events = POLLIN };
	__u64 point;

	poll_fd.fd = queue_submit_sync_file(&self->queue, self->slow->passes, SLOW_PASSES, &point);
	ASSERT_LE(0, poll_fd.fd);
	EXPECT_EQ(0, poll(&poll_fd, 1, 30));
	EXPECT_EQ(0, sync_file_status(poll_fd.fd));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	EXPECT_EQ(1, poll(&poll_fd, 1, WAIT_SECONDS * 1000));
	EXPECT_EQ(-ECANCELED, sync_file_status(poll_fd.fd));
	close(poll_fd.fd);
}

/* A fence that has an error says so to whoever can ask a fence. */
TEST_F(sync, fences_carry_errors)
{
	struct drm_nnloop_status status;
	struct program program;
	struct code bad;
	__u64 good_point, bad_point;
	int good_file, bad_file;

	program_init_copy(&program, 0xa0000000, self->data.iova, 4096);
	ASSERT_EQ(0, code_new(self->fd, &program, &bad));
	good_file = queue_submit_sync_file(&self->queue, &self->code.pass, 1, &good_point);
	bad_file = queue_submit_sync_file(&self->queue, &bad.pass, 1, &bad_point);
	ASSERT_LE(0, good_file);
	ASSERT_LE(0, bad_file);
	ASSERT_EQ(0, queue_wait(&self->queue, bad_point, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(1, sync_file_status(good_file));
	EXPECT_EQ(-EFAULT, sync_file_status(bad_file));
	close(good_file);
	close(bad_file);
}

/* Fences of jobs that ran and of one that was killed, looked at when all that made them is gone. */
TEST_F(sync, fences_outlive_their_client)
{
	struct sync_fence_info fence;
	struct pollfd poll_fd = { .events = POLLIN };
	__u64 point;
	int file[2];

	file[0] = queue_submit_sync_file(&self->queue, &self->code.pass, 1, &point);
	file[1] = queue_submit_sync_file(&self->queue, self->slow->passes, SLOW_PASSES, &point);
	ASSERT_LE(0, file[0]);
	ASSERT_LE(0, file[1]);
	poll_fd.fd = file[0];
	ASSERT_EQ(1, poll(&poll_fd, 1, WAIT_SECONDS * 1000));
	bo_unmap(&self->data);
	bo_unmap(&self->code.bo);
	bo_unmap(&self->slow->code.bo);
	close(self->fd);
	self->fd = -1;
	poll_fd.fd = file[1];
	ASSERT_EQ(1, poll(&poll_fd, 1, WAIT_SECONDS * 1000));
	ASSERT_EQ(0, sync_file_fence(file[0], &fence));
	EXPECT_EQ(1, fence.status);
	EXPECT_STRNE("", fence.driver_name);
	ASSERT_EQ(0, sync_file_fence(file[1], &fence));
	EXPECT_EQ(-ECANCELED, fence.status);
	EXPECT_STRNE("", fence.obj_name);
	close(file[0]);
	close(file[1]);
}

/* A client's syncobj in another client's file. */
TEST_F(sync, wait_for_another_client)
{
	struct drm_syncobj_handle args = { .fd = -1, .handle = self->queue.syncobj };
	struct drm_nnloop_sync wait = { 0 };
	struct drm_nnloop_status status;
	struct program program;
	struct queue queue;
	struct code code;
	struct bo bo;
	__u64 slow_point, point;
	int other = device_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, queue_create(other, &queue));
	ASSERT_EQ(0, bo_new(other, 8192, &bo));
	program_init_copy(&program, bo.iova, bo.iova + 4096, 64);
	ASSERT_EQ(0, code_new(other, &program, &code));
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args));
	ASSERT_EQ(0, device_ioctl(other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args));
	ASSERT_EQ(0, slow_submit_short(self->slow, &self->queue, &slow_point));
	wait.handle = args.handle;
	wait.point = slow_point;
	ASSERT_EQ(0, queue_submit_syncs(&queue, &code.pass, 1, &wait, 1, NULL, 0, &point));
	ASSERT_EQ(0, queue_wait(&queue, point, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_status(&self->queue, slow_point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	EXPECT_EQ(0, status.error);
	close(other);
}

/* Waiting for a job that has not been submitted yet */

static int wait_for_submit(struct queue *queue, __u64 point, __u32 flags, double seconds)
{
	struct drm_syncobj_timeline_wait wait = {
		.handles = (uintptr_t)&queue->syncobj,
		.points = (uintptr_t)&point,
		.timeout_nsec = deadline_ns(seconds),
		.count_handles = 1,
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | flags,
	};

	return device_ioctl(queue->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait);
}

TEST_F(sync, wait_for_submit)
{
	struct drm_nnloop_status status;
	int state[2], end;
	pid_t child[2];
	__u64 point;

	EXPECT_EQ(-EINVAL, syncobj_wait(self->fd, self->queue.syncobj, 1, 0));
	EXPECT_EQ(-ETIME, wait_for_submit(&self->queue, 1, 0, 0));
	/* One waits for the submit, one for the end of what will be submitted. */
	child[0] = fork();
	if (!child[0])
		_exit(-wait_for_submit(&self->queue, 1, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE,
				       WAIT_SECONDS));
	child[1] = fork();
	if (!child[1])
		_exit(-wait_for_submit(&self->queue, 1, 0, WAIT_SECONDS));
	ASSERT_TRUE(waits_in_ioctl(child[0]));
	ASSERT_TRUE(waits_in_ioctl(child[1]));
	end = queue_submit_sync_file(&self->queue, self->slow->passes, SLOW_PASSES, &point);
	ASSERT_LE(0, end);
	ASSERT_EQ(1, point);
	ASSERT_EQ(child[0], waitpid(child[0], &state[0], 0));
	EXPECT_EQ(0, state[0]);
	EXPECT_EQ(0, sync_file_status(end));
	EXPECT_EQ(0, waitpid(child[1], &state[1], WNOHANG));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(child[1], waitpid(child[1], &state[1], 0));
	EXPECT_EQ(0, state[1]);
	ASSERT_EQ(0, queue_status(&self->queue, 1, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	EXPECT_EQ(-ECANCELED, status.error);
	close(end);
}

/* A job cannot: it might wait for ever, and others for it. */
TEST_F(sync, job_waits_for_nothing_that_is_not_submitted)
{
	struct drm_nnloop_sync wait = { .point = 1 };
	struct queue other;
	__u64 point;

	ASSERT_EQ(0, queue_create(self->fd, &other));
	wait.handle = other.syncobj;
	EXPECT_EQ(-EINVAL, queue_submit_syncs(&self->queue, &self->code.pass, 1, &wait, 1, NULL, 0,
					      &point));
	wait.point = 0;
	EXPECT_EQ(-EINVAL, queue_submit_syncs(&self->queue, &self->code.pass, 1, &wait, 1, NULL, 0,
					      &point));
}

/*
 * A partner whose fences are in the buffer that is shared, and that looks for ours there. How that
 * is done is the example of docs/uapi.md.
 */

FIXTURE(implicit) {
	int fd, dmabuf;
	struct queue queue;
	struct code code;	/* copies the import to mine */
	struct bo mine;
	struct slow *slow;
	struct drm_nnloop_sync sync;
	__u32 import;
	__u8 *map;		/* of the partner's buffer */
	struct vgem_fence_attach attach;
	struct gate gate;
};

FIXTURE_SETUP(implicit)
{
	struct drm_nnloop_bo_info info;
	struct program program;

	self->gate.vgem = vgem_open();
	if (self->gate.vgem == -ENOENT)
		SKIP(return, "this kernel has no vgem, the partner");
	ASSERT_LE(0, self->gate.vgem);
	ASSERT_EQ(0, vgem_bo(self->gate.vgem, 4096, &self->attach.handle));
	self->dmabuf = prime_export(self->gate.vgem, self->attach.handle);
	ASSERT_LE(0, self->dmabuf);
	self->map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->dmabuf, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, prime_import(self->fd, self->dmabuf, &self->import));
	ASSERT_EQ(0, bo_info(self->fd, self->import, &info));
	ASSERT_EQ(0, bo_new(self->fd, 4096, &self->mine));
	program_init_copy(&program, info.iova, self->mine.iova, 4096);
	ASSERT_EQ(0, code_new(self->fd, &program, &self->code));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, syncobj_create(self->fd, &self->sync.handle));
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
}

FIXTURE_TEARDOWN(implicit)
{
	close(self->fd);
	close(self->dmabuf);
	close(self->gate.vgem);
	free(self->slow);
}

/* Our job reads what the partner has said it is writing. */
TEST_F(implicit, job_waits_for_the_partner)
{
	struct drm_nnloop_status status;
	__u64 point;

	self->attach.flags = VGEM_FENCE_WRITE;
	ASSERT_EQ(0, device_ioctl(self->gate.vgem, VGEM_FENCE_ATTACH, &self->attach));
	self->gate.fence = self->attach.out_fence;

	ASSERT_EQ(0, job_waits_for_partner(self->fd, self->dmabuf, DMA_BUF_SYNC_READ,
					   self->sync.handle));
	ASSERT_EQ(0, queue_submit_syncs(&self->queue, &self->code.pass, 1, &self->sync, 1, NULL, 0,
					&point));

	sleep_ms(50);
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
	pattern_fill(self->map, 4096, 5);
	ASSERT_EQ(0, gate_open(&self->gate));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(4096, pattern_match(self->mine.map, 4096, 5));
}

/* The partner does not touch the buffer while our job writes to it. */
TEST_F(implicit, partner_waits_for_the_job)
{
	struct pollfd readable = { .fd = self->dmabuf, .events = POLLIN };
	__u64 point;

	EXPECT_EQ(1, poll(&readable, 1, 0));
	ASSERT_EQ(0, queue_submit_syncs(&self->queue, self->slow->passes, SLOW_PASSES, NULL, 0,
					&self->sync, 1, &point));
	ASSERT_EQ(0, partner_waits_for_job(self->fd, self->dmabuf, DMA_BUF_SYNC_WRITE,
					   self->sync.handle));

	EXPECT_EQ(0, poll(&readable, 1, 0));
	EXPECT_EQ(-EBUSY, device_ioctl(self->gate.vgem, VGEM_FENCE_ATTACH, &self->attach));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	EXPECT_EQ(1, poll(&readable, 1, WAIT_SECONDS * 1000));
	ASSERT_EQ(0, device_ioctl(self->gate.vgem, VGEM_FENCE_ATTACH, &self->attach));
	self->gate.fence = self->attach.out_fence;
	EXPECT_EQ(0, gate_open(&self->gate));
}

/* Fences of another driver */

FIXTURE(gate) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;
	struct gate gate;
	struct drm_nnloop_sync wait;
};

FIXTURE_SETUP(gate)
{
	int file = gate_new(&self->gate);

	if (file == -ENOENT)
		SKIP(return, "this kernel has no vgem, whose fences this needs");
	ASSERT_LE(0, file);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, copy_new(self->fd, 4096, &self->queue, &self->data, &self->code));
	pattern_fill(self->data.map, 4096, 1);
	ASSERT_EQ(0, syncobj_create(self->fd, &self->wait.handle));
	ASSERT_EQ(0, syncobj_import_sync_file(self->fd, self->wait.handle, file));
	close(file);
}

FIXTURE_TEARDOWN(gate)
{
	close(self->fd);
	close(self->gate.vgem);
}

TEST_F(gate, job_waits_for_a_foreign_fence)
{
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_EQ(0, queue_submit_syncs(&self->queue, &self->code.pass, 1, &self->wait, 1, NULL,
					0, &point));
	sleep_ms(50);
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
	EXPECT_EQ(4096, value_match(self->data.map + 4096, 4096, 0));
	ASSERT_EQ(0, gate_open(&self->gate));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(4096, pattern_match(self->data.map + 4096, 4096, 1));
}

/* A queue that waits does not hold up another one, even with all workers' worth of them. */
TEST_F(gate, waiting_takes_no_worker)
{
	struct drm_nnloop_status status;
	struct queue queue[8];
	__u64 point;
	int i;

	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		ASSERT_EQ(0, queue_submit_syncs(&queue[i], &self->code.pass, 1, &self->wait, 1,
						NULL, 0, &point));
	}
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, gate_open(&self->gate));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, queue_wait(&queue[i], 1, &status));
		EXPECT_EQ(0, status.error);
	}
}

/* Cancelled before its turn: it does not run when the fence comes. */
TEST_F(gate, cancel_while_waiting)
{
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_EQ(0, queue_submit_syncs(&self->queue, &self->code.pass, 1, &self->wait, 1, NULL,
					0, &point));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, gate_open(&self->gate));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(4096, value_match(self->data.map + 4096, 4096, 0));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
}

/* Closing does not wait for a fence that may never come. */
TEST_F(gate, close_while_waiting)
{
	__s64 start = deadline_ns(0);
	__u64 point;
	int i;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, queue_submit_syncs(&self->queue, &self->code.pass, 1, &self->wait, 1,
						NULL, 0, &point));
	bo_unmap(&self->data);
	bo_unmap(&self->code.bo);
	close(self->fd);
	self->fd = device_open();
	/* vgem itself gives up after ten seconds. */
	EXPECT_GT(8000000000ll, deadline_ns(0) - start);
	ASSERT_EQ(0, gate_open(&self->gate));
}

TEST_F(gate, destroy_while_waiting)
{
	__u64 point;

	ASSERT_EQ(0, queue_submit_syncs(&self->queue, &self->code.pass, 1, &self->wait, 1, NULL,
					0, &point));
	ASSERT_EQ(0, queue_destroy(&self->queue));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->queue.syncobj, point, WAIT_SECONDS));
	EXPECT_EQ(4096, value_match(self->data.map + 4096, 4096, 0));
}

TEST_HARNESS_MAIN
