// SPDX-License-Identifier: MIT
/*
 * The API of graphs: what is wrong is refused with a sentence, and what is right does what it says.
 * Expected values are written out or worked out here in plain loops.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

static int prepare(struct nn_graph *graph)
{
	int err = nn_graph_prepare(graph, device, NULL);

	if (err)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return err;
}

/* One input, one output, both of bytes. Returns rows or the error. */
static int execute(struct nn_graph *graph, const void *in, size_t in_size, uint32_t rows, void *out,
		   size_t out_size)
{
	struct nn_buffer input = { .data = (void *)in, .size = in_size, .rows = rows };
	struct nn_buffer output = { .data = out, .size = out_size };
	int err = nn_graph_execute(graph, &input, 1, &output, 1);

	if (err)
		printf("# node %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return err ? err : (int)output.rows;
}

/* ---- Errors ---- */

/* Lines that cannot be imported, with the error, the node and a word of the sentence. */
static const struct {
	const char *text;
	int error;
	uint32_t node;
	const char *word;
} bad_lines[] = {
	{ "0 Input", -EINVAL, 0, "id 0" },
	{ "1 Input\n1 Input", -EEXIST, 1, "already" },
	{ "1 Frobnicate", -EOPNOTSUPP, 1, "Frobnicate" },
	{ "1 Sink", -EOPNOTSUPP, 1, "Sink" },
	{ "1 Nop", -EINVAL, 1, "at least 1" },
	{ "1 Input\n2 Relu 1:0 1:0", -EINVAL, 2, "takes 1 inputs" },
	{ "1 Input\n2 Nop 1:1", -EINVAL, 2, "which has 1" },
	{ "1 Input\n2 Nop 0:0", -EINVAL, 2, "node 0" },
	{ "2 Nop 7:0", -ENOENT, 2, "node 7" },
	{ "1 Input shape=1,2,3,4,5,6,7,8,9", -EINVAL, 1, "9 dimensions" },
	{ "1 Input shape=1,0", -EINVAL, 1, "is 0" },
	{ "1 Const shape=0,2 type=int8", -EINVAL, 1, "dimension 0 of 0x2 is 0" },
	{ "1 Input shape=65536,65536", -EOVERFLOW, 1, "2 GiB" },
	{ "1 Input shape=1,4294967295", -EOVERFLOW, 1, "2 GiB" },
	{ "1 Input shape=1,4294967296", -EINVAL, 1, "dimension 1 of the shape is out of range" },
	{ "1 Input shape=0,65536,65536", -EOVERFLOW, 1, "2 GiB" },
	{ "1 Input type=int7", -EINVAL, 1, "int8" },
	{ "1 Input type=int8 zero_point=128", -EINVAL, 1, "128" },
	{ "1 Input scale=-1", -EINVAL, 1, "positive" },
	{ "1 Const shape=3 type=int8 scales=1,2", -EINVAL, 1, "one scale for each" },
	{ "1 Const shape=2 type=int8 scales=1,0", -EINVAL, 1, "positive" },
	{ "1 Const shape=2 values=1,2,3", -EINVAL, 1, "3 values" },
	{ "1 Const shape=2 values=1,256", -EINVAL, 1, "value 1" },
	{ "1 Const shape=2 values=1,1.5", -EINVAL, 1, "value 1" },
	{ "1 Const shape=1 values=x", -EINVAL, 1, "numbers" },
	{ "1 Const shape=1 type=int32 values=2147483648", -EINVAL, 1, "value 0 is not one of int32" },
	{ "1 Const shape=1 type=bool values=2", -EINVAL, 1, "value 0 is not one of bool" },
	/* It was read as a float, which is another number. */
	{ "1 Const shape=2 type=int32 values=1,16777217.0", -EINVAL, 1, "value 1 is not one of" },
	{ "1 Const shape=1 type=int64 values=-1e20", -EINVAL, 1, "value 0 is not one of int64" },
	{ "1 Input scale=1e-50", -EINVAL, 1, "scale is a number" },
	{ "1 Const shape=16777217", -EINVAL, 1, "16 MiB" },
	{ "1 Input\n2 Nop 1:0 depth=3", -EINVAL, 2, "depth" },
	{ "1 Input\n2 MaxPool 1:0 kernel=1,2,3", -EINVAL, 2, "kernel" },
	{ "1 Input\n2 MaxPool 1:0 kernel=2,x", -EINVAL, 2, "kernel" },
	{ "1 Input\n2 MaxPool 1:0 kernel=2 kernel=2", -EINVAL, 2, "twice" },
	{ "1 Input outputs=0", -EINVAL, 1, "1 to 1048576" },
	{ "1 Input\n2 Nop 1:0 outputs=1048577", -EINVAL, 2, "1 to 1048576" },
	{ "1 Input\n2 BatchLoop 1:0 step=two", -EINVAL, 2, "step must be a whole number" },
	{ "1 Input\n2 BatchLoop 1:0 graph_batch=2 options=2", -EINVAL, 2, "options must be 0" },
	{ "1 Input\n2 BatchLoop 1:0 step=2 owner=-1", -EINVAL, 2, "owner must be 0 or 1" },
	{ "1 Input\n2 CountLoop 1:0 current=1 total=1 owner=2", -EINVAL, 2, "owner must be 0" },
	{ "1 Input\n2 Variable 1:0 level=1 fixed=-1", -EINVAL, 2, "fixed must be 0 or 1" },
	{ "1 Input\n2 AveragePool 1:0 kernel=2 count_padding=2", -EINVAL, 2,
	  "count_padding must be 0 or 1" },
	{ "1 Input shape=2 type=int8 shape=3", -EINVAL, 1, "shape is given twice" },
	{ "one Input", -EINVAL, 0, "line 1" },
	{ "1", -EINVAL, 1, "operator" },
	{ "\n# comment\n3 Input =1", -EINVAL, 3, "line 3" },
	{ "1 Input shape=", -EINVAL, 1, "value" },
	{ "1 Input 5", -EINVAL, 1, "SRC:IDX" },
	{ "1 Input 5:x", -EINVAL, 1, "two numbers" },
	{ "1 Input 99999999999:0", -EINVAL, 1, "two numbers" },
};

static void test_bad_lines(void)
{
	struct nn_node_desc desc = { .id = 1, .op = "Const" };
	struct nn_tensor_info info = { .type = NN_INT8, .rank = 1, .dims = { 1 } };
	struct nn_graph *graph = new_graph(), *marked = new_graph();
	unsigned int i;

	for (i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++) {
		int err = nn_graph_import_text(graph, bad_lines[i].text, strlen(bad_lines[i].text));
		const struct nn_error *error = nn_graph_error(graph);

		if (!CHECK(err == bad_lines[i].error && error->code == err &&
			   error->node == bad_lines[i].node &&
			   strstr(error->text, bad_lines[i].word)))
			printf("# %s: %d, node %u: %s\n", bad_lines[i].text, err, error->node,
			       error->text);
		CHECK(nn_graph_get_input_count(graph) == 0);
	}
	CHECK(nn_graph_import_text(graph, "1 Input\0x", 9) == -EINVAL);
	/* Editors make this of a good one: a mark in front, \r at the ends, none at the last. */
	CHECK(!nn_graph_import_text(marked,
				    "\xef\xbb\xbf"
				    "1 Input\r\n2 OUTPUT 1:0 # \xc3\xa9",
				    29));
	CHECK(nn_graph_get_output_count(marked) == 1);
	nn_graph_destroy(marked);
	/* These are what text cannot say. */
	CHECK(nn_graph_append(graph, NULL) == -EINVAL);
	CHECK(nn_graph_append(graph, &desc) == -EINVAL);
	desc.outputs = &info;
	desc.output_count = 1;
	CHECK(nn_graph_append(graph, &desc) == -EINVAL &&
	      strstr(nn_graph_error(graph)->text, "bytes of data"));
	desc.op = "Input";
	desc.data = "x";
	desc.data_size = 1;
	CHECK(nn_graph_append(graph, &desc) == -EINVAL);
	desc.data = NULL;
	CHECK(!nn_graph_append(graph, &desc));
	CHECK(nn_graph_import_text(graph, "2 Input", 7) == -EINVAL &&
	      strstr(nn_graph_error(graph)->text, "empty"));
	nn_graph_destroy(graph);
}

/* Graphs that cannot be prepared: node 9 is what is wrong, if no other is given. */
#define IMAGE "1 Input shape=1,6,6,2 type=int8 scale=0.5\n"
#define WEIGHTS "2 Const shape=3,3,3,2 type=int8 scale=0.1\n"
#define TWO_LOOPS \
	"1 Input shape=4,1 type=int8 scale=1\n2 BatchLoop 1:0 step=1\n" \
	"3 CountLoop 2:0 current=1 total=2\n5 Const shape=1,1 type=int8 scale=1\n4 Variable 5:0 level=1\n"
#define END "\n10 OUTPUT 9:0\n"
#define NAME_OF_64 "a234567890123456789012345678901234567890123456789012345678901234"

static const struct {
	const char *text;
	uint32_t node;
	const char *word;
} bad_graphs[] = {
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 scale=1" END, 9, "output must be int8" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 type=int8" END, 9, "no scale" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 1:0 type=int8 scale=1" END, 9, "weights must be" },
	{ IMAGE "2 Const shape=3,3,3,2 type=uint8 scale=1\n9 Conv2d 1:0 2:0 type=int8 scale=1" END,
	  9, "weights" },
	{ IMAGE "2 Const shape=3,3,3,2 type=int8\n9 Conv2d 1:0 2:0 type=int8 scale=1" END, 9,
	  "no scale" },
	{ IMAGE "2 Const shape=3,3,2 type=int8\n9 Conv2d 1:0 2:0 type=int8 scale=1" END, 9,
	  "3x3x2" },
	{ IMAGE "2 Const shape=3,7,7,2 type=int8 scale=1\n9 Conv2d 1:0 2:0 type=int8 scale=1" END,
	  9, "7x7" },
	{ IMAGE WEIGHTS "3 Const shape=2 type=int32\n9 Conv2d 1:0 2:0 3:0 type=int8 scale=1" END, 9,
	  "bias" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 stride=0 type=int8 scale=1" END, 9, "stride" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 padding=3,0,0,0 type=int8 scale=1" END, 9, "padding" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 padding=some type=int8 scale=1" END, 9, "padding" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 activation=gelu type=int8 scale=1" END, 9, "gelu" },
	{ IMAGE WEIGHTS "9 Conv2d 1:0 2:0 type=int32 scale=1" END, 9, "int32" },
	{ IMAGE WEIGHTS "9 DepthwiseConv2d 1:0 2:0 type=int8 scale=1" END, 9, "multiple" },
	{ IMAGE WEIGHTS "9 FullyConnected 1:0 2:0 type=int8 scale=1" END, 9, "[outputs, inputs]" },
	{ IMAGE
	  "2 Const shape=4,71 type=int8 scale=1\n9 FullyConnected 1:0 2:0 type=int8 scale=1" END,
	  9, "72" },
	{ IMAGE "9 MaxPool 1:0" END, 9, "kernel" },
	{ IMAGE "9 MaxPool 1:0 kernel=2 type=int8 scale=1" END, 9, "change" },
	{ IMAGE "9 AveragePool 1:0 kernel=2 type=int8 scale=0.01" END, 9, "2^-20" },
	{ "1 Input shape=1,6,6,2 type=int8\n9 AveragePool 1:0 kernel=2 type=int8 scale=1" END, 9,
	  "the input has no scale" },
	{ "1 Input shape=1,6,6,2 type=int8\n2 Const shape=4,3,3,2 type=int8 scale=0.5\n"
	  "9 Conv2d 1:0 2:0 type=int8 scale=1" END, 9, "the input has no scale" },
	{ IMAGE "9 AveragePool 1:0 kernel=2 rounding=float32" END, 9, "float32_quarters" },
	{ IMAGE "9 AveragePool 1:0 kernel=2 type=int8 scale=1e-40 rounding=float32_rows" END, 9,
	  "2^-126" },
	{ IMAGE "9 Add 1:0 1:0 type=int8 scale=1 rounding=up" END, 9, "float32_fused" },
	{ IMAGE "9 Add 1:0 1:0 type=int8 scale=1e-40 rounding=float32" END, 9, "2^-126" },
	{ IMAGE "9 Add 1:0 1:0 type=int8 scale=1e-7 rounding=float32_fused" END, 9, "too much" },
	{ IMAGE "2 Input shape=1,6,6,3 type=int8 scale=1\n9 Add 1:0 2:0 type=int8 scale=1" END, 9,
	  "same dimensions" },
	{ IMAGE "9 Requantize 1:0 type=int32 scale=1" END, 9, "int32" },
	{ IMAGE "9 Reshape 1:0 shape=-1,-1" END, 9, "only one" },
	{ IMAGE "9 Reshape 1:0 shape=5,5" END, 9, "cannot make" },
	{ IMAGE "9 Reshape 1:0" END, 9, "needs a shape" },
	{ IMAGE "9 Reshape 1:0 name=part" END, 9, "\"part\": needs a shape" },
	{ IMAGE "9 Reshape 1:0 name=a\1b\xff" END, 9, "\"a?b?\": needs a shape" },
	{ IMAGE "9 Reshape 1:0 name=" NAME_OF_64 END, 9, "\"" NAME_OF_64 "\": needs a shape" },
	{ IMAGE "9 Reshape 1:0 name=" NAME_OF_64 "5" END, 9,
	  "\"" NAME_OF_64 "...\": needs a shape" },
	{ IMAGE "9 Transpose 1:0 perm=0,1,2" END, 9, "4 numbers" },
	{ IMAGE "9 Transpose 1:0 perm=0,1,1,2" END, 9, "order" },
	{ IMAGE "9 Transpose 1:0 perm=1,0,2,3" END, 9, "rows" },
	{ IMAGE "9 Move 1:0 shape=0,3" END, 9, "as many numbers" },
	{ IMAGE "9 Move 1:0 shape=1,3 strides=0,1" END, 9, "the first 0" },
	{ IMAGE "9 Move 1:0 shape=0,0 strides=0,1" END, 9, "dimension 1" },
	{ IMAGE "9 Move 1:0 shape=0,65536,65536 strides=0,0,0" END, 9, "too large" },
	{ IMAGE "9 Move 1:0 shape=0,37 strides=0,2" END, 9, "outside" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=0,-1" END, 9, "outside" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=0,1 offset=-1" END, 9, "outside" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=0,1 type=uint8 scale=0.5" END, 9, "change" },
	{ IMAGE "9 Gather 1:0" END, 9, "needs indices" },
	{ IMAGE "9 Gather 1:0 axis=0 indices=0" END, 9, "dimension 0" },
	{ IMAGE "9 Gather 1:0 axis=4 indices=0" END, 9, "axis" },
	{ IMAGE "9 Gather 1:0 axis=1 indices=0,6" END, 9, "index 6 is not one of 6" },
	{ IMAGE "9 Gather 1:0 axis=1 indices=-1" END, 9, "index -1" },
	{ IMAGE "9 Pad 1:0 before=0,1,1,0" END, 9, "needs after" },
	{ IMAGE "9 Pad 1:0 before=0,1 after=0,1" END, 9, "4 numbers" },
	{ IMAGE "9 Pad 1:0 before=1,0,0,0 after=0,0,0,0" END, 9, "dimension 0" },
	{ IMAGE "9 Pad 1:0 before=0,-1,0,0 after=0,0,0,0" END, 9, "pads dimension 1" },
	{ IMAGE "9 Pad 1:0 before=0,6,0,0 after=0,0,0,0 mode=reflect" END, 9, "not 0 to 5" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 after=0,0,7,0 mode=symmetric" END, 9, "not 0 to 6" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 after=0,0,0,0 mode=mirror" END, 9, "mode must be" },
	{ IMAGE "9 Pad 1:0 before=0,1,0,0 after=0,0,0,0 value=128" END, 9, "128, which is no" },
	{ IMAGE "9 Concat 1:0 axis=7" END, 9, "axis" },
	{ IMAGE "9 Concat 1:0 1:0 axis=0" END, 9, "dimension 0" },
	{ IMAGE "2 Input shape=1,6,5,2 type=int8 scale=0.5\n9 Concat 1:0 2:0" END, 9,
	  "do not fit" },
	{ IMAGE "2 Input shape=1,6,6,2 type=int8 scale=1\n9 Concat 1:0 2:0" END, 9, "requantize" },
	{ IMAGE "9 Clamp 1:0 min=2 max=1" END, 9, "min" },
	{ IMAGE "2 Const shape=255\n9 Table 1:0 2:0" END, 9, "256 uint8, not 255 of uint8" },
	{ IMAGE "2 Const shape=256 type=int8\n9 Table 1:0 2:0" END, 9, "not 256 of int8" },
	{ IMAGE "2 Const shape=1,256\n9 Table 1:0 2:0" END, 9, "not 1x256" },
	{ IMAGE "2 Input shape=256\n9 Table 1:0 2:0" END, 9, "constant" },
	{ IMAGE "9 BatchLoop 1:0" END, 9, "step" },
	{ IMAGE "9 BatchLoop 1:0 step=0" END, 9, "from 1 to" },
	{ IMAGE "9 BatchLoop 1:0 step=2 quantum=2" END, 9, "quantum" },
	{ IMAGE "2 Input shape=2,1\n9 BatchLoop 1:0 2:0 step=2" END, 9, "2 rows" },
	{ IMAGE "9 CountLoop 1:0 current=2" END, 9, "total" },
	{ IMAGE "2 BatchLoop 1:0 step=1\n9 Add 1:0 2:0 type=int8 scale=1" END, 9, "level" },
	{ IMAGE "2 BatchLoop 1:0 step=1\n9 Concat 1:0 2:0" END, 9, "level" },
	{ IMAGE "2 BatchLoop 1:0 step=1\n3 Variable 1:0\n9 Nop 2:0 3:0" END, 3, "level=1" },
	{ IMAGE "2 BatchLoop 1:0 step=1\n3 Variable 1:0 level=2\n9 Nop 2:0 3:0" END, 3,
	  "has only 1" },
	{ IMAGE "2 BatchLoop 1:0 step=1\n3 Assign 1:0 2:0\n9 Nop 2:0 3:0" END, 3,
	  "must be a Variable" },
	{ "1 Input shape=4,1\n2 CountLoop 1:0 current=3 total=3\n3 Variable 1:0 level=1\n9 Nop 2:0 3:0" END,
	  3, "1 row" },
	{ "1 Input shape=4,1\n2 CountLoop 1:0 current=4 total=4\n3 Variable 1:0 level=1 fixed=1\n4 Assign 3:0 2:0\n"
	  "9 Nop 4:0" END,
	  4, "does not fit" },
	{ "1 Input shape=4,1\n3 Variable 1:0 level=1\n4 BatchLoop 3:0 step=1\n9 Nop 4:0" END, 4,
	  "not inside" },
	{ "1 Input shape=4,1\n2 CountLoop 1:0 current=4 total=4\n3 Variable 1:0 level=1\n4 BatchLoop 3:0 step=1\n"
	  "9 Nop 4:0" END,
	  4, "copy it first" },
	{ "1 Input shape=4,1\n2 CountLoop 1:0 current=4 total=4\n3 Variable 1:0 level=1\n"
	  "4 BatchLoop 3:0 step=1\n5 Nop 2:0\n9 Nop 4:0 5:0" END,
	  4, "copy it first" },
	/* Partitions would change the order of the lines. */
	{ TWO_LOOPS "6 Add 4:0 2:0 type=int8 scale=1\n8 Nop 4:0 3:0\n7 Assign 4:0 6:0\n"
	  "9 Nop 8:1" END,
	  8, "node 7 assigns it in partition 1" },
	{ TWO_LOOPS "8 Nop 4:0 3:0\n6 Add 4:0 2:0 type=int8 scale=1\n7 Assign 4:0 6:0\n"
	  "9 Nop 8:1" END,
	  8, "node 7 assigns it in partition 1" },
	{ TWO_LOOPS "6 Nop 4:0\n7 Assign 4:0 3:0\n9 Nop 6:0 3:0" END, 6,
	  "node 7 assigns it in partition 2" },
	{ TWO_LOOPS "7 Assign 4:0 3:0\n6 Nop 4:0\n9 Nop 6:0 3:0" END, 6,
	  "node 7 assigns it in partition 2" },
	{ TWO_LOOPS "6 Assign 4:0 2:0\n7 Assign 4:0 3:0\n9 Nop 4:0 3:0" END, 7,
	  "node 6 assigns it in partition 1" },
	{ TWO_LOOPS "6 Assign 4:0 2:0\n7 Variable 4:0 level=2\n9 Nop 7:0 3:0" END, 7,
	  "node 6 assigns it in partition 1" },
	{ "1 Input shape=4,1\n2 BatchLoop 1:0 step=1\n5 Const shape=1,1\n4 Variable 5:0 level=1\n"
	  "6 Assign 4:0 2:0\n9 CountLoop 4:0 current=1 total=1" END,
	  9, "node 6 assigns it in partition 1" },
	{ IMAGE WEIGHTS
	  "3 Input shape=1,6,6,3 type=int8 scale=1\n9 Conv2d 3:0 2:0 type=int8 scale=1" END,
	  9, "channels" },
	{ IMAGE "3 Variable 1:0 level=1\n9 Nop 3:0" END, 3, "has only 0" },
};

static void test_bad_graphs(void)
{
	struct nn_prepare_options as_written = { .flags = NN_PREPARE_NO_OPTIMIZE };
	struct nn_graph *graph;
	unsigned int i;

	/* Nothing uses it, but it is there. */
	graph = make_graph(TWO_LOOPS "6 Nop 4:0\n7 Assign 4:0 3:0\n9 Nop 3:0" END);
	CHECK(nn_graph_prepare(graph, device, &as_written) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 6);
	CHECK(!nn_graph_prepare(graph, device, NULL));
	nn_graph_destroy(graph);

	for (i = 0; i < sizeof(bad_graphs) / sizeof(bad_graphs[0]); i++) {
		const struct nn_error *error;
		int err;

		graph = make_graph(bad_graphs[i].text);
		err = nn_graph_prepare(graph, device, NULL);
		error = nn_graph_error(graph);

		if (!CHECK(err < 0 && error->code == err && error->node == bad_graphs[i].node &&
			   strstr(error->text, bad_graphs[i].word)))
			printf("# %s: %d, node %u: %s\n", bad_graphs[i].text, err, error->node,
			       error->text);
		nn_graph_destroy(graph);
	}
}

static int plain_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor input, output;
	uint32_t i;

	(void)graph;
	if (opaque)
		++*(unsigned int *)opaque;
	if (nn_node_get_input(self, 0, &input) || nn_node_get_output(self, 0, &output))
		return -EINVAL;
	for (i = 0; i < input.info.dims[0] * input.info.dims[1]; i++)
		((uint8_t *)output.data)[i] = ((uint8_t *)input.data)[i] + 1;
	return 0;
}

/* Complains, and returns what it was told to all the same. */
static int sulk_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	nn_node_fail(self, -EXDEV, "complains");
	return plain_execute(graph, self, NULL) ? -EINVAL : *(int *)opaque;
}

