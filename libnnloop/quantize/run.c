// SPDX-License-Identifier: MIT
/* Runs models on examples: the float model, and those that are made of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "quantize/quantizer.h"

#define UNKNOWN_ROWS 1024 /* room for rows of an output of which only the data can tell how many */

static uint64_t row_bytes(struct nn_tensor_info info)
{
	info.dims[0] = 1;
	return nn_tensor_info_bytes(&info);
}

static int open_outputs(struct nn_quantizer *quantizer, struct quantizer_run *run)
{
	uint32_t count = nn_graph_get_output_count(run->graph);

	run->outputs = calloc(count + 1, sizeof(*run->outputs));
	run->infos = calloc(count + 1, sizeof(*run->infos));
	run->reals = calloc(count + 1, sizeof(*run->reals));
	run->counts = calloc(count + 1, sizeof(*run->counts));
	if (!run->outputs || !run->infos || !run->reals || !run->counts)
		return quantizer_no_memory(quantizer);
	run->output_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct nn_tensor_info *info = &run->infos[i];
		uint64_t rows;

		if (nn_graph_get_output_info(run->graph, i, info))
			return quantizer_fail_graph(quantizer, run->graph, -EINVAL);
		rows = info->dims[0] == NN_VARIABLE ? UNKNOWN_ROWS : info->dims[0];
		run->outputs[i].size = rows * row_bytes(*info);
		run->outputs[i].data = malloc(run->outputs[i].size + 1);
		if (!run->outputs[i].data)
			return quantizer_no_memory(quantizer);
		if (info->type == NN_FLOAT32)
			run->reals[i] = run->outputs[i].data;
		else if (info->scale > 0)
			run->reals[i] = malloc(run->outputs[i].size / nn_data_type_size(info->type) *
						       sizeof(float) + 1);
	}
	return 0;
}

static int open_source(struct nn_quantizer *quantizer, const struct nn_model_source *source,
		       const struct nn_buffer *inputs, struct quantizer_run *run)
{
	struct nn_prepare_options options = { 0 };
	int err;

	if (nn_graph_create(&run->graph))
		return quantizer_no_memory(quantizer);
	nn_graph_lock(run->graph);
	err = nn_import_any(run->graph, source, NULL);
	nn_graph_unlock(run->graph);
	if (err)
		return quantizer_fail_graph(quantizer, run->graph, err);
	run->input_count = nn_graph_get_input_count(run->graph);
	run->rows = calloc(run->input_count + 1, sizeof(*run->rows));
	if (!run->rows)
		return quantizer_no_memory(quantizer);
	for (uint32_t i = 0; i < run->input_count; i++) {
		struct nn_tensor_info info;

		nn_graph_get_input_info(run->graph, i, &info);
		run->rows[i] = info.dims[0] != NN_VARIABLE ? info.dims[0] :
			       inputs ? inputs[i].rows : 1;
	}
	options.input_rows = run->rows;
	options.input_count = run->input_count;
	err = nn_graph_prepare(run->graph, quantizer->device, &options);
	return err ? quantizer_fail_graph(quantizer, run->graph, err) : open_outputs(quantizer, run);
}

int quantizer_run_open(struct nn_quantizer *quantizer, const void *data, size_t size,
		       const struct nn_buffer *inputs, struct quantizer_run *run)
{
	const struct nn_model_source source = { .data = data, .size = size,
						.options = &quantizer->options };

	*run = (struct quantizer_run){ 0 };
	return open_source(quantizer, &source, inputs, run);
}

int quantizer_run_model(struct nn_quantizer *quantizer, const Onnx__ModelProto *model,
			const struct nn_buffer *inputs, uint32_t own, struct quantizer_run *run)
{
	struct nn_model_source source = { .options = &quantizer->options, .first_stored = own };
	uint8_t *bytes;
	int err;

	*run = (struct quantizer_run){ 0 };
	err = quantizer_pack(quantizer, model, &bytes, &source.size);
	if (!err)
		run->is_image = calloc(model->graph->n_output - own + 1, sizeof(*run->is_image));
	if (!err && !run->is_image)
		err = quantizer_no_memory(quantizer);
	source.data = bytes;
	source.is_stored = run->is_image;
	if (!err)
		err = open_source(quantizer, &source, inputs, run);
	free(bytes);
	return err;
}

