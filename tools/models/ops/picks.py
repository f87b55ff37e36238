# SPDX-License-Identifier: MIT
"""The models of write.py that pick elements by numbers, or make such numbers.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import numpy as np
from onnx import helper

import ops.model
from ops.integers import GRIDS, info, model, numbers

UNIT = (1 / 256, 0)


def reals(name, doc, op, shape, out, constants=(), opset=None, dtype=np.uint8, to=GRIDS[0], **attrs):
	"""Of a quantized tensor, to one."""
	m = model(name)
	x = m.real(m.input(shape, dtype, *(GRIDS[0] if dtype == np.uint8 else (0.05, -3))))
	m.node(op, [x, *(m.const(key, value) for key, value in constants)], "result", **attrs)
	m.save(name, m.output("result", ["N", *out[1:]], dtype, *to), doc, False, opset=opset)


def plain(name, doc, op, shapes, dtypes, out, constants=(), opset=None, shape=None, **attrs):
	"""Of integers as they are."""
	m = model(name)
	inputs = [m.plain_input(f"x{i}", numbers(s, dtype), ["N", *s[1:]]) for i, (s, dtype) in enumerate(zip(shapes, dtypes))]
	m.node(op, inputs + [m.const(f"k{i}", value) for i, value in enumerate(constants)], "y", **attrs)
	m.save(name, info("y", out, shape or shapes[0]), doc, False, opset=opset)


def one_hot(name, doc, shape, values, axis, out, dtype=np.int64):
	m = model(name)
	x = m.plain_input("x0", ops.model.rng.integers(-7, 8, shape).astype(dtype), ["N", *shape[1:]])
	is_real = values.dtype == np.float32
	m.node("OneHot", [x, m.const("depth", dtype(5)), m.const("values", values)], "result" if is_real else "y", axis=axis)
	m.save(name, m.output("result", ["N", *out[1:]], np.uint8, *UNIT) if is_real else info("y", np.int64, out), doc, False)


def picked(name, doc, op, data, places, out, low, constant=False, quantized=True, **attrs):
	"""Elements of a tensor, or of a constant, by a tensor of indices."""
	m = model(name)
	if constant:
		m.const("table", ops.model.rng.integers(0, 256, data).astype(np.uint8))
		x = m.quantized("table", np.uint8, *GRIDS[0])
	else:
		x = m.input(data, np.uint8, *GRIDS[0])
	where = m.plain_input(f"x{len(m.inputs)}", ops.model.rng.integers(-low, low, places), ["N", *places[1:]])
	m.node(op, [m.real(x), where], "result", **attrs)
	m.save(name, m.output("result", ["N", *out[1:]], np.uint8, *GRIDS[0]), doc, False)


def scattered(name, doc, shape, places, low, dtype=np.uint8, to=GRIDS[0], fixed=False, updates=None, op="ScatterElements", **attrs):
	"""Elements of a tensor into places of another one, by a tensor of indices."""
	m = model(name)
	first = lambda s: [s[0] if fixed else "N", *s[1:]]
	updates = updates or places
	if dtype == np.uint8:
		x = m.real(m.input(shape, dtype, *GRIDS[0], symbolic=not fixed))
	else:
		x = m.plain_input("x0", numbers(shape, dtype), first(shape))
	where = m.plain_input("x1", ops.model.rng.integers(-low, low, places), first(places))
	if dtype == np.uint8:
		new = m.real(m.input(updates, np.int8, *(GRIDS[0] if to == GRIDS[0] else (0.05, -3)), symbolic=not fixed))
	else:
		new = m.plain_input("x2", numbers(updates, dtype), first(updates))
	m.node(op, [x, where, new], "result" if dtype == np.uint8 else "y", **attrs)
	m.save(name, m.output("result", first(shape), np.uint8, *to) if dtype == np.uint8 else info("y", dtype, shape), doc, False, opset=18)


def top(name, doc, shape, k, out, dtype=np.uint8, **attrs):
	m = model(name)
	if dtype == np.uint8:
		x = m.input(shape, dtype, *GRIDS[0])
		m.data[0] &= 0x8f
	else:
		x = m.plain_input("x0", numbers(shape, dtype), ["N", *shape[1:]])
	m.nodes.append(helper.make_node("TopK", [m.real(x) if dtype == np.uint8 else x, m.const("k", np.array([k]))], ["best", "where"], name="best", **attrs))
	values = m.output("best", ["N", *out[1:]], np.uint8, *GRIDS[0]) if dtype == np.uint8 else info("best", dtype, out)
	m.save(name, [values, info("where", np.int64, out)], doc, False)


def conv_integer(name, doc, shape, weights, out, **attrs):
	m = model(name)
	x = m.plain_input("x0", ops.model.rng.integers(0, 256, shape).astype(np.uint8), ["N", *shape[1:]])
	w = m.const("w", ops.model.rng.integers(-128, 128, weights).astype(np.int8))
	m.node("ConvInteger", [x, w, m.const("x_zero", np.uint8(121)), m.const("w_zero", np.int8(-3))], "y", **attrs)
	m.save(name, info("y", np.int32, out), doc, False)


@ops.model.numbers(0)
def write():
	one_hot("one_hot", "OneHot, the last axis", (3, 4, 5), np.array([0, 1], np.float32), -1, (3, 4, 5, 5))
	one_hot("one_hot_axis", "OneHot, int64, another axis", (3, 4, 5), np.array([-3, 9], np.int64), 1, (3, 5, 4, 5))
	reals("hardmax", "Hardmax", "Hardmax", (3, 4, 5, 6), (3, 4, 5, 6), to=UNIT, axis=1)
	reals("hardmax_old", "Hardmax of opset 12, of all dimensions behind its axis", "Hardmax", (3, 4, 5, 6), (3, 4, 5, 6), to=UNIT, opset=12, axis=2)
	plain("cumsum_int32", "CumSum of int32", "CumSum", [(3, 4, 5)], [np.int32], np.int32, constants=[np.int32(-1)])
	plain("cumsum_int64", "CumSum of int64, exclusive and from the end", "CumSum", [(3, 4, 5)], [np.int64], np.int64, constants=[np.int64(1)],
	      exclusive=1, reverse=1)
	reals("cumsum", "CumSum", "CumSum", (3, 4, 40), (3, 4, 40), [("axis", np.int64(2))], to=(0.3, 128))
	reals("cumsum_exclusive", "CumSum, int8, exclusive", "CumSum", (3, 40, 5), (3, 40, 5), [("axis", np.int32(-2))], dtype=np.int8, to=(0.3, 128), exclusive=1)
	reals("cumsum_reverse", "CumSum, from the end", "CumSum", (3, 40, 5), (3, 40, 5), [("axis", np.int64(1))], to=(0.1, 128), reverse=1)
	picked("gather_table", "Gather of a constant by each row's indices", "Gather", (9, 4), (3, 5), (3, 5, 4), 9, True)
	picked("gather_elements", "GatherElements along the second dimension", "GatherElements", (3, 6, 5), (3, 4, 5), (3, 4, 5), 6, axis=1)
	picked("gather_nd", "GatherND of each row", "GatherND", (3, 6, 5, 4), (3, 7, 2), (3, 7, 4), 5, batch_dims=1)
	picked("gather_nd_table", "GatherND of a constant", "GatherND", (6, 5, 4), (3, 7, 2), (3, 7, 4), 5, True)
	top("top_k", "TopK", (3, 4, 30), 7, (3, 4, 7))
	top("top_k_least", "TopK of the least, along the second dimension", (3, 20, 4), 5, (3, 5, 4), axis=1, largest=0)
	top("top_k_int32", "TopK of int32", (3, 40), 40, (3, 40), np.int32)
	conv_integer("conv_integer", "ConvInteger, zero points, pads", (3, 5, 7, 8), (6, 5, 3, 3), (3, 6, 7, 8), pads=[1, 1, 1, 1])
	scattered("scatter_elements", "ScatterElements along the second dimension", (3, 6, 5), (3, 4, 5), 6, axis=1)
	scattered("scatter_elements_max", "ScatterElements, the greatest, of two scales", (3, 6, 5), (3, 9, 4), 6, to=(0.07, 20), axis=1, reduction="max")
	scattered("scatter_elements_int32", "ScatterElements, sums of int32", (3, 6, 5), (3, 6, 9), 5, np.int32, axis=-1, reduction="add")
	scattered("whole_scatter_nd", "ScatterND, fixed", (6, 5, 4), (3, 2, 2), 5, fixed=True, updates=(3, 2, 4), op="ScatterND")
	scattered("whole_scatter_nd_int64", "ScatterND, products of int64, fixed", (6, 5, 4), (9, 1), 6, np.int64, fixed=True, updates=(9, 5, 4), op="ScatterND", reduction="mul")
