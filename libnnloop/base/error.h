/* SPDX-License-Identifier: MIT */
/*
 * Errors in words, with a code, and the node that they are about.
 */
#ifndef NN_ERROR_H
#define NN_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include "nn_device.h"

/* Fill in an error of no node in particular; NULL is legal. */
void nn_error_set(struct nn_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Fill in all of it; node is 0 and op "" if it concerns none. */
void nn_error_format(struct nn_error *error, int code, uint32_t node, const char *op,
		     const char *format, va_list arguments);

/* Writes a name in quotes, fit for a message: a model may contain anything. At most so many of its
 * characters, and dots if there are more; there is room for six others. */
void nn_error_quote(char *quoted, size_t most, const char *name);

#endif
