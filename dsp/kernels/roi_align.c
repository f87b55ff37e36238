// SPDX-License-Identifier: MIT
/*
 * ROI_ALIGN: images 8 bit [N, P, H, W, C]; boxes [N, R, 4], 8 bit, or FLOAT32 and packed; indices
 * INT32 or INT64 [N, R]; output 8 bit [N, R, OH, OW, C]. Each input has the output's rows, or is
 * one row of level 0 for all. H, W, OH and OW at most 2^16.
 *
 * Box r of a row is x0, y0, x1, y1, each q * scale_boxes * spatial_scale, less 0.5 with half_pixel,
 * where q is q(x), or the float itself. It is of image indices[r]; where there is none, every
 * element of the box is the output's zero point. From y0 to y1 there are OH bins, and likewise OW
 * from x0 to x1: with length = y1 - y0, but at least 1 without half_pixel,
 *
 *	bin = length / OH
 *	count = samples; with 0 of these, bin rounded up, at least 0 and at most 1024
 *	sample i of bin p is at y = y0 + p * bin + (i + 0.5) * bin / count
 *
 * and a bin has a sample where one of its rows meets one of its columns. It is between four pixels:
 * with y and x raised to 0, near = floor(y), far = near + 1 and f = y - near; but from H - 1 on
 * near = far = H - 1 and f = 0. Of these each pixel v has a product, with v = q(a) * scale_input:
 *
 *	(1 - fy) * (1 - fx) * v[near, near]	(1 - fy) * fx * v[near, far]
 *	fy * (1 - fx) * v[far, near]		fy * fx * v[far, far]
 *
 * A sample where y is not -1 .. H, or x not -1 .. W, has four products of 0.
 *
 *	NN_ROI_ALIGN_AVERAGE	the four are added up, then the samples, row after row, and divided
 *				by how many these are; 0 without samples
 *	NN_ROI_ALIGN_MAX	the greatest of all products; 0 without samples
 *
 * rint(that / scale_output) + zero point, clamped. All in float32, from left to right, each
 * operation rounded to nearest, ties to even, as rint() does. What is no number becomes the least
 * one. As ONNX Runtime's DequantizeLinear, RoiAlign and QuantizeLinear do.
 */
#include "dsp/kernels/integer.h"
#include "dsp/kernels/indices.h"
#include "dsp/kernels/roi_align.h"

#define POSITIONS	65536u	/* of an axis, at most */
#define CHANNELS	64u	/* that are summed at a time */
#define BOX_WORK	4096	/* divisions, and elements of any type */
#define BIN_WORK	512
#define SAMPLE_WORK	(1024 + 4 * NN_PAGE_WORK)
#define CHANNEL_WORK	128
#define RESULT_WORK	256	/* two divisions, which the DSP has no instruction for */

static bool are_boxes(const struct nn_tensor *tensor)
{
	return is_8bit(tensor) || (tensor->type == NN_TYPE_FLOAT32 && tensor->packed);
}

enum nn_program_reason nn_roi_align_check(const struct nn_call *call)
{
	const struct nn_tensor *images = &call->input[ROI_IMAGES], *boxes = &call->input[ROI_BOXES];
	const struct nn_tensor *indices = &call->input[ROI_INDICES], *output = &call->output[0];
	const struct nn_roi_align_params *params = &call->op->roi_align;

	if (!operands_are(call, ROI_OPERANDS, 1) || !is_8bit(images) || !are_boxes(boxes) ||
	    (indices->type != NN_TYPE_INT32 && indices->type != NN_TYPE_INT64) ||
	    !is_8bit(output))
		return NN_REASON_OPERAND;
	if (params->form >= NN_ROI_ALIGN_FORMS || params->samples > ROI_MOST_SAMPLES ||
	    params->half_pixel > 1 || !is_scale(params->spatial_scale) ||
	    !is_scale(params->scale_input) || !is_scale(params->scale_boxes) ||
	    !is_scale(params->scale_output) || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	if (images->rank != 5 || boxes->rank != 3 || indices->rank != 2 || output->rank != 5 ||
	    !has_rows_for(images, output) || !has_rows_for(boxes, output) ||
	    !has_rows_for(indices, output) || boxes->dims[1] != output->dims[1] ||
	    boxes->dims[2] != 4 || indices->dims[1] != output->dims[1] ||
	    images->dims[4] != output->dims[4])
		return NN_REASON_SHAPE;
	for (uint32_t i = 2; i < 4; i++) {
		if (images->dims[i] > POSITIONS || output->dims[i] > POSITIONS)
			return NN_REASON_SHAPE;
	}
	return NN_REASON_NONE;
}

/* ---- What is there ---- */

/* A part of an image's channels. */
struct roi_part {
	const uint8_t *image;
	uint32_t first, count;	/* at most CHANNELS */
};

static float greater(float a, float b)
{
	return a > b ? a : b;
}

/* Adds a sample to the channels' results so far. */
static void add_sample(const struct nn_call *call, const struct roi_part *part,
		       struct roi_position y, struct roi_position x, float *results)
{
	const struct nn_tensor *images = &call->input[ROI_IMAGES];
	bool is_max = call->op->roi_align.form == NN_ROI_ALIGN_MAX;
	float scale = call->op->roi_align.scale_input;
	float weights[4] = { y.near_part * x.near_part, y.near_part * x.far_part,
			     y.far_part * x.near_part, y.far_part * x.far_part };
	uint64_t top = (uint64_t)y.near * images->dims[3];
	uint64_t bottom = (uint64_t)y.far * images->dims[3];
	uint64_t pixels[4] = { top + x.near, top + x.far, bottom + x.near, bottom + x.far };
	int32_t flip = flip_of(images);

