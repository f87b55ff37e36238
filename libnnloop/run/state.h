/* SPDX-License-Identifier: MIT */
/*
 * The state of a graph at both ends of an execution (state.c).
 */
#ifndef NN_RUN_STATE_H
#define NN_RUN_STATE_H

#include "submission.h"

/* Copies what Variables that persist hold into the arena, before the first pass. */
int nn_state_load(struct nn_submission *submission);
/* Copies it back, when all passes have succeeded. */
void nn_state_store(struct nn_submission *submission);

#endif
