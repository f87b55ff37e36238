// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of DEPTHWISE_CONV2D, see kernel-test.h.
 */
#include "dsp/kernels/weights.h"

#include "../large-call.h"
#include "../random-call.h"

/*
 * One channel and a window so large that a strip's output rows are between several reports of
 * progress.
 */
static void random_large_window(uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	uint32_t height = random_range(50, 80), width = random_range(3, 5);

	op.window = window_of(random_range(26, 34), 1, 1, 1);
	op.window.kernel_w = random_range(26, 34);
	op.window.stride_w = random_range(1, 2);
	op.window.pad_top = random_below(26);
	op.window.pad_left = random_below(26);
	*n = 1;
	*out_h = height;
	*out_w = random_range(1, 2);
	random_input(0, random_8bit(), DIMS(1, height, width, 1));
}

/*
 * Sizes that the assembly goes down: three rows, or five, and images high enough for several
 * strips.
 */
static void random_three_rows(bool is_halved, uint32_t channels, uint32_t *n, uint32_t *out_h,
			      uint32_t *out_w)
{
	uint32_t stride = is_halved ? 2 : random_range(1, 2), stride_w;
	uint32_t height = SIZE_FROM(3, 150, 3, 4, 5, 7, 30, 70, 140);
	uint32_t width = random_range(5, 24), pad_h = random_below(3), pad_w = random_below(3);
	uint32_t kernel = 3;

	/* Large enough for vectors of two pixels, with their constants, to be worth it. */
	bool is_wide = is_halved && channels % 128 && random_below(2);

	if (is_wide) {
		height = random_range(16, 70);
		width = random_range(16, 40);
	}
	/* Wide enough for groups of pixels. */
	if (is_halved && channels < 64)
		width = 383 / channels + random_range(0, 24);
	/* With the fewest rows and columns no output has too many channels. */
	while (height > 3 && height * width * channels > RANDOM_WORK * (is_wide ? 3 : 1))
		height--;
	if (!is_halved && random_below(3) == 0 && height >= 5) {
		kernel = 5;
		stride = random_below(8) ? 1 : 2;
	}
	stride_w = is_halved || random_below(8) ? stride : random_range(1, 3);
	op.window = window_of(kernel, kernel, stride, stride_w);
	if (!is_halved && random_below(4) == 0)
		op.window.kernel_w = random_range(1, kernel - 1);
	op.window.pad_top = pad_h;
	op.window.pad_left = pad_w < op.window.kernel_w ? pad_w : 0;
	*n = 1;
	*out_h = (height + pad_h + random_below(2) - kernel) / stride + 1;
	*out_w = (width + op.window.pad_left - op.window.kernel_w) / stride_w + 1;
	random_input(0, random_8bit(), DIMS(*n, height, width, channels));
}

/*
 * 3x3 with stride 1 and an output as wide as the input, which goes straight from the image. Half of
 * them are as high, too; others have no padding above or below, and perhaps rows that nothing
 * needs.
 */
static void random_same_width(uint32_t channels, uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	uint32_t least = channels < 128 ? (383 + channels) / channels : 1;
	bool is_high = random_below(8) == 0;
	uint32_t height = is_high ? random_range(110, 160) :
				    SIZE_FROM(2, 130, 2, 3, 5, 7, 7, 14, 31, 33, 66, 128);
	uint32_t width = least + random_below(is_high ? 2 : 12), top = 1, bottom = 1, more = 0;

	while (height > 2 && height * width * channels > (is_high ? 3 : 2) * RANDOM_WORK / 2)
		height--;
	if (height > 4 && random_below(2)) {
		top = random_below(2);
		bottom = random_below(2);
		more = bottom ? 0 : PICK(0, 1, height + top - 3);
	}
	op.window = window_of(3, 3, 1, 1);
	op.window.pad_top = top;
	op.window.pad_left = 1;
	*n = random_below(4) ? 1 : 2;
	*out_h = height + top + bottom - 2 - more;
	*out_w = width;
	random_input(0, random_8bit(), DIMS(*n, height, width, channels));
}

