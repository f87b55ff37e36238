// SPDX-License-Identifier: MIT
/*
 * RealRecurrent: the recurrent layers of ONNX, LSTM, GRU and RNN, over a sequence of float32, as a
 * model has them between its DequantizeLinear and QuantizeLinear nodes. It runs on the host's
 * processor. Sums and functions are in double, rounded once to float32; so is what a cell keeps.
 *
 * Names are ONNX's: W, R and B are the weights of x, those of the last output and the bias, P the
 * peepholes of an LSTM; their rows are gates, in the order i, o, f, c of an LSTM, z, r, h of a GRU.
 *
 * docs/operators.md:
 * | `RealRecurrent` | x float32 `[..., steps, inputs]`; constants of float32: W `[directions, gates *
 * hidden, inputs]`, R `[directions, gates * hidden, hidden]`, B `[directions, 2 * gates * hidden]`, P
 * `[directions, 3 * hidden]` (LSTM; optional); first output and first cell state float32 `[...,
 * directions, hidden]`, as x has rows, or constants of one (optional) | `kind` (required: `lstm`, `gru`,
 * `rnn`), `direction` (`forward`, `reverse`, `bidirectional`), `length` (all steps), `relu` (0; 1: of an
 * RNN, for tanh), `linear_before_reset` (0: GRU), `input_forget` (0: LSTM), `cell_clip` (0: none; LSTM) | float32 `[..., steps,
 * directions * hidden]`; last output and last cell state float32 `[..., directions, hidden]` |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { X, W, R, B, P, FIRST, FIRST_CELL, INPUTS };
enum { OUTPUT, LAST, LAST_CELL, OUTPUTS };
enum kind { LSTM, GRU, RNN };

#define MOST_GATES 4

/* A node's layer, and of one direction of it where its constants are. */
struct layer {
	enum kind kind;
	uint32_t gates, directions, hidden, inputs, steps, length;
	bool is_reverse; /* its only direction */
	bool relu, linear_before_reset, input_forget;
	float cell_clip; /* what an LSTM keeps stays within +- that; 0: it has no limit */
	const float *w, *r, *b, *p;
};

static const struct {
	const char *name;
	uint32_t gates;
} kinds[] = { [LSTM] = { "lstm", 4 }, [GRU] = { "gru", 3 }, [RNN] = { "rnn", 1 } };

/* ---- What there is ---- */

static int read_layer(struct nn_node *node, struct layer *layer)
{
	const struct nn_tensor_info *x = &node->inputs[X]->info;
	const char *kind = nn_node_get_string(node, "kind", "");
	const char *direction = nn_node_get_string(node, "direction", "forward");
	int64_t length;

	*layer = (struct layer){
		.directions = strcmp(direction, "bidirectional") ? 1 : 2,
		.is_reverse = !strcmp(direction, "reverse"),
		.relu = nn_node_get_attr_int(node, "relu", 0),
		.linear_before_reset = nn_node_get_attr_int(node, "linear_before_reset", 0),
		.input_forget = nn_node_get_attr_int(node, "input_forget", 0),
		.cell_clip = nn_node_get_float(node, "cell_clip", 0),
	};
	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		layer->kind = i;
		layer->gates = kinds[i].gates;
	}
	if (!layer->gates)
		return nn_node_fail(node, -EINVAL, "kind must be lstm, gru or rnn");
	if (layer->directions == 1 && !layer->is_reverse && strcmp(direction, "forward"))
		return nn_node_fail(node, -EINVAL,
				    "direction must be forward, reverse or bidirectional");
	if (!(layer->cell_clip >= 0) || isinf(layer->cell_clip))
		return nn_node_fail(node, -EINVAL, "cell_clip must be 0 or a number above it");
	if (x->type != NN_FLOAT32 || x->rank < 3)
		return nn_node_fail(node, -EINVAL,
				    "needs an input of float32, of 3 dimensions or more");
	layer->steps = x->dims[x->rank - 2];
	layer->inputs = x->dims[x->rank - 1];
	length = nn_node_get_attr_int(node, "length", layer->steps);
	if (length < 1 || length > layer->steps)
		return nn_node_fail(node, -EINVAL, "length must be 1 to the %" PRIu32 " steps",
				    layer->steps);
	layer->length = length;
	return 0;
}

