// SPDX-License-Identifier: MIT
/*
 * RESIZE_LINEAR: images [N, H, W, C] and output [N, OH, OW, C], 8 bit or, with the last of these
 * weights, INT16; rows INT32 [OH], columns
 * INT32 [OW], and for each of these its weights, all packed. Pixel y, x lies between rows near =
 * rows[y] and far = the next one, if there is one, and between columns likewise; numbers are
 * clamped to what there is.
 *
 * Weights FLOAT32 [2 * OH] and [2 * OW], near and far of each: in float32, where each operation
 * rounds to nearest, ties to even, as rint() does. With v = q(a) * scale_input,
 *
 *	wx_near * wy_near * v[near, near] + wx_far * wy_near * v[near, far] +
 *	wx_near * wy_far * v[far, near] + wx_far * wy_far * v[far, far]
 *
 * from left to right, where v[y, x] is in row y and column x; rint(that / scale_output) + zero
 * point, clamped. As ONNX Runtime's DequantizeLinear, Resize and QuantizeLinear do.
 *
 * Weights INT32 [OH] and [OW], of far, 0 .. 2^11: as XNNPACK does it, of the stored integers, with
 * top = 2^11 * left + (right - left) * wx in both rows, (2^11 * top + (bottom - top) * wy + 2^21) /
 * 2^22, rounded down, clamped. Other weights are clamped, too.
 *
 * Of INT16 the same weights are 0 .. 2^10, and as TensorFlow Lite's own kernel does it, the sum of
 * the four products is divided by 2^20, to the nearest, ties away from 0.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define PIXEL_WORK	(64 + 5 * NN_PAGE_WORK)
#define ELEMENT_WORK	384	/* a division, which the DSP has no instruction for */
#define FRACTION	11
#define WIDE_FRACTION	10

enum { IMAGES, ROWS, COLUMNS, ROW_WEIGHTS, COLUMN_WEIGHTS, OPERANDS };

static bool is_wide(const struct nn_call *call)
{
	return is_int16(&call->input[IMAGES]) && is_int16(&call->output[0]) &&
	       call->input[ROW_WEIGHTS].type == NN_TYPE_INT32;
}

enum nn_program_reason nn_resize_linear_check(const struct nn_call *call)
{
	const struct nn_tensor *images = &call->input[IMAGES], *output = &call->output[0];
	uint8_t type = call->input[ROW_WEIGHTS].type;
	uint32_t count = type == NN_TYPE_FLOAT32 ? 2 : 1;

