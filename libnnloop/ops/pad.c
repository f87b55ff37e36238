// SPDX-License-Identifier: MIT
/*
 * Pad: more elements around those that there are.
 *
 * docs/operators.md:
 * | `Pad` | x | `before`, `after` (required): how many indices more each dimension gets there, 0
 * for dimension 0; `mode` (`constant`, `edge`, `reflect`, `symmetric`, `wrap`); `value` (the zero
 * point): the integer that a constant is stored as, of float32 its bits | as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/moving.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum mode { CONSTANT, EDGE, REFLECT, SYMMETRIC, WRAP, MODES };

static const char *const modes[MODES] = {
	[CONSTANT] = "constant",   [EDGE] = "edge", [REFLECT] = "reflect",
	[SYMMETRIC] = "symmetric", [WRAP] = "wrap",
};

/* The node's state, which check leaves for lower. */
struct pad {
	enum mode mode;
	uint32_t before[NN_MAX_RANK], after[NN_MAX_RANK];
	int32_t value;
};

static int read_mode(struct nn_node *node, struct pad *pad)
{
	const char *mode = nn_node_get_string(node, "mode", modes[CONSTANT]);

	for (pad->mode = 0; pad->mode < MODES; pad->mode++) {
		if (!strcmp(mode, modes[pad->mode]))
			return 0;
	}
	return nn_node_fail(node, -EINVAL,
			    "mode must be constant, edge, reflect, symmetric or wrap");
}

/* Indices that a dimension of `size` has to give, at each end. */
static int64_t most_padding(enum mode mode, uint32_t size)
{
	if (mode == CONSTANT || mode == EDGE)
		return INT32_MAX;
	return mode == REFLECT ? (int64_t)size - 1 : size;
}

static int read_padding(struct nn_node *node, struct pad *pad, const struct nn_tensor_info *from,
			uint32_t *dims)
{
	const char *const names[2] = { "before", "after" };
	uint32_t *padding[2] = { pad->before, pad->after };

	for (int end = 0; end < 2; end++) {
		const struct nn_attr *attr = nn_node_get_attr(node, names[end]);
		int64_t numbers[NN_MAX_RANK] = { 0 };

		if (!attr || (attr->type == NN_ATTR_INTS ? attr->count : 1) != from->rank)
			return nn_node_fail(node, -EINVAL, "needs %s with %u numbers", names[end],
					    from->rank);
		nn_node_get_ints(node, names[end], from->rank, numbers);
		if (numbers[0])
			return nn_node_fail(node, -EOPNOTSUPP,
					    "cannot pad dimension 0, which counts rows");
		for (uint32_t i = 1; i < from->rank; i++) {
			int64_t most = most_padding(pad->mode, from->dims[i]);

			if (numbers[i] < 0 || numbers[i] > most)
				return nn_node_fail(node, -EINVAL,
						    "pads dimension %" PRIu32 ", of %" PRIu32
						    ", by %" PRId64 ", not 0 to %" PRId64,
						    i, from->dims[i], numbers[i], most);
			padding[end][i] = numbers[i];
			if (__builtin_add_overflow(dims[i], numbers[i], &dims[i]))
				return nn_node_fail(node, -EOVERFLOW, "the result is too large");
		}
	}
	return 0;
}

static int read_value(struct nn_node *node, struct pad *pad, const struct nn_tensor_info *from)
{
	int64_t value = nn_node_get_attr_int(node, "value", from->zero_point);
	int32_t low, high;

	if (from->type == NN_FLOAT32) {
		low = INT32_MIN;
		high = INT32_MAX;
	} else if (from->type == NN_UINT32) {
		low = 0;
		high = INT32_MAX;
	} else if (nn_data_type_size(from->type) > 4 || !nn_type_range(from->type, &low, &high)) {
		return nn_node_fail(node, -EOPNOTSUPP,
				    "pads integers of up to 32 bits, and float32");
	}
	if (value < low || value > high)
		return nn_node_fail(node, -EINVAL, "pads with %" PRId64 ", which is no %s", value,
				    nn_data_type_name(from->type));
	pad->value = value;
	return 0;
}

