// SPDX-License-Identifier: MIT
/*
 * Packets of a grid of calls for each opcode (grid.h), a line each: the opcode, the class of its
 * shape, what is counted, how much there is of it, packets, and the call in words, separated by
 * tabs. grid.py makes of them the best, the median and the worst of each class, and compares these
 * with grid.txt. `grid NAME` runs the opcodes whose names begin so.
 */
#include <stdarg.h>

#include "dsp/firmware/counters.h"
#include "dsp/firmware/runtime.h"
#include "dsp/kernels/weights.h"
#include "dsp/program/pack.h"
#include "grid.h"
#include "system.h"

#define ROOM		(8u << 20)
#define MOST_OUTPUTS	4096

/* From one pixel to the largest that a test has time for; rows, columns; few channels and many. */
const struct grid_image grid_images[GRID_IMAGES] = {
	{ 1, 1, 3 },	  { 1, 1, 21 },	  { 1, 1, 116 },   { 1, 1, 1000 },  { 1, 1, 1280 },
	{ 2, 2, 1000 },	  { 4, 4, 512 },  { 5, 5, 255 },   { 7, 7, 3 },	    { 7, 7, 24 },
	{ 7, 7, 58 },	  { 7, 7, 160 },  { 10, 10, 112 }, { 14, 14, 3 },   { 14, 14, 16 },
	{ 14, 14, 40 },	  { 14, 14, 72 }, { 20, 20, 21 },  { 28, 28, 8 },   { 28, 28, 17 },
	{ 56, 56, 3 },	  { 80, 8, 20 },  { 3, 112, 12 },  { 2, 160, 24 },  { 1, 320, 3 },
	{ 1, 320, 40 },	  { 320, 1, 16 }, { 12, 12, 64 },
};

/* For opcodes with many functions or forms. */
const struct grid_image grid_few_images[GRID_FEW_IMAGES] = {
	{ 1, 1, 3 },   { 1, 1, 1000 }, { 7, 7, 24 },  { 7, 7, 160 }, { 14, 14, 16 },
	{ 28, 28, 8 }, { 1, 320, 3 },  { 5, 5, 255 }, { 8, 8, 64 },
};

struct nn_program_op op;
struct nn_call call;

static struct nn_run run;
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));
static uint8_t random_room[ROOM] __attribute__((aligned(128)));
static uint8_t number_room[ROOM] __attribute__((aligned(128)));
static uint8_t output_room[ROOM] __attribute__((aligned(128)));
static uint32_t random_used, numbers_used, turn;

/* How many calls were refused. */
static uint32_t refused;

void grid_begin(enum nn_opcode opcode)
{
	op = (struct nn_program_op){ .opcode = opcode };
	call = (struct nn_call){
		.op = &op, .run = &run, .scratch = scratch, .scratch_size = sizeof(scratch)
	};
	random_used = numbers_used = 0;
	turn++;
}

uint8_t grid_8bit(void)
{
	return turn % 2 ? NN_TYPE_UINT8 : NN_TYPE_INT8;
}

int32_t grid_zero_point(uint8_t type)
{
	static const uint8_t above_least[] = { 128, 0, 131, 255, 7 };
	uint8_t value = above_least[turn % COUNT(above_least)];

	return type == NN_TYPE_UINT8 ? value : type == NN_TYPE_INT8 ? value - 128 : 0;
}

static uint8_t *take(uint8_t *room, uint32_t *used, uint64_t bytes)
{
	uint8_t *place = room + *used;

	if (bytes > ROOM - *used) {
		print("Bail out! no room for %u bytes\n", (uint32_t)bytes);
		system_exit(1);
	}
	*used += (bytes + 127) & ~127u;
	return place;
}

/* Describes operand i, whose bytes are taken from some room. */
static __attribute__((noinline)) struct nn_tensor *place(uint32_t i, uint8_t type, uint32_t rank,
							 const uint32_t *dims, uint8_t *room,
							 uint32_t *used)
{
	struct nn_tensor *input = &call.input[i];

	describe_tensor(input, type, rank, dims, NULL);
	input->data = take(room, used, input->bytes);
	return input;
}

