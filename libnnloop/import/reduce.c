// SPDX-License-Identifier: MIT
/* Operators along dimensions of tensors, for importers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

int nn_read_axes(struct nn_builder *builder, const struct nn_build_tensor *x, const int64_t *values,
		 uint64_t count, uint32_t *axes)
{
	*axes = 0;
	for (uint64_t i = 0; i < count; i++) {
		int64_t axis = values[i];

		axis += axis < 0 ? x->rank : 0;
		if (axis < 0 || axis >= x->rank)
			return nn_builder_fail(builder, -EINVAL,
					       "its axis %" PRId64 " is not one of %" PRIu32
					       " dimensions",
					       values[i], x->rank);
		if (!axis && nn_is_rows(x->dims[0]))
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "it goes over the first dimension, which is the "
					       "batch\nleave the batch out of its axes");
		*axes |= 1u << axis;
	}
	return 0;
}

void nn_reduced_shape(const struct nn_build_tensor *x, uint32_t axes, bool keep_dims,
		      uint32_t *rank, uint32_t *dims)
{
	*rank = 0;
	for (uint32_t i = 0; i < x->rank; i++) {
		bool is_reduced = axes >> i & 1;

		if (!is_reduced || keep_dims)
			dims[(*rank)++] = is_reduced ? 1 : x->dims[i];
	}
	if (!*rank)
		dims[(*rank)++] = 1;
}

/*
 * Chooses the layout in which elements come in the model's order, and what is left of the
 * dimensions as well.
 */
static enum nn_layout choose_layout(const struct nn_build_tensor *x, uint32_t axes, bool keep_dims)
{
	const uint32_t channels = 1 << 1, height_and_width = 3 << 2;
	bool is_good = axes == channels || axes == height_and_width ||
		       (keep_dims && !(axes & channels));

	return x->layout == NN_LAYOUT_NHWC && is_good ? NN_LAYOUT_NHWC : NN_LAYOUT_PLAIN;
}

