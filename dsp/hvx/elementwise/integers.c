// SPDX-License-Identifier: MIT
/*
 * INTEGERS: arithmetic and comparisons of two integers. nn_integers_hvx() is its vector kernel, in
 * the table of kernels.c. Inputs are laid out (lay_out.h), and 128 elements at a time are vectors
 * of their type (lanes.h). integers_divide.c has what divides, integers_scaled.c comparisons of
 * elements that are quantized.
 *
 * Numbers of 64 bits are two vectors of words each. Bools are 0 and 1, of which any function is one
 * of bits.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/lay_out.h"
#include "dsp/hvx/elementwise/integers.h"

#include <stddef.h>

#define WORK	200	/* for 128 elements of 8 bytes */

/* One of the functions that are defined within a vector, of elements of `size` bytes. */
lanes_inline HVX_Vector compute_vector(HVX_Vector a, HVX_Vector b, uint32_t function, uint32_t size,
				       bool is_signed)
{
	HVX_VectorPair products;

	switch (function) {
	case NN_INTEGERS_ADD:
		return size == 1 ? Q6_Vb_vadd_VbVb(a, b) : size == 2 ? Q6_Vh_vadd_VhVh(a, b) :
								       Q6_Vw_vadd_VwVw(a, b);
	case NN_INTEGERS_SUB:
		return size == 1 ? Q6_Vb_vsub_VbVb(a, b) : size == 2 ? Q6_Vh_vsub_VhVh(a, b) :
								       Q6_Vw_vsub_VwVw(a, b);
	case NN_INTEGERS_MUL:
		if (size == 2)
			return Q6_Vh_vmpyi_VhVh(a, b);
		if (size == 4)
			return multiply_words(a, b);
		products = Q6_Wh_vmpy_VbVb(a, b);
		return Q6_Vb_vshuffe_VbVb(Q6_V_hi_W(products), Q6_V_lo_W(products));
	case NN_INTEGERS_MIN:
		if (is_signed)
			return size == 1 ? Q6_Vb_vmin_VbVb(a, b) :
			       size == 2 ? Q6_Vh_vmin_VhVh(a, b) : Q6_Vw_vmin_VwVw(a, b);
		return size == 1 ? Q6_Vub_vmin_VubVub(a, b) : Q6_Vuh_vmin_VuhVuh(a, b);
	case NN_INTEGERS_MAX:
		if (is_signed)
			return size == 1 ? Q6_Vb_vmax_VbVb(a, b) :
			       size == 2 ? Q6_Vh_vmax_VhVh(a, b) : Q6_Vw_vmax_VwVw(a, b);
		return size == 1 ? Q6_Vub_vmax_VubVub(a, b) : Q6_Vuh_vmax_VuhVuh(a, b);
	case NN_INTEGERS_AND:
		return Q6_V_vand_VV(a, b);
	case NN_INTEGERS_OR:
		return Q6_V_vor_VV(a, b);
	default:
		return Q6_V_vxor_VV(a, b);
	}
}

/* Which of 32 numbers of 64 bits are greater. */
lanes_inline HVX_VectorPred are_greater(struct wide a, struct wide b)
{
	HVX_VectorPred same = Q6_Q_vcmp_eq_VwVw(a.high, b.high);

	return Q6_Q_or_QQ(Q6_Q_vcmp_gt_VwVw(a.high, b.high),
			  Q6_Q_vcmp_gtand_QVuwVuw(same, a.low, b.low));
}

/* The same functions of 32 numbers of 64 bits. */
lanes_inline struct wide compute_wide(struct wide a, struct wide b, uint32_t function)
{
	switch (function) {
	case NN_INTEGERS_ADD:
		return add_wide(a, b);
	case NN_INTEGERS_SUB:
		return subtract_wide(a, b);
	case NN_INTEGERS_MUL:
		return multiply_wide(a, b);
	case NN_INTEGERS_MAX:
		return choose_wide(are_greater(a, b), a, b);
	default:
		return choose_wide(are_greater(a, b), b, a);
	}
}

