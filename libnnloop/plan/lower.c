// SPDX-License-Identifier: MIT
/*
 * Lowering: partitions are split into parts around operators that execute on the host, and each
 * part of the device becomes a program.
 *
 * A program's tensors are the values it touches, under the numbers they get when they are first
 * asked for. Its regions are the same for all programs of a plan: constants, arena, inputs,
 * outputs; the addresses are filled in when the plan is bound to memory (bind.c).
 */
#include "lower.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/interpreter.h"
#include "ops/ops.h"
#include "plan.h"

#define CONSTANT_ALIGNMENT	128u

_Static_assert((int)NN_INT8 == NN_TYPE_INT8 && (int)NN_UINT8 == NN_TYPE_UINT8 &&
		       (int)NN_INT16 == NN_TYPE_INT16 && (int)NN_UINT16 == NN_TYPE_UINT16 &&
		       (int)NN_INT32 == NN_TYPE_INT32 && (int)NN_FLOAT32 == NN_TYPE_FLOAT32,
	       "the library's and the program's numbers for data types");

/* The program that is being written. */
struct nn_lowering {
	struct nn_plan *plan;
	/* an earlier plan has written them: only their places are worked out */
	bool have_constants;
	uint32_t number;		/* of this program, from 1 */

	struct nn_program_tensor *tensors;
	uint32_t tensor_count, tensor_room;
	struct nn_program_op *ops;
	uint32_t op_count, op_room;
};

struct nn_graph *nn_lower_graph(struct nn_lowering *lowering)
{
	return lowering->plan->graph;
}

/* Make room for one more element of an array that doubles. */
static int grow(struct nn_lowering *lowering, void *array, size_t size, uint32_t count,
		uint32_t *room)
{
	uint32_t wanted = *room ? *room * 2 : 32;
	void **place = array, *memory;

	if (count < *room)
		return 0;
	memory = realloc(*place, wanted * size);
	if (!memory)
		return nn_graph_no_memory(lowering->plan->graph);
	*place = memory;
	*room = wanted;
	return 0;
}

static int add_tensor(struct nn_lowering *lowering, const struct nn_program_tensor *tensor)
{
	int error;

	if (lowering->tensor_count >= NN_NO_TENSOR - 1)
		return nn_graph_fail(
			lowering->plan->graph, NULL, -EOPNOTSUPP,
			"a partition has more than %u tensors, which no program can hold",
			NN_NO_TENSOR - 1);
	error = grow(lowering, &lowering->tensors, sizeof(*tensor), lowering->tensor_count,
		     &lowering->tensor_room);
	if (error)
		return error;
	lowering->tensors[lowering->tensor_count] = *tensor;
	return lowering->tensor_count++;
}

/* ---- Constants */

static int add_constant(struct nn_lowering *lowering, uint64_t bytes, uint64_t *offset, void **data)
{
	struct nn_plan *plan = lowering->plan;
	uint64_t end;

	*offset = (plan->constant_bytes + CONSTANT_ALIGNMENT - 1) &
		  ~(uint64_t)(CONSTANT_ALIGNMENT - 1);
	end = *offset + bytes;
	if (end > NN_MAX_TENSOR_BYTES)
		return nn_graph_fail(plan->graph, NULL, -EOPNOTSUPP,
				     "the constants are larger than 2 GiB");
	*data = NULL;
	if (!lowering->have_constants) {
		if (end > plan->constant_room) {
			uint64_t room = end + end / 2 + 4096;
			uint8_t *memory = realloc(plan->constants, room);

			if (!memory)
				return nn_graph_no_memory(plan->graph);
			memset(memory + plan->constant_room, 0, room - plan->constant_room);
			plan->constants = memory;
			plan->constant_room = room;
		}
		*data = plan->constants + *offset;
	}
	plan->constant_bytes = end;
	return 0;
}

int nn_lower_constant(struct nn_lowering *lowering, enum nn_type type, uint64_t elements,
		      void **data)
{
	uint64_t bytes = elements * nn_data_type_size((enum nn_data_type)type), offset;
	struct nn_program_tensor tensor = {
		.type = type,
		.rank = 1,
		.place = NN_PLACE_REGION,
		.source = NN_REGION_CONSTANTS,
		.dims = { elements },
	};
	int error;

	error = add_constant(lowering, bytes, &offset, data);
	if (error)
		return error;
	tensor.offset = offset;
	return add_tensor(lowering, &tensor);
}

/* A Const that an operator reads as it is; once for all programs. */
static int store_const(struct nn_lowering *lowering, struct nn_value *value)
{
	void *data;
	int error;

	if (value->stored)
		return 0;
	error = add_constant(lowering, nn_info_bytes(&value->info), &value->offset, &data);
	if (error)
		return error;
	if (data)
		memcpy(data, value->node->data, nn_info_bytes(&value->info));
	value->stored = true;
	return 0;
}

