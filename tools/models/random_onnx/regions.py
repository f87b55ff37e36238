# SPDX-License-Identifier: MIT
"""Operators whose results come from many elements each, with random attributes, for graphs.py: as in operators.py."""
import numpy as np

from random_onnx.builder import Sum, Value
from random_onnx.moves import moved

MODES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]


def resize(g, v, opset):
	"""An image in height and width, seldom in its channels, of integers or real ones; the nearest pixels or bilinear."""
	op, attrs = "Resize", {}
	mode = g.attr(op, attrs, "mode", [("absent", None), ("nearest", "nearest"), ("linear", "linear"), ("cubic", "cubic")], [6, 6, 9, 1])
	if mode in ("linear", "cubic") and not v.real:
		v = g.dequantize(v)
	if opset >= 11:
		modes = MODES + (["tf_half_pixel_for_nn"] if opset < 13 else []) + (["half_pixel_symmetric"] if opset >= 19 else [])
		g.attr(op, attrs, "coordinate_transformation_mode", [("absent", None), *((m, m) for m in modes), ("tf_crop_and_resize", "tf_crop_and_resize")],
		       [6] + [6] * len(modes) + [1])
		g.attr(op, attrs, "nearest_mode", [("absent", None), *((m, m) for m in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))])
		for name, value in (("cubic_coeff_a", -0.5), ("extrapolation_value", 1.5)):
			if g.d.chance(12):
				g.attr(op, attrs, name, [("given", value)])
		if g.d.chance(12):
			g.attr(op, attrs, "exclude_outside", [("0", 0), ("1", 1)], [20, 1])
	ratio = [1.0, 1.0]
	for i in range(2):
		how = g.d.pick(["double", "kept", "larger", "smaller", "triple"], [4, 3, 5, 5, 1])
		ratio[i] = {"double": 2.0, "kept": 1.0, "larger": 1 + g.d.between(1, 30) / 10, "smaller": g.d.between(2, 9) / 10, "triple": 3.0}[how]
	rank = len(v.shape)
	axes = [2, 3] if rank == 4 else list(range(2, rank))
	if opset >= 18 and rank == 4:
		how = g.d.pick(["absent", "height and width", "backwards", "width"], [3, 2, 1, 1])
		g.tag(op, "axes", how)
		if how != "absent":
			axes = {"height and width": [2, 3], "backwards": [3, 2], "width": [3]}[how]
			attrs["axes"] = axes
		if g.d.chance(8):
			g.attr(op, attrs, "antialias", [("0", 0), ("1", 1)], [12, 1])
		if g.d.chance(8):
			g.attr(op, attrs, "keep_aspect_ratio_policy", [("stretch", "stretch"), ("not_larger", "not_larger")], [12, 1])
	scales = [1.0, g.d.pick([1.0, 2.0], [40, 1]), *[1.0] * (rank - 2)]
	for axis in axes:
		scales[axis] = ratio[min(axis - 2, 1)] if ratio[min(axis - 2, 1)] * v.shape[axis] > 1 else 1.0
	by = "scales" if opset < 11 or g.d.chance(2) or ("axes" not in attrs and g.batch_form == "symbolic" and g.batch > 1) else "sizes"
	g.tag(op, "by", by)
	size = [max(1, int(np.float32(s) * np.float32(n))) for s, n in zip(scales, v.shape)]
	if by == "scales":
		numbers = g.const(np.array([scales[a] for a in attrs.get("axes", range(rank))], np.float32), "r")
		size = [int(np.float32(s) * np.float32(n)) for s, n in zip(scales, v.shape)] if "axes" not in attrs else size
	else:
		numbers = g.const(np.array([size[a] for a in attrs.get("axes", range(rank))], np.int64), "r")
	if opset < 11:
		inputs = [v.name, numbers]
	else:
		nothing = g.const(np.array([], np.float32), "r", "initializer") if opset < 13 or g.d.chance(3) else ""
		inputs = [v.name, nothing, numbers] if by == "scales" else [v.name, nothing, nothing if opset < 13 else "", numbers]
	g.tag(op, "input", "real" if v.real else "integers")
	out = moved(v, g.node(op, inputs, attrs), size)
	if mode != "nearest" and attrs.get("antialias"):
		return float_sum(g, v, out.name, size, None, float(v.quant.scale) if v.quant else v.hint)
	if mode == "linear" or mode == "cubic":
		out = Value(out.name, size, True, v.quant if g.d.chance(3) else None, float(v.quant.scale) if v.quant else v.hint, v.sums)
	return out


