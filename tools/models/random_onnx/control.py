# SPDX-License-Identifier: MIT
"""Loop, Scan and If for graphs.py: as in operators.py. The model is of one number of items.

What runs in a body are operators of elements whose results are rounded at once, so that all runtimes have the same numbers; which of them, how often and inside
of what is drawn.
"""
import numpy as np
from onnx import TensorProto, helper

from random_onnx.builder import INT8, UINT8, Quant, Value

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
DEPTH = 3  # of bodies in bodies
info = helper.make_tensor_value_info


class Body:
	"""The nodes of a graph in the model: while it is open, they go there."""

	def __init__(self, g):
		self.g, self.nodes = g, []

	def __enter__(self):
		self.around, self.g.nodes = self.g.nodes, self.nodes
		return self

	def __exit__(self, *_):
		self.g.nodes = self.around

	def graph(self, inputs, outputs):
		return helper.make_graph(self.nodes, self.g.name("body"), inputs, outputs)


def real(name, shape):
	return info(name, FLOAT, shape)


def add(g, op, inputs, outputs=1, **attrs):
	"""A node with a graph in it, or of a plain kind."""
	names = [g.name("t") for _ in range(outputs)]
	g.tag(op)
	for name in attrs:
		g.tag(op, name, "given")
	g.nodes.append(helper.make_node(op, inputs, names, **attrs))
	return names[0] if outputs == 1 else names


def number(g, value, dtype=np.int64, shape=()):
	return g.const(np.full(shape, value, dtype), "k", "initializer")


def rounded(g, name, quant):
	scale, zero = g.const(np.float32(quant.scale), "s", "initializer"), g.const(np.array(quant.zero, quant.dtype), "z", "initializer")
	return add(g, "DequantizeLinear", [add(g, "QuantizeLinear", [name, scale, zero]), scale, zero])


def some_quant(g):
	dtype = g.d.pick([UINT8, INT8])
	return Quant(dtype, np.float32(g.d.pick([0.05, 0.031, 0.0625, 0.11])), g.d.between(-20, 20) + (128 if dtype == UINT8 else 0))


def computed(g, pool, shape):
	"""A value of those of the shape that there are, rounded; the quantization is its own."""
	values = [name for name, dims in pool if dims == shape]
	pick = lambda: g.d.pick(values)
	op = g.d.pick(["Add", "Mul", "Sub", "Max", "Min", "Relu", "Neg", "Sigmoid", "Identity", "Constant"], [6, 3, 3, 2, 2, 2, 2, 2, 1, 2])
	if op in ("Relu", "Neg", "Sigmoid", "Identity"):
		made = add(g, op, [pick()])
	elif op == "Constant":
		made = add(g, "Add", [pick(), rounded(g, g.const(np.float32(g.d.between(-20, 20) / 16), "k", "initializer"), Quant(INT8, np.float32(0.0625), 0))])
	else:
		made = add(g, op, [pick(), pick()])
	return made


def some_values(g, pool, shape, depth, index=None):
	"""What a body computes, to the last value, which is rounded."""
	name = None
	for _ in range(g.d.pick([1, 2, 3], [3, 3, 1])):
		kind = g.d.pick(["elements", "If", "Loop", "Scan"], [8, *([2, 2, 1] if depth < DEPTH else [0, 0, 0])])
		if kind == "elements":
			name = rounded(g, computed(g, pool, shape), some_quant(g))
		elif kind == "If":
			name = choose(g, pool, shape, depth + 1, index)[0]
		elif kind == "Loop":
			name = loop(g, pool, shape, depth + 1)[0][0]
		else:
			name = scan(g, pool, shape, depth + 1)[0]
		pool = [*pool, (name, shape)]
	return name


def condition(g, pool, shape, index=None):
	"""A bool that data decide."""
	if index and g.d.chance(3):
		g.tag("If", "condition", "the iteration")
		return add(g, "Equal", [add(g, "Mod", [index, number(g, 2)]), number(g, g.d.between(0, 1))])
	values = [name for name, dims in pool if dims == shape]
	greatest = add(g, g.d.pick(["ReduceMax", "ReduceMin"]), [g.d.pick(values)], keepdims=0)
	made = add(g, g.d.pick(["Greater", "Less"]), [greatest, number(g, g.d.between(-16, 48) / 8, np.float32)])
	return add(g, "Not", [made]) if g.d.chance(4) else made


def choose(g, pool, shape, depth, index=None):
	decides, count, branches = condition(g, pool, shape, index), g.d.pick([1, 2], [4, 1]), []
	same = [some_quant(g) for _ in range(count)] if not g.d.chance(8) else None
	g.tag("If", "quantization", "the same" if same else "each its own")
	for _ in range(2):
		with Body(g) as body:
			outs = [some_values(g, pool, shape, depth) for _ in range(count)]
			if same:
				outs = [rounded(g, out, quant) for out, quant in zip(outs, same)]
			branches.append(body.graph([], [real(out, shape) for out in outs]))
	made = add(g, "If", [decides], count, then_branch=branches[0], else_branch=branches[1])
	made = [made] if count == 1 else made
	return [rounded(g, name, some_quant(g)) if not same else name for name in made]