/* ---- Tensors */

static void describe(struct nn_program_tensor *tensor, const struct nn_tensor_info *info)
{
	*tensor = (struct nn_program_tensor){
		.type = info->type,
		.rank = info->rank,
		.level = info->level,
		.zero_point = info->type == NN_FLOAT32 ? 0 : info->zero_point,
	};
	memcpy(tensor->dims, info->dims, sizeof(tensor->dims));
}

static void place_in_output(const struct nn_plan *plan, struct nn_program_tensor *tensor,
			    uint32_t slot)
{
	tensor->place = tensor->level ? NN_PLACE_OUTPUT : NN_PLACE_REGION;
	tensor->source = NN_REGION_INPUTS + plan->input_count + slot;
}

int nn_lower_value(struct nn_lowering *lowering, struct nn_value *value)
{
	struct nn_value *root = nn_value_root(value);
	struct nn_program_tensor tensor;
	int number;

	if (value->program == lowering->number)
		return value->tensor;
	describe(&tensor, &value->info);
	switch (root->storage) {
	case NN_STORAGE_CONST:
		number = store_const(lowering, root);
		if (number)
			return number;
		tensor.source = NN_REGION_CONSTANTS;
		tensor.offset = root->offset;
		break;
	case NN_STORAGE_INPUT:
		tensor.source = NN_REGION_INPUTS + root->slot;
		break;
	case NN_STORAGE_OUTPUT:
		place_in_output(lowering->plan, &tensor, root->slot);
		break;
	case NN_STORAGE_ARENA:
		tensor.source = NN_REGION_ARENA;
		tensor.offset = root->offset;
		break;
	case NN_STORAGE_VIEW:
		number = nn_lower_value(lowering, root->base);
		if (number < 0)
			return number;
		tensor.place = NN_PLACE_VIEW;
		tensor.source = number;
		break;
	default:
		return nn_graph_fail(lowering->plan->graph, value->node, -EINVAL,
				     "output %u is nowhere in memory", value->index);
	}
	number = add_tensor(lowering, &tensor);
	if (number < 0)
		return number;
	value->tensor = number;
	value->program = lowering->number;
	return number;
}

int nn_lower_flat(struct nn_lowering *lowering, struct nn_value *value)
{
	struct nn_program_tensor tensor;
	int number = nn_lower_value(lowering, value);

	if (number < 0)
		return number;
	tensor = lowering->tensors[number];
	tensor.level = 0;
	tensor.rank = 2;
	memset(tensor.dims, 0, sizeof(tensor.dims));
	tensor.dims[0] = 1;
	tensor.dims[1] = value->info.dims[0] * nn_info_row_elements(&value->info);
	return add_tensor(lowering, &tensor);
}

/* ---- Operators */

struct nn_program_op *nn_lower_op(struct nn_lowering *lowering, struct nn_node *node,
				  enum nn_opcode opcode)
{
	struct nn_program_op *op;

	if (grow(lowering, &lowering->ops, sizeof(*op), lowering->op_count, &lowering->op_room))
		return NULL;
	op = &lowering->ops[lowering->op_count++];
	memset(op, 0, sizeof(*op));
	op->opcode = opcode;
	op->node = node->id;
	memset(op->input, 0xff, sizeof(op->input));
	memset(op->output, 0xff, sizeof(op->output));
	return op;
}

void nn_lower_clamp(struct nn_program_op *op, const struct nn_node *node)
{
	const struct nn_tensor_info *info = &node->outputs[0].info;
	float low = rintf(node->clamp_min / info->scale) + info->zero_point;
	float high = rintf(node->clamp_max / info->scale) + info->zero_point;

	if (!nn_type_is_8bit(info->type))
		return;
	nn_type_range(info->type, &op->out_min, &op->out_max);
	if (low > op->out_min)
		op->out_min = low < op->out_max ? (int32_t)low : op->out_max;
	if (high < op->out_max)
		op->out_max = high > op->out_min ? (int32_t)high : op->out_min;
}

int nn_lower_copy(struct nn_lowering *lowering, struct nn_node *node, struct nn_value *from,
		  struct nn_value *to)
{
	int input = nn_lower_value(lowering, from), output = nn_lower_value(lowering, to);
	struct nn_program_op *op;

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node, NN_OPCODE_COPY);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	op->copy.count = 1;
	op->copy.block = nn_info_row_bytes(&from->info);
	return 0;
}

int nn_lower_aliases(struct nn_lowering *lowering, struct nn_node *node)
{
	uint32_t i;
	int error = 0;

	for (i = 0; i < node->output_count && !error; i++)
		if (node->outputs[i].storage != NN_STORAGE_ALIAS)
			error = nn_lower_copy(lowering, node, node->inputs[i % node->input_count],
					      &node->outputs[i]);
	return error;
}

