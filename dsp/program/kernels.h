/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The operators' kernels: what the definitions of all opcodes have in common, and the interface
 * between kernels and the interpreter. dsp/kernels/NAME.c begins with what opcode NAME computes,
 * exactly.
 *
 * Each has an implementation in portable C (dsp/kernels/), which defines the result. Beside it
 * there may be vector code for the DSP (dsp/hvx/) and what the library's host device runs instead
 * (libnnloop/device/host/), both equal to it bit for bit. All read constants in the layout that dsp/program/pack.h
 * makes.
 *
 * A definition names the operands in the order of nn_program_op.input[] and output[]. "8 bit" is
 * INT8 or UINT8, each tensor its own choice. q(x) is x - the tensor's zero point. Accumulators are
 * int32 and wrap around. A "packed" operand has level 0, place REGION and an offset that is a
 * multiple of 128. Dimension 0 (N, "rows") may be 0 in a pass.
 *
 * requant(acc, s), s a float32: rint(fl(fl(acc) * s)), where fl rounds to float32 and both
 * roundings are to nearest, ties to even; + the output's zero point; clamped to [out_min, out_max].
 * s must be positive and normal, else the result is unspecified.
 *
 * Windows (convolutions and pools): the window of output y begins at y * stride - pad_top of the
 * input. Every window must begin before the input's end ((OH - 1) * stride_h - pad_top < H, the
 * same for W); it may reach past it.
 *
 * The output of an operator "in place" may lie where its (first) input lies if the types have the
 * same size, and that of one "in place of either" where its first or its second lies; any other
 * overlap between an operator's output and its inputs gives unspecified values, but touches nothing
 * outside of the operands. Where the pixels of one lie between those of the other, they do not
 * overlap.
 */
#ifndef NN_KERNELS_H
#define NN_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/interpreter.h"
#include "dsp/program/nn_program.h"

/* Bytes of an element; 0 if there is no such type. */
static inline uint32_t nn_type_size(uint8_t type)
{
	switch (type) {
	case NN_TYPE_INT8:
	case NN_TYPE_UINT8:
	case NN_TYPE_BOOL:
		return 1;
	case NN_TYPE_INT16:
	case NN_TYPE_UINT16:
		return 2;
	case NN_TYPE_INT32:
	case NN_TYPE_UINT32:
	case NN_TYPE_FLOAT32:
		return 4;
	case NN_TYPE_INT64:
	case NN_TYPE_UINT64:
		return 8;
	}
	return 0;
}

/* Types that vector kernels move and convert, and do not compare. */
static inline bool nn_type_is_wide_unsigned(uint8_t type)
{
	return type == NN_TYPE_UINT32 || type == NN_TYPE_UINT64;
}

/*
 * An operand. For check() dims[0] is the most rows that a pass can have, for run() the rows of this
 * pass, and every other field is the same in both; the interpreter has made sure that `bytes`
 * follows from type and dims, that all its elements are inside of its region, aligned to the type's
 * size, and writable if it is an output. An absent operand has type 0.
 *
 * `bytes` and `row_bytes` are those of elements. Where these lie the pitches say: a dense operand
 * is data[0 .. bytes - 1], and so are all but those that dsp/program/operators.h lists by NN_PITCHED. What
 * lies between the pixels of others is not theirs: it may be read up to nn_tensor_end(), and
 * written as it was, for nobody else writes there while the operator runs.
 */
struct nn_tensor {
	uint8_t *data;		/* NULL for check() */
	uint8_t type;		/* enum nn_type */
	uint8_t rank;
	uint8_t level;
	bool packed;		/* level 0, place REGION, offset a multiple of 128 */
	int32_t zero_point;
	uint32_t dims[NN_MAX_RANK];	/* 1 beyond rank */
	uint64_t row_bytes;	/* of one index of dimension 0; at least 1 */
	uint64_t bytes;
	uint64_t row_pitch;	/* bytes from one index of dimension 0 to the next, below 2^32 */
	uint32_t pitch;		/* bytes from a pixel to the next; with rank 1 an element is one */
};

