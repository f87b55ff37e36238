// SPDX-License-Identifier: MIT
/*
 * INTEGERS' comparisons of quantized elements (integers.h). What an element stands for never
 * decreases from a byte to the next greater one. So of all bytes b, in their order, those below a
 * given a come first, then those that are equal to it, then those above:
 *
 *	b	|0 1 ... below-1|below ... up_to-1|up_to ... 255|
 *		  less than a	  equal		    greater
 *
 * A table has, for each a, how many are below it, or how many up to it: 9 bits, as low bytes and
 * high ones. Then a comparison is one of that with b. For equality, of which there is one b at most
 * for each a unless numbers are rounded very much, tables have that b, and whether there is one.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/hvx/common/lay_out.h"
#include "dsp/hvx/elementwise/integers.h"
#include "dsp/hvx/elementwise/tables.h"

#define WORK		120
#define TABLE_BYTES	256
#define FRONT		(4 * TABLE_BYTES + 2 * 4 * TABLE_BYTES)	/* tables, and values */

/* Lists what bytes of an input, in their order, stand for, as numbers that have that order. */
static void list_values(const struct nn_call *call, uint32_t input, int32_t *values)
{
	const struct nn_integers_params *params = &call->op->integers;
	const struct nn_tensor *tensor = &call->input[input];
	const float scale = input ? params->scale_b : params->scale_a;
	int32_t first = -flip_of(tensor) - tensor->zero_point;
	union {
		float value;
		int32_t bits;
	} real;

	if (params->function >= NN_INTEGERS_EQUAL_FIXED) {
		for (int32_t i = 0; i < TABLE_BYTES; i++)
			values[i] = nn_fixed_multiply((first + i) * 256, params->by[input]);
		return;
	}
	for (int32_t i = 0; i < TABLE_BYTES; i++) {
		real.value = (float)(first + i) * scale;
		values[i] = real.bits < 0 ? -(real.bits & 0x7fffffff) : real.bits;
	}
}

/* Makes a table of how many b are below each a, or with `and_equal` up to it. */
static void make_counts(const struct nn_call *call, uint8_t *table, const int32_t *a,
			const int32_t *b, bool and_equal)
{
	uint32_t flip = flip_of(&call->input[0]), count = 0;

	for (uint32_t i = 0; i < TABLE_BYTES; i++) {
		int32_t limit = a[i] + and_equal;

		while (count < TABLE_BYTES && b[count] < limit)
			count++;
		table[i ^ flip] = count;
		table[(i ^ flip) + TABLE_BYTES] = count >> 8;
	}
}

/*
 * Makes tables of the b that is equal to each a, and whether there is one. Returns false if there
 * are several.
 */
static bool make_equals(const struct nn_call *call, uint8_t *table, const int32_t *a,
			const int32_t *b)
{
	uint32_t flip = flip_of(&call->input[0]), count = 0;

	for (uint32_t i = 0; i < TABLE_BYTES; i++) {
		while (count < TABLE_BYTES && b[count] < a[i])
			count++;
		if (count + 1 < TABLE_BYTES && b[count + 1] == a[i])
			return false;
		table[i ^ flip] = count;
		table[(i ^ flip) + TABLE_BYTES] =
			count < TABLE_BYTES && b[count] == a[i] ? 0xff : 0;
	}
	return true;
}

/* How a and b are compared, constant in a loop. */
enum form { FROM, IN_RANGE, THAT_ONE };

/* Tells for which of 128 elements b is not below the number that two tables have for a. */
lanes_inline HVX_Vector are_from(HVX_Vector a, HVX_VectorPair b, const struct table *tables)
{
	HVX_VectorPair first = look_up_halves(a, tables);
	HVX_Vector ones = splat_w(-1), zero = Q6_V_vzero();

	return Q6_Vb_vpacke_VhVh(
		Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VhVh(Q6_V_hi_W(first), Q6_V_hi_W(b)), zero, ones),
		Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VhVh(Q6_V_lo_W(first), Q6_V_lo_W(b)), zero, ones));
}

