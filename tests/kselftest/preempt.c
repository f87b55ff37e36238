// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs are left off between two passes for others, and go on later: nobody waits for the end of
 * another's long job, high priorities not even for a slice of it, time is shared evenly, and
 * whatever was left off comes to the same results.
 */
#include "kselftest_harness.h"

#include "program.h"
#include "vmctl.h"

#define LONG_SLICE_MS	10000
#define PATIENT_MS	600000	/* until a worker is taken for hung, and not looked at before */
#define MOST_WORKERS	8

FIXTURE(preempt) {
	int fd, other;
	int slice, hang_timeout;		/* to be restored, the latter if not 0 */
	struct slow *slow, *slow_of_other;
	struct queue busy[MOST_WORKERS];	/* of fd */
	struct queue queue;			/* of other */
	struct bo data;
	struct code code;			/* a short job of other */
	struct drm_nnloop_device_info info;
};

FIXTURE_SETUP(preempt)
{
	self->slice = set_parameter(SLICE_PARAMETER, 10);
	if (self->slice < 0)
		SKIP(return, "not root: slice_ms cannot be set");
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
	self->slow = malloc(sizeof(*self->slow));
	self->slow_of_other = malloc(sizeof(*self->slow_of_other));
	ASSERT_TRUE(self->slow && self->slow_of_other);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, slow_new(self->other, self->slow_of_other));
	ASSERT_EQ(0, copy_new(self->other, 4096, &self->queue, &self->data, &self->code));
	ASSERT_EQ(0, device_query(self->fd, &self->info));
	ASSERT_GE(MOST_WORKERS, self->info.worker_count);
}

FIXTURE_TEARDOWN(preempt)
{
	if (self->slice < 0)
		return;
	set_parameter(SLICE_PARAMETER, self->slice);
	if (self->hang_timeout > 0)
		set_hang_timeout(self->hang_timeout);
	close(self->fd);
	close(self->other);
	free(self->slow);
	free(self->slow_of_other);
}

/* Long jobs of many passes on all workers. */
static int workers_occupy(struct _test_data_preempt *self)
{
	unsigned int i;
	__u64 point;
	int ret = 0;

	for (i = 0; i < self->info.worker_count && !ret; i++) {
		ret = queue_create(self->fd, &self->busy[i]);
		ret = ret ?: slow_start(self->slow, &self->busy[i], &point);
	}
	return ret;
}

static void expect_occupied(struct __test_metadata *_metadata, struct _test_data_preempt *self)
{
	struct drm_nnloop_status status;
	unsigned int i;

	for (i = 0; i < self->info.worker_count; i++) {
		ASSERT_EQ(0, queue_status(&self->busy[i], 1, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state)
			TH_LOG("they have waited: it ended, error %d", status.error);
	}
}

TEST_F(preempt, long_jobs_make_room)
{
	struct drm_nnloop_status status;

	ASSERT_EQ(0, workers_occupy(self));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	expect_occupied(_metadata, self);
}

/* So do one client's own, for its other queues. */
TEST_F(preempt, own_jobs_make_room)
{
	struct drm_nnloop_status status;
	struct queue queue;

	ASSERT_EQ(0, workers_occupy(self));
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, queue_run(&queue, self->slow->passes, 1, &status));
	EXPECT_EQ(0, status.error);
	expect_occupied(_metadata, self);
}

