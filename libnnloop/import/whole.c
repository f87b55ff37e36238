// SPDX-License-Identifier: MIT
/*
 * Dimension 0 as any other, for importers. Operators of the graph work on each row by itself and
 * leave dimension 0 alone; where a model fixes it and something goes along it, the tensor becomes a
 * single row for that operator, with its dimensions one further back.
 *
 * Where the rows of a loop are counted instead, the graph's Reshape refuses that when it is
 * prepared: so nothing that a model fixes is ever taken for a batch.
 *
 * A model for one item runs for any number of them in the same way (nn_builder.each_item): a tensor
 * of which an item has k rows has k rows for each, item after item, so that every Reshape leaves it
 * to the number of elements how many rows there are. Constants with rows of their own are no rows
 * of any item, and meet tensors behind the dimension that counts these.
 */
#include <errno.h>
#include <string.h>

#include "import/build.h"

/* Appends a Reshape of the elements in the model's order, to so many rows; -1: as many as fit. */
static int append_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			  int64_t rows, uint32_t rank, const uint32_t *dims,
			  struct nn_build_tensor *out)
{
	int64_t shape[NN_MAX_RANK] = { rows };
	const struct nn_attr attr = {
		.name = "shape", .type = NN_ATTR_INTS, .count = rank, .ints = shape
	};
	struct nn_build_tensor plain;
	int err;

	for (uint32_t i = 1; i < rank; i++)
		shape[i] = dims[i];
	err = nn_build_layout(builder, input, NN_LAYOUT_PLAIN, &plain);
	return err ? err :
		     nn_build_node(builder, "Reshape", &plain, 1, &attr, 1, &plain.quant, out);
}

int nn_build_whole_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			   uint32_t rank, const uint32_t *dims, struct nn_build_tensor *out)
{
	uint32_t wanted[NN_MAX_RANK];
	int err;

	if (nn_is_rows(input->dims[0]) || nn_is_rows(dims[0]))
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it goes along the first dimension, or changes it; that is the "
				       "batch, which may vary\nexport the model with a fixed batch, "
				       "or leave the first dimension as it is");
	memcpy(wanted, dims, rank * sizeof(*wanted));
	err = append_reshape(builder, input, builder->each_item ? -1 : (int64_t)wanted[0], rank,
			     wanted, out);
	if (err)
		return err;
	out->rank = rank;
	memcpy(out->dims, wanted, rank * sizeof(*wanted));
	return 0;
}

int nn_build_row_reshape(struct nn_builder *builder, const struct nn_build_tensor *input,
			 uint32_t rank, const uint32_t *dims, struct nn_build_tensor *out)
{
	uint32_t wanted[NN_MAX_RANK];
	int err;

	memcpy(wanted, dims, rank * sizeof(*wanted));
	err = append_reshape(builder, input, -1, rank, wanted, out);
	if (err)
		return err;
	out->rank = rank;
	memcpy(out->dims, wanted, rank * sizeof(*wanted));
	return 0;
}

int nn_build_lift(struct nn_builder *builder, const struct nn_build_tensor *input,
		  struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK] = { 1 };

	if (input->rank == NN_MAX_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it goes along the first of %d dimensions", NN_MAX_RANK);
	/* A single number is stored as a row of one. */
	if (!input->rank) {
		*out = *input;
		out->rank = 1;
		return 0;
	}
	memcpy(dims + 1, input->dims, input->rank * sizeof(*dims));
	return nn_build_whole_reshape(builder, input, input->rank + 1, dims, out);
}

int nn_build_lower(struct nn_builder *builder, const struct nn_build_tensor *lifted,
		   struct nn_build_tensor *out)
{
	/* What has no dimensions is a row of one number. */
	if (lifted->rank < 2) {
		*out = *lifted;
		return 0;
	}
	return nn_build_whole_reshape(builder, lifted, lifted->rank - 1, lifted->dims + 1, out);
}

/* ---- Several operands ---- */

static uint32_t rows_of(const struct nn_operand *operand)
{
	return operand->tensor ? operand->tensor->dims[0] : operand->constant.values->dims[0];
}

/* The first that is a tensor; NULL: none. */
static const struct nn_build_tensor *find_tensor(const struct nn_operand *operands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].tensor)
			return operands[i].tensor;
	}
	return NULL;
}

/* Whether rows meet rows, or a constant has one for all of them, or fewer dimensions. */
static bool goes_by_rows(const struct nn_builder *builder, const struct nn_operand *operands,
			 uint32_t count, uint32_t rank)
{
	const uint32_t rows = find_tensor(operands, count)->dims[0];

	for (uint32_t i = 0; i < count; i++) {
		bool is_tensor = operands[i].tensor, is_less = nn_operand_rank(&operands[i]) < rank;

		if (is_less && is_tensor)
			return false;
		if (is_less || (!is_tensor && rows_of(&operands[i]) == 1))
			continue;
		if (rows_of(&operands[i]) != rows || (!is_tensor && builder->each_item))
			return false;
	}
	return true;
}

