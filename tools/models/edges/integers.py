# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: shapes that are computed of shapes; integers and bools."""
import itertools

import numpy as np
from onnx import TensorProto, helper

from common.cases import FLOAT_SUMS
from edges.write import F32, I8, I32, I64, QUANT, TYPES, U8, U16, Graph, In, i64, one

X = (2, 3, 4, 5)
TOP = 2**63 - 1


class Shapes(Graph):
	"""A model that reshapes its input by what is computed of its shape."""

	def __init__(self, name):
		super().__init__(name)
		self.x = self.real(In(*X))

	def shape(self, **attrs):
		return self.node("Shape", [self.x], **attrs)

	def number(self, axis):
		return self.node("Gather", [self.shape(), self.const(i64(axis))], axis=0)

	def ints(self, *values):
		return self.const(i64(*values))

	def floats(self, *values):
		return self.const(F32(values))

	def cast(self, x, to):
		return self.node("Cast", [x], to=to)

	def op(self, op, *inputs, **attrs):
		return self.node(op, [x if isinstance(x, str) else self.ints(*x) for x in inputs], **attrs)

	def made(self, parts, says):
		self.output(self.node("Reshape", [self.x, self.op("Concat", *parts, axis=0)]))
		return self.case(15, says)


FLOAT, INT32, INT64 = 1, 6, 7

