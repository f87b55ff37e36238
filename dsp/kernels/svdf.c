// SPDX-License-Identifier: MIT
/*
 * SVDF: x INT8 [N, I], the state INT16 [N, memory * F], weights of features UINT8 packed as a
 * FULLY_CONNECTED of I inputs and F outputs, weights of time INT16 packed [memory * F], bias INT32
 * packed. Outputs: INT8 [N, U], and the state as it is then, which may lie where input 1 lies. Of
 * each row, as TensorFlow Lite's own kernel (EvalIntegerSVDF) computes it:
 *
 *	feature[f] = the sum of x's products with the weights of f, scaled, clamped to 16 bits
 *	state = the state without its first F elements, then the features
 *	output[u] = the sum of state * weights of time of all elements i with i % U == u, scaled
 *
 * So F, which is U * rank, filters are kept side by side, the first one of each unit before the
 * second ones, and steps of time one after the other, the oldest first. The bias has a lane for each
 * filter, with what the zero point of x makes in it, and then one for each unit; both up to a
 * multiple of 32.
 *
 * Sums keep their low 32 bits. Exponents of scales are -31 .. 30; sums that are out of range of 32
 * bits after one that is above 0 make results unspecified.
 */
#include "dsp/kernels/accumulate.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "dsp/program/fixed.h"

static bool is_fixed(const struct nn_fixed *by)
{
	return by->multiplier >= 0 && by->exponent >= -31 && by->exponent <= 30;
}

static enum nn_program_reason check_shapes(const struct nn_call *call)
{
	const struct nn_tensor *x = &call->input[0], *state = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_svdf_params *params = &call->op->svdf;
	uint64_t units = output->dims[1], filters = units * params->rank;

	if (x->rank != 2 || state->rank != 2 || output->rank != 2 || !same_rows(x, output) ||
	    !same_rows(x, state) || !same_dims(state, &call->output[1]))
		return NN_REASON_SHAPE;
	/* Neither product is past 64 bits: the state's elements are fewer than 2^32. */
	if (filters > UINT32_MAX || filters * params->memory != state->dims[1] ||
	    call->input[2].dims[0] != conv2d_weight_bytes(filters, 1, 1, x->dims[1]) ||
	    call->input[3].dims[0] != state->dims[1] ||
	    call->input[4].dims[0] != weight_lanes(filters) + weight_lanes(units))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

enum nn_program_reason nn_svdf_check(const struct nn_call *call)
{
	const struct nn_svdf_params *params = &call->op->svdf;

	if (!operands_are(call, 5, 2) || call->input[0].type != NN_TYPE_INT8 ||
	    !is_int16(&call->input[1]) || !is_constant(&call->input[2], NN_TYPE_UINT8) ||
	    !is_constant(&call->input[3], NN_TYPE_INT16) || call->input[3].zero_point ||
	    !is_constant(&call->input[4], NN_TYPE_INT32) || call->output[0].type != NN_TYPE_INT8 ||
	    !is_int16(&call->output[1]))
		return NN_REASON_OPERAND;
	if (!params->rank || !params->memory || !is_fixed(&params->feature) ||
	    !is_fixed(&params->output))
		return NN_REASON_PARAMETER;
	return check_shapes(call);
}

/* Up to 16384 inputs and filters: a row's features and sums fit half of scratch memory. */
bool nn_svdf_has_vectors(const struct nn_call *call)
{
	return call->input[0].dims[1] <= 16384 &&
	       (uint64_t)call->output[0].dims[1] * call->op->svdf.rank <= 16384;
}

/* Makes the features of a row, which are the last ones of its state. */
static int add_features(struct progress *progress, const uint8_t *x, int16_t *features,
			uint32_t filters)
{
	const struct nn_call *call = progress->call;
	const int32_t *bias = (const int32_t *)call->input[4].data;
	uint32_t inputs = call->input[0].dims[1];
	int ret = 0;

	for (uint32_t first = 0; first < filters && !ret; first += 32) {
		uint32_t acc[32];

		for (uint32_t i = 0; i < 32; i++)
			acc[i] = bias[first + i];
		ret = progress_add(progress, RESULT_WORK);
		if (!ret)
			ret = accumulate_of(progress, acc, call->input[2].data +
					    first / 32 * conv2d_weight_bytes(1, 1, 1, inputs),
					    call->input[2].zero_point, flip_of(&call->input[0]), 0,
					    x, 0, inputs);
		for (uint32_t i = 0; i < 32 && first + i < filters && !ret; i++)
			features[first + i] = clamp_int(
				nn_fixed_multiply((int32_t)acc[i], call->op->svdf.feature),
				INT16_MIN, INT16_MAX);
	}
	return ret;
}

/* The sums of the units of a row. */
static int add_units(struct progress *progress, const int16_t *state, uint8_t *output,
		     uint32_t filters)
{
	const struct nn_call *call = progress->call;
	const int16_t *weights = (const int16_t *)call->input[3].data;
	const int32_t *bias = (const int32_t *)call->input[4].data + weight_lanes(filters);
	uint32_t units = call->output[0].dims[1];

	for (uint32_t u = 0; u < units; u++) {
		uint32_t sum = bias[u];
		int32_t made;

		for (uint64_t i = u; i < call->input[1].dims[1]; i += units) {
			int ret = progress_add(progress, 8 + 2 * stride_work(2ull * units));

			if (ret)
				return ret;
			sum += (uint32_t)(state[i] * weights[i]);
		}
		/* The zero point can be added to what is clamped. */
		made = clamp_int(nn_fixed_multiply((int32_t)sum, call->op->svdf.output), -(1 << 20),
				 1 << 20);
		output[u] = clamp_int(made + call->output[0].zero_point, INT8_MIN, INT8_MAX);
	}
	return 0;
}

int nn_svdf_portable(const struct nn_call *call)
{
	uint32_t units = call->output[0].dims[1], inputs = call->input[0].dims[1];
	uint32_t filters = units * call->op->svdf.rank, length = call->input[1].dims[1];
	struct progress progress = { .call = call };

	for (uint64_t row = 0; row < call->output[0].dims[0]; row++) {
		const int16_t *old = (const int16_t *)call->input[1].data + row * length;
		int16_t *state = (int16_t *)call->output[1].data + row * length;
		int ret = progress_copy(&progress, (uint8_t *)state,
					(const uint8_t *)(old + filters),
					(uint64_t)(length - filters) * sizeof(*state));

		if (!ret)
			ret = add_features(&progress, call->input[0].data + row * inputs,
					   state + length - filters, filters);
		if (!ret)
			ret = add_units(&progress, state, call->output[0].data + row * units,
					filters);
		if (ret)
			return ret;
	}
	return 0;
}
