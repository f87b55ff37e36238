// SPDX-License-Identifier: GPL-2.0
/*
 * DRM_IOCTL_NNLOOP_STATUS: the three states, how long the driver remembers, and why the firmware
 * refused a program: each reason by a program that is wrong in just that.
 */
#include "kselftest_harness.h"

#include "program.h"

#define REMEMBERED 256

FIXTURE(status) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;
	struct program program;		/* a valid one, in `code` */
};

FIXTURE_SETUP(status)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, 16384, &self->data));
	program_init_rows(&self->program, self->data.iova, self->data.iova + 8192, 16, 256);
	ASSERT_EQ(0, code_new(self->fd, &self->program, &self->code));
	self->code.pass = code_rows(&self->code, 0, 16, 0);
}

FIXTURE_TEARDOWN(status)
{
	close(self->fd);
}

TEST_F(status, bad_fields)
{
	struct drm_nnloop_status status;
	struct queue bad = self->queue;

	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, 0, &status));
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, 2, &status));
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, 1ull << 32 | 1, &status));
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, ~0ull, &status));
	bad.id = 0;
	EXPECT_EQ(-ENOENT, queue_status(&bad, 1, &status));
	bad.id = ~0u;
	EXPECT_EQ(-ENOENT, queue_status(&bad, 1, &status));
	memset(&status, 0, sizeof(status));
	status.queue = self->queue.id;
	status.point = 1;
	status.pad = 1;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_STATUS, &status));
	status.pad = 1u << 31;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_STATUS, &status));
	/* What the out fields hold is not read. */
	memset(&status, 0xff, sizeof(status));
	status.queue = self->queue.id;
	status.point = 1;
	status.pad = 0;
	EXPECT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_STATUS, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	EXPECT_EQ(0, status.error);
}

TEST_F(status, queued_running_ended)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__u64 first, second;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &first));
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &second));
	ASSERT_EQ(0, queue_status(&self->queue, first, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	EXPECT_EQ(0, status.error);
	ASSERT_EQ(0, queue_status(&self->queue, second, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_QUEUED, status.state);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(0, status.passes_done);
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, self->queue.syncobj, first, 0.02));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, second, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
	free(slow);
}

TEST_F(status, remembers_256_jobs)
{
	const int jobs = REMEMBERED + 50;
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	for (i = 1; i <= jobs; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, syncobj_wait(self->fd, self->queue.syncobj, jobs, WAIT_SECONDS));
	EXPECT_EQ(-ENODATA, queue_status(&self->queue, 1, &status));
	EXPECT_EQ(-ENODATA, queue_status(&self->queue, jobs - REMEMBERED, &status));
	for (i = jobs - REMEMBERED + 1; i <= jobs; i++) {
		ASSERT_EQ(0, queue_status(&self->queue, i, &status));
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(1, status.passes_done);
	}
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, jobs + 1, &status));
}

/* Jobs that ended count, not those that wait: a queue may hold more than it remembers. */
TEST_F(status, knows_all_that_has_not_ended)
{
	struct slow *slow = malloc(sizeof(*slow));
	const int jobs = 2 * REMEMBERED;
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	for (i = 2; i <= jobs; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	for (i = 1; i <= jobs; i++) {
		ASSERT_EQ(0, queue_status(&self->queue, i, &status));
		EXPECT_EQ(i == 1 ? DRM_NNLOOP_JOB_RUNNING : DRM_NNLOOP_JOB_QUEUED, status.state);
	}
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, jobs, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(-ENODATA, queue_status(&self->queue, jobs - REMEMBERED, &status));
	EXPECT_EQ(0, queue_status(&self->queue, jobs - REMEMBERED + 1, &status));
	free(slow);
}

/* Programs that are wrong in one place */

struct refusal {
	const char *name;
	void (*spoil)(struct program *program, struct drm_nnloop_pass *pass);
	enum nn_program_reason reason;
	__u32 op;
};

static void spoil_magic(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->header.magic ^= 1;
}

static void spoil_version(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->header.version = NN_PROGRAM_VERSION_COUNTS + 1;
}

static void spoil_size(struct program *program, struct drm_nnloop_pass *pass)
{
	program->header.size = pass->program_size + 8;
}

static void spoil_count(struct program *program, struct drm_nnloop_pass *pass)
{
	program->header.size = pass->program_size;
	program->header.tensor_count = 0x10000;
}

static void spoil_reserved(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->header.reserved[1] = 1;
}

static void cut_short(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->program_size -= 8;
}

static void header_alone(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->program_size = 8;
}

static void region_below_window(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[0].base = 0x7ffff000;
}

static void region_past_window(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[1].base = 0xe0000000 - 4096 + 128;
}

static void region_in_system_window(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[1].base = 0xe0000000;
}

static void region_wraps(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[0].size = ~0u;
}

static void region_misaligned(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[0].base += 64;
}

static void region_flags(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[0].flags = 2;
}

static void region_reserved(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[1].reserved = 1;
}

static void tensor_type(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->tensor[0].type = 99;
}

static void tensor_rank(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->tensor[2].rank = NN_MAX_RANK + 1;
}

static void tensor_region(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->tensor[0].source = 2;
}

static void tensor_past_region(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->tensor[0].offset = 1;
}

static void tensor_overflow(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->tensor[0].dims[0] = 1u << 31;
	program->tensor[0].dims[1] = 1u << 31;
}

static void view_of_itself(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->tensor[1].source = 1;
}

static void opcode_unknown(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->op[1].opcode = 0xffff;
}

static void opcode_zero(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->op[0].opcode = 0;
}

static void operand_missing(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->op[1].input[0] = NN_NO_TENSOR;
}

static void operand_unknown(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->op[1].output[0] = 3;
}

static void output_read_only(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->region[1].flags = 0;
}

static void block_too_long(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->op[1].copy.block++;
}

static void no_blocks(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)pass;
	program->op[1].copy.count = 0;
}

