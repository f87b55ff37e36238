// SPDX-License-Identifier: MIT
/*
 * Shapes that are known when a model is imported: SHAPE, and what operators make of numbers that
 * are constants, or were worked out before. Converters write such chains where the batch varies.
 * They are worked out for one item, for which the model was made, and become constants.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* The limit makes sure that a small file cannot take much memory. */
#define MOST_NUMBERS 1024
#define MOST_IN_ALL (1 << 20)

static bool is_number_type(enum nn_element element)
{
	return element == NN_ELEMENT_INT32 || element == NN_ELEMENT_INT64;
}

static const struct tflite_tensor *get_output(const struct tflite_import *import)
{
	return &import->tensors[import->now->outputs[0]];
}

static const struct nn_const *get_numbers(const struct tflite_import *import, uint32_t i)
{
	return &import->tensors[import->now->inputs[i]].constant;
}

bool tflite_is_known(const struct tflite_import *import)
{
	if (!import->now->op->compute)
		return false;
	for (uint32_t i = 0; i < import->now->input_count; i++) {
		const struct tflite_tensor *tensor = NULL;

		if (tflite_has_input(import, i))
			tensor = &import->tensors[import->now->inputs[i]];
		if (!tensor || !tensor->is_constant || !is_number_type(tensor->element))
			return false;
	}
	return true;
}

int tflite_make_numbers(struct tflite_import *import, uint64_t count)
{
	import->made_numbers += count;
	if (import->made_numbers <= MOST_IN_ALL)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "the model has more than %d numbers that are made while it is imported",
			   MOST_IN_ALL);
}

/* ---- Results ---- */

/* Numbers of one dimension, or with rank 0 a single one. */
struct numbers {
	uint32_t rank;
	uint64_t count;
	int64_t values[MOST_NUMBERS];
};

static int need_count(struct tflite_import *import, uint64_t count)
{
	if (count && count <= MOST_NUMBERS)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "it makes %" PRIu64 " numbers while the model is imported; nnloop knows "
			   "1 to %d", count, MOST_NUMBERS);
}

/* Output 0 is these numbers, with the dimensions that the file gives it. */
static int define_values(struct tflite_import *import, const int64_t *values, uint64_t count)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	uint32_t size = nn_element_size(output->element);
	int64_t low = output->element == NN_ELEMENT_INT64 ? INT64_MIN : INT32_MIN;
	int64_t high = output->element == NN_ELEMENT_INT64 ? INT64_MAX : INT32_MAX;
	uint64_t elements = 1;
	uint8_t *data;

	if (!is_number_type(output->element))
		return tflite_fail(import, -EOPNOTSUPP,
				   "it makes %s while the model is imported; nnloop knows int32 and "
				   "int64", tflite_type_name(output->type));
	if (output->made || output->is_constant)
		return tflite_fail(import, -EINVAL, "tensor %s is made twice",
				   tflite_quote(import, output->name));
	if (output->rank == 1 && output->open)
		output->dims[0] = count;
	for (uint32_t i = 0; i < output->rank && elements <= MOST_NUMBERS; i++)
		elements *= output->dims[i];
	if (elements != count)
		return tflite_fail(import, -EINVAL,
				   "it makes %" PRIu64 " numbers, and the file says %s%" PRIu64, count,
				   elements > MOST_NUMBERS ? "at least " : "", elements);
	if (tflite_make_numbers(import, count))
		return tflite_failed(import);
	data = nn_builder_alloc_kept(&import->builder, count, size);
	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		if (values[i] < low || values[i] > high)
			return tflite_fail(import, -EOPNOTSUPP, "it makes %" PRId64 ", which is no %s",
					   values[i], tflite_type_name(output->type));
		memcpy(data + i * size, &values[i], size); /* the low bytes come first */
	}
	output->is_constant = output->is_worked_out = true;
	output->constant = (struct nn_const){
		.element = output->element, .rank = output->rank, .count = count, .data = data,
	};
	memcpy(output->constant.dims, output->dims, sizeof(output->dims));
	return 0;
}

int tflite_compute(struct tflite_import *import)
{
	struct numbers numbers = { .rank = 1 };
	int err = import->now->op->compute(import, &numbers);

	if (!err)
		err = need_count(import, numbers.count);
	if (!err && get_output(import)->rank != numbers.rank)
		err = tflite_fail(import, -EINVAL,
				  "it makes %" PRIu32 " dimensions, and its output has %" PRIu32,
				  numbers.rank, get_output(import)->rank);
	return err ? err : define_values(import, numbers.values, numbers.count);
}

