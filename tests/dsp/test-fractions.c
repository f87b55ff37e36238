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

	fractions_activate(all, is_tanh, bits);
	return all[0];
}

static HVX_Vector one_tanh(HVX_Vector a, uint32_t whole)
{
	return fractions_tanh(a, whole);
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
	plan(2);
	result(test_all(one_sigmoid, fraction_sigmoid, "sigmoid"), "sigmoid");
	result(test_all(one_tanh, fraction_tanh, "tanh"), "tanh");
	return finish_tests();
}
