// SPDX-License-Identifier: MIT
/*
 * Passes that several workers run together (nn_program_run_share()): threads on the host, under
 * ThreadSanitizer, so that whatever one reads or overwrites of another's without a barrier in
 * between is found. The program has operators that are divided by rows of an image, by outputs, by
 * elements in place and by bytes, two next to each other that are not, and one arena where tensors
 * lie where others were.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/tap.h"
#include "dsp/program/interpreter.h"
#include "dsp/kernels/weights.h"
#include "tensor.h"

#define MOST_WORKERS	4
#define MOST_ROWS	3u
#define OUT_ROWS	12u
#define OUTPUTS		70
#define REGION_SIZE	(64u << 10)
#define STOPPED		7	/* what barrier() says when another worker has ended, */
#define BROKEN		5	/* and what that one said */

enum { CONSTANTS, ARENA, INPUT, OUTPUT, REGIONS };

static struct {
	struct nn_program header;
	struct nn_program_region region[REGIONS];
	struct nn_program_tensor tensor[32];
	struct nn_program_op op[16];
} parts;

static uint8_t program[sizeof(parts)] __attribute__((aligned(8)));
static uint32_t program_size, constants_used;
static uint8_t *memory[REGIONS];

/* Making the program. */

static uint16_t place_tensor(uint8_t type, uint32_t region, uint32_t offset, uint32_t rank,
			     const uint32_t *dims)
{
	struct nn_program_tensor *tensor = &parts.tensor[parts.header.tensor_count];

	*tensor = (struct nn_program_tensor){
		.type = type,
		.rank = rank,
		.level = region != CONSTANTS,
		.place = region == OUTPUT ? NN_PLACE_OUTPUT : NN_PLACE_REGION,
		.source = region,
		.offset = offset,
		.zero_point = type == NN_TYPE_UINT8 ? 128 : 0,
	};
	memcpy(tensor->dims, dims, rank * sizeof(*dims));
	return parts.header.tensor_count++;
}

static uint16_t constant(uint8_t type, uint32_t elements)
{
	uint32_t offset = constants_used;

	constants_used += (elements * nn_type_size(type) + 127) / 128 * 128;
	return place_tensor(type, CONSTANTS, offset, DIMS(elements));
}

static uint16_t scales(uint32_t lanes)
{
	uint32_t offset = constants_used;

	constants_used += NN_SCALE_ROWS * lanes * sizeof(int32_t);
	return place_tensor(NN_TYPE_INT32, CONSTANTS, offset, DIMS(NN_SCALE_ROWS, lanes));
}

static struct nn_program_op *add_op(enum nn_opcode opcode, const uint16_t *inputs, uint32_t count,
				    uint16_t output)
{
	struct nn_program_op *op = &parts.op[parts.header.op_count++];

	memset(op->input, 0xff, sizeof(op->input));
	memset(op->output, 0xff, sizeof(op->output));
	memcpy(op->input, inputs, count * sizeof(*inputs));
	op->output[0] = output;
	op->opcode = opcode;
	if (nn_opcode_is_clamped(opcode))
		op->out_max = 255;
	return op;
}

#define ADD_OP(opcode, output, ...) add_op(opcode, (const uint16_t[]){ __VA_ARGS__ }, \
					   sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2, output)

static void set_window(struct nn_program_op *op, uint32_t kernel, uint32_t stride, uint32_t pad)
{
	op->window = square_window(kernel, stride, 1, pad);
}

static void append(const void *data, uint32_t size)
{
	memcpy(program + program_size, data, size);
	program_size += size;
}

/* The number of barriers in a pass of it. */
#define BARRIERS	7

