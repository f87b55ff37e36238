# SPDX-License-Identifier: MIT
"""For write.py: operators in versions that TensorFlow Lite 2.9 does not know, and that converters of today write; and elements
where it does not look for them. What is expected of them is made of a model beside them, in judged/, that says the same as it knows it."""
import os

import numpy as np

from tflite import flatbuffer as fb
import tflite.model
from tflite.model import NONE, OUT, RELU, RELU6, RELU_N1_TO_1, SAME, TYPES, VALID, Model

CLAMPS = {RELU: "RELU", RELU6: "RELU6", RELU_N1_TO_1: "RELU_N1_TO_1"}


def save(name, build, seed):
	"""build(later) makes the model and its outputs, as a converter of today writes it, or as 2.9 knows it."""
	with tflite.model.numbers(seed):
		m, outputs = build(True)
		m.save(name, outputs)
	with tflite.model.numbers(seed):
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
		scales = np.float32(tflite.model.rng.uniform(0.002, 0.02, 6 if per_channel else 1))
		data = tflite.model.rng.integers(-127, 128, [6, kernel, kernel, 8]).astype(np.int8)
		w = m.tensor(data.shape, "int8", scales, axis=0 if per_channel else None, data=data)
		b = m.tensor([6], "int64" if wide else "int32", scales * np.float32(scale),
			     data=tflite.model.rng.integers(-3000, 3000, 6).astype(np.int64 if wide else np.int32))
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
	scales = np.float32(tflite.model.rng.uniform(0.002, 0.02, groups * each))
	data = tflite.model.rng.integers(-127, 128, [groups * each, 3, 3, inputs]).astype(np.int8)
	bias = tflite.model.rng.integers(-3000, 3000, groups * each).astype(np.int32)

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


class Outside(Model):
	"""Whose elements lie behind the tables, as files over 2 GB have them: each at a multiple of `alignment`, as converters place
	them, or an odd number of bytes further. But for the last ones, whose offset of 1 says that they do not."""

	def __init__(self, alignment, further):
		super().__init__()
		self.alignment, self.further = alignment, further

	def encode(self, outputs, version=3):
		"""Twice: where the tables end, only they say, which are as long then."""
		inside, behind, end = self.buffers, b"", 0
		for _ in range(2):
			behind, self.buffers = bytearray(), []
			for buffer in inside[:-1]:
				part = buffer[0][1] if buffer else b""
				behind += bytes(-(end + len(behind)) % self.alignment + self.further) if part else b""
				self.buffers.append({1: fb.u64(end + len(behind)), 2: fb.u64(len(part))} if part else {})
				behind += part
			self.buffers.append({**inside[-1], 1: fb.u64(1)})
			tables = super().encode(outputs, version)
			end = len(tables)
		self.buffers = inside
		return tables + bytes(behind)


def outside(alignment, further):
	"""Of several types: int8 with a scale for each output, int32, and what an operator that moves reads beside its tensor."""
	def build(later):
		m = Outside(alignment, further) if later else Model()
		x = m.input([1, 5, 6, 3], "int8", 0.05, 3)
		padded, sums, y = m.tensor([1, 8, 8, 3], "int8", 0.05, 3), m.tensor([1, 6, 6, 4], "int8", 0.06, -7), m.tensor([1, 4, 6, 6], "int8", 0.06, -7)
		m.add("PAD", [x, m.tensor([4, 2], "int32", data=np.array([[0, 0], [1, 2], [0, 2], [0, 0]], np.int32))], [padded], version=2)
		m.add("CONV_2D", [padded, *tflite.model.weights(m, [4, 3, 3, 3], 0, True, 0.05, 4)], [sums], VALID, 1, 1, NONE, 1, 1, version=3)
		m.add("TRANSPOSE", [sums, m.ints([0, 3, 1, 2])], [y], version=2)
		return m, [y]
	return build


def computed_shape(later):
	"""Convolutions in front of and behind a shape that is computed, with which 2.9 does without XNNPACK, whose rounding they then
	have not: in some elements of this model that makes a step. Of nnloop XNNPACK's are expected, as with the same shape as a constant."""
	m = Model()

	def conv(x, shape, scale):
		y = m.tensor([*shape, 8], "int8", 0.06, -7)
		m.add("CONV_2D", [x, *tflite.model.weights(m, [8, 3, 3, 8], 0, True, scale, 8)], [y], SAME, 1, 1, NONE, 1, 1, version=3)
		return y

	x = conv(m.input([1, 12, 12, 8], "int8", 0.05, 3), [1, 12, 12], 0.05)
	shape, numbers = [1, 6, 24, 8], [m.tensor([], "int32", data=np.int32(n)) for n in (6, 24, 8)]
	dims = m.ints(shape)
	if later:
		all_dims, batch, dims = m.tensor([4], "int32"), m.tensor([], "int32"), m.tensor([4], "int32")
		m.add("SHAPE", [x], [all_dims], TYPES["int32"])
		m.add("STRIDED_SLICE", [all_dims, m.ints([0]), m.ints([1]), m.ints([1])], [batch], 0, 0, 0, 0, 1)
		m.add("PACK", [batch, *numbers], [dims], 4, 0)
	turned = m.tensor(shape, "int8", 0.06, -7)
	m.add("RESHAPE", [x, dims], [turned], shape)
	return m, [conv(turned, shape[:3], 0.06)]


def write():
	save("transpose_conv_relu", transposed("int8", False, RELU), 30)
	save("transpose_conv_relu6", transposed("int8", True, RELU6, VALID), 31)
	save("transpose_conv_n1_to_1", transposed("int8", False, RELU_N1_TO_1, VALID), 32)
	save("transpose_conv_relu_gaps", transposed("int8", False, RELU, SAME, 1), 33)
	save("transpose_conv_int16_relu", transposed("int16", True, RELU), 35)
	save("conv_groups_version_6", grouped, 36)
	save("computed_shape", computed_shape, 39)
	save("outside", outside(16, 0), 37)
	save("outside_unaligned", outside(16, 1), 38)
