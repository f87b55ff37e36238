// SPDX-License-Identifier: MIT
/*
 * Each model of tests/models/tflite with one thing changed at a time, one after the other: an
 * operator's input that is absent, another one, one too many or too few; outputs likewise; each
 * option with other values, and those that its table does not have; tensors of other types,
 * dimensions, scales and zero points, and constants with other numbers. What nnloop says to them is
 * in tests/unit/tflite-variants.txt.
 *
 * `test-tflite-variants --write` writes that again: look at what git says of it.
 */
#include <math.h>

#include "import/tflite/tflite.h"
#include "tap.h"
#include "tests/unit/variants.h"

#define MODELS	MODELS_DIR "tflite/"
#define LIST	"tests/unit/tflite-variants.txt"
#define ROOM	256 /* for what is written behind the file */

static struct nn_device *device;

/* The file, changed in place. Models are right before that: offsets are not looked at. */
static uint8_t *file;
static uint32_t file_size;

/* Fields of the format's tables, by the schema's order. */
enum { MODEL_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4 };
enum { SUBGRAPH_TENSORS = 0, SUBGRAPH_OPERATORS = 3 };
enum { OPERATOR_CODE = 0, OPERATOR_INPUTS = 1, OPERATOR_OUTPUTS = 2, OPERATOR_OPTIONS_TYPE = 3, OPERATOR_OPTIONS = 4 };
enum { CODE_OLD = 0, CODE_VERSION = 2, CODE_NEW = 3 };
enum { TENSOR_SHAPE = 0, TENSOR_TYPE = 1, TENSOR_BUFFER = 2, TENSOR_QUANTIZATION = 4 };
enum { QUANTIZATION_SCALE = 2, QUANTIZATION_ZERO_POINT = 3, QUANTIZATION_DIMENSION = 6 };

static uint32_t get_32(uint32_t at)
{
	uint32_t value;

	memcpy(&value, file + at, 4);
	return value;
}

static void put_32(uint32_t at, uint32_t value)
{
	memcpy(file + at, &value, 4);
}

static uint32_t get_16(uint32_t at)
{
	return file[at] | file[at + 1] << 8;
}

/* Returns where a table's field is; 0: it has none. */
static uint32_t find_field(uint32_t table, uint32_t field)
{
	uint32_t vtable = table - get_32(table);

	if (!table || 4 + 2 * field >= get_16(vtable) || !get_16(vtable + 4 + 2 * field))
		return 0;
	return table + get_16(vtable + 4 + 2 * field);
}

/*
 * The offset that a field leads to: a table, or a vector's length, before its elements. 0: nothing.
 */
static uint32_t follow(uint32_t table, uint32_t field)
{
	uint32_t at = find_field(table, field);

	return at ? at + get_32(at) : 0;
}

static uint32_t count_of(uint32_t vector)
{
	return vector ? get_32(vector) : 0;
}

/* An element that is a table. */
static uint32_t element(uint32_t vector, uint32_t i)
{
	uint32_t at = vector + 4 + 4 * i;

	return at + get_32(at);
}

static uint32_t subgraph(void)
{
	return element(follow(get_32(0), MODEL_SUBGRAPHS), 0);
}

/* ---- Vectors of numbers */

/* A vector that a field leads to, with one number more. */
static void grow_vector(uint32_t table, uint32_t field, uint32_t number)
{
	uint32_t at = find_field(table, field), vector = at + get_32(at), size = 4 + 4 * get_32(vector);
	uint32_t to = (file_size + 3) & ~3u;

	memcpy(file + to, file + vector, size);
	put_32(to, get_32(to) + 1);
	put_32(to + size, number);
	put_32(at, to - at);
	file_size = to + size + 4;
}

static void walk_vector(struct walk *walk, uint32_t table, uint32_t field, const char *of)
{
	static const int32_t values[] = { 0, 1, 2, 5, -1, -2, 256, 65536, INT32_MAX, INT32_MIN };
	uint32_t vector = follow(table, field), number = count_of(vector);

	for (uint32_t i = 0; i < number; i++) {
		for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) {
			if (turn(walk, "%s[%u] is %d", of, i, values[k]))
				return put_32(vector + 4 + 4 * i, values[k]);
		}
	}
	if (number && turn(walk, "%s: one less", of))
		put_32(vector, number - 1);
	else if (number && turn(walk, "%s: one more", of))
		grow_vector(table, field, 1);
}

