// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of TAKE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Numbers that are indices, but for a few, or all of them. */
static void make_numbers(const struct nn_take_params *take)
{
	struct nn_tensor *indices = &call.input[1];
	uint32_t size = nn_type_size(indices->type);
	bool are_all = random_below(2);

	for (uint64_t i = 0; i < indices->bytes / size; i++) {
		int32_t end = take->sizes[i % take->depth];
		int64_t number = are_all ? (int64_t)random_below(2 * end) - end :
					   (int64_t)random_below(2 * end + 2) - end - 1;

		if (size == 4)
			((int32_t *)indices->data)[i] = number;
		else
			((int64_t *)indices->data)[i] = number;
	}
}

static void make_random(void)
{
	uint32_t n = random_below(3), taken = random_range(1, 9), places = 1;
	uint8_t type = PICK(NN_TYPE_INT8, NN_TYPE_UINT16, NN_TYPE_INT32, NN_TYPE_INT64);
	struct nn_take_params *take = &op.take;

	begin_call(NN_OPCODE_TAKE);
	take->depth = random_range(1, 3);
	for (uint32_t i = 0; i < NN_TAKE_DEPTH; i++) {
		take->sizes[i] = i < take->depth ? random_range(1, 5) : 1;
		places *= take->sizes[i];
	}
	take->parts = random_range(1, 3);
	take->run = random_range(1, 5);
	take->each = random_below(2);
	/* Some are rows, of which the last ones are near the end, or channels of many pixels. */
	if (random_below(3) == 0) {
		take->run = SIZE_TO(400, 16, 64, 127, 128, 129);
		taken = random_range(1, 60);
	} else if (random_below(3) == 0) {
		take->parts = random_range(8, 60000 / (places * take->run * nn_type_size(type)));
		take->parts = take->parts > 300 ? 300 : take->parts;
		taken = random_range(1, 30000 / (take->parts * take->run * nn_type_size(type)));
		taken = taken > 150 ? 150 : taken;
		take->each = random_below(4) == 0;
	}
	random_input(0, type, DIMS(random_below(3) ? n : 1, take->parts * places * take->run));
	random_input(1, PICK(NN_TYPE_INT32, NN_TYPE_INT64),
		     DIMS(random_below(3) ? n : 1,
			  (take->each ? take->parts : 1) * taken * take->depth));
	make_numbers(take);
	random_output(type, DIMS(n, take->parts * taken * take->run));
}

/* Parts, places and elements of one; how many are taken. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_TAKE);
	large_input(0, NN_TYPE_INT8, DIMS(1, p[0], p[1], p[2]));
	large_input(1, NN_TYPE_INT32, DIMS(1, p[3]));
	large_output(NN_TYPE_INT8, DIMS(1, p[0], p[3], p[2]));
	op.take = (struct nn_take_params){ 1, { p[1], 1, 1, 1, 1, 1, 1 }, p[0], 0, p[2] };
}

static const struct large_call large[] = {
	{ "take single elements", make_large, { 1, 4096, 1, 1 << 18 } },
	{ "take long runs", make_large, { 1, 16, 1 << 18, 128 } },
	{ "take of many parts", make_large, { 16 << 20, 2, 1, 4 } },
};

const struct kernel_test nn_take_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
