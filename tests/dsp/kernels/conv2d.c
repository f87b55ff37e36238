// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of CONV2D, see kernel-test.h.
 */
#include "weighted.h"

/*
 * Draws a window so high that it is done in several strips, and without padding, so that it is read
 * in place.
 */
static void random_high_window(uint32_t channels, uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	uint32_t height = random_range(60, 100), width = random_range(3, 9);
	uint32_t stride = random_range(1, 2);

	op.window = window_of(2, random_range(1, 3), stride, 1);
	*n = random_range(1, 2);
	*out_h = (height - 2) / stride + 1;
	*out_w = width - op.window.kernel_w + 1;
	random_input(0, random_8bit(), DIMS(*n, height, width, channels));
}

/* Draws so many windows of few channels that it is worth some preparation to lay them out. */
static void random_many_windows(uint32_t channels, uint32_t *n, uint32_t *out_h, uint32_t *out_w)
{
	uint32_t size = random_range(1, 5), pad = random_below(size), stride = random_range(1, 3);
	uint32_t length = stride * random_range(46, 52);

	op.window = window_of(random_range(1, 2), size, 1, stride);
	op.window.pad_left = pad;
	*n = 1;
	*out_h = 50;
	*out_w = (length + pad - 1) / stride + 1;
	random_input(0, random_8bit(), DIMS(1, 50, length, channels));
}

/* Windows of one column, without padding. */
static void column_window(uint32_t kernel_h)
{
	op.window = window_of(kernel_h, 1, 1, 1);
}

/* A width of one or two tiles, or many, of so many products a pixel. */
static uint32_t tiles_width(uint32_t products)
{
	uint32_t width = random_range(4, PICK(9, 17, 33, 90)), most = 4 * RANDOM_WORK / products;

	return width < 9 || width <= most ? width : most < 9 ? 9 : most;
}

/*
 * Scales and biases of each kind that the assembly's constants tell apart
 * (dsp/hvx/conv2d/constants.c).
 */
static void tile_scales(uint32_t outputs, uint32_t kernel_h, uint32_t channels)
{
	int32_t *bias = (int32_t *)call.input[2].data;
	uint32_t kind = PICK(0, 1, 1, 1, 2, 2, 3, 4, 5, 5);
	uint32_t small = PICK(17, 17, 18, 20, 24), exact = random_range(4, 8);

	if (!kind)
		return;
	for (uint32_t m = 0; m < outputs; m++) {
		uint32_t scale;

		switch (kind) {
		case 1:
		case 2:		/* multiples of 2^-16: many ties */
			scale = (127 - exact - random_below(2)) << 23 |
				   (random_bits() & 0x600000);
			break;
		case 3:		/* such that sums are far more than 2^24, some shifted right */
			scale = (127 - small) << 23 | (random_bits() & 0x7fffff);
			bias[m] = (int32_t)random_bits() / 2;
			break;
		case 4:		/* and far past what can be shifted; and past 2^31 */
			scale = (127 - random_range(1, 3)) << 23 | (random_bits() & 0x7fffff);
			if (random_below(3) == 0)
				scale = 0x4f000200;
			break;
		default:	/* the same, of multiples of 2^-16; and multipliers next to 2^31 */
			scale = random_below(2) ? (127 - random_range(1, 3)) << 23
						   : 0x3c7fffff - random_below(300);
			break;
		}
		drawn_scale[m] = float_of(scale);
	}
	/* One that is no such multiple makes ties something that is not sure. */
	if (kind == 2)
		drawn_scale[random_below(outputs)] = float_of(0x3c888889);
	pack_weighted_scales(outputs, kernel_h, 1, channels);
}

/*
 * One result alone that float32 rounds otherwise than the product does: 5 times 0.1f is a little
 * more than a half, and a half in float32, which goes to the even 0. So each place of a tile has to
 * be looked at. Or four, two outputs of two pixels, or very many.
 */
