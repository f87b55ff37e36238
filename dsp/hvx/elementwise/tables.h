/* SPDX-License-Identifier: MIT */
/*
 * Look-ups of 128 bytes in tables of 256, in registers: vlut32 takes one of 32 entries, so that it
 * takes eight of them. binary_functions.c and integers_scaled.c have such tables.
 */
#ifndef NN_TABLES_H
#define NN_TABLES_H

#include "dsp/hvx/common/vector.h"

/* A table of 256 bytes as look-ups take it. */
struct table {
	HVX_Vector low, high;
};

static inline struct table load_table(const uint8_t *table)
{
	return (struct table){ Q6_Vb_vshuff_Vb(load(table)),
			       Q6_Vb_vshuff_Vb(load(table + VECTOR)) };
}

static inline HVX_Vector look_up(HVX_Vector at, struct table table)
{
	HVX_Vector found = Q6_Vb_vlut32_VbVbI(at, table.low, 0);

	found = Q6_Vb_vlut32or_VbVbVbI(found, at, table.low, 1);
	found = Q6_Vb_vlut32or_VbVbVbI(found, at, table.low, 2);
	found = Q6_Vb_vlut32or_VbVbVbI(found, at, table.low, 3);
	found = Q6_Vb_vlut32or_VbVbVbI(found, at, table.high, 4);
	found = Q6_Vb_vlut32or_VbVbVbI(found, at, table.high, 5);
	found = Q6_Vb_vlut32or_VbVbVbI(found, at, table.high, 6);
	return Q6_Vb_vlut32or_VbVbVbI(found, at, table.high, 7);
}

/* Looks up halfwords, of which two tables have the low and the high bytes: 128, in their order. */
static inline HVX_VectorPair look_up_halves(HVX_Vector at, const struct table *tables)
{
	return Q6_W_vshuff_VVR(look_up(at, tables[1]), look_up(at, tables[0]), -1);
}

#endif
