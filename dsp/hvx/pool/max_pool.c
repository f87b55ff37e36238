// SPDX-License-Identifier: MIT
/*
 * MAX_POOL: the greatest element of each window, clamped. nn_max_pool_hvx() is its vector kernel,
 * in the table of kernels.c. Windows of 2x2 and 3x3 with stride 2 go straight from the input to the
 * output (max_s2.h), and for some numbers of channels all at once (max_s2_narrow.c). All others
 * take two steps with a row in between:
 *
 *	image   |rows of a window|  ->  `down`, the greatest of each column  ->  results
 *
 * With stride 1 two output rows are made together, whose windows have all input rows but two in
 * common.
 */
#include <stddef.h>
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/pool/max_s2.h"
#include "dsp/hvx/pool/max_s2_narrow.h"
#include "dsp/hvx/pool/pool.h"
#include "dsp/hvx/common/strips.h"

static uint32_t least_of(const struct nn_call *call)
{
	return four_bytes(call->input[0].type == NN_TYPE_INT8 ? 0x80 : 0);
}

/*
 * The pitch of the input's pixels, or of the output's. A constant `is_dense` makes it cost nothing.
 */
static inline uint32_t in_pitch(const struct nn_call *call, bool is_dense)
{
	return is_dense ? call->input[0].dims[3] : call->input[0].pitch;
}

static inline uint32_t out_pitch(const struct nn_call *call, bool is_dense)
{
	return is_dense ? call->output[0].dims[3] : call->output[0].pitch;
}

/* The layout of scratch memory, for up to two output rows at once. */
struct columns {
	uint8_t *down[2];	/* the greatest of each column, with columns of padding */
	uint8_t *spare;		/* for results of less than a vector */
	uint32_t lead, inside, trail;	/* bytes of padding, of the input, of padding */
	uint32_t pixels;	/* of the input */
};

/*
 * Divides scratch memory. Columns of padding have the least value, and stay while parts are alike.
 */
static void settle_columns(struct columns *columns, const struct nn_call *call,
			   const struct column_part *part)
{
	uint32_t channels = call->input[0].dims[3], bytes = part->width * channels;
	uint32_t lead = part->left * channels, inside = part->inside * channels;
	uint32_t trail = bytes - lead - inside, room = round_up(bytes, VECTOR) + VECTOR;
	uint8_t least = least_of(call);

	if (columns->lead == lead && columns->inside == inside && columns->trail == trail)
		return;
	columns->lead = lead;
	columns->inside = inside;
	columns->trail = trail;
	columns->pixels = part->inside;
	columns->spare = call->scratch + 2 * room;
	for (uint32_t i = 0; i < 2; i++) {
		columns->down[i] = call->scratch + i * room;
		__builtin_memset(columns->down[i], least, lead);
		__builtin_memset(columns->down[i] + lead + inside, least, trail);
	}
}

/* Takes the greatest of fewer than 128 bytes of each row. */
static void max_down_few(const struct nn_call *call, const uint8_t *from, uint8_t *down,
			 const struct pool_window *rows, uint32_t bytes)
{
	uint32_t pitch = call->input[0].dims[2] * call->input[0].dims[3];
	HVX_Vector v = load_bytes(from + rows->top * pitch, bytes);

	for (uint32_t y = rows->top + 1; y < rows->bottom; y++) {
		HVX_Vector row = load_bytes(from + y * pitch, bytes);

		v = call->input[0].type == NN_TYPE_INT8 ? Q6_Vb_vmax_VbVb(v, row) :
							  Q6_Vub_vmax_VubVub(v, row);
	}
	store_bytes(down, v, bytes);
}

/*
 * Takes the greatest of columns of pixels that have a pitch, of 128 channels and more: a pixel's
 * vectors are its own.
 */
static void max_down_strided(const struct nn_call *call, struct max_pair *pair, uint32_t pixels)
{
	void (*max_pair)(const struct max_pair *) =
		call->input[0].type == NN_TYPE_INT8 ? nn_max_pair_s8 : nn_max_pair_u8;
	uint32_t left = call->input[0].dims[3], next;

	pair->vectors = pixels;
	pair->rest = 0;
	pair->from_step = call->input[0].pitch;
	pair->to_step = left;
	for (;; left -= next) {
		max_pair(pair);
		if (left == VECTOR)
			break;
		/* The last vector overlaps the one before it rather than the next pixel. */
		next = min_u32(left - VECTOR, VECTOR);
		pair->to[0] += next;
		pair->to[1] += next;
		pair->above += next;
		pair->below += next;
		pair->middle += next;
	}
}

/*
 * Takes the greatest down the columns of the windows of two output rows that follow each other, or
 * of one, twice.
 */
