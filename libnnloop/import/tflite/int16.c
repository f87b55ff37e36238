// SPDX-License-Identifier: MIT
/*
 * The import of int16 tensors, as far as it is different: they are quantized around 0, weights stay
 * int8, and TensorFlow Lite's own kernels compute it, as XNNPACK has nothing for 16 bits.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

enum add_option { ADD_ACTIVATION, ADD_SHIFT };

bool tflite_is_int16(const struct tflite_import *import, uint32_t i)
{
	return tflite_has_input(import, i) &&
	       import->tensors[import->now->inputs[i]].element == NN_ELEMENT_INT16;
}

int tflite_wide_output_quant(struct tflite_import *import, const struct nn_build_tensor *x,
			     struct nn_quant *out)
{
	int err = tflite_output_quant(import, 0, out);

	if (err || (x->quant.type != NN_INT16 && out->type != NN_INT16))
		return err;
	if (out->type != x->quant.type)
		return tflite_fail(import, -EOPNOTSUPP, "its output is of %s, and its input of %s",
				   nn_data_type_name(out->type), nn_data_type_name(x->quant.type));
	if (out->zero_point)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its output is of int16, which needs zero point 0");
	return 0;
}

int tflite_need_wide_activation(struct tflite_import *import, const struct nn_range *range)
{
	if (!nn_range_is_bounded(range) || nn_range_activation(range))
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "of int16, nnloop knows the activations RELU and RELU6 only");
}

int tflite_wide_operand_input(struct tflite_import *import, uint32_t i, struct nn_operand *out)
{
	const struct nn_quant *quant;
	int err;

	if (!tflite_is_int16(import, i))
		return tflite_fail(import, -EOPNOTSUPP,
				   "one of its inputs is of int16, and the other is not");
	err = tflite_stored_operand_input(import, i, out);
	if (err)
		return err;
	quant = nn_operand_quant(out);
	if (quant->scales || !(quant->scale > 0) || quant->zero_point)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its inputs of int16 must have one scale, and zero point 0");
	return 0;
}

static int limit_by(struct tflite_import *import, const char *op, int32_t limit,
		    struct nn_build_tensor *made)
{
	struct nn_build_tensor from = *made;
	struct nn_operand operands[2] = { { .tensor = &from } };
	int err = nn_number_operand(&import->builder, limit, &from.quant, &operands[1]);

	return err ? err :
		     nn_build_broadcast(&import->builder, op, operands, 2, NULL, 0, &from.quant,
					made);
}

int tflite_limit_wide(struct tflite_import *import, const struct nn_range *range,
		      struct nn_build_tensor *made)
{
	float low = roundf(range->low / made->quant.scale);
	float high = roundf(range->high / made->quant.scale);
	int err = 0;

	if (low > INT16_MIN)
		err = limit_by(import, "Maximum", (int32_t)low, made);
	if (!err && high < INT16_MAX)
		err = limit_by(import, "Minimum", (int32_t)high, made);
	return err;
}

/* ---- Sums ---- */

/* A constant of int16, as a row with the dimensions behind leading ones. */
static int build_constant(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .type = NN_INT16, .rank = 1, .dims = { 1 } };
	struct nn_parameter parameter;
	const struct nn_const *values;
	uint32_t first = 0;
	int err = tflite_parameter_input(import, i, &parameter);

	if (err)
		return err;
	values = parameter.values;
	if (parameter.quant->scales || !(parameter.quant->scale > 0) || parameter.quant->zero_point)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its constant must have one scale, and zero point 0");
	while (first < values->rank && values->dims[first] == 1)
		first++;
	if (values->rank - first >= NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP, "its constant has too many dimensions");
	for (; first < values->rank; first++)
		info.dims[info.rank++] = values->dims[first];
	info.name = parameter.name;
	info.scale = parameter.quant->scale;
	err = nn_build_const(&import->builder, &info, values->data, out);
	out->name = parameter.name;
	out->rank = info.rank;
	out->quant = *parameter.quant;
	memcpy(out->dims, info.dims, sizeof(out->dims));
	return err;
}

/*
 * An operand that is filled with 0, which adds nothing: of the other one's scale, as its own can be
 * too small for any multiplier.
 */
