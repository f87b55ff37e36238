// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D's rows of input in scratch memory: with padding, each channel as often as the
 * output has it, and the columns that belong together next to each other when the stride is not 1.
 * convolve_image() of depthwise_conv2d.c calls nn_depthwise_fill_rows() for each strip.
 *
 *	image, stride 2		| c0 | c1 | c2 | c3 | c4 | ...
 *	phase 0			|padding| c1 | c3 | ...		`phase_bytes` to phase 1
 *	phase 1			| c0 | c2 | c4 | ...		with a column of padding left
 */
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/common/vector.h"

/* Permutations */

#define LEAST_GATHERED	3	/* pixels of a vector: of fewer, each is copied by itself */

/* The control with which vdelta repeats each byte `times` times: place p has byte p / times. */
static HVX_Vector repeat_control(uint32_t times)
{
	/* Exact for places below 128. */
	uint32_t by = (1 << 14) / times + 1;
	HVX_Vector control[4];

	for (uint32_t i = 0; i < 4; i++) {
		HVX_Vector place = delta_words(i);

		control[i] = Q6_V_vzero();
		for (uint32_t move = VECTOR / 2; move; move /= 2) {
			HVX_Vector first = Q6_V_vand_VV(place, splat_w(-move));

			first = Q6_Vuw_vlsr_VuwR(Q6_Vw_vmpyi_VwRh(first, by * 0x10001), 14);
			control[i] = Q6_V_vor_VV(control[i], delta_stage(place, first, move));
		}
	}
	return delta_pack(control);
}

/* The control with which vrdelta brings `count` pixels together, which are `step` bytes apart. */
static HVX_Vector gather_control(uint32_t channels, uint32_t step, uint32_t count)
{
	uint8_t bytes[VECTOR] __attribute__((aligned(VECTOR)));
	HVX_VectorPred is_wanted;

	__builtin_memset(bytes, 0, sizeof(bytes));
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < channels; c++)
			bytes[i * step + c] = 1;
	is_wanted = Q6_Q_vcmp_gt_VubVub(*(HVX_Vector *)bytes, Q6_V_vzero());
	return delta_spread(Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(is_wanted), splat_b(1)), is_wanted);
}

uint32_t nn_depthwise_settle_rows(struct depthwise *d, uint32_t bytes)
{
	uint32_t step = d->window.stride_w * d->channels;
	uint64_t columns = (d->call->output[0].dims[2] - 1ull) * d->window.stride_w +
			   (d->window.kernel_w - 1) * d->window.dilation_w + 1;
	uint64_t row = round_up(columns * d->channels, VECTOR) + 2 * VECTOR;

	d->repeated = d->gathered = 0;
	if (d->window.stride_w > 1 && step * LEAST_GATHERED <= VECTOR) {
		d->gathered = VECTOR / step;
		d->gathering = gather_control(d->channels, step, d->gathered);
	}
	if (d->repeat == 1 || d->repeat > VECTOR || row > bytes / 8)
		return bytes;
	d->repeated = VECTOR / d->repeat;
	d->repeating = repeat_control(d->repeat);
	bytes = (bytes - row) / VECTOR * VECTOR;
	d->repeated_row = d->rows + bytes;
	return bytes;
}

/* Repeats each of `count` elements. Writes up to a vector too much. */
static void repeat_run(const struct depthwise *d, uint8_t *to, const uint8_t *from, uint32_t count)
{
	uint32_t some = d->repeated, bytes = some * d->repeat;
	HVX_Vector control = d->repeating;

	for (; count > VECTOR; count -= some, from += some, to += bytes)
		store(to, Q6_V_vdelta_VV(load(from), control));
	for (; count; count -= min_u32(count, some), from += some, to += bytes)
		store(to, Q6_V_vdelta_VV(load_bytes(from, count), control));
}

/*
 * Brings `count` pixels together that are d->window.stride_w from one to the next. Writes up to a
 * vector too much.
 */
static void gather_run(const struct depthwise *d, uint8_t *to, const uint8_t *from, uint32_t count)
{
	uint32_t some = d->gathered, step = d->window.stride_w * d->channels;
	uint32_t left = (count - 1) * step + d->channels;
	HVX_Vector control = d->gathering;

	for (; left > VECTOR; left -= some * step, from += some * step, to += some * d->channels)
		store(to, Q6_V_vrdelta_VV(load(from), control));
	/* What is left are pixels of one vector, or of two. */
	for (;; left -= some * step, from += some * step, to += some * d->channels) {
		store(to, Q6_V_vrdelta_VV(load_bytes(from, left), control));
		if (left <= some * step)
			return;
	}
}

