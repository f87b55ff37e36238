// SPDX-License-Identifier: MIT
/*
 * Models that move their batch: a multi-head attention of PyTorch has it behind the words, and joins
 * it with its heads.
 *
 * Such a model is imported as one for a single item, which runs on each of any number of them. That
 * is what it makes of a batch only if it keeps its items apart. So each value has a place, which is
 * where in its shape the items are: along one dimension, of which the items are the middle part,
 * between `outer` parts in front of them and whatever each item has behind. Each node says where the
 * items of its output are, and is refused if it would mix them. What depends on no item has no place.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MIXES "; nnloop runs a model that moves its batch on each item by itself" ONNX_KEEP_BATCH

static int fail_mixes(struct onnx_import *import)
{
	import->mixes = true;
	return onnx_fail(import, -EOPNOTSUPP, "it goes along the batch, or may do so" MIXES);
}

/* A rule finds where the items of the current node's outputs are: the inputs that have a place are
 * those for which it is made. */
typedef int (*place_fp)(struct onnx_import *import, struct onnx_place *out);

static const uint32_t *dims_of(const struct onnx_value *value, uint32_t *rank)
{
	*rank = value->tensor.rank;
	return value->tensor.dims;
}

/* An axis as the node's attribute says, from the front. */
static int64_t read_axis(struct onnx_import *import, int64_t otherwise, uint32_t rank)
{
	int64_t axis = onnx_attr_int(import->node, "axis", otherwise);

	return axis < 0 ? axis + rank : axis;
}

/* Whether it is another one for each item. */
static bool is_stepping(const struct onnx_value *value)
{
	return onnx_is_const(value) && value->place.is && value->place.step;
}

/* ---- Elements by themselves ---- */

static int place_same(struct onnx_import *import, struct onnx_place *out)
{
	*out = onnx_input(import, 0)->place;
	return 0;
}

/* Images: their first dimension is none of those that they are computed along. */
static int place_image(struct onnx_import *import, struct onnx_place *out)
{
	*out = onnx_input(import, 0)->place;
	return out->axis ? fail_mixes(import) : 0;
}

static int place_gemm(struct onnx_import *import, struct onnx_place *out)
{
	return onnx_attr_int(import->node, "transA", 0) ? fail_mixes(import) :
							  place_image(import, out);
}

/*
 * Joins the places of what is broadcast, counted from the last dimension but `skipped`: all are the
 * same, and what has none is broadcast along it.
 */
static int join_places(struct onnx_import *import, uint32_t skipped, uint32_t rank,
		       struct onnx_place *out)
{
	uint32_t size = 0, behind = 0;

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);

		if (!x->place.is)
			continue;
		if (x->place.axis + skipped >= x->tensor.rank ||
		    (out->is && (behind != x->tensor.rank - x->place.axis ||
				 size != x->tensor.dims[x->place.axis] ||
				 out->outer != x->place.outer)))
			return fail_mixes(import);
		*out = x->place;
		behind = x->tensor.rank - x->place.axis;
		size = x->tensor.dims[x->place.axis];
	}
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);

		if (!x->place.is && x->tensor.rank >= behind &&
		    x->tensor.dims[x->tensor.rank - behind] != 1)
			return fail_mixes(import);
	}
	if (behind > rank)
		return fail_mixes(import);
	out->axis = rank - behind;
	return 0;
}

static int place_broadcast(struct onnx_import *import, struct onnx_place *out)
{
	return join_places(import, 0, onnx_output(import, 0)->tensor.rank, out);
}

/* ---- Products of matrices ---- */

static int place_product(struct onnx_import *import, uint32_t second, struct onnx_place *out)
{
	const struct onnx_value *a = onnx_input(import, 0), *b = onnx_input(import, second);
	uint32_t rank = onnx_output(import, 0)->tensor.rank, ra, rb;

	dims_of(a, &ra);
	dims_of(b, &rb);
	if (ra < 2 || rb < 2)
		return fail_mixes(import);
	if (a->place.is && !b->place.is && a->place.axis == ra - 2) {
		*out = a->place;
		out->axis = rank - 2;
		return 0;
	}
	if (b->place.is && !a->place.is && b->place.axis == rb - 1) {
		*out = b->place;
		out->axis = rank - 1;
		return 0;
	}
	return join_places(import, 2, rank, out);
}

