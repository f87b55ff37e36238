// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that their client says are constant. The DSP keeps copies of them from job to job: of
 * one client's for that client alone, and of none whose place another program may have taken. Who
 * lies about it harms nobody else.
 */
#include "kselftest_harness.h"

#include "program.h"

#define PAGE	4096
#define QUEUES	8		/* so that each worker gets some */

FIXTURE(constant) {
	int fd;
	struct code code;
	struct bo from, to;	/* two pages, of which the second is all 2s; and two */
};

/* A pass that copies page `page` to the beginning of `to`, and says that it will always do so. */
static struct drm_nnloop_pass constant_copy(struct code *code, struct bo *from, struct bo *to,
					    unsigned int page)
{
	struct program program;

	program_init_copy(&program, from->iova + page * PAGE, to->iova, PAGE);
	code_write(code, &program);
	code->pass.arg_count = NN_ARG_COUNT;
	code->pass.args[NN_ARG_FLAGS] = NN_PASS_CONSTANT;
	return code->pass;
}

static int data_new(int fd, struct bo *from, struct bo *to)
{
	int ret = bo_new(fd, 2 * PAGE, from);

	ret = ret ?: bo_new(fd, 2 * PAGE, to);
	if (ret)
		return ret;
	memset(from->map, 1, PAGE);
	memset(from->map + PAGE, 2, PAGE);
	return 0;
}

FIXTURE_SETUP(constant)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	ASSERT_EQ(0, data_new(self->fd, &self->from, &self->to));
}

FIXTURE_TEARDOWN(constant)
{
	close(self->fd);
}

/* The same pass on all workers. Their common error, or 1 if they do not agree. */
static int run_everywhere(int fd, const struct drm_nnloop_pass *pass,
			  struct drm_nnloop_status *status)
{
	struct queue queue[QUEUES];
	__u64 point[QUEUES];
	int ret, error = 0, i;

	for (i = 0; i < QUEUES; i++) {
		ret = queue_create(fd, &queue[i]);
		ret = ret ?: queue_submit(&queue[i], pass, 1, &point[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < QUEUES; i++) {
		ret = queue_wait(&queue[i], point[i], status);
		ret = ret ?: queue_destroy(&queue[i]);
		if (ret)
			return ret;
		if (i && status->error != error)
			return 1;
		error = status->error;
	}
	return error;
}

/* The byte that every worker copies; 0 if they are not all the same. */
static int copied(int fd, const struct drm_nnloop_pass *pass, struct bo *to)
{
	struct drm_nnloop_status status;
	int value;

	memset(to->map, 0, 2 * PAGE);
	if (run_everywhere(fd, pass, &status))
		return 0;
	value = *(__u8 *)to->map;
	if (value_match(to->map, PAGE, value) != PAGE ||
	    value_match(to->map + PAGE, PAGE, 0) != PAGE)
		return 0;
	return value;
}

TEST_F(constant, runs)
{
	struct drm_nnloop_pass pass = constant_copy(&self->code, &self->from, &self->to, 1);
	int i;

	for (i = 0; i < 10; i++)
		EXPECT_EQ(2, copied(self->fd, &pass, &self->to));
	memset(self->from.map + PAGE, 3, PAGE);
	EXPECT_EQ(3, copied(self->fd, &pass, &self->to));
}

/* A lie: one or the other is run by each worker. Who does not lie gets what is there. */
TEST_F(constant, changed_program)
{
	struct drm_nnloop_pass pass = constant_copy(&self->code, &self->from, &self->to, 0);
	struct drm_nnloop_pass other;
	struct drm_nnloop_status status;
	struct queue queue;
	int i, value;

	EXPECT_EQ(1, copied(self->fd, &pass, &self->to));
	constant_copy(&self->code, &self->from, &self->to, 1);
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, queue_run(&queue, &pass, 1, &status));
		EXPECT_EQ(0, status.error);
		value = *(__u8 *)self->to.map;
		EXPECT_TRUE(value == 1 || value == 2);
		EXPECT_EQ(PAGE, value_match(self->to.map, PAGE, value));
	}
	other = pass;
	other.args[NN_ARG_FLAGS] = 0;
	EXPECT_EQ(2, copied(self->fd, &other, &self->to));

	/* Even if it is no program any more. */
	memset(self->code.bo.map, 0xff, pass.program_size);
	ASSERT_EQ(0, queue_run(&queue, &pass, 1, &status));
	EXPECT_TRUE(status.error == 0 || status.error == -EINVAL);
	EXPECT_EQ(-EINVAL, run_everywhere(self->fd, &other, &status));
}

