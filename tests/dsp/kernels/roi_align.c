// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of ROI_ALIGN, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Floats around an image, but for a few that may be anything. */
static void make_boxes(uint32_t boxes)
{
	struct nn_tensor *tensor = &call.input[1];

	if (random_below(2)) {
		random_input(1, random_8bit(),
			     DIMS(random_below(2) ? call.input[0].dims[0] : 1, boxes, 4));
		op.roi_align.scale_boxes = (float)random_range(1, 20) / 150;
		return;
	}
	random_constant(1, NN_TYPE_FLOAT32, boxes * 4);
	describe_tensor(tensor, NN_TYPE_FLOAT32, DIMS(1, boxes, 4), tensor->data);
	for (uint32_t i = 0; i < boxes * 4; i++) {
		if (random_below(8))
			((float *)tensor->data)[i] = (float)random_range(0, 300) / 16 - 4;
	}
	op.roi_align.scale_boxes = 1;
}

/* Numbers of images, but for a few. */
static void make_indices(uint32_t rows, uint32_t boxes, uint32_t images)
{
	bool is_long = random_below(2);

	random_input(2, is_long ? NN_TYPE_INT64 : NN_TYPE_INT32, DIMS(rows, boxes));
	for (uint32_t i = 0; i < rows * boxes; i++) {
		int64_t index = (int64_t)random_below(images + 2) - 1;

		if (!random_below(8))
			index = (int64_t)((uint64_t)random_bits() << PICK(0, 20, 32));
		if (is_long)
			((int64_t *)call.input[2].data)[i] = index;
		else
			((int32_t *)call.input[2].data)[i] = index;
	}
}

static void make_random(void)
{
	uint32_t n = random_below(3), images = random_range(1, 3), boxes = random_range(1, 4);
	uint32_t channels = SIZE_TO(130, 1, 3, 64, 65);

	begin_call(NN_OPCODE_ROI_ALIGN);
	random_input(0, random_8bit(),
		     DIMS(n, images, random_range(1, 9), random_range(1, 9), channels));
	make_boxes(boxes);
	make_indices(random_below(2) ? n : 1, boxes, images);
	random_output(random_8bit(),
		      DIMS(n, boxes, random_range(1, 3), random_range(1, 3), channels));
	op.roi_align.form = random_below(5) ? NN_ROI_ALIGN_AVERAGE : NN_ROI_ALIGN_MAX;
	/* With a box that may be anything, a thousand in each direction take too long here. */
	op.roi_align.samples = call.input[1].type == NN_TYPE_FLOAT32 ? random_range(1, 3) :
								       random_below(4);
	op.roi_align.half_pixel = random_below(2);
	op.roi_align.spatial_scale = PICK(1, 1, 2) / 2.0f;
	op.roi_align.scale_input = random_below(8) ? random_scale_like(0.05f) : random_any_scale();
	op.roi_align.scale_output = random_scale_like(op.roi_align.scale_input);
}

/* Boxes, channels, height and width of each, samples; height and width of the images. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ROI_ALIGN);
	large_input(0, NN_TYPE_UINT8, DIMS(1, 1, p[5], p[5], p[1]));
	large_input(1, NN_TYPE_UINT8, DIMS(1, p[0], 4));
	large_input(2, NN_TYPE_INT32, DIMS(1, p[0]));
	large_output(NN_TYPE_UINT8, DIMS(1, p[0], p[2], p[3], p[1]));
	op.roi_align = (struct nn_roi_align_params){
		.samples = p[4], .spatial_scale = 1, .scale_input = 1, .scale_boxes = 1, .scale_output = 1,
	};
}

static const struct large_call large[] = {
	{ "roi_align of many samples", make_large, { 1, 1, 1, 1, 1024, 8 } },
	{ "roi_align of many channels", make_large, { 2, 16384, 2, 2, 2, 4 } },
	{ "roi_align to many bins", make_large, { 1, 1, 2, 16384, 1, 4 } },
	{ "roi_align of many boxes", make_large, { 20000, 1, 1, 1, 1, 4 } },
	{ "roi_align of large images", make_large, { 4, 64, 8, 8, 4, 512 } },
};

const struct kernel_test nn_roi_align_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
