# SPDX-License-Identifier: MIT
"""Operators of newer opsets, and what is computed in float between quantized ends, for graphs.py: as in operators.py."""
import numpy as np
from onnx import TensorProto, helper

from random_onnx.builder import Value
from random_onnx.integers import plain_input
from random_onnx.moves import moved
from random_onnx.operators import spatial, window, window_output
from random_onnx.regions import float_sum


def scale_of(v):
	return float(v.quant.scale) if v.quant else v.hint


def attention(g, _v, _opset):
	"""Of heads, or of heads that are side by side."""
	op, attrs, n = "Attention", {}, g.batch
	heads, each = g.d.pick([1, 2, 3]), g.d.pick([1, 2], [3, 1])
	queries, keys, depth, width = (g.d.between(1, 5) for _ in range(4))
	side_by_side = g.d.chance(3)
	for name, count in (("q_num_heads", heads * each), ("kv_num_heads", heads)):
		if side_by_side:
			g.attr(op, attrs, name, [("several", count)] if count > 1 else [("1", 1)])
	shapes = [(heads * each, queries, depth), (heads, keys, depth), (heads, keys, width)]
	shapes = [[n, s[1], s[0] * s[2]] if side_by_side else [n, *s] for s in shapes]
	q, k, v = (g.dequantize(g.input(shape)) for shape in shapes)
	inputs = [q.name, k.name, v.name]
	mask = g.d.pick(["absent", "bool", "float"], [4, 1, 2])
	g.tag(op, "mask", mask)
	if mask != "absent":
		allowed = g.rng.integers(0, 3, [queries, keys]) > 0
		inputs.append(g.const(allowed if mask == "bool" else np.where(allowed, 0.25, -4).astype(np.float32), "m", "initializer"))
	g.attr(op, attrs, "is_causal", [("absent", None), ("0", 0), ("1", 1)])
	g.attr(op, attrs, "scale", [("absent", None), ("given", 0.3)], [3, 1])
	g.attr(op, attrs, "softcap", [("absent", None), ("0", 0.0), ("given", 2.0)], [3, 1, 1])
	g.attr(op, attrs, "softmax_precision", [("absent", None), ("float", 1), ("half", 10)], [12, 8, 1])
	shape = [n, queries, heads * each * width] if side_by_side else [n, heads * each, queries, width]
	if g.d.chance(8) and not side_by_side:
		mode = g.attr(op, attrs, "qk_matmul_output_mode", [("0", 0), ("1", 1), ("2", 2), ("3", 3)])
		names = g.node(op, inputs, attrs, 4)
		g.nodes[-1].output[1:3] = ["", ""]
		return float_sum(g, v, names[3], [n, heads * each, queries, keys], None, 1 / 256 if mode == 3 else 2 * scale_of(q))
	return float_sum(g, v, g.node(op, inputs, attrs), shape, None, scale_of(v))


def grid_sample(g, v, opset):
	op, attrs = "GridSample", {}
	if len(v.shape) != 4:
		v = g.input([g.batch, 2, 4, 5])
	size = [g.d.between(1, 4), g.d.between(1, 4)]
	if g.d.chance(3) and g.batch_form == "fixed":
		grid = g.const((g.rng.random([v.shape[0], *size, 2]) * 2.6 - 1.3).astype(np.float32), "g", "initializer")
	else:
		grid = g.dequantize(g.input([v.shape[0], *size, 2])).name
	words = [("absent", None), *((m, m) for m in (("linear", "nearest", "cubic") if opset >= 20 else ("bilinear", "nearest", "bicubic")))]
	g.attr(op, attrs, "mode", words)
	g.attr(op, attrs, "padding_mode", [("absent", None), *((m, m) for m in ("zeros", "border", "reflection"))])
	g.attr(op, attrs, "align_corners", [("absent", None), ("0", 0), ("1", 1)])
	v = g.dequantize(v)
	return float_sum(g, v, g.node(op, [v.name, grid], attrs), [*v.shape[:2], *size], v.quant if g.d.chance(3) else None, scale_of(v))


def loss(op):
	def make(g, v, _opset):
		attrs = {}
		if len(v.shape) < 2:
			v = g.input([g.batch, g.d.between(1, 6)])
		shape = [v.shape[0], *v.shape[2:]]
		target = g.name("x")
		g.data[target] = g.rng.integers(0, v.shape[1], shape)
		first = "N" if g.batch_form == "symbolic" else shape[0]
		g.inputs.append(helper.make_tensor_value_info(target, TensorProto.INT64, [first, *shape[1:]]))
		v = g.dequantize(v)
		inputs = [v.name, target]
		weights = g.d.pick(["absent", "constant"], [2, 1])
		g.tag(op, "weights", weights)
		if weights == "constant":
			inputs.append(g.const(np.linspace(0.5, 1.5, v.shape[1], dtype=np.float32), "w", "initializer"))
		g.attr(op, attrs, "ignore_index", [("absent", None), ("given", 0)], [2, 1])
		each = g.d.chance(4) or g.batch_form != "fixed"
		g.attr(op, attrs, "reduction", [("none", "none")] if each else [("mean", "mean"), ("sum", "sum")])
		return float_sum(g, v, g.node(op, inputs, attrs), shape if each else [], None, scale_of(v))
	return make


