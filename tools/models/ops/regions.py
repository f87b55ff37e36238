# SPDX-License-Identifier: MIT
"""The models of write.py whose results come from many elements each, without weights."""
import numpy as np
from onnx import helper

import ops.model
from ops.model import Model


def resize(name, doc, size, mode, scales=None, opset=18, dtype=np.uint8, zero=(9, 9), scale=(0.04, 0.04), **attrs):
	m = Model()
	x = m.input((2, 3, 5, 7), dtype, scale[0], zero[0])
	numbers = m.const("numbers", np.array(scales, np.float32) if scales else np.array(size, np.int64))
	inputs = [m.real(x), numbers] if opset < 11 else [m.real(x), m.const("roi", np.array([], np.float32)), *([] if scales else [""]), numbers]
	if not scales:
		attrs["axes"] = [2, 3]
	m.node("Resize", inputs, "resized", mode=mode, **attrs)
	m.save(name, m.output("resized", ["N", 3, *size], dtype, scale[1], zero[1]), doc, mode == "nearest", opset=opset)


def softmax(name, doc, shape, axis, dtype=np.uint8, opset=13):
	m = Model()
	x = m.real(m.input(shape, dtype, 0.043, 100 if dtype == np.uint8 else -5))
	if len(shape) == 4:
		x = m.node("MaxPool", [x], "image", kernel_shape=[1, 1])
	m.node("Softmax", [x], "result", **({} if axis is None else {"axis": axis}))
	m.save(name, m.output("result", ["N", *shape[1:]], dtype, 1 / 256, 0 if dtype == np.uint8 else -128), doc, False, opset=opset)


def reduction(name, op, axes, keep):
	"""Behind a Relu, so that it finds an image as nnloop stores it."""
	m = Model()
	x = m.input((3, 6, 4, 5), np.uint8, 0.043, 100)
	x = (m.node("MaxPool", [m.real(x)], "image", kernel_shape=[1, 1]), *x[1:])
	inputs = [x[0]] if axes is None else [x[0], m.const("axes", np.array(axes, np.int64))]
	m.node(op, inputs, "reduced", **({} if axes is None else {"keepdims": keep}))
	gone = {2, 3} if axes is None else {a % 4 for a in axes}
	shape = [1 if i in gone else d for i, d in enumerate(["N", 6, 4, 5]) if keep or i not in gone]
	moves = op in ("ReduceMax", "ReduceMin", "GlobalMaxPool")
	scale = 0.043 if moves else {"ReduceSum": 0.09, "ReduceProd": 3.1, "ReduceL2": 0.06, "ReduceSumSquare": 1.1, "GlobalLpPool": 0.09}.get(op, 0.021)
	m.save(name, m.output("reduced", shape, np.uint8, scale, 100 if moves else 77), f"{op} of {axes}", moves, opset=18)


def resize_computed():
	"""To sizes that are a Concat of an input's batch and channels, and of numbers; the batch is not known."""
	m = Model()
	x = m.input((3, 2, 6, 5), np.uint8, 0.04, 9)
	real = m.real(x)
	m.node("Shape", [real], "shape")
	m.node("Slice", ["shape", m.const("begin", np.array([0], np.int64)), m.const("end", np.array([2], np.int64))], "kept")
	m.node("Concat", ["kept", m.const("size", np.array([12, 7], np.int64))], "sizes", axis=0)
	value = m.node("Resize", [real, "", "", "sizes"], "resized", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
	m.save("resize_computed", m.output(value, ["N", 2, 12, 7], np.uint8, 0.04, 9), "Resize to computed sizes", exact=False)


@ops.model.numbers(32)
def write():
	"""Operators whose results come from many elements each, without weights."""
	for mode in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"):
		resize(f"resize_{mode}", f"Resize, nearest, {mode}", (10, 9), "nearest", coordinate_transformation_mode=mode, nearest_mode="round_prefer_ceil")
		resize(f"resize_linear_{mode}", f"Resize, linear, {mode}", (10, 9), "linear", coordinate_transformation_mode=mode, zero=(9, 30), scale=(0.04, 0.03))
	resize("resize_floor", "Resize, nearest, floor, by scales", (2, 14), "nearest", [1, 1, 0.5, 2], nearest_mode="floor")
	resize("resize_ceil", "Resize, nearest, ceil, by scales", (8, 5), "nearest", [1, 1, 1.6875, 0.75], nearest_mode="ceil")
	resize("resize_old", "Resize of opset 10, smaller and larger", (3, 17), "nearest", [1, 1, 0.75, 2.5], opset=10)
	resize("resize_linear_old", "Resize, linear, of opset 10, int8", (10, 3), "linear", [1, 1, 2, 0.5], opset=10, dtype=np.int8)
	resize("resize_linear_kept", "Resize, linear, of width alone", (5, 14), "linear", [1, 1, 1, 2])
	for op, axes in (("ReduceMean", [2, 3]), ("ReduceMean", [1]), ("ReduceSum", [-1]), ("ReduceMax", [1, 2, 3]), ("ReduceMin", [2])):
		for keep in (0, 1):
			reduction(f"{op.lower()}_{'_'.join(str(abs(a)) for a in axes)}{'_keep' if keep else ''}", op, axes, keep)
	reduction("reduceprod", "ReduceProd", [3], 1)
	reduction("globalmaxpool", "GlobalMaxPool", None, 1)
	softmax("softmax", "Softmax, the last of two", (300, 40), -1)
	softmax("softmax_channels", "Softmax of an image's channels", (3, 21, 12, 10), 1, np.int8)
	softmax("softmax_inner", "Softmax, a dimension inside", (3, 6, 24, 10), 2)
	softmax("softmax_old", "Softmax of opset 11: from axis 2 on as one", (3, 6, 4, 10), 2, opset=11)
	softmax("softmax_old_image", "Softmax of opset 12 without axis", (3, 6, 4, 10), None, opset=12)
	resize_computed()


@ops.model.numbers(61)
def write_squares():
	"""Sums of squares, and their roots."""
	reduction("reducel2", "ReduceL2", [2, 3], 1)
	reduction("reducesumsquare", "ReduceSumSquare", [1], 0)
	reduction("globallppool", "GlobalLpPool", None, 1)


@ops.model.numbers(41)
def write_stored():
	"""Resize of integers as they are stored."""
	for name, dtype, scales, mode in (("u8", np.uint8, (1.5, 2), "half_pixel"), ("i8", np.int8, (0.5, 1.25), "align_corners")):
		m = Model()
		x = m.input((4, 3, 6, 7), dtype, 0.04, 9)
		m.const("scales", np.array([1, 1, *scales], np.float32))
		m.nodes.append(helper.make_node("Resize", [x[0], "", "scales"], ["y"], name="y", mode="linear", coordinate_transformation_mode=mode))
		out = helper.make_tensor_value_info("y", ops.model.TYPES[np.dtype(dtype)], ["N", 3, int(6 * scales[0]), int(7 * scales[1])])
		m.save(f"resize_stored_{name}", out, f"Resize, linear, of {np.dtype(dtype)}, {mode}", exact=True)
