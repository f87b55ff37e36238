// SPDX-License-Identifier: MIT
/*
 * LSTM on HVX. Sums of products (lstm_products.c) of the input are made of as many steps at once as
 * scratch memory has room for, since they wait for nothing; those of the last output for a step, of
 * as many rows. Then the states of 64 cells of a row are made at a time, and the outputs of four times
 * as many.
 *
 *	x of some steps   -> products -> sums -+
 *	last output       -> products -> sums -+-> gates -> cell state -> output
 *	      ^------------------------------------------------------------+
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/lstm.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/inner_call.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/int16/fractions.h"
#include "dsp/hvx/int16/lstm_products.h"

#define CELLS		64u	/* in a vector of halfwords */
#define CELLS_WORK	1200u	/* of 64 cells of a row */
#define CALL_WORK	2000u	/* of some rows, beside their products */
#define ROWS_AT_ONCE	4u
#define PRODUCTS_AT_ONCE (1u << 13) /* bytes of a row, for each block of cells */
/* The bytes of the sums of 32 cells' gates. */
#define BLOCK_BYTES	(LSTM_LANES * sizeof(int32_t))

/* ---- 64 cells ---- */

/* nn_fixed_multiply(); what is the same for all lanes decides what there is to do. */
static inline HVX_Vector multiply(HVX_Vector v, struct nn_fixed by)
{
	if (by.exponent > 0)
		v = Q6_Vw_vasl_VwR(v, by.exponent);
	return fixed_round_one(fixed_high(v, splat_w(by.multiplier)), by.exponent, splat_w(-1));
}

/* The same with an exponent below 0. */
static inline HVX_Vector multiply_below(HVX_Vector v, struct nn_fixed by)
{
	v = fixed_high(v, splat_w(by.multiplier));
	v = Q6_Vw_vadd_VwVw_sat(v, Q6_Vw_vasr_VwR(v, 31));
	return Q6_Vw_vavg_VwVw_rnd(Q6_Vw_vasr_VwR(v, ~by.exponent), Q6_V_vzero());
}

/* Prepares a number for a rounding with ties up, so that its ties go away from 0. */
static inline HVX_Vector away(HVX_Vector v)
{
	return Q6_Vw_vadd_VwVw_sat(v, Q6_Vw_vasr_VwR(v, 31));
}

/*
 * The gates' sums: 32 cells of all are in the block behind 32 others. Those of both blocks lie side by
 * side, in pairs, as what widens and narrows leaves them. Exponents of scales are -15 to -1 where
 * layers are of a size that is usual; then nothing waits for a jump.
 */
static inline __attribute__((always_inline)) void
add_sums(const struct nn_lstm_params *params, const int32_t *x_sums, const int32_t *last_sums,
	 HVX_Vector gate[LSTM_GATES], bool is_below)
{
	const HVX_Vector *x = (const HVX_Vector *)x_sums, *last = (const HVX_Vector *)last_sums;

#pragma unroll
	for (uint32_t g = 0; g < LSTM_GATES; g++) {
		const struct nn_fixed by_x = params->input[g], by_last = params->last[g];
		HVX_Vector low = x[g], high = x[LSTM_GATES + g], sum;
		HVX_Vector w = last[g], w_high = last[LSTM_GATES + g];
		HVX_VectorPair wide;

		if (is_below) {
			low = away(fixed_high(low, splat_w(by_x.multiplier)));
			high = away(fixed_high(high, splat_w(by_x.multiplier)));
			sum = Q6_Vh_vasr_VwVwR_rnd_sat(high, low, -by_x.exponent);
			w = multiply_below(w, by_last);
			w_high = multiply_below(w_high, by_last);
		} else {
			sum = Q6_Vh_vsat_VwVw(multiply(high, by_x), multiply(low, by_x));
			w = multiply(w, by_last);
			w_high = multiply(w_high, by_last);
		}
		wide = Q6_Ww_vsxt_Vh(sum);
		gate[g] = Q6_Vh_vsat_VwVw(Q6_Vw_vadd_VwVw_sat(Q6_V_hi_W(wide), w_high),
					  Q6_Vw_vadd_VwVw_sat(Q6_V_lo_W(wide), w));
	}
}

