/* SPDX-License-Identifier: MIT */
/*
 * The part of bench.c that is about operators that move data.
 */
#ifndef BENCH_MOVES_H
#define BENCH_MOVES_H

/* Prints packets of operators that move data, of those whose name begins so. */
void bench_moves(const char *wanted);

#endif
