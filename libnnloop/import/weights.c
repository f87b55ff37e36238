// SPDX-License-Identifier: MIT
/*
 * Operators with weights, for importers: convolutions and fully connected. Weights and bias become
 * constants as nnloop's operators want them: int8, outputs first (last for the depthwise one),
 * channels last; and int32 in steps of the accumulator. Weights are steps from their zero point;
 * where that takes more than 8 bits, and it is one for all, they keep it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/build.h"

/* ---- Weights ---- */

/* The layout in which weights are packed. */
struct packing {
	uint32_t rank, dims[4];
	uint32_t output_axis;
	uint64_t output_stride, tap_stride; /* a tap in the window */
	uint32_t outputs_of_group; /* each with inputs of its own; 0: no groups */
	/* Inputs are c, h, w in the model, and go to h, w, c. 0: as they are */
	uint32_t channels, area;
};

/* Index i of an input, where the model has it and where it goes. */
static uint64_t place_input(const struct packing *packing, uint64_t i)
{
	if (!packing->channels)
		return i;
	return i % packing->area * packing->channels + i / packing->area;
}

/* Returns where the inputs of an output begin among those of all groups. */
static uint64_t first_input(const struct nn_build_weights *w, const struct packing *packing,
			    uint64_t output)
{
	return packing->outputs_of_group ? output / packing->outputs_of_group * w->inputs : 0;
}

static int read_weight(struct nn_builder *builder, const struct nn_build_weights *w, uint64_t i,
		       uint64_t output, int8_t *out)
{
	int64_t value = nn_const_int(w->parameter.values, i) -
			nn_quant_zero_point(w->parameter.quant, output);

	if (value < INT8_MIN || value > INT8_MAX)
		return nn_builder_fail(
			builder, -EOPNOTSUPP,
			"weight %" PRIu64 " is %" PRId64
			" steps from its zero point; nnloop has room for -128 to 127",
			i, value);
	*out = value;
	return 0;
}

/* Packs the weights of one output, of any type, in the order that errors are found in. */
static int pack_output(struct nn_builder *builder, const struct nn_build_weights *w,
		       const struct packing *packing, uint64_t output, int8_t *to)
{
	uint64_t first = first_input(w, packing, output);

	for (uint64_t i = 0; i < w->inputs; i++) {
		uint64_t at = first + place_input(packing, i);

		for (uint64_t y = 0; y < w->height; y++) {
			for (uint64_t x = 0; x < w->width; x++) {
				uint64_t from = output * w->output_stride + y * w->row_stride +
						x * w->column_stride + i * w->input_stride;
				uint64_t tap = y * w->width + x;
				int err = read_weight(builder, w, from, output,
						      &to[tap * packing->tap_stride + at]);

				if (err)
					return err;
			}
		}
	}
	return 0;
}

/* ---- Weights of 8 bits, which there may be a lot of ---- */

#define RUN 64u /* weights that are converted at a time */
#define TILE (8 * RUN) /* outputs or taps that are, where the model has them side by side */

struct tile {
	uint64_t output; /* the first */
	uint32_t count; /* of outputs, or of the taps of one; at most TILE */
	bool has_taps; /* side by side, those of one input behind those of another */
	int8_t *to[TILE];
	int16_t zeros[TILE]; /* by output; if it is one, all the same */
	uint8_t flip; /* turns unsigned into signed, 128 less */
};

/* False if one is out of range. */
static inline bool convert_some(const uint8_t *restrict from, uint64_t stride, uint64_t count,
				uint8_t flip, const int16_t *restrict zeros, int8_t *restrict to)
{
	int16_t wrong = 0;

	for (uint64_t i = 0; i < count; i++) {
		int16_t value = (int8_t)(from[i * stride] ^ flip) - zeros[i];

		to[i] = (int8_t)value;
		wrong |= value ^ (int8_t)value;
	}
	return !wrong;
}

