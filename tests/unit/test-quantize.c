// SPDX-License-Identifier: MIT
/*
 * The parts of a quantizer: histograms, ranges, scales and weights against their definitions, and the
 * public calls in a wrong order, with wrong arguments and with several threads.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nn_quantize.h"
#include "quantize/quantizer.h"
#include "tap.h"

#define MODEL "tests/models/quantize/classifier.onnx"
#define ITEM (3 * 12 * 12)

/* ---- Histograms and ranges ---- */

static int add_all(struct nn_pool *pool, struct quantizer_statistics *statistics, const float *values,
		   uint64_t count)
{
	const struct quantizer_sample all = { .rows = 1, .length = count, .step = 1 };

	CHECK(quantizer_statistics_begin(pool, statistics));
	return quantizer_statistics_add(statistics, values, count, all);
}

/* A sample has one of each of some rows; its elements count for as many, and the ends are those of all. */
static void test_sample(void)
{
	const struct quantizer_sample sample = { .rows = 10, .length = 4, .step = 3 };
	struct quantizer_statistics statistics = { 0 };
	struct nn_pool pool = { 0 };
	float values[30][4];
	bool differs = false;

	for (int i = 0; i < 30; i++) {
		for (int k = 0; k < 4; k++)
			values[i][k] = k;
	}
	/* The first row is that of index 0. */
	values[1][0] = -5;
	CHECK(quantizer_statistics_begin(&pool, &statistics));
	CHECK(!quantizer_statistics_add(&statistics, &values[0][0], 120, sample));
	CHECK(statistics.low == -5 && statistics.high == 3);
	CHECK(statistics.count == 120 && statistics.zeros == 30);
	CHECK(statistics.bins[2048 + 256] == 30);
	for (uint64_t i = 0; i < sample.rows; i++) {
		uint64_t row = quantizer_sample_row(sample, i);

		CHECK(row >= 3 * i && row < 3 * i + 3);
		differs |= row % 3 != 0;
	}
	CHECK(differs);
	nn_pool_free(&pool);
}

static void test_statistics(void)
{
	/* Small ones first, so that bins are merged. */
	const float values[] = { 0.25f, -0.5f, 0, 0, 3, -1, 100, 0.001f };
	struct quantizer_statistics whole = { 0 }, parts = { 0 }, others = { 0 };
	struct nn_pool pool = { 0 };
	uint64_t spread[4], sum = 0;

	CHECK(!add_all(&pool, &whole, values, 8));
	CHECK(whole.low == -1 && whole.high == 100 && whole.count == 8 && whole.zeros == 2);
	/* 100 is below 2^7: a bin has 2^8 / 4096. */
	CHECK(whole.exponent == 7);
	CHECK(whole.bins[2048] == 3 && whole.bins[2048 + 48] == 1 && whole.bins[2048 + 1600] == 1);
	CHECK(whole.bins[2048 + 4] == 1 && whole.bins[2048 - 8] == 1 && whole.bins[2048 - 16] == 1);
	for (int i = 0; i < 4; i++)
		CHECK(!add_all(&pool, &parts, &values[i], 1));
	CHECK(!add_all(&pool, &others, &values[4], 4));
	CHECK(quantizer_statistics_merge(&pool, &parts, &others));
	CHECK(!memcmp(parts.bins, whole.bins, QUANTIZER_BINS * sizeof(*whole.bins)));
	CHECK(parts.low == -1 && parts.high == 100 && parts.count == 8 && parts.zeros == 2);
	quantizer_statistics_spread(&whole, spread, 4);
	for (int i = 0; i < 4; i++)
		sum += spread[i];
	CHECK(sum == 8 && spread[0] == 7 && spread[3] == 1);
	CHECK(add_all(&pool, &whole, &(float){ NAN }, 1) == -EDOM);
	CHECK(add_all(&pool, &whole, &(float){ -INFINITY }, 1) == -EDOM);
	nn_pool_free(&pool);
}

