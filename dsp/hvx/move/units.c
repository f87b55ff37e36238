// SPDX-License-Identifier: MIT
/*
 * Finds the units of loops, their windows, and networks that make units of windows (units.h);
 * units_run.c moves them.
 *
 * A network is good if it puts an index of each of a window's bytes where that byte belongs. Blocks
 * that lie side by side in the input are spread by vdelta, and those that lie side by side in the
 * unit are gathered by vrdelta; most else is neither, and is looked up, in four packets.
 */
#include "dsp/hvx/common/delta.h"
#include "dsp/hvx/move/units.h"

#define SETTLE_WORK	700u	/* packets until windows and networks are known */
#define WORDS	4u		/* vectors of 32 numbers, one for each byte of a unit */
#define FAR	(1 << 30)	/* bytes of a window must be nearer to the unit's first than that */

#define RECIPROCAL(i)	((i) ? ((1 << 15) - 1 + (i)) / ((i) ? (i) : 1) : 0)
#define RECIPROCALS_2(i) RECIPROCAL(i), RECIPROCAL((i) + 1)
#define RECIPROCALS_8(i) \
	RECIPROCALS_2(i), RECIPROCALS_2((i) + 2), RECIPROCALS_2((i) + 4), RECIPROCALS_2((i) + 6)
#define RECIPROCALS_32(i) \
	RECIPROCALS_8(i), RECIPROCALS_8((i) + 8), RECIPROCALS_8((i) + 16), RECIPROCALS_8((i) + 24)

/*
 * Reciprocals with 15 bits, rounded up: with them numbers up to 128 are divided exactly. There is
 * no instruction that divides, and a function takes longer than all the rest here.
 */
static const uint16_t reciprocals[VECTOR + 1] = {
	RECIPROCALS_32(0), RECIPROCALS_32(32), RECIPROCALS_32(64), RECIPROCALS_32(96),
	RECIPROCAL(128),
};

/* Divides numbers up to 128. */
static inline uint32_t divide(uint32_t number, uint32_t by)
{
	return number * reciprocals[by] >> 15;
}

static inline uint64_t distance(int64_t step)
{
	return step < 0 ? -step : step;
}

/*
 * Estimates the windows of a unit: loops whose indices are near each other are in one window, as
 * many as fit it; it must be made again for each index of the others. So windows have all their
 * bytes in the same order.
 */
static uint32_t estimate_windows(const struct loops *loops, struct units *units)
{
	uint32_t done = 0, windows = 1, reach = loops->block;

	units->reach = 0;
	for (uint32_t i = units->split; i < loops->rank; i++) {
		uint32_t next = units->split, count, fit = 1;
		uint64_t step;

		/* The loop with the shortest step that is not done. */
		while (done >> next & 1)
			next++;
		for (uint32_t k = next + 1; k < loops->rank; k++) {
			if (!(done >> k & 1) &&
			    distance(loops->loop[k].from) < distance(loops->loop[next].from))
				next = k;
		}
		done |= 1u << next;
		count = next == units->split ? units->part : loops->loop[next].count;
		step = distance(loops->loop[next].from);
		if (!step)
			continue;
		if (step <= VECTOR - reach) {
			fit = min_u32(count, divide(VECTOR - reach, step) + 1);
			reach += (fit - 1) * step;
		}
		if (fit < count) {
			windows *= divide(count - 1, fit) + 1;
			if (!units->reach)
				units->reach = reach;
			reach = VECTOR;
		}
	}
	if (!units->reach)
		units->reach = reach;
	return windows;
}

uint64_t nn_units_count(const struct loops *loops, struct units *units)
{
	uint32_t bytes = loops->block, i = loops->rank - 1, windows;
	uint64_t all;

	while (i && loops->loop[i].to == bytes &&
	       (uint64_t)bytes * loops->loop[i].count <= VECTOR)
		bytes *= loops->loop[i--].count;
	units->split = i;
	units->part = 1;
	units->has_gaps = false;
	if (loops->loop[i].to == bytes && bytes <= VECTOR / 2) {
		units->part = min_u32(divide(VECTOR, bytes), loops->loop[i].count);
	} else if (i + 1 == loops->rank && loops->loop[i].to != bytes &&
		   loops->loop[i].to <= VECTOR - bytes) {
		units->part = min_u32(divide(VECTOR - bytes, loops->loop[i].to) + 1,
				      loops->loop[i].count);
		units->has_gaps = true;
	}
	windows = estimate_windows(loops, units);
	/* A part with as many as there can be. */
	if (windows > MOST_WINDOWS && windows <= VECTOR && units->part > 1) {
		units->part = divide(units->part, divide(windows - 1, MOST_WINDOWS) + 1);
		units->part = units->part ? units->part : 1;
		windows = estimate_windows(loops, units);
	}
	units->bytes = (units->part - 1) * (uint32_t)loops->loop[i].to + bytes;
	if (units->part == 1)
		units->bytes = bytes;
	/* All of them, with one in which each loop that is divided ends. */
	all = loops->loop[i].count;
	if (units->part > 1)
		all = (all * reciprocals[units->part] >> 15) + 1;
	for (uint32_t k = 0; k < i; k++)
		all *= loops->loop[k].count;
	return all * ((windows > 4 ? 3 * windows + 8 : 2 * windows + 2) + 2 * units->has_gaps) +
	       SETTLE_WORK + 60 * windows;
}

