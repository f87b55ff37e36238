# SPDX-License-Identifier: MIT
"""Random graphs of WHILE and IF for graphs.py, one inside the other, of images of int8 and numbers of int32. The models are for one item."""
import numpy as np

import tflite.model
from common.draw import Made
from tflite.control import Graph
from tflite.model import NONE, RELU, RELU6

KINDS = {"WHILE": 8, "IF": 5}
DEPTH = 3  # of graphs in graphs


class Drawn:
	"""A model whose choices are drawn, and the tags of what is in it."""

	def __init__(self, draw):
		self.d, self.tags = draw, set()
		self.shape = [1, draw.between(1, 4), draw.between(1, 4), draw.pick([4, 1, 3, 8])]

	def grid(self):
		return (float(np.float32(self.d.pick([0.05, 0.031, 0.0625, 0.11]))), self.d.between(-60, 60))

	def image(self, g, grid):
		return (g.input(self.shape, "int8", *grid), grid)

	def two(self, g, op, a, b, grid, *options):
		return (g.two(op, a[0], b[0], "int8", self.shape, grid, *options, version=2), grid)

	def compute(self, g, pool, grid):
		"""An image of those that there are, with that scale and zero point."""
		pick = lambda: self.d.pick(pool)
		op = self.d.pick(["ADD", "MUL", "constant", "twice"], [4, 2, 2, 2])
		activation = self.d.pick([NONE, RELU, RELU6], [6, 1, 1])
		if op == "constant":
			scale, zero = self.grid()
			data = tflite.model.rng.integers(-128, 128, [1, 1, 1, self.shape[3]]).astype(np.int8)
			other = (g.tensor([1, 1, 1, self.shape[3]], "int8", scale, zero, data=data), (scale, zero))
			return self.two(g, self.d.pick(["ADD", "MUL"]), pick(), other, grid, activation)
		if op == "twice":
			return self.two(g, "ADD", self.compute(g, pool, self.grid()), pick(), grid, activation)
		return self.two(g, op, pick(), pick(), grid, activation)

	def some(self, g, pool, grid, depth):
		"""What a graph computes, with other graphs in it."""
		pool = list(pool)
		for _ in range(self.d.pick([0, 1, 2], [3, 3, 1])):
			kind = self.d.pick(["image", "IF", "WHILE"], [4, *([2, 2] if depth < DEPTH else [0, 0])])
			if kind == "image":
				pool.append(self.compute(g, pool, self.grid()))
			elif kind == "IF":
				pool += self.choose(g, pool, depth + 1)
			else:
				pool += self.loop(g, pool, depth + 1)
		return self.compute(g, [*pool, pool[-1]], grid)

	def is_large(self, g, x, op):
		most = g.tensor([], "int8", *x[1])
		g.add("REDUCE_MAX", [x[0], g.ints([0, 1, 2, 3])], [most], 0, version=2)
		end = g.tensor([], "int8", *x[1], data=np.int8(self.d.between(-100, 127)))
		made = g.tensor([], "bool")
		g.add(op, [most, end], [made], version=2)
		return made

	def choose(self, g, pool, depth):
		if depth == 1 and self.d.chance(3):
			self.tags.add("IF.condition=an input")
			decides = g.input([], "bool", data=np.array(bool(self.d.below(2))))
		else:
			decides = self.is_large(g, self.d.pick(pool), self.d.pick(["GREATER", "LESS"]))
		taken = [self.d.pick(pool) for _ in range(self.d.between(1, 3))]
		grids = [self.grid() for _ in range(self.d.pick([1, 2], [3, 1]))]
		branches = []
		for _ in range(2):
			branch = Graph(g.graphs[0])
			inside = [self.image(branch, grid) for _, grid in taken]
			branch.outputs = [self.some(branch, inside, grid, depth)[0] for grid in grids]
			branches.append(branch)
		made = [(g.tensor(self.shape, "int8", *grid), grid) for grid in grids]
		g.add("IF", [decides, *(at for at, _ in taken)], [at for at, _ in made], *(b.number for b in branches))
		self.tags |= {"IF", "IF.version=1", "IF.then_subgraph_index", "IF.else_subgraph_index"}
		return made

	def loop(self, g, pool, depth):
		how = self.d.pick(["constant", "input", "data", "both"], [3, 2 if depth == 1 else 0, 2, 2])
		self.tags |= {"WHILE", "WHILE.version=1", "WHILE.cond_subgraph_index", "WHILE.body_subgraph_index", f"WHILE.ends={how}"}
		carried = [self.d.pick(pool) for _ in range(self.d.between(1, 3))]
		first = g.number_(self.d.between(0, 4))
		limit = [g.input([], "int32", data=np.array(self.d.between(0, 7)))] if how == "input" else []
		condition, body = Graph(g.graphs[0]), Graph(g.graphs[0])
		insides = []
		for graph in (condition, body):
			graph.input([], "int32")
			insides.append([self.image(graph, grid) for _, grid in carried])
			for _ in limit:
				graph.input([], "int32")
		# What data end is counted as well, so that it ends.
		end = condition.inputs[-1] if limit else condition.number_(self.d.between(0, 6) if how != "data" else 9)
		made = condition.two("LESS", condition.inputs[0], end, "bool", [], ())
		if how in ("data", "both"):
			asked = self.is_large(condition, self.d.pick(insides[0]), self.d.pick(["LESS", "GREATER"]))
			made = condition.two("LOGICAL_AND", made, asked, "bool", [], ())
		condition.outputs = [made]
		count = body.two("ADD", body.inputs[0], body.number_(self.d.between(1, 2)), "int32", [], (), NONE)
		nexts = [self.some(body, insides[1], grid, depth)[0] for _, grid in carried]
		if len(carried) > 1 and carried[0][1] == carried[1][1] and self.d.chance(2):
			self.tags.add("WHILE.values=change places")
			nexts[:2] = [insides[1][1][0], insides[1][0][0]]
		body.outputs = [count, *nexts, *body.inputs[len(body.inputs) - len(limit):]]
		outs = [g.tensor([], "int32"), *(g.tensor(self.shape, "int8", *grid) for _, grid in carried), *(g.tensor([], "int32") for _ in limit)]
		g.add("WHILE", [first, *(at for at, _ in carried), *limit], outs, condition.number, body.number)
		return [(at, grid) for at, (_, grid) in zip(outs[1:], carried)]


def make(draw, kind):
	tflite.model.rng = np.random.default_rng(draw.below(1 << 16))
	drawn, m = Drawn(draw), Graph()
	pool = [drawn.image(m, drawn.grid()) for _ in range(draw.between(1, 2))]
	made = drawn.choose(m, pool, 1) if kind == "IF" else drawn.loop(m, pool, 1)
	outputs = [at for at, _ in made]
	if draw.chance(2):
		outputs = [drawn.compute(m, made, drawn.grid())[0]]
	# A number has no dimensions.
	inputs = [(f"x{i}", data.reshape(()) if data.ndim == 1 else data) for i, data in enumerate(m.data)]
	return Made(kind, m.encode(outputs), b"", inputs, drawn.tags | {f"kind {kind}"}, draw.record)
