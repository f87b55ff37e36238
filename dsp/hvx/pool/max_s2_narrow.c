// SPDX-License-Identifier: MIT
/*
 * MAX_POOL of windows of 2x2 and 3x3 with stride 2 and less than 128 channels that are no power of
 * two. max_pool.c calls it for whole calls; interleave.h draws how the assembly makes such windows,
 * several to a vector.
 *
 * The vectors of a row's last windows reach into the next row. Where there is no next one, the last
 * windows are made again, in scratch memory.
 */
#include "dsp/hvx/pool/max_s2_narrow.h"
#include "dsp/hvx/pool/pool.h"

#define LEAST_WINDOWS	60	/* for fewer, controls and masks take longer than they save */
#define VECTOR_WORK	12

struct narrow_run {
	struct narrow_windows narrow;
	uint8_t last_rows[3][4 * VECTOR];
	uint8_t last[2 * VECTOR];	/* results */
	nn_max_s2_narrow *make;
	uint32_t ends;		/* see max_s2_narrow_last() */
	uint32_t across;	/* vectors of an output row */
	uint32_t whole;		/* output rows with windows that are not cut off below */
	uint32_t followed;	/* and whose vectors may reach into the next, in the input too */
};

static uint32_t narrow_work(const struct nn_call *call)
{
	uint32_t bytes = call->output[0].dims[2] * call->output[0].dims[3];
	uint64_t work = 3 * NN_PAGE_WORK + 8ull * memory_work(bytes) + bytes / 32 * VECTOR_WORK;

	return work < UINT32_MAX ? work : UINT32_MAX;
}

bool nn_max_s2_narrow_pays(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t channels = call->input[0].dims[3], columns = call->output[0].dims[2];
	uint32_t windows = max_s2_narrow_windows(channels);

	/* All columns of windows are in the input, but for one to the left of 3x3. */
	return windows && window->kernel_w >= 2 && window->kernel_w <= 3 &&
	       window->kernel_h == window->kernel_w &&
	       window->stride_w == 2 && window->pad_left == window->kernel_w - 2 &&
	       columns <= call->input[0].dims[2] / 2 && columns * channels >= VECTOR &&
	       columns > max_s2_narrow_last(channels, windows) * windows &&
	       (uint64_t)call->output[0].dims[1] * columns >= LEAST_WINDOWS &&
	       narrow_work(call) <= NN_TILE && call->scratch_size >= sizeof(struct narrow_run);
}

static nn_max_s2_narrow *narrow_loop_of(const struct nn_call *call, uint32_t windows)
{
	static nn_max_s2_narrow *const all[5][2][2] = {
		{ { nn_max_delta_2_u8, nn_max_delta_2_s8 },
		  { nn_max_delta_3_u8, nn_max_delta_3_s8 } },
		{ { nn_max_single_2_u8, nn_max_single_2_s8 },
		  { nn_max_single_3_u8, nn_max_single_3_s8 } },
		{ { nn_max_shifted2_2_u8, nn_max_shifted2_2_s8 },
		  { nn_max_shifted2_3_u8, nn_max_shifted2_3_s8 } },
		{ { nn_max_shifted3_2_u8, nn_max_shifted3_2_s8 },
		  { nn_max_shifted3_3_u8, nn_max_shifted3_3_s8 } },
		{ { nn_max_interleaved_2_u8, nn_max_interleaved_2_s8 },
		  { nn_max_interleaved_3_u8, nn_max_interleaved_3_s8 } },
	};
	uint32_t channels = call->input[0].dims[3], form = 0;

	if (channels == INTERLEAVED_CHANNELS)
		form = 4;
	else if (channels > PAIRED_CHANNELS)
		form = windows;
	return all[form][call->op->window.kernel_w - 2][call->input[0].type == NN_TYPE_INT8];
}

/*
 * Makes a row's last windows, as many as max_s2_narrow_last() vectors have; first[] are their rows.
 */