int tflite_lower_known(struct tflite_import *import)
{
	return tflite_fail(import, -EOPNOTSUPP,
			   "its inputs are not all constants of int32 or int64, or numbers that follow "
			   "from shapes");
}

/* Checks that all inputs are of the output's type. */
static int need_one_type(struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->now->input_count; i++) {
		if (get_numbers(import, i)->element != get_output(import)->element)
			return tflite_fail(import, -EINVAL,
					   "its inputs and its output are of different types");
	}
	return 0;
}

/* Input i, of one dimension or none. */
static int read_numbers(struct tflite_import *import, uint32_t i, struct numbers *out)
{
	const struct nn_const *numbers = get_numbers(import, i);
	int err = need_count(import, numbers->count);

	if (!err && numbers->rank > 1)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it computes %" PRIu32 " dimensions of numbers while the model is "
				  "imported; nnloop knows one", numbers->rank);
	if (err)
		return err;
	out->rank = numbers->rank;
	out->count = numbers->count;
	for (uint64_t k = 0; k < numbers->count; k++)
		out->values[k] = nn_const_int(numbers, k);
	return 0;
}

/* Input i, a single number. */
static int read_number(struct tflite_import *import, uint32_t i, int64_t *out)
{
	const struct nn_const *number = get_numbers(import, i);

	if (number->count != 1)
		return tflite_fail(import, -EINVAL, "its input %" PRIu32 " is %" PRIu64
				   " numbers, not one", i, number->count);
	*out = nn_const_int(number, 0);
	return 0;
}

/* ---- Shapes ---- */

/* The file's shape, which is that of one item: what comes of it is for each item the same. */
int tflite_lower_shape(struct tflite_import *import)
{
	const struct tflite_tensor *x, *output = get_output(import);
	int64_t dims[NN_MAX_RANK];

	if (!tflite_has_input(import, 0))
		return tflite_fail(import, -EINVAL, "its input 0 is left out");
	x = &import->tensors[import->now->inputs[0]];
	if (!x->made && !x->is_constant)
		return tflite_fail(import, -EINVAL,
				   "its input %s is made by an operator that comes later, or by none",
				   tflite_quote(import, x->name));
	if (x->made && x->made->dims[0] == NN_ROWS && !import->one_is_batch)
		return tflite_fail(import, -EOPNOTSUPP,
				   "dimension 0 of its input %s varies, and is not 1 in the file",
				   tflite_quote(import, x->name));
	if (import->now->option[0] != output->type || !x->rank || output->rank != 1)
		return tflite_fail(import, -EINVAL,
				   "its option out_type says another type than that of its output, or "
				   "its output is no shape");
	for (uint32_t i = 0; i < x->rank; i++)
		dims[i] = x->dims[i];
	return define_values(import, dims, x->rank);
}

/* ---- Parts, and the same in other dimensions ---- */

/* RESHAPE, SQUEEZE, EXPAND_DIMS: the file says the dimensions. CAST. */
int tflite_compute_same(struct tflite_import *import, struct numbers *out)
{
	int err = read_numbers(import, 0, out);

	out->rank = get_output(import)->rank;
	if (!err && out->rank > 1)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it makes %" PRIu32 " dimensions of numbers while the model is "
				  "imported; nnloop knows one", out->rank);
	return err;
}

int tflite_compute_pack(struct tflite_import *import, struct numbers *out)
{
	uint32_t count = import->now->input_count;
	int64_t axis = import->now->option[1];
	int err = need_count(import, count);

	if (!err)
		err = need_one_type(import);
	if (!err && (import->now->option[0] != count || (axis && axis != -1)))
		err = tflite_fail(import, -EINVAL,
				  "its option values_count is not %" PRIu32 ", or its axis is not 0",
				  count);
	for (uint32_t i = 0; i < count && !err; i++) {
		if (get_numbers(import, i)->rank)
			err = tflite_fail(import, -EOPNOTSUPP,
					  "it packs more than single numbers while the model is "
					  "imported");
		else
			err = read_number(import, i, &out->values[i]);
	}
	out->count = count;
	return err;
}

