// SPDX-License-Identifier: MIT
/* Operators of one element. */
#include <errno.h>
#include <math.h>

#include "import/tflite/tflite.h"

static int lower_function(struct tflite_import *import, const char *op, const struct nn_attr *attrs,
			  uint32_t attr_count)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_wide_output_quant(import, x, &quant);
	if (!err)
		err = nn_build_unary(&import->builder, op, x, attrs, attr_count, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_unary(struct tflite_import *import)
{
	const char *op = import->now->op->becomes;

	return tflite_is_int16(import, 0) ? tflite_lower_wide_curve(import, *op == 'T') :
					    lower_function(import, op, NULL, 0);
}

int tflite_lower_l2_normalization(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	if (x->rank > 4)
		return tflite_fail(import, -EINVAL, "its input has %u dimensions, more than 4", x->rank);
	err = tflite_typed_output_quant(import, x->quant.type, &quant);
	if (err)
		return err;
	if (quant.scale != 1.0f / 128 || quant.zero_point != (quant.type == NN_UINT8 ? 128 : 0))
		return tflite_fail(import, -EINVAL,
				   "its output is quantized with %g and %d; it is 1/128 and the middle",
				   (double)quant.scale, quant.zero_point);
	return lower_function(import, "L2Normalize", NULL, 0);
}

/* A check of the quantization of input and output, for an operator of one attribute. */
typedef int check_quant(struct tflite_import *import, const struct nn_quant *in,
			const struct nn_quant *out, const struct nn_attr *attr);

/* Lowers an operator of 8 or of 16 bits. `check` may be NULL. */
static int lower_of_any_width(struct tflite_import *import, const char *op,
			      const struct nn_attr *attr, check_quant *check)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_wide_output_quant(import, x, &quant);
	if (!err && check)
		err = check(import, &x->quant, &quant, attr);
	if (!err)
		err = nn_build_unary(&import->builder, op, x, attr, 1, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static int check_wide_softmax(struct tflite_import *import, const struct nn_quant *in,
			      const struct nn_quant *out, const struct nn_attr *beta)
{
	if (out->scale != 0x1p-15f)
		return tflite_fail(import, -EINVAL, "its output scale is %g, not 2^-15",
				   (double)out->scale);
	if (!(in->scale * beta->f < 2))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale times beta is %g; of int16, nnloop knows it below 2",
				   (double)(in->scale * beta->f));
	return 0;
}

/* Lowers SOFTMAX of 8 bits, which makes its own type, or int16 with any quantization. */
static int lower_softmax_of_bytes(struct tflite_import *import, const struct nn_attr *beta)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_output_quant(import, 0, &quant);
	if (!err && quant.type != NN_INT16 && quant.type != x->quant.type)
		err = tflite_typed_output_quant(import, x->quant.type, &quant);
	/* TensorFlow Lite does not look at the output's zero point if it is of uint8. */
	if (quant.type == NN_UINT8)
		quant.zero_point = 0;
	if (!err)
		err = nn_build_unary(&import->builder, "Softmax", x, beta, 1, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_softmax(struct tflite_import *import)
{
	struct nn_attr beta = {
		.name = "beta",
		.type = NN_ATTR_FLOAT,
		.f = import->now->float_option[0],
	};

	if (!isfinite(beta.f) || beta.f < 0)
		return tflite_fail(import, -EINVAL, "its option beta is %g", (double)beta.f);
	if (tflite_is_int16(import, 0))
		return lower_of_any_width(import, "Softmax", &beta, check_wide_softmax);
	return lower_softmax_of_bytes(import, &beta);
}

int tflite_lower_leaky_relu(struct tflite_import *import)
{
	struct nn_attr alpha = {
		.name = "alpha",
		.type = NN_ATTR_FLOAT,
		.f = import->now->float_option[0],
	};

	if (!isfinite(alpha.f))
		return tflite_fail(import, -EINVAL, "its option alpha is not a finite number");
	if (tflite_has_xnnpack_leaky_relu(import))
		return tflite_lower_xnnpack_leaky_relu(import);
	return lower_of_any_width(import, "Rescale", &alpha, NULL);
}

/* Lowers a clamp as one of the activations that other operators have in them. */
static int lower_clamp(struct tflite_import *import, enum tflite_activation activation)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);
	struct nn_range range = tflite_activation_range(activation);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	made = *x;
	err = tflite_wide_output_quant(import, x, &quant);
	if (!err)
		err = tflite_need_range(import, &range, &quant);
	if (!err && !nn_quant_equal(&quant, &x->quant))
		err = nn_build_unary(&import->builder, "Rescale", x, NULL, 0, &quant, &made);
	if (!err)
		err = nn_build_clamp(&import->builder, &made, &range, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_relu(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? tflite_lower_wide_relu(import) :
					    lower_clamp(import, TFLITE_ACTIVATION_RELU);
}

int tflite_lower_relu_n1_to_1(struct tflite_import *import)
{
	return lower_clamp(import, TFLITE_ACTIVATION_RELU_N1_TO_1);
}

int tflite_lower_relu6(struct tflite_import *import)
{
	return tflite_is_int16(import, 0) ? tflite_lower_wide_relu6(import) :
					    lower_clamp(import, TFLITE_ACTIVATION_RELU6);
}
