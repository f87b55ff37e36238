// SPDX-License-Identifier: MIT
/*
 * CONV2D_INT16 of each channel by itself: 64 channels at a time, which are a vector. Windows have
 * so few elements (dsp/kernels/conv2d_int16.c) that their sums fit 32 bits.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/int16/depthwise.h"
#include "dsp/hvx/int16/scale.h"
#include "dsp/hvx/matmul/pack.h"

#define CHANNELS	64u	/* at a time */
#define PIXELS		32u	/* in a row, likewise */
#define PIXEL_WORK	96u	/* beside that of a window's elements, */
#define TAP_WORK	(6 + NN_PAGE_WORK)

struct depthwise {
	const struct nn_call *call;
	struct progress progress;
	uint32_t taps;		/* elements of a window */
	const uint8_t *end;	/* of the input */

	/* Scratch memory. */
	struct int16_outputs *constants;	/* of 64 channels */
	HVX_Vector *weights;	/* halfwords, of each tap */
	uint8_t *packed;	/* bytes, of four taps and 32 channels; and a bias */
	int32_t *high, *low;	/* sums of PIXELS pixels */
};

static bool divide(struct depthwise *d)
{
	const struct nn_window_params *window = &d->call->op->window;
	uint8_t *at = d->call->scratch;
	uint32_t packed, sums = 4 * PIXELS * CHANNELS;

	d->taps = window->kernel_h * window->kernel_w;
	packed = 64 * round_up(d->taps, 8) + 4 * CHANNELS;
	if (d->call->scratch_size <
	    2 * sizeof(*d->constants) + d->taps * VECTOR + packed + 2 * sums)
		return false;
	d->constants = (struct int16_outputs *)at;
	at += 2 * sizeof(*d->constants);
	d->weights = (HVX_Vector *)at;
	at += d->taps * VECTOR;
	d->packed = at;
	at += packed;
	d->high = (int32_t *)at;
	d->low = d->high + PIXELS * CHANNELS;
	return true;
}

/* Widens the weights of channels c to c + channels - 1, and describes their scales. */
static int pack_weights(struct depthwise *d, uint32_t c, uint32_t channels)
{
	const struct nn_tensor *weights = &d->call->input[1];
	uint32_t block = 32 * round_up(d->taps, 8);
	const struct matmul_right right = {
		.from = weights->data + (uint64_t)c * d->taps,
		.end = nn_tensor_end(weights),
		.inputs = d->taps,
		.columns = channels,
		.pitch = d->taps,
		.block_bytes = block,
		.is_turned = true,
	};
	int ret = nn_matmul_pack(&d->progress, &right, d->packed,
				 (int32_t *)(d->packed + 2 * block));

	if (!ret)
		ret = progress_add(&d->progress, 8 * d->taps);
	if (ret)
		return ret;
	for (uint32_t tap = 0; tap < d->taps; tap++) {
		const uint8_t *from = d->packed + tap / 4 * VECTOR;
		HVX_Vector first = *(const HVX_Vector *)from;
		HVX_Vector second = *(const HVX_Vector *)(from + (channels > 32 ? block : 0));
		uint32_t left = 24 - tap % 4 * 8;

		first = Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(first, left), 24);
		second = Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(second, left), 24);
		d->weights[tap] = Q6_Vh_vpacke_VwVw(second, first);
	}
	for (uint32_t i = 0; i < channels; i += 32)
		nn_int16_describe(d->call, &d->constants[i / 32], c + i,
				  min_u32(channels - i, 32));
	return 0;
}

/* The part of a window that is inside of the image, along one of its sides. */
struct inside {
	uint32_t first, end;	/* taps */
};

/* Positions in the padded image fit an int32. */
static inline struct inside inside_of(int32_t begin, int32_t kernel, int32_t dilation, int32_t size)
{
	struct inside inside = { 0, kernel };

	if (begin >= 0 && begin + (kernel - 1) * dilation < size)
		return inside;
	while (begin + (int32_t)inside.first * dilation < 0)
		inside.first++;
	while (inside.end > inside.first &&
	       begin + ((int32_t)inside.end - 1) * dilation >= size)
		inside.end--;
	return inside;
}

