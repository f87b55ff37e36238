// SPDX-License-Identifier: MIT
/*
 * Out of memory, at each allocation that the library makes, one after the other: while a model of
 * each format is imported, prepared, executed and walked. The call says so, nothing is lost or used
 * that was never there (the sanitizers watch), and the same call succeeds right after, with the
 * same result. The linker puts the functions below between the library and what it takes memory
 * from.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "nn_device.h"
#include "nn_graph.h"
#include "nn_import.h"
#include "one-operator.h"
#include "tap.h"

#define MOST_BYTES	65536	/* of an input, of an output */
#define MOST_ENDS	8

/* ---- Allocations */

static unsigned int until; /* the one that fails; 0: none does */
static bool failed;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__real_nn_pool_alloc(struct nn_pool *pool, size_t size);
void *__real_nn_pool_array(struct nn_pool *pool, size_t count, size_t size);
void *__real_nn_pool_copy(struct nn_pool *pool, const void *data, size_t size);
char *__real_nn_pool_string(struct nn_pool *pool, const char *string);
void *__wrap_nn_pool_alloc(struct nn_pool *pool, size_t size);
void *__wrap_nn_pool_array(struct nn_pool *pool, size_t count, size_t size);
void *__wrap_nn_pool_copy(struct nn_pool *pool, const void *data, size_t size);
char *__wrap_nn_pool_string(struct nn_pool *pool, const char *string);

