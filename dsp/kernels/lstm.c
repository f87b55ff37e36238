// SPDX-License-Identifier: MIT
/*
 * LSTM: x INT8 [N, T, I], last output INT8 [N, C], cell state INT16 [N, C], weights of the input and
 * of the last output, each UINT8 packed as a FULLY_CONNECTED of I and C inputs, bias INT32 packed.
 * Outputs: INT8 [N, T, C], and what the last output and the cell state are then, of the shapes and
 * types of those in front; all three of INT8 but x have one zero point. T steps, of each row by
 * itself, as TensorFlow Lite's own kernel (LstmStepInteger) computes them.
 *
 * Both weights have LSTM_LANES outputs for each 32 cells: the input gate of these, their forget
 * gate, the new values, the output gate; results of cells past C are not used. The bias has as many,
 * for the input's sums and then for the others; zero points of what is multiplied are in it.
 *
 * A gate's sum is int16 with 3 whole bits: the sum of the input's products, scaled, and then that of
 * the last output's, each clamped. Exponents of scales are -31 .. 14; those that are out of range
 * of 32 bits make results unspecified. The cell's state has `cell_bits` whole bits.
 */
#include "dsp/kernels/accumulate.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/lstm.h"
#include "dsp/kernels/weights.h"

#define CELL_WORK	1000u	/* of making a cell's state of the sums */

static bool is_exponent(const struct nn_fixed *by)
{
	return by->exponent >= -31 && by->exponent <= 14;
}

static bool is_int8(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT8;
}

static bool is_weights(const struct nn_tensor *tensor, uint32_t blocks, uint32_t inputs)
{
	return tensor->dims[0] == conv2d_weight_bytes(blocks * LSTM_LANES, 1, 1, inputs);
}

static enum nn_program_reason check_shapes(const struct nn_call *call)
{
	const struct nn_tensor *x = &call->input[0], *output = &call->output[0];
	uint32_t cells = output->dims[2], blocks;

	if (x->rank != 3 || output->rank != 3 || call->input[1].rank != 2 ||
	    call->input[2].rank != 2 || cells > 1u << 20)
		return NN_REASON_SHAPE;
	blocks = lstm_blocks(cells);
	if (!same_rows(x, output) || x->dims[1] != output->dims[1] ||
	    !same_rows(x, &call->input[1]) || call->input[1].dims[1] != cells ||
	    !same_dims(&call->input[1], &call->input[2]) ||
	    !same_dims(&call->input[1], &call->output[1]) ||
	    !same_dims(&call->input[1], &call->output[2]) ||
	    !is_weights(&call->input[3], blocks, x->dims[2]) ||
	    !is_weights(&call->input[4], blocks, cells) ||
	    call->input[5].dims[0] != 2ull * blocks * LSTM_LANES)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

enum nn_program_reason nn_lstm_check(const struct nn_call *call)
{
	const struct nn_lstm_params *params = &call->op->lstm;
	const struct nn_tensor *output = &call->output[0];
	enum nn_program_reason reason;

