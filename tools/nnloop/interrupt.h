/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the program: SIGINT (^C), SIGTERM and SIGHUP. Whenever one comes there is a
 * sentence, nothing half written stays, and the program dies of the signal, so that a shell knows
 * and ends its loop, too. While a graph executes the signal cancels it, and what belongs behind an
 * execution is still done; a second one does not wait for that. A closed pipe (SIGPIPE) needs no
 * sentence.
 */
#ifndef NNLOOP_TOOL_INTERRUPT_H
#define NNLOOP_TOOL_INTERRUPT_H

#include <stdbool.h>

struct nn_graph;

void interrupt_init(void);
/*
 * Has signals cancel this graph's execution from now on; with NULL, they end the program at once.
 */
void interrupt_cancels(struct nn_graph *graph);
/* Has one come since interrupt_cancels()? */
bool interrupt_came(void);
/* Dies of the signal that came, if one did. Called at the very end. */
void interrupt_finish(void);

#endif
