/* SPDX-License-Identifier: MIT */
/*
 * The four functions that the compiler expects to find anywhere. Nothing else of a C library exists
 * on the DSP.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stddef.h>

void *memcpy(void *restrict destination, const void *restrict source, size_t size);
void *memmove(void *destination, const void *source, size_t size);
void *memset(void *destination, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
