// SPDX-License-Identifier: MIT
/*
 * Moves of elements of tensors, for importers: steps, padding, repetition, and blocks of an image
 * that become channels.
 *
 * Nodes are made of a tensor as it is stored; that has the same dimensions as the model's, but
 * perhaps in another order.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

/* A Move of a stored tensor, dimension by dimension; the first is that of rows. */
struct move {
	uint32_t rank;
	int64_t shape[2 * NN_MAX_RANK], strides[2 * NN_MAX_RANK];
	int64_t offset;
};

static void add_dimension(struct move *move, int64_t size, int64_t stride)
{
	move->shape[move->rank] = size;
	move->strides[move->rank] = stride;
	move->rank++;
}

static int append_move(struct nn_builder *builder, const struct nn_build_tensor *from,
		       const struct move *move, struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "shape", .type = NN_ATTR_INTS, .count = move->rank, .ints = move->shape },
		{ .name = "strides",
		  .type = NN_ATTR_INTS,
		  .count = move->rank,
		  .ints = move->strides },
		{ .name = "offset", .type = NN_ATTR_INT, .i = move->offset },
	};

	if (move->rank > NN_MAX_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it takes %" PRIu32 " dimensions on the way, more than %d",
				       move->rank, NN_MAX_RANK);
	return nn_build_node(builder, "Move", from, 1, attrs, 3, &from->quant, out);
}

/* The tensor with its own dimensions, which a flattened image is not stored in; its sizes and
 * strides as it is stored, of which strides[0] is 0. */
static int read_stored(struct nn_builder *builder, const struct nn_build_tensor *input,
		       struct nn_build_tensor *from, uint32_t *sizes, int64_t *strides)
{
	enum nn_layout layout = input->layout;
	int64_t stride = 1;
	int err;

	if (layout == NN_LAYOUT_FLAT_NHWC)
		layout = NN_LAYOUT_PLAIN;
	err = nn_build_layout(builder, input, layout, from);
	if (err)
		return err;
	for (uint32_t i = 0; i < input->rank; i++)
		sizes[nn_layout_axis(layout, i)] = input->dims[i];
	for (uint32_t i = input->rank; i-- > 1; stride *= sizes[i])
		strides[i] = stride;
	strides[0] = 0;
	return 0;
}

/* Gives `out`, made of `from` and stored in the same order, these dimensions of the model's. */
static void keep_shape(const struct nn_build_tensor *from, const uint32_t *dims,
		       struct nn_build_tensor *out)
{
	out->layout = from->layout;
	out->rank = from->rank;
	memcpy(out->dims, dims, from->rank * sizeof(*dims));
}

/* ---- The first dimension ---- */

/* Numbers for the dimensions of a tensor that became one row: `first` is that of the row. */
static void put_in_front(const uint32_t *numbers, uint32_t rank, uint32_t first, uint32_t *out)
{
	out[0] = first;
	for (uint32_t i = 0; i < rank && i + 1 < NN_MAX_RANK; i++)
		out[i + 1] = numbers[i];
}

/* ---- Steps ---- */

/*
 * The one dimension of which not all indices are taken; rank: there are several, 0: there is none.
 */
static uint32_t find_cut(const struct nn_build_tensor *input, const struct nn_steps *steps)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < input->rank; i++) {
		if (!steps[i].begin && steps[i].count == input->dims[i] &&
		    (steps[i].step == 1 || steps[i].count == 1))
			continue;
		if (found)
			return input->rank;
		found = i;
	}
	return found;
}

/* Whether of the first dimension, which is fixed, all indices are taken. */
static bool takes_all_rows(const struct nn_build_tensor *input, const struct nn_steps *steps)
{
	return nn_is_rows(input->dims[0]) ||
	       (!steps->begin && steps->count == input->dims[0] &&
		(steps->step == 1 || steps->count == 1));
}

static int build_whole_steps(struct nn_builder *builder, const struct nn_build_tensor *input,
			     const struct nn_steps *steps, struct nn_build_tensor *out)
{
	struct nn_steps further[NN_MAX_RANK] = { { 0, 1, 1 } };
	struct nn_build_tensor lifted;
	int err = nn_build_lift(builder, input, &lifted);

	if (err)
		return err;
	memcpy(further + 1, steps, input->rank * sizeof(*steps));
	err = nn_build_steps(builder, &lifted, further, &lifted);
	return err ? err : nn_build_lower(builder, &lifted, out);
}

