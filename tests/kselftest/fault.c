// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses that the page table forbids: memory that was never there, that was freed, that is
 * another client's, that is sealed. The status names address and direction, nothing next to it is
 * touched, and only the queue that did it is lost.
 */
#include "kselftest_harness.h"

#include "program.h"

#define PAGE	4096
#define GUARD	0xa5
#define READ	DRM_NNLOOP_ACCESS_READ
#define WRITE	DRM_NNLOOP_ACCESS_WRITE

FIXTURE(fault) {
	int fd;
	struct queue queue;
	struct code code;
	struct bo good;		/* four pages */
	struct bo before, victim, after;
	__u64 nowhere;		/* far from every buffer */
};

FIXTURE_SETUP(fault)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	ASSERT_EQ(0, bo_new(self->fd, 4 * PAGE, &self->good));
	ASSERT_EQ(0, bo_new(self->fd, 4 * PAGE, &self->before));
	ASSERT_EQ(0, bo_new(self->fd, 4 * PAGE, &self->victim));
	ASSERT_EQ(0, bo_new(self->fd, 4 * PAGE, &self->after));
	pattern_fill(self->good.map, self->good.size, 1);
	memset(self->before.map, GUARD, self->before.size);
	memset(self->victim.map, GUARD, self->victim.size);
	memset(self->after.map, GUARD, self->after.size);
	self->nowhere = 0xa0000000;
	ASSERT_LT(self->after.iova + 0x1000000, self->nowhere);
}

FIXTURE_TEARDOWN(fault)
{
	close(self->fd);
}

/* A copy that must end with a fault in the page at `page`, on a new queue. */
static void expect_fault(struct __test_metadata *_metadata, int fd, struct code *code, __u64 from,
			 __u64 to, __u32 size, __u64 page, __u32 access)
{
	struct drm_nnloop_status status;
	struct queue queue;

	ASSERT_EQ(0, queue_create(fd, &queue));
	EXPECT_EQ(-EFAULT, run_copy(&queue, code, from, to, size, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	EXPECT_EQ(0, status.passes_done);
	EXPECT_EQ(0, status.fail_op);
	EXPECT_EQ(page, status.fault_address & ~(PAGE - 1ull))
		TH_LOG("fault at %#llx", status.fault_address);
	EXPECT_EQ(access, status.fault_access);
	EXPECT_EQ(0, queue_destroy(&queue));
}

static bool neighbours_are_intact(struct bo *before, struct bo *after)
{
	return value_match(before->map, before->size, GUARD) == before->size &&
	       value_match(after->map, after->size, GUARD) == after->size;
}

TEST_F(fault, read_of_nothing)
{
	memset(self->victim.map, 0x55, 4 * PAGE);
	expect_fault(_metadata, self->fd, &self->code, self->nowhere, self->victim.iova, PAGE,
		     self->nowhere, READ);
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));
	/* The address is the byte's own where the access is by bytes, at its page's start here. */
	expect_fault(_metadata, self->fd, &self->code, 0xdffff000, self->victim.iova, 64,
		     0xdffff000, READ);
}

TEST_F(fault, write_to_nothing)
{
	expect_fault(_metadata, self->fd, &self->code, self->good.iova, self->nowhere, PAGE,
		     self->nowhere, WRITE);
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));
	EXPECT_EQ(4 * PAGE, pattern_match(self->good.map, 4 * PAGE, 1));
}

/* Whatever else there is, the page behind a buffer is nobody's. */
TEST_F(fault, past_the_end)
{
	expect_fault(_metadata, self->fd, &self->code, self->good.iova, self->victim.iova,
		     5 * PAGE, self->good.iova + 4 * PAGE, READ);
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));

	memset(self->victim.map, GUARD, 4 * PAGE);
	expect_fault(_metadata, self->fd, &self->code, self->good.iova,
		     self->victim.iova + 2 * PAGE, 3 * PAGE, self->victim.iova + 4 * PAGE, WRITE);
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));
	EXPECT_EQ(2 * PAGE, value_match(self->victim.map, 2 * PAGE, GUARD));
}

/* Through the tensors of a valid program, one byte too far. */
TEST_F(fault, address_of_one_byte)
{
	struct drm_nnloop_status status;
	struct program program;

	program_init_copy(&program, self->good.iova, self->victim.iova, 1);
	program.region[0].size = 5 * PAGE;
	program.tensor[0].offset = 4 * PAGE;
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(self->good.iova + 4 * PAGE, status.fault_address);
	EXPECT_EQ(READ, status.fault_access);
	/* What the job itself may write is of unspecified value then; the rest is not. */
	EXPECT_EQ(4 * PAGE - 1, value_match(self->victim.map + 1, 4 * PAGE - 1, GUARD));
}

