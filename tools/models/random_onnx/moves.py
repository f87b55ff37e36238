# SPDX-License-Identifier: MIT
"""Operators that move elements or make of each another, with random attributes, for graphs.py: as in operators.py."""
import math

import numpy as np
from onnx import TensorProto, helper

from random_onnx.builder import INT8, UINT8, Quant, Sum, Value
from random_onnx.operators import spatial, window, window_output


def moved(v, name, shape):
	return Value(name, list(shape), v.real, v.quant, v.hint, v.sums)


def max_pool(g, v, opset):
	n = spatial(g, v.shape)
	attrs = {}
	kernel = window(g, "MaxPool", attrs, v, [g.d.between(1, 3) for _ in range(n)], opset >= 10)
	attrs["kernel_shape"] = kernel
	g.tag("MaxPool", "kernel_shape", "given")
	ceil_mode = g.attr("MaxPool", attrs, "ceil_mode", [("absent", None), ("0", 0), ("1", 1)], [2, 2, 3]) if opset >= 10 else 0
	if opset >= 8:
		g.attr("MaxPool", attrs, "storage_order", [("absent", None), ("0", 0), ("1", 1)], [4, 3, 3])
	out = window_output(attrs, v.shape, kernel, ceil_mode) or [1] * n
	indices = g.d.pick(["absent", "named"], [50, 1]) if opset >= 8 else "absent"
	g.tag("MaxPool", "indices", indices)
	g.tag("MaxPool", "input", "real" if v.real else "integers")
	names = g.node("MaxPool", [v.name], attrs, 2 if indices == "named" else 1)
	return moved(v, names if isinstance(names, str) else names[0], [*v.shape[:2], *out])


def relu(g, v, opset):
	g.tag("Relu", "input", "real" if v.real else "integers")
	return moved(v, g.node("Relu", [v.name]), v.shape)


def leaky_relu(g, v, opset):
	attrs = {}
	x = g.dequantize(v)
	g.attr("LeakyRelu", attrs, "alpha", [("absent", None), ("usual", 0.1), ("0", 0.0), ("1", 1.0), ("negative", -0.5), ("greater", 1.7)],
	       [3, 3, 3, 2, 3, 3])
	return Value(g.node("LeakyRelu", [x.name], attrs), v.shape, True, v.quant if g.d.chance(2) else None, float(v.quant.scale))


def clip(g, v, opset):
	op = "Clip"
	s = float(v.quant.scale) if v.quant else v.hint
	s = s if 1e-30 < s < 1e30 else 1.0
	bounds = g.d.pick(["0 to 6", "both", "min", "max", "none", "crossed", "one value", "infinite"], [5, 6, 4, 4, 6, 1, 5, 4])
	g.tag(op, "bounds", bounds)
	low = g.d.between(-60, 30) * s * g.d.pick([1, 0.5, 0.37])
	high = low + g.d.between(1, 90) * s * g.d.pick([1, 0.5, 0.37])
	low, high = {"0 to 6": (0.0, 6.0), "both": (low, high), "min": (low, None), "max": (None, high), "none": (None, None),
		     "crossed": (high, low), "one value": (low, low), "infinite": (-math.inf, math.inf)}[bounds]
	form = "attribute" if opset < 11 else "input"
	if g.d.chance(60):
		form = "input" if form == "attribute" else "attribute"
		g.tag(op, "form", "of another opset")
	g.tag(op, "min and max by", form)
	g.tag(op, "input", "real" if v.real else "integers")
	if form == "attribute":
		attrs = {k: float(b) for k, b in (("min", low), ("max", high)) if b is not None}
		for name in attrs:
			g.tag(op, name, "given")
		return moved(v, g.node(op, [v.name], attrs), v.shape)
	inputs = [v.name]
	for b in (low, high):
		if b is None:
			inputs.append("")
			continue
		if not v.real:
			with np.errstate(all="ignore"):
				n = np.clip(np.nan_to_num(b / s), -100, 100)
			inputs.append(g.const(np.array(n, np.int64).astype(v.quant.dtype if v.quant else np.uint8), "k"))
		elif math.isfinite(b) and g.d.chance(8):
			g.tag(op, "bound is", "dequantized")
			q = Quant(INT8, np.float32(s), 0)
			inputs.append(g.node("DequantizeLinear", [g.const(np.int8(max(-128, min(127, round(b / s)))), "k"), g.const(q.scale, "s"),
								  g.const(np.int8(0), "z")]))
		else:
			inputs.append(g.const(np.full((1,) if g.d.chance(20) else (), b, np.float32), "k"))
	while inputs[-1] == "" and not g.d.chance(4):
		inputs.pop()
	return moved(v, g.node(op, inputs), v.shape)


