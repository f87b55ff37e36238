// SPDX-License-Identifier: MIT
/*
 * Convolutions and averages of other directions than the two of images: volumes of which one
 * direction is 1, and lines that are transposed. What makes them is asked for that of images, by a
 * copy of the node with as many numbers in its attributes, and the result gets its dimensions back.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define IMAGE_RANK 4

/* The direction that goes, or is new, and how many the model has. */
struct change {
	uint32_t direction, count;
	bool is_new;
};

/* ---- The node ---- */

/* A list with a number for each direction, of which one goes or is `value`. */
static int change_list(struct onnx_import *import, const struct change *change, int64_t value,
		       int64_t **ints, size_t *count)
{
	const size_t made = *count + (change->is_new ? 1 : -1);
	int64_t *out = onnx_alloc(import, made, sizeof(*out)), *from = *ints;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0, k = 0; i < made; i++) {
		if (!change->is_new && k == change->direction)
			k++;
		out[i] = change->is_new && i == change->direction ? value : from[k++];
	}
	*ints = out;
	*count = made;
	return 0;
}

/* The pads are two such lists, one behind the other. */
static int change_pads(struct onnx_import *import, const struct change *change,
		       Onnx__AttributeProto *attr)
{
	int64_t *halves[2] = { attr->ints, attr->ints + attr->n_ints / 2 }, *both;
	size_t counts[2] = { attr->n_ints / 2, attr->n_ints / 2 };
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = change_list(import, change, 0, &halves[i], &counts[i]);
	both = err ? NULL : onnx_alloc(import, 2 * counts[0], sizeof(*both));
	if (!both)
		return -ENOMEM;
	for (int i = 0; i < 2; i++)
		memcpy(both + i * counts[0], halves[i], counts[0] * sizeof(*both));
	attr->ints = both;
	attr->n_ints = 2 * counts[0];
	return 0;
}

static int change_attr(struct onnx_import *import, const struct change *change,
		       Onnx__AttributeProto *attr)
{
	const bool is_padding = !strcmp(attr->name, "output_padding");

	if (attr->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS || !attr->n_ints)
		return 0;
	if (!strcmp(attr->name, "pads"))
		return attr->n_ints == 2 * change->count ? change_pads(import, change, attr) : 0;
	if (attr->n_ints != change->count)
		return 0; /* who reads it says so */
	return change_list(import, change, !is_padding, &attr->ints, &attr->n_ints);
}

static Onnx__NodeProto *change_node(struct onnx_import *import, const struct change *change)
{
	Onnx__NodeProto *node = onnx_alloc(import, 1, sizeof(*node));
	size_t count = import->node->n_attribute;
	Onnx__AttributeProto *attrs = onnx_alloc(import, count + 1, sizeof(*attrs));
	Onnx__AttributeProto **list = onnx_alloc(import, count + 1, sizeof(*list));

	if (!node || !attrs || !list)
		return NULL;
	*node = *import->node;
	node->attribute = list;
	for (size_t i = 0; i < count; i++) {
		attrs[i] = *import->node->attribute[i];
		list[i] = &attrs[i];
		if (change_attr(import, change, &attrs[i]))
			return NULL;
	}
	return node;
}

/* ---- The node of another window ---- */

static int add_ints(struct onnx_import *import, Onnx__NodeProto *node, char *name,
		    const int64_t *ints, size_t count)
{
	Onnx__AttributeProto *attr = onnx_alloc(import, 1, sizeof(*attr));
	int64_t *copy = onnx_alloc(import, count, sizeof(*copy));

	if (!attr || !copy)
		return -ENOMEM;
	onnx__attribute_proto__init(attr);
	attr->name = name;
	attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
	attr->ints = memcpy(copy, ints, count * sizeof(*copy));
	attr->n_ints = count;
	node->attribute[node->n_attribute++] = attr;
	return 0;
}

static bool has_any(const int64_t *ints, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ints[i])
			return true;
	}
	return false;
}

Onnx__NodeProto *onnx_replace_window(struct onnx_import *import, const struct onnx_attrs *attrs)
{
	static const char *const gone[] = { "pads", "auto_pad", "kernel_shape", "strides",
					    "dilations", "output_padding", "output_shape" };
	Onnx__NodeProto *node = onnx_alloc(import, 1, sizeof(*node));
	size_t count = import->node->n_attribute;
	Onnx__AttributeProto **list = onnx_alloc(import, count + 4, sizeof(*list));

	if (!node || !list)
		return NULL;
	*node = *import->node;
	node->attribute = list;
	node->n_attribute = 0;
	for (size_t i = 0; i < count; i++) {
		bool keep = true;

		for (size_t k = 0; k < sizeof(gone) / sizeof(*gone); k++)
			keep &= strcmp(import->node->attribute[i]->name, gone[k]) != 0;
		if (keep)
			list[node->n_attribute++] = import->node->attribute[i];
	}
	if (add_ints(import, node, "strides", attrs->strides, attrs->count) ||
	    add_ints(import, node, "dilations", attrs->dilations, attrs->count) ||
	    (has_any(attrs->pads, 2 * attrs->count) &&
	     add_ints(import, node, "pads", attrs->pads, 2 * attrs->count)) ||
	    (has_any(attrs->more, attrs->count) &&
	     add_ints(import, node, "output_padding", attrs->more, attrs->count)))
		return NULL;
	return node;
}

