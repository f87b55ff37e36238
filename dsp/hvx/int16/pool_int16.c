// SPDX-License-Identifier: MIT
/*
 * POOL_INT16 on HVX: 64 channels at a time of one window after another. Sums are words, of even and
 * odd channels.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/int16/divide.h"

#define CHANNELS	64u
#define PIXEL_WORK	200u
#define RESULT_WORK	48u
#define TAP_WORK	6u

struct pool {
	const struct nn_call *call;
	struct progress progress;
	const uint8_t *end;	/* of the input */
	struct int16_divisor divisor;
	HVX_Vector least, most;
};

/* Elements of one place in the window; the last place's may end where the input does. */
static inline __attribute__((always_inline)) HVX_Vector load_place(const uint8_t *at,
								    uint32_t bytes,
								    const uint8_t *end)
{
	return end - at >= VECTOR ? load(at) : load_bytes(at, bytes);
}

static inline __attribute__((always_inline)) HVX_Vector
find_greatest(const struct pool *pool, const uint8_t *from, uint32_t rows, uint32_t columns,
	      uint32_t row, uint32_t pixel, uint32_t bytes)
{
	HVX_Vector most = splat_w(0x80008000);

	for (; rows; rows--, from += row) {
		const uint8_t *at = from;

		for (uint32_t x = 0; x < columns; x++, at += pixel)
			most = Q6_Vh_vmax_VhVh(most, load_place(at, bytes, pool->end));
	}
	return most;
}

static inline __attribute__((always_inline)) HVX_Vector
find_mean(const struct pool *pool, const uint8_t *from, uint32_t rows, uint32_t columns,
	  uint32_t row, uint32_t pixel, uint32_t bytes)
{
	HVX_VectorPair sum = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());

	for (; rows; rows--, from += row) {
		const uint8_t *at = from;

		for (uint32_t x = 0; x < columns; x++, at += pixel)
			sum = Q6_Ww_vmpyacc_WwVhRh_sat(sum, load_place(at, bytes, pool->end),
						       0x00010001);
	}
	return Q6_Vh_vsat_VwVw(int16_mean(Q6_V_hi_W(sum), &pool->divisor),
			       int16_mean(Q6_V_lo_W(sum), &pool->divisor));
}

/* Makes all channels of the pixel of a window. */
static int pool_pixel(struct pool *pool, const uint8_t *image, const struct pool_window *window,
		      uint8_t *out)
{
	const struct nn_tensor *input = &pool->call->input[0];
	uint32_t rows = window->bottom - window->top, columns = window->right - window->left;
	uint32_t pixel = 2 * input->dims[3], row = input->dims[2] * pixel, count = rows * columns;
	const uint8_t *from = image + (uint64_t)window->top * row + (uint64_t)window->left * pixel;
	uint32_t taps = count * (TAP_WORK + stride_work(pixel)) + rows * NN_PAGE_WORK;
	bool is_mean = pool->call->op->pool_int16.average;

	if (pool->divisor.count != count)
		pool->divisor = int16_divisor_of(count);
	for (uint32_t i = 0; i < pixel; i += VECTOR) {
		uint32_t bytes = min_u32(pixel - i, VECTOR);
		int ret = progress_add(&pool->progress, RESULT_WORK + taps);
		HVX_Vector v;

		if (ret)
			return ret;
		v = is_mean ? find_mean(pool, from + i, rows, columns, row, pixel, bytes) :
			      find_greatest(pool, from + i, rows, columns, row, pixel, bytes);
		v = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(v, pool->least), pool->most);
		if (bytes == VECTOR)
			store(out + i, v);
		else
			store_bytes(out + i, v, bytes);
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
		.least = splat_h(call->op->out_min),
		.most = splat_h(call->op->out_max),
	};
	uint8_t *out = output->data;

	if (!nn_pool_int16_has_vectors(call))
		return nn_pool_int16_portable(call);
	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0; y < output->dims[1]; y++) {
			for (uint32_t x = 0; x < output->dims[2]; x++) {
				struct pool_window window = pool_window(call, y, x);
				int ret = progress_add(&pool.progress, PIXEL_WORK);

				if (!ret)
					ret = pool_pixel(&pool, image, &window, out);
				if (ret)
					return ret;
				out += 2 * output->dims[3];
			}
		}
	}
	return 0;
}