static const struct nn_node_ops sulk_ops = { .name = "Sulk", .execute = sulk_execute };

static int mute_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	return plain_execute(graph, self, NULL) ? -EINVAL : *(int *)opaque;
}

static const struct nn_node_ops mute_ops = { .name = "Mute", .execute = mute_execute };

/* All that nodes make: behind the graph's own output a Relu that nothing reads, and the Clamp that
 * would be part of the Add. */
static void test_all_tensors(void)
{
	const char *text = "1 Input type=int8 shape=0,2 scale=1 zero_point=0\n2 Relu 1:0\n"
			   "3 Add 1:0 1:0 type=int8 scale=1 zero_point=0\n"
			   "4 Clamp 3:0 min=0 max=9\n5 OUTPUT 4:0\n";
	static const int8_t values[4] = { 3, -2, 7, 100 };
	static const int8_t wanted[4][4] = {
		{ 6, 0, 9, 9 }, { 3, 0, 7, 100 }, { 6, -4, 14, 127 }, { 6, 0, 9, 9 },
	};
	struct nn_prepare_options options = { .flags = NN_PREPARE_ALL_TENSORS };
	struct nn_graph *graph = new_graph();
	struct nn_buffer input = { .data = (void *)values, .size = 4, .rows = 2 };
	struct nn_buffer outputs[4];
	int8_t made[4][4];

	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(nn_graph_get_output_count(graph) == 1);
	for (options.step = 0; options.step < 2; options.step++) {
		uint32_t more = options.step; /* the loop hands out its input */

		CHECK(!nn_graph_prepare(graph, device, &options));
		CHECK(nn_graph_get_output_count(graph) == 4 + more);
		if (options.step)
			continue;
		for (int i = 0; i < 4; i++)
			outputs[i] = (struct nn_buffer){ .data = made[i], .size = 4 };
		CHECK(!nn_graph_execute(graph, &input, 1, outputs, 4));
		CHECK(!memcmp(made, wanted, sizeof(made)));
	}
	options = (struct nn_prepare_options){ .flags = 1u << 3 };
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	CHECK(!nn_graph_prepare(graph, device, NULL));
	CHECK(nn_graph_get_output_count(graph) == 1);
	nn_graph_destroy(graph);
}

