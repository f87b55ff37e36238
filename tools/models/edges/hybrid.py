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
	"""CONV_2D, DEPTHWISE_CONV_2D: scales, padding, strides, dilations, groups, several images."""
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
	for multiplier in (1, 2):
		for pad in (SAME, VALID):
			for stride in (1, 2):
				name = f"DEPTHWISE_CONV_2D, {multiplier}, {'SAME' if pad == SAME else 'VALID'}, by {stride}"
				m = begin(name)
				size = [-(-n // stride) if pad == SAME else (n - 3) // stride + 1 for n in image[1:3]]
				y = m.make("DEPTHWISE_CONV_2D", [ranges(m, image, -1, 2), weights(m, (1, 3, 3, 6 * multiplier), 3), m.floats(6 * multiplier)], pad, stride, stride, multiplier, NONE, 1, 1,
					   shape=[2, *size, 6 * multiplier], version=6)
				yield done(name, m, [y])
	m = begin("DEPTHWISE_CONV_2D, one scale")
	y = m.make("DEPTHWISE_CONV_2D", [ranges(m, image, -1, 2), weights(m, (1, 3, 3, 6)), m.floats(6)], SAME, 1, 1, 1, NONE, 1, 1, shape=[2, 9, 8, 6], version=6)
	yield done("DEPTHWISE_CONV_2D, one scale", m, [y], says="LiteRT defines nothing")


TFLITE_FILES = {"tflite-hybrid-layers": layers, "tflite-hybrid-convolutions": convolutions}
