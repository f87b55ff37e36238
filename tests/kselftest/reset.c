// SPDX-License-Identifier: GPL-2.0
/*
 * Workers that die or hang while all of them are at work: the one job is lost and its queue with
 * it, every other job runs on, and the worker is there again. A program cannot hang by design, but
 * a worker whose process was stopped does.
 */
#include "kselftest_harness.h"

#include "debugfs.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define MAX_WORKERS	8
#define HANG_MS		2000	/* for tests of hangs: a step takes long on a busy machine */
#define PATIENT_MS	20000	/* for others */

FIXTURE(reset) {
	int fd;
	unsigned int workers;
	int hang_timeout;			/* to be restored */
	char control[32];
	struct slow *slow;
	struct queue queue[MAX_WORKERS];	/* one for each worker */
	__u64 point[MAX_WORKERS];
};

FIXTURE_SETUP(reset)
{
	struct drm_nnloop_device_info info;
	unsigned int i;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	self->hang_timeout = set_hang_timeout(PATIENT_MS);
	ASSERT_LT(0, self->hang_timeout);
	debugfs_mount();
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	/* Nothing is there to be harmed while the workers are parked. */
	ASSERT_EQ(0, power_stay_awake(self->fd, self->control, sizeof(self->control)));
	ASSERT_EQ(0, workers_wait_idle(self->fd));
	ASSERT_EQ(0, device_query(self->fd, &info));
	self->workers = info.worker_count;
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, queue_create(self->fd, &self->queue[i]));
}

FIXTURE_TEARDOWN(reset)
{
	set_hang_timeout(self->hang_timeout);
	power_write(self->fd, "control", self->control);
	close(self->fd);
	free(self->slow);
}

/* A job on each worker, all running. */
static void start_all(struct __test_metadata *_metadata, struct _test_data_reset *self)
{
	unsigned int i;

	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, slow_submit(self->slow, &self->queue[i], &self->point[i]));
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, queue_poll_state(&self->queue[i], self->point[i],
					      DRM_NNLOOP_JOB_RUNNING));
}

static unsigned int count_ended(struct _test_data_reset *self, unsigned int *last)
{
	struct drm_nnloop_status status;
	unsigned int i, ended = 0;

	for (i = 0; i < self->workers; i++) {
		if (queue_status(&self->queue[i], self->point[i], &status))
			continue;
		if (status.state == DRM_NNLOOP_JOB_ENDED) {
			ended++;
			*last = i;
		}
	}
	return ended;
}

/*
 * One of the running jobs ends with this error, and none else. Its queue is replaced by a new one;
 * all are stopped; then the workers must all be there again.
 */
static void expect_one_loss(struct __test_metadata *_metadata, struct _test_data_reset *self,
			    int error)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	struct drm_nnloop_status status;
	unsigned int i, lost = 0;
	__u64 point;

	while (!count_ended(self, &lost) && deadline_ns(0) < end)
		sleep_ms(2);
	sleep_ms(50);
	ASSERT_EQ(1, count_ended(self, &lost));
	ASSERT_EQ(0, syncobj_wait(self->fd, self->queue[lost].syncobj, self->point[lost],
				  WAIT_SECONDS));
	ASSERT_EQ(0, queue_status(&self->queue[lost], self->point[lost], &status));
	EXPECT_EQ(error, status.error);
	EXPECT_GT(SLOW_PASSES, status.passes_done);
	EXPECT_EQ(-ECANCELED, queue_submit(&self->queue[lost], self->slow->passes, 1, &point));
	EXPECT_EQ(0, queue_destroy(&self->queue[lost]));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue[lost]));

	for (i = 0; i < self->workers; i++) {
		if (i == lost)
			continue;
		ASSERT_EQ(0, queue_cancel(&self->queue[i]));
		ASSERT_EQ(0, queue_wait(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(-ECANCELED, status.error);
	}
	start_all(_metadata, self);
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, queue_cancel(&self->queue[i]));
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_wait(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(-ECANCELED, status.error);
	}
}

/* Every worker is started again, once more than it had been. */
static void expect_restarts(struct __test_metadata *_metadata, int fd, int before,
			    unsigned int workers)
{
	__s64 end = deadline_ns(WAIT_SECONDS);

	while (debugfs_restarts(fd) < before + (int)workers && deadline_ns(0) < end)
		sleep_ms(2);
	EXPECT_EQ(before + (int)workers, debugfs_restarts(fd));
}

/* Jobs of a new client come out right, on every worker. */
static void expect_good_work(struct __test_metadata *_metadata, unsigned int workers)
{
	enum { SIZE = 65536 };
	struct drm_nnloop_status status;
	struct program program;
	struct queue queue[MAX_WORKERS];
	struct bo from, to;
	struct code code[MAX_WORKERS];
	unsigned int i;
	__u64 point;
	int fd = device_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bo_new(fd, SIZE, &from));
	ASSERT_EQ(0, bo_new(fd, SIZE * MAX_WORKERS, &to));
	pattern_fill(from.map, SIZE, 77);
	for (i = 0; i < workers; i++) {
		program_init_copy(&program, from.iova, to.iova + i * SIZE, SIZE);
		ASSERT_EQ(0, code_new(fd, &program, &code[i]));
		ASSERT_EQ(0, queue_create(fd, &queue[i]));
		ASSERT_EQ(0, queue_submit(&queue[i], &code[i].pass, 1, &point));
	}
	for (i = 0; i < workers; i++) {
		ASSERT_EQ(0, queue_wait(&queue[i], 1, &status));
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(SIZE, pattern_match(to.map + i * SIZE, SIZE, 77));
	}
	close(fd);
}