/* The same; of runs that lie side by side the compiler makes a few vectors. */
static bool convert(const uint8_t *from, uint64_t stride, uint64_t count, uint8_t flip,
		    const int16_t *zeros, int8_t *to)
{
	bool good = true;

	for (; stride == 1 && count >= RUN; count -= RUN, from += RUN, zeros += RUN, to += RUN)
		good &= convert_some(from, 1, RUN, flip, zeros, to);
	return convert_some(from, stride, count, flip, zeros, to) && good;
}

/* Eight rows of eight bytes: swaps blocks of so many bytes beside the diagonal. Unrolled, the rows
 * are registers. */
static inline void swap_blocks(uint64_t rows[8], uint32_t size, uint64_t mask)
{
#pragma GCC unroll 8
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t change;

		if (i & size)
			continue;
		change = (rows[i] >> 8 * size ^ rows[i + size]) & mask;
		rows[i] ^= change << 8 * size;
		rows[i + size] ^= change;
	}
}

/* Turns eight columns of RUN inputs, each of which becomes a row. */
static void turn_columns(const int8_t *square, uint64_t pitch, int8_t to[8][RUN])
{
	for (uint32_t i = 0; i < RUN; i += 8) {
		uint64_t rows[8];

#pragma GCC unroll 8
		for (uint32_t k = 0; k < 8; k++)
			memcpy(&rows[k], &square[(i + k) * pitch], 8);
		swap_blocks(rows, 4, 0x00000000ffffffff);
		swap_blocks(rows, 2, 0x0000ffff0000ffff);
		swap_blocks(rows, 1, 0x00ff00ff00ff00ff);
#pragma GCC unroll 8
		for (uint32_t k = 0; k < 8; k++)
			memcpy(&to[k][i], &rows[k], 8);
	}
}

/*
 * Turns `count` inputs, at most RUN, of all outputs or taps of a tile: in a square first, so that
 * whole cache lines are read and written.
 */
static bool turn(const struct nn_build_weights *w, const struct tile *tile, const uint8_t *from,
		 uint64_t from_stride, uint64_t at, uint64_t count)
{
	uint64_t pitch = tile->has_taps ? tile->count : TILE;
	int8_t square[RUN * TILE], columns[8][RUN];
	bool good = true;

	memset(square + count * pitch, 0, (RUN - count) * pitch);
	for (uint64_t i = 0; tile->has_taps && i < count * pitch; i += TILE) {
		uint64_t left = count * pitch - i;

		good &= convert(from + i, 1, left < TILE ? left : TILE, tile->flip, tile->zeros,
				square + i);
	}
	for (uint64_t i = 0; !tile->has_taps && i < count; i++) {
		/* Rows are too far from each other for the processor to guess. */
		for (uint32_t o = 0; i + 4 < count && o < tile->count; o += 64)
			__builtin_prefetch(from + (i + 4) * from_stride + o);
		good &= convert(from + i * from_stride, w->output_stride, tile->count, tile->flip,
				tile->zeros, square + i * pitch);
	}
	for (uint32_t o = 0; o < tile->count; o++) {
		bool is_alone = tile->count - o / 8 * 8 < 8;

		if (o % 8 == 0 && !is_alone)
			turn_columns(square + o, pitch, columns);
		for (uint32_t i = 0; is_alone && i < RUN; i++)
			columns[o % 8][i] = square[i * pitch + o];
		/* The compiler has a quick copy of what it knows the size of. */
		if (count == RUN)
			memcpy(tile->to[o] + at, columns[o % 8], RUN);
		else
			memcpy(tile->to[o] + at, columns[o % 8], count);
	}
	return good;
}

/* Weights of `count` inputs that go to one tap behind the other, for all outputs or taps of a
 * tile. `from` has those of the first. */