static void test_ranges(void)
{
	struct quantizer_statistics many = { 0 }, above = { 0 };
	struct nn_pool pool = { 0 };
	float low, high;

	/* 20,000 of 0 to 1, evenly, and one far away. */
	for (int i = 1; i <= 20000; i++)
		CHECK(!add_all(&pool, &many, &(float){ i / 20000.0f }, 1));
	CHECK(!add_all(&pool, &many, &(float){ -30 }, 1));
	quantizer_range(&many, NN_QUANTIZE_MIN_MAX, &low, &high);
	CHECK(low == -30 && high == 1);
	/* Two elements may be outside on each side: the bins are of 2^6 / 4096. */
	quantizer_range(&many, NN_QUANTIZE_PERCENTILE, &low, &high);
	CHECK(low == 0 && high > 0.98f && high <= 1);
	/*
	 * To clip the one at x costs (30 - x)^2, and then 20,000 are rounded, each at ((x + 1) / 255)^2 / 12:
	 * least at 29.22, of which a multiple of 30 * 0.9 / 48 below 30 is near.
	 */
	quantizer_range(&many, NN_QUANTIZE_SQUARED_ERROR, &low, &high);
	CHECK(low == -30 * (1 - 0.9f / 48) && high > 0.9f && high <= 1);
	/* All is above 0, which is in the range all the same. */
	CHECK(!add_all(&pool, &above, (float[]){ 2, 3, 4 }, 3));
	for (uint32_t method = NN_QUANTIZE_MIN_MAX; method < QUANTIZER_METHODS; method++) {
		quantizer_range(&above, method, &low, &high);
		CHECK(low == 0 && high > 0 && high <= 4);
	}
	nn_pool_free(&pool);
}

/* ---- Weights ---- */

static void test_weights(void)
{
	const float values[] = { 1, -2, 0.5f, 0, 0, 0 };
	const int64_t dims[] = { 2, 3 };
	struct nn_pool pool = { 0 };
	Onnx__TensorProto *constant = quantizer_constant_new(
		&pool, "w", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 2, dims, values);
	const float least[] = { 0.5f, 0.25f };
	int8_t *integers;
	uint32_t count;
	float *scales;

	CHECK(!quantizer_quantize_weights(&pool, constant, 0, NULL, INFINITY, &integers, &scales, &count));
	CHECK(count == 2 && scales[0] == 2.0f / 127 && scales[1] == 1);
	/* 63.5 is a tie, and 31.75 is none. */
	CHECK(integers[0] == 64 && integers[1] == -127 && integers[2] == 32 && !integers[3]);
	CHECK(!quantizer_quantize_weights(&pool, constant, 1, NULL, INFINITY, &integers, &scales, &count));
	CHECK(count == 3 && scales[0] == 1.0f / 127 && scales[2] == 0.5f / 127);
	CHECK(integers[0] == 127 && integers[1] == -127 && integers[2] == 127 && !integers[5]);
	CHECK(!quantizer_quantize_weights(&pool, constant, -1, NULL, INFINITY, &integers, &scales, &count));
	CHECK(count == 1 && scales[0] == 2.0f / 127 && integers[2] == 32);
	/* A bias that would be too many steps of a smaller one. */
	CHECK(!quantizer_quantize_weights(&pool, constant, 0, least, INFINITY, &integers, &scales, &count));
	CHECK(scales[0] == 0.5f && scales[1] == 0.25f && integers[0] == 2 && integers[1] == -4);
	CHECK(integers[2] == 1);
	/* Weights that are cut off, for the others to be sharper. */
	CHECK(!quantizer_quantize_weights(&pool, constant, 0, NULL, 1.0f / 127, &integers, &scales, &count));
	CHECK(scales[0] == 1.0f / 127 && integers[0] == 127 && integers[1] == -127 && integers[2] == 64);
	nn_pool_free(&pool);
}

/* ---- The public calls ---- */

static struct nn_quantizer *create(const char *name)
{
	struct nn_quantizer *quantizer;
	struct nn_device *device;

	CHECK(!nn_device_open(name, &device, NULL));
	CHECK(!nn_quantizer_create(device, &quantizer));
	nn_device_close(device);
	return quantizer;
}

static float example[ITEM];

