# SPDX-License-Identifier: MIT
"""The tables of write.py for TensorFlow Lite: weights of integers beside inputs of float32, as models of "dynamic range" have them."""
import numpy as np

import tflite.model
from edges.controlled_tflite import begin, done
from tflite.model import NONE, RELU, RELU6, SAME, VALID


def weights(m, shape, axis=None, zero=0):
	"""int8; axis: with a scale for each index of it."""
	rng = tflite.model.rng
	scales = rng.uniform(0.002, 0.02, 1 if axis is None else shape[axis]).astype(np.float32)
	data = rng.integers(-127, 128, shape).astype(np.int8)
	return m.tensor(list(shape), "int8", scales, zero, axis=axis, data=data)


def ranges(m, shape, low, high):
	"""An input whose items, and rows, have ranges of their own."""
	x = m.given(list(shape), low, high)
	by = tflite.model.rng.uniform(0.1, 3, shape[:-1] + (1,)).astype(np.float32)
	m.data[-1] *= by
	return x


def layers():
	"""FULLY_CONNECTED: scales, with and without a bias, sequences, activations, rows of zeros; what LiteRT does not define."""
	for axis in (None, 0):
		for asymmetric in (0, 1):
			for bias in (True, False):
				name = f"FULLY_CONNECTED, {'a scale' if axis is None else 'scales'}, {'asymmetric' if asymmetric else 'symmetric'}{'' if bias else ', no bias'}"
				m = begin(name)
				inputs = [ranges(m, (4, 40), -1, 3), weights(m, (9, 40), axis)] + ([m.floats(9)] if bias else [-1])
				y = m.make("FULLY_CONNECTED", inputs, NONE, 0, 0, asymmetric, 0, shape=[4, 9], version=12 if axis == 0 else 9)
				yield done(name, m, [y])
	for name, low, high, activation in (("above 0", 1, 2, NONE), ("below 0", -3, -1, NONE), ("RELU", -1, 1, RELU), ("RELU6", -5, 5, RELU6)):
		m = begin(f"FULLY_CONNECTED, {name}")
		y = m.make("FULLY_CONNECTED", [ranges(m, (1, 33), low, high), weights(m, (70, 33), 0), m.floats(70)], activation, 0, 0, 0, 0, shape=[1, 70], version=12)
		yield done(f"FULLY_CONNECTED, {name}", m, [y])
	m = begin("FULLY_CONNECTED, a sequence")
	y = m.make("FULLY_CONNECTED", [ranges(m, (1, 6, 24), -1, 2), weights(m, (5, 24), 0), m.floats(5)], NONE, 0, 1, 0, 0, shape=[1, 6, 5], version=12)
	yield done("FULLY_CONNECTED, a sequence", m, [y])
	m = begin("FULLY_CONNECTED, a row of zeros")
	x = m.given([3, 24], -1, 2)
	m.data[0][1] = 0
	yield done("FULLY_CONNECTED, a row of zeros", m, [m.make("FULLY_CONNECTED", [x, weights(m, (5, 24)), m.floats(5)], NONE, 0, 0, 0, 0, shape=[3, 5], version=3)])
	m = begin("FULLY_CONNECTED, twice")
	y = m.make("FULLY_CONNECTED", [ranges(m, (2, 24), -1, 2), weights(m, (16, 24), 0), m.floats(16)], RELU, 0, 0, 0, 0, shape=[2, 16], version=12)
	y = m.make("FULLY_CONNECTED", [y, weights(m, (5, 16), 0), m.floats(5)], NONE, 0, 0, 0, 0, shape=[2, 5], version=12)
	yield done("FULLY_CONNECTED, twice", m, [m.make("SOFTMAX", [y], 1.0, shape=[2, 5])])


