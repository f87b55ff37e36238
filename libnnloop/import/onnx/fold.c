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

/* ---- Shapes of results ---- */

/* Makes room for elements of an operand's shape, which is broadcast with those before. */
int onnx_join_shape(struct onnx_import *import, struct onnx_numbers *out, uint32_t rank,
		    const uint32_t *dims)
{
	uint32_t joined[NN_MAX_RANK], most = out->rank > rank ? out->rank : rank;
	uint64_t count = 1;

	for (uint32_t i = 0; i < most; i++) {
		uint32_t a = i + out->rank < most ? 1 : out->dims[i + out->rank - most];
		uint32_t b = i + rank < most ? 1 : dims[i + rank - most];

		if (a != b && a != 1 && b != 1)
			return onnx_fail(import, -EINVAL,
					 "its inputs are of %" PRIu32 " and %" PRIu32
					 " along a dimension", a, b);
		joined[i] = a == 1 ? b : a;
		count *= joined[i];
		if (count > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP, "it makes more than %d numbers",
					 ONNX_MAX_NUMBERS);
	}
	memcpy(out->dims, joined, most * sizeof(*joined));
	out->rank = most;
	out->count = count;
	return 0;
}

/* The number of an operand that element k of the result is made of. */
const struct onnx_number *onnx_number_at(const struct onnx_numbers *in,
					 const struct onnx_numbers *out, uint32_t k)
{
	uint32_t at = 0, stride = 1;

	for (uint32_t i = 0; i < out->rank; i++) {
		uint32_t axis = out->rank - 1 - i, index = k % out->dims[axis];

		k /= out->dims[axis];
		if (i >= in->rank)
			continue;
		if (in->dims[in->rank - 1 - i] != 1)
			at += index * stride;
		stride *= in->dims[in->rank - 1 - i];
	}
	return &in->at[at];
}

/* ---- One operand ---- */

