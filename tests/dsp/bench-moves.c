// SPDX-License-Identifier: MIT
/*
 * Packets that operators take that move data, for bench.c: what a graph's operator becomes, whose
 * calls are counted together.
 */
#include "bench-moves.h"
#include "dsp/firmware/counters.h"
#include "dsp/firmware/runtime.h"
#include "harness.h"
#include "tensor.h"

#define MOST_BYTES	(4u << 20)

static uint8_t input[MOST_BYTES] __attribute__((aligned(128)));
static uint8_t output[MOST_BYTES] __attribute__((aligned(128)));
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

static uint64_t packets;
static uint32_t bytes;		/* of the output */

static struct nn_run run;
static struct nn_program_op op;
static struct nn_call call;

static void begin(enum nn_opcode opcode)
{
	op = (struct nn_program_op){ .opcode = opcode };
	call = (struct nn_call){
		.op = &op, .run = &run, .scratch = scratch, .scratch_size = sizeof(scratch)
	};
}

static void count(void)
{
	struct counters counters;

	if (call.input[0].bytes > MOST_BYTES || call.output[0].bytes > MOST_BYTES ||
	    nn_kernels[op.opcode].check(&call)) {
		print("%s: refused\n", nn_kernels[op.opcode].name);
		return;
	}
	counters_start(&counters);
	nn_kernels[op.opcode].run(&call);
	counters_update(&counters);
	packets += counters.packets;
	bytes = call.output[0].bytes;
}

/* A MOVE of dimensions with strides of the input to dense rows. */
static void count_move(uint32_t input_bytes, uint32_t first, uint32_t rank, const uint32_t *dims,
		       const int32_t *strides)
{
	int32_t step = 1;

	begin(NN_OPCODE_MOVE);
	op.move.src_offset = first;
	for (uint32_t i = NN_MOVE_DIMS, k = rank; i-- > 0;) {
		op.move.count[i] = 1;
		if (!k)
			continue;
		op.move.count[i] = dims[--k];
		op.move.src_stride[i] = strides[k];
		op.move.dst_stride[i] = step;
		step *= dims[k];
	}
	describe_tensor(&call.input[0], NN_TYPE_UINT8, DIMS(1, input_bytes), input);
	describe_tensor(&call.output[0], NN_TYPE_UINT8, DIMS(1, step), output);
	count();
}

#define STRIDES(...)	((const int32_t[]){ __VA_ARGS__ })

/* Parameters are channels, height and width of the input, and what is said. */
static void depth_to_space(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], b = p[3], inner = c / b / b;

	count_move(h * w * c, 0, DIMS(h, b, w, b, inner),
		   STRIDES(w * c, b * inner, c, inner, 1));
}

static void depth_to_space_crd(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], b = p[3], inner = c / b / b;

	count_move(h * w * c, 0, DIMS(h, b, w, b, inner), STRIDES(w * c, b, c, 1, b * b));
}

static void space_to_depth(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], b = p[3];

	count_move(h * w * c, 0, DIMS(h / b, w / b, b, b, c),
		   STRIDES(b * w * c, b * c, w * c, c, 1));
}

/* Repeats of channels, height and width. */
static void tile(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2];

	count_move(h * w * c, 0, DIMS(p[4], h, p[5], w, p[3], c),
		   STRIDES(0, w * c, 0, c, 0, 1));
}

/* Pixels that are left away at each end, and the step. */
static void slice(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], cut = p[3], step = p[4];

	count_move(h * w * c, (w + 1) * cut * c,
		   DIMS((h - 2 * cut) / step, (w - 2 * cut) / step, c),
		   STRIDES(step * w * c, step * c, 1));
}

static void flip(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2];

	count_move(h * w * c, (w - 1) * c, DIMS(h, w, c), STRIDES(w * c, -(int32_t)c, 1));
}

static void fill(const uint32_t *p)
{
	begin(NN_OPCODE_FILL);
	describe_tensor(&call.output[0], p[0], DIMS(1, p[1]), output);
	count();
}

