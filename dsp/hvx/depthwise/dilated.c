// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D in pieces without dilation. With a dilation of D, windows that begin at
 * rows of the same rest by D see nothing but rows of one rest: these are an image of their own, a
 * phase, and so are columns. With a stride of S windows begin at the same rest after D / gcd(D, S)
 * outputs, and are S / gcd(D, S) rows of their phase apart.
 *
 * Columns go phase by phase. Of rows as many phases as there is room for are put one below the
 * other in scratch memory, with padding above and below each, and are one call of the kernel; so
 * that phases of very few rows are not calls of their own. Results of windows that see two phases
 * mean nothing.
 *
 *	rows, D = 3	 a b c a b c a b		output rows, 3x3
 *	in memory	|. a a a .|. b b b .|. c c .|	| a a a - - b b b - - c c |
 *
 * Channels go in slices of 128, or more if one has little work, or less if a window has very many
 * pixels: the last slice overlaps the one before it. Constants of a slice are where they are.
 */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/depthwise_conv2d.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"
#include "dsp/hvx/common/strided.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/depthwise/dilated.h"

#define MOST_RUNS	64u
#define FULL_PHASES	8u	/* rows of a phase that are not worth dividing */

/* One direction of the window: phases, and in each what a dense window is. */
struct direction {
	uint32_t phases;	/* outputs until windows begin at the same rest again */
	uint32_t used;		/* phases that have an output */
	uint32_t stride;	/* of windows in a phase */
	uint32_t kernel, dilation, pad, step;	/* of the call; `step` is its stride */
	uint32_t input, output;	/* sizes */
};

/* A phase: its outputs, and where the input has what they see. */
struct phase {
	uint32_t outputs;
	int32_t begin;		/* of the first window, in the phase; negative in the padding */
	uint32_t first;		/* element 0 of the phase in the input, */
	uint32_t count;		/* and how many there are; 0: the input is too small */
};

/* Some outputs of a phase of rows, and where they are in scratch memory. */
struct run {
	struct phase phase;
	uint32_t output;	/* the first one, of its phase */
	uint32_t outputs;
	uint32_t at, result;	/* the first row of input, and of results */
	uint32_t row;		/* the phase's number */
};

struct dilated {
	const struct nn_call *call;
	struct progress progress;
	struct direction down, across;
	uint32_t channels, inputs;	/* of the output in a slice, and of the input */
	uint32_t columns, rows;		/* of the output, and of the input, at a time at most */
	uint8_t *in, *out;		/* in scratch memory */
	struct run runs[MOST_RUNS];
	uint32_t count;			/* of runs */
	uint32_t all_rows;		/* of input if they have all outputs, or 0 */

	struct nn_program_op op;
	struct nn_call piece;
};

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static struct direction direction_of(uint32_t kernel, uint32_t stride, uint32_t dilation,
				     uint32_t pad, uint32_t input, uint32_t output)
{
	uint32_t common = gcd(stride, dilation);

	/* What has one row is not dilated. */
	if (kernel == 1)
		dilation = common = 1;
	return (struct direction){ .phases = dilation / common,
				   .used = min_u32(dilation / common, output),
				   .stride = stride / common,
				   .kernel = kernel,
				   .dilation = dilation,
				   .pad = pad,
				   .step = stride,
				   .input = input,
				   .output = output };
}

static struct phase phase_of(const struct direction *of, uint32_t number)
{
	int32_t at = (int32_t)(number * of->step) - (int32_t)of->pad;
	int32_t rest = at % (int32_t)of->dilation;
	struct phase phase = { 0 };

	if (rest < 0)
		rest += of->dilation;
	phase.begin = (at - rest) / (int32_t)of->dilation;
	phase.first = rest;
	phase.outputs = (of->output - number - 1) / of->phases + 1;
	if ((uint32_t)rest < of->input)
		phase.count = (of->input - rest - 1) / of->dilation + 1;
	return phase;
}

/* The most outputs that a phase has. */
static uint32_t most_outputs(const struct direction *of)
{
	return (of->output - 1) / of->phases + 1;
}

/* The rows of input that so many of output take, until the next phase may begin. */
static uint32_t rows_of(const struct direction *of, uint32_t outputs)
{
	uint32_t rows = (outputs - 1) * of->stride + of->kernel;

	return of->stride == 1 ? rows : round_up(rows, of->stride);
}

/* Scratch memory */

