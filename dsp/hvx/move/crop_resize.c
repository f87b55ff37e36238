// SPDX-License-Identifier: MIT
/*
 * CROP_RESIZE cuts a box out of an image for each row of its output and scales it, each result a
 * blend of four pixels. nn_crop_resize_hvx() is its vector kernel, in the table of kernels.c: it
 * computes a vector of results at a time, which are neighbours in a row of the output.
 *
 * With few channels a vector has the results of several columns, a group. The pixels that a group
 * needs of a row of the image lie in 256 bytes, a table in which vlut32 looks up the neighbours;
 * their indices and weights are the same in all rows. With more channels a vector has channels of
 * one column.
 *
 *	row of the image   |p0 p1 p2 p3 p4 p5 ...|	`begin`, `length` bytes: the table
 *	left neighbours    |p0 p1 p3 p4|		one vlut32 by group.left
 *	right neighbours   |p1 p2 p4 p5|		one by group.right
 *	blended            |left * (256 - part) + right * part|, then the same between two rows
 *
 * The sums of a result are of whole numbers and below 2^32, so their order does not matter.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/crop_resize.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"

#define GROUP_CHANNELS	32u	/* more channels are done a column at a time */
#define GROUP_ROWS	64u	/* between two reports */
#define TABLE		(2 * VECTOR)

/* A row of the output: where its neighbours begin, and how much of 256 the lower one has. */
struct row {
	const uint8_t *top, *bottom;
	uint32_t part;
};

/* The columns of the output that a vector has, and the rows that it is used for. */
struct group {
	uint8_t left[VECTOR], right[VECTOR];	/* indices in the table */
	uint8_t part[VECTOR];			/* how much of 256 the right one has */
	struct row rows[GROUP_ROWS];
	uint32_t columns, bytes;		/* of a row of the output */
	uint32_t begin, length;			/* what it reads of a row of the image */
};

_Static_assert(sizeof(struct group) <= 2048, "All scratch memory that there may be");

/* Computes left * (256 - part) + right * part in lanes of 16 bits: even bytes, odd bytes. */
static inline HVX_VectorPair blend_columns(HVX_Vector left, HVX_Vector right, HVX_Vector part)
{
	/* The weight 256 - part may not fit a byte, so it is 255 - part, and 1. */
	HVX_VectorPair weights = Q6_W_vcombine_VV(part, Q6_V_vnot_V(part));
	HVX_VectorPair sum = Q6_Wh_vmpa_WubWub(Q6_W_vcombine_VV(right, left), weights);

	return Q6_Wuh_vmpyacc_WuhVubRub(sum, left, 0x01010101);
}

/* Computes (top * (256 - part) + bottom * part + 32768) / 2^16, which fits a byte. */
static inline HVX_Vector blend_rows(HVX_Vector top, HVX_Vector bottom, uint32_t part)
{
	HVX_Vector half = splat_w(32768);
	HVX_VectorPair sum = Q6_W_vcombine_VV(half, half);

	sum = Q6_Wuw_vmpyacc_WuwVuhRuh(sum, top, (256 - part) * 0x10001);
	sum = Q6_Wuw_vmpyacc_WuwVuhRuh(sum, bottom, part * 0x10001);
	return Q6_Vh_vshuffo_VhVh(Q6_V_hi_W(sum), Q6_V_lo_W(sum));
}

static inline HVX_Vector blend(HVX_VectorPair top, HVX_VectorPair bottom, uint32_t part)
{
	HVX_Vector even = blend_rows(Q6_V_lo_W(top), Q6_V_lo_W(bottom), part);
	HVX_Vector odd = blend_rows(Q6_V_hi_W(top), Q6_V_hi_W(bottom), part);

	return Q6_Vb_vshuffe_VbVb(odd, even);
}

/*
 * Looks up bytes of a table of 128, which has the order that vlut32 takes; 0 for indices from 128
 * on.
 */
static inline HVX_Vector look_up_low(HVX_Vector indices, HVX_Vector table)
{
	HVX_Vector found = Q6_Vb_vlut32_VbVbI(indices, table, 0);

	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 1);
	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 2);
	return Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 3);
}

