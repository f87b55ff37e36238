// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of NORMALIZE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Factors as models have them: most near 1 and 0, some far from that. */
static void draw_factors(uint32_t i, float middle, float width)
{
	float *factor = (float *)call.input[i].data;

	for (uint32_t k = 0; k < call.input[i].dims[0]; k++) {
		factor[k] = middle + width * ((float)random_below(20001) / 10000 - 1);
		if (!random_below(50))
			factor[k] *= PICK(0, 1, 3, 9);
	}
}

/* Elements of a few values, so that a vector deviates little from its mean. */
static void narrow_input(void)
{
	uint32_t values = PICK(1, 2, 3, 10, 60), least = random_below(256 - values);

	for (uint32_t i = 0; i < call.input[0].bytes; i++)
		call.input[0].data[i] = least + call.input[0].data[i] % values;
}

/* Steps as the library finds them, of an input with this scale. */
static void draw_steps(float scale)
{
	struct nn_normalize_params *params = &op.normalize;
	float length = params->length;

	params->step = scale;
	switch (params->form) {
	case NN_NORMALIZE_CENTER:
	case NN_NORMALIZE_GIVEN:
		params->step = scale / length;
		break;
	case NN_NORMALIZE_DEVIATION:
		params->step = scale / length;
		params->square_step = params->step * params->step;
		break;
	case NN_NORMALIZE_ROOT:
		params->square_step = scale * scale / length;
		if (random_below(2))
			break;
		/* fallthrough */
	case NN_NORMALIZE_SUM:
		params->step = params->square_step = 1;
		params->epsilon = 0;
		params->scale_output = 1.0f / 128;
	}
}

static void make_random(void)
{
	uint32_t length = SIZE_TO(900, 1, 5, 16, 70, 129, 600, 2000);
	uint32_t count = SIZE_TO(70, 1, 2, 7, 64), n, vectors;
	uint32_t shared = SIZE_TO(300, 1, 2, 9, 1000);
	bool is_usual = random_below(4);
	float width = PICK(0, 1, 4);

	random_vectors(length, &n, &vectors);
	if (!random_below(40)) {
		vectors = 1;
		length = 17000;
		n = n < 4 ? n : 1;
	}
	/* A scale for each element, or each vector. */
	switch (random_below(4)) {
	case 0:
		count = length;
		shared = 1;
		break;
	case 1:
		shared = length;
	}
	begin_call(NN_OPCODE_NORMALIZE);
	random_input(0, random_8bit(), DIMS(n, vectors, length));
	random_constant(1, NN_TYPE_FLOAT32, count);
	random_constant(2, NN_TYPE_FLOAT32, count);
	random_output(random_8bit(), DIMS(n, vectors, length));
	op.normalize = (struct nn_normalize_params){
		.form = random_below(NN_NORMALIZE_FORMS),
		.length = length,
		.run = shared,
		.step = random_scale_like(0.05f),
		.square_step = random_scale_like(0.01f),
		.epsilon = random_below(3) ? 0.00001f : 0,
		.scale_output = random_below(9) ? 0.02f : random_any_scale(),
	};
	if (op.normalize.form == NN_NORMALIZE_GIVEN) {
		random_input(3, random_8bit(), DIMS(n, 1, vectors));
		random_constant(4, NN_TYPE_FLOAT32, 256);
	}
	if (random_below(3) == 0)
		narrow_input();
	if (!is_usual)
		return;
	draw_steps(random_below(2) ? 0.05f : 0.5f);
	if (random_below(4) == 0)
		op.normalize.scale_output = op.normalize.step * PICK(1, 2, 4);
	draw_factors(1, 1, width);
	draw_factors(2, 0, width);
	if (op.normalize.form == NN_NORMALIZE_GIVEN)
		draw_factors(4, 2, 2);
}

/* The most packets for a factor of each element or each vector, as models have them. */
static uint32_t most_packets(void)
{
	uint32_t length = op.normalize.length, vectors = call.input[0].bytes / length;

	if (op.normalize.run != length &&
	    (op.normalize.run != 1 || call.input[1].dims[0] != length))
		return 0;
	return 2000 + length * 3 + vectors * (500 + length * 2);
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
	.random_calls = 300,
	.most_packets = most_packets,
	.quick_calls = 60,
	.large = large,
	.large_calls = COUNT(large),
};
