/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fixture for tests of jobs that several workers run together: two clients, a job that is the
 * same bytes whoever runs it, and one that runs until it is cancelled.
 */
#ifndef NNLOOP_TEST_GANG_H
#define NNLOOP_TEST_GANG_H

#include "kselftest_harness.h"

#include <sys/mount.h>

#include "debugfs.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define TRACEFS		"/sys/kernel/tracing"
#define HANG_MS		2000	/* for tests of hangs */
#define PATIENT_MS	20000	/* for others: this machine may have much else to do */
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
	int starts;				/* what the trace has of them, as it comes */
	char text[65536];
};

/* Returns by how many bytes a step turns them. */
static inline __u32 turn(unsigned int step)
{
	return (4096 + step * 8320) % BYTES;
}

/*
 * Copies the source and turns it around, from one buffer to the other: workers read what others
 * have written, and overwrite what others have read.
 */
static inline void program_init_turn(struct program *program, __u64 iova)
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

/* Returns how many of the bytes are where they should be. */
static inline size_t turned(const struct bo *data)
{
	const __u8 *to = data->map + (1 + STEPS % 2) * BYTES;
	__u32 by = 0, i;

	for (i = 0; i < STEPS; i++)
		by += turn(i);
	for (i = 0; i < BYTES && to[i] == data->map[(i + by) % BYTES]; i++)
		;
	return i;
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
	ASSERT_EQ(0, power_stay_awake(self->fd, self->control, sizeof(self->control)));
	ASSERT_EQ(0, workers_wait_idle(self->fd));
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
	self->starts = open(TRACEFS "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->starts);
	ASSERT_EQ(0, file_write(TRACEFS "/events/nnloop/nnloop_start/enable", "1"));
}

FIXTURE_TEARDOWN(gang)
{
	if (self->slice < 0)
		return;
	file_write(TRACEFS "/events/nnloop/nnloop_start/enable", "0");
	close(self->starts);
	power_write(self->fd, "control", self->control);
	set_hang_timeout(self->hang_timeout);
	set_parameter(SLICE_PARAMETER, self->slice);
	set_parameter(LIMIT_PARAMETER, self->limit);
	close(self->fd);
	close(self->other);
	free(self->slow);
}

/*
 * The worker that is harmed after this one: the first and the last of a job's workers are not like
 * those between them, which are all alike.
 */
static inline unsigned int next_worker(const struct _test_data_gang *self, unsigned int worker)
{
	if (worker || test_all() || self->count < 3)
		return worker + 1;
	return self->count - 1;
}

static inline int gang_submit(struct queue *queue, const struct drm_nnloop_pass *passes,
			      __u32 pass_count, __u32 workers, __u64 *point)
{
	queue->workers = workers;
	return queue_submit(queue, passes, pass_count, point);
}

static inline int gang_run(struct queue *queue, const struct drm_nnloop_pass *passes,
			   __u32 pass_count, __u32 workers, struct drm_nnloop_status *status)
{
	__u64 point;
	int ret = gang_submit(queue, passes, pass_count, workers, &point);

	return ret ?: queue_wait(queue, point, status);
}

/* A job of all workers that runs until it is cancelled, in so many passes; it is on them. */
static inline int gang_start(struct _test_data_gang *self, __u32 pass_count, __u64 *point)
{
	int ret = gang_submit(&self->queue, self->slow->passes, pass_count, self->count, point);

	return ret ?: queue_poll_state(&self->queue, *point, DRM_NNLOOP_JOB_RUNNING);
}

/* All workers take jobs, and together come to the right bytes. */
static inline void expect_good_work(struct __test_metadata *_metadata,
				    struct _test_data_gang *self)
{
	struct drm_nnloop_status status;
	struct blockade blockade;
	unsigned int i;
	struct queue queue;

	ASSERT_EQ(0, workers_wait_idle(self->fd));
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

#endif
