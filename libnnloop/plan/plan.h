/* SPDX-License-Identifier: MIT */
/*
 * A plan: all that nn_graph_prepare() finds out about a graph, for one device and one set of row
 * counts.
 *
 * It is made in this order, each step in a file of its own:
 *
 *	plan.c		a copy of the nodes
 *	insert.c	a loop in front, if one is wanted
 *	optimize.c	dead nodes go, activations and requantization are fused with what is before
 *	partition.c	partitions, order, Sink
 *	scopes.c	the same where loops are a tree; the steps of a run
 *	infer.c		types, shapes, levels, most rows of each level
 *	functions.c	operators of a tensor and of a table of it
 *	views.c		tensors that are channels of others
 *	overwrite.c	tensors that are written over others
 *	channels.c	tensors that are made as channels of others
 *	memory.c	where each tensor is; offsets.c says at which offsets of the arena
 *	lower.c		partitions split into parts, a program for each that the device runs
 *
 * Then run/walk.c adds up its passes, streams.c says how many of them can run side by side,
 * workers.c how many workers of the device each is worth, and bind.c and place.c give it memory on
 * a device: constants, arenas, buffers, programs. query.c answers what applications ask about it.
 */
#ifndef NN_PLAN_H
#define NN_PLAN_H

#include "dsp/program/nn_program.h"
#include "device/device.h"
#include "graph/graph.h"
#include "ops/support/lowering.h"

/*
 * A stretch of a partition that is one pass of the device, or one node that executes on the host.
 */
struct nn_part {
	uint32_t partition;
	uint32_t number;		/* within the partition */
	uint32_t first, count;		/* of the plan's nodes */
	struct nn_node *host_node;	/* NULL: the device's */
	/* runs only in the first iteration of this level's loop; 0: always */
	uint32_t first_only;
	/* runs before the loop of its only node, an LCN, begins; that is the partition's first */
	bool before_loop;
	struct nn_program *program;	/* NULL: nothing to do */
	uint32_t workers;		/* that a pass is worth (workers.c) */
	/*
	 * The plan's region for each region of the program: a program has only those that it uses.
	 */
	uint32_t *regions;
};

/* The last program that uses a region of the plan, from 1, and the region's number there. */
struct nn_region_use {
	uint32_t program, number;
};

/*
 * A step of a run: a partition is run, a loop is entered or its iteration ends. The LCN that is
 * entered is the first node of the partition behind that.
 */
struct nn_step {
	enum nn_step_kind {
		NN_STEP_RUN,
		NN_STEP_ENTER,
		NN_STEP_END,
	} kind;
	uint32_t partition;		/* to run */
	struct nn_scope *scope;		/* to enter, or that ends */
};

struct nn_plan {
	struct nn_pool pool;
	struct nn_graph *graph;
	uint32_t flags;			/* NN_PREPARE_* */
	uint32_t step;

	/* in execution order; without constants and dead nodes from optimize.c on */
	struct nn_node **nodes;
	uint32_t node_count;
	uint32_t next_id;		/* the last one given to a node of the library's */
	struct nn_node *output;
	struct nn_value **inputs;	/* by slot */
	uint32_t *input_rows;		/* planned for */
	bool *input_variable;
	uint32_t input_count;

	/* The root and the loops, each behind those around it; their nodes are in the order of the
	 * steps. */
	struct nn_scope scopes[NN_MAX_SCOPES + 1];
	uint32_t scope_count;
	bool is_tree;			/* else each loop is right inside of the one before it */
	struct nn_step *steps;
	uint32_t step_count;
	uint32_t partition_count;
	struct nn_node *sink;		/* NULL: nothing crosses, or the loops are a tree */
	struct nn_count counts[NN_MAX_COUNTS];
	uint32_t count_count;
	uint32_t max_rows[NN_LEVELS];	/* of a pass, or of a count, by level */
	uint32_t full_rows[NN_LEVELS];	/* if the batch is long enough for it */

	uint64_t arena_bytes;
	uint64_t bytes_moved;
	uint64_t macs, float_macs, float_packets; /* in one full pass */
	uint32_t float_ops;
	struct nn_constants constants;	/* nn_plan_bind() writes them to the device */

	struct nn_part *parts;
	uint32_t part_count;
	uint32_t *first_part;		/* by partition; one more: the end */
	uint32_t region_count;		/* as ops/support/lowering.h numbers them */
	struct nn_region_use *region_uses;	/* for lower.c */

	/* The totals of the pass sequence (run/walk.c). */
	int walk_error;			/* -EOPNOTSUPP: only the data can tell */
	uint64_t push_count, pass_count;	/* iterations of loops; passes of the device */
	uint64_t total_rows[NN_MAX_LOOPSTACK + 1];
	uint64_t outer_pushes;		/* iterations of the outermost loop */
	bool rows_overlap;		/* two of these write the same rows of an output */