static bool is_list(const struct nn_value *value, uint32_t rank, const uint32_t *dims)
{
	return nn_value_is_const(value) && value->info.type == NN_FLOAT32 &&
	       value->info.rank == rank && !memcmp(value->info.dims, dims, rank * sizeof(*dims));
}

static bool has_input(const struct nn_node *node, uint32_t i)
{
	return i < node->input_count && node->inputs[i];
}

static int check_constants(struct nn_node *node, struct layer *layer)
{
	const struct nn_tensor_info *r = &node->inputs[R]->info;
	uint32_t rows, dims[3] = { layer->directions };

	layer->hidden = r->rank == 3 ? r->dims[2] : 0;
	if (!layer->hidden || layer->hidden > INT32_MAX / (2 * MOST_GATES))
		return nn_node_fail(node, -EINVAL, "R must be [directions, gates * hidden, hidden]");
	rows = layer->gates * layer->hidden;
	dims[1] = rows;
	dims[2] = layer->hidden;
	if (!is_list(node->inputs[R], 3, dims))
		return nn_node_fail(node, -EINVAL,
				    "R must be a constant of float32, %" PRIu32 " x %" PRIu32
				    " x %" PRIu32, dims[0], dims[1], dims[2]);
	dims[2] = layer->inputs;
	if (!is_list(node->inputs[W], 3, dims))
		return nn_node_fail(node, -EINVAL,
				    "W must be a constant of float32, %" PRIu32 " x %" PRIu32
				    " x %" PRIu32, dims[0], dims[1], dims[2]);
	dims[1] = 2 * rows;
	if (!is_list(node->inputs[B], 2, dims))
		return nn_node_fail(node, -EINVAL,
				    "B must be a constant of float32, %" PRIu32 " x %" PRIu32, dims[0],
				    dims[1]);
	dims[1] = 3 * layer->hidden;
	if (has_input(node, P) && (layer->kind != LSTM || !is_list(node->inputs[P], 2, dims)))
		return nn_node_fail(node, -EINVAL,
				    "P must be a constant of float32 of an LSTM, %" PRIu32
				    " x %" PRIu32, dims[0], dims[1]);
	return 0;
}

/* Checks an input that a layer begins with: it is of each row, or a constant for all of them. */
static int check_first(struct nn_node *node, uint32_t i, const uint32_t *dims)
{
	const struct nn_tensor_info *x = &node->inputs[X]->info, *first;

	if (!has_input(node, i))
		return 0;
	first = &node->inputs[i]->info;
	if (first->type == NN_FLOAT32 && first->rank == x->rank &&
	    !memcmp(first->dims + 1, dims + 1, (x->rank - 1) * sizeof(*dims)) &&
	    (nn_value_is_const(node->inputs[i]) ?
		     first->dims[0] == 1 :
		     first->level == x->level && first->dims[0] == x->dims[0]))
		return 0;
	return nn_node_fail(node, -EINVAL,
			    "input %" PRIu32 " must be float32, with as many rows as x or, as a "
			    "constant, 1, and then as the last output is", i);
}

static int check_real_recurrent(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *x = &node->inputs[X]->info;
	uint32_t dims[NN_MAX_RANK];
	struct layer layer;
	int error = read_layer(node, &layer);

	(void)graph;
	(void)opaque;
	if (!error)
		error = check_constants(node, &layer);
	if (error)
		return error;
	/* Room for what a direction keeps while it runs. */
	if (!nn_node_make_state(node, 3ull * layer.hidden * sizeof(float)))
		return -ENOMEM;
	memcpy(dims, x->dims, sizeof(dims));
	dims[x->rank - 1] = layer.directions * layer.hidden;
	error = nn_node_infer_unquantized(node, OUTPUT, NN_FLOAT32, x, x->rank, dims);
	dims[x->rank - 2] = layer.directions;
	dims[x->rank - 1] = layer.hidden;
	for (uint32_t i = FIRST; i <= FIRST_CELL && !error; i++)
		error = check_first(node, i, dims);
	for (uint32_t i = LAST; i <= LAST_CELL && !error; i++)
		error = nn_node_infer_unquantized(node, i, NN_FLOAT32, x, x->rank, dims);
	return error;
}

/* ---- What it computes ---- */

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double sum_products(const float *a, const float *b, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += (double)a[i] * b[i];
	return sum;
}

