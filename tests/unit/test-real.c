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

static char text[2 << 20];

/* By the stored bits, which int8 has as uint8, and int16 as uint16: they are no straight line. */
static float real_of(uint32_t stored)
{
	return stored == 128 ? 0 : (float)(((int32_t)stored * 37 + 11) % 257 - 128) / 32;
}

static void write_graph(const char *type, const char *function)
{
	uint32_t reals = strcmp(type, "int16") ? 256 : 65536;
	int at = sprintf(text, "1 Input shape=0,%d,%d type=%s scale=0.5\n"
			 "2 Const shape=%u type=float32 values=", VECTORS, LENGTH, type, reals);

	for (uint32_t i = 0; i < reals; i++)
		at += sprintf(text + at, "%s%.9g", i ? "," : "", (double)real_of(i));
	sprintf(text + at, "\n3 Real 1:0 2:0%s%s\n4 OUTPUT 3:0\n", *function ? " function=" : "",
		function);
}

/* Returns what element i of a vector becomes, or all of it. */
static long double expect(const char *function, const uint16_t *x, uint32_t i)
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
	bool is_wide = !strcmp(type, "int16");
	uint16_t x[COUNT];
	uint8_t bytes[COUNT];
	float out[COUNT];
	struct nn_buffer in = { .data = is_wide ? x : (void *)bytes, .rows = ROWS,
				.size = is_wide ? sizeof(x) : sizeof(bytes) };
	struct nn_buffer to = { .data = out, .size = sizeof(out) };
	struct nn_graph *graph;

	write_graph(type, function);
	graph = make_graph(text);
	for (uint32_t i = 0; i < COUNT; i++) {
		x[i] = i < LENGTH ? 128 : i * 2654435761u >> (is_wide ? 16 : 24);
		bytes[i] = (uint8_t)x[i];
	}
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
	static const char *const types[] = { "uint8", "int8", "int16" };

	for (uint32_t i = 0; i < 3; i++) {
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

static void refuse(const char *graph_text, const char *why)
{
	struct nn_graph *graph = new_graph();
	int error = nn_graph_import_text(graph, graph_text, strlen(graph_text));

	if (!error)
		error = nn_graph_prepare(graph, device, NULL);
	if (!CHECK(error == -EINVAL && strstr(nn_graph_error(graph)->text, why)))
		printf("# %d: %s\n", error, nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
}

static void test_refused(void)
{
	write_graph("uint8", "product");
	refuse(text, "has no function \"product\"");
	write_graph("int32", "");
	refuse(text, "the input must be int8 or uint8, not int32");
	refuse("1 Input shape=0,4 type=int16\n2 Const shape=256 type=float32\n3 Real 1:0 2:0\n"
	       "4 OUTPUT 3:0\n",
	       "the table must be a constant of 65536 float32, not 256 of float32");
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
