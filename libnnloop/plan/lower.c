// SPDX-License-Identifier: MIT
/*
 * Lowering: partitions are split into parts around operators that execute on the host, and each
 * part of the device becomes a program, which its operators write (ops/support/emit.h).
 *
 * The regions of a plan are constants, arena, inputs, outputs. A program has those that it uses:
 * with all of them, programs of a graph with many outputs would consist of little else. Addresses
 * are filled in when the plan is bound to memory (bind.c).
 */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/interpreter.h"
#include "ops/support/work.h"

_Static_assert((int)NN_INT8 == NN_TYPE_INT8 && (int)NN_UINT8 == NN_TYPE_UINT8 &&
		       (int)NN_INT16 == NN_TYPE_INT16 && (int)NN_UINT16 == NN_TYPE_UINT16 &&
		       (int)NN_INT32 == NN_TYPE_INT32 && (int)NN_FLOAT32 == NN_TYPE_FLOAT32 &&
		       (int)NN_BOOL == NN_TYPE_BOOL && (int)NN_INT64 == NN_TYPE_INT64 &&
		       (int)NN_UINT32 == NN_TYPE_UINT32 && (int)NN_UINT64 == NN_TYPE_UINT64,
	       "the library's and the program's numbers for data types");

/* ---- Parts */

/* The kinds of nodes that a part can be of. Those other than PART_DEVICE split a partition. */
enum part_kind { PART_DEVICE, PART_HOST, PART_FIRST_ONLY, PART_BEFORE_LOOP };

static enum part_kind part_kind(const struct nn_node *node)
{
	if (node->runs_on == NN_RUNS_CPU && !nn_node_is_lcn(node))
		return PART_HOST;
	if (nn_node_is_before_loop(node))
		return PART_BEFORE_LOOP;
	/* One that persists is set before the first pass (run/state.c), and adds nothing here. */
	return nn_node_has(node, NN_OP_STATE) && !nn_node_persists(node) &&
			       node->runs_in == node->scope ?
		       PART_FIRST_ONLY :
		       PART_DEVICE;
}

/* Tensors that a node adds to a program at most: each of its own is described anew, and a table. It
 * needs no more operators or regions than that. */
static uint64_t most_tensors(const struct nn_node *node)
{
	if (!node->op->lower)
		return 0;
	return 1ull + node->input_count + node->output_count + node->hidden_count;
}

/* Bytes of a program with so many tensors at most. */
static uint64_t most_bytes(const struct nn_plan *plan, uint64_t tensors)
{
	uint64_t regions = tensors < plan->region_count ? tensors : plan->region_count;

	return sizeof(struct nn_program) + regions * sizeof(struct nn_program_region) +
	       tensors * (sizeof(struct nn_program_tensor) + sizeof(struct nn_program_op));
}

/* Count the parts, and write them down if there is a place for them. A device's part is no longer
 * than a program can be. */
static uint32_t split(const struct nn_plan *plan, struct nn_part *parts)
{
	uint32_t i = 0, count = 0, number = 0;

	while (i < plan->node_count) {
		enum part_kind kind = part_kind(plan->nodes[i]);
		struct nn_part part = { .partition = plan->nodes[i]->refs, .first = i };
		uint64_t tensors = 0;

		if (i && plan->nodes[i - 1]->refs != part.partition)
			number = 0;
		part.number = number;
		if (kind == PART_HOST)
			part.host_node = plan->nodes[i++];
		else
			number++;
		if (kind == PART_FIRST_ONLY)
			part.first_only = plan->nodes[i]->scope->level;
		part.before_loop = kind == PART_BEFORE_LOOP;
		while (kind != PART_HOST && i < plan->node_count &&
		       plan->nodes[i]->refs == part.partition &&
		       part_kind(plan->nodes[i]) == kind) {
			tensors += most_tensors(plan->nodes[i]);
			if (most_bytes(plan, tensors) > NN_PROGRAM_MAX_SIZE && i > part.first)
				break;
			i++;
		}
		part.count = i - part.first;
		if (parts)
			parts[count] = part;
		count++;
	}
	return count;
}

static int make_parts(struct nn_plan *plan)
{
	uint32_t i, partition = 0;

	plan->part_count = split(plan, NULL);
	plan->parts = nn_pool_array(&plan->pool, plan->part_count, sizeof(*plan->parts));
	plan->first_part = nn_pool_array(&plan->pool, plan->partition_count + 1,
					 sizeof(*plan->first_part));
	if (!plan->parts || !plan->first_part)
		return nn_graph_no_memory(plan->graph);
	split(plan, plan->parts);
	for (i = 0; i < plan->part_count; i++)
		while (partition <= plan->parts[i].partition)
			plan->first_part[partition++] = i;
	while (partition <= plan->partition_count)
		plan->first_part[partition++] = plan->part_count;
	return 0;
}