static bool pack_inputs(const struct nn_build_weights *w, const struct tile *tile,
			const uint8_t *from, uint64_t from_stride, uint64_t at, uint64_t count)
{
	uint64_t most = tile->count == 1 ? TILE : RUN;
	bool good = true;

	for (uint64_t i = 0; i < count; i += most) {
		uint64_t some = count - i < most ? count - i : most;

		if (tile->count == 1)
			good &= convert(from + i * from_stride, from_stride, some, tile->flip,
					tile->zeros, tile->to[0] + at + i);
		else
			good &= turn(w, tile, from + i * from_stride, from_stride, at + i, some);
	}
	return good;
}

static bool pack_tile(const struct nn_build_weights *w, const struct packing *packing,
		      const struct tile *tile)
{
	uint64_t area = packing->channels ? packing->area : 1, count = w->inputs / area;
	const uint8_t *from = w->parameter.values->data;
	bool good = true;

	from += tile->output * w->output_stride;
	if (tile->has_taps)
		return pack_inputs(w, tile, from, w->input_stride, 0, count);
	for (uint64_t y = 0; y < w->height; y++) {
		for (uint64_t x = 0; x < w->width; x++) {
			for (uint64_t p = 0; p < area; p++)
				good &= pack_inputs(w, tile,
						    from + y * w->row_stride +
							    x * w->column_stride +
							    p * w->input_stride,
						    area * w->input_stride,
						    (y * w->width + x) * packing->tap_stride +
							    p * count,
						    count);
		}
	}
	return good;
}

/* A window, as ONNX has it: its taps side by side, input after input. */
static bool has_taps(const struct nn_build_weights *w, const struct packing *packing)
{
	uint64_t taps = (uint64_t)w->height * w->width;

	return !packing->channels && taps > 1 && taps <= TILE && w->column_stride == 1 &&
	       w->row_stride == w->width && w->input_stride == taps;
}

/* All of them; with `keep` as they are, unsigned ones 128 less. False if they are of another type,
 * or one is out of range: pack_output() says which. */
static bool pack_bytes(const struct nn_build_weights *w, const struct packing *packing, bool keep,
		       int8_t *to)
{
	enum nn_element element = w->parameter.values->element;
	bool taps = has_taps(w, packing);
	uint32_t most = !taps && w->output_stride < w->input_stride ? TILE : 1;
	struct tile tile = { .flip = element == NN_ELEMENT_UINT8 ? 0x80 : 0, .has_taps = taps };
	bool good = true;

	if (element != NN_ELEMENT_INT8 && element != NN_ELEMENT_UINT8)
		return false;
	if (packing->channels && (uint64_t)packing->channels * packing->area != w->inputs)
		return false;
	for (uint64_t o = 0; o < w->outputs; o += most) {
		uint64_t outputs = w->outputs - o < most ? w->outputs - o : most;
		int64_t zero = 0;

		tile.output = o;
		tile.count = taps ? w->height * w->width : outputs;
		for (uint32_t i = 0; i < TILE; i++) {
			uint64_t output = i < outputs ? o + i : o;
			uint64_t tap = taps && i < tile.count ? i : 0;

			if (i < outputs)
				zero = nn_quant_zero_point(w->parameter.quant, output) - tile.flip;
			if (zero < -256 || zero > 256)
				return false;
			tile.zeros[i] = keep ? 0 : zero;
			tile.to[i] = to + output * packing->output_stride +
				     tap * packing->tap_stride +
				     first_input(w, packing, output);
		}
		good &= pack_tile(w, packing, &tile);
	}
	return good;
}

/* The zero point that weights keep: as they are stored, for all of them. */
static bool find_zero_point(const struct nn_build_weights *w, int32_t *zero_point)
{
	const struct nn_quant *quant = w->parameter.quant;
	int64_t zero = nn_quant_zero_point(quant, 0);

	for (uint32_t o = 1; quant->zero_points && o < w->outputs; o++) {
		if (nn_quant_zero_point(quant, o) != zero)
			return false;
	}
	if (w->parameter.values->element == NN_ELEMENT_UINT8)
		zero -= 128;
	*zero_point = zero;
	return zero >= INT8_MIN && zero <= INT8_MAX;
}