/* Copies */

/* Copies one input pixel to where the output's channels want it. Writes up to a vector too much. */
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

/* Copies `bytes`. Writes up to a vector too much if they are less than one. */
static inline void copy_run(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	uint32_t head = -(uintptr_t)to % VECTOR;

	if (bytes < VECTOR) {
		store(to, load_bytes(from, bytes));
		return;
	}
	store(to, load(from));
	if (bytes - head >= VECTOR)
		nn_copy_vectors(to + head, from + head, (bytes - head) / VECTOR);
	store(to + bytes - VECTOR, load(from + bytes - VECTOR));
}

/*
 * Copies `count` pixels, which are `stride` pixels from one to the next, next to each other. Writes
 * up to a vector too much. Nothing from `end` on is read.
 */
static void copy_pixels(const struct depthwise *d, uint8_t *to, const uint8_t *from,
			const uint8_t *end, uint32_t stride, uint32_t count)
{
	uint32_t channels = d->channels, step = stride * channels;

	if (stride == 1) {
		copy_run(to, from, count * channels);
		return;
	}
	if (d->gathered) {
		gather_run(d, to, from, count);
		return;
	}
	/* Loads reach a vector past the last one's beginning. */
	if (from + (count - 1) * step + round_up(channels, VECTOR) > end) {
		for (; count--; to += channels, from += step)
			copy_pixel(d, to, from, end);
	} else if (!(((uintptr_t)to | (uintptr_t)from | channels) % VECTOR)) {
		for (uint32_t c = 0; c < channels; c += VECTOR)
			nn_copy_aligned_steps(to + c, from + c, channels, step, count);
	} else {
		for (uint32_t c = 0; c < channels; c += VECTOR) {
			/* The last vector overlaps the one before it rather than the next pixel. */
			uint32_t at = c && channels - c < VECTOR ? channels - VECTOR : c;

			nn_copy_steps(to + at, from + at, channels, step, count);
		}
	}
}

/* Fills `bytes` with `value`. Writes up to a vector too much. */
static inline void fill_vectors(uint8_t *to, uint8_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += VECTOR)
		store(to + i, splat_b(value));
}

/* Returns how many of columns 0 .. end - 1 are `phase`, `phase` + stride, ... */
static inline uint32_t columns_before(uint32_t end, uint32_t phase, uint32_t stride)
{
	uint32_t sum = end + stride - 1 - phase;

	return stride == 2 ? sum / 2 : sum / stride;
}

/* Copies a row's columns by phase: `left` columns of padding, then `inside` ones from `from` on. */
static void fill_phases(const struct depthwise *d, uint8_t *to, const uint8_t *from,
			const uint8_t *end, uint32_t left, uint32_t inside, uint32_t columns)
{
	uint32_t stride = d->window.stride_w, channels = d->channels, dealt = 0;
	uint8_t zero = d->call->input[0].zero_point & 0xff;

	for (uint32_t phase = 0; phase < stride; phase++)
		fill_vectors(to + phase * d->phase_bytes, zero,
			     columns_before(left, phase, stride) * channels);
	if (stride == 2 && channels <= 64 && !(channels & (channels - 1)) &&
	    inside * channels >= 256) {
		dealt = inside * channels / 256;
		nn_copy_deal(to + left % 2 * d->phase_bytes + left / 2 * channels,
			     to + (left + 1) % 2 * d->phase_bytes + (left + 1) / 2 * channels, from,
			     channels, dealt);
		dealt = dealt * 256 >> __builtin_ctz(channels);
	}
	for (uint32_t phase = 0; phase < stride; phase++, to += d->phase_bytes) {
		uint32_t done = columns_before(left + dealt, phase, stride);
		uint32_t inner = columns_before(left + inside, phase, stride);
		uint32_t all = columns_before(columns, phase, stride);

		if (inner > done)
			copy_pixels(d, to + done * channels,
				    from + (done * stride + phase - left) * channels, end, stride,
				    inner - done);
		fill_vectors(to + inner * channels, zero, (all - inner) * channels);
	}
}

