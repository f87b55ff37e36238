# SPDX-License-Identifier: MIT
"""The models of write.py whose operators have two operands, broadcast, and constants; and functions of one."""
import numpy as np

import tflite.model
from tflite.model import NONE, RELU, RELU6, RELU_N1_TO_1, Model, function, refused


def add(name, scales, activation=NONE):
	m = Model()
	x = [m.input([1, 7, 9, 16], "int8", scale, zero) for scale, zero in zip(scales, (5, -11))]
	y = m.tensor([1, 7, 9, 16], "int8", scales[2], 2)
	m.add("ADD", x, [y], activation, version=2)
	m.save(name, [y])


def two(name, op, shapes, grids, *options, dtype="int8", version=1, kind=Model):
	"""Of two elements. A list instead of a tuple is the shape of a constant."""
	m = kind()
	x = []
	for shape, (scale, zero) in zip(shapes, grids):
		if isinstance(shape, tuple):
			x.append(m.input(shape, dtype, scale, zero))
		else:
			info = np.iinfo(dtype)
			x.append(m.tensor(shape, dtype, scale, zero, data=tflite.model.rng.integers(info.min, info.max + 1, shape).astype(dtype)))
	y = m.tensor(np.broadcast_shapes(*(tuple(shape) for shape in shapes)), dtype, *grids[2])
	m.add(op, x, [y], *options, version=version)
	m.save(name, [y])


def pairs(name, op, *grids, options=(), dtype="int8"):
	"""All pairs of bytes, a third of them in each item."""
	m = Model()
	info = np.iinfo(dtype)
	every = np.arange(info.min, info.max + 1).astype(dtype)
	x = m.input([1, 86, 256 if op == "PRELU" else 1], dtype, *grids[0])
	m.data[0][:] = np.append(every, [0, 1]).reshape(3, 86, 1)
	k = m.tensor([256], dtype, *grids[1], data=every)
	y = m.tensor([1, 86, 256], dtype, *grids[2])
	m.add(op, [x, k], [y], *options, version=1 if op == "PRELU" else 2)
	m.save(name, [y])


def write():
	image, grids = (1, 7, 9, 16), ((0.05, 5), (0.03, -11), (0.07, 2))
	two("mul", "MUL", [image, image], grids, NONE)
	two("mul_relu", "MUL", [image, image], grids, RELU)
	two("mul_n1_to_1", "MUL", [image, (1, 1, 1, 16)], grids, RELU_N1_TO_1)
	two("mul_constant", "MUL", [image, [16]], grids, NONE)
	two("mul_constant_rows", "MUL", [[1, 7, 1, 16], image], grids, RELU6)
	two("mul_number", "MUL", [image, []], grids, NONE)
	two("mul_version_3", "MUL", [image, image], ((1.5, 5), (1.0, -11), (1.2, 2)), NONE, version=3)
	two("add_broadcast", "ADD", [(1, 7, 1, 16), (1, 1, 9, 16)], grids, NONE)
	two("add_constant", "ADD", [image, [9, 1]], grids, RELU)
	two("sub", "SUB", [image, image], grids, NONE)
	two("sub_constant_first", "SUB", [[1, 1, 1, 16], image], grids, RELU6)
	two("sub_number", "SUB", [image, [1]], grids, NONE)
	same = (grids[0],) * 3
	two("maximum", "MAXIMUM", [image, (1, 1, 9, 1)], same)
	two("minimum", "MINIMUM", [image, [16]], same)
	two("maximum_u8", "MAXIMUM", [image, image], ((0.05, 100),) * 3, dtype="uint8")
	two("prelu", "PRELU", [image, [1, 1, 16]], grids)
	two("prelu_u8", "PRELU", [image, image], ((0.05, 100), (0.01, 130), (0.06, 90)), dtype="uint8")
	two("squared_difference", "SQUARED_DIFFERENCE", [image, (1, 1, 1, 16)], grids)
	pairs("mul_pairs", "MUL", (0.05, 3), (0.05, 3), (0.1, -3), options=[NONE])
	pairs("add_pairs", "ADD", (0.05, 3), (0.03, -7), (0.1, 5), options=[NONE])
	pairs("sub_pairs", "SUB", (0.05, 3), (0.03, -7), (0.1, 5), options=[NONE])
	pairs("prelu_pairs", "PRELU", (0.05, 3), (0.02, 127), (0.1, 0))
	pairs("squared_difference_pairs", "SQUARED_DIFFERENCE", (0.05, 3), (0.03, -7), (0.1, -128))
	add("add_power_of_two", (0.05, 0.03, 0.1))
	function("abs", "ABS", "int8", 0.05, 0.05, 4)
	function("abs_scaled", "ABS", "int8", 0.05, 0.03, -100)
	function("elu", "ELU", "int8", 0.05, 0.1, -7, version=1)
	function("elu_fine", "ELU", "int8", 0.03, 0.04, -110, version=1)
	for name, scales in (("", (0.05, 0.04)), ("_fine", (0.003, 0.003)), ("_coarse", (3.0, 1.0)), ("_power_of_two", (1 / 16, 1 / 16)), ("_wide", (0.4, 0.0032))):
		function("hard_swish" + name, "HARD_SWISH", "int8", *scales, -20, version=1)
	function("hard_swish_u8", "HARD_SWISH", "uint8", 0.05, 0.04, 10, version=1)
	function("leaky_relu_half", "LEAKY_RELU", "int8", 0.05, 0.1, -7, 1.0)