static void narrow_last(const struct nn_call *call, struct narrow_run *run,
			const uint8_t *const *first, uint8_t *out)
{
	struct narrow_windows *narrow = &run->narrow;
	uint32_t bytes = run->ends * narrow->bytes;
	uint32_t end = 2 * bytes - VECTOR;
	bool is_signed = call->input[0].type == NN_TYPE_INT8;
	HVX_Vector least = narrow->before;

	for (uint32_t i = 0; i < call->op->window.kernel_h; i++) {
		HVX_Vector beside;

		store(run->last_rows[i], load(first[i]));
		for (uint32_t at = VECTOR; at < end; at += VECTOR)
			store(run->last_rows[i] + at, load(first[i] + at));
		store(run->last_rows[i] + end, load(first[i] + end));
		narrow->row[i] = run->last_rows[i];
		if (call->op->window.kernel_w == 2)
			continue;
		beside = load_bytes(first[i] - narrow->pixel, narrow->pixel);
		narrow->before = is_signed ? Q6_Vb_vmax_VbVb(narrow->before, beside)
					  : Q6_Vub_vmax_VubVub(narrow->before, beside);
	}
	narrow->to = run->last;
	narrow->count = narrow->across = narrow->last = run->ends;
	narrow->out_rows = 1;
	run->make(narrow);
	store_bytes(out, load(run->last), min_u32(bytes, VECTOR));
	if (bytes > VECTOR)
		store(out + bytes - VECTOR, load(run->last + bytes - VECTOR));
	narrow->before = least;
}

/* Makes `count` output rows from y on, of which only the last may not reach into the next. */
static void narrow_rows(const struct nn_call *call, struct narrow_run *run, const uint8_t *image,
			uint32_t y, uint32_t count, uint8_t *out)
{
	struct narrow_windows *narrow = &run->narrow;
	struct pool_window rows = pool_window(call, y, 0);
	uint32_t pitch = call->input[0].dims[2] * narrow->pixel;
	uint32_t step = call->op->window.stride_h * pitch;
	uint32_t row_bytes = call->output[0].dims[2] * narrow->pixel;
	uint32_t bytes = run->across * narrow->bytes;
	uint32_t before = row_bytes - run->ends * narrow->bytes;
	bool is_followed = y + count <= run->followed;
	const uint8_t *last[3];

	/* Instead of rows of padding, others are taken again. */
	for (uint32_t i = 0; i < 3; i++) {
		narrow->row[i] = image + min_u32(rows.top + i, rows.bottom - 1) * pitch;
		last[i] = narrow->row[i] + (count - 1) * step + 2 * before;
	}
	narrow->across = run->across;
	narrow->out_rows = count;
	narrow->last = run->across - (is_followed ? 0 : run->ends);
	narrow->count = (count - 1) * run->across + narrow->last;
	narrow->next = step - 2 * bytes;
	narrow->to_next = row_bytes - bytes;
	narrow->to = out;
	run->make(narrow);
	if (!is_followed)
		narrow_last(call, run, last, out + (count - 1) * row_bytes + before);
}

int nn_max_s2_narrow_run(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct narrow_run *run = (struct narrow_run *)call->scratch;
	uint32_t channels = input->dims[3], windows = max_s2_narrow_windows(channels);
	uint32_t work = narrow_work(call), count;
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	run->whole = pool_whole_rows(call);
	run->followed = pool_followed_rows(call, run->whole);
	run->make = narrow_loop_of(call, windows);
	run->ends = max_s2_narrow_last(channels, windows);
	run->across = (output->dims[2] - 1) / windows + 1;
	nn_max_s2_narrow_settle(&run->narrow, channels, windows);
	run->narrow.min = four_bytes(call->op->out_min);
	run->narrow.max = four_bytes(call->op->out_max);
	run->narrow.before = splat_b(call->op->out_min);

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		for (uint32_t y = 0; y < output->dims[1]; y += count) {
			int ret;

			count = 1;
			if (y * window->stride_h >= window->pad_top && y < run->whole)
				count = run->whole - y;
			while ((uint64_t)count * work > NN_TILE)
				count /= 2;
			ret = progress_add(&progress, count * work);
			if (ret)
				return ret;
			narrow_rows(call, run, input->data + n * input->row_bytes, y, count,
				    out);
			out += count * output->dims[2] * output->dims[3];
		}
	}
	return 0;
}
