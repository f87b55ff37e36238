// SPDX-License-Identifier: MIT
/*
 * Binding: the plan's regions get memory on a device, and the programs its addresses.
 *
 * Constants, arena and queue live as long as the plan. Buffers are the caller's, in place, where
 * the device can work there or where they are dma-bufs; else they are the library's and data is
 * copied in and out. Programs are written anew only when an address or a size has changed.
 */
#include "bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nn_shared_block {
	atomic_uint references;
	struct nn_device *device;
	struct nn_block block;
};

static int create_block(struct nn_graph *graph, struct nn_device *device, uint64_t size,
			struct nn_block *block)
{
	return device->ops->block_create(device, size ? size : 1, block, &graph->error);
}

/* For what seal_data() makes of it, once it is filled. */
static int create_constant(struct nn_graph *graph, struct nn_device *device, uint64_t size,
			   struct nn_block *block)
{
	return device->ops->constant_create(device, size ? size : 1, block, &graph->error);
}

static void destroy_block(struct nn_device *device, struct nn_block *block)
{
	if (block->data || block->handle || block->mapping)
		device->ops->block_destroy(device, block);
	*block = (struct nn_block){ 0 };
}

/* Make a block that the device can read and nobody can write any more. */
static int seal_data(struct nn_graph *graph, struct nn_device *device, struct nn_block *block)
{
	int error = device->ops->block_seal(device, block, &graph->error);

	if (error)
		destroy_block(device, block);
	return error;
}

/* ---- Constants */

static void shared_put(struct nn_shared_block *shared)
{
	if (!shared || atomic_fetch_sub(&shared->references, 1) != 1)
		return;
	destroy_block(shared->device, &shared->block);
	nn_device_unref(shared->device);
	free(shared);
}

static void write_constants(const struct nn_constants *constants, uint8_t *to)
{
	const struct nn_constant *constant;

	for (constant = constants->first; constant; constant = constant->next) {
		if (constant->fill)
			constant->fill(to + constant->offset, constant->node);
		else
			memcpy(to + constant->offset, constant->data, constant->bytes);
	}
}

static int upload_constants(struct nn_plan *plan, struct nn_device *device,
			    struct nn_shared_block **result)
{
	struct nn_shared_block *shared = calloc(1, sizeof(*shared));
	int error;

	if (!shared)
		return nn_graph_no_memory(plan->graph);
	error = create_constant(plan->graph, device, plan->constants.bytes, &shared->block);
	if (error)
		goto free_shared;
	device->ops->block_begin(device, &shared->block, true);
	write_constants(&plan->constants, shared->block.data);
	device->ops->block_end(device, &shared->block, true);
	error = seal_data(plan->graph, device, &shared->block);
	if (error)
		goto free_shared;

	/* The device has them now. */
	nn_pool_free(&plan->constants.pool);
	plan->constants.first = NULL;
	plan->constants.last = NULL;
	shared->references = 1;
	shared->device = nn_device_ref(device);
	*result = shared;
	return 0;

free_shared:
	free(shared);
	return error;
}

const struct nn_block *nn_binding_constants(const struct nn_binding *binding)
{
	return &binding->constants->block;
}

/* ---- Life */

int nn_plan_bind(struct nn_plan *plan, struct nn_device *device, struct nn_binding *earlier)
{
	uint32_t buffers = plan->input_count + plan->output->input_count;
	struct nn_binding *binding = nn_pool_alloc(&plan->pool, sizeof(*binding));
	int error;

	if (!binding)
		return nn_graph_no_memory(plan->graph);
	binding->buffers = nn_pool_array(&plan->pool, buffers, sizeof(*binding->buffers));
	binding->output_rooms = nn_pool_array(&plan->pool, plan->output->input_count,
					      sizeof(*binding->output_rooms));
	if (!binding->buffers || !binding->output_rooms)
		return nn_graph_no_memory(plan->graph);
	binding->device = nn_device_ref(device);
	plan->binding = binding;

	if (earlier) {
		atomic_fetch_add(&earlier->constants->references, 1);
		binding->constants = earlier->constants;
	} else {
		error = upload_constants(plan, device, &binding->constants);
		if (error)
			return error;
	}
	return create_block(plan->graph, device, plan->arena_bytes, &binding->arena);
}

