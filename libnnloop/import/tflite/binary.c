// SPDX-License-Identifier: MIT
/*
 * Operators of two elements, and of two matrices. ADD, SUB and MUL round as XNNPACK does, which
 * takes them for scales that do not differ too much; what rounds otherwise for others is refused.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

struct two {
	struct nn_operand operands[2];
	const struct nn_quant *quants[2];
	struct nn_quant output;
};

static int read_two(struct tflite_import *import, struct two *two)
{
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++) {
		struct nn_operand *operand = &two->operands[i];

		err = tflite_operand_input(import, i, operand);
		two->quants[i] = operand->tensor ? &operand->tensor->quant :
						   operand->constant.quant;
		if (!err && two->quants[i]->type != two->quants[0]->type)
			err = tflite_fail(import, -EINVAL, "its inputs are of %s and %s",
					  nn_data_type_name(two->quants[0]->type),
					  nn_data_type_name(two->quants[i]->type));
	}
	if (!err)
		err = tflite_typed_output_quant(import, two->quants[0]->type, &two->output);
	return err;
}

static int lower_two(struct tflite_import *import, const struct two *two, const char *rounding,
		     int64_t activation)
{
	struct nn_range range = tflite_activation_range(activation);
	const char *inside = nn_range_activation(&range);
	struct nn_build_tensor made;
	int err = tflite_need_range(import, &range, &two->output);

	if (!err)
		err = nn_build_binary(&import->builder, import->now->op->becomes, two->operands,
				      inside, rounding, &two->output, &made);
	if (!err && !inside && nn_range_is_bounded(&range))
		err = nn_build_clamp(&import->builder, &made, &range, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static int need_ratio(struct tflite_import *import, float ratio, float least)
{
	if (ratio >= least && ratio < 0x1p8f)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its input scales over its output scale are %g, and nnloop knows how it "
			   "rounds from %g to 256",
			   (double)ratio, (double)least);
}

/* Lowers int32 and int64, which have no activation. */
static int lower_plain(struct tflite_import *import, int64_t activation)
{
	if (activation != TFLITE_ACTIVATION_NONE)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its inputs are no quantized tensors, and it has an activation");
	return tflite_lower_integers(import);
}

/* Checks the scales of int16: products become less, and what is compared is of one scale. */
static int need_wide_scales(struct tflite_import *import, const struct nn_operand operands[2],
			    const struct nn_quant *output)
{
	float a = nn_operand_quant(&operands[0])->scale, b = nn_operand_quant(&operands[1])->scale;

	if (strcmp(import->now->op->becomes, "Mul"))
		return a == b && a == output->scale ?
			       0 :
			       tflite_fail(import, -EOPNOTSUPP,
					   "its inputs and its output are quantized in different ways");
	if (a * b / output->scale < 1)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "the product of its input scales over its output scale is %g; of int16, "
			   "nnloop knows it below 1", (double)(a * b / output->scale));
}