/* 3x3 with stride 1 down and rows apart. */
static void random_dilated(uint32_t channels, uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	uint32_t rows = random_range(2, 5), columns = random_below(2) ? rows : random_range(1, 5);
	uint32_t height = random_range(2 * rows + 1, 60), width = random_range(2 * columns + 1, 30);
	uint32_t top = random_below(4) ? rows : random_below(2 * rows);
	uint32_t left = random_below(4) ? columns : random_below(2 * columns);

	while (height > 2 * rows + 1 && height * width * channels > RANDOM_WORK)
		height--;
	op.window = window_of(3, 3, 1, random_below(4) ? 1 : random_range(1, 3));
	op.window.kernel_w = random_below(4) ? 3 : random_range(1, 2);
	op.window.dilation_h = rows;
	op.window.dilation_w = columns;
	op.window.pad_top = top;
	op.window.pad_left = op.window.kernel_w > 1 && left < columns ? left : 0;
	*n = random_below(4) ? 1 : 2;
	*out_h = height + top + random_below(rows + 1) - 2 * rows;
	*out_w = (width + op.window.pad_left - (op.window.kernel_w - 1) * columns - 1) /
		 op.window.stride_w + 1;
	random_input(0, random_8bit(), DIMS(*n, height, width, channels));
}

/*
 * Windows that are dilated so far that most of their image is padding, or that have so many pixels
 * that only some of the channels fit: both go in pieces, of which few columns may fit, or rows.
 */
static void random_far(uint32_t channels, uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	bool is_high = random_below(8) == 0, is_large = random_below(3) == 0;
	uint32_t height = random_range(1, 40), width = random_range(1, 40), reach_h, reach_w;

	op.window = window_of(random_range(1, 5), random_range(1, 5), random_range(1, 3),
			      random_range(1, 3));
	op.window.dilation_h = random_below(4) ? random_range(2, 20) : random_range(21, 255);
	op.window.dilation_w = random_below(4) ? random_range(2, 20) : random_range(21, 255);
	if (is_high) {
		width = random_range(1, 3);
		height = random_range(100, 600);
		op.window.dilation_h = random_range(1, 3);
	}
	if (is_large) {
		op.window.kernel_h = random_range(10, 33);
		op.window.kernel_w = random_range(10, 33);
		op.window.dilation_h = random_range(1, 3);
		op.window.dilation_w = random_range(1, 3);
		height = random_range(1, 3);
		width = random_range(1, 3);
	}
	reach_h = (op.window.kernel_h - 1) * op.window.dilation_h;
	reach_w = (op.window.kernel_w - 1) * op.window.dilation_w;
	op.window.pad_top = random_below(reach_h + 1);
	op.window.pad_left = random_below(reach_w + 1);
	while (height > 1 && height * width * channels > RANDOM_WORK)
		height--;
	while (width > 1 && height * width * channels > RANDOM_WORK)
		width--;
	*n = random_below(4) ? 1 : 2;
	*out_h = (height - 1) / op.window.stride_h + 1;
	*out_w = (width - 1) / op.window.stride_w + 1;
	random_input(0, random_8bit(), DIMS(*n, height, width, channels));
}

/*
 * 5x5, of any size: with padding on each side or not, in one strip of rows or several, of columns
 * as well, and with so few of either that there is another way.
 */
static void random_five(uint32_t stride, uint32_t channels, uint32_t *n, uint32_t *out_h,
			uint32_t *out_w)
{
	uint32_t height = random_below(6) ? random_range(2, 40) : random_range(41, 150);
	uint32_t width = random_below(6) ? random_range(2, 40) : random_range(41, 90);
	uint32_t bottom = random_below(4) ? 2 : random_below(5);
	uint32_t right = random_below(4) ? 2 : random_below(5);

	op.window = window_of(5, 5, stride, stride);
	op.window.pad_top = height < 5 ? 3 : random_below(4) ? random_range(1, 2) : random_below(5);
	op.window.pad_left = width < 5 ? 3 : random_below(4) ? random_range(1, 2) : random_below(5);
	while (height * width * channels > stride * stride * RANDOM_WORK) {
		if (height > width)
			height = (height + 5) / 2 < height ? (height + 5) / 2 : height - 1;
		else
			width = (width + 5) / 2 < width ? (width + 5) / 2 : width - 1;
	}
	*n = random_below(4) ? 1 : 2;
	*out_h = (height + op.window.pad_top + bottom - 5) / stride + 1;
	*out_w = (width + op.window.pad_left + right - 5) / stride + 1;
	random_input(0, random_8bit(), DIMS(*n, height, width, channels));
}

/*
 * A kernel of any shape of which words are made, and images high enough for several jobs; or 3x3
 * with few channels, or several outputs for each, which are put in place by permutations.
 */
