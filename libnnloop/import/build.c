// SPDX-License-Identifier: MIT
/*
 * Building for importers: errors with the model's names, memory, quantization, and nodes in
 * general.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/build.h"

/* ---- Errors and memory ---- */

const char *nn_builder_quote(struct nn_builder *builder, const char *name)
{
	const uint32_t buffers = sizeof(builder->quotes) / sizeof(*builder->quotes);
	char *quoted = builder->quotes[builder->quote_count++ % buffers];

	if (!name || !*name)
		return "without a name";
	nn_error_quote(quoted, NN_QUOTED - 1, name);
	return quoted;
}

static void describe_node(struct nn_builder *builder, char *text, size_t size)
{
	const char *op = nn_builder_quote(builder, builder->node.op);
	const char *name = builder->node.name;

	if (name && *name)
		snprintf(text, size, "node %s (%.*s)", nn_builder_quote(builder, name),
			 (int)strlen(op) - 2, op + 1);
	else
		snprintf(text, size, "node %.*s that makes %s", (int)strlen(op) - 2, op + 1,
			 nn_builder_quote(builder, builder->node.result));
}

int nn_builder_fail(struct nn_builder *builder, int code, const char *format, ...)
{
	char node[4 * NN_QUOTED], *help;
	va_list args;

	va_start(args, format);
	vsnprintf(builder->said, sizeof(builder->said), format, args);
	va_end(args);
	help = strchr(builder->said, '\n');
	if (help)
		*help++ = 0;
	builder->help = help;
	builder->said_float = builder->said_form = false;
	if (!builder->node.op)
		return nn_graph_fail_at(builder->graph, 0, "", code, "%s", builder->said);
	describe_node(builder, node, sizeof(node));
	return nn_graph_fail_at(builder->graph, 0, "", code, "%s: %s", node, builder->said);
}

/* ---- Refusals ---- */

static int note(struct nn_builder *builder, const char *name, const char *help)
{
	const struct nn_error *error = &builder->graph->error;
	const char *domain = builder->node.domain, *op = builder->node.op;
	char full[2 * NN_QUOTED + 16] = "";
	struct nn_reason reason = {
		.op = full,
		.part = builder->node.part,
		.text = builder->said,
		.help = help,
		.name = op ? builder->node.name : name,
		.node = builder->node.key,
		.is_float = builder->said_float && !error->node,
		.is_form = builder->said_form && !error->node,
	};

	if (op && !builder->node.any_op)
		snprintf(full, sizeof(full), "%.*s%s%.*s", NN_QUOTED, domain ? domain : "",
			 domain && *domain ? "." : "", NN_QUOTED, op);
	if (op && (!reason.name || !*reason.name))
		reason.name = builder->node.result;
	if (error->node) /* the graph has said it, of a node of its own */
		reason.text = error->text;
	return nn_refusals_add(&builder->refusals, builder->graph, &reason);
}

int nn_builder_note(struct nn_builder *builder, int err, const char *name)
{
	if (builder->no_memory)
		return nn_graph_no_memory(builder->graph);
	if (err == NN_FOLLOWS) {
		builder->graph->error = (struct nn_error){ 0 };
		return 0;
	}
	if (err != -EOPNOTSUPP)
		return err;
	/* What the graph says of a node of its own is not what was said last here. */
	return note(builder, name,
		    builder->help && !builder->graph->error.node ? builder->help : builder->manual);
}

int nn_builder_follow(struct nn_builder *builder)
{
	return nn_builder_fail(builder, NN_FOLLOWS, "it needs what was refused");
}

int nn_builder_end(struct nn_builder *builder, int err, uint32_t node_count)
{
	bool broken = err && err != -EOPNOTSUPP && err != -ENOMEM && builder->refusals.count &&
		      !builder->no_memory;

	/* The error that has ended the import is not noted yet. */
	if (broken)
		err = note(builder, NULL, "the model is broken, and was not looked at further");
	else
		err = nn_builder_note(builder, err, NULL);
	err = nn_refusals_end(&builder->refusals, builder->graph, node_count, err);
	nn_pool_free(&builder->pool);
	return err;
}

static void *allocate(struct nn_builder *builder, struct nn_pool *pool, size_t count, size_t size)
{
	void *memory = nn_pool_array(pool, count, size);

	if (!memory) {
		builder->no_memory = true;
		nn_graph_no_memory(builder->graph);
	}
	return memory;
}

void *nn_builder_alloc(struct nn_builder *builder, size_t count, size_t size)
{
	return allocate(builder, &builder->pool, count, size);
}

void *nn_builder_alloc_kept(struct nn_builder *builder, size_t count, size_t size)
{
	return allocate(builder, &builder->graph->pool, count, size);
}