/* ---- Tensors */

static void walk_constant(struct walk *walk, uint32_t tensor, const char *of)
{
	static const int32_t values[] = { 0, 1, 2, 3, -1, -2, 256, INT32_MAX, INT32_MIN, 0x7fc00000 };
	uint32_t at = find_field(tensor, TENSOR_BUFFER), number = at ? get_32(at) : 0;
	uint32_t data = follow(element(follow(get_32(0), MODEL_BUFFERS), number), 0), bytes = count_of(data);

	for (size_t k = 0; k < sizeof(values) / sizeof(*values) && bytes >= 4; k++) {
		if (turn(walk, "%s: its first number is %d", of, values[k]))
			return put_32(data + 4, values[k]);
		if (bytes > 4 && turn(walk, "%s: its last number is %d", of, values[k]))
			return put_32(data + bytes, values[k]);
	}
	if (bytes && turn(walk, "%s: a byte less", of))
		put_32(data, bytes - 1);
	else if (bytes && turn(walk, "%s: no constant", of))
		put_32(at, 0);
}

/* Numbers of int32 as int64, of which one is larger than an int32. */
static void walk_wide(struct walk *walk, uint32_t tensor, const char *of)
{
	static const int64_t values[] = { INT32_MAX + 1ll, INT32_MIN - 1ll, 1ll << 32, INT64_MAX, INT64_MIN };
	uint32_t type = find_field(tensor, TENSOR_TYPE), at = find_field(tensor, TENSOR_BUFFER);
	uint32_t buffer = element(follow(get_32(0), MODEL_BUFFERS), at ? get_32(at) : 0), data = follow(buffer, 0);
	uint32_t number = count_of(data) / 4, to = ((file_size + 7) & ~7u) + 4;
	bool now = false;

	if (!type || file[type] != 2 || !number || number > 16)
		return;
	for (uint32_t i = 0; i < number; i++) {
		int64_t value = (int32_t)get_32(data + 4 + 4 * i);

		for (size_t k = 0; k < sizeof(values) / sizeof(*values) && !now; k++) {
			now = turn(walk, "%s: of int64, and a number is %lld", of, (long long)values[k]);
			value = now ? values[k] : value;
		}
		memcpy(file + to + 4 + 8 * i, &value, 8);
	}
	if (!now && !turn(walk, "%s: of int64", of))
		return;
	file[type] = 4;
	put_32(to, 8 * number);
	at = find_field(buffer, 0);
	put_32(at, to - at);
	file_size = to + 4 + 8 * number;
}

static void walk_tensor(struct walk *walk, uint32_t tensor, const char *of)
{
	static const uint8_t types[] = { 0, 1, 2, 3, 4, 6, 7, 9 };
	static const float scales[] = { 0, -1, 0.25f, 1e30f, 1e-42f, NAN, INFINITY };
	static const int32_t zeros[] = { 0, 1, -128, 127, 128, 255, 256, -129, INT32_MIN };
	uint32_t at = find_field(tensor, TENSOR_TYPE), quant = follow(tensor, TENSOR_QUANTIZATION);
	uint32_t scale = follow(quant, QUANTIZATION_SCALE), zero = follow(quant, QUANTIZATION_ZERO_POINT);
	uint32_t dimension = find_field(quant, QUANTIZATION_DIMENSION);
	char what[64];

	for (size_t i = 0; i < sizeof(types) && at; i++) {
		if (file[at] != types[i] && turn(walk, "%s: type %u", of, types[i])) {
			file[at] = types[i];
			return;
		}
	}
	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales) && count_of(scale); i++) {
		if (turn(walk, "%s: scale %g", of, scales[i])) {
			memcpy(file + scale + 4, &scales[i], 4);
			return;
		}
	}
	for (int power = -24; power <= 24 && count_of(scale); power++) {
		float value = ldexpf(1, power);

		if (turn(walk, "%s: scale 2^%d", of, power)) {
			memcpy(file + scale + 4, &value, 4);
			return;
		}
	}
	for (size_t i = 0; i < sizeof(zeros) / sizeof(*zeros) && count_of(zero); i++) {
		if (turn(walk, "%s: zero point %d", of, zeros[i])) {
			put_32(zero + 4, zeros[i]);
			return put_32(zero + 8, zeros[i] < 0 ? -1 : 0);
		}
	}
	for (uint32_t i = 0; i < 6 && dimension; i++) {
		if (turn(walk, "%s: scales along %d", of, (int)i - 1))
			return put_32(dimension, i - 1);
	}
	if (count_of(scale) && turn(walk, "%s: one scale less", of))
		return put_32(scale, get_32(scale) - 1);
	if (count_of(zero) && turn(walk, "%s: one zero point less", of))
		return put_32(zero, get_32(zero) - 1);
	snprintf(what, sizeof(what), "%.40s: shape", of);
	walk_vector(walk, tensor, TENSOR_SHAPE, what);
	walk_constant(walk, tensor, of);
	if (!*walk->what)
		walk_wide(walk, tensor, of);
}

