// SPDX-License-Identifier: MIT
/*
 * Moves all units of loops: nn_units_run(), see units.h.
 *
 * The units of the loop that is divided are a row. A unit is stored as a whole vector: what is too
 * much in it the next unit of the row overwrites. The last ones of a row are merged with what is
 * behind them. Where a window or a vector to be stored would leave the tensor, units are made one
 * by one, with as many bytes as there are.
 */
#include "dsp/hvx/move/units.h"

#define FEW_WINDOWS	4u	/* so many have controls in registers */
#define SMALL_INPUT	512u	/* bytes */

/* Rows of units. Steps and distances are bytes. */
struct rows {
	uint8_t *to;
	const uint8_t *from;
	int32_t to_step, from_step;		/* from a unit to the next of its row */
	uint32_t plain, merged;			/* units of a row, of both kinds */
	bool has_rest;				/* and another one behind them, */
	int32_t to_rest, from_rest;		/* so far from the row's beginning */
	uint32_t count;
	int32_t to_row, from_row;		/* from a row to the next */
};

static inline HVX_Vector look_up(HVX_Vector so_far, HVX_Vector number, HVX_Vector v)
{
	so_far = Q6_Vb_vlut32or_VbVbVbR(so_far, number, v, 0);
	so_far = Q6_Vb_vlut32or_VbVbVbR(so_far, number, v, 1);
	so_far = Q6_Vb_vlut32or_VbVbVbR(so_far, number, v, 2);
	return Q6_Vb_vlut32or_VbVbVbR(so_far, number, v, 3);
}

/* Adds a window's bytes to those of a unit that there are. */
static inline HVX_Vector add_window(HVX_Vector so_far, HVX_Vector v,
				    const struct unit_window *window, enum unit_network network)
{
	if (network == UNIT_LOOKS_UP)
		return look_up(so_far, window->control, v);
	v = network == UNIT_SPREADS ? Q6_V_vdelta_VV(v, window->control) :
				      Q6_V_vrdelta_VV(v, window->control);
	return Q6_V_vor_VV(so_far, Q6_V_vand_VV(v, window->mask));
}

/* Units at one distance. */
struct strip {
	uint8_t *to;
	const uint8_t *from;
	int32_t to_step, from_step;
	uint32_t count;			/* 1 at least */
};

/*
 * The loops of strips whose units have 1 to 4 windows. Compiled, a unit takes half as many packets
 * again: one for each access that is not aligned and for each network is the least. q1 to q3 are
 * the bytes of windows 1 to 3, and q0 is a unit's own ones.
 */
#define LOAD(i)		"%[v" #i "] = vmemu(%[from" #i "]++m0)\n"
#define PASS(i, network) "{ %[v" #i "] = " network "(%[v" #i "], %[control" #i "]) }\n"
#define MERGE(i)	"%[v0] = vmux(q" #i ", %[v" #i "], %[v0])\n"
#define BEHIND		"%[behind] = vmemu(%[to]+#0)\n"
#define KEEP		"{ %[v0] = vmux(q0, %[v0], %[behind]) }\n"
#define STORE		"{ vmemu(%[to]++m1) = %[v0] }:endloop0\n"

#define MAKE_1(network)	"{ " LOAD(0) " }\n" PASS(0, network)
#define MAKE_2(network)	MAKE_1(network) "{ " LOAD(1) " }\n" PASS(1, network)
#define MAKE_3(network)	MAKE_2(network) "{ " MERGE(1) LOAD(2) " }\n" PASS(2, network)
#define MAKE_4(network)	MAKE_3(network) "{ " MERGE(2) LOAD(3) " }\n" PASS(3, network)

#define PLAIN(i, make)	make "{ " MERGE(i) " }\n" STORE
#define MERGED(i, make)	make "{ " MERGE(i) BEHIND " }\n" KEEP STORE

