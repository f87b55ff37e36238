// SPDX-License-Identifier: MIT
/*
 * Comparisons, logic, choices and counting, of numbers that are known while an ONNX model is
 * imported (numbers.c). Exporters write them around shapes, and conditions of If
 * are made of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/numbers.h"

/* ---- Arithmetic ---- */

/* Gives the result the shape and the rows that it has with an operand. */
static int join(struct onnx_import *import, struct onnx_numbers *out, const struct onnx_numbers *in)
{
	int err = onnx_join_numbers(import, out, in->rank, in->dims);

	if (!err)
		err = onnx_join_rows(import, out, in);
	return !err && out->rows_of && out->rank > 1 ? onnx_fail_batch(import) : err;
}

static int cast_to_bool(struct onnx_import *import, struct onnx_numbers *out, enum nn_element from)
{
	for (uint32_t k = 0; k < out->count; k++) {
		struct onnx_number *number = &out->at[k];

		/* There is a row at least. */
		number->i = from == NN_ELEMENT_FLOAT ? number->f != 0 : number->i != 0;
		number->batch = false;
	}
	return onnx_define_numbers(import, out);
}

int onnx_fold_cast(struct onnx_import *import)
{
	struct onnx_numbers out;
	enum nn_element from, to = onnx_cast_target(import);

	if (onnx_read_numbers(import, 0, &out))
		return onnx_failed(import);
	from = out.element;
	out.element = to;
	if (to == NN_ELEMENT_BOOL)
		return cast_to_bool(import, &out, from);
	if (to != NN_ELEMENT_INT64 && to != NN_ELEMENT_INT32 && to != NN_ELEMENT_FLOAT)
		return onnx_fail(import, -EOPNOTSUPP, "it makes %s of numbers of a shape",
				 nn_element_name(to));
	for (uint32_t k = 0; k < out.count; k++) {
		struct onnx_number *number = &out.at[k];

		if (to == from)
			continue;
		if (to == NN_ELEMENT_FLOAT) {
			number->f = number->i;
			continue;
		}
		if (from != NN_ELEMENT_FLOAT)
			continue;
		if (!(fabsf(number->f) < 0x1p62f))
			return onnx_fail(import, -EINVAL, "it makes too large a number");
		number->i = number->f;
	}
	return onnx_define_numbers(import, &out);
}

int onnx_fold_round(struct onnx_import *import)
{
	bool down = !strcmp(import->node->op_type, "Floor");
	struct onnx_numbers out;

	if (onnx_read_numbers(import, 0, &out))
		return onnx_failed(import);
	for (uint32_t k = 0; k < out.count; k++) {
		if (out.element != NN_ELEMENT_FLOAT)
			return onnx_fail(import, -EINVAL, "it rounds %s",
					 nn_element_name(out.element));
		out.at[k].f = down ? floorf(out.at[k].f) : ceilf(out.at[k].f);
	}
	return onnx_define_numbers(import, &out);
}

/* Whether f is a whole number, and so few rows that float32 has each. */
static bool is_whole(float f)
{
	return f == truncf(f) && fabsf(f) < 0x1p12f;
}

static float compute_float(char op, float a, float b)
{
	return op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
}

/* False: it cannot be told, or does not fit. */
static bool compute_int(char op, int64_t a, int64_t b, int64_t *out)
{
	switch (op) {
	case '+':
		return !__builtin_add_overflow(a, b, out);
	case '-':
		return !__builtin_sub_overflow(a, b, out);
	case '*':
		return !__builtin_mul_overflow(a, b, out);
	default:
		if (!b || (b == -1 && a == INT64_MIN))
			return false;
		*out = a / b;
		return true;
	}
}

/* Whether a and b, with what is known of the batch, make a number, and whether that has a batch. */
static bool find_batch(char op, enum nn_element element, const struct onnx_number *a,
		       const struct onnx_number *b, bool *batch)
{
	*batch = a->batch || b->batch;
	if (!*batch)
		return true;
	if (op == '*')
		return !(a->batch && b->batch);
	if (op != '/') /* of both; or of none is added to it */
		return a->batch && b->batch;
	if (!a->batch)
		return false;
	*batch = !b->batch;
	if (element == NN_ELEMENT_FLOAT)
		return true;
	return b->i > 0 && a->i % b->i == 0;
}

