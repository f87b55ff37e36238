// SPDX-License-Identifier: MIT
/*
 * CROP_RESIZE: images 8 bit [P, H, W, C], boxes INT32 [N, 4] (y0, x0, y1, x1 in 1/16 pixel), owner
 * INT32 [N]; output [N, OH, OW, C] of the images' type. Box n is cut out of image owner[n] -
 * out_first[K], K the images' level (0 in level 0); a box whose image is not among the P in the
 * pass becomes the images' zero point. Output row i, and columns likewise, lies at p = 16 y0 +
 * floor((y1 - y0) * (2 i + 1) * 8 / OH) - 128, clamped to 0 .. 256 (H - 1), in 1/256 pixel from the
 * centre of row 0, with y0, y1 clamped to 0 .. 16 H and y1 to at least y0. Between rows p / 256 and
 * the next, and columns, it is bilinear: (top * (256 - fy) + bottom * fy + 32768) / 2^16 with top =
 * left * (256 - fx) + right * fx. No clamp to out_min. H, W, OH and OW at most 2^16.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/crop_resize.h"
#include "dsp/kernels/progress.h"

#define POSITIONS	65536u	/* of an axis, at most */

enum nn_program_reason nn_crop_resize_check(const struct nn_call *call)
{
	const struct nn_tensor *image = &call->input[0], *boxes = &call->input[1];
	const struct nn_tensor *owner = &call->input[2];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 3, 1) || !is_8bit(image) || output->type != image->type ||
	    boxes->type != NN_TYPE_INT32 || owner->type != NN_TYPE_INT32)
		return NN_REASON_OPERAND;
	if (image->rank != 4 || output->rank != 4 || image->dims[3] != output->dims[3] ||
	    boxes->row_bytes != 16 || owner->row_bytes != 4 || !same_rows(boxes, output) ||
	    !same_rows(owner, output))
		return NN_REASON_SHAPE;
	if (image->dims[1] > POSITIONS || image->dims[2] > POSITIONS ||
	    output->dims[1] > POSITIONS || output->dims[2] > POSITIONS)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

static int crop_row(struct progress *progress, const uint8_t *page, struct position y,
		    struct axis columns, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *image = &call->input[0], *output = &call->output[0];
	uint32_t channels = image->dims[3], pitch = image->dims[2] * channels;
	uint32_t position_work = 64 + 4 * stride_work(channels);
	uint32_t flip = flip_of(image);
	const uint8_t *top = page + (uint64_t)y.near * pitch;
	const uint8_t *bottom = page + (uint64_t)y.far * pitch;

	for (uint32_t i = 0; i < output->dims[2]; i++) {
		struct position x = next_position(&columns);
		const uint8_t *top_left = top + x.near * channels;
		const uint8_t *top_right = top + x.far * channels;
		const uint8_t *bottom_left = bottom + x.near * channels;
		const uint8_t *bottom_right = bottom + x.far * channels;

		/*
		 * With the flip signed bytes are unsigned ones 128 higher; the weights add up to
		 * 2^16.
		 */
		for (uint32_t c = 0; c < channels; c++) {
			int ret = c % 1024 ? 0 : progress_add(progress, position_work +
							      24 * min_u32(channels - c, 1024));
			uint32_t above, below;

			if (ret)
				return ret;
			above = (top_left[c] ^ flip) * (256 - x.part) +
				(top_right[c] ^ flip) * x.part;
			below = (bottom_left[c] ^ flip) * (256 - x.part) +
				(bottom_right[c] ^ flip) * x.part;
			*out++ = ((above * (256 - y.part) + below * y.part + 32768) >> 16) ^ flip;
		}
	}
	return 0;
}

int nn_crop_resize_portable(const struct nn_call *call)
{
	const struct nn_tensor *image = &call->input[0], *output = &call->output[0];
	int64_t first = image->level ? call->run->arg[nn_out_first_args[image->level]] : 0;
	const int32_t *box = (const int32_t *)call->input[1].data;
	const int32_t *owner = (const int32_t *)call->input[2].data;
	uint32_t pitch = output->row_bytes / output->dims[1];
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	for (uint32_t m = 0; m < output->dims[0]; m++, box += 4) {
		struct axis rows = axis_of(box[0], box[2], image->dims[1], output->dims[1]);
		struct axis columns = axis_of(box[1], box[3], image->dims[2], output->dims[2]);
		int64_t page = owner[m] - first;

		/* Divisions take long. */
		int ret = progress_add(&progress, 2000);

		if (ret)
			return ret;
		for (uint32_t i = 0; i < output->dims[1]; i++, out += pitch) {
			if (page < 0 || page >= image->dims[0])
				ret = progress_fill(&progress, out, image->zero_point & 0xff,
						    pitch);
			else
				ret = crop_row(&progress, image->data + page * image->row_bytes,
					       next_position(&rows), columns, out);
			if (ret)
				return ret;
		}
	}
	return 0;
}
