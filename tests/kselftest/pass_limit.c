// SPDX-License-Identifier: GPL-2.0
/*
 * pass_limit_ms: a pass that keeps other clients waiting for longer is ended, whatever progress it
 * makes, and its queue is lost; nobody else's, none that keeps only its own client or a lower
 * priority waiting, and none that nobody waits for.
 */
#include "kselftest_harness.h"

#include "debugfs.h"
#include "program.h"
#include "vmctl.h"

#define LIMIT_MS	100		/* the least there is */
#define LONG_LIMIT_MS	3600000
#define LONG_SLICE_MS	10000
#define PATIENT_MS	600000		/* until a worker is taken for hung */

FIXTURE(pass_limit) {
	int fd, other;
	int limit, hang_timeout;		/* to be restored */
	int slice;				/* also, if not 0 */
	struct blockade blockade;		/* of fd */
	struct slow *slow;			/* of fd */
	struct queue queue;			/* of other */
	struct bo data;
	struct code code;			/* a short job of other */
};

FIXTURE_SETUP(pass_limit)
{
	self->limit = set_parameter(LIMIT_PARAMETER, 0);
	if (self->limit < 0)
		SKIP(return, "not root: pass_limit_ms cannot be set");
	self->hang_timeout = set_hang_timeout(PATIENT_MS);
	ASSERT_LT(0, self->hang_timeout);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, copy_new(self->other, 4096, &self->queue, &self->data, &self->code));
}

FIXTURE_TEARDOWN(pass_limit)
{
	if (self->limit < 0)
		return;
	set_parameter(LIMIT_PARAMETER, self->limit);
	close(self->fd);
	close(self->other);
	set_hang_timeout(self->hang_timeout);
	if (self->slice > 0)
		set_parameter(SLICE_PARAMETER, self->slice);
	free(self->slow);
}

/* Returns how many of the blockade's jobs have ended, which must be with this error. */
static unsigned int count_ended(struct __test_metadata *_metadata,
				struct _test_data_pass_limit *self, int error)
{
	struct drm_nnloop_status status;
	unsigned int i, ended = 0;
	__u64 point;

	for (i = 0; i < self->blockade.count; i++) {
		EXPECT_EQ(0, queue_status(&self->blockade.queue[i], 1, &status));
		if (status.state != DRM_NNLOOP_JOB_ENDED)
			continue;
		ended++;
		EXPECT_EQ(error, status.error);
		EXPECT_EQ(0, status.passes_done);
		EXPECT_EQ(-ECANCELED, queue_submit(&self->blockade.queue[i],
						   &self->blockade.endless.code.pass, 1, &point));
	}
	return ended;
}

/* One job waits: one pass is ended, and the other workers keep theirs. */
TEST_F(pass_limit, one_pass_is_ended_for_another_client)
{
	struct drm_nnloop_status status;
	__s64 start;

	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	start = deadline_ns(0);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_LE(LIMIT_MS * 1000000ll, deadline_ns(0) - start);
	EXPECT_EQ(1, count_ended(_metadata, self, -ETIMEDOUT));
	/* There is a worker for others now. */
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, count_ended(_metadata, self, -ETIMEDOUT));
}

/* It holds for those that wait already when it is set. */
TEST_F(pass_limit, counts_for_those_who_wait_already)
{
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	sleep_ms(2 * LIMIT_MS);
	EXPECT_EQ(0, count_ended(_metadata, self, 0));
	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, count_ended(_metadata, self, -ETIMEDOUT));
}

TEST_F(pass_limit, nobody_waits)
{
	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	sleep_ms(4 * LIMIT_MS);
	EXPECT_EQ(0, count_ended(_metadata, self, 0));
}

TEST_F(pass_limit, own_jobs_wait)
{
	struct drm_nnloop_status status;
	struct queue own;
	__u64 point;

	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	ASSERT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_HIGH, &own));
	ASSERT_EQ(0, queue_submit(&own, self->slow->passes, 1, &point));
	sleep_ms(4 * LIMIT_MS);
	EXPECT_EQ(0, count_ended(_metadata, self, 0));
	ASSERT_EQ(0, queue_status(&own, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
}

TEST_F(pass_limit, lower_priority_waits)
{
	struct drm_nnloop_status status;
	struct queue low, high;
	__u64 point;

	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_LOW, &low));
	ASSERT_EQ(0, queue_submit(&low, &self->code.pass, 1, &point));
	sleep_ms(4 * LIMIT_MS);
	EXPECT_EQ(0, count_ended(_metadata, self, 0));
	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_HIGH, &high));
	ASSERT_EQ(0, queue_run(&high, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, count_ended(_metadata, self, -ETIMEDOUT));
}

