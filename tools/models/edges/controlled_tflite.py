# SPDX-License-Identifier: MIT
"""The tables of write.py for TensorFlow Lite: WHILE and IF of models that compute in float, and variables of float32."""
import zlib

import numpy as np

import tflite.model
from common import cases
from tflite.control import Graph as QuantizedGraph
from tflite.model import NONE, SAME
from tflite.resources import Variables

SHAPE = [1, 5, 6, 3]


class Graph(QuantizedGraph):
	"""One of a model's graphs, of floats."""

	def given(self, shape=None, low=-1, high=1):
		"""An input of the graph; of the model's own one with numbers."""
		shape = shape or SHAPE
		if not self.number:
			self.data.append(tflite.model.rng.uniform(low, high, shape).astype(np.float32))
		self.inputs.append(self.tensor(shape, "float32", name=f"x{len(self.inputs)}"))
		return self.inputs[-1]

	def counter(self):
		self.inputs.append(self.tensor([], "int32", name=f"x{len(self.inputs)}"))
		return self.inputs[-1]

	def floats(self, *shape, low=-0.3, high=0.3):
		return self.tensor(list(shape), "float32", data=tflite.model.rng.uniform(low, high, shape).astype(np.float32))

	def make(self, op, inputs, *options, shape=None, dtype="float32", version=1):
		made = self.tensor(SHAPE if shape is None else shape, dtype)
		self.add(op, inputs, [made], *options, version=version)
		return made

	def convolved(self, x):
		channels = SHAPE[3]
		return self.make("CONV_2D", [x, self.floats(channels, 3, 3, channels), self.floats(channels)], SAME, 1, 1, NONE, 1, 1)

	def is_large(self, x, than, op="GREATER"):
		"""Whether the greatest element is greater, or less, than a number."""
		most = self.make("REDUCE_MAX", [x, self.ints([0, 1, 2, 3])], 0, shape=[])
		return self.make(op, [most, self.tensor([], "float32", data=np.float32(than))], shape=[], dtype="bool")


def begin(name):
	tflite.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	return Graph()


def done(name, m, outputs, says=None):
	data = [(f"x{i}", values) for i, values in enumerate(m.data)]
	return cases.Case(name, m.encode(outputs), data, cases.FLOAT_SUMS | (cases.MUST_REFUSE if says else cases.MUST_ACCEPT), reason=says or "")


def choices():
	for than in (0.5, 9):
		name = f"IF above {than}"
		m = begin(name)
		x, other = m.given(), m.given()
		then, otherwise = Graph(m), Graph(m)
		for g in (then, otherwise):
			g.given(), g.given()
		then.outputs = [then.convolved(then.inputs[0])]
		otherwise.outputs = [otherwise.make("ADD", otherwise.inputs, NONE)]
		y = m.make("IF", [m.is_large(x, than), x, other], then.number, otherwise.number)
		yield done(name, m, [m.make("TANH", [y])])

	for than in (0, 9):
		name = f"IF that hands on weights, above {than}"
		m = begin(name)
		x, then, otherwise = m.given([1, 6]), Graph(m), Graph(m)
		weights = [m.floats(4, 6), m.floats(4)]
		for g in (then, otherwise):
			g.given([1, 6])
			g.inputs += [g.tensor(shape, "float32", name=f"w{i}") for i, shape in enumerate(([4, 6], [4]))]
			made = g.make("FULLY_CONNECTED", g.inputs, NONE, 0, 0, shape=[1, 4])
			g.outputs = [made if g is then else g.make("LOGISTIC", [made], shape=[1, 4])]
		most = m.make("REDUCE_MAX", [x, m.ints([0, 1])], 1, shape=[1, 1])
		large = m.make("GREATER", [most, m.tensor([], "float32", data=np.float32(than))], shape=[1, 1], dtype="bool")
		number = m.make("RESHAPE", [large, m.tensor([0], "int32")], [], shape=[], dtype="bool")
		yield done(name, m, [m.make("IF", [number, x, *weights], then.number, otherwise.number, shape=[1, 4])])


