// SPDX-License-Identifier: MIT
/*
 * MatMulInteger and ConvInteger: products of integers of 8 bits, whose sums are int32 as they are.
 * Zero points are constants, or of tensors what a model computes (import/dynamic.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/dynamic.h"
#include "import/onnx/onnx.h"

/* ---- Operands ---- */

/* An operand, with its zero point; or with a fixed one, and what that is more than the computed. */
struct side {
	struct onnx_value value;
	int64_t zero;
	bool is_computed; /* the zero point */
	struct nn_build_tensor shift;
	/* Zero points of the outputs of a constant, which are different; or NULL. */
	const struct nn_const *zeros;
};

static bool is_single(const struct onnx_value *value)
{
	return value->kind == ONNX_STORED && nn_is_single(&value->tensor);
}

/* A zero point, of operand i: one number for all elements, or one for each output of a constant. */
static int read_zero(struct onnx_import *import, uint32_t i, const struct onnx_value *value,
		     struct side *side)
{
	const struct nn_const *constant = &value->constant;
	enum nn_data_type type = side->value.tensor.quant.type;

	if (value->kind == ONNX_ABSENT)
		return 0;
	if (is_single(value) && value->tensor.quant.type == type && !onnx_is_const(&side->value)) {
		side->is_computed = true;
		side->zero = nn_fixed_zero(type);
		return nn_build_shift(&import->builder, &value->tensor, &side->shift);
	}
	if (value->kind != ONNX_CONST || !constant->count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its zero point %" PRIu32
				 " is no constant, nor one number of a tensor", i);
	if (constant->element != (enum nn_element)type)
		return onnx_fail(import, -EINVAL,
				 "its zero point %" PRIu32 " has another type than its operand", i);
	side->zero = nn_const_int(constant, 0);
	for (uint64_t k = 1; k < constant->count && !side->zeros; k++) {
		if (nn_const_int(constant, k) != side->zero)
			side->zeros = constant;
	}
	return 0;
}

