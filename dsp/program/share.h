/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One operator for several workers: a call is divided into calls of the same operator that write
 * disjoint parts of its output, each of which is a call like any other to the kernel that runs it.
 * So no kernel knows of it, and whatever order or time the parts are made in, also at the same
 * time, the output is the same bytes: a kernel writes to nothing behind its output, not even what
 * is there.
 *
 * What can be divided are operators where a part of the output is made of a part of the first
 * input, and lies in one piece: windows by rows of the image, or by items if there are several,
 * fully connected layers and images of one pixel by outputs, 32 of them together, what is done
 * element by element and copies by whatever is outermost. In place, parts do not touch what
 * others read.
 */
#ifndef NN_SHARE_H
#define NN_SHARE_H

#include "dsp/program/kernels.h"

/*
 * Returns how many parts of equal work a call of this pass has: 1 if it cannot be divided. It
 * depends on nothing but the operator and the operands' shapes.
 */
uint32_t nn_call_parts(const struct nn_call *call);

/*
 * Make *call, which has more than one part, a call of the parts begin .. end - 1; end > begin. *op
 * is the call's operator from then on, where that has to be another.
 */
void nn_call_take_parts(struct nn_call *call, struct nn_program_op *op, uint32_t begin,
			uint32_t end);

/*
 * The first of so many parts that worker `index` of `count` makes. It makes those up to the first
 * one of the next worker, maybe none; a single part is worker 0's.
 */
static inline uint32_t nn_share_begin(uint32_t parts, uint32_t index, uint32_t count)
{
	return ((uint64_t)parts * index + count - 1) / count;
}

#endif
