// SPDX-License-Identifier: MIT
/*
 * CONV2D_INT16: input INT16 [N, H, W, C], weights INT8 [M * KH * KW * I] packed, output after
 * output, each row after row, channels last; bias INT32 [2 * M] packed, low and high half of 64
 * bits; scale INT32 [2 * M] packed, multiplier and shift; output INT16 [N, OH, OW, M]. The input's
 * zero point is 0. C / I groups of channels, each with as many of the outputs: I = C is a
 * convolution, I = 1 a depthwise one. acc = bias[m] + sum over kernel and I of q(w) * a, in 64
 * bits, where a outside of the input counts as 0; nn_fixed_multiply_sum(acc, multiplier[m],
 * shift[m]) or, where the multiplier is 2^15 or more, nn_fixed_multiply_up() of the low 32 bits
 * of acc, with the shift as exponent, or nn_fixed_multiply_sum() of these with the shift less
 * NN_ROUNDED_ONCE, which it is not below then; + the output's zero point, clamped. As TensorFlow
 * Lite's own kernels do it; or, for what other runtimes have in float32, nn_fixed_round_wide() of
 * acc with the shift less NN_ROUNDED_WIDE, where it is not below that.
 *
 * Multipliers are not below 0, and shifts in 1 .. 62, for the second form -31 .. 30, for the third
 * NN_ROUNDED_ONCE more than 1 .. 62, and for the last NN_ROUNDED_WIDE more than 1 .. 94; else the
 * result is unspecified.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/conv2d_int16.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

#define RESULT_WORK	64
#define PLACE_WORK	(32 + 2 * NN_PAGE_WORK)	/* to come to a pixel and its weights */
#define INPUTS_WORK	8			/* of one product */
#define PIECE		8192u			/* inputs between two looks at the work done */

enum nn_program_reason nn_conv2d_int16_check(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_tensor *weights = &call->input[1];
	enum nn_program_reason reason;
	uint64_t windows, inputs, groups;

	if (!operands_are(call, 4, 1) || !is_int16(input) ||
	    output->type != NN_TYPE_INT16 || !is_constant(weights, NN_TYPE_INT8) ||
	    !is_constant(&call->input[2], NN_TYPE_INT32) ||
	    !is_constant(&call->input[3], NN_TYPE_INT32))
		return NN_REASON_OPERAND;
	reason = check_window(call);
	if (reason)
		return reason;
	windows = (uint64_t)output->dims[3] * window->kernel_h * window->kernel_w;
	inputs = weights->dims[0] / windows;
	if (!inputs || inputs * windows != weights->dims[0] || input->dims[3] % inputs)
		return NN_REASON_SHAPE;
	groups = input->dims[3] / inputs;
	if (output->dims[3] % groups || call->input[2].dims[0] != 2ull * output->dims[3] ||
	    call->input[3].dims[0] != 2ull * output->dims[3])
		return NN_REASON_SHAPE;
	return clamp_is_valid(call) ? NN_REASON_NONE : NN_REASON_PARAMETER;
}

/* *acc += the products of `count` inputs. */
static int add_products(struct progress *progress, int64_t *acc, const int16_t *pixel,
			const int8_t *weights, uint32_t count)
{
	int32_t zero_point = progress->call->input[1].zero_point;
	int64_t sum = 0;

	for (uint32_t done = 0; done < count;) {
		uint32_t end = done + min_u32(count - done, PIECE);
		int ret = progress_add(progress, PLACE_WORK + (end - done) * INPUTS_WORK);

		if (ret)
			return ret;
		for (; done < end; done++)
			sum += pixel[done] * (weights[done] - zero_point);
	}
	/* A bias may be at the end of its range. */
	*acc = (int64_t)((uint64_t)*acc + (uint64_t)sum);
	return 0;
}