static int place_matmul(struct onnx_import *import, struct onnx_place *out)
{
	return place_product(import, 1, out);
}

static int place_qlinear_matmul(struct onnx_import *import, struct onnx_place *out)
{
	return place_product(import, 3, out);
}

/* ---- Along axes ---- */

/* Along one axis, which the output still has. */
static int place_beside(struct onnx_import *import, int64_t otherwise, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);

	*out = x->place;
	return read_axis(import, otherwise, x->tensor.rank) == out->axis ? fail_mixes(import) : 0;
}

static int place_beside_first(struct onnx_import *import, struct onnx_place *out)
{
	return place_beside(import, 0, out);
}

static int place_beside_last(struct onnx_import *import, struct onnx_place *out)
{
	return place_beside(import, -1, out);
}

/* Along all dimensions from an axis on. */
static int place_in_front(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);

	*out = x->place;
	return out->axis >= read_axis(import, -1, x->tensor.rank) ? fail_mixes(import) : 0;
}

/* Softmax of today goes along one axis; before opset 13 it went along all from there on. */
static int place_softmax(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);

	if (onnx_get_opset(import, import->op) >= 13)
		return place_beside(import, -1, out);
	*out = x->place;
	return out->axis >= read_axis(import, 1, x->tensor.rank) ? fail_mixes(import) : 0;
}

/* The same, whose opset is an attribute. */
static int place_qlinear_softmax(struct onnx_import *import, struct onnx_place *out)
{
	return onnx_attr_int(import->node, "opset", 0) >= 13 ? place_beside(import, -1, out) :
							       place_in_front(import, out);
}

/* Whether a dimension is among axes, and how many of these are in front of it. */
static bool find_axis(const int64_t *axes, uint32_t count, uint32_t rank, uint32_t axis,
		      uint32_t *before)
{
	*before = 0;
	for (uint32_t i = 0; i < count; i++) {
		int64_t at = axes[i] < 0 ? axes[i] + rank : axes[i];

		if (at == axis)
			return true;
		*before += at < axis;
	}
	return false;
}

/*
 * Finds how many of the axes of the current node, its input 1 or an attribute, are in front of the
 * items; items are not to go along one of them. Without axes they may go along all.
 */
static int count_axes_before(struct onnx_import *import, uint32_t *before)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axes[NN_MAX_RANK];
	uint32_t count;
	int err = onnx_read_ints(import, 1, "axes", axes, &count);

	if (err)
		return err;
	if (!count || find_axis(axes, count, x->tensor.rank, x->place.axis, before))
		return fail_mixes(import);
	return 0;
}

static int place_reduced(struct onnx_import *import, struct onnx_place *out)
{
	uint32_t before;
	int err = count_axes_before(import, &before);

	if (err)
		return err;
	*out = onnx_input(import, 0)->place;
	if (!onnx_attr_int(import->node, "keepdims", 1))
		out->axis -= before;
	return 0;
}

/* Lowers ArgMax and ArgMin. */
static int place_arg(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axis = read_axis(import, 0, x->tensor.rank);

	*out = x->place;
	if (axis == out->axis)
		return fail_mixes(import);
	if (!onnx_attr_int(import->node, "keepdims", 1))
		out->axis -= axis < out->axis;
	return 0;
}

/*
 * Indices that go from item to item as the items are long, which as_strided() of PyTorch has: each
 * item takes of its own elements.
 */
static int place_own(struct onnx_import *import, int64_t axis, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *indices = onnx_input(import, 1);
	int64_t size = axis < x->tensor.rank ? x->tensor.dims[axis] : 0;

	if (!x->place.is || x->place.axis != axis || x->place.outer != 1 ||
	    !onnx_is_const(indices) || indices->place.step != size)
		return fail_mixes(import);
	for (uint64_t i = 0; i < indices->constant.count; i++) {
		int64_t at = nn_const_int(&indices->constant, i);

		if (at < 0 || at >= size)
			return fail_mixes(import);
	}
	*out = indices->place;
	out->axis += axis;
	out->step = 0;
	return 0;
}

