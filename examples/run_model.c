/* SPDX-License-Identifier: MIT */
/* Runs a model that has one input and one output: run_model MODEL [DEVICE] <INPUT >OUTPUT */
#include <err.h>
#include <stdio.h>
#include <nn_import.h>

int main(int argc, char **argv)
{
	static char in[1 << 20], out[1 << 20];
	struct nn_buffer input = { .data = in, .size = fread(in, 1, sizeof(in), stdin), .rows = 1 };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	struct nn_tensor_info info;
	struct nn_device *device;
	struct nn_graph *graph;
	struct nn_error error;

	if (nn_device_open(argc > 2 ? argv[2] : "hexagon", &device, &error))
		errx(1, "%s", error.text);
	if (nn_graph_create(&graph) || nn_graph_import_file(graph, argv[1], NULL) ||
	    nn_graph_prepare(graph, device, NULL) || nn_graph_execute(graph, &input, 1, &output, 1))
		errx(1, "%s", nn_graph_error(graph)->text);
	nn_graph_get_output_info(graph, 0, &info);
	return fwrite(out, nn_tensor_info_bytes(&info), 1, stdout) != 1;
}
