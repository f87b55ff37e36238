// SPDX-License-Identifier: MIT
/*
 * LSTM on HVX. Sums of products are FULLY_CONNECTED's: the input's of as many steps at once as
 * scratch memory has room for, since they wait for nothing; those of the last output for a step, of
 * as many rows. Then 64 cells of a row are made at a time.
 *
 *	x of some steps   -> FULLY_CONNECTED -> sums -+
 *	last output       -> FULLY_CONNECTED -> sums -+-> gates -> cell state -> output
 *	      ^-------------------------------------------------------------------+
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/lstm.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/fixed.h"
#include "dsp/hvx/common/inner_call.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/int16/fractions.h"

#define CELLS		64u	/* in a vector of halfwords */
#define CELLS_WORK	1200u	/* of 64 cells of a row */
#define CALL_WORK	8000u	/* of a call of FULLY_CONNECTED, beside its products */
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

/*
 * The gates' sums: 32 cells of all are in the block behind 32 others. Exponents of scales are below
 * 0 where layers are of a size that is usual; then nothing waits for a jump.
 */
static inline __attribute__((always_inline)) void
add_sums(const struct nn_lstm_params *params, const int32_t *x, const int32_t *last,
	 HVX_Vector gate[LSTM_GATES], bool is_below)
{
#pragma unroll
	for (uint32_t g = 0; g < LSTM_GATES; g++) {
		HVX_Vector sum[2];

#pragma unroll
		for (uint32_t i = 0; i < 2; i++) {
			HVX_Vector v = load(x + i * LSTM_LANES + 32 * g);
			HVX_Vector w = load(last + i * LSTM_LANES + 32 * g);

			v = is_below ? multiply_below(v, params->input[g]) :
				       multiply(v, params->input[g]);
			w = is_below ? multiply_below(w, params->last[g]) :
				       multiply(w, params->last[g]);
			v = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(v, splat_w(INT16_MIN)),
					    splat_w(INT16_MAX));
			sum[i] = Q6_Vw_vadd_VwVw_sat(v, w);
		}
		gate[g] = Q6_Vh_vpack_VwVw_sat(sum[1], sum[0]);
	}
}

