// SPDX-License-Identifier: MIT
/*
 * Convolutions whose weights are computed, as the features of a template are in trackers: products
 * of two matrices, the weights, with a row for each output, and the windows' elements, with a
 * column for each window.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define RANK 4 /* of the operands: batch, groups, rows, columns */

static struct onnx_value *copy_value(struct onnx_import *import, const struct onnx_value *value)
{
	struct onnx_value *made = onnx_alloc(import, 1, sizeof(*made));

	if (made)
		*made = *value;
	return made;
}

/* Items that are fixed, and more than one, stand side by side in the columns. */
static bool is_wide(const struct nn_build_tensor *x)
{
	return !nn_is_rows(x->dims[0]) && x->dims[0] > 1;
}

/* The weights: [1, groups, outputs, elements of a window]. */
static int build_weights(struct onnx_import *import, const struct nn_build_tensor *x,
			 uint32_t groups, struct nn_build_tensor *w)
{
	const bool has_rows = nn_is_rows(w->dims[0]);
	const uint32_t outputs = has_rows ? nn_rows_count(w->dims[0]) : w->dims[0];
	uint32_t dims[RANK] = { has_rows ? NN_ROWS : 1, groups, outputs / groups, 1 };

	if (nn_is_rows(x->dims[0]) != has_rows)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its weights are computed for all items at once, and there may be "
				 "any number of them" ONNX_KEEP_BATCH);
	for (uint32_t i = 1; i < w->rank; i++)
		dims[3] *= w->dims[i];
	return nn_build_reshape(&import->builder, w, RANK, dims, w);
}

/* The windows' elements are columns: [1, groups, elements of a window, windows]. */
static int build_patches(struct onnx_import *import, struct onnx_taps *taps, uint32_t groups,
			 struct nn_build_tensor *x)
{
	static const uint32_t perm[RANK] = { 1, 2, 0, 3 };
	const uint32_t channels = x->dims[1], items = x->dims[0];
	const bool wide = is_wide(x);
	struct nn_build_tensor *parts, padded;
	uint32_t axis, dims[NN_MAX_RANK] = { items, channels, 1, 1 };
	int err = onnx_pad_taps(import, x, taps, x->quant.zero_point, &padded);

	parts = err ? NULL : onnx_alloc(import, taps->count, sizeof(*parts));
	if (!parts)
		return err ? err : -ENOMEM;
	for (uint32_t i = 0; i < taps->directions; i++)
		dims[3] *= taps->windows[i];
	for (uint32_t i = 0; i < taps->count && !err; i++) {
		err = onnx_build_tap(import, &padded, taps, i, &parts[i]);
		if (!err)
			err = nn_build_reshape(&import->builder, &parts[i], RANK, dims, &parts[i]);
	}
	if (!err)
		err = nn_concat_shape(&import->builder, parts, taps->count, 2, &axis, dims);
	if (!err)
		err = nn_build_concat(&import->builder, parts, taps->count, axis, x);
	dims[1] = groups;
	dims[2] *= channels / groups;
	if (!err)
		err = nn_build_reshape(&import->builder, x, RANK, dims, x);
	if (err || !wide)
		return err;
	err = nn_build_transpose(&import->builder, x, perm, x);
	dims[0] = 1;
	dims[3] *= items;
	return err ? err : nn_build_reshape(&import->builder, x, RANK, dims, x);
}

/* The product [1, groups, outputs, windows] with the dimensions that the model knows. */
static int emit_patches(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	static const uint32_t perm[3] = { 1, 0, 2 };
	uint32_t dims[3] = { pending->dims[1], pending->dims[0], 1 };
	int err = pending->inner->emit(import, pending->inner, quant, activation, out);

	for (uint32_t i = 2; i < pending->rank; i++)
		dims[2] *= pending->dims[i];
	if (!err && !nn_is_rows(dims[1]) && dims[1] > 1) {
		err = nn_build_reshape(&import->builder, out, 3, dims, out);
		if (!err)
			err = nn_build_transpose(&import->builder, out, perm, out);
	}
	return err ? err :
		     nn_build_reshape(&import->builder, out, pending->rank, pending->dims, out);
}

static int check(struct onnx_import *import, const struct onnx_value *x, const struct onnx_value *w,
		 int64_t groups)
{
	const uint32_t outputs = nn_is_rows(w->tensor.dims[0]) ? nn_rows_count(w->tensor.dims[0]) :
								 w->tensor.dims[0];

	if (onnx_input(import, 2)->kind != ONNX_ABSENT)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its weights are computed, and it has a bias, which nnloop adds to "
				 "constant weights only");
	if (x->tensor.rank < 3 || x->tensor.rank > NN_MAX_RANK - 1 ||
	    w->tensor.rank != x->tensor.rank)
		return onnx_fail(import, -EINVAL,
				 "its weights have %" PRIu32 " dimensions and its input has %" PRIu32,
				 w->tensor.rank, x->tensor.rank);
	if (groups < 1 || outputs % groups || x->tensor.dims[1] % groups ||
	    w->tensor.dims[1] != x->tensor.dims[1] / groups)
		return onnx_fail(import, -EINVAL,
				 "its weights do not fit %" PRIu32 " channels of %" PRId64 " groups",
				 x->tensor.dims[1], groups);
	return 0;
}

struct onnx_pending *onnx_new_patches(struct onnx_import *import, const struct onnx_value *x,
				      const struct onnx_value *w)
{
	const int64_t groups = onnx_attr_int(import->node, "group", 1);
	struct onnx_taps *taps = onnx_alloc(import, 1, sizeof(*taps));
	struct onnx_value *columns = copy_value(import, x), *rows = copy_value(import, w);
	struct onnx_pending *pending, *inner;

	if (!taps || !columns || !rows || check(import, x, w, groups) ||
	    onnx_read_taps(import, &x->tensor, w->tensor.dims + 2, taps) ||
	    build_weights(import, &x->tensor, groups, &rows->tensor) ||
	    build_patches(import, taps, groups, &columns->tensor))
		return NULL;
	inner = onnx_new_product(import, rows, columns);
	pending = inner ? onnx_new_pending(import, emit_patches, 2) : NULL;
	if (!pending)
		return NULL;
	memcpy(pending->operands, inner->operands, 2 * sizeof(*inner->operands));
	pending->inner = inner;
	pending->takes_activation = true;
	pending->rank = x->tensor.rank;
	pending->dims[0] = x->tensor.dims[0];
	pending->dims[1] = nn_is_rows(w->tensor.dims[0]) ? nn_rows_count(w->tensor.dims[0]) :
							   w->tensor.dims[0];
	for (uint32_t i = 0; i < taps->directions; i++)
		pending->dims[2 + i] = taps->windows[i];
	return pending;
}
