// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that several workers run together: they come to the same bytes, and take no worker that
 * another job could have. How they end when something goes wrong is in gang_end.c.
 */
#include "gang.h"

#define LONG_SLICE_MS	10000
#define MAX_WORKERS	8

static void forget_starts(struct _test_data_gang *self)
{
	while (read(self->starts, self->text, sizeof(self->text)) > 0)
		;
	self->text[0] = 0;
}

/* Returns how often since then a worker has got a job, or its share of one, as one of so many. */
static unsigned int count_starts(struct _test_data_gang *self, unsigned int of)
{
	size_t have = strlen(self->text), room = sizeof(self->text) - 1;
	unsigned int found = 0;
	char key[16];
	ssize_t got;
	char *at;

	while (have < room && (got = read(self->starts, self->text + have, room - have)) > 0)
		have += got;
	self->text[have] = 0;
	snprintf(key, sizeof(key), " of %u\n", of);
	for (at = self->text; (at = strstr(at, key)); at++)
		found++;
	return found;
}

/* With any number of workers, and each of them has had its share. */
TEST_F(gang, same_bytes)
{
	struct drm_nnloop_status status;
	unsigned int workers, i;

	for (workers = 0; workers <= self->count; workers++) {
		for (i = 1; i < 4; i += 2) {
			memset(self->data.map + BYTES, 0, 2 * BYTES);
			forget_starts(self);
			ASSERT_EQ(0, gang_run(&self->queue, self->passes, i, workers, &status));
			EXPECT_EQ(0, status.error);
			EXPECT_EQ(i, status.passes_done);
			ASSERT_EQ(BYTES, turned(&self->data));
			EXPECT_EQ(workers ?: 1, count_starts(self, workers ?: 1));
		}
	}
}

/* There is no worker for it that is another's, or that another job could have. */
TEST_F(gang, takes_what_nobody_needs)
{
	struct drm_nnloop_status status;
	struct queue queue[MAX_WORKERS];
	struct blockade blockade;
	unsigned int i;
	__u64 point;

	ASSERT_LT(0, set_parameter(SLICE_PARAMETER, LONG_SLICE_MS));
	/* All workers but the last are busy. */
	ASSERT_EQ(0, workers_block(self->other, &blockade));
	ASSERT_EQ(0, queue_cancel(&blockade.queue[0]));
	ASSERT_EQ(0, queue_wait(&blockade.queue[0], 1, &status));
	forget_starts(self);
	ASSERT_EQ(0, gang_run(&self->queue, self->passes, 3, self->count, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, count_starts(self, 1));
	ASSERT_EQ(0, queue_create(self->other, &blockade.queue[0]));
	ASSERT_EQ(0, endless_start(&blockade.endless, &blockade.queue[0], &point));

	/* There are as many jobs as workers, and each could use all of these. */
	for (i = 0; i < self->count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		ASSERT_EQ(0, gang_submit(&queue[i], self->slow->passes, SLOW_PASSES, self->count,
					 &point));
	}
	forget_starts(self);
	ASSERT_EQ(0, workers_release(&blockade));
	for (i = 0; i < self->count; i++)
		ASSERT_EQ(0, queue_poll_passes(&queue[i], 1, 2));
	EXPECT_EQ(self->count, count_starts(self, 1));
	EXPECT_EQ(0, self->count > 1 ? count_starts(self, 2) : 0);
	for (i = 0; i < self->count; i++)
		ASSERT_EQ(0, queue_cancel(&queue[i]));
	for (i = 0; i < self->count; i++)
		ASSERT_EQ(0, queue_wait(&queue[i], 1, &status));
}

/* Whoever comes waits for a pass, not for a slice, and for the job even less. */
TEST_F(gang, makes_room_at_once)
{
	unsigned int half = self->count / 2;
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_LT(0, set_parameter(SLICE_PARAMETER, LONG_SLICE_MS));
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 1));
	EXPECT_EQ(self->count, count_starts(self, self->count));
	if (self->count == 1)
		SKIP(return, "one worker: it has none on loan");
	ASSERT_EQ(0, queue_run(&self->queue_of_other, &self->code_of_other.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	EXPECT_LE(1, status.passes_done);
	/* It goes on with its half; and the other client's job had one. */
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, status.passes_done + 2));
	EXPECT_EQ(half + (half == 1), count_starts(self, half)) TH_LOG("%s", self->text);
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	expect_good_work(_metadata, self);
}

