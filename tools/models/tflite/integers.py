# SPDX-License-Identifier: MIT
"""The models of write.py whose operators work on integers and bools: arithmetic, comparisons, logic, SELECT, CAST."""
import numpy as np

import tflite.model
from tflite.model import ITEMS, NONE, RELU, TYPES, Model, refused

ARITHMETIC = {"ADD": [NONE], "SUB": [NONE], "MUL": [NONE], "MAXIMUM": [], "MINIMUM": [], "FLOOR_DIV": [], "FLOOR_MOD": []}
COMPARISONS = ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]
IMAGE = (1, 7, 9, 4)


def numbers(shape, dtype, low=-4):
	"""Small ones, so that some are equal, and now and then a larger one, whose products fit."""
	rng = tflite.model.rng
	if dtype == "bool":
		return rng.integers(0, 2, shape).astype(bool)
	small = rng.integers(low, 5, shape)
	return np.where(rng.integers(0, 4, shape) == 0, rng.integers(1, 40000, shape) * rng.choice([1, -1], shape), small).astype(dtype)


def operand(m, shape, dtype, low=-4):
	"""A list instead of a tuple is the shape of a constant."""
	if isinstance(shape, list):
		return m.tensor(shape, dtype, data=numbers(shape, dtype, low))
	m.data.append(numbers((ITEMS, *shape[1:]), dtype, low))
	m.inputs.append(m.tensor(shape, dtype, name=f"x{len(m.inputs)}"))
	return m.inputs[-1]


def plain(name, op, shapes, dtypes, out, *options, version=1, low=-4):
	m = Model()
	x = [operand(m, shape, dtype, low) for shape, dtype in zip(shapes, dtypes)]
	y = m.tensor(np.broadcast_shapes(*(tuple(shape) for shape in shapes)), out)
	m.add(op, x, [y], *options, version=version)
	m.save(name, [y])


def compared(name, op, shapes, grids, dtype="int8"):
	m = Model()
	x = []
	for shape, (scale, zero) in zip(shapes, grids):
		info = np.iinfo(dtype)
		if isinstance(shape, tuple):
			x.append(m.input(shape, dtype, scale, zero))
		else:
			x.append(m.tensor(shape, dtype, scale, zero, data=tflite.model.rng.integers(info.min, info.max + 1, shape).astype(dtype)))
	y = m.tensor(np.broadcast_shapes(*(tuple(shape) for shape in shapes)), "bool")
	m.add(op, x, [y], version=2)
	m.save(name, [y])


def compared_pairs(name, op, dtype, *grids):
	"""All pairs of bytes, a third of them in each item."""
	m = Model()
	info = np.iinfo(dtype)
	every = np.arange(info.min, info.max + 1).astype(dtype)
	x = m.input([1, 86, 1], dtype, *grids[0])
	m.data[0][:] = np.append(every, [0, 1]).reshape(3, 86, 1)
	k = m.tensor([256], dtype, *grids[1], data=every)
	y = m.tensor([1, 86, 256], "bool")
	m.add(op, [x, k], [y], version=2)
	m.save(name, [y])


def select(name, op, shapes, dtype, scale=None, zero=0):
	m = Model()
	x = [operand(m, shapes[0], "bool")]
	for shape in shapes[1:]:
		x.append(m.input(shape, dtype, scale, zero) if scale else operand(m, shape, dtype))
	y = m.tensor(np.broadcast_shapes(*(tuple(shape) for shape in shapes)), dtype, scale, zero)
	m.add(op, x, [y])
	m.save(name, [y])