def lp_pool(g, v, opset):
	op, attrs = "LpPool", {}
	v = g.dequantize(v)
	kernel = window(g, op, attrs, v, [g.d.between(1, 3) for _ in range(spatial(g, v.shape))], opset >= 18)
	g.tag(op, "kernel_shape", "given")
	attrs["kernel_shape"] = kernel
	g.attr(op, attrs, "p", [("absent", None), ("2", 2), ("1", 1), ("3", 3)], [6, 6, 1, 1])
	ceil_mode = g.attr(op, attrs, "ceil_mode", [("absent", None), ("0", 0), ("1", 1)], [3, 3, 2]) if opset >= 18 else 0
	out = window_output(attrs, v.shape, kernel, ceil_mode) or [1] * len(kernel)
	hint = scale_of(v) * 0.6 * float(np.prod(kernel)) ** 0.5
	return float_sum(g, v, g.node(op, [v.name], attrs), [*v.shape[:2], *out], None, hint)


def center_crop_pad(g, v, _opset):
	op, attrs, rank = "CenterCropPad", {}, len(v.shape)
	axes = [i for i in range(1, rank) if g.d.chance(2)] or [rank - 1]
	if rank == 1 or g.d.chance(20):
		axes = [0]
	if g.d.chance(6):
		axes = None
	g.tag(op, "axes", "absent" if axes is None else "given")
	if axes is not None:
		attrs["axes"] = [a - rank for a in axes] if g.d.chance(3) else axes
	shape, sizes = list(v.shape), []
	for axis in range(rank) if axes is None else axes:
		sizes.append(shape[axis] if axes is None and not axis else g.d.between(1, shape[axis] + 4))
		shape[axis] = sizes[-1]
	return moved(v, g.node(op, [v.name, g.const(np.array(sizes, np.int64), "d", "initializer")], attrs), shape)


def compress(g, v, _opset):
	op, attrs, rank = "Compress", {}, len(v.shape)
	axis = g.d.below(rank) if g.d.chance(12) else g.d.between(min(1, rank - 1), rank - 1)
	how = g.attr(op, attrs, "axis", [("given", axis), ("negative", axis - rank), ("absent", None)], [8, 4, 1])
	count = v.shape[axis] if how is not None else int(np.prod(v.shape))
	wanted = g.rng.integers(0, 3, g.d.between(1, count)) > 0
	wanted[g.d.below(len(wanted))] = True
	name = g.node(op, [v.name, g.const(wanted, "w", "initializer")], attrs)
	taken = int(wanted.sum())
	return moved(v, name, [taken] if how is None else [taken if i == axis else n for i, n in enumerate(v.shape)])


def cast_like(g, v, opset):
	op, attrs = "CastLike", {}
	x = plain_input(g, v.shape, g.d.pick(["uint8", "int8", "int32", "int64"]))
	to = g.d.pick(["int32", "int64", "uint8", "int8", "bool", "float32"])
	g.tag(op, "to", to)
	if opset >= 19 and g.d.chance(2):
		g.attr(op, attrs, "saturate", [("1", 1), ("0", 0)])
	if to == "float32":
		like = g.dequantize(v).name
	else:
		like = g.const(np.zeros(2, to), "l", "initializer") if to == "bool" or g.d.chance(2) else plain_input(g, v.shape, to).name
	name = g.node(op, [x.name, like], attrs)
	if to != "float32":
		return g.keep(Value(name, list(x.shape), False, dtype=to))
	return Value(name, list(x.shape), True, None, 1.0)


def rotary_embedding(g, _v, _opset):
	op, attrs, n = "RotaryEmbedding", {}, g.batch
	heads, length, pairs = g.d.between(1, 3), g.d.between(1, 5), g.d.between(1, 4)
	flat, of_all = g.d.chance(3), g.d.chance(2) or g.batch_form == "symbolic"
	part = g.d.between(1, pairs)
	g.attr(op, attrs, "interleaved", [("absent", None), ("0", 0), ("1", 1)])
	g.attr(op, attrs, "rotary_embedding_dim", [("given", 2 * part)] if part < pairs else [("absent", None), ("0", 0), ("given", 2 * part)])
	if flat:
		g.attr(op, attrs, "num_heads", [("given", heads)])
	shape = [n, length, heads * 2 * pairs] if flat else [n, heads, length, 2 * pairs]
	v = g.dequantize(g.input(shape))
	angles = g.rng.random([7, part] if of_all else [n, length, part]) * 7
	inputs = [v.name, *(g.const(f(angles).astype(np.float32), "a", "initializer") for f in (np.cos, np.sin))]
	if of_all:
		places = plain_input(g, [n, length], "int64")
		g.data[places.name] = g.rng.integers(0, 7, [n, length])
		inputs.append(places.name)
	return float_sum(g, v, g.node(op, inputs, attrs), shape, v.quant if g.d.chance(3) else None, scale_of(v))


EQUATIONS = ["bij,bjk->bik", "bij,bkj->bik", "bhid,bhjd->bhij", "bihd,bjhd->bhij", "bij,jk->bik", "bid,hdk->bhik", "b...j,jk->b...k", "bij->bji"]


def einsum(g, _v, _opset):
	op = "Einsum"
	equation = g.d.pick(EQUATIONS)
	g.tag(op, "equation", equation)
	size = {letter: g.d.between(1, 5) for letter in "hijdk"} | {"b": g.batch}
	terms = equation.replace("...", "hi").split("->")
	operands = [[size[letter] for letter in term] for term in terms[0].split(",")]
	v = g.dequantize(g.input(operands[0]))
	names = [v.name]
	for term, shape in zip(terms[0].split(",")[1:], operands[1:]):
		if term[0] == "b":
			names.append(g.dequantize(g.input(shape)).name)
		else:
			integers = g.const(g.rng.integers(-64, 65, shape).astype(np.int8), "w", "initializer")
			names.append(g.node("DequantizeLinear", [integers, g.const(np.float32(0.01), "s", "initializer")]))
	out = [size[letter] for letter in terms[1]]
	name = g.node(op, names, {"equation": equation})
	return moved(v, name, out) if len(names) == 1 else float_sum(g, v, name, out, None, scale_of(v))
