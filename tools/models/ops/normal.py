# SPDX-License-Identifier: MIT
"""The models of write.py that normalize: operators of ONNX's, and the steps that exporters write instead."""
import numpy as np

import ops.model
from ops.model import Model


def start(shape, dtype, image):
	"""A real tensor; an image is behind a pool, so that it is stored as nnloop has images."""
	m = Model()
	x = m.real(m.input(shape, dtype, 0.043, 100 if dtype == np.uint8 else -5))
	return m, m.node("MaxPool", [x], "image", kernel_shape=[1] * (len(shape) - 2)) if image else x


def finish(m, value, name, doc, shape, opset, scale=0.021, dtype=np.uint8):
	m.save(name, m.output(value, ["N", *shape[1:]], dtype, scale, 120 if dtype == np.uint8 else 3), doc, False, opset=opset)


def floats(m, name, shape, around, spread):
	return m.const(name, ops.model.rng.normal(around, spread, shape).astype(np.float32))


def dequantized(m, name, shape, around, spread, how):
	"""A constant of floats, or of 8 or 32 bits, or of 8 with a scale for each index."""
	if how == "float":
		return floats(m, name, shape, around, spread)
	values = ops.model.rng.normal(around, spread, shape)
	scale = {"int8": 0.011, "int32": 0.00017}.get(how, np.abs(values) / 100 + 0.001)
	m.const(name, np.rint(values / scale).astype(np.int32 if how == "int32" else np.int8))
	m.const(name + "_scale", np.asarray(scale, np.float32))
	m.const(name + "_zero", np.zeros(np.shape(scale), np.int32 if how == "int32" else np.int8))
	return m.dequantize(name, name + "_scale", name + "_zero", axis=0 if how == "axis" else None)


def affine(m, shape, how):
	return [dequantized(m, "scale", shape, 1, 0.3, how[0]), *([dequantized(m, "bias", shape, 0, 0.4, how[1])] if len(how) > 1 else [])]


def layer(name, doc, shape, how, dtype=np.uint8, image=False, axis=-1, opset=17, **attrs):
	m, x = start(shape, dtype, image)
	value = m.node("LayerNormalization", [x, *affine(m, shape[axis:], how)], "result", **({} if axis == -1 else {"axis": axis}), **attrs)
	finish(m, value, name, doc, shape, opset, dtype=dtype)


def channels(name, doc, op, shape, count, how, opset, dtype=np.uint8, image=True, **attrs):
	m, x = start(shape, dtype, image)
	finish(m, m.node(op, [x, *affine(m, [count], how)], "result", **attrs), name, doc, shape, opset, dtype=dtype)


def groups(name, doc, shape, count, opset):
	"""Group normalization as PyTorch exports it."""
	m, x = start(shape, np.uint8, True)
	into = m.node("Reshape", [x, m.const("into", np.array([0, count, -1]))], "vectors")
	ones, zeros = m.const("ones", np.ones(count, np.float32)), m.const("zeros", np.zeros(count, np.float32))
	value = m.node("InstanceNormalization", [into, ones, zeros], "normalized")
	finish(m, m.node("Reshape", [value, m.const("back", np.array([0, *shape[1:]]))], "result"), name, doc, shape, opset)


def batch(name, doc, shape, how, opset, **attrs):
	m, x = start(shape, np.uint8, len(shape) > 2)
	count = shape[1:2]
	inputs = [x, *affine(m, count, how), floats(m, "mean", count, 0.3, 0.5), m.const("variance", ops.model.rng.uniform(0.3, 2, count).astype(np.float32))]
	finish(m, m.node("BatchNormalization", inputs, "result", **attrs), name, doc, shape, opset, 0.043)


def lp(name, doc, shape, opset=13, image=False, dtype=np.uint8, **attrs):
	m, x = start(shape, dtype, image)
	finish(m, m.node("LpNormalization", [x], "result", **attrs), name, doc, shape, opset, 1 / 128, dtype)


