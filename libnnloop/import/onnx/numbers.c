// SPDX-License-Identifier: MIT
/*
 * Numbers that are known while an ONNX model is imported: shapes, as exporters compute them from
 * other shapes, and whatever is computed of few constants.
 *
 * The batch is not known. It is a number all the same: each number is so much, or so much times the
 * rows of a tensor, and whether an operator can tell its result from that is up to the operator.
 * Numbers without a batch are constants like others (ONNX_CONST); the rest are ONNX_ROW_COUNT.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/formulas.h"
#include "import/onnx/numbers.h"

/* ---- Reading and writing them ---- */

/* Whether it is numbers; `reals`: dequantized ones as well. */
static bool is_number(const struct onnx_value *value, bool reals)
{
	enum nn_element element = value->constant.element;

	if (reals && value->kind == ONNX_REAL_CONST)
		return value->constant.count <= ONNX_MAX_NUMBERS && !value->tensor.quant.scales &&
		       nn_type_is_8bit(value->tensor.quant.type);

	if (value->kind == ONNX_ROW_COUNT)
		return true;
	return value->kind == ONNX_CONST && value->constant.count <= ONNX_MAX_NUMBERS &&
	       (element == NN_ELEMENT_INT64 || element == NN_ELEMENT_INT32 ||
		element == NN_ELEMENT_FLOAT || element == NN_ELEMENT_BOOL);
}

void onnx_read_numbers(struct onnx_import *import, uint32_t i, struct onnx_numbers *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	const struct nn_const *constant = &value->constant;

	memset(out, 0, sizeof(*out));
	out->element = constant->element;
	out->rank = constant->rank;
	memcpy(out->dims, constant->dims, sizeof(out->dims));
	out->count = constant->count;
	out->rows_of = value->kind == ONNX_ROW_COUNT ? value->rows_of : NULL;
	if (value->kind == ONNX_REAL_CONST)
		out->element = NN_ELEMENT_FLOAT;
	for (uint32_t k = 0; k < out->count; k++) {
		if (value->kind == ONNX_REAL_CONST)
			out->at[k].f = (float)(nn_const_int(constant, k) -
					       value->tensor.quant.zero_point) *
				       value->tensor.quant.scale;
		else if (out->element == NN_ELEMENT_FLOAT)
			out->at[k].f = nn_const_float(constant, k);
		else
			out->at[k].i = nn_const_int(constant, k);
		out->at[k].batch = out->rows_of && value->batch[k];
	}
}

static void write_number(const struct onnx_numbers *numbers, uint32_t k, uint8_t *to)
{
	const struct onnx_number *number = &numbers->at[k];
	uint32_t size = nn_element_size(numbers->element);
	int32_t i32 = number->i;
	uint8_t i8 = number->i;

	if (numbers->element == NN_ELEMENT_FLOAT)
		memcpy(to + k * size, &number->f, size);
	else if (numbers->element == NN_ELEMENT_INT64)
		memcpy(to + k * size, &number->i, size);
	else if (numbers->element == NN_ELEMENT_INT32)
		memcpy(to + k * size, &i32, size);
	else
		to[k] = i8;
}

int onnx_define_numbers(struct onnx_import *import, const struct onnx_numbers *numbers)
{
	struct onnx_value value = { .kind = ONNX_CONST, .rows_of = numbers->rows_of };
	uint8_t *data = onnx_alloc(import, numbers->count, nn_element_size(numbers->element));
	bool *batch = onnx_alloc(import, numbers->count, sizeof(*batch));

	if (!data || !batch)
		return -ENOMEM;
	for (uint32_t k = 0; k < numbers->count; k++) {
		const struct onnx_number *number = &numbers->at[k];

		if (numbers->element == NN_ELEMENT_INT32 && number->i != (int32_t)number->i)
			return onnx_fail(import, -EOPNOTSUPP, "it makes an int32 of %" PRId64,
					 number->i);
		write_number(numbers, k, data);
		batch[k] = number->batch;
		if (number->batch)
			value.kind = ONNX_ROW_COUNT;
	}
	value.constant = (struct nn_const){ .element = numbers->element, .rank = numbers->rank,
					    .count = numbers->count, .data = data };
	value.tensor.rank = numbers->rank;
	memcpy(value.constant.dims, numbers->dims, sizeof(value.constant.dims));
	memcpy(value.tensor.dims, numbers->dims, sizeof(value.tensor.dims));
	value.batch = batch;
	return onnx_define(import, 0, &value);
}

