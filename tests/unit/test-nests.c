// SPDX-License-Identifier: MIT
/*
 * Random nests of 1 to 4 loops, of BatchLoop, CountLoop and an operator of the application's,
 * executed and compared with a simulator that knows nothing of a loop stack: it is nested calls
 * with local counters. Compared are the pushes, the counts of every pass that ran, and the rows
 * that come out of every level, packed, with their owners.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define NESTS		(on_host ? 10000u : 150u)	/* the DSP is emulated */
#define LEVELS		4
#define MAX_ROWS	8	/* of a pass */
#define MAX_PUSHES	20000
#define MAX_DEVICE_PUSHES (on_host ? MAX_PUSHES : 500u)
#define MAX_PACKED	60000
#define SCRIPT		97	/* steps, repeated */

enum kind { BATCH, SLICE, COUNT, APPLICATION, KINDS };

struct loop {
	enum kind kind;
	uint32_t a, b;			/* step; graph_batch and quantum; current and total */
	uint32_t current[SCRIPT], total[SCRIPT];	/* of an APPLICATION */
	unsigned int executed;		/* how often the library called it */
};

struct push {
	uint32_t level;
	struct nn_loopcounts counts;
};

static struct loop loops[LEVELS];
static unsigned int depth;
static uint32_t batch;			/* rows of the input */
static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/* ---- The simulator ---- */

static struct {
	struct push pushes[MAX_PUSHES];
	unsigned int push_count, pass_count, calls[LEVELS];
	struct nn_loopcounts passes[MAX_PUSHES][LEVELS];
	struct nn_loopcounts now[LEVELS];
	uint32_t outer[LEVELS];
	uint8_t packed[LEVELS][MAX_PACKED];
	int32_t owner[LEVELS][MAX_PACKED];
	uint32_t rows[LEVELS];
	bool too_long;
} sim;

/* nnlib's rule in its own words: sizes of all passes for a batch, written one after the other. */
static unsigned int slice_sizes(uint32_t rows, uint32_t graph_batch, uint32_t quantum,
				uint32_t *sizes)
{
	unsigned int count = 0, passes = rows / graph_batch + (rows % graph_batch > 0), i;
	uint32_t rest = rows;

	if (passes <= 1) {
		sizes[count++] = rows;
		return count;
	}
	if (rows % graph_batch && rows % (passes * quantum) == 0) {
		for (i = 0; i < passes; i++)
			sizes[count++] = rows / passes;
		return count;
	}
	for (i = 0; i < passes - 2; i++, rest -= graph_batch)
		sizes[count++] = graph_batch;
	if (rows % graph_batch && rest % (2 * quantum) == 0) {
		sizes[count++] = rest / 2;
		sizes[count++] = rest / 2;
	} else {
		sizes[count++] = graph_batch;
		sizes[count++] = rest - graph_batch;
	}
	return count;
}

/* One loop from its beginning to its end, on the rows that the loop around it has now. */
static void simulate(unsigned int level, const uint8_t *source, uint32_t source_rows)
{
	struct loop *loop = &loops[level];
	uint32_t done = 0, iteration, size, total, r, sizes[64];
	uint8_t rows[MAX_ROWS];

	if (loop->kind == SLICE)
		slice_sizes(source_rows, loop->a, loop->b, sizes);
	for (iteration = 0;; iteration++) {
		unsigned int call = sim.calls[level]++ % SCRIPT;
		struct nn_loopcounts *counts = &sim.now[level];

		total = loop->kind == COUNT	    ? loop->b
			: loop->kind == APPLICATION ? loop->total[call]
						    : source_rows;
		if (loop->kind == BATCH)
			size = source_rows - done < loop->a ? source_rows - done : loop->a;
		else if (loop->kind == SLICE)
			size = sizes[iteration];
		else if (loop->kind == COUNT)
			size = loop->a;
		else
			size = loop->current[call] || done >= total ? loop->current[call] : 1;

		if (sim.push_count == MAX_DEVICE_PUSHES || sim.outer[level] + done + size > MAX_PACKED) {
			sim.too_long = true;
			return;
		}
		*counts = (struct nn_loopcounts){ iteration, done, size, total, sim.outer[level] };
		sim.pushes[sim.push_count].level = level + 1;
		sim.pushes[sim.push_count++].counts = *counts;
		for (r = 0; r < size; r++) {
			uint32_t at = sim.outer[level] + done + r,
				 from = source_rows ? (done + r) % source_rows : 0;

			rows[r] = source_rows ? source[from] : 0;
			sim.packed[level][at] = rows[r];
			sim.owner[level][at] = 0;
			if (source_rows)
				sim.owner[level][at] = (int32_t)from;
			if (source_rows && level)
				sim.owner[level][at] += (int32_t)(sim.outer[level - 1] +
								  sim.now[level - 1].prev_batches);
			if (at + 1 > sim.rows[level])
				sim.rows[level] = at + 1;
		}
		if (level + 1 < depth)
			simulate(level + 1, rows, size);
		else
			memcpy(sim.passes[sim.pass_count++], sim.now, sizeof(sim.now));
		if (sim.too_long)
			return;
		done += size;
		if (done >= total)
			break;
	}
	sim.outer[level] += done;
}

