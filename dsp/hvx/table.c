// SPDX-License-Identifier: MIT
/*
 * TABLE on HVX.
 */
#include "../kernels/checks.h"
#include "elementwise.h"
#include "kernels.h"

int nn_table_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const HVX_Vector *table = (const HVX_Vector *)call->input[1].data;
	/* vlut32 wants entries i and i + 64 side by side. */
	HVX_Vector low = Q6_Vb_vshuff_Vb(table[0]), high = Q6_Vb_vshuff_Vb(table[1]);

	for (uint64_t i = 0; i < output->bytes; i += VECTOR) {
		uint32_t bytes = min_u32(output->bytes - i, VECTOR);
		HVX_Vector index = load_part(input->data + i, bytes), result;

		if (i % ELEMENTWISE_TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		result = Q6_Vb_vlut32_VbVbI(index, low, 0);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, low, 1);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, low, 2);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, low, 3);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 4);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 5);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 6);
		result = Q6_Vb_vlut32or_VbVbVbI(result, index, high, 7);
		store_part(output->data + i, result, bytes);
	}
	return 0;
}
