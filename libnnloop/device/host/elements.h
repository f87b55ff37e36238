/* SPDX-License-Identifier: MIT */
/*
 * Operators of the host that go element by element: ADD, ADD_FLOAT and TABLE.
 *
 * Sums are made in scratch memory, because the output may lie where an input lies, and the compiler
 * makes vectors only of loops whose results do not.
 */
#ifndef NN_HOST_ELEMENTS_H
#define NN_HOST_ELEMENTS_H

#include <string.h>

#include "dsp/kernels/add_float.h"
#include "dsp/kernels/elements.h"
#include "dsp/kernels/progress.h"
#include "kernels.h"

_Static_assert(NN_TILE_ELEMENTS <= NN_SCRATCH_SIZE, "a tile is made in scratch memory");

/* `count` results of two inputs' elements from a and b on. */
typedef void add_function(const struct nn_call *call, const struct float_sum *sum,
			  uint8_t *restrict to, const uint8_t *a, const uint8_t *b, uint32_t count);

static int add_tiles(const struct nn_call *call, const struct float_sum *sum,
		     add_function *add_elements)
{
	const struct nn_tensor *output = &call->output[0];

	for (uint64_t i = 0; i < output->bytes; i += NN_TILE_ELEMENTS) {
		uint64_t rest = output->bytes - i;
		uint32_t count = rest < NN_TILE_ELEMENTS ? rest : NN_TILE_ELEMENTS;
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		add_elements(call, sum, call->scratch, call->input[0].data + i,
			     call->input[1].data + i, count);
		memcpy(output->data + i, call->scratch, count);
	}
	return 0;
}

static void add_shifted(const struct nn_call *call, const struct float_sum *sum,
			uint8_t *restrict to, const uint8_t *a, const uint8_t *b, uint32_t count)
{
	const struct nn_add_params params = call->op->add;
	int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]);
	int32_t zero_a = call->input[0].zero_point, zero_b = call->input[1].zero_point;
	int32_t zero_point = call->output[0].zero_point, half = (int32_t)(1u << (params.shift - 1));
	int32_t low = call->op->out_min, high = call->op->out_max;

	(void)sum;
	for (uint32_t i = 0; i < count; i++) {
		int32_t qa = load_8bit(&a[i], flip_a) - zero_a;
		int32_t qb = load_8bit(&b[i], flip_b) - zero_b;
		int32_t steps = (qa * params.multiplier_a + qb * params.multiplier_b + half) >>
				params.shift;

		to[i] = clamp_int(steps + zero_point, low, high);
	}
}

static void add_dequantized_elements(const struct nn_call *call, const struct float_sum *sum,
				     uint8_t *restrict to, const uint8_t *a, const uint8_t *b,
				     uint32_t count)
{
	const struct nn_add_float_params params = call->op->add_float;
	struct float_sum own = *sum;
	int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]);
	int32_t low = call->op->out_min, high = call->op->out_max;

	own.params = &params;
	for (uint32_t i = 0; i < count; i++) {
		float steps = add_dequantized(&own, load_8bit(&a[i], flip_a),
					      load_8bit(&b[i], flip_b)) /
			      params.scale_output;

		to[i] = clamp_int(round_float(steps) + own.zero_output, low, high);
	}
}

static void add_fused_elements(const struct nn_call *call, const struct float_sum *sum,
			       uint8_t *restrict to, const uint8_t *a, const uint8_t *b,
			       uint32_t count)
{
	const struct float_sum own = *sum;
	int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]);
	int32_t low = call->op->out_min, high = call->op->out_max;

	for (uint32_t i = 0; i < count; i++)
		to[i] = clamp_int(add_fused(&own, load_8bit(&a[i], flip_a),
					    load_8bit(&b[i], flip_b)),
				  low, high);
}

static int run_table(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const uint8_t *from = call->input[0].data, *values = call->input[1].data;
	uint8_t *to = output->data;

	for (uint64_t i = 0; i < output->bytes; i += NN_TILE_ELEMENTS) {
		uint64_t end = output->bytes - i < NN_TILE_ELEMENTS ? output->bytes
								    : i + NN_TILE_ELEMENTS;
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		for (uint64_t k = i; k < end; k++)
			to[k] = values[from[k]];
	}
	return 0;
}

static int run_add(const struct nn_call *call)
{
	return add_tiles(call, NULL, add_shifted);
}

static int run_add_float(const struct nn_call *call)
{
	const struct nn_add_float_params *params = &call->op->add_float;
	const struct float_sum sum = float_sum_of(call, params);

	return add_tiles(call, &sum,
			 params->form == NN_ADD_FUSED ? add_fused_elements :
							add_dequantized_elements);
}

static int table_pixels(const struct nn_call *call)
{
	return nn_elements_run(call, run_table);
}

static int table(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	return nn_host_run_parts(call, begin, end, table_pixels);
}

static int add_pixels(const struct nn_call *call)
{
	return nn_elements_run(call, run_add);
}

static int add(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	return nn_host_run_parts(call, begin, end, add_pixels);
}

static int add_float_pixels(const struct nn_call *call)
{
	return nn_elements_run(call, run_add_float);
}

static int add_float(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	return nn_host_run_parts(call, begin, end, add_float_pixels);
}

#define table_units	nn_call_parts
#define add_units	nn_call_parts
#define add_float_units	nn_call_parts

#endif
