// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that do something: the DSP really moves the bytes, passes and jobs run in the order that the
 * interface promises, and clients see each other's memory under no address.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "program.h"

#define GUARD 0xa5

FIXTURE(exec) {
	int fd;
	struct queue queue;
	struct code code;
};

FIXTURE_SETUP(exec)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
}

FIXTURE_TEARDOWN(exec)
{
	close(self->fd);
}

/* Any size, from and to any byte; what is beside it stays. */
TEST_F(exec, copy)
{
	static const struct {
		__u32 size, from, to;
	} want[] = {
		{ 1, 0, 0 }, { 1, 4095, 4096 }, { 2, 127, 4095 }, { 127, 1, 2 }, { 128, 0, 64 },
		{ 129, 3, 127 }, { 4096, 0, 4096 }, { 4097, 4095, 1 }, { 100000, 5, 777 },
		{ (1 << 20) + 13, 4000, 8001 },
	};
	const size_t room = (1 << 20) + 16384;
	struct drm_nnloop_status status;
	struct program program;
	struct bo from, to;
	size_t i;

	ASSERT_EQ(0, bo_new(self->fd, room, &from));
	ASSERT_EQ(0, bo_new(self->fd, room, &to));
	pattern_fill(from.map, from.size, 1);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		__u32 size = want[i].size, end = want[i].to + size;

		memset(to.map, GUARD, to.size);
		program_init_copy(&program, from.iova, to.iova, size);
		program.region[0].size = from.size;
		program.region[1].size = to.size;
		program.tensor[0].offset = want[i].from;
		program.tensor[1].offset = want[i].to;
		code_write(&self->code, &program);
		ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
		ASSERT_EQ(0, status.error);
		EXPECT_EQ(want[i].to, value_match(to.map, want[i].to, GUARD));
		EXPECT_EQ(0, memcmp(to.map + want[i].to, from.map + want[i].from, size))
			TH_LOG("%u bytes from %u to %u", size, want[i].from, want[i].to);
		EXPECT_EQ(to.size - end, value_match(to.map + end, to.size - end, GUARD));
	}
	EXPECT_EQ(from.size, pattern_match(from.map, from.size, 1));
}

TEST_F(exec, status_of_success)
{
	struct drm_nnloop_status status;
	struct bo bo;

	ASSERT_EQ(0, bo_new(self->fd, 8192, &bo));
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, bo.iova, bo.iova + 4096, 4096, &status));
	EXPECT_EQ(self->queue.id, status.queue);
	EXPECT_EQ(1, status.point);
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, status.passes_done);
	EXPECT_EQ(NO_OP, status.fail_op);
	EXPECT_EQ(0, status.fail_reason);
	EXPECT_EQ(0, status.fault_access);
	EXPECT_EQ(0, status.fault_address);
}

/*
 * Row i is copied to row i + 1, pass by pass: only in this order does the first row arrive at the
 * end. One program, told by its arguments where it is.
 */
TEST_F(exec, passes_in_order)
{
	enum { PASSES = 1023, ROW = 256 };
	struct drm_nnloop_pass *passes = calloc(PASSES, sizeof(*passes));
	struct drm_nnloop_status status;
	struct program program;
	struct bo bo;
	int i, round;

	ASSERT_NE(NULL, passes);
	ASSERT_EQ(0, bo_new(self->fd, (PASSES + 1) * ROW, &bo));
	program_init_rows(&program, bo.iova, bo.iova, PASSES + 1, ROW);
	code_write(&self->code, &program);
	for (round = 1; round <= 3; round++) {
		for (i = 0; i < PASSES; i++)
			passes[i] = code_rows(&self->code, i, 1, i + 1);
		pattern_fill(bo.map, ROW, round);
		ASSERT_EQ(0, queue_run(&self->queue, passes, PASSES, &status));
		ASSERT_EQ(0, status.error);
		EXPECT_EQ(PASSES, status.passes_done);
		EXPECT_EQ(ROW, pattern_match(bo.map + PASSES * ROW, ROW, round));
	}
	free(passes);
}

