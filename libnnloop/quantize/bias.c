// SPDX-License-Identifier: MIT
/*
 * Corrects biases. What rounding weights adds to an output is, on average over examples, the weights'
 * errors times the means of the inputs' channels: that is taken from the bias. At the borders of
 * pictures, where fewer inputs are summed, it is about that.
 */
#include <string.h>

#include "quantize/quantizer.h"

/* Finds the dimension whose means are wanted of what products read. */
void quantizer_find_channels(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];
		struct quantizer_tensor *tensor;
		enum quantizer_channels channels;

		if (node->role != QUANTIZER_PRODUCT || !node->proto->n_input ||
		    node->inputs[0] == NO_TENSOR || !strcmp(node->proto->op_type, "ConvTranspose"))
			continue;
		tensor = &quantizer->tensors[node->inputs[0]];
		channels = strcmp(node->proto->op_type, "Conv") ? QUANTIZER_LAST : QUANTIZER_SECOND;
		if (tensor->channels == QUANTIZER_NO_CHANNELS)
			tensor->channels = channels;
		else if (tensor->channels != channels)
			tensor->channels = QUANTIZER_MIXED_CHANNELS;
	}
}

/* The channels whose means are wanted of elements, 0 if of none; *inner: elements of one side by side. */
static uint32_t find_inner(const struct quantizer_tensor *tensor,
			   const struct quantizer_elements *elements, uint64_t *inner)
{
	const struct nn_tensor_info *info = elements->info;
	uint32_t axis;

	*inner = 1;
	if (tensor->channels != QUANTIZER_LAST && tensor->channels != QUANTIZER_SECOND)
		return 0;
	if (info->rank < 2 || !elements->count)
		return 0;
	/* An image has dimension 1 stored as the last one, and the last one before it. */
	if (tensor->channels == QUANTIZER_SECOND)
		axis = elements->is_image ? info->rank - 1 : 1;
	else
		axis = info->rank - 1 - elements->is_image;
	for (uint32_t i = axis + 1; i < info->rank; i++)
		*inner *= info->dims[i];
	if (!*inner || !info->dims[axis] || elements->count % (info->dims[axis] * *inner))
		return 0;
	return info->dims[axis];
}

bool quantizer_begin_means(struct nn_quantizer *quantizer, const struct quantizer_elements *elements)
{
	struct quantizer_tensor *tensor = &quantizer->tensors[elements->tensor];
	uint64_t inner;
	uint32_t channels = find_inner(tensor, elements, &inner);

	if (!channels || tensor->sums)
		return true;
	tensor->channel_count = channels;
	tensor->sums = nn_pool_array(&quantizer->pool, channels, sizeof(*tensor->sums));
	return tensor->sums;
}

/* Adds rows of a sample that have an element of each channel. */
static void add_channels(struct quantizer_tensor *tensor, const float *values,
			 struct quantizer_sample sample)
{
	const uint32_t channels = tensor->channel_count;

	for (uint64_t r = 0; r < sample.rows; r++) {
		const float *row = values + quantizer_sample_row(sample, r) * sample.length;

		for (uint64_t i = 0; i < sample.length; i += channels) {
			for (uint32_t k = 0; k < channels; k++)
				tensor->sums[k] += row[i + k];
		}
	}
	tensor->summed_count += sample.rows * sample.length / channels;
}

static double sum_up(const float *values, uint64_t count)
{
	double sums[4] = { 0 };
	uint64_t k = 0;

	for (; k + 4 <= count; k += 4) {
		for (int part = 0; part < 4; part++)
			sums[part] += values[k + part];
	}
	for (; k < count; k++)
		sums[0] += values[k];
	return sums[0] + sums[1] + sums[2] + sums[3];
}

void quantizer_add_means(struct nn_quantizer *quantizer, const struct quantizer_elements *elements,
			 struct quantizer_sample sample)
{
	struct quantizer_tensor *tensor = &quantizer->tensors[elements->tensor];
	uint64_t inner;
	uint32_t channels = find_inner(tensor, elements, &inner);

	if (!channels || channels != tensor->channel_count)
		return;
	if (inner == 1 && sample.length % channels == 0) {
		add_channels(tensor, elements->values, sample);
		return;
	}
	for (uint64_t i = 0; i < elements->count; i += inner)
		tensor->sums[i / inner % channels] += sum_up(elements->values + i, inner);
	tensor->summed_count += elements->count / channels;
}

/* The weights of a product, the means that they are multiplied with, and the sums of their errors. */
struct errors {
	const float *values;
	const int8_t *integers;
	const float *scales;
	const double *means;
	double *correction;
};

/* Adds the errors of weights that are side by side, of one input and one output. */
static void add_errors(const struct errors *errors, uint64_t at, uint64_t count, uint64_t input,
		       uint64_t output)
{
	double sum = errors->correction[output];

	for (uint64_t i = at; i < at + count; i++)
		sum += ((double)errors->values[i] -
			(double)errors->integers[i] * errors->scales[output]) * errors->means[input];
	errors->correction[output] = sum;
}

/* Weights of outputs, inputs of a group, and elements of a window. */
static void add_outputs(const struct errors *errors, const Onnx__TensorProto *weights, uint64_t groups)
{
	const uint64_t rows = weights->dims[0], columns = weights->dims[1];
	uint64_t inner = 1;

	for (size_t i = 2; i < weights->n_dims; i++)
		inner *= weights->dims[i];
	for (uint64_t row = 0; row < rows; row++) {
		uint64_t first = row / (rows / groups) * columns;

		for (uint64_t column = 0; column < columns; column++)
			add_errors(errors, (row * columns + column) * inner, inner, first + column, row);
	}
}

double *quantizer_find_correction(struct nn_pool *pool, const struct quantizer_node *node,
				  const struct quantizer_tensor *input,
				  const Onnx__TensorProto *weights, const int8_t *integers,
				  const float *scales, uint64_t outputs)
{
	const bool is_conv = !strcmp(node->proto->op_type, "Conv");
	const uint64_t groups = is_conv ? quantizer_attribute_int(node->proto, "group", 1) : 1;
	bool is_turned = !is_conv && !quantizer_attribute_int(node->proto, "transB", 0);
	struct errors errors = { .integers = integers, .scales = scales };
	double *means;

	if (!input->summed_count || weights->n_dims < 2 ||
	    !strcmp(node->proto->op_type, "ConvTranspose"))
		return NULL;
	if (input->channel_count != (is_turned ? weights->dims[0] : weights->dims[1]) * groups ||
	    outputs != (uint64_t)(is_turned ? weights->dims[1] : weights->dims[0]) ||
	    outputs % groups)
		return NULL;
	errors.values = quantizer_constant_floats(weights);
	errors.correction = nn_pool_array(pool, outputs, sizeof(*errors.correction));
	errors.means = means = nn_pool_array(pool, input->channel_count, sizeof(*means));
	if (!errors.correction || !means)
		return NULL;
	for (uint32_t i = 0; i < input->channel_count; i++)
		means[i] = input->sums[i] / input->summed_count;
	if (!is_turned) {
		add_outputs(&errors, weights, groups);
		return errors.correction;
	}
	for (uint64_t row = 0; row < input->channel_count; row++) {
		for (uint64_t column = 0; column < outputs; column++)
			add_errors(&errors, row * outputs + column, 1, row, column);
	}
	return errors.correction;
}
