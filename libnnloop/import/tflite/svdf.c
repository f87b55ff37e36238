// SPDX-License-Identifier: MIT
/*
 * SVDF, a layer that remembers its last inputs: each of its filters makes a number of each input,
 * its feature, and keeps the last ones; then it sums these, each times a weight of its place in
 * time; and a unit of the output is the sum of `rank` filters, and a bias. As TensorFlow Lite's own
 * kernel computes it (EvalIntegerSVDF): features are sums in 32 bits that become int16, and units
 * are sums in 32 bits that become int8, both rounded as its fixed-point arithmetic does.
 *
 * Filters are put in another order here: one of each unit, then a second one of each. With the
 * features of a time step side by side, all elements of a unit are as far apart as there are units,
 * and WeightedSum does both sums at once.
 *
 *	 state, the last `memory` - 1 steps                     x
 *	┌───────────────────────────────────────┐ ┌──────────────────────────┐
 *	│ features of a step │ ...               │ │ FullyConnected, Rescale │
 *	└───────────────────────────────────────┘ └──────────────────────────┘
 *	                        WeightedSum, Rescale
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "dsp/program/pack.h"
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
	return err;
}

/* Sums in another quantization, all by one multiplier. */
static int rescale(struct tflite_import *import, const struct nn_build_tensor *sums, float real,
		   const struct nn_quant *quant, struct nn_build_tensor *out)
{
	uint32_t count = sums->dims[sums->rank - 1];
	struct nn_tensor_info info = { .type = NN_INT32, .rank = 2, .dims = { count, 2 } };
	struct nn_fixed *scales = tflite_alloc(import, count, sizeof(*scales));
	struct nn_build_tensor inputs[2] = { *sums };
	int err;

	if (!scales)
		return -ENOMEM;
	if (!(real < 0x1p30f))
		return tflite_fail(import, -EOPNOTSUPP, "its scales differ too much");
	for (uint32_t i = 0; i < count; i++)
		scales[i] = nn_pack_fixed(real);
	err = nn_build_const(&import->builder, &info, scales, &inputs[1]);
	return err ? err : nn_build_node(&import->builder, "Rescale", inputs, 2, NULL, 0, quant, out);
}

/* The features of an item, one filter of each unit after the other. */
static int build_features(struct tflite_import *import, const struct svdf *svdf,
			  struct nn_build_tensor *out)
{
	const uint32_t inputs = svdf->features.values->dims[1];
	const int8_t *from = svdf->features.values->data;
	int8_t *rows = tflite_alloc(import, svdf->filters, inputs);
	struct nn_const values = *svdf->features.values;
	struct nn_build_weights weights = {
		.parameter = svdf->features,
		.outputs = svdf->filters,
		.height = 1,
		.width = 1,
		.inputs = inputs,
		.input_stride = 1,
		.output_stride = inputs,
	};
	struct nn_build_tensor sums;
	int err;

	if (!rows)
		return -ENOMEM;
	for (uint32_t r = 0; r < svdf->rank; r++)
		for (uint32_t u = 0; u < svdf->units; u++)
			memcpy(rows + (size_t)(r * svdf->units + u) * inputs,
			       from + (size_t)filter_of(svdf, u, r) * inputs, inputs);
	values.data = rows;
	weights.parameter.values = &values;
	err = nn_build_fully_connected(&import->builder, svdf->x, &weights, NULL, NULL,
				       &nn_quant_int32,
				       &sums);
	if (err)
		return err;
	return rescale(import, &sums,
		       svdf->x->quant.scale * svdf->features.quant->scale / svdf->state_quant.scale,
		       &svdf->state_quant, out);
}

/* The features of the last steps, these ones included; they are the state from now on. */
static int build_memory(struct tflite_import *import, const struct svdf *svdf,
			const struct nn_build_tensor *features, struct nn_build_tensor *out)
{
	const uint32_t dims[2] = { svdf->state->dims[0], svdf->memory * svdf->filters };
	struct nn_builder *builder = &import->builder;
	struct nn_build_tensor state, parts[2], value = *features;
	int err = nn_build_state(builder, 2, dims, &svdf->state_quant, NULL, &state);

	if (!err && svdf->memory > 1) {
		err = nn_build_slice(builder, &state, 1, svdf->filters,
				     (svdf->memory - 1) * svdf->filters, &parts[0]);
		parts[1] = *features;
		if (!err)
			err = nn_build_concat(builder, parts, 2, 1, &value);
	}
	return err ? err : nn_build_assign(builder, &state, &value, out);
}

/* Builds the sums over time, of all filters of a unit. */
static int build_sums(struct tflite_import *import, const struct svdf *svdf,
		      const struct nn_build_tensor *memory, struct nn_build_tensor *out)
{
	const uint32_t length = svdf->memory * svdf->rank, units = svdf->units;
	const uint32_t dims[3] = { memory->dims[0], length, units };
	struct nn_tensor_info info = { .type = NN_INT16, .rank = 2, .dims = { length, units } };
	struct nn_tensor_info bias_info = { .type = NN_INT32, .rank = 1, .dims = { units } };
	int16_t *weights = tflite_alloc(import, (size_t)length * units, sizeof(*weights));
	int32_t *bias = tflite_alloc(import, units, sizeof(*bias));
	struct nn_build_tensor inputs[3];
	int err;

	if (!weights || !bias)
		return -ENOMEM;
	for (uint32_t j = 0; j < length; j++)
		for (uint32_t u = 0; u < units; u++)
			weights[(size_t)j * units + u] = nn_const_int(
				svdf->time.values,
				(uint64_t)filter_of(svdf, u, j % svdf->rank) * svdf->memory + j / svdf->rank);
	for (uint32_t u = 0; svdf->bias.values && u < units; u++)
		bias[u] = nn_const_int(svdf->bias.values, u);
	err = nn_build_reshape(&import->builder, memory, 3, dims, &inputs[0]);
	if (!err)
		err = nn_build_const(&import->builder, &info, weights, &inputs[1]);
	if (!err)
		err = nn_build_const(&import->builder, &bias_info, bias, &inputs[2]);
	if (!err)
		err = nn_build_node(&import->builder, "WeightedSum", inputs, 3, NULL, 0,
				    &nn_quant_int32, out);
	out->rank = 2;
	out->dims[1] = units;
	return err;
}

int tflite_lower_svdf(struct tflite_import *import)
{
	struct nn_build_tensor features, memory, sums, made;
	struct svdf svdf = { 0 };
	int err = read_svdf(import, &svdf);

	if (!err)
		err = build_features(import, &svdf, &features);
	if (!err)
		err = build_memory(import, &svdf, &features, &memory);
	if (!err)
		err = build_sums(import, &svdf, &memory, &sums);
	if (!err)
		err = rescale(import, &sums,
			      svdf.state_quant.scale * svdf.time.quant->scale / svdf.quant.scale,
			      &svdf.quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}
