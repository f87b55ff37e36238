/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tiny assembler for DSP programs (dsp/program/nn_program.h): enough to move bytes about, to do
 * so for a long time, and to write programs that are wrong in a chosen place. It shares nothing
 * with the library, so that the driver's tests depend on the driver, the board and the format
 * alone.
 */
#ifndef NNLOOP_TEST_PROGRAM_H
#define NNLOOP_TEST_PROGRAM_H

#include <dsp/program/nn_program.h>

#include "nnloop_test.h"

#define PROGRAM_ROOM 32		/* of each of regions, tensors, operators */

struct program {
	struct nn_program header;
	struct nn_program_region region[PROGRAM_ROOM];
	struct nn_program_tensor tensor[PROGRAM_ROOM];
	struct nn_program_op op[PROGRAM_ROOM];
};

static inline void program_init(struct program *program)
{
	memset(program, 0, sizeof(*program));
	program->header.magic = NN_PROGRAM_MAGIC;
	program->header.version = NN_PROGRAM_VERSION;
}

/* Returns the region's index. */
static inline unsigned int program_region(struct program *program, __u64 iova, __u32 size,
					  __u32 flags)
{
	unsigned int i = program->header.region_count++;

	program->region[i] = (struct nn_program_region){
		.base = iova,
		.size = size,
		.flags = flags,
	};
	return i;
}

/* A tensor of rows of bytes that begins at a region's start. Returns its index. */
static inline unsigned int program_rows(struct program *program, unsigned int region,
					__u32 rows, __u32 row_bytes)
{
	unsigned int i = program->header.tensor_count++;

	program->tensor[i] = (struct nn_program_tensor){
		.type = NN_TYPE_UINT8,
		.rank = 2,
		.place = NN_PLACE_REGION,
		.source = region,
		.dims = { rows, row_bytes },
	};
	return i;
}

/*
 * A tensor that begins at a region's start, of as many dimensions as there are up to the last of
 * NN_MAX_RANK that is not 0. Returns its index.
 */
static inline unsigned int program_tensor(struct program *program, unsigned int region, __u8 type,
					  const __u32 *dims)
{
	unsigned int i = program->header.tensor_count++, k;

	program->tensor[i] = (struct nn_program_tensor){
		.type = type,
		.place = NN_PLACE_REGION,
		.source = region,
	};
	for (k = 0; k < NN_MAX_RANK; k++) {
		program->tensor[i].dims[k] = dims[k];
		if (dims[k])
			program->tensor[i].rank = k + 1;
	}
	return i;
}

/* The rows of `source` that a pass's first and rows of level 1 name. Returns its index. */
static inline unsigned int program_view(struct program *program, unsigned int source, __u32 rows)
{
	unsigned int i = program->header.tensor_count++;

	program->tensor[i] = program->tensor[source];
	program->tensor[i].level = 1;
	program->tensor[i].place = NN_PLACE_VIEW;
	program->tensor[i].source = source;
	program->tensor[i].offset = 0;
	program->tensor[i].dims[0] = rows;
	return i;
}

/* An operator with all its inputs. Returns its index. */
static inline unsigned int program_op(struct program *program, __u32 opcode, __u16 in_count,
				      const __u16 *in, __u16 out)
{
	unsigned int i = program->header.op_count++;
	struct nn_program_op *op = &program->op[i];
	unsigned int k;

	memset(op, 0, sizeof(*op));
	op->opcode = opcode;
	op->node = i + 1;
	for (k = 0; k < NN_MAX_OP_INPUTS; k++)
		op->input[k] = k < in_count ? in[k] : NN_NO_TENSOR;
	for (k = 0; k < NN_MAX_OP_OUTPUTS; k++)
		op->output[k] = NN_NO_TENSOR;
	op->output[0] = out;
	return i;
}

/* Copy whole rows. Returns the operator's index. */
static inline unsigned int program_copy(struct program *program, unsigned int in, unsigned int out)
{
	unsigned int i = program_op(program, NN_OPCODE_COPY, 1, (__u16[]){ in }, out);

	program->op[i].copy = (struct nn_copy_params){
		.count = 1,
		.block = program->tensor[in].dims[1],
	};
	return i;
}

