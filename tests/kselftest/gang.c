// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that several workers run together: they come to the same bytes, take no worker that another
 * job could have, and end as any job does, whichever of the workers faults, hangs, dies or is in
 * the middle of something.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/mount.h>

#include "debugfs.h"
#include "hotplug.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define TRACEFS		"/sys/kernel/tracing"
#define SLICE_PARAMETER	"/sys/module/nnloop/parameters/slice_ms"
#define LIMIT_PARAMETER	"/sys/module/nnloop/parameters/pass_limit_ms"
#define LONG_SLICE_MS	10000
#define HANG_MS		2000	/* for tests of hangs */
#define PATIENT_MS	20000	/* for others: this machine may have much else to do */
#define MAX_WORKERS	8
#define BYTES		0x1f800u	/* a multiple of 128 that nothing else divides evenly */
#define STEPS		15

FIXTURE(gang) {
	int fd, other;
	int slice, hang_timeout, limit;		/* to be restored */
	char control[32];
	struct drm_nnloop_device_info info;
	unsigned int count;			/* of workers */
	struct queue queue;
	struct bo data;				/* source, and twice as much to turn it in */
	struct code code;
	struct drm_nnloop_pass passes[SLOW_PASSES];
	struct slow *slow;			/* of fd */
	struct queue queue_of_other;		/* and a short job for it */
	struct bo data_of_other;
	struct code code_of_other;
	char text[65536];
};

/* By how many bytes a step turns them. */
static __u32 turn(unsigned int step)
{
	return (4096 + step * 8320) % BYTES;
}

/*
 * Copies the source and turns it around, from one buffer to the other: workers read what others
 * have written, and overwrite what others have read.
 */
static void program_init_turn(struct program *program, __u64 iova)
{
	unsigned int tensor[3], i, op;

	program_init(program);
	for (i = 0; i < 3; i++) {
		unsigned int region = program_region(program, iova + i * BYTES, BYTES,
						     i ? NN_REGION_WRITABLE : 0);

		tensor[i] = program_rows(program, region, 1, BYTES);
	}
	program_copy(program, tensor[0], tensor[1]);
	for (i = 0; i < STEPS; i++) {
		op = program_copy(program, tensor[1 + i % 2], tensor[2 - i % 2]);
		program->op[op].copy.src_offset = turn(i);
		program->op[op].copy.block = BYTES - turn(i);
		op = program_copy(program, tensor[1 + i % 2], tensor[2 - i % 2]);
		program->op[op].copy.dst_offset = BYTES - turn(i);
		program->op[op].copy.block = turn(i);
	}
}

/* How many of the bytes are where they should be. */
static size_t turned(const struct bo *data)
{
	const __u8 *to = data->map + (1 + STEPS % 2) * BYTES;
	__u32 by = 0, i;

	for (i = 0; i < STEPS; i++)
		by += turn(i);
	for (i = 0; i < BYTES && to[i] == data->map[(i + by) % BYTES]; i++)
		;
	return i;
}

/* Jobs of clients that are gone may still be ending. */
static bool workers_become_idle(struct _test_data_gang *self)
{
	__s64 end = deadline_ns(WAIT_SECONDS);

	do {
		if (debugfs_read(self->fd, "workers", self->text, sizeof(self->text)))
			return false;
		if (!strstr(self->text, " job ") && !strstr(self->text, ": down"))
			return true;
		sleep_ms(2);
	} while (deadline_ns(0) < end);
	return false;
}

