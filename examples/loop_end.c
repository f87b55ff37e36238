/* SPDX-License-Identifier: MIT */
/*
 * A loop that ends when what it computes says so: loop_end [DEVICE]
 *
 * FirstRows is a loop-control node that hands one row of its input to each pass. Watch, at the end
 * of the pass, looks at what the pass has computed. The loop-end function, which the library calls
 * when the pass is complete, ends the loop as soon as Watch has seen a value of 100 or more.
 */
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <nn_graph.h>

static const char text[] =
	"1 Input shape=0,2 type=int8 scale=1\n"
	"2 FirstRows 1:0\n"
	"3 Relu 2:0\n"
	"4 Watch 3:0\n"
	"5 OUTPUT 4:0\n";

/* State that the operators of one graph share. */
struct search {
	int found;
};

static int end_of_pass(struct nn_graph *graph, struct nn_node *node, struct nn_loopcounts *counts,
		       void *opaque)
{
	const struct search *search = opaque;

	/* With no more rows to come than there were, the standard function ends the loop. */
	if (search->found)
		counts->total_batches = counts->prev_batches + counts->current_batches;
	return nn_loopend_default(graph, node, counts, NULL);
}

static int first_rows_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)graph;
	(void)opaque;
	if (nn_node_set_max_rows(self, 1))
		return -EINVAL;
	/* Each pass sees its row of the input, which is not copied. */
	return nn_node_set_output_view(self, 0, 0);
}

static int first_rows_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct search *search = opaque;
	struct nn_tensor input;

	if (nn_node_get_input(self, 0, &input))
		return nn_node_fail(self, -EINVAL, "needs an input");
	search->found = 0;
	return nn_loopstack_push_withfunc(graph, self, 1, input.info.dims[0], end_of_pass, search);
}

static int watch_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct search *search = opaque;
	struct nn_tensor input, output;
	uint64_t bytes, i;

	(void)graph;
	if (nn_node_get_input(self, 0, &input) || nn_node_get_output(self, 0, &output))
		return nn_node_fail(self, -EINVAL, "needs an input and an output");
	bytes = nn_tensor_info_bytes(&input.info);
	memcpy(output.data, input.data, bytes);
	for (i = 0; i < bytes; i++)
		if (((const int8_t *)input.data)[i] >= 100)
			search->found = 1;
	return 0;
}

static const struct nn_node_ops first_rows = {
	.name = "FirstRows",
	.flags = NN_NODE_FLAG_LCN,
	.check = first_rows_check,
	.execute = first_rows_execute,
};

/* Without a check its output is as its input. */
static const struct nn_node_ops watch = {
	.name = "Watch",
	.execute = watch_execute,
};

int main(int argc, char **argv)
{
	int8_t rows[5][2] = { { 1, -1 }, { -5, 7 }, { 100, -2 }, { 3, 4 }, { 5, 6 } };
	int8_t results[5][2];
	struct nn_buffer in = { .data = rows, .size = sizeof(rows), .rows = 5 };
	struct nn_buffer out = { .data = results, .size = sizeof(results) };
	struct nn_device *device = NULL;
	struct nn_graph *graph = NULL;
	struct search search;
	struct nn_error error;

	if (nn_device_open(argc > 1 ? argv[1] : "hexagon", &device, &error))
		errx(1, "%s", error.text);
	if (nn_graph_create(&graph) || nn_graph_register_op(graph, &first_rows, &search) ||
	    nn_graph_register_op(graph, &watch, &search) ||
	    nn_graph_import_text(graph, text, strlen(text)) ||
	    nn_graph_prepare(graph, device, NULL) || nn_graph_execute(graph, &in, 1, &out, 1))
		errx(1, "%s", nn_graph_error(graph)->text);

	for (uint32_t i = 0; i < out.rows; i++)
		printf("%d %d\n", results[i][0], results[i][1]);
	printf("%u of 5 rows\n", out.rows);
	nn_graph_destroy(graph);
	nn_device_close(device);
	return 0;
}