static void make_tie(void)
{
	uint32_t channels = SIZE_TO(140, 4, 8, 16, 24, 32, 40, 56, 64, 72);
	uint32_t outputs = SIZE_TO(200, 24, 32, 64, 64, 96, 128, 144);
	uint32_t width = random_below(5) ? tiles_width(channels * outputs) : 1;
	uint32_t row = conv2d_row_length(1, channels), count = PICK(1, 1, 2, 12);

	begin_call(NN_OPCODE_CONV2D);
	column_window(1);
	random_input(0, random_8bit(), DIMS(1, 1, width, channels));
	random_output(random_8bit(), DIMS(1, 1, width, outputs));
	op.out_min = call.output[0].type == NN_TYPE_INT8 ? -128 : 0;
	op.out_max = op.out_min + 255;
	call.output[0].zero_point = op.out_min + 100;
	random_weighted(outputs, 1, 1, channels);
	call.input[0].zero_point = call.input[1].zero_point = 0;

	memset(call.input[0].data, 0, call.input[0].bytes);
	memset(call.input[1].data, 0, call.input[1].bytes);
	memset(call.input[2].data, 0, call.input[2].bytes);
	for (uint32_t i = 0; i < outputs; i++)
		drawn_scale[i] = 0.1f;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t m = random_below(outputs), pixel = random_below(width);
		uint8_t *weights = call.input[1].data + m / 32 * row * 32;

		for (uint32_t k = 0; k < channels; k++)
			weights[conv2d_weight_offset(m, k)] = 5;
		memset(call.input[0].data + pixel * channels, 0, channels);
		call.input[0].data[pixel * channels + random_below(channels)] = 1;
	}
	pack_weighted_scales(outputs, 1, 1, channels);
}

/*
 * Makes tiles for the assembly, whose products are so few and so many that the last tile's results
 * are finished among them in each of the ways that there are, of one tile, two, and more.
 */
static void make_tiles(void)
{
	uint32_t channels = SIZE_TO(200, 8, 16, 24, 32, 40, 40, 48, 48, 56, 64, 72, 136);
	uint32_t kernel = PICK(1, 1, 1, 1, 2, 3);
	uint32_t outputs = SIZE_TO(200, 24, 32, 64, 64, 66, 70, 96, 128, 160);
	uint32_t rows = random_range(1, 4);
	uint32_t width = tiles_width(kernel * channels * outputs) / rows + 1;

	begin_call(NN_OPCODE_CONV2D);
	column_window(kernel);
	random_input(0, random_8bit(), DIMS(1, rows + kernel - 1, width, channels));
	random_output(random_8bit(), DIMS(1, rows, width, outputs));
	random_weighted(outputs, kernel, 1, channels);
	tile_scales(outputs, kernel, channels);
}

/*
 * The 24 outputs that the assembly packs, of enough products for that or a few less, and of rows
 * that begin anywhere, or often at a multiple of 64 bytes.
 */
static void make_packed(void)
{
	uint32_t kernel = random_range(1, 3), channels = 8 * random_range(4, 40 / kernel);
	uint32_t rows = random_range(1, 3), width = random_range(1, 50 / rows);

	if (random_below(2))
		width = (width + 7) / 8 * 8;
	begin_call(NN_OPCODE_CONV2D);
	column_window(kernel);
	random_input(0, random_8bit(), DIMS(1, rows + kernel - 1, width, channels));
	random_output(random_8bit(), DIMS(1, rows, width, 24));
	random_weighted(24, kernel, 1, channels);
	if (random_below(2)) {
		tile_scales(24, kernel, channels);
		return;
	}
	/* Multiples of 2^-16 that bring most sums between the clamps. */
	for (uint32_t m = 0; m < 24; m++)
		drawn_scale[m] = float_of((127 - random_range(10, 13)) << 23 |
					  (random_bits() & 0x600000));
	pack_weighted_scales(24, kernel, 1, channels);
}

/*
 * Pixels that fill vectors, alone or several together, or do not, so many that they are summed up
 * at once. Weights are all zero, so that results are sums times the zero point.
 */
