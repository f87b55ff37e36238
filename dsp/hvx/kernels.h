/* SPDX-License-Identifier: MIT */
/*
 * The vector kernels. Each equals its portable twin in dsp/kernels/ bit for bit and shares its
 * check().
 */
#ifndef NN_HVX_KERNELS_H
#define NN_HVX_KERNELS_H

#include "../kernels.h"

int nn_conv2d_hvx(const struct nn_call *call);
int nn_depthwise_conv2d_hvx(const struct nn_call *call);
int nn_fully_connected_hvx(const struct nn_call *call);
int nn_max_pool_hvx(const struct nn_call *call);
int nn_average_pool_hvx(const struct nn_call *call);
int nn_add_hvx(const struct nn_call *call);
int nn_requantize_hvx(const struct nn_call *call);
int nn_table_hvx(const struct nn_call *call);
int nn_copy_hvx(const struct nn_call *call);

#endif