static int place_gather(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *indices = onnx_input(import, 1);
	int64_t axis = read_axis(import, 0, x->tensor.rank);

	if (is_stepping(indices))
		return place_own(import, axis, out);
	*out = x->place;
	if (indices->place.is || axis == out->axis)
		return fail_mixes(import);
	if (axis < out->axis)
		out->axis += indices->tensor.rank - 1;
	return 0;
}

/* The dimensions behind those that a list of indices is for. */
static int place_gather_nd(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *indices = onnx_input(import, 1);
	uint32_t rank = indices->tensor.rank, depth = rank ? indices->tensor.dims[rank - 1] : 0;

	*out = x->place;
	if (indices->place.is || !rank || onnx_attr_int(import->node, "batch_dims", 0) ||
	    out->axis < depth)
		return fail_mixes(import);
	out->axis = out->axis - depth + rank - 1;
	return 0;
}

static int place_cum_sum(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *axis = onnx_input(import, 1);
	int64_t at = axis->kind == ONNX_CONST && axis->constant.count == 1 ?
			     nn_const_int(&axis->constant, 0) :
			     x->place.axis;

	*out = x->place;
	return at + (at < 0 ? x->tensor.rank : 0) == out->axis ? fail_mixes(import) : 0;
}

static int place_concat(struct onnx_import *import, struct onnx_place *out)
{
	uint32_t rank = onnx_output(import, 0)->tensor.rank;
	int64_t axis = read_axis(import, 0, rank);

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);

		if (!x->place.is)
			continue;
		if (x->place.axis == axis || (out->is && (x->place.axis != out->axis ||
							  x->place.outer != out->outer)))
			return fail_mixes(import);
		*out = x->place;
	}
	return 0;
}

/* Whether it takes a part of the batch, or maybe all of it, which shows only when N is known. */
static bool slices_batch(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axes[NN_MAX_RANK], starts[NN_MAX_RANK];
	uint32_t count, start_count, before;

	if (onnx_read_ints(import, 1, "starts", starts, &start_count) ||
	    onnx_read_ints(import, 3, "axes", axes, &count))
		return true;
	return count ? find_axis(axes, count, x->tensor.rank, x->place.axis, &before) :
		       x->place.axis < start_count;
}

static int place_slice(struct onnx_import *import, struct onnx_place *out)
{
	*out = onnx_input(import, 0)->place;
	return slices_batch(import) ? fail_mixes(import) : 0;
}

/* Whether it pads the batch, or may do so. */
static bool pads_batch(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0), *pads = onnx_input(import, 1);
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "pads");

	if (onnx_input(import, 3)->kind != ONNX_ABSENT)
		return true;
	for (uint32_t i = x->place.axis; i < 2 * x->tensor.rank; i += x->tensor.rank) {
		int64_t pad = 1;

		if (pads->kind == ONNX_CONST && i < pads->constant.count)
			pad = nn_const_int(&pads->constant, i);
		else if (pads->kind == ONNX_ABSENT && attr && i < attr->n_ints)
			pad = attr->ints[i];
		if (pad)
			return true;
	}
	return false;
}

static int place_pad(struct onnx_import *import, struct onnx_place *out)
{
	*out = onnx_input(import, 0)->place;
	return pads_batch(import) ? fail_mixes(import) : 0;
}

static int place_tile(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *repeats = onnx_input(import, 1);

	*out = onnx_input(import, 0)->place;
	if (repeats->kind != ONNX_CONST || out->axis >= repeats->constant.count ||
	    nn_const_int(&repeats->constant, out->axis) != 1)
		return fail_mixes(import);
	return 0;
}