int nn_lower_copy_to_output(struct nn_lowering *lowering, struct nn_node *node,
			    struct nn_value *value, uint32_t slot)
{
	struct nn_program_tensor tensor;
	struct nn_program_op *op;
	int input, output;

	input = nn_lower_value(lowering, value);
	if (input < 0)
		return input;
	describe(&tensor, &value->info);
	place_in_output(lowering->plan, &tensor, slot);
	output = add_tensor(lowering, &tensor);
	if (output < 0)
		return output;
	op = nn_lower_op(lowering, node, NN_OPCODE_COPY);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	op->copy.count = 1;
	op->copy.block = nn_info_row_bytes(&value->info);
	return 0;
}

/*
 * rint(fl(fl(f(x)) / scale)) + zero point, saturated, where x = fl((q - zero point) * scale): what
 * dequantizing, computing in float32 and quantizing again would give.
 */
int nn_lower_table(struct nn_lowering *lowering, struct nn_node *node,
		   double (*function)(double x, const void *opaque), const void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	int input, output, table, i;
	int32_t min, max, from_min, from_max;
	struct nn_program_op *op;
	void *data;

	input = nn_lower_value(lowering, node->inputs[0]);
	output = nn_lower_value(lowering, &node->outputs[0]);
	table = nn_lower_constant(lowering, NN_TYPE_UINT8, 256, &data);
	if (input < 0 || output < 0 || table < 0)
		return input < 0 ? input : output < 0 ? output : table;

	nn_type_range(to->type, &min, &max);
	nn_type_range(from->type, &from_min, &from_max);
	for (i = from_min; data && i <= from_max; i++) {
		float x = (float)(i - from->zero_point) * from->scale;
		float y = rintf((float)function(x, opaque) / to->scale) + (float)to->zero_point;

		((uint8_t *)data)[(uint8_t)i] = (uint8_t)(int32_t)fminf(fmaxf(y, min), max);
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_TABLE);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->input[1] = table;
	op->output[0] = output;
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
};

const char *nn_program_reason_text(uint32_t reason)
{
	if (reason < sizeof(reasons) / sizeof(reasons[0]) && reasons[reason])
		return reasons[reason];
	return "for a reason this library does not know";
}

static void fill_regions(const struct nn_plan *plan, struct nn_program_region *regions)
{
	uint32_t i;

	regions[NN_REGION_CONSTANTS].size = plan->constant_bytes;
	regions[NN_REGION_ARENA].size = plan->arena_bytes;
	regions[NN_REGION_ARENA].flags = NN_REGION_WRITABLE;
	for (i = 0; i < plan->input_count; i++)
		regions[NN_REGION_INPUTS + i].size = nn_info_bytes(&plan->inputs[i]->info);
	for (i = 0; i < plan->output->input_count; i++) {
		struct nn_program_region *region =
			&regions[NN_REGION_INPUTS + plan->input_count + i];

		region->size = nn_info_bytes(&plan->output->inputs[i]->info);
		region->flags = NN_REGION_WRITABLE;
	}
}

/* Put the pieces together. Regions are filled in when all programs are written, since the constants
 * grow until then. */
static int finish_program(struct nn_lowering *lowering, struct nn_part *part)
{
	struct nn_plan *plan = lowering->plan;
	uint64_t size = sizeof(struct nn_program) +
			plan->region_count * sizeof(struct nn_program_region) +
			lowering->tensor_count * sizeof(struct nn_program_tensor) +
			lowering->op_count * sizeof(struct nn_program_op);
	struct nn_program *program;
	uint8_t *place;

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
	program->region_count = plan->region_count;
	program->tensor_count = lowering->tensor_count;
	program->op_count = lowering->op_count;
	place = (uint8_t *)(nn_program_regions(program) + plan->region_count);
	if (lowering->tensor_count)
		memcpy(place, lowering->tensors,
		       lowering->tensor_count * sizeof(*lowering->tensors));
	place += lowering->tensor_count * sizeof(*lowering->tensors);
	memcpy(place, lowering->ops, lowering->op_count * sizeof(*lowering->ops));
	part->program = program;
	return 0;
}

static uint64_t tensor_bytes(const struct nn_program_tensor *tensor)
{
	uint64_t bytes = nn_data_type_size((enum nn_data_type)tensor->type);
	uint32_t i;

	for (i = 0; i < tensor->rank; i++)
		bytes *= tensor->dims[i];
	return bytes;
}

