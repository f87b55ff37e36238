// SPDX-License-Identifier: MIT
/*
 * Large calls, whose sizes a test gives (large-call.h).
 */
#include "dsp/program/pack.h"
#include "large-call.h"
#include "system.h"

#define MEMORY		(640u << 20)
#define WRITABLE	(128u << 20)
#define MOST_LANES	((1u << 20) + 64)

static uint8_t *memory, *writable;

static uint8_t *reserve(uint32_t bytes)
{
	uint8_t *at = system_reserve(bytes, PROT_READ | PROT_WRITE);

	if (!at) {
		print("Bail out! no memory\n");
		system_exit(1);
	}
	return at;
}

void large_calls_reserve(void)
{
	memory = reserve(MEMORY);
	writable = reserve(WRITABLE);
}

/*
 * Not inlined: of two instructions in one word (a duplex), one of which adds the address of `call`,
 * ld.lld 14 puts the low bits of the address (R_HEX_8_X) into the other.
 */
static __attribute__((noinline)) void describe(struct nn_tensor *tensor, uint8_t type, uint32_t rank,
					       const uint32_t *dims)
{
	describe_tensor(tensor, type, rank, dims, memory);
	if (tensor->bytes > MEMORY) {
		print("Bail out! %u bytes do not fit\n", (uint32_t)tensor->bytes);
		system_exit(1);
	}
}

void large_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.input[i], type, rank, dims);
}

void large_constant(uint32_t i, uint8_t type, uint32_t elements)
{
	describe(&call.input[i], type, DIMS(elements));
	call.input[i].packed = true;
}

void large_output(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.output[0], type, rank, dims);
	call.output[0].data = writable;
	op.out_max = 255;
	if (call.output[0].bytes > WRITABLE) {
		print("Bail out! an output of %u bytes does not fit\n",
		      (uint32_t)call.output[0].bytes);
		system_exit(1);
	}
}

void large_more_output(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	const struct nn_tensor *before = &call.output[i - 1];

	describe(&call.output[i], type, rank, dims);
	call.output[i].data = before->data + (before->bytes + 127) / 128 * 128;
	if (call.output[i].data + call.output[i].bytes > writable + WRITABLE) {
		print("Bail out! outputs do not fit\n");
		system_exit(1);
	}
}

static uint32_t lanes_of(uint32_t outputs, bool is_repeated)
{
	return is_repeated ? nn_pack_repeated_lanes(outputs) : nn_pack_lanes(outputs);
}

void large_scales(uint32_t i, uint32_t outputs, bool is_repeated, bool is_any)
{
	static int32_t scales[NN_SCALE_ROWS * MOST_LANES] __attribute__((aligned(128)));
	static float half[MOST_LANES];
	static uint32_t reach[MOST_LANES];
	uint32_t lanes = lanes_of(outputs, is_repeated);

	for (uint32_t m = 0; m < outputs; m++) {
		half[m] = 0.5f;
		reach[m] = is_any ? NN_ANY_SUM : 1;
	}
	nn_pack_scales(scales, lanes, is_repeated ? lanes : outputs, half, reach, outputs);
	describe(&call.input[i], NN_TYPE_INT32, DIMS(NN_SCALE_ROWS, lanes));
	call.input[i].packed = true;
	call.input[i].data = (uint8_t *)scales;
}

void large_outputs(uint32_t outputs, bool is_repeated)
{
	static int32_t bias[MOST_LANES] __attribute__((aligned(128)));
	uint32_t lanes = lanes_of(outputs, is_repeated);

	for (uint32_t i = 0; i < lanes; i++)
		bias[i] = 1;
	large_constant(2, NN_TYPE_INT32, lanes);
	call.input[2].data = (uint8_t *)bias;
	large_scales(3, outputs, is_repeated, false);
}

void large_window(const struct large_window *shape)
{
	uint32_t reach = (shape->kernel - 1) * shape->dilation + 1;
	uint32_t out = (shape->size - reach) / shape->stride + 1;

	op.window = square_window(shape->kernel, shape->stride, shape->dilation, 0);
	op.window.multiplier = 1 << 30;
	op.window.shift = 36;
	large_input(0, NN_TYPE_UINT8, DIMS(shape->rows, shape->size, shape->size, shape->channels));
	large_output(NN_TYPE_UINT8, DIMS(shape->rows, out, out, shape->outputs));
}

static void set_pitch(struct nn_tensor *tensor, uint32_t pitch)
{
	tensor->row_pitch = (uint64_t)tensor->dims[1] * tensor->dims[2] * pitch;
	tensor->pitch = pitch;
}

void large_pitches(uint32_t input, uint32_t output)
{
	set_pitch(&call.input[0], input);
	set_pitch(&call.output[0], output);
	if (call.input[0].dims[0] * call.input[0].row_pitch > MEMORY ||
	    call.output[0].dims[0] * call.output[0].row_pitch > WRITABLE) {
		print("Bail out! pixels so far apart do not fit\n");
		system_exit(1);
	}
}
