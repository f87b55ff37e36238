/* SPDX-License-Identifier: MIT */
/*
 * What graphs, nodes and values are inside the library.
 *
 * A graph holds the nodes as the user appended them, in order, and never changes them.
 * nn_graph_prepare() makes a plan (plan.h), which has its own copies of the nodes, and everything
 * that optimizing, partitioning, inferring, planning and lowering find out is written to those. A
 * prepare that fails frees its plan, and nothing has happened.
 */
#ifndef NN_GRAPH_INTERNAL_H
#define NN_GRAPH_INTERNAL_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "nn_graph.h"
#include "base/pool.h"

struct nn_plan;
struct nn_lowering;

/* A tensor: an output of a node. */
struct nn_value {
	struct nn_tensor_info info;	/* in a plan, dims[0] is the most rows of a pass */
	struct nn_node *node;
	uint32_t index;			/* among the node's outputs */

	/* Where its elements are; the planner's (memory.c). */
	enum nn_storage {
		NN_STORAGE_NONE = 0,	/* nobody reads it */
		NN_STORAGE_CONST,	/* in the constant region, if a program wants it */
		NN_STORAGE_INPUT,	/* the caller's buffer `slot` */
		NN_STORAGE_OUTPUT,	/* in the caller's buffer `slot`, at the rows of the pass */
		NN_STORAGE_ARENA,
		NN_STORAGE_ALIAS,	/* the same elements as `base` */
		NN_STORAGE_VIEW,	/* rows of `base`, those of the pass */
	} storage;
	struct nn_value *base;
	uint32_t slot;
	uint64_t offset;		/* in the arena or the constant region */
	uint32_t first_use, last_use;	/* positions in the plan's list of nodes, both included */
	bool in_sink;
	bool stored;			/* a constant that is in the constant region */
	/* keeps its elements from pass to pass: never shares memory, never aliased */
	bool persistent;
	uint32_t program;		/* the last one that it is in, from 1, */
	uint16_t tensor;		/* and its number there */
	struct nn_value *next;		/* in a list of the planner's */
};

struct nn_node {
	struct nn_graph *graph;
	const struct nn_op *op;
	uint32_t id;
	const char *op_name;		/* as the user spells it */
	const char *name;		/* "" if it has none */
	uint32_t input_count, output_count, attr_count;
	struct nn_value **inputs;	/* NULL: absent */
	struct nn_value *outputs;
	struct nn_attr *attrs;
	const void *data;		/* a Const's */
	/* values of its own that its outputs are views of; in a plan only */
	struct nn_value *hidden;
	uint32_t hidden_count;

	/* Below: in a plan only. */
	/* of a graph's node: its copy in the plan that is being made */
	struct nn_node *copy;
	uint32_t refs;			/* partition, as the seed of the loop design calls it */
	bool live;
	struct nn_node *next_assign;	/* of a Variable and its Assigns: the next one */
	uint32_t order;			/* position in the plan's list */
	uint32_t part;
	enum nn_runs_on runs_on;
	uint32_t max_rows;		/* of an LCN: most rows of a pass */
	bool max_rows_set;
	float clamp_min, clamp_max;	/* a fused activation, in real values; -/+INFINITY: none */
	void *state;			/* the operator's own, in the plan's pool */
};

/* What an operator may be given as a parameter. */
struct nn_attr_spec {
	const char *name;
	enum nn_attr_type type;
	uint32_t min_count, max_count;	/* of lists */
	bool or_string;			/* a word is accepted too */
};

#define NN_OP_MIXED_LEVELS	(1u << 16)	/* inputs of different levels are its business */
#define NN_OP_FREE		(1u << 17)	/* no work: it only renames elements */
#define NN_OP_REGISTERED	(1u << 18)	/* the application's */
/* an LCN with work for the device at the head of its partition */
#define NN_OP_BODY		(1u << 19)
/* an LCN that reads data in its loop's first iteration only */
#define NN_OP_LOOKS_ONCE	(1u << 20)
#define NN_ANY_NUMBER		(~0u)
#define NN_MAX_COUNT		(1u << 20)	/* of inputs, outputs or attributes of a node */

/*
 * An operator. Built-in ones are in tables (ops.h), each family in a file of its own; an
 * application's are wrapped in one.
 */
struct nn_op {
	const char *name;
	uint32_t flags;			/* NN_NODE_FLAG_*, NN_OP_* */
	uint32_t min_inputs, max_inputs;
	uint32_t outputs;		/* how many; NN_ANY_NUMBER: see nn_op_count_outputs() */
	const struct nn_attr_spec *attrs;	/* ends with an empty one; NULL: any */

