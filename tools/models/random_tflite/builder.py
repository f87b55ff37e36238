# SPDX-License-Identifier: MIT
"""What random TensorFlow Lite graphs are built with (graphs.py): a graph that grows operator by operator, and the importer's
table of operators, as docs/tflite.md has it.

Where libtensorflowlite_c.so 2.9.0 cannot judge the graph itself, it judges a twin, which computes the same:

- of uint8 one of int8, all of whose stored integers are 128 less, because it has XNNPACK's operators of int8 only, and those of uint8
  round alike;
- of operators in versions that it does not know one in those it does.
"""
import copy
import os
import re
from dataclasses import dataclass

import numpy as np

from tflite import flatbuffer as fb
from tflite.model import OPERATORS, Model

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/tflite.md")
DETECTION = "TFLite_Detection_PostProcess"


# With a state, or of models in float only: tests/unit/tflite-random has the same.
LEFT_OUT = ("SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN", "CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "DENSIFY", "Convolution2DTransposeBias")


def read_table():
	"""Operator: its versions, and for each of its options, in the order of the file's fields, the values that can be done, if these
	are few."""
	table = {}
	with open(PAGE) as page:
		rows = [line.split("|")[1:4] for line in page if re.match(r"\| `\w+` \| \d+( to \d+)?(, \d+( to \d+)?)* \|", line)]
	for name, versions, options in rows:
		values = {}
		for option, low, high in re.findall(r"`(\w+)`(?:: (-?\d+)(?:\.\.(\d*))?)?", options):
			high = low if high == "" and f"`{option}`: {low}.." not in options else high
			values[option] = range(int(low), int(high) + 1) if low and high and int(high) - int(low) < 4 else None
		ranges = [[int(end) for end in part.split(" to ")] for part in versions.split(",")]
		if name.strip(" `") in LEFT_OUT:
			continue
		table[name.strip(" `")] = [v for ends in ranges for v in range(ends[0], ends[-1] + 1)], values
	return table


TABLE = read_table()
# The versions that the library knows, where these are fewer.
VERSIONS = {"CONV_2D": (1, 5), "TRANSPOSE": (1, 5), "SELECT": (1, 2), "TRANSPOSE_CONV": (1, 3), "BATCH_TO_SPACE_ND": (1, 3), "SPACE_TO_BATCH_ND": (1, 3), "STRIDED_SLICE": (1, 6), "PACK": (1, 3), "MIRROR_PAD": (1, 2), "BROADCAST_TO": (2, 3)}

PLAIN = ("int32", "int64", "bool")  # types of tensors that are not quantized


@dataclass
class Value:
	"""A tensor of the graph."""
	at: int
	shape: list  # as the file has it
	dtype: str
	scale: np.float32 = None  # None: not quantized
	zero: int = 0


def limits(dtype):
	info = np.iinfo(dtype)
	return int(info.min), int(info.max)


class Graph:
	"""`exact`: what judges a graph of uint8: "own", TensorFlow Lite's kernels of uint8; or "by twin"."""

	def __init__(self, draw):
		self.d = draw
		self.m, self.twin = Model(), None  # begin() says whether there is one
		self.tags, self.values, self.inputs = set(), [], []
		self.classes = 0  # that a detector finds of each box
		self.read = set()  # tensors that operators read
		self.other_versions = {}  # of which operator the twin has which
		self.clamps = {}  # of which operator the twin has an activation behind it, and which, as the library knows none in it
		self.rng = np.random.default_rng(draw.below(1 << 16))
		self.dtype = draw.pick(["int8", "uint8", "int16", "int32"], [12, 7, 4, 1])
		self.exact = draw.pick(["by twin", "own"], [1, 1])
		self.form = draw.pick(["one", "more", "varies"], [6, 2, 1])
		self.rows = draw.pick([2, 3, 1, 4])
		self.batch = self.rows if self.form == "more" else 1
		self.tags.add(f"batch {self.form}")

	def begin(self, dtype, exact):
		self.dtype, self.exact = dtype, exact
		self.tags.add(f"tensors of {dtype}")
		if dtype == "uint8" and exact == "by twin":
			self.twin = Model()

	def models(self):
		return [self.m, self.twin] if self.twin else [self.m]

	# ---- tensors ----

	def has_batch(self, shape):
		return self.form == "varies" and len(shape) > 1 and shape[0] == 1

	def tensor(self, shape, dtype, scale=None, zero=0, data=None, axis=None, twin_data=None, twin_zero=None):
		"""In both models. Where uint8 has no other data for the twin, it is what is 128 less."""
		varies = data is None and self.has_batch(shape)
		at = self.m.tensor(shape, dtype, scale, zero, axis, data, varies=varies)
		if not self.twin:
			return at
		if dtype == "uint8" and scale is not None:
			dtype, zero = "int8", zero - 128 if twin_zero is None else twin_zero
			if data is not None:
				data = twin_data if twin_data is not None else np.asarray(data ^ 0x80, np.uint8).reshape(-1).view(np.int8)
		self.twin.tensor(shape, dtype, scale, zero, axis, data, varies=varies)
		return at

	def ints(self, values):
		array = np.array(values, np.int32)
		return self.tensor(list(array.shape), str(array.dtype), data=array)

	def scale(self, near=0.05):
		return np.float32(near * self.d.pick([1, 0.5, 2, 0.7310586, 1.37, 0.2, 5.1], [6, 2, 2, 5, 5, 2, 2]))

	def zero(self, dtype):
		if dtype not in ("int8", "uint8"):
			return 0
		low, high = limits(dtype)
		middle = 0 if dtype == "int8" else 128
		return self.d.pick([middle, low, high, middle + 3, middle - 9, int(self.rng.integers(low, high + 1))], [4, 3, 2, 4, 4, 4])

	def plain_data(self, shape, dtype):
		"""Small integers, so that some are equal, among any."""
		if dtype == "bool":
			return self.rng.integers(0, 2, shape).astype(bool)
		few = self.rng.integers(-3, 4, shape)
		return np.where(self.rng.integers(0, 3, shape) > 0, few, self.rng.integers(*limits(dtype), shape, endpoint=True)).astype(dtype)

	def random_data(self, shape, dtype):
		if dtype in PLAIN:
			return self.plain_data(shape, dtype)
		low, high = limits(dtype)
		data = self.rng.integers(low, high + 1, shape)
		if dtype == "int16" and self.rng.integers(0, 2):
			data >>= 4
		return data.astype(dtype)

	def constant(self, shape, dtype, scale, zero):
		return Value(self.tensor(shape, dtype, scale, zero, self.random_data(shape, dtype)), shape, dtype, scale, zero)

	def input(self, shape, dtype=None, scale=None, zero=None, no_batch=False, adjust=lambda data: data):
		"""no_batch: the file has a tensor of one dimension, and each item has its own."""
		dtype = dtype or self.dtype
		if dtype not in PLAIN:
			scale = self.scale() if scale is None else scale
			zero = self.zero(dtype) if zero is None else zero
		else:
			scale, zero = None, 0
		v = Value(self.tensor(shape, dtype, scale, zero), shape, dtype, scale, zero)
		rows = self.rows if (shape[0] == 1 or no_batch) and self.form != "more" else shape[0]
		no_batch = no_batch and shape[0] != 1  # else it is the batch
		data = adjust(self.random_data([rows, *(shape if no_batch else shape[1:])], dtype))
		self.add_input(v, data)
		return v

	def real_input(self, shape):
		"""Of float32, which a QUANTIZE reads: values beside the middle between two steps, and beyond the range."""
		scale, zero = self.scale(), self.zero(self.dtype)
		x = self.new_real(shape)
		rows = self.rows if shape[0] == 1 and self.form != "more" else shape[0]
		middle = (self.rng.integers(-300, 300, [rows, *shape[1:]]) + np.float32(0.5)) * scale
		away = np.array([-np.inf, 0, np.inf], np.float32)[self.rng.integers(0, 3, middle.shape)]
		self.add_input(x, np.where(away, np.nextafter(middle, away), middle).astype(np.float32))
		return self.result("QUANTIZE", [x], shape, self.dtype, scale, zero)

	def add_input(self, v, data):
		self.inputs.append((f"x{len(self.inputs)}", data))
		for model in self.models():
			model.inputs.append(v.at)
		self.values.append(v)

	def keep_rows(self):
		"""A model of which one input is of several items is for these only: each input is as the file says."""
		shapes = {v.at: v.shape for v in self.values}
		shapes = [shapes[at] for at in self.m.inputs]
		if any(len(shape) > 1 and shape[0] != 1 for shape in shapes):
			self.inputs = [(name, data if list(data.shape) == shape else data[:1] if data.ndim == len(shape) else data[0])
				       for (name, data), shape in zip(self.inputs, shapes)]

	# ---- operators ----

	def tag(self, *parts):
		"""("ADD", "operand", "constant"): ADD.operand=constant"""
		self.tags.add(parts[0] if len(parts) == 1 else f"{parts[0]}.{parts[1]}={parts[2]}")

	def add(self, op, inputs, outputs, **options):
		"""Options by the names of the table; those that are not given are left out of the file, and None says that their value is of
		no interest, and 0."""
		if op not in TABLE:
			raise ValueError(f"the importer has no {op}")
		versions, fields = TABLE[op]
		version = self.d.between(1, versions[-1])
		version = version if version in versions else versions[0]
		self.tag(op)
		self.tag(op, "version", version)
		for name, value in options.items():
			self.tags.add(f"{op}.{name}" if fields[name] is None else f"{op}.{name}={value}")
		given = [options.get(name) for name in fields]
		low, high = VERSIONS.get(op, (1, versions[-1]))
		if not low <= version <= high:
			self.other_versions[len(self.m.codes)] = min(max(version, low), high)
		code = "ADD_INT16" if op == "ADD" else op
		inputs = [getattr(v, "at", v) for v in inputs]
		self.read.update(inputs)
		for model in self.models():
			if op != DETECTION:
				model.add(code, inputs, [v.at for v in outputs], *given, version=version)
		self.values += outputs

	def add_known(self, op, inputs, output, **options):
		"""Whose output is a number that is known when the model is imported: no value of the graph."""
		self.add(op, inputs, [Value(output, [], "int32")], **options)
		self.values.pop()

	def new(self, shape, dtype, scale, zero):
		shape = [int(d) for d in shape]
		return Value(self.tensor(shape, dtype, scale, zero), shape, dtype, scale, zero)

	def new_real(self, shape):
		return Value(self.tensor(shape, "float32"), shape, "float32")

	def result(self, op, inputs, shape, dtype, scale, zero, **options):
		y = self.new(shape, dtype, scale, zero)
		self.add(op, inputs, [y], **options)
		return y

	def like(self, op, v, shape, inputs=(), first=None, **options):
		"""What is quantized as v, which is input 0."""
		return self.result(op, [v, *inputs] if first is None else [*first, v, *inputs], shape, v.dtype, v.scale, v.zero, **options)

	def activation(self, op, dtype):
		return self.d.pick([0, 1, 3, 2], [5, 3, 3, 2 if dtype != "int16" or self.d.chance(10) else 0])

	@staticmethod
	def put_behind(model, operator, clamp):
		"""An operator that limits what another one made."""
		output, activation = clamp
		tensor = {**model.tensors[output], 3: fb.string(f"tensor{len(model.tensors)}")}
		model.tensors = [*model.tensors, tensor]
		before = {**model.operators[operator], 2: fb.vector("i", [len(model.tensors) - 1])}
		number, _, _ = OPERATORS[activation]
		after = {0: fb.u32(len(model.codes)), 1: fb.vector("i", [len(model.tensors) - 1]), 2: fb.vector("i", [output])}
		model.codes = [*model.codes, {0: fb.i8(number), 2: fb.i32(1 if activation == "RELU_N1_TO_1" else 2), 3: fb.i32(number)}]
		model.operators = [*model.operators[:operator], before, after, *model.operators[operator + 1:]]

	def encode(self, outputs):
		outputs = [v.at for v in outputs]
		model, judged = self.m.encode(outputs), self.twin or self.m
		if not self.twin and not self.other_versions and not self.clamps:
			return model, b""
		judged = copy.copy(judged)
		judged.codes = [code if at not in self.other_versions else {**code, 2: fb.i32(self.other_versions[at])} for at, code in enumerate(judged.codes)]
		for operator in sorted(self.clamps, reverse=True):
			self.put_behind(judged, operator, self.clamps[operator])
		return model, judged.encode(outputs)


assert all(op in OPERATORS or op == DETECTION for op in TABLE)