/* ---- Where the bytes of a unit are in the input ---- */

static const int32_t lanes[32] __attribute__((aligned(VECTOR))) = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

static inline HVX_Vector numbers(uint32_t i)
{
	return Q6_Vw_vadd_VwVw(*(const HVX_Vector *)lanes, splat_w(32 * i));
}

/* The same of numbers of a vector. */
static inline HVX_Vector divide_all(HVX_Vector number, uint32_t by)
{
	if (by == 1)
		return number;
	return Q6_Vw_vasr_VwR(Q6_Vw_vmpyi_VwRh(number, reciprocals[by] * 0x10001u), 15);
}

/* Numbers, which are small, times any `by`. */
static inline HVX_Vector multiply(HVX_Vector number, int32_t by)
{
	uint32_t low = by & 0xffff, high = (uint32_t)(by - (int16_t)low) >> 16;

	return Q6_Vw_vadd_VwVw(Q6_Vw_vmpyi_VwRh(number, low * 0x10001),
			       Q6_Vw_vasl_VwR(Q6_Vw_vmpyi_VwRh(number, high * 0x10001), 16));
}

/*
 * Finds how far each byte of a unit is from the first in the input. As a number goes on by one, so
 * does the byte, but where an index of a loop goes on: there it is where that loop's step leads,
 * not behind what is inside of the loop.
 */
static void find_sources(const struct loops *loops, const struct units *units, HVX_Vector *source)
{
	/* A block, and the gap behind it. */
	int32_t inside = loops->loop[loops->rank - 1].to;

	for (uint32_t v = 0; v < WORDS; v++)
		source[v] = numbers(v);
	for (uint32_t i = loops->rank; i-- > units->split;) {
		int32_t from = loops->loop[i].from;

		if (i == units->split && units->part == 1)
			return;
		for (uint32_t v = 0; v < WORDS; v++)
			source[v] = Q6_Vw_vadd_VwVw(source[v],
						    multiply(divide_all(numbers(v),
							                loops->loop[i].to),
							     from - inside));
		inside = loops->loop[i].count * from;
	}
}

/* Returns the least number where `wanted` is all ones. */
static int32_t find_least(const HVX_Vector *number, const HVX_Vector *wanted)
{
	const HVX_Vector most = splat_w(INT32_MAX);
	HVX_Vector least = most;

	for (uint32_t v = 0; v < WORDS; v++)
		least = Q6_Vw_vmin_VwVw(least, Q6_V_vmux_QVV(Q6_Q_vand_VR(wanted[v], -1),
							     number[v], most));
	for (uint32_t by = 4; by < VECTOR; by *= 2)
		least = Q6_Vw_vmin_VwVw(least, Q6_V_vror_VR(least, by));
	return Q6_R_vextract_VR(least, 0);
}

static inline HVX_Vector pack(const HVX_Vector *words)
{
	return Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(words[3], words[2]),
				 Q6_Vh_vpacke_VwVw(words[1], words[0]));
}

/*
 * Takes what is in a window from the unit's bytes that are left.
 */
static int32_t take_window(HVX_Vector *mask, HVX_Vector *numbers_in_it, uint32_t reach,
			   const HVX_Vector *source, HVX_Vector *left)
{
	int32_t first = find_least(source, left);
	HVX_Vector number[WORDS], here[WORDS];

	for (uint32_t v = 0; v < WORDS; v++) {
		number[v] = Q6_Vw_vsub_VwVw(source[v], splat_w(first));
		here[v] = Q6_V_vand_QV(Q6_Q_vcmp_gt_VuwVuw(splat_w(reach), number[v]), left[v]);
		left[v] = Q6_V_vxor_VV(left[v], here[v]);
	}
	*numbers_in_it = pack(number);
	*mask = pack(here);
	return first;
}

/* ---- Networks ---- */

/*
 * Makes a control of vdelta, or vrdelta, that takes bytes by their numbers. It is good if no two of
 * them are in each other's way.
 */
static inline __attribute__((always_inline)) bool
find_control(struct unit_window *window, HVX_Vector number, bool gathers)
{
	HVX_VectorPred is_here = Q6_Q_vand_VR(window->mask, -1);
	HVX_Vector away = delta_away(number, is_here), control = Q6_V_vzero(), moved;

#pragma unroll
	for (uint32_t i = 0; i < 7; i++) {
		uint32_t bit = gathers ? 64 >> i : 1 << i, stage = bit * 0x1010101u;
		HVX_Vector other = Q6_V_vdelta_VV(away, splat_b(bit));
		HVX_VectorPred change = Q6_Q_vand_VR(away, stage);

		change = Q6_Q_vandor_QVR(change, other, stage);
		control = Q6_V_vandor_VQR(control, change, stage);
		away = Q6_V_vmux_QVV(change, other, away);
	}
	window->control = control;
	moved = gathers ? Q6_V_vrdelta_VV(delta_indices(), control) :
			  Q6_V_vdelta_VV(delta_indices(), control);
	return !any_lane(Q6_Q_and_QQn(is_here, Q6_Q_vcmp_eq_VbVb(moved, number)));
}

