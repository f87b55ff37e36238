# SPDX-License-Identifier: MIT
"""For write.py: models with variables that are read and assigned by handles. litert.py makes their golden values; tests/models/tflite/litert.txt
has their names."""
import numpy as np

import tflite.flatbuffer as fb
import tflite.model
from tflite.model import NONE, Model, weights

HIDDEN = (0.04, -20)


class Variables(Model):
	"""A model, and what its variables are at first: arrays by their names."""
	def __init__(self, **first):
		super().__init__()
		self.first = first
		if first:
			self.add("CALL_ONCE", [], [], 1)

	def handle(self, name, container=""):
		handle = self.tensor([], "resource", name=f"{name} in {len(self.tensors)}")
		self.add("VAR_HANDLE", [], [handle], container, name)
		return handle

	def read(self, handle, shape, dtype, *quant):
		y = self.tensor(shape, dtype, *quant)
		self.add("READ_VARIABLE", [handle], [y])
		return y

	def assign(self, handle, value):
		self.add("ASSIGN_VARIABLE", [handle, value], [])

	def encode(self, outputs, version=3):
		def initialize():
			for name, value in self.first.items():
				value = np.asarray(value)
				kind = str(value.dtype)
				self.assign(self.handle(name), self.tensor(list(value.shape), kind, *((1, 0) if kind == "int8" else ()), data=value))
		if self.first:
			self.add_graph(initialize)
		return super().encode(outputs, version)


def add_layer(m, x, kept, shape, out=HIDDEN, activation=NONE):
	"""An input and what was kept, through weights, summed."""
	sums = []
	for part, quant in ((x, (0.05, -20)), (kept, out)):
		y = m.tensor(shape, "int8", 0.03, 2)
		m.add("FULLY_CONNECTED", [part, *weights(m, [shape[-1], shape[-1]], 0, False, quant[0], shape[-1])], [y], NONE, 0, 0, 0, version=4)
		sums.append(y)
	made = m.tensor(shape, "int8", *out)
	m.add("ADD", sums, [made], activation, version=2)
	return made


def recurrent(name, shape, initial=None, real=False):
	"""A layer of its input and its last output: of int8, or as converters leave variables, in float32."""
	m = Variables(**({} if initial is None else {"h": initial}))
	x = m.input(shape, "int8", 0.05, -20)
	handle = m.handle("h")
	if real:
		kept = m.tensor(shape, "int8", *HIDDEN)
		m.add("QUANTIZE", [m.read(handle, shape, "float32")], [kept])
	else:
		kept = m.read(handle, shape, "int8", *HIDDEN)
	made = add_layer(m, x, kept, shape)
	value = made
	if real:
		value = m.tensor(shape, "float32")
		m.add("DEQUANTIZE", [made], [value], version=2)
	m.assign(handle, value)
	m.save(name, [made])


def window(name):
	"""What was kept moves on by a step, in float32, as converters write it; and it begins with numbers that its integers cannot be."""
	m = Variables(window=np.full([1, 4, 6], 0.25, np.float32))
	x = m.input([1, 6], "int8", *HIDDEN)
	handle = m.handle("window")
	behind, quantized = m.tensor([1, 3, 6], "float32"), m.tensor([1, 3, 6], "int8", *HIDDEN)
	m.add("STRIDED_SLICE", [m.read(handle, [1, 4, 6], "float32"), m.ints([0, 1, 0]), m.ints([0, 0, 0]), m.ints([1, 1, 1])], [behind], 5, 7, 0, 0, 0,
	      0, version=2)
	m.add("QUANTIZE", [behind], [quantized])
	row, joined = m.tensor([1, 1, 6], "int8", *HIDDEN), m.tensor([1, 4, 6], "int8", *HIDDEN)
	m.add("RESHAPE", [x, m.ints([1, 1, 6])], [row], [1, 1, 6])
	m.add("CONCATENATION", [quantized, row], [joined], 1, NONE, version=2)
	real, y = m.tensor([1, 4, 6], "float32"), m.tensor([1, 6], "int8", 0.03, 1)
	m.add("DEQUANTIZE", [joined], [real], version=2)
	m.assign(handle, real)
	m.add("MEAN", [joined, m.ints([1])], [y], 0, version=2)
	m.save(name, [y])


