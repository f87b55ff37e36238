// SPDX-License-Identifier: MIT
/*
 * Operators of two operands or more for importers, element by element, where each may be a constant
 * and each may be broadcast, as numpy does.
 *
 * Shapes are lined up at their last dimensions. The batch is never broadcast between tensors, and
 * stays dimension 0: a tensor meets one of as many dimensions, or a constant of no more.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

uint32_t nn_operand_rank(const struct nn_operand *operand)
{
	return operand->tensor ? operand->tensor->rank : operand->constant.values->rank;
}

const struct nn_quant *nn_operand_quant(const struct nn_operand *operand)
{
	return operand->tensor ? &operand->tensor->quant : operand->constant.quant;
}

uint64_t nn_broadcast_place(uint32_t rank, const uint32_t *dims, uint32_t to_rank,
			    const uint32_t *to, uint64_t place)
{
	uint64_t at = 0, stride = 1;

	for (uint32_t i = 0; i < to_rank && i < rank; i++) {
		uint32_t size = to[to_rank - 1 - i], index = place % size;

		place /= size;
		if (dims[rank - 1 - i] != 1)
			at += index * stride;
		stride *= dims[rank - 1 - i];
	}
	return at;
}

/* Dimensions as of a tensor of `rank`, with ones in front. */
static void find_dims(const struct nn_operand *operand, uint32_t rank, uint32_t *dims)
{
	const uint32_t *own = operand->tensor ? operand->tensor->dims :
						operand->constant.values->dims;
	uint32_t ones = rank - nn_operand_rank(operand);

	for (uint32_t i = 0; i < rank; i++)
		dims[i] = i < ones ? 1 : own[i - ones];
}

/* Checks a constant of an operator that computes with the real numbers it stands for. */
static int check_constant(struct nn_builder *builder, const struct nn_operand *operand)
{
	const struct nn_parameter *constant = &operand->constant;

	if (operand->tensor || constant->is_real)
		return 0;
	if (constant->quant->type == NN_FLOAT32 && constant->values->element == NN_ELEMENT_FLOAT)
		return 0;
	if ((!nn_type_is_8bit(constant->quant->type) && constant->quant->type != NN_INT16) ||
	    nn_element_to_type(constant->values->element) != constant->quant->type)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "its constant %s is of %s; nnloop knows 8 and 16 bits there",
				       nn_builder_quote(builder, constant->name),
				       nn_element_name(constant->values->element));
	if (!constant->quant->scale)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "its constant %s has no scale, or one for each index of a "
				       "dimension; quantize it per tensor",
				       nn_builder_quote(builder, constant->name));
	if (!constant->values->count)
		return nn_builder_fail(builder, -EINVAL, "its constant %s has no elements",
				       nn_builder_quote(builder, constant->name));
	return 0;
}

/* Dimension 0 is that of the tensors, which agree; a constant has one row there, or as many as the
 * model fixes. */
static int check_batch(struct nn_builder *builder, const struct nn_operand *operand, uint32_t own,
		       uint32_t rows)
{
	if (own == rows || (!operand->tensor && own == 1))
		return 0;
	return nn_builder_fail(builder, -EOPNOTSUPP,
			       "its operands have different first dimensions; that is the batch, "
			       "which nnloop does not broadcast");
}

/* The first that is a tensor; NULL: none. */
static const struct nn_operand *find_tensor(const struct nn_operand *operands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].tensor)
			return &operands[i];
	}
	return NULL;
}

/* Returns the most dimensions that one of them has. */
static uint32_t find_rank(const struct nn_operand *operands, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = nn_operand_rank(&operands[i]) > most ? nn_operand_rank(&operands[i]) : most;
	return most;
}

/* A tensor has as many dimensions as any other operand. */
static int check_rank(struct nn_builder *builder, const struct nn_operand *operands, uint32_t i,
		      uint32_t most)
{
	if (!operands[i].tensor || nn_operand_rank(&operands[i]) == most)
		return 0;
	return nn_builder_fail(builder, -EOPNOTSUPP,
			       "its operands have %" PRIu32 " and %" PRIu32
			       " dimensions, by which the batch of one would meet another dimension",
			       nn_operand_rank(&operands[0]),
			       nn_operand_rank(&operands[i ? i : 1]));
}

