# SPDX-License-Identifier: MIT
"""The tables of write.py for TensorFlow Lite."""
import itertools
import zlib

import numpy as np

from common import cases
import tflite.model
from tflite.model import NONE, SAME, VALID, Model

GRID = (0.05, 3)
BATCH = "which is the batch"


class Const:
	"""A quantized constant."""

	def __init__(self, *shape, grid=GRID):
		self.shape, self.grid = shape, grid


def begin(name):
	tflite.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	return Model()


def case(name, m, outs, says):
	data = [(f"x{i}", values) for i, values in enumerate(m.data)]
	return cases.Case(name, m.encode(outs), data, cases.MUST_REFUSE if says else cases.MUST_ACCEPT, reason=says or "")


def add_inputs(m, inputs, dtype="int8"):
	"""A tuple is the shape of an activation; a number or a list are integers, and so are arrays."""
	made = []
	for x in inputs:
		if isinstance(x, tuple):
			made.append(m.input(x, dtype, *GRID))
		elif isinstance(x, Const):
			info = np.iinfo(dtype)
			made.append(m.tensor(list(x.shape), dtype, *x.grid, data=tflite.model.rng.integers(info.min, info.max + 1, x.shape).astype(dtype)))
		elif isinstance(x, np.ndarray):
			made.append(m.tensor(list(x.shape), "int32", data=x.astype(np.int32)))
		else:
			made.append(m.ints(x))
	return made


def one(name, op, inputs, outs, *options, says=None, version=1, to=GRID, dtype="int8"):
	"""A model of one operator; outs: the shapes of its outputs. says: words of the sentence that refuses it, " " for any."""
	m = begin(name)
	x = add_inputs(m, inputs, dtype)
	y = [m.tensor([1, *shape[1:]], dtype, *to) for shape in outs]
	m.add(op, x, y, *options, version=version)
	return case(name, m, y, says)


def judge(made):
	"""With what LiteRT makes of those that must be accepted: Python's package, which is asked for here and not by who has no use for it."""
	import random_tflite.judge  # pylint: disable=import-outside-toplevel
	for c in made:
		if c.flags & cases.MUST_ACCEPT:
			c.state, c.outputs = cases.JUDGED, random_tflite.judge.run(c)
	return made


def but(shape, axis, value):
	return tuple(value if i == axis else n for i, n in enumerate(shape))


