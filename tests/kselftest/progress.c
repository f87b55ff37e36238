// SPDX-License-Identifier: GPL-2.0
/*
 * Operators over as much memory as there are addresses for. They report their progress, whatever
 * they do: a fault ends them soon and names them, cancelling ends them in the middle, and no worker
 * is taken for hung.
 */
#include "kselftest_harness.h"

#include "debugfs.h"
#include "program.h"
#include "vmctl.h"

#define MIB		0x100000u
#define NOWHERE		0x90000000u	/* from here on there are no buffers, */
#define NOWHERE_SIZE	0x40000000u	/* for so many bytes */
#define HANG_MS		2000		/* a step takes long on a busy machine */
#define READ		DRM_NNLOOP_ACCESS_READ
#define WRITE		DRM_NNLOOP_ACCESS_WRITE

#define DIMS(...)	((__u32[NN_MAX_RANK]) { __VA_ARGS__ })

/* Where an operator's operands are: `size` bytes of both, and a page of small ones, zeros. */
struct place {
	__u64 in, out, small;
	__u32 size;
};

/* A tensor that has a region to itself. */
static unsigned int tensor_at(struct program *program, __u64 iova, __u8 type, const __u32 *dims)
{
	unsigned int i = program_tensor(program, 0, type, dims), k;
	__u32 size = type == NN_TYPE_INT32 || type == NN_TYPE_FLOAT32 ? 4 : 1;

	for (k = 0; k < program->tensor[i].rank; k++)
		size *= dims[k];
	program->tensor[i].source = program_region(program, iova, size, NN_REGION_WRITABLE);
	return i;
}

static void row_numbers(struct program *program, const struct place *place)
{
	__u16 in = tensor_at(program, place->small, NN_TYPE_UINT8, DIMS(7));
	__u16 out = tensor_at(program, place->out, NN_TYPE_INT32, DIMS(place->size / 4));

	program->tensor[out].level = 1;
	program_op(program, NN_OPCODE_ROW_NUMBERS, 1, &in, out);
}

static void transpose(struct program *program, const struct place *place)
{
	__u16 in = tensor_at(program, place->in, NN_TYPE_UINT8, DIMS(1, place->size / 2, 2));
	__u16 out = tensor_at(program, place->out, NN_TYPE_UINT8, DIMS(1, 2, place->size / 2));
	unsigned int i = program_op(program, NN_OPCODE_TRANSPOSE, 1, &in, out);

	program->op[i].transpose = (struct nn_transpose_params){ { 0, 2, 1 } };
}

/* Appends a CROP_RESIZE of points; the image is not wide, so that its channels are many. */
static void crop_resize(struct program *program, const struct place *place)
{
	__u32 channels = place->size / 4096;
	__u16 in[] = {
		tensor_at(program, place->in, NN_TYPE_UINT8, DIMS(1, 1, 4096, channels)),
		tensor_at(program, place->small, NN_TYPE_INT32, DIMS(1, 4)),
		tensor_at(program, place->small, NN_TYPE_INT32, DIMS(1)),
	};
	__u16 out = tensor_at(program, place->out, NN_TYPE_UINT8, DIMS(1, 1, 4096, channels));

	program_op(program, NN_OPCODE_CROP_RESIZE, 3, in, out);
}

/* Appends a ROTATE_ROWS of an input without rows, which makes zeros. */
static void rotate_rows(struct program *program, const struct place *place)
{
	__u16 in = tensor_at(program, place->small, NN_TYPE_UINT8, DIMS(0, MIB));
	__u16 out = tensor_at(program, place->out, NN_TYPE_UINT8, DIMS(place->size / MIB, MIB));

	program->tensor[out].level = 1;
	program_op(program, NN_OPCODE_ROTATE_ROWS, 1, &in, out);
}

static void copy(struct program *program, const struct place *place)
{
	unsigned int in = tensor_at(program, place->in, NN_TYPE_UINT8, DIMS(1, place->size));
	unsigned int out = tensor_at(program, place->out, NN_TYPE_UINT8, DIMS(1, place->size));

	program_copy(program, in, out);
}

/* The weights are as large as can be, and 32 outputs of one pixel all that comes of them. */
static void conv2d(struct program *program, const struct place *place)
{
	__u32 channels = place->size / 32;
	__u16 in[] = {
		tensor_at(program, place->out, NN_TYPE_UINT8, DIMS(1, 1, 1, channels)),
		tensor_at(program, place->in, NN_TYPE_UINT8, DIMS(place->size)),
		tensor_at(program, place->small, NN_TYPE_INT32, DIMS(32)),
	};
	__u16 out = tensor_at(program, place->small, NN_TYPE_INT32, DIMS(1, 1, 1, 32));
	unsigned int i = program_op(program, NN_OPCODE_CONV2D, 3, in, out);

	program->op[i].window = (struct nn_window_params){
		.kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1,
		.dilation_h = 1, .dilation_w = 1,
	};
}

