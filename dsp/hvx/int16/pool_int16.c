// SPDX-License-Identifier: MIT
/*
 * POOL_INT16 on HVX: 64 channels at a time of one window after another, of a row's windows that are
 * equally large. Sums are words, of even and odd channels.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/int16/divide.h"

#define RUN_WORK	400u
#define RESULT_WORK	96u
#define TAP_WORK	6u

struct pool {
	const struct nn_call *call;
	struct progress progress;
	const uint8_t *end;	/* of the input */
	struct int16_divisor divisor;
};

/* Windows of a row that are equally large; distances are bytes. */
struct run {
	const uint8_t *from;	/* the first window */
	uint8_t *out;
	uint32_t windows, rows, columns;
	uint32_t row, pixel, step;
	int32_t least, most;	/* of results */
	struct int16_divisor divisor;
	const uint8_t *end;
};

/* Elements of one place in the window; the last place's may end where the input does. */
static inline __attribute__((always_inline)) HVX_Vector
load_place(const uint8_t *at, uint32_t bytes, const uint8_t *end, bool is_inside)
{
	return is_inside || end - at >= VECTOR ? load(at) : load_bytes(at, bytes);
}

/* Adds up, or finds the greatest, where `is_mean` is false. */
static inline __attribute__((always_inline)) HVX_Vector
take_window(const struct run *run, const uint8_t *from, uint32_t rows, uint32_t columns,
	    uint32_t bytes, bool is_inside, bool is_mean)
{
	HVX_VectorPair sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
	HVX_Vector most = splat_w(0x80008000);

	for (; rows; rows--, from += run->row) {
		const uint8_t *at = from;

#pragma clang loop unroll(disable)
		for (uint32_t x = 0; x < columns; x++, at += run->pixel) {
			HVX_Vector v = load_place(at, bytes, run->end, is_inside);

			if (is_mean)
				sum = Q6_Ww_vmpyacc_WwVhRh_sat(sum, v, 0x00010001);
			else
				most = Q6_Vh_vmax_VhVh(most, v);
		}
	}
	if (is_mean)
		most = Q6_Vh_vsat_VwVw(int16_mean(Q6_V_hi_W(sum), &run->divisor),
				       int16_mean(Q6_V_lo_W(sum), &run->divisor));
	return Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(most, splat_h(run->least)), splat_h(run->most));
}

/*
 * Makes the windows of a run. The last channels of all but the last one are stored as a vector,
 * whose rest the next window stores again.
 */
static inline __attribute__((always_inline)) void
make_run(const struct run *stated, uint32_t rows, uint32_t columns, bool is_inside, bool is_mean)
{
	const struct run run = *stated;
	const uint8_t *from = run.from;
	uint8_t *out = run.out;

	for (uint32_t left = run.windows; left; left--, from += run.step, out += run.pixel) {
		for (uint32_t i = 0; i < run.pixel; i += VECTOR) {
			uint32_t bytes = min_u32(run.pixel - i, VECTOR);
			HVX_Vector v = take_window(&run, from + i, rows, columns, bytes, is_inside,
						   is_mean);

			if (bytes == VECTOR || (left - 1) * run.pixel >= VECTOR)
				store(out + i, v);
			else
				store_bytes(out + i, v, bytes);
		}
	}
}

#define RUN(name, rows, columns, is_inside, is_mean) \
	static __attribute__((noinline)) void name(const struct run *run) \
	{ \
		make_run(run, rows, columns, is_inside, is_mean); \
	}

RUN(greatest_2x2, 2, 2, true, false)
RUN(greatest_3x3, 3, 3, true, false)
RUN(greatest, run->rows, run->columns, true, false)
RUN(greatest_at_end, run->rows, run->columns, false, false)
RUN(mean_2x2, 2, 2, true, true)
RUN(mean_3x3, 3, 3, true, true)
RUN(mean, run->rows, run->columns, true, true)
RUN(mean_at_end, run->rows, run->columns, false, true)

