// SPDX-License-Identifier: MIT
/*
 * TAKE: data; indices INT32 or INT64; output of the data's type. Data and indices have the output's
 * rows, or are one row of level 0 for all. A row of the data is `parts` parts, each of sizes[0] x
 * .. x sizes[depth - 1] positions, the last dimension fastest, with `run` elements at each. A row
 * of the indices is `depth` numbers for each position that is taken, which are the same for all
 * parts, or with `each` others for each part, one part behind the other. A row of the output is
 * what is taken, in that order, of one part behind the other: the elements at the position as they
 * are stored. A number below 0 counts from the end: its size is added. Where one is no index then,
 * each element is the output's zero point.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/indices.h"
#include "dsp/kernels/progress.h"

#define TAKEN_WORK	(256 + 2 * NN_PAGE_WORK)

enum nn_program_reason nn_take_check(const struct nn_call *call)
{
	const struct nn_tensor *data = &call->input[0], *indices = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_take_params *params = &call->op->take;
	uint32_t size = nn_type_size(output->type);
	uint64_t taken;

	if (!operands_are(call, 2, 1) || data->type != output->type ||
	    (indices->type != NN_TYPE_INT32 && indices->type != NN_TYPE_INT64))
		return NN_REASON_OPERAND;
	if (!indexing_is_valid(params))
		return NN_REASON_PARAMETER;
	taken = count_indices(params, indices);
	/* A row has less than 2^32 elements: parts and runs are below that, and these products
	 * below 2^64, once the data is found to be as large. */
	if (!has_rows_for(data, output) || !has_rows_for(indices, output) ||
	    count_indexed_elements(params) != data->row_bytes / size || !taken ||
	    taken > output->row_bytes / size ||
	    taken * params->parts > output->row_bytes / size ||
	    taken * params->parts * params->run != output->row_bytes / size)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

static int fill_run(struct progress *progress, uint8_t *to, uint32_t run)
{
	const struct nn_tensor *output = &progress->call->output[0];
	uint32_t size = nn_type_size(output->type);

	for (uint32_t i = 0; i < run; i++) {
		int ret = progress_add(progress, 32);

		if (ret)
			return ret;
		store_integer(to + (uint64_t)i * size, output->type, output->zero_point);
	}
	return 0;
}

/* Takes all elements of one part that the indices say. */
static int take_part(struct progress *progress, const uint8_t *data, const uint8_t *indices,
		     uint8_t *to, uint64_t taken)
{
	const struct nn_call *call = progress->call;
	const struct nn_take_params *params = &call->op->take;
	uint64_t index_bytes = (uint64_t)params->depth * nn_type_size(call->input[1].type);
	uint64_t run_bytes = (uint64_t)params->run * nn_type_size(call->output[0].type);

	for (uint64_t i = 0; i < taken; i++) {
		int64_t place = find_place(params, call->input[1].type,
					   indices + i * index_bytes);
		int ret = progress_add(progress, TAKEN_WORK);

		if (!ret && place < 0)
			ret = fill_run(progress, to, params->run);
		else if (!ret)
			ret = progress_copy(progress, to, data + (uint64_t)place * run_bytes,
					    run_bytes);
		if (ret)
			return ret;
		to += run_bytes;
	}
	return 0;
}

int nn_take_portable(const struct nn_call *call)
{
	const struct nn_tensor *data = &call->input[0], *indices = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_take_params *params = &call->op->take;
	uint64_t part_in = data->row_bytes / params->parts;
	uint64_t part_out = output->row_bytes / params->parts;
	uint64_t part_indices = params->each ? indices->row_bytes / params->parts : 0;
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = find_row(data, output, row);
		const uint8_t *numbers = find_row(indices, output, row);
		uint8_t *to = output->data + row * output->row_bytes;

		for (uint32_t part = 0; part < params->parts; part++) {
			int ret = take_part(&progress, from + part * part_in,
					    numbers + part * part_indices, to + part * part_out,
					    count_indices(params, indices));

			if (ret)
				return ret;
		}
	}
	return 0;
}
