// SPDX-License-Identifier: MIT
/*
 * The functions of fractions for vectors (dsp/hvx/int16/fractions.h) against those for one number,
 * of every number there is. Runs in qemu-hexagon.
 */
#include "dsp/hvx/int16/fractions.h"
#include "dsp/kernels/fractions.h"
#include "harness.h"

#define LANES 64

typedef HVX_Vector vector_fp(HVX_Vector a, uint32_t whole);
typedef int32_t number_fp(int32_t a, uint32_t whole);

static HVX_Vector one_sigmoid(HVX_Vector a, uint32_t whole)
{
	HVX_Vector all[FRACTIONS] = { a, a, a, a };
	const bool is_tanh[FRACTIONS] = { 0 };
	const uint32_t bits[FRACTIONS] = { whole, whole, whole, whole };
	const uint32_t most[FRACTIONS] = { FRACTIONS_ALL_POWERS, FRACTIONS_ALL_POWERS,
					   FRACTIONS_ALL_POWERS, FRACTIONS_ALL_POWERS };

	fractions_activate(all, is_tanh, bits, most, true);
	return all[0];
}

/* The same of three whole bits, as gates have them: where that is known there is less to compute. */
static HVX_Vector gate_sigmoid(HVX_Vector a, uint32_t whole)
{
	HVX_Vector all[FRACTIONS] = { a, a, a, a };
	const bool is_tanh[FRACTIONS] = { 0 };
	const uint32_t bits[FRACTIONS] = { 3, 3, 3, 3 };
	const uint32_t most[FRACTIONS] = { FRACTIONS_POWERS(3), FRACTIONS_POWERS(3),
					   FRACTIONS_POWERS(3), FRACTIONS_POWERS(3) };

	(void)whole;
	fractions_activate(all, is_tanh, bits, most, true);
	return all[0];
}

static HVX_Vector gate_tanh(HVX_Vector a, uint32_t whole)
{
	HVX_Vector all[FRACTIONS] = { a, a, a, a };
	const bool is_tanh[FRACTIONS] = { true, true, true, true };
	const uint32_t bits[FRACTIONS] = { 3, 3, 3, 3 };
	const uint32_t most[FRACTIONS] = { FRACTIONS_POWERS(4), FRACTIONS_POWERS(4),
					   FRACTIONS_POWERS(4), FRACTIONS_POWERS(4) };

	(void)whole;
	fractions_activate(all, is_tanh, bits, most, true);
	return all[0];
}

static HVX_Vector one_tanh(HVX_Vector a, uint32_t whole)
{
	HVX_Vector all[FRACTIONS] = { a, a, a, a };

	fractions_tanh(all, whole);
	return all[0];
}

static bool is_right(vector_fp *of_vector, number_fp *of_number, uint32_t whole, const char *name)
{
	int16_t numbers[LANES] __attribute__((aligned(128)));

	for (int32_t first = INT16_MIN; first <= INT16_MAX; first += LANES) {
		for (int32_t i = 0; i < LANES; i++)
			numbers[i] = first + i;
		store(numbers, of_vector(load(numbers), whole));
		for (int32_t i = 0; i < LANES; i++) {
			int32_t wanted = of_number(first + i, whole);

			if (numbers[i] == wanted)
				continue;
			print("# %s of %d with %u whole bits is %d, should be %d\n", name, first + i,
			      whole, numbers[i], wanted);
			return false;
		}
	}
	return true;
}

static bool test_all(vector_fp *of_vector, number_fp *of_number, const char *name)
{
	for (uint32_t whole = 0; whole <= 6; whole++) {
		if (!is_right(of_vector, of_number, whole, name))
			return false;
	}
	return true;
}

int main(void)
{
	plan(4);
	result(test_all(one_sigmoid, fraction_sigmoid, "sigmoid"), "sigmoid");
	result(test_all(one_tanh, fraction_tanh, "tanh"), "tanh");
	result(is_right(gate_sigmoid, fraction_sigmoid, 3, "sigmoid"), "sigmoid of three whole bits");
	result(is_right(gate_tanh, fraction_tanh, 3, "tanh"), "tanh of three whole bits");
	return finish_tests();
}
