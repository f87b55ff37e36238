// SPDX-License-Identifier: MIT
/*
 * Each graph of one-operator.h, and some of tests/fuzz/text, with one word changed at a time, one
 * after the other: an operator that is another one, an input that is absent, another one, or there
 * twice, each attribute left out and with other numbers and words. What nnloop says to them, and
 * what it plans, is in tests/unit/text-variants.txt.
 *
 * `test-text-variants --write` writes that again: look at what git says of it.
 */
#include "device.h"
#include "tests/unit/one-operator.h"
#include "tap.h"
#include "tests/unit/variants.h"

#define SEEDS	"tests/fuzz/text/"
#define LIST	"tests/unit/text-variants.txt"
#define ROOM	4096

static unsigned int model_count, variants;

static bool is_number(const char *text, size_t length)
{
	return length && length < 24 && strspn(text + (*text == '-'), "0123456789.e") >= length - (*text == '-');
}

/* Writes the text with something else instead of `length` characters of it. */
static void replace(char *to, const char *text, const char *at, size_t length, const char *by)
{
	snprintf(to, 3 * ROOM, "%.*s%s%s", (int)(at - text), text, by, at + length);
}

/* A value's parts, with commas between them. */
static void walk_value(struct walk *walk, char *to, const char *text, const char *at, size_t length, const char *of)
{
	static const char *const values[] = { "0", "1", "-1", "2", "3", "0.5", "256", "65536", "1e-40", "1e30", "2147483648", "4294967296", "x" };

	for (size_t begin = 0, part; begin <= length; begin += part + 1) {
		part = strcspn(at + begin, ", \n");
		if (part > length - begin)
			part = length - begin;
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			if (turn(walk, "%s: %s", of, values[i]))
				return replace(to, text, at + begin, part, values[i]);
		}
		for (int more = -1; more <= 1 && is_number(at + begin, part) && !memchr(at + begin, '.', part); more += 2) {
			char number[32];

			snprintf(number, sizeof(number), "%lld",
				 (long long)(strtoull(at + begin, NULL, 10) + (unsigned long long)more));
			if (turn(walk, "%s: %+d", of, more))
				return replace(to, text, at + begin, part, number);
		}
	}
	if (turn(walk, "%s: one more", of))
		replace(to, text, at + length, 0, ",1");
}

/* A word of a line, with the blank before it. */
static void walk_word(struct walk *walk, char *to, const char *text, const char *at, size_t length, const char *op)
{
	const char *equal = memchr(at, '=', length), *colon = memchr(at, ':', length);
	char of[96];

	if (turn(walk, "%s: without %s", op, equal ? "an attribute" : "a word"))
		return replace(to, text, at, length, "");
	if (equal) {
		snprintf(of, sizeof(of), "%.32s %.*s", op, (int)(equal - at - 1 < 40 ? equal - at - 1 : 40), at + 1);
		walk_value(walk, to, text, equal + 1, at + length - equal - 1, of);
	} else if (colon) {
		static const char *const others[] = { "1:0", "2:0", "3:0", "1:1", "8:0", "0:0", "77:0", "1:0 1:0" };

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
			if (turn(walk, "%s: reads %s", op, others[i]))
				return replace(to, text, at + 1, length - 1, others[i]);
		}
	} else {
		static const char *const others[] = { "Nop", "Relu", "Add", "Variable", "OUTPUT", "Nothing" };

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
			if (turn(walk, "%s: is %s", op, others[i]))
				return replace(to, text, at + 1, length - 1, others[i]);
		}
	}
}

/* to: the text with the change. */
static void walk_text(struct walk *walk, char *to, const char *text)
{
	static const char *const attrs[] = { "type=uint8", "scale=2", "scales=1,2", "zero_point=5", "shape=0,2", "activation=relu",
					     "rounding=float32", "axis=1", "outputs=0", "outputs=2", "owner=1", "level=1" };

	for (const char *line = text; *line && !*walk->what; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
		size_t length = strcspn(line, "\n"), id = strcspn(line, " \n"), at = id;
		char op[32];

		if (id == length)
			continue;
		snprintf(op, sizeof(op), "%.*s", (int)strcspn(line + id + 1, " \n"), line + id + 1);
		while (at < length && !*walk->what) {
			size_t word = 1 + strcspn(line + at + 1, " \n");

			walk_word(walk, to, text, line + at, word, op);
			at += word;
		}
		for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs) && !*walk->what; i++) {
			char attr[32];

			snprintf(attr, sizeof(attr), " %s", attrs[i]);
			if (turn(walk, "%s: with %s", op, attrs[i]))
				replace(to, text, line + length, 0, attr);
		}
		if (!*walk->what && turn(walk, "%s: twice", op)) {
			char again[ROOM];

			snprintf(again, sizeof(again), "%.*s\n", (int)length, line);
			replace(to, text, line, 0, again);
		}
	}
}

/* Sums up what the plan needs. */
static uint32_t sum_up_plan(const struct nn_graph *graph)
{
	struct nn_plan_info info;
	uint32_t sum = 0;

	if (nn_graph_get_plan(graph, &info))
		return 0;
	sum_up(&sum, "%u %u %u %u", info.node_count, info.sink_count, info.partition_count, info.program_count);
	sum_up(&sum, " %llu %llu", (unsigned long long)info.push_count, (unsigned long long)info.pass_count);
	return sum;
}

static void try_text(const char *text)
{
	static char changed[3 * ROOM];

	model_count++;
	for (struct walk walk = walk_first(model_count);; walk = walk_next(&walk, model_count)) {
		struct nn_graph *graph;
		char plan[64];

		walk_text(&walk, changed, text);
		if (!*walk.what)
			return;
		if (nn_graph_create(&graph))
			exit(1);
		note_outcome(graph, nn_graph_import_text(graph, changed, strlen(changed)), device, &walk);
		snprintf(plan, sizeof(plan), "%.*s: plan\t", (int)(strcspn(walk.what, " :") & 31), walk.what);
		add_outcome(&walk, plan, sum_up_plan(graph));
		nn_graph_destroy(graph);
		variants++;
	}
}

static void try_seed(const char *name)
{
	char path[512], text[ROOM / 2] = "";
	FILE *file;

	snprintf(path, sizeof(path), SEEDS "%s", name);
	file = fopen(path, "re");
	if (!file) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	try_text(text);
}

static void try_texts(void)
{
	static const char *const seeds[] = { "batch", "convolution", "pointwise", "proposal", "slices", "state" };

	for (size_t i = 0; i < ONE_OPERATOR_COUNT; i++)
		try_text(one_operator[i]);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		try_seed(seeds[i]);
}

static void test_variants(void)
{
	try_texts();
	fold_outcomes();
	CHECK(!compare_list(LIST));
	printf("# %u changes of %u texts\n", variants, model_count);
}

int main(int argc, char **argv)
{
	bool write = is_to_write(argc, argv);
	int status;

	open_device(1, argv);
	if (write) {
		try_texts();
		status = write_list(LIST, NULL, NULL, NULL);
	} else {
		tap_run("changed texts", test_variants);
		status = tap_end();
	}
	nn_device_close(device);
	return free_outcomes(status);
}
