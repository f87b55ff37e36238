# SPDX-License-Identifier: MIT
"""Products of matrices, and what goes along a dimension, at the ends of what they do, for write.py."""
import numpy as np

from common import cases
from edges.write import F32, I32, I64, I8, U8, Graph, In, one

WIDE = (3.0, 120)
SUMS = cases.FLOAT_SUMS


def with_weights(name, shape, weights, left=False, says=None, image=False):
	"""A tensor times a constant, or the other way around."""
	g = Graph(name)
	operands = [g.real(In(*shape, image=image)), g.weights(weights, U8 if left else I8)]
	g.output(g.node("MatMul", operands[::-1] if left else operands), quant=(0.5, 120))
	return g.case(13, says, SUMS)


def matmul():
	for name, shapes, says in (
		("of three dimensions", [(2, 3, 4), (2, 4, 5)], None),
		("of one row and one column", [(2, 1, 4), (2, 4, 1)], None),
		("of one element each", [(2, 3, 1), (2, 1, 5)], None),
		("the first one broadcast", [(2, 1, 3, 4), (2, 6, 4, 5)], None),
		("the second one broadcast", [(2, 6, 3, 4), (2, 1, 4, 5)], None),
		("both broadcast", [(2, 1, 2, 3, 4), (2, 3, 1, 4, 5)], None),
		("of two dimensions", [(4, 4), (4, 4)], "along the first dimension of a tensor of 2, which is the batch"),
		("of one dimension", [(4,), (4,)], "along the first dimension of a tensor of 1, which is the batch"),
		("of two dimensions and three", [(4, 4), (4, 4, 2)], "by which the batch of one would meet another"),
		("of three dimensions and four", [(2, 3, 4), (2, 1, 4, 5)], "by which the batch of one would meet another"),
		("rows longer than columns", [(2, 3, 5), (2, 4, 5)], "have 5 elements, the columns of its second 4"),
		("others in front", [(2, 2, 3, 4), (2, 3, 4, 5)], "are 2 and 3 long in dimension 1"),
	):
		yield one(name, "MatMul", [In(*s) for s in shapes], says, to=WIDE, flags=SUMS)
	yield one("of int8", "MatMul", [In(2, 3, 4, dtype=I8), In(2, 4, 5, dtype=I8)], None, to=(3.0, 5), dtype=I8, flags=SUMS)
	yield one("of images", "MatMul", [In(2, 3, 4, 5, image=True), In(2, 3, 5, 6, image=True)], None, to=WIDE, flags=SUMS)
	yield one("of an image and not", "MatMul", [In(2, 3, 4, 5, image=True), In(2, 1, 5, 6)], None, to=WIDE, flags=SUMS)
	yield one("of floats", "MatMul", [In(2, 3, 4), np.ones((2, 4, 5), F32)], "is a constant that is not quantized", to=WIDE)
	yield one("of a fixed batch", "MatMul", [In(2, 3, 4, fixed=True), In(2, 4, 5, fixed=True)], None, to=WIDE, flags=SUMS)


def matmul_constants():
	for name, shape, weights, says in (
		("a matrix", (2, 3, 4), [4, 5], None),
		("a matrix of rows", (2, 4), [4, 5], None),
		("a vector", (2, 3, 4), [4], None),
		("a vector of rows", (2, 4), [4], None),
		("one matrix of three dimensions", (2, 3, 4), [1, 4, 5], None),
		("one matrix of four dimensions", (2, 6, 3, 4), [1, 1, 4, 5], None),
		("matrices for each head", (2, 6, 3, 4), [6, 4, 5], None),
		("matrices for each head and one row", (2, 6, 3, 4), [1, 6, 4, 5], None),
		("matrices for heads that x has one of", (2, 1, 3, 4), [6, 4, 5], None),
		("more dimensions", (2, 3, 4), [1, 1, 4, 5], "have 3 and 4 dimensions"),
		("matrices for rows", (2, 4), [1, 4, 5], "have 2 and 3 dimensions"),
		("other heads", (2, 6, 3, 4), [5, 4, 5], "are 6 and 5 long in dimension 1"),
		("matrices for each item", (2, 3, 4), [2, 4, 5], "which nnloop does not broadcast"),
	):
		yield with_weights(name, shape, weights, says=says)
	for name, shape, weights, says in (
		("a matrix on the left", (2, 4, 5), [3, 4], None),
		("a vector on the left", (2, 4, 5), [4], None),
		("a vector on the left of heads", (2, 6, 4, 5), [4], None),
		("matrices on the left", (2, 6, 4, 5), [6, 3, 4], None),
		("matrices on the left of one head", (2, 1, 4, 5), [6, 3, 4], None),
		("a matrix on the left of rows", (4, 5), [3, 4], "which nnloop does not broadcast"),
		("a vector on the left of rows", (4, 5), [4], "which is the batch"),
	):
		yield with_weights(name, shape, weights, True, says)
	yield with_weights("a matrix and an image", (2, 3, 4, 5), [5, 6], image=True)
	yield with_weights("a matrix on the left of an image", (2, 3, 4, 5), [6, 4], True, image=True)


