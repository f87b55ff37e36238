# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: models whose tensors are quantized by what is in them, as quantize_dynamic() writes them. Weights of int8 are small, because
ONNX Runtime's sums of their products have 16 bits in between on processors without VNNI."""
import numpy as np
from onnx import TensorProto

from common.cases import FLOAT_SUMS
from edges.controlled import Controlled, info
from edges.write import F32, I8, I64, U8

T = TensorProto


class Dynamic(Controlled):
	def small(self, *shape):
		return self.rng.integers(-60, 61, shape).astype(I8)

	def bytes(self, *shape):
		return self.rng.integers(0, 256, shape).astype(U8)

	def quantized(self, x):
		"""Integers, scale, zero point."""
		return self.add("DynamicQuantizeLinear", x, outputs=3)

	def real(self, sums, *scales, bias=None):
		"""What sums of integers stand for."""
		y = self.add("Mul", self.add("Cast", sums, to=T.FLOAT), self.add("Mul", *scales))
		return y if bias is None else self.add("Add", y, bias)

	def multiplied(self, x, weights, zero, scale, bias=None):
		integers, own, at = self.quantized(x)
		return self.real(self.add("MatMulInteger", integers, weights, at, zero), own, scale, bias=bias)

	def convolved(self, x, weights, zero=None, scale=F32(0.01), bias=None, **attrs):
		integers, own, at = self.quantized(x)
		zero = [] if zero is None else [zero]
		return self.real(self.add("ConvInteger", integers, weights, at, *zero, **attrs), own, scale, bias=bias)


def found():
	"""DynamicQuantizeLinear: ranges on both sides of 0, on one, of nothing; ties; any number of dimensions."""
	values = {
		"both sides": lambda g: g.floats(1, 7, 9, low=-3, high=5),
		"above 0": lambda g: g.floats(1, 40, low=2, high=9),
		"below 0": lambda g: g.floats(1, 40, low=-9, high=-2),
		"zeros": lambda g: np.zeros((1, 6), F32),
		"one number": lambda g: np.full((1, 1), -3, F32),
		"ties": lambda g: (np.arange(-100, 156, dtype=F32) / 2).reshape(1, -1),
		"ties, and an odd zero point": lambda g: np.concatenate([np.arange(-20, 20, dtype=F32) + F32(0.5), [F32(-101), F32(154)]]).reshape(1, -1),
		"a zero point between two": lambda g: np.array([[-0.5, 254.5, 3, 7]], F32),
		"small numbers": lambda g: g.floats(1, 30) * F32(1e-30),
		"large numbers": lambda g: g.floats(1, 30) * F32(1e30),
		"one dimension": lambda g: g.floats(11),
		"three rows": lambda g: g.floats(3, 11),
		"an image": lambda g: g.floats(1, 3, 5, 4),
		"two images": lambda g: g.floats(2, 3, 5, 4),
	}
	for name, make in values.items():
		g = Dynamic(f"DynamicQuantizeLinear, {name}")
		y, scale, zero = g.quantized(g.given(make(g)))
		yield g.done((y, T.UINT8), scale, (zero, T.UINT8))
	g = Dynamic("DynamicQuantizeLinear, of a convolved image")
	y = g.add("Conv", g.given(g.floats(1, 3, 6, 5)), g.floats(4, 3, 3, 3))
	y, scale, zero = g.quantized(y)
	yield g.done((y, T.UINT8), (g.add("Mul", scale, F32(3)), T.FLOAT), (zero, T.UINT8))