static uint64_t in_row_bytes(const struct dilated *d, uint32_t columns)
{
	return (uint64_t)((columns - 1) * d->across.stride + d->across.kernel) * d->inputs;
}

static uint64_t out_row_bytes(const struct dilated *d, uint32_t columns)
{
	return (uint64_t)columns * d->channels * nn_type_size(d->call->output[0].type);
}

/* Memory of `rows` rows of input and what is made of them. */
static uint64_t staged_bytes(const struct dilated *d, uint32_t rows, uint32_t columns)
{
	uint64_t out_rows = (rows - d->down.kernel) / d->down.stride + 1;

	return round_up((uint64_t)rows * in_row_bytes(d, columns) + VECTOR, VECTOR) +
	       round_up(out_rows * out_row_bytes(d, columns) + VECTOR, VECTOR);
}

static void set_slice(struct dilated *d, uint32_t channels)
{
	d->channels = channels;
	d->inputs = channels / (d->call->output[0].dims[3] / d->call->input[0].dims[3]);
}

/* Tells whether the kernel has room for a window, and these rows and columns fit. */
static bool is_possible(const struct dilated *d, uint32_t rows, uint32_t columns, uint64_t room)
{
	return nn_depthwise_conv2d_slice_fits(d->call, d->channels) &&
	       staged_bytes(d, rows, columns) <= room;
}

/*
 * Chooses slices: all channels if they fit, or are hardly more than one slice, else as many as do,
 * and the fewest if windows are large.
 */
static void choose_slice(struct dilated *d, uint32_t rows, uint64_t room)
{
	uint32_t outputs = d->call->output[0].dims[3], kernel = d->down.kernel;
	uint32_t repeat = outputs / d->call->input[0].dims[3];
	uint32_t slice = depthwise_slice(outputs, repeat, VECTOR);

	set_slice(d, outputs);
	if (is_possible(d, rows, d->columns, room) ||
	    (outputs < 2 * slice && is_possible(d, kernel, 1, room)))
		return;
	set_slice(d, slice);
	if (!is_possible(d, kernel, 1, room)) {
		set_slice(d, depthwise_slice(outputs, repeat, NN_LEAST_SLICE));
		return;
	}
	while (4 * d->channels <= outputs) {
		set_slice(d, 2 * d->channels);
		if (!is_possible(d, rows, d->columns, room)) {
			set_slice(d, d->channels / 2);
			return;
		}
	}
}

/* Finds slices, rows and columns for which `room` bytes are enough. False: there are none. */
static bool divide(struct dilated *d, uint64_t room)
{
	uint32_t most = most_outputs(&d->down), low = d->down.kernel;
	uint32_t high = d->down.used * rows_of(&d->down, most);
	uint32_t enough = rows_of(&d->down, min_u32(most, FULL_PHASES));

	d->columns = most_outputs(&d->across);
	choose_slice(d, high, room);
	while (staged_bytes(d, enough, d->columns) > room && d->columns > 1)
		d->columns = (d->columns + 1) / 2;
	if (staged_bytes(d, low, d->columns) > room)
		return false;
	while (low < high) {
		uint32_t rows = high - (high - low) / 2;

		if (staged_bytes(d, rows, d->columns) <= room)
			low = rows;
		else
			high = rows - 1;
	}
	d->rows = low;
	return true;
}

/* Copies */

static void fill(uint8_t *to, uint8_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += VECTOR)
		store(to + i, splat_b(value));
}

/*
 * Puts a run's rows into scratch memory, of these columns of a phase, from `first` on: those before
 * 0 and behind the phase are padding.
 */
