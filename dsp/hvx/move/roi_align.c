// SPDX-License-Identifier: MIT
/*
 * ROI_ALIGN averages samples of an image, each a blend of four pixels. nn_roi_align_hvx() is its
 * vector kernel, in the table of kernels.c, for 128 channels at a time.
 *
 * Where samples are is worked out once for a box's rows and columns. A bin is a list of pixels with
 * weights, of which those that are 0 are left out; its results are sums with 16 bits of fraction,
 * times a number. Float32's roundings, one for each sample and eight more of 24 bits, move a result
 * by less than that many 2^-24 of the largest element; one that is as near to a half is made again
 * as it is defined. So are all of a box with more than MOST_SAMPLES in a bin, or more positions
 * than scratch memory has room for.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/roi_align.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/float32.h"

#define MOST_SAMPLES	32u	/* of a bin: sums of their weights' lower bits fit 32 bits */
#define FINE		26	/* bits of weights, of which 15 are the lower ones */
#define HALF		0x8000	/* where there are 16 bits of fraction */
#define POSITION_WORK	200u
#define BIN_WORK	100u
#define PIXEL_WORK	24u
#define EXACT_WORK	60u

/* A pixel of a bin, and the upper and lower bits of its weight, twice in a word. */
struct pixel {
	const uint8_t *from;
	uint32_t high, low;
};

struct room {
	uint8_t near[VECTOR];
	struct pixel pixels[4 * MOST_SAMPLES];
	struct roi_position positions[];	/* of rows, then of columns */
};

struct box {
	const struct nn_call *call;
	const uint8_t *image;
	struct room *room;
	struct roi_axis axes[2];
	const struct roi_position *rows, *columns;	/* of the bin */
	/* Sums, shifted left by `before`, times `factor` / 2^31, shifted right by `after`. */
	uint32_t count, before, after;
	int32_t factor;
	uint32_t margin;
};

/* Settles how sums of a bin become results. */
static void settle_factor(struct box *box)
{
	const struct nn_roi_align_params *params = &box->call->op->roi_align;
	float ratio = params->scale_input / params->scale_output;
	float factor = ratio / (float)box->count;
	uint32_t bits = 29;

	/* Elements are below 2^8, so that sums are below 2^(24 + the bits of count - 1). */
	box->before = 6 - (box->count > 1 ? 32 - __builtin_clz(box->count - 1) : 0);
	for (; factor < 0.5f; bits++)
		factor *= 2;
	for (; factor >= 1; bits--)
		factor /= 2;
	/* The factor is a half to 1 now, as 2^29 .. 2^30. */
	box->factor = (int32_t)(factor * 0x1p30f);
	box->after = box->before + bits + 1 - 31;
	box->margin = (uint32_t)((float)(box->count + 10) * (ratio > 1 ? ratio : 1)) + 6;
}

/* Lists the pixels of a bin. Returns how many there are. */
static uint32_t list_pixels(const struct box *box)
{
	const struct nn_tensor *images = &box->call->input[ROI_IMAGES];
	struct pixel *pixel = box->room->pixels;
	uint32_t channels = images->dims[4], pitch = images->dims[3] * channels;

	for (uint32_t i = 0; i < box->axes[0].samples; i++) {
		const struct roi_position *y = &box->rows[i];

		for (uint32_t k = 0; k < box->axes[1].samples && y->is_inside; k++) {
			const struct roi_position *x = &box->columns[k];
			const float weights[4] = {
				y->near_part * x->near_part, y->near_part * x->far_part,
				y->far_part * x->near_part, y->far_part * x->far_part
			};
			uint32_t near = x->near * channels, far = x->far * channels;
			const uint8_t *top = box->image + (uint64_t)y->near * pitch;
			const uint8_t *bottom = box->image + (uint64_t)y->far * pitch;
			const uint8_t *from[4] = { top + near, top + far, bottom + near,
						   bottom + far };

			for (uint32_t j = 0; j < 4 && x->is_inside; j++) {
				uint32_t weight = (uint32_t)(weights[j] * (1 << FINE));

				if (weight)
					*pixel++ = (struct pixel){ from[j],
								   (weight >> 15) * 0x10001,
								   (weight & 0x7fff) * 0x10001 };
			}
		}
	}
	return pixel - box->room->pixels;
}

