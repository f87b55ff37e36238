// SPDX-License-Identifier: MIT
/*
 * ONNX's products of matrices. Weights, which are one constant matrix on the right, make a fully
 * connected operator; any others, constants or not, a MatMul.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* A constant with other dimensions, of which the last ones are its own. */
static const struct onnx_value *reshape_const(struct onnx_import *import,
					      const struct onnx_value *value, uint32_t rank,
					      const uint32_t *dims)
{
	struct onnx_value *made = onnx_alloc(import, 1, sizeof(*made));

	if (!made)
		return NULL;
	*made = *value;
	nn_const_reshape(&made->constant, rank, dims);
	made->tensor.rank = rank;
	memcpy(made->tensor.dims, made->constant.dims, sizeof(made->tensor.dims));
	made->tensor.quant.axis += rank - value->tensor.rank;
	return made;
}

const struct onnx_value *onnx_as_matrix(struct onnx_import *import, const struct onnx_value *value,
					bool is_right)
{
	uint32_t dims[2] = { 1, 1 };
	struct onnx_value *made;

	if (value->tensor.rank != 1 ||
	    (!onnx_is_const(value) && nn_is_rows(value->tensor.dims[0])))
		return value;
	dims[!is_right] = value->tensor.dims[0];
	if (onnx_is_const(value))
		return reshape_const(import, value, 2, dims);
	made = onnx_alloc(import, 1, sizeof(*made));
	if (!made)
		return NULL;
	*made = *value;
	return nn_build_whole_reshape(&import->builder, &value->tensor, 2, dims, &made->tensor) ?
		       NULL :
		       made;
}

bool onnx_is_matrix_of(const struct onnx_value *x, const struct onnx_value *w)
{
	uint32_t rank = w->tensor.rank;

	if (onnx_is_const(x) || !onnx_is_const(w) || rank < 2 || x->tensor.rank < 2 ||
	    rank > x->tensor.rank)
		return false;
	for (uint32_t i = 0; i + 2 < rank; i++) {
		if (w->tensor.dims[i] != 1)
			return false;
	}
	return true;
}

/* Returns how far an element can be from its zero point. */
static int64_t find_most(const struct onnx_value *value)
{
	int32_t low, high;

	nn_type_range(value->tensor.quant.type, &low, &high);
	low = value->tensor.quant.zero_point - low;
	high -= value->tensor.quant.zero_point;
	return low > high ? low : high;
}

static bool is_wide(const struct onnx_value *value)
{
	return value->tensor.quant.type == NN_INT16;
}

/* Sums have 32 bits, and what is more would wrap around. */
static int check_length(struct onnx_import *import, const struct onnx_value *const operands[2])
{
	const struct nn_build_tensor *left = &operands[0]->tensor;
	uint32_t length = left->dims[left->rank - 1];

	/* Sums of 16 bits have 64. */
	if (is_wide(operands[0]) || is_wide(operands[1]))
		return 0;
	if (length <= INT32_MAX / find_most(operands[0]) / find_most(operands[1]))
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "it sums %" PRIu32 " products, which can be more than 32 bits hold\n"
			 "multiply parts of its operands, and add what comes of them", length);
}

static int emit_product(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	const struct nn_product product = {
		.operands = { onnx_operand_of(pending->operands[0]),
			      onnx_operand_of(pending->operands[1]) },
	};
	double left = onnx_find_span(&pending->operands[0]->tensor.quant);
	double right = onnx_find_span(&pending->operands[1]->tensor.quant);
	bool wide = is_wide(pending->operands[0]) || is_wide(pending->operands[1]);
	int err = onnx_check_sums(import, left * right, quant);

	if (!err && quant->type == NN_INT16 && !wide)
		err = onnx_fail(import, -EOPNOTSUPP, "it makes 16 bits of 8 bits" ONNX_ONE_WIDTH);
	if (!err)
		err = check_length(import, pending->operands);
	if (!err)
		err = nn_build_product(&import->builder, &product, activation,
				       wide ? "once_even" : "float32_once", quant, out);
	if (!err && pending->rank < out->rank)
		err = nn_build_reshape(&import->builder, out, pending->rank, pending->dims, out);
	return err;
}

struct onnx_pending *onnx_new_product(struct onnx_import *import, const struct onnx_value *a,
				      const struct onnx_value *b)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_product, 2);
	const struct nn_product product = { .operands = { onnx_operand_of(a),
							  onnx_operand_of(b) } };

	if (a->tensor.quant.scales || b->tensor.quant.scales) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its constant has one scale per index of an axis, and is not one matrix on "
			  "the right\nquantize it per tensor");
		return NULL;
	}
	if (!pending ||
	    nn_product_shape(&import->builder, &product, &pending->rank, pending->dims))
		return NULL;
	pending->operands[0] = a;
	pending->operands[1] = b;
	pending->takes_activation = true;
	return pending;
}

/*
 * A product of real operands, NULL after an error. A vector's dimension of 1 is not in the result.
 */
struct onnx_pending *onnx_new_matmul(struct onnx_import *import, const struct onnx_value *a,
				     const struct onnx_value *b)
{
	const struct onnx_value *left = a ? onnx_as_matrix(import, a, false) : NULL;
	const struct onnx_value *right = left && b ? onnx_as_matrix(import, b, true) : NULL;
	const bool is_row = left != a, is_column = right != b;
	struct onnx_pending *pending;

	if (!right)
		return NULL;
	if (onnx_is_matrix_of(left, right)) {
		if (right->tensor.rank > 2)
			right = reshape_const(import, right, 2,
					      right->tensor.dims + right->tensor.rank - 2);
		pending = right ? onnx_new_fc(import, left, right, &import->absent, 1) : NULL;
	} else {
		pending = onnx_new_product(import, left, right);
	}
	if (!pending)
		return NULL;
	if (is_row) {
		pending->rank--;
		pending->dims[pending->rank - 1] = pending->dims[pending->rank];
	}
	if (is_column)
		pending->rank--;
	if (!pending->rank) {
		import->makes_bare = true;
		pending->rank = 1;
		pending->dims[0] = 1;
	}
	return pending;
}