static inline __attribute__((always_inline)) void
max_down(const struct nn_call *call, const uint8_t *from, struct columns *columns,
	 const struct pool_window rows[2], bool is_dense)
{
	uint32_t pitch = call->input[0].dims[2] * in_pitch(call, is_dense);
	struct max_pair pair = {
		.to = { columns->down[0] + columns->lead, columns->down[1] + columns->lead },
		.above = from + rows[0].top * pitch,
		.below = from + (rows[1].bottom - 1) * pitch,
		.middle = from + rows[1].top * pitch,
		.rows = rows[0].bottom - rows[1].top,
		.pitch = pitch,
		.least = least_of(call),
		.from_step = VECTOR,
		.to_step = VECTOR,
	};

	if (!is_dense && !nn_tensor_is_dense(&call->input[0])) {
		max_down_strided(call, &pair, columns->pixels);
		return;
	}
	if (columns->inside < VECTOR) {
		for (uint32_t i = 0; i < 2; i++)
			max_down_few(call, from, pair.to[i], &rows[i], columns->inside);
		return;
	}
	pair.vectors = columns->inside / VECTOR;
	pair.rest = columns->inside % VECTOR;
	if (call->input[0].type == NN_TYPE_INT8)
		nn_max_pair_s8(&pair);
	else
		nn_max_pair_u8(&pair);
}

/*
 * Takes the greatest of each window's columns, from `down`. Results of less than a vector come by
 * way of `spare`.
 */
static inline __attribute__((always_inline)) void
max_across(const struct nn_call *call, const uint8_t *down, uint8_t *spare, uint32_t columns,
	   uint8_t *out, bool is_dense)
{
	const struct nn_window_params *window = &call->op->window;
	void (*max_steps)(const struct max_steps *) =
		call->input[0].type == NN_TYPE_INT8 ? nn_max_steps_s8 : nn_max_steps_u8;
	uint32_t channels = call->input[0].dims[3], bytes = columns * channels, whole = columns;
	struct max_steps steps = {
		.to = out,
		.from = down,
		/* The loop takes three columns at least: windows of one or two repeat the last. */
		.count = window->kernel_w < 3 ? 3 : window->kernel_w,
		.second = window->kernel_w < 2 ? 0 : channels,
		.step = window->kernel_w < 3 ? 0 : channels,
		.from_step = window->stride_w * channels,
		.to_step = out_pitch(call, is_dense),
		.min = four_bytes(call->op->out_min),
		.max = four_bytes(call->op->out_max),
	};

	/* With stride 1, all windows of all channels follow each other. */
	if (window->stride_w == 1 && bytes >= VECTOR &&
	    (is_dense || steps.to_step == channels)) {
		steps.vectors = bytes / VECTOR;
		steps.rest = bytes % VECTOR;
		steps.from_step = steps.to_step = VECTOR;
		max_steps(&steps);
		return;
	}
	/* With fewer channels, vectors that would leave the output go to `spare`. */
	if (channels < VECTOR)
		whole = bytes < VECTOR ? 0 : (bytes - VECTOR) / channels + 1;
	for (uint32_t c = 0; c < channels && whole; c += VECTOR) {
		uint32_t at = c && channels - c < VECTOR ? channels - VECTOR : c;

		steps.to = out + at;
		steps.from = down + at;
		steps.vectors = whole;
		max_steps(&steps);
	}
	if (whole == columns)
		return;
	steps.to = spare;
	steps.from = down + whole * steps.from_step;
	steps.vectors = window->stride_w == 1 ? 1 : columns - whole;
	max_steps(&steps);
	__builtin_memcpy(out + whole * channels, spare, (columns - whole) * channels);
}

/* Computes a part of output row y and, if `count` is 2, of the next, for windows of any kind. */
static inline __attribute__((always_inline)) int
max_rows(struct progress *progress, struct columns *columns, const uint8_t *image, uint32_t y,
	 uint32_t count, const struct column_part *part, uint8_t *out, bool is_dense)
{
	const struct nn_call *call = progress->call;
	uint32_t channels = call->input[0].dims[3];
	struct pool_window rows[2], all;
	int ret;

	rows[0] = rows[1] = pool_window(call, y, 0);
	if (count == 2)
		rows[1] = pool_window(call, y + 1, 0);
	all = rows[0];
	all.bottom = rows[1].bottom;
	ret = progress_add(progress, row_work(part, &all, channels));
	if (ret)
		return ret;
	settle_columns(columns, call, part);
	max_down(call, image + part->first * in_pitch(call, is_dense), columns, rows, is_dense);

	for (uint32_t i = 0; i < count; i++) {
		ret = progress_add(progress, part->columns * (channels / VECTOR + 1) *
						     (call->op->window.kernel_w + 8) + 200);
		if (ret)
			return ret;
		max_across(call, columns->down[i], columns->spare, part->columns,
			   out + i * call->output[0].dims[2] * out_pitch(call, is_dense),
			   is_dense);
	}
	return 0;
}