static int feed(struct nn_quantizer *quantizer, uint32_t seed)
{
	const struct nn_buffer input = { .data = example, .size = sizeof(example), .rows = 1 };

	for (uint32_t i = 0; i < ITEM; i++) {
		seed = seed * 1664525 + 1013904223;
		example[i] = (seed >> 8) / 8388608.0f - 1;
	}
	return nn_quantizer_feed(quantizer, &input, 1);
}

static bool says(const struct nn_quantizer *quantizer, const char *words)
{
	bool found = strstr(nn_quantizer_error(quantizer)->text, words);

	if (!found)
		printf("# it says: %s\n", nn_quantizer_error(quantizer)->text);
	return found;
}

static void test_order(void)
{
	struct nn_quantizer *quantizer = create("host:1");
	struct nn_quantize_options options = { 0 };
	const struct nn_buffer input = { .data = example, .size = sizeof(example), .rows = 1 };
	struct nn_quantized_info info;
	const void *data;
	size_t size;

	CHECK(!nn_quantizer_get_graph(quantizer));
	CHECK(feed(quantizer, 1) == -EINVAL && says(quantizer, "has no model"));
	CHECK(nn_quantizer_choose(quantizer, NULL) == -EINVAL);
	CHECK(nn_quantizer_read_file(quantizer, "tests/models/quantize/none.onnx", NULL) == -ENOENT);
	CHECK(nn_quantizer_read_file(quantizer, "tests/models/digits.onnx", NULL) == -EEXIST);
	CHECK(says(quantizer, "quantized already"));
	CHECK(!nn_quantizer_read_file(quantizer, MODEL, NULL));
	CHECK(nn_graph_get_input_count(nn_quantizer_get_graph(quantizer)) == 1);
	CHECK(nn_quantizer_read_file(quantizer, MODEL, NULL) == -EINVAL);
	CHECK(nn_quantizer_choose(quantizer, NULL) == -ENODATA);
	CHECK(nn_quantizer_feed(quantizer, &input, 0) == -EINVAL && says(quantizer, "has 1 inputs, not 0"));
	CHECK(!feed(quantizer, 1) && !feed(quantizer, 2));
	CHECK(nn_quantizer_get_model(quantizer, &data, &size) == -EINVAL);
	CHECK(nn_quantizer_get_info(quantizer, &info) == -EINVAL);
	CHECK(nn_quantizer_measure_layers(quantizer) == -EINVAL);
	options.method = 99;
	CHECK(nn_quantizer_choose(quantizer, &options) == -EINVAL && says(quantizer, "method 99"));
	options = (struct nn_quantize_options){ .activations = NN_INT16 };
	CHECK(nn_quantizer_choose(quantizer, &options) == -EINVAL && says(quantizer, "uint8 or int8"));
	options = (struct nn_quantize_options){ .keep = (const char *[]){ "nobody" }, .keep_count = 1 };
	CHECK(nn_quantizer_choose(quantizer, &options) == -ENOENT && says(quantizer, "\"nobody\""));
	options = (struct nn_quantize_options){ .int16 = (const char *[]){ "nobody" }, .int16_count = 1 };
	CHECK(nn_quantizer_choose(quantizer, &options) == -ENOENT && says(quantizer, "have 16 bits"));
	options.keep = options.int16 = (const char *[]){ "the_gemm36" };
	options.keep_count = 1;
	CHECK(nn_quantizer_choose(quantizer, &options) == -EINVAL && says(quantizer, "\"the_gemm36\""));
	options = (struct nn_quantize_options){ .pixel_channels = 1 };
	CHECK(nn_quantizer_choose(quantizer, &options) == -EINVAL && says(quantizer, "no factors"));
	options = (struct nn_quantize_options){ .pixel_channels = 2, .pixel_axis = 1,
						.pixel_factors = (float[]){ 1, 1 },
						.pixel_terms = (float[]){ 0, 0 } };
	CHECK(nn_quantizer_choose(quantizer, &options) == -EOPNOTSUPP);
	CHECK(says(quantizer, "not one input of float32 with 2 channels"));
	CHECK(nn_quantizer_get_model(quantizer, &data, &size) == -EINVAL);
	/* It is as it was before, and can be chosen again. */
	CHECK(!nn_quantizer_choose(quantizer, NULL));
	options = (struct nn_quantize_options){ .activations = NN_INT8, .method = NN_QUANTIZE_ENTROPY };
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_info(quantizer, &info));
	CHECK(info.example_count == 2 && info.measured_count == 2 && !info.float_count);
	CHECK(info.method == NN_QUANTIZE_ENTROPY && info.output_count == 1);
	CHECK(feed(quantizer, 3) == -EINVAL && says(quantizer, "chosen already"));
	nn_quantizer_destroy(quantizer);
	nn_quantizer_destroy(NULL);
}

