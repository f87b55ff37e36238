// SPDX-License-Identifier: MIT
/*
 * BINARY: functions of two elements. nn_binary_hvx() is its vector kernel, in the table of
 * kernels.c. Inputs are laid out (lay_out.h), so that what computes a function has elements side by
 * side, whatever is broadcast: products.c, binary_functions.c, and, of sums and differences, ADD's
 * and ADD_FLOAT's kernels.
 *
 * Where one input is one element, a function of the other has 256 results, which are computed
 * first, and looked up.
 */
#include "dsp/kernels/binary.h"
#include "dsp/kernels/broadcast.h"
#include "dsp/hvx/elementwise/add.h"
#include "dsp/hvx/elementwise/binary.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/lay_out.h"

#define PART		16384u	/* most elements that are laid out at a time, */
#define LEAST_PART	256u	/* and fewest */
#define PART_WORK	200
#define LEAST_FOR_TABLE	4096u	/* elements, from which on 256 are worth being computed */

/* Sets where the next part of a sum is. Returns the progress so far. */
static struct progress begin_part(struct binary *binary, const uint8_t *a, const uint8_t *b,
				  uint8_t *to, uint32_t bytes)
{
	struct nn_call *part = &binary->part;

	part->input[0].data = (uint8_t *)a;
	part->input[1].data = (uint8_t *)b;
	part->output[0].data = to;
	part->output[0].bytes = bytes;
	return (struct progress){ part, binary->progress->work };
}

static int add(struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
	       uint32_t bytes)
{
	struct progress progress = begin_part(binary, a, b, to, bytes);
	int ret = nn_add_run(&progress, &binary->add);

	binary->progress->work = progress.work;
	return ret;
}

static int add_float(struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
		     uint32_t bytes)
{
	struct progress progress = begin_part(binary, a, b, to, bytes);
	int ret = nn_add_float_run(&progress, &binary->add_float);

	binary->progress->work = progress.work;
	return ret;
}

/* Settles what computes a sum or a difference. */
static void prepare_sum(struct binary *binary)
{
	const struct nn_binary_params *params = &binary->call->op->binary;

	binary->part = *binary->call;
	binary->part.op = &binary->op;
	binary->part.scratch_size = binary->scratch;
	binary->op = *binary->call->op;
	if (params->function == NN_BINARY_ADD_SHIFTED) {
		binary->op.add = params->add;
		binary->compute = add;
		nn_add_settle(&binary->add, &binary->part);
		return;
	}
	binary->op.add_float = binary_scales(&binary->call->op->binary);
	if (params->function == NN_BINARY_SUB)
		binary->op.add_float.scale_b = -params->scale_b;
	if (params->function == NN_BINARY_ADD_FUSED)
		binary->op.add_float.form = NN_ADD_FUSED;
	binary->compute = add_float;
	nn_add_float_settle(&binary->add_float, &binary->part);
}

/* Settles what computes a call. */
static void prepare(struct binary *binary)
{
	switch (binary->call->op->binary.function) {
	case NN_BINARY_ADD:
	case NN_BINARY_SUB:
	case NN_BINARY_ADD_SHIFTED:
	case NN_BINARY_ADD_FUSED:
		prepare_sum(binary);
		return;
	case NN_BINARY_MUL:
	case NN_BINARY_MUL_ONCE:
	case NN_BINARY_MUL_FUSED:
		nn_products_prepare(binary);
		return;
	}
	nn_binary_functions_prepare(binary);
}

/* Divides scratch memory. Returns false if there is too little. */
static bool divide_scratch(struct binary *binary, struct laid_out *laid)
{
	const struct nn_call *call = binary->call;
	uint32_t overhead = 12 * VECTOR, left;
	uint8_t *at = call->scratch;

	/* Sums in float32 need the most in front. */
	binary->scratch = min_u32(call->scratch_size / 2 / VECTOR * VECTOR, ADD_FLOAT_SCRATCH);
	if (binary->scratch < TABLES_END)
		binary->scratch = TABLES_END;
	if (call->scratch_size < binary->scratch + overhead)
		return false;
	left = call->scratch_size - binary->scratch - overhead;
	binary->most = min_u32(PART, left / 5 / LEAST_PART * LEAST_PART);
	if (binary->most > call->output[0].bytes)
		binary->most = round_up(call->output[0].bytes, LEAST_PART);
	if (binary->most < LEAST_PART)
		return false;
	at += binary->scratch;
	for (uint32_t i = 0; i < 2; i++) {
		binary->stage[i] = at;
		at += binary->most + VECTOR;
	}
	for (uint32_t i = 0; i < 2; i++) {
		nn_lay_out_begin(&laid[i], &call->input[i], &call->output[0], at, binary->most);
		at += LAY_OUT_ROOM(binary->most, 1);
	}
	return true;
}

static int compute_all(struct binary *binary, struct laid_out *laid)
{
	const struct nn_call *call = binary->call;
	uint32_t bytes = call->output[0].bytes, part;
	bool is_dense = laid[0].is_dense && laid[1].is_dense;

	for (uint32_t at = 0; at < bytes; at += part) {
		const uint8_t *a, *b;
		int ret;

		part = min_u32(bytes - at, min_u32(nn_lay_out_span(&laid[0], at),
						   nn_lay_out_span(&laid[1], at)));
		ret = progress_add(binary->progress,
				   PART_WORK + (is_dense ? 0 : min_u32(part, binary->most) *
							       LAY_OUT_ELEMENT_WORK));
		if (ret)
			return ret;
		a = nn_lay_out(&laid[0], at, part);
		b = nn_lay_out(&laid[1], at, part);
		ret = binary->compute(binary, a, b, call->output[0].data + at, part);
		if (ret)
			return ret;
	}
	return 0;
}

/* Computes a function whose other input is one element, by a table. */
static int look_up(struct binary *binary, struct laid_out *laid, uint32_t full)
{
	const struct nn_call *call = binary->call;
	uint8_t *all = laid[full].room, *other = laid[!full].room, *table = other + 256;
	struct nn_call part = *call;
	int ret;

	for (uint32_t i = 0; i < 256; i++)
		all[i] = i;
	__builtin_memset(other, *call->input[!full].data, 256);
	ret = binary->compute(binary, full ? other : all, full ? all : other, table, 256);
	if (ret)
		return ret;
	part.input[0] = call->input[full];
	part.input[1].data = table;
	return nn_table_hvx(&part);
}

int nn_binary_hvx(const struct nn_call *call)
{
	struct progress progress = { .call = call };
	/* It is not cleared, which would take a tenth of what a small product does. */
	struct binary binary;
	struct laid_out laid[2];
	uint64_t bytes = call->output[0].bytes;

	if (!bytes)
		return 0;
	binary.call = call;
	binary.progress = &progress;
	if (!nn_binary_has_vectors(call) || !divide_scratch(&binary, laid))
		return nn_binary_portable(call);
	binary.sum = (struct float_sum){ .zero_output = call->output[0].zero_point };
	prepare(&binary);
	for (uint32_t i = 0; i < 2; i++) {
		if (laid[i].is_dense && call->input[!i].bytes == 1 && bytes >= LEAST_FOR_TABLE)
			return look_up(&binary, laid, i);
	}
	return compute_all(&binary, laid);
}
