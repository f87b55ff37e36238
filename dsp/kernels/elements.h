/* SPDX-License-Identifier: MIT */
/*
 * Operators that take one element after another: their kernels know of no pixels, and where a
 * tensor is strided they are run on one pixel at a time. Each kernel of such an operator calls
 * nn_elements_run().
 */
#ifndef NN_ELEMENTS_H
#define NN_ELEMENTS_H

#include "dsp/program/kernels.h"

/*
 * `run` on all of a call whose operands are dense; else on each of its pixels, as a call of a row
 * that is dense. Those operands are meant that can have a pitch (NN_PITCHED in dsp/program/operators.h),
 * and all of them have the output's dimensions. Returns what a run did.
 */
int nn_elements_run(const struct nn_call *call, int (*run)(const struct nn_call *call));

/* Whether all of these tensors are dense. */
bool nn_elements_are_dense(const struct nn_call *call);

/* `pixels` of them, one behind the other, as a call of one row. Where they are is the caller's. */
void nn_elements_take(struct nn_call *piece, const struct nn_call *call, uint32_t pixels);

#endif
