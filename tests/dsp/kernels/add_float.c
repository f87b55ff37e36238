// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of ADD_FLOAT, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* The element of an operand, INT8 or UINT8, that is farthest up, or down, from its zero point. */
static int32_t farthest(const struct nn_tensor *tensor, bool up)
{
	int32_t low = tensor->type == NN_TYPE_INT8 ? -128 : 0;

	return up ? low + 255 : low;
}

/*
 * Scales and a first element of either operand with which an error bound is nearly reached: both
 * are as far as can be from their zero points, and their sum is next to a half.
 */
static void make_ties(struct nn_add_float_params *add)
{
	struct nn_tensor *a = &call.input[0], *b = &call.input[1];
	bool up = random_below(2);
	int32_t x, y, half = 2 * random_range(0, 100) - 99;

	a->zero_point = farthest(a, !up) + (int32_t)random_below(3) * (up ? 1 : -1);
	b->zero_point = farthest(b, up) - (int32_t)random_below(3) * (up ? 1 : -1);
	x = farthest(a, up) - a->zero_point;
	y = farthest(b, !up) - b->zero_point;
	add->scale_a = add->scale_output * (float)random_range(1 << 10, 1 << 17) / (1 << 12);
	add->scale_b = ((float)half * 0.5f * add->scale_output - (float)x * add->scale_a) / (float)y;
	if (call.output[0].bytes) {
		a->data[0] = x + a->zero_point;
		b->data[0] = y + b->zero_point;
	}
}

/*
 * Scales so simple that float32 rounds nothing: many sums are ties. With 9 bits and more it does.
 */
static void make_simple(struct nn_add_float_params *add)
{
	add->scale_output = (float)PICK(1, 1 << 10, 1 << 28) / (1 << 20);
	add->scale_a = add->scale_output * (float)random_range(1, PICK(4, 1 << 8, 1 << 15)) /
		       (float)PICK(1, 2, 8, 1 << 10);
	add->scale_b = add->scale_output * (float)random_range(1, PICK(4, 1 << 8, 1 << 15)) /
		       (float)PICK(1, 2, 8, 1 << 10);
}

/*
 * One number of up to 24 bits, times powers of two: many sums are ties, and float32 rounds. Some
 * are next to a power of two, where the last bit of what they round to changes.
 */
static void make_alike(struct nn_add_float_params *add)
{
	uint32_t last = random_below(2) ? 1 : 1u << random_below(20);
	uint32_t number = (1u << 23) + random_below(1u << 23) / last * last;
	uint32_t odd = random_range(1, 255) * 2 + 1, bits = 23;

	if (random_below(2)) {
		while (odd >> (bits - 23))
			bits++;
		number = (uint32_t)((1ull << bits) / odd) + random_range(0, 2);
	}
	add->scale_output = (float)number / (1 << 25);
	add->scale_a = add->scale_output / (float)(1u << random_below(random_below(3) ? 3 : 8));
	add->scale_b = add->scale_output / (float)(1u << random_below(random_below(3) ? 3 : 8));
	add->scale_a *= random_below(4) ? 1 : 4;
}

static void make_random(void)
{
	/* In place, where all addresses are multiples of 128 the assembly is another. */
	uint32_t size = random_below(3) ? random_size()
		       : random_below(2) ? 128 * random_range(12, 40) : random_range(1500, 5000);
	uint32_t dims[NN_MAX_RANK], rank = random_dims(random_rows(), size, dims);
	struct nn_add_float_params *add = &op.add_float;

	begin_call(NN_OPCODE_ADD_FLOAT);
	random_input(0, random_8bit(), rank, dims);
	random_input(1, random_8bit(), rank, dims);
	random_output(random_8bit(), rank, dims);
	do {
		add->scale_output = random_below(30) ? (float)random_range(1, 99) / 64
						     : random_any_scale();
		add->scale_a = random_scale_like(add->scale_output);
		add->scale_b = random_scale_like(random_below(2) ? add->scale_a
								 : add->scale_output);
		/* With many elements few are ties, and the assembly runs. */
		switch (random_below(size < 1500 ? 4 : 10)) {
		case 0:
			make_simple(add);
			break;
		case 1:
		case 2:
			make_ties(add);
			break;
		case 3:
			make_alike(add);
			break;
		}
		add->form = random_below(NN_ADD_FORMS);
	} while (nn_kernels[NN_OPCODE_ADD_FLOAT].check(&call));
}

/*
 * The assembly takes 12 packets for a vector, and what is left 45; around them are some hundred,
 * and 80 for each result that may be a tie. By elements it is more than 3,000 for a vector.
 */
static uint32_t most_packets(void)
{
	uint32_t vectors = call.output[0].bytes / 128;

	return vectors > 11 ? 600 + 30 * vectors : 0;
}

/* Rows and elements of one; the form; and scales: no result is a tie, all may be, and others. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ADD_FLOAT);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT8, DIMS(p[0], p[1]));
	call.input[0].zero_point = p[3];
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
	op.add_float = (struct nn_add_float_params){ 0.25f, 0.25f, p[3] ? 0.5f : 0.25f, p[2] };
	if (p[4])
		op.add_float = (struct nn_add_float_params){ 0.3f, 0.3f, 0.6f, p[2] };
}

static const struct large_call large[] = {
	{ "add_float", make_large, { 2, 16 << 20, NN_ADD_DEQUANTIZED, 0 } },
	{ "add_float of many rows", make_large, { 16 << 20, 1, NN_ADD_FUSED, 0 } },
	{ "add_float with ties alone", make_large, { 2, 16 << 20, NN_ADD_DEQUANTIZED, 1 } },
	{ "add_float with ties of scales that are alike", make_large,
	  { 2, 16 << 20, NN_ADD_DEQUANTIZED, 1, 1 } },
	{ "add_float with ties alone, fused", make_large, { 2, 16 << 20, NN_ADD_FUSED, 1 } },
};

const struct kernel_test nn_add_float_test = {
	.make_random = make_random,
	.in_place = 2,
	.random_calls = 250,
	.most_packets = most_packets,
	.quick_calls = 13,
	.large = large,
	.large_calls = COUNT(large),
};