static void make_sums(void)
{
	uint32_t channels = SIZE_TO(300, 16, 24, 32, 40, 64, 72, 112, 128);
	uint32_t width = random_range(33, 140);

	begin_call(NN_OPCODE_CONV2D);
	column_window(1);
	random_input(0, random_8bit(), DIMS(1, 1, width, channels));
	random_output(random_8bit(), DIMS(1, 1, width, 8));
	op.out_min = call.output[0].type == NN_TYPE_INT8 ? -128 : 0;
	op.out_max = op.out_min + 255;
	random_weighted(8, 1, 1, channels);
	memset(call.input[1].data, 0, call.input[1].bytes);
	call.input[1].zero_point = random_range(1, 16);
	pack_weighted_scales(8, 1, 1, channels);
}

/*
 * Sums that make results next to a half, on the side on which float32 puts them or on the other: it
 * rounds the sum, and the product. Weights are all zero, so that a sum is the bias.
 */
static void make_ties(void)
{
	uint32_t channels = SIZE_TO(100, 8, 16, 64), outputs = SIZE_TO(140, 24, 32, 64, 128);
	uint32_t rows = random_range(1, 2), width = random_range(4, 10);
	uint32_t exponent = random_range(3, 25);
	uint32_t row = conv2d_row_length(1, channels);
	int32_t *bias;

	begin_call(NN_OPCODE_CONV2D);
	column_window(1);
	random_input(0, random_8bit(), DIMS(1, rows, width, channels));
	random_output(random_8bit(), DIMS(1, rows, width, outputs));
	op.out_min = call.output[0].type == NN_TYPE_INT8 ? -128 : 0;
	op.out_max = op.out_min + 255;
	random_weighted(outputs, 1, 1, channels);
	/* But for what fills up a row. */
	for (uint32_t m = 0; m < outputs; m++) {
		uint8_t *weights = call.input[1].data + m / 32 * row * 32;

		for (uint32_t k = 0; k < channels; k++)
			weights[conv2d_weight_offset(m, k)] = call.input[1].zero_point;
	}
	bias = (int32_t *)call.input[2].data;
	for (uint32_t m = 0; m < outputs; m++) {
		/* scale = mantissa * 2^-(exponent + 23); a few 2^-16 are so many of a sum. */
		uint32_t mantissa = 1 << 23 | (random_bits() & 0x7fffff);
		uint32_t near = exponent > 16 ? 4u << (exponent - 16) : 1;
		uint64_t half = 2 * random_below(200) + 1;
		int32_t sum = (half << (exponent + 22)) / mantissa;

		sum += (int32_t)random_below(2 * near + 1) - (int32_t)near;
		bias[m] = random_below(2) ? sum : -sum;
		drawn_scale[m] = float_of((127 - exponent) << 23 | (mantissa & 0x7fffff));
	}
	pack_weighted_scales(outputs, 1, 1, channels);
}

/*
 * First layers: so many windows of few channels that these are laid out with a permutation, with
 * padding on each side or none, and rows of the image that end with a window or do not.
 */
static void make_windows(void)
{
	uint32_t channels = random_range(1, 6), outputs = PICK(1, 8, 16, 24, 32, 48);
	uint32_t height = random_range(1, 3), width = random_range(1, 5);
	uint32_t stride_h = random_range(1, 2), stride_w = random_range(1, 4);
	uint32_t rows = random_range(16, 20), columns = random_range(26, 40);
	uint32_t top = random_below(height), left = random_below(width);
	uint32_t right = random_below(3) ? 0 : random_below(width), over = random_below(stride_w);
	uint32_t image_h = (rows - 1) * stride_h + height - top - random_below(height - top);
	uint32_t image_w = (columns - 1) * stride_w + width + over;

	begin_call(NN_OPCODE_CONV2D);
	op.window = window_of(height, width, stride_h, stride_w);
	op.window.pad_top = top;
	op.window.pad_left = left;
	image_w -= left + right < image_w ? left + right : 0;
	random_input(0, random_8bit(), DIMS(1, image_h, image_w, channels));
	random_output(random_8bit(), DIMS(1, rows, columns, outputs));
	random_weighted(outputs, height, width, channels);
}

