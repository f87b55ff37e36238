// SPDX-License-Identifier: MIT
/* The report of nnloop bench: text, with a line for each kind of operator, or JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

uint64_t bench_cost(const struct bench *bench, const struct bench_count *count)
{
	return bench_has_packets(bench) ? count->packets : count->nanoseconds;
}

double bench_share(const struct bench *bench, uint64_t part)
{
	uint64_t whole = bench_has_packets(bench) ? bench->packets : bench->total.nanoseconds;

	return whole ? (double)part / whole : 0;
}

static double share_of_limit(const struct bench_count *count)
{
	return (double)count->macs / MACS_PER_PACKET / count->packets;
}

static double per_second(const struct bench *bench)
{
	uint64_t median = bench_percentile(bench, 50);

	return median ? run_count_items(&bench->run) * 1e9 / median : 0;
}

/* The part of a run that is not in submissions to the device. */
static uint64_t beside_passes(const struct bench *bench)
{
	return bench->counted > bench->submissions ? bench->counted - bench->submissions : 0;
}

/* ---- As text ---- */

static int compare_kinds(const void *a, const void *b)
{
	const struct bench_kind *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return strcmp(x->op, y->op);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(const struct bench_node *const *)a)->info.op,
		      (*(const struct bench_node *const *)b)->info.op);
}

static void print_head(const struct bench *bench, const char *first)
{
	printf("\n%-28s %14s %7s %14s %8s %14s %14s\n", first,
	       bench_has_packets(bench) ? "packets" : "microseconds", "share", "MACs",
	       bench_has_packets(bench) ? "of limit" : "MACs/us", "bytes read", "written");
}

static void print_line(const struct bench *bench, const char *name, const struct bench_count *count,
		       const char *mark)
{
	uint64_t part = bench_cost(bench, count);

	printf("%-28s ", name);
	if (bench_has_packets(bench))
		printf("%14" PRIu64, part);
	else
		printf("%14.1f", part / 1e3);
	printf(" %6.1f%% ", 100 * bench_share(bench, part));
	if (count->macs && part && bench_has_packets(bench))
		printf("%14" PRIu64 " %7.1f%%", count->macs, 100 * share_of_limit(count));
	else if (count->macs && part)
		printf("%14" PRIu64 " %8.0f", count->macs, count->macs * 1e3 / part);
	else
		printf("%14s %8s", "-", "-");
	printf(" %14" PRIu64 " %14" PRIu64 "%s\n", count->bytes_read, count->bytes_written, mark);
}

static void add(struct bench_count *to, const struct bench_count *count)
{
	to->packets += count->packets;
	to->nanoseconds += count->nanoseconds;
	to->macs += count->macs;
	to->bytes_read += count->bytes_read;
	to->bytes_written += count->bytes_written;
	to->fetched += count->fetched;
	to->allocated += count->allocated;
	to->written_back += count->written_back;
	for (uint32_t roof = 0; roof < BENCH_ROOFS; roof++)
		to->at_roof[roof] += count->at_roof[roof];
}

struct bench_kind *bench_list_kinds(const struct bench *bench, uint32_t *kind_count)
{
	const struct bench_node **nodes = calloc(bench->node_count + 1, sizeof(*nodes));
	struct bench_kind *kinds = calloc(bench->node_count + 1, sizeof(*kinds));
	uint32_t count = 0;

	*kind_count = 0;
	if (!nodes || !kinds) {
		free(nodes);
		free(kinds);
		return NULL;
	}
	for (uint32_t i = 0; i < bench->node_count; i++) {
		if (bench->nodes[i].count.passes)
			nodes[count++] = &bench->nodes[i];
	}
	qsort(nodes, count, sizeof(*nodes), compare_names);
	for (uint32_t i = 0; i < count; i++) {
		struct bench_kind *kind;

		if (!i || strcmp(nodes[i]->info.op, nodes[i - 1]->info.op))
			kinds[(*kind_count)++].op = nodes[i]->info.op;
		kind = &kinds[*kind_count - 1];
		kind->nodes++;
		kind->portable += bench_is_portable(bench, nodes[i]);
		add(&kind->count, &nodes[i]->count);
		kind->cost += bench_cost(bench, &nodes[i]->count);
	}
	qsort(kinds, *kind_count, sizeof(*kinds), compare_kinds);
	free(nodes);
	return kinds;
}

