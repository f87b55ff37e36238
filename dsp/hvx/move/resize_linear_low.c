// SPDX-License-Identifier: MIT
/*
 * Bilinear resizing in float32: elements that are half an integer (resize_linear_rows.c) are made
 * by vectors where all weights are sixteenths, from the lowest bits of what float32 would compute
 * (float_low.h). resize_linear_ties.c calls this.
 *
 * That takes a hundred packets for 128 elements, of which few have to be made. So those of several
 * vectors are put together, each in the lane that it has. What finds its lane taken goes to others
 * of more vectors; what finds it taken there, too, and elements with critical sums, are made one by
 * one.
 */
#include <stddef.h>

#include "dsp/hvx/move/resize_linear.h"
#include "dsp/hvx/common/float_low.h"
#include "dsp/hvx/common/lanes.h"

#define SIXTEENTHS	4	/* bits of weights in both directions */
#define FEW_TOGETHER	8u	/* vectors with few such elements that are put together first */
#define MANY_TOGETHER	4u	/* the same with many */

/* Elements that are put together: neighbours as unsigned bytes, and weights of their columns. */
struct together {
	HVX_Vector top, top_right, bottom, bottom_right, near;
	HVX_Vector taken;	/* -1 in lanes that have one */
	HVX_Vector number;	/* of its vector */
};

/* Elements that are left in lanes: how many, and the numbers of the last two's vectors. */
struct left {
	HVX_Vector count, last, before;
};

/* Products of an element with its weights, and their sum, of 64 lanes. */
struct sum {
	HVX_Vector low;		/* in float32, as float_low.h has it */
	HVX_Vector eighths;	/* the integer, of sixteenths, times 8 */
	HVX_Vector critical;	/* -1 where it may not be right */
};

/* The numbers that all elements of a row have in common. */
struct common {
	struct low_scale low;
	bool has_critical;
	HVX_Vector twice, zero;
	HVX_Vector one;			/* bytes: the sum of a column's weights */
	uint32_t near_row, far_row;
};

/* Adds a product to a sum; the first one begins it. */
static inline __attribute__((always_inline)) struct sum
add_product(const struct common *common, struct sum sum, HVX_Vector integer, HVX_Vector weight,
	    bool is_first)
{
	HVX_Vector eighths = Q6_Vh_vmpyi_VhVh(Q6_Vh_vasl_VhR(integer, 3), weight), size, low;

	size = low_size(&common->low, Q6_Vh_vasl_VhR(integer, 7));
	low = low_round(Q6_Vh_vmpyi_VhVh(integer, common->twice), size,
			splat_h(LOW_STEPS >> SIXTEENTHS));
	low = low_round(Q6_Vh_vmpyi_VhVh(low, weight), low_size(&common->low, eighths),
			splat_h(LOW_STEPS));
	if (common->has_critical)
		sum.critical = low_mark(&common->low, sum.critical, eighths);
	if (is_first)
		return (struct sum){ low, eighths, sum.critical };
	sum.eighths = Q6_Vh_vadd_VhVh(sum.eighths, eighths);
	sum.low = low_add(&common->low, sum.low, low, sum.eighths);
	if (common->has_critical)
		sum.critical = low_mark(&common->low, sum.critical, sum.eighths);
	return sum;
}

/* The same for 128 lanes: the sums of even and odd ones. */
static inline __attribute__((always_inline)) void
add_products(const struct common *common, struct sum *even, struct sum *odd, HVX_Vector bytes,
	     HVX_Vector column, uint32_t row, bool is_first)
{
	HVX_VectorPair integer = Q6_Wh_vsub_VubVub(bytes, common->zero);
	HVX_VectorPair weight = Q6_Wuh_vmpy_VubRub(column, row);

	*even = add_product(common, *even, Q6_V_lo_W(integer), Q6_V_lo_W(weight), is_first);
	*odd = add_product(common, *odd, Q6_V_hi_W(integer), Q6_V_hi_W(weight), is_first);
}

/* Rounds sums that are half an integer: returns that, down or up. */
static inline HVX_Vector round_half(const struct common *common, struct sum sum)
{
	HVX_VectorPred up = low_goes_up(&common->low, sum.low, sum.eighths);

	return Q6_Vh_condnac_QVhVh(up, Q6_Vh_vasr_VhR(sum.eighths, 7), splat_w(-1));
}

static inline HVX_Vector clamp(const struct resize_job *job, HVX_Vector v)
{
	v = Q6_Vub_vsub_VubVub_sat(Q6_Vub_vadd_VubVub_sat(v, splat_b(job->up)),
				   splat_b(job->down));
	v = Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, splat_b(job->min)), splat_b(job->max));
	return Q6_V_vxor_VV(v, splat_b(job->flip_out));
}