/*
 * Convolutions that are divided so that they stay in L2 (dsp/hvx/conv2d/conv2d.c): weights of more
 * than 208 KiB for more than 128 pixels, in one strip read in place, in a copied one, and in two;
 * and inputs and outputs of more than that, of which strips are columns of one row or rows. And
 * more pixels of more than a vector than are summed up at a time.
 */
static const struct wide {
	uint32_t height, width, channels, outputs, kernel_h, kernel_w, pad_left;
} wide[] = {
	{ 1, 133, 3600, 128, 1, 1, 0 },
	{ 11, 12, 440, 128, 3, 3, 1 },
	{ 8, 44, 880, 128, 1, 2, 1 },
	{ 1, 1800, 64, 70, 1, 1, 0 },
	{ 40, 40, 64, 8, 3, 3, 1 },
	{ 1, 300, 136, 8, 1, 1, 0 },
};

static void make_wide(const struct wide *shape)
{
	begin_call(NN_OPCODE_CONV2D);
	op.window = window_of(shape->kernel_h, shape->kernel_w, 1, 1);
	op.window.pad_top = shape->kernel_h / 2;
	op.window.pad_left = shape->pad_left;
	random_input(0, random_8bit(),
		     DIMS(1, shape->height, shape->width, shape->channels));
	random_output(random_below(6) ? random_8bit() : NN_TYPE_INT32,
		      DIMS(1, shape->height, shape->width, shape->outputs));
	random_weighted(shape->outputs, shape->kernel_h, shape->kernel_w, shape->channels);
}

/*
 * More inputs than fit half of what is known to be near, which stay there with the weights of 32
 * outputs, and not with those of 64.
 */
static void make_narrow_blocks(void)
{
	static const struct {
		uint32_t height, width, channels, outputs;
	} shapes[] = {
		{ 19, 4, 216, 128 }, { 20, 4, 216, 128 }, { 21, 4, 200, 256 },
		{ 17, 5, 200, 256 }, { 18, 5, 200, 256 },
	};
	uint32_t i = random_below(COUNT(shapes));

	begin_call(NN_OPCODE_CONV2D);
	run.l2_bytes = 64 << 10;
	column_window(2);
	op.window.pad_top = 1;
	random_input(0, random_8bit(),
		     DIMS(1, shapes[i].height, shapes[i].width, shapes[i].channels));
	random_output(random_8bit(),
		      DIMS(1, shapes[i].height, shapes[i].width, shapes[i].outputs));
	random_weighted(shapes[i].outputs, 2, 1, shapes[i].channels);
	if (random_below(3) == 0)
		tile_scales(shapes[i].outputs, 2, shapes[i].channels);
}

/*
 * A single pixel, of a window as large as the image, or of a part of it, or of one with a row below
 * zero: the first two are a row of inputs for each of the kernel's, whatever their number is.
 */