static int compute(struct onnx_import *import, char op, struct onnx_numbers *out, uint32_t k,
		   const struct onnx_number *a, const struct onnx_number *b)
{
	struct onnx_number *to = &out->at[k];

	if (!find_batch(op, out->element, a, b, &to->batch))
		return onnx_fail_batch(import);
	if (out->element == NN_ELEMENT_FLOAT) {
		to->f = compute_float(op, a->f, b->f);
		return to->batch && !is_whole(to->f) ? onnx_fail_batch(import) : 0;
	}
	if (!compute_int(op, a->i, b->i, &to->i))
		return onnx_fail(import, -EINVAL, "it divides by 0, or makes too large a number");
	to->batch &= to->i != 0;
	return 0;
}

int onnx_fold_arithmetic(struct onnx_import *import)
{
	const char *name = import->node->op_type;
	char op = !strcmp(name, "Add") ? '+' : !strcmp(name, "Sub") ? '-' :
		  !strcmp(name, "Mul") ? '*' : '/';
	struct onnx_numbers a, b, out;

	if (onnx_read_numbers(import, 0, &a) || onnx_read_numbers(import, 1, &b))
		return onnx_failed(import);
	if (a.element != b.element || a.element == NN_ELEMENT_BOOL)
		return onnx_fail(import, -EOPNOTSUPP, "of numbers it knows those of one type");
	out = (struct onnx_numbers){ .element = a.element };
	if (join(import, &out, &a) || join(import, &out, &b) || onnx_make_numbers(import, &out))
		return onnx_failed(import);
	for (uint32_t k = 0; k < out.count; k++) {
		if (compute(import, op, &out, k, onnx_number_at(&a, &out, k),
			    onnx_number_at(&b, &out, k)))
			return onnx_failed(import);
	}
	return onnx_define_numbers(import, &out);
}

/* ---- One operand ---- */

int onnx_fold_one(struct onnx_import *import)
{
	const char *op = import->node->op_type;
	bool is_not = !strcmp(op, "Not"), is_abs = !strcmp(op, "Abs");
	struct onnx_numbers out;

	if (onnx_read_numbers(import, 0, &out))
		return onnx_failed(import);
	if (is_not != (out.element == NN_ELEMENT_BOOL))
		return onnx_fail(import, -EINVAL, "its input is of %s",
				 nn_element_name(out.element));
	for (uint32_t k = 0; k < out.count; k++) {
		struct onnx_number *number = &out.at[k];

		if (out.element == NN_ELEMENT_FLOAT)
			number->f = is_abs ? fabsf(number->f) : -number->f;
		else if (is_not)
			number->i = !number->i;
		else if (number->i == INT64_MIN)
			return onnx_fail(import, -EOPNOTSUPP, "its result is too large");
		else if (!is_abs || number->i < 0)
			number->i = -number->i;
	}
	return onnx_define_numbers(import, &out);
}

int onnx_fold_function(struct onnx_import *import)
{
	const struct nn_formula *function = onnx_find_function(import->node);
	struct nn_formula_parameters parameters = onnx_read_parameters(import, function);
	struct onnx_numbers a, b = { 0 }, out;

	if (onnx_read_numbers(import, 0, &a) ||
	    (function->of_two && onnx_read_numbers(import, 1, &b)))
		return onnx_failed(import);
	out = (struct onnx_numbers){ .element = a.element };
	if (join(import, &out, &a) || join(import, &out, &b) || onnx_make_numbers(import, &out))
		return onnx_failed(import);
	if (a.element != NN_ELEMENT_FLOAT || (function->of_two && b.element != NN_ELEMENT_FLOAT))
		return onnx_fail(import, -EOPNOTSUPP, "of numbers it knows those of float");
	if (a.rows_of || b.rows_of)
		return onnx_fail_batch(import);
	for (uint32_t k = 0; k < out.count; k++) {
		float x = onnx_number_at(&a, &out, k)->f;

		out.at[k].f = function->of_two ? function->of_two(x, onnx_number_at(&b, &out, k)->f) :
						 function->of_one(x, &parameters);
	}
	return onnx_define_numbers(import, &out);
}

/* ---- Two ---- */

enum order { LESS, EQUAL, GREATER, UNORDERED };

