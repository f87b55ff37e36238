// SPDX-License-Identifier: MIT
/*
 * Requests of kernels to fetch ahead into L2: rows or columns of the input and weights, all of them
 * but those that they begin with, before what is made of them, and hardly anything twice. QEMU does
 * nothing with such requests, so that no output and no count of packets tells whether they are
 * right; here they are recorded (record-fetch.h).
 *
 * Outputs are filled with a byte that no result is, so that a request tells what was made before
 * it.
 */
#include "dsp/kernels/weights.h"
#include "large-call.h"
#include "record-fetch.h"

#define UNTOUCHED	0xaa
#define MOST_PARTS	4096u
#define MOST_BOXES	4096u
#define NEVER		0u
#define EARLY		1u
#define LATE		2u

/* Requests for an operand, in parts: when each of them was asked for, and how many bytes of all. */
static struct requested {
	const uint8_t *data;
	uint32_t bytes, part_bytes;
	uint8_t when[MOST_PARTS];
	uint64_t sum;
} requested_input, requested_weights;

static bool is_foreign;		/* something was that is in no operand */
static struct recorded_box boxes[MOST_BOXES];
struct recorded_box *recorded_boxes;
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

/* The first window along a dimension that has this place of the input in it. */
static uint32_t first_window(uint32_t at, uint32_t pad, uint32_t reach, uint32_t stride)
{
	at += pad;
	return at < reach ? 0 : (at - reach + stride - 1) / stride;
}

/* Whether the first result that this part is needed for has not been made. */
static bool is_early(const struct requested *requested, uint32_t part)
{
	const struct nn_tensor *output = &call.output[0];
	const struct nn_window_params *window = &op.window;
	const uint32_t *in = call.input[0].dims, *out = output->dims;
	uint32_t at = part * requested->part_bytes, x, y, n;

	if (requested == &requested_weights || op.opcode == NN_OPCODE_FULLY_CONNECTED)
		return output->data[part * 32] == UNTOUCHED;
	n = at / (in[1] * in[2] * in[3]);
	y = first_window(at / (in[2] * in[3]) % in[1], window->pad_top,
			 (window->kernel_h - 1) * window->dilation_h, window->stride_h);
	x = first_window(at / in[3] % in[2], window->pad_left,
			 (window->kernel_w - 1) * window->dilation_w, window->stride_w);
	at = ((n * out[1] + y) * out[2] + x) * out[3] +
	     (op.opcode == NN_OPCODE_DEPTHWISE_CONV2D ? at % in[3] : 0);
	return y >= out[1] || output->data[at] == UNTOUCHED;
}

/* `is_ahead`: whether what is asked for is known to be needed later. */
static bool record_row(struct requested *requested, const uint8_t *from, uint32_t width,
		       bool is_ahead)
{
	uint32_t begin = from - requested->data, part;

	if (begin >= requested->bytes)
		return false;
	requested->sum += width;
	/* Parts that begin in it. */
	part = (begin + requested->part_bytes - 1) / requested->part_bytes;
	for (; part * requested->part_bytes < begin + width; part++) {
		if (part * requested->part_bytes < requested->bytes && !requested->when[part])
			requested->when[part] =
				is_ahead || is_early(requested, part) ? EARLY : LATE;
	}
	return true;
}

static void record_box(const uint8_t *from, uint64_t box, bool is_ahead)
{
	uint32_t stride = box >> 32, width = box >> 16 & 0xffff, rows = box & 0xffff;

	for (uint32_t row = 0; row < rows; row++) {
		if (!record_row(&requested_input, from + row * stride, width, is_ahead) &&
		    !record_row(&requested_weights, from + row * stride, width, is_ahead))
			is_foreign = true;
	}
}

void record_fetch(const void *from, uint64_t box)
{
	record_box(from, box, false);
}

static void begin_record(struct requested *requested, uint32_t operand, uint32_t parts)
{
	memset(requested, 0, sizeof(*requested));
	requested->data = call.input[operand].data;
	requested->bytes = call.input[operand].bytes;
	requested->part_bytes = requested->bytes / parts;
}

