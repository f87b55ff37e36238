// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D on HVX.
 *
 * An output row is one run of bytes, channel after channel and pixel after pixel, and so is
 * everything it is made from: input at the same column of the kernel is the same run at another
 * place. So vectors need not begin with a pixel, and few channels fill them as well as many do. For
 * that, constants are repeated until they can be read from any channel on, and input rows are
 * copied with padding, the columns that belong together next to each other when the stride is
 * not 1.
 *
 * vrmpy multiplies four columns of 32 outputs: four vectors of inputs are interleaved to have an
 * output's four bytes side by side.
 */
#include "../kernels/checks.h"
#include "../kernels/weights.h"
#include "kernels.h"
#include "requant.h"

/* The layer and how scratch memory is divided. */
struct depthwise {
	const struct nn_call *call;
	struct nn_window_params window;
	uint32_t channels;	/* of the output */
	uint32_t repeat;	/* of the output for each of the input */
	uint32_t quads;		/* columns of the kernel by four */
	bool is_signed, is_raw;

	/*
	 * Repeated constants: words for channels 0, 1, ..., channels - 1, 0, 1, ... `period` of
	 * them.
	 */
	uint32_t period;
	int32_t *weights;	/* [kernel_h][quads][period] */
	int32_t *bias, *multiplier, *exponent, *shift;

	uint32_t out_columns;	/* at a time */
	uint32_t out_rows;
	uint32_t phase_bytes;	/* columns x, x + stride, ... of a row of input */
	uint8_t *rows;		/* [input rows][stride_w][phase_bytes] */
	uint32_t column[256];	/* where the kernel's columns are in a row */
};

static uint64_t columns_of(const struct depthwise *d, uint32_t out_columns)
{
	return (out_columns - 1ull) * d->window.stride_w +
	       (d->window.kernel_w - 1) * d->window.dilation_w + 1;
}

static uint64_t rows_of(const struct depthwise *d, uint32_t out_rows)
{
	return (out_rows - 1ull) * d->window.stride_h +
	       (d->window.kernel_h - 1) * d->window.dilation_h + 1;
}

/* With room to read a vector and four columns too many. */
static uint64_t phase_bytes_of(const struct depthwise *d, uint32_t out_columns)
{
	uint64_t columns =
		(columns_of(d, out_columns) + d->window.stride_w - 1) / d->window.stride_w;

	return round_up(columns * d->channels + VECTOR, VECTOR);
}

/* False if the constants or a few columns do not fit. */
static bool divide_scratch(struct depthwise *d)
{
	uint64_t left = d->call->scratch_size, constants;
	uint64_t row;

	d->period = round_up(d->channels + 32, 32);
	constants = ((uint64_t)d->window.kernel_h * d->quads + 4) * d->period * 4;
	if (constants > left / 2)
		return false;
	d->weights = (int32_t *)d->call->scratch;
	d->bias = d->weights + d->window.kernel_h * d->quads * d->period;
	d->multiplier = d->bias + d->period;
	d->exponent = d->multiplier + d->period;
	d->shift = d->exponent + d->period;
	d->rows = (uint8_t *)(d->shift + d->period);
	left -= constants;

	/* The last row's columns past its end lie in the row after it, hence one more. */
	d->out_columns = d->call->output[0].dims[2];
	while (d->out_columns > 1 &&
	       (rows_of(d, 1) + 1) * d->window.stride_w * phase_bytes_of(d, d->out_columns) > left)
		d->out_columns = (d->out_columns + 1) / 2;
	row = d->window.stride_w * phase_bytes_of(d, d->out_columns);
	if ((rows_of(d, 1) + 1) * row > left)
		return false;
	d->phase_bytes = phase_bytes_of(d, d->out_columns);
	d->out_rows = 1;
	while (d->out_rows < d->call->output[0].dims[1] &&
	       (rows_of(d, d->out_rows + 1) + 1) * row <= left)
		d->out_rows++;
	return true;
}

static void repeat_words(int32_t *words, const struct depthwise *d)
{
	for (uint32_t i = d->channels; i < d->period; i++)
		words[i] = words[i - d->channels];
}

static void repeat_constants(const struct depthwise *d)
{
	const int32_t *weights = (const int32_t *)d->call->input[1].data;
	const int32_t *bias = (const int32_t *)d->call->input[2].data;
	uint32_t vectors = d->window.kernel_h * d->quads;

	for (uint32_t v = 0; v < vectors; v++) {
		int32_t *to = d->weights + v * d->period;

		for (uint32_t m = 0; m < d->channels; m += 32)
			*(HVX_Vector *)&to[m] =
				*(const HVX_Vector *)&weights[(m / 32 * vectors + v) * 32];
		repeat_words(to, d);
	}
	for (uint32_t m = 0; m < d->channels; m += 32) {
		*(HVX_Vector *)&d->bias[m] = *(const HVX_Vector *)&bias[m];
		if (!d->is_raw) {
			struct requant requant = requant_scales(
				*(const HVX_Vector *)(d->call->input[3].data + m * 4));

			*(HVX_Vector *)&d->multiplier[m] = requant.multiplier;
			*(HVX_Vector *)&d->exponent[m] = requant.exponent;
			*(HVX_Vector *)&d->shift[m] = requant.shift;
		}
	}
	repeat_words(d->bias, d);
	repeat_words(d->multiplier, d);
	repeat_words(d->exponent, d);
	repeat_words(d->shift, d);
}

