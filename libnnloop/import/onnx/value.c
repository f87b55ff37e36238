// SPDX-License-Identifier: MIT
/*
 * What the names of an ONNX model stand for while it is imported, and the nodes that come of them.
 *
 * Images are N, C, H, W in ONNX and N, H, W, C in nnloop. A tensor keeps the order it was made in,
 * and is turned only where an operator needs the other one; a flattened image stays as it is, and
 * the weights of the fully connected operator behind it are permuted instead.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx.h"

#define QUOTED 64 /* characters of a name that are worth showing */

const char *onnx_quote(struct onnx_import *import, const char *name)
{
	char *quoted = nn_pool_alloc(&import->pool, QUOTED + 6);
	char *at = quoted;

	if (!name || !*name || !quoted)
		return "without a name";
	*at++ = '"';
	for (; *name && at < quoted + QUOTED; name++)
		*at++ = *name < ' ' || *name > '~' ? '?' : *name;
	strcpy(at, *name ? "...\"" : "\"");
	return quoted;
}

static const char *describe_node(struct onnx_import *import)
{
	const Onnx__NodeProto *node = import->node;
	const char *op = onnx_quote(import, node->op_type);
	char *text = nn_pool_alloc(&import->pool, 4 * QUOTED);

	if (!text)
		return "a node";
	if (node->name && *node->name)
		snprintf(text, 4 * QUOTED, "node %s (%.*s)", onnx_quote(import, node->name),
			 (int)strlen(op) - 2, op + 1);
	else
		snprintf(text, 4 * QUOTED, "node %.*s that makes %s", (int)strlen(op) - 2, op + 1,
			 onnx_quote(import, node->n_output ? node->output[0] : NULL));
	return text;
}

int onnx_fail(struct onnx_import *import, int code, const char *format, ...)
{
	char reason[400];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (import->node)
		return nn_graph_fail_at(import->graph, 0, "", code, "%s: %s", describe_node(import),
					reason);
	return nn_graph_fail_at(import->graph, 0, "", code, "%s", reason);
}

void *onnx_alloc(struct onnx_import *import, size_t count, size_t size)
{
	void *memory = nn_pool_array(&import->pool, count ? count : 1, size);

	if (!memory)
		nn_graph_no_memory(import->graph);
	return memory;
}

static int compare_names(const void *name, const void *value)
{
	return strcmp(name, ((const struct onnx_value *)value)->name);
}

struct onnx_value *onnx_find(struct onnx_import *import, const char *name)
{
	if (!name || !*name)
		return NULL;
	return bsearch(name, import->values, import->value_count, sizeof(*import->values),
		       compare_names);
}

struct onnx_value *onnx_input(struct onnx_import *import, uint32_t i)
{
	struct onnx_value *value = i < import->node->n_input ?
					   onnx_find(import, import->node->input[i]) :
					   NULL;

	return value ? value : &import->absent;
}

struct onnx_value *onnx_output(struct onnx_import *import, uint32_t i)
{
	return i < import->node->n_output ? onnx_find(import, import->node->output[i]) : NULL;
}

/* ---- Quantization ---- */

bool onnx_quant_equal(const struct onnx_quant *a, const struct onnx_quant *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
	       !a->scales && !b->scales;
}

static int check_scale(struct onnx_import *import, float scale)
{
	if (!isnormal(scale) || scale < 0)
		return onnx_fail(import, -EINVAL,
				 "its scale is %g, and scales are positive and normal numbers",
				 (double)scale);
	return 0;
}