int tflite_compute_concatenation(struct tflite_import *import, struct numbers *out)
{
	int64_t axis = import->now->option[0];
	int err = need_one_type(import);

	if (!err && axis && axis != -1)
		err = tflite_fail(import, -EINVAL, "its axis %" PRId64 " is not 0", axis);
	for (uint32_t i = 0; i < import->now->input_count && !err; i++) {
		const struct nn_const *part = get_numbers(import, i);

		if (part->rank != 1)
			err = tflite_fail(import, -EOPNOTSUPP,
					  "it joins %" PRIu32 " dimensions of numbers while the model "
					  "is imported; nnloop knows one", part->rank);
		else
			err = need_count(import, out->count + part->count);
		for (uint64_t k = 0; k < part->count && !err; k++)
			out->values[out->count++] = nn_const_int(part, k);
	}
	return err;
}

/* Computes STRIDED_SLICE of numbers in one dimension, by one entry. */
int tflite_compute_strided_slice(struct tflite_import *import, struct numbers *out)
{
	const int64_t *option = import->now->option;
	const struct nn_const *bounds[3], *x = get_numbers(import, 0);
	struct nn_steps steps;
	int err;

	for (uint32_t i = 0; i < 3; i++) {
		bounds[i] = get_numbers(import, i + 1);
		if (bounds[i]->count != 1 || x->rank != 1 || option[2] & 1 || option[3] & 1)
			return tflite_fail(import, -EOPNOTSUPP,
					   "it takes more than a part of one dimension while the model "
					   "is imported");
	}
	err = tflite_find_steps(import, bounds, 0, x->count, &steps);
	if (!err)
		err = need_count(import, steps.count);
	if (err)
		return err;
	out->rank = !(option[4] & 1);
	out->count = steps.count;
	for (uint32_t i = 0; i < steps.count; i++)
		out->values[i] = nn_const_int(x, steps.begin + (int64_t)i * steps.step);
	return 0;
}

int tflite_compute_slice(struct tflite_import *import, struct numbers *out)
{
	const struct nn_const *x = get_numbers(import, 0);
	int64_t begin, size;
	int err = read_number(import, 1, &begin);

	if (!err)
		err = read_number(import, 2, &size);
	if (err)
		return err;
	if (size == -1 && begin >= 0)
		size = (int64_t)x->count - begin;
	if (x->rank != 1 || begin < 0 || size < 1 || begin > (int64_t)x->count ||
	    size > (int64_t)x->count - begin)
		return tflite_fail(import, -EINVAL,
				   "it takes %" PRId64 " of %" PRIu64 " numbers from %" PRId64 " on",
				   size, x->count, begin);
	err = need_count(import, size);
	out->count = size;
	for (int64_t i = 0; i < size && !err; i++)
		out->values[i] = nn_const_int(x, begin + i);
	return err;
}

