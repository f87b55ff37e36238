// SPDX-License-Identifier: MIT
/*
 * Makes LayerNormalization of what exporters write for it where the opset has none:
 *
 *	mean = ReduceMean(x)			variance = ReduceMean((x - mean) squared)
 *	y = (x - mean) / Sqrt(variance + epsilon) * scale + bias
 *
 * along the last dimension. A variance has the square of x's range, so that 8 bits of it are next
 * to nothing; as one operator nothing is rounded between x and y. The operator is of opset 17, which
 * the model is brought to: what it had before means the same there, but for RoiAlign.
 *
 * Where x is a product with constant weights, these and the bias are centered, which takes from x
 * only what the operator takes from it anyway: what all elements of x have in common may be most of
 * its range.
 */
#include <string.h>

#include "quantize/quantizer.h"

#define LAYER_OPSET 17

struct finding {
	struct nn_quantizer *quantizer;
	Onnx__GraphProto *graph;
	struct quantizer_list constants;
};

/* The steps that there are always, in their order. */
enum step {
	MEAN, CENTERED, SQUARED, VARIANCE, SUM, ROOT, QUOTIENT, SCALED,
	MOVED, /* there may be none */
	STEPS,
};

static bool is_op(const Onnx__NodeProto *node, const char *op)
{
	return quantizer_is_ours(node) && !strcmp(node->op_type, op) && node->n_output == 1;
}

static bool is_input(const Onnx__NodeProto *node, size_t i, const char *name)
{
	return i < node->n_input && !strcmp(node->input[i], name);
}

static const Onnx__TensorProto *find_constant(const struct finding *finding,
					      const Onnx__NodeProto *node, size_t i)
{
	for (size_t k = 0; k < finding->constants.count && i < node->n_input; k++) {
		Onnx__TensorProto *constant = finding->constants.items[k];

		if (is_input(node, i, constant->name))
			return constant;
	}
	return NULL;
}

static bool is_output(const Onnx__GraphProto *graph, const char *name)
{
	for (size_t i = 0; i < graph->n_output; i++) {
		if (graph->output[i]->name && !strcmp(graph->output[i]->name, name))
			return true;
	}
	return false;
}

/* A node that reads what another makes, with that operator; *readers: as often as it is read. */
static Onnx__NodeProto *find_reader(const struct finding *finding, const Onnx__NodeProto *maker,
				    const char *op, uint32_t *readers)
{
	const Onnx__GraphProto *graph = finding->graph;
	const char *name = maker->output[0];
	Onnx__NodeProto *found = NULL;

	*readers = is_output(graph, name);
	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];

		*readers += quantizer_captures(node, name);
		for (size_t k = 0; k < node->n_input; k++) {
			if (!is_input(node, k, name))
				continue;
			++*readers;
			if (is_op(node, op))
				found = node;
		}
	}
	return found;
}

/* The same, if nothing else reads it. */
static Onnx__NodeProto *find_only(const struct finding *finding, const Onnx__NodeProto *maker,
				  const char *op, uint32_t times)
{
	uint32_t readers;
	Onnx__NodeProto *node = maker ? find_reader(finding, maker, op, &readers) : NULL;

	return node && readers == times ? node : NULL;
}

/* Whether a node reduces the last dimension, and keeps it. */
static bool is_last(const struct finding *finding, const Onnx__NodeProto *node)
{
	const Onnx__AttributeProto *axes = quantizer_attribute(node, "axes");
	const Onnx__TensorProto *given = find_constant(finding, node, 1);
	int64_t axis;

	if (!quantizer_attribute_int(node, "keepdims", 1))
		return false;
	if (axes)
		return axes->n_ints == 1 && axes->ints[0] == -1;
	if (!given || given->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
	    quantizer_constant_count(given) != 1)
		return false;
	if (given->has_raw_data && given->raw_data.len == sizeof(axis))
		memcpy(&axis, given->raw_data.data, sizeof(axis));
	else if (given->n_int64_data == 1)
		axis = given->int64_data[0];
	else
		return false;
	return axis == -1;
}

static bool is_number(const struct finding *finding, const Onnx__NodeProto *node, size_t i,
		      float *number)
{
	const Onnx__TensorProto *constant = find_constant(finding, node, i);

	if (!constant || quantizer_constant_count(constant) != 1 ||
	    !quantizer_constant_floats(constant))
		return false;
	*number = *quantizer_constant_floats(constant);
	return true;
}

