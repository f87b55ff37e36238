/* SPDX-License-Identifier: MIT */
/*
 * The vector kernels. Each equals its portable twin in dsp/kernels/ bit for bit and shares its
 * check().
 */
#ifndef NN_HVX_KERNELS_H
#define NN_HVX_KERNELS_H

#include "dsp/program/kernels.h"

/* An opcode without vector code has its portable kernel here. */
#define NN_OPCODE(ID, name, number, where) int nn_##name##_##where(const struct nn_call *call);
#include "dsp/program/operators.h"

#endif
