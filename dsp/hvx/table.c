// SPDX-License-Identifier: MIT
/*
 * TABLE on HVX.
 */
#include "../kernels/checks.h"
#include "elementwise.h"
#include "kernels.h"
#include "table_vectors.h"

/* At most 128 bytes, anywhere: in a vector of their own. */
static void look_up_part(uint8_t *to, const uint8_t *from, const uint8_t *table, uint32_t bytes)
{
	HVX_Vector part = load_bytes(from, bytes);

	nn_table_vectors((uint8_t *)&part, (const uint8_t *)&part, table, 1);
	store_bytes(to, part, bytes);
}

int nn_table_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const uint8_t *input = call->input[0].data, *table = call->input[1].data;
	uint64_t i = 0;

	while (i < output->bytes) {
		uint32_t bytes = min_u32(output->bytes - i, ELEMENTWISE_TILE);
		uint8_t *to = output->data + i;
		uint32_t unaligned = -(uintptr_t)to % VECTOR;
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		if (unaligned || bytes < VECTOR) {
			bytes = unaligned ? min_u32(bytes, unaligned) : bytes;
			look_up_part(to, input + i, table, bytes);
		} else {
			bytes -= bytes % VECTOR;
			nn_table_vectors(to, input + i, table, bytes / VECTOR);
		}
		i += bytes;
	}
	return 0;
}
