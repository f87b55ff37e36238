// SPDX-License-Identifier: MIT
/*
 * Binding: the plan's regions get memory on a device, and the programs its addresses.
 *
 * Constants, arena and queue live as long as the plan. Buffers are the caller's, in place, where
 * the device can work there or where they are dma-bufs; else they are the library's and data is
 * copied in and out. Programs are written anew only when an address or a size has changed.
 *
 * A stream (streams.c) has an arena and programs of its own. No execution fails for want of memory
 * that only the further streams take: then there are fewer.
 */
#include "bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

#define PROFILE_BYTES	(256u << 10)	/* memory for counters of one submission */

struct nn_shared_block {
	atomic_uint references;
	struct nn_device *device;
	struct nn_block block;
};

/* ---- Constants */

static void shared_put(struct nn_shared_block *shared)
{
	if (!shared || atomic_fetch_sub(&shared->references, 1) != 1)
		return;
	nn_destroy_block(shared->device, &shared->block);
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
	error = nn_create_constant(plan->graph, device, plan->constants.bytes, &shared->block);
	if (error)
		goto free_shared;
	device->ops->block_begin(device, &shared->block, true);
	write_constants(&plan->constants, shared->block.data);
	device->ops->block_end(device, &shared->block, true);
	error = nn_seal_block(plan->graph, device, &shared->block);
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

/* ---- Streams */

/* Room for their programs, with the regions that each of them has on the host device. */
static int make_streams(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	uint32_t i, j;

	binding->streams =
		nn_pool_array(&plan->pool, plan->stream_count, sizeof(*binding->streams));
	for (i = 0; i < plan->stream_count && binding->streams; i++) {
		struct nn_bound_program *programs =
			nn_pool_array(&plan->pool, plan->part_count, sizeof(*programs));

		binding->streams[i].programs = programs;
		for (j = 0; j < plan->part_count && programs; j++) {
			struct nn_program *program = plan->parts[j].program;

			if (!program)
				continue;
			programs[j].program = program;
			programs[j].memory = nn_pool_array(&plan->pool, program->region_count,
							   sizeof(*programs[j].memory));
			if (!programs[j].memory)
				return nn_graph_no_memory(plan->graph);
		}
		if (!programs)
			return nn_graph_no_memory(plan->graph);
	}
	return binding->streams ? 0 : nn_graph_no_memory(plan->graph);
}

/* Arenas for the further streams, as many as can be had. */
static void add_streams(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;

	while (!binding->single && binding->stream_count < plan->stream_count) {
		binding->bound = false;
		if (nn_create_block(plan->graph, binding->device, plan->arena_bytes,
				 &binding->streams[binding->stream_count].arena)) {
			plan->graph->error = (struct nn_error){ 0 };
			binding->single = true;
			return;
		}
		binding->stream_count++;
	}
}

void nn_plan_release_streams(struct nn_plan *plan)
{
	struct nn_binding *binding = plan ? plan->binding : NULL;

	while (binding && binding->stream_count > 1)
		nn_destroy_block(binding->device, &binding->streams[--binding->stream_count].arena);
}

/* An error that may be the further streams' fault: then they are gone, and it is worth another
 * try. */
static bool make_room(struct nn_plan *plan, int error)
{
	if ((error != -ENOSPC && error != -ENOMEM) || plan->binding->stream_count == 1)
		return false;
	nn_plan_release_streams(plan);
	plan->binding->single = true;
	plan->graph->error = (struct nn_error){ 0 };
	return true;
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
	error = make_streams(plan);
	if (error)
		return error;
	error = nn_create_block(plan->graph, device, plan->arena_bytes, &binding->streams[0].arena);
	binding->stream_count = !error;
	return error;
}

void nn_binding_destroy(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	uint32_t i;

	if (!binding)
		return;
	for (i = 0; i < binding->stream_count; i++) {
		nn_binding_drop_queue(binding, i);
		nn_destroy_block(binding->device, &binding->streams[i].arena);
	}
	for (i = 0; i < plan->input_count + plan->output->input_count; i++)
		nn_destroy_block(binding->device, &binding->buffers[i]);
	nn_destroy_block(binding->device, &binding->control);
	nn_destroy_block(binding->device, &binding->profile);
	nn_destroy_block(binding->device, &binding->programs);
	shared_put(binding->constants);
	nn_device_unref(binding->device);
	plan->binding = NULL;
}

int nn_binding_need_queues(struct nn_graph *graph, struct nn_binding *binding, uint32_t *count)
{
	uint32_t i;
	int error;

	for (i = 0; i < binding->stream_count; i++) {
		struct nn_stream *stream = &binding->streams[i];

		if (stream->queue)
			continue;
		error = binding->device->ops->queue_create(binding->device, &stream->queue,
							   &graph->error);
		if (error && !i)
			return error;
		if (error) {
			graph->error = (struct nn_error){ 0 };
			break;
		}
	}
	*count = i;
	return 0;
}

void nn_binding_drop_queue(struct nn_binding *binding, uint32_t stream)
{
	if (!binding->streams[stream].queue)
		return;
	binding->device->ops->queue_destroy(binding->streams[stream].queue);
	binding->streams[stream].queue = NULL;
}

void nn_binding_drop_further_queues(struct nn_binding *binding)
{
	uint32_t i;

	for (i = 1; i < binding->stream_count; i++)
		nn_binding_drop_queue(binding, i);
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
		nn_destroy_block(device, block);
		error = device->ops->block_import(device, buffer->fd, buffer->offset, size,
						  index >= plan->input_count, block,
						  &plan->graph->error);
		block->callers = !error;
		return error;
	}
	if (device->in_place) {
		nn_destroy_block(device, block);
		*block = (struct nn_block){ .data = buffer->data, .size = size, .callers = true };
		return 0;
	}
	if (block->data && !block->callers && block->size >= size)
		return 0;
	nn_destroy_block(device, block);
	return nn_create_block(plan->graph, device, size, block);
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
	if (level && !nn_plan_knows_rows(plan, level))
		needed = 0;
	else if (level)
		needed = plan->total_rows[level];
	if (room < needed)
		return nn_graph_fail(plan->graph, plan->output, -ENOSPC,
				     "output %u%s has room for %llu rows, but there will be %llu",
				     slot, name, (unsigned long long)room,
				     (unsigned long long)needed);
	if (!level || nn_plan_knows_rows(plan, level))
		room = needed;
	if (room > NN_MAX_TENSOR_BYTES / row)
		room = NN_MAX_TENSOR_BYTES / row;
	if (room && !buffer->data && !(buffer->flags & NN_BUFFER_DMABUF))
		return nn_graph_fail(plan->graph, NULL, -EINVAL, "output %u%s has no memory", slot,
				     name);
	plan->binding->output_rooms[slot] = room;
	return bind_buffer(plan, plan->input_count + slot, buffer, room * row);
}

