# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: what picks elements by numbers, and what such numbers are made of."""
import numpy as np

from edges.write import F32, I8, I32, I64, QUANT, U8, Graph, In, i64, one

UNIT = (1 / 256, 0)


def indices(*shape, dtype=I64, span=(-6, 6), **more):
	return In(*shape, dtype=dtype, quant=None, span=span, **more)


def one_hot():
	"""Indices beyond both ends, each axis, and what the numbers can be."""
	floats, ints = np.array([0, 1], F32), np.array([-3, 7], I32)
	for axis in (1, 2, 3, -1, -2, -3):
		yield one(f"OneHot axis {axis}", "OneHot", [indices(2, 3, 4), I64(4), floats], to=UNIT, axis=axis)
		yield one(f"OneHot axis {axis} of int32", "OneHot", [indices(2, 3, 4, dtype=I32), I32(4), floats], to=UNIT, axis=axis)
	yield one("OneHot", "OneHot", [indices(2, 3), I64(5), floats], to=UNIT)
	for axis, says in ((0, "that is the batch"), (-4, "that is the batch"), (4, "its axis 4 is not one of 4"), (-5, "its axis -5 is not one of 4")):
		yield one(f"OneHot axis {axis}", "OneHot", [indices(2, 3, 4), I64(4), floats], says, to=UNIT, axis=axis)
	for axis in (0, 1, -4, 3):
		yield one(f"OneHot axis {axis}, fixed", "OneHot", [indices(2, 3, 4, fixed=True), I64(4), floats], to=UNIT, axis=axis)
		yield one(f"OneHot axis {axis}, fixed to one", "OneHot", [indices(1, 3, 4, fixed=True), I64(4), floats], to=UNIT, axis=axis)
	for values in ((0.3, 0.7), (1, -1), (-2, 5), (5, 5)):
		yield one(f"OneHot of {values}", "OneHot", [indices(2, 3), I64(5), np.array(values, F32)])
	for dtype in (I32, I64):
		yield one(f"OneHot of {dtype.__name__}", "OneHot", [indices(2, 3), F32(5) if dtype == I32 else I64(5), ints.astype(dtype)], to=None, dtype=dtype)
	for depth, says in ((1, None), (12, None), (0, "its depth is 0"), (-1, "its depth is -1"), (2**24 + 1, "its depth is 1.67772e+07")):
		yield one(f"OneHot depth {depth}", "OneHot", [indices(2, 3), I64(depth), floats], says, to=UNIT)
	yield one("OneHot depth of one dimension", "OneHot", [indices(2, 3), i64(4), floats], to=UNIT)
	yield one("OneHot depth of two numbers", "OneHot", [indices(2, 3), i64(4, 4), floats], "its depth is no constant of one number", to=UNIT)
	yield one("OneHot depth of a matrix", "OneHot", [indices(2, 3), np.array([[4]]), floats], "its depth is no constant of one number", to=UNIT)
	yield one("OneHot depth as a float", "OneHot", [indices(2, 3), F32(4), floats], to=UNIT)
	yield one("OneHot depth of a half", "OneHot", [indices(2, 3), F32(4.5), floats], "its depth is 4.5", to=UNIT)
	yield one("OneHot depth of an input", "OneHot", [indices(2, 3), indices(1), floats], "its depth is no constant", to=UNIT)
	yield one("OneHot of one value", "OneHot", [indices(2, 3), I64(4), np.array([1], F32)], "its values are not two numbers", to=UNIT)
	yield one("OneHot of three values", "OneHot", [indices(2, 3), I64(4), np.array([1, 0, 1], F32)], "its values are not two numbers", to=UNIT)
	yield one("OneHot of a matrix of values", "OneHot", [indices(2, 3), I64(4), np.array([[0, 1]], F32)], "its values are not two numbers", to=UNIT)
	yield one("OneHot of no number", "OneHot", [indices(2, 3), I64(4), np.array([0, np.nan], F32)], "has a NaN", to=UNIT)
	yield one("OneHot of an input's values", "OneHot", [indices(2, 3), I64(4), In(2)], "its values are no constant", to=UNIT)
	yield one("OneHot of int8", "OneHot", [indices(2, 3, dtype=I8), I64(4), floats], "its indices are no tensor of int32 or int64", to=UNIT)
	yield one("OneHot of reals", "OneHot", [In(2, 3), I64(4), floats], "its indices are no tensor of int32 or int64", to=UNIT)
	yield one("OneHot to eight dimensions", "OneHot", [indices(2, 1, 1, 2, 1, 1, 1), I64(3), floats], to=UNIT, axis=3)
	yield one("OneHot to nine dimensions", "OneHot", [indices(2, 1, 1, 2, 1, 1, 1, 1), I64(3), floats], "is not one of 9 dimensions", to=UNIT)
	yield one("OneHot of opset 10", "OneHot", [indices(2, 3), I64(5), floats], "nnloop knows 11 to", to=UNIT, opset=10)
	yield one("OneHot of opset 11", "OneHot", [indices(2, 3), I64(5), floats], to=UNIT, opset=11)


