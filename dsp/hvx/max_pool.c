// SPDX-License-Identifier: MIT
/*
 * MAX_POOL on HVX.
 */
#include <stddef.h>
#include "../kernels/checks.h"
#include "kernels.h"
#include "max_windows.h"
#include "pool.h"

/* The clamp as the assembly has it. */
static uint32_t four_bytes(int32_t value)
{
	return (value & 0xff) * 0x1010101u;
}

/* As nn_max_steps_*(), but each of one vector or more. */
static void max_steps(struct max_steps *steps, bool is_signed)
{
	if (steps->count == 1) {
		steps->count = 2;
		steps->step = 0;
	}
	if (is_signed)
		nn_max_steps_s8(steps);
	else
		nn_max_steps_u8(steps);
}

/*
 * `bytes` bytes one behind the other, at least 128, each the greatest of `count` that are `step`
 * bytes apart. The last vector overlaps the one before it.
 */
static void max_bytes(struct max_steps steps, uint32_t bytes, bool is_signed)
{
	steps.from_step = steps.to_step = VECTOR;
	steps.vectors = bytes / VECTOR;
	max_steps(&steps, is_signed);
	if (bytes % VECTOR) {
		steps.from += bytes - VECTOR;
		steps.to += bytes - VECTOR;
		steps.vectors = 1;
		max_steps(&steps, is_signed);
	}
}

/* Down the columns of a row's windows, to `down`; the same of fewer than 128 bytes. */
static void max_down(const struct nn_call *call, const uint8_t *from, uint8_t *down, uint32_t rows,
		     uint32_t bytes)
{
	bool is_signed = call->input[0].type == NN_TYPE_INT8;
	uint32_t pitch = call->input[0].dims[2] * call->input[0].dims[3];
	struct max_steps steps = {
		.to = down,
		.from = from,
		.count = rows,
		.step = pitch,
		.min = four_bytes(is_signed ? 0x80 : 0),
		.max = four_bytes(is_signed ? 0x7f : 0xff),
	};

	if (bytes >= VECTOR) {
		max_bytes(steps, bytes, is_signed);
		return;
	}
	store(down, load_bytes(from, bytes));
	for (uint32_t y = 1; y < rows; y++) {
		HVX_Vector v = load(down), row = load_bytes(from + y * pitch, bytes);

		store(down, is_signed ? Q6_Vb_vmax_VbVb(v, row) : Q6_Vub_vmax_VubVub(v, row));
	}
}

/* From `down`, the greatest of each window's columns. What has less than a vector is in `spare`. */
static void max_across(const struct nn_call *call, const uint8_t *down, uint8_t *spare,
		       uint32_t columns, uint8_t *out)
{
	const struct nn_window_params *window = &call->op->window;
	bool is_signed = call->input[0].type == NN_TYPE_INT8;
	uint32_t channels = call->input[0].dims[3], bytes = columns * channels, whole = columns;
	struct max_steps steps = {
		.to = out,
		.from = down,
		.count = window->kernel_w,
		.step = channels,
		.min = four_bytes(call->op->out_min),
		.max = four_bytes(call->op->out_max),
	};

	if (window->stride_w == 1 && bytes >= VECTOR) {
		max_bytes(steps, bytes, is_signed);
		return;
	}
	steps.from_step = window->stride_w * channels;
	steps.to_step = channels;
	/* Of fewer channels those vectors that leave the output go another way. */
	if (channels < VECTOR)
		whole = bytes < VECTOR ? 0 : (bytes - VECTOR) / channels + 1;
	for (uint32_t c = 0; c < channels && whole; c += VECTOR) {
		uint32_t at = c && channels - c < VECTOR ? channels - VECTOR : c;

		steps.to = out + at;
		steps.from = down + at;
		steps.vectors = whole;
		max_steps(&steps, is_signed);
	}
	if (whole == columns)
		return;
	steps.to = spare;
	steps.from = down + whole * steps.from_step;
	steps.vectors = columns - whole;
	max_steps(&steps, is_signed);
	__builtin_memcpy(out + whole * channels, spare, (columns - whole) * channels);
}