/* One direction of one row: what goes in, and what it keeps. */
struct cells {
	const float *x;
	float *output, *kept;	/* `hidden` each: the last output, and the state of an LSTM */
	float *next;		/* room for the next output */
};

/* The sums of a gate of cell i: of x, and of the last output. */
static double of_x(const struct layer *layer, const struct cells *cells, uint32_t gate, uint32_t i)
{
	uint64_t row = (uint64_t)gate * layer->hidden + i;

	return sum_products(layer->w + row * layer->inputs, cells->x, layer->inputs) + layer->b[row];
}

static double of_last(const struct layer *layer, const float *last, uint32_t gate, uint32_t i)
{
	uint64_t row = (uint64_t)gate * layer->hidden + i;
	uint64_t bias = (uint64_t)layer->gates * layer->hidden + row;

	return sum_products(layer->r + row * layer->hidden, last, layer->hidden) + layer->b[bias];
}

static double of_both(const struct layer *layer, const struct cells *cells, uint32_t gate,
		      uint32_t i)
{
	return of_x(layer, cells, gate, i) + of_last(layer, cells->output, gate, i);
}

/* Looks through a peephole: its product with a cell's state. */
static double peep(const struct layer *layer, uint32_t gate, uint32_t i, float state)
{
	return layer->p ? (double)layer->p[gate * layer->hidden + i] * state : 0;
}

static void step_lstm(const struct layer *layer, struct cells *cells)
{
	enum { INPUT_GATE, OUTPUT_GATE, FORGET_GATE, NEW };

	for (uint32_t i = 0; i < layer->hidden; i++) {
		float state = cells->kept[i];
		float in = sigmoid(of_both(layer, cells, INPUT_GATE, i) +
				   peep(layer, INPUT_GATE, i, state));
		float kept = layer->input_forget ?
				     1 - in :
				     sigmoid(of_both(layer, cells, FORGET_GATE, i) +
					     peep(layer, FORGET_GATE, i, state));
		float made = tanh(of_both(layer, cells, NEW, i));
		float out;

		state = (double)kept * state + (double)in * made;
		if (layer->cell_clip > 0)
			state = fminf(fmaxf(state, -layer->cell_clip), layer->cell_clip);
		out = sigmoid(of_both(layer, cells, OUTPUT_GATE, i) +
			      peep(layer, OUTPUT_GATE, i, state));
		cells->kept[i] = state;
		cells->next[i] = out * tanh(state);
	}
}

/* `kept` are the last outputs, each times its reset gate. */
static void step_gru(const struct layer *layer, struct cells *cells)
{
	enum { UPDATE, RESET, NEW };

	for (uint32_t i = 0; i < layer->hidden && !layer->linear_before_reset; i++) {
		float reset = sigmoid(of_both(layer, cells, RESET, i));

		cells->kept[i] = reset * cells->output[i];
	}
	for (uint32_t i = 0; i < layer->hidden; i++) {
		float update = sigmoid(of_both(layer, cells, UPDATE, i)), made;
		double sum = of_x(layer, cells, NEW, i);

		if (layer->linear_before_reset) {
			float reset = sigmoid(of_both(layer, cells, RESET, i));

			sum += reset * of_last(layer, cells->output, NEW, i);
		} else {
			sum += of_last(layer, cells->kept, NEW, i);
		}
		made = tanh(sum);
		cells->next[i] = (1 - (double)update) * made + (double)update * cells->output[i];
	}
}

static void step_rnn(const struct layer *layer, struct cells *cells)
{
	for (uint32_t i = 0; i < layer->hidden; i++) {
		double sum = of_both(layer, cells, 0, i);

		cells->next[i] = layer->relu ? fmax(sum, 0) : tanh(sum);
	}
}

static void (*const step_of[])(const struct layer *layer, struct cells *cells) = {
	[LSTM] = step_lstm,
	[GRU] = step_gru,
	[RNN] = step_rnn,
};

/* Where a row is: in x, in all outputs, in what it begins and what it ends with; NULL: zero. */
struct row {
	const float *x, *first, *first_cell;
	float *output, *last, *last_cell;
};