def hardmax():
	"""Along each dimension, in both of its definitions; of elements that are equal the first."""
	for image in (False, True):
		x = In(2, 3, 4, 5, image=image, span=(0, 3))
		for opset in (11, 12, 13):
			yield one(f"Hardmax of {opset} {image}", "Hardmax", [x], to=UNIT, opset=opset)
			for axis in (1, 2, 3, -1, -3):
				yield one(f"Hardmax {axis} of {opset} {image}", "Hardmax", [x], to=UNIT, opset=opset, axis=axis)
	yield one("Hardmax of opset 10", "Hardmax", [In(2, 3, 4, span=(0, 3))], to=UNIT, opset=10)
	yield one("Hardmax -1 of opset 10", "Hardmax", [In(2, 3, 4)], "attribute axis -1", to=UNIT, opset=10, axis=-1)
	yield one("Hardmax int8, to reals", "Hardmax", [In(3, 7, dtype=I8)])
	for axis, says in ((0, "the first dimension, which is the batch"), (-3, "which is the batch"), (3, "its axis 3 is not one of 3"),
			   (-4, "its axis -4 is not one of 3")):
		yield one(f"Hardmax {axis}", "Hardmax", [In(2, 3, 4)], says, to=UNIT, axis=axis)
	for axis in (0, 1):
		for opset in (12, 13):
			yield one(f"Hardmax {axis} of {opset}, fixed", "Hardmax", [In(4, 3, 2, fixed=True)], to=UNIT, axis=axis, opset=opset)
	yield one("Hardmax of one", "Hardmax", [In(4, 1)], to=UNIT)
	yield one("Hardmax of integers", "Hardmax", [In(4, 3, quant=None)], "is a tensor of integers", to=UNIT)
	yield one("Hardmax of int32", "Hardmax", [In(4, 3, dtype=I32, quant=(2.0**-40, 0))], "its input is of int32", to=UNIT)


def cumulated():
	"""Each axis, its ends, both attributes, each type."""
	for axis in (1, 2, 3, -1, -3):
		for image in (False, True):
			for exclusive in (0, 1):
				for reverse in (0, 1):
					yield one(f"CumSum {axis} {exclusive} {reverse} {image}", "CumSum", [In(2, 3, 4, 5, image=image), I64(axis)], to=(0.11, 70),
						  exclusive=exclusive, reverse=reverse)
	for dtype in (I32, I64):
		for attrs in ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}):
			yield one(f"CumSum of {dtype.__name__} {attrs}", "CumSum", [In(2, 3, 4, dtype=dtype, quant=None), I32(1)], to=None, dtype=dtype, **attrs)
	for axis, says in ((0, "the first dimension, which is the batch"), (-3, "which is the batch"), (3, "its axis 3 is not one of 3"),
			   (-4, "its axis -4 is not one of 3")):
		yield one(f"CumSum {axis}", "CumSum", [In(2, 3, 4), I64(axis)], says)
	for axis in (0, 1):
		yield one(f"CumSum {axis}, fixed", "CumSum", [In(4, 3, fixed=True), I64(axis)])
		yield one(f"CumSum {axis} of int32, fixed", "CumSum", [In(4, 3, dtype=I32, quant=None, fixed=True), I64(axis)], to=None, dtype=I32)
	yield one("CumSum of int8", "CumSum", [In(2, 3, dtype=I8, quant=None), I64(1)], "its input is of int8", to=None, dtype=I8)
	yield one("CumSum of wide reals", "CumSum", [In(2, 3, dtype=I32, quant=(2.0**-40, 0)), I64(1)], "its input is quantized to int32")
	yield one("CumSum along an input", "CumSum", [In(2, 3), indices(1)], "its axis is no constant")
	yield one("CumSum along a float", "CumSum", [In(2, 3), F32(1)], "its axis is no constant of one int32")
	yield one("CumSum along two", "CumSum", [In(2, 3), i64(1, 1)], "its axis is no constant of one int32")
	yield one("CumSum along one in a matrix", "CumSum", [In(2, 3), np.array([[1]])], "its axis is no constant of one int32")
	yield one("CumSum along one in a list", "CumSum", [In(2, 3), i64(1)])
	yield one("CumSum, exclusive 2", "CumSum", [In(2, 3), I64(1)], "attribute exclusive 2", exclusive=2)
	yield one("CumSum, reverse 2", "CumSum", [In(2, 3), I64(1)], "attribute reverse 2", reverse=2)
	yield one("CumSum of opset 10", "CumSum", [In(2, 3), I64(1)], "nnloop knows 11 to", opset=10)
	yield one("CumSum of opset 11", "CumSum", [In(2, 3), I64(1)], opset=11)
	yield one("CumSum of many", "CumSum", [In(2, 3000), I64(1)], to=(0.9, 128))


