/* SPDX-License-Identifier: MIT */
/*
 * Sums of a depthwise convolution with VNNI, whose instruction adds four products of an unsigned
 * and a signed byte to each 32-bit sum: those of four columns next to each other in the kernel, as
 * packed weights have them (dsp/program/pack.h). A piece of the image is first laid out in such
 * words, one for each place and output, as unsigned bytes x + offset, offset 0 or 128:
 *
 *	sum of x * (w - zero) = sum of (x + offset) * w - zero * sum of (x + offset)
 *				- offset * sum of (w - zero)
 */
#ifndef NN_HOST_DOT_CELLS_H
#define NN_HOST_DOT_CELLS_H

#include <string.h>

#include "dot_results.h"
#include "pieces.h"

#define LINE_PIXELS	6u	/* whose sums stay in registers, with two vectors of outputs */

/* The layout of scratch memory. */
struct depthwise_room {
	uint32_t cells[MOST_CELLS * BLOCK];
	uint32_t start[BLOCK];		/* what sums begin with */
};

_Static_assert(sizeof(struct depthwise_room) <= NN_SCRATCH_SIZE, "there is that much");

/* The inputs that outputs m .. m + BLOCK - 1, or up to the last, are made of, in one pixel. */
static inline __m256i load_outputs(const struct depthwise *layer, const uint8_t *pixel, uint32_t m)
{
	uint32_t outputs = layer->results.outputs;
	uint32_t multiplier = outputs / layer->call->input[0].dims[3];
	uint32_t count = min_u32(outputs - m, BLOCK);
	uint8_t bytes[BLOCK] = { 0 };

	if (multiplier == 1 && count == BLOCK)
		return _mm256_loadu_si256((const __m256i *)(pixel + m));
	if (multiplier == 1)
		return _mm256_maskz_loadu_epi8((1u << count) - 1, pixel + m);
	for (uint32_t i = 0; i < count; i++)
		bytes[i] = pixel[(m + i) / multiplier];
	return _mm256_loadu_si256((const __m256i *)bytes);
}

/*
 * A line of the piece, from its last place to its first: a word is the one `dilation_w` places
 * behind it, a byte up, and the place's own byte. Bytes behind the line are 0; no weight belongs
 * to them.
 */
static void lay_out_line(const struct depthwise *layer, const struct piece *piece, int64_t y,
			 uint32_t m, uint32_t *to)
{
	const struct nn_tensor *input = &layer->call->input[0];
	const uint32_t step = layer->window->dilation_w, wide = piece->wide;
	const int64_t height = input->dims[1], width = input->dims[2];
	const __m256i flip = _mm256_set1_epi8((char)flip_of(input));
	const __m256i padding = _mm256_set1_epi8((char)input->zero_point);
	const bool is_inside = y >= 0 && y < height;
	const uint8_t *line = is_inside ? input->data + piece->row * input->row_pitch +
						  (uint64_t)y * width * input->pitch : NULL;
	__m512i behind[2] = { _mm512_setzero_si512(), _mm512_setzero_si512() };

	for (uint32_t i = wide; i--; ) {
		int64_t x = piece->x + i;
		__m256i bytes = padding;

		if (is_inside && x >= 0 && x < width)
			bytes = load_outputs(layer, line + (uint64_t)x * input->pitch, m);
		bytes = _mm256_xor_si256(bytes, flip);
		if (step > 1 && i + step < wide) {
			behind[0] = _mm512_loadu_si512(to + (i + step) * BLOCK);
			behind[1] = _mm512_loadu_si512(to + (i + step) * BLOCK + LANES);
		} else if (step > 1) {
			behind[0] = behind[1] = _mm512_setzero_si512();
		}
		behind[0] = _mm512_or_si512(
			_mm512_slli_epi32(behind[0], 8),
			_mm512_cvtepu8_epi32(_mm256_castsi256_si128(bytes)));
		behind[1] = _mm512_or_si512(
			_mm512_slli_epi32(behind[1], 8),
			_mm512_cvtepu8_epi32(_mm256_extracti128_si256(bytes, 1)));
		_mm512_storeu_si512(to + i * BLOCK, behind[0]);
		_mm512_storeu_si512(to + i * BLOCK + LANES, behind[1]);
	}
}

/* The bytes of words that belong to columns x .. x + 3 of the kernel. */
static inline __m512i find_columns(const struct nn_window_params *window, uint32_t x)
{
	uint32_t rest = window->kernel_w - x;

	return _mm512_set1_epi32(rest < 4 ? (1 << 8 * rest) - 1 : -1);
}

/* Weights of outputs from m on in kernel row y, columns x .. x + 3. */
static inline const uint8_t *find_taps(const struct depthwise *layer, uint32_t y, uint32_t x,
				       uint32_t m)
{
	uint64_t row_words = (layer->window->kernel_w + 3) / 4;
	uint64_t word_bytes = 4 * (uint64_t)layer->call->input[2].dims[0];
	const uint8_t *packed = layer->call->input[1].data;

	return packed + (y * row_words + x / 4) * word_bytes + 4 * m;
}