/* Computes 32 numbers of 64 bits, or fewer. */
lanes_inline void compute_32(const uint8_t *a, const uint8_t *b, uint8_t *to, uint32_t elements,
			     uint32_t function)
{
	const struct lanes x = { a, 8, elements, false }, y = { b, 8, elements, false };
	const struct lanes_to result = { to, 8, elements, true, false, NULL, NULL };
	uint32_t all = elements == VECTOR ? 4 : (elements + 31) / 32;

	for (uint32_t i = 0; i < all; i++)
		store_wide(&result, i, compute_wide(load_wide(&x, i), load_wide(&y, i), function));
}

lanes_inline void compute_all(const uint8_t *const *from, uint8_t *to, uint32_t elements,
			      uint32_t function, uint32_t size, bool is_signed)
{
	const uint8_t *a = from[0], *b = from[1];
	uint32_t bytes = elements * size;

	for (; size == 8 && elements >= VECTOR; elements -= VECTOR) {
		compute_32(a, b, to, VECTOR, function);
		a += 8 * VECTOR;
		b += 8 * VECTOR;
		to += 8 * VECTOR;
	}
	if (size == 8) {
		if (elements)
			compute_32(a, b, to, elements, function);
		return;
	}
	for (; bytes >= VECTOR; bytes -= VECTOR) {
		store(to, compute_vector(load(a), load(b), function, size, is_signed));
		a += VECTOR;
		b += VECTOR;
		to += VECTOR;
	}
	if (bytes)
		store_bytes(to, compute_vector(load_bytes(a, bytes), load_bytes(b, bytes), function,
					       size, is_signed), bytes);
}

/* The loops of a function by the type's size and sign. */
lanes_inline void compute_sizes(const uint8_t *const *from, uint8_t *to, uint32_t elements,
				uint32_t function, uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		compute_all(from, to, elements, function, 1, is_signed);
		break;
	case 2:
		compute_all(from, to, elements, function, 2, is_signed);
		break;
	case 4:
		compute_all(from, to, elements, function, 4, true);
		break;
	default:
		compute_all(from, to, elements, function, 8, true);
	}
}

/* Functions of bools, which are normalized. */
lanes_inline HVX_Vector compute_bool(HVX_Vector a, HVX_Vector b, uint32_t function)
{
	return Q6_V_vand_VV(compute_vector(find_nonzero(a, 1), find_nonzero(b, 1), function, 1,
					   false), splat_b(1));
}

lanes_inline void compute_bools(const uint8_t *const *from, uint8_t *to, uint32_t elements,
				uint32_t function)
{
	const uint8_t *a = from[0], *b = from[1];

	for (; elements >= VECTOR; elements -= VECTOR) {
		store(to, compute_bool(load(a), load(b), function));
		a += VECTOR;
		b += VECTOR;
		to += VECTOR;
	}
	if (elements)
		store_bytes(to, compute_bool(load_bytes(a, elements), load_bytes(b, elements),
					     function), elements);
}

static void run_bools(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
		      uint32_t elements)
{
	switch (call->op->integers.function) {
	case NN_INTEGERS_ADD:
	case NN_INTEGERS_MAX:
	case NN_INTEGERS_OR:
		compute_bools(from, to, elements, NN_INTEGERS_OR);
		break;
	case NN_INTEGERS_SUB:
	case NN_INTEGERS_XOR:
		compute_bools(from, to, elements, NN_INTEGERS_XOR);
		break;
	case NN_INTEGERS_MOD:
	case NN_INTEGERS_FLOOR_MOD:
		__builtin_memset(to, 0, elements);
		break;
	default:
		compute_bools(from, to, elements, NN_INTEGERS_AND);
	}
}

