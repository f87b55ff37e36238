// SPDX-License-Identifier: MIT
/*
 * ADD_INT16 on HVX: 64 elements are two vectors of words, of even and odd ones, which are
 * multiplied as dsp/hvx/common/fixed.h does it.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/int16/pairs.h"

#define WORK	48u

/* A number that elements are multiplied by, or, if it has no multiplier, divided. */
struct scale {
	HVX_Vector multiplier;
	uint32_t left;
	int32_t exponent;
	bool is_shift;
};

struct add {
	struct scale a, b, output;
	HVX_Vector least, most;
	HVX_Vector negate;	/* -1 where b is subtracted */
};

static struct scale scale_of(struct nn_fixed by, uint32_t left)
{
	int32_t shift = by.exponent + (int32_t)left;

	if (!by.multiplier)
		return (struct scale){ Q6_V_vzero(), 0, by.exponent, true };
	return (struct scale){ splat_w(by.multiplier), clamp_int(shift, 0, 31),
			       clamp_int(shift, -31, 0), false };
}

/*
 * There is a loop for each set of these, so that none has to look at an exponent but the last.
 */
enum {
	ROUND_A = 1,
	ROUND_B = 2,
	ROUND_OUTPUT = 4,
	ANY = 8,	/* one has no multiplier */
};

static inline __attribute__((always_inline)) HVX_Vector scale(HVX_Vector v, const struct scale *by,
							       bool is_rounded, bool is_any)
{
	if (!is_any || !by->is_shift)
		v = fixed_high(Q6_Vw_vasl_VwR(v, by->left), by->multiplier);
	if (!is_any && !is_rounded)
		return v;
	if (is_rounded && by->exponent >= 0)
		__builtin_unreachable();
	return fixed_round_one(v, by->exponent, splat_w(-1));
}

static inline __attribute__((always_inline)) HVX_Vector
add_words(HVX_Vector a, HVX_Vector b, const struct add *add, uint32_t form)
{
	a = scale(a, &add->a, form & ROUND_A, form & ANY);
	b = scale(b, &add->b, form & ROUND_B, form & ANY);
	b = Q6_Vw_vsub_VwVw(Q6_V_vxor_VV(b, add->negate), add->negate);
	return scale(Q6_Vw_vadd_VwVw(a, b), &add->output, form & ROUND_OUTPUT, form & ANY);
}

static inline __attribute__((always_inline)) HVX_Vector
add_64(HVX_Vector a, HVX_Vector b, const struct add *add, uint32_t form)
{
	HVX_VectorPair wide_a = Q6_Ww_vsxt_Vh(a), wide_b = Q6_Ww_vsxt_Vh(b);
	HVX_Vector even = add_words(Q6_V_lo_W(wide_a), Q6_V_lo_W(wide_b), add, form);
	HVX_Vector odd = add_words(Q6_V_hi_W(wide_a), Q6_V_hi_W(wide_b), add, form);

	return Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(Q6_Vh_vsat_VwVw(odd, even), add->least), add->most);
}

static inline __attribute__((always_inline)) void
compute_form(const struct int16_pairs *pairs, const int16_t *a, const int16_t *b, int16_t *out,
	     uint32_t count, uint32_t form)
{
	const struct add add = *(const struct add *)pairs->context;

	for (; count >= 64; count -= 64, a += 64, b += 64, out += 64)
		store(out, add_64(load(a), load(b), &add, form));
	if (count)
		store_bytes(out, add_64(load_bytes(a, 2 * count), load_bytes(b, 2 * count), &add,
					form), 2 * count);
}

#define FORM(number) \
	static void compute_##number(const struct int16_pairs *pairs, const int16_t *a, \
				     const int16_t *b, int16_t *out, uint32_t count) \
	{ \
		compute_form(pairs, a, b, out, count, number); \
	}
FORM(0)
FORM(1)
FORM(2)
FORM(3)
FORM(4)
FORM(5)
FORM(6)
FORM(7)
FORM(8)
#undef FORM

static uint32_t form_of(const struct add *add)
{
	if (add->a.is_shift || add->b.is_shift || add->output.is_shift)
		return ANY;
	return (add->a.exponent < 0 ? ROUND_A : 0) | (add->b.exponent < 0 ? ROUND_B : 0) |
	       (add->output.exponent < 0 ? ROUND_OUTPUT : 0);
}

/* Blocks are rows, one for all rows of the output, or one for each. */
static struct int16_pattern pattern_of(const struct nn_tensor *input,
				       const struct nn_tensor *output)
{
	struct int16_pattern pattern = { input->row_bytes / 2, output->row_bytes / 2,
					 output->dims[0] };

	if (!input->level && input->dims[0] == 1) {
		pattern.run *= pattern.blocks;
		pattern.blocks = 1;
	}
	return pattern;
}

int nn_add_int16_hvx(const struct nn_call *call)
{
	const struct nn_add_int16_params *params = &call->op->add_int16;
	const struct nn_tensor *output = &call->output[0];
	struct add add = {
		.a = scale_of(params->a, params->left_shift),
		.b = scale_of(params->b, params->left_shift),
		.output = scale_of(params->output, 0),
		.least = splat_h(call->op->out_min),
		.most = splat_h(call->op->out_max),
		.negate = params->subtract ? splat_w(-1) : Q6_V_vzero(),
	};
	static void (*const forms[])(const struct int16_pairs *pairs, const int16_t *a,
				     const int16_t *b, int16_t *out, uint32_t count) = {
		compute_0, compute_1, compute_2, compute_3, compute_4,
		compute_5, compute_6, compute_7, compute_8,
	};
	const struct int16_pairs pairs = {
		.call = call,
		.pattern = { pattern_of(&call->input[0], output),
			     pattern_of(&call->input[1], output) },
		.work = WORK,
		.compute = forms[form_of(&add)],
		.context = &add,
	};
	bool has_room;
	int ret = nn_int16_run_pairs(&pairs, &has_room);

	return has_room ? ret : nn_add_int16_portable(call);
}
