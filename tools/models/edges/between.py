# SPDX-License-Identifier: MIT
"""The tables of write.py for TensorFlow Lite: what models of integers compute in float32 between a DEQUANTIZE and a QUANTIZE beside functions of one
element; quotients; functions of int16; means of long windows; activations that end between two steps."""
import itertools

import numpy as np

import tflite.model
from edges.tflite import begin, case
from tflite.model import NONE, RELU6, RELU_N1_TO_1, VALID

SHAPE = (1, 6, 5, 4)


class Part:
	"""A model of integers with operators of float32 in it."""

	def __init__(self, name, dtype="int8"):
		self.name, self.m, self.dtype = name, begin(name), dtype

	def real(self, scale=0.04, zero=3, shape=SHAPE):
		x = self.m.input(shape, self.dtype, scale, 0 if self.dtype == "int16" else zero)
		return self.make("DEQUANTIZE", [x], list(shape))

	def make(self, op, inputs, shape, *options, version=1, dtype="float32"):
		y = self.m.tensor(list(shape), dtype)
		self.m.add(op, inputs, [y], *options, version=version)
		return y

	def floats(self, *values):
		return self.m.tensor([len(values)], "float32", data=np.array(values, np.float32))

	def done(self, y, shape=SHAPE, scale=0.05, zero=-7, says=None):
		out = self.m.tensor(list(shape), self.dtype, scale, 0 if self.dtype == "int16" else zero)
		self.m.add("QUANTIZE", [y], [out], version=1 if self.dtype != "int16" else 2)
		return case(self.name, self.m, [out], says)


def parts():
	"""Operators of two tensors, of vectors, and such as move what they make; before and behind functions that are tables elsewhere."""
	for op in ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"):
		for dtype in ("int8", "int16"):
			p = Part(f"{op} of two tensors of {dtype}", dtype)
			scale, other = (0.04, 0.03) if dtype == "int8" else (0.0004, 0.0003)
			options = [NONE] if op in ("ADD", "SUB", "MUL", "DIV") else []
			yield p.done(p.make(op, [p.real(scale), p.real(other, -128)], SHAPE, *options), scale=0.06 if dtype == "int8" else 0.0006)
	p = Part("ADD of a row")
	yield p.done(p.make("ADD", [p.real(), p.real(0.02, 9, (1, 1, 1, 4))], SHAPE, RELU6))
	p = Part("a function in front, another behind")
	x = p.make("ABS", [p.real()], SHAPE)
	y = p.make("MUL", [x, p.make("NEG", [p.real(0.02)], SHAPE)], SHAPE, NONE)
	yield p.done(p.make("EXP", [y], SHAPE), scale=0.008, zero=-128)
	p = Part("a tensor that is a table and float32")
	x = p.make("SQUARE", [p.real(0.01)], SHAPE)
	yield p.done(p.make("ADD", [p.make("MUL", [x, p.real(0.02)], SHAPE, NONE), x], SHAPE, NONE))
	p = Part("a number for each channel, then two tensors")
	x = p.make("MUL", [p.real(), p.floats(1, -2, 0.5, 3)], SHAPE, NONE)
	yield p.done(p.make("ADD", [x, p.real(0.02)], SHAPE, NONE))
	for op, options, version in (("SOFTMAX", [1.0], 1), ("LOG_SOFTMAX", [], 1), ("L2_NORMALIZATION", [NONE], 1)):
		p = Part(op)
		yield p.done(p.make(op, [p.real()], SHAPE, *options, version=version), scale=0.06)
	for op in ("MEAN", "SUM", "REDUCE_MAX"):
		p = Part(f"{op} behind a function")
		y = p.make(op, [p.make("ABS", [p.real()], SHAPE), p.m.ints([1, 2])], (1, 4), 0)
		yield p.done(y, (1, 4), 0.3 if op != "SUM" else 1.1)
	p = Part("CONCATENATION of two scales")
	y = p.make("CONCATENATION", [p.real(), p.real(0.02)], (1, 6, 5, 8), 3, NONE)
	yield p.done(y, (1, 6, 5, 8))
	p = Part("RESHAPE, TRANSPOSE of what two tensors make")
	y = p.make("ADD", [p.real(), p.real(0.02)], SHAPE, NONE)
	y = p.make("TRANSPOSE", [y, p.m.ints([0, 3, 1, 2])], (1, 4, 6, 5))
	y = p.make("RESHAPE", [y, p.m.ints([1, 120])], (1, 120), [1, 120])
	yield p.done(y, (1, 120))
	p = Part("ZEROS_LIKE")
	x = p.real()
	y = p.make("MAXIMUM", [x, p.make("ZEROS_LIKE", [x], SHAPE)], SHAPE)
	yield p.done(y)
	p = Part("SELECT by what is greater")
	x, y = p.real(), p.real(0.02)
	yield p.done(p.make("SELECT", [p.make("GREATER", [x, y], SHAPE, dtype="bool"), x, y], SHAPE))


