/* SPDX-License-Identifier: MIT */
/* Formulas of ONNX operators of one number, or of two. */
#ifndef NN_IMPORT_ONNX_FORMULAS_H
#define NN_IMPORT_ONNX_FORMULAS_H

#include "import/onnx/onnx.h"

/* Attributes of a node; alpha and beta only mean something to operators that have them. */
struct onnx_parameters {
	float alpha, beta;
	bool is_tanh; /* Gelu's approximate */
};

/* The bounds of how far a runtime's result may be from the one here. */
enum onnx_function_error {
	ONNX_ROUNDED, /* a few units in its last place */
	ONNX_EXACT,
	ONNX_CANCELLING, /* in those of what it is a difference of, 1 or x */
};

struct onnx_function {
	const char *name;
	float (*of_one)(float x, const struct onnx_parameters *parameters);
	float (*of_two)(float a, float b); /* of more: of the result and the next */
	enum onnx_function_error error;
	struct onnx_parameters otherwise; /* where the model does not say */
	const char *alpha, *beta; /* the attributes; NULL: "alpha", "beta" */
};

/* Clamps x; one that is no number stays so. */
static inline float onnx_clamp(float x, float low, float high)
{
	return x < low ? low : x > high ? high : x;
}

/* What the current node's attributes say (function.c). */
struct onnx_parameters onnx_read_parameters(struct onnx_import *import,
					    const struct onnx_function *function);
/* NULL: there is none of that name. */
const struct onnx_function *onnx_find_function(const Onnx__NodeProto *node);
/* Returns how far a runtime's result of x, or of x and another number, may be from this one. */
float onnx_find_doubt(const struct onnx_function *function, float x, float result,
		      const struct onnx_parameters *parameters);

#endif
