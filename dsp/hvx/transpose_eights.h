/* SPDX-License-Identifier: MIT */
/*
 * TRANSPOSE of bytes whose rows have a multiple of eight that is no power of two, as images with so
 * many channels: 128 rows at a time, first by eight bytes, then by one.
 *
 * In between there is a plane for eight columns, of 128 rows with eight bytes each.
 */
#ifndef NN_TRANSPOSE_EIGHTS_H
#define NN_TRANSPOSE_EIGHTS_H

#include "transpose.h"

#define EIGHTS_ROWS	128u

/* Whether a matrix can be done so, and should. */
bool nn_transpose_has_eights(const struct matrix *matrix);

/* EIGHTS_ROWS rows of it. */
void nn_transpose_eights(const struct matrix *matrix, const uint8_t *from, uint8_t *to);

/*
 * `count` times 16 rows to 16 planes of eight aligned vectors each, a vector of each plane at a
 * time: 48 packets. 128 bytes are read from each row's beginning on.
 */
void nn_transpose_sixteens(const uint8_t *from, uint8_t *to, uint32_t from_pitch, uint32_t count);

/*
 * The same to three planes of rows that have 24 bytes: a control spreads the four that are in 128 to 32
 * each. 12 packets.
 */
void nn_transpose_threes(const uint8_t *from, uint8_t *to, uint32_t from_pitch, uint32_t count,
			 HVX_Vector control);

/*
 * `count` planes of eight aligned vectors to eight times as many rows of 128 bytes, of any alignment.
 * One plane more is read. 20 packets each.
 */
void nn_transpose_planes(const uint8_t *from, uint8_t *to, uint32_t to_pitch, uint32_t count);

#endif