/* The same with a program of its own for every pass, more of them than anything may cache. */
TEST_F(exec, many_programs_in_one_job)
{
	enum { PASSES = 300, ROW = 128 };
	struct drm_nnloop_pass *passes = calloc(PASSES, sizeof(*passes));
	const size_t stride = 512;
	struct drm_nnloop_status status;
	struct program program;
	struct bo data, code;
	int i;

	ASSERT_NE(NULL, passes);
	ASSERT_EQ(0, bo_new(self->fd, (PASSES + 1) * ROW, &data));
	ASSERT_EQ(0, bo_new(self->fd, PASSES * stride, &code));
	for (i = 0; i < PASSES; i++) {
		program_init_copy(&program, data.iova + i * ROW, data.iova + (i + 1) * ROW, ROW);
		passes[i].program = code.iova + i * stride;
		passes[i].program_size = program_write(&program, code.map + i * stride);
		ASSERT_GE(stride, passes[i].program_size);
	}
	pattern_fill(data.map, ROW, 11);
	ASSERT_EQ(0, queue_run(&self->queue, passes, PASSES, &status));
	ASSERT_EQ(0, status.error);
	EXPECT_EQ(PASSES, status.passes_done);
	EXPECT_EQ(ROW, pattern_match(data.map + PASSES * ROW, ROW, 11));
	free(passes);
}

/* A program that was changed between two jobs is the changed one. */
TEST_F(exec, programs_are_not_kept_over_jobs)
{
	struct drm_nnloop_status status;
	struct bo bo;
	int i;

	ASSERT_EQ(0, bo_new(self->fd, 65536, &bo));
	for (i = 1; i < 16; i++) {
		pattern_fill(bo.map, 4096, i);
		ASSERT_EQ(0, run_copy(&self->queue, &self->code, bo.iova, bo.iova + i * 4096, 4096,
				      &status));
		EXPECT_EQ(4096, pattern_match(bo.map + i * 4096, 4096, i));
	}
}

/* first, rows, out_first; no rows at all is a pass like any other. */
TEST_F(exec, arguments)
{
	enum { ROWS = 10, ROW = 100 };
	static const struct {
		__u32 first, rows, out_first;
	} want[] = {
		{ 0, 10, 0 }, { 3, 4, 5 }, { 9, 1, 0 }, { 0, 1, 9 }, { 5, 0, 0 }, { 10, 0, 10 },
	};
	struct drm_nnloop_status status;
	struct drm_nnloop_pass pass;
	struct program program;
	struct bo from, to;
	size_t i, k;

	ASSERT_EQ(0, bo_new(self->fd, 4096, &from));
	ASSERT_EQ(0, bo_new(self->fd, 4096, &to));
	program_init_rows(&program, from.iova, to.iova, ROWS, ROW);
	program.region[0].size = 1024;
	program.region[1].size = 1024;
	code_write(&self->code, &program);
	pattern_fill(from.map, from.size, 2);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		memset(to.map, GUARD, to.size);
		pass = code_rows(&self->code, want[i].first, want[i].rows, want[i].out_first);
		ASSERT_EQ(0, queue_run(&self->queue, &pass, 1, &status));
		ASSERT_EQ(0, status.error);
		EXPECT_EQ(1, status.passes_done);
		for (k = 0; k < to.size; k++) {
			size_t row = k / ROW - want[i].out_first;
			__u8 expected = GUARD;

			if (k >= want[i].out_first * ROW && row < want[i].rows)
				expected = from.map[(want[i].first + row) * ROW + k % ROW];

			ASSERT_EQ(expected, to.map[k])
				TH_LOG("case %zu, byte %zu", i, k);
		}
	}
}

/* The board's counters, in a buffer that the pass names. */
TEST_F(exec, profile)
{
	struct nn_profile_record *record;
	struct drm_nnloop_status status;
	struct drm_nnloop_pass passes[3];
	struct program program;
	struct bo bo, profile;
	int i;

	ASSERT_EQ(0, bo_new(self->fd, 8192, &bo));
	ASSERT_EQ(0, bo_new(self->fd, 4096, &profile));
	record = (void *)profile.map;
	program_init_copy(&program, bo.iova, bo.iova + 4096, 4096);
	code_write(&self->code, &program);
	for (i = 0; i < 3; i++) {
		passes[i] = self->code.pass;
		passes[i].arg_count = NN_ARG_PROFILE + 1;
		passes[i].args[NN_ARG_PROFILE] = profile.iova;
	}
	ASSERT_EQ(0, queue_run(&self->queue, passes, 3, &status));
	ASSERT_EQ(0, status.error);
	EXPECT_EQ(3, record[0].calls);
	EXPECT_EQ(3, record[1].calls);
	EXPECT_LT(0, record[1].packets);
	EXPECT_LE(record[1].packets, record[0].packets);
	EXPECT_LE(record[1].packets, record[1].instructions);
	/* Nothing after the program's last operator. */
	EXPECT_EQ(profile.size - 2 * sizeof(*record),
		  value_match(profile.map + 2 * sizeof(*record),
			      profile.size - 2 * sizeof(*record), 0));
}