/*
 * How a is to b: false: that depends on the batch. There is at least one row, so that what has a
 * batch, and is not below 0, is above all that is not above 0.
 */
static bool compare(enum nn_element element, const struct onnx_number *a,
		    const struct onnx_number *b, enum order *order)
{
	if (element == NN_ELEMENT_FLOAT) {
		*order = a->f < b->f  ? LESS :
			 a->f > b->f  ? GREATER :
			 a->f == b->f ? EQUAL :
					UNORDERED;
		if (a->batch == b->batch)
			return true;
		return a->batch ? a->f > 0 && b->f <= 0 : b->f > 0 && a->f <= 0;
	}
	*order = a->i < b->i ? LESS : a->i > b->i ? GREATER : EQUAL;
	if (a->batch == b->batch)
		return true;
	return a->batch ? a->i > 0 && b->i <= 0 : b->i > 0 && a->i <= 0;
}

static bool is_so(const char *op, enum order order)
{
	if (!strcmp(op, "Equal"))
		return order == EQUAL;
	if (!strcmp(op, "Less"))
		return order == LESS;
	if (!strcmp(op, "LessOrEqual"))
		return order == LESS || order == EQUAL;
	if (!strcmp(op, "Greater"))
		return order == GREATER;
	return order == GREATER || order == EQUAL;
}

static bool is_logic(const char *op)
{
	return !strcmp(op, "And") || !strcmp(op, "Or") || !strcmp(op, "Xor");
}

/* The remainder, which has the sign of b, or with fmod that of a. */
static int find_remainder(struct onnx_import *import, const struct onnx_number *a,
			  const struct onnx_number *b, int64_t *out)
{
	bool fmod = onnx_attr_int(import->node, "fmod", 0);

	if (a->batch || b->batch)
		return onnx_fail_batch(import);
	if (!b->i || b->i == -1) {
		*out = 0;
		return b->i ? 0 : onnx_fail(import, -EINVAL, "it divides by 0");
	}
	*out = a->i % b->i;
	if (!fmod && *out && (*out < 0) != (b->i < 0))
		*out += b->i;
	return 0;
}

/* One element of the operators that onnx_fold_two() is for. */
static int fold_pair(struct onnx_import *import, enum nn_element element,
		     const struct onnx_number *a, const struct onnx_number *b,
		     struct onnx_number *out)
{
	const char *op = import->node->op_type;
	enum order order;

	if (!strcmp(op, "Mod"))
		return find_remainder(import, a, b, &out->i);
	if (!strcmp(op, "And")) {
		out->i = a->i && b->i;
	} else if (!strcmp(op, "Or")) {
		out->i = a->i || b->i;
	} else if (!strcmp(op, "Xor")) {
		out->i = a->i != b->i;
	} else if (!compare(element, a, b, &order)) {
		return onnx_fail_batch(import);
	} else if (!strcmp(op, "Max") || !strcmp(op, "Min")) {
		*out = order == UNORDERED	      ? (isnan(a->f) ? *a : *b) :
		       (order == LESS) == (op[1] == 'a') ? *b :
							   *a;
	} else {
		out->i = is_so(op, order);
	}
	return 0;
}

int onnx_fold_two(struct onnx_import *import)
{
	const char *op = import->node->op_type;
	bool is_extreme = !strcmp(op, "Max") || !strcmp(op, "Min"), is_mod = !strcmp(op, "Mod");
	struct onnx_numbers a, b, out;
	enum nn_element element;

	if (onnx_read_numbers(import, 0, &a))
		return onnx_failed(import);
	element = a.element;
	if (is_logic(op) != (element == NN_ELEMENT_BOOL) && strcmp(op, "Equal"))
		return onnx_fail(import, -EINVAL, "its inputs are of %s", nn_element_name(element));
	if (is_mod && element == NN_ELEMENT_FLOAT)
		return onnx_fail(import, -EOPNOTSUPP, "its inputs are of float32");
	out = a;
	for (uint32_t i = 1; i < import->node->n_input; i++) {
		if (onnx_read_numbers(import, i, &b))
			return onnx_failed(import);
		if (b.element != element)
			return onnx_fail(import, -EINVAL, "its inputs are of %s and %s",
					 nn_element_name(element), nn_element_name(b.element));
		out = (struct onnx_numbers){ .element = element };
		if (join(import, &out, &a) || join(import, &out, &b) ||
		    onnx_make_numbers(import, &out))
			return onnx_failed(import);
		for (uint32_t k = 0; k < out.count; k++) {
			if (fold_pair(import, element, onnx_number_at(&a, &out, k),
				      onnx_number_at(&b, &out, k), &out.at[k]))
				return onnx_failed(import);
		}
		a = out;
	}
	out.element = is_extreme || is_mod ? element : NN_ELEMENT_BOOL;
	return onnx_define_numbers(import, &out);
}