TEST_F(fault, freed_buffer)
{
	struct drm_nnloop_status status;
	struct queue queue;
	struct bo bo;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, bo_create(self->fd, 16 * PAGE, 0, &bo));
		/* The worker knows its pages by now. */
		ASSERT_EQ(0, run_copy(&queue, &self->code, bo.iova, bo.iova + 8 * PAGE, 8 * PAGE,
				      &status));
		ASSERT_EQ(0, bo_close(&bo));
		expect_fault(_metadata, self->fd, &self->code, bo.iova + 3 * PAGE,
			     self->victim.iova, PAGE, bo.iova + 3 * PAGE, READ);
		expect_fault(_metadata, self->fd, &self->code, self->good.iova, bo.iova, PAGE,
			     bo.iova, WRITE);
		ASSERT_EQ(0, queue_destroy(&queue));
	}
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));
}

/* The freed pages are another client's by now: no stale translation may reach them. */
TEST_F(fault, freed_pages_of_a_new_owner)
{
	const __u64 size = 4 << 20;
	struct drm_nnloop_status status;
	struct bo bo, theirs[4];
	int other = device_open();
	__u64 page;
	int i;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, bo_create(self->fd, size, 0, &bo));
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, bo.iova, bo.iova + size / 2, size / 2,
			      &status));
	ASSERT_EQ(0, bo_close(&bo));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, bo_new(other, size, &theirs[i]));
		memset(theirs[i].map, GUARD, size);
	}
	for (page = 0; page < size; page += size / 16)
		expect_fault(_metadata, self->fd, &self->code, self->good.iova, bo.iova + page,
			     PAGE, bo.iova + page, WRITE);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(size, value_match(theirs[i].map, size, GUARD));
	close(other);
}

/* A buffer that is closed while a job works on it: the job may fault, but hits nobody. */
TEST_F(fault, closed_while_in_use)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	struct bo theirs[8];
	struct queue queue;
	int other = device_open();
	__u64 point;
	int i, round;

	ASSERT_NE(NULL, slow);
	ASSERT_LE(0, other);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, slow_new(self->fd, slow));
		ASSERT_EQ(0, slow_start(slow, &queue, &point));
		sleep_ms(30);
		ASSERT_EQ(0, bo_close(&slow->data));
		ASSERT_EQ(0, bo_close(&slow->code.bo));
		for (i = 0; i < 8; i++) {
			ASSERT_EQ(0, bo_new(i & 1 ? other : self->fd, SLOW_BYTES, &theirs[i]));
			memset(theirs[i].map, GUARD, SLOW_BYTES);
		}
		sleep_ms(30);
		ASSERT_EQ(0, queue_cancel(&queue));
		ASSERT_EQ(0, queue_wait(&queue, point, &status));
		EXPECT_TRUE(status.error == -ECANCELED || status.error == -EFAULT)
			TH_LOG("error %d", status.error);
		for (i = 0; i < 8; i++) {
			EXPECT_EQ(SLOW_BYTES, value_match(theirs[i].map, SLOW_BYTES, GUARD));
			bo_free(&theirs[i]);
		}
		ASSERT_EQ(0, queue_destroy(&queue));
	}
	close(other);
	free(slow);
}

/*
 * The same while most of the jobs that work on it are left off: each goes on with the translations
 * of that moment, on whatever worker, and faults. Until the last has, nobody gets the pages.
 */
TEST_F(fault, closed_while_left_off)
{
	enum { MOST_JOBS = 12, BOS = 8 };
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct queue queue[MOST_JOBS];
	struct blockade blockade;
	struct bo theirs[BOS];
	int other = device_open();
	unsigned int i, jobs;
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, device_query(self->fd, &info));
	jobs = info.worker_count + 4;
	ASSERT_GE(MOST_JOBS, jobs);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	for (i = 0; i < jobs; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		ASSERT_EQ(0, slow_submit(slow, &queue[i], &point));
	}
	for (i = 0; i < jobs; i++)
		ASSERT_EQ(0, queue_poll_passes(&queue[i], 1, 1));
	ASSERT_EQ(0, bo_close(&slow->data));
	for (i = 0; i < BOS; i++) {
		ASSERT_EQ(0, bo_new(i & 1 ? other : self->fd, SLOW_BYTES, &theirs[i]));
		memset(theirs[i].map, GUARD, SLOW_BYTES);
	}
	/* The last job would keep a worker, as its client's share: high priority has all. */
	ASSERT_EQ(0, workers_block_priority(other, DRM_NNLOOP_PRIORITY_HIGH, &blockade));
	ASSERT_EQ(0, workers_release(&blockade));
	for (i = 0; i < jobs; i++) {
		ASSERT_EQ(0, queue_wait(&queue[i], 1, &status));
		EXPECT_EQ(-EFAULT, status.error);
		EXPECT_LE(slow->data.iova, status.fault_address);
		EXPECT_GT(slow->data.iova + 2 * SLOW_BYTES, status.fault_address);
	}
	for (i = 0; i < BOS; i++)
		EXPECT_EQ(SLOW_BYTES, value_match(theirs[i].map, SLOW_BYTES, GUARD));
	bo_free(&slow->code.bo);
	close(other);
	free(slow);
}