/* The batch stays as large as it is, and dimensions are added in front of all. */
static int place_expand(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *y = onnx_output(import, 0);
	uint32_t axis = x->place.axis;

	*out = x->place;
	out->axis += y->tensor.rank - x->tensor.rank;
	return x->tensor.dims[axis] == y->tensor.dims[out->axis] ? 0 : fail_mixes(import);
}

static int place_trilu(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);

	*out = x->place;
	return out->axis + 2 >= x->tensor.rank ? fail_mixes(import) : 0;
}

/* ---- Other shapes ---- */

/* The items are in dimension `axis` of the output: what is in front of them and behind stays so. */
static int place_reshaped(struct onnx_import *import, uint32_t axis, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *y = onnx_output(import, 0);
	uint64_t outside = x->place.outer, before = 1;

	for (uint32_t i = 0; i < x->place.axis; i++)
		outside *= x->tensor.dims[i];
	if (axis >= y->tensor.rank)
		return fail_mixes(import);
	for (uint32_t i = 0; i < axis; i++)
		before *= y->tensor.dims[i];
	if (outside % before || y->tensor.dims[axis] % (outside / before))
		return fail_mixes(import);
	*out = (struct onnx_place){ .is = true, .axis = axis, .outer = outside / before };
	return 0;
}

/* The dimension that has the batch: it is computed of that, or copied, or what is left. */
static int place_reshape(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *shape = onnx_input(import, 1);
	const struct nn_const *numbers = &shape->constant;
	uint32_t open = NN_MAX_RANK, found = NN_MAX_RANK, count = 0;

	for (uint32_t i = 0; i < numbers->count && i < NN_MAX_RANK; i++) {
		int64_t number = nn_const_int(numbers, i);

		if (number == -1)
			open = i;
		if (!(shape->kind == ONNX_ROW_COUNT && shape->batch[i]) &&
		    (number || i != x->place.axis))
			continue;
		found = i;
		count++;
	}
	return count > 1 ? fail_mixes(import) :
			   place_reshaped(import, count ? found : open, out);
}

static int place_flatten(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);

	return place_reshaped(import, x->place.axis >= read_axis(import, 1, x->tensor.rank), out);
}

/* Without axes it drops whatever is 1, which the batch is here and need not be. */
static int place_squeeze(struct onnx_import *import, struct onnx_place *out)
{
	uint32_t before;
	int err = count_axes_before(import, &before);

	if (err)
		return err;
	*out = onnx_input(import, 0)->place;
	out->axis -= before;
	return 0;
}

static int place_unsqueeze(struct onnx_import *import, struct onnx_place *out)
{
	uint32_t rank = onnx_output(import, 0)->tensor.rank, count, before;
	int64_t axes[NN_MAX_RANK];
	int err = onnx_read_ints(import, 1, "axes", axes, &count);

	if (err)
		return err;
	*out = onnx_input(import, 0)->place;
	for (uint32_t i = 0, from = 0; i < rank; i++) {
		if (find_axis(axes, count, rank, i, &before))
			continue;
		if (from++ == onnx_input(import, 0)->place.axis)
			out->axis = i;
	}
	return 0;
}

static int place_transpose(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0);
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "perm");

	*out = x->place;
	for (uint32_t i = 0; i < x->tensor.rank; i++) {
		if ((attr ? attr->ints[i] : x->tensor.rank - 1 - i) == x->place.axis)
			out->axis = i;
	}
	return 0;
}

/* ---- Recurrent layers ---- */

static bool is_recurrent(const struct onnx_import *import)
{
	static const char *const names[] = { "GRU", "LSTM", "RNN" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!import->op->domain && !strcmp(import->node->op_type, names[i]))
			return true;
	}
	return false;
}

