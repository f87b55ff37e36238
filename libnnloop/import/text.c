// SPDX-License-Identifier: MIT
/*
 * nn_graph_import_text(): the text format, one node a line. docs/text-format.md describes it for
 * those who write it.
 *
 * An operator that there is not is noted, and so are those on the lines behind it; a node that
 * reads what it makes, or what such a node makes, is passed over. Any other error is the end.
 */
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "import/refusals.h"

#define MAX_CONST_BYTES	(16ull << 20)	/* of a Const that is written as text */
#define MAX_WHOLE_FLOAT	0x1p24		/* below that float32 has all whole numbers */

/* A text that is being read. */
struct text {
	struct nn_graph *graph;
	uint32_t line_count, node_count;
	struct nn_refusals refusals;
	void *refused; /* ids of nodes that are missing therefore: a tree of tsearch() */
};

/* A line, as far as it has been read. Everything it refers to is in a pool of its own. */
struct line {
	struct nn_graph *graph;
	uint32_t number;
	struct nn_pool pool;
	struct nn_node_desc desc;
	struct nn_input *inputs;
	struct nn_attr *attrs;
	struct nn_tensor_info info;	/* of every output */
	bool described;			/* a key has said something about the outputs */
	uint32_t keys;			/* that were there: a bit for each of own_keys */
	const struct nn_attr *values;
};

