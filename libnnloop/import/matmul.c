// SPDX-License-Identifier: MIT
/*
 * Matrices times matrices, for importers. Dimension 0 of a tensor is the batch, so that its
 * matrices have dimensions of their own behind it: in what has two dimensions, sums would go over
 * the batch. Where it is fixed, and the operands need it for themselves, they are a single row.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

#define LEAST_RANK 3 /* rows, and a matrix for each */

static int find_shape(struct nn_builder *builder, const struct nn_product *product, uint32_t *rank,
		     uint32_t *dims)
{
	uint32_t both[2][NN_MAX_RANK], last, inner[2];
	int err = nn_broadcast_leading(builder, product->operands, 2, rank, both, dims);

	if (err)
		return err;
	if (*rank < LEAST_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it multiplies along the first dimension of a tensor of %" PRIu32
				       ", which is the batch",
				       *rank);
	last = *rank - 1;
	inner[0] = both[0][last - product->transpose[0]];
	inner[1] = both[1][last - !product->transpose[1]];
	if (inner[0] != inner[1])
		return nn_builder_fail(builder, -EINVAL,
				       "the rows of its first operand have %" PRIu32
				       " elements, the columns of its second %" PRIu32,
				       inner[0], inner[1]);
	dims[last - 1] = both[0][last - !product->transpose[0]];
	dims[last] = both[1][last - product->transpose[1]];
	return 0;
}

int nn_product_shape(struct nn_builder *builder, const struct nn_product *product, uint32_t *rank,
		     uint32_t *dims)
{
	struct nn_build_tensor lifted[2] = { 0 };
	struct nn_product row = *product;
	uint32_t made[NN_MAX_RANK];
	int err;

	if (!nn_describe_lifted(builder, product->operands, 2, LEAST_RANK, lifted))
		return find_shape(builder, product, rank, dims);
	nn_take_lifted(product->operands, 2, lifted, row.operands);
	err = find_shape(builder, &row, rank, made);
	if (err)
		return err;
	memcpy(dims, made + 1, --*rank * sizeof(*dims));
	return 0;
}

static int build_rows(struct nn_builder *builder, const struct nn_product *product,
		      const char *activation, const char *rounding, const struct nn_quant *quant,
		      struct nn_build_tensor *out)
{
	struct nn_attr attrs[5] = {
		{ .name = "transpose_a", .type = NN_ATTR_INT, .i = product->transpose[0] },
		{ .name = "transpose_b", .type = NN_ATTR_INT, .i = product->transpose[1] },
	};
	uint32_t rank, dims[NN_MAX_RANK], count = 2;
	struct nn_build_tensor inputs[2];
	int err = find_shape(builder, product, &rank, dims);

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = nn_build_operand(builder, &product->operands[i], rank, NN_LAYOUT_PLAIN,
				       &inputs[i]);
	if (err)
		return err;
	nn_add_string(attrs, &count, "activation", activation);
	nn_add_string(attrs, &count, "rounding", rounding);
	if (product->zero_points)
		attrs[count++] = (struct nn_attr){ .name = "zero_points",
						   .type = NN_ATTR_INTS,
						   .ints = product->zero_points,
						   .count = 2 };
	err = nn_build_node(builder, "MatMul", inputs, 2, attrs, count, quant, out);
	if (err)
		return err;
	out->layout = NN_LAYOUT_PLAIN;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	return 0;
}

int nn_build_product(struct nn_builder *builder, const struct nn_product *product,
		     const char *activation, const char *rounding, const struct nn_quant *quant,
		     struct nn_build_tensor *out)
{
	struct nn_build_tensor lifted[2] = { 0 };
	struct nn_product row = *product;
	int err;

	if (!nn_describe_lifted(builder, product->operands, 2, LEAST_RANK, lifted))
		return build_rows(builder, product, activation, rounding, quant, out);
	err = nn_build_lifted(builder, product->operands, 2, lifted, row.operands);
	if (!err)
		err = build_rows(builder, &row, activation, rounding, quant, out);
	return err ? err : nn_build_lower(builder, out, out);
}