def factor(g, count):
	"""A random way to write a number as a product of 1 to 3."""
	dims = []
	for _ in range(g.d.below(3)):
		divisors = [k for k in range(1, count + 1) if count % k == 0]
		dims.append(g.d.pick(divisors))
		count //= dims[-1]
	return [*dims, count]


def reshape(g, v, opset):
	op = "Reshape"
	what = g.d.pick(["items", "same", "batch too"], [20, 2, 1])
	count = math.prod(v.shape[1:])
	dims = list(v.shape) if what == "same" else [v.shape[0], *factor(g, count)] if what == "items" else factor(g, count * v.shape[0])
	wanted = list(dims)
	first = g.d.pick(["0", "number", "-1"], [3, 2 if g.batch_form == "fixed" or g.batch == 1 else 0.2, 1])
	if first == "0" and dims[0] == v.shape[0]:
		wanted[0] = 0
	elif first == "-1":
		wanted[0] = -1
	if wanted[0] != -1 and len(wanted) > 1 and not g.d.chance(3):
		wanted[g.d.between(1, len(wanted) - 1)] = -1
	elif len(wanted) > 1 and g.d.chance(3):
		for i in range(1, min(len(dims), len(v.shape))):
			if dims[i] == v.shape[i] and wanted[i] > 0:
				wanted[i] = 0
	g.tag(op, "shape", f"{what}, first {wanted[0] if wanted[0] < 1 else 'a number'}")
	attrs = {}
	if opset >= 14:
		allow = g.attr(op, attrs, "allowzero", [("absent", None), ("0", 0), ("1", 1)], [2, 2, 4])
		if allow and not g.d.chance(8):
			wanted = [d if w == 0 else w for d, w in zip(dims, wanted)]
	if opset < 5:
		return moved(v, g.node(op, [v.name], {"shape": wanted}), dims)
	g.tag(op, "input", "real" if v.real else "integers")
	return moved(v, g.node(op, [v.name, g.const(np.array(wanted, np.int64), "d")], attrs), dims)


def flatten(g, v, opset):
	attrs = {}
	rank = len(v.shape)
	options = [("absent", None), ("1", 1), ("negative", 1 - rank), ("0", 0), ("other", min(2, rank)), ("rank", rank)]
	axis = g.attr("Flatten", attrs, "axis", options, [6, 6, 6, 1, 1, 1])
	axis = 1 if axis is None else axis + rank if axis < 0 else axis
	g.tag("Flatten", "input", "real" if v.real else "integers")
	return moved(v, g.node("Flatten", [v.name], attrs), [math.prod(v.shape[:axis]), math.prod(v.shape[axis:])])


def axes_node(g, v, op, axes, opset, shape):
	form = "attribute" if opset < 13 else "input"
	if axes is not None and g.d.chance(60):
		form = "input" if form == "attribute" else "attribute"
		g.tag(op, "axes", "in the form of another opset")
	g.tag(op, "axes by", form)
	g.tag(op, "input", "real" if v.real else "integers")
	if axes is None:
		g.tag(op, "axes", "absent")
		return moved(v, g.node(op, [v.name]), shape)
	if any(a < 0 for a in axes):
		g.tag(op, "axes", "negative")
	g.tag(op, "axes", "of the batch" if 0 in axes else "several" if len(axes) > 1 else "one" if axes else "none")
	if form == "attribute":
		return moved(v, g.node(op, [v.name], {"axes": list(axes)}), shape)
	return moved(v, g.node(op, [v.name, g.const(np.array(axes, np.int64), "a")]), shape)