static bool is_below_0(const struct nn_lstm_params *params)
{
	for (uint32_t g = 0; g < LSTM_GATES; g++) {
		if (params->input[g].exponent >= 0 || params->last[g].exponent >= 0 ||
		    params->input[g].exponent < -15)
			return false;
	}
	return params->output.exponent < 0;
}

/* a * b / 2^bits to the nearest, ties away from 0. */
static inline HVX_Vector product_away(HVX_Vector a, HVX_Vector b, uint32_t bits)
{
	HVX_VectorPair wide = Q6_Ww_vmpy_VhVh(a, b);
	HVX_Vector half = splat_w(1 << (bits - 1)), low = Q6_V_lo_W(wide), high = Q6_V_hi_W(wide);

	low = Q6_Vw_vadd_VwVw(low, Q6_Vw_vasr_VwR(low, 31));
	high = Q6_Vw_vadd_VwVw(high, Q6_Vw_vasr_VwR(high, 31));
	low = Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(low, half), bits);
	high = Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(high, half), bits);
	return Q6_Vh_vsat_VwVw(high, low);
}

/* A row of cells: sums and state that it is made of, and where it goes. */
struct row {
	const int32_t *x, *last;	/* sums of the gates */
	const int16_t *cell;
	int16_t *new_cell;
	uint8_t *output;
	uint8_t *next;			/* the output again, as the next step's last one */
};

/*
 * Cells that have their new state, and of which the output is still to be made: of up to FRACTIONS
 * vectors in step, since a tangent by itself waits for itself. `gate`: the output gate.
 */
struct waiting {
	HVX_Vector cell[FRACTIONS], gate[FRACTIONS];
	uint8_t *output[FRACTIONS], *next[FRACTIONS];
	uint32_t count[FRACTIONS], used;
};

/* Cells of two blocks, one behind the other, as pairs of one of each; and back. */
static inline HVX_Vector in_pairs(HVX_Vector v)
{
	return Q6_Vh_vshuff_Vh(v);
}

static inline HVX_Vector in_order(HVX_Vector v)
{
	return Q6_Vh_vdeal_Vh(v);
}

/* Makes the new state of up to 64 cells; `are_aligned`: of 64, at multiples of so many. */
static void make_states(const struct nn_call *call, const struct row *row, uint32_t first,
			uint32_t count, bool is_below, bool are_aligned, struct waiting *waiting)
{
	static const bool is_tanh[LSTM_GATES] = { [LSTM_CELL] = true };
	static const uint32_t whole[LSTM_GATES] = { LSTM_GATE_BITS, LSTM_GATE_BITS, LSTM_GATE_BITS,
						    LSTM_GATE_BITS };
	static const uint32_t most[LSTM_GATES] = {
		FRACTIONS_POWERS(LSTM_GATE_BITS), FRACTIONS_POWERS(LSTM_GATE_BITS),
		[LSTM_CELL] = FRACTIONS_POWERS(LSTM_GATE_BITS + 1),
		[LSTM_OUTPUT] = FRACTIONS_POWERS(LSTM_GATE_BITS),
	};
	const struct nn_lstm_params *params = &call->op->lstm;
	const int32_t *x = row->x + first * LSTM_GATES, *last = row->last + first * LSTM_GATES;
	HVX_Vector gate[LSTM_GATES], cell, made, limit = splat_h(params->cell_clip);
	const uint32_t at = waiting->used++;

	if (is_below)
		add_sums(params, x, last, gate, true);
	else
		add_sums(params, x, last, gate, false);
	fractions_activate(gate, is_tanh, whole, most, true);
	cell = are_aligned ? *(const HVX_Vector *)(row->cell + first) :
			     load_bytes(row->cell + first, 2 * count);
	cell = product_away(gate[LSTM_FORGET], in_pairs(cell), 15);
	made = product_away(gate[LSTM_INPUT], gate[LSTM_CELL], 15 + params->cell_bits);
	cell = Q6_Vh_vadd_VhVh_sat(cell, made);
	if (params->cell_clip)
		cell = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(cell, Q6_Vh_vsub_VhVh(Q6_V_vzero(), limit)),
				       limit);
	if (are_aligned)
		*(HVX_Vector *)(row->new_cell + first) = in_order(cell);
	else
		store_bytes(row->new_cell + first, in_order(cell), 2 * count);
	waiting->cell[at] = cell;
	waiting->gate[at] = gate[LSTM_OUTPUT];
	waiting->output[at] = row->output + first;
	waiting->next[at] = row->next + first;
	waiting->count[at] = count;
}

