# SPDX-License-Identifier: MIT
"""For write.py: operators that take elements by indices that are computed, or find them; and numbers that follow from shapes, which
converters write where a batch may vary."""
import numpy as np

import tflite.model
from tflite.model import ITEMS, NONE, RELU, TYPES, Model, refused

IMAGE = [1, 7, 9, 4]
QUANT = (0.05, 3)


def indices(m, shape, high, low=0, dtype="int32"):
	"""An input: the file's shape, and numbers below `high`, one for each dimension that an index is of."""
	m.data.append(tflite.model.rng.integers(low, high, [ITEMS, *shape[1:]]).astype(dtype))
	m.inputs.append(m.tensor(shape, dtype, name=f"x{len(m.inputs)}"))
	return m.inputs[-1]


def constant(m, shape, dtype, scale=None, zero=0):
	info = np.iinfo(dtype)
	return m.tensor(shape, dtype, scale, zero, data=tflite.model.rng.integers(info.min, info.max + 1, shape).astype(dtype))


def gather_constant(name, table, places, dtype="int8", index="int32", quant=QUANT):
	m = Model()
	x = constant(m, table, dtype, *quant)
	y = m.tensor([*places, *table[1:]], dtype, *quant)
	m.add("GATHER", [x, indices(m, places, table[0], dtype=index)], [y], 0, 0, version=2)
	m.save(name, [y])


def gather(name, shape, places, axis, batch_dims, dtype="int8", quant=QUANT):
	m = Model()
	x = m.input(shape, dtype, *quant)
	at = indices(m, places, shape[axis])
	y = m.tensor([*shape[:axis], *places[batch_dims:], *shape[axis + 1:]], dtype, *quant)
	m.add("GATHER", [x, at], [y], axis, batch_dims, version=4)
	m.save(name, [y])


def gather_nd(name, shape, places, kind, dtype="int8", quant=QUANT):
	"""kind: which of both is a constant."""
	m, depth = Model(), places[-1]
	x = constant(m, shape, dtype, *quant) if kind == "table" else m.input(shape, dtype, *quant)
	high = [*shape[:depth]] if kind == "table" else [1, *shape[1:depth]]
	if kind == "indices":
		at = m.tensor(places, "int32", data=tflite.model.rng.integers(0, high, places).astype(np.int32))
	else:
		at = indices(m, places, high)
	y = m.tensor([*places[:-1], *shape[depth:]], dtype, *quant)
	m.add("GATHER_ND", [x, at], [y], version=3 if dtype == "int16" else 2)
	m.save(name, [y])


def one_hot(name, shape, depth, axis, dtype="int8", quant=QUANT, on_off=(113, -20), index="int32"):
	m = Model()
	x = indices(m, shape, depth + 2, -2, index)
	on, off = (m.tensor([], dtype, *quant, data=np.array(value, dtype)) for value in on_off)
	at = axis if axis >= 0 else len(shape)
	y = m.tensor([*shape[:at], depth, *shape[at:]], dtype, *quant)
	m.add("ONE_HOT", [x, m.ints(depth), on, off], [y], axis)
	m.save(name, [y])


def top_k(name, shape, k, dtype="int8", quant=QUANT):
	m = Model()
	x = m.input(shape, dtype, *quant)
	if dtype not in ("int8", "uint8"):
		m.data[0][:] >>= 24
	y = [m.tensor([*shape[:-1], k], dtype, *quant), m.tensor([*shape[:-1], k], "int32")]
	m.add("TOPK_V2", [x, m.ints(k)], y, version=2)
	m.save(name, y)


def cumsum(name, shape, axis, exclusive, reverse, dtype="int32"):
	m = Model()
	x = m.input(shape, dtype, None, 0)
	y = m.tensor(shape, dtype)
	m.add("CUMSUM", [x, m.ints(axis)], [y], exclusive, reverse)
	m.save(name, [y])


def div(name, other):
	m, rng = Model(), tflite.model.rng
	x = m.input(IMAGE, "int32", None, 0)
	divisors = rng.choice([-70000, -3, -1, 1, 2, 7, 40000], [ITEMS if other is None else 1, *(IMAGE if other is None else other)[1:]]).astype(np.int32)
	m.data[0][:] = np.where(rng.integers(0, 2, m.data[0].shape), m.data[0] >> 24, np.maximum(m.data[0], -2**31 + 1))
	if other is None:
		m.data.append(divisors)
		m.inputs.append(m.tensor(IMAGE, "int32", name="x1"))
	z = m.inputs[-1] if other is None else m.tensor(other, "int32", data=divisors)
	y = m.tensor(IMAGE, "int32")
	m.add("DIV", [x, z], [y], NONE)
	m.save(name, [y])


