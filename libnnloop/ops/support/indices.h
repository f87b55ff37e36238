/* SPDX-License-Identifier: MIT */
/*
 * Operators whose second input is indices into the first one: Take and Scatter. The attributes are
 * those of Take.
 */
#ifndef NN_OPS_INDICES_H
#define NN_OPS_INDICES_H

#include "dsp/program/nn_program.h"
#include "graph/graph.h"

/* Whether an input has as many rows as the output, which are `rows`, or is a constant of one. */
bool nn_fits_rows(const struct nn_value *value, const struct nn_tensor_info *rows);
/* check: the inputs' types and rows, and the attributes. Fills in where the places are, and the
 * shape of what is there, of which dimension 0 is any. */
int nn_check_indices(struct nn_node *node, struct nn_take_params *take, uint32_t *rank,
		     uint32_t *dims);

#define NN_PLACES_ATTRS \
	{ .name = "axis", .type = NN_ATTR_INT }, \
	{ .name = "depth", .type = NN_ATTR_INT }, \
	{ .name = "each", .type = NN_ATTR_INT, .is_flag = true }

#endif
