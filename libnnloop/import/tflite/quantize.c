// SPDX-License-Identifier: MIT
/*
 * QUANTIZE and DEQUANTIZE. Models have float32 at their ends: an input that a QUANTIZE reads, and
 * outputs that a DEQUANTIZE makes. The graph has the integers instead, and says how they are
 * quantized: whoever calls it quantizes and dequantizes.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

static const struct tflite_tensor *find_input(struct tflite_import *import)
{
	return tflite_has_input(import, 0) ? &import->tensors[import->now->inputs[0]] : NULL;
}

/*
 * Quantizers put QUANTIZE and DEQUANTIZE into models without saying which dimensions of what these
 * make are open: those that are so of the input.
 */
static void leave_open(struct tflite_import *import)
{
	const struct tflite_tensor *input = find_input(import);
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];

	if (input && !output->has_signature && output->rank == input->rank)
		output->open |= input->open;
}

int tflite_find_input_quant(struct tflite_import *import, const struct tflite_tensor *input,
			    struct nn_quant *out)
{
	const struct tflite_operator *before = import->now;
	int32_t index = input - import->tensors;
	int err = -ENOENT;

	for (uint32_t i = 0; i < import->operator_count && err == -ENOENT; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		if (operator->is_refused || operator->code != TFLITE_CODE_QUANTIZE ||
		    operator->inputs[0] != index)
			continue;
		import->now = operator;
		err = tflite_output_quant(import, 0, out);
	}
	import->now = before;
	return err;
}

/*
 * The same real in another quantization of the same type, as XNNPACK has it, whose ratio has 8 bits
 * of fraction, and ties go up; by other ratios as below.
 */
static int64_t requantize_same_type(int32_t q, const struct nn_quant *from,
				    const struct nn_quant *to)
{
	return (q * (int64_t)rintf(256 * (from->scale / to->scale)) + 128) >> 8;
}

static bool has_xnnpack_ratio(const struct nn_quant *from, const struct nn_quant *to)
{
	float ratio = from->scale / to->scale;

	return from->type == to->type && ratio >= 0x1p-8f && ratio <= 0x1p7f;
}

/* The same real in another quantization: in integers, by a ratio in double, rounded twice. */
static int64_t requantize(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	return nn_fixed_multiply(q, nn_pack_fixed((double)from->scale / to->scale));
}

int32_t tflite_quantize_real(float real, const struct nn_quant *quant)
{
	float value = rintf(real * (1 / quant->scale)) + quant->zero_point;
	int32_t min, max;

	nn_type_range(quant->type, &min, &max);
	/* What is no number becomes 0. */
	if (isnan(value))
		value = quant->zero_point;
	return (int32_t)fminf(fmaxf(value, min), max);
}

/* Lowers QUANTIZE of what each integer of a real tensor stands for to a table. */
static int lower_table(struct tflite_import *import, const struct tflite_tensor *input,
		       const struct nn_quant *quant, struct nn_build_tensor *made)
{
	uint32_t count = tflite_count_integers(input), sets = input->reals ? input->real_sets : 1;
	bool is_wide = quant->type == NN_INT16 || count > 256;
	uint8_t *bytes;
	int16_t *words;

	if (!isfinite(1 / quant->scale))
		return tflite_fail(import, -EOPNOTSUPP, "the scale of its output is too small");
	words = is_wide && sets == 1 && count > 256 ?
			tflite_begin_wide_table(import) :
			tflite_alloc(import, (size_t)sets * count, sizeof(*words));
	bytes = (uint8_t *)words;
	if (!words)
		return tflite_failed(import);
	/* A table for a single set has words where either is of int16; else they are as the results. */
	if (sets > 1)
		is_wide = quant->type == NN_INT16;
	for (uint32_t i = 0; i < sets * count; i++) {
		int32_t value = tflite_quantize_real(tflite_read_real(input, i / count, i % count), quant);

		if (is_wide)
			words[i] = (int16_t)value;
		else
			bytes[i] = (uint8_t)value;
	}
	return tflite_build_sets(import, input, words, quant, made);
}

/* Quantizes a real tensor that is filled with a number. */
static int quantize_filled(struct tflite_import *import, const struct tflite_tensor *input)
{
	struct nn_quant quant;
	int err = tflite_output_quant(import, 0, &quant);

	if (!err)
		err = tflite_need_shape(import, input->rank, input->dims, "its input");
	if (err)
		return err;
	if ((!nn_type_is_8bit(quant.type) && quant.type != NN_INT16) || !isfinite(1 / quant.scale))
		return tflite_fail(import, -EOPNOTSUPP, "it makes %s",
				   nn_data_type_name(quant.type));
	tflite_define_filled(import, tflite_quantize_real(input->real_filler, &quant));
	return 0;
}