/* A higher priority waits for the end of a pass, the same one for that of a slice. */
TEST_F(preempt, higher_priority_waits_for_no_slice)
{
	struct drm_nnloop_status status;
	struct queue high;
	__u64 point;

	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_HIGH, &high));
	ASSERT_LT(0, set_parameter(SLICE_PARAMETER, LONG_SLICE_MS));
	ASSERT_EQ(0, workers_occupy(self));
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, queue_status(&self->busy[0], 1, &status));
	ASSERT_EQ(0, queue_poll_passes(&self->busy[0], 1, status.passes_done + 5));
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
	ASSERT_EQ(0, queue_run(&high, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	expect_occupied(_metadata, self);
}

/* A pass cannot be left off: nobody waits for the end of a long one while others are short. */
TEST_F(preempt, long_passes_keep_their_own_worker_only)
{
	struct drm_nnloop_status status;
	struct endless endless;
	struct queue low, high;
	unsigned int i;
	__u64 point;

	ASSERT_LE(2, self->info.worker_count);
	/* It is not asked at all until the one that cannot make room has been, by a timer. */
	self->hang_timeout = set_hang_timeout(PATIENT_MS);
	ASSERT_LT(0, self->hang_timeout);
	ASSERT_EQ(0, endless_new(self->fd, &endless));
	ASSERT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_LOW, &low));
	ASSERT_EQ(0, endless_start(&endless, &low, &point));
	for (i = 0; i + 1 < self->info.worker_count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &self->busy[i]));
		ASSERT_EQ(0, slow_start(self->slow, &self->busy[i], &point));
	}
	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_HIGH, &high));
	ASSERT_EQ(0, queue_run(&high, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_status(&low, 1, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
}

TEST_F(preempt, lower_priority_waits)
{
	struct drm_nnloop_status status;
	struct queue low;
	__u64 point;

	ASSERT_EQ(0, queue_create_priority(self->other, DRM_NNLOOP_PRIORITY_LOW, &low));
	ASSERT_EQ(0, workers_occupy(self));
	ASSERT_EQ(0, queue_submit(&low, &self->code.pass, 1, &point));
	/* Many slices of those that run. */
	ASSERT_EQ(0, queue_poll_passes(&self->busy[0], 1, 15));
	ASSERT_EQ(0, queue_status(&low, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
}

/*
 * The passes of a job each copy a row of their own, often enough for some milliseconds: a slice is
 * at least 20 times what it costs to come to another client.
 */
#define ROWS		30
#define ROW_BYTES	0x8000
#define ROW_COPIES	30

struct rows {
	struct queue queue;
	struct bo bo;
	struct code code;
	struct drm_nnloop_pass passes[ROWS];
	__u64 point;
};

static int rows_new(int fd, struct rows *rows, unsigned int seed)
{
	struct program program;
	unsigned int i;
	int ret = queue_create(fd, &rows->queue);

	ret = ret ?: bo_new(fd, 2 * ROWS * ROW_BYTES, &rows->bo);
	if (ret)
		return ret;
	pattern_fill(rows->bo.map, ROWS * ROW_BYTES, seed);
	program_init_rows(&program, rows->bo.iova, rows->bo.iova + ROWS * ROW_BYTES, ROWS,
			  ROW_BYTES);
	while (program.header.op_count < ROW_COPIES)
		program.op[program.header.op_count++] = program.op[0];
	ret = ret ?: code_new(fd, &program, &rows->code);
	for (i = 0; i < ROWS; i++)
		rows->passes[i] = code_rows(&rows->code, i, 1, i);
	return ret;
}

/*
 * More jobs than workers, of two clients: all get on before one ends, and all of it is right. The
 * last one has no program in its last pass, and says so.
 */
TEST_F(preempt, what_was_left_off_goes_on)
{
	unsigned int count = 2 * self->info.worker_count, together = 0, i, begun;
	struct rows *rows = calloc(count, sizeof(*rows));
	struct drm_nnloop_status status;
	bool ended = false;

	ASSERT_NE(NULL, rows);
	ASSERT_LT(0, set_parameter(SLICE_PARAMETER, 1));
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, rows_new(i % 2 ? self->other : self->fd, &rows[i], i + 1));
	rows[count - 1].passes[ROWS - 1].program_size = 8;
	/* Jobs that are submitted first are long enough for the others to come. */
	ASSERT_EQ(0, workers_occupy(self));
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, queue_submit(&rows[i].queue, rows[i].passes, ROWS, &rows[i].point));
	for (i = 0; i < self->info.worker_count; i++)
		ASSERT_EQ(0, queue_cancel(&self->busy[i]));
	while (!ended) {
		for (i = 0, begun = 0; i < count; i++) {
			ASSERT_EQ(0, queue_status(&rows[i].queue, rows[i].point, &status));
			begun += status.state == DRM_NNLOOP_JOB_RUNNING && status.passes_done;
			ended |= status.state == DRM_NNLOOP_JOB_ENDED;
		}
		if (begun > together)
			together = begun;
	}
	EXPECT_LT(self->info.worker_count, together);
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, queue_wait(&rows[i].queue, rows[i].point, &status));
		EXPECT_EQ(i == count - 1 ? -EINVAL : 0, status.error);
		EXPECT_EQ(i == count - 1 ? ROWS - 1 : ROWS, status.passes_done);
		EXPECT_LE(status.passes_done * ROW_BYTES,
			  pattern_match(rows[i].bo.map + ROWS * ROW_BYTES, ROWS * ROW_BYTES,
					i + 1));
		bo_unmap(&rows[i].bo);
		bo_unmap(&rows[i].code.bo);
	}
	free(rows);
}