int onnx_quant_read(struct onnx_import *import, const struct onnx_value *scale,
		    const struct onnx_value *zero_point, enum nn_data_type type, int64_t axis,
		    uint32_t rank, const uint32_t *dims, struct onnx_quant *out)
{
	const struct onnx_const *zero = &zero_point->constant;
	enum nn_data_type zero_type = zero_point->kind == ONNX_ABSENT ? NN_UINT8 :
									onnx_to_nn_type(zero->type);
	const char *wrong = NULL;
	float *scales;
	int err;

	memset(out, 0, sizeof(*out));
	if (scale->kind != ONNX_CONST ||
	    scale->constant.type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT)
		wrong = "its scale is no float constant";
	else if (zero_point->kind != ONNX_CONST && zero_point->kind != ONNX_ABSENT)
		wrong = "its zero point is no constant";
	else if (scale->constant.count == 0 ||
		 (zero_point->kind == ONNX_CONST && zero->count != scale->constant.count &&
		  zero->count != 1))
		wrong = "scale and zero point have different shapes";
	else if (!zero_type || zero_type == NN_FLOAT32)
		wrong = "its zero point has a type that nnloop does not know";
	else if (type && zero_point->kind == ONNX_CONST && zero_type != type)
		wrong = "its zero point has another type than its integers";
	if (wrong)
		return onnx_fail(import, -EINVAL, "%s", wrong);
	out->type = type ? type : zero_type;
	if (scale->constant.count == 1) {
		out->scale = onnx_const_float(&scale->constant, 0);
		out->zero_point = zero_point->kind == ONNX_CONST ? onnx_const_int(zero, 0) : 0;
		return check_scale(import, out->scale);
	}
	if (axis < 0)
		axis += rank;
	if (axis < 0 || axis >= rank)
		return onnx_fail(import, -EINVAL, "its axis is not one of %" PRIu32 " dimensions",
				 rank);
	if (scale->constant.count != dims[axis])
		return onnx_fail(import, -EINVAL,
				 "it has %" PRIu64 " scales for dimension %" PRId64
				 ", which is %" PRIu32,
				 scale->constant.count, axis, dims[axis]);
	scales = onnx_alloc(import, scale->constant.count, sizeof(*scales));
	if (!scales)
		return -ENOMEM;
	for (uint64_t i = 0; i < scale->constant.count; i++) {
		scales[i] = onnx_const_float(&scale->constant, i);
		err = check_scale(import, scales[i]);
		if (err)
			return err;
	}
	out->scales = scales;
	out->axis = axis;
	if (zero_point->kind == ONNX_CONST)
		out->zero_points = zero;
	return 0;
}

/* ---- Nodes of the graph ---- */

int onnx_append(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		uint32_t input_count, const struct nn_attr *attrs, uint32_t attr_count,
		const struct onnx_quant *quant, struct onnx_stored *out)
{
	struct nn_input *sources = onnx_alloc(import, input_count, sizeof(*sources));
	struct nn_tensor_info info = {
		.name = import->result,
		.type = quant->type,
		.scale = quant->scale,
		.zero_point = quant->zero_point,
	};
	struct nn_node_desc node = {
		.id = import->next_id,
		.op = op,
		.name = import->node ? import->node->name : NULL,
		.inputs = sources,
		.input_count = input_count,
		.attrs = attrs,
		.attr_count = attr_count,
		.outputs = &info,
		.output_count = 1,
	};
	int err;

	if (!sources)
		return -ENOMEM;
	for (uint32_t i = 0; i < input_count; i++)
		sources[i] = inputs[i].source;
	err = nn_graph_append_locked(import->graph, &node);
	if (err)
		return err;
	*out = (struct onnx_stored) { .source = { .src_id = import->next_id++ }, .quant = *quant };
	return 0;
}

int onnx_append_const(struct onnx_import *import, const struct nn_tensor_info *info,
		      const void *data, struct onnx_stored *out)
{
	struct nn_node_desc node = {
		.id = import->next_id,
		.op = "Const",
		.outputs = info,
		.output_count = 1,
		.data = data,
		.data_size = nn_data_type_size(info->type),
	};
	int err;

	for (uint32_t i = 0; i < info->rank; i++)
		node.data_size *= info->dims[i];
	err = nn_graph_append_locked(import->graph, &node);
	if (err)
		return err;
	*out = (struct onnx_stored) { .source = { .src_id = import->next_id++ } };
	return 0;
}

int onnx_append_reshape(struct onnx_import *import, const struct onnx_stored *input, uint32_t rank,
			const uint32_t *dims, struct onnx_stored *out)
{
	int64_t shape[NN_MAX_RANK] = { 0 };
	struct nn_attr attr = {
		.name = "shape", .type = NN_ATTR_INTS, .count = rank, .ints = shape
	};

	for (uint32_t i = 1; i < rank; i++)
		shape[i] = dims[i];
	return onnx_append(import, "Reshape", input, 1, &attr, 1, &input->quant, out);
}

static int append_transpose(struct onnx_import *import, const struct onnx_stored *input,
			    const int64_t perm[4], struct onnx_stored *out)
{
	struct nn_attr attr = { .name = "perm", .type = NN_ATTR_INTS, .count = 4, .ints = perm };

	return onnx_append(import, "Transpose", input, 1, &attr, 1, &input->quant, out);
}

int onnx_item_elements(struct onnx_import *import, uint32_t rank, const uint32_t *dims,
		       uint64_t *elements)
{
	*elements = 1;
	for (uint32_t i = 1; i < rank; i++) {
		*elements *= dims[i];
		if (*elements > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP,
					 "one item of it has more than 2^31 elements");
		if (!*elements)
			return onnx_fail(import, -EOPNOTSUPP, "dimension %" PRIu32 " of it is 0",
					 i);
	}
	return 0;
}

/* ---- Layouts ---- */