static void test_callback_errors(void)
{
	const char *text = "1 Input shape=0,1\n2 Sulk 1:0\n3 Mute 2:0\n4 OUTPUT 3:0\n";
	struct nn_graph *graph = new_graph();
	int sulk = 0, mute = 0;
	uint8_t in = 5, out;
	struct nn_buffer input = { .data = &in, .size = 1, .rows = 1 };
	struct nn_buffer output = { .data = &out, .size = 1 };

	CHECK(!nn_graph_register_op(graph, &sulk_ops, &sulk));
	CHECK(!nn_graph_register_op(graph, &mute_ops, &mute));
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!nn_graph_prepare(graph, device, NULL));
	/* A complaint that came to nothing is no error, and not another's. */
	CHECK(!nn_graph_execute(graph, &input, 1, &output, 1) && out == 7);
	CHECK(nn_graph_error(graph)->code == 0);
	mute = -EIO;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EIO);
	CHECK(nn_graph_error(graph)->code == -EIO && nn_graph_error(graph)->node == 3);
	/* What is neither is an error that says so, whatever was complained about before. */
	mute = 5;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EINVAL);
	CHECK(nn_graph_error(graph)->code == -EINVAL && nn_graph_error(graph)->node == 3 &&
	      strstr(nn_graph_error(graph)->text, "its execute returned 5"));
	sulk = 7;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EINVAL);
	CHECK(nn_graph_error(graph)->node == 2 &&
	      strstr(nn_graph_error(graph)->text, "its execute returned 7"));
	sulk = -EXDEV;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EXDEV);
	CHECK(nn_graph_error(graph)->node == 2 &&
	      !strcmp(nn_graph_error(graph)->text, "complains"));
	nn_graph_destroy(graph);
}

