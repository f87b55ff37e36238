// SPDX-License-Identifier: MIT
/*
 * Tensors for importers: the order that their elements are stored in, what only moves them, and
 * what makes of each element one.
 *
 * Where the model's images are N, C, H, W, a tensor keeps the order it was made in, and is turned
 * only where an operator needs the other one; a flattened image stays as it is, and the weights of
 * the fully connected operator behind it are permuted instead.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/build.h"

/* ---- Layouts ---- */

void nn_build_keep_layout(struct nn_build_tensor *out, const struct nn_build_tensor *like)
{
	out->layout = like->layout;
	out->channels = like->channels;
	out->height = like->height;
	out->width = like->width;
}

uint32_t nn_layout_axis(enum nn_layout layout, uint32_t axis)
{
	static const uint32_t nhwc[4] = { 0, 3, 1, 2 };

	return layout == NN_LAYOUT_NHWC && axis < 4 ? nhwc[axis] : axis;
}

uint32_t nn_image_axis(const struct nn_builder *builder, enum nn_image_axis axis)
{
	static const uint32_t last[] = { 3, 1, 2 }, first[] = { 1, 2, 3 };

	return builder->channels_first ? first[axis] : last[axis];
}

enum nn_layout nn_image_layout(const struct nn_builder *builder)
{
	return builder->channels_first ? NN_LAYOUT_NHWC : NN_LAYOUT_PLAIN;
}

int nn_need_image(struct nn_builder *builder, const struct nn_build_tensor *tensor)
{
	if (tensor->rank == 4)
		return 0;
	return nn_builder_fail(builder, -EOPNOTSUPP,
			       "its input has %" PRIu32
			       " dimensions; nnloop knows images of %s only",
			       tensor->rank, builder->channels_first ? "N, C, H, W" : "N, H, W, C");
}

int nn_build_stored_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t rank, const uint32_t *dims, struct nn_build_tensor *out)
{
	int64_t shape[NN_MAX_RANK] = { 0 };
	struct nn_attr attr = {
		.name = "shape", .type = NN_ATTR_INTS, .count = rank, .ints = shape
	};

	for (uint32_t i = 1; i < rank; i++)
		shape[i] = dims[i];
	return nn_build_node(builder, "Reshape", input, 1, &attr, 1, &input->quant, out);
}

/* Appends a transposition of dimensions as they are stored; *out has the input's shape. */
static int append_transpose(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t rank, const int64_t *perm, struct nn_build_tensor *out)
{
	struct nn_attr attr = { .name = "perm", .type = NN_ATTR_INTS, .count = rank, .ints = perm };

	return nn_build_node(builder, "Transpose", input, 1, &attr, 1, &input->quant, out);
}

/* Turns a tensor from the order N, C, H, W, which FLAT_NHWC never is. */
static int turn_to_nhwc(struct nn_builder *builder, const struct nn_build_tensor *tensor,
			struct nn_build_tensor *out)
{
	static const int64_t perm[4] = { 0, 2, 3, 1 };
	uint32_t c = tensor->dims[1], h = tensor->dims[2], w = tensor->dims[3];
	int err;

	if (c == 1 || (uint64_t)h * w == 1)
		err = nn_build_stored_reshape(builder, tensor, 4, (uint32_t[]){ 0, h, w, c }, out);
	else
		err = append_transpose(builder, tensor, 4, perm, out);
	out->layout = NN_LAYOUT_NHWC;
	return err;
}

static int turn_to_plain(struct nn_builder *builder, const struct nn_build_tensor *tensor,
			 struct nn_build_tensor *out)
{
	static const int64_t perm[4] = { 0, 3, 1, 2 };
	bool flat = tensor->layout == NN_LAYOUT_FLAT_NHWC;
	uint32_t c = flat ? tensor->channels : tensor->dims[1];
	uint32_t h = flat ? tensor->height : tensor->dims[2];
	uint32_t w = flat ? tensor->width : tensor->dims[3];
	struct nn_build_tensor turned = *tensor;
	int err;

	if (c != 1 && (uint64_t)h * w != 1) {
		err = append_transpose(builder, tensor, 4, perm, &turned);
		if (err || tensor->rank == 4) {
			*out = turned;
			return err;
		}
	}
	err = nn_build_stored_reshape(builder, &turned, tensor->rank, tensor->dims, out);
	out->layout = NN_LAYOUT_PLAIN;
	return err;
}

int nn_build_layout(struct nn_builder *builder, const struct nn_build_tensor *tensor,
		    enum nn_layout layout, struct nn_build_tensor *out)
{
	const char *result = builder->result;
	struct nn_build_tensor turned;
	int err;