/* Parts from `first` on were, early, all but so many, and of all bytes at most so many percent. */
static bool is_requested(const struct requested *requested, const char *what, uint32_t first,
			 uint32_t missing, uint32_t percent)
{
	uint32_t late = 0, never = 0;

	for (uint32_t part = first; part < requested->bytes / requested->part_bytes; part++) {
		late += requested->when[part] == LATE;
		never += requested->when[part] == NEVER;
	}
	/* Parts that a kernel begins with are not asked for, instead of the last ones. */
	if (!late && never == missing && (!missing || requested->when[0] == NEVER) &&
	    requested->sum * 100 <= (uint64_t)percent * requested->bytes)
		return true;
	print("# %s: of %u bytes %u were asked for, %u parts late, %u never\n", what,
	      requested->bytes, (uint32_t)requested->sum, late, never);
	return false;
}

/*
 * A part of the weights is those of 32 outputs, and one of the input a row of the image, or where
 * columns are asked for and some are missing, 128 bytes.
 */
struct fetch_case {
	const char *name;
	enum nn_opcode opcode;
	struct large_window shape;
	uint32_t pad, l2_bytes;
	uint32_t first_weights, weights_percent;
	uint32_t first_row, input_percent;
	uint32_t missing;		/* parts of the input */
};

static const struct fetch_case cases[] = {
	{ "weights of a convolution 1x1", NN_OPCODE_CONV2D, { 14, 512, 512, 1, 1, 1, 1 },
	  0, 256 << 10, 2, 88, 0, 110, 0 },
	{ "weights of a convolution 1x1 where all are near", NN_OPCODE_CONV2D,
	  { 56, 64, 256, 1, 1, 1, 1 }, 0, 1 << 20, 2, 75, 0, 110, 0 },
	{ "rows of a convolution 3x3", NN_OPCODE_CONV2D, { 56, 64, 64, 3, 1, 1, 1 },
	  1, 256 << 10, 2, 0, 0, 130, 0 },
	{ "rows of a convolution 3x3, stride 2", NN_OPCODE_CONV2D, { 112, 32, 64, 3, 2, 1, 1 },
	  1, 256 << 10, 2, 0, 0, 130, 0 },
	{ "rows of a convolution 3x3 of three channels", NN_OPCODE_CONV2D,
	  { 224, 3, 32, 3, 2, 1, 1 }, 1, 256 << 10, 1, 0, 0, 130, 0 },
	/* But the first pixels of rows, and those beside them, these for each 128 channels. */
	{ "columns of a depthwise convolution", NN_OPCODE_DEPTHWISE_CONV2D,
	  { 56, 128, 128, 3, 1, 1, 1 }, 1, 256 << 10, 4, 0, 0, 110, 2 * 56 },
	{ "columns of a small depthwise convolution", NN_OPCODE_DEPTHWISE_CONV2D,
	  { 14, 512, 512, 3, 1, 1, 2 }, 1, 256 << 10, 16, 0, 0, 110,
	  (1 + 2 * 4) * 14 },
	/* But 128 bytes at the beginnings of rows, which are copied, and the 128 behind them. */
	{ "columns of a depthwise convolution of few channels", NN_OPCODE_DEPTHWISE_CONV2D,
	  { 112, 32, 32, 3, 1, 1, 1 }, 1, 256 << 10, 1, 0, 0, 110, 2 * 112 },
	{ "weights of one row fully connected", NN_OPCODE_FULLY_CONNECTED,
	  { 1, 256, 1024, 1, 1, 1, 1 }, 0, 256 << 10, 4, 88, 1, 0, 0 },
	{ "weights of 32 rows fully connected", NN_OPCODE_FULLY_CONNECTED,
	  { 1, 256, 1024, 1, 1, 1, 32 }, 0, 256 << 10, 2, 94, 1, 110, 0 },
	/* But the first of three. */
	{ "slices of a depthwise 5x5", NN_OPCODE_DEPTHWISE_CONV2D, { 14, 384, 384, 5, 1, 1, 1 },
	  2, 256 << 10, 12, 0, 0, 70, 14 * 14 },
	{ "slices of a depthwise 5x5, stride 2, in memory", NN_OPCODE_DEPTHWISE_CONV2D,
	  { 14, 384, 384, 5, 2, 1, 1 }, 2, 256 << 10, 12, 0, 14, 70, 0 },
	{ "slices of a depthwise 3x3, stride 2", NN_OPCODE_DEPTHWISE_CONV2D,
	  { 14, 384, 384, 3, 2, 1, 1 }, 1, 256 << 10, 12, 0, 0, 70, 14 * 14 },
	{ "rows of a depthwise 5x5 that is done in parts", NN_OPCODE_DEPTHWISE_CONV2D,
	  { 130, 32, 32, 5, 1, 1, 1 }, 2, 256 << 10, 1, 0, 48, 100, 0 },
};

