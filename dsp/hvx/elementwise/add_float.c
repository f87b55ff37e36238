// SPDX-License-Identifier: MIT
/*
 * ADD_FLOAT: sums of two tensors of bytes that other frameworks compute in float32, here in
 * integers, and again in float32 where the result may be a tie. nn_add_float_hvx() is its vector
 * kernel, in the table of kernels.c; common/fuse.c calls nn_add_float_settle() and
 * nn_add_float_run(), and binary.c for BINARY. As in add.c, element i is of elements i; the
 * assembly (add_float_vectors.S) makes tiles of vectors, and says which of them have ties.
 *
 * The sum is made of integers, as ADD's is, with multipliers of 22 bits, or 21 where sums would
 * leave 32 bits. In steps of 2^-shift it is off from the real one by what the multipliers are,
 * times the elements, and float32's roundings move the result by less than 3 * 2^-24 of both terms
 * (NN_ADD_DEQUANTIZED), or by 2 * 255 / 2 + 11 * 255 / 4 and, of zero points, 3 * 255 * 2^(shift -
 * 24) (NN_ADD_FUSED). Where the sum is not as near as that to a half, it rounds to the same
 * integer. The others, which may be ties, are computed as they are defined.
 *
 * Where scales are so simple, such as powers of two, that float32 rounds nothing, the sum of
 * integers is the real one and ties are seen in it: half of all results may be. Where scales are
 * alike, add_float_ties.c has the sums.
 *
 * Scale b may be negative, which BINARY makes use of for differences.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/elementwise/add.h"
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/requant.h"

#define VECTOR_WORK	96	/* for 128 elements */
#define ASSEMBLY_VECTOR_WORK 24	/* for 128 by the assembly, */
#define TIES_VECTOR_WORK 96	/* and more if one of them may be a tie */
#define TIE_WORK	64	/* for one that is computed as it is defined */
#define TILE_VECTORS	96	/* that the assembly is asked for, and two more at most */

/* Offsets in scratch memory: of what is looked at element by element, and of a tile. */
enum {
	TIES = 0,
	OPERAND_A = VECTOR,
	OPERAND_B = 2 * VECTOR,
	RESULTS = 3 * VECTOR,
	FRACTIONS = 4 * VECTOR,
};

/* A tile has for each vector two of fractions, and one of the operand that results overwrite. */
_Static_assert(FRACTIONS + (TILE_VECTORS + 2) * 3 * VECTOR == ADD_FLOAT_SCRATCH,
	       "as BINARY has it");

/* The numbers that a call's elements have in common, as vectors. */
struct add_float_vectors {
	struct weighted_sum sum;	/* its base with half of 1, and the margin */
	HVX_Vector fraction;		/* a mask */
	HVX_Vector ties;		/* fractions below may be ties */
};

static int32_t exponent_of(float x)
{
	union {
		float value;
		uint32_t bits;
	} u = { .value = x };

	return (int32_t)(u.bits >> 23 & 255) - 127;
}

/* Returns 2^exponent. */
static float power_of_two(int32_t exponent)
{
	union {
		uint32_t bits;
		float value;
	} u = { .bits = (uint32_t)(127 + exponent) << 23 };

	return u.value;
}

static int32_t nearest(float x)
{
	return x < 0 ? -(int32_t)(0.5f - x) : (int32_t)(x + 0.5f);
}

/* Returns the farthest that an element can be from its zero point. */
static int32_t farthest(const struct nn_tensor *tensor)
{
	int32_t low = -flip_of(tensor) - tensor->zero_point, high = low + 255;

	return high > -low ? high : -low;
}

/*
 * Returns by how much the sum of integers and float32's can differ at most, in steps of 2^-shift.
 */