def products():
	"""MatMulInteger of what is quantized so: by weights, with a zero point, several, none; vectors, batches, both sides computed."""
	shapes = (("a row", (1, 24), (24, 5)), ("rows", (6, 24), (24, 5)), ("a sequence", (1, 6, 24), (24, 5)), ("two sequences", (2, 6, 24), (24, 5)),
		  ("a vector", (24,), (24, 5)), ("matrices", (2, 6, 24), (2, 24, 5)), ("long rows", (1, 3000), (3000, 9)))
	for name, x, w in shapes:
		for kind in ("u8", "i8"):
			g = Dynamic(f"MatMulInteger, {name}, {kind}")
			weights, zero = (g.bytes(*w), U8(119)) if kind == "u8" else (g.small(*w), I8(0))
			yield g.done(g.multiplied(g.given(g.floats(*x, low=-2, high=3)), weights, zero, F32(0.013), g.floats(w[-1])))
	for x in ((1, 4, 24), (3, 24)):
		g = Dynamic(f"MatMulInteger, scales and zero points of columns, {x}")
		yield g.done(g.multiplied(g.given(g.floats(*x)), g.bytes(24, 5), g.bytes(5), g.floats(5, low=0.01, high=0.02)))
	g = Dynamic("MatMulInteger, sums as they are")
	integers, _, at = g.quantized(g.given(g.floats(1, 24)))
	yield g.done((g.add("MatMulInteger", integers, g.bytes(24, 5), at, U8(3)), T.INT32))
	g = Dynamic("MatMulInteger, no zero point of weights")
	integers, _, at = g.quantized(g.given(g.floats(1, 24)))
	yield g.done((g.add("MatMulInteger", integers, g.bytes(24, 5), at), T.INT32))
	for left, right in (((1, 4, 24), (1, 24, 5)), ((2, 3, 4, 24), (2, 3, 24, 5)), ((1, 3, 4, 24), (1, 1, 24, 5))):
		g = Dynamic(f"MatMulInteger, both sides, {left} x {right}")
		(a, scale_a, zero_a), (b, scale_b, zero_b) = g.quantized(g.given(g.floats(*left, high=3))), g.quantized(g.given(g.floats(*right, low=-2)))
		yield g.done(g.real(g.add("MatMulInteger", a, b, zero_a, zero_b), scale_a, scale_b))
	g = Dynamic("MatMulInteger, a constant on the left")
	b, scale, zero = g.quantized(g.given(g.floats(2, 7, 5)))
	yield g.done(g.real(g.add("MatMulInteger", g.bytes(2, 3, 7), b, U8(77), zero), scale, F32(0.02)))
	g = Dynamic("MatMulInteger, three layers")
	y = g.given(g.floats(1, 16))
	for _ in range(3):
		y = g.add("Relu", g.multiplied(y, g.bytes(16, 16), U8(128), F32(0.01), g.floats(16)))
	yield g.done(y)
	g = Dynamic("MatMulInteger, an open batch")
	x = g.given(g.floats(1, 24))
	g.inputs[0] = info(x, "N", 24)
	yield g.done(g.multiplied(x, g.bytes(24, 5), U8(119), F32(0.013), g.floats(5)))
	g, body = Dynamic("MatMulInteger, in a Loop"), Dynamic("", "b_")
	after = body.add("Tanh", body.multiplied("state", g.bytes(6, 6), U8(100), F32(0.01), g.floats(6)))
	yield g.done(*g.loop(I64(4), body, [(g.given(g.floats(1, 6)), "state", after, (1, 6))], [(after, (1, 6))]))
	g = Dynamic("MatMulInteger, two zero points of a tensor")
	integers, _, _ = g.quantized(g.given(g.floats(2, 24)))
	zeros = g.add("Cast", g.given(g.floats(2, low=1, high=9)), to=T.UINT8)
	yield g.done((g.add("MatMulInteger", integers, g.bytes(24, 5), zeros, U8(3)), T.INT32), says="no constant, nor one number of a tensor")
	g = Dynamic("MatMulInteger, zero points of rows and of columns")
	integers, _, _ = g.quantized(g.given(g.floats(2, 24)))
	yield g.done((g.add("MatMulInteger", integers, g.bytes(24, 5), U8([3, 4]), g.bytes(5)), T.INT32), says="its zero points 0 differ")