/* The bias, and what the offset of signed inputs amounts to. */
static void find_start(const struct depthwise *layer, uint32_t m)
{
	const struct nn_window_params *window = layer->window;
	const uint32_t *bias = (const uint32_t *)layer->call->input[2].data + m;
	const uint32_t offset = (uint32_t)flip_of(&layer->call->input[0]);
	const uint32_t zeros = (uint32_t)layer->call->input[1].zero_point * window->kernel_h *
			       window->kernel_w;
	const __m512i ones = _mm512_set1_epi8(1);

	for (uint32_t v = 0; v < BLOCK; v += LANES) {
		__m512i sum = _mm512_setzero_si512();

		for (uint32_t y = 0; offset && y < window->kernel_h; y++) {
			for (uint32_t x = 0; x < window->kernel_w; x += 4)
				sum = _mm512_dpbusd_epi32(
					sum, _mm512_and_si512(ones, find_columns(window, x)),
					_mm512_loadu_si512(find_taps(layer, y, x, m + v)));
		}
		sum = _mm512_sub_epi32(sum, _mm512_set1_epi32((int)zeros));
		sum = _mm512_mullo_epi32(sum, _mm512_set1_epi32((int)offset));
		_mm512_storeu_si512(layer->room->start + v,
				    _mm512_sub_epi32(_mm512_loadu_si512(bias + v), sum));
	}
}

/*
 * The results of pixels next to each other, the first of which has its window at `cells`. How many,
 * the vectors of outputs, and whether weights have a zero point, are constants.
 */
static inline __attribute__((always_inline)) void
dot_cells(const struct depthwise *layer, const uint32_t *cells, uint32_t wide, uint64_t pixel,
	  uint32_t m, const uint32_t pixels, const uint32_t vectors, const bool has_zero)
{
	const struct nn_window_params *window = layer->window;
	const uint32_t step = window->stride_w * BLOCK, step_x = 4 * window->dilation_w * BLOCK;
	const __m512i ones = _mm512_set1_epi8(1);
	const __m512i zero = _mm512_set1_epi32(layer->call->input[1].zero_point);
	__m512i sum[LINE_PIXELS][2], inputs[LINE_PIXELS][2];

#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 2
		for (uint32_t v = 0; v < vectors; v++) {
			sum[p][v] = _mm512_loadu_si512(layer->room->start + v * LANES);
			inputs[p][v] = _mm512_setzero_si512();
		}
	}
	for (uint32_t y = 0; y < window->kernel_h; y++, cells += window->dilation_h * wide * BLOCK) {
		const uint32_t *cell = cells;

		for (uint32_t x = 0; x < window->kernel_w; x += 4, cell += step_x) {
			const uint8_t *taps = find_taps(layer, y, x, m);
			__m512i columns = find_columns(window, x);
			__m512i weights[2], counted = _mm512_and_si512(ones, columns);

#pragma GCC unroll 2
			for (uint32_t v = 0; v < vectors; v++)
				weights[v] = _mm512_and_si512(
					_mm512_loadu_si512(taps + 4 * v * LANES), columns);
#pragma GCC unroll 16
			for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 2
				for (uint32_t v = 0; v < vectors; v++) {
					__m512i four = _mm512_loadu_si512(cell + p * step +
									  v * LANES);

					sum[p][v] = _mm512_dpbusd_epi32(sum[p][v], four,
									weights[v]);
					if (has_zero)
						inputs[p][v] = _mm512_dpbusd_epi32(
							inputs[p][v], four, counted);
				}
			}
		}
	}
#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
		if (has_zero) {
#pragma GCC unroll 2
			for (uint32_t v = 0; v < vectors; v++)
				sum[p][v] = _mm512_sub_epi32(
					sum[p][v], _mm512_mullo_epi32(inputs[p][v], zero));
		}
		store_vectors(&layer->results, sum[p], pixel + p, m, vectors);
	}
}

static inline __attribute__((always_inline)) void
dot_line(const struct depthwise *layer, const uint32_t *cells, const struct piece *piece,
	 uint64_t pixel, uint32_t m, const uint32_t vectors, const bool has_zero)
{
	uint32_t step = layer->window->stride_w * BLOCK, p = 0;

	for (; p + LINE_PIXELS <= piece->columns; p += LINE_PIXELS)
		dot_cells(layer, cells + p * step, piece->wide, pixel + p, m, LINE_PIXELS, vectors,
			  has_zero);
	for (; p + 2 <= piece->columns; p += 2)
		dot_cells(layer, cells + p * step, piece->wide, pixel + p, m, 2, vectors, has_zero);
	if (p < piece->columns)
		dot_cells(layer, cells + p * step, piece->wide, pixel + p, m, 1, vectors, has_zero);
}

/* Outputs m .. m + BLOCK - 1, or up to the last, of a piece. */
static int convolve_piece(const struct depthwise *layer, const struct piece *piece, uint32_t m)
{
	const struct nn_window_params *window = layer->window;
	const struct nn_tensor *output = &layer->call->output[0];
	bool has_zero = layer->call->input[1].zero_point;
	bool is_wide = layer->results.outputs - m > LANES;
	uint32_t line = piece->wide * BLOCK, laid_out = 0;

	find_start(layer, m);
	for (uint32_t i = 0; i < piece->rows; i++) {
		uint64_t pixel = ((uint64_t)piece->row * output->dims[1] + piece->oy + i) *
					 output->dims[2] + piece->ox;
		uint32_t top = i * window->stride_h;
		uint32_t end = top + (window->kernel_h - 1) * window->dilation_h + 1;
		const uint32_t *cells = layer->room->cells + top * line;
		int ret = nn_call_progress(layer->call);

		if (ret)
			return ret;
		for (; laid_out < end; laid_out++)
			lay_out_line(layer, piece, piece->y + laid_out, m,
				     layer->room->cells + laid_out * line);
		if (has_zero && is_wide)
			dot_line(layer, cells, piece, pixel, m, 2, true);
		else if (has_zero)
			dot_line(layer, cells, piece, pixel, m, 1, true);
		else if (is_wide)
			dot_line(layer, cells, piece, pixel, m, 2, false);
		else
			dot_line(layer, cells, piece, pixel, m, 1, false);
	}
	return 0;
}

#endif