/* Write the program to `to` as the DSP reads it, its size filled in if 0. Returns the size. */
static inline __u32 program_write(struct program *program, void *to)
{
	struct nn_program header = program->header;
	__u32 regions = header.region_count * sizeof(program->region[0]);
	__u32 tensors = header.tensor_count * sizeof(program->tensor[0]);
	__u32 ops = header.op_count * sizeof(program->op[0]);
	__u32 size = sizeof(header) + regions + tensors + ops;
	__u8 *p = to;

	if (!header.size)
		header.size = size;
	memcpy(p, &header, sizeof(header));
	p += sizeof(header);
	memcpy(p, program->region, regions);
	p += regions;
	memcpy(p, program->tensor, tensors);
	p += tensors;
	memcpy(p, program->op, ops);
	return size;
}

/* A program that copies `size` bytes from one address to another. */
static inline void program_init_copy(struct program *program, __u64 from, __u64 to, __u32 size)
{
	__u32 room = (size + 127) & ~127u;
	unsigned int in, out;

	program_init(program);
	in = program_region(program, from, room, 0);
	out = program_region(program, to, room, NN_REGION_WRITABLE);
	in = program_rows(program, in, 1, size);
	out = program_rows(program, out, 1, size);
	program_copy(program, in, out);
}

/*
 * A program over `rows` rows of `row_bytes`: each pass copies rows [first, first + rows) of one
 * buffer to rows [out_first, ...) of another, all by the pass's arguments of level 1.
 */
static inline void program_init_rows(struct program *program, __u64 from, __u64 to, __u32 rows,
				     __u32 row_bytes)
{
	unsigned int in, out;

	program_init(program);
	in = program_region(program, from, rows * row_bytes, 0);
	out = program_region(program, to, rows * row_bytes, NN_REGION_WRITABLE);
	in = program_rows(program, in, rows, row_bytes);
	in = program_view(program, in, rows);
	out = program_rows(program, out, rows, row_bytes);
	program->tensor[out].level = 1;
	program->tensor[out].place = NN_PLACE_OUTPUT;
	program_copy(program, in, out);
}

/* A buffer that holds a program, and the pass that runs it. */
struct code {
	struct bo bo;
	struct drm_nnloop_pass pass;
};

static inline int code_write(struct code *code, struct program *program)
{
	__u32 size = program_write(program, code->bo.map);

	code->pass = (struct drm_nnloop_pass){
		.program = code->bo.iova,
		.program_size = size,
	};
	return 0;
}

static inline int code_new(int fd, struct program *program, struct code *code)
{
	int ret;

	memset(code, 0, sizeof(*code));
	ret = bo_new(fd, sizeof(*program), &code->bo);
	if (ret)
		return ret;
	return code_write(code, program);
}

static inline void code_free(struct code *code)
{
	bo_free(&code->bo);
}

/*
 * Makes what the simplest job takes: a queue, two pages of memory, and a program that copies the
 * first `size` bytes of the first page to the second.
 */
static inline int copy_new(int fd, __u32 size, struct queue *queue, struct bo *data,
			   struct code *code)
{
	struct program program;
	int ret = queue_create(fd, queue);

	ret = ret ?: bo_new(fd, 8192, data);
	if (ret)
		return ret;
	program_init_copy(&program, data->iova, data->iova + 4096, size);
	return code_new(fd, &program, code);
}

/* The arguments of a pass of program_init_rows(). */
static inline struct drm_nnloop_pass code_rows(const struct code *code, __u32 first,
					       __u32 rows, __u32 out_first)
{
	struct drm_nnloop_pass pass = code->pass;

	pass.arg_count = 3;
	pass.args[NN_ARG_FIRST(1)] = first;
	pass.args[NN_ARG_ROWS(1)] = rows;
	pass.args[NN_ARG_OUT_FIRST(1)] = out_first;
	return pass;
}

/* Copy `size` bytes from buffer to buffer on the DSP, to the end. The status's error, or -errno. */
static inline int run_copy(struct queue *queue, struct code *code, __u64 from, __u64 to,
			   __u32 size, struct drm_nnloop_status *status)
{
	struct program program;
	int ret;

	program_init_copy(&program, from, to, size);
	code_write(code, &program);
	ret = queue_run(queue, &code->pass, 1, status);
	return ret ?: status->error;
}

/*
 * A job that runs until it is cancelled, for all that a test waits: as many passes as a job can
 * have, each of which copies SLOW_BYTES SLOW_OPS times (2 MiB; the emulated DSP does 50 to 200 MiB
 * a second). Cancelling takes effect within one copy. A few passes of it are a job of some length.
 */
#define SLOW_BYTES	0x20000
#define SLOW_OPS	16
#define SLOW_PASSES	1023

struct slow {
	struct bo data;
	struct code code;
	struct drm_nnloop_pass passes[SLOW_PASSES];
};

