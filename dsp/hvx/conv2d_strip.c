// SPDX-License-Identifier: MIT
/*
 * See conv2d_strip.h.
 */
#include "../kernels/checks.h"
#include "../kernels/weights.h"
#include "conv2d_strip.h"
#include "vector.h"

/* Sums of inputs */

/* Lane 2i is the sum of a's lanes i and i + 16, lane 2i + 1 that of b's. */
static inline HVX_Vector fold(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair pair = Q6_W_vshuff_VVR(b, a, -4);

	return Q6_Vw_vadd_VwVw(Q6_V_lo_W(pair), Q6_V_hi_W(pair));
}

/* Four-byte sums of an element of `bytes` bytes. `end`: where the memory that may be read ends. */
static inline HVX_Vector add_bytes(const uint8_t *p, uint32_t bytes, HVX_Vector mask,
				   bool is_signed)
{
	HVX_Vector sum = Q6_V_vzero(), ones = splat_b(1), v;

	for (; bytes > VECTOR; bytes -= VECTOR, p += VECTOR) {
		v = load(p);
		sum = is_signed ? Q6_Vw_vrmpyacc_VwVubVb(sum, ones, v)
				: Q6_Vw_vrmpyacc_VwVubVb(sum, v, ones);
	}
	v = Q6_V_vand_VV(load_bytes(p, bytes), mask);
	return is_signed ? Q6_Vw_vrmpyacc_VwVubVb(sum, ones, v)
			 : Q6_Vw_vrmpyacc_VwVubVb(sum, v, ones);
}

/* Sums of neighbouring lanes, a's first. */
static inline HVX_Vector fold_neighbours(HVX_Vector a, HVX_Vector b)
{
	HVX_VectorPair pair = Q6_W_vdeal_VVR(b, a, -4);

	return Q6_Vw_vadd_VwVw(Q6_V_lo_W(pair), Q6_V_hi_W(pair));
}

/* The same as add_elements() for pitches of 8, 16, 32, 64 and 128: several elements to a vector. */
static inline __attribute__((always_inline)) void
add_packed_elements(int32_t *sums, const uint8_t *row, uint32_t elements, uint32_t pitch,
		    HVX_Vector ones, uint32_t zeros, bool is_signed)
{
	uint32_t row_bytes = elements * pitch, vectors = pitch / 4;

	for (uint32_t i = 0; i < elements; i += 32) {
		HVX_Vector t[32];

		for (uint32_t j = 0; j < vectors; j++) {
			uint32_t at = i * pitch + j * VECTOR;
			HVX_Vector v = Q6_V_vzero();

			if (at + VECTOR <= row_bytes)
				v = load(row + at);
			else if (at < row_bytes)
				v = load_bytes(row + at, row_bytes - at);
			t[j] = is_signed ? Q6_Vw_vrmpy_VbVb(v, ones) : Q6_Vw_vrmpy_VubVb(v, ones);
		}
		for (uint32_t n = vectors / 2; n; n /= 2) {
			for (uint32_t j = 0; j < n; j++)
				t[j] = fold_neighbours(t[2 * j], t[2 * j + 1]);
		}
		*(HVX_Vector *)&sums[i] = Q6_Vw_vmpyi_VwRub(t[0], zeros);
	}
}

/* 1 in the first `bytes` of every `pitch` lanes. */
static HVX_Vector ones_of(uint32_t pitch, uint32_t bytes)
{
	HVX_Vector ones = Q6_V_vand_QR(first_bytes(bytes), 0x01010101);

	for (; pitch < VECTOR; pitch *= 2)
		ones = Q6_V_vor_VV(ones, Q6_V_vror_VR(ones, VECTOR - pitch));
	return ones;
}

