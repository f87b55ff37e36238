// SPDX-License-Identifier: MIT
/* Operators whose results come from many elements each, without weights. */
#include <errno.h>
#include <inttypes.h>

#include "import/tflite/tflite.h"

/* ---- Images of another size ---- */

/* align_corners is option `first`, half_pixel_centers the next. */
static int lower_resize(struct tflite_import *import, const char *mode, uint32_t first)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	const struct nn_const *size = x ? tflite_ints_input(import, 1) : NULL;
	bool align = import->now->option[first], half = import->now->option[first + 1];
	struct nn_resize resize = {
		.mode = mode,
		.coordinates = align ? "tensorflow_align_corners" :
			       half  ? "tensorflow_half_pixel" :
				       "tensorflow",
	};
	struct nn_build_tensor made;
	int err;

	if (!size)
		return tflite_failed(import);
	if (align && half)
		return tflite_fail(import, -EINVAL,
				   "it has both align_corners and half_pixel_centers");
	if (size->count != 2)
		return tflite_fail(import, -EINVAL, "its size is %" PRIu64 " numbers, not 2",
				   size->count);
	for (uint32_t i = 0; i < 2; i++) {
		int64_t pixels = nn_const_int(size, i);

		if (pixels < 1 || pixels > UINT16_MAX)
			return tflite_fail(import, -EOPNOTSUPP,
					   "it makes %" PRId64 " pixels; nnloop knows 1 to %d",
					   pixels, UINT16_MAX);
		resize.size[i] = pixels;
	}
	err = nn_need_image(&import->builder, x);
	if (!err)
		err = tflite_same_quant(import, 0, &x->quant);
	if (!err)
		err = nn_build_resize(&import->builder, x, &resize, &x->quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_resize_bilinear(struct tflite_import *import)
{
	return lower_resize(import, "linear_fixed", 2);
}

int tflite_lower_resize_nearest(struct tflite_import *import)
{
	return lower_resize(import, "nearest", 0);
}
