// SPDX-License-Identifier: MIT
/*
 * Inputs of a Concat that are made where they belong in its output, and Slices that are read where
 * they are in their input: which, and that nobody can tell. Who writes and reads them can have pixels
 * apart.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "libnnloop/plan/plan.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

/* ---- Which ---- */

#define IMAGE	"1 Input shape=1,4,6,8 type=int8 scale=0.5\n" \
		"2 Const shape=64,1,1,8 type=int8 scale=0.1 values=1\n"
#define CONV	IMAGE "3 Conv2d 1:0 2:0 type=int8 scale=1\n"
#define TWO	CONV "4 Conv2d 1:0 2:0 type=int8 scale=1\n"
#define END	"9 OUTPUT 8:0\n"
/* The halves of a convolution, and one that reads 32 channels. */
#define HALVES	CONV "4 Slice 3:0 size=32\n5 Slice 3:0 begin=32\n" \
		"20 Const shape=64,1,1,32 type=int8 scale=0.1 values=1\n"

static const struct {
	const char *name, *text;
	uint32_t apart;		/* a bit for each input of node 8 */
	uint32_t views;		/* a bit for each node that is a Slice */
} cases[] = {
	{ "two convolutions", TWO "8 Concat 3:0 4:0\n" END, 3, 0 },
	{ "of which another one reads one", TWO "8 Concat 3:0 4:0\n9 OUTPUT 8:0 4:0\n", 1, 0 },
	{ "one twice", CONV "8 Concat 3:0 3:0\n" END, 0, 0 },
	{ "a single one", CONV "8 Concat 3:0\n" END, 1, 0 },
	{ "one and an input", CONV "4 Input shape=1,4,6,2 type=int8 scale=1\n8 Concat 4:0 3:0\n" END, 2, 0 },
	{ "one and a constant", CONV "4 Const shape=1,4,6,2 type=int8 scale=1\n8 Concat 3:0 4:0\n" END, 1, 0 },
	{ "along the width", TWO "8 Concat 3:0 4:0 axis=2\n" END, 0, 0 },
	{ "what has few outputs, which joins pixels",
	  IMAGE "3 Const shape=16,1,1,8 type=int8 scale=0.1\n4 Conv2d 1:0 3:0 type=int8 scale=1\n8 Concat 4:0\n" END, 0, 0 },
	{ "functions in place of them", TWO "5 LeakyRelu 3:0\n6 Sigmoid 4:0 type=int8 scale=1 zero_point=0\n8 Concat 5:0 6:0\n" END, 3, 0 },
	{ "a function of an input", CONV "4 LeakyRelu 1:0 type=int8 scale=1\n8 Concat 4:0 3:0\n" END, 3, 0 },
	{ "a sum in place of one", TWO "5 Add 3:0 4:0 type=int8 scale=1\n8 Concat 5:0\n" END, 1, 0 },
	{ "a sum of others", TWO "5 Add 3:0 4:0 type=int8 scale=1\n8 Concat 5:0 4:0\n" END, 3, 0 },
	{ "of which another one reads one later",
	  TWO "8 Concat 3:0 4:0\n5 LeakyRelu 4:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "of which a pool reads one", TWO "5 MaxPool 4:0 kernel=1\n8 Concat 3:0 4:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "of which a convolution that joins pixels reads one", TWO
	  "20 Const shape=16,1,1,64 type=int8 scale=0.1 values=1\n5 Conv2d 4:0 20:0 type=int8 scale=1\n"
	  "8 Concat 3:0 4:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "nearest pixels", CONV "4 Resize 3:0 size=4,6\n8 Concat 4:0\n" END, 1, 0 },
	{ "of a linear function", CONV "4 Resize 3:0 size=4,6 mode=linear\n8 Concat 4:0\n" END, 0, 0 },
	{ "a pool", CONV "4 MaxPool 3:0 kernel=1\n8 Concat 4:0\n" END, 0, 0 },
	{ "a product", TWO "5 Mul 3:0 4:0 type=int8 scale=1\n8 Concat 5:0\n" END, 0, 0 },
	{ "another Concat", TWO "5 Concat 3:0 4:0\n8 Concat 5:0\n" END, 0, 0 },
	{ "with another shape", CONV "4 Reshape 3:0 shape=1,24,64\n8 Concat 4:0\n" END, 0, 0 },
	{ "another name", CONV "4 Nop 3:0\n8 Concat 4:0\n" END, 0, 0 },
	{ "functions of rows", "1 Input shape=0,4 type=int8 scale=1\n3 LeakyRelu 1:0\n8 Concat 3:0 1:0\n" END, 1, 0 },
	{ "in a loop", "1 Input shape=0,4 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n3 LeakyRelu 2:0\n8 Concat 3:0 2:0\n" END, 1, 0 },
	{ "before a loop, and in it", "1 Input shape=0,4 type=int8 scale=1\n3 LeakyRelu 1:0\n2 BatchLoop 3:0 step=2\n"
	  "4 LeakyRelu 2:0\n8 Concat 4:0 2:0\n" END, 1, 0 },
	{ "of a variable", "1 Input shape=0,4 type=int8 scale=0.5\n2 BatchLoop 1:0 step=1\n"
	  "3 Const shape=1,4 type=int8 scale=0.5\n4 Variable 3:0 level=1\n5 LeakyRelu 2:0\n6 Assign 4:0 5:0\n"
	  "8 Concat 6:0\n" END, 0, 0 },

	{ "a half for a convolution", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "both, one of them for two", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n7 Add 4:0 5:0 type=int8 scale=1\n"
	  "8 Concat 6:0 7:0\n" END, 3, 1 << 4 | 1 << 5 },
	{ "for a function, which is not in place of it", HALVES "6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "for a pool", HALVES "6 MaxPool 5:0 kernel=1\n8 Concat 6:0\n" END, 0, 0 },
	{ "for a function and a pool", HALVES "6 MaxPool 5:0 kernel=1\n7 LeakyRelu 5:0\n8 Concat 6:0 7:0\n" END, 2, 0 },
	{ "for OUTPUT, too", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 6:0\n9 OUTPUT 8:0 5:0\n", 1, 0 },
	{ "of what OUTPUT takes, too",
	  HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 6:0\n9 OUTPUT 8:0 3:0\n", 1, 1 << 5 },
	{ "under another name", HALVES "6 Nop 5:0\n7 Conv2d 6:0 20:0 type=int8 scale=1\n8 Concat 7:0\n" END, 1, 0 },
	{ "of another name",
	  CONV "4 Nop 3:0\n5 Slice 4:0 size=8\n6 Conv2d 5:0 2:0 type=int8 scale=1\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "of another shape",
	  CONV "4 Reshape 3:0 shape=1,4,12,32\n5 Slice 4:0 begin=24\n6 Conv2d 5:0 2:0 type=int8 scale=1\n8 Concat 6:0\n" END,
	  1, 1 << 5 },
	{ "along the width", CONV "5 Slice 3:0 axis=2 size=3\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 0, 0 },
	{ "of a half", HALVES "6 Slice 5:0 begin=24\n7 Conv2d 6:0 2:0 type=int8 scale=1\n8 Concat 7:0\n" END, 1,
	  1 << 5 | 1 << 6 },
	{ "of a half, for a pool", HALVES "6 Slice 5:0 begin=24\n7 MaxPool 6:0 kernel=1\n8 Concat 7:0\n" END, 0, 1 << 5 },
	{ "of an input", IMAGE "5 Slice 1:0 begin=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 1, 1 << 5 },
	{ "of a constant", "4 Const shape=1,4,6,8 type=int8 scale=0.5\n5 Slice 4:0 begin=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END,
	  0, 0 },
	{ "of rows, as a loop hands them out",
	  "1 Input shape=0,8 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n5 Slice 2:0 size=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END, 0, 0 },
	{ "of a function of them",
	  "1 Input shape=0,8 type=int8 scale=1\n2 BatchLoop 1:0 step=2\n3 LeakyRelu 2:0\n5 Slice 3:0 size=4\n6 LeakyRelu 5:0\n8 Concat 6:0\n" END,
	  1, 1 << 5 },
	{ "that crosses to a loop", "1 Input shape=0,8 type=int8 scale=1\n3 LeakyRelu 1:0\n5 Slice 3:0 size=4\n"
	  "2 BatchLoop 5:0 step=2\n6 LeakyRelu 2:0\n8 Concat 6:0\n" END, 1, 0 },
	{ "of a variable", "1 Input shape=0,4 type=int8 scale=0.5\n2 BatchLoop 1:0 step=1\n"
	  "3 Const shape=1,4 type=int8 scale=0.5\n4 Variable 3:0 level=1\n5 Slice 4:0 begin=2\n6 LeakyRelu 5:0\n"
	  "7 Assign 4:0 2:0\n8 Concat 6:0\n9 OUTPUT 8:0 7:0\n", 0, 0 },

	{ "one half is copied", HALVES "8 Concat 5:0\n" END, 0, 1 << 5 },
	{ "two that are a whole are there", HALVES "8 Concat 4:0 5:0\n" END, 3, 1 << 4 | 1 << 5 },
	{ "and others between which they are",
	  HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n7 Conv2d 4:0 20:0 type=int8 scale=1\n8 Concat 6:0 4:0 5:0 7:0\n" END,
	  15, 1 << 4 | 1 << 5 },
	{ "but not the other way around", HALVES "8 Concat 5:0 4:0\n" END, 0, 1 << 4 | 1 << 5 },
	{ "nor with one once more", HALVES "8 Concat 4:0 5:0 5:0\n" END, 0, 1 << 4 | 1 << 5 },
	{ "nor with the whole", HALVES "8 Concat 3:0 4:0 5:0\n" END, 0, 1 << 4 | 1 << 5 },
	{ "nor apart", HALVES "6 Conv2d 5:0 20:0 type=int8 scale=1\n8 Concat 4:0 6:0 5:0\n" END, 2, 1 << 4 | 1 << 5 },
	{ "nor where one is read later", HALVES "8 Concat 4:0 5:0\n6 LeakyRelu 5:0\n9 OUTPUT 8:0 6:0\n", 0,
	  1 << 4 | 1 << 5 },
	{ "a half in halves is a whole with the other", HALVES "6 Slice 5:0 size=16\n7 Slice 5:0 begin=16\n"
	  "8 Concat 4:0 6:0 7:0\n" END, 7, 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 },
	{ "halves of a Concat", TWO "10 Concat 3:0 4:0\n5 Slice 10:0 size=64\n6 LeakyRelu 5:0\n8 Concat 6:0 5:0\n" END, 1,
	  1 << 5 },
	{ "a half of what is made in a Concat", CONV "4 Slice 3:0 size=8\n5 Conv2d 4:0 2:0 type=int8 scale=1\n8 Concat 5:0 3:0\n" END,
	  3, 1 << 4 },
};

/* Whether a value is some channels of an output. */
static bool is_in(const struct nn_value *value, const struct nn_value *output)
{
	while (value->storage == NN_STORAGE_CHANNELS && value->base != output)
		value = nn_value_root(value->base);
	return value->storage == NN_STORAGE_CHANNELS;
}

/* Slices that are views: a bit for each node. They have nothing to do, the others are copies. */
static uint32_t find_views(const struct nn_plan *plan)
{
	uint32_t views = 0, i;

	for (i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		if (strcmp(node->op->name, "Slice"))
			continue;
		if (node->outputs[0].storage == NN_STORAGE_CHANNELS) {
			const struct nn_value *base = node->outputs[0].base;

			/* Of a view of its input: no chain of views is long. */
			CHECK(base == node->inputs[0] || base == node->inputs[0]->base);
			CHECK(!base->node->takes_channels || base->storage != NN_STORAGE_CHANNELS);
			views |= 1u << node->id;
		}
		CHECK((node->outputs[0].storage == NN_STORAGE_CHANNELS) ==
		      (node->runs_on == NN_RUNS_NOWHERE));
	}
	return views;
}

/* Inputs of node 8 that are made in its output. */
static uint32_t find_apart(const char *text, uint32_t flags, uint32_t *views)
{
	struct nn_prepare_options options = { .flags = flags };
	struct nn_graph *graph = make_graph(text);
	const struct nn_node *node;
	uint32_t apart = 0, i;

	if (!CHECK(!nn_graph_prepare(graph, device, &options))) {
		printf("# %s\n%s", nn_graph_error(graph)->text, text);
	} else {
		node = nn_plan_find(graph->plan, 8);
		for (i = 0; i < node->input_count; i++) {
			if (is_in(nn_value_root(node->inputs[i]), &node->outputs[0]))
				apart |= 1u << i;
		}
		*views = find_views(graph->plan);
		/* There is nothing to do for it then. */
		CHECK((apart + 1 == 1u << node->input_count) ==
		      (node->runs_on == NN_RUNS_NOWHERE));
	}
	nn_graph_destroy(graph);
	return apart;
}

static void test_which(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t views = 0, apart = find_apart(cases[i].text, 0, &views);

		if (!CHECK(apart == cases[i].apart && views == cases[i].views))
			printf("# %s: %#x are made there, not %#x; %#x are views, not %#x\n",
			       cases[i].name, apart, cases[i].apart, views, cases[i].views);
		CHECK(!find_apart(cases[i].text, NN_PREPARE_NO_OPTIMIZE, &views) && !views);
		CHECK(!find_apart(cases[i].text, NN_PREPARE_ALL_TENSORS, &views) && !views);
	}
}

/* ---- Nobody can tell ---- */

#define GRAPHS		600
#define MAX_NODES	20
#define ROWS		3
#define PIXELS		(4 * 6)
#define MAX_CHANNELS	160
#define MAX_OUTPUTS	4
#define OUTPUT_SIZE	(ROWS * PIXELS * MAX_CHANNELS)
#define TEXT_SIZE	(1u << 20)

static uint32_t seed, apart, in_place, partly, looped;
static uint32_t views, views_there, views_copied, copies;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/* A graph while it is written: images of 4 x 6 pixels, which differ in their channels. */
struct writing {
	char *text;
	uint32_t used, last;		/* bytes; the id given last */
	uint32_t ids[MAX_NODES + 1], channels[MAX_NODES + 1], count;	/* of images */
};

static void __attribute__((format(printf, 2, 3))) append(struct writing *writing,
							  const char *format, ...)
{
	va_list list;

	va_start(list, format);
	writing->used += vsnprintf(writing->text + writing->used, TEXT_SIZE - writing->used, format,
				   list);
	va_end(list);
}

static void add_image(struct writing *writing, uint32_t channels)
{
	writing->ids[writing->count] = writing->last;
	writing->channels[writing->count++] = channels;
}

/* The last one, which nobody reads yet, or any. */
static uint32_t draw_image(const struct writing *writing)
{
	return draw(5) < 2 ? writing->count - 1 : draw(writing->count);
}

static void write_function(struct writing *writing, uint32_t from)
{
	static const char *const functions[] = { "LeakyRelu", "Sigmoid", "Tanh", "Requantize" };

	append(writing, "%u %s %u:0 type=int8 scale=0.1 zero_point=0\n", ++writing->last,
	       functions[draw(4)], writing->ids[from]);
	add_image(writing, writing->channels[from]);
}

static void write_conv(struct writing *writing, uint32_t from)
{
	static const uint32_t sizes[] = { 5, 8, 31, 32, 40, 64, 70, 96 };
	uint32_t kernel = writing->channels[from] <= 8 && draw(2) ? 3 : 1, outputs = sizes[draw(8)];
	uint32_t count = outputs * kernel * kernel * writing->channels[from], weights;

	weights = ++writing->last;
	append(writing, "%u Const shape=%u,%u,%u,%u type=int8 scale=0.03 values=", weights, outputs,
	       kernel, kernel, writing->channels[from]);
	for (uint32_t i = 0; i < count; i++)
		append(writing, i ? ",%d" : "%d", (int)draw(255) - 127);
	append(writing, "\n%u Conv2d %u:0 %u:0 type=int8 scale=0.1%s%s\n", ++writing->last,
	       writing->ids[from], weights, kernel == 3 ? " padding=1,1,1,1" : "",
	       draw(3) ? "" : " activation=relu");
	add_image(writing, outputs);
	/* In place of it. */
	if (draw(2))
		write_function(writing, writing->count - 1);
}

/* Of the last images, or nearly. */
static void write_concat(struct writing *writing)
{
	uint32_t inputs[3], channels = 0, count = 0, at = writing->count;

	while (count < 3) {
		uint32_t back = count && draw(8) == 0 ? draw(3) : 1;	/* 0: once more */

		if (back > at || channels + writing->channels[at - back] > MAX_CHANNELS)
			break;
		at -= back;
		inputs[count++] = at;
		channels += writing->channels[at];
	}
	append(writing, "%u Concat", ++writing->last);
	for (uint32_t i = 0; i < count; i++)
		append(writing, " %u:0", writing->ids[inputs[i]]);
	append(writing, "\n");
	add_image(writing, channels);
}

static void write_slice(struct writing *writing, uint32_t from, uint32_t begin, uint32_t size)
{
	append(writing, "%u Slice %u:0 begin=%u size=%u\n", ++writing->last, writing->ids[from],
	       begin, size);
	add_image(writing, size);
}

/* One, or two that are all of it, to be put together again soon or not. */
static void write_slices(struct writing *writing, uint32_t from)
{
	uint32_t channels = writing->channels[from], slice;
	uint32_t half = channels < 16 ? channels / 2 : channels / 16 * 8;

	if (channels < 2 || writing->count + 5 > MAX_NODES || draw(4) == 0)
		return write_slice(writing, from, channels / 2, channels - channels / 2);
	write_slice(writing, from, half, channels - half);
	write_slice(writing, from, 0, half);
	slice = writing->last;
	if (draw(2))
		write_conv(writing, writing->count - 1);
	if (draw(2))
		return;
	append(writing, "%u Concat %u:0 %u:0\n", ++writing->last, slice, slice - 1);
	add_image(writing, channels);
}

static void write_node(struct writing *writing)
{
	uint32_t from = draw_image(writing), other = draw_image(writing), choice = draw(14);

	if (choice >= 11)
		return write_slices(writing, from);
	if (choice == 10) {
		append(writing, "%u MaxPool %u:0 kernel=3 padding=1,1,1,1\n", ++writing->last,
		       writing->ids[from]);
		return add_image(writing, writing->channels[from]);
	}
	if (choice < 4)
		return write_conv(writing, from);
	if (choice < 7)
		return write_concat(writing);
	if (choice == 7)
		return write_function(writing, from);
	if (choice == 8 && writing->channels[from] == writing->channels[other])
		append(writing, "%u Add %u:0 %u:0 type=int8 scale=0.1%s\n", ++writing->last,
		       writing->ids[from], writing->ids[other],
		       draw(2) ? " rounding=float32" : "");
	else
		append(writing, "%u Resize %u:0 size=4,6 round=ceil\n", ++writing->last,
		       writing->ids[from]);
	add_image(writing, writing->channels[from]);
}

/* Of several images or of steps of a loop. Behind that its input must not be taken. */
static void write_graph(char *text)
{
	struct writing writing = { .text = text };
	uint32_t count = 4 + draw(MAX_NODES - 4), i;

	append(&writing, "%u Input shape=0,4,6,8 type=int8 scale=0.1\n", ++writing.last);
	if (draw(2)) {
		append(&writing, "%u BatchLoop 1:0 step=%u\n", writing.last + 1, 1 + draw(2));
		writing.last++;
		looped++;
	}
	add_image(&writing, 8);
	while (writing.count < count)
		write_node(&writing);
	append(&writing, "%u OUTPUT %u:0", writing.last + 1, writing.ids[count - 1]);
	for (i = draw(MAX_OUTPUTS); i; i--)
		append(&writing, " %u:0", writing.ids[1 + draw(count - 1)]);
	append(&writing, "\n");
}

static void count_apart(const struct nn_plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];
		uint32_t there = 0;

		if (node->takes_channels) {
			views += node->runs_on == NN_RUNS_NOWHERE;
			copies += node->runs_on == NN_RUNS_DEVICE;
		}
		for (uint32_t j = 0; j < node->input_count && node->joins_channels; j++) {
			const struct nn_value *value = node->inputs[j];
			bool is_view = value->node->takes_channels &&
				       value->storage == NN_STORAGE_CHANNELS;
			bool is_there = is_in(nn_value_root(node->inputs[j]), &node->outputs[0]);

			views_there += is_view && is_there;
			views_copied += is_view && !is_there;
			there += is_there;
			in_place += is_there && value->storage == NN_STORAGE_ALIAS;
		}
		apart += there;
		partly += there && there < node->input_count;
	}
}

static void run(const char *text, uint32_t flags, int8_t outputs[MAX_OUTPUTS][OUTPUT_SIZE])
{
	struct nn_prepare_options options = {
		.flags = flags, .input_rows = &(uint32_t) { ROWS }, .input_count = 1
	};
	struct nn_buffer in, out[MAX_OUTPUTS];
	struct nn_graph *graph = make_graph(text);
	static int8_t images[ROWS * PIXELS * 8];

	for (uint32_t i = 0; i < sizeof(images); i++)
		images[i] = (int8_t)(i * 89 + 3);
	in = (struct nn_buffer){ .data = images, .size = sizeof(images), .rows = ROWS };
	for (uint32_t i = 0; i < MAX_OUTPUTS; i++)
		out[i] = (struct nn_buffer){ .data = outputs[i], .size = OUTPUT_SIZE };
	if (!CHECK(!nn_graph_prepare(graph, device, &options) &&
		   !nn_graph_execute(graph, &in, 1, out, nn_graph_get_output_count(graph)))) {
		printf("# %s\n", nn_graph_error(graph)->text);
	} else {
		count_apart(graph->plan);
		/* The caller's buffers have no place for channels then. */
		in.rows = in.size = 0;
		if (!CHECK(!nn_graph_execute(graph, &in, 1, out,
					     nn_graph_get_output_count(graph))))
			printf("# without rows: %s\n", nn_graph_error(graph)->text);
	}
	nn_graph_destroy(graph);
}

static void test_random(void)
{
	static int8_t plain[MAX_OUTPUTS][OUTPUT_SIZE], optimized[MAX_OUTPUTS][OUTPUT_SIZE];
	static char text[TEXT_SIZE];
	uint32_t i;

	for (i = 0; i < GRAPHS && tap_good; i++) {
		seed = i * 31 + 7;
		write_graph(text);
		memset(plain, 0, sizeof(plain));
		memset(optimized, 0, sizeof(optimized));
		run(text, NN_PREPARE_NO_OPTIMIZE, plain);
		CHECK((!apart && !views) || i);
		run(text, 0, optimized);
		if (!CHECK(!memcmp(plain, optimized, sizeof(plain))))
			printf("# graph %u\n", i);
	}
	printf("# %u graphs, %u with a loop; %u tensors are made in another, %u of them in place; %u Concats copy others\n",
	       i, looped, apart, in_place, partly);
	printf("# %u Slices are views, of which Concats have %u where they belong and copy %u; %u are copies\n",
	       views, views_there, views_copied, copies);
	CHECK(apart > GRAPHS / 2 && in_place > GRAPHS / 30 && partly > GRAPHS / 8 &&
	      looped > GRAPHS / 4 && views > GRAPHS / 4 && views_there > GRAPHS / 20 &&
	      views_copied > GRAPHS / 20 && copies > GRAPHS / 2);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("what is made where it belongs", test_which);
	tap_run("results are the same", test_random);
	nn_device_close(device);
	return tap_end();
}
