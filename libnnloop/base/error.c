// SPDX-License-Identifier: MIT
/*
 * Errors in words (error.h): how they are formatted, and names quoted.
 */
#include "error.h"

#include <stdio.h>
#include <string.h>

void nn_error_format(struct nn_error *error, int code, uint32_t node, const char *op,
		     const char *format, va_list arguments)
{
	error->code = code;
	error->node = node;
	snprintf(error->op, sizeof(error->op), "%s", op);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
}

void nn_error_set(struct nn_error *error, int code, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return;
	va_start(arguments, format);
	nn_error_format(error, code, 0, "", format, arguments);
	va_end(arguments);
}

void nn_error_quote(char *quoted, size_t most, const char *name)
{
	*quoted++ = '"';
	for (; *name && most; name++, most--)
		*quoted++ = *name < ' ' || *name > '~' ? '?' : *name;
	strcpy(quoted, *name ? "...\"" : "\"");
}