int tflite_compute_gather(struct tflite_import *import, struct numbers *out)
{
	const struct nn_const *x = get_numbers(import, 0);
	int err = read_numbers(import, 1, out);

	if (!err && (x->rank != 1 || (import->now->option[0] && import->now->option[0] != -1)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it takes from more than one dimension of numbers while the model is "
				  "imported");
	if (!err && import->now->option[1])
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its indices are a constant, and its option batch_dims is not 0");
	for (uint64_t i = 0; i < out->count && !err; i++) {
		int64_t at = out->values[i];

		if (at < 0 || at >= (int64_t)x->count)
			err = tflite_fail(import, -EINVAL, "it takes number %" PRId64 " of %" PRIu64,
					  at, x->count);
		else
			out->values[i] = nn_const_int(x, at);
	}
	return err;
}

/* ---- Arithmetic ---- */

/* Computes with numbers that fit 32 bits, so that nothing overflows; false: there is no result. */
static bool compute_one(const char *function, int64_t a, int64_t b, int64_t *out)
{
	bool inexact;

	if (a < INT32_MIN || a > INT32_MAX || b < INT32_MIN || b > INT32_MAX)
		return false;
	if (!strcmp(function, "add"))
		*out = a + b;
	else if (!strcmp(function, "sub"))
		*out = a - b;
	else if (!strcmp(function, "mul") || !strcmp(function, "prod"))
		*out = a * b;
	else if (!strcmp(function, "max"))
		*out = a > b ? a : b;
	else if (!strcmp(function, "min"))
		*out = a < b ? a : b;
	else if (!b)
		return false;
	else if (!strcmp(function, "div"))
		*out = a / b;
	else {
		inexact = a % b && (a < 0) != (b < 0);
		*out = !strcmp(function, "floor_div") ? a / b - inexact : a % b + (inexact ? b : 0);
	}
	return true;
}

static int fail_number(struct tflite_import *import, int64_t a, int64_t b)
{
	return tflite_fail(import, -EOPNOTSUPP,
			   "it computes with %" PRId64 " and %" PRId64 " while the model is imported; "
			   "nnloop knows 32 bits, and no division by 0", a, b);
}

int tflite_compute_binary(struct tflite_import *import, struct numbers *out)
{
	const struct nn_const *a = get_numbers(import, 0), *b = get_numbers(import, 1);
	const char *function = import->now->op->function;
	int err = need_one_type(import);

	if (!err && import->now->op->option_count && import->now->option[0])
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its inputs are no quantized tensors, and it has an activation");
	if (!err && (a->rank > 1 || b->rank > 1 ||
		     (a->count != b->count && a->count != 1 && b->count != 1)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it computes more than one dimension of numbers while the model is "
				  "imported");
	out->rank = a->rank > b->rank ? a->rank : b->rank;
	out->count = a->count == 1 ? b->count : a->count;
	if (!err)
		err = need_count(import, out->count);
	for (uint64_t i = 0; i < out->count && !err; i++) {
		int64_t x = nn_const_int(a, a->count == 1 ? 0 : i);
		int64_t y = nn_const_int(b, b->count == 1 ? 0 : i);

		if (!compute_one(function, x, y, &out->values[i]))
			err = fail_number(import, x, y);
	}
	return err;
}

/* Reduces all numbers of one dimension. */
int tflite_compute_reduction(struct tflite_import *import, struct numbers *out)
{
	const struct nn_const *x = get_numbers(import, 0);
	const char *function = import->now->op->function;
	int64_t axis = 0, value;
	int err = need_count(import, x->count);

	if (!err && get_output(import)->element != x->element)
		err = tflite_fail(import, -EINVAL, "its input and its output are of different types");
	if (!err)
		err = read_number(import, 1, &axis);
	if (!err && (x->rank != 1 || (axis && axis != -1)))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it computes more than one dimension of numbers while the model is "
				  "imported");
	if (err)
		return err;
	value = nn_const_int(x, 0);
	for (uint64_t i = 1; i < x->count; i++) {
		int64_t next = nn_const_int(x, i);

		if (!compute_one(function, value, next, &value))
			return fail_number(import, value, next);
	}
	out->rank = import->now->option[0];
	out->count = 1;
	out->values[0] = value;
	return 0;
}

int tflite_compute_range(struct tflite_import *import, struct numbers *out)
{
	int64_t number[3]; /* from, to, by */
	int err = need_one_type(import);

	for (uint32_t i = 0; i < 3 && !err; i++) {
		err = read_number(import, i, &number[i]);
		if (!err && (number[i] < INT32_MIN || number[i] > INT32_MAX))
			err = fail_number(import, number[i], 0);
	}
	if (err)
		return err;
	if (!number[2] || (number[1] - number[0] > 0) != (number[2] > 0))
		return tflite_fail(import, -EINVAL,
				   "it counts from %" PRId64 " to %" PRId64 " by %" PRId64, number[0],
				   number[1], number[2]);
	out->count = (number[1] - number[0] + number[2] - (number[2] > 0 ? 1 : -1)) / number[2];
	err = need_count(import, out->count);
	for (uint64_t i = 0; i < out->count && !err; i++)
		out->values[i] = number[0] + (int64_t)i * number[2];
	return err;
}

/* ---- The same number in each place: with any dimensions ---- */

static int define_fill(struct tflite_import *import, int64_t value)
{
	const struct tflite_tensor *output = get_output(import);
	int64_t values[MOST_NUMBERS];
	uint64_t count = 1;
	int err;

	for (uint32_t i = 0; i < output->rank && count <= MOST_NUMBERS; i++)
		count *= output->dims[i];
	err = need_count(import, count);
	for (uint64_t i = 0; i < count && !err; i++)
		values[i] = value;
	return err ? err : define_values(import, values, count);
}

/* One element of a tensor that has as many rows as there are items, of `rank` dimensions, with bytes
 * that are of no interest. */
static int build_rows(struct tflite_import *import, const struct nn_quant *quant, uint32_t rank,
		      struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK] = { NN_ROWS };
	const struct nn_build_tensor *x = NULL;
	int err = 0;

	for (uint32_t i = 0; i < import->input_count && !x; i++) {
		x = import->tensors[import->inputs[i]].made;
		x = x && x->dims[0] == NN_ROWS ? x : NULL;
	}
	if (!x)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it makes a tensor for each item, and no input of the model has items");
	*out = *x;
	for (uint32_t i = 1; i < rank; i++)
		dims[i] = 1;
	for (uint32_t i = 1; i < x->rank && !err; i++)
		err = nn_build_slice(&import->builder, out, i, 0, 1, out);
	if (!err)
		err = nn_build_reshape(&import->builder, out, rank, dims, out);
	return err ? err : nn_build_unary(&import->builder, "Cast", out, NULL, 0, quant, out);
}

