// SPDX-License-Identifier: MIT
/*
 * Plans what is quantized: which nodes, which tensors between them, and which of these share a
 * scale. It is made anew whenever another node is to stay in float.
 *
 * - A node is quantized if its operator has such a form and its operands allow it.
 * - A chain of functions of the elements of one tensor is one function: what is between its nodes is
 *   not rounded. An element of 8 bits has 256 values, so that such a chain is a table.
 * - A Relu or Clip behind another operator is left out, and what it makes is that operator's: the
 *   range of the integers does what it would, unless something that is not limited has the same scale.
 * - An output of the model that is a function of one tensor is not rounded: it is a table of floats.
 * - What an operator only moves has the same scale before and behind it.
 */
#include <math.h>
#include <string.h>

#include "quantize/quantizer.h"

static bool is_number(const struct quantizer_tensor *tensor)
{
	return tensor->constant && quantizer_constant_count(tensor->constant) == 1 &&
	       quantizer_constant_floats(tensor->constant);
}

static bool is_float_constant(const struct quantizer_tensor *tensor)
{
	return tensor && tensor->constant && quantizer_constant_floats(tensor->constant);
}

/* ---- Nodes ---- */

/* Weights, if they are no tensor, and a bias are constants. */
static const char *refuse_product(const struct nn_quantizer *quantizer,
				  const struct quantizer_node *node)
{
	const struct quantizer_tensor *weights = quantizer_input(quantizer, node, 1);
	const struct quantizer_tensor *bias = quantizer_input(quantizer, node, 2);
	const Onnx__NodeProto *proto = node->proto;
	bool is_gemm = !strcmp(proto->op_type, "Gemm");
	const Onnx__AttributeProto *alpha = quantizer_attribute(proto, "alpha");
	const Onnx__AttributeProto *beta = quantizer_attribute(proto, "beta");

	if (!weights || (!weights->is_float && !is_float_constant(weights)))
		return "its weights are computed";
	if (strcmp(proto->op_type, "MatMul") && !weights->constant)
		return "its weights are a tensor";
	if (is_gemm && ((alpha && alpha->f != 1) || (beta && beta->f != 1) ||
			quantizer_attribute_int(proto, "transA", 0)))
		return "it has alpha, beta or transA";
	if (bias && !is_float_constant(bias))
		return "its bias is no constant";
	/* One number, or a matrix, is no bias for each output. */
	if (bias && is_gemm && bias->constant->n_dims != 1)
		return "its bias is no list";
	return NULL;
}

static const char *refuse_operands(const struct nn_quantizer *quantizer,
				   const struct quantizer_node *node)
{
	bool is_concat = !strcmp(node->proto->op_type, "Concat");

	for (size_t i = 0; i < node->proto->n_input; i++) {
		const struct quantizer_tensor *tensor = quantizer_input(quantizer, node, i);

		if (!tensor || tensor->is_float)
			continue;
		if (node->role == QUANTIZER_BINARY && !is_float_constant(tensor))
			return "an operand is computed of constants";
		/* Its range is that of what it makes, constants among it. */
		if (is_concat && !tensor->is_known)
			return "an operand is not of float32";
		if (node->role == QUANTIZER_FUNCTION && !is_number(tensor))
			return "a parameter is computed";
	}
	return NULL;
}

/* Padding with anything but what 0 is would be outside of the range. */
static bool pads_otherwise(const struct nn_quantizer *quantizer, const struct quantizer_node *node)
{
	const struct quantizer_tensor *value = quantizer_input(quantizer, node, 2);

	if (strcmp(node->proto->op_type, "Pad") || !value)
		return false;
	return !is_number(value) || *quantizer_constant_floats(value->constant);
}

static const char *refuse(const struct nn_quantizer *quantizer, const struct quantizer_node *node)
{
	const struct quantizer_tensor *first = quantizer_input(quantizer, node, 0);
	bool has_tensor = first && first->is_float;

	if (node->is_kept)
		return node->reason;
	if (node->role == QUANTIZER_OPAQUE)
		return "nnloop does not quantize this operator";
	for (size_t i = 0; node->role == QUANTIZER_BINARY && i < node->proto->n_input; i++)
		has_tensor |= quantizer_input(quantizer, node, i) && quantizer_input(quantizer, node, i)->is_float;
	if (!has_tensor)
		return "its first operand is no tensor of floats";
	for (size_t k = 0; k < node->proto->n_output; k++) {
		if (k && strcmp(node->proto->op_type, "Split"))
			return "it has several outputs";
	}
	if (node->role == QUANTIZER_PRODUCT)
		return refuse_product(quantizer, node);
	if (pads_otherwise(quantizer, node))
		return "it pads with another number than 0";
	return refuse_operands(quantizer, node);
}

/* Whether a tensor comes from a quantized node, or an input of the model. */
static bool comes_quantized(const struct nn_quantizer *quantizer, uint32_t tensor)
{
	const struct quantizer_tensor *from = quantizer_tensor(quantizer, tensor);

	return from && from->is_float && (!from->producer || from->producer->is_quantized);
}

