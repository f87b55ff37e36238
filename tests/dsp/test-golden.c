// SPDX-License-Identifier: MIT
/*
 * The portable kernels, and the packing of constants, against golden values that golden.py computed
 * from the definitions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/kernels.h"
#include "dsp/kernels/numbers.h"
#include "dsp/program/pack.h"
#include "tensor.h"

struct golden_layer {
	enum nn_opcode opcode;
	uint8_t type_in, type_out;
	int32_t zero_in, zero_out, min, max;
	uint32_t in[4], out[4];
	struct nn_window_params window;
	float scale_in, scale_out;
	const float *scale_weights;
	const int8_t *weights;		/* output, row, column, input */
	const int32_t *bias;
	const uint8_t *x, *y;
};

struct golden_sum {
	uint8_t type_a, type_b, type_out;
	int32_t zero_a, zero_b, zero_out, min, max;
	float scale_a, scale_b, scale_out;
	const uint8_t *a, *b, *y;
};

struct golden_crop {
	uint8_t type;
	int32_t zero;
	uint32_t in[4], out[4];
	const uint8_t *x;
	const int32_t *boxes, *owner;
	const uint8_t *y;
};

#include "golden.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int tests, failed;

static void result(int ok, const char *name)
{
	tests++;
	failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", tests, name);
}

/* Runs the call and counts bytes that differ; the greatest difference is *most. */
static int run(struct nn_call *call, const uint8_t *golden, int *most)
{
	static struct nn_run no_progress;
	const struct nn_kernel *kernel = &nn_kernels_portable[call->op->opcode];
	uint64_t bytes = call->output[0].bytes;
	uint8_t *out = malloc(bytes);
	int differ = 0;

	call->run = &no_progress;
	call->output[0].data = out;
	if (kernel->check(call)) {
		printf("# %s: check() refuses the call: %d\n", kernel->name, kernel->check(call));
		free(out);
		*most = 255;
		return 1;
	}
	kernel->run(call);
	for (uint64_t i = 0; i < bytes; i++) {
		int difference = call->output[0].type == NN_TYPE_INT8
					 ? (int8_t)out[i] - (int8_t)golden[i]
					 : out[i] - golden[i];

		differ += difference != 0;
		if (abs(difference) > *most)
			*most = abs(difference);
	}
	free(out);
	return differ;
}

/*
 * The same with sums that are not scaled: counts those that are not what the golden ones were made
 * of.
 */
static int run_unscaled(struct nn_call *call, const uint8_t *golden)
{
	const struct nn_kernel *kernel = &nn_kernels_portable[call->op->opcode];
	const struct nn_tensor scaled = call->output[0];
	const float *scale = (const float *)call->input[3].data;
	int32_t *raw = malloc(scaled.bytes * sizeof(*raw));
	int differ = 0;

	call->input[3].type = 0;
	describe_tensor(&call->output[0], NN_TYPE_INT32, 4, scaled.dims, raw);
	if (kernel->check(call)) {
		printf("# %s: check() refuses sums: %d\n", kernel->name, kernel->check(call));
		free(raw);
		return 1;
	}
	kernel->run(call);
	for (uint64_t i = 0; i < scaled.bytes; i++)
		differ += golden[i] != (uint8_t)clamp_int(requant(raw[i], scale[i % scaled.dims[3]],
								  scaled.zero_point),
							  call->op->out_min, call->op->out_max);
	free(raw);
	return differ;
}

