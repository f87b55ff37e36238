// SPDX-License-Identifier: MIT
/*
 * Every operator reports its progress once in about a million packets, and returns at once what a
 * report has returned: so says dsp/kernels.h. A job is cancelled, and its first fault seen, at a
 * report, and a worker that makes none is taken for hung.
 *
 * Each case is an operator over operands as large as it takes, of a shape that has most of the work
 * in one place: in one row, one pixel, one window, many small ones. Both kernels run it, the
 * portable one and the vector one, as the DSP may run either. Runs in qemu-hexagon, which counts
 * packets.
 */
#include "../../dsp/firmware/counters.h"
#include "../../dsp/firmware/runtime.h"
#include "../../dsp/firmware/syscall.h"
#include "../../dsp/kernels.h"
#include "../../dsp/kernels/weights.h"
#include "harness.h"

#define MOST		1000000u	/* packets */
#define REPORTS		50		/* after so many of them a run has shown enough */
#define CANCEL_AFTER	10
#define STOP		77

#define MEMORY		(640u << 20)	/* read, and never written: it takes none of the host's */
#define WRITABLE	(128u << 20)

static uint8_t *memory, *writable;
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));
static uint32_t arg[NN_ARG_COUNT];
static struct nn_program_op op;
static struct nn_call call;
static struct nn_run run;

static struct {
	uint32_t limit;		/* reports until STOP */
	uint32_t reports;
	uint32_t after;		/* reports after STOP */
	uint32_t last;		/* the count of packets at the last report */
	uint32_t most;		/* packets between two */
} seen;

static void look(void)
{
	uint32_t packets = counter_packets() - seen.last;

	if (packets > seen.most)
		seen.most = packets;
}

static int progress(struct nn_run *its_run, uint32_t its_op)
{
	int ret = 0;

	look();
	if (its_run != &run || its_op != NN_SAME_OP)
		print("# a report of something else\n");
	if (seen.reports >= seen.limit)
		seen.after++;
	if (++seen.reports >= seen.limit)
		ret = STOP;
	seen.last = counter_packets();
	return ret;
}

/* Operands. Inputs are zeros; all begin at the same place, outputs too. */

static void describe(struct nn_tensor *tensor, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	tensor->type = type;
	tensor->rank = rank;
	tensor->row_bytes = type == NN_TYPE_INT32 || type == NN_TYPE_FLOAT32 ? 4 : 1;
	for (uint32_t i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = i < rank ? dims[i] : 1;
	for (uint32_t i = 1; i < rank; i++)
		tensor->row_bytes *= dims[i];
	tensor->bytes = tensor->row_bytes * dims[0];
	tensor->data = memory;
	if (tensor->bytes > MEMORY) {
		print("Bail out! %u bytes do not fit\n", (uint32_t)tensor->bytes);
		sys_exit(1);
	}
}

#define DIMS(...)	sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, (const uint32_t[]){ __VA_ARGS__ }

static void begin(enum nn_opcode opcode)
{
	memset(&op, 0, sizeof(op));
	memset(&call, 0, sizeof(call));
	memset(arg, 0, sizeof(arg));
	op.opcode = opcode;
	op.out_max = 255;
	call.op = &op;
	call.run = &run;
	call.scratch = scratch;
	call.scratch_size = sizeof(scratch);
	run.progress = progress;
	run.arg = arg;
}

static void input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.input[i], type, rank, dims);
}

static void output(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe(&call.output[0], type, rank, dims);
	call.output[0].data = writable;
	if (call.output[0].bytes > WRITABLE) {
		print("Bail out! an output of %u bytes does not fit\n",
		      (uint32_t)call.output[0].bytes);
		sys_exit(1);
	}
}

static void constant(uint32_t i, uint8_t type, uint32_t elements)
{
	describe(&call.input[i], type, DIMS(elements));
	call.input[i].packed = true;
}

/* Biases of 1 and scales of a half: on HVX such results take longest. */
static void bias_and_scale(uint32_t outputs)
{
	static uint32_t bias[1 << 20] __attribute__((aligned(128)));
	static uint32_t scale[1 << 20] __attribute__((aligned(128)));

	constant(2, NN_TYPE_INT32, (outputs + 31) / 32 * 32);
	constant(3, NN_TYPE_FLOAT32, (outputs + 31) / 32 * 32);
	for (uint32_t i = 0; i < outputs; i++) {
		bias[i] = 1;
		scale[i] = 0x3f000000;
	}
	call.input[2].data = (uint8_t *)bias;
	call.input[3].data = (uint8_t *)scale;
}

