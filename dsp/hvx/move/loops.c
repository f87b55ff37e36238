// SPDX-License-Identifier: MIT
/*
 * Runs nested loops of moves (loops.h): small blocks by units (units.h), as blocks that have a step
 * (copy.h) others, and large ones one after another.
 */
#include "dsp/hvx/move/copy.h"
#include "dsp/hvx/move/loops.h"
#include "dsp/hvx/move/units.h"

#define LOOP_WORK	200u	/* for the call of something that moves a part */
#define BLOCKS_WORK	90u	/* of it, packets that it takes to begin */

void nn_loops_add(struct loops *loops, uint32_t count, int64_t from, int64_t to)
{
	struct loop *last = &loops->loop[loops->rank - 1];

	if (count == 1)
		return;
	if (loops->rank && last->from == from * count && last->to == to * count) {
		*last = (struct loop){ last->count * count, from, to };
		return;
	}
	loops->loop[loops->rank++] = (struct loop){ count, from, to };
}

void nn_loops_end(struct loops *loops, uint32_t block)
{
	loops->block = block;
	if (loops->rank) {
		const struct loop *last = &loops->loop[loops->rank - 1];

		if (last->from == block && last->to == block) {
			loops->block *= last->count;
			loops->rank--;
		}
	}
}

/* ---- Blocks ---- */

/*
 * The loop whose blocks are moved together: the longest one that goes on in the input, too; `rank`
 * if there is none.
 */
static uint32_t find_longest(const struct loops *loops)
{
	uint32_t longest = loops->rank;

	for (uint32_t i = 0; i < loops->rank; i++) {
		const struct loop *loop = &loops->loop[i];

		if (loop->from >= 0 && loop->from <= UINT32_MAX &&
		    (longest == loops->rank || loop->count > loops->loop[longest].count))
			longest = i;
	}
	return longest;
}

/* Moves the blocks of one loop, which `piece` describes, or a large block. */
static int move_blocks(struct progress *progress, const struct nn_call *piece, uint8_t *to,
		       const uint8_t *from)
{
	int ret = progress_add(progress, LOOP_WORK + 2 * NN_PAGE_WORK);

	if (ret)
		return ret;
	if (piece->op->copy.block > COPY_MOST_BLOCK)
		return progress_copy(progress, to, from, piece->op->copy.block);
	return nn_copy_strided(progress, piece, to, from);
}

static int run_blocks(struct progress *progress, const struct loops *loops, uint8_t *to,
		      const uint8_t *from)
{
	uint32_t index[MOST_LOOPS] = { 0 }, longest = find_longest(loops), i;
	struct nn_program_op op = {
		.opcode = NN_OPCODE_COPY,
		.copy = { .count = 1, .block = loops->block, .dst_stride = loops->block },
	};
	struct nn_call piece = *progress->call;

	piece.op = &op;
	if (loops->block > COPY_MOST_BLOCK)
		longest = loops->rank;
	if (longest < loops->rank) {
		op.copy.count = loops->loop[longest].count;
		op.copy.src_stride = loops->loop[longest].from;
		op.copy.dst_stride = loops->loop[longest].to;
	}
	do {
		int ret = move_blocks(progress, &piece, to, from);

		if (ret)
			return ret;
		for (i = loops->rank; i-- > 0;) {
			if (i == longest)
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

/* About how many packets it takes by blocks: two for a vector, or three where others are kept. */
static uint64_t count_for_blocks(const struct loops *loops)
{
	uint32_t longest = find_longest(loops), block = loops->block, halves = 5;
	uint64_t runs = 1;

	if (longest == loops->rank)
		halves = 0;
	else if (loops->loop[longest].to == block && loops->loop[longest].from >= block)
		halves = block > VECTOR / 2 ? 4 : 3;
	for (uint32_t i = 0; i < loops->rank; i++)
		runs *= i == longest ? 1 : loops->loop[i].count;
	return runs * BLOCKS_WORK +
	       (longest < loops->rank ? runs * loops->loop[longest].count * halves / 2 : 0);
}

int nn_loops_run(struct progress *progress, const struct loops *loops, uint8_t *to,
		 const uint8_t *from)
{
	struct units units;

	if (loops->rank && loops->block <= VECTOR &&
	    nn_units_count(loops, &units) <= count_for_blocks(loops) &&
	    nn_units_settle(progress->call, loops, &units))
		return nn_units_run(progress, loops, &units, to, from);
	return run_blocks(progress, loops, to, from);
}
