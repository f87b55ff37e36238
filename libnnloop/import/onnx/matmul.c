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

int onnx_lower_matmul(struct onnx_import *import)
{
	const struct onnx_value *a = onnx_operand_input(import, 0);

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
