# SPDX-License-Identifier: MIT
"""Products of matrices that are no weights, and where along a dimension the greatest is, for graphs.py: as in operators.py."""
import math

import numpy as np

from random_onnx.builder import INT8, UINT8, Quant, Sum, Value


def operand(g, shape, constant):
	"""Integers with a scale, of an input or a constant, whose numbers are near its zero point."""
	if not constant:
		return g.input(shape)
	dtype = g.d.pick([UINT8, INT8])
	info, zero = np.iinfo(dtype), g.zero_point(dtype)
	numbers = np.clip(g.rng.integers(-64, 65, shape) + zero, info.min, info.max).astype(dtype)
	return Value(g.const(numbers, "w"), list(shape), False, Quant(dtype, g.scale(0.02), zero))


def other_shape(g, v, form, left):
	"""What v's matrices can be multiplied by, and what comes of it; left: v is."""
	rows, columns = v.shape[-2:]
	count = g.d.between(1, 6)
	if form == "vector":
		return [columns if left else rows], [*v.shape[:-1]] if left else [*v.shape[:-2], columns]
	matrix = [columns, count] if left else [count, rows]
	front = [1 if g.d.chance(4) else g.d.between(1, 3) if d == 1 else d for d in v.shape[1:-2]]
	whole = list(np.broadcast_shapes(tuple(v.shape[1:-2]), tuple(front)))
	first = {"tensor": [v.shape[0]], "constant": [1], "constant of fewer": []}[form]
	if form == "constant of fewer" and front and g.d.chance(2):
		first, front, whole = [], [], v.shape[1:-2]
	return [*first, *front, *matrix], [v.shape[0], *whole, *([rows, count] if left else [count, columns])]


def matmul(op):
	def make(g, v, _opset):
		if len(v.shape) < 3 and not g.d.chance(40):
			front = [g.d.pick([2, 1, 3])] if g.d.chance(2) else []
			v = g.input([g.batch, *front, g.d.between(1, 5), g.d.pick([3, 1, 2, 8, 40])])
		if len(v.shape) < 2:
			v = g.input([g.batch, 4])
		form = g.d.pick(["tensor", "constant", "constant of fewer", "vector", "of other rank"], [8, 4, 3, 2, 1])
		left = not g.d.chance(3)
		g.tag(op, "operand", form + (" on the right" if left else " on the left"))
		shape, out = other_shape(g, v, "tensor" if form == "of other rank" else form, left)
		if form == "of other rank":
			shape, out = [shape[0], 1, *shape[1:]], [out[0], *np.broadcast_shapes((v.shape[0], *v.shape[1:-2]), (1, *shape[1:-2])), *out[-2:]]
		other = operand(g, shape, form not in ("tensor", "of other rank"))
		a, b = (v, other) if left else (other, v)
		inner = a.shape[-1]
		hint = float(a.quant.scale) * float(b.quant.scale) * math.sqrt(inner) * 40
		if op == "QLinearMatMul":
			y = g.result_quant(Value("", out, True, None, hint), v.quant)
			inputs = [a.name, *g.quant_names_always(a.quant), b.name, *g.quant_names_always(b.quant), *g.quant_names_always(y)]
			return g.keep(Value(g.node(op, inputs), out, False, y))
		name = g.node(op, [g.dequantize(a).name, g.dequantize(b).name])
		weights = (b.name, g.const(np.float32(b.quant.scale), "s"), g.const(np.array(b.quant.zero, b.quant.dtype), "z"))
		g.sums.append(Sum([len(g.nodes) - 1], a, weights, None, "QLinearMatMul", {}, out))
		return Value(name, out, True, None, hint, [g.sums[-1]])

	return make


def arg(op):
	def make(g, v, opset):
		if g.d.chance(2):
			v = g.dequantize(v)
		rank, attrs = len(v.shape), {}
		how = g.d.pick(["last", "inner", "negative", "batch", "absent"], [4, 6, 4, 1, 1])
		if rank == 1:
			how = "batch"
		g.tag(op, "axis", how)
		if how != "absent":
			attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
		keep = g.attr(op, attrs, "keepdims", [("absent", None), ("1", 1), ("0", 0)])
		if g.since(12, 2):
			g.attr(op, attrs, "select_last_index", [("0", 0), ("1", 1)])
		gone = attrs.get("axis", 0) % rank
		shape = [1 if i == gone else d for i, d in enumerate(v.shape) if i != gone or keep != 0]
		g.tag(op, "input", "real" if v.real else "integers")
		return Value(g.node(op, [v.name], attrs), shape, False, Quant("int64", np.float32(0), 0))

	return make


def matmul_integer(g, v, _opset):
	"""Of constant weights, to integers that nothing else takes."""
	b = operand(g, [v.shape[-1], g.d.between(1, 6)], True)
	inputs = [v.name, b.name]
	how = g.d.pick(["both", "none", "the first", "the second", "of columns"], [4, 2, 2, 2, 1])
	g.tag("MatMulInteger", "zero points", how)
	if how != "none":
		zero = g.const(np.array(v.quant.zero, v.quant.dtype), "z") if how != "the second" else ""
		count = b.shape[1] if how == "of columns" else 1
		inputs += [zero] if how == "the first" else [zero, g.const(g.rng.integers(0, 100, count).astype(b.quant.dtype), "z")]
	return Value(g.node("MatMulInteger", inputs), [*v.shape[:-1], b.shape[1]], False, Quant("int32", np.float32(0), 0))