/* The operand of two that is not what another node makes. */
static size_t other_operand(const Onnx__NodeProto *node, const Onnx__NodeProto *maker)
{
	return is_input(node, 0, maker->output[0]);
}

/* A constant with an element for each of a vector, which is its last dimension. */
static const Onnx__TensorProto *find_vector(const struct finding *finding,
					    const Onnx__NodeProto *node,
					    const Onnx__NodeProto *maker)
{
	const Onnx__TensorProto *constant =
		node ? find_constant(finding, node, other_operand(node, maker)) : NULL;
	uint64_t count = constant ? quantizer_constant_count(constant) : 0;

	if (count < 2 || !quantizer_constant_floats(constant) ||
	    constant->dims[constant->n_dims - 1] != (int64_t)count)
		return NULL;
	return constant;
}

static bool find_squared(const struct finding *finding, Onnx__NodeProto **steps)
{
	uint32_t readers;
	float exponent;

	steps[SQUARED] = find_reader(finding, steps[CENTERED], "Pow", &readers);
	if (steps[SQUARED])
		return readers == 2 && is_number(finding, steps[SQUARED], 1, &exponent) &&
		       exponent == 2;
	steps[SQUARED] = find_reader(finding, steps[CENTERED], "Mul", &readers);
	return steps[SQUARED] && readers == 3 &&
	       is_input(steps[SQUARED], 0, steps[CENTERED]->output[0]) &&
	       is_input(steps[SQUARED], 1, steps[CENTERED]->output[0]);
}

/* Finds the steps that begin with a mean; false: it is no normalization. */
static bool find_steps(const struct finding *finding, Onnx__NodeProto *mean,
		       Onnx__NodeProto **steps, float *epsilon)
{
	uint32_t readers;

	if (!is_op(mean, "ReduceMean") || !mean->n_input || !is_last(finding, mean))
		return false;
	steps[MEAN] = mean;
	steps[CENTERED] = find_only(finding, mean, "Sub", 1);
	if (!steps[CENTERED] || !is_input(steps[CENTERED], 0, mean->input[0]) ||
	    !is_input(steps[CENTERED], 1, mean->output[0]) || !find_squared(finding, steps))
		return false;
	steps[VARIANCE] = find_only(finding, steps[SQUARED], "ReduceMean", 1);
	if (!steps[VARIANCE] || !is_last(finding, steps[VARIANCE]))
		return false;
	steps[SUM] = find_only(finding, steps[VARIANCE], "Add", 1);
	if (!steps[SUM] ||
	    !is_number(finding, steps[SUM], other_operand(steps[SUM], steps[VARIANCE]), epsilon) ||
	    !(*epsilon >= 0))
		return false;
	steps[ROOT] = find_only(finding, steps[SUM], "Sqrt", 1);
	steps[QUOTIENT] = find_only(finding, steps[ROOT], "Div", 1);
	if (!steps[QUOTIENT] ||
	    find_reader(finding, steps[CENTERED], "Div", &readers) != steps[QUOTIENT] ||
	    !is_input(steps[QUOTIENT], 0, steps[CENTERED]->output[0]))
		return false;
	steps[SCALED] = find_only(finding, steps[QUOTIENT], "Mul", 1);
	if (!find_vector(finding, steps[SCALED], steps[QUOTIENT]))
		return false;
	steps[MOVED] = find_only(finding, steps[SCALED], "Add", 1);
	if (!find_vector(finding, steps[MOVED], steps[SCALED]))
		steps[MOVED] = NULL;
	return true;
}

/* The same list of numbers, as a list. */
static char *add_list(struct finding *finding, const Onnx__TensorProto *vector, const char *made,
		      const char *behind)
{
	struct nn_pool *pool = &finding->quantizer->pool;
	const int64_t count = quantizer_constant_count(vector);
	char *name = quantizer_new_name(finding->quantizer, pool, made, behind);
	Onnx__TensorProto *list =
		name ? quantizer_constant_new(pool, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1,
					      &count, quantizer_constant_floats(vector)) : NULL;

	return list && quantizer_push(pool, &finding->constants, list) ? list->name : NULL;
}