/* Integers of 8 bits, which have no scale, with their zero point. */
static int read_side(struct onnx_import *import, uint32_t i, const char *what,
		     const struct onnx_value *x, const struct onnx_value *zero, struct side *side)
{
	memset(side, 0, sizeof(*side));
	side->value = *x;
	if (x->kind == ONNX_CONST)
		side->value.tensor.quant = (struct nn_quant){
			.type = nn_element_to_type(x->constant.element), .scale = 1
		};
	if ((x->kind != ONNX_CONST && x->kind != ONNX_STORED) ||
	    !nn_type_is_8bit(side->value.tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is no %s of int8 or uint8", i, what);
	return read_zero(import, i, zero, side);
}

/* ---- What sums lack ---- */

/* Elements of 1: a matrix of one row, or one column. */
static int make_ones(struct onnx_import *import, uint32_t count, bool is_column,
		     struct nn_const *out)
{
	int8_t *ones = onnx_alloc(import, count, 1);

	if (!ones)
		return -ENOMEM;
	memset(ones, 1, count);
	*out = (struct nn_const){ .element = NN_ELEMENT_INT8, .rank = 2, .count = count,
				  .dims = { is_column ? count : 1, is_column ? 1 : count },
				  .data = ones };
	return 0;
}

/* Sums of the columns of a constant's matrices, or of their rows. */
static int sum_constant(struct onnx_import *import, const struct side *side, bool is_left,
			struct nn_const *out)
{
	const struct nn_const *from = &side->value.constant;
	uint32_t rank = from->rank, columns = from->dims[rank - 1], rows = from->dims[rank - 2];
	uint64_t count = from->count / (is_left ? columns : rows);
	int32_t *sums = onnx_alloc(import, count, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	*out = *from;
	out->element = NN_ELEMENT_INT32;
	out->count = count;
	out->data = sums;
	out->dims[is_left ? rank - 1 : rank - 2] = 1;
	for (uint64_t i = 0; i < from->count; i++) {
		uint64_t row = i / columns;

		sums[is_left ? row : row / rows * columns + i % columns] +=
			(int32_t)(nn_const_int(from, i) - side->zero);
	}
	return 0;
}

/* The same of an operand, as one of int32. */
static int sum_lines(struct onnx_import *import, const struct side *side, bool is_left,
		     struct nn_const *constant, struct nn_build_tensor *tensor,
		     struct nn_operand *out)
{
	const struct nn_build_tensor *x = &side->value.tensor;
	uint32_t length = x->dims[x->rank - (is_left ? 1 : 2)];
	const int64_t zeros[2] = { is_left ? side->zero : 0, is_left ? 0 : side->zero };
	struct nn_product product = { .zero_points = zeros };
	struct nn_quant of_ones = { .type = NN_INT8, .scale = 1 };
	struct nn_operand ones = { .constant = { .name = "ones", .quant = &of_ones } };
	int err;

	if (onnx_is_const(&side->value)) {
		*out = (struct nn_operand){ .constant = { .name = "sums", .values = constant,
							  .quant = &nn_quant_int32 } };
		return sum_constant(import, side, is_left, constant);
	}
	*out = (struct nn_operand){ .tensor = tensor };
	ones.constant.values = constant;
	product.operands[0] = is_left ? onnx_operand_of(&side->value) : ones;
	product.operands[1] = is_left ? ones : onnx_operand_of(&side->value);
	err = make_ones(import, length, is_left, constant);
	return err ? err : nn_build_product(&import->builder, &product, NULL, NULL, &nn_quant_int32,
					    tensor);
}

/* Adds to sums what they lack for the computed zero point of one side. */
static int add_shift(struct onnx_import *import, const struct side *shifted,
		     const struct side *other, bool other_is_left, struct nn_build_tensor *sums)
{
	struct nn_build_tensor tensor, lacks;
	struct nn_operand lines;
	struct nn_const constant;
	int err = sum_lines(import, other, other_is_left, &constant, &tensor, &lines);

	if (!err)
		err = nn_build_product_of(&import->builder, &shifted->shift, &lines, &lacks);
	return err ? err : nn_build_sum_of(&import->builder, sums, &lacks, sums);
}

/* And for both at once: the product of the two, as often as there are products in a sum. */
static int add_both(struct onnx_import *import, const struct side sides[2],
		    struct nn_build_tensor *sums)
{
	const struct nn_build_tensor *a = &sides[0].value.tensor;
	const struct nn_operand other = { .tensor = &sides[1].shift };
	struct nn_build_tensor lacks;
	struct nn_operand length;
	int err = nn_number_operand(&import->builder, a->dims[a->rank - 1], &nn_quant_int32, &length);

	if (!err)
		err = nn_build_product_of(&import->builder, &sides[0].shift, &other, &lacks);
	if (!err)
		err = nn_build_product_of(&import->builder, &lacks, &length, &lacks);
	return err ? err : nn_build_sum_of(&import->builder, sums, &lacks, sums);
}

/* ---- Products of matrices ---- */

/* Rows of a matrix have no dimension of their own beside the batch, and get one. */
static int add_dimension(struct onnx_import *import, struct onnx_value *a)
{
	const uint32_t dims[3] = { a->tensor.dims[0], 1, a->tensor.dims[1] };

	return nn_build_reshape(&import->builder, &a->tensor, 3, dims, &a->tensor);
}

/* The sums of products, by the fixed zero points. */
static int build_fixed(struct onnx_import *import, const struct side sides[2],
		       struct nn_build_tensor *out)
{
	const int64_t zeros[2] = { sides[0].zero, sides[1].zero };
	const struct nn_product product = {
		.operands = { onnx_operand_of(&sides[0].value), onnx_operand_of(&sides[1].value) },
		.zero_points = zeros,
	};

	return nn_build_product(&import->builder, &product, NULL, NULL, &nn_quant_int32, out);
}

/* A quantization with the zero points of each output, for which it has scales as well. */
static int give_zeros(struct onnx_import *import, const struct side *side, uint32_t outputs,
		      struct nn_quant *quant)
{
	float *scales;

	if (!side->zeros)
		return 0;
	if (side->zeros->count != outputs)
		return onnx_fail(import, -EINVAL, "it has %" PRIu64 " zero points for %" PRIu32
				 " outputs", side->zeros->count, outputs);
	scales = onnx_alloc(import, outputs, sizeof(*scales));
	if (!scales)
		return -ENOMEM;
	for (uint32_t o = 0; o < outputs; o++)
		scales[o] = 1;
	quant->scales = scales;
	quant->zero_points = side->zeros;
	return 0;
}

/* Adds to sums what they lack for zero points of the outputs: as often as that is apart from the
 * fixed one, the elements of x. */
static int add_zeros(struct onnx_import *import, const struct side *a, const struct side *b,
		     struct nn_build_tensor *sums)
{
	const int32_t fixed = nn_fixed_zero(b->value.tensor.quant.type);
	struct nn_const constant, shifts = *b->zeros;
	const struct nn_operand by = {
		.constant = { .name = "shifts", .values = &shifts, .quant = &nn_quant_int32 }
	};
	int32_t *values = onnx_alloc(import, shifts.count, sizeof(*values));
	struct nn_build_tensor tensor, lacks;
	struct side rows = *a;
	struct nn_operand lines;
	int err = values ? 0 : -ENOMEM;

	shifts.element = NN_ELEMENT_INT32;
	shifts.data = values;
	for (uint64_t i = 0; i < shifts.count && !err; i++)
		values[i] = fixed - (int32_t)nn_const_int(b->zeros, i);
	if (!err && a->value.tensor.rank == 2)
		err = add_dimension(import, &rows.value);
	if (!err)
		err = sum_lines(import, &rows, true, &constant, &tensor, &lines);
	if (!err && a->value.tensor.rank == 2) {
		const uint32_t dims[2] = { tensor.dims[0], 1 };

		err = nn_build_reshape(&import->builder, &tensor, 2, dims, &tensor);
	}
	if (!err)
		err = nn_build_product_of(&import->builder, &tensor, &by, &lacks);
	return err ? err : nn_build_sum_of(&import->builder, sums, &lacks, sums);
}

/* Times one constant matrix, which are the weights of a fully connected layer. */
static int build_layer(struct onnx_import *import, const struct side *a, const struct side *b,
		       struct nn_build_tensor *out)
{
	const struct nn_const *values = &b->value.constant;
	struct nn_quant of_weights = { .type = b->value.tensor.quant.type, .scale = 1,
				       .zero_point = (int32_t)b->zero };
	const struct nn_quant of_x = { .type = a->value.tensor.quant.type, .scale = 1,
				       .zero_point = (int32_t)a->zero };
	struct nn_build_weights weights = {
		.parameter = { .name = b->value.tensor.name, .values = values,
			       .quant = &of_weights },
		.outputs = values->dims[values->rank - 1],
		.inputs = values->dims[values->rank - 2],
		.height = 1,
		.width = 1,
		.output_stride = 1,
	};
	struct nn_build_tensor x;
	struct nn_const sums;
	int err = 0;

	if (b->zeros)
		of_weights.zero_point = nn_fixed_zero(of_weights.type);
	weights.input_stride = weights.outputs;
	if (a->zeros)
		err = onnx_fail(import, -EOPNOTSUPP, "its zero points 0 differ from each other");
	if (!err && a->value.tensor.dims[a->value.tensor.rank - 1] != weights.inputs)
		err = onnx_fail(import, -EINVAL,
				"the rows of its first operand have %" PRIu32
				" elements, the columns of its second %" PRIu32,
				a->value.tensor.dims[a->value.tensor.rank - 1], weights.inputs);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &a->value.tensor, NULL, 0, &of_x,
				     &x);
	if (!err)
		err = nn_build_fully_connected(&import->builder, &x, &weights, NULL, NULL,
					       &nn_quant_int32, out);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", out, NULL, 0, &nn_quant_int32, out);
	if (!err && b->zeros)
		err = add_zeros(import, a, b, out);
	if (!err)
		err = give_zeros(import, b, weights.outputs, &of_weights);
	if (!err && a->is_computed)
		err = nn_sum_weights(&import->builder, &weights, &sums);
	if (!err && a->is_computed)
		err = nn_build_shifted(&import->builder, out, &a->shift, &sums, out);
	return err;
}

/* Any others. */
static int build_matrices(struct onnx_import *import, struct side sides[2], bool is_flat,
			  struct nn_build_tensor *out)
{
	int err = 0;

	for (uint32_t i = 0; i < 2; i++) {
		if (sides[i].zeros)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its zero points %" PRIu32 " differ from each other", i);
	}
	if (is_flat)
		err = add_dimension(import, &sides[0].value);
	if (!err)
		err = build_fixed(import, sides, out);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		if (sides[i].is_computed)
			err = add_shift(import, &sides[i], &sides[!i], i, out);
	}
	if (!err && sides[0].is_computed && sides[1].is_computed)
		err = add_both(import, sides, out);
	return err;
}

int onnx_build_sums(struct onnx_import *import, const struct onnx_value *a,
		    const struct onnx_value *b, const struct onnx_value *zero_a,
		    const struct onnx_value *zero_b, struct nn_build_tensor *out)
{
	uint32_t ranks[2] = { a->tensor.rank, b->tensor.rank }, rank, dims[NN_MAX_RANK];
	const struct onnx_value *matrix;
	struct side sides[2];
	bool is_flat;
	int err = read_side(import, 0, "tensor", a, zero_a, &sides[0]);

	if (!err)
		err = read_side(import, 1, "tensor", b, zero_b, &sides[1]);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		matrix = onnx_as_matrix(import, &sides[i].value, i);
		if (!matrix)
			return onnx_failed(import);
		sides[i].value = *matrix;
	}
	if (err)
		return err;
	is_flat = sides[0].value.kind == ONNX_STORED && sides[0].value.tensor.rank == 2 &&
		  sides[1].value.kind == ONNX_CONST && sides[1].value.tensor.rank == 2;
	if ((sides[0].is_computed || sides[1].zeros) &&
	    onnx_is_matrix_of(&sides[0].value, &sides[1].value)) {
		err = build_layer(import, &sides[0], &sides[1], out);
		is_flat = false;
	} else {
		err = build_matrices(import, sides, is_flat, out);
	}
	if (err)
		return err;
	memcpy(dims, out->dims, sizeof(dims));
	/* Without dimensions of 1 that it has been given here. */
	rank = out->rank;
	if (is_flat || ranks[0] == 1) {
		dims[rank - 2] = dims[rank - 1];
		rank--;
	}
	if (ranks[1] == 1)
		rank--;
	import->makes_bare = !rank;
	if (rank < out->rank)
		err = nn_build_reshape(&import->builder, out, rank ? rank : 1, dims, out);
	return err;
}