/* Adds to `found` the bytes of a table of 128 more, for indices from 128 on. */
static inline HVX_Vector look_up_high(HVX_Vector found, HVX_Vector indices, HVX_Vector table)
{
	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 4);
	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 5);
	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 6);
	return Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 7);
}

/* Blends a row of the image between columns. The flip makes bytes unsigned. */
static inline HVX_VectorPair group_columns(const uint8_t *from, uint32_t length, HVX_Vector flip,
					   HVX_Vector left, HVX_Vector right, HVX_Vector part)
{
	uint32_t low = length < VECTOR ? length : VECTOR;
	HVX_Vector table = Q6_Vb_vshuff_Vb(Q6_V_vxor_VV(load_bytes(from, low), flip));
	HVX_Vector left_bytes = look_up_low(left, table), right_bytes = look_up_low(right, table);

	if (length > VECTOR) {
		table = load_bytes(from + VECTOR, length - VECTOR);
		table = Q6_Vb_vshuff_Vb(Q6_V_vxor_VV(table, flip));
		left_bytes = look_up_high(left_bytes, left, table);
		right_bytes = look_up_high(right_bytes, right, table);
	}
	return blend_columns(left_bytes, right_bytes, part);
}

/* clang 14 lays locals over spilled vectors: this has none but vectors. */
static __attribute__((noinline)) void crop_group_rows(const struct group *group, uint32_t rows,
						      uint32_t flip_bits, uint8_t *out,
						      uint32_t pitch)
{
	HVX_Vector left = load(group->left), right = load(group->right), part = load(group->part);
	HVX_Vector flip = splat_b(flip_bits);

	for (const struct row *row = group->rows; rows--; row++, out += pitch) {
		HVX_VectorPair top, bottom;

		top = group_columns(row->top, group->length, flip, left, right, part);
		bottom = group_columns(row->bottom, group->length, flip, left, right, part);
		store_bytes(out, Q6_V_vxor_VV(blend(top, bottom, row->part), flip), group->bytes);
	}
}

/*
 * Begins a group with as many of the next `columns` as one vector and one table have room for, at
 * least one.
 */
static void begin_group(struct group *group, struct axis *axis, uint32_t columns,
			uint32_t channels)
{
	group->columns = group->bytes = 0;
	while (group->columns < columns && group->bytes + channels <= VECTOR) {
		struct axis next = *axis;
		struct position x = next_position(&next);
		uint32_t left, right;

		if (!group->columns)
			group->begin = x.near * channels;
		left = x.near * channels - group->begin;
		right = x.far * channels - group->begin;
		if (right + channels > TABLE)
			break;
		for (uint32_t c = 0; c < channels; c++) {
			group->left[group->bytes] = left + c;
			group->right[group->bytes] = right + c;
			group->part[group->bytes++] = x.part;
		}
		group->length = right + channels;
		group->columns++;
		*axis = next;
	}
}

/* Computes a box, one group of columns after another. */
static int crop_groups(struct progress *progress, const uint8_t *page, const struct axis *rows,
		       struct axis columns, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *image = &call->input[0], *output = &call->output[0];
	uint32_t channels = image->dims[3], left = output->dims[2];
	uint32_t image_pitch = image->dims[2] * channels, pitch = left * channels;
	/* Rows of the image may be far from each other, and those of a group lie on two pages. */
	uint32_t row_work = 100 + 4 * NN_PAGE_WORK + stride_work(pitch);
	struct group *group = (struct group *)call->scratch;

	while (left) {
		struct axis axis = *rows;
		int ret = progress_add(progress, 40 * VECTOR);

		if (ret)
			return ret;
		begin_group(group, &columns, left, channels);
		for (uint32_t i = 0; i < output->dims[1];) {
			uint32_t count = min_u32(output->dims[1] - i, GROUP_ROWS);

			ret = progress_add(progress, count * row_work);
			if (ret)
				return ret;
			for (uint32_t k = 0; k < count; k++) {
				struct position y = next_position(&axis);
				const uint8_t *begin = page + group->begin;

				group->rows[k].top = begin + (uint64_t)y.near * image_pitch;
				group->rows[k].bottom = begin + (uint64_t)y.far * image_pitch;
				group->rows[k].part = y.part;
			}
			crop_group_rows(group, count, flip_of(image),
					out + (uint64_t)i * pitch, pitch);
			i += count;
		}
		left -= group->columns;
		out += group->bytes;
	}
	return 0;
}