FIXTURE(progress) {
	int fd, hang_timeout, restarts;
	struct queue queue;
	struct bo small;
	struct code code;
	struct program program;
};

FIXTURE_VARIANT(progress) {
	void (*build)(struct program *program, const struct place *place);
	__u32 access;		/* the first that faults */
	__u32 size, passes;	/* what takes it seconds, where there is memory */
	bool one;		/* of the operands is that large */
};

FIXTURE_VARIANT_ADD(progress, row_numbers) {
	.build = row_numbers,
	.access = WRITE,
	.size = 128 * MIB,
	.passes = 1,
	.one = true,
};

FIXTURE_VARIANT_ADD(progress, transpose) {
	.build = transpose,
	.access = READ,
	.size = 64 * MIB,
	.passes = 1,
};

FIXTURE_VARIANT_ADD(progress, crop_resize) {
	.build = crop_resize,
	.access = READ,
	.size = 32 * MIB,
	.passes = 1,
};

FIXTURE_VARIANT_ADD(progress, rotate_rows) {
	.build = rotate_rows,
	.access = WRITE,
	.size = 32 * MIB,
	.passes = SLOW_PASSES,
	.one = true,
};

FIXTURE_VARIANT_ADD(progress, copy) {
	.build = copy,
	.access = READ,
	.size = 32 * MIB,
	.passes = SLOW_PASSES,
};

FIXTURE_VARIANT_ADD(progress, conv2d) {
	.build = conv2d,
	.access = READ,
	.size = 64 * MIB,
	.passes = 1,
	.one = true,
};

FIXTURE_SETUP(progress)
{
	if (geteuid())
		SKIP(return, "not root: the hang timeout cannot be set, nor debugfs read");
	self->hang_timeout = set_hang_timeout(HANG_MS);
	ASSERT_LT(0, self->hang_timeout);
	debugfs_mount();
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, PAGE_SIZE, &self->small));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	self->restarts = debugfs_restarts(self->fd);
	ASSERT_LE(0, self->restarts);
	program_init(&self->program);
}

FIXTURE_TEARDOWN(progress)
{
	/* Whatever happened to the job, the worker has stayed. */
	EXPECT_EQ(self->restarts, debugfs_restarts(self->fd));
	set_hang_timeout(self->hang_timeout);
	close(self->fd);
}

/* The pass, with as many rows of level 1 as the operator's output has room for. */
static struct drm_nnloop_pass pass_of(struct _test_data_progress *self)
{
	struct program *program = &self->program;
	unsigned int op = program->header.op_count - 1;
	__u32 rows = program->tensor[program->op[op].output[0]].dims[0];

	code_write(&self->code, program);
	return code_rows(&self->code, 0, rows, 0);
}

/* The second operator: the first does no harm. */
TEST_F(progress, fault)
{
	struct place place = {
		.in = NOWHERE,
		.out = NOWHERE + NOWHERE_SIZE / 2,
		.small = self->small.iova,
		.size = NOWHERE_SIZE / 2,
	};
	struct drm_nnloop_status status;
	struct drm_nnloop_pass pass;

	ASSERT_GT(NOWHERE, self->code.bo.iova + self->code.bo.size);
	copy(&self->program, &(struct place){
		.in = self->small.iova, .out = self->small.iova + 1024, .size = 1024,
	});
	variant->build(&self->program, &place);
	pass = pass_of(self);
	ASSERT_EQ(0, queue_run(&self->queue, &pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(0, status.passes_done);
	EXPECT_EQ(1, status.fail_op);
	EXPECT_EQ(variant->access, status.fault_access);
	EXPECT_LE(NOWHERE, status.fault_address);
	EXPECT_GT(NOWHERE + NOWHERE_SIZE, status.fault_address);
}

/* Most are jobs of one operator: if it did not end in the middle, it would end well. */
TEST_F(progress, cancel)
{
	struct drm_nnloop_pass *passes = calloc(variant->passes, sizeof(*passes));
	struct place place = { .small = self->small.iova, .size = variant->size };
	struct drm_nnloop_status status;
	struct bo bo;
	__u64 point;
	__u32 i;

	ASSERT_NE(NULL, passes);
	ASSERT_EQ(0, bo_create(self->fd, variant->one ? place.size : 2ull * place.size, 0, &bo));
	place.in = bo.iova;
	place.out = variant->one ? bo.iova : bo.iova + place.size;
	variant->build(&self->program, &place);
	for (i = 0; i < variant->passes; i++)
		passes[i] = pass_of(self);
	ASSERT_EQ(0, queue_submit(&self->queue, passes, variant->passes, &point));
	ASSERT_EQ(0, queue_poll_state(&self->queue, point, DRM_NNLOOP_JOB_RUNNING));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_GT(variant->passes, status.passes_done);
	free(passes);

	/* The queue is none the worse. */
	program_init(&self->program);
	copy(&self->program, &(struct place){
		.in = self->small.iova, .out = self->small.iova + 1024, .size = 1024,
	});
	code_write(&self->code, &self->program);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
}

TEST_HARNESS_MAIN
