// SPDX-License-Identifier: MIT
/*
 * Structures between a program and the library whose size the program tells (sized.h).
 */
#include "sized.h"

#include <string.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void nn_sized_give(void *theirs, size_t their_size, const void *own, size_t own_size)
{
	size_t common = smaller(their_size, own_size);

	memcpy(theirs, own, common);
	memset((char *)theirs + common, 0, their_size - common);
}

bool nn_sized_take(void *own, size_t own_size, const void *theirs, size_t their_size)
{
	size_t common = smaller(their_size, own_size), i;

	memcpy(own, theirs, common);
	memset((char *)own + common, 0, own_size - common);
	for (i = common; i < their_size; i++)
		if (((const unsigned char *)theirs)[i])
			return false;
	return true;
}