#define STRIP(name, windows, loop) \
static void name(const struct units *units, const struct strip *strip) \
{ \
	const struct unit_window *window = units->window; \
	const uint32_t last = (windows) - 1; \
	const uint8_t *from0 = strip->from + units->offset[0]; \
	const uint8_t *from1 = strip->from + units->offset[last < 1 ? last : 1]; \
	const uint8_t *from2 = strip->from + units->offset[last < 2 ? last : 2]; \
	const uint8_t *from3 = strip->from + units->offset[last < 3 ? last : 3]; \
	uint8_t *to = strip->to; \
	HVX_Vector v0, v1, v2, v3, behind; \
\
	asm volatile("{ q0 = vand(%[own], %[ones]); m0 = %[from_step] }\n" \
		     "{ q1 = vand(%[mask1], %[ones]); m1 = %[to_step] }\n" \
		     "{ q2 = vand(%[mask2], %[ones]); loop0(1f, %[count]) }\n" \
		     "{ q3 = vand(%[mask3], %[ones]) }\n" \
		     "1:\n" loop \
		     : [v0] "=&v"(v0), [v1] "=&v"(v1), [v2] "=&v"(v2), [v3] "=&v"(v3), \
		       [behind] "=&v"(behind), [to] "+&r"(to), [from0] "+&r"(from0), \
		       [from1] "+&r"(from1), [from2] "+&r"(from2), [from3] "+&r"(from3) \
		     : [control0] "v"(window[0].control), \
		       [control1] "v"(window[last < 1 ? last : 1].control), \
		       [control2] "v"(window[last < 2 ? last : 2].control), \
		       [control3] "v"(window[last < 3 ? last : 3].control), \
		       [mask1] "v"(window[last < 1 ? last : 1].mask), \
		       [mask2] "v"(window[last < 2 ? last : 2].mask), \
		       [mask3] "v"(window[last < 3 ? last : 3].mask), \
		       [own] "v"(*units->own), [ones] "r"(-1), \
		       [from_step] "r"(strip->from_step), [to_step] "r"(strip->to_step), \
		       [count] "r"(strip->count) \
		     : "m0", "m1", "q0", "q1", "q2", "q3", "lc0", "sa0", "memory"); \
}