/* Selects the filler in the place of other elements. */
int tflite_make_filled(struct tflite_import *import, struct tflite_tensor *tensor)
{
	const char *result = import->builder.result;
	struct nn_operand operands[3] = { 0 };
	struct nn_build_tensor rows, made;
	struct nn_const values;
	struct nn_quant quant;
	uint64_t count = 1;
	uint8_t *data;
	int err = tflite_tensor_quant(import, tensor, &quant);

	if (!err && (!import->one_is_batch || !tensor->rank || tensor->dims[0] != 1))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its input %s is a tensor that is no item of the batch",
				  tflite_quote(import, tensor->name));
	for (uint32_t i = 0; i < tensor->rank && count <= MOST_NUMBERS; i++)
		count *= tensor->dims[i];
	if (!err)
		err = need_count(import, count);
	if (err)
		return err;
	data = tflite_alloc(import, count, nn_data_type_size(quant.type));
	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) /* the low bytes come first */
		memcpy(data + i * nn_data_type_size(quant.type), &tensor->filler,
		       nn_data_type_size(quant.type));
	values = (struct nn_const){
		.element = tensor->element, .rank = tensor->rank, .count = count, .data = data,
	};
	memcpy(values.dims, tensor->dims, sizeof(values.dims));
	operands[2].constant = (struct nn_parameter){
		.name = tensor->name, .values = &values, .quant = &quant,
	};
	operands[1].tensor = &rows;
	import->builder.result = tensor->name;
	err = build_rows(import, &quant, tensor->rank, &rows);
	if (!err)
		err = nn_number_operand(&import->builder, 0, &nn_quant_truth, &operands[0]);
	if (!err)
		err = nn_build_broadcast(&import->builder, "Select", operands, 3, NULL, 0, &quant,
					 &made);
	import->builder.result = result;
	return err ? err : tflite_define_tensor(import, tensor - import->tensors, &made);
}

/* Output 0 is what it is filled with; what reads it makes that, if it has to. */
void tflite_define_filled(struct tflite_import *import, int32_t filler)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];

	output->is_filled = true;
	output->filler = filler;
}

bool tflite_moves_filled(const struct tflite_import *import, const struct tflite_tensor **filled)
{
	static const char *const names[] = {
		"EXPAND_DIMS", "RESHAPE", "REVERSE_V2", "SLICE", "SPLIT", "SPLIT_V", "SQUEEZE",
		"STRIDED_SLICE", "TRANSPOSE", "UNPACK",
	};
	const char *name = import->now->op->name;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], name))
			continue;
		*filled = tflite_filled_input(import, !strcmp(name, "SPLIT"));
		return *filled && !(*filled)->is_real;
	}
	return false;
}

/* Lowers what moves elements of such a tensor: its outputs are filled with the same. */
int tflite_move_filled(struct tflite_import *import, const struct tflite_tensor *filled)
{
	for (uint32_t i = 0; i < import->now->output_count; i++) {
		struct tflite_tensor *output = &import->tensors[import->now->outputs[i]];

		if (output->open & 1)
			output->dims[0] = 1;
		if (output->open & ~1u || output->element != filled->element ||
		    filled->scales.count != 1 || output->scales.count != 1 ||
		    nn_const_float(&filled->scales, 0) != nn_const_float(&output->scales, 0) ||
		    tflite_first_zero_point(filled) != tflite_first_zero_point(output))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its input is filled with one number, and its output is of "
					   "another quantization, or of an open shape");
		output->is_filled = true;
		output->filler = filled->filler;
	}
	return 0;
}