/* Pixels at each end. */
static void pad(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], pixels = p[3], length = (w + 2 * pixels) * c;

	fill((const uint32_t[]){ NN_TYPE_UINT8, (h + 2 * pixels) * length });
	begin(NN_OPCODE_COPY);
	op.copy = (struct nn_copy_params){
		.count = h,
		.block = w * c,
		.src_stride = w * c,
		.dst_offset = pixels * (length + c),
		.dst_stride = length,
	};
	describe_tensor(&call.input[0], NN_TYPE_UINT8, DIMS(1, h * w * c), input);
	describe_tensor(&call.output[0], NN_TYPE_UINT8, DIMS(1, (h + 2 * pixels) * length),
			output);
	count();
}

/* The same where channels come first. */
static void pad_planes(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], pixels = p[3], length = w + 2 * pixels;
	uint32_t plane = (h + 2 * pixels) * length;

	fill((const uint32_t[]){ NN_TYPE_UINT8, c * plane });
	begin(NN_OPCODE_MOVE);
	op.move = (struct nn_move_params){
		.count = { 1, 1, 1, c, h, w },
		.src_stride = { 0, 0, 0, h * w, w, 1 },
		.dst_stride = { 0, 0, 0, plane, length, 1 },
		.dst_offset = pixels * (length + 1),
	};
	describe_tensor(&call.input[0], NN_TYPE_UINT8, DIMS(1, c * h * w), input);
	describe_tensor(&call.output[0], NN_TYPE_UINT8, DIMS(1, c * plane), output);
	count();
}

/* The stride. */
static void spread(const uint32_t *p)
{
	uint32_t c = p[0], h = p[1], w = p[2], stride = p[3];

	begin(NN_OPCODE_SPREAD);
	op.spread = (struct nn_spread_params){ stride, stride, 0, 0 };
	describe_tensor(&call.input[0], NN_TYPE_UINT8, DIMS(1, h, w, c), input);
	describe_tensor(&call.output[0], NN_TYPE_UINT8, DIMS(1, h * stride, w * stride, c), output);
	count();
}

/* The input's dimensions as NHWC or else, its type, and what becomes of them, as digits. */
static void transpose(const uint32_t *p)
{
	uint32_t dims[5] = { 1, p[0], p[1], p[2], p[3] }, out[5], digits = p[5];

	begin(NN_OPCODE_TRANSPOSE);
	for (uint32_t i = 5; i-- > 1; digits /= 10)
		op.transpose.permutation[i] = digits % 10;
	for (uint32_t i = 0; i < 5; i++)
		out[i] = dims[op.transpose.permutation[i]];
	describe_tensor(&call.input[0], p[4], 5, dims, input);
	describe_tensor(&call.output[0], p[4], 5, out, output);
	count();
}

/* Parts, places and bytes of each; how many are taken of each part. */
static void describe_indices(const uint32_t *p, struct nn_take_params *take)
{
	static int32_t indices[1 << 16];

	for (uint32_t i = 0; i < p[3]; i++)
		indices[i] = random_below(p[1]);
	describe_tensor(&call.input[0], NN_TYPE_INT8, DIMS(1, p[0], p[1], p[2]), input);
	describe_tensor(&call.input[1], NN_TYPE_INT32, DIMS(1, p[3]), indices);
	*take = (struct nn_take_params){ 1, { p[1], 1, 1, 1, 1, 1, 1 }, p[0], 0, p[2] };
}

static void take(const uint32_t *p)
{
	begin(NN_OPCODE_TAKE);
	describe_indices(p, &op.take);
	describe_tensor(&call.output[0], NN_TYPE_INT8, DIMS(1, p[0], p[3], p[2]), output);
	count();
}

static void scatter(const uint32_t *p)
{
	static uint8_t updates[1 << 20];

	begin(NN_OPCODE_SCATTER);
	describe_indices(p, &op.scatter.indexing);
	op.scatter.form = p[4];
	describe_tensor(&call.input[2], NN_TYPE_INT8, DIMS(1, p[0], p[3], p[2]), updates);
	describe_tensor(&call.output[0], NN_TYPE_INT8, DIMS(1, p[0], p[1], p[2]), output);
	count();
	bytes = call.input[2].bytes;
}

