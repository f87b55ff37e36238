# SPDX-License-Identifier: MIT
"""The models of write.py that normalize, and of functions beside that."""
import numpy as np

import tflite.model
from tflite.model import Model, refused

NONE, RELU = 0, 1


def normalized(name, shape, dtype, zero, narrow=None):
	"""narrow: elements are that far from the zero point at most, so that sums are small."""
	m = Model()
	x = m.input(shape, dtype, 0.05, zero)
	if narrow is not None:
		m.data[0][:] = tflite.model.rng.integers(zero - narrow, zero + narrow + 1, m.data[0].shape)
	y = m.tensor(shape, dtype, 1 / 128, 128 if dtype == "uint8" else 0)
	m.add("L2_NORMALIZATION", [x], [y], NONE, version=2 if dtype == "int8" else 1)
	m.save(name, [y])


def root(name, scale, out_scale, out_zero):
	m = Model()
	x = m.input([1, 256], "int8", scale, -128)
	m.data[0][:] = np.arange(-128, 128)
	y = m.tensor([1, 256], "int8", out_scale, out_zero)
	m.add("RSQRT", [x], [y], version=2)
	m.save(name, [y])


@tflite.model.numbers(33)
def write():
	normalized("l2_normalization", [1, 40, 12], "int8", 3)
	normalized("l2_normalization_u8", [1, 40, 12], "uint8", 120)
	normalized("l2_normalization_long", [1, 2, 3000], "int8", -128)
	normalized("l2_normalization_short", [1, 400, 1], "int8", 3)
	normalized("l2_normalization_pairs", [1, 4000, 2], "uint8", 7)
	for dtype in ("int8", "uint8"):
		normalized("l2_normalization_zeros_" + dtype, [1, 300, 3], dtype, 3, 1)
	for approximate in (0, 1):
		tflite.model.function(f"gelu_{approximate}", "GELU", "int8", 0.03, 0.02, -110, approximate)
		tflite.model.function(f"gelu_u8_{approximate}", "GELU", "uint8", 0.05, 0.04, 10, approximate)
		tflite.model.function(f"gelu_even_{approximate}", "GELU", "int8", 1 / 16, 1 / 32, 0, approximate)
	root("rsqrt", 0.05, 0.01, -128)
	root("rsqrt_fine", 0.0007, 0.3, 5)
	root("rsqrt_coarse", 9.0, 0.0013, -20)
	root("rsqrt_even", 1 / 64, 1 / 16, 0)


def refuse():
	def made(op, zero, scale, out_zero, dtype="int8", out=None, *options):
		m = Model()
		m.add(op, [m.input([1, 4], dtype, scale, zero)], [m.tensor([1, 4], out or dtype, 1 / 128, out_zero)], *options, version=2)
		return m
	refused("l2_normalization_zero", "it is 1/128 and the middle", made("L2_NORMALIZATION", 3, 0.05, 1, "int8", None, NONE))
	refused("l2_normalization_zero_u8", "it is 1/128 and the middle", made("L2_NORMALIZATION", 3, 0.05, 0, "uint8", None, NONE))
	refused("l2_normalization_relu", "fused_activation_function", made("L2_NORMALIZATION", 3, 0.05, 0, "int8", None, RELU))
	refused("l2_normalization_type", "it makes uint8 of int8", made("L2_NORMALIZATION", 3, 0.05, 128, "int8", "uint8", NONE))
	refused("gelu_type", "it makes uint8 of int8", made("GELU", 3, 0.05, 128, "int8", "uint8", 0))
	refused("gelu_approximate", "approximate", made("GELU", 3, 0.05, 3, "int8", None, 2))
	refused("rsqrt_below", "its input can be below 0, with a zero point of -127", made("RSQRT", -127, 0.05, 3))
	refused("rsqrt_u8", "its input is of uint8; TensorFlow Lite knows int8", made("RSQRT", 0, 0.05, 3, "uint8"))
	refused("rsqrt_scales", "outside of what its 32 bits are for", made("RSQRT", -128, 1e-20, 3))
	m = Model()
	m.add("L2_NORMALIZATION", [m.input([1, 2, 2, 2, 2], "int8", 0.05, 3)], [m.tensor([1, 2, 2, 2, 2], "int8", 1 / 128, 0)], NONE, version=2)
	refused("l2_normalization_rank", "its input has 5 dimensions, more than 4", m)
