/* SPDX-License-Identifier: MIT */
/* What nnloop bench measures (bench.c) and prints (bench_report.c). */
#ifndef NNLOOP_TOOL_BENCH_H
#define NNLOOP_TOOL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"

/* Two instructions that multiply and add 128 pairs each fit a packet. */
#define MACS_PER_PACKET	256

/* What is counted for a node, or for several of them. */
struct bench_count {
	uint64_t passes;	/* in which the node ran */
	uint64_t packets, nanoseconds;
	uint64_t macs, bytes_read, bytes_written;
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
	uint64_t packets;	/* of the passes, those between operators as well */
	uint64_t passes;
	uint64_t submission, submission_count;	/* the last one that was seen; how many */
};

/* verbose: each node, too. */
void bench_print_text(const struct bench *bench, bool verbose);
void bench_print_json(const struct bench *bench);
/* Nanoseconds that so many of a hundred runs took less than. */
uint64_t bench_percentile(const struct bench *bench, uint32_t percent);

#endif