static void find_nodes(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];
		const char *reason = refuse(quantizer, node);

		node->is_merged = false;
		node->is_quantized = !reason;
		/* Moving floats costs nothing that quantizing them would save. */
		if (node->is_quantized && node->role == QUANTIZER_MOVE) {
			node->is_quantized = comes_quantized(quantizer, node->inputs[0]);
			reason = "what it moves is in float";
		}
		node->reason = node->is_quantized ? NULL : reason;
	}
}

/* ---- Functions of one tensor ---- */

/* The only tensor that a node is a function of, by what its operands are functions of. */
static uint32_t find_origin(const struct nn_quantizer *quantizer, const struct quantizer_node *node)
{
	uint32_t origin = NO_TENSOR;

	if (!node->is_quantized ||
	    (node->role != QUANTIZER_FUNCTION && node->role != QUANTIZER_BINARY))
		return NO_TENSOR;
	if (!strcmp(node->proto->op_type, "PRelu"))
		return NO_TENSOR;
	for (size_t i = 0; i < node->proto->n_input; i++) {
		const struct quantizer_tensor *tensor = quantizer_input(quantizer, node, i);

		if (!tensor || is_number(tensor))
			continue;
		if (!tensor->is_float || (origin != NO_TENSOR && origin != tensor->origin))
			return NO_TENSOR;
		origin = tensor->origin;
	}
	return origin;
}

/* Finds what each tensor is a function of, where those that are not inner are of themselves. */
static void set_origins(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		quantizer->tensors[i].origin = i;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];
		struct quantizer_tensor *made = node->proto->n_output ?
							quantizer_tensor(quantizer, node->outputs[0]) : NULL;
		uint32_t origin = made && made->is_inner ? find_origin(quantizer, node) : NO_TENSOR;

		if (origin != NO_TENSOR)
			made->origin = origin;
		else if (made)
			made->is_inner = false;
	}
}

/* Whether it stays so that all that read the tensors in between are of the same function. */
static bool drop_others(struct nn_quantizer *quantizer)
{
	bool dropped = false;

	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];
		uint32_t origin = find_origin(quantizer, node);

		for (size_t k = 0; k < node->proto->n_input; k++) {
			struct quantizer_tensor *tensor = quantizer_input(quantizer, node, k);

			if (!tensor || !tensor->is_inner || tensor->origin == origin)
				continue;
			tensor->is_inner = false;
			dropped = true;
		}
	}
	return dropped;
}

static void find_functions(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		struct quantizer_tensor *tensor = &quantizer->tensors[i];

		tensor->is_inner = tensor->producer && tensor->is_float && !tensor->is_output &&
				   !tensor->is_captured && tensor->reader_count;
	}
	do {
		set_origins(quantizer);
	} while (drop_others(quantizer));
}

/* ---- Tensors that share a scale ---- */

/* Operands that are rounded: of a node that reads them as floats, those that are not. */
static bool is_operand(const struct quantizer_node *node, size_t i)
{
	if (node->role == QUANTIZER_BINARY || !strcmp(node->proto->op_type, "Concat"))
		return true;
	return !i || (node->role == QUANTIZER_PRODUCT && i == 1);
}

struct quantizer_tensor *quantizer_group(const struct nn_quantizer *quantizer, uint32_t tensor)
{
	while (quantizer->tensors[tensor].group != tensor)
		tensor = quantizer->tensors[tensor].group;
	return &quantizer->tensors[tensor];
}

static void join(struct nn_quantizer *quantizer, uint32_t a, uint32_t b)
{
	struct quantizer_tensor *first = quantizer_group(quantizer, a);
	struct quantizer_tensor *second = quantizer_group(quantizer, b);

	/* The one of the first name, whatever the order of nodes is. */
	if (first < second)
		second->group = first->group;
	else
		first->group = second->group;
}

static void find_groups(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		quantizer->tensors[i].group = i;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];

		if (!node->is_quantized || node->role != QUANTIZER_MOVE)
			continue;
		for (size_t k = 0; k < node->proto->n_output; k++) {
			if (node->outputs[k] != NO_TENSOR)
				join(quantizer, node->inputs[0], node->outputs[k]);
		}
		for (size_t k = 1; k < node->proto->n_input; k++) {
			struct quantizer_tensor *tensor = quantizer_input(quantizer, node, k);

			if (tensor && tensor->is_float && is_operand(node, k))
				join(quantizer, node->inputs[0], node->inputs[k]);
		}
	}
}

/* ---- Clamps ---- */

/* Whether an operator's result can be limited, of the tensor that a clamp reads. */
static bool is_limited(const struct nn_quantizer *quantizer, const struct quantizer_tensor *tensor)
{
	return tensor->producer && tensor->producer->is_quantized && !tensor->is_inner &&
	       tensor->reader_count == 1 && !tensor->is_output && !tensor->is_captured &&
	       tensor->producer->role != QUANTIZER_MOVE && !tensor->producer->is_merged &&
	       quantizer_tensor(quantizer, tensor->producer->outputs[0]) == tensor;
}

