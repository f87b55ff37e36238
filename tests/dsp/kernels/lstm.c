// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of LSTM, see kernel-test.h.
 */
#include "dsp/kernels/lstm.h"
#include "weighted.h"

/* A number that brings sums of about 2^bits to some thousands; rarely any. */
static struct nn_fixed random_fixed(int32_t bits)
{
	int32_t exponent = 13 - bits + (int32_t)random_below(4) - 2;

	if (!random_below(12))
		exponent = (int32_t)random_below(46) - 31;
	return (struct nn_fixed){
		.multiplier = (int32_t)(1u << 30 | random_below(1u << 30)),
		.exponent = exponent < -31 ? -31 : exponent > 14 ? 14 : exponent,
	};
}

static void draw_scales(void)
{
	for (uint32_t g = 0; g < LSTM_GATES; g++) {
		op.lstm.input[g] = random_fixed(18);
		op.lstm.last[g] = random_fixed(18);
	}
	op.lstm.output = random_fixed(36);
	op.lstm.cell_bits = random_below(NN_LSTM_CELL_BITS + 1);
	op.lstm.cell_clip = random_below(3) ? 0 : 1 + random_below(INT16_MAX);
}

static void make_random(void)
{
	uint32_t inputs = SIZE_TO(140, 1, 3, 8, 28, 64, 128), cells = SIZE_TO(140, 1, 20, 31, 32, 33, 64, 65, 128);
	uint32_t rows = random_rows(), steps = SIZE_TO(6, 1, 2), width;

	while (rows * steps > 1 && rows * steps * 4 * cells * (inputs + cells) > 4 * RANDOM_WORK) {
		if (steps > 1)
			steps--;
		else
			rows--;
	}
	width = lstm_blocks(cells) * LSTM_LANES;
	begin_call(NN_OPCODE_LSTM);
	random_input(0, NN_TYPE_INT8, DIMS(rows, steps, inputs));
	random_input(1, NN_TYPE_INT8, DIMS(rows, cells));
	random_input(2, NN_TYPE_INT16, DIMS(rows, cells));
	random_packed_weights(3, width, 1, 1, inputs);
	random_packed_weights(4, width, 1, 1, cells);
	random_biases(5, 2 * width, 1 << 17);
	random_output(NN_TYPE_INT8, DIMS(rows, steps, cells));
	random_more_output(1, NN_TYPE_INT8, DIMS(rows, cells));
	random_more_output(2, NN_TYPE_INT16, DIMS(rows, cells));
	call.input[2].zero_point = 0;
	call.input[4].zero_point = call.input[3].zero_point;
	call.input[1].zero_point = call.output[1].zero_point = call.output[0].zero_point;
	draw_scales();
}

/* Rows, steps, inputs, cells. */
static void make_large(const uint32_t *p)
{
	uint32_t width = lstm_blocks(p[3]) * LSTM_LANES;

	begin_call(NN_OPCODE_LSTM);
	large_input(0, NN_TYPE_INT8, DIMS(p[0], p[1], p[2]));
	large_input(1, NN_TYPE_INT8, DIMS(p[0], p[3]));
	large_input(2, NN_TYPE_INT16, DIMS(p[0], p[3]));
	large_constant(3, NN_TYPE_UINT8, conv2d_weight_bytes(width, 1, 1, p[2]));
	large_constant(4, NN_TYPE_UINT8, conv2d_weight_bytes(width, 1, 1, p[3]));
	large_constant(5, NN_TYPE_INT32, 2 * width);
	large_output(NN_TYPE_INT8, DIMS(p[0], p[1], p[3]));
	large_more_output(1, NN_TYPE_INT8, DIMS(p[0], p[3]));
	large_more_output(2, NN_TYPE_INT16, DIMS(p[0], p[3]));
	op.lstm.cell_bits = 4;
}

static const struct large_call large[] = {
	{ "lstm", make_large, { 8, 64, 256, 256 } },
	{ "lstm of many cells", make_large, { 1, 8, 64, 2048 } },
	{ "lstm of too many cells", make_large, { 1, 1, 64, 2049 } },
	{ "lstm of many inputs", make_large, { 2, 64, 16384, 64 } },
	{ "lstm of many steps", make_large, { 1, 32768, 5, 7 } },
	{ "lstm of many rows", make_large, { 8192, 1, 5, 7 } },
};

const struct kernel_test nn_lstm_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
