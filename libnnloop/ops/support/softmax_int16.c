// SPDX-License-Identifier: MIT
/*
 * Softmax of int16, as TensorFlow Lite's own kernels compute it: between places of two tables.
 */
#include "softmax.h"

#include <errno.h>
#include <math.h>

#include "check.h"
#include "emit.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

#define PLACES 513
#define MOST_ELEMENTS 65535
#define DIFFERENCE_BITS 17

typedef double (*function_fp)(double x);

static double invert(double x)
{
	return 1 / (1 + x);
}

static double limit(double value)
{
	return fmin(fmax(value, INT16_MIN), INT16_MAX);
}

/*
 * Fills a table in steps of 2^-15, at positions from low to high: a little off, so that what is
 * between two of them is off by as much in the middle as at the ends.
 */
static void fill_places(int16_t *places, function_fp function, double low, double high)
{
	double step = (high - low) / (PLACES - 1), half = step / 2;

	for (int i = 0; i < PLACES - 1; i++) {
		double x = low + i * step;
		double here = round(function(x) * 32768);
		double between = round((function(low + (i + 1) * step) * 32768 + here) / 2);
		double middle = round(function(x + half) * 32768);

		places[i] = (int16_t)limit(here - round((between - middle) / 2));
	}
	places[PLACES - 1] = (int16_t)limit(round(function(high) * 32768));
}

/* A step of the input, in units of which 65535 are 10; the scale times beta is one of float32. */
static struct nn_fixed find_step(const struct nn_node *node)
{
	float step = node->inputs[0]->info.scale * nn_node_get_float(node, "beta", 1);

	return nn_pack_fixed(step < 0x1p14f ? (double)step / (10.0 / 65535.0) : 0x1p30);
}

int nn_check_softmax_int16(struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	int error = nn_node_need_quantized(node, from, "input");

	if (!error)
		error = nn_node_need_quantized(node, to, "output");
	if (error)
		return error;
	if (to->type != NN_INT16 || to->scale != 0x1p-15f)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of int16 it makes int16 with scale 2^-15 only");
	if (from->dims[from->rank - 1] > MOST_ELEMENTS)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of int16 the last dimension is %d at most", MOST_ELEMENTS);
	if (!nn_fixed_fits(find_step(node), DIFFERENCE_BITS))
		return nn_node_fail(node, -EOPNOTSUPP, "the input scale, times beta, is too large");
	return 0;
}

int nn_lower_softmax_int16(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int16_t *places;
	void *data;
	int error, tables = nn_lower_constant(lowering, NN_TYPE_INT16, 2 * PLACES, &data);

	if (tables < 0)
		return tables;
	places = data;
	if (places) {
		fill_places(places, exp, -10, 0);
		fill_places(places + PLACES, invert, 0, 1);
	}
	error = nn_lower_unary(lowering, node, NN_OPCODE_SOFTMAX_INT16, node->inputs[0],
			       &node->outputs[0], &op);
	if (error)
		return error;
	op->input[1] = tables;
	op->softmax_int16.by = find_step(node);
	nn_lower_limits(op, node);
	return 0;
}
