/* SPDX-License-Identifier: MIT */
/*
 * The order of an LSTM's weights, and what a cell is made of.
 */
#ifndef NN_LSTM_H
#define NN_LSTM_H

#include <stdint.h>

#include "dsp/kernels/fractions.h"
#include "dsp/program/kernels.h"

/* The rows of a block of weights: 32 cells of each gate. */
#define LSTM_LANES	128
/* Whole bits of a gate's sum. */
#define LSTM_GATE_BITS	3

enum lstm_gate { LSTM_INPUT, LSTM_FORGET, LSTM_CELL, LSTM_OUTPUT, LSTM_GATES };

static inline uint32_t lstm_blocks(uint32_t cells)
{
	return (cells + 31) / 32;
}

/* A cell's new state and its output, of the gates' sums and the state. */
struct lstm_result {
	int32_t cell, output;
};

static inline struct lstm_result lstm_update(const struct nn_lstm_params *params,
					     const int16_t gate[LSTM_GATES], int32_t cell)
{
	uint32_t cell_bits = params->cell_bits;
	int32_t kept = fraction_divide(fraction_sigmoid(gate[LSTM_FORGET], LSTM_GATE_BITS) * cell, 15);
	int32_t made = fraction_sigmoid(gate[LSTM_INPUT], LSTM_GATE_BITS) *
		       fraction_tanh(gate[LSTM_CELL], LSTM_GATE_BITS);
	struct lstm_result result;

	result.cell = fraction_clamp(kept + fraction_divide(made, 15 + cell_bits));
	if (params->cell_clip)
		result.cell = clamp_int(result.cell, -params->cell_clip, params->cell_clip);
	result.output = nn_fixed_multiply(fraction_sigmoid(gate[LSTM_OUTPUT], LSTM_GATE_BITS) *
					  fraction_tanh(result.cell, cell_bits), params->output);
	/* The zero point can be added to what is clamped. */
	result.output = clamp_int(result.output, -(1 << 20), 1 << 20);
	return result;
}

/* A gate's sum with another one added, which is scaled. */
static inline int16_t lstm_add(int32_t gate, int32_t sum, struct nn_fixed by)
{
	return fraction_clamp(gate + clamp_int(nn_fixed_multiply(sum, by), -(1 << 20), 1 << 20));
}

#endif