void nn_binding_destroy(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	uint32_t i;

	if (!binding)
		return;
	nn_binding_drop_queue(binding);
	for (i = 0; i < plan->input_count + plan->output->input_count; i++)
		destroy_block(binding->device, &binding->buffers[i]);
	destroy_block(binding->device, &binding->profile);
	destroy_block(binding->device, &binding->programs);
	destroy_block(binding->device, &binding->arena);
	shared_put(binding->constants);
	nn_device_unref(binding->device);
	plan->binding = NULL;
}

int nn_binding_need_queue(struct nn_graph *graph, struct nn_binding *binding)
{
	if (binding->queue)
		return 0;
	return binding->device->ops->queue_create(binding->device, &binding->queue, &graph->error);
}

void nn_binding_drop_queue(struct nn_binding *binding)
{
	if (!binding->queue)
		return;
	binding->device->ops->queue_destroy(binding->queue);
	binding->queue = NULL;
}

/* ---- Buffers */

static const char *value_name(const struct nn_value *value, char *text, size_t size)
{
	if (value->info.name)
		snprintf(text, size, " \"%s\"", value->info.name);
	else
		*text = 0;
	return text;
}

static int check_memory(struct nn_plan *plan, const struct nn_value *value,
			const struct nn_buffer *buffer, const char *what, uint32_t slot,
			uint64_t needed)
{
	char name[72];

	value_name(value, name, sizeof(name));
	if (buffer->flags & ~NN_BUFFER_DMABUF)
		return nn_graph_fail(plan->graph, NULL, -EINVAL, "%s %u%s has unknown flags", what,
				     slot, name);
	if (buffer->flags & NN_BUFFER_DMABUF) {
		if (buffer->fd < 0 || buffer->offset % 128)
			return nn_graph_fail(
				plan->graph, NULL, -EINVAL,
				"%s %u%s needs a dma-buf and an offset that is a multiple of 128",
				what, slot, name);
		return 0;
	}
	if (needed && !buffer->data)
		return nn_graph_fail(plan->graph, NULL, -EINVAL, "%s %u%s has no data", what, slot,
				     name);
	if ((uintptr_t)buffer->data % nn_data_type_size(value->info.type))
		return nn_graph_fail(plan->graph, NULL, -EINVAL,
				     "%s %u%s is not aligned to its element size, %u", what, slot,
				     name, nn_data_type_size(value->info.type));
	return 0;
}

/* A block for a buffer: the caller's memory if that is possible, else one of ours of at least this
 * size, kept from one execution to the next. */
static int bind_buffer(struct nn_plan *plan, uint32_t index, const struct nn_buffer *buffer,
		       uint64_t size)
{
	struct nn_binding *binding = plan->binding;
	struct nn_device *device = binding->device;
	struct nn_block *block = &binding->buffers[index];
	int error;

	if (buffer->flags & NN_BUFFER_DMABUF) {
		destroy_block(device, block);
		error = device->ops->block_import(device, buffer->fd, buffer->offset, size,
						  index >= plan->input_count, block,
						  &plan->graph->error);
		block->callers = !error;
		return error;
	}
	if (device->in_place) {
		destroy_block(device, block);
		*block = (struct nn_block){ .data = buffer->data, .size = size, .callers = true };
		return 0;
	}
	if (block->data && !block->callers && block->size >= size)
		return 0;
	destroy_block(device, block);
	return create_block(plan->graph, device, size, block);
}