FIXTURE_SETUP(gang)
{
	struct program program;
	unsigned int i;

	self->slice = set_parameter(SLICE_PARAMETER, 10);
	if (self->slice < 0)
		SKIP(return, "not root: slice_ms cannot be set");
	self->hang_timeout = set_hang_timeout(PATIENT_MS);
	self->limit = set_parameter(LIMIT_PARAMETER, 0);
	debugfs_mount();
	mount("none", TRACEFS, "tracefs", 0, NULL);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, device_query(self->fd, &self->info));
	self->count = self->info.worker_count;
	ASSERT_EQ(0, power_read(self->fd, "control", self->control, sizeof(self->control)));
	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	ASSERT_TRUE(power_becomes(self->fd, "active"));
	ASSERT_TRUE(workers_become_idle(self));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, 3 * BYTES, &self->data));
	pattern_fill(self->data.map, BYTES, 5);
	program_init_turn(&program, self->data.iova);
	ASSERT_EQ(0, code_new(self->fd, &program, &self->code));
	for (i = 0; i < SLOW_PASSES; i++)
		self->passes[i] = self->code.pass;
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, copy_new(self->other, 4096, &self->queue_of_other, &self->data_of_other,
			      &self->code_of_other));
	ASSERT_EQ(0, file_write(TRACEFS "/trace", ""));
	ASSERT_EQ(0, file_write(TRACEFS "/events/nnloop/nnloop_start/enable", "1"));
}

FIXTURE_TEARDOWN(gang)
{
	if (self->slice < 0)
		return;
	file_write(TRACEFS "/events/nnloop/nnloop_start/enable", "0");
	power_write(self->fd, "control", self->control);
	set_hang_timeout(self->hang_timeout);
	set_parameter(SLICE_PARAMETER, self->slice);
	set_parameter(LIMIT_PARAMETER, self->limit);
	close(self->fd);
	close(self->other);
	free(self->slow);
}

static int gang_submit(struct queue *queue, const struct drm_nnloop_pass *passes, __u32 pass_count,
		       __u32 workers, __u64 *point)
{
	queue->workers = workers;
	return queue_submit(queue, passes, pass_count, point);
}

static int gang_run(struct queue *queue, const struct drm_nnloop_pass *passes, __u32 pass_count,
		    __u32 workers, struct drm_nnloop_status *status)
{
	__u64 point;
	int ret = gang_submit(queue, passes, pass_count, workers, &point);

	return ret ?: queue_wait(queue, point, status);
}

/* A job of all workers that runs until it is cancelled, in so many passes; it is on them. */
static int gang_start(struct _test_data_gang *self, __u32 pass_count, __u64 *point)
{
	int ret = gang_submit(&self->queue, self->slow->passes, pass_count, self->count, point);

	return ret ?: queue_poll_state(&self->queue, *point, DRM_NNLOOP_JOB_RUNNING);
}

/* How often a worker has got a job, or its share of one, as one of so many. */
static unsigned int count_starts(struct _test_data_gang *self, unsigned int of)
{
	unsigned int found = 0;
	char key[16];
	char *at;

	snprintf(key, sizeof(key), " of %u\n", of);
	if (file_read(TRACEFS "/trace", self->text, sizeof(self->text)))
		return 0;
	for (at = self->text; (at = strstr(at, key)); at++)
		found++;
	return found;
}

static void forget_starts(void)
{
	file_write(TRACEFS "/trace", "");
}

