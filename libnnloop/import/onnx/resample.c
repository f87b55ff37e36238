// SPDX-License-Identifier: MIT
/*
 * ONNX's Resize where the graph's does not do it: cubic, with antialiasing, of a part of the image,
 * along other dimensions than height and width. Along each dimension it is a sum of few elements with
 * constant weights, the graph's operator Resample, in float.
 *
 * Places and weights are computed in float32, and the last dimension comes first, as in ONNX Runtime.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MOST_TAPS (1u << 24) /* along a dimension, so that a small file cannot take much memory */
#define REGION 1 /* input */

/* A dimension that changes. */
struct dimension {
	uint32_t from, to;
	float scale;
	float begin, end; /* of the region, of 1 */
};

struct filter {
	const char *coordinates;
	bool cubic, antialias, excludes;
	float a; /* of cubic */
	float outside; /* what is there of a region */
};

/* ---- Places and weights ---- */

static float find_place(const struct filter *filter, const struct dimension *dim, uint32_t i)
{
	const char *how = filter->coordinates;
	const float x = (float)i, from = (float)dim->from, to = (float)dim->to;
	float adjust;

	if (dim->scale == 1 && strcmp(how, "tf_crop_and_resize"))
		return x;
	if (!strcmp(how, "asymmetric"))
		return x / dim->scale;
	if (!strcmp(how, "tf_half_pixel_for_nn"))
		return (x + 0.5f) / dim->scale;
	if (!strcmp(how, "pytorch_half_pixel") && dim->to == 1)
		return 0;
	if (!strcmp(how, "align_corners"))
		return dim->to == 1 ? 0 : x * (from - 1) / (to - 1);
	if (!strcmp(how, "tf_crop_and_resize"))
		return dim->to == 1 ? 0.5f * (dim->begin + dim->end) * (from - 1) :
				      dim->begin * (from - 1) +
					      x * (dim->end - dim->begin) * (from - 1) / (to - 1);
	if (!strcmp(how, "half_pixel_symmetric")) {
		adjust = to / (dim->scale * from);
		return from / 2 * (1 - adjust) + (x + 0.5f) / dim->scale - 0.5f;
	}
	return (x + 0.5f) / dim->scale - 0.5f;
}

/* Returns what an element so far from the place weighs. */
static float weigh(const struct filter *filter, float x)
{
	const float a = filter->a;

	if (!filter->cubic)
		return x < 1 ? 1 - x : 0;
	if (x < 1)
		return ((a + 2) * x - (a + 3)) * x * x + 1;
	return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* How far around the place elements weigh anything, and how much that is stretched. */
static float reach_of(const struct filter *filter, const struct dimension *dim, float *stretch)
{
	*stretch = filter->antialias && dim->scale < 1 ? 1 / dim->scale : 1;
	return (filter->cubic ? 2 : 1) * *stretch;
}

/* Weights of what is beyond an end go to the end. */
static void move_to_ends(int64_t first, uint32_t size, struct nn_resample *out, float *weights)
{
	const int64_t low = first < 0 ? -first : 0, high = (int64_t)size - 1 - first;

	for (int64_t k = 0; k < low && low < out->count; k++) {
		weights[low] += weights[k];
		weights[k] = 0;
	}
	for (int64_t k = high + 1; k < out->count && high >= 0; k++) {
		weights[high] += weights[k];
		weights[k] = 0;
	}
}

/* Divides the weights by their sum, as ONNX Runtime does. */
static void norm(const struct filter *filter, uint32_t count, float *weights)
{
	float sum = 0;

	for (uint32_t k = 0; k < count; k++)
		sum += weights[k];
	for (uint32_t k = 0; k < count && sum != 0; k++)
		weights[k] = filter->antialias ? weights[k] * (1 / sum) : weights[k] / sum;
}

/* The taps of place i: elements beyond an end are that at the end, or excluded. */
static void fill_taps(const struct filter *filter, const struct dimension *dim, uint32_t i,
		      struct nn_resample *out)
{
	int32_t *taps = out->taps + (uint64_t)i * out->count;
	float *weights = out->weights + (uint64_t)i * out->count;
	const float place = find_place(filter, dim, i), last = (float)dim->from - 1;
	const bool cuts = !strcmp(filter->coordinates, "tf_crop_and_resize");
	float stretch, reach = reach_of(filter, dim, &stretch);
	int64_t first = (int64_t)floorf(place - reach) + 1;

	if (cuts && !(place >= 0 && place <= last)) {
		out->biases[i] = filter->outside;
		return;
	}
	for (uint32_t k = 0; k < out->count; k++) {
		int64_t index = first + k;
		bool outside = index < 0 || index >= dim->from;

		taps[k] = index < 0 ? 0 : index >= dim->from ? dim->from - 1 : index;
		weights[k] = outside && filter->excludes ?
				     0 :
				     weigh(filter, fabsf(((float)index - place) / stretch));
	}
	if (filter->antialias)
		move_to_ends(first, dim->from, out, weights);
	if (filter->antialias || filter->excludes)
		norm(filter, out->count, weights);
}

static int make_taps(struct onnx_import *import, const struct filter *filter,
		     const struct dimension *dim, struct nn_resample *out)
{
	float stretch, reach = reach_of(filter, dim, &stretch);

	if (reach * 2 + 1 > (float)(MOST_TAPS / dim->to))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %" PRIu32 " elements of %" PRIu32
				 ", with too many weights for each", dim->to, dim->from);
	out->count = (uint32_t)ceilf(reach) * 2;
	out->size = dim->to;
	out->taps = onnx_alloc(import, (size_t)out->size * out->count, sizeof(*out->taps));
	out->weights = onnx_alloc(import, (size_t)out->size * out->count, sizeof(*out->weights));
	out->biases = onnx_alloc(import, out->size, sizeof(*out->biases));
	if (!out->taps || !out->weights || !out->biases)
		return -ENOMEM;
	for (uint32_t i = 0; i < dim->to; i++)
		fill_taps(filter, dim, i, out);
	return 0;
}

