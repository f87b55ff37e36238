// SPDX-License-Identifier: MIT
/*
 * Normalizations of ONNX that are refused: what their parameters may be, and what is a step of one.
 */
#include <errno.h>

#include "tests/unit/onnx-model.h"

/* ---- Changes ---- */

static Onnx__NodeProto *made_by(const Onnx__ModelProto *model, const char *output)
{
	for (size_t i = 0; i < model->graph->n_node; i++) {
		if (!strcmp(model->graph->node[i]->output[0], output))
			return model->graph->node[i];
	}
	printf("Bail out! nothing makes %s\n", output);
	exit(1);
}

static void set_float(const Onnx__ModelProto *model, const char *tensor, float value)
{
	memcpy(find_tensor(model, tensor)->raw_data.data, &value, sizeof(value));
}

static void set_dims(Onnx__ModelProto *model, const char *tensor, size_t rank, int64_t *dims)
{
	find_tensor(model, tensor)->dims = dims;
	find_tensor(model, tensor)->n_dims = rank;
}

static void no_epsilon(Onnx__ModelProto *model)
{
	find_attr(made_by(model, "result"), "epsilon")->f = 0;
}

static void tiny_epsilon(Onnx__ModelProto *model)
{
	find_attr(made_by(model, "result"), "epsilon")->f = 1e-12f;
}

static void tiny_epsilon_of_steps(Onnx__ModelProto *model)
{
	set_float(model, "epsilon", 1e-12f);
}

/* Refused for sums of one after the other, not for eight sums. */
static void small_epsilon_of_steps(Onnx__ModelProto *model)
{
	set_float(model, "epsilon", 2e-7f);
}

static void group_normalization(Onnx__ModelProto *model)
{
	set(&made_by(model, "result")->op_type, "GroupNormalization");
}

/* Makes it opset 13's for training, where its mean and variance are those of the batch. */
static void in_training(Onnx__ModelProto *model)
{
	static char *outputs[5];
	Onnx__NodeProto *node = made_by(model, "result");

	outputs[0] = node->output[0];
	set(&outputs[1], "mean_out");
	set(&outputs[2], "variance_out");
	set(&outputs[3], "saved_mean");
	set(&outputs[4], "saved_variance");
	node->output = outputs;
	node->n_output = 5;
}

static void infinite_epsilon(Onnx__ModelProto *model)
{
	find_attr(made_by(model, "result"), "epsilon")->f = 1e38f * 10;
}

static void over_the_batch(Onnx__ModelProto *model)
{
	find_attr(made_by(model, "result"), "axis")->i = -4;
}

static void scale_of_more_dimensions(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 1, 1, 1, 48 };

	set_dims(model, "scale", 4, dims);
}

static void bias_along_another(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 48, 1 };

	set_dims(model, "bias", 2, dims);
}

static void bias_of_rows(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 48, 1, 1 };

	set_dims(model, "bias", 3, dims);
}

static void scale_of_the_tensor(Onnx__ModelProto *model)
{
	Onnx__NodeProto *node = made_by(model, "result");

	set(&node->input[1], node->input[0]);
}

static void scale_of_integers(Onnx__ModelProto *model)
{
	set(&made_by(model, "result")->input[1], "scale");
}

static void scale_of_two_dimensions(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 1, 6 };

	set_dims(model, "scale", 2, dims);
}

static void variance_of_fewer(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 5 };

	set_dims(model, "variance", 1, dims);
	find_tensor(model, "variance")->raw_data.len = 20;
}

static void instances_of_vectors(Onnx__ModelProto *model)
{
	Onnx__NodeProto *node = made_by(model, "result");

	set(&node->op_type, "InstanceNormalization");
	node->n_attribute = 0;
	node->n_input = 3;
}

static void training(Onnx__ModelProto *model)
{
	find_attr(made_by(model, "result"), "training_mode")->i = 1;
}