	for (uint32_t c = 0; c < part->count; c++) {
		float products[4] = { 0 };

		for (uint32_t i = 0; i < 4 && y.is_inside && x.is_inside; i++) {
			const uint8_t *from = part->image + pixels[i] * images->dims[4] +
					      part->first + c;

			products[i] = weights[i] *
				      ((float)(load_8bit(from, flip) - images->zero_point) * scale);
		}
		if (is_max)
			results[c] = greater(greater(greater(greater(results[c], products[0]),
							     products[1]), products[2]),
					     products[3]);
		else
			results[c] += products[0] + products[1] + products[2] + products[3];
	}
}

/* The channels' results of a bin, before these are rounded. */
static int align_part(struct progress *progress, const struct roi_part *part,
		      const struct roi_axis axes[2], const uint32_t bin[2], float *results)
{
	const struct nn_call *call = progress->call;
	uint32_t count = axes[0].samples * axes[1].samples;
	bool is_max = call->op->roi_align.form == NN_ROI_ALIGN_MAX;

	for (uint32_t c = 0; c < part->count; c++)
		results[c] = is_max && count ? -__FLT_MAX__ : 0;
	for (uint32_t i = 0; i < count; i++) {
		struct roi_position y = roi_position_of(&axes[0], bin[0], i / axes[1].samples);
		struct roi_position x = roi_position_of(&axes[1], bin[1], i % axes[1].samples);
		int ret = progress_add(progress, SAMPLE_WORK + CHANNEL_WORK * part->count);

		if (ret)
			return ret;
		add_sample(call, part, y, x, results);
	}
	for (uint32_t c = 0; c < part->count && count && !is_max; c++)
		results[c] /= (float)count;
	return 0;
}

static int align_bin(struct progress *progress, const uint8_t *image, const struct roi_axis axes[2],
		     const uint32_t bin[2], uint8_t *out)
{
	const struct nn_call *call = progress->call;
	uint32_t channels = call->output[0].dims[4];
	struct roi_part part = { .image = image };
	float results[CHANNELS];

	for (; part.first < channels; part.first += part.count) {
		int ret;

		part.count = min_u32(channels - part.first, CHANNELS);
		ret = progress_add(progress, BIN_WORK + RESULT_WORK * part.count);
		if (!ret)
			ret = align_part(progress, &part, axes, bin, results);
		if (ret)
			return ret;
		for (uint32_t c = 0; c < part.count; c++) {
			int32_t whole = round_float(results[c] / call->op->roi_align.scale_output);

			out[part.first + c] = clamp_int(whole + call->output[0].zero_point,
						   call->op->out_min, call->op->out_max);
		}
	}
	return 0;
}

int nn_roi_align_box(struct progress *progress, const uint8_t *image, const uint8_t *box,
		     uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];
	struct roi_axis axes[2];

	roi_axes_of(call, box, axes);
	for (uint32_t y = 0; y < output->dims[2]; y++) {
		for (uint32_t x = 0; x < output->dims[3]; x++, out += output->dims[4]) {
			int ret = align_bin(progress, image, axes, (const uint32_t[]){ y, x }, out);

			if (ret)
				return ret;
		}
	}
	return 0;
}

int nn_roi_align_boxes(const struct nn_call *call, roi_align_function *align)
{
	const struct nn_tensor *images = &call->input[ROI_IMAGES], *boxes = &call->input[ROI_BOXES];
	const struct nn_tensor *indices = &call->input[ROI_INDICES], *output = &call->output[0];
	uint64_t image_bytes = images->row_bytes / images->dims[1];
	uint64_t box_bytes = output->row_bytes / output->dims[1];
	uint32_t index_size = nn_type_size(indices->type), number_size = nn_type_size(boxes->type);
	int32_t nothing = clamp_int(output->zero_point, call->op->out_min, call->op->out_max);
	uint64_t count = (uint64_t)output->dims[0] * output->dims[1];
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	for (uint64_t i = 0; i < count; i++, out += box_bytes) {
		uint32_t row = i / output->dims[1], r = i % output->dims[1];
		const uint8_t *box = find_row(boxes, output, row) + 4ull * r * number_size;
		const uint8_t *index = find_row(indices, output, row) + (uint64_t)r * index_size;
		int64_t image = load_integer(index, indices->type);
		int ret = progress_add(&progress, BOX_WORK);

		if (!ret && (image < 0 || image >= images->dims[1]))
			ret = progress_fill(&progress, out, nothing & 0xff, box_bytes);
		else if (!ret)
			ret = align(&progress, find_row(images, output, row) + image * image_bytes,
				    box, out);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Averages of few samples for each bin take vectors, where neither scale is far from the other.
 * (So do those of which boxes' sizes say how many samples there are, in boxes that have few.)
 */
bool nn_roi_align_has_vectors(const struct nn_call *call)
{
	const struct nn_roi_align_params *params = &call->op->roi_align;

	return params->form == NN_ROI_ALIGN_AVERAGE && is_usual_scale(params->scale_input) &&
	       is_usual_scale(params->scale_output) && params->samples <= 5 &&
	       params->scale_input / params->scale_output >= 0x1p-16f &&
	       params->scale_input / params->scale_output <= 16;
}

int nn_roi_align_portable(const struct nn_call *call)
{
	return nn_roi_align_boxes(call, nn_roi_align_box);
}
