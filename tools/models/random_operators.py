# SPDX-License-Identifier: MIT
"""An operator of each kind with random attributes, for random_graphs.py. Each takes the graph, a value and the opset, and returns the result: integers,
or a real value that a QuantizeLinear has yet to round."""
import math

import numpy as np
from onnx import TensorProto, helper

from graph_builder import INT8, INT32, UINT8, ONNX_TYPES, Quant, Sum, Value

# ---- windows ----


def spatial(g, shape):
	return len(shape) - 2


def window(g, op, attrs, v, kernel, opset_dilations=True):
	"""Draws strides, pads, dilations, auto_pad for a window; the kernel shrinks to what fits."""
	n = spatial(g, v.shape)
	size = v.shape[2:]
	dilations = [1] * n
	if opset_dilations:
		what = g.d.pick(["absent", "1", "2", "uneven"], [8, 5, 1, 1] if op.endswith("Pool") else [5, 2, 2, 2])
		g.tag(op, "dilations", what)
		if what != "absent":
			dilations = [1] * n if what == "1" else [2] * n if what == "2" else [1, 2, 1][:n] if g.d.chance(2) else [2, 1, 3][:n]
			attrs["dilations"] = dilations
	auto = g.attr(op, attrs, "auto_pad", [("absent", None), ("NOTSET", "NOTSET"), ("VALID", "VALID"), ("SAME_UPPER", "SAME_UPPER"),
					      ("SAME_LOWER", "SAME_LOWER"), ("made up", "SAME")], [80, 28, 28, 28, 28, 1])
	what = g.d.pick(["absent", "zeros", "ones", "uneven", "window", "negative", "count"], [48, 48, 60, 60, 2, 2, 1])
	if auto in ("VALID", "SAME_UPPER", "SAME_LOWER") and not g.d.chance(80):
		what = "absent"
	pads = [0] * (2 * n)
	if what == "ones":
		pads = [1] * (2 * n)
	elif what == "uneven":
		pads = [g.d.below(3) for _ in range(2 * n)]
	elif what == "window":
		pads = [k + g.d.below(2) for k in kernel] * 2
	elif what == "negative":
		pads = [-1] + [0] * (2 * n - 1)
	for i in range(n):
		room = size[i] + (0 if auto == "VALID" else pads[i] + pads[n + i])
		if room < 1:
			room = 1
		while (kernel[i] - 1) * dilations[i] + 1 > room:
			if kernel[i] == 1:
				break
			kernel[i] -= 1
		if what in ("ones", "uneven") and not g.d.chance(30):
			extent = (kernel[i] - 1) * dilations[i] + 1
			pads[i], pads[n + i] = min(pads[i], extent - 1), min(pads[n + i], extent - 1)
	g.tag(op, "pads", what)
	if what == "count":
		attrs["pads"] = [0]
	elif what != "absent":
		attrs["pads"] = pads
	what = g.d.pick(["absent", "1", "2", "uneven"], [4, 3, 3, 3])
	g.tag(op, "strides", what)
	if what != "absent":
		attrs["strides"] = [1] * n if what == "1" else [2] * n if what == "2" else [1, 2, 3][:n] if g.d.chance(2) else [3, 1, 2][:n]
	return kernel


