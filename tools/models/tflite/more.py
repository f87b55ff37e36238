# SPDX-License-Identifier: MIT
"""For write.py: forms of operators that other files have others of: sums, int16 and int32 where XNNPACK knows neither, and
concatenations that rescale."""
import numpy as np

import tflite.model
from tflite.integers import operand
from tflite.model import RELU, RELU6, RELU_N1_TO_1, SAME, Model, refused


def reduce_sum(name, shape, axes, keep, dtype, from_quant, to_quant):
	m = Model()
	x = m.input(shape, dtype, *from_quant)
	behind = [a % len(shape) for a in axes]
	y = m.tensor([1 if i in behind else d for i, d in enumerate(shape) if keep or i not in behind], dtype, *to_quant)
	m.add("SUM", [x, m.ints(axes)], [y], int(keep), version=2)
	return m, name, [y]


def pool(name, op, activation, scale):
	m = Model()
	x = m.input([1, 8, 9, 7], "int16", scale, 0)
	y = m.tensor([1, 4, 5, 7], "int16", scale)
	m.add(op, [x], [y], SAME, 2, 2, 3, 3, activation, version=3)
	m.save(name, [y])


def nearest(name, size, *options):
	m = Model()
	x = m.input([1, 5, 6, 3], "int16", 0.0005, 0)
	y = m.tensor([1, *size, 3], "int16", 0.0005)
	m.add("RESIZE_NEAREST_NEIGHBOR", [x, m.ints(size)], [y], *options, version=3)
	m.save(name, [y])


def squared_difference(name, shapes):
	m = Model()
	x = [operand(m, shape, "int32") for shape in shapes]
	y = m.tensor(np.broadcast_shapes(*(tuple(shape) for shape in shapes)), "int32")
	m.add("SQUARED_DIFFERENCE", x, [y])
	m.save(name, [y])


def concatenation(op, dtype, quants, out, *options):
	"""All elements that there are, of two quantizations or more, in a third."""
	m = Model()
	info = np.iinfo(dtype)
	x = [m.input([1, 256], dtype, *quant) for quant in quants]
	for data in m.data:
		data[:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, len(x), 256] if op == "PACK" else [1, 256 * len(x)], dtype, *out)
	m.add(op, x, [y], *options)
	return m, [y]


@tflite.model.numbers(64)
def write_rescaled():
	for name, quants, out in (
			("concatenation_u8_rescaled", ((0.05, 100), (0.03, 7), (0.07, 120)), (0.07, 120)),
			("concatenation_u8_ties", ((0.25, 3), (0.5, 7), (1.5, 128)), (0.5, 9)),
			("concatenation_u8_zero_points", ((0.05, 100), (0.05, 101)), (0.05, 101)),
			("concatenation_u8_saturated", ((3.7, 131), (0.0004, 255), (900.0, 0)), (0.11, 77)),
			("concatenation_u8_far", ((0.0123, 0), (0.0071, 255), (0.0193, 128)), (0.0127, 64))):
		m, y = concatenation("CONCATENATION", "uint8", quants, out, 1, 0)
		m.save(name, y)
	m = Model()
	x = [m.input([1, 3, 4, channels], "uint8", *quant) for channels, quant in ((5, (0.05, 100)), (7, (0.031, 120)))]
	y = m.tensor([1, 3, 4, 12], "uint8", 0.044, 90)
	m.add("CONCATENATION", x, [y], -1, 0, version=2)
	m.save("concatenation_u8_images", [y])


@tflite.model.numbers(65)
def refuse_rescaled():
	for name, words, op, dtype, options in (
			("concatenation_int8_rescaled", "TensorFlow Lite has no CONCATENATION of int8 that rescales", "CONCATENATION", "int8", (1, 0)),
			("pack_int8_rescaled", "its inputs have other dimensions or quantizations", "PACK", "int8", (2, 1)),
			("pack_u8_rescaled", "its inputs have other dimensions or quantizations", "PACK", "uint8", (2, 1))):
		refused(name, words, *concatenation(op, dtype, ((0.05, 100), (0.03, 7)), (0.05, 100), *options))
	refused("pack_u8_rescaled_output", "in another way than its input",
		*concatenation("PACK", "uint8", ((0.05, 100), (0.05, 100)), (0.03, 7), 2, 1))
	refused("concatenation_u8_coarse", "2^15 times its output scale",
		*concatenation("CONCATENATION", "uint8", ((1.0, 100), (2.0 ** -16, 7)), (2.0 ** -16, 7), 1, 0))


@tflite.model.numbers(62)
def write():
	for model in (reduce_sum("sum", [1, 7, 6, 5], [1, 2], False, "int8", (0.05, 3), (0.9, -7)),
		      reduce_sum("sum_keep", [1, 7, 60], [-1], True, "int8", (0.05, -128), (2.9, -128)),
		      reduce_sum("sum_wraps", [1, 40, 9], [1], False, "int8", (0.05, 13), (0.013, 5)),
		      reduce_sum("sum_ties", [1, 50, 4], [2], False, "int8", (0.25, 0), (0.5, 1)),
		      reduce_sum("sum_u8", [1, 7, 6, 5], [3, 1], True, "uint8", (0.05, 128), (0.7, 100))):
		m, name, outputs = model
		m.save(name, outputs)
	pool("average_pool_int16_relu", "AVERAGE_POOL_2D", RELU, 0.0005)
	pool("average_pool_int16_relu6", "AVERAGE_POOL_2D", RELU6, 0.00037)
	pool("max_pool_int16_relu6", "MAX_POOL_2D", RELU6, 0.0005)
	pool("max_pool_int16_relu6_fine", "MAX_POOL_2D", RELU6, 0.0001)
	pool("max_pool_int16_n1_to_1", "MAX_POOL_2D", RELU_N1_TO_1, 0.0003)
	nearest("resize_nearest_int16", [11, 4], 0, 0)
	nearest("resize_nearest_int16_half", [7, 13], 0, 1)
	squared_difference("squared_difference_int32", [(1, 7, 9, 4), (1, 1, 9, 4)])
	squared_difference("squared_difference_int32_constant", [[9, 1], (1, 7, 9, 4)])


@tflite.model.numbers(63)
def refuse():
	reduce_sum("", [1, 4, 5], [1], False, "int16", (0.05, 0), (0.5, 0))  # for the random numbers of those behind it: nnloop takes it
	model = reduce_sum("", [1, 4, 5], [0], True, "int8", (0.05, 3), (0.5, 3))
	refused("sum_batch", "the first dimension, which is the batch", model[0], model[2])
	m = Model()
	x, depth = m.input([1, 2], "int32", None, 0), m.ints(65536)
	on, off = (m.tensor([], "int32", data=np.array(value, np.int32)) for value in (1, 0))
	y = [m.tensor([1, 2, 65536], "int32") for _ in range(17)]
	for out in y:
		m.add("ONE_HOT", [x, depth, on, off], [out], -1)
	refused("one_hot_many", "more than 1048576 numbers", m, y)
	m = Model()
	x = m.input([1, 4, 5, 6], "int16", 0.0005, 3)
	y = m.tensor([1, 8, 5, 6], "int16", 0.0005, 3)
	m.add("RESIZE_BILINEAR", [x, m.ints([8, 5])], [y], None, None, 0, 0, version=3)
	refused("resize_bilinear_int16", "which needs a scale, and zero point 0", m, [y])