/* One that is left off can be cancelled like any other, and tells how far it came. */
TEST_F(preempt, what_was_left_off_can_be_cancelled)
{
	unsigned int count = 3 * self->info.worker_count, i;
	struct queue queue[3 * MOST_WORKERS];
	struct drm_nnloop_status status, before;
	__u64 point;

	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		ASSERT_EQ(0, slow_submit(self->slow, &queue[i], &point));
	}
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, queue_poll_passes(&queue[i], 1, 2));
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, queue_status(&queue[i], 1, &before));
		ASSERT_EQ(0, queue_cancel(&queue[i]));
		ASSERT_EQ(0, queue_wait(&queue[i], 1, &status));
		EXPECT_EQ(-ECANCELED, status.error);
		EXPECT_LE(before.passes_done, status.passes_done);
		EXPECT_GT(SLOW_PASSES, status.passes_done);
	}
}

/* Both files have jobs on all workers: soon they have had the same, within a tenth. */
static void expect_even(struct __test_metadata *_metadata, struct _test_data_preempt *self)
{
	enum { SECONDS = 1 };
	long long begin[2], first, second;
	__s64 end = deadline_ns(WAIT_SECONDS);
	bool even;

	begin[0] = engine_ns(self->fd);
	begin[1] = engine_ns(self->other);
	/* How long slices are is the machine's affair, and so is how many it takes. */
	do {
		sleep_ms(100);
		first = engine_ns(self->fd) - begin[0];
		second = engine_ns(self->other) - begin[1];
		even = 11 * second > 10 * first && 11 * first > 10 * second;
	} while (first + second < self->info.worker_count * SECONDS * 1000000000ll ||
		 (!even && deadline_ns(0) < end));
	TH_LOG("%lld ms and %lld ms", first / 1000000, second / 1000000);
	EXPECT_TRUE(even);
}

/* Between two files, one of which has three times as many queues. */
TEST_F(preempt, time_is_shared_by_files)
{
	unsigned int count = self->info.worker_count, i;
	struct queue queue[4 * MOST_WORKERS];
	__u64 point;

	for (i = 0; i < 4 * count; i++) {
		bool mine = i % 4;
		struct slow *slow = mine ? self->slow : self->slow_of_other;

		ASSERT_EQ(0, queue_create(mine ? self->fd : self->other, &queue[i]));
		ASSERT_EQ(0, slow_submit(slow, &queue[i], &point));
	}
	expect_even(_metadata, self);
}

/* Jobs that are shorter than a slice, with one that is not beside them: a slice is the file's. */
TEST_F(preempt, short_jobs_share_time)
{
	enum { JOBS = 1000 };	/* of a queue, at most 1024 */
	unsigned int count = self->info.worker_count, i, k;
	struct queue queue[MOST_WORKERS];
	__u64 point;

	ASSERT_LE(0, set_parameter(SLICE_PARAMETER, 100));
	ASSERT_EQ(0, workers_occupy(self));
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, queue_create(self->other, &queue[i]));
		for (k = 0; k < JOBS; k++)
			ASSERT_EQ(0, queue_submit(&queue[i], self->slow_of_other->passes, 1 + k % 2,
						  &point));
	}
	expect_even(_metadata, self);
}

TEST_HARNESS_MAIN