static int lower_part(struct nn_plan *plan, struct nn_part *part, uint32_t number,
		      bool have_constants)
{
	struct nn_lowering lowering = { .plan = plan,
					.number = number,
					.have_constants = have_constants };
	uint32_t i, before;
	int error = 0;

	for (i = part->first; i < part->first + part->count && !error; i++) {
		struct nn_node *node = plan->nodes[i];

		node->part = part->number;
		if (!node->op->lower || (nn_node_is_lcn(node) && !(node->op->flags & NN_OP_BODY)))
			continue;
		before = lowering.op_count;
		error = node->op->lower(&lowering, node);
		if (!nn_node_is_lcn(node) && lowering.op_count == before)
			node->runs_on = NN_RUNS_NOWHERE;
	}
	if (!error && lowering.op_count)
		error = finish_program(&lowering, part);
	for (i = 0; i < lowering.op_count; i++) {
		const struct nn_program_op *op = &lowering.ops[i];
		uint32_t j;

		for (j = 0; j < NN_MAX_OP_INPUTS + NN_MAX_OP_OUTPUTS; j++) {
			uint16_t index = j < NN_MAX_OP_INPUTS ? op->input[j]
							      : op->output[j - NN_MAX_OP_INPUTS];

			if (index != NN_NO_TENSOR)
				plan->bytes_moved += tensor_bytes(&lowering.tensors[index]);
		}
	}
	free(lowering.tensors);
	free(lowering.ops);
	return error;
}

/* ---- Parts */

/* What nodes of one part have in common: kinds other than PART_DEVICE split a partition. */
enum part_kind { PART_DEVICE, PART_HOST, PART_FIRST_ONLY };

static enum part_kind part_kind(const struct nn_node *node)
{
	if (node->runs_on == NN_RUNS_CPU && !nn_node_is_lcn(node))
		return PART_HOST;
	return nn_node_is(node, NN_OP_VARIABLE) ? PART_FIRST_ONLY : PART_DEVICE;
}

/* Bytes that a node adds to a program at most: each of its tensors, and a table, is described anew,
 * and it needs no more operators than that. */
static uint64_t most_bytes(const struct nn_node *node)
{
	uint64_t tensors = 1ull + node->input_count + node->output_count + node->hidden_count;

	return node->op->lower ? tensors * (sizeof(struct nn_program_tensor) +
					    sizeof(struct nn_program_op))
			       : 0;
}

/* Count the parts, and write them down if there is a place for them. A device's part is no longer
 * than a program can be. */
static uint32_t split(const struct nn_plan *plan, struct nn_part *parts)
{
	uint32_t i = 0, count = 0, number = 0;

	while (i < plan->node_count) {
		enum part_kind kind = part_kind(plan->nodes[i]);
		struct nn_part part = { .partition = plan->nodes[i]->refs, .first = i };
		uint64_t bytes = sizeof(struct nn_program) +
				 plan->region_count * sizeof(struct nn_program_region);

		if (i && plan->nodes[i - 1]->refs != part.partition)
			number = 0;
		part.number = number;
		if (kind == PART_HOST)
			part.host_node = plan->nodes[i++];
		else
			number++;
		if (kind == PART_FIRST_ONLY)
			part.first_only = part.partition;
		while (kind != PART_HOST && i < plan->node_count &&
		       plan->nodes[i]->refs == part.partition &&
		       part_kind(plan->nodes[i]) == kind) {
			bytes += most_bytes(plan->nodes[i]);
			if (bytes > NN_PROGRAM_MAX_SIZE && i > part.first)
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
	if (!plan->parts)
		return nn_graph_no_memory(plan->graph);
	split(plan, plan->parts);
	for (i = 0; i < plan->part_count; i++)
		while (partition <= plan->parts[i].partition)
			plan->first_part[partition++] = i;
	while (partition <= NN_MAX_LOOPSTACK + 1)
		plan->first_part[partition++] = plan->part_count;
	return 0;
}

/* What the device would find wrong with a program is found here first, with the node's name. */
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

int nn_plan_lower(struct nn_plan *plan, bool have_constants)
{
	uint32_t i, number = 0;
	int error;

	plan->region_count = NN_REGION_INPUTS + plan->input_count + plan->output->input_count;
	error = make_parts(plan);
	if (error)
		return error;
	for (i = 0; i < plan->part_count; i++) {
		struct nn_part *part = &plan->parts[i];

		if (part->host_node) {
			part->host_node->part = part->number;
			continue;
		}
		error = lower_part(plan, part, ++number, have_constants);
		if (error)
			return error;
	}
	for (i = 0; i < plan->part_count; i++) {
		if (!plan->parts[i].program)
			continue;
		fill_regions(plan, nn_program_regions(plan->parts[i].program));
		error = check_program(plan, &plan->parts[i]);
		if (error)
			return error;
	}
	return 0;
}