static int run_layer(const struct golden_layer *layer, int *most)
{
	struct nn_program_op op = { .opcode = layer->opcode,
				    .out_min = layer->min,
				    .out_max = layer->max,
				    .window = layer->window };
	struct nn_call call = { .op = &op };
	bool depthwise = layer->opcode == NN_OPCODE_DEPTHWISE_CONV2D;
	uint32_t outputs = layer->out[3], inputs = depthwise ? 1 : layer->in[3];
	uint32_t lanes = depthwise ? nn_pack_repeated_lanes(outputs) : nn_pack_lanes(outputs);
	struct nn_outputs constants = {
		.bias = layer->bias,
		.zero_point = layer->zero_in,
		.least = layer->type_in == NN_TYPE_INT8 ? INT8_MIN : 0,
		.greatest = layer->type_in == NN_TYPE_INT8 ? INT8_MAX : UINT8_MAX,
		.lanes = lanes,
		.used = depthwise ? lanes : outputs,
	};
	struct nn_weights weights = {
		.data = layer->weights,
		.outputs = outputs,
		.kernel_h = layer->window.kernel_h,
		.kernel_w = layer->window.kernel_w,
		.inputs = inputs,
		.stride_output = (int64_t)layer->window.kernel_h * layer->window.kernel_w * inputs,
		.stride_h = (int64_t)layer->window.kernel_w * inputs,
		.stride_w = inputs,
		.stride_input = 1,
	};
	uint64_t bytes =
		depthwise
			? nn_pack_depthwise_size(outputs, weights.kernel_h, weights.kernel_w)
			: nn_pack_conv2d_size(outputs, weights.kernel_h, weights.kernel_w, inputs);
	void *packed = malloc(bytes);
	int32_t *bias = malloc((1 + NN_SCALE_ROWS) * lanes * sizeof(*bias)), *scales = bias + lanes;
	float *scale = malloc(outputs * sizeof(*scale));
	int differ;

	describe_tensor(&call.input[0], layer->type_in, 4, layer->in, layer->x);
	describe_tensor(&call.output[0], layer->type_out, 4, layer->out, NULL);
	call.input[0].zero_point = layer->zero_in;
	call.output[0].zero_point = layer->zero_out;
	if (layer->weights) {
		if (depthwise)
			nn_pack_depthwise(packed, &weights);
		else
			nn_pack_conv2d(packed, &weights);
		nn_pack_scale(scale, outputs, layer->scale_in, layer->scale_weights, 1,
			      layer->scale_out);
		constants.weights = &weights;
		constants.scale = scale;
		nn_pack_outputs(bias, scales, &constants);
		describe_constant(&call.input[1], depthwise ? NN_TYPE_INT8 : NN_TYPE_UINT8, bytes,
				  packed);
		call.input[1].zero_point = depthwise ? 0 : 128;
		describe_constant(&call.input[2], NN_TYPE_INT32, lanes, bias);
		describe_tensor(&call.input[3], NN_TYPE_INT32, DIMS(NN_SCALE_ROWS, lanes), scales);
		call.input[3].packed = true;
	} else if (layer->opcode == NN_OPCODE_AVERAGE_POOL) {
		nn_pack_average_pool_params(&op.window, layer->scale_in, layer->scale_out);
	}
	differ = run(&call, layer->y, most);
	if (layer->weights)
		differ += run_unscaled(&call, layer->y);
	free(packed);
	free(bias);
	free(scale);
	return differ;
}

static void test_layers(enum nn_opcode opcode)
{
	int differ = 0, most = 0, count = 0;
	char name[64];

	for (size_t i = 0; i < COUNT(layers); i++) {
		if (layers[i].opcode != opcode)
			continue;
		count++;
		differ += run_layer(&layers[i], &most);
	}
	snprintf(name, sizeof(name), "%s: %d layers", nn_kernels_portable[opcode].name, count);
	if (opcode == NN_OPCODE_AVERAGE_POOL) {
		printf("# %d bytes differ by a step\n", differ);
		result(count && most <= 1, name);
	} else {
		result(count && !differ, name);
	}
}

static void test_sums(void)
{
	int differ = 0, most = 0;

	for (size_t i = 0; i < COUNT(sums); i++) {
		const struct golden_sum *sum = &sums[i];
		struct nn_program_op op = { .opcode = NN_OPCODE_ADD,
					    .out_min = sum->min,
					    .out_max = sum->max };
		struct nn_call call = { .op = &op };
		uint32_t dims[2] = { 1, 500 };

		nn_pack_add_params(&op.add, sum->scale_a, sum->scale_b, sum->scale_out);
		describe_tensor(&call.input[0], sum->type_a, 2, dims, sum->a);
		describe_tensor(&call.input[1], sum->type_b, 2, dims, sum->b);
		describe_tensor(&call.output[0], sum->type_out, 2, dims, NULL);
		call.input[0].zero_point = sum->zero_a;
		call.input[1].zero_point = sum->zero_b;
		call.output[0].zero_point = sum->zero_out;
		differ += run(&call, sum->y, &most);
	}
	printf("# %d of %zu bytes differ by a step\n", differ, COUNT(sums) * 500);
	result(most <= 1 && differ < 20, "add");
}