static int gather_run(struct dilated *d, const struct run *run, const struct phase *across,
		      int32_t first, uint32_t columns, uint32_t image, uint32_t channel)
{
	const struct nn_tensor *input = &d->call->input[0];
	uint32_t rows = (run->outputs - 1) * d->down.stride + d->down.kernel;
	uint32_t row_bytes = columns * d->inputs, pitch = d->across.dilation * input->pitch;
	uint32_t before = first < 0 ? min_u32(-first, columns) : 0, inside = 0;
	int32_t y = run->phase.begin + (int32_t)(run->output * d->down.stride);
	uint32_t left_bytes = before * d->inputs, right_bytes;
	uint32_t work = 64 + columns * (4 + d->inputs / 32 + stride_work(pitch));
	uint32_t step = d->down.dilation * input->dims[2] * input->pitch;
	uint8_t zero = input->zero_point & 0xff, *to = d->in + run->at * row_bytes;
	const uint8_t *from = pixel_at(input, image, run->phase.first, across->first) + channel;

	if ((int32_t)across->count > first + (int32_t)before)
		inside = min_u32(across->count - (first + before), columns - before);
	right_bytes = row_bytes - left_bytes - inside * d->inputs;
	/* No operand has 2^32 bytes in an item. */
	from += (uint32_t)y * step + (first + before) * pitch;
	for (; rows; rows--, y++, to += row_bytes, from += step) {
		int ret = progress_add(&d->progress, work);

		if (ret)
			return ret;
		if (y < 0 || y >= (int32_t)run->phase.count || !inside) {
			fill(to, zero, row_bytes);
			continue;
		}
		fill(to, zero, left_bytes);
		nn_gather_pixels(to + left_bytes, from, pitch, d->inputs, inside);
		fill(to + row_bytes - right_bytes, zero, right_bytes);
	}
	return 0;
}

/* Puts a run's results where they belong: columns x, x + d->across.phases, ... */
static int scatter_run(struct dilated *d, const struct run *run, uint32_t x, uint32_t columns,
		       uint32_t image, uint32_t channel)
{
	const struct nn_tensor *output = &d->call->output[0];
	uint32_t size = nn_type_size(output->type), pixel = d->channels * size;
	uint32_t pitch = d->across.phases * output->pitch;
	uint32_t work = 64 + columns * (4 + pixel / 32 + stride_work(pitch));
	uint32_t step = d->down.phases * output->dims[2] * output->pitch;
	const uint8_t *from = d->out + run->result * columns * pixel;
	uint8_t *to = pixel_at(output, image, run->row + run->output * d->down.phases, x) +
		      channel * size;

	for (uint32_t i = 0; i < run->outputs; i++, from += columns * pixel, to += step) {
		int ret = progress_add(&d->progress, work);

		if (ret)
			return ret;
		nn_scatter_pixels(to, pitch, from, pixel, pixel, columns);
	}
	return 0;
}

/* Pieces */

/*
 * Lists runs from a phase and an output of it on, as many as there is room for, and goes on behind
 * them. Returns how many rows of input these are.
 */
static uint32_t list_runs(struct dilated *d, uint32_t *number, uint32_t *output)
{
	uint32_t rows = 0, end = 0, stride = d->down.stride;

	/* All of them at once are the same each time. */
	if (d->all_rows) {
		*number = d->down.used;
		return d->all_rows;
	}

	for (d->count = 0; d->count < MOST_RUNS && *number < d->down.used;) {
		struct run *run = &d->runs[d->count];
		struct phase phase = phase_of(&d->down, *number);
		uint32_t left = phase.outputs - *output, outputs;

		if (rows + d->down.kernel > d->rows)
			break;
		outputs = min_u32((d->rows - rows - d->down.kernel) / stride + 1, left);
		/* A phase is divided if it does not fit by itself. */
		if (outputs < left && rows && outputs < FULL_PHASES)
			break;
		*run = (struct run){ phase, *output, outputs, rows, rows / stride, *number };
		d->count++;
		*output += outputs;
		if (outputs == left) {
			*output = 0;
			++*number;
		}
		end = rows + (outputs - 1) * stride + d->down.kernel;
		rows += rows_of(&d->down, outputs);
	}
	return end;
}

static void describe(struct nn_tensor *block, const struct nn_tensor *whole, uint8_t *data,
		     uint32_t rows, uint32_t columns, uint32_t channels)
{
	block->type = whole->type;
	block->rank = 4;
	block->zero_point = whole->zero_point;
	block->data = data;
	block->dims[0] = 1;
	block->dims[1] = rows;
	block->dims[2] = columns;
	block->dims[3] = channels;
	block->pitch = nn_pixel_bytes(block);
	block->bytes = (uint64_t)rows * columns * block->pitch;
	block->row_bytes = block->row_pitch = block->bytes;
}

/*
 * The padding of columns is the kernel's where it can be: rows as wide as the output are quickest.
 */