static bool fails(void)
{
	if (!until || --until)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/*
 * A pool takes memory for many of these at a time, and each may be the one for which there is none
 * left.
 */

void *__wrap_nn_pool_alloc(struct nn_pool *pool, size_t size)
{
	return fails() ? NULL : __real_nn_pool_alloc(pool, size);
}

void *__wrap_nn_pool_array(struct nn_pool *pool, size_t count, size_t size)
{
	return fails() ? NULL : __real_nn_pool_array(pool, count, size);
}

void *__wrap_nn_pool_copy(struct nn_pool *pool, const void *data, size_t size)
{
	return fails() ? NULL : __real_nn_pool_copy(pool, data, size);
}

char *__wrap_nn_pool_string(struct nn_pool *pool, const char *string)
{
	return fails() ? NULL : __real_nn_pool_string(pool, string);
}

/* ---- Models */

static const char text_model[] =
	"1 Input shape=4,6,6,2 type=int8 scale=0.5 zero_point=3\n"
	"2 Const shape=4,3,3,2 type=int8 scales=0.1,0.2,0.3,0.4\n"
	"3 Const shape=4 type=int32 values=1,-2,300,4000\n"
	"4 BatchLoop 1:0 step=2 owner=1\n"
	"5 Conv2d 4:0 2:0 3:0 type=int8 scale=1 padding=same stride=1,2\n"
	"6 Relu 5:0\n"
	"7 Const shape=1,6,3,4 type=int8 scale=1\n"
	"8 Variable 7:0 level=1\n"
	"9 Add 8:0 6:0 type=int8 scale=1 rounding=float32\n"
	"10 Assign 8:0 9:0\n"
	"11 Const shape=1,2,2,8 type=int8 scale=0.25\n"
	"12 Concat 10:0 9:0 axis=3\n"
	"13 DepthwiseConv2d 12:0 11:0 type=int32\n"
	"14 Requantize 13:0 type=uint8 scale=2\n"
	"15 MaxPool 14:0 kernel=2\n"
	"16 AveragePool 14:0 kernel=2 type=uint8 scale=2\n"
	"17 Transpose 15:0 perm=0,3,2,1\n"
	"18 Reshape 17:0 shape=0,-1\n"
	"19 Slice 18:0 axis=1 begin=1 size=5\n"
	"20 Softmax 19:0 type=uint8 scale=0.00390625\n"
	"21 Sigmoid 18:0 type=uint8 scale=0.00390625\n"
	"22 CountLoop 20:0 current=1 total=3\n"
	"23 Copy 22:0\n"
	"24 OUTPUT 23:0 21:0 16:0 4:1\n";

/*
 * An operand that the program has had from its beginning, as number 0, by so many operators that
 * there are all numbers of tensors at which their table grows.
 */
#define AGAIN(id, before)	#id " Add " #before ":0 1:0 type=int8 scale=1\n"
static const char first_again[] =
	"1 Input shape=0,6 type=int8 scale=0.5\n"
	AGAIN(2, 1) AGAIN(3, 2) AGAIN(4, 3) AGAIN(5, 4) AGAIN(6, 5) AGAIN(7, 6) AGAIN(8, 7) AGAIN(9, 8) AGAIN(10, 9)
	AGAIN(11, 10) AGAIN(12, 11) AGAIN(13, 12) AGAIN(14, 13) AGAIN(15, 14) AGAIN(16, 15) AGAIN(17, 16) AGAIN(18, 17)
	AGAIN(19, 18) AGAIN(20, 19) AGAIN(21, 20) AGAIN(22, 21) AGAIN(23, 22) AGAIN(24, 23) AGAIN(25, 24) AGAIN(26, 25)
	AGAIN(27, 26) AGAIN(28, 27) AGAIN(29, 28) AGAIN(30, 29) AGAIN(31, 30) AGAIN(32, 31) AGAIN(33, 32) AGAIN(34, 33)
	"99 OUTPUT 34:0\n";

static const char *const models[] = {
	"ops/conv_relu.onnx",      "ops/conv_depthwise_twice.onnx",
	"ops/float_io.onnx",       "ops/gemm_c_row.onnx",
	"ops/matmul_add.onnx",     "ops/loop_carried.onnx",
	"ops/loop_trips.onnx",     "ops/batch_loop.onnx",
	"ops/proposal.onnx",
	"ops/qlinear_conv.onnx",   "ops/qlinear_add.onnx",
	"ops/averagepool.onnx",    "ops/flatten.onnx",
	"ops/conv_weight_u8.onnx", "tflite/add.tflite",
	"tflite/conv_same.tflite", "tflite/depthwise_times.tflite",
	"tflite/split.tflite",     "tflite/fully_connected_flat.tflite",
	"tflite/squeeze.tflite",   "tflite/softmax.tflite",
	"tflite/reshape.tflite",   "tflite/concatenation.tflite",
	/* These have one operator of each kind. */
	"ops/neg_int32.onnx", "ops/top_k.onnx",
	"ops/one_hot.onnx", "ops/where_constant.onnx",
	"ops/scatter_elements.onnx", "ops/gather_elements.onnx",
	"ops/gather_nd.onnx", "ops/cumsum.onnx",
	"ops/pad.onnx", "ops/resize_linear_half_pixel.onnx",
	"ops/reducemean_1.onnx", "ops/argmax.onnx",
	"ops/layernorm.onnx", "ops/matmul_two.onnx",
	"ops/conv_integer.onnx", "ops/conv_transpose.onnx",
	"ops/prelu.onnx", "ops/concat.onnx",
	"ops/softmax_channels.onnx", "ops/logsoftmax.onnx",
	"ops/split.onnx", "ops/slice_steps.onnx",
	"ops/cast_uint8_bool.onnx", "ops/less_number.onnx",
	"ops/conv_line.onnx", "ops/space_to_depth.onnx",
	"ops/tile.onnx", "ops/hardmax.onnx",
	"ops/lpnorm.onnx", "ops/whole_transpose.onnx",
	"ops/crop_resize.onnx", "ops/add_int32.onnx",
	"ops/whole_roi_align.onnx",
	"ops/whole_one_token.onnx",
	"ops/whole_roi_align_one.onnx",
	"ops/whole_roi_align_max_pixels.onnx",
	"tflite/conv_int16.tflite",
	"tflite/fully_connected_int16.tflite",
	"tflite/add_int16.tflite", "tflite/mul_int16.tflite",
	"tflite/softmax_int16.tflite",
	"tflite/average_pool_int16.tflite",
	"tflite/mean_int16.tflite", "tflite/detection.tflite",
	"tflite/suppress_soft.tflite",
	"tflite/batch_matmul.tflite", "tflite/transpose_conv.tflite",
	"tflite/quantize_int16_to_int8.tflite",
	"tflite/select_v2.tflite", "tflite/resize_bilinear.tflite",
	"tflite/mean_all.tflite", "tflite/l2_normalization.tflite",
	"tflite/float_ends_int16.tflite",
	"tflite/squared_difference.tflite", "tflite/prelu.tflite",
	"tflite/arg_max.tflite", "tflite/log_softmax.tflite",
	"tflite/reduce_max.tflite", "tflite/pad_conv.tflite",
};

static char *bytes;
static size_t size;

static void read_model(const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), MODELS_DIR "%s", name);
	file = fopen(path, "rb");
	if (!file) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	bytes = __real_malloc(size);
	if (!bytes || fread(bytes, 1, size, file) != size)
		exit(1);
	fclose(file);
}

