// SPDX-License-Identifier: MIT
/*
 * Two inputs of 16 bits that are broadcast (pairs.h). An input of which each element is used once
 * is read where it is; blocks that are used again are laid out in scratch memory as often as they
 * are used, or, where runs are long, as often as there is room for, and that is read again.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/int16/pairs.h"

#define PART		4096u	/* most elements at a time */
#define LEAST_ROOM	512u	/* elements, of each input */
#define LONG_RUN	1024u	/* elements, from which on one block is laid out once */
#define PART_WORK	400u
#define BLOCK_WORK	48u
#define NO_BLOCK	UINT64_MAX

struct operand {
	const int16_t *data;
	struct int16_pattern pattern;
	int16_t *room;
	uint32_t room_elements;
	uint64_t block;		/* that is laid out; NO_BLOCK: none is */
	uint32_t laid_out;	/* elements */
};

static void fill(int16_t *to, const int16_t *from, uint32_t block, uint32_t count)
{
	uint32_t done = min_u32(block, count);

	__builtin_memcpy(to, from, 2 * done);
	while (done < count) {
		uint32_t more = min_u32(done, count - done);

		__builtin_memcpy(to + done, to, 2 * more);
		done += more;
	}
}

/*
 * Repeats one element; up to a vector more is written, which is overwritten by what comes next, or
 * behind the operand's room.
 */
static void repeat(int16_t *to, int16_t element, uint32_t count)
{
	HVX_Vector v = splat_h(element);

	for (uint32_t i = 0; i < count; i += VECTOR / 2)
		store(to + i, v);
}

/* Lays out blocks of short runs, from element `at` of the output on. */
static int lay_out_runs(struct progress *progress, struct operand *operand, uint64_t at,
			uint32_t count)
{
	const struct int16_pattern *pattern = &operand->pattern;
	uint32_t block = pattern->block, run = pattern->run, within = at % run;
	uint64_t number = at / run % pattern->blocks;
	int16_t *to = operand->room;

	operand->block = NO_BLOCK;
	while (count) {
		uint32_t offset = within % block;
		uint32_t most = min_u32(run - within, count), first = min_u32(most, block - offset);
		const int16_t *from = operand->data + number * block;
		int ret = progress_add(progress, BLOCK_WORK + stride_work(2 * block));

		if (ret)
			return ret;
		if (block == 1)
			repeat(to, *from, most);
		else
			__builtin_memcpy(to, from + offset, 2 * first);
		if (block > 1 && most > first)
			fill(to + first, from, block, most - first);
		to += most;
		count -= most;
		within = 0;
		number = number + 1 < pattern->blocks ? number + 1 : 0;
	}
	return 0;
}

/*
 * Finds the elements of an input from element `at` of the output on: at least one, and at most
 * *count, which becomes their number.
 */
static int find(struct progress *progress, struct operand *operand, uint64_t at, uint32_t *count,
		const int16_t **elements)
{
	const struct int16_pattern *pattern = &operand->pattern;
	uint64_t all = pattern->block * pattern->blocks, within, number, offset, rest;

	if (pattern->run == pattern->block) {
		offset = at % all;
		rest = all - offset;
		*elements = operand->data + offset;
	} else if (pattern->run < LONG_RUN) {
		*count = min_u32(*count, operand->room_elements);
		*elements = operand->room;
		return lay_out_runs(progress, operand, at, *count);
	} else {
		number = at / pattern->run % pattern->blocks;
		within = at % pattern->run;
		offset = within % pattern->block;
		rest = pattern->run - within;
		*elements = operand->data + number * pattern->block + offset;
		if (2 * pattern->block > operand->room_elements) {
			rest = rest < pattern->block - offset ? rest : pattern->block - offset;
		} else {
			if (operand->block != number) {
				uint32_t block = pattern->block;

				operand->laid_out = operand->room_elements / block * block;
				operand->block = number;
				fill(operand->room, *elements - offset, block, operand->laid_out);
			}
			*elements = operand->room + offset;
			if (rest > operand->laid_out - offset)
				rest = operand->laid_out - offset;
		}
	}
	if (*count > rest)
		*count = rest;
	return 0;
}

int nn_int16_run_pairs(const struct int16_pairs *pairs, bool *has_room)
{
	const struct nn_call *call = pairs->call;
	uint64_t total = call->output[0].bytes / 2;
	/* Elements, of which the last vector is for what is written too much. */
	uint32_t room = min_u32(call->scratch_size / 4, PART + VECTOR / 2) / 64 * 64;
	struct progress progress = { .call = call };
	struct operand operands[2];
	int16_t *out = (int16_t *)call->output[0].data;

	*has_room = room >= LEAST_ROOM;
	if (!*has_room)
		return 0;
	for (uint32_t i = 0; i < 2; i++)
		operands[i] = (struct operand){
			.data = (const int16_t *)call->input[i].data,
			.pattern = pairs->pattern[i],
			.room = (int16_t *)call->scratch + i * room,
			.room_elements = room - VECTOR / 2,
			.block = NO_BLOCK,
		};
	for (uint64_t at = 0; at < total;) {
		uint32_t count = total - at < PART ? total - at : PART;
		const int16_t *a, *b;
		int ret = progress_add(&progress, PART_WORK + memory_work(6 * count) +
						  (count / 64 + 1) * pairs->work);

		if (!ret)
			ret = find(&progress, &operands[0], at, &count, &a);
		if (!ret)
			ret = find(&progress, &operands[1], at, &count, &b);
		if (ret)
			return ret;
		pairs->compute(pairs, a, b, out + at, count);
		at += count;
	}
	return 0;
}