def quotients():
	"""DIV of 8 bits: pairs from end to end, and around 0; broadcast; constants; ratios."""
	for dtype, ratio in itertools.product(("int8", "uint8"), ((0.0212, 0.0179, 0.00572), (0.03, 0.01, 0.05), (0.1, 0.002, 0.9))):
		name = f"DIV of {dtype} {ratio}"
		m, low = begin(name), -128 if dtype == "int8" else 0
		zeros = [low + 90, low + 60, low + 100]
		some = np.concatenate([np.arange(0, 256, 5), np.arange(84, 97)])
		a, b = np.meshgrid(some + low, np.concatenate([some, np.arange(55, 66)]) + low, indexing="ij")
		x = [m.input((1, *a.shape), dtype, ratio[i], zeros[i]) for i in range(2)]
		b[b == zeros[1]] += 1  # nothing can be divided by 0
		for data, values in zip(m.data, (a, b)):
			data[...] = values.astype(dtype)
		y = m.tensor([1, *a.shape], dtype, ratio[2], zeros[2])
		m.add("DIV", x, [y], NONE, version=2)
		yield case(name, m, [y], None)
	for name, shape, constant in (("by a row", (1, 1, 1, 4), None), ("by a constant", (4,), 1), ("of a constant", (1, 1, 1, 4), 0)):
		m = begin(f"DIV {name}")
		x = []
		for i, zero in enumerate((-20, -128)):
			if i == constant:
				data = tflite.model.rng.integers(30, 120, shape).astype(np.int8)
				x.append(m.tensor(list(shape), "int8", 0.02, zero, data=data))
				continue
			x.append(m.input(SHAPE if constant is not None or not i else shape, "int8", 0.02, zero))
			m.data[-1][...] = tflite.model.rng.integers(0, 120, m.data[-1].shape)
		y = m.tensor(list(SHAPE), "int8", 0.01, 4)
		m.add("DIV", x, [y], NONE, version=2)
		yield case(f"DIV {name}", m, [y], None)
	m = begin("DIV by scales too far apart")
	x = [m.input(SHAPE, "int8", scale, 0) for scale in (1.0, 0.001)]
	y = m.tensor(list(SHAPE), "int8", 0.001, 0)
	m.add("DIV", x, [y], NONE, version=2)
	yield case("DIV by scales too far apart", m, [y], "below 32768")


def wide_functions():
	"""EXP, GELU, LOG, RSQRT, SQRT of int16, from end to end; of roots and logarithms none below 0, with which a run fails."""
	every = np.concatenate([np.arange(-32768, 32768, 61), np.arange(-130, 130), [32767]]).astype(np.int16)[None]
	for op, scales in itertools.product(("EXP", "GELU", "GELU by tanh", "LOG", "RSQRT", "SQRT"), ((0.0003, 0.0002), (0.00007, 0.00033), (0.0011, 0.001))):
		name = f"{op} of int16, {scales}"
		m = begin(name)
		x = m.input(every.shape, "int16", scales[0], 0)
		m.data[-1][...] = every if op[:4] in ("EXP", "GELU") else np.maximum(every, op == "LOG")
		y = m.tensor(list(every.shape), "int16", scales[1] * (8 if op == "RSQRT" else 1), 0)
		m.add(op.split()[0], [x], [y], *([op != "GELU"] if op[:4] == "GELU" else []), version=2)
		yield case(name, m, [y], None)


