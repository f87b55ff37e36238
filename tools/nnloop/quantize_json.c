// SPDX-License-Identifier: MIT
/* The report of nnloop quantize as JSON, for other programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "nnloop.h"
#include "out_file.h"
#include "quantize.h"

static void print_string(FILE *file, const char *name, const char *value)
{
	fprintf(file, "\"%s\": ", name);
	print_json_string(file, value);
	fputs(", ", file);
}

/* Numbers that are not finite are none in JSON. */
static void print_number(FILE *file, const char *name, double value)
{
	if (isfinite(value))
		fprintf(file, "\"%s\": %.9g", name, value);
	else
		fprintf(file, "\"%s\": null", name);
}

static void print_outputs(FILE *file, const struct nn_quantizer *quantizer)
{
	struct nn_quantized_output output;

	fputs("\"outputs\": [", file);
	for (uint32_t i = 0; !nn_quantizer_get_output(quantizer, i, &output); i++) {
		fprintf(file, "%s\n  {", i ? "," : "");
		print_string(file, "name", output.name);
		print_number(file, "sqnr", output.sqnr);
		fputs(", ", file);
		print_number(file, "cosine", output.cosine);
		fputs(", ", file);
		print_number(file, "worst", output.worst);
		fprintf(file, ", \"rows\": %" PRIu64 ", \"agree\": %" PRIu64 "}", output.row_count,
			output.agree_count);
	}
	fputs("\n],\n", file);
}

static void print_layers(FILE *file, const struct nn_quantizer *quantizer)
{
	struct nn_quantized_layer layer;
	uint32_t other;

	fputs("\"layers\": [", file);
	for (uint32_t i = 0; !nn_quantizer_get_layer(quantizer, i, &layer); i++) {
		fprintf(file, "%s\n  {", i ? "," : "");
		print_string(file, "name", layer.name);
		print_string(file, "op", layer.op);
		print_string(file, "type", nn_data_type_name((enum nn_data_type)layer.type));
		if (layer.kept)
			print_string(file, "float", layer.kept);
		if (layer.widened)
			print_string(file, "int16", layer.widened);
		if (layer.sqnr) {
			print_number(file, "sqnr", layer.sqnr);
			fputs(", ", file);
			print_number(file, "cost", layer.cost);
			fputs(", ", file);
		}
		fputs("\"inputs\": [", file);
		for (uint32_t k = 0; !nn_quantizer_get_layer_input(quantizer, i, k, &other); k++)
			fprintf(file, "%s%" PRIu32, k ? ", " : "", other);
		fputs("]}", file);
	}
	fputs("\n],\n", file);
}

static void print_tensors(FILE *file, const struct nn_quantizer *quantizer)
{
	struct nn_quantized_tensor tensor;
	uint64_t bins[QUANTIZE_BINS];

	fputs("\"tensors\": [", file);
	for (uint32_t i = 0; !nn_quantizer_get_tensor(quantizer, i, &tensor); i++) {
		fprintf(file, "%s\n  {", i ? "," : "");
		print_string(file, "name", tensor.name);
		print_string(file, "method", quantize_methods[tensor.method]);
		print_string(file, "type", nn_data_type_name((enum nn_data_type)tensor.type));
		print_number(file, "low", (double)tensor.low);
		fputs(", ", file);
		print_number(file, "high", (double)tensor.high);
		fputs(", ", file);
		print_number(file, "scale", (double)tensor.scale);
		fprintf(file, ", \"zero_point\": %" PRId32 ", \"histogram\": [", tensor.zero_point);
		nn_quantizer_get_histogram(quantizer, i, bins, QUANTIZE_BINS);
		for (uint32_t k = 0; k < QUANTIZE_BINS; k++)
			fprintf(file, "%s%" PRIu64, k ? ", " : "", bins[k]);
		fputs("]}", file);
	}
	fputs("\n]\n", file);
}

int quantize_write_json(const struct nn_quantizer *quantizer, const char *model, const char *path)
{
	struct nn_quantized_info info;
	struct out_file *out;
	FILE *file;
	int status = out_file_open(path, &out);

	if (status)
		return status;
	file = out_file_stream(out);
	nn_quantizer_get_info(quantizer, &info);
	fputs("{\n", file);
	print_string(file, "model", model);
	fputc('\n', file);
	print_string(file, "method", quantize_methods[info.method]);
	fprintf(file, "\"examples\": %" PRIu32 ", \"measured\": %" PRIu32 ",\n", info.example_count,
		info.measured_count);
	fprintf(file, "\"equalized\": %" PRIu32 ",\n", info.equalized_count);
	fprintf(file, "\"packets_before\": %" PRIu64 ", \"packets_after\": %" PRIu64 ",\n",
		info.packets_before, info.packets_after);
	fprintf(file, "\"float_packets_before\": %" PRIu64 ", \"float_packets_after\": %" PRIu64 ",\n",
		info.float_packets_before, info.float_packets_after);
	print_outputs(file, quantizer);
	print_layers(file, quantizer);
	print_tensors(file, quantizer);
	fputs("}\n", file);
	return out_file_finish(out);
}