int tflite_filled_operand(struct tflite_import *import, const struct tflite_tensor *tensor,
			  struct nn_parameter *out)
{
	struct nn_const *values = tflite_alloc(import, 1, sizeof(*values));
	struct nn_quant *quant = tflite_alloc(import, 1, sizeof(*quant));
	int32_t *number = tflite_alloc(import, 1, sizeof(*number));

	if (!values || !quant || !number)
		return -ENOMEM;
	*number = tensor->filler;
	*values = (struct nn_const){
		.element = tensor->element, .rank = 1, .dims = { 1 }, .count = 1, .data = number,
	};
	*out = (struct nn_parameter){ .name = tensor->name, .values = values, .quant = quant };
	return tflite_tensor_quant(import, tensor, quant);
}

/* Elements for each item, such as the state that a recurrent layer begins with. */
static int fill_rows(struct tflite_import *import, const struct tflite_tensor *filler)
{
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];

	if (output->element == NN_ELEMENT_FLOAT) {
		output->is_real = output->is_filled = true;
		output->real_filler = nn_const_float(&filler->constant, 0);
		return 0;
	}
	if (output->element != NN_ELEMENT_INT8 && output->element != NN_ELEMENT_UINT8 &&
	    output->element != NN_ELEMENT_INT16)
		return tflite_fail(import, -EOPNOTSUPP, "it makes %s",
				   tflite_type_name(output->type));
	if (filler->scales.count != 1 || output->scales.count != 1 ||
	    nn_const_float(&filler->scales, 0) != nn_const_float(&output->scales, 0) ||
	    tflite_first_zero_point(filler) != tflite_first_zero_point(output))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its output is quantized in another way than what it fills with");
	tflite_define_filled(import, (int32_t)nn_const_int(&filler->constant, 0));
	return 0;
}

int tflite_lower_fill(struct tflite_import *import)
{
	const struct nn_const *dims = tflite_ints_input(import, 0);
	const struct tflite_tensor *output = get_output(import), *filler;
	bool of_numbers = is_number_type(output->element);
	uint32_t wanted[NN_MAX_RANK];

	if (!dims || (of_numbers && !tflite_ints_input(import, 1)))
		return tflite_failed(import);
	if (!tflite_has_input(import, 1))
		return tflite_fail(import, -EINVAL, "its input 1 is left out");
	filler = &import->tensors[import->now->inputs[1]];
	if (!filler->is_constant || filler->constant.count != 1 ||
	    filler->element != output->element || dims->count != output->rank)
		return tflite_fail(import, -EINVAL,
				   "it fills with more than a number, of another type than its output, "
				   "or its output has other dimensions");
	for (uint32_t i = 0; i < output->rank; i++) {
		int64_t dim = nn_const_int(dims, i);

		wanted[i] = dim < 1 || dim > INT32_MAX ? output->dims[i] : dim;
	}
	tflite_fill_open(import, 0, output->rank, wanted);
	for (uint32_t i = 0; i < output->rank; i++) {
		if (nn_const_int(dims, i) != output->dims[i])
			return tflite_fail(import, -EINVAL,
					   "it makes dimension %" PRIu32 " %" PRId64
					   ", and that of its output is %" PRIu32,
					   i, nn_const_int(dims, i), output->dims[i]);
	}
	return of_numbers ? define_fill(import, nn_const_int(&filler->constant, 0)) :
			    fill_rows(import, filler);
}

int tflite_lower_zeros_like(struct tflite_import *import)
{
	const struct tflite_tensor *x, *output = get_output(import);

	if (!tflite_has_input(import, 0))
		return tflite_fail(import, -EINVAL, "its input 0 is left out");
	x = &import->tensors[import->now->inputs[0]];
	tflite_fill_open(import, 0, x->rank, x->dims);
	if (x->element != output->element || x->rank != output->rank ||
	    memcmp(x->dims, output->dims, x->rank * sizeof(*x->dims)))
		return tflite_fail(import, -EINVAL,
				   "its output has another type or shape than its input");
	if (output->element == NN_ELEMENT_FLOAT && x->made)
		return tflite_lower_float_zeros(import);
	if (x->made && x->made->dims[0] == NN_ROWS && !import->one_is_batch)
		return tflite_fail(import, -EOPNOTSUPP,
				   "dimension 0 of its input %s varies, and is not 1 in the file",
				   tflite_quote(import, x->name));
	return define_fill(import, 0);
}
