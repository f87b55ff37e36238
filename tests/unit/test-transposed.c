// SPDX-License-Identifier: MIT
/*
 * Transposed convolutions as the importers' builder makes them, beside their definition: each
 * element of the input adds its products to the outputs that its window reaches. All scales are
 * powers of two, so the definition needs no more than integers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/build.h"
#include "make-graph.h"
#include "tap.h"

#define ITEMS	2u
#define ZERO_IN	100
#define ZERO_OUT	30

struct shape {
	uint32_t height, width, inputs, outputs; /* outputs of all groups */
	uint32_t kernel[2], stride[2], dilation[2], before[2], size[2];
	uint32_t group;
	bool is_spread; /* no phases can make it */
};

static const struct shape shapes[] = {
	/* Phases that look at the same inputs, in both directions and in one. */
	{ 5, 4, 6, 5, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 10, 8 }, 1, false },
	{ 3, 4, 3, 32, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 6, 8 }, 1, false },
	{ 4, 3, 8, 3, { 3, 4 }, { 3, 4 }, { 1, 1 }, { 0, 0 }, { 12, 12 }, 1, false },
	{ 4, 3, 8, 3, { 3, 4 }, { 1, 4 }, { 1, 1 }, { 1, 0 }, { 4, 12 }, 1, false },
	/* Others, of one number of places, and of two. */
	{ 5, 6, 4, 7, { 4, 4 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 10, 12 }, 1, false },
	{ 5, 6, 4, 7, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 10, 12 }, 1, false },
	{ 5, 6, 4, 7, { 5, 5 }, { 2, 2 }, { 1, 1 }, { 2, 2 }, { 9, 11 }, 1, false },
	{ 3, 3, 4, 7, { 5, 6 }, { 3, 2 }, { 1, 1 }, { 1, 2 }, { 9, 6 }, 1, false },
	/* Sizes that are no multiple of the stride, and what padding has to be added for. */
	{ 5, 6, 4, 7, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 11, 13 }, 1, false },
	{ 5, 6, 4, 7, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 9, 11 }, 1, false },
	{ 2, 3, 4, 7, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 5, 7 }, 1, false },
	/* Dilations that leave phases, and one that leaves some without places. */
	{ 4, 5, 3, 4, { 3, 3 }, { 2, 2 }, { 3, 1 }, { 2, 0 }, { 10, 10 }, 1, false },
	{ 4, 5, 3, 4, { 3, 3 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 8, 10 }, 1, true },
	/* Strides longer than the kernel, and more cut off in front than padding can say. */
	{ 3, 3, 3, 4, { 1, 2 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 6, 6 }, 1, true },
	{ 4, 4, 3, 4, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 6, 6 }, 1, true },
	/* No stride; groups; a group for each channel. */
	{ 4, 5, 3, 4, { 3, 2 }, { 1, 1 }, { 1, 1 }, { 1, 0 }, { 4, 6 }, 1, false },
	{ 4, 5, 6, 4, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 8, 10 }, 2, false },
	{ 4, 5, 6, 6, { 4, 4 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 8, 10 }, 6, false },
};

static uint32_t state;

static int32_t noise(int32_t low, int32_t high)
{
	state = state * 1664525 + 1013904223;
	return low + (int32_t)((state >> 8) % (uint32_t)(high - low + 1));
}

/* A result of sums / 2^bits, to the nearest, ties to even. */
static uint8_t round_sum(int32_t sum, int bits)
{
	int32_t whole = sum >> bits, rest = sum & ((1 << bits) - 1), half = 1 << (bits - 1);

	whole += rest > half || (rest == half && whole & 1);
	whole += ZERO_OUT;
	return whole < 0 ? 0 : whole > 255 ? 255 : whole;
}

static int bits_of(uint32_t output)
{
	return 7 + output % 3;
}

