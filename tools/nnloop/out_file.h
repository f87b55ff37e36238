/* SPDX-License-Identifier: MIT */
/*
 * Files that nnloop makes. Each is written beside its place and renamed when it is whole: whoever
 * looks at its name finds the old file or all of the new one, and a run that fails leaves nothing.
 * What is no regular file, such as /dev/null or a pipe, is written in its place, and so is a file
 * in a folder that takes no other. "-" is standard output.
 */
#ifndef NNLOOP_TOOL_OUT_FILE_H
#define NNLOOP_TOOL_OUT_FILE_H

#include <stdio.h>

struct out_file;

/* Refuses an output that would be written over what is needed: a model or an input. 0, or the exit
 * status after an error was printed. */
int out_file_spares(const char *path, const char *needed);
/* Before anything is computed: finds out whether there can be such a file. path stays the caller's.
 * 0, or the exit status after an error was printed. */
int out_file_open(const char *path, struct out_file **file);
const char *out_file_path(const struct out_file *file);
/* Returns where to write. Errors of writing wait there for out_file_finish(). */
FILE *out_file_stream(struct out_file *file);
/* All is written: puts it in its place. 0, or the exit status after an error was printed. */
int out_file_finish(struct out_file *file);
/* Takes away what was not finished. In signal handlers as well. */
void out_files_discard(void);

#endif
