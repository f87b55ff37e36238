// SPDX-License-Identifier: MIT
/*
 * Tests that a model which moves its batch, whose size is not known, is refused where it goes along
 * the batch: on each item by itself it would make something else of several. Those that keep their
 * items apart are among tests/models/ops (apart_*), with what the runtime makes of a batch.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "nn_graph.h"
#include "tests/unit/onnx_writer.h"
#include "tests/unit/tap.h"

#define MOST 6
#define ELEMENT_INT64 7

/* A node of a tensor [4, N, 6], with constants as further inputs. */
struct step {
	const char *op;
	struct {
		const char *name; /* NULL: none */
		int64_t value[MOST];
		uint32_t count; /* 0: it is a number */
	} attr;
	int64_t constant[2][MOST];
	uint32_t constant_count[2]; /* 0: there is none */
	bool is_again; /* the second input is the tensor again */
	bool is_end; /* what it makes is the model's output; or goes back to [N, ...] */
};

static void put_ints(struct message *graph, const char *name, const int64_t *values, uint32_t count)
{
	put_constant(graph, name, ELEMENT_INT64, 1, &count, values, count * sizeof(*values));
}

/* Rounds `real`, and dequantizes it as `name`. */
static void put_rounded(struct message *graph, const char *real, const char *stored,
			const char *name)
{
	put_node(graph, "QuantizeLinear", stored, real, "scale", "zero", NULL);
	put_node(graph, "DequantizeLinear", name, stored, "scale", "zero", NULL);
}

static void put_step(struct message *graph, const struct step *step)
{
	const char *second = step->is_again ? "moved" : NULL, *third = NULL;

	for (int i = 0; i < 2; i++) {
		if (!step->constant_count[i])
			continue;
		put_ints(graph, i ? "more" : "numbers", step->constant[i], step->constant_count[i]);
		if (i)
			third = "more";
		else
			second = "numbers";
	}
	if (step->attr.name)
		put_node_with(graph, step->op, step->attr.name, step->attr.count, step->attr.value,
			      "made", "moved", second, third, NULL);
	else
		put_node(graph, step->op, "made", "moved", second, third, NULL);
}

static char *make(const struct step *step, size_t *size)
{
	const int64_t perm[3] = { 1, 0, 2 };
	struct message graph;

	begin(&graph);
	put_float(&graph, "scale", 0.05f);
	put_constant(&graph, "zero", ELEMENT_UINT8, 0, NULL, "\x64", 1);
	put_info(&graph, GRAPH_INPUT, "x", 3, (const uint32_t[]){ 0, 4, 6 });
	put_node(&graph, "DequantizeLinear", "real", "x", "scale", "zero", NULL);
	put_node_with(&graph, "Transpose", "perm", 3, perm, "turned", "real", NULL);
	put_rounded(&graph, "turned", "moved_q", "moved");
	put_step(&graph, step);
	if (step->is_end) {
		put_node(&graph, "QuantizeLinear", "y", "made", "scale", "zero", NULL);
	} else {
		put_rounded(&graph, "made", "made_q", "there");
		put_node_with(&graph, "Transpose", "perm", 3, perm, "back", "there", NULL);
		put_node(&graph, "QuantizeLinear", "y", "back", "scale", "zero", NULL);
	}
	put_info(&graph, GRAPH_OUTPUT, "y", 3, (const uint32_t[]){ 0, 0, 0 });
	return end_model(&graph, size);
}

/* Whether the model can be imported. */
static int import(const struct step *step)
{
	struct nn_graph *graph;
	size_t size;
	char *model = make(step, &size);
	int err;

	if (nn_graph_create(&graph))
		exit(1);
	err = nn_graph_import_onnx(graph, model, size);
	if (err && err != -EOPNOTSUPP)
		printf("# %s: %s\n", step->op, nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
	free(model);
	return err;
}

static const struct step kept[] = {
	{ .op = "Relu" },
	{ "ReduceMax", .attr = { "axes", { 0 }, 1 } },
	{ "Softmax", .attr = { "axis", { 2 }, 0 } },
	{ "Concat", .attr = { "axis", { 2 }, 0 }, .is_again = true },
	{ "Gather", .attr = { "axis", { 2 }, 0 }, .constant = { { 3, 1 } }, .constant_count = { 2 } },
	{ "Slice", .constant = { { 1 }, { 3 } }, .constant_count = { 1, 1 } },
	{ "Tile", .constant = { { 2, 1, 1 } }, .constant_count = { 3 } },
	{ "Pad", .constant = { { 1, 0, 0, 0, 0, 2 } }, .constant_count = { 6 } },
	{ "Reshape", .constant = { { 4, -1, 6 } }, .constant_count = { 3 } },
	{ "Max", .is_again = true },
	{ "CumSum", .constant = { { 2 } }, .constant_count = { 1 } },
};

static const struct step mixed[] = {
	{ "ReduceMax", .attr = { "axes", { 1 }, 1 } },
	{ "ReduceMean", .attr = { "axes", { -2 }, 1 } },
	{ "ReduceMean", .attr = { "keepdims", { 1 }, 0 } },
	{ "Softmax", .attr = { "axis", { 1 }, 0 } },
	{ "Concat", .attr = { "axis", { 1 }, 0 }, .is_again = true },
	{ "Gather", .attr = { "axis", { 1 }, 0 }, .constant = { { 0 } }, .constant_count = { 1 } },
	{ "Slice", .constant = { { 0, 0 }, { 1, 1 } }, .constant_count = { 2, 2 } },
	{ "Split", .attr = { "axis", { 1 }, 0 } },
	{ "Tile", .constant = { { 1, 2, 1 } }, .constant_count = { 3 } },
	{ "Pad", .constant = { { 0, 1, 0, 0, 0, 0 } }, .constant_count = { 6 } },
	{ "Squeeze", .is_end = true },
	{ "CumSum", .constant = { { 1 } }, .constant_count = { 1 } },
	/* Two of the four are in front of an item, and so part it from itself. */
	{ "Reshape", .constant = { { 8, -1, 3 } }, .constant_count = { 3 } },
	/* What comes out is the first half of all items, and then the second. */
	{ "Reshape", .constant = { { 2, -1, 6 } }, .constant_count = { 3 } },
	/* It does not say where the batch is. */
	{ "Reshape", .constant = { { 4, 1, 6 } }, .constant_count = { 3 } },
	/* The batch is not up front in the end. */
	{ "Relu", .is_end = true },
	{ "Flatten", .attr = { "axis", { 1 }, 0 }, .is_end = true },
	{ "Flatten", .attr = { "axis", { 2 }, 0 }, .is_end = true },
	{ "Conv", .is_again = true },
	{ "MatMul", .is_again = true },
};

static void test_kept(void)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		if (!CHECK(!import(&kept[i])))
			printf("# %zu: %s\n", i, kept[i].op);
	}
}

static void test_mixed(void)
{
	for (size_t i = 0; i < sizeof(mixed) / sizeof(*mixed); i++) {
		if (!CHECK(import(&mixed[i]) == -EOPNOTSUPP))
			printf("# %zu: %s\n", i, mixed[i].op);
	}
}

int main(void)
{
	tap_run("what keeps the items of a moved batch apart", test_kept);
	tap_run("what does not is refused", test_mixed);
	return tap_end();
}