/* The rows of a recurrent layer are the items: behind the steps or directions, or in front of them. */
static int place_recurrent(struct onnx_import *import)
{
	const uint32_t axis = onnx_attr_int(import->node, "layout", 0) ? 0 : 1;

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);

		/* Lengths have nothing but rows, and are the same for all. */
		if (x->place.is && (x->place.step || x->place.outer != 1 ||
				    x->place.axis != (i == 4 ? 0 : axis)))
			return fail_mixes(import);
	}
	if (!onnx_input(import, 0)->place.is)
		return fail_mixes(import);
	for (uint32_t i = 0; i < import->node->n_output; i++) {
		struct onnx_value *y = onnx_output(import, i);

		if (y)
			y->place = (struct onnx_place){
				.is = true, .axis = i ? axis : 2 * axis, .outer = 1,
			};
	}
	return 0;
}

/* ---- The table ---- */

/* Inputs that may have a place: a bit for each, or all. */
#define FIRST 1u
#define BOTH 3u
#define ANY_INPUT UINT32_MAX

static const struct rule {
	const char *name;
	place_fp place;
	uint32_t inputs;
} rules[] = {
	{ "Add", place_broadcast, BOTH },
	{ "And", place_broadcast, BOTH },
	{ "ArgMax", place_arg, FIRST },
	{ "ArgMin", place_arg, FIRST },
	{ "AveragePool", place_image, FIRST },
	{ "BatchNormalization", place_image, FIRST },
	{ "Cast", place_same, FIRST },
	{ "Clip", place_same, FIRST },
	{ "Concat", place_concat, ANY_INPUT },
	{ "Conv", place_image, FIRST },
	{ "ConvInteger", place_image, FIRST },
	{ "ConvTranspose", place_image, FIRST },
	{ "CumSum", place_cum_sum, FIRST },
	{ "DepthToSpace", place_image, FIRST },
	{ "DequantizeLinear", place_same, FIRST },
	{ "Div", place_broadcast, BOTH },
	{ "Dropout", place_same, FIRST },
	{ "DynamicQuantizeLinear", place_same, FIRST },
	{ "DynamicQuantizeMatMul", place_matmul, FIRST },
	{ "Equal", place_broadcast, BOTH },
	{ "Expand", place_expand, FIRST },
	{ "Flatten", place_flatten, FIRST },
	{ "Gather", place_gather, BOTH },
	{ "GatherND", place_gather_nd, FIRST },
	{ "Gemm", place_gemm, FIRST },
	{ "GlobalAveragePool", place_image, FIRST },
	{ "GlobalLpPool", place_image, FIRST },
	{ "GlobalMaxPool", place_image, FIRST },
	{ "Greater", place_broadcast, BOTH },
	{ "GreaterOrEqual", place_broadcast, BOTH },
	{ "Hardmax", place_softmax, FIRST },
	{ "Identity", place_same, FIRST },
	{ "InstanceNormalization", place_image, FIRST },
	{ "LayerNormalization", place_in_front, FIRST },
	{ "Less", place_broadcast, BOTH },
	{ "LessOrEqual", place_broadcast, BOTH },
	{ "LogSoftmax", place_softmax, FIRST },
	{ "LpNormalization", place_beside_last, FIRST },
	{ "MatMul", place_matmul, BOTH },
	{ "MatMulInteger", place_matmul, BOTH },
	{ "MatMulIntegerToFloat", place_matmul, BOTH },
	{ "Max", place_broadcast, ANY_INPUT },
	{ "MaxPool", place_image, FIRST },
	{ "Min", place_broadcast, ANY_INPUT },
	{ "Mod", place_broadcast, BOTH },
	{ "Mul", place_broadcast, BOTH },
	{ "Not", place_same, FIRST },
	{ "Or", place_broadcast, BOTH },
	{ "PRelu", place_broadcast, FIRST },
	{ "Pad", place_pad, FIRST },
	{ "Pow", place_broadcast, FIRST },
	{ "QGemm", place_image, FIRST },
	{ "QLinearAdd", place_broadcast, 1u << 0 | 1u << 3 },
	{ "QLinearAveragePool", place_image, FIRST },
	{ "QLinearConcat", place_concat, ANY_INPUT },
	{ "QLinearConv", place_image, FIRST },
	{ "QLinearGlobalAveragePool", place_image, FIRST },
	{ "QLinearLeakyRelu", place_same, FIRST },
	{ "QLinearMatMul", place_qlinear_matmul, 1u << 0 | 1u << 3 },
	{ "QLinearMul", place_broadcast, 1u << 0 | 1u << 3 },
	{ "QLinearSigmoid", place_same, FIRST },
	{ "QLinearSoftmax", place_qlinear_softmax, FIRST },
	{ "QuantizeLinear", place_same, FIRST },
	{ "RMSNormalization", place_in_front, FIRST },
	{ "ReduceL1", place_reduced, FIRST },
	{ "ReduceL2", place_reduced, FIRST },
	{ "ReduceMax", place_reduced, FIRST },
	{ "ReduceMean", place_reduced, FIRST },
	{ "ReduceMin", place_reduced, FIRST },
	{ "ReduceProd", place_reduced, FIRST },
	{ "ReduceSum", place_reduced, FIRST },
	{ "ReduceSumSquare", place_reduced, FIRST },
	{ "Relu", place_same, FIRST },
	{ "Reshape", place_reshape, FIRST },
	{ "Resize", place_image, FIRST },
	{ "Slice", place_slice, FIRST },
	{ "Softmax", place_softmax, FIRST },
	{ "SpaceToDepth", place_image, FIRST },
	{ "Split", place_beside_first, FIRST },
	{ "Squeeze", place_squeeze, FIRST },
	{ "Sub", place_broadcast, BOTH },
	{ "Sum", place_broadcast, ANY_INPUT },
	{ "Tile", place_tile, FIRST },
	{ "TopK", place_beside_last, FIRST },
	{ "Transpose", place_transpose, FIRST },
	{ "Trilu", place_trilu, FIRST },
	{ "Unsqueeze", place_unsqueeze, FIRST },
	{ "Upsample", place_image, FIRST },
	{ "Where", place_broadcast, 7 },
	{ "Xor", place_broadcast, BOTH },
};