/* Importers describe weights by their shapes, which nobody has compared with the elements yet. */
static int check_extent(struct nn_builder *builder, const struct nn_build_weights *w)
{
	uint64_t last = (w->outputs - 1) * w->output_stride + (w->height - 1) * w->row_stride +
			(w->width - 1) * w->column_stride + (w->inputs - 1) * w->input_stride;
	uint64_t count = w->parameter.values->count;

	if (!w->outputs || !w->height || !w->width || !w->inputs || last >= count)
		return nn_builder_fail(builder, -EINVAL,
				       "its weights have %" PRIu64
				       " elements, which is not what their shape says",
				       count);
	return 0;
}

static int build_weights(struct nn_builder *builder, const struct nn_build_weights *w,
			 const struct packing *packing, struct nn_build_tensor *out)
{
	const struct nn_quant *quant = w->parameter.quant;
	struct nn_tensor_info info = {
		.name = w->parameter.name,
		.type = NN_INT8,
		.rank = packing->rank,
	};
	uint64_t size = 1;
	int32_t zero_point;
	bool packed;
	int8_t *to;
	int err;

	for (uint32_t i = 0; i < packing->rank; i++) {
		info.dims[i] = packing->dims[i];
		size *= packing->dims[i];
		if (size > INT32_MAX)
			return nn_builder_fail(builder, -EOPNOTSUPP, "its weights are too large");
	}
	err = check_extent(builder, w);
	if (err)
		return err;
	to = nn_builder_alloc_kept(builder, size, 1);
	if (!to)
		return -ENOMEM;
	packed = pack_bytes(w, packing, false, to);
	if (!packed && find_zero_point(w, &zero_point)) {
		/* A group does not look there. */
		memset(to, zero_point, size);
		packed = pack_bytes(w, packing, true, to);
		info.zero_point = packed ? zero_point : 0;
	}
	for (uint64_t o = 0; o < w->outputs && !packed; o++) {
		err = pack_output(builder, w, packing, o, &to[o * packing->output_stride]);
		if (err)
			return err;
	}
	if (quant->scales) {
		info.scales = quant->scales;
		info.scale_count = w->outputs;
		info.axis = packing->output_axis;
	} else {
		info.scale = quant->scale;
	}
	return nn_build_kept_const(builder, &info, to, out);
}

/* ---- Bias ---- */

/* A float element in steps. */
static int read_float_bias(struct nn_builder *builder, const struct nn_parameter *bias, uint64_t i,
			   float step, int32_t *out)
{
	float value = nn_const_float(bias->values, i), steps = nearbyintf(value / step);

	if (!(fabsf(steps) < 0x1p24f) || steps * step != value)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its bias is not quantized");
	*out = steps;
	return 0;
}

/* An integer one, which says of what steps it is, or does not say. */
static int read_bias(struct nn_builder *builder, const struct nn_parameter *bias, uint64_t i,
		     uint32_t output, float step, int64_t *out)
{
	int64_t value = nn_const_int(bias->values, i);
	float scale = nn_quant_scale(bias->quant, i);

	if (bias->quant->scale || bias->quant->scales) {
		if (!(fabsf(scale - step) <= 1e-5f * step))
			return nn_builder_fail(
				builder, -EOPNOTSUPP,
				"element %" PRIu32
				" of its bias has scale %g; input and weights make it %g",
				output, (double)scale, (double)step);
		if (__builtin_sub_overflow(value, nn_quant_zero_point(bias->quant, i), &value))
			return nn_builder_fail(builder, -EOPNOTSUPP, "its bias is out of range");
	}
	*out = value;
	return 0;
}