static int fail_line(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static int fail_line(struct line *line, const char *format, ...)
{
	struct nn_error *error = &line->graph->error;
	va_list arguments;
	char text[300];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	nn_graph_fail_at(line->graph, line->desc.id, line->desc.op, -EINVAL, "line %u: %s",
			 line->number, text);
	return error->code;
}

/* ---- Numbers */

/* A decimal number that is the whole of the text. */
static bool parse_int(const char *text, int64_t *value)
{
	char *end;

	if (*text != '-' && (*text < '0' || *text > '9'))
		return false;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return !errno && !*end && end != text;
}

static bool parse_id(const char *text, uint32_t *value)
{
	int64_t number;

	if (!parse_int(text, &number) || number < 0 || number > UINT32_MAX)
		return false;
	*value = number;
	return true;
}

static bool parse_float(const char *text, float *value)
{
	char *end;

	if (!strchr("+-.0123456789", *text) || !*text)
		return false;
	errno = 0;
	*value = strtof(text, &end);
	/* A number that is too small is not meant to be 0, which stands for no scale. */
	return !*end && isfinite(*value) && !(errno && *value == 0);
}

static uint32_t count_items(const char *text)
{
	uint32_t count = 1;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

/* One number or several between commas, integers if all are; anything else is a word. False without
 * memory. */
static bool parse_value(struct line *line, char *text, struct nn_attr *attr)
{
	uint32_t count = count_items(text), i;
	int64_t *ints = nn_pool_array(&line->pool, count, sizeof(*ints));
	float *floats = nn_pool_array(&line->pool, count, sizeof(*floats));
	char *copy = nn_pool_string(&line->pool, text), *item, *rest = copy;
	bool all_ints = true, all_floats = true;

	if (!ints || !floats || !copy)
		return false;
	for (i = 0; i < count; i++) {
		item = strsep(&rest, ",");
		all_ints = all_ints && parse_int(item, &ints[i]);
		all_floats = all_floats && parse_float(item, &floats[i]);
	}
	attr->count = count;
	if (all_ints) {
		attr->type = count == 1 ? NN_ATTR_INT : NN_ATTR_INTS;
		if (count == 1)
			attr->i = ints[0];
		else
			attr->ints = ints;
	} else if (all_floats) {
		attr->type = count == 1 ? NN_ATTR_FLOAT : NN_ATTR_FLOATS;
		if (count == 1)
			attr->f = floats[0];
		else
			attr->floats = floats;
	} else {
		attr->type = NN_ATTR_STRING;
		attr->string = text;
	}
	return true;
}

static bool is_number(const struct nn_attr *attr)
{
	return attr->type == NN_ATTR_INT || attr->type == NN_ATTR_FLOAT;
}

static bool is_list(const struct nn_attr *attr)
{
	return attr->type != NN_ATTR_STRING;
}

static double item_of(const struct nn_attr *attr, uint32_t index)
{
	switch (attr->type) {
	case NN_ATTR_INT:
		return attr->i;
	case NN_ATTR_INTS:
		return attr->ints[index];
	case NN_ATTR_FLOAT:
		return attr->f;
	case NN_ATTR_FLOATS:
		return attr->floats[index];
	default:
		return 0;
	}
}

/* ---- Keys that describe the outputs */

static int set_type(struct line *line, const struct nn_attr *attr)
{
	enum nn_data_type type;

	for (type = NN_INT8; type <= NN_UINT64; type++) {
		if (attr->type == NN_ATTR_STRING &&
		    !strcmp(attr->string, nn_data_type_name(type))) {
			line->info.type = type;
			return 0;
		}
	}
	return fail_line(line, "type is int8, uint8, int16, uint16, int32, uint32, int64, uint64, "
			       "bool or float32");
}

static int set_shape(struct line *line, const struct nn_attr *attr)
{
	uint32_t i;

	if (attr->type != NN_ATTR_INT && attr->type != NN_ATTR_INTS)
		return fail_line(line, "shape is whole numbers with commas between them");
	if (attr->count > NN_MAX_RANK)
		return fail_line(line, "shape has %u dimensions, at most %u are possible",
				 attr->count, NN_MAX_RANK);
	line->info.rank = attr->count;
	for (i = 0; i < attr->count; i++) {
		double dimension = item_of(attr, i);

		if (dimension < 0 || dimension > UINT32_MAX)
			return fail_line(line, "dimension %u of the shape is out of range", i);
		line->info.dims[i] = dimension;
	}
	return 0;
}

static int set_scales(struct line *line, const struct nn_attr *attr)
{
	float *scales = nn_pool_array(&line->pool, attr->count, sizeof(*scales));
	uint32_t i;

	if (!is_list(attr))
		return fail_line(line, "scales is numbers with commas between them");
	if (!scales)
		return nn_graph_no_memory(line->graph);
	for (i = 0; i < attr->count; i++)
		scales[i] = item_of(attr, i);
	line->info.scales = scales;
	line->info.scale_count = attr->count;
	return 0;
}

static bool op_has(const struct line *line, uint32_t flags)
{
	const struct nn_op *op = nn_op_find(line->graph, line->desc.op);

	return op && (op->flags & flags);
}

static const char *const own_keys[] = {
	"type", "shape", "scales", "scale", "zero_point", "scale_axis", "values", "name",
};

/* Attributes are looked at when the node is appended. */
static int check_once(struct line *line, const char *key)
{
	uint32_t i;

	for (i = 0; i < sizeof(own_keys) / sizeof(*own_keys); i++) {
		if (strcmp(key, own_keys[i]))
			continue;
		if (line->keys & 1u << i)
			return fail_line(line, "%s is given twice", key);
		line->keys |= 1u << i;
	}
	return 0;
}

/* *known: the key is one that describes outputs, or names the node. */
static int describe(struct line *line, struct nn_attr *attr, bool *known)
{
	const char *key = attr->name;
	bool described = line->described;

	*known = true;
	line->described = true;
	if (!strcmp(key, "type"))
		return set_type(line, attr);
	if (!strcmp(key, "shape") && op_has(line, NN_OP_CONST | NN_OP_INPUT))
		return set_shape(line, attr);
	if (!strcmp(key, "scales"))
		return set_scales(line, attr);
	if (!strcmp(key, "scale")) {
		if (!is_number(attr))
			return fail_line(line, "scale is a number");
		line->info.scale = item_of(attr, 0);
		return 0;
	}
	if (!strcmp(key, "zero_point") || !strcmp(key, "scale_axis")) {
		if (attr->type != NN_ATTR_INT || attr->i < INT32_MIN || attr->i > INT32_MAX)
			return fail_line(line, "%s is a whole number", key);
		if (*key == 'z')
			line->info.zero_point = attr->i;
		else
			line->info.axis = attr->i;
		return 0;
	}
	if (!strcmp(key, "values") && op_has(line, NN_OP_CONST)) {
		if (!is_list(attr))
			return fail_line(line, "values is numbers with commas between them");
		line->values = attr;
		return 0;
	}
	line->described = described;
	if (!strcmp(key, "name")) {
		/* Before parse_value() took it for a number. */
		line->desc.name = strchr(attr->name, 0) + 1;
		return 0;
	}
	*known = false;
	return 0;
}

/* Element `index` of a list, for an integer type; false if it is not one of the type, or is a real
 * number that may be another one than was written. */
static bool get_whole(const struct nn_tensor_info *info, const struct nn_attr *attr, uint32_t index,
		      int64_t *whole)
{
	double value = item_of(attr, index);
	int32_t min, max;

	if (attr->type == NN_ATTR_INT || attr->type == NN_ATTR_INTS)
		*whole = attr->type == NN_ATTR_INT ? attr->i : attr->ints[index];
	else if (value == floor(value) && fabs(value) < MAX_WHOLE_FLOAT)
		*whole = value;
	else
		return false;
	if (info->type == NN_INT64)
		return true;
	if (info->type == NN_UINT32 || info->type == NN_UINT64)
		return *whole >= 0 && (info->type == NN_UINT64 || *whole <= UINT32_MAX);
	nn_type_range(info->type, &min, &max);
	max = info->type == NN_BOOL ? 1 : max;
	return *whole >= min && *whole <= max;
}

static bool store_element(const struct nn_tensor_info *info, const struct nn_attr *attr,
			  uint32_t index, uint8_t *place)
{
	int64_t whole;

	if (info->type == NN_FLOAT32) {
		float element = item_of(attr, index);

		memcpy(place, &element, sizeof(element));
		return true;
	}
	if (!get_whole(info, attr, index, &whole))
		return false;
	memcpy(place, &whole, nn_data_type_size(info->type));
	return true;
}

/* A Const's elements: as many as there are, or one for all, or zeros. */
static int make_data(struct line *line)
{
	const struct nn_tensor_info *info = &line->info;
	uint64_t bytes = nn_info_bytes(info), elements, i;
	uint32_t size = nn_data_type_size(info->type);
	uint8_t *data;

	if (bytes > MAX_CONST_BYTES)
		return fail_line(line, "a Const in text can have at most 16 MiB");
	elements = bytes / size;
	if (line->values && line->values->count != 1 && line->values->count != elements)
		return fail_line(line, "there are %u values, but the shape has %llu elements",
				 line->values->count, (unsigned long long)elements);
	data = nn_pool_alloc(&line->pool, bytes);
	if (!data)
		return nn_graph_no_memory(line->graph);
	for (i = 0; line->values && i < elements; i++)
		if (!store_element(info, line->values, line->values->count == 1 ? 0 : i,
				   data + i * size))
			return fail_line(line, "value %llu is not one of %s", (unsigned long long)i,
					 nn_data_type_name(info->type));
	line->desc.data = data;
	line->desc.data_size = bytes;
	return 0;
}

/* Outputs of Input and Const are described in any case, others if a key said something. */
static int describe_outputs(struct line *line)
{
	bool own_shape = op_has(line, NN_OP_CONST | NN_OP_INPUT);
	struct nn_tensor_info *outputs;
	uint32_t i, count = 1;

	if (own_shape) {
		if (!line->info.type)
			line->info.type = NN_UINT8;
		if (!line->info.rank) {
			line->info.rank = 1;
			line->info.dims[0] = 1;
		}
		line->info.name = line->desc.name;
	}
	for (i = 0; i < line->desc.attr_count; i++) {
		if (strcmp(line->attrs[i].name, "outputs") || line->attrs[i].type != NN_ATTR_INT)
			continue;
		if (line->attrs[i].i < 1 || line->attrs[i].i > NN_MAX_COUNT)
			return fail_line(line, "outputs is a number from 1 to %u", NN_MAX_COUNT);
		count = line->attrs[i].i;
	}
	if (!own_shape && !line->described)
		return 0;
	outputs = nn_pool_array(&line->pool, count, sizeof(*outputs));
	if (!outputs)
		return nn_graph_no_memory(line->graph);
	for (i = 0; i < count; i++)
		outputs[i] = line->info;
	line->desc.outputs = outputs;
	line->desc.output_count = count;
	if (op_has(line, NN_OP_CONST))
		return make_data(line);
	return 0;
}

/* ---- Lines */

static int parse_input(struct line *line, char *token)
{
	struct nn_input *input = &line->inputs[line->desc.input_count];
	char *colon = strchr(token, ':');

	if (!colon)
		return fail_line(line, "\"%.40s\" is neither an input SRC:IDX nor key=value",
				 token);
	*colon = 0;
	if (!parse_id(token, &input->src_id) || !parse_id(colon + 1, &input->output_idx))
		return fail_line(line,
				 "\"%.20s:%.20s\" is not an input: it must be two numbers, SRC:IDX",
				 token, colon + 1);
	line->desc.input_count++;
	return 0;
}

static int parse_key(struct line *line, char *token)
{
	struct nn_attr attr = { .name = token };
	char *equals = strchr(token, '=');
	struct nn_attr *kept;
	bool known;
	int error;

	*equals = 0;
	if (equals == token || !equals[1])
		return fail_line(line, "key=value lacks its %s", equals == token ? "key" : "value");
	if (!parse_value(line, equals + 1, &attr))
		return nn_graph_no_memory(line->graph);
	kept = nn_pool_copy(&line->pool, &attr, sizeof(attr));
	if (!kept)
		return nn_graph_no_memory(line->graph);
	error = check_once(line, token);
	if (error)
		return error;
	error = describe(line, kept, &known);
	if (error || known)
		return error;
	line->attrs[line->desc.attr_count++] = attr;
	return 0;
}

static char *next_token(char **rest)
{
	char *token;

	do {
		token = strsep(rest, " \t\r");
	} while (token && !*token);
	return token;
}

static int parse_line(struct line *line, char *text)
{
	size_t longest = strlen(text) / 2 + 1;
	char *token, *rest = text;
	int error;

	token = next_token(&rest);
	if (!token)
		return 0;
	if (!parse_id(token, &line->desc.id))
		return fail_line(line, "\"%.40s\" is not a node id, a number from 1 on", token);
	line->desc.op = next_token(&rest);
	if (!line->desc.op)
		return fail_line(line, "node %u lacks its operator", line->desc.id);

	line->inputs = nn_pool_array(&line->pool, longest, sizeof(*line->inputs));
	line->attrs = nn_pool_array(&line->pool, longest, sizeof(*line->attrs));
	if (!line->inputs || !line->attrs)
		return nn_graph_no_memory(line->graph);
	while ((token = next_token(&rest))) {
		error = strchr(token, '=') ? parse_key(line, token) : parse_input(line, token);
		if (error)
			return error;
	}
	error = describe_outputs(line);
	if (error)
		return error;
	line->desc.inputs = line->inputs;
	line->desc.attrs = line->attrs;
	return nn_graph_append_locked(line->graph, &line->desc);
}

/* ---- Refusals ---- */

/* Ids are their own keys in the tree. */
static void *as_key(uint32_t id)
{
	return (void *)(uintptr_t)id;
}

static int compare_ids(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : a != b;
}

static void keep_id(void *id)
{
	(void)id;
}

static bool reads_refused(const struct text *text, const struct line *line)
{
	for (uint32_t i = 0; i < line->desc.input_count; i++) {
		if (tfind(as_key(line->inputs[i].src_id), &text->refused, compare_ids))
			return true;
	}
	return false;
}

static int note(struct text *text, const struct line *line)
{
	struct nn_graph *graph = text->graph;
	char said[sizeof(graph->error.text)], name[16];
	struct nn_reason reason = {
		.op = line->desc.op ? line->desc.op : "",
		.text = said,
		.name = line->desc.id ? name : NULL,
		.node = as_key(line->number),
	};

	memcpy(said, graph->error.text, sizeof(said));
	snprintf(name, sizeof(name), "%u", line->desc.id);
	if (graph->error.code == -EOPNOTSUPP)
		reason.help = "docs/operators.md lists the operators that there are";
	else
		reason.help = "the text is wrong there, and was not read further";
	return nn_refusals_add(&text->refusals, graph, &reason);
}

/* Decides what becomes of a line with an error. */
static int judge(struct text *text, const struct line *line, int error)
{
	bool follows = error == -ENOENT && reads_refused(text, line);
	bool refused = error == -EOPNOTSUPP;

	if (refused || (error && error != -ENOMEM && !follows && text->refusals.count)) {
		int full = note(text, line);

		if (full || !refused)
			return full ? full : error;
	}
	if (!refused && !follows)
		return error;
	text->graph->error = (struct nn_error){ 0 };
	if (!tsearch(as_key(line->desc.id), &text->refused, compare_ids))
		return nn_graph_no_memory(text->graph);
	return 0;
}

static int import_line(struct text *text, const char *from, size_t size)
{
	struct line line = { .graph = text->graph, .number = ++text->line_count };
	char *copy = nn_pool_alloc(&line.pool, size + 1);
	int error;

	if (!copy)
		return nn_graph_no_memory(text->graph);
	memcpy(copy, from, size);
	error = strlen(copy) == size ? 0 : fail_line(&line, "has a byte 0");
	copy[strcspn(copy, "#")] = 0;
	if (!error)
		error = parse_line(&line, copy);
	/* A line that cannot be read was to be a node. */
	text->node_count += line.desc.id || error;
	error = judge(text, &line, error);
	nn_pool_free(&line.pool);
	return error;
}

/* Some editors put a byte order mark in front of UTF-8. */
static size_t mark_size(const char *text, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf";

	return size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
}

int nn_import_text(struct nn_graph *graph, const struct nn_model_source *source)
{
	struct text state = { .graph = graph };
	const char *text = source->data;
	size_t size = source->size, at = mark_size(text, size);
	int error = 0;

	if (graph->node_count)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "only an empty graph can take an import");
	if (source->options->shape_count || source->options->value_count)
		return nn_graph_fail(graph, NULL, -EINVAL,
				     "shapes and values of inputs can be given for ONNX and "
				     "TensorFlow Lite models; a text graph says them itself");
	while (at < size && !error) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - text) - at : size - at;

		error = import_line(&state, text + at, length);
		at += length + 1;
	}
	error = nn_refusals_end(&state.refusals, graph, state.node_count, error);
	tdestroy(state.refused, keep_id);
	return error;
}