/* ---- Operators */

/* A table of options with a number in a field that it did not have. */
static void add_option(uint32_t operator, uint32_t field)
{
	uint32_t at = find_field(operator, OPERATOR_OPTIONS), table = at + get_32(at), vtable = table - get_32(table);
	uint32_t fields = (get_16(vtable) - 4) / 2, size = get_16(vtable + 2);
	uint32_t to = (file_size + 7) & ~7u, number = fields > field + 1 ? fields : field + 1;
	uint32_t made = (to + 4 + 2 * number + 7) & ~7u, behind = (size + 3) & ~3u;

	memset(file + to, 0, made - to);
	memcpy(file + to, file + vtable, 4 + 2 * fields);
	file[to] = (uint8_t)(4 + 2 * number);
	file[to + 1] = 0;
	file[to + 2] = (uint8_t)(behind + 4);
	file[to + 3] = 0;
	file[to + 4 + 2 * field] = (uint8_t)behind;
	file[to + 5 + 2 * field] = 0;
	memcpy(file + made, file + table, size);
	put_32(made, made - to);
	put_32(made + behind, 1);
	put_32(at, made - at);
	file_size = made + behind + 4;
}

static void walk_options(struct walk *walk, uint32_t operator)
{
	static const uint8_t values[] = { 0, 1, 2, 3, 6, 200 };
	uint32_t options = follow(operator, OPERATOR_OPTIONS), type = find_field(operator, OPERATOR_OPTIONS_TYPE);

	for (uint32_t field = 0; field < 16 && options; field++) {
		uint32_t at = find_field(options, field);

		if (!at && turn(walk, "option %u, which it did not have, is 1", field))
			return add_option(operator, field);
		for (size_t k = 0; at && k < sizeof(values); k++) {
			if (turn(walk, "option %u is %u", field, values[k])) {
				file[at] = values[k];
				return;
			}
		}
		if (at && turn(walk, "option %u is below 0", field)) {
			file[at + 3] |= 0x80;
			return;
		}
	}
	if (type && turn(walk, "options of another type"))
		file[type]++;
	else if (type && turn(walk, "no options"))
		file[type] = 0;
}

static void walk_list(struct walk *walk, uint32_t operator, uint32_t field, const char *of)
{
	uint32_t list = follow(operator, field), tensors = follow(subgraph(), SUBGRAPH_TENSORS);
	uint32_t last = count_of(tensors) - 1;

	for (uint32_t i = 0; i < count_of(list) && !*walk->what; i++) {
		uint32_t number = get_32(list + 4 + 4 * i);
		char what[32];

		snprintf(what, sizeof(what), "%s %u", of, i);
		if (turn(walk, "%s is absent", what))
			return put_32(list + 4 + 4 * i, -1);
		if (number && turn(walk, "%s is the first tensor", what))
			return put_32(list + 4 + 4 * i, 0);
		if (number != last && turn(walk, "%s is the last tensor", what))
			return put_32(list + 4 + 4 * i, last);
		if (turn(walk, "%s is no tensor", what))
			return put_32(list + 4 + 4 * i, last + 1);
		if (number <= last)
			walk_tensor(walk, element(tensors, number), what);
	}
	if (*walk->what)
		return;
	if (count_of(list) && turn(walk, "one %s less", of))
		put_32(list, get_32(list) - 1);
	else if (list && turn(walk, "one %s more", of))
		grow_vector(operator, field, 0);
	else if (count_of(list) > 1 && turn(walk, "the first %s twice", of))
		put_32(list + 8, get_32(list + 4));
}

