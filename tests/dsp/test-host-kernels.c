// SPDX-License-Identifier: MIT
/*
 * The host's own kernels against their portable twins, bit for bit, over the same random calls as
 * the DSP's, and over some that are divided where only these divide: in each set that this
 * processor can run. Operands and scratch memory lie at the ends of mapped memory. And a report of
 * progress that ends the call does so at once.
 */
#include "libnnloop/device/host/kernels.h"
#include "kernels/weighted.h"
#include "random-call.h"

#define STOP	77

static struct guarded host_output, scratch;
static uint8_t portable_output[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t portable_scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

/* Reports of progress so far, and the one that ends the call, ~0: none. */
static uint32_t reports, last_report;

static uint32_t times;	/* as many random calls as usual */

/* Calls whose units were done in pieces. */
static uint32_t divided;

static int count_report(struct nn_run *of, uint32_t at)
{
	(void)of;
	(void)at;
	return ++reports >= last_report ? STOP : 0;
}

/*
 * As one worker does it, or as if several did: the last units first, and others with nothing left
 * in scratch memory by those before.
 */
static int run_units(const struct nn_host_kernel *kernel, bool in_pieces)
{
	uint32_t units = kernel->count_units(&call), middle;
	int ret;

	if (!in_pieces || units < 2)
		return kernel->run_units(&call, 0, units);
	divided++;
	middle = random_range(1, units - 1);
	ret = kernel->run_units(&call, middle, units);
	memset(call.scratch, 0xff, call.scratch_size);
	return ret ? ret : kernel->run_units(&call, 0, middle);
}

static int run_host(const struct nn_host_kernel *kernel, uint8_t *out, bool in_pieces,
		    uint32_t until)
{
	call.output[0].data = out;
	call.scratch_size = NN_SCRATCH_SIZE;
	call.scratch = scratch.place;
	run.progress = count_report;
	reports = 0;
	last_report = until;
	return run_units(kernel, in_pieces);
}

static bool is_as_portable(const uint8_t *out, const char *how)
{
	return guarded_check(&host_output) && guarded_check(&scratch) &&
	       is_output(out, portable_output, how);
}

static bool agrees_in_place(const struct nn_host_kernel *kernel, struct nn_tensor *operand)
{
	uint8_t *input = operand->data, *out;
	uint32_t bytes = span_of(&call.output[0]);
	int ret;

	if (!can_be_in_place(operand))
		return true;
	out = guarded_place(&host_output, bytes, nn_type_size(call.output[0].type));
	memset(out, 0xa5, bytes);
	copy_elements(operand, out, input);
	operand->data = out;
	ret = run_host(kernel, out, random_below(2), ~0u);
	operand->data = input;
	return !ret && is_as_portable(out, "in place");
}

/* The last report, or any other, ends the call, and there is none behind it. */
static bool stops(const struct nn_host_kernel *kernel, uint8_t *out)
{
	uint32_t until = random_below(2) ? reports : random_range(1, reports);
	int ret = run_host(kernel, out, false, until);

	if (ret == STOP && reports == until)
		return guarded_check(&host_output);
	print("# report %u should end it; it ends with %d behind report %u\n", until, ret, reports);
	return false;
}

static bool twins_agree(const struct nn_host_kernel *kernel, const struct kernel_test *test)
{
	const struct nn_kernel *portable = &nn_kernels_portable[op.opcode];
	uint32_t bytes = span_of(&call.output[0]);
	uint8_t *out;
	int ret;

	if (portable->check(&call)) {
		print("# check() refuses the call: %u\n", portable->check(&call));
		return false;
	}
	memset(portable_output, 0xa5, bytes);
	call.output[0].data = portable_output;
	call.scratch = portable_scratch;
	call.scratch_size = sizeof(portable_scratch);
	run.progress = NULL;
	if (portable->run(&call))
		return false;

	out = guarded_place(&host_output, bytes, nn_type_size(call.output[0].type));
	for (uint32_t in_pieces = 0; in_pieces < 2; in_pieces++) {
		memset(out, 0xa5, bytes);
		ret = run_host(kernel, out, in_pieces, ~0u);
		if (ret || !is_as_portable(out, in_pieces ? "in pieces" : "whole")) {
			print("# it ends with %d\n", ret);
			return false;
		}
		if (!in_pieces && reports && !stops(kernel, out))
			return false;
	}
	for (uint32_t i = 0; test && i < test->in_place; i++) {
		if (!agrees_in_place(kernel, &call.input[i]))
			return false;
	}
	return true;
}

/* Shapes that no random call has (libnnloop/device/host/convolution.h and depthwise.h). */
static const struct shape {
	const char *what;
	enum nn_opcode opcode;
	uint32_t height, width, channels, outputs, kernel, stride, dilation, pad;
} shapes[] = {
	{ "outputs for which windows are laid out again", NN_OPCODE_CONV2D,
	  3, 4, 300, 330, 1, 1, 1, 0 },
	{ "the same for several kernel rows", NN_OPCODE_CONV2D, 5, 4, 40, 290, 3, 1, 1, 1 },
	{ "a kernel row in several pieces", NN_OPCODE_CONV2D, 4, 5, 70, 33, 5, 1, 1, 2 },
	{ "a longer one in several pieces", NN_OPCODE_CONV2D, 3, 5, 1299, 290, 1, 1, 1, 0 },
	{ "several long kernel rows", NN_OPCODE_CONV2D, 5, 4, 150, 33, 5, 1, 1, 2 },
	{ "and with gaps", NN_OPCODE_CONV2D, 9, 9, 90, 33, 3, 2, 3, 3 },
	{ "several groups of pixels", NN_OPCODE_CONV2D, 17, 19, 6, 20, 3, 1, 1, 1 },
	{ "several pieces of columns", NN_OPCODE_DEPTHWISE_CONV2D, 3, 250, 33, 33, 3, 1, 1, 1 },
	{ "several pieces of rows", NN_OPCODE_DEPTHWISE_CONV2D, 60, 60, 8, 16, 5, 1, 1, 2 },
	{ "both", NN_OPCODE_DEPTHWISE_CONV2D, 40, 230, 4, 4, 3, 1, 2, 2 },
	{ "more than 256 products", NN_OPCODE_DEPTHWISE_CONV2D, 20, 20, 33, 33, 17, 1, 1, 8 },
	{ "the largest window in the room", NN_OPCODE_DEPTHWISE_CONV2D, 45, 45, 2, 2, 41, 1, 1, 0 },
	{ "a window that there is no room for", NN_OPCODE_DEPTHWISE_CONV2D,
	  45, 45, 2, 2, 42, 1, 1, 0 },
};

static void make_shape(const struct shape *shape)
{
	uint32_t reach = (shape->kernel - 1) * shape->dilation + 1;
	uint32_t out_h = (shape->height + 2 * shape->pad - reach) / shape->stride + 1;
	uint32_t out_w = (shape->width + 2 * shape->pad - reach) / shape->stride + 1;
	uint32_t n = random_range(1, 2), outputs = shape->outputs;

	begin_call(shape->opcode);
	op.window = square_window(shape->kernel, shape->stride, shape->dilation, shape->pad);
	random_input(0, random_8bit(), DIMS(n, shape->height, shape->width, shape->channels));
	random_output(random_below(6) ? random_8bit() : NN_TYPE_INT32,
		      DIMS(n, out_h, out_w, outputs));
	if (shape->opcode == NN_OPCODE_CONV2D) {
		random_weighted(outputs, shape->kernel, shape->kernel, shape->channels);
		return;
	}
	random_constant(1, NN_TYPE_INT8,
			depthwise_weight_bytes(outputs, shape->kernel, shape->kernel));
	call.input[1].zero_point = random_range(-128, 127);
	random_biases(2, repeated_lanes(outputs), 1 << 15);
	if (call.output[0].type == NN_TYPE_INT32)
		return;
	random_scales(outputs, 1 << 15);
	pack_scales(3, outputs, NULL, true);
}

/*
 * Products of the greatest magnitude alone, and as many as are summed up in float32, or one more:
 * 2^24 is between them.
 */
static void make_greatest(void)
{
	uint32_t channels = PICK(255, 256, 257, 258, 259, 512, 600);

	begin_call(NN_OPCODE_CONV2D);
	op.window = window_of(1, 1, 1, 1);
	random_input(0, NN_TYPE_UINT8, DIMS(1, 1, random_range(1, 9), channels));
	random_output(NN_TYPE_INT32, DIMS(1, 1, call.input[0].dims[2], 40));
	random_weighted(40, 1, 1, channels);
	call.input[1].zero_point = random_below(2) ? 255 : 0;
	memset(call.input[0].data, 255, call.input[0].bytes);
	memset(call.input[1].data, 255 - call.input[1].zero_point, call.input[1].bytes);
	/* An odd sum, which float32 would have to round. */
	for (uint32_t i = random_below(2); i < call.input[0].bytes; i += channels)
		call.input[0].data[i] = 254;
}

/* More rows than are multiplied together, columns that leave a rest, and sums in two pieces. */
static void make_many_rows(void)
{
	begin_call(NN_OPCODE_MATMUL);
	op.matmul.transpose_a = random_below(2);
	op.matmul.transpose_b = random_below(2);
	op.matmul.form = NN_MATMUL_SUM;
	if (op.matmul.transpose_a)
		random_input(0, NN_TYPE_UINT8, DIMS(2, 300, 205));
	else
		random_input(0, NN_TYPE_UINT8, DIMS(2, 205, 300));
	if (op.matmul.transpose_b)
		random_input(1, NN_TYPE_INT8, DIMS(1, 70, 300));
	else
		random_input(1, NN_TYPE_INT8, DIMS(1, 300, 70));
	random_output(NN_TYPE_INT32, DIMS(2, 205, 70));
	op.matmul.zero_a = (int32_t)random_below(256);
	op.matmul.zero_b = (int32_t)random_below(256) - 128;
}

static void print_call(void)
{
	const struct nn_tensor *in = &call.input[0], *out = &call.output[0];
	const struct nn_window_params *w = &op.window;

	print("# input type %u zero %d [%u %u %u %u]\n", in->type, in->zero_point, in->dims[0],
	      in->dims[1], in->dims[2], in->dims[3]);
	print("# output type %u zero %d [%u %u %u %u]\n", out->type, out->zero_point, out->dims[0],
	      out->dims[1], out->dims[2], out->dims[3]);
	print("# kernel %u %u stride %u %u dilation %u %u pad %u %u\n", w->kernel_h, w->kernel_w,
	      w->stride_h, w->stride_w, w->dilation_h, w->dilation_w, w->pad_top, w->pad_left);
}

static void test_calls(const char *name, const struct nn_host_kernel *kernel,
		       const struct kernel_test *test, uint32_t kind, void (*make)(void),
		       uint32_t count)
{
	uint32_t n = 0, empty = 0, pitched = 0;
	bool ok = true;

	divided = 0;
	for (; n < times * count && ok; n++) {
		random_begin(kind, n);
		make();
		if (n % 3 == 0)
			pitched += random_pitches();
		ok = twins_agree(kernel, test);
		empty += !call.output[0].bytes;
	}
	if (!ok)
		print_call();
	print("# %s: %u cases, %u empty, %u with pitches, %u in pieces\n", name, n, empty,
	      pitched, divided);
	result(ok && (divided || !test), name);
}

static const struct shape *shape_to_make;

static void make_one_shape(void)
{
	make_shape(shape_to_make);
}

static void test_set(const struct nn_host_set *set)
{
	guarded_place(&scratch, NN_SCRATCH_SIZE, 128);
#define NN_HOST_KERNEL(ID, name) \
	test_calls(#name, &set->name, &nn_##name##_test, NN_OPCODE_##ID, \
		   nn_##name##_test.make_random, nn_##name##_test.random_calls);
	NN_HOST_KERNELS
#undef NN_HOST_KERNEL

	for (uint32_t i = 0; i < COUNT(shapes); i++) {
		shape_to_make = &shapes[i];
		test_calls(shapes[i].what,
			   shapes[i].opcode == NN_OPCODE_CONV2D ? &set->conv2d :
								  &set->depthwise_conv2d,
			   NULL, NN_OPCODE_END + i, make_one_shape, 4);
	}
	test_calls("the greatest products", &set->conv2d, NULL, NN_OPCODE_END + COUNT(shapes),
		   make_greatest, 40);
	test_calls("many rows", &set->matmul, NULL, NN_OPCODE_END + COUNT(shapes) + 1,
		   make_many_rows, 8);
}

#define NN_HOST_KERNEL(ID, name) + 1
#define SET_TESTS	(0 NN_HOST_KERNELS + COUNT(shapes) + 2)

/* `test-host-kernels '' TIMES`: so many times the usual calls. */
int main(int argc, char **argv)
{
	uint32_t sets = 1;

	times = random_times(argc, argv);
	random_calls_create();
	guarded_create(&host_output);
	guarded_create(&scratch);
#ifdef __x86_64__
	sets += nn_host_has_avx2() + nn_host_has_vnni();
#endif
	plan(sets * SET_TESTS);
	print("# any processor\n");
	test_set(&nn_host_baseline);
#ifdef __x86_64__
	if (nn_host_has_avx2()) {
		print("# AVX2\n");
		test_set(&nn_host_avx2);
	}
	if (nn_host_has_vnni()) {
		print("# AVX-512 with VNNI\n");
		test_set(&nn_host_vnni);
	}
#endif
	return finish_tests();
}