/* Element o of the bias, of 32 bits, or of 64 as two words, the low one first. */
static int convert_bias(struct nn_builder *builder, const struct nn_parameter *bias,
			const struct nn_build_tensor *x, const struct nn_build_weights *w,
			uint32_t o, int32_t *to)
{
	float step = x->quant.scale * nn_quant_scale(w->parameter.quant, o);
	uint64_t i = bias->values->count == 1 ? 0 : o;
	int64_t value = 0;
	int err;

	if (bias->values->element == NN_ELEMENT_FLOAT)
		return read_float_bias(builder, bias, i, step, to);
	err = read_bias(builder, bias, i, o, step, &value);
	if (err)
		return err;
	if (x->quant.type == NN_INT16) {
		to[0] = (int32_t)(uint32_t)value;
		to[1] = value >> 32;
		return 0;
	}
	if (value < INT32_MIN || value > INT32_MAX)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its bias is out of range");
	*to = value;
	return 0;
}

static int build_bias(struct nn_builder *builder, const struct nn_parameter *bias,
		      const struct nn_build_tensor *x, const struct nn_build_weights *w,
		      struct nn_build_tensor *out)
{
	const struct nn_const *c = bias->values;
	struct nn_tensor_info info = {
		.name = bias->name, .type = NN_INT32, .rank = 1, .dims = { w->outputs }
	};
	bool wide = x->quant.type == NN_INT16;
	uint32_t words = wide ? 2 : 1;
	int32_t *values = nn_builder_alloc(builder, w->outputs, words * sizeof(*values));

	if (!values)
		return -ENOMEM;
	if (wide) {
		info.rank = 2;
		info.dims[1] = words;
	}
	if (!c)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its bias is no constant");
	if (c->count != w->outputs && c->count != 1)
		return nn_builder_fail(builder, -EINVAL,
				       "its bias has %" PRIu64 " elements for %" PRIu32 " outputs",
				       c->count, w->outputs);
	if (wide ? c->element != NN_ELEMENT_INT64 :
		   c->element != NN_ELEMENT_INT32 && c->element != NN_ELEMENT_FLOAT)
		return nn_builder_fail(builder, -EOPNOTSUPP, "its bias is of %s",
				       nn_element_name(c->element));
	for (uint32_t o = 0; o < w->outputs; o++) {
		int err = convert_bias(builder, bias, x, w, o, &values[(uint64_t)o * words]);

		if (err)
			return err;
	}
	return nn_build_const(builder, &info, values, out);
}

/* ---- Sums ---- */

#define MOST_PRODUCT (255 * 255) /* of an element and a weight, without their zero points */

/* The least and the greatest sum of output o that there can be. */
static void find_sums(const struct nn_build_tensor *x, const struct nn_build_weights *w, uint32_t o,
		      int64_t sums[2])
{
	int64_t zero = nn_quant_zero_point(w->parameter.quant, o);
	int32_t low, high;

	nn_type_range(x->quant.type, &low, &high);
	low -= x->quant.zero_point;
	high -= x->quant.zero_point;
	for (uint64_t y = 0; y < w->height; y++) {
		for (uint64_t at = 0; at < w->width * (uint64_t)w->inputs; at++) {
			uint64_t i = o * w->output_stride + y * w->row_stride +
				     at / w->inputs * w->column_stride +
				     at % w->inputs * w->input_stride;
			int64_t weight = nn_const_int(w->parameter.values, i) - zero;

			sums[weight < 0] += weight * low;
			sums[weight >= 0] += weight * high;
		}
	}
}

/*
 * Sums have 32 bits, and what is more wraps around, which is no more than one step of the result
 * where that is so coarse. A bias at the end of int32 is one that was cut off there, as quantizers
 * do with channels whose weights are nearly 0.
 */