def squeeze(g, v, opset):
	ones = [i for i, d in enumerate(v.shape) if d == 1]
	what = g.d.pick(["all", "some", "absent", "batch"], [8, 4, 6 if g.batch > 1 else 0.5, 1])
	if what == "absent":
		return axes_node(g, v, "Squeeze", None, opset, [d for d in v.shape if d != 1])
	if what != "batch":
		ones = [i for i in ones if i]
	if what == "some" and len(ones) > 1:
		ones = [g.d.pick(ones)]
	if not ones:
		if not g.d.chance(20):
			return unsqueeze(g, v, opset)
		ones = [len(v.shape) - 1]
	shape = [d for i, d in enumerate(v.shape) if i not in ones]
	axes = [i - (len(v.shape) if g.d.chance(2) else 0) for i in ones]
	return axes_node(g, v, "Squeeze", axes, opset, shape)


def unsqueeze(g, v, opset):
	count = g.d.between(1, 2)
	rank = len(v.shape) + count
	axes = []
	while len(axes) < count:
		axis = g.d.between(1, rank - 1) if not g.d.chance(15) else 0
		if axis in axes:
			axis = next(i for i in range(1, rank) if i not in axes)
		axes.append(axis)
	shape, left = [], list(v.shape)
	for i in range(rank):
		shape.append(1 if i in axes else left.pop(0))
	return axes_node(g, v, "Unsqueeze", [a - (rank if g.d.chance(4) else 0) for a in axes], opset, shape)


def transpose(g, v, opset):
	rank = len(v.shape)
	what = g.d.pick(["items", "nhwc", "nchw", "same", "absent", "batch too"], [5, 9, 9, 4, 1, 1])
	rest = list(range(1, rank))
	if what in ("nhwc", "nchw") and rank != 4:
		what = "items"
	if what == "items":
		for i in range(len(rest) - 1):
			j = g.d.between(i, len(rest) - 1)
			rest[i], rest[j] = rest[j], rest[i]
	perm = {"nhwc": [0, 2, 3, 1], "nchw": [0, 3, 1, 2], "same": list(range(rank)), "absent": list(range(rank))[::-1]}.get(what, [0, *rest])
	if what == "batch too":
		perm = perm[::-1]
	g.tag("Transpose", "perm", what)
	g.tag("Transpose", "input", "real" if v.real else "integers")
	return moved(v, g.node("Transpose", [v.name], {} if what == "absent" else {"perm": perm}), [v.shape[i] for i in perm])


def identity(g, v, opset):
	return moved(v, g.node("Identity", [v.name]), v.shape)


def dropout(g, v, opset):
	attrs, inputs = {}, [v.name]
	if not v.real and v.quant:
		v = g.dequantize(v)
		inputs = [v.name]
	if opset < 12:
		g.attr("Dropout", attrs, "ratio", [("absent", None), ("given", 0.3)])
		if opset < 7:
			g.attr("Dropout", attrs, "is_test", [("absent", None), ("0", 0), ("1", 1)])
	else:
		ratio = g.d.pick(["absent", "given", "empty"], [4, 4, 2])
		training = g.d.pick(["absent", "false", "true"], [20, 20, 1])
		g.tag("Dropout", "ratio", ratio)
		g.tag("Dropout", "training_mode", training)
		if ratio == "given":
			inputs.append(g.const(np.float32(0.4), "k"))
		elif training != "absent" or ratio == "empty":
			inputs.append("")
		if training != "absent":
			inputs.append(g.const(np.bool_(training == "true"), "k"))
		g.attr("Dropout", attrs, "seed", [("absent", None), ("given", 7)], [3, 1])
	mask = g.d.pick(["absent", "named", "read"], [12, 4, 1])
	g.tag("Dropout", "mask", mask)
	names = g.node("Dropout", inputs, attrs, 1 if mask == "absent" else 2)
	out = moved(v, names if mask == "absent" else names[0], v.shape)
	if mask == "read":
		g.outputs.append(helper.make_tensor_value_info(names[1], TensorProto.BOOL, v.shape))
	return out