	/* Infer the outputs. The inputs' are known, levels included. */
	int (*check)(struct nn_graph *graph, struct nn_node *node, void *opaque);
	/* Run on the host, for LCNs and registered operators. */
	int (*execute)(struct nn_graph *graph, struct nn_node *node, void *opaque);
	/* Write device operators for it. */
	int (*lower)(struct nn_lowering *lowering, struct nn_node *node);
	void *opaque;
	const struct nn_node_ops *user;	/* of a registered one */
	struct nn_op *next;		/* registered ones of a graph */
};

/* Nodes by id: open addressing, a power of two, at most two thirds full. */
struct nn_node_table {
	struct nn_node **slots;
	uint32_t size;
};

struct nn_graph {
	/*
	 * One lock. It is held for moments; while an execution runs, `busy` is set instead, and
	 * whoever wants the graph waits for it on `idle`. So cancel and wait never have to wait for
	 * an execution's lock.
	 */
	pthread_mutex_t lock;
	pthread_cond_t idle;
	bool busy;

	struct nn_error error;

	struct nn_pool pool;		/* nodes and all they have */
	struct nn_node **nodes;		/* in the order they were appended */
	uint32_t node_count, node_room;
	struct nn_node_table table;
	struct nn_op *registered;
	uint32_t max_id;

	struct nn_plan *plan;		/* NULL: not prepared */
	struct nn_plan *preparing;	/* the one being made */
	struct nn_loopstack loopstack;	/* of the execution that runs */
	struct nn_node *running;	/* whose callback is running; NULL: none */
	bool running_check;		/* it is its check */
	struct nn_loop *loop;		/* the execution or walk that runs (loop.h); NULL: none */

	atomic_bool cancelled;		/* the execution that runs is to end; set from anywhere */

	uint64_t pass_limit;
	nn_progress_fp progress;
	void *progress_opaque;
	nn_trace_fp trace;
	void *trace_opaque;
	struct nn_execution_stats stats;

	/* A started execution (async.c). */
	struct nn_async *async;
};

/* ---- error.c */

/* Remember an error; node may be NULL. Returns code. */
int nn_graph_fail(struct nn_graph *graph, const struct nn_node *node, int code,
		  const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same when there is no node yet. */
int nn_graph_fail_at(struct nn_graph *graph, uint32_t id, const char *op, int code,
		     const char *format, ...)
	__attribute__((format(printf, 5, 6)));
int nn_graph_no_memory(struct nn_graph *graph);
/*
 * What a callback of a node has returned, as the error of the call. One of the application's may
 * return anything and say nothing, or return 0 after it has said something: that is forgotten.
 */
int nn_graph_end_callback(struct nn_graph *graph, const struct nn_node *node, int error,
			  const char *what);
void nn_error_set(struct nn_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- graph.c */

/* Enter a public call: waits for its turn and clears the error. */
void nn_graph_lock(struct nn_graph *graph);
/* The same for a call that must not wait for a started execution: -EBUSY, unlocked, while that has
 * not been waited for. */
int nn_graph_lock_idle(struct nn_graph *graph);
void nn_graph_unlock(struct nn_graph *graph);
/* nn_graph_append() without the lock, for importers, which hold it. */
int nn_graph_append_locked(struct nn_graph *graph, const struct nn_node_desc *desc);
/* Free all nodes; for an import that failed. */
void nn_graph_clear(struct nn_graph *graph);
struct nn_node *nn_graph_find(const struct nn_graph *graph, uint32_t id);
const char *nn_graph_format_input(const struct nn_value *value, char *text, size_t size);

/* ---- Values and infos */

#define NN_MAX_TENSOR_BYTES	((uint64_t)1 << 31)

/* Elements of one row; all dimensions but the first. */
uint64_t nn_info_row_elements(const struct nn_tensor_info *info);
uint64_t nn_info_row_bytes(const struct nn_tensor_info *info);
uint64_t nn_info_bytes(const struct nn_tensor_info *info);
bool nn_info_same_quantization(const struct nn_tensor_info *a, const struct nn_tensor_info *b);
bool nn_type_range(enum nn_data_type type, int32_t *min, int32_t *max);
static inline bool nn_type_is_8bit(enum nn_data_type type)
{
	return type == NN_INT8 || type == NN_UINT8;
}
/* "1x28x28x1", for messages. */
const char *nn_info_format_shape(const struct nn_tensor_info *info, char *text, size_t size);
#define NN_SHAPE_TEXT	96

static inline bool nn_node_is_lcn(const struct nn_node *node)
{
	return node->op->flags & NN_NODE_FLAG_LCN;
}

#endif
