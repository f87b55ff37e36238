/* SPDX-License-Identifier: MIT */
#ifndef NN_PREPARE_H
#define NN_PREPARE_H

#include "plan/plan.h"

/*
 * A plan that can be executed: its passes are added up, and it has memory on the device, unless
 * that is NULL. `streams` is how many are wanted, 0: the library's choice. `earlier` is a plan
 * of the same graph for other rows whose constants are taken over, or NULL.
 */
int nn_prepare_plan(struct nn_graph *graph, struct nn_device *device, uint32_t flags, uint32_t step,
		    uint32_t streams, const uint32_t *input_rows, const struct nn_plan *earlier,
		    struct nn_plan **plan);

#endif
