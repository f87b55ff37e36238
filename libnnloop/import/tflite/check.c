// SPDX-License-Identifier: MIT
/*
 * Holds a model's operators against the table, before anything is made of them. What an entry does
 * not name is refused by its name, so that nothing that matters is passed over.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

int tflite_check_option(struct tflite_import *import, const struct tflite_option *option,
			int64_t value)
{
	if (value >= option->low && value <= option->high)
		return 0;
	if (option->low == option->high)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its option %s is %" PRId64 "; nnloop can do %" PRId32 " only",
				   option->name, value, option->low);
	return tflite_fail(import, -EOPNOTSUPP,
			   "its option %s is %" PRId64 "; nnloop can do %" PRId32 " to %" PRId32
			   " only",
			   option->name, value, option->low, option->high);
}

static int check_option(struct tflite_import *import, struct tflite_operator *operator, uint32_t i)
{
	const struct tflite_option *option = &operator->op->options[i];
	struct flatbuffer *file = &import->buffer;
	int64_t value;

	if (option->kind == TFLITE_INTS)
		return 0;
	if (option->kind == TFLITE_FLOAT) {
		operator->float_option[i] = flatbuffer_float(file, &operator->options, i, 0);
		return 0;
	}
	value = flatbuffer_int(file, &operator->options, i, option->kind == TFLITE_INT ? 4 : 1,
			       option->otherwise);
	operator->option[i] = value;
	return tflite_check_option(import, option, value);
}

static int check_options(struct tflite_import *import, struct tflite_operator *operator)
{
	const struct tflite_op *op = operator->op;
	int err = 0;

	if (operator->options_type && operator->options_type != op->options_type)
		return tflite_fail(import, -EINVAL, "its options are those of another operator");
	if (operator->more_options)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it has options that the format has no fields for");
	/* A custom one's are not in a table, and its function looks at them. */
	if (op->code < 0)
		return 0;
	for (uint32_t i = op->option_count; i < operator->options.fields; i++) {
		if (flatbuffer_has(&import->buffer, &operator->options, i))
			return tflite_fail(import, -EOPNOTSUPP,
					   "it has an option, field %" PRIu32
					   ", that nnloop does not know",
					   i);
	}
	for (uint32_t i = 0; i < op->option_count && !err; i++)
		err = check_option(import, operator, i);
	return import->buffer.wrong ? tflite_check_encoding(import) : err;
}

/* Custom operators that a model need not have: what the user wants instead. */
static const struct {
	const char *name, *advice;
} not_needed[] = {
	{ "edgetpu-custom-op",
	  "it is code for an Edge TPU, which edgetpu_compiler made of the model; nnloop runs the file "
	  "that the compiler was given, whose name has no _edgetpu" },
	{ "PosenetDecoderOp",
	  "it is Coral's own decoder of poses; nnloop runs the model without it, a file whose name has "
	  "no _decoder, and what the model makes is decoded by who runs it" },
};

static int fail_custom(struct tflite_import *import, const char *name)
{
	for (size_t i = 0; name && i < sizeof(not_needed) / sizeof(*not_needed); i++) {
		if (!strcmp(name, not_needed[i].name))
			return tflite_fail(import, -EOPNOTSUPP, "%s", not_needed[i].advice);
	}
	return tflite_fail(import, -EOPNOTSUPP,
			   "nnloop has no such operator, which is not one of the format's");
}

static int check_operator(struct tflite_import *import, struct tflite_operator *operator)
{
	const struct tflite_op *op = tflite_find_op(operator->code, operator->custom);
	int32_t last;

	if (!op && operator->code < 0)
		return fail_custom(import, operator->custom);
	if (!op)
		return tflite_fail(import, -EOPNOTSUPP, "nnloop has no such operator");
	operator->op = op;
	last = !import->stands && op->float_version ? op->float_version : op->version;
	if (operator->version < 1 || operator->version > last)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it is of version %" PRId32 ", and nnloop knows 1 to %" PRId32,
				   operator->version, last);
	if (operator->version == op->not_version)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it is of version %" PRId32 ", which is for sparse weights and rounds "
				   "in another way; dense ones have another version up to %u",
				   operator->version, op->version);
	if (operator->input_count < op->min_inputs || operator->input_count > op->max_inputs ||
	    (op->outputs == TFLITE_ANY_COUNT ? !operator->output_count :
					       operator->output_count != op->outputs))
		return tflite_fail(import, -EINVAL,
				   "it has %" PRIu32 " inputs and %" PRIu32
				   " outputs; %u to %u and %u make sense",
				   operator->input_count, operator->output_count, op->min_inputs,
				   op->max_inputs, op->outputs);
	if (operator->changes_inputs && !op->has_state)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it carries state from one run to the next");
	if (operator->intermediate_count && !op->has_state)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it has results in between, which nnloop does not know");
	return check_options(import, operator);
}

int tflite_check(struct tflite_import *import)
{
	int err = 0;

	for (uint32_t i = 0; i < import->operator_count && !err; i++) {
		tflite_look_at(import, &import->operators[i]);
		err = tflite_note(import, &import->operators[i],
				  check_operator(import, &import->operators[i]));
	}
	if (!err)
		tflite_look_at(import, NULL);
	return err;
}
