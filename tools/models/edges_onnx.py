# SPDX-License-Identifier: MIT
"""The tables of edges.py for ONNX."""
import numpy as np

from edges import F32, I8, I32, U8, Graph, In, i64, one


def pools():
	"""Windows: padding on each side by itself, as far as it goes, and one more; rounded up; as wide as AveragePool's ways of adding go."""
	x = In(2, 3, 7, 8)
	for op in ("MaxPool", "AveragePool"):
		for side in range(4):
			for pad in (1, 2):
				for ceil_mode in (0, 1):
					pads = [pad * (i == side) for i in range(4)]
					for strides in ([2, 2], [2, 3], [3, 2]):
						yield one(f"{op} pads {pads} strides {strides} ceil {ceil_mode}", op, [x], kernel_shape=[3, 3], strides=strides,
							  pads=pads, ceil_mode=ceil_mode)
			yield one(f"{op} pads too far {side}", op, [x], "is not less than its window of 3", kernel_shape=[3, 3],
				  pads=[3 * (i == side) for i in range(4)])
		for kernel in ([7, 8], [1, 8], [7, 1]):
			yield one(f"{op} kernel {kernel}", op, [x], kernel_shape=kernel)
		yield one(f"{op} too high", op, [x], "does not fit an input of 7", kernel_shape=[8, 1])
		yield one(f"{op} too wide", op, [x], "does not fit an input of 8", kernel_shape=[1, 9])
		yield one(f"{op} too wide with pads", op, [x], "does not fit an input of 8", kernel_shape=[1, 11], pads=[0, 1, 0, 1])
		yield one(f"{op} as wide with pads", op, [x], kernel_shape=[1, 10], pads=[0, 1, 0, 1])
		for same in ("SAME_UPPER", "SAME_LOWER"):
			for kernel, strides in (([2, 3], [1, 2]), ([3, 2], [2, 1]), ([4, 4], [3, 3]), ([2, 2], [3, 3])):
				yield one(f"{op} {same} {kernel} {strides}", op, [x], kernel_shape=kernel, strides=strides, auto_pad=same)


def wide(name, width, pads, kernel=(1, 2), strides=(1, 1), ceil_mode=0, height=1, opset=13):
	"""Sums that are the middle of two steps but for how they are rounded on the way."""
	return one(name, "AveragePool", [In(1, 1, height, width, quant=(0.1, 100))], to=(0.4 / (kernel[0] * kernel[1]), 128), opset=opset,
		   kernel_shape=list(kernel), strides=list(strides), pads=list(pads), ceil_mode=ceil_mode)


def sums():
	"""The ways in which ONNX Runtime adds a window's elements: at what size it goes from one to the other."""
	for left, right in ((0, 0), (1, 0), (0, 1), (1, 2)):
		for width in (2045, 2046):
			yield wide(f"{width} with {left}, {right}", width - left - right, (0, left, 0, right), (3, 5), (1, 2), height=3)
	for kernel in ((32, 3), (33, 3), (3, 32), (3, 33)):
		yield wide(f"kernel {kernel}", 40, (0, 0, 0, 0), kernel, height=40)
	for strides in ((1, 2), (1, 3), (2, 1), (3, 1)):
		yield wide(f"strides {strides}", 40, (0, 0, 0, 0), (3, 5), strides, height=9)
	for pads in ((0, 2, 0, 0), (0, 0, 0, 2), (1, 0, 0, 0)):
		for width in (2045 - max(pads), 2046 - max(pads)):
			yield wide(f"ceil {width} {pads}", width, pads, (3, 5), (1, 2), 1, height=3)
	for opset in (18, 19):
		yield wide(f"opset {opset}", 20, (0, 0, 0, 0), (3, 5), height=9, opset=opset)
		yield wide(f"opset {opset} covers", 5, (0, 0, 0, 0), (3, 5), height=3, opset=opset)
	for pads in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
		yield wide(f"covers {pads}", 5, pads, (3, 5), height=3)
	yield wide("covers, but for a row", 5, (0, 0, 0, 0), (3, 5), height=4)
	yield wide("covers, but for a column", 6, (0, 0, 0, 0), (3, 5), height=3)
	yield wide("covers, strides down", 5, (0, 0, 0, 0), (3, 5), (2, 1), height=3)
	yield wide("covers, strides across", 5, (0, 0, 0, 0), (3, 5), (1, 2), height=3)


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


def splits():
	"""Split: of what is rounded behind it."""
	for first, second, third, says in ((1, 1, 1, None), (1, 2, 1, "its outputs are quantized in different ways"),
					   (2, 1, 1, "its outputs are quantized in different ways"), (1, 2, 2, "its outputs are quantized in different ways")):
		g = Graph(f"Split {first} {second} {third}")
		total = g.node("Conv", [g.real(In(2, 5, 4, 3)), g.weights((4, 5, 1, 1))])
		if third != 1:
			g.output(total, quant=(0.05 * third, 100))
		parts = g.node("Split", [total, g.const(i64(1, 3))], 2, axis=1)
		for part, way in zip(parts, (first, second)):
			g.output(part, quant=(0.05 * way, 100))
		yield g.case(13, says)


def operands():
	"""What an operator reads that is no real tensor."""
	for op, more in (("AveragePool", {"kernel_shape": [2, 2]}), ("GlobalAveragePool", {})):
		yield one(f"{op} of integers", op, [In(2, 3, 4, 5, quant=None)], "its input 0 is a tensor of integers", **more)
		yield one(f"{op} of a constant", op, [np.ones((2, 3, 4, 5), F32)], "its input 0 is a constant", **more)
	for axis in (1, 2):
		g = Graph(f"owners and dimension {axis}")
		rows, owners = g.node("BatchLoop", [g.input(In(2, 3, quant=None))], 2, domain="org.nnloop", step=1, owner=1)
		g.output(g.node("Squeeze", [owners, g.const(i64(axis))]), I32, None)
		g.output(rows, quant=None)
		yield g.case(13, f"it drops dimension {axis} of 1")


FILES = {"pools": pools, "sums": sums, "pads": pads, "splits": splits, "operands": operands}
