// SPDX-License-Identifier: MIT
/*
 * Runs operators of one element after another on tensors that have a pitch: nn_elementwise_run(),
 * which the vector kernels of ADD, ADD_FLOAT and TABLE call.
 *
 *	input with a pitch   |pixel....|pixel....|pixel....|
 *	scratch memory       |pixelpixelpixel|  ->  the kernel  ->  |pixelpixelpixel|
 *	output, too          |pixel....|pixel....|pixel....|
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/elements.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/strided.h"

#define STAGE_BYTES	(16u << 10)	/* for an operand, and a vector more */

/* The pixels of a call that are done at a time, and their copies. */
struct stage {
	const struct nn_call *call;
	struct nn_call piece;
	uint32_t inputs;	/* that are elements, a bit for each */
	uint32_t pixel;		/* bytes of one */
	uint32_t bytes;		/* of scratch memory for an operand */
	uint64_t done;		/* pixels before these */
	uint32_t count;		/* of these */
};

/* Returns how many pixels are done at a time; 0 if there is no room for one. */
static uint32_t settle(struct stage *stage, const struct nn_call *call)
{
	uint32_t work = stride_work(call->output[0].pitch);

	stage->call = call;
	stage->inputs = nn_opcode_pitched_inputs(call->op->opcode);
	stage->pixel = nn_pixel_bytes(&call->output[0]);
	stage->bytes = min_u32(STAGE_BYTES + VECTOR, call->scratch_size / 8 / VECTOR * VECTOR);
	stage->done = 0;
	for (uint32_t i = 0; stage->inputs >> i; i++) {
		if (stage->inputs >> i & 1)
			work += stride_work(call->input[i].pitch);
	}
	if (stage->bytes < stage->pixel + VECTOR)
		return 0;
	return min_u32((stage->bytes - VECTOR) / stage->pixel, NN_TILE / 2 / (work + 16));
}

/*
 * Makes a dense call of the next `count` pixels. Its scratch memory ends where that of operands
 * begins: the output's first.
 */
static void gather(struct stage *stage, uint32_t count)
{
	const struct nn_call *call = stage->call;
	struct nn_call *piece = &stage->piece;
	uint8_t *at = call->scratch + call->scratch_size;

	if (!stage->done || count != stage->count)
		nn_elements_take(piece, call, count);
	stage->count = count;
	at -= (uintptr_t)at % VECTOR + stage->bytes;
	piece->output[0].data = at;
	if (nn_tensor_is_dense(&call->output[0]))
		piece->output[0].data = call->output[0].data + stage->done * stage->pixel;
	for (uint32_t i = 0; stage->inputs >> i; i++) {
		const struct nn_tensor *input = &call->input[i];

		if (!(stage->inputs >> i & 1))
			continue;
		if (nn_tensor_is_dense(input)) {
			piece->input[i].data = input->data + stage->done * stage->pixel;
			continue;
		}
		at -= stage->bytes;
		nn_gather_pixels(at, input->data + stage->done * input->pitch, input->pitch,
				 stage->pixel, count);
		piece->input[i].data = at;
	}
	piece->scratch_size = at - call->scratch;
}

static void scatter(struct stage *stage)
{
	const struct nn_tensor *output = &stage->call->output[0];

	if (!nn_tensor_is_dense(output))
		nn_scatter_pixels(output->data + stage->done * output->pitch, output->pitch,
				  stage->piece.output[0].data, stage->pixel, stage->pixel,
				  stage->count);
	stage->done += stage->count;
}

int nn_elementwise_run(const struct nn_call *call, int (*run)(const struct nn_call *call))
{
	uint32_t most;
	struct stage stage;
	uint64_t left;

	if (nn_elements_are_dense(call))
		return run(call);
	most = settle(&stage, call);
	if (!most)
		return nn_elements_run(call, run);
	for (left = call->output[0].bytes / stage.pixel; left; left -= stage.count) {
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		gather(&stage, left < most ? left : most);
		ret = run(&stage.piece);
		if (ret)
			return ret;
		scatter(&stage);
	}
	return 0;
}
