# SPDX-License-Identifier: MIT
"""Operators that compute, with random attributes, for graphs.py. Each takes the graph, a value and the opset, and returns the result: integers,
or a real value that a QuantizeLinear has yet to round."""
import math

import numpy as np
from onnx import TensorProto, helper

from random_onnx.builder import INT8, UINT8, Quant, Sum, Value

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


def conv_transpose(g, v, opset):
	op, attrs = "ConvTranspose", {}
	n, channels = spatial(g, v.shape), v.shape[1]
	group = g.d.pick(["absent", "1", "depthwise", "several"], [6, 3, 4, 4])
	groups = channels if group == "depthwise" else 1
	if group == "several":
		groups = next((k for k in (2, 3, 4) if channels % k == 0 and k < channels), 1)
	g.tag(op, "group", group)
	if group != "absent":
		attrs["group"] = groups
	of_group = g.d.between(1, 2 if groups > 1 else 5)
	kernel = [g.d.between(1, 4) for _ in range(n)]

	def numbers(name, highest, weights, lowest=1, count=n):
		what = g.d.pick(["absent", "given"], weights)
		g.tag(op, name, what)
		values = [g.d.between(lowest, highest) for _ in range(count)]
		if what == "given":
			attrs[name] = values
			return values
		return [lowest] * count

	strides = numbers("strides", 3, [1, 3])
	dilations = numbers("dilations", 2, [3, 1])
	pads = numbers("pads", 2, [1, 1], 0, 2 * n)
	more = [0] * n
	what = g.d.pick(["absent", "below strides", "any"], [20, 8, 1])
	g.tag(op, "output_padding", what)
	if what != "absent":
		more = [g.d.below(s if what != "any" else 3) for s in strides]
		attrs["output_padding"] = more
	whole = [(v.shape[2 + i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + more[i] for i in range(n)]
	out = [whole[i] - pads[i] - pads[n + i] for i in range(n)]
	what = g.d.pick(["absent", "given", "beside pads", "all dimensions"], [20, 5, 1, 1])
	g.tag(op, "output_shape", what)
	if what != "absent":
		out = [max(1 if g.d.chance(20) else v.shape[2 + i], w - g.d.below(4)) for i, w in enumerate(whole)]
		attrs["output_shape"] = out if what != "all dimensions" else [v.shape[0], of_group * groups, *out]
		if what != "beside pads":
			attrs.pop("pads", None)
	g.attr(op, attrs, "auto_pad", [("absent", None), ("NOTSET", "NOTSET"), ("SAME_UPPER", "SAME_UPPER"), ("VALID", "VALID")], [40, 20, 1, 1])
	g.attr(op, attrs, "kernel_shape", [("absent", None), ("given", kernel)], [2, 1])
	outputs = of_group * groups
	w = weights(g, op, v, [channels, of_group, *kernel], 1, opset, groups == 1)
	x = g.dequantize(v)
	w_name, w_names = real_weights(g, op, w, 1, opset)
	b_name, _, _ = bias(g, op, v, w, outputs)
	name = g.node(op, [x.name, w_name] + ([b_name] if b_name else []), attrs)
	one = Sum([len(g.nodes) - 1], v, w_names, None, "", {}, [], None, False)
	g.sums.append(one)
	hint = float(v.quant.scale) * float(np.mean(w[2])) * math.sqrt(channels // groups * math.prod(kernel)) * 30
	return Value(name, [v.shape[0], outputs, *[max(1, size) for size in out]], True, None, hint, [one])


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
	c_shape = g.d.pick(["[N]", "[1, N]", "[1]", "[]", "[M, 1]", "[M, N]"], [8, 8, 10, 9, 2, 25 if rows == 1 else 1])
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
	what = g.d.pick(["input", "itself", "earlier", "constant", "broadcast"], [20, 4, 4, 8, 8])
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
		return g.input(v.shape, q, False if op.startswith("QLinear") and not g.d.chance(3) else None), v.shape
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


def of_two(op):
	def make(g, v, opset):
		a = g.dequantize(v)
		other, shape = same_shape(g, v, op)
		b = g.dequantize(other)
		attrs = {}
		if op == "Add" and opset < 7 and g.d.chance(3):
			g.attr("Add", attrs, "broadcast", [("0", 0), ("1", 1)])
		swap = op != "PRelu" and g.d.chance(4)
		names = [b.name, a.name] if swap else [a.name, b.name]
		if op in ("Min", "Max") and g.d.chance(4):
			names.append(g.dequantize(same_shape(g, v, op)[0]).name)
			g.tag(op, "operands", "3")
		scale = float(v.quant.scale) * (float(other.quant.scale) * 40 if op in ("Mul", "PRelu") else 1)
		if op == "Div":
			scale = 0.05
		factor = g.d.pick([1, 2, 0.5])
		return Value(g.node(op, names, attrs), shape, True, None, scale * factor)
	return make


def qlinear_two(op):
	def make(g, v, opset):
		other, shape = same_shape(g, v, op)
		hint = float(v.quant.scale) * (float(other.quant.scale) * 40 if op == "QLinearMul" else 1)
		y = g.result_quant(Value("", shape, True, None, hint * g.d.pick([1, 2])), v.quant)
		inputs = []
		for one in (v.quant, other.quant, y):
			names = g.quant_names_always(one)
			if one.zero == 0 and g.d.chance(8):
				names[1] = ""
				g.tag(op, "zero point", "absent")
			inputs += names
		if inputs[-1] == "":
			inputs.pop()
		inputs = [v.name, *inputs[:2], other.name, *inputs[2:]]
		return g.keep(Value(g.node(op, inputs, {}, domain="com.microsoft"), shape, False, y))
	return make


def average_pool(g, v, opset):
	n = spatial(g, v.shape)
	attrs = {}
	kernel = window(g, "AveragePool", attrs, v, [g.d.between(1, 3) for _ in range(n)], opset >= 19)
	attrs["kernel_shape"] = kernel
	g.tag("AveragePool", "kernel_shape", "given")
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


def last_to_first(shape, last):
	"""A shape with the channels behind the batch, of one that has them at the end."""
	return [shape[0], shape[-1], *shape[1:-1]] if last else list(shape)


def first_to_last(shape, last):
	return [shape[0], *shape[2:], shape[1]] if last else list(shape)


def qlinear_average_pool(g, v, opset):
	op, attrs = "QLinearAveragePool", {}
	last = g.attr(op, attrs, "channels_last", [("absent", None), ("0", 0), ("1", 1)], [3, 3, 3])
	image = Value("", last_to_first(v.shape, last), True, v.quant)
	n = spatial(g, image.shape)
	kernel = list(image.shape[2:]) if g.d.chance(8) else [g.d.between(1, 3) for _ in range(n)]
	kernel = window(g, op, attrs, image, kernel, g.d.chance(300))
	attrs["kernel_shape"] = kernel
	g.tag(op, "kernel_shape", "given")
	g.attr(op, attrs, "count_include_pad", [("absent", None), ("0", 0), ("1", 1)])
	ceil_mode = g.attr(op, attrs, "ceil_mode", [("absent", None), ("0", 0), ("1", 1)], [2, 2, 3])
	if g.d.chance(300):
		g.tag(op, "kernel_shape", "absent")
		del attrs["kernel_shape"]
	out = window_output(attrs, image.shape, kernel, ceil_mode) or [1] * n
	shape = first_to_last([*image.shape[:2], *out], last)
	hint = float(v.quant.scale) * g.d.pick([1, 0.6, 0.25])
	y = v.quant if g.d.chance(3) else g.result_quant(Value("", shape, True, None, hint), v.quant)
	inputs = [v.name]
	for one in (v.quant, y):
		inputs += g.quant_names_always(one)
		if one.zero == 0 and g.d.chance(8):
			inputs[-1] = ""
			g.tag(op, "zero point", "absent")
	if inputs[-1] == "":
		inputs.pop()
	return g.keep(Value(g.node(op, inputs, attrs, domain="com.microsoft"), shape, False, y))


def global_average_pool(g, v, opset):
	x = g.dequantize(v)
	quant = v.quant if g.d.chance(3) else None
	g.tag("GlobalAveragePool", "dimensions", len(v.shape))
	return Value(g.node("GlobalAveragePool", [x.name]), [*v.shape[:2], *[1] * spatial(g, v.shape)], True, quant, float(v.quant.scale) / 2)


def qlinear_global_average_pool(g, v, opset):
	attrs = {}
	last = g.attr("QLinearGlobalAveragePool", attrs, "channels_last", [("absent", None), ("0", 0), ("1", 1)], [3, 3, 3])
	n = spatial(g, v.shape)
	shape = first_to_last([*last_to_first(v.shape, last)[:2], *[1] * n], last)
	y = v.quant if g.d.chance(3) else g.result_quant(Value("", shape, True, None, float(v.quant.scale) / 2), v.quant)
	inputs = [v.name, *g.quant_names_always(v.quant), *g.quant_names_always(y)]
	return g.keep(Value(g.node("QLinearGlobalAveragePool", inputs, attrs, domain="com.microsoft"), shape, False, y))
