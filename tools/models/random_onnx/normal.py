# SPDX-License-Identifier: MIT
"""Normalizations with random attributes and parameters, for graphs.py: as in regions.py."""
import numpy as np

from random_onnx.regions import float_sum

EPSILONS = [("absent", None), ("0.001", 0.001), ("1", 1.0), ("1e-06", 1e-6), ("0", 0.0), ("1e-12", 1e-12)]
HINT = 0.02  # a normalized element is a few units large


def parameter(g, shape, around, spread, axis=None):
	"""A constant of floats, or one that is dequantized: of 8 bits, of 32, or with one scale for each index."""
	values = g.rng.normal(around, spread, shape).astype(np.float32)
	how = g.d.pick(["float", "uint8", "int32", "per axis"], [4, 3, 2, 2 if len(shape) == 1 else 0])
	g.tag("normalization", "parameter", how)
	if how == "float":
		return g.const(values, "p")
	if how == "per axis":
		scales = (np.abs(values) / 90 + np.float32(0.001)).astype(np.float32)
		stored = np.rint(values / scales).astype(np.int8)
		return g.node("DequantizeLinear", [g.const(stored, "p"), g.const(scales, "s"), g.const(np.zeros(shape, np.int8), "z")], {"axis": 0})
	scale = np.float32(0.01 if how == "uint8" else 1e-5)
	stored = np.clip(np.rint(values / scale) + 60, 0, 255).astype(np.uint8) if how == "uint8" else np.rint(values / scale).astype(np.int32)
	zero = [g.const(np.uint8(60), "z")] if how == "uint8" else []
	return g.node("DequantizeLinear", [g.const(stored, "p"), g.const(scale, "s"), *zero])


def made(g, v, name):
	return float_sum(g, v, name, v.shape, None, HINT)


def layer_normalization(g, v, opset):
	if opset < 17 and not g.d.chance(20):
		return steps(g, v, opset)
	v = g.dequantize(v)
	rank, attrs = len(v.shape), {}
	how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 3, 6, 4, 1])
	g.tag("LayerNormalization", "axis", how)
	if how != "absent":
		attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
	g.attr("LayerNormalization", attrs, "epsilon", EPSILONS, [6, 3, 3, 2, 1, 2])
	g.attr("LayerNormalization", attrs, "stash_type", [("absent", None), ("1", 1)], [3, 1])
	shape = v.shape[attrs.get("axis", -1):]
	inputs = [v.name, parameter(g, shape, 1, 0.3)]
	if not g.d.chance(4):
		inputs.append(parameter(g, shape, 0, 0.3))
	return made(g, v, g.node("LayerNormalization", inputs, attrs))


def instance_normalization(g, v, opset):
	v = g.dequantize(v)
	attrs = {}
	g.attr("InstanceNormalization", attrs, "epsilon", EPSILONS, [6, 3, 3, 2, 1, 2])
	shape = v.shape[1:2]
	return made(g, v, g.node("InstanceNormalization", [v.name, parameter(g, shape, 1, 0.3), parameter(g, shape, 0, 0.3)], attrs))


def batch_normalization(g, v, opset):
	v = g.dequantize(v)
	attrs, shape = {}, v.shape[1:2]
	g.attr("BatchNormalization", attrs, "epsilon", EPSILONS, [6, 3, 3, 2, 1, 2])
	g.attr("BatchNormalization", attrs, "momentum", [("absent", None), ("0.5", 0.5)], [3, 1])
	if opset >= 14:
		g.attr("BatchNormalization", attrs, "training_mode", [("absent", None), ("0", 0), ("1", 1)], [4, 2, 1])
	variance = g.const(g.rng.uniform(0.3, 2, shape).astype(np.float32), "v")
	inputs = [v.name, parameter(g, shape, 1, 0.3), parameter(g, shape, 0, 0.3), parameter(g, shape, 0, 0.3), variance]
	scale = float(v.quant.scale) if v.quant else v.hint
	return float_sum(g, v, g.node("BatchNormalization", inputs, attrs), v.shape, None, scale)


def lp_normalization(g, v, opset):
	v = g.dequantize(v)
	rank, attrs = len(v.shape), {}
	how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 3, 6, 4, 1])
	g.tag("LpNormalization", "axis", how)
	if how != "absent":
		attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
	g.attr("LpNormalization", attrs, "p", [("absent", None), ("1", 1), ("2", 2)])
	return float_sum(g, v, g.node("LpNormalization", [v.name], attrs), v.shape, None, 1 / 128)


def steps(g, v, opset):
	"""A normalization step by step, as PyTorch writes it: some steps are sometimes rounded, or not those of one."""
	v = g.dequantize(v)
	rank = len(v.shape)
	axes = [i for i in range(1, rank) if g.d.chance(2)] or [rank - 1]
	how = g.d.pick(["plain", "others", "variance rounded", "without keepdims"], [8, 1, 4, 1])
	g.tag("normalization", "steps", how)

	def mean(x, over):
		attrs = {"keepdims": 0} if how == "without keepdims" else {}
		if opset < 18:
			return g.node("ReduceMean", [x], {**attrs, "axes": over})
		return g.node("ReduceMean", [x, g.const(np.array(over, np.int64), "a")], attrs)

	shape = [1 if i in axes else d for i, d in enumerate(v.shape)]
	difference = g.node("Sub", [v.name, mean(v.name, axes)])
	square = g.node("Mul", [difference, difference]) if g.d.chance(3) else g.node("Pow", [difference, g.const(np.float32(2), "c")])
	variance = mean(square, axes if how != "others" else [rank - 1])
	epsilon = g.const(np.float32(1e-5), "c")
	root = None
	if how == "variance rounded":
		scale = float(v.quant.scale) if v.quant else v.hint
		value = g.dequantize(g.quantize(float_sum(g, v, variance, shape, None, (60 * scale) ** 2 / 200)))
		root = g.node("Sqrt", [value.name])
		if g.d.chance(2):
			root = g.node("Sqrt", [g.node("Add", [value.name, epsilon])])
	else:
		inputs = [epsilon, variance] if g.d.chance(3) else [variance, epsilon]
		root = g.node("Sqrt", [g.node("Add", inputs)])
	y = g.node("Div", [difference, root])
	for op, around in (("Mul", 1), ("Add", 0)):
		if g.d.chance(4):
			continue
		inputs = [y, parameter(g, [d if i in axes else 1 for i, d in enumerate(v.shape)][1:], around, 0.3)]
		y = g.node(op, inputs[::-1] if g.d.chance(3) else inputs)
	return float_sum(g, v, y, v.shape, None, HINT)
