# SPDX-License-Identifier: MIT
"""The models of write.py whose operators take integers with scale and zero point as inputs, as QuantFormat.QOperator writes them.

Those of com.microsoft, and ONNX's own two; each with scales and zero points that are numbers, and with lists of one.
"""
import zlib

import numpy as np
from onnx import helper

import ops.model
from ops.model import TYPES, Model

SCALE = 0.0486565


class Linear(Model):
	"""Draws its numbers by itself, so that none depends on which models are written before it."""

	def __init__(self, name, one=False):
		super().__init__()
		ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
		self.name, self.dims = name, (1,) if one else ()

	def quantized(self, name, dtype, scale, zero):
		return name, self.const(name + "_scale", np.full(self.dims, scale, np.float32)), self.const(name + "_zero", np.full(self.dims, zero, dtype))

	def weights(self, name, shape, scale=0.011):
		values = self.const(name, ops.model.rng.integers(-64, 65, shape).astype(np.int8))
		return self.quantized(values, np.int8, scale, 0)

	def finish(self, op, inputs, dtype, shape, doc, domain="com.microsoft", **attrs):
		self.nodes.append(helper.make_node(op, inputs, ["y"], name="y", domain=domain, **attrs))
		self.save(self.name, helper.make_tensor_value_info("y", TYPES[np.dtype(dtype)], shape), doc, False)


def pool(name, doc, shape=(6, 8, 9, 10), dtype=np.uint8, zeros=(117, 131), scale=SCALE, **attrs):
	"""Equal scales and an odd zero point of the result: many ties, which it turns around."""
	m = Linear("qlinear_averagepool" + name)
	offset = 0 if dtype == np.uint8 else -128
	x = m.input(shape, dtype, SCALE, zeros[0] + offset)
	y = m.quantized("y", dtype, scale, zeros[1] + offset)
	m.finish("QLinearAveragePool", [*x, *y[1:]], dtype, ["N", "A", "B", "C"][:len(shape)], "QLinearAveragePool, " + doc, **attrs)


def pools():
	pool("", "2x2, strides 2", kernel_shape=[2, 2], strides=[2, 2])
	pool("_i8", "3x3, uneven pads, int8", dtype=np.int8, kernel_shape=[3, 3], pads=[2, 1, 0, 2], strides=[1, 2])
	pool("_counted", "4x2, padding counted, what ceil_mode adds, too", kernel_shape=[4, 2], pads=[1, 0, 2, 1], strides=[3, 2], ceil_mode=1,
	     count_include_pad=1)
	pool("_ceil", "3x3, ceil_mode, padding not counted", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, count_include_pad=0)
	pool("_same", "2x4, SAME_LOWER", kernel_shape=[2, 4], auto_pad="SAME_LOWER", count_include_pad=1)
	pool("_valid", "2x3, VALID, input scale / output scale 16", scale=SCALE / 16, kernel_shape=[2, 3], auto_pad="VALID")
	pool("_covers", "a window as large as the image, which is QLinearGlobalAveragePool", (40, 8, 6, 5), kernel_shape=[6, 5], strides=[2, 1])
	pool("_covers_padded", "a window as large as the image, padded", (40, 8, 6, 5), kernel_shape=[6, 5], pads=[1, 0, 0, 2])
	pool("_last", "channels_last", (6, 9, 10, 8), kernel_shape=[2, 3], pads=[1, 0, 0, 2], strides=[2, 1], channels_last=1)
	pool("_last_covers", "channels_last, a window as large as the image", (40, 6, 5, 8), kernel_shape=[6, 5], channels_last=1)
	pool("_line", "lines", (9, 8, 23), kernel_shape=[4], pads=[1, 2], strides=[2])
	pool("_line_last", "lines, channels_last, int8", (9, 23, 8), np.int8, kernel_shape=[2], strides=[2], channels_last=1)
	pool("_line_covers", "whole lines", (40, 8, 23), kernel_shape=[23])


def global_last():
	for rank, shape in ((4, (40, 6, 5, 8)), (3, (40, 27, 8))):
		m = Linear("qlinear_averagepool_global_last" + ("_line" if rank == 3 else ""))
		x, y = m.input(shape, np.uint8, SCALE, 117), m.quantized("y", np.uint8, SCALE, 131)
		m.finish("QLinearGlobalAveragePool", [*x, *y[1:]], np.uint8, ["N", *[1] * (rank - 2), 8], "QLinearGlobalAveragePool, channels_last", channels_last=1)