TEST_F(reset, worker_killed)
{
	unsigned int i;

	for (i = 0; i < self->workers; i++) {
		start_all(_metadata, self);
		ASSERT_EQ(0, vmctl("kill worker %u", i));
		expect_one_loss(_metadata, self, -EIO);
	}
	expect_good_work(_metadata, self->workers);
}

TEST_F(reset, worker_killed_while_idle)
{
	int before = debugfs_restarts(self->fd);
	unsigned int i;

	ASSERT_LE(0, before);
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, vmctl("kill worker %u", i));
	/* The board must see it and tell the driver. */
	expect_restarts(_metadata, self->fd, before, self->workers);
	expect_good_work(_metadata, self->workers);
}

/* What the registers say is then still of the job before. */
TEST_F(reset, worker_killed_before_it_begins)
{
	struct drm_nnloop_status status;
	unsigned int i;

	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, queue_submit(&self->queue[i], self->slow->passes, 3, &self->point[i]));
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_wait(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(3, status.passes_done);
	}
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, vmctl("stop worker %u", i));
	start_all(_metadata, self);
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_status(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(0, status.passes_done);
		ASSERT_EQ(0, vmctl("kill worker %u", i));
	}
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_wait(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(-EIO, status.error);
		EXPECT_EQ(0, status.passes_done);
		EXPECT_EQ(NO_OP, status.fail_op);
	}
}

/* A job that advances is never a hang, however often it is looked at: that of the other worker. */
TEST_F(reset, worker_hangs)
{
	ASSERT_LT(0, set_hang_timeout(HANG_MS));
	start_all(_metadata, self);
	ASSERT_EQ(0, vmctl("stop worker 0"));
	/* It is found at the fifth look, and those of the others go on. */
	ASSERT_EQ(0, workers_wait_looks(self->fd, 5 + 7 * (self->workers - 1)));
	expect_one_loss(_metadata, self, -ETIMEDOUT);
	expect_good_work(_metadata, self->workers);
}

/* What waits behind a hung job in the same queue ends too, and what waits for it elsewhere. */
TEST_F(reset, jobs_behind_a_hung_one)
{
	struct drm_nnloop_status status;
	struct queue waiter;
	struct drm_nnloop_sync wait;
	__u64 point, behind = 0;
	unsigned int i;

	start_all(_metadata, self);
	ASSERT_EQ(0, queue_create(self->fd, &waiter));
	for (i = 0; i < self->workers; i++) {
		wait = (struct drm_nnloop_sync){ .handle = self->queue[i].syncobj,
						 .point = self->point[i] };
		ASSERT_EQ(0, queue_submit(&self->queue[i], self->slow->passes, 1, &behind));
	}
	ASSERT_EQ(0, queue_submit_syncs(&waiter, self->slow->passes, 1, &wait, 1, NULL, 0, &point));
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, vmctl("stop worker %u", i));
	ASSERT_LT(0, set_hang_timeout(SHORT_HANG_MS));
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_wait(&self->queue[i], behind, &status));
		EXPECT_EQ(-ECANCELED, status.error);
		ASSERT_EQ(0, queue_status(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(-ETIMEDOUT, status.error);
	}
	ASSERT_EQ(0, queue_wait(&waiter, point, &status));
	EXPECT_EQ(-ETIMEDOUT, status.error);
	ASSERT_LT(0, set_hang_timeout(PATIENT_MS));
	expect_good_work(_metadata, self->workers);
}

/* A short stop is no hang. */
TEST_F(reset, worker_stops_for_a_while)
{
	struct drm_nnloop_status status;
	unsigned int i;

	start_all(_metadata, self);
	ASSERT_EQ(0, vmctl("stop worker 0"));
	ASSERT_EQ(0, vmctl("continue worker 0"));
	sleep_ms(300);
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_status(&self->queue[i], self->point[i], &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	}
}

/* A cancel cannot reach a hung worker: the job ends with the hang. */
TEST_F(reset, cancel_of_a_hung_job)
{
	struct drm_nnloop_status status;
	unsigned int i;

	start_all(_metadata, self);
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, vmctl("stop worker %u", i));
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, queue_cancel(&self->queue[i]));
	ASSERT_LT(0, set_hang_timeout(SHORT_HANG_MS));
	for (i = 0; i < self->workers; i++) {
		ASSERT_EQ(0, queue_wait(&self->queue[i], self->point[i], &status));
		EXPECT_TRUE(status.error == -ETIMEDOUT || status.error == -ECANCELED);
	}
	ASSERT_LT(0, set_hang_timeout(PATIENT_MS));
	expect_good_work(_metadata, self->workers);
}

/* The client of a hung job is gone before anyone notices: closing does not take for ever. */
TEST_F(reset, client_of_a_hung_job_is_gone)
{
	int before = debugfs_restarts(self->fd);
	unsigned int i;

	ASSERT_LE(0, before);
	ASSERT_LT(0, set_hang_timeout(HANG_MS));
	start_all(_metadata, self);
	for (i = 0; i < self->workers; i++)
		ASSERT_EQ(0, vmctl("stop worker %u", i));
	close(self->fd);
	expect_good_work(_metadata, self->workers);

	/* One worker can do all that; the others are not to be left to the next test. */
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	expect_restarts(_metadata, self->fd, before, self->workers);
}

TEST_HARNESS_MAIN