static void make_pixel(void)
{
	uint32_t height = PICK(1, 1, 1, 2, 3, 7), width = PICK(1, 1, 1, 2, 3, 7);
	uint32_t channels = SIZE_TO(180, 1, 3, 8, 16, 40, 57, 64, 72, 96, 128);
	uint32_t outputs = SIZE_TO(400, 1, 8, 16, 32, 33, 64, 70, 96, 97, 120, 128, 144, 256, 257);

	if (channels * height * width * outputs > RANDOM_WORK)
		channels = RANDOM_WORK / (height * width * outputs) + 1;
	begin_call(NN_OPCODE_CONV2D);
	op.window = window_of(height, width, random_range(1, 2), random_range(1, 2));
	op.window.dilation_h = random_below(4) ? 1 : 2;
	op.window.dilation_w = random_below(4) ? 1 : 2;
	op.window.pad_top = height > 1 && random_below(4) == 0;
	height = (height - 1) * op.window.dilation_h + 1 - op.window.pad_top;
	width = (width - 1) * op.window.dilation_w + 1;
	if (random_below(3) == 0) {
		height += random_below(op.window.stride_h);
		width += random_below(op.window.stride_w);
	}
	random_input(0, random_8bit(), DIMS(1, height, width, channels));
	random_output(random_below(6) ? random_8bit() : NN_TYPE_INT32, DIMS(1, 1, 1, outputs));
	random_weighted(outputs, op.window.kernel_h, op.window.kernel_w, channels);
	if (call.output[0].type != NN_TYPE_INT32 && random_below(3) == 0)
		tile_scales(outputs, op.window.kernel_h, op.window.kernel_w * channels);
}

static void make_random(void)
{
	bool is_high = random_below(16) == 0, is_many = random_below(4) == 0;
	uint32_t channels, outputs, n, h, w, macs;

	if (call_number % 50 == 49) {
		make_wide(&wide[call_number / 50 % COUNT(wide)]);
		return;
	}
	if (call_number % 50 == 24) {
		make_narrow_blocks();
		return;
	}
	switch (random_below(11)) {
	case 10:
		make_windows();
		return;
	case 9:
		make_pixel();
		return;
	case 0:
	case 1:
		make_tie();
		return;
	case 2:
	case 3:
		make_tiles();
		return;
	case 4:
		make_ties();
		return;
	case 5:
		make_sums();
		return;
	case 6:
		make_packed();
		return;
	}
	do {
		begin_call(NN_OPCODE_CONV2D);
		channels = SIZE_TO(300, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 40, 64,
				   72, 96, 128, 130, 136, 160, 256, 264);
		outputs = SIZE_TO(300, 1, 2, 3, 8, 10, 16, 31, 32, 33, 40, 63, 64, 65, 70, 96, 100,
				  128, 130, 192);
		if (is_high) {
			channels = SIZE_TO(24, 8);
			outputs = SIZE_TO(40, 8);
			random_high_window(channels, &n, &h, &w);
			break;
		}
		if (is_many) {
			channels = random_range(1, 6);
			outputs = random_range(1, 4);
			random_many_windows(channels, &n, &h, &w);
			break;
		}
		random_window(3, channels, &n, &h, &w);
		macs = n * h * w * channels * outputs * op.window.kernel_h * op.window.kernel_w;
	} while (macs > RANDOM_WORK ||
		 conv2d_weight_bytes(outputs, op.window.kernel_h, op.window.kernel_w, channels) >
			 GUARDED_SIZE);

	random_output(random_below(6) ? random_8bit() : NN_TYPE_INT32, DIMS(n, h, w, outputs));
	random_weighted(outputs, op.window.kernel_h, op.window.kernel_w, channels);
}

/* The portable kernel takes some for each product. */
static uint32_t most_packets(void)
{
	uint32_t outputs = call.output[0].dims[3], products = call.input[1].bytes / outputs;

	return 2500 + call.output[0].bytes * (products + 30) / 20;
}

/* Image, channels, outputs, kernel, stride, dilation. */
static void make_large(const uint32_t *p)
{
	struct large_window shape = { p[0], p[1], p[2], p[3], p[4], p[5], 2 };

	begin_call(NN_OPCODE_CONV2D);
	large_window(&shape);
	large_constant(1, NN_TYPE_UINT8, conv2d_weight_bytes(p[2], p[3], p[3], p[1]));
	large_outputs(p[2], false);
}

/* The same with padding and an output that is not scaled. */
static void make_raw(const uint32_t *p)
{
	make_large(p);
	op.window.pad_top = op.window.pad_left = (p[3] - 1) * p[5] / 2;
	large_output(NN_TYPE_INT32, 4, call.output[0].dims);
	call.input[3].type = 0;
}