/* Stores 64 bytes, which are there twice, at a multiple of 64. */
static inline void store_half(uint8_t *to, HVX_Vector v, HVX_VectorPred half)
{
	HVX_Vector *aligned = (HVX_Vector *)((uintptr_t)to & -VECTOR);

	if ((uintptr_t)to & (VECTOR / 2))
		Q6_vmem_QnRIV(half, aligned, v);
	else
		Q6_vmem_QRIV(half, aligned, v);
}

/* Makes the outputs of vectors whose cells' states have become their tangents. */
static inline __attribute__((always_inline)) void
store_outputs(const struct nn_call *call, const struct waiting *waiting, uint32_t used,
	      const HVX_Vector tangent[FRACTIONS], bool is_below, bool are_aligned)
{
	const struct nn_fixed by = call->op->lstm.output;
	HVX_Vector zero = splat_h((uint32_t)call->output[0].zero_point);
	HVX_VectorPred half = first_bytes(VECTOR / 2);

#pragma unroll
	for (uint32_t i = 0; i < used; i++) {
		HVX_VectorPair wide = Q6_Ww_vmpy_VhVh(waiting->gate[i], tangent[i]);
		HVX_Vector high = Q6_V_hi_W(wide), low = Q6_V_lo_W(wide), made;

		made = is_below ? Q6_Vh_vsat_VwVw(multiply_below(high, by), multiply_below(low, by)) :
				  Q6_Vh_vsat_VwVw(multiply(high, by), multiply(low, by));
		made = in_order(Q6_Vh_vadd_VhVh_sat(made, zero));
		made = Q6_Vb_vpack_VhVh_sat(made, made);
		if (are_aligned) {
			store_half(waiting->output[i], made, half);
			store_half(waiting->next[i], made, half);
			continue;
		}
		store_bytes(waiting->output[i], made, waiting->count[i]);
		store_bytes(waiting->next[i], made, waiting->count[i]);
	}
}

/* Makes the outputs that wait: of one vector, of two, or of up to four in step. */
static inline __attribute__((always_inline)) void
make_outputs(const struct nn_call *call, struct waiting *waiting, bool is_below, bool are_aligned)
{
	const uint32_t bits = call->op->lstm.cell_bits, used = waiting->used;
	const HVX_Vector *cell = waiting->cell;

	waiting->used = 0;
	if (used == 4) {
		HVX_Vector four[FRACTIONS] = { cell[0], cell[1], cell[2], cell[3] };

		fractions_tanh(four, bits);
		store_outputs(call, waiting, 4, four, is_below, are_aligned);
		return;
	}
	if (used & 2) {
		HVX_Vector two[FRACTIONS] = { cell[0], cell[1], cell[0], cell[1] };

		fractions_tanh(two, bits);
		store_outputs(call, waiting, 2, two, is_below, are_aligned);
	}
	if (used & 1) {
		HVX_Vector last = cell[used - 1];
		HVX_Vector one[FRACTIONS] = { last, last, last, last };

		waiting->gate[0] = waiting->gate[used - 1];
		waiting->output[0] = waiting->output[used - 1];
		waiting->next[0] = waiting->next[used - 1];
		waiting->count[0] = waiting->count[used - 1];
		fractions_tanh(one, bits);
		store_outputs(call, waiting, 1, one, is_below, are_aligned);
	}
}

static void make_usual_outputs(const struct nn_call *call, struct waiting *waiting)
{
	make_outputs(call, waiting, true, true);
}

static void make_any_outputs(const struct nn_call *call, struct waiting *waiting)
{
	make_outputs(call, waiting, false, false);
}

/* ---- Steps ---- */

/* Some rows, and of these so many steps, as scratch memory has room for. */
struct lstm {
	const struct nn_call *call;
	struct progress progress;
	uint32_t inputs, cells, steps, width;	/* width: sums of a row */
	uint32_t rows, some;			/* steps */
	bool is_below;				/* exponents of scales are as usual */
	bool are_aligned;			/* all cells come in whole vectors */
	uint8_t *x, *last;			/* rows side by side, of_x.length and of_last.length long */
	int32_t *x_sums, *last_sums;
	struct lstm_products of_x, of_last;
};