static const struct rule one_element = { NULL, place_same, FIRST };

/* NULL: whether such an operator keeps items apart, nobody said. */
static const struct rule *find_rule(const struct onnx_import *import)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (!strcmp(rules[i].name, import->node->op_type))
			return &rules[i];
	}
	return import->op->lower == onnx_refuse_function ? &one_element : NULL;
}

/* ---- Constants ---- */

/* A list that counts from 0 to a number that has the batch: so many for each item. */
static int place_range(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *end = onnx_input(import, 1);

	if (end->kind == ONNX_ROW_COUNT)
		*out = (struct onnx_place){ .is = true, .outer = 1,
					    .step = nn_const_int(&end->constant, 0) };
	return 0;
}

/* Sums and products of integers, by what is the same for all items. */
static int place_linear(struct onnx_import *import, struct onnx_place *out)
{
	const struct onnx_value *a = onnx_input(import, 0), *b = onnx_input(import, 1);
	const struct onnx_value *of = a->place.is ? a : b, *by = a->place.is ? b : a;
	const char *op = import->node->op_type;
	bool is_product = !strcmp(op, "Mul");

	if (by->place.is || by->kind != ONNX_CONST || of->constant.element == NN_ELEMENT_FLOAT ||
	    (is_product && by->constant.count != 1) || (!strcmp(op, "Sub") && of != a) ||
	    join_places(import, 0, onnx_output(import, 0)->tensor.rank, out))
		return fail_mixes(import);
	if (!is_product)
		return 0;
	return __builtin_mul_overflow(out->step, nn_const_int(&by->constant, 0), &out->step) ?
		       fail_mixes(import) :
		       0;
}

static int fail_place(struct onnx_import *import, struct onnx_place *out)
{
	(void)out;
	return fail_mixes(import);
}

/*
 * A constant that is repeated for each item, by a list of dimensions or repeats of which one has the
 * batch: what is repeated has no place there.
 */
static int place_repeated(struct onnx_import *import, const struct onnx_value *list,
			  struct onnx_place *out)
{
	const struct onnx_value *x = onnx_input(import, 0), *y = onnx_output(import, 0);
	bool is_expand = !strcmp(import->node->op_type, "Expand");
	uint32_t ones = y->tensor.rank - list->constant.count, behind;

