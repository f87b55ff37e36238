# SPDX-License-Identifier: MIT
"""The models of write.py whose first dimension is fixed, and no batch: operators go along it as along any other.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import zlib

import numpy as np
from onnx import helper

import ops.model
from ops.model import Model

I64 = lambda *values: np.array(values, np.int64)


def whole(name, doc, op, shapes, outs, consts=(), opset=13, to=(0.04, 9), **attrs):
	"""shapes: of inputs, quantized alike; consts: further inputs."""
	ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	m = Model()
	xs = [m.real(m.input(shape, np.uint8, 0.04, 9, symbolic=False)) for shape in shapes]
	names = [f"made{i}" for i in range(len(outs))]
	m.nodes.append(helper.make_node(op, [*xs, *(m.const(f"c{i}", c) for i, c in enumerate(consts))], names, name=names[0], **attrs))
	outputs = [m.output(n, list(out), np.uint8, *to, name=f"y{i}") for i, (n, out) in enumerate(zip(names, outs))]
	m.save("whole_" + name, outputs, doc, False, opset=opset)


class Steps(Model):
	"""A model, step after step, each with a quantization behind it: for one item, of which it does not keep the first dimension, or of a batch
	that takes in other dimensions."""

	def __init__(self, name, *shapes, symbolic=False):
		super().__init__()
		ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
		self.file, self.count = f"whole_{'rows' if symbolic else 'one'}_{name}", 0
		self.values = [self.real(self.input(shape, np.uint8, 0.04, 9, symbolic)) for shape in shapes]

	def rows(self, shape):
		"""A quantized constant."""
		self.count += 1
		return self.weight(f"w{self.count}", shape, 0.02, np.uint8, 128)

	def step(self, op, *inputs, to=(0.04, 9), **attrs):
		self.count += 1
		name = f"s{self.count}"
		inputs = [self.const(f"{name}_c{i}", x) if isinstance(x, np.ndarray) else x for i, x in enumerate(inputs)]
		self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attrs))
		scale, zero = self.const(name + "_scale", np.float32(to[0])), self.const(name + "_zero", np.uint8(to[1]))
		self.node("QuantizeLinear", [name, scale, zero], name + "_q")
		return self.dequantize(name + "_q", scale, zero)

	def end(self, doc, shape, op, *inputs, to=(0.04, 9), **attrs):
		value = self.step(op, *inputs, to=to, **attrs)
		self.save(self.file, self.output(value, list(shape), np.uint8, *to), doc, False)


def write_one():
	m = Steps("dense", (1, 4, 5))
	x = m.step("Reshape", m.values[0], I64(4, 5))
	x = m.step("Add", m.step("MatMul", x, m.rows((5, 6)), to=(0.08, 99)), m.rows((4, 6)), to=(0.09, 99))
	x = m.step("Softmax", x, axis=0, to=(1 / 256, 0))
	m.end("Rows of an item: a product, a constant for each row, Softmax along them", (1, 4, 6), "Reshape", x, I64(1, 4, 6), to=(1 / 256, 0))
	m = Steps("token", (1, 4, 5))
	x = m.step("Transpose", m.values[0], perm=[1, 0, 2])
	x = m.step("Concat", m.rows((2, 1, 5)), x, axis=0)
	x = m.step("Concat", x, m.rows((6, 1, 2)), axis=2)
	m.end("Constants beside rows of an item", (1, 6, 7), "Transpose", x, perm=[1, 0, 2])
	m = Steps("parts", (1, 4, 5), (1, 3, 5))
	x, y = (m.step("Squeeze", v, I64(0)) for v in m.values)
	m.end("Two inputs, one behind the other; an item has seven rows of the output", (7, 5), "Concat", x, y, axis=0)


def write_rows():
	m = Steps("flat", (3, 4, 5), symbolic=True)
	x = m.step("Softmax", m.step("Flatten", m.values[0], axis=2), axis=1, to=(1 / 256, 0))
	x = m.step("MatMul", x, m.rows((5, 6)), to=(0.02, 120))
	m.end("Rows of an item, flattened into the batch, and taken apart again", ("N", 4, 6), "Reshape", x, I64(-1, 4, 6), to=(0.02, 120))
	m = Steps("windows", (3, 4, 6, 3), symbolic=True)
	apart = m.step("Transpose", m.step("Reshape", m.values[0], I64(-1, 2, 2, 2, 3, 3)), perm=[0, 1, 3, 2, 4, 5])
	x = m.step("Reshape", apart, I64(-1, 6, 3))
	x = m.step("Softmax", x, axis=1, to=(1 / 256, 0))
	m.node("Shape", [x], "shape")
	m.node("Slice", ["shape", m.const("first", I64(0)), m.const("second", I64(1))], "rows")
	m.node("Div", ["rows", m.const("windows", I64(4))], "items")
	m.node("Concat", ["items", m.const("behind", I64(2, 2, 2, 3, 3))], "apart", axis=0)
	x = m.step("Transpose", m.step("Reshape", x, "apart", to=(1 / 256, 0)), perm=[0, 1, 3, 2, 4, 5], to=(1 / 256, 0))
	m.end("Windows of an image as rows of the batch", ("N", 4, 6, 3), "Reshape", x, I64(-1, 4, 6, 3), to=(1 / 256, 0))


@ops.model.numbers(0)
def write():
	write_one()
	write_rows()
	cube = (3, 4, 5)
	whole("concat", "Concat along dimension 0", "Concat", [cube, (2, 4, 5)], [(5, 4, 5)], axis=0)
	whole("split", "Split of one dimension", "Split", [(7,)], [(3,), (4,)], [I64(3, 4)], axis=0)
	whole("slice", "Slice of dimension 0 and another one, backwards", "Slice", [cube], [(2, 4, 3)], [I64(-1, 1), I64(-9, 4), I64(0, 2), I64(-2, 1)])
	whole("gather", "Gather along dimension 0, uneven, of a matrix of indices", "Gather", [cube], [(2, 3, 4, 5)], [np.array([[2, 0, 0], [1, 2, 1]])], axis=0)
	whole("gather_one", "Gather of one index of dimension 0", "Gather", [cube], [(4, 5)], [np.int64(1)], axis=0)
	whole("pad", "Pad of dimension 0, with a value that is no step", "Pad", [cube], [(6, 4, 7)], [I64(1, 0, 2, 2, 0, 0), np.float32(1.23)], to=(0.031, 77))
	whole("pad_reflect", "Pad of dimension 0, reflect", "Pad", [cube], [(7, 4, 5)], [I64(2, 0, 0, 2, 0, 0)], mode="reflect")
	whole("tile", "Tile of dimension 0", "Tile", [cube], [(6, 4, 15)], [I64(2, 1, 3)])
	whole("expand", "Expand of dimension 0", "Expand", [(1, 4, 1)], [(3, 4, 5)], [I64(3, 4, 5)])
	whole("expand_more", "Expand to more dimensions", "Expand", [(4, 1)], [(2, 3, 4, 5)], [I64(2, 3, 4, 5)])
	whole("transpose", "Transpose of dimension 0", "Transpose", [cube], [(5, 3, 4)], perm=[2, 0, 1])
	whole("transpose_image", "Transpose of dimension 0 of four", "Transpose", [(3, 4, 5, 6)], [(6, 5, 4, 3)])
	whole("reshape", "Reshape of dimension 0, -1 behind it", "Reshape", [cube], [(2, 5, 6)], [I64(2, 5, -1)])
	whole("reshape_open", "Reshape of dimension 0, -1", "Reshape", [cube], [(6, 10)], [I64(-1, 10)])
	whole("flatten", "Flatten at axis 0", "Flatten", [cube], [(1, 60)], axis=0)
	whole("flatten_behind", "Flatten behind two dimensions", "Flatten", [cube], [(12, 5)], axis=2)
	whole("flatten_all", "Flatten behind all dimensions", "Flatten", [cube], [(60, 1)], axis=3)
	whole("unsqueeze", "Unsqueeze in front", "Unsqueeze", [cube], [(1, 3, 1, 4, 5)], [I64(0, 2)])
	whole("reduce", "ReduceMean over dimension 0", "ReduceMean", [cube], [(4, 5)], axes=[0], keepdims=0)
	whole("reduce_max", "ReduceMax over dimensions 0 and 2", "ReduceMax", [cube], [(1, 4, 1)], axes=[0, -1])
	whole("reduce_all", "ReduceSum over all dimensions", "ReduceSum", [cube], [(1, 1, 1)], to=(0.9, 3))
	whole("softmax", "Softmax over dimension 0", "Softmax", [cube], [cube], axis=0, to=(1 / 256, 0))
	whole("softmax_all", "Softmax over all dimensions", "Softmax", [cube], [cube], axis=0, opset=11, to=(1 / 4096, 0))
	whole("add", "Add of other numbers of dimensions", "Add", [cube, (5,)], [cube], to=(0.08, 18))
	whole("sub_rows", "Sub of a row from all, and the other way", "Sub", [(1, 4, 5), (3, 1, 5)], [cube], to=(0.08, 128))
	whole("max_four", "Max of tensors with other numbers of dimensions", "Max", [(5,), cube, (4, 1)], [cube], to=(0.05, 20))
