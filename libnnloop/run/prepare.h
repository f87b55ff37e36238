/* SPDX-License-Identifier: MIT */
/*
 * Preparing a graph: from nodes to a plan that can be executed (prepare.c).
 */
#ifndef NN_PREPARE_H
#define NN_PREPARE_H

#include "plan/plan.h"

/*
 * A plan that can be executed: its passes are added up, and it has memory on the device, unless
 * that is NULL. `earlier` is a plan of the same graph for other rows whose constants are taken
 * over, or NULL.
 */
int nn_prepare_plan(struct nn_graph *graph, struct nn_device *device,
		    const struct nn_prepare_options *options, const struct nn_plan *earlier,
		    struct nn_plan **plan);

#endif
