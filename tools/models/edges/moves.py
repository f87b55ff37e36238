# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: what only moves."""
import itertools

import numpy as np
from onnx import TensorProto, helper

from edges.write import F32, I8, I32, I64, QUANT, U8, Graph, In, i64, one

BATCH = "which is the batch"


def pads():
	"""Pad: each end of each dimension, by as much as can be and by one more."""
	shape = (2, 3, 4, 5)
	for mode, opset in (("constant", 13), ("edge", 13), ("reflect", 13), ("wrap", 19)):
		for dim in range(1, 4):
			most = shape[dim] - (mode == "reflect")
			for end in (0, 4):
				for pad in (1, most, most + 1):
					ints = i64(*(pad * (i == dim + end) for i in range(8)))
					good = pad <= most or mode in ("constant", "edge")
					yield one(f"{mode} {dim} {end} {pad}", "Pad", [In(*shape), ints],
						  None if good else f"it pads dimension {dim} by more than {most}", opset=opset, mode=mode)
				for crop in (1, shape[dim] - 1):
					if mode == "constant":
						yield one(f"crop {dim} {end} {crop}", "Pad", [In(*shape), i64(*(-crop * (i == dim + end) for i in range(8)))])
		for end in (0, 4):
			yield one(f"{mode} batch {end}", "Pad", [In(*shape), i64(*(int(i == end) for i in range(8)))], "it pads the first dimension",
				  opset=opset, mode=mode)
			if mode != "constant":
				yield one(f"{mode} crop {end}", "Pad", [In(*shape), i64(*(-(i == 2 + end) for i in range(8)))],
					  "it takes indices away, and its mode is not constant", opset=opset, mode=mode)


def slices():
	"""Slice: where it begins and ends, forwards and backwards, and beyond; of the batch."""
	for start, end, step in itertools.product((-6, -5, -1, 0, 1, 4, 5), (-7, -6, -5, -1, 0, 1, 5, 6), (1, 2, -1, -3)):
		count = len(np.zeros(5)[start if start >= -5 else 0 if step > 0 else None:None if step < 0 and end < -5 else end:step]) if step > 0 or start >= -5 else None
		if count is None or (count == 0 and (start + end) % 3):
			continue
		yield one(f"Slice {start}:{end}:{step}", "Slice", [In(2, 5), i64(start), i64(end), i64(1), i64(step)], None if count else " ")
	top = 2**63 - 1
	for name, shape, numbers, says in (
		("all rows", (2, 5), (0, top, 0, 1), None), ("all rows by int32", (2, 5), (0, 2**31 - 1, 0, 1), None),
		("nearly all rows", (2, 5), (0, 2**31 - 2, 0, 1), BATCH), ("rows from 1 on", (2, 5), (1, top, 0, 1), BATCH), ("every other row", (2, 5), (0, top, 0, 2), BATCH),
		("no step", (2, 5), (0, 4, 1, 0), "it has a step of 0"), ("steps far", (2, 5), (0, 5, 1, top), None), ("steps far back", (2, 5), (4, -top, 1, -top), None),
		("axis 2", (2, 5), (0, 4, 2, 1), "its axes are not different ones of 2"), ("axis -3", (2, 5), (0, 4, -3, 1), "its axes are not different ones of 2"),
		("axis -1", (2, 5), (0, 4, -1, 1), None)):
		yield one(name, "Slice", [In(*shape), *(i64(n) for n in numbers)], says)
	for name, end, says in (("fixed rows", 2, None), ("more than fixed rows", 3, None), ("fewer than fixed rows", 1, None)):
		yield one(name, "Slice", [In(2, 5, fixed=True), i64(0), i64(end), i64(0)], says)
	for name, end, says in (("the one row", 1, None), ("none of one row", 0, "it takes nothing of dimension 1")):
		yield one(name, "Slice", [In(1, 5, fixed=True), i64(0), i64(end), i64(0)], says)
	for name, starts, ends, axes, steps in (("two starts", (0, 0), (4,), None, None), ("two ends", (0,), (4, 4), None, None), ("two steps", (0,), (4,), (1,), (1, 1))):
		inputs = [None if n is None else i64(*n) for n in (starts, ends, axes, steps)]
		yield one(name, "Slice", [In(2, 5), *inputs], "different numbers")
	yield one("two axes", "Slice", [In(2, 5), i64(0), i64(4), i64(0, 1)], "or other axes")
	yield one("three dimensions of two", "Slice", [In(2, 5), i64(0, 0, 0), i64(9, 9, 9)], "it has numbers for 3 of 2")
	yield one("one dimension twice", "Slice", [In(2, 5), i64(0, 0), i64(9, 9), i64(1, 1)], "its axes are not different ones")
	yield one("each of eight", "Slice", [In(2, 3, 1, 3, 1, 2, 1, 3), i64(0, 1, 0, 0, 0, 1, 0, 2), i64(*[top] * 8), None, i64(1, 1, 1, 2, 1, 1, 1, 1)])
	for dim in range(1, 4):
		for image in (False, True):
			yield one(f"of dimension {dim} {image}", "Slice", [In(2, 3, 4, 5, image=image), i64(1), i64(3), i64(dim)])


