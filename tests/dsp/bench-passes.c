// SPDX-License-Identifier: MIT
/*
 * Packets that the firmware takes for a pass beside what its operators compute, counted by
 * qemu-hexagon. The firmware's own job.c runs here, on memory where the board's windows would be.
 */
#include "dsp/firmware/counters.h"
#include "dsp/firmware/job.h"
#include "dsp/firmware/platform.h"
#include "dsp/firmware/runtime.h"
#include "dsp/firmware/syscall.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "bench-passes.h"
#include "harness.h"
#include "tensor.h"

#define OPERATORS	69
#define MOST_OPERATORS	(2 * OPERATORS)
#define PASSES		100

/* An image of 4x4 pixels and 32 channels, which all operators turn into another. */
#define CHANNELS	32
#define IMAGE_BYTES	(16 * CHANNELS)

uint32_t platform_worker_block = NNLOOP_WORKER(0);
uint32_t platform_l2_bytes;
volatile struct board_fault platform_fault;

void platform_select_space(uint64_t root)
{
	(void)root;
}

uint32_t platform_refill_microseconds(void)
{
	return 0;
}

static struct {
	struct nn_program header;
	struct nn_program_region region[2];
	struct nn_program_tensor tensor[4 + MOST_OPERATORS];
	struct nn_program_op op[MOST_OPERATORS];
} parts;

static struct nnloop_cmd ring[NNLOOP_RING_ENTRIES] __attribute__((aligned(128)));
static uint64_t last_job, generation;

static uint16_t add_tensor(uint8_t type, uint32_t region, uint32_t offset, uint32_t rank,
			   const uint32_t *dims)
{
	struct nn_program_tensor *tensor = &parts.tensor[parts.header.tensor_count];

	*tensor = (struct nn_program_tensor){
		.type = type, .rank = rank, .level = region, .source = region, .offset = offset,
	};
	for (uint32_t i = 0; i < rank; i++)
		tensor->dims[i] = dims[i];
	return parts.header.tensor_count++;
}

static uint8_t *append(uint8_t *to, const void *from, uint32_t size)
{
	memcpy(to, from, size);
	return to + size;
}

/*
 * A chain of convolutions 1x1 into the window, each from one row of an image to another, as a
 * looped network has them. Its size.
 */
static uint32_t write_program(uint32_t ops)
{
	uint8_t *to = (uint8_t *)PROGRAM;
	uint16_t weights, bias, scale, input;

	memset(&parts, 0, sizeof(parts));
	parts.header = (struct nn_program){ .magic = NN_PROGRAM_MAGIC, .version = NN_PROGRAM_VERSION };
	parts.region[0] = (struct nn_program_region){ .base = CONSTANTS, .size = 0x100000 };
	parts.region[1] = (struct nn_program_region){
		.base = ARENA, .size = 0x100000, .flags = NN_REGION_WRITABLE,
	};
	parts.header.region_count = ops ? 2 : 0;
	if (ops) {
		weights = add_tensor(NN_TYPE_UINT8, 0, 0, DIMS(conv2d_weight_bytes(CHANNELS, 1, 1, CHANNELS)));
		bias = add_tensor(NN_TYPE_INT32, 0, 0x10000, DIMS(CHANNELS));
		scale = add_tensor(NN_TYPE_INT32, 0, 0x20000, DIMS(NN_SCALE_ROWS, CHANNELS));
		input = add_tensor(NN_TYPE_UINT8, 1, 0, DIMS(1, 4, 4, CHANNELS));
	}
	for (uint32_t i = 0; i < ops; i++) {
		struct nn_program_op *op = &parts.op[i];

		memset(op->input, 0xff, sizeof(op->input));
		memset(op->output, 0xff, sizeof(op->output));
		op->opcode = NN_OPCODE_CONV2D;
		op->node = i + 1;
		op->input[0] = input;
		op->input[1] = weights;
		op->input[2] = bias;
		op->input[3] = scale;
		input = add_tensor(NN_TYPE_UINT8, 1, (i + 1) * IMAGE_BYTES, DIMS(1, 4, 4, CHANNELS));
		op->output[0] = input;
		op->out_max = 255;
		op->window = window_of(1, 1, 1, 1);
	}
	generation++;
	parts.header.op_count = ops;
	parts.header.size = sizeof(parts.header) + parts.header.region_count * sizeof(*parts.region) +
			    parts.header.tensor_count * sizeof(*parts.tensor) + ops * sizeof(*parts.op);
	to = append(to, &parts.header, sizeof(parts.header));
	to = append(to, parts.region, parts.header.region_count * sizeof(*parts.region));
	to = append(to, parts.tensor, parts.header.tensor_count * sizeof(*parts.tensor));
	append(to, parts.op, ops * sizeof(*parts.op));
	return parts.header.size;
}