/* Part of an output row in two steps, windows of any kind. */
static int max_row(struct progress *progress, const uint8_t *image, const struct pool_window *rows,
		   const struct part *part, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	uint32_t channels = call->input[0].dims[3], bytes = part->width * channels;
	uint32_t lead = part->left * channels, inside = part->inside * channels;
	uint32_t pitch = call->input[0].dims[2] * channels;
	uint8_t least = call->input[0].type == NN_TYPE_INT8 ? 0x80 : 0;
	uint8_t *down = call->scratch,
		*spare = call->scratch + (round_up(bytes, VECTOR) + 2 * VECTOR);
	int ret = progress_add(progress, row_work(part, rows, channels));

	if (ret)
		return ret;
	__builtin_memset(down, least, lead);
	max_down(call, image + rows->top * pitch + part->first * channels, down + lead,
		 rows->bottom - rows->top, inside);
	__builtin_memset(down + lead + inside, least, bytes - lead - inside);

	ret = progress_add(progress, part->columns * (channels / VECTOR + 1) *
					     (call->op->window.kernel_w + 8) + 200);
	if (ret)
		return ret;
	max_across(call, down, spare, part->columns, out);
	return 0;
}

/* What the assembly's windows of a call have in common. */
struct halving {
	/* NULL: not for this call. `aligned`: narrow ones where rows are. */
	nn_max_windows *wide, *narrow, *aligned;
	uint32_t whole;		/* windows of a row that these make */
	uint32_t together;	/* narrow ones of a vector */
	uint32_t vectors;
};

/*
 * Windows of 2x2 and 3x3 that are 2 apart. Narrow ones lie side by side from the input's first
 * column on, from which those of 3x3 go right or left, as their padding is.
 */
static struct halving halving_of(const struct nn_call *call)
{
	static const struct {
		nn_max_windows *wide, *narrow, *aligned;
	} all[2][3] = {
		{
			{ nn_max_wide_2_u8, nn_max_narrow_2_unaligned_u8, nn_max_narrow_2_u8 },
			{ nn_max_wide_3_u8, nn_max_narrow_3_left_unaligned_u8,
			  nn_max_narrow_3_left_u8 },
			{ nn_max_wide_3_u8, nn_max_narrow_3_right_unaligned_u8,
			  nn_max_narrow_3_right_u8 },
		},
		{
			{ nn_max_wide_2_s8, nn_max_narrow_2_unaligned_s8, nn_max_narrow_2_s8 },
			{ nn_max_wide_3_s8, nn_max_narrow_3_left_unaligned_s8,
			  nn_max_narrow_3_left_s8 },
			{ nn_max_wide_3_s8, nn_max_narrow_3_right_unaligned_s8,
			  nn_max_narrow_3_right_s8 },
		},
	};
	const struct nn_window_params *window = &call->op->window;
	uint32_t width = call->input[0].dims[2], channels = call->input[0].dims[3];
	uint32_t kernel = window->kernel_w, pad = window->pad_left;
	uint32_t columns = call->output[0].dims[2];
	struct halving halving = { .wide = NULL };
	uint32_t form = kernel == 2 ? 0 : 1 + pad;

	if (window->kernel_h != kernel || kernel < 2 || kernel > 3 || window->stride_w != 2 ||
	    pad > kernel - 2)
		return halving;
	if (channels < VECTOR && !(channels & (channels - 1))) {
		halving.narrow = all[call->input[0].type == NN_TYPE_INT8][form].narrow;
		halving.aligned = all[call->input[0].type == NN_TYPE_INT8][form].aligned;
		halving.whole = min_u32(width / 2, columns);
		halving.together = VECTOR / channels;
		halving.vectors = halving.whole / halving.together;
		if (halving.vectors)
			return halving;
		halving.narrow = NULL;
	}
	if (channels < 16 || width + pad < kernel)
		return halving;
	halving.wide = all[call->input[0].type == NN_TYPE_INT8][form].wide;
	halving.whole = min_u32((width + pad - kernel) / 2 + 1, columns);
	return halving;
}