/* Jobs of one queue, one after another, with no wait in between. */
TEST_F(exec, jobs_in_order)
{
	enum { JOBS = 400, ROW = 4096 };
	struct drm_nnloop_status status;
	struct program program;
	struct bo bo;
	__u64 point;
	int i;

	ASSERT_EQ(0, bo_new(self->fd, (JOBS + 1) * ROW, &bo));
	program_init_rows(&program, bo.iova, bo.iova, JOBS + 1, ROW);
	code_write(&self->code, &program);
	pattern_fill(bo.map, ROW, 21);
	for (i = 0; i < JOBS; i++) {
		struct drm_nnloop_pass pass = code_rows(&self->code, i, 1, i + 1);

		ASSERT_EQ(0, queue_submit(&self->queue, &pass, 1, &point));
		ASSERT_EQ(i + 1, point);
	}
	ASSERT_EQ(0, queue_wait(&self->queue, JOBS, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(ROW, pattern_match(bo.map + JOBS * ROW, ROW, 21));
	EXPECT_EQ(0, syncobj_query(self->fd, self->queue.syncobj, &point));
	EXPECT_EQ(JOBS, point);
}

/* The same over several queues, where only the syncobjs make an order. */

static void chain_over_queues(struct __test_metadata *_metadata, int fd, struct code *code,
			      bool timeline)
{
	enum { JOBS = 60, QUEUES = 5, ROW = 65536 };
	struct drm_nnloop_sync wait, signal = { 0 };
	struct drm_nnloop_status status;
	struct queue queue[QUEUES];
	struct program program;
	__u32 syncobj[JOBS];
	__u64 point;
	struct bo bo;
	int i;

	ASSERT_EQ(0, bo_new(fd, (JOBS + 1) * ROW, &bo));
	program_init_rows(&program, bo.iova, bo.iova, JOBS + 1, ROW);
	code_write(code, &program);
	pattern_fill(bo.map, ROW, 31);
	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, queue_create(fd, &queue[i]));
	for (i = 0; i < JOBS; i++)
		ASSERT_EQ(0, syncobj_create(fd, &syncobj[i]));

	for (i = 0; i < JOBS; i++) {
		struct drm_nnloop_pass pass = code_rows(code, i, 1, i + 1);

		wait = signal;
		if (timeline)
			signal = (struct drm_nnloop_sync){ .handle = syncobj[0],
							   .point = 10 * (i + 1) };
		else
			signal = (struct drm_nnloop_sync){ .handle = syncobj[i] };
		ASSERT_EQ(0, queue_submit_syncs(&queue[i % QUEUES], &pass, 1, &wait, i ? 1 : 0,
						&signal, 1, &point));
		ASSERT_EQ(i / QUEUES + 1, point);
	}
	ASSERT_EQ(0, syncobj_wait(fd, signal.handle, signal.point, WAIT_SECONDS));
	EXPECT_EQ(ROW, pattern_match(bo.map + JOBS * ROW, ROW, 31));
	ASSERT_EQ(0, queue_status(&queue[(JOBS - 1) % QUEUES], point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	EXPECT_EQ(0, status.error);
}

TEST_F(exec, queues_ordered_by_binary_syncobjs)
{
	chain_over_queues(_metadata, self->fd, &self->code, false);
}

TEST_F(exec, queues_ordered_by_a_timeline)
{
	chain_over_queues(_metadata, self->fd, &self->code, true);
}

/* Wait for a queue's own timeline from another queue, also for a point long gone. */
TEST_F(exec, wait_for_a_queue)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	struct drm_nnloop_sync wait;
	struct program program;
	struct queue other;
	struct bo bo;
	__u64 point, slow_point;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, bo_new(self->fd, 8192, &bo));
	ASSERT_EQ(0, queue_create(self->fd, &other));
	program_init_copy(&program, bo.iova, bo.iova + 4096, 4096);
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &slow_point));

	wait = (struct drm_nnloop_sync){ .handle = self->queue.syncobj, .point = 1 };
	ASSERT_EQ(0, queue_submit_syncs(&other, &self->code.pass, 1, &wait, 1, NULL, 0, &point));
	ASSERT_EQ(0, queue_wait(&other, point, &status));
	EXPECT_EQ(0, status.error);

	/* One pass after it, of a job that waits for the slow one. */
	wait.point = slow_point;
	pattern_fill(bo.map, 4096, 41);
	ASSERT_EQ(0, queue_submit_syncs(&other, &self->code.pass, 1, &wait, 1, NULL, 0, &point));
	sleep_ms(50);
	ASSERT_EQ(0, queue_status(&other, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
	EXPECT_EQ(4096, value_match(bo.map + 4096, 4096, 0));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&other, point, &status));
	/* "Or the error of a fence it waited for." */
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(0, status.passes_done);
	free(slow);
}

/* Two clients with the same program, the same addresses, and different bytes there. */

