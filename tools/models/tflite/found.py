# SPDX-License-Identifier: MIT
"""Models of write.py for what random ones (random_tflite/fuzz.py) were the first to tell from its like."""
import numpy as np

import tflite.model
from tflite.model import NONE, SAME, Model, refused


def fully_connected(name, scales, inputs, outputs, bias):
	m = Model()
	x = m.input([1, 9, inputs], "int16", scales[0], 0)
	w = m.tensor([outputs, inputs], "int8", scales[1], data=tflite.model.rng.integers(-127, 128, [outputs, inputs]).astype(np.int8))
	b = m.tensor([outputs], "int64", np.float32(scales[0]) * np.float32(scales[1]), data=tflite.model.rng.integers(-3000, 3000, outputs))
	y = m.tensor([1, 9, outputs], "int16", scales[2])
	m.add("FULLY_CONNECTED", [x, w, b] if bias else [x, w], [y], NONE, 0, 1, version=7)
	m.save(name, [y])


def versions(version):
	"""XNNPACK has all but version 8, and rounds some of these elements otherwise than TensorFlow Lite's own kernel."""
	m = Model()
	x = m.input([1, 60, 8], "int8", 0.05, -3)
	w = m.tensor([32, 8], "int8", 0.01, data=tflite.model.rng.integers(-127, 128, [32, 8]).astype(np.int8))
	b = m.tensor([32], "int32", np.float32(0.05) * np.float32(0.01), data=tflite.model.rng.integers(-3000, 3000, 32).astype(np.int32))
	y = m.tensor([1, 60, 32], "int8", 0.01515, 5)
	m.add("FULLY_CONNECTED", [x, w, b], [y], NONE, 0, 1, version % 2, version=version)
	m.save(f"fully_connected_version_{version}", [y])


def transposed(name, kernel):
	"""With pixels that no window reaches; sums end in the middle between two steps."""
	m = Model()
	x = m.input([1, 5, 6, 2], "int8", 0.0625, 0)
	w = m.tensor([7, *kernel, 2], "int8", 0.03125, data=tflite.model.rng.integers(-60, 61, [7, *kernel, 2]).astype(np.int8))
	b = m.tensor([7], "int32", 0.0625 * 0.03125, data=tflite.model.rng.integers(-300, 300, 7).astype(np.int32))
	y = m.tensor([1, 10, 12, 7], "int8", 0.125)
	m.add("TRANSPOSE_CONV", [m.ints([1, 10, 12, 7]), w, x, b], [y], SAME, 2, 2, version=3)
	m.save(name, [y])


@tflite.model.numbers(20)
def write():
	fully_connected("fully_connected_int16_once", (0.0005, 0.01837, 0.00205), 4, 33, False)
	# The multiplier of 15 bits is another one where scales are multiplied in double.
	fully_connected("fully_connected_int16_product", (0.001385588082484901, 0.013908850029110909, 0.0005729703116230667), 1, 33, True)
	transposed("transpose_conv_gaps", (1, 1))
	transposed("transpose_conv_gaps_across", (2, 1))
	versions(7)
	versions(9)


@tflite.model.numbers(20)
def refuse():
	m = Model()
	x = m.input([1, 4], "int8", 0.05, 3)
	y = m.tensor([1, 4], "int8", 0.05, 3)
	m.add("STRIDED_SLICE", [x, m.ints([0, 0, -6]), m.ints([0, 1, -6]), m.ints([1, 1, 1])], [y], 4, 4, 1, 0, 0)
	refused("strided_slice_empty_ellipsis", "its ellipsis stands for no dimension, which TensorFlow Lite takes for one", m, [y])
	m = Model()
	x = m.input([1, 4], "int8", 0.05, 3)
	w = m.tensor([3, 4], "int8", 0.01, data=tflite.model.rng.integers(-127, 128, [3, 4]).astype(np.int8))
	y = m.tensor([1, 3], "int8", 0.05, 3)
	m.add("FULLY_CONNECTED", [x, w], [y], NONE, 0, 0, version=8)
	refused("fully_connected_version_8", "which is for sparse weights and rounds in another way", m, [y])