static int check_sums(struct nn_builder *builder, const struct nn_build_tensor *x,
		      const struct nn_build_weights *w, const struct nn_parameter *bias,
		      const struct nn_quant *quant)
{
	const int64_t most = (int64_t)(w->inputs * (uint64_t)w->height * w->width) * MOST_PRODUCT;

	if (!w->is_real || !nn_type_is_8bit(x->quant.type) || !nn_type_is_8bit(quant->type))
		return 0;
	for (uint32_t o = 0; o < w->outputs; o++) {
		float by = x->quant.scale * nn_quant_scale(w->parameter.quant, o) / quant->scale;
		int32_t first = 0;
		int err = bias ? convert_bias(builder, bias, x, w, o, &first) : 0;
		int64_t sums[2] = { first, first };

		if (err)
			return err;
		if ((first - most >= INT32_MIN && first + most <= INT32_MAX) || 0x1p32f * by < 0.5f)
			continue;
		find_sums(x, w, o, sums);
		if (sums[0] >= INT32_MIN && sums[1] <= INT32_MAX)
			continue;
		return nn_builder_fail(
			builder, -EOPNOTSUPP,
			"its sums for output %" PRIu32 ", with a bias of %" PRId32 ", are %" PRId64
			" to %" PRId64 ", which their 32 bits cannot hold\n"
			"quantize its weights, or those of this output, with a larger scale",
			o, first, sums[0], sums[1]);
	}
	return 0;
}

/* ---- Operators ---- */

/* Checks what sums are multiplied by, a number of float32 that is made as the operators make it. */
static int check_multipliers(struct nn_builder *builder, const struct nn_build_tensor *x,
			     const struct nn_build_weights *w, const struct nn_quant *quant)
{
	for (uint32_t o = 0; o < w->outputs; o++) {
		float weights = nn_quant_scale(w->parameter.quant, o);
		float product = x->quant.scale * weights, by = product / quant->scale;

		if (!nn_type_is_8bit(x->quant.type) || !nn_type_is_8bit(quant->type) ||
		    isnormal(by))
			continue;
		return nn_builder_fail(
			builder, -EOPNOTSUPP,
			"of output %" PRIu32 " the scales %g of its input, %g of its weights and %g of "
			"its result make a factor that float32 does not have\n"
			"quantize them with the ranges that their numbers have",
			o, (double)x->quant.scale, (double)weights, (double)quant->scale);
	}
	return 0;
}

int nn_need_groups(struct nn_builder *builder, const struct nn_build_tensor *x,
		   const struct nn_build_weights *weights, int64_t group)
{
	uint32_t channels = x->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)];

	if (group < 1 || group > channels || channels % group ||
	    weights->inputs != channels / group || !weights->outputs || weights->outputs % group)
		return nn_builder_fail(builder, -EINVAL,
				       "%" PRIu32 " channels and weights of %" PRIu32 " x %" PRIu32
				       " do not fit %" PRId64 " groups",
				       channels, weights->outputs, weights->inputs, group);
	return 0;
}

int nn_build_conv(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const struct nn_build_weights *weights, uint32_t group,
		  const struct nn_parameter *bias, const struct nn_window *window,
		  const char *activation, const struct nn_quant *quant, struct nn_build_tensor *out)
{
	uint32_t channels = x->dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)];
	uint32_t outputs = weights->outputs;
	bool depthwise = group > 1 && group == channels;
	struct packing packing = {
		.rank = 4,
		.dims = { outputs, weights->height, weights->width, channels },
		.output_stride = (uint64_t)weights->height * weights->width * channels,
		.tap_stride = channels,
		.outputs_of_group = outputs / group,
	};
	struct nn_build_tensor inputs[3];
	uint32_t count = 2;
	int err;

	if (depthwise)
		packing = (struct packing){
			.rank = 4,
			.dims = { 1, weights->height, weights->width, outputs },
			.output_axis = 3,
			.output_stride = 1,
			.tap_stride = outputs,
		};
	err = check_multipliers(builder, x, weights, quant);
	if (!err)
		err = nn_build_image(builder, x, &inputs[0]);
	if (!err)
		err = build_weights(builder, weights, &packing, &inputs[1]);
	if (!err && bias)
		err = build_bias(builder, bias, x, weights, &inputs[count++]);
	if (!err)
		err = check_sums(builder, x, weights, bias, quant);
	if (err)
		return err;
	return nn_build_window(builder, depthwise ? "DepthwiseConv2d" : "Conv2d", inputs, count,
			       window, outputs, activation, quant, out);
}