static void test_crops(void)
{
	int differ = 0, most = 0;

	for (size_t i = 0; i < COUNT(crops); i++) {
		const struct golden_crop *crop = &crops[i];
		struct nn_program_op op = { .opcode = NN_OPCODE_CROP_RESIZE };
		struct nn_call call = { .op = &op };

		describe_tensor(&call.input[0], crop->type, 4, crop->in, crop->x);
		describe_tensor(&call.input[1], NN_TYPE_INT32, DIMS(8, 4), crop->boxes);
		describe_tensor(&call.input[2], NN_TYPE_INT32, DIMS(8), crop->owner);
		describe_tensor(&call.output[0], crop->type, 4, crop->out, NULL);
		call.input[0].zero_point = crop->zero;
		differ += run(&call, crop->y, &most);
	}
	result(!differ, "crop_resize");
}

/*
 * Elements of each size, to every order, by the definition: nothing of it depends on what they are.
 */
static void test_transposes(void)
{
	static const uint8_t types[] = { NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_UINT16, NN_TYPE_INT32, NN_TYPE_FLOAT32 };
	static const uint32_t orders[6][4] = { { 0, 1, 2, 3 }, { 0, 1, 3, 2 }, { 0, 2, 1, 3 },
					       { 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 0, 3, 2, 1 } };
	static const uint32_t in[4] = { 2, 3, 4, 5 };
	static uint8_t x[480], y[480];
	int differ = 0, most = 0;

	for (uint32_t i = 0; i < sizeof(x); i++)
		x[i] = i * 2654435761u >> 24;
	for (uint32_t k = 0; k < COUNT(types) * 6; k++) {
		const uint32_t *order = orders[k % 6], size = nn_type_size(types[k / 6]);
		struct nn_program_op op = { .opcode = NN_OPCODE_TRANSPOSE };
		struct nn_call call = { .op = &op };
		uint32_t out[4], at[4], to = 0;

		for (uint32_t i = 0; i < 4; i++)
			out[i] = in[order[i]];
		for (uint32_t i = 0; i < 120; i++, to += size) {
			uint32_t rest = i, from = 0;

			for (uint32_t d = 4; d-- > 0; rest /= out[d])
				at[order[d]] = rest % out[d];
			for (uint32_t d = 0; d < 4; d++)
				from = from * in[d] + at[d];
			memcpy(y + to, x + from * size, size);
		}
		memcpy(op.transpose.permutation, order, sizeof(orders[0]));
		describe_tensor(&call.input[0], types[k / 6], 4, in, x);
		describe_tensor(&call.output[0], types[k / 6], 4, out, NULL);
		differ += run(&call, y, &most);
	}
	result(!differ, "transpose");
}

/*
 * Elements of each size from and to places that are strides apart, by the definition; what is not
 * reached stays.
 */
static void test_moves(void)
{
	static const uint8_t types[] = { NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_INT32 };
	static const struct nn_move_params moves[] = {
		{ { 1, 1, 1, 1, 1, 60 }, 59, 0, { 0, 0, 0, 0, 0, -1 }, { 0, 0, 0, 0, 0, 1 } },
		{ { 2, 2, 1, 2, 1, 3 }, 50, 1, { -40, 3, 0, 2, 0, -1 }, { 30, 15, 0, 7, 0, 2 } },
		{ { 1, 1, 1, 3, 4, 5 }, 7, 0, { 0, 0, 0, 0, 5, 1 }, { 0, 0, 0, 20, 5, 1 } },
		{ { 1, 1, 1, 1, 6, 5 }, 3, 59, { 0, 0, 0, 0, 5, 0 }, { 0, 0, 0, 0, -6, -1 } },
	};
	static uint8_t x[480], y[480], out[480];
	static struct nn_run no_progress;
	bool same = true;

	for (uint32_t i = 0; i < sizeof(x); i++)
		x[i] = i * 2654435761u >> 24;
	for (uint32_t k = 0; k < COUNT(types) * COUNT(moves); k++) {
		const struct nn_move_params *move = &moves[k / COUNT(types)];
		uint32_t type = types[k % COUNT(types)], size = nn_type_size(type), indices = 1;
		struct nn_program_op op = { .opcode = NN_OPCODE_MOVE, .move = *move };
		struct nn_call call = { .op = &op, .run = &no_progress };

		memset(y, 0x5a, sizeof(y));
		memset(out, 0x5a, sizeof(out));
		for (uint32_t d = 0; d < NN_MOVE_DIMS; d++)
			indices *= move->count[d];
		for (uint32_t i = 0; i < 2 * indices; i++) {
			int32_t rest = i, from = move->src_offset, to = move->dst_offset;

			for (uint32_t d = NN_MOVE_DIMS; d-- > 0; rest /= move->count[d]) {
				from += (int32_t)(rest % move->count[d]) * move->src_stride[d];
				to += (int32_t)(rest % move->count[d]) * move->dst_stride[d];
			}
			memcpy(y + (60 * rest + to) * size, x + (60 * rest + from) * size, size);
		}
		describe_tensor(&call.input[0], type, DIMS(2, 60), x);
		describe_tensor(&call.output[0], type, DIMS(2, 60), out);
		same &= !nn_kernels_portable[op.opcode].check(&call) && !nn_kernels_portable[op.opcode].run(&call) &&
			!memcmp(out, y, sizeof(y));
	}
	result(same, "move");
}