def parts():
	"""SLICE, SPLIT, SPLIT_V, UNPACK, GATHER: the first and last index, one beyond, each dimension."""
	shape = (1, 6, 4, 5)
	for axis in (1, 2, 3):
		n = shape[axis]
		for first, size, says in ((0, 1, None), (n - 1, 1, None), (0, n, None), (1, n - 1, None), (n - 1, -1, None), (0, -1, None), (n, 1, "it takes 1 indices from"),
					  (n, -1, "it takes 0 indices"), (1, n, f"it takes {n} indices"), (0, 0, "it takes 0 indices"), (-1, 1, "it takes 1 indices from -1"),
					  (0, -2, "it takes -2 indices")):
			begins, sizes = list(but((0, 0, 0, 0), axis, first)), list(but((-1, -1, -1, -1), axis, size))
			count = size if size > 0 else max(n - first, 0) if size == -1 else 1
			yield one(f"SLICE {axis} {first} {size}", "SLICE", [shape, begins, sizes], [but(shape, axis, count)], says=says)
		for count, says in ((1, None), (2, None if n % 2 == 0 else "or no multiple of 2"), (n, None), (n + 1, f"or no multiple of {n + 1}")):
			yield one(f"SPLIT {axis} {count}", "SPLIT", [axis, shape], [but(shape, axis, max(n // count, 1))] * count, count, says=says)
		for sizes, says in (([1, n - 1], None), ([n - 1, 1], None), ([-1, 1], None), ([1, -1], None), ([2, -1, 1], None), ([1, n], "are not parts"), ([1, n - 2], "are not parts"),
				    ([-1, -1], "are not parts"), ([0, n], "are not parts"), ([n, -1], "are not parts"), ([-2, n], "are not parts")):
			outs = [but(shape, axis, s if s > 0 else max(n - sum(v for v in sizes if v > 0), 1)) for s in sizes]
			yield one(f"SPLIT_V {axis} {sizes}", "SPLIT_V", [shape, sizes, axis], outs, len(sizes), says=says, version=2)
		yield one(f"UNPACK {axis}", "UNPACK", [shape], [shape[:axis] + shape[axis + 1:]] * n, n, axis, version=2)
		yield one(f"UNPACK {axis} from the end", "UNPACK", [shape], [shape[:axis] + shape[axis + 1:]] * n, n, axis - 4, version=2)
		yield one(f"UNPACK {axis} but for one", "UNPACK", [shape], [shape[:axis] + shape[axis + 1:]] * (n - 1), n - 1, axis, version=2, says=f"it makes {n - 1} outputs")
		for index, says in ((0, None), (n - 1, None), (n, f"it takes index {n} of"), (-1, "it takes index -1 of")):
			yield one(f"GATHER {axis} {index}", "GATHER", [shape, [1, index]], [but(shape, axis, 2)], axis, 0, version=2, says=says)
		yield one(f"GATHER {axis} of one", "GATHER", [shape, 2], [shape[:axis] + shape[axis + 1:]], axis, 0, version=2)
		yield one(f"GATHER {axis} of a matrix", "GATHER", [shape, np.array([[0, 1, 2], [2, 2, 0]])], [shape[:axis] + (2, 3) + shape[axis + 1:]], axis, 0, version=2)
		yield one(f"GATHER {axis} from the end", "GATHER", [shape, [2, 0]], [but(shape, axis, 2)], axis - 4, 0, version=2)
	for axis in (0, -4, 4, -5):
		says = "which is the batch, none, or no multiple"
		yield one(f"SPLIT {axis}", "SPLIT", [axis, shape], [shape] * 2, 2, says=says)
		yield one(f"SPLIT_V {axis}", "SPLIT_V", [shape, [1, 5], axis], [shape] * 2, 2, says="its axis is dimension", version=2)
		says = "its axis is dimension" if axis in (4, -5) else "it makes 6 outputs of dimension 1, which is 1"
		yield one(f"UNPACK {axis}", "UNPACK", [shape], [shape] * 6, 6, axis, says=says, version=2)
		yield one(f"GATHER {axis}", "GATHER", [shape, [0]], [shape], axis, 0, says="its axis is dimension", version=2)
	yield one("SPLIT_V of another count", "SPLIT_V", [shape, [1, 5], 1], [but(shape, 1, 1), but(shape, 1, 5)], 3, says="other outputs than sizes", version=2)
	yield one("SPLIT_V of two axes", "SPLIT_V", [shape, [1, 5], [1, 2]], [but(shape, 1, 1), but(shape, 1, 5)], 2, says="it has not one axis", version=2)
	for sizes, says in (([0, 0, 0, 0], BATCH), ([2, 6, 4, 5], BATCH), ([1, 6, 4, 5], None)):
		yield one(f"SLICE of rows {sizes}", "SLICE", [shape, [0, 0, 0, 0], sizes], [shape], says=says)
	yield one("SLICE of three numbers", "SLICE", [shape, [0, 0, 0], [1, 6, 4]], [shape], says="it has 3 numbers for 4")


def strides():
	"""STRIDED_SLICE: where it begins and ends, forwards and backwards, and beyond; each mask, on each entry."""
	for first, end, step in itertools.product((-6, -5, -1, 0, 4, 5), (-7, -6, -5, -1, 0, 1, 5, 6), (1, 2, -1, -3)):
		start = max(first + 5, -1) if first < 0 else first
		stop = max(end + 5, -1) if end < 0 else end
		low, high = (0, 5) if step > 0 else (-1, 4)
		count = len(range(min(max(start, low), high), min(max(stop, low), high), step))
		if count or (first + end) % 3 == 0:
			yield one(f"{first}:{end}:{step}", "STRIDED_SLICE", [(1, 5), [0, first], [1, end], [1, step]], [(1, max(count, 1))], 0, 0, 0, 0, 0,
				  says=None if count else "it takes nothing of a dimension of 5")
	shape = (1, 5, 6, 4)
	for axis, step in itertools.product((1, 2, 3), (1, -1, 2)):
		n = shape[axis]
		for masks in range(4):
			first, end = (1, n - 1) if step > 0 else (n - 2, 1)
			low = (None if masks & 1 else first), (None if masks & 2 else end)
			count = len(range(n)[slice(*low, step)])
			numbers = [list(but((0, 0, 0, 0), axis, first)), list(but(shape, axis, end)), list(but((1, 1, 1, 1), axis, step))]
			yield one(f"masks {masks} of {axis}, step {step}", "STRIDED_SLICE", [shape, *numbers], [but(shape, axis, count)],
				  (masks & 1) << axis, (masks >> 1) << axis, 0, 0, 0)
	for axis in (1, 2, 3):
		n, gone = shape[axis], shape[:axis] + shape[axis + 1:]
		for index, says in ((0, None), (n - 1, None), (-1, None), (-n, None), (n, f"it takes index {n} of {n}"), (-n - 1, f"it takes index -1 of {n}")):
			numbers = [list(but((0, 0, 0, 0), axis, index)), list(but(shape, axis, index + 1 or n)), [1, 1, 1, 1]]
			yield one(f"index {index} of {axis}", "STRIDED_SLICE", [shape, *numbers], [gone], 0, 0, 0, 0, 1 << axis, says=says)
		yield one(f"index with a stride, {axis}", "STRIDED_SLICE", [shape, [0, 0, 0, 0], [1, 1, 1, 1], list(but((1, 1, 1, 1), axis, 2))], [gone], 0, 0, 0, 0, 1 << axis,
			  says="with a stride of 2")
	for axis in (1, 2, 3, 4):
		made = shape[:axis] + (1,) + shape[axis:]
		entries = [list(np.insert((0, 0, 0, 0), axis, 0)), list(np.insert(shape, axis, 1)), [1] * 5]
		if axis < 4:
			yield one(f"new axis {axis}", "STRIDED_SLICE", [shape, *[[int(v) for v in e] for e in entries]], [made], 0, 0, 0, 1 << axis, 0, version=6)
	yield one("new axis in front", "STRIDED_SLICE", [(1, 5), [0, 0], [1, 1], [1, 1]], [(1, 1, 5)], 0, 0, 0, 1, 0, version=6, says="in front of dimension 0")
	yield one("fewer entries", "STRIDED_SLICE", [shape, [0, 1], [1, 4], [1, 1]], [(1, 3, 6, 4)], 0, 0, 0, 0, 0)
	yield one("more entries", "STRIDED_SLICE", [(1, 5), [0, 0, 0], [1, 5, 1], [1, 1, 1]], [(1, 5)], 0, 0, 0, 0, 0, says="it slices 3 dimensions of 2")
	yield one("other counts", "STRIDED_SLICE", [(1, 5), [0, 0], [1, 5], [1]], [(1, 5)], 0, 0, 0, 0, 0, says="different numbers")
	for first, end, step, says in ((0, 1, 1, None), (0, 2, 1, None), (1, 1, 1, " "), (0, 0, 1, " "), (0, 1, 2, BATCH), (0, 1, -1, " ")):
		yield one(f"rows {first}:{end}:{step}", "STRIDED_SLICE", [(1, 5), [first, 0], [end, 5], [step, 1]], [(1, 5)], 0, 0, 0, 0, 0, says=says)
	yield one("one of the rows", "STRIDED_SLICE", [(1, 5), [0, 0], [1, 5], [1, 1]], [(5,)], 0, 0, 0, 0, 1, says=BATCH)
	for masks in (0, 1):
		yield one(f"ellipsis in the middle {masks}", "STRIDED_SLICE", [shape, [0, 0, 1], [1, 0, 3], [1, 1, 1]], [(1, 5, 6, 2)], masks, masks, 2, 0, 0)
	yield one("ellipsis in front", "STRIDED_SLICE", [shape, [0, 0, 1], [1, 5, 3], [1, 1, 1]], [(1, 5, 5, 2)], 0, 0, 1, 0, 0)
	yield one("two ellipses", "STRIDED_SLICE", [shape, [0, 0, 1], [1, 0, 3], [1, 1, 1]], [shape], 0, 0, 3, 0, 0, says="or has two ellipses")


def real_padding(name, shape, out, paddings):
	"""In front of a maximum, with the least number that there is, as converters write a pool that is padded."""
	m = begin(name)
	x, y = m.real_input(shape, 0.04), [m.tensor(list(out), "float32") for _ in range(3)]
	least = m.tensor([], "float32", data=np.array(np.finfo(np.float32).min))
	m.add("PADV2", [x, *add_inputs(m, [paddings]), least], [y[0]])
	m.add("PADV2", [x, *add_inputs(m, [paddings]), m.tensor([1], "float32", data=np.float32([0.75]))], [y[1]])
	m.add("MAXIMUM", y[:2], [y[2]])
	return case(name, m, [y[0], y[2]], None)


def padding():
	"""PAD, PADV2, MIRROR_PAD: each end of each dimension, as far as it goes and one more."""
	shape = (1, 5, 6, 4)
	for axis, end in itertools.product((1, 2, 3), (0, 1)):
		n = shape[axis]
		for pad in (1, 3):
			paddings = np.zeros((4, 2), int)
			paddings[axis, end] = pad
			out = but(shape, axis, n + pad)
			yield one(f"PAD {axis} {end} {pad}", "PAD", [shape, paddings], [out], version=2)
			m = begin(f"PADV2 {axis} {end} {pad}")
			y = m.tensor(list(out), "int8", *GRID)
			m.add("PADV2", [m.input(shape, "int8", *GRID), *add_inputs(m, [paddings]), m.tensor([1], "int8", *GRID, data=np.array([-77], np.int8))], [y], version=2)
			yield case(f"PADV2 {axis} {end} {pad}", m, [y], None)
			yield real_padding(f"PADV2 of float32 {axis} {end} {pad}", shape, out, paddings)
		for mode, most in ((0, n - 1), (1, n)):
			for pad in (1, most, most + 1):
				paddings = np.zeros((4, 2), int)
				paddings[axis, end] = pad
				yield one(f"MIRROR_PAD {mode} {axis} {end} {pad}", "MIRROR_PAD", [shape, paddings], [but(shape, axis, n + pad)], mode,
					  says=None if pad <= most else f"it mirrors more of dimension {axis} than there is, {n}")
	for end in (0, 1):
		paddings = np.zeros((4, 2), int)
		paddings[0, end] = 1
		yield one(f"PAD of rows {end}", "PAD", [shape, paddings], [shape], version=2, says="it pads dimension 0")
		paddings[0, end], paddings[2, end] = 0, -1
		yield one(f"PAD below {end}", "PAD", [shape, paddings], [shape], version=2, says="it pads dimension 2 by")


def folds():
	"""PAD in front of a convolution: as much as the window can pad itself, and more; each side."""
	shape, extents = (1, 7, 8, 6), {(1, 1): (3, 2), (2, 1): (5, 2), (1, 2): (3, 3)}
	for depthwise, dilation in itertools.product((False, True), extents):
		for side in range(4):
			extent = extents[dilation][side // 2]
			for pad in sorted({1, extent - 1, extent}):
				name = f"PAD and {'DEPTHWISE_' if depthwise else ''}CONV_2D {dilation} {side} {pad}"
				m = begin(name)
				paddings = np.zeros((4, 2), int)
				paddings[1 + side // 2, side % 2] = pad
				size = [shape[1 + i] + int(paddings[1 + i].sum()) for i in range(2)]
				z = m.tensor([1, *size, 6], "int8", *GRID)
				m.add("PAD", [m.input(shape, "int8", *GRID), *add_inputs(m, [paddings])], [z], version=2)
				w = tflite.model.weights(m, [1, 3, 2, 6] if depthwise else [6, 3, 2, 6], 3 if depthwise else 0, True, 0.05, 6)
				windows = [size[i] - extents[dilation][i] + 1 for i in range(2)]
				y = m.tensor([1, *windows, 6], "int8", 0.06, -7)
				options = (VALID, 1, 1, 1, NONE, dilation[1], dilation[0]) if depthwise else (VALID, 1, 1, NONE, dilation[1], dilation[0])
				m.add("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [z, *w], [y], *options, version=3)
				yield case(name, m, [y], None)


def along():
	"""Reductions along each dimension, and images of other sizes."""
	shape = (1, 5, 6, 4)
	for axes in ([1], [2], [3], [1, 2], [2, 3], [1, 3], [1, 2, 3], [-1], [-3], [3, 2]):
		for keep in (0, 1):
			gone = [a % 4 for a in axes]
			out = tuple(1 if i in gone else n for i, n in enumerate(shape) if keep or i not in gone)
			for op in ("MEAN", "REDUCE_MAX", "REDUCE_MIN"):
				yield one(f"{op} {axes} {keep}", op, [shape, axes], [out], keep, version=2)
	for dtype, to in itertools.product(("int8", "uint8"), (GRID, (0.03, 7))):
		for image, axes in (((1, 5, 6, 4), [1, 2]), ((1, 5, 6, 4), [2, 1]), ((1, 5, 6, 4), [-3, -2]), ((1, 5, 6, 4), [1, -2]), ((1, 5, 6, 4), [1, 2, 3]), ((1, 5, 6, 4), [1]),
				    ((1, 5, 6, 4), [2, 3]), ((1, 5, 6), [1, 2]), ((1, 5, 6, 2, 2), [1, 2]), ((1, 5, 6, 4), [1, 1, 2])):
			for keep in (0, 1):
				gone = [a % len(image) for a in axes]
				out = tuple(1 if i in gone else n for i, n in enumerate(image) if keep or i not in gone)
				if dtype == "uint8" and len(image) == 4 and axes in ([1, 2], [2, 1]):
					continue  # XNNPACK's, which the library has for int8 only: tflite/bytes.py
				if len(axes) == 3 and axes[0] == axes[1] and keep == 0:
					continue  # TensorFlow Lite has its own idea of the shape
				yield one(f"MEAN of {dtype} {image} {axes} {keep} {to}", "MEAN", [image, axes], [out], keep, version=2, dtype=dtype, to=to)
	for axis, says in ((0, "it goes over the first dimension"), (-4, "it goes over the first dimension"), (4, "its axis 4 is not one of 4"), (-5, "its axis -5 is not one of 4")):
		for op in ("MEAN", "REDUCE_MAX"):
			yield one(f"{op} {axis}", op, [shape, [axis]], [shape], 1, version=2, says=says)
	for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
		for align, half in ((0, 0), (1, 0), (0, 1)):
			for height, width in ((1, 1), (1, 9), (9, 1), (5, 6), (10, 12), (7, 3), (2, 11)):
				options = (align, half) if op != "RESIZE_BILINEAR" else (None, None, align, half)
				yield one(f"{op} {align} {half} {height} {width}", op, [shape, [height, width]], [(1, height, width, 4)], *options, version=3)
				if height == 1:
					yield one(f"{op} {align} {half} {height} {width} of one pixel", op, [(1, 1, 1, 4), [height + 2, width]], [(1, height + 2, width, 4)], *options, version=3)
		for height, width in ((0, 6), (5, 0), (65536, 6), (5, 65536)):
			options = (0, 0) if op != "RESIZE_BILINEAR" else (None, None, 0, 0)
			yield one(f"{op} {height} {width}", op, [shape, [height, width]], [(1, max(height, 1), max(width, 1), 4)], *options, version=3, says="pixels; nnloop knows 1 to 65535")


def orders():
	"""What orders, repeats and joins: each dimension."""
	shape = (1, 5, 6, 4)
	for perm in itertools.permutations((1, 2, 3)):
		yield one(f"TRANSPOSE {perm}", "TRANSPOSE", [shape, [0, *perm]], [tuple(shape[i] for i in (0, *perm))])
	for perm, says in (([1, 0, 2, 3], "its output is 5x1x6x4, and the file says 1x5x6x4"), ([0, 1, 2, 2], "not one of each"), ([0, 1, 2, 4], "not one of each"), ([0, 1, 2, -1], "not one of each"),
			   ([0, 1, 2], "it orders 3 dimensions of 4")):
		yield one(f"TRANSPOSE {perm}", "TRANSPOSE", [shape, perm], [shape], says=says)
	for axis in (1, 2, 3, -1, -2, -3):
		yield one(f"CONCATENATION {axis}", "CONCATENATION", [shape, shape], [but(shape, axis % 4, 2 * shape[axis])], axis, NONE, version=2)
		yield one(f"PACK {axis}", "PACK", [shape, shape], [shape[:axis % 5] + (2,) + shape[axis % 5:]], 2, axis, version=2)
		if axis > 0:
			yield one(f"REVERSE_V2 {axis}", "REVERSE_V2", [shape, [axis]], [shape], dtype="uint8")
			yield one(f"TILE {axis}", "TILE", [shape, list(but((1, 1, 1, 1), axis, 3))], [but(shape, axis, 3 * shape[axis])])
			one_there = but(shape, axis, 1)
			yield one(f"BROADCAST_TO {axis}", "BROADCAST_TO", [one_there, list(but(one_there, axis, 3))], [but(one_there, axis, 3)], version=2)
	for axis in (4, -4):
		yield one(f"PACK {axis}", "PACK", [shape, shape], [shape[:axis % 5] + (2,) + shape[axis % 5:]], 2, axis, version=2)
	for axis in (0, -5, 5, -6):
		says = "its axis is dimension" if axis in (5, -6) else "its output is 2x1x5x6x4, and the file says 1x2x5x6x4"
		yield one(f"PACK {axis}", "PACK", [shape, shape], [(1, 2, *shape[1:])], 2, axis, version=2, says=says)
	for axis in (0, 4, -4, -5):
		yield one(f"CONCATENATION {axis}", "CONCATENATION", [shape, shape], [shape], axis, NONE, version=2, says=" ")
		yield one(f"REVERSE_V2 {axis}", "REVERSE_V2", [shape, [axis]], [shape], says="its axis is dimension")
	for axis, says in ((1, None), (4, None), (-1, None), (-4, None), (0, "where nnloop has the batch"), (5, "where nnloop has the batch"), (-5, "where nnloop has the batch")):
		made = shape[:axis % 5] + (1,) + shape[axis % 5:]
		yield one(f"EXPAND_DIMS {axis}", "EXPAND_DIMS", [shape, axis], [made], says=says)
	for axis in (1, 2, 3, -1, -3):
		yield one(f"SQUEEZE {axis}", "SQUEEZE", [but(shape, axis % 4, 1)], [tuple(n for i, n in enumerate(shape) if i != axis % 4)], [axis])
	for op, block, image, says in (("DEPTH_TO_SPACE", 2, (1, 3, 4, 8), None), ("DEPTH_TO_SPACE", 3, (1, 3, 4, 8), "does not divide"), ("SPACE_TO_DEPTH", 2, (1, 4, 6, 3), None),
				       ("SPACE_TO_DEPTH", 3, (1, 4, 6, 3), "does not divide"), ("SPACE_TO_DEPTH", 4, (1, 4, 6, 3), "does not divide")):
		h, w, c = image[1:]
		out = (1, h * block, w * block, max(c // block**2, 1)) if op == "DEPTH_TO_SPACE" else (1, max(h // block, 1), max(w // block, 1), c * block**2)
		yield one(f"{op} {block} {image}", op, [image], [out], block, says=says)
	for shape, numbers, op, says in (((1, 3), [2, 1], "TILE", "it repeats dimension 0"), ((1, 3), [1, 0], "TILE", "is 0"), ((1, 3), [1], "TILE", "it has 1 numbers for 2"),
					 ((1, 3), [1, 4], "BROADCAST_TO", " "), ((1, 3), [1, 3], "BROADCAST_TO", None), ((1, 1, 3), [1, 3], "BROADCAST_TO", "it has 2 numbers for 3")):
		yield one(f"{op} {shape} {numbers}", op, [shape, numbers], [shape], says=says, version=2 if op == "BROADCAST_TO" else 1)


def pairs():
	"""Two operands: which is the constant, which is longer in which dimension."""
	shape = (1, 5, 6, 4)
	for op, options in (("ADD", (NONE,)), ("SUB", (NONE, 0)), ("MUL", (NONE,)), ("MAXIMUM", ())):
		to = GRID if op == "MAXIMUM" else (0.11, -5)
		for other in ((1, 1, 1, 1), (1, 5, 1, 1), (1, 1, 6, 1), (1, 1, 1, 4), (1, 5, 6, 4)):
			for first in (False, True):
				inputs = [shape, other]
				yield one(f"{op} {other} {first}", op, inputs[::-1] if first else inputs, [shape], *options, to=to, version=2 if op != "SUB" else 2)
		for other in ((), (1,), (4,), (6, 4), (6, 1), (5, 6, 4), (5, 1, 1), (1, 5, 1, 4)):
			for first in (False, True):
				inputs = [shape, Const(*other)]
				yield one(f"{op} constant {other} {first}", op, inputs[::-1] if first else inputs, [shape], *options, to=to, version=2)
		for other, says in (((1, 2, 6, 4), "5 and 2 long in dimension 1"), ((1, 5, 6, 3), "4 and 3 long in dimension 3"), ((1, 6, 4), None), ((1, 4), None), ((1, 5, 4), "6 and 5 long in dimension 2")):
			yield one(f"{op} by {other}", op, [shape, other], [shape], *options, to=to, version=2, says=says)


def elements():
	"""Functions of one element, in each type, where the output is quantized alike and otherwise; and what has no scale, or two."""
	shape = (1, 64)
	for op, fixed in (("RELU", None), ("RELU6", None), ("RELU_N1_TO_1", None), ("LOGISTIC", True), ("TANH", True), ("HARD_SWISH", None), ("ELU", None), ("ABS", None)):
		for dtype in ("int8", "uint8"):
			if dtype == "uint8" and op in ("ELU", "ABS"):
				continue  # TensorFlow Lite cannot do it
			zero = -128 if dtype == "int8" else 0
			grids = {"LOGISTIC": [(1 / 256, zero)], "TANH": [(1 / 128, zero + 128)]}.get(op, [GRID, (0.04, 7)])
			for to in grids:
				yield one(f"{op} {dtype} {to}", op, [shape], [shape], dtype=dtype, to=to, version=2 if op in ("RELU", "RELU6", "LOGISTIC", "TANH") else 1)
	for power, ratio, says in ((-21, 0, None), (-22, 0, "outside of what its 16 bits"), (8, 0, None), (9, 0, "outside of what its 16 bits"), (-3, 6, None),
				   (-3, 7, "outside of what its 16 bits"), (-3, -8, None), (-3, -9, "outside of what its 16 bits")):
		m = begin(f"HARD_SWISH 2^{power} by 2^{ratio}")
		y = m.tensor(list(shape), "int8", 2.0 ** (power - ratio), 5)
		m.add("HARD_SWISH", [m.input(shape, "int8", 2.0 ** power, 3)], [y])
		yield case(f"HARD_SWISH 2^{power} by 2^{ratio}", m, [y], says)
	for beta, says in ((1.0, None), (0.0, None), (2.5, None), (-1.0, "its option beta is -1"), (float("inf"), "its option beta is inf")):
		yield one(f"SOFTMAX {beta}", "SOFTMAX", [shape], [shape], beta, to=(1 / 256, -128), version=2, says=says)
	yield one("SOFTMAX without beta", "SOFTMAX", [shape], [shape], to=(1 / 256, -128), version=2)
	# 6 is in the middle between two steps of the output, of which the upper one is there or is not.
	for steps, says in ((253.5, "in the middle between two steps"), (254.5, "in the middle between two steps"), (255.5, None), (256.5, None)):
		yield one(f"RELU6 at {steps}", "RELU6", [shape], [shape], to=(6 / steps, -128), version=2, says=says)
	for alpha, says in ((0.1, None), (-0.5, None), (0.0, None), (float("nan"), "is not a finite number")):
		for to in (GRID, (0.04, 7)):
			yield one(f"LEAKY_RELU {alpha} {to}", "LEAKY_RELU", [shape], [shape], alpha, to=to, version=2, says=says)
	for from_type, to_type in itertools.product(("int8", "uint8"), repeat=2):
		for scale in (0.05, 0.02, 0.11):
			name = f"QUANTIZE {from_type} {to_type} {scale}"
			m = begin(name)
			y = m.tensor(list(shape), to_type, scale, 9)
			m.add("QUANTIZE", [m.input(shape, from_type, *GRID)], [y], version=2)
			yield case(name, m, [y], None)


def blocks():
	"""A dilated convolution as SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: what is cropped of each side, and what is no dilation."""
	def made(name, block=(2, 3), pads=((2, 2), (1, 3)), crops=((0, 0), (0, 1)), back=None, says=None, size=(6, 8), stride=1):
		m = begin(name)
		padded = [n + sum(p) for n, p in zip(size, pads)]
		inner = [n // b for n, b in zip(padded, block)]
		many = block[0] * block[1]
		z = m.tensor([many, *inner, 6], "int8", *GRID)
		m.add("SPACE_TO_BATCH_ND", [m.input((1, *size, 6), "int8", *GRID), *add_inputs(m, [np.array(block), np.array(pads)])], [z])
		w = tflite.model.weights(m, [6, 3, 2, 6], 0, True, 0.05, 6)
		result = [(inner[0] - 3) // stride + 1, (inner[1] - 2) // stride + 1]
		v = m.tensor([many, *result, 6], "int8", 0.06, -7)
		m.add("CONV_2D", [z, *w], [v], VALID, stride, stride, NONE, 1, 1, version=3)
		out = [n * b - sum(c) for n, b, c in zip(result, block, crops)]
		y = m.tensor([1, *(max(n, 1) for n in out), 6], "int8", 0.06, -7)
		m.add("BATCH_TO_SPACE_ND", [v, *add_inputs(m, [np.array(back or block), np.array(crops)])], [y])
		return case(name, m, [y], says)

	refused = "around a convolution that it dilates"
	yield made("as converters write it")
	for side in range(4):
		crops = [[int(side == 2 * i), int(side == 2 * i + 1)] for i in range(2)]
		yield made(f"crops {side}", crops=crops)
	yield made("crops all that was padded", crops=((2, 2), (0, 0)), pads=((2, 2), (2, 2)))
	for side in range(4):
		crops = [[3 * (side == 2 * i), 3 * (side == 2 * i + 1)] for i in range(2)]
		yield made(f"crops more than was padded {side}", pads=((2, 2), (2, 2)), crops=crops)
	yield made("no multiple, down", pads=((2, 1), (1, 3)), says=refused)
	yield made("no multiple, across", pads=((2, 2), (2, 3)), says=refused)
	yield made("other blocks behind, down", back=(3, 3), says=refused)
	yield made("other blocks behind, across", back=(2, 2), says=refused)
	yield made("strides", stride=2, says=refused)
	yield made("blocks of one", block=(1, 1), pads=((2, 1), (1, 1)))


def wide_functions():
	"""int16 between DEQUANTIZE and QUANTIZE: nothing and functions there, of one scale and of two."""
	for op, (given, to) in itertools.product((None, "NEG", "ABS", "ELU", "RELU"), ((9e-5, 9e-5), (9e-5, 1.1e-4))):
		m = begin(f"{op} {to}")
		x, real, q = m.input([1, 7, 5], "int16", given, 0), m.tensor([1, 7, 5], "float32"), m.tensor([1, 7, 5], "int16", to, 0)
		m.add("DEQUANTIZE", [x], [real], version=3)
		if op:
			m.add(op, [real], [made := m.tensor([1, 7, 5], "float32")])
			real = made
		m.add("QUANTIZE", [real], [q], version=2)
		y = m.tensor([1, 35], "int16", to, 0)
		m.add("RESHAPE", [q, m.ints([1, 35])], [y], [1, 35])
		yield case(f"{op or 'nothing'} from {given} to {to}", m, [y], None)


def wide():
	"""int16: functions; two operands, of which one may be the last dimensions of the other; each activation; what is not quantized around 0."""
	def made(name, op, shapes, says=None, activation=NONE, constant=None, dtypes=("int16",) * 3, zeros=(0, 0, 0), out=None):
		m = begin(name)
		x = []
		for i, shape in enumerate(shapes):
			info = np.iinfo(dtypes[i])
			if i == constant:
				values = tflite.model.rng.integers(info.min, info.max + 1, shape).astype(dtypes[i])
				x.append(m.tensor(list(shape), dtypes[i], 0.0007, zeros[i], data=values))
			else:
				x.append(m.input(shape, dtypes[i], 0.0005, zeros[i]))
		y = m.tensor(list(out or max(shapes, key=lambda s: (len(s), np.prod(s)))), dtypes[2], 0.0011, zeros[2])
		m.add(op + "_INT16" if op == "ADD" else op, x, [y], activation, 0, version=2 if op == "ADD" else 5)
		return case(name, m, [y], says)

	shape, refused = (1, 5, 6, 4), "which one has the last dimensions of the other"
	for op in ("ADD", "SUB"):
		for other in ((1, 1, 6, 4), (1, 1, 1, 4), (1, 1, 1, 1), shape):
			yield made(f"{op} {other}", op, (shape, other))
			yield made(f"{op} by {other}", op, (other, shape))
		for other in ((4,), (1,), (6, 4), (5, 6, 4), (1, 6, 4), (1, 1, 1, 4), (1, 1, 6, 4)):
			yield made(f"{op} constant {other}", op, (shape, other), constant=1)
			yield made(f"{op} to a constant {other}", op, (other, shape), constant=0)
		for other in ((1, 5, 1, 4), (1, 5, 6, 1), (1, 1, 6, 3), (1, 5, 5, 4)):
			yield made(f"{op} {other}", op, (shape, other), refused)
			yield made(f"{op} by {other}", op, (other, shape), refused)
		for other in ((1, 1, 6, 4), (1, 5, 6, 1), (1, 6, 4)):
			yield made(f"{op} to a wider constant than {other}", op, (shape, other), refused, constant=0)
		for activation, says in ((1, None), (2, "the activations RELU and RELU6 only"), (3, None)):
			yield made(f"{op} with activation {activation}", op, (shape, shape), says, activation)
		for i in range(3):
			zeros, dtypes = [0, 0, 0], ["int16"] * 3
			zeros[i], dtypes[i] = 1, "int8"
			yield made(f"{op} with zero point {i}", op, (shape, shape), "zero point 0", zeros=zeros)
			yield made(f"{op} with int8 {i}", op, (shape, shape), " ", dtypes=dtypes)
		yield made(f"{op} of a constant with zero point", op, (shape, shape), "zero point 0", constant=1, zeros=(0, 1, 0))
	yield from wide_functions()


def wide_comparisons():
	"""Comparisons of int16, of one scale and of two: LiteRT compares what is less, or greater, as it is stored."""
	for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
		for scale in (0.05, 0.1):
			m = begin(f"{op} {scale}")
			x = [m.input((1, 4, 50), "int16", quant, 0) for quant in (0.05, scale)]
			m.data = [(data // 4000).astype(np.int16) for data in m.data]  # few, so that some are equal
			y = m.tensor([1, 4, 50], "bool")
			m.add(op, x, [y])
			yield case(f"{op} {scale}", m, [y], "it compares int16 of scales 0.05 and 0.1" if op in ("EQUAL", "NOT_EQUAL") and scale != 0.05 else None)


def transposed():
	"""TRANSPOSE_CONV: both kinds of padding, each direction, by itself."""
	for padding, (down, across), (h, w) in itertools.product((SAME, VALID), ((1, 1), (2, 1), (1, 3)), ((3, 2), (1, 3), (2, 2))):
		if padding == SAME and (h < down or w < across):
			continue
		name = f"TRANSPOSE_CONV {padding} {down} {across} {h} {w}"
		m = begin(name)
		image = (4, 5)
		sizes = [n * s if padding == SAME else (n - 1) * s + k for n, s, k in zip(image, (down, across), (h, w))]
		scales = np.float32(tflite.model.rng.uniform(0.002, 0.02, 3))
		weights = m.tensor([3, h, w, 2], "int8", scales, data=tflite.model.rng.integers(-127, 128, (3, h, w, 2)).astype(np.int8))
		bias = m.tensor([3], "int32", scales * np.float32(0.05), data=tflite.model.rng.integers(-3000, 3000, 3).astype(np.int32))
		x = m.input((1, *image, 2), "int8", *GRID)
		y = m.tensor([1, *sizes, 3], "int8", 0.06, -7)
		m.add("TRANSPOSE_CONV", [*add_inputs(m, [[1, *sizes, 3]]), weights, x, bias], [y], padding, across, down, version=3)
		yield case(name, m, [y], None)


def layers():
	"""Convolutions and FULLY_CONNECTED: each direction by itself, in both kinds of padding; groups; weights and biases that do not fit."""
	def conv(name, says=None, image=(7, 8, 4), kernel=(3, 2), outputs=6, inputs=None, padding=VALID, stride=(1, 1), dilation=(1, 1), depthwise=False, times=1, first=1,
		 biases=None, activation=NONE, axis=None):
		m = begin(name)
		many = image[2] * times if depthwise else outputs
		shape = [first, *kernel, many] if depthwise else [many, *kernel, inputs or image[2]]
		w = tflite.model.weights(m, shape, (3 if depthwise else 0) if axis is None else axis, True, 0.05, many if axis is None else shape[axis])
		if biases:
			w[1] = m.tensor([biases], "int32", 0.001, data=np.arange(biases, dtype=np.int32))
		extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
		sizes = [max(-(-n // s) if padding == SAME else (n - e) // s + 1, 1) for n, s, e in zip(image, stride, extents)]
		y = m.tensor([1, *sizes, many], "int8", 0.06, -7)
		options = (padding, stride[1], stride[0], *((times,) if depthwise else ()), activation, dilation[1], dilation[0])
		m.add("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [m.input((1, *image), "int8", *GRID), *w], [y], *options, version=3)
		return case(name, m, [y], says)

	for depthwise, padding in itertools.product((False, True), (SAME, VALID)):
		word = f"{'DEPTHWISE_' if depthwise else ''}CONV_2D {padding}"
		for stride, dilation in (((1, 2), (1, 1)), ((3, 1), (1, 1)), ((1, 1), (2, 1)), ((1, 1), (1, 3)), ((1, 1), (3, 7) if padding == VALID else (3, 3))):
			yield conv(f"{word} {stride} {dilation}", stride=stride, dilation=dilation, padding=padding, depthwise=depthwise)
		for activation in (1, 2, 3):
			yield conv(f"{word} activation {activation}", activation=activation, padding=padding, depthwise=depthwise)
		if padding == VALID:  # with SAME, where strides leave elements out, this XNNPACK reads none at all
			yield conv(f"{word} stride 255", stride=(255, 255), padding=padding, depthwise=depthwise)
	yield conv("too high", "does not fit an input of 7", kernel=(8, 1))
	yield conv("too wide", "does not fit an input of 8", kernel=(1, 9))
	yield conv("dilated too far down", "does not fit an input of 7", dilation=(4, 1))
	yield conv("dilated too far across", "does not fit an input of 8", dilation=(1, 8))
	yield conv("as high and wide as can be", kernel=(7, 8))
	yield conv("255 high", image=(255, 1, 1), kernel=(255, 1))
	yield conv("256 high", image=(256, 1, 1), kernel=(256, 1))
	yield conv("256 wide", image=(1, 256, 1), kernel=(1, 256))
	yield conv("256 wide, in groups", "256 long, and its channels are in groups", image=(1, 256, 2), kernel=(1, 256), depthwise=True)
	yield conv("longer than can be", "its window is 65537 long", image=(1, 65537, 1), kernel=(1, 65537), outputs=1)
	yield conv("groups that do not fit", " ", inputs=3)
	yield conv("outputs that do not fit groups", " ", inputs=1, outputs=6)
	yield conv("more inputs than channels", " ", inputs=8)
	yield conv("twice the channels", depthwise=True, times=2)
	yield conv("scales of another dimension", "for each index of dimension 3, not 0", axis=3, outputs=4)
	yield conv("depthwise scales of another dimension", "for each index of dimension 2, not 3", axis=2, depthwise=True, kernel=(3, 4))
	yield conv("two at once", "dimension 0 of its weights is 2, not 1", depthwise=True, first=2)
	for biases in (5, 7):
		yield conv(f"{biases} biases for 6", " ", biases=biases)

	def connected(name, shape, outputs, keep=0, says=None, inputs=None, out=None, activation=NONE, bias=True):
		m = begin(name)
		inputs = inputs or (shape[-1] if keep else int(np.prod(shape)))
		w = tflite.model.weights(m, [outputs, inputs], 0, False, 0.05, outputs)
		y = m.tensor(list(out or ((*shape[:-1], outputs) if keep else (1, outputs))), "int8", 0.3, -7)
		m.add("FULLY_CONNECTED", [m.input(shape, "int8", *GRID), *w[:1 + bias]], [y], activation, 0, keep, version=5)
		return case(name, m, [y], says)

	for shape in ((1, 7), (1, 3, 5), (1, 2, 3, 4)):
		for keep in (0, 1):
			for bias in (False, True):
				yield connected(f"FULLY_CONNECTED {shape} {keep} {bias}", shape, 5, keep, bias=bias)
	yield connected("for another number of inputs", (1, 3, 5), 4, 1, "its weights are for 4 inputs", inputs=4)
	yield connected("for another number of all inputs", (1, 3, 5), 4, 0, " ", inputs=14)
	for activation in (1, 2, 3):
		yield connected(f"FULLY_CONNECTED activation {activation}", (1, 7), 6, activation=activation)


def wide_products():
	"""BATCH_MATMUL of int16: two tensors or one and a constant, turned, broadcast, as long as sums of 32 bits are not; scales; what is not quantized around 0."""
	def made(name, a, b, turned=(0, 0), scales=(0.0005, 0.0007, 0.02), constant=None, dtypes=("int16",) * 3, zeros=(0, 0, 0), says=None, filled=False):
		m = begin(name)
		x = []
		for i, shape in enumerate((a, b)):
			values = tflite.model.rng.integers(-32768, 32768, shape).astype(np.int16) if not filled else np.full(shape, -32768, np.int16)
			if i == constant:
				x.append(m.tensor(list(shape), dtypes[i], scales[i], zeros[i], data=values.astype(dtypes[i])))
			else:
				x.append(m.input(shape, dtypes[i], scales[i], zeros[i]))
				if filled:
					m.data[-1][:] = values
		shapes = [(*s[:-2], s[-1], s[-2]) if t else s for s, t in zip((a, b), turned)]
		y = m.tensor([*np.broadcast_shapes(shapes[0][:-2], shapes[1][:-2]), shapes[0][-2], shapes[1][-1]], dtypes[2], scales[2], zeros[2])
		m.add("BATCH_MATMUL", x, [y], *turned, 0, version=3)
		return case(name, m, [y], says)

	for turned in itertools.product((0, 1), repeat=2):
		a, b = [(1, 7, 5), (1, 5, 7)][turned[0]], [(1, 5, 6), (1, 6, 5)][turned[1]]
		yield made(f"BATCH_MATMUL turned {turned}", a, b, turned)
		yield made(f"BATCH_MATMUL by a constant, turned {turned}", a, b[1:], turned, constant=1)
	yield made("BATCH_MATMUL of heads", (1, 3, 7, 5), (1, 3, 5, 6))
	yield made("BATCH_MATMUL of one head and many", (1, 1, 7, 5), (1, 3, 5, 6))
	yield made("BATCH_MATMUL of long rows", (1, 2, 700), (1, 700, 3), scales=(0.0005, 0.0007, 0.3))
	yield made("BATCH_MATMUL past 32 bits", (1, 2, 64), (1, 64, 3), filled=True, scales=(0.001, 0.001, 3.0))
	for to in (1e-6, 0.0001, 0.001, 0.3, 4.0):
		yield made(f"BATCH_MATMUL to scale {to}", (1, 7, 5), (1, 5, 6), scales=(0.0005, 0.0007, to))
	for i in range(3):
		zeros, dtypes = [0, 0, 0], ["int16"] * 3
		zeros[i], dtypes[i] = 1, "int8"
		yield made(f"BATCH_MATMUL with zero point {i}", (1, 7, 5), (1, 5, 6), zeros=zeros, says="zero point 0")
		yield made(f"BATCH_MATMUL with int8 {i}", (1, 7, 5), (1, 5, 6), dtypes=dtypes, says=" ")


def pools():
	"""Windows by which each direction is told from the other, in both kinds of padding."""
	shape = (1, 7, 8, 3)
	for op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
		for padding, (h, w), (down, across) in itertools.product((SAME, VALID), ((2, 3), (3, 1), (7, 8)), ((1, 2), (3, 1))):
			sizes = [-(-shape[1] // down), -(-shape[2] // across)] if padding == SAME else [(shape[1] - h) // down + 1, (shape[2] - w) // across + 1]
			yield one(f"{op} {padding} {h} {w} {down} {across}", op, [shape], [(1, *sizes, 3)], padding, across, down, w, h, NONE, version=2)
		yield one(f"{op} too high", op, [shape], [(1, 1, 8, 3)], VALID, 1, 1, 1, 8, NONE, version=2, says=" ")
		yield one(f"{op} too wide", op, [shape], [(1, 7, 1, 3)], VALID, 1, 1, 9, 1, NONE, version=2, says=" ")

def stored():
	"""What moves or picks elements, to an output of another scale and zero point: LiteRT hands on what is stored where it does not refuse that; SOFTMAX of uint8, whose zero point it does not look at."""
	shape, same = (1, 4, 5, 8), " "
	grid = np.array([[0, 0], [1, 1], [0, 0], [0, 0]])
	made = (
		("MAXIMUM", [shape, shape], shape, (), None, None), ("MINIMUM", [shape, Const(1, 1, 1, 8)], shape, (), None, None),
		("REDUCE_MAX", [shape, [1, 2]], (1, 8), (0,), None, same), ("REDUCE_MIN", [shape, [1, 3]], (1, 5), (0,), None, same),
		("RESIZE_NEAREST_NEIGHBOR", [shape, [8, 9]], (1, 8, 9, 8), (0, 0), None, None), ("RESIZE_BILINEAR", [shape, [8, 9]], (1, 8, 9, 8), (0, 0, 0, 0), same, None),
		("AVERAGE_POOL_2D", [shape], (1, 2, 2, 8), (VALID, 2, 2, 2, 2, 0), None, None), ("AVERAGE_POOL_2D", [shape], (1, 2, 2, 8), (VALID, 2, 2, 2, 2, 3), None, None),
		("MAX_POOL_2D", [shape], (1, 2, 2, 8), (VALID, 2, 2, 2, 2, 1), same, None), ("CONCATENATION", [shape, (1, 4, 5, 3)], (1, 4, 5, 11), (3, 0), same, None),
		("PAD", [shape, grid], (1, 6, 5, 8), (), same, None), ("TRANSPOSE", [shape, [0, 2, 1, 3]], (1, 5, 4, 8), (), same, None), ("SLICE", [shape, [0, 1, 0, 0], [1, 2, 5, 8]], (1, 2, 5, 8), (), same, None),
		("RESHAPE", [shape], (1, 160), ([1, 160],), None, None), ("TILE", [shape, [1, 2, 1, 1]], (1, 8, 5, 8), (), None, None), ("GATHER", [shape, [0, 3]], (1, 2, 5, 8), (1, 0), None, None),
		("STRIDED_SLICE", [shape, [0, 0, 0, 0], [1, 4, 5, 8], [1, 2, 1, 1]], (1, 2, 5, 8), (0, 0, 0, 0, 0), same, None),
		("PACK", [shape, shape], (1, 4, 5, 8, 2), (2, 4), same, same), ("EXPAND_DIMS", [shape, 1], (1, 1, 4, 5, 8), (), same, same), ("MIRROR_PAD", [shape, grid], (1, 6, 5, 8), (0,), same, same),
	)
	for dtype, zero in (("int8", -7), ("uint8", 9), ("int16", 0)):
		for op, inputs, out, options, bytes_say, wide_says in made:
			if dtype == "uint8" and op == "CONCATENATION":  # which rescales
				continue
			m = begin(f"{op} {dtype}")
			x = []
			for i, entry in enumerate(inputs):
				data = tflite.model.rng.integers(-9, 10, getattr(entry, "shape", 0)).astype(dtype)
				x.append(m.input(entry, dtype, 0.05, zero and 3) if isinstance(entry, tuple) else m.tensor(list(entry.shape), dtype, 0.05, zero and 3, data=data) if isinstance(entry, Const) else add_inputs(m, [entry])[0])
			y = m.tensor([1, *out[1:]], dtype, 0.03, zero)
			m.add(op, x, [y], *options, version=1 if op in ("RESHAPE", "TILE", "EXPAND_DIMS") else 2)
			yield case(f"{op} {dtype} {options}", m, [y], wide_says if dtype == "int16" else bytes_say)
	m = begin("TOPK_V2 of int16")
	y = [m.tensor([1, 3], "int16", 0.03, 0), m.tensor([1, 3], "int32")]
	m.add("TOPK_V2", [m.input((1, 9), "int16", 0.05, 0), m.ints(3)], y)
	yield case("TOPK_V2 of int16", m, y, "its input is of int16")
	yield one("SOFTMAX with a zero point", "SOFTMAX", [(1, 8)], [(1, 8)], 1.0, version=2, to=(1 / 256, 5), dtype="uint8")
	yield one("SOFTMAX with a coarse scale", "SOFTMAX", [(1, 8)], [(1, 8)], 1.0, version=2, to=(0.01, 200), dtype="uint8")


def tokens():
	"""A constant that each item has, as a transformer's class token: broadcast to the batch, quantized again, and joined to a tensor; what does not fit."""
	def made(name, dtype="int8", shape=(1, 1, 6), to=(1, 1, 6), axis=1, broadcast=True, again=None, first=True, other=GRID, says=None):
		zero = 0 if dtype == "int16" else 3
		grid, m = (0.05, zero), begin(name)
		x = m.input((1, 4, 6), dtype, *grid)
		token = m.tensor(list(shape), dtype, *(again or (other[0], other[1] and zero)), data=tflite.model.rng.integers(-90, 91, shape).astype(dtype))
		if broadcast:
			wide = m.tensor(list(to), dtype, *(again or grid))
			m.add("BROADCAST_TO", [token, m.ints(list(to))], [wide], version=3)
			token = wide
		if again:
			finer = m.tensor(list(to), dtype, *grid)
			m.add("QUANTIZE", [token], [finer], version=3 if dtype == "int16" else 2)
			token = finer
		joined = [1, 4, 6]
		joined[axis] += to[axis]
		y = m.tensor(joined, dtype, *grid)
		m.add("CONCATENATION", [token, x] if first else [x, token], [y], axis, 0, version=3)
		return case(name, m, [y], says)

	for dtype in ("int8", "int16"):
		yield made(f"{dtype}, broadcast", dtype)
		yield made(f"{dtype}, as it is, behind", dtype, broadcast=False, first=False)
		yield made(f"{dtype}, broadcast further", dtype, to=(1, 3, 6))
		yield made(f"{dtype}, of fewer dimensions, on the last axis", dtype, shape=(4, 1), to=(1, 4, 2), axis=2)
		yield made(f"{dtype}, quantized again", dtype, again=(0.031, 0))
		yield made(f"{dtype}, quantized much finer", dtype, again=(5.0, 0))
	yield made("of another scale", broadcast=False, other=(0.07, 3), says=" ")
	yield made("broadcast from more", shape=(1, 2, 6), to=(1, 3, 6), says="and its constant has 2")


def wide_sums():
	"""SUM of int16, over each dimension and several, of counts that are powers of two and others, to scales with and without ties; SQRT of int8 with any zero point, of what has a root."""
	def made(name, shape, axes, out, to, keep=0, says=None):
		m = begin(name)
		x = m.input(shape, "int16", 0.25 if to == 0.5 else 0.0003, 0)
		y = m.tensor(list(out), "int16", to, 0)
		m.add("SUM", [x, m.ints(list(axes))], [y], keep, version=2)
		return case(name, m, [y], says)

	shape = (1, 5, 4, 7)
	for axes, out in (((1,), (1, 4, 7)), ((2,), (1, 5, 7)), ((3,), (1, 5, 4)), ((1, 2), (1, 7)), ((1, 3), (1, 4)), ((-1, -2), (1, 5)), ((1, 2, 3), (1,))):
		for to in (0.5, 0.0011, 0.01):
			yield made(f"SUM over {axes} to {to}", shape, axes, out, to)
	yield made("SUM that keeps dimensions", shape, (1, 2), (1, 1, 1, 7), 0.004, 1)
	yield made("SUM of a long row", (1, 3, 5000), (2,), (1, 3), 0.02)
	yield made("SUM of one", (1, 3, 1), (2,), (1, 3), 0.0004)
	yield made("SUM of too many", (1, 1, 33000), (2,), (1, 1), 0.02, says="over more than 65535 elements")
	for zero, scale, to in ((-128, 0.05, 0.02), (19, 0.02, 0.01), (127, 1.0, 0.1), (-77, 3.0, 0.2)):
		m = begin(f"SQRT from {zero}")
		x = m.input((1, 4, 64), "int8", scale, zero)
		m.data[-1][:] = np.maximum(m.data[-1], zero)
		y = m.tensor([1, 4, 64], "int8", to, -100)
		m.add("SQRT", [x], [y])
		yield case(f"SQRT from {zero}", m, [y], None)


TFLITE_FILES = {f"tflite-{make.__name__.replace('_', '-')}": make for make in (parts, strides, padding, folds, along, orders, pairs, elements, blocks, wide, wide_comparisons, wide_products, transposed, layers, pools, stored, tokens, wide_sums)}
