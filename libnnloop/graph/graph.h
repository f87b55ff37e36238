/* SPDX-License-Identifier: MIT */
/*
 * Graphs, nodes and values inside the library.
 *
 * A graph holds the nodes as the user appended them, in order, and never changes them.
 * nn_graph_prepare() makes a plan (plan/plan.h), which has its own copies of the nodes, and
 * everything that optimizing, partitioning, inferring, planning and lowering find out is written to
 * those. A prepare that fails frees its plan, and nothing has happened.
 *
 * A graph also carries what higher floors keep for it, the plan, the started execution and why a
 * model was refused; nothing on this floor looks into them.
 */
#ifndef NN_GRAPH_INTERNAL_H
#define NN_GRAPH_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/tensor.h"
#include "dsp/program/nn_program.h"
#include "nn_graph.h"
#include "op.h"

struct nn_plan;
struct nn_async;
struct nn_open_list;
struct nn_refusal_list;

/* A tensor: an output of a node. */
struct nn_value {
	struct nn_tensor_info info;	/* in a plan, dims[0] is the most rows of a pass */
	struct nn_node *node;
	uint32_t index;			/* among the node's outputs */

	/* Where a value's elements are is one of these; the planner decides it (plan/memory.c). */
	enum nn_storage {
		NN_STORAGE_NONE = 0,	/* nobody reads it */
		NN_STORAGE_CONST,	/* in the constant region, if a program wants it */
		NN_STORAGE_INPUT,	/* the caller's buffer `slot` */
		NN_STORAGE_OUTPUT,	/* in the caller's buffer `slot`, at the rows of the pass */
		NN_STORAGE_ARENA,
		NN_STORAGE_ALIAS,	/* the same elements as `base` */
		NN_STORAGE_VIEW,	/* rows of `base`, those of the pass */
		/*
		 * channels of each pixel of `base`, from byte `offset` on: a Slice's of its input,
		 * or an input of a Concat, which is made there, of its output
		 */
		NN_STORAGE_CHANNELS,
	} storage;
	struct nn_value *base;
	uint32_t slot;
	uint64_t offset;		/* in the arena, the constant region or a pixel */
	uint32_t first_use, last_use;	/* positions in the plan's list of nodes, both included */
	uint32_t moves;			/* by who gathers or scatters, if its pixels are strided */
	bool in_sink;
	bool stored;			/* a constant that is in the constant region */
	/* keeps its elements from pass to pass: never shares memory, never aliased */
	bool persistent;
	uint32_t program;		/* the last one that it is in, from 1, */
	uint16_t tensor;		/* and its number there */
	struct nn_value *next;		/* in a list of the planner's */
};

/* Most loops of a graph; NN_MAX_LOOPSTACK says how many can be inside of each other. */
#define NN_MAX_SCOPES	64u
#define NN_ROWS_UNKNOWN	UINT64_MAX	/* only the run knows how many */

/*
 * A loop with all that is inside of it, or the root, which is the whole graph. In a plan only, where
 * plan/scopes.c finds them.
 */
struct nn_scope {
	struct nn_scope *parent;	/* NULL: the root */
	struct nn_node *lcn;		/* that opens it; NULL: the root */
	uint32_t number;		/* among the plan's; the root is 0 */
	uint32_t level;			/* of its loop: how deep it is; 0: the root */
	uint32_t enter, end;		/* its steps */
	uint32_t first, last;		/* positions of its nodes in the plan's list, both included */
	struct nn_node *condition;	/* the Continue that is in it, or NULL */
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
	/*
	 * of a Variable that persists: its elements between two executions (state.c), in the pool
	 * of the graph; NULL: its initial value. In the graph only, not in a plan
	 */
	void *kept;
	/* values of its own that its outputs are views of; in a plan only */
	struct nn_value *hidden;
	uint32_t hidden_count;