/* `vectors` vectors of narrow windows, from window `first` on. */
static void max_narrow(const struct nn_call *call, const struct halving *halving,
		       struct max_windows *windows, const uint8_t *const *row, uint32_t first,
		       uint32_t vectors, uint8_t *out)
{
	uint32_t channels = call->input[0].dims[3], width = call->input[0].dims[2];
	uint32_t from = 2 * first, beyond = from + vectors * 2 * halving->together, beside = from;
	bool goes_left = call->op->window.kernel_w == 3 && !call->op->window.pad_left;
	uint32_t bits = (uintptr_t)(row[0] + from * channels) | (width * channels);
	/* Going left begins where the last of all vectors are. */
	uint32_t last_in = goes_left ? (2 * vectors - 1) * VECTOR : 0;
	uint32_t last_out = goes_left ? (vectors - 1) * VECTOR : 0;

	/* A column that there is not is one that is in the window, too. */
	if (goes_left)
		beside = (beyond < width ? beyond + 1 : beyond) - halving->together;
	else if (from)
		beside = from - 1;
	for (uint32_t i = 0; i < 3; i++) {
		windows->before[i] = row[i] + beside * channels;
		windows->row[i] = row[i] + from * channels + last_in;
	}
	windows->count = vectors;
	windows->to = out + first * channels + last_out;
	(bits % VECTOR ? halving->narrow : halving->aligned)(windows);
}

/* The first windows of an output row, straight from the input: as many as this can do. */
static uint32_t max_whole_windows(const struct nn_call *call, const struct halving *halving,
				  const uint8_t *image, const struct pool_window *rows,
				  uint8_t *out)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t channels = input->dims[3], pitch = input->dims[2] * channels;
	uint32_t kernel = params->kernel_w, count = halving->whole;
	struct max_windows windows = {
		.pixel = channels,
		.min = four_bytes(call->op->out_min),
		.max = four_bytes(call->op->out_max),
	};
	const uint8_t *row[3];

	/* Rows that are padding are others once more. */
	for (uint32_t i = 0; i < 3; i++)
		row[i] = image + min_u32(rows->top + i, rows->bottom - 1) * pitch;
	if (halving->narrow) {
		max_narrow(call, halving, &windows, row, 0, halving->vectors, out);
		if (halving->vectors * halving->together != count)
			max_narrow(call, halving, &windows, row, count - halving->together, 1, out);
		return count;
	}
	/* With fewer than 128 channels not those whose vectors leave an operand. */
	while (channels < VECTOR && count &&
	       (row[2] + ((count - 1) * 2 + kernel - 1 - params->pad_left) * channels + VECTOR >
			input->data + input->bytes ||
		out + (count - 1) * channels + VECTOR > output->data + output->bytes))
		count--;
	if (!count)
		return 0;
	windows.count = count;
	for (uint32_t c = 0; c < channels; c += VECTOR) {
		/* The last vector overlaps the one before it rather than the next pixel. */
		uint32_t at = c && channels - c < VECTOR ? channels - VECTOR : c;

		windows.to = out + at;
		for (uint32_t i = 0; i < 3; i++) {
			windows.before[i] = row[i] + at;
			windows.row[i] = row[i] + at + (kernel - 2 - params->pad_left) * channels;
		}
		halving->wide(&windows);
	}
	return count;
}

int nn_max_pool_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = fitting_columns(call, 1);
	uint64_t work = 200 + (uint64_t)output->dims[2] * (output->dims[3] / VECTOR + 1) * 8 +
			3 * NN_PAGE_WORK + 4ull * memory_work(input->dims[2] * input->dims[3]);
	struct halving halving = halving_of(call);
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	if (!columns)
		return nn_max_pool_portable(call);
	if (work > NN_TILE)
		halving.wide = halving.narrow = NULL;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0; y < output->dims[1]; y++) {
			struct pool_window rows = pool_window(call, y, 0);
			uint32_t first = 0;
			int ret;

			if (halving.wide || halving.narrow) {
				ret = progress_add(&progress, work);
				if (ret)
					return ret;
				first = max_whole_windows(call, &halving, image, &rows, out);
			}
			for (uint32_t x = first; x < output->dims[2]; x += columns) {
				struct part part =
					part_of(call, x, min_u32(output->dims[2] - x, columns));

				ret = max_row(&progress, image, &rows, &part,
					      out + x * output->dims[3]);
				if (ret)
					return ret;
			}
			out += output->dims[2] * output->dims[3];
		}
	}
	return 0;
}
