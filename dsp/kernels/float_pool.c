// SPDX-License-Identifier: MIT
/*
 * FLOAT_POOL: input and output FLOAT32, [N, H, W, C] and [N, OH, OW, C]. Window parameters are in
 * dsp/program/kernels.h. Each window has one element at least that is no padding.
 *
 *	NN_FLOAT_POOL_MAX	the greatest element that is no padding; if one of them is no number,
 *				neither is that (dsp/kernels/float.h)
 *	NN_FLOAT_POOL_AVERAGE	the sum of these in double, row by row from 0 on, divided by their
 *				number, or with count_padding that of the window; rounded to float32
 *
 * With count_padding, elements behind the input's end plus its padding are the caller's to leave out:
 * `far_h` and `far_w` are the height and width up to which padding counts.
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/reals.h"
#include "dsp/kernels/window.h"

#define ELEMENT_WORK	16
#define RESULT_WORK	256

enum nn_program_reason nn_float_pool_check(const struct nn_call *call)
{
	const struct nn_float_pool_params *params = &call->op->float_pool;
	const struct nn_window_params *window = &params->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	enum nn_program_reason reason;

	if (!operands_are(call, 1, 1) || !is_float(input) || !is_float(output))
		return NN_REASON_OPERAND;
	reason = check_float_window(call);
	if (reason)
		return reason;
	if (window->dilation_h != 1 || window->dilation_w != 1 || window->multiplier ||
	    window->shift || window->count_padding > 1 ||
	    params->form >= NN_FLOAT_POOL_FORMS ||
	    (params->form == NN_FLOAT_POOL_MAX && window->count_padding) ||
	    params->far_h < input->dims[1] || params->far_w < input->dims[2] ||
	    params->far_h >= 1u << 30 || params->far_w >= 1u << 30)
		return NN_REASON_PARAMETER;
	return input->dims[3] == output->dims[3] ? NN_REASON_NONE : NN_REASON_SHAPE;
}

/* How many elements of a window in one direction count. */
static uint32_t count_of(uint32_t out, uint32_t stride, uint32_t pad, uint32_t kernel, uint32_t far)
{
	uint32_t begin = out * stride, end = begin + kernel;

	return (end < far + pad ? end : far + pad) - begin;
}

static int make_element(struct progress *progress, const struct pool_window *window,
			const float *image, double count, float *out)
{
	const struct nn_tensor *input = &progress->call->input[0];
	bool is_max = progress->call->op->float_pool.form == NN_FLOAT_POOL_MAX;
	uint32_t work = ELEMENT_WORK + stride_work(4ull * input->dims[3]);
	float max = -__builtin_inff();
	double sum = 0;

	for (uint32_t y = window->top; y < window->bottom; y++) {
		int ret = progress_add(progress, NN_PAGE_WORK +
							 work * (window->right - window->left));

		if (ret)
			return ret;
		for (uint32_t x = window->left; x < window->right; x++) {
			float a = image[((uint64_t)y * input->dims[2] + x) * input->dims[3]];

			if (is_max)
				max = float_greater(max, a);
			else
				sum += a;
		}
	}
	*out = float_result(is_max ? max : (float)real_divide(sum, count));
	return 0;
}

int nn_float_pool_portable(const struct nn_call *call)
{
	const struct nn_float_pool_params *params = &call->op->float_pool;
	const struct nn_window_params *p = &params->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t pixels = (uint64_t)output->dims[1] * output->dims[2];
	struct progress progress = { .call = call };
	float *out = (float *)output->data;

	for (uint64_t i = 0; i < output->dims[0] * pixels; i++) {
		const float *image = (const float *)(input->data + i / pixels * input->row_bytes);
		uint32_t y = i % pixels / output->dims[2], x = i % output->dims[2];
		struct pool_window window = pool_window(call, y, x);
		uint32_t count = (window.bottom - window.top) * (window.right - window.left);

		if (p->count_padding)
			count = count_of(y, p->stride_h, p->pad_top, p->kernel_h, params->far_h) *
				count_of(x, p->stride_w, p->pad_left, p->kernel_w, params->far_w);
		for (uint32_t c = 0; c < output->dims[3]; c++) {
			int ret = progress_add(&progress, RESULT_WORK);

			if (!ret)
				ret = make_element(&progress, &window, image + c, count, out++);
			if (ret)
				return ret;
		}
	}
	return 0;
}