static void test_fills(void)
{
	static const uint8_t types[] = { NN_TYPE_INT8, NN_TYPE_UINT16, NN_TYPE_INT32 };
	static const uint8_t value[4] = { 0x12, 0x34, 0x56, 0x78 };
	uint8_t golden[60];
	int differ = 0, most = 0;

	for (uint32_t k = 0; k < COUNT(types); k++) {
		uint32_t size = nn_type_size(types[k]);
		struct nn_program_op op = { .opcode = NN_OPCODE_FILL };
		struct nn_call call = { .op = &op };

		memcpy(&op.fill.value, value, size);
		for (uint32_t i = 0; i < 15 * size; i++)
			golden[i] = value[i % size];
		describe_tensor(&call.output[0], types[k], DIMS(3, 5), NULL);
		differ += run(&call, golden, &most);
	}
	result(!differ, "fill");
}

static void test_requant(void)
{
	int wrong = 0;

	for (size_t i = 0; i < COUNT(requant_acc); i++) {
		int32_t got = requant(requant_acc[i], requant_scale[i], 0);

		got = got < -1000 ? -1000 : got > 1000 ? 1000 : got;
		wrong += got != requant_result[i];
	}
	printf("# %zu pairs\n", COUNT(requant_acc));
	result(!wrong, "requantization on and next to ties");
}

static void test_refusals(void)
{
	struct nn_window_params window;
	struct nn_add_params add;
	float packed[32], one = 1.0f, zero = 0.0f;

	result(nn_pack_scale(packed, 1, 1.0f, &zero, 1, 1.0f) &&
		       nn_pack_scale(packed, 1, 1e-30f, &one, 1, 1e30f) &&
		       nn_pack_scale(packed, 1, NAN, &one, 1, 1.0f) &&
		       nn_pack_scale(packed, 1, 1.0f, &one, 1, 0.0f) &&
		       nn_pack_add_params(&add, 0.0f, 1.0f, 1.0f) &&
		       nn_pack_add_params(&add, 1.0f, NAN, 1.0f) &&
		       nn_pack_add_params(&add, 4e6f, 1.0f, 1.0f) &&
		       nn_pack_average_pool_params(&window, 9.0f, 1.0f) &&
		       nn_pack_average_pool_params(&window, NAN, 1.0f) &&
		       !nn_pack_average_pool_params(&window, 8.0f, 1.0f),
	       "scales that cannot be expressed are refused");
}

int main(void)
{
	printf("TAP version 13\n1..12\n");
	test_layers(NN_OPCODE_CONV2D);
	test_layers(NN_OPCODE_DEPTHWISE_CONV2D);
	test_layers(NN_OPCODE_FULLY_CONNECTED);
	test_layers(NN_OPCODE_MAX_POOL);
	test_layers(NN_OPCODE_AVERAGE_POOL);
	test_sums();
	test_crops();
	test_transposes();
	test_moves();
	test_fills();
	test_requant();
	test_refusals();
	return failed ? 1 : 0;
}
