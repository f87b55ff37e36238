/* SPDX-License-Identifier: MIT */
/*
 * The work of an operator of a program in a pass, whoever runs it: multiplications and bytes.
 */
#ifndef NN_WORK_H
#define NN_WORK_H

#include "dsp/program/nn_program.h"

struct nn_work {
	uint64_t macs;	/* of a layer or a matrix product, padding included; others have none */
	/* Operands, each of them once however often it is looked at; of a copy, what it copies. */
	uint64_t bytes_read, bytes_written;
	/* What an operator of float32 takes on the DSP's scalar unit, roughly; of others 0. */
	uint64_t float_packets;
};

/* `tensors` are the program's, which is valid; rows[L] the rows of level L in the pass, NULL: the
 * most that there can be. */
struct nn_work nn_op_work(const struct nn_program_op *op, const struct nn_program_tensor *tensors,
			  const uint32_t *rows);

#endif