def taken():
	"""Gather by a tensor of indices: of a constant table by each row's, and of a tensor whose first dimension is fixed."""
	table, places = np.arange(60).reshape(5, 3, 4).astype(U8), indices(2, 3, span=(-5, 5))
	for dtype in (I32, I64):
		yield one(f"Gather of a table by {dtype.__name__}", "Gather", [table, indices(2, 3, dtype=dtype, span=(-5, 5))], to=None)
	yield one("Gather of a table of floats", "Gather", [table.astype(F32), places], "a constant that is not quantized")
	yield one("Gather of a table by numbers", "Gather", [table, indices(4, span=(-5, 5))], to=None)
	yield one("Gather of a list", "Gather", [np.arange(5).astype(I64), indices(4, 2, span=(-5, 5))], to=None, dtype=I64)
	yield one("Gather of a table, axis 1", "Gather", [table, indices(2, 3, span=(-3, 3))], "that is the batch", to=None, axis=1)
	for axis in (0, 1, 2, -1, -3):
		span = (-(5, 3, 4)[axis], (5, 3, 4)[axis])
		yield one(f"Gather of a table, axis {axis}, fixed", "Gather", [table, indices(2, 3, fixed=True, span=span)], to=None, axis=axis)
		yield one(f"Gather of a tensor, axis {axis}, fixed", "Gather", [In(5, 3, 4, fixed=True), indices(2, 3, fixed=True, span=span)], axis=axis)
	yield one("Gather of an image, fixed", "Gather", [In(2, 3, 4, 5, image=True, fixed=True), indices(3, fixed=True, span=(-3, 3))], axis=1)
	yield one("Gather of a tensor", "Gather", [In(5, 3, 4), indices(2, 3, fixed=True, span=(-3, 3))], "that is the batch", axis=1)
	yield one("Gather by rows", "Gather", [In(5, 3, 4, fixed=True), indices(2, 3, span=(-3, 3))], "that is the batch", axis=1)
	for axis in (3, -4):
		yield one(f"Gather axis {axis}", "Gather", [table, places], f"its axis {axis} is not one of 3", to=None, axis=axis)
	yield one("Gather by int8", "Gather", [table, indices(2, 3, dtype=I8, span=(0, 5))], "its indices are not of int32 or int64", to=None)
	yield one("Gather by reals", "Gather", [table, In(2, 3)], "neither a constant nor a tensor of integers", to=None)
	yield one("Gather to eight dimensions", "Gather", [table, indices(2, 1, 1, 3, 1, 1, span=(-5, 5))], to=None)
	yield one("Gather to nine dimensions", "Gather", [table, indices(2, 1, 1, 3, 1, 1, 1, span=(-5, 5))], "more than 8 dimensions", to=None)


def elements():
	"""GatherElements: along each dimension, of fewer elements than there are, of what is stored in either order."""
	x = (2, 3, 4, 5)
	for axis in (1, 2, 3, -1, -3):
		span = (-x[axis], x[axis])
		for image in (False, True):
			yield one(f"GatherElements {axis} {image}", "GatherElements", [In(*x, image=image), indices(*x, span=span)], axis=axis)
		fewer = [2] + [n if i == axis % 4 else n - 1 for i, n in enumerate(x) if i]
		yield one(f"GatherElements {axis} of fewer", "GatherElements", [In(*x), indices(*fewer, span=span)], axis=axis)
		more = [n + 2 if i == axis % 4 else n for i, n in enumerate(x)]
		yield one(f"GatherElements {axis} of more", "GatherElements", [In(*x), indices(*more, span=span, dtype=I32)], axis=axis)
		yield one(f"GatherElements {axis} by a constant", "GatherElements", [In(*x, fixed=True), np.full(x, 1)], axis=axis)
		yield one(f"GatherElements {axis} by a constant, rows", "GatherElements", [In(*x), np.full(x, 1)], "that is the batch", axis=axis)
	for i in (1, 2):
		yield one(f"GatherElements of more in {i}", "GatherElements", [In(2, 3, 4, 5), indices(2, *(n + (k + 1 == i) for k, n in enumerate((3, 4, 5))), span=(0, 3))],
			  "its indices are larger than its data", axis=3)
	for axis in (0, -3):
		yield one(f"GatherElements {axis}, fixed", "GatherElements", [In(4, 3, 2, fixed=True), indices(3, 3, 1, fixed=True, span=(-4, 4))], axis=axis)
		yield one(f"GatherElements {axis}", "GatherElements", [In(4, 3, 2), indices(4, 3, 2, span=(-4, 4))], "that is the batch", axis=axis)
	yield one("GatherElements of fewer rows", "GatherElements", [In(4, 3, fixed=True), indices(2, 3, fixed=True, span=(-3, 3))], axis=1)
	for axis in (3, -4):
		yield one(f"GatherElements {axis}", "GatherElements", [In(4, 3, 2), indices(4, 3, 2, span=(0, 2))], "is not one of 3", axis=axis)
	yield one("GatherElements of another rank", "GatherElements", [In(4, 3, 2), indices(4, 3, span=(0, 2))], "its indices have 2 dimensions, its data 3", axis=1)
	yield one("GatherElements by int8", "GatherElements", [In(4, 3), indices(4, 3, dtype=I8, span=(0, 2))], "not of int32 or int64", axis=1)
	yield one("GatherElements of integers", "GatherElements", [In(4, 3, quant=None, dtype=I32), indices(4, 3, span=(0, 3))], to=None, dtype=I32, axis=1)
	yield one("GatherElements of opset 10", "GatherElements", [In(4, 3), indices(4, 3, span=(0, 2))], "nnloop knows 11 to", axis=1, opset=10)