void nn_all_steps(const struct nn_build_tensor *tensor, struct nn_steps *steps)
{
	for (uint32_t i = 0; i < tensor->rank; i++)
		steps[i] = (struct nn_steps){ 0, 1, tensor->dims[i] };
}

int nn_build_steps(struct nn_builder *builder, const struct nn_build_tensor *input,
		   const struct nn_steps *steps, struct nn_build_tensor *out)
{
	uint32_t cut = find_cut(input, steps), sizes[NN_MAX_RANK], dims[NN_MAX_RANK];
	int64_t strides[NN_MAX_RANK];
	struct nn_build_tensor from;
	struct move move = { .rank = input->rank };
	int err;

	if (!takes_all_rows(input, &steps[0]))
		return build_whole_steps(builder, input, steps, out);
	for (uint32_t i = 1; i < input->rank; i++) {
		int64_t last = steps[i].begin + steps[i].step * (steps[i].count - (int64_t)1);

		if (!steps[i].count || steps[i].begin < 0 || steps[i].begin >= input->dims[i] ||
		    last < 0 || last >= input->dims[i])
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "it takes nothing of dimension %" PRIu32
					       ", or more than there is", i);
	}
	if (!cut) {
		*out = *input;
		return 0;
	}
	if (cut < input->rank && steps[cut].step == 1)
		return nn_build_slice(builder, input, cut, steps[cut].begin, steps[cut].count, out);
	err = read_stored(builder, input, &from, sizes, strides);
	if (err)
		return err;
	dims[0] = input->dims[0];
	for (uint32_t i = 1; i < input->rank; i++) {
		uint32_t at = nn_layout_axis(from.layout, i);

		dims[i] = steps[i].count;
		move.shape[at] = steps[i].count;
		move.strides[at] = steps[i].count == 1 ? 0 : steps[i].step * strides[at];
		move.offset += steps[i].begin * strides[at];
	}
	err = append_move(builder, &from, &move, out);
	keep_shape(&from, dims, out);
	return err;
}