/* ---- Where ---- */

int onnx_fold_where(struct onnx_import *import)
{
	struct onnx_numbers which, x[2], out;

	if (onnx_read_numbers(import, 0, &which) || onnx_read_numbers(import, 1, &x[1]) ||
	    onnx_read_numbers(import, 2, &x[0]))
		return onnx_failed(import);
	if (which.element != NN_ELEMENT_BOOL || x[0].element != x[1].element)
		return onnx_fail(import, -EINVAL, "it chooses by %s between %s and %s",
				 nn_element_name(which.element), nn_element_name(x[1].element),
				 nn_element_name(x[0].element));
	out = (struct onnx_numbers){ .element = x[0].element };
	if (join(import, &out, &which) || join(import, &out, &x[0]) || join(import, &out, &x[1]) ||
	    onnx_make_numbers(import, &out))
		return onnx_failed(import);
	for (uint32_t k = 0; k < out.count; k++)
		out.at[k] = *onnx_number_at(&x[onnx_number_at(&which, &out, k)->i != 0], &out, k);
	return onnx_define_numbers(import, &out);
}

/* ---- Reductions ---- */

/* Adds a number to what is reduced so far. */
static int reduce_one(struct onnx_import *import, enum nn_element element, struct onnx_number *sum,
		      const struct onnx_number *number)
{
	const char *op = import->node->op_type;

	if (!strcmp(op, "ReduceProd")) {
		if (sum->batch && number->batch)
			return onnx_fail_batch(import);
		sum->batch |= number->batch;
		if (!__builtin_mul_overflow(sum->i, number->i, &sum->i))
			return 0;
		return onnx_fail(import, -EINVAL, "it makes too large a number");
	}
	if (sum->batch || number->batch)
		return onnx_fail_batch(import);
	if (element == NN_ELEMENT_FLOAT)
		sum->f = (number->f > sum->f) == !strcmp(op, "ReduceMax") ? number->f : sum->f;
	else if (!strcmp(op, "ReduceMax"))
		sum->i = sum->i > number->i ? sum->i : number->i;
	else if (!strcmp(op, "ReduceMin"))
		sum->i = sum->i < number->i ? sum->i : number->i;
	else if (__builtin_add_overflow(sum->i, number->i, &sum->i))
		return onnx_fail(import, -EINVAL, "it makes too large a number");
	return 0;
}

/* Whether it reduces numbers of that type: the greatest float is the same in any order. */
static bool reduces(const struct onnx_import *import, const struct onnx_numbers *in)
{
	const char *op = import->node->op_type;

	if (in->element == NN_ELEMENT_FLOAT) {
		for (uint32_t k = 0; k < in->count; k++) {
			if (isnan(in->at[k].f) || in->at[k].batch)
				return false;
		}
		return !strcmp(op, "ReduceMax") || !strcmp(op, "ReduceMin");
	}
	return in->element == NN_ELEMENT_INT64 || in->element == NN_ELEMENT_INT32;
}

/* A bit for each dimension that goes. */
static int read_reduced(struct onnx_import *import, uint32_t rank, uint32_t *out)
{
	int64_t axes[NN_MAX_RANK];
	uint32_t count;
	int err = onnx_read_ints(import, 1, "axes", axes, &count);

	*out = 0;
	if (err || (!count && onnx_attr_int(import->node, "noop_with_empty_axes", 0)))
		return err;
	if (!count)
		*out = (1u << rank) - 1;
	for (uint32_t i = 0; i < count; i++) {
		if (axes[i] < -(int64_t)rank || axes[i] >= rank)
			return onnx_fail(import, -EINVAL,
					 "it reduces dimension %" PRId64 " of %" PRIu32, axes[i],
					 rank);
		*out |= 1u << (axes[i] < 0 ? axes[i] + rank : axes[i]);
	}
	return 0;
}

