// SPDX-License-Identifier: MIT
/*
 * Every vector kernel against its portable twin, bit for bit, over random shapes, types, zero
 * points, clamps and scales. Operands lie at the ends of mapped memory, so that a byte read or
 * written too many faults or is found. Runs in qemu-hexagon.
 */
#include "../../dsp/firmware/counters.h"
#include "../../dsp/firmware/runtime.h"
#include "../../dsp/kernels.h"
#include "../../dsp/kernels/weights.h"
#include "harness.h"

#define SCRATCH_SIZES	4

static struct guarded operand[4], vector_output, scratch;
static uint8_t portable_output[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t portable_scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));
static struct nn_program_op op;
static struct nn_call call;
static struct nn_run run;

static uint32_t pick(const uint32_t *list, uint32_t count)
{
	return list[random_below(count)];
}

#define PICK(...) \
	pick((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static uint32_t type_size(uint8_t type)
{
	return type == NN_TYPE_INT32 || type == NN_TYPE_FLOAT32 ? 4 : 1;
}

static uint8_t random_8bit(void)
{
	return random_below(2) ? NN_TYPE_INT8 : NN_TYPE_UINT8;
}

static int32_t random_zero_point(uint8_t type)
{
	int32_t low = type == NN_TYPE_INT8 ? -128 : 0;

	if (random_below(4) == 0)
		return random_below(2) ? low : low + 255;
	return low + (int32_t)random_below(256);
}

static void begin(enum nn_opcode opcode)
{
	memset(&op, 0, sizeof(op));
	memset(&call, 0, sizeof(call));
	op.opcode = opcode;
	call.op = &op;
	call.run = &run;
}

static void describe(struct nn_tensor *tensor, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	tensor->type = type;
	tensor->rank = rank;
	tensor->row_bytes = type_size(type);
	for (uint32_t i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = i < rank ? dims[i] : 1;
	for (uint32_t i = 1; i < rank; i++)
		tensor->row_bytes *= dims[i];
	tensor->bytes = tensor->row_bytes * dims[0];
}

#define DIMS(...) (const uint32_t[]){ __VA_ARGS__ }

static void input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.input[i], type, rank, dims);
	call.input[i].data = guarded_place(&operand[i], call.input[i].bytes, type_size(type));
	random_fill(call.input[i].data, call.input[i].bytes);
	if (type == NN_TYPE_INT8 || type == NN_TYPE_UINT8)
		call.input[i].zero_point = random_zero_point(type);
}

static void constant(uint32_t i, uint8_t type, uint32_t elements)
{
	describe(&call.input[i], type, 1, DIMS(elements));
	call.input[i].packed = true;
	call.input[i].data = guarded_place(&operand[i], call.input[i].bytes, 128);
	random_fill(call.input[i].data, call.input[i].bytes);
}

static void output(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	int32_t low = type == NN_TYPE_INT8 ? -128 : 0, a = random_below(256), b = random_below(256);

	describe(&call.output[0], type, rank, dims);
	if (type == NN_TYPE_INT32)
		return;
	call.output[0].zero_point = random_zero_point(type);
	op.out_min = low;
	op.out_max = low + 255;
	if (random_below(3) == 0) {
		op.out_min = low + (a < b ? a : b);
		op.out_max = low + (a < b ? b : a);
	}
}

/*
 * A scale that brings accumulators of about `magnitude` to the range of bytes, or, rarely,
 * something extreme.
 */
static uint32_t random_scale(uint32_t magnitude)
{
	uint32_t mantissa = random_bits() & 0x7fffff, exponent;

	switch (random_below(8)) {
	case 0:		/* few bits: many ties */
		mantissa &= 0x700000;
		break;
	case 1:
		mantissa = 0;
		break;
	}
	exponent = 127 + 7 - (32 - __builtin_clz(magnitude | 1));
	switch (random_below(40)) {
	case 0:
		exponent = 1 + random_below(254);
		break;
	case 1:
		exponent -= random_below(16);
		break;
	case 2:
		exponent += random_below(8);
		break;
	default:
		exponent -= random_below(3);
		break;
	}
	return exponent << 23 | mantissa;
}

static void scales(uint32_t i, uint32_t elements, uint32_t magnitude)
{
	constant(i, NN_TYPE_FLOAT32, elements);
	for (uint32_t m = 0; m < elements; m++)
		((uint32_t *)call.input[i].data)[m] = random_scale(magnitude);
}

static void biases(uint32_t i, uint32_t elements, uint32_t magnitude)
{
	constant(i, NN_TYPE_INT32, elements);
	if (random_below(8) == 0)
		return;		/* any 32 bits: sums wrap around */
	for (uint32_t m = 0; m < elements; m++)
		((int32_t *)call.input[i].data)[m] =
			(int32_t)random_below(2 * magnitude + 1) - (int32_t)magnitude;
}

/* Runs the call both ways. False, with a comment, where they differ. */
static bool twins_agree(void)
{
	const struct nn_kernel *portable = &nn_kernels_portable[op.opcode];
	const struct nn_kernel *vector = &nn_kernels[op.opcode];
	static const uint32_t scratch_sizes[SCRATCH_SIZES] = { NN_SCRATCH_SIZE, NN_SCRATCH_SIZE,
							       64 << 10, 16 << 10 };
	uint32_t bytes = call.output[0].bytes;
	uint8_t *out;

	if (portable->check(&call)) {
		print("# %s: check() refuses the call: %u\n", portable->name,
		      portable->check(&call));
		return false;
	}
	out = guarded_place(&vector_output, bytes, type_size(call.output[0].type));
	memset(out, 0xa5, bytes);
	memset(portable_output, 0xa5, bytes);

	call.output[0].data = portable_output;
	call.scratch = portable_scratch;
	call.scratch_size = sizeof(portable_scratch);
	portable->run(&call);

	call.output[0].data = out;
	call.scratch_size = scratch_sizes[random_below(SCRATCH_SIZES)];
	call.scratch = guarded_place(&scratch, call.scratch_size, 128);
	vector->run(&call);

	if (!guarded_check(&vector_output) || !guarded_check(&scratch))
		return false;
	for (uint32_t i = 0; i < bytes; i++) {
		if (out[i] != portable_output[i]) {
			print("# byte %u of %u: %d, should be %d (scratch %u)\n", i, bytes, out[i],
			      portable_output[i], call.scratch_size);
			return false;
		}
	}
	return true;
}

static void print_dims(const char *name, const struct nn_tensor *tensor)
{
	print("# %s: type %u zero %d [%u %u %u %u]\n", name, tensor->type, tensor->zero_point,
	      tensor->dims[0], tensor->dims[1], tensor->dims[2], tensor->dims[3]);
}

static void print_call(void)
{
	const struct nn_window_params *w = &op.window;

	print_dims("input", &call.input[0]);
	print_dims("output", &call.output[0]);
	print("# kernel %u %u stride %u %u dilation %u %u", w->kernel_h, w->kernel_w, w->stride_h,
	      w->stride_w, w->dilation_h, w->dilation_w);
	print(" pad %u %u min %d max %d\n", w->pad_top, w->pad_left, op.out_min, op.out_max);
}

/* Shapes */

static void axis(uint32_t kernel, uint32_t max_stride, uint32_t max_dilation, uint32_t size,
		 uint32_t *stride, uint32_t *dilation, uint32_t *pad, uint32_t *out)
{
	uint32_t windows;

	*stride = random_range(1, max_stride);
	*dilation = random_below(4) ? 1 : random_range(1, max_dilation);
	*pad = random_below(3) ? 0 : random_below((kernel - 1) * *dilation + 1);
	windows = (size + *pad - 1) / *stride + 1;
	*out = random_below(3) ? windows : random_range(1, windows);
	/* Without any padding, often. */
	if (*pad == 0 && random_below(2) && size >= (kernel - 1) * *dilation + 1)
		*out = (size - (kernel - 1) * *dilation - 1) / *stride + 1;
}

/* Kernel, input [N, H, W, channels], and the output's height and width. */
static void window_shape(uint32_t max_dilation, uint32_t channels, uint32_t *n, uint32_t *out_h,
			 uint32_t *out_w)
{
	struct nn_window_params *w = &op.window;
	uint32_t h, width;

	do {
		*n = PICK(1, 1, 1, 2, 3, 0);
		h = random_range(1, 12);
		width = random_below(8) ? random_range(1, 12) : random_range(30, 70);
	} while (*n * h * width * channels > 40000);
	w->kernel_h = PICK(1, 1, 2, 3, 3, 3, 4, 5, 7);
	w->kernel_w = random_below(4) ? w->kernel_h : PICK(1, 2, 3, 4, 5, 8);
	axis(w->kernel_h, 3, max_dilation, h, &w->stride_h, &w->dilation_h, &w->pad_top, out_h);
	axis(w->kernel_w, 3, max_dilation, width, &w->stride_w, &w->dilation_w, &w->pad_left,
	     out_w);
	input(0, random_8bit(), 4, DIMS(*n, h, width, channels));
}

static bool conv2d_case(void)
{
	uint32_t channels, outputs, n, h, w, row, macs, magnitude;
	uint8_t type;

	do {
		begin(NN_OPCODE_CONV2D);
		channels = PICK(1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 40, 64, 72, 96,
				128, 130, 136, 160, 256, 264);
		outputs = PICK(1, 2, 3, 8, 10, 16, 31, 32, 33, 40, 63, 64, 65, 70, 96, 100, 128,
			       130, 192);
		window_shape(3, channels, &n, &h, &w);
		macs = n * h * w * channels * outputs * op.window.kernel_h * op.window.kernel_w;
	} while (macs > 40000 || conv2d_weight_bytes(outputs, op.window.kernel_h,
						     op.window.kernel_w, channels) > GUARDED_SIZE);

	type = random_below(6) ? random_8bit() : NN_TYPE_INT32;
	output(type, 4, DIMS(n, h, w, outputs));
	row = conv2d_row_length(op.window.kernel_w, channels);
	constant(1, NN_TYPE_UINT8,
		 conv2d_weight_bytes(outputs, op.window.kernel_h, op.window.kernel_w, channels));
	for (uint32_t block = 0; block < (outputs + 31) / 32 * op.window.kernel_h; block++) {
		for (uint32_t k = op.window.kernel_w * channels; k < row; k++) {
			for (uint32_t m = 0; m < 32; m++)
				call.input[1].data[block * row * 32 + conv2d_weight_offset(m, k)] =
					0;
		}
	}
	magnitude = 1 << 12;
	while ((uint64_t)magnitude * magnitude >> 26 <
	       op.window.kernel_h * op.window.kernel_w * channels)
		magnitude *= 2;
	biases(2, (outputs + 31) / 32 * 32, magnitude);
	if (type != NN_TYPE_INT32)
		scales(3, (outputs + 31) / 32 * 32, magnitude);
	return twins_agree();
}

static bool fully_connected_case(void)
{
	uint32_t inputs = PICK(1, 3, 8, 15, 16, 64, 100, 129, 256, 576, 1000, 1024);
	uint32_t row = (inputs + 7) / 8 * 8;
	uint32_t outputs = PICK(1, 3, 8, 10, 31, 32, 33, 64, 65, 100, 128, 130);
	uint32_t n = PICK(0, 1, 1, 1, 2, 3, 4, 5, 8, 70);
	uint8_t type = random_below(6) ? random_8bit() : NN_TYPE_INT32;
	uint32_t magnitude = 1 << 12;

	if (n * inputs * outputs > 40000)
		n = 1;
	begin(NN_OPCODE_FULLY_CONNECTED);
	if (inputs % 4 == 0 && random_below(2))
		input(0, random_8bit(), 3, DIMS(n, 4, inputs / 4));
	else
		input(0, random_8bit(), 2, DIMS(n, inputs));
	output(type, 2, DIMS(n, outputs));
	constant(1, NN_TYPE_UINT8, conv2d_weight_bytes(outputs, 1, 1, inputs));
	for (uint32_t block = 0; block < (outputs + 31) / 32; block++) {
		for (uint32_t k = inputs; k < row; k++) {
			for (uint32_t m = 0; m < 32; m++)
				call.input[1].data[block * row * 32 + conv2d_weight_offset(m, k)] =
					0;
		}
	}
	while ((uint64_t)magnitude * magnitude >> 26 < inputs)
		magnitude *= 2;
	biases(2, (outputs + 31) / 32 * 32, magnitude);
	if (type != NN_TYPE_INT32)
		scales(3, (outputs + 31) / 32 * 32, magnitude);
	return twins_agree();
}

static bool depthwise_case(void)
{
	uint32_t channels = PICK(1, 3, 8, 10, 24, 31, 32, 33, 40, 64, 65, 96, 100, 127, 128, 129,
				 130, 160, 192, 256, 300);
	uint32_t multiplier = PICK(1, 1, 1, 1, 2, 3), n, h, w, outputs = channels * multiplier;
	uint8_t type = random_below(6) ? random_8bit() : NN_TYPE_INT32;

	do {
		begin(NN_OPCODE_DEPTHWISE_CONV2D);
		window_shape(3, channels, &n, &h, &w);
	} while (n * h * w * outputs * op.window.kernel_h * op.window.kernel_w > 40000);
	output(type, 4, DIMS(n, h, w, outputs));
	constant(1, NN_TYPE_INT8,
		 depthwise_weight_bytes(outputs, op.window.kernel_h, op.window.kernel_w));
	for (uint32_t i = 0; i < call.input[1].bytes; i++) {
		if (i / 128 % ((op.window.kernel_w + 3) / 4) * 4 + i % 4 >= op.window.kernel_w)
			call.input[1].data[i] = 0;
	}
	biases(2, (outputs + 31) / 32 * 32, 1 << 15);
	if (type != NN_TYPE_INT32)
		scales(3, (outputs + 31) / 32 * 32, 1 << 15);
	return twins_agree();
}

static bool pool_case(enum nn_opcode opcode)
{
	uint32_t channels =
			 PICK(1, 3, 8, 16, 24, 31, 32, 64, 65, 100, 127, 128, 129, 160, 256, 300),
		 n, h, w;

	do {
		begin(opcode);
		window_shape(1, channels, &n, &h, &w);
	} while (n * h * w * channels * op.window.kernel_h * op.window.kernel_w > 40000);
	output(opcode == NN_OPCODE_MAX_POOL ? call.input[0].type : random_8bit(), 4,
	       DIMS(n, h, w, channels));
	op.window.count_padding = random_below(2);
	op.window.multiplier = (1 << 30) | random_bits() >> 2;
	op.window.shift = random_below(8) ? random_range(34, 38) : random_range(33, 62);
	return twins_agree();
}

static bool max_pool_case(void)
{
	return pool_case(NN_OPCODE_MAX_POOL);
}

static bool average_pool_case(void)
{
	return pool_case(NN_OPCODE_AVERAGE_POOL);
}

static uint32_t random_size(void)
{
	return random_below(3) ? random_range(1, 700)
			       : PICK(1, 31, 32, 127, 128, 129, 256, 384, 385, 5000);
}

static bool add_case(void)
{
	uint32_t n = PICK(0, 1, 2, 3), size = random_size();

	begin(NN_OPCODE_ADD);
	input(0, random_8bit(), 2, DIMS(n, size));
	input(1, random_8bit(), 2, DIMS(n, size));
	output(random_8bit(), 2, DIMS(n, size));
	op.add.shift = random_below(8) ? 20 : random_range(1, 30);
	op.add.multiplier_a = (int32_t)random_below((1 << 22) + 1) - (1 << 21);
	op.add.multiplier_b = random_below(4) ? (int32_t)random_below(1 << 21) : 1 << 21;
	return twins_agree();
}

static bool requantize_case(void)
{
	uint32_t n = PICK(0, 1, 2, 3), channels = random_size(), width = PICK(1, 1, 2, 5);
	uint32_t shift = random_below(32);

	begin(NN_OPCODE_REQUANTIZE);
	input(0, NN_TYPE_INT32, 3, DIMS(n, width, channels));
	for (uint32_t i = 0; i < call.input[0].bytes / 4; i++)
		((int32_t *)call.input[0].data)[i] >>= shift;
	output(random_8bit(), 3, DIMS(n, width, channels));
	scales(1, random_below(2) ? channels : 1, 0x80000000u >> shift);
	return twins_agree();
}

static bool table_case(void)
{
	uint32_t n = PICK(0, 1, 2, 3), size = random_size();

	begin(NN_OPCODE_TABLE);
	input(0, random_8bit(), 2, DIMS(n, size));
	constant(1, NN_TYPE_UINT8, 256);
	output(random_8bit(), 2, DIMS(n, size));
	return twins_agree();
}

static bool copy_case(void)
{
	struct nn_copy_params *copy = &op.copy;
	uint32_t n = PICK(0, 1, 1, 2, 2, 3);

	begin(NN_OPCODE_COPY);
	copy->count = PICK(1, 1, 2, 7, 50);
	copy->block = random_below(2) ? random_range(1, 200)
				      : PICK(1, 4, 32, 64, 127, 128, 129, 1000);
	copy->src_offset = random_below(3) ? 0 : random_below(100);
	copy->dst_offset = random_below(3) ? 0 : random_below(100);
	copy->src_stride = random_below(3) ? copy->block : random_below(300);
	copy->dst_stride = copy->block + (random_below(3) ? 0 : random_below(100));
	input(0, NN_TYPE_INT8, 2,
	      DIMS(n, copy->src_offset + (copy->count - 1) * copy->src_stride + copy->block +
			      random_below(2) * 5));
	output(NN_TYPE_INT8, 2,
	       DIMS(n, copy->dst_offset + (copy->count - 1) * copy->dst_stride + copy->block +
			       random_below(2) * 5));
	return twins_agree();
}

static bool transpose_case(void)
{
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_INT32);
	uint32_t in[4] = { PICK(0, 1, 2), random_range(1, 40), random_range(1, 40),
			   random_range(1, 8) },
		 out[4];

	begin(NN_OPCODE_TRANSPOSE);
	for (uint32_t i = 1; i < 4; i++)
		op.transpose.permutation[i] = i;
	for (uint32_t i = 3; i > 1; i--) {
		uint32_t j = random_range(1, i), t = op.transpose.permutation[i];

		op.transpose.permutation[i] = op.transpose.permutation[j];
		op.transpose.permutation[j] = t;
	}
	for (uint32_t i = 0; i < 4; i++)
		out[i] = in[op.transpose.permutation[i]];
	input(0, type, 4, in);
	output(type, 4, out);
	return twins_agree();
}

