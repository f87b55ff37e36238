// SPDX-License-Identifier: MIT
/*
 * The kernels of an emulated device that has several workers for a pass (emulated.c): of each
 * operator, the parts that each worker would make, one after the other. Their outputs are the
 * pass's, and the packets of the longest, summed up over operators, are what the pass takes from
 * its beginning to its end: barriers are between operators (dsp/program/interpreter.h). Takes the place of
 * dsp/hvx/common/kernels.c.
 */
#include "emulated.h"

#include "dsp/firmware/counters.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/kernels/checks.h"
#include "dsp/program/share.h"

static int run_shares(const struct nn_call *call, int (*kernel)(const struct nn_call *))
{
	struct emulated_control *control = (void *)NNLOOP_SYSTEM_BASE;
	uint32_t parts = nn_call_parts(call), longest = 0;

	for (uint32_t i = 0; i < control->workers; i++) {
		uint32_t begin = nn_share_begin(parts, i, control->workers);
		uint32_t end = nn_share_begin(parts, i + 1, control->workers);
		struct nn_call part = *call;
		struct nn_program_op op;
		uint32_t packets;
		int ret;

		if (begin == end)
			continue;
		if (parts > 1)
			nn_call_take_parts(&part, &op, begin, end);
		packets = counter_packets();
		ret = kernel(&part);
		packets = counter_packets() - packets;
		if (ret)
			return ret;
		if (packets > longest)
			longest = packets;
	}
	control->chain += longest;
	return 0;
}

/* One function each, so that it knows whose parts it runs. */
#define NN_OPCODE(ID, name, number, where) \
	static int run_##name(const struct nn_call *call) \
	{ \
		return run_shares(call, nn_##name##_##where); \
	}
#include "dsp/program/operators.h"

static const struct nn_kernel kernels[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) [NN_OPCODE_##ID] = { #name, nn_##name##_check, run_##name },
#include "dsp/program/operators.h"
};

const struct nn_kernel *const nn_kernels = kernels;
