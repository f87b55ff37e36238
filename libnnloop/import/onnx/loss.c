// SPDX-License-Identifier: MIT
/*
 * ONNX's NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, which is that of a LogSoftmax: for
 * the graph's operator NegativeLogLikelihood. What they make is of float32.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

enum { SCORES, TARGETS, WEIGHTS };

/* Scores of a dimension behind the classes, which has all places, as `out`; likewise targets. */
static int build_places(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t kept,
			struct nn_build_tensor *out)
{
	uint32_t dims[3];
	int err;

	memcpy(dims, x->dims, kept * sizeof(*dims));
	dims[kept] = 1;
	for (uint32_t i = kept; i < x->rank; i++)
		dims[kept] *= x->dims[i];
	err = nn_build_reshape(&import->builder, x, kept + 1, dims, out);
	return err ? err : onnx_add_rows(import, out, out);
}

/* Targets of a constant as a single row. */
static int build_constant(struct onnx_import *import, const struct nn_operand *operand,
			  struct nn_build_tensor *out)
{
	struct nn_const places = *operand->constant.values;
	const uint32_t dims[2] = { places.dims[0], places.count / places.dims[0] };
	struct nn_operand row = *operand;

	nn_const_reshape(&places, 2, dims);
	row.constant.values = &places;
	return nn_build_row_constant(&import->builder, &row, out);
}

/* Targets, of the scores' dimensions without the classes. */
static int read_targets(struct onnx_import *import, const struct nn_build_tensor *scores,
			struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, TARGETS);
	struct nn_operand operand;
	enum nn_data_type type = onnx_stored_operand(import, value, &operand);
	const uint32_t *dims;
	uint32_t rank;

	if (type != NN_INT32 && type != NN_INT64)
		return onnx_fail(import, -EOPNOTSUPP, "its targets are not of int32 or int64");
	dims = onnx_dims_of(&operand, &rank);
	if (rank + 1 != scores->rank || dims[0] != scores->dims[0] ||
	    memcmp(dims + 1, scores->dims + 2, (scores->rank - 2) * sizeof(*scores->dims)))
		return onnx_fail(import, -EINVAL, "its targets do not fit its scores");
	return operand.tensor ? build_places(import, operand.tensor, 1, out) :
				build_constant(import, &operand, out);
}

/* Weights of the classes: a constant, or a tensor for all items. */
static int read_weights(struct onnx_import *import, const struct nn_build_tensor *scores,
			struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, WEIGHTS);
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = 2,
				       .dims = { 1, scores->dims[1] } };
	struct nn_const floats;
	int err;

	if (value->tensor.rank != 1 || value->tensor.dims[0] != scores->dims[1])
		return onnx_fail(import, -EINVAL, "its weights do not fit its scores");
	if (onnx_is_const(value)) {
		err = onnx_read_floats(import, value, "weights", &floats);
		return err ? err : nn_build_const(&import->builder, &info, floats.data, out);
	}
	err = onnx_float_input(import, WEIGHTS, out);
	return err ? err : nn_build_lift(&import->builder, out, out);
}

/* Gives the result the shape that the model has: of each place, or of one number for all. */
static int shape_result(struct onnx_import *import, const struct nn_build_tensor *scores, bool each,
			struct nn_build_tensor *made)
{
	uint32_t dims[NN_MAX_RANK] = { scores->dims[0] };
	int err;

	made->layout = NN_LAYOUT_PLAIN;
	if (!each) {
		made->rank = 2;
		made->dims[0] = made->dims[1] = 1;
		import->makes_bare = true;
		return nn_build_lower(&import->builder, made, made);
	}
	memcpy(dims + 1, scores->dims + 2, (scores->rank - 2) * sizeof(*dims));
	if (nn_is_rows(dims[0])) {
		made->rank = 3;
		return nn_build_reshape(&import->builder, made, scores->rank - 1, dims, made);
	}
	made->rank = 3;
	err = nn_build_lower(&import->builder, made, made);
	return err ? err : nn_build_reshape(&import->builder, made, scores->rank - 1, dims, made);
}

static int build_loss(struct onnx_import *import, const struct nn_build_tensor *scores,
		      struct nn_build_tensor *out)
{
	static const struct nn_quant real = { .type = NN_FLOAT32 };
	const char *reduction = onnx_attr_string(import, "reduction", "mean");
	const bool each = !strcmp(reduction, "none");
	struct nn_attr attrs[2] = {
		{ .name = "reduction", .type = NN_ATTR_STRING, .string = reduction },
		{ .name = "ignored", .type = NN_ATTR_INT,
		  .i = onnx_attr_int(import->node, "ignore_index", 0) },
	};
	uint32_t attr_count = onnx_attr(import->node, "ignore_index") ? 2 : 1, count = 2;
	struct nn_build_tensor inputs[3];
	int err;

	if (!each && nn_is_rows(scores->dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its reduction goes over the batch" ONNX_KEEP_BATCH);
	err = build_places(import, scores, 2, &inputs[SCORES]);
	if (!err)
		err = read_targets(import, scores, &inputs[TARGETS]);
	if (!err && onnx_input(import, WEIGHTS)->kind != ONNX_ABSENT)
		err = read_weights(import, scores, &inputs[count++]);
	if (!err)
		err = nn_build_node(&import->builder, "NegativeLogLikelihood", inputs, count, attrs,
				    attr_count, &real, out);
	if (err)
		return err;
	memcpy(out->dims, inputs[TARGETS].dims, 3 * sizeof(*out->dims));
	return shape_result(import, scores, each, out);
}

int onnx_lower_loss(struct onnx_import *import)
{
	const bool of_softmax = !strcmp(import->node->op_type, "SoftmaxCrossEntropyLoss");
	struct nn_build_tensor given, scores, made;
	int err = onnx_float_input(import, SCORES, &given);

	if (!err && given.rank < 2)
		err = onnx_fail(import, -EINVAL, "its scores have %" PRIu32 " dimensions",
				given.rank);
	if (err)
		return err;
	scores = given;
	if (of_softmax)
		err = onnx_to_float(import, &scores, &given);
	if (!err && of_softmax)
		err = nn_build_real(&import->builder, &given, NULL, "log_softmax", 1 << 1, true,
				    &scores);
	if (!err)
		err = build_loss(import, &scores, &made);
	if (!err)
		err = onnx_define_float(import, 0, &made);
	return err || !of_softmax ? err : onnx_define_float(import, 1, &scores);
}