/* ---- The calls, each of which may be the one that fails */

static struct nn_device *device;
static struct nn_graph *graph;
static uint8_t result[MOST_ENDS][MOST_BYTES];

static int create(void)
{
	graph = NULL;
	return nn_graph_create(&graph);
}

static int import(void)
{
	return nn_graph_import(graph, bytes, size, NULL);
}

static int prepare(void)
{
	return nn_graph_prepare(graph, device, NULL);
}

static int execute(void)
{
	static uint8_t in[MOST_ENDS][MOST_BYTES];
	struct nn_buffer inputs[MOST_ENDS] = { 0 }, outputs[MOST_ENDS] = { 0 };
	uint32_t ins = nn_graph_get_input_count(graph), outs = nn_graph_get_output_count(graph);

	if (!CHECK(ins <= MOST_ENDS && outs <= MOST_ENDS))
		return 0;
	for (uint32_t i = 0; i < ins; i++) {
		struct nn_tensor_info info;
		size_t element;

		nn_graph_get_input_info(graph, i, &info);
		element = nn_data_type_size(info.type);
		inputs[i] = (struct nn_buffer){ .data = in[i], .rows = info.dims[0] ? info.dims[0] : 2 };
		inputs[i].size = inputs[i].rows;
		for (uint32_t k = 1; k < info.rank; k++)
			inputs[i].size *= info.dims[k];
		inputs[i].size *= element;
		if (!CHECK(inputs[i].size <= MOST_BYTES))
			return 0;
		for (uint32_t k = 0; k < inputs[i].size; k++)
			in[i][k] = element > 1 ? 0 : (uint8_t)(k * 37 + i);
	}
	memset(result, 0, outs * sizeof(*result));
	for (uint32_t i = 0; i < outs; i++)
		outputs[i] = (struct nn_buffer){ .data = result[i], .size = MOST_BYTES };
	return nn_graph_execute(graph, inputs, ins, outputs, outs);
}

static int take_push(const struct nn_push *push, void *opaque)
{
	(void)push;
	(void)opaque;
	return 0;
}

static int walk(void)
{
	int err = nn_graph_walk_passes(graph, take_push, NULL);

	/* A loop that depends on data has no walk. */
	return err == -EOPNOTSUPP ? 0 : err;
}

static int (*const calls[])(void) = { create, import, prepare, execute, walk };
enum { CREATE, IMPORT, PREPARE, EXECUTE, CALLS = sizeof(calls) / sizeof(*calls) };

/* An execution goes on without what only further streams need. */
static bool can_do_without(unsigned int call)
{
	struct nn_plan_info plan;

	return call == EXECUTE && !nn_graph_get_plan(graph, &plan) && plan.stream_count > 1;
}

/*
 * All calls, or until a plan is there again, of which the one `which` meets the end of memory at
 * its allocation `at`; false if it has not so many.
 */
