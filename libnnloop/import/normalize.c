// SPDX-License-Identifier: MIT
/*
 * Normalizations for importers.
 *
 * The graph's Normalize goes over vectors of elements that are next to each other, so a tensor is
 * stored with the dimensions that are normalized at its end: images of N, H, W, C are where these
 * are the channels; others are turned there and back.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/build.h"

int nn_fit_constant(struct nn_builder *builder, const struct nn_build_tensor *x, const char *name,
		    struct nn_const *constant)
{
	uint32_t dims[NN_MAX_RANK];
	bool fits = constant->rank <= x->rank;

	for (uint32_t i = 0; i < x->rank && fits; i++) {
		uint32_t ones = x->rank - constant->rank;

		dims[i] = i < ones ? 1 : constant->dims[i - ones];
		/* NN_ROWS is no dimension of a constant. */
		fits = dims[i] == 1 || dims[i] == x->dims[i];
	}
	if (!fits)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "the shape of its %s is not that of the input without the "
				       "batch, or 1 in some of its dimensions",
				       name);
	nn_const_reshape(constant, x->rank, dims);
	return 0;
}

/* ---- How the tensor is stored ---- */

struct order {
	enum nn_layout layout;
	bool turned; /* from the layout, which is the plain one then */
	uint32_t dims[NN_MAX_RANK]; /* which of the model's a stored dimension is */
	uint32_t back[NN_MAX_RANK]; /* and where that is */
};

static struct order find_order(const struct nn_build_tensor *x, uint32_t axes)
{
	const uint32_t channels = 1 << 1;
	struct order order = { .layout = NN_LAYOUT_PLAIN };
	uint32_t count = 0;

	if (x->layout == NN_LAYOUT_NHWC && (!axes || axes == channels)) {
		order.layout = NN_LAYOUT_NHWC;
		for (uint32_t i = 0; i < x->rank; i++)
			order.dims[nn_layout_axis(order.layout, i)] = i;
		return order;
	}
	for (uint32_t in_axes = 0; in_axes < 2; in_axes++) {
		for (uint32_t i = 0; i < x->rank; i++) {
			if ((axes >> i & 1) == in_axes)
				order.dims[count++] = i;
		}
	}
	for (uint32_t i = 0; i < x->rank; i++) {
		order.turned |= order.dims[i] != i;
		order.back[order.dims[i]] = i;
	}
	return order;
}

static int store_so(struct nn_builder *builder, const struct nn_build_tensor *tensor,
		    const struct order *order, struct nn_build_tensor *out)
{
	int err = nn_build_layout(builder, tensor, order->layout, out);

	if (err || !order->turned)
		return err;
	err = nn_build_transpose(builder, out, order->dims, out);
	/* It may have left the elements where they are, as an image's. */
	return err ? err : nn_build_layout(builder, out, NN_LAYOUT_PLAIN, out);
}

/* ---- Scale and bias ---- */

static bool changes_along(const struct nn_const *constant, uint32_t dim)
{
	return constant->data && constant->dims[dim] != 1;
}

/*
 * The element of a constant that goes with stored dimensions `first` to `last` at index k of them.
 */
static uint64_t find_element(const struct nn_build_tensor *x, const struct order *order,
			     const struct nn_const *constant, uint32_t first, uint32_t last,
			     uint64_t k)
{
	uint64_t at = 0, strides[NN_MAX_RANK], stride = 1;

	for (uint32_t i = x->rank; i-- > 0; stride *= constant->dims[i])
		strides[i] = constant->dims[i] == 1 ? 0 : stride;
	for (uint32_t i = last + 1; i-- > first;) {
		uint32_t dim = order->dims[i];

		at += k % x->dims[dim] * strides[dim];
		k /= x->dims[dim];
	}
	return at;
}

/*
 * Builds both factors, as far as they differ: from there on they repeat. Each stands for `run`
 * elements.
 */