@tflite.model.numbers(31)
def write():
	for op, options in ARITHMETIC.items():
		low = 1 if op.startswith("FLOOR") else -4
		plain(op.lower() + "_int32", op, [IMAGE, IMAGE], ["int32"] * 2, "int32", *options, low=low)
		plain(op.lower() + "_int32_constant", op, [IMAGE, [4]], ["int32"] * 2, "int32", *options, low=low)
	plain("neg_int32", "NEG", [IMAGE], ["int32"], "int32")
	plain("neg_int64", "NEG", [IMAGE], ["int64"], "int64")
	plain("maximum_int64", "MAXIMUM", [IMAGE, (1, 1, 9, 1)], ["int64"] * 2, "int64")
	for op in COMPARISONS:
		compared(op.lower(), op, [IMAGE, IMAGE], ((0.05, 5), (0.03, -11)))
		plain(op.lower() + "_int32", op, [IMAGE, (1, 1, 9, 4)], ["int32"] * 2, "bool")
		plain(op.lower() + "_int64", op, [IMAGE, [9, 1]], ["int64"] * 2, "bool")
		compared_pairs(op.lower() + "_pairs", op, "uint8", (0.05, 3), (0.1, 130))
	compared("less_constant", "LESS", [[4], IMAGE], ((0.05, 5), (0.03, -11)))
	compared("greater_u8", "GREATER", [IMAGE, (1, 7, 1, 1)], ((0.05, 100), (0.04, 90)), "uint8")
	compared_pairs("equal_pairs_fine", "EQUAL", "int8", (0.003, 3), (0.0031, -5))
	compared_pairs("less_pairs_fine", "LESS", "int8", (0.0011, 3), (0.0007, -5))
	compared_pairs("less_pairs_coarse", "LESS", "int8", (0.999, 3), (0.5, -5))
	plain("equal_bool", "EQUAL", [IMAGE, IMAGE], ["bool"] * 2, "bool")
	for op in ("LOGICAL_AND", "LOGICAL_OR"):
		plain(op.lower(), op, [IMAGE, IMAGE], ["bool"] * 2, "bool")
		plain(op.lower() + "_constant", op, [[9, 1], IMAGE], ["bool"] * 2, "bool")
	plain("logical_not", "LOGICAL_NOT", [IMAGE], ["bool"], "bool")
	select("select", "SELECT", [IMAGE] * 3, "int8", 0.05, 3)
	select("select_int32", "SELECT", [IMAGE] * 3, "int32")
	select("select_v2", "SELECT_V2", [(1, 1, 9, 1), IMAGE, (1, 7, 1, 4)], "uint8", 0.05, 100)
	select("select_v2_constant", "SELECT_V2", [IMAGE, [4], (1, 7, 1, 4)], "int64")
	for from_type in ("bool", "int32", "int64"):
		for to_type in ("bool", "int32", "int64"):
			if from_type != to_type:
				plain(f"cast_{from_type}_{to_type}", "CAST", [(1, 40)], [from_type], to_type, TYPES[from_type], TYPES[to_type])
	plain("neg_five", "NEG", [(1, 3, 2, 4, 5)], ["int32"], "int32")
	plain("logical_not_five", "LOGICAL_NOT", [(1, 3, 2, 4, 5)], ["bool"], "bool")


@tflite.model.numbers(32)
def refuse():
	def made(op, shapes, dtypes, out, *options, scales=None, version=1):
		m = Model()
		x = [m.tensor(shape, dtype, scales and scales[i], name=f"x{i}") for i, (shape, dtype) in enumerate(zip(shapes, dtypes))]
		m.inputs.extend(x)
		m.add(op, x, [m.tensor(shapes[-1], out, scales and scales[-1])], *options, version=version)
		return m
	two, flat = [(1, 4)] * 2, [(1, 4)] * 3
	refused("add_int32_activation", "are no quantized tensors, and it has an activation", made("ADD", two, ["int32"] * 2, "int32", RELU))
	refused("mul_int32_activation", "are no quantized tensors, and it has an activation", made("MUL", two, ["int32"] * 2, "int32", RELU))
	refused("sub_int32_types", "its inputs are of int32 and int64", made("SUB", two, ["int32", "int64"], "int32", NONE))
	refused("add_int32_output", "it makes int64 of int32", made("ADD", two, ["int32"] * 2, "int64", NONE))
	refused("floor_div_bool", "its inputs are of bool; nnloop knows int32 and int64 there", made("FLOOR_DIV", two, ["bool"] * 2, "bool"))
	refused("logical_or_int32", "its inputs are of int32; nnloop knows bool there", made("LOGICAL_OR", two, ["int32"] * 2, "int32"))
	refused("less_bool", "its inputs are of bool", made("LESS", two, ["bool"] * 2, "bool"))
	refused("less_output", "it makes int32 of bool", made("LESS", two, ["int32"] * 2, "int32"))
	m = made("LESS", two, ["int8"] * 2, "bool", version=2)
	refused("less_no_scale", "it compares what has scale 0", m)
	m = Model()
	x = [m.input([1, 4], "int8", scale, 0) for scale in (0.5, 1.0)]
	m.add("LESS", x, [m.tensor([1, 4], "bool")], version=2)
	refused("less_scale", "it compares what has scale 1; TensorFlow Lite knows those below 1", m)
	refused("less_ranks", "it broadcasts to 5 dimensions; nnloop knows up to 4", made("LESS", [(1, 2, 3, 4, 1), (1, 2, 3, 4, 5)], ["int32"] * 2, "bool"))
	refused("select_condition", "its condition is of int32", made("SELECT", flat, ["int32"] * 3, "int32"))
	refused("select_shapes", "are not three tensors of one shape", made("SELECT", [(1, 1), (1, 4), (1, 4)], ["bool", "int32", "int32"], "int32"))
	refused("select_types", "its inputs are of int32 and int64", made("SELECT", flat, ["bool", "int32", "int64"], "int32"))
	m = Model()
	x = [m.tensor([1, 4], "bool", name="x0"), m.tensor([1, 4], "int8", 0.5), m.tensor([1, 4], "int8", 0.25)]
	m.inputs.extend(x)
	m.add("SELECT", x, [m.tensor([1, 4], "int8", 0.5)])
	refused("select_scales", "its inputs and its output are quantized in different ways", m)
	m = Model()
	x = m.tensor([1, 4], "bool", 0.5)
	m.inputs.append(x)
	m.add("LOGICAL_NOT", [x], [m.tensor([1, 4], "bool")])
	refused("bool_scale", "is of bool, and has a scale", m)