def concat(g, v, opset):
	count = g.d.pick([2, 1, 3, 4], [6, 1, 3, 1])
	rank = len(v.shape)
	what = g.d.pick(["1", "other", "negative", "0"], [7, 6, 6, 1])
	axis = {"1": 1, "other": g.d.between(1, rank - 1) if rank > 1 else 0, "negative": -g.d.between(1, max(1, rank - 1)), "0": 0}[what]
	axis = axis if -rank <= axis < rank else 0
	attrs = {"axis": axis}
	if opset < 4 and axis == 1 and g.d.chance(2):
		attrs = {}
		what = "absent"
	elif g.d.chance(100):
		attrs = {}
		what = "absent, needed"
	g.tag("Concat", "axis", what)
	g.tag("Concat", "inputs", "1" if count == 1 else "several")
	axis %= rank
	parts = [v]
	total = v.shape[axis]
	for _ in range(count - 1):
		kind = g.d.pick(["input", "itself", "constant"], [8, 1, 1])
		if v.real and v.sums and kind == "input" and g.d.chance(3):
			kind = "itself"
		if kind == "itself":
			parts.append(v)
			total += v.shape[axis]
			g.tag("Concat", "part", "again")
			continue
		shape = list(v.shape)
		if axis:
			shape[axis] = g.d.between(1, 4)
		total += shape[axis]
		same = not g.d.chance(3) or not v.real
		around = v.hint if 1e-30 < v.hint < 1e30 else 1.0
		q = v.quant if same and v.quant else g.quant(around, v.quant.dtype if v.quant else None)
		g.tag("Concat", "quantization", "one" if same and v.quant else "several")
		if kind == "constant":
			g.tag("Concat", "part", "constant")
			part = Value(g.const(g.random_integers(shape, q.dtype), "k"), shape, False, q)
		else:
			part = g.input(shape, q)
		parts.append(g.dequantize(part) if v.real else part)
	if len(parts) > 1 and g.d.chance(3):
		parts.reverse()
	shape = list(v.shape)
	shape[axis] = total
	g.tag("Concat", "input", "real" if v.real else "integers")
	quant = v.quant if all(p.quant == v.quant for p in parts) else None
	return Value(g.node("Concat", [p.name for p in parts], attrs), shape, v.real, quant, v.hint, v.sums)


def requantize(g, v, opset):
	x = g.dequantize(v)
	how = g.d.pick(["other", "type", "double", "half"])
	g.tag("Requantize")
	g.tag("Requantize", "from", v.quant.dtype)
	if v.quant.dtype not in (UINT8, INT8):
		return g.quantize(x, g.quant(float(v.quant.scale) * 1000))
	other = INT8 if v.quant.dtype == UINT8 else UINT8
	if how == "type":
		return g.quantize(x, Quant(other, v.quant.scale, g.zero_point(other)))
	if how in ("double", "half"):
		return g.quantize(x, Quant(v.quant.dtype, v.quant.scale * np.float32(2 if how == "double" else 0.5), g.zero_point(v.quant.dtype)))
	around = float(v.quant.scale)
	return g.quantize(x, g.quant(around * g.d.pick([1, 4, 0.25]) if 1e-30 < around < 1e30 else 1.0))


def quantize_axis(g, v, opset):
	"""QuantizeLinear or DequantizeLinear of activations with one scale per index of an axis, or of blocks."""
	if not v.shape:
		return requantize(g, v, opset)
	x = g.dequantize(v)
	rank = len(v.shape)
	# One index is what nnloop can do.
	axis = g.d.pick([i for i, size in enumerate(v.shape) if size == 1 or g.d.chance(4)] or [0])
	count = v.shape[axis]
	blocked = opset >= 21 and rank >= 2 and g.d.chance(4)
	shape = (count,)
	attrs = {"axis": axis}
	if blocked:
		size = g.d.pick([k for k in range(1, count + 1) if count % k == 0])
		dims = list(v.shape)
		dims[axis] = count // size
		shape = tuple(dims)
		attrs["block_size"] = size
	g.tag("QuantizeLinear", "axis", "of activations, blocked" if blocked else "of activations")
	s, z = g.const(np.full(shape, v.quant.scale, np.float32), "s"), g.const(np.full(shape, v.quant.zero, v.quant.dtype), "z")
	y = g.node("QuantizeLinear", [x.name, s, z], attrs)
	r = g.node("DequantizeLinear", [y, s, z], attrs)
	g.tag("DequantizeLinear", "axis", "of activations, blocked" if blocked else "of activations")
	return Value(r, v.shape, True, v.quant, float(v.quant.scale))