int onnx_fold_one(struct onnx_import *import)
{
	const char *op = import->node->op_type;
	bool is_not = !strcmp(op, "Not"), is_abs = !strcmp(op, "Abs");
	struct onnx_numbers out;

	onnx_read_numbers(import, 0, &out);
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

	onnx_read_numbers(import, 0, &a);
	element = a.element;
	if (is_logic(op) != (element == NN_ELEMENT_BOOL) && strcmp(op, "Equal"))
		return onnx_fail(import, -EINVAL, "its inputs are of %s", nn_element_name(element));
	if (is_mod && element == NN_ELEMENT_FLOAT)
		return onnx_fail(import, -EOPNOTSUPP, "its inputs are of float32");
	out = a;
	for (uint32_t i = 1; i < import->node->n_input; i++) {
		onnx_read_numbers(import, i, &b);
		if (b.element != element)
			return onnx_fail(import, -EINVAL, "its inputs are of %s and %s",
					 nn_element_name(element), nn_element_name(b.element));
		if (onnx_join_shape(import, &out, b.rank, b.dims) || onnx_join_rows(import, &out, &b))
			return onnx_failed(import);
		for (uint32_t k = 0; k < out.count; k++) {
			struct onnx_number made = { 0 };

			if (fold_pair(import, element, onnx_number_at(&a, &out, k),
				      onnx_number_at(&b, &out, k), &made))
				return onnx_failed(import);
			out.at[k] = made;
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

	onnx_read_numbers(import, 0, &which);
	onnx_read_numbers(import, 1, &x[1]);
	onnx_read_numbers(import, 2, &x[0]);
	if (which.element != NN_ELEMENT_BOOL || x[0].element != x[1].element)
		return onnx_fail(import, -EINVAL, "it chooses by %s between %s and %s",
				 nn_element_name(which.element), nn_element_name(x[1].element),
				 nn_element_name(x[0].element));
	out = which;
	out.element = x[0].element;
	for (int i = 0; i < 2; i++) {
		if (onnx_join_shape(import, &out, x[i].rank, x[i].dims) ||
		    onnx_join_rows(import, &out, &x[i]))
			return onnx_failed(import);
	}
	for (uint32_t k = 0; k < out.count; k++)
		out.at[k] = *onnx_number_at(&x[onnx_number_at(&which, &out, k)->i != 0], &out, k);
	return onnx_define_numbers(import, &out);
}

/* ---- Expand ---- */

int onnx_fold_expand(struct onnx_import *import)
{
	struct onnx_numbers in, out;
	int64_t wanted[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK], rank;
	int err = onnx_read_ints(import, 1, NULL, wanted, &rank);

	if (err)
		return err;
	for (uint32_t i = 0; i < rank; i++) {
		if (wanted[i] < 1 || wanted[i] > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it makes a dimension of %" PRId64 " of numbers",
					 wanted[i]);
		dims[i] = wanted[i];
	}
	onnx_read_numbers(import, 0, &in);
	out = in;
	err = onnx_join_shape(import, &out, rank, dims);
	for (uint32_t k = 0; k < out.count && !err; k++)
		out.at[k] = *onnx_number_at(&in, &out, k);
	return err ? err : onnx_define_numbers(import, &out);
}

/* ---- Slice ---- */

/* Where a part of a dimension begins, its step, and how many indices it has. */
struct part {
	int64_t begin, step;
	uint32_t count;
};

/* An end as ONNX clamps it: counted from the back if negative, and to where the step leads. */
static int64_t clamp_end(int64_t end, int64_t size, int64_t step, bool is_begin)
{
	int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;

	if (end < 0)
		end = end < -size ? low : end + size;
	if (is_begin && step < 0 && end < 0)
		end = 0;
	return end < low ? low : end > high ? high : end;
}

static int find_part(struct onnx_import *import, int64_t begin, int64_t end, int64_t step,
		     uint32_t size, struct part *part)
{
	int64_t count;

	if (!step || step < -INT32_MAX || step > INT32_MAX)
		return onnx_fail(import, -EINVAL, "its step is %" PRId64, step);
	begin = clamp_end(begin, size, step, true);
	end = clamp_end(end, size, step, false);
	count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
	*part = (struct part){ begin, step, count > 0 ? count : 0 };
	return 0;
}

/* Reads input i of a Slice, of numbers that do not depend on the batch, or the attribute that it was
 * before opset 10. */
static int read_list(struct onnx_import *import, uint32_t i, const char *attr_name,
		     int64_t values[NN_MAX_RANK], uint32_t *count)
{
	struct onnx_numbers numbers;

	*count = 0;
	if (onnx_input(import, i)->kind == ONNX_ABSENT)
		return onnx_read_ints(import, i, attr_name, values, count);
	onnx_read_numbers(import, i, &numbers);
	if (numbers.element == NN_ELEMENT_FLOAT || numbers.count > NN_MAX_RANK)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " is no list of integers", i);
	for (uint32_t k = 0; k < numbers.count; k++) {
		if (numbers.at[k].batch)
			return onnx_fail_batch(import);
		values[k] = numbers.at[k].i;
	}
	*count = numbers.count;
	return 0;
}

/* The parts of all dimensions, of which those that are not named are whole. */
static int find_parts(struct onnx_import *import, const struct onnx_numbers *in,
		      struct part parts[NN_MAX_RANK])
{
	int64_t begins[NN_MAX_RANK], ends[NN_MAX_RANK], axes[NN_MAX_RANK], steps[NN_MAX_RANK];
	uint32_t counts[4];
	int err = read_list(import, 1, "starts", begins, &counts[0]);

	if (!err)
		err = read_list(import, 2, "ends", ends, &counts[1]);
	if (!err)
		err = read_list(import, 3, "axes", axes, &counts[2]);
	if (!err)
		err = read_list(import, 4, NULL, steps, &counts[3]);
	if (!err && (counts[0] != counts[1] || (counts[2] && counts[2] != counts[0]) ||
		     (counts[3] && counts[3] != counts[0]) || counts[0] > in->rank))
		err = onnx_fail(import, -EINVAL, "its starts, ends, axes and steps are not as many");
	for (uint32_t i = 0; i < in->rank; i++)
		parts[i] = (struct part){ 0, 1, in->dims[i] };
	for (uint32_t i = 0; i < counts[0] && !err; i++) {
		int64_t axis = counts[2] ? axes[i] : i;

		axis += axis < 0 ? in->rank : 0;
		if (axis < 0 || axis >= in->rank)
			return onnx_fail(import, -EINVAL,
					 "its axis is not one of %" PRIu32 " dimensions", in->rank);
		err = find_part(import, begins[i], ends[i], counts[3] ? steps[i] : 1,
				in->dims[axis], &parts[axis]);
	}
	return err;
}

int onnx_fold_slice(struct onnx_import *import)
{
	struct part parts[NN_MAX_RANK];
	struct onnx_numbers in, out;
	int err;

	onnx_read_numbers(import, 0, &in);
	err = find_parts(import, &in, parts);
	if (err)
		return err;
	out = in;
	out.count = 1;
	for (uint32_t i = 0; i < in.rank; i++) {
		out.dims[i] = parts[i].count;
		out.count *= parts[i].count;
	}
	for (uint32_t k = 0; k < out.count; k++) {
		uint32_t at = 0, stride = 1, left = k;

		for (uint32_t i = in.rank; i--; left /= out.dims[i]) {
			at += stride * (parts[i].begin + left % out.dims[i] * parts[i].step);
			stride *= in.dims[i];
		}
		out.at[k] = in.at[at];
	}
	return onnx_define_numbers(import, &out);
}

/* ---- Range ---- */

/* How many numbers there are from one to another by a step; more than there can be if too many. */
static double count_steps(enum nn_element element, const struct onnx_number end[3])
{
	double from = end[0].i, to = end[1].i, by = end[2].i, count;

	if (element == NN_ELEMENT_FLOAT) {
		from = (double)end[0].f;
		to = (double)end[1].f;
		by = (double)end[2].f;
	}
	count = ceil((to - from) / by);
	return count > 0 ? count : 0;
}

int onnx_fold_range(struct onnx_import *import)
{
	struct onnx_numbers out = { .rank = 1 }, in;
	struct onnx_number end[3];
	double count;

	for (uint32_t i = 0; i < 3; i++) {
		onnx_read_numbers(import, i, &in);
		if (in.count != 1 || (i && in.element != out.element) ||
		    in.element == NN_ELEMENT_BOOL)
			return onnx_fail(import, -EINVAL,
					 "its inputs are not three numbers of one type");
		if (in.at[0].batch)
			return onnx_fail_batch(import);
		out.element = in.element;
		end[i] = in.at[0];
		if (end[i].i < -INT32_MAX || end[i].i > INT32_MAX || !isfinite(end[i].f))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it counts from or to a number of more than 32 bits");
	}
	if (in.element == NN_ELEMENT_FLOAT ? end[2].f == 0 : !end[2].i)
		return onnx_fail(import, -EINVAL, "it counts by 0");
	count = count_steps(out.element, end);
	if (count < 1 || count > ONNX_MAX_NUMBERS)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %g numbers; nnloop knows 1 to %d", count,
				 ONNX_MAX_NUMBERS);
	out.count = out.dims[0] = count;
	for (uint32_t k = 0; k < out.count; k++)
		out.at[k] = (struct onnx_number){
			.i = end[0].i + k * end[2].i,
			.f = end[0].f + (float)k * end[2].f,
		};
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
	bool keep = onnx_attr_int(import->node, "keepdims", 1), seen[ONNX_MAX_NUMBERS] = { 0 };
	struct onnx_numbers in, out;
	uint32_t axes;
	int err;

	onnx_read_numbers(import, 0, &in);
	err = read_reduced(import, in.rank, &axes);
	if (err)
		return err;
	if (!in.count || !reduces(import, &in))
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers it knows integers, and the greatest or least float");
	out = in;
	out.rank = 0;
	out.count = 1;
	for (uint32_t i = 0; i < in.rank; i++) {
		bool goes = axes >> i & 1;

		if (!goes || keep)
			out.dims[out.rank++] = goes ? 1 : in.dims[i];
		out.count *= goes ? 1 : in.dims[i];
	}
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