/* No byte lies between its pixels. */
static inline bool nn_tensor_is_dense(const struct nn_tensor *tensor)
{
	return tensor->row_pitch == tensor->row_bytes;
}

/* Bytes that are side by side. Not for rank 1. */
static inline uint32_t nn_pixel_bytes(const struct nn_tensor *tensor)
{
	return tensor->dims[tensor->rank - 1] * nn_type_size(tensor->type);
}

/* Returns the address behind a tensor's last element. */
static inline uint8_t *nn_tensor_end(const struct nn_tensor *tensor)
{
	uint64_t bytes = tensor->bytes;

	if (!nn_tensor_is_dense(tensor) && bytes)
		bytes = tensor->dims[0] * tensor->row_pitch -
			(tensor->pitch - nn_pixel_bytes(tensor));
	return tensor->data + bytes;
}

/* An operator with its operands resolved. */
struct nn_call {
	const struct nn_program_op *op;
	struct nn_tensor input[NN_MAX_OP_INPUTS];
	struct nn_tensor output[NN_MAX_OP_OUTPUTS];

	/* Members for run() only. */
	struct nn_run *run;
	const struct nn_call *next;	/* of a call that nn_call_fuses(); else NULL */
	uint32_t first;		/* first row of output 0's level */
	uint8_t *scratch;	/* NN_SCRATCH_SIZE bytes at least, aligned to 128 */
	uint32_t scratch_size;
};

struct nn_kernel {
	const char *name;	/* NULL: there is no such opcode */

	/*
	 * Everything run() relies on: operands, types, shapes, parameters. It knows the shapes,
	 * never the data.
	 */
	enum nn_program_reason (*check)(const struct nn_call *call);

	/*
	 * Compute. May rely on check() alone: whatever bytes the operands hold, it ends, and
	 * touches nothing outside of them. Calls nn_call_progress() at least once per tile of about
	 * a million packets and returns at once what is not 0. A page of memory that it comes to
	 * counts as many packets: dsp/kernels/progress.h does the counting.
	 */
	int (*run)(const struct nn_call *call);
};

/*
 * The kernels by opcode that the interpreter uses: those for the host
 * (libnnloop/device/host/kernels.c) or for the DSP (dsp/hvx/common/kernels.c).
 */
extern const struct nn_kernel *const nn_kernels;

extern const struct nn_kernel nn_kernels_portable[NN_OPCODE_END];

/* The argument that says where rows of a level go in a packed output. Not for level 0. */
extern const uint8_t nn_out_first_args[NN_LEVELS];

/*
 * Whether rows of level `inner` can be some of those of level `outer`, which is around it: one of a
 * loop outside of it or of none, or of a count, which a loop may go over.
 */
static inline bool nn_level_is_inside(uint32_t inner, uint32_t outer)
{
	return inner > outer || (inner && outer > NN_MAX_LEVELS && inner <= NN_MAX_LEVELS);
}

/*
 * Whether the kernel of `call` does the work of `next` as well, a piece at a time while what it has
 * made is near. Portable ones never do. `next` is the operator behind it in the program; it has
 * been checked, and is in place: of its first two inputs one lies where the output of `call` lies,
 * and so does its output. So nobody can tell, but that its other operands are read earlier. If
 * `call` has a next one already, and that maybe another, this one comes behind the last.
 *
 * For run() the next one is complete but for run, first and scratch. Parts of `call` (dsp/program/share.h)
 * come with the whole of it: where in that they are, their output's address says.
 */
bool nn_call_fuses(const struct nn_call *call, const struct nn_call *next);

/*
 * Whether the DSP computes a call with vectors, as far as its shapes, types and parameters decide;
 * else it does in portable C. A call for check() is enough. dsp/hvx/ asks the same function, so
 * what users are told is what runs.
 */
bool nn_call_has_vectors(const struct nn_call *call);

static inline int nn_call_progress(const struct nn_call *call)
{
	struct nn_run *run = call->run;

	return run->progress ? run->progress(run, NN_SAME_OP) : 0;
}

#endif
