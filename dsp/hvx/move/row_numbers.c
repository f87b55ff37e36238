// SPDX-License-Identifier: MIT
/*
 * ROW_NUMBERS says which rows ROTATE_ROWS takes. nn_row_numbers_hvx() is its vector kernel, in the
 * table of kernels.c.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/move/repeat.h"

/* Writes numbers from `first` on. */
static int count_up(struct progress *progress, uint8_t *to, uint32_t first, uint32_t count)
{
	static const uint32_t lanes[32] __attribute__((aligned(VECTOR))) = {
		0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	};
	HVX_Vector number = Q6_Vw_vadd_VwVw(*(const HVX_Vector *)lanes, splat_w(first));

	while (count) {
		uint32_t some = min_u32(count, 1u << 16);
		int ret = progress_add(progress, 64 + some / 8 + memory_work(4 * some));

		if (ret)
			return ret;
		count -= some;
		for (; some >= 32; some -= 32, to += VECTOR) {
			store(to, number);
			number = Q6_Vw_vadd_VwVw(number, splat_w(32));
		}
		if (some)
			store_bytes(to, number, 4 * some);
		to += 4 * some;
	}
	return 0;
}

int nn_row_numbers_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t rows = input->dims[0], all = output->dims[0], source, first;
	uint32_t base = input->level ? call->run->arg[nn_out_first_args[input->level]] : 0;
	struct progress progress = { .call = call };
	int ret;

	if (!rows)
		return progress_fill(&progress, output->data, 0, output->bytes);
	source = call->first % rows;
	first = min_u32(rows - source, all);
	ret = count_up(&progress, output->data, base + source, first);
	if (!ret)
		ret = count_up(&progress, output->data + 4ull * first, base,
			       min_u32(source, all - first));
	return ret || rows >= all ? ret :
				    repeat_bytes(&progress, output->data, 4ull * rows,
						 output->bytes);
}
