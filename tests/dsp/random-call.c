// SPDX-License-Identifier: MIT
/*
 * Random operands of a call (random-call.h).
 */
#include "dsp/program/pack.h"
#include "random-call.h"

/*
 * This is the most that is drawn, so that operands whose pixels have a pitch are still placed
 * quickly.
 */
#define RANDOM_SPAN	(256u << 10)

/* Bytes that nobody has written. */
#define UNWRITTEN	0x5a

static struct guarded operand[NN_MAX_OP_INPUTS];
static struct guarded more_output[NN_MAX_OP_OUTPUTS];
static uint8_t kept_output[NN_MAX_OP_OUTPUTS][GUARDED_SIZE];

void random_calls_create(void)
{
	for (uint32_t i = 0; i < COUNT(operand); i++)
		guarded_create(&operand[i]);
	for (uint32_t i = 1; i < COUNT(more_output); i++)
		guarded_create(&more_output[i]);
}

uint32_t call_number;

void random_begin(uint32_t kind, uint32_t number)
{
	random_restart(kind, number);
	call_number = number;
}

void random_call(enum nn_opcode opcode, uint32_t number)
{
	random_begin(opcode, number);
	kernel_tests[opcode]->make_random();
}

uint32_t random_pick(const uint32_t *list, uint32_t count)
{
	return list[random_below(count)];
}

uint32_t random_size_of(uint32_t least, uint32_t most, const uint32_t *list, uint32_t count)
{
	if (random_below(2))
		return random_pick(list, count);
	return random_range(least, least + ((most - least) >> random_below(4)));
}

uint32_t random_rows(void)
{
	return random_below(16) ? random_below(4) : random_range(4, 9);
}

void random_vectors(uint32_t length, uint32_t *rows, uint32_t *vectors)
{
	do {
		*rows = random_rows();
		*vectors = SIZE_TO(9, 1, 1, 2);
	} while (*rows > 1 && *rows * *vectors * length > RANDOM_WORK);
}

uint32_t random_dims(uint32_t rows, uint32_t elements, uint32_t dims[NN_MAX_RANK])
{
	uint32_t rank = random_below(2) ? 2 : random_range(2, NN_MAX_RANK);

	dims[0] = rows;
	for (uint32_t i = rank - 1; i > 1; i--) {
		/* Pixels of any length, and before them small dimensions. */
		dims[i] = random_range(1, i == rank - 1 ? elements : 5);
		if (dims[i] > elements)
			dims[i] = elements;
		elements /= dims[i];
	}
	dims[1] = elements;
	return rank;
}

uint8_t random_8bit(void)
{
	return random_below(2) ? NN_TYPE_INT8 : NN_TYPE_UINT8;
}

uint32_t random_size(void)
{
	return random_below(3) ? random_range(1, 700)
			       : PICK(1, 31, 32, 127, 128, 129, 256, 384, 385, 5000);
}

static int32_t random_zero_point(uint8_t type)
{
	int32_t low = type == NN_TYPE_INT8 ? -128 : 0;

	if (random_below(4) == 0)
		return random_below(2) ? low : low + 255;
	return low + (int32_t)random_below(256);
}

void random_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe_tensor(&call.input[i], type, rank, dims, NULL);
	call.input[i].data = guarded_place(&operand[i], call.input[i].bytes, nn_type_size(type));
	random_fill(call.input[i].data, call.input[i].bytes);
	if (type == NN_TYPE_INT8 || type == NN_TYPE_UINT8)
		call.input[i].zero_point = random_zero_point(type);
}

void random_constant(uint32_t i, uint8_t type, uint32_t elements)
{
	describe_constant(&call.input[i], type, elements, NULL);
	call.input[i].data = guarded_place(&operand[i], call.input[i].bytes, 128);
	random_fill(call.input[i].data, call.input[i].bytes);
}

void random_output(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	bool wide = type == NN_TYPE_INT16;
	int32_t low = wide ? INT16_MIN : type == NN_TYPE_INT8 ? -128 : 0;
	int32_t values = wide ? 65536 : 256, a = random_below(values), b = random_below(values);
	bool is_narrowed;

	describe_tensor(&call.output[0], type, rank, dims, NULL);
	if (type == NN_TYPE_INT32)
		return;
	call.output[0].zero_point = wide ? 0 : random_zero_point(type);
	is_narrowed = random_below(3) == 0;
	if (!nn_opcode_is_clamped(op.opcode))
		return;
	op.out_min = low;
	op.out_max = low + values - 1;
	if (is_narrowed) {
		op.out_min = low + (a < b ? a : b);
		op.out_max = low + (a < b ? b : a);
	}
}