def others():
	"""Means of windows above 255; sums of int16 that repeat; means of it with far scales; activations that end between two steps."""
	for name, shape, (h, w), (down, across), padding in (("all", (1, 300, 2, 3), (300, 2), (1, 1), VALID), ("most", (1, 300, 1, 3), (290, 1), (3, 1), VALID),
							     ("padded", (1, 2, 400, 3), (1, 300), (1, 20), 0), ("long and wide", (1, 258, 130, 1), (256, 128), (1, 1), VALID)):
		for dtype in ("int8", "uint8"):
			m = begin(f"AVERAGE_POOL_2D, {name}, {dtype}")
			x = m.input(shape, dtype, 0.05, 3)
			sizes = [-(-n // s) if padding == 0 else (n - k) // s + 1 for n, k, s in zip(shape[1:3], (h, w), (down, across))]
			y = m.tensor([1, *sizes, shape[3]], dtype, 0.05, 3)
			m.add("AVERAGE_POOL_2D", [x], [y], padding, across, down, w, h, NONE, version=2)
			yield case(f"AVERAGE_POOL_2D, {name}, {dtype}", m, [y], None)
	for name, shape, (h, w), says in (("too many", (1, 1, 700, 1), (1, 256), "up to 256 of them"), ("too large", (1, 256, 256, 1), (256, 256), "averages of up to")):
		m = begin(f"AVERAGE_POOL_2D, {name}")
		y = m.tensor([1, shape[1] - h + 1, shape[2] - w + 1, 1], "int8", 0.05, 3)
		m.add("AVERAGE_POOL_2D", [m.input(shape, "int8", 0.05, 3)], [y], VALID, 1, 1, w, h, NONE, version=2)
		yield case(f"AVERAGE_POOL_2D, {name}", m, [y], says)
	for op, part in itertools.product(("ADD", "SUB"), ((1, 1, 1, 1, 4), (1, 1, 1, 3, 1), (1, 1, 5, 1, 4), (1, 1, 1, 1, 1))):
		for turned in (False, True):
			shapes = [(1, 6, 5, 3, 4), part][:: -1 if turned else 1]
			m = begin(f"{op} of {shapes}")
			x = [m.input(shape, "int16", scale, 0) for shape, scale in zip(shapes, (0.0004, 0.0003))]
			y = m.tensor([1, 6, 5, 3, 4], "int16", 0.0005, 0)
			m.add("ADD_INT16" if op == "ADD" else op, x, [y], NONE, 0, version=2 if op == "ADD" else 5)
			yield case(f"{op} of {shapes}", m, [y], None)
	for scales in ((0.0001, 0.00000165), (0.0001, 0.0000001), (0.5, 0.0001)):
		m = begin(f"MEAN of int16, {scales}")
		x = m.input((1, 16, 16, 8), "int16", scales[0], 0)
		m.data[-1][...] //= 50
		y = m.tensor([1, 8], "int16", scales[1], 0)
		m.add("MEAN", [x, m.ints([1, 2])], [y], 0, version=3)
		yield case(f"MEAN of int16, {scales}", m, [y], None)
	for zero in (0, -1, -128, 5):
		m = begin(f"an activation that ends between two steps, {zero}")
		w = m.tensor([5, 7], "int8", [0.01], 0, data=tflite.model.rng.integers(-127, 128, (5, 7)).astype(np.int8))
		y = m.tensor([1, 5], "int8", 2 / 255, zero)
		m.add("FULLY_CONNECTED", [m.input((1, 7), "int8", 0.02, 3), w], [y], RELU_N1_TO_1, 0, 0, version=5)
		yield case(f"an activation that ends between two steps, {zero}", m, [y], None)


TFLITE_FILES = {"tflite-float-parts": parts, "tflite-quotients": quotients, "tflite-wide-functions": wide_functions, "tflite-others": others}
