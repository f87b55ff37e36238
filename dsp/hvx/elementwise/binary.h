/* SPDX-License-Identifier: MIT */
/*
 * BINARY's vector kernel, in parts: binary.c chooses what computes a call and lays its inputs out,
 * products.c has the products, binary_functions.c the other functions but sums, which are ADD's and
 * ADD_FLOAT's.
 */
#ifndef NN_HVX_BINARY_H
#define NN_HVX_BINARY_H

#include "dsp/kernels/binary.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/elementwise/add.h"
#include "dsp/hvx/elementwise/multiply_vectors.h"

#define ELEMENT_WORK	256	/* for one that is computed as it is defined */

/* Offsets in scratch memory. What a rounding fixup reads comes first. */
enum {
	TIES = 0,
	OPERAND_A = VECTOR,
	OPERAND_B = 2 * VECTOR,
	RESULTS = 3 * VECTOR,
	VECTORS = 4 * VECTOR,		/* struct multiply_vectors */
	TABLES = VECTORS + 3 * VECTOR,	/* of functions, */
	TABLES_END = TABLES + 8 * VECTOR,
};

_Static_assert(sizeof(struct multiply_vectors) <= TABLES - VECTORS, "it lies before tables");

struct product {
	struct requant requant[4];	/* the same */
	struct finish finish;
	HVX_Vector flip_a, flip_b, zero_a, zero_b;
	bool is_once;
	bool is_quick;		/* what may be a tie is computed by multiply_ties() */
	uint32_t exact_shift;	/* if not 0: products are divided by 2^this, and nothing rounds */
	struct multiply_vectors *vectors;	/* NULL: the assembly cannot do it */
};

struct binary;

/* Computes `bytes` results, of as many elements of each input. Returns what a report did. */
typedef int (*compute_binary_bytes)(struct binary *binary, const uint8_t *a, const uint8_t *b,
				    uint8_t *to, uint32_t bytes);

struct binary {
	const struct nn_call *call;
	struct progress *progress;
	compute_binary_bytes compute;
	struct product product;
	float inverse;			/* of the output's scale */
	struct float_sum sum;		/* its zero point of the output alone */
	uint32_t scratch;		/* for computing: from its beginning on */
	uint8_t *stage[2];		/* of at most `most` bytes each, and a vector more */
	uint32_t most;

	/* A sum is a call of ADD or ADD_FLOAT, of one part after another. */
	struct nn_call part;
	struct nn_program_op op;
	union {
		struct add add;
		struct add_float add_float;
	};
};

/* Prepare a product; and any function but sums and products. */
void nn_products_prepare(struct binary *binary);
void nn_products_prepare_elements(struct binary *binary);	/* without what multiplies */
void nn_binary_functions_prepare(struct binary *binary);

int nn_products_run(struct binary *binary, const uint8_t *a, const uint8_t *b, uint8_t *to,
		    uint32_t bytes);

/*
 * Computes as they are defined those of the first `bytes` results that may be ties: TIES says which
 * of OPERAND_A and OPERAND_B.
 */
int nn_binary_ties(const struct binary *binary, uint32_t bytes);

#endif