/* How a call's windows of 2x2 or 3x3 with stride 2 are made by the assembly of max_s2.S. */
struct halving {
	/* NULL where it is not for this call; `aligned` is for pow2 windows of aligned rows. */
	nn_max_s2 *wide, *pow2, *aligned;
	uint32_t whole;		/* windows of a row that these make */
	uint32_t together;	/* pow2 windows of a vector */
	uint32_t vectors;
};

static inline bool is_halved(const struct nn_window_params *window)
{
	uint32_t kernel = window->kernel_w;

	return window->kernel_h == kernel && kernel >= 2 && kernel <= 3 &&
	       window->stride_w == 2 && window->pad_left <= kernel - 2;
}

/*
 * Chooses the loops for windows of 2x2 and 3x3 with stride 2. Pow2 windows lie side by side from
 * the input's first column on, from which those of 3x3 reach right or left, as their padding is.
 */
static struct halving halving_of(const struct nn_call *call)
{
	static const struct {
		nn_max_s2 *wide, *pow2, *aligned;
	} all[2][3] = {
		{
			{ nn_max_wide_2_u8, nn_max_pow2_2_unaligned_u8, nn_max_pow2_2_u8 },
			{ nn_max_wide_3_u8, nn_max_pow2_3_left_unaligned_u8,
			  nn_max_pow2_3_left_u8 },
			{ nn_max_wide_3_u8, nn_max_pow2_3_right_unaligned_u8,
			  nn_max_pow2_3_right_u8 },
		},
		{
			{ nn_max_wide_2_s8, nn_max_pow2_2_unaligned_s8, nn_max_pow2_2_s8 },
			{ nn_max_wide_3_s8, nn_max_pow2_3_left_unaligned_s8,
			  nn_max_pow2_3_left_s8 },
			{ nn_max_wide_3_s8, nn_max_pow2_3_right_unaligned_s8,
			  nn_max_pow2_3_right_s8 },
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
		halving.pow2 = all[call->input[0].type == NN_TYPE_INT8][form].pow2;
		halving.aligned = all[call->input[0].type == NN_TYPE_INT8][form].aligned;
		halving.whole = min_u32(width / 2, columns);
		halving.together = VECTOR / channels;
		halving.vectors = halving.whole / halving.together;
		if (halving.vectors)
			return halving;
		halving.pow2 = NULL;
	}
	if (channels < 16 || width + pad < kernel)
		return halving;
	halving.wide = all[call->input[0].type == NN_TYPE_INT8][form].wide;
	halving.whole = min_u32((width + pad - kernel) / 2 + 1, columns);
	return halving;
}

/* Makes `vectors` vectors of pow2 windows, from window `first` on. */
static void max_pow2(const struct nn_call *call, const struct halving *halving,
		     struct max_s2 *windows, const uint8_t *const *row, uint32_t first,
		     uint32_t vectors, uint8_t *out)
{
	uint32_t channels = call->input[0].dims[3], width = call->input[0].dims[2];
	uint32_t from = 2 * first, beyond = from + vectors * 2 * halving->together, beside = from;
	bool goes_left = call->op->window.kernel_w == 3 && !call->op->window.pad_left;
	uint32_t bits = (uintptr_t)(row[0] + from * channels) | (width * channels);
	/* From right to left, the last of all vectors are the first. */
	uint32_t last_in = goes_left ? (2 * vectors - 1) * VECTOR : 0;
	uint32_t last_out = goes_left ? (vectors - 1) * VECTOR : 0;

	/* For a column that is missing, one of the window's own is taken again. */
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
	(bits % VECTOR ? halving->pow2 : halving->aligned)(windows);
}

/* Makes the first windows of an output row, straight from the input, and returns how many. */
static uint32_t max_whole_windows(const struct nn_call *call, const struct halving *halving,
				  const uint8_t *image, const struct pool_window *rows,
				  uint8_t *out)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t channels = input->dims[3], pitch = input->dims[2] * channels;
	uint32_t kernel = params->kernel_w, count = halving->whole;
	struct max_s2 windows = {
		.pixel = channels,
		.min = four_bytes(call->op->out_min),
		.max = four_bytes(call->op->out_max),
	};
	const uint8_t *row[3];