/* A structure of a later version, of which something is set that this library does not know. */
static void test_newer(void)
{
	struct nn_quantizer *quantizer = create("host:1");
	struct {
		struct nn_quantize_options known;
		uint64_t more;
	} newer = { .more = 1 };

	CHECK(!nn_quantizer_read_file(quantizer, MODEL, NULL) && !feed(quantizer, 1));
	CHECK(nn_quantizer_choose_sized(quantizer, &newer.known, sizeof(newer)) == -E2BIG);
	newer.more = 0;
	CHECK(!nn_quantizer_choose_sized(quantizer, &newer.known, sizeof(newer)));
	nn_quantizer_destroy(quantizer);
}

static void test_not_finite(void)
{
	struct nn_quantizer *quantizer = create("host:1");
	const struct nn_buffer input = { .data = example, .size = sizeof(example), .rows = 1 };

	CHECK(!nn_quantizer_read_file(quantizer, MODEL, NULL));
	memset(example, 0, sizeof(example));
	example[7] = INFINITY;
	CHECK(nn_quantizer_feed(quantizer, &input, 1) == -EDOM && says(quantizer, "tensor \"in\""));
	nn_quantizer_destroy(quantizer);
}

/* Scales are those of what occurred; layers cost something, and what was chosen remains. */
static void test_figures(void)
{
	struct nn_quantizer *quantizer = create("host:2");
	struct nn_quantize_options options = { .method = NN_QUANTIZE_MIN_MAX };
	struct nn_quantized_tensor tensor;
	struct nn_quantized_layer layer;
	struct nn_quantized_info info;
	const void *data, *again;
	uint32_t costly = 0, reader;
	size_t size, same;

	CHECK(!nn_quantizer_read_file(quantizer, MODEL, NULL));
	for (uint32_t i = 0; i < 12; i++)
		CHECK(!feed(quantizer, i));
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_info(quantizer, &info));
	for (uint32_t i = 0; i < info.tensor_count; i++) {
		CHECK(!nn_quantizer_get_tensor(quantizer, i, &tensor));
		/* Others share the scale of one that has a greater range. */
		CHECK((fminf(tensor.low, 0) - 1e-6f) / tensor.scale >= -tensor.zero_point - 0.51f);
		CHECK(tensor.high / tensor.scale <= 255 - tensor.zero_point + 0.51f);
		if (!strcmp(tensor.name, "in"))
			CHECK(tensor.scale == (float)(((double)tensor.high - tensor.low) / 255) &&
			      tensor.zero_point == rint(-(double)tensor.low / tensor.scale));
	}
	CHECK(nn_quantizer_get_tensor(quantizer, info.tensor_count, &tensor) == -ENOENT);
	CHECK(nn_quantizer_get_layer(quantizer, info.layer_count, &layer) == -ENOENT);
	CHECK(nn_quantizer_get_layer_input(quantizer, 0, 0, &reader) == -ENOENT);
	CHECK(!nn_quantizer_get_layer_input(quantizer, 1, 0, &reader) && !reader);
	CHECK(!nn_quantizer_get_model(quantizer, &data, &size));
	again = memcpy(malloc(size), data, size);
	CHECK(!nn_quantizer_measure_layers(quantizer));
	for (uint32_t i = 0; !nn_quantizer_get_layer(quantizer, i, &layer); i++)
		costly += layer.cost > 0 && layer.sqnr > 0;
	/* Convolutions, the sum, the mean, the product and the softmax at least. */
	CHECK(costly >= 7);
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_model(quantizer, &data, &same));
	CHECK(same == size && !memcmp(data, again, size));
	free((void *)again);
	nn_quantizer_destroy(quantizer);
}

