# SPDX-License-Identifier: MIT
"""TensorFlow Lite's operators that take elements by indices that are computed, or find them, and numbers that follow from shapes, for
graphs.py: as in layers.py."""
import numpy as np

from random_tflite.moves import factors, gather as gather_constant
from random_tflite.builder import PLAIN
from tflite.model import TYPES


def places(g, shape, high, low=0):
	"""An input of indices below `high`, which is one number for all, or one for each of the last dimension."""
	dtype = g.d.pick(["int32", "int64"], [3, 1]) if not g.tags & {"ARG_MAX.output_type=4", "ARG_MIN.output_type=4"} else "int32"
	return g.input(shape, dtype, adjust=lambda x: (x % (np.array(high) - low) + low).astype(x.dtype))


def some(g, more=0):
	return [g.d.pick([3, 1, 2, 5]) for _ in range(g.d.pick([1, 2, 0]) + more)]


def gather(g, v):
	if g.d.chance(3):
		return gather_constant(g, v)
	what = g.d.pick(["rows", "table", "batch_dims"])
	g.tag("GATHER", "from", what)
	if what == "table":
		table = g.constant([g.d.pick([7, 2, 40]), *v.shape[1:]], v.dtype, v.scale, v.zero)
		shape = [v.shape[0], *some(g, 1)]
		return g.result("GATHER", [table, places(g, shape, table.shape[0])], [*shape, *v.shape[1:]], v.dtype, v.scale, v.zero, axis=0, batch_dims=0)
	axis = g.d.between(1, len(v.shape) - 1)
	number = axis - len(v.shape) if g.d.chance(3) else axis
	front = v.shape[:axis] if what == "batch_dims" else v.shape[:1]
	dims = [*front, *some(g)]
	at = places(g, dims, v.shape[axis])
	shape = [*front, *dims[axis:], *v.shape[axis + 1:]] if what == "batch_dims" else [*v.shape[:axis], *dims, *v.shape[axis + 1:]]
	return g.like("GATHER", v, shape, [at], axis=number, batch_dims=axis if what == "batch_dims" else 0)


def gather_nd(g, v):
	what = g.d.pick(["rows", "table", "constant"])
	g.tag("GATHER_ND", "from", what)
	depth = g.d.between(1 if what == "table" else 2, len(v.shape))
	dims = [v.shape[0], *some(g), depth]
	if what == "table":
		table = g.constant([g.d.pick([7, 2, 5]), *v.shape[1:]], v.dtype, v.scale, v.zero)
		at = places(g, dims, table.shape[:depth])
		return g.result("GATHER_ND", [table, at], [*dims[:-1], *v.shape[depth:]], v.dtype, v.scale, v.zero)
	high = np.array([1, *v.shape[1:depth]])
	at = places(g, dims, high) if what == "rows" else g.tensor([1, *dims[1:]], "int32", data=g.rng.integers(0, high, [1, *dims[1:]]).astype(np.int32))
	return g.like("GATHER_ND", v, [*dims[:-1], *v.shape[depth:]], [at])


def one_hot(g, v):
	depth = g.d.pick([4, 1, 7, 33])
	x = places(g, v.shape, depth + 2, -2)
	axis = g.d.between(1, len(v.shape))
	on, off = (g.constant([], v.dtype, v.scale, v.zero) for _ in range(2))
	shape = [*v.shape[:axis], depth, *v.shape[axis:]]
	return g.result("ONE_HOT", [x, g.tensor([], "int32", data=np.array(depth, np.int32)), on, off], shape, v.dtype, v.scale, v.zero,
			axis=-1 if axis == len(v.shape) and g.d.chance(2) else axis)


def top_k(g, v):
	k = g.d.pick([1, v.shape[-1], g.d.between(1, v.shape[-1])])
	y = [g.new([*v.shape[:-1], k], v.dtype, v.scale, v.zero), g.new([*v.shape[:-1], k], "int32", None, 0)]
	g.add("TOPK_V2", [v, g.tensor([], "int32", data=np.array(k, np.int32))], y)
	return g.d.pick(y)


def cumsum(g, v):
	axis = g.d.between(1, len(v.shape) - 1)
	axis = g.tensor([], "int32", data=np.array(axis - len(v.shape) if g.d.chance(3) else axis, np.int32))
	return g.like("CUMSUM", v, v.shape, [axis], exclusive=g.d.below(2), reverse=g.d.below(2))


class Numbers:
	def __init__(self, g):
		self.g = g
		self.dtype = g.d.pick(["int32", "int64"])

	def number(self, value):
		array = np.array(value, self.dtype)
		return self.g.tensor(list(array.shape), self.dtype, data=array)

	def add(self, op, inputs, shape, **options):
		out = self.g.tensor(shape, self.dtype)
		self.g.add_known(op, inputs, out, **options)
		return out


