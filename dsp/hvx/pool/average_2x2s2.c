// SPDX-License-Identifier: MIT
/*
 * Plans which 2x2 windows of an AVERAGE_POOL or AVERAGE_POOL_FLOAT the assembly of average_2x2s2.h
 * computes, and sets its addresses; average_pool.c and average_pool_float.c call it.
 *
 *	row y      |p0 p1 p2 p3 ...|		p0, p1, q0 and q1 are the first window
 *	row y + 1  |q0 q1 q2 q3 ...|
 *
 * Pow2 windows are those of 1, 2, 4 .. 64 channels: 256 bytes of a row make a vector of means.
 * They, and those of 128 channels and more, need no bytes but their own. Windows of other numbers
 * of channels have vectors that reach into the next row, which is computed later; where there is no
 * next row, nn_average_2x2s2_last() computes these windows.
 */
#include "dsp/hvx/pool/average_2x2s2.h"
#include "dsp/hvx/pool/pool.h"

#define LEAST_CHANNELS	16	/* fewer are faster as windows of any kind */
#define RUN_WORK	200	/* for a run, and */
#define VECTOR_WORK	16	/* for each vector */

/*
 * Copies of a row's last windows, and their means. Each vector begins less than 128 bytes behind
 * the one before.
 */
struct last_windows {
	uint8_t row[2][(2 * AVERAGE_LEAST + 2) * VECTOR];
	uint8_t to[(AVERAGE_LEAST + 1) * VECTOR];
};

static int32_t unsigned_offset(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT8 ? 128 : 0;
}

/*
 * Sets the work of a run of so many vectors: the vectors, and the pages of two rows and of the
 * output that it comes to.
 */
static void settle_work(struct plan_2x2s2 *plan, uint32_t count)
{
	uint64_t work = RUN_WORK + 3 * NN_PAGE_WORK +
			(VECTOR_WORK + 2 * stride_work(plan->loop.step) +
			 stride_work(plan->loop.to_step)) * (uint64_t)count;

	plan->work = work < UINT32_MAX ? work : UINT32_MAX;
}

/* Sets which windows of a row are made, and the loop's steps. */
static bool settle_windows(struct plan_2x2s2 *plan, const struct nn_call *call)
{
	uint32_t channels = call->input[0].dims[3];

	plan->whole = plan->most = min_u32(call->input[0].dims[2] / 2, call->output[0].dims[2]);
	if (channels < VECTOR && !(channels & (channels - 1))) {
		plan->together = VECTOR / channels;
		plan->vectors = plan->most / plan->together;
		plan->runs = plan->vectors * plan->together == plan->most ? 1 : 2;
		plan->loop.deal = -channels;
		plan->loop.beside = VECTOR;
		plan->loop.step = 2 * VECTOR;
		plan->loop.to_step = VECTOR;
		settle_work(plan, plan->vectors);
		return plan->vectors >= AVERAGE_LEAST && plan->work <= NN_TILE;
	}
	if (channels < LEAST_CHANNELS)
		return false;
	if (channels < VECTOR)
		plan->left = (VECTOR - 1) / channels;
	plan->runs = round_up(channels, VECTOR) / VECTOR;
	plan->loop.beside = channels;
	plan->loop.step = 2 * channels;
	plan->loop.to_step = channels;
	settle_work(plan, plan->most);
	return plan->most >= AVERAGE_LEAST + plan->left && plan->work <= NN_TILE;
}

struct average_loop nn_average_loop(const struct nn_call *call, uint32_t multiplier, uint32_t area,
				    uint64_t more)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	int32_t offset = unsigned_offset(output);
	int64_t base = (int64_t)more -
		       (int64_t)multiplier * area * (input->zero_point + unsigned_offset(input)) +
		       ((int64_t)(output->zero_point + offset) << 32);

	return (struct average_loop){
		.low = (multiplier & 0xffff) * 0x10001u,
		.high = (multiplier >> 16) * 0x10001u,
		.base_low = base & 0xffff,
		.base_high = (int32_t)(base >> 16),
		.flip = four_bytes(unsigned_offset(input)),
		.flip_out = four_bytes(offset),
		.min = four_bytes(call->op->out_min + offset),
		.max = four_bytes(call->op->out_max + offset),
		.count = 1,
	};
}

bool nn_average_2x2s2_settle(struct plan_2x2s2 *plan, const struct nn_call *call,
			     uint32_t multiplier, uint64_t more)
{
	const struct nn_window_params *window = &call->op->window;

	if (window->kernel_h != 2 || window->kernel_w != 2 || window->stride_w != 2 ||
	    window->pad_left)
		return false;
	*plan = (struct plan_2x2s2){ .loop = nn_average_loop(call, multiplier, 4, more) };
	return settle_windows(plan, call);
}

