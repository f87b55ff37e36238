// SPDX-License-Identifier: MIT
/*
 * Structures of a program that are shorter and longer than the library's: each is a block of its own,
 * so that the address sanitizer sees a byte too many.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "tap.h"

#define MOST 24

static uint8_t *block(size_t size, int fill)
{
	uint8_t *bytes = malloc(size);

	if (!bytes)
		abort();
	memset(bytes, fill, size);
	return bytes;
}

/* Returns how many bytes from `from` on, up to `end`, have another value. */
static size_t others(const uint8_t *bytes, size_t from, size_t end, int value)
{
	size_t count = 0, i;

	for (i = from; i < end; i++)
		count += bytes[i] != value;
	return count;
}

static void test_give(void)
{
	for (size_t own_size = 1; own_size <= MOST; own_size++)
		for (size_t their_size = 1; their_size <= MOST; their_size++) {
			uint8_t *own = block(own_size, 0x11), *theirs = block(their_size, 0xee);
			size_t common = own_size < their_size ? own_size : their_size;

			nn_sized_give(theirs, their_size, own, own_size);
			CHECK(!others(theirs, 0, common, 0x11));
			CHECK(!others(theirs, common, their_size, 0));
			free(own);
			free(theirs);
		}
}

static void test_take(void)
{
	for (size_t own_size = 1; own_size <= MOST; own_size++)
		for (size_t their_size = 1; their_size <= MOST; their_size++) {
			uint8_t *own = block(own_size, 0xee), *theirs = block(their_size, 0x11);
			size_t common = own_size < their_size ? own_size : their_size;

			memset(theirs + common, 0, their_size - common);
			CHECK(nn_sized_take(own, own_size, theirs, their_size));
			CHECK(!others(own, 0, common, 0x11));
			CHECK(!others(own, common, own_size, 0));
			/* Any byte of what the library does not know. */
			for (size_t i = common; i < their_size; i++) {
				theirs[i] = 0x80;
				CHECK(!nn_sized_take(own, own_size, theirs, their_size));
				theirs[i] = 0;
			}
			free(own);
			free(theirs);
		}
}

int main(void)
{
	tap_run("what the library fills in", test_give);
	tap_run("what the program fills in", test_take);
	return tap_end();
}
