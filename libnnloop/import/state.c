// SPDX-License-Identifier: MIT
/*
 * Models that keep something from one run to the next, for importers. Such a model is for one item
 * after another: in front of it is a loop over the items, one in a pass, so N of them give what as
 * many runs would; and what it keeps are Variables that persist.
 */
#include <errno.h>
#include <string.h>

#include "import/build.h"

int nn_build_stream(struct nn_builder *builder, const struct nn_build_tensor *inputs, uint32_t count,
		    struct nn_build_tensor *items)
{
	const struct nn_attr step = { .name = "step", .type = NN_ATTR_INT, .i = 1 };

	for (uint32_t i = 0; i < count; i++) {
		if (!nn_is_rows(inputs[i].dims[0]))
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "input %s is not of one item, and the model keeps a "
					       "state from one to the next",
					       nn_builder_quote(builder, inputs[i].name));
	}
	builder->is_stream = true;
	return nn_build_loop(builder, "BatchLoop", inputs, count, &step, 1, items);
}

int nn_build_state(struct nn_builder *builder, uint32_t rank, const uint32_t *dims,
		   const struct nn_quant *quant, const void *initial, struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "persist", .type = NN_ATTR_INT, .i = 1 },
		{ .name = "level", .type = NN_ATTR_INT, .i = builder->is_stream },
	};
	struct nn_tensor_info info = {
		.type = quant->type,
		.rank = rank,
		.scale = quant->scale,
		.zero_point = quant->zero_point,
	};
	struct nn_build_tensor constant;
	const void *elements = initial;
	uint64_t count;
	int err;

	if (builder->is_stream && dims[0] != 1)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "its state has %u rows, and the model's inputs have one",
				       dims[0]);
	memcpy(info.dims, dims, rank * sizeof(*dims));
	err = nn_item_elements(builder, rank, dims, &count);
	if (err)
		return err;
	if (!initial) {
		uint64_t bytes = dims[0] * count * nn_data_type_size(info.type);
		void *zeros = nn_builder_alloc(builder, 1, bytes);

		if (!zeros)
			return -ENOMEM;
		/* Only bytes have zero points. */
		if (nn_type_is_8bit(info.type))
			memset(zeros, info.zero_point, bytes);
		elements = zeros;
	}
	err = nn_build_const(builder, &info, elements, &constant);
	if (err)
		return err;
	constant.rank = rank;
	memcpy(constant.dims, dims, rank * sizeof(*dims));
	if (builder->is_stream)
		constant.dims[0] = NN_ROWS;
	return nn_build_node(builder, "Variable", &constant, 1, attrs, 2, quant, out);
}

int nn_build_assign(struct nn_builder *builder, const struct nn_build_tensor *state,
		    const struct nn_build_tensor *value, struct nn_build_tensor *out)
{
	const struct nn_build_tensor inputs[2] = { *state, *value };

	return nn_build_node(builder, "Assign", inputs, 2, NULL, 0, &state->quant, out);
}