static void print_kinds(const struct bench *bench)
{
	uint32_t count;
	struct bench_kind *kinds = bench_list_kinds(bench, &count);

	if (!kinds)
		return;
	print_head(bench, "operator");
	for (uint32_t i = 0; i < count; i++) {
		char name[64], mark[64] = "";

		snprintf(name, sizeof(name), "%u %s", kinds[i].nodes, kinds[i].op);
		if (kinds[i].portable == kinds[i].nodes)
			snprintf(mark, sizeof(mark), "  in portable C");
		else if (kinds[i].portable)
			snprintf(mark, sizeof(mark), "  %u in portable C", kinds[i].portable);
		print_line(bench, name, &kinds[i].count, mark);
	}
	print_line(bench, "all", &bench->total, "");
	free(kinds);
}

static void print_nodes(const struct bench *bench)
{
	print_head(bench, "node");
	for (uint32_t i = 0; i < bench->node_count; i++) {
		const struct bench_node *node = &bench->nodes[i];
		char name[64];

		if (!node->count.passes)
			continue;
		snprintf(name, sizeof(name), "%u %s", node->info.id, node->info.op);
		print_line(bench, name, &node->count,
			   bench_is_portable(bench, node) ? "  in portable C" : "");
	}
}

void bench_print_text(const struct bench *bench, bool verbose)
{
	const struct run *run = &bench->run;
	uint64_t items = run_count_items(run);

	printf("device      %s\n", bench->device.name);
	printf("import      %.3f ms\n", bench->import / 1e6);
	printf("prepare     %.3f ms\n", bench->prepare / 1e6);
	printf("first run   %.3f ms\n", bench->first / 1e6);
	printf("runs        %u: median %.3f ms, half of them %.3f to %.3f, all %.3f to %.3f\n",
	       bench->repeat, bench_percentile(bench, 50) / 1e6, bench_percentile(bench, 25) / 1e6,
	       bench_percentile(bench, 75) / 1e6, bench->runs[0] / 1e6,
	       bench->runs[bench->repeat - 1] / 1e6);
	if (items)
		printf("items       %" PRIu64 " in a run, %.6g a second\n", items,
		       per_second(bench));
	printf("passes      %" PRIu64 " in a run, %" PRIu64 " submission%s; beside them %.3f ms\n",
	       bench->passes, bench->submission_count, bench->submission_count == 1 ? "" : "s",
	       beside_passes(bench) / 1e6);
	if (bench_has_packets(bench))
		printf("packets     %" PRIu64 ", of which %.1f%% between operators\n",
		       bench->packets, 100 * bench_share(bench, bench->packets - bench->total.packets));
	else
		printf("packets     the host device has none: operators are timed, in %u runs\n",
		       bench->counted_runs);
	if (bench->control)
		printf("control     %" PRIu64 " packets beside the passes, where the DSP runs all loops by itself, in %" PRIu64 " submission%s\n",
		       bench->control, bench->controlled, bench->controlled == 1 ? "" : "s");
	if (bench->workers)
		printf("workers     up to %u for a pass: %" PRIu64
		       " packets from beginning to end, %.3f of one worker's\n",
		       bench->workers, bench->longest, (double)bench->longest / bench->packets);
	print_kinds(bench);
	if (verbose)
		print_nodes(bench);
	if (bench->memory_size)
		bench_print_memory(bench, verbose);
	putchar('\n');
	if (bench_has_packets(bench))
		print_portable(run->model.graph, "");
	bench_print_best(bench);
}

/* ---- As JSON ---- */