def refuse():
	def made(grids, dtypes=("int8",) * 3, shapes=((1, 4),) * 3, op="MUL", constant=None, version=1):
		m = Model()
		x = [m.input([*shapes[0]], dtypes[0], *grids[0])]
		x.append(m.input([*shapes[1]], dtypes[1], *grids[1]) if constant is None else
			 m.tensor([*shapes[1]], dtypes[1], *grids[1], data=constant))
		m.add(op, x, [m.tensor([*shapes[2]], dtypes[2], *grids[2])], *([] if op in ("PRELU", "MAXIMUM") else [NONE]), version=version)
		return m
	grid = ((0.05, 3),) * 3
	refused("mul_types", "its inputs are of int8 and uint8", made(grid, ("int8", "uint8", "int8")))
	refused("mul_output_type", "it makes uint8 of int8", made(grid, ("int8", "int8", "uint8")))
	refused("mul_scales", "point of 3 products overflow in TensorFlow Lite", made(((10.0, 3), (10.0, 3), (0.1, 3))))
	refused("sub_scales", "knows how it rounds from 0.000976562 to 256", made(((1.0, 3), (0.03, 3), (40.0, 3)), op="SUB"))
	made(((0.05, 3), (0.06, 3), (0.05, 3)), op="MAXIMUM")  # for the random numbers of those behind it: LiteRT takes it (edges/tflite.py, stored)
	refused("mul_ranks", "have 2 and 1 dimensions, by which the batch", made(grid, shapes=((2, 4), (2,), (2, 4))))
	refused("mul_lengths", "are 4 and 3 long in dimension 1", made(grid, shapes=((1, 4), (1, 3), (1, 4))))
	refused("mul_rows", "does not broadcast", made(grid, shapes=((1, 4), (2, 4), (2, 4)), constant=np.zeros((2, 4), np.int8)))
	refused("mul_constant_type", "is of int32; nnloop knows int8 and uint8", made(grid, ("int8", "int32", "int8"), constant=np.zeros((1, 4), np.int32)))
	m = Model()
	m.add("HARD_SWISH", [m.input([1, 4], "int8", 0.0001, 3)], [m.tensor([1, 4], "int8", 1.0, 3)])
	refused("hard_swish_scales", "outside of what its 16 bits are for", m)
	refused("mul_version", "is of version 6, and nnloop knows 1 to 5", made(grid, version=6))
	for op in ("ABS", "ELU", "SQUARED_DIFFERENCE"):
		m = Model()
		x = [m.input([1, 4], "uint8", 0.05, 128) for _ in range(1 if op in ("ABS", "ELU") else 2)]
		m.add(op, x, [m.tensor([1, 4], "uint8", 0.05, 128)])
		refused(f"{op.lower()}_u8", "its input is of uint8; TensorFlow Lite knows int8", m)
