// SPDX-License-Identifier: MIT
/*
 * ONNX operators that put elements where indices say: ScatterElements, ScatterND.
 *
 * They take place one after the other, in the order of the indices. So it is in ONNX Runtime, but
 * in ScatterND of many, which several threads share; ONNX itself has an order only for reductions
 * that need none. So constant indices that come twice are refused where one would hide the other.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

enum operand { DATA, INDICES, UPDATES, OPERANDS };

struct scatter {
	struct nn_operand operands[OPERANDS]; /* of data and updates, quantized alike */
	uint32_t ranks[OPERANDS];
	const uint32_t *dims[OPERANDS];
	uint32_t axis; /* of ScatterElements */
	uint32_t depth; /* of ScatterND: numbers of an index; 0: it is ScatterElements */
	const char *function; /* as Scatter's attribute */
};

/* ---- What is put where ---- */

static const char *find_function(struct onnx_import *import)
{
	const char *reduction = onnx_attr_string(import, "reduction", "none");

	return strcmp(reduction, "none") ? reduction : "put";
}

/* Whether sizes are the same but for a batch, which is refused further on. */
static bool are_same_sizes(const uint32_t *a, const uint32_t *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (a[i] != b[i] && nn_is_rows(a[i]) == nn_is_rows(b[i]))
			return false;
	}
	return true;
}

/* An element of the data for each of the updates. */
static int check_elements(struct onnx_import *import, const struct scatter *scatter)
{
	const uint32_t *data = scatter->dims[DATA], *indices = scatter->dims[INDICES];
	uint32_t rank = scatter->ranks[DATA];

	if (scatter->ranks[INDICES] != rank)
		return onnx_fail(import, -EINVAL,
				 "its indices have %" PRIu32 " dimensions, its data %" PRIu32,
				 scatter->ranks[INDICES], rank);
	if (scatter->ranks[UPDATES] != rank ||
	    !are_same_sizes(scatter->dims[UPDATES], indices, rank))
		return onnx_fail(import, -EINVAL,
				 "its updates do not have the dimensions of its indices");
	for (uint32_t i = 0; i < rank; i++) {
		if (i != scatter->axis && !nn_is_rows(data[i]) && indices[i] > data[i])
			return onnx_fail(import, -EINVAL, "its indices are larger than its data");
	}
	return 0;
}

/* Checks the slices behind the dimensions that an index is of, one for each index. */
static int check_slices(struct onnx_import *import, const struct scatter *scatter)
{
	const uint32_t *data = scatter->dims[DATA], *indices = scatter->dims[INDICES];
	uint32_t front = scatter->ranks[INDICES] - 1,
		 behind = scatter->ranks[DATA] - scatter->depth;
	const uint32_t *updates = scatter->dims[UPDATES];

	if (scatter->ranks[UPDATES] != front + behind ||
	    !are_same_sizes(updates, indices, front) ||
	    !are_same_sizes(updates + front, data + scatter->depth, behind))
		return onnx_fail(import, -EINVAL,
				 "its updates do not have the dimensions of what its indices are of");
	return 0;
}