static int build_factors(struct nn_builder *builder, const struct nn_build_tensor *x,
			 const struct nn_normalization *normalization, const struct order *order,
			 int64_t *run, struct nn_build_tensor out[2])
{
	const struct nn_const *const constants[2] = { &normalization->scale, &normalization->bias };
	static const char *const names[2] = { "scale", "bias" };
	uint32_t first = x->rank, last = x->rank - 1;
	uint64_t count = 1;
	int err = 0;

	for (uint32_t i = x->rank; i-- > 1;) {
		if (!changes_along(constants[0], order->dims[i]) &&
		    !changes_along(constants[1], order->dims[i]))
			continue;
		last = first == x->rank ? i : last;
		first = i;
	}
	*run = 1;
	for (uint32_t i = last + 1; i < x->rank; i++)
		*run *= x->dims[order->dims[i]];
	for (uint32_t i = first; i <= last; i++)
		count *= x->dims[order->dims[i]];
	for (uint32_t i = 0; i < 2 && !err; i++) {
		struct nn_tensor_info info = {
			.name = names[i], .type = NN_FLOAT32, .rank = 1, .dims = { count }
		};
		float *data = nn_builder_alloc(builder, count, sizeof(*data));

		if (!data)
			return -ENOMEM;
		for (uint64_t k = 0; k < count; k++)
			data[k] = !constants[i]->data ? !i :
				  nn_const_float(constants[i], find_element(x, order, constants[i],
									    first, last, k));
		err = nn_build_const(builder, &info, data, &out[i]);
	}
	return err;
}

/* ---- The node ---- */

static int build_divisor(struct nn_builder *builder, const struct nn_normalization *normalization,
			 const struct order *order, struct nn_build_tensor out[2])
{
	const struct nn_tensor_info table = {
		.name = "divisors", .type = NN_FLOAT32, .rank = 1, .dims = { 256 }
	};
	int err = store_so(builder, normalization->divisor, order, &out[0]);

	return err ? err : nn_build_const(builder, &table, normalization->divisors, &out[1]);
}

/* Gives the constant of a tensor that has become one row (whole.c) a dimension in front. */
static void put_one_in_front(struct nn_const *constant)
{
	uint32_t dims[NN_MAX_RANK] = { 1 };

	if (!constant->data)
		return;
	memcpy(dims + 1, constant->dims, constant->rank * sizeof(*dims));
	nn_const_reshape(constant, constant->rank + 1, dims);
}

static int build_whole_normalize(struct nn_builder *builder, const struct nn_build_tensor *x,
				 const struct nn_normalization *normalization,
				 const struct nn_quant *quant, struct nn_build_tensor *out)
{
	struct nn_normalization further = *normalization;
	struct nn_build_tensor lifted, divisor;
	int err = nn_build_lift(builder, x, &lifted);

	if (!err && normalization->divisor)
		err = nn_build_lift(builder, normalization->divisor, &divisor);
	if (err)
		return err;
	further.axes <<= 1;
	further.divisor = normalization->divisor ? &divisor : NULL;
	put_one_in_front(&further.scale);
	put_one_in_front(&further.bias);
	err = nn_build_normalize(builder, &lifted, &further, quant, &lifted);
	return err ? err : nn_build_lower(builder, &lifted, out);
}

/* Elements that are normalized together. */
static int64_t find_length(const struct nn_build_tensor *x,
			   const struct nn_normalization *normalization, const struct order *order)
{
	int64_t length = 1;

	for (uint32_t i = 1; i < x->rank; i++)
		length *= normalization->axes >> i & 1 ? x->dims[i] : 1;
	if (!normalization->axes && x->rank > 1)
		return x->dims[order->dims[x->rank - 1]];
	return length;
}

int nn_build_normalize(struct nn_builder *builder, const struct nn_build_tensor *x,
		       const struct nn_normalization *normalization, const struct nn_quant *quant,
		       struct nn_build_tensor *out)
{
	struct order order = find_order(x, normalization->axes);
	struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = normalization->function },
		{ .name = "length",
		  .type = NN_ATTR_INT,
		  .i = find_length(x, normalization, &order) },
		{ .name = "run", .type = NN_ATTR_INT },
		{ .name = "epsilon", .type = NN_ATTR_FLOAT, .f = normalization->epsilon },
	};
	struct nn_build_tensor inputs[5], like = *x;
	uint32_t count = normalization->divisor ? 5 : 3;
	int err;

	if (normalization->axes & 1 || changes_along(&normalization->scale, 0) ||
	    changes_along(&normalization->bias, 0))
		return build_whole_normalize(builder, x, normalization, quant, out);
	err = store_so(builder, x, &order, &inputs[0]);
	if (!err)
		err = build_factors(builder, x, normalization, &order, &attrs[2].i, &inputs[1]);
	if (!err && normalization->divisor)
		err = build_divisor(builder, normalization, &order, &inputs[3]);
	if (!err)
		err = nn_build_node(builder, "Normalize", inputs, count, attrs, 4, quant, out);
	if (err)
		return err;
	out->layout = order.layout;
	if (order.turned)
		return nn_build_transpose(builder, out, order.back, out);
	out->rank = like.rank;
	memcpy(out->dims, like.dims, sizeof(like.dims));
	return 0;
}