	if (tensor->layout == layout) {
		*out = *tensor;
		return 0;
	}
	if (layout == NN_LAYOUT_NHWC) {
		err = nn_need_image(builder, tensor);
		if (err)
			return err;
	}
	turned = *tensor;
	builder->result = tensor->name;
	err = layout == NN_LAYOUT_NHWC ? turn_to_nhwc(builder, tensor, &turned) :
					 turn_to_plain(builder, tensor, &turned);
	builder->result = result;
	*out = turned;
	return err;
}

int nn_build_image(struct nn_builder *builder, const struct nn_build_tensor *tensor,
		   struct nn_build_tensor *out)
{
	int err = nn_need_image(builder, tensor);

	return err ? err : nn_build_layout(builder, tensor, nn_image_layout(builder), out);
}

/* ---- What moves elements ---- */

/* Whether what has those dimensions can be NN_LAYOUT_FLAT_NHWC. */
static bool can_be_flat(uint32_t rank, const uint32_t *dims, uint32_t channels, uint32_t height)
{
	return rank == 2 || (rank == 3 && height == 1 && dims[1] == channels);
}

int nn_build_reshape(struct nn_builder *builder, const struct nn_build_tensor *input, uint32_t rank,
		     const uint32_t *dims, struct nn_build_tensor *out)
{
	struct nn_build_tensor made = *input;
	uint64_t had, gets;
	int err;

	made.rank = rank;
	memcpy(made.dims, dims, rank * sizeof(*dims));
	err = nn_item_elements(builder, input->rank, input->dims, &had);
	if (!err)
		err = nn_item_elements(builder, rank, dims, &gets);
	if (err)
		return err;
	if (input->dims[0] != dims[0] && !nn_is_rows(input->dims[0]) && !nn_is_rows(dims[0]) &&
	    had * input->dims[0] == gets * dims[0])
		return nn_build_whole_reshape(builder, input, rank, dims, out);
	if (input->dims[0] != dims[0] && nn_is_rows(input->dims[0]) && nn_is_rows(dims[0]) &&
	    had * nn_rows_count(input->dims[0]) == gets * nn_rows_count(dims[0]))
		return nn_build_row_reshape(builder, input, rank, dims, out);
	if (had != gets || input->dims[0] != dims[0])
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it makes items of %" PRIu64
				       " elements out of items of %" PRIu64
				       "; the first dimension is the batch and must stay as it is",
				       gets, had);
	if (rank == input->rank && !memcmp(dims, input->dims, rank * sizeof(*dims))) {
		*out = made;
		return 0;
	}
	if (input->layout == NN_LAYOUT_NHWC &&
	    can_be_flat(rank, dims, input->dims[1], input->dims[2])) {
		made.layout = NN_LAYOUT_FLAT_NHWC;
		made.channels = input->dims[1];
		made.height = input->dims[2];
		made.width = input->dims[3];
		*out = made;
		return 0;
	}
	if (input->layout == NN_LAYOUT_FLAT_NHWC &&
	    can_be_flat(rank, dims, input->channels, input->height)) {
		*out = made;
		return 0;
	}
	if (input->layout == NN_LAYOUT_FLAT_NHWC && rank == 4 && dims[1] == input->channels &&
	    dims[2] == input->height && dims[3] == input->width) {
		made.layout = NN_LAYOUT_NHWC;
		*out = made;
		return 0;
	}
	err = nn_build_layout(builder, input, NN_LAYOUT_PLAIN, &made);
	if (!err)
		err = nn_build_stored_reshape(builder, &made, rank, dims, &made);
	if (err)
		return err;
	made.rank = rank;
	memcpy(made.dims, dims, rank * sizeof(*dims));
	*out = made;
	return 0;
}

/* Transposes a tensor whose first dimension goes to another position. */
static int transpose_whole(struct nn_builder *builder, const struct nn_build_tensor *input,
			   const uint32_t *perm, struct nn_build_tensor *out)
{
	uint32_t further[NN_MAX_RANK] = { 0 };
	struct nn_build_tensor lifted;
	int err = nn_build_lift(builder, input, &lifted);

	if (err)
		return err;
	for (uint32_t i = 0; i < input->rank; i++)
		further[i + 1] = perm[i] + 1;
	err = nn_build_transpose(builder, &lifted, further, &lifted);
	return err ? err : nn_build_lower(builder, &lifted, out);
}