static void third_power(Onnx__ModelProto *model)
{
	set_float(model, "two", 3);
}

static void third_root(Onnx__ModelProto *model)
{
	set_float(model, "half", 0.25f);
}

static void epsilon_0(Onnx__ModelProto *model)
{
	set_float(model, "epsilon", 0);
}

static void epsilon_below_0(Onnx__ModelProto *model)
{
	set_float(model, "epsilon", -1e-5f);
}

static void mean_of_others(Onnx__ModelProto *model)
{
	static int64_t axes[] = { 1 };

	find_attr(made_by(model, "variance"), "axes")->ints = axes;
}

static Onnx__AttributeProto keepdims = ONNX__ATTRIBUTE_PROTO__INIT;
static Onnx__AttributeProto *with_keepdims[2] = { NULL, &keepdims };

static void drop_dims(Onnx__NodeProto *node)
{
	set(&keepdims.name, "keepdims");
	keepdims.has_type = keepdims.has_i = 1;
	keepdims.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	keepdims.i = 0;
	with_keepdims[0] = node->attribute[0];
	node->attribute = with_keepdims;
	node->n_attribute = 2;
}

static void mean_without_dims(Onnx__ModelProto *model)
{
	drop_dims(made_by(model, "mean"));
}

static void variance_without_dims(Onnx__ModelProto *model)
{
	drop_dims(made_by(model, "variance"));
}

static void square_of_mean(Onnx__ModelProto *model)
{
	set(&made_by(model, "square")->input[0], "mean");
}

static void limited_mean(Onnx__ModelProto *model)
{
	Onnx__NodeProto *node = made_by(model, "deviation");

	/* The root that is not needed any more becomes a Relu. */
	set(&node->op_type, "Relu");
	set(&made_by(model, "quotient")->input[1], "deviation");
}

static void rounded_square(Onnx__ModelProto *model)
{
	set(&made_by(model, "y")->input[0], "square");
}

static void rounded_sum(Onnx__ModelProto *model)
{
	set(&made_by(model, "y")->input[0], "sum");
}

static void rounded_deviation(Onnx__ModelProto *model)
{
	set(&made_by(model, "y")->input[0], "deviation");
}

static void scaled_twice(Onnx__ModelProto *model)
{
	Onnx__NodeProto *node = made_by(model, "moved");

	set(&node->op_type, "Mul");
}

static void factor_of_many(Onnx__ModelProto *model)
{
	static int64_t dims[] = { 24, 1 };

	set_dims(model, "scale", 2, dims);
}

static void scaled_variance(Onnx__ModelProto *model)
{
	set(&made_by(model, "scaled")->input[0], "variance");
}

/* No step of a normalization: with 0 for a code, the model runs with these nodes in float32. */
#define IN_FLOAT "is computed in float: no QuantizeLinear and DequantizeLinear are in between"

