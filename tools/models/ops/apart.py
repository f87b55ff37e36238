# SPDX-License-Identifier: MIT
"""The models of write.py that move a batch whose size is not known: what comes out for several items is what the runtime makes of all of
them at once.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import numpy as np
from onnx import TensorProto, helper

import ops.model
from ops.whole import I64, Steps


class Moved(Steps):
	"""A model that begins by moving its batch of three behind the next dimension."""

	def __init__(self, name, shape=(3, 4, 6)):
		super().__init__(name, shape, symbolic=True)
		self.file = f"apart_{name}"
		self.x = self.step("Transpose", self.values[0], perm=[1, 0, *range(2, len(shape))])

	def shape(self, value):
		"""The dimensions of a value, each as a list of one."""
		self.count += 1
		name = f"d{self.count}"
		self.node("Shape", [value], name)
		return [self.node("Slice", [name, self.const(f"{name}_{i}", I64(i)), self.const(f"{name}_{i}_end", I64(i + 1))], f"{name}_{i}_of")
			for i in range(5)]

	def numbers(self, op, *inputs, **attrs):
		self.count += 1
		name = f"n{self.count}"
		inputs = [self.const(f"{name}_c{i}", x) if isinstance(x, np.ndarray) else x for i, x in enumerate(inputs)]
		return self.node(op, inputs, name, **attrs)

	def list(self, *parts):
		return self.numbers("Concat", *(I64(p) if isinstance(p, int) else p for p in parts), axis=0)

	def back(self, doc, shape, value, to=(0.04, 9), perm=(1, 0, 2)):
		self.end(doc, ("N", *shape), "Transpose", value, perm=list(perm), to=to)


def attention():
	"""As torch.nn.MultiheadAttention is exported by the exporter of dynamo=False."""
	m = Moved("attention", (3, 5, 8))
	words, items, width, *_ = m.shape(m.x)
	x = m.step("MatMul", m.x, m.rows((8, 24)), to=(0.07, 120))
	x = m.step("Reshape", x, m.list(words, items, 3, width), to=(0.07, 120))
	x = m.step("Squeeze", m.step("Transpose", m.step("Unsqueeze", x, I64(0), to=(0.07, 120)), perm=[3, 1, 2, 0, 4], to=(0.07, 120)), I64(-2), to=(0.07, 120))
	head = m.numbers("Div", width, I64(2))
	heads = m.list(words, m.numbers("Mul", items, I64(2)), head)
	apart = m.list(items, 2, words, head)
	parts = []
	for i in range(3):
		part = m.step("Reshape", m.step("Gather", x, np.array(i, np.int64), axis=0, to=(0.07, 120)), heads, to=(0.07, 120))
		part = m.step("Transpose", part, perm=[1, 0, 2], to=(0.07, 120))
		parts.append(m.step("Reshape", part, apart, to=(0.07, 120)))
	root = m.numbers("Sqrt", m.numbers("Div", np.float32([1]), m.numbers("Sqrt", m.numbers("Cast", head, to=TensorProto.FLOAT))))
	scale, zero = m.const("root_scale", np.float32(0.0028)), m.const("root_zero", np.uint8(0))
	root = m.dequantize(m.node("QuantizeLinear", [root, scale, zero], "root_q"), scale, zero)
	query = m.step("Mul", parts[0], root, to=(0.05, 120))
	key = m.step("Mul", m.step("Transpose", parts[1], perm=[0, 1, 3, 2], to=(0.07, 120)), root, to=(0.05, 120))
	x = m.step("Softmax", m.step("MatMul", query, key, to=(0.6, 130)), axis=-1, to=(1 / 256, 0))
	x = m.step("Transpose", m.step("MatMul", x, parts[2], to=(0.06, 120)), perm=[2, 0, 1, 3], to=(0.06, 120))
	x = m.step("Reshape", x, m.list(m.numbers("Mul", words, items), width), to=(0.06, 120))
	x = m.step("MatMul", x, m.rows((8, 8)), to=(0.1, 128))
	m.back("Attention whose batch is behind the words, and joined with heads, and with words", (5, 8),
	       m.step("Reshape", x, m.list(words, items, -1), to=(0.1, 128)), to=(0.1, 128))


def moves():
	m = Moved("moves")
	x = m.step("Concat", m.step("Slice", m.x, I64(1, 1), I64(9, 5), I64(0, 2)), m.step("Slice", m.x, I64(0, 1), I64(2, 5), I64(0, 2)), axis=0)
	x = m.step("Gather", m.step("Pad", x, I64(1, 0, 0, 0, 0, 2), np.array(0.4, np.float32)), I64(5, 0, 2), axis=0)
	x = m.step("Tile", m.step("Gather", x, np.array(2, np.int64), axis=0), I64(1, 2))
	x = m.step("Expand", m.step("Unsqueeze", x, I64(0)), I64(3, 1, 12))
	m.back("Parts, indices, a border, copies beside a batch that is not the first dimension", (3, 12), x)


def shapes():
	m = Moved("shapes")
	_, items, *_ = m.shape(m.x)
	x = m.step("Transpose", m.step("Unsqueeze", m.x, I64(0, 3)), perm=[4, 2, 1, 0, 3])
	x = m.step("Transpose", m.step("Squeeze", x, I64(3, 4)), perm=[2, 1, 0])
	x = m.step("Reshape", m.step("Flatten", x, axis=2), I64(4, -1, 6))
	x = m.step("Reshape", x, m.list(2, m.numbers("Mul", items, I64(2)), 6))
	m.back("Dimensions that are added, dropped, joined with the batch and taken apart", (4, 6), m.step("Reshape", x, m.list(4, items, 6)))


def sums():
	m = Moved("sums")
	x = m.step("Add", m.x, m.rows((4, 1, 6)), to=(0.05, 99))
	x = m.step("Mul", x, m.step("ReduceMean", x, axes=[0], keepdims=0, to=(0.05, 99)), to=(0.1, 99))
	x = m.step("Softmax", x, axis=0, to=(1 / 256, 0))
	x = m.step("MatMul", m.rows((1, 3, 4)), m.step("Transpose", x, perm=[1, 0, 2], to=(1 / 256, 0)), to=(0.01, 110))
	m.end("Constants, means, a product beside a batch that moves", ("N", 3, 6), "Identity", x, to=(0.01, 110))


@ops.model.numbers(0)
def write():
	attention()
	moves()
	shapes()
	sums()