void grid_input(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	place(i, type, rank, dims, random_room, &random_used)->zero_point = grid_zero_point(type);
}

void grid_constant(uint32_t i, uint8_t type, uint32_t elements)
{
	place(i, type, DIMS(elements), random_room, &random_used)->packed = true;
}

void *grid_numbers(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	return place(i, type, rank, dims, number_room, &numbers_used)->data;
}

void *grid_table(uint32_t i, uint8_t type, uint32_t elements)
{
	struct nn_tensor *table = place(i, type, DIMS(elements), number_room, &numbers_used);

	table->packed = true;
	return table->data;
}

void grid_more_output(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	describe_tensor(&call.output[i], type, rank, dims, NULL);
	call.output[i].data = take(random_room, &random_used, call.output[i].bytes);
}

void grid_output(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	uint32_t used = 0;

	describe_tensor(&call.output[0], type, rank, dims, NULL);
	call.output[0].data = take(output_room, &used, call.output[0].bytes);
	call.output[0].zero_point = grid_zero_point(type);
	op.out_min = op.out_max = 0;
	if (!nn_opcode_is_clamped(op.opcode))
		return;
	switch (type) {
	case NN_TYPE_INT8:
		op.out_min = INT8_MIN;
		op.out_max = INT8_MAX;
		break;
	case NN_TYPE_UINT8:
		op.out_max = UINT8_MAX;
		break;
	case NN_TYPE_INT16:
		op.out_min = INT16_MIN;
		op.out_max = INT16_MAX;
		break;
	}
}

/* Scales that bring most results into range, as in a real layer, and none is a power of two. */
void grid_scales(uint32_t i, uint32_t outputs, uint32_t products, bool is_repeated, bool is_any)
{
	static uint32_t scale[MOST_OUTPUTS], reach[MOST_OUTPUTS];
	uint32_t lanes = is_repeated ? nn_pack_repeated_lanes(outputs) : nn_pack_lanes(outputs);
	uint32_t exponent = 127 + 6 - 14;
	int32_t *packed = grid_numbers(i, NN_TYPE_INT32, DIMS(NN_SCALE_ROWS, lanes));

	for (uint32_t k = products; k > 1; k /= 4)
		exponent--;
	for (uint32_t m = 0; m < outputs; m++) {
		scale[m] = exponent << 23 | ((m + 1) * 0x54321 & 0x7fffff);
		reach[m] = products * 255 * 255;
	}
	nn_pack_scales(packed, lanes, is_repeated ? lanes : outputs, (const float *)scale,
		       is_any ? NULL : reach, outputs);
	call.input[i].packed = true;
}

static bool window_axis(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
			uint32_t pad, uint32_t *out)
{
	uint32_t span = (kernel - 1) * dilation + 1;

	if (size + 2 * pad < span)
		return false;
	*out = (size + 2 * pad - span) / stride + 1;
	return (*out - 1) * stride < size + pad;
}

bool grid_window(const struct grid_image *image, uint32_t kernel, uint32_t stride,
		 uint32_t dilation, uint32_t *height, uint32_t *width)
{
	/* Windows that do not overlap have no padding. */
	uint32_t pad = kernel == stride ? 0 : (kernel - 1) / 2 * dilation;

	op.window = square_window(kernel, stride, dilation, pad);
	return window_axis(image->height, kernel, stride, dilation, pad, height) &&
	       window_axis(image->width, kernel, stride, dilation, pad, width);
}

/* ---- Names ---- */

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

static char *put_number(char *to, int32_t number)
{
	uint32_t rest = number < 0 ? -(uint32_t)number : (uint32_t)number, digits = 1;
	char text[12];

	if (number < 0)
		*to++ = '-';
	while (rest >= 10) {
		text[digits++ - 1] = '0' + rest % 10;
		rest /= 10;
	}
	*to++ = '0' + rest;
	while (--digits)
		*to++ = text[digits - 1];
	return to;
}

const char *grid_name(const char *format, ...)
{
	static char names[4][200];
	static uint32_t used;
	char *name = names[used++ % COUNT(names)], *to = name;
	va_list args;

	va_start(args, format);
	for (; *format; format++) {
		if (*format != '%')
			*to++ = *format;
		else if (*++format == 's')
			to = put_text(to, va_arg(args, const char *));
		else
			to = put_number(to, va_arg(args, int32_t));
	}
	va_end(args);
	*to = 0;
	return name;
}