	for (uint32_t i = 0; i < list->constant.count; i++) {
		if (!list->batch[i])
			continue;
		behind = y->tensor.rank - i - ones;
		if (out->is || (is_expand && x->tensor.rank >= behind &&
				x->tensor.dims[x->tensor.rank - behind] != 1))
			return fail_mixes(import);
		*out = (struct onnx_place){ .is = true, .axis = i + ones, .outer = 1 };
	}
	return x != list && x->place.is ? fail_mixes(import) : 0;
}

static const struct {
	const char *name;
	place_fp place;
} constant_rules[] = {
	{ "Add", place_linear },
	{ "Identity", place_same },
	{ "Mul", place_linear },
	{ "Sub", place_linear },
	{ "Unsqueeze", place_unsqueeze },
};

/* The list by which the current node repeats a constant; NULL: it does not, for each item. */
static const struct onnx_value *find_repeats(struct onnx_import *import)
{
	const char *op = import->node->op_type;
	uint32_t at = strcmp(op, "ConstantOfShape") ? 1 : 0;

	if (at && strcmp(op, "Expand") && strcmp(op, "Tile"))
		return NULL;
	return onnx_input(import, at)->kind == ONNX_ROW_COUNT ? onnx_input(import, at) : NULL;
}

static place_fp find_constant_rule(const struct onnx_import *import)
{
	for (size_t i = 0; i < sizeof(constant_rules) / sizeof(*constant_rules); i++) {
		if (!strcmp(constant_rules[i].name, import->node->op_type))
			return constant_rules[i].place;
	}
	return fail_place;
}

/* Places a constant that depends on the items, or refuses it. */
static int place_constants(struct onnx_import *import)
{
	place_fp place = strcmp(import->node->op_type, "Range") ? NULL : place_range;
	const struct onnx_value *repeats = find_repeats(import);
	struct onnx_value *made = onnx_output(import, 0);

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		if (is_stepping(onnx_input(import, i)))
			place = find_constant_rule(import);
	}
	if (!made)
		return 0;
	if (repeats)
		return place_repeated(import, repeats, &made->place);
	return place ? place(import, &made->place) : 0;
}

/* Whether an output is known while the model is imported, or nobody wants it. */
static bool is_known(const struct onnx_value *value)
{
	return !value || onnx_is_const(value) || value->kind == ONNX_ROW_COUNT;
}

/* An input of the model that has items; NULL: none. */
static const struct onnx_value *find_items(const struct onnx_import *import)
{
	for (uint32_t i = 0; i < import->value_count; i++) {
		const struct onnx_value *value = &import->values[i];

		if (value->is_input && value->place.is && onnx_is_tensor(value) &&
		    onnx_is_computed(value->tensor.quant.type) && !value->tensor.quant.scales)
			return value;
	}
	return NULL;
}

/* One element of each item, quantized as wanted, with so many dimensions of 1. */
static int build_one(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t rank,
		     const struct nn_quant *quant, struct nn_build_tensor *out)
{
	uint32_t ones[NN_MAX_RANK];
	int err = 0;

	*out = *x;
	for (uint32_t i = 1; i < x->rank && !err; i++)
		err = nn_build_slice(&import->builder, out, i, 0, 1, out);
	for (uint32_t i = 0; i < rank; i++)
		ones[i] = 1;
	if (!err)
		err = nn_build_whole_reshape(&import->builder, out, rank, ones, out);
	return err ? err : nn_build_unary(&import->builder, "Requantize", out, NULL, 0, quant, out);
}

