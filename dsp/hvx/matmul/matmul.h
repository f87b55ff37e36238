/* SPDX-License-Identifier: MIT */
/*
 * MATMUL with vectors, for who makes a product of several.
 */
#ifndef NN_HVX_MATMUL_H
#define NN_HVX_MATMUL_H

struct nn_call;

/*
 * Runs a MATMUL whose columns are no longer than nn_matmul_has_vectors() says, however few products
 * it has, which take longer so than one after another. Returns what a report of progress did.
 */
int nn_matmul_run(const struct nn_call *call);

#endif