static bool rotate_rows_case(void)
{
	uint32_t size = random_size(), rows = random_range(1, 7);

	begin(NN_OPCODE_ROTATE_ROWS);
	input(0, NN_TYPE_UINT8, 2, DIMS(rows, size));
	output(NN_TYPE_UINT8, 2, DIMS(random_below(20), size));
	call.output[0].level = 1;
	call.first = random_below(4) ? random_below(10) : random_bits();
	return twins_agree();
}

static bool crop_resize_case(void)
{
	uint32_t n = random_below(5), channels = PICK(1, 1, 3, 64, 130);
	uint32_t h = random_range(1, 20), w = random_range(1, 20);

	begin(NN_OPCODE_CROP_RESIZE);
	input(0, random_8bit(), 4, DIMS(2, h, w, channels));
	input(1, NN_TYPE_INT32, 2, DIMS(n, 4));
	input(2, NN_TYPE_INT32, 1, DIMS(n));
	for (uint32_t i = 0; i < 4 * n; i++)
		((int32_t *)call.input[1].data)[i] >>= PICK(0, 22, 22, 23);
	for (uint32_t i = 0; i < n; i++)
		((int32_t *)call.input[2].data)[i] = random_below(8) ? (int32_t)random_below(2)
								     : (int32_t)random_bits();
	output(call.input[0].type, 4, DIMS(n, random_range(1, 12), random_range(1, 12), channels));
	return twins_agree();
}