/* ---- The operator ---- */

/* The region that is made larger or smaller: the begins of all dimensions, and then the ends. */
static int read_region(struct onnx_import *import, const uint32_t *of, uint32_t count,
		       struct dimension *dims)
{
	const struct onnx_value *value = onnx_input(import, REGION);

	if (value->kind != ONNX_CONST || value->constant.element != NN_ELEMENT_FLOAT ||
	    value->constant.count != 2 * (uint64_t)count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its region is no constant of two floats for each dimension");
	for (uint32_t i = 0; i < count; i++) {
		dims[of[i]].begin = nn_const_float(&value->constant, i);
		dims[of[i]].end = nn_const_float(&value->constant, count + i);
	}
	return 0;
}

bool onnx_is_resampled(struct onnx_import *import)
{
	const char *mode = onnx_attr_string(import, "mode", "nearest");
	const char *how = onnx_attr_string(import, "coordinate_transformation_mode", "half_pixel");

	if (!strcmp(mode, "nearest"))
		return false;
	return !strcmp(mode, "cubic") || onnx_attr_int(import->node, "antialias", 0) ||
	       !strcmp(how, "tf_crop_and_resize") || onnx_input(import, 0)->tensor.rank != 4;
}

static bool cuts(const struct filter *filter, const struct dimension *dim)
{
	return !strcmp(filter->coordinates, "tf_crop_and_resize") &&
	       (dim->begin != 0 || dim->end != 1);
}

/* Where all sizes stay, ONNX Runtime copies. */
static int check_sizes(struct onnx_import *import, const struct filter *filter,
		       const struct dimension *dims, uint32_t rank)
{
	bool moves = false;

	for (uint32_t i = 0; i < rank; i++) {
		if (dims[i].to != dims[i].from)
			return 0;
		moves |= dims[i].scale != 1 || cuts(filter, &dims[i]);
	}
	return !moves ? 0 : onnx_fail(import, -EOPNOTSUPP,
				      "it leaves the sizes as they are, and its scales or its region are "
				      "not 1: pixels move for ONNX, and not for ONNX Runtime");
}

int onnx_resample(struct onnx_import *import, const struct nn_build_tensor *of)
{
	const struct filter filter = {
		.coordinates = onnx_attr_string(import, "coordinate_transformation_mode",
						"half_pixel"),
		.cubic = !strcmp(onnx_attr_string(import, "mode", "nearest"), "cubic"),
		.antialias = onnx_attr_int(import->node, "antialias", 0),
		.excludes = onnx_attr_int(import->node, "exclude_outside", 0),
		.a = onnx_attr_float(import->node, "cubic_coeff_a", -0.75f),
		.outside = onnx_attr_float(import->node, "extrapolation_value", 0),
	};
	struct dimension dims[NN_MAX_RANK];
	struct onnx_sizes sizes;
	struct nn_resample taps;
	struct nn_build_tensor x = *of, made;
	int err = onnx_read_sizes(import, &x, &sizes);

	for (uint32_t i = 0; i < x.rank && !err; i++)
		dims[i] = (struct dimension){ .from = x.dims[i], .to = sizes.size[i],
					      .scale = sizes.scale[i], .end = 1 };
	if (!err && !strcmp(filter.coordinates, "tf_crop_and_resize"))
		err = read_region(import, sizes.of, sizes.count, dims);
	if (!err)
		err = check_sizes(import, &filter, dims, x.rank);
	if (err)
		return err;
	made = x;
	for (uint32_t i = x.rank; i-- > 0 && !err;) {
		if (dims[i].to == dims[i].from && dims[i].scale == 1 && !cuts(&filter, &dims[i]))
			continue;
		err = make_taps(import, &filter, &dims[i], &taps);
		x = made;
		if (!err)
			err = nn_build_resample(&import->builder, &x, i, &taps, &made);
	}
	if (!err && made.quant.type != NN_FLOAT32) {
		x = made;
		err = onnx_to_float(import, &x, &made);
	}
	return err ? err : onnx_define_float(import, 0, &made);
}

int onnx_lower_resampled(struct onnx_import *import)
{
	struct nn_build_tensor x;
	int err = onnx_float_input(import, 0, &x);

	return err ? err : onnx_resample(import, &x);
}
