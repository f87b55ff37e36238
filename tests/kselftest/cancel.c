// SPDX-License-Identifier: GPL-2.0
/*
 * DRM_IOCTL_NNLOOP_CANCEL: it ends what was submitted to that queue before the call, and nothing
 * else; the queue lives on.
 */
#include "kselftest_harness.h"

#include <signal.h>

#include "program.h"

FIXTURE(cancel) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;	/* of copy_new() */
	struct slow *slow;
};

FIXTURE_SETUP(cancel)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, copy_new(self->fd, 4096, &self->queue, &self->data, &self->code));
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
}

FIXTURE_TEARDOWN(cancel)
{
	close(self->fd);
	free(self->slow);
}

TEST_F(cancel, bad_fields)
{
	struct drm_nnloop_cancel cancel = { .queue = self->queue.id, .pad = 1 };
	struct drm_nnloop_status status;
	struct queue bad = self->queue;
	__u64 point;

	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_CANCEL, &cancel));
	cancel.pad = 1u << 31;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_CANCEL, &cancel));
	bad.id = 0;
	EXPECT_EQ(-ENOENT, queue_cancel(&bad));
	bad.id = ~0u;
	EXPECT_EQ(-ENOENT, queue_cancel(&bad));
	sleep_ms(20);
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
}

/* With nothing to cancel nothing happens, before the first job and between jobs. */
TEST_F(cancel, idle_queue)
{
	struct drm_nnloop_status status;
	int i;

	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, queue_cancel(&self->queue));
		pattern_fill(self->data.map, 4096, i);
		ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(4096, pattern_match(self->data.map + 4096, 4096, i));
	}
	/* What had ended keeps its status. */
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_status(&self->queue, 3, &status));
	EXPECT_EQ(0, status.error);
}

TEST_F(cancel, running_job)
{
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
		ASSERT_EQ(0, queue_cancel(&self->queue));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
		EXPECT_EQ(-ECANCELED, status.error);
		EXPECT_GT(SLOW_PASSES, status.passes_done);
		EXPECT_EQ(0, status.fail_reason);
		EXPECT_EQ(0, status.fault_access);
	}
	/* The queue lives on. */
	pattern_fill(self->data.map, 4096, 1);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(4096, pattern_match(self->data.map + 4096, 4096, 1));
}

/* After the call, the pass that runs is the last. */
TEST_F(cancel, within_one_pass)
{
	struct drm_nnloop_status status, after;
	__u64 point;
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
		do {
			ASSERT_EQ(0, queue_status(&self->queue, point, &status));
		} while (status.state != DRM_NNLOOP_JOB_ENDED && status.passes_done < 3);
		ASSERT_EQ(0, queue_cancel(&self->queue));
		ASSERT_EQ(0, queue_status(&self->queue, point, &after));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		EXPECT_EQ(-ECANCELED, status.error);
		EXPECT_LE(3, status.passes_done);
		EXPECT_GE(after.passes_done + 1, status.passes_done);
	}
}