/* The same with a sum and a function of it behind, of which every sum may be a tie. */
static void make_fused(const uint32_t *p)
{
	static struct nn_program_op sum_op, table_op;
	static struct nn_call sum, table;

	make_large(p);
	sum_op = (struct nn_program_op){
		.opcode = NN_OPCODE_ADD_FLOAT,
		.out_max = 255,
		.add_float = { 0.25f, 0.25f, 0.5f, NN_ADD_FUSED },
	};
	table_op.opcode = NN_OPCODE_TABLE;
	sum = table = (struct nn_call){ .op = &sum_op };
	table.op = &table_op;
	sum.input[0] = sum.input[1] = sum.output[0] = call.output[0];
	sum.input[0].zero_point = 1;
	sum.input[1].data = call.input[0].data;
	table.input[0] = table.output[0] = call.output[0];
	table.input[1] = call.input[3];
	sum.next = &table;
	call.next = &sum;
}

/* Image, channels, outputs, kernel; and so many bytes from a pixel of the input to the next. */
static void make_strided(const uint32_t *p)
{
	make_large((const uint32_t[]){ p[0], p[1], p[2], p[3], 1, 1 });
	call.input[0].pitch = p[4];
	call.input[0].row_pitch = (uint64_t)p[0] * p[0] * p[4];
}

/* Image's height and width, channels, kernel's height and width, outputs. */
static void make_oblong(const uint32_t *p)
{
	begin_call(NN_OPCODE_CONV2D);
	op.window = window_of(p[3], p[4], 1, 1);
	large_input(0, NN_TYPE_UINT8, DIMS(1, p[0], p[1], p[2]));
	large_output(NN_TYPE_UINT8, DIMS(1, p[0] - p[3] + 1, p[1] - p[4] + 1, p[5]));
	large_constant(1, NN_TYPE_UINT8, conv2d_weight_bytes(p[5], p[3], p[4], p[2]));
	large_outputs(p[5], false);
}

static const struct large_call large[] = {
	{ "conv2d", make_large, { 112, 64, 64, 3, 1, 1 } },
	{ "conv2d of many channels", make_large, { 14, 1024, 1024, 3, 1, 1 } },
	{ "conv2d of very many channels", make_large, { 2, 1 << 20, 32, 1, 1, 1 } },
	{ "conv2d of 300,000 channels", make_large, { 8, 300000, 64, 1, 1, 1 } },
	{ "conv2d of many outputs", make_large, { 5, 8, 1 << 20, 1, 1, 1 } },
	{ "conv2d of large windows", make_large, { 320, 4, 33, 255, 1, 1 } },
	{ "conv2d of wide windows", make_large, { 2000, 1, 1, 60, 1, 30 } },
	{ "conv2d of odd channels", make_large, { 400, 24, 8, 1, 1, 1 } },
	{ "conv2d of windows of one row", make_oblong, { 2000, 2000, 8, 1, 255, 1 } },
	{ "conv2d of pixels apart", make_strided, { 350, 8, 32, 1, 4104 } },
	{ "conv2d of copied pixels apart", make_strided, { 350, 8, 32, 3, 4104 } },
	{ "conv2d of odd pixels apart", make_strided, { 350, 3, 32, 1, 4097 } },
	{ "conv2d of pixels far apart", make_strided, { 20, 64, 4096, 1, 600000 } },
	{ "conv2d and what joins it", make_fused, { 112, 64, 64, 1, 1, 1 } },
	{ "conv2d, raw", make_raw, { 100, 16, 65, 31, 1, 3 } },
	{ "conv2d, raw, of many outputs", make_raw, { 3, 3, 1 << 20, 1, 1, 1 } },
};

const struct kernel_test nn_conv2d_test = {
	.make_random = make_random,
	.scales = 3,
	.random_calls = 300,
	.most_packets = most_packets,
	.quick_calls = 230,
	.quick_strided = 45,
	.large = large,
	.large_calls = COUNT(large),
};