/* Turns the last step into the operator. */
static int write_operator(struct finding *finding, Onnx__NodeProto **steps, float epsilon)
{
	static char op[] = "LayerNormalization";
	struct nn_pool *pool = &finding->quantizer->pool;
	Onnx__NodeProto *last = steps[MOVED] ? steps[MOVED] : steps[SCALED];
	Onnx__AttributeProto *attribute = nn_pool_alloc(pool, sizeof(*attribute));
	Onnx__AttributeProto **attributes = nn_pool_array(pool, 1, sizeof(*attributes));
	char **inputs = nn_pool_array(pool, 3, sizeof(*inputs));

	if (!attribute || !attributes || !inputs)
		return quantizer_no_memory(finding->quantizer);
	inputs[0] = steps[MEAN]->input[0];
	inputs[1] = add_list(finding, find_vector(finding, steps[SCALED], steps[QUOTIENT]),
			     last->output[0], "_scales");
	inputs[2] = steps[MOVED] ? add_list(finding, find_vector(finding, last, steps[SCALED]),
					    last->output[0], "_offsets") : NULL;
	onnx__attribute_proto__init(attribute);
	attribute->name = nn_pool_string(pool, "epsilon");
	attribute->has_type = attribute->has_f = true;
	attribute->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
	attribute->f = epsilon;
	if (!inputs[1] || (steps[MOVED] && !inputs[2]) || !attribute->name)
		return quantizer_no_memory(finding->quantizer);
	attributes[0] = attribute;
	last->op_type = op;
	last->attribute = attributes;
	last->n_attribute = 1;
	last->input = inputs;
	last->n_input = steps[MOVED] ? 3 : 2;
	return 0;
}

static bool is_step(const Onnx__NodeProto *node, Onnx__NodeProto *const *steps)
{
	for (int i = MEAN; i < STEPS; i++) {
		if (steps[i] == node && strcmp(node->op_type, "LayerNormalization"))
			return true;
	}
	return false;
}

static int replace(struct finding *finding, Onnx__NodeProto **steps, float epsilon)
{
	Onnx__GraphProto *graph = finding->graph;
	int err = write_operator(finding, steps, epsilon);
	size_t kept = 0;

	for (size_t i = 0; i < graph->n_node && !err; i++) {
		if (!is_step(graph->node[i], steps))
			graph->node[kept++] = graph->node[i];
	}
	if (!err)
		graph->n_node = kept;
	return err;
}

/* Whether an operator means something else in opset 17. */
static bool changes(const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		const Onnx__NodeProto *node = graph->node[i];

		if (quantizer_is_ours(node) && !strcmp(node->op_type, "RoiAlign") &&
		    !quantizer_attribute(node, "coordinate_transformation_mode"))
			return true;
		for (size_t k = 0; k < node->n_attribute; k++) {
			if (node->attribute[k]->g && changes(node->attribute[k]->g))
				return true;
		}
	}
	return false;
}

/* ---- Centering what is normalized ---- */

/* A constant less its mean along a dimension of so many elements, `stride` apart. */
static char *add_centered(struct finding *finding, const Onnx__TensorProto *from, uint64_t length,
			  uint64_t stride, const char *made, const char *behind)
{
	struct nn_pool *pool = &finding->quantizer->pool;
	const uint64_t count = quantizer_constant_count(from), block = length * stride;
	const int type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	char *name = quantizer_new_name(finding->quantizer, pool, made, behind);
	float *values = nn_pool_copy(pool, quantizer_constant_floats(from), count * sizeof(*values));
	Onnx__TensorProto *constant;

	for (uint64_t i = 0; values && i < count / length; i++) {
		float *first = values + i / stride * block + i % stride;
		double sum = 0;

		for (uint64_t k = 0; k < length; k++)
			sum += first[k * stride];
		for (uint64_t k = 0; k < length; k++)
			first[k * stride] = (float)(first[k * stride] - sum / length);
	}
	constant = name && values ? quantizer_constant_new(pool, name, type, from->n_dims, from->dims,
							   values) : NULL;
	if (!constant || !quantizer_push(pool, &finding->constants, constant))
		return NULL;
	return constant->name;
}

