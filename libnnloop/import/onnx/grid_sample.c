// SPDX-License-Identifier: MIT
/* ONNX's GridSample: images and grid, quantized or in float, for the graph's operator of that name. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* The grid: a constant of floats, or a tensor. */
static int read_grid(struct onnx_import *import, const struct nn_build_tensor *images,
		     struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, 1);
	struct nn_tensor_info info = { .type = NN_FLOAT32, .dims = { 1 } };
	struct nn_const floats;
	int err;

	if (!onnx_is_const(value)) {
		err = onnx_float_input(import, 1, out);
		if (!err && (nn_is_rows(out->dims[0]) != nn_is_rows(images->dims[0])))
			err = onnx_fail(import, -EOPNOTSUPP,
					"its images and its grid have other first dimensions");
		return err ? err : onnx_add_rows(import, out, out);
	}
	err = onnx_read_floats(import, value, "grid", &floats);
	if (err)
		return err;
	if (floats.rank >= NN_MAX_RANK || (nn_is_rows(images->dims[0]) && floats.dims[0] != 1))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its grid is for %" PRIu32 " items, which may be others",
				 floats.dims[0]);
	info.rank = floats.rank + 1;
	memcpy(info.dims + 1, floats.dims, floats.rank * sizeof(*info.dims));
	err = nn_build_const(&import->builder, &info, floats.data, out);
	out->rank = info.rank;
	memcpy(out->dims, info.dims, sizeof(out->dims));
	return err;
}

/* The graph's words for what the attribute says, which other opsets called otherwise. */
static const char *find_mode(struct onnx_import *import)
{
	const char *mode = onnx_attr_string(import, "mode", "linear");

	return strncmp(mode, "bi", 2) ? mode : mode + 2;
}

int onnx_lower_grid_sample(struct onnx_import *import)
{
	static const struct nn_quant real = { .type = NN_FLOAT32 };
	const struct nn_attr attrs[] = {
		{ .name = "mode", .type = NN_ATTR_STRING, .string = find_mode(import) },
		{ .name = "padding", .type = NN_ATTR_STRING,
		  .string = onnx_attr_string(import, "padding_mode", "zeros") },
		{ .name = "align_corners", .type = NN_ATTR_INT,
		  .i = onnx_attr_int(import->node, "align_corners", 0) },
	};
	struct nn_build_tensor images, inputs[2], made;
	uint32_t dims[NN_MAX_RANK], directions;
	int err = onnx_float_input(import, 0, &images);

	if (err)
		return err;
	directions = images.rank - 2;
	if (images.rank != 4 && images.rank != 5)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input has %" PRIu32 " dimensions; nnloop knows images and "
				 "volumes", images.rank);
	err = onnx_add_rows(import, &images, &inputs[0]);
	if (!err)
		err = read_grid(import, &images, &inputs[1]);
	if (!err && (inputs[1].rank != images.rank + 1 || inputs[1].dims[images.rank] != directions))
		err = onnx_fail(import, -EINVAL, "its grid does not fit its input");
	if (!err)
		err = nn_build_node(&import->builder, "GridSample", inputs, 2, attrs,
				    sizeof(attrs) / sizeof(*attrs), &real, &made);
	if (err)
		return err;
	made.layout = NN_LAYOUT_PLAIN;
	made.rank = images.rank + 1;
	memcpy(made.dims, inputs[0].dims, 3 * sizeof(*made.dims));
	memcpy(made.dims + 3, inputs[1].dims + 2, directions * sizeof(*made.dims));
	dims[0] = made.dims[0];
	memcpy(dims + 1, made.dims + 2, (images.rank - 1) * sizeof(*dims));
	err = nn_is_rows(dims[0]) ?
		      nn_build_reshape(&import->builder, &made, images.rank, dims, &made) :
		      nn_build_lower(&import->builder, &made, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}
