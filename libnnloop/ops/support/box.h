/* SPDX-License-Identifier: MIT */
/* Boxes in float32, as detectors of TensorFlow Lite have them. */
#ifndef NN_BOX_H
#define NN_BOX_H

struct nn_box {
	float y0, x0, y1, x1;
};

/* The intersection of two boxes as a part of their union; 0 where one is empty, or turned round. */
float nn_box_overlap(const struct nn_box *a, const struct nn_box *b);

#endif