def places():
	"""GatherND: of a table, of each row by its own, of all."""
	table = np.arange(120).reshape(5, 3, 4, 2).astype(U8)
	for depth in (1, 2, 3, 4):
		yield one(f"GatherND of a table by {depth}", "GatherND", [table, indices(2, 6, depth, span=(-2, 2))], to=None)
		yield one(f"GatherND by {depth}, fixed", "GatherND", [In(5, 3, 4, 2, fixed=True), indices(2, 6, depth, fixed=True, span=(-2, 2))])
	for depth in (1, 2, 3):
		yield one(f"GatherND of rows by {depth}", "GatherND", [In(2, 3, 4, 2), indices(2, 6, depth, span=(-2, 2))], batch_dims=1)
		yield one(f"GatherND of an image by {depth}", "GatherND", [In(2, 3, 4, 2, image=True), indices(2, 6, depth, span=(-2, 2))], batch_dims=1)
	for depth in (1, 2):
		yield one(f"GatherND of two by {depth}", "GatherND", [In(2, 3, 4, 2), indices(2, 3, depth, span=(-2, 2))], batch_dims=2)
	yield one("GatherND by a constant", "GatherND", [In(2, 3, 4, fixed=True), np.array([[[1, -1]], [[0, 2]]])], batch_dims=1)
	yield one("GatherND of a table with rows", "GatherND", [table, indices(5, 2, 2, fixed=True, span=(-2, 2))], to=None, batch_dims=1)
	yield one("GatherND of a table with rows of rows", "GatherND", [table, indices(5, 3, 2, 1, fixed=True, span=(-2, 2))], to=None, batch_dims=2)
	yield one("GatherND by one index", "GatherND", [table, indices(2, fixed=True, span=(-2, 2))], to=None)
	yield one("GatherND of numbers", "GatherND", [table, indices(6, 4, span=(-2, 2))], to=None)
	for name, given, says in (("rows", [In(2, 3, 4), indices(2, 6, 1, span=(-2, 2))], "that is the batch"), ("too deep", [table, indices(2, 5, span=(0, 2))], "of 5 dimensions, and there are 4"),):
		yield one(f"GatherND of {name}", "GatherND", given, says, to=None if given[0] is table else QUANT)
	yield one("GatherND of two, too deep", "GatherND", [In(2, 3, 4, 2), indices(2, 3, 3, span=(-2, 2))], "of 3 dimensions, and there are 2", batch_dims=2)
	yield one("GatherND of two of other dimensions", "GatherND", [In(2, 3, 4, 2), indices(2, 4, 1, span=(-2, 2))], "its first 2 dimensions are not the same", batch_dims=2)
	yield one("GatherND of three of three", "GatherND", [In(2, 3, 4), indices(2, 3, 4, span=(0, 1))], "its batch_dims are 3 of 3", batch_dims=3)
	yield one("GatherND by int8", "GatherND", [In(2, 3, 4), indices(2, 3, 1, dtype=I8, span=(0, 1))], "not of int32 or int64", batch_dims=1)
	yield one("GatherND by int32", "GatherND", [In(2, 3, 4), indices(2, 3, 1, dtype=I32, span=(0, 1))], "its indices are of int32", batch_dims=1)
	yield one("GatherND of opset 11", "GatherND", [table, indices(2, 6, 2, span=(-2, 2))], to=None, opset=11)
	yield one("GatherND of opset 10", "GatherND", [table, indices(2, 6, 2, span=(-2, 2))], "nnloop knows 11 to", to=None, opset=10)


