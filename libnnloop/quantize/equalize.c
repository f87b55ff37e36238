// SPDX-License-Identifier: MIT
/*
 * Equalizes neighbouring layers (Nagel et al., Data-Free Quantization Through Weight Equalization and
 * Bias Correction, 2019). Between two products, with what passes factors on in between, a channel can
 * be any number of times smaller if the weights that make it are so, and those that read it are as
 * many times greater. With channels that are as large as each other none of them is lost in the steps of another.
 *
 * Factors are powers of two: floats change their exponents alone, the model computes the same to the
 * last bit, and all can be undone. What channels would be like is noted while examples are fed, beside
 * what they are; which of both the model has is switched as a whole.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantize/quantizer.h"

#define MOST_EXPONENT 6 /* of a factor, and its least one */

/* ---- Finding pairs ---- */

/* Whether factors of channels pass an operator, those of its first input: of images, or of lines as well. */
static bool passes(const struct quantizer_node *node, bool is_image)
{
	static const char *const operators[] = { "Identity", "LeakyRelu", "PRelu", "Relu", "AveragePool",
						 "GlobalAveragePool", "GlobalMaxPool", "MaxPool" };
	const size_t count = is_image ? sizeof(operators) / sizeof(*operators) : 4;

	for (size_t i = 0; i < count; i++) {
		if (quantizer_is_ours(node->proto) && !strcmp(node->proto->op_type, operators[i]))
			return node->proto->n_output == 1;
	}
	return false;
}

/* The constant of floats that only one node reads; NULL: it is none. */
static const Onnx__TensorProto *own_constant(const struct quantizer_tensor *tensor)
{
	if (!tensor || !tensor->constant || tensor->reader_count != 1 || tensor->is_output ||
	    tensor->is_captured || !quantizer_constant_floats(tensor->constant))
		return NULL;
	return tensor->constant;
}

static bool is_conv(const struct quantizer_node *node)
{
	return !strcmp(node->proto->op_type, "Conv");
}

/* The weights of a product whose outputs or inputs can be multiplied; NULL: it is none. */
static const Onnx__TensorProto *weights_of(const struct nn_quantizer *quantizer,
					   const struct quantizer_node *node)
{
	const Onnx__AttributeProto *alpha = quantizer_attribute(node->proto, "alpha");
	const Onnx__AttributeProto *beta = quantizer_attribute(node->proto, "beta");
	const Onnx__TensorProto *weights = own_constant(quantizer_input(quantizer, node, 1));

	if (node->role != QUANTIZER_PRODUCT || !weights || node->proto->n_output != 1 ||
	    !strcmp(node->proto->op_type, "ConvTranspose") ||
	    (alpha && alpha->f != 1) || (beta && beta->f != 1) ||
	    quantizer_attribute_int(node->proto, "transA", 0))
		return NULL;
	return is_conv(node) ? (weights->n_dims > 2 ? weights : NULL) :
			       (weights->n_dims == 2 ? weights : NULL);
}

/* The dimension of weights that has their inputs; -1: each has several of them. */
static int inputs_axis(const struct quantizer_node *node, const Onnx__TensorProto *weights)
{
	int64_t group = quantizer_attribute_int(node->proto, "group", 1);

	if (!is_conv(node))
		return !quantizer_outputs_axis(node->proto, weights);
	if (group == 1)
		return 1;
	return weights->dims[0] == group && weights->dims[1] == 1 ? 0 : -1;
}

/* The first node that reads a tensor; NO_TENSOR: none does. */
static uint32_t find_reader(const struct nn_quantizer *quantizer, uint32_t tensor)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		for (size_t k = 0; k < quantizer->nodes[i].proto->n_input; k++) {
			if (quantizer->nodes[i].inputs[k] == tensor)
				return i;
		}
	}
	return NO_TENSOR;
}

