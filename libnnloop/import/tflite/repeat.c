// SPDX-License-Identifier: MIT
/*
 * Constants that a model has once for each item, such as a transformer's class token: what a
 * BROADCAST_TO makes of one is a constant as well, and CONCATENATION puts constants beside tensors.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* The dimensions that input 1 says, of which the last ones are x's, or 1 there. */
static int read_shape(struct tflite_import *import, const struct nn_const *x, uint32_t *rank,
		      uint32_t dims[NN_MAX_RANK])
{
	const struct nn_const *numbers = tflite_ints_input(import, 1);

	if (!numbers)
		return tflite_failed(import);
	if (numbers->count < x->rank || numbers->count > NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it has %" PRIu64 " numbers for %" PRIu32 " dimensions",
				   numbers->count, x->rank);
	*rank = numbers->count;
	for (uint32_t i = 0; i < *rank; i++) {
		int64_t number = nn_const_int(numbers, i);
		uint32_t from = i + x->rank < *rank ? 1 : x->dims[i + x->rank - *rank];

		if (number < 1 || number > INT32_MAX || (from != 1 && number != from))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its number for dimension %" PRIu32 " is %" PRId64
					   ", and its constant has %" PRIu32, i, number, from);
		dims[i] = number;
	}
	return 0;
}

int tflite_broadcast_constant(struct tflite_import *import)
{
	const struct tflite_tensor *input = &import->tensors[import->now->inputs[0]];
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	const struct nn_const *x = &input->constant;
	struct nn_const made = { .element = x->element, .count = 1 };
	const uint32_t size = nn_element_size(x->element);
	struct nn_quant from, to;
	uint8_t *data;
	int err = read_shape(import, x, &made.rank, made.dims);

	if (!err)
		err = tflite_tensor_quant(import, input, &from);
	if (!err)
		err = tflite_tensor_quant(import, output, &to);
	if (!err && (output->element != input->element || !nn_quant_equal(&from, &to)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its output is quantized in another way than its input");
	for (uint32_t i = 0; i < made.rank && !err; i++) {
		made.count *= made.dims[i];
		err = tflite_make_numbers(import, i + 1 < made.rank ? 0 : made.count);
		if (!err && made.count > INT32_MAX)
			err = tflite_fail(import, -EOPNOTSUPP, "its output is too large");
	}
	if (!err)
		err = tflite_need_shape(import, made.rank, made.dims, "it says");
	if (err)
		return err;
	data = nn_builder_alloc_kept(&import->builder, made.count, size);
	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < made.count; i++)
		memcpy(data + i * size,
		       (const uint8_t *)x->data +
			       nn_broadcast_place(x->rank, x->dims, made.rank, made.dims, i) * size,
		       size);
	made.data = data;
	output->constant = made;
	output->is_constant = output->is_worked_out = true;
	return 0;
}

/* ---- QUANTIZE of that ---- */

int tflite_quantize_constant(struct tflite_import *import)
{
	const struct tflite_tensor *input = &import->tensors[import->now->inputs[0]];
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	const struct nn_const *x = &input->constant;
	uint8_t *data = nn_builder_alloc_kept(&import->builder, x->count, sizeof(int16_t));
	const bool is_real = x->element == NN_ELEMENT_FLOAT;
	struct nn_quant quant, from = { 0 };
	uint32_t size;
	int err = tflite_output_quant(import, 0, &quant);

	if (!err && !is_real)
		err = tflite_tensor_quant(import, input, &from);
	if (!err && ((!nn_type_is_8bit(quant.type) && quant.type != NN_INT16) || quant.scales))
		err = tflite_fail(import, -EOPNOTSUPP, "it makes %s of a constant",
				  nn_data_type_name(quant.type));
	if (err)
		return err;
	if (!data)
		return -ENOMEM;
	size = nn_data_type_size(quant.type);
	err = tflite_need_shape(import, x->rank, x->dims, "its input");
	if (err)
		return err;
	for (uint64_t i = 0; i < x->count; i++) {
		int64_t q = is_real ? tflite_quantize_real(nn_const_float(x, i), &quant) :
				      nn_const_int(x, i);

		if (!is_real && !tflite_rescale_number(&from, &quant, &q))
			return tflite_fail(import, -EOPNOTSUPP,
					   "it makes %s of a constant of %s, with scales %g and %g",
					   nn_data_type_name(quant.type), nn_data_type_name(from.type),
					   (double)from.scale, (double)quant.scale);
		memcpy(data + i * size, &q, size); /* the low bytes come first */
	}
	output->constant = *x;
	output->constant.element = (enum nn_element)quant.type;
	output->constant.data = data;
	output->is_constant = output->is_worked_out = true;
	return 0;
}

/* ---- Parts of CONCATENATION ---- */

bool tflite_is_constant_part(const struct tflite_import *import, uint32_t i)
{
	return tflite_has_input(import, i) && import->tensors[import->now->inputs[i]].is_constant;
}

int tflite_repeat_part(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *like,
		       int64_t axis, struct nn_build_tensor *out)
{
	struct nn_operand operands[3] = { 0 };
	struct nn_build_tensor part;
	const struct nn_quant *quant;
	int err = tflite_real_parameter_input(import, i, &operands[2].constant);

	if (err)
		return err;
	quant = operands[2].constant.quant;
	if (!nn_quant_equal(quant, &like->quant))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input %" PRIu32 " is a constant that is quantized in another "
				   "way than the tensors beside it", i);
	axis += axis < 0 ? like->rank : 0;
	if (axis < 1 || axis >= like->rank || operands[2].constant.values->rank != like->rank)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input %" PRIu32 " is a constant, and goes along dimension "
				   "%" PRId64, i, axis);
	operands[1].tensor = &part;
	err = nn_build_slice(&import->builder, like, axis, 0, 1, &part);
	if (!err)
		err = nn_number_operand(&import->builder, 0, &nn_quant_truth, &operands[0]);
	return err ? err : nn_build_whole_broadcast(&import->builder, "Select", operands, 3, NULL, 0,
						    quant, out);
}