def splits():
	"""Split: sizes that fit and do not; of what is rounded behind it."""
	def made(name, sizes, says=None, parts=2, shape=(2, 5, 4), opset=13, **attrs):
		inputs = [In(*shape)]
		if sizes and opset >= 13:
			inputs.append(i64(*sizes))
		elif sizes:
			attrs["split"] = sizes
		return one(name, "Split", inputs, says, outs=parts, opset=opset, **attrs)

	for opset in (11, 13):
		for sizes, says in (((1, 4), None), ((4, 1), None), ((5, 0), "output 1 of it gets 0 indices of 0" if opset > 11 else "can do 1.. only"), ((2, 2), "1 indices are left"), ((3, 3), "gets 3 indices of 2"),
				    ((-1, 6), "output 0 of it gets -1 indices" if opset > 11 else "can do 1.. only"), ((5,), "it has other outputs than sizes"), ((1, 1, 3), "it has other outputs than sizes")):
			yield made(f"{opset} {sizes}", sizes, says, opset=opset, axis=1)
	for parts, says in ((5, None), (2, "it splits 5 into 2 equal parts"), (6, "it splits 5 into 6 equal parts")):
		yield made(f"into {parts}", None, says, parts, axis=1)
	for shape, parts, says in (((2, 5), 2, None), ((2, 5), 3, None), ((2, 6), 3, None), ((2, 5), 4, "output 3 of it gets 0"), ((2, 7), 4, None), ((2, 4), 3, "output 2 of it gets 0")):
		yield made(f"num_outputs {parts} of {shape}", None, says, parts, shape, 18, axis=1, num_outputs=parts)
	yield made("num_outputs of another", None, "it has other outputs than sizes", 2, (2, 6), 18, axis=1, num_outputs=3)
	yield made("sizes and num_outputs", (1, 4), "or sizes and num_outputs", 2, (2, 5), 18, axis=1, num_outputs=2)
	for axis, says in ((1, None), (2, None), (-1, None), (-2, None), (0, BATCH), (-3, BATCH), (3, BATCH), (-4, BATCH)):
		yield made(f"axis {axis}", None, says, 2, (2, 4, 4), axis=axis)
	for image, axis in itertools.product((False, True), (1, 2, 3)):
		yield one(f"dimension {axis} {image}", "Split", [In(2, 4, 4, 4, image=image), i64(1, 3)], outs=2, axis=axis)
	yield one("of eight", "Split", [In(2, 1, 2, 1, 1, 1, 1, 5), i64(2, 3)], outs=2, axis=7)
	for first, second, third, says in ((1, 1, 1, None), (1, 2, 1, "its outputs are quantized in different ways"), (2, 1, 1, "its outputs are quantized in different ways"),
					   (1, 2, 2, "its outputs are quantized in different ways")):
		g = Graph(f"rounded {first} {second} {third}")
		total = g.node("Conv", [g.real(In(2, 5, 4, 3)), g.weights((4, 5, 1, 1))])
		if third != 1:
			g.output(total, quant=(0.05 * third, 100))
		parts = g.node("Split", [total, g.const(i64(1, 3))], 2, axis=1)
		for part, way in zip(parts, (first, second)):
			g.output(part, quant=(0.05 * way, 100))
		yield g.case(13, says)


