# SPDX-License-Identifier: MIT
"""The models of write.py whose operators have two operands or more, broadcast, and constants."""
import numpy as np
from onnx import helper

import ops.model
from ops.model import TYPES, Model


def of_two(name, doc, op, shapes, dtype=np.uint8, grids=((0.05, 77), (0.031, 140), (0.09, 60)), act=None, out=None):
	"""Of two or more operands. A list instead of a tuple is the shape of a constant."""
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	reals = []
	for i, (shape, (scale, zero)) in enumerate(zip(shapes, grids)):
		if isinstance(shape, tuple):
			reals.append(m.real(m.input(shape, dtype, scale, zero + offset)))
		else:
			info = np.iinfo(dtype)
			m.const(f"k{i}", ops.model.rng.integers(info.min, info.max + 1, shape).astype(dtype))
			reals.append(m.real(m.quantized(f"k{i}", dtype, scale, zero + offset)))
	value = m.node(op, reals, "result")
	if act:
		value = m.node(act, [value], "act")
	out = out or max((s for s in shapes if isinstance(s, tuple)), key=np.prod)
	m.save(name, m.output(value, ["N", *out[1:]], dtype, grids[-1][0], grids[-1][1] + offset), doc, False)


def pairs(name, op, dtype, *grids):
	"""All pairs of bytes: a row for each of the first operand, the second is a constant."""
	m = Model()
	info = np.iinfo(dtype)
	every = np.arange(info.min, info.max + 1).astype(dtype)
	a = m.input((256, 256 if op == "PRelu" else 1), dtype, *grids[0])
	m.data[0][:] = every[:, None]
	m.const("k", every)
	m.node(op, [m.real(a), m.real(m.quantized("k", dtype, *grids[1]))], "result")
	m.save(name, m.output("result", ["N", 256], dtype, *grids[2]), f"{op} of all pairs of bytes", False)


def qlinear_two(name, op, shapes, dtype=np.uint8):
	"""The second operand may be a constant, as above; scales bring results next to halves."""
	m = Model()
	operands = [m.input(shapes[0], dtype, 0.05, 3)]
	if isinstance(shapes[1], tuple):
		operands.append(m.input(shapes[1], dtype, 0.05, 3))
	else:
		info = np.iinfo(dtype)
		operands.append(m.quantized(m.const("k", ops.model.rng.integers(info.min, info.max + 1, shapes[1]).astype(dtype)), dtype, 0.05, 3))
	y = m.quantized("y", dtype, 0.1, 30)
	m.nodes.append(helper.make_node(op, [v for x in operands for v in x] + list(y[1:]), ["y"], name="y", domain="com.microsoft"))
	m.save(name, helper.make_tensor_value_info("y", TYPES[np.dtype(dtype)], ["N", *shapes[0][1:]]), f"{op}, {shapes[1]}", False)


def scaled_image(name, doc, op, flatten, shape):
	"""Behind a pool, whose result nnloop stores with the channels last; shape None: with its own channels' means."""
	m = Model()
	x = m.input((2, 8, 6, 5), np.uint8, 0.06, 128)
	m.node("MaxPool", [m.real(x)], "most", kernel_shape=[2, 2])
	m.output("most", None, np.uint8, 0.06, 128, "image")
	real = m.dequantize("image", "image_scale", "image_zero")
	if flatten:
		real = m.node("Flatten", [real], "flat_float")
		m.output(real, None, np.uint8, 0.06, 128, "flat")
		real = m.dequantize("flat", "flat_scale", "flat_zero")
	if shape is None:
		m.node("GlobalAveragePool", [real], "mean_float")
		m.output("mean_float", None, np.uint8, 0.02, 100, "mean")
		other = m.dequantize("mean", "mean_scale", "mean_zero")
	else:
		other = m.real(m.quantized(m.const("k", ops.model.rng.integers(0, 256, shape).astype(np.uint8)), np.uint8, 0.01, 120))
	m.node(op, [real, other], "result")
	m.save(name, m.output("result", ["N", 160] if flatten else ["N", 8, 5, 4], np.uint8, 0.05, 120), doc, False)