static bool is_below_0(const struct nn_lstm_params *params)
{
	for (uint32_t g = 0; g < LSTM_GATES; g++) {
		if (params->input[g].exponent >= 0 || params->last[g].exponent >= 0)
			return false;
	}
	return true;
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

static void make_cells(const struct nn_call *call, const struct row *row, uint32_t first,
		       uint32_t count, bool is_below)
{
	static const bool is_tanh[LSTM_GATES] = { [LSTM_CELL] = true };
	static const uint32_t whole[LSTM_GATES] = { LSTM_GATE_BITS, LSTM_GATE_BITS, LSTM_GATE_BITS,
						    LSTM_GATE_BITS };
	const struct nn_lstm_params *params = &call->op->lstm;
	const int32_t *x = row->x + first * LSTM_GATES, *last = row->last + first * LSTM_GATES;
	HVX_Vector gate[LSTM_GATES], cell, made, limit = splat_h(params->cell_clip);
	HVX_VectorPair wide;

	if (is_below)
		add_sums(params, x, last, gate, true);
	else
		add_sums(params, x, last, gate, false);
	fractions_activate(gate, is_tanh, whole);
	cell = product_away(gate[LSTM_FORGET], load_bytes(row->cell + first, 2 * count), 15);
	made = product_away(gate[LSTM_INPUT], gate[LSTM_CELL], 15 + params->cell_bits);
	cell = Q6_Vh_vadd_VhVh_sat(cell, made);
	if (params->cell_clip)
		cell = Q6_Vh_vmin_VhVh(Q6_Vh_vmax_VhVh(cell, Q6_Vh_vsub_VhVh(Q6_V_vzero(), limit)),
				       limit);
	store_bytes(row->new_cell + first, cell, 2 * count);
	cell = fractions_tanh(cell, params->cell_bits);
	wide = Q6_Ww_vmpy_VhVh(gate[LSTM_OUTPUT], cell);
	made = Q6_Vh_vsat_VwVw(multiply(Q6_V_hi_W(wide), params->output),
			       multiply(Q6_V_lo_W(wide), params->output));
	made = Q6_Vh_vadd_VhVh_sat(made, splat_h((uint32_t)call->output[0].zero_point));
	made = Q6_Vb_vpack_VhVh_sat(made, made);
	store_bytes(row->output + first, made, count);
	store_bytes(row->next + first, made, count);
}

/* ---- Steps ---- */

/* Some rows, and of these so many steps, as scratch memory has room for. */
struct lstm {
	const struct nn_call *call;
	struct progress progress;
	uint32_t inputs, cells, steps, width;	/* width: sums of a row */
	uint32_t rows, some;			/* steps */
	bool is_below;				/* exponents of the gates' scales are below 0 */
	uint8_t *x, *last;
	int32_t *x_sums, *last_sums;
	struct nn_program_op op;
	struct nn_call of_x, of_last;		/* products; their scratch memory is behind all others */
};

/* Divides scratch memory, half of which is FULLY_CONNECTED's. False: there is too little. */
static bool divide_scratch(struct lstm *lstm)
{
	uint32_t of_sums = lstm->width * sizeof(int32_t), of_row = lstm->cells + of_sums;
	uint32_t of_step = lstm->inputs + of_sums;
	uint32_t filling = 2 * BLOCK_BYTES + 4 * VECTOR, room = lstm->call->scratch_size / 2;
	struct nn_call *products = &lstm->of_x;

	if (room < filling + of_row + of_step)
		return false;
	room -= filling;
	lstm->rows = min_u32(lstm->call->output[0].dims[0], room / (of_row + of_step));
	lstm->some = min_u32(lstm->steps, (room - lstm->rows * of_row) / (lstm->rows * of_step));
	products->scratch = lstm->call->scratch;
	products->scratch_size = lstm->call->scratch_size;
	lstm->x = inner_take(products, lstm->rows * lstm->some * lstm->inputs);
	lstm->last = inner_take(products, lstm->rows * lstm->cells);
	/* Sums of 32 cells past the last ones are read, too. */
	lstm->x_sums = (int32_t *)inner_take(products, lstm->rows * lstm->some * of_sums +
							 BLOCK_BYTES);
	lstm->last_sums = (int32_t *)inner_take(products, lstm->rows * of_sums + BLOCK_BYTES);
	return true;
}

/* Describes all of a call of FULLY_CONNECTED but its rows. */
static void describe_products(struct lstm *lstm, struct nn_call *products, uint32_t inputs,
			      const struct nn_tensor *weights)
{
	products->op = &lstm->op;
	products->run = lstm->call->run;
	inner_describe(&products->input[0], NN_TYPE_INT8, 2, (const uint32_t[]){ 1, inputs });
	products->input[1] = *weights;
	/* Half of the bias is for the products of x, and the other half for the others. */
	products->input[2] = lstm->call->input[5];
	products->input[2].dims[0] /= 2;
	products->input[2].bytes /= 2;
	inner_describe(&products->output[0], NN_TYPE_INT32, 2,
		       (const uint32_t[]){ 1, lstm->width });
}

static void describe_all_products(struct lstm *lstm)
{
	describe_products(lstm, &lstm->of_x, lstm->inputs, &lstm->call->input[3]);
	lstm->of_last.scratch = lstm->of_x.scratch;
	lstm->of_last.scratch_size = lstm->of_x.scratch_size;
	describe_products(lstm, &lstm->of_last, lstm->cells, &lstm->call->input[4]);
	lstm->of_last.input[2].data += lstm->of_last.input[2].bytes;
}

static inline void set_rows(struct nn_tensor *tensor, const void *data, uint32_t rows)
{
	tensor->data = (uint8_t *)data;
	tensor->dims[0] = rows;
	tensor->bytes = rows * tensor->row_bytes;
}

static int multiply_rows(struct lstm *lstm, struct nn_call *products, const uint8_t *from,
			 uint32_t rows, int32_t *sums)
{
	uint32_t inputs = products->input[0].dims[1];
	int ret = progress_add(&lstm->progress,
			       CALL_WORK + (uint64_t)rows * lstm->width * inputs / 64);

	if (ret)
		return ret;
	set_rows(&products->input[0], from, rows);
	set_rows(&products->output[0], sums, rows);
	return nn_fully_connected_hvx(products);
}

/* Copies rows of `bytes` bytes, which are `pitch` apart, side by side. */
static int gather(struct progress *progress, uint8_t *to, const uint8_t *from, uint32_t rows,
		  uint64_t pitch, uint32_t bytes)
{
	int ret = 0;

	for (uint32_t i = 0; i < rows && !ret; i++)
		ret = progress_copy(progress, to + i * bytes, from + i * pitch, bytes);
	return ret;
}

/* Sums of the input of steps t to t + count - 1 of some rows: first those of step t. */
static int sum_inputs(struct lstm *lstm, uint32_t first_row, uint32_t rows, uint32_t t,
		      uint32_t count)
{
	const uint8_t *from = lstm->call->input[0].data +
			      ((uint64_t)first_row * lstm->steps + t) * lstm->inputs;
	uint64_t pitch = (uint64_t)lstm->steps * lstm->inputs;

	if (rows == 1)
		return multiply_rows(lstm, &lstm->of_x, from, count, lstm->x_sums);
	for (uint32_t i = 0; i < count; i++) {
		int ret = gather(&lstm->progress, lstm->x + i * rows * lstm->inputs,
				 from + i * lstm->inputs, rows, pitch, lstm->inputs);

		if (ret)
			return ret;
	}
	return multiply_rows(lstm, &lstm->of_x, lstm->x, rows * count, lstm->x_sums);
}

/* Step t of some rows, whose sums of the input are there. */
static int make_step(struct lstm *lstm, uint32_t first_row, uint32_t rows, uint32_t t,
		     const int32_t *x_sums)
{
	const struct nn_call *call = lstm->call;
	uint32_t cells = lstm->cells;
	int ret = multiply_rows(lstm, &lstm->of_last, lstm->last, rows, lstm->last_sums);

	for (uint32_t i = 0; i < rows && !ret; i++) {
		uint64_t at = first_row + i;
		const struct row row = {
			.x = x_sums + i * lstm->width,
			.last = lstm->last_sums + i * lstm->width,
			.cell = (const int16_t *)(t ? call->output[2].data : call->input[2].data) +
				at * cells,
			.new_cell = (int16_t *)call->output[2].data + at * cells,
			.output = call->output[0].data + (at * lstm->steps + t) * cells,
			.next = lstm->last + i * cells,
		};

		for (uint32_t c = 0; c < cells && !ret; c += CELLS) {
			ret = progress_add(&lstm->progress, CELLS_WORK);
			if (!ret)
				make_cells(call, &row, c, min_u32(cells - c, CELLS),
					   lstm->is_below);
		}
	}
	return ret;
}

static int run_rows(struct lstm *lstm, uint32_t first, uint32_t rows)
{
	uint64_t at = (uint64_t)first * lstm->cells, bytes = (uint64_t)rows * lstm->cells;
	int ret = progress_copy(&lstm->progress, lstm->last, lstm->call->input[1].data + at, bytes);

	for (uint32_t t = 0; t < lstm->steps && !ret; t += lstm->some) {
		uint32_t count = min_u32(lstm->steps - t, lstm->some);

		ret = sum_inputs(lstm, first, rows, t, count);
		for (uint32_t i = 0; i < count && !ret; i++) {
			uint32_t offset = rows * i * lstm->width;

			ret = make_step(lstm, first, rows, t + i, lstm->x_sums + offset);
		}
	}
	if (ret)
		return ret;
	return progress_copy(&lstm->progress, lstm->call->output[1].data + at, lstm->last, bytes);
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
		.op = { .opcode = NN_OPCODE_FULLY_CONNECTED },
	};
	uint32_t rows = call->output[0].dims[0];
	int ret = 0;

	if (!nn_lstm_has_vectors(call))
		return nn_lstm_portable(call);
	if (!rows)
		return 0;
	lstm.width = lstm_blocks(lstm.cells) * LSTM_LANES;
	if (!divide_scratch(&lstm))
		return nn_lstm_portable(call);
	describe_all_products(&lstm);
	for (uint32_t i = 0; i < rows && !ret; i += lstm.rows)
		ret = run_rows(&lstm, i, min_u32(rows - i, lstm.rows));
	return ret;
}
