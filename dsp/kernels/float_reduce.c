// SPDX-License-Identifier: MIT
/*
 * FLOAT_REDUCE: input and output FLOAT32, of the same rows. A row of the input is vectors of `length`
 * elements, which are `inner` elements apart: with I = inner, vector v is elements
 * v / I * length * I + v % I + k * I. A row of the output has an element for each vector, in their
 * order, or where a function makes a vector of a vector, what the input has, in place.
 *
 * Sums are of double, from element 0 on, functions those of dsp/kernels/reals.h, and each result is
 * rounded to float32 once. With m the mean, d the difference of an element and m, and e the parameter
 * epsilon:
 *
 *	SUM MEAN PRODUCT	of the elements
 *	MAX MIN			no number, if one of them is none
 *	SUM_MAGNITUDES SUM_SQUARES LENGTH (the root of that)
 *	LOG_SUM LOG_SUM_EXPONENTIAL: log of the sum; and the greatest, plus log of the sum of e to the
 *		power of each less that
 *	SOFTMAX LOG_SOFTMAX: e to the power of each less the greatest, divided by the sum of these,
 *		which, other than the powers that are divided, are rounded to float32; its logarithm
 *	DEVIATION: d / root(mean of d * d, plus e)	RMS: x / root(mean of x * x, plus e)
 *	DIVIDE_BY_SUM DIVIDE_BY_LENGTH: x / the greater of e and the sum of magnitudes, or the length
 *	CUMULATE CUMULATE_BACKWARDS: sums up to each element, from the first or the last on
 *	CUMULATE_BEFORE CUMULATE_BEHIND: the same without the element itself
 *	HARD_MAX: 1 for the first of the greatest, else 0
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/reals.h"

#define VECTOR_WORK	1024
#define ELEMENT_WORK	48
#define EXTREME_WORK	16
#define REPORT_ELEMENTS	64u	/* between two looks at the work done */
#define FUNCTION_WORK	600	/* of an element, a power or a quotient among them */

static bool makes_one(uint32_t function)
{
	return function < NN_FLOAT_SOFTMAX;
}

enum nn_program_reason nn_float_reduce_check(const struct nn_call *call)
{
	const struct nn_float_reduce_params *params = &call->op->float_reduce;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t vector = (uint64_t)params->length * params->inner * sizeof(float);

