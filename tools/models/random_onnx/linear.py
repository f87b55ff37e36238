# SPDX-License-Identifier: MIT
"""com.microsoft's operators of integers, with scale and zero point as inputs, for graphs.py: as in operators.py."""
import math

import numpy as np

from random_onnx.builder import UINT8, INT8, Quant, Value
from random_onnx.operators import weights

MICROSOFT = "com.microsoft"


def zero_or_none(g, op, names, quant):
	"""Without a zero point that is 0."""
	if quant.zero == 0 and g.d.chance(60):
		g.tag(op, "zero point", "absent")
		return [names[0], ""]
	return names


def qlinear_function(g, v, op, attrs, hint):
	y = g.result_quant(Value("", v.shape, True, None, hint), v.quant)
	inputs = [v.name, *zero_or_none(g, op, g.quant_names_always(v.quant), v.quant), *zero_or_none(g, op, g.quant_names_always(y), y)]
	if inputs[-1] == "":
		inputs.pop()
	return g.keep(Value(g.node(op, inputs, attrs, domain=MICROSOFT), v.shape, False, y))


def qlinear_sigmoid(g, v, opset):
	g.inexact = True
	return qlinear_function(g, v, "QLinearSigmoid", {}, 1 / 256)


def qlinear_softmax(g, v, opset):
	g.inexact = True
	rank = len(v.shape)
	attrs = {"opset": g.attr("QLinearSoftmax", {}, "opset", [("12", 12), ("13", 13), ("18", 18)])}
	how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 4, 6, 4, 1])
	g.tag("QLinearSoftmax", "axis", how)
	if how != "absent":
		attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
	scale = g.d.pick([1 / 256, 1 / 128, 1 / 100, 0.007], [8, 3, 2, 1])
	zero = g.d.pick([0, -128, -3], [4, 4, 1]) if v.quant.dtype == INT8 else g.d.pick([0, 9], [4, 1])
	# Before 1.32 ONNX Runtime has infinite products of few elements, and of int8 what is more than 127 wraps around.
	scale = 1 / 128 if min(v.shape[1:], default=1) == 1 else scale
	zero = -128 if v.quant.dtype == INT8 and 1 / scale + zero > 127 else zero
	y = Quant(v.quant.dtype, np.float32(scale), zero)
	inputs = [v.name, *g.quant_names_always(v.quant), *g.quant_names_always(y)]
	return g.keep(Value(g.node("QLinearSoftmax", inputs, attrs, domain="com.microsoft"), v.shape, False, y))


def qlinear_leaky_relu(g, v, opset):
	attrs = {}
	g.attr("QLinearLeakyRelu", attrs, "alpha", [("absent", None), ("usual", 0.1), ("negative", -0.5), ("greater", 1.7)])
	return qlinear_function(g, v, "QLinearLeakyRelu", attrs, float(v.quant.scale))


def qlinear_concat(g, v, opset):
	rank = len(v.shape)
	axis = g.d.pick([1 if rank > 1 else 0, -1, g.d.between(1, rank - 1) if rank > 1 else 0, 0], [6, 4, 4, 1])
	g.tag("QLinearConcat", "axis", "0" if axis % rank == 0 else "negative" if axis < 0 else "positive")
	parts, total = [v], v.shape[axis]
	for _ in range(g.d.pick([1, 0, 2], [5, 1, 2])):
		shape = list(v.shape)
		if axis % rank:
			shape[axis] = g.d.between(1, 4)
		total += shape[axis]
		quant = v.quant if g.d.chance(3) else g.quant(float(v.quant.scale), v.quant.dtype)
		parts.append(g.input(shape, quant, True))
	shape = list(v.shape)
	shape[axis] = total
	y = v.quant if g.d.chance(3) else g.result_quant(Value("", shape, True, None, float(v.quant.scale)), v.quant)
	inputs = g.quant_names_always(y)
	for part in parts:
		inputs += [part.name, *g.quant_names_always(part.quant)]
	return g.keep(Value(g.node("QLinearConcat", inputs, {"axis": axis}, domain=MICROSOFT), shape, False, y))


def qgemm(g, v, opset):
	inner, outputs = v.shape[-1], g.d.between(1, 6)
	attrs = {}
	g.attr("QGemm", attrs, "alpha", [("absent", None), ("1", 1.0), ("other", 0.5)], [30, 20, 1])
	g.attr("QGemm", attrs, "transA", [("absent", None), ("0", 0)])
	trans_b = g.attr("QGemm", attrs, "transB", [("absent", None), ("0", 0), ("1", 1)], [3, 3, 4])
	w = weights(g, "QGemm", v, [outputs, inner] if trans_b else [inner, outputs], 0 if trans_b else 1, opset)
	c = [g.const(g.rng.integers(-3000, 3001, outputs).astype(np.int32), "b")] if g.d.chance(2) else [""]
	g.tag("QGemm", "C", "given" if c[0] else "absent")
	shape = [v.shape[0], outputs]
	y = g.result_quant(Value("", shape, True, None, float(v.quant.scale) * float(np.mean(w[2])) * math.sqrt(inner) * 30), v.quant)
	ends = g.quant_names_always(y) if not g.d.chance(30) else []
	inputs = [v.name, *g.quant_names_always(v.quant), g.const(w[1], "w"), g.const(w[2], "ws"), g.const(w[3], "wz"), *c, *ends]
	while inputs[-1] == "":
		inputs.pop()
	name = g.node("QGemm", inputs, attrs, domain=MICROSOFT)
	return g.keep(Value(name, shape, False, y)) if ends else Value(name, shape, True, None, 1.0)


def microsoft_pair(g, v, opset):
	"""DequantizeLinear and QuantizeLinear, with something between them."""
	names = g.quant_names(v.quant)
	attrs = {}
	g.attr("DequantizeLinear (com.microsoft)", attrs, "axis", [("absent", None), ("0", 0)])
	real = g.node("DequantizeLinear", [v.name, *names], attrs, domain=MICROSOFT)
	real = g.node("Relu", [real]) if g.d.chance(2) else real
	y = Quant(g.d.pick([UINT8, INT8]), v.quant.scale * np.float32(g.d.pick([1, 0.7, 1.5])), 0)
	attrs = {}
	g.attr("QuantizeLinear (com.microsoft)", attrs, "axis", [("absent", None), ("0", 0)])
	return g.keep(Value(g.node("QuantizeLinear", [real, *g.quant_names_always(y)], attrs, domain=MICROSOFT), v.shape, False, y))
