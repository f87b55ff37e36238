/* SPDX-License-Identifier: MIT */
/*
 * ONNX's Loop, Scan and If as scopes of the graph.
 *
 *	control.c	their begins and ends, and what is the same for all; If
 *	iterate.c	Loop and Scan
 *	carry.c		what goes into a body and comes out of it
 */
#ifndef NN_ONNX_CONTROL_H
#define NN_ONNX_CONTROL_H

#include "import/onnx/onnx.h"

struct onnx_carried;

/* An outer value that a branch reads, which is another output while its nodes are appended. */
struct onnx_handed {
	struct onnx_value *value;
	struct nn_input source;
};

/* A scope that is open: the body of a Loop or Scan, or a branch. */
struct onnx_control {
	struct onnx_control *around; /* NULL: none */
	const Onnx__NodeProto *node;
	const Onnx__GraphProto *body; /* that is being imported */
	struct nn_body scope;
	uint32_t depth; /* from 1 */

	/* Loop and Scan */
	struct onnx_carried *carried; /* values that go from one iteration to the next */
	uint32_t carried_count;
	uint32_t first_result; /* of the body's outputs: the first carried one */
	struct nn_build_tensor iteration; /* its number: a variable of int64 */
	bool counts; /* there is that */
	bool asks; /* its body decides whether it goes on */
	const struct onnx_value *trips; /* how often at most, a tensor; NULL: that is known */
	uint32_t rows; /* its iterations; NN_ROWS: only the run knows them */

	/* If */
	struct nn_build_tensor condition;
	struct onnx_handed *handed;
	uint32_t handed_count;
	struct onnx_value *results[2]; /* of each branch */
	struct nn_body scopes[2];
	bool failed; /* its first branch has */
};

/* ---- control.c ---- */

/* Forgets what the body makes, which is nobody's but its own. */
void onnx_forget_body(struct onnx_import *import, const Onnx__GraphProto *body);

/* ---- iterate.c ---- */

int onnx_begin_iterations(struct onnx_import *import, struct onnx_control *control);
int onnx_end_iterations(struct onnx_import *import, struct onnx_control *control);

/* ---- carry.c ---- */

/* Whether the model has floats there. */
bool onnx_is_real(const struct onnx_value *value);
/* The quantization of a value that a DequantizeLinear makes, maybe before it is moved or comes out
 * of a body; false: that is not known. */
bool onnx_find_exact(struct onnx_import *import, const char *name, struct nn_quant *quant);
/* How a value of floats that goes into a body or comes out is stored: as it is rounded next or, in a
 * model that computes in float, in float32 if not all that comes of it is rounded so. */
int onnx_find_stored_quant(struct onnx_import *import, const struct onnx_value *value,
			   struct nn_quant *quant);
/* That of a carried one: likewise, or as it begins. */
int onnx_find_carried_quant(struct onnx_import *import, const struct onnx_value *next,
			    const struct onnx_value *initial, struct nn_quant *quant);
/*
 * A value as a tensor, ONNX_STORED or ONNX_REAL, that is quantized as `wanted` says, or NULL: as it
 * is, or will be. out->promised: it is rounded where the model has floats.
 */
int onnx_store(struct onnx_import *import, const struct onnx_value *value,
	       const struct nn_quant *wanted, struct onnx_value *out);
bool onnx_has_shape_of(const struct nn_build_tensor *a, const struct nn_build_tensor *b);
/* Gives output i of the current node, in the scope around, a value that is `tensor` there. */
int onnx_give(struct onnx_import *import, uint32_t i, const struct onnx_value *value,
	      const struct nn_build_tensor *tensor);
/* Checks that a value is one element of the type, a constant or a tensor, which then has one dimension
 * at most. */
int onnx_need_one(struct onnx_import *import, const struct onnx_value **value,
		  enum nn_data_type type, const char *what);
/* A function of Integers, or Compare's less, of two numbers. */
int onnx_combine(struct onnx_import *import, const char *function, const struct nn_operand *a,
		 const struct nn_operand *b, struct nn_build_tensor *out);
int onnx_combine_number(struct onnx_import *import, const char *function,
			const struct nn_build_tensor *x, int32_t number, bool number_first,
			struct nn_build_tensor *out);

#endif