int nn_build_transpose(struct nn_builder *builder, const struct nn_build_tensor *input,
		       const uint32_t *perm, struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank = input->rank;
	int64_t stored_perm[NN_MAX_RANK];
	struct nn_build_tensor made = *input;
	bool same = true;
	int err = 0;

	if (perm[0])
		return transpose_whole(builder, input, perm, out);
	for (uint32_t i = 0; i < rank; i++)
		dims[i] = input->dims[perm[i]];
	if (builder->channels_first && input->layout == NN_LAYOUT_PLAIN && rank == 4 &&
	    perm[1] == 3 && perm[2] == 1 && perm[3] == 2) {
		/* From N, H, W, C as the model has it: the tensor is already what nnloop wants of
		 * an image. */
		made.layout = NN_LAYOUT_NHWC;
	} else {
		if (input->layout == NN_LAYOUT_FLAT_NHWC)
			err = nn_build_layout(builder, input, NN_LAYOUT_PLAIN, &made);
		for (uint32_t i = 0; i < rank; i++) {
			stored_perm[i] = nn_layout_axis(made.layout, perm[i]);
			same &= stored_perm[i] == i;
		}
		if (!err && !same)
			err = append_transpose(builder, &made, rank, stored_perm, &made);
		made.layout = NN_LAYOUT_PLAIN;
	}
	memcpy(made.dims, dims, sizeof(dims));
	*out = made;
	return err;
}

int nn_concat_shape(struct nn_builder *builder, const struct nn_build_tensor *parts, uint32_t count,
		    int64_t axis, uint32_t *from_first, uint32_t *dims)
{
	uint32_t rank = parts[0].rank;

	if (axis < 0)
		axis += rank;
	for (uint32_t i = 0; i < count && !axis; i++) {
		if (nn_is_rows(parts[i].dims[0]))
			axis = -1;
	}
	if (axis < 0 || axis >= rank)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it concatenates along dimension %" PRId64
				       ", which is the batch, or none",
				       axis < 0 ? 0 : axis);
	memcpy(dims, parts[0].dims, rank * sizeof(*dims));
	for (uint32_t i = 1; i < count; i++) {
		for (uint32_t k = 0; k < rank; k++) {
			if (k != axis && parts[i].dims[k] != dims[k])
				return nn_builder_fail(builder, -EINVAL,
						       "its inputs differ in dimension %" PRIu32,
						       k);
		}
		if ((uint64_t)dims[axis] + parts[i].dims[axis] > INT32_MAX)
			return nn_builder_fail(builder, -EINVAL, "its output is too large");
		dims[axis] += parts[i].dims[axis];
	}
	*from_first = axis;
	return 0;
}

/* Along the first dimension. */
static int concat_whole(struct nn_builder *builder, const struct nn_build_tensor *parts,
			uint32_t count, struct nn_build_tensor *out)
{
	struct nn_build_tensor *lifted = nn_builder_alloc(builder, count, sizeof(*lifted)), made;
	int err = lifted ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && !err; i++)
		err = nn_build_lift(builder, &parts[i], &lifted[i]);
	if (!err)
		err = nn_build_concat(builder, lifted, count, 1, &made);
	return err ? err : nn_build_lower(builder, &made, out);
}

int nn_build_concat(struct nn_builder *builder, const struct nn_build_tensor *parts, uint32_t count,
		    uint32_t axis, struct nn_build_tensor *out)
{
	struct nn_build_tensor *inputs = nn_builder_alloc(builder, count, sizeof(*inputs));
	enum nn_layout layout = NN_LAYOUT_PLAIN;
	struct nn_attr attr = { .name = "axis", .type = NN_ATTR_INT };
	uint64_t length = 0;
	int err;

	if (!axis)
		return concat_whole(builder, parts, count, out);
	if (!inputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		length += parts[i].dims[axis];
		if (parts[i].layout == NN_LAYOUT_NHWC)
			layout = NN_LAYOUT_NHWC;
	}
	for (uint32_t i = 0; i < count; i++) {
		err = nn_build_layout(builder, &parts[i], layout, &inputs[i]);
		if (err)
			return err;
	}
	attr.i = nn_layout_axis(layout, axis);
	err = nn_build_node(builder, "Concat", inputs, count, &attr, 1, &inputs[0].quant, out);
	if (err)
		return err;
	out->layout = layout;
	out->dims[axis] = length;
	return 0;
}

