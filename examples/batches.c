/* SPDX-License-Identifier: MIT */
/*
 * Runs a model on a batch of any size, some items in each pass of a loop, and prints for each item
 * which of its scores is the greatest: batches MODEL STEP [DEVICE] <INPUT
 *
 * The library puts the loop around the model: all its passes go to the device at once. The model
 * takes one input of variable batch, and gives a row of 8-bit scores for each item.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <nn_import.h>

/* All of standard input. */
static uint8_t *read_all(size_t *size)
{
	size_t room = 1 << 16, got;
	uint8_t *data = malloc(room);

	*size = 0;
	while (data && (got = fread(data + *size, 1, room - *size, stdin))) {
		*size += got;
		if (*size == room)
			data = realloc(data, room *= 2);
	}
	if (!data)
		errx(1, "out of memory");
	return data;
}

static void print_best(const struct nn_tensor_info *info, const uint8_t *scores, uint32_t rows)
{
	const uint32_t count = info->dims[1];
	const int flip = info->type == NN_INT8 ? 128 : 0;
	uint32_t row, i, best;

	for (row = 0; row < rows; row++, scores += count) {
		for (i = 1, best = 0; i < count; i++)
			if ((scores[i] ^ flip) > (scores[best] ^ flip))
				best = i;
		printf("%u\n", best);
	}
}

int main(int argc, char **argv)
{
	struct nn_buffer in = { .rows = 0 }, out = { .rows = 0 };
	struct nn_prepare_options options = { .input_rows = &in.rows, .input_count = 1 };
	struct nn_tensor_info item, scores;
	struct nn_device *device = NULL;
	struct nn_graph *graph = NULL;
	struct nn_error error;

	if (argc < 3)
		errx(2, "usage: batches MODEL STEP [DEVICE] <INPUT");
	options.step = strtoul(argv[2], NULL, 10);
	if (nn_device_open(argc > 3 ? argv[3] : "hexagon", &device, &error))
		errx(1, "%s", error.text);
	if (nn_graph_create(&graph) || nn_graph_import_file(graph, argv[1], NULL))
		errx(1, "%s", nn_graph_error(graph)->text);

	/* The input has a variable batch: `item` describes one item of it. */
	if (nn_graph_get_input_count(graph) != 1 || nn_graph_get_output_count(graph) != 1 ||
	    nn_graph_get_input_info(graph, 0, &item) || item.dims[0] != NN_VARIABLE)
		errx(1, "%s does not have one input, of variable batch, and one output", argv[1]);
	in.data = read_all(&in.size);
	in.rows = in.size / nn_tensor_info_bytes(&item);

	/* Planned for that many items, it says how large the output will be. */
	if (nn_graph_prepare(graph, device, &options))
		errx(1, "%s", nn_graph_error(graph)->text);
	if (nn_graph_get_output_info(graph, 0, &scores) || scores.rank != 2 ||
	    nn_data_type_size(scores.type) != 1)
		errx(1, "%s does not give rows of 8-bit scores", argv[1]);
	out.size = nn_tensor_info_bytes(&scores);
	out.data = malloc(out.size + 1);
	if (!out.data)
		errx(1, "out of memory");
	if (nn_graph_execute(graph, &in, 1, &out, 1))
		errx(1, "%s", nn_graph_error(graph)->text);
	print_best(&scores, out.data, out.rows);

	free(in.data);
	free(out.data);
	nn_graph_destroy(graph);
	nn_device_close(device);
	return 0;
}