static const struct {
	const char *name;
	enum nn_opcode opcode;
	bool (*run)(void);
	uint32_t cases;
	bool is_portable;	/* the DSP, too, runs portable C */
} tests[] = {
	{ "conv2d", NN_OPCODE_CONV2D, conv2d_case, 200, false },
	{ "fully_connected", NN_OPCODE_FULLY_CONNECTED, fully_connected_case, 100, false },
	{ "depthwise_conv2d", NN_OPCODE_DEPTHWISE_CONV2D, depthwise_case, 200, false },
	{ "max_pool", NN_OPCODE_MAX_POOL, max_pool_case, 150, false },
	{ "average_pool", NN_OPCODE_AVERAGE_POOL, average_pool_case, 150, false },
	{ "add", NN_OPCODE_ADD, add_case, 200, false },
	{ "requantize", NN_OPCODE_REQUANTIZE, requantize_case, 200, false },
	{ "table", NN_OPCODE_TABLE, table_case, 200, false },
	{ "copy", NN_OPCODE_COPY, copy_case, 300, false },
	{ "transpose", NN_OPCODE_TRANSPOSE, transpose_case, 100, true },
	{ "rotate_rows", NN_OPCODE_ROTATE_ROWS, rotate_rows_case, 100, false },
	{ "crop_resize", NN_OPCODE_CROP_RESIZE, crop_resize_case, 100, true },
};