	/* Below: in a plan only. */
	/* of a graph's node: its copy in the plan that is being made */
	struct nn_node *copy;
	uint32_t refs;			/* partition, as the seed of the loop design calls it */
	/*
	 * Where its outputs are, and where it runs. That is another one of a Variable that is set
	 * before its loop begins, and of a Collect, which is in the loop that it leaves. NULL before
	 * partitions are known.
	 */
	struct nn_scope *scope, *runs_in;
	bool live;
	struct nn_node *next_assign;	/* of a Variable and its Assigns: the next one */
	uint32_t order;			/* position in the plan's list */
	uint32_t part;
	enum nn_runs_on runs_on;
	bool is_portable;		/* the DSP runs it, or a part of it, in portable C */
	uint32_t max_rows;		/* of an LCN: most rows of a pass */
	bool max_rows_set;
	/* of an LCN: rows of a pass of a batch that is long enough, if that is more */
	uint32_t full_rows;
	/* of an LCN: its passes depend on data, although its operator is static */
	bool looks_at_data;
	bool may_skip;			/* of an LCN: its loop may have no iteration */
	/* of an LCN: rows of all iterations of its loop, of this level; NN_ROWS_UNKNOWN */
	uint64_t total_rows;
	uint32_t total_level;
	uint64_t most_rows, most_trips;	/* of an LCN: in all iterations, of all; 0: not known */
	/* of an LCN: iterations, where these are always so many and have the same number of rows,
	 * that of level rows_level, or max_rows if that is 0; else 0 */
	uint32_t trips, rows_level;
	bool same_rows;			/* of an LCN: max_rows in each iteration, always */
	struct nn_limits limits;	/* of an activation that is part of it */
	/* a bit for each input that output 0 can be written over; check says so */
	uint32_t may_overwrite;
	struct nn_value *overwritten;	/* what it is written over, or NULL: the planner's */
	/* output 0 can have strided pixels, and so can what it is written over; check says so */
	bool may_be_strided;
	/* a bit for each input that can have strided pixels; check says so */
	uint32_t may_read_strided;
	/*
	 * of these, a bit for each input, and whether of output 0, whose pixels are moved to or
	 * from where they are side by side: that takes as long as a copy of it; check says so
	 */
	uint32_t gathers;
	bool scatters;
	/* output 0 has the channels of all inputs, one behind the other, or some of input 0's, from
	 * `first_channel` on; those can have strided pixels; check says so */
	bool concats_channels, takes_channels;
	uint32_t first_channel;
	void *state;			/* the operator's own, in the plan's pool */
};

/* Nodes by id: open addressing, 2^bits slots, at most two thirds full. */
struct nn_node_table {
	struct nn_node **slots;		/* NULL: no nodes */
	uint32_t bits;
};

/*
 * A row count: how many rows a loop has collected, where only the run knows that. Values of so many
 * rows have it in place of a loop's level, by the numbers behind those of loops.
 */
struct nn_count {
	const struct nn_scope *scope;	/* the loop */
	uint32_t of;			/* the level of the count whose rows it collects; 0: its own */
};

/* The plan that is being made, as far as checks see it. */
struct nn_preparation {
	struct nn_pool *pool;		/* lives as long as the plan */
	uint32_t *max_rows;		/* of a pass, by level, as far as they are known */
	struct nn_count *counts;	/* room for NN_MAX_COUNTS */
	uint32_t *count_count;
	const uint32_t *full_rows;	/* the same for a batch that is long enough */
};

/* Where a row count stands. */
struct nn_count_state {
	uint32_t rows;
	uint32_t out_first;		/* rows in earlier iterations of the loops around */
};

/* The run as callbacks of operators may see it. Its loops are in the graph's loop stack. */
struct nn_running {
	struct nn_node *node;		/* whose callback is running; NULL: none */
	bool check;			/* it is its check, and nothing else runs */
	bool passes;			/* an execution, or a walk through its passes, is under way */
	bool pushed;			/* the LCN whose execute runs has */
	bool skipped;			/* it has said that its loop has no iteration */
	bool ending;			/* a loop-end function runs, not an execute */
	int push_error;
	struct nn_count_state counts[NN_MAX_COUNTS];
	/* Elements of a value as the CPU sees them, or NULL if they must not be looked at now. Is
	 * itself NULL in a walk. */
	void *(*locate)(void *opaque, struct nn_value *value);
	void *opaque;
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