bool nn_describe_lifted(const struct nn_builder *builder, const struct nn_operand *operands,
			uint32_t count, uint32_t least, struct nn_build_tensor *lifted)
{
	uint32_t rank = 0;

	if (!find_tensor(operands, count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].tensor && nn_is_rows(operands[i].tensor->dims[0]))
			return false;
		rank = nn_operand_rank(&operands[i]) > rank ? nn_operand_rank(&operands[i]) : rank;
	}
	if ((rank && rank >= least && goes_by_rows(builder, operands, count, rank)) ||
	    rank == NN_MAX_RANK)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct nn_build_tensor *tensor = operands[i].tensor;
		uint32_t ones = tensor ? rank + 1 - tensor->rank : 0;

		if (!tensor)
			continue;
		lifted[i].rank = rank + 1;
		for (uint32_t k = 0; k <= rank; k++)
			lifted[i].dims[k] = k < ones ? 1 : tensor->dims[k - ones];
	}
	return true;
}

void nn_take_lifted(const struct nn_operand *operands, uint32_t count,
		    const struct nn_build_tensor *lifted, struct nn_operand *out)
{
	for (uint32_t i = 0; i < count; i++) {
		out[i] = operands[i];
		if (operands[i].tensor)
			out[i].tensor = &lifted[i];
	}
}

int nn_build_lifted(struct nn_builder *builder, const struct nn_operand *operands, uint32_t count,
		    struct nn_build_tensor *lifted, struct nn_operand *out)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (operands[i].tensor)
			err = nn_build_whole_reshape(builder, operands[i].tensor, lifted[i].rank,
						     lifted[i].dims, &lifted[i]);
	}
	nn_take_lifted(operands, count, lifted, out);
	return err;
}

int nn_broadcast_whole_shape(struct nn_builder *builder, const struct nn_operand operands[2],
			     uint32_t *rank, uint32_t *dims)
{
	struct nn_build_tensor lifted[NN_MAX_OPERANDS] = { 0 };
	struct nn_operand taken[2];
	uint32_t made[NN_MAX_RANK];
	int err;

	if (!nn_describe_lifted(builder, operands, 2, 0, lifted))
		return nn_broadcast_shape(builder, operands, rank, dims);
	nn_take_lifted(operands, 2, lifted, taken);
	err = nn_broadcast_shape(builder, taken, rank, made);
	if (err)
		return err;
	memcpy(dims, made + 1, --*rank * sizeof(*dims));
	return 0;
}

int nn_broadcast_whole_all(struct nn_builder *builder, const struct nn_operand *operands,
			   uint32_t count, uint32_t *rank, uint32_t *dims)
{
	struct nn_build_tensor lifted[NN_MAX_OPERANDS] = { 0 };
	struct nn_operand taken[NN_MAX_OPERANDS];
	uint32_t made[NN_MAX_RANK];
	int err;

	if (!nn_describe_lifted(builder, operands, count, 0, lifted))
		return nn_broadcast_all(builder, operands, count, rank, dims);
	nn_take_lifted(operands, count, lifted, taken);
	err = nn_broadcast_all(builder, taken, count, rank, made);
	if (err)
		return err;
	memcpy(dims, made + 1, --*rank * sizeof(*dims));
	return 0;
}

int nn_build_whole_broadcast(struct nn_builder *builder, const char *op,
			     const struct nn_operand *operands, uint32_t count,
			     const struct nn_attr *attrs, uint32_t attr_count,
			     const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct nn_build_tensor lifted[NN_MAX_OPERANDS] = { 0 };
	struct nn_operand taken[NN_MAX_OPERANDS];
	int err;

	if (!nn_describe_lifted(builder, operands, count, 0, lifted))
		return nn_build_broadcast(builder, op, operands, count, attrs, attr_count, quant,
					  out);
	err = nn_build_lifted(builder, operands, count, lifted, taken);
	if (!err)
		err = nn_build_broadcast(builder, op, taken, count, attrs, attr_count, quant, out);
	if (err)
		return err;
	/* None of them has dimensions, and so it has none. */
	if (out->rank < 2) {
		out->rank = 0;
		return 0;
	}
	return nn_build_lower(builder, out, out);
}

int nn_build_whole_binary(struct nn_builder *builder, const char *op,
			  const struct nn_operand operands[2], const char *activation,
			  const char *rounding, const struct nn_quant *quant,
			  struct nn_build_tensor *out)
{
	uint32_t rank, dims[NN_MAX_RANK], count = 0;
	struct nn_attr attrs[2];
	int err = nn_broadcast_whole_shape(builder, operands, &rank, dims);

	if (err)
		return err;
	nn_add_string(attrs, &count, "activation", activation);
	nn_add_string(attrs, &count, "rounding", rounding);
	return nn_build_whole_broadcast(builder, op, operands, 2, attrs, count, quant, out);
}