/* Another client has memory there; this one has not. */
TEST_F(fault, address_of_another_client)
{
	struct drm_nnloop_status status;
	struct code code = { 0 };
	struct queue queue;
	int other = device_open();
	struct bo big, theirs;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, bo_create(other, 16 << 20, 0, &big));
	ASSERT_EQ(0, bo_new(other, 4 * PAGE, &theirs));
	ASSERT_EQ(0, bo_new(other, sizeof(struct program), &code.bo));
	ASSERT_EQ(0, queue_create(other, &queue));
	ASSERT_LT(self->after.iova + self->after.size, theirs.iova);
	memset(theirs.map, GUARD, theirs.size);
	/* It is mapped there, and on every worker in turn. */
	ASSERT_EQ(0, run_copy(&queue, &code, theirs.iova, big.iova, 4 * PAGE, &status));
	expect_fault(_metadata, self->fd, &self->code, theirs.iova, self->victim.iova, PAGE,
		     theirs.iova, READ);
	expect_fault(_metadata, self->fd, &self->code, self->good.iova, theirs.iova + PAGE, PAGE,
		     theirs.iova + PAGE, WRITE);
	EXPECT_EQ(4 * PAGE, value_match(theirs.map, theirs.size, GUARD));
	EXPECT_EQ(0, run_copy(&queue, &code, theirs.iova, big.iova, 4 * PAGE, &status));
	close(other);
}

TEST_F(fault, write_to_sealed)
{
	bo_unmap(&self->victim);
	ASSERT_EQ(0, bo_seal(&self->victim));
	ASSERT_EQ(0, bo_map_prot(&self->victim, PROT_READ));
	expect_fault(_metadata, self->fd, &self->code, self->good.iova, self->victim.iova + PAGE,
		     PAGE, self->victim.iova + PAGE, WRITE);
	EXPECT_EQ(4 * PAGE, value_match(self->victim.map, 4 * PAGE, GUARD));
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));
}