/* Makes elements that are put together. Says in `critical` where these may not be right. */
static inline __attribute__((always_inline)) HVX_Vector
make_elements(const struct common *common, const struct together *from, HVX_Vector *critical)
{
	HVX_Vector far = Q6_Vb_vsub_VbVb(common->one, from->near);
	struct sum even = { .critical = Q6_V_vzero() }, odd = even;
	HVX_Vector even_half, odd_half;

	add_products(common, &even, &odd, from->top, from->near, common->near_row, true);
	add_products(common, &even, &odd, from->top_right, far, common->near_row, false);
	add_products(common, &even, &odd, from->bottom, from->near, common->far_row, false);
	add_products(common, &even, &odd, from->bottom_right, far, common->far_row, false);
	*critical = Q6_Vb_vshuffe_VbVb(odd.critical, even.critical);
	even_half = round_half(common, even);
	odd_half = round_half(common, odd);
	return Q6_Vb_vadd_VbVb(Q6_Vb_vshuffe_VbVb(odd_half, even_half), common->zero);
}

/* Puts an element of a vector into lanes. */
static inline void put(struct together *all, HVX_VectorPred lanes, const struct together *from)
{
	all->top = Q6_V_vmux_QVV(lanes, from->top, all->top);
	all->top_right = Q6_V_vmux_QVV(lanes, from->top_right, all->top_right);
	all->bottom = Q6_V_vmux_QVV(lanes, from->bottom, all->bottom);
	all->bottom_right = Q6_V_vmux_QVV(lanes, from->bottom_right, all->bottom_right);
	all->near = Q6_V_vmux_QVV(lanes, from->near, all->near);
}

static inline void leave(struct left *left, HVX_VectorPred lanes, HVX_Vector number)
{
	left->count = Q6_Vb_condacc_QVbVb(lanes, left->count, splat_b(1));
	left->before = Q6_V_vmux_QVV(lanes, left->last, left->before);
	left->last = Q6_V_vmux_QVV(lanes, number, left->last);
}

static inline struct together no_elements(void)
{
	HVX_Vector zero = Q6_V_vzero();

	return (struct together){ zero, zero, zero, zero, zero, zero, zero };
}

/*
 * Puts together the elements of `count` vectors that are half an integer, which are no longer then.
 * Blocks' rooms say which are the first of their lanes.
 */
static inline __attribute__((always_inline)) struct together
put_together(const struct resize_ties *ties, uint32_t at, uint32_t count, struct together *more,
	     struct left *left)
{
	const uint8_t *top = ties->top + at * ties->pitch, *bottom = ties->bottom + at * ties->pitch;
	const uint8_t *weight = ties->weight + at * ties->pitch;
	uint8_t *near = ties->near + at * ties->pitch;
	HVX_Vector zero = Q6_V_vzero(), number = splat_b(at), one = splat_b(1);
	struct together all = no_elements();
	uint32_t pitch = ties->pitch;

	for (; count; count--) {
		const struct together from = {
			.top = *(const HVX_Vector *)top,
			.top_right = *(const HVX_Vector *)(top + VECTOR),
			.bottom = *(const HVX_Vector *)bottom,
			.bottom_right = *(const HVX_Vector *)(bottom + VECTOR),
			.near = *(const HVX_Vector *)weight,
		};
		HVX_Vector marks = *(HVX_Vector *)near, take;
		HVX_VectorPred lanes = Q6_Q_vcmp_eq_VbVb(Q6_V_vor_VV(marks, all.taken), zero);

		put(&all, lanes, &from);
		take = Q6_V_vand_QR(lanes, -1);
		*(HVX_Vector *)(near + VECTOR) = take;
		all.taken = Q6_V_vor_VV(all.taken, take);
		marks = Q6_V_vor_VV(marks, take);
		lanes = Q6_Q_vcmp_eq_VbVb(Q6_V_vor_VV(marks, more->taken), zero);
		put(more, lanes, &from);
		more->number = Q6_V_vmux_QVV(lanes, number, more->number);
		take = Q6_V_vand_QR(lanes, -1);
		more->taken = Q6_V_vor_VV(more->taken, take);
		marks = Q6_V_vor_VV(marks, take);
		*(HVX_Vector *)near = marks;
		leave(left, Q6_Q_vcmp_eq_VbVb(marks, zero), number);
		number = Q6_Vb_vadd_VbVb(number, one);
		near += pitch;
		top += pitch;
		bottom += pitch;
		weight += pitch;
	}
	return all;
}

/*
 * Stores elements of vectors, each where blocks' rooms say, or where `number` is the vector's if
 * there is one; but for critical ones, which are left.
 */
static inline __attribute__((always_inline)) void
store_elements(const struct resize_ties *ties, uint32_t at, uint32_t count, HVX_Vector v,
	       const struct together *numbered, bool has_critical, HVX_Vector critical,
	       struct left *left)
{
	HVX_Vector number = splat_b(at), one = splat_b(1);
	uint8_t *near = ties->near + at * ties->pitch, *to = ties->to + at * VECTOR;
	uint32_t pitch = ties->pitch;
	bool has_rest = at + count == ties->end && ties->last < VECTOR;