/* What counts is the time in which somebody waits, not that between two who do. */
TEST_F(pass_limit, only_waiting_counts)
{
	enum { MS = 500 };
	__s64 end = deadline_ns(2.5 * MS / 1000), waited = 0, start;
	__u64 point;

	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, MS));
	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	while (deadline_ns(0) < end) {
		start = deadline_ns(0);
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
		sleep_ms(5);
		ASSERT_EQ(0, queue_cancel(&self->queue));
		waited += deadline_ns(0) - start;
		sleep_ms(100);
	}
	/* On a machine that is slow enough it has really waited for so long. */
	if (waited < MS * 1000000ll)
		EXPECT_EQ(0, count_ended(_metadata, self, 0));
}

/* However many of them there are, and however long they take together. */
TEST_F(pass_limit, short_passes_are_not_ended)
{
	enum { MS = 1000 };
	struct drm_nnloop_status status;
	struct queue busy[8];
	struct drm_nnloop_device_info info;
	struct program program;
	struct code code;
	__u64 point = 0, waits;
	unsigned int i, k;

	ASSERT_EQ(0, device_query(self->fd, &info));
	ASSERT_GE(ARRAY_SIZE(busy), info.worker_count);
	program_init_copy(&program, self->slow->data.iova, self->slow->data.iova + SLOW_BYTES,
			  SLOW_BYTES);
	for (i = 1; i < SLOW_OPS / 4; i++)
		program.op[program.header.op_count++] = program.op[0];
	ASSERT_EQ(0, code_new(self->fd, &program, &code));
	for (i = 0; i < SLOW_PASSES; i++)
		self->slow->passes[i] = code.pass;
	/* They need not make room meanwhile. None takes so long, on the slowest machine. */
	self->slice = set_parameter(SLICE_PARAMETER, LONG_SLICE_MS);
	ASSERT_LT(0, self->slice);
	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, MS));
	for (i = 0; i < info.worker_count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &busy[i]));
		/* More of it than a fast machine does meanwhile. */
		for (k = 0; k < 3; k++)
			ASSERT_EQ(0, slow_submit(self->slow, &busy[i], &point));
	}
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &waits));
	sleep_ms(2.5 * MS);
	for (i = 0; i < info.worker_count; i++) {
		ASSERT_EQ(0, queue_status(&busy[i], point, &status));
		EXPECT_NE(DRM_NNLOOP_JOB_ENDED, status.state)
			TH_LOG("error %d", status.error);
	}
}

/* A worker that does not hear that it is to end a pass is started again. */
TEST_F(pass_limit, stopped_worker_is_started_again)
{
	struct drm_nnloop_status status;
	int before;
	unsigned int i;
	__s64 end;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	debugfs_mount();
	before = debugfs_restarts(self->fd);
	ASSERT_LE(0, before);
	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	for (i = 0; i < self->blockade.count; i++)
		ASSERT_EQ(0, vmctl("stop worker %u", i));
	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, count_ended(_metadata, self, -ETIMEDOUT));
	end = deadline_ns(WAIT_SECONDS);
	while (debugfs_restarts(self->fd) == before && deadline_ns(0) < end)
		sleep_ms(2);
	EXPECT_EQ(before + 1, debugfs_restarts(self->fd));
	for (i = 0; i < self->blockade.count; i++)
		vmctl("continue worker %u", i);
	/* Nor was any other told to end its pass while that one was started again. */
	sleep_ms(4 * LIMIT_MS);
	EXPECT_EQ(1, count_ended(_metadata, self, -ETIMEDOUT));
	EXPECT_EQ(before + 1, debugfs_restarts(self->fd));
}

/*
 * The client cancels about when the limit is over: the job ends once, with either error, and if it
 * was the client's, the queue is as good as before.
 */
