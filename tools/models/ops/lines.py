# SPDX-License-Identifier: MIT
"""The models of write.py whose windows go over lines: tensors of N, C, L.

Each draws its numbers by itself, so that none depends on which are written before it, and none behind it on these.
"""
import zlib

import numpy as np
from onnx import helper

import ops.model
from ops.model import TYPES, Model

X = (0.043, 121)


def model(name):
	ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	return Model()


def conv(m, x, channels, outputs, k, name="sum", group=1, per_channel=True, bias=True, **attrs):
	"""Of a real x of the scale that X has."""
	sw = ops.model.rng.uniform(0.004, 0.02, outputs).astype(np.float32) if per_channel else np.float32(0.0113)
	axis = 0 if per_channel else None
	inputs = [x, m.weight("w", (outputs, channels // group, k), sw, axis=axis)]
	if bias:
		inputs.append(m.bias(outputs, X[0], sw, axis))
	return m.node("Conv", inputs, name, group=group, **attrs)


def one_conv(name, doc, channels=5, outputs=7, k=3, length=23, dtype=np.uint8, **attrs):
	m = model(name)
	offset = 0 if dtype == np.uint8 else -128
	x = m.real(m.input((3, channels, length), dtype, X[0], X[1] + offset))
	value = conv(m, x, channels, outputs, k, **attrs)
	m.save(name, m.output(value, ["N", outputs, "OL"], dtype, 0.11, 97 + offset), doc, True)


def qlinear_conv():
	m = model("qlinear_conv_line")
	x = m.input((3, 6, 20), np.uint8, *X)
	w = [m.const("w", ops.model.rng.integers(-127, 128, (8, 3, 4)).astype(np.int8)),
	     m.const("w_scale", ops.model.rng.uniform(0.004, 0.02, 8).astype(np.float32)), m.const("w_zero", np.zeros(8, np.int8))]
	y = [m.const("y_scale", np.float32(0.11)), m.const("y_zero", np.uint8(97))]
	bias = m.const("b", ops.model.rng.integers(-3000, 3000, 8).astype(np.int32))
	m.nodes.append(helper.make_node("QLinearConv", [*x, *w, *y, bias], ["y"], name="y", group=2, strides=[2], pads=[1, 2]))
	m.save("qlinear_conv_line", helper.make_tensor_value_info("y", TYPES[np.dtype(np.uint8)], ["N", 8, "OL"]),
	       "QLinearConv of lines, two groups", True)


def pool(name, doc, op, length=23, integers=False, opset=13, **attrs):
	m = model(name)
	scale, zero = 0.0486565, 117
	x = m.input((9, 8, length), np.uint8, scale, zero)
	if integers:
		m.nodes.append(helper.make_node(op, [x[0]], ["y"], name="y", **attrs))
		out = helper.make_tensor_value_info("y", TYPES[np.dtype(np.uint8)], ["N", 8, "OL"])
	else:
		value = m.node(op, [m.real(x)], "pooled", **attrs)
		out = m.output(value, ["N", 8, "OL"], np.uint8, scale, zero if "Max" in op else 131)
	m.save(name, out, doc, False, opset=opset)


def qlinear_global():
	m = model("qlinear_averagepool_line_global")
	x, y = m.input((40, 8, 27), np.uint8, 0.0486565, 117), m.quantized("y", np.uint8, 0.0486565, 131)
	m.nodes.append(helper.make_node("QLinearGlobalAveragePool", [*x, *y[1:]], ["y"], name="y", domain="com.microsoft", channels_last=0))
	m.save("qlinear_averagepool_line_global", helper.make_tensor_value_info("y", TYPES[np.dtype(np.uint8)], ["N", 8, 1]),
	       "QLinearGlobalAveragePool of lines", False)


def behind_conv(name, doc, shape, append):
	"""append(m, value): nodes behind a Conv, whose lines of 8 channels, 12 long, nnloop stores with the channels last."""
	m = model(name)
	x = m.real(m.input((3, 4, 12), np.uint8, *X))
	m.output(conv(m, x, 4, 8, 3, pads=[1, 1]), None, np.uint8, 0.06, 120, "z")
	value = append(m, m.dequantize("z", "z_scale", "z_zero"))
	m.save(name, m.output(value, ["N", *shape], np.uint8, 0.07, 110), doc, False)


@ops.model.numbers(0)
def write():
	windows()
	what_follows()


def windows():
	one_conv("conv_line", "Conv of lines, uneven pads", pads=[1, 2])
	one_conv("conv_line_strides", "Conv of lines, strides 2, dilations 3, int8", dtype=np.int8, strides=[2], dilations=[3], pads=[3, 1],
		 kernel_shape=[3])
	one_conv("conv_line_same", "Conv of lines, auto_pad SAME_LOWER, no bias", k=4, strides=[2], length=24, auto_pad="SAME_LOWER",
		 bias=False, per_channel=False)
	one_conv("conv_line_group", "Conv of lines, two groups", 6, 8, group=2)
	one_conv("conv_line_depthwise", "Conv of lines, depthwise", 6, 6, 5, group=6, pads=[2, 2])
	one_conv("conv_line_pointwise", "Conv of lines, one element wide", 33, 9, 1)
	qlinear_conv()
	pool("maxpool_line", "MaxPool of lines, ceil_mode", "MaxPool", kernel_shape=[3], strides=[2], pads=[1, 0], ceil_mode=1)
	pool("maxpool_line_integers", "MaxPool of lines of integers", "MaxPool", integers=True, kernel_shape=[4], strides=[3])
	pool("averagepool_line", "AveragePool of lines, padding not counted", "AveragePool", kernel_shape=[4], pads=[1, 2])
	pool("averagepool_line_counted", "AveragePool of lines, padding counted, strides 2", "AveragePool", kernel_shape=[7], strides=[2],
	     pads=[3, 3], count_include_pad=1)
	pool("averagepool_line_covers", "AveragePool of whole lines", "AveragePool", kernel_shape=[23])
	pool("averagepool_line_ceil", "AveragePool of lines, ceil_mode, opset 19", "AveragePool", opset=19, kernel_shape=[5], strides=[4],
	     ceil_mode=1)
	pool("averagepool_line_global", "GlobalAveragePool of lines", "GlobalAveragePool", 201)
	pool("maxpool_line_global", "GlobalMaxPool of lines", "GlobalMaxPool")
	qlinear_global()


def what_follows():
	"""Operators that find lines as nnloop stores them behind a window."""
	weight = lambda m, shape: m.weight("v", shape, np.float32(0.01))
	behind_conv("line_flatten", "Flatten and Gemm behind Conv of lines", [5],
		    lambda m, v: m.node("Gemm", [m.node("Flatten", [v], "flat"), weight(m, (5, 96))], "result", transB=1))
	behind_conv("line_matmul", "MatMul behind Conv of lines", [8, 5], lambda m, v: m.node("MatMul", [v, weight(m, (12, 5))], "result"))
	behind_conv("line_transpose", "Transpose and MatMul behind Conv of lines", [12, 5],
		    lambda m, v: m.node("MatMul", [m.node("Transpose", [v], "turned", perm=[0, 2, 1]), weight(m, (8, 5))], "result"))
	behind_conv("line_add", "Add of lines and themselves behind Conv", [8, 12], lambda m, v: m.node("Add", [v, v], "result"))
	behind_conv("line_add_constant", "Add of a constant for each channel behind Conv of lines", [8, 12], lambda m, v: m.node(
		"Add", [v, m.real(m.quantized(m.const("k", ops.model.rng.integers(0, 256, (8, 1)).astype(np.uint8)), np.uint8, 0.01, 120))], "result"))
	behind_conv("line_reshape", "Unsqueeze and Reshape behind Conv of lines", [4, 24], lambda m, v: m.node(
		"Reshape", [m.node("Unsqueeze", [v, m.const("axes", np.array([2]))], "image"), m.const("dims", np.array([0, 4, 24]))], "result"))
	behind_conv("line_slice", "Slice and Softmax behind Conv of lines", [8, 5], lambda m, v: m.node("Softmax", [m.node(
		"Slice", [v, *(m.const(n, np.array([i])) for n, i in (("b", 2), ("e", 7), ("a", 2)))], "part")], "result", axis=1))
	behind_conv("line_reduce", "ReduceMean behind Conv of lines", [8], lambda m, v: m.node("ReduceMean", [v], "result", axes=[2], keepdims=0))