static const struct nn_node_ops plain_ops = { .name = "Plain", .execute = plain_execute };

static void test_misuse(void)
{
	struct nn_node_ops ops = plain_ops;
	struct nn_graph *graph = make_graph("1 Input shape=0,2 type=int16 name=x\n2 OUTPUT 1:0\n");
	struct nn_prepare_options options = { .flags = 0x80 };
	struct nn_buffer in = { 0 }, out = { 0 };
	struct nn_tensor_info info;
	struct nn_plan_info plan;
	uint32_t rows[2] = { 1, 1 };
	int16_t data[16] = { 0 };

	CHECK(!nn_graph_register_op(graph, &ops, NULL));
	CHECK(nn_graph_register_op(graph, &ops, NULL) == -EEXIST);
	ops.name = "conv2d";
	CHECK(nn_graph_register_op(graph, &ops, NULL) == -EEXIST);
	ops.name = "Other";
	ops.flags = 1u << 9;
	CHECK(nn_graph_register_op(graph, &ops, NULL) == -EINVAL);
	ops.flags = NN_NODE_FLAG_STATIC;
	CHECK(nn_graph_register_op(graph, &ops, NULL) == -EINVAL);
	ops.flags = 0;
	ops.execute = NULL;
	CHECK(nn_graph_register_op(graph, &ops, NULL) == -EINVAL);

	CHECK(nn_graph_get_plan(graph, &plan) == -EINVAL);
	CHECK(nn_graph_get_output_info(graph, 0, &info) == -EINVAL);
	CHECK(nn_graph_walk_passes(graph, NULL, NULL) == -EINVAL);
	CHECK(nn_graph_wait(graph, 0) == -ECHILD);
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL);
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	options = (struct nn_prepare_options){ .input_rows = rows, .input_count = 2 };
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	CHECK(!nn_graph_prepare(graph, NULL, NULL));
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL);
	CHECK(!prepare(graph));
	CHECK(nn_graph_get_input_info(graph, 1, &info) == -ENOENT);
	CHECK(nn_graph_get_output_info(graph, 1, &info) == -ENOENT);

	in = (struct nn_buffer){ .data = data, .size = 8, .rows = 2 };
	out = (struct nn_buffer){ .data = data + 8, .size = 8 };
	CHECK(nn_graph_execute(graph, &in, 2, &out, 1) == -EINVAL);
	CHECK(nn_graph_execute(graph, &in, 1, &out, 2) == -EINVAL);
	CHECK(!nn_graph_execute(graph, &in, 1, &out, 1));
	in.size = 7;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL &&
	      strstr(nn_graph_error(graph)->text, "8"));
	in.size = 8;
	out.size = 7;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -ENOSPC);
	out.size = 8;
	in.data = (uint8_t *)data + 1;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL &&
	      strstr(nn_graph_error(graph)->text, "aligned"));
	in.data = NULL;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL &&
	      !strcmp(nn_graph_error(graph)->text, "input 0 \"x\" has no data"));
	in.data = data;
	out.data = NULL;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL &&
	      !strcmp(nn_graph_error(graph)->text, "output 0 \"x\" has no memory"));
	out.data = data + 8;
	CHECK(nn_graph_execute(graph, NULL, 1, &out, 1) == -EINVAL &&
	      strstr(nn_graph_error(graph)->text, "inputs are NULL"));
	in = (struct nn_buffer){ .flags = NN_BUFFER_DMABUF, .fd = -1, .size = 8, .rows = 2 };
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL && strstr(nn_graph_error(graph)->text, "needs a dma-buf"));
	in.fd = 0; /* may be one; what it is the device says */
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) && !strstr(nn_graph_error(graph)->text, "needs a dma-buf"));
	in = (struct nn_buffer){ .data = data, .flags = 2, .size = 8, .rows = 2 };
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL);
	nn_graph_destroy(graph);
	nn_graph_destroy(NULL);

	graph = make_graph("1 Input shape=3,1\n2 OUTPUT 1:0\n");
	rows[0] = 4;
	options = (struct nn_prepare_options){ .input_rows = rows, .input_count = 1 };
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	options = (struct nn_prepare_options){ .step = 2 };
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	CHECK(strstr(nn_graph_error(graph)->text, "variable"));
	nn_graph_destroy(graph);
	graph = make_graph("1 Input shape=0,1\n2 BatchLoop 1:0 step=1\n3 OUTPUT 2:0\n");
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL &&
	      nn_graph_error(graph)->node == 2);
	nn_graph_destroy(graph);
}

/* ---- Operators ---- */

static int32_t clamp(float value, int32_t zero_point, int32_t min, int32_t max)
{
	value += (float)zero_point;
	return value < (float)min ? min : value > (float)max ? max : (int32_t)value;
}

/* A convolution, plain or depthwise, with random everything, and the same in seven loops. */
static void check_convolution(bool depthwise)
{
	static int8_t in[2 * 9 * 9 * 5], weights[12 * 3 * 3 * 5], out[2 * 12 * 12 * 12];
	uint32_t size = 4 + draw(5), c = 1 + draw(5), k = 1 + draw(3),
		 m = depthwise ? c * (1 + draw(2)) : 1 + draw(12);
	uint32_t stride = 1 + draw(2), pad = draw(k), oh = (size + 2 * pad - k) / stride + 1,
		 relu = draw(2);
	uint32_t wc = depthwise ? 1 : c, n, y, x, o, i, j, l;
	struct nn_tensor_info image = { .type = NN_INT8,
					.rank = 4,
					.dims = { 2, size, size, c },
					.zero_point = 7,
					.scale = 0.02f };
	struct nn_tensor_info kernel = {
		.type = NN_INT8, .rank = 4, .dims = { m, k, k, c }, .scale_count = m
	};
	struct nn_tensor_info biases = { .type = NN_INT32, .rank = 1, .dims = { m } };
	struct nn_tensor_info result = { .type = NN_INT8, .zero_point = -9, .scale = 0.05f };
	struct nn_graph *graph = new_graph();
	float scales[12];
	int32_t bias[12];
	struct nn_attr attrs[3] = {
		{ .name = "stride", .type = NN_ATTR_INT, .i = stride },
		{ .name = "padding",
		  .type = NN_ATTR_INTS,
		  .count = 4,
		  .ints = (int64_t[]){ pad, pad, pad, pad } },
		{ .name = "activation", .type = NN_ATTR_STRING, .string = relu ? "relu" : "none" },
	};
	struct nn_input inputs[3] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
	struct nn_node_desc nodes[5] = {
		{ .id = 1, .op = "Input", .outputs = &image, .output_count = 1 },
		{ .id = 2, .op = "Const", .outputs = &kernel, .output_count = 1, .data = weights },
		{ .id = 3,
		  .op = "Const",
		  .outputs = &biases,
		  .output_count = 1,
		  .data = bias,
		  .data_size = 4 * m },
		{ .id = 4,
		  .op = depthwise ? "DepthwiseConv2d" : "Conv2d",
		  .inputs = inputs,
		  .input_count = 3,
		  .attrs = attrs,
		  .attr_count = 3,
		  .outputs = &result,
		  .output_count = 1 },
		{ .id = 5, .op = "OUTPUT", .inputs = &(struct nn_input){ 4, 0 }, .input_count = 1 },
	};

	if (depthwise) {
		memcpy(kernel.dims, (uint32_t[]){ 1, k, k, m }, 4 * sizeof(uint32_t));
		kernel.axis = 3;
	}
	nodes[1].data_size = (size_t)m * k * k * wc;
	for (i = 0; i < sizeof(in); i++)
		in[i] = (int8_t)draw(256);
	for (i = 0; i < sizeof(weights); i++)
		weights[i] = (int8_t)draw(256);
	for (i = 0; i < m; i++) {
		bias[i] = (int32_t)draw(4000) - 2000;
		scales[i] = 0.001f + (float)draw(1000) * 1e-5f;
	}
	kernel.scales = scales;
	kernel.zero_point = draw(2) ? 0 : (int32_t)draw(256) - 128;
	for (i = 0; i < 5; i++)
		if (!CHECK(!nn_graph_append(graph, &nodes[i])))
			printf("# %s\n", nn_graph_error(graph)->text);
	if (!CHECK(!prepare(graph)) ||
	    !CHECK(execute(graph, in, sizeof(in), 2, out, sizeof(out)) == 2))
		goto out;

	for (n = 0; n < 2; n++)
		for (y = 0; y < oh; y++)
			for (x = 0; x < oh; x++)
				for (o = 0; o < m; o++) {
					int32_t sum = bias[o], want;
					float scale = image.scale * scales[o] / result.scale;

					for (i = 0; i < k; i++)
						for (j = 0; j < k; j++)
							for (l = 0; l < wc; l++) {
								int64_t iy = (int64_t)y * stride +
									     i - pad;
								int64_t ix = (int64_t)x * stride +
									     j - pad;
								uint32_t from =
									depthwise ? o / (m / c) : l;
								int8_t w =
									depthwise
										? weights[(i * k +
											   j) * m +
											  o]
										: weights[((o * k +
											    i) * k +
											   j) * c +
											  l];

								if (iy < 0 || ix < 0 ||
								    iy >= size || ix >= size)
									continue;
								sum += (w - kernel.zero_point) *
								       (in[((n * size + iy) * size +
									    ix) * c +
									   from] -
									7);
							}
					want = clamp(rintf((float)sum * scale), -9,
						     relu ? -9 : -128, 127);
					if (!CHECK(out[((n * oh + y) * oh + x) * m + o] == want))
						goto out;
				}
out:
	nn_graph_destroy(graph);
}