def blocked_weights(g, v, opset):
	"""MatMul with weights in blocks."""
	inner, outputs = v.shape[-1], g.d.between(1, 4)
	x = g.dequantize(v)
	axis = g.d.between(0, 1)
	size = g.d.pick([k for k in range(1, [inner, outputs][axis] + 1) if [inner, outputs][axis] % k == 0])
	shape = [inner, outputs]
	shape[axis] //= size
	scales = (g.rng.integers(1, 9, shape) / 64).astype(np.float32)
	w = g.node("DequantizeLinear", [g.const(g.rng.integers(-64, 65, [inner, outputs]).astype(np.int8), "w"), g.const(scales, "s"),
					g.const(np.zeros(shape, np.int8), "z")], {"axis": axis, "block_size": size})
	g.tag("DequantizeLinear", "axis", "of weights, blocked")
	name = g.node("MatMul", [x.name, w])
	one = Sum([len(g.nodes) - 1], v, (), None, "", {}, [], None, False)
	g.sums.append(one)
	return Value(name, [*v.shape[:-1], outputs], True, None, float(v.quant.scale) * 2, [one])


def shape_gather(g, v, opset):
	"""What only loops have in nnloop: a row by its number, and the number of rows."""
	kind = g.d.pick(["Gather", "Shape"])
	if kind == "Gather" and len(v.shape) > 1:
		attrs = {}
		axis = g.attr("Gather", attrs, "axis", [("absent", None), ("0", 0), ("1", 1)]) or 0
		keep = g.d.chance(2)
		shape = v.shape[:axis] + ([1] if keep else []) + v.shape[axis + 1:]
		return moved(v, g.node("Gather", [v.name, g.const(np.array([0] if keep else 0, np.int64), "i")], attrs), shape)
	shape = g.node("Shape", [v.name], {"start": 0} if opset >= 15 and g.d.chance(2) else {})
	return moved(v, g.node("Reshape", [v.name, shape]), v.shape)


def further(g, op, v, shapes, attrs, consts, form):
	"""A node that moves elements, with constants (None: left out) behind its input; some of what it makes is read."""
	g.tag(op, "input", "real" if v.real else "integers")
	g.tag(op, "form", form)
	inputs = [v.name, *("" if c is None else g.const(c, "c") for c in consts)]
	names = g.node(op, inputs, attrs, len(shapes))
	names = [names] if isinstance(names, str) else names
	i = g.d.below(len(shapes))
	return moved(v, names[i], shapes[i])


def some_axis(g, v):
	"""An axis, rarely the batch, and sometimes from the end."""
	rank = len(v.shape)
	axis = g.d.between(1, rank - 1) if rank > 1 and not g.d.chance(20) else 0
	return axis, axis - rank if g.d.chance(3) else axis


