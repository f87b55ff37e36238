/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3, stride 2 and few channels, straight from the image: groups
 * of pixels, as many as a vector has room for.
 */
#ifndef NN_DEPTHWISE_GROUPS_H
#define NN_DEPTHWISE_GROUPS_H

#include "dsp/hvx/depthwise/layer.h"

/*
 * Does all of an image, if this can: then `done` is true. Scratch memory is used from d->rows on.
 * What is returned is that of progress.
 */
int nn_depthwise_run_groups(struct depthwise *d, const uint8_t *image, uint8_t *out, bool *done);

#endif