/*
 * Computes `count` channels of a column, whose neighbours are `left` and `right` bytes into the
 * rows.
 */
static __attribute__((noinline)) void crop_channels(const struct row *row, uint64_t left,
						    uint64_t right, uint32_t part_bits,
						    uint32_t flip_bits, uint8_t *out,
						    uint32_t count)
{
	HVX_Vector part = splat_b(part_bits), flip = splat_b(flip_bits);

	for (uint32_t c = 0; c < count; c += VECTOR) {
		uint32_t n = count - c < VECTOR ? count - c : VECTOR;
		HVX_Vector top_left = load_bytes(row->top + left + c, n);
		HVX_Vector top_right = load_bytes(row->top + right + c, n);
		HVX_Vector bottom_left = load_bytes(row->bottom + left + c, n);
		HVX_Vector bottom_right = load_bytes(row->bottom + right + c, n);
		HVX_VectorPair top = blend_columns(Q6_V_vxor_VV(top_left, flip),
						   Q6_V_vxor_VV(top_right, flip), part);
		HVX_VectorPair bottom = blend_columns(Q6_V_vxor_VV(bottom_left, flip),
						      Q6_V_vxor_VV(bottom_right, flip), part);

		store_bytes(out + c, Q6_V_vxor_VV(blend(top, bottom, row->part), flip), n);
	}
}

/* Computes a row of the output, one column after another. */
static int crop_row(struct progress *progress, const uint8_t *page, struct position y,
		    struct axis columns, uint8_t *out)
{
	const uint32_t most = 64 * VECTOR;
	const struct nn_call *call = progress->call;
	const struct nn_tensor *image = &call->input[0], *output = &call->output[0];
	uint32_t channels = image->dims[3], pitch = image->dims[2] * channels;
	struct row row = { page + (uint64_t)y.near * pitch, page + (uint64_t)y.far * pitch,
			   y.part };
	/* The bytes from a column's neighbours to those of the next, in each of the two rows. */
	uint64_t step = (columns.step_whole / 256 + 1ull) * channels;
	int ret = progress_add(progress, 4 * NN_PAGE_WORK);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < output->dims[2]; i++) {
		struct position x = next_position(&columns);

		for (uint32_t c = 0; c < channels; c += most) {
			uint32_t count = min_u32(channels - c, most);

			ret = progress_add(progress, 100 + count + 2 * stride_work(step) +
							     5 * memory_work(count));
			if (ret)
				return ret;
			crop_channels(&row, (uint64_t)x.near * channels + c,
				      (uint64_t)x.far * channels + c, x.part, flip_of(image), out,
				      count);
			out += count;
		}
	}
	return 0;
}

int nn_crop_resize_hvx(const struct nn_call *call)
{
	const struct nn_tensor *image = &call->input[0], *output = &call->output[0];
	int64_t first = image->level ? call->run->arg[nn_out_first_args[image->level]] : 0;
	const int32_t *box = (const int32_t *)call->input[1].data;
	const int32_t *owner = (const int32_t *)call->input[2].data;
	uint32_t pitch = output->row_bytes / output->dims[1];
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	for (uint32_t m = 0; m < output->dims[0]; m++, box += 4, out += output->row_bytes) {
		struct axis rows = axis_of(box[0], box[2], image->dims[1], output->dims[1]);
		struct axis columns = axis_of(box[1], box[3], image->dims[2], output->dims[2]);
		int64_t at = owner[m] - first;
		const uint8_t *page = image->data + at * image->row_bytes;

		/* Divisions take long. */
		int ret = progress_add(&progress, 2000);

		if (ret)
			return ret;
		if (at < 0 || at >= image->dims[0])
			ret = progress_fill(&progress, out, image->zero_point & 0xff,
					    output->row_bytes);
		else if (image->dims[3] <= GROUP_CHANNELS)
			ret = crop_groups(&progress, page, &rows, columns, out);
		else
			for (uint32_t i = 0; i < output->dims[1] && !ret; i++)
				ret = crop_row(&progress, page, next_position(&rows), columns,
					       out + (uint64_t)i * pitch);
		if (ret)
			return ret;
	}
	return 0;
}
