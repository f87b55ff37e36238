// SPDX-License-Identifier: MIT
/*
 * Elements by indices that are computed, for importers, to and from there, and where the greatest
 * ones are.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

int nn_build_row_constant(struct nn_builder *builder, const struct nn_operand *operand,
			  struct nn_build_tensor *out)
{
	const struct nn_const *values = operand->constant.values;
	int err;

	if (values->rank >= NN_MAX_RANK || !values->count)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "its constant is empty, or of %d dimensions", NN_MAX_RANK);
	err = nn_build_operand(builder, operand, values->rank + 1, NN_LAYOUT_PLAIN, out);
	if (err)
		return err;
	out->rank = values->rank + 1;
	out->dims[0] = 1;
	memcpy(out->dims + 1, values->dims, values->rank * sizeof(*values->dims));
	out->quant = *operand->constant.quant;
	return 0;
}

int nn_build_take(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const struct nn_build_tensor *indices, const struct nn_take *take,
		  struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "axis", .type = NN_ATTR_INT, .i = take->axis },
		{ .name = "depth", .type = NN_ATTR_INT, .i = take->depth },
		{ .name = "each", .type = NN_ATTR_INT, .i = take->each },
	};
	uint32_t span = take->depth ? take->depth : 1, front = take->each ? take->axis : 1;
	uint32_t dims[NN_MAX_RANK], rank = take->axis, last = indices->rank - (take->depth != 0);
	struct nn_build_tensor inputs[2];
	uint64_t elements;
	int err;

	if (take->depth > NN_MAX_RANK - 1 || take->axis + span > x->rank || last < front)
		return nn_builder_fail(builder, -EINVAL,
				       "its indices are of more dimensions than there are");
	if (take->axis + last - front + x->rank - take->axis - span > NN_MAX_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP, "it makes more than %d dimensions",
				       NN_MAX_RANK);
	memcpy(dims, x->dims, rank * sizeof(*dims));
	/* One of them may be a constant of one row, which is for all. */
	if (x->dims[0] == 1)
		dims[0] = indices->dims[0];
	for (uint32_t i = front; i < last; i++)
		dims[rank++] = indices->dims[i];
	for (uint32_t i = take->axis + span; i < x->rank; i++)
		dims[rank++] = x->dims[i];
	err = nn_item_elements(builder, rank, dims, &elements);
	if (!err)
		err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &inputs[0]);
	if (!err)
		err = nn_build_layout(builder, indices, NN_LAYOUT_PLAIN, &inputs[1]);
	if (!err)
		err = nn_build_node(builder, "Take", inputs, 2, attrs, 3, &inputs[0].quant, out);
	if (err)
		return err;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	return 0;
}

int nn_build_scatter(struct nn_builder *builder, const struct nn_build_tensor inputs[3],
		     const struct nn_take *take, const char *function,
		     struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "axis", .type = NN_ATTR_INT, .i = take->axis },
		{ .name = "depth", .type = NN_ATTR_INT, .i = take->depth },
		{ .name = "each", .type = NN_ATTR_INT, .i = take->each },
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
	};
	struct nn_build_tensor plain[3];
	int err = 0;

	if (take->depth > NN_MAX_RANK - 1)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its indices are of %d dimensions",
				       NN_MAX_RANK);
	for (int i = 0; i < 3 && !err; i++)
		err = nn_build_layout(builder, &inputs[i], NN_LAYOUT_PLAIN, &plain[i]);
	return err ? err : nn_build_node(builder, "Scatter", plain, 3, attrs, 4, &plain[0].quant,
					 out);
}

int nn_build_top(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t count,
		 bool least, struct nn_build_tensor *out)
{
	const struct nn_quant plain = { .type = NN_INT64 };
	const struct nn_attr attrs[] = {
		{ .name = "count", .type = NN_ATTR_INT, .i = count },
		{ .name = "least", .type = NN_ATTR_INT, .i = least },
	};
	struct nn_build_tensor from;
	int err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &from);

	if (!err)
		err = nn_build_node(builder, "Top", &from, 1, attrs, 2, &plain, out);
	if (err)
		return err;
	out->dims[out->rank - 1] = count;
	return 0;
}