static void random_words(bool is_few, uint32_t channels, uint32_t *n, uint32_t *out_h,
			 uint32_t *out_w)
{
	uint32_t stride = PICK(1, 1, 2, 2, 3), stride_w = random_below(4) ? stride : PICK(1, 2, 3);
	uint32_t height, width, reach_h, reach_w;

	op.window = window_of(is_few ? 3 : random_range(1, 9), 1, stride, stride_w);
	op.window.kernel_w = is_few ? random_range(1, 3) : random_range(1, 12);
	if (!is_few && random_below(2)) {
		op.window.dilation_h = random_range(1, 3);
		op.window.dilation_w = random_range(1, 3);
	}
	reach_h = (op.window.kernel_h - 1) * op.window.dilation_h;
	reach_w = (op.window.kernel_w - 1) * op.window.dilation_w;
	op.window.pad_top = random_below(reach_h + 1);
	op.window.pad_left = random_below(reach_w + 1);
	height = random_below(3) ? random_range(1, 20) : random_range(20, 80);
	width = random_below(3) ? random_range(1, 16) : random_range(16, 150);
	while (height > 1 && height * width * channels > RANDOM_WORK)
		height--;
	while (width > 1 && height * width * channels > RANDOM_WORK)
		width--;
	height += reach_h - op.window.pad_top;
	width += reach_w - op.window.pad_left;
	*n = 1;
	*out_h = (height + op.window.pad_top - reach_h - 1) / stride + 1;
	*out_w = (width + op.window.pad_left - reach_w - 1) / stride_w + 1;
	random_input(0, random_8bit(), DIMS(1, height, width, channels));
}

/*
 * 3x3 with stride 2 and so many columns of few channels that vectors are of several pixels. Of 24
 * channels sometimes so many that these are of any pixels.
 */
static void random_grouped(uint32_t channels, uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	bool is_large = channels == 24 && random_below(8);
	uint32_t height = is_large ? random_range(40, 45) : random_range(6, 30);
	uint32_t width = is_large ? random_range(320, 340) : 383 / channels + random_range(2, 24);
	uint32_t bottom = random_below(2), right = random_below(2);

	op.window = window_of(3, 3, 2, 2);
	op.window.pad_top = random_below(2);
	op.window.pad_left = random_below(2);
	*n = 1;
	*out_h = (height + op.window.pad_top + bottom - 3) / 2 + 1;
	*out_w = (width + op.window.pad_left + right - 3) / 2 + 1;
	random_input(0, random_8bit(), DIMS(1, height, width, channels));
}

/*
 * Scales with which sums neither leave 32 bits nor float32's integers, for the larger ones because
 * of what the weights are; some powers of two. Or some are so large that sums have to be limited.
 */
static void ordinary_scales(uint32_t outputs)
{
	uint32_t most = random_below(4) ? 120 : 122;
	/* All of them multiples of 2^-16, and so small that many results are in range, and ties. */
	bool is_exact = random_below(3) == 0, is_limited = random_below(4) == 0;

	for (uint32_t m = 0; m < outputs; m++) {
		uint32_t few = random_below(8) ? random_bits() & 0x7fffff : 0;

		if (is_exact)
			drawn_scale[m] = float_of(random_range(113, 118) << 23 |
						   (random_below(2) ? random_bits() & 0x600000 : 0));
		else
			drawn_scale[m] = float_of(random_range(113, most) << 23 | few);
		/* Below 1, some are exact as well. */
		if (is_limited && random_below(3) == 0)
			drawn_scale[m] = float_of(random_range(123, is_exact ? 126 : 140) << 23 |
						  (is_exact ? few & 0x600000 : few));
	}
}

/* Words of all lanes, of which the first `outputs` are set. */
static void repeat_words(uint32_t *words, uint32_t outputs, uint32_t lanes)
{
	for (uint32_t i = outputs; i < lanes; i++)
		words[i] = words[i - outputs];
}