	if (!operands_are(call, 1, 1) || !is_float(input) || !is_float(output))
		return NN_REASON_OPERAND;
	if (params->function >= NN_FLOAT_REDUCTIONS ||
	    (params->function > NN_FLOAT_LOG_SUM_EXPONENTIAL && makes_one(params->function)) ||
	    params->length < 1 || params->inner < 1 ||
	    !(params->epsilon >= 0) || params->epsilon > __FLT_MAX__)
		return NN_REASON_PARAMETER;
	if (!same_rows(input, output) || input->row_bytes % vector ||
	    output->row_bytes != (makes_one(params->function) ?
				  input->row_bytes / params->length : input->row_bytes))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* A vector, and how far its elements are apart. */
struct vector {
	const float *x;
	uint64_t step;
	uint32_t length;
	double epsilon;
	uint32_t work;		/* of going on to an element */
};

static int report(struct progress *progress, const struct vector *v, uint32_t k, uint32_t work)
{
	return k % REPORT_ELEMENTS ? 0 :
				     progress_add(progress, NN_PAGE_WORK + REPORT_ELEMENTS * (work + v->work));
}

/* Returns what an element adds to the sum that a function needs. */
static inline double term_of(uint32_t function, double x, double from)
{
	switch (function) {
	case NN_FLOAT_SUM_MAGNITUDES:
	case NN_FLOAT_DIVIDE_BY_SUM:
		return real_magnitude(x);
	case NN_FLOAT_SUM_SQUARES:
	case NN_FLOAT_LENGTH:
	case NN_FLOAT_DIVIDE_BY_LENGTH:
	case NN_FLOAT_RMS:
	case NN_FLOAT_DEVIATION:
		return (x - from) * (x - from);
	case NN_FLOAT_LOG_SUM_EXPONENTIAL:
	case NN_FLOAT_LOG_SOFTMAX:
	case NN_FLOAT_SOFTMAX:
		return real_exponential(x - from);
	}
	return x;
}

static int add_up(struct progress *progress, const struct vector *v, uint32_t function, double from,
		  double *sum)
{
	bool is_power = function == NN_FLOAT_LOG_SUM_EXPONENTIAL || function == NN_FLOAT_SOFTMAX ||
			function == NN_FLOAT_LOG_SOFTMAX;

	*sum = 0;
	for (uint32_t k = 0; k < v->length; k++) {
		int ret = report(progress, v, k, is_power ? FUNCTION_WORK : ELEMENT_WORK);

		if (ret)
			return ret;
		*sum += term_of(function, v->x[k * v->step], from);
	}
	return 0;
}

static int multiply_up(struct progress *progress, const struct vector *v, double *product)
{
	*product = 1;
	for (uint32_t k = 0; k < v->length; k++) {
		int ret = report(progress, v, k, ELEMENT_WORK);

		if (ret)
			return ret;
		*product *= v->x[k * v->step];
	}
	return 0;
}

static int find_extreme(struct progress *progress, const struct vector *v, bool least, float *out)
{
	/* Keys are in the order of the numbers, and what is no number has the greatest magnitude. */
	const int32_t flip = least ? -1 : 0;
	int32_t most = INT32_MIN, magnitude = 0;
	const float *x = v->x;

	for (uint32_t k = 0; k < v->length;) {
		uint32_t end = min_u32(v->length - k, REPORT_ELEMENTS) + k;
		int ret = report(progress, v, k, EXTREME_WORK);

		if (ret)
			return ret;
		for (; k < end; k++, x += v->step) {
			int32_t key = float_key(*x) ^ flip, its = bits_of_float(*x) & 0x7fffffff;

			most = key > most ? key : most;
			magnitude = its > magnitude ? its : magnitude;
		}
	}
	most ^= flip;
	most = magnitude > 0x7f800000 ? (int32_t)FLOAT_NOT_A_NUMBER :
					  most ^ (most >> 31 & 0x7fffffff);
	*out = (union float_bits){ .bits = (uint32_t)most }.value;
	return 0;
}

/* Functions that make one number of a vector. */
static int reduce(struct progress *progress, uint32_t function, const struct vector *v, float *out)
{
	float max = 0;
	double sum = 0, result;
	int ret = 0;

	if (function == NN_FLOAT_REDUCE_MAX || function == NN_FLOAT_REDUCE_MIN) {
		ret = find_extreme(progress, v, function == NN_FLOAT_REDUCE_MIN, &max);
		*out = float_result(max);
		return ret;
	}
	if (function == NN_FLOAT_PRODUCT)
		ret = multiply_up(progress, v, &sum);
	if (function == NN_FLOAT_LOG_SUM_EXPONENTIAL)
		ret = find_extreme(progress, v, false, &max);
	/* There is nothing to be added to the greatest if that is infinite. */
	if (function == NN_FLOAT_LOG_SUM_EXPONENTIAL && real_is_infinite(max)) {
		*out = max;
		return ret;
	}
	if (!ret && function != NN_FLOAT_PRODUCT)
		ret = add_up(progress, v, function, max, &sum);
	result = sum;
	if (function == NN_FLOAT_MEAN)
		result = real_divide(sum, v->length);
	else if (function == NN_FLOAT_LENGTH)
		result = real_square_root(sum);
	else if (function == NN_FLOAT_LOG_SUM)
		result = real_logarithm(sum);
	else if (function == NN_FLOAT_LOG_SUM_EXPONENTIAL)
		result = max + real_logarithm(sum);
	*out = float_result((float)result);
	return ret;
}

/* A norm is what all elements of a vector are less, and what they are divided by. */
struct norm {
	double less, divisor;
};

static int find_norm(struct progress *progress, uint32_t function, const struct vector *v,
		     struct norm *norm)
{
	float max = 0;
	double sum;
	int ret = 0;

