// SPDX-License-Identifier: MIT
/*
 * SVDF, a layer that remembers its last inputs: each of its filters makes a number of each input,
 * its feature, and keeps the last ones; then it sums these, each times a weight of its place in
 * time; and a unit of the output is the sum of `rank` filters, and a bias. As TensorFlow Lite's own
 * kernel computes it (EvalIntegerSVDF): features are sums in 32 bits that become int16, and units
 * are sums in 32 bits that become int8, both rounded as its fixed-point arithmetic does.
 *
 * Filters are put in another order here: one of each unit, then a second one of each, as nnloop's own
 * operator SVDF has them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

enum svdf_input { X, FEATURE_WEIGHTS, TIME_WEIGHTS, BIAS, STATE };
enum svdf_option { SVDF_RANK };

struct svdf {
	const struct nn_build_tensor *x;
	struct nn_parameter features, time, bias;
	const struct tflite_tensor *state;
	struct nn_quant state_quant, quant;
	uint32_t rank, units, filters, memory;
};

/* The number that filter r of a unit has in the file. */
static uint32_t filter_of(const struct svdf *svdf, uint32_t unit, uint32_t r)
{
	return unit * svdf->rank + r;
}

static int need_weights(struct tflite_import *import, const struct nn_parameter *weights,
			enum nn_data_type type, const char *what)
{
	const struct nn_quant *quant = weights->quant;

	if (quant->type != type || !quant->scale || quant->zero_point)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its weights of %s are of %s; nnloop knows %s with one scale and "
				   "zero point 0", what, nn_data_type_name(quant->type),
				   nn_data_type_name(type));
	if (weights->values->rank != 2)
		return tflite_fail(import, -EINVAL, "its weights of %s have %" PRIu32 " dimensions",
				   what, weights->values->rank);
	return 0;
}

/* Shapes must fit each other, and the state. */
static int check_shapes(struct tflite_import *import, struct svdf *svdf)
{
	const struct nn_const *features = svdf->features.values, *time = svdf->time.values;
	const struct tflite_tensor *state = svdf->state;

	svdf->rank = import->now->option[SVDF_RANK];
	svdf->filters = features->dims[0];
	svdf->memory = time->dims[1];
	svdf->units = svdf->filters / svdf->rank;
	if (svdf->filters % svdf->rank || time->dims[0] != svdf->filters || svdf->x->rank != 2 ||
	    svdf->x->dims[1] != features->dims[1])
		return tflite_fail(import, -EINVAL,
				   "it has weights of features for %" PRIu32 " inputs and %" PRIu32
				   " filters, weights of time for %" PRIu32 " filters, and rank %" PRIu32,
				   features->dims[1], svdf->filters, time->dims[0], svdf->rank);
	if (svdf->bias.values &&
	    (svdf->bias.values->element != NN_ELEMENT_INT32 || svdf->bias.values->count != svdf->units))
		return tflite_fail(import, -EINVAL, "its bias is not of %" PRIu32 " int32", svdf->units);
	if (state->rank != 2 || state->dims[1] != (uint64_t)svdf->memory * svdf->filters)
		return tflite_fail(import, -EINVAL,
				   "its state has not %" PRIu32 " elements for each of %" PRIu32
				   " filters", svdf->memory, svdf->filters);
	return 0;
}

/* The scales of a feature's sum and of a unit's must be what fixed-point arithmetic can do. */
static int check_scales(struct tflite_import *import, const struct svdf *svdf)
{
	float feature = svdf->x->quant.scale * svdf->features.quant->scale / svdf->state_quant.scale;
	float unit = svdf->state_quant.scale * svdf->time.quant->scale / svdf->quant.scale;

	if (feature < 0x1p30f && unit < 0x1p30f)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP, "its scales differ too much");
}

