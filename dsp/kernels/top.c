// SPDX-License-Identifier: MIT
/*
 * TOP: input of any type of integers or bool, or FLOAT32; output INT32 or INT64 of the same
 * dimensions but for the last one, which is not longer. Along the last dimension, in the order of
 * the elements from the greatest down, or with `least` from the least up, and of equal ones from the
 * first to the last: the indices of as many of them as the output is long. What is no number is the
 * greatest, and 0 is -0.
 */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/top.h"

#define ELEMENT_WORK	40
#define RESULT_WORK	(64 + 2 * NN_PAGE_WORK)

enum nn_program_reason nn_top_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct nn_tensor like;

	if (!operands_are(call, 1, 1) ||
	    (!is_integer(input) && input->type != NN_TYPE_FLOAT32) ||
	    (output->type != NN_TYPE_INT32 && output->type != NN_TYPE_INT64))
		return NN_REASON_OPERAND;
	if (call->op->top.least > 1)
		return NN_REASON_PARAMETER;
	if (input->rank < 2 || input->rank != output->rank)
		return NN_REASON_SHAPE;
	like = *output;
	like.dims[like.rank - 1] = input->dims[input->rank - 1];
	if (!same_dims(input, &like) || input->dims[input->rank - 1] > INT32_MAX ||
	    output->dims[output->rank - 1] > input->dims[input->rank - 1])
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

struct element {
	int64_t value;
	uint32_t index;
};

/* Whether a comes before b. */
static bool is_before(bool least, struct element a, struct element b)
{
	if (a.value == b.value)
		return a.index < b.index;
	return least ? a.value < b.value : a.value > b.value;
}

/* The one that comes behind `last`; without that the first one of all. */
static int find_next(struct progress *progress, const uint8_t *from, const struct element *last,
		     struct element *next)
{
	const struct nn_tensor *input = &progress->call->input[0];
	bool least = progress->call->op->top.least, found = false;
	uint32_t size = nn_type_size(input->type), length = input->dims[input->rank - 1];
	bool is_float = input->type == NN_TYPE_FLOAT32;
	const int64_t order = integer_order(input->type);

	for (uint32_t i = 0; i < length; i++, from += size) {
		struct element element = { is_float ? load_ordered(from) :
						      load_integer(from, input->type) ^ order,
					   i };
		int ret = progress_add(progress, ELEMENT_WORK);

		if (ret)
			return ret;
		if ((last && !is_before(least, *last, element)) ||
		    (found && !is_before(least, element, *next)))
			continue;
		*next = element;
		found = true;
	}
	return 0;
}

/*
 * Elements of 8 bits are compared by vectors; of few, each with each other is quicker. Rows of other
 * integers are sorted where many of them are wanted, and up to 8,192 are there. Floats, uint32
 * and uint64 are for the scalar unit.
 */
bool nn_top_has_vectors(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0];

	if (nn_type_is_wide_unsigned(input->type))
		return false;
	return is_8bit(input) ? input->dims[input->rank - 1] >= 6 : top_is_sorted(call);
}

int nn_top_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = nn_type_size(output->type), count = output->dims[output->rank - 1];
	uint64_t vector = (uint64_t)input->dims[input->rank - 1] * nn_type_size(input->type);
	struct progress progress = { .call = call };
	uint8_t *to = output->data;

	for (uint64_t at = 0; at < input->bytes; at += vector) {
		struct element last = { 0 }, next = { 0 };

		for (uint32_t i = 0; i < count; i++) {
			int ret = progress_add(&progress, RESULT_WORK);

			if (!ret)
				ret = find_next(&progress, input->data + at, i ? &last : NULL,
						&next);
			if (ret)
				return ret;
			store_integer(to, output->type, next.index);
			to += size;
			last = next;
		}
	}
	return 0;
}