static void run_arithmetic(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
			   uint32_t elements)
{
	uint8_t type = call->input[0].type;
	uint32_t size = nn_type_size(type);
	bool is_signed = integers_are_signed(type);

	switch (call->op->integers.function) {
	case NN_INTEGERS_ADD:
		compute_sizes(from, to, elements, NN_INTEGERS_ADD, size, true);
		break;
	case NN_INTEGERS_SUB:
		compute_sizes(from, to, elements, NN_INTEGERS_SUB, size, true);
		break;
	case NN_INTEGERS_MUL:
		compute_sizes(from, to, elements, NN_INTEGERS_MUL, size, true);
		break;
	case NN_INTEGERS_MIN:
		if (is_signed)
			compute_sizes(from, to, elements, NN_INTEGERS_MIN, size, true);
		else if (size == 1)
			compute_all(from, to, elements, NN_INTEGERS_MIN, 1, false);
		else
			compute_all(from, to, elements, NN_INTEGERS_MIN, 2, false);
		break;
	case NN_INTEGERS_MAX:
		if (is_signed)
			compute_sizes(from, to, elements, NN_INTEGERS_MAX, size, true);
		else if (size == 1)
			compute_all(from, to, elements, NN_INTEGERS_MAX, 1, false);
		else
			compute_all(from, to, elements, NN_INTEGERS_MAX, 2, false);
		break;
	case NN_INTEGERS_AND:
		compute_all(from, to, elements * size, NN_INTEGERS_AND, 1, false);
		break;
	case NN_INTEGERS_OR:
		compute_all(from, to, elements * size, NN_INTEGERS_OR, 1, false);
		break;
	default:
		compute_all(from, to, elements * size, NN_INTEGERS_XOR, 1, false);
	}
}

/* How elements are compared, constant in a loop: for equality, or which is greater. */
struct comparison {
	uint32_t size;
	bool is_equality, is_signed, is_of_bool;
};

/* Makes masks of vector i, of 32 numbers if they have 64 bits. */
lanes_inline HVX_Vector compare_lane(const struct lanes *a, const struct lanes *b, uint32_t i,
				     const struct comparison *c)
{
	HVX_VectorPred found;
	HVX_Vector x, y;

	if (c->size == 8) {
		struct wide v = load_wide(a, i), w = load_wide(b, i);

		found = c->is_equality ? Q6_Q_vcmp_eqand_QVwVw(Q6_Q_vcmp_eq_VwVw(v.low, w.low),
							       v.high, w.high) :
					 are_greater(v, w);
		return Q6_V_vmux_QVV(found, splat_w(-1), Q6_V_vzero());
	}
	x = load_lane(a, i);
	y = load_lane(b, i);
	if (c->is_of_bool) {
		x = find_nonzero(x, 1);
		y = find_nonzero(y, 1);
	}
	if (c->is_equality)
		found = c->size == 1 ? Q6_Q_vcmp_eq_VbVb(x, y) :
			c->size == 2 ? Q6_Q_vcmp_eq_VhVh(x, y) :
				       Q6_Q_vcmp_eq_VwVw(x, y);
	else if (c->is_signed)
		found = c->size == 1 ? Q6_Q_vcmp_gt_VbVb(x, y) :
			c->size == 2 ? Q6_Q_vcmp_gt_VhVh(x, y) :
				       Q6_Q_vcmp_gt_VwVw(x, y);
	else
		found = c->size == 1 || c->is_of_bool ? Q6_Q_vcmp_gt_VubVub(x, y) :
							Q6_Q_vcmp_gt_VuhVuh(x, y);
	return Q6_V_vmux_QVV(found, splat_w(-1), Q6_V_vzero());
}

/* Makes masks of 128 comparisons, of bytes. */
lanes_inline HVX_Vector compare_lanes(const uint8_t *from_a, const uint8_t *from_b,
				      uint32_t elements, const struct comparison *c)
{
	const struct lanes a = { from_a, c->size, elements, false };
	const struct lanes b = { from_b, c->size, elements, false };

	if (c->size == 1)
		return compare_lane(&a, &b, 0, c);
	if (c->size == 2)
		return Q6_Vb_vpacke_VhVh(compare_lane(&a, &b, 1, c), compare_lane(&a, &b, 0, c));
	return Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(compare_lane(&a, &b, 3, c),
						   compare_lane(&a, &b, 2, c)),
				 Q6_Vh_vpacke_VwVw(compare_lane(&a, &b, 1, c),
						   compare_lane(&a, &b, 0, c)));
}