/* ---- Of two constants ---- */

#define MOST_PRODUCTS (1u << 30) /* so that a small file cannot take much time */

/* A constant of floats with as many dimensions as another one, ones in front, as a matrix is. */
static int read_matrix(struct onnx_import *import, uint32_t i, uint32_t rank, struct nn_const *out)
{
	uint32_t dims[NN_MAX_RANK], own;
	int err = onnx_read_floats(import, onnx_input(import, i), "operand", out);

	own = out->rank;
	if (err || !own)
		return err ? err : onnx_fail(import, -EINVAL, "its operand has no dimensions");
	for (uint32_t k = 0; k < rank; k++)
		dims[k] = k + own < rank ? 1 : out->dims[k + own - rank];
	/* A vector on the right is a column. */
	if (own == 1 && i) {
		dims[rank - 2] = out->dims[0];
		dims[rank - 1] = 1;
	}
	nn_const_reshape(out, rank, dims);
	return 0;
}

/* The first element of the matrix that belongs to matrix number `at` of the product. */
static uint64_t find_matrix(const struct nn_const *operand, const struct nn_const *made,
			    uint64_t at)
{
	const uint32_t *dims = operand->dims + operand->rank - 2;
	uint64_t stride = (uint64_t)dims[0] * dims[1], first = 0;

	for (uint32_t k = operand->rank - 2; k-- > 0; at /= made->dims[k]) {
		if (operand->dims[k] > 1)
			first += at % made->dims[k] * stride;
		stride *= operand->dims[k];
	}
	return first;
}

/* The product of two constants, summed in double and rounded once. */
static int fold_product(struct onnx_import *import)
{
	const uint32_t left = onnx_input(import, 0)->tensor.rank;
	const uint32_t right = onnx_input(import, 1)->tensor.rank;
	uint32_t rank = left > right ? left : right, rows, columns, length, dims[NN_MAX_RANK];
	struct nn_const a, b, made;
	float *data;
	int err;

	rank = rank < 2 ? 2 : rank;
	err = read_matrix(import, 0, rank, &a);
	if (!err)
		err = read_matrix(import, 1, rank, &b);
	if (err)
		return err;
	rows = a.dims[rank - 2];
	length = a.dims[rank - 1];
	columns = b.dims[rank - 1];
	made = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = rank, .count = 1 };
	for (uint32_t k = 0; k < rank; k++) {
		made.dims[k] = k + 2 == rank ? rows : k + 1 == rank ? columns :
			       a.dims[k] == 1 ? b.dims[k] : a.dims[k];
		if (k + 2 < rank && b.dims[k] != made.dims[k] && b.dims[k] != 1)
			return onnx_fail(import, -EINVAL,
					 "its operands are of %" PRIu32 " and %" PRIu32
					 " along a dimension", a.dims[k], b.dims[k]);
		if (made.dims[k] && made.count > MOST_PRODUCTS / made.dims[k])
			return onnx_fail(import, -EOPNOTSUPP, "the product of its constants is too large");
		made.count *= made.dims[k];
	}
	if (b.dims[rank - 2] != length)
		return onnx_fail(import, -EINVAL, "it multiplies %" PRIu32 " columns by %" PRIu32
				 " rows", length, b.dims[rank - 2]);
	if (!length || !made.count || made.count > MOST_PRODUCTS / length)
		return onnx_fail(import, -EOPNOTSUPP,
				 "the product of its constants is empty, or too large");
	made.data = data = onnx_alloc(import, made.count, sizeof(*data));
	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < made.count; i++) {
		const uint64_t matrix = i / ((uint64_t)rows * columns);
		const uint64_t from = find_matrix(&a, &made, matrix) + i / columns % rows * length;
		const uint64_t by = find_matrix(&b, &made, matrix) + i % columns;
		double sum = 0;

		for (uint32_t k = 0; k < length; k++)
			sum += (double)nn_const_float(&a, from + k) *
			       nn_const_float(&b, by + (uint64_t)k * columns);
		data[i] = (float)sum;
	}
	/* A vector's dimension of 1 is not in the result. */
	memcpy(dims, made.dims, sizeof(dims));
	if (left == 1)
		dims[rank - 2] = columns;
	rank -= (left == 1) + (right == 1);
	nn_const_reshape(&made, rank, dims);
	return onnx_define_const(import, &made);
}

/* Whether it is of two constants that are not for each item of a batch. */
static bool is_known(struct onnx_import *import)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (!onnx_is_const(value) || value->repeated_for)
			return false;
	}
	return true;
}

/* ---- The operators ---- */

int onnx_lower_matmul(struct onnx_import *import)
{
	const struct onnx_value *a;

	if (is_known(import))
		return fold_product(import);
	a = onnx_operand_input(import, 0);
	return onnx_define_pending(
		import, a ? onnx_new_matmul(import, a, onnx_operand_input(import, 1)) : NULL);
}

int onnx_lower_qlinear_matmul(struct onnx_import *import)
{
	uint32_t rank = onnx_input(import, 3)->tensor.rank;
	const struct onnx_value *a = onnx_linear_input(import, 0, 0);

	return onnx_define_linear(
		import,
		a ? onnx_new_matmul(import, a, onnx_linear_input(import, 3, rank ? rank - 1 : 0)) : NULL,
		6, 0);
}