	/*
	 * The error of the call, or of the execution, that has its turn. What nn_graph_error()
	 * shows is `told`: calls copy theirs when they are done, those that do not wait for their
	 * turn write there only, and a started execution writes there never. With the lock.
	 */
	struct nn_error error;
	union {
		struct nn_error told;
		char told_room[NN_ERROR_MAX_SIZE];	/* zeros behind it: for a newer program */
	};
	/* Why the import that was the last call was refused (import/refusals.c): one block, freed
	 * by the next call; NULL: it was none, or was not. */
	struct nn_refusal_list *refusals;
	/* Dimensions that the model which was imported last leaves open (import/options.c): one
	 * block, freed by the next import; NULL: none. */
	struct nn_open_list *open;

	struct nn_pool pool;		/* nodes and all they have */
	struct nn_node **nodes;		/* in the order they were appended */
	uint32_t node_count, node_room;
	struct nn_node_table table;
	uint32_t max_id;
	struct nn_value **inputs;	/* of all nodes that are inputs, in this order */
	uint32_t input_count, input_room;
	const struct nn_op *const *built_in;	/* the operators there are; ends with NULL */
	struct nn_op *registered;

	struct nn_plan *plan;		/* NULL: not prepared */
	const struct nn_preparation *preparing;	/* NULL: no plan is being made */
	struct nn_loopstack loopstack;	/* of the execution that runs */
	struct nn_running running;

	atomic_bool cancelled;		/* the execution that runs is to end; set from anywhere */

	uint64_t pass_limit;
	nn_progress_fp progress;
	void *progress_opaque;
	nn_trace_fp trace;
	void *trace_opaque;
	/*
	 * The lengths of the program's nn_pass_record and nn_op_record, and room for one of the
	 * former if that is not as long as the library's, else NULL.
	 */
	size_t trace_size, trace_op_size;
	void *trace_room;
	struct nn_execution_stats stats;