/* All workers take jobs, and together come to the right bytes. */
static void expect_good_work(struct __test_metadata *_metadata, struct _test_data_gang *self)
{
	struct drm_nnloop_status status;
	struct blockade blockade;
	unsigned int i;
	struct queue queue;

	ASSERT_TRUE(workers_become_idle(self));
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	memset(self->data.map + BYTES, 0, 2 * BYTES);
	ASSERT_EQ(0, gang_run(&queue, self->passes, 3, self->count, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(3, status.passes_done);
	EXPECT_EQ(BYTES, turned(&self->data));
	ASSERT_EQ(0, queue_destroy(&queue));
	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	ASSERT_EQ(0, workers_release(&blockade));
	for (i = 0; i < blockade.count; i++)
		ASSERT_EQ(0, queue_wait(&blockade.queue[i], 1, &status));
	for (i = 0; i < blockade.count; i++)
		ASSERT_EQ(0, queue_destroy(&blockade.queue[i]));
	bo_free(&blockade.endless.code.bo);
	bo_close(&blockade.endless.data);
}

/* With any number of workers, and each of them has had its share. */
TEST_F(gang, same_bytes)
{
	struct drm_nnloop_status status;
	unsigned int workers, i;

	for (workers = 0; workers <= self->count; workers++) {
		for (i = 1; i < 20; i++) {
			memset(self->data.map + BYTES, 0, 2 * BYTES);
			forget_starts();
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
	forget_starts();
	ASSERT_EQ(0, gang_run(&self->queue, self->passes, 3, self->count, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, count_starts(self, 1));
	ASSERT_EQ(0, queue_create(self->other, &blockade.queue[0]));
	ASSERT_EQ(0, endless_start(&blockade.endless, &blockade.queue[0], &point));

	/* As many jobs as there are workers, each of which could use all. */
	for (i = 0; i < self->count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		ASSERT_EQ(0, gang_submit(&queue[i], self->slow->passes, SLOW_PASSES, self->count,
					 &point));
	}
	forget_starts();
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
	enum { PASSES = 300 };
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

/* The job has the error and address of the one whose share it was, and only its queue is lost. */
TEST_F(gang, one_faults)
{
	const unsigned int pages = 2 * self->count;
	struct drm_nnloop_status status;
	struct program program;
	struct queue queue;
	struct code code;
	struct bo from, to;
	unsigned int i, op;
	__u64 point;

	/* Two blocks for each worker, a page apart: the last one's are behind the buffer. */
	ASSERT_EQ(0, bo_new(self->fd, 4096, &from));
	ASSERT_EQ(0, bo_new(self->fd, (pages - 1) * 4096, &to));
	program_init(&program);
	i = program_rows(&program, program_region(&program, from.iova, 4096, 0), 1, 4096);
	op = program_copy(&program, i,
			  program_rows(&program, program_region(&program, to.iova, pages * 4096,
								NN_REGION_WRITABLE),
				       1, pages * 4096));
	program.op[op].copy = (struct nn_copy_params){
		.count = pages, .block = 128, .src_stride = 128, .dst_stride = 4096,
	};
	/* Behind it is more to do, for all of them. */
	for (i = 0; i < 20; i++)
		program.op[program.header.op_count++] = program.op[op];
	ASSERT_EQ(0, code_new(self->fd, &program, &code));
	for (i = 1; i <= self->count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, gang_run(&queue, &code.pass, 1, i, &status));
		EXPECT_EQ(-EFAULT, status.error);
		EXPECT_EQ(0, status.fail_op);
		EXPECT_EQ(0, status.passes_done);
		EXPECT_EQ(DRM_NNLOOP_ACCESS_WRITE, status.fault_access);
		EXPECT_EQ(to.iova + (pages - 1) * 4096, status.fault_address);
		EXPECT_EQ(-ECANCELED, gang_submit(&queue, self->passes, 1, i, &point));
		ASSERT_EQ(0, queue_destroy(&queue));
	}
	expect_good_work(_metadata, self);
}

TEST_F(gang, cancel)
{
	struct drm_nnloop_status status;
	struct endless endless;
	unsigned int i;
	__u64 point;

	ASSERT_EQ(0, endless_new(self->fd, &endless));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, gang_submit(&self->queue, &endless.code.pass, 1, self->count, &point));
		if (i % 2)
			sleep_ms(i);
		ASSERT_EQ(0, queue_cancel(&self->queue));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		EXPECT_EQ(-ECANCELED, status.error);
		EXPECT_EQ(0, status.passes_done);
	}
	/* A cancel loses no queue. */
	ASSERT_EQ(0, gang_run(&self->queue, self->passes, 2, self->count, &status));
	EXPECT_EQ(0, status.error);
	expect_good_work(_metadata, self);
}

/*
 * Nothing has ended before the last of them has: one that stands still while the others wait for
 * it, are cancelled and have ended. Its memory is there until then.
 */
TEST_F(gang, ends_with_the_last)
{
	struct drm_nnloop_status status;
	unsigned int worker;
	__u64 point;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be stopped");
	for (worker = 0; worker < self->count; worker++) {
		ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
		ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 1));
		ASSERT_EQ(0, vmctl("stop worker %u", worker));
		ASSERT_EQ(0, queue_cancel(&self->queue));
		EXPECT_EQ(-ETIME, syncobj_wait(self->fd, self->queue.syncobj, point, 0.5));
		ASSERT_EQ(0, queue_status(&self->queue, point, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
		/* None of its workers has anything else to do meanwhile. */
		ASSERT_EQ(0, queue_submit(&self->queue_of_other, &self->code_of_other.pass, 1,
					  &point));
		sleep_ms(100);
		ASSERT_EQ(0, queue_status(&self->queue_of_other, point, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
		ASSERT_EQ(0, vmctl("continue worker %u", worker));
		ASSERT_EQ(0, queue_wait(&self->queue, worker + 1, &status));
		EXPECT_EQ(-ECANCELED, status.error);
		ASSERT_EQ(0, queue_wait(&self->queue_of_other, point, &status));
		EXPECT_EQ(0, status.error);
	}
	expect_good_work(_metadata, self);
}

/* Any of them dies: the job is lost, and that one alone is started again. */
TEST_F(gang, one_dies)
{
	struct drm_nnloop_status status;
	struct queue queue;
	unsigned int worker;
	__u64 point;
	__s64 end;
	int before;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be killed");
	for (worker = 0; worker < self->count; worker++) {
		ASSERT_TRUE(workers_become_idle(self));
		before = debugfs_restarts(self->fd);
		ASSERT_LE(0, before);
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, gang_submit(&queue, self->slow->passes, SLOW_PASSES, self->count,
					 &point));
		ASSERT_EQ(0, queue_poll_passes(&queue, point, 1));
		ASSERT_EQ(0, vmctl("kill worker %u", worker));
		ASSERT_EQ(0, queue_wait(&queue, point, &status));
		EXPECT_EQ(-EIO, status.error);
		EXPECT_LE(1, status.passes_done);
		EXPECT_GT(SLOW_PASSES, status.passes_done);
		ASSERT_EQ(0, queue_destroy(&queue));
		end = deadline_ns(WAIT_SECONDS);
		while (debugfs_restarts(self->fd) == before && deadline_ns(0) < end)
			sleep_ms(2);
		expect_good_work(_metadata, self);
		EXPECT_EQ(before + 1, debugfs_restarts(self->fd));
	}
}

/* Any of them hangs, and the others with it, as they wait for it. */
TEST_F(gang, one_hangs)
{
	struct drm_nnloop_status status;
	struct queue queue;
	unsigned int worker;
	__u64 point;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be stopped");
	for (worker = 0; worker < self->count; worker++) {
		ASSERT_TRUE(workers_become_idle(self));
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, gang_submit(&queue, self->slow->passes, SLOW_PASSES, self->count,
					 &point));
		ASSERT_EQ(0, queue_poll_passes(&queue, point, 1));
		ASSERT_EQ(0, vmctl("stop worker %u", worker));
		ASSERT_LT(0, set_hang_timeout(HANG_MS));
		ASSERT_EQ(0, queue_wait(&queue, point, &status));
		EXPECT_EQ(-ETIMEDOUT, status.error);
		ASSERT_LT(0, set_hang_timeout(PATIENT_MS));
		ASSERT_EQ(0, queue_destroy(&queue));
		expect_good_work(_metadata, self);
	}
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
	sleep_ms(2 * HANG_MS);
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
	sleep_ms(1000);
	together = engine_ns(self->fd) - begin;
	alone = deadline_ns(0) - time;
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	TH_LOG("%lld ms of %u workers in %lld ms", together / 1000000, self->count,
	       alone / 1000000);
	EXPECT_GE(alone * self->count, together);
	/* It began within the first of these. */
	EXPECT_GE(together, 900000000ll * self->count);
	EXPECT_LE(together, engine_ns(self->fd) - begin);
}

/* A pass that keeps others waiting is one pass, and ends on all of them. */
TEST_F(gang, pass_limit)
{
	struct drm_nnloop_status status;
	struct endless endless;
	__u64 point;

	ASSERT_EQ(0, endless_new(self->fd, &endless));
	ASSERT_EQ(0, set_parameter(LIMIT_PARAMETER, 500));
	ASSERT_EQ(0, gang_submit(&self->queue, &endless.code.pass, 1, self->count, &point));
	ASSERT_EQ(0, queue_poll_state(&self->queue, point, DRM_NNLOOP_JOB_RUNNING));
	ASSERT_EQ(0, queue_run(&self->queue_of_other, &self->code_of_other.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ETIMEDOUT, status.error);
	expect_good_work(_metadata, self);
}

struct changer {
	struct nn_program *program;
	struct nn_program_op *op;	/* the second and third, which workers meet between */
	bool end;
};

static void *change_program(void *opaque)
{
	struct changer *changer = opaque;
	__u32 ops = changer->program->op_count, block[2], i, k;

	for (k = 0; k < 2; k++)
		block[k] = changer->op[k].copy.block;
	for (i = 0; !__atomic_load_n(&changer->end, __ATOMIC_RELAXED); i++) {
		/* With fewer operators the size is wrong. */
		__atomic_store_n(&changer->program->op_count, ops - !(i % 64), __ATOMIC_RELAXED);
		/* And of such blocks the first worker makes both. */
		for (k = 0; k < 2; k++)
			__atomic_store_n(&changer->op[k].copy.block, i % 2 ? block[k] : 64,
					 __ATOMIC_RELAXED);
	}
	changer->program->op_count = ops;
	for (k = 0; k < 2; k++)
		changer->op[k].copy.block = block[k];
	return NULL;
}

/*
 * A client that changes its program while the workers read it: they may have found different ones.
 * That is its own job's end, and nothing waits for ever.
 */
TEST_F(gang, program_changes)
{
	struct nn_program_op *end = (void *)(self->code.bo.map + self->code.pass.program_size);
	struct changer changer = {
		.program = (void *)self->code.bo.map,
		.op = end - 2 * STEPS,
	};
	unsigned int i, good = 0, refused = 0, apart = 0;
	struct drm_nnloop_status status;
	struct queue queue;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, change_program, &changer));
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, gang_run(&queue, self->passes, 1 + i % 3, self->count, &status));
		good += !status.error;
		refused += status.error == -EINVAL;
		apart += status.error == -EIO;
		EXPECT_TRUE(!status.error || status.error == -EINVAL || status.error == -EIO)
			TH_LOG("%d", status.error);
		ASSERT_EQ(0, queue_destroy(&queue));
	}
	__atomic_store_n(&changer.end, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TH_LOG("%u ended well, %u were refused, in %u workers did not agree", good, refused, apart);
	expect_good_work(_metadata, self);
}

/* The client goes, with a job on all of them. */
TEST_F(gang, client_closes)
{
	struct drm_nnloop_status status;
	struct queue queue;
	struct slow *slow;
	unsigned int i;
	__u64 point;
	int fd;

	slow = malloc(sizeof(*slow));
	ASSERT_NE(NULL, slow);
	for (i = 0; i < 10; i++) {
		fd = device_open();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, slow_new(fd, slow));
		ASSERT_EQ(0, queue_create(fd, &queue));
		ASSERT_EQ(0, gang_submit(&queue, slow->passes, SLOW_PASSES, self->count, &point));
		ASSERT_EQ(0, queue_poll_state(&queue, point, DRM_NNLOOP_JOB_RUNNING));
		bo_unmap(&slow->code.bo);
		close(fd);
		ASSERT_EQ(0, gang_run(&self->queue, self->passes, 1, self->count, &status));
		EXPECT_EQ(0, status.error);
	}
	free(slow);
	expect_good_work(_metadata, self);
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

/* The board is taken out: the fence signals, once all workers have been stopped. */
TEST_F(gang, unplug)
{
	struct drm_nnloop_status status;
	struct queue queue;
	__u64 point;
	__s64 end;
	int fd;

	ASSERT_EQ(0, find_pci_device());
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	ASSERT_EQ(0, driver_unbind());
	EXPECT_EQ(-ENODEV, queue_status(&self->queue, point, &status));
	EXPECT_EQ(-ENODEV, gang_submit(&self->queue, self->passes, 1, self->count, &point));
	ASSERT_EQ(0, driver_bind());
	end = deadline_ns(WAIT_SECONDS);
	while ((fd = device_open()) < 0 && deadline_ns(0) < end)
		sleep_ms(10);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, slow_new(fd, self->slow));
	ASSERT_EQ(0, queue_create(fd, &queue));
	ASSERT_EQ(0, gang_run(&queue, self->slow->passes, 3, self->count, &status));
	EXPECT_EQ(0, status.error);
	close(fd);
}

TEST_HARNESS_MAIN