def scattered():
	"""ScatterElements: along each dimension, into fewer elements than there are, each reduction, each type."""
	x = (2, 3, 4, 5)
	for axis in (1, 2, 3, -1, -3):
		span = (-x[axis], x[axis])
		for image in (False, True):
			yield one(f"ScatterElements {axis} {image}", "ScatterElements", [In(*x, image=image), indices(*x, span=span), In(*x)], axis=axis)
		fewer = [2, *(n if k + 1 == axis % 4 else n - 1 for k, n in enumerate(x[1:]))]
		yield one(f"ScatterElements {axis} into fewer", "ScatterElements", [In(*x), indices(*fewer, span=span), In(*fewer)], axis=axis)
		yield one(f"ScatterElements {axis} into fewer of an image", "ScatterElements", [In(*x, image=True), indices(*fewer, span=span), In(*fewer)], axis=axis)
		more = [n + 2 * (k == axis % 4) for k, n in enumerate(x)]
		yield one(f"ScatterElements {axis} of more", "ScatterElements", [In(*x), indices(*more, span=span, dtype=I32), In(*more)], axis=axis)
		yield one(f"ScatterElements {axis} by a constant", "ScatterElements", [In(*x, fixed=True), np.full((2, 1, 1, 1), -1), In(2, 1, 1, 1, fixed=True)], axis=axis)
		yield one(f"ScatterElements {axis} by a constant, rows", "ScatterElements", [In(*x), np.full((2, 1, 1, 1), -1), In(2, 1, 1, 1)], "that is the batch", axis=axis)
	for i in (1, 2, 3):
		shape = [n + (k == i) for k, n in enumerate(x)]
		yield one(f"ScatterElements of more in {i}", "ScatterElements", [In(*x), indices(*shape, span=(0, 3)), In(*shape)], "its indices are larger than its data", axis=1 + i % 3)
	for axis in (0, -3):
		yield one(f"ScatterElements {axis}, fixed", "ScatterElements", [In(4, 3, 2, fixed=True), indices(3, 3, 1, fixed=True, span=(-4, 4)), In(3, 3, 1, fixed=True)], axis=axis)
		yield one(f"ScatterElements {axis}", "ScatterElements", [In(4, 3, 2), indices(4, 3, 2, span=(-4, 4)), In(4, 3, 2)], "that is the batch", axis=axis)
	yield one("ScatterElements into fewer rows", "ScatterElements", [In(4, 3, fixed=True), indices(2, 3, fixed=True, span=(-3, 3)), In(2, 3, fixed=True)], axis=1)
	yield one("ScatterElements into more rows", "ScatterElements", [In(2, 3, fixed=True), indices(3, 3, fixed=True, span=(-3, 3)), In(3, 3, fixed=True)], "its indices are larger than its data", axis=1)
	for axis in (3, -4):
		yield one(f"ScatterElements {axis}", "ScatterElements", [In(4, 3, 2), indices(4, 3, 2, span=(0, 2)), In(4, 3, 2)], "is not one of 3", axis=axis)
	given = [In(4, 3, 2), indices(4, 3, 2, span=(0, 2))]
	yield one("ScatterElements by another rank", "ScatterElements", [In(4, 3, 2), indices(4, 3, span=(0, 2)), In(4, 3)], "its indices have 2 dimensions, its data 3", axis=1)
	yield one("ScatterElements of another rank", "ScatterElements", [*given, In(4, 3)], "its updates do not have the dimensions of its indices", axis=1)
	yield one("ScatterElements of other updates", "ScatterElements", [*given, In(4, 3, 1)], "its updates do not have the dimensions of its indices", axis=1)
	yield one("ScatterElements by int8", "ScatterElements", [In(4, 3), indices(4, 3, dtype=I8, span=(0, 2)), In(4, 3)], "not of int32 or int64", axis=1)
	for opset in (10, 11, 13, 16, 18):
		op = "Scatter" if opset == 10 else "ScatterElements"
		yield one(f"{op} of opset {opset}", op, [In(4, 3), indices(4, 3, span=(-3, 3)), In(4, 3)], opset=opset, axis=1)
	yield one("ScatterElements of opset 10", "ScatterElements", [In(4, 3), indices(4, 3, span=(0, 2)), In(4, 3)], "nnloop knows 11 to", opset=10, axis=1)
	yield one("Scatter of opset 11", "Scatter", [In(4, 3), indices(4, 3, span=(0, 2)), In(4, 3)], "nnloop knows up to 10", opset=11, axis=1)
	yield from reductions("ScatterElements", [(3, 2), (3, 7), (3, 7)], axis=1)
	for values, says in (((0, 2), None), ((-3, -1), None), ((0, 3), "its index 3 is not one of 3"), ((0, -4), "its index -4 is not one of 3"),
			     ((0, 0), "one of its indices comes twice"), ((1, -2), "one of its indices comes twice")):
		yield one(f"ScatterElements by {values}", "ScatterElements", [In(2, 3, fixed=True), np.array([values, (0, 1)]), In(2, 2, fixed=True)], says, axis=1)
		yield one(f"ScatterElements by {values}, 0", "ScatterElements", [In(3, 2, fixed=True), np.array([(1, values[0]), (2, values[1])]), In(2, 2, fixed=True)], says, axis=0)
	yield from choices("ScatterElements", (3, 4), lambda: np.array([[0, 3], [1, 2], [2, 0]]), (3, 2), axis=1)