/* Makes a sum with 16 bits of fraction a result with them, and a half and the margin more. */
static inline HVX_Vector finish_sum(const struct box *box, HVX_Vector high, HVX_Vector low,
				    HVX_Vector factor, HVX_Vector more)
{
	HVX_Vector sum = Q6_Vw_vasracc_VwVwR(Q6_Vw_vasl_VwR(high, 5), low, 10), product;

	sum = Q6_Vw_vasl_VwR(sum, box->before);
	product = Q6_Vw_vmpye_VwVuh(sum, factor);
	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, sum, factor);
	return Q6_Vw_vadd_VwVw(Q6_Vw_vasr_VwR(product, box->after), more);
}

/*
 * Makes up to 128 channels of a bin, from `first` on. Returns whether some may be near a half;
 * room->near says which. Nothing else is on the stack where vectors may be: clang 14.
 */
static __attribute__((noinline)) bool make_channels(const struct box *box, uint32_t pixels,
						    uint32_t first, uint32_t bytes, uint8_t *to)
{
	const struct nn_call *call = box->call;
	const struct nn_tensor *images = &call->input[ROI_IMAGES], *output = &call->output[0];
	uint32_t flip_out = flip_of(output);
	HVX_Vector none = Q6_V_vzero(), flip = splat_b(flip_of(images));
	HVX_Vector zero = splat_b(images->zero_point + flip_of(images));
	HVX_Vector zero_out = splat_h(output->zero_point + flip_out);
	HVX_Vector factor = splat_w(box->factor), more = splat_w(HALF + box->margin);
	HVX_Vector sum0, sum1, sum2, sum3, even, odd, v;
	HVX_VectorPair even_high = Q6_W_vcombine_VV(none, none), odd_high = even_high;
	HVX_VectorPair even_low = even_high, odd_low = even_high;
	HVX_VectorPred is_near;

	for (const struct pixel *pixel = box->room->pixels; pixels; pixels--, pixel++) {
		const uint8_t *from = pixel->from + first;
		HVX_VectorPair q;

		v = bytes < VECTOR ? load_bytes(from, bytes) : load(from);
		q = Q6_Wh_vsub_VubVub(Q6_V_vxor_VV(v, flip), zero);
		even_high = Q6_Ww_vmpyacc_WwVhRh(even_high, Q6_V_lo_W(q), pixel->high);
		odd_high = Q6_Ww_vmpyacc_WwVhRh(odd_high, Q6_V_hi_W(q), pixel->high);
		even_low = Q6_Ww_vmpyacc_WwVhRh(even_low, Q6_V_lo_W(q), pixel->low);
		odd_low = Q6_Ww_vmpyacc_WwVhRh(odd_low, Q6_V_hi_W(q), pixel->low);
	}
	sum0 = finish_sum(box, Q6_V_lo_W(even_high), Q6_V_lo_W(even_low), factor, more);
	sum1 = finish_sum(box, Q6_V_hi_W(even_high), Q6_V_hi_W(even_low), factor, more);
	sum2 = finish_sum(box, Q6_V_lo_W(odd_high), Q6_V_lo_W(odd_low), factor, more);
	sum3 = finish_sum(box, Q6_V_hi_W(odd_high), Q6_V_hi_W(odd_low), factor, more);
	v = Q6_Vuh_vmin_VuhVuh(Q6_Vh_vshuffe_VhVh(sum1, sum0), Q6_Vh_vshuffe_VhVh(sum3, sum2));
	is_near = Q6_Q_vcmp_gt_VuhVuh(splat_h(2 * box->margin + 1), v);
	*(HVX_Vector *)box->room->near = Q6_V_vand_QR(is_near, 0x01010101);
	even = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum1, sum0), zero_out);
	odd = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vshuffo_VhVh(sum3, sum2), zero_out);
	v = Q6_Vub_vmax_VubVub(Q6_Vub_vsat_VhVh(odd, even), splat_b(call->op->out_min + flip_out));
	v = Q6_Vub_vmin_VubVub(v, splat_b(call->op->out_max + flip_out));
	store_bytes(to, Q6_V_vxor_VV(v, splat_b(flip_out)), bytes);
	return any_lane(is_near);
}