/* ---- Programs */

static const char *const reasons[] = {
	[NN_REASON_ADDRESS] = "an address is outside of the DSP's window or misaligned",
	[NN_REASON_HEADER] = "its header is wrong",
	[NN_REASON_REGION] = "a region is wrong",
	[NN_REASON_TENSOR] = "a tensor is wrong or does not fit its region",
	[NN_REASON_OPCODE] = "the operator is unknown",
	[NN_REASON_OPERAND] = "an operand is missing, of the wrong type or not writable",
	[NN_REASON_SHAPE] = "the shapes do not fit each other",
	[NN_REASON_PARAMETER] = "a parameter is out of range",
	[NN_REASON_ROWS] = "the rows of the pass exceed a tensor",
	[NN_REASON_PITCH] = "an operand's pixels lie apart, which the operator cannot have",
	[NN_REASON_STEP] = "a step of the control program is wrong",
	[NN_REASON_STATE] = "the state of the control program is wrong",
	[NN_REASON_PROGRESS] = "the loop makes no progress: an iteration has 0 rows",
	[NN_REASON_TRIPS] = "the number of the loop's iterations is below 0 or above its most",
	[NN_REASON_TOO_MANY] = "the loop counts more than 2^32 - 1 rows",
	[NN_REASON_LIMIT] = "the loops take more passes than the limit",
	[NN_REASON_VERSION] =
		"the firmware runs programs of another version than this library writes: install matching ones",
};

const char *nn_program_reason_text(uint32_t reason)
{
	if (reason < sizeof(reasons) / sizeof(reasons[0]) && reasons[reason])
		return reasons[reason];
	return "for a reason this library does not know";
}

static struct nn_program_region describe_region(const struct nn_plan *plan, uint32_t region)
{
	const struct nn_value *value;

	if (region == NN_REGION_CONSTANTS)
		return (struct nn_program_region){ .size = plan->constants.bytes };
	if (region == NN_REGION_ARENA)
		return (struct nn_program_region){ .size = plan->arena_bytes,
						   .flags = NN_REGION_WRITABLE };
	region -= NN_REGION_INPUTS;
	if (region < plan->input_count)
		return (struct nn_program_region){
			.size = nn_info_bytes(&plan->inputs[region]->info)
		};
	value = plan->output->inputs[region - plan->input_count];
	return (struct nn_program_region){ .size = nn_info_bytes(&value->info),
					   .flags = NN_REGION_WRITABLE };
}

static void fill_regions(const struct nn_plan *plan, const struct nn_part *part)
{
	uint32_t i;

	for (i = 0; i < part->program->region_count; i++)
		nn_program_regions(part->program)[i] = describe_region(plan, part->regions[i]);
}

/* Numbers the regions that a program uses, and calls them by these numbers in its tensors. Adds to
 * *count, how many there are. */
static int number_regions(struct nn_plan *plan, struct nn_lowering *lowering, struct nn_part *part,
			  uint32_t *count)
{
	uint32_t most = lowering->tensor_count, i;

	if (most > plan->region_count)
		most = plan->region_count;
	part->regions = nn_pool_array(&plan->pool, most, sizeof(*part->regions));
	if (!part->regions)
		return nn_graph_no_memory(plan->graph);
	for (i = 0; i < lowering->tensor_count; i++) {
		struct nn_program_tensor *tensor = &lowering->tensors[i];
		struct nn_region_use *use;

		if (tensor->place == NN_PLACE_VIEW)
			continue;
		use = &plan->region_uses[tensor->source];
		if (use->program != lowering->number) {
			*use = (struct nn_region_use){ lowering->number, *count };
			part->regions[(*count)++] = tensor->source;
		}
		tensor->source = use->number;
	}
	return 0;
}

/* Put the pieces together. Regions are filled in when all programs are written, since the constants
 * grow until then. */
