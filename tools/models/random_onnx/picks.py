# SPDX-License-Identifier: MIT
"""What picks elements by numbers, and what such numbers are made of, for graphs.py: as in operators.py."""
import numpy as np
from onnx import helper

from random_onnx.builder import ONNX_TYPES, Value
from random_onnx.integers import plain_input

UNIT = 1 / 256


def one_hot(g, v, opset):
	op, attrs, rank = "OneHot", {}, len(v.shape)
	x = plain_input(g, v.shape, g.d.pick(["int64", "int32"], [3, 1]))
	how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 2, 6, 4, 1])
	g.tag(op, "axis", how)
	if how != "absent":
		attrs["axis"] = {"last": rank, "inner": g.d.between(1, rank), "negative": -g.d.between(1, rank), "batch": 0}[how]
	depth = g.d.pick([3, 1, 2, 7, 40])
	at = attrs.get("axis", -1) % (rank + 1)
	form = g.d.pick(["0 and 1", "any floats", "int64"], [6, 3, 2] if x.dtype == "int64" else [6, 3, 0])
	g.tag(op, "values", form)
	values = np.array({"0 and 1": [0, 1], "any floats": [-0.3, 2.5], "int64": [-3, 7]}[form], np.int64 if form == "int64" else np.float32)
	name = g.node(op, [x.name, g.const(np.array(depth, x.dtype), "d"), g.const(values, "v")], attrs)
	shape = [*v.shape[:at], depth, *v.shape[at:]]
	if form == "int64":
		return g.keep(Value(name, shape, False, dtype="int64"))
	return Value(name, shape, True, None, UNIT if form == "0 and 1" else 0.02)


def gather_nd(g, v, opset):
	"""Of each row."""
	op, rank = "GatherND", len(v.shape)
	if rank < 2:
		v = g.input([g.batch, 4, 3])
		rank = 3
	v = v if g.d.chance(2) else g.dequantize(v)
	depth, front = g.d.between(1, rank - 1), [g.d.between(1, 4) for _ in range(g.d.below(3))]
	shape = [v.shape[0], *front, depth]
	g.tag(op, "batch_dims", "1")
	name = g.node(op, [v.name, indices(g, shape, min(v.shape[1:depth + 1]))], {"batch_dims": 1})
	return Value(name, [v.shape[0], *front, *v.shape[depth + 1:]], v.real, v.quant, v.hint)


def top_k(g, v, opset):
	op, attrs, rank = "TopK", {}, len(v.shape)
	v = plain_input(g, v.shape, g.d.pick(["int32", "int64"])) if g.d.chance(4) else g.dequantize(v)
	how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 2, 6, 4, 1])
	g.tag(op, "axis", how)
	if how != "absent":
		attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
	if g.since(11, 2):
		g.attr(op, attrs, "largest", [("1", 1), ("0", 0)])
	if g.since(11, 4):
		g.attr(op, attrs, "sorted", [("1", 1), ("0", 0)], [6, 1])
	axis = attrs.get("axis", -1) % rank
	count = g.d.pick([1, g.d.between(1, v.shape[axis]), v.shape[axis]])
	names = g.node(op, [v.name, g.const(np.array([count], np.int64), "k")], attrs, 2)
	shape = [count if i == axis else n for i, n in enumerate(v.shape)]
	if g.d.chance(3):
		return g.keep(Value(names[1], shape, False, dtype="int64"))
	if not v.real:
		return g.keep(Value(names[0], shape, False, dtype=v.dtype))
	return Value(names[0], shape, True, v.quant, v.hint)