static void print_milliseconds(const char *name, uint64_t nanoseconds, const char *end)
{
	printf("\"%s\": %.6f%s", name, nanoseconds / 1e6, end);
}

static void print_json_node(const struct bench *bench, const struct bench_node *node)
{
	const struct bench_count *count = &node->count;

	printf("{\"id\": %u, \"op\": ", node->info.id);
	print_json_string(stdout, node->info.op);
	printf(", \"name\": ");
	print_json_string(stdout, node->info.name);
	printf(", \"partition\": %u, \"portable\": %s, \"passes\": %" PRIu64, node->info.partition,
	       bench_is_portable(bench, node) ? "true" : "false", count->passes);
	if (bench_has_packets(bench))
		printf(", \"packets\": %" PRIu64 ", \"milliseconds\": null, ", count->packets);
	else
		printf(", \"packets\": null, \"milliseconds\": %.6f, ", count->nanoseconds / 1e6);
	printf("\"share\": %.6f, \"macs\": %" PRIu64 ", ", bench_share(bench, bench_cost(bench, count)),
	       count->macs);
	if (bench_has_packets(bench) && count->macs && count->packets)
		printf("\"share_of_limit\": %.6f, ", share_of_limit(count));
	else
		printf("\"share_of_limit\": null, ");
	printf("\"bytes_read\": %" PRIu64 ", \"bytes_written\": %" PRIu64 ", \"memory\": ",
	       count->bytes_read, count->bytes_written);
	bench_print_json_memory(bench, count);
	putchar('}');
}

void bench_print_json(const struct bench *bench)
{
	const struct run *run = &bench->run;
	bool first = true;

	printf("{\n\"model\": ");
	print_json_string(stdout, run->options->model);
	printf(",\n\"device\": ");
	print_json_string(stdout, bench->device.name);
	printf(",\n\"items\": %" PRIu64 ", \"items_per_second\": %.6g,\n", run_count_items(run),
	       per_second(bench));
	printf("\"milliseconds\": {");
	print_milliseconds("import", bench->import, ", ");
	print_milliseconds("prepare", bench->prepare, ", ");
	print_milliseconds("first", bench->first, ", ");
	print_milliseconds("least", bench->runs[0], ", ");
	print_milliseconds("lower_quartile", bench_percentile(bench, 25), ", ");
	print_milliseconds("median", bench_percentile(bench, 50), ", ");
	print_milliseconds("upper_quartile", bench_percentile(bench, 75), ", ");
	print_milliseconds("most", bench->runs[bench->repeat - 1], ", ");
	print_milliseconds("beside_passes", beside_passes(bench), "},\n");
	printf("\"runs\": %u, \"passes\": %" PRIu64 ", \"submissions\": %" PRIu64 ", ",
	       bench->repeat, bench->passes, bench->submission_count);
	if (bench_has_packets(bench))
		printf("\"packets\": %" PRIu64 ", ", bench->packets);
	else
		printf("\"packets\": null, ");
	if (bench->control)
		printf("\"control_packets\": %" PRIu64 ", \"controlled_submissions\": %" PRIu64 ", ",
		       bench->control, bench->controlled);
	if (bench->workers)
		printf("\"workers\": %u, \"longest_packets\": %" PRIu64 ", ", bench->workers,
		       bench->longest);
	if (bench->memory_size)
		printf("\"memory_size\": %" PRIu64 ", ", bench->memory_size);
	else
		printf("\"memory_size\": null, ");
	printf("\"macs\": %" PRIu64 ", \"macs_per_packet_limit\": %d,\n", bench->total.macs,
	       MACS_PER_PACKET);
	bench_print_json_best(bench);
	printf(",\n\"nodes\": [");
	for (uint32_t i = 0; i < bench->node_count; i++) {
		if (!bench->nodes[i].count.passes)
			continue;
		printf("%s\n  ", first ? "" : ",");
		print_json_node(bench, &bench->nodes[i]);
		first = false;
	}
	printf("\n]\n}\n");
}