void random_more_output(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	struct nn_tensor *output = &call.output[i];

	describe_tensor(output, type, rank, dims, NULL);
	output->data = guarded_place(&more_output[i], output->bytes, nn_type_size(type));
	memset(output->data, UNWRITTEN, output->bytes);
}

void keep_more_outputs(void)
{
	for (uint32_t i = 1; i < NN_MAX_OP_OUTPUTS; i++) {
		struct nn_tensor *output = &call.output[i];

		if (!output->type)
			continue;
		memcpy(kept_output[i], output->data, output->bytes);
		memset(output->data, UNWRITTEN, output->bytes);
	}
}

bool are_more_outputs_kept(const char *how)
{
	for (uint32_t i = 1; i < NN_MAX_OP_OUTPUTS; i++) {
		const struct nn_tensor *output = &call.output[i];
		uint32_t equal;

		if (!output->type)
			continue;
		equal = count_equal(output->data, kept_output[i], output->bytes);
		if (equal < output->bytes) {
			print("# byte %u of %u of output %u differs (%s)\n", equal,
			      (uint32_t)output->bytes, i, how);
			return false;
		}
		if (!guarded_check(&more_output[i]))
			return false;
	}
	return true;
}

uint32_t span_of(const struct nn_tensor *tensor)
{
	return nn_tensor_end(tensor) - tensor->data;
}

void copy_elements(const struct nn_tensor *tensor, uint8_t *to, const uint8_t *from)
{
	uint32_t pixel = tensor->rank > 1 ? nn_pixel_bytes(tensor) : tensor->row_bytes;

	for (uint32_t i = 0; i < tensor->bytes; i += pixel, to += tensor->pitch, from += tensor->pitch)
		memcpy(to, from, pixel);
}

bool is_output(const uint8_t *out, const uint8_t *wanted, const char *how)
{
	uint32_t bytes = span_of(&call.output[0]), i = count_equal(out, wanted, bytes);

	if (i < bytes)
		print("# byte %u of %u: %d, should be %d (%s)\n", i, bytes, out[i], wanted[i], how);
	return i == bytes;
}

bool can_be_in_place(const struct nn_tensor *tensor)
{
	const struct nn_tensor *out = &call.output[0];

	return tensor->bytes == out->bytes &&
	       nn_type_size(tensor->type) == nn_type_size(out->type) &&
	       tensor->row_pitch == out->row_pitch &&
	       (nn_tensor_is_dense(out) || tensor->pitch == out->pitch);
}

static void set_pitch(struct nn_tensor *tensor, uint32_t pitch)
{
	tensor->row_pitch = tensor->row_pitch / tensor->pitch * pitch;
	tensor->pitch = pitch;
}

static uint32_t draw_pitch(const struct nn_tensor *tensor)
{
	uint32_t pixel = nn_pixel_bytes(tensor), size = nn_type_size(tensor->type);
	uint32_t more = PICK(0, 1, 8, 31, 32, 64, 96, 128, 200, 256, pixel / size);

	if (random_below(2))
		more = random_below(256);
	/* Often a multiple of vectors, or what a larger image has that is. */
	if (random_below(4) == 0)
		return (pixel + 128 * size) / (128 * size) * (128 * size);
	return pixel + more * size;
}

/* Whether there is room for any pitch that is drawn. */
static bool has_room(const struct nn_tensor *tensor)
{
	uint32_t pixel, most;

	if (tensor->rank < 2)
		return false;
	pixel = nn_pixel_bytes(tensor);
	most = 2 * pixel + 256 * nn_type_size(tensor->type);
	return tensor->bytes / pixel * most <= RANDOM_SPAN;
}

bool can_be_pitched(uint32_t opcode)
{
	static const bool outputs[NN_OPCODE_END] = {
#define NN_PITCHED(ID, inputs) [NN_OPCODE_##ID] = true,
#include "dsp/program/operators.h"
	};

	return outputs[opcode];
}

