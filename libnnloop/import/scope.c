// SPDX-License-Identifier: MIT
/*
 * Loops of a model, for importers: a loop-control node opens a scope, in which what goes from one
 * iteration to the next is a Variable of the model's shape, and which values leave by Collect and
 * Last. A branch is a scope of one iteration at most.
 *
 * Which scope a node is in, its inputs say (docs/loops.md); so what a body computes of outer values
 * alone is computed once, in front of the loop. A branch must not do that if it is not taken: its
 * loop-control node hands out what it reads, as it is.
 */
#include <string.h>

#include "import/build.h"

/* The node's dimensions are no caller's rows: those of a single number are one element. */
static struct nn_tensor_info describe_fixed(const struct nn_build_tensor *tensor)
{
	struct nn_tensor_info info = {
		.name = tensor->name,
		.type = tensor->quant.type,
		.scale = tensor->quant.scale,
		.zero_point = tensor->quant.zero_point,
		.rank = tensor->rank ? tensor->rank : 1,
	};

	memcpy(info.dims, tensor->dims, sizeof(info.dims));
	if (!tensor->rank)
		info.dims[0] = 1;
	return info;
}

int nn_build_fixed_const(struct nn_builder *builder, struct nn_build_tensor *tensor,
			 const void *data)
{
	struct nn_tensor_info info = describe_fixed(tensor);
	struct nn_build_tensor made;
	int err = nn_build_const(builder, &info, data, &made);

	tensor->source = made.source;
	tensor->layout = NN_LAYOUT_PLAIN;
	return err;
}

/* The dimensions as they are stored. */
static uint32_t find_stored(const struct nn_build_tensor *tensor, uint32_t *dims)
{
	static const uint32_t nhwc[4] = { 0, 2, 3, 1 };

	if (tensor->layout == NN_LAYOUT_FLAT_NHWC) {
		dims[0] = tensor->dims[0];
		dims[1] = tensor->height;
		dims[2] = tensor->width;
		dims[3] = tensor->channels;
		return 4;
	}
	for (uint32_t i = 0; i < tensor->rank; i++)
		dims[i] = tensor->dims[tensor->layout == NN_LAYOUT_NHWC ? nhwc[i] : i];
	return tensor->rank;
}

int nn_build_zeros(struct nn_builder *builder, const struct nn_build_tensor *like,
		   struct nn_build_tensor *out)
{
	struct nn_build_tensor stored;
	uint64_t count;
	void *zeros;
	int err = nn_item_elements(builder, like->rank, like->dims, &count);

	if (err)
		return err;
	if (like->rank)
		count *= like->dims[0];
	zeros = nn_builder_alloc(builder, count, nn_data_type_size(like->quant.type));
	if (!zeros)
		return -ENOMEM;
	stored = *like;
	stored.rank = find_stored(like, stored.dims);
	err = nn_build_fixed_const(builder, &stored, zeros);
	*out = *like;
	out->source = stored.source;
	return err;
}

int nn_build_number(struct nn_builder *builder, enum nn_data_type type, int64_t value,
		    struct nn_build_tensor *out)
{
	*out = (struct nn_build_tensor){ .dims = { 1 }, .quant.type = type };
	return nn_build_fixed_const(builder, out, &value); /* of which the low bytes come first */
}

/* A tensor as the only row of one, whose elements stay where they are. */
static int build_row(struct nn_builder *builder, const struct nn_build_tensor *tensor,
		     struct nn_build_tensor *out)
{
	int64_t shape[NN_MAX_RANK + 1] = { 1 };
	struct nn_attr attr = { .name = "shape", .type = NN_ATTR_INTS, .ints = shape };
	uint32_t dims[NN_MAX_RANK], rank = find_stored(tensor, dims);

	*out = *tensor;
	if (!rank)
		return 0;
	if (rank == NN_MAX_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it reads a tensor of %d dimensions in a branch",
				       NN_MAX_RANK);
	for (uint32_t i = 0; i < rank; i++)
		shape[i + 1] = dims[i];
	attr.count = rank + 1;
	return nn_build_node(builder, "Reshape", tensor, 1, &attr, 1, &tensor->quant, out);
}

/*
 * Makes a value that a loop-control node hands out for nobody, so that it is inside of the loop around
 * it, as the initial values of its variables may be.
 */
static int build_inside(struct nn_builder *builder, struct nn_body *around,
			struct nn_build_tensor *out)
{
	struct nn_build_tensor number;
	int err = 0;

	if (!around)
		return nn_build_number(builder, NN_BOOL, 1, out);
	if (!around->has_inside) {
		err = nn_build_number(builder, NN_BOOL, 1, &number);
		if (!err)
			err = nn_build_variable(builder, around, &number, &around->inside);
		around->has_inside = !err;
	}
	*out = around->inside;
	return err;
}

/* The attributes of a loop-control node; the number of them. */
static uint32_t describe(const struct nn_body_desc *desc, struct nn_attr *attrs)
{
	bool asks = desc->goes_on, counts = desc->counted && !asks;
	uint32_t count = 0;

	attrs[count++] = (struct nn_attr){ .name = asks || counts ? "most" : "total",
					   .type = NN_ATTR_INT, .i = desc->trips };
	attrs[count++] = (struct nn_attr){ .name = "squeeze", .type = NN_ATTR_INT, .i = 1 };
	if (!asks)
		attrs[count++] =
			(struct nn_attr){ .name = "current", .type = NN_ATTR_INT, .i = 1 };
	if (counts)
		attrs[count++] =
			(struct nn_attr){ .name = "counted", .type = NN_ATTR_INT, .i = 1 };
	if (asks && desc->strict)
		attrs[count++] = (struct nn_attr){ .name = "strict", .type = NN_ATTR_INT, .i = 1 };
	return count;
}

