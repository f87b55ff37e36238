// SPDX-License-Identifier: MIT
/*
 * The part of nnloop bench about L2, where the device counts what passes between it and the memory
 * behind: those bytes, and a roofline, which says what would bound an operator if so many bytes
 * could pass in the time of a packet: its packets, or its bytes, and then how many times as long
 * they would take.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

static void print_head(const char *first)
{
	printf("\n%-28s %14s %7s %14s %14s %9s", first, "fetched", "of read", "allocated",
	       "written back", "a packet");
	for (uint32_t i = 0; i < BENCH_ROOFS; i++)
		printf("  at %2u bytes", bench_roofs[i]);
	putchar('\n');
}

static void print_line(const char *name, const struct bench_count *count)
{
	printf("%-28s %14" PRIu64, name, count->fetched);
	if (count->bytes_read)
		printf(" %7.2f", (double)count->fetched / count->bytes_read);
	else
		printf(" %7s", "-");
	printf(" %14" PRIu64 " %14" PRIu64, count->allocated, count->written_back);
	if (count->packets)
		printf(" %9.2f", (double)bench_traffic(count) / count->packets);
	else
		printf(" %9s", "-");
	for (uint32_t i = 0; i < BENCH_ROOFS; i++) {
		if (count->at_roof[i] > count->packets && count->packets)
			printf("  bytes %5.2f", (double)count->at_roof[i] / count->packets);
		else
			printf("  %-11s", "packets");
	}
	putchar('\n');
}

void bench_print_memory(const struct bench *bench, bool verbose)
{
	char name[64];
	uint32_t count;
	struct bench_kind *kinds = bench_list_kinds(bench, &count);

	if (!kinds)
		return;
	printf("\nBytes behind a memory of %.5g KiB, and what bounds an operator where so many pass in a packet's time:\n",
	       bench->memory_size / 1024.0);
	print_head("operator");
	for (uint32_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%u %s", kinds[i].nodes, kinds[i].op);
		print_line(name, &kinds[i].count);
	}
	print_line("all", &bench->total);
	free(kinds);
	if (!verbose)
		return;
	print_head("node");
	for (uint32_t i = 0; i < bench->node_count; i++) {
		const struct bench_node *node = &bench->nodes[i];

		if (!node->count.passes)
			continue;
		snprintf(name, sizeof(name), "%u %s", node->info.id, node->info.op);
		print_line(name, &node->count);
	}
}

/* An object, or null if the device cannot tell. */
void bench_print_json_memory(const struct bench *bench, const struct bench_count *count)
{
	if (!bench->memory_size) {
		printf("null");
		return;
	}
	printf("{\"fetched\": %" PRIu64 ", \"allocated\": %" PRIu64 ", \"written_back\": %" PRIu64,
	       count->fetched, count->allocated, count->written_back);
	printf(", \"bound\": {");
	for (uint32_t i = 0; i < BENCH_ROOFS; i++)
		printf("%s\"%u\": \"%s\"", i ? ", " : "", bench_roofs[i],
		       count->at_roof[i] > count->packets ? "bytes" : "packets");
	printf("}}");
}