# Each: a name, what of a model makes one number or more for dimension 1 and behind it, and words of the sentence that refuses it.
MIDDLE = (
	("all but the first", lambda g: g.shape(start=1), None),
	("from 1 to 3", lambda g: g.shape(start=1, end=3), None),
	("from 1 to the end", lambda g: g.shape(start=1, end=4), None),
	("from 1 to behind the end", lambda g: g.shape(start=1, end=5), None),
	("from the end", lambda g: g.shape(start=-3), None),
	("from the end to the end", lambda g: g.shape(start=-3, end=-1), None),
	("to before the beginning", lambda g: g.shape(start=1, end=-5), None),
	("to before it begins", lambda g: g.shape(start=3, end=2), None),
	("from behind the end", lambda g: g.shape(start=5), None),
	("gathered", lambda g: g.op("Gather", g.shape(), (2, 1), axis=0), None),
	("gathered from the end", lambda g: g.op("Gather", g.shape(), (-1, -3), axis=-1), None),
	("gathered by int32", lambda g: g.node("Gather", [g.shape(), g.const(np.array([3], I32))]), None),
	("gathered behind the end", lambda g: g.op("Gather", g.shape(), (4,)), "it takes number 4 of 4"),
	("gathered before the beginning", lambda g: g.op("Gather", g.shape(), (-5,)), "it takes number -5 of 4"),
	("sliced", lambda g: g.op("Slice", g.shape(), (1,), (3,)), None),
	("sliced from the end", lambda g: g.op("Slice", g.shape(), (-2,), (TOP,), (-1,)), None),
	("sliced to before the end", lambda g: g.op("Slice", g.shape(), (1,), (-1,), (0,), (1,)), None),
	("sliced to behind the end", lambda g: g.op("Slice", g.shape(), (2,), (9,), (0,)), None),
	("sliced to nothing", lambda g: g.op("Slice", g.shape(), (3,), (1,), (0,)), None),
	("sliced by two", lambda g: g.op("Slice", g.shape(), (1,), (3,), (0,), (2,)), None),
	("sliced backwards", lambda g: g.op("Slice", g.shape(), (2,), (1,), (0,), (-1,)), None),
	("sliced along axis 1", lambda g: g.op("Slice", g.shape(), (2,), (1,), (1,)), "its axis is not one of 1 dimensions"),
	("unsqueezed", lambda g: g.op("Unsqueeze", g.node("Gather", [g.shape(), g.const(np.int64(1))]), (0,)), None),
	("unsqueezed and squeezed", lambda g: g.op("Unsqueeze", g.op("Squeeze", g.number(2), (0,)), (0,)), None),
	("reshaped", lambda g: g.op("Reshape", g.node("Gather", [g.shape(), g.const(np.int64(1))]), (1,)), None),
	("as int32", lambda g: g.cast(g.cast(g.number(1), INT32), INT64), None),
	("as a float", lambda g: g.cast(g.cast(g.number(1), FLOAT), INT64), None),
	("as another float", lambda g: g.cast(g.node("Div", [g.cast(g.number(3), FLOAT), g.floats(2)]), INT64), None),
	("rounded down", lambda g: g.cast(g.node("Floor", [g.node("Div", [g.cast(g.number(1), FLOAT), g.floats(2)])]), INT64), None),
	("rounded up", lambda g: g.cast(g.node("Ceil", [g.node("Div", [g.cast(g.number(1), FLOAT), g.floats(2)])]), INT64), None),
	("as too large a number", lambda g: g.cast(g.node("Mul", [g.cast(g.number(1), FLOAT), g.floats(2**62)]), INT64), "it makes too large a number"),
	("as too large an int32", lambda g: g.cast(g.cast(g.op("Mul", g.number(1), (2**31,)), INT32), INT64), "it makes an int32 of"),
	("added", lambda g: g.op("Add", g.number(1), (2,)), None),
	("added to", lambda g: g.op("Add", (2,), g.number(1)), None),
	("subtracted from", lambda g: g.op("Sub", g.number(1), (1,)), None),
	("subtracted", lambda g: g.op("Sub", (9,), g.number(2)), None),
	("multiplied", lambda g: g.op("Mul", g.number(1), g.number(2)), None),
	("divided", lambda g: g.op("Div", g.number(2), (2,)), None),
	("divided and cut", lambda g: g.op("Div", g.number(3), (2,)), None),
	("divided by", lambda g: g.op("Div", (60,), g.number(1)), None),
	("two by one", lambda g: g.op("Mul", g.op("Gather", g.shape(), (1, 2)), (1,)), None),
	("one by two", lambda g: g.op("Add", (0,), g.op("Gather", g.shape(), (1, 2))), None),
	("two by two", lambda g: g.op("Sub", g.op("Gather", g.shape(), (3, 2)), (0, 2)), None),
	("one by a scalar", lambda g: g.node("Add", [g.number(1), g.const(np.int64(1))]), None),
	("a scalar by one", lambda g: g.node("Add", [g.const(np.int64(1)), g.number(1)]), None),
	("two by three", lambda g: g.op("Sub", g.op("Gather", g.shape(), (3, 2)), (2, 1, 1)), "its inputs are of 2 and 3 along a dimension"),
	("three by two", lambda g: g.op("Sub", (2, 1, 1), g.op("Gather", g.shape(), (3, 2))), "its inputs are of 3 and 2 along a dimension"),
	("by another type", lambda g: g.node("Add", [g.number(1), g.const(np.array([1], I32))]), "those of one type"),
	("divided by 0", lambda g: g.op("Div", g.number(1), (0,)), "it divides by 0"),
	("divided by -1", lambda g: g.op("Mul", g.op("Div", g.number(1), (-1,)), (-1,)), None),
	("the least divided by -1", lambda g: g.op("Div", g.op("Sub", g.op("Sub", (-TOP,), g.number(1)), (-2,)), (-1,)), "makes too large a number"),
	("too large a sum", lambda g: g.op("Add", g.number(1), (TOP,)), "makes too large a number"),
	("too large a difference", lambda g: g.op("Sub", g.op("Sub", (0,), g.number(1)), (TOP,)), "makes too large a number"),
	("too large a product", lambda g: g.op("Mul", g.number(1), (TOP // 2,)), "makes too large a number"),
	("of 256 numbers", lambda g: g.op("Slice", g.op("Concat", [2] * 200, [3] * 52, g.shape(), axis=0), (-3,), (-2,)), None),
	("of 257 numbers", lambda g: g.op("Slice", g.op("Concat", [2] * 201, [3] * 52, g.shape(), axis=0), (-3,), (-2,)), None),
	("of two types", lambda g: g.op("Slice", g.node("Concat", [g.shape(), g.const(np.array([1], I32))], axis=0), (1,), (2,)), "its inputs differ in type"),
)



def floats_by(op, many, constants, turned):
	"""What makes numbers by an operator of floats: one or two of the shape, and constants before or behind them."""
	def make(g):
		operands = [g.cast(g.op("Gather", g.shape(), (2, 1) if many else (2,)), FLOAT), g.floats(*constants)]
		return g.cast(g.node(op, operands[::-1] if turned else operands), INT64)
	return make


# 4 and 3 of the shape.
MIDDLE += tuple((f"{op} of floats, {1 + many} by {used}, {', '.join(map(str, constants))}{', turned' if turned else ''}", floats_by(op, many, constants[:used], turned), None)
		for op, constants, turned in (("Add", (2, -1), 0), ("Add", (-1, 2), 1), ("Sub", (1, 2), 0), ("Sub", (6, 5), 1), ("Mul", (0.5, 2), 0), ("Mul", (1.25, 1), 1),
					      ("Div", (2, 1), 0), ("Div", (12, 6), 1)) for many, used in ((0, 1), (1, 1), (1, 2)))

# The same for dimension 0, where the batch is expected.
FRONT = (
	("the batch", lambda g: g.number(0), None),
	("the batch from the end", lambda g: g.op("Gather", g.shape(), (-4,)), None),
	("the batch of a shape", lambda g: g.shape(end=1), None),
	("the batch of a shape from the end", lambda g: g.shape(start=-4, end=-3), None),
	("the batch of a shape from before it", lambda g: g.shape(start=-9, end=1), None),
	("the batch, sliced", lambda g: g.op("Slice", g.shape(), (0,), (1,)), None),
	("the batch, sliced from before it", lambda g: g.op("Slice", g.shape(), (-9,), (-3,)), None),
	("the batch by 1", lambda g: g.op("Mul", g.number(0), (1,)), None),
	("the batch and 1", lambda g: g.op("Add", g.number(0), (1,)), "depends on the batch"),
	("1 and the batch", lambda g: g.op("Add", (1,), g.number(0)), "depends on the batch"),
	("the batch less 1", lambda g: g.op("Sub", g.number(0), (1,)), "depends on the batch"),
	("twice the batch", lambda g: g.op("Mul", g.number(0), (2,)), None),
	("the batch and the batch", lambda g: g.op("Add", g.number(0), g.number(0)), None),
	("the batch, twice, less the batch", lambda g: g.op("Sub", g.op("Mul", g.number(0), (2,)), g.number(0)), None),
	("half of twice the batch", lambda g: g.op("Div", g.op("Mul", g.number(0), (2,)), (2,)), None),
	("a third of twice the batch", lambda g: g.op("Div", g.op("Mul", g.number(0), (2,)), (3,)), "depends on the batch"),
	("less than no batch", lambda g: g.op("Div", g.op("Mul", g.number(0), (-2,)), (-2,)), "depends on the batch"),
	("the batch by 0", lambda g: g.op("Div", g.number(0), (0,)), " "),
	("the batch squared", lambda g: g.op("Mul", g.number(0), g.number(0)), "depends on the batch"),
	("the batch by the batch", lambda g: g.op("Mul", g.op("Div", g.number(0), g.number(0)), g.number(0)), None),
	("two by the batch", lambda g: g.op("Mul", g.op("Div", (2,), g.number(0)), g.number(0)), "depends on the batch"),
	("the batch, as a float", lambda g: g.cast(g.node("Mul", [g.cast(g.number(0), FLOAT), g.floats(1)]), INT64), None),
	("half the batch, as a float", lambda g: g.cast(g.node("Mul", [g.cast(g.number(0), FLOAT), g.floats(0.5)]), INT64), "depends on the batch"),
	("many times the batch, as a float", lambda g: g.cast(g.node("Div", [g.node("Mul", [g.cast(g.number(0), FLOAT), g.floats(4095)]), g.floats(4095)]), INT64), None),
	("too many times the batch, as a float", lambda g: g.cast(g.node("Div", [g.node("Mul", [g.cast(g.number(0), FLOAT), g.floats(4096)]), g.floats(4096)]), INT64),
	 "depends on the batch"),
	("the batch, rounded", lambda g: g.cast(g.node("Floor", [g.cast(g.number(0), FLOAT)]), INT64), None),
	("the batch as int32", lambda g: g.cast(g.cast(g.number(0), INT32), INT64), None),
	("dimension 1", lambda g: g.number(1), " "),
)


def numbers():
	for name, make, says in MIDDLE:
		g = Shapes(name)
		yield g.made([(0,), make(g), (-1,)], says)
	for name, make, says in FRONT:
		g = Shapes(name)
		yield g.made([make(g), (-1,)], says)
	for name, parts, says in (("the batch behind", ((-1,), 0), "times the batch as dimension 1"), ("the batch twice", (0, 0, (-1,)), "times the batch as dimension 1"),
				  ("all of it", (0, 1, 2, 3), None), ("all of it, and one", (0, 1, 2, 3, (1,)), None), ("nine", (0, 1, 2, 3, (1, 1, 1, 1, 1)), "no list of up to 8 int64"),
				  ("eight", (0, 1, 2, 3, (1, 1, 1, 1)), None)):
		g = Shapes(name)
		yield g.made([g.number(p) if isinstance(p, int) else p for p in parts], says)
	for name, step, last, says in (("own elements of a view", 60, 59, None), ("a view that goes on too far", 61, 59, ALONG), ("a view that goes back", -60, 59, ALONG),
				       ("a view of the next item", 60, 60, ALONG), ("a view of one item", 0, 59, ALONG)):
		yield viewed(name, step, last, says)
	for name, size in (("a mask", 21), ("a mask of as many numbers as there can be", 512), ("a mask of more", 513)):
		yield masked(name, size, "it makes more than 262144 numbers" if size > 512 else None)
	for how in ("ConstantOfShape", "Expand", "Tile"):
		for op, by in ((None, 0), ("CumSum", 1), ("CumSum", 0), ("Add", 0)):
			yield repeated(f"{how} for each item{f', {op} along {by}' if op else ''}", how, op, by, " " if op == "CumSum" and not by else None)



ALONG = " "


def repeated(name, how, op, by, says):
	"""Constants that are made once for each item, as positions are that a model adds, and what is computed of them."""
	g = Shapes(name)
	rounded = lambda x: g.node("DequantizeLinear", [g.node("QuantizeLinear", [x, *g.quant((0.03, 7), U8)]), *g.quant((0.03, 7), U8)])
	dims = g.op("Concat", g.number(0), (4, 5) if how != "Tile" else (1, 1), axis=0)
	if how == "ConstantOfShape":
		made = g.cast(g.node("Not", [g.cast(g.node(how, [dims], value=helper.make_tensor("v", TensorProto.FLOAT, [1], [0])), 9)]), FLOAT)
	else:
		made = g.node(how, [g.const(g.rng.uniform(-0.2, 1, (1, 4, 5)).astype(F32)), dims])
	made = rounded(made)
	if op == "CumSum":
		made = rounded(g.node(op, [made, g.const(np.int64(by))]))
	elif op:
		made = rounded(g.node(op, [made, g.weights((1, 4, 1))]))
	g.output(g.node("Sub", [g.x, g.op("Unsqueeze", made, (1,))]))
	return g.case(15, says)


def viewed(name, step, last, says):
	"""PyTorch's as_strided(): elements of the flat tensor, by indices that go on for each item."""
	g = Shapes(name)
	items = g.node("Range", [g.const(np.int64(0)), g.node("Squeeze", [g.shape(end=1)]), g.const(np.int64(1))])
	items = g.op("Unsqueeze", g.node("Mul", [items, g.const(np.int64(step))]), (1, 2))
	index = g.node("Add", [items, g.const(i64(0, 7, last, 3).reshape(1, 2, 2))])
	g.output(g.node("Gather", [g.op("Reshape", g.x, (-1,)), index]))
	return g.case(15, says)


def masked(name, size, says):
	"""Zeros, of which a part is filled with ones at computed places, and compared; of these a part is added."""
	g = Shapes(name)
	zeros = g.node("ConstantOfShape", [g.ints(size, size)], value=helper.make_tensor("v", TensorProto.FLOAT, [1], [0]))
	rows = g.op("Reshape", g.op("Slice", g.node("Range", [g.const(np.int64(v)) for v in (0, size, 1)]), (-2,), (TOP,), (0,)), (-1, 1))
	places = g.node("Concat", [g.op("Unsqueeze", g.op("Expand", part, (2, 2)), (-1,)) for part in (rows, g.op("Reshape", rows, (1, -1)))], axis=-1)
	filled = g.node("ScatterND", [zeros, places, g.const(np.ones((2, 2), F32))])
	part = g.op("Slice", g.node("Transpose", [filled], perm=[1, 0]), (size - 4, size - 5), (size, size), (0, 1))
	mask = g.node("Where", [g.node("Equal", [part, g.floats(0)]), g.floats(0.4), g.node("Sub", [g.floats(-2), part])])
	mask = g.node("DequantizeLinear", [g.node("QuantizeLinear", [mask, *g.quant((0.04, 0), I8)]), *g.quant((0.04, 0), I8)])
	g.output(g.node("Add", [g.x, mask]))
	return g.case(15, says)


def loops():
	"""ONNX's Loop over the rows of a tensor, which its body takes with and without their dimension."""
	def made(name, make, says=None, count=None):
		g, body = Graph(name), Graph("body", "body_")
		x = g.input(In(3, 4, 5, quant=None))
		counted = g.input(In(*count, quant=None)) if count else x
		collected = make(body, x)
		go_on = body.node("Identity", ["go_on"])
		info = helper.make_tensor_value_info
		graph = helper.make_graph(body.nodes, "body", [info("number", TensorProto.INT64, []), info("go_on", TensorProto.BOOL, [])],
					  [info(go_on, TensorProto.BOOL, []), info(collected, TensorProto.UINT8, None)], body.inits)
		rows = g.node("Gather", [g.node("Shape", [counted]), g.const(np.int64(0))])
		if count:
			g.output(counted, quant=None)
		g.output(g.node("Loop", [rows, ""], body=graph), quant=None)
		return g.case(13, says)

	def taken(body, x):
		return body.node("Gather", [x, "number"])

	yield made("rows as they are", taken)
	for axis, says in ((0, None), (-3, None)):
		yield made(f"rows with dimension {axis}", lambda body, x, axis=axis: body.node("Unsqueeze", [taken(body, x), body.const(i64(axis))]), says)
	yield made("rows by a list", lambda body, x: body.node("Gather", [x, body.node("Unsqueeze", ["number", body.const(i64(0))])]))


def fixed():
	"""Integers and comparisons where the first dimension is fixed, and one as any other; and where it is the batch."""
	shapes = (((3, 4, 5), (5,)), ((3, 4, 5), (4, 5)), ((3, 4, 5), (3, 1, 1)), ((3, 4, 5), (1, 4, 1)), ((1, 4, 1), (3, 1, 5)), ((4,), (3, 1)), ((1,), (5,)), ((3, 5), (3, 5)), ((1, 5), (2, 1, 1, 5)),
		  ((2,) * 8, (2,) * 7))
	batch = "different first dimensions|by which the batch of one would meet"
	for a, b in shapes:
		for first, second in dict.fromkeys(((a, b), (b, a))):
			says = " " if len(a) == 8 else None
			yield one(f"Add {first} {second}", "Add", [In(*n, dtype=I32, quant=None, fixed=True) for n in (first, second)], says, None, dtype=I32)
			yield one(f"Less {first} {second}", "Less", [In(*n, fixed=True) for n in (first, second)], says, None, dtype=np.bool_)
	for types in itertools.product((U8, I8), repeat=2):
		yield one(f"Less of {' and '.join(np.dtype(dtype).name for dtype in types)}", "Less", [In(3, 4, 5, dtype=dtype, quant=(0.04, 0), fixed=True) for dtype in types],
			  None, None, dtype=np.bool_)
	for number, words in (((4, 5), batch.split("|")[1]), ((1, 4, 5), batch.split("|")[0])):
		yield one(f"a batch {number}", "Add", [In(3, 4, 5, dtype=I32, quant=None), In(*number, dtype=I32, quant=None, fixed=True)], words, None, dtype=I32)
		yield one(f"a batch, compared {number}", "Less", [In(*number, fixed=True), In(3, 4, 5)], words, None, dtype=np.bool_)

	# Normalizations over a first dimension that is fixed, with constants for all of it.
	rng = np.random.default_rng(5)
	for shape in ((6, 8), (3, 4, 5)):
		for axis in range(len(shape)):
			for count in (1, 2):
				constants = [F32(rng.normal(1, 0.3, shape[axis:])), F32(rng.normal(0, 0.4, shape[axis:]))][:count]
				yield one(f"LayerNormalization {shape} {axis} {count}", "LayerNormalization", [In(*shape, fixed=True), *constants], None, (0.03, 120), opset=17,
					  flags=FLOAT_SUMS, axis=axis)


def images():
	"""Integers and bools of images, whose channels nnloop has last: what is made of each by itself, and of two."""
	for op, to, opset in (("Not", np.bool_, 13), *((op, to, 18) for op in ("Neg", "Abs", "BitwiseNot") for to in (U8, I8, I32, I64) if to != U8 or op == "BitwiseNot")):
		g = Graph(f"{op} of {np.dtype(to)}")
		stored = g.node("QuantizeLinear", [g.real(In(2, 3, 4, 5, image=True)), *g.quant(QUANT, U8)])
		value = g.node("Equal", [stored, g.const(U8(9))]) if to == np.bool_ else stored if to == U8 else g.node("Cast", [stored], to=TYPES[to])
		g.output(g.node(op, [value]), to, None)
		yield g.case(opset, None)
	for op, to in itertools.product(("Add", "Sub", "Mul", "Min", "Less", "Equal"), (I32, I64)):
		for first in (False, True):
			g = Graph(f"{op} of {np.dtype(to)} {first}")
			value = g.node("QuantizeLinear", [g.real(In(2, 3, 4, 5, image=True)), *g.quant(QUANT, U8)])
			operands = [g.node("Cast", [value], to=TYPES[to]), g.const(np.arange(3, dtype=to).reshape(3, 1, 1) + 80)]
			g.output(g.node(op, operands[::-1] if first else operands), np.bool_ if op in ("Less", "Equal") else to, None)
			yield g.case(13, None)
	for op, first in itertools.product(("And", "Or", "Xor"), (False, True)):
		g = Graph(f"{op} {first}")
		value = g.node("QuantizeLinear", [g.real(In(2, 3, 4, 5, image=True)), *g.quant(QUANT, U8)])
		operands = [g.node("Less", [value, g.const(U8(90))]), g.const(np.array([True, False, True]).reshape(3, 1, 1))]
		g.output(g.node(op, operands[::-1] if first else operands), np.bool_, None)
		yield g.case(13, None)


def known():
	"""CumSum and Slice of quantized constants, which are computed while a model is imported."""
	def beside(name, dtype, quant, make, opset=21):
		g = Graph(name)
		info = np.iinfo(dtype)
		data = g.rng.integers(info.min, info.max + 1, (1, 4, 5)).astype(dtype)
		y = make(g, g.node("DequantizeLinear", [g.const(data), *g.quant(quant, dtype)]))
		y = g.node("DequantizeLinear", [g.node("QuantizeLinear", [y, *g.quant(quant, dtype)]), *g.quant(quant, dtype)])
		g.output(g.node("Add", [g.real(In(2, 4, 5, dtype=dtype, quant=quant)), y]), dtype, quant)
		return g.case(opset, None)

	for dtype, quant in ((U8, (0.04, 100)), (I8, (0.04, 3)), (U16, (0.0004, 30000))):
		for axis, exclusive, reverse in itertools.product((1, -1), (0, 1), (0, 1)):
			yield beside(f"CumSum of a constant of {dtype.__name__} along {axis}, {exclusive}, {reverse}", dtype, quant,
				     lambda g, x: g.node("CumSum", [x, g.const(np.array(axis, I64))], exclusive=exclusive, reverse=reverse))
		yield beside(f"Slice of a constant of {dtype.__name__}", dtype, quant, lambda g, x: g.node("Slice", [x, *(g.const(i64(n)) for n in (1, 2, 1))]))


def known_products():
	"""MatMul of two constants, with sums that float32 holds, added to a tensor."""
	for a, b, shape, says in (
		((4, 3), (3, 5), (2, 4, 5), None),
		((2, 1, 4, 3), (5, 3, 2), (2, 2, 5, 4, 2), None),
		((5, 4, 3), (2, 1, 3, 2), (2, 2, 5, 4, 2), None),
		((3,), (3, 5), (2, 5), None),
		((4, 3), (3,), (2, 4), None),
		((2, 4, 3), (3,), (2, 2, 4), None),
		((3,), (2, 3, 5), (2, 2, 5), None),
		((3,), (3,), (2, 4), None),
		((4, 3), (2, 5), (2, 4, 5), "it multiplies 3 columns by 2 rows"),
		((2, 4, 3), (3, 3, 5), (2, 3, 4, 5), "along a dimension"),
	):
		for dtype in (U8, U16) if not says else (U8,):
			g = Graph(f"{a} times {b}, {np.dtype(dtype).name}")
			first = g.const(F32(g.rng.integers(-64, 65, a)) / 64)
			scales = np.array([0.25, 0.5, 0.125, 1, 2], F32)[:b[-1]]
			second = g.node("DequantizeLinear", [g.const(g.rng.integers(-9, 10, b).astype(I8)), g.const(scales), g.const(np.zeros(len(scales), I8))], axis=len(b) - 1)
			quant = (0.0625, 9)
			y = g.node("QuantizeLinear", [g.node("MatMul", [first, second]), *g.quant(quant, dtype)])
			y = g.node("DequantizeLinear", [y, *g.quant(quant, dtype)])
			g.output(g.node("Add", [g.real(In(*shape, dtype=dtype, quant=quant)), y]), dtype, quant)
			yield g.case(21, says)


FILES = {"known_products": known_products, "images": images, "fixed": fixed, "numbers": numbers, "known": known, "loops": loops}