int nn_build_reduce(struct nn_builder *builder, const char *op, const struct nn_build_tensor *x,
		    uint32_t axes, bool keep_dims, const char *function,
		    const struct nn_quant *quant, struct nn_build_tensor *out)
{
	enum nn_layout layout = choose_layout(x, axes, keep_dims);
	int64_t stored[NN_MAX_RANK];
	struct nn_attr attrs[] = {
		{ .name = "axes", .type = NN_ATTR_INTS, .ints = stored },
		{ .name = "keep_dims", .type = NN_ATTR_INT, .i = keep_dims },
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
	};
	struct nn_build_tensor from;
	uint32_t rank, dims[NN_MAX_RANK];
	int err;

	if (axes & 1) {
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_reduce(builder, op, &from, axes << 1, keep_dims, function,
					      quant, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	err = nn_build_layout(builder, x, layout, &from);
	for (uint32_t i = 0; i < x->rank; i++) {
		if (axes >> i & 1)
			stored[attrs[0].count++] = nn_layout_axis(layout, i);
	}
	if (!err)
		err = nn_build_node(builder, op, &from, 1, attrs, 3, quant, out);
	if (err)
		return err;
	nn_reduced_shape(x, axes, keep_dims, &rank, dims);
	out->layout = keep_dims ? layout : NN_LAYOUT_PLAIN;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	return 0;
}

int nn_build_arg(struct nn_builder *builder, const struct nn_build_tensor *x,
		 const struct nn_arg *arg, struct nn_build_tensor *out)
{
	uint32_t axes = 1u << arg->axis, rank, dims[NN_MAX_RANK];
	enum nn_layout layout = choose_layout(x, axes, arg->keep_dims);
	const struct nn_attr attrs[] = {
		{ .name = "axis", .type = NN_ATTR_INT, .i = nn_layout_axis(layout, arg->axis) },
		{ .name = "keep_dims", .type = NN_ATTR_INT, .i = arg->keep_dims },
		{ .name = "function", .type = NN_ATTR_STRING, .string = arg->function },
		{ .name = "last", .type = NN_ATTR_INT, .i = arg->last },
	};
	struct nn_arg further = *arg;
	struct nn_build_tensor from;
	int err;

	if (!arg->axis) {
		further.axis = 1;
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_arg(builder, &from, &further, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	err = nn_build_layout(builder, x, layout, &from);
	nn_reduced_shape(x, axes, arg->keep_dims, &rank, dims);
	if (!err)
		err = nn_build_node(builder, "Arg", &from, 1, attrs, 4, &nn_quant_int32, out);
	if (err)
		return err;
	out->layout = arg->keep_dims ? layout : NN_LAYOUT_PLAIN;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	return 0;
}

int nn_build_cumulate(struct nn_builder *builder, const struct nn_build_tensor *x,
		      const struct nn_cumulation *cumulation, const struct nn_quant *quant,
		      struct nn_build_tensor *out)
{
	struct nn_cumulation further = *cumulation;
	enum nn_layout layout =
		x->layout == NN_LAYOUT_NHWC ? NN_LAYOUT_NHWC : NN_LAYOUT_PLAIN;
	const struct nn_attr attrs[] = {
		{ .name = "axis",
		  .type = NN_ATTR_INT,
		  .i = nn_layout_axis(layout, cumulation->axis) },
		{ .name = "exclusive", .type = NN_ATTR_INT, .i = cumulation->exclusive },
		{ .name = "backwards", .type = NN_ATTR_INT, .i = cumulation->backwards },
	};
	struct nn_build_tensor from;
	int err;

	if (!cumulation->axis) {
		further.axis = 1;
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_cumulate(builder, &from, &further, quant, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	err = nn_build_layout(builder, x, layout, &from);
	if (!err)
		err = nn_build_node(builder, "Cumulate", &from, 1, attrs, 3, quant, out);
	nn_build_keep_layout(out, &from);
	return err;
}

/* ---- Softmax ---- */

static int append_softmax(struct nn_builder *builder, const struct nn_build_tensor *x, bool log,
			  const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct nn_attr attrs[] = {
		{ .name = "rounding", .type = NN_ATTR_STRING, .string = "float32" },
		{ .name = "log", .type = NN_ATTR_INT, .i = log },
	};

	return nn_build_unary(builder, "Softmax", x, attrs, 2, quant, out);
}

/* Dimension `axis` and those behind it as one. */
static int build_flat_softmax(struct nn_builder *builder, const struct nn_build_tensor *x,
			      uint32_t axis, bool log, const struct nn_quant *quant,
			      struct nn_build_tensor *out)
{
	uint32_t dims[3] = { x->dims[0], 1, 1 };
	struct nn_build_tensor flat;
	uint64_t elements;
	int err = nn_item_elements(builder, x->rank, x->dims, &elements);

	for (uint32_t i = 1; i < x->rank && !err; i++)
		dims[i < axis ? 1 : 2] *= x->dims[i];
	/* A tensor of rank 2 could stay in an order that is not the model's. */
	if (!err)
		err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &flat);
	if (!err)
		err = nn_build_reshape(builder, &flat, 3, dims, &flat);
	if (!err)
		err = append_softmax(builder, &flat, log, quant, &flat);
	return err ? err : nn_build_reshape(builder, &flat, x->rank, x->dims, out);
}

int nn_build_softmax(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axis,
		     bool and_behind, bool log, const struct nn_quant *quant,
		     struct nn_build_tensor *out)
{
	uint32_t last = x->rank - 1, perm[NN_MAX_RANK];
	bool is_channels = builder->channels_first && x->rank == 4 && axis == 1;
	struct nn_build_tensor turned;
	int err;

	if (!axis) {
		err = nn_build_lift(builder, x, &turned);
		if (!err)
			err = nn_build_softmax(builder, &turned, 1, and_behind, log, quant,
					       &turned);
		return err ? err : nn_build_lower(builder, &turned, out);
	}
	if (and_behind && axis != last)
		return build_flat_softmax(builder, x, axis, log, quant, out);
	err = nn_build_layout(builder, x, is_channels ? NN_LAYOUT_NHWC : NN_LAYOUT_PLAIN, &turned);
	if (err)
		return err;
	if (is_channels || axis == last)
		return append_softmax(builder, &turned, log, quant, out);
	for (uint32_t i = 0; i < x->rank; i++)
		perm[i] = i;
	perm[axis] = last;
	perm[last] = axis;
	err = nn_build_transpose(builder, &turned, perm, &turned);
	if (!err)
		err = append_softmax(builder, &turned, log, quant, &turned);
	return err ? err : nn_build_transpose(builder, &turned, perm, out);
}