/* The dimensions of an operand but the last `behind` meet those of the others that came before. */
static int meet(struct nn_builder *builder, const struct nn_operand *operand, uint32_t rank,
		uint32_t behind, uint32_t *dims)
{
	uint32_t own[NN_MAX_RANK];
	int err;

	find_dims(operand, rank, own);
	err = check_batch(builder, operand, own[0], dims[0]);
	for (uint32_t i = 1; i + behind < rank && !err; i++) {
		if (own[i] != dims[i] && own[i] != 1 && dims[i] != 1)
			err = nn_builder_fail(builder, -EINVAL,
					      "its operands are %" PRIu32 " and %" PRIu32
					      " long in dimension %" PRIu32,
					      dims[i], own[i], i);
		dims[i] = dims[i] == 1 ? own[i] : dims[i];
	}
	return err;
}

/*
 * The shape that all operands broadcast to. One at least is a tensor; tensors have `rank`
 * dimensions.
 */
static int meet_all(struct nn_builder *builder, const struct nn_operand *operands, uint32_t count,
		    uint32_t rank, uint32_t behind, uint32_t *dims)
{
	int err = 0;

	for (uint32_t i = 1; i < rank; i++)
		dims[i] = 1;
	dims[0] = find_tensor(operands, count)->tensor->dims[0];
	for (uint32_t i = 0; i < count && !err; i++)
		err = meet(builder, &operands[i], rank, behind, dims);
	return err;
}

int nn_broadcast_all(struct nn_builder *builder, const struct nn_operand *operands, uint32_t count,
		     uint32_t *rank, uint32_t *dims)
{
	int err = 0;

	if (!find_tensor(operands, count))
		return nn_builder_fail(builder, -EOPNOTSUPP, "%s its operands are constants",
				       count == 2 ? "both" : "all");
	for (uint32_t i = 0; i < count; i++) {
		if (!operands[i].tensor && !operands[i].constant.values->count)
			return nn_builder_fail(
				builder, -EINVAL, "its constant %s has no elements",
				nn_builder_quote(builder, operands[i].constant.name));
	}
	*rank = find_rank(operands, count);
	for (uint32_t i = 0; i < count && !err; i++)
		err = check_rank(builder, operands, i, *rank);
	return err ? err : meet_all(builder, operands, count, *rank, 0, dims);
}

int nn_broadcast_leading(struct nn_builder *builder, const struct nn_operand operands[2],
			 uint32_t behind, uint32_t *rank, uint32_t both[2][NN_MAX_RANK],
			 uint32_t *dims)
{
	int err = 0;

	if (!find_tensor(operands, 2))
		return nn_builder_fail(builder, -EOPNOTSUPP, "both its operands are constants");
	*rank = find_rank(operands, 2);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		err = check_constant(builder, &operands[i]);
		if (!err)
			err = check_rank(builder, operands, i, *rank);
	}
	if (err)
		return err;
	for (uint32_t i = 0; i < 2; i++)
		find_dims(&operands[i], *rank, both[i]);
	return meet_all(builder, operands, 2, *rank, behind, dims);
}

int nn_broadcast_shape(struct nn_builder *builder, const struct nn_operand operands[2],
		       uint32_t *rank, uint32_t *dims)
{
	uint32_t both[2][NN_MAX_RANK];

	return nn_broadcast_leading(builder, operands, 0, rank, both, dims);
}

static bool is_single(const struct nn_operand *operand)
{
	return !operand->tensor && operand->constant.values->count == 1;
}

static bool is_flat_like(const struct nn_build_tensor *a, const struct nn_build_tensor *b)
{
	return a->layout == NN_LAYOUT_FLAT_NHWC && b->layout == a->layout &&
	       a->channels == b->channels && a->height == b->height && a->width == b->width;
}

/*
 * Chooses how all are stored: as images where one is, and flattened images only where no index is
 * told from another.
 */
static enum nn_layout choose_layout(const struct nn_operand *operands, uint32_t count)
{
	const struct nn_build_tensor *first = find_tensor(operands, count)->tensor;
	bool same = true;

	for (uint32_t i = 0; i < count; i++) {
		const struct nn_build_tensor *tensor = operands[i].tensor;

		if (tensor && tensor->layout == NN_LAYOUT_NHWC)
			return NN_LAYOUT_NHWC;
		same &= tensor ? tensor == first || is_flat_like(tensor, first) :
				 is_single(&operands[i]);
	}
	return same ? first->layout : NN_LAYOUT_PLAIN;
}