def before_and_behind(name):
	"""What was read is read again when it has been assigned twice; the handle is made twice, and is not that of another container."""
	m = Variables(v=np.arange(1, 6, dtype=np.int32)[None], other=np.int32([[100] * 5]))
	x = m.input([1, 5], "int32", None, 0)
	m.data[0] = np.arange(15, dtype=np.int32).reshape(3, 5) * 1000
	handle, same, elsewhere = m.handle("v"), m.handle("v"), m.handle("v", "elsewhere")
	first = m.read(handle, [1, 5], "int32")
	flat = m.tensor([1, 1, 5], "int32")
	m.add("RESHAPE", [first, m.ints([1, 1, 5])], [flat], [1, 1, 5])
	twice, sums = m.tensor([1, 5], "int32"), m.tensor([1, 5], "int32")
	m.add("ADD", [first, first], [twice], NONE)
	m.assign(same, twice)
	second = m.read(handle, [1, 5], "int32")
	m.assign(elsewhere, second)
	m.add("ADD", [second, x], [sums], NONE)
	m.assign(handle, sums)
	constant = m.read(m.handle("other"), [1, 5], "int32")
	last, y = m.tensor([1, 5], "int32"), m.tensor([1, 5], "int32")
	m.add("SUB", [m.read(same, [1, 5], "int32"), first], [last], NONE)
	m.add("ADD", [last, constant], [y], NONE)
	m.save(name, [y, flat, m.read(elsewhere, [1, 5], "int32")])


def exchange(name):
	"""Two variables that change places, and are read before."""
	m = Variables(a=np.int32([[1, 2]]), b=np.int32([[30, 40]]))
	x = m.input([1, 2], "int32", None, 0)
	a, b = m.handle("a"), m.handle("b")
	was, other, sums = m.read(a, [1, 2], "int32"), m.read(b, [1, 2], "int32"), m.tensor([1, 2], "int32")
	m.add("ADD", [other, x], [sums], NONE)
	m.assign(b, was)
	m.assign(a, sums)
	m.save(name, [was, other])


def write():
	with tflite.model.numbers(46):
		recurrent("variable", [1, 12], tflite.model.rng.integers(-128, 128, [1, 12]).astype(np.int8))
		recurrent("variable_real", [1, 9], np.float32([[-3, 0.25, 0, 1.3, 2.5, 7, -0.02, 0.02, 1]]), real=True)
		recurrent("variable_real_zero", [1, 16], np.zeros([1, 16], np.float32), real=True)
		window("variable_window")
		before_and_behind("variable_again")
		exchange("variable_exchange")


def refuse():
	def other(name, words, change, **options):
		m = Variables(**options)
		x = m.input([1, 4], "int8", 0.05, 0)
		handle = m.handle("v")
		y = m.tensor([1, 4], "int8", 0.04, 0)
		m.add("ADD", [x, m.read(handle, [1, 4], "int8", 0.04, 0)], [y], NONE, version=2)
		m.assign(handle, y)
		change(m, handle, y)
		tflite.model.refused(name, words, m, [y])

	zeros = np.zeros([1, 4], np.int8)
	with tflite.model.numbers(47):
		other("variable_no_handle", "no handle that a VAR_HANDLE makes", lambda m, v, y: m.operators[-1].update({1: fb.vector("i", [y, y])}))
		other("variable_shapes", "have different types or shapes", lambda m, v, y: m.read(v, [1, 3], "int8", 0.04, 0))
		other("variable_scales", "is quantized in another way than its variable", lambda m, v, y: m.read(v, [1, 4], "int8", 0.05, 0))
		other("variable_first_shape", "have different types or shapes", lambda m, v, y: None, v=np.zeros([1, 5], np.int8))
		other("variable_nothing", "which nothing assigns", lambda m, v, y: m.read(m.handle("w"), [1, 4], "int8", 0.04, 0))
		other("variable_subgraph", "calls subgraph 2, and the model has 2", lambda m, v, y: m.operators[0].update({4: fb.table({0: fb.i32(2)})}), v=zeros)
		other("variable_subgraph_itself", "calls subgraph 0, and", lambda m, v, y: m.operators[0].update({4: fb.table({0: fb.i32(0)})}), v=zeros)

		def real_made(m, handle, y):
			real = m.handle("r")
			m.assign(real, m.read(real, [1, 4], "float32"))

		def call(m, handle, y):
			m.add("CALL_ONCE", [], [], 1)
			m.add_graph(lambda: m.add("ADD", [m.tensor([1, 4], "int8", 0.04, 0)] * 2, [0], NONE))
		other("variable_real_made", "not what a DEQUANTIZE makes", real_made)
		other("variable_computed", "has a node ADD", call)

		def inexact(m, handle, y):
			h = m.handle("r")
			real, q = m.read(h, [1, 4], "float32"), m.tensor([1, 4], "int8", 0.05, 0)
			m.add("QUANTIZE", [real], [q])
			value = m.tensor([1, 4], "float32")
			m.add("DEQUANTIZE", [y], [value], version=2)
			m.assign(h, value)
		other("variable_inexact", "begins with numbers of float32", inexact, r=np.full([1, 4], 0.37, np.float32))
