// SPDX-License-Identifier: MIT
/*
 * Finds what of a plan has activations of 16 bits: the nodes that are to have them, with all nodes of
 * the same function and the clamp behind them, and those that only move what these make.
 *
 * A node reads all its tensors with the bits that it has. Where what makes one has others, it is
 * rounded once more in between; both have the same range.
 */
#include "quantize/quantizer.h"

enum nn_data_type quantizer_type(const struct nn_quantizer *quantizer, bool is_wide)
{
	if (quantizer->activations == NN_INT8)
		return is_wide ? NN_INT16 : NN_INT8;
	return is_wide ? NN_UINT16 : NN_UINT8;
}

int32_t quantizer_least(const struct nn_quantizer *quantizer, bool is_wide)
{
	if (quantizer->activations != NN_INT8)
		return 0;
	return is_wide ? INT16_MIN : INT8_MIN;
}

/* Spreads 16 bits from node to node; whether there was something to be done. */
static bool spread(struct nn_quantizer *quantizer)
{
	bool found = false;

	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		for (size_t k = 0; k < node->proto->n_input && node->is_quantized; k++) {
			struct quantizer_node *maker = quantizer_maker(quantizer, node, k);
			bool is_one = quantizer_is_joined(quantizer, node, k);

			if (!maker || !maker->is_quantized || maker->is_wide == node->is_wide)
				continue;
			if (is_one && !maker->is_wide) {
				maker->is_wide = true;
				found = true;
			}
			is_one |= node->role == QUANTIZER_MOVE && !node->is_narrow;
			if (is_one && !node->is_wide) {
				node->is_wide = true;
				found = true;
			}
		}
	}
	return found;
}

/*
 * Finds them for tensors, if there are any nodes of 16 bits: as their makers are or, of those that are
 * made in float, 16 where no node reads 8.
 */
static void find_tensor_widths(struct nn_quantizer *quantizer, bool any)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		struct quantizer_tensor *tensor = &quantizer->tensors[i];
		const struct quantizer_node *maker = tensor->producer;

		tensor->is_wide = any && tensor->is_quantized &&
				  (!maker || !maker->is_quantized || maker->is_wide);
	}
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		const struct quantizer_node *node = &quantizer->nodes[i];

		for (size_t k = 0; k < node->proto->n_input && node->is_quantized && !node->is_wide; k++) {
			struct quantizer_tensor *tensor = quantizer_input(quantizer, node, k);

			if (tensor && !(tensor->producer && tensor->producer->is_quantized))
				tensor->is_wide = false;
		}
	}
}

void quantizer_find_widths(struct nn_quantizer *quantizer)
{
	bool any = false;

	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		node->is_wide = node->is_quantized && node->widened;
		any |= node->is_wide;
	}
	while (any && spread(quantizer))
		continue;
	find_tensor_widths(quantizer, any);
}
