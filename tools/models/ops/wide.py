# SPDX-License-Identifier: MIT
"""Models of 16 bits: uint16 and int16 between QuantizeLinear and DequantizeLinear, with weights of 8 bits, as quantize_static() writes them
with QuantType.QUInt16 and QInt16. ONNX Runtime computes all of these in float32."""
import numpy as np

import ops.model
from ops.model import Model

OPSET = 21  # the first with QuantizeLinear to 16 bits
U16, S16 = np.uint16, np.int16
SX, SY = 2e-4, 3e-4


def middle(dtype, zero):
	"""A zero point that is as far from the middle of its type."""
	return zero + (32768 if dtype == U16 else 0)


def finish(m, name, doc, value, shape, dtype=U16, scale=SY, zero=-1234, output="y"):
	m.save(name, m.output(value, shape, dtype, scale, middle(dtype, zero), output), doc, exact=False, opset=OPSET)


def start(shape, dtype=U16, scale=SX, zero=321):
	m = Model()
	return m, m.real(m.input(shape, dtype, scale, middle(dtype, zero)))


def conv(name, doc, dtype=U16, cin=5, cout=7, size=(7, 6), k=3, group=1, per_channel=False, act=None, wtype=np.int8, wzero=0, sums=None, zx=321,
	 zy=-1234, **attrs):
	"""sums: a scale of the bias that is none of its sums."""
	m, x = start((2, cin, *size), dtype, zero=zx)
	sw = ops.model.rng.uniform(0.004, 0.02, cout).astype(np.float32) if per_channel else np.float32(0.0113)
	axis = 0 if per_channel else None
	weights = m.weight("w", (cout, cin // group, k, k), sw, wtype, wzero, axis)
	value = m.node("Conv", [x, weights, m.bias(cout, sums or SX, sw if not sums else np.float32(1), axis)], "sum", group=group, **attrs)
	if act == "Relu":
		value = m.node("Relu", [value], "act")
	if act == "Clip":
		value = m.node("Clip", [value, m.const("low", np.float32(0)), m.const("high", np.float32(6))], "act")
	finish(m, name, doc, value, ["N", cout, "OH", "OW"], dtype, 4e-3, zy)


@ops.model.numbers(107)
def convolutions():
	conv("wide_conv", "Conv of uint16, padding around a zero point", pads=[1] * 4)
	conv("wide_conv_s16", "Conv of int16, one weight scale for each output", S16, per_channel=True, pads=[1, 0, 2, 1], strides=[2, 2])
	conv("wide_conv_s16_zero", "Conv of int16 with zero points 0, as a symmetric quantization has them", S16, zx=0, zy=0, pads=[1] * 4)
	conv("wide_conv_depthwise", "depthwise, Relu", cin=6, cout=6, group=6, act="Relu", zy=-32768, pads=[1] * 4)
	conv("wide_conv_group", "two groups, Clip 0..6", cin=6, cout=8, group=2, act="Clip")
	conv("wide_conv_u8", "uint8 weights with zero point 100", wtype=np.uint8, wzero=100, pads=[1] * 4)
	conv("wide_conv_bias", "a bias of another scale than its sums", sums=3e-5)
	conv("wide_conv_dilated", "dilations 2, 1x1 strides", dilations=[2, 2])

	m, x = start((2, 5, 4, 3))
	value = m.node("ConvTranspose", [x, m.weight("w", (5, 4, 3, 3), np.float32(0.0113)), m.bias(4, SX, np.float32(0.0113))], "sum", strides=[2, 2],
		       pads=[1] * 4)
	finish(m, "wide_conv_transpose", "ConvTranspose, strides 2", value, ["N", 4, 7, 5], scale=9e-4)


@ops.model.numbers(207)
def products():
	m, x = start((3, 40), S16)
	value = m.node("Gemm", [x, m.weight("w", (11, 40), np.float32(0.0113)), m.bias(11, SX, np.float32(0.0113))], "sum", transB=1)
	finish(m, "wide_gemm", "Gemm", value, ["N", 11], S16, 2e-3, 55)
	m, x = start((2, 5, 24))
	value = m.node("MatMul", [x, m.weight("w", (24, 9), np.float32(0.0113))], "sum")
	finish(m, "wide_matmul_weights", "MatMul of three dimensions and weights", value, ["N", 5, 9], scale=2e-3)
	m, x = start((2, 3, 5, 8))
	y = m.real(m.input((2, 3, 8, 7), U16, SX, 32768 + 99))
	finish(m, "wide_matmul", "MatMul of two tensors", m.node("MatMul", [x, y], "sum"), ["N", 3, 5, 7], scale=1e-2)


def two(name, doc, op, dtype=U16, other=U16, shape=(2, 3, 5, 4), by=None, out=None, scale=SY, rows=True):
	m, x = start(shape, dtype)
	y = m.real(m.input(by or shape, other, 1.7e-4 if other in (U16, S16) else 0.03, middle(other, -77) if other in (U16, S16) else 3, rows))
	finish(m, name, doc, m.node(op, [x, y], "made"), ["N", *shape[1:]], out or dtype, scale)


@ops.model.numbers(49)
def elements():
	two("wide_add", "Add of uint16", "Add")
	two("wide_sub", "Sub of int16, broadcast", "Sub", S16, S16, by=(2, 3, 1, 1))
	two("wide_mul", "Mul of uint16 and int16, to int16", "Mul", U16, S16, out=S16, scale=2e-3)
	two("wide_div", "Div of uint16 by uint8", "Div", other=np.uint8, scale=0.01)
	two("wide_max", "Max", "Max")
	m, x = start((2, 3, 5, 4))
	m.const("by", ops.model.rng.standard_normal((3, 1, 1)).astype(np.float32))
	finish(m, "wide_mul_floats", "Mul of a constant of floats", m.node("Mul", [x, "by"], "made"), ["N", 3, 5, 4])
	m, x = start((2, 3, 5, 4), S16)
	m.const("slope", ops.model.rng.standard_normal((3, 1, 1)).astype(np.float32))
	finish(m, "wide_prelu", "PRelu, slopes of floats", m.node("PRelu", [x, "slope"], "made"), ["N", 3, 5, 4], S16)
	m, x = start((2, 3, 50))
	value = m.node("Clip", [m.node("Add", [x, m.const("three", np.float32(3))], "more"), m.const("zero", np.float32(0)), m.const("six", np.float32(6))], "part")
	value = m.node("Div", [m.node("Mul", [x, value], "product"), "six"], "made")
	finish(m, "wide_chain", "a function of elements, step by step", value, ["N", 3, 50])
	m, x = start((2, 3, 50), S16)
	finish(m, "wide_relu", "Relu alone", m.node("Relu", [x], "made"), ["N", 3, 50], S16, SX, -32768)
	m, x = start((2, 3, 50))
	finish(m, "wide_leaky_relu", "LeakyRelu", m.node("LeakyRelu", [x], "made", alpha=0.1), ["N", 3, 50])
	m = Model()
	x = m.real(m.input((2, 300), np.uint8, 0.03, 100))
	finish(m, "wide_of_bytes", "uint8 to uint16", x, ["N", 300])
	m, x = start((2, 300))
	finish(m, "wide_to_bytes", "uint16 to int8", x, ["N", 300], np.int8, 0.06, 7)


@ops.model.numbers(50)
def images():
	m, x = start((2, 3, 7, 6))
	finish(m, "wide_max_pool", "MaxPool", m.node("MaxPool", [x], "made", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), ["N", 3, 4, 3], U16, SX, 321)
	m, x = start((2, 3, 7, 6), S16)
	finish(m, "wide_average_pool", "AveragePool, padding not counted", m.node("AveragePool", [x], "made", kernel_shape=[3, 3], pads=[1] * 4), ["N", 3, 7, 6], S16)
	m, x = start((2, 3, 7, 6))
	finish(m, "wide_average_pool_global", "GlobalAveragePool", m.node("GlobalAveragePool", [x], "made"), ["N", 3, 1, 1])
	m, x = start((2, 3, 5, 4))
	m.const("scales", np.array([1, 1, 2, 2], np.float32))
	finish(m, "wide_resize", "Resize, linear", m.node("Resize", [x, "", "scales"], "made", mode="linear"), ["N", 3, 10, 8])
	m, x = start((2, 3, 5, 4))
	m.const("scales", np.array([1, 1, 2, 2], np.float32))
	finish(m, "wide_resize_nearest", "Resize, nearest", m.node("Resize", [x, "", "scales"], "made", mode="nearest"), ["N", 3, 10, 8], U16, SX, 321)


@ops.model.numbers(307)
def vectors():
	m, x = start((2, 5, 30), scale=1e-3)
	finish(m, "wide_softmax", "Softmax", m.node("Softmax", [x], "made", axis=-1), ["N", 5, 30], U16, 1 / 65535, -32768)
	m, x = start((2, 5, 30))
	m.const("scale", ops.model.rng.uniform(0.5, 2, 30).astype(np.float32))
	m.const("bias", ops.model.rng.standard_normal(30).astype(np.float32))
	finish(m, "wide_layer_normalization", "LayerNormalization", m.node("LayerNormalization", [x, "scale", "bias"], "made", axis=-1), ["N", 5, 30])
	m, x = start((2, 3, 5, 4))
	m.const("axes", np.array([2, 3]))
	finish(m, "wide_mean", "ReduceMean", m.node("ReduceMean", [x, "axes"], "made", keepdims=1), ["N", 3, 1, 1], scale=1e-3)
	m, x = start((2, 3, 5, 4), S16)
	m.const("axes", np.array([-1]))
	finish(m, "wide_greatest", "ReduceMax", m.node("ReduceMax", [x, "axes"], "made", keepdims=0), ["N", 3, 5], S16, SX, 321)


@ops.model.numbers(52)
def moves():
	m, x = start((2, 3, 5, 4))
	y = m.real(m.input((2, 2, 5, 4), U16, 1.7e-4, 40000))
	finish(m, "wide_concat", "Concat of two scales", m.node("Concat", [x, y], "made", axis=1), ["N", 5, 5, 4])
	m, x = start((2, 3, 5, 4))
	m.const("pads", np.array([0, 0, 1, 0, 0, 0, 2, 1]))
	m.const("value", np.float32(0.5))
	value = m.node("Pad", [m.node("Transpose", [x], "turned", perm=[0, 2, 3, 1]), "pads", "value"], "made")
	finish(m, "wide_pad", "Transpose and Pad with a number", value, ["N", 5, 7, 4])
	m, _ = start((2, 3, 5, 4))
	m.const("begin", np.array([1])), m.const("end", np.array([4])), m.const("axes", np.array([2]))
	m.nodes.clear()
	m.node("Slice", ["x0", "begin", "end", "axes"], "y")
	value = m.dequantize("y", "x0_scale", "x0_zero")
	finish(m, "wide_slice", "Slice of uint16 as it is stored", value, ["N", 3, 3, 4], U16, SX, 321, output="z")


def write():
	convolutions()
	products()
	elements()
	images()
	vectors()
	moves()
