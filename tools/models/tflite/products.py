# SPDX-License-Identifier: MIT
"""The models of write.py that multiply matrices, and those that go along a dimension: where the greatest is, LOG_SOFTMAX."""
import numpy as np

import tflite.model
from tflite.model import TYPES, Model, refused


def batch_matmul(name, shapes, adjoint=(0, 0), grids=((0.05, 5), (0.03, -11), (0.7, 2)), version=2, out=None):
	"""A list instead of a tuple is the shape of a constant."""
	m = Model()
	x, whole = [], []
	for shape, grid, turned in zip(shapes, grids, adjoint):
		if isinstance(shape, tuple):
			x.append(m.input([*shape], "int8", *grid))
		else:
			x.append(m.tensor(shape, "int8", *grid, data=tflite.model.rng.integers(-128, 128, shape).astype(np.int8)))
		whole.append([*shape[:-2], shape[-1], shape[-2]] if turned else [*shape])
	out = out or [*np.broadcast_shapes(tuple(whole[0][:-2]), tuple(whole[1][:-2])), whole[0][-2], whole[1][-1]]
	m.add("BATCH_MATMUL", x, [m.tensor(out, "int8", *grids[2])], *adjoint, 0, version=version)
	return m


def save(name, *args, **kwargs):
	m = batch_matmul(name, *args, **kwargs)
	m.save(name, [len(m.tensors) - 1])


def halves():
	"""Sums whose products with the scales' quotient, 1 / 32, are next to the middle between two integers, and there."""
	m = Model()
	x = m.input([1, 41, 2], "int8", 0.5, 0)
	y = m.input([1, 2, 41], "int8", 0.5, 0)
	for data, axis in zip(m.data, (2, 1)):
		data[:] = np.arange(-20, 21).reshape([41, 1] if axis == 2 else [1, 41])
	m.data[0][..., 1] = m.data[1][:, 1, :] = 1
	m.add("BATCH_MATMUL", [x, y], [m.tensor([1, 41, 41], "int8", 8.0, 3)], 0, 0, 0, version=2)
	m.save("batch_matmul_halves", [len(m.tensors) - 1])