/* The weights' zero point times the sum of each element of a row, 32 at a time. */
static int add_elements(struct progress *progress, int32_t *sums, const uint8_t *row,
			uint32_t elements, uint32_t pitch, uint32_t bytes, bool is_signed)
{
	uint32_t work = 32 * (16 + bytes / 32 + memory_work(pitch));
	uint32_t zeros = (uint32_t)progress->call->input[1].zero_point * 0x01010101;

	if (pitch <= VECTOR && (pitch & (pitch - 1)) == 0) {
		HVX_Vector ones = ones_of(pitch, bytes);
		int ret = progress_add(progress, elements * 8 + memory_work(elements * pitch));

		if (ret)
			return ret;
#define CASE(size) \
		case size: \
			if (is_signed) \
				add_packed_elements(sums, row, elements, size, ones, zeros, true); \
			else \
				add_packed_elements(sums, row, elements, size, ones, zeros, false); \
			return 0;

		switch (pitch) {
		CASE(8)
		CASE(16)
		CASE(32)
		CASE(64)
		CASE(128)
		}
#undef CASE
	}

	HVX_Vector mask = Q6_V_vand_QR(first_bytes((bytes - 1) % VECTOR + 1), -1);

	for (uint32_t i = 0; i < elements; i += 32) {
		HVX_Vector t[16];
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		/* Past the row's end the last element is added again. */
		for (uint32_t j = 0; j < 16; j++) {
			uint32_t a = min_u32(i + j, elements - 1);
			uint32_t b = min_u32(i + j + 16, elements - 1);

			t[j] = fold(add_bytes(row + a * pitch, bytes, mask, is_signed),
				    add_bytes(row + b * pitch, bytes, mask, is_signed));
		}
		for (uint32_t n = 8; n; n /= 2) {
			for (uint32_t j = 0; j < n; j++)
				t[j] = fold(t[j], t[j + n]);
		}
		*(HVX_Vector *)&sums[i] = Q6_Vw_vmpyi_VwRub(t[0], zeros);
	}
	return 0;
}

/* The sums of windows from those of elements: first down, then along the row. */
static int add_windows(struct layer *layer, const struct strip *strip, const struct memory *memory)
{
	uint32_t pitch = memory->sums_pitch;
	uint32_t columns = layer->source == EXPANDED ? 1 : layer->window.kernel_w;
	uint32_t row_work = (strip->elements / 32 + 1) * (layer->window.kernel_h + columns) * 4;

	for (uint32_t y = 0; y < strip->out_rows; y++) {
		const int32_t *from = memory->element_sums + y * layer->window.stride_h * pitch;
		int32_t *to = memory->sums + y * pitch;
		int ret = progress_add(&layer->progress, row_work);

		if (ret)
			return ret;
		for (uint32_t x = 0; x < strip->elements; x += 32) {
			HVX_Vector sum = *(const HVX_Vector *)&from[x];

			for (uint32_t k = 1; k < layer->window.kernel_h; k++)
				sum = Q6_Vw_vadd_VwVw(
					sum, *(const HVX_Vector *)&from
						     [k * layer->window.dilation_h * pitch + x]);
			*(HVX_Vector *)&to[x] = sum;
		}
		/*
		 * Every lane past the row's end is never used. Left to right, in place: what is
		 * read is not yet written.
		 */
		for (uint32_t x = 0; columns > 1 && x < strip->elements; x += 32) {
			HVX_Vector sum = *(const HVX_Vector *)&to[x];

			for (uint32_t k = 1; k < columns; k++) {
				uint32_t from_x = x + k * layer->window.dilation_w;

				if (from_x < strip->elements)
					sum = Q6_Vw_vadd_VwVw(sum, load(&to[from_x]));
			}
			*(HVX_Vector *)&to[x] = sum;
		}
	}
	return 0;
}

/* Copies of inputs */

/* One row of the strip, with padding, `columns` of them from x = first on (which may be negative).
 */
static void pad_row(const struct layer *layer, uint8_t *to, const uint8_t *image, int64_t y,
		    int64_t first, uint32_t columns)
{
	int64_t begin = first < 0 ? -first : 0, end = layer->width - first;
	uint32_t channels = layer->channels, zero = layer->call->input[0].zero_point & 0xff;

	if (end > columns)
		end = columns;
	if (y < 0 || y >= layer->height || begin >= end) {
		__builtin_memset(to, zero, columns * channels);
		return;
	}
	if (begin)
		__builtin_memset(to, zero, begin * channels);
	__builtin_memcpy(to + begin * channels,
			 image + (y * layer->width + first + begin) * channels,
			 (end - begin) * channels);
	if (end < columns)
		__builtin_memset(to + end * channels, zero, (columns - end) * channels);
}