/* Sums of a pixel: `from` is the window's beginning, which may be outside of the image. */
static inline __attribute__((always_inline)) void
sum_window(const struct depthwise *d, const uint8_t *from, struct inside rows,
	   struct inside columns, uint32_t row_step, uint32_t step, uint32_t bytes, bool is_last,
	   int32_t *high, int32_t *low)
{
	uint32_t kernel_w = d->call->op->window.kernel_w;
	HVX_VectorPair sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());

	for (uint32_t ky = rows.first; ky < rows.end; ky++) {
		const HVX_Vector *weights = d->weights + ky * kernel_w;
		const uint8_t *at = from + (int32_t)(ky * row_step + columns.first * step);
		uint32_t kx = columns.first;

		for (; !is_last && kx + 3 <= columns.end; kx += 3, at += 3 * step) {
			sum = Q6_Ww_vmpyacc_WwVhVh(sum, load(at), weights[kx]);
			sum = Q6_Ww_vmpyacc_WwVhVh(sum, load(at + step), weights[kx + 1]);
			sum = Q6_Ww_vmpyacc_WwVhVh(sum, load(at + 2 * step), weights[kx + 2]);
		}
		for (; kx < columns.end; kx++, at += step) {
			HVX_Vector v = is_last && d->end - at < VECTOR ? load_bytes(at, bytes) :
									 load(at);

			sum = Q6_Ww_vmpyacc_WwVhVh(sum, v, weights[kx]);
		}
	}
	sum = Q6_W_vshuff_VVR(Q6_V_hi_W(sum), Q6_V_lo_W(sum), -4);
	*(HVX_Vector *)high = Q6_Vw_vasr_VwR(Q6_V_lo_W(sum), 8);
	*(HVX_Vector *)(high + 32) = Q6_Vw_vasr_VwR(Q6_V_hi_W(sum), 8);
	*(HVX_Vector *)low = Q6_V_vand_VV(Q6_V_lo_W(sum), splat_w(255));
	*(HVX_Vector *)(low + 32) = Q6_V_vand_VV(Q6_V_hi_W(sum), splat_w(255));
}

/* Makes channels c to c + channels - 1 of a row of an image. */
static int convolve_row(struct depthwise *d, uint32_t n, uint32_t y, uint32_t c, uint32_t channels)
{
	const struct nn_call *call = d->call;
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t pixel = 2 * input->dims[3], row = input->dims[2] * pixel;
	uint32_t step = window->dilation_w * pixel, row_step = window->dilation_h * row;
	uint32_t out_w = output->dims[2], bytes = 2 * channels;
	int32_t top = (int32_t)y * window->stride_h - window->pad_top;
	struct inside rows = inside_of(top, window->kernel_h, window->dilation_h, input->dims[1]);
	const uint8_t *begin = input->data + n * input->row_bytes + 2 * c + top * (int32_t)row -
			       (int32_t)(window->pad_left * pixel);
	int32_t next = window->stride_w * pixel;
	int16_t *out = (int16_t *)(output->data + n * output->row_bytes) +
		       (uint64_t)y * out_w * output->dims[3] + c;

	for (uint32_t x = 0; x < out_w; x += PIXELS) {
		uint32_t pixels = min_u32(out_w - x, PIXELS);
		int ret = progress_add(&d->progress, pixels * (PIXEL_WORK + d->taps * TAP_WORK +
							       stride_work(pixel)));

		if (ret)
			return ret;
		for (uint32_t i = 0; i < pixels; i++) {
			int32_t left = (x + i) * window->stride_w - window->pad_left;
			struct inside columns = inside_of(left, window->kernel_w,
							  window->dilation_w, input->dims[2]);
			const uint8_t *from = begin + (int32_t)(x + i) * next;
			uint32_t to = i * CHANNELS;
			const uint8_t *last = from + (int32_t)((rows.end - 1) * row_step +
							       (columns.end - 1) * step);

			if (d->end - last >= VECTOR)
				sum_window(d, from, rows, columns, row_step, step, bytes, false,
					   d->high + to, d->low + to);
			else
				sum_window(d, from, rows, columns, row_step, step, bytes, true,
					   d->high + to, d->low + to);
		}
		nn_int16_scale(call, d->constants, d->high, d->low, CHANNELS, pixels,
			       out + (uint64_t)x * output->dims[3], output->dims[3],
			       channels > 32 ? 2 : 1);
	}
	return 0;
}

int nn_int16_depthwise(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct depthwise d = {
		.call = call,
		.progress.call = call,
		.end = nn_tensor_end(&call->input[0]),
	};

	if (!divide(&d))
		return nn_conv2d_int16_portable(call);
	for (uint32_t c = 0; c < output->dims[3]; c += CHANNELS) {
		uint32_t channels = min_u32(output->dims[3] - c, CHANNELS);
		int ret = pack_weights(&d, c, channels);

		for (uint32_t n = 0; n < output->dims[0]; n++) {
			for (uint32_t y = 0; y < output->dims[1] && !ret; y++)
				ret = convolve_row(&d, n, y, c, channels);
		}
		if (ret)
			return ret;
	}
	return 0;
}
