/* SPDX-License-Identifier: MIT */
/*
 * Constants as the kernels want them: made once, when a graph is prepared. Part of the library
 * only; the layouts are the same for both kinds of kernels and for int8 and uint8 activations.
 *
 * Sizes are in bytes and never overflow: callers keep each dimension below 2^20 and the size they
 * get back below 2^31.
 */
#ifndef NN_PACK_H
#define NN_PACK_H

#include <stdint.h>

#include "dsp/program/nn_program.h"

/* Weights as a model has them: int8 with one zero point, in any order. Strides are in elements. */
struct nn_weights {
	const int8_t *data;
	int32_t zero_point;		/* -128 .. 127 */
	uint32_t outputs;		/* M; for a depthwise convolution all output channels */
	uint32_t kernel_h, kernel_w;	/* 1 for a fully connected layer */
	uint32_t inputs;		/* C; 1 for a depthwise convolution */
	int64_t stride_output, stride_h, stride_w, stride_input;
};

/*
 * CONV2D and FULLY_CONNECTED: [M / 32][kernel_h][L / 4][32 outputs][4 inputs], where a kernel row's
 * kernel_w * C weights are laid end to end and L is their number rounded up to a multiple of 8. A
 * weight w is stored as w + 128, and so is the zero point, because the vector unit multiplies
 * vectors of unsigned bytes only at full speed; filling is stored as 0.
 */
uint64_t nn_pack_conv2d_size(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w,
			     uint32_t inputs);
void nn_pack_conv2d(uint8_t *packed, const struct nn_weights *weights);

/*
 * DEPTHWISE_CONV2D: [kernel_h][kernel_w / 4][repeated lanes][4 columns], the quotient rounded up,
 * filled with 0.
 */
uint64_t nn_pack_depthwise_size(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w);
void nn_pack_depthwise(int8_t *packed, const struct nn_weights *weights);

/*
 * Bias and scales have lanes. For CONV2D and FULLY_CONNECTED they are the outputs, and more up to a
 * multiple of 32; results of these are not used. For DEPTHWISE_CONV2D and REQUANTIZE lane i is
 * output i % outputs, and there are at least 32 from each output on.
 */
uint32_t nn_pack_lanes(uint32_t outputs);
uint32_t nn_pack_repeated_lanes(uint32_t outputs);

/*
 * scale[m] = fl(fl(input_scale * weight_scale[m]) / output_scale). `per_output` 0: weight_scale has
 * one element. 0, or -1 if a scale is not positive, finite and normal in float32.
 */
int nn_pack_scale(float *scale, uint32_t outputs, float input_scale, const float *weight_scale,
		  int per_output, float output_scale);

/* The outputs of a layer: all that makes their results of sums, for all three kinds of weights. */
struct nn_outputs {
	const struct nn_weights *weights;
	const int32_t *bias;		/* of each output; NULL: zeros */
	const float *scale;		/* the same; NULL: sums are the result */
	int32_t zero_point;		/* of the input, */
	int32_t least, greatest;	/* and what its type can hold */
	uint32_t lanes, used;		/* lane i is output i % weights->outputs up to `used` */
};

/*
 * The bias that the kernels add, `lanes` of them: bias[m] - zero_point * (sum of output m's
 * weights, each less their zero point), wrapping; and the scales, NN_SCALE_ROWS times as many, if
 * there are any. Writes each word once, and reads none.
 */
void nn_pack_outputs(int32_t *bias, int32_t *scales, const struct nn_outputs *outputs);

/* The same scales of sums whose magnitude is at most `reach`, NULL: any. */
#define NN_ANY_SUM	(1u << 31)
void nn_pack_scales(int32_t *packed, uint32_t lanes, uint32_t used, const float *scale,
		    const uint32_t *reach, uint32_t outputs);
/*
 * 32 of their lanes, of which `count` are used; `block` is where the first has its place in row 0.
 */
void nn_pack_scale_block(int32_t *block, uint32_t lanes, uint32_t count, const float *scale,
			 const uint32_t *reach);

/*
 * ADD's parameters from three scales, as XNNPACK has them. 0, or -1 if a ratio is not positive or
 * not below what the kernel can express (2^20).
 */
int nn_pack_add_params(struct nn_add_params *params, float scale_a, float scale_b,
		       float scale_output);

/*
 * A finite number for nn_fixed_multiply() of dsp/program/fixed.h, which says how large it may be. The
 * nearest; multiplier and exponent are 0 where it is below 2^-32.
 */
struct nn_fixed nn_pack_fixed(double real);

/*
 * The same for nn_fixed_multiply_sum(): real = multiplier / 2^shift with 15 bits. 0, or -1 if real
 * is no positive number below 2^14.
 */
int nn_pack_fixed_sum(double real, int32_t *multiplier, int32_t *shift);

/*
 * AVERAGE_POOL's multiplier and shift from two scales; leaves the rest. 0, or -1 if the ratio is
 * not in 2^-20 .. 8.
 */
int nn_pack_average_pool_params(struct nn_window_params *params, float scale_input,
				float scale_output);

#endif