int nn_number_operand(struct nn_builder *builder, int32_t value, const struct nn_quant *quant,
		      struct nn_operand *out)
{
	struct nn_const *number = nn_builder_alloc(builder, 1, sizeof(*number));
	int64_t *data = nn_builder_alloc(builder, 1, sizeof(*data));

	if (!number || !data)
		return -ENOMEM;
	*data = value; /* of which the low bytes come first */
	*number = (struct nn_const){
		.element = (enum nn_element)quant->type, .count = 1, .data = data
	};
	*out = (struct nn_operand){ .constant = { .values = number, .quant = quant } };
	return 0;
}

const char *nn_turn_comparison(const char *word, const struct nn_operand operands[2],
			       struct nn_operand out[2])
{
	bool greater = !strncmp(word, "greater", 7);

	out[0] = operands[greater];
	out[1] = operands[!greater];
	if (!greater)
		return word;
	return strcmp(word, "greater") ? "less_or_equal" : "less";
}

static int build_constant(struct nn_builder *builder, const struct nn_operand *operand,
			  uint32_t rank, enum nn_layout layout, struct nn_build_tensor *out)
{
	static const uint32_t perm[4] = { 0, 2, 3, 1 };
	struct nn_const values = *operand->constant.values;
	const struct nn_quant *quant = operand->constant.quant;
	struct nn_tensor_info info = {
		.name = operand->constant.name,
		.type = quant->type,
		.scale = quant->scale,
		.zero_point = quant->zero_point,
		.rank = rank,
	};
	uint32_t dims[NN_MAX_RANK];
	int err = 0;

	/* Flattened images are stored as images, and what meets them is a single number. */
	if (layout == NN_LAYOUT_FLAT_NHWC)
		info.rank = rank = 4;
	find_dims(operand, rank, dims);
	nn_const_reshape(&values, rank, dims);
	if (layout == NN_LAYOUT_NHWC)
		err = nn_const_transpose(builder, &values, perm, &values);
	memcpy(info.dims, values.dims, rank * sizeof(*dims));
	return err ? err : nn_build_const(builder, &info, values.data, out);
}

int nn_build_operand(struct nn_builder *builder, const struct nn_operand *operand, uint32_t rank,
		     enum nn_layout layout, struct nn_build_tensor *out)
{
	return operand->tensor ? nn_build_layout(builder, operand->tensor, layout, out) :
				 build_constant(builder, operand, rank, layout, out);
}

int nn_build_broadcast(struct nn_builder *builder, const char *op,
		       const struct nn_operand *operands, uint32_t count,
		       const struct nn_attr *attrs, uint32_t attr_count,
		       const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct nn_build_tensor inputs[NN_MAX_OPERANDS], like;
	uint32_t rank, dims[NN_MAX_RANK];
	enum nn_layout layout;
	int err = nn_broadcast_all(builder, operands, count, &rank, dims);

	if (err)
		return err;
	layout = choose_layout(operands, count);
	/* A copy, because *out may be an operand. */
	like = *find_tensor(operands, count)->tensor;
	for (uint32_t i = 0; i < count && !err; i++)
		err = nn_build_operand(builder, &operands[i], rank, layout, &inputs[i]);
	if (!err)
		err = nn_build_node(builder, op, inputs, count, attrs, attr_count, quant, out);
	if (err)
		return err;
	nn_build_keep_layout(out, &like);
	out->layout = layout;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	return 0;
}

int nn_build_binary(struct nn_builder *builder, const char *op,
		    const struct nn_operand operands[2], const char *activation,
		    const char *rounding, const struct nn_quant *quant,
		    struct nn_build_tensor *out)
{
	uint32_t rank, dims[NN_MAX_RANK], count = 0;
	struct nn_attr attrs[2];
	int err = nn_broadcast_shape(builder, operands, &rank, dims);

	if (err)
		return err;
	nn_add_string(attrs, &count, "activation", activation);
	nn_add_string(attrs, &count, "rounding", rounding);
	return nn_build_broadcast(builder, op, operands, 2, attrs, count, quant, out);
}