/* Windows over an image of `size` squared, without padding. */
struct shape {
	uint32_t size, channels, outputs, kernel, stride, dilation, rows;
};

static void window(const struct shape *s)
{
	uint32_t out = (s->size - (s->kernel - 1) * s->dilation - 1) / s->stride + 1;

	op.window = (struct nn_window_params){
		s->kernel, s->kernel, s->stride, s->stride, s->dilation, s->dilation, 0, 0, 0,
		1 << 30, 36,
	};
	input(0, NN_TYPE_UINT8, DIMS(s->rows, s->size, s->size, s->channels));
	output(NN_TYPE_UINT8, DIMS(s->rows, out, out, s->outputs));
}

static void conv2d(const uint32_t *p)
{
	struct shape s = { p[0], p[1], p[2], p[3], p[4], p[5], 2 };

	begin(NN_OPCODE_CONV2D);
	window(&s);
	constant(1, NN_TYPE_UINT8, conv2d_weight_bytes(s.outputs, s.kernel, s.kernel, s.channels));
	bias_and_scale(s.outputs);
}

/* The same with padding and an output that is not scaled. */
static void conv2d_raw(const uint32_t *p)
{
	conv2d(p);
	op.window.pad_top = op.window.pad_left = (p[3] - 1) * p[5] / 2;
	output(NN_TYPE_INT32, 4, call.output[0].dims);
	call.input[3].type = 0;
}

static void depthwise(const uint32_t *p)
{
	struct shape s = { p[0], p[1], p[2], p[3], p[4], p[5], 16 };

	begin(NN_OPCODE_DEPTHWISE_CONV2D);
	window(&s);
	constant(1, NN_TYPE_INT8, depthwise_weight_bytes(s.outputs, s.kernel, s.kernel));
	bias_and_scale(s.outputs);
}

/* Rows, inputs, outputs. */
static void fully_connected(const uint32_t *p)
{
	begin(NN_OPCODE_FULLY_CONNECTED);
	input(0, NN_TYPE_INT8, DIMS(p[0], p[1]));
	output(NN_TYPE_UINT8, DIMS(p[0], p[2]));
	constant(1, NN_TYPE_UINT8, conv2d_weight_bytes(p[2], 1, 1, p[1]));
	bias_and_scale(p[2]);
}

static void pool(enum nn_opcode opcode, const uint32_t *p)
{
	struct shape s = { p[0], p[1], p[1], p[2], p[3], 1, 8 };

	begin(opcode);
	window(&s);
}

static void max_pool(const uint32_t *p)
{
	pool(NN_OPCODE_MAX_POOL, p);
}

static void average_pool(const uint32_t *p)
{
	pool(NN_OPCODE_AVERAGE_POOL, p);
}

/* Rows and elements of one. */
static void add(const uint32_t *p)
{
	begin(NN_OPCODE_ADD);
	input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	input(1, NN_TYPE_INT8, DIMS(p[0], p[1]));
	output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	op.add = (struct nn_add_params){ 1 << 19, 1 << 19, 20 };
}

static void requantize(const uint32_t *p)
{
	begin(NN_OPCODE_REQUANTIZE);
	bias_and_scale(p[1]);
	call.input[1] = call.input[3];
	call.input[2].type = call.input[3].type = 0;
	input(0, NN_TYPE_INT32, DIMS(p[0], p[1]));
	output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	call.input[1].dims[0] = p[1];
	call.input[1].bytes = p[1] * 4;
}

static void table(const uint32_t *p)
{
	begin(NN_OPCODE_TABLE);
	input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	constant(1, NN_TYPE_UINT8, 256);
	output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
}