/* The window of output m, whose weights these are, and whose inputs begin with `first`. */
static int convolve_window(struct progress *progress, int64_t *acc, const int8_t *weights,
			   const uint32_t place[3], uint32_t first, uint32_t inputs)
{
	const struct nn_window_params *window = &progress->call->op->window;
	const struct nn_tensor *input = &progress->call->input[0];

	for (uint32_t ky = 0; ky < window->kernel_h; ky++) {
		int64_t y = (int64_t)place[1] * window->stride_h - window->pad_top +
			    ky * window->dilation_h;

		for (uint32_t kx = 0; kx < window->kernel_w; kx++, weights += inputs) {
			int64_t x = (int64_t)place[2] * window->stride_w - window->pad_left +
				    kx * window->dilation_w;
			uint64_t at = ((uint64_t)y * input->dims[2] + x) * input->dims[3] + first;
			int ret;

			if (y < 0 || y >= input->dims[1] || x < 0 || x >= input->dims[2])
				ret = progress_add(progress, PLACE_WORK);
			else
				ret = add_products(progress, acc,
						   (const int16_t *)(input->data +
								     place[0] * input->row_bytes) +
							   at,
						   weights, inputs);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* place: row, height, width. */
static int convolve_pixel(struct progress *progress, const uint32_t place[3], int16_t *out)
{
	const struct nn_call *call = progress->call;
	const int8_t *weights = (const int8_t *)call->input[1].data;
	const uint32_t *bias = (const uint32_t *)call->input[2].data;
	const int32_t *scale = (const int32_t *)call->input[3].data;
	uint32_t outputs = call->output[0].dims[3];
	uint32_t length = call->input[1].dims[0] / outputs;
	uint32_t inputs = length / (call->op->window.kernel_h * call->op->window.kernel_w);
	uint32_t of_group = outputs / (call->input[0].dims[3] / inputs);

	for (uint32_t m = 0; m < outputs; m++) {
		int64_t acc = (int64_t)(bias[2 * m] | (uint64_t)bias[2 * m + 1] << 32);
		int ret = progress_add(progress, RESULT_WORK);

		if (!ret)
			ret = convolve_window(progress, &acc, weights + (uint64_t)m * length, place,
					      m / of_group * inputs, inputs);
		if (ret)
			return ret;
		out[m] = conv2d_int16_finish(call, acc, &scale[2 * m]);
	}
	return 0;
}

int nn_conv2d_int16_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	int16_t *out = (int16_t *)output->data;
	uint32_t place[3];

	for (place[0] = 0; place[0] < output->dims[0]; place[0]++) {
		for (place[1] = 0; place[1] < output->dims[1]; place[1]++) {
			for (place[2] = 0; place[2] < output->dims[2]; place[2]++) {
				int ret = convolve_pixel(&progress, place, out);

				if (ret)
					return ret;
				out += output->dims[3];
			}
		}
	}
	return 0;
}

/*
 * Vectors are for convolutions of all channels, and of each by itself, whose weights have zero
 * point 0. A window of more elements than MOST_INPUTS, or with its dilation MOST_SPAN, does not fit
 * scratch memory, nor does one of a channel by itself that spans, with one column more, MOST_PLACES
 * pixels; and sums of more than MOST_TAPS do not fit 32 bits.
 */
#define MOST_INPUTS	3072u
#define MOST_SPAN	32768u
#define MOST_PLACES	1280u
#define MOST_TAPS	511u

bool nn_conv2d_int16_has_vectors(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t channels = call->input[0].dims[3], outputs = call->output[0].dims[3];
	uint64_t taps = (uint64_t)window->kernel_h * window->kernel_w;
	uint64_t inputs = call->input[1].dims[0] / (outputs * taps);
	uint64_t rows = (window->kernel_h - 1ull) * window->dilation_h + 1;
	uint64_t columns = (window->kernel_w - 1ull) * window->dilation_w + 1;

	if (call->input[1].zero_point)
		return false;
	if (conv2d_int16_is_depthwise(call))
		return taps <= MOST_TAPS && rows * (columns + 1) <= MOST_PLACES;
	return inputs == channels && taps * inputs <= MOST_INPUTS &&
	       rows * columns * inputs <= MOST_SPAN;
}