def conv_integer(g, v, opset):
	"""Of images of integers."""
	op, attrs = "ConvInteger", {}
	shape = v.shape if len(v.shape) == 4 else [v.shape[0], 2, 4, 5]
	n, channels, height, width = shape
	x = plain_input(g, shape, g.d.pick(["uint8", "int8"]))
	group = g.d.pick([1, channels], [3, 1])
	kernel = [g.d.between(1, min(3, height)), g.d.between(1, min(3, width))]
	outputs, w_type = group * g.d.between(1, 3), g.d.pick([np.int8, np.uint8])
	low = 0 if w_type == np.uint8 else -128
	inputs = [x.name, g.const(g.rng.integers(low, low + 256, [outputs, channels // group, *kernel]).astype(w_type), "w")]
	if g.d.chance(2):
		inputs += [g.const(np.array(g.d.between(0, 100), x.dtype), "z"), g.const(np.array(g.d.between(0, 100), w_type), "z")]
	g.attr(op, attrs, "kernel_shape", [("absent", None), ("given", kernel)])
	g.attr(op, attrs, "group", [("several", group)] if group > 1 else [("absent", None), ("1", 1)])
	g.attr(op, attrs, "strides", [("absent", None), ("given", [g.d.between(1, 2), g.d.between(1, 2)])])
	g.attr(op, attrs, "dilations", [("absent", None), ("1", [1, 1]), ("given", [g.d.between(1, 2), g.d.between(1, 2)])], [2, 2, 1])
	strides, dilations = attrs.get("strides", [1, 1]), attrs.get("dilations", [1, 1])
	reach = [d * (k - 1) for d, k in zip(dilations, kernel)]
	g.attr(op, attrs, "auto_pad", [("absent", None), ("NOTSET", "NOTSET"), ("VALID", "VALID"), ("SAME_UPPER", "SAME_UPPER"), ("SAME_LOWER", "SAME_LOWER")], [6, 2, 1, 1, 1])
	how = attrs.get("auto_pad", "NOTSET")
	if how == "NOTSET":
		pads = [max(0, r - size + 1) + g.d.below(r + 1) // 2 for size, r in zip((height, width), reach)] * 2
		g.attr(op, attrs, "pads", [("absent", None)] * (not any(p and r >= size for p, r, size in zip(pads, reach, (height, width)))) + [("given", pads)])
	elif how == "VALID" and any(r >= size for r, size in zip(reach, (height, width))):
		attrs["auto_pad"] = "SAME_UPPER"
	pads = attrs.get("pads", [0] * 4)
	shape = [n, outputs]
	for i, size in enumerate((height, width)):
		room = size + pads[i] + pads[i + 2] - reach[i]
		shape.append(-(-size // strides[i]) if attrs.get("auto_pad", "").startswith("SAME") else (room - 1) // strides[i] + 1)
	return g.keep(Value(g.node(op, inputs, attrs), shape, False, dtype="int32"))


def cum_sum(g, v, opset):
	op, attrs, rank = "CumSum", {}, len(v.shape)
	if g.d.chance(3):
		v = plain_input(g, v.shape, g.d.pick(["int32", "int64"]))
	else:
		v = g.dequantize(v)
	axis = g.d.pick([rank - 1, g.d.between(min(1, rank - 1), rank - 1), -g.d.between(1, max(1, rank - 1)), 0], [4, 6, 4, 1])
	for name in ("exclusive", "reverse"):
		g.attr(op, attrs, name, [("absent", None), ("0", 0), ("1", 1)])
	name = g.node(op, [v.name, g.const(np.array(axis, g.d.pick([np.int64, np.int32])), "a")], attrs)
	if not v.real:
		return g.keep(Value(name, list(v.shape), False, dtype=v.dtype))
	return Value(name, list(v.shape), True, None, float(v.quant.scale if v.quant else v.hint) * 3)


def indices(g, shape, size, types=("int64", "int64", "int64", "int32")):
	"""A graph input of what are indices of so many."""
	name, dtype = g.name("x"), g.d.pick(types)
	g.data[name] = g.rng.integers(-size, size, shape).astype(dtype)
	g.inputs.append(helper.make_tensor_value_info(name, ONNX_TYPES[dtype], ["N" if g.batch_form == "symbolic" else shape[0], *shape[1:]]))
	return name


def gather(g, v, opset):
	"""By a tensor: of a constant, or of a tensor, where the first dimensions of both are fixed."""
	op, rank = "Gather", len(v.shape)
	form = g.d.pick(["a quantized constant", "a constant of integers", "a tensor"], [4, 2, 5])
	g.tag(op, "of", form)
	dims = [g.batch, *[g.d.between(1, 4) for _ in range(g.d.below(3))]]
	axis = 0 if rank < 2 or form != "a tensor" and not g.d.chance(12) else g.d.below(rank)
	attrs = {"axis": axis - rank if g.d.chance(4) else axis} if axis or g.d.chance(3) else {}
	g.tag(op, "axis", "absent" if not attrs else "negative" if attrs["axis"] < 0 else "inner" if axis else "0")
	shape = v.shape if form == "a tensor" else [g.d.between(1, 9), *v.shape[1:]]
	out = [*shape[:axis], *dims, *shape[axis + 1:]]
	if form == "a tensor":
		v = v if g.d.chance(2) else g.dequantize(v)
		return Value(g.node(op, [v.name, indices(g, dims, shape[axis])], attrs), out, v.real, v.quant, v.hint)
	quant = g.quant()
	data = g.const(g.random_integers(shape, quant.dtype), "d")
	if form == "a constant of integers":
		return g.keep(Value(g.node(op, [data, indices(g, dims, shape[axis])], attrs), out, False, dtype=quant.dtype))
	v = g.dequantize(Value(data, shape, False, quant))
	return Value(g.node(op, [v.name, indices(g, dims, shape[axis])], attrs), out, True, quant, v.hint)


def gather_elements(g, v, opset):
	op, rank = "GatherElements", len(v.shape)
	v = v if g.d.chance(2) else g.dequantize(v)
	axis = g.d.pick([rank - 1, g.d.between(min(1, rank - 1), rank - 1), 0], [3, 6, 1])
	shape = [n if not i else g.d.between(1, n + 2) if i == axis else g.d.between(1, n) for i, n in enumerate(v.shape)]
	attrs = {"axis": axis - rank if g.d.chance(4) else axis}
	g.tag(op, "axis", "negative" if attrs["axis"] < 0 else "batch" if not axis else "inner")
	return Value(g.node(op, [v.name, indices(g, shape, v.shape[axis])], attrs), shape, v.real, v.quant, v.hint)


def scatter(g, op, v, where, updates, attrs, opset):
	"""Integers, or of two scales or of one; constants where the first dimension is fixed."""
	form = g.d.pick(["quantized", "one scale", "a constant", "integers"], [5, 3, 2, 4])
	g.tag(op, "of", form)
	if g.since(16, 3):
		options = ["none", "add", "mul"] + (["min", "max"] if opset >= 18 else [])
		g.attr(op, attrs, "reduction", [("absent", None)] + [(word, word) for word in options])
	if form == "integers":
		dtype = g.d.pick(["int32", "int64", "uint8", "int8"])
		x = plain_input(g, v.shape, dtype)
		return g.keep(Value(g.node(op, [x.name, where, plain_input(g, updates, dtype).name], attrs), list(v.shape), False, dtype=dtype))
	v = g.dequantize(v)
	if form == "a constant":
		new = g.const(g.rng.normal(0, 40 * abs(float(v.quant.scale if v.quant else v.hint)), updates).astype(np.float32), "u")
	else:
		new = g.dequantize(g.input(updates, v.quant if form == "one scale" else None)).name
	return Value(g.node(op, [v.name, where, new], attrs), list(v.shape), True, v.quant if form == "one scale" else None, float(v.quant.scale if v.quant else v.hint))


def scatter_elements(g, v, opset):
	op, rank = "ScatterElements" if opset > 10 else "Scatter", len(v.shape)
	axis = g.d.pick([rank - 1, g.d.between(min(1, rank - 1), rank - 1), 0], [3, 6, 1])
	shape = [n if not i else g.d.between(1, n + 2) if i == axis else g.d.between(1, n) for i, n in enumerate(v.shape)]
	attrs = {"axis": axis - rank if g.d.chance(4) else axis}
	g.tag(op, "axis", "negative" if attrs["axis"] < 0 else "batch" if not axis else "inner")
	return scatter(g, op, v, indices(g, shape, v.shape[axis]), shape, attrs, opset)


def scatter_nd(g, v, opset):
	"""Of all dimensions, the first among them, which is mostly fixed."""
	op, rank = "ScatterND", len(v.shape)
	depth, front = g.d.between(1, rank), [v.shape[0], *(g.d.between(1, 4) for _ in range(g.d.below(2)))]
	where = indices(g, [*front, depth], min(v.shape[:depth]), ["int64"])
	return scatter(g, op, v, where, [*front, *v.shape[depth:]], {}, opset)


def hardmax(g, v, opset):
	op, attrs, rank = "Hardmax", {}, len(v.shape)
	v = g.dequantize(v)
	how = g.d.pick(["absent", "last", "inner", "negative", "batch"], [4, 2, 6, 4, 1])
	g.tag(op, "axis", how)
	if how != "absent":
		attrs["axis"] = {"last": rank - 1, "inner": g.d.between(min(1, rank - 1), rank - 1), "negative": -g.d.between(1, max(1, rank - 1)), "batch": 0}[how]
	return Value(g.node(op, [v.name], attrs), list(v.shape), True, None, UNIT)
