/* SPDX-License-Identifier: MIT */
/*
 * CONV2D_INT16 of each channel by itself, for which conv2d_int16.c calls it.
 */
#ifndef NN_INT16_DEPTHWISE_H
#define NN_INT16_DEPTHWISE_H

#include "dsp/program/kernels.h"

int nn_int16_depthwise(const struct nn_call *call);

#endif
