// SPDX-License-Identifier: MIT
/*
 * Convolutions of int16 with weights of int8, as TensorFlow Lite's own kernels compute them: sums
 * and bias of 64 bits, times a number of 15 bits; or, with the rounding `once`, `once_float64` or
 * `twice`, sums of 32 bits times one of 31. With `once` and `float32_product`, and `twice` where
 * weights have one scale, which are their layers that have no window, the number is of a product of
 * scales in float32, with the others in double.
 * Convolutions and depthwise ones are one operator of the program, whose weights lie output after
 * output.
 */
#include "layer.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "emit.h"
#include "window.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

int nn_layer_need_image(struct nn_node *node)
{
	if (node->inputs[0]->info.type == NN_INT16)
		return nn_node_need_any_image(node);
	return nn_node_need_image(node);
}

/*
 * Finds what an output's sums are multiplied by, as the kernel has it. False: it is not possible.
 */
static bool find_scale(const struct nn_node *node, uint32_t output, int32_t scale[2])
{
	const struct nn_tensor_info *weights = &node->inputs[1]->info;
	const char *rounding = nn_node_get_string(node, "rounding", NULL);
	float step = weights->scales ? weights->scales[output] : weights->scale;
	double product = (double)node->inputs[0]->info.scale * (double)step, real;
	struct nn_fixed by;

	if (rounding && strcmp(rounding, "once_float64") &&
	    (strcmp(rounding, "twice") || !weights->scales))
		product = (double)(node->inputs[0]->info.scale * step);
	real = product / (double)node->outputs[0].info.scale;
	if (!rounding || !strcmp(rounding, "float32_product"))
		return !nn_pack_fixed_sum(real, &scale[0], &scale[1]);
	by = nn_pack_fixed(real < 0x1p14 ? real : 0);
	scale[0] = by.multiplier;
	scale[1] = by.multiplier ? by.exponent : 1;
	/* The kernel tells these from the others by the shift. */
	if (by.multiplier && strcmp(rounding, "twice"))
		scale[1] = NN_ROUNDED_ONCE + 31 - by.exponent;
	return real > 0 && real < 0x1p14;
}

int nn_layer_check_int16(struct nn_node *node)
{
	const struct nn_layer *layer = node->state;
	const struct nn_tensor_info *output = &node->outputs[0].info;
	const char *rounding = nn_node_get_string(node, "rounding", "twice");
	int error = nn_node_need_quantized(node, &node->inputs[0]->info, "input");

	if (error)
		return error;
	if (output->type != NN_INT16)
		return nn_node_fail(node, -EINVAL, "the output must be int16, as the input is");
	error = nn_node_need_quantized(node, output, "output");
	if (error)
		return error;
	if (layer->weights.zero_point)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "weights for int16 must have zero point 0");
	if (strcmp(rounding, "twice") && strcmp(rounding, "once") &&
	    strcmp(rounding, "once_float64") && strcmp(rounding, "float32_product"))
		return nn_node_fail(node, -EINVAL,
				    "rounding is once, once_float64, twice, float32_product, or none");
	for (uint32_t m = 0; m < layer->weights.outputs; m++) {
		int32_t scale[2];

		if (!find_scale(node, m, scale))
			return nn_node_fail(node, -EOPNOTSUPP,
					    "input scale * weights scale / output scale must be "
					    "above 0 and below 2^14");
	}
	return 0;
}

/* Output after output, each row after row, inputs last. */
static void fill_weights(void *to, const struct nn_node *node)
{
	const struct nn_layer *layer = node->state;
	const struct nn_weights *w = &layer->weights;
	int8_t *out = to;

	for (uint32_t m = 0; m < w->outputs; m++) {
		for (uint32_t y = 0; y < w->kernel_h; y++) {
			for (uint32_t x = 0; x < w->kernel_w; x++) {
				for (uint32_t i = 0; i < w->inputs; i++)
					*out++ = w->data[m * w->stride_output + y * w->stride_h +
							 x * w->stride_w + i * w->stride_input];
			}
		}
	}
}

static int lower_constants(struct nn_lowering *lowering, struct nn_node *node, int *tensors)
{
	const struct nn_value *bias = node->input_count > 2 ? node->inputs[2] : NULL;
	const struct nn_layer *layer = node->state;
	const struct nn_weights *w = &layer->weights;
	uint64_t words = 2ull * w->outputs;
	uint64_t bytes = (uint64_t)w->outputs * w->kernel_h * w->kernel_w * w->inputs;
	int error = nn_lower_filled(lowering, bytes, fill_weights, node);
	int32_t *scale;
	void *data;

	if (error)
		return error;
	tensors[0] = nn_lower_part(lowering, NN_TYPE_INT8, 0, 1, bytes);
	if (tensors[0] < 0)
		return tensors[0];
	tensors[1] = nn_lower_constant(lowering, NN_TYPE_INT32, words, &data);
	if (tensors[1] < 0)
		return tensors[1];
	if (data && bias)
		memcpy(data, bias->node->data, words * sizeof(int32_t));
	tensors[2] = nn_lower_constant(lowering, NN_TYPE_INT32, words, &data);
	if (tensors[2] < 0)
		return tensors[2];
	scale = data;
	for (uint32_t m = 0; m < w->outputs && scale; m++)
		find_scale(node, m, &scale[2 * m]);
	return 0;
}

int nn_layer_lower_int16(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_layer *layer = node->state;
	int input = nn_lower_value(lowering, node->inputs[0]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	struct nn_program_op *op;
	int error, constants[3];

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	error = lower_constants(lowering, node, constants);
	if (error)
		return error;
	op = nn_lower_op(lowering, node, NN_OPCODE_CONV2D_INT16);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	for (int i = 0; i < 3; i++)
		op->input[1 + i] = constants[i];
	op->output[0] = output;
	op->window = layer->window;
	nn_lower_limits(op, node);
	return 0;
}