	/* A started execution (run/async.c). */
	struct nn_async *async;
	bool started;			/* until it was waited for */
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
/* The program has set something in a structure that this library, which is older, does not know. */
int nn_graph_fail_newer(struct nn_graph *graph, const char *what);
/*
 * Turns what a callback of a node has returned into the error of the call. The application's may
 * return anything and say nothing, or return 0 after it has said something: that is forgotten.
 */
int nn_graph_end_callback(struct nn_graph *graph, const struct nn_node *node, int error,
			  const char *what);

/* ---- graph.c */

/* A graph without nodes, and these operators. */
int nn_graph_make(const struct nn_op *const *built_in, struct nn_graph **graph);
/* Frees a graph of which neither a plan nor a started execution is left. */
void nn_graph_free(struct nn_graph *graph);
/* Enter a public call: waits for its turn and clears the error. */
void nn_graph_lock(struct nn_graph *graph);
/* The same for a call that must not wait for a started execution: -EBUSY, told and unlocked, while
 * that has not been waited for. */
int nn_graph_lock_idle(struct nn_graph *graph);
/* Leave it: the error is told, unless an execution is under way from here on. */
void nn_graph_unlock(struct nn_graph *graph);
/* Free all nodes; for an import that failed. There is no plan. */
void nn_graph_clear(struct nn_graph *graph);
/* Forgets the last error, and why an import was refused. */
void nn_graph_clear_errors(struct nn_graph *graph);
struct nn_node *nn_graph_find(const struct nn_graph *graph, uint32_t id);
/* Take a node into the list and the table. -ENOMEM, reported to nobody. */
int nn_graph_add(struct nn_graph *graph, struct nn_node *node);

/* ---- append.c */

/*
 * Checks what a description says of how output `output` of a node is quantized; its type is known.
 */
int nn_graph_check_quantization(struct nn_graph *graph, uint32_t id, const char *op,
				uint32_t output, const struct nn_tensor_info *info);
/* nn_graph_append() without the lock, for importers, which hold it. There is no plan, or it is
 * dropped afterwards. */
int nn_graph_append_locked(struct nn_graph *graph, const struct nn_node_desc *desc);
/* The same with structures of the program's, which are as long as it says. */
int nn_graph_append_theirs(struct nn_graph *graph, const struct nn_node_desc *desc, size_t size,
			   size_t info_size);
/* The same of a Const whose data lives as long as the graph, in its pool or in a file that is kept
 * for it: it is not copied, and must not change any more. */
int nn_graph_append_kept(struct nn_graph *graph, const struct nn_node_desc *desc);

/* ---- state.c */

/* Whether it is a Variable that keeps its value from one execution to the next. */
bool nn_node_persists(const struct nn_node *node);
/* Returns the elements of a graph's Variable that persists, nn_info_bytes() of its initial value; NULL: no memory. */
void *nn_node_get_kept(struct nn_node *variable);

/* ---- Nodes and values */

static inline bool nn_node_is_lcn(const struct nn_node *node)
{
	return node->op->flags & NN_NODE_FLAG_LCN;
}

static inline bool nn_node_has(const struct nn_node *node, uint32_t flag)
{
	return node->op->flags & flag;
}

static inline bool nn_value_is_const(const struct nn_value *value)
{
	return value->node->data;
}

/* Whether input j, which is there, can have strided pixels. */
static inline bool nn_node_reads_strided(const struct nn_node *node, uint32_t j)
{
	return node->concats_channels || (node->takes_channels && !j) ||
	       (j < 32 && node->may_read_strided >> j & 1);
}

/* Whether its pixels are moved if they are strided. */
static inline bool nn_node_gathers(const struct nn_node *node, uint32_t j)
{
	return j < 32 && node->gathers >> j & 1;
}

/* Returns where the elements of a value are in the end: follows aliases, not views. */
static inline struct nn_value *nn_value_root(struct nn_value *value)
{
	while (value->storage == NN_STORAGE_ALIAS)
		value = value->base;
	return value;
}

/* How many loops are around its outputs. */
static inline uint32_t nn_node_level(const struct nn_node *node)
{
	return node->scope ? node->scope->level : 0;
}

/* Whether its passes are known without looking at data. */
static inline bool nn_node_is_static(const struct nn_node *lcn)
{
	return (lcn->op->flags & NN_NODE_FLAG_STATIC) && !lcn->looks_at_data;
}

/* Whether a scope is another one, or around it. */
static inline bool nn_scope_has(const struct nn_scope *scope, const struct nn_scope *inner)
{
	while (inner && inner->level > scope->level)
		inner = inner->parent;
	return inner == scope;
}

/* The scope right inside of `outer` that has `inner`, which is deeper. */
static inline struct nn_scope *nn_scope_below(const struct nn_scope *outer, struct nn_scope *inner)
{
	while (inner->parent != outer)
		inner = inner->parent;
	return inner;
}

/* ---- callback.c: what operators' callbacks get to see */

/* The counts of level 1 .. 4, whose loop is running. */
static inline const struct nn_loopcounts *nn_graph_counts(const struct nn_graph *graph,
							  uint32_t level)
{
	return &graph->loopstack.entries[level - 1].counts;
}

/* Whether a level is a row count's, and where that stands. */
static inline bool nn_level_is_count(uint32_t level)
{
	return level > NN_MAX_LOOPSTACK;
}

static inline const struct nn_count_state *nn_graph_count(const struct nn_graph *graph,
							  uint32_t level)
{
	return &graph->running.counts[level - NN_LEVEL_OF_COUNT(0)];
}

/*
 * The level of the count of what a Collect takes from its loop: the loop's own rows, or with `of`
 * those of that count; `most` of them at most. 0 after reporting that there are too many counts.
 */
uint32_t nn_node_make_count(struct nn_node *collect, uint32_t of, uint32_t most);

/* The row of an output where rows of a level go now. */
static inline uint64_t nn_graph_out_first(const struct nn_graph *graph, uint32_t level)
{
	if (nn_level_is_count(level))
		return nn_graph_count(graph, level)->out_first;
	return (uint64_t)nn_graph_counts(graph, level)->prev_batches +
	       nn_graph_counts(graph, level)->prev_outer_batches;
}

/* Rows that a value has now: of the running pass if it is of a loop level. */
uint32_t nn_graph_rows(const struct nn_graph *graph, const struct nn_value *value);
/* An LCN that executes says instead of pushing that its loop has no iteration. */
void nn_loop_skip(struct nn_graph *graph);
/* Elements of a value as the CPU sees them, or NULL if they must not be looked at now. */
void *nn_graph_locate(const struct nn_graph *graph, struct nn_value *value);

#endif