/* Each window's row by itself. Stores past a piece's end are overwritten by the next. */
static int expand_row(struct layer *layer, uint8_t *to, const uint8_t *row, uint32_t windows,
		      uint32_t length)
{
	const struct nn_window_params *window = &layer->window;
	uint32_t pieces = window->dilation_w == 1 ? 1 : window->kernel_w;
	uint32_t bytes = pieces == 1 ? window->kernel_w * layer->channels : layer->channels;

	if (pieces == 1 && bytes <= VECTOR) {
		uint32_t step = window->stride_w * layer->channels;

		for (uint32_t x = 0; x < windows; x++, to += length, row += step)
			store(to, load(row));
		return 0;
	}
	for (uint32_t x = 0; x < windows;
	     x++, to += length, row += window->stride_w * layer->channels) {
		int ret = progress_add(&layer->progress, pieces * (8 + bytes / 32));

		if (ret)
			return ret;
		for (uint32_t k = 0; k < pieces; k++) {
			for (uint32_t i = 0; i < bytes; i += VECTOR)
				store(to + k * bytes + i,
				      load(row + k * window->dilation_w * layer->channels + i));
		}
	}
	return 0;
}

int conv2d_fill_strip(struct layer *layer, struct strip *strip, const struct memory *memory,
		      const uint8_t *image)
{
	const struct nn_window_params *window = &layer->window;
	int64_t y = (int64_t)strip->out_y * window->stride_h - window->pad_top;
	int64_t x = (int64_t)strip->out_x * window->stride_w - window->pad_left;
	uint32_t columns = (strip->out_columns - 1) * window->stride_w +
			   (window->kernel_w - 1) * window->dilation_w + 1;

	strip->rows = (strip->out_rows - 1) * window->stride_h +
		      (window->kernel_h - 1) * window->dilation_h + 1;
	if (layer->source == EXPANDED) {
		strip->elements = strip->out_columns;
		strip->element_bytes = window->kernel_w * layer->channels;
		strip->element_pitch = conv2d_row_length(window->kernel_w, layer->channels);
		strip->step = 1;
	} else {
		strip->elements = columns;
		strip->element_bytes = strip->element_pitch = layer->channels;
		strip->step = window->stride_w;
	}
	if (layer->source == IN_PLACE) {
		strip->row_pitch = layer->width * layer->channels;
		strip->base = image + y * strip->row_pitch + x * layer->channels;
	} else {
		strip->row_pitch = strip->elements * strip->element_pitch;
		strip->base = memory->rows;
	}

	for (uint32_t i = 0; i < strip->rows; i++) {
		uint8_t *row = memory->rows + i * strip->row_pitch;

		int ret = progress_add(&layer->progress,
				       200 + memory_work(columns * layer->channels));

		if (ret)
			return ret;
		/* Between the rows of a window with dilation there may be some that no window has.
		 */
		if (layer->source == PADDED) {
			pad_row(layer, row, image, y + i, x, columns);
		} else if (layer->source == EXPANDED) {
			pad_row(layer, memory->padded, image, y + i, x, columns);
			ret = expand_row(layer, row, memory->padded, strip->out_columns,
					 strip->element_pitch);
			if (ret)
				return ret;
		}
		ret = add_elements(&layer->progress,
				   memory->element_sums + i * memory->sums_pitch,
				   strip->base + i * strip->row_pitch, strip->elements,
				   strip->element_pitch, strip->element_bytes, layer->is_signed);
		if (ret)
			return ret;
	}
	strip->sums = memory->sums;
	strip->sums_pitch = memory->sums_pitch;
	return add_windows(layer, strip, memory);
}
