# SPDX-License-Identifier: MIT
"""For write.py: models whose operators run other graphs of the file, and one with several signatures. They are for one item. litert.py
makes their golden values; tests/models/tflite/litert.txt has their names."""
import numpy as np

import tflite.flatbuffer as fb
import tflite.model
from tflite.model import NONE, SAME, Model, weights

SHAPE, GRID = [1, 6, 6, 4], (0.05, -108)


class Graph(Model):
	"""One of a model's graphs; the others share its codes and buffers. A graph has its number before it is filled."""

	def __init__(self, first=None):
		super().__init__()
		self.graphs = first.graphs if first else []
		if first:
			self.codes, self.buffers = first.codes, first.buffers
		self.number, self.signatures, self.outputs = len(self.graphs), [], []
		self.graphs.append(self)

	def input(self, shape, dtype, scale=None, zero=0, data=None):
		info = np.iinfo(dtype) if dtype != "bool" else None
		if data is None and self.number == 0:
			data = tflite.model.rng.integers(info.min, info.max + 1, shape)
		if data is not None:
			self.data.append(np.asarray(data).astype(dtype).reshape(shape or [1]))
		self.inputs.append(self.tensor(shape, dtype, scale, zero, name=f"x{len(self.inputs)}"))
		return self.inputs[-1]

	def encode(self, outputs, version=3):
		self.outputs = outputs
		graphs = [{0: fb.tables(g.tensors), 1: fb.vector("i", g.inputs), 2: fb.vector("i", g.outputs), 3: fb.tables(g.operators)}
			  for g in self.graphs]
		model = {0: fb.u32(version), 1: fb.tables(self.codes), 2: fb.tables(graphs), 4: fb.tables(self.buffers)}
		if self.signatures:
			model[7] = fb.tables([self.signature(key, self.graphs[number]) for key, number in self.signatures])
		return fb.write(model, b"TFL3")

	@staticmethod
	def signature(key, graph):
		maps = [fb.tables([{0: fb.string(f"{letter}{i}"), 1: fb.u32(t)} for i, t in enumerate(tensors)])
			for letter, tensors in (("x", graph.inputs), ("y", graph.outputs))]
		return {0: maps[0], 1: maps[1], 2: fb.string(key), 4: fb.u32(graph.number)}

	def save(self, name, outputs):
		super().save("control_" + name, outputs)

	def image(self):
		return self.input(SHAPE, "int8", *GRID)

	def two(self, op, x, y, dtype="int8", shape=SHAPE, grid=GRID, *options, version=1):
		made = self.tensor(shape, dtype, *grid)
		self.add(op, [x, y], [made], *options, version=version)
		return made

	def conv(self, x):
		made = self.tensor(SHAPE, "int8", *GRID)
		self.add("CONV_2D", [x, *weights(self, [4, 3, 3, 4], 0, True, GRID[0], 4)], [made], SAME, 1, 1, NONE, 1, 1, version=3)
		return made

	def sum(self, x, y):
		return self.two("ADD", x, y, "int8", SHAPE, GRID, NONE, version=2)

	def number_(self, value):
		return self.tensor([], "int32", data=np.int32(value))

	def greatest(self, x, op, than):
		"""Whether the greatest element of all is greater than, or less than, a number."""
		most = self.tensor([], "int8", *GRID)
		self.add("REDUCE_MAX", [x, self.ints([0, 1, 2, 3])], [most], 0, version=2)
		end = self.tensor([], "int8", *GRID, data=np.int8(than))
		made = self.tensor([], "bool")
		self.add(op, [most, end], [made], version=2)
		return made


def branches(m):
	"""Graphs of two images, one that convolves."""
	then, otherwise = Graph(m), Graph(m)
	for g in (then, otherwise):
		g.image(), g.image()
	then.outputs = [then.conv(then.conv(then.inputs[0]))]
	otherwise.outputs = [otherwise.sum(*otherwise.inputs)]
	return then, otherwise


def write_if(name, than):
	m = Graph()
	x, y = m.image(), m.image()
	then, otherwise = branches(m)
	made = m.tensor(SHAPE, "int8", *GRID)
	m.add("IF", [m.greatest(x, "GREATER", than), x, y], [made], then.number, otherwise.number)
	m.save(name, [m.sum(made, y)])


def write_input(name, value):
	"""The condition is an input of the model."""
	m = Graph()
	condition = m.input([], "bool", data=np.array(value))
	x, y = m.image(), m.image()
	then, otherwise = branches(m)
	made = m.tensor(SHAPE, "int8", *GRID)
	m.add("IF", [condition, x, y], [made], otherwise.number, then.number)
	m.save(name, [made])