static int read_svdf(struct tflite_import *import, struct svdf *svdf)
{
	int err;

	svdf->x = tflite_8bit_input(import, X);
	if (!svdf->x)
		return tflite_failed(import);
	err = tflite_need_int8(import, svdf->x->quant.type);
	if (!err)
		err = tflite_parameter_input(import, FEATURE_WEIGHTS, &svdf->features);
	if (!err)
		err = need_weights(import, &svdf->features, NN_INT8, "features");
	if (!err)
		err = tflite_parameter_input(import, TIME_WEIGHTS, &svdf->time);
	if (!err)
		err = need_weights(import, &svdf->time, NN_INT16, "time");
	if (!err && tflite_has_input(import, BIAS))
		err = tflite_parameter_input(import, BIAS, &svdf->bias);
	if (!err)
		err = tflite_state_input(import, STATE, &svdf->state, &svdf->state_quant);
	if (!err && (svdf->state_quant.type != NN_INT16 || !svdf->state_quant.scale))
		err = tflite_fail(import, -EOPNOTSUPP, "its state is of %s; nnloop knows int16",
				  nn_data_type_name(svdf->state_quant.type));
	if (!err)
		err = check_shapes(import, svdf);
	if (!err)
		err = tflite_typed_output_quant(import, NN_INT8, &svdf->quant);
	/* The kernel clamps nothing: the end of the output's range is the activation's limit. */
	if (!err && svdf->quant.zero_point != INT8_MIN)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its activation is RELU, and its output's zero point %d is not -128",
				  svdf->quant.zero_point);
	return err ? err : check_scales(import, svdf);
}

/* The weights of features: those of one filter of each unit after the other. */
static int build_features(struct tflite_import *import, const struct svdf *svdf,
			  struct nn_build_tensor *out)
{
	const uint32_t inputs = svdf->features.values->dims[1];
	const int8_t *from = svdf->features.values->data;
	struct nn_tensor_info info = {
		.type = NN_INT8,
		.scale = svdf->features.quant->scale,
		.rank = 2,
		.dims = { svdf->filters, inputs },
	};
	int8_t *rows = tflite_alloc(import, svdf->filters, inputs);

	if (!rows)
		return -ENOMEM;
	for (uint32_t r = 0; r < svdf->rank; r++)
		for (uint32_t u = 0; u < svdf->units; u++)
			memcpy(rows + (size_t)(r * svdf->units + u) * inputs,
			       from + (size_t)filter_of(svdf, u, r) * inputs, inputs);
	return nn_build_const(&import->builder, &info, rows, out);
}

/* The weights of time: those of all filters for a step after the other. */
static int build_time(struct tflite_import *import, const struct svdf *svdf,
		      struct nn_build_tensor *out)
{
	const uint32_t length = svdf->memory * svdf->rank, units = svdf->units;
	struct nn_tensor_info info = {
		.type = NN_INT16,
		.scale = svdf->time.quant->scale,
		.rank = 2,
		.dims = { svdf->memory, svdf->filters },
	};
	int16_t *weights = tflite_alloc(import, (size_t)length * units, sizeof(*weights));

	if (!weights)
		return -ENOMEM;
	for (uint32_t j = 0; j < length; j++)
		for (uint32_t u = 0; u < units; u++)
			weights[(size_t)j * units + u] = nn_const_int(
				svdf->time.values,
				(uint64_t)filter_of(svdf, u, j % svdf->rank) * svdf->memory + j / svdf->rank);
	return nn_build_const(&import->builder, &info, weights, out);
}

static int build_bias(struct tflite_import *import, const struct svdf *svdf,
		      struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .type = NN_INT32, .rank = 1, .dims = { svdf->units } };
	int32_t *bias = tflite_alloc(import, svdf->units, sizeof(*bias));

	if (!bias)
		return -ENOMEM;
	for (uint32_t u = 0; svdf->bias.values && u < svdf->units; u++)
		bias[u] = nn_const_int(svdf->bias.values, u);
	return nn_build_const(&import->builder, &info, bias, out);
}

enum { INPUTS = 5 };

int tflite_lower_svdf(struct tflite_import *import)
{
	struct nn_build_tensor inputs[INPUTS], made;
	struct svdf svdf = { 0 };
	uint32_t dims[2];
	int err = read_svdf(import, &svdf);

	if (err)
		return err;
	dims[0] = svdf.state->dims[0];
	dims[1] = svdf.memory * svdf.filters;
	err = nn_build_state(&import->builder, 2, dims, &svdf.state_quant, NULL, &inputs[0]);
	inputs[1] = *svdf.x;
	if (!err)
		err = build_features(import, &svdf, &inputs[2]);
	if (!err)
		err = build_time(import, &svdf, &inputs[3]);
	if (!err)
		err = build_bias(import, &svdf, &inputs[4]);
	if (!err)
		err = nn_build_node(&import->builder, "SVDF", inputs, INPUTS, NULL, 0, &svdf.quant,
				    &made);
	made.rank = 2;
	made.dims[1] = svdf.units;
	return err ? err : tflite_define(import, 0, &made);
}
