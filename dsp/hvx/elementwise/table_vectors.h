/* SPDX-License-Identifier: MIT */
/*
 * TABLE's functions, for table.c and common/fuse.c. Their loop is in assembly (table_vectors.S):
 * compiled, each vector takes six packets more.
 */
#ifndef NN_TABLE_VECTORS_H
#define NN_TABLE_VECTORS_H

#include <stdint.h>

/*
 * Looks up 128 * count bytes, at least 128: `to` gets the entries of `table`, 256 bytes, that bytes
 * of `from` are the indices of. `to` and `table` are aligned, and `to` is `from` or does not
 * overlap it. Nine packets for 128 bytes.
 */
void nn_table_vectors(uint8_t *to, const uint8_t *from, const uint8_t *table, uint32_t count);

/* Looks up any number of bytes, wherever `to` is. */
void nn_table_bytes(uint8_t *to, const uint8_t *from, const uint8_t *table, uint32_t bytes);

#endif