static int check_pad(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct pad *pad = nn_node_make_state(node, sizeof(*pad));
	uint32_t dims[NN_MAX_RANK];
	int error;

	(void)graph;
	(void)opaque;
	if (!pad)
		return -ENOMEM;
	memcpy(dims, from->dims, sizeof(dims));
	error = read_mode(node, pad);
	if (!error)
		error = read_padding(node, pad, from, dims);
	if (!error)
		error = read_value(node, pad, from);
	if (error)
		return error;
	error = nn_node_keep_quantization(node, 0, from);
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, dims);
}

/* Indices of a dimension of the output, and where they are in the input's. */
struct stretch {
	uint32_t count, to, from;
	int step;
};

/* The stretches of a dimension: in front of the input, the input's own, and behind it. */
static void find_stretches(const struct pad *pad, uint32_t i, uint32_t size,
			   struct stretch stretches[3])
{
	static const int steps[MODES] = { [REFLECT] = -1, [SYMMETRIC] = -1, [WRAP] = 1 };
	uint32_t before = pad->mode == CONSTANT ? 0 : pad->before[i];
	uint32_t after = pad->mode == CONSTANT ? 0 : pad->after[i];
	uint32_t first = 0, last = size - 1; /* of the padding, in the input */

	if (pad->mode == REFLECT) {
		first = before;
		last = size - 2;
	} else if (pad->mode == SYMMETRIC) {
		first = before - 1;
	} else if (pad->mode == WRAP) {
		first = size - before;
		last = 0;
	}
	stretches[0] = (struct stretch){ before, 0, first, steps[pad->mode] };
	stretches[1] = (struct stretch){ size, pad->before[i], 0, 1 };
	stretches[2] = (struct stretch){ after, pad->before[i] + size, last, steps[pad->mode] };
}

/* Lowers the stretches from dimension i on: each of its own with each of those inside. */
static int lower_stretches(struct nn_lowering *lowering, struct nn_node *node, uint32_t i,
			   const struct nn_moving *outside)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	struct stretch stretches[3];
	int64_t from_stride = 1, to_stride = 1;
	int error = 0;

	if (i == from->rank)
		return nn_lower_moving(lowering, node, outside);
	for (uint32_t k = i + 1; k < from->rank; k++) {
		from_stride *= from->dims[k];
		to_stride *= to->dims[k];
	}
	find_stretches(node->state, i, from->dims[i], stretches);
	for (uint32_t k = 0; k < 3 && !error; k++) {
		struct nn_moving moving = *outside;

		if (!stretches[k].count)
			continue;
		moving.from_offset += stretches[k].from * from_stride;
		moving.to_offset += stretches[k].to * to_stride;
		nn_moving_add(&moving, stretches[k].count, stretches[k].step * from_stride,
			      to_stride);
		error = lower_stretches(lowering, node, i + 1, &moving);
	}
	return error;
}

static int lower_pad(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *to = &node->outputs[0].info;
	const struct pad *pad = node->state;
	uint32_t bits = 8 * nn_data_type_size(to->type);
	struct nn_moving moving = { 0 };
	struct nn_program_op *op;
	int output;

	if (pad->mode == CONSTANT) {
		output = nn_lower_value(lowering, &node->outputs[0]);
		if (output < 0)
			return output;
		op = nn_lower_op(lowering, node, NN_OPCODE_FILL);
		if (!op)
			return -ENOMEM;
		op->output[0] = output;
		op->fill.value = (uint32_t)pad->value & (uint32_t)((1ull << bits) - 1);
	}
	return lower_stretches(lowering, node, 1, &moving);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "before", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ .name = "after", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ .name = "mode", .type = NN_ATTR_STRING },
	{ .name = "value", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_pad = {
	.name = "Pad",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_pad,
	.lower = lower_pad,
};