	for (; count; count--, near += pitch, to += VECTOR) {
		HVX_VectorPred lanes;

		if (numbered)
			lanes = Q6_Q_and_QQ(Q6_Q_vcmp_eq_VbVb(numbered->number, number),
					    Q6_Q_vand_VR(numbered->taken, -1));
		else
			lanes = Q6_Q_vand_VR(*(const HVX_Vector *)(near + VECTOR), -1);
		if (has_critical) {
			HVX_VectorPred is_critical = Q6_Q_vand_VR(critical, -1);
			HVX_VectorPred again = Q6_Q_and_QQ(lanes, is_critical);

			lanes = Q6_Q_and_QQn(lanes, is_critical);
			leave(left, again, number);
			*(HVX_Vector *)near = Q6_V_vmux_QVV(again, Q6_V_vzero(),
							    *(const HVX_Vector *)near);
		}
		number = Q6_Vb_vadd_VbVb(number, one);
		if (count == 1 && has_rest) {
			v = Q6_V_vmux_QVV(lanes, v, load_bytes(to, ties->last));
			store_bytes(to, v, ties->last);
		} else {
			store(to, Q6_V_vmux_QVV(lanes, v, load(to)));
		}
	}
}

/* Lists what is left in lanes, up to two elements in each. */
static struct resize_tie *list_left(struct resize_tables *tables, const struct resize_ties *ties,
				    const struct left *left, struct resize_tie *next)
{
	const uint8_t *words = tables->lanes, *number = tables->last;

	store_lanes(tables->lanes, Q6_Q_vcmp_gt_VubVub(left->count, Q6_V_vzero()));
	*(HVX_Vector *)tables->last = left->last;
	*(HVX_Vector *)tables->before = left->before;
	*(HVX_Vector *)tables->count = left->count;
	for (uint32_t first = 0; first < VECTOR; first += LANES_WORD, words += LANES_WORD) {
		uint32_t bits = *(const uint32_t *)words;

		for (; bits; bits &= bits - 1) {
			uint32_t lane = first + __builtin_ctz(bits), i = number[lane];

			*next++ = (struct resize_tie){ i * ties->pitch + lane, i * VECTOR + lane };
			if (tables->count[lane] < 2)
				continue;
			i = tables->before[lane];
			*next++ = (struct resize_tie){ i * ties->pitch + lane, i * VECTOR + lane };
		}
	}
	return next;
}

/* Makes what is left after `count` vectors at most, one of each lane of `most` vectors before. */
static inline __attribute__((always_inline)) struct resize_tie *
make_part(const struct resize_job *job, const struct common *common,
	  const struct resize_ties *ties, uint32_t most, uint32_t part, struct resize_tie *next)
{
	HVX_Vector zero = Q6_V_vzero(), critical, v;
	struct together all, more = no_elements();
	struct left left = { zero, zero, zero };
	bool has_any = false;

	for (uint32_t at = ties->begin, count; at < ties->begin + part; at += count) {
		count = min_u32(ties->begin + part - at, most);
		all = put_together(ties, at, count, &more, &left);
		if (!any_lane(Q6_Q_vand_VR(all.taken, -1)))
			continue;
		has_any = true;
		v = clamp(job, make_elements(common, &all, &critical));
		store_elements(ties, at, count, v, NULL, common->has_critical, critical, &left);
	}
	if (!has_any)
		return next;
	v = clamp(job, make_elements(common, &more, &critical));
	store_elements(ties, ties->begin, part, v, &more, common->has_critical, critical, &left);
	if (any_lane(Q6_Q_vcmp_gt_VubVub(left.count, splat_b(2))))
		return NULL;
	return list_left(job->tables, ties, &left, next);
}

static inline struct common common_of(const struct resize_job *job,
				      const struct resize_position *row, bool has_critical)
{
	return (struct common){
		.low = job->tables->low,
		.has_critical = has_critical,
		.twice = splat_h(job->tables->low.twice),
		.zero = splat_b(job->zero_in),
		.one = splat_b(1 << job->column_bits),
		.near_row = four_bytes(row->near_weight >> SIXTEENTHS),
		.far_row = four_bytes(row->far_weight >> SIXTEENTHS),
	};
}

static __attribute__((noinline)) struct resize_tie *
make_simple(const struct resize_job *job, const struct resize_position *row,
	    const struct resize_ties *ties, uint32_t most, uint32_t part, struct resize_tie *next)
{
	const struct common common = common_of(job, row, false);

	return make_part(job, &common, ties, most, part, next);
}

static __attribute__((noinline)) struct resize_tie *
make_marked(const struct resize_job *job, const struct resize_position *row,
	    const struct resize_ties *ties, uint32_t most, uint32_t part, struct resize_tie *next)
{
	const struct common common = common_of(job, row, true);

	return make_part(job, &common, ties, most, part, next);
}

struct resize_tie *resize_make_ties(const struct resize_job *job,
				    const struct resize_position *row,
				    const struct resize_ties *ties, bool are_few,
				    struct resize_tie *next)
{
	uint32_t most = are_few ? FEW_TOGETHER : MANY_TOGETHER;
	uint32_t part = ties->end - ties->begin;

	if (job->tables->low.critical)
		return make_marked(job, row, ties, most, part, next);
	return make_simple(job, row, ties, most, part, next);
}