def steps(name, doc, shape, axes, image=False, rounded=(), last="Add", squared="Pow", root="Sqrt"):
	"""rounded: the steps that a QuantizeLinear and DequantizeLinear are behind."""
	m, x = start(shape, np.uint8, image)
	kept = [d if i in axes else 1 for i, d in enumerate(shape)][1:]

	def step(op, inputs, result, scale=0.04, **attrs):
		value = m.node(op, inputs, result, **attrs)
		if result not in rounded:
			return value
		m.const(result + "_scale", np.float32(scale))
		m.const(result + "_zero", np.uint8(0 if result in ("variance", "sum") else 128))
		m.node("QuantizeLinear", [value, result + "_scale", result + "_zero"], result + "_q")
		return m.dequantize(result + "_q", result + "_scale", result + "_zero")

	mean = step("ReduceMean", [x], "mean", axes=list(axes))
	difference = step("Sub", [x, mean], "difference")
	if squared == "Pow":
		square = step("Pow", [difference, m.const("two", np.float32(2))], "square")
	else:
		square = step("Mul", [difference, difference], "square")
	epsilon = m.const("epsilon", np.float32(1e-5))
	value = step("ReduceMean", [square], "variance", 0.11, axes=list(axes))
	if last not in ("difference", "variance"):
		value = step("Add", [value, epsilon] if squared == "Pow" else [epsilon, value], "sum", 0.11)
		value = m.node("Sqrt", [value], "deviation") if root == "Sqrt" else m.node("Pow", [value, m.const("half", np.float32(0.5))], "deviation")
		value = step("Div", [difference, value], "quotient", 0.021)
	if last in ("Mul", "Add"):
		value = step("Mul", [value, dequantized(m, "scale", kept, 1, 0.3, "int8" if "quotient" in rounded else "float")], "scaled", 0.021)
	if last in ("Add", "quotient+Add"):
		value = m.node("Add", [dequantized(m, "bias", kept, 0, 0.4, "int8" if "scaled" in rounded else "float"), value], "moved")
	out = [1 if i in axes else d for i, d in enumerate(shape)] if last == "variance" else shape
	scale = {"variance": 0.11, "difference": 0.047}.get(last, 0.021)
	finish(m, difference if last == "difference" else value, name, doc, out, 13, scale)


@ops.model.numbers(33)
def write():
	"""Normalizations."""
	layer("layernorm", "LayerNormalization, scale and bias of floats", (5, 7, 48), ["float", "float"])
	layer("layernorm_quantized", "LayerNormalization, scale of 8 bits, bias of 32", (5, 7, 33), ["int8", "int32"], np.int8, epsilon=0.001)
	layer("layernorm_axis", "LayerNormalization over two dimensions, no bias", (6, 3, 5, 8), ["float"], axis=-2, stash_type=1)
	layer("layernorm_image", "LayerNormalization over all of an image", (6, 5, 4, 6), ["float", "int32"], axis=1, image=True, opset=22)
	layer("layernorm_channel_scales", "LayerNormalization, a scale for each index", (20, 19), ["axis", "float"], np.int8)
	channels("instancenorm", "InstanceNormalization", "InstanceNormalization", (4, 6, 7, 5), 6, ["float", "float"], 13)
	channels("instancenorm_line", "InstanceNormalization of lines, quantized", "InstanceNormalization", (4, 6, 17), 6, ["axis", "int32"], 22, np.int8, False,
		 epsilon=0.01)
	batch("batchnorm", "BatchNormalization of an image", (4, 6, 5, 3), ["float", "float"], 13)
	batch("batchnorm_vector", "BatchNormalization of vectors, quantized", (40, 9), ["int8", "int32"], 15, epsilon=0.01, momentum=0.5, training_mode=0)
	lp("lpnorm", "LpNormalization, the root of the sum of squares", (30, 24))
	lp("lpnorm_channels", "LpNormalization of an image's channels", (3, 12, 5, 4), 13, True, np.int8, axis=1, p=2)
	lp("lpnorm_sum", "LpNormalization, the sum of amounts, a dimension inside", (3, 5, 14, 6), 22, axis=-2, p=1)
	steps("norm_steps", "A normalization step by step", (5, 7, 24), [2])
	steps("norm_steps_channels", "the same of an image's channels, by Mul and Pow", (3, 12, 5, 4), [1], True, squared="Mul", root="Pow")
	steps("norm_steps_inner", "the same over dimensions in the middle", (3, 6, 5, 4), [1, 2], True)
	steps("norm_steps_rounded", "the same, variance and sum rounded", (5, 7, 24), [2], rounded=("variance", "sum", "quotient", "scaled"))
	steps("norm_steps_rounded_image", "the same of an image's channels", (3, 12, 5, 4), [1], True, rounded=("variance", "sum"), last="quotient")
	steps("norm_steps_moved", "a quotient and a bias", (5, 7, 24), [2], last="quotient+Add")
	steps("norm_difference", "x less its mean", (5, 7, 24), [2], last="difference")
	steps("norm_variance", "a variance", (5, 6, 4, 7), [2, 3], True, last="variance")
	groups("groupnorm_steps", "GroupNormalization as PyTorch exports it", (4, 6, 3, 5), 3, 18)
