# SPDX-License-Identifier: MIT
"""The models of write.py that only all of XNNPACK computes as it should be, which golden.mjs has: of uint8, and
FULLY_CONNECTED with a scale for each output. And those to refuse whose weights are not what their operator is for."""
import numpy as np

import tflite.model
from tflite.model import NONE, RELU, RELU6, SAME, VALID, Model, refused
from tflite.two import two

SCALE, ZERO = 0.05, 120


class Bytes(Model):
	"""A model that is named in browser.txt."""

	def save(self, name, outputs):
		super().save(name, outputs)
		tflite.model.browser.append(f"{name}\n")


def layer(m, shape, outputs, dtype="uint8", zero=131, scales=1):
	"""Weights and a bias."""
	info = np.iinfo(dtype)
	scale = np.float32(tflite.model.rng.uniform(0.002, 0.02, scales))
	data = tflite.model.rng.integers(info.min + 1, info.max + 1, shape).astype(dtype)
	bias = tflite.model.rng.integers(-3000, 3000, outputs).astype(np.int32)
	return [m.tensor(shape, dtype, scale, zero, data=data), m.tensor([outputs], "int32", scale * np.float32(SCALE), data=bias)]


def windows(image, kernel, padding, stride):
	return [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]


def conv(name, image, kernel, outputs, padding, stride=1, activation=NONE, times=0):
	"""times: of a depthwise one, outputs a channel."""
	m = Bytes()
	x = m.input([1, *image], "uint8", SCALE, ZERO)
	w = layer(m, [1, *kernel, outputs] if times else [outputs, *kernel, image[2]], outputs)
	y = m.tensor([1, *windows(image, kernel, padding, stride), outputs], "uint8", 0.06, 99)
	m.add("DEPTHWISE_CONV_2D" if times else "CONV_2D", [x, *w], [y], padding, stride, stride, *([times] if times else []), activation, 1, 1)
	m.save(name, [y])


def fully_connected(name, shape, inputs, outputs, activation=NONE, dtype="uint8", scales=1):
	m = Bytes()
	x = m.input(shape, dtype, SCALE, ZERO if dtype == "uint8" else 3)
	w = layer(m, [outputs, inputs], outputs, dtype, 131 if dtype == "uint8" else 0, scales)
	y = m.tensor([1, outputs], dtype, 0.08, 99 if dtype == "uint8" else -3)
	m.add("FULLY_CONNECTED", [x, *w], [y], activation, 0, 0, version=1 if dtype == "uint8" else 4)
	m.save(name, [y])


def pool(name, op, image, kernel, padding, stride, activation=NONE):
	m = Bytes()
	x = m.input([1, *image], "uint8", SCALE, ZERO)
	y = m.tensor([1, *windows(image, kernel, padding, stride), image[2]], "uint8", SCALE, ZERO)
	m.add(op, [x], [y], padding, stride, stride, kernel[1], kernel[0], activation)
	m.save(name, [y])


def function(name, op, scale, out, *options, version=1):
	m = Bytes()
	x = m.input([1, 256], "uint8", scale, ZERO)
	m.data[0][:] = np.arange(256)
	y = m.tensor([1, 256], "uint8", *out)
	m.add(op, [x], [y], *options, version=version)
	m.save(name, [y])


def region(name, op, shape, out, ints, grid, *options, version=2):
	m = Bytes()
	x = m.input(shape, "uint8", SCALE, ZERO)
	y = m.tensor(out, "uint8", *grid)
	m.add(op, [x, m.ints(ints)], [y], *options, version=version)
	m.save(name, [y])


def transposed(name, image, kernel, outputs, sizes, bias=True):
	m = Bytes()
	x = m.input([1, *image], "uint8", SCALE, ZERO)
	w = layer(m, [outputs, *kernel, image[2]], outputs)
	y = m.tensor([1, *sizes, outputs], "uint8", 0.07, 131)
	m.add("TRANSPOSE_CONV", [m.ints([1, *sizes, outputs]), w[0], x, *(w[1:] if bias else [])], [y], SAME, 2, 2, version=3 if bias else 1)
	m.save(name, [y])


