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

int quantizer_add_means(struct nn_quantizer *quantizer, struct quantizer_tensor *tensor,
			const struct nn_tensor_info *info, const float *values, uint64_t count)
{
	uint32_t channels;
	uint64_t inner = 1;

	if (tensor->channels != QUANTIZER_LAST && tensor->channels != QUANTIZER_SECOND)
		return 0;
	if (info->rank < 2 || !count)
		return 0;
	channels = info->dims[tensor->channels == QUANTIZER_LAST ? info->rank - 1 : 1];
	for (uint32_t i = 2; i < info->rank && tensor->channels == QUANTIZER_SECOND; i++)
		inner *= info->dims[i];
	if (!channels || !inner || count % (channels * inner))
		return 0;
	if (!tensor->sums)
		tensor->sums = nn_pool_array(&quantizer->pool, channels, sizeof(*tensor->sums));
	if (!tensor->sums)
		return quantizer_no_memory(quantizer);
	tensor->channel_count = channels;
	for (uint64_t i = 0; i < count; i += inner) {
		double sums[4] = { 0 };
		uint64_t k = 0;

		for (; k + 4 <= inner; k += 4) {
			for (int part = 0; part < 4; part++)
				sums[part] += values[i + k + part];
		}
		for (; k < inner; k++)
			sums[0] += values[i + k];
		tensor->sums[i / inner % channels] += sums[0] + sums[1] + sums[2] + sums[3];
	}
	tensor->summed_count += count / channels;
	return 0;
}

/* Which input an element of weights is multiplied with, and which output it is a part of. */
static void find_place(const Onnx__NodeProto *node, const Onnx__TensorProto *weights, uint64_t index,
		       uint64_t *input, uint64_t *output)
{
	const uint64_t rows = weights->dims[0], columns = weights->dims[1];
	uint64_t inner = 1, groups;

	for (size_t i = 2; i < weights->n_dims; i++)
		inner *= weights->dims[i];
	*output = index / inner / columns;
	*input = index / inner % columns;
	if (!strcmp(node->op_type, "Conv")) {
		groups = quantizer_attribute_int(node, "group", 1);
		*input += *output / (rows / groups) * columns;
	} else if (!quantizer_attribute_int(node, "transB", 0)) {
		*input = index / columns;
		*output = index % columns;
	}
}

double *quantizer_find_correction(struct nn_pool *pool, const struct quantizer_node *node,
				  const struct quantizer_tensor *input,
				  const Onnx__TensorProto *weights, const int8_t *integers,
				  const float *scales, uint64_t outputs)
{
	const float *values = quantizer_constant_floats(weights);
	const uint64_t count = quantizer_constant_count(weights);
	double *correction;

	if (!input->summed_count || weights->n_dims < 2 ||
	    !strcmp(node->proto->op_type, "ConvTranspose"))
		return NULL;
	correction = nn_pool_array(pool, outputs, sizeof(*correction));
	for (uint64_t i = 0; i < count && correction; i++) {
		uint64_t from, to;

		find_place(node->proto, weights, i, &from, &to);
		if (from >= input->channel_count || to >= outputs)
			return NULL;
		correction[to] += ((double)values[i] - (double)integers[i] * scales[to]) *
				  input->sums[from] / input->summed_count;
	}
	return correction;
}