/* Lowers int16, with an activation. */
static int lower_wide(struct tflite_import *import, int64_t activation)
{
	struct nn_range range = tflite_activation_range(activation);
	struct nn_operand operands[2];
	struct nn_build_tensor made;
	struct nn_attr attrs[1];
	struct nn_quant quant;
	uint32_t count = 0;
	int err = tflite_need_wide_activation(import, &range);

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_wide_operand_input(import, i, &operands[i]);
	if (!err)
		err = tflite_typed_output_quant(import, NN_INT16, &quant);
	if (!err && quant.zero_point)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its output is of int16, which needs zero point 0");
	if (!err)
		err = need_wide_scales(import, operands, &quant);
	if (!err)
		err = tflite_need_broadcast(import, operands, 2);
	if (err)
		return err;
	nn_add_string(attrs, &count, "activation", nn_range_activation(&range));
	err = nn_build_broadcast(&import->builder, import->now->op->becomes, operands, 2, attrs,
				 count, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* XNNPACK has up to 6 dimensions; other kernels round in another way. */
static int need_xnnpack_rank(struct tflite_import *import)
{
	uint32_t rank = import->tensors[import->now->outputs[0]].rank;

	if (rank <= 6)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its output has %" PRIu32 " dimensions; nnloop knows up to 6", rank);
}

/* ADD, SUB. */
int tflite_lower_sum(struct tflite_import *import)
{
	struct two two;
	int err;

	if (tflite_is_plain(import))
		return lower_plain(import, import->now->option[0]);
	if (tflite_is_int16(import, 0))
		return tflite_lower_add_int16(import, !strcmp(import->now->op->becomes, "Sub"));
	err = read_two(import, &two);
	if (!err)
		err = need_xnnpack_rank(import);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = need_ratio(import, two.quants[i]->scale / two.output.scale, 0x1p-10f);
	return err ? err : lower_two(import, &two, "half_up", import->now->option[0]);
}

/* To the nearest stored integer, ties to even. */
static int64_t compute_square(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	float x = (float)q * from->scale;

	return (int64_t)rintf(x * x * (1 / to->scale) + (float)to->zero_point) - to->zero_point;
}

/* Lowers MUL of a tensor by itself, of which XNNPACK makes a function of one element. */
static int lower_square(struct tflite_import *import, const struct two *two)
{
	struct nn_range range = tflite_activation_range(import->now->option[0]);
	struct nn_build_tensor made;
	int err = tflite_need_range(import, &range, &two->output);

	if (!err)
		err = tflite_build_table(import, two->operands[0].tensor, compute_square,
					 &two->output, &made);
	if (!err && nn_range_is_bounded(&range))
		err = nn_build_clamp(&import->builder, &made, &range, &two->output, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_mul(struct tflite_import *import)
{
	struct two two;
	int err;

	if (tflite_is_plain(import))
		return lower_plain(import, import->now->option[0]);
	if (tflite_is_int16(import, 0))
		return lower_wide(import, import->now->option[0]);
	err = read_two(import, &two);
	if (!err)
		err = need_xnnpack_rank(import);
	if (!err)
		err = need_ratio(import,
				 two.quants[0]->scale * two.quants[1]->scale / two.output.scale,
				 0x1p-16f);
	if (!err && two.operands[0].tensor && import->now->inputs[0] == import->now->inputs[1])
		return lower_square(import, &two);
	return err ? err : lower_two(import, &two, "float32_once", import->now->option[0]);
}

/* DIV: of integers toward 0. */
int tflite_lower_div(struct tflite_import *import)
{
	if (!tflite_has_input(import, 0) ||
	    import->tensors[import->now->inputs[0]].element != NN_ELEMENT_INT32)
		return tflite_fail(import, -EOPNOTSUPP, "its inputs are not of int32");
	return lower_plain(import, import->now->option[0]);
}

/* MAXIMUM, MINIMUM: they compare the stored integers. */
int tflite_lower_extreme(struct tflite_import *import)
{
	struct two two;
	int err;

	if (tflite_is_plain(import))
		return tflite_lower_integers(import);
	if (tflite_is_int16(import, 0))
		return lower_wide(import, TFLITE_ACTIVATION_NONE);
	err = read_two(import, &two);
	if (!err && (!nn_quant_equal(two.quants[0], two.quants[1]) ||
		     !nn_quant_equal(two.quants[0], &two.output)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its inputs and its output are quantized in different ways");
	return err ? err : lower_two(import, &two, "float32", TFLITE_ACTIVATION_NONE);
}

int tflite_lower_prelu(struct tflite_import *import)
{
	struct two two;
	int err = read_two(import, &two);

	return err ? err : lower_two(import, &two, "fixed_point", TFLITE_ACTIVATION_NONE);
}

int tflite_lower_squared_difference(struct tflite_import *import)
{
	struct two two;
	int err;

	if (tflite_has_input(import, 0) &&
	    import->tensors[import->now->inputs[0]].element == NN_ELEMENT_INT32)
		return tflite_lower_plain_squared_difference(import);
	err = read_two(import, &two);
	if (!err)
		err = tflite_need_int8(import, two.output.type);
	return err ? err : lower_two(import, &two, "fixed_point", TFLITE_ACTIVATION_NONE);
}

/* Lowers BatchMatMul, with the options that transpose the one or the other. */
int tflite_lower_batch_matmul(struct tflite_import *import)
{
	struct nn_product product = {
		.transpose = { import->now->option[0], import->now->option[1] },
	};
	struct nn_build_tensor made;
	struct two two;
	int err = read_two(import, &two);

	if (!err && two.output.type != NN_INT8)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it multiplies uint8, which TensorFlow Lite does not know");
	if (err)
		return err;
	memcpy(product.operands, two.operands, sizeof(product.operands));
	/* XNNPACK multiplies by what is around 0. */
	err = nn_build_product(&import->builder, &product, NULL,
			       two.quants[1]->zero_point ? "fixed_point" : "float32_once",
			       &two.output, &made);
	return err ? err : tflite_define(import, 0, &made);
}
