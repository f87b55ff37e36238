/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes that the tests open. In the kernel's tree there is no /dev/nnloop: the series for it has
 * the accel nodes here (tools/kernel-patch).
 */
#ifndef NNLOOP_TEST_NODE_H
#define NNLOOP_TEST_NODE_H

#define NNLOOP_NODE	"/dev/nnloop"
/* A second board, for the tests that lose one. */
#define SECOND_NODE	"/dev/nnloop1"

#endif
