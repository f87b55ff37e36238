// SPDX-License-Identifier: MIT
/*
 * The inputs of an ONNX model: which of their dimensions are known, by the model or by who imports
 * it, and which inputs are constants because somebody says so.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"
#include "import/options.h"

/* A name that the model gives to dimensions, and what somebody says that it is. */
struct onnx_symbol {
	const char *name;
	uint32_t size;
};

static bool is_initializer(struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	const struct onnx_value *value = onnx_find(import, input->name);

	return value && (value->kind == ONNX_CONST || value->kind == ONNX_REFUSED);
}

static const Onnx__TypeProto__Tensor *tensor_type(const Onnx__ValueInfoProto *info)
{
	return info->type && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ?
		       info->type->tensor_type :
		       NULL;
}

static const Onnx__TensorShapeProto *get_shape(const Onnx__ValueInfoProto *input)
{
	const Onnx__TypeProto__Tensor *type = tensor_type(input);

	return type ? type->shape : NULL;
}

/* ---- Dimensions ---- */

/* Returns the size that the model itself gives a dimension; 0: none. */
static int64_t fixed_dim(const Onnx__TensorShapeProto *shape, uint32_t i)
{
	const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];

	return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
			       dim->dim_value > 0 ?
		       dim->dim_value :
		       0;
}

/* Whether the model itself says that there is nothing along a dimension. */
static bool is_empty_dim(const Onnx__ValueInfoProto *input, uint32_t i)
{
	const Onnx__TensorShapeProto *shape = get_shape(input);

	return shape &&
	       shape->dim[i]->value_case ==
		       ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
	       !shape->dim[i]->dim_value;
}

/* The name that the model gives to a dimension; NULL: none. */
static const char *dim_name(const Onnx__TensorShapeProto *shape, uint32_t i)
{
	const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];

	return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
			       dim->dim_param && *dim->dim_param ?
		       dim->dim_param :
		       NULL;
}

/* The number of an input's dimensions; 0: nobody says it. */
static size_t get_rank(const struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	const struct nn_import_shape *given = nn_options_shape(&import->builder, input->name);
	const Onnx__TensorShapeProto *shape = get_shape(input);

	return shape ? shape->n_dim : given ? given->rank : 0;
}

/* A dimension of an input, by whoever says it; 0: nobody does. */
static int64_t find_dim(const struct onnx_import *import, const Onnx__ValueInfoProto *input,
			uint32_t i)
{
	const struct nn_import_shape *given = nn_options_shape(&import->builder, input->name);
	const Onnx__TensorShapeProto *shape = get_shape(input);
	const char *name;

	if (shape && fixed_dim(shape, i))
		return fixed_dim(shape, i);
	if (given)
		return given->dims[i];
	name = shape ? dim_name(shape, i) : NULL;
	for (uint32_t k = 0; name && k < import->symbol_count; k++) {
		if (!strcmp(import->symbols[k].name, name))
			return import->symbols[k].size;
	}
	return 0;
}

static int add_symbol(struct onnx_import *import, const char *name, uint32_t size)
{
	for (uint32_t k = 0; k < import->symbol_count; k++) {
		if (strcmp(import->symbols[k].name, name))
			continue;
		if (import->symbols[k].size == size)
			return 0;
		return onnx_fail(import, -EINVAL,
				 "the model calls two dimensions %s, and %" PRIu32 " and %" PRIu32
				 " are given for them",
				 onnx_quote(import, name), import->symbols[k].size, size);
	}
	import->symbols[import->symbol_count++] = (struct onnx_symbol){ name, size };
	return 0;
}

/* Holds the shape that is given of an input against what the model says, and takes in what it says
 * of the names of dimensions. */
