// SPDX-License-Identifier: MIT
/* ONNX's Resize, and Upsample, as it was called before opset 10: images, in height and width. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_SIZE 65535 /* pixels, of Resize of a graph */
#define SIZES 3 /* input */
#define RESIZES_BATCH "it resizes dimension %" PRIu32 ", which is the batch" ONNX_KEEP_BATCH

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

/* One number, of a dimension: a size, which is an integer, or a scale. */
static int read_size(struct onnx_import *import, uint32_t had, const struct nn_const *numbers,
		     uint32_t i, bool are_sizes, struct onnx_sizes *sizes)
{
	float scale = are_sizes ? 1 : nn_const_float(numbers, i);
	int64_t size = are_sizes ? nn_const_int(numbers, i) : had;

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
	sizes->size[sizes->of[i]] = size;
	sizes->scale[sizes->of[i]] = are_sizes ? (float)size / (float)had : scale;
	return 0;
}

/* One scale for all dimensions, with which none is larger, or none smaller, than its size. */
static void keep_ratio(struct onnx_import *import, const struct nn_build_tensor *x,
		       struct onnx_sizes *sizes)
{
	const char *policy = onnx_attr_string(import, "keep_aspect_ratio_policy", "stretch");
	bool is_least = !strcmp(policy, "not_larger");
	float scale = is_least ? INFINITY : 0;

	if (!strcmp(policy, "stretch"))
		return;
	for (uint32_t i = 0; i < sizes->count; i++) {
		float own = sizes->scale[sizes->of[i]];

		scale = is_least ? fminf(scale, own) : fmaxf(scale, own);
	}
	for (uint32_t i = 0; i < sizes->count; i++) {
		uint32_t axis = sizes->of[i];

		sizes->scale[axis] = scale;
		sizes->size[axis] = roundf(scale * (float)x->dims[axis]);
	}
}

static int read_numbers(struct onnx_import *import, const struct nn_build_tensor *x,
			const struct nn_const *numbers, bool are_sizes, struct onnx_sizes *sizes)
{
	const struct onnx_place *place = &onnx_input(import, 0)->place;
	int err = read_axes(import, x->rank, numbers->count, sizes->of);

	sizes->count = numbers->count;
	for (uint32_t i = 0; i < x->rank; i++) {
		sizes->size[i] = x->dims[i];
		sizes->scale[i] = 1;
	}
	for (uint32_t i = 0; i < numbers->count && !err; i++) {
		uint32_t axis = sizes->of[i], had = x->dims[axis];

		if (axis || !nn_is_rows(had)) {
			err = read_size(import, had, numbers, i, are_sizes, sizes);
			continue;
		}
		if (are_sizes ? nn_const_int(numbers, i) != (import->one_is_batch ? 1 : had) :
				nn_const_float(numbers, i) != 1)
			return onnx_fail(import, -EOPNOTSUPP, RESIZES_BATCH, 0);
	}
	if (!err && are_sizes)
		keep_ratio(import, x, sizes);
	if (!err && place->is && (sizes->scale[place->axis] != 1 ||
				  sizes->size[place->axis] != x->dims[place->axis]))
		return onnx_fail(import, -EOPNOTSUPP, RESIZES_BATCH, place->axis);
	return err;
}

/* Takes the sizes of height and width; others must be kept. */
static int read_image_sizes(struct onnx_import *import, const struct nn_build_tensor *x,
			    const struct onnx_sizes *sizes, struct nn_resize *resize)
{
	for (uint32_t i = 0; i < 2; i++) {
		resize->size[i] = sizes->size[2 + i];
		resize->scale[i] = sizes->scale[2 + i];
		if (sizes->scale[i] != 1 || sizes->size[i] != x->dims[i])
			return onnx_fail(import, -EOPNOTSUPP,
					 "it resizes dimension %" PRIu32
					 ", and nnloop knows it for height and width", i);
	}
	if (resize->size[0] == x->dims[2] && resize->size[1] == x->dims[3] &&
	    (resize->scale[0] != 1 || resize->scale[1] != 1))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its scales are not 1 and leave the size as it is: pixels move "
				 "for ONNX, and not for ONNX Runtime");
	return 0;
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

int onnx_read_sizes(struct onnx_import *import, const struct nn_build_tensor *x,
		    struct onnx_sizes *sizes)
{
	bool is_old = onnx_get_opset(import, import->op) < 11;
	const struct onnx_value *scales = onnx_input(import, is_old ? 1 : 2);
	bool has_scales = !is_nothing(scales) || onnx_attr(import->node, "scales");
	bool has_sizes = !is_old && !is_nothing(onnx_input(import, SIZES));
	int64_t given[NN_MAX_RANK];
	struct nn_const numbers;
	int err;

	if (has_scales == has_sizes)
		return onnx_fail(import, -EINVAL, "it has not one of scales and sizes");
	if (has_scales && strcmp(onnx_attr_string(import, "keep_aspect_ratio_policy", "stretch"),
				 "stretch"))
		return onnx_fail(import, -EINVAL,
				 "its keep_aspect_ratio_policy is for sizes, and it has scales");
	err = has_sizes ? find_sizes(import, x, given, &numbers) :
			  find_scales(import, scales, &numbers);
	return err ? err : read_numbers(import, x, &numbers, has_sizes, sizes);
}

int onnx_read_resize(struct onnx_import *import, const struct onnx_value *of,
		     struct nn_resize *resize)
{
	const struct nn_build_tensor *x = &of->tensor;
	struct onnx_sizes sizes;
	int err;

	if (x->rank != 4)
		return nn_need_image(&import->builder, x);
	if (onnx_attr_int(import->node, "exclude_outside", 0))
		return onnx_fail(import, -EINVAL,
				 "its exclude_outside is for cubic, or with antialias");
	resize->coordinates = find_coordinates(import);
	if (!strcmp(resize->coordinates, "tf_crop_and_resize"))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it resizes a region of what is of integers, or to the nearest");
	err = onnx_read_sizes(import, x, &sizes);
	return err ? err : read_image_sizes(import, x, &sizes, resize);
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

	if (onnx_is_resampled(import))
		return onnx_lower_resampled(import);
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