static void test_convolutions(void)
{
	unsigned int i;

	for (i = 0; i < 60 && tap_good; i++)
		check_convolution(i % 2);
}

/* Bytes in, bytes out, under several ways to prepare. */
static void check_bytes(const char *text, const int8_t *in, size_t in_size, uint32_t rows,
			const int8_t *want, size_t want_size)
{
	struct nn_prepare_options ways[] = {
		{ 0 }, { .flags = NN_PREPARE_NO_OPTIMIZE }, { .step = 1 }, { .step = 2 }
	};
	int8_t out[256];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct nn_graph *graph = make_graph(text);

		memset(out, 0x55, sizeof(out));
		if (!CHECK(!nn_graph_prepare(graph, device, &ways[i])))
			printf("# %s: %s\n", text, nn_graph_error(graph)->text);
		else if (!CHECK(execute(graph, in, in_size, rows, out, want_size) == (int)rows &&
				!memcmp(out, want, want_size)))
			printf("# %s, way %u\n", text, i);
		CHECK(out[want_size] == 0x55);
		nn_graph_destroy(graph);
	}
}

/* Elements of a constant that is written as text: all that their type has, bit for bit. */
static void test_wide_constants(void)
{
	const int64_t in[2] = { 1, -1 };
	const int64_t want[2][4] = {
		{ 4294967300, -9223372036854775807, INT64_MIN, 16777216 },
		{ 4294967298, 9223372036854775807, 9223372036854775806, 16777214 },
	};

	check_bytes("1 Input shape=0,1 type=int64\n2 Const shape=1,4 type=int64 values="
		    "4294967299,-9223372036854775808,9223372036854775807,16777215\n"
		    "3 Integers 1:0 2:0 function=add\n4 OUTPUT 3:0\n",
		    (const int8_t *)in, sizeof(in), 2, (const int8_t *)want, sizeof(want));
}

/* A table that turns all bits of a byte, which makes x -x - 1. */
static void test_table(void)
{
	static const int8_t in[] = { -128, -1, 0, 1, 127, 100 };
	char text[2048] = "1 Input shape=0,3 type=int8 scale=0.5\n2 Const shape=256 values=";

	for (unsigned int i = 0; i < 256; i++)
		snprintf(text + strlen(text), 5, "%s%u", i ? "," : "", 255 - i);
	strcat(text, "\n3 Table 1:0 2:0\n4 OUTPUT 3:0\n");
	check_bytes(text, in, 6, 2, (int8_t[]){ 127, 0, -1, -2, -128, -101 }, 6);
}

#define ROWS "1 Input shape=0,2,3 type=int8 scale=0.5\n"

/* Indices in so many pieces that they become numbers of a constant. */
static void check_scattered_gather(const int8_t *in)
{
	static const uint8_t indices[20] = {
		0, 2, 2, 1, 0, 0, 2, 1, 1, 0, 2, 0, 0, 1, 2, 2, 0, 1, 1, 2
	};
	int8_t want[6 * 20];

	for (unsigned int i = 0; i < sizeof(want); i++)
		want[i] = in[i / 20 * 3 + indices[i % 20]];
	check_bytes(ROWS "2 Gather 1:0 axis=-1 indices=0,2,2,1,0,0,2,1,1,0,2,0,0,1,2,2,0,1,1,2\n"
		    "3 OUTPUT 2:0\n", in, 18, 3, want, sizeof(want));
}

/* Operators that move elements by strides; numbers from numpy. */
static void test_moving_operators(void)
{
	static const int8_t in[] = { -100, -3, 0,  5,  50, 127, 1,  2,	 3,
				     4,	   -5, -6, 10, 20, 30,	40, -50, -60 };
	static const int8_t five[] = { 1, 2, 3, 4, 5 };

	check_bytes(ROWS "2 Move 1:0 shape=0,6 strides=0,-1 offset=5\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 127, 50, 5, 0, -3, -100, -6, -5, 4, 3, 2, 1, -60,
				-50, 40, 30, 20, 10 },
		    18);
	check_bytes(ROWS "2 Move 1:0 shape=0,2,2 strides=0,3,2\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -100, 0, 5, 127, 1, 3, 4, -6, 10, 30, 40, -60 },
		    12);
	check_bytes(ROWS "2 Move 1:0 shape=0,2,2,1 strides=0,0,-3,0 offset=4\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 50, -3, 50, -3, -5, 2, -5, 2, -50, 20, -50, 20 },
		    12);
	check_bytes(ROWS "2 Move 1:0 shape=0,2,2 strides=0,3,1 offset=1\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -3, 0, 50, 127, 2, 3, -5, -6, 20, 30, -50, -60 },
		    12);
	check_bytes(ROWS "2 Gather 1:0 axis=-1 indices=2,0,1,1\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 0, -100, -3, -3, 127, 5, 50, 50, 3, 1, 2, 2, -6, 4,
				-5, -5, 30, 10, 20, 20, -60, 40, -50, -50 },
		    24);
	check_scattered_gather(in);
	check_bytes(ROWS "2 Cumulate 1:0 type=int8 scale=2\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -25, -26, -26, 1, 14, 46, 0, 1, 2, 1, 0, -2, 2, 8, 15, 10, -2, -18 },
		    18);
	check_bytes(ROWS "2 Const shape=1,2 type=int32 values=2,-3\n3 Take 1:0 2:0 axis=2\n4 OUTPUT 3:0\n", in, 18, 3,
		    (int8_t[]){ 0, -100, 127, 5, 3, 1, -6, 4, 30, 10, -60, 40 },
		    12);
	/* Numbers: numpy's, where -7 and 3 are passed over and 0 comes twice. */
	check_bytes(ROWS "2 Const shape=1,4 type=int64 values=0,-7,-1,0\n3 Const shape=1,2,4 type=int8 values=9,8,7,100,1,2,3,-4 scale=0.5\n"
		    "4 Scatter 1:0 2:0 3:0 axis=2\n5 OUTPUT 4:0\n", in, 18, 3,
		    (int8_t[]){ 100, -3, 7, -4, 50, 3, 100, 2, 7, -4, -5, 3, 100, 20, 7, -4, -50, 3 },
		    18);
	check_bytes(ROWS "2 Const shape=1,4 type=int32 values=0,3,-1,0\n3 Const shape=1,2,4 type=int8 values=9,8,7,100,1,2,3,-4 scale=0.5\n"
		    "4 Scatter 1:0 2:0 3:0 axis=2 function=add\n5 OUTPUT 4:0\n", in, 18, 3,
		    (int8_t[]){ 9, -3, 7, 2, 50, -126, 110, 2, 10, 1, -5, -3, 119, 20, 37, 37, -50, -57 },
		    18);
	check_bytes(ROWS "2 Const shape=1,3 type=int64 values=2,0,-3\n3 Take 1:0 2:0\n4 OUTPUT 3:0\n", in, 18, 3,
		    (int8_t[]){ 0, 0, 0, -100, -3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0,
				0, 0, 0, 10, 20, 30, 0, 0, 0 },
		    27);
	check_bytes(ROWS "2 Gather 1:0 axis=1 indices=1\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 5, 50, 127, 4, -5, -6, 40, -50, -60 },
		    9);
	check_bytes(ROWS "2 Pad 1:0 before=0,1,0 after=0,0,2 value=-7\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -7, -7, -7, -7, -7, -100, -3, 0, -7, -7, 5, 50, 127,
				-7, -7, -7, -7, -7, -7, -7, 1, 2, 3, -7, -7, 4, -5, -6, -7, -7,
				-7, -7, -7, -7, -7, 10, 20, 30, -7, -7, 40, -50, -60, -7, -7 },
		    45);
	check_bytes(ROWS "2 Pad 1:0 before=0,0,1 after=0,1,1 mode=edge\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -100, -100, -3, 0, 0, 5, 5, 50, 127, 127, 5, 5, 50,
				127, 127, 1, 1, 2, 3, 3, 4, 4, -5, -6, -6, 4, 4, -5, -6, -6, 10,
				10, 20, 30, 30, 40, 40, -50, -60, -60, 40, 40, -50, -60, -60 },
		    45);
	check_bytes(ROWS "2 Pad 1:0 before=0,1,2 after=0,0,1 mode=reflect\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 127, 50, 5, 50, 127, 50, 0, -3, -100, -3, 0, -3,
				127, 50, 5, 50, 127, 50, -6, -5, 4, -5, -6, -5, 3, 2, 1, 2, 3, 2,
				-6, -5, 4, -5, -6, -5, -60, -50, 40, -50, -60, -50, 30, 20, 10,
				20, 30, 20, -60, -50, 40, -50, -60, -50 },
		    54);
	check_bytes(ROWS "2 Pad 1:0 before=0,1,0 after=0,2,3 mode=symmetric\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -100, -3, 0, 0, -3, -100, -100, -3, 0, 0, -3, -100,
				5, 50, 127, 127, 50, 5, 5, 50, 127, 127, 50, 5, -100, -3, 0, 0,
				-3, -100, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 4, -5, -6, -6, -5,
				4, 4, -5, -6, -6, -5, 4, 1, 2, 3, 3, 2, 1, 10, 20, 30, 30, 20, 10,
				10, 20, 30, 30, 20, 10, 40, -50, -60, -60, -50, 40, 40, -50, -60,
				-60, -50, 40, 10, 20, 30, 30, 20, 10 },
		    90);
	check_bytes(ROWS "2 Pad 1:0 before=0,0,2 after=0,1,1 mode=wrap\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -3, 0, -100, -3, 0, -100, 50, 127, 5, 50, 127, 5,
				-3, 0, -100, -3, 0, -100, 2, 3, 1, 2, 3, 1, -5, -6, 4, -5, -6, 4,
				2, 3, 1, 2, 3, 1, 20, 30, 10, 20, 30, 10, -50, -60, 40, -50, -60,
				40, 20, 30, 10, 20, 30, 10 },
		    54);
	/* Seven dimensions, none of which lie together, and some of all that comes out. */
	check_bytes("1 Input shape=0,5 type=int8\n2 Move 1:0 shape=0,2,2,2,2,2,2,2 "
		    "strides=0,-1,0,-1,0,-1,0,-1 offset=4\n3 Move 2:0 shape=0,8 strides=0,18\n"
		    "4 OUTPUT 3:0\n",
		    five, 5, 1, (int8_t[]){ 5, 4, 4, 3, 4, 3, 3, 2 }, 8);
}

