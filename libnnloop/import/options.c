// SPDX-License-Identifier: MIT
/* Shapes and values that a user gives a model's inputs, and nn_graph_get_open_dim(). */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "import/options.h"

#define MOST_ELEMENTS	65536 /* of a value */
#define NAMES_SHOWN	8 /* in a sentence */

const struct nn_import_options nn_options_none = { 0 };

/* ---- Which input is meant ---- */

static bool is_input(const struct nn_builder *builder, const char *given, const char *input)
{
	const char *name = given ? given : builder->only_input;

	return name && !strcmp(name, input);
}

/* The names of the inputs that there are, in a sentence. */
static const char *list_names(struct nn_builder *builder, const char *const *names, uint32_t count)
{
	const uint32_t shown = count < NAMES_SHOWN ? count : NAMES_SHOWN;
	const size_t room = NAMES_SHOWN * (NN_QUOTED + 8) + 8;
	char *text = nn_builder_alloc(builder, room, 1);
	size_t length = 0;

	if (!text)
		return "";
	for (uint32_t i = 0; i < shown; i++)
		length += snprintf(text + length, room - length, "%s%s", i ? ", " : "",
				   nn_builder_quote(builder, names[i]));
	if (shown < count)
		snprintf(text + length, room - length, ", ...");
	return text;
}

/* Which of the inputs a given name is; count: none, and the error is set. */
static uint32_t find(struct nn_builder *builder, const char *given, const char *const *names,
		     uint32_t count)
{
	if (!given && count == 1)
		return 0;
	for (uint32_t i = 0; given && i < count; i++) {
		if (!strcmp(given, names[i]))
			return i;
	}
	if (given)
		nn_builder_fail(builder, -EINVAL,
				"the model has no input %s of which something could be said: it "
				"has %s", nn_builder_quote(builder, given),
				list_names(builder, names, count));
	else
		nn_builder_fail(builder, -EINVAL,
				"the model has %" PRIu32 " inputs, so a shape or value needs the "
				"name of one: %s", count, list_names(builder, names, count));
	return count;
}

static int claim(struct nn_builder *builder, const char *given, const char *const *names,
		 uint32_t count, bool *claimed)
{
	uint32_t i = find(builder, given, names, count);

	if (i == count)
		return nn_builder_failed(builder);
	if (claimed[i])
		return nn_builder_fail(builder, -EINVAL,
				       "more than one shape or value is given for input %s",
				       nn_builder_quote(builder, names[i]));
	claimed[i] = true;
	return 0;
}

int nn_options_check(struct nn_builder *builder, const struct nn_import_options *options,
		     const char *const *names, uint32_t count)
{
	bool *claimed = nn_builder_alloc(builder, count + 1, sizeof(*claimed));
	int err = claimed ? 0 : -ENOMEM;

	builder->options = options;
	builder->only_input = count == 1 ? names[0] : NULL;
	for (uint32_t i = 0; i < options->shape_count && !err; i++) {
		const struct nn_import_shape *shape = &options->shapes[i];
		const char *name = shape->name ? shape->name : builder->only_input;

		err = claim(builder, shape->name, names, count, claimed);
		if (!err && (!shape->rank || shape->rank > NN_MAX_RANK))
			err = nn_builder_fail(builder, -EINVAL,
					      "the shape that is given for input %s has %" PRIu32
					      " dimensions, not 1 to %d",
					      nn_builder_quote(builder, name), shape->rank,
					      NN_MAX_RANK);
		for (uint32_t k = 0; !err && k < shape->rank; k++) {
			if (!shape->dims[k] || shape->dims[k] > INT32_MAX)
				err = nn_builder_fail(builder, -EINVAL,
						      "dimension %" PRIu32 " that is given for "
						      "input %s is %" PRIu32, k,
						      nn_builder_quote(builder, name),
						      shape->dims[k]);
		}
	}
	for (uint32_t i = 0; i < options->value_count && !err; i++)
		err = claim(builder, options->values[i].name, names, count, claimed);
	return err;
}

const struct nn_import_shape *nn_options_shape(const struct nn_builder *builder, const char *input)
{
	for (uint32_t i = 0; builder->options && i < builder->options->shape_count; i++) {
		if (is_input(builder, builder->options->shapes[i].name, input))
			return &builder->options->shapes[i];
	}
	return NULL;
}

const char *nn_options_value(const struct nn_builder *builder, const char *input)
{
	for (uint32_t i = 0; builder->options && i < builder->options->value_count; i++) {
		const struct nn_import_value *value = &builder->options->values[i];

		if (is_input(builder, value->name, input))
			return value->text ? value->text : "";
	}
	return NULL;
}

/* ---- Values ---- */

static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) || isalnum((uint8_t)(*text)[length]))
		return false;
	*text += length;
	return true;
}

static bool put_integer(const char **text, int64_t low, int64_t high, size_t size, uint8_t *to)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(*text, &end, 10);
	if (end == *text || errno || value < low || value > high)
		return false;
	memcpy(to, &(int64_t){ value }, size); /* the low bytes come first */
	*text = end;
	return true;
}