	if (!operands_are(call, 6, 3) || !is_int8(&call->input[0]) || !is_int8(&call->input[1]) ||
	    !is_int16(&call->input[2]) || !is_int8(output) || !is_int8(&call->output[1]) ||
	    !is_int16(&call->output[2]) || !is_constant(&call->input[3], NN_TYPE_UINT8) ||
	    !is_constant(&call->input[4], NN_TYPE_UINT8) ||
	    !is_constant(&call->input[5], NN_TYPE_INT32))
		return NN_REASON_OPERAND;
	reason = check_shapes(call);
	if (reason)
		return reason;
	for (uint32_t i = 0; i < LSTM_GATES; i++) {
		if (!is_exponent(&params->input[i]) || !is_exponent(&params->last[i]))
			return NN_REASON_PARAMETER;
	}
	if (!is_exponent(&params->output) || params->cell_bits > NN_LSTM_CELL_BITS ||
	    params->cell_clip < 0 || params->cell_clip > INT16_MAX ||
	    call->input[1].zero_point != output->zero_point ||
	    call->output[1].zero_point != output->zero_point ||
	    call->input[3].zero_point != call->input[4].zero_point)
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* Up to 2048 cells and 16384 inputs: sums and inputs of a step fit half of scratch memory. */
bool nn_lstm_has_vectors(const struct nn_call *call)
{
	return call->output[0].dims[2] <= 2048 && call->input[0].dims[2] <= 16384;
}

/* One step of a row. */
struct step {
	const uint8_t *x, *last;
	const int16_t *cell;
	uint8_t *output;
	int16_t *new_cell;
};

/* Adds the products of one gate of 32 cells: `gate` is the number of the gate, of all blocks. */
static int add_gate(struct progress *progress, const struct step *step, uint32_t gate,
		    int16_t sums[32])
{
	const struct nn_call *call = progress->call;
	const struct nn_lstm_params *params = &call->op->lstm;
	const int32_t *bias = (const int32_t *)call->input[5].data;
	uint32_t inputs = call->input[0].dims[2], cells = call->output[0].dims[2];
	uint32_t gates = call->input[5].dims[0] / 64;
	int32_t zero = call->input[3].zero_point, flip = flip_of(&call->input[0]);
	uint32_t acc[32];
	int ret;

	for (uint32_t i = 0; i < 32; i++)
		acc[i] = bias[32 * gate + i];
	ret = accumulate_of(progress, acc,
			    call->input[3].data + gate * conv2d_weight_bytes(1, 1, 1, inputs), zero,
			    flip, 0, step->x, 0, inputs);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < 32; i++) {
		sums[i] = lstm_add(0, (int32_t)acc[i], params->input[gate % LSTM_GATES]);
		acc[i] = bias[32 * (gates + gate) + i];
	}
	ret = accumulate_of(progress, acc,
			    call->input[4].data + gate * conv2d_weight_bytes(1, 1, 1, cells), zero,
			    flip, 0, step->last, 0, cells);
	for (uint32_t i = 0; i < 32 && !ret; i++)
		sums[i] = lstm_add(sums[i], (int32_t)acc[i], params->last[gate % LSTM_GATES]);
	return ret;
}

static int run_step(struct progress *progress, const struct step *step)
{
	const struct nn_call *call = progress->call;
	uint32_t cells = call->output[0].dims[2];

	for (uint32_t first = 0; first < cells; first += 32) {
		int16_t sums[LSTM_GATES][32];
		int ret = progress_add(progress, 32 * CELL_WORK + 4 * RESULT_WORK);

		for (uint32_t g = 0; g < LSTM_GATES && !ret; g++)
			ret = add_gate(progress, step, first / 32 * LSTM_GATES + g, sums[g]);
		if (ret)
			return ret;
		for (uint32_t i = 0; i < 32 && first + i < cells; i++) {
			const int16_t gate[LSTM_GATES] = { sums[0][i], sums[1][i], sums[2][i], sums[3][i] };
			struct lstm_result result = lstm_update(&call->op->lstm, gate,
								step->cell[first + i]);

			step->new_cell[first + i] = result.cell;
			step->output[first + i] = clamp_int(
				result.output + call->output[0].zero_point, INT8_MIN, INT8_MAX);
		}
	}
	return 0;
}

int nn_lstm_portable(const struct nn_call *call)
{
	uint32_t steps = call->input[0].dims[1], inputs = call->input[0].dims[2];
	uint32_t cells = call->output[0].dims[2];
	struct progress progress = { .call = call };

	for (uint64_t row = 0; row < call->output[0].dims[0]; row++) {
		int16_t *new_cell = (int16_t *)call->output[2].data + row * cells;
		struct step step = {
			.x = call->input[0].data + row * steps * inputs,
			.last = call->input[1].data + row * cells,
			.cell = (const int16_t *)call->input[2].data + row * cells,
			.output = call->output[0].data + row * steps * cells,
			.new_cell = new_cell,
		};
		int ret;

		for (uint32_t t = 0; t < steps; t++) {
			ret = run_step(&progress, &step);
			if (ret)
				return ret;
			step.x += inputs;
			step.last = step.output;
			step.cell = new_cell;
			step.output += cells;
		}
		ret = progress_copy(&progress, call->output[1].data + row * cells, step.last, cells);
		if (ret)
			return ret;
	}
	return 0;
}
