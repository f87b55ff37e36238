# SPDX-License-Identifier: MIT
"""Chains of functions of one element between a DequantizeLinear and a QuantizeLinear, for graphs.py: as in operators.py."""
import math

import numpy as np

from random_onnx.builder import INT8, UINT8, Quant, Value

erf = np.vectorize(math.erf)
# name: since which opset, attributes with their defaults and other values, about what comes out
FUNCTIONS = {
	"Sigmoid": (10, {}, lambda x: 1 / (1 + np.exp(-x))), "Tanh": (10, {}, np.tanh),
	"HardSigmoid": (10, {"alpha": (0.2, 0.1, 1 / 6), "beta": (0.5, 0.3)}, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
	"HardSwish": (14, {}, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)), "Elu": (10, {"alpha": (1.0, 0.4, -2.0)}, lambda x: np.where(x < 0, np.expm1(x), x)),
	"Selu": (10, {"alpha": (1.6732632, 1.0), "gamma": (1.050701, 0.5)}, lambda x: np.where(x < 0, 1.7 * np.expm1(x), x)),
	"Celu": (12, {"alpha": (1.0, 0.3)}, lambda x: np.where(x < 0, np.expm1(x), x)), "Softplus": (10, {}, lambda x: np.log1p(np.exp(x))),
	"Softsign": (10, {}, lambda x: x / (1 + abs(x))), "Mish": (18, {}, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
	"ThresholdedRelu": (10, {"alpha": (1.0, 0.2, -0.3)}, lambda x: np.where(x > 1, x, 0)), "LeakyRelu": (10, {"alpha": (0.01, 0.3)}, lambda x: x),
	"Exp": (10, {}, np.exp), "Log": (10, {}, np.log), "Sqrt": (10, {}, np.sqrt), "Reciprocal": (10, {}, lambda x: 1 / x), "Abs": (10, {}, abs),
	"Neg": (10, {}, lambda x: -x), "Erf": (10, {}, erf), "Floor": (10, {}, np.floor), "Ceil": (10, {}, np.ceil), "Round": (11, {}, np.round),
	"Sign": (10, {}, np.sign), "Relu": (10, {}, lambda x: np.maximum(x, 0)),
	"Acos": (10, {}, np.arccos), "Acosh": (10, {}, np.arccosh), "Asin": (10, {}, np.arcsin), "Asinh": (10, {}, np.arcsinh), "Atan": (10, {}, np.arctan),
	"Atanh": (10, {}, np.arctanh), "Cos": (10, {}, np.cos), "Cosh": (10, {}, np.cosh), "Sin": (10, {}, np.sin), "Sinh": (10, {}, np.sinh), "Tan": (10, {}, np.tan),
	"Shrink": (10, {"bias": (0.0, 0.25), "lambd": (0.5, 1.0)}, lambda x: np.where(abs(x) > 0.5, x, 0)),
	"Gelu": (20, {"approximate": ("none", "tanh")}, lambda x: x * (1 + erf(x / math.sqrt(2))) / 2),
}
# Exact in float32: what comes out is equal, to the last bit.
EXACT = {"LeakyRelu", "Abs", "Neg", "Floor", "Ceil", "Round", "Sign", "Relu", "ThresholdedRelu", "Sqrt", "Reciprocal", "Shrink", "Add", "Sub", "Mul", "Div", "Min", "Max"}
# A last bit makes another number of these.
STEPS = {"Floor", "Ceil", "Round", "Sign", "ThresholdedRelu", "Shrink"}
BINARIES = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Min": np.minimum, "Max": np.maximum, "Sum": np.add}


CIRCULAR = ["Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Sin", "Sinh", "Tan", "Shrink", "Sum"]


def number(g, op, rank):
	"""A constant that is one number, as a float or quantized, of some dimensions."""
	value = g.d.pick([0.5, 2.0, 3.0, 1.0, 0.1, -1.5, 6.0, 0.0], [6, 6, 3, 2, 3, 3, 2, 1])
	shape = (1,) * g.d.pick([0, 1, rank, rank + 1], [12, 4, 2, 1])
	g.tag(op, "number of dimensions", "more than the tensor" if len(shape) > rank else "0" if not shape else "1" if len(shape) == 1 else "as the tensor")
	if g.d.chance(4):
		g.tag(op, "number is", "dequantized")
		scale = np.float32(abs(value) / 100 or 1)
		q = Quant(g.d.pick([UINT8, INT8]), scale, 0)
		low, high = np.iinfo(q.dtype).min, np.iinfo(q.dtype).max
		stored = int(max(low, min(high, round(value / float(scale)))))
		name = g.node("DequantizeLinear", [g.const(np.full(shape, stored, q.dtype), "k"), g.const(q.scale, "s"), g.const(np.array(0, q.dtype), "z")])
		return name, stored * float(scale)
	return g.const(np.full(shape, value, np.float32), "k"), value


def one(g, op, x, values):
	_, options, about = FUNCTIONS[op]
	attrs = {}
	for name, some in options.items():
		g.attr(op, attrs, name, [("absent", None), *((str(v), v) for v in some)])
	return g.node(op, [x], attrs), about(values)


def two(g, op, x, values, first, first_values, rank):
	"""Of a number, or of the tensor itself, in either order."""
	how = g.d.pick(["number", "number first", "the tensor", "the tensor first", "itself"], [8, 3, 4, 2, 1])
	if op == "Pow":
		how = g.d.pick(["number", "number first"], [6, 1])
	g.tag(op, "other operand", how)
	if how.startswith("number"):
		other, other_values = number(g, op, rank)
	else:
		other, other_values = (x, values) if how == "itself" else (first, first_values)
	if how.endswith("first"):
		return g.node(op, [other, x]), BINARIES[op](other_values, values)
	return g.node(op, [x, other]), BINARIES[op](values, other_values)


def functions(g, v, opset, first_ops=()):
	"""A chain of them, of which the first is one of first_ops, if there are any. Its results reach over the range of the output's integers."""
	x = g.dequantize(v)
	if v.quant.dtype not in (UINT8, INT8):
		return Value(one(g, "Sigmoid", x.name, np.zeros(1))[0], v.shape, True, None, 0.01)
	info = np.iinfo(v.quant.dtype)
	first = (np.arange(info.min, info.max + 1) - float(v.quant.zero)) * float(v.quant.scale)
	name, values = x.name, first
	known = [op for op, (since, _, _) in FUNCTIONS.items() if opset >= since or g.d.chance(200)]
	for i in range(g.d.pick([1, 2, 3, 4, 6], [6, 4, 3, 2, 1])):
		op = g.d.pick(first_ops) if first_ops and not i else g.d.pick([*known, *BINARIES], [3] * len(known) + [6] * len(BINARIES))
		if op not in EXACT:
			g.inexact = True
			known = [k for k in known if k not in STEPS]
		name, values = one(g, op, name, values) if op in FUNCTIONS else two(g, op, name, values, x.name, first, len(v.shape))
	finite = np.abs(values[np.isfinite(values)])
	hint = float(finite.max()) / 100 if finite.size and finite.max() > 0 else 1.0
	return Value(name, v.shape, True, v.quant if g.d.chance(8) else None, min(max(hint, 1e-6), 1e6))


def circular(g, v, opset):
	return functions(g, v, opset, CIRCULAR)