static int take_shape(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      const struct nn_import_shape *given)
{
	const Onnx__TensorShapeProto *shape = get_shape(input);
	int err = 0;

	if (!shape)
		return 0;
	if (shape->n_dim != given->rank)
		return onnx_fail(import, -EINVAL,
				 "input %s has %zu dimensions, and the shape that is given for it %"
				 PRIu32, onnx_quote(import, input->name), shape->n_dim,
				 given->rank);
	for (uint32_t i = 0; i < given->rank && !err; i++) {
		int64_t fixed = fixed_dim(shape, i);
		const char *name = dim_name(shape, i);

		if (fixed && fixed != given->dims[i])
			err = onnx_fail(import, -EINVAL,
					"dimension %" PRIu32 " of input %s is %" PRId64
					" in the model, and %" PRIu32 " is given for it",
					i, onnx_quote(import, input->name), fixed, given->dims[i]);
		else if (name)
			err = add_symbol(import, name, given->dims[i]);
	}
	return err;
}

/* Takes in the shapes and values that are given: all of them are of inputs. */
static int take_options(struct onnx_import *import, const Onnx__GraphProto *graph,
			const struct nn_import_options *options)
{
	const char **names = onnx_alloc(import, graph->n_input, sizeof(*names));
	uint32_t count = 0;
	int err;

	import->symbols = onnx_alloc(import, (size_t)options->shape_count * NN_MAX_RANK,
				     sizeof(*import->symbols));
	if (!names || !import->symbols)
		return -ENOMEM;
	for (size_t i = 0; i < graph->n_input; i++) {
		const char *name = graph->input[i]->name;

		if (name && *name && !is_initializer(import, graph->input[i]))
			names[count++] = name;
	}
	err = nn_options_check(&import->builder, options, names, count);
	for (size_t i = 0; options->shape_count && i < graph->n_input && !err; i++) {
		const struct nn_import_shape *given = NULL;

		if (graph->input[i]->name && !is_initializer(import, graph->input[i]))
			given = nn_options_shape(&import->builder, graph->input[i]->name);
		if (given)
			err = take_shape(import, graph->input[i], given);
	}
	return err;
}

/* A dimension of 1 up front is most exporters' idea of a batch that was not asked for. */
static bool one_is_batch(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	bool any = false;

	for (size_t i = 0; i < graph->n_input; i++) {
		if (is_initializer(import, graph->input[i]))
			continue;
		if (get_rank(import, graph->input[i]) < 2 ||
		    find_dim(import, graph->input[i], 0) != 1)
			return false;
		any = true;
	}
	return any;
}

/* Whether the first dimension of an input is open, and given as 1, which is any number of rows. */
static bool is_open_batch(const struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	const Onnx__TensorShapeProto *shape = get_shape(input);

	return get_rank(import, input) && !(shape && fixed_dim(shape, 0)) &&
	       find_dim(import, input, 0) == 1;
}

/* Whether it is open, and nobody says anything of it. */
static bool is_open(const struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	const Onnx__TensorShapeProto *shape = get_shape(input);

	return get_rank(import, input) && !(shape && fixed_dim(shape, 0)) &&
	       !find_dim(import, input, 0);
}

/*
 * Whether all inputs have as many items: there is one, or their first dimension has the same name.
 */
static bool one_batch(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	const char *name = NULL;
	uint32_t count = 0;
	bool same = true;

	for (size_t i = 0; i < graph->n_input; i++) {
		const Onnx__TensorShapeProto *shape = get_shape(graph->input[i]);
		const char *dim;

		if (is_initializer(import, graph->input[i]))
			continue;
		dim = shape && shape->n_dim ? dim_name(shape, 0) : NULL;
		same &= dim && (!count || (name && !strcmp(name, dim)));
		name = dim;
		count++;
	}
	return count < 2 || same || import->one_is_batch;
}