static int bind_input(struct nn_plan *plan, uint32_t slot, const struct nn_buffer *buffer)
{
	struct nn_device *device = plan->binding->device;
	struct nn_block *block = &plan->binding->buffers[slot];
	const struct nn_value *value = plan->inputs[slot];
	uint64_t size = nn_info_bytes(&value->info);
	char name[72];
	int error;

	if (buffer->size < size)
		return nn_graph_fail(plan->graph, NULL, -EINVAL,
				     "input %u%s has %zu bytes, but %u rows are %llu", slot,
				     value_name(value, name, sizeof(name)), buffer->size,
				     value->info.dims[0], (unsigned long long)size);
	error = check_memory(plan, value, buffer, "input", slot, size);
	if (error)
		return error;
	error = bind_buffer(plan, slot, buffer, size);
	if (error || block->callers)
		return error;
	device->ops->block_begin(device, block, true);
	if (size)
		memcpy(block->data, buffer->data, size);
	device->ops->block_end(device, block, true);
	return 0;
}

static int bind_output(struct nn_plan *plan, uint32_t slot, const struct nn_buffer *buffer)
{
	const struct nn_value *value = plan->output->inputs[slot];
	uint64_t row = nn_info_row_bytes(&value->info), room = buffer->size / row,
		 needed = value->info.dims[0];
	uint32_t level = value->info.level;
	char name[72];
	int error;

	value_name(value, name, sizeof(name));
	error = check_memory(plan, value, buffer, "output", slot, 0);
	if (error)
		return error;
	/* How many rows there will be is known ahead, or found out pass by pass. */
	if (level && plan->walk_error)
		needed = 0;
	else if (level)
		needed = plan->total_rows[level];
	if (room < needed)
		return nn_graph_fail(plan->graph, plan->output, -ENOSPC,
				     "output %u%s has room for %llu rows, but there will be %llu",
				     slot, name, (unsigned long long)room,
				     (unsigned long long)needed);
	if (!level || !plan->walk_error)
		room = needed;
	if (room > NN_MAX_TENSOR_BYTES / row)
		room = NN_MAX_TENSOR_BYTES / row;
	if (room && !buffer->data && !(buffer->flags & NN_BUFFER_DMABUF))
		return nn_graph_fail(plan->graph, NULL, -EINVAL, "output %u%s has no memory", slot,
				     name);
	plan->binding->output_rooms[slot] = room;
	return bind_buffer(plan, plan->input_count + slot, buffer, room * row);
}

/* ---- Programs */

/* The output that a region of the plan is, by slot. */
static uint32_t output_slot(const struct nn_plan *plan, uint32_t region)
{
	return region - NN_REGION_INPUTS - plan->input_count;
}

/* The memory of a region of the plan. */
static const struct nn_block *find_region(const struct nn_plan *plan, uint32_t region,
					  uint64_t *size)
{
	const struct nn_binding *binding = plan->binding;
	uint32_t buffer = region - NN_REGION_INPUTS, slot = output_slot(plan, region);

	switch (region) {
	case NN_REGION_CONSTANTS:
		*size = plan->constants.bytes;
		return nn_binding_constants(binding);
	case NN_REGION_ARENA:
		*size = plan->arena_bytes;
		return &binding->arena;
	}
	if (buffer < plan->input_count)
		*size = nn_info_bytes(&plan->inputs[buffer]->info);
	else
		*size = binding->output_rooms[slot] *
			nn_info_row_bytes(&plan->output->inputs[slot]->info);
	return &binding->buffers[buffer];
}

static void set_regions(struct nn_plan *plan, struct nn_part *part)
{
	struct nn_program_region *regions = nn_program_regions(part->program);
	uint32_t i;

	for (i = 0; i < part->program->region_count; i++) {
		uint64_t size;
		const struct nn_block *block = find_region(plan, part->regions[i], &size);

		part->memory[i] = (struct nn_memory){
			.base = block->data,
			.size = size,
			.writable = regions[i].flags & NN_REGION_WRITABLE,
		};
		if (regions[i].base == block->address && regions[i].size == size)
			continue;
		regions[i].base = block->address;
		regions[i].size = size;
		plan->binding->bound = false;
	}
}