bool onnx_same_rows(const struct onnx_import *import, const struct onnx_value *a,
		    const struct onnx_value *b)
{
	const struct nn_input *x = &a->tensor.source, *y = &b->tensor.source;

	if (a == b || (onnx_is_tensor(a) && onnx_is_tensor(b) && x->src_id == y->src_id &&
		       x->output_idx == y->output_idx))
		return true;
	return import->one_batch && !import->loop_count && nn_is_rows(a->tensor.dims[0]) &&
	       nn_is_rows(b->tensor.dims[0]);
}

int onnx_join_rows(struct onnx_import *import, struct onnx_numbers *out,
		   const struct onnx_numbers *in)
{
	if (!in->rows_of)
		return 0;
	if (out->rows_of && !onnx_same_rows(import, out->rows_of, in->rows_of))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it computes with the rows of %s and of %s, which may differ",
				 onnx_quote(import, out->rows_of->tensor.name),
				 onnx_quote(import, in->rows_of->tensor.name));
	out->rows_of = in->rows_of;
	return 0;
}

int onnx_fail_batch(struct onnx_import *import)
{
	return onnx_fail(import, -EOPNOTSUPP,
			 "what it makes depends on the batch, which may vary" ONNX_KEEP_BATCH);
}

/* ---- Shape ---- */

/* An end of what is taken, from the front, as it can be anywhere and from the back. */
static int64_t clamp_end(int64_t end, int64_t low, int64_t count)
{
	if (end < 0)
		end += count;
	return end < low ? low : end > count ? count : end;
}

int onnx_lower_shape(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_numbers out = { .element = NN_ELEMENT_INT64, .rank = 1, .rows_of = x };
	int64_t rank = x->tensor.rank;
	int64_t from = clamp_end(onnx_attr_int(import->node, "start", 0), 0, rank);
	int64_t to = clamp_end(onnx_attr_int(import->node, "end", INT64_MAX), from, rank);

	if ((!onnx_is_tensor(x) && !onnx_is_const(x) && x->kind != ONNX_PENDING) || x->rowless ||
	    x->repeated_for)
		return onnx_fail(import, -EOPNOTSUPP, "it is not the shape of a tensor");
	for (; from < to; from++)
		out.at[out.count++] = (struct onnx_number){
			.i = !onnx_is_const(x) && from == 0 && nn_is_rows(x->tensor.dims[0]) ?
				     nn_rows_count(x->tensor.dims[0]) :
				     x->tensor.dims[from],
			.batch = !onnx_is_const(x) && from == 0 && nn_is_rows(x->tensor.dims[0]),
		};
	out.dims[0] = out.count;
	return onnx_define_numbers(import, &out);
}

/* Lowers Size: how many elements a tensor has. */
int onnx_lower_size(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_numbers out = { .element = NN_ELEMENT_INT64, .count = 1, .rows_of = x };
	bool has_batch = !onnx_is_const(x) && x->tensor.rank && nn_is_rows(x->tensor.dims[0]);
	uint64_t elements;
	int err;

	if ((!onnx_is_tensor(x) && !onnx_is_const(x) && x->kind != ONNX_PENDING) || x->rowless)
		return onnx_fail(import, -EOPNOTSUPP, "it is not the size of a tensor");
	if (onnx_is_const(x)) {
		out.at[0].i = x->constant.count;
		return onnx_define_numbers(import, &out);
	}
	err = nn_item_elements(&import->builder, x->tensor.rank, x->tensor.dims, &elements);
	out.at[0] = (struct onnx_number){
		.i = elements * (has_batch ? nn_rows_count(x->tensor.dims[0]) : x->tensor.dims[0]),
		.batch = has_batch,
	};
	return err ? err : onnx_define_numbers(import, &out);
}

