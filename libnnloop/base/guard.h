/* SPDX-License-Identifier: MIT */
/*
 * Mapped files that may become shorter while they are read. Whoever reads behind the new end gets
 * SIGBUS, which ends the process. Within a guard he reads zeros there, and the guard says so in the
 * end.
 *
 * The signal has one handler for the process. It is there while a guard is, and what it is not for
 * goes to the one that was there before.
 */
#ifndef NN_GUARD_H
#define NN_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define NN_MAX_GUARDS 64 /* at a time, in the process */

/* Begins to guard a mapping. Returns a handle for it; -1: there are too many. */
int nn_guard_begin(const void *data, size_t size);
/* Ends that, before the mapping is gone. Returns whether something was missing of it. */
bool nn_guard_end(int guard);

#endif