/* The number of the result that number k goes into, by what is left of the dimensions. */
static uint32_t reduced_index(const struct onnx_numbers *in, uint32_t axes, uint32_t k)
{
	uint32_t to = 0, stride = 1;

	for (uint32_t i = in->rank; i--; k /= in->dims[i]) {
		if (axes >> i & 1)
			continue;
		to += k % in->dims[i] * stride;
		stride *= in->dims[i];
	}
	return to;
}

int onnx_fold_reduce(struct onnx_import *import)
{
	bool keep = onnx_attr_int(import->node, "keepdims", 1), *seen;
	struct onnx_numbers in, out;
	uint32_t axes;
	int err;

	if (onnx_read_numbers(import, 0, &in))
		return onnx_failed(import);
	err = read_reduced(import, in.rank, &axes);
	if (err)
		return err;
	if (!in.count || !reduces(import, &in))
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers it knows integers, and the greatest or least float");
	out = in;
	out.rank = 0;
	for (uint32_t i = 0; i < in.rank; i++) {
		bool goes = axes >> i & 1;

		if (!goes || keep)
			out.dims[out.rank++] = goes ? 1 : in.dims[i];
	}
	err = onnx_make_numbers(import, &out);
	seen = err ? NULL : onnx_alloc(import, out.count, sizeof(*seen));
	if (!seen)
		return err ? err : -ENOMEM;
	for (uint32_t k = 0; k < in.count && !err; k++) {
		uint32_t to = reduced_index(&in, axes, k);

		if (!seen[to])
			out.at[to] = in.at[k];
		else
			err = reduce_one(import, in.element, &out.at[to], &in.at[k]);
		seen[to] = true;
	}
	return err ? err : onnx_define_numbers(import, &out);
}

/* ---- CumSum ---- */

/* Adds number `from`, if it is not left out, to what is in front of number k; in float32 one by one. */
static int cumulate(struct onnx_import *import, const struct onnx_numbers *in,
		    struct onnx_numbers *out, uint32_t k, const uint32_t *last, const uint32_t *from)
{
	struct onnx_number sum = { 0 };

	if (last)
		sum = out->at[*last];
	if (from && in->at[*from].batch)
		return onnx_fail_batch(import);
	if (from && in->element == NN_ELEMENT_FLOAT)
		sum.f += in->at[*from].f;
	else if (from && __builtin_add_overflow(sum.i, in->at[*from].i, &sum.i))
		return onnx_fail(import, -EINVAL, "it makes too large a number");
	out->at[k] = sum;
	return 0;
}

int onnx_fold_cum_sum(struct onnx_import *import)
{
	bool exclusive = onnx_attr_int(import->node, "exclusive", 0);
	bool backwards = onnx_attr_int(import->node, "reverse", 0);
	struct onnx_numbers in, axes, out;
	uint32_t inner = 1, size;
	int64_t axis;
	int err;

	if (onnx_read_numbers(import, 0, &in) || onnx_read_numbers(import, 1, &axes))
		return onnx_failed(import);
	axis = axes.count ? axes.at[0].i : 0;
	if (axes.count != 1 || axes.at[0].batch || axes.element == NN_ELEMENT_FLOAT ||
	    axis < -(int64_t)in.rank || axis >= in.rank)
		return onnx_fail(import, -EINVAL, "its axis is no dimension");
	if (in.element == NN_ELEMENT_BOOL)
		return onnx_fail(import, -EINVAL, "its input is of bool");
	axis += axis < 0 ? in.rank : 0;
	size = in.dims[axis];
	for (uint32_t i = axis + 1; i < in.rank; i++)
		inner *= in.dims[i];
	out = in;
	err = onnx_make_numbers(import, &out);
	for (uint32_t n = 0; n < in.count && !err; n++) {
		/* Elements along the axis come one behind the other, from the end that it begins at. */
		uint32_t place = n / inner % size, outer = n / inner / size * size;
		uint32_t at = backwards ? size - 1 - place : place;
		uint32_t k = (outer + at) * inner + n % inner;
		uint32_t last = backwards ? k + inner : k - inner;

		err = cumulate(import, &in, &out, k, place ? &last : NULL,
			       !exclusive ? &k : place ? &last : NULL);
	}
	return err ? err : onnx_define_numbers(import, &out);
}