def shape_numbers(g, v):
	"""RESHAPE, to numbers that are computed of the shape."""
	if v.shape[0] != 1 or len(v.shape) < 2:
		return None
	n = Numbers(g)
	shape = [1, *factors(g, int(np.prod(v.shape[1:])))]
	dims = n.add("SHAPE", [v], [len(v.shape)], out_type=TYPES[n.dtype])
	parts = []
	for size in shape:
		how = g.d.pick(["constant", "sum", "difference", "product", "batch", "all", "extreme"], [2, 2, 2, 2, 2, 3, 2])
		one = g.d.between(0, len(v.shape) - 1)
		bounds = [g.ints([one]), g.ints([one + 1]), g.ints([1])]
		if how == "constant":
			part = n.number(size)
		elif how == "batch":
			part = n.add("MUL", [n.number(size), n.add("GATHER", [dims, n.number(0) if n.dtype == "int32" else g.tensor([], "int32", data=np.array(0, np.int32))],
								   [], axis=0, batch_dims=0)], [], fused_activation_function=0)
		elif how == "all" and np.prod(v.shape[1:]) % size == 0:
			some_dims = n.add("SLICE", [dims, g.ints([1]), g.ints([-1])], [len(v.shape) - 1])
			if g.d.chance(2):
				part = n.add("SQUEEZE", [n.add("REDUCE_PROD", [some_dims, g.ints([0])], [1], keep_dims=1)], [], squeeze_dims=[0])
			else:
				part = n.add("REDUCE_PROD", [some_dims, g.ints([0])], [], keep_dims=0)
			if np.prod(v.shape[1:]) != size:
				part = n.add("SUB", [part, n.number(int(np.prod(v.shape[1:])) - size)], [], fused_activation_function=0, pot_scale_int16=0)
		else:
			part = n.add("STRIDED_SLICE", [dims, *bounds], [], begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=1, offset=0)
			have = v.shape[one]
			if how == "extreme":
				part = n.add("MAXIMUM", [part, n.number(size + have)], [])
				part = n.add("MINIMUM", [n.number(size), part], [])
			elif how == "product" and n.dtype == "int32":
				part = n.add("FLOOR_DIV" if g.d.chance(2) else "DIV", [n.add("MUL", [part, n.number(size)], [], fused_activation_function=0), n.number(have)], [])
			elif size >= have:
				part = n.add("ADD", [part, n.number(size - have)], [], fused_activation_function=0, pot_scale_int16=0)
			else:
				part = n.add("SUB", [part, n.number(have - size)], [], fused_activation_function=0, pot_scale_int16=0)
		parts.append(part)
	if g.d.chance(2):
		made = n.add("PACK", parts, [len(parts)], values_count=len(parts), axis=g.d.pick([0, -1]))
	else:
		parts = [n.add("EXPAND_DIMS", [part, g.tensor([], "int32", data=np.array(0, np.int32))], [1]) for part in parts]
		made = n.add("CONCATENATION", parts, [len(parts)], axis=0, fused_activation_function=0)
	if n.dtype == "int64":
		n.dtype = "int32"
		made = n.add("CAST", [made], [len(shape)], in_data_type=TYPES["int64"], out_data_type=TYPES["int32"])
	return g.like("RESHAPE", v, shape, [made], new_shape=shape)


def known_constants(g, v):
	"""MAXIMUM with what is the same everywhere; or GATHER, by numbers that count."""
	if v.dtype in PLAIN and g.d.chance(2):
		n = Numbers(g)
		n.dtype = v.dtype
		value = int(g.rng.integers(-3, 3))
		if v.shape[0] != 1 or g.d.chance(2):
			k = n.add("ZEROS_LIKE", [v], v.shape)
		else:
			k = n.add("FILL", [g.ints(v.shape), n.number(value)], v.shape)
		return g.result("MAXIMUM", [v, k], v.shape, v.dtype, None, 0)
	if len(v.shape) < 2:
		return None
	n = Numbers(g)
	n.dtype = "int32"
	axis = g.d.between(1, len(v.shape) - 1)
	count, by = g.d.between(1, v.shape[axis]), g.d.pick([1, -1])
	first = 0 if by == 1 else count - 1
	steps = n.add("RANGE", [n.number(first), n.number(first + by * count), n.number(by)], [count])
	return g.like("GATHER", v, [*v.shape[:axis], count, *v.shape[axis + 1:]], [steps], axis=axis, batch_dims=0)