def loop(m, condition, body, values):
	"""A WHILE over values: (tensor, shape, dtype, grid)."""
	outs = [m.tensor(shape, dtype, *grid) for _, shape, dtype, grid in values]
	m.add("WHILE", [v[0] for v in values], outs, condition.number, body.number)
	return outs


def write_counted(name, trips):
	"""A number counts up to a constant, or to an input."""
	m = Graph()
	x, condition, body = m.image(), Graph(m), Graph(m)
	values = [(m.number_(0), [], "int32", ()), (x, SHAPE, "int8", GRID)]
	if trips is not None:
		values.append((m.input([], "int32", data=np.array(trips)), [], "int32", ()))
	for g in (condition, body):
		for _, shape, dtype, grid in values:
			g.input(shape, dtype, *grid)
	end = condition.number_(4) if trips is None else condition.inputs[2]
	condition.outputs = [condition.two("LESS", condition.inputs[0], end, "bool", [], ())]
	half = body.tensor([1, 1, 1, 4], "int8", 0.01, 0, data=np.array([50, 20, 30, 40], np.int8))
	less = body.two("MUL", body.inputs[1], half, "int8", SHAPE, GRID, NONE, version=2)
	body.outputs = [body.two("ADD", body.inputs[0], body.number_(1), "int32", [], (), NONE), body.sum(less, body.conv(body.inputs[1]))]
	body.outputs += body.inputs[2:]
	made = loop(m, condition, body, values)
	m.save(name, [made[1]])


def write_while(name, than):
	"""The elements grow until one is large."""
	m = Graph()
	x, condition, body = m.image(), Graph(m), Graph(m)
	small = m.two("MUL", x, m.tensor([1, 1, 1, 1], "int8", 0.01, 0, data=np.int8(20)), "int8", SHAPE, GRID, NONE, version=2)
	values = [(small, SHAPE, "int8", GRID), (m.number_(10), [], "int32", ())]
	for g in (condition, body):
		for _, shape, dtype, grid in values:
			g.input(shape, dtype, *grid)
	condition.outputs = [condition.greatest(condition.inputs[0], "LESS", than)]
	more = body.tensor([1, 1, 1, 1], "int8", *GRID, data=np.int8(GRID[1] + 19))
	body.outputs = [body.sum(body.inputs[0], more), body.two("ADD", body.inputs[1], body.number_(3), "int32", [], (), NONE)]
	m.save(name, loop(m, condition, body, values))


def write_nested():
	"""An IF in a WHILE in a WHILE."""
	m = Graph()
	x, condition, body, inner_condition, inner = m.image(), *(Graph(m) for _ in range(4))
	then, otherwise = Graph(m), Graph(m)
	then.image(), otherwise.image()
	then.outputs = [then.conv(then.inputs[0])]
	more = otherwise.tensor([1, 1, 1, 1], "int8", *GRID, data=np.int8(GRID[1] + 30))
	otherwise.outputs = [otherwise.sum(otherwise.inputs[0], more)]
	values = [(m.number_(0), [], "int32", ()), (x, SHAPE, "int8", GRID)]
	for g, end in ((condition, 3), (inner_condition, 2), (body, 0), (inner, 0)):
		for _, shape, dtype, grid in values:
			g.input(shape, dtype, *grid)
		if end:
			g.outputs = [g.two("LESS", g.inputs[0], g.number_(end), "bool", [], ())]
	made = inner.tensor(SHAPE, "int8", *GRID)
	inner.add("IF", [inner.greatest(inner.inputs[1], "GREATER", 100), inner.inputs[1]], [made], then.number, otherwise.number)
	inner.outputs = [inner.two("ADD", inner.inputs[0], inner.number_(1), "int32", [], (), NONE), made]
	last = loop(body, inner_condition, inner, [(body.number_(0), [], "int32", ()), (body.inputs[1], SHAPE, "int8", GRID)])
	body.outputs = [body.two("ADD", body.inputs[0], body.number_(1), "int32", [], (), NONE), last[1]]
	m.save("while_nested", loop(m, condition, body, values)[1:])


def write_signatures():
	"""Two models in one file, of which the first is the one that runs if nobody asks for another."""
	m = Graph()
	x, y = m.image(), m.image()
	second = Graph(m)
	second.outputs = [second.conv(second.input([1, 6, 6, 4], "int8", *GRID))]
	m.signatures = [("adds", 0), ("convolves", 1)]
	m.save("signatures", [m.sum(x, y)])


def write():
	tflite.model.rng = np.random.default_rng(71)
	write_if("if_then", 100)
	write_if("if_else", 127)
	write_input("if_input_then", True)
	write_input("if_input_else", False)
	write_counted("while_counts", None)
	write_counted("while_counts_input", 3)
	write_counted("while_counts_never", 0)
	write_while("while_grows", 60)
	write_while("while_grows_never", -120)
	write_nested()
	write_signatures()