static int32_t margin_of(const struct add_float *add, const struct nn_call *call)
{
	const struct nn_add_float_params *params = add->sum.params;
	const double steps = add->inverse * (double)(1u << add->shift);
	const double far_a = farthest(&call->input[0]), far_b = farthest(&call->input[1]);
	double exact_a = params->scale_a * steps, exact_b = params->scale_b * steps;

	if (params->form == NN_ADD_FUSED)
		return 1024 + (1 << add->shift >> 14);
	/*
	 * The 4 is for what is left out: squares of 2^-24, the inverse's 2^-51, and an error that
	 * is just the margin.
	 */
	return 4 + (int32_t)(far_a * __builtin_fabs(add->multiplier_a - exact_a) +
			     far_b * __builtin_fabs(add->multiplier_b - exact_b) +
			     (far_a * __builtin_fabs(exact_a) + far_b * __builtin_fabs(exact_b)) *
				     (3 * 0x1p-24));
}

/* Swaps the assembly's operands, which leaves the sums the same. */
static void swap_operands(struct add_vectors *vectors)
{
	uint32_t flip_a = vectors->flip_a;

	vectors->flip_a = vectors->flip_b;
	vectors->flip_b = flip_a;
	vectors->high = vectors->high >> 16 | vectors->high << 16;
	vectors->low = vectors->low >> 16 | vectors->low << 16;
}

static void settle_vectors(struct add_float *add, const struct nn_call *call)
{
	const uint32_t below = add->shift - 16; /* bits that fractions leave out */

	add->has_vectors = nn_add_vectors_settle(&add->vectors, call, add->multiplier_a,
						 add->multiplier_b, add->shift,
						 (1 << (add->shift - 1)) + add->margin);
	if (!add->has_vectors)
		return;
	add->vectors.fractions = call->scratch + FRACTIONS;
	add->vectors.tie = ((2 * (uint32_t)add->margin >> below) + 1) * 0x10001;
	if (add->is_swapped)
		swap_operands(&add->vectors);
}

static void set_shift(struct add_float *add, const struct nn_call *call, uint32_t shift)
{
	add->shift = shift;
	add->multiplier_a = nearest(add->sum.ratio_a * power_of_two(shift));
	add->multiplier_b = nearest(add->sum.ratio_b * power_of_two(shift));
	add->margin = margin_of(add, call);
	settle_vectors(add, call);
}

/*
 * Tells whether the output's scale is a power of two, and both terms are multiples of 2^-shift
 * steps, of which sums have fewer than 2^24. With NN_ADD_FUSED the output's zero point is among
 * them.
 */
static bool settle_exact(struct add_float *add, float size)
{
	const struct float_sum *sum = &add->sum;
	int32_t shift = 14 - exponent_of(size);

	if (sum->params->form == NN_ADD_FUSED)
		shift = shift > 13 ? 13 : shift;
	shift = shift > 30 ? 30 : shift;
	if (shift < 1 || sum->params->scale_output !=
				 power_of_two(exponent_of(sum->params->scale_output)))
		return false;
	add->shift = shift;
	add->margin = 0;
	add->multiplier_a = nearest(sum->ratio_a * power_of_two(shift));
	add->multiplier_b = nearest(sum->ratio_b * power_of_two(shift));
	return add->multiplier_a == sum->ratio_a * power_of_two(shift) &&
	       add->multiplier_b == sum->ratio_b * power_of_two(shift);
}

void nn_add_float_settle(struct add_float *add, const struct nn_call *call)
{
	const struct nn_add_float_params *params = &call->op->add_float;
	float size_a, size_b;
	int32_t shift;

	add->sum = float_sum_of(call, params);
	add->inverse = inverse_of(params->scale_output);
	size_a = add->sum.ratio_a;
	size_b = __builtin_fabsf(add->sum.ratio_b);
	add->is_portable = true;
	add->is_exact = false;
	add->has_ties = false;
	add->is_swapped = call->input[1].data == call->output[0].data;
	if (!add_float_is_in_integers(params))
		return;
	if (size_a < size_b)
		size_a = size_b;
	add->is_exact = settle_exact(add, size_a);
	shift = 20 - exponent_of(size_a);
	shift = shift > 30 ? 30 : shift;
	add->is_portable = false;
	if (add->is_exact)
		return;
	add->has_ties = nn_add_float_ties_settle(&add->ties, call, params);
	if (add->has_ties)
		return;
	if (shift >= 16 && shift < 23) {
		set_shift(add, call, shift + 1);
		if (add->has_vectors)
			return;
	}
	set_shift(add, call, shift);
}