/* ---- Quantization ---- */

const struct nn_quant nn_quant_truth = { .type = NN_BOOL };
const struct nn_quant nn_quant_int32 = { .type = NN_INT32 };

bool nn_quant_equal(const struct nn_quant *a, const struct nn_quant *b)
{
	return a->type == b->type && a->is_unsigned == b->is_unsigned && a->scale == b->scale &&
	       a->zero_point == b->zero_point && !a->scales && !b->scales;
}

float nn_quant_scale(const struct nn_quant *quant, uint64_t i)
{
	return quant->scales ? quant->scales[i] : quant->scale;
}

int64_t nn_quant_zero_point(const struct nn_quant *quant, uint64_t i)
{
	if (!quant->zero_points)
		return quant->zero_point;
	return nn_const_int(quant->zero_points, quant->zero_points->count == 1 ? 0 : i) -
	       (quant->is_unsigned ? NN_UNSIGNED : 0);
}

/* Larger scales stand for infinite numbers, and are no quantization. */
static float greatest_scale(enum nn_data_type type)
{
	return FLT_MAX / (nn_data_type_size(type) == 2 ? 65534 : 254);
}

static int check_scale(struct nn_builder *builder, float scale, enum nn_data_type type)
{
	if (isfinite(scale) && scale > greatest_scale(type))
		return nn_builder_fail(
			builder, -EOPNOTSUPP,
			"its scale is %g, of which %d steps are more than float32 has\n"
			"quantize it with the range that its numbers have",
			(double)scale, nn_data_type_size(type) == 2 ? 65535 : 255);
	if (!isnormal(scale) || scale < 0)
		return nn_builder_fail(
			builder, -EINVAL,
			"its scale is %g, and scales are positive and normal numbers",
			(double)scale);
	return 0;
}

int nn_quant_fill(struct nn_builder *builder, enum nn_data_type type, const struct nn_const *scales,
		  const struct nn_const *zero_points, int64_t axis, uint32_t rank,
		  const uint32_t *dims, struct nn_quant *out)
{
	float *values;
	int err;

	*out = (struct nn_quant){ .type = type };
	if (scales->count == 1) {
		out->scale = nn_const_float(scales, 0);
		out->zero_point = zero_points ? nn_const_int(zero_points, 0) : 0;
		return check_scale(builder, out->scale, out->type);
	}
	if (axis < 0)
		axis += rank;
	if (axis < 0 || axis >= rank)
		return nn_builder_fail(builder, -EINVAL,
				       "its axis is not one of %" PRIu32 " dimensions", rank);
	if (scales->count != dims[axis])
		return nn_builder_fail(builder, -EINVAL,
				       "it has %" PRIu64 " scales for dimension %" PRId64
				       ", which is %" PRIu32,
				       scales->count, axis, dims[axis]);
	values = nn_builder_alloc(builder, scales->count, sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (uint64_t i = 0; i < scales->count; i++) {
		values[i] = nn_const_float(scales, i);
		err = check_scale(builder, values[i], out->type);
		if (err)
			return err;
	}
	out->scales = values;
	out->axis = axis;
	out->zero_points = zero_points;
	return 0;
}

/* ---- Nodes ---- */

int nn_item_elements(struct nn_builder *builder, uint32_t rank, const uint32_t *dims,
		     uint64_t *elements)
{
	*elements = 1;
	for (uint32_t i = 1; i < rank; i++) {
		*elements *= dims[i];
		if (*elements > INT32_MAX)
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "one item of it has more than 2^31 elements");
		if (!*elements)
			return nn_builder_fail(builder, -EOPNOTSUPP,
					       "dimension %" PRIu32 " of it is 0", i);
	}
	return 0;
}

/* Appends the node with the next id and these inputs. */
static int append(struct nn_builder *builder, struct nn_node_desc *node,
		  const struct nn_build_tensor *inputs, uint32_t input_count)
{
	struct nn_input *sources = nn_builder_alloc(builder, input_count, sizeof(*sources));
	int err;

	if (!sources)
		return -ENOMEM;
	for (uint32_t i = 0; i < input_count; i++)
		sources[i] = inputs[i].source;
	node->id = builder->next_id;
	node->inputs = sources;
	node->input_count = input_count;
	err = nn_graph_append_locked(builder->graph, node);
	if (!err)
		builder->next_id++;
	return err;
}

static struct nn_tensor_info describe_tensor(const struct nn_build_tensor *tensor)
{
	return (struct nn_tensor_info){
		.name = tensor->name,
		.type = tensor->quant.type,
		.scale = tensor->quant.scale,
		.zero_point = tensor->quant.zero_point,
	};
}