static void too_many_rows(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->args[NN_ARG_ROWS(1)] = 17;
}

static void rows_past_source(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->args[NN_ARG_FIRST(1)] = 1;
}

static void rows_past_output(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->args[NN_ARG_OUT_FIRST(1)] = ~0u;
}

static void profile_outside(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->arg_count = NN_ARG_PROFILE + 1;
	pass->args[NN_ARG_PROFILE] = 0x1000;
}

static void profile_misaligned(struct program *program, struct drm_nnloop_pass *pass)
{
	(void)program;
	pass->arg_count = NN_ARG_PROFILE + 1;
	pass->args[NN_ARG_PROFILE] = pass->program + 4;
}

static const struct refusal refusals[] = {
	{ "magic", spoil_magic, NN_REASON_HEADER, NO_OP },
	{ "version", spoil_version, NN_REASON_VERSION, NO_OP },
	{ "size", spoil_size, NN_REASON_HEADER, NO_OP },
	{ "tensor count", spoil_count, NN_REASON_HEADER, NO_OP },
	{ "reserved word of the header", spoil_reserved, NN_REASON_HEADER, NO_OP },
	{ "cut short", cut_short, NN_REASON_HEADER, NO_OP },
	{ "less than a header", header_alone, NN_REASON_HEADER, NO_OP },
	{ "region below the window", region_below_window, NN_REASON_ADDRESS, NO_OP },
	{ "region past the window", region_past_window, NN_REASON_ADDRESS, NO_OP },
	{ "region in the system window", region_in_system_window, NN_REASON_ADDRESS, NO_OP },
	{ "region that wraps around", region_wraps, NN_REASON_ADDRESS, NO_OP },
	{ "misaligned region", region_misaligned, NN_REASON_ADDRESS, NO_OP },
	{ "region flags", region_flags, NN_REASON_REGION, NO_OP },
	{ "reserved word of a region", region_reserved, NN_REASON_REGION, NO_OP },
	{ "tensor type", tensor_type, NN_REASON_TENSOR, NO_OP },
	{ "tensor rank", tensor_rank, NN_REASON_TENSOR, NO_OP },
	{ "tensor in no region", tensor_region, NN_REASON_TENSOR, NO_OP },
	{ "tensor past its region", tensor_past_region, NN_REASON_TENSOR, NO_OP },
	{ "tensor of 2^62 bytes", tensor_overflow, NN_REASON_TENSOR, NO_OP },
	{ "view of itself", view_of_itself, NN_REASON_TENSOR, NO_OP },
	{ "unknown operator", opcode_unknown, NN_REASON_OPCODE, 1 },
	{ "operator 0", opcode_zero, NN_REASON_OPCODE, 0 },
	{ "missing operand", operand_missing, NN_REASON_OPERAND, 1 },
	{ "operand that is not there", operand_unknown, NN_REASON_OPERAND, 1 },
	{ "read-only output", output_read_only, NN_REASON_OPERAND, 0 },
	{ "block longer than a row", block_too_long, NN_REASON_SHAPE, 1 },
	{ "no blocks", no_blocks, NN_REASON_PARAMETER, 1 },
	{ "more rows than there is room for", too_many_rows, NN_REASON_ROWS, NO_OP },
	{ "rows past the source", rows_past_source, NN_REASON_ROWS, NO_OP },
	{ "rows past the output", rows_past_output, NN_REASON_ROWS, NO_OP },
	{ "profile outside the window", profile_outside, NN_REASON_ADDRESS, NO_OP },
	{ "misaligned profile", profile_misaligned, NN_REASON_ADDRESS, NO_OP },
};

