// SPDX-License-Identifier: MIT
/*
 * Real: each of its functions, of vectors of a few elements, against what the C library makes of
 * the same reals in long double; and what is refused. What else models do with it,
 * tests/models/ops has.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define ROWS	2
#define VECTORS	3
#define LENGTH	5
#define COUNT	(ROWS * VECTORS * LENGTH)

/* By the stored byte, which int8 has as uint8: they are no straight line. */
static float real_of(uint32_t byte)
{
	return byte == 128 ? 0 : (float)(((int32_t)byte * 37 + 11) % 256 - 128) / 32;
}

static void write_graph(const char *type, const char *function, char text[8192])
{
	int at = sprintf(text, "1 Input shape=0,%d,%d type=%s scale=0.5\n"
			 "2 Const shape=256 type=float32 values=", VECTORS, LENGTH, type);

	for (uint32_t i = 0; i < 256; i++)
		at += sprintf(text + at, "%s%.9g", i ? "," : "", (double)real_of(i));
	sprintf(text + at, "\n3 Real 1:0 2:0%s%s\n4 OUTPUT 3:0\n", *function ? " function=" : "",
		function);
}

/* Returns what element i of a vector becomes, or all of it. */
static long double expect(const char *function, const uint8_t *x, uint32_t i)
{
	long double sum = 0, absolute = 0, squares = 0, powers = 0, real = real_of(x[i]);

	for (uint32_t k = 0; k < LENGTH; k++) {
		long double other = real_of(x[k]);

		sum += other;
		absolute += fabsl(other);
		squares += other * other;
		powers += expl(other);
	}
	if (!strcmp(function, "sum"))
		return sum;
	if (!strcmp(function, "mean"))
		return sum / LENGTH;
	if (!strcmp(function, "length"))
		return sqrtl(squares);
	if (!strcmp(function, "softmax"))
		return expl(real) / powers;
	if (!strcmp(function, "log_softmax"))
		return real - logl(powers);
	if (!strcmp(function, "l1"))
		return absolute ? real / absolute : 0;
	if (!strcmp(function, "l2"))
		return squares ? real / sqrtl(squares) : 0;
	return real;
}

static void check(const char *type, const char *function, uint32_t made)
{
	uint8_t x[COUNT];
	float out[COUNT];
	char text[8192];
	struct nn_buffer in = { .data = x, .size = sizeof(x), .rows = ROWS };
	struct nn_buffer to = { .data = out, .size = sizeof(out) };
	struct nn_graph *graph;

	write_graph(type, function, text);
	graph = make_graph(text);
	for (uint32_t i = 0; i < COUNT; i++)
		x[i] = i < LENGTH ? 128 : (uint8_t)(i * 2654435761u >> 24);
	if (!CHECK(!nn_graph_prepare(graph, device, NULL) &&
		   !nn_graph_execute(graph, &in, 1, &to, 1)))
		printf("# %s\n", nn_graph_error(graph)->text);
	CHECK(to.rows == ROWS);
	for (uint32_t i = 0; i < ROWS * VECTORS * made; i++) {
		long double wanted = expect(function, x + i / made * LENGTH, i % made);
		long double off = fabsl(out[i] - wanted);

		if (!CHECK(off <= fabsl(wanted) * 0x1p-22L))
			printf("# %s of %s: element %u is %.9g, not %.9Lg\n", function, type, i,
			       (double)out[i], wanted);
	}
	nn_graph_destroy(graph);
}

static void test_functions(void)
{
	static const char *const types[] = { "uint8", "int8" };

	for (uint32_t i = 0; i < 2; i++) {
		check(types[i], "", LENGTH);
		check(types[i], "each", LENGTH);
		check(types[i], "sum", 1);
		check(types[i], "mean", 1);
		check(types[i], "length", 1);
		check(types[i], "softmax", LENGTH);
		check(types[i], "log_softmax", LENGTH);
		check(types[i], "l1", LENGTH);
		check(types[i], "l2", LENGTH);
	}
}

static void refuse(const char *text, const char *why)
{
	struct nn_graph *graph = new_graph();
	int error = nn_graph_import_text(graph, text, strlen(text));

	if (!error)
		error = nn_graph_prepare(graph, device, NULL);
	if (!CHECK(error == -EINVAL && strstr(nn_graph_error(graph)->text, why)))
		printf("# %d: %s\n", error, nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
}

static void test_refused(void)
{
	char text[8192];

	write_graph("uint8", "product", text);
	refuse(text, "has no function \"product\"");
	write_graph("int16", "", text);
	refuse(text, "the input must be int8 or uint8, not int16");
	refuse("1 Input shape=0,4\n2 Const shape=2 type=float32 values=1,2\n3 Real 1:0 2:0\n"
	       "4 OUTPUT 3:0\n",
	       "the table must be a constant of 256 float32, not 2 of float32");
	refuse("1 Input shape=0,4\n2 Input shape=0,256 type=float32\n3 Real 1:0 2:0\n"
	       "4 OUTPUT 3:0\n",
	       "the table must be a constant of 256 float32");
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("functions of reals", test_functions);
	tap_run("what is refused", test_refused);
	nn_device_close(device);
	return tap_end();
}