/* Whether 32 bits hold the sums of inputs of int16, whatever these are, and of a bias or NULL. */
static bool has_short_sums(const struct nn_build_weights *w, const struct nn_parameter *bias)
{
	for (uint64_t o = 0; o < w->outputs; o++) {
		int64_t first = bias && bias->values->count > o ? nn_const_int(bias->values, o) :
								  0;
		uint64_t most = first < 0 ? -(uint64_t)first : (uint64_t)first;

		if (most > INT32_MAX)
			return false;
		for (uint64_t i = 0; i < w->inputs; i++) {
			int64_t weight = nn_const_int(w->parameter.values,
						      o * w->output_stride + i * w->input_stride);

			most += (uint64_t)(weight < 0 ? -weight : weight) * -INT16_MIN;
		}
		if (most > INT32_MAX)
			return false;
	}
	return true;
}

/*
 * How TensorFlow Lite rounds a fully connected layer of int16: without a bias, unless its type says
 * that there might be one, it sums in 32 bits, and rounds twice. Else it multiplies sums of 64 bits
 * in double, which sums of 32 bits times a number of 31 come to as well, but for ties.
 */
static const char *find_wide_rounding(const struct nn_build_weights *weights,
				      const struct nn_parameter *bias)
{
	if (!bias && !weights->is_long)
		return "twice";
	return has_short_sums(weights, bias) ? "once_float64" : "float32_product";
}

/* One vector per item is a fully connected operator; several are the pixels of a 1x1 convolution,
 * and so is one of int16. */
int nn_build_fully_connected(struct nn_builder *builder, const struct nn_build_tensor *x,
			     const struct nn_build_weights *weights,
			     const struct nn_parameter *bias, const char *activation,
			     const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct packing packing = {
		.rank = 2,
		.dims = { weights->outputs, weights->inputs },
		.output_stride = weights->inputs,
	};
	struct nn_attr attrs[2];
	uint32_t image[4] = { x->dims[0], 1, 1, weights->inputs };
	bool flat = x->layout == NN_LAYOUT_FLAT_NHWC && x->rank == 2;
	bool wide = x->quant.type == NN_INT16, pixels = x->rank > 2 || wide;
	struct nn_build_tensor inputs[3];
	uint32_t count = 2, attr_count = 0;
	int err;

	err = check_multipliers(builder, x, weights, quant);
	if (!err)
		err = nn_build_layout(builder, x, flat ? NN_LAYOUT_FLAT_NHWC : NN_LAYOUT_PLAIN,
				      &inputs[0]);
	if (!err && pixels) {
		for (uint32_t i = 1; i < x->rank - 1; i++)
			image[2] *= x->dims[i];
		err = nn_build_stored_reshape(builder, &inputs[0], 4, image, &inputs[0]);
		packing.rank = 4;
		packing.dims[1] = packing.dims[2] = 1;
		packing.dims[3] = weights->inputs;
	}
	if (flat) {
		packing.channels = x->channels;
		packing.area = x->height * x->width;
	}
	if (!err)
		err = build_weights(builder, weights, &packing, &inputs[1]);
	if (!err && bias)
		err = build_bias(builder, bias, x, weights, &inputs[count++]);
	if (!err)
		err = check_sums(builder, x, weights, bias, quant);
	nn_add_string(attrs, &attr_count, "activation", activation);
	if (!err && wide)
		nn_add_string(attrs, &attr_count, "rounding", find_wide_rounding(weights, bias));
	if (!err)
		err = nn_build_node(builder, pixels ? "Conv2d" : "FullyConnected", inputs, count,
				    attrs, attr_count, quant, out);
	if (err)
		return err;
	out->rank = x->rank;
	memcpy(out->dims, x->dims, sizeof(out->dims));
	out->dims[x->rank - 1] = weights->outputs;
	return pixels ? nn_build_stored_reshape(builder, out, x->rank, out->dims, out) : 0;
}