static bool all_spread(struct unit_window *window, const HVX_Vector *number, uint32_t windows)
{
	for (uint32_t i = 0; i < windows; i++) {
		if (!find_control(&window[i], number[i], false))
			return false;
	}
	return true;
}

static bool all_gather(struct unit_window *window, const HVX_Vector *number, uint32_t windows)
{
	for (uint32_t i = 0; i < windows; i++) {
		if (!find_control(&window[i], number[i], true))
			return false;
	}
	return true;
}

/*
 * Makes numbers of bytes in memory to those that vlut32 has for them: it takes even bytes first,
 * and 64 further the odd ones. A number from 128 on is none, and makes 0.
 */
static void number_entries(struct unit_window *window, const HVX_Vector *numbers_in_it,
			   uint32_t windows)
{
	for (uint32_t i = 0; i < windows; i++) {
		HVX_Vector number = numbers_in_it[i];
		HVX_Vector half = Q6_Vuh_vlsr_VuhR(Q6_V_vand_VV(number, splat_b(0xfeu)), 1);
		HVX_Vector odd = Q6_Vh_vasl_VhR(Q6_V_vand_VV(number, splat_b(1)), 6);

		window[i].control = Q6_V_vor_VV(Q6_V_vor_VV(half, odd),
						Q6_V_vnot_V(window[i].mask));
	}
}

/* Finds windows and networks of the unit's bytes that are `left`: none of them is, in the end. */
static bool settle(uint8_t *scratch, uint32_t scratch_size, const HVX_Vector *source,
		   HVX_Vector *left, struct units *units)
{
	HVX_Vector *own = (HVX_Vector *)scratch;
	struct unit_window *window = (struct unit_window *)(own + 1);
	uint32_t most = min_u32((scratch_size - VECTOR) / (sizeof(*window) + VECTOR), MOST_WINDOWS);
	HVX_Vector *number = (HVX_Vector *)&window[most];	/* of each byte in its window */
	HVX_Vector any;

	*own = pack(left);
	units->own = own;
	if (!units->reach)
		units->reach = VECTOR;
	units->windows = 0;
	do {
		uint32_t i = units->windows++;

		if (i == most)
			return false;
		units->offset[i] = take_window(&window[i].mask, &number[i], units->reach, source,
					       left);
		any = Q6_V_vor_VV(Q6_V_vor_VV(left[0], left[1]), Q6_V_vor_VV(left[2], left[3]));
	} while (any_lane(Q6_Q_vand_VR(any, -1)));
	units->offset[units->windows] = 0;
	units->last = units->offset[units->windows - 1];
	units->window = window;
	if (all_spread(window, number, units->windows)) {
		units->network = UNIT_SPREADS;
	} else if (all_gather(window, number, units->windows)) {
		units->network = UNIT_GATHERS;
	} else {
		units->network = UNIT_LOOKS_UP;
		number_entries(window, number, units->windows);
	}
	return true;
}

/* The bytes from the unit's first on. */
static void find_own(const struct units *units, HVX_Vector *own)
{
	for (uint32_t v = 0; v < WORDS; v++)
		own[v] = Q6_V_vand_QR(Q6_Q_vcmp_gt_VwVw(splat_w(units->bytes), numbers(v)), -1);
}

/* Leaves out the gaps behind blocks. */
static void leave_out_gaps(const struct loop *loop, uint32_t block, HVX_Vector *own)
{
	for (uint32_t v = 0; v < WORDS; v++) {
		HVX_Vector first = multiply(divide_all(numbers(v), loop->to), loop->to);
		HVX_Vector behind = Q6_Vw_vsub_VwVw(numbers(v), first);

		own[v] = Q6_V_vand_QV(Q6_Q_vcmp_gt_VwVw(splat_w(block), behind), own[v]);
	}
}

bool nn_units_settle_sources(uint8_t *scratch, uint32_t scratch_size, const HVX_Vector *source,
			     struct units *units)
{
	HVX_Vector own[WORDS];

	find_own(units, own);
	return settle(scratch, scratch_size, source, own, units);
}

bool nn_units_settle(const struct nn_call *call, const struct loops *loops, struct units *units)
{
	HVX_Vector source[WORDS], own[WORDS];
	uint64_t reach = 0;

	for (uint32_t i = units->split; i < loops->rank; i++)
		reach += distance(loops->loop[i].from) * loops->loop[i].count;
	if (reach >= FAR)
		return false;
	find_sources(loops, units, source);
	find_own(units, own);
	if (units->has_gaps)
		leave_out_gaps(&loops->loop[units->split], loops->block, own);
	return settle(call->scratch, call->scratch_size, source, own, units);
}