static struct add_float_vectors vectors_of(const struct add_float *add, const struct nn_call *call)
{
	return (struct add_float_vectors){
		.sum = weighted_sum_of(call, add->multiplier_a, add->multiplier_b,
				       (1 << (add->shift - 1)) + add->margin),
		.fraction = splat_w((1 << add->shift) - 1),
		.ties = splat_w(2 * add->margin),
	};
}

static inline HVX_Vector least_fraction(HVX_VectorPair sum, const struct add_float_vectors *add)
{
	return Q6_Vw_vmin_VwVw(Q6_V_vand_VV(Q6_V_hi_W(sum), add->fraction),
			       Q6_V_vand_VV(Q6_V_lo_W(sum), add->fraction));
}

/* Tells which sums may be ties: all bits of them are set. */
static inline HVX_Vector are_ties(HVX_Vector sum, const struct add_float_vectors *add)
{
	HVX_VectorPred ties = Q6_Q_vcmp_gt_VuwVuw(add->ties, Q6_V_vand_VV(sum, add->fraction));

	return Q6_V_vmux_QVV(ties, splat_w(-1), Q6_V_vzero());
}

/* Tells which of 128 sums may be ties: a bit of their byte is set. */
static inline HVX_Vector tie_bytes(HVX_VectorPair low, HVX_VectorPair high,
				    const struct add_float_vectors *add)
{
	return Q6_Vb_vpack_VhVh_sat(
		Q6_Vh_vsat_VwVw(are_ties(Q6_V_hi_W(high), add), are_ties(Q6_V_lo_W(high), add)),
		Q6_Vh_vsat_VwVw(are_ties(Q6_V_hi_W(low), add), are_ties(Q6_V_lo_W(low), add)));
}

/*
 * Computes as they are defined those of the first `bytes` results that may be ties. What it reads
 * for each is in copies, which a store of a result cannot change.
 */
static int add_ties(struct progress *progress, const struct add_float *add, const uint8_t *a,
		    const uint8_t *b, uint8_t *results, uint32_t bytes)
{
	const struct nn_call *call = progress->call;
	const struct nn_add_float_params params = *add->sum.params;
	const int32_t flip_a = flip_of(&call->input[0]), flip_b = flip_of(&call->input[1]);
	const int32_t out_min = call->op->out_min, out_max = call->op->out_max;
	const uint8_t *ties = call->scratch + TIES;
	const double inverse = add->inverse;
	struct float_sum sum = add->sum;
	int32_t result;

	sum.params = &params;
	for (int32_t i = -1; (i = next_set(ties, i)) >= 0 && i < (int32_t)bytes;) {
		int32_t x = load_8bit(&a[i], flip_a), y = load_8bit(&b[i], flip_b);
		int ret = progress_add(progress, TIE_WORK);

		if (ret)
			return ret;
		if (params.form == NN_ADD_FUSED)
			result = add_fused(&sum, x, y);
		else
			result = round_float(divide(add_dequantized(&sum, x, y), inverse)) +
				 sum.zero_output;
		results[i] = clamp_int(result, out_min, out_max);
	}
	return 0;
}

/*
 * Tells which of a vector's sums may be ties, from the fractions that the assembly left: a bit of
 * their byte is set.
 */
static __attribute__((noinline)) bool find_ties(uint8_t *ties, const uint8_t *fractions,
						uint32_t limits)
{
	const HVX_Vector limit = splat_w(limits);
	HVX_Vector odd = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(limit, load(fractions)), splat_w(-1),
				       Q6_V_vzero());
	HVX_Vector even = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VuhVuh(limit, load(fractions + VECTOR)),
					splat_w(-1), Q6_V_vzero());

	store(ties, Q6_Vb_vshuffe_VbVb(Q6_Vh_vdeal_Vh(odd), Q6_Vh_vdeal_Vh(even)));
	return is_any_set(Q6_V_vor_VV(odd, even));
}

/*
 * The rounding fixup of a tile: `bits` says which vectors may have ties, as nn_add_tie_*()
 * returned it. `a` and `b` are their operands, wherever these are now.
 */
