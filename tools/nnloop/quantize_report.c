// SPDX-License-Identifier: MIT
/* The report of nnloop quantize: of each output how it differs, and what is in float. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nnloop.h"
#include "quantize.h"

const char *const quantize_methods[] = { "auto", "min-max", "percentile", "entropy",
					 "squared-error", "each", NULL };

static void print_output(const struct nn_quantized_output *output)
{
	printf("output %s: ", output->name);
	if (output->sqnr == INFINITY)
		printf("no difference");
	else
		printf("SQNR %.2f dB", output->sqnr);
	printf(", cosine %.6f, greatest difference %.6g, best class the same in %" PRIu64 " of %" PRIu64
	       "\n",
	       output->cosine, output->worst, output->agree_count, output->row_count);
}

static void print_layers(const struct nn_quantizer *quantizer, bool verbose)
{
	struct nn_quantized_layer layer;

	for (uint32_t i = 0; !nn_quantizer_get_layer(quantizer, i, &layer); i++) {
		if (layer.kept)
			printf("float:  %s %s: %s\n", layer.op, layer.name, layer.kept);
		else if (layer.widened)
			printf("16 bits: %s %s: %s\n", layer.op, layer.name, layer.widened);
		else if (verbose)
			printf("8 bits: %s %s\n", layer.op, layer.name);
	}
}

static void print_tensors(const struct nn_quantizer *quantizer)
{
	struct nn_quantized_tensor tensor;

	for (uint32_t i = 0; !nn_quantizer_get_tensor(quantizer, i, &tensor); i++)
		printf("tensor %s: %.6g to %.6g, scale %.6g, zero point %" PRId32 ", %s\n", tensor.name,
		       (double)tensor.low, (double)tensor.high, (double)tensor.scale,
		       tensor.zero_point, quantize_methods[tensor.method]);
}

#define MOST_COSTLY 5

/* The layers that cost most, the worst one first. */
static void print_costly(const struct nn_quantizer *quantizer)
{
	struct nn_quantized_layer layer, worst[MOST_COSTLY];
	uint32_t count = 0;

	for (uint32_t i = 0; !nn_quantizer_get_layer(quantizer, i, &layer); i++) {
		uint32_t at = count;

		if (!(layer.cost > 0))
			continue;
		while (at && worst[at - 1].cost < layer.cost)
			at--;
		if (at == MOST_COSTLY)
			continue;
		count += count < MOST_COSTLY;
		memmove(&worst[at + 1], &worst[at], (count - 1 - at) * sizeof(*worst));
		worst[at] = layer;
	}
	for (uint32_t i = 0; i < count; i++)
		printf("%s%s %s: alone %.2f dB, costs %.2f dB%s\n", i ? "               " : "costs most:    ",
		       worst[i].op, worst[i].name, worst[i].sqnr, worst[i].cost,
		       worst[i].kept ? ", stays in float" : worst[i].widened ? ", has 16 bits" : "");
}

void quantize_print(const struct nn_quantizer *quantizer, bool verbose)
{
	struct nn_quantized_output output;
	struct nn_quantized_info info;

	if (nn_quantizer_get_info(quantizer, &info))
		return;
	if (verbose)
		print_tensors(quantizer);
	print_layers(quantizer, verbose);
	printf("%u of %u layers are of 8 bits, ", info.layer_count - info.float_count - info.int16_count,
	       info.layer_count);
	if (info.int16_count)
		printf("%u of 16, ", info.int16_count);
	printf("%u are in float; ranges: %s\n", info.float_count, quantize_methods[info.method]);
	if (info.equalized_count)
		printf("equalized: channels between %u pairs of layers\n", info.equalized_count);
	printf("packets on the DSP, estimated: %" PRIu64 " before, %" PRIu64 " after\n",
	       info.packets_before, info.packets_after);
	printf("packets of float operators on the DSP, estimated: %" PRIu64 " before, %" PRIu64
	       " after\n",
	       info.float_packets_before, info.float_packets_after);
	print_costly(quantizer);
	printf("over %u of %u examples:\n", info.measured_count, info.example_count);
	for (uint32_t i = 0; !nn_quantizer_get_output(quantizer, i, &output); i++)
		print_output(&output);
}
