# SPDX-License-Identifier: MIT
"""The models of write.py with constants beside a quantized tensor that are floats, as quantize_static() leaves the slopes of PRelu
and a class token, or that have several scales; and Concat with constants."""
import numpy as np
from onnx import helper

import ops.model
from ops.model import TYPES, Model


def all_bytes(m, shape, dtype, scale, zero, channel):
	"""An input with every byte for each index of a dimension; the others are 256 together."""
	x = m.input(shape, dtype, scale, zero)
	info = np.iinfo(dtype)
	rest = [d for i, d in enumerate(shape) if i != channel]
	every = np.resize(np.arange(info.min, info.max + 1), int(np.prod(rest))).astype(dtype)
	m.data[0][:] = np.moveaxis(np.broadcast_to(every.reshape([*rest, 1]), [*rest, shape[channel]]), -1, channel)
	return x


def with_floats(name, op, shape, dtype=np.uint8, first=False, grid=(0.05, 117), out=(0.07, 91), data=None, image=(4, 6, 8, 8), act=None):
	"""Of an image and a constant of floats."""
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.real(all_bytes(m, image, dtype, grid[0], grid[1] + offset, 1))
	numbers = np.float32(ops.model.rng.normal(0, 1, shape) if data is None else data)
	k = m.const("k", numbers)
	value = m.node(op, [k, x] if first else [x, k], "result")
	if act:
		value = m.node(act, [value], "act")
	made = list(np.broadcast_shapes(image, numbers.shape))
	m.save(name, m.output(value, ["N", *made[1:]], dtype, out[0], out[1] + offset), f"{op}, a constant of floats {list(numbers.shape)}", False)


def with_scales(name, op):
	"""Of a constant that has a scale for each channel."""
	m = Model()
	x = m.real(all_bytes(m, (4, 6, 8, 8), np.uint8, 0.05, 117, 1))
	w = m.weight("k", (6, 1, 1), np.float32(ops.model.rng.uniform(0.003, 0.02, 6)), axis=0)
	m.save(name, m.output(m.node(op, [x, w], "result"), ["N", 6, 8, 8], np.uint8, 0.07, 91), f"{op}, a constant with several scales", False)


def behind_pool(name, op):
	"""Where nnloop stores the image with its channels last."""
	m = Model()
	x = m.input((3, 6, 8, 8), np.uint8, 0.06, 128)
	m.node("MaxPool", [m.real(x)], "most", kernel_shape=[2, 2], strides=[2, 2])
	m.output("most", None, np.uint8, 0.06, 128, "image")
	k = m.const("k", np.float32(ops.model.rng.normal(0, 1, (6, 1, 1))))
	m.node(op, [m.dequantize("image", "image_scale", "image_zero"), k], "result")
	m.output("result", None, np.uint8, 0.05, 100, "z")
	m.node("AveragePool", [m.dequantize("z", "z_scale", "z_zero")], "mean", kernel_shape=[2, 2])
	m.save(name, m.output("mean", ["N", 6, 3, 3], np.uint8, 0.05, 100), f"{op} of an image and floats, between two pools", False)


def concat(name, doc, shapes, axis, dtype=np.uint8, grids=((0.05, 77), (0.031, 140), (0.044, 60)), kind="float"):
	"""A list instead of a tuple is the shape of a constant: of floats, quantized, or of integers that are concatenated as they are."""
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	parts, made = [], None
	for i, shape in enumerate(shapes):
		scale, zero = grids[0] if kind == "integers" else grids[i % 2]
		if isinstance(shape, tuple):
			made = list(shape)
			x = m.input(shape, dtype, scale, zero + offset, False)
			parts.append(x[0] if kind == "integers" else m.real(x))
		elif kind == "float":
			parts.append(m.const(f"k{i}", np.float32(ops.model.rng.normal(0, 3, shape))))
		else:
			info = np.iinfo(dtype)
			m.const(f"k{i}", ops.model.rng.integers(info.min, info.max + 1, shape).astype(dtype))
			parts.append(f"k{i}" if kind == "integers" else m.real(m.quantized(f"k{i}", dtype, scale, zero + offset)))
	made[axis] = sum(shape[axis] for shape in shapes)
	value = m.node("Concat", parts, "all", axis=axis)
	if kind == "integers":
		zero = grids[0][1] + offset
		value = m.dequantize(value, m.const("all_scale", np.float32(grids[0][0])), m.const("all_zero", dtype(zero)))
	m.save(name, m.output(value, made, dtype, grids[2][0], grids[2][1] + offset), doc, False)


def qlinear_concat():
	m = Model()
	x = m.input((1, 5, 7), np.uint8, 0.05, 77, False)
	k = m.quantized(m.const("k", ops.model.rng.integers(0, 256, (1, 2, 7)).astype(np.uint8)), np.uint8, 0.031, 140)
	y = m.quantized("y", np.uint8, 0.044, 60)
	m.nodes.append(helper.make_node("QLinearConcat", [*y[1:], *k, *x], ["y"], name="y", domain="com.microsoft", axis=1))
	m.save("qlinear_concat_constant", helper.make_tensor_value_info("y", TYPES[np.dtype(np.uint8)], [1, 7, 7]), "QLinearConcat with a constant", False)