/* Each is the third of four passes: two are done, and the fourth is not run. */
TEST_F(status, refused_programs)
{
	struct drm_nnloop_status status;
	struct drm_nnloop_pass passes[4];
	struct code bad;
	size_t i, k;

	/* Both programs have two operators, the good one of them. */
	program_copy(&self->program, 1, 2);
	code_write(&self->code, &self->program);
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &bad.bo));

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct program program = self->program, body;
		struct queue queue;
		__u32 size;

		for (k = 0; k < 4; k++)
			passes[k] = code_rows(&self->code, 0, 1, k);
		passes[2].program = bad.bo.iova;
		passes[2].args[NN_ARG_ROWS(1)] = 16;
		passes[2].args[NN_ARG_OUT_FIRST(1)] = 0;
		refusals[i].spoil(&program, &passes[2]);

		/* A wrong count in the header must not change where things are. */
		body = program;
		body.header = self->program.header;
		size = program_write(&body, bad.bo.map);
		if (!program.header.size)
			program.header.size = size;
		memcpy(bad.bo.map, &program.header, sizeof(program.header));

		memset(self->data.map + 8192, 0, 8192);
		pattern_fill(self->data.map, 4096, i);
		ASSERT_EQ(0, queue_create(self->fd, &queue));
		ASSERT_EQ(0, queue_run(&queue, passes, 4, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_ENDED, status.state);
		EXPECT_EQ(-EINVAL, status.error)
			TH_LOG("%s", refusals[i].name);
		EXPECT_EQ(2, status.passes_done)
			TH_LOG("%s", refusals[i].name);
		EXPECT_EQ(refusals[i].reason, status.fail_reason)
			TH_LOG("%s", refusals[i].name);
		EXPECT_EQ(refusals[i].op, status.fail_op)
			TH_LOG("%s", refusals[i].name);
		EXPECT_EQ(0, status.fault_access);
		EXPECT_EQ(0, status.fault_address);
		EXPECT_EQ(256, pattern_match(self->data.map + 8192 + 256, 256, i));
		EXPECT_EQ(256, value_match(self->data.map + 8192 + 3 * 256, 256, 0));
		EXPECT_EQ(0, queue_destroy(&queue));
	}
	/* None of this hurts a queue that had no part in it. */
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
}

/* A program of nothing is one, too. */
TEST_F(status, empty_program)
{
	struct drm_nnloop_status status;
	struct program program;

	program_init(&program);
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, status.passes_done);
}

/* A queue with a refused program is lost; what was queued behind it is not run. */
TEST_F(status, a_refused_program_loses_its_queue)
{
	struct drm_nnloop_pass passes[2] = { self->code.pass, self->code.pass };
	struct drm_nnloop_status status;
	struct blockade blockade;
	struct queue fresh;
	struct code bad;
	struct program program = self->program;
	__u64 point;

	program.header.magic = 0;
	ASSERT_EQ(0, code_new(self->fd, &program, &bad));
	passes[1].program = bad.bo.iova;
	/* Both are there before one begins. */
	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	ASSERT_EQ(0, queue_submit(&self->queue, passes, 2, &point));
	ASSERT_EQ(0, queue_submit(&self->queue, passes, 1, &point));
	EXPECT_EQ(2, point);
	ASSERT_EQ(0, workers_release(&blockade));
	ASSERT_EQ(0, queue_wait(&self->queue, 2, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(0, status.passes_done);
	ASSERT_EQ(0, queue_status(&self->queue, 1, &status));
	EXPECT_EQ(-EINVAL, status.error);
	EXPECT_EQ(1, status.passes_done);
	EXPECT_EQ(-ECANCELED, queue_submit(&self->queue, passes, 1, &point));
	ASSERT_EQ(0, queue_create(self->fd, &fresh));
	ASSERT_EQ(0, queue_run(&fresh, passes, 1, &status));
	EXPECT_EQ(0, status.error);
}

TEST_HARNESS_MAIN