/* The same number so many times. */
int onnx_lower_constant_of_shape(struct onnx_import *import)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "value");
	const struct onnx_value *shape = onnx_input(import, 0);
	struct nn_const value = { .element = NN_ELEMENT_FLOAT, .count = 1, .data = &(float){ 0 } };
	int64_t dims[NN_MAX_RANK];
	uint8_t *data;
	uint32_t rank, size;
	int err = attr ? onnx_const_read(import, attr->t, &value) : 0;

	if (!err)
		err = onnx_read_ints(import, 0, NULL, dims, &rank);
	if (err)
		return err;
	size = nn_element_size(value.element);
	if (shape->constant.rank != 1 || value.count != 1)
		return onnx_fail(import, -EINVAL, "its shape or its value is none");
	value.rank = rank;
	for (uint32_t i = 0; i < rank; i++) {
		if (dims[i] < 0 || dims[i] > ONNX_MAX_NUMBERS ||
		    value.count * dims[i] > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it makes more than %d numbers, or fewer than none",
					 ONNX_MAX_NUMBERS);
		value.dims[i] = dims[i];
		value.count *= dims[i];
	}
	data = onnx_alloc(import, value.count, size);
	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < value.count; i++)
		memcpy(data + i * size, value.data, size);
	value.data = data;
	return onnx_define_const(import, &value);
}

/* ---- What moves numbers ---- */

/* Numbers in a row have one axis, the first. */
static bool is_first_axis(struct onnx_import *import)
{
	int64_t axis = onnx_attr_int(import->node, "axis", 0);

	return axis == 0 || axis == -1;
}

static int fold_gather(struct onnx_import *import)
{
	struct onnx_numbers from, index, out;

	onnx_read_numbers(import, 0, &from);
	onnx_read_numbers(import, 1, &index);
	if (from.rank != 1 || !is_first_axis(import) || index.rows_of ||
	    index.element == NN_ELEMENT_FLOAT)
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers it knows those of one dimension, by constants");
	out = index;
	out.element = from.element;
	out.rows_of = from.rows_of;
	for (uint32_t k = 0; k < index.count; k++) {
		int64_t at = index.at[k].i < 0 ? index.at[k].i + from.count : index.at[k].i;

		if (at < 0 || at >= from.count)
			return onnx_fail(import, -EINVAL, "it takes number %" PRId64 " of %" PRIu32,
					 index.at[k].i, from.count);
		out.at[k] = from.at[at];
	}
	return onnx_define_numbers(import, &out);
}

static int fold_concat(struct onnx_import *import)
{
	struct onnx_numbers out = { .rank = 1 }, in;

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		onnx_read_numbers(import, i, &in);
		if (in.rank != 1 || !is_first_axis(import) || (i && in.element != out.element) ||
		    out.count + in.count > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP,
					 "of numbers it knows those of one dimension and type, %d",
					 ONNX_MAX_NUMBERS);
		if (onnx_join_rows(import, &out, &in))
			return onnx_failed(import);
		out.element = in.element;
		memcpy(&out.at[out.count], in.at, in.count * sizeof(*in.at));
		out.count += in.count;
	}
	out.dims[0] = out.count;
	return onnx_define_numbers(import, &out);
}

/* Returns how many numbers say the other shape: input 1, or before opset 13 an attribute. */
static uint64_t count_axes(struct onnx_import *import)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "axes");
	const struct onnx_value *axes = onnx_input(import, 1);

	return axes->kind == ONNX_CONST ? axes->constant.count : attr ? attr->n_ints : 0;
}