/* Divides scratch memory. False: there is too little. */
static bool divide_scratch(struct lstm *lstm)
{
	uint32_t of_sums = lstm->width * sizeof(int32_t), of_row = lstm->of_last.length + of_sums;
	uint32_t of_step = lstm->of_x.length + of_sums, room = lstm->call->scratch_size;
	/* Sums of 32 cells past the last ones are read, too, and a vector past the rows. */
	uint32_t filling = 2 * BLOCK_BYTES + 6 * VECTOR;
	struct nn_call rest = {
		.scratch = lstm->call->scratch,
		.scratch_size = lstm->call->scratch_size,
	};

	if (room < filling + of_row + of_step)
		return false;
	room -= filling;
	lstm->rows = min_u32(lstm->call->output[0].dims[0], room / (of_row + of_step));
	lstm->some = min_u32(lstm->steps, (room - lstm->rows * of_row) / (lstm->rows * of_step));
	lstm->x_sums = (int32_t *)inner_take(&rest, lstm->rows * lstm->some * of_sums +
							    BLOCK_BYTES);
	lstm->last_sums = (int32_t *)inner_take(&rest, lstm->rows * of_sums + BLOCK_BYTES);
	lstm->x = inner_take(&rest, lstm->rows * lstm->some * lstm->of_x.length + VECTOR);
	lstm->last = inner_take(&rest, lstm->rows * lstm->of_last.length + VECTOR);
	return true;
}

static struct lstm_products describe_products(const struct lstm *lstm,
					      const struct nn_tensor *weights, uint32_t inputs,
					      const int32_t *bias)
{
	return (struct lstm_products){
		.weights = weights->data,
		.bias = bias,
		.length = (inputs + LSTM_STEP - 1) / LSTM_STEP * LSTM_STEP,
		.blocks = lstm->width / LSTM_LANES,
		.zero = weights->zero_point,
	};
}

/* Between two reports of progress so many blocks of some rows are made that they take no long time. */
static int multiply_rows(struct lstm *lstm, const struct lstm_products *products,
			 const uint8_t *from, uint32_t rows, int32_t *sums)
{
	const bool is_short = products->blocks * products->length <= PRODUCTS_AT_ONCE;
	const uint32_t some_blocks = 8 * products->length <= PRODUCTS_AT_ONCE ? 8 : 1;
	const uint32_t at_once = is_short ? products->blocks : some_blocks;

	for (uint32_t some; rows; rows -= some) {
		some = min_u32(rows, ROWS_AT_ONCE);
		for (uint32_t first = 0; first < products->blocks; first += at_once) {
			uint32_t count = min_u32(products->blocks - first, at_once);
			uint64_t work = (uint64_t)some * count * LSTM_LANES * products->length / 64;
			int ret = progress_add(&lstm->progress, CALL_WORK + work);

			if (ret)
				return ret;
			lstm_multiply(products, first, count, from, some, sums);
		}
		from += some * products->length;
		sums += some * lstm->width;
	}
	return 0;
}

/*
 * Copies rows of so many bytes, which are `pitch` apart, to where they are `length` apart: with zeros
 * between them.
 */
static int copy_rows(struct progress *progress, uint8_t *to, const uint8_t *from, uint32_t rows,
		     uint64_t pitch, uint32_t bytes, uint32_t length)
{
	int ret = 0;

	if (pitch == bytes && length == bytes)
		return progress_copy(progress, to, from, rows * bytes);
	for (uint32_t i = 0; i < rows && !ret; i++, to += length, from += pitch) {
		for (uint32_t k = bytes; k < length; k++)
			to[k] = 0;
		ret = progress_copy(progress, to, from, bytes);
	}
	return ret;
}

/* Sums of the input of steps t to t + count - 1 of some rows: first those of step t. */
static int sum_inputs(struct lstm *lstm, uint32_t first_row, uint32_t rows, uint32_t t,
		      uint32_t count)
{
	const uint32_t inputs = lstm->inputs, length = lstm->of_x.length;
	const uint64_t pitch = (uint64_t)lstm->steps * inputs;
	const uint8_t *from = lstm->call->input[0].data + first_row * pitch + (uint64_t)t * inputs;
	struct progress *progress = &lstm->progress;
	int ret = 0;

	if (rows == 1)
		ret = copy_rows(progress, lstm->x, from, count, inputs, inputs, length);
	for (uint32_t i = 0; rows > 1 && i < count && !ret; i++)
		ret = copy_rows(progress, lstm->x + (uint64_t)i * rows * length, from + i * inputs,
				rows, pitch, inputs, length);
	return ret ? ret : multiply_rows(lstm, &lstm->of_x, lstm->x, rows * count, lstm->x_sums);
}

