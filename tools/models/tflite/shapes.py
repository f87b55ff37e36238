# SPDX-License-Identifier: MIT
"""For write.py: models as Keras writes them with a free batch, whose shape_signature leaves dimensions of tensors in the middle open, and whose
shapes are computed. What is expected of them is made of a model beside them, in judged/, with the shapes that these have."""
import os

import numpy as np

import tflite.model
from tflite.model import OUT, Model, weights


def save(name, build, seed):
	"""build(open) makes the model and its outputs, with dimensions that are open or as they are."""
	for is_open in (True, False):
		with tflite.model.numbers(seed):
			m, outputs = build(is_open)
			if is_open:
				m.save(name, outputs)
			else:
				os.makedirs(os.path.join(OUT, "judged"), exist_ok=True)
				m.write(os.path.join("judged", name), outputs)


class Shaped:
	"""A model under construction: what its tensors are, and what the file says of them."""

	def __init__(self, is_open):
		self.m, self.open, self.shape = Model(), is_open, None

	def input(self, shape):
		self.x = self.m.input(shape, "int8", 0.05, 3)
		if self.open:
			self.m.say_open(self.x, shape, [0])
		return self.x

	def tensor(self, shape, open_dims, scale=0.05, zero=3):
		"""Of that shape; the file has 1 for the dimensions that are open."""
		said = [1 if self.open and i in open_dims else n for i, n in enumerate(shape)]
		t = self.m.tensor(said, "int8", scale, zero)
		if self.open and open_dims:
			self.m.say_open(t, said, open_dims)
		return t

	def computed(self, x, rank, dims):
		"""A shape whose first number is the batch of x, times dims[0]; as a constant where nothing is open."""
		if not self.open:
			return self.m.ints(dims)
		numbers = lambda n: self.m.tensor([n] if n else [], "int32")
		shape, first, times = numbers(rank), numbers(0), numbers(0)
		self.m.add("SHAPE", [x], [shape], 2)
		self.m.add("STRIDED_SLICE", [shape, *(self.m.ints([n]) for n in (0, 1, 1))], [first], 0, 0, 0, 0, 1)
		self.m.add("MUL", [first, self.m.ints(dims[0])], [times], 0)
		whole = numbers(len(dims))
		self.m.add("PACK", [times, *(self.m.ints(n) for n in dims[1:])], [whole], len(dims), 0)
		return whole


def dense(is_open):
	"""Dense of three dimensions: all vectors of an item as rows of a matrix, and back."""
	s = Shaped(is_open)
	x = s.input([1, 5, 6])
	w = weights(s.m, [4, 6], 0, False, 0.05, 4)
	rows, sums, y = s.tensor([5, 6], [0, 1]), s.tensor([5, 4], [0], 0.06, -7), s.tensor([1, 5, 4], [0], 0.06, -7)
	s.m.add("RESHAPE", [x, s.computed(x, 3, [5, 6])], [rows], [])
	s.m.add("FULLY_CONNECTED", [rows, *w], [sums], 0, 0, 0, version=4)
	s.m.add("RESHAPE", [sums, s.computed(x, 3, [1, 5, 4])], [y], [])
	return s.m, [y]


def repeated(is_open):
	"""UpSampling2D in one direction: a dimension more, which is repeated and joined with its neighbour."""
	s = Shaped(is_open)
	x = s.input([1, 3, 4, 2])
	more, twice, y = s.tensor([1, 3, 1, 4, 2], [0]), s.tensor([1, 3, 2, 4, 2], [0, 2]), s.tensor([1, 6, 4, 2], [0, 1])
	s.m.add("EXPAND_DIMS", [x, s.m.ints(2)], [more])
	s.m.add("TILE", [more, s.m.ints([1, 1, 2, 1, 1])], [twice])
	s.m.add("RESHAPE", [twice, s.computed(x, 4, [1, 6, 4, 2])], [y], [])
	return s.m, [y]