class Numbers:
	"""A model with numbers that are computed from shapes."""

	def __init__(self, shape, varies=False, dtype="int32"):
		self.m, self.shape, self.dtype = Model(), shape, dtype
		self.x = self.m.input(shape, "int8", *QUANT)
		if varies:
			self.m.tensors[self.x][7] = tflite.model.fb.vector("i", [-1, *shape[1:]])

	def add(self, op, inputs, shape, *options, version=1):
		out = self.m.tensor(shape, self.dtype)
		self.m.add(op, inputs, [out], *options, version=version)
		return out

	def number(self, value):
		array = np.array(value, self.dtype)
		return self.m.tensor(list(array.shape), self.dtype, data=array)

	def dims(self):
		return self.add("SHAPE", [self.x], [len(self.shape)], TYPES[self.dtype])

	def part(self, of, begin, end):
		"""Number `begin`, or those up to `end`."""
		bounds = [self.m.ints([n]) for n in (begin, begin + 1 if end is None else end, 1)]
		return self.add("STRIDED_SLICE", [of, *bounds], [] if end is None else [end - begin], 0, 0, 0, 0, end is None)

	def reshape(self, name, dims, shape):
		y = self.m.tensor(shape, "int8", *QUANT)
		self.m.add("RESHAPE", [self.x, dims], [y], shape)
		self.m.save(name, [y])


def shapes():
	n = Numbers([1, 4, 6], True)  # as Flatten and Reshape become
	batch = n.part(n.dims(), 0, None)
	n.reshape("shape_pack", n.add("PACK", [batch, n.number(2), n.number(12)], [3], 3, 0), [1, 2, 12])
	n = Numbers([1, 4, 6])
	dims = n.dims()
	height = n.add("REDUCE_PROD", [n.part(dims, 1, 3), n.m.ints([0])], [1], 1, version=2)
	n.reshape("shape_prod", n.add("CONCATENATION", [n.part(dims, 0, 1), height], [2], 0, NONE), [1, 24])
	n = Numbers([1, 4, 6], False, "int64")
	dims = n.dims()
	two = n.add("GATHER", [dims, n.m.ints([2, 0])], [2], 0, 0)
	half = n.add("SUB", [two, n.number([3, 0])], [2], NONE)
	eight = n.add("MUL", [n.part(dims, 1, None), n.number(2)], [], NONE)
	both = n.add("PACK", [n.part(half, 1, None), eight, n.part(half, 0, None)], [3], 3, -1)
	n.dtype = "int32"
	n.reshape("shape_arithmetic", n.add("CAST", [both], [3], TYPES["int64"], TYPES["int32"]), [1, 8, 3])
	n = Numbers([1, 8, 3])
	dims = n.dims()
	low = n.add("MINIMUM", [n.add("SUB", [n.part(dims, 1, None), n.number(5)], [], NONE), n.number(7)], [])
	more = n.add("MAXIMUM", [n.add("ADD", [low, n.number(9)], [], NONE), n.number(2)], [])
	left = n.add("FLOOR_MOD", [more, n.number(7)], [])  # 12 % 7
	four = n.add("DIV", [n.add("MUL", [left, n.number(9)], [], NONE), n.number(5)], [], NONE)
	four = n.add("FLOOR_DIV", [four, n.number(2)], [])
	parts = [n.add("SLICE", [dims, n.m.ints([0]), n.m.ints([1])], [1]), n.add("EXPAND_DIMS", [four, n.m.ints(0)], [1]),
		 n.add("RESHAPE", [n.number(6), n.m.ints([1])], [1], [1])]
	n.reshape("shape_more_arithmetic", n.add("CONCATENATION", parts, [3], -1, NONE), [1, 4, 6])
	n = Numbers([1, 9, 5])
	y = n.m.tensor([1, 4, 5], "int8", *QUANT)
	steps = n.add("RANGE", [n.number(8), n.number(0), n.number(-2)], [4])
	n.m.add("GATHER", [n.x, steps], [y], 1, 0, version=2)
	n.m.save("range_gather", [y])
	for op in ("FILL", "ZEROS_LIKE"):
		m = Model()
		x = m.input([1, 4, 6], "int32", None, 0)
		m.data[0] >>= 20
		k, y = m.tensor([1, 4, 6], "int32"), m.tensor([1, 4, 6], "int32")
		if op == "FILL":
			dims = m.tensor([3], "int32")
			m.add("SHAPE", [x], [dims], TYPES["int32"])
			m.add(op, [dims, m.ints(-7)], [k])
		else:
			m.add(op, [x], [k])
		m.add("MAXIMUM", [x, k], [y])
		m.save(op.lower(), [y])