/* One input pixel to where the output's channels want it. Writes up to a vector too much. */
static inline void copy_pixel(const struct depthwise *d, uint8_t *to, const uint8_t *from,
			      const uint8_t *end)
{
	if (d->repeat > 1) {
		for (uint32_t c = 0; c < d->channels; c += d->repeat, from++) {
			for (uint32_t i = 0; i < d->repeat; i++)
				to[c + i] = *from;
		}
		return;
	}
	for (uint32_t c = 0; c < d->channels; c += VECTOR)
		store(to + c, end - from >= (int32_t)(c + VECTOR)
				      ? load(from + c)
				      : load_bytes(from + c, min_u32(end - from - c, VECTOR)));
}

/* Row y of the input, columns x and after, padding included. */
static void fill_row(const struct depthwise *d, uint8_t *to, const uint8_t *image, int64_t y,
		     int64_t x, uint32_t columns)
{
	const struct nn_tensor *input = &d->call->input[0];
	uint32_t stride = d->window.stride_w, channels = input->dims[3], width = input->dims[2];
	const uint8_t *row = image + y * width * channels, *end = row + width * channels;

	if (y < 0 || y >= input->dims[1]) {
		__builtin_memset(to, input->zero_point & 0xff, stride * d->phase_bytes);
		return;
	}
	if (stride == 1 && d->repeat == 1) {
		uint32_t left = x < 0 ? -x : 0, first = x < 0 ? 0 : x, inside = 0;

		if (left < columns && first < width)
			inside = columns - left < width - first ? columns - left : width - first;
		__builtin_memset(to, input->zero_point & 0xff, left * channels);
		__builtin_memcpy(to + left * channels, row + first * channels, inside * channels);
		__builtin_memset(to + (left + inside) * channels, input->zero_point & 0xff,
				 (columns - left - inside) * channels);
		return;
	}
	/* Phase by phase, so that what is written too much is overwritten. */
	for (uint32_t phase = 0; phase < stride; phase++) {
		uint8_t *column = to + phase * d->phase_bytes;

		for (uint32_t i = phase; i < columns; i += stride, column += d->channels) {
			int64_t at = x + i;

			if (at < 0 || at >= width)
				__builtin_memset(column, input->zero_point & 0xff, d->channels);
			else
				copy_pixel(d, column, row + at * channels, end);
		}
	}
}

static inline HVX_Vector multiply(HVX_Vector sum, HVX_Vector inputs, HVX_Vector weights,
				  bool is_signed)
{
	return is_signed ? Q6_Vw_vrmpyacc_VwVbVb(sum, inputs, weights)
			 : Q6_Vw_vrmpyacc_VwVubVb(sum, inputs, weights);
}

/*
 * 128 outputs at byte `at` of the row whose windows begin at `rows`, the first of them of
 * channel[0], the 32nd after of channel[1], ...
 */
static inline __attribute__((always_inline)) void convolve(const struct depthwise *d,
							   const uint8_t *rows, uint32_t at,
							   const uint32_t *channel, HVX_Vector *sum,
							   bool is_signed)
{
	uint32_t row_bytes = d->window.stride_w * d->phase_bytes;
	const int32_t *weights = d->weights;

	for (uint32_t j = 0; j < 4; j++)
		sum[j] = load(d->bias + channel[j]);
	for (uint32_t ky = 0; ky < d->window.kernel_h;
	     ky++, rows += d->window.dilation_h * row_bytes) {
		for (uint32_t q = 0; q < d->quads; q++, weights += d->period) {
			HVX_VectorPair low, high, pair[2];
			HVX_Vector v[4];

			for (uint32_t k = 0; k < 4; k++)
				v[k] = load(rows + d->column[4 * q + k] + at);
			low = Q6_W_vshuff_VVR(v[1], v[0], -1);
			high = Q6_W_vshuff_VVR(v[3], v[2], -1);
			pair[0] = Q6_W_vshuff_VVR(Q6_V_lo_W(high), Q6_V_lo_W(low), -2);
			pair[1] = Q6_W_vshuff_VVR(Q6_V_hi_W(high), Q6_V_hi_W(low), -2);
			sum[0] = multiply(sum[0], Q6_V_lo_W(pair[0]), load(weights + channel[0]),
					  is_signed);
			sum[1] = multiply(sum[1], Q6_V_hi_W(pair[0]), load(weights + channel[1]),
					  is_signed);
			sum[2] = multiply(sum[2], Q6_V_lo_W(pair[1]), load(weights + channel[2]),
					  is_signed);
			sum[3] = multiply(sum[3], Q6_V_hi_W(pair[1]), load(weights + channel[3]),
					  is_signed);
		}
	}
}