TEST_F(cancel, earlier_jobs_and_no_later_ones)
{
	enum { EACH = 20 };
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	pattern_fill(self->data.map, 4096, 2);
	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
	for (i = 0; i < EACH; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	for (i = 0; i < EACH; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	for (i = 1; i <= 1 + 2 * EACH; i++) {
		ASSERT_EQ(0, queue_status(&self->queue, i, &status));
		EXPECT_EQ(i <= 1 + EACH ? -ECANCELED : 0, status.error)
			TH_LOG("job %d", i);
		if (i > 1)
			EXPECT_EQ(i <= 1 + EACH ? 0 : 1, status.passes_done);
	}
	EXPECT_EQ(4096, pattern_match(self->data.map + 4096, 4096, 2));
}

TEST_F(cancel, cancelled_jobs_do_nothing)
{
	struct drm_nnloop_status status;
	__u64 point;

	pattern_fill(self->data.map, 4096, 3);
	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(4096, value_match(self->data.map + 4096, 4096, 0));
}

/* Cancel twice, and again and again while new jobs come in: every job ends one way or the other. */
TEST_F(cancel, storm)
{
	enum { JOBS = 200 };
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	for (i = 1; i <= JOBS; i++) {
		ASSERT_EQ(0, queue_submit(&self->queue, self->slow->passes, 2, &point));
		ASSERT_EQ(0, queue_cancel(&self->queue));
		ASSERT_EQ(0, queue_cancel(&self->queue));
	}
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	for (i = 1; i <= JOBS; i++) {
		ASSERT_EQ(0, queue_status(&self->queue, i, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
		EXPECT_EQ(status.passes_done == 2 ? 0 : -ECANCELED, status.error)
			TH_LOG("job %d, %u passes", i, status.passes_done);
	}
}

/* Neither another queue of the client nor another client notices. */
TEST_F(cancel, only_this_queue)
{
	struct drm_nnloop_status status;
	struct slow *slow = malloc(sizeof(*slow));
	struct queue second, foreign;
	int other = device_open();
	__u64 mine, theirs, point;

	ASSERT_NE(NULL, slow);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, slow_new(other, slow));
	ASSERT_EQ(0, queue_create(self->fd, &second));
	ASSERT_EQ(0, queue_create(other, &foreign));
	ASSERT_EQ(0, slow_submit_short(self->slow, &second, &mine));
	ASSERT_EQ(0, slow_submit_short(slow, &foreign, &theirs));
	ASSERT_EQ(0, slow_submit(self->slow, &self->queue, &point));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	ASSERT_EQ(0, queue_wait(&second, mine, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_wait(&foreign, theirs, &status));
	EXPECT_EQ(0, status.error);
	close(other);
	free(slow);
}

/* All signals of a cancelled job signal. */
TEST_F(cancel, signals_all_the_same)
{
	struct drm_nnloop_sync signals[2];
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_EQ(0, syncobj_create(self->fd, &signals[0].handle));
	ASSERT_EQ(0, syncobj_create(self->fd, &signals[1].handle));
	signals[0].flags = 0;
	signals[0].point = 0;
	signals[1].flags = 0;
	signals[1].point = 7;
	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
	ASSERT_EQ(0, queue_submit_syncs(&self->queue, &self->code.pass, 1, NULL, 0, signals, 2,
					&point));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	EXPECT_EQ(0, syncobj_wait(self->fd, signals[0].handle, 0, WAIT_SECONDS));
	EXPECT_EQ(0, syncobj_wait(self->fd, signals[1].handle, 7, WAIT_SECONDS));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
}

/* A client that is killed takes its jobs along; others and those who come later go on. */
TEST_F(cancel, killed_client)
{
	struct drm_nnloop_status status;
	int i, ret;

	for (i = 0; i < 5; i++) {
		int pipes[2];
		char go;
		pid_t child;

		ASSERT_EQ(0, pipe(pipes));
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			struct queue queue[3];
			__u64 point;
			int fd = device_open(), k;

			ret = slow_new(fd, self->slow);
			for (k = 0; k < 3; k++) {
				ret = ret ?: queue_create(fd, &queue[k]);
				ret = ret ?: slow_submit(self->slow, &queue[k], &point);
				ret = ret ?: slow_submit(self->slow, &queue[k], &point);
			}
			ret = ret ?: queue_poll_state(&queue[0], 1, DRM_NNLOOP_JOB_RUNNING);
			go = ret ? 'x' : 'r';
			if (write(pipes[1], &go, 1) == 1)
				pause();
			_exit(1);
		}
		ASSERT_EQ(1, read(pipes[0], &go, 1));
		EXPECT_EQ('r', go);
		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &ret, 0));
		pattern_fill(self->data.map, 4096, 50 + i);
		ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(4096, pattern_match(self->data.map + 4096, 4096, 50 + i));
	}
}

TEST_HARNESS_MAIN