int onnx_lower_matmul_integer(struct onnx_import *import)
{
	struct onnx_value value = { .kind = ONNX_STORED };
	int err = onnx_build_sums(import, onnx_input(import, 0), onnx_input(import, 1),
				  onnx_input(import, 2), onnx_input(import, 3), &value.tensor);

	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Convolutions ---- */

/* A side as a convolution's operand, whose scale is 1. */
static int make_operand(struct onnx_import *import, uint32_t i, struct side *side)
{
	struct nn_quant *quant = &side->value.tensor.quant;
	enum onnx_kind kind = side->value.kind;

	if ((kind == ONNX_CONST) != i)
		return onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " is no %s of int8 or uint8",
				 i, i ? "constant" : "tensor");
	if (side->zeros)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its zero points %" PRIu32 " differ from each other", i);
	*quant = (struct nn_quant){ .type = quant->type, .scale = 1,
				    .zero_point = (int32_t)side->zero };
	side->value.kind = i ? ONNX_REAL_CONST : ONNX_REAL;
	return i ? 0 : nn_build_unary(&import->builder, "Cast", &side->value.tensor, NULL, 0, quant,
				      &side->value.tensor);
}

/* Adds what the sums lack for the computed zero point of the image. */
static int shift_conv(struct onnx_import *import, const struct side *x, const struct side *w,
		      struct nn_build_tensor *sums)
{
	const uint32_t *kernel = w->value.tensor.dims;
	bool is_line = x->value.tensor.rank == 3;
	struct nn_build_weights weights = {
		.parameter = { .name = w->value.tensor.name, .values = &w->value.constant,
			       .quant = &w->value.tensor.quant },
		.outputs = kernel[0],
		.inputs = kernel[1],
		.height = is_line ? 1 : kernel[2],
		.width = kernel[w->value.tensor.rank - 1],
		.column_stride = 1,
	};
	struct nn_window window = { .most = NN_MAX_FLOAT_WINDOW };
	struct nn_build_tensor image = x->value.tensor;
	struct nn_const of_weights;
	int err = onnx_read_placed_window(import, &x->value, &weights, &window);