static bool try(unsigned int which, unsigned int at)
{
	bool enough = false;

	for (unsigned int i = 0; i < CALLS && (which >= PREPARE || i <= PREPARE); i++) {
		int err;

		failed = false;
		until = i == which ? at : 0;
		err = calls[i]();
		until = 0;
		enough |= failed;
		if (!CHECK(err == (failed ? -ENOMEM : 0) || (!err && can_do_without(i))) || (err && i != CREATE && !CHECK(*nn_graph_error(graph)->text)))
			printf("# call %u, allocation %u: %d %s\n", i, at, err, graph ? nn_graph_error(graph)->text : "");
		if (failed && !CHECK(!calls[i]()))
			printf("# call %u, after allocation %u: %s\n", i, at, nn_graph_error(graph)->text);
		if (!tap_good)
			break;
	}
	nn_graph_destroy(graph);
	return enough && tap_good;
}

/* The end of memory is met at each allocation, or at one of so many. */
static unsigned int step = 1;

static void test_model(void)
{
	static uint8_t wanted[MOST_ENDS][MOST_BYTES];
	unsigned int at, total = 0;

	try(CALLS, 0);
	memcpy(wanted, result, sizeof(result));
	for (unsigned int which = 0; which < CALLS && tap_good; which++) {
		for (at = 1; try(which, at); at += step) {
			if (which >= PREPARE && !CHECK(!memcmp(wanted, result, sizeof(result))))
				printf("# call %u, allocation %u\n", which, at);
		}
		total += at - 1;
	}
	printf("# %u allocations, one of %u tried\n", total, step);
}

static unsigned int traced, without_operators;

static void count_operators(const struct nn_pass_record *pass, void *opaque)
{
	traced++;
	without_operators += !pass->op_count;
	for (uint32_t i = 0; i < pass->op_count; i++)
		CHECK(pass->ops[i].op && *pass->ops[i].op);
	(void)opaque;
}

/* What runs goes on where there is no memory for saying what ran. */
static void test_trace(void)
{
	unsigned int at, untold = 0, passes;

	if (!CHECK(!create() && !import() && !prepare() && !nn_graph_set_trace(graph, count_operators, NULL)))
		return;
	CHECK(!execute() && traced && !without_operators);
	passes = traced;
	for (at = 1;; at++) {
		int err;

		failed = false;
		traced = without_operators = 0;
		until = at;
		err = execute();
		until = 0;
		if (!failed)
			break;
		CHECK(err == -ENOMEM || (!err && traced == passes && without_operators == 1));
		untold += without_operators;
	}
	CHECK(untold == passes);
	nn_graph_destroy(graph);
}

static void test_device(void)
{
	struct nn_device *other = NULL;
	struct nn_error error = { 0 };
	unsigned int at;

	for (at = 1;; at++) {
		int err;

		failed = false;
		until = at;
		err = nn_device_open("host", &other, &error);
		until = 0;
		if (!failed)
			break;
		CHECK(err == -ENOMEM && *error.text);
	}
	nn_device_close(other);
	CHECK(at > 1);
}

int main(void)
{
	if (nn_device_open("host:2", &device, NULL))
		return 1;
	tap_run("opening a device", test_device);
	bytes = (char *)(uintptr_t)text_model;
	size = sizeof(text_model) - 1;
	tap_run("text", test_model);
	tap_run("what is traced", test_trace);
	bytes = (char *)(uintptr_t)first_again;
	size = sizeof(first_again) - 1;
	tap_run("an operand that is first and second", test_model);
	for (size_t i = 0; i < ONE_OPERATOR_COUNT; i++) {
		bytes = (char *)(uintptr_t)one_operator[i];
		size = strlen(bytes);
		tap_run("text of one operator", test_model);
	}
	/* What importers and plans allocate is much alike, from node to node. */
	if (!tap_all())
		step = 3;
	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
		read_model(models[i]);
		tap_run(models[i], test_model);
		free(bytes);
	}
	nn_device_close(device);
	return tap_end();
}