def convolutions():
	"""CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV: scales, padding, strides, dilations, groups, several images."""
	image = (2, 9, 8, 6)
	for axis in (None, 0):
		for pad in (SAME, VALID):
			for stride in (1, 2):
				name = f"CONV_2D, {'a scale' if axis is None else 'scales'}, {'SAME' if pad == SAME else 'VALID'}, by {stride}"
				m = begin(name)
				size = [-(-n // stride) if pad == SAME else (n - 3) // stride + 1 for n in image[1:3]]
				y = m.make("CONV_2D", [ranges(m, image, -1, 2), weights(m, (5, 3, 3, 6), axis), m.floats(5)], pad, stride, stride, NONE, 1, 1, shape=[2, *size, 5], version=5)
				yield done(name, m, [y])
	for name, shape, dilation, activation in (("1x1", (12, 1, 1, 6), 1, RELU), ("dilated", (5, 3, 3, 6), 2, NONE), ("groups", (8, 3, 3, 3), 1, NONE)):
		m = begin(f"CONV_2D, {name}")
		y = m.make("CONV_2D", [ranges(m, image, -1, 2), weights(m, shape, 0), m.floats(shape[0])], SAME, 1, 1, activation, dilation, dilation, shape=[2, 9, 8, shape[0]], version=5)
		yield done(f"CONV_2D, {name}", m, [y])
	for name, shape, stride, dilation in (("1x1, groups", (12, 1, 1, 3), 1, 1), ("1x1, each channel", (12, 1, 1, 1), 1, 1), ("1x1, by 2", (12, 1, 1, 6), 2, 1), ("1x1, dilated", (12, 1, 1, 6), 1, 2)):
		m = begin(f"CONV_2D, {name}")
		y = m.make("CONV_2D", [ranges(m, image, -1, 2), weights(m, shape, 0), m.floats(12)], SAME, stride, stride, NONE, dilation, dilation,
			   shape=[2, -(-9 // stride), -(-8 // stride), 12], version=5)
		yield done(f"CONV_2D, {name}", m, [y])
	for multiplier in (1, 2):
		for pad in (SAME, VALID):
			for stride in (1, 2):
				name = f"DEPTHWISE_CONV_2D, {multiplier}, {'SAME' if pad == SAME else 'VALID'}, by {stride}"
				m = begin(name)
				size = [-(-n // stride) if pad == SAME else (n - 3) // stride + 1 for n in image[1:3]]
				y = m.make("DEPTHWISE_CONV_2D", [ranges(m, image, -1, 2), weights(m, (1, 3, 3, 6 * multiplier), 3), m.floats(6 * multiplier)], pad, stride, stride, multiplier, NONE, 1, 1,
					   shape=[2, *size, 6 * multiplier], version=6)
				yield done(name, m, [y])
	for stride, kernel, pad in ((1, 3, SAME), (2, 3, SAME), (2, 2, VALID), (3, 4, VALID)):
		for axis in (None, 0):
			name = f"TRANSPOSE_CONV, {kernel}, by {stride}, {'SAME' if pad == SAME else 'VALID'}, {'a scale' if axis is None else 'scales'}"
			m = begin(name)
			size = [n * stride if pad == SAME else (n - 1) * stride + max(kernel, stride) for n in (5, 4)]
			inputs = [m.ints([1, *size, 3]), weights(m, (3, kernel, kernel, 6), axis), ranges(m, (1, 5, 4, 6), -1, 2)] + ([m.floats(3)] if axis is None else [])
			yield done(name, m, [m.make("TRANSPOSE_CONV", inputs, pad, stride, stride, NONE, shape=[1, *size, 3], version=3)])
	m = begin("DEPTHWISE_CONV_2D, one scale")
	y = m.make("DEPTHWISE_CONV_2D", [ranges(m, image, -1, 2), weights(m, (1, 3, 3, 6)), m.floats(6)], SAME, 1, 1, 1, NONE, 1, 1, shape=[2, 9, 8, 6], version=6)
	yield done("DEPTHWISE_CONV_2D, one scale", m, [y], says="LiteRT defines nothing")
	m = begin("CONV_2D, a bias of several pixels")
	y = m.make("CONV_2D", [ranges(m, image, -1, 2), weights(m, (5, 3, 3, 6), 0), m.floats(8, 5)], SAME, 1, 1, NONE, 1, 1, shape=[2, 9, 8, 5], version=5)
	yield done("CONV_2D, a bias of several pixels", m, [y], says="its bias has 40 elements for 5 outputs")


def products():
	"""BATCH_MATMUL by a constant, either way round; vectors that a GATHER takes of quantized ones."""
	for adjoint in (0, 1):
		for asymmetric in (0, 1):
			name = f"BATCH_MATMUL, {adjoint}, {'asymmetric' if asymmetric else 'symmetric'}"
			m = begin(name)
			y = m.make("BATCH_MATMUL", [ranges(m, (1, 4, 24), -1, 2), weights(m, (1, 7, 24) if adjoint else (1, 24, 7))], 0, adjoint, asymmetric, shape=[1, 4, 7], version=4)
			yield done(name, m, [y])
	m = begin("GATHER of vectors, and a layer")
	table = weights(m, (20, 8))
	m.inputs.append(m.tensor([1, 5], "int32", name="x0"))
	m.data.append(np.array([[1, 3, 19, 0, 5]], np.int32))
	taken = m.tensor([1, 5, 8], "int8", [0.01])
	m.tensors[taken][4] = m.tensors[table][4]
	m.add("GATHER", [table, m.inputs[0]], [taken], 0, 0, version=2)
	y = m.make("DEQUANTIZE", [taken], shape=[1, 5, 8], version=2)
	yield done("GATHER of vectors, and a layer", m, [m.make("FULLY_CONNECTED", [y, weights(m, (6, 8), 0), m.floats(6)], NONE, 0, 1, 0, 0, shape=[1, 5, 6], version=12)])


def numbers():
	"""What rounds, compares, numbers, adds up or moves floats."""
	shape = [2, 4, 5]
	for op, dtype in (("NOT_EQUAL", "bool"), ("FLOOR_DIV", "float32"), ("FLOOR_MOD", "float32")):
		m = begin(op)
		x, y = m.given(shape, -9, 9), m.given(shape, -2, 2)
		m.data[1][0] = m.data[0][0]
		m.data[1][1, 0] = np.abs(m.data[1][1, 0])
		yield done(op, m, [m.make(op, [x, y], shape=shape, dtype=dtype)])
	for name, to, number in (("int32", "int32", 2), ("int64", "int64", 4), ("bool", "bool", 6)):
		m = begin(f"CAST to {name}, and back")
		y = m.make("CAST", [m.given(shape, -9, 9)], 0, number, shape=shape, dtype=to)
		yield done(f"CAST to {name}, and back", m, [y, m.make("CAST", [y], number, 0, shape=shape)])
	for op, axis in (("ARG_MAX", 2), ("ARG_MIN", 1), ("ARG_MAX", -1)):
		m = begin(f"{op}, {axis}")
		x = m.given(shape, -9, 9)
		m.data[0][:] = np.round(m.data[0] / 4) * np.float32(4)  # several are equal
		yield done(f"{op}, {axis}", m, [m.make(op, [x, m.ints(axis)], 2, shape=[2, 4] if axis != 1 else [2, 5], dtype="int32")])
	m = begin("ARG_MAX, no numbers")
	x = m.given([1, 4, 4], -9, 9)
	m.data[0][0, [0, 1, 2, 3], [0, 1, 2, 3]] = np.nan
	yield done("ARG_MAX, no numbers", m, [m.make("ARG_MAX", [x, m.ints(2)], 2, shape=[1, 4], dtype="int32")])
	ends = [np.nan, np.inf, -np.inf, 3e9, -3e9, 300, -1.5, 200.7, 1e20, -0.0]
	for name, to, number in (("int32", "int32", 2), ("int64", "int64", 4), ("bool", "bool", 6)):
		m = begin(f"CAST to {name}, what there is none of")
		x = m.given([1, len(ends)])
		m.data[0][0] = ends
		yield done(f"CAST to {name}, what there is none of", m, [m.make("CAST", [x], 0, number, shape=[1, len(ends)], dtype=to)])
	m = begin("FLOOR_MOD, ends")
	x, y = m.given([1, 8]), m.given([1, 8])
	m.data[0][0], m.data[1][0] = [5, -5, 1, -0.0, 7, -7, 1e-40, 3], [np.inf, np.inf, -np.inf, 2, -0.1, 0.1, -1, -3]
	yield done("FLOOR_MOD, ends", m, [m.make("FLOOR_MOD", [x, y], shape=[1, 8])])
	for count in (1, 3, 40):
		m = begin(f"TOPK_V2, {count}")
		x = m.given([2, 3, 40], -9, 9)
		m.data[0][1] = np.round(m.data[0][1])
		values, places = m.tensor([2, 3, count], "float32"), m.tensor([2, 3, count], "int32")
		m.add("TOPK_V2", [x, m.ints(count)], [values, places])
		yield done(f"TOPK_V2, {count}", m, [values, places])
	for exclusive in (0, 1):
		for reverse in (0, 1):
			m = begin(f"CUMSUM, {exclusive}, {reverse}")
			yield done(f"CUMSUM, {exclusive}, {reverse}", m, [m.make("CUMSUM", [m.given(shape, -9, 9), m.ints(1 + reverse)], exclusive, reverse, shape=shape)])
	for align, half in ((0, 0), (1, 0), (0, 1)):
		m = begin(f"RESIZE_NEAREST_NEIGHBOR, {align}, {half}")
		y = m.make("RESIZE_NEAREST_NEIGHBOR", [m.given([1, 4, 5, 3], -9, 9), m.ints([7, 9])], align, half, shape=[1, 7, 9, 3], version=3)
		yield done(f"RESIZE_NEAREST_NEIGHBOR, {align}, {half}", m, [y])
	m = begin("BROADCAST_TO")
	yield done("BROADCAST_TO", m, [m.make("BROADCAST_TO", [m.given([2, 1, 5]), m.ints([2, 4, 5])], shape=[2, 4, 5], version=2)])


TFLITE_FILES = {"tflite-hybrid-layers": layers, "tflite-hybrid-convolutions": convolutions, "tflite-hybrid-products": products, "tflite-float-numbers": numbers}