/* Runs direction d of a row; steps past the sequence's length stay zero. */
static void run_direction(const struct layer *layer, const struct row *row, uint32_t d, float *room)
{
	const uint32_t hidden = layer->hidden, at = d * hidden;
	const bool is_reverse = layer->is_reverse || d;
	struct cells cells = { .output = room, .kept = room + hidden, .next = room + 2 * hidden };

	memset(room, 0, 2 * hidden * sizeof(*room));
	if (row->first)
		memcpy(cells.output, row->first + at, hidden * sizeof(*room));
	if (row->first_cell)
		memcpy(cells.kept, row->first_cell + at, hidden * sizeof(*room));
	for (uint32_t i = 0; i < layer->length; i++) {
		uint64_t t = is_reverse ? layer->length - 1 - i : i;
		float *before = cells.output;

		cells.x = row->x + t * layer->inputs;
		step_of[layer->kind](layer, &cells);
		cells.output = cells.next;
		cells.next = before;
		memcpy(row->output + t * layer->directions * hidden + at, cells.output,
		       hidden * sizeof(*room));
	}
	memcpy(row->last + at, cells.output, hidden * sizeof(*room));
	memcpy(row->last_cell + at, layer->kind == LSTM ? cells.kept : cells.output,
	       hidden * sizeof(*room));
}

static void run_row(struct layer layer, const struct row *row, float *room)
{
	const uint64_t rows = (uint64_t)layer.gates * layer.hidden;

	memset(row->output, 0,
	       (uint64_t)layer.steps * layer.directions * layer.hidden * sizeof(float));
	for (uint32_t d = 0; d < layer.directions; d++) {
		run_direction(&layer, row, d, room);
		layer.w += rows * layer.inputs;
		layer.r += rows * layer.hidden;
		layer.b += 2 * rows;
		layer.p = layer.p ? layer.p + 3 * layer.hidden : NULL;
	}
}

/* The numbers that row i begins with; a constant is that of an item, over and over. */
static const float *first_of(const struct nn_value *value, const float *data, uint64_t i,
			     uint64_t size, uint64_t rows)
{
	if (!data)
		return NULL;
	return data + size * (nn_value_is_const(value) ? i % rows : i);
}

static int execute_real_recurrent(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *x = &node->inputs[X]->info;
	const float *in[INPUTS] = { NULL };
	float *out[OUTPUTS];
	uint64_t rows = 1, count, size;
	struct layer layer;
	int error = read_layer(node, &layer);

	(void)opaque;
	if (error)
		return error;
	count = nn_graph_rows(graph, node->inputs[X]);
	for (uint32_t i = 1; i + 2 < x->rank; i++)
		rows *= x->dims[i];
	count *= rows;
	if (!count)
		return 0;
	for (uint32_t i = 0; i < INPUTS; i++) {
		if (!has_input(node, i))
			continue;
		in[i] = nn_graph_locate(graph, node->inputs[i]);
		if (!in[i])
			return nn_host_deny(node);
	}
	for (uint32_t i = 0; i < OUTPUTS; i++) {
		out[i] = nn_graph_locate(graph, &node->outputs[i]);
		if (!out[i])
			return nn_host_deny(node);
	}
	layer.hidden = node->inputs[R]->info.dims[2];
	layer.w = in[W];
	layer.r = in[R];
	layer.b = in[B];
	layer.p = in[P];
	size = layer.directions * layer.hidden;
	for (uint64_t i = 0; i < count; i++) {
		const struct row row = {
			.x = in[X] + i * layer.steps * layer.inputs,
			.first = first_of(node->inputs[FIRST], in[FIRST], i, size, rows),
			.first_cell = first_of(node->inputs[FIRST_CELL], in[FIRST_CELL], i, size,
					       rows),
			.output = out[OUTPUT] + i * layer.steps * size,
			.last = out[LAST] + i * size,
			.last_cell = out[LAST_CELL] + i * size,
		};

		run_row(layer, &row, node->state);
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "kind", .type = NN_ATTR_STRING },
	{ .name = "direction", .type = NN_ATTR_STRING },
	{ .name = "length", .type = NN_ATTR_INT },
	{ .name = "relu", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "linear_before_reset", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "input_forget", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "cell_clip", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_real_recurrent = {
	.name = "RealRecurrent",
	.min_inputs = 4,
	.max_inputs = INPUTS,
	.outputs = OUTPUTS,
	.attrs = attrs,
	.check = check_real_recurrent,
	.execute = execute_real_recurrent,
};