/* Finds the product that reads what another makes, and the tensors in between; false: there is none. */
static bool find_second(struct nn_quantizer *quantizer, struct quantizer_pair *pair)
{
	uint32_t tensor = pair->first->outputs[0];

	for (;;) {
		const struct quantizer_tensor *between = &quantizer->tensors[tensor];
		uint32_t reader;

		if (tensor == NO_TENSOR || !between->is_float || between->reader_count != 1 ||
		    between->is_output || between->is_captured)
			return false;
		pair->between[pair->between_count++] = tensor;
		reader = find_reader(quantizer, tensor);
		if (reader == NO_TENSOR || quantizer->nodes[reader].inputs[0] != tensor)
			return false;
		pair->second = &quantizer->nodes[reader];
		if (!passes(pair->second, is_conv(pair->first)))
			return true;
		tensor = pair->second->outputs[0];
	}
}

/* Whether there are so many channels in what the first makes and the second reads. */
static bool fits(const struct nn_quantizer *quantizer, struct quantizer_pair *pair)
{
	const Onnx__TensorProto *first = weights_of(quantizer, pair->first);
	const Onnx__TensorProto *second = weights_of(quantizer, pair->second);
	const struct quantizer_tensor *bias = quantizer_input(quantizer, pair->first, 2);
	int axis = second ? inputs_axis(pair->second, second) : -1;

	if (!first || axis < 0 || is_conv(pair->first) != is_conv(pair->second))
		return false;
	pair->count = first->dims[quantizer_outputs_axis(pair->first->proto, first)];
	if (bias && (!own_constant(bias) || quantizer_constant_count(bias->constant) != pair->count))
		return false;
	return pair->count == second->dims[axis] && pair->count > 1;
}

/* ---- Factors ---- */

/* Elements of a constant that are changed, of one index of a dimension after the other. */
struct channels {
	float *values;
	uint64_t count, inner, length;
};

/* Nobody else has the constant's data: it is in the quantizer's pool. */
static struct channels channels_of(const Onnx__TensorProto *constant, int axis)
{
	struct channels channels = {
		.values = (float *)quantizer_constant_floats(constant),
		.count = quantizer_constant_count(constant),
		.inner = 1, .length = constant->dims[axis],
	};

	for (size_t i = axis + 1; i < constant->n_dims; i++)
		channels.inner *= constant->dims[i];
	return channels;
}

static void multiply(struct channels channels, const float *factors, bool is_inverse)
{
	for (uint64_t i = 0; i < channels.count; i++) {
		float factor = factors[i / channels.inner % channels.length];

		channels.values[i] *= is_inverse ? 1 / factor : factor;
	}
}

/* The greatest elements of each channel. */
static void find_greatest(struct channels channels, float *greatest)
{
	memset(greatest, 0, channels.length * sizeof(*greatest));
	for (uint64_t i = 0; i < channels.count; i++) {
		float *of = &greatest[i / channels.inner % channels.length];

		*of = fmaxf(*of, fabsf(channels.values[i]));
	}
}

/* Multiplies the weights and bias that make what is between by the factors, and divides those that read it. */
static void apply(struct nn_quantizer *quantizer, const struct quantizer_pair *pair, bool is_inverse)
{
	const Onnx__TensorProto *first = weights_of(quantizer, pair->first);
	const Onnx__TensorProto *second = weights_of(quantizer, pair->second);
	const struct quantizer_tensor *bias = quantizer_input(quantizer, pair->first, 2);

	multiply(channels_of(first, quantizer_outputs_axis(pair->first->proto, first)),
		 pair->factors, is_inverse);
	if (bias) {
		struct channels channels = {
			.values = (float *)quantizer_constant_floats(bias->constant),
			.count = pair->count, .inner = 1, .length = pair->count,
		};

		multiply(channels, pair->factors, is_inverse);
	}
	multiply(channels_of(second, inputs_axis(pair->second, second)), pair->factors, !is_inverse);
}

/*
 * Finds the factors with which the greatest weights that make a channel and those that read it are
 * alike. Where each output reads one channel alone, it has a scale of its own, which takes any
 * factor: there those that make it are all alike. False: no memory.
 */