/* Runs the job that is in the ring: its packets. */
static uint32_t run_job(uint32_t passes)
{
	struct job_result result;
	struct counters counters;

	counters_start(&counters);
	job_run(ring, 0, 1 + passes, &result);
	counters_update(&counters);
	if (result.status != NNLOOP_STATUS_OK)
		print("status %u, operator %d, reason %u\n", (uint32_t)result.status, (int32_t)result.fail_op,
		      result.fail_reason);
	return counters.packets;
}

static void write_job(uint32_t passes)
{
	ring[0] = (struct nnloop_cmd){ .type = NNLOOP_CMD_JOB, .count = passes };
	ring[0].job.id = ++last_job;
	ring[0].job.space = 1;
	ring[0].job.client = 1;
	ring[0].job.client_generation = generation;
}

/* A job of so many passes of the program in the window, which is constant: its packets. */
static uint32_t job_packets(uint32_t size, uint32_t passes, uint32_t profile)
{
	write_job(passes);
	for (uint32_t i = 1; i <= passes; i++) {
		ring[i] = (struct nnloop_cmd){ .type = NNLOOP_CMD_PASS, .count = NN_ARG_COUNT };
		ring[i].pass.program = PROGRAM;
		ring[i].pass.program_size = size;
		ring[i].pass.arg[NN_ARG_ROWS(1)] = 1;
		ring[i].pass.arg[NN_ARG_PROFILE] = profile;
		ring[i].pass.arg[NN_ARG_FLAGS] = NN_PASS_CONSTANT;
	}
	memset((void *)PROFILE, 0, (1 + MOST_OPERATORS) * sizeof(struct nn_profile_record));
	return run_job(passes);
}

uint32_t control_packets(uint32_t size, uint32_t profile)
{
	write_job(1);
	ring[1] = (struct nnloop_cmd){ .type = NNLOOP_CMD_PASS, .count = NN_ARG_COUNT };
	ring[1].pass.program = CONTROL;
	ring[1].pass.program_size = size;
	ring[1].pass.arg[NN_ARG_PROFILE] = profile;
	ring[1].pass.arg[NN_ARG_FLAGS] = NN_PASS_CONSTANT | NN_PASS_CONTROL;
	return run_job(1);
}

/* The packets of a pass that is not a job's first, of a program that has been checked. */
static uint32_t pass_packets(uint32_t size, uint32_t profile)
{
	job_packets(size, 1, profile);
	return (job_packets(size, 1 + PASSES, profile) - job_packets(size, 1, profile)) / PASSES;
}

/* Operators that do nothing: what is counted is around them. */
static int do_nothing(const struct nn_call *call)
{
	(void)call;
	return 0;
}

static const struct nn_kernel kernels[NN_OPCODE_END] = {
	[NN_OPCODE_CONV2D] = { "conv2d", nn_conv2d_check, do_nothing },
};

const struct nn_kernel *const nn_kernels = kernels;

static void map_memory(uint32_t address, uint32_t size)
{
	if (sys_mmap(address, size, PROT_READ | PROT_WRITE,
		     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1) != address)
		platform_panic("no memory");
}

void platform_panic(const char *why)
{
	print("%s\n", why);
	sys_exit(1);
}

int main(void)
{
	uint32_t size, first, again, other, more;

	map_memory(PLATFORM_REGISTERS, NNLOOP_REGS_SIZE);
	map_memory(NNLOOP_WINDOW_BASE, WINDOW_SIZE);

	size = write_program(0);
	print("empty pass: %u packets\n", pass_packets(size, 0));
	print("empty pass, counted: %u packets\n", pass_packets(size, PROFILE));

	size = write_program(MOST_OPERATORS);
	more = pass_packets(size, 0);
	size = write_program(OPERATORS);
	first = job_packets(size, 1, 0);
	again = job_packets(size, 1, 0);
	other = pass_packets(size, 0);
	print("around an operator: %u packets\n", (more - other) / OPERATORS);
	print("first pass of 69 operators, beyond the others: %u packets\n", again - other);
	print("first pass of 69 operators that are checked, beyond the others: %u packets\n", first - other);

	size = write_program(MOST_OPERATORS);
	more = pass_packets(size, PROFILE);
	size = write_program(OPERATORS);
	other = pass_packets(size, PROFILE);
	print("around an operator, counted: %u packets\n", (more - other) / OPERATORS);

	write_program(0);
	return bench_control() ? 0 : 1;
}
