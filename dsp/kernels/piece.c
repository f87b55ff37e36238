// SPDX-License-Identifier: MIT
/*
 * PIECE: struct nn_piece_params; input and output have one type. A piece of a dimension, that of an
 * iteration of the loop whose level L the output has. With a `count` the pass has N rows, which are
 * as many in each iteration, and it is iteration k = first[L] / N.
 *
 * `into` 0: a row of the input, of a level around L, is `count` stretches of `whole` bytes; of each
 * a row of the output has `piece` bytes, from byte k * step on. `into` 1: a row of the output, of
 * which the input has the level, is `count` such stretches; `piece` bytes of the input go to each,
 * from byte k * step on, as far as they are there, and its other bytes keep their value.
 *
 * With count 0 (and `into` 0) the rows are the dimension, and sizes count rows: k = first[L] / piece,
 * and row r of the output is row k * step + r of the input.
 *
 * What is behind the input's end, or in rows that it has not, is the output's zero point. Input and output must not overlap.
 */
#include <stddef.h>

#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/progress.h"

#define PADDED_WORK	32	/* for an element */

/* Whether rows of `whole` and `part` are as many pieces. */
static bool rows_fit(const struct nn_piece_params *piece, const struct nn_tensor *whole,
		     const struct nn_tensor *part)
{
	return (uint64_t)piece->count * piece->whole == whole->row_bytes &&
	       (uint64_t)piece->count * piece->piece == part->row_bytes &&
	       piece->piece <= UINT32_MAX / 2 && piece->whole <= UINT32_MAX / 2;
}

enum nn_program_reason nn_piece_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_piece_params *piece = &call->op->piece;
	uint32_t size = nn_type_size(output->type);

	if (!operands_are(call, 1, 1) || input->type != output->type)
		return NN_REASON_OPERAND;
	if (!piece->piece || !piece->step || piece->into > 1)
		return NN_REASON_PARAMETER;
	if (piece->into ? !output->level || input->level != output->level :
			  !nn_level_is_inside(output->level, input->level))
		return NN_REASON_SHAPE;
	if (!piece->count)
		return piece->into || piece->whole			? NN_REASON_PARAMETER :
		       input->row_bytes != output->row_bytes	? NN_REASON_SHAPE :
								  NN_REASON_NONE;
	if (piece->piece % size || piece->whole % size || piece->step % size)
		return NN_REASON_PARAMETER;
	return rows_fit(piece, piece->into ? output : input, piece->into ? input : output) ?
		       NN_REASON_NONE :
		       NN_REASON_SHAPE;
}

/* Writes padding: elements of the output's zero point. */
static int pad(struct progress *progress, uint8_t *to, uint64_t bytes)
{
	const struct nn_tensor *output = &progress->call->output[0];
	uint32_t size = nn_type_size(output->type);

	if (size == 1 || !output->zero_point)
		return progress_fill(progress, to, (uint8_t)output->zero_point, bytes);
	for (uint64_t at = 0; at < bytes; at += size) {
		int ret = progress_add(progress, PADDED_WORK);

		if (ret)
			return ret;
		store_integer(to + at, output->type, output->zero_point);
	}
	return 0;
}

/* The rows are the dimension. */
static int take_rows(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_piece_params *piece = &call->op->piece;
	uint64_t begin = (uint64_t)(call->first / piece->piece) * piece->step;
	uint64_t rows = begin < input->dims[0] ? input->dims[0] - begin : 0;
	struct progress progress = { .call = call };
	uint64_t bytes;
	int ret;

	if (rows > output->dims[0])
		rows = output->dims[0];
	bytes = rows * output->row_bytes;
	ret = progress_copy(&progress, output->data, input->data + (rows ? begin : 0) * input->row_bytes,
			    bytes);
	return ret ? ret : pad(&progress, output->data + bytes, output->bytes - bytes);
}

/* The first rows of a tensor. */
static void take_first(struct nn_tensor *tensor, uint32_t rows)
{
	tensor->dims[0] = rows;
	tensor->bytes = rows * tensor->row_bytes;
}

/* Pads what is behind the end, in each stretch: all but `there` bytes of a piece. */
static int pad_pieces(const struct nn_call *call, uint32_t rows, uint32_t there)
{
	const struct nn_piece_params *piece = &call->op->piece;
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	uint64_t pieces = (uint64_t)rows * piece->count;
	int ret = 0;

	for (uint64_t i = 0; i < pieces && there < piece->piece && !ret; i++) {
		ret = progress_add(&progress, stride_work(piece->piece));
		if (!ret)
			ret = pad(&progress, output->data + i * piece->piece + there,
				  piece->piece - there);
	}
	return ret;
}

/* Pads rows of the output that the input has not. */
static int pad_rows(const struct nn_call *call, uint32_t rows)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	uint64_t bytes = rows * output->row_bytes;

	return pad(&progress, output->data + bytes, output->bytes - bytes);
}

int nn_piece_by_copy(const struct nn_call *call, int (*copy)(const struct nn_call *call))
{
	const struct nn_piece_params *piece = &call->op->piece;
	uint32_t rows = min_u32(call->input[0].dims[0], call->output[0].dims[0]), there;
	struct nn_program_op op = { .opcode = NN_OPCODE_COPY };
	struct nn_call part = *call;
	uint64_t begin;
	int ret = 0;

	if (!piece->count)
		return take_rows(call);
	begin = (uint64_t)(call->first / call->output[0].dims[0]) * piece->step;
	there = begin < piece->whole ? min_u32(piece->whole - (uint32_t)begin, piece->piece) : 0;
	op.copy = (struct nn_copy_params){
		.count = piece->count,
		.block = there,
		.src_stride = piece->into ? piece->piece : piece->whole,
		.dst_stride = piece->into ? piece->whole : piece->piece,
	};
	*(piece->into ? &op.copy.dst_offset : &op.copy.src_offset) = (uint32_t)begin;
	part.op = &op;
	part.next = NULL;
	take_first(&part.input[0], rows);
	take_first(&part.output[0], rows);
	if (there && rows)
		ret = copy(&part);
	if (ret || piece->into)
		return ret;
	ret = pad_pieces(call, rows, there);
	return ret ? ret : pad_rows(call, rows);
}

int nn_piece_portable(const struct nn_call *call)
{
	return nn_piece_by_copy(call, nn_copy_blocks);
}