	weights.row_stride = weights.width;
	weights.input_stride = (uint64_t)weights.height * weights.width;
	weights.output_stride = weights.input_stride * weights.inputs;
	if (is_line) {
		image.rank = 4;
		image.dims[3] = image.dims[2];
		image.dims[2] = 1;
	}
	if (!err)
		err = nn_sum_window(&import->builder, &weights, &window, &image, &of_weights);
	if (err)
		return err;
	if (is_line) {
		const uint32_t dims[3] = { 1, of_weights.dims[1], of_weights.dims[3] };

		nn_const_reshape(&of_weights, 3, dims);
	}
	return nn_build_shifted(&import->builder, sums, &x->shift, &of_weights, sums);
}

/* The graph gives sums the scale 1 then, which they have not in the model. */
int onnx_lower_conv_integer(struct onnx_import *import)
{
	struct onnx_pending *pending;
	struct nn_build_tensor made;
	struct side x, w;
	int err = read_side(import, 0, "tensor", onnx_input(import, 0), onnx_input(import, 2),
			    &x);

	if (!err)
		err = read_side(import, 1, "constant", onnx_input(import, 1),
				onnx_input(import, 3), &w);
	if (!err)
		err = make_operand(import, 0, &x);
	if (!err)
		err = make_operand(import, 1, &w);
	if (err)
		return err;
	pending = onnx_new_conv(import, &x.value, &w.value, &import->absent);
	err = pending ? onnx_emit_conv(import, pending, &nn_quant_int32, NULL, &made) :
			onnx_failed(import);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &made, NULL, 0, &nn_quant_int32, &made);
	if (!err && x.is_computed)
		err = shift_conv(import, &x, &w, &made);
	return err ? err : onnx_define_stored(import, &made);
}
