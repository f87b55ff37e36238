/* SPDX-License-Identifier: MIT */
/*
 * Included before kernels whose requests for memory (dsp/hvx/fetch.h) test-fetch.c looks at: they
 * go to it instead of the DSP, which in QEMU does nothing with them.
 */
#ifndef RECORD_FETCH_H
#define RECORD_FETCH_H

#include <hexagon_protos.h>
#include <stdint.h>

/* As the instruction has them: stride, width and rows from bit 32, 16 and 0 on. */
void record_fetch(const void *from, uint64_t box);

#undef Q6_l2fetch_AP
#define Q6_l2fetch_AP(from, box)	record_fetch(from, box)

#endif
