/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the driver's code the calls of a thread reach, by the kernel's KCOV: places in the
 * module's .text, collected for all threads and processes in shared memory.
 */
#ifndef NNLOOP_FUZZ_KCOV_H
#define NNLOOP_FUZZ_KCOV_H

int kcov_init(void);
int kcov_start(void);
void kcov_stop(void);
void kcov_collect(void);
int kcov_write(const char *path);

#endif
