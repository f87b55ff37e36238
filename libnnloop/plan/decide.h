/* SPDX-License-Identifier: MIT */
/*
 * Who decides how often a plan's loops run: the library, before the first pass; the device, which looks
 * at what it computes and goes on by itself (run/controlled.c); or the host, between two passes.
 */
#ifndef NN_DECIDE_H
#define NN_DECIDE_H

#include "plan/plan.h"

/*
 * Whether the device can run all loops by itself, if a step has room for what it gives and nobody wants
 * to see each pass; and whether it is worth it.
 */
bool nn_plan_may_be_controlled(const struct nn_plan *plan);

/* Where it is decided how often a loop runs, by its LCN, or by the node that makes its condition. */
enum nn_decided_on nn_plan_decided_on(const struct nn_plan *plan, const struct nn_node *node);

/*
 * Whether a value has a single place, where a step of a control program can look at it: what it has rows
 * of has one in each iteration.
 */
bool nn_value_has_place(struct nn_value *value);

/*
 * The rows that a static loop hands out whenever it begins, or those of total_level; NN_ROWS_UNKNOWN if
 * they differ. A BatchLoop along another dimension than rows has its windows as often as its input has
 * rows: once if the loop around has one row in each iteration.
 */
uint64_t nn_loop_total(const struct nn_scope *scope);

/* The loop whose rows an output has; NULL: it has those of a count, or a fixed number. */
const struct nn_scope *nn_plan_find_loop(const struct nn_plan *plan, uint32_t slot);

/* Whether its loop, which is inside of another, packs the rows of a count whenever it begins. */
bool nn_count_begins_anew(const struct nn_count *count);

#endif