def written(one):
	"""What onnxruntime.quantization makes of each operator that it has in this format; QLinearAdd, QLinearMul and
	QLinearAveragePool take no lists."""
	end, doc = ("_one", ", scales are lists of one") if one else ("_scalar", "")
	image, line = (3, 4, 6, 5), (9, 30)

	def unary(name, op, shape, grid, **attrs):
		m = Linear(name + end, one)
		x, y = m.input(shape, np.uint8, 0.05, 121), m.quantized("y", np.uint8, *grid)
		m.finish(op, [*x, *y[1:]], np.uint8, ["N", *shape[1:2], *([1, 1] if "Global" in op else shape[2:])], op + doc, **attrs)

	unary("qlinear_sigmoid", "QLinearSigmoid", image, (1 / 256, 0))
	unary("qlinear_leaky_relu", "QLinearLeakyRelu", image, (0.04, 60), alpha=0.1)
	unary("qlinear_softmax", "QLinearSoftmax", line, (1 / 256, 0), axis=-1, opset=13)
	unary("qlinear_averagepool_global", "QLinearGlobalAveragePool", image, (0.03, 99), channels_last=0)
	for op in () if one else ("QLinearAdd", "QLinearMul"):
		m = Linear(f"qlinear_{op[7:].lower()}{end}", one)
		a, b, y = m.input(image, np.uint8, 0.05, 121), m.input(image, np.uint8, 0.031, 140), m.quantized("y", np.uint8, 0.09, 60)
		m.finish(op, [*a, *b, *y[1:]], np.uint8, ["N", *image[1:]], op + doc)
	m = Linear("qlinear_concat" + end, one)
	a, b, y = m.input(image, np.uint8, 0.05, 121), m.input(image, np.uint8, 0.031, 140), m.quantized("y", np.uint8, 0.06, 125)
	m.finish("QLinearConcat", [*y[1:], *a, *b], np.uint8, ["N", 8, 6, 5], "QLinearConcat" + doc, axis=1)
	m = Linear("qgemm" + end, one)
	x, w, y = m.input(line, np.uint8, 0.05, 121), m.weights("w", (7, 30)), m.quantized("y", np.uint8, 0.13, 97)
	bias = m.const("b", ops.model.rng.integers(-3000, 3000, 7).astype(np.int32))
	m.finish("QGemm", [*x, *w, bias, *y[1:]], np.uint8, ["N", 7], "QGemm" + doc, alpha=1.0, transB=1)
	m = Linear("qlinear_matmul" + end, one)
	x, w, y = m.input(line, np.uint8, 0.05, 121), m.weights("w", (30, 7)), m.quantized("y", np.uint8, 0.13, 97)
	m.finish("QLinearMatMul", [*x, *w, *y[1:]], np.uint8, ["N", 7], "QLinearMatMul" + doc, "")
	m = Linear("qlinear_conv" + end, one)
	x, w, y = m.input(image, np.uint8, 0.05, 121), m.weights("w", (5, 4, 3, 3)), m.quantized("y", np.uint8, 0.11, 97)
	bias = m.const("b", ops.model.rng.integers(-3000, 3000, 5).astype(np.int32))
	m.finish("QLinearConv", [*x, *w, *y[1:], bias], np.uint8, ["N", 5, 6, 5], "QLinearConv" + doc, "", pads=[1] * 4)
	m = Linear("microsoft_pair" + end, one)
	x, y = m.input(image, np.uint8, 0.05, 121), m.quantized("y", np.int8, 0.031, -9)
	m.nodes.append(helper.make_node("DequantizeLinear", x, ["real"], name="real", domain="com.microsoft"))
	m.finish("QuantizeLinear", ["real", *y[1:]], np.int8, ["N", *image[1:]], "com.microsoft's DequantizeLinear and QuantizeLinear" + doc)


def without_zeros():
	"""Zero points that are left out, as far as ONNX Runtime can do without."""
	for name, op, dtype, grid, lacks, attrs in (("sigmoid", "QLinearSigmoid", np.int8, (1 / 128, 0), (2, 4), {}),
						    ("leaky_relu", "QLinearLeakyRelu", np.uint8, (0.04, 60), (2,), {"alpha": 0.1}),
						    ("leaky_relu_i8", "QLinearLeakyRelu", np.int8, (0.04, 7), (4,), {"alpha": 0.1}),
						    ("softmax", "QLinearSoftmax", np.uint8, (1 / 256, 0), (2,), {"axis": -1, "opset": 13})):
		m = Linear(f"qlinear_{name}_no_zero")
		x, y = m.input((9, 30), dtype, 0.05, 0), m.quantized("y", dtype, *grid)
		inputs = ["" if i in lacks else v for i, v in enumerate([*x, *y[1:]])]
		m.finish(op, inputs, dtype, ["N", 30], op + ", without a zero point", **attrs)


@ops.model.numbers(0)
def write():
	pools()
	global_last()
	written(False)
	written(True)
	without_zeros()