static int finish_program(struct nn_plan *plan, struct nn_lowering *lowering, struct nn_part *part)
{
	struct nn_program *program;
	uint32_t regions = 0, i;
	uint8_t *place;
	uint64_t size;
	int error;

	error = number_regions(plan, lowering, part, &regions);
	if (error)
		return error;
	size = sizeof(struct nn_program) + regions * sizeof(struct nn_program_region) +
	       lowering->tensor_count * sizeof(struct nn_program_tensor) +
	       lowering->op_count * sizeof(struct nn_program_op);
	if (size > NN_PROGRAM_MAX_SIZE)
		return nn_graph_fail(
			plan->graph, NULL, -EOPNOTSUPP,
			"partition %u needs a program of %llu bytes, more than the %u a device takes",
			part->partition, (unsigned long long)size, NN_PROGRAM_MAX_SIZE);
	program = nn_pool_alloc(&plan->pool, size);
	if (!program)
		return nn_graph_no_memory(plan->graph);
	program->magic = NN_PROGRAM_MAGIC;
	program->version = NN_PROGRAM_VERSION;
	program->size = size;
	program->region_count = regions;
	program->tensor_count = lowering->tensor_count;
	program->op_count = lowering->op_count;
	for (i = 0; i < lowering->tensor_count; i++)
		if (nn_level_is_count(lowering->tensors[i].level))
			program->version = NN_PROGRAM_VERSION_COUNTS;
	place = (uint8_t *)(nn_program_regions(program) + regions);
	if (lowering->tensor_count)
		memcpy(place, lowering->tensors,
		       lowering->tensor_count * sizeof(*lowering->tensors));
	place += lowering->tensor_count * sizeof(*lowering->tensors);
	memcpy(place, lowering->ops, lowering->op_count * sizeof(*lowering->ops));
	part->program = program;
	return 0;
}

static int lower_part(struct nn_plan *plan, struct nn_part *part, uint32_t number)
{
	struct nn_lowering lowering = {
		.graph = plan->graph,
		.constants = &plan->constants,
		.output_region = NN_REGION_INPUTS + plan->input_count,
		.number = number,
	};
	uint32_t i, before;
	int error = 0;

	for (i = part->first; i < part->first + part->count && !error; i++) {
		struct nn_node *node = plan->nodes[i];

		node->part = part->number;
		if (!nn_node_is_lowered(node))
			continue;
		before = lowering.op_count;
		error = node->op->lower(&lowering, node);
		if (!nn_node_is_lcn(node) && lowering.op_count == before)
			node->runs_on = NN_RUNS_NOWHERE;
	}
	if (!error && lowering.op_count)
		error = finish_program(plan, &lowering, part);
	for (i = 0; i < lowering.op_count; i++) {
		const struct nn_work work = nn_op_work(&lowering.ops[i], lowering.tensors, NULL);

		plan->bytes_moved += work.bytes_read + work.bytes_written;
		plan->macs += work.macs;
		plan->float_ops += work.float_packets != 0;
		plan->float_macs += work.float_packets ? work.macs : 0;
		plan->float_packets += work.float_packets;
	}
	free(lowering.tensors);
	free(lowering.ops);
	return error;
}

/*
 * Checks a program as the device will: what is wrong with it is found here, with the node's name.
 */
static int check_program(struct nn_plan *plan, const struct nn_part *part)
{
	struct nn_failure failure;
	const struct nn_program_op *op;
	const char *reason;

	if (!nn_program_check(part->program, part->program->size, &failure))
		return 0;
	reason = nn_program_reason_text(failure.reason);
	if (failure.op == NN_SAME_OP)
		return nn_graph_fail(plan->graph, NULL, -EINVAL,
				     "the program of partition %u cannot run: %s", part->partition,
				     reason);
	op = &nn_program_ops(part->program)[failure.op];
	return nn_graph_fail(plan->graph, nn_plan_find(plan, op->node), -EOPNOTSUPP,
			     "the device cannot do this: %s", reason);
}

/* Marks the nodes of which an operator runs in portable C on a DSP. */
static void mark_portable(struct nn_plan *plan, const struct nn_part *part)
{
	uint32_t i;

	for (i = 0; i < part->program->op_count; i++) {
		if (!nn_program_op_has_vectors(part->program, i))
			nn_plan_find(plan, nn_program_ops(part->program)[i].node)->is_portable =
				true;
	}
}

int nn_plan_lower(struct nn_plan *plan)
{
	uint32_t i, number = 0;
	int error;

	plan->region_count = NN_REGION_INPUTS + plan->input_count + plan->output->input_count;
	plan->region_uses =
		nn_pool_array(&plan->pool, plan->region_count, sizeof(*plan->region_uses));
	if (!plan->region_uses)
		return nn_graph_no_memory(plan->graph);
	error = make_parts(plan);
	if (error)
		return error;
	for (i = 0; i < plan->part_count; i++) {
		struct nn_part *part = &plan->parts[i];

		if (part->host_node) {
			part->host_node->part = part->number;
			continue;
		}
		error = lower_part(plan, part, ++number);
		if (error)
			return error;
	}
	for (i = 0; i < plan->part_count; i++) {
		if (!plan->parts[i].program)
			continue;
		fill_regions(plan, &plan->parts[i]);
		error = check_program(plan, &plan->parts[i]);
		if (error)
			return error;
		mark_portable(plan, &plan->parts[i]);
	}
	return 0;
}