/* Translations from before the seal let the DSP write: they must be gone, from every worker. */
TEST_F(fault, write_to_sealed_after_a_write)
{
	enum { QUEUES = 8 };
	struct drm_nnloop_status status;
	struct queue queue[QUEUES];
	struct program program;
	__u64 point;
	int i, round;

	program_init_copy(&program, self->good.iova, self->victim.iova, 4 * PAGE);
	code_write(&self->code, &program);
	for (i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
	for (round = 1; round <= 2; round++) {
		/* All at once, so that each worker gets some. */
		for (i = 0; i < QUEUES; i++)
			ASSERT_EQ(0, queue_submit(&queue[i], &self->code.pass, 1, &point));
		for (i = 0; i < QUEUES; i++) {
			ASSERT_EQ(0, queue_wait(&queue[i], point, &status));
			EXPECT_EQ(round == 1 ? 0 : -EFAULT, status.error);
			EXPECT_EQ(round == 1 ? 0 : self->victim.iova, status.fault_address);
			EXPECT_EQ(round == 1 ? 0 : WRITE, status.fault_access);
		}
		if (round == 2)
			break;
		EXPECT_EQ(4 * PAGE, pattern_match(self->victim.map, 4 * PAGE, 1));
		bo_unmap(&self->victim);
		ASSERT_EQ(0, bo_seal(&self->victim));
		memset(self->good.map, 0, self->good.size);
	}
	ASSERT_EQ(0, bo_map_prot(&self->victim, PROT_READ));
	EXPECT_EQ(4 * PAGE, pattern_match(self->victim.map, 4 * PAGE, 1));
}

/* Reading a sealed buffer is fine, and does not open it for the write that follows. */
TEST_F(fault, write_to_sealed_after_a_read)
{
	struct drm_nnloop_status status;
	struct program program;
	unsigned int sealed, good, in, out;

	bo_unmap(&self->victim);
	ASSERT_EQ(0, bo_seal(&self->victim));
	program_init(&program);
	good = program_region(&program, self->good.iova, 4 * PAGE, NN_REGION_WRITABLE);
	sealed = program_region(&program, self->victim.iova, 4 * PAGE, NN_REGION_WRITABLE);
	in = program_rows(&program, sealed, 4, PAGE);
	out = program_rows(&program, good, 4, PAGE);
	program_copy(&program, in, out);
	program_copy(&program, in, out);
	program_copy(&program, out, in);
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(2, status.fail_op);
	EXPECT_EQ(self->victim.iova, status.fault_address & ~(PAGE - 1ull));
	EXPECT_EQ(WRITE, status.fault_access);
	EXPECT_EQ(4 * PAGE, value_match(self->good.map, 4 * PAGE, GUARD));
	ASSERT_EQ(0, bo_map_prot(&self->victim, PROT_READ));
	EXPECT_EQ(4 * PAGE, value_match(self->victim.map, 4 * PAGE, GUARD));
}

/* Even where the program itself is. */
TEST_F(fault, program_in_a_sealed_buffer)
{
	struct drm_nnloop_status status;
	struct program program;

	program_init_copy(&program, self->good.iova, self->victim.iova, PAGE);
	code_write(&self->code, &program);
	bo_unmap(&self->code.bo);
	ASSERT_EQ(0, bo_seal(&self->code.bo));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(PAGE, pattern_match(self->victim.map, PAGE, 1));
}

/* The program starts in a buffer and ends behind it. */
TEST_F(fault, program_past_the_end)
{
	struct drm_nnloop_status status;
	struct drm_nnloop_pass pass = { .program_size = 1024 };

	pass.program = self->good.iova + 4 * PAGE - 512;
	ASSERT_EQ(0, queue_run(&self->queue, &pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(self->good.iova + 4 * PAGE, status.fault_address & ~(PAGE - 1ull));
	EXPECT_EQ(READ, status.fault_access);
	EXPECT_EQ(NO_OP, status.fail_op);
}

/* A profile record that is nowhere, or sealed. */
TEST_F(fault, profile)
{
	struct drm_nnloop_status status;
	struct program program;
	struct queue queue;

	ASSERT_EQ(0, queue_create(self->fd, &queue));
	program_init_copy(&program, self->good.iova, self->victim.iova, PAGE);
	code_write(&self->code, &program);
	self->code.pass.arg_count = NN_ARG_PROFILE + 1;
	self->code.pass.args[NN_ARG_PROFILE] = self->nowhere;
	ASSERT_EQ(0, queue_run(&queue, &self->code.pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(self->nowhere, status.fault_address & ~(PAGE - 1ull));

	bo_unmap(&self->before);
	ASSERT_EQ(0, bo_seal(&self->before));
	self->code.pass.args[NN_ARG_PROFILE] = self->before.iova;
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(self->before.iova, status.fault_address & ~(PAGE - 1ull));
	EXPECT_EQ(WRITE, status.fault_access);
}

/* The third pass of a job, the second operator of it. */
TEST_F(fault, names_pass_and_operator)
{
	struct drm_nnloop_pass passes[4];
	struct drm_nnloop_status status;
	struct program program;
	unsigned int in, out, nothing;
	struct code bad;
	int i;

	program_init_copy(&program, self->good.iova, self->victim.iova, PAGE);
	code_write(&self->code, &program);
	nothing = program_region(&program, self->nowhere, PAGE, NN_REGION_WRITABLE);
	in = program_rows(&program, 0, 1, PAGE);
	out = program_rows(&program, nothing, 1, PAGE);
	program_copy(&program, in, out);
	ASSERT_EQ(0, code_new(self->fd, &program, &bad));
	for (i = 0; i < 4; i++)
		passes[i] = i == 2 ? bad.pass : self->code.pass;
	ASSERT_EQ(0, queue_run(&self->queue, passes, 4, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(2, status.passes_done);
	EXPECT_EQ(1, status.fail_op);
	EXPECT_EQ(self->nowhere, status.fault_address);
	EXPECT_EQ(WRITE, status.fault_access);
}

/* What is behind the fault in the queue is not run, no new job is taken; elsewhere all is well. */
TEST_F(fault, loses_its_queue_alone)
{
	struct drm_nnloop_status status;
	struct blockade blockade;
	struct queue second;
	struct program program;
	struct code bad;
	__u64 point;
	int i;

	program_init_copy(&program, self->good.iova, self->nowhere, PAGE);
	ASSERT_EQ(0, code_new(self->fd, &program, &bad));
	program_init_copy(&program, self->good.iova, self->victim.iova, PAGE);
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_create(self->fd, &second));
	/* All are there before one begins. */
	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	ASSERT_EQ(0, queue_submit(&self->queue, &bad.pass, 1, &point));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, workers_release(&blockade));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	for (i = 1; i <= 6; i++) {
		ASSERT_EQ(0, queue_status(&self->queue, i, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
		EXPECT_EQ(i == 1 ? -EFAULT : -ECANCELED, status.error);
	}
	EXPECT_EQ(-ECANCELED, queue_submit(&self->queue, &self->code.pass, 1, &point));
	EXPECT_EQ(0, queue_cancel(&self->queue));
	EXPECT_EQ(4 * PAGE, value_match(self->victim.map, 4 * PAGE, GUARD));

	ASSERT_EQ(0, queue_run(&second, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(PAGE, pattern_match(self->victim.map, PAGE, 1));
	EXPECT_EQ(0, queue_destroy(&self->queue));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
}

/* "Or the error of a fence it waited for": a job does not run on what a failed one has left. */
TEST_F(fault, is_inherited_by_those_who_wait)
{
	struct drm_nnloop_status status;
	struct drm_nnloop_sync sync;
	struct program program;
	struct queue second;
	struct code bad;
	__u64 point;

	ASSERT_EQ(0, syncobj_create(self->fd, &sync.handle));
	sync.flags = 0;
	sync.point = 0;
	program_init_copy(&program, self->good.iova, self->nowhere, PAGE);
	ASSERT_EQ(0, code_new(self->fd, &program, &bad));
	program_init_copy(&program, self->good.iova, self->victim.iova, PAGE);
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_create(self->fd, &second));
	ASSERT_EQ(0, queue_submit_syncs(&self->queue, &bad.pass, 1, NULL, 0, &sync, 1, &point));
	ASSERT_EQ(0, queue_submit_syncs(&second, &self->code.pass, 1, &sync, 1, NULL, 0, &point));
	ASSERT_EQ(0, queue_wait(&second, point, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(0, status.passes_done);
	EXPECT_EQ(4 * PAGE, value_match(self->victim.map, 4 * PAGE, GUARD));
	/* That is no fault of its own: the queue is not lost. */
	ASSERT_EQ(0, queue_run(&second, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(PAGE, pattern_match(self->victim.map, PAGE, 1));
}

/* Another client's job runs on, over many faults on all workers, and its result is right. */
TEST_F(fault, while_another_client_works)
{
	enum { PASSES = 1000, ROW = 8192, ROUNDS = 4 };
	struct drm_nnloop_pass *passes = calloc(PASSES, sizeof(*passes));
	struct drm_nnloop_status status;
	struct code code = { 0 };
	struct program program;
	struct queue queue;
	int other = device_open();
	struct bo rows;
	__u64 point;
	int i, round, faults = 0;

	ASSERT_NE(NULL, passes);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, queue_create(other, &queue));
	ASSERT_EQ(0, bo_new(other, (PASSES + 1) * ROW, &rows));
	program_init_rows(&program, rows.iova, rows.iova, PASSES + 1, ROW);
	ASSERT_EQ(0, code_new(other, &program, &code));
	for (i = 0; i < PASSES; i++)
		passes[i] = code_rows(&code, i, 1, i + 1);

	for (round = 0; round < ROUNDS; round++) {
		pattern_fill(rows.map, ROW, round);
		memset(rows.map + PASSES * ROW, 0, ROW);
		ASSERT_EQ(0, queue_submit(&queue, passes, PASSES, &point));
		do {
			expect_fault(_metadata, self->fd, &self->code, self->nowhere,
				     self->victim.iova, PAGE, self->nowhere, READ);
			expect_fault(_metadata, self->fd, &self->code, self->good.iova,
				     self->victim.iova + 2 * PAGE, 3 * PAGE,
				     self->victim.iova + 4 * PAGE, WRITE);
			faults += 2;
			ASSERT_EQ(0, queue_status(&queue, point, &status));
		} while (status.state != DRM_NNLOOP_JOB_ENDED && faults < 200);
		ASSERT_EQ(0, queue_wait(&queue, point, &status));
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(PASSES, status.passes_done);
		EXPECT_EQ(ROW, pattern_match(rows.map + PASSES * ROW, ROW, round));
	}
	TH_LOG("%d faults during %d jobs of another client", faults, ROUNDS);
	EXPECT_TRUE(neighbours_are_intact(&self->before, &self->after));
	close(other);
	free(passes);
}

TEST_HARNESS_MAIN