/* ---- The operands ---- */

static void change_dims(const struct change *change, const uint32_t *dims, uint32_t out[IMAGE_RANK])
{
	for (uint32_t i = 0, k = 0; i < IMAGE_RANK; i++) {
		if (!change->is_new && k == change->direction + 2)
			k++;
		out[i] = change->is_new && i == change->direction + 2 ? 1 : dims[k++];
	}
}

static const struct onnx_value *change_value(struct onnx_import *import,
					     const struct change *change,
					     const struct onnx_value *value)
{
	struct onnx_value *made = onnx_alloc(import, 1, sizeof(*made));
	uint32_t dims[IMAGE_RANK];

	if (!made)
		return NULL;
	*made = *value;
	change_dims(change, value->tensor.dims, dims);
	if (!onnx_is_const(value))
		return nn_build_reshape(&import->builder, &value->tensor, IMAGE_RANK, dims,
					&made->tensor) ?
			       NULL :
			       made;
	nn_const_reshape(&made->constant, IMAGE_RANK, dims);
	made->tensor.rank = IMAGE_RANK;
	memcpy(made->tensor.dims, dims, sizeof(dims));
	return made;
}

/* ---- The result ---- */

static int emit_changed(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	int err = pending->inner->emit(import, pending->inner, quant, activation, out);

	return err ? err :
		     nn_build_reshape(&import->builder, out, pending->rank, pending->dims, out);
}

struct onnx_pending *onnx_wrap_pending(struct onnx_import *import, onnx_emit_fp emit,
				       const struct onnx_pending *inner)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit, inner->operand_count);

	if (!pending)
		return NULL;
	memcpy(pending->operands, inner->operands,
	       inner->operand_count * sizeof(*inner->operands));
	pending->inner = inner;
	pending->takes_activation = inner->takes_activation;
	return pending;
}

static struct onnx_pending *wrap(struct onnx_import *import, const struct change *change,
				 const struct onnx_pending *inner)
{
	struct onnx_pending *pending = onnx_wrap_pending(import, emit_changed, inner);

	if (!pending)
		return NULL;
	pending->rank = change->count + 2;
	for (uint32_t i = 0, k = 0; i < pending->rank; i++) {
		if (change->is_new && k == change->direction + 2)
			k++;
		pending->dims[i] = !change->is_new && i == change->direction + 2 ? 1 :
										   inner->dims[k++];
	}
	return pending;
}

/* ---- Which ones ---- */

static bool is_unpadded(struct onnx_import *import, const char *name, uint32_t i, size_t count)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	return !attr || attr->n_ints != count || !attr->ints[i];
}

static bool is_flat_window(struct onnx_import *import, const struct onnx_value *w, uint32_t i)
{
	const Onnx__AttributeProto *kernel = onnx_attr(import->node, "kernel_shape");

	return w ? w->tensor.dims[2 + i] == 1 : kernel && kernel->n_ints == 3 && kernel->ints[i] == 1;
}

/* A direction of volumes in which there is 1, of the window as well. */
static bool find_flat(struct onnx_import *import, const struct onnx_value *x,
		      const struct onnx_value *w, struct change *change)
{
	*change = (struct change){ .count = 3 };
	if (x->tensor.rank != 5 || (w && w->tensor.rank != 5))
		return false;
	for (uint32_t i = 0; i < 3; i++) {
		change->direction = i;
		if (x->tensor.dims[2 + i] == 1 && is_flat_window(import, w, i) &&
		    is_unpadded(import, "pads", i, 6) && is_unpadded(import, "pads", i + 3, 6) &&
		    is_unpadded(import, "output_padding", i, 3))
			return true;
	}
	return false;
}

bool onnx_is_flat(struct onnx_import *import, const struct onnx_value *x)
{
	struct change change;

	return find_flat(import, x, NULL, &change);
}

struct onnx_pending *onnx_new_in_directions(struct onnx_import *import, const struct onnx_value *x,
					    const struct onnx_value *w,
					    const struct onnx_value *bias, onnx_make_fp make,
					    bool makes_lines)
{
	const Onnx__NodeProto *node = import->node;
	const bool is_line = x->tensor.rank == 3 && w && w->tensor.rank == 3;
	struct onnx_pending *inner;
	struct change change;

	if (!find_flat(import, x, w, &change)) {
		if (w && x->tensor.rank == 5 && w->tensor.rank == 5)
			return makes_lines ? onnx_new_volume(import, x, w, bias, make) :
					     onnx_new_transposed_volume(import, x, w, bias, make);
		if (!is_line || makes_lines)
			return make(import, x, w, bias);
		change = (struct change){ .count = 1, .is_new = true };
	}
	x = change_value(import, &change, x);
	if (x && w && !(w = change_value(import, &change, w)))
		return NULL;
	import->node = x ? change_node(import, &change) : NULL;
	inner = import->node ? make(import, x, w, bias) : NULL;
	import->node = node;
	return inner ? wrap(import, &change, inner) : NULL;
}
