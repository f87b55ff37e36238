// SPDX-License-Identifier: MIT
/*
 * Makes of each convolution, and what is multiplied with its channels and added to them behind it,
 * one convolution with other weights: BatchNormalization, and Add and Mul of a constant. Products in
 * double, rounded once.
 */
#include <math.h>
#include <string.h>

#include "quantize/quantizer.h"

struct folding {
	struct nn_quantizer *quantizer;
	struct nn_pool *pool;
	Onnx__GraphProto *graph;
	struct quantizer_list constants;
};

/* Each channel times a factor, and plus a term. */
struct scaling {
	uint64_t channels;
	double *factors, *terms;
};

static const Onnx__TensorProto *find_constant(const struct folding *folding, const char *name)
{
	for (size_t i = 0; i < folding->constants.count; i++) {
		const Onnx__TensorProto *constant = folding->constants.items[i];

		if (!strcmp(constant->name, name))
			return constant;
	}
	return NULL;
}

static const float *floats(const struct folding *folding, const Onnx__NodeProto *node, size_t input,
			   uint64_t count)
{
	const Onnx__TensorProto *constant =
		input < node->n_input ? find_constant(folding, node->input[input]) : NULL;

	if (!constant || quantizer_constant_count(constant) != count)
		return NULL;
	return quantizer_constant_floats(constant);
}

/* The node that reads what a node makes, if it is the only one. */
static Onnx__NodeProto *find_reader(const struct folding *folding, const char *name)
{
	const Onnx__GraphProto *graph = folding->graph;
	Onnx__NodeProto *found = NULL;

	for (size_t i = 0; i < graph->n_output; i++) {
		if (!strcmp(graph->output[i]->name, name))
			return NULL;
	}
	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];

		if (quantizer_captures(node, name))
			return NULL;
		for (size_t k = 0; k < node->n_input; k++) {
			if (strcmp(node->input[k], name))
				continue;
			if (found)
				return NULL;
			found = node;
		}
	}
	return found;
}

static bool is_op(const Onnx__NodeProto *node, const char *op)
{
	return quantizer_is_ours(node) && !strcmp(node->op_type, op);
}

static bool read_normalization(const struct folding *folding, const Onnx__NodeProto *node,
			       struct scaling *scaling)
{
	const Onnx__AttributeProto *given = quantizer_attribute(node, "epsilon");
	double epsilon = given ? given->f : 1e-5f;
	const float *parameters[4];

	if (node->n_output > 1 || quantizer_attribute_int(node, "training_mode", 0))
		return false;
	for (size_t i = 0; i < 4; i++) {
		parameters[i] = floats(folding, node, i + 1, scaling->channels);
		if (!parameters[i])
			return false;
	}
	for (uint64_t c = 0; c < scaling->channels; c++) {
		scaling->factors[c] = parameters[0][c] / sqrt(parameters[3][c] + epsilon);
		scaling->terms[c] = parameters[1][c] - parameters[2][c] * scaling->factors[c];
	}
	return true;
}

/* Whether a constant has an element for each channel of images, lines or rows, or one for all. */
static bool is_by_channel(const Onnx__TensorProto *constant, uint64_t channels, size_t rank)
{
	uint64_t count = quantizer_constant_count(constant);

	if (count == 1)
		return constant->n_dims <= rank;
	return count == channels && constant->n_dims >= rank - 1 && constant->n_dims <= rank &&
	       constant->dims[constant->n_dims - (rank - 1)] == (int64_t)channels;
}

/* An Add or Mul of a constant. */
static bool read_constant(const struct folding *folding, const Onnx__NodeProto *node,
			  const char *made, size_t rank, struct scaling *scaling)
{
	size_t which = node->n_input == 2 && !strcmp(node->input[0], made);
	const Onnx__TensorProto *constant =
		node->n_input == 2 ? find_constant(folding, node->input[which]) : NULL;
	const float *values;

	if (!constant || !is_by_channel(constant, scaling->channels, rank))
		return false;
	values = quantizer_constant_floats(constant);
	for (uint64_t c = 0; c < scaling->channels && values; c++) {
		float value = values[quantizer_constant_count(constant) == 1 ? 0 : c];

		scaling->factors[c] = is_op(node, "Mul") ? value : 1;
		scaling->terms[c] = is_op(node, "Mul") ? 0 : value;
	}
	return values;
}

static Onnx__TensorProto *add_constant(struct folding *folding, const char *name, const char *behind,
				       size_t rank, const int64_t *dims, const float *values)
{
	char *own = quantizer_new_name(folding->quantizer, folding->pool, name, behind);
	Onnx__TensorProto *constant;

	while (own && find_constant(folding, own))
		own = quantizer_new_name(folding->quantizer, folding->pool, own, "_");
	constant = own ? quantizer_constant_new(folding->pool, own, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT,
						rank, dims, values) : NULL;
	if (!constant || !quantizer_push(folding->pool, &folding->constants, constant))
		return NULL;
	return constant;
}

