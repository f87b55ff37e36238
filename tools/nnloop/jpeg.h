/* SPDX-License-Identifier: MIT */
/* JPEG files, as pictures of pixels. */
#ifndef NNLOOP_TOOL_JPEG_H
#define NNLOOP_TOOL_JPEG_H

#include "nnloop.h"

bool jpeg_is(const struct file *file);
/*
 * Reads a picture, upright, with as many channels as it says, 1 or 3. 0, or the exit status after
 * an error was printed.
 */
int jpeg_read(const struct file *file, struct picture *picture);

#endif
