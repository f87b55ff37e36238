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
#include <stdlib.h>
#include <string.h>

#include "import/onnx/numbers.h"

#define MOST_IN_ALL (1u << 25) /* numbers of a model: each costs time, however small the file */
#define MOST_AT_ONCE (1u << 22) /* of a node: each costs memory */

/* ---- Reading and writing them ---- */

/* Quantized constants are numbers to what computes with these in float. */
static bool is_real_number(const struct onnx_value *value)
{
	return value->kind == ONNX_REAL_CONST && !value->repeated_for &&
	       value->constant.count <= ONNX_MAX_NUMBERS &&
	       onnx_is_computed(value->tensor.quant.type);
}

static bool is_number(const struct onnx_value *value)
{
	enum nn_element element = value->constant.element;

	if (value->kind == ONNX_ROW_COUNT)
		return true;
	return !value->repeated_for && value->kind == ONNX_CONST && value->constant.count <= ONNX_MAX_NUMBERS &&
	       (element == NN_ELEMENT_INT64 || element == NN_ELEMENT_INT32 ||
		element == NN_ELEMENT_FLOAT || element == NN_ELEMENT_BOOL);
}

/* Numbers that a node computes with, in a list. */
struct onnx_room {
	struct onnx_room *next;
	struct onnx_number at[];
};

static int make_room(struct onnx_import *import, uint32_t count, struct onnx_number **at)
{
	struct onnx_room *room;

	import->number_count += count;
	import->room_count += count;
	if (import->number_count > MOST_IN_ALL || import->room_count > MOST_AT_ONCE)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the model computes with more than %u numbers while it is imported, "
				 "or with more than %u at once",
				 MOST_IN_ALL, MOST_AT_ONCE);
	room = calloc(1, sizeof(*room) + count * sizeof(*room->at));
	if (!room)
		return nn_graph_no_memory(import->builder.graph);
	room->next = import->rooms;
	import->rooms = room;
	*at = room->at;
	return 0;
}

static void free_rooms(struct onnx_import *import)
{
	while (import->rooms) {
		struct onnx_room *next = import->rooms->next;

		free(import->rooms);
		import->rooms = next;
	}
	import->room_count = 0;
}

int onnx_make_numbers(struct onnx_import *import, struct onnx_numbers *out)
{
	uint64_t count = 1;

	for (uint32_t i = 0; i < out->rank; i++) {
		count *= out->dims[i];
		if (count > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP, "it makes more than %u numbers",
					 ONNX_MAX_NUMBERS);
	}
	out->count = count;
	return make_room(import, count, &out->at);
}

int onnx_read_numbers(struct onnx_import *import, uint32_t i, struct onnx_numbers *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	const struct nn_const *constant = &value->constant;
	struct nn_const reals;

	memset(out, 0, sizeof(*out));
	if (value->kind == ONNX_REAL_CONST) {
		if (onnx_read_floats(import, value, "constant", &reals))
			return onnx_failed(import);
		constant = &reals;
	}
	out->element = constant->element;
	out->rank = constant->rank;
	memcpy(out->dims, constant->dims, sizeof(out->dims));
	out->count = constant->count;
	out->rows_of = value->kind == ONNX_ROW_COUNT ? value->rows_of : NULL;
	if (make_room(import, out->count, &out->at))
		return onnx_failed(import);
	for (uint32_t k = 0; k < out->count; k++) {
		if (out->element == NN_ELEMENT_FLOAT)
			out->at[k].f = nn_const_float(constant, k);
		else
			out->at[k].i = nn_const_int(constant, k);
		out->at[k].batch = out->rows_of && value->batch[k];
	}
	return 0;
}

int onnx_join_numbers(struct onnx_import *import, struct onnx_numbers *out, uint32_t rank,
		      const uint32_t *dims)
{
	uint32_t joined[NN_MAX_RANK], most = out->rank > rank ? out->rank : rank;

	for (uint32_t i = 0; i < most; i++) {
		uint32_t a = i + out->rank < most ? 1 : out->dims[i + out->rank - most];
		uint32_t b = i + rank < most ? 1 : dims[i + rank - most];

		if (a != b && a != 1 && b != 1)
			return onnx_fail(import, -EINVAL,
					 "its inputs are of %" PRIu32 " and %" PRIu32
					 " along a dimension", a, b);
		joined[i] = a == 1 ? b : a;
	}
	memcpy(out->dims, joined, most * sizeof(*joined));
	out->rank = most;
	return 0;
}