/* Weights whose filling is 0, biases and scales. */
static void random_outputs(uint32_t outputs, bool is_ordinary)
{
	static uint32_t reach[MOST_OUTPUTS];
	uint32_t row_words = (op.window.kernel_w + 3) / 4, lanes = repeated_lanes(outputs);
	int32_t zero = call.input[1].zero_point;

	for (uint32_t row = 0; row < op.window.kernel_h * row_words; row++) {
		uint32_t x = row % row_words * 4, *words = (uint32_t *)call.input[1].data + row * lanes;

		for (uint32_t m = 0; m < outputs && op.window.kernel_w - x < 4; m++)
			words[m] &= (1u << (op.window.kernel_w - x) * 8) - 1;
		repeat_words(words, outputs, lanes);
	}
	repeat_words((uint32_t *)call.input[2].data, outputs, lanes);
	if (call.output[0].type == NN_TYPE_INT32)
		return;
	random_scales(outputs, 1 << 15);
	if (is_ordinary)
		ordinary_scales(outputs);
	for (uint32_t m = 0; m < outputs; m++) {
		int64_t positive = 0, negative = 0;

		for (uint32_t y = 0; y < op.window.kernel_h; y++) {
			for (uint32_t x = 0; x < op.window.kernel_w; x++) {
				const int8_t *word = (int8_t *)call.input[1].data +
						     ((y * row_words + x / 4) * lanes + m) * 4;
				int32_t weight = word[x % 4] - zero;

				positive += weight > 0 ? weight : 0;
				negative -= weight < 0 ? weight : 0;
			}
		}
		reach[m] = reach_of(&call.input[0], ((int32_t *)call.input[2].data)[m], positive,
				    negative);
	}
	pack_scales(3, outputs, reach, true);
}

/* Some at random, and those that have ways of their own. */
static uint32_t five_channels(void)
{
	return random_below(3) == 0 ? random_range(8, 300) :
				      PICK(65, 72, 72, 80, 96, 96, 104, 112, 120, 120, 127, 160, 192,
					   240, 288);
}

static void make_random(void)
{
	/* More than half goes straight from the image. */
	bool is_halved = random_below(3) == 0, is_same = !is_halved && random_below(3) == 0;
	bool is_large = !is_halved && !is_same && random_below(16) == 0;
	bool is_five = !is_halved && !is_same && !is_large && random_below(2);
	bool is_five_halved = is_halved && random_below(2);
	bool is_grouped = is_halved && !is_five_halved && random_below(3);
	bool is_words = !is_halved && !is_same && !is_large && !is_five && random_below(4);
	bool is_few = is_words && random_below(3) == 0;
	bool is_three = is_halved || is_same || is_five || (!is_large && random_below(2));
	bool is_dilated = is_three && !is_halved && !is_same && !is_five && random_below(2);
	bool is_far = !is_halved && !is_same && !is_large && random_below(4) == 0;
	uint32_t channels = SIZE_TO(320, 1, 3, 8, 10, 24, 31, 32, 33, 40, 64, 65, 96, 96, 100, 127,
				    128, 128, 129, 130, 144, 160, 192, 240, 256, 300);
	uint32_t multiplier = SIZE_TO(5, 1, 1, 1, 1, 2, 3), n, h, w, outputs;
	uint8_t type = random_below(6) ? random_8bit() : NN_TYPE_INT32;

	if (is_large)
		channels = multiplier = 1;
	if (is_halved) {
		channels = SIZE_TO(300, 8, 10, 16, 24, 24, 31, 32, 40, 42, 48, 63, 64, 65, 96, 96,
				   100, 112, 127, 128, 129, 144, 192, 256);
		multiplier = 1;
		type = random_8bit();
	}
	if (is_grouped)
		channels = random_below(5) < 2 ? random_range(8, 63) : 24;
	if (is_five_halved)
		channels = five_channels();
	if (is_few) {
		channels = random_range(1, 9);
		multiplier = random_below(4) ? random_range(1, 12) : random_range(13, 140);
	}
	if (is_words)
		type = random_8bit();
	if (is_same) {
		channels = SIZE_TO(500, 8, 10, 24, 31, 32, 33, 64, 96, 100, 127, 128, 129, 144, 160,
				   192, 200, 256, 300, 384, 576, 960);
		multiplier = 1;
		type = random_8bit();
	}
	if (is_five) {
		channels = five_channels();
		multiplier = 1;
		type = random_8bit();
	}
	outputs = channels * multiplier;
	do {
		begin_call(NN_OPCODE_DEPTHWISE_CONV2D);
		if (is_large)
			random_large_window(&n, &h, &w);
		else if (is_far)
			random_far(channels, &n, &h, &w);
		else if (is_words)
			random_words(is_few, channels, &n, &h, &w);
		else if (is_five_halved)
			random_five(2, channels, &n, &h, &w);
		else if (is_same)
			random_same_width(channels, &n, &h, &w);
		else if (is_five)
			random_five(1, channels, &n, &h, &w);
		else if (is_grouped)
			random_grouped(channels, &n, &h, &w);
		else if (is_dilated)
			random_dilated(channels, &n, &h, &w);
		else if (is_three)
			random_three_rows(is_halved, channels, &n, &h, &w);
		else
			random_window(3, channels, &n, &h, &w);
	} while (!is_large &&
		 n * h * w * outputs * op.window.kernel_h * op.window.kernel_w >
			 (is_five || is_five_halved || is_halved ? 30 :
			  is_three || is_words || is_far	 ? 16 :
								   1) *
				 RANDOM_WORK);
	random_output(type, DIMS(n, h, w, outputs));
	random_constant(1, NN_TYPE_INT8,
			depthwise_weight_bytes(outputs, op.window.kernel_h, op.window.kernel_w));
	/* Half of them; those that the sums' assembly has a way of its own for more often. */
	call.input[1].zero_point =
		random_below(2) ? 0 : PICK(-128, -127, -1, 127, random_range(-128, 127));
	random_biases(2, repeated_lanes(outputs), 1 << 15);
	random_outputs(outputs, is_three || is_words || is_far);
}