int nn_build_scope(struct nn_builder *builder, const struct nn_body_desc *desc,
		   struct nn_build_tensor *handed, struct nn_body *scope)
{
	struct nn_build_tensor *inputs =
		nn_builder_alloc(builder, desc->count + 2, sizeof(*inputs));
	struct nn_build_tensor *outputs =
		nn_builder_alloc(builder, desc->count + 1, sizeof(*outputs));
	const char *op = desc->goes_on ? "WhileLoop" : "CountLoop";
	uint32_t first = 0, count = desc->count;
	struct nn_attr attrs[8];
	int err = 0;

	if (!inputs || !outputs)
		return -ENOMEM;
	if (desc->goes_on || desc->counted)
		inputs[first++] = desc->goes_on ? *desc->goes_on : *desc->counted;
	for (uint32_t i = 0; i < count && !err; i++) {
		outputs[i] = *desc->inputs[i];
		err = build_row(builder, desc->inputs[i], &inputs[first + i]);
	}
	if (!err && (builder->body || !(first + count))) {
		err = build_inside(builder, builder->body, &inputs[first + count]);
		outputs[count] = inputs[first + count];
		outputs[count++].name = NULL;
	}
	if (err)
		return err;
	*scope = (struct nn_body){ .id = builder->next_id, .around = builder->body };
	err = nn_build_outputs(builder, op, inputs, first + count, attrs, describe(desc, attrs),
			       outputs, count);
	if (err)
		return err;
	for (uint32_t i = 0; i < desc->count; i++)
		handed[i] = outputs[i];
	builder->body = scope;
	return 0;
}

int nn_build_variable(struct nn_builder *builder, const struct nn_body *scope,
		      const struct nn_build_tensor *initial, struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "loop", .type = NN_ATTR_INT, .i = scope->id },
		{ .name = "fixed", .type = NN_ATTR_INT, .i = 1 },
	};
	const enum nn_layout layout = initial->layout;
	const struct nn_build_tensor like = *initial;
	int err = nn_build_node(builder, "Variable", initial, 1, attrs, 2, &like.quant, out);

	nn_build_keep_layout(out, &like);
	out->layout = layout;
	return err;
}

/* Whether a value is a variable as it is, which an Assign in front of its own may change. */
static bool is_variable(const struct nn_build_tensor *value,
			const struct nn_build_tensor *variables, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (value->source.src_id == variables[i].source.src_id)
			return true;
	}
	return false;
}

int nn_build_assign_all(struct nn_builder *builder, const struct nn_build_tensor *variables,
			struct nn_build_tensor *values, uint32_t count)
{
	struct nn_build_tensor assigned;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		err = nn_build_layout(builder, &values[i], variables[i].layout, &values[i]);
		if (!err && i && is_variable(&values[i], variables, i))
			err = nn_build_node(builder, "Copy", &values[i], 1, NULL, 0,
					    &values[i].quant, &values[i]);
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		if (values[i].source.src_id != variables[i].source.src_id)
			err = nn_build_assign(builder, &variables[i], &values[i], &assigned);
	}
	return err;
}

int nn_build_continue(struct nn_builder *builder, const struct nn_body *scope,
		      const struct nn_build_tensor *condition)
{
	const struct nn_attr loop = { .name = "loop", .type = NN_ATTR_INT, .i = scope->id };

	return nn_build_outputs(builder, "Continue", condition, 1, &loop, 1, NULL, 0);
}

int nn_build_last(struct nn_builder *builder, const struct nn_build_tensor *variable,
		  struct nn_build_tensor *out)
{
	const struct nn_build_tensor like = *variable;
	int err = nn_build_node(builder, "Last", variable, 1, NULL, 0, &like.quant, out);

	nn_build_keep_layout(out, &like);
	return err;
}

int nn_build_collect(struct nn_builder *builder, const struct nn_body *scope, uint32_t rows,
		     const struct nn_build_tensor *value, struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "loop", .type = NN_ATTR_INT, .i = scope->id },
		/* One element is a row as it is stored. */
		{ .name = "stack", .type = NN_ATTR_INT, .i = value->rank != 0 },
	};
	struct nn_build_tensor plain, made;
	int err;

	if (value->rank == NN_MAX_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "what it makes of all iterations has more than %d dimensions",
				       NN_MAX_RANK);
	err = nn_build_layout(builder, value, NN_LAYOUT_PLAIN, &plain);
	if (!err)
		err = nn_build_node(builder, "Collect", &plain, 1, attrs, 2, &plain.quant, &made);
	if (err)
		return err;
	made.rank = plain.rank + 1;
	memcpy(made.dims + 1, plain.dims, plain.rank * sizeof(*plain.dims));
	made.dims[0] = rows;
	made.layout = NN_LAYOUT_PLAIN;
	*out = made;
	return 0;
}