static bool find_factors(struct nn_quantizer *quantizer, struct quantizer_pair *pair)
{
	const Onnx__TensorProto *first = weights_of(quantizer, pair->first);
	const Onnx__TensorProto *second = weights_of(quantizer, pair->second);
	int axis = inputs_axis(pair->second, second);
	float *made = nn_pool_array(&quantizer->pool, 2 * pair->count, sizeof(*made));
	float *read = made + pair->count;
	double sum = 0;
	uint32_t good = 0;

	pair->factors = nn_pool_array(&quantizer->pool, pair->count, sizeof(*pair->factors));
	if (!made || !pair->factors)
		return false;
	find_greatest(channels_of(first, quantizer_outputs_axis(pair->first->proto, first)), made);
	find_greatest(channels_of(second, axis), read);
	for (uint32_t i = 0; i < pair->count; i++) {
		bool is_used = made[i] > 0x1p-40f && read[i] > 0x1p-40f;
		double ratio = is_conv(pair->second) && !axis ? made[i] : sqrt((double)made[i] / read[i]);

		pair->factors[i] = is_used ? (float)log2(ratio) : NAN;
		sum += is_used ? (double)pair->factors[i] : 0;
		good += is_used;
	}
	for (uint32_t i = 0; i < pair->count; i++) {
		double exponent = isnan(pair->factors[i]) ? 0 : rint(sum / good - (double)pair->factors[i]);

		exponent = fmin(fmax(exponent, -MOST_EXPONENT), MOST_EXPONENT);
		pair->factors[i] = ldexpf(1, (int)exponent);
	}
	return true;
}

int quantizer_find_pairs(struct nn_quantizer *quantizer)
{
	quantizer->pairs = nn_pool_array(&quantizer->pool, quantizer->node_count + 1,
					 sizeof(*quantizer->pairs));
	if (!quantizer->pairs)
		return quantizer_no_memory(quantizer);
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_pair *pair = &quantizer->pairs[quantizer->pair_count];

		*pair = (struct quantizer_pair){ .first = &quantizer->nodes[i] };
		if (!weights_of(quantizer, pair->first))
			continue;
		pair->between = nn_pool_array(&quantizer->pool, quantizer->node_count + 1,
					      sizeof(*pair->between));
		if (!pair->between)
			return quantizer_no_memory(quantizer);
		if (!find_second(quantizer, pair) || !fits(quantizer, pair))
			continue;
		if (!find_factors(quantizer, pair))
			return quantizer_no_memory(quantizer);
		/* The next pair begins with what this one ends with. */
		apply(quantizer, pair, false);
		for (uint32_t k = 0; k < pair->between_count; k++)
			quantizer->tensors[pair->between[k]].pair = pair;
		quantizer->pair_count++;
	}
	for (uint32_t i = quantizer->pair_count; i-- > 0;)
		apply(quantizer, &quantizer->pairs[i], true);
	return 0;
}

/* ---- What channels would be like ---- */

float *quantizer_equalize_elements(const struct nn_quantizer *quantizer,
				   const struct quantizer_elements *elements)
{
	const struct quantizer_pair *pair = quantizer->tensors[elements->tensor].pair;
	const struct nn_tensor_info *info = elements->info;
	uint32_t axis = is_conv(pair->first) ? 1 : info->rank - 1;
	float *values = malloc(elements->count * sizeof(*values) + 1);
	uint64_t inner = 1;

	/* An image has dimension 1 stored as the last one, and the last one before it. */
	if (elements->is_image)
		axis = axis == 1 ? info->rank - 1 : axis - 1;
	for (uint32_t i = axis + 1; i < info->rank; i++)
		inner *= info->dims[i];
	for (uint64_t i = 0; i < elements->count && values; i++)
		values[i] = elements->values[i] * pair->factors[i / inner % pair->count];
	return values;
}

/* ---- Switching ---- */

void quantizer_equalize(struct nn_quantizer *quantizer, bool is_wanted)
{
	if (quantizer->is_equalized == is_wanted)
		return;
	quantizer->is_equalized = is_wanted;
	for (uint32_t i = 0; i < quantizer->pair_count; i++)
		apply(quantizer, &quantizer->pairs[i], !is_wanted);
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		struct quantizer_tensor *tensor = &quantizer->tensors[i];

		for (int half = 0; half < 2 && tensor->pair; half++) {
			struct quantizer_statistics before = tensor->halves[half];

			tensor->halves[half] = tensor->other_halves[half];
			tensor->other_halves[half] = before;
		}
		for (uint32_t k = 0; tensor->pair && tensor->sums && k < tensor->pair->count; k++)
			tensor->sums[k] *= is_wanted ? (double)tensor->pair->factors[k] :
						       1 / (double)tensor->pair->factors[k];
	}
}