struct client {
	int fd;
	struct queue queue[2];
	struct bo from, to;
	struct code code;
};

static int client_new(struct client *client)
{
	struct program program;
	int ret;

	client->fd = device_open();
	if (client->fd < 0)
		return client->fd;
	ret = bo_new(client->fd, 262144, &client->from);
	ret = ret ?: bo_new(client->fd, 262144, &client->to);
	ret = ret ?: queue_create(client->fd, &client->queue[0]);
	ret = ret ?: queue_create(client->fd, &client->queue[1]);
	program_init_copy(&program, client->from.iova, client->to.iova, 262144);
	return ret ?: code_new(client->fd, &program, &client->code);
}

TEST_F(exec, clients_do_not_see_each_other)
{
	enum { CLIENTS = 4, ROUNDS = 25 };
	struct client client[CLIENTS];
	struct drm_nnloop_status status;
	__u64 point[CLIENTS];
	int i, round;

	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_new(&client[i]));
		/* Else this shows nothing. */
		ASSERT_EQ(client[0].from.iova, client[i].from.iova);
		ASSERT_EQ(client[0].to.iova, client[i].to.iova);
		ASSERT_EQ(client[0].code.bo.iova, client[i].code.bo.iova);
	}
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < CLIENTS; i++) {
			pattern_fill(client[i].from.map, 262144, round * CLIENTS + i);
			ASSERT_EQ(0, queue_submit(&client[i].queue[round % 2],
						  &client[i].code.pass, 1, &point[i]));
		}
		for (i = 0; i < CLIENTS; i++) {
			ASSERT_EQ(0, queue_wait(&client[i].queue[round % 2], point[i], &status));
			ASSERT_EQ(0, status.error);
			EXPECT_EQ(262144, pattern_match(client[i].to.map, 262144,
							round * CLIENTS + i));
		}
	}
	for (i = 0; i < CLIENTS; i++)
		close(client[i].fd);
}

/* Threads of one client submit to one queue at once: every job has a point of its own. */

enum { THREADS = 4, JOBS_PER_THREAD = 50 };

struct submitter {
	struct queue *queue;
	struct drm_nnloop_pass *pass;
	__u64 point[JOBS_PER_THREAD];
	int error;
};

static void *submit_jobs(void *data)
{
	struct submitter *submitter = data;
	int i;

	for (i = 0; i < JOBS_PER_THREAD && !submitter->error; i++)
		submitter->error = queue_submit(submitter->queue, submitter->pass, 1,
						&submitter->point[i]);
	return NULL;
}

TEST_F(exec, threads)
{
	struct submitter submitter[THREADS] = { 0 };
	bool seen[THREADS * JOBS_PER_THREAD + 1] = { 0 };
	struct drm_nnloop_status status;
	pthread_t thread[THREADS];
	struct program program;
	struct bo bo;
	int i, k;

	ASSERT_EQ(0, bo_new(self->fd, 8192, &bo));
	program_init_copy(&program, bo.iova, bo.iova + 4096, 64);
	code_write(&self->code, &program);
	for (i = 0; i < THREADS; i++) {
		submitter[i].queue = &self->queue;
		submitter[i].pass = &self->code.pass;
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, submit_jobs, &submitter[i]));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
		ASSERT_EQ(0, submitter[i].error);
		for (k = 0; k < JOBS_PER_THREAD; k++) {
			ASSERT_LT(0, submitter[i].point[k]);
			ASSERT_GE(THREADS * JOBS_PER_THREAD, submitter[i].point[k]);
			EXPECT_FALSE(seen[submitter[i].point[k]]);
			seen[submitter[i].point[k]] = true;
			if (k)
				EXPECT_LT(submitter[i].point[k - 1], submitter[i].point[k]);
		}
	}
	ASSERT_EQ(0, queue_wait(&self->queue, THREADS * JOBS_PER_THREAD, &status));
	EXPECT_EQ(0, status.error);
}

/* 64 MiB, and pages that are anywhere in memory by now. */
TEST_F(exec, large_buffers)
{
	const __u32 size = 32 << 20;
	struct drm_nnloop_status status;
	struct bo from, to;
	__u32 i;

	ASSERT_EQ(0, bo_new(self->fd, size, &from));
	ASSERT_EQ(0, bo_new(self->fd, size, &to));
	/* A word per page tells every page from every other. */
	for (i = 0; i < size / 4096; i++)
		((__u32 *)from.map)[i * 1024 + 5] = i * 2654435761u + 1;
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, from.iova, to.iova, size, &status));
	for (i = 0; i < size / 4096; i++)
		ASSERT_EQ(i * 2654435761u + 1, ((__u32 *)to.map)[i * 1024 + 5]);
}

TEST_HARNESS_MAIN