/* Whether a Reshape makes a list of a list, by its only number. */
static bool keeps_list(struct onnx_import *import, const struct onnx_numbers *numbers)
{
	const struct nn_const *shape = &onnx_input(import, 1)->constant;
	int64_t count;

	if (strcmp(import->node->op_type, "Reshape") || numbers->rank != 1 ||
	    onnx_input(import, 1)->kind != ONNX_CONST || shape->count != 1 ||
	    shape->element != NN_ELEMENT_INT64)
		return false;
	count = nn_const_int(shape, 0);
	return count == -1 || count == numbers->count;
}

/* Numbers with a batch have one dimension or, if there is one of them, none. */
static int fold_reshape(struct onnx_import *import)
{
	const char *op = import->node->op_type;
	struct onnx_numbers out;
	uint32_t rank;

	onnx_read_numbers(import, 0, &out);
	rank = !strcmp(op, "Reshape") ? count_axes(import) : !strcmp(op, "Unsqueeze");
	if (!strcmp(op, "Identity") || keeps_list(import, &out))
		return onnx_define_numbers(import, &out);
	if (out.count != 1 || rank > 1 || (!strcmp(op, "Unsqueeze") && count_axes(import) != 1) ||
	    (strcmp(op, "Reshape") && out.rank == rank))
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers of a shape it knows one, with one dimension or none");
	out.rank = rank;
	out.dims[0] = 1;
	return onnx_define_numbers(import, &out);
}

/* ---- What computes ---- */