def window_output(attrs, shape, kernel, ceil_mode=False):
	"""What the window makes of each dimension; -1 where it makes nothing."""
	n = len(shape) - 2
	out = []
	for i in range(n):
		size, stride = shape[2 + i], attrs.get("strides", [1] * n)[i]
		extent = (kernel[i] - 1) * attrs.get("dilations", [1] * n)[i] + 1
		auto = attrs.get("auto_pad", "NOTSET")
		if auto.startswith("SAME"):
			out.append(-(-size // stride))
			continue
		pads = attrs.get("pads", [0] * 2 * n) if auto == "NOTSET" else [0] * 2 * n
		if len(pads) != 2 * n:
			return None
		room = size + pads[i] + pads[n + i] - extent
		if room < 0:
			return None
		count = room // stride + 1
		if ceil_mode and room % stride and count * stride < size + pads[i]:
			count += 1
		out.append(count)
	return out


# ---- weights ----


def weights(g, op, v, shape, axis, opset, per_channel_allowed=True):
	"""Constant weights: names of integers, scale, zero point, a real tensor, and the scales of the outputs."""
	dtype, zero, many = g.d.pick([(INT8, 0, False), (INT8, 0, True), (UINT8, 128, False), (UINT8, 128, True), (UINT8, None, False),
				      (INT8, None, False), (INT8, None, True)], [6, 8, 3, 2, 1, 1, 1])
	if op.startswith("QLinear") and v.quant.dtype == INT8 and not g.d.chance(40):
		dtype, zero = INT8, 0
	many = many and per_channel_allowed and (opset >= 13 or op.startswith("QLinear"))
	outputs = shape[axis]
	if zero is None:
		zero = g.d.between(100, 156) if dtype == UINT8 else g.d.pick([1, -1, 3, -63])
		label = "other zero point"
	else:
		label = "symmetric"
	g.tag(op, "weights", f"{dtype} per {'channel' if many else 'tensor'}, {label}")
	most = 127 if not g.narrow and g.d.chance(4) else 64
	integers = g.rng.integers(-most, most + 1, shape) + (zero if dtype == UINT8 else 0)
	integers = np.clip(integers, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
	around = 0.01
	if many:
		scales = np.array([g.scale(around) for _ in range(outputs)], np.float32)
		zeros = np.full(outputs, zero, dtype)
		if zero and dtype == INT8 and g.d.chance(2):
			zeros[0] = 0
	else:
		scales, zeros = np.float32(g.scale(around)), np.array(zero, dtype)
	return dtype, integers, scales, zeros, many


def real_weights(g, op, w, channel_axis, opset):
	"""The real tensor of weights, in one of the ways that exporters write it."""
	dtype, integers, scales, zeros, many = w
	s = g.const(scales, "ws")
	z = g.const(zeros, "wz")
	attrs = {}
	if many:
		attrs["axis"] = channel_axis - (integers.ndim if g.d.chance(6) else 0)
		g.tag("DequantizeLinear", "axis", "negative" if attrs["axis"] < 0 else "of weights")
	elif g.since(13, 10):
		attrs["axis"] = 0
	zero_input = [z]
	if not np.any(zeros) and dtype == INT8 and g.d.chance(6):
		zero_input = []
		g.tag("DequantizeLinear", "x_zero_point", "absent")
	how = g.d.pick(["constant", "quantized", "identity", "reshaped", "transposed"], [20, 2, 1, 1, 1])
	g.tag(op, "weights are", how)
	if how == "quantized":
		axis = [1] * integers.ndim
		axis[channel_axis] = -1
		shape = (scales.reshape(axis), zeros.reshape(axis)) if many else (scales, zeros)
		exact = (integers.astype(np.float32) - shape[1].astype(np.float32)) * shape[0]
		w_name = g.node("QuantizeLinear", [g.const(exact.astype(np.float32), "wf"), s, z], {"axis": channel_axis} if many else {})
	elif how == "identity":
		w_name = g.node("Identity", [g.const(integers, "w")])
	elif how == "reshaped":
		if opset < 5:
			w_name = g.const(integers, "w")
		else:
			flat = g.const(integers.reshape([integers.shape[0], -1] if g.d.chance(2) else [-1]), "w")
			w_name = g.node("Reshape", [flat, g.const(np.array(integers.shape, np.int64), "d")])
	elif how == "transposed":
		perm = list(range(integers.ndim))[::-1]
		turned = g.const(np.ascontiguousarray(integers.transpose(perm)), "w")
		w_name = g.node("Transpose", [turned], {"perm": perm} if g.d.chance(2) else {})
	else:
		w_name = g.const(integers, "w")
	name = g.node("DequantizeLinear", [w_name, s, *zero_input], attrs)
	return name, (w_name, s, z)


def bias(g, op, x, w, outputs, shape=None):
	"""A real bias: its name (None: none), the int32 constant for the twin, and whether a twin is possible."""
	dtype, _, scales, _, many = w
	how = g.d.pick(["none", "int32", "float", "float, between steps", "int32, other scale", "int32, nearly its scale", "one for all"],
		       [24, 32, 6, 1, 1, 1, 1])
	g.tag(op, "bias", how)
	if how == "none":
		return None, None, True
	count = 1 if how == "one for all" else outputs
	integers = g.rng.integers(-3000, 3001, count).astype(np.int32)
	step = (np.float32(x.quant.scale) * scales).astype(np.float32)
	whole = True
	if how == "one for all":
		step = np.float32(np.ravel(step)[0])
		whole = False
	full = np.full(shape, 0, np.int32) if shape else None
	reshape = (lambda a: (np.broadcast_to(a, shape) if full is not None and a.size > 1 else a).copy()) if shape else (lambda a: a)
	if how.startswith("float"):
		with np.errstate(all="ignore"):
			real = (integers * step).astype(np.float32)
			if how != "float":
				real = real + (step * np.float32(0.3))
				whole = False
		name = g.const(reshape(real.astype(np.float32)), "b")
		g.count += 1
		twin = f"bt{g.count}"
		if whole:
			g.twin_inits.append(helper.make_tensor(twin, TensorProto.INT32, integers.shape, integers.tobytes(), raw=True))
		return name, twin, whole
	if how == "int32, other scale":
		step, whole = (step * np.float32(1.5)).astype(np.float32), False
	if how == "int32, nearly its scale":
		step, whole = (step * np.float32(1 + 4e-6)).astype(np.float32), False
	if many and how == "one for all":
		whole = False
	name = g.const(reshape(integers), "b")
	inputs = [name, g.const(step, "bs")]
	if g.d.chance(2):
		inputs.append(g.const(np.zeros_like(step, np.int32), "bz"))
	twin = name
	if shape:
		g.count += 1
		twin = f"bt{g.count}"
		g.twin_inits.append(helper.make_tensor(twin, TensorProto.INT32, integers.shape, integers.tobytes(), raw=True))
	if many and how != "one for all":
		axis = len(shape) - 1 if shape and len(shape) > 1 else 0
		return g.node("DequantizeLinear", inputs, {"axis": axis} if g.opset >= 13 else {}), twin, whole
	return g.node("DequantizeLinear", inputs), twin, whole


# ---- operators that compute ----


def conv(g, v, opset, linear=False):
	op = "QLinearConv" if linear else "Conv"
	n = spatial(g, v.shape)
	channels = v.shape[1]
	attrs = {}
	group = g.d.pick(["absent", "1", "depthwise", "several"], [6, 3, 4, 6])
	groups = 1
	if group == "depthwise":
		groups = channels
	elif group == "several":
		groups = next((k for k in (2, 3, 4) if channels % k == 0 and k < channels), 1)
	g.tag(op, "group", group if groups > 1 or group in ("absent", "1") else "1")
	if group != "absent":
		attrs["group"] = groups
	outputs = groups * g.d.between(1, 2 if groups > 1 else 5)
	if groups == 1 and g.d.chance(15):
		outputs = g.d.pick([8, 33])
	kernel = [g.d.between(1, 3) for _ in range(n)]
	if g.d.chance(15):
		kernel[0] = 5
	kernel = window(g, op, attrs, v, kernel)
	what = g.d.pick(["absent", "given", "wrong"], [40, 40, 1])
	g.tag(op, "kernel_shape", what)
	if what != "absent":
		attrs["kernel_shape"] = kernel if what == "given" else [k + 1 for k in kernel]
	out = window_output(attrs, v.shape, kernel)
	w = weights(g, op, v, [outputs, channels // groups, *kernel], 0, opset)
	shape = [v.shape[0], outputs, *(out or [1] * n)]
	mean_scale = float(np.mean(w[2]))
	hint = float(v.quant.scale) * mean_scale * math.sqrt(channels // groups * math.prod(kernel)) * 30
	if linear:
		x_names = g.quant_names_always(v.quant)
		y = g.result_quant(Value("", shape, True, None, hint), v.quant)
		inputs = [v.name, *x_names, g.const(w[1], "w"), g.const(w[2], "ws"), g.const(w[3], "wz"), *g.quant_names_always(y)]
		if g.d.chance(2):
			inputs.append(g.const(g.rng.integers(-3000, 3001, outputs).astype(np.int32), "b"))
			g.tag(op, "bias", "int32")
		else:
			g.tag(op, "bias", "none")
		return g.keep(Value(g.node(op, inputs, attrs), shape, False, y))
	x = g.dequantize(v)
	w_name, w_names = real_weights(g, op, w, 0, opset)
	b_name, b_twin, whole = bias(g, op, v, w, outputs)
	name = g.node("Conv", [x.name, w_name] + ([b_name] if b_name else []), attrs)
	one = Sum([len(g.nodes) - 1], v, w_names, b_twin, "QLinearConv", {k: a for k, a in attrs.items() if k != "made_up"}, shape, None, whole)
	g.sums.append(one)
	return Value(name, shape, True, None, hint, [one])


def qlinear_conv(g, v, opset):
	return conv(g, v, opset, True)


def gemm(g, v, opset):
	rows, inner = v.shape
	attrs = {}
	alpha = g.attr("Gemm", attrs, "alpha", [("absent", None), ("1", 1.0), ("other", 0.5)], [30, 20, 1])
	beta = g.attr("Gemm", attrs, "beta", [("absent", None), ("1", 1.0), ("other", 2.0), ("0", 0.0)], [30, 20, 1, 1])
	trans_a = g.attr("Gemm", attrs, "transA", [("absent", None), ("0", 0), ("1", 1)], [30, 20, 1])
	trans_b = g.attr("Gemm", attrs, "transB", [("absent", None), ("0", 0), ("1", 1)], [3, 3, 4])
	if trans_a:
		rows, inner = inner, rows
	outputs = g.d.pick([g.d.between(1, 6), rows], [4, 1])
	axis = 0 if trans_b else 1
	w = weights(g, "Gemm", v, [outputs, inner] if trans_b else [inner, outputs], axis, opset)
	c_shape = g.d.pick(["[N]", "[1, N]", "[1]", "[]", "[M, 1]", "[M, N]"], [8, 8, 10, 9, 2, 10])
	shapes = {"[N]": None, "[1, N]": (1, outputs), "[1]": None, "[]": None, "[M, 1]": (rows, 1), "[M, N]": (rows, outputs)}
	x = g.dequantize(v)
	w_name, w_names = real_weights(g, "Gemm", w, axis, opset)
	step = np.float32(v.quant.scale) * np.float32(np.ravel(w[2])[0])
	if c_shape in ("[1]", "[]", "[M, 1]"):
		dims = {"[1]": (1,), "[]": (), "[M, 1]": (rows, 1)}[c_shape]
		integers = g.rng.integers(-3000, 3001, dims).astype(np.int32)
		b_name = g.node("DequantizeLinear", [g.const(integers, "b"), g.const(np.float32(step), "bs")])
		b_twin, whole = None, False
	else:
		b_name, b_twin, whole = bias(g, "Gemm", v, w, outputs, shapes[c_shape])
	g.tag("Gemm", "C", c_shape if b_name else "absent")
	if b_name is None and g.d.chance(3):
		g.tag("Gemm", "C", "empty name")
		b_name = ""
	shape = [rows, outputs]
	hint = float(v.quant.scale) * float(np.mean(w[2])) * math.sqrt(inner) * 30
	name = g.node("Gemm", [x.name, w_name] + ([b_name] if b_name is not None else []), attrs)
	plain = (alpha in (None, 1.0)) and (beta in (None, 1.0) or not b_name) and not trans_a and whole
	one = Sum([len(g.nodes) - 1], v, w_names, b_twin if b_name else None, "QGemm", {"transB": trans_b or 0}, shape, None, plain)
	g.sums.append(one)
	return Value(name, shape, True, None, hint, [one])


def matmul(g, v, opset, with_add=None):
	inner = v.shape[-1]
	outputs = g.d.between(1, 6)
	form = g.d.pick(["2", "1", "3", "activations", "constant on the left"], [40, 1, 1, 1, 1])
	g.tag("MatMul", "weights' dimensions", form)
	g.tag("MatMul", "input's dimensions", len(v.shape))
	x = g.dequantize(v)
	if form == "activations":
		other = g.dequantize(g.input([v.shape[0], *v.shape[1:-2], inner, outputs] if len(v.shape) > 2 else [inner, outputs]))
		name = g.node("MatMul", [x.name, other.name])
		g.sums.append(Sum([len(g.nodes) - 1], v, (), None, "", {}, [], None, False))
		return Value(name, [*v.shape[:-1], outputs], True, None, float(v.quant.scale) * 2, [g.sums[-1]])
	if form == "constant on the left":
		w = weights(g, "MatMul", v, [outputs, v.shape[-2] if len(v.shape) > 1 else inner], 0, opset, False)
		w_name, _ = real_weights(g, "MatMul", w, 0, opset)
		name = g.node("MatMul", [w_name, x.name])
		g.sums.append(Sum([len(g.nodes) - 1], v, (), None, "", {}, [], None, False))
		shape = [*v.shape[:-2], outputs, v.shape[-1]] if len(v.shape) > 1 else [outputs]
		return Value(name, shape, True, None, float(v.quant.scale) * 0.3, [g.sums[-1]])
	w_shape = {"2": [inner, outputs], "1": [inner], "3": [1, inner, outputs]}[form]
	axis = len(w_shape) - 1
	w = weights(g, "MatMul", v, w_shape, axis, opset, form == "2")
	w_name, w_names = real_weights(g, "MatMul", w, axis, opset)
	name = g.node("MatMul", [x.name, w_name])
	shape = [*v.shape[:-1], outputs] if form != "1" else v.shape[:-1]
	if form == "3":
		shape = shape if len(shape) > 2 else [1, *shape]
	hint = float(v.quant.scale) * float(np.mean(w[2])) * math.sqrt(inner) * 30
	one = Sum([len(g.nodes) - 1], v, w_names, None, "QGemm", {"transB": 0}, shape, None, form == "2")
	g.sums.append(one)
	out = Value(name, shape, True, None, hint, [one])
	if with_add and form == "2":
		b_shape = g.d.pick(["[N]", "[1, N]", "[1, 1, N]", "[M, N]"], [8, 3, 1, 1])
		dims = {"[N]": None, "[1, N]": (1, outputs), "[1, 1, N]": (1, 1, outputs), "[M, N]": (shape[-2], outputs)}[b_shape]
		b_name, b_twin, whole = bias(g, "MatMul+Add", v, w, outputs, dims)
		if b_name:
			g.tag("MatMul+Add", "shape of the bias", b_shape)
			g.tag("MatMul+Add")
			order = [name, b_name] if not g.d.chance(4) else [b_name, name]
			out.name = g.node("Add", order)
			one.at.append(len(g.nodes) - 1)
			one.bias = b_twin
			one.whole = one.whole and whole and b_shape != "[M, N]"
			rank = len(dims or (0,))
			out.shape = one.shape = [1] * max(0, rank - len(shape)) + shape
	return out


def matmul_add(g, v, opset):
	return matmul(g, v, opset, True)


def qlinear_matmul(g, v, opset):
	inner, outputs = v.shape[-1], g.d.between(1, 6)
	w = weights(g, "QLinearMatMul", v, [inner, outputs], 1, opset)
	shape = [*v.shape[:-1], outputs]
	hint = float(v.quant.scale) * float(np.mean(w[2])) * math.sqrt(inner) * 30
	y = g.result_quant(Value("", shape, True, None, hint), v.quant)
	inputs = [v.name, *g.quant_names_always(v.quant), g.const(w[1], "w"), g.const(w[2], "ws"), g.const(w[3], "wz"), *g.quant_names_always(y)]
	g.tag("QLinearMatMul", "input's dimensions", len(v.shape))
	return g.keep(Value(g.node("QLinearMatMul", inputs), shape, False, y))


def same_shape(g, v, op):
	"""A second operand: another input, the same tensor, an earlier one, a constant, or one that is broadcast."""
	earlier = [e for e in g.values if e.shape == v.shape and e.quant and e.name != v.name]
	what = g.d.pick(["input", "itself", "earlier", "constant", "broadcast"], [20, 4, 4, 1, 1])
	if what == "earlier" and not earlier:
		what = "input"
	g.tag(op, "operand", what)
	if what == "itself":
		return v, v.shape
	if what == "earlier":
		return g.d.pick(earlier), v.shape
	like = g.d.pick(["other", "same", "same scale"])
	around = float(v.quant.scale) if 1e-30 < float(v.quant.scale) < 1e30 else 1.0
	q = v.quant if like == "same" and v.quant.dtype in (UINT8, INT8) else g.quant(around, v.quant.dtype if not g.d.chance(20) else None)
	if like == "same scale":
		q = Quant(q.dtype, v.quant.scale, q.zero)
	if what == "input":
		return g.input(v.shape, q, False if op == "QLinearAdd" and not g.d.chance(3) else None), v.shape
	shape = list(v.shape)
	if what == "broadcast":
		how = g.d.below(3)
		if how == 0:
			shape = shape[1:] if len(shape) > 1 else [1]
		elif how == 1:
			shape = [1] * len(shape)
		else:
			shape[-1] = 1
		if g.d.chance(2) and shape and len(shape) == len(v.shape) and shape[0] == v.shape[0]:
			return g.input(shape, q), v.shape
	name = g.const(g.random_integers(shape, q.dtype), "k")
	return Value(name, shape, False, q), v.shape


def add(g, v, opset):
	a = g.dequantize(v)
	other, shape = same_shape(g, v, "Add")
	b = g.dequantize(other)
	attrs = {}
	if opset < 7 and g.d.chance(3):
		g.attr("Add", attrs, "broadcast", [("0", 0), ("1", 1)])
	names = [a.name, b.name] if not g.d.chance(4) else [b.name, a.name]
	factor = g.d.pick([1, 2, 0.5])
	return Value(g.node("Add", names, attrs), shape, True, None, float(v.quant.scale) * factor)


def qlinear_add(g, v, opset):
	other, shape = same_shape(g, v, "QLinearAdd")
	y = g.result_quant(Value("", shape, True, None, float(v.quant.scale) * g.d.pick([1, 2])), v.quant)
	inputs = []
	for one in (v.quant, other.quant, y):
		names = g.quant_names_always(one)
		if one.zero == 0 and g.d.chance(8):
			names[1] = ""
			g.tag("QLinearAdd", "zero point", "absent")
		inputs += names
	if inputs[-1] == "":
		inputs.pop()
	inputs = [v.name, *inputs[:2], other.name, *inputs[2:]]
	return g.keep(Value(g.node("QLinearAdd", inputs, {}, domain="com.microsoft"), shape, False, y))


def average_pool(g, v, opset):
	n = spatial(g, v.shape)
	attrs = {}
	kernel = window(g, "AveragePool", attrs, v, [g.d.between(1, 3) for _ in range(n)], opset >= 19)
	attrs["kernel_shape"] = kernel
	g.attr("AveragePool", attrs, "count_include_pad", [("absent", None), ("0", 0), ("1", 1)])
	ceil_mode = g.attr("AveragePool", attrs, "ceil_mode", [("absent", None), ("0", 0), ("1", 1)], [2, 2, 3]) if opset >= 10 else 0
	if g.d.chance(300):
		g.tag("AveragePool", "kernel_shape", "absent")
		del attrs["kernel_shape"]
	x = g.dequantize(v)
	out = window_output(attrs, v.shape, kernel, ceil_mode) or [1] * n
	scale = float(v.quant.scale)
	hint = scale * g.d.pick([1, 0.6, 0.25])
	quant = v.quant if g.d.chance(3) else None
	return Value(g.node("AveragePool", [x.name], attrs), [*v.shape[:2], *out], True, quant, hint)


def global_average_pool(g, v, opset):
	x = g.dequantize(v)
	quant = v.quant if g.d.chance(3) else None
	g.tag("GlobalAveragePool", "dimensions", len(v.shape))
	return Value(g.node("GlobalAveragePool", [x.name]), [*v.shape[:2], *[1] * spatial(g, v.shape)], True, quant, float(v.quant.scale) / 2)


def qlinear_global_average_pool(g, v, opset):
	attrs = {}
	last = g.attr("QLinearGlobalAveragePool", attrs, "channels_last", [("absent", None), ("0", 0), ("1", 1)], [3, 3, 1])
	n = spatial(g, v.shape)
	shape = [*v.shape[:2], *[1] * n] if not last else [v.shape[0], *[1] * n, v.shape[-1]]
	y = v.quant if g.d.chance(3) else g.result_quant(Value("", shape, True, None, float(v.quant.scale) / 2), v.quant)
	inputs = [v.name, *g.quant_names_always(v.quant), *g.quant_names_always(y)]
	return g.keep(Value(g.node("QLinearGlobalAveragePool", inputs, attrs, domain="com.microsoft"), shape, False, y))


# ---- operators that move or clamp ----


def moved(v, name, shape):
	return Value(name, list(shape), v.real, v.quant, v.hint, v.sums)


def max_pool(g, v, opset):
	n = spatial(g, v.shape)
	attrs = {}
	kernel = window(g, "MaxPool", attrs, v, [g.d.between(1, 3) for _ in range(n)], opset >= 10)
	attrs["kernel_shape"] = kernel
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
	       [3, 3, 1, 1, 1, 1])
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
	if g.d.chance(60):
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