/* ---- The application's loop ---- */

static int application_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor input;

	(void)graph;
	(void)opaque;
	if (nn_node_get_input(self, 0, &input) ||
	    nn_node_set_output(self, 0, &input.info, NN_LEVEL_OWN))
		return -EINVAL;
	return nn_node_set_max_rows(self, MAX_ROWS);
}

static int application_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct loop *loop = &loops[nn_node_get_attr_int(self, "which", 0)];
	unsigned int call = loop->executed++ % SCRIPT;
	uint32_t done = nn_loopstack_get_prev_batches(graph), size = loop->current[call], r;
	struct nn_tensor input, output;

	(void)opaque;
	if (!size && done < loop->total[call])
		size = 1;
	if (nn_node_get_input(self, 0, &input) || nn_node_get_output(self, 0, &output))
		return -EINVAL;
	for (r = 0; r < size; r++)
		((uint8_t *)output.data)[r] =
			input.info.dims[0]
				? ((uint8_t *)input.data)[(done + r) % input.info.dims[0]]
				: 0;
	return nn_loopstack_push(graph, self, size, loop->total[call]);
}

static const struct nn_node_ops application_ops = {
	.name = "Application",
	.flags = NN_NODE_FLAG_LCN,
	.check = application_check,
	.execute = application_execute,
};

/* ---- A nest ---- */

static bool is_static(void)
{
	unsigned int i;

	for (i = 0; i < depth; i++)
		if (loops[i].kind == APPLICATION)
			return false;
	return true;
}

static void make_nest(void)
{
	unsigned int i, j;

	memset(loops, 0, sizeof(loops));
	depth = 1 + draw(LEVELS);
	batch = draw(9);
	for (i = 0; i < depth; i++) {
		struct loop *loop = &loops[i];

		loop->kind = draw(KINDS);
		loop->a = 1 + draw(4);
		loop->b = loop->kind == SLICE ? 1 + draw(3) : draw(7);
		if (loop->kind == COUNT && !loop->b && draw(2))
			loop->a = 0;
		for (j = 0; j < SCRIPT; j++) {
			loop->current[j] = draw(5);
			loop->total[j] = draw(8);
		}
	}
}

static struct nn_graph *build(void)
{
	char text[1024], line[160];
	struct nn_graph *graph;
	unsigned int i;

	strcpy(text, "1 Input shape=0,1 type=uint8\n");
	for (i = 0; i < depth; i++) {
		const struct loop *loop = &loops[i];

		if (loop->kind == BATCH)
			snprintf(line, sizeof(line), "%u BatchLoop %u:0 step=%u owner=1\n", i + 2,
				 i + 1, loop->a);
		else if (loop->kind == SLICE)
			snprintf(line, sizeof(line),
				 "%u BatchLoop %u:0 graph_batch=%u quantum=%u owner=1\n", i + 2,
				 i + 1, loop->a, loop->b);
		else if (loop->kind == COUNT)
			snprintf(line, sizeof(line),
				 "%u CountLoop %u:0 current=%u total=%u owner=1\n", i + 2, i + 1,
				 loop->a, loop->b);
		else
			snprintf(line, sizeof(line), "%u Application %u:0 which=%u\n", i + 2, i + 1,
				 i);
		strcat(text, line);
	}
	strcat(text, "9 OUTPUT");
	for (i = 0; i < depth; i++) {
		snprintf(line, sizeof(line), " %u:0 %u:%u", i + 2, i + 2,
			 loops[i].kind != APPLICATION);
		strcat(text, line);
	}
	if (nn_graph_create(&graph) || nn_graph_register_op(graph, &application_ops, NULL))
		exit(1);
	if (!CHECK(!nn_graph_import_text(graph, text, strlen(text))))
		printf("# %s\n%s", nn_graph_error(graph)->text, text);
	return graph;
}

static unsigned int seen_pushes, seen_passes;

