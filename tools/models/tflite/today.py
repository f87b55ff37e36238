# SPDX-License-Identifier: MIT
"""For write.py: forms of operators that LiteRT, which TensorFlow Lite is today, computes in another way than 2.9 did, or that 2.9 has no
kernel of. litert.py makes their golden values; tests/models/tflite/litert.txt has their names."""
import numpy as np

import tflite.model
from tflite.model import NONE, RELU, RELU6, Model
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


def real(name, dtype, quants, *functions):
	"""Functions of float32 between DEQUANTIZE and QUANTIZE."""
	m = Model()
	x = m.input([1, 256], dtype, *quants[0])
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	at = m.tensor([1, 256], "float32")
	m.add("DEQUANTIZE", [x], [at])
	for op, *options in functions:
		before, at = at, m.tensor([1, 256], "float32")
		number = [m.tensor([], "float32", data=np.array(options.pop(0), np.float32))] if op in ("ADD", "DIV", "MAXIMUM", "SUB") else []
		m.add(op, [before, *number], [at], *options)
	y = m.tensor([1, 256], dtype, *quants[1])
	m.add("QUANTIZE", [at], [y])
	m.save(name, [y])


def moved(name, op, shape, others, out, *options):
	"""An operator that moves elements there, or takes the greatest."""
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	before, behind = m.tensor(shape, "float32"), m.tensor(out, "float32")
	m.add("DEQUANTIZE", [x], [before])
	m.add(op, [before, *(m.ints(other) for other in others)], [behind], *options)
	y = m.tensor(out, "int8", 0.06, -4)
	m.add("QUANTIZE", [behind], [y])
	m.save(name, [y])


def sum_with_number(name, op, scales, zeros, number, first, dtype="int8"):
	m = Model()
	x = m.input([1, 256], dtype, scales[0], zeros[0])
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	k = m.tensor([], dtype, scales[1], zeros[1], data=np.array(number, dtype))
	y = m.tensor([1, 256], dtype, scales[2], zeros[2])
	m.add(op, [k, x] if first else [x, k], [y], NONE, version=2)
	m.save(name, [y])


def wide_product(name, inputs, outputs, activation=NONE):
	"""FULLY_CONNECTED of int16 with a scale for each output, as today's converter writes it."""
	m = Model()
	x = m.input([1, inputs], "int16", 0.0005, 0)
	scales = np.float32(tflite.model.rng.uniform(0.002, 0.02, outputs))
	w = m.tensor([outputs, inputs], "int8", scales, axis=0, data=tflite.model.rng.integers(-127, 128, [outputs, inputs]).astype(np.int8))
	b = m.tensor([outputs], "int64", scales * np.float32(0.0005), data=tflite.model.rng.integers(-300000, 300000, outputs).astype(np.int64))
	y = m.tensor([1, outputs], "int16", 0.003)
	m.add("FULLY_CONNECTED", [x, w, b], [y], activation, 0, 0, version=7)
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
		every("exp", "EXP", "int8", 0.03, 20, 0.31, -128, version=1)
		every("log", "LOG", "int8", 0.05, -100, 0.04, 10, version=1)
		every("sqrt", "SQRT", "int8", 0.05, -128, 0.014, -128, version=1)
		quants = ((0.05, 3), (0.04, -6))
		for op in ("ABS", "CEIL", "COS", "ELU", "EXP", "FLOOR", "LOGISTIC", "NEG", "RELU", "RELU6", "ROUND", "SIN", "SQUARE", "TANH"):
			real(f"real_{op.lower()}", "int8", quants, (op,))
		real("real_leaky_relu", "uint8", ((0.05, 130), (0.03, 90)), ("LEAKY_RELU", 0.3))
		real("real_roots", "uint8", ((0.05, 0), (0.01, 7)), ("ADD", 0.25, NONE), ("SQRT",), ("NEG",))
		real("real_logarithm", "int8", ((0.03, -128), (0.02, 7)), ("MAXIMUM", 0.1), ("LOG",), ("SUB", 0.5, RELU6))
		real("real_quotient", "int8", quants, ("DIV", 0.7, NONE))
		moved("real_tile", "TILE", [1, 3, 5], [[1, 2, 1]], [1, 6, 5])
		moved("real_expand_dims", "EXPAND_DIMS", [1, 3, 5], [2], [1, 3, 1, 5])
		moved("real_reduce_max", "REDUCE_MAX", [1, 6, 5], [[1]], [1, 5], 0)
		moved("real_transpose", "TRANSPOSE", [1, 3, 5, 2], [[0, 2, 1, 3]], [1, 5, 3, 2])
		sum_with_number("add_epsilon", "ADD", (0.03, 1e-7, 0.031), (3, -5, -7), 100, False)
		sum_with_number("add_to_number", "ADD", (0.05, 1e-8, 0.05), (0, 128, 0), 255, True, "uint8")
		sum_with_number("sub_epsilon", "SUB", (0.03, 1e-6, 0.031), (3, -5, -7), 100, False)
		wide_product("fully_connected_int16_scales", 200, 33)
		wide_product("fully_connected_int16_scales_relu", 70, 12, RELU)