int nn_build_gather(struct nn_builder *builder, const struct nn_build_tensor *input, uint32_t axis,
		    const int64_t *indices, uint32_t count, struct nn_build_tensor *out)
{
	struct nn_steps steps[NN_MAX_RANK];
	uint32_t sizes[NN_MAX_RANK], dims[NN_MAX_RANK];
	int64_t strides[NN_MAX_RANK];
	struct nn_build_tensor from;
	bool even = count > 0;
	int err;

	for (uint32_t i = 0; i < count; i++) {
		if (indices[i] < 0 || indices[i] >= input->dims[axis])
			return nn_builder_fail(builder, -EINVAL,
					       "it takes index %" PRId64 " of dimension %" PRIu32
					       ", which has %" PRIu32,
					       indices[i], axis, input->dims[axis]);
		even &= i < 2 || indices[i] - indices[i - 1] == indices[1] - indices[0];
	}
	nn_all_steps(input, steps);
	if (even) {
		steps[axis] = (struct nn_steps){
			indices[0], count > 1 ? indices[1] - indices[0] : 1, count
		};
		return nn_build_steps(builder, input, steps, out);
	}
	if (!axis) {
		err = nn_build_lift(builder, input, &from);
		if (!err)
			err = nn_build_gather(builder, &from, 1, indices, count, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	memcpy(dims, input->dims, sizeof(dims));
	dims[axis] = count;
	err = read_stored(builder, input, &from, sizes, strides);
	if (!err) {
		const struct nn_attr attrs[] = {
			{ .name = "axis",
			  .type = NN_ATTR_INT,
			  .i = nn_layout_axis(from.layout, axis) },
			{ .name = "indices", .type = NN_ATTR_INTS, .count = count, .ints = indices },
		};

		err = nn_build_node(builder, "Gather", &from, 1, attrs, 2, &from.quant, out);
		keep_shape(&from, dims, out);
	}
	return err;
}

/* ---- Padding ---- */

static int build_whole_pad(struct nn_builder *builder, const struct nn_build_tensor *input,
			   const uint32_t *before, const uint32_t *after, const char *mode,
			   int32_t value, struct nn_build_tensor *out)
{
	uint32_t further[2][NN_MAX_RANK];
	struct nn_build_tensor lifted;
	int err = nn_build_lift(builder, input, &lifted);

	put_in_front(before, input->rank, 0, further[0]);
	put_in_front(after, input->rank, 0, further[1]);
	if (!err)
		err = nn_build_pad(builder, &lifted, further[0], further[1], mode, value, &lifted);
	return err ? err : nn_build_lower(builder, &lifted, out);
}

int nn_build_pad(struct nn_builder *builder, const struct nn_build_tensor *input,
		 const uint32_t *before, const uint32_t *after, const char *mode, int32_t value,
		 struct nn_build_tensor *out)
{
	int64_t stored_before[NN_MAX_RANK] = { 0 }, stored_after[NN_MAX_RANK] = { 0 };
	uint32_t sizes[NN_MAX_RANK], dims[NN_MAX_RANK], rank = input->rank;
	const struct nn_attr attrs[] = {
		{ .name = "before", .type = NN_ATTR_INTS, .count = rank, .ints = stored_before },
		{ .name = "after", .type = NN_ATTR_INTS, .count = rank, .ints = stored_after },
		{ .name = "mode", .type = NN_ATTR_STRING, .string = mode },
		{ .name = "value", .type = NN_ATTR_INT, .i = value },
	};
	int64_t strides[NN_MAX_RANK];
	struct nn_build_tensor from;
	uint64_t elements;
	bool any = false;
	int err;

	if (!nn_is_rows(input->dims[0]) && (before[0] || after[0]))
		return build_whole_pad(builder, input, before, after, mode, value, out);
	dims[0] = input->dims[0];
	for (uint32_t i = 1; i < rank; i++) {
		uint64_t size = (uint64_t)input->dims[i] + before[i] + after[i];

		if (size > INT32_MAX)
			return nn_builder_fail(builder, -EOPNOTSUPP, "its output is too large");
		dims[i] = size;
		any |= before[i] || after[i];
	}
	*out = *input;
	if (!any)
		return 0;
	err = nn_item_elements(builder, rank, dims, &elements);
	if (!err)
		err = read_stored(builder, input, &from, sizes, strides);
	if (err)
		return err;
	for (uint32_t i = 1; i < rank; i++) {
		stored_before[nn_layout_axis(from.layout, i)] = before[i];
		stored_after[nn_layout_axis(from.layout, i)] = after[i];
	}
	err = nn_build_node(builder, "Pad", &from, 1, attrs, 4, &from.quant, out);
	keep_shape(&from, dims, out);
	return err;
}

/* ---- The same again ---- */

int nn_build_expand(struct nn_builder *builder, const struct nn_build_tensor *input,
		    const uint32_t *dims, struct nn_build_tensor *out)
{
	uint32_t sizes[NN_MAX_RANK];
	int64_t strides[NN_MAX_RANK];
	struct nn_build_tensor from;
	struct move move = { .rank = input->rank };
	uint32_t further[NN_MAX_RANK];
	uint64_t elements;
	int err;

	if (input->dims[0] == 1 && dims[0] != 1 && !nn_is_rows(dims[0])) {
		err = nn_build_lift(builder, input, &from);
		put_in_front(dims, input->rank, 1, further);
		if (!err)
			err = nn_build_expand(builder, &from, further, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	for (uint32_t i = 0; i < input->rank; i++) {
		if (dims[i] != input->dims[i] && (!i || input->dims[i] != 1))
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "it makes dimension %" PRIu32 ", of %" PRIu32
					       ", %" PRIu32, i, input->dims[i], dims[i]);
	}
	*out = *input;
	if (!memcmp(dims, input->dims, input->rank * sizeof(*dims)))
		return 0;
	err = nn_item_elements(builder, input->rank, dims, &elements);
	if (!err)
		err = read_stored(builder, input, &from, sizes, strides);
	if (err)
		return err;
	for (uint32_t i = 1; i < input->rank; i++) {
		uint32_t at = nn_layout_axis(from.layout, i);

		move.shape[at] = dims[i];
		move.strides[at] = dims[i] == input->dims[i] ? strides[at] : 0;
	}
	err = append_move(builder, &from, &move, out);
	keep_shape(&from, dims, out);
	return err;
}

int nn_build_tile(struct nn_builder *builder, const struct nn_build_tensor *input,
		  const uint32_t *repeats, struct nn_build_tensor *out)
{
	uint32_t sizes[NN_MAX_RANK], dims[NN_MAX_RANK], stored[NN_MAX_RANK] = { 0 };
	int64_t strides[NN_MAX_RANK];
	struct nn_build_tensor from;
	struct move move = { .rank = 1 };
	bool any = false;
	uint32_t further[NN_MAX_RANK];
	uint64_t elements;
	int err;

	if (!nn_is_rows(input->dims[0]) && repeats[0] != 1) {
		err = nn_build_lift(builder, input, &from);
		put_in_front(repeats, input->rank, 1, further);
		if (!err)
			err = nn_build_tile(builder, &from, further, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	dims[0] = input->dims[0];
	for (uint32_t i = 1; i < input->rank; i++) {
		uint64_t size = (uint64_t)input->dims[i] * repeats[i];

		if (!size || size > INT32_MAX)
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "its output is empty, or too large");
		dims[i] = size;
		any |= repeats[i] > 1;
	}
	*out = *input;
	if (!any)
		return 0;
	err = nn_item_elements(builder, input->rank, dims, &elements);
	if (!err)
		err = read_stored(builder, input, &from, sizes, strides);
	if (err)
		return err;
	for (uint32_t i = 1; i < input->rank; i++)
		stored[nn_layout_axis(from.layout, i)] = dims[i];
	for (uint32_t i = 1; i < input->rank; i++) {
		if (stored[i] != sizes[i])
			add_dimension(&move, stored[i] / sizes[i], 0);
		if (stored[i] != sizes[i] || i == 1) {
			add_dimension(&move, sizes[i], strides[i]);
			continue;
		}
		/* It lies together with the one before. */
		move.shape[move.rank - 1] *= sizes[i];
		move.strides[move.rank - 1] = strides[i];
	}
	err = append_move(builder, &from, &move, out);
	if (!err)
		err = nn_build_stored_reshape(builder, out, input->rank, stored, out);
	keep_shape(&from, dims, out);
	return err;
}

/* ---- Blocks of an image, and channels ---- */

static int finish_blocks(struct nn_builder *builder, const struct nn_build_tensor *image,
			 const struct move *move, const uint32_t *stored,
			 struct nn_build_tensor *out)
{
	int err = append_move(builder, image, move, out);

	if (!err)
		err = nn_build_stored_reshape(builder, out, 4, stored, out);
	out->layout = nn_image_layout(builder);
	out->rank = 4;
	out->dims[0] = image->dims[0];
	out->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)] = stored[1];
	out->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)] = stored[2];
	out->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)] = stored[3];
	return err;
}

