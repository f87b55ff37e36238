// SPDX-License-Identifier: MIT
/*
 * The last words of nnloop bench: the least that a DSP could take for a model, what it takes, and
 * the kinds of nodes that take most. The least is what the multiplications fill, each packet with
 * as many as it can have, or where there are none, what stores of whole vectors take.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define MOST_KINDS	3
#define VECTOR_BYTES	128

static uint64_t divide_up(uint64_t number, uint32_t by)
{
	return number / by + (number % by != 0);
}

static uint64_t least_packets(const struct bench *bench)
{
	return bench->total.macs ? divide_up(bench->total.macs, MACS_PER_PACKET) :
				   divide_up(bench->total.bytes_written, VECTOR_BYTES);
}

/* Returns how many kinds took anything, at most MOST_KINDS of them. */
static uint32_t count_costly(const struct bench_kind *kinds, uint32_t count)
{
	uint32_t costly = 0;

	while (costly < count && costly < MOST_KINDS && kinds[costly].cost)
		costly++;
	return costly;
}

static void print_kind(const struct bench *bench, const struct bench_kind *kind)
{
	printf("%u %s (%.1f%%", kind->nodes, kind->op, 100 * bench_share(bench, kind->cost));
	if (kind->portable == kind->nodes)
		printf(", in portable C");
	else if (kind->portable)
		printf(", %u in portable C", kind->portable);
	putchar(')');
}

static void print_takes(const struct bench *bench)
{
	uint64_t least = least_packets(bench);

	if (!bench_has_packets(bench)) {
		printf("Its operators take %.3f ms", bench->total.nanoseconds / 1e6);
		return;
	}
	printf("At best it could take %" PRIu64 " packet%s, %u %s in each; it takes %" PRIu64,
	       least, least == 1 ? "" : "s", bench->total.macs ? MACS_PER_PACKET : VECTOR_BYTES,
	       bench->total.macs ? "MACs" : "bytes written", bench->packets);
	if (least)
		printf(", %.2f times as many", (double)bench->packets / least);
}

void bench_print_best(const struct bench *bench)
{
	uint32_t count, costly;
	struct bench_kind *kinds = bench_list_kinds(bench, &count);

	if (!kinds)
		return;
	costly = count_costly(kinds, count);
	if (!costly) {
		puts("No operator runs on the device.");
		free(kinds);
		return;
	}
	print_takes(bench);
	printf(", above all for ");
	for (uint32_t i = 0; i < costly; i++) {
		printf("%s", !i ? "" : i + 1 < costly ? ", " : " and ");
		print_kind(bench, &kinds[i]);
	}
	puts(".");
	free(kinds);
}

/* Members of an object. */
void bench_print_json_best(const struct bench *bench)
{
	uint32_t count = 0;
	struct bench_kind *kinds = bench_list_kinds(bench, &count);

	if (bench_has_packets(bench))
		printf("\"packets_at_best\": %" PRIu64 ", ", least_packets(bench));
	else
		printf("\"packets_at_best\": null, ");
	printf("\"costliest\": [");
	for (uint32_t i = 0; kinds && i < count_costly(kinds, count); i++) {
		printf("%s{\"op\": ", i ? ", " : "");
		print_json_string(stdout, kinds[i].op);
		printf(", \"nodes\": %u, \"portable\": %u, \"share\": %.6f}", kinds[i].nodes,
		       kinds[i].portable, bench_share(bench, kinds[i].cost));
	}
	putchar(']');
	free(kinds);
}