/* Makes a channel of a bin as it is defined. */
static uint8_t make_exactly(const struct box *box, uint32_t channel)
{
	const struct nn_call *call = box->call;
	const struct nn_tensor *images = &call->input[ROI_IMAGES];
	float scale = call->op->roi_align.scale_input, result = 0;
	int32_t flip = flip_of(images);

	for (uint32_t i = 0; i < box->count; i++) {
		const struct roi_position *y = &box->rows[i / box->axes[1].samples];
		const struct roi_position *x = &box->columns[i % box->axes[1].samples];
		const float weights[4] = {
			y->near_part * x->near_part, y->near_part * x->far_part,
			y->far_part * x->near_part, y->far_part * x->far_part
		};
		uint64_t top = (uint64_t)y->near * images->dims[3];
		uint64_t bottom = (uint64_t)y->far * images->dims[3];
		uint64_t pixels[4] = { top + x->near, top + x->far, bottom + x->near,
				       bottom + x->far };
		float products[4];

		if (!y->is_inside || !x->is_inside)
			continue;
		for (uint32_t j = 0; j < 4; j++) {
			const uint8_t *from = box->image + pixels[j] * images->dims[4] + channel;

			products[j] = weights[j] *
				      ((float)(load_8bit(from, flip) - images->zero_point) * scale);
		}
		result += products[0] + products[1] + products[2] + products[3];
	}
	result /= (float)box->count;
	return clamp_int(round_float(result / call->op->roi_align.scale_output) +
				 call->output[0].zero_point,
			 call->op->out_min, call->op->out_max);
}

static int make_bin(struct progress *progress, struct box *box, uint8_t *to)
{
	uint32_t channels = box->call->output[0].dims[4], pixels = list_pixels(box);

	for (uint32_t first = 0; first < channels; first += VECTOR) {
		uint32_t bytes = min_u32(channels - first, VECTOR);
		int32_t i = -1;
		int ret = progress_add(progress, BIN_WORK + pixels * (PIXEL_WORK + NN_PAGE_WORK));

		if (ret)
			return ret;
		if (!make_channels(box, pixels, first, bytes, to + first))
			continue;
		while ((i = next_set(box->room->near, i)) >= 0 && i < (int32_t)bytes) {
			ret = progress_add(progress, box->count * (EXACT_WORK + 4 * NN_PAGE_WORK));
			if (ret)
				return ret;
			to[first + i] = make_exactly(box, first + i);
		}
	}
	return 0;
}

/* Stores the positions of all of a box's bins. */
static int find_positions(struct progress *progress, const struct roi_axis *axis, uint32_t bins,
			  struct roi_position *positions)
{
	for (uint32_t i = 0; i < bins; i++) {
		int ret = progress_add(progress, POSITION_WORK * axis->samples);

		if (ret)
			return ret;
		for (uint32_t k = 0; k < axis->samples; k++)
			*positions++ = roi_position_of(axis, i, k);
	}
	return 0;
}

static int align_box(struct progress *progress, const uint8_t *image, const uint8_t *numbers,
		     uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];
	struct box box = {
		.call = call, .image = image, .room = (struct room *)call->scratch
	};
	struct roi_axis *axes = box.axes;
	struct roi_position *rows = box.room->positions, *columns;
	uint64_t bytes;
	int ret;

	roi_axes_of(call, numbers, axes);
	box.count = axes[0].samples * axes[1].samples;
	bytes = sizeof(*box.room) +
		((uint64_t)output->dims[2] * axes[0].samples +
		 (uint64_t)output->dims[3] * axes[1].samples) * sizeof(*rows);
	if (!box.count || box.count > MOST_SAMPLES || bytes > call->scratch_size)
		return nn_roi_align_box(progress, image, numbers, out);
	settle_factor(&box);
	columns = rows + output->dims[2] * axes[0].samples;
	ret = find_positions(progress, &axes[0], output->dims[2], rows);
	if (!ret)
		ret = find_positions(progress, &axes[1], output->dims[3], columns);
	for (uint32_t y = 0; y < output->dims[2] && !ret; y++) {
		box.rows = rows + y * axes[0].samples;
		for (uint32_t x = 0; x < output->dims[3] && !ret; x++, out += output->dims[4]) {
			box.columns = columns + x * axes[1].samples;
			ret = make_bin(progress, &box, out);
		}
	}
	return ret;
}

int nn_roi_align_hvx(const struct nn_call *call)
{
	if (!nn_roi_align_has_vectors(call))
		return nn_roi_align_portable(call);
	return nn_roi_align_boxes(call, align_box);
}
