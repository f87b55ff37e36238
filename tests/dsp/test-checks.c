// SPDX-License-Identifier: MIT
/*
 * The kernels' checks refuse what they must: goes through the tables of tests/dsp/checks
 * (check-test.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check-test.h"

const struct parameter nn_byte_clamps[] = {
	{ PLACE(out_min), -128, true }, { PLACE(out_min), -129, false }, { PLACE(out_min), 127, true },
	{ PLACE(out_min), 128, false }, { PLACE(out_max), 0, true },	 { PLACE(out_max), -1, false },
	{ PLACE(out_max), 128, false },
};

static struct nn_program_op op;
static struct nn_call call;
static unsigned int tests, failed;

static void describe(struct nn_tensor *tensor, const struct operand *operand)
{
	*tensor = (struct nn_tensor){ .type = operand->type, .level = operand->level, .packed = operand->packed };
	for (unsigned int i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = 1;
	for (; operand->dims[tensor->rank]; tensor->rank++)
		tensor->dims[tensor->rank] = operand->dims[tensor->rank];
	tensor->row_bytes = operand->type ? nn_type_size(operand->type) : 0;
	for (unsigned int i = 1; i < tensor->rank; i++)
		tensor->row_bytes *= tensor->dims[i];
	if (tensor->dims[0] == NO_ROWS)
		tensor->dims[0] = 0;
	tensor->bytes = tensor->row_bytes * tensor->dims[0];
	tensor->row_pitch = tensor->row_bytes;
	tensor->pitch = tensor->row_bytes;
	if (tensor->type && tensor->rank > 1)
		tensor->pitch = nn_pixel_bytes(tensor);
}

static void describe_call(const struct nn_program_op *wanted, const struct operand *operands)
{
	op = *wanted;
	memset(&call, 0, sizeof(call));
	call.op = &op;
	for (unsigned int i = 0; i < MAX_INPUTS; i++)
		describe(&call.input[i], &operands[i]);
	for (unsigned int i = 0; i < MAX_OUTPUTS; i++)
		describe(&call.output[i], &operands[OUTPUT + i]);
}

static bool is_taken(void)
{
	return nn_kernels_portable[op.opcode].check(&call) == NN_REASON_NONE;
}

static bool is_right(const struct nn_program_op *wanted, const struct operand *operands)
{
	describe_call(wanted, operands);
	return is_taken();
}

/* Whether `change` is a word of the call's list. */
static bool is_listed(const struct right_call *right, const char *change)
{
	size_t length = strlen(change);

	for (const char *at = right->also; (at = strstr(at, change)); at++) {
		if ((at == right->also || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	}
	return false;
}

static bool try_change(const struct right_call *right, const struct operand *operands, unsigned int which,
		       const char *field, unsigned int number)
{
	char change[32];

	snprintf(change, sizeof(change), which == OUTPUT ? "out." : which > OUTPUT ? "out%u." : "in%u.",
		 which > OUTPUT ? which - OUTPUT : which);
	snprintf(change + strlen(change), sizeof(change) - strlen(change), field, number);
	if (is_right(&right->op, operands) == is_listed(right, change))
		return true;
	printf("# %s: %s is %s\n", right->name, change, is_listed(right, change) ? "refused" : "taken");
	return false;
}

static bool try_operand(const struct right_call *right, unsigned int which)
{
	struct operand operands[OPERANDS], *changed = &operands[which];
	unsigned int rank = 0;
	bool good = true;

	for (unsigned int type = 0; type <= NN_TYPE_UINT64; type++) {
		memcpy(operands, right->operands, sizeof(operands));
		changed->type = type;
		if (type != right->operands[which].type)
			good &= try_change(right, operands, which, "type=%u", type);
	}
	if (!right->operands[which].type)
		return good;
	for (; right->operands[which].dims[rank]; rank++) {
		memcpy(operands, right->operands, sizeof(operands));
		changed->dims[rank]++;
		good &= try_change(right, operands, which, "dim%u", rank);
	}
	memcpy(operands, right->operands, sizeof(operands));
	changed->dims[rank] = 1;
	good &= try_change(right, operands, which, "rank", 0);
	memcpy(operands, right->operands, sizeof(operands));
	/* Packed operands are of no loop: the interpreter says so. */
	if (right->operands[which].packed) {
		changed->packed = false;
		return try_change(right, operands, which, "packed", 0) && good;
	}
	changed->level++;
	return try_change(right, operands, which, "level", 0) && good;
}

/* An operand that is one too many, behind those that are there. */
static bool try_more(const struct right_call *right, struct nn_tensor *operand, const char *what)
{
	describe_call(&right->op, right->operands);
	if (operand->type)
		return true;
	operand->type = NN_TYPE_INT8;
	if (!is_taken())
		return true;
	printf("# %s: one more %s is taken\n", right->name, what);
	return false;
}

static void result(bool good, const char *name, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u %s: %s\n", good ? "" : "not ", tests, name, what);
}

static void test_operands(const struct right_call *right)
{
	bool good = is_right(&right->op, right->operands);

	if (!good)
		printf("# %s: refused\n", right->name);
	for (unsigned int i = 0; i < OPERANDS; i++)
		good &= try_operand(right, i);
	for (unsigned int i = MAX_INPUTS; i < NN_MAX_OP_INPUTS; i++)
		good &= try_more(right, &call.input[i], "input");
	for (unsigned int i = MAX_OUTPUTS; i < NN_MAX_OP_OUTPUTS; i++)
		good &= try_more(right, &call.output[i], "output");
	result(good, right->name, "operands");
}

static void test_parameters(const struct right_call *right, const struct trial *trial)
{
	bool good = is_right(&right->op, right->operands);

	for (size_t i = 0; i < trial->count; i++) {
		const struct parameter *parameter = &trial->parameters[i];
		struct nn_program_op changed = right->op;

		memcpy((char *)&changed + parameter->place, &parameter->value, sizeof(parameter->value));
		if (is_right(&changed, right->operands) == parameter->right)
			continue;
		printf("# %s: %d at %zu is %s\n", right->name, parameter->value, parameter->place,
		       parameter->right ? "refused" : "taken");
		good = false;
	}
	result(good, right->name, trial->what);
}

static void test_size(const struct right_call *right, const struct size *size)
{
	struct operand operands[OPERANDS];
	char what[64];

	memcpy(operands, right->operands, sizeof(operands));
	if (size->dimension != ZERO_POINT)
		operands[size->operand].dims[size->dimension] = size->value;
	describe_call(&right->op, operands);
	if (size->dimension == ZERO_POINT)
		(size->operand == OUTPUT ? &call.output[0] : &call.input[size->operand])->zero_point = (int32_t)size->value;
	snprintf(what, sizeof(what), "%s %u of operand %u is %s",
		 size->dimension == ZERO_POINT ? "a zero point of" : "a dimension of", size->value, size->operand,
		 size->right ? "taken" : "refused");
	result(is_taken() == size->right, right->name, what);
}

static const struct right_call *find_call(const struct check_test *test, const char *name)
{
	for (size_t i = 0; i < test->call_count; i++) {
		if (!strcmp(test->calls[i].name, name))
			return &test->calls[i];
	}
	printf("Bail out! there is no call %s\n", name);
	exit(1);
}

static void test_all(const struct check_test *test)
{
	for (size_t i = 0; i < test->call_count; i++)
		test_operands(&test->calls[i]);
	for (size_t i = 0; i < test->trial_count; i++)
		test_parameters(find_call(test, test->trials[i].call), &test->trials[i]);
	for (size_t i = 0; i < test->size_count; i++)
		test_size(find_call(test, test->sizes[i].call), &test->sizes[i]);
	for (size_t i = 0; i < test->refused_count; i++)
		result(!is_right(&test->refused[i].op, test->refused[i].operands), test->refused[i].name, "is refused");
}

int main(void)
{
	test_all(&nn_window_checks);
	test_all(&nn_move_checks);
	test_all(&nn_arithmetic_checks);
	test_all(&nn_vector_checks);
	test_all(&nn_float_checks);
	printf("1..%u\n", tests);
	return failed != 0;
}
