/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3, stride 2 and few channels (8 to 63), straight from the
 * image: groups of pixels, as many as a vector has room for. convolve_image() of depthwise_conv2d.c
 * calls it before any other way.
 */
#ifndef NN_DEPTHWISE_GROUPS_H
#define NN_DEPTHWISE_GROUPS_H

#include "dsp/hvx/depthwise/layer.h"

/*
 * Does all of an image, if it can: then `done` is true. Scratch memory is used from d->rows on.
 * What is returned is that of progress_add().
 */
int nn_depthwise_run_groups(struct depthwise *d, const uint8_t *image, uint8_t *out, bool *done);

#endif