def reductions(op, shapes, **attrs):
	"""Each function of each type; indices that come twice."""
	x, where, updates = shapes
	span = (-x[1], x[1])
	for reduction in ("none", "add", "mul", "min", "max"):
		for dtype in (U8, I8, I32, I64):
			yield one(f"{op} {reduction} of {dtype.__name__}", op, [In(*x, dtype=dtype, quant=None, fixed=True), indices(*where, span=span, fixed=True), In(*updates, dtype=dtype, quant=None, fixed=True)],
				  to=None, dtype=dtype, opset=18, reduction=reduction, **attrs)
		for to in (QUANT, (0.2, 40)):
			says = f"its reduction is {reduction}, of real numbers" if reduction in ("add", "mul") else None
			yield one(f"{op} {reduction} {to}", op, [In(*x, fixed=True), indices(*where, span=span, fixed=True), In(*updates, quant=to, dtype=I8, fixed=True)], says, opset=18, reduction=reduction, **attrs)
		bools = [indices(*x, dtype=I32, span=(0, 2), fixed=True), indices(*where, span=span, fixed=True), indices(*updates, dtype=I32, span=(0, 2), fixed=True)]
		g = Graph(f"{op} {reduction} of bool")
		data, places, new = (g.input(i) for i in bools)
		made = g.node(op, [g.node("Cast", [data], to=9), places, g.node("Cast", [new], to=9)], reduction=reduction, **attrs)
		g.output(g.node("Cast", [made], to=6), I32, None)
		yield g.case(18, "of bools" if reduction in ("min", "max") else None)
		for opset in (13, 16):
			says = None if reduction in ("none", "add", "mul") and opset == 16 else "attribute \"reduction\"" if opset == 13 else "attribute reduction"
			yield one(f"{op} {reduction} of opset {opset}", op, [In(*x, dtype=I32, quant=None, fixed=True), indices(*where, span=span, fixed=True), In(*updates, dtype=I32, quant=None, fixed=True)], says,
				  to=None, dtype=I32, opset=opset, reduction=reduction, **attrs)
	yield one(f"{op} sum", op, [In(*x, fixed=True), indices(*where, span=span, fixed=True), In(*updates, fixed=True)], "attribute reduction", opset=18, reduction="sum", **attrs)


def choices(op, shape, where, updates, **attrs):
	"""Constants among the inputs, quantized or not, of the same scale or of another one."""
	floats = lambda shape: np.linspace(-9, 30, int(np.prod(shape))).astype(F32).reshape(shape)
	for name, given, to in (("data of floats", [floats(shape), where(), In(*updates, fixed=True)], QUANT), ("updates of floats", [In(*shape, fixed=True), where(), floats(updates)], QUANT),
				("updates of another scale", [In(*shape, fixed=True), where(), In(*updates, quant=(0.3, -5), dtype=I8, fixed=True)], QUANT),
				("other scales", [In(*shape, fixed=True), where(), In(*updates, fixed=True)], (0.07, 3))):
		yield one(f"{op}, {name}", op, given, to=to, **attrs)
	numbers = np.arange(int(np.prod(updates)), dtype=I64).reshape(updates)
	yield one(f"{op}, updates of numbers", op, [In(*shape, dtype=I64, quant=None, fixed=True), where(), numbers], to=None, dtype=I64, **attrs)
	yield one(f"{op}, data of numbers", op, [np.arange(int(np.prod(shape)), dtype=I32).reshape(shape), where(), In(*updates, dtype=I32, quant=None, fixed=True)], to=None, dtype=I32, **attrs)
	yield one(f"{op}, data of numbers by a tensor", op, [np.arange(int(np.prod(shape)), dtype=I32).reshape(shape), indices(*where().shape, fixed=True, span=(-1, 1)), numbers.astype(I32)], to=None, dtype=I32, **attrs)
	yield one(f"{op} of constants", op, [floats(shape), where(), floats(updates)], "its inputs are constants" if op == "ScatterElements" else None, **attrs)
	yield one(f"{op} of integers by others", op, [In(*shape, dtype=I32, quant=None, fixed=True), where(), In(*updates, dtype=I64, quant=None, fixed=True)], "of different types", to=None, dtype=I32, **attrs)
	yield one(f"{op} of no number", op, [In(*shape, fixed=True), where(), np.full(updates, np.nan, F32)], "has a NaN", **attrs)
	yield one(f"{op} of integers and reals", op, [In(*shape, fixed=True), where(), In(*updates, quant=None, fixed=True)], "its input 2 is a tensor of integers", **attrs)