/* Left off and gone on with again and again, on as many workers as there are, it is the same. */
TEST_F(gang, same_bytes_when_left_off)
{
	enum { PASSES = 30 };
	struct drm_nnloop_status status;
	unsigned int others = 0;
	__u64 point;

	memset(self->data.map + BYTES, 0, 2 * BYTES);
	ASSERT_EQ(0, gang_submit(&self->queue, self->passes, PASSES, self->count, &point));
	do {
		ASSERT_EQ(0, queue_run(&self->queue_of_other, &self->code_of_other.pass, 1,
				       &status));
		EXPECT_EQ(0, status.error);
		others++;
		ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	} while (status.state != DRM_NNLOOP_JOB_ENDED);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(PASSES, status.passes_done);
	EXPECT_EQ(BYTES, turned(&self->data));
	EXPECT_LT(2, others);
}

/* A higher priority has its way, a lower one waits. */
TEST_F(gang, priorities)
{
	struct drm_nnloop_status status;
	struct queue high, low;
	__u64 point, waits;

	ASSERT_LT(0, set_parameter(SLICE_PARAMETER, LONG_SLICE_MS));
	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_HIGH, &high));
	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_LOW, &low));
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	ASSERT_EQ(0, queue_submit(&low, &self->code_of_other.pass, 1, &waits));
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 5));
	ASSERT_EQ(0, queue_status(&low, waits, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
	ASSERT_EQ(0, queue_run(&high, &self->code_of_other.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	ASSERT_EQ(0, queue_wait(&low, waits, &status));
	EXPECT_EQ(0, status.error);
}

/* One that gets on is no hang, also if only one of the workers does. */
TEST_F(gang, long_job_is_no_hang)
{
	struct drm_nnloop_status status;
	struct nn_program_op *op;
	struct endless endless;
	unsigned int i;
	__u64 point;

	ASSERT_LT(0, set_hang_timeout(HANG_MS));
	/* Blocks that cannot be divided: the first worker alone makes them. */
	ASSERT_EQ(0, endless_new(self->fd, &endless));
	op = (void *)(endless.code.bo.map + endless.code.pass.program_size);
	for (i = 0; i < ENDLESS_OPS; i++)
		(--op)->copy.block = 128;
	for (i = 0; i < SLOW_PASSES; i++)
		self->slow->passes[i] = endless.code.pass;
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	/* A hang would be found at the fifth look. */
	ASSERT_EQ(0, workers_wait_looks(self->fd, 6 * self->count));
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	if (status.state == DRM_NNLOOP_JOB_RUNNING)
		ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_TRUE(!status.error || status.error == -ECANCELED) TH_LOG("%d", status.error);
}

/* The time of each worker counts, from the job's begin to its end. */
TEST_F(gang, engine_time)
{
	struct drm_nnloop_status status;
	long long begin, alone, together;
	__s64 time;
	__u64 point;

	begin = engine_ns(self->fd);
	time = deadline_ns(0);
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	sleep_ms(400);
	together = engine_ns(self->fd) - begin;
	alone = deadline_ns(0) - time;
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	TH_LOG("%lld ms of %u workers in %lld ms", together / 1000000, self->count,
	       alone / 1000000);
	EXPECT_GE(alone * self->count, together);
	/* It began within the first of these. */
	EXPECT_GE(together, 360000000ll * self->count);
	EXPECT_LE(together, engine_ns(self->fd) - begin);
}

/* Who looks on sees all of it. */
TEST_F(gang, is_seen_in_debugfs)
{
	struct drm_nnloop_status status;
	unsigned int found = 0;
	char key[32];
	char *at;
	__u64 point;

	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	ASSERT_EQ(0, debugfs_read(self->fd, "workers", self->text, sizeof(self->text)));
	snprintf(key, sizeof(key), " with %u others", self->count - 1);
	for (at = self->text; (at = strstr(at, key)); at++)
		found++;
	EXPECT_EQ(self->count > 1 ? self->count : 0, found) TH_LOG("%s", self->text);
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
}

TEST_HARNESS_MAIN