/* The table with an operator's number and version. */
static uint32_t code_of(uint32_t operator)
{
	uint32_t at = find_field(operator, OPERATOR_CODE);

	return element(follow(get_32(0), MODEL_CODES), at ? get_32(at) : 0);
}

static const char *name_of(uint32_t operator)
{
	uint32_t code = code_of(operator), at = find_field(code, CODE_NEW), old = find_field(code, CODE_OLD);
	int32_t number = at ? (int32_t)get_32(at) : 0, small = old ? (int8_t)file[old] : 0;

	return tflite_code_name(number > small ? number : small);
}

static void walk_operator(struct walk *walk, uint32_t operator)
{
	uint32_t version = find_field(code_of(operator), CODE_VERSION);

	walk_list(walk, operator, OPERATOR_INPUTS, "input");
	if (!*walk->what)
		walk_list(walk, operator, OPERATOR_OUTPUTS, "output");
	if (!*walk->what)
		walk_options(walk, operator);
	for (uint32_t i = 0; i < 14 && version && !*walk->what; i++) {
		if (get_32(version) != i && turn(walk, "version %u", i))
			put_32(version, i);
	}
}

static void walk_model(struct walk *walk)
{
	uint32_t operators = follow(subgraph(), SUBGRAPH_OPERATORS);

	for (uint32_t i = 0; i < count_of(operators); i++) {
		uint32_t operator = element(operators, i);
		const char *name = name_of(operator);
		char what[sizeof(walk->what)];

		walk_operator(walk, operator);
		if (!*walk->what)
			continue;
		memcpy(what, walk->what, sizeof(what));
		snprintf(walk->what, sizeof(walk->what), "%s: %.100s", name, what);
		return;
	}
}

/* ---- Models */

static unsigned int model_count, variants;

static void import_variant(const struct walk *walk)
{
	/* The copy has just its size, so that a sanitizer sees what is read behind it. */
	uint8_t *copy = malloc(file_size);
	struct nn_graph *graph;

	memcpy(copy, file, file_size);
	if (nn_graph_create(&graph))
		exit(1);
	note_outcome(graph, nn_graph_import_tflite(graph, copy, file_size), device, walk);
	nn_graph_destroy(graph);
	free(copy);
}

static void try_model(const char *name)
{
	char path[512];
	uint8_t *model;
	uint32_t size;
	FILE *stream;

	snprintf(path, sizeof(path), MODELS "%s.tflite", name);
	stream = fopen(path, "re");
	if (!stream || fseek(stream, 0, SEEK_END)) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	size = ftell(stream);
	rewind(stream);
	model = malloc(size);
	file = malloc(size + ROOM + size);
	size = fread(model, 1, size, stream);
	fclose(stream);
	model_count++;
	for (struct walk walk = walk_first(model_count);; walk = walk_next(&walk, model_count)) {

		memcpy(file, model, size);
		memset(file + size, 0, ROOM + size);
		file_size = size;
		walk_model(&walk);
		if (!*walk.what)
			break;
		import_variant(&walk);
		variants++;
	}
	free(model);
	free(file);
}

static void test_variants(void)
{
	try_listed(LIST, try_model);
	fold_outcomes();
	CHECK(!compare_list(LIST));
	printf("# %u changes of %u models\n", variants, model_count);
}

int main(int argc, char **argv)
{
	int status = 0;

	if (nn_device_open("host", &device, NULL))
		return 1;
	if (is_to_write(argc, argv)) {
		status = write_list(LIST, MODELS, ".tflite", try_model);
	} else {
		tap_run("changed models", test_variants);
		status = tap_end();
	}
	nn_device_close(device);
	return free_outcomes(status);
}