	if (!operands_are(call, OPERANDS, 1) ||
	    !(is_8bit(images) ? is_8bit(output) : is_wide(call)) ||
	    !is_constant(&call->input[ROWS], NN_TYPE_INT32) ||
	    !is_constant(&call->input[COLUMNS], NN_TYPE_INT32) ||
	    (type != NN_TYPE_FLOAT32 && type != NN_TYPE_INT32) ||
	    !is_constant(&call->input[ROW_WEIGHTS], type) ||
	    !is_constant(&call->input[COLUMN_WEIGHTS], type) ||
	    (type == NN_TYPE_INT32 && images->type != output->type))
		return NN_REASON_OPERAND;
	if (images->rank != 4 || output->rank != 4 || !same_rows(images, output) ||
	    images->dims[3] != output->dims[3] || images->dims[1] > INT32_MAX ||
	    images->dims[2] > INT32_MAX || call->input[ROWS].dims[0] != output->dims[1] ||
	    call->input[COLUMNS].dims[0] != output->dims[2] ||
	    call->input[ROW_WEIGHTS].dims[0] != (uint64_t)count * output->dims[1] ||
	    call->input[COLUMN_WEIGHTS].dims[0] != (uint64_t)count * output->dims[2])
		return NN_REASON_SHAPE;
	if (!clamp_is_valid(call) ||
	    (type == NN_TYPE_FLOAT32 && (!is_scale(call->op->resize_linear.scale_input) ||
					 !is_scale(call->op->resize_linear.scale_output))))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/*
 * Weights of float32 take scales of which one is not far from the other. (Weights that are none, or
 * not 1 together, are for portable C, too; who prepares programs makes no such.) INT16 has no
 * vectors: its sums have 37 bits.
 */
bool nn_resize_linear_has_vectors(const struct nn_call *call)
{
	const struct nn_resize_linear_params *params = &call->op->resize_linear;

	if (call->input[ROW_WEIGHTS].type == NN_TYPE_INT32)
		return call->input[IMAGES].type != NN_TYPE_INT16;
	return is_usual_scale(params->scale_input) && is_usual_scale(params->scale_output) &&
	       params->scale_input / params->scale_output <= 16;
}

/* The position of an output's row or column in the image. */
struct position {
	uint32_t near, far;
	float near_weight, far_weight;
	int32_t fixed_weight;
};

static struct position position_of(const struct nn_call *call, uint32_t numbers, uint32_t weights,
				   uint32_t size, uint32_t i)
{
	uint32_t fraction = call->input[IMAGES].type == NN_TYPE_INT16 ? WIDE_FRACTION : FRACTION;
	const uint8_t *data = call->input[weights].data;
	struct position at;

	at.near = clamp_int(((const int32_t *)call->input[numbers].data)[i], 0, size - 1);
	at.far = at.near + (at.near + 1 < size);
	at.near_weight = at.far_weight = 0;
	at.fixed_weight = 0;
	if (call->input[weights].type == NN_TYPE_FLOAT32) {
		at.near_weight = ((const float *)data)[2 * i];
		at.far_weight = ((const float *)data)[2 * i + 1];
	} else {
		at.fixed_weight = clamp_int(((const int32_t *)data)[i], 0, 1 << fraction);
	}
	return at;
}

static int32_t blend_float(const struct nn_call *call, const int32_t v[4],
			   const struct position *y, const struct position *x)
{
	const struct nn_resize_linear_params *params = &call->op->resize_linear;
	float real[4], sum;

	for (int i = 0; i < 4; i++)
		real[i] = (float)(v[i] - call->input[IMAGES].zero_point) * params->scale_input;
	sum = x->near_weight * y->near_weight * real[0] +
	      x->far_weight * y->near_weight * real[1] +
	      x->near_weight * y->far_weight * real[2] + x->far_weight * y->far_weight * real[3];
	return round_float(sum / params->scale_output) + call->output[0].zero_point;
}

static int32_t blend_fixed(const int32_t v[4], const struct position *y, const struct position *x)
{
	int32_t top = v[0] * (1 << FRACTION) + (v[1] - v[0]) * x->fixed_weight;
	int32_t bottom = v[2] * (1 << FRACTION) + (v[3] - v[2]) * x->fixed_weight;
	int32_t sum = top * (1 << FRACTION) + (bottom - top) * y->fixed_weight;

	return (sum + (1 << (2 * FRACTION - 1))) >> (2 * FRACTION);
}

static int32_t blend_int16(const int32_t v[4], const struct position *y, const struct position *x)
{
	const int32_t one = 1 << WIDE_FRACTION;
	int64_t top = v[0] * (one - x->fixed_weight) + v[1] * x->fixed_weight;
	int64_t bottom = v[2] * (one - x->fixed_weight) + v[3] * x->fixed_weight;
	int64_t sum = top * (one - y->fixed_weight) + bottom * y->fixed_weight;
	int64_t half = 1 << (2 * WIDE_FRACTION - 1);

	return (int32_t)(sum > 0 ? (sum + half) >> 2 * WIDE_FRACTION :
				   -((half - sum) >> 2 * WIDE_FRACTION));
}

static int blend_pixel(struct progress *progress, const uint8_t *image, const struct position *y,
		       const struct position *x, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *images = &call->input[IMAGES];
	uint64_t channels = images->dims[3], pitch = channels * images->dims[2];
	const uint8_t *corner[4] = {
		image + y->near * pitch + x->near * channels,
		image + y->near * pitch + x->far * channels,
		image + y->far * pitch + x->near * channels,
		image + y->far * pitch + x->far * channels,
	};
	bool in_float = call->input[ROW_WEIGHTS].type == NN_TYPE_FLOAT32;
	int32_t flip = flip_of(images);
	int ret = progress_add(progress, PIXEL_WORK);

	for (uint32_t c = 0; c < channels && !ret; c++) {
		int32_t v[4], result;

		for (int i = 0; i < 4; i++)
			v[i] = load_8bit(&corner[i][c], flip);
		result = in_float ? blend_float(call, v, y, x) : blend_fixed(v, y, x);
		out[c] = clamp_int(result, call->op->out_min, call->op->out_max);
		ret = progress_add(progress, ELEMENT_WORK);
	}
	return ret;
}

static int blend_wide_pixel(struct progress *progress, const int16_t *image,
			    const struct position *y, const struct position *x, int16_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *images = &call->input[IMAGES];
	uint64_t channels = images->dims[3], pitch = channels * images->dims[2];
	int ret = progress_add(progress, PIXEL_WORK);

	for (uint32_t c = 0; c < channels && !ret; c++) {
		const int32_t v[4] = {
			image[y->near * pitch + x->near * channels + c],
			image[y->near * pitch + x->far * channels + c],
			image[y->far * pitch + x->near * channels + c],
			image[y->far * pitch + x->far * channels + c],
		};

		out[c] = (int16_t)clamp_int(blend_int16(v, y, x), call->op->out_min,
					    call->op->out_max);
		ret = progress_add(progress, ELEMENT_WORK);
	}
	return ret;
}

int nn_resize_linear_portable(const struct nn_call *call)
{
	const struct nn_tensor *images = &call->input[IMAGES], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint64_t size = (uint64_t)output->dims[3] * nn_type_size(output->type);
	uint8_t *out = output->data;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = images->data + n * images->row_bytes;

		for (uint32_t i = 0; i < output->dims[1]; i++) {
			struct position y =
				position_of(call, ROWS, ROW_WEIGHTS, images->dims[1], i);

			for (uint32_t k = 0; k < output->dims[2]; k++, out += size) {
				struct position x = position_of(call, COLUMNS, COLUMN_WEIGHTS,
								images->dims[2], k);
				int ret = is_int16(images) ?
						  blend_wide_pixel(&progress,
								   (const int16_t *)image, &y,
								   &x, (int16_t *)out) :
						  blend_pixel(&progress, image, &y, &x, out);

				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