/* One element, which is written; *text goes on behind it. False: it is none of the type. */
static bool put_element(const char **text, enum nn_element element, uint8_t *to)
{
	float value;
	char *end;

	if (isspace((uint8_t)**text))
		return false;
	switch (element) {
	case NN_ELEMENT_BOOL:
		*to = take_word(text, "true");
		return *to || take_word(text, "false") || put_integer(text, 0, 1, 1, to);
	case NN_ELEMENT_INT8:
		return put_integer(text, INT8_MIN, INT8_MAX, 1, to);
	case NN_ELEMENT_UINT8:
		return put_integer(text, 0, UINT8_MAX, 1, to);
	case NN_ELEMENT_INT16:
		return put_integer(text, INT16_MIN, INT16_MAX, 2, to);
	case NN_ELEMENT_UINT16:
		return put_integer(text, 0, UINT16_MAX, 2, to);
	case NN_ELEMENT_INT32:
		return put_integer(text, INT32_MIN, INT32_MAX, 4, to);
	case NN_ELEMENT_INT64:
		return put_integer(text, INT64_MIN, INT64_MAX, 8, to);
	case NN_ELEMENT_UINT32:
		return put_integer(text, 0, UINT32_MAX, 4, to);
	case NN_ELEMENT_UINT64:
		return put_integer(text, 0, INT64_MAX, 8, to);
	case NN_ELEMENT_FLOAT:
		value = strtof(*text, &end);
		if (end == *text || !isfinite(value))
			return false;
		memcpy(to, &value, sizeof(value));
		*text = end;
		return true;
	default:
		return false;
	}
}

/* Gives the constant the shape of the input, of which the value has the elements. */
static int fit_shape(struct nn_builder *builder, const char *name, uint32_t rank,
		     const uint32_t *dims, struct nn_const *out)
{
	uint64_t known = 1;

	for (uint32_t i = 0; i < rank; i++) {
		out->dims[i] = dims[i] ? dims[i] : 1;
		known = known > MOST_ELEMENTS ? known : known * out->dims[i];
	}
	out->rank = rank;
	if (rank == 1 && !dims[0])
		known = out->dims[0] = out->count;
	if (known == out->count && (rank < 2 || known == 1))
		return 0;
	if (rank > 1)
		return nn_builder_fail(builder, -EINVAL,
				       "input %s has %" PRIu32 " dimensions; a value can be given "
				       "where there is one element, or one dimension", name, rank);
	return nn_builder_fail(builder, -EINVAL,
			       "the value of input %s has %" PRIu64 " elements, and the model says "
			       "%" PRIu64, name, out->count, known);
}

int nn_options_read_value(struct nn_builder *builder, const char *input, const char *text,
			  enum nn_element element, uint32_t rank, const uint32_t *dims,
			  struct nn_const *out)
{
	const char *name = nn_builder_quote(builder, input), *at = text;
	const uint32_t size = nn_element_size(element);
	uint64_t count = 1;
	uint8_t *data;

	for (const char *c = text; *c; c++)
		count += *c == ',';
	*out = (struct nn_const){ .element = element, .count = count };
	if (!size)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "input %s is of a type that nnloop does not know", name);
	if (count > MOST_ELEMENTS)
		return nn_builder_fail(builder, -EINVAL,
				       "the value of input %s has more than %d elements", name,
				       MOST_ELEMENTS);
	data = nn_builder_alloc(builder, count, size);
	if (!data)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		if (!put_element(&at, element, data + i * size) || *at != (i + 1 < count ? ',' : 0))
			return nn_builder_fail(builder, -EINVAL,
					       "the value %s of input %s is not of %s, which it is "
					       "in the model", nn_builder_quote(builder, text), name,
					       nn_element_name(element));
		at++;
	}
	out->data = data;
	return fit_shape(builder, name, rank, dims, out);
}

/* ---- Dimensions that are open ---- */

struct nn_open_list {
	uint32_t count;
	struct open_dim {
		char input[80], symbol[80], shape[160];
		uint32_t dim, size;
		bool given;
	} dims[NN_MAX_OPEN_DIMS];
};

void nn_options_forget_open(struct nn_graph *graph)
{
	free(graph->open);
	graph->open = NULL;
}

/* Copies as much as fits; a file may contain anything. */
static void copy_text(char *to, size_t size, const char *text)
{
	for (; text && *text && --size; text++)
		*to++ = *text < ' ' || *text > '~' ? '?' : *text;
	*to = 0;
}

void nn_options_format_dim(char shape[NN_SHAPE_ROOM], uint32_t i, int64_t size, const char *symbol)
{
	size_t length = strlen(shape);
	char number[24];

	if (size)
		snprintf(number, sizeof(number), "%" PRId64, size);
	else
		snprintf(number, sizeof(number), "dim%" PRIu32, i);
	snprintf(shape + length, NN_SHAPE_ROOM - length, "%s%s", i ? "," : "",
		 !size && symbol ? symbol : number);
}

int nn_options_note_open(struct nn_builder *builder, const struct nn_open_dim *open)
{
	struct nn_graph *graph = builder->graph;
	struct open_dim *dim;

	if (!graph->open)
		graph->open = calloc(1, sizeof(*graph->open));
	if (!graph->open) {
		builder->no_memory = true;
		return nn_graph_no_memory(graph);
	}
	if (graph->open->count == NN_MAX_OPEN_DIMS)
		return 0;
	dim = &graph->open->dims[graph->open->count++];
	copy_text(dim->input, sizeof(dim->input), open->input);
	copy_text(dim->symbol, sizeof(dim->symbol), open->symbol);
	copy_text(dim->shape, sizeof(dim->shape), open->shape);
	dim->dim = open->dim;
	dim->size = open->size;
	dim->given = open->given;
	return 0;
}

int nn_graph_get_open_dim_sized(const struct nn_graph *graph, uint32_t index,
				struct nn_open_dim *theirs, size_t size)
{
	struct nn_open_dim open;
	const struct open_dim *dim;

	if (!graph->open || index >= graph->open->count)
		return -ENOENT;
	dim = &graph->open->dims[index];
	open = (struct nn_open_dim){
		.input = dim->input,
		.symbol = dim->symbol,
		.shape = dim->shape,
		.dim = dim->dim,
		.size = dim->size,
		.given = dim->given,
	};
	nn_sized_give(theirs, size, &open, sizeof(open));
	return 0;
}
