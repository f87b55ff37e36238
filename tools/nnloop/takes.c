// SPDX-License-Identifier: MIT
/* Inputs that take more than arrays: pictures or sound, and what their values become. */
#include "metadata.h"
#include "nnloop.h"

static bool is_channels(uint32_t dim)
{
	return dim == 1 || dim == 3;
}

bool takes_pictures(const struct nn_tensor_info *info, bool channels_first,
		    struct picture_shape *shape)
{
	const uint32_t *dims = info->dims;

	if (nn_data_type_size(info->type) != 1)
		return false;
	if (info->rank == 3) {
		*shape = (struct picture_shape) { dims[1], dims[2], 1, false };
		return true;
	}
	if (info->rank != 4 || (!is_channels(dims[1]) && !is_channels(dims[3])))
		return false;
	if (!is_channels(channels_first ? dims[1] : dims[3]))
		channels_first = !channels_first;
	if (channels_first)
		*shape = (struct picture_shape) { dims[2], dims[3], dims[1], true };
	else
		*shape = (struct picture_shape) { dims[1], dims[2], dims[3], false };
	return true;
}

bool takes_sound(const struct nn_tensor_info *info, uint64_t *samples)
{
	uint32_t longer = 0;

	*samples = 1;
	for (uint32_t i = 1; i < info->rank; i++) {
		*samples *= info->dims[i];
		longer += info->dims[i] > 1;
	}
	if (longer != 1)
		return false;
	return info->type == NN_INT16 || (nn_data_type_size(info->type) == 1 && info->scale > 0);
}

/* The real number that a stored integer stands for. */
static double real(const struct nn_tensor_info *info, int32_t stored)
{
	return info->scale ? (stored - info->zero_point) * (double)info->scale : stored;
}

void takes_print(const struct nn_tensor_info *info, bool channels_first,
		 const struct normalization *normalization)
{
	int32_t first = info->type == NN_INT8 ? -128 : 0;
	struct picture_shape shape;
	uint64_t samples;

	if (takes_pictures(info, channels_first, &shape) &&
	    normalization_fits(normalization, shape.channels)) {
		printf("    may be given as pictures of %u x %u pixels, %s, normalized as the model says:",
		       shape.width, shape.height, shape.channels == 1 ? "grey" : "in colours");
		normalization_print(stdout, normalization);
		putchar('\n');
	} else if (takes_pictures(info, channels_first, &shape)) {
		printf("    may be given as pictures of %u x %u pixels, %s: 0 to 255 are stored as %d to %d and mean %.6g to %.6g\n",
		       shape.width, shape.height, shape.channels == 1 ? "grey" : "in colours", first,
		       first + 255, real(info, first), real(info, first + 255));
	} else if (takes_sound(info, &samples)) {
		printf("    may be given as sound of %llu samples, 16 bits, one channel: the loudest %s\n",
		       (unsigned long long)samples,
		       info->scale ? "means -1 to 1" : "is stored as -32768 to 32767");
	}
}
