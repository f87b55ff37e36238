// SPDX-License-Identifier: MIT
/*
 * SCATTER: data; indices INT32 or INT64; updates and output of the data's type. Inputs have the
 * output's rows, or are one row of level 0 for all. A row of data and output, and one of the
 * indices, are as TAKE has them (dsp/kernels/take.c); one of the updates is what TAKE would make
 * there. The output is the data, where the updates are put at their positions, element by element,
 * one position after the other: at a position that comes twice what is there then counts.
 *
 *	NN_SCATTER_PUT	the update as it is stored
 *	NN_SCATTER_ADD, _MUL, _MIN, _MAX	of what is there and the update, both as integers; of
 *			what is too large the low bits, of a bool whether it is not 0
 *
 * Numbers below 0 count from the end. What is no index then is passed over.
 */
#include "dsp/kernels/indices.h"
#include "dsp/kernels/progress.h"

#define PLACE_WORK	(256 + 2 * NN_PAGE_WORK)
#define ELEMENT_WORK	64

enum nn_program_reason nn_scatter_check(const struct nn_call *call)
{
	const struct nn_tensor *data = &call->input[0], *indices = &call->input[1];
	const struct nn_tensor *updates = &call->input[2], *output = &call->output[0];
	const struct nn_take_params *indexing = &call->op->scatter.indexing;
	uint32_t size = nn_type_size(output->type);
	uint64_t count, elements;

	if (!operands_are(call, 3, 1) || data->type != output->type ||
	    updates->type != output->type ||
	    (indices->type != NN_TYPE_INT32 && indices->type != NN_TYPE_INT64))
		return NN_REASON_OPERAND;
	if (!indexing_is_valid(indexing) || call->op->scatter.form >= NN_SCATTER_FORMS ||
	    (call->op->scatter.form != NN_SCATTER_PUT && !is_integer(output)))
		return NN_REASON_PARAMETER;
	if (!has_rows_for(data, output) || !has_rows_for(indices, output) ||
	    !has_rows_for(updates, output))
		return NN_REASON_SHAPE;
	/* Parts and runs are below 2^32 once the data is found to be so, as in nn_take_check(). */
	elements = updates->row_bytes / size;
	count = count_indices(indexing, indices);
	if (count_indexed_elements(indexing) != data->row_bytes / size ||
	    data->row_bytes != output->row_bytes || !count || count > elements ||
	    count * indexing->parts > elements || count * indexing->parts * indexing->run != elements)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* The vector kernel puts all elements, and adds and compares those of up to 32 bits but uint32. */
bool nn_scatter_has_vectors(const struct nn_call *call)
{
	switch (call->op->scatter.form) {
	case NN_SCATTER_PUT:
		return true;
	case NN_SCATTER_MUL:
		return false;
	}
	return call->output[0].type != NN_TYPE_BOOL && call->output[0].type != NN_TYPE_INT64 &&
	       !nn_type_is_wide_unsigned(call->output[0].type);
}

static int64_t combine(uint32_t form, int64_t order, int64_t a, int64_t b)
{
	switch (form) {
	case NN_SCATTER_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case NN_SCATTER_MUL:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case NN_SCATTER_MIN:
		return (a ^ order) < (b ^ order) ? a : b;
	default:
		return (a ^ order) > (b ^ order) ? a : b;
	}
}

/* The elements of one place. */
static int update(struct progress *progress, uint8_t *to, const uint8_t *from)
{
	const struct nn_scatter_params *params = &progress->call->op->scatter;
	uint8_t type = progress->call->output[0].type;
	const int64_t order = integer_order(type);
	uint64_t size = nn_type_size(type), bytes = params->indexing.run * size;

	if (params->form == NN_SCATTER_PUT)
		return progress_copy(progress, to, from, bytes);
	for (uint64_t at = 0; at < bytes; at += size) {
		int ret = progress_add(progress, ELEMENT_WORK);

		if (ret)
			return ret;
		store_integer(to + at, type, combine(params->form, order, load_integer(to + at, type),
						     load_integer(from + at, type)));
	}
	return 0;
}

/* One part, to which the data was copied. */
static int update_part(struct progress *progress, uint8_t *part, const uint8_t *indices,
		       const uint8_t *updates)
{
	const struct nn_call *call = progress->call;
	const struct nn_take_params *indexing = &call->op->scatter.indexing;
	uint64_t index_bytes = (uint64_t)indexing->depth * nn_type_size(call->input[1].type);
	uint64_t run_bytes = (uint64_t)indexing->run * nn_type_size(call->output[0].type);
	uint64_t count = count_indices(indexing, &call->input[1]);

	for (uint64_t i = 0; i < count; i++) {
		int64_t place = find_place(indexing, call->input[1].type, indices + i * index_bytes);
		int ret = progress_add(progress, PLACE_WORK);

		if (!ret && place >= 0)
			ret = update(progress, part + (uint64_t)place * run_bytes,
				     updates + i * run_bytes);
		if (ret)
			return ret;
	}
	return 0;
}

int nn_scatter_portable(const struct nn_call *call)
{
	const struct nn_tensor *indices = &call->input[1], *updates = &call->input[2];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_take_params *indexing = &call->op->scatter.indexing;
	uint64_t part_out = output->row_bytes / indexing->parts;
	uint64_t part_indices = indexing->each ? indices->row_bytes / indexing->parts : 0;
	uint64_t part_updates = updates->row_bytes / indexing->parts;
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *numbers = find_row(indices, output, row);
		const uint8_t *from = find_row(updates, output, row);
		uint8_t *to = output->data + row * output->row_bytes;
		int ret = progress_copy(&progress, to, find_row(&call->input[0], output, row),
					output->row_bytes);

		for (uint32_t part = 0; part < indexing->parts && !ret; part++)
			ret = update_part(&progress, to + part * part_out,
					  numbers + part * part_indices,
					  from + part * part_updates);
		if (ret)
			return ret;
	}
	return 0;
}
