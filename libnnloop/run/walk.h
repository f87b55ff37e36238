/* SPDX-License-Identifier: MIT */
/*
 * The walk through the passes of a plan, without running them (walk.c).
 */
#ifndef NN_WALK_H
#define NN_WALK_H

#include "plan/plan.h"

/* Fill in the plan's push_count, pass_count, total_rows and walk_error. */
void nn_plan_walk(struct nn_plan *plan);
/* -ELOOP, reported, if loops that do not depend on data take more pushes than the graph's limit is
 * now. */
int nn_plan_check_pass_limit(struct nn_plan *plan);

#endif
