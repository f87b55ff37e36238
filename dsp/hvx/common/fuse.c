// SPDX-License-Identifier: MIT
/*
 * Fused operators (fuse.h), a piece of a convolution's results at a time.
 *
 * The place of a piece in the output tells where it is in an operand, because all operands but
 * tables have the output's elements in its order. An operand whose pixels have a pitch, and which
 * is not in place, is made dense in scratch memory, some pixels at a time.
 */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/fuse.h"
#include "dsp/hvx/common/strided.h"
#include "dsp/hvx/elementwise/table_vectors.h"
#include "dsp/hvx/common/vector.h"

#define STAGE_BYTES	(32u << 10)	/* of an operand, and a vector more */

/* Tells whether an operand is in place of the output, which matters if it is not dense. */
static bool is_in_place(const struct nn_tensor *input, const struct nn_tensor *output)
{
	return input->data == output->data && input->row_pitch == output->row_pitch &&
	       input->pitch == output->pitch;
}

/* Tells whether an operand's pixels have a pitch, and do not lie in place of the results. */
static bool is_elsewhere(const struct nn_call *next, uint32_t input)
{
	const struct nn_tensor *tensor = &next->input[input];

	return (nn_opcode_pitched_inputs(next->op->opcode) >> input & 1) &&
	       !nn_tensor_is_dense(tensor) && !is_in_place(tensor, &next->output[0]);
}

/*
 * Pixels that are elsewhere have the output's size, so that a piece is whole pixels in all
 * operands.
 */
static bool pixels_fit(const struct nn_tensor *output, const struct nn_call *next)
{
	for (uint32_t i = 0; i < 2; i++) {
		if (is_elsewhere(next, i) &&
		    (output->rank < 2 || nn_pixel_bytes(&next->input[i]) != nn_pixel_bytes(output)))
			return false;
	}
	return true;
}

bool nn_call_fuses(const struct nn_call *call, const struct nn_call *next)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t steps = 0;

	if ((call->op->opcode != NN_OPCODE_CONV2D &&
	     call->op->opcode != NN_OPCODE_FULLY_CONNECTED) ||
	    !is_8bit(&call->output[0]))
		return false;
	for (; call->next; call = call->next)
		steps++;
	return steps < FUSE_MOST &&
	       (next->op->opcode == NN_OPCODE_TABLE || next->op->opcode == NN_OPCODE_ADD ||
		next->op->opcode == NN_OPCODE_ADD_FLOAT) &&
	       pixels_fit(output, next);
}

/* A piece is some results, side by side. */
struct piece {
	uint8_t *at;
	uint32_t offset;	/* elements of the output before them */
	uint32_t bytes;
	bool is_strided;		/* the output's pixels are */
	uint8_t *stage;		/* for an operand's pixels; NULL: they are in one, or dense */
};

/* Fills in the members that a sum looks at: elements side by side. */
static void describe(struct nn_tensor *piece, const struct nn_tensor *tensor)
{
	piece->data = tensor->data;
	piece->type = tensor->type;
	piece->zero_point = tensor->zero_point;
	piece->row_pitch = piece->row_bytes = 0;
}

/* Prepares a sum, which has this scratch memory. */
static void settle_sum(struct fused_step *step, struct nn_run *run, uint8_t *scratch, uint32_t size)
{
	const struct nn_call *call = step->call;
	struct nn_call *piece = &step->piece;

	piece->op = call->op;
	piece->run = run;
	piece->scratch = scratch;
	piece->scratch_size = size;
	describe(&piece->input[0], &call->input[0]);
	describe(&piece->input[1], &call->input[1]);
	describe(&piece->output[0], &call->output[0]);
	if (call->op->opcode == NN_OPCODE_ADD)
		nn_add_settle(&step->add, piece);
	else
		nn_add_float_settle(&step->add_float, piece);
}

bool nn_fuse_settle(struct fusion *fusion, const struct nn_call *call)
{
	/* ADD_FLOAT needs this much; but most of the memory is the call's own. */
	uint32_t size = min_u32(ADD_FLOAT_SCRATCH, call->scratch_size / 4 / VECTOR * VECTOR);
	const struct nn_call *next;

	if (!call->next)
		return false;
	fusion->count = 0;
	fusion->scratch_size = 0;
	fusion->stage_size = 0;
	fusion->stage_work = 0;
	for (next = call->next; next; next = next->next) {
		struct fused_step *step = &fusion->step[fusion->count++];

		step->call = next;
		for (uint32_t i = 0; i < 2; i++) {
			step->is_elsewhere[i] = is_elsewhere(next, i);
			if (!step->is_elsewhere[i])
				continue;
			fusion->pixel = nn_pixel_bytes(&next->input[i]);
			fusion->stage_work += stride_work(next->input[i].pitch) + 16;
		}
		if (next->op->opcode == NN_OPCODE_TABLE)
			continue;
		settle_sum(step, call->run, call->scratch + call->scratch_size - size, size);
		if (next->op->opcode == NN_OPCODE_ADD_FLOAT)
			fusion->scratch_size = size;
	}
	if (fusion->stage_work) {
		fusion->stage_size = min_u32(STAGE_BYTES + VECTOR,
					     call->scratch_size / 4 / VECTOR * VECTOR);
		fusion->scratch_size += fusion->stage_size;
		fusion->stage = call->scratch + call->scratch_size - fusion->scratch_size;
	}
	return true;
}

