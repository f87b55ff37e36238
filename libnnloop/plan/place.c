// SPDX-License-Identifier: MIT
/*
 * Placing programs: the addresses of the memory that a plan is bound to stand in its programs, and
 * these are in the device's memory, all of a plan's in one block, each at a multiple of 128.
 */
#include <string.h>

#include "bind.h"
#include "blocks.h"

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
		return &binding->streams[0].arena;
	}
	if (buffer < plan->input_count)
		*size = nn_info_bytes(&plan->inputs[buffer]->info);
	else
		*size = binding->output_rooms[slot] *
			nn_info_row_bytes(&plan->output->inputs[slot]->info);
	return &binding->buffers[buffer];
}

/* Sets the regions in the programs of the first stream. What others have elsewhere is the arena. */
static void set_regions(struct nn_plan *plan, uint32_t number)
{
	const struct nn_part *part = &plan->parts[number];
	struct nn_program_region *regions = nn_program_regions(part->program);
	struct nn_stream *streams = plan->binding->streams;
	uint32_t i, k;

	for (i = 0; i < part->program->region_count; i++) {
		uint64_t size;
		const struct nn_block *block = find_region(plan, part->regions[i], &size);

		for (k = 0; k < plan->binding->stream_count; k++)
			streams[k].programs[number].memory[i] = (struct nn_memory){
				.base = part->regions[i] == NN_REGION_ARENA ? streams[k].arena.data
									    : block->data,
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
		uint32_t region;
		uint64_t room;

		if (tensors[i].place != NN_PLACE_OUTPUT)
			continue;
		/* What a loop collects is packed, too, and has the room that it needs. */
		region = part->regions[tensors[i].source];
		if (region == NN_REGION_ARENA)
			continue;
		room = plan->binding->output_rooms[output_slot(plan, region)];
		if (tensors[i].dims[0] == room)
			continue;
		tensors[i].dims[0] = room;
		plan->binding->bound = false;
	}
}

void nn_plan_place_programs(struct nn_plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->part_count; i++) {
		if (!plan->parts[i].program)
			continue;
		set_regions(plan, i);
		set_output_rooms(plan, &plan->parts[i]);
	}
}

/* A part's program as a stream has it. */
static void write_program(const struct nn_part *part, const struct nn_stream *stream, void *to)
{
	struct nn_program *program = to;
	uint32_t i;

	memcpy(program, part->program, part->program->size);
	for (i = 0; i < program->region_count; i++)
		if (part->regions[i] == NN_REGION_ARENA)
			nn_program_regions(program)[i].base = stream->arena.address;
}

int nn_plan_upload_programs(struct nn_plan *plan)
{
	struct nn_binding *binding = plan->binding;
	struct nn_device *device = binding->device;
	struct nn_block block;
	uint64_t offset = 0;
	uint32_t i, k;
	int error;

	error = nn_create_constant(plan->graph, device,
				binding->stream_count * nn_plan_program_bytes(plan), &block);
	if (error)
		return error;
	device->ops->block_begin(device, &block, true);
	for (k = 0; k < binding->stream_count; k++) {
		for (i = 0; i < plan->part_count; i++) {
			const struct nn_part *part = &plan->parts[i];

			if (!part->program)
				continue;
			write_program(part, &binding->streams[k], (uint8_t *)block.data + offset);
			binding->streams[k].programs[i].address = block.address + offset;
			offset += nn_program_room(part->program);
		}
	}
	device->ops->block_end(device, &block, true);
	error = nn_seal_block(plan->graph, device, &block);
	if (error)
		return error;
	nn_destroy_block(device, &binding->programs);
	binding->programs = block;
	return 0;
}
