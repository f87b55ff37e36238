/* SPDX-License-Identifier: MIT */
/*
 * Structures between a program and the library whose size the program tells ("Structures that grow"
 * in nn_graph.h): either side may know fewer fields than the other.
 */
#ifndef NN_SIZED_H
#define NN_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Fills in a structure of the program's: as much as it has room for, and zeros behind that. */
void nn_sized_give(void *theirs, size_t their_size, const void *own, size_t own_size);
/*
 * Reads a structure of the program's: what an older one does not have is zero. False if a newer one
 * has set something that this library does not know.
 */
bool nn_sized_take(void *own, size_t own_size, const void *theirs, size_t their_size);
/* Element `index` of an array of the program's. */
static inline void *nn_sized_at(const void *array, size_t size, size_t index)
{
	return (char *)array + index * size;
}

#endif