/*
 * Returns the packets that pairs of columns can take with kernels of 5x5 and stride 2, for which
 * every other row of sums is made and left out elsewhere: vectors of a pixel or of several, copies
 * of their rows, and constants.
 */
static uint32_t most_of_pairs(uint32_t channels, uint32_t rows, uint32_t columns)
{
	uint32_t slices = (channels + 127) / 128, vectors = columns * slices, sets = 0;

	if (channels <= 96) {
		vectors = (columns * channels + 127) / 128;
		sets = vectors < channels ? vectors : channels;
	}
	return 1300 + vectors * (33 * (rows + 2) + 80) + sets * 350 +
	       slices * (2 * rows + 3) * (columns + 2) * 5;
}

/*
 * Returns the most packets with stride 2, less than 64 channels and padding as groups of pixels
 * have them; or 0.
 */
static uint32_t most_of_groups(uint32_t channels, uint32_t rows, uint32_t columns)
{
	const struct nn_window_params *window = &op.window;
	const struct nn_tensor *in = &call.input[0];
	uint32_t groups = (columns + 128 / channels - 1) / (128 / channels);

	return channels >= 8 && rows >= 3 && window->pad_top < 2 && window->pad_left < 2 &&
			       2 * rows <= in->dims[1] + window->pad_top &&
			       2 * columns <= in->dims[2] + window->pad_left &&
			       in->dims[2] * channels >= 384 && columns * channels > 128 ?
		       1200 + 55 * groups * rows : 0;
}

/*
 * Returns the packets that assembly straight from the image can take, and nothing else does, if
 * weights have no zero point: where stride 1 leaves the width as it is, with two rows of sums more
 * where there is no padding, and where stride 2 has vectors of two pixels or more. And what it can
 * take with kernels of 5x5, whose rows are copied, and which read four more of them.
 */
static uint32_t most_of_sums(void)
{
	const struct nn_window_params *window = &op.window;
	const struct nn_tensor *in = &call.input[0], *out = &call.output[0];
	uint32_t vectors = (out->bytes + 127) / 128, rows = out->dims[1], channels = in->dims[3];
	bool is_halved = window->stride_h == 2 && window->stride_w == 2;

	if (channels != out->dims[3] || out->type == NN_TYPE_INT32)
		return 0;
	if (window->kernel_h == 5 && window->kernel_w == 5 && window->stride_h == 1)
		return rows * out->dims[2] * 25 * channels > 5000 ?
			       3000 + (vectors / rows + 2) * (45 * (rows + 4) + 200) : 0;
	if (window->kernel_h == 5 && window->kernel_w == 5 && is_halved)
		return channels >= 8 && in->dims[2] * channels >= 128 ?
			       in->dims[0] * most_of_pairs(channels, rows, out->dims[2]) : 0;
	if (window->kernel_h != 3 || window->kernel_w != 3)
		return 0;
	if (window->stride_h == 1 && window->stride_w == 1)
		return in->dims[2] == out->dims[2] && window->pad_top < 2 &&
				       in->dims[1] + window->pad_top > rows ?
			       1300 + 38 * vectors / rows * (rows + 2) : 0;
	if (is_halved && channels < 64)
		return in->dims[0] * most_of_groups(channels, rows, out->dims[2]);
	/* Half of a pixel's last vector is empty, or more. */
	return is_halved && channels % 128 && channels % 128 <= 64 ? 1300 + 38 * vectors : 0;
}

