/* SPDX-License-Identifier: MIT */
/*
 * An arena knows which stretches of memory are free while blocks are given their offsets
 * (offsets.c), from offset 0 to no end. A stretch is taken where it fits best: in the smallest free one that is large enough, and
 * of several in the first. Taking and giving back cost the logarithm of how many free stretches
 * there are.
 */
#ifndef NN_ARENA_H
#define NN_ARENA_H

#include <stdint.h>

struct nn_arena;

/* Empty; NULL without memory. */
struct nn_arena *nn_arena_create(void);
/* NULL is legal. */
void nn_arena_destroy(struct nn_arena *arena);

/* -EOVERFLOW: it would end above 2^64; -ENOMEM. */
int nn_arena_take(struct nn_arena *arena, uint64_t size, uint64_t *offset);
/* Gives back a stretch that was taken. -ENOMEM. */
int nn_arena_give(struct nn_arena *arena, uint64_t offset, uint64_t size);
/* The end of the last stretch that was ever taken. */
uint64_t nn_arena_bytes(const struct nn_arena *arena);

#endif