int nn_build_depth_to_space(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t block, bool depth_first, struct nn_build_tensor *out)
{
	struct nn_build_tensor image;
	struct move move = { .rank = 1 };
	int err = nn_build_image(builder, input, &image);
	int64_t h, w, c, inner;

	if (err)
		return err;
	h = image.dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)];
	w = image.dims[nn_image_axis(builder, NN_IMAGE_WIDTH)];
	c = image.dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)];
	if (!block || block > c || c % ((int64_t)block * block))
		return nn_builder_fail(builder, -EINVAL,
				       "its block of %" PRIu32 " squared does not divide %" PRId64
				       " channels", block, c);
	inner = c / block / block;
	add_dimension(&move, h, w * c);
	/* A channel is, from the slowest on: row of the block, column, channel of the output; or
	 * the channel first. */
	add_dimension(&move, block, depth_first ? block * inner : block);
	add_dimension(&move, w, c);
	add_dimension(&move, block, depth_first ? inner : 1);
	add_dimension(&move, inner, depth_first ? 1 : (int64_t)block * block);
	return finish_blocks(builder, &image, &move,
			     (uint32_t[]){ 0, h * block, w * block, inner }, out);
}

int nn_build_space_to_depth(struct nn_builder *builder, const struct nn_build_tensor *input,
			    uint32_t block, struct nn_build_tensor *out)
{
	struct nn_build_tensor image;
	struct move move = { .rank = 1 };
	int err = nn_build_image(builder, input, &image);
	int64_t h, w, c;

	if (err)
		return err;
	h = image.dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)];
	w = image.dims[nn_image_axis(builder, NN_IMAGE_WIDTH)];
	c = image.dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)];
	if (!block || h % block || w % block)
		return nn_builder_fail(builder, -EINVAL,
				       "its block of %" PRIu32 " squared does not divide an image of %"
				       PRId64 " x %" PRId64, block, h, w);
	add_dimension(&move, h / block, block * w * c);
	add_dimension(&move, w / block, block * c);
	add_dimension(&move, block, w * c);
	add_dimension(&move, block, c);
	add_dimension(&move, c, 1);
	return finish_blocks(builder, &image, &move,
			     (uint32_t[]){ 0, h / block, w / block, block * block * c }, out);
}