static void test_small_operators(void)
{
	static const int8_t in[] = { -100, -3, 0,  5,  50, 127, 1,  2,	 3,
				     4,	   -5, -6, 10, 20, 30,	40, -50, -60 };

	check_bytes(ROWS "2 Relu 1:0\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 0, 0, 0, 5, 50, 127, 1, 2, 3, 4, 0, 0, 10, 20, 30, 40, 0, 0 }, 18);
	check_bytes(ROWS "2 Relu6 1:0\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ 0, 0, 0, 5, 12, 12, 1, 2, 3, 4, 0, 0, 10, 12, 12, 12, 0, 0 }, 18);
	check_bytes(ROWS "2 Clamp 1:0 min=-2 max=10\n3 OUTPUT 2:0\n", in, 18, 3,
		    (int8_t[]){ -4, -3, 0, 5, 20, 20, 1, 2, 3, 4, -4, -4, 10, 20, 20, 20, -4, -4 },
		    18);
	check_bytes(ROWS "2 Requantize 1:0 type=int8 scale=1 zero_point=3\n3 OUTPUT 2:0\n", in, 12,
		    2, (int8_t[]){ -47, 1, 3, 5, 28, 67, 3, 4, 5, 5, 1, 0 }, 12);
	check_bytes(ROWS "2 Add 1:0 1:0 type=int8 scale=1\n3 OUTPUT 2:0\n", in, 18, 3, in, 18);
	/* Halves: up, to even, and to even once the zero point is added. */
	check_bytes(ROWS "2 Add 1:0 1:0 type=int8 scale=2 zero_point=1\n3 OUTPUT 2:0\n", in, 6, 1,
		    (int8_t[]){ -49, 0, 1, 4, 26, 65 }, 6);
	check_bytes(ROWS
		    "2 Add 1:0 1:0 type=int8 scale=2 zero_point=1 rounding=float32\n3 OUTPUT 2:0\n",
		    in, 6, 1, (int8_t[]){ -49, -1, 1, 3, 26, 65 }, 6);
	check_bytes(
		ROWS
		"2 Add 1:0 1:0 type=int8 scale=2 zero_point=1 rounding=float32_fused\n3 OUTPUT 2:0\n",
		in, 6, 1, (int8_t[]){ -49, 0, 1, 4, 26, 64 }, 6);
	/* It compares only, and needs no scale. */
	check_bytes("1 Input shape=0,2,3,1 type=int8\n2 MaxPool 1:0 kernel=2\n3 OUTPUT 2:0\n", in, 12,
		    2, (int8_t[]){ 50, 127, 4, 3 }, 4);
	check_bytes(ROWS "2 Transpose 1:0 perm=0,2,1\n3 OUTPUT 2:0\n", in, 12, 2,
		    (int8_t[]){ -100, 5, -3, 50, 0, 127, 1, 4, 2, -5, 3, -6 }, 12);
	check_bytes(ROWS "2 Concat 1:0 1:0 axis=1\n3 OUTPUT 2:0\n", in, 6, 1,
		    (int8_t[]){ -100, -3, 0, 5, 50, 127, -100, -3, 0, 5, 50, 127 }, 12);
	check_bytes(ROWS "2 Concat 1:0 1:0 axis=-1\n3 OUTPUT 2:0\n", in, 6, 1,
		    (int8_t[]){ -100, -3, 0, -100, -3, 0, 5, 50, 127, 5, 50, 127 }, 12);
	check_bytes(
		ROWS
		"2 Reshape 1:0 shape=0,3,-1\n3 Nop 2:0\n4 Transpose 3:0 perm=0,2,1\n5 OUTPUT 4:0\n",
		in, 12, 2, (int8_t[]){ -100, 0, 50, -3, 5, 127, 1, 3, -5, 2, 4, -6 }, 12);
	check_bytes(ROWS "2 Reshape 1:0 shape=-1,2,3,1\n3 MaxPool 2:0 kernel=2,2\n4 OUTPUT 3:0\n",
		    in, 18, 3, (int8_t[]){ 50, 127, 4, 3, 40, 30 }, 6);
	check_bytes(
		ROWS
		"2 Reshape 1:0 shape=-1,2,3,1\n3 AveragePool 2:0 kernel=1,3 padding=same\n4 OUTPUT 3:0\n",
		in, 6, 1, (int8_t[]){ -51, -34, -1, 28, 61, 89 }, 6);
	/* 20 times finer, which rounding half up cannot do; a half to even. */
	check_bytes(
		ROWS
		"2 Reshape 1:0 shape=-1,2,3,1\n"
		"3 AveragePool 2:0 kernel=1,3 type=int8 scale=0.025 rounding=float32_rows\n4 OUTPUT 3:0\n",
		in + 6, 6, 1, (int8_t[]){ 40, -47 }, 2);
	check_bytes(ROWS "2 Reshape 1:0 shape=-1,2,3,1\n"
			 "3 AveragePool 2:0 kernel=2,1 rounding=float32_columns\n4 OUTPUT 3:0\n",
		    in + 6, 6, 1, (int8_t[]){ 2, -2, -2 }, 3);
	check_bytes(ROWS "2 Const shape=2,6 type=int8 scale=1 values=1,0,0,0,0,0,0,0,0,1,0,0\n"
		    "3 FullyConnected 1:0 2:0 type=int8 scale=1\n4 OUTPUT 3:0\n", in, 18, 3,
		    (int8_t[]){ -50, 2, 0, 2, 5, 20 }, 6);
	/* An accumulator, requantized at once or by its own operator. */
	check_bytes(
		ROWS
		"2 Const shape=1,6 type=int8 scale=1 values=1\n3 FullyConnected 1:0 2:0 type=int32\n"
		"4 Requantize 3:0 type=int8 scale=2\n5 Relu 4:0\n6 OUTPUT 5:0\n",
		in, 18, 3, (int8_t[]){ 20, 0, 0 }, 3);
}

/* More operators than a program can have: +1, -1, +1, ... */
static void test_long_partition(void)
{
	enum { LENGTH = 8001 };
	static const int8_t in[] = { 3, -7 }, want[] = { 4, -6 };
	const struct nn_tensor_info sum = { .type = NN_INT8, .scale = 1 };
	struct nn_graph *graph = make_graph("1 Input shape=0,1 type=int8 scale=1\n"
					    "2 BatchLoop 1:0 step=1\n"
					    "3 Const shape=1,1 type=int8 scale=1 values=1\n"
					    "4 Const shape=1,1 type=int8 scale=1 values=-1\n"
					    "5 Variable 3:0 level=1\n"
					    "6 Variable 4:0 level=1\n");
	struct nn_plan_info plan;
	struct nn_plan_node last;
	int8_t out[2];
	uint32_t i;

	for (i = 0; i < LENGTH; i++) {
		const struct nn_input inputs[] = { { i ? 9 + i : 2, 0 }, { i % 2 ? 6 : 5, 0 } };

		CHECK(!nn_graph_append(graph, &(struct nn_node_desc){ .id = 10 + i,
								      .op = "Add",
								      .inputs = inputs,
								      .input_count = 2,
								      .outputs = &sum,
								      .output_count = 1 }));
	}
	CHECK(!nn_graph_append(graph, &(struct nn_node_desc){
					      .id = 9,
					      .op = "OUTPUT",
					      .inputs = &(struct nn_input){ 9 + LENGTH, 0 },
					      .input_count = 1 }));
	CHECK(!nn_graph_prepare(graph, device, NULL));
	CHECK(!nn_graph_get_plan(graph, &plan) && plan.program_count > 2);
	CHECK(!nn_graph_get_plan_node(graph, plan.node_count - 2, &last) && last.part > 1);
	CHECK(execute(graph, in, 2, 2, out, 2) == 2 && !memcmp(out, want, 2));
	nn_graph_destroy(graph);
}

/* Each output goes round its own input, whatever level and rows that has. */
static void test_count_loop(void)
{
	static const int8_t in[] = { 1, 2, 3, 4 }, want[] = { 1 + 1, 2 + 2, 1 + 3, 3 + 1, 4 + 2, 3 + 3 };
	struct nn_graph *graph = make_graph("1 Input shape=0,1 type=int8 scale=1\n"
					    "2 BatchLoop 1:0 step=2\n"
					    "3 CountLoop 2:0 1:0 current=3 total=3\n"
					    "4 Add 3:0 3:1 type=int8 scale=1\n"
					    "5 OUTPUT 4:0\n");
	int8_t out[6];

	CHECK(!nn_graph_prepare(graph, device, NULL));
	CHECK(execute(graph, in, 4, 4, out, 6) == 6 && !memcmp(out, want, 6));
	nn_graph_destroy(graph);
}

/* ---- State ---- */

static void test_state(void)
{
	const char *sum = "1 Input shape=0,1 type=int8 scale=1\n2 CountLoop 1:0 current=2 total=6\n"
			  "3 Const shape=1,1 type=int8 scale=1 values=3\n4 Variable 3:0 level=1\n"
			  "5 Add 4:0 2:0 type=int8 scale=1\n6 Nop 4:0\n7 Assign 4:0 5:0\n";
	const int8_t in[] = { 1, 2, 3, 4, 5, 6 };
	struct { const char *output; int8_t want[6];
	} cases[] = {
		{ "8 OUTPUT 5:0\n", { 4, 5, 7, 9, 12, 15 } }, /* 3 + 1, 3 + 2; 4 + 3, 5 + 4; ... */
		{ "8 OUTPUT 6:0\n",
		  { 3, 3, 4, 5, 7, 9 } }, /* read before the assign, and used after it */
		{ "8 OUTPUT 4:0\n", { 4, 5, 7, 9, 12, 15 } }, /* read after it */
		{ "8 OUTPUT 7:0\n", { 4, 5, 7, 9, 12, 15 } },
	};
	char text[600];
	int8_t out[12];
	unsigned int i, way;

	for (i = 0; i < 4; i++)
		for (way = 0; way < 2; way++) {
			struct nn_prepare_options options = { .flags = way ? NN_PREPARE_NO_OPTIMIZE
									   : 0 };
			struct nn_graph *graph;

			snprintf(text, sizeof(text), "%s%s", sum, cases[i].output);
			graph = make_graph(text);
			CHECK(!nn_graph_prepare(graph, device, &options));
			/* Twice: each execution begins with the initial value. */
			CHECK(execute(graph, in, 6, 6, out, 6) == 6 &&
			      !memcmp(out, cases[i].want, 6));
			CHECK(execute(graph, in, 6, 6, out, 6) == 6 &&
			      !memcmp(out, cases[i].want, 6));
			nn_graph_destroy(graph);
		}
}

static void test_state_starts_anew(void)
{
	/* The inner loop's sum begins again for each row of the outer one; the outer loop's goes
	 * on. */
	const char *text =
		"1 Input shape=0,1 type=int8 scale=1\n2 BatchLoop 1:0 step=1\n3 CountLoop 2:0 current=1 total=3\n"
		"4 Const shape=1,1 type=int8 scale=1 values=0\n5 Variable 4:0 level=2\n"
		"6 Add 5:0 3:0 type=int8 scale=1\n7 Assign 5:0 6:0\n8 OUTPUT 6:0\n";
	const char *fixed =
		"1 Input shape=0,1 type=int8 scale=1\n2 BatchLoop 1:0 step=1\n3 CountLoop 2:0 current=1 total=3\n"
		"4 Const shape=1,1 type=int8 scale=1 values=0\n5 Variable 4:0 level=1 fixed=1\n9 Nop 5:0 3:0\n"
		"10 Const shape=1,1 type=int8 scale=1 values=1\n6 Add 9:0 10:0 type=int8 scale=1\n"
		"7 Assign 5:0 6:0\n8 OUTPUT 6:0\n";
	const int8_t in[] = { 1, 10, 3 }, want[] = { 1, 2, 3, 10, 20, 30, 3, 6, 9 };
	struct nn_graph *graph = make_graph(text);
	int8_t out[9];

	CHECK(!prepare(graph));
	CHECK(execute(graph, in, 3, 3, out, 9) == 9 && !memcmp(out, want, 9));
	nn_graph_destroy(graph);

	graph = make_graph(fixed);
	CHECK(!prepare(graph));
	CHECK(execute(graph, in, 3, 3, out, 1) == 1 && out[0] == 9);
	nn_graph_destroy(graph);
}

/* ---- Registered operators ---- */

static void test_split(void)
{
	struct nn_graph *graph = new_graph();
	const char *text =
		"1 Input shape=0,2 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n3 Relu 2:0\n4 Plain 3:0\n5 Relu6 4:0\n"
		"6 Plain 5:0\n7 OUTPUT 6:0\n";
	const int8_t in[] = { -5, 3, 9, 0, 1, -1 }, want[] = { 2, 5, 7, 2, 3, 2 };
	static const enum nn_runs_on where[] = { NN_RUNS_NOWHERE, NN_RUNS_CPU,	  NN_RUNS_DEVICE,
						 NN_RUNS_CPU,	  NN_RUNS_DEVICE, NN_RUNS_CPU,
						 NN_RUNS_DEVICE };
	static const unsigned int part[] = { 0, 0, 0, 1, 1, 2, 2 };
	struct nn_execution_stats stats;
	unsigned int executed = 0, i;
	struct nn_plan_node node;
	int8_t out[6];

	CHECK(!nn_graph_register_op(graph, &plain_ops, &executed));
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!prepare(graph));
	for (i = 0; i < 7; i++) {
		CHECK(!nn_graph_get_plan_node(graph, i, &node));
		CHECK(node.id == i + 1 && node.runs_on == where[i] && node.part == part[i]);
	}
	CHECK(execute(graph, in, 6, 3, out, 6) == 3 && !memcmp(out, want, 6));
	CHECK(executed == 4);
	CHECK(!nn_graph_get_stats(graph, &stats) && stats.passes == 6 && stats.pushes == 2);
	nn_graph_destroy(graph);
}

/* ---- Buffers behind a file descriptor */

/* A dma-buf of vgem, the driver of no device, which both kernels have; -ENOENT without it. */
static int dmabuf_from_vgem(size_t size, uint32_t access)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .height = size / 4096, .bpp = 32 };
	char path[32];
	int i, fd, buffer = -ENOENT;

	if (system("modprobe -q vgem 2>/dev/null"))
		return -ENOENT;
	for (i = 0; i < 64 && buffer < 0; i++) {
		drmVersionPtr version;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		version = fd < 0 ? NULL : drmGetVersion(fd);
		if (version && !strcmp(version->name, "vgem") &&
		    !drmIoctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
			drmPrimeHandleToFD(fd, dumb.handle, DRM_CLOEXEC | access, &buffer);
		drmFreeVersion(version);
		if (fd >= 0)
			close(fd);
	}
	return buffer;
}