/* Tensors in an output have the room of the caller's buffer. */
static void set_output_rooms(struct nn_plan *plan, struct nn_part *part)
{
	struct nn_program_tensor *tensors = nn_program_tensors(part->program);
	uint32_t i;

	for (i = 0; i < part->program->tensor_count; i++) {
		uint64_t room;

		if (tensors[i].place != NN_PLACE_OUTPUT)
			continue;
		room = plan->binding->output_rooms[output_slot(plan,
							       part->regions[tensors[i].source])];
		if (tensors[i].dims[0] == room)
			continue;
		tensors[i].dims[0] = room;
		plan->binding->bound = false;
	}
}

/* All programs in one block, each at a multiple of 128. */
static int upload_programs(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	struct nn_device *device = binding->device;
	struct nn_block block;
	uint64_t size = 0, offset = 0;
	uint32_t i;
	int error;

	for (i = 0; i < plan->part_count; i++)
		if (plan->parts[i].program)
			size += (plan->parts[i].program->size + 127) & ~127u;
	error = create_constant(plan->graph, device, size, &block);
	if (error)
		return error;
	device->ops->block_begin(device, &block, true);
	for (i = 0; i < plan->part_count; i++) {
		struct nn_program *program = plan->parts[i].program;

		if (!program)
			continue;
		memcpy((uint8_t *)block.data + offset, program, program->size);
		plan->parts[i].bound.address = block.address + offset;
		offset += (program->size + 127) & ~127u;
	}
	device->ops->block_end(device, &block, true);
	error = seal_data(plan->graph, device, &block);
	if (error)
		return error;
	destroy_block(device, &binding->programs);
	binding->programs = block;
	return 0;
}

int nn_plan_bind_buffers(struct nn_plan *plan, const struct nn_buffer *inputs,
			 const struct nn_buffer *outputs)
{
	struct nn_binding *binding = plan->binding;
	uint32_t i;
	int error;

	for (i = 0; i < plan->input_count; i++) {
		error = bind_input(plan, i, &inputs[i]);
		if (error)
			return error;
	}
	for (i = 0; i < plan->output->input_count; i++) {
		error = bind_output(plan, i, &outputs[i]);
		if (error)
			return error;
	}
	for (i = 0; i < plan->part_count; i++) {
		struct nn_part *part = &plan->parts[i];

		if (!part->program)
			continue;
		set_regions(plan, part);
		set_output_rooms(plan, part);
		part->bound.program = part->program;
		part->bound.memory = part->memory;
	}
	if (binding->bound || binding->device->in_place)
		return 0;
	error = upload_programs(plan);
	binding->bound = !error;
	return error;
}

void nn_plan_fetch_outputs(struct nn_plan *plan, struct nn_buffer *outputs, const uint64_t *rows)
{
	struct nn_device *device = plan->binding->device;
	uint32_t i;

	for (i = 0; i < plan->output->input_count; i++) {
		struct nn_block *block = &plan->binding->buffers[plan->input_count + i];
		uint64_t size = rows[i] * nn_info_row_bytes(&plan->output->inputs[i]->info);

		outputs[i].rows = rows[i];
		if (block->callers || !size)
			continue;
		device->ops->block_begin(device, block, false);
		memcpy(outputs[i].data, block->data, size);
		device->ops->block_end(device, block, false);
	}
}

/* What is the caller's is his again. */
void nn_plan_unbind_buffers(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	uint32_t i;

	for (i = 0; i < plan->input_count + plan->output->input_count; i++)
		if (binding->buffers[i].callers)
			destroy_block(binding->device, &binding->buffers[i]);
}

/* ---- CPU access */

static void access_cpu(struct nn_plan *plan, bool begin)
{
	struct nn_binding *binding = plan->binding;
	const struct nn_device_ops *ops = binding->device->ops;
	void (*call)(struct nn_device *device, const struct nn_block *block, bool write) =
		begin ? ops->block_begin : ops->block_end;
	uint32_t i;

	call(binding->device, &binding->arena, true);
	for (i = 0; i < plan->input_count + plan->output->input_count; i++)
		call(binding->device, &binding->buffers[i], i >= plan->input_count);
}

void nn_plan_begin_cpu(struct nn_plan *plan)
{
	access_cpu(plan, true);
}

void nn_plan_end_cpu(struct nn_plan *plan)
{
	access_cpu(plan, false);
}
