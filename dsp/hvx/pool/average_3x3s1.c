// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL of 3x3 windows with stride 1 and padding all around, line by line: average_pool.c
 * calls nn_average_3x3s1_image() for each image.
 *
 * A line is 128 bytes of a row of the output, or of a column, without its first and last window.
 * Three elements across the line are added up, or two and none at the edge of the image, and each
 * window has three of these sums. So each element is loaded three times, for three lines side by
 * side:
 *
 *	across   |a0 a1 a2 a3 ...|	a line along the row:
 *	         |b0 b1 b2 b3 ...|	sums s_i = a_i + b_i + c_i,
 *	         |c0 c1 c2 c3 ...|	means (s0 + s1 + s2) / 9, (s1 + s2 + s3) / 9, ...
 *
 * Where channels are a multiple of 128, lines are rows. Otherwise they are columns of 128 bytes,
 * whatever pixels these are of, but for the rows at the top and the bottom. With less than 128
 * channels a vector overwrites pixels beside a corner or an edge, which are computed later:
 * corners, edges, then all that is between them.
 */
#include <stddef.h>
#include "dsp/kernels/checks.h"
#include "dsp/hvx/pool/average_3x3s1.h"
#include "dsp/hvx/common/vector.h"

#define LINE_WORK	200
#define VECTOR_WORK	16

struct line {
	const uint8_t *from;	/* the first of the elements across */
	uint8_t *to;
	uint32_t step, across;	/* bytes to the next of the line, and across it */
	uint32_t count;
	uint32_t bytes;		/* of lines side by side, at least a vector */
};

/* The bytes that are loaded and stored of a pixel at the left or right. */
static uint32_t pixel_bytes(uint32_t channels)
{
	return channels > VECTOR ? channels : VECTOR;
}

static uint32_t line_work(uint32_t count, uint32_t step)
{
	uint64_t work = LINE_WORK + 4 * NN_PAGE_WORK +
			(VECTOR_WORK + 4 * stride_work(step)) * (uint64_t)count;

	return work < UINT32_MAX ? work : UINT32_MAX;
}

bool nn_average_is_3x3s1(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t height = input->dims[1], width = input->dims[2], channels = input->dims[3];

	return window->kernel_h == 3 && window->kernel_w == 3 && window->stride_h == 1 &&
	       window->stride_w == 1 && window->pad_top == 1 && window->pad_left == 1 &&
	       output->dims[1] == height && output->dims[2] == width &&
	       height >= AVERAGE_LEAST + 2 && width >= AVERAGE_LEAST + 2 &&
	       (uint64_t)(width - AVERAGE_LEAST - 1) * channels >= VECTOR &&
	       line_work(width, channels) <= NN_TILE &&
	       line_work(height, width * channels) <= NN_TILE;
}

/* Makes a line. `zero` is NULL, or for a line at the edge bytes that add nothing to a sum. */
static int make_line(struct progress *progress, struct average_loop *loop,
		     const struct line *line, const uint8_t *zero)
{
	uint32_t work = line_work(line->count, line->step);

	loop->step = loop->to_step = line->step;
	loop->deal = zero ? 0 : line->step;
	loop->rounds = line->count - 2;
	for (uint32_t c = 0; c < line->bytes; c += VECTOR) {
		uint32_t at = min_u32(c, line->bytes - VECTOR);
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		loop->row[0] = line->from + at;
		loop->row[1] = loop->row[0] + line->across;
		loop->beside = zero ? zero - loop->row[0] : 2 * line->across;
		loop->to = line->to + at;
		nn_average_3x3s1(loop);
	}
	return 0;
}

/*
 * Makes the lines at both edges, of rows or of columns; `away` is how far the first elements of the
 * second line are.
 */
static int make_edges(struct progress *progress, struct plan_3x3s1 *plan, struct line line,
		      uint32_t away)
{
	uint8_t *zero = progress->call->scratch;
	int ret;

	store(zero, Q6_V_vsplat_R(plan->cut.flip));
	ret = make_line(progress, &plan->cut, &line, zero);
	line.from += away;
	line.to += away + line.across;
	return ret ? ret : make_line(progress, &plan->cut, &line, zero);
}

/* Makes a corner: the window of the four pixels from `from` on. */
static int make_corner(struct progress *progress, struct average_loop *loop, const uint8_t *from,
		       uint32_t pitch, uint8_t *to)
{
	uint32_t channels = progress->call->input[0].dims[3], bytes = pixel_bytes(channels), left;
	uint32_t count = bytes / VECTOR;
	int ret = progress_add(progress, 2 * line_work(count + AVERAGE_LEAST, VECTOR));

	if (ret)
		return ret;
	loop->step = VECTOR;
	if (count < AVERAGE_LEAST) {
		count = AVERAGE_LEAST;
		loop->step = (bytes - VECTOR) / 2;
	}
	left = bytes - VECTOR - (count - 1) * loop->step;
	loop->to_step = loop->step;
	loop->rounds = count - 2;
	loop->beside = channels;
	loop->row[0] = from;
	loop->row[1] = from + pitch;
	loop->to = to;
	nn_average_2x2s2(loop);
	if (!left)
		return 0;
	/* The bytes that are left, and some again. */
	loop->row[0] += left;
	loop->row[1] += left;
	loop->to += left;
	nn_average_2x2s2(loop);
	return 0;
}

/* Makes all windows but those at the edges. */
static int make_inside(struct progress *progress, struct plan_3x3s1 *plan, struct line line,
		       uint32_t height, uint32_t width)
{
	uint32_t pitch = line.step, channels = line.across;
	int ret = 0;

	if (channels % VECTOR) {
		line.to += channels;
		line.bytes = (width - 2) * channels;
		return make_line(progress, &plan->whole, &line, NULL);
	}
	line = (struct line){ line.from, line.to + channels, channels, pitch, width - 2, channels };
	for (uint32_t y = 1; y + 1 < height && !ret; y++) {
		ret = make_line(progress, &plan->whole, &line, NULL);
		line.from += pitch;
		line.to += pitch;
	}
	return ret;
}

int nn_average_3x3s1_image(struct progress *progress, struct plan_3x3s1 *plan, const uint8_t *image,
			   uint8_t *out)
{
	const struct nn_tensor *input = &progress->call->input[0];
	uint32_t height = input->dims[1], width = input->dims[2], channels = input->dims[3];
	uint32_t pitch = width * channels, right = pitch - channels - pixel_bytes(channels);
	struct line row = { image, out + channels, channels, pitch, width - 2, channels };
	struct line column = { image, out + pitch, pitch, channels, height - 2,
			       pixel_bytes(channels) };
	int ret = 0;

	/*
	 * Each vector begins a pixel behind the one before, and the last one must end with the row.
	 */
	if (channels < VECTOR) {
		uint32_t more = pitch - 2 * channels - VECTOR;

		row.count = more / channels + 1;
		row.bytes = VECTOR + more % channels;
	}
	for (uint32_t i = 0; i < 4 && !ret; i++) {
		uint32_t x = i % 2 ? right : 0, y = i < 2 ? 0 : height - 2;

		ret = make_corner(progress, &plan->corner, image + y * pitch + x, pitch,
				  out + (y ? y + 1 : 0) * pitch + (x ? x + channels : 0));
	}
	if (!ret)
		ret = make_edges(progress, plan, row, (height - 2) * pitch);
	if (!ret)
		ret = make_edges(progress, plan, column, right);
	return ret ? ret : make_inside(progress, plan, column, height, width);
}