	*norm = (struct norm){ .divisor = 1 };
	if (function == NN_FLOAT_SOFTMAX || function == NN_FLOAT_LOG_SOFTMAX ||
	    function == NN_FLOAT_HARD_MAX) {
		ret = find_extreme(progress, v, false, &max);
		norm->less = max;
	}
	if (!ret && function == NN_FLOAT_DEVIATION) {
		ret = add_up(progress, v, NN_FLOAT_SUM, 0, &sum);
		norm->less = real_divide(sum, v->length);
	}
	if (ret || function == NN_FLOAT_HARD_MAX)
		return ret;
	ret = add_up(progress, v, function, norm->less, &sum);
	if (function == NN_FLOAT_DEVIATION || function == NN_FLOAT_RMS)
		norm->divisor = real_square_root(real_divide(sum, v->length) + v->epsilon);
	else if (function == NN_FLOAT_DIVIDE_BY_LENGTH)
		norm->divisor = real_square_root(sum);
	else if (function == NN_FLOAT_LOG_SOFTMAX)
		norm->divisor = real_logarithm(sum);
	else
		norm->divisor = sum;
	if (function >= NN_FLOAT_DIVIDE_BY_SUM && norm->divisor < v->epsilon)
		norm->divisor = v->epsilon;
	return ret;
}

static int normalize(struct progress *progress, uint32_t function, const struct vector *v,
		     float *out)
{
	bool found = false;
	struct norm norm;
	int ret = find_norm(progress, function, v, &norm);

	for (uint32_t k = 0; k < v->length && !ret; k++) {
		double x = v->x[k * v->step] - norm.less, result;

		ret = report(progress, v, k, FUNCTION_WORK);
		if (function == NN_FLOAT_HARD_MAX) {
			result = x == 0 && !found;
			found |= x == 0;
		} else if (function == NN_FLOAT_LOG_SOFTMAX) {
			result = x - norm.divisor;
		} else {
			if (function == NN_FLOAT_SOFTMAX)
				x = real_exponential(x);
			result = real_divide(x, norm.divisor);
		}
		out[k * v->step] = float_result((float)result);
	}
	return ret;
}

static int cumulate(struct progress *progress, uint32_t function, const struct vector *v, float *out)
{
	bool back = function == NN_FLOAT_CUMULATE_BACKWARDS ||
		    function == NN_FLOAT_CUMULATE_BEHIND;
	bool apart = function >= NN_FLOAT_CUMULATE_BEFORE;
	double sum = 0;

	for (uint32_t k = 0; k < v->length; k++) {
		uint64_t at = (back ? v->length - 1 - k : k) * v->step;
		float x = v->x[at];
		int ret = report(progress, v, k, ELEMENT_WORK);

		if (ret)
			return ret;
		out[at] = float_result((float)(apart ? sum : sum + x));
		sum += x;
	}
	return 0;
}

int nn_float_reduce_portable(const struct nn_call *call)
{
	const struct nn_float_reduce_params *params = &call->op->float_reduce;
	uint64_t count = call->input[0].bytes / sizeof(float) / params->length;
	const float *input = (const float *)call->input[0].data;
	float *output = (float *)call->output[0].data;
	struct vector v = { .step = params->inner, .length = params->length,
			    .epsilon = params->epsilon,
			    .work = stride_work(4ull * params->inner) };
	struct progress progress = { .call = call };

	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i / v.step * v.length * v.step + i % v.step;
		int ret = progress_add(&progress, VECTOR_WORK);

		v.x = input + at;
		if (!ret && makes_one(params->function))
			ret = reduce(&progress, params->function, &v, output + i);
		else if (!ret && params->function >= NN_FLOAT_CUMULATE)
			ret = cumulate(&progress, params->function, &v, output + at);
		else if (!ret)
			ret = normalize(&progress, params->function, &v, output + at);
		if (ret)
			return ret;
	}
	return 0;
}
