# SPDX-License-Identifier: MIT
"""For write.py: what models with int16 activations have beside their convolutions, in integers that TensorFlow Lite's own kernels
compute."""
import numpy as np

import tflite.model
from tflite.model import NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Model, refused


def two(name, op, shapes, scales, *options, constant=None, version=4):
	m = Model()
	x = []
	for i, (shape, scale) in enumerate(zip(shapes, scales)):
		if i == constant:
			x.append(m.tensor(shape, "int16", scale, data=tflite.model.rng.integers(-32768, 32768, shape).astype(np.int16)))
		else:
			x.append(m.input(shape, "int16", scale, 0))
	y = m.tensor(np.broadcast_shapes(*map(tuple, shapes)), "int16", scales[2])
	m.add(op, x, [y], *options, version=version)
	m.save(name, [y])


def pool(name, op, image, kernel, padding, stride):
	m = Model()
	x = m.input([1, *image], "int16", 0.0005, 0)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, image[2]], "int16", 0.0005)
	m.add(op, [x], [y], padding, stride, stride, kernel[1], kernel[0], NONE, version=3)
	m.save(name, [y])


def softmax(name, shape, scale, beta, shift=0):
	m = Model()
	x = m.input(shape, "int16", scale, 0)
	m.data[0] >>= shift
	y = m.tensor(shape, "int16", 2**-15)
	m.add("SOFTMAX", [x], [y], beta, version=3)
	m.save(name, [y])


def softmax_of_bytes(name, shape, dtype, scale, quant, beta=1.0):
	m = Model()
	x = m.input(shape, dtype, scale, 3)
	y = m.tensor(shape, "int16", *quant)
	m.add("SOFTMAX", [x], [y], beta, version=3)
	m.save(name, [y])


def reduce(name, op, shape, axes, keep, scale=0.0005):
	m = Model()
	x = m.input(shape, "int16", 0.0005, 0)
	behind = [a % len(shape) for a in axes]
	y = m.tensor([1 if i in behind else d for i, d in enumerate(shape) if keep or i not in behind], "int16", scale)
	m.add(op, [x, m.ints(axes)], [y], int(keep), version=3)
	m.save(name, [y])


def float_ends(name):
	"""Values beside the middle between two steps. Their number has no rest by vectors, as LiteRT rounds the last ones in another way."""
	m = Model()
	x = m.real_input([1, 6, 5, 32], 0.00037)
	q, p = m.tensor([1, 6, 5, 32], "int16", 0.00037), m.tensor([1, 32, 6, 5], "int16", 0.00037)
	y = m.tensor([1, 32, 6, 5], "float32")
	m.add("QUANTIZE", [x], [q], version=2)
	m.add("TRANSPOSE", [q, m.ints([0, 3, 1, 2])], [p], version=5)
	m.add("DEQUANTIZE", [p], [y], version=3)
	m.save(name, [y])


@tflite.model.numbers(40)
def write():
	image, last = [1, 7, 9, 16], [16]
	two("mul_int16", "MUL", (image, image), (0.0005, 0.0003, 0.004), NONE)
	two("mul_int16_relu", "MUL", (image, [1, 1, 9, 1]), (0.0005, 0.0003, 0.0007), RELU)
	two("mul_int16_relu6", "MUL", (image, last), (0.0005, 0.0003, 0.0031), RELU6, constant=1)
	two("mul_int16_fine", "MUL", (image, image), (0.00047, 0.00091, 0.0000007), NONE)
	two("maximum_int16", "MAXIMUM", (image, image), (0.0005, 0.0005, 0.0005))
	two("minimum_int16", "MINIMUM", (last, image), (0.0005, 0.0005, 0.0005), constant=0)
	pool("average_pool_int16", "AVERAGE_POOL_2D", (8, 8, 16), (2, 2), VALID, 2)
	pool("average_pool_int16_same", "AVERAGE_POOL_2D", (9, 8, 5), (4, 3), SAME, 1)
	pool("average_pool_int16_all", "AVERAGE_POOL_2D", (25, 5, 64), (25, 5), VALID, 1)
	pool("max_pool_int16", "MAX_POOL_2D", (9, 8, 33), (3, 2), SAME, 2)
	softmax("softmax_int16", [1, 37], 0.0005, 1.0)
	softmax("softmax_int16_beta", [1, 50, 37], 0.0001, 0.7)
	softmax("softmax_int16_near", [1, 3, 5, 300], 0.01, 1.0, 7)
	reduce("mean_int16", "MEAN", [1, 7, 5, 60], [1, 2], False)
	reduce("mean_int16_keep", "MEAN", [1, 6, 8, 400], [1, 2], True, 0.0003)
	reduce("mean_int16_keep_coarse", "MEAN", [1, 6, 8, 400], [1, 2], True, 0.00113)
	reduce("mean_int16_keep_same", "MEAN", [1, 6, 8, 60], [2, 1], True)
	reduce("mean_int16_scale", "MEAN", [1, 6, 8, 400], [1, 2], False, 0.0003)
	reduce("mean_int16_last", "MEAN", [1, 40, 9], [-1], True, 0.00113)
	reduce("reduce_max_int16", "REDUCE_MAX", [1, 5, 6, 7], [1, 2], False)
	reduce("reduce_min_int16", "REDUCE_MIN", [1, 5, 6, 7], [3], True)
	float_ends("float_ends_int16")