def scattered_slices():
	"""ScatterND: by one number and by all, constants among the inputs, and what does not go together."""
	x = (5, 3, 4, 2)
	for depth in (1, 2, 3, 4):
		for shape in ((6,), (2, 3)):
			yield one(f"ScatterND by {depth} of {shape}", "ScatterND", [In(*x, fixed=True), indices(*shape, depth, fixed=True, span=(-2, 2)), In(*shape, *x[depth:], fixed=True)])
		yield one(f"ScatterND by {depth} of an image", "ScatterND", [In(*x, image=True, fixed=True), indices(2, depth, fixed=True, span=(-2, 2)), In(2, *x[depth:], fixed=True)])
	yield one("ScatterND of rows by a constant", "ScatterND", [In(*x), np.array([[1], [2]]), In(2, *x[1:])], "that is the batch")
	yield one("ScatterND of rows", "ScatterND", [In(*x), indices(2, 1, span=(-2, 2)), In(2, *x[1:])], "that is the batch")
	yield one("ScatterND by one index", "ScatterND", [In(*x, fixed=True), np.array([1, -2]), In(4, 2, fixed=True)])
	yield one("ScatterND of one number", "ScatterND", [In(5, fixed=True), np.array([3]), F32(12)])
	yield one("ScatterND too deep", "ScatterND", [In(5, 3, fixed=True), indices(2, 3, fixed=True, span=(0, 2)), In(2, fixed=True)], "of 3 dimensions, and there are 2")
	yield one("ScatterND by int8", "ScatterND", [In(5, 3, fixed=True), indices(2, 1, dtype=I8, fixed=True, span=(0, 2)), In(2, 3, fixed=True)], "not of int32 or int64")
	yield one("ScatterND by int32", "ScatterND", [In(5, 3, fixed=True), indices(2, 1, dtype=I32, fixed=True, span=(0, 2)), In(2, 3, fixed=True)], "its indices are of int32")
	for updates in ((3, 3), (2, 2), (2,), (2, 3, 1)):
		yield one(f"ScatterND of {updates}", "ScatterND", [In(5, 3, fixed=True), indices(2, 1, fixed=True, span=(0, 2)), In(*updates, fixed=True)], "its updates do not have the dimensions of what its indices are of")
	for opset in (11, 13, 16, 18):
		yield one(f"ScatterND of opset {opset}", "ScatterND", [In(5, 3, fixed=True), indices(2, 1, fixed=True, span=(0, 2)), In(2, 3, fixed=True)], opset=opset)
	yield one("ScatterND of opset 10", "ScatterND", [In(5, 3, fixed=True), indices(2, 1, fixed=True, span=(0, 2)), In(2, 3, fixed=True)], "nnloop knows 11 to", opset=10)
	yield from reductions("ScatterND", [(9, 2), (7, 2), (7,)])
	for values, says in (((0, 2), None), ((-3, -1), None), ((0, 3), "its index 3 is not one of 3"), ((0, -4), "its index -4 is not one of 3"),
			     ((2, 2), "one of its indices comes twice"), ((1, -2), "one of its indices comes twice")):
		yield one(f"ScatterND by {values}", "ScatterND", [In(2, 3, fixed=True), np.array([(1, values[0]), (1, values[1])]), In(2, fixed=True)], says)
	yield one("ScatterND in one column", "ScatterND", [In(2, 3, fixed=True), np.array([(0, 1), (1, 1)]), In(2, fixed=True)])
	yield one("ScatterND by a constant twice, sums", "ScatterND", [In(5, dtype=I32, quant=None, fixed=True), np.array([[1], [1]]), In(2, dtype=I32, quant=None, fixed=True)], to=None, dtype=I32, opset=18, reduction="add")
	yield from choices("ScatterND", (4, 3), lambda: np.array([[0], [3]]), (2, 3))


def best():
	"""TopK: along each dimension, how many, of equal ones the first first."""
	def top(name, x, k, says=None, to=None, opset=13, **attrs):
		g = Graph(name)
		values, where = g.node("TopK", [g.real(x), g.const(k) if isinstance(k, np.ndarray) else g.input(k)], 2, **attrs)
		g.output(values, x.dtype, x.quant if to is None else to)
		g.output(where, I64, None)
		return g.case(opset, says)

	for axis in (1, 2, 3, -1, -3):
		for image in (False, True):
			x = In(2, 3, 4, 5, image=image, span=(0, 6))
			for largest in (0, 1):
				for k in (1, (2, 3, 4, 5)[axis]):
					yield top(f"TopK {axis} {largest} {k} {image}", x, i64(k), axis=axis, largest=largest)
	x = In(2, 3, 20, span=(0, 9))
	yield top("TopK", x, i64(7))
	yield top("TopK of opset 10", x, i64(7), opset=10)
	yield top("TopK of opset 9", x, i64(7), "nnloop knows 10 to", opset=9)
	yield top("TopK, sorted", x, i64(7), sorted=1)
	yield top("TopK, not sorted", x, i64(7), "attribute sorted 0", sorted=0)
	for dtype in (I32, I64):
		for largest in (0, 1):
			yield top(f"TopK of {dtype.__name__} {largest}", In(2, 3, 20, dtype=dtype, quant=None, span=(-4, 4)), i64(9), largest=largest)
			yield top(f"TopK of any {dtype.__name__} {largest}", In(2, 3, 20, dtype=dtype, quant=None), i64(20), largest=largest)
	for opset in (10, 11):
		yield top(f"TopK of int64 in opset {opset}", In(2, 3, 20, dtype=I64, quant=None), i64(9), "from opset 11 on" if opset == 10 else None, opset=opset)
	yield top("TopK of int8 reals", In(2, 3, 20, dtype=I8), i64(9))
	yield top("TopK of wide reals", In(2, 20, dtype=I32, quant=(2.0**-40, 0)), i64(9), "its input is of int32")
	for axis in (0, -3):
		yield top(f"TopK {axis}", x, i64(1), "it goes over the first dimension", axis=axis)
		yield top(f"TopK {axis}, fixed", In(6, 3, 2, fixed=True, span=(0, 4)), i64(4), axis=axis)
	for axis in (3, -4):
		yield top(f"TopK {axis}", x, i64(1), "is not one of 3", axis=axis)
	for k in (0, 21, -1):
		yield top(f"TopK of {k}", x, i64(k), f"its K is {k}; nnloop knows 1 to 20")
	yield top("TopK of an input", x, indices(1), "its K is no constant")
	yield top("TopK of int32s", x, np.array([3], I32), "its K is no constant of one int64")
	yield top("TopK of two", x, i64(3, 3), "its K is no constant of one int64")
	yield top("TopK, rounded again", x, i64(3), to=(0.1, 50))