static inline void finish_vector(const struct depthwise *d, uint8_t *to, const HVX_Vector *sum,
				 const uint32_t *channel, uint32_t count,
				 const struct finish *finish)
{
	struct requant requant[4];
	HVX_Vector result;

	if (d->is_raw) {
		for (uint32_t j = 0; j * 32 < count; j++)
			store_bytes(to + j * VECTOR, sum[j],
				    count - j * 32 < 32 ? (count - j * 32) * 4 : VECTOR);
		return;
	}
	for (uint32_t j = 0; j < 4; j++) {
		requant[j].multiplier = load(d->multiplier + channel[j]);
		requant[j].exponent = load(d->exponent + channel[j]);
		requant[j].shift = load(d->shift + channel[j]);
		requant_limits(&requant[j]);
	}
	result = requant_128(sum, requant, finish);
	if (count < VECTOR)
		store_bytes(to, result, count);
	else
		store(to, result);
}

static void convolve_row(const struct depthwise *d, const uint8_t *rows, uint8_t *out,
			 uint32_t outputs)
{
	const struct nn_tensor *output = &d->call->output[0];
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 d->call->op->out_min, d->call->op->out_max);
	uint32_t first = 0, channel[4];
	HVX_Vector sum[4];

	for (uint32_t at = 0; at < outputs; at += VECTOR) {
		for (uint32_t j = 0; j < 4; j++) {
			channel[j] = first;
			for (first += 32; first >= d->channels;)
				first -= d->channels;
		}
		if (d->is_signed)
			convolve(d, rows, at, channel, sum, true);
		else
			convolve(d, rows, at, channel, sum, false);
		finish_vector(d, out + at * (d->is_raw ? 4 : 1), sum, channel,
			      min_u32(outputs - at, VECTOR), &finish);
	}
}

static int convolve_image(const struct depthwise *d, const uint8_t *image, uint8_t *out_image)
{
	const struct nn_tensor *output = &d->call->output[0];
	uint32_t out_height = output->dims[1], out_width = output->dims[2];
	uint32_t element = d->is_raw ? 4 : 1;
	uint32_t row_bytes = d->window.stride_w * d->phase_bytes;

	for (uint32_t x = 0; x < out_width; x += d->out_columns) {
		uint32_t columns = min_u32(out_width - x, d->out_columns);

		for (uint32_t y = 0; y < out_height; y += d->out_rows) {
			uint32_t rows = min_u32(out_height - y, d->out_rows);
			int ret = nn_call_progress(d->call);

			if (ret)
				return ret;
			for (uint32_t i = 0; i < rows_of(d, rows); i++)
				fill_row(d, d->rows + i * row_bytes, image,
					 (int64_t)y * d->window.stride_h - d->window.pad_top + i,
					 (int64_t)x * d->window.stride_w - d->window.pad_left,
					 columns_of(d, columns));
			for (uint32_t i = 0; i < rows; i++) {
				ret = nn_call_progress(d->call);
				if (ret)
					return ret;
				convolve_row(d, d->rows + i * d->window.stride_h * row_bytes,
					     out_image + ((uint64_t)(y + i) * out_width + x) *
								 d->channels * element,
					     columns * d->channels);
			}
		}
	}
	return 0;
}

int nn_depthwise_conv2d_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct depthwise d = {
		.call = call,
		.window = call->op->window,
		.channels = output->dims[3],
		.repeat = output->dims[3] / input->dims[3],
		.quads = (call->op->window.kernel_w + 3) / 4,
		.is_signed = input->type == NN_TYPE_INT8,
		.is_raw = output->type == NN_TYPE_INT32,
	};

	if (!divide_scratch(&d))
		return nn_depthwise_conv2d_portable(call);
	repeat_constants(&d);
	/* Columns past the kernel's end have weight 0. */
	for (uint32_t k = 0; k < 4 * d.quads; k++) {
		uint32_t x = min_u32(k, d.window.kernel_w - 1) * d.window.dilation_w;

		d.column[k] =
			x % d.window.stride_w * d.phase_bytes + x / d.window.stride_w * d.channels;
	}
	for (uint32_t n = 0; n < output->dims[0]; n++) {
		int ret = convolve_image(&d, input->data + n * input->row_bytes,
					 output->data + n * output->row_bytes);

		if (ret)
			return ret;
	}
	return 0;
}