/*
 * Returns the most packets. With a zero point sums are made twice, and added; those of 128 are
 * added twice.
 */
static uint32_t most_packets(void)
{
	int32_t zero = call.input[1].zero_point;

	return most_of_sums() * (zero == -128 ? 3 : zero ? 2 : 1);
}

/* Image, channels, outputs, kernel, stride, dilation. */
static void make_large(const uint32_t *p)
{
	struct large_window shape = { p[0], p[1], p[2], p[3], p[4], p[5], 16 };

	begin_call(NN_OPCODE_DEPTHWISE_CONV2D);
	large_window(&shape);
	large_constant(1, NN_TYPE_INT8, depthwise_weight_bytes(p[2], p[3], p[3]));
	large_outputs(p[2], true);
}

/* Image, channels, kernel, stride, and how far pixels are apart in input and output. */
static void make_large_strided(const uint32_t *p)
{
	struct large_window shape = { p[0], p[1], p[1], p[2], p[3], 1, 1 };

	begin_call(NN_OPCODE_DEPTHWISE_CONV2D);
	large_window(&shape);
	large_pitches(p[4], p[5]);
	large_constant(1, NN_TYPE_INT8, depthwise_weight_bytes(p[1], p[2], p[2]));
	large_outputs(p[1], true);
}

/* Image, channels, stride: a kernel of 3x3 and padding, which goes straight from the image. */
static void make_large_padded(const uint32_t *p)
{
	struct large_window shape = { p[0], p[1], p[1], 3, p[2], 1, 16 };
	uint32_t size = (p[0] - 1) / p[2] + 1;

	begin_call(NN_OPCODE_DEPTHWISE_CONV2D);
	large_window(&shape);
	op.window.pad_top = op.window.pad_left = 1;
	large_output(NN_TYPE_UINT8, DIMS(shape.rows, size, size, p[1]));
	large_constant(1, NN_TYPE_INT8, depthwise_weight_bytes(p[1], 3, 3));
	large_outputs(p[1], true);
}

/* Image, channels, kernel, stride: weights that have a zero point. */
static void make_large_zero(const uint32_t *p)
{
	if (p[2] == 3)
		make_large_padded((const uint32_t[]){ p[0], p[1], p[3] });
	else
		make_large((const uint32_t[]){ p[0], p[1], p[1], p[2], p[3], 1 });
	call.input[1].zero_point = -128;
}

static const struct large_call large[] = {
	{ "depthwise", make_large, { 112, 32, 32, 3, 1, 1 } },
	{ "depthwise of one channel", make_large, { 3000, 1, 1, 5, 2, 1 } },
	{ "depthwise of high windows", make_large, { 1024, 1, 1, 44, 1, 1 } },
	{ "depthwise of large windows", make_large, { 300, 3, 3, 255, 1, 1 } },
	{ "depthwise of five rows", make_large, { 112, 144, 144, 5, 1, 1 } },
	{ "depthwise of many channels", make_large, { 4, 1 << 20, 1 << 20, 3, 1, 1 } },
	{ "depthwise of many outputs", make_large, { 160, 2, 128, 3, 1, 1 } },
	{ "depthwise with padding", make_large_padded, { 112, 32, 1 } },
	{ "depthwise of pixels apart", make_large_strided, { 200, 58, 3, 1, 4116, 116 } },
	{ "depthwise of short pixels apart", make_large_strided, { 300, 3, 5, 2, 8, 7 } },
	{ "depthwise of large windows apart", make_large_strided, { 300, 1, 255, 1, 4096, 4096 } },
	{ "depthwise with padding, few pixels", make_large_padded, { 7, 4000, 1 } },
	{ "depthwise with padding, stride 2", make_large_padded, { 112, 144, 2 } },
	{ "depthwise with a zero point", make_large_zero, { 112, 32, 3, 1 } },
	{ "depthwise with a zero point, stride 2", make_large_zero, { 112, 144, 3, 2 } },
	{ "depthwise with a zero point, five rows", make_large_zero, { 112, 144, 5, 1 } },
	{ "depthwise with a zero point, large windows", make_large_zero, { 300, 3, 90, 1 } },
};

const struct kernel_test nn_depthwise_conv2d_test = {
	.make_random = make_random,
	.scales = 3,
	.random_calls = 200,
	.pitched_calls = 70,
	.most_packets = most_packets,
	.quick_calls = 81,
	.large = large,
	.large_calls = COUNT(large),
};
