// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that several workers run together end as any job does, whichever of the workers faults,
 * hangs, dies, is cancelled or is in the middle of something.
 */
#include "gang.h"

#include <pthread.h>

#include "hotplug.h"

#define LIMIT_MS	100	/* the least there is */

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

/*
 * The second pass is refused, by workers that have no share in the first, long one. They wait for
 * it: so many passes are complete, and the next one is the one that failed.
 */
TEST_F(gang, refused_pass)
{
	struct drm_nnloop_pass passes[2];
	struct drm_nnloop_status status;
	struct nn_program_op *op;
	struct endless endless;
	struct queue queue;
	unsigned int i;

	ASSERT_EQ(0, endless_new(self->fd, &endless));
	op = (void *)(endless.code.bo.map + endless.code.pass.program_size);
	for (i = 0; i < ENDLESS_OPS; i++)
		(--op)->copy.block = 128;
	passes[0] = endless.code.pass;
	passes[1] = self->code.pass;
	passes[1].program_size -= 8;
	for (i = 1; i <= self->count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, gang_run(&queue, passes, 2, i, &status));
		EXPECT_EQ(-EINVAL, status.error);
		EXPECT_EQ(NN_REASON_HEADER, status.fail_reason);
		EXPECT_EQ(1, status.passes_done);
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
		EXPECT_EQ(-ETIME, syncobj_wait(self->fd, self->queue.syncobj, point, 0.2));
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
		ASSERT_EQ(0, workers_wait_idle(self->fd));
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

/* The number of a worker that has ended its part of a job, when there is one; or -1. */
static int wait_part_ended(struct _test_data_gang *self)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	char *at, *line;

	do {
		if (debugfs_read(self->fd, "workers", self->text, sizeof(self->text)))
			return -1;
		at = strstr(self->text, ", its part ended");
	} while (!at && deadline_ns(0) < end);
	if (!at)
		return -1;
	for (line = at; line > self->text && line[-1] != '\n';)
		line--;
	return atoi(line);
}

/*
 * One has ended its part, as the last pass is the first worker's alone, and dies before that one
 * has: nobody can see any more that it has ended. What it has done is done all the same; and who
 * was cancelled before was cancelled.
 */
TEST_F(gang, one_dies_that_has_ended)
{
	struct drm_nnloop_pass passes[2];
	struct drm_nnloop_status status;
	struct nn_program_op *op;
	struct endless endless;
	unsigned int cancel, i;
	int worker, before;
	__u64 point;
	__s64 end;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be killed");
	if (self->count == 1)
		SKIP(return, "one worker: none ends before it");
	/* Operators that cannot be divided. */
	ASSERT_EQ(0, endless_new(self->fd, &endless));
	op = (void *)(endless.code.bo.map + endless.code.pass.program_size);
	for (i = 0; i < ENDLESS_OPS; i++) {
		(--op)->opcode = NN_OPCODE_FILL;
		op->input[0] = NN_NO_TENSOR;
		memset(op->words, 0, sizeof(op->words));
	}
	passes[0] = self->code.pass;
	passes[1] = endless.code.pass;
	for (cancel = 0; cancel < 2; cancel++) {
		ASSERT_EQ(0, workers_wait_idle(self->fd));
		before = debugfs_restarts(self->fd);
		ASSERT_LE(0, before);
		ASSERT_EQ(0, gang_submit(&self->queue, passes, 2, self->count, &point));
		worker = wait_part_ended(self);
		ASSERT_LE(0, worker);
		for (i = 0; i < self->count && cancel; i++)
			ASSERT_EQ(0, (int)i == worker ? 0 : vmctl("stop worker %u", i));
		ASSERT_EQ(0, cancel ? queue_cancel(&self->queue) : 0);
		ASSERT_EQ(0, vmctl("kill worker %d", worker));
		end = deadline_ns(WAIT_SECONDS);
		while (debugfs_restarts(self->fd) == before && deadline_ns(0) < end)
			sleep_ms(2);
		EXPECT_EQ(before + 1, debugfs_restarts(self->fd));
		for (i = 0; i < self->count && cancel; i++)
			ASSERT_EQ(0, (int)i == worker ? 0 : vmctl("continue worker %u", i));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		EXPECT_EQ(cancel ? -ECANCELED : -EIO, status.error);
		EXPECT_EQ(1, status.passes_done);
		EXPECT_EQ(cancel ? 0 : -ECANCELED,
			  gang_submit(&self->queue, self->passes, 1, self->count, &point));
		ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	}
	expect_good_work(_metadata, self);
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
	for (worker = 0; worker < self->count; worker = next_worker(self, worker)) {
		ASSERT_EQ(0, workers_wait_idle(self->fd));
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, gang_submit(&queue, self->slow->passes, SLOW_PASSES, self->count,
					 &point));
		ASSERT_EQ(0, queue_poll_passes(&queue, point, 1));
		ASSERT_EQ(0, vmctl("stop worker %u", worker));
		ASSERT_LT(0, set_hang_timeout(SHORT_HANG_MS));
		ASSERT_EQ(0, queue_wait(&queue, point, &status));
		EXPECT_EQ(-ETIMEDOUT, status.error);
		ASSERT_LT(0, set_hang_timeout(PATIENT_MS));
		ASSERT_EQ(0, queue_destroy(&queue));
		expect_good_work(_metadata, self);
	}
}