/* Rows, blocks of one, bytes of one, and how far apart they are in the input. */
static void copy(const uint32_t *p)
{
	begin(NN_OPCODE_COPY);
	op.copy = (struct nn_copy_params){
		.count = p[1], .block = p[2], .src_stride = p[3], .dst_stride = p[2],
	};
	input(0, NN_TYPE_UINT8, DIMS(p[0], (p[1] - 1) * p[3] + p[2]));
	output(NN_TYPE_UINT8, DIMS(p[0], p[1] * p[2]));
}

/* Two dimensions of the input that change places. */
static void transpose(const uint32_t *p)
{
	begin(NN_OPCODE_TRANSPOSE);
	op.transpose = (struct nn_transpose_params){ { 0, 2, 1 } };
	input(0, p[2], DIMS(1, p[0], p[1]));
	output(p[2], DIMS(1, p[1], p[0]));
}

/* Rows of the input, rows of the output, and bytes of one. */
static void rotate_rows(const uint32_t *p)
{
	begin(NN_OPCODE_ROTATE_ROWS);
	input(0, NN_TYPE_UINT8, DIMS(p[0], p[2]));
	output(NN_TYPE_UINT8, DIMS(p[1], p[2]));
	call.output[0].level = 1;
}

/* Rows of the input and of the output. */
static void row_numbers(const uint32_t *p)
{
	begin(NN_OPCODE_ROW_NUMBERS);
	input(0, NN_TYPE_UINT8, DIMS(p[0], 1));
	output(NN_TYPE_INT32, DIMS(p[1]));
	call.output[0].level = 1;
}

/* Boxes, and the channels, height and width of each; the pages that there are, 0 or 1. */
static void crop_resize(const uint32_t *p)
{
	begin(NN_OPCODE_CROP_RESIZE);
	input(0, NN_TYPE_UINT8, DIMS(p[4], 32, 32, p[1]));
	input(1, NN_TYPE_INT32, DIMS(p[0], 4));
	input(2, NN_TYPE_INT32, DIMS(p[0]));
	output(NN_TYPE_UINT8, DIMS(p[0], p[2], p[3], p[1]));
}