void onnx_keep_layout(struct onnx_stored *out, const struct onnx_stored *like)
{
	out->layout = like->layout;
	out->channels = like->channels;
	out->height = like->height;
	out->width = like->width;
}

uint32_t onnx_layout_axis(enum onnx_layout layout, uint32_t axis)
{
	static const uint32_t nhwc[4] = { 0, 3, 1, 2 };

	return layout == ONNX_NHWC && axis < 4 ? nhwc[axis] : axis;
}

static int turn(struct onnx_import *import, const struct onnx_value *value, enum onnx_layout layout,
		struct onnx_stored *out)
{
	static const int64_t to_nhwc[4] = { 0, 2, 3, 1 }, to_nchw[4] = { 0, 3, 1, 2 };
	const struct onnx_stored *stored = &value->stored;
	struct onnx_stored turned = *stored;
	uint32_t c, h, w;
	int err;

	*out = *stored;
	if (stored->layout == layout)
		return 0;
	if (layout == ONNX_NHWC && value->rank != 4)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input has %" PRIu32
				 " dimensions; nnloop knows images of N, C, H, W only",
				 value->rank);
	if (stored->layout == ONNX_FLAT_NHWC) {
		c = stored->channels;
		h = stored->height;
		w = stored->width;
	} else {
		c = value->dims[1];
		h = value->dims[2];
		w = value->dims[3];
	}
	if (layout == ONNX_NHWC) {
		if (c == 1 || (uint64_t)h * w == 1)
			err = onnx_append_reshape(import, stored, 4, (uint32_t []) { 0, h, w, c },
						  out);
		else
			err = append_transpose(import, stored, to_nhwc, out);
		out->layout = ONNX_NHWC;
		return err;
	}
	if (c != 1 && (uint64_t)h * w != 1) {
		err = append_transpose(import, stored, to_nchw, &turned);
		if (err)
			return err;
		*out = turned;
		if (value->rank == 4)
			return 0;
	}
	err = onnx_append_reshape(import, &turned, value->rank, value->dims, out);
	out->layout = ONNX_PLAIN;
	return err;
}

int onnx_in_layout(struct onnx_import *import, const struct onnx_value *value,
		   enum onnx_layout layout, struct onnx_stored *out)
{
	const char *result = import->result;
	int err;

	import->result = value->name;
	err = turn(import, value, layout, out);
	import->result = result;
	return err;
}

/* ---- Pending operators ---- */

/* The activation attribute that clamps so, or NULL. */
static const char *activation_of(const struct onnx_pending *pending)
{
	if (pending->low == 0 && pending->high == INFINITY)
		return "relu";
	if (pending->low == 0 && pending->high == 6)
		return "relu6";
	return NULL;
}

static int append_clamp(struct onnx_import *import, const struct onnx_pending *pending,
			const struct onnx_quant *quant, struct onnx_stored *out)
{
	struct nn_attr range[] = {
		{ .name = "min", .type = NN_ATTR_FLOAT, .f = fmaxf(pending->low, -FLT_MAX) },
		{ .name = "max", .type = NN_ATTR_FLOAT, .f = fminf(pending->high, FLT_MAX) },
	};
	const char *activation = activation_of(pending);
	struct onnx_stored before = *out;
	int err;

	if (activation)
		err = onnx_append(import, activation, &before, 1, NULL, 0, quant, out);
	else
		err = onnx_append(import, "Clamp", &before, 1, range, 2, quant, out);
	onnx_keep_layout(out, &before);
	return err;
}

int onnx_settle(struct onnx_import *import, const struct onnx_value *value,
		const struct onnx_quant *quant, struct onnx_stored *out)
{
	const struct onnx_pending *pending = value->pending;
	const Onnx__NodeProto *node = import->node;
	const char *activation;
	int err;

	if (quant->type != NN_INT8 && quant->type != NN_UINT8)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %s, and nnloop has no operators for that but for 8 bits",
				 nn_data_type_name(quant->type));
	if (quant->scales)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it quantizes a result with one scale per index of an axis");
	if (value->kind == ONNX_REAL) {
		*out = value->stored;
		if (onnx_quant_equal(&value->stored.quant, quant))
			return 0;
		if (value->unrounded)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"it quantizes a float input of the model that is also quantized with another scale");
		err = onnx_append(import, "Requantize", &value->stored, 1, NULL, 0, quant, out);
		onnx_keep_layout(out, &value->stored);
		return err;
	}
	activation = pending->takes_activation ? activation_of(pending) : NULL;
	import->node = pending->node;
	err = pending->emit(import, value, quant, activation, out);
	if (!err && !activation && (pending->low != -INFINITY || pending->high != INFINITY))
		err = append_clamp(import, pending, quant, out);
	if (!err)
		import->node = node;
	return err;
}
