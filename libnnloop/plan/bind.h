/* SPDX-License-Identifier: MIT */
/*
 * A plan's memory on a device.
 */
#ifndef NN_BIND_H
#define NN_BIND_H

#include "device/device.h"
#include "plan.h"

/*
 * A stream is what passes that run one after the other have to themselves: the arena is one pass's,
 * and its address stands in the programs.
 */
struct nn_stream {
	struct nn_queue *queue;		/* NULL after it was lost, until the next execution */
	struct nn_block arena;
	struct nn_bound_program *programs;	/* by part */
};

struct nn_binding {
	struct nn_device *device;
	struct nn_shared_block *constants; /* plans of the same graph for other rows share it */
	/* Room for the plan's; those beyond the first come with an execution, and go where memory
	 * is wanted for what one stream needs as well. */
	struct nn_stream *streams;
	uint32_t stream_count;		/* that have an arena, 1 .. the plan's */
	bool single;			/* there is no memory for more */
	struct nn_block programs; /* of all streams; sealed, unless the device works in place */
	struct nn_block profile;
	struct nn_block control;	/* of run/controlled.c */
	struct nn_block *buffers;		/* inputs, then outputs */
	uint64_t *output_rooms;			/* rows, by slot */
	bool bound;				/* programs have the addresses of `buffers` */
};

/* Constants and arena. `earlier`: the binding whose constants are taken over, or NULL. */
int nn_plan_bind(struct nn_plan *plan, struct nn_device *device, struct nn_binding *earlier);
void nn_binding_destroy(struct nn_plan *plan);

/* The buffers of one execution: checks them, takes their data in, and puts their addresses into
 * the programs. */
int nn_plan_bind_buffers(struct nn_plan *plan, const struct nn_buffer *inputs,
			 const struct nn_buffer *outputs);
/* Take the rows that were written out to the caller's memory, and let go of what is his. */
void nn_plan_fetch_outputs(struct nn_plan *plan, struct nn_buffer *outputs, const uint64_t *rows);
void nn_plan_unbind_buffers(struct nn_plan *plan);

/* Queues for the streams: of those beyond the first as many as can be had, and *count is how many
 * there are. */
int nn_binding_need_queues(struct nn_graph *graph, struct nn_binding *binding, uint32_t *count);
void nn_binding_drop_queue(struct nn_binding *binding, uint32_t stream);
/*
 * Drops all queues but the first: a client can have only so many, and each of its graphs needs one.
 */
void nn_binding_drop_further_queues(struct nn_binding *binding);

/* Write the addresses of all memory into the programs; `bound` is cleared if one has changed. */
void nn_plan_place_programs(struct nn_plan *plan);
/* Copies of them for each stream, in the device's memory. */
int nn_plan_upload_programs(struct nn_plan *plan);

/* Give up the memory of the streams beyond the first, until the next execution. `plan` may be
 * NULL or not bound. */
void nn_plan_release_streams(struct nn_plan *plan);

/* Counters of one pass of a part, of one worker: struct nn_profile_record, then struct
 * nn_memory_record. */
static inline uint64_t nn_part_record_bytes(const struct nn_part *part)
{
	return (1ull + part->program->op_count) *
	       (sizeof(struct nn_profile_record) + sizeof(struct nn_memory_record));
}

/* The bytes of records of all workers that may run it: those of any pass that goes down with it. */
static inline uint64_t nn_part_profile_bytes(const struct nn_plan *plan, const struct nn_part *part)
{
	return plan->worker_count * nn_part_record_bytes(part);
}

/* Room for the record of a whole control program, in front of those of its passes. */
#define NN_CONTROL_RECORD_BYTES	128u

/* The CPU is going to look at or write to intermediate tensors, and is done. All passes are
 * complete. */
void nn_plan_begin_cpu(struct nn_plan *plan);
void nn_plan_end_cpu(struct nn_plan *plan);

const struct nn_block *nn_binding_constants(const struct nn_binding *binding);

#endif