def loops():
	for trips in (0, 1, 6):
		name = f"WHILE, {trips} times"
		m = begin(name)
		x, condition, body = m.given(), Graph(m), Graph(m)
		condition.counter(), condition.given()
		condition.outputs = [condition.make("LESS", [condition.inputs[0], condition.number_(trips)], shape=[], dtype="bool")]
		number, value = body.counter(), body.given()
		body.outputs = [body.make("ADD", [number, body.number_(1)], NONE, shape=[], dtype="int32"), body.make("ADD", [body.make("RELU", [body.convolved(value)]), value], NONE)]
		outs = [m.tensor([], "int32"), m.tensor(SHAPE, "float32")]
		m.add("WHILE", [m.number_(0), x], outs, condition.number, body.number)
		yield done(name, m, outs[1:])
	for limit in (-2, 4):
		name = f"WHILE the greatest is less than {limit}"
		m = begin(name)
		x, other, condition, body = m.given(low=0.1), m.given(), Graph(m), Graph(m)
		for g in (condition, body):
			g.given(), g.given()
		condition.outputs = [condition.is_large(condition.inputs[0], limit, "LESS")]
		body.outputs = [body.make("MUL", [body.inputs[0], body.tensor([1], "float32", data=np.float32([1.5]))], NONE), body.convolved(body.inputs[1])]
		outs = [m.tensor(SHAPE, "float32") for _ in range(2)]
		m.add("WHILE", [x, other], outs, condition.number, body.number)
		yield done(name, m, outs)


def steps():
	"""A WHILE that takes a step of a sequence by its number, as Keras' layers do: along each dimension, of an input or a constant, by a number or a list."""
	for axis, shape, is_list, is_constant in ((0, (6, 4), False, False), (0, (6, 1, 4), True, False), (1, (1, 6, 4), False, False), (2, (1, 4, 6), True, False),
						  (0, (6, 4), False, True), (0, (6, 4), True, True)):
		name = f"WHILE that takes steps of {shape}, {axis}, {is_list}, {is_constant}"
		m = begin(name)
		first, values, condition, body = m.given([1, 4]), [] if is_constant else [m.given(list(shape))], Graph(m), Graph(m)
		for g in (condition, body):
			g.counter(), g.given([1, 4]), *[g.given(list(shape)) for _ in values]
		condition.outputs = [condition.make("LESS", [condition.inputs[0], condition.number_(6)], shape=[], dtype="bool")]
		number = index = body.inputs[0]
		if is_list:
			index = body.make("RESHAPE", [number, body.ints([1])], [1], shape=[1], dtype="int32")
		row = body.make("GATHER", [body.floats(*shape) if is_constant else body.inputs[2], index], axis, 0, shape=shape[:axis] + (1,) * is_list + shape[axis + 1:])
		row = body.make("RESHAPE", [row, body.ints([1, 4])], [1, 4], shape=[1, 4])
		added = body.make("ADD", [body.inputs[1], row], NONE, shape=[1, 4])
		body.outputs = [body.make("ADD", [number, body.number_(1)], NONE, shape=[], dtype="int32"), body.make("TANH", [added], shape=[1, 4]), *body.inputs[2:]]
		outs = [m.tensor([], "int32"), m.tensor([1, 4], "float32"), *[m.tensor(list(shape), "float32") for _ in values]]
		m.add("WHILE", [m.number_(0), first, *values], outs, condition.number, body.number)
		yield done(name, m, outs[1:2])


def variable():
	"""A sum over executions, of which the first is judged, from numbers that CALL_ONCE gives."""
	name = "a variable"
	tflite.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	m = Variables(kept=np.linspace(-1, 1, 6, dtype=np.float32).reshape(1, 6))
	m.data.append(tflite.model.rng.uniform(-1, 1, (1, 6)).astype(np.float32))
	m.inputs.append(m.tensor([1, 6], "float32", name="x0"))
	handle, made = m.handle("kept"), m.tensor([1, 6], "float32")
	m.add("ADD", [m.inputs[0], m.read(handle, [1, 6], "float32")], [made], NONE)
	m.assign(handle, made)
	yield done(name, m, [made])


def controlled_floats_tflite():
	for make in (choices, loops, steps, variable):
		yield from make()


TFLITE_FILES = {"controlled_floats_tflite": controlled_floats_tflite}
