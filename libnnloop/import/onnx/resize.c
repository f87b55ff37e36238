// SPDX-License-Identifier: MIT
/* ONNX's Resize, and Upsample, as it was called before opset 10: images, in height and width. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_SIZE 65535 /* pixels, of Resize of a graph */
#define SIZES 3 /* input */

/* Words of the attributes that are others of the graph's Resize. */
static const char *find_round(struct onnx_import *import)
{
	const char *mode = onnx_attr_string(import, "nearest_mode", "round_prefer_floor");

	/* Before there was nearest_mode, ONNX did not say; this is what ONNX Runtime does. */
	if (onnx_get_opset(import, import->op) < 11)
		return "ceil_if_smaller";
	if (!strcmp(mode, "round_prefer_floor"))
		return "half_down";
	if (!strcmp(mode, "round_prefer_ceil"))
		return "half_up";
	return mode;
}

static const char *find_coordinates(struct onnx_import *import)
{
	const char *mode = onnx_attr_string(import, "coordinate_transformation_mode", "half_pixel");

	if (onnx_get_opset(import, import->op) < 11)
		return "asymmetric";
	return strcmp(mode, "tf_half_pixel_for_nn") ? mode : "half_pixel_for_nearest";
}

/*
 * Reads which dimensions the `count` numbers of scales or sizes are for: those in `axes`, or all.
 */
static int read_axes(struct onnx_import *import, uint32_t rank, uint64_t count, uint32_t *of)
{
	const Onnx__AttributeProto *axes = onnx_attr(import->node, "axes");
	uint32_t seen = 0;

	if (count != (axes ? axes->n_ints : rank))
		return onnx_fail(import, -EINVAL,
				 "it has %" PRIu64 " scales or sizes for %" PRIu64 " dimensions",
				 count, axes ? (uint64_t)axes->n_ints : rank);
	for (uint32_t i = 0; i < count; i++) {
		int64_t axis = axes ? axes->ints[i] : i;

		axis += axis < 0 ? rank : 0;
		if (axis < 0 || axis >= rank || seen & 1u << axis)
			return onnx_fail(import, -EINVAL, "its axes are not different dimensions");
		seen |= 1u << axis;
		of[i] = axis;
	}
	return 0;
}

/* An input of the operator that is left out, or empty. */
static bool is_nothing(const struct onnx_value *value)
{
	return value->kind == ONNX_ABSENT ||
	       (value->kind == ONNX_CONST && !value->constant.count);
}

/* Sizes, which are integers, or scales: those of height and width; others must be kept. */
static int read_sizes(struct onnx_import *import, const struct nn_build_tensor *x,
		      const struct nn_const *numbers, bool are_sizes, struct nn_resize *resize)
{
	uint32_t of[NN_MAX_RANK] = { 0 };
	int err = read_axes(import, x->rank, numbers->count, of);

	resize->size[0] = x->dims[2];
	resize->size[1] = x->dims[3];
	resize->scale[0] = resize->scale[1] = 1;
	for (uint32_t i = 0; i < numbers->count && !err; i++) {
		uint32_t had = x->dims[of[i]], axis = of[i];
		float scale = are_sizes ? 1 : nn_const_float(numbers, i);
		int64_t size = are_sizes ? nn_const_int(numbers, i) : had;
		bool is_batch = axis == 0 && nn_is_rows(had);

		if (axis < 2) {
			if (scale != 1 ||
			    (are_sizes && size != (is_batch && import->one_is_batch ? 1 : had)))
				return onnx_fail(import, -EOPNOTSUPP,
						 "it resizes dimension %" PRIu32
						 ", and nnloop knows it for height and width",
						 axis);
			continue;
		}
		if (!(scale > 0) || scale > MAX_SIZE)
			return onnx_fail(import, -EINVAL, "its scale is %g", (double)scale);
		if (!are_sizes)
			size = (int64_t)(scale * (float)had);
		if (!are_sizes && size != (int64_t)((double)scale * had))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its scale %.9g of %" PRIu32
					 " pixels makes another size in float than exactly",
					 (double)scale, had);
		if (size < 1 || size > MAX_SIZE || had > MAX_SIZE)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it resizes %" PRIu32 " pixels to %" PRId64
					 "; nnloop knows 1 to %d",
					 had, size, MAX_SIZE);
		resize->size[axis - 2] = size;
		resize->scale[axis - 2] = are_sizes ? (float)size / (float)had : scale;
	}
	if (!err && resize->size[0] == x->dims[2] && resize->size[1] == x->dims[3] &&
	    (resize->scale[0] != 1 || resize->scale[1] != 1))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its scales are not 1 and leave the size as it is: pixels move "
				 "for ONNX, and not for ONNX Runtime");
	return err;
}