/* The elements of an operand that is elsewhere, gathered if they are of several pixels. */
static __attribute__((noinline)) uint8_t *fetch_elements(const struct nn_tensor *tensor,
							  const struct piece *piece)
{
	uint32_t pixel = nn_pixel_bytes(tensor);
	uint8_t *from = tensor->data + piece->offset / pixel * tensor->pitch +
			piece->offset % pixel;

	if (!piece->stage)
		return from;
	nn_gather_pixels(piece->stage, from, tensor->pitch, pixel, piece->bytes / pixel);
	return piece->stage;
}

/* The address of the operand's elements that go with the results at `at`. */
static uint8_t *elements_of(const struct fused_step *step, uint32_t input,
			    const struct piece *piece)
{
	const struct nn_tensor *tensor = &step->call->input[input];

	if (step->is_elsewhere[input])
		return fetch_elements(tensor, piece);
	/* Dense operands in place are at `at`, too. */
	if (piece->is_strided && is_in_place(tensor, &step->call->output[0]))
		return piece->at;
	return tensor->data + piece->offset;
}

static int run_table(const struct fused_step *step, struct progress *progress,
		     const struct piece *piece)
{
	int ret = progress_add(progress, piece->bytes / 8);

	if (!ret)
		nn_table_bytes(piece->at, elements_of(step, 0, piece), step->call->input[1].data,
			       piece->bytes);
	return ret;
}

static int run_sum(struct fused_step *step, struct progress *progress, const struct piece *piece)
{
	struct progress own = { &step->piece, progress->work };
	int ret;

	step->piece.input[0].data = elements_of(step, 0, piece);
	step->piece.input[1].data = elements_of(step, 1, piece);
	step->piece.output[0].data = piece->at;
	step->piece.output[0].bytes = piece->bytes;
	if (step->call->op->opcode == NN_OPCODE_ADD)
		ret = nn_add_run(&own, &step->add);
	else
		ret = nn_add_float_run(&own, &step->add_float);
	progress->work = own.work;
	return ret;
}

/* Runs all fused operators on a piece. */
static inline __attribute__((always_inline)) int
run_piece(struct fusion *fusion, struct progress *progress, const struct piece *piece)
{
	int ret = 0;

	for (uint32_t i = 0; i < fusion->count && !ret; i++) {
		struct fused_step *step = &fusion->step[i];

		if (step->call->op->opcode == NN_OPCODE_TABLE)
			ret = run_table(step, progress, piece);
		else
			ret = run_sum(step, progress, piece);
	}
	return ret;
}

/*
 * The same with operands that are elsewhere: as many pixels at a time as there is room for, or one,
 * or what a piece has of one.
 */
static __attribute__((noinline)) int run_pixels(struct fusion *fusion, struct progress *progress,
						struct piece *piece)
{
	uint32_t pixel = fusion->pixel, left = piece->bytes;
	uint32_t most =
		min_u32((fusion->stage_size - VECTOR) / pixel, NN_TILE / 2 / fusion->stage_work);

	for (; left; left -= piece->bytes) {
		uint32_t into = piece->offset % pixel, pixels = min_u32(left / pixel, most);
		int ret;

		if (into || pixels < 2) {
			piece->stage = NULL;
			piece->bytes = min_u32(left, pixel - into);
			pixels = 1;
		} else {
			piece->stage = fusion->stage;
			piece->bytes = pixels * pixel;
		}
		ret = progress_add(progress, pixels * fusion->stage_work);
		if (!ret)
			ret = run_piece(fusion, progress, piece);
		if (ret)
			return ret;
		piece->at += piece->bytes;
		piece->offset += piece->bytes;
	}
	return 0;
}

int nn_fuse_run(struct fusion *fusion, struct progress *progress, uint8_t *at, const uint8_t *out,
		uint32_t bytes)
{
	/* All steps write over the same output. */
	const struct nn_tensor *output = &fusion->step[0].call->output[0];
	struct piece piece = { .at = at, .offset = out - output->data, .bytes = bytes };

	piece.is_strided = !nn_tensor_is_dense(output);
	if (piece.is_strided)
		piece.offset = piece.offset / output->pitch * nn_pixel_bytes(output) +
			       piece.offset % output->pitch;
	return fusion->stage_work ? run_pixels(fusion, progress, &piece)
				: run_piece(fusion, progress, &piece);
}