/* A pass of all workers that keeps others waiting, of which one may stand still. */
static void exceed_limit(struct __test_metadata *_metadata, struct _test_data_gang *self,
			 int still)
{
	struct drm_nnloop_status status;
	struct endless endless;
	__u64 point;

	ASSERT_EQ(0, endless_new(self->fd, &endless));
	ASSERT_EQ(0, gang_submit(&self->queue, &endless.code.pass, 1, self->count, &point));
	ASSERT_EQ(0, queue_poll_state(&self->queue, point, DRM_NNLOOP_JOB_RUNNING));
	if (still >= 0)
		ASSERT_EQ(0, vmctl("stop worker %d", still));
	ASSERT_EQ(0, set_parameter(LIMIT_PARAMETER, LIMIT_MS));
	ASSERT_EQ(0, queue_run(&self->queue_of_other, &self->code_of_other.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ETIMEDOUT, status.error);
	ASSERT_EQ(LIMIT_MS, set_parameter(LIMIT_PARAMETER, 0));
	expect_good_work(_metadata, self);
}

/* It is one pass, and ends on all of them. */
TEST_F(gang, pass_limit)
{
	exceed_limit(_metadata, self, -1);
}

/* The one that does not hear that is started again, and only that one. */
TEST_F(gang, pass_limit_and_one_that_stands_still)
{
	unsigned int worker;
	int before;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be stopped");
	for (worker = 0; worker < self->count; worker = next_worker(self, worker)) {
		before = debugfs_restarts(self->fd);
		ASSERT_LE(0, before);
		exceed_limit(_metadata, self, worker);
		EXPECT_EQ(before + 1, debugfs_restarts(self->fd));
		ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	}
}

struct changer {
	struct nn_program *program;
	struct nn_program_op *op;	/* the second and third, with a barrier between them */
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
	for (i = 0; i < (test_all() ? 120 : 40); i++) {
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

/* The client goes, and one of its job's workers does not hear that; the others have ended. */
TEST_F(gang, client_closes_and_one_hangs)
{
	struct drm_nnloop_status status;
	unsigned int worker;
	struct queue queue;
	struct slow *slow;
	__u64 point;
	int before, fd;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be stopped");
	slow = malloc(sizeof(*slow));
	ASSERT_NE(NULL, slow);
	for (worker = 0; worker < self->count; worker = next_worker(self, worker)) {
		before = debugfs_restarts(self->fd);
		ASSERT_LE(0, before);
		fd = device_open();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, slow_new(fd, slow));
		ASSERT_EQ(0, queue_create(fd, &queue));
		ASSERT_EQ(0, gang_submit(&queue, slow->passes, SLOW_PASSES, self->count, &point));
		ASSERT_EQ(0, queue_poll_passes(&queue, point, 1));
		ASSERT_EQ(0, vmctl("stop worker %u", worker));
		bo_unmap(&slow->code.bo);
		close(fd);
		ASSERT_LT(0, set_hang_timeout(HANG_MS));
		ASSERT_EQ(0, queue_run(&self->queue_of_other, &self->code_of_other.pass, 1,
				       &status));
		EXPECT_EQ(0, status.error);
		ASSERT_LT(0, set_hang_timeout(PATIENT_MS));
		ASSERT_EQ(0, workers_wait_idle(self->fd));
		EXPECT_EQ(before + 1, debugfs_restarts(self->fd));
	}
	free(slow);
	expect_good_work(_metadata, self);
}

/* The board is taken out: the fence signals, once all workers have been stopped. */
static void unplug(struct __test_metadata *_metadata, struct _test_data_gang *self)
{
	struct drm_nnloop_status status;
	struct queue queue;
	__u64 point;
	__s64 end;
	int fd;

	ASSERT_EQ(0, driver_unbind());
	EXPECT_EQ(-ENODEV, queue_status(&self->queue, 1, &status));
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

TEST_F(gang, unplug)
{
	int ret = find_pci_device();
	__u64 point;

	if (ret == -ENODEV)
		SKIP(return, "the board is no PCI function: `attach` has such boards taken away");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	unplug(_metadata, self);
}

/* The others are at a barrier then, and asleep. */
TEST_F(gang, unplug_while_one_stands_still)
{
	int ret = find_pci_device();
	__u64 point;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: no worker can be stopped");
	if (ret == -ENODEV)
		SKIP(return, "the board is no PCI function: `attach` has such boards taken away");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gang_start(self, SLOW_PASSES, &point));
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 1));
	ASSERT_EQ(0, vmctl("stop worker %u", self->count - 1));
	unplug(_metadata, self);
}

TEST_HARNESS_MAIN
