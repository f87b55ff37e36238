// SPDX-License-Identifier: MIT
/*
 * Which calls the DSP computes with vectors. The rules of single opcodes are beside their portable
 * kernels.
 */
#include "dsp/kernels/checks.h"

enum where { NN_WHERE_portable, NN_WHERE_hvx };

static const enum where where_is[NN_OPCODE_END] = {
#define NN_OPCODE(ID, name, number, where) [NN_OPCODE_##ID] = NN_WHERE_##where,
#include "dsp/program/operators.h"
};

static bool (*const rules[NN_OPCODE_END])(const struct nn_call *call) = {
#define NN_SOME_VECTORS(ID, name) [NN_OPCODE_##ID] = nn_##name##_has_vectors,
#include "dsp/program/operators.h"
};

bool nn_call_has_vectors(const struct nn_call *call)
{
	uint32_t opcode = call->op->opcode;

	if (rules[opcode])
		return rules[opcode](call);
	return where_is[opcode] == NN_WHERE_hvx;
}