/* Another client's program is at the same address, and as long. */
TEST_F(constant, another_client)
{
	struct drm_nnloop_pass mine = constant_copy(&self->code, &self->from, &self->to, 0), theirs;
	struct bo from, to;
	struct code code;
	int other = device_open();
	int i;

	ASSERT_LE(0, other);
	memset(&code, 0, sizeof(code));
	ASSERT_EQ(0, bo_new(other, sizeof(struct program), &code.bo));
	ASSERT_EQ(0, data_new(other, &from, &to));
	memset(from.map + PAGE, 7, PAGE);
	theirs = constant_copy(&code, &from, &to, 1);
	ASSERT_EQ(mine.program, theirs.program);
	ASSERT_EQ(mine.program_size, theirs.program_size);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(1, copied(self->fd, &mine, &self->to));
		EXPECT_EQ(7, copied(other, &theirs, &to));
	}
	close(other);
}

/* Clients that come and go: a number of one that has gone must not be another's. */
TEST_F(constant, client_after_client)
{
	int i;

	for (i = 1; i < 20; i++) {
		struct drm_nnloop_pass pass;
		struct bo from, to;
		struct code code = { 0 };
		int fd = device_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, bo_new(fd, sizeof(struct program), &code.bo));
		ASSERT_EQ(0, data_new(fd, &from, &to));
		ASSERT_EQ(self->code.bo.iova, code.bo.iova);
		pass = constant_copy(&code, &from, &to, i & 1);
		EXPECT_EQ(1 + (i & 1), copied(fd, &pass, &to));
		close(fd);
	}
}

/* It is gone, also for a worker that has a copy. */
TEST_F(constant, closed_program)
{
	struct drm_nnloop_pass pass = constant_copy(&self->code, &self->from, &self->to, 0);
	struct drm_nnloop_status status;

	EXPECT_EQ(1, copied(self->fd, &pass, &self->to));
	ASSERT_EQ(0, bo_close(&self->code.bo));
	EXPECT_EQ(-EFAULT, run_everywhere(self->fd, &pass, &status));
	EXPECT_EQ(pass.program, status.fault_address);
	EXPECT_EQ(DRM_NNLOOP_ACCESS_READ, status.fault_access);
}

/* Programs that take each other's place. */
TEST_F(constant, address_used_again)
{
	unsigned int same = 0, i;
	__u64 last = 0;

	for (i = 0; i < 30; i++) {
		struct drm_nnloop_pass pass;
		struct code code = { 0 };

		ASSERT_EQ(0, bo_create(self->fd, sizeof(struct program),
				       DRM_NNLOOP_BO_DSP_READ_ONLY, &code.bo));
		ASSERT_EQ(0, bo_map_prot(&code.bo, PROT_READ | PROT_WRITE));
		pass = constant_copy(&code, &self->from, &self->to, i & 1);
		bo_unmap(&code.bo);
		ASSERT_EQ(0, bo_seal(&code.bo));
		EXPECT_EQ(1 + (i & 1), copied(self->fd, &pass, &self->to));
		ASSERT_EQ(0, bo_close(&code.bo));
		same += code.bo.iova == last;
		last = code.bo.iova;
	}
	EXPECT_LT(0, same);
}

/* A copy gives no access: the memory that it names is closed, or is another buffer. */
TEST_F(constant, closed_memory)
{
	struct drm_nnloop_pass pass = constant_copy(&self->code, &self->from, &self->to, 0);
	struct drm_nnloop_status status;
	__u64 address = self->to.iova;

	EXPECT_EQ(1, copied(self->fd, &pass, &self->to));
	bo_free(&self->to);
	EXPECT_EQ(-EFAULT, run_everywhere(self->fd, &pass, &status));
	EXPECT_EQ(address, status.fault_address & ~(PAGE - 1ull));
	EXPECT_EQ(DRM_NNLOOP_ACCESS_WRITE, status.fault_access);
	ASSERT_EQ(0, bo_new(self->fd, 2 * PAGE, &self->to));
	if (self->to.iova == address)
		EXPECT_EQ(1, copied(self->fd, &pass, &self->to));
}

TEST_F(constant, unknown_flags)
{
	struct drm_nnloop_pass pass = constant_copy(&self->code, &self->from, &self->to, 0);
	struct drm_nnloop_status status;

	pass.args[NN_ARG_FLAGS] = NN_PASS_MEMORY << 1;
	EXPECT_EQ(-EINVAL, run_everywhere(self->fd, &pass, &status));
	EXPECT_EQ(NN_REASON_HEADER, status.fail_reason);
	EXPECT_EQ(NO_OP, status.fail_op);
	pass.args[NN_ARG_FLAGS] = ~0u;
	EXPECT_EQ(-EINVAL, run_everywhere(self->fd, &pass, &status));
	EXPECT_EQ(0, value_match(self->to.map, 2 * PAGE, 1));
}

TEST_HARNESS_MAIN
