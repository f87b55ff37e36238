# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: Loop, Scan and If of models that compute in float, whole or in part."""
import numpy as np
from onnx import TensorProto, helper

from common.cases import FLOAT_SUMS
from edges.write import F32, I8, I64, U8, Graph

T = TensorProto
GRID = (0.02, 128)


def info(name, *shape, dtype=T.FLOAT):
	return helper.make_tensor_value_info(name, dtype, shape)


class Controlled(Graph):
	"""A model of fixed shapes whose inputs are floats, or a graph in one, which has a prefix."""

	def floats(self, *shape, low=-1, high=1):
		return self.rng.uniform(low, high, shape).astype(F32)

	def given(self, value, dtype=T.FLOAT):
		name = f"x{len(self.inputs)}"
		self.data.append((name, value))
		self.inputs.append(info(name, *value.shape, dtype=dtype))
		return name

	def add(self, op, *inputs, outputs=1, **attrs):
		inputs = [self.const(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in inputs]
		return self.node(op, inputs, outputs, **attrs)

	def rounded(self, x, quant=GRID, dtype=U8):
		return self.add("DequantizeLinear", self.add("QuantizeLinear", x, F32(quant[0]), dtype(quant[1])), F32(quant[0]), dtype(quant[1]))

	def convolved(self, x, channels, quantized=False):
		shape = (channels, channels, 3, 3)
		return self.add("Conv", x, self.weights(shape, scale=0.005) if quantized else self.floats(*shape, low=-0.3, high=0.3), pads=[1] * 4)

	def graph(self, inputs, outputs):
		return helper.make_graph(self.nodes, self.prefix, inputs, outputs, self.inits)

	def loop(self, trips, body, carried, rows=(), condition="", more=None):
		"""carried: (initial value, name in the body, what it is then, shape); rows: (name, shape)."""
		more = more or body.add("Identity", "go_on")
		graph = body.graph([info("number", dtype=T.INT64), info("go_on", dtype=T.BOOL)] + [info(c[1], *c[3]) for c in carried],
				   [info(more, dtype=T.BOOL)] + [info(c[2], *c[3]) for c in carried] + [info(name, *shape) for name, shape in rows])
		return self.add("Loop", trips, condition, *(c[0] for c in carried), outputs=len(carried) + len(rows), body=graph)

	def done(self, *outputs, says=None):
		"""outputs: names, or names with a type."""
		for output in outputs:
			name, dtype = output if isinstance(output, tuple) else (output, T.FLOAT)
			self.outputs.append(helper.make_tensor_value_info(name, dtype, None))
		return self.case(13, says, FLOAT_SUMS)


def branches(g, condition, then, otherwise, shape):
	"""then, otherwise: what makes the branch's value, given a graph for it."""
	graphs = []
	for prefix, make in (("t_", then), ("e_", otherwise)):
		branch = Controlled(g.name + prefix, prefix)
		value = make(branch)
		graphs.append(branch.graph([], [info(value, *shape)]))
	return g.add("If", condition, then_branch=graphs[0], else_branch=graphs[1])


def choices():
	"""If: branches in float, quantized, of a constant; what reads them in float, quantized or both."""
	makes = {
		"a function": lambda x: lambda b: b.add("Exp", x),
		"a constant": lambda x: lambda b: b.add("Identity", b.floats(1, 4)),
		"quantized": lambda x: lambda b: b.rounded(x),
		"quantized otherwise": lambda x: lambda b: b.rounded(x, (0.03, -5), I8),
		"itself": lambda x: lambda b: b.add("Identity", x),
	}
	names = list(makes)
	for first, second in zip(names, names[1:] + names[:1]):
		for taken in (True, False):
			for behind in ("", "quantized", "both"):
				g = Controlled(f"If {first}, {second}, {taken}{', ' + behind if behind else ''}")
				x, condition = g.given(g.floats(1, 4)), g.given(np.array([taken]), T.BOOL)
				y = branches(g, condition, makes[first](x), makes[second](x), (1, 4))
				last = [g.add("Tanh", y)] if behind != "quantized" else []
				if behind:
					last.append((g.add("QuantizeLinear", y, F32(0.02), U8(128)), T.UINT8))
				yield g.done(*last)
	g = Controlled("If, by what is computed")
	x = g.given(g.floats(3, 4))
	large = g.add("Greater", g.add("ReduceMax", x, keepdims=0), F32(0.5))
	yield g.done(g.add("Softmax", branches(g, large, lambda b: b.add("MatMul", x, b.floats(4, 4)), lambda b: b.add("Neg", x), (3, 4))))
	g = Controlled("If, by one number of three dimensions")
	x = g.given(g.floats(1, 4, 1))
	large = g.add("Greater", g.add("ReduceSum", x, I64([1]), keepdims=1), F32(0))
	yield g.done(branches(g, large, lambda b: b.add("Sqrt", b.add("Abs", x)), lambda b: b.add("Neg", x), (1, 4, 1)))


def loops():
	"""Loop: by a number, by a condition of floats, with rows, of images, around what is quantized; of other shapes, which is refused."""
	for trips in (1, 5):
		g, body = Controlled(f"Loop, {trips} times"), Controlled("", "b_")
		after = body.add("Tanh", body.add("Mul", "sum", F32(1.5)))
		yield g.done(*g.loop(I64(trips), body, [(g.given(g.floats(4)), "sum", after, (4,))], [(after, (4,))]))
	for limit in (1.2, 9):
		g, body = Controlled(f"Loop until {limit}"), Controlled("", "b_")
		after = body.add("Mul", "sum", F32(1.5))
		more = body.add("Less", body.add("ReduceSum", after, keepdims=0), F32(limit))
		y = g.loop(I64(20), body, [(g.given(g.floats(4, low=0.1)), "sum", after, (4,))], [(body.add("Neg", after), (4,))], more=more)
		yield g.done(*y)
	g, body = Controlled("Loop, from a constant"), Controlled("", "b_")
	after = body.add("Add", "sum", g.given(g.floats(4)))
	yield g.done(g.loop(I64(3), body, [(g.const(g.floats(4)), "sum", after, (4,))]))
	g, body = Controlled("Loop of images"), Controlled("", "b_")
	after = body.add("Add", body.add("Relu", body.convolved("sum", 2)), "sum")
	yield g.done(*g.loop(I64(3), body, [(g.given(g.floats(1, 2, 5, 6)), "sum", after, (1, 2, 5, 6))], [(body.add("GlobalAveragePool", after), (1, 2, 1, 1))]))
	for read in ("in float", "quantized", "both"):
		g, body = Controlled(f"Loop that quantizes, {read}"), Controlled("", "b_")
		after = body.add("Mul", body.add("Exp", body.rounded(body.convolved(body.rounded("sum"), 2, True))), F32(0.5))
		y = g.loop(I64(3), body, [(g.given(g.floats(1, 2, 5, 6)), "sum", after, (1, 2, 5, 6))])
		yield g.done(*([g.add("Neg", y)] if read != "quantized" else []), *([(g.add("QuantizeLinear", y, F32(0.02), U8(9)), T.UINT8)] if read != "in float" else []))
	g, body = Controlled("Loop that grows"), Controlled("", "b_")
	y = g.loop(I64(3), body, [(g.given(g.floats(2)), "sum", body.add("Concat", "sum", "sum", axis=0), ("N",))])
	yield g.done(y, says="carries changes its shape")


def scans():
	"""Scan: along each dimension, to each and back; of several."""
	for axis, back, to, turned in ((0, 0, 0, 0), (1, 1, 1, 1), (-1, 0, -1, 1)):
		g, body = Controlled(f"Scan along {axis}, {back}, to {to}, {turned}"), Controlled("", "b_")
		after = body.add("Add", "sum", body.add("Mul", "row", "other"))
		graph = body.graph([info("sum", 3), info("row", 3), info("other", 3)], [info(after, 3), info(body.add("Sigmoid", after), 3)])
		x, other = [g.given(g.floats(*((3, 5) if axis else (5, 3)))) for _ in range(2)]
		yield g.done(*g.add("Scan", g.given(g.floats(3)), x, other, outputs=2, body=graph, num_scan_inputs=2, scan_input_axes=[axis] * 2,
				    scan_input_directions=[back, 0], scan_output_axes=[to], scan_output_directions=[turned]))


def nested():
	"""A Scan in a Loop in a branch of an If; and the other branch."""
	for taken in (True, False):
		g = Controlled(f"Scan in Loop in If, {taken}")
		x, condition = g.given(g.floats(4, 3, low=0)), g.given(np.array([taken]), T.BOOL)

		def then(branch, x=x):
			body, inner = Controlled("", "b_"), Controlled("", "s_")
			after = inner.add("Add", "sum", "row")
			graph = inner.graph([info("sum", 3), info("row", 3)], [info(after, 3), info(inner.add("Mul", after, F32(0.5)), 3)])
			carried, rows = body.add("Scan", "value", x, outputs=2, body=graph, num_scan_inputs=1)
			greatest = body.add("ReduceMax", rows, keepdims=0)
			y = branch.loop(I64(50), body, [(branch.const(np.zeros(3, F32)), "value", carried, (3,))], [(greatest, ())],
					more=body.add("Less", greatest, F32(20)))
			return branch.add("Identity", y[0])

		yield g.done(branches(g, condition, then, lambda b, x=x: b.add("ReduceMean", x, axes=[0], keepdims=0), (3,)))


def several():
	"""What goes through is of several types: out of an If, around a Loop; values that change places; a branch in a Loop that quantizes; a Scan of what a Loop leaves."""
	for taken in (True, False):
		g = Controlled(f"If of three types, {taken}")
		x, condition = g.given(g.floats(1, 4)), g.given(np.array([taken]), T.BOOL)
		graphs, kinds = [], (T.FLOAT, T.INT64, T.BOOL)
		for prefix, op, number, compare in (("t_", "Relu", 5, "Greater"), ("e_", "Neg", -5, "Less")):
			b = Controlled(g.name + prefix, prefix)
			made = [b.add(op, x), b.add("Identity", I64([number])), b.add(compare, x, F32(0))]
			graphs.append(b.graph([], [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(made, kinds)]))
		yield g.done(*zip(g.add("If", condition, outputs=3, then_branch=graphs[0], else_branch=graphs[1]), kinds))
	g, body = Controlled("Loop of four types"), Controlled("", "b_")
	kinds = (T.INT32, T.BOOL, T.UINT8, T.INT8)
	begins = [g.given(np.array(values, dtype), kind) for values, dtype, kind in (([3, -2], np.int32, T.INT32), ([True, False], np.bool_, T.BOOL), ([200, 3], U8, T.UINT8), ([-100, 3], I8, T.INT8))]
	nexts = [body.add("Mul", "v0", np.array([3, 3], np.int32)), body.add("Not", "v1"), body.add("Max", "v2", U8([9, 9])), body.add("Min", "v3", I8([9, -9]))]
	graph = body.graph([info("number", dtype=T.INT64), info("go_on", dtype=T.BOOL)] + [info(f"v{i}", 2, dtype=kind) for i, kind in enumerate(kinds)],
			   [info(body.add("Identity", "go_on"), dtype=T.BOOL)] + [info(name, 2, dtype=kind) for name, kind in zip(nexts, kinds)] * 2)
	yield g.done(*zip(g.add("Loop", I64(3), "", *begins, outputs=8, body=graph), kinds * 2))
	g, body = Controlled("Loop whose values change places"), Controlled("", "b_")
	first, second = [(g.given(g.floats(4)), name, body.add("Identity", other), (4,)) for name, other in (("a", "b"), ("b", "a"))]
	yield g.done(*g.loop(I64(3), body, [first, second]))
	g, body = Controlled("If in Loop, quantized"), Controlled("", "b_")
	x = g.rounded(g.given(g.floats(1, 8)))
	odd = body.add("Equal", body.add("Mod", "number", I64(2)), I64(1))
	y = branches(body, odd, lambda b: b.rounded(b.add("MatMul", "value", b.weights((8, 8)))), lambda b: b.rounded(b.add("Neg", "value")), (1, 8))
	made = g.loop(I64(5), body, [(x, "value", y, (1, 8))], [(y, (1, 8))])
	yield g.done(*[(g.add("QuantizeLinear", value, F32(GRID[0]), U8(GRID[1])), T.UINT8) for value in made])
	g, body, inner = Controlled("Scan of what a Loop leaves"), Controlled("", "b_"), Controlled("", "s_")
	after = body.add("Mul", "value", F32(1.5))
	rows = g.loop(I64(4), body, [(g.given(g.floats(3)), "value", after, (3,))], [(after, (3,))])[1]
	after = inner.add("Add", "sum", "row")
	graph = inner.graph([info("sum", 3), info("row", 3)], [info(after, 3), info(inner.add("Tanh", after), 3)])
	yield g.done(*g.add("Scan", np.zeros(3, F32), rows, outputs=2, body=graph, num_scan_inputs=1))


def decoder():
	"""64 steps of attention to what was before, with a cache of keys and values as long."""
	steps, width = 64, 8
	g, body = Controlled("decoder"), Controlled("", "b_")
	key, value = [body.add("MatMul", "state", body.floats(width, width)) for _ in range(2)]
	now = body.add("Unsqueeze", "number", I64([0]))
	here = body.add("Unsqueeze", body.add("Equal", np.arange(steps), now), I64([1]))
	keys, values = [body.add("Where", here, part, whole) for part, whole in ((key, "keys"), (value, "values"))]
	scores = body.add("MatMul", "state", body.add("Transpose", keys, perm=[1, 0]))
	known = body.add("Where", body.add("Greater", np.arange(steps), now), F32(-1e9), scores)
	after = body.add("Tanh", body.add("MatMul", body.add("Softmax", known, axis=1), values))
	zeros = np.zeros((steps, width), F32)
	y = g.loop(I64(steps), body, [(g.given(g.floats(1, width)), "state", after, (1, width)), (g.const(zeros), "keys", keys, (steps, width)),
				      (g.const(zeros), "values", values, (steps, width))], [(after, (1, width))])
	yield g.done(*y)


def controlled_floats():
	for make in (choices, loops, scans, nested, several, decoder):
		yield from make()


FILES = {"controlled_floats": controlled_floats}