#define STRIPS(name, network) \
	STRIP(name##_1, 1, MAKE_1(network) STORE) \
	STRIP(name##_2, 2, PLAIN(1, MAKE_2(network))) \
	STRIP(name##_3, 3, PLAIN(2, MAKE_3(network))) \
	STRIP(name##_4, 4, PLAIN(3, MAKE_4(network))) \
	STRIP(name##_1_merged, 1, MAKE_1(network) "{ " BEHIND " }\n" KEEP STORE) \
	STRIP(name##_2_merged, 2, MERGED(1, MAKE_2(network))) \
	STRIP(name##_3_merged, 3, MERGED(2, MAKE_3(network))) \
	STRIP(name##_4_merged, 4, MERGED(3, MAKE_4(network)))

STRIPS(spread, "vdelta")
STRIPS(gather, "vrdelta")

#define LOOK_UP(i, first) \
	"{ %[v3].b " first " vlut32(%[control" #i "].b, %[v" #i "].b, #0) }\n" \
	"{ %[v3].b |= vlut32(%[control" #i "].b, %[v" #i "].b, #1) }\n" \
	"{ %[v3].b |= vlut32(%[control" #i "].b, %[v" #i "].b, #2) }\n" \
	"{ %[v3].b |= vlut32(%[control" #i "].b, %[v" #i "].b, #3) }\n"
#define LOOK_UP_1	"{ " LOAD(0) " }\n" LOOK_UP(0, "=")
#define LOOK_UP_2	LOOK_UP_1 "{ " LOAD(1) " }\n" LOOK_UP(1, "|=")
#define LOOK_UP_3	LOOK_UP_2 "{ " LOAD(2) " }\n" LOOK_UP(2, "|=")
#define STORE_FOUND	"{ vmemu(%[to]++m1) = %[v3] }:endloop0\n"
#define KEEP_FOUND	"{ " BEHIND " }\n{ %[v3] = vmux(q0, %[v3], %[behind]) }\n"

STRIP(look_up_1, 1, LOOK_UP_1 STORE_FOUND)
STRIP(look_up_2, 2, LOOK_UP_2 STORE_FOUND)
STRIP(look_up_3, 3, LOOK_UP_3 STORE_FOUND)
STRIP(look_up_1_merged, 1, LOOK_UP_1 KEEP_FOUND STORE_FOUND)
STRIP(look_up_2_merged, 2, LOOK_UP_2 KEEP_FOUND STORE_FOUND)
STRIP(look_up_3_merged, 3, LOOK_UP_3 KEEP_FOUND STORE_FOUND)

/*
 * Units of any number of windows, which are three packets each: controls, masks and offsets are
 * loaded for each unit, and one offset more is read.
 */
#define ANY(name, network, keep) \
static void name(const struct units *units, const struct strip *strip) \
{ \
	const struct unit_window *window; \
	const uint8_t *from = strip->from, *at; \
	HVX_Vector unit, some, v, w; \
	uint8_t *to = strip->to; \
	const int32_t *offsets; \
	int32_t offset; \
\
	asm volatile("{ q0 = vand(%[own], %[ones]); m1 = %[to_step] }\n" \
		     "{ loop1(2f, %[count]) }\n" \
		     "2:\n" \
		     "{ %[offsets] = %[first_offset]; %[window] = %[first_window]; " \
		     "%[unit] = vxor(%[unit], %[unit]); %[some] = vxor(%[some], %[some]) }\n" \
		     "{ %[offset] = memw(%[offsets]++#4); loop0(1f, %[windows]) }\n" \
		     "{ %[at] = add(%[from], %[offset]) }\n" \
		     "1:\n" \
		     "{ %[v] = vmemu(%[at]+#0); %[unit] = vor(%[unit], %[some]) }\n" \
		     "{ %[w].cur = vmem(%[window]++#1); %[v] = " network "(%[v], %[w]); " \
		     "%[offset] = memw(%[offsets]++#4) }\n" \
		     "{ %[w].cur = vmem(%[window]++#1); %[some] = vand(%[v], %[w]); " \
		     "%[at] = add(%[from], %[offset]) }:endloop0\n" \
		     "{ %[v0] = vor(%[unit], %[some]); %[from] = add(%[from], %[from_step]) }\n" \
		     keep \
		     "{ vmemu(%[to]++m1) = %[v0] }:endloop1\n" \
		     : [unit] "=&v"(unit), [some] "=&v"(some), [v] "=&v"(v), [v0] "=&v"(v), \
		       [w] "=&v"(w), [behind] "=&v"(w), [offset] "=&r"(offset), [at] "=&r"(at), \
		       [offsets] "=&r"(offsets), [window] "=&r"(window), [from] "+&r"(from), \
		       [to] "+&r"(to) \
		     : [first_offset] "r"(units->offset), [first_window] "r"(units->window), \
		       [windows] "r"(units->windows), [own] "v"(*units->own), [ones] "r"(-1), \
		       [from_step] "r"(strip->from_step), [to_step] "r"(strip->to_step), \
		       [count] "r"(strip->count) \
		     : "m1", "q0", "lc0", "sa0", "lc1", "sa1", "memory"); \
}

ANY(spread_any, "vdelta", "")
ANY(gather_any, "vrdelta", "")
ANY(spread_any_merged, "vdelta", "{ " BEHIND " }\n" KEEP)
ANY(gather_any_merged, "vrdelta", "{ " BEHIND " }\n" KEEP)

static void look_up_strip(const struct units *units, const struct strip *strip, bool is_merged)
{
	const HVX_VectorPred own = is_merged ? Q6_Q_vand_VR(*units->own, -1) : first_bytes(VECTOR);
	const uint8_t *from = strip->from;
	uint8_t *to = strip->to;

	for (uint32_t i = strip->count; i; i--) {
		HVX_Vector unit = Q6_V_vzero();

		for (uint32_t k = 0; k < units->windows; k++)
			unit = look_up(unit, units->window[k].control,
				       load(from + units->offset[k]));
		store(to, is_merged ? Q6_V_vmux_QVV(own, unit, load(to)) : unit);
		from += strip->from_step;
		to += strip->to_step;
	}
}

static void look_up_any(const struct units *units, const struct strip *strip)
{
	look_up_strip(units, strip, false);
}

static void look_up_any_merged(const struct units *units, const struct strip *strip)
{
	look_up_strip(units, strip, true);
}

typedef void (*strip_function)(const struct units *units, const struct strip *strip);

/* By network, windows, of which the first are any number, and whether units are merged. */
static const strip_function strip_functions[3][FEW_WINDOWS + 1][2] = {
	[UNIT_SPREADS] = { { spread_any, spread_any_merged }, { spread_1, spread_1_merged },
			   { spread_2, spread_2_merged }, { spread_3, spread_3_merged },
			   { spread_4, spread_4_merged } },
	[UNIT_GATHERS] = { { gather_any, gather_any_merged }, { gather_1, gather_1_merged },
			   { gather_2, gather_2_merged }, { gather_3, gather_3_merged },
			   { gather_4, gather_4_merged } },
	[UNIT_LOOKS_UP] = { { look_up_any, look_up_any_merged }, { look_up_1, look_up_1_merged },
			    { look_up_2, look_up_2_merged }, { look_up_3, look_up_3_merged },
			    { look_up_any, look_up_any_merged } },
};

static void move_strip(const struct units *units, const struct strip *strip, bool is_merged)
{
	uint32_t windows = units->windows <= FEW_WINDOWS ? units->windows : 0;

	strip_functions[units->network][windows][is_merged](units, strip);
}

/* Moves units of rows by strips: `count` of each row, the first of which are at `to` and `from`. */
static void move_units(const struct units *units, const struct rows *rows, int32_t to,
		       int32_t from, uint32_t count, bool is_merged)
{
	bool by_rows = count > rows->count;
	struct strip strip = {
		.to = rows->to + to,
		.from = rows->from + from,
		.to_step = by_rows ? rows->to_step : rows->to_row,
		.from_step = by_rows ? rows->from_step : rows->from_row,
		.count = by_rows ? count : rows->count,
	};

	for (uint32_t i = by_rows ? rows->count : count; i; i--) {
		move_strip(units, &strip, is_merged);
		strip.to += by_rows ? rows->to_row : rows->to_step;
		strip.from += by_rows ? rows->from_row : rows->from_step;
	}
}

/* Moves rows: each time what follows overwrites what is too much. */
static void run_rows(const struct units *units, const struct rows *rows)
{
	const uint32_t plain = rows->plain, merged = rows->merged;

	if (plain)
		move_units(units, rows, 0, 0, plain, false);
	if (merged)
		move_units(units, rows, (int32_t)plain * rows->to_step,
			   (int32_t)plain * rows->from_step, merged, true);
	if (rows->has_rest)
		move_units(units, rows, rows->to_rest, rows->from_rest, 1, true);
}

/* ---- At the ends of tensors ---- */

/* A move, and where its tensors end. */
struct sweep {
	struct progress *progress;
	const struct units *units;
	const uint8_t *from_end;
	const uint8_t *to_end;
	uint32_t unit_work;
};

static void move_carefully(const struct sweep *sweep, uint8_t *to, const uint8_t *from)
{
	const struct units *units = sweep->units;
	HVX_Vector unit = Q6_V_vzero();

	for (uint32_t i = 0; i < units->windows; i++) {
		const uint8_t *window = from + units->offset[i];
		uint32_t bytes = min_u32(sweep->from_end - window, VECTOR);

		unit = add_window(unit, load_bytes(window, bytes), &units->window[i],
				  units->network);
	}
	if (units->has_gaps)
		unit = Q6_V_vmux_QVV(Q6_Q_vand_VR(*units->own, -1), unit,
				     load_bytes(to, units->bytes));
	store_bytes(to, unit, units->bytes);
}

/* Tells whether a unit may be loaded and stored as whole vectors. */
static bool is_inside(const struct sweep *sweep, const uint8_t *to, const uint8_t *from)
{
	return from + sweep->units->last + VECTOR <= sweep->from_end &&
	       to + VECTOR <= sweep->to_end;
}

/* Moves a row of which some units are near the end of a tensor, or one that is long. */
static int move_row(const struct sweep *sweep, const struct rows *rows, uint8_t *to,
		    const uint8_t *from)
{
	uint32_t units = rows->plain + rows->merged, end = units, i = 0;
	uint32_t most = NN_TILE >> (32 - __builtin_clz(sweep->unit_work));
	struct rows some = *rows;
	int ret = 0;

	if (!rows->from_step && !is_inside(sweep, to, from))
		end = 0;
	while (end && !is_inside(sweep, to + (int32_t)(end - 1) * rows->to_step,
				 from + (int32_t)(end - 1) * rows->from_step))
		end--;
	some.has_rest = false;
	some.count = 1;
	while (i < units && !ret) {
		some.to = to + (int32_t)i * rows->to_step;
		some.from = from + (int32_t)i * rows->from_step;
		if (i >= end || !is_inside(sweep, some.to, some.from)) {
			ret = progress_add(sweep->progress, sweep->unit_work);
			if (!ret)
				move_carefully(sweep, some.to, some.from);
			i++;
			continue;
		}
		some.plain = min_u32(i < rows->plain ? rows->plain - i : 0, most);
		some.plain = min_u32(some.plain, end - i);
		some.merged = min_u32(end - i, most) - some.plain;
		ret = progress_add(sweep->progress,
				   (some.plain + some.merged) * sweep->unit_work);
		if (!ret)
			run_rows(sweep->units, &some);
		i += some.plain + some.merged;
	}
	if (!ret && rows->has_rest) {
		ret = progress_add(sweep->progress, sweep->unit_work);
		if (!ret)
			move_carefully(sweep, to + rows->to_rest, from + rows->from_rest);
	}
	return ret;
}

/* Tells whether all units of a row may be moved as whole vectors. */
static bool is_row_inside(const struct sweep *sweep, const struct rows *rows, const uint8_t *to,
			  const uint8_t *from)
{
	int32_t last = rows->plain + rows->merged - 1;

	if (rows->has_rest &&
	    !is_inside(sweep, to + rows->to_rest, from + rows->from_rest))
		return false;
	return is_inside(sweep, to + last * rows->to_step,
			 from + (rows->from_step > 0 ? last * rows->from_step : 0));
}

static int move_all_rows(const struct sweep *sweep, const struct rows *rows)
{
	const uint32_t units = rows->plain + rows->merged + rows->has_rest;
	const uint64_t row_work = 16 + (uint64_t)units * sweep->unit_work;
	struct rows some = *rows;
	uint32_t most = 0;	/* rows at a time */

	if (row_work < NN_TILE)
		most = NN_TILE >> (32 - __builtin_clz((uint32_t)row_work));
	for (uint32_t row = 0; row < rows->count; row += some.count) {
		int ret;

		some.count = 1;
		if (most > 1 && is_row_inside(sweep, rows, some.to, some.from)) {
			some.count = min_u32(most, rows->count - row);
			for (; some.count > 1; some.count--) {
				int32_t last = some.count - 1;

				if (is_row_inside(sweep, rows, some.to + last * rows->to_row,
						  some.from + last * rows->from_row))
					break;
			}
			ret = progress_add(sweep->progress, some.count * row_work);
			if (!ret)
				run_rows(sweep->units, &some);
		} else {
			ret = move_row(sweep, rows, some.to, some.from);
		}
		if (ret)
			return ret;
		some.to += (int32_t)some.count * rows->to_row;
		some.from += (int32_t)some.count * rows->from_row;
	}
	return 0;
}

/* ---- All loops ---- */

static struct rows describe_rows(const struct loops *loops, const struct units *units)
{
	const struct loop *loop = &loops->loop[units->split];
	uint32_t full = loop->count / units->part, rest = loop->count - units->part;
	bool is_dense = loop->to * units->part == units->bytes;
	struct rows rows = {
		.to_step = units->part * loop->to,
		.from_step = units->part * loop->from,
		.plain = full,
		.has_rest = full * units->part < loop->count,
		.to_rest = rest * loop->to,
		.from_rest = rest * loop->from,
		.count = 1,
	};

	/* What is too much of a plain unit is in others of the row, which come later. */
	if (units->has_gaps || (!is_dense && units->bytes < VECTOR))
		rows.plain = 0;
	while (units->bytes < VECTOR && rows.plain &&
	       (rows.plain - 1) * (uint64_t)units->bytes + VECTOR >
		       (uint64_t)loop->count * loop->to)
		rows.plain--;
	rows.merged = full - rows.plain;
	return rows;
}

static uint32_t find_unit_work(const struct rows *rows, const struct units *units)
{
	uint32_t work = 16 + stride_work(rows->to_step < 0 ? -rows->to_step : rows->to_step) +
			stride_work(rows->from_step < 0 ? -rows->from_step : rows->from_step);

	for (uint32_t i = 0; i < units->windows; i++)
		work += 8 + (i ? stride_work(units->offset[i] - units->offset[i - 1]) : 0);
	return work;
}

/*
 * Copies an input that is so small that units would be near its end to the end of the scratch
 * memory, where there is as much as a vector behind it.
 */
static void copy_small_input(struct sweep *sweep, const uint8_t **from)
{
	const struct nn_call *call = sweep->progress->call;
	const struct nn_tensor *input = &call->input[0];
	uint32_t bytes = min_u32(input->bytes, SMALL_INPUT);
	uint8_t *copy = call->scratch + call->scratch_size - SMALL_INPUT - VECTOR;
	const struct unit_window *end = sweep->units->window + sweep->units->windows;

	if (input->bytes > bytes || copy < (const uint8_t *)end)
		return;
	for (uint32_t i = 0; i < bytes; i += VECTOR)
		store(copy + i, load_bytes(input->data + i, min_u32(bytes - i, VECTOR)));
	*from = copy + (*from - input->data);
	sweep->from_end = call->scratch + call->scratch_size;
}

int nn_units_run(struct progress *progress, const struct loops *loops, const struct units *units,
		 uint8_t *to, const uint8_t *from)
{
	const struct nn_tensor *input = &progress->call->input[0];
	const struct nn_tensor *output = &progress->call->output[0];
	struct sweep sweep = {
		.progress = progress,
		.units = units,
		.from_end = input->data + input->bytes,
		.to_end = output->data + output->bytes,
	};
	struct rows rows = describe_rows(loops, units);
	uint32_t index[MOST_LOOPS] = { 0 }, most = 0, i;

	copy_small_input(&sweep, &from);
	sweep.unit_work = find_unit_work(&rows, units);
	/* The longest of the other loops is that of the rows. */
	for (i = 1; i < units->split; i++) {
		if (loops->loop[i].count > loops->loop[most].count)
			most = i;
	}
	if (units->split) {
		rows.count = loops->loop[most].count;
		rows.to_row = loops->loop[most].to;
		rows.from_row = loops->loop[most].from;
	}
	do {
		int ret;

		rows.to = to;
		rows.from = from;
		ret = move_all_rows(&sweep, &rows);
		if (ret)
			return ret;
		/* The next index of those that are left. */
		for (i = units->split; i-- > 0;) {
			if (i == most)
				continue;
			from += loops->loop[i].from;
			to += loops->loop[i].to;
			if (++index[i] < loops->loop[i].count)
				break;
			from -= index[i] * loops->loop[i].from;
			to -= index[i] * loops->loop[i].to;
			index[i] = 0;
		}
	} while (i != UINT32_MAX);
	return 0;
}