/* Takes note of the dimensions that the model does not fix. */
static int note_open(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		     const struct nn_build_tensor *tensor)
{
	const Onnx__TensorShapeProto *shape = get_shape(input);
	struct nn_open_dim open = { .input = input->name };
	char text[NN_SHAPE_ROOM] = "";
	int err = 0;

	for (uint32_t i = 0; i < tensor->rank; i++) {
		int64_t fixed = shape ? fixed_dim(shape, i) : 0;

		nn_options_format_dim(text, i, i || fixed ? fixed : 1,
				      shape ? dim_name(shape, i) : NULL);
	}
	open.shape = text;
	for (uint32_t i = 0; i < tensor->rank && !err; i++) {
		if (shape && fixed_dim(shape, i))
			continue;
		open.symbol = shape ? dim_name(shape, i) : NULL;
		open.dim = i;
		open.size = import->apart && !i ? NN_ROWS : tensor->dims[i];
		open.given = find_dim(import, input, i) != 0;
		err = nn_options_note_open(&import->builder, &open);
	}
	return err;
}

/* Reads an input's shape. A dimension that is still open is 1, but the batch any number of rows. */
static int read_shape(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      struct onnx_value *value)
{
	const Onnx__TensorShapeProto *shape = get_shape(input);
	const char *name = onnx_quote(import, input->name);
	size_t rank = get_rank(import, input);
	uint64_t elements;

	if (shape && !rank && !import->controlled)
		return onnx_fail(import, -EOPNOTSUPP,
				 "input %s is a single number\nsay what it is, if that is always "
				 "the same: --set NAME=NUMBER, nn_import_options", name);
	if ((!rank && !shape) || rank > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP,
				 "input %s has no shape, or not 1 to %d dimensions\n"
				 "say which it has: --shape NAME=NUMBER,..., nn_import_options",
				 name, NN_MAX_RANK);
	value->tensor.rank = rank;
	value->tensor.dims[0] = 1;
	for (uint32_t i = 0; i < rank; i++) {
		int64_t dim = find_dim(import, input, i);
		bool is_batch = !i && ((!dim && !import->apart && !import->controlled) ||
				       import->one_is_batch ||
				       (is_open_batch(import, input) && !import->whole));

		if (!dim && is_empty_dim(input, i))
			return onnx_fail(import, -EOPNOTSUPP,
					 "input %s is empty: dimension %" PRIu32 " is 0 in the model\n"
					 "if that means that it is not known, say what it is: "
					 "--shape NAME=NUMBER,..., nn_import_options", name, i);
		if (dim > INT32_MAX)
			return onnx_fail(import, -EINVAL, "dimension %" PRIu32 " of input %s is %"
					 PRId64, i, name, dim);
		value->tensor.dims[i] = is_batch ? NN_ROWS : dim ? dim : 1;
	}
	value->place = (struct onnx_place){ .is = import->apart, .outer = 1 };
	if (note_open(import, input, &value->tensor))
		return -ENOMEM;
	if (nn_item_elements(&import->builder, value->tensor.rank, value->tensor.dims, &elements))
		return onnx_fail(import, -EOPNOTSUPP,
				 "one item of input %s has more than 2^31 elements", name);
	return 0;
}

/* ---- Inputs ---- */

static int need_input(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      const struct onnx_value *value)
{
	if (!value)
		return onnx_fail(import, -EINVAL, "an input of the model has no name");
	if (!tensor_type(input))
		return onnx_fail(import, -EOPNOTSUPP, "input %s is no tensor",
				 onnx_quote(import, input->name));
	if (value->kind != ONNX_UNDEFINED)
		return onnx_fail(import, -EINVAL, "the model has two inputs named %s",
				 onnx_quote(import, input->name));
	return 0;
}

/* A tensor of uint16 is one also for users. */
static int build_input(struct onnx_import *import, struct nn_build_tensor *tensor)
{
	struct nn_build_tensor given = *tensor;
	const char *result = import->builder.result;
	int err;

	if (!tensor->quant.is_unsigned)
		return nn_build_input(&import->builder, tensor);
	given.quant.type = NN_UINT16;
	given.quant.zero_point += NN_UNSIGNED;
	given.quant.is_unsigned = false;
	err = nn_build_input(&import->builder, &given);
	import->builder.result = NULL;
	if (!err)
		err = nn_build_sign(&import->builder, &given, false, tensor);
	import->builder.result = result;
	tensor->name = given.name;
	return err;
}