/* Lowers Quantize of int16 to int32, which are as many integers as the input has. */
static int lower_to_sums(struct tflite_import *import, const struct nn_build_tensor *x,
			 const struct nn_quant *quant, struct nn_build_tensor *made)
{
	struct nn_build_tensor input = *x;
	struct tflite_tensor all = { .made = &input, .real_sets = 1 };
	uint32_t count = tflite_count_integers(&all);
	int32_t *table = tflite_alloc(import, count, sizeof(*table));
	struct nn_fixed by = nn_pack_fixed((double)x->quant.scale / quant->scale);
	int32_t min, max;

	if (!table)
		return -ENOMEM;
	nn_type_range(x->quant.type, &min, &max);
	for (int32_t i = min; i <= max; i++) {
		int64_t y = nn_fixed_multiply(i - x->quant.zero_point, by) +
			    (int64_t)quant->zero_point;

		table[i & (count - 1)] = y < INT32_MIN ? INT32_MIN : y > INT32_MAX ? INT32_MAX : y;
	}
	return tflite_build_sets(import, &all, table, quant, made);
}

/* Lowers Quantize of int32: one scale for each index of the last dimension, which are all the same. */
static int lower_sums(struct tflite_import *import, const struct nn_build_tensor *x,
		      const struct nn_quant *quant, struct nn_build_tensor *made)
{
	const struct nn_attr sub = { .name = "function", .type = NN_ATTR_STRING, .string = "sub" };
	const struct nn_quant plain = { .type = NN_INT32, .scale = x->quant.scale };
	struct nn_fixed by = nn_pack_fixed((double)x->quant.scale / quant->scale);
	uint32_t channels = x->dims[x->rank - 1];
	struct nn_tensor_info info = { .type = NN_INT32, .rank = 2, .dims = { channels, 2 } };
	struct nn_operand operands[2] = { { .tensor = x } };
	struct nn_build_tensor inputs[2] = { *x };
	int32_t *scales;
	int err = 0;

	if (x->rank < 2)
		return tflite_fail(import, -EOPNOTSUPP, "its input has no dimension but the batch");
	scales = tflite_alloc(import, 2ull * channels, sizeof(*scales));
	if (!scales)
		return -ENOMEM;
	for (uint32_t i = 0; i < channels; i++) {
		scales[2 * i] = by.multiplier;
		scales[2 * i + 1] = by.exponent;
	}
	err = nn_number_operand(&import->builder, x->quant.zero_point, &plain, &operands[1]);
	if (!err)
		err = nn_build_broadcast(&import->builder, "Integers", operands, 2, &sub, 1, &plain,
					 &inputs[0]);
	if (!err)
		err = nn_build_const(&import->builder, &info, scales, &inputs[1]);
	return err ? err :
		     nn_build_node(&import->builder, "Rescale", inputs, 2, NULL, 0, quant, made);
}

/*
 * Whether TensorFlow Lite's kernel knows it; also of int16 with another zero point than 0, which
 * nnloop knows where it becomes int32.
 */
static bool knows(const struct nn_quant *from, const struct nn_quant *to)
{
	if (to->type == NN_INT32)
		return from->type == NN_INT16;
	if ((from->type == NN_INT16 && from->zero_point) ||
	    (to->type == NN_INT16 && to->zero_point))
		return false;
	if (from->type == NN_INT16 || from->type == NN_INT32)
		return to->type == NN_INT8 || to->type == NN_INT16;
	return nn_type_is_8bit(to->type) || to->type == NN_INT16;
}

