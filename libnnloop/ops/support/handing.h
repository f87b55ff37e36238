/* SPDX-License-Identifier: MIT */
/*
 * Loops that hand out rows of their inputs in turn (CountLoop, WhileLoop): output i goes round the
 * rows of an input. With squeeze=1, which is for loops with one row in each iteration, it is that row
 * without dimension 0, and counts no rows.
 */
#ifndef NN_HANDING_H
#define NN_HANDING_H

#include "graph/graph.h"

/* Infer the outputs, behind the first `kept` inputs, which are the loop's own; and lower them. */
int nn_hand_out_set(struct nn_node *node, uint32_t kept);
int nn_hand_out_lower(struct nn_lowering *lowering, struct nn_node *node, uint32_t kept);

/* A CountLoop whose total data have; and the number that a loop has as its total, which is at `data`. */
bool nn_loop_is_counted(const struct nn_node *lcn);
int64_t nn_total_read(const struct nn_value *value, const void *data);

/*
 * These say what is wrong with a CountLoop's total that data give, and with a WhileLoop that still
 * goes on, and return the error: the same where the host runs the loop and where the device does.
 */
int nn_count_loop_fail(struct nn_node *node, int64_t total);
int nn_while_loop_fail(struct nn_node *node);

/* The number of rows of a Proposal's loop, which the device works out before the loop begins. */
struct nn_value *nn_proposal_count(const struct nn_node *node);

/* Whether an input has one element, and, of an execution, what that is: as the run has it. */
bool nn_info_is_single(const struct nn_tensor_info *info);

#endif