def conv_integers():
	"""ConvInteger: types, zero points, groups, windows."""
	def conv(name, shape, weights, says=None, dtypes=(U8, I8), zeros=(), image=False, opset=13, **attrs):
		g = Graph(name)
		x = g.input(In(*shape, dtype=dtypes[0], quant=None))
		if image:
			x = g.node("MaxPool", [x], kernel_shape=[1, 1])
		w = g.const(g.rng.integers(np.iinfo(dtypes[1]).min, np.iinfo(dtypes[1]).max + 1, weights).astype(dtypes[1]))
		g.output(g.node("ConvInteger", [x, w, *("" if z is None else z(g) if callable(z) else g.const(z) for z in zeros)], **attrs), I32, None)
		return g.case(opset, says)

	for first in (U8, I8):
		for second in (U8, I8):
			names = f"{first.__name__} {second.__name__}"
			yield conv(f"ConvInteger {names}", (2, 3, 6, 7), (4, 3, 3, 3), dtypes=(first, second))
			yield conv(f"ConvInteger {names}, zero points", (2, 3, 6, 7), (4, 3, 3, 3), dtypes=(first, second), zeros=(first(77), second(-9 if second == I8 else 120)), pads=[1, 0, 2, 1])
	yield conv("ConvInteger of an image", (2, 3, 6, 7), (4, 3, 3, 3), zeros=(U8(7),), image=True)
	yield conv("ConvInteger with a zero point of weights", (2, 3, 6, 7), (4, 3, 3, 3), zeros=(None, I8(5)))
	yield conv("ConvInteger in groups", (2, 6, 6, 7), (4, 3, 3, 3), zeros=(U8(7), I8(3)), group=2)
	yield conv("ConvInteger of each channel", (2, 6, 6, 7), (6, 1, 3, 2), zeros=(U8(7), I8(3)), group=6)
	yield conv("ConvInteger of a line", (2, 3, 9), (4, 3, 3), zeros=(U8(7), I8(3)), pads=[1, 1])
	yield conv("ConvInteger, strides and dilations", (2, 3, 9, 9), (4, 3, 3, 2), zeros=(U8(7), I8(3)), strides=[2, 3], dilations=[2, 1])
	yield conv("ConvInteger, auto_pad", (2, 3, 6, 7), (4, 3, 3, 3), zeros=(U8(200),), auto_pad="SAME_UPPER")
	yield conv("ConvInteger of opset 10", (2, 3, 6, 7), (4, 3, 3, 3), opset=10)
	yield conv("ConvInteger by a zero point of another type", (2, 3, 6, 7), (4, 3, 3, 3), "its zero point 0 has another type", zeros=(I8(7),))
	yield conv("ConvInteger by two zero points", (2, 3, 6, 7), (2, 3, 3, 3), "its zero points 1 differ from each other", zeros=(U8(7), np.array([1, 2], I8)))
	yield conv("ConvInteger by a computed zero point", (2, 3, 6, 7), (4, 3, 3, 3), "its zero point 0 is no constant", zeros=(lambda g: g.input(In(1, dtype=U8, quant=None)),))
	yield conv("ConvInteger of int32", (2, 3, 6, 7), (4, 3, 3, 3), "its input 0 is no tensor of int8 or uint8", dtypes=(I32, I8))
	yield conv("ConvInteger by int32", (2, 3, 6, 7), (4, 3, 3, 3), "its input 1 is no constant of int8 or uint8", dtypes=(U8, I32))
	yield one("ConvInteger of reals", "ConvInteger", [In(2, 3, 4, 5), np.ones((1, 3, 2, 2), I8)], "its input 0 is no tensor of int8", to=None, dtype=I32)
	yield one("ConvInteger by a tensor", "ConvInteger", [In(2, 3, 4, 5, quant=None), In(2, 3, 2, 2, quant=None, dtype=I8)], "its input 1 is no constant", to=None, dtype=I32)


FILES = {"one_hot": one_hot, "hardmax": hardmax, "cumulated": cumulated, "taken": taken, "elements": elements, "places": places, "scattered": scattered, "scattered_slices": scattered_slices, "best": best, "conv_integers": conv_integers}