TEST_F(pass_limit, cancelled_meanwhile)
{
	enum { ROUNDS = 20 };
	struct drm_nnloop_status status, own;
	unsigned int round, i, cancelled = 0;
	__u64 point, behind;

	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, workers_block(self->fd, &self->blockade));
	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
		sleep_ms(LIMIT_MS - ROUNDS / 2 + 3 * round);
		for (i = 0; i < self->blockade.count; i++)
			ASSERT_EQ(0, queue_cancel(&self->blockade.queue[i]));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		EXPECT_EQ(0, status.error);
		for (i = 0; i < self->blockade.count; i++) {
			struct queue *queue = &self->blockade.queue[i];

			ASSERT_EQ(0, queue_wait(queue, 1, &own));
			EXPECT_TRUE(own.error == -ETIMEDOUT || own.error == -ECANCELED)
				TH_LOG("error %d", own.error);
			cancelled += own.error == -ECANCELED;
			EXPECT_EQ(own.error == -ECANCELED ? 0 : -ECANCELED,
				  queue_submit(queue, self->slow->passes, 1, &behind));
			ASSERT_EQ(0, queue_destroy(queue));
			ASSERT_EQ(0, queue_create(self->fd, queue));
		}
		for (i = 0; i < self->blockade.count && round + 1 < ROUNDS; i++)
			ASSERT_EQ(0, endless_start(&self->blockade.endless,
						   &self->blockade.queue[i], &behind));
	}
	TH_LOG("%u of %u were cancelled", cancelled, ROUNDS * self->blockade.count);
}

/*
 * Passes that end about when the limit is over: whatever comes first, a job is left off and goes
 * on, or ends with the limit, and what waits behind it in another queue is not touched.
 */
TEST_F(pass_limit, left_off_meanwhile)
{
	enum { PASSES = 15 };
	struct drm_nnloop_pass passes[PASSES];
	struct drm_nnloop_status status;
	struct drm_nnloop_device_info info;
	struct queue busy[8];
	struct code code;
	struct program program;
	unsigned int i, late = 0;
	__s64 end = deadline_ns(WAIT_SECONDS);
	__u64 point;
	bool ended;

	ASSERT_EQ(0, device_query(self->fd, &info));
	program_init_copy(&program, self->slow->data.iova, self->slow->data.iova + SLOW_BYTES,
			  SLOW_BYTES);
	while (program.header.op_count < PROGRAM_ROOM)
		program.op[program.header.op_count++] = program.op[0];
	ASSERT_EQ(0, code_new(self->fd, &program, &code));
	for (i = 0; i < PASSES; i++)
		passes[i] = code.pass;
	ASSERT_LE(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	for (i = 0; i < info.worker_count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &busy[i]));
		ASSERT_EQ(0, queue_submit(&busy[i], passes, PASSES, &point));
	}
	do {
		ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
		ASSERT_EQ(0, status.error);
		for (i = 0, ended = true; i < info.worker_count; i++) {
			ASSERT_EQ(0, queue_status(&busy[i], 1, &status));
			ended &= status.state == DRM_NNLOOP_JOB_ENDED;
		}
	} while (!ended && deadline_ns(0) < end);
	for (i = 0; i < info.worker_count; i++) {
		ASSERT_EQ(0, queue_wait(&busy[i], 1, &status));
		EXPECT_TRUE(!status.error || status.error == -ETIMEDOUT)
			TH_LOG("error %d", status.error);
		EXPECT_TRUE(status.error ? status.passes_done < PASSES
					 : status.passes_done == PASSES);
		late += status.error == -ETIMEDOUT;
	}
	TH_LOG("%u of %u jobs were ended", late, info.worker_count);
}

TEST(range)
{
	static const unsigned int bad[] = { 1, 99, 3600001, ~0u };
	int old = set_parameter(LIMIT_PARAMETER, LONG_LIMIT_MS);
	unsigned int i;

	if (old < 0)
		SKIP(return, "not root: pass_limit_ms cannot be set");
	EXPECT_EQ(LONG_LIMIT_MS, set_parameter(LIMIT_PARAMETER, 100));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, set_parameter(LIMIT_PARAMETER, bad[i]))
			TH_LOG("%u ms", bad[i]);
	EXPECT_EQ(100, set_parameter(LIMIT_PARAMETER, 0));
	EXPECT_EQ(0, set_parameter(LIMIT_PARAMETER, old));
}

TEST_HARNESS_MAIN