static char *put_tensor(char *to, const struct nn_tensor *tensor)
{
	static const char *const types[] = {
		[NN_TYPE_INT8] = "int8", [NN_TYPE_UINT8] = "uint8", [NN_TYPE_INT16] = "int16",
		[NN_TYPE_UINT16] = "uint16", [NN_TYPE_INT32] = "int32", [NN_TYPE_INT64] = "int64",
		[NN_TYPE_FLOAT32] = "float32", [NN_TYPE_BOOL] = "bool",
		[NN_TYPE_UINT32] = "uint32", [NN_TYPE_UINT64] = "uint64",
	};

	to = put_text(to, types[tensor->type]);
	for (uint32_t i = 0; i < tensor->rank; i++) {
		*to++ = i ? 'x' : ' ';
		to = put_number(to, (int32_t)tensor->dims[i]);
	}
	if (!tensor->zero_point)
		return to;
	return put_number(put_text(to, " zero "), tensor->zero_point);
}

/* The operands that are no constants, and the constant that has a zero point. */
static const char *describe_call(const char *more)
{
	static char text[400];
	char *to = text;

	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		const struct nn_tensor *input = &call.input[i];

		if (!input->type || (input->packed && !input->zero_point))
			continue;
		to = put_tensor(i ? put_text(to, ", ") : to, input);
	}
	to = put_text(to, call.input[0].type ? " to " : "");
	to = put_tensor(to, &call.output[0]);
	if (more)
		to = put_text(put_text(to, ", "), more);
	if (!nn_call_has_vectors(&call))
		to = put_text(to, ", in portable C");
	*to = 0;
	return text;
}

/* ---- Measuring ---- */

static void measure(enum grid_unit unit, uint32_t amount, const char *class, const char *more)
{
	static const char *const units[] = {
		[GRID_OUTPUT] = "output", [GRID_INPUT] = "input",
		[GRID_MACS] = "macs", [GRID_WIDE_MACS] = "wide macs",
	};
	const char *name = nn_kernels[op.opcode].name;
	uint32_t reason = nn_kernels[op.opcode].check(&call);
	struct counters counters;

	if (reason) {
		print("# %s %s is refused: %u, ", name, class, reason);
		print("%s\n", describe_call(more));
		refused++;
		return;
	}
	counters_start(&counters);
	nn_kernels[op.opcode].run(&call);
	counters_update(&counters);
	print("%s\t%s\t%s\t%u\t%u\t", name, class, units[unit], amount, (uint32_t)counters.packets);
	print("%s\n", describe_call(more));
}

void grid_measure(enum grid_unit unit, uint32_t macs, const char *class, const char *more)
{
	uint32_t amount = macs;

	if (unit == GRID_OUTPUT)
		amount = call.output[0].bytes;
	else if (unit == GRID_INPUT)
		amount = call.input[0].bytes;
	measure(unit, amount, class, more);
}

void grid_measure_of(uint32_t bytes, const char *class, const char *more)
{
	measure(GRID_OUTPUT, bytes, class, more);
}

static bool begins_with(const char *name, const char *beginning)
{
	while (*beginning && *name == *beginning) {
		name++;
		beginning++;
	}
	return !*beginning;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*walk)(void);
	} grids[] = {
#define NN_OPCODE(ID, name, number, where) { #name, walk_##name },
#include "dsp/program/operators.h"
	};
	const char *wanted = argc > 1 ? argv[1] : "";

	random_fill(random_room, sizeof(random_room) / 4);
	for (uint32_t i = 1; i < 4; i++)
		memcpy(random_room + i * (ROOM / 4), random_room, ROOM / 4);
	FOR_EACH(grid, grids) {
		if (!begins_with(grid->name, wanted))
			continue;
		turn = 0;
		if (grid->walk)
			grid->walk();
		else
			print("# %s has no grid: tests/dsp/grids is to have walk_%s()\n",
			      grid->name, grid->name);
	}
	return refused != 0;
}
