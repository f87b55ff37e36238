/* SPDX-License-Identifier: MIT */
/* The figures that nnloop bench measures (bench.c) and prints (bench_report.c). */
#ifndef NNLOOP_TOOL_BENCH_H
#define NNLOOP_TOOL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"

/* Two instructions that multiply and add 128 pairs each fit a packet. */
#define MACS_PER_PACKET	256

/* The roofs of a roofline: bytes that may pass between memories for each packet. */
#define BENCH_ROOFS	3
extern const uint32_t bench_roofs[BENCH_ROOFS];

/* The counts of a node, or of several of them. */
struct bench_count {
	uint64_t passes;	/* in which the node ran */
	uint64_t packets, nanoseconds;
	uint64_t macs, bytes_read, bytes_written;
	/* Bytes between L2 and the memory behind it. */
	uint64_t fetched, allocated, written_back;
	/* The packets, or how many would pass while those bytes do, if that is more. */
	uint64_t at_roof[BENCH_ROOFS];
};

struct bench_node {
	struct nn_plan_node info;
	struct bench_count count;
};

struct bench {
	struct run run;
	struct nn_device_info device;
	/* Nanoseconds. */
	uint64_t import, prepare, first;
	uint64_t *runs;		/* of each one, sorted */
	uint32_t repeat;

	/* Runs whose operators were counted, and their means. */
	uint32_t counted_runs;
	uint64_t counted, submissions;	/* nanoseconds: all of it, and the device's part */
	struct bench_node *nodes;
	uint32_t node_count, at;
	struct bench_count total;	/* of all nodes */
	uint64_t memory_size;	/* of the L2 cache; 0: the device cannot tell */
	uint64_t packets;	/* of the passes, those between operators as well */
	uint64_t passes;
	uint64_t submission, submission_count;	/* the last one that was seen; how many */

	/* Once more with nobody looking: packets between the passes; 0: the host runs the loops. */
	uint64_t control, controlled;	/* controlled: submissions */

	/* Once more with as many workers for a pass as were asked for. */
	uint32_t workers;	/* that ran one, the most; 0: not asked for */
	uint64_t longest;	/* packets of all passes from their beginnings to their ends */
};

/* All nodes of one operator. */
struct bench_kind {
	const char *op;
	uint32_t nodes, portable;	/* portable: that the DSP runs in portable C */
	struct bench_count count;
	uint64_t cost;
};

/* The cost in what the device counts for operators: packets, or else nanoseconds. */
uint64_t bench_cost(const struct bench *bench, const struct bench_count *count);
/* Bytes between memories. */
static inline uint64_t bench_traffic(const struct bench_count *count)
{
	return count->fetched + count->written_back;
}
/* Lists the kinds of operators that ran, the costliest first; NULL without memory. To be freed. */
struct bench_kind *bench_list_kinds(const struct bench *bench, uint32_t *count);

/* The share that a part has of all passes' packets, or of all operators' time. */
double bench_share(const struct bench *bench, uint64_t part);
/* Whether the device counts packets: it is a DSP. */
static inline bool bench_has_packets(const struct bench *bench)
{
	return bench->device.kind == NN_DEVICE_HEXAGON;
}
static inline bool bench_is_portable(const struct bench *bench, const struct bench_node *node)
{
	return bench_has_packets(bench) && node->info.flags & NN_NODE_FLAG_PORTABLE;
}

/* bench_best.c: what the model takes beside the least that it could take, and where most goes. */
void bench_print_best(const struct bench *bench);
void bench_print_json_best(const struct bench *bench);

/* bench_memory.c: only where the device can tell. */
void bench_print_memory(const struct bench *bench, bool verbose);
void bench_print_json_memory(const struct bench *bench, const struct bench_count *count);

/* verbose: each node, too. */
void bench_print_text(const struct bench *bench, bool verbose);
void bench_print_json(const struct bench *bench);
/* Nanoseconds that so many of a hundred runs took less than. */
uint64_t bench_percentile(const struct bench *bench, uint32_t percent);

#endif