def parts_of_floats():
	"""A float input that is quantized behind what moves its elements: in one way, or each part in its own."""
	def made(name, quants, whole=None):
		g = Graph(name)
		g.inputs.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2, 8]))
		g.data.append(("x", g.rng.uniform(-1, 9, (3, 2, 8)).astype(F32)))
		parts = []
		for i, quant in enumerate(quants):
			part = g.node("Slice", ["x", g.const(i64(i)), g.const(i64(2 ** 63 - 1)), g.const(i64(2)), g.const(i64(len(quants)))])
			names = g.quant(quant, U8)
			parts.append(g.node("DequantizeLinear", [g.node("QuantizeLinear", [part, *names]), *names]))
		if whole:
			g.output("x", quant=whole)
		g.output(g.node("Concat", parts, axis=1))
		return g.case(13, None)

	yield made("halves", [QUANT] * 2)
	yield made("quarters", [QUANT] * 4)
	yield made("halves and all of it", [QUANT] * 2, whole=QUANT)
	yield made("another scale", [QUANT] * 3 + [(QUANT[0] * 1.01, QUANT[1])])
	yield made("another zero point", [QUANT] * 3 + [(QUANT[0], QUANT[1] + 1)])
	yield made("another first", [(QUANT[0] * 1.01, QUANT[1])] + [QUANT] * 3)
	yield made("another for all of it", [QUANT] * 2, whole=(QUANT[0], QUANT[1] + 1))


def triangles():
	"""Trilu: each diagonal, and one beyond on each side; quantized, with 0 stored as something else, or integers; images; a matrix alone."""
	for upper in (0, 1):
		for k in (*range(-4, 6), 2 ** 63 - 1, -2 ** 63):
			yield one(f"{upper} by {k}", "Trilu", [In(2, 3, 4), np.int64(k)], opset=14, upper=upper)
		for shape in ((2, 1, 1), (2, 1, 5), (2, 5, 1), (2, 2, 3, 3), (2, 1, 1, 1, 1, 1, 3, 2)):
			yield one(f"{upper} of {shape}", "Trilu", [In(*shape)], opset=14, upper=upper)
		for dtype in (I32, I64):
			yield one(f"{upper} of {np.dtype(dtype)}", "Trilu", [In(2, 3, 4, dtype=dtype, quant=None)], opset=14, upper=upper, to=None, dtype=dtype)
		yield one(f"{upper} of images", "Trilu", [In(2, 3, 4, 5, image=True)], opset=14, upper=upper)
		yield one(f"{upper} of a matrix", "Trilu", [In(4, 3, fixed=True)], opset=14, upper=upper)
		yield one(f"{upper} of int8, rounded again", "Trilu", [In(2, 3, 4, dtype=I8, quant=(0.04, -7))], opset=14, upper=upper, to=(0.05, 3))
		yield one(f"{upper} of a matrix that is a batch", "Trilu", [In(4, 3)], "goes along the first dimension", opset=14, upper=upper)
	yield one("in neither way", "Trilu", [In(2, 3, 4)], opset=14)
	yield one("of a vector", "Trilu", [In(4)], "its input has 1 dimensions", opset=14)
	yield one("by two", "Trilu", [In(2, 3, 4), i64(1, 2)], "its k is no constant of one int64", opset=14)
	yield one("by int32", "Trilu", [In(2, 3, 4), I32(1)], "its k is no constant of one int64", opset=14)
	yield one("a third way", "Trilu", [In(2, 3, 4)], "can do 0..1 only", opset=14, upper=2)
	yield one("too early", "Trilu", [In(2, 3, 4)], " ", opset=13)
	g = Graph("not rounded yet")
	total = g.node("Add", [g.real(In(2, 3, 3)), g.real(In(2, 3, 3, quant=(0.02, 200)))])
	g.output(g.node("Relu", [g.node("Trilu", [total])]), quant=(0.05, 30))
	yield g.case(14, None)


