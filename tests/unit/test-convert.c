// SPDX-License-Identifier: MIT
/*
 * TensorFlow Lite models in float as the quantizer reads them: the ONNX models that they become give
 * what TensorFlow Lite makes of the same inputs. What cannot be one is refused with a sentence that
 * names the operator.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nn_quantize.h"
#include "quantize/quantizer.h"
#include "tap.h"
#include "tests/e2e/golden.h"

static struct nn_device *device;
static char path[] = "/tmp/test-convert-XXXXXX"; /* of the file that a model is written to */
static double most; /* that outputs may differ, in parts of their range */
static uint32_t converted, refused;

static bool is_float_model(const struct one_case *c)
{
	if (c->model_size < 8 || memcmp(c->model + 4, "TFL3", 4) || !c->output_count ||
	    c->state != JUDGED || c->flags & MUST_REFUSE)
		return false;
	for (uint32_t i = 0; i < c->input_count; i++) {
		if (c->inputs[i].type == ONNX_INT8 || c->inputs[i].type == ONNX_UINT8 ||
		    c->inputs[i].type == ONNX_INT16)
			return false;
	}
	for (uint32_t i = 0; i < c->output_count; i++) {
		if (c->outputs[i].type == ONNX_FLOAT)
			return true;
	}
	return false;
}

/* The greatest difference in parts of the range of what is wanted, 0 included. */
static double compare(const struct tensor *wanted, const float *got, uint64_t count)
{
	double low = 0, high = 0, worst = 0;

	if (wanted->size != count * sizeof(float))
		return INFINITY;
	for (uint64_t i = 0; i < count; i++) {
		float value;

		memcpy(&value, wanted->data + 4 * i, sizeof(value));
		low = fmin(low, value);
		high = fmax(high, value);
		if (memcmp(&value, &got[i], sizeof(value)))
			worst = isnan(value) && isnan(got[i]) ? worst :
				fmax(worst, isnan(got[i]) || isnan(value) ? INFINITY : fabs((double)value - got[i]));
	}
	return worst > 0 ? worst / (high - low) : 0;
}

/* Runs what was converted, on the inputs of a case. */
static bool run(struct nn_quantizer *quantizer, const struct one_case *c)
{
	struct nn_buffer inputs[MAX_TENSORS] = { 0 };
	struct quantizer_run run;
	bool good = c->input_count == quantizer->model->graph->n_input;
	int err;

	for (uint32_t i = 0; i < c->input_count; i++) {
		inputs[i].rows = c->inputs[i].rank ? c->inputs[i].dims[0] : 1;
		inputs[i].size = c->inputs[i].size;
		inputs[i].data = malloc(inputs[i].size + 1);
		memcpy(inputs[i].data, c->inputs[i].data, inputs[i].size);
	}
	err = good ? quantizer_run_model(quantizer, quantizer->model, inputs,
					 quantizer->model->graph->n_output, &run) : -EINVAL;
	if (!err)
		err = quantizer_run_execute(quantizer, &run, inputs);
	if (err)
		printf("# %s: %s\n", c->name, good ? nn_quantizer_error(quantizer)->text : "other inputs");
	good = !err && run.output_count == c->output_count;
	for (uint32_t i = 0; i < c->output_count && good; i++) {
		double difference;

		if (c->outputs[i].type != ONNX_FLOAT)
			continue;
		difference = compare(&c->outputs[i], run.reals[i], run.counts[i]);
		if (difference > most)
			printf("# %s: output %u differs by %g of the range\n", c->name, i, difference);
		good &= difference <= most;
	}
	if (!err || quantizer->model)
		quantizer_run_close(&run);
	for (uint32_t i = 0; i < c->input_count; i++)
		free(inputs[i].data);
	return good;
}

/* Whether a case is what it should be. */
static bool check(const struct one_case *c)
{
	struct nn_quantizer *quantizer;
	FILE *stream = fopen(path, "wb");
	bool good = true;
	int err;

	CHECK(stream && fwrite(c->model, 1, c->model_size, stream) == c->model_size);
	fclose(stream);
	CHECK(!nn_quantizer_create(device, &quantizer));
	err = nn_quantizer_read_file(quantizer, path, NULL);
	if (!err) {
		converted++;
		good = run(quantizer, c);
	} else {
		const char *text = nn_quantizer_error(quantizer)->text;

		refused++;
		good = err == -EOPNOTSUPP && strstr(text, ", which makes \"") &&
		       strstr(text, " cannot be written as ONNX: ");
		if (!good)
			printf("# %s: %d: %s\n", c->name, err, text);
	}
	nn_quantizer_destroy(quantizer);
	return good;
}

/* All cases of a file: how many can be written as ONNX, and how many cannot. */
static void test_file(const char *name, double difference, uint32_t can, uint32_t cannot)
{
	struct golden golden;
	struct one_case c;

	converted = refused = 0;
	most = difference;
	CHECK(!golden_open(name, &golden));
	while (golden_next(&golden, &c) == 1)
		CHECK(!is_float_model(&c) || check(&c));
	golden_close(&golden);
	if (!CHECK(converted == can && refused == cannot))
		printf("# %u were converted, and %u refused\n", converted, refused);
}

#define EDGES "tests/models/edges/tflite-"

static void test_layers(void)
{
	test_file(EDGES "float-layers.cases", 1e-5, 60, 0);
}

static void test_elements(void)
{
	test_file(EDGES "float-elements.cases", 1e-5, 196, 0);
}

static void test_moves(void)
{
	test_file(EDGES "float-moves.cases", 1e-5, 40, 0);
}

/* TOPK_V2, CUMSUM and the like are no operators that a quantizer gains something by. */
static void test_numbers(void)
{
	test_file(EDGES "float-numbers.cases", 1e-5, 7, 10);
}

/* TensorFlow Lite rounds what these read to 8 bits, too, which a model in float does not. */
static void test_hybrid(void)
{
	test_file(EDGES "hybrid-layers.cases", 0.05, 15, 0);
	test_file(EDGES "hybrid-convolutions.cases", 0.05, 31, 0);
	test_file(EDGES "hybrid-products.cases", 0.05, 4, 1);
}

static void test_control(void)
{
	test_file("tests/models/edges/controlled_floats_tflite.cases", 0, 0, 16);
}

int main(void)
{
	close(mkstemp(path));
	if (nn_device_open("host:1", &device, NULL))
		return 1;
	tap_run("layers", test_layers);
	tap_run("functions of elements, and along dimensions", test_elements);
	tap_run("what moves elements", test_moves);
	tap_run("numbers", test_numbers);
	tap_run("weights of integers", test_hybrid);
	tap_run("loops and branches", test_control);
	nn_device_close(device);
	unlink(path);
	return tap_end();
}