def float_sum(g, v, name, shape, quant, hint):
	"""A result that ONNX Runtime adds up in float, in an order of its own: it may be a step off."""
	g.sums.append(Sum([len(g.nodes) - 1], v, (), None, "", {}, [], None, False))
	return Value(name, shape, True, quant, hint, [g.sums[-1]])


def reduced_axes(g, op, rank):
	"""Some dimensions: seldom the batch, seldom all."""
	how = g.d.pick(["last", "some", "all but the batch", "absent", "batch"], [6, 8, 4, 1, 1])
	if rank == 1 and how != "absent":
		how = "batch"
	axes = {"last": [rank - 1], "all but the batch": list(range(1, rank)), "absent": None, "batch": [0]}.get(how)
	if how == "some":
		axes = [i for i in range(1, rank) if g.d.chance(2)] or [1]
	if axes and g.d.chance(4):
		axes = axes[::-1]
	if axes and g.d.chance(3):
		axes = [a - rank for a in axes]
		how += ", negative"
	g.tag(op, "axes", how)
	return axes


def reduce(op, since, moves):
	def make(g, v, opset):
		if not moves or not v.real:
			v = g.dequantize(v) if not moves or not (opset >= 12 and g.d.chance(3)) else v
		rank = len(v.shape)
		attrs, inputs = {}, [v.name]
		axes = reduced_axes(g, op, rank)
		if axes is not None and opset < since:
			attrs["axes"] = axes
		elif axes is not None:
			inputs.append(g.const(np.array(axes, np.int64), "a"))
		keep = g.attr(op, attrs, "keepdims", [("absent", None), ("1", 1), ("0", 0)])
		if opset >= since and g.d.chance(6):
			g.attr(op, attrs, "noop_with_empty_axes", [("0", 0), ("1", 1)])
		gone = {a % rank for a in axes} if axes is not None else set() if attrs.get("noop_with_empty_axes") else set(range(rank))
		shape = [1 if i in gone else d for i, d in enumerate(v.shape) if i not in gone or keep != 0]
		g.tag(op, "input", "real" if v.real else "integers")
		name = g.node(op, inputs, attrs)
		if moves:
			return moved(v, name, shape)
		count = max(1, int(np.prod([v.shape[i] for i in gone])))
		scale = float(v.quant.scale) if v.quant else v.hint
		if op == "ReduceProd":
			hint = (scale * 60) ** count / 60 if count < 8 else scale
		elif op == "ReduceSumSquare":
			hint = scale * scale * 90 * count
		elif op.startswith("ReduceLogSum"):
			hint = max(scale, 1 / 32)
		else:
			hint = scale * (count**0.5 if op in ("ReduceSum", "ReduceL2") else 0.6)
		return float_sum(g, v, name, shape, v.quant if g.d.chance(4) else None, hint)

	return make


def global_lp_pool(g, v, opset):
	op, attrs = "GlobalLpPool", {}
	v = g.dequantize(v)
	g.attr(op, attrs, "p", [("absent", None), ("2", 2), ("1", 1), ("3", 3)], [6, 6, 1, 1])
	hint = float(v.quant.scale if v.quant else v.hint) * 0.6 * float(np.prod(v.shape[2:])) ** 0.5
	return float_sum(g, v, g.node(op, [v.name], attrs), [*v.shape[:2], *[1] * (len(v.shape) - 2)], None, hint)


def global_max_pool(g, v, opset):
	v = g.dequantize(v)
	return moved(v, g.node("GlobalMaxPool", [v.name]), [*v.shape[:2], *[1] * (len(v.shape) - 2)])


def softmax(op):
	def make(g, v, opset):
		v = g.dequantize(v)
		attrs = {}
		rank = len(v.shape)
		how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 4, 6, 4, 1])
		g.tag(op, "axis", how)
		if how != "absent":
			attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
		# A step of the input, which a product in front may be off, is no more than one of the logarithm's.
		hint = 1 / 256 if op == "Softmax" else 4 * float(v.quant.scale) if v.quant else 0.2
		return float_sum(g, v, g.node(op, [v.name], attrs), v.shape, None, hint)

	return make