def windows():
	"""ConvInteger of what is quantized so: padded or not, strides, dilations, groups, lines, long ones."""
	image = (1, 4, 9, 8)
	forms = (("1x1", (5, 4, 1, 1), {}), ("3x3", (5, 4, 3, 3), {}), ("padded", (5, 4, 3, 3), {"pads": [1, 1, 1, 1]}), ("padded unevenly", (5, 4, 3, 2), {"pads": [0, 1, 2, 1]}),
		 ("strides", (5, 4, 3, 3), {"pads": [1, 1, 1, 1], "strides": [2, 3]}), ("dilations", (5, 4, 3, 3), {"pads": [2, 2, 2, 2], "dilations": [2, 3]}),
		 ("auto_pad", (5, 4, 4, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}), ("groups", (6, 2, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}),
		 ("depthwise", (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}), ("depthwise, twice as many", (8, 1, 3, 3), {"group": 4, "strides": [2, 2]}))
	for name, w, attrs in forms:
		for kind in ("u8", "i8"):
			g = Dynamic(f"ConvInteger, {name}, {kind}")
			weights, zero = (g.bytes(*w), U8(119)) if kind == "u8" else (g.small(*w), None)
			yield g.done(g.convolved(g.given(g.floats(*image, low=-1, high=2)), weights, zero, bias=g.floats(1, w[0], 1, 1), **attrs))
	g = Dynamic("ConvInteger, a line")
	yield g.done(g.convolved(g.given(g.floats(1, 4, 20)), g.bytes(5, 4, 3), U8(128), pads=[1, 2], strides=[2]))
	g = Dynamic("ConvInteger, a long line")
	yield g.done(g.convolved(g.given(g.floats(1, 1, 900)), g.bytes(5, 1, 300), U8(128), strides=[160]))
	g = Dynamic("ConvInteger, a long line, padded")
	yield g.done(g.convolved(g.given(g.floats(1, 1, 900)), g.bytes(3, 1, 300), U8(20), strides=[160], pads=[150, 40]))
	g = Dynamic("ConvInteger, images")
	yield g.done(g.convolved(g.given(g.floats(3, 4, 6, 5)), g.bytes(5, 4, 3, 3), U8(119), pads=[1, 1, 1, 1]))
	g = Dynamic("ConvInteger, two, and a pool")
	y = g.add("Relu", g.convolved(g.given(g.floats(1, 3, 12, 12)), g.bytes(8, 3, 3, 3), U8(128), pads=[1] * 4, bias=g.floats(1, 8, 1, 1)))
	y = g.convolved(g.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2]), g.bytes(4, 8, 3, 3), U8(128), pads=[1] * 4)
	yield g.done(g.add("GlobalAveragePool", y))
	g = Dynamic("ConvInteger, an open batch")
	x = g.given(g.floats(1, 4, 6, 5))
	g.inputs[0] = info(x, "N", 4, 6, 5)
	yield g.done(g.convolved(x, g.bytes(5, 4, 3, 3), U8(119), pads=[1, 1, 1, 1], bias=g.floats(1, 5, 1, 1)))


def fused():
	"""The same as ONNX Runtime writes it when it optimizes: DynamicQuantizeMatMul, MatMulIntegerToFloat."""
	domain = {"domain": "com.microsoft"}
	for name, x in (("a row", (1, 24)), ("rows", (5, 24)), ("sequences", (2, 5, 24))):
		for zero in (None, U8(119)):
			for bias in (False, True):
				g = Dynamic(f"DynamicQuantizeMatMul, {name}{', a zero point' if zero else ''}{', a bias' if bias else ''}")
				more = [zero if zero else "", g.floats(5)] if bias else [zero] if zero else []
				yield g.done(g.add("DynamicQuantizeMatMul", g.given(g.floats(*x, high=3)), g.bytes(24, 5), F32(0.013), *more, **domain))
	g = Dynamic("DynamicQuantizeMatMul, scales of columns")
	yield g.done(g.add("DynamicQuantizeMatMul", g.given(g.floats(2, 24)), g.small(24, 5), g.floats(5, low=0.01, high=0.02), np.zeros(5, I8), **domain))
	for bias in (False, True):
		g = Dynamic(f"MatMulIntegerToFloat{', a bias' if bias else ''}")
		a, scale, zero = g.quantized(g.given(g.floats(1, 6, 24)))
		yield g.done(g.add("MatMulIntegerToFloat", a, g.bytes(24, 5), scale, F32(0.02), zero, U8(9), *([g.floats(5)] if bias else []), **domain))
	g = Dynamic("MatMulIntegerToFloat, both sides")
	(a, scale_a, zero_a), (b, scale_b, zero_b) = g.quantized(g.given(g.floats(2, 4, 24))), g.quantized(g.given(g.floats(2, 24, 5)))
	yield g.done(g.add("MatMulIntegerToFloat", a, b, scale_a, scale_b, zero_a, zero_b, **domain))
	g = Dynamic("DynamicQuantizeLSTM")
	w, r = g.small(1, 4, 12), g.small(1, 3, 12)
	y = g.add("DynamicQuantizeLSTM", g.given(g.floats(2, 1, 4)), w, r, g.floats(1, 24), "", "", "", "", F32([0.01]), I8([0]), F32([0.01]), I8([0]), hidden_size=3, **domain)
	yield g.done(y, says="no operator of that name")


