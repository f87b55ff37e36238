// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of SCATTER, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Numbers that are indices, but for a few. */
static void make_numbers(const struct nn_take_params *places)
{
	struct nn_tensor *indices = &call.input[1];
	uint32_t size = nn_type_size(indices->type);

	for (uint64_t i = 0; i < indices->bytes / size; i++) {
		int32_t end = places->sizes[i % places->depth];
		int64_t number = (int64_t)random_below(2 * end + 2) - end - 1;

		if (size == 4)
			((int32_t *)indices->data)[i] = number;
		else
			((int64_t *)indices->data)[i] = number;
	}
}

static void make_random(void)
{
	uint32_t n = random_below(3), count = random_range(1, 9), size = 1;
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_UINT16, NN_TYPE_INT32,
			    NN_TYPE_INT64, NN_TYPE_BOOL, NN_TYPE_UINT32, NN_TYPE_UINT64);
	struct nn_take_params *places = &op.scatter.indexing;

	begin_call(NN_OPCODE_SCATTER);
	op.scatter.form = random_below(NN_SCATTER_FORMS);
	places->depth = random_range(1, 3);
	for (uint32_t i = 0; i < NN_TAKE_DEPTH; i++) {
		places->sizes[i] = i < places->depth ? random_range(1, 5) : 1;
		size *= places->sizes[i];
	}
	places->parts = random_range(1, 3);
	places->run = random_range(1, 5);
	places->each = random_below(2);
	/* Rows, some of which are near the end. */
	if (random_below(2)) {
		places->run = SIZE_TO(400, 16, 64, 127, 128, 129);
		count = random_range(1, 30);
	}
	random_input(0, type, DIMS(random_below(3) ? n : 1, places->parts * size * places->run));
	random_input(1, PICK(NN_TYPE_INT32, NN_TYPE_INT64),
		     DIMS(random_below(3) ? n : 1,
			  (places->each ? places->parts : 1) * count * places->depth));
	make_numbers(places);
	random_input(2, type, DIMS(random_below(3) ? n : 1, places->parts * count * places->run));
	random_output(type, DIMS(n, places->parts * size * places->run));
}

/* Parts, places and elements of one; how many come; the form. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_SCATTER);
	large_input(0, NN_TYPE_INT8, DIMS(1, p[0], p[1], p[2]));
	large_input(1, NN_TYPE_INT32, DIMS(1, p[3]));
	large_input(2, NN_TYPE_INT8, DIMS(1, p[0], p[3], p[2]));
	large_output(NN_TYPE_INT8, DIMS(1, p[0], p[1], p[2]));
	op.scatter.indexing = (struct nn_take_params){ 1, { p[1], 1, 1, 1, 1, 1, 1 }, p[0], 0, p[2] };
	op.scatter.form = p[4];
}

static const struct large_call large[] = {
	{ "scatter single elements", make_large, { 1, 4096, 1, 1 << 18, NN_SCATTER_PUT } },
	{ "scatter long runs", make_large, { 1, 16, 1 << 18, 128, NN_SCATTER_PUT } },
	{ "scatter into many parts", make_large, { 1 << 16, 2, 1, 4, NN_SCATTER_ADD } },
	{ "scatter sums", make_large, { 1, 16, 1 << 16, 256, NN_SCATTER_ADD } },
	{ "scatter products", make_large, { 1, 16, 1 << 16, 32, NN_SCATTER_MUL } },
};

const struct kernel_test nn_scatter_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