def float_parts(name, doc, grids, whole=None):
	"""Parts of a float input, as YOLOX's focus takes them, each quantized by itself; and all of it, too."""
	m = Model()
	middle = ops.model.rng.integers(-300, 300, (3, 3, 8, 6)) + np.float32(0.5)
	data = (middle * np.float32(grids[0][0])).astype(np.float32)
	away = np.array([-np.inf, 0, np.inf], np.float32)[ops.model.rng.integers(0, 3, data.shape)]
	x = m.plain_input("x0", np.where(away, np.nextafter(data, away), data), ["N", 3, 8, 6])
	ends = m.const("ends", np.array([1000], np.int64))
	steps = m.const("steps", np.array([2], np.int64))
	parts = []
	for i, (scale, zero, dtype) in enumerate(grids):
		value = x
		for axis, begin in ((2, i % 2), (3, i // 2)):
			begins, axes = m.const(f"begin{i}_{axis}", np.array([begin], np.int64)), m.const(f"axis{i}_{axis}", np.array([axis], np.int64))
			value = m.node("Slice", [value, begins, ends, axes, steps], f"part{i}_{axis}")
		m.output(value, None, dtype, scale, zero, f"q{i}")
		parts.append(m.dequantize(f"q{i}", f"q{i}_scale", f"q{i}_zero"))
	made = m.output(m.node("Concat", parts, "all", axis=1), ["N", 3 * len(parts), 4, 3], np.uint8, 0.06, 128)
	outputs = [made]
	if whole:
		outputs.append(m.output(x, ["N", 3, 8, 6], whole[2], whole[0], whole[1], "z"))
	m.save(name, outputs, doc, False)


@ops.model.numbers(39)
def write_parts():
	u8, i8 = np.uint8, np.int8
	float_parts("float_parts", "Parts of a float input, quantized in four ways",
		    [(0.02, 100, u8), (0.021, 101, u8), (0.018, 120, u8), (0.025, 7, u8)])
	float_parts("float_parts_types", "Parts of a float input, and all of it, of other types, too",
		    [(0.02, 100, u8), (0.02, -28, i8), (0.02, 100, u8)], (0.03, -5, i8))


@ops.model.numbers(38)
def write():
	channels = (6, 1, 1)
	with_floats("prelu_float", "PRelu", channels)
	with_floats("prelu_float_i8", "PRelu", (1, 6, 1, 1), np.int8, act="Relu")
	with_floats("prelu_float_number", "PRelu", (1,), data=[0.25])
	with_floats("prelu_float_each", "PRelu", (6, 8, 8))
	with_floats("add_float", "Add", channels)
	with_floats("add_float_infinite", "Add", channels, data=np.reshape([0, -np.inf, 1, np.inf, -3.4e38, 2], channels))
	with_floats("sub_float_first", "Sub", channels, first=True)
	with_floats("mul_float_columns", "Mul", (8,), np.int8)
	with_floats("div_float", "Div", channels, data=np.reshape([0.3, -1.7, 2.1, 3, 1e-9, -7], channels))
	with_floats("max_float", "Max", channels)
	with_floats("min_float_first", "Min", (1, 6, 8, 1), first=True, act="Relu")
	with_floats("sum_float", "Sum", channels)
	with_floats("add_float_broadcast", "Add", (6, 8, 8), image=(256, 6, 1, 8))
	with_floats("mul_float_dimensions", "Mul", (5,), image=(3, 7, 1), data=[0.1, -0.2, 0.3, 1.5, -2])
	with_scales("mul_scales", "Mul")
	with_scales("prelu_scales", "PRelu")
	behind_pool("prelu_float_image", "PRelu")
	behind_pool("mul_float_image", "Mul")
	concat("concat_float", "A constant of floats in front, as a class token", [[1, 1, 9], (1, 6, 9)], 1)
	concat("concat_float_two", "Constants of floats on both sides, int8", [[1, 2, 9], (1, 6, 9), [1, 1, 9]], 1, np.int8)
	concat("concat_constant", "A quantized constant behind", [(1, 6, 9), [1, 3, 9]], 1, kind="quantized")
	concat("concat_constant_two", "Two tensors and a constant between them", [(1, 6, 9), [1, 6, 2], (1, 6, 9)], 2, kind="quantized")
	concat("whole_concat_constant", "Rows behind those of a fixed first dimension", [(5, 4, 3), [2, 4, 3]], 0)
	concat("concat_constant_image", "A constant as channels of an image", [(1, 3, 5, 4), [1, 2, 5, 4]], 1)
	concat("concat_integers_constant", "Integers as they are", [[1, 1, 9], (1, 6, 9)], 1, kind="integers")
	qlinear_concat()