/* Rows and bytes of one, and the rows that are made. */
static void rotate(const uint32_t *p)
{
	begin(NN_OPCODE_ROTATE_ROWS);
	describe_tensor(&call.input[0], NN_TYPE_UINT8, DIMS(p[0], p[1]), input);
	describe_tensor(&call.output[0], NN_TYPE_UINT8, DIMS(p[2], p[1]), output);
	call.output[0].level = 1;
	count();
}

static void number(const uint32_t *p)
{
	begin(NN_OPCODE_ROW_NUMBERS);
	describe_tensor(&call.input[0], NN_TYPE_UINT8, DIMS(p[0], 1), input);
	describe_tensor(&call.output[0], NN_TYPE_INT32, DIMS(p[1]), output);
	call.output[0].level = 1;
	count();
}

enum { U8 = NN_TYPE_UINT8, I16 = NN_TYPE_INT16, I32 = NN_TYPE_INT32 };

static const struct {
	const char *name;
	void (*make)(const uint32_t *p);
	uint32_t p[6];
} rows[] = {
	{ "pad of a pixel 64 56x56", pad, { 64, 56, 56, 1 } },
	{ "pad of a pixel 24 112x112", pad, { 24, 112, 112, 1 } },
	{ "pad of a pixel 512 7x7", pad, { 512, 7, 7, 1 } },
	{ "pad of a pixel 3 8x8", pad, { 3, 8, 8, 1 } },
	{ "pad of a pixel 64 56x56, channels first", pad_planes, { 64, 56, 56, 1 } },
	{ "pad of a pixel 256 14x14, channels first", pad_planes, { 256, 14, 14, 1 } },
	{ "depth to space 9 -> 1 112x112", depth_to_space, { 9, 112, 112, 3 } },
	{ "depth to space 4 -> 1 112x112", depth_to_space, { 4, 112, 112, 2 } },
	{ "depth to space 27 -> 3 64x64, channels first", depth_to_space_crd, { 27, 64, 64, 3 } },
	{ "depth to space 64 -> 16 56x56", depth_to_space, { 64, 56, 56, 2 } },
	{ "depth to space 64 -> 16 56x56, channels first", depth_to_space_crd, { 64, 56, 56, 2 } },
	{ "depth to space 256 -> 64 28x28", depth_to_space, { 256, 28, 28, 2 } },
	{ "depth to space 4 -> 1 24x24", depth_to_space_crd, { 4, 24, 24, 2 } },
	{ "depth to space 9 -> 1 17x17", depth_to_space, { 9, 17, 17, 3 } },
	{ "space to depth 3 -> 12 224x224", space_to_depth, { 3, 224, 224, 2 } },
	{ "space to depth 1 -> 9 111x111", space_to_depth, { 1, 111, 111, 3 } },
	{ "space to depth 64 -> 256 28x28", space_to_depth, { 64, 28, 28, 2 } },
	{ "space to depth 12 -> 48 56x56", space_to_depth, { 12, 56, 56, 2 } },
	{ "tile of channels 64 28x28 by 2", tile, { 64, 28, 28, 2, 1, 1 } },
	{ "tile of channels 1 56x56 by 64", tile, { 1, 56, 56, 64, 1, 1 } },
	{ "tile of channels 3 56x56 by 3", tile, { 3, 56, 56, 3, 1, 1 } },
	{ "tile of pixels 64 28x28 by 2x2", tile, { 64, 28, 28, 1, 2, 2 } },
	{ "tile of pixels 24 1x1 by 28x28", tile, { 24, 1, 1, 1, 28, 28 } },
	{ "tile of pixels 256 1x1 by 28x28", tile, { 256, 1, 1, 1, 28, 28 } },
	{ "slice of 64 58x58 to 56x56", slice, { 64, 58, 58, 1, 1 } },
	{ "slice of 24 58x58 to 56x56", slice, { 24, 58, 58, 1, 1 } },
	{ "slice of 3 226x226 to 224x224", slice, { 3, 226, 226, 1, 1 } },
	{ "slice of 3 10x10 to 8x8", slice, { 3, 10, 10, 1, 1 } },
	{ "slice of 64 56x56, every other", slice, { 64, 56, 56, 0, 2 } },
	{ "slice of 24 56x56, every other", slice, { 24, 56, 56, 0, 2 } },
	{ "slice of 3 224x224, every other", slice, { 3, 224, 224, 0, 2 } },
	{ "slice of 1 224x224, every other", slice, { 1, 224, 224, 0, 2 } },
	{ "slice of 144 28x28, every other", slice, { 144, 28, 28, 0, 2 } },
	{ "flip of 1 224x224", flip, { 1, 224, 224 } },
	{ "flip of 3 224x224", flip, { 3, 224, 224 } },
	{ "flip of 64 56x56", flip, { 64, 56, 56 } },
	{ "fill 56x56x64", fill, { NN_TYPE_UINT8, 56 * 56 * 64 } },
	{ "fill 56x56x64 of 32 bits", fill, { NN_TYPE_INT32, 56 * 56 * 64 } },
	{ "spread 64 28x28 by 2", spread, { 64, 28, 28, 2 } },
	{ "spread 21 17x17 by 2", spread, { 21, 17, 17, 2 } },
	{ "spread 3 56x56 by 2", spread, { 3, 56, 56, 2 } },
	{ "shuffle 116 28x28", transpose, { 28, 28, 2, 58, U8, 1243 } },
	{ "shuffle 232 14x14", transpose, { 14, 14, 2, 116, U8, 1243 } },
	{ "shuffle 464 7x7", transpose, { 7, 7, 2, 232, U8, 1243 } },
	{ "shuffle 24 56x56", transpose, { 56, 56, 2, 12, U8, 1243 } },
	{ "shuffle 240 28x28 of 3 groups", transpose, { 28, 28, 3, 80, U8, 1243 } },
	{ "shuffle 272 14x14 of 4 groups", transpose, { 14, 14, 4, 68, U8, 1243 } },
	{ "shuffle 384 14x14 of 8 groups", transpose, { 14, 14, 8, 48, U8, 1243 } },
	{ "shuffle 116 28x28 of 16 bits", transpose, { 28, 28, 2, 58, I16, 1243 } },
	{ "heads 196x3x64 -> 3x196x64", transpose, { 1, 196, 3, 64, U8, 1324 } },
	{ "heads 3x196x64 -> 196x3x64", transpose, { 1, 3, 196, 64, U8, 1324 } },
	{ "heads 196x12x64 -> 12x196x64", transpose, { 1, 196, 12, 64, U8, 1324 } },
	{ "heads 12x196x64 -> 196x12x64", transpose, { 1, 12, 196, 64, U8, 1324 } },
	{ "heads 196x12x64 -> 12x64x196", transpose, { 1, 196, 12, 64, U8, 1342 } },
	{ "heads 64x4x32 -> 4x64x32", transpose, { 1, 64, 4, 32, U8, 1324 } },
	{ "heads 64x4x24 -> 4x64x24", transpose, { 1, 64, 4, 24, U8, 1324 } },
	{ "heads 49x3x32 -> 3x49x32", transpose, { 1, 49, 3, 32, U8, 1324 } },
	{ "heads 49x3x32 -> 3x32x49, 64 times", transpose, { 64, 49, 3, 32, U8, 1342 } },
	{ "windows 8x7x8x672 -> 8x8x7x672", transpose, { 8, 7, 8, 672, U8, 1324 } },
	{ "transpose 56x56x4 to channels first", transpose, { 1, 56, 56, 4, U8, 1423 } },
	{ "transpose 56x56x4 to channels last", transpose, { 1, 4, 56, 56, U8, 1342 } },
	{ "transpose 56x56x5 to channels first", transpose, { 1, 56, 56, 5, U8, 1423 } },
	{ "transpose 56x56x5 to channels last", transpose, { 1, 5, 56, 56, U8, 1342 } },
	{ "transpose 56x56x2 to channels first", transpose, { 1, 56, 56, 2, U8, 1423 } },
	{ "transpose 56x56x2 to channels last", transpose, { 1, 2, 56, 56, U8, 1342 } },
	{ "transpose 56x56x12 to channels first", transpose, { 1, 56, 56, 12, U8, 1423 } },
	{ "transpose 56x56x12 to channels last", transpose, { 1, 12, 56, 56, U8, 1342 } },
	{ "transpose 56x56x21 to channels first", transpose, { 1, 56, 56, 21, U8, 1423 } },
	{ "transpose 17x17x21 to channels last", transpose, { 1, 21, 17, 17, U8, 1342 } },
	{ "transpose 8x8x3 to channels first", transpose, { 1, 8, 8, 3, U8, 1423 } },
	{ "transpose 8x8x3 to channels last", transpose, { 1, 3, 8, 8, U8, 1342 } },
	{ "transpose 4x4x3 to channels first", transpose, { 1, 4, 4, 3, U8, 1423 } },
	{ "transpose 7x7x64 to channels first", transpose, { 1, 7, 7, 64, U8, 1423 } },
	{ "transpose 4x4x256 to channels first", transpose, { 1, 4, 4, 256, U8, 1423 } },
	{ "transpose 10x10x24 to channels first", transpose, { 1, 10, 10, 24, U8, 1423 } },
	{ "transpose 64x 8x10 -> 10x8", transpose, { 1, 64, 8, 10, U8, 1243 } },
	{ "transpose 64x 16x20 -> 20x16", transpose, { 1, 64, 16, 20, U8, 1243 } },
	{ "transpose 64x 49x64 -> 64x49", transpose, { 1, 64, 49, 64, U8, 1243 } },
	{ "transpose 28x28x64 of 16 bits to channels first", transpose,
	  { 1, 28, 28, 64, I16, 1423 } },
	{ "transpose 28x28x64 of 32 bits to channels first", transpose,
	  { 1, 28, 28, 64, I32, 1423 } },
	{ "transpose 56x56x3 of 32 bits to channels last", transpose,
	  { 1, 3, 56, 56, I32, 1342 } },
	{ "transpose 56x56x3 of 16 bits to channels first", transpose,
	  { 1, 56, 56, 3, I16, 1423 } },
	{ "swap height and width of 3 64x64", transpose, { 1, 64, 64, 3, U8, 1324 } },
	{ "swap height and width of 4 64x64", transpose, { 1, 64, 64, 4, U8, 1324 } },
	{ "swap height and width of 16 64x64", transpose, { 1, 64, 64, 16, U8, 1324 } },
	{ "take 196 rows of 384", take, { 1, 1000, 384, 196 } },
	{ "take 512 rows of 128", take, { 1, 1000, 128, 512 } },
	{ "take 512 rows of 64", take, { 1, 1000, 64, 512 } },
	{ "take 512 rows of 16", take, { 1, 1000, 16, 512 } },
	{ "take 512 rows of 4", take, { 1, 1000, 4, 512 } },
	{ "take 4096 of 1000 bytes", take, { 1, 1000, 1, 4096 } },
	{ "take 32 of 64 channels of 28x28", take, { 784, 64, 1, 32 } },
	{ "take 100 of 300 channels of 14x14", take, { 196, 300, 1, 100 } },
	{ "scatter 512 rows of 128", scatter, { 1, 1000, 128, 512, NN_SCATTER_PUT } },
	{ "scatter 512 rows of 64", scatter, { 1, 1000, 64, 512, NN_SCATTER_PUT } },
	{ "scatter 512 rows of 64, sums", scatter, { 1, 1000, 64, 512, NN_SCATTER_ADD } },
	{ "scatter 4096 of 1000 bytes", scatter, { 1, 1000, 1, 4096, NN_SCATTER_PUT } },
	{ "rotate 100 rows of 64 to 1000", rotate, { 100, 64, 1000 } },
	{ "rotate a row of 4 to 1000", rotate, { 1, 4, 1000 } },
	{ "number 1000 rows of 100", number, { 100, 1000 } },
};

static bool begins_with(const char *name, const char *beginning)
{
	while (*beginning && *name == *beginning) {
		name++;
		beginning++;
	}
	return !*beginning;
}

void bench_moves(const char *wanted)
{
	random_fill(input, sizeof(input));
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t tenths;

		if (!begins_with(rows[i].name, wanted))
			continue;
		packets = 0;
		rows[i].make(rows[i].p);
		tenths = bytes * 10 / (uint32_t)packets;
		print("%s: %u packets, %u.%u bytes a packet\n", rows[i].name, (uint32_t)packets,
		      tenths / 10, tenths % 10);
	}
}