def best():
	"""ArgMax, ArgMin and TopK of floats; Gemm with alpha, beta and transA."""
	for op in ("ArgMax", "ArgMin"):
		for axis in (1, -1):
			for last in (0, 1):
				g = Dynamic(f"{op}, {axis}, {'last' if last else 'first'}")
				x = g.given(np.round(g.floats(2, 5, 6, low=-4, high=4)))
				yield g.done((g.add(op, x, axis=axis, select_last_index=last, keepdims=last), T.INT64))
		g = Dynamic(f"{op}, no numbers")
		values = g.floats(4, 5)
		values[[0, 1, 2, 3, 3], [0, 1, 2, 0, 4]] = np.nan
		yield g.done((g.add(op, g.given(values), axis=1, select_last_index=int(op == "ArgMin")), T.INT64))
	for largest in (0, 1):
		for axis in (1, -1):
			g = Dynamic(f"TopK, {'largest' if largest else 'least'}, {axis}")
			x = g.given(g.floats(2, 30, 6, low=-4, high=4))
			values, places = g.add("TopK", x, I64([5]), outputs=2, axis=axis, largest=largest)
			yield g.done(values, (places, T.INT64))
	g = Dynamic("TopK, 0 and -0")
	values, places = g.add("TopK", g.given(np.array([[0, -0.0, 1, -1, 0, -0.0, np.inf, -np.inf]], F32)), I64([8]), outputs=2)
	yield g.done((places, T.INT64))
	for a, b, attrs in (((1, 6), (6, 4), {"alpha": 0.5}), ((1, 6), (6, 4), {"beta": 2.0}), ((3, 6), (4, 6), {"alpha": 0.3, "beta": -1.5, "transB": 1}), ((6, 3), (6, 4), {"transA": 1}),
			    ((6, 3), (4, 6), {"transA": 1, "transB": 1, "alpha": 0.25}), ((3, 6), (6, 4), {"beta": 0.0})):
		g = Dynamic(f"Gemm, {a}, {attrs}")
		yield g.done(g.add("Gemm", g.given(g.floats(*a)), g.floats(*b), g.floats(4), **attrs))
	g = Dynamic("Gemm, three tensors")
	yield g.done(g.add("Gemm", g.given(g.floats(6, 3)), g.given(g.floats(4, 6)), g.given(g.floats(1, 4)), transA=1, transB=1, alpha=0.5, beta=3.0))
	for a, more in (((3, 4), (5,)), ((3, 4), (3, 5)), ((2, 3, 4), (1,))):
		g = Dynamic(f"Gemm, {a}, {more} added to a column")
		yield g.done(g.add("Gemm", g.given(g.floats(*a)), g.floats(4, 1), g.floats(*more)), says="no matrices, or what it adds is larger than their product")


def taps():
	"""Pools of floats with dilations, and in three directions: padded, with strides, with and without what is padded."""
	shapes = ((1, 3, 11), (2, 3, 9, 8), (1, 2, 6, 7, 5))
	for shape in shapes:
		n = len(shape) - 2
		for op in ("MaxPool", "AveragePool"):
			for name, attrs in (("dilated", {"dilations": [2] * n}), ("strides", {"dilations": [1, 2, 1][:n], "strides": [2] * n}), ("padded", {"dilations": [2] * n, "pads": [1] * 2 * n}),
					    ("padding counts", {"dilations": [2] * n, "pads": [1] * 2 * n, "count_include_pad": 1}), ("rounded up", {"dilations": [2] * n, "strides": [2] * n, "ceil_mode": 1})):
				if op == "AveragePool" or name != "padding counts":
					g = Dynamic(f"{op}, {shape}, {name}")
					y = g.add(op, g.given(g.floats(*shape)), kernel_shape=[2] * n, **attrs)
					g.outputs.append(info(y, *[None] * len(shape)))
					yield g.case(19, None, FLOAT_SUMS)
	g = Dynamic("MaxPool, a window beside the line")
	g.outputs.append(info(g.add("MaxPool", g.given(g.floats(1, 1, 1)), kernel_shape=[2], dilations=[2], pads=[1, 1]), None, None, None))
	yield g.case(19, "padding only, which has no greatest element", FLOAT_SUMS)


FILES = {"dynamic_scales": found, "dynamic_products": products, "dynamic_windows": windows, "dynamic_fused": fused, "float_best": best, "float_taps": taps}