lanes_inline void compare_all(const uint8_t *a, const uint8_t *b, uint8_t *to, uint32_t elements,
			      bool invert, const struct comparison c)
{
	const HVX_Vector inverse = invert ? splat_w(-1) : Q6_V_vzero(), one = splat_b(1);

	for (; elements >= VECTOR; elements -= VECTOR) {
		HVX_Vector result = compare_lanes(a, b, VECTOR, &c);

		store(to, Q6_V_vand_VV(Q6_V_vxor_VV(result, inverse), one));
		a += c.size * VECTOR;
		b += c.size * VECTOR;
		to += VECTOR;
	}
	if (elements) {
		HVX_Vector result = compare_lanes(a, b, elements, &c);

		store_bytes(to, Q6_V_vand_VV(Q6_V_vxor_VV(result, inverse), one), elements);
	}
}

lanes_inline void compare_types(const uint8_t *a, const uint8_t *b, uint8_t *to, uint32_t elements,
				bool invert, bool equality, uint8_t type)
{
	switch (type) {
	case NN_TYPE_BOOL:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 1, equality, false, true });
		break;
	case NN_TYPE_UINT8:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 1, equality, false, false });
		break;
	case NN_TYPE_INT8:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 1, equality, true, false });
		break;
	case NN_TYPE_UINT16:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 2, equality, false, false });
		break;
	case NN_TYPE_INT16:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 2, equality, true, false });
		break;
	case NN_TYPE_INT32:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 4, equality, true, false });
		break;
	default:
		compare_all(a, b, to, elements, invert,
			    (struct comparison){ 8, equality, true, false });
	}
}

/*
 * Compares integers as they are stored, or elements of one scale: a < b is b > a, and a <= b is not
 * a > b.
 */
static void run_comparison(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
			   uint32_t elements)
{
	uint32_t function = call->op->integers.function;
	bool is_less;

	if (function >= NN_INTEGERS_EQUAL_FLOAT)
		function -= NN_INTEGERS_EQUAL_FLOAT - NN_INTEGERS_EQUAL;
	is_less = function == NN_INTEGERS_LESS;
	if (function == NN_INTEGERS_EQUAL || function == NN_INTEGERS_NOT_EQUAL)
		compare_types(from[0], from[1], to, elements, function == NN_INTEGERS_NOT_EQUAL,
			      true, call->input[0].type);
	else
		compare_types(from[is_less], from[!is_less], to, elements, !is_less, false,
			      call->input[0].type);
}

/* Tells whether a real comparison is one of what is stored. */
static bool has_one_scale(const struct nn_call *call)
{
	const struct nn_integers_params *params = &call->op->integers;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];

	return params->function >= NN_INTEGERS_EQUAL_FLOAT &&
	       params->function < NN_INTEGERS_EQUAL_FIXED && a->type == b->type &&
	       a->zero_point == b->zero_point && params->scale_a == params->scale_b &&
	       is_usual_scale(params->scale_a);
}

int nn_integers_hvx(const struct nn_call *call)
{
	uint32_t function = call->op->integers.function;

	if (!nn_integers_has_vectors(call))
		return nn_integers_portable(call);
	if (function >= NN_INTEGERS_EQUAL_FLOAT && !has_one_scale(call))
		return nn_integers_compare_scaled(call);
	if (function >= NN_INTEGERS_EQUAL)
		return nn_lay_out_run(call, 2, run_comparison, WORK);
	if (call->input[0].type == NN_TYPE_BOOL)
		return nn_lay_out_run(call, 2, run_bools, WORK);
	if (function >= NN_INTEGERS_DIV && function <= NN_INTEGERS_FLOOR_MOD)
		return nn_integers_divide(call);
	return nn_lay_out_run(call, 2, run_arithmetic, WORK);
}