int nn_build_slice(struct nn_builder *builder, const struct nn_build_tensor *input, uint32_t axis,
		   uint32_t begin, uint32_t size, struct nn_build_tensor *out)
{
	struct nn_attr attrs[] = {
		{ .name = "axis", .type = NN_ATTR_INT },
		{ .name = "begin", .type = NN_ATTR_INT, .i = begin },
		{ .name = "size", .type = NN_ATTR_INT, .i = size },
	};
	struct nn_build_tensor from;
	enum nn_layout layout = input->layout;
	int err;

	if (!begin && size == input->dims[axis]) {
		*out = *input;
		return 0;
	}
	if (!axis) {
		err = nn_build_lift(builder, input, &from);
		if (!err)
			err = nn_build_slice(builder, &from, 1, begin, size, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	if (layout == NN_LAYOUT_FLAT_NHWC)
		layout = NN_LAYOUT_PLAIN;
	err = nn_build_layout(builder, input, layout, &from);
	attrs[0].i = nn_layout_axis(layout, axis);
	if (!err)
		err = nn_build_node(builder, "Slice", &from, 1, attrs, 3, &from.quant, out);
	out->layout = layout;
	out->dims[axis] = size;
	return err;
}

/* ---- What makes of each element one ---- */

int nn_build_unary(struct nn_builder *builder, const char *op, const struct nn_build_tensor *input,
		   const struct nn_attr *attrs, uint32_t attr_count, const struct nn_quant *quant,
		   struct nn_build_tensor *out)
{
	struct nn_build_tensor before = *input;
	int err = nn_build_node(builder, op, &before, 1, attrs, attr_count, quant, out);

	nn_build_keep_layout(out, &before);
	return err;
}

static int build_table(struct nn_builder *builder, const struct nn_build_tensor *input,
		       enum nn_data_type type, const void *table, const struct nn_quant *quant,
		       struct nn_build_tensor *out)
{
	uint32_t count = nn_data_type_size(input->quant.type) == 2 ? 65536 : 256;
	struct nn_tensor_info info = { .type = type, .rank = 1, .dims = { count } };
	struct nn_build_tensor inputs[2] = { *input };
	int err = nn_build_const(builder, &info, table, &inputs[1]);

	if (err)
		return err;
	err = nn_build_node(builder, "Table", inputs, 2, NULL, 0, quant, out);
	nn_build_keep_layout(out, &inputs[0]);
	return err;
}

int nn_build_table(struct nn_builder *builder, const struct nn_build_tensor *input,
		   const uint8_t table[256], const struct nn_quant *quant,
		   struct nn_build_tensor *out)
{
	return build_table(builder, input, NN_UINT8, table, quant, out);
}

int nn_build_wide_table(struct nn_builder *builder, const struct nn_build_tensor *input,
			const int16_t *table, const struct nn_quant *quant,
			struct nn_build_tensor *out)
{
	return build_table(builder, input, NN_INT16, table, quant, out);
}

int nn_build_sign(struct nn_builder *builder, const struct nn_build_tensor *input, bool to_unsigned,
		  struct nn_build_tensor *out)
{
	struct nn_quant quant = input->quant;
	int16_t *table = nn_builder_alloc(builder, 65536, sizeof(*table));
	int err;

	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < 65536; i++)
		table[i] = (int16_t)(uint16_t)(i ^ 0x8000);
	quant.type = to_unsigned ? NN_UINT16 : NN_INT16;
	quant.is_unsigned = !to_unsigned;
	quant.zero_point += to_unsigned ? NN_UNSIGNED : -NN_UNSIGNED;
	err = nn_build_wide_table(builder, input, table, &quant, out);
	out->rank = input->rank;
	memcpy(out->dims, input->dims, sizeof(out->dims));
	return err;
}

const struct nn_range nn_range_unbounded = { -INFINITY, INFINITY };

bool nn_range_is_bounded(const struct nn_range *range)
{
	return range->low != -INFINITY || range->high != INFINITY;
}

const char *nn_range_activation(const struct nn_range *range)
{
	if (range->low == 0 && range->high == INFINITY)
		return "relu";
	if (range->low == 0 && range->high == 6)
		return "relu6";
	return NULL;
}

/* The nearest number that an attribute can be. */
static float make_finite(float bound)
{
	return fminf(fmaxf(bound, -FLT_MAX), FLT_MAX);
}

int nn_build_clamp(struct nn_builder *builder, const struct nn_build_tensor *input,
		   const struct nn_range *range, const struct nn_quant *quant,
		   struct nn_build_tensor *out)
{
	struct nn_attr bounds[] = {
		{ .name = "min", .type = NN_ATTR_FLOAT, .f = make_finite(range->low) },
		{ .name = "max", .type = NN_ATTR_FLOAT, .f = make_finite(range->high) },
	};
	const char *activation = nn_range_activation(range);

	if (activation)
		return nn_build_unary(builder, activation, input, NULL, 0, quant, out);
	return nn_build_unary(builder, "Clamp", input, bounds, 2, quant, out);
}