static const struct {
	enum nn_opcode opcode;
	void (*make)(const uint32_t *parameters);
	const char *name;
	uint32_t parameter[6];
} cases[] = {
	/* Image, channels, outputs, kernel, stride, dilation. */
	{ NN_OPCODE_CONV2D, conv2d, "conv2d", { 112, 64, 64, 3, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of many channels", { 14, 1024, 1024, 3, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of very many channels", { 2, 1 << 20, 32, 1, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of 300,000 channels", { 8, 300000, 64, 1, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of many outputs", { 5, 8, 1 << 20, 1, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of large windows", { 320, 4, 33, 255, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of wide windows", { 2000, 1, 1, 60, 1, 30 } },
	{ NN_OPCODE_CONV2D, conv2d, "conv2d of odd channels", { 400, 24, 8, 1, 1, 1 } },
	{ NN_OPCODE_CONV2D, conv2d_raw, "conv2d, raw", { 100, 16, 65, 31, 1, 3 } },
	{ NN_OPCODE_CONV2D, conv2d_raw, "conv2d, raw, of many outputs", { 3, 3, 1 << 20, 1, 1, 1 } },

	{ NN_OPCODE_DEPTHWISE_CONV2D, depthwise, "depthwise", { 112, 32, 32, 3, 1, 1 } },
	{ NN_OPCODE_DEPTHWISE_CONV2D, depthwise, "depthwise of one channel",
	  { 3000, 1, 1, 5, 2, 1 } },
	{ NN_OPCODE_DEPTHWISE_CONV2D, depthwise, "depthwise of high windows",
	  { 1024, 1, 1, 44, 1, 1 } },
	{ NN_OPCODE_DEPTHWISE_CONV2D, depthwise, "depthwise of large windows",
	  { 300, 3, 3, 255, 1, 1 } },
	{ NN_OPCODE_DEPTHWISE_CONV2D, depthwise, "depthwise of many channels",
	  { 4, 1 << 20, 1 << 20, 3, 1, 1 } },
	{ NN_OPCODE_DEPTHWISE_CONV2D, depthwise, "depthwise of many outputs",
	  { 160, 2, 128, 3, 1, 1 } },

	/* Rows, inputs, outputs. */
	{ NN_OPCODE_FULLY_CONNECTED, fully_connected, "fully_connected", { 64, 1024, 4000 } },
	{ NN_OPCODE_FULLY_CONNECTED, fully_connected, "fully_connected of many inputs",
	  { 2, 8 << 20, 64 } },
	{ NN_OPCODE_FULLY_CONNECTED, fully_connected, "fully_connected of 400,000 inputs",
	  { 64, 400000, 64 } },
	{ NN_OPCODE_FULLY_CONNECTED, fully_connected, "fully_connected of many outputs",
	  { 24, 1, 1 << 20 } },
	{ NN_OPCODE_FULLY_CONNECTED, fully_connected, "fully_connected of many rows",
	  { 1 << 20, 3, 5 } },

	/* Image, channels, kernel, stride. */
	{ NN_OPCODE_MAX_POOL, max_pool, "max_pool", { 256, 64, 3, 2 } },
	{ NN_OPCODE_MAX_POOL, max_pool, "max_pool of large windows", { 800, 16, 255, 1 } },
	{ NN_OPCODE_MAX_POOL, max_pool, "max_pool of large windows apart", { 1500, 1, 255, 2 } },
	{ NN_OPCODE_MAX_POOL, max_pool, "max_pool of many channels", { 4, 1 << 20, 2, 1 } },
	{ NN_OPCODE_AVERAGE_POOL, average_pool, "average_pool", { 256, 64, 3, 2 } },
	{ NN_OPCODE_AVERAGE_POOL, average_pool, "average_pool of large windows",
	  { 800, 16, 255, 1 } },
	{ NN_OPCODE_AVERAGE_POOL, average_pool, "average_pool of large windows in one channel",
	  { 4000, 1, 255, 1 } },
	{ NN_OPCODE_AVERAGE_POOL, average_pool, "average_pool of many channels",
	  { 4, 1 << 20, 2, 1 } },

	/* Rows, elements. */
	{ NN_OPCODE_ADD, add, "add", { 2, 16 << 20 } },
	{ NN_OPCODE_ADD, add, "add of many rows", { 16 << 20, 1 } },
	{ NN_OPCODE_REQUANTIZE, requantize, "requantize", { 16, 1 << 20 } },
	{ NN_OPCODE_REQUANTIZE, requantize, "requantize of few channels", { 4 << 20, 3 } },
	{ NN_OPCODE_TABLE, table, "table", { 2, 16 << 20 } },
	{ NN_OPCODE_TABLE, table, "table of many rows", { 16 << 20, 1 } },

	/* Rows, blocks, bytes, stride. */
	{ NN_OPCODE_COPY, copy, "copy", { 4, 1, 16 << 20, 0 } },
	{ NN_OPCODE_COPY, copy, "copy of bytes", { 1, 4 << 20, 1, 7 } },
	{ NN_OPCODE_COPY, copy, "copy of large blocks", { 1, 16, 4 << 20, 5 << 20 } },
	{ NN_OPCODE_COPY, copy, "copy of many rows", { 1 << 20, 2, 1, 30 } },
	{ NN_OPCODE_COPY, copy, "copy of scattered bytes", { 1, 100000, 1, 4096 } },

	{ NN_OPCODE_TRANSPOSE, transpose, "transpose", { 16, 1 << 20, NN_TYPE_UINT8 } },
	{ NN_OPCODE_TRANSPOSE, transpose, "transpose of long rows",
	  { 8 << 20, 2, NN_TYPE_UINT8 } },
	{ NN_OPCODE_TRANSPOSE, transpose, "transpose of one row", { 1, 16 << 20, NN_TYPE_UINT8 } },
	{ NN_OPCODE_TRANSPOSE, transpose, "transpose of one column",
	  { 4 << 20, 1, NN_TYPE_INT32 } },

	/* Rows of the source, rows, bytes. */
	{ NN_OPCODE_ROTATE_ROWS, rotate_rows, "rotate_rows", { 7, 32, 1 << 20 } },
	{ NN_OPCODE_ROTATE_ROWS, rotate_rows, "rotate_rows of one row", { 1, 2 << 20, 1 } },
	{ NN_OPCODE_ROTATE_ROWS, rotate_rows, "rotate_rows of nothing", { 0, 96, 1 << 20 } },

	/* Rows of the source, rows. */
	{ NN_OPCODE_ROW_NUMBERS, row_numbers, "row_numbers", { 1 << 20, 16 << 20 } },
	{ NN_OPCODE_ROW_NUMBERS, row_numbers, "row_numbers of one row", { 1, 16 << 20 } },
	{ NN_OPCODE_ROW_NUMBERS, row_numbers, "row_numbers of nothing", { 0, 16 << 20 } },

	/* Boxes, channels, height, width, pages. */
	{ NN_OPCODE_CROP_RESIZE, crop_resize, "crop_resize", { 400, 3, 64, 64, 1 } },
	{ NN_OPCODE_CROP_RESIZE, crop_resize, "crop_resize to long rows",
	  { 1, 64, 2, 65536, 1 } },
	{ NN_OPCODE_CROP_RESIZE, crop_resize, "crop_resize of many channels",
	  { 2, 256 << 10, 2, 4, 1 } },
	{ NN_OPCODE_CROP_RESIZE, crop_resize, "crop_resize of points", { 100000, 1, 1, 1, 1 } },
	{ NN_OPCODE_CROP_RESIZE, crop_resize, "crop_resize of nothing",
	  { 1, 700, 2, 65536, 0 } },
};

#define CASES	(sizeof(cases) / sizeof(cases[0]))

static int run_until(const struct nn_kernel *kernel, uint32_t limit)
{
	int ret;

	memset(&seen, 0, sizeof(seen));
	seen.limit = limit;
	seen.last = counter_packets();
	ret = kernel->run(&call);
	look();
	return ret;
}

static bool keeps_its_word(const struct nn_kernel *kernel, const char *which)
{
	bool ok;
	int ret;

	ret = run_until(kernel, REPORTS);
	print("# %s: at most %u packets without a report\n", which, seen.most);
	ok = seen.most <= MOST;
	if (seen.after || ret != (seen.reports < REPORTS ? 0 : STOP)) {
		print("# %s: returned %d after %u reports, %u of them too many\n", which, ret,
		      seen.reports, seen.after);
		ok = false;
	}
	ret = run_until(kernel, CANCEL_AFTER);
	if (seen.reports != CANCEL_AFTER || ret != STOP) {
		print("# %s: returned %d after %u reports, should %d after %u\n", which, ret,
		      seen.reports, STOP, CANCEL_AFTER);
		ok = false;
	}
	return ok;
}

/* `test-progress NAME` runs those alone whose name begins so. */
static bool selected(const char *name, const char *wanted)
{
	for (; wanted && *wanted; name++, wanted++)
		if (*name != *wanted)
			return false;
	return true;
}

static uint8_t *reserve(uint32_t bytes)
{
	uint32_t at = sys_mmap(0, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	if (at > -4096u) {
		print("Bail out! no memory: %d\n", at);
		sys_exit(1);
	}
	return (uint8_t *)at;
}

int main(int argc, char **argv)
{
	bool covered[NN_OPCODE_END] = { false }, ok = true;
	const char *wanted = argc > 1 ? argv[1] : NULL;
	uint32_t i, count = 1;

	memory = reserve(MEMORY);
	writable = reserve(WRITABLE);
	for (i = 0; i < CASES; i++)
		count += selected(cases[i].name, wanted);
	plan(count);
	for (i = 0; i < CASES; i++) {
		const struct nn_kernel *vector = &nn_kernels[cases[i].opcode];
		const struct nn_kernel *portable = &nn_kernels_portable[cases[i].opcode];
		bool good;

		covered[cases[i].opcode] = true;
		if (!selected(cases[i].name, wanted))
			continue;
		cases[i].make(cases[i].parameter);
		good = op.opcode == cases[i].opcode && !portable->check(&call);
		if (!good)
			print("# refused: %u\n", portable->check(&call));
		good = good && keeps_its_word(portable, "portable");
		if (good && vector->run != portable->run)
			good = keeps_its_word(vector, "vector");
		result(good, cases[i].name);
	}
	for (i = 0; i < NN_OPCODE_END; i++) {
		if (nn_kernels[i].name && !covered[i]) {
			print("# no case has %s\n", nn_kernels[i].name);
			ok = false;
		}
	}
	result(ok, "every opcode has a case");
	return finish_tests();
}