@tflite.model.numbers(60)
def write():
	gather_constant("gather_embedding", [50, 12], [1, 9])
	gather_constant("gather_embedding_int64", [40, 3, 2], [1, 4, 2], index="int64")
	gather_constant("gather_table", [300], [1, 40], "uint8", quant=(0.05, 128))
	gather_constant("gather_table_int32", [30, 4], [1, 6], "int32", quant=(None, 0))
	gather("gather_computed", [1, 9, 5], [1, 6], 1, 0)
	gather("gather_computed_last", [1, 4, 7], [1, 2, 3], 2, 0, "uint8", (0.05, 128))
	gather("gather_batch_dims", [1, 9, 5], [1, 6], 1, 1)
	gather("gather_batch_dims_two", [1, 4, 7, 3], [1, 4, 5], 2, 2)
	gather("gather_batch_dims_int16", [1, 9, 5], [1, 3, 2], 1, 1, "int16", (0.0005, 0))
	gather_nd("gather_nd", [1, 5, 6, 3], [1, 7, 3], "none")
	gather_nd("gather_nd_vectors", [1, 5, 6, 3], [1, 2, 4, 2], "none")
	gather_nd("gather_nd_table", [5, 6, 3], [1, 7, 2], "table")
	gather_nd("gather_nd_places", [1, 5, 6, 3], [1, 2, 4, 3], "indices")
	gather_nd("gather_nd_places_all", [1, 5, 6], [1, 8, 3], "indices", "int16", (0.0005, 0))
	one_hot("one_hot", [1, 12], 7, -1)
	one_hot("one_hot_axis", [1, 5, 3], 6, 1, "uint8", (0.05, 128), (200, 7), "int64")
	one_hot("one_hot_int32", [1, 5, 3], 4, 2, "int32", (None, 0), (-70000, 9))
	top_k("top_k", [1, 40], 7)
	top_k("top_k_rows", [1, 5, 300], 300, "uint8", (0.05, 128))
	top_k("top_k_int32", [1, 3, 60], 4, "int32", (None, 0))
	cumsum("cumsum", [1, 7, 9], 1, 0, 0)
	cumsum("cumsum_reverse", [1, 7, 9], -1, 1, 1)
	div("div_int32", None)
	div("div_int32_constant", [1, 1, 9, 1])
	shapes()


