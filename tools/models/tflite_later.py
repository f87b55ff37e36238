# SPDX-License-Identifier: MIT
"""For tflite_ops.py: operators in versions that TensorFlow Lite 2.9 does not know, and that converters of today write. What is expected
of them is made of a model beside them, in judged/, that says the same in versions that it knows."""
import os

import numpy as np

import tflite_model
from tflite_model import NONE, OUT, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Model

CLAMPS = {RELU: "RELU", RELU6: "RELU6", RELU_N1_TO_1: "RELU_N1_TO_1"}


def save(name, build, seed):
	"""build(later) makes the model and its outputs, as a converter of today writes it, or as 2.9 knows it."""
	with tflite_model.numbers(seed):
		m, outputs = build(True)
		m.save(name, outputs)
	with tflite_model.numbers(seed):
		m, outputs = build(False)
	os.makedirs(os.path.join(OUT, "judged"), exist_ok=True)
	m.write(os.path.join("judged", name), outputs)


def transposed(dtype, per_channel, activation, padding=SAME, kernel=3):
	"""With an activation in it, which 2.9 has behind it."""
	def build(later):
		m = Model()
		wide = dtype == "int16"
		scale, zero = (0.0005, 0) if wide else (0.05, 3)
		x = m.input([1, 4, 5, 8], dtype, scale, zero)
		scales = np.float32(tflite_model.rng.uniform(0.002, 0.02, 6 if per_channel else 1))
		data = tflite_model.rng.integers(-127, 128, [6, kernel, kernel, 8]).astype(np.int8)
		w = m.tensor(data.shape, "int8", scales, axis=0 if per_channel else None, data=data)
		b = m.tensor([6], "int64" if wide else "int32", scales * np.float32(scale),
			     data=tflite_model.rng.integers(-3000, 3000, 6).astype(np.int64 if wide else np.int32))
		sizes = [n * 2 if padding == SAME else (n - 1) * 2 + kernel for n in (4, 5)]
		out = (0.001, 0) if wide else (0.07, -7)
		shape = m.ints([1, *sizes, 6])
		sums, y = (m.tensor([1, *sizes, 6], dtype, *out) for _ in range(2))
		if later:
			m.add("TRANSPOSE_CONV", [shape, w, x, b], [y], padding, 2, 2, activation, version=4)
		else:
			m.add("TRANSPOSE_CONV", [shape, w, x, b], [sums], padding, 2, 2, version=3)
			m.add(CLAMPS[activation], [sums], [y], version=3 if wide else 2 if activation != RELU_N1_TO_1 else 1)
		return m, [y]
	return build


def grouped(later):
	"""In groups, each of which 2.9 convolves by itself."""
	m, groups, each, inputs = Model(), 3, 4, 5
	x = m.input([1, 6, 5, groups * inputs], "int8", 0.05, 3)
	scales = np.float32(tflite_model.rng.uniform(0.002, 0.02, groups * each))
	data = tflite_model.rng.integers(-127, 128, [groups * each, 3, 3, inputs]).astype(np.int8)
	bias = tflite_model.rng.integers(-3000, 3000, groups * each).astype(np.int32)

	def conv(x, part, version):
		w = m.tensor(data[part].shape, "int8", scales[part], axis=0, data=data[part])
		b = m.tensor(bias[part].shape, "int32", scales[part] * np.float32(0.05), data=bias[part])
		y = m.tensor([1, 6, 5, len(bias[part])], "int8", 0.06, -7)
		m.add("CONV_2D", [x, w, b], [y], SAME, 1, 1, NONE, 1, 1, version=version)
		return y
	if later:
		return m, [conv(x, slice(None), 6)]
	parts = [m.tensor([1, 6, 5, inputs], "int8", 0.05, 3) for _ in range(groups)]
	m.add("SPLIT", [m.ints(-1), x], parts, groups, version=2)
	made = [conv(part, slice(i * each, (i + 1) * each), 3) for i, part in enumerate(parts)]
	y = m.tensor([1, 6, 5, groups * each], "int8", 0.06, -7)
	m.add("CONCATENATION", made, [y], -1, version=2)
	return m, [y]


def write():
	save("transpose_conv_relu", transposed("int8", False, RELU), 30)
	save("transpose_conv_relu6", transposed("int8", True, RELU6, VALID), 31)
	save("transpose_conv_n1_to_1", transposed("int8", False, RELU_N1_TO_1, VALID), 32)
	save("transpose_conv_relu_gaps", transposed("int8", False, RELU, SAME, 1), 33)
	save("transpose_conv_int16_relu", transposed("int16", True, RELU), 35)
	save("conv_groups_version_6", grouped, 36)