def gathers():
	"""Gather: the first and last index, and one beyond; each dimension; as many dimensions as can be."""
	for index, says in ((0, None), (5, None), (-1, None), (-6, None), (6, " "), (-7, " ")):
		yield one(f"index {index}", "Gather", [In(2, 6), i64(index)], says, axis=1)
		yield one(f"index {index} behind another", "Gather", [In(2, 6), np.array([1, index], I32)], says, axis=1)
	for axis, says in ((1, None), (2, None), (-1, None), (-2, None), (0, BATCH), (-3, BATCH), (3, BATCH), (-4, BATCH)):
		yield one(f"axis {axis}", "Gather", [In(2, 4, 4), i64(3, 0)], says, axis=axis)
	for image, axis in itertools.product((False, True), (1, 2, 3)):
		yield one(f"dimension {axis} {image}", "Gather", [In(2, 3, 4, 5, image=image), i64(2, 0)], axis=axis)
		yield one(f"one of dimension {axis} {image}", "Gather", [In(2, 3, 4, 5, image=image), np.int64(2)], axis=axis)
		yield one(f"a matrix of dimension {axis} {image}", "Gather", [In(2, 3, 4, 5, image=image), i64(2, 0, 1, 1).reshape(2, 2)], axis=axis)
	for rank, says in ((7, None), (8, None), (9, "has not 1 to 8 dimensions")):
		yield one(f"{rank} dimensions", "Gather", [In(2, 3, 4), np.ones((1,) * (rank - 3) + (2,), np.int64)], says, axis=1)
	yield one("no indices", "Gather", [In(2, 6), i64()], "its output is empty", axis=1)


def repeats():
	"""Tile and Expand: each dimension by itself, in either order of images."""
	for image, dim in itertools.product((False, True), (1, 2, 3)):
		by = [2 if i == dim else 1 for i in range(4)]
		yield one(f"Tile {dim} {image}", "Tile", [In(2, 3, 4, 5, image=image), i64(*by)])
		shape = [1 if i == dim else n for i, n in enumerate((2, 3, 4, 5))]
		if not image or dim != 3:
			yield one(f"Expand {dim} {image}", "Expand", [In(*shape, image=image), i64(*(7 if i == dim else 1 for i in range(4)))])
	for name, op, shape, numbers, says in (
		("of rows", "Tile", (2, 3), (2, 1), BATCH), ("no times", "Tile", (2, 3), (1, 0), "is 0"), ("less than no times", "Tile", (2, 3), (1, -1), "is -1"),
		("too often", "Tile", (2, 3), (1, 2**31), "is 2147483648"), ("one number", "Tile", (2, 3), (1,), "not one number for each dimension"),
		("three numbers", "Tile", (2, 3), (1, 1, 1), "it makes 3 dimensions of 2"), ("to more dimensions", "Expand", (2, 3), (1, 2, 3), "it makes 3 dimensions of 2"),
		("to another length", "Expand", (2, 3), (1, 4), " "), ("to rows", "Expand", (2, 3), (4, 3), " "), ("to what it has", "Expand", (2, 3), (1, 3), None),
		("to one number", "Expand", (2, 1), (5,), None), ("of eight", "Tile", (2, 1, 1, 1, 2, 1, 1, 3), (1, 2, 1, 1, 2, 1, 1, 2), None),
		("to eight", "Expand", (2, 1, 1, 1, 2, 1, 1, 1), (1, 2, 1, 3, 1, 1, 1, 2), None)):
		yield one(f"{op} {name}", op, [In(*shape), i64(*numbers)], says)


