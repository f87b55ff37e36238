// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of NORMALIZE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t length = SIZE_TO(900, 1, 5, 16, 70, 129, 600, 2000);
	uint32_t count = SIZE_TO(70, 1, 2, 7, 64), n, vectors;

	random_vectors(length, &n, &vectors);
	if (!random_below(40)) {
		vectors = 1;
		length = 17000;
		n = n < 4 ? n : 1;
	}
	begin_call(NN_OPCODE_NORMALIZE);
	random_input(0, random_8bit(), DIMS(n, vectors, length));
	random_constant(1, NN_TYPE_FLOAT32, count);
	random_constant(2, NN_TYPE_FLOAT32, count);
	random_output(random_8bit(), DIMS(n, vectors, length));
	op.normalize = (struct nn_normalize_params){
		.form = random_below(NN_NORMALIZE_FORMS),
		.length = length,
		.run = SIZE_TO(300, 1, 2, 9, 1000),
		.step = random_scale_like(0.05f),
		.square_step = random_scale_like(0.01f),
		.epsilon = random_below(3) ? 0.00001f : 0,
		.scale_output = random_below(9) ? 0.02f : random_any_scale(),
	};
	if (op.normalize.form != NN_NORMALIZE_GIVEN)
		return;
	random_input(3, random_8bit(), DIMS(n, 1, vectors));
	random_constant(4, NN_TYPE_FLOAT32, 256);
}

/* Vectors and elements of one, and the form. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_NORMALIZE);
	large_input(0, NN_TYPE_INT8, DIMS(2, p[0], p[1]));
	large_constant(1, NN_TYPE_FLOAT32, p[1]);
	large_constant(2, NN_TYPE_FLOAT32, p[1]);
	large_output(NN_TYPE_UINT8, DIMS(2, p[0], p[1]));
	op.normalize = (struct nn_normalize_params){
		.form = p[2],
		.length = p[1],
		.run = 1,
		.step = 0.5f,
		.square_step = 0.25f,
		.epsilon = 0.125f,
		.scale_output = 0.5f,
	};
	if (p[2] != NN_NORMALIZE_GIVEN)
		return;
	large_input(3, NN_TYPE_INT8, DIMS(2, p[0]));
	large_constant(4, NN_TYPE_FLOAT32, 256);
}

static const struct large_call large[] = {
	{ "normalize", make_large, { 1 << 10, 256, NN_NORMALIZE_DEVIATION } },
	{ "normalize long vectors", make_large, { 1, 1 << 18, NN_NORMALIZE_ROOT } },
	{ "normalize short vectors", make_large, { 1 << 16, 1, NN_NORMALIZE_SUM } },
	{ "normalize by given divisors", make_large, { 1 << 12, 32, NN_NORMALIZE_GIVEN } },
};

const struct kernel_test nn_normalize_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