	/* Instead of rows of padding, others are taken again. */
	for (uint32_t i = 0; i < 3; i++)
		row[i] = image + min_u32(rows->top + i, rows->bottom - 1) * pitch;
	if (halving->pow2) {
		max_pow2(call, halving, &windows, row, 0, halving->vectors, out);
		if (halving->vectors * halving->together != count)
			max_pow2(call, halving, &windows, row, count - halving->together, 1, out);
		return count;
	}
	/* With fewer than 128 channels, windows whose vectors leave an operand are left. */
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

/* Makes them where pixels have a pitch, with 128 channels and more. */
static __attribute__((noinline)) uint32_t max_whole_strided(const struct nn_call *call,
							  uint32_t count, const uint8_t *image,
							  const struct pool_window *rows,
							  uint8_t *out)
{
	static nn_max_wide_strided *const all[2][2] = {
		{ nn_max_wide_2_strided_u8, nn_max_wide_2_strided_s8 },
		{ nn_max_wide_3_strided_u8, nn_max_wide_3_strided_s8 },
	};
	const struct nn_tensor *input = &call->input[0];
	uint32_t kernel = call->op->window.kernel_w, pad = call->op->window.pad_left;
	struct max_s2 windows = {
		.count = count,
		.pixel = input->pitch,
		.min = four_bytes(call->op->out_min),
		.max = four_bytes(call->op->out_max),
	};

	for (uint32_t c = 0; c < input->dims[3]; c += VECTOR) {
		uint32_t at = min_u32(c, input->dims[3] - VECTOR);

		windows.to = out + at;
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t y = min_u32(rows->top + i, rows->bottom - 1);
			const uint8_t *row = image + y * input->dims[2] * input->pitch + at;

			windows.before[i] = row;
			windows.row[i] = row + (kernel - 2 - pad) * input->pitch;
		}
		all[kernel - 2][input->type == NN_TYPE_INT8](&windows, call->output[0].pitch);
	}
	return count;
}

static inline __attribute__((always_inline)) int max_pool(const struct nn_call *call,
							   bool is_dense)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	/* Scratch memory has two rows with their padding, and a third. */
	uint32_t columns = fitting_columns(call, 2), together;
	uint64_t work = 200 + (uint64_t)output->dims[2] * (output->dims[3] / VECTOR + 1) * 8 +
			3 * NN_PAGE_WORK +
			4ull * memory_work(input->dims[2] * in_pitch(call, is_dense));
	struct halving halving = halving_of(call);
	struct progress progress = { .call = call };
	struct columns scratch = { .inside = 0 };
	/* Two windows, one above the other, share rows. */
	bool pairs = call->op->window.stride_h == 1 && call->op->window.kernel_h > 1, halved;
	uint8_t *out = output->data;

	if (!columns)
		return nn_max_pool_portable(call);
	halved = (halving.wide || halving.pow2) && work <= NN_TILE;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image =
			input->data + n * (is_dense ? input->row_bytes : input->row_pitch);

		for (uint32_t y = 0; y < output->dims[1]; y += together) {
			uint32_t first = 0;
			int ret;

			together = 1;
			if (halved) {
				struct pool_window rows = pool_window(call, y, 0);

				ret = progress_add(&progress, work);
				if (ret)
					return ret;
				if (is_dense)
					first = max_whole_windows(call, &halving, image, &rows,
								  out);
				else
					first = max_whole_strided(call, halving.whole, image, &rows,
								  out);
			} else if (pairs) {
				together = min_u32(output->dims[1] - y, 2);
			}
			for (uint32_t x = first; x < output->dims[2]; x += columns) {
				struct column_part part =
					part_of(call, x, min_u32(output->dims[2] - x, columns));

				ret = max_rows(&progress, &scratch, image, y, together, &part,
					       out + x * out_pitch(call, is_dense), is_dense);
				if (ret)
					return ret;
			}
			out += together * output->dims[2] * out_pitch(call, is_dense);
		}
	}
	return 0;
}

static __attribute__((noinline)) int max_dense(const struct nn_call *call)
{
	return max_pool(call, true);
}

static __attribute__((noinline)) int max_strided(const struct nn_call *call)
{
	return max_pool(call, false);
}

static int run_dense(const struct nn_call *stated)
{
	struct laid_down down;
	const struct nn_call *call = lay_down(stated, &down);

	if (max_s2_narrow_windows(call->input[0].dims[3]) && nn_max_s2_narrow_pays(call))
		return nn_max_s2_narrow_run(call);
	return max_dense(call);
}

/*
 * Tells whether pixels that have a pitch are read and written where they are, which takes no longer
 * than if they were side by side: all their vectors are full, or would be as many as they are. Rows
 * must not be on so many pages that a report is due between them.
 */
static bool is_direct(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t channels = input->dims[3], height = call->op->window.kernel_h + 1;
	uint64_t work = (uint64_t)output->dims[2] * stride_work(output->pitch) * 2 +
			(uint64_t)input->dims[2] * stride_work(input->pitch) * height;

	return channels >= VECTOR && work <= NN_TILE / 2 &&
	       (channels % VECTOR == 0 || is_halved(&call->op->window));
}

int nn_max_pool_hvx(const struct nn_call *call)
{
	if (windows_are_dense(call))
		return run_dense(call);
	return is_direct(call) ? max_strided(call) : nn_strips_run(call, run_dense);
}
