# SPDX-License-Identifier: MIT
"""The models of write.py whose operators work on integers and bools: arithmetic, comparisons, logic, Where, Cast.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import zlib

import numpy as np
from onnx import helper

import ops.model
from ops.model import TYPES, Model

GRIDS = ((0.05, 77), (0.031, 140))


def model(name):
	ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	return Model()


def numbers(shape, dtype, low=-5, high=6):
	"""Small ones, so that some are equal; and now and then one that is not."""
	if dtype == bool:
		return ops.model.rng.integers(0, 2, shape).astype(bool)
	info = np.iinfo(dtype)
	small = ops.model.rng.integers(max(low, info.min), high, shape)
	any_number = ops.model.rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
	return np.where(ops.model.rng.integers(0, 4, shape) == 0, any_number, small).astype(dtype)


def operand(m, i, shape, dtype, low=-5):
	"""A list instead of a tuple is the shape of a constant."""
	data = numbers(shape, dtype, low)
	if isinstance(shape, list):
		return m.const(f"k{i}", data)
	return m.plain_input(f"x{i}", data, ["N", *shape[1:]])


def info(name, dtype, shape):
	return helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], shape and ["N", *shape[1:]])


def shape_of(shapes):
	return np.broadcast_shapes(*(tuple(shape) for shape in shapes))


def plain(name, doc, op, shapes, dtypes, out, opset=None, low=-5, **attrs):
	"""Of integers and bools as they are."""
	m = model(name)
	inputs = [operand(m, i, shape, dtype, low) for i, (shape, dtype) in enumerate(zip(shapes, dtypes))]
	m.node(op, inputs, "y", **attrs)
	m.save(name, info("y", out, shape_of(shapes)), doc, False, opset=opset)


def compared(name, doc, op, shapes, dtype=np.uint8, grids=GRIDS, opset=None):
	"""Of quantized tensors. A list is a constant, a number one that is not quantized."""
	m = model(name)
	offset = 0 if dtype == np.uint8 else -128
	reals = []
	for i, shape in enumerate(shapes):
		scale, zero = grids[i]
		if isinstance(shape, float):
			reals.append(m.const(f"k{i}", np.float32(shape)))
		elif isinstance(shape, list):
			limits = np.iinfo(dtype)
			m.const(f"k{i}", ops.model.rng.integers(limits.min, limits.max + 1, shape).astype(dtype))
			reals.append(m.real(m.quantized(f"k{i}", dtype, scale, zero + offset)))
		else:
			reals.append(m.real(m.input(shape, dtype, scale, zero + offset)))
	m.node(op, reals, "y")
	m.save(name, info("y", bool, shape_of([shape for shape in shapes if not isinstance(shape, float)])), doc, False, opset=opset)


def compared_pairs(name, op, dtype, *grids, opset=None):
	"""All pairs of bytes: a row for each of the first operand, the second is a constant."""
	m = model(name)
	limits = np.iinfo(dtype)
	every = np.arange(limits.min, limits.max + 1).astype(dtype)
	a = m.input((256, 1), dtype, *grids[0])
	m.data[0][:] = every[:, None]
	m.const("k", every)
	m.node(op, [m.real(a), m.real(m.quantized("k", dtype, *grids[1]))], "y")
	m.save(name, info("y", bool, (256, 256)), "All pairs of bytes", False, opset=opset)


def where(name, doc, shapes, grids, out=(0.05, 77), condition=(3, 4, 5, 8)):
	"""Of quantized tensors; a float is a constant that is not quantized."""
	m = model(name)
	values = [operand(m, "c", condition, bool)]
	for i, shape in enumerate(shapes):
		if isinstance(shape, float):
			values.append(m.const(f"k{i}", np.float32(shape)))
		elif isinstance(shape, list):
			m.const(f"k{i}", ops.model.rng.integers(0, 256, shape).astype(np.uint8))
			values.append(m.real(m.quantized(f"k{i}", np.uint8, *grids[i])))
		else:
			m.data.append(ops.model.rng.integers(0, 256, shape).astype(np.uint8))
			m.inputs.append(helper.make_tensor_value_info(f"x{i}", TYPES[np.dtype(np.uint8)], ["N", *shape[1:]]))
			values.append(m.real(m.quantized(f"x{i}", np.uint8, *grids[i])))
	m.node("Where", values, "chosen")
	m.save(name, m.output("chosen", ["N", 4, 5, 8], np.uint8, *out), doc, False)


def image_mask():
	"""Of an image that is stored with its channels last: a mask for each channel, and a bias where it holds."""
	m = model("where_of_conv")
	x = m.input((2, 5, 6, 7), np.uint8, 0.04, 9)
	m.node("Conv", [m.real(x), m.weight("w", (8, 5, 1, 1), np.float32(0.01))], "sum")
	m.output("sum", None, np.uint8, 0.05, 100, "z")
	value = m.dequantize("z", "z_scale", "z_zero")
	m.node("Greater", [value, m.const("bound", np.float32(0.26))], "above")
	m.node("Where", ["above", value, m.const("least", np.float32(-np.inf))], "chosen")
	m.save("where_of_conv", m.output("chosen", ["N", 8, 6, 7], np.uint8, 0.05, 100), "Greater and Where behind a Conv", False)


def mask():
	"""What a bool is as a float."""
	m = model("cast_mask")
	x = m.input((3, 4, 6), np.uint8, *GRIDS[0])
	real = m.real(x)
	m.node("LessOrEqual", [m.const("k", np.float32(2.5)), real], "above")
	m.node("Cast", ["above"], "mask", to=1)
	m.node("Mul", [real, "mask"], "product")
	m.save("cast_mask", m.output("product", ["N", 4, 6], np.uint8, 0.05, 77), "A mask of bools, as floats", False, opset=15)


@ops.model.numbers(0)
def write():
	image = (3, 4, 5, 8)
	i32, i64 = np.int32, np.int64
	for op, first in (("Equal", 13), ("Greater", 13), ("Less", 13), ("GreaterOrEqual", 16), ("LessOrEqual", 16)):
		name = op.lower()
		compared(name, f"{op} of two images", op, [image, image], opset=first)
		plain(name + "_int32", f"{op} of int32, broadcast", op, [image, (3, 1, 5, 1)], [i32] * 2, bool, first)
		plain(name + "_int64", f"{op} of int64, a constant", op, [image, [5, 1]], [i64] * 2, bool, first)
		compared_pairs(name + "_pairs", op, np.uint8, (0.05, 3), (0.1, 5), opset=first)
	compared_pairs("less_pairs_fine", "Less", np.int8, (0.003, -3), (0.0031, 5))
	compared("greater_i8_constant", "Greater, int8, a constant first", "Greater", [[4, 1, 1], image], np.int8)
	compared("less_number", "Less of a number that is not quantized", "Less", [image, 1.55])
	compared("equal_number", "Equal of a number that is not quantized, first", "Equal", [0.25, image], np.int8)
	plain("equal_bool", "Equal of bools", "Equal", [image, (3, 1, 1, 8)], [bool] * 2, bool)
	plain("equal_int8", "Equal of int8", "Equal", [image, image], [np.int8] * 2, bool)
	for op in ("And", "Or", "Xor"):
		plain(op.lower(), op, op, [image, (3, 4, 1, 1)], [bool] * 2, bool)
	plain("or_constant", "Or, a constant", "Or", [[8], image], [bool] * 2, bool)
	plain("not", "Not", "Not", [image], [bool], bool)
	for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
		plain(op.lower(), op, op, [image, (3, 4, 1, 1)], [i32] * 2, i32, 18)
	plain("bitwisenot", "BitwiseNot, int64", "BitwiseNot", [image], [i64], i64, 18)
	plain("bitwisenot_u8", "BitwiseNot, uint8", "BitwiseNot", [image], [np.uint8], np.uint8, 18)
	for op in ("Add", "Sub", "Mul", "Min", "Max"):
		for dtype in (i32, i64):
			plain(f"{op.lower()}_{dtype.__name__}", f"{op} of {dtype.__name__}", op, [image, (3, 1, 5, 1)], [dtype] * 2, dtype)
	plain("sub_int32_constant", "Sub, a constant first", "Sub", [[4, 1, 1], image], [i32] * 2, i32)
	plain("max_int32_three", "Max of three", "Max", [image, [8], image], [i32] * 3, i32)
	plain("mod_int32", "Mod of int32, by a constant below and above 0", "Mod", [image, [8]], [i32] * 2, i32, low=1)
	plain("mod_int64", "Mod of int64", "Mod", [image, image], [i64] * 2, i64, low=1)
	plain("mod_fmod", "Mod with fmod", "Mod", [image, [8]], [i32] * 2, i32, low=1, fmod=1)
	plain("div_int32", "Div of int32, toward 0", "Div", [image, [8]], [i32] * 2, i32, low=1)
	plain("div_int64", "Div of int64", "Div", [image, (3, 1, 5, 8)], [i64] * 2, i64, low=1)
	plain("neg_int32", "Neg of int32", "Neg", [image], [i32], i32)
	plain("neg_int64", "Neg of int64", "Neg", [image], [i64], i64)
	plain("abs_int32", "Abs of int32", "Abs", [image], [i32], i32)
	plain("abs_int64", "Abs of int64", "Abs", [image], [i64], i64)
	plain("where_int64", "Where of int64, all broadcast", "Where", [(3, 1, 5, 1), image, [8]], [bool, i64, i64], i64)
	plain("where_uint8", "Where of uint8, a constant condition", "Where", [[4, 1, 1], image, (3, 1, 1, 8)], [bool, np.uint8, np.uint8], np.uint8)
	where("where", "Where of what is quantized in one way", [image, image], (GRIDS[0], GRIDS[0]))
	where("where_scales", "Where of different scales", [image, (3, 1, 5, 8)], GRIDS, (0.06, 90), (3, 1, 1, 8))
	where("where_constant", "Where of a constant", [image, [4, 1, 1]], GRIDS, (0.02, 50))
	where("where_number", "Where of a number that is not quantized", [-1e9, image], (None, GRIDS[0]))
	image_mask()
	mask()
	for from_type in (bool, np.uint8, np.int8, i32, i64):
		for to_type in (bool, np.uint8, np.int8, i32, i64):
			if from_type != to_type:
				names = [np.dtype(t).name for t in (from_type, to_type)]
				plain("cast_{}_{}".format(*names), "Cast of {} to {}".format(*names), "Cast", [(3, 40)], [from_type], to_type,
				      to=int(TYPES[np.dtype(to_type)]))
	for name in ("uint8", "int8"):
		m = model(f"cast_{name}_real")
		x = m.plain_input("x0", numbers((3, 40), np.dtype(name)), ["N", 40])
		m.node("Cast", [x], "real", to=1)
		m.save(f"cast_{name}_real", m.output("real", ["N", 40], np.uint8, 0.7, 100), f"Cast of {name} to float", False)