def pad(g, v, opset):
	op, rank = "Pad", len(v.shape)
	mode = g.d.pick(["absent", "constant", "edge", "reflect", "wrap"], [4, 4, 4, 4, 3 if opset >= 19 else 0])
	g.tag(op, "mode", mode)
	attrs = {} if mode == "absent" else {"mode": mode}
	constant = mode in ("absent", "constant")
	pads = [[0, 0] for _ in v.shape]
	for i in range(rank):
		if not i and not g.d.chance(25):
			continue
		most = 4 if constant or mode == "edge" else v.shape[i] - (mode == "reflect")
		pads[i] = [g.d.between(0, min(most, 4)) for _ in range(2)]
		if constant and v.shape[i] > 1 and g.d.chance(6):
			pads[i][g.d.below(2)] = -1
			g.tag(op, "pads", "negative")
	shape = [d + a + b for d, (a, b) in zip(v.shape, pads)]
	value = None
	if constant and not g.d.chance(3):
		if v.real:
			scale = float(v.quant.scale) if v.quant else v.hint
			scale = scale if 1e-30 < scale < 1e30 else 1.0
			what = g.d.pick(["0", "a step", "no step", "far away"], [3, 3, 3, 1])
			value = np.float32({"0": 0.0, "a step": scale * g.d.between(-40, 40), "no step": scale * g.d.between(-400, 400) * 0.137,
					    "far away": scale * 1000}[what])
		else:
			what = "an integer"
			value = np.array(g.d.between(0, 100)).astype(v.quant.dtype if v.quant else np.uint8)
		g.tag(op, "value", what)
	flat = [p[0] for p in pads] + [p[1] for p in pads]
	if opset < 11:
		attrs["pads"] = flat
		if value is not None and v.real:
			attrs["value"] = float(value)
		return further(g, op, v, [shape], attrs, [], "attributes")
	consts = [np.array(flat, np.int64)]
	if value is not None or (opset >= 18 and g.d.chance(3)):
		consts.append(value)
	form = "inputs"
	if opset >= 18 and g.d.chance(2):
		axes = [i for i in range(rank) if any(pads[i])] or [rank - 1]
		if g.d.chance(3):
			axes.reverse()
		consts[0] = np.array([pads[i][0] for i in axes] + [pads[i][1] for i in axes], np.int64)
		consts += [None] * (2 - len(consts))
		consts.append(np.array([i - (rank if g.d.chance(3) else 0) for i in axes], np.int64))
		form = "inputs with axes"
	return further(g, op, v, [shape], attrs, consts, form)


def slice_(g, v, opset):
	op, rank = "Slice", len(v.shape)
	axes = [i for i in range(1, rank) if g.d.chance(2)] or [rank - 1]
	if g.d.chance(25):
		axes = [0]
	starts, ends, steps, shape = [], [], [], list(v.shape)
	for i in axes:
		size = v.shape[i]
		step = g.d.pick([1, 2, 3, -1, -2], [6, 2, 1, 2, 1])
		start = g.d.pick([0, 1, -1, -size, 100, -100])
		end = g.d.pick([size, 2**31 - 1, 2**63 - 1, -1, 1, -2**63 + 1, -100])
		count = len(range(size)[slice(start, None if end <= -100 and step < 0 else end, step)])
		if not count or (not i and (start or end < 2**31 - 1 or step != 1)):
			start, end, step = (0, 2**63 - 1, 1) if step > 0 or not i else (-1, -2**63 + 1, -1)
			count = size
		starts, ends, steps = starts + [start], ends + [end], steps + [step]
		shape[i] = count
	consts = [np.array(starts, np.int64), np.array(ends, np.int64)]
	form = "axes"
	if axes == list(range(len(axes))) and g.d.chance(2):
		form = "no axes"
		consts.append(None)
	else:
		consts.append(np.array([i - (rank if g.d.chance(3) else 0) for i in axes], np.int64))
	if any(s != 1 for s in steps) or g.d.chance(2):
		consts.append(np.array(steps, np.int64))
		form += ", steps"
	while consts[-1] is None:
		consts.pop()
	if max(ends) < 2**31 and min(ends) > -2**31 and g.d.chance(4):
		consts = [c if c is None else c.astype(np.int32) for c in consts]
		form += ", int32"
	return further(g, op, v, [shape], {}, consts, form)