def loop(g, pool, shape, depth, scans=False):
	"""Values when it has ended, and rows of all iterations: (name, shape), of a number that may be known at run time only."""
	how = g.d.pick(["constant", "input", "condition", "both", "none of both"], [5, 2, 3, 2, 1 if depth == 1 else 0])
	g.tag("Loop", "trips", how)
	trips, asks = g.d.between(0, 5), how in ("condition", "both")
	if how in ("constant", "both"):
		most = number(g, trips)
	elif how == "input":
		most = g.name("x")
		g.data[most] = np.array(trips, np.int64)
		g.inputs.append(info(most, INT64, []))
	else:
		most = number(g, g.d.between(1, 9))  # of what has no end by itself: a number all the same
	begins = "" if not asks and g.d.chance(2) else condition(g, pool, shape) if asks and g.d.chance(2) else number(g, True, np.bool_)
	carried = []
	for _ in range(g.d.pick([1, 2, 3], [4, 3, 1])):
		quant = some_quant(g)
		first = g.d.pick([name for name, dims in pool if dims == shape])
		carried.append((first if g.d.chance(12) else rounded(g, first, quant), g.name("c"), quant))
	rows = g.d.pick([0, 1, 2], [2, 2, 1]) if scans else 0
	iteration, goes_on = g.name("i"), g.name("b")
	with Body(g) as body:
		inside = [*pool, *((name, shape) for _, name, _ in carried)]
		nexts = []
		for _, _, quant in carried:
			value = some_values(g, inside, shape, depth, iteration)
			nexts.append(rounded(g, value, quant))
			inside.append((nexts[-1], shape))
		if g.d.chance(5) and len(nexts) > 1:
			g.tag("Loop", "values", "change places")
			nexts[0], nexts[1] = add(g, "Identity", [carried[1][1]]), add(g, "Identity", [carried[0][1]])
		left = [g.d.pick(["value", "iteration"], [4, 1]) for _ in range(rows)]
		outs = [some_values(g, inside, shape, depth) if kind == "value" else add(g, "Mul", [iteration, number(g, 3)]) for kind in left]
		more = condition(g, inside, shape, iteration) if asks else add(g, "Identity", [goes_on])
		graph = body.graph([info(iteration, INT64, []), info(goes_on, BOOL, []), *(real(name, shape) for _, name, _ in carried)],
				   [info(more, BOOL, []), *(real(name, shape) for name in nexts),
				    *(real(name, shape) if kind == "value" else info(name, INT64, []) for kind, name in zip(left, outs))])
	made = add(g, "Loop", [most, begins, *(first for first, _, _ in carried)], len(carried) + rows, body=graph)
	made = [made] if isinstance(made, str) else made
	g.tag("Loop", "rows", rows)
	return [made[:len(carried)], [(name, kind) for name, kind in zip(made[len(carried):], left)]]


def scan(g, pool, shape, depth):
	"""Over the first, or the last dimension of values, or of several of them."""
	axis, count = g.d.below(len(shape)), g.d.pick([1, 2])
	row = shape[:axis] + shape[axis + 1:]
	values = [name for name, dims in pool if dims == shape]
	xs = [g.d.pick(values) for _ in range(count)]
	back = [g.d.below(2) for _ in range(count)]
	quant = some_quant(g)
	first = rounded(g, add(g, "ReduceMax", [xs[0]], axes=[axis], keepdims=0) if g.opset < 18 else
			add(g, "ReduceMax", [xs[0], number(g, axis, shape=(1,))], keepdims=0), quant)
	state, names = g.name("c"), [g.name("r") for _ in range(count)]
	with Body(g) as body:
		inside = [(name, row) for name in (state, *names)]
		after = rounded(g, some_values(g, inside, row, DEPTH), quant)
		out = some_values(g, [*inside, (after, row)], row, DEPTH)
		graph = body.graph([real(name, row) for name in (state, *names)], [real(after, row), real(out, row)])
	attrs = {"num_scan_inputs": count}
	if axis or g.d.chance(2):
		attrs["scan_input_axes"] = [axis - (len(shape) if g.d.chance(3) else 0)] * count
	if any(back) or g.d.chance(2):
		attrs["scan_input_directions"] = back
	if axis or g.d.chance(2):
		attrs["scan_output_axes"] = [axis]
	if g.d.chance(2):
		attrs["scan_output_directions"] = [g.d.below(2)]
	made = add(g, "Scan", [first, *xs], 2, body=graph, **attrs)
	return [rounded(g, made[1], some_quant(g))]


def control(kind):
	def make(g, _v, _opset):
		shape = [g.d.pick([1, 2, 3]), *[g.d.between(1, 4) for _ in range(g.d.pick([1, 2, 3]))]]
		pool = []
		for _ in range(g.d.pick([1, 2, 3])):
			pool.append((g.dequantize(g.input(shape, some_quant(g), True)).name, shape))
		left = []
		if kind == "If":
			made = choose(g, pool, shape, 1)
		elif kind == "Loop":
			made, left = loop(g, pool, shape, 1, True)
		else:
			made = scan(g, pool, shape, 1)
		for name, what in left:
			g.outputs.append(info(name, FLOAT if what == "value" else INT64, None))
		if g.d.chance(2):
			made = [rounded(g, name, some_quant(g)) for name in made]
		for name in made[1:]:
			g.outputs.append(real(name, shape))
		return Value(made[0], shape, True, None, 0.05)
	return make