static bool make_case(const struct fetch_case *it)
{
	const struct large_window *shape = &it->shape;
	uint32_t out = (shape->size + 2 * it->pad - shape->kernel) / shape->stride + 1;
	bool is_depthwise = it->opcode == NN_OPCODE_DEPTHWISE_CONV2D;

	begin_call(it->opcode);
	large_window(shape);
	op.window.pad_top = op.window.pad_left = it->pad;
	large_output(NN_TYPE_UINT8, DIMS(shape->rows, out, out, shape->outputs));
	if (is_depthwise)
		large_constant(1, NN_TYPE_INT8,
			       depthwise_weight_bytes(shape->outputs, shape->kernel,
						      shape->kernel));
	else
		large_constant(1, NN_TYPE_UINT8,
			       conv2d_weight_bytes(shape->outputs, shape->kernel, shape->kernel,
						   shape->channels));
	/* All large inputs begin at the same place. */
	call.input[1].data += (call.input[0].bytes + 127) / 128 * 128;
	large_outputs(shape->outputs, is_depthwise);
	if (it->opcode == NN_OPCODE_FULLY_CONNECTED) {
		memset(&op.window, 0, sizeof(op.window));
		large_input(0, NN_TYPE_UINT8, DIMS(shape->rows, shape->channels));
		large_output(NN_TYPE_UINT8, DIMS(shape->rows, shape->outputs));
	}
	call.scratch = scratch;
	call.scratch_size = sizeof(scratch);
	run.l2_bytes = it->l2_bytes;
	memset(call.output[0].data, UNTOUCHED, call.output[0].bytes);
	begin_record(&requested_input, 0,
		     it->opcode == NN_OPCODE_FULLY_CONNECTED ? 1 :
		     it->missing ? call.input[0].bytes / 128 : shape->size);
	begin_record(&requested_weights, 1, (shape->outputs + 31) / 32);
	is_foreign = false;
	recorded_boxes = boxes;
	return !nn_kernels_portable[it->opcode].check(&call);
}

static int no_progress(struct nn_run *its_run, uint32_t its_op)
{
	(void)its_run;
	(void)its_op;
	return 0;
}

int main(void)
{
	large_calls_reserve();
	plan(COUNT(cases));
	for (uint32_t i = 0; i < COUNT(cases); i++) {
		const struct fetch_case *it = &cases[i];
		bool good = make_case(it);

		run.progress = no_progress;
		good = good && !nn_kernels[it->opcode].run(&call);
		/* Each is for what the same loop takes next: the first one's is missing then. */
		for (struct recorded_box *box = boxes; box < recorded_boxes; box++)
			record_box(box->from, recorded_wide(box->box), true);
		good = good && is_requested(&requested_weights, "weights", it->first_weights, 0,
					    it->weights_percent);
		good = good && is_requested(&requested_input, "input", it->first_row, it->missing,
					    it->input_percent);
		if (is_foreign)
			print("# something was asked for that is in no operand\n");
		result(good && !is_foreign, it->name);
	}
	return finish_tests();
}
