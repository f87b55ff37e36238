# SPDX-License-Identifier: MIT
"""Shapes that a graph computes from other shapes, as exporters write them, for graphs.py: as in operators.py."""
import math

import numpy as np

from random_onnx.moves import factor, moved

INT32, FLOAT, INT64 = 6, 1, 7


def cast(g, name, to):
	attrs = {"to": to}
	g.tag("Cast", "to", to)
	if g.since(19, 6):
		g.attr("Cast", attrs, "saturate", [("1", 1), ("0", 0)])
	return g.node("Cast", [name], attrs)


def detour(g, name):
	"""The same number, by another way."""
	how = g.d.pick(["none", "Identity", "int32", "float", "floor"], [12, 1, 2, 2, 1])
	if how == "Identity":
		return g.node("Identity", [name])
	if how == "none":
		return name
	if how == "floor":
		return cast(g, g.node(g.d.pick(["Floor", "Ceil"]), [cast(g, name, FLOAT)]), INT64)
	return cast(g, cast(g, name, INT32 if how == "int32" else FLOAT), INT64)


def shape_of(g, v, opset):
	attrs = {}
	if opset >= 15:
		rank = len(v.shape)
		g.attr("Shape", attrs, "start", [("absent", None), ("0", 0), ("negative", -rank)], [6, 2, 1])
		g.attr("Shape", attrs, "end", [("absent", None), ("rank", rank), ("more", rank + 3)], [6, 2, 1])
	return g.node("Shape", [v.name], attrs)


def size(g, shape, v, axis, opset):
	"""A dimension as a list of one number."""
	how = g.d.pick(["scalar", "list", "slice"], [4, 2, 3])
	index = axis - (len(v.shape) if g.d.chance(4) else 0)
	g.tag("Gather", "index", "negative" if index < 0 else "from the front")
	if how == "slice":
		end = axis + 1 if g.d.chance(2) or axis + 1 < len(v.shape) else 2 ** 63 - 1
		ends = [g.const(np.array([k], np.int64), "i") for k in (axis, end)]
		if g.d.chance(2):
			ends.append(g.const(np.array([0], np.int64), "i"))
		return detour(g, g.node("Slice", [shape, *ends]))
	if how == "list":
		return detour(g, g.node("Gather", [shape, g.const(np.array([index], np.int64), "i")], {"axis": 0}))
	number = detour(g, g.node("Gather", [shape, g.const(np.array(index, np.int64), "i")], {"axis": 0}))
	if g.d.chance(4):
		return g.node("Reshape", [number, g.const(np.array([g.d.pick([1, -1])], np.int64), "i")])
	if opset < 13:
		return g.node("Unsqueeze", [number], {"axes": [0]})
	return g.node("Unsqueeze", [number, g.const(np.array([0], np.int64), "i")])


def wanted(g, shape, v, dim, opset):
	"""A list of one number that is `dim`, computed of some dimension of v, or a constant."""
	axis = g.d.below(len(v.shape) * 2)
	if axis >= len(v.shape) or (axis == 0 and not g.d.chance(20)):
		return g.const(np.array([dim], np.int64), "i")
	have = size(g, shape, v, axis, opset)
	of = v.shape[axis]
	if of == dim:
		return have
	if dim and of % dim == 0:
		op, by = "Div", of // dim
	elif of and dim % of == 0:
		op, by = "Mul", dim // of
	else:
		op, by = ("Add", dim - of) if g.d.chance(2) else ("Sub", of - dim)
	g.tag(op, "of", "numbers of a shape")
	other = g.const(np.full(g.d.pick([(), (1,)]), by, np.int64), "i")
	return g.node(op, [have, other] if op in ("Div", "Sub") or not g.d.chance(3) else [other, have])


def computed_reshape(g, v, opset):
	x = g.dequantize(v)
	shape = shape_of(g, g.d.pick([v, x]), opset)
	dims = [v.shape[0], *factor(g, math.prod(v.shape[1:]))]
	what = g.d.pick(["the batch", "-1", "0", "a number", "more"], [16, 2, 2, 1, 1])
	g.tag("Reshape", "computed, first", what)
	open_at = g.d.between(1, len(dims) - 1) if len(dims) > 1 and what != "-1" and g.d.chance(2) else None
	parts = [size(g, shape, v, 0, opset)]
	if what in ("-1", "0", "a number"):
		parts = [g.const(np.array([{"-1": -1, "0": 0}.get(what, v.shape[0])], np.int64), "i")]
	if what == "more":
		parts = [g.node("Mul", [parts[0], g.const(np.array([v.shape[-1]], np.int64), "i")])]
		dims = [v.shape[0] * v.shape[-1], *v.shape[1:-1]]
		open_at = None
	parts += [g.const(np.array([-1], np.int64), "i") if i == open_at else wanted(g, shape, v, d, opset) for i, d in enumerate(dims) if i]
	joined = g.node("Concat", parts, {"axis": 0}) if len(parts) > 1 or g.d.chance(2) else parts[0]
	return moved(x, g.node("Reshape", [x.name, joined]), dims)
