# SPDX-License-Identifier: MIT
"""For write.py: forms of operators that LiteRT, which TensorFlow Lite is today, computes in another way than 2.9 did, or that 2.9 has no
kernel of. litert.py makes their golden values; tests/models/tflite/litert.txt has their names."""
import numpy as np

import tflite.model
from tflite.model import NONE, RELU6, Model
from tflite.more import reduce_sum


def every(name, op, dtype, scale, zero, out_scale, out_zero, *options, version=2):
	"""A function of all elements that there are."""
	m = Model()
	x = m.input([1, 256], dtype, scale, zero)
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, 256], dtype, out_scale, out_zero)
	m.add(op, [x], [y], *options, version=version)
	m.save(name, [y])


def mean(name, shape, axes, keep, dtype, quants):
	m = Model()
	x = m.input(shape, dtype, *quants[0])
	behind = [a % len(shape) for a in axes]
	y = m.tensor([1 if i in behind else d for i, d in enumerate(shape) if keep or i not in behind], dtype, *quants[1])
	m.add("MEAN", [x, m.ints(axes)], [y], keep, version=2)
	m.save(name, [y])


def product(name, zero, transposed):
	"""By a matrix that is computed, around 0 or not."""
	m = Model()
	x = m.input([1, 4, 12, 33], "int8", 0.05, 5)
	y = m.input([1, 4, 17, 33] if transposed else [1, 4, 33, 17], "int8", 0.03, zero)
	out = m.tensor([1, 4, 12, 17], "int8", 0.31, -9)
	m.add("BATCH_MATMUL", [x, y], [out], 0, int(transposed), 0, version=2)
	m.save(name, [out])


def square(name, activation, dtype, scale, zero, out_scale, out_zero):
	"""A product of a tensor by itself."""
	m = Model()
	x = m.input([1, 256], dtype, scale, zero)
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, 256], dtype, out_scale, out_zero)
	m.add("MUL", [x, x], [y], activation, version=2)
	m.save(name, [y])


def write():
	with tflite.model.numbers(41):
		every("requantize_near", "QUANTIZE", "int8", 0.0234, 5, 0.0235, 3, version=1)
		every("requantize_finer", "QUANTIZE", "int8", 0.9, -3, 0.0301, 3, version=1)
		every("requantize_least", "QUANTIZE", "int8", 0.01, 0, 2.56, 3, version=1)
		every("requantize_below", "QUANTIZE", "int8", 0.01, 0, 2.6, 3, version=1)
		every("requantize_u8_same", "QUANTIZE", "uint8", 0.0234, 130, 0.0191, 120, version=1)
		every("leaky_relu_u8", "LEAKY_RELU", "uint8", 0.05, 100, 0.03, 90, 0.1)
		every("leaky_relu_negative", "LEAKY_RELU", "int8", 0.05, 4, 0.07, -20, -1.5)
		every("leaky_relu_least", "LEAKY_RELU", "int8", 0.05, 4, 0.05, 4, 0.003)
		every("elu_zero", "ELU", "int8", 0.02, -128, 0.01, 3, version=1)
		mean("mean_coarse", [1, 6, 5, 7], [1, 2], 1, "int8", ((12.8, 3), (0.05, 3)))
		mean("mean_fine", [1, 6, 5, 7], [1, 2], 0, "int8", ((0.049, 3), (12.8, 3)))
		mean("mean_u8_from_the_end", [1, 6, 5, 7], [-3, -2], 1, "uint8", ((0.05, 3), (0.05, 3)))
		mean("mean_same", [1, 7, 90], [-1], 1, "int8", ((0.05, 3), (0.05, 3)))
		for model in (reduce_sum("sum_same", [1, 4, 50], [1], False, "int8", (0.05, 3), (0.05, 3)),
			      reduce_sum("sum_fine", [1, 4, 50], [1], False, "int8", (0.05, 3), (0.0003, 3)),
			      reduce_sum("sum_all", [1, 31, 30, 3], [1, 2], True, "uint8", (0.05, 131), (0.71, 120))):
			model[0].save(*model[1:])
		product("batch_matmul_around_0", 0, False)
		product("batch_matmul_around_0_transposed", 0, True)
		square("mul_itself", NONE, "int8", 0.05, 3, 0.1, -128)
		square("mul_itself_relu6", RELU6, "uint8", 0.05, 131, 0.03, 7)
