// SPDX-License-Identifier: MIT
/* Outputs of a graph, as text, .npy or raw files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"
#include "npy.h"
#include "out_file.h"

void output_init(struct output *output, const struct nn_tensor_info *info)
{
	*output = (struct output) { .info = *info, .row_elements = 1 };
	for (uint32_t i = 1; i < info->rank; i++)
		output->row_elements *= info->dims[i];
	output->rows = info->dims[0] != NN_VARIABLE ? info->dims[0] : 1024;
}

size_t output_bytes(const struct output *output)
{
	return output->rows * output->row_elements * nn_data_type_size(output->info.type);
}

int64_t output_element(const struct output *output, uint64_t i)
{
	switch (output->info.type) {
	case NN_INT8:
		return ((const int8_t *)output->data)[i];
	case NN_UINT8:
	case NN_BOOL:
		return ((const uint8_t *)output->data)[i];
	case NN_INT64:
	case NN_UINT64:
		return ((const int64_t *)output->data)[i];
	case NN_UINT32:
		return ((const uint32_t *)output->data)[i];
	case NN_INT16:
		return ((const int16_t *)output->data)[i];
	case NN_UINT16:
		return ((const uint16_t *)output->data)[i];
	default:
		return ((const int32_t *)output->data)[i];
	}
}

float output_real_element(const struct output *output, uint64_t i)
{
	float scale = output->info.scale ? output->info.scale : 1;

	if (output->info.type == NN_FLOAT32)
		return ((const float *)output->data)[i];
	return (output_element(output, i) - output->info.zero_point) * scale;
}

uint32_t output_class(const struct output *output, uint32_t row)
{
	uint64_t first = row * output->row_elements;
	uint32_t best = 0;

	for (uint64_t i = 1; i < output->row_elements; i++) {
		if (output->info.type == NN_FLOAT32 ?
			    output_real_element(output, first + i) >
				    output_real_element(output, first + best) :
			    output_element(output, first + i) >
				    output_element(output, first + best))
			best = i;
	}
	return best;
}

static void write_text(const struct output *output, FILE *stream, bool real)
{
	real |= output->info.type == NN_FLOAT32;
	for (uint64_t row = 0; row < output->rows; row++) {
		for (uint64_t i = 0; i < output->row_elements; i++) {
			if (i)
				fputc(' ', stream);
			if (real)
				fprintf(stream, "%.9g",
					(double)output_real_element(output,
							     row * output->row_elements + i));
			else
				fprintf(stream,
					output->info.type == NN_UINT64 ? "%" PRIu64 : "%" PRId64,
					output_element(output, row * output->row_elements + i));
		}
		fputc('\n', stream);
	}
}

int output_write(const struct output *output, struct out_file *file, bool real)
{
	enum nn_data_type type = real ? NN_FLOAT32 : output->info.type;
	uint64_t count = output->rows * output->row_elements;
	size_t size = count * nn_data_type_size(type);
	const void *data = output->data;
	uint32_t dims[NN_MAX_RANK];
	float *floats = NULL;

	if (!file || file_has_suffix(out_file_path(file), ".txt")) {
		write_text(output, file ? out_file_stream(file) : stdout, real);
		return file ? out_file_finish(file) : 0;
	}
	if (real) {
		floats = malloc(size + 1);
		if (!floats)
			return fail("out of memory");
		for (uint64_t i = 0; i < count; i++)
			floats[i] = output_real_element(output, i);
		data = floats;
	}
	memcpy(dims, output->info.dims, sizeof(dims));
	dims[0] = output->rows;
	if (file_has_suffix(out_file_path(file), ".npy"))
		npy_write(out_file_stream(file), type, output->info.rank, dims, data, size);
	else
		fwrite(data, 1, size, out_file_stream(file));
	free(floats);
	return out_file_finish(file);
}