static int compare_indices(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Number i of a constant, as an index of a dimension with `size` of them. */
static int read_index(struct onnx_import *import, const struct nn_const *indices, uint64_t i,
		      uint32_t size, uint64_t *index)
{
	int64_t number = nn_const_int(indices, i);

	if (number < -(int64_t)size || number >= size)
		return onnx_fail(import, -EINVAL,
				 "its index %" PRId64 " is not one of %" PRIu32, number, size);
	*index = number + (number < 0 ? size : 0);
	return 0;
}

/* The element, or what is behind the dimensions of an index, that index i is of. */
static int find_place(struct onnx_import *import, const struct scatter *scatter,
		      const struct nn_const *indices, uint64_t i, uint64_t *place)
{
	const uint32_t *data = scatter->dims[DATA];
	uint64_t at = i, stride = 1, index = 0;
	int err = 0;

	*place = 0;
	for (uint32_t k = 0; k < scatter->depth && !err; k++) {
		err = read_index(import, indices, i * scatter->depth + k, data[k], &index);
		*place = *place * data[k] + index;
	}
	for (uint32_t k = scatter->depth ? 0 : indices->rank; k-- > 0 && !err; stride *= data[k]) {
		index = at % indices->dims[k];
		at /= indices->dims[k];
		if (k == scatter->axis)
			err = read_index(import, indices, i, data[k], &index);
		*place += index * stride;
	}
	return err;
}

/*
 * Checks that constant indices are some, and where what is there is not summed, that none comes
 * twice.
 */
static int check_indices(struct onnx_import *import, const struct scatter *scatter)
{
	const struct nn_const *indices = scatter->operands[INDICES].constant.values;
	uint64_t count, *flat;
	int err = 0;

	/* A batch is refused further on. */
	if (scatter->operands[INDICES].tensor || nn_is_rows(scatter->dims[DATA][0]))
		return 0;
	count = indices->count / (scatter->depth ? scatter->depth : 1);
	flat = onnx_alloc(import, count, sizeof(*flat));
	if (!flat)
		return -ENOMEM;
	for (uint64_t i = 0; i < count && !err; i++)
		err = find_place(import, scatter, indices, i, &flat[i]);
	if (err || strcmp(scatter->function, "put"))
		return err;
	qsort(flat, count, sizeof(*flat), compare_indices);
	for (uint64_t i = 1; i < count; i++) {
		if (flat[i] == flat[i - 1])
			return onnx_fail(import, -EOPNOTSUPP,
					 "one of its indices comes twice, and ONNX does not say which "
					 "of its updates counts then");
	}
	return 0;
}

/* Finds what the current node does, of operands that are known. */
static int find_scatter(struct onnx_import *import, struct scatter *scatter)
{
	int64_t axis = onnx_attr_int(import->node, "axis", 0);
	bool has_tensor = false;

	scatter->function = find_function(import);
	for (uint32_t i = 0; i < OPERANDS; i++) {
		scatter->dims[i] = onnx_dims_of(&scatter->operands[i], &scatter->ranks[i]);
		has_tensor |= scatter->operands[i].tensor != NULL;
	}
	if (!has_tensor)
		return onnx_fail(import, -EOPNOTSUPP, "its inputs are constants");
	if (!scatter->ranks[DATA] || !scatter->ranks[INDICES])
		return onnx_fail(import, -EINVAL, "its data or its indices have no dimensions");
	scatter->depth = 0;
	if (!strcmp(import->node->op_type, "ScatterND")) {
		scatter->depth = scatter->dims[INDICES][scatter->ranks[INDICES] - 1];
		if (!scatter->depth || scatter->depth > scatter->ranks[DATA])
			return onnx_fail(import, -EINVAL,
					 "its indices are of %" PRIu32 " dimensions, and there are "
					 "%" PRIu32, scatter->depth, scatter->ranks[DATA]);
		return 0;
	}
	if (axis < -(int64_t)scatter->ranks[DATA] || axis >= scatter->ranks[DATA])
		return onnx_fail(import, -EINVAL,
				 "its axis %" PRId64 " is not one of %" PRIu32 " dimensions", axis,
				 scatter->ranks[DATA]);
	scatter->axis = axis + (axis < 0 ? scatter->ranks[DATA] : 0);
	return 0;
}

/* The same, and that its operands go together. */
static int check_scatter(struct onnx_import *import, struct scatter *scatter)
{
	int err = find_scatter(import, scatter);

	if (!err)
		err = scatter->depth ? check_slices(import, scatter) :
				       check_elements(import, scatter);
	return err ? err : check_indices(import, scatter);
}

/* ---- The nodes ---- */

/* Along a dimension, not the first, of which each vector has indices of its own. */
static int put_along(struct onnx_import *import, const struct nn_build_tensor inputs[OPERANDS],
		     uint32_t axis, const char *function, struct nn_build_tensor *out)
{
	const struct nn_take take = { .axis = inputs[DATA].rank - 1, .each = true };
	uint32_t there[NN_MAX_RANK], back[NN_MAX_RANK];
	struct nn_build_tensor turned[OPERANDS];
	int err = 0;

	onnx_find_turn(inputs[DATA].rank, axis, there, back);
	for (uint32_t i = 0; i < OPERANDS && !err; i++)
		err = nn_build_transpose(&import->builder, &inputs[i], there, &turned[i]);
	if (!err)
		err = nn_build_scatter(&import->builder, turned, &take, function, out);
	return err ? err : nn_build_transpose(&import->builder, out, back, out);
}

/*
 * Puts updates into a part of the data: indices may have fewer of the other dimensions than that.
 */
static int put_in_part(struct onnx_import *import, const struct nn_build_tensor inputs[OPERANDS],
		       uint32_t axis, const char *function, struct nn_build_tensor *out)
{
	const struct nn_build_tensor *data = &inputs[DATA], *indices = &inputs[INDICES];
	struct nn_build_tensor part[OPERANDS] = { inputs[DATA], inputs[INDICES], inputs[UPDATES] };
	struct nn_build_tensor halves[2];
	uint32_t i = 1;
	int err;

	while (i < data->rank && (i == axis || indices->dims[i] == data->dims[i]))
		i++;
	if (i == data->rank)
		return put_along(import, inputs, axis, function, out);
	err = nn_build_slice(&import->builder, data, i, 0, indices->dims[i], &part[DATA]);
	if (!err)
		err = nn_build_slice(&import->builder, data, i, indices->dims[i],
				     data->dims[i] - indices->dims[i], &halves[1]);
	if (!err)
		err = put_in_part(import, part, axis, function, &halves[0]);
	return err ? err : nn_build_concat(&import->builder, halves, 2, i, out);
}

/* Whether all are tensors with the same rows, along another dimension. */
static bool goes_by_rows(const struct scatter *scatter)
{
	for (uint32_t i = 0; i < OPERANDS; i++) {
		if (!scatter->operands[i].tensor || scatter->dims[i][0] != scatter->dims[DATA][0])
			return false;
	}
	return !scatter->depth && scatter->axis;
}

static int build_scatter(struct onnx_import *import, const struct scatter *scatter,
			 struct nn_build_tensor *out)
{
	const struct nn_take take = { .axis = 1, .depth = scatter->depth };
	bool lifted = !goes_by_rows(scatter);
	struct nn_build_tensor inputs[OPERANDS];
	int err = 0;

	for (uint32_t i = 0; i < OPERANDS && !err; i++) {
		if (lifted)
			err = onnx_lift(import, &scatter->operands[i], &inputs[i]);
		else
			inputs[i] = *scatter->operands[i].tensor;
	}
	if (err)
		return err;
	err = scatter->depth ? nn_build_scatter(&import->builder, inputs, &take,
						scatter->function, out) :
			       put_in_part(import, inputs, scatter->axis + lifted,
					   scatter->function, out);
	return err || !lifted ? err : nn_build_lower(&import->builder, out, out);
}

/* ---- Reals, integers ---- */

/* Each element is rounded as it would be behind: first, which keeps the order of any two. */
static int emit_scatter(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	struct nn_build_tensor settled[OPERANDS];
	struct scatter scatter = { 0 };
	int err = 0;

	(void)activation;
	onnx_stored_operand(import, pending->operands[INDICES], &scatter.operands[INDICES]);
	for (uint32_t i = 0; i < OPERANDS && !err; i += UPDATES)
		err = onnx_settle_choice(import, pending->operands[i], quant, &settled[i],
					 &scatter.operands[i]);
	if (!err)
		err = find_scatter(import, &scatter);
	return err ? err : build_scatter(import, &scatter, out);
}

static int scatter_reals(struct onnx_import *import, struct scatter *scatter)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_scatter, OPERANDS);
	struct onnx_value moved = { .kind = ONNX_REAL };
	struct nn_operand *x = &scatter->operands[DATA], *updates = &scatter->operands[UPDATES];
	int err;

	if (!pending)
		return -ENOMEM;
	for (uint32_t i = 0; i < OPERANDS; i++) {
		pending->operands[i] = i == INDICES ? onnx_input(import, i) :
						      onnx_choice_input(import, i);
		if (!pending->operands[i])
			return onnx_failed(import);
		if (i != INDICES)
			scatter->operands[i] = onnx_operand_of(pending->operands[i]);
	}
	err = check_scatter(import, scatter);
	if (err)
		return err;
	if (!strcmp(scatter->function, "add") || !strcmp(scatter->function, "mul"))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its reduction is %s, of real numbers, and nnloop knows that of "
				 "integers only", scatter->function);
	/* Operands that are quantized alike stay as they are. */
	if (x->tensor && updates->tensor &&
	    nn_quant_equal(&x->tensor->quant, &updates->tensor->quant)) {
		err = build_scatter(import, scatter, &moved.tensor);
		return err ? err : onnx_define(import, 0, &moved);
	}
	pending->rank = scatter->ranks[DATA];
	memcpy(pending->dims, scatter->dims[DATA], pending->rank * sizeof(*pending->dims));
	return onnx_define_pending(import, pending);
}