/* Lowers Quantize from or to more than 8 bits: a multiplier of 31 bits, and two roundings. */
static int lower_wide(struct tflite_import *import, const struct nn_build_tensor *x,
		      const struct nn_quant *quant)
{
	struct tflite_wide_rescale rescale = { .low = INT32_MIN, .high = INT32_MAX };
	struct nn_build_tensor made = *x;
	int err = 0;

	if (!knows(&x->quant, quant))
		return tflite_fail(import, -EOPNOTSUPP,
				   "it makes %s of %s; nnloop knows int8 and int16 of int16 and int32, "
				   "int16 of 8 bits, and int32 of int16, where int16 has zero point 0 "
				   "unless it becomes int32",
				   nn_data_type_name(quant->type), nn_data_type_name(x->quant.type));
	rescale.ratio = (double)x->quant.scale / quant->scale;
	if (!(rescale.ratio < 0x1p15))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scale is 2^15 times its output scale, or more");
	if (quant->type == NN_INT32)
		err = lower_to_sums(import, x, quant, &made);
	else if (x->quant.type == NN_INT32)
		err = lower_sums(import, x, quant, &made);
	else if (!nn_quant_equal(quant, &x->quant))
		err = tflite_build_wide_rescale(import, x, &rescale, quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* Lowers QUANTIZE of what was computed in float32. */
static int lower_floats(struct tflite_import *import, const struct nn_build_tensor *x)
{
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err = tflite_output_quant(import, 0, &quant);

	if (!err && ((!nn_type_is_8bit(quant.type) && quant.type != NN_INT16) || !quant.scale))
		err = tflite_fail(import, -EOPNOTSUPP, "it makes %s of float32%s",
				  nn_data_type_name(quant.type),
				  quant.scale ? "" : " without a scale");
	if (!err)
		err = tflite_quantize_floats(import, x, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static bool is_wide(const struct nn_quant *quant)
{
	return quant->type == NN_INT16 || quant->type == NN_INT32;
}

bool tflite_rescale_number(const struct nn_quant *from, const struct nn_quant *to, int64_t *number)
{
	int64_t q = *number - from->zero_point;
	int32_t min, max;

	if (from->type == NN_INT16 && to->type == NN_INT16 && !from->zero_point && !to->zero_point &&
	    from->scale / to->scale < 0x1p15f)
		q = requantize(q, from, to);
	else if (nn_type_is_8bit(from->type) && has_xnnpack_ratio(from, to))
		q = requantize_same_type(q, from, to);
	else
		return false;
	nn_type_range(to->type, &min, &max);
	q += to->zero_point;
	*number = q < min ? min : q > max ? max : q;
	return true;
}

/* The input of integers that have a scale. */
static const struct nn_build_tensor *get_scaled(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);

	if (!x || (x->quant.scale && (nn_type_is_8bit(x->quant.type) || is_wide(&x->quant))))
		return x;
	tflite_fail(import, -EOPNOTSUPP,
		    "its input %s is of %s%s; nnloop knows it for 8 bits, int16 and int32",
		    tflite_quote(import, x->name), nn_data_type_name(x->quant.type),
		    x->quant.scale ? "" : " without a scale");
	return NULL;
}

int tflite_lower_quantize(struct tflite_import *import)
{
	const struct tflite_tensor *input = find_input(import);
	const struct nn_build_tensor *x;
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	leave_open(import);
	if (input && input->is_constant && input->is_worked_out)
		return tflite_quantize_constant(import);
	if (input && input->is_real && input->is_filled)
		return quantize_filled(import, input);
	if (input && input->made && !input->is_real && input->made->quant.type == NN_FLOAT32)
		return lower_floats(import, input->made);
	x = input && input->is_real ? input->made : get_scaled(import);
	if (!x)
		return tflite_failed(import);
	err = tflite_output_quant(import, 0, &quant);
	if (!err && !quant.scale)
		err = tflite_fail(import, -EOPNOTSUPP, "its output has no scale");
	if (!err && !input->is_real && (is_wide(&x->quant) || is_wide(&quant)))
		return lower_wide(import, x, &quant);
	if (!err && ((!nn_type_is_8bit(quant.type) && quant.type != NN_INT16) ||
		     (!nn_type_is_8bit(x->quant.type) && x->quant.type != NN_INT16) ||
		     (quant.type == NN_INT16 && quant.zero_point)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it makes %s of %s; nnloop knows it for 8 bits, and int16 around 0",
				  nn_data_type_name(quant.type), nn_data_type_name(x->quant.type));
	if (err)
		return err;
	made = *x;
	/* The quantization is that of the model's input, or of what was dequantized. */
	if (!input->reals && nn_quant_equal(&quant, &x->quant))
		return tflite_define(import, 0, &made);
	if (!input->is_real)
		err = has_xnnpack_ratio(&x->quant, &quant) ?
			      tflite_build_table(import, x, requantize_same_type, &quant, &made) :
			      tflite_build_requantized(import, x, requantize, &quant, &made);
	else if (input->is_unrounded)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it quantizes the model's input %s, which another QUANTIZE does in another way",
				  tflite_quote(import, input->name));
	else
		err = lower_table(import, input, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* Weights in 16 bits, or in 8, for operators of float32. */
static bool input_is_constant(const struct tflite_import *import)
{
	return tflite_has_input(import, 0) && import->tensors[import->now->inputs[0]].is_constant;
}

int tflite_lower_dequantize(struct tflite_import *import)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	const struct nn_build_tensor *x;
	int err;

	if (input_is_constant(import))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input is a constant, to compute with in float32; nnloop "
				   "computes with integers" QUANTIZE_ALL);
	leave_open(import);
	x = tflite_item_input(import, 0, false);
	if (!x)
		return tflite_failed(import);
	if (!x->quant.scale || x->quant.type == NN_INT32)
		return tflite_fail(import, -EOPNOTSUPP, "its input is of %s%s",
				   nn_data_type_name(x->quant.type),
				   x->quant.scale ? "" : " without a scale");
	if (output->element != NN_ELEMENT_FLOAT)
		return tflite_fail(import, -EINVAL, "it makes %s", tflite_type_name(output->type));
	if (import->tensors[import->now->inputs[0]].is_item)
		err = tflite_define_item(import, 0, x);
	else
		err = tflite_define(import, 0, x);
	output->is_real = !err;
	return err;
}