static int add_rightly(struct progress *progress, const struct add_float *add, uint32_t bits,
		       const uint8_t *a, const uint8_t *b)
{
	const struct add_vectors *vectors = &add->vectors;
	const struct nn_call *call = progress->call;

	while (bits) {
		for (uint32_t i = __builtin_ctz(bits); i < vectors->count; i += 16) {
			int ret = progress_add(progress, TIES_VECTOR_WORK);

			if (ret)
				return ret;
			if (!find_ties(call->scratch + TIES, vectors->fractions + i * 2 * VECTOR,
				       vectors->tie))
				continue;
			ret = add_ties(progress, add, a + i * VECTOR, b + i * VECTOR,
				       vectors->to + i * VECTOR, VECTOR);
			if (ret)
				return ret;
		}
		bits &= bits - 1;
	}
	return 0;
}

/* Computes a tile, and returns as nn_add_tie_*() which of its vectors may have ties. */
static uint32_t add_vectors(const struct add_vectors *vectors, bool is_signed)
{
	return is_signed ? nn_add_tie_vectors_s8(vectors) : nn_add_tie_vectors_u8(vectors);
}

/* Does the same where results overwrite `a`, of which a copy is left in `kept`. */
static uint32_t add_in_place(const struct add_vectors *vectors, bool is_signed, bool is_aligned)
{
	if (is_aligned)
		return is_signed ? nn_add_tie_kept_s8(vectors) : nn_add_tie_kept_u8(vectors);
	nn_copy_vectors(vectors->kept, vectors->a, vectors->count);
	return add_vectors(vectors, is_signed);
}

/* Adds up the first vectors by the assembly, as many as it does. */
static __attribute__((noinline)) int add_tiles(struct progress *progress, struct add_float *add,
					       uint64_t *done)
{
	const struct nn_call *call = progress->call;
	const uint32_t room = (call->scratch_size - FRACTIONS) / (3 * VECTOR);
	const bool is_signed = call->output[0].type == NN_TYPE_INT8;
	uint8_t *to = call->output[0].data;
	const uint8_t *first = call->input[add->is_swapped].data;
	const uint8_t *second = call->input[!add->is_swapped].data;
	const bool is_aligned = ((uintptr_t)to | (uintptr_t)second) % VECTOR == 0;
	struct add_vectors *vectors = &add->vectors;
	uint32_t bits;

	if (room < 3 + 2)
		return 0;
	while ((vectors->count = next_add_vectors((call->output[0].bytes - *done) / VECTOR,
						  min_u32(room - 2, TILE_VECTORS)))) {
		const uint8_t *a = vectors->a = first + *done, *b = vectors->b = second + *done;
		int ret = progress_add(progress, vectors->count * ASSEMBLY_VECTOR_WORK);

		if (ret)
			return ret;
		vectors->to = to + *done;
		vectors->kept = vectors->fractions + vectors->count * 2 * VECTOR;
		if (first != to) {
			bits = add_vectors(vectors, is_signed);
		} else {
			bits = add_in_place(vectors, is_signed, is_aligned);
			a = vectors->kept;
			b = second == to ? a : b;
		}
		ret = add_rightly(progress, add, bits, add->is_swapped ? b : a,
				  add->is_swapped ? a : b);
		if (ret)
			return ret;
		*done += vectors->count * VECTOR;
	}
	return 0;
}

