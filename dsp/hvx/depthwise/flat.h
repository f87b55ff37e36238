/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D on HVX with weights that have a zero point z: (w - z) * x = w * x + (-z) * x.
 *
 * A weight without its zero point has 9 bits, and vectors have room for 8. So sums are made of the
 * weights as they are, and once more of flat ones, which all are -z; both are added. A z of -128
 * has flat weights of 64, whose sums are added twice. Each way that uses the assembly has an
 * add_flat(), which makes these sums with its own loops and calls nn_depthwise_add_flat(); compiled
 * code adds them at once.
 */
#ifndef NN_DEPTHWISE_FLAT_H
#define NN_DEPTHWISE_FLAT_H

#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/common/vector.h"

/* The work at most of making the flat sums of 128 outputs in addition, and adding them. */
#define FLAT_WORK	64u

static inline uint32_t flat_work(const struct depthwise *d)
{
	return d->flat_times ? FLAT_WORK : 0;
}

/*
 * Returns four flat weights, from column 4 * word of a kernel's row on: 0 in columns past its end.
 */
static inline uint32_t flat_columns(const struct depthwise *d, uint32_t word)
{
	uint32_t left = d->window.kernel_w - 4 * word;

	return left < 4 ? d->flat_weights & ((1u << 8 * left) - 1) : d->flat_weights;
}

/*
 * Sets what flat weights are, if the weights have a zero point, and writes those of the assembly to
 * scratch memory, where d->rows is moved behind them. If there is no room for them sums are
 * COMPILED.
 */
void nn_depthwise_settle_flat(struct depthwise *d);

/* Adds `count` vectors of flat sums, at d->flat_sums. */
void nn_depthwise_add_flat(const struct depthwise *d, HVX_Vector *sums, uint32_t count);

/* sums[i] += more[i] of words, for `count` (1 or more) vectors: two packets each. */
void nn_depthwise_add_sums(HVX_Vector *sums, const HVX_Vector *more, uint32_t count);

#endif