/* Copies row y of the image, padding included. */
static int fill_row(struct depthwise *d, uint8_t *to, const uint8_t *image, int64_t y, int64_t x,
		    uint32_t columns)
{
	const struct nn_tensor *input = &d->call->input[0];
	uint32_t stride = d->window.stride_w, channels = input->dims[3], width = input->dims[2];
	const uint8_t *row = image + y * width * channels, *end = row + width * channels;
	uint32_t pixel_work = 32 + (d->repeat == 1 ? d->channels / 16 :
				    d->repeated ? d->channels / 8 :
						  4 * d->channels);
	bool at_once = columns * pixel_work <= NN_TILE;
	int ret = progress_add(&d->progress, 200 + memory_work(columns * channels) +
						     (at_once ? columns * pixel_work : 0));

	if (ret)
		return ret;
	if (y < 0 || y >= input->dims[1]) {
		__builtin_memset(to, input->zero_point & 0xff, stride * d->phase_bytes);
		return 0;
	}
	if ((d->repeat == 1 || d->repeated) && at_once &&
	    (d->channels >= 8 || d->gathered || stride == 1)) {
		uint32_t left = x < 0 ? -x : 0, first = x < 0 ? 0 : x;
		uint32_t inside = min_u32(columns - left, width - first);
		const uint8_t *from = row + first * channels;

		end = input->data + input->bytes;
		if (d->repeated) {
			repeat_run(d, d->repeated_row, from, inside * channels);
			from = d->repeated_row;
			end = from + inside * d->channels + VECTOR;
		}
		fill_phases(d, to, from, end, left, inside, columns);
		return 0;
	}
	/* It goes phase by phase, so that what is written too much is overwritten. */
	for (uint32_t phase = 0; phase < stride; phase++) {
		uint8_t *column = to + phase * d->phase_bytes;

		for (uint32_t i = phase; i < columns; i += stride, column += d->channels) {
			int64_t at = x + i;

			if (!at_once)
				ret = progress_add(&d->progress, pixel_work);
			if (ret)
				return ret;
			if (at < 0 || at >= width)
				__builtin_memset(column, input->zero_point & 0xff, d->channels);
			else
				copy_pixel(d, column, row + at * channels, end);
		}
	}
	return 0;
}

/* The same for all rows, where columns are next to each other as they are. */
static int copy_rows(struct depthwise *d, const uint8_t *image, int64_t y, int64_t x, uint32_t rows,
		     uint32_t columns)
{
	const struct nn_tensor *input = &d->call->input[0];
	uint32_t channels = d->channels, width = input->dims[2], height = input->dims[1];
	uint32_t left = x < 0 ? -x : 0, first = x < 0 ? 0 : x;
	uint32_t inside = min_u32(columns - left, width - first);
	uint32_t right_bytes = (columns - left - inside) * channels;
	uint32_t left_bytes = left * channels, bytes = inside * channels;
	uint32_t work = 200 + memory_work(columns * channels);
	const uint8_t *from = image + (y * width + first) * channels;
	uint8_t zero = input->zero_point & 0xff, *to = d->rows;

	for (; rows; rows--, y++, from += width * channels, to += d->phase_bytes) {
		int ret = progress_add(&d->progress, work);

		if (ret)
			return ret;
		if (y < 0 || y >= height) {
			fill_vectors(to, zero, d->phase_bytes);
			continue;
		}
		fill_vectors(to, zero, left_bytes);
		copy_run(to + left_bytes, from, bytes);
		fill_vectors(to + left_bytes + bytes, zero, right_bytes);
	}
	return 0;
}

int nn_depthwise_fill_rows(struct depthwise *d, const uint8_t *image, int64_t y, int64_t x,
			   uint32_t rows, uint32_t columns)
{
	uint32_t row_bytes = d->window.stride_w * d->phase_bytes;

	/* Padding is narrower than a window, and no window begins right of the input. */
	if (d->repeat == 1 && d->window.stride_w == 1)
		return copy_rows(d, image, y, x, rows, columns);
	for (uint32_t i = 0; i < rows; i++) {
		int ret = fill_row(d, d->rows + i * row_bytes, image, y + i, x, columns);

		if (ret)
			return ret;
	}
	return 0;
}