/* Adds up what follows the first `done` bytes. */
static __attribute__((noinline)) int add_rest(struct progress *progress,
					      const struct add_float *add, uint64_t done)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];
	uint8_t *scratch = call->scratch;
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	struct add_float_vectors vectors = vectors_of(add, call);

	for (uint64_t i = done; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector stored_a = load_part(call->input[0].data + i, bytes);
		HVX_Vector stored_b = load_part(call->input[1].data + i, bytes);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_a, vectors.sum.flip_a));
		HVX_VectorPair pb = Q6_Wuh_vunpack_Vub(Q6_V_vxor_VV(stored_b, vectors.sum.flip_b));
		HVX_VectorPair low = add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &vectors.sum);
		HVX_VectorPair high = add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &vectors.sum);
		HVX_Vector least = Q6_Vw_vmin_VwVw(least_fraction(low, &vectors),
						   least_fraction(high, &vectors));
		HVX_Vector results = finish_8bit(round_halves(low, add->shift),
						 round_halves(high, add->shift), &finish);
		int ret = progress_add(progress, VECTOR_WORK);

		if (ret)
			return ret;
		if (is_any_set(are_ties(least, &vectors))) {
			store(scratch + TIES, tie_bytes(low, high, &vectors));
			store(scratch + OPERAND_A, stored_a);
			store(scratch + OPERAND_B, stored_b);
			store(scratch + RESULTS, results);
			ret = add_ties(progress, add, scratch + OPERAND_A, scratch + OPERAND_B,
				       scratch + RESULTS, bytes);
			if (ret)
				return ret;
			results = load(scratch + RESULTS);
		}
		store_part(output->data + i, results, bytes);
	}
	return 0;
}

/*
 * Rounds 64 sums without a margin, ties to even. `odd` is the lowest bit of what is added
 * afterwards, where that counts.
 */
static inline HVX_Vector round_exact(HVX_VectorPair sums, const struct add_float_vectors *vectors,
				     uint32_t shift, HVX_Vector odd)
{
	HVX_Vector rounded = round_halves(sums, shift);
	HVX_Vector ties = Q6_Vh_vsat_VwVw(
		Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(Q6_V_vand_VV(Q6_V_hi_W(sums), vectors->fraction),
						Q6_V_vzero()),
			      splat_w(1), Q6_V_vzero()),
		Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(Q6_V_vand_VV(Q6_V_lo_W(sums), vectors->fraction),
						Q6_V_vzero()),
			      splat_w(1), Q6_V_vzero()));

	return Q6_Vh_vsub_VhVh_sat(rounded, Q6_V_vand_VV(ties, Q6_V_vxor_VV(rounded, odd)));
}

static __attribute__((noinline)) int add_exact(struct progress *progress,
					       const struct add_float *add)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];
	const bool is_fused = add->sum.params->form == NN_ADD_FUSED;
	const HVX_Vector odd = splat_h(is_fused ? output->zero_point & 1 : 0);
	struct finish finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
					 call->op->out_min, call->op->out_max);
	struct add_float_vectors vectors = vectors_of(add, call);

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector a = Q6_V_vxor_VV(load_part(call->input[0].data + i, bytes),
					    vectors.sum.flip_a);
		HVX_Vector b = Q6_V_vxor_VV(load_part(call->input[1].data + i, bytes),
					    vectors.sum.flip_b);
		HVX_VectorPair pa = Q6_Wuh_vunpack_Vub(a), pb = Q6_Wuh_vunpack_Vub(b);
		HVX_VectorPair low = add_halves(Q6_V_lo_W(pa), Q6_V_lo_W(pb), &vectors.sum);
		HVX_VectorPair high = add_halves(Q6_V_hi_W(pa), Q6_V_hi_W(pb), &vectors.sum);
		int ret = progress_add(progress, VECTOR_WORK);

		if (ret)
			return ret;
		store_part(output->data + i,
			   finish_8bit(round_exact(low, &vectors, add->shift, odd),
				       round_exact(high, &vectors, add->shift, odd), &finish),
			   bytes);
	}
	return 0;
}

int nn_add_float_run(struct progress *progress, struct add_float *add)
{
	const struct nn_call *call = progress->call;
	uint64_t done = 0;
	int ret = 0;

	if (add->is_portable)
		return nn_add_float_portable(call);
	if (add->is_exact)
		return add_exact(progress, add);
	if (add->has_ties)
		return nn_add_float_ties_run(progress, &add->ties);
	if (add->has_vectors)
		ret = add_tiles(progress, add, &done);
	return ret || done == call->output[0].bytes ? ret : add_rest(progress, add, done);
}

static int run_add_float(const struct nn_call *call)
{
	struct progress progress = { .call = call };
	struct add_float add;

	nn_add_float_settle(&add, call);
	return nn_add_float_run(&progress, &add);
}

int nn_add_float_hvx(const struct nn_call *call)
{
	return nn_elementwise_run(call, run_add_float);
}