static int fold_cast(struct onnx_import *import)
{
	struct onnx_numbers out;
	enum nn_element from, to = onnx_cast_target(import);

	onnx_read_numbers(import, 0, &out);
	from = out.element;
	out.element = to;
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

static int fold_round(struct onnx_import *import)
{
	bool down = !strcmp(import->node->op_type, "Floor");
	struct onnx_numbers out;

	onnx_read_numbers(import, 0, &out);
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

static int fold_arithmetic(struct onnx_import *import)
{
	const char *name = import->node->op_type;
	char op = !strcmp(name, "Add") ? '+' : !strcmp(name, "Sub") ? '-' :
		  !strcmp(name, "Mul") ? '*' : '/';
	struct onnx_numbers a, b, out;

	onnx_read_numbers(import, 0, &a);
	onnx_read_numbers(import, 1, &b);
	if (a.element != b.element || a.element == NN_ELEMENT_BOOL)
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers it knows those of one type, and no bools");
	out = a;
	if (onnx_join_shape(import, &out, b.rank, b.dims) || onnx_join_rows(import, &out, &b))
		return onnx_failed(import);
	if (out.rows_of && out.rank > 1)
		return onnx_fail_batch(import);
	for (uint32_t k = 0; k < out.count; k++) {
		if (compute(import, op, &out, k, onnx_number_at(&a, &out, k),
			    onnx_number_at(&b, &out, k)))
			return onnx_failed(import);
	}
	return onnx_define_numbers(import, &out);
}

/*
 * A function whose result every runtime has to the last bit. Of a batch it would be another one.
 */
static int fold_function(struct onnx_import *import)
{
	const struct onnx_function *function = onnx_find_function(import->node);
	struct onnx_parameters parameters = { 0 };
	struct onnx_numbers out;

	onnx_read_numbers(import, 0, &out);
	for (uint32_t k = 0; k < out.count; k++) {
		if (out.element != NN_ELEMENT_FLOAT)
			return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
					 nn_element_name(out.element));
		if (out.at[k].batch)
			return onnx_fail_batch(import);
		out.at[k].f = function->of_one(out.at[k].f, &parameters);
	}
	return onnx_define_numbers(import, &out);
}

/* ---- The table ---- */

static const struct fold {
	const char *name;
	int (*fold)(struct onnx_import *import);
	bool batch_only; /* of constants the operator's own function makes constants */
	bool reals; /* of dequantized constants as well */
} folds[] = {
	{ .name = "Abs", .fold = onnx_fold_one, .reals = true },
	{ .name = "Add", .fold = fold_arithmetic, .reals = true },
	{ .name = "And", .fold = onnx_fold_two },
	{ .name = "Cast", .fold = fold_cast },
	{ .name = "CastLike", .fold = fold_cast },
	{ .name = "Ceil", .fold = fold_round },
	{ .name = "Concat", .fold = fold_concat },
	{ .name = "Div", .fold = fold_arithmetic, .reals = true },
	{ .name = "Equal", .fold = onnx_fold_two, .reals = true },
	{ .name = "Expand", .fold = onnx_fold_expand },
	{ .name = "Floor", .fold = fold_round },
	{ .name = "Gather", .fold = fold_gather },
	{ .name = "Greater", .fold = onnx_fold_two, .reals = true },
	{ .name = "GreaterOrEqual", .fold = onnx_fold_two, .reals = true },
	{ .name = "Identity", .fold = fold_reshape, .batch_only = true },
	{ .name = "Less", .fold = onnx_fold_two, .reals = true },
	{ .name = "LessOrEqual", .fold = onnx_fold_two, .reals = true },
	{ .name = "Max", .fold = onnx_fold_two, .reals = true },
	{ .name = "Min", .fold = onnx_fold_two, .reals = true },
	{ .name = "Mod", .fold = onnx_fold_two },
	{ .name = "Mul", .fold = fold_arithmetic, .reals = true },
	{ .name = "Neg", .fold = onnx_fold_one, .reals = true },
	{ .name = "Not", .fold = onnx_fold_one },
	{ .name = "Or", .fold = onnx_fold_two },
	{ .name = "Range", .fold = onnx_fold_range },
	{ .name = "Reciprocal", .fold = fold_function, .reals = true },
	{ .name = "ReduceMax", .fold = onnx_fold_reduce, .reals = true },
	{ .name = "ReduceMin", .fold = onnx_fold_reduce, .reals = true },
	{ .name = "ReduceProd", .fold = onnx_fold_reduce },
	{ .name = "ReduceSum", .fold = onnx_fold_reduce },
	{ .name = "Reshape", .fold = fold_reshape, .batch_only = true },
	{ .name = "Slice", .fold = onnx_fold_slice },
	{ .name = "Sqrt", .fold = fold_function, .reals = true },
	{ .name = "Squeeze", .fold = fold_reshape, .batch_only = true },
	{ .name = "Sub", .fold = fold_arithmetic, .reals = true },
	{ .name = "Unsqueeze", .fold = fold_reshape, .batch_only = true },
	{ .name = "Where", .fold = onnx_fold_where, .reals = true },
	{ .name = "Xor", .fold = onnx_fold_two },
};

static const struct fold *find_fold(const struct onnx_import *import)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++) {
		if (!import->op->domain && !strcmp(folds[i].name, import->node->op_type))
			return &folds[i];
	}
	return NULL;
}

bool onnx_has_numbers(struct onnx_import *import)
{
	const struct fold *fold = find_fold(import);
	bool batch = false;

	if (!fold || !import->node->n_input)
		return false;
	/* A constant of reals that is repeated is moved as a tensor is. */
	if (fold->fold == onnx_fold_expand && (onnx_input(import, 0)->kind == ONNX_ROW_COUNT ||
					       onnx_input(import, 1)->kind == ONNX_ROW_COUNT ||
					       onnx_input(import, 0)->constant.element ==
						       NN_ELEMENT_FLOAT))
		return false;
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (value->kind == ONNX_ABSENT && i)
			continue;
		if (!is_number(value, fold->reals))
			return false;
		batch |= value->kind == ONNX_ROW_COUNT;
	}
	return batch || !fold->batch_only;
}

int onnx_fold_numbers(struct onnx_import *import)
{
	return find_fold(import)->fold(import);
}

int onnx_cast_numbers(struct onnx_import *import)
{
	return is_number(onnx_input(import, 0), false) ? fold_cast(import) : onnx_refuse_numbers(import);
}

int onnx_refuse_numbers(struct onnx_import *import)
{
	return onnx_fail(import, -EOPNOTSUPP, "nnloop knows it only for numbers of shapes");
}
