// SPDX-License-Identifier: MIT
/*
 * RESIZE of pixels of few bytes, of which a vector has several: they are gathered by tables, as
 * bilinear resizing gathers neighbours (resize_linear.h). resize.c calls this.
 */
#include "dsp/hvx/move/resize_linear.h"
#include "dsp/hvx/move/resize_narrow.h"

#define ROW_WORK	100u
#define GATHER_WORK	24u

static __attribute__((noinline)) void store_row(const struct resize_strip *strip, uint8_t *to)
{
	const uint8_t *from = strip->blocks;
	uint32_t last = strip->bytes - (strip->vectors - 1) * VECTOR;

	for (uint32_t left = strip->vectors - 1; left; left--, from += VECTOR, to += VECTOR)
		store(to, *(const HVX_Vector *)from);
	store_bytes(to, *(const HVX_Vector *)from, last);
}

/* Makes the rows of a strip of an image. */
static int make_rows(const struct resize_strip *strip, struct progress *progress,
		     const uint8_t *image, uint8_t *to)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t line = (uint64_t)input->dims[2] * strip->job->channels;
	uint32_t pitch = output->dims[2] * strip->job->channels, before = 0;
	uint32_t work = ROW_WORK + strip->count * GATHER_WORK + 2 * memory_work(strip->bytes) +
			stride_work(line) + stride_work(pitch);

	for (uint32_t y = 0; y < output->dims[1]; y++, to += pitch) {
		uint32_t number = resize_position_of(strip->job, true, y).near;
		int ret;

		if (y && number == before) {
			ret = progress_copy(progress, to, to - pitch, strip->bytes);
			if (ret)
				return ret;
			continue;
		}
		ret = progress_add(progress, work);
		if (ret)
			return ret;
		resize_gather_row(strip, 0, image + number * line, input->data + input->bytes);
		store_row(strip, to);
		before = number;
	}
	return 0;
}

int nn_resize_narrow(const struct nn_call *call, bool *done)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct resize_job job = {
		.call = call,
		.way = RESIZE_NEAREST,
		.channels = nn_pixel_bytes(output),
	};
	uint32_t row_bytes = output->dims[2] * job.channels;
	struct resize_strip strip = { .job = &job, .layout.bytes = VECTOR };
	struct progress progress = { .call = call };

	*done = true;
	resize_settle_room(&strip, call->scratch);
	for (; strip.begin < row_bytes; strip.begin += strip.bytes) {
		int ret = resize_begin_strip(&strip, &progress, row_bytes);

		if (ret)
			return ret;
		if (!strip.vectors) {
			*done = false;
			return 0;
		}
		for (uint32_t n = 0; n < output->dims[0]; n++) {
			ret = make_rows(&strip, &progress, input->data + n * input->row_bytes,
					output->data + n * output->row_bytes + strip.begin);
			if (ret)
				return ret;
		}
	}
	return 0;
}