static void make_program(void)
{
	/* Two halves of the arena in turn. */
	const uint32_t first = 0, second = 8192, image = NN_TYPE_UINT8;
	const uint32_t dims[] = { MOST_ROWS, 9, 8, 8 };
	uint16_t input = place_tensor(image, INPUT, 0, 4, dims);
	uint16_t a = place_tensor(image, ARENA, first, 4, dims);
	uint16_t b = place_tensor(image, ARENA, second, 4, dims);
	uint16_t pooled = place_tensor(image, ARENA, second, DIMS(MOST_ROWS, 5, 4, 8));
	uint16_t turned = place_tensor(image, ARENA, first, DIMS(MOST_ROWS, 8, 5, 4));
	uint16_t again = place_tensor(image, ARENA, second, DIMS(MOST_ROWS, 5, 4, 8));
	uint16_t flat = place_tensor(image, ARENA, first, DIMS(MOST_ROWS, 160));
	uint16_t output = place_tensor(image, OUTPUT, 0, DIMS(OUT_ROWS, OUTPUTS));

	set_window(ADD_OP(NN_OPCODE_CONV2D, a, input,
			  constant(NN_TYPE_UINT8, conv2d_weight_bytes(8, 3, 3, 8)),
			  constant(NN_TYPE_INT32, 32), scales(32)), 3, 1, 1);
	set_window(ADD_OP(NN_OPCODE_DEPTHWISE_CONV2D, b, a,
			  constant(NN_TYPE_INT8, depthwise_weight_bytes(8, 3, 3)),
			  constant(NN_TYPE_INT32, 64), scales(64)), 3, 1, 1);
	ADD_OP(NN_OPCODE_ADD, a, a, b)->add = (struct nn_add_params){ 1 << 19, 1 << 19, 20 };
	set_window(ADD_OP(NN_OPCODE_MAX_POOL, pooled, a), 3, 2, 1);
	memcpy(ADD_OP(NN_OPCODE_TRANSPOSE, turned, pooled)->transpose.permutation,
	       (uint32_t[]){ 0, 3, 1, 2 }, 16);
	memcpy(ADD_OP(NN_OPCODE_TRANSPOSE, again, turned)->transpose.permutation,
	       (uint32_t[]){ 0, 2, 3, 1 }, 16);
	ADD_OP(NN_OPCODE_COPY, flat, again)->copy = (struct nn_copy_params){ 1, 160, 0, 0, 0, 0 };
	ADD_OP(NN_OPCODE_FULLY_CONNECTED, output, flat,
	       constant(NN_TYPE_UINT8, conv2d_weight_bytes(OUTPUTS, 1, 1, 160)),
	       constant(NN_TYPE_INT32, 96), scales(96));

	for (uint32_t i = 0; i < REGIONS; i++)
		parts.region[i] = (struct nn_program_region){
			.base = i * REGION_SIZE,
			.size = REGION_SIZE,
			.flags = i == ARENA || i == OUTPUT ? NN_REGION_WRITABLE : 0,
		};
	parts.header.magic = NN_PROGRAM_MAGIC;
	parts.header.version = NN_PROGRAM_VERSION;
	parts.header.region_count = REGIONS;
	parts.header.size = sizeof(parts.header) + sizeof(parts.region) +
			    parts.header.tensor_count * sizeof(*parts.tensor) +
			    parts.header.op_count * sizeof(*parts.op);
	append(&parts.header, sizeof(parts.header));
	append(parts.region, sizeof(parts.region));
	append(parts.tensor, parts.header.tensor_count * sizeof(*parts.tensor));
	append(parts.op, parts.header.op_count * sizeof(*parts.op));
}

/* Any bytes, but for what makes results spread over their range. */
static void fill_memory(void)
{
	uint32_t state = 1;

	for (uint32_t i = 0; i < REGIONS; i++) {
		memory[i] = aligned_alloc(128, REGION_SIZE);
		for (uint32_t k = 0; k < REGION_SIZE; k++) {
			state = state * 1664525 + 1013904223;
			memory[i][k] = state >> 24;
		}
	}
	for (uint32_t i = 0; i < parts.header.tensor_count; i++) {
		const struct nn_program_tensor *tensor = &parts.tensor[i];
		void *data = memory[tensor->source] + tensor->offset;

		/* Portable kernels read the row of floats alone. */
		for (uint32_t k = 0; tensor->type == NN_TYPE_INT32 && k < tensor->dims[1]; k++)
			((float *)data)[k] = 0.0005f;
		for (uint32_t k = 0; tensor->type == NN_TYPE_INT32 && tensor->rank == 1 &&
				     k < tensor->dims[0]; k++)
			((int32_t *)data)[k] = (int32_t)k * 1000;
	}
}

/* Workers */

/* The number of passes that are run, one after the other, and of rows in each. */
struct passes {
	uint32_t count, rows[4];
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t workers, here, barriers;
	bool ended;		/* one of them has, before the end */
} place = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

struct worker {
	pthread_t thread;
	struct nn_share share;
	const struct passes *passes;
	uint32_t breaks_at;	/* the operator where it ends, ~0: nowhere */
	struct nn_run run;
	struct nn_failure failure;
	int result;
	uint8_t *scratch;
	void *room;
};

static int barrier(struct nn_run *run)
{
	uint32_t barrier;
	bool ended;

	(void)run;
	pthread_mutex_lock(&place.lock);
	barrier = place.barriers;
	if (++place.here == place.workers) {
		place.here = 0;
		place.barriers++;
		pthread_cond_broadcast(&place.changed);
	}
	while (place.barriers == barrier && !place.ended)
		pthread_cond_wait(&place.changed, &place.lock);
	ended = place.barriers == barrier;
	pthread_mutex_unlock(&place.lock);
	return ended ? STOPPED : 0;
}

