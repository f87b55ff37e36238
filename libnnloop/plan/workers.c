// SPDX-License-Identifier: MIT
/*
 * Workers: how many of a device's run one pass together, by dividing its operators
 * (dsp/program/share.h). Where iterations run side by side (streams.c), each has one: that needs no
 * barriers.
 *
 * The device gives a submission as many as nobody else has a use for, and their time counts for
 * this client, each one's. So the library asks for no more than are at work for half of the time:
 * the others wait where an operator cannot be divided, or has a few large parts, and at barriers.
 * What an operator takes is estimated, which is enough for that: it is about what is divided, and
 * what is not.
 */
#include "plan.h"

#include "dsp/program/interpreter.h"
#include "ops/support/work.h"

/*
 * Packets: of a barrier, and of a worker that begins with a program, which it has to fetch and
 * check.
 */
#define BARRIER		400u
#define BEGINNING	20000u

/* Operators that vectors are used for take a packet for so much. */
#define MACS_PER_PACKET		128u
#define BYTES_PER_PACKET	16u

/* Packets from the beginning of a pass to its end with so many workers. */
static uint64_t estimate(struct nn_program *program, uint32_t workers)
{
	const struct nn_program_tensor *tensors = nn_program_tensors(program);
	uint64_t packets = (workers - 1) * (uint64_t)BEGINNING;
	uint32_t i;

	for (i = 0; i < program->op_count; i++) {
		const struct nn_program_op *op = &nn_program_ops(program)[i];
		const struct nn_work work = nn_op_work(op, tensors, NULL);
		uint64_t bytes = work.bytes_read + work.bytes_written;
		uint64_t vectors = work.float_packets ? work.float_packets :
				   work.macs / MACS_PER_PACKET + bytes / BYTES_PER_PACKET;
		uint32_t parts = nn_program_count_parts(program, i);

		/* Operators that cannot be divided go byte by byte, as a rule. */
		if (parts < 2 && work.float_packets)
			packets += work.float_packets;
		else if (parts < 2)
			packets += work.macs / MACS_PER_PACKET + bytes;
		else
			packets += (vectors / parts + 1) * ((parts - 1) / workers + 1) +
				   (workers > 1 ? BARRIER : 0);
	}
	return packets;
}

/* The most that are worth it. */
static uint32_t count_worth(struct nn_program *program, uint32_t most)
{
	uint64_t alone = estimate(program, 1);

	while (most > 1 && estimate(program, most) * most > 2 * alone)
		most--;
	return most;
}

static bool is_divisible(struct nn_program *program)
{
	uint32_t i;

	for (i = 0; i < program->op_count; i++)
		if (nn_program_count_parts(program, i) > 1)
			return true;
	return false;
}

/* Why no pass can have more than one worker, whatever is worth it; or NULL. */
static const char *find_reason(const struct nn_plan *plan, const struct nn_device *device)
{
	if (!device && !plan->workers_wanted)
		return "no device is known";
	if (device && device->info.workers == 1)
		return "the device has one";
	if (plan->stream_count > 1)
		return "iterations run side by side";
	if (device && device->divides)
		return NULL;
	if (plan->workers_wanted == 1)
		return "no more are wanted";
	if (plan->flags & NN_PREPARE_PROFILE && !plan->workers_wanted)
		return "operators are counted";
	return NULL;
}

void nn_plan_choose_workers(struct nn_plan *plan, const struct nn_device *device)
{
	uint32_t most = plan->workers_wanted, i;

	plan->worker_count = 1;
	plan->alone_reason = find_reason(plan, device);
	plan->own_workers = 0;
	if (device && device->divides && !plan->alone_reason)
		plan->own_workers = device->info.workers;
	if (device && (!most || most > device->info.workers))
		most = device->info.workers;
	for (i = 0; i < plan->part_count; i++) {
		struct nn_part *part = &plan->parts[i];

		part->workers = 1;
		if (!part->program || plan->alone_reason || plan->own_workers)
			continue;
		if (!plan->workers_wanted)
			part->workers = count_worth(part->program, most);
		else if (is_divisible(part->program))
			part->workers = most;
		if (part->workers > plan->worker_count)
			plan->worker_count = part->workers;
	}
	if (plan->worker_count == 1 && !plan->alone_reason && !plan->own_workers)
		plan->alone_reason = plan->workers_wanted ? "no operator can be divided"
							  : "more are not worth it";
}