def split(g, v, opset):
	op = "Split"
	axis, written = some_axis(g, v)
	size, attrs, consts = v.shape[axis], {}, []
	if axis or g.d.chance(2):
		attrs["axis"] = written
		g.tag(op, "axis", "the batch" if not axis else "negative" if written < 0 else "positive")
	count = g.d.between(1, min(3, size))
	form = g.d.pick(["sizes", "equal", "num_outputs"], [3, 2, 2])
	if form == "num_outputs" and opset < 18 or form == "equal" and (size % count or opset >= 18):
		form = "sizes"
	sizes = [size // count] * count
	if form == "num_outputs":
		attrs["num_outputs"] = count
		g.tag(op, "num_outputs", count)
		part = -(-size // count)
		sizes = [part] * (count - 1) + [size - part * (count - 1)]
		if sizes[-1] < 1:
			return identity(g, v, opset)
	elif form == "sizes":
		sizes = [1] * count
		sizes[g.d.below(count)] += size - count
		if opset < 13:
			attrs["split"] = sizes
			g.tag(op, "split", "given")
		else:
			consts = [np.array(sizes, np.int64)]
	return further(g, op, v, [[*v.shape[:axis], s, *v.shape[axis + 1:]] for s in sizes], attrs, consts, form)


def gather(g, v, opset):
	op = "Gather"
	axis, written = some_axis(g, v)
	size = v.shape[axis]
	dims = g.d.pick([[3], [], [1], [2, 2], [5]], [4, 2, 1, 2, 2])
	indices = np.array([g.d.below(size) - (size if g.d.chance(6) else 0) for _ in range(math.prod(dims))], np.int64).reshape(dims)
	if g.d.chance(4):
		indices = indices.astype(np.int32)
	attrs = {"axis": written} if axis or g.d.chance(2) else {}
	return further(g, op, v, [[*v.shape[:axis], *dims, *v.shape[axis + 1:]]], attrs, [indices], f"indices of {len(dims)} dimensions")


def tile(g, v, opset):
	repeats = [g.d.pick([1, 2, 3], [3, 2, 1]) for _ in v.shape]
	if not g.d.chance(25):
		repeats[0] = 1
	return further(g, "Tile", v, [[d * r for d, r in zip(v.shape, repeats)]], {}, [np.array(repeats, np.int64)], f"{sum(r > 1 for r in repeats)} axes")


def expand(g, v, opset):
	rank = len(v.shape)
	shape = [g.d.between(1, 4) if d == 1 and i else d for i, d in enumerate(v.shape)]
	wanted = [1 if d == s and g.d.chance(2) or not i else s for i, (d, s) in enumerate(zip(v.shape, shape))]
	form = "all dimensions"
	if rank > 1 and g.d.chance(2):
		wanted, form = wanted[1:], "the last dimensions"
	return further(g, "Expand", v, [shape], {}, [np.array(wanted, np.int64)], form)


def trilu(g, v, opset):
	if opset < 14 or len(v.shape) < 2:
		return identity(g, v, opset)
	attrs = {} if g.d.chance(3) else {"upper": g.d.below(2)}
	k = g.d.between(-4, 4)
	g.tag("Trilu", "upper", str(attrs.get("upper", "absent")))
	form = "no k" if g.d.chance(4) else "k"
	return further(g, "Trilu", g.dequantize(v), [v.shape], attrs, [] if form == "no k" else [np.int64(k)], form)


def depth_to_space(g, v, opset):
	if len(v.shape) != 4:
		return identity(g, v, opset)
	n, c, h, w = v.shape
	block = g.d.pick([b for b in (2, 3, 1) if c % (b * b) == 0])
	g.tag("DepthToSpace", "blocksize", block)
	attrs = {"blocksize": block}
	if opset >= 11:
		g.attr("DepthToSpace", attrs, "mode", [("absent", None), ("DCR", "DCR"), ("CRD", "CRD")])
	return further(g, "DepthToSpace", v, [[n, c // block // block, h * block, w * block]], attrs, [], f"blocks of {block}")


def space_to_depth(g, v, opset):
	if len(v.shape) != 4:
		return identity(g, v, opset)
	n, c, h, w = v.shape
	block = g.d.pick([b for b in (2, 3, 1) if h % b == 0 and w % b == 0])
	g.tag("SpaceToDepth", "blocksize", block)
	return further(g, "SpaceToDepth", v, [[n, c * block * block, h // block, w // block]], {"blocksize": block}, [], f"blocks of {block}")