/* Weights are [output][height][width][input of a group]. */
static void define(const struct shape *shape, const uint8_t *x, const int8_t *weights,
		   const int32_t *bias, uint8_t *out)
{
	uint32_t in = shape->inputs / shape->group, of_group = shape->outputs / shape->group;
	size_t count = (size_t)shape->size[0] * shape->size[1] * shape->outputs;
	int32_t *sums = calloc(count, sizeof(*sums));

	if (!sums)
		exit(1);
	for (size_t i = 0; i < count; i++)
		sums[i] = bias[i % shape->outputs];
	for (uint32_t at = 0; at < shape->height * shape->width * shape->kernel[0] *
				       shape->kernel[1]; at++) {
		uint32_t kx = at % shape->kernel[1], ky = at / shape->kernel[1] % shape->kernel[0];
		uint32_t pixel = at / shape->kernel[1] / shape->kernel[0];
		uint32_t iy = pixel / shape->width, ix = pixel % shape->width;
		uint32_t y = iy * shape->stride[0] + ky * shape->dilation[0] - shape->before[0];
		uint32_t xx = ix * shape->stride[1] + kx * shape->dilation[1] - shape->before[1];

		if (y >= shape->size[0] || xx >= shape->size[1])
			continue;
		for (uint32_t o = 0; o < shape->outputs; o++) {
			uint32_t tap = (o * shape->kernel[0] + ky) * shape->kernel[1] + kx;
			const int8_t *w = weights + tap * in;
			const uint8_t *from = x + pixel * shape->inputs + o / of_group * in;

			for (uint32_t i = 0; i < in; i++)
				sums[(y * shape->size[1] + xx) * shape->outputs + o] +=
					w[i] * (from[i] - ZERO_IN);
		}
	}
	for (size_t i = 0; i < count; i++)
		out[i] = round_sum(sums[i], bits_of(i % shape->outputs));
	free(sums);
}

static uint32_t count_nodes(const struct nn_graph *graph, const char *op)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->node_count; i++)
		count += !strcmp(graph->nodes[i]->op_name, op);
	return count;
}

/* Builds a shape's graph and runs it. */
static bool run(const struct shape *shape, uint8_t *x, size_t bytes, const int8_t *weights,
		const int32_t *bias, uint8_t *out, size_t out_bytes)
{
	const struct nn_quant quant = { .type = NN_UINT8, .scale = 0.5f, .zero_point = ZERO_IN };
	const struct nn_quant result = { .type = NN_UINT8, .scale = 0.5f, .zero_point = ZERO_OUT };
	const uint32_t in = shape->inputs / shape->group, of_group = shape->outputs / shape->group;
	const uint32_t taps = shape->kernel[0] * shape->kernel[1];
	float scales[64], bias_scales[64];
	const struct nn_quant of_weights = { .type = NN_INT8, .scales = scales };
	const struct nn_quant of_bias = { .type = NN_INT32, .scales = bias_scales };
	const struct nn_const biases = {
		.element = NN_ELEMENT_INT32,
		.rank = 1,
		.dims = { shape->outputs },
		.count = shape->outputs,
		.data = bias,
	};
	const struct nn_const values = {
		.element = NN_ELEMENT_INT8,
		.rank = 4,
		.dims = { shape->inputs, of_group, shape->kernel[0], shape->kernel[1] },
		.count = (uint64_t)shape->inputs * of_group * taps,
		.data = weights,
	};
	const struct nn_build_weights built = {
		.parameter = { .values = &values, .quant = &of_weights },
		.outputs = shape->outputs,
		.height = shape->kernel[0],
		.width = shape->kernel[1],
		.inputs = in,
		.column_stride = 1,
		.row_stride = shape->kernel[1],
		.output_stride = taps,
		.input_stride = (uint64_t)of_group * taps,
	};
	const struct nn_parameter of_outputs = { .values = &biases, .quant = &of_bias };
	struct nn_transposed transposed;
	struct nn_builder builder = { .next_id = 1 };
	struct nn_build_tensor input = {
		.name = "x",
		.rank = 4,
		.dims = { NN_ROWS, shape->height, shape->width, shape->inputs },
		.quant = quant,
	}, made;
	struct nn_buffer from = { .data = x, .size = ITEMS * bytes, .rows = ITEMS };
	struct nn_buffer to = { .data = out, .size = ITEMS * out_bytes };
	struct nn_device *host;
	bool good;

	memcpy(transposed.stride, shape->stride, sizeof(shape->stride));
	memcpy(transposed.dilation, shape->dilation, sizeof(shape->dilation));
	memcpy(transposed.before, shape->before, sizeof(shape->before));
	memcpy(transposed.outputs, shape->size, sizeof(shape->size));
	for (uint32_t o = 0; o < shape->outputs; o++) {
		scales[o] = ldexpf(1, -bits_of(o));
		bias_scales[o] = 0.5f * scales[o];
	}
	if (nn_graph_create(&builder.graph) || nn_device_open("host", &host, NULL))
		exit(1);
	nn_graph_lock(builder.graph);
	good = CHECK(!nn_build_input(&builder, &input)) &&
	       CHECK(!nn_build_transposed(&builder, &input, &built, shape->group, &of_outputs,
					  &transposed, NN_TRANSPOSED_ONCE, NULL, &result, &made)) &&
	       CHECK(made.dims[1] == shape->size[0] && made.dims[2] == shape->size[1] &&
		     made.dims[3] == shape->outputs) &&
	       CHECK(!nn_build_graph_outputs(&builder, &made, 1)) &&
	       CHECK(count_nodes(builder.graph, "Spread") == (shape->is_spread ? 1 : 0));
	nn_graph_unlock(builder.graph);
	good = good && CHECK(!nn_graph_prepare(builder.graph, host, NULL)) &&
	       CHECK(!nn_graph_execute(builder.graph, &from, 1, &to, 1));
	nn_pool_free(&builder.pool);
	nn_graph_destroy(builder.graph);
	nn_device_close(host);
	return good;
}

