# SPDX-License-Identifier: MIT
"""The models of write.py whose data decide what they do: If with a condition that is computed, Loop, Scan.

A graph within a model shares the names and constants around it, as models have it. Shapes are fixed, for one item.
"""
import zlib

import numpy as np
from onnx import TensorProto, helper

import ops.model
from ops.model import Model

SHAPE = [1, 4, 6, 6]
info, T = helper.make_tensor_value_info, TensorProto
GRID = (0.05, 20)
I64 = lambda *values: np.array(values, np.int64)


class Control(Model):
	"""A model, or a graph in one: its names begin with a letter of its own."""

	def __init__(self, name, prefix=""):
		super().__init__()
		self.prefix, self.count, self.file = prefix, 0, name
		if not prefix:
			ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))

	def fresh(self):
		self.count += 1
		return f"{self.prefix}v{self.count}"

	def constant(self, value):
		return self.const(self.fresh(), np.asarray(value))

	def add(self, op, *inputs, count=1, **attrs):
		names = [self.fresh() for _ in range(count)]
		inputs = [self.constant(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in inputs]
		self.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attrs))
		return names[0] if count == 1 else names

	def stored(self, real, scale=GRID[0], zero=GRID[1], dtype=np.uint8):
		return self.add("QuantizeLinear", real, np.float32(scale), dtype(zero))

	def dequantized(self, stored, scale=GRID[0], zero=GRID[1], dtype=np.uint8):
		return self.add("DequantizeLinear", stored, np.float32(scale), dtype(zero))

	def rounded(self, real, *grid):
		return self.dequantized(self.stored(real, *grid), *grid)

	def conv(self, x, shape=(4, 4, 3, 3), grid=GRID):
		w = self.weight(self.fresh(), shape, np.float32(0.010173))
		return self.rounded(self.add("Conv", x, w, pads=[shape[2] // 2] * 4), *grid)

	def greatest(self, x, above):
		"""Whether the greatest of all elements is greater than a number."""
		return self.add("Greater", self.add("ReduceMax", x, keepdims=0), np.float32(above))

	def graph(self, name, inputs, outputs):
		"""outputs: names with a type and shape."""
		return helper.make_graph(self.nodes, name, inputs, outputs, self.inits)

	def images(self, count=1, shape=SHAPE):
		values = [self.real(self.input(tuple(shape), np.uint8, *GRID, symbolic=False)) for _ in range(count)]
		return values[0] if count == 1 else values

	def small(self, x):
		"""A fifth of a value, to which much can be added."""
		return self.rounded(self.add("Mul", x, self.dequantized(self.constant(np.full([1], 4, np.uint8)), 0.05, 0)))

	def done(self, doc, outputs, opset=13):
		"""outputs: real values and their shape, or stored ones with a type as well."""
		made = []
		for i, (name, shape, *types) in enumerate(outputs):
			if types:
				self.node("Identity", [name], f"y{i}")
				made.append(info(f"y{i}", types[0], shape))
			else:
				made.append(self.output(name, shape, np.uint8, *GRID, name=f"y{i}"))
		self.save("control_" + self.file, made, doc, False, opset=opset)


def real(name, shape=SHAPE):
	return info(name, T.FLOAT, shape)


# ---- If ----

def write_if(name, doc, above, both=False):
	"""Branches that convolve, and that only add; they read values around them in any order."""
	m = Control(name)
	x, other = m.images(2)
	condition = m.greatest(x, above)
	then, otherwise = Control(name, "t"), Control(name, "e")
	a = then.conv(then.conv(x))
	b = otherwise.rounded(otherwise.add("Add", other, x))
	outs = [[a], [b]]
	if both:
		outs[0].append(then.stored(other))
		outs[1].append(otherwise.stored(b))
	graphs = [g.graph(g.prefix, [], [real(o[0])] + ([info(o[1], T.UINT8, SHAPE)] if both else [])) for g, o in zip((then, otherwise), outs)]
	y = m.add("If", condition, count=2 if both else 1, then_branch=graphs[0], else_branch=graphs[1])
	m.done(doc, [(y[0], SHAPE), (y[1], SHAPE, T.UINT8)] if both else [(y, SHAPE)])


def if_scales():
	"""Branches with grids of their own, and a constant; what is behind quantizes both."""
	m = Control("if_scales")
	x = m.images()
	condition = m.greatest(x, 10)
	then, otherwise = Control("", "t"), Control("", "e")
	a = then.rounded(then.add("Relu", x), 0.04, 0)
	b = otherwise.weight("kept", SHAPE, 0.1, np.uint8, 128)
	graphs = [then.graph("then", [], [real(a)]), otherwise.graph("else", [], [real(otherwise.add("Identity", b))])]
	m.done("If whose branches have other scales than what is behind it", [(m.add("If", condition, then_branch=graphs[0], else_branch=graphs[1]), SHAPE)])


def if_nested():
	"""An If in each branch of another, with names that are the same in all."""
	m = Control("if_nested")
	x = m.images()
	first, second = m.greatest(x, 12.5), m.greatest(m.rounded(m.add("Neg", x), 0.05, 235), 0.9)

	def inner(k):
		graphs = []
		for i in range(2):
			g = Control("", "same")
			y = g.rounded(g.add("Mul", x, g.weight("factor", [1, 4, 1, 1], 0.02, np.uint8, 40 * (2 * k + i))))
			graphs.append(g.graph("inner", [], [real(y)]))
		outer = Control("", "outer")
		return outer.graph("outer", [], [real(outer.add("If", second, then_branch=graphs[0], else_branch=graphs[1]))])
	m.done("If in the branches of an If", [(m.add("If", first, then_branch=inner(0), else_branch=inner(1)), SHAPE)])


# ---- Loop ----

def loop(m, body, trips, condition, carried, scanned=(), outs=None):
	"""carried: (initial value, name in the body, name behind it, type, shape); scanned: (name, type, shape) of what is collected. The body's
	condition is condition[1]."""
	inputs = [info(body.prefix + "i", T.INT64, []), info(body.prefix + "go", T.BOOL, [])] + [info(c[1], c[3], c[4]) for c in carried]
	outputs = [info(condition[1], T.BOOL, [])] + [info(c[2], c[3], c[4]) for c in carried] + [info(*s) for s in scanned]
	graph = body.graph("body", inputs, outputs)
	count = len(carried) + len(scanned)
	y = m.add("Loop", trips, condition[0], *(c[0] for c in carried), count=count, body=graph)
	return y if count > 1 else [y]


def adds(m, body, x):
	"""A sum that is carried in float, and quantized at the end of each iteration."""
	return body.rounded(body.add("Add", "sum", body.rounded(body.add("Mul", x, body.dequantized(body.constant(np.full([1], 10, np.uint8)), 0.05, 0)))))


def loop_known():
	m, body = Control("loop_known"), Control("", "b")
	x = m.small(m.images())
	after = adds(m, body, x)
	y = loop(m, body, m.constant(np.int64(5)), ("", body.add("Identity", "bgo")), [(x, "sum", after, T.FLOAT, SHAPE)])
	m.done("Loop of five iterations whose last value is wanted", [(y[0], SHAPE)])


def loop_counted(name, count):
	"""As often as an input says, which may be never."""
	m, body = Control(name), Control("", "b")
	x = m.small(m.images())
	trips = m.plain_input("x1", I64(count), [1])
	after = adds(m, body, x)
	y = loop(m, body, trips, ("", body.constant(np.bool_(True))), [(x, "sum", after, T.FLOAT, SHAPE)])
	m.done(f"Loop whose trip count is an input, here {count}", [(y[0], SHAPE)])


def loop_while(name, doc, begins, trips=None, first=None):
	"""While the greatest element is not large; it counts, too."""
	m, body = Control(name), Control("", "b")
	x = m.small(m.images())
	condition = m.add("Less", m.add("ReduceMax", x, keepdims=0), np.float32(begins))
	number = "" if trips is None else m.plain_input("x1", I64(trips), [1]) if first is None else m.constant(np.int64(trips))
	after = adds(m, body, x)
	more = body.add("Less", body.add("ReduceMax", after, keepdims=0), np.float32(11))
	count = body.add("Add", "count", body.add("Unsqueeze", "bi", I64(0)))
	y = loop(m, body, number, (condition, more), [(x, "sum", after, T.FLOAT, SHAPE), (m.constant(I64(0)), "count", count, T.INT64, [1])])
	m.done(doc, [(y[0], SHAPE), (y[1], [1], T.INT64)])


def loop_collects(name, doc, exits):
	"""Rows of each iteration, in float and stored, and of a value around the loop."""
	m, body = Control(name), Control("", "b")
	x, other = m.images(2)
	x = m.small(x)
	after = adds(m, body, x)
	row = body.conv("sum", grid=(0.06, 99))
	kept = body.stored(other)
	more = body.add("Less", body.add("ReduceMax", after, keepdims=0), np.float32(7)) if exits else body.add("Identity", "bgo")
	y = loop(m, body, m.constant(np.int64(9 if exits else 6)), (m.constant(np.bool_(True)), more), [(x, "sum", after, T.FLOAT, SHAPE)],
		 [(row, T.FLOAT, SHAPE), (kept, T.UINT8, SHAPE), (body.add("Mul", "bi", np.int64(3)), T.INT64, [])])
	rows = "M" if exits else 6
	m.done(doc, [(y[0], SHAPE), (y[1], [rows, *SHAPE]), (y[2], [rows, *SHAPE], T.UINT8), (y[3], [rows], T.INT64)])


def loop_swaps():
	"""Values that change places, one of integers, one that stays as it is."""
	m, body = Control("loop_swaps"), Control("", "b")
	a, b = m.images(2)
	numbers = m.plain_input("x2", np.arange(4, dtype=np.int32), [4])
	second = body.rounded(body.add("Max", "a", "b"))
	more = body.add("Add", "n", np.full(4, 3, np.int32))
	y = loop(m, body, m.constant(np.int64(3)), ("", body.add("Identity", "bgo")),
		 [(a, "a", body.add("Identity", "b"), T.FLOAT, SHAPE), (b, "b", second, T.FLOAT, SHAPE), (numbers, "n", more, T.INT32, [4]),
		  (b, "same", body.add("Identity", "same"), T.FLOAT, SHAPE)])
	m.done("Loop whose values change places", [(y[0], SHAPE), (y[1], SHAPE), (y[2], [4], T.INT32), (y[3], SHAPE)])


def loop_nested():
	"""A loop in a loop, which runs as often as the iteration around it says, and an If in that."""
	m, body, inner = Control("loop_nested"), Control("", "b"), Control("", "c")
	x, other = m.images(2)
	then, otherwise = Control("", "t"), Control("", "e")
	a = then.rounded(then.add("Add", "inner", other))
	b = otherwise.rounded(otherwise.add("Sub", "inner", "outer"))
	odd = inner.add("Equal", inner.add("Mod", "ci", np.int64(2)), np.int64(0))
	after = inner.add("If", odd, then_branch=then.graph("then", [], [real(a)]), else_branch=otherwise.graph("else", [], [real(b)]))
	made = loop(body, inner, body.add("Unsqueeze", "bi", I64(0)), ("", inner.add("Identity", "cgo")), [("outer", "inner", after, T.FLOAT, SHAPE)])
	y = loop(m, body, m.constant(np.int64(4)), ("", body.add("Identity", "bgo")), [(x, "outer", made[0], T.FLOAT, SHAPE)])
	m.done("If in a Loop in a Loop", [(y[0], SHAPE)])


def loop_rounds():
	"""What is carried in float is quantized where an iteration begins, and behind the loop."""
	m, body = Control("loop_rounds"), Control("", "b")
	x = m.images()
	now = body.rounded("sum")
	after = body.add("Conv", now, body.weight("w", (4, 4, 3, 3), np.float32(0.020371)), pads=[1] * 4)
	y = loop(m, body, m.constant(np.int64(3)), ("", body.add("Identity", "bgo")), [(x, "sum", after, T.FLOAT, SHAPE)])
	m.done("Loop that carries what it computes in float", [(y[0], SHAPE)])


# ---- Scan ----

def scan(name, doc, shapes, axes, directions, out_axes, out_directions):
	m, body = Control(name), Control("", "b")
	xs = [m.images(shape=shape) for shape in shapes]
	begin = m.images(shape=[3, 4])
	rows = [body.rounded(body.add("Add", f"x{i}row", "sum")) for i in range(len(shapes))]
	after = rows[0] if len(rows) == 1 else body.rounded(body.add("Max", *rows))
	outs = [body.add("Identity", "sum"), body.add("Identity", after)]
	graph = body.graph("body", [real("sum", [3, 4])] + [real(f"x{i}row", [3, 4]) for i in range(len(shapes))],
			   [real(after, [3, 4])] + [real(o, [3, 4]) for o in outs])
	y = m.add("Scan", begin, *xs, count=3, body=graph, num_scan_inputs=len(shapes), scan_input_axes=axes, scan_input_directions=directions,
		  scan_output_axes=out_axes, scan_output_directions=out_directions)
	length = shapes[0][axes[0]]
	made = [[3, 4], [3, 4]]
	for shape, axis in zip(made, out_axes):
		shape.insert(axis if axis >= 0 else axis + 3, length)
	m.done(doc, [(y[0], [3, 4]), (y[1], made[0]), (y[2], made[1])])


def write():
	write_if("if_then", "If with a computed condition, which is true", 10)
	write_if("if_else", "the same, which is false", 100)
	write_if("if_two", "If with two outputs, one of stored bytes", 10, True)
	if_scales()
	if_nested()
	loop_known()
	loop_counted("loop_counted", 4)
	loop_counted("loop_counted_never", 0)
	loop_while("loop_while", "Loop that its body ends", 100)
	loop_while("loop_while_never", "the same, which never begins", 1)
	loop_while("loop_while_most", "the same, of two iterations at most", 100, 2, True)
	loop_while("loop_while_counted", "the same, where an input says that", 100, 3)
	loop_collects("loop_collects", "Loop that leaves rows, of a known number", False)
	loop_collects("loop_collects_some", "the same, of as many as it runs", True)
	loop_swaps()
	loop_nested()
	loop_rounds()
	scan("scan", "Scan along dimension 0", [[5, 3, 4]], [0], [0], [0, 0], [0, 0])
	scan("scan_backwards", "Scan from the end, rows in both orders", [[5, 3, 4]], [0], [1], [0, 0], [1, 0])
	scan("scan_axes", "Scan of two inputs along other dimensions", [[3, 6, 4], [3, 4, 6]], [1, -1], [0, 1], [1, 2], [0, 1])