	/* Streams (streams.c). */
	uint32_t streams_wanted;	/* 0: the library's choice */
	uint32_t stream_count, max_streams;
	const char *single_reason;	/* why there cannot be more than one; NULL: there can */

	/* Workers of a pass (workers.c). */
	uint32_t workers_wanted;	/* 0: the library's choice */
	uint32_t worker_count;		/* the most that any pass has */
	uint32_t own_workers;		/* of a device that divides passes by itself, else 0 */
	const char *alone_reason;	/* why there is one; NULL: there are more */

	struct nn_binding *binding;	/* on a device; NULL: plan only */
};

/*
 * The whole of it, but for the passes and the memory on a device. `earlier` is a plan of the same
 * graph for other rows whose constants on the device are going to be taken over, or NULL.
 */
int nn_plan_create(struct nn_graph *graph, uint32_t flags, uint32_t step,
		   const uint32_t *input_rows, const struct nn_plan *earlier,
		   struct nn_plan **plan);
/* Whether the graph's operators can be for so many rows of each input: types and shapes are looked
 * at, and nothing that they need is made. */
int nn_plan_check(struct nn_graph *graph, const uint32_t *input_rows);
/* NULL is legal. */
void nn_plan_destroy(struct nn_plan *plan);

int nn_plan_optimize(struct nn_plan *plan);
int nn_plan_partition(struct nn_plan *plan);
/* The same of a graph in which loops are left, or decide themselves whether they go on: whether that
 * is so is asked before dead nodes go. */
bool nn_plan_has_tree(const struct nn_plan *plan);
int nn_plan_find_scopes(struct nn_plan *plan);
int nn_plan_infer(struct nn_plan *plan);
/* Operators of a tensor and of a table of it become tables of it. */
int nn_plan_merge_functions(struct nn_plan *plan);
/* Slices that can be read where they are in their input become channels of that. */
void nn_plan_place_views(struct nn_plan *plan);
/* Outputs that can be written over an input become aliases of that. */
void nn_plan_overwrite(struct nn_plan *plan);
/* Inputs of Concats that can be made where they belong become channels of its output. */
void nn_plan_place_channels(struct nn_plan *plan);
int nn_plan_memory(struct nn_plan *plan);
/* Bytes of the arena if the levels had these most rows. */
uint64_t nn_plan_arena_bytes(const struct nn_plan *plan, const uint64_t *rows);
int nn_plan_lower(struct nn_plan *plan);

/* Chooses the number of streams; `device` may be NULL. The passes are known. */
void nn_plan_choose_streams(struct nn_plan *plan, const struct nn_device *device);
/* Chooses how many workers each part's passes are worth, behind that. */
void nn_plan_choose_workers(struct nn_plan *plan, const struct nn_device *device);
/* Bytes of the programs that a stream has. */
uint64_t nn_plan_program_bytes(const struct nn_plan *plan);

/* A BatchLoop of plan->step rows behind the inputs of variable batch. */
int nn_plan_insert_loop(struct nn_plan *plan);
/* OUTPUT takes the values of all nodes, behind what it has: in a tree, whose scopes are known then,
 * of those that it can. */
int nn_plan_output_all(struct nn_plan *plan);
/* A Sink of these values at the end of the list. */
int nn_plan_add_sink(struct nn_plan *plan, struct nn_value *const *values, uint32_t count);

struct nn_node *nn_plan_find(const struct nn_plan *plan, uint32_t id);

const char *nn_program_reason_text(uint32_t reason);

static inline struct nn_program_region *nn_program_regions(struct nn_program *program)
{
	return (struct nn_program_region *)(program + 1);
}

static inline struct nn_program_tensor *nn_program_tensors(struct nn_program *program)
{
	return (struct nn_program_tensor *)(nn_program_regions(program) + program->region_count);
}

static inline struct nn_program_op *nn_program_ops(struct nn_program *program)
{
	return (struct nn_program_op *)(nn_program_tensors(program) + program->tensor_count);
}

/* Bytes from a program to the next one in memory. */
static inline uint64_t nn_program_room(const struct nn_program *program)
{
	return ((uint64_t)program->size + 127) & ~127ull;
}

/* Whether the rows of a level are known in front, of all passes together. */
static inline bool nn_plan_knows_rows(const struct nn_plan *plan, uint32_t level)
{
	return !plan->walk_error && !nn_level_is_count(level);
}

/* How many loops there are. */
static inline uint32_t nn_plan_count_loops(const struct nn_plan *plan)
{
	return plan->scope_count - 1;
}

/* Whether its operator writes to a program. */
static inline bool nn_node_is_lowered(const struct nn_node *node)
{
	return node->op->lower;
}

/* Whether it is an LCN whose work for the device comes before its loop, and decides about that. */
static inline bool nn_node_is_before_loop(const struct nn_node *node)
{
	return nn_node_is_lcn(node) && node->op->lower && !nn_node_has(node, NN_OP_BODY);
}

#endif