@tflite.model.numbers(60)
def write():
	conv("conv_u8", (9, 8, 5), (3, 3), 33, SAME, activation=RELU6)
	conv("conv_u8_valid", (10, 9, 16), (3, 2), 24, VALID, stride=2, activation=RELU)
	conv("conv_u8_1x1", (5, 6, 24), (1, 1), 40, SAME)
	conv("depthwise_u8", (9, 8, 33), (3, 3), 33, SAME, activation=RELU6, times=1)
	conv("depthwise_u8_times", (9, 8, 5), (3, 4), 15, VALID, stride=2, times=3)
	fully_connected("fully_connected_u8", [1, 40], 40, 33)
	fully_connected("fully_connected_u8_flat", [1, 3, 4, 5], 60, 12, RELU)
	fully_connected("fully_connected_channels", [1, 40], 40, 33, dtype="int8", scales=33)
	fully_connected("fully_connected_channels_relu6", [1, 3, 4, 5], 60, 12, RELU6, dtype="int8", scales=12)
	image, grids = (1, 7, 9, 16), ((0.05, 5), (0.03, 200), (0.07, 90))
	for op in ("ADD", "SUB", "MUL"):
		two(f"{op.lower()}_u8", op, [image, image], grids, NONE, dtype="uint8", kind=Bytes)
		two(f"{op.lower()}_u8_constant", op, [image, [16]], grids, RELU, dtype="uint8", kind=Bytes)
	pool("average_pool_u8_same", "AVERAGE_POOL_2D", (9, 8, 5), (4, 3), SAME, 1, RELU6)
	pool("max_pool_u8", "MAX_POOL_2D", (9, 8, 33), (3, 2), SAME, 2)
	function("logistic_u8", "LOGISTIC", 0.05, (1 / 256, 0))
	function("tanh_u8", "TANH", 0.03, (1 / 128, 128))
	function("softmax_u8_all", "SOFTMAX", 0.05, (1 / 256, 0), 1.0)
	function("relu6_u8", "RELU6", 0.05, (0.04, 0))
	region("mean_u8_keep", "MEAN", [1, 8, 4, 40], [1, 1, 1, 40], [1, 2], (0.03, 70), 1)
	region("mean_u8_same", "MEAN", [1, 7, 5, 40], [1, 40], [2, 1], (SCALE, ZERO), 0)
	for name, options in (("", (0, 0)), ("_align", (1, 0)), ("_half", (0, 1))):
		region("resize_bilinear_u8" + name, "RESIZE_BILINEAR", [1, 5, 7, 3], [1, 13, 14, 3], [13, 14], (SCALE, ZERO), None, None, *options, version=3)
	transposed("transpose_conv_u8", (5, 6, 7), (3, 3), 10, (10, 12))
	transposed("transpose_conv_u8_no_bias", (4, 5, 8), (4, 2), 6, (8, 10), False)


def refuse():
	def weights(name, words, op="CONV_2D", dtypes=("int8", "int8", "int8"), zero=0, scales=1, scale=0.02, out=0.08):
		m = Model()
		shape = {"CONV_2D": [6, 3, 3, 6], "DEPTHWISE_CONV_2D": [1, 3, 3, 6], "TRANSPOSE_CONV": [6, 3, 3, 6], "FULLY_CONNECTED": [6, 6]}[op]
		image = [1, 6] if op == "FULLY_CONNECTED" else [1, 4, 4, 6]
		x = m.input(image, dtypes[0], SCALE, 3)
		w = m.tensor(shape, dtypes[1], np.float32([scale] * scales), zero, 3 if op.startswith("DEPTH") else None, data=np.ones(shape, dtypes[1]))
		y = m.tensor(image, dtypes[2], out, 3)
		options = {"CONV_2D": [SAME, 1, 1, NONE, 1, 1], "DEPTHWISE_CONV_2D": [SAME, 1, 1, 1, NONE, 1, 1], "TRANSPOSE_CONV": [SAME, 1, 1],
			   "FULLY_CONNECTED": [NONE, 0, 0]}[op]
		m.add(op, [m.ints(image), w, x] if op == "TRANSPOSE_CONV" else [x, w], [y], *options, version=2 if op == "TRANSPOSE_CONV" else 3)
		refused(name, words, m, [len(m.tensors) - 1 - (op == "TRANSPOSE_CONV")])
	for op in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"):
		name = op.lower()
		weights(f"{name}_zero_point", "of int8, which needs zero point 0, not 5", op, zero=5)
		weights(f"{name}_zero_points", "of int8, which needs zero point 0, not 5", op, zero=5, scales=6)
		weights(f"{name}_weights_u8", "of int8, and its weights are of uint8", op, ("int8", "uint8", "int8"))
		weights(f"{name}_weights_i8", "of uint8, and its weights are of int8", op, ("uint8", "int8", "uint8"))
		weights(f"{name}_output_u8", "it makes uint8 of int8", op, ("int8", "int8", "uint8"))
		weights(f"{name}_scales_u8", "are of uint8, and have several scales", op, ("uint8",) * 3, scales=6)
		weights(f"{name}_ratio", "is 256, and nnloop knows how it rounds below 256", op, scale=256 * 2**-7, out=SCALE * 2**-7)
	for op in ("ADD", "SUB", "MUL"):
		m = Model()
		shape = [1, 2, 1, 2, 1, 2, 2]
		m.add(op, [m.input(shape, "int8", SCALE, 3), m.input(shape, "int8", SCALE, 3)], [m.tensor(shape, "int8", SCALE, 3)], NONE)
		refused(f"{op.lower()}_rank", "its output has 7 dimensions; nnloop knows up to 6", m)
