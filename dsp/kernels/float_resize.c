// SPDX-License-Identifier: MIT
/*
 * FLOAT_RESIZE: images FLOAT32 [N, H, W, C], rows INT32 [OH], columns INT32 [OW], row parts FLOAT32
 * [2 * OH], column parts FLOAT32 [2 * OW], all packed; output FLOAT32 [N, OH, OW, C]. Pixel y, x is
 * between rows rows[y] and rows[y] + 1 of the image, of which the first has part parts[2 * y], the
 * second parts[2 * y + 1], and likewise between columns; each number is clamped to what there is.
 * With near_y, far_y, near_x and far_x these parts, and v the four pixels' elements,
 *
 *	(near_y * near_x) * v[near, near] + (near_y * far_x) * v[near, far] +
 *	(far_y * near_x) * v[far, near] + (far_y * far_x) * v[far, far]
 *
 * where the first is a product, and each of the others is added by a fused multiplication.
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define PIXEL_WORK	(128 + 4 * NN_PAGE_WORK)
#define CHANNEL_WORK	24
#define PIECE		1024u	/* channels between two looks at the work done */

enum { IMAGES, ROWS, COLUMNS, ROW_PARTS, COLUMN_PARTS, OPERANDS };

enum nn_program_reason nn_float_resize_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[IMAGES], *output = &call->output[0];

	if (!operands_are(call, OPERANDS, 1) || !is_float(input) || !is_float(output) ||
	    !is_constant(&call->input[ROWS], NN_TYPE_INT32) ||
	    !is_constant(&call->input[ROW_PARTS], NN_TYPE_FLOAT32) ||
	    !is_constant(&call->input[COLUMNS], NN_TYPE_INT32) ||
	    !is_constant(&call->input[COLUMN_PARTS], NN_TYPE_FLOAT32))
		return NN_REASON_OPERAND;
	if (input->rank != 4 || output->rank != 4 || !same_rows(input, output) ||
	    input->dims[3] != output->dims[3] || input->dims[1] >= 1u << 30 ||
	    input->dims[2] >= 1u << 30 || call->input[ROWS].dims[0] != output->dims[1] ||
	    call->input[ROW_PARTS].dims[0] != 2ull * output->dims[1] ||
	    call->input[COLUMNS].dims[0] != output->dims[2] ||
	    call->input[COLUMN_PARTS].dims[0] != 2ull * output->dims[2])
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* A pixel between four, and what part each of these has. */
struct between {
	const float *from[4];
	float parts[4];
};

static int make_pixel(struct progress *progress, const struct between *pixel, uint32_t channels,
		      float *out)
{
	for (uint32_t c = 0; c < channels; c++) {
		int ret = c % PIECE ? 0 : progress_add(progress, PIXEL_WORK + CHANNEL_WORK *
							min_u32(channels - c, PIECE));
		float sum = pixel->parts[0] * pixel->from[0][c];

		if (ret)
			return ret;
		for (uint32_t i = 1; i < 4; i++)
			sum = float_fused(pixel->parts[i], pixel->from[i][c], sum);
		out[c] = float_result(sum);
	}
	return 0;
}

/* The pixels on both sides of row y, column x. */
static void place_between(const struct nn_call *call, const float *image, uint32_t y, uint32_t x,
			  struct between *out)
{
	const struct nn_tensor *input = &call->input[IMAGES];
	const int32_t *rows = (const int32_t *)call->input[ROWS].data;
	const int32_t *columns = (const int32_t *)call->input[COLUMNS].data;
	const float *y_parts = (const float *)call->input[ROW_PARTS].data + 2 * y;
	const float *x_parts = (const float *)call->input[COLUMN_PARTS].data + 2 * x;
	int32_t near_y = clamp_int(rows[y], -1, input->dims[1]);
	int32_t near_x = clamp_int(columns[x], -1, input->dims[2]);

	for (int32_t i = 0; i < 4; i++) {
		uint32_t row = clamp_int(near_y + i / 2, 0, input->dims[1] - 1);
		uint32_t column = clamp_int(near_x + i % 2, 0, input->dims[2] - 1);

		out->from[i] = image + ((uint64_t)row * input->dims[2] + column) * input->dims[3];
		out->parts[i] = y_parts[i / 2] * x_parts[i % 2];
	}
}

int nn_float_resize_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[IMAGES], *output = &call->output[0];
	struct progress progress = { .call = call };
	float *out = (float *)output->data;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const float *image = (const float *)(input->data + n * input->row_bytes);

		for (uint32_t y = 0; y < output->dims[1]; y++) {
			for (uint32_t x = 0; x < output->dims[2]; x++, out += output->dims[3]) {
				struct between pixel;
				int ret;

				place_between(call, image, y, x, &pixel);
				ret = make_pixel(&progress, &pixel, output->dims[3], out);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