/* ---- Executions */

/* Memory for counters, of at least one pass, which may be a control program's. */
static int need_profile(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	uint64_t size = PROFILE_BYTES;
	uint32_t i;

	if (!(plan->flags & NN_PREPARE_PROFILE) || binding->profile.size)
		return 0;
	for (i = 0; i < plan->part_count; i++) {
		uint64_t bytes = NN_CONTROL_RECORD_BYTES;

		if (!plan->parts[i].program)
			continue;
		bytes += nn_part_profile_bytes(plan, &plan->parts[i]);
		if (bytes > size)
			size = bytes;
	}
	return nn_create_block(plan->graph, binding->device, size, &binding->profile);
}

static int bind_buffers(struct nn_plan *plan, const struct nn_buffer *inputs,
			const struct nn_buffer *outputs)
{
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
	return need_profile(plan);
}

int nn_plan_bind_buffers(struct nn_plan *plan, const struct nn_buffer *inputs,
			 const struct nn_buffer *outputs)
{
	struct nn_binding *binding = plan->binding;
	int error;

	error = bind_buffers(plan, inputs, outputs);
	if (error && make_room(plan, error))
		error = bind_buffers(plan, inputs, outputs);
	if (error)
		return error;
	add_streams(plan);
	nn_plan_place_programs(plan);
	if (binding->bound || binding->device->in_place)
		return 0;
	error = nn_plan_upload_programs(plan);
	if (error && make_room(plan, error))
		error = nn_plan_upload_programs(plan);
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

/* Unbinds the caller's buffers, which are his again. */
void nn_plan_unbind_buffers(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	uint32_t i;

	for (i = 0; i < plan->input_count + plan->output->input_count; i++)
		if (binding->buffers[i].callers)
			nn_destroy_block(binding->device, &binding->buffers[i]);
}

/* ---- CPU access */

static void access_cpu(struct nn_plan *plan, bool begin)
{
	struct nn_binding *binding = plan->binding;
	const struct nn_device_ops *ops = binding->device->ops;
	void (*call)(struct nn_device *device, const struct nn_block *block, bool write) =
		begin ? ops->block_begin : ops->block_end;
	uint32_t i;

	for (i = 0; i < binding->stream_count; i++)
		call(binding->device, &binding->streams[i].arena, true);
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
