/* SPDX-License-Identifier: MIT */
/*
 * Memory on the device that a plan is bound to.
 */
#ifndef NN_BLOCKS_H
#define NN_BLOCKS_H

#include "plan.h"

static inline int nn_create_block(struct nn_graph *graph, struct nn_device *device, uint64_t size,
			struct nn_block *block)
{
	return device->ops->block_create(device, size ? size : 1, block, &graph->error);
}

/* Creates a block for what nn_seal_block() makes of it, once it is filled. */
static inline int nn_create_constant(struct nn_graph *graph, struct nn_device *device,
				     uint64_t size, struct nn_block *block)
{
	return device->ops->constant_create(device, size ? size : 1, block, &graph->error);
}

static inline void nn_destroy_block(struct nn_device *device, struct nn_block *block)
{
	if (block->data || block->handle || block->mapping)
		device->ops->block_destroy(device, block);
	*block = (struct nn_block){ 0 };
}

/* Make a block that the device can read and nobody can write any more. */
static inline int nn_seal_block(struct nn_graph *graph, struct nn_device *device,
				struct nn_block *block)
{
	int error = device->ops->block_seal(device, block, &graph->error);

	if (error)
		nn_destroy_block(device, block);
	return error;
}

#endif