static int progress(struct nn_run *run, uint32_t op)
{
	struct worker *worker = run->context;

	return op != NN_SAME_OP && op == worker->breaks_at ? BROKEN : 0;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct nn_memory regions[REGIONS];
	uint32_t arg[NN_ARG_COUNT] = { 0 };

	for (uint32_t i = 0; i < REGIONS; i++)
		regions[i] = (struct nn_memory){ memory[i], REGION_SIZE, true };
	worker->room = aligned_alloc(8, NN_PREPARED_MAX_SIZE);
	worker->scratch = aligned_alloc(128, NN_SCRATCH_SIZE);
	worker->run = (struct nn_run){
		.prepared = nn_program_prepare((const struct nn_program *)program, regions,
					       worker->room, &worker->failure),
		.arg = arg,
		.scratch = worker->scratch,
		.scratch_size = NN_SCRATCH_SIZE,
		.progress = progress,
		.context = worker,
	};
	worker->result = worker->run.prepared ? 0 : -1;
	for (uint32_t i = 0; i < worker->passes->count && !worker->result; i++) {
		arg[NN_ARG_ROWS(1)] = worker->passes->rows[i];
		if (worker->share.count)
			worker->result = nn_program_run_share(&worker->run, &worker->share,
							      &worker->failure);
		else
			worker->result = nn_program_run(&worker->run, &worker->failure);
		arg[NN_ARG_OUT_FIRST(1)] += worker->passes->rows[i];
	}
	if (worker->result) {
		pthread_mutex_lock(&place.lock);
		place.ended = true;
		pthread_cond_broadcast(&place.changed);
		pthread_mutex_unlock(&place.lock);
	}
	free(worker->scratch);
	free(worker->room);
	return NULL;
}

/* On so many workers, of which the one numbered `breaks` ends where it comes to an operator. */
static void run_passes(struct worker *worker, uint32_t count, const struct passes *passes,
		       uint32_t breaks, uint32_t at)
{
	memset(memory[OUTPUT], 0xa5, REGION_SIZE);
	place.workers = count;
	place.here = place.barriers = 0;
	place.ended = false;
	for (uint32_t i = 0; i < count; i++) {
		worker[i] = (struct worker){
			.share = { .index = i, .count = count, .barrier = barrier },
			.passes = passes,
			.breaks_at = i == breaks ? at : ~0u,
		};
		pthread_create(&worker[i].thread, NULL, work, &worker[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		pthread_join(worker[i].thread, NULL);
}

static void run_alone(const struct passes *passes)
{
	struct worker worker = { .passes = passes, .breaks_at = ~0u };

	memset(memory[OUTPUT], 0xa5, REGION_SIZE);
	work(&worker);
	CHECK(!worker.result);
}

/* Tests */

static void test_check(void)
{
	struct nn_failure failure;

	CHECK(!nn_program_check(program, program_size, &failure));
}

static const struct passes all_passes = { 4, { 1, 3, 0, 2 } };

static void test_same_bytes(void)
{
	struct worker worker[MOST_WORKERS];
	uint8_t *alone = malloc(REGION_SIZE);

	run_alone(&all_passes);
	memcpy(alone, memory[OUTPUT], REGION_SIZE);
	/* Two rows of the second pass, which would hide much if they were the same. */
	CHECK(memcmp(alone + OUTPUTS, alone + 2 * OUTPUTS, OUTPUTS));
	for (uint32_t count = 1; count <= MOST_WORKERS; count++) {
		run_passes(worker, count, &all_passes, ~0u, 0);
		for (uint32_t i = 0; i < count; i++)
			CHECK(!worker[i].result);
		CHECK(!memcmp(alone, memory[OUTPUT], REGION_SIZE));
		/* The pass without rows has but the one where it begins. */
		CHECK(place.barriers == 3 * BARRIERS + 1);
	}
	free(alone);
}

/* Whichever worker ends, wherever, the others do not wait for it. */
static void test_end(void)
{
	struct worker worker[MOST_WORKERS];

	for (uint32_t op = 0; op < parts.header.op_count; op++) {
		for (uint32_t breaks = 0; breaks < MOST_WORKERS; breaks++) {
			run_passes(worker, MOST_WORKERS, &all_passes, breaks, op);
			/* It may never have a part of this one. */
			if (!worker[breaks].result)
				continue;
			CHECK(worker[breaks].result == BROKEN && worker[breaks].failure.op == op);
			for (uint32_t i = 0; i < MOST_WORKERS; i++)
				CHECK(i == breaks || worker[i].result == STOPPED);
		}
	}
	CHECK(worker[0].result == 0);	/* the last worker has no part of the last operator */
}

static void test_rows(void)
{
	static const struct passes too_many = { 1, { MOST_ROWS + 1 } };
	struct worker worker[MOST_WORKERS];

	run_passes(worker, MOST_WORKERS, &too_many, ~0u, 0);
	for (uint32_t i = 0; i < MOST_WORKERS; i++)
		CHECK(worker[i].result == -1 && worker[i].failure.reason == NN_REASON_ROWS);
	/* Where the pass begins: each has done the one before. */
	CHECK(place.barriers == 1);
}

int main(void)
{
	make_program();
	fill_memory();
	tap_run("check", test_check);
	tap_run("same_bytes", test_same_bytes);
	tap_run("end", test_end);
	tap_run("rows", test_rows);
	for (uint32_t i = 0; i < REGIONS; i++)
		free(memory[i]);
	return tap_end();
}