def orders():
	"""Transpose, Concat, Reshape, Flatten, blocks: of what is stored in either order."""
	for image in (False, True):
		x = In(2, 3, 4, 5, image=image)
		for perm in itertools.permutations((1, 2, 3)):
			yield one(f"Transpose {perm} {image}", "Transpose", [x], perm=[0, *perm])
		for axis in (1, 2, 3, -1, -3):
			yield one(f"Concat {axis} {image}", "Concat", [x, x], axis=axis)
			yield one(f"Concat {axis} {image} of scales", "Concat", [x, In(2, 3, 4, 5, quant=(0.05, 30))], axis=axis)
		for shape in ((0, -1), (0, 12, 5), (0, 3, 20), (0, 4, 3, 5), (0, 3, 4, 5)):
			yield one(f"Reshape {shape} {image}", "Reshape", [x, i64(*shape)])
		yield one(f"Flatten {image}", "Flatten", [x])
		blocks = In(2, 8, 4, 6, image=image)
		for mode in ("DCR", "CRD"):
			yield one(f"DepthToSpace {mode} {image}", "DepthToSpace", [blocks], blocksize=2, mode=mode)
			yield one(f"DepthToSpace {mode} 1 {image}", "DepthToSpace", [blocks], blocksize=1, mode=mode)
		yield one(f"SpaceToDepth {image}", "SpaceToDepth", [blocks], blocksize=2)
		for op, block in (("DepthToSpace", 3), ("SpaceToDepth", 3), ("SpaceToDepth", 4), ("DepthToSpace", 0), ("SpaceToDepth", 0), ("SpaceToDepth", -1)):
			yield one(f"{op} {block} {image}", op, [blocks], " ", blocksize=block)
	for axis, says in ((0, " "), (-4, " "), (4, " "), (-5, " ")):
		yield one(f"Concat {axis}", "Concat", [In(2, 3, 4, 5), In(2, 3, 4, 5)], says, axis=axis)
	for shape, says in (((2, 3, 4), "different ranks"), ((2, 2, 4, 5), None), ((2, 3, 4, 4), " "), ((2, 3, 3, 5), " ")):
		yield one(f"Concat with {shape}", "Concat", [In(2, 3, 4, 5), In(*shape)], says, axis=1)
	yield one("Concat of integers of two scales", "Concat", [In(2, 3, quant=None), In(2, 3, quant=None)], None, to=None, axis=1)
	for axis in (1, 2, -1, -2):
		yield one(f"Flatten at {axis}", "Flatten", [In(2, 3, 4)], axis=axis)
	eight = In(2, 1, 3, 1, 2, 1, 1, 2)
	yield one("Transpose of eight", "Transpose", [eight], perm=[0, 7, 2, 1, 4, 3, 6, 5])
	# The first dimension goes along, as any other, where it is fixed; it needs a place more.
	for rank in range(2, 9):
		shape, says = [2, 3, 1, 2, 1, 2, 1, 2][:rank], "it goes along the first of 8 dimensions" if rank == 8 else None
		yield one(f"Transpose of {rank}, all turned", "Transpose", [In(*shape, fixed=True)], says, perm=list(range(rank))[::-1])
		yield one(f"Transpose of {rank}, the first last", "Transpose", [In(*shape, fixed=True)], says, perm=[*range(1, rank), 0])
		yield one(f"Pad of {rank}, the first too", "Pad", [In(*shape, fixed=True), i64(*[1] * rank, *[0] * (rank - 1), 1)], says)
		yield one(f"Tile of {rank}, the first too", "Tile", [In(*shape, fixed=True), i64(2, *[1] * (rank - 2), 2)], says)
		yield one(f"Expand of {rank}, the first too", "Expand", [In(1, *shape[1:], fixed=True), i64(3, *shape[1:])], says)
	yield one("Transpose of seven numbers", "Transpose", [eight], "its perm has 7 numbers for 8", perm=[0, 1, 2, 3, 4, 5, 6])
	yield one("Concat of eight", "Concat", [eight, eight], axis=7)
	yield one("Flatten of eight", "Flatten", [eight])
	yield one("Pad of eight", "Pad", [eight, i64(*[0] * 7, 1, 0, 1, *[0] * 6)])
	yield one("Pad of eight, reflect", "Pad", [eight, i64(*[0] * 7, 1, 0, 0, 2, *[0] * 5)], mode="reflect")
	yield one("Pad of eight, edge", "Pad", [eight, i64(*[0] * 7, 1, 0, 1, *[0] * 6)], mode="edge")


FILES = {"pads": pads, "slices": slices, "splits": splits, "gathers": gathers, "parts_of_floats": parts_of_floats, "triangles": triangles, "repeats": repeats, "orders": orders}