static int build_zero(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct nn_build_tensor *other = tflite_quantized_input(import, !i);
	static const int16_t zero;
	struct nn_tensor_info info = { .type = NN_INT16, .rank = 1, .dims = { 1 } };

	if (!other)
		return tflite_failed(import);
	info.scale = other->quant.scale;
	if (nn_build_const(&import->builder, &info, &zero, out))
		return tflite_failed(import);
	out->rank = info.rank;
	memcpy(out->dims, info.dims, sizeof(out->dims));
	out->quant = other->quant;
	return 0;
}

static int read_operand(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct tflite_tensor *filled = tflite_filled_input(import, i);
	const struct nn_build_tensor *x;

	if (filled && !filled->is_real && !filled->filler && !tflite_filled_input(import, !i) &&
	    tflite_is_int16(import, 0) && tflite_is_int16(import, 1))
		return build_zero(import, i, out);
	if (!tflite_is_int16(import, i))
		return tflite_fail(import, -EOPNOTSUPP,
				   "one of its inputs is of int16, and the other is not");
	if (import->tensors[import->now->inputs[i]].is_constant)
		return build_constant(import, i, out);
	x = tflite_quantized_input(import, i);
	if (!x)
		return tflite_failed(import);
	*out = *x;
	return 0;
}

/* Whether the dimensions of `part` behind the batch and ones are the last ones of `whole`. */
static bool is_end_of(const struct nn_build_tensor *part, const struct nn_build_tensor *whole)
{
	uint32_t first = 1, count;

	while (first < part->rank && part->dims[first] == 1)
		first++;
	count = part->rank - first;
	return count < whole->rank && !memcmp(&part->dims[first], &whole->dims[whole->rank - count],
					      count * sizeof(*part->dims));
}

/*
 * Repeats the elements of `part` so that its dimensions from the first that is not 1 on are those of
 * `whole`. One that would become as large as that is left as it is: other arithmetic adds these.
 */
static int lengthen(struct tflite_import *import, const struct nn_build_tensor *whole,
		    struct nn_build_tensor *part)
{
	const struct nn_build_tensor from = *part;
	uint32_t dims[NN_MAX_RANK], first = 1, outer = 1;

	if (part->rank != whole->rank || is_end_of(part, whole))
		return 0;
	for (; first < part->rank && part->dims[first] == 1; first++)
		outer *= whole->dims[first];
	memcpy(dims, part->dims, sizeof(dims));
	for (uint32_t i = first; i < part->rank; i++) {
		if (part->dims[i] != 1 && part->dims[i] != whole->dims[i])
			return 0;
		dims[i] = whole->dims[i];
	}
	return outer == 1 ? 0 : nn_build_expand(&import->builder, &from, dims, part);
}

int tflite_lower_add_int16(struct tflite_import *import, bool subtract)
{
	struct nn_range range = tflite_activation_range(import->now->option[ADD_ACTIVATION]);
	struct nn_attr attrs[3] = {
		{ .name = "subtract", .type = NN_ATTR_INT, .i = subtract },
		{ .name = "shift", .type = NN_ATTR_INT, .i = import->now->option[ADD_SHIFT] },
	};
	struct nn_build_tensor x[2], made;
	const struct nn_build_tensor *whole = &x[0];
	struct nn_quant quant;
	uint32_t count = 2;
	int err = tflite_need_wide_activation(import, &range);

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = read_operand(import, i, &x[i]);
	if (!err)
		err = tflite_wide_output_quant(import, &x[0], &quant);
	if (err)
		return err;
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = lengthen(import, &x[!i], &x[i]);
	if (err)
		return err;
	if (import->tensors[import->now->inputs[0]].is_constant || !is_end_of(&x[1], &x[0]))
		whole = &x[1];
	/* A batch that is not 1 is not left out of the other's dimensions. */
	if (!is_end_of(whole == x ? &x[1] : &x[0], whole) ||
	    (!import->one_is_batch && x[0].rank != x[1].rank))
		return tflite_fail(import, -EOPNOTSUPP,
				   "of int16, nnloop knows operands of one shape, or of which one "
				   "has the last dimensions of the other, or repeats in them");
	nn_add_string(attrs, &count, "activation", nn_range_activation(&range));
	err = nn_build_node(&import->builder, "AddInt16", x, 2, attrs, count, &quant, &made);
	if (err)
		return err;
	made.rank = whole->rank;
	memcpy(made.dims, whole->dims, sizeof(made.dims));
	return tflite_define(import, 0, &made);
}