static void choose_run(const struct run *run, bool is_mean)
{
	uint64_t last = (uint64_t)(run->windows - 1) * run->step +
			(uint64_t)(run->rows - 1) * run->row +
			(uint64_t)(run->columns - 1) * run->pixel + round_up(run->pixel, VECTOR);

	if (last > (uint64_t)(run->end - run->from))
		(is_mean ? mean_at_end : greatest_at_end)(run);
	else if (run->rows == 2 && run->columns == 2)
		(is_mean ? mean_2x2 : greatest_2x2)(run);
	else if (run->rows == 3 && run->columns == 3)
		(is_mean ? mean_3x3 : greatest_3x3)(run);
	else
		(is_mean ? mean : greatest)(run);
}

/* Makes `windows` windows of a row of the output, which are as large as the first. */
static int make_windows(struct pool *pool, const uint8_t *image, const struct pool_window *window,
			uint32_t windows, uint8_t *out)
{
	const struct nn_call *call = pool->call;
	uint32_t pixel = 2 * call->input[0].dims[3], row = call->input[0].dims[2] * pixel;
	struct run run = {
		.from = image + (uint64_t)window->top * row + (uint64_t)window->left * pixel,
		.out = out,
		.rows = window->bottom - window->top,
		.columns = window->right - window->left,
		.row = row,
		.pixel = pixel,
		.step = call->op->window.stride_w * pixel,
		.least = call->op->out_min,
		.most = call->op->out_max,
		.end = pool->end,
	};
	uint32_t taps = run.columns * (TAP_WORK + stride_work(pixel)) + NN_PAGE_WORK;
	uint64_t work = (RESULT_WORK + (uint64_t)taps * run.rows) * ((pixel - 1) / VECTOR + 1);
	uint32_t most = work < NN_TILE / 2 ? NN_TILE / 2 / (uint32_t)work : 1;

	if (pool->divisor.count != run.rows * run.columns)
		pool->divisor = int16_divisor_of(run.rows * run.columns);
	run.divisor = pool->divisor;
	for (; windows; windows -= run.windows) {
		int ret;

		run.windows = min_u32(windows, most);
		ret = progress_add(&pool->progress, RUN_WORK + (uint32_t)work * run.windows);
		if (ret)
			return ret;
		choose_run(&run, call->op->pool_int16.average);
		run.from += (uint64_t)run.windows * run.step;
		run.out += run.windows * pixel;
	}
	return 0;
}

/* Makes a row of the output. */
static int pool_row(struct pool *pool, const uint8_t *image, uint32_t y, uint8_t *out)
{
	const struct nn_call *call = pool->call;
	const struct nn_window_params *params = &call->op->window;
	uint32_t pixel = 2 * call->input[0].dims[3], width = call->output[0].dims[2];
	uint32_t whole = 0, padded = call->input[0].dims[2] + params->pad_left;

	/* Windows before this are not cut off at the right. */
	if (padded >= params->kernel_w)
		whole = min_u32((padded - params->kernel_w) / params->stride_w + 1, width);
	for (uint32_t x = 0, count; x < width; x += count) {
		struct pool_window window = pool_window(call, y, x);
		int ret;

		count = window.right - window.left == params->kernel_w && x < whole ? whole - x : 1;
		ret = make_windows(pool, image, &window, count, out + (uint64_t)x * pixel);
		if (ret)
			return ret;
	}
	return 0;
}

int nn_pool_int16_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct pool pool = {
		.call = call,
		.progress.call = call,
		.end = nn_tensor_end(input),
	};
	uint8_t *out = output->data;

	if (!nn_pool_int16_has_vectors(call))
		return nn_pool_int16_portable(call);
	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0; y < output->dims[1]; y++) {
			int ret = pool_row(&pool, image, y, out);

			if (ret)
				return ret;
			out += (uint64_t)2 * output->dims[2] * output->dims[3];
		}
	}
	return 0;
}