def flattened(name, doc, op):
	"""Two images whose channels nnloop stores last, flattened: in the same order, so it leaves them as they are."""
	m = Model()
	flat = []
	for i in range(2):
		m.node("MaxPool", [m.real(m.input((2, 8, 6, 5), np.uint8, 0.06, 128))], f"most{i}", kernel_shape=[2, 2])
		flat.append(m.node("Flatten", [f"most{i}"], f"flat{i}"))
	m.node(op, flat, "result")
	m.save(name, m.output("result", ["N", 160], np.uint8, 0.09, 120), doc, False)


def write():
	image = (3, 4, 5, 8)
	of_two("mul_i8", "Mul, int8", "Mul", [image, image], np.int8)
	of_two("mul_relu", "Mul, then Relu", "Mul", [image, image], act="Relu")
	of_two("mul_channels", "Mul of images and a number for each channel and image", "Mul", [image, (3, 4, 1, 1)])
	of_two("mul_both", "Mul where both are broadcast", "Mul", [(3, 4, 1, 8), (3, 1, 5, 8)], out=image)
	of_two("mul_constant", "Mul of a constant [4, 1, 1]", "Mul", [image, [4, 1, 1]])
	of_two("mul_constant_rows", "Mul of a constant [1, 4, 5, 8]", "Mul", [image, [1, 4, 5, 8]])
	of_two("mul_constant_first", "Mul of a constant [8], which comes first", "Mul", [[8], image])
	of_two("mul_number", "Mul of a single number", "Mul", [image, []])
	of_two("add_channels", "Add of images and a number for each channel and image", "Add", [image, (3, 4, 1, 1)])
	of_two("add_constant", "Add of a constant [5, 1]", "Add", [image, [5, 1]])
	of_two("sub", "Sub", "Sub", [image, image])
	of_two("sub_constant_first", "a constant less x, int8", "Sub", [[1], image], np.int8)
	of_two("div", "Div", "Div", [image, image])
	of_two("div_constant", "Div by a constant [4, 1, 1], int8", "Div", [image, [4, 1, 1]], np.int8)
	grids = ((0.05, 77), (0.031, 140), (0.04, 90), (0.06, 100))
	of_two("min", "Min of three", "Min", [image, image, [4, 1, 1]], grids=grids)
	of_two("max", "Max of three, int8", "Max", [image, (3, 1, 1, 8), image], np.int8, grids)
	of_two("max_of_one", "Max of one is that", "Max", [image], grids=grids[:1])
	of_two("prelu", "PRelu, a slope for each channel", "PRelu", [image, [4, 1, 1]])
	of_two("prelu_i8", "PRelu, int8, the slope computed, too", "PRelu", [image, image], np.int8)
	scaled_image("mul_means", "Mul of an image and its channels' means", "Mul", False, None)
	scaled_image("mul_image_constant", "Mul of an image and a constant [8, 1, 1]", "Mul", False, [8, 1, 1])
	scaled_image("sub_image_constant", "An image less a constant [8, 5, 4]", "Sub", False, [8, 5, 4])
	scaled_image("mul_image_columns", "Mul of an image and a constant [4]", "Mul", False, [4])
	scaled_image("mul_flattened", "Mul of a flattened image and a constant [160]", "Mul", True, [160])
	scaled_image("mul_flattened_number", "Mul of a flattened image and a number", "Mul", True, [1, 1])
	pairs("mul_pairs", "Mul", np.uint8, (0.05, 3), (0.05, 3), (0.1, 30))
	pairs("sub_pairs", "Sub", np.int8, (0.05, 3), (0.03, -7), (0.1, 5))
	pairs("div_pairs", "Div", np.uint8, (0.02, 120), (0.02, 128), (0.04, 128))
	pairs("prelu_pairs", "PRelu", np.int8, (0.05, 3), (1 / 128, 0), (0.025, -20))
	for op in ("QLinearMul", "QLinearAdd"):
		name = {"QLinearMul": "qlinear_mul", "QLinearAdd": "qlinear_add"}[op]
		qlinear_two(name + "_broadcast", op, [image, (3, 4, 1, 1)])
		qlinear_two(name + "_constant", op, [image, [5, 1]], np.int8)
	qlinear_two("qlinear_mul", "QLinearMul", [image, image])
	flattened("add_flattened", "Add of two flattened images", "Add")