static inline int slow_new(int fd, struct slow *slow)
{
	struct program program;
	unsigned int in, out, i;
	int ret;

	memset(slow, 0, sizeof(*slow));
	ret = bo_create(fd, 2 * SLOW_BYTES, 0, &slow->data);
	if (ret)
		return ret;
	program_init(&program);
	in = program_region(&program, slow->data.iova, SLOW_BYTES, 0);
	out = program_region(&program, slow->data.iova + SLOW_BYTES, SLOW_BYTES,
			     NN_REGION_WRITABLE);
	in = program_rows(&program, in, 1, SLOW_BYTES);
	out = program_rows(&program, out, 1, SLOW_BYTES);
	for (i = 0; i < SLOW_OPS; i++)
		program_copy(&program, in, out);
	ret = code_new(fd, &program, &slow->code);
	for (i = 0; !ret && i < SLOW_PASSES; i++)
		slow->passes[i] = slow->code.pass;
	return ret;
}

static inline int slow_submit(struct slow *slow, struct queue *queue, __u64 *point)
{
	return queue_submit(queue, slow->passes, SLOW_PASSES, point);
}

/* A job that takes a moment, and ends well. */
static inline int slow_submit_short(struct slow *slow, struct queue *queue, __u64 *point)
{
	return queue_submit(queue, slow->passes, 15, point);
}

/* Start one and wait until it is on a worker. */
static inline int slow_start(struct slow *slow, struct queue *queue, __u64 *point)
{
	int ret = slow_submit(slow, queue, point);

	return ret ?: queue_poll_state(queue, *point, DRM_NNLOOP_JOB_RUNNING);
}

/*
 * A job of one pass, which makes room for nobody, that takes about as long: it copies ENDLESS_BYTES
 * ENDLESS_OPS times. Cancelling takes effect within one copy, too. A worker looks at all operators
 * before it begins, so there are not too many.
 */
#define ENDLESS_BYTES	0x200000
#define ENDLESS_OPS	1200

struct endless {
	struct bo data;
	struct code code;
};

static inline int endless_new(int fd, struct endless *endless)
{
	struct nn_program_op *op;
	struct program program;
	unsigned int i;
	int ret;

	memset(endless, 0, sizeof(*endless));
	ret = bo_create(fd, 2 * ENDLESS_BYTES, 0, &endless->data);
	ret = ret ?: bo_new(fd, sizeof(program) + ENDLESS_OPS * sizeof(*op), &endless->code.bo);
	if (ret)
		return ret;
	program_init_copy(&program, endless->data.iova, endless->data.iova + ENDLESS_BYTES,
			  ENDLESS_BYTES);
	op = (void *)(endless->code.bo.map + program_write(&program, endless->code.bo.map));
	for (i = 1; i < ENDLESS_OPS; i++)
		*op++ = program.op[0];
	program.header.op_count = ENDLESS_OPS;
	program.header.size = (__u8 *)op - endless->code.bo.map;
	memcpy(endless->code.bo.map, &program.header, sizeof(program.header));
	endless->code.pass = (struct drm_nnloop_pass){
		.program = endless->code.bo.iova,
		.program_size = program.header.size,
	};
	return 0;
}

static inline int endless_start(struct endless *endless, struct queue *queue, __u64 *point)
{
	int ret = queue_submit(queue, &endless->code.pass, 1, point);

	return ret ?: queue_poll_state(queue, *point, DRM_NNLOOP_JOB_RUNNING);
}

/*
 * A blockade: such jobs on all workers. Whatever else is submitted waits until they are released.
 */
struct blockade {
	struct endless endless;
	struct queue queue[8];
	unsigned int count;
};

static inline int workers_block_priority(int fd, __u32 priority, struct blockade *blockade)
{
	struct drm_nnloop_device_info info;
	int ret = device_query(fd, &info);
	__u64 point;

	memset(blockade, 0, sizeof(*blockade));
	ret = ret ?: endless_new(fd, &blockade->endless);
	while (!ret && blockade->count < info.worker_count) {
		struct queue *queue = &blockade->queue[blockade->count++];

		ret = queue_create_priority(fd, priority, queue);
		ret = ret ?: endless_start(&blockade->endless, queue, &point);
	}
	return ret;
}

static inline int workers_block(int fd, struct blockade *blockade)
{
	return workers_block_priority(fd, DRM_NNLOOP_PRIORITY_NORMAL, blockade);
}

static inline int workers_release(struct blockade *blockade)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < blockade->count && !ret; i++)
		ret = queue_cancel(&blockade->queue[i]);
	return ret;
}

#endif
