/* SPDX-License-Identifier: MIT */
/*
 * Executions whose loops the device runs by itself, as a control program (dsp/program/nn_control.h):
 * one submission, although data decide how often loops go round.
 */
#ifndef NN_CONTROLLED_H
#define NN_CONTROLLED_H

#include "submission.h"

/*
 * Whether that can be: data decide about a loop at all, each loop is one that control programs have,
 * nothing runs on the host in between, and nobody wants to see each pass.
 */
bool nn_controlled_is_possible(const struct nn_plan *plan);

/*
 * Runs all of the plan, which has its buffers, in place of nn_loop_run(), and says how many rows the
 * outputs have, by slot. *again: a pass found no room for rows that data decide. Then nothing has
 * come of it, and the host is to run the loops, which says where that is.
 */
int nn_controlled_run(struct nn_submission *submission, uint64_t *output_rows, bool *again);

#endif