/* Places an operand with other bytes between its pixels. */
static void place_strided(uint32_t i, uint32_t pitch)
{
	static uint8_t elements[GUARDED_SIZE];
	struct nn_tensor *in = &call.input[i];
	uint32_t pixel = nn_pixel_bytes(in);
	const uint8_t *from = elements;

	memcpy(elements, in->data, in->bytes);
	set_pitch(in, pitch);
	in->data = guarded_place(&operand[i], span_of(in), nn_type_size(in->type));
	random_fill(in->data, span_of(in));
	for (uint64_t at = 0; at < in->bytes; at += pixel, from += pixel)
		memcpy(in->data + at / pixel * in->pitch, from, pixel);
}

bool random_pitch(uint32_t i)
{
	if (!has_room(&call.input[i]))
		return false;
	place_strided(i, draw_pitch(&call.input[i]));
	return true;
}

bool random_pitches(void)
{
	uint32_t inputs = nn_opcode_pitched_inputs(op.opcode);
	struct nn_tensor *out = &call.output[0];

	if (!can_be_pitched(op.opcode) || !has_room(out))
		return false;
	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		if ((inputs >> i & 1) && !has_room(&call.input[i]))
			return false;
	}
	if (random_below(4))
		set_pitch(out, draw_pitch(out));
	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		const struct nn_tensor *in = &call.input[i];

		if (!(inputs >> i & 1) || random_below(4) == 0)
			continue;
		/* Often that of the output, so that this can be in place. */
		if (nn_pixel_bytes(in) == nn_pixel_bytes(out) && random_below(2))
			place_strided(i, out->pitch);
		else
			place_strided(i, draw_pitch(in));
	}
	return true;
}

/*
 * A scale that brings accumulators of about `magnitude` to the range of bytes, or, rarely,
 * something extreme.
 */
static uint32_t draw_scale(uint32_t magnitude)
{
	uint32_t mantissa = random_bits() & 0x7fffff, exponent;

	switch (random_below(8)) {
	case 0:		/* few bits: many ties */
		mantissa &= 0x700000;
		break;
	case 1:
		mantissa = 0;
		break;
	}
	exponent = 127 + 7 - (32 - __builtin_clz(magnitude | 1));
	switch (random_below(40)) {
	case 0:
		exponent = 1 + random_below(254);
		break;
	case 1:
		exponent -= random_below(16);
		break;
	case 2:
		exponent += random_below(8);
		break;
	default:
		exponent -= random_below(3);
		break;
	}
	return exponent << 23 | mantissa;
}

float drawn_scale[MOST_OUTPUTS];

void random_scales(uint32_t outputs, uint32_t magnitude)
{
	uint32_t kind = random_below(6);
	uint32_t exponent = 127 + 4 - (32 - __builtin_clz(magnitude | 1));

	for (uint32_t m = 0; m < outputs; m++)
		drawn_scale[m] = float_of(draw_scale(magnitude));
	/* None extreme, whose products have many bits, or all few; once in a while but for one. */
	for (uint32_t m = 0; kind < 3 && m < outputs; m++)
		drawn_scale[m] = float_of((exponent + random_below(3)) << 23 |
					   (random_bits() & (kind ? 0x7fffff : 0x700000)));
	if (kind < 3 && outputs && random_below(2))
		drawn_scale[random_below(outputs)] = float_of(draw_scale(magnitude));
}

void pack_scales(uint32_t i, uint32_t outputs, const uint32_t *reach, bool is_repeated)
{
	uint32_t lanes = is_repeated ? nn_pack_repeated_lanes(outputs) : nn_pack_lanes(outputs);
	struct nn_tensor *scales = &call.input[i];

	describe_tensor(scales, NN_TYPE_INT32, DIMS(NN_SCALE_ROWS, lanes), NULL);
	scales->packed = true;
	scales->data = guarded_place(&operand[i], scales->bytes, 128);
	nn_pack_scales((int32_t *)scales->data, lanes, is_repeated ? lanes : outputs, drawn_scale,
		       reach, outputs);
}

uint32_t reach_of(const struct nn_tensor *input, int32_t bias, int64_t positive, int64_t negative)
{
	int64_t least = input->type == NN_TYPE_INT8 ? -128 : 0, greatest = least + 255;
	int64_t most = bias + greatest * positive - least * negative;
	int64_t fewest = bias + least * positive - greatest * negative;

	most = most > -fewest ? most : -fewest;
	return most < NN_ANY_SUM ? most : NN_ANY_SUM;
}