static int run_piece(struct dilated *d, const struct phase *across, uint32_t number, uint32_t x,
		     uint32_t columns, uint32_t image, uint32_t channel, uint32_t rows,
		     int (*run)(const struct nn_call *call))
{
	int32_t first = across->begin + (int32_t)(x * d->across.stride);
	uint32_t seen = (columns - 1) * d->across.stride + d->across.kernel, padding = 0;
	uint32_t behind, out_rows = (rows - d->down.kernel) / d->down.stride + 1;
	int ret = 0;

	/* A phase of no columns is padding that is copied. */
	if (across->count && first < 0)
		padding = -first;
	first += padding;
	seen -= padding;
	behind = first + seen > across->count ? first + seen - across->count : 0;
	if (across->count)
		seen -= behind;
	for (uint32_t i = 0; i < d->count && !ret; i++)
		ret = gather_run(d, &d->runs[i], across, first, seen, image,
				 channel / (d->channels / d->inputs));
	if (ret)
		return ret;
	d->op.window.pad_left = padding;
	describe(&d->piece.input[0], &d->call->input[0], d->in, rows, seen, d->inputs);
	describe(&d->piece.output[0], &d->call->output[0], d->out, out_rows, columns, d->channels);
	/* The kernel begins to count anew, and may leave as much. */
	ret = d->progress.work > NN_TILE / 2 ? nn_call_progress(d->call) : 0;
	ret = ret ? ret : run(&d->piece);
	d->progress.work = NN_TILE / 2;
	for (uint32_t i = 0; i < d->count && !ret; i++)
		ret = scatter_run(d, &d->runs[i], number + x * d->across.phases, columns, image,
				  channel);
	return ret;
}

static int run_slice(struct dilated *d, uint32_t image, uint32_t channel,
		     int (*run)(const struct nn_call *call))
{
	const struct nn_call *call = d->call;
	int ret = 0;

	for (uint32_t i = 1; i < 4 && call->input[i].type; i++) {
		d->piece.input[i] = call->input[i];
		d->piece.input[i].data += 4 * channel;
		/* Flags are looked at of so many outputs; rows are as far apart as they were. */
		if (i == 3 && d->channels < call->output[0].dims[3])
			d->piece.input[i].dims[1] = d->channels;
	}
	for (uint32_t number = 0; number < d->across.used && !ret; number++) {
		struct phase across = phase_of(&d->across, number);

		for (uint32_t x = 0; x < across.outputs && !ret; x += d->columns) {
			uint32_t columns = min_u32(across.outputs - x, d->columns);
			uint32_t row = 0, output = 0;

			while (row < d->down.used && !ret) {
				bool is_first = !row && !output;
				uint32_t rows = list_runs(d, &row, &output);

				if (is_first && row == d->down.used)
					d->all_rows = rows;
				ret = run_piece(d, &across, number, x, columns, image, channel,
						rows, run);
			}
		}
	}
	return ret;
}

int nn_depthwise_run_dilated(const struct nn_call *call, int (*run)(const struct nn_call *call))
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t room = call->scratch_size / 8 * 5, outputs = output->dims[3], size;
	struct dilated d;

	d.call = call;
	d.progress = (struct progress){ .call = call };
	d.down = direction_of(window->kernel_h, window->stride_h, window->dilation_h,
			      window->pad_top, input->dims[1], output->dims[1]);
	d.across = direction_of(window->kernel_w, window->stride_w, window->dilation_w,
				window->pad_left, input->dims[2], output->dims[2]);
	d.all_rows = 0;
	if (!divide(&d, room))
		return nn_depthwise_conv2d_portable(call);
	d.op = *call->op;
	d.op.window.pad_top = 0;
	d.op.window.stride_h = d.down.stride;
	d.op.window.stride_w = d.across.stride;
	d.op.window.dilation_h = d.op.window.dilation_w = 1;
	d.piece.op = &d.op;
	d.piece.run = call->run;
	d.piece.next = NULL;
	d.piece.first = call->first;
	size = staged_bytes(&d, d.rows, d.columns);
	d.piece.scratch = call->scratch;
	d.piece.scratch_size = (call->scratch_size - size) / VECTOR * VECTOR;
	d.in = call->scratch + d.piece.scratch_size;
	d.out = d.in + round_up((uint64_t)d.rows * in_row_bytes(&d, d.columns) + VECTOR, VECTOR);
	for (uint32_t image = 0; image < output->dims[0]; image++) {
		for (uint32_t channel = 0; channel < outputs; channel += d.channels) {
			uint32_t from = min_u32(channel, outputs - d.channels);
			int ret = run_slice(&d, image, from, run);

			if (ret)
				return ret;
		}
	}
	return 0;
}