static int read_input(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		      struct onnx_value *value)
{
	enum nn_element element;
	enum nn_data_type integers;
	int err = need_input(import, input, value);

	if (err)
		return err;
	element = onnx_to_element(tensor_type(input)->elem_type);
	integers = element == NN_ELEMENT_FLOAT ? 0 : nn_element_to_type(element);
	if (!nn_type_is_integer(integers) && element != NN_ELEMENT_FLOAT)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"input %s is of %s; nnloop knows integers, bool and quantized float"
			ONNX_8_BITS,
			onnx_quote(import, input->name), nn_element_name(element));
	err = read_shape(import, input, value);
	if (!err && !integers && import->floats && !onnx_is_quantized_alike(import, value)) {
		value->tensor.quant = (struct nn_quant){ .type = NN_FLOAT32 };
		value->kind = ONNX_REAL;
		value->promised = true;
		return build_input(import, &value->tensor);
	}
	if (!err)
		err = onnx_find_quant(import, value, integers, integers, &value->tensor.quant);
	if (err)
		return err;
	if (!integers && import->in_float)
		value->tensor.quant = (struct nn_quant){ .type = NN_FLOAT32 };
	value->kind = integers ? ONNX_STORED : ONNX_REAL;
	value->unrounded = !integers;
	return build_input(import, &value->tensor);
}

/* Makes an input the constant that somebody says it is. */
static int set_input(struct onnx_import *import, const Onnx__ValueInfoProto *input,
		     const char *text)
{
	struct onnx_value *value = onnx_find(import, input->name);
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank;
	int err = need_input(import, input, value);

	if (err)
		return err;
	rank = get_rank(import, input);
	if (rank > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP, "input %s has more than %d dimensions",
				 onnx_quote(import, input->name), NN_MAX_RANK);
	for (uint32_t i = 0; i < rank; i++) {
		int64_t dim = find_dim(import, input, i);

		dims[i] = dim > INT32_MAX ? INT32_MAX : dim;
	}
	/* Without a shape, it is the value's. */
	if (!get_shape(input))
		rank = !!strchr(text, ',');
	err = nn_options_read_value(&import->builder, input->name, text,
				    onnx_to_element(tensor_type(input)->elem_type), rank, dims,
				    &value->constant);
	if (err)
		return err;
	value->kind = ONNX_CONST;
	value->tensor.rank = value->constant.rank;
	memcpy(value->tensor.dims, value->constant.dims, sizeof(value->tensor.dims));
	return 0;
}

static int import_input(struct onnx_import *import, const Onnx__ValueInfoProto *input)
{
	struct onnx_value *value = onnx_find(import, input->name);
	int err = read_input(import, input, value);

	if (value)
		value->is_input = true;
	return value ? onnx_note_value(import, value, err) : err;
}

int onnx_import_inputs(struct onnx_import *import, const struct nn_import_options *options)
{
	const Onnx__GraphProto *graph = import->model->graph;
	int err = take_options(import, graph, options);

	for (size_t i = 0; options->value_count && i < graph->n_input && !err; i++) {
		const Onnx__ValueInfoProto *input = graph->input[i];
		const char *text = NULL;

		if (input->name && *input->name && !is_initializer(import, input))
			text = nn_options_value(&import->builder, input->name);
		if (text)
			err = set_input(import, input, text);
	}
	if (err)
		return err;
	import->had_one = one_is_batch(import, graph);
	import->one_is_batch = import->had_one && !import->whole;
	for (size_t i = 0; i < graph->n_input; i++)
		import->had_one |= !is_initializer(import, graph->input[i]) &&
				   is_open_batch(import, graph->input[i]);
	import->one_batch = one_batch(import, graph);
	import->had_open = import->one_batch && !import->had_one;
	for (size_t i = 0; i < graph->n_input; i++)
		import->had_open &= is_initializer(import, graph->input[i]) ||
				    is_open(import, graph->input[i]);
	for (size_t i = 0; i < graph->n_input && !err; i++) {
		if (!is_initializer(import, graph->input[i]))
			err = import_input(import, graph->input[i]);
	}
	return err;
}