float random_any_scale(void)
{
	uint32_t exponent = random_range(1, 254);

	/* Often at the ends, where products leave float32's range. */
	if (random_below(2))
		exponent = random_below(2) ? random_range(1, 9) : random_range(246, 254);
	return float_of(exponent << 23 | (random_bits() & 0x7fffff));
}

static float draw_scale_like(float like)
{
	uint32_t exponent = bits_of(like) >> 23;

	switch (random_below(13)) {
	case 0:
		return random_any_scale();
	case 1: case 2: case 3:
		exponent += random_range(0, 24) - 12;
		break;
	case 4: case 5:
		return like;
	case 6: case 7:
		exponent += random_range(0, 2) - 1;
		return float_of(exponent << 23 | (bits_of(like) & 0x7fffff));
	case 8: case 9: case 10:
		like = like * (float)random_range(1, 60) / (float)random_range(1, 60);
		return float_of(bits_of(like) + random_below(3) - 1);
	default:
		exponent += random_range(0, 2) - 1;
		break;
	}
	return float_of((exponent < 1 || exponent > 254 ? 127 : exponent) << 23 |
			(random_bits() & 0x7fffff));
}

/* A part of what is hardly normal is not. */
float random_scale_like(float like)
{
	float scale;

	do {
		scale = draw_scale_like(like);
	} while (!(scale >= __FLT_MIN__ && scale <= __FLT_MAX__));
	return scale;
}

void random_biases(uint32_t i, uint32_t elements, uint32_t magnitude)
{
	random_constant(i, NN_TYPE_INT32, elements);
	if (random_below(8) == 0)
		return;		/* any 32 bits: sums wrap around */
	for (uint32_t m = 0; m < elements; m++)
		((int32_t *)call.input[i].data)[m] =
			(int32_t)random_below(2 * magnitude + 1) - (int32_t)magnitude;
}

static void axis(uint32_t kernel, uint32_t max_dilation, uint32_t size, uint32_t *stride,
		 uint32_t *dilation, uint32_t *pad, uint32_t *out)
{
	uint32_t windows;

	*stride = random_range(1, random_below(8) ? 3 : PICK(9, 9, 255));
	if (max_dilation > 1 && random_below(12) == 0)
		max_dilation = 255;
	*dilation = random_below(4) ? 1 : random_range(1, max_dilation);
	*pad = random_below(3) ? 0 : random_below((kernel - 1) * *dilation + 1);
	windows = (size + *pad - 1) / *stride + 1;
	*out = random_below(3) ? windows : random_range(1, windows);
	/* Without any padding, often. */
	if (*pad == 0 && random_below(2) && size >= (kernel - 1) * *dilation + 1)
		*out = (size - (kernel - 1) * *dilation - 1) / *stride + 1;
}

void random_window(uint32_t max_dilation, uint32_t channels, uint32_t *n, uint32_t *out_h,
		   uint32_t *out_w)
{
	random_window_of(random_8bit(), max_dilation, channels, n, out_h, out_w);
}

void random_window_of(uint8_t type, uint32_t max_dilation, uint32_t channels, uint32_t *n,
		      uint32_t *out_h, uint32_t *out_w)
{
	struct nn_window_params *w = &op.window;
	uint32_t h, width, most = type == NN_TYPE_FLOAT32 ? 1000 : 255;

	do {
		*n = random_below(2) ? 1 : random_rows();
		h = random_range(1, 12);
		width = random_range(1, random_below(8) ? 12 : 70);
	} while (*n * h * width * channels > RANDOM_WORK);
	w->kernel_h = SIZE_TO(9, 1, 1, 2, 3, 3, 3, 4, 5, 7);
	w->kernel_w = random_below(3) ? w->kernel_h : random_range(1, 9);
	/* Far more than the image has. */
	if (random_below(24) == 0)
		w->kernel_h = random_range(1, most);
	if (random_below(24) == 0)
		w->kernel_w = random_range(1, w->kernel_h > 255 ? 65 : most);
	axis(w->kernel_h, max_dilation, h, &w->stride_h, &w->dilation_h, &w->pad_top, out_h);
	axis(w->kernel_w, max_dilation, width, &w->stride_w, &w->dilation_w, &w->pad_left, out_w);
	random_input(0, type, DIMS(*n, h, width, channels));
}