static int compare_push(const struct nn_push *push, void *opaque)
{
	const struct push *want = &sim.pushes[seen_pushes];

	(void)opaque;
	if (seen_pushes++ >= sim.push_count)
		return 1;
	return push->level != want->level || push->lcn != want->level + 1 ||
	       memcmp(&push->counts, &want->counts, sizeof(want->counts)) ||
	       push->offset != want->counts.prev_batches + want->counts.prev_outer_batches;
}

static void compare_pass(const struct nn_pass_record *pass, void *opaque)
{
	(void)opaque;
	if (pass->partition != depth)
		return;
	if (seen_passes < sim.pass_count)
		CHECK(pass->depth == depth && !memcmp(pass->counts, sim.passes[seen_passes],
						      depth * sizeof(pass->counts[0])));
	seen_passes++;
}

static void compare_outputs(struct nn_graph *graph)
{
	static uint8_t packed[LEVELS][MAX_PACKED];
	static int32_t owner[LEVELS][MAX_PACKED];
	struct nn_buffer input = { 0 }, outputs[2 * LEVELS] = { 0 };
	uint8_t rows[16];
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(rows); i++)
		rows[i] = (uint8_t)(i + 1);
	input.data = rows;
	input.size = input.rows = batch;
	for (i = 0; i < depth; i++) {
		outputs[2 * i].data = packed[i];
		outputs[2 * i].size = MAX_PACKED;
		outputs[2 * i + 1].data =
			loops[i].kind == APPLICATION ? (void *)packed[i] : owner[i];
		outputs[2 * i + 1].size = sizeof(owner[i]);
	}
	memset(packed, 0xee, sizeof(packed));
	seen_passes = 0;
	err = nn_graph_execute(graph, &input, 1, outputs, 2 * depth);
	if (!CHECK(!err)) {
		printf("# %s\n", nn_graph_error(graph)->text);
		return;
	}
	CHECK(seen_passes == sim.pass_count);
	for (i = 0; i < depth; i++) {
		CHECK(outputs[2 * i].rows == sim.rows[i] && outputs[2 * i + 1].rows == sim.rows[i]);
		CHECK(!memcmp(packed[i], sim.packed[i], sim.rows[i]));
		if (loops[i].kind != APPLICATION)
			CHECK(!memcmp(owner[i], sim.owner[i], sim.rows[i] * sizeof(owner[i][0])));
		CHECK(sim.rows[i] == MAX_PACKED || packed[i][sim.rows[i]] == 0xee);
	}
}

static unsigned int compared, compared_static, compared_passes;

static void check_nest(unsigned int number)
{
	struct nn_prepare_options options = { .input_rows = &batch, .input_count = 1 };
	struct nn_execution_stats stats;
	struct nn_graph *graph;
	uint8_t rows[16];
	unsigned int i;
	int err;

	seed = number * 77 + 5;
	make_nest();
	memset(&sim, 0, sizeof(sim));
	for (i = 0; i < sizeof(rows); i++)
		rows[i] = (uint8_t)(i + 1);
	simulate(0, rows, batch);
	if (sim.too_long)
		return;

	graph = build();
	if (!CHECK(!nn_graph_prepare(graph, device, &options)))
		printf("# %s\n", nn_graph_error(graph)->text);
	seen_pushes = 0;
	err = nn_graph_walk_passes(graph, compare_push, NULL);
	if (is_static())
		CHECK(!err && seen_pushes == sim.push_count);
	else
		CHECK(err == -EOPNOTSUPP);
	nn_graph_set_trace(graph, compare_pass, NULL);
	compare_outputs(graph);
	CHECK(!nn_graph_get_stats(graph, &stats) && stats.pushes == sim.push_count);
	if (is_static())
		CHECK(stats.submissions <= 1 + stats.passes / 4096);
	compared++;
	compared_static += is_static();
	compared_passes += sim.pass_count;
	if (!tap_good)
		printf("# in nest %u\n", number);
	nn_graph_destroy(graph);
}

static void test_random_nests(void)
{
	unsigned int i;

	for (i = 0; i < NESTS && tap_good; i++)
		check_nest(i);
	printf("# %u nests, %u of them static, %u innermost passes\n", compared, compared_static,
	       compared_passes);
	CHECK(compared > NESTS / 2 && compared_static > NESTS / 30);
}

/* ---- Examples that can be counted by hand */