/* Finds what a clamp's result is between. */
static void find_bounds(const struct nn_quantizer *quantizer, const struct quantizer_node *node,
			float bounds[2])
{
	bool is_relu = !strcmp(node->proto->op_type, "Relu");

	bounds[0] = is_relu ? 0 : -INFINITY;
	bounds[1] = INFINITY;
	for (int i = 0; i < 2 && !is_relu; i++) {
		const struct quantizer_tensor *bound = quantizer_input(quantizer, node, 1 + i);

		if (bound)
			bounds[i] = *quantizer_constant_floats(bound->constant);
	}
}

/* The ends of all tensors that have a scale. */
struct span {
	float low, high;
};

/* Finds the spans of all scales, each at the index of its group. */
static void find_spans(const struct nn_quantizer *quantizer, struct span *spans)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		spans[i] = (struct span){ INFINITY, -INFINITY };
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		const struct quantizer_statistics *halves = quantizer->tensors[i].halves;
		struct span *span = &spans[quantizer_group(quantizer, i) - quantizer->tensors];

		for (int half = 0; half < 2; half++) {
			if (!halves[half].count)
				continue;
			span->low = fminf(span->low, halves[half].low);
			span->high = fmaxf(span->high, halves[half].high);
		}
	}
}

static int find_clamps(struct nn_quantizer *quantizer)
{
	struct nn_pool_mark mark = nn_pool_get_mark(&quantizer->pool);
	struct span *spans = nn_pool_array(&quantizer->pool, quantizer->tensor_count + 1, sizeof(*spans));

	if (!spans)
		return quantizer_no_memory(quantizer);
	find_spans(quantizer, spans);
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		quantizer->tensors[i].limited = NO_TENSOR;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];
		const struct span *span;
		float bounds[2];

		if (!node->is_quantized || !quantizer_is_clamp(node->proto) ||
		    quantizer_tensor(quantizer, node->outputs[0])->is_inner ||
		    !is_limited(quantizer, quantizer_input(quantizer, node, 0)))
			continue;
		find_bounds(quantizer, node, bounds);
		/* All that has its scale, and 0, is between the bounds: the range is, too, then. */
		span = &spans[quantizer_group(quantizer, node->outputs[0]) - quantizer->tensors];
		node->is_merged = bounds[0] <= 0 && bounds[1] >= 0 && !(span->low < bounds[0]) &&
				  !(span->high > bounds[1]);
		if (node->is_merged)
			quantizer->tensors[node->inputs[0]].limited = node->outputs[0];
	}
	nn_pool_rewind(&quantizer->pool, mark);
	return 0;
}

/* ---- Tensors ---- */

/* Whether a quantized node reads a tensor. */
static bool is_read(const struct nn_quantizer *quantizer, const struct quantizer_tensor *tensor)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];

		for (size_t k = 0; k < node->proto->n_input && node->is_quantized; k++) {
			if (quantizer_input(quantizer, node, k) == tensor)
				return true;
		}
	}
	return false;
}

/* Leaves results of functions unrounded that are for others than quantized nodes. */
static void find_ends(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];
		struct quantizer_tensor *made = node->proto->n_output ?
							quantizer_tensor(quantizer, node->outputs[0]) : NULL;

		if (!made || (!made->is_output && !made->is_captured) || node->is_merged ||
		    quantizer_is_clamp(node->proto) || find_origin(quantizer, node) == NO_TENSOR)
			continue;
		if (!is_read(quantizer, made))
			made->is_quantized = false;
	}
}

static void find_tensors(struct nn_quantizer *quantizer)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		quantizer->tensors[i].is_quantized = false;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];

		if (!node->is_quantized)
			continue;
		for (size_t k = 0; k < node->proto->n_input && !node->is_merged; k++) {
			struct quantizer_tensor *tensor = quantizer_input(quantizer, node, k);

			if (tensor && tensor->is_float && !tensor->is_inner && is_operand(node, k))
				tensor->is_quantized = true;
		}
		for (size_t k = 0; k < node->proto->n_output; k++) {
			struct quantizer_tensor *tensor = quantizer_tensor(quantizer, node->outputs[k]);

			if (tensor && tensor->is_float && !tensor->is_inner)
				tensor->is_quantized = true;
		}
	}
	/* What a clamp reads is not there any more. */
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		if (quantizer->nodes[i].is_merged)
			quantizer_input(quantizer, &quantizer->nodes[i], 0)->is_quantized = false;
	}
}

int quantizer_plan(struct nn_quantizer *quantizer)
{
	int err;

	find_nodes(quantizer);
	find_functions(quantizer);
	find_groups(quantizer);
	err = find_clamps(quantizer);
	if (err)
		return err;
	find_tensors(quantizer);
	find_ends(quantizer);
	quantizer_find_widths(quantizer);
	return 0;
}

bool quantizer_is_joined(const struct nn_quantizer *quantizer, const struct quantizer_node *node,
			 size_t i)
{
	const struct quantizer_tensor *tensor = quantizer_input(quantizer, node, i);

	return tensor && tensor->producer && (tensor->is_inner || (node->is_merged && !i));
}