/*
 * Sets the loop for windows of so few channels that a vector has several, made of pixels that are
 * shifted.
 */
static bool settle_shifted(struct plan_2x2s2 *plan, const struct nn_call *call)
{
	uint32_t channels = call->input[0].dims[3], together;

	/* A vector has as many as fit, and at most a pixel more behind them. */
	if (channels > VECTOR / 3 && channels < VECTOR / 2) {
		together = 2;
		plan->make = nn_average_2x2s2_two;
	} else if (channels > VECTOR / 4 && channels <= VECTOR / 3) {
		together = 3;
		plan->make = nn_average_2x2s2_three;
	} else if (channels > VECTOR / 6 && channels <= VECTOR / 5) {
		together = 5;
		plan->make = nn_average_2x2s2_five;
	} else {
		return false;
	}
	plan->shifted = (plan->most + together - 1) / together;
	plan->left = plan->most - (plan->shifted - 1) * together;
	plan->loop.step = channels;
	plan->loop.to_step = together * channels;
	settle_work(plan, 2 * plan->shifted);
	return plan->shifted > AVERAGE_LEAST;
}

bool nn_average_2x2s2_settle_any(struct plan_2x2s2 *plan, const struct nn_call *call,
				 uint32_t multiplier)
{
	struct plan_2x2s2 shifted;

	if (!nn_average_2x2s2_settle(plan, call, multiplier, 1u << 31))
		return false;
	plan->make = nn_average_2x2s2;
	shifted = *plan;
	if (settle_shifted(&shifted, call))
		*plan = shifted;
	plan->end = pool_whole_rows(call);
	/* A row's last vectors reach into the next row. */
	if (plan->left)
		plan->end = pool_followed_rows(call, plan->end);
	return call->scratch_size >= sizeof(struct last_windows);
}

void nn_average_2x2s2_run(struct plan_2x2s2 *plan, const struct nn_call *call, uint32_t run,
			  const uint8_t *image, uint32_t y, uint32_t rows, uint8_t *out)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t channels = call->input[0].dims[3], pitch = call->input[0].dims[2] * channels;
	const uint8_t *row = image + (y * window->stride_h - window->pad_top) * pitch;
	uint32_t at = 0, first = 0, step = plan->loop.step, count;

	if (!plan->vectors) {
		/* The last channels overlap those before them rather than the next pixel. */
		at = run && channels - run * VECTOR < VECTOR ? channels - VECTOR : run * VECTOR;
		plan->loop.rounds = plan->whole - 2;
		if (plan->shifted) {
			plan->loop.rounds = plan->shifted - 2 - (plan->whole != plan->most);
			step = 2 * plan->loop.to_step;
		}
	} else if (!run) {
		plan->loop.rounds = plan->vectors - 2;
	} else {
		/* The windows that are left, and some again. */
		plan->loop.rounds = AVERAGE_LEAST - 2;
		first = plan->whole - AVERAGE_LEAST * plan->together;
	}
	plan->loop.row[0] = row + 2 * first * channels + at;
	plan->loop.row[1] = plan->loop.row[0] + pitch;
	plan->loop.to = out + first * channels + at;
	count = plan->loop.rounds + 2;
	plan->loop.count = rows;
	plan->loop.next = window->stride_h * pitch - count * step;
	plan->loop.to_next = call->output[0].dims[2] * channels - count * plan->loop.to_step;
}

void nn_average_2x2s2_last(struct plan_2x2s2 *plan, const struct nn_call *call,
			   const uint8_t *image, uint32_t y, uint8_t *out)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t channels = call->input[0].dims[3], pitch = call->input[0].dims[2] * channels;
	/* These are a vector of several windows, or a vector for each. */
	uint32_t count = plan->shifted || plan->left < AVERAGE_LEAST ? AVERAGE_LEAST : plan->left;
	uint32_t bytes = count * plan->loop.to_step;
	uint32_t before = plan->most * channels - bytes;
	const uint8_t *row = image + (y * window->stride_h - window->pad_top) * pitch + 2 * before;
	struct last_windows *last = (struct last_windows *)call->scratch;

	for (uint32_t i = 0; i < 2; i++) {
		__builtin_memcpy(last->row[i], row + i * pitch, 2 * bytes);
		plan->loop.row[i] = last->row[i];
	}
	plan->loop.to = last->to;
	plan->loop.rounds = count - 2;
	plan->loop.count = 1;
	plan->make(&plan->loop);
	__builtin_memcpy(out + before, plan->loop.to, bytes);
}