static const struct onnx_change changes[] = {
	{ "BatchNormalization in training", "batchnorm", in_training, -EOPNOTSUPP,
	  "it has more than one output, which is its form in training" },
	{ "no epsilon", "layernorm_quantized", no_epsilon, -EOPNOTSUPP,
	  "(LayerNormalization): its epsilon is 0; nnloop knows numbers above 0" },
	{ "an infinite epsilon", "layernorm_quantized", infinite_epsilon, -EOPNOTSUPP,
	  "attribute epsilon inf: nnloop can do finite numbers only" },
	{ "no epsilon of channels", "instancenorm_line", no_epsilon, -EOPNOTSUPP,
	  "(InstanceNormalization): its epsilon is 0" },
	{ "a tiny epsilon of channels", "instancenorm_line", tiny_epsilon, -EOPNOTSUPP,
	  "(InstanceNormalization): it is of 17 elements, and where they are nearly the same, the "
	  "rounding errors of float sums are up to" },
	{ "a tiny epsilon of steps", "norm_steps", tiny_epsilon_of_steps, -EOPNOTSUPP,
	  "it is of 24 elements, and where they are nearly the same" },
	{ "a small epsilon of steps", "norm_steps_inner", small_epsilon_of_steps, -EOPNOTSUPP,
	  "it is of 30 elements, and where they are nearly the same" },
	{ "groups", "instancenorm", group_normalization, -EOPNOTSUPP,
	  "(GroupNormalization): opset 13: nnloop knows 21 to 28" },
	{ "over the batch", "layernorm_axis", over_the_batch, -EOPNOTSUPP,
	  "it goes over the first dimension, which is the batch" },
	{ "a scale of more dimensions", "layernorm", scale_of_more_dimensions, -EOPNOTSUPP,
	  "the shape of its scale is not that of the input" },
	{ "a bias along another dimension", "layernorm", bias_along_another, -EOPNOTSUPP,
	  "the shape of its bias is not that of the input" },
	{ "a bias for each row", "layernorm", bias_of_rows, -EOPNOTSUPP,
	  "the shape of its bias is not that of the input" },
	{ "a scale that is computed", "layernorm", scale_of_the_tensor, -EOPNOTSUPP,
	  "its scale is no constant of floats, nor a dequantized one" },
	{ "a scale of integers", "layernorm_quantized", scale_of_integers, -EOPNOTSUPP,
	  "its scale is no constant of floats, nor a dequantized one" },
	{ "a scale of two dimensions", "instancenorm", scale_of_two_dimensions, -EINVAL,
	  "its scale has another shape than one number for each of 6 channels" },
	{ "a variance of fewer channels", "batchnorm", variance_of_fewer, -EINVAL,
	  "its variance has another shape than one number for each of 6 channels" },
	{ "instances of vectors", "batchnorm_vector", instances_of_vectors, -EINVAL,
	  "its input has 2 dimensions, and at least 3 are needed" },
	{ "training", "batchnorm_vector", training, -EOPNOTSUPP,
	  "attribute training_mode 1: nnloop can do 0 only" },
	{ "another power than the square", "norm_steps", third_power, 0, NULL },
	{ "another root", "norm_steps_channels", third_root, 0, NULL },
	{ "epsilon 0", "norm_steps", epsilon_0, 0, NULL },
	{ "an epsilon below 0", "norm_steps", epsilon_below_0, 0, NULL },
	{ "a variance over others", "norm_steps", mean_of_others, -EOPNOTSUPP,
	  "it goes over other dimensions than the mean that its input is without" },
	{ "a mean without its dimensions", "norm_steps", mean_without_dims, -EOPNOTSUPP,
	  "its operands have 3 and 2 dimensions" },
	{ "a variance without its dimensions", "norm_steps", variance_without_dims, -EOPNOTSUPP,
	  IN_FLOAT },
	{ "the square of a mean", "norm_steps", square_of_mean, 0, NULL },
	{ "a deviation that is limited", "norm_steps", limited_mean, 0, NULL },
	{ "a square that is rounded", "norm_steps", rounded_square, -EOPNOTSUPP,
	  "(Pow): its result is a step of a normalization that nnloop cannot round" },
	{ "a sum that is rounded", "norm_steps", rounded_sum, -EOPNOTSUPP,
	  "(Add): its result is a step of a normalization that nnloop cannot round" },
	{ "a root that is rounded", "norm_steps", rounded_deviation, -EOPNOTSUPP,
	  "(Sqrt): its result is a step of a normalization that nnloop cannot round" },
	{ "two scales", "norm_steps", scaled_twice, 0, NULL },
	{ "a scale along another dimension", "norm_steps", factor_of_many, -EOPNOTSUPP,
	  "the shape of its scale is not that of the input" },
	{ "a variance times a scale", "norm_steps", scaled_variance, 0, NULL },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		onnx_test_change(&changes[i]);
	printf("1..%u\n", count);
	return failures > 0;
}