#define TESTS	(sizeof(tests) / sizeof(tests[0]))

/* `test-kernels NAME` runs one of them alone. */
int main(int argc, char **argv)
{
	uint32_t i, n;

	for (i = 0; i < 4; i++)
		guarded_create(&operand[i]);
	guarded_create(&vector_output);
	guarded_create(&scratch);

	plan(argc > 1 ? 2 : 2 * TESTS - 2);
	for (i = 0; i < TESTS; i++) {
		uint32_t hvx = 0, empty = 0, before;
		char name[64];
		bool ok = true;

		if (argc > 1 && (memcmp(argv[1], tests[i].name, 4)))
			continue;
		for (n = 0; n < tests[i].cases && ok; n++) {
			ok = tests[i].run();
			/* One more time for the vector kernel alone, to see that it is one. */
			if (!call.output[0].bytes)
				empty++;
			else if (ok) {
				before = counter_hvx_instructions();
				nn_kernels[op.opcode].run(&call);
				hvx += counter_hvx_instructions() - before != 0;
			}
		}
		if (!ok) {
			print("# case %u\n", n);
			print_call();
		}
		memcpy(name, tests[i].name, 32);
		print("# %s: %u cases, %u empty, %u with vector instructions\n", tests[i].name, n,
		      empty, hvx);
		result(ok, tests[i].name);
		if (!tests[i].is_portable)
			result(hvx > (n - empty) / 2, "and it runs vector instructions");
	}
	return finish_tests();
}
