// SPDX-License-Identifier: MIT
/*
 * Expect: what it is given comes out, and a run fails, with a sentence, where the numbers of any
 * row are others; and what is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define ROWS	3
#define HEAD "1 Input shape=0,4 type=int8 scale=0.5 zero_point=3\n2 Input shape=0,2 type=int32\n"
#define MODEL HEAD "3 Expect 1:0 2:0 values=5,-7\n4 Relu 3:0\n5 OUTPUT 4:0 3:0\n"

/* Runs with the first rows of numbers, and returns what the run says. */
static int run(struct nn_graph *graph, const int32_t numbers[ROWS][2], uint32_t rows, uint32_t step)
{
	static const int8_t x[ROWS][4] = { { 1, 2, 3, 4 }, { -128, 127, 0, 9 }, { 5, -6, 7, 8 } };
	static const int8_t relu[ROWS][4] = { { 3, 3, 3, 4 }, { 3, 127, 3, 9 }, { 5, 3, 7, 8 } };
	int8_t out[2][ROWS][4];
	struct nn_buffer in[2] = {
		{ .data = (void *)x, .size = rows * 4, .rows = rows },
		{ .data = (void *)numbers, .size = rows * 8, .rows = rows },
	};
	struct nn_buffer to[2] = {
		{ .data = out[0], .size = rows * 4 },
		{ .data = out[1], .size = rows * 4 },
	};
	const struct nn_prepare_options options = {
		.step = step, .input_rows = (uint32_t[]) { rows, rows }, .input_count = 2
	};
	int err = nn_graph_prepare(graph, device, &options);

	CHECK(!err);
	if (!err)
		err = nn_graph_execute(graph, in, 2, to, 2);
	if (!err)
		CHECK(!memcmp(out[0], relu, rows * 4) && !memcmp(out[1], x, rows * 4));
	return err;
}

static void test_numbers(void)
{
	static const int32_t right[ROWS][2] = { { 5, -7 }, { 5, -7 }, { 5, -7 } };
	struct nn_graph *graph = make_graph(MODEL);

	for (uint32_t step = 0; step <= 2; step++) {
		for (uint32_t rows = 0; rows <= ROWS; rows++)
			CHECK(!run(graph, right, rows, step));
		for (uint32_t i = 0; i < ROWS * 2; i++) {
			int32_t wrong[ROWS][2];
			char place[32];

			memcpy(wrong, right, sizeof(wrong));
			wrong[i / 2][i % 2]++;
			CHECK(run(graph, wrong, ROWS, step) == -EINVAL);
			CHECK(strstr(nn_graph_error(graph)->text, i % 2 ?
				     "is -6, and the model was made for -7" :
				     "is 6, and the model was made for 5"));
			/* In a loop, of a pass. */
			snprintf(place, sizeof(place), "number %u of row %u is", i % 2, step ? i / 2 % step : i / 2);
			CHECK(strstr(nn_graph_error(graph)->text, place));
			/* What is behind the rows that run is not looked at. */
			CHECK(!run(graph, wrong, i / 2, step));
		}
	}
	nn_graph_destroy(graph);
}

static void test_refused(void)
{
	static const struct {
		const char *text, *words;
	} models[] = {
		{ HEAD "3 Expect 1:0 2:0\n4 OUTPUT 3:0\n", "needs the attribute values" },
		{ HEAD "3 Expect 1:0 2:0 values=5\n4 OUTPUT 3:0\n", "as many in each row as values" },
		{ HEAD "3 Expect 1:0 2:0 values=5,6,7\n4 OUTPUT 3:0\n", "as many in each row as values" },
		{ HEAD "3 Expect 2:0 1:0 values=1,2,3,4\n4 OUTPUT 3:0\n", "must be int32" },
		{ HEAD "3 Expect 1:0 2:0 values=5,6 type=uint8 scale=1\n4 OUTPUT 3:0\n", "" },
	};

	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
		struct nn_graph *graph = make_graph(models[i].text);
		int err = nn_graph_prepare(graph, device, NULL);

		if (!CHECK(err == -EINVAL && strstr(nn_graph_error(graph)->text, models[i].words)))
			printf("# %zu: %d, %s\n", i, err, nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("numbers of a run", test_numbers);
	tap_run("what is refused", test_refused);
	nn_device_close(device);
	return tap_end();
}