/* The model's weights, [input][output of a group][place], as define() wants them. */
static void order_weights(const struct shape *shape, const int8_t *weights, int8_t *to)
{
	uint32_t in = shape->inputs / shape->group, of_group = shape->outputs / shape->group;
	uint32_t taps = shape->kernel[0] * shape->kernel[1];

	for (uint32_t o = 0; o < shape->outputs; o++) {
		for (uint32_t t = 0; t < taps; t++) {
			for (uint32_t i = 0; i < in; i++)
				to[(o * taps + t) * in + i] =
					weights[((o / of_group * in + i) * of_group +
						 o % of_group) * taps + t];
		}
	}
}

static void test_shape(const struct shape *shape)
{
	size_t bytes = (size_t)shape->height * shape->width * shape->inputs;
	size_t out_bytes = (size_t)shape->size[0] * shape->size[1] * shape->outputs;
	size_t count = (size_t)shape->outputs * shape->kernel[0] * shape->kernel[1] *
		       (shape->inputs / shape->group);
	uint8_t *x = malloc(ITEMS * bytes), *out = calloc(ITEMS, out_bytes);
	uint8_t *want = malloc(out_bytes);
	int8_t *weights = malloc(count), *ordered = malloc(count);
	int32_t bias[64];

	if (!x || !out || !want || !weights || !ordered)
		exit(1);
	for (size_t i = 0; i < ITEMS * bytes; i++)
		x[i] = noise(0, 255);
	for (size_t i = 0; i < count; i++)
		weights[i] = noise(-128, 127);
	for (uint32_t o = 0; o < shape->outputs; o++)
		bias[o] = noise(-3000, 3000);
	order_weights(shape, weights, ordered);
	if (run(shape, x, bytes, weights, bias, out, out_bytes)) {
		for (uint32_t item = 0; item < ITEMS; item++) {
			define(shape, x + item * bytes, ordered, bias, want);
			if (!CHECK(!memcmp(out + item * out_bytes, want, out_bytes)))
				break;
		}
	}
	free(x);
	free(out);
	free(want);
	free(weights);
	free(ordered);
}

static void test_shapes(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		test_shape(&shapes[i]);
		if (!tap_good)
			printf("# shape %zu\n", i);
	}
}

int main(void)
{
	tap_run("transposed convolutions by their definition", test_shapes);
	return tap_end();
}