@tflite.model.numbers(61)
def refuse():
	def made(op, inputs, shape, dtype, *options, quant=QUANT):
		m = Model()
		given = [i(m) if callable(i) else m.ints(i) for i in inputs]
		y = m.tensor(shape, dtype, *(quant if dtype == "int8" else (None, 0)))
		m.add(op, given, [y], *options)
		return m, [y]

	def x(shape, dtype="int8"):
		return lambda m: m.input(shape, dtype, *(QUANT if dtype == "int8" else (None, 0)))

	def k(shape, dtype="int8"):
		return lambda m: constant(m, shape, dtype, *(QUANT if dtype == "int8" else (None, 0)))
	for name, words, model in (
			("gather_indices_type", "its indices are of int8", made("GATHER", [x([1, 4]), x([1, 3])], [1, 1, 3], "int8", 1, 0)),
			("gather_table_axis", "and not along dimension 0", made("GATHER", [k([1, 4]), x([1, 3], "int32")], [1, 1, 3], "int8", 1, 0)),
			("gather_computed_batch", "is dimension 0, which is the batch", made("GATHER", [x([1, 4]), x([1, 3], "int32")], [1, 3, 4], "int8", 0, 0)),
			("gather_behind_batch_dims", "is dimension 2, which is", made("GATHER", [x([1, 4, 5]), x([1, 3], "int32")], [1, 4, 3], "int8", 2, 1)),
			("gather_batch_dims_shape", "first 2 dimensions, batch_dims, are not the same",
			 made("GATHER", [x([1, 4, 5]), x([1, 3, 2], "int32")], [1, 4, 2], "int8", 2, 2)),
			("gather_constant_batch_dims", "are a constant, and its option batch_dims", made("GATHER", [x([1, 4, 5]), [1, 3]], [1, 2, 5], "int8", 1, 1)),
			("gather_nd_batch", "or of the batch alone", made("GATHER_ND", [x([1, 4, 5]), x([1, 3, 1], "int32")], [1, 3, 4, 5], "int8")),
			("gather_nd_deep", "are of 4 dimensions of 3", made("GATHER_ND", [x([1, 4, 5]), x([1, 3, 4], "int32")], [1, 3], "int8")),
			("gather_nd_rows", "for models of one item only",
			 made("GATHER_ND", [x([2, 4, 5]), lambda m: m.tensor([1, 1, 2], "int32", data=np.array([[[0, 2]]], np.int32))], [1, 1, 5], "int8")),
			("gather_nd_flat", "no first dimension of 1", made("GATHER_ND", [x([1, 4, 5]), [0, 1]], [5], "int8")),
			("gather_nd_far", "it takes index 9 of dimension 1",
			 made("GATHER_ND", [x([1, 4, 5]), lambda m: m.tensor([1, 1, 2], "int32", data=np.array([[[0, 9]]], np.int32))], [1, 1, 5], "int8")),
			("one_hot_batch", "is dimension 0, which is the batch", made("ONE_HOT", [x([1, 4], "int32"), 3, k([]), k([])], [3, 1, 4], "int8", 0)),
			("one_hot_depth", "not one number from 1 to 65536", made("ONE_HOT", [x([1, 4], "int32"), 0, k([]), k([])], [1, 4, 0], "int8", -1)),
			("one_hot_values", "its input 2 is no constant of one number", made("ONE_HOT", [x([1, 4], "int32"), 3, k([2]), k([])], [1, 4, 3], "int8", -1)),
			("one_hot_type", "its indices are of int8", made("ONE_HOT", [x([1, 4]), 3, k([]), k([])], [1, 4, 3], "int8", -1)),
			("cumsum_type", "nnloop knows int32 and int64", made("CUMSUM", [x([1, 4]), 1], [1, 4], "int8", 0, 0)),
			("cumsum_batch", "its axis is dimension 0", made("CUMSUM", [x([1, 4], "int32"), 0], [1, 4], "int32", 0, 0)),
			("div_relu", "its option fused_activation_function is 1; nnloop can do 0 only", made("DIV", [x([1, 4], "int32"), k([1, 4], "int32")], [1, 4], "int32", RELU)),
			("reduce_prod_int8", "are not all constants of int32 or int64", made("REDUCE_PROD", [x([1, 4]), [1]], [1], "int8", 0)),
			("range_computed", "are not all constants of int32 or int64", made("RANGE", [x([1], "int32"), 5, 1], [5], "int32")),
			("range_empty", "it counts from 5 to 5 by 1", made("RANGE", [5, 5, 1], [1], "int32")),
			("range_far", "it computes with 2147483648 and 0 while the model is imported; nnloop knows 32 bits", made("RANGE", [lambda m: m.tensor([], "int64", data=np.array(2**31, np.int64)),
									 lambda m: m.tensor([], "int64", data=np.array(2**31 + 5, np.int64)),
									 lambda m: m.tensor([], "int64", data=np.array(1, np.int64))], [5], "int64")),
			("range_many", "nnloop knows 1 to 1024", made("RANGE", [0, 1025, 1], [1025], "int32")),
			("fill_shape", "it makes dimension 1 4, and that of its output is 5", made("FILL", [[1, 4], 3], [1, 5], "int32")),
			("fill_type", "it fills with more than a number, of another type", made("FILL", [[1, 4], 3], [1, 4], "int64")),
			("shape_type", "its option out_type says another type", made("SHAPE", [x([1, 4])], [2], "int32", TYPES["int64"]))):
		m, outputs = model
		if not m.inputs:
			m.input([1, 4], "int8", *QUANT)
		refused(name, words, m, outputs)
	m = Model()
	y = [m.tensor([1, 5], "int8", *QUANT), m.tensor([1, 5], "int32")]
	m.add("TOPK_V2", [m.input([1, 4], "int8", *QUANT), m.ints(5)], y)
	refused("top_k_many", "as many as there are", m, y)
	m = Model()
	y = [m.tensor([1, 1], "int8", *QUANT), m.tensor([1, 1], "int32")]
	m.add("TOPK_V2", [m.input([1, 4], "int8", *QUANT), m.ints([1, 1])], y)
	refused("top_k_two", "its k is not one number", m, y)
	for name, words, op, values in (("known_zero", "and no division by 0", "FLOOR_DIV", (4, 0)), ("known_large", "which is no int32", "MUL", (70000, 70000)),
					("known_shapes", "more than one dimension of numbers", "ADD", ([4, 3], [1, 2, 3]))):
		m = Model()
		m.input([1, 4], "int8", *QUANT)
		y = m.tensor([] if np.ndim(values[0]) == 0 else [3], "int32")
		m.add(op, [m.ints(value) for value in values], [y], *([NONE] if op != "FLOOR_DIV" else []), version=1)
		refused(name, words, m, [y])