lanes_inline HVX_Vector compare_vector(HVX_Vector a, HVX_Vector b, const struct table *tables,
				       enum form form)
{
	if (form == THAT_ONE)
		return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VbVb(look_up(a, tables[0]), b),
				     look_up(a, tables[1]), Q6_V_vzero());
	if (form == FROM)
		return are_from(a, Q6_Wuh_vunpack_Vub(b), tables);
	/* Elements that are equal are not below, and not above. */
	return Q6_V_vand_VV(are_from(a, Q6_Wuh_vunpack_Vub(b), tables),
			    Q6_V_vnot_V(are_from(a, Q6_Wuh_vunpack_Vub(b), tables + 2)));
}

lanes_inline void compare_all(const uint8_t *const *from, uint8_t *to, uint32_t elements,
			      const struct table *tables, HVX_Vector flip, HVX_Vector inverse,
			      enum form form)
{
	const uint8_t *a = from[0], *b = from[1];
	const HVX_Vector one = splat_b(1);
	HVX_Vector result;

	for (; elements >= VECTOR; elements -= VECTOR) {
		result = compare_vector(load(a), Q6_V_vxor_VV(load(b), flip), tables, form);
		store(to, Q6_V_vand_VV(Q6_V_vxor_VV(result, inverse), one));
		a += VECTOR;
		b += VECTOR;
		to += VECTOR;
	}
	if (!elements)
		return;
	result = compare_vector(load_bytes(a, elements),
				Q6_V_vxor_VV(load_bytes(b, elements), flip), tables, form);
	store_bytes(to, Q6_V_vand_VV(Q6_V_vxor_VV(result, inverse), one), elements);
}

/* Loads tables, and what makes b a number in the order of bytes. */
static inline HVX_Vector load_tables(const struct nn_call *call, struct table *tables,
				     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		tables[i] = load_table(call->scratch - FRONT + i * TABLE_BYTES);
	return splat_b(flip_of(&call->input[1]));
}

static uint32_t function_of(const struct nn_call *call)
{
	uint32_t function = call->op->integers.function;

	return function - (function >= NN_INTEGERS_EQUAL_FIXED ? NN_INTEGERS_EQUAL_FIXED :
								 NN_INTEGERS_EQUAL_FLOAT) +
	       NN_INTEGERS_EQUAL;
}

static void run_order(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
		      uint32_t elements)
{
	struct table tables[2];
	HVX_Vector flip = load_tables(call, tables, 2);

	compare_all(from, to, elements, tables, flip, Q6_V_vzero(), FROM);
}

/* Returns the bits of masks of equality that are to be inverted. */
static inline HVX_Vector inverse_of_equality(const struct nn_call *call)
{
	return function_of(call) == NN_INTEGERS_NOT_EQUAL ? splat_w(-1) : Q6_V_vzero();
}

static void run_equality(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
			 uint32_t elements)
{
	struct table tables[2];
	HVX_Vector flip = load_tables(call, tables, 2);

	compare_all(from, to, elements, tables, flip, inverse_of_equality(call), THAT_ONE);
}

static void run_equality_of_ranges(const struct nn_call *call, const uint8_t *const *from,
				   uint8_t *to, uint32_t elements)
{
	struct table tables[4];
	HVX_Vector flip = load_tables(call, tables, 4);

	compare_all(from, to, elements, tables, flip, inverse_of_equality(call), IN_RANGE);
}

int nn_integers_compare_scaled(const struct nn_call *call)
{
	uint32_t function = function_of(call);
	struct nn_call part = *call;
	uint8_t *table = call->scratch;
	int32_t *a = (int32_t *)(table + 4 * TABLE_BYTES), *b = a + TABLE_BYTES;

	if (!call->output[0].bytes)
		return 0;
	if (call->scratch_size < FRONT)
		return nn_integers_portable(call);
	part.scratch += FRONT;
	part.scratch_size -= FRONT;
	list_values(call, 0, a);
	list_values(call, 1, b);
	if (function == NN_INTEGERS_LESS || function == NN_INTEGERS_LESS_OR_EQUAL) {
		make_counts(call, table, a, b, function == NN_INTEGERS_LESS);
		return nn_lay_out_run(&part, 2, run_order, WORK);
	}
	if (make_equals(call, table, a, b))
		return nn_lay_out_run(&part, 2, run_equality, WORK);
	make_counts(call, table, a, b, false);
	make_counts(call, table + 2 * TABLE_BYTES, a, b, true);
	return nn_lay_out_run(&part, 2, run_equality_of_ranges, WORK);
}