/* Step t of some rows, whose sums of the input are there. */
static int make_step(struct lstm *lstm, uint32_t first_row, uint32_t rows, uint32_t t,
		     const int32_t *x_sums)
{
	const struct nn_call *call = lstm->call;
	void (*finish)(const struct nn_call *call, struct waiting *waiting) =
		lstm->is_below && lstm->are_aligned ? make_usual_outputs : make_any_outputs;
	struct waiting waiting;
	uint32_t cells = lstm->cells;
	int ret = multiply_rows(lstm, &lstm->of_last, lstm->last, rows, lstm->last_sums);

	waiting.used = 0;

	for (uint32_t i = 0; i < rows && !ret; i++) {
		uint64_t at = first_row + i;
		const struct row row = {
			.x = x_sums + i * lstm->width,
			.last = lstm->last_sums + i * lstm->width,
			.cell = (const int16_t *)(t ? call->output[2].data : call->input[2].data) +
				at * cells,
			.new_cell = (int16_t *)call->output[2].data + at * cells,
			.output = call->output[0].data + (at * lstm->steps + t) * cells,
			.next = lstm->last + i * lstm->of_last.length,
		};

		for (uint32_t c = 0; c < cells && !ret; c += CELLS) {
			ret = progress_add(&lstm->progress, CELLS_WORK);
			if (ret)
				break;
			make_states(call, &row, c, min_u32(cells - c, CELLS), lstm->is_below,
				    lstm->are_aligned, &waiting);
			if (waiting.used == FRACTIONS)
				finish(call, &waiting);
		}
	}
	if (waiting.used)
		finish(call, &waiting);
	return ret;
}

static int run_rows(struct lstm *lstm, uint32_t first, uint32_t rows)
{
	const struct nn_call *call = lstm->call;
	const uint32_t cells = lstm->cells, length = lstm->of_last.length;
	const uint64_t at = (uint64_t)first * cells;
	int ret;

	ret = copy_rows(&lstm->progress, lstm->last, call->input[1].data + at, rows, cells, cells,
			length);
	for (uint32_t t = 0; t < lstm->steps && !ret; t += lstm->some) {
		uint32_t count = min_u32(lstm->steps - t, lstm->some);

		ret = sum_inputs(lstm, first, rows, t, count);
		for (uint32_t i = 0; i < count && !ret; i++)
			ret = make_step(lstm, first, rows, t + i,
					lstm->x_sums + rows * i * lstm->width);
	}
	if (ret)
		return ret;
	return copy_rows(&lstm->progress, call->output[1].data + at, lstm->last, rows, length,
			 cells, cells);
}

int nn_lstm_hvx(const struct nn_call *call)
{
	struct lstm lstm = {
		.call = call,
		.progress = { .call = call },
		.inputs = call->input[0].dims[2],
		.cells = call->output[0].dims[2],
		.steps = call->input[0].dims[1],
		.is_below = is_below_0(&call->op->lstm),
	};
	const int32_t *bias = (const int32_t *)call->input[5].data;
	uint32_t rows = call->output[0].dims[0];
	int ret = 0;

	if (!nn_lstm_has_vectors(call))
		return nn_lstm_portable(call);
	if (!rows)
		return 0;
	lstm.width = lstm_blocks(lstm.cells) * LSTM_LANES;
	lstm.are_aligned = !(lstm.cells % CELLS) && !((uintptr_t)call->output[0].data % CELLS) &&
			   !((uintptr_t)call->input[2].data % VECTOR) &&
			   !((uintptr_t)call->output[2].data % VECTOR);
	/* Half of the bias is for the products of x, and the other half for the others. */
	lstm.of_x = describe_products(&lstm, &call->input[3], lstm.inputs, bias);
	lstm.of_last = describe_products(&lstm, &call->input[4], lstm.cells, bias + lstm.width);
	if (!divide_scratch(&lstm))
		return nn_lstm_portable(call);
	for (uint32_t i = 0; i < rows && !ret; i += lstm.rows)
		ret = run_rows(&lstm, i, min_u32(rows - i, lstm.rows));
	return ret;
}