static Onnx__NodeProto *find_maker(const Onnx__GraphProto *graph, const char *name)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		if (graph->node[i]->n_output == 1 && !strcmp(graph->node[i]->output[0], name))
			return graph->node[i];
	}
	return NULL;
}

/* Whether a node is a product of a matrix of weights, with a bias for each output at most. */
static bool is_product(const struct finding *finding, const Onnx__NodeProto *node, uint64_t length,
		       bool *is_transposed)
{
	const Onnx__TensorProto *weights = find_constant(finding, node, 1);
	const Onnx__TensorProto *bias = find_constant(finding, node, 2);
	const Onnx__AttributeProto *alpha = quantizer_attribute(node, "alpha");
	const Onnx__AttributeProto *beta = quantizer_attribute(node, "beta");

	*is_transposed = quantizer_attribute_int(node, "transB", 0);
	if ((!is_op(node, "Gemm") && !is_op(node, "MatMul")) || (alpha && alpha->f != 1) ||
	    (beta && beta->f != 1) || !weights || weights->n_dims != 2 ||
	    !quantizer_constant_floats(weights) || weights->dims[!*is_transposed] != (int64_t)length)
		return false;
	if (node->n_input < 3 || !*node->input[2])
		return true;
	return bias && quantizer_constant_count(bias) == length && quantizer_constant_floats(bias);
}

/* Centers what the product makes that a LayerNormalization alone reads, if that is so. */
static int center(struct finding *finding, const Onnx__NodeProto *node)
{
	Onnx__NodeProto *product = find_maker(finding->graph, node->input[0]);
	const Onnx__TensorProto *scales = find_constant(finding, node, 1);
	struct nn_pool *pool = &finding->quantizer->pool;
	uint64_t length = scales ? quantizer_constant_count(scales) : 0;
	uint64_t stride = 1;
	bool is_transposed;
	char **inputs;

	if (!product || length < 2 || scales->n_dims != 1 ||
	    find_only(finding, product, "LayerNormalization", 1) != node ||
	    !is_product(finding, product, length, &is_transposed))
		return 0;
	inputs = nn_pool_copy(pool, product->input, product->n_input * sizeof(*inputs));
	if (!inputs)
		return quantizer_no_memory(finding->quantizer);
	if (is_transposed)
		stride = find_constant(finding, product, 1)->dims[1];
	inputs[1] = add_centered(finding, find_constant(finding, product, 1), length, stride,
				 product->output[0], "_weights");
	if (product->n_input > 2 && *product->input[2])
		inputs[2] = add_centered(finding, find_constant(finding, product, 2), length, 1,
					 product->output[0], "_bias");
	if (!inputs[1] || (product->n_input > 2 && !inputs[2]))
		return quantizer_no_memory(finding->quantizer);
	product->input = inputs;
	return 0;
}

int quantizer_find_normalizations(struct nn_quantizer *quantizer)
{
	struct finding finding = { .quantizer = quantizer, .graph = quantizer->model->graph };
	Onnx__OperatorSetIdProto *opset = quantizer_opset(quantizer);
	Onnx__GraphProto *graph = finding.graph;
	int err = 0;

	if (!opset || (opset->version < LAYER_OPSET && changes(graph)))
		return 0;
	finding.constants = (struct quantizer_list){ (void **)graph->initializer,
						     graph->n_initializer, graph->n_initializer };
	for (size_t i = 0; i < graph->n_node && !err; i++) {
		Onnx__NodeProto *steps[STEPS] = { NULL };
		float epsilon;

		if (!find_steps(&finding, graph->node[i], steps, &epsilon))
			continue;
		err = replace(&finding, steps, epsilon);
		if (opset->version < LAYER_OPSET)
			opset->version = LAYER_OPSET;
		/* What is behind the mean has moved to where that was. */
		i--;
	}
	for (size_t i = 0; i < graph->n_node && !err; i++) {
		const Onnx__NodeProto *node = graph->node[i];

		if (is_op(node, "LayerNormalization") && node->n_input > 1 &&
		    quantizer_attribute_int(node, "axis", -1) == -1)
			err = center(&finding, node);
	}
	graph->initializer = (Onnx__TensorProto **)finding.constants.items;
	graph->n_initializer = finding.constants.count;
	return err;
}