const struct onnx_value *onnx_place_constant(struct onnx_import *import,
					     const struct onnx_value *constant)
{
	struct onnx_value *value = onnx_alloc(import, 1, sizeof(*value));
	const struct onnx_value *items = find_items(import);
	struct nn_operand operand = { 0 };
	struct nn_build_tensor one;
	int err;

	if (!value)
		return NULL;
	*value = *constant;
	if (!items) {
		onnx_fail(import, -EOPNOTSUPP, "it is of a constant, and the model has no input of 8 or 16 bits");
		return NULL;
	}
	onnx_parameter(constant, &operand.constant);
	err = build_one(import, &items->tensor, constant->constant.rank, &constant->tensor.quant, &one);
	if (!err)
		err = onnx_repeat_operand(import, &operand, &one, &value->tensor);
	value->kind = ONNX_REAL;
	return err ? NULL : value;
}

/* Whether what is known is made of constants that are the same for each item, and have a place. */
static bool moves_constants(struct onnx_import *import)
{
	bool any = false;

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *x = onnx_input(import, i);

		if (is_stepping(x))
			return false;
		any |= onnx_is_const(x) && x->place.is;
	}
	return any && !find_repeats(import) && strcmp(import->node->op_type, "Shape") &&
	       strcmp(import->node->op_type, "Size");
}

/* Whether input i may be what each item has its own of, without a dimension for it: of an operator
 * that makes one element of each, or of several, or a scale or zero point. */
static bool takes_of_item(const struct rule *rule, uint32_t i)
{
	return rule && (rule->place == place_broadcast || rule->place == place_same ||
			(i > 1 && (rule->place == place_image || rule->place == place_matmul)));
}

/* Outputs from `first` on are an item's own: made of such, or a scale that was found of it. */
static void place_of_item(struct onnx_import *import, uint32_t first)
{
	for (uint32_t i = first; i < import->node->n_output; i++) {
		struct onnx_value *value = onnx_output(import, i);

		if (value)
			value->place = (struct onnx_place){ .of_item = true };
	}
}

int onnx_place_items(struct onnx_import *import)
{
	const struct rule *rule = find_rule(import);
	struct onnx_place place = { 0 };
	bool any = false, stray = false, known = true, of_item = false;
	int err;

	for (uint32_t i = 0; i < import->node->n_output; i++)
		known &= is_known(onnx_output(import, i));
	if (known && !moves_constants(import))
		return place_constants(import);
	if (is_recurrent(import))
		return place_recurrent(import);
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		if (onnx_input(import, i)->place.of_item) {
			of_item = true;
			stray |= !takes_of_item(rule, i);
		}
		if (!onnx_input(import, i)->place.is)
			continue;
		any = true;
		/* A constant is that of the first item. */
		if (is_stepping(onnx_input(import, i)) &&
		    (strcmp(import->node->op_type, "Gather") || i != 1))
			return fail_mixes(import);
		stray |= !rule || i >= 32 || !(rule->inputs & 1u << i);
	}
	if (rule && rule->inputs == ANY_INPUT)
		stray = of_item && !takes_of_item(rule, 0);
	if (of_item && !any && !stray) {
		place_of_item(import, 0);
		return 0;
	}
	/* Only output 0 has a shape to go by. */
	if (!any || stray || !onnx_output(import, 0))
		return fail_mixes(import);
	err = rule->place(import, &place);
	for (uint32_t i = 0; i < import->node->n_output && !err; i++) {
		struct onnx_value *value = onnx_output(import, i);

		if (value)
			value->place = place;
	}
	if (import->op->lower == onnx_lower_dynamic_quantize)
		place_of_item(import, 1);
	return err;
}

void onnx_note_mixing(struct onnx_import *import)
{
	const char *op = import->node->op_type;

	if (!import->node->n_input || !onnx_input(import, 0)->place.is)
		return;
	import->mixes |= (!strcmp(op, "Slice") && slices_batch(import)) ||
			 (!strcmp(op, "Pad") && pads_batch(import));
}

int onnx_check_item_rows(struct onnx_import *import, const struct onnx_value *output)
{
	if (!import->apart || (!output->place.axis && output->place.outer == 1))
		return 0;
	import->mixes = true;
	return onnx_fail(import, -EOPNOTSUPP,
			 "output %s does not have the batch as its first dimension" ONNX_KEEP_BATCH,
			 onnx_quote(import, output->tensor.name));
}
