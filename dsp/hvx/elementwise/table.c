// SPDX-License-Identifier: MIT
/*
 * TABLE: functions of one byte, by a table of 256 bytes; byte i of the output is of byte i of the
 * input. nn_table_hvx() is its vector kernel, in the table of kernels.c; common/fuse.c calls
 * nn_table_bytes() for a function that is fused to a convolution.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/elementwise/elementwise.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/elementwise/table_vectors.h"

/* Looks up at most 128 bytes, at any address, in a vector of their own. */
static void look_up_part(uint8_t *to, const uint8_t *from, const uint8_t *table, uint32_t bytes)
{
	HVX_Vector part = load_bytes(from, bytes);

	nn_table_vectors((uint8_t *)&part, (const uint8_t *)&part, table, 1);
	store_bytes(to, part, bytes);
}

void nn_table_bytes(uint8_t *to, const uint8_t *from, const uint8_t *table, uint32_t bytes)
{
	uint32_t first = min_u32(-(uintptr_t)to % VECTOR, bytes), vectors, last;

	if (first) {
		look_up_part(to, from, table, first);
		to += first;
		from += first;
	}
	vectors = (bytes - first) / VECTOR;
	last = (bytes - first) % VECTOR;
	if (vectors)
		nn_table_vectors(to, from, table, vectors);
	if (last)
		look_up_part(to + vectors * VECTOR, from + vectors * VECTOR, table, last);
}

static int run_table(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const uint8_t *input = call->input[0].data, *table = call->input[1].data;

	for (uint64_t i = 0; i < output->bytes; i += ELEMENTWISE_TILE) {
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		nn_table_bytes(output->data + i, input + i, table,
			       min_u32(output->bytes - i, ELEMENTWISE_TILE));
	}
	return 0;
}

int nn_table_hvx(const struct nn_call *call)
{
	return nn_elementwise_run(call, run_table);
}
