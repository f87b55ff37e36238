/* SPDX-License-Identifier: MIT */
/*
 * ROI_ALIGN's samples (roi_align.c), which the portable kernel and the vector one share.
 */
#ifndef NN_ROI_ALIGN_H
#define NN_ROI_ALIGN_H

#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define ROI_MOST_SAMPLES	1024u	/* of a bin, in each direction */

enum { ROI_IMAGES, ROI_BOXES, ROI_INDICES, ROI_OPERANDS };

/* A box in one direction. */
struct roi_axis {
	float start, bin;
	uint32_t samples;	/* of a bin */
	uint32_t size;		/* of the image */
};

static inline uint32_t roi_count_samples(float bin)
{
	uint32_t whole;

	if (!(bin > 0))
		return 0;
	if (bin > (float)ROI_MOST_SAMPLES)
		return ROI_MOST_SAMPLES;
	whole = (uint32_t)bin;
	return whole + ((float)whole < bin);
}

static inline struct roi_axis roi_axis_of(const struct nn_roi_align_params *params, float low,
					  float high, uint32_t size, uint32_t bins)
{
	float shift = params->half_pixel ? 0.5f : 0, length;
	struct roi_axis axis = { .size = size, .samples = params->samples };

	axis.start = low * params->spatial_scale - shift;
	length = high * params->spatial_scale - shift - axis.start;
	if (!params->half_pixel && length < 1)
		length = 1;
	axis.bin = length / (float)bins;
	if (!axis.samples)
		axis.samples = roi_count_samples(axis.bin);
	return axis;
}

/* The pixels between which a sample is; far_part: f. */
struct roi_position {
	bool is_inside;
	uint32_t near, far;
	float near_part, far_part;
};

static inline struct roi_position roi_position_of(const struct roi_axis *axis, uint32_t bin,
						  uint32_t sample)
{
	float at = axis->start + (float)bin * axis->bin +
		   ((float)sample + 0.5f) * axis->bin / (float)axis->samples;
	struct roi_position position = { .is_inside = at >= -1 && at <= (float)axis->size };

	if (!position.is_inside)
		return position;
	at = at > 0 ? at : 0;
	position.near = (uint32_t)at;
	position.far = position.near + 1;
	if (position.far >= axis->size) {
		position.near = position.far = axis->size - 1;
		at = (float)position.near;
	}
	position.far_part = at - (float)position.near;
	position.near_part = 1 - position.far_part;
	return position;
}

/* One of the four numbers of a box. */
static inline float roi_load_number(const struct nn_call *call, const uint8_t *box, uint32_t i)
{
	const struct nn_tensor *boxes = &call->input[ROI_BOXES];
	float number;

	if (boxes->type == NN_TYPE_FLOAT32)
		number = ((const float *)box)[i];
	else
		number = (float)(load_8bit(box + i, flip_of(boxes)) - boxes->zero_point);
	return number * call->op->roi_align.scale_boxes;
}

/* The axes of a box: height, width. */
static inline void roi_axes_of(const struct nn_call *call, const uint8_t *box,
			       struct roi_axis axes[2])
{
	const struct nn_tensor *images = &call->input[ROI_IMAGES], *output = &call->output[0];

	for (uint32_t i = 0; i < 2; i++)
		axes[i] = roi_axis_of(&call->op->roi_align, roi_load_number(call, box, 1 - i),
				      roi_load_number(call, box, 3 - i), images->dims[2 + i],
				      output->dims[2 + i]);
}

/* Makes a box's output of an image. */
typedef int roi_align_function(struct progress *progress, const uint8_t *image,
			       const uint8_t *box, uint8_t *out);

roi_align_function nn_roi_align_box;	/* in portable C */

/* Makes all boxes that have an image by a function, and fills the others. */
int nn_roi_align_boxes(const struct nn_call *call, roi_align_function *align);

#endif
