/* SPDX-License-Identifier: MIT */
/*
 * A plan's memory on a device.
 */
#ifndef NN_BIND_H
#define NN_BIND_H

#include "device/device.h"
#include "plan.h"

struct nn_binding {
	struct nn_device *device;
	struct nn_queue *queue;		   /* NULL after it was lost, until the next execution */
	struct nn_shared_block *constants; /* plans of the same graph for other rows share it */
	struct nn_block arena;
	struct nn_block programs; /* sealed, on a device that does not work in place */
	struct nn_block profile;
	struct nn_block *buffers;		/* inputs, then outputs */
	uint64_t *output_rooms;			/* rows, by slot */
	bool bound;				/* programs have the addresses of `buffers` */
};

/* Constants and arena. `earlier`: the binding whose constants are taken over, or NULL. */
int nn_plan_bind(struct nn_plan *plan, struct nn_device *device, struct nn_binding *earlier);
void nn_binding_destroy(struct nn_plan *plan);

/* The buffers of one execution: checks them, takes their data in, and puts their addresses into the
 * programs. */
int nn_plan_bind_buffers(struct nn_plan *plan, const struct nn_buffer *inputs,
			 const struct nn_buffer *outputs);
/* Take the rows that were written out to the caller's memory, and let go of what is his. */
void nn_plan_fetch_outputs(struct nn_plan *plan, struct nn_buffer *outputs, const uint64_t *rows);
void nn_plan_unbind_buffers(struct nn_plan *plan);

/* A queue, if there is none. */
int nn_binding_need_queue(struct nn_graph *graph, struct nn_binding *binding);
void nn_binding_drop_queue(struct nn_binding *binding);

/* The CPU is going to look at or write to intermediate tensors, and is done. All passes are
 * complete. */
void nn_plan_begin_cpu(struct nn_plan *plan);
void nn_plan_end_cpu(struct nn_plan *plan);

const struct nn_block *nn_binding_constants(const struct nn_binding *binding);

#endif