int onnx_lower_scatter(struct onnx_import *import)
{
	struct scatter scatter = { 0 };
	struct nn_operand *x = &scatter.operands[DATA], *updates = &scatter.operands[UPDATES];
	enum nn_data_type types[2] = { onnx_stored_operand(import, onnx_input(import, 0), x),
				       onnx_stored_operand(import, onnx_input(import, 2),
							   updates) };
	struct nn_build_tensor made;
	enum nn_data_type index_type;
	int err = onnx_need_indices(import, &scatter.operands[INDICES], &index_type);

	if (err)
		return err;
	if (index_type != NN_INT64 && !strcmp(import->node->op_type, "ScatterND"))
		return onnx_fail(import, -EINVAL, "its indices are of int32");
	if (!types[0] || !types[1])
		return scatter_reals(import, &scatter);
	if (types[0] != types[1] || (x->tensor && updates->tensor &&
				     !nn_quant_equal(&x->tensor->quant, &updates->tensor->quant)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its data and its updates are of different types or scales");
	if (x->tensor)
		updates->constant.quant = &x->tensor->quant;
	else if (updates->tensor)
		x->constant.quant = &updates->tensor->quant;
	err = check_scatter(import, &scatter);
	if (err)
		return err;
	if (types[0] == NN_BOOL &&
	    (!strcmp(scatter.function, "min") || !strcmp(scatter.function, "max")))
		return onnx_fail(import, -EINVAL, "its reduction is %s, of bools",
				 scatter.function);
	err = build_scatter(import, &scatter, &made);
	return err ? err : onnx_define_stored(import, &made);
}
