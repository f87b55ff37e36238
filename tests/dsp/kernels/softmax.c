// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of SOFTMAX, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Powers of a number, down to below what is normal, where the table is not any bits at all. */
static void make_powers(float *table)
{
	float factor = (float)random_range(600, 1023) / 1024, power = 1;

	for (uint32_t i = 0; i < 256; i++, power *= factor)
		table[i] = power;
}

/*
 * All elements of a row are one number, and the scale is such that each result is near k + 1/2: just
 * below, above or there, as the roundings are.
 */
static void make_halves(uint32_t length, uint32_t rows)
{
	uint32_t k = random_below(length > 2 ? 500 / length + 1 : 200);
	int32_t least = call.output[0].type == NN_TYPE_INT8 ? -128 : 0;

	call.output[0].zero_point = least + random_below(56);
	op.out_min = least;
	op.out_max = least + 255;
	for (uint32_t i = 0; i < rows; i++)
		memset(call.input[0].data + i * length, random_bits(), length);
	op.softmax.scale_output = 2.0f / (float)((2 * k + 1) * length);
}

static void make_random(void)
{
	uint32_t length = random_size(), n, width;
	bool has_halves = random_below(4) == 0;

	/* A sixth are of several parts, with little scratch memory or much. */
	if (random_below(6) == 0)
		length = random_range(100, 2500);
	if (has_halves)
		length = random_range(1, 100);
	random_vectors(length, &n, &width);
	begin_call(NN_OPCODE_SOFTMAX);
	random_input(0, random_8bit(), DIMS(n, width, length));
	random_constant(1, NN_TYPE_FLOAT32, 256);
	if (random_below(4))
		make_powers((float *)call.input[1].data);
	random_output(random_8bit(), DIMS(n, width, length));
	op.softmax.scale_output = random_below(9) ? 1.0f / (float)random_range(200, 300) :
					    random_any_scale();
	op.softmax.form = random_below(NN_SOFTMAX_FORMS);
	if (has_halves)
		make_halves(length, n * width);
	op.softmax.scale_input = random_scale_like(0.05f);
}

/* Rows and elements of one, and the form. */
static void make_large(const uint32_t *p)
{
	static float half[256] __attribute__((aligned(128)));

	for (uint32_t i = 0; i < COUNT(half); i++)
		half[i] = 0.5f;
	begin_call(NN_OPCODE_SOFTMAX);
	large_constant(1, NN_TYPE_FLOAT32, COUNT(half));
	call.input[1].data = (uint8_t *)half;
	large_input(0, NN_TYPE_INT8, DIMS(p[0], p[1]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	op.softmax.scale_output = 1.0f / 256;
	op.softmax.form = p[2];
	op.softmax.scale_input = 0.1f;
}

static const struct large_call large[] = {
	{ "softmax", make_large, { 1 << 14, 64 } },
	{ "softmax of long vectors", make_large, { 2, 1 << 19 } },
	{ "softmax of short vectors", make_large, { 1 << 17, 2 } },
	{ "softmax's logarithm", make_large, { 1 << 10, 256, NN_SOFTMAX_LOG_FLOAT } },
	{ "softmax's logarithm of short vectors", make_large, { 1 << 17, 2, NN_SOFTMAX_LOG_TENSORFLOW } },
	{ "softmax in float32", make_large, { 1 << 10, 256, NN_SOFTMAX_FLOAT } },
};

const struct kernel_test nn_softmax_test = {
	.make_random = make_random,
	.in_place = 1,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