static void check_slices(const char *rule, uint32_t rows, const uint32_t *sizes, unsigned int count)
{
	struct nn_prepare_options options = { .input_rows = &rows, .input_count = 1 };
	struct nn_graph *graph;
	char text[200];
	unsigned int i;

	snprintf(text, sizeof(text), "1 Input shape=0,1\n2 BatchLoop 1:0 %s\n3 OUTPUT 2:0\n", rule);
	depth = 1;
	memset(&sim, 0, sizeof(sim));
	for (i = 0; i < count; i++) {
		sim.pushes[i].level = 1;
		sim.pushes[i].counts.itercount = i;
		sim.pushes[i].counts.current_batches = sizes[i];
		sim.pushes[i].counts.total_batches = rows;
		sim.pushes[i].counts.prev_batches =
			i ? sim.pushes[i - 1].counts.prev_batches + sizes[i - 1] : 0;
	}
	sim.push_count = count;
	seen_pushes = 0;
	graph = new_graph();
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!nn_graph_prepare(graph, NULL, &options));
	CHECK(!nn_graph_walk_passes(graph, compare_push, NULL) && seen_pushes == count);
	nn_graph_destroy(graph);
}

static void test_slicing(void)
{
	const char *plain = "graph_batch=100 quantum=4",
		   *full = "graph_batch=100 quantum=4 options=1";

	check_slices(plain, 300, (uint32_t[]){ 100, 100, 100 }, 3);
	check_slices(plain, 276, (uint32_t[]){ 92, 92, 92 }, 3);
	check_slices(full, 276, (uint32_t[]){ 100, 88, 88 }, 3);
	check_slices(plain, 277, (uint32_t[]){ 100, 100, 77 }, 3);
	check_slices(plain, 100, (uint32_t[]){ 100 }, 1);
	check_slices(plain, 0, (uint32_t[]){ 0 }, 1);
	check_slices("step=8", 211, (uint32_t[]){ 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
						  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 3 },
		     27);
}

static int run_text(const char *text, uint32_t rows, uint8_t *out, size_t size)
{
	uint8_t in[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	struct nn_buffer input = { .data = in, .size = rows, .rows = rows },
			 output = { .data = out, .size = size };
	struct nn_graph *graph;
	int result;

	if (nn_graph_create(&graph) || nn_graph_register_op(graph, &application_ops, NULL))
		exit(1);
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	if (!CHECK(!nn_graph_prepare(graph, device, NULL)))
		printf("# %s\n", nn_graph_error(graph)->text);
	result = nn_graph_execute(graph, &input, 1, &output, 1);
	if (result)
		printf("# %s\n", nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	return result ? result : (int)output.rows;
}

static void test_sixteen(void)
{
	uint8_t out[64];
	unsigned int i;

	CHECK(run_text(
		      "1 Input shape=0,1\n2 CountLoop 1:0 current=1 total=2\n3 CountLoop 2:0 current=1 total=2\n"
		      "4 CountLoop 3:0 current=1 total=2\n5 CountLoop 4:0 current=1 total=2\n6 OUTPUT 5:0\n",
		      2, out, sizeof(out)) == 16);
	for (i = 0; i < 16; i++)
		CHECK(out[i] == 1 + i / 8);
}

static void test_seven(void)
{
	uint8_t want[] = { 1, 1, 3, 3, 3, 3, 3 }, out[64];
	unsigned int i;

	memset(loops, 0, sizeof(loops));
	for (i = 0; i < 3; i++)
		loops[0].current[i] = loops[0].total[i] = (unsigned int[]){ 2, 0, 5 }[i];
	CHECK(run_text(
		      "1 Input shape=0,1\n2 BatchLoop 1:0 step=1\n3 Application 2:0 which=0\n4 OUTPUT 3:0\n",
		      3, out, sizeof(out)) == 7);
	CHECK(!memcmp(out, want, sizeof(want)));
}

static void test_empty(void)
{
	uint8_t out[8];

	CHECK(run_text(
		      "1 Input shape=0,1\n2 BatchLoop 1:0 step=4\n3 BatchLoop 2:0 step=2\n4 OUTPUT 3:0\n",
		      0, out, sizeof(out)) == 0);
	CHECK(run_text("1 Input shape=0,1\n2 OUTPUT 1:0\n", 0, out, sizeof(out)) == 0);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("random nests of 1 to 4 loops are what the simulator says", test_random_nests);
	tap_run("BatchLoop: nnlib's slicing rule, and 211 by 8", test_slicing);
	tap_run("four nested loops of 2 run the body 16 times and pack 16 rows", test_sixteen);
	tap_run("outer 3 x inner (2, 0, 5) packs 7 rows", test_seven);
	tap_run("an empty batch gives empty outputs", test_empty);
	nn_device_close(device);
	return tap_end();
}