/* Sizes, perhaps computed of shapes: the first may be the batch, whatever that will be. */
static int find_sizes(struct onnx_import *import, const struct nn_build_tensor *x,
		      int64_t sizes[NN_MAX_RANK], struct nn_const *out)
{
	uint32_t count;
	bool keeps_batch;
	int err = onnx_read_shape(import, SIZES, sizes, &count, &keeps_batch);

	if (err)
		return err;
	if (keeps_batch && sizes[0] == nn_rows_count(x->dims[0]))
		sizes[0] = nn_is_rows(x->dims[0]) && import->one_is_batch ? 1 : x->dims[0];
	*out = (struct nn_const){ .element = NN_ELEMENT_INT64, .rank = 1, .dims = { count },
				  .count = count, .data = sizes };
	return 0;
}

/* Scales: an input, and before that, of Upsample, an attribute. */
static int find_scales(struct onnx_import *import, const struct onnx_value *scales,
		       struct nn_const *out)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "scales");

	*out = scales->constant;
	if (attr)
		*out = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = 1,
					  .dims = { attr->n_floats }, .count = attr->n_floats,
					  .data = attr->floats };
	else if (scales->kind != ONNX_CONST || scales->constant.element != NN_ELEMENT_FLOAT)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its scales are no constant of float" ONNX_FIX_SHAPES);
	return 0;
}

int onnx_read_resize(struct onnx_import *import, const struct onnx_value *of,
		     struct nn_resize *resize)
{
	const struct nn_build_tensor *x = &of->tensor;
	bool is_old = onnx_get_opset(import, import->op) < 11;
	const struct onnx_value *scales = onnx_input(import, is_old ? 1 : 2);
	bool has_scales = !is_nothing(scales) || onnx_attr(import->node, "scales");
	bool has_sizes = !is_old && !is_nothing(onnx_input(import, SIZES));
	int64_t sizes[NN_MAX_RANK];
	struct nn_const numbers;
	int err;

	if (x->rank != 4)
		return nn_need_image(&import->builder, x);
	if (has_scales == has_sizes)
		return onnx_fail(import, -EINVAL, "it has not one of scales and sizes");
	err = has_sizes ? find_sizes(import, x, sizes, &numbers) :
			  find_scales(import, scales, &numbers);
	if (err)
		return err;
	resize->coordinates = find_coordinates(import);
	return read_sizes(import, x, &numbers, has_sizes, resize);
}

static int emit_linear(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	int err = onnx_check_sums(import, onnx_find_span(&x->quant), quant);

	(void)activation;
	return err ? err : nn_build_resize(&import->builder, x, &pending->resize, quant, out);
}

/* ONNX Runtime makes means of integers as they are stored. */
static int lower_stored(struct onnx_import *import)
{
	struct nn_resize resize = { .mode = "linear_stored" };
	struct onnx_value value = *onnx_input(import, 0);
	int err;

	if (!nn_type_is_8bit(value.tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s" ONNX_8_BITS,
				 nn_data_type_name(value.tensor.quant.type));
	err = onnx_read_resize(import, &value, &resize);
	if (!err)
		err = nn_build_resize(&import->builder, &value.tensor, &resize, &value.tensor.quant,
				      &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

static int lower_linear(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);
	struct onnx_pending *pending = x ? onnx_new_pending(import, emit_linear, 1) : NULL;
	int err;

	if (!pending)
		return onnx_failed(import);
	pending->resize.mode = "linear";
	err = onnx_read_resize(import, x, &pending->resize);
	if (err)
		return err;
	pending->operands[0] = x;
	pending->rank = 4;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	memcpy(&pending->dims[2], pending->resize.size, sizeof(pending->resize.size));
	return onnx_define_pending(import, pending);
}

int onnx_lower_resize(struct onnx_import *import)
{
	struct nn_resize resize = { .mode = "nearest", .round = find_round(import) };
	const struct onnx_value *x;
	struct onnx_value value;
	int err;

	if (strcmp(onnx_attr_string(import, "mode", "nearest"), "nearest"))
		return onnx_input(import, 0)->kind == ONNX_STORED ? lower_stored(import) :
								    lower_linear(import);
	x = onnx_movable_input(import, 0);
	if (!x)
		return onnx_failed(import);
	value = *x;
	err = onnx_read_resize(import, x, &resize);
	if (!err)
		err = nn_build_resize(&import->builder, &x->tensor, &resize, &x->tensor.quant,
				      &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}