/* The host device only maps it, for which a memfd will do. */
static int buffer_create(size_t size)
{
	int fd;

	if (!on_host)
		return dmabuf_from_vgem(size, DRM_RDWR);
	fd = memfd_create("buffer", MFD_CLOEXEC);
	CHECK(fd >= 0 && !ftruncate(fd, size));
	return fd;
}

/* One without write access. */
static int read_only_buffer_create(size_t size)
{
	char path[32];
	int fd, buffer;

	if (!on_host)
		return dmabuf_from_vgem(size, 0);
	buffer = buffer_create(size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", buffer);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	close(buffer);
	return fd;
}

static void buffer_sync(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags | DMA_BUF_SYNC_RW };

	CHECK(on_host || !drmIoctl(fd, DMA_BUF_IOCTL_SYNC, &sync));
}

static void check_dmabuf(int fd)
{
	struct nn_graph *graph =
		make_graph("1 Input shape=0,128\n2 BatchLoop 1:0 step=2\n3 OUTPUT 2:0\n");
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint8_t *data;
	struct nn_buffer input = {
		.flags = NN_BUFFER_DMABUF, .fd = fd, .offset = 128, .size = 384, .rows = 3
	};
	struct nn_buffer output = {
		.flags = NN_BUFFER_DMABUF, .fd = fd, .offset = 8192 + 256, .size = 384
	};
	unsigned int i;

	if (!CHECK(fd >= 0))
		return;
	data = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	buffer_sync(fd, DMA_BUF_SYNC_START);
	memset(data, 0, 16384);
	for (i = 0; i < 384; i++)
		data[128 + i] = (uint8_t)(i * 3);
	buffer_sync(fd, DMA_BUF_SYNC_END);
	CHECK(!prepare(graph));
	if (!CHECK(!nn_graph_execute(graph, &input, 1, &output, 1)))
		printf("# %s\n", nn_graph_error(graph)->text);
	buffer_sync(fd, DMA_BUF_SYNC_START);
	CHECK(output.rows == 3 && !memcmp(data + 8192 + 256, data + 128, 384));
	for (i = 8192 + 256 + 384; i < 16384; i++)
		CHECK(!data[i]);
	buffer_sync(fd, DMA_BUF_SYNC_END);

	/*
	 * What is none, what ends too early, and a wrong offset are refused; then all is well
	 * again.
	 */
	input.fd = none;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) < 0 && *nn_graph_error(graph)->text);
	input.fd = fd;
	output.offset = 16384 - 256;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) < 0 && *nn_graph_error(graph)->text);
	output.offset = 8192 + 1;
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EINVAL);
	output.offset = 4096;
	CHECK(!nn_graph_execute(graph, &input, 1, &output, 1));
	CHECK(!memcmp(data + 4096, data + 128, 384));
	munmap(data, 16384);
	close(fd);
	close(none);
	nn_graph_destroy(graph);
}