def steps(is_open):
	"""A recurrent layer, unrolled: time in front of the batch, each step by itself, and back."""
	s = Shaped(is_open)
	x = s.input([1, 3, 6])
	w = weights(s.m, [4, 6], 0, False, 0.05, 4)
	turned = s.tensor([3, 1, 6], [1])
	s.m.add("TRANSPOSE", [x, s.m.ints([1, 0, 2])], [turned], version=2)
	parts = [s.tensor([1, 6], [0]) for _ in range(3)]
	s.m.add("UNPACK", [turned], parts, 3, 0, version=2)
	made = [s.tensor([1, 4], [0], 0.06, -7) for _ in range(3)]
	for part, sums in zip(parts, made):
		s.m.add("FULLY_CONNECTED", [part, *w], [sums], 0, 0, 0, version=4)
	packed, y = s.tensor([3, 1, 4], [1], 0.06, -7), s.tensor([1, 3, 4], [0], 0.06, -7)
	s.m.add("PACK", made, [packed], 3, 0, version=2)
	s.m.add("TRANSPOSE", [packed, s.m.ints([1, 0, 2])], [y], version=2)
	return s.m, [y]


def begins(is_open):
	"""The state that a recurrent layer begins with, beside the input."""
	s = Shaped(is_open)
	x = s.input([1, 4])
	state, y = s.tensor([1, 5], [0]), s.tensor([1, 9], [0])
	filler = s.m.tensor([], "int8", 0.05, 3, data=np.int8(7))
	s.m.add("FILL", [s.computed(x, 2, [1, 5]), filler], [state], version=3)
	s.m.add("CONCATENATION", [x, state], [y], 1, 0, version=2)
	return s.m, [y]


def elements(is_open):
	"""Operators of elements, of items that have no dimension for the batch, and constants."""
	s = Shaped(is_open)
	x = s.input([1, 3, 4])
	item, clamped, sums, y = s.tensor([3, 4], [0]), s.tensor([3, 4], [0]), s.tensor([3, 4], []), s.tensor([3, 4], [0], 1 / 256, -128)
	s.m.add("SQUEEZE", [x], [item], [0])
	s.m.add("RELU6", [item], [clamped], version=2)
	s.m.add("ADD", [clamped, s.m.tensor([4], "int8", 0.04, -2, data=np.int8([9, -50, 0, 120]))], [sums], 0, version=2)
	s.m.add("LOGISTIC", [sums], [y], version=2)
	return s.m, [y, item]


def alone(is_open):
	"""A sum of a row that has no dimension for the batch with one that has."""
	s = Shaped(is_open)
	x = s.input([1, 6])
	row, y = s.tensor([6], [0]), s.tensor([1, 6], [0], 0.1, -4)
	s.m.add("RESHAPE", [x, s.m.ints([6])], [row], [6])
	s.m.add("ADD", [x, row], [y], 0, version=2)
	return s.m, [y]


def image(m, axis=None):
	"""An image of any size, as one row; for golden values it is of one pixel. With axis, an input, a dimension more is put there."""
	x = m.input([1, 1, 1, 2], "int8", 0.05, 3)
	m.say_open(x, [1, 1, 1, 2], [0, 1, 2])
	padded = m.tensor([1, 3, 1, 2], "int8", 0.05, 3)
	m.say_open(padded, [1, 3, 1, 2], [0, 1, 2])
	m.add("PAD", [x, m.tensor([4, 2], "int32", data=np.int32([[0, 0], [1, 1], [0, 0], [0, 0]]))], [padded], version=2)
	shape, sizes, count, whole = (m.tensor(dims, "int32") for dims in ([4], [3], [], [2]))
	m.add("SHAPE", [padded], [shape], 2)
	m.add("GATHER", [shape, m.ints([1, 2, 3])], [sizes], 0, 0)
	m.add("REDUCE_PROD", [sizes, m.ints([0])], [count], 0)
	m.add("PACK", [m.ints(-1), count], [whole], 2, 0)
	y = m.tensor([1, 6], "int8", 0.05, 3)
	m.say_open(y, [1, 6], [0, 1])
	m.add("RESHAPE", [padded, whole], [y], [])
	if axis is None:
		return y
	more = m.tensor([1, 1, 6], "int8", 0.05, 3)
	m.say_open(more, [1, 1, 6], [0, 1, 2])
	m.add("EXPAND_DIMS", [y, axis], [more])
	return more


def write():
	with tflite.model.numbers(4400):
		m = Model()
		m.save("shapes_image", [image(m)])
		m = Model()
		m.inputs.append(m.tensor([], "int32", name="axis"))
		tflite.model.refused("single_number", "is a single number", m, [image(m, m.inputs[0])])
	for seed, build in enumerate((dense, repeated, steps, begins, elements, alone)):
		save(f"shapes_{build.__name__}", build, 4300 + seed)