/* Nodes that are to have 16 bits, and those that a budget buys them for; a choice begins anew. */
static void test_wide(void)
{
	struct nn_quantizer *quantizer = create("host:1");
	struct nn_quantize_options options = { .method = NN_QUANTIZE_MIN_MAX, .activations = NN_INT8,
					       .int16 = (const char *[]){ "the_gemm36" },
					       .int16_count = 1 };
	struct nn_quantized_tensor tensor;
	struct nn_quantized_output output;
	struct nn_quantized_layer layer;
	struct nn_quantized_info info;
	double narrow;

	CHECK(!nn_quantizer_read_file(quantizer, MODEL, NULL));
	for (uint32_t i = 0; i < 12; i++)
		CHECK(!feed(quantizer, i));
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_info(quantizer, &info) && info.int16_count == 1 && !info.float_count);
	CHECK(info.packets_before > info.packets_after && info.packets_after);
	for (uint32_t i = 0; !nn_quantizer_get_layer(quantizer, i, &layer); i++) {
		bool is_wide = !strcmp(layer.name, "the_gemm36");

		CHECK(layer.type == (is_wide ? NN_INT16 : NN_INT8) && !layer.widened == !is_wide);
	}
	for (uint32_t i = 0; !nn_quantizer_get_tensor(quantizer, i, &tensor); i++) {
		bool is_wide = !strcmp(tensor.name, "gemm36");

		CHECK(tensor.type == (is_wide ? NN_INT16 : NN_INT8));
		if (is_wide)
			CHECK(tensor.scale == (float)(((double)tensor.high - tensor.low) / 65535));
	}
	options.int16_count = 0;
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_info(quantizer, &info) && !info.int16_count && !info.float_count);
	CHECK(!nn_quantizer_get_output(quantizer, 0, &output));
	narrow = output.sqnr;
	options.budget = 0.01f;
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_info(quantizer, &info) && info.int16_count > 3);
	CHECK(!nn_quantizer_get_output(quantizer, 0, &output) && output.sqnr > narrow + 3);
	nn_quantizer_destroy(quantizer);
}

/* Channels are equalized, and as they were when a method is named. */
static void test_equalized(void)
{
	struct nn_quantizer *quantizer = create("host:2");
	struct nn_quantize_options options = { .method = NN_QUANTIZE_MIN_MAX };
	struct nn_quantized_info info;
	const struct nn_buffer input = { .data = example, .size = 3 * 8 * 8 * sizeof(float), .rows = 1 };
	const void *data;
	size_t size, same;
	void *first;

	CHECK(!nn_quantizer_read_file(quantizer, "tests/models/quantize/channels.onnx", NULL));
	for (uint32_t i = 0; i < 6; i++) {
		for (uint32_t k = 0; k < 3 * 8 * 8; k++)
			example[k] = (float)sin(k * (i + 1.0)) * (i + 1);
		CHECK(!nn_quantizer_feed(quantizer, &input, 1));
	}
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_info(quantizer, &info) && !info.equalized_count);
	CHECK(!nn_quantizer_get_model(quantizer, &data, &size));
	first = memcpy(malloc(size), data, size);
	CHECK(!nn_quantizer_choose(quantizer, NULL));
	CHECK(!nn_quantizer_get_info(quantizer, &info) && info.equalized_count == 4);
	CHECK(!nn_quantizer_choose(quantizer, &options));
	CHECK(!nn_quantizer_get_model(quantizer, &data, &same));
	CHECK(same == size && !memcmp(data, first, size));
	free(first);
	nn_quantizer_destroy(quantizer);
}

int main(void)
{
	tap_run("a sample", test_sample);
	tap_run("histograms", test_statistics);
	tap_run("ranges", test_ranges);
	tap_run("weights", test_weights);
	tap_run("calls in a wrong order, and wrong arguments", test_order);
	tap_run("a structure of a later version", test_newer);
	tap_run("what is not finite", test_not_finite);
	tap_run("16 bits", test_wide);
	tap_run("channels between layers", test_equalized);
	tap_run("scales, layers, and the same file again", test_figures);
	return tap_end();
}