@tflite.model.numbers(42)
def write_axes():
	"""Of images, which another kernel takes where the axes are two numbers from the front."""
	reduce("mean_int16_keep_negative", "MEAN", [1, 2, 5, 60], [-3, 2], True)
	reduce("mean_int16_keep_both_negative", "MEAN", [1, 6, 8, 400], [-2, -3], True, 0.00113)
	reduce("mean_int16_keep_twice", "MEAN", [1, 2, 5, 60], [1, 2, 1], True)


@tflite.model.numbers(45)
def write_softmax():
	fraction = (1 / 65535, -32768)
	softmax_of_bytes("softmax_to_int16", [1, 37], "int8", 0.07, fraction)
	softmax_of_bytes("softmax_to_int16_beta", [1, 5, 19], "int8", 0.03, (1 / 65536, -32768), 0.7)
	softmax_of_bytes("softmax_to_int16_one", [1, 3, 1], "int8", 0.07, (1 / 32768, 0))
	softmax_of_bytes("softmax_to_int16_u8", [1, 300], "uint8", 0.02, (1 / 65536, -32768))
	m = Model()
	x = m.input([1, 5, 7], "int8", 0.07, 2)
	wide, y = m.tensor([1, 5, 7], "int16", *fraction), m.tensor([1, 5, 7], "int32", 1 / 32768)
	m.add("SOFTMAX", [x], [wide], 1.0, version=3)
	m.add("QUANTIZE", [wide], [y], version=2)
	m.save("softmax_to_int16_quantize", [y])


@tflite.model.numbers(41)
def refuse():
	def made(op, scales, *options, version=3, dtypes=("int16", "int16", "int16"), zeros=(0, 0, 0)):
		m = Model()
		x = [m.input([1, 4, 5, 6], dtype, scale, zero) for dtype, scale, zero in zip(dtypes, scales, zeros)]
		m.add(op, x[:len(x) - 1] if len(scales) > 2 else x, [m.tensor([1, 4, 5, 6], dtypes[-1], scales[-1], zeros[-1])], *options, version=version)
		if len(scales) > 2:
			m.inputs.pop()
		return m
	refused("mul_int16_and_int8", "and the other is not", made("MUL", (0.0005, 0.05, 0.0005), NONE, dtypes=("int16", "int8", "int16")))
	refused("mul_int16_output", "it makes int8 of int16", made("MUL", (0.0005, 0.0005, 0.05), NONE, dtypes=("int16", "int16", "int8")))
	refused("mul_int16_n1_to_1", "the activations RELU and RELU6 only", made("MUL", (0.0005, 0.0005, 0.0005), RELU_N1_TO_1))
	refused("mul_int16_coarse", "of int16, nnloop knows it below 1", made("MUL", (1.5, 1.0, 0.5), NONE))
	made("MAXIMUM", (0.0005, 0.0004, 0.0005))  # for the random numbers of those behind it: LiteRT takes it (edges/tflite.py, stored)

	def one(op, shape, out, scale, *options, axes=None, version=3):
		m = Model()
		x = m.input(shape, "int16", 0.0005, 0)
		m.add(op, [x] if axes is None else [x, m.ints(axes)], [m.tensor(out, "int16", scale)], *options, version=version)
		return m
	image = [1, 4, 5, 6]
	refused("softmax_int16_output", "its output scale is 0.0005, not 2^-15", one("SOFTMAX", image, image, 0.0005, 1.0))
	refused("softmax_int16_beta", "its input scale times beta is 500000; of int16, nnloop knows it below 2", one("SOFTMAX", image, image, 2**-15, 1e9))
	refused("mean_int16_ratio", "does not know how it rounds so many elements", one("MEAN", image, [1, 1, 1, 6], 0.00000001, 1, axes=[1, 2]))
