// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of PIECE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* Rows are the dimension. */
static void make_rows(uint8_t type)
{
	uint32_t size = random_range(1, 70);

	begin_call(NN_OPCODE_PIECE);
	op.piece.piece = random_range(1, 5);
	op.piece.step = random_range(1, 6);
	random_input(0, type, DIMS(random_below(12), size));
	random_output(type, DIMS(random_below(op.piece.piece + 1), size));
}

static void make_random(void)
{
	uint8_t type = PICK(NN_TYPE_UINT8, NN_TYPE_INT16, NN_TYPE_INT32);
	uint32_t size = nn_type_size(type), rows = random_below(4), count, whole, piece;
	bool into = random_below(2);

	if (!random_below(4)) {
		make_rows(type);
	} else {
		begin_call(NN_OPCODE_PIECE);
		count = random_range(1, 40);
		whole = random_range(1, 100);
		piece = random_range(1, 60);
		op.piece = (struct nn_piece_params){ count, whole * size, piece * size,
						     random_range(1, 30) * size, into };
		random_input(0, type, DIMS(rows, count, into ? piece : whole));
		if (!into && !random_below(8))
			rows = random_below(4);
		random_output(type, DIMS(rows, count, into ? whole : piece));
		call.input[0].level = into;
	}
	call.output[0].level = 1;
	call.first = random_below(8) ? random_below(12) : random_bits();
}

/* Rows, stretches of a row, bytes of a stretch and of a piece, and whether pieces are put there. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_PIECE);
	op.piece = (struct nn_piece_params){ p[1], p[2], p[3], p[3], p[4] };
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1], p[4] ? p[3] : p[2]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1], p[4] ? p[2] : p[3]));
	call.input[0].level = p[4];
	call.output[0].level = 1;
}

static const struct large_call large[] = {
	{ "piece", make_large, { 4, 4096, 4096, 512, 0 } },
	{ "piece of padding", make_large, { 4, 4096, 16, 4096, 0 } },
	{ "piece into", make_large, { 4, 4096, 4096, 512, 1 } },
};

const struct kernel_test nn_piece_test = {
	.make_random = make_random,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