static void test_dmabuf(void)
{
	check_dmabuf(buffer_create(16384));
}

/* Good for an input; an output is refused before anything runs. */
static void test_read_only_dmabuf(void)
{
	struct nn_graph *graph =
		make_graph("1 Input shape=0,128\n2 BatchLoop 1:0 step=2\n3 OUTPUT 2:0\n");
	int fd = read_only_buffer_create(16384);
	uint8_t data[384];
	struct nn_buffer file = { .flags = NN_BUFFER_DMABUF, .fd = fd, .size = 384, .rows = 3 };
	struct nn_buffer memory = { .data = data, .size = 384, .rows = 3 };
	unsigned int i;

	memset(data, 0xee, sizeof(data));
	if (!CHECK(fd >= 0))
		return;
	CHECK(!prepare(graph));
	if (!CHECK(!nn_graph_execute(graph, &file, 1, &memory, 1)))
		printf("# %s\n", nn_graph_error(graph)->text);
	for (i = 0; i < 384; i++)
		CHECK(!data[i]);
	CHECK(nn_graph_execute(graph, &memory, 1, &file, 1) == -EACCES &&
	      *nn_graph_error(graph)->text);
	CHECK(!nn_graph_execute(graph, &file, 1, &memory, 1));
	close(fd);
	nn_graph_destroy(graph);
}

/* The same in the device's own memory. */
static void test_own_dmabuf(void)
{
	struct nn_error error;
	uint8_t *data;
	int fd = 0, saved;

	CHECK(nn_device_create_dmabuf(device, 0, &fd, &error) == -EINVAL && fd == -1);
	CHECK(error.code == -EINVAL && *error.text);
	CHECK(nn_device_create_dmabuf(device, 1ull << 63, &fd, &error) < 0 && fd == -1);
	CHECK(error.code < 0 && *error.text);
	CHECK(nn_device_create_dmabuf(device, UINT64_MAX, &fd, NULL) < 0 && fd == -1);

	if (!CHECK(!nn_device_create_dmabuf(device, 16384, &fd, &error)))
		return;
	CHECK(lseek(fd, 0, SEEK_END) == 16384);
	data = mmap(NULL, 16384, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(data != MAP_FAILED && !data[0] && !data[16383]);
	munmap(data, 16384);
	check_dmabuf(fd);

	/* 0 is a descriptor like any other. */
	saved = dup(0);
	close(0);
	if (CHECK(!nn_device_create_dmabuf(device, 16384, &fd, &error)))
		CHECK(fd == 0);
	dup2(saved, 0);
	close(saved);
}

static void test_plan(void)
{
	struct nn_graph *graph = make_graph(
		"1 Input shape=0,100 type=int8 scale=1\n2 BatchLoop 1:0 step=4\n3 Relu 2:0\n"
		"4 Softmax 3:0 type=int8 scale=1\n5 Add 3:0 4:0 type=int8 scale=1\n6 OUTPUT 5:0\n");
	uint32_t rows = 10;
	struct nn_prepare_options options = { .input_rows = &rows, .input_count = 1 };
	struct nn_plan_info info;
	struct nn_tensor_info tensor;

	CHECK(!nn_graph_prepare(graph, device, &options));
	CHECK(!nn_graph_get_plan(graph, &info));
	CHECK(info.node_count == 6 && info.partition_count == 2 && info.program_count == 1 &&
	      info.sink_count == 1);
	CHECK(info.push_count == 3 && info.pass_count == 3);
	/* One tensor of 4 or of 10 rows of 100 bytes, rounded up to 128; OUTPUT's needs none, and
	 * what Softmax makes is there before. */
	CHECK(info.arena_bytes == 512 && info.arena_bytes_unlooped == 1024);
	CHECK(info.constant_bytes == 256 + 1024 && info.input_bytes == 1000 &&
	      info.output_bytes == 1000);
	CHECK(info.bytes_moved == 400 + 256 + 400 + 400 + 1024 + 400 + 3 * 400);
	CHECK(!nn_graph_get_output_info(graph, 0, &tensor) && tensor.dims[0] == 10 &&
	      tensor.dims[1] == 100);
	nn_graph_destroy(graph);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("nodes that are wrong in themselves are refused", test_bad_lines);
	tap_run("graphs that are wrong are refused, with node and reason", test_bad_graphs);
	tap_run("calls that are wrong are refused", test_misuse);
	tap_run("all tensors as outputs", test_all_tensors);
	tap_run("a callback's error is that of the call, in its words", test_callback_errors);
	tap_run("convolutions are what seven loops say", test_convolutions);
	tap_run("constants of 64 bits in text", test_wide_constants);
	tap_run("a table, plain, unoptimized and in steps", test_table);
	tap_run("small operators, plain, unoptimized and in steps", test_small_operators);
	tap_run("operators that move elements", test_moving_operators);
	tap_run("a partition longer than a program is several", test_long_partition);
	tap_run("CountLoop takes inputs of several levels", test_count_loop);
	tap_run("Variable and Assign keep list order, and each execution starts anew", test_state);
	tap_run("a Variable starts anew with its loop, and goes on in inner ones",
		test_state_starts_anew);
	tap_run("a registered operator splits its partition", test_split);
	tap_run("inputs and outputs in memory behind a file descriptor", test_dmabuf);
	tap_run("memory that can only be read is good for inputs", test_read_only_dmabuf);
	tap_run("inputs and outputs in the device's memory behind a file descriptor",
		test_own_dmabuf);
	tap_run("the plan's figures", test_plan);
	nn_device_close(device);
	return tap_end();
}
