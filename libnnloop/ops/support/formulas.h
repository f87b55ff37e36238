/* SPDX-License-Identifier: MIT */
/* Formulas of one number, or of two, by the names that ONNX has for them. */
#ifndef NN_OPS_FORMULAS_H
#define NN_OPS_FORMULAS_H

#include <stdbool.h>

/* Attributes of an operator; alpha and beta only mean something to those that have them. */
struct nn_formula_parameters {
	float alpha, beta;
	bool is_tanh; /* Gelu's approximate */
};

/* The bounds of how far a runtime's result may be from the one here. */
enum nn_formula_error {
	NN_FORMULA_ROUNDED, /* a few units in its last place */
	NN_FORMULA_EXACT,
	NN_FORMULA_CANCELLING, /* in those of what it is a difference of, 1 or x */
};

struct nn_formula {
	const char *name;
	float (*of_one)(float x, const struct nn_formula_parameters *parameters);
	float (*of_two)(float a, float b); /* of more: of the result and the next */
	enum nn_formula_error error;
	struct nn_formula_parameters otherwise; /* where the model does not say */
	const char *alpha, *beta; /* the attributes; NULL: "alpha", "beta" */
};

/* Clamps x; one that is no number stays so. */
static inline float nn_formula_clamp(float x, float low, float high)
{
	return x < low ? low : x > high ? high : x;
}

/* NULL: there is none of that name. */
const struct nn_formula *nn_formula_find(const char *name);
/* Returns how far a runtime's result of x, or of x and another number, may be from this one. */
float nn_formula_doubt(const struct nn_formula *formula, float x, float result,
		       const struct nn_formula_parameters *parameters);

#endif
