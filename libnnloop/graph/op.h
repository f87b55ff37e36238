/* SPDX-License-Identifier: MIT */
/*
 * The description of an operator: how many inputs and outputs, which attributes, what it is like,
 * and the functions that check, execute and lower a node of it. Whoever asks about a node asks
 * here; nobody above the floor of the operators asks which one it is.
 *
 * Built-in ones are constants (libnnloop/ops), an application's are wrapped in one (registered.c).
 */
#ifndef NN_OP_H
#define NN_OP_H

#include <stdbool.h>

#include "nn_graph.h"

struct nn_lowering;

/* An attribute that an operator may be given. */
struct nn_attr_spec {
	const char *name;
	enum nn_attr_type type;
	uint32_t min_count, max_count;	/* of lists */
	bool or_string;			/* a word is accepted too */
	bool is_flag;			/* a number that is 0 or 1 */
};

/* Real values that a result is limited to; -/+INFINITY: it is not. */
struct nn_limits {
	float min, max;
};

/*
 * The properties of an operator, in struct nn_op's flags beside the public NN_NODE_FLAG_*.
 *
 * What it is to the graph:
 */
#define NN_OP_REGISTERED	(1u << 16)	/* the application's */
#define NN_OP_INTERNAL		(1u << 17)	/* only the library makes nodes of it */
#define NN_OP_INPUT		(1u << 18)	/* its outputs are what an execution takes */
#define NN_OP_CONST		(1u << 19)	/* has data, and no other one has */
#define NN_OP_END		(1u << 20)	/* its inputs are what an execution gives */
/* The operator's part in loops: */
#define NN_OP_MIXED_LEVELS	(1u << 21)	/* inputs of different levels are its business */
/* an LCN with work for the device at the head of its partition */
#define NN_OP_BODY		(1u << 22)
/* an LCN that reads data in its loop's first iteration only */
#define NN_OP_LOOKS_ONCE	(1u << 23)
/* keeps its output over the iterations of the loop `level`; set to input 0 in the first */
#define NN_OP_STATE		(1u << 24)
#define NN_OP_ASSIGNS		(1u << 25)	/* changes input 0, which is such an output */
/* The operator's use for the node behind it: */
#define NN_OP_ACCUMULATES	(1u << 26)	/* sums in int32, and can requantize that itself */
#define NN_OP_LIMITS		(1u << 27)	/* can limit what it writes: nn_lower_limits() */
/* The operator's part in leaving loops: */
/* its outputs are in the scope around the loop that its inputs are in */
#define NN_OP_EXIT		(1u << 29)
/* such a one that takes its inputs in each iteration, not when the loop has ended */
#define NN_OP_COLLECTS		(1u << 30)
#define NN_OP_CONTINUES		(1u << 31)	/* its input says whether its loop goes on */
/* The operator's use for the node before it: */
#define NN_OP_REQUANTIZES	(1u << 28)	/* gives the same real values another quantization */

#define NN_ANY_NUMBER		(~0u)
#define NN_MAX_COUNT		(1u << 20)	/* of inputs, outputs or attributes of a node */

struct nn_op {
	const char *name;
	uint32_t flags;			/* NN_NODE_FLAG_*, NN_OP_* */
	uint32_t min_inputs, max_inputs;
	uint32_t kept_inputs;		/* of an LCN: the first that it does not hand out */
	bool takes_one_row;		/* an input of one row of level 0 can be for all rows */
	uint32_t outputs;		/* how many; NN_ANY_NUMBER: see nn_op_count_outputs() */
	const struct nn_attr_spec *attrs;	/* ends with an empty one; NULL: any */

	/* Infer the outputs. The inputs' are known, levels included. */
	int (*check)(struct nn_graph *graph, struct nn_node *node, void *opaque);
	/* Run on the host, for LCNs and operators that the device does not run. */
	int (*execute)(struct nn_graph *graph, struct nn_node *node, void *opaque);
	/* Write device operators for it. */
	int (*lower)(struct nn_lowering *lowering, struct nn_node *node);
	/* An activation that does nothing but limit real values: to which. Others have none. */
	struct nn_limits (*get_limits)(const struct nn_node *node);
	void *opaque;
	struct nn_node_ops user;	/* of a registered one */
	struct nn_op *next;		/* registered ones of a graph */
};

/* A built-in operator or one of the graph's; NULL if nobody knows it. */
const struct nn_op *nn_op_find(const struct nn_graph *graph, const char *name);
/*
 * Returns how many outputs a node has that is described so; NN_ANY_NUMBER if the description is
 * wrong.
 */
uint32_t nn_op_count_outputs(const struct nn_op *op, const struct nn_node_desc *desc);
/* Attributes against the operator's list. */
int nn_op_check_attrs(struct nn_graph *graph, const struct nn_op *op,
		      const struct nn_node_desc *desc);

/* ---- Attributes of a node, checked at append */

/* Fill `values` from an integer or a list; leaves what is there if the attribute is absent. */
void nn_node_get_ints(const struct nn_node *node, const char *name, uint32_t count,
		      int64_t *values);
const char *nn_node_get_string(const struct nn_node *node, const char *name, const char *otherwise);
float nn_node_get_float(const struct nn_node *node, const char *name, float otherwise);

#endif