/* Gives a convolution other weights, and the bias that it may not have had. */
static int scale_weights(struct folding *folding, Onnx__NodeProto *conv, const struct scaling *scaling)
{
	const Onnx__TensorProto *weights = find_constant(folding, conv->input[1]), *made;
	uint64_t count = quantizer_constant_count(weights), channels = scaling->channels;
	const float *from = quantizer_constant_floats(weights);
	const float *bias = conv->n_input > 2 ? floats(folding, conv, 2, channels) : NULL;
	bool is_transposed = is_op(conv, "ConvTranspose");
	uint64_t inner = count / (weights->dims[0] * weights->dims[1]);
	float *to = nn_pool_array(folding->pool, count, sizeof(*to));
	float *sums = nn_pool_array(folding->pool, channels, sizeof(*sums));
	char **inputs = nn_pool_array(folding->pool, 3, sizeof(*inputs));

	if (!to || !sums || !inputs)
		return quantizer_no_memory(folding->quantizer);
	for (uint64_t i = 0; i < count; i++)
		to[i] = from[i] * scaling->factors[is_transposed ? i / inner % channels :
								   i / (count / channels)];
	for (uint64_t c = 0; c < channels; c++)
		sums[c] = (bias ? bias[c] : 0) * scaling->factors[c] + scaling->terms[c];
	inputs[0] = conv->input[0];
	made = add_constant(folding, conv->output[0], "_weights", weights->n_dims, weights->dims, to);
	if (!made)
		return quantizer_no_memory(folding->quantizer);
	inputs[1] = made->name;
	made = add_constant(folding, conv->output[0], "_bias", 1, (const int64_t *)&channels, sums);
	if (!made)
		return quantizer_no_memory(folding->quantizer);
	inputs[2] = made->name;
	conv->input = inputs;
	conv->n_input = 3;
	return 0;
}

/* Whether a convolution's weights are known: how many channels it makes; 0: no. */
static uint64_t count_channels(const struct folding *folding, const Onnx__NodeProto *conv)
{
	bool is_transposed = is_op(conv, "ConvTranspose");
	const Onnx__TensorProto *weights;

	if ((!is_transposed && !is_op(conv, "Conv")) || conv->n_input < 2)
		return 0;
	if (is_transposed && quantizer_attribute_int(conv, "group", 1) != 1)
		return 0;
	weights = find_constant(folding, conv->input[1]);
	if (!weights || weights->n_dims < 3 || !quantizer_constant_floats(weights))
		return 0;
	if (conv->n_input > 2 && *conv->input[2] && !floats(folding, conv, 2, weights->dims[is_transposed]))
		return 0;
	return weights->dims[is_transposed];
}

/* Takes in the node behind a convolution; *folded: it did. */
static int fold_next(struct folding *folding, Onnx__NodeProto *conv, bool *folded)
{
	struct scaling scaling = { .channels = count_channels(folding, conv) };
	Onnx__NodeProto *next = scaling.channels ? find_reader(folding, conv->output[0]) : NULL;
	size_t rank, kept = 0;
	int err;

	*folded = false;
	if (!next)
		return 0;
	scaling.factors = nn_pool_array(folding->pool, scaling.channels, sizeof(double));
	scaling.terms = nn_pool_array(folding->pool, scaling.channels, sizeof(double));
	if (!scaling.factors || !scaling.terms)
		return quantizer_no_memory(folding->quantizer);
	rank = find_constant(folding, conv->input[1])->n_dims;
	if (is_op(next, "BatchNormalization"))
		*folded = read_normalization(folding, next, &scaling);
	else if (is_op(next, "Add") || is_op(next, "Mul"))
		*folded = read_constant(folding, next, conv->output[0], rank, &scaling);
	if (!*folded)
		return 0;
	err = scale_weights(folding, conv, &scaling);
	conv->output[0] = next->output[0];
	for (size_t i = 0; i < folding->graph->n_node; i++) {
		if (folding->graph->node[i] != next)
			folding->graph->node[kept++] = folding->graph->node[i];
	}
	folding->graph->n_node = kept;
	return err;
}

/*
 * An Add of a constant may be the beginning of a function such as hard swish, which reads the
 * convolution itself as well: that is no only reader.
 */
int quantizer_fold(struct nn_quantizer *quantizer)
{
	struct folding folding = { .quantizer = quantizer, .pool = &quantizer->pool,
				   .graph = quantizer->model->graph };
	Onnx__GraphProto *graph = folding.graph;
	int err = 0;

	folding.constants = (struct quantizer_list){ (void **)graph->initializer,
						     graph->n_initializer, graph->n_initializer };
	for (size_t i = 0; i < graph->n_node && !err; i++) {
		bool folded = graph->node[i]->n_output;

		while (folded && !err)
			err = fold_next(&folding, graph->node[i], &folded);
	}
	graph->initializer = (Onnx__TensorProto **)folding.constants.items;
	graph->n_initializer = folding.constants.count;
	return err;
}