def product_of_scales():
	"""The scales' product is rounded to float32 before it is divided: of these sums one in the last place tells."""
	m = Model()
	scales = (0.0713, 0.0931, 297.1)
	x = m.input([1, 1, 256], "int8", scales[0], -128)
	y = m.input([1, 256, 40], "int8", scales[1], -128)
	exact = [float(np.float32(s)) for s in scales]
	apart = exact[0] * exact[1] / exact[2]
	together = float(np.float32(exact[0]) * np.float32(exact[1])) / exact[2]
	sums = np.arange(5_000_000)
	sums = sums[np.rint(sums * apart) != np.rint(sums * together)][:40]
	assert len(sums) > 2
	for item in range(3):
		m.data[0][item, 0] = [127] * 255 + [-127]
		for i in range(40):
			left, column = int(sums[(i + item) % len(sums)]), []
			for _ in range(255):
				column.append(min(left // 255, 255))
				left -= 255 * column[-1]
			m.data[1][item, :, i] = np.array([*column, left]) - 128
	m.add("BATCH_MATMUL", [x, y], [m.tensor([1, 1, 40], "int8", scales[2], 0)], 0, 0, 0, version=2)
	m.save("batch_matmul_scales", [len(m.tensors) - 1])


def arg(name, op, shape, axis, dtype="int8", out="int32", few=True, version=2):
	m = Model()
	x = m.input([1, *shape], dtype, 0.05, 3)
	if few:  # so that there are equal ones
		m.data[0][:] = m.data[0] % 7
	left = [d for i, d in enumerate([1, *shape]) if i != axis % (len(shape) + 1)]
	m.add(op, [x, m.tensor([], "int32", data=np.int32(axis))], [m.tensor(left, out)], TYPES[out], version=version)
	m.save(name, [len(m.tensors) - 1])


def log_softmax(name, shape, dtype, scale, zero, high):
	m = Model()
	x = m.input([1, *shape], dtype, scale, zero)
	m.add("LOG_SOFTMAX", [x], [m.tensor([1, *shape], dtype, 1 / 16, high)], version=2)
	m.save(name, [len(m.tensors) - 1])


@tflite.model.numbers(41)
def write():
	save("batch_matmul", [(1, 7, 20), (1, 20, 9)])
	save("batch_matmul_both", [(1, 2, 20, 7), (1, 2, 9, 20)], (1, 1))
	save("batch_matmul_adj_x", [(1, 20, 7), (1, 20, 9)], (1, 0))
	save("batch_matmul_adj_y", [(1, 3, 7, 20), (1, 3, 9, 20)], (0, 1))
	save("batch_matmul_broadcast", [(1, 1, 7, 20), (1, 3, 20, 5)])
	save("batch_matmul_constant", [(1, 3, 7, 20), [3, 20, 5]])
	save("batch_matmul_constant_first", [[7, 20], (1, 3, 20, 5)])
	save("batch_matmul_vector", [(1, 2, 1, 33), (1, 2, 33, 1)], grids=((0.05, 127), (0.03, -128), (0.5, -20)))
	save("batch_matmul_coarse", [(1, 7, 4), (1, 4, 9)], grids=((0.5, 5), (0.25, -1), (0.0625, 2)))
	save("batch_matmul_version_4", [(1, 7, 300), (1, 300, 9)], grids=((0.05, 5), (0.03, -11), (2.1, 2)), version=4)
	halves()
	product_of_scales()
	arg("arg_max", "ARG_MAX", [5, 8, 6], -1)
	arg("arg_max_axis", "ARG_MAX", [5, 8, 6], 2, "uint8", "int64")
	arg("arg_max_first_axis", "ARG_MAX", [37, 4], 1, few=False, version=1)
	arg("arg_min", "ARG_MIN", [40], 1, out="int64")
	arg("arg_min_u8", "ARG_MIN", [5, 8, 6], 1, "uint8")
	log_softmax("log_softmax", [37], "int8", 0.1, 4, 127)
	log_softmax("log_softmax_many", [5, 300], "int8", 0.03, -20, 127)
	log_softmax("log_softmax_u8", [40, 11], "uint8", 0.07, 100, 255)


def refuse():
	refused("batch_matmul_rows", "along the first dimension of a tensor of 2", batch_matmul("", [(1, 4), (1, 5)], (1, 0), out=[4, 5]))
	refused("batch_matmul_inner", "have 4 elements, the columns of its second 5", batch_matmul("", [(1, 3, 4), (1, 5, 2)]))
	refused("batch_matmul_ranks", "its operands are 3 and 2 long in dimension 2", batch_matmul("", [(3, 3, 4), (3, 2, 4, 2)], out=[3, 2, 3, 2]))
	m = Model()
	m.add("BATCH_MATMUL", [m.input([1, 3, 4], "uint8", 0.1, 3), m.input([1, 4, 2], "uint8", 0.1, 3)], [m.tensor([1, 3, 2], "uint8", 0.1, 3)], 0, 0, 0)
	refused("batch_matmul_u8", "it multiplies uint8", m)
	for name, axis, out, says, words in (
		("arg_max_batch", 0, "int32", 2, "goes over the first dimension, which is the batch"),
		("arg_max_far", 3, "int32", 2, "its axis 3 is not one of 3 dimensions"),
		("arg_max_type", 1, "int32", 4, "its option output_type says another"),
		("arg_max_option", 1, "int32", 0, "its option output_type is 0"),
		("arg_max_output", 1, "uint8", 3, "it makes neither int32 nor int64"),
	):
		m = Model()
		m.add("ARG_MAX", [m.input([1, 4, 6], "int8", 0.05, 3), m.ints([axis])], [m.tensor([1, 6], out)], says)
		refused(name, words, m)
	m = Model()
	m.add("ARG_MAX", [m.input([1, 4, 6], "int8", 0.05, 3), m.ints([1, 2])], [m.tensor([1, 6], "int32")], 2)
	refused("arg_max_axes", "it has 2 axes", m)
	m = Model()
	m.add("ARG_MAX", [m.input([1, 4, 6], "int16", 0.05, 0), m.ints([1])], [m.tensor([1, 6], "int32")], 2)
	refused("arg_max_int16", "its input is of int16", m)
	for name, grid in (("log_softmax_scale", (0.05, 127)), ("log_softmax_zero", (1 / 16, 126))):
		m = Model()
		m.add("LOG_SOFTMAX", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int8", *grid)])
		refused(name, "TensorFlow Lite knows 1/16 and 127", m)