const struct onnx_number *onnx_number_at(const struct onnx_numbers *in,
					 const struct onnx_numbers *out, uint32_t k)
{
	return in->count == 1 ? in->at :
				&in->at[nn_broadcast_place(in->rank, in->dims, out->rank, out->dims, k)];
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
	bool *batch = numbers->rows_of ? onnx_alloc(import, numbers->count, sizeof(*batch)) : NULL;

	if (!data || (numbers->rows_of && !batch))
		return -ENOMEM;
	for (uint32_t k = 0; k < numbers->count; k++) {
		const struct onnx_number *number = &numbers->at[k];

		if (numbers->element == NN_ELEMENT_INT32 && number->i != (int32_t)number->i)
			return onnx_fail(import, -EOPNOTSUPP, "it makes an int32 of %" PRId64,
					 number->i);
		write_number(numbers, k, data);
		if (!batch)
			continue;
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

	if (a == b || import->apart || (onnx_is_tensor(a) && onnx_is_tensor(b) && x->src_id == y->src_id &&
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

int onnx_read_item_ints(struct onnx_import *import, uint32_t i, int64_t values[NN_MAX_RANK],
			uint32_t *count)
{
	const struct onnx_value *list = onnx_input(import, i);

	if (list->kind != ONNX_ROW_COUNT)
		return onnx_read_ints(import, i, NULL, values, count);
	if (!import->apart)
		return onnx_fail_batch(import);
	if (list->constant.rank != 1 || list->constant.count > NN_MAX_RANK ||
	    list->constant.element != NN_ELEMENT_INT64)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is no list of up to %d int64", i,
				 NN_MAX_RANK);
	*count = list->constant.count;
	for (uint32_t k = 0; k < *count; k++)
		values[k] = nn_const_int(&list->constant, k);
	return 0;
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
	struct onnx_number at[NN_MAX_RANK];
	struct onnx_numbers out = { .element = NN_ELEMENT_INT64, .rank = 1, .at = at,
				    .rows_of = x };
	int64_t rank = x->tensor.rank;
	int64_t from = clamp_end(onnx_attr_int(import->node, "start", 0), 0, rank);
	int64_t to = clamp_end(onnx_attr_int(import->node, "end", INT64_MAX), from, rank);

	if ((!onnx_is_tensor(x) && !onnx_is_const(x) && x->kind != ONNX_PENDING) || x->rowless ||
	    x->repeated_for)
		return onnx_fail(import, -EOPNOTSUPP, "it is not the shape of a tensor");
	for (; from < to; from++) {
		bool is_rows = !onnx_is_const(x) && from == 0 && nn_is_rows(x->tensor.dims[0]);

		out.at[out.count++] = (struct onnx_number){
			.i = is_rows ? nn_rows_count(x->tensor.dims[0]) : x->tensor.dims[from],
			.batch = is_rows || (x->place.is && from == x->place.axis),
		};
	}
	out.dims[0] = out.count;
	return onnx_define_numbers(import, &out);
}

/* Lowers Size: how many elements a tensor has. */
int onnx_lower_size(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_number at[1] = { 0 };
	struct onnx_numbers out = { .element = NN_ELEMENT_INT64, .count = 1, .at = at,
				    .rows_of = x };
	bool has_batch = !onnx_is_const(x) && x->tensor.rank && nn_is_rows(x->tensor.dims[0]);
	uint64_t elements;
	int err;

	if ((!onnx_is_tensor(x) && !onnx_is_const(x) && x->kind != ONNX_PENDING) || x->rowless)
		return onnx_fail(import, -EOPNOTSUPP, "it is not the size of a tensor");
	if (onnx_is_const(x)) {
		out.at[0].i = x->constant.count;
		out.at[0].batch = x->place.is;
		return onnx_define_numbers(import, &out);
	}
	err = nn_item_elements(&import->builder, x->tensor.rank, x->tensor.dims, &elements);
	out.at[0] = (struct onnx_number){
		.i = elements * (has_batch ? nn_rows_count(x->tensor.dims[0]) : x->tensor.dims[0]),
		.batch = has_batch || x->place.is,
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
		err = onnx_read_item_ints(import, 0, dims, &rank);
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
					 "it makes more than %u numbers, or fewer than none",
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

/* ---- The table ---- */

static const struct fold {
	const char *name;
	int (*fold)(struct onnx_import *import);
	enum {
		ALL_NUMBERS,
		THE_BATCH, /* of constants the operator's own function makes constants */
		REALS_TOO, /* of quantized constants as well */
	} of;
} folds[] = {
	{ "Abs", onnx_fold_one, REALS_TOO },
	{ "Add", onnx_fold_arithmetic, REALS_TOO },
	{ "And", onnx_fold_two, ALL_NUMBERS },
	{ "Cast", onnx_fold_cast, ALL_NUMBERS },
	{ "CastLike", onnx_fold_cast, ALL_NUMBERS },
	{ "Ceil", onnx_fold_round, ALL_NUMBERS },
	{ "Concat", onnx_fold_concat, REALS_TOO },
	{ "CumSum", onnx_fold_cum_sum, REALS_TOO },
	{ "Div", onnx_fold_arithmetic, REALS_TOO },
	{ "Equal", onnx_fold_two, REALS_TOO },
	{ "Expand", onnx_fold_expand, ALL_NUMBERS },
	{ "Floor", onnx_fold_round, ALL_NUMBERS },
	{ "Gather", onnx_fold_gather, ALL_NUMBERS },
	{ "Greater", onnx_fold_two, REALS_TOO },
	{ "GreaterOrEqual", onnx_fold_two, REALS_TOO },
	{ "Identity", onnx_fold_reshape, THE_BATCH },
	{ "Less", onnx_fold_two, REALS_TOO },
	{ "LessOrEqual", onnx_fold_two, REALS_TOO },
	{ "Max", onnx_fold_two, REALS_TOO },
	{ "Min", onnx_fold_two, REALS_TOO },
	{ "Mod", onnx_fold_two, ALL_NUMBERS },
	{ "Mul", onnx_fold_arithmetic, REALS_TOO },
	{ "Neg", onnx_fold_one, REALS_TOO },
	{ "Not", onnx_fold_one, ALL_NUMBERS },
	{ "Or", onnx_fold_two, ALL_NUMBERS },
	{ "Range", onnx_fold_range, ALL_NUMBERS },
	{ "ReduceMax", onnx_fold_reduce, REALS_TOO },
	{ "ReduceMin", onnx_fold_reduce, REALS_TOO },
	{ "ReduceProd", onnx_fold_reduce, ALL_NUMBERS },
	{ "ReduceSum", onnx_fold_reduce, ALL_NUMBERS },
	{ "Reshape", onnx_fold_reshape, THE_BATCH },
	{ "ScatterND", onnx_fold_scatter, ALL_NUMBERS },
	{ "Slice", onnx_fold_slice, REALS_TOO },
	{ "Squeeze", onnx_fold_reshape, THE_BATCH },
	{ "Sub", onnx_fold_arithmetic, REALS_TOO },
	{ "Tile", onnx_fold_tile, ALL_NUMBERS },
	{ "Trilu", onnx_fold_trilu, ALL_NUMBERS },
	{ "Unsqueeze", onnx_fold_reshape, THE_BATCH },
	{ "Where", onnx_fold_where, REALS_TOO },
	{ "Xor", onnx_fold_two, ALL_NUMBERS },
};

static const struct fold fold_function = { NULL, onnx_fold_function, REALS_TOO };

static const struct fold *find_fold(const struct onnx_import *import)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++) {
		if (!import->op->domain && !strcmp(folds[i].name, import->node->op_type))
			return &folds[i];
	}
	return import->op->lower == onnx_refuse_function ? &fold_function : NULL;
}

bool onnx_has_numbers(struct onnx_import *import)
{
	const struct fold *fold = find_fold(import);
	bool batch = false;

	if (!fold || !import->node->n_input)
		return false;
	/* A constant that is repeated for the batch is moved as a tensor is. */
	if (fold->fold == onnx_fold_expand && !import->apart && (onnx_input(import, 0)->kind == ONNX_ROW_COUNT ||
					       onnx_input(import, 1)->kind == ONNX_ROW_COUNT))
		return false;
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (value->kind == ONNX_ABSENT && i)
			continue;
		if (!is_number(value) && !(fold->of == REALS_TOO && is_real_number(value)))
			return false;
		batch |= value->kind == ONNX_ROW_COUNT;
	}
	return batch || fold->of != THE_BATCH;
}

int onnx_fold_numbers(struct onnx_import *import)
{
	int err = find_fold(import)->fold(import);

	free_rooms(import);
	return err;
}

int onnx_cast_numbers(struct onnx_import *import)
{
	int err = is_number(onnx_input(import, 0)) ? onnx_fold_cast(import) :
						     onnx_refuse_numbers(import);

	free_rooms(import);
	return err;
}

int onnx_refuse_numbers(struct onnx_import *import)
{
	return onnx_fail(import, -EOPNOTSUPP, "nnloop knows it only for numbers of shapes");
}