int nn_build_outputs(struct nn_builder *builder, const char *op,
		     const struct nn_build_tensor *inputs, uint32_t input_count,
		     const struct nn_attr *attrs, uint32_t attr_count,
		     struct nn_build_tensor *outputs, uint32_t output_count)
{
	struct nn_tensor_info *infos = nn_builder_alloc(builder, output_count, sizeof(*infos));
	struct nn_node_desc node = {
		.op = op,
		.name = builder->node.name,
		.attrs = attrs,
		.attr_count = attr_count,
		.outputs = infos,
		.output_count = output_count,
	};

	if (!infos)
		return -ENOMEM;
	for (uint32_t i = 0; i < output_count; i++) {
		infos[i] = describe_tensor(&outputs[i]);
		outputs[i].source = (struct nn_input){ builder->next_id, i };
	}
	return append(builder, &node, inputs, input_count);
}

void nn_add_string(struct nn_attr *attrs, uint32_t *count, const char *name, const char *value)
{
	if (value)
		attrs[(*count)++] =
			(struct nn_attr){ .name = name, .type = NN_ATTR_STRING, .string = value };
}

int nn_build_node(struct nn_builder *builder, const char *op, const struct nn_build_tensor *inputs,
		  uint32_t input_count, const struct nn_attr *attrs, uint32_t attr_count,
		  const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct nn_build_tensor made = {
		.name = builder->result,
		.rank = inputs[0].rank,
		.quant = *quant,
	};
	int err;

	memcpy(made.dims, inputs[0].dims, sizeof(made.dims));
	err = nn_build_outputs(builder, op, inputs, input_count, attrs, attr_count, &made, 1);
	if (!err)
		*out = made;
	return err;
}

int nn_build_loop(struct nn_builder *builder, const char *op, const struct nn_build_tensor *inputs,
		  uint32_t count, const struct nn_attr *attrs, uint32_t attr_count,
		  struct nn_build_tensor *outputs)
{
	struct nn_node_desc node = {
		.op = op,
		.name = builder->node.name,
		.attrs = attrs,
		.attr_count = attr_count,
	};

	for (uint32_t i = 0; i < count; i++) {
		outputs[i] = inputs[i];
		outputs[i].source = (struct nn_input){ builder->next_id, i };
	}
	return append(builder, &node, inputs, count);
}

static int build_const(struct nn_builder *builder, const struct nn_tensor_info *info,
		       const void *data,
		       int (*add)(struct nn_graph *graph, const struct nn_node_desc *node),
		       struct nn_build_tensor *out)
{
	struct nn_node_desc node = {
		.id = builder->next_id,
		.op = "Const",
		.outputs = info,
		.output_count = 1,
		.data = data,
		.data_size = nn_data_type_size(info->type),
	};
	int err;

	for (uint32_t i = 0; i < info->rank; i++)
		node.data_size *= info->dims[i];
	*out = (struct nn_build_tensor){ .source = { .src_id = node.id } };
	err = add(builder->graph, &node);
	if (!err)
		builder->next_id++;
	return err;
}

int nn_build_const(struct nn_builder *builder, const struct nn_tensor_info *info, const void *data,
		   struct nn_build_tensor *out)
{
	return build_const(builder, info, data, nn_graph_append_locked, out);
}

int nn_build_kept_const(struct nn_builder *builder, const struct nn_tensor_info *info,
			const void *data, struct nn_build_tensor *out)
{
	return build_const(builder, info, data, nn_graph_append_kept, out);
}

int nn_build_input(struct nn_builder *builder, struct nn_build_tensor *tensor)
{
	struct nn_tensor_info info = describe_tensor(tensor);
	struct nn_node_desc node = {
		.op = "Input",
		.name = tensor->name,
		.outputs = &info,
		.output_count = 1,
	};

	/* A single number is one element. */
	info.rank = tensor->rank ? tensor->rank : 1;
	memcpy(info.dims, tensor->dims, sizeof(info.dims));
	if (builder->each_item)
		info.dims[0] = NN_VARIABLE;
	tensor->source = (struct nn_input){ .src_id = builder->next_id };
	return append(builder, &node, NULL, 0);
}

int nn_build_graph_outputs(struct nn_builder *builder, const struct nn_build_tensor *tensors,
			   uint32_t count)
{
	struct nn_build_tensor *plain = nn_builder_alloc(builder, count, sizeof(*plain));
	struct nn_node_desc node = { .op = "OUTPUT" };
	int err;

	if (!plain)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		err = nn_build_layout(builder, &tensors[i], NN_LAYOUT_PLAIN, &plain[i]);
		if (err)
			return err;
	}
	return append(builder, &node, plain, count);
}