def arg():
	for op in ("ArgMax", "ArgMin"):
		for axis in (1, 2, 3, -1, -3):
			yield one(f"{op} over {axis}", op, [In(2, 3, 4, 5)], to=None, dtype=I64, axis=axis)
			yield one(f"{op} over {axis}, left out", op, [In(2, 3, 4, 5, image=True)], to=None, dtype=I64, axis=axis, keepdims=0)
		for last in (0, 1):
			yield one(f"{op}, last {last}", op, [In(2, 300, dtype=I8)], to=None, dtype=I64, axis=1, select_last_index=last)
		for name, attrs in (("over the batch", {"axis": 0}), ("over the batch from the end", {"axis": -4}), ("without an axis", {})):
			yield one(f"{op} {name}", op, [In(2, 3, 4, 5)], "over the first dimension, which is the batch", to=None, dtype=I64, **attrs)
		for axis in (4, -5):
			yield one(f"{op} over dimension {axis}", op, [In(2, 3, 4, 5)], f"its axis {axis} is not one of 4", to=None, dtype=I64, axis=axis)
		yield one(f"{op} of int32", op, [In(2, 3, dtype=I32, quant=None)], None, to=None, dtype=I64, axis=1)
		yield one(f"{op} of integers", op, [In(2, 3, quant=None)], to=None, dtype=I64, axis=1)
		yield one(f"{op} of opset 11", op, [In(2, 3)], to=None, dtype=I64, opset=11, axis=-1)
		yield one(f"{op} of opset 10", op, [In(2, 3)], "attribute axis -1", to=None, dtype=I64, opset=10, axis=-1)


def log_softmax():
	for axis in (1, 2, 3, -1, -3):
		for opset in (11, 13):
			yield one(f"over {axis}, opset {opset}", "LogSoftmax", [In(2, 3, 4, 5)], to=(0.05, 255), opset=opset, flags=SUMS, axis=axis)
		yield one(f"over {axis} of an image", "LogSoftmax", [In(2, 3, 4, 5, image=True)], to=(0.05, 255), flags=SUMS, axis=axis)
	yield one("without an axis", "LogSoftmax", [In(2, 3, 4)], to=(0.05, 255), flags=SUMS)
	yield one("without an axis, opset 11", "LogSoftmax", [In(2, 3, 4)], to=(0.05, 255), opset=11, flags=SUMS)
	yield one("over the batch", "LogSoftmax", [In(2, 3, 4)], "over the first dimension, which is the batch", to=(0.05, 255), axis=0)


def matmul_integer():
	def case(name, *inputs, says=None):
		return one(name, "MatMulInteger", list(inputs), says, to=None, dtype=I32)

	weights, rng = {}, np.random.default_rng(5)
	for dtype in (U8, I8):
		info = np.iinfo(dtype)
		weights[dtype] = rng.integers(info.min, info.max + 1, (4, 5)).astype(dtype)
	x = {dtype: In(3, 4, dtype=dtype, quant=None) for dtype in (U8, I8)}
	for a in (U8, I8):
		for b in (U8, I8):
			yield case(f"{a.__name__} and {b.__name__}", x[a], weights[b], a(7), b(100))
	yield case("without zero points", x[U8], weights[I8])
	yield case("without the first", x[U8], weights[I8], None, I8(-100))
	yield case("without the second", x[U8], weights[I8], U8(255))
	yield case("equal zero points of columns", x[U8], weights[U8], U8(1), np.full(5, 9, U8))
	yield case("of three dimensions", In(2, 3, 4, quant=None), weights[U8], U8(1), U8(2))
	yield case("of two tensors", In(2, 3, 4, quant=None), In(2, 4, 5, dtype=I8, quant=None), U8(1), I8(2))
	yield case("a matrix on the left", weights[U8], In(2, 5, 6, quant=None), U8(1), U8(2))
	yield case("a vector", x[U8], weights[U8][:, 0], U8(1), U8(2))
	yield case("a vector, of three dimensions", In(2, 3, 4, quant=None), weights[U8][:, 0], U8(1), U8(2))
	yield case("a vector on the left", weights[U8][0], In(2, 5, 6, quant=None), U8(1), U8(2))
	yield case("other zero points of columns", x[U8], weights[U8], U8(1), np.arange(5, dtype=U8))
	yield case("other zero points of matrices", In(2, 3, 4, quant=None), np.stack([weights[U8]] * 2), U8(1), np.arange(10, dtype=U8).reshape(2, 1, 5), says="its zero points 1 differ from each other")
	yield case("a zero point of another type", x[U8], weights[U8], I8(1), says="its zero point 0 has another type")
	yield case("a zero point that is computed", x[U8], weights[U8], In(1, quant=None), says="its zero point 0 is no constant")
	yield case("of what has no integers", In(3, 4), weights[U8], says="its input 0 is no tensor of int8 or uint8")
	yield case("of int32", In(3, 4, dtype=I32, quant=None), weights[U8], says="its input 0 is no tensor of int8 or uint8")
	yield case("of a constant of int32", x[U8], weights[U8].astype(I32), says="its input 1 is no tensor of int8 or uint8")
	yield case("two tensors of two dimensions", In(4, 4, quant=None), In(4, 4, quant=None), says="which is the batch")
	yield case("columns of another length", x[U8], weights[U8][:3], says="have 4 elements, the columns of its second 3")


FILES = {"matmul": matmul, "matmul_constants": matmul_constants, "matmul_integer": matmul_integer, "arg": arg, "log_softmax": log_softmax}