/* As QuantizeLinear does, to 8 or 16 bits. */
static void quantize(const struct nn_tensor_info *info, const float *from, uint64_t count,
		     uint8_t *to)
{
	bool is_wide = nn_data_type_size(info->type) == 2;
	float least = info->type == NN_INT8 ? INT8_MIN : info->type == NN_INT16 ? INT16_MIN : 0;
	float greatest = least + quantizer_step_count(is_wide);

	for (uint64_t i = 0; i < count; i++) {
		float value = rintf(from[i] / info->scale) + info->zero_point;
		int32_t integer = (int32_t)fminf(fmaxf(value, least), greatest);

		if (is_wide)
			((uint16_t *)to)[i] = (uint16_t)integer;
		else
			to[i] = (uint8_t)integer;
	}
}

static int32_t integer_at(const struct nn_tensor_info *info, const void *data, uint64_t i)
{
	switch (info->type) {
	case NN_INT8:
		return ((const int8_t *)data)[i];
	case NN_UINT8:
		return ((const uint8_t *)data)[i];
	case NN_INT16:
		return ((const int16_t *)data)[i];
	case NN_UINT16:
		return ((const uint16_t *)data)[i];
	default:
		return ((const int32_t *)data)[i];
	}
}

static void make_real(struct quantizer_run *run, uint32_t output)
{
	const struct nn_tensor_info *info = &run->infos[output];

	run->counts[output] = run->outputs[output].rows * row_bytes(*info) /
			      nn_data_type_size(info->type);
	if (info->type == NN_FLOAT32 || !run->reals[output])
		return;
	for (uint64_t i = 0; i < run->counts[output]; i++)
		run->reals[output][i] = (integer_at(info, run->outputs[output].data, i) -
					 info->zero_point) * info->scale;
}

/* An input as the graph takes it: the float model's, or integers that are made of it. */
static int fit_input(struct nn_quantizer *quantizer, struct quantizer_run *run, uint32_t i,
		     const struct nn_buffer *given, struct nn_buffer *input)
{
	struct nn_tensor_info own, theirs;
	uint64_t count;

	nn_graph_get_input_info(run->graph, i, &own);
	nn_graph_get_input_info(quantizer->graph, i, &theirs);
	*input = *given;
	if (own.type == theirs.type)
		return 0;
	if (theirs.type != NN_FLOAT32 || !own.scale || nn_data_type_size(own.type) > 2)
		return quantizer_fail(quantizer, -EOPNOTSUPP, "an input became one of %s",
				      nn_data_type_name(own.type));
	count = given->size / sizeof(float);
	input->size = count * nn_data_type_size(own.type);
	input->data = malloc(input->size + 1);
	if (!input->data)
		return quantizer_no_memory(quantizer);
	quantize(&own, given->data, count, input->data);
	return 0;
}

int quantizer_run_execute(struct nn_quantizer *quantizer, struct quantizer_run *run,
			  const struct nn_buffer *inputs)
{
	struct nn_buffer *own = calloc(run->input_count + 1, sizeof(*own));
	int err = own ? 0 : quantizer_no_memory(quantizer);

	for (uint32_t i = 0; i < run->input_count && !err; i++)
		err = fit_input(quantizer, run, i, &inputs[i], &own[i]);
	if (!err) {
		err = nn_graph_execute(run->graph, own, run->input_count, run->outputs,
				       run->output_count);
		if (err)
			quantizer_fail_graph(quantizer, run->graph, err);
	}
	for (uint32_t i = 0; i < run->output_count && !err; i++)
		make_real(run, i);
	for (uint32_t i = 0; own && i < run->input_count; i++) {
		if (own[i].data != inputs[i].data)
			free(own[i].data);
	}
	free(own);
	return err;
}

void quantizer_run_close(struct quantizer_run *run)
{
	for (uint32_t i = 0; i < run->output_count; i++) {
		if (run->reals[i] != run->outputs[i].data)
			free(run->reals[i]);
		free(run->outputs[i].data);
	}
	free(run->outputs);
	free(run->infos);
	free(run->reals);
	free(run->counts);
	free(run->rows);
	free(run->is_image);
	nn_graph_destroy(run->graph);
	*run = (struct quantizer_run){ 0 };
}
