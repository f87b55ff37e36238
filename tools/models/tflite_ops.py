#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/tflite/: one tiny TensorFlow Lite model per operator form that the importer knows, with random
inputs of three items. tflite_golden.py adds what TensorFlow Lite makes of them.

Models are for batches of one, as converters make them. list.txt has a line for each: its name, and how many inputs it
has. Those in tests/models/tflite-refused/ cannot be imported, and its list.txt has words that the sentence about it must have.
"""
import os
import sys

import numpy as np

import flatbuffer as fb
import tflite_int16
import tflite_moves

OUT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/models/tflite"))
ITEMS = 3
rng = np.random.default_rng(13)
TYPES = {"float32": 0, "int32": 2, "uint8": 3, "int64": 4, "int16": 7, "int8": 9}
SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)
names, refusals = [], []

# Operator: its number, the number of its table of options, and what each field of that is.
OPERATORS = {
	"ADD": (0, 11, [fb.i8]),
	"AVERAGE_POOL_2D": (1, 5, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i32, fb.i8]),
	"CONCATENATION": (2, 10, [fb.i32, fb.i8]),
	"CONV_2D": (3, 1, [fb.i8, fb.i32, fb.i32, fb.i8, fb.i32, fb.i32]),
	"DEPTHWISE_CONV_2D": (4, 2, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i8, fb.i32, fb.i32]),
	"DEPTH_TO_SPACE": (5, 94, [fb.i32]),
	"DEQUANTIZE": (6, 38, []),
	"FULLY_CONNECTED": (9, 8, [fb.i8, fb.i8, fb.u8]),
	"LOGISTIC": (14, 0, []),
	"MUL": (18, 21, [fb.i8]),
	"MAX_POOL_2D": (17, 5, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i32, fb.i8]),
	"RELU": (19, 0, []),
	"RELU_N1_TO_1": (20, 0, []),
	"RELU6": (21, 0, []),
	"RESHAPE": (22, 17, [lambda dims: fb.vector("i", dims)]),
	"RESIZE_BILINEAR": (23, 15, [fb.i32, fb.i32, fb.i8, fb.i8]),
	"SOFTMAX": (25, 9, [fb.f32]),
	"SPACE_TO_DEPTH": (26, 19, [fb.i32]),
	"TANH": (28, 0, []),
	"PAD": (34, 22, []),
	"GATHER": (36, 23, [fb.i32, fb.i32]),
	"BATCH_TO_SPACE_ND": (37, 24, []),
	"SPACE_TO_BATCH_ND": (38, 25, []),
	"TRANSPOSE": (39, 26, []),
	"SUB": (41, 28, [fb.i8]),
	"MEAN": (40, 27, [fb.i8]),
	"REDUCE_MAX": (82, 27, [fb.i8]),
	"REDUCE_MIN": (89, 27, [fb.i8]),
	"SQUEEZE": (43, 30, [lambda dims: fb.vector("i", dims)]),
	"EXPAND_DIMS": (70, 52, []),
	"STRIDED_SLICE": (45, 32, [fb.i32, fb.i32, fb.i32, fb.i32, fb.i32]),
	"SPLIT": (49, 35, [fb.i32]),
	"PADV2": (60, 43, []),
	"PRELU": (54, 0, []),
	"MAXIMUM": (55, 39, []),
	"MINIMUM": (57, 39, []),
	"SLICE": (65, 48, []),
	"TILE": (69, 51, []),
	"PACK": (83, 59, [fb.i32, fb.i32]),
	"UNPACK": (88, 64, [fb.i32, fb.i32]),
	"RESIZE_NEAREST_NEIGHBOR": (97, 74, [fb.i8, fb.i8]),
	"LEAKY_RELU": (98, 75, [fb.f32]),
	"MIRROR_PAD": (100, 77, [fb.i8]),
	"SPLIT_V": (102, 79, [fb.i32]),
	"REVERSE_V2": (105, 81, []),
	"BROADCAST_TO": (130, 104, []),
	"SQUARED_DIFFERENCE": (99, 76, []),
	"ABS": (101, 78, []),
	"ELU": (111, 0, []),
	"HARD_SWISH": (117, 91, []),
	"QUANTIZE": (114, 89, []),
}


class Model:
	def __init__(self):
		self.tensors, self.operators, self.codes, self.buffers = [], [], [], [{}]
		self.inputs, self.data = [], []
		self.repeat = 0  # times that the file says its one operator is there

	def tensor(self, shape, dtype, scale=None, zero=0, axis=None, data=None, name=None):
		quantization = None
		if scale is not None:
			scales = np.atleast_1d(np.float32(scale))
			quantization = fb.table({2: fb.vector("f", scales), 3: fb.vector("q", [zero] * len(scales)),
						 6: fb.i32(axis) if axis else None})
		buffer = 0
		if data is not None:
			buffer = len(self.buffers)
			self.buffers.append({0: fb.raw(np.ascontiguousarray(data).tobytes())})
		self.tensors.append({0: fb.vector("i", shape), 1: fb.i8(TYPES[dtype]), 2: fb.u32(buffer),
				     3: fb.string(name or f"tensor{len(self.tensors)}"), 4: quantization})
		return len(self.tensors) - 1

	def input(self, shape, dtype, scale, zero):
		"""An input of the graph, with all values that its type has if there is room."""
		info = np.iinfo(dtype)
		self.data.append(rng.integers(info.min, info.max + 1, [ITEMS, *shape[1:]]).astype(dtype))
		self.inputs.append(self.tensor(shape, dtype, scale, zero, name=f"x{len(self.inputs)}"))
		return self.inputs[-1]

	def real_input(self, shape, scale):
		"""Of float32, as most converters write it: with values beside the middle between two steps of that scale, and
		beyond the range."""
		middle = rng.integers(-300, 300, [ITEMS, *shape[1:]]) + np.float32(0.5)
		data = (middle * np.float32(scale)).astype(np.float32)
		away = np.array([-np.inf, 0, np.inf], np.float32)[rng.integers(0, 3, data.shape)]
		self.data.append(np.where(away, np.nextafter(data, away), data))
		self.inputs.append(self.tensor(shape, "float32", name=f"x{len(self.inputs)}"))
		return self.inputs[-1]

	def ints(self, values):
		return self.tensor([len(values)] if isinstance(values, list) else [], "int32", data=np.array(values, np.int32))

	def add(self, op, inputs, outputs, *options, version=1):
		number, options_type, kinds = OPERATORS[op]
		code = {0: fb.i8(min(number, 127)), 2: fb.i32(version), 3: fb.i32(number)}
		table = {i: kind(value) for i, (kind, value) in enumerate(zip(kinds, options)) if value is not None}
		self.codes.append(code)
		self.operators.append({0: fb.u32(len(self.codes) - 1), 1: fb.vector("i", inputs), 2: fb.vector("i", outputs),
				       3: fb.u8(options_type) if options_type else None,
				       4: fb.table(table) if options_type else None})

	def add_custom(self, name, inputs, outputs, options):
		self.codes.append({0: fb.i8(32), 1: fb.string(name), 2: fb.i32(1), 3: fb.i32(32)})
		self.operators.append({0: fb.u32(len(self.codes) - 1), 1: fb.vector("i", inputs), 2: fb.vector("i", outputs),
				       5: fb.raw(options)})

	def write(self, path, outputs, version=3):
		graph = {0: fb.tables(self.tensors), 1: fb.vector("i", self.inputs), 2: fb.vector("i", outputs),
			 3: fb.repeated(self.operators[0], self.repeat) if self.repeat else fb.tables(self.operators)}
		model = {0: fb.u32(version), 1: fb.tables(self.codes), 2: fb.tables([graph]), 4: fb.tables(self.buffers)}
		with open(os.path.join(OUT, path + ".tflite"), "wb") as file:
			file.write(fb.write(model, b"TFL3"))

	def save(self, name, outputs):
		self.write(name, outputs)
		for i, data in enumerate(self.data):
			np.save(os.path.join(OUT, f"{name}.in{i}.npy"), data)
		names.append(f"{name} {len(self.data)}\n")


def weights(m, shape, axis, per_channel, bias_scale, outputs):
	"""int8 weights, and the bias behind them."""
	scales = np.float32(rng.uniform(0.002, 0.02, outputs if per_channel else 1))
	data = rng.integers(-127, 128, shape).astype(np.int8)
	bias = rng.integers(-3000, 3000, outputs).astype(np.int32)
	return [m.tensor(shape, "int8", scales, axis=axis if per_channel else None, data=data),
		m.tensor([outputs], "int32", scales * np.float32(bias_scale), data=bias)]


def conv(name, image, kernel, outputs, padding, stride=1, dilation=1, activation=NONE, per_channel=True):
	m = Model()
	x = m.input([1, *image], "int8", 0.05, 3)
	w = weights(m, [outputs, *kernel, image[2]], 0, per_channel, 0.05, outputs)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - (k - 1) * dilation) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, outputs], "int8", 0.06, -7)
	m.add("CONV_2D", [x, *w], [y], padding, stride, stride, activation, dilation, dilation, version=3)
	m.save(name, [y])


def depthwise(name, image, kernel, times, padding, stride=1, activation=NONE):
	m = Model()
	x = m.input([1, *image], "int8", 0.05, 3)
	outputs = image[2] * times
	w = weights(m, [1, *kernel, outputs], 3, True, 0.05, outputs)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, outputs], "int8", 0.04, 5)
	m.add("DEPTHWISE_CONV_2D", [x, *w], [y], padding, stride, stride, times, activation, 1, 1, version=3)
	m.save(name, [y])


def fully_connected(name, shape, inputs, outputs, keep, activation=NONE):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	w = weights(m, [outputs, inputs], 0, False, 0.05, outputs)
	y = m.tensor([*shape[:-1], outputs] if keep else [1, outputs], "int8", 0.08, -3)
	m.add("FULLY_CONNECTED", [x, *w], [y], activation, 0, int(keep), version=5)
	m.save(name, [y])


def pool(name, op, image, kernel, padding, stride, dtype="int8", activation=NONE, zero=-9):
	m = Model()
	x = m.input([1, *image], dtype, 0.05, zero)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, image[2]], dtype, 0.05, zero)
	m.add(op, [x], [y], padding, stride, stride, kernel[1], kernel[0], activation, version=2 if dtype == "int8" else 1)
	m.save(name, [y])


def add(name, scales, activation=NONE):
	m = Model()
	x = [m.input([1, 7, 9, 16], "int8", scale, zero) for scale, zero in zip(scales, (5, -11))]
	y = m.tensor([1, 7, 9, 16], "int8", scales[2], 2)
	m.add("ADD", x, [y], activation, version=2)
	m.save(name, [y])


def two(name, op, shapes, grids, *options, dtype="int8", version=1):
	"""Of two elements. A list instead of a tuple is the shape of a constant."""
	m = Model()
	x = []
	for shape, (scale, zero) in zip(shapes, grids):
		if isinstance(shape, tuple):
			x.append(m.input(shape, dtype, scale, zero))
		else:
			info = np.iinfo(dtype)
			x.append(m.tensor(shape, dtype, scale, zero, data=rng.integers(info.min, info.max + 1, shape).astype(dtype)))
	y = m.tensor(np.broadcast_shapes(*(tuple(shape) for shape in shapes)), dtype, *grids[2])
	m.add(op, x, [y], *options, version=version)
	m.save(name, [y])


def pairs(name, op, *grids, options=(), dtype="int8"):
	"""All pairs of bytes, a third of them in each item."""
	m = Model()
	info = np.iinfo(dtype)
	every = np.arange(info.min, info.max + 1).astype(dtype)
	x = m.input([1, 86, 256 if op == "PRELU" else 1], dtype, *grids[0])
	m.data[0][:] = np.append(every, [0, 1]).reshape(3, 86, 1)
	k = m.tensor([256], dtype, *grids[1], data=every)
	y = m.tensor([1, 86, 256], dtype, *grids[2])
	m.add(op, [x, k], [y], *options, version=1 if op == "PRELU" else 2)
	m.save(name, [y])


def of_two_operands():
	image, grids = (1, 7, 9, 16), ((0.05, 5), (0.03, -11), (0.07, 2))
	two("mul", "MUL", [image, image], grids, NONE)
	two("mul_relu", "MUL", [image, image], grids, RELU)
	two("mul_n1_to_1", "MUL", [image, (1, 1, 1, 16)], grids, RELU_N1_TO_1)
	two("mul_constant", "MUL", [image, [16]], grids, NONE)
	two("mul_constant_rows", "MUL", [[1, 7, 1, 16], image], grids, RELU6)
	two("mul_number", "MUL", [image, []], grids, NONE)
	two("mul_version_3", "MUL", [image, image], ((1.5, 5), (1.0, -11), (1.2, 2)), NONE, version=3)
	two("add_broadcast", "ADD", [(1, 7, 1, 16), (1, 1, 9, 16)], grids, NONE)
	two("add_constant", "ADD", [image, [9, 1]], grids, RELU)
	two("sub", "SUB", [image, image], grids, NONE)
	two("sub_constant_first", "SUB", [[1, 1, 1, 16], image], grids, RELU6)
	two("sub_number", "SUB", [image, [1]], grids, NONE)
	same = (grids[0],) * 3
	two("maximum", "MAXIMUM", [image, (1, 1, 9, 1)], same)
	two("minimum", "MINIMUM", [image, [16]], same)
	two("maximum_u8", "MAXIMUM", [image, image], ((0.05, 100),) * 3, dtype="uint8")
	two("prelu", "PRELU", [image, [1, 1, 16]], grids)
	two("prelu_u8", "PRELU", [image, image], ((0.05, 100), (0.01, 130), (0.06, 90)), dtype="uint8")
	two("squared_difference", "SQUARED_DIFFERENCE", [image, (1, 1, 1, 16)], grids)
	pairs("mul_pairs", "MUL", (0.05, 3), (0.05, 3), (0.1, -3), options=[NONE])
	pairs("add_pairs", "ADD", (0.05, 3), (0.03, -7), (0.1, 5), options=[NONE])
	pairs("sub_pairs", "SUB", (0.05, 3), (0.03, -7), (0.1, 5), options=[NONE])
	pairs("prelu_pairs", "PRELU", (0.05, 3), (0.02, 127), (0.1, 0))
	pairs("squared_difference_pairs", "SQUARED_DIFFERENCE", (0.05, 3), (0.03, -7), (0.1, -128))
	add("add_power_of_two", (0.05, 0.03, 0.1))
	function("abs", "ABS", "int8", 0.05, 0.05, 4)
	function("abs_scaled", "ABS", "int8", 0.05, 0.03, -100)
	function("elu", "ELU", "int8", 0.05, 0.1, -7, version=1)
	function("elu_fine", "ELU", "int8", 0.03, 0.04, -110, version=1)
	for name, scales in (("", (0.05, 0.04)), ("_fine", (0.003, 0.003)), ("_coarse", (3.0, 1.0)), ("_power_of_two", (1 / 16, 1 / 16)), ("_wide", (0.4, 0.0032))):
		function("hard_swish" + name, "HARD_SWISH", "int8", *scales, -20, version=1)
	function("hard_swish_u8", "HARD_SWISH", "uint8", 0.05, 0.04, 10, version=1)
	function("leaky_relu_half", "LEAKY_RELU", "int8", 0.05, 0.1, -7, 1.0)


def refuse_two():
	def made(grids, dtypes=("int8",) * 3, shapes=((1, 4),) * 3, op="MUL", constant=None, version=1):
		m = Model()
		x = [m.input([*shapes[0]], dtypes[0], *grids[0])]
		x.append(m.input([*shapes[1]], dtypes[1], *grids[1]) if constant is None else
			 m.tensor([*shapes[1]], dtypes[1], *grids[1], data=constant))
		m.add(op, x, [m.tensor([*shapes[2]], dtypes[2], *grids[2])], *([] if op in ("PRELU", "MAXIMUM") else [NONE]), version=version)
		return m
	grid = ((0.05, 3),) * 3
	refused("mul_types", "its inputs are of int8 and uint8", made(grid, ("int8", "uint8", "int8")))
	refused("mul_output_type", "it makes uint8 of int8", made(grid, ("int8", "int8", "uint8")))
	refused("mul_scales", "knows how it rounds from 1.52588e-05 to 256", made(((10.0, 3), (10.0, 3), (0.1, 3))))
	refused("sub_scales", "knows how it rounds from 0.000976562 to 256", made(((0.05, 3), (0.05, 3), (80.0, 3)), op="SUB"))
	refused("maximum_scales", "quantized in different ways", made(((0.05, 3), (0.06, 3), (0.05, 3)), op="MAXIMUM"))
	refused("mul_ranks", "have 2 and 1 dimensions, by which the batch", made(grid, shapes=((1, 4), (1,), (1, 4))))
	refused("mul_lengths", "are 4 and 3 long in dimension 1", made(grid, shapes=((1, 4), (1, 3), (1, 4))))
	refused("mul_rows", "does not broadcast", made(grid, shapes=((1, 4), (2, 4), (2, 4)), constant=np.zeros((2, 4), np.int8)))
	refused("mul_constant_type", "is of int32; nnloop knows int8 and uint8", made(grid, ("int8", "int32", "int8"), constant=np.zeros((1, 4), np.int32)))
	m = Model()
	m.add("HARD_SWISH", [m.input([1, 4], "int8", 0.0001, 3)], [m.tensor([1, 4], "int8", 1.0, 3)])
	refused("hard_swish_scales", "outside of what its 16 bits are for", m)
	refused("mul_version", "is of version 4, and nnloop knows 1 to 3", made(grid, version=4))


def function(name, op, dtype, scale, out_scale, out_zero, *options, version=2):
	"""Of one element: all of them."""
	m = Model()
	x = m.input([1, 256], dtype, scale, 4 if dtype == "int8" else 100)
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, 256], dtype, out_scale, out_zero)
	m.add(op, [x], [y], *options, version=version)
	m.save(name, [y])


def softmax(name, shape, dtype, scale, beta):
	m = Model()
	x = m.input(shape, dtype, scale, 4)
	y = m.tensor(shape, dtype, 1 / 256, -128 if dtype == "int8" else 0)
	m.add("SOFTMAX", [x], [y], beta, version=2 if dtype == "int8" else 1)
	m.save(name, [y])


def moved(name, op, shape, out, ints, *options):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	y = m.tensor(out, "int8", 0.05, 3)
	m.add(op, [x] if ints is None else [x, m.ints(ints)], [y], *options)
	m.save(name, [y])


def sliced(name, op, shape, out, numbers, *options):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	y = m.tensor(out, "int8", 0.05, 3)
	m.add(op, [x, *(m.ints(values) for values in numbers)], [y], *options)
	m.save(name, [y])


def split(name, shape, axis, count):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	part = [*shape]
	part[axis] //= count
	y = [m.tensor(part, "int8", 0.05, 3) for _ in range(count)]
	m.add("SPLIT", [m.ints(axis), x], y, count)
	m.save(name, y)


def concatenation(name, shapes, axis, out):
	m = Model()
	x = [m.input(shape, "int8", 0.05, 3) for shape in shapes]
	y = m.tensor(out, "int8", 0.05, 3)
	m.add("CONCATENATION", x, [y], axis, NONE)
	m.save(name, [y])


def resize(name, op, image, size, align, half, dtype="int8"):
	m = Model()
	x = m.input([1, *image], dtype, 0.05, 3)
	y = m.tensor([1, *size, image[2]], dtype, 0.05, 3)
	options = (align, half) if op == "RESIZE_NEAREST_NEIGHBOR" else (None, None, align, half)
	m.add(op, [x, m.ints(list(size))], [y], *options, version=3)
	m.save(name, [y])


def reduction(name, op, shape, axes, keep, scales=(0.05, 0.05), zeros=(3, 3), dtype="int8"):
	m = Model()
	x = m.input([1, *shape], dtype, scales[0], zeros[0])
	gone = [axis % (len(shape) + 1) for axis in axes]
	out = [1 if i in gone else d for i, d in enumerate([1, *shape]) if keep or i not in gone]
	y = m.tensor(out, dtype, scales[1], zeros[1])
	m.add(op, [x, m.ints(axes)], [y], keep, version=2)
	m.save(name, [y])


def float_ends(name, dtype, scale, zero):
	m = Model()
	x = m.real_input([1, 6, 5, 3], scale)
	q, p = m.tensor([1, 6, 5, 3], dtype, scale, zero), m.tensor([1, 3, 6, 5], dtype, scale, zero)
	y = m.tensor([1, 3, 6, 5], "float32")
	m.add("QUANTIZE", [x], [q], version=1)
	m.add("TRANSPOSE", [q, m.ints([0, 3, 1, 2])], [p], version=2)
	m.add("DEQUANTIZE", [p], [y], version=2)
	m.save(name, [y])


def float_between(name, dtype, scales, zeros):
	"""DEQUANTIZE and QUANTIZE, one behind the other: and what is between them is an output, too."""
	m = Model()
	x = m.input([1, 256], dtype, scales[0], zeros[0])
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	r, y = m.tensor([1, 256], "float32"), m.tensor([1, 256], "int8", scales[1], zeros[1])
	m.add("DEQUANTIZE", [x], [r], version=2)
	m.add("QUANTIZE", [r], [y], version=1)
	m.save(name, [r, y])


def requantize(name, dtype, scales, zeros, out_dtype):
	m = Model()
	x = m.input([1, 256], dtype, scales[0], zeros[0])
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, 256], out_dtype, scales[1], zeros[1])
	m.add("QUANTIZE", [x], [y], version=2)
	m.save(name, [y])


DETECTION = {"max_detections": 10, "max_classes_per_detection": 1, "num_classes": 5, "use_regular_nms": False,
	     "nms_score_threshold": 0.1, "nms_iou_threshold": 0.6, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}


def detection(name, dtype, levels, background, options, width=4, shapes=True):
	"""The end of a detector: boxes around a grid of 7 x 6 anchors, scores of so many different values."""
	m = Model()
	options = {**DETECTION, **options}
	anchors, classes = 42, options["num_classes"] + background
	first = np.iinfo(dtype).min
	x = [m.input([1, anchors, 4], dtype, 0.08, first + 120), m.input([1, anchors, classes], dtype, 1 / 256, first)]
	m.data[1][:] = first + m.data[1].astype(int) % levels * (255 // (levels - 1))
	grid = [((y + 0.5) / 7, (x + 0.5) / 6, 0.3 + 0.05 * (y % 3), 0.35) for y in range(7) for x in range(6)]
	if dtype == "int8":  # which the operator does not know
		r = [m.tensor([1, anchors, 4], "float32"), m.tensor([1, anchors, classes], "float32")]
		for q, real in zip(x, r):
			m.add("DEQUANTIZE", [q], [real], version=2)
		x, a = r, m.tensor([anchors, 4], "float32", data=np.array(grid, np.float32))
	else:
		a = m.tensor([anchors, 4], "uint8", 0.0045, 3, data=np.round(np.array(grid) / 0.0045 + 3).astype(np.uint8))
	most = options["max_detections"] * options["max_classes_per_detection"]
	y = [m.tensor(shape if shapes else [], "float32") for shape in ([1, most, 4], [1, most], [1, most], [1])]
	m.add_custom("TFLite_Detection_PostProcess", [*x, a], y, fb.flex_map(options, width))
	m.save(name, y)


def write_detection():
	detection("detection", "int8", 256, 1, {})
	detection("detection_u8", "uint8", 256, 1, {}, 8)
	detection("detection_ties", "uint8", 4, 0, {"nms_iou_threshold": 0.8, "nms_score_threshold": 85 / 256})
	detection("detection_classes", "int8", 5, 1, {"max_classes_per_detection": 3, "max_detections": 5, "num_classes": 11})
	detection("detection_all_classes", "int8", 3, 0, {"max_classes_per_detection": 6, "max_detections": 4, "num_classes": 6})
	detection("detection_regular", "int8", 256, 1, {"use_regular_nms": True, "detections_per_class": 3, "_output_quantized": True}, shapes=False)
	detection("detection_regular_ties", "uint8", 4, 1, {"use_regular_nms": True, "max_detections": 23})
	detection("detection_regular_few", "uint8", 256, 0, {"use_regular_nms": True, "nms_score_threshold": 0.95, "nms_iou_threshold": 0.3, "max_detections": 30})


def write_ends():
	float_ends("float_ends", "int8", 0.0472, -3)
	float_ends("float_ends_u8", "uint8", 0.1, 121)
	float_between("float_between", "int8", (0.0472, 0.0311), (7, -20))
	float_between("float_between_u8", "uint8", (0.03, 0.05), (100, 4))
	requantize("requantize", "int8", (0.05, 0.04), (3, -7), "int8")
	requantize("requantize_u8", "uint8", (0.013, 0.05), (100, -7), "int8")
	requantize("requantize_to_u8", "int8", (0.05, 0.05), (3, 131), "uint8")


def with_numbers(seed, function):
	"""Models with random numbers of their own, so that others do not change."""
	global rng
	before, rng = rng, np.random.default_rng(seed)
	function()
	rng = before


def relu():
	"""A model to break: its input is tensor 0, its output tensor 1."""
	m = Model()
	x = m.input([1, 6, 5, 4], "int8", 0.05, 3)
	m.add("RELU", [x], [m.tensor([1, 6, 5, 4], "int8", 0.05, 3)], version=2)
	return m


def small_conv():
	"""Another: weights are tensor 1, the bias is 2, the output 3."""
	m = Model()
	x = m.input([1, 6, 5, 4], "int8", 0.05, 3)
	w = [m.tensor([8, 3, 3, 4], "int8", 0.02, data=rng.integers(-127, 128, [8, 3, 3, 4]).astype(np.int8)),
	     m.tensor([8], "int32", np.float32(0.05) * np.float32(0.02), data=np.arange(8, dtype=np.int32))]
	m.add("CONV_2D", [x, *w], [m.tensor([1, 6, 5, 8], "int8", 0.06, -7)], SAME, 1, 1, NONE, 1, 1, version=3)
	return m


def refused(name, words, m, outputs=None, version=3):
	m.write(os.path.join("../tflite-refused", name), [len(m.tensors) - 1] if outputs is None else outputs, version)
	refusals.append(f"{name} {words}\n")


def change(m, field, value, tensor=None, operator=None, option=None):
	"""Of a tensor, of an operator, or of its options."""
	if option is not None:
		m.operators[operator][4][1][option] = value
	else:
		(m.operators[operator] if tensor is None else m.tensors[tensor])[field] = value
	return m


def quantized(scales, zero_points, axis=0, more=None):
	return fb.table({2: fb.vector("f", scales), 3: fb.vector("q", zero_points), 6: fb.i32(axis), **(more or {})})


def two_ways(name, op, kernel, stride, dilation, padding=VALID):
	"""A convolution or a pool whose window is not the same down and across."""
	m = Model()
	x = m.input([1, 12, 11, 3], "int8", 0.05, 3)
	sizes = [-(-size // s) if padding == SAME else -(-(size - (k - 1) * d) // s)
		 for size, k, s, d in zip((12, 11), kernel, stride, dilation)]
	pools = op.endswith("POOL_2D")
	y = m.tensor([1, *sizes, 3 if pools else 6], "int8", *((0.05, 3) if pools else (0.06, -7)))
	if pools:
		m.add(op, [x], [y], padding, stride[1], stride[0], kernel[1], kernel[0], NONE, version=2)
	else:
		shape = [6, *kernel, 3] if op == "CONV_2D" else [1, *kernel, 6]
		w = weights(m, shape, 0 if op == "CONV_2D" else 3, True, 0.05, 6)
		options = [padding, stride[1], stride[0], NONE, dilation[1], dilation[0]]
		if op != "CONV_2D":
			options.insert(3, 2)
		m.add(op, [x, *w], [y], *options, version=3)
	m.save(name, [y])


def more_forms():
	"""Behind all others, and with random numbers of its own: the others stay what they were."""
	global rng
	rng = np.random.default_rng(12)
	two_ways("conv_two_strides", "CONV_2D", (3, 2), (2, 1), (1, 1), SAME)
	two_ways("conv_two_dilations", "CONV_2D", (2, 3), (1, 1), (3, 2))
	two_ways("conv_stride_across", "CONV_2D", (3, 3), (1, 2), (1, 1))
	two_ways("depthwise_two_strides", "DEPTHWISE_CONV_2D", (3, 2), (2, 2), (1, 1), SAME)
	two_ways("depthwise_two_dilations", "DEPTHWISE_CONV_2D", (2, 3), (1, 1), (2, 3), SAME)
	two_ways("average_pool_two_ways", "AVERAGE_POOL_2D", (3, 5), (2, 1), (1, 1), SAME)
	two_ways("max_pool_two_ways", "MAX_POOL_2D", (5, 3), (1, 2), (1, 1))
	moved("squeeze_ends", "SQUEEZE", [1, 6, 1, 4, 1], [1, 6, 4], None, [-1, 2])
	moved("squeeze_behind_batch", "SQUEEZE", [1, 1, 6], [1, 6], None, [-2])
	moved("expand_dims_first", "EXPAND_DIMS", [1, 6, 4], [1, 1, 6, 4], 1)
	moved("expand_dims_last", "EXPAND_DIMS", [1, 6, 4], [1, 6, 4, 1], -1)
	moved("expand_dims_at_rank", "EXPAND_DIMS", [1, 6, 4], [1, 6, 4, 1], 3)
	moved("transpose_two", "TRANSPOSE", [1, 5, 6], [1, 6, 5], [0, 2, 1])
	sliced("slice_ends", "SLICE", [1, 5, 6, 4], [1, 1, 6, 1], [[0, 4, 0, 3], [1, 1, 6, 1]])
	sliced("slice_rest", "SLICE", [1, 5, 6, 4], [1, 1, 5, 4], [[0, 4, 1, 0], [-1, -1, -1, -1]])
	sliced("strided_slice_ends", "STRIDED_SLICE", [1, 8, 6, 4], [1, 1, 6, 3], [[0, -1, -9, 1], [1, 8, 9, 0], [1, 1, 1, 1]], 0, 8, 0, 0, 0)
	sliced("strided_slice_whole_masks", "STRIDED_SLICE", [1, 8, 6, 4], [1, 8, 5, 3], [[5, 7, 0, 1], [0, 1, -1, 4], [1, 1, 1, 1]], 3, 3, 0, 0, 0)
	split("split_behind_batch", [1, 6, 4], 1, 2)
	split("split_single", [1, 3, 4], 2, 4)
	concatenation("concatenation_behind_batch", [[1, 5], [1, 7]], 1, [1, 12])
	m = Model()
	x = m.input([1, 40], "int8", 0.05, 3)
	w = weights(m, [33, 40], 0, False, 0.05, 33)
	y = m.tensor([1, 33], "int8", 0.08, -3)
	m.add("FULLY_CONNECTED", [x, w[0]], [y], NONE, 0, 0, version=5)
	m.save("fully_connected_no_bias", [y])


def moves(op, shape, out, ints, *options):
	"""A model to refuse, of an operator that moves; `ints` are those of its further inputs."""
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	m.add(op, [x, *(m.ints(values) for values in ints)], [m.tensor(out, "int8", 0.05, 3)], *options)
	return m


def refuse_more():
	refused("tensor_below", "refers to tensor -2 of 2", change(relu(), 1, fb.vector("i", [-2]), operator=0))
	refused("output_left_out", "refers to tensor -1 of 2", change(relu(), 2, fb.vector("i", [-1]), operator=0))
	refused("tensor_behind", "refers to tensor 2 of 2", change(relu(), 1, fb.vector("i", [2]), operator=0))
	for name, dims, seen in (("squeeze_batch", [0], 0), ("squeeze_of_more", [1], 1), ("squeeze_rank", [4], 4), ("squeeze_below", [-4], 0)):
		refused(name, f"it takes away dimension {seen}, which is the batch, or not 1", moves("SQUEEZE", [1, 6, 1, 4], [1, 6, 4], [], dims))
	refused("squeeze_output", "the dimensions that are left", moves("SQUEEZE", [1, 6, 1, 4], [1, 6, 1, 4], [], [2]))
	for name, axis in (("expand_dims_batch", 0), ("expand_dims_far", 4), ("expand_dims_below", -4)):
		refused(name, "where nnloop has the batch", moves("EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], [axis]))
	refused("expand_dims_elsewhere", "where its output has none", moves("EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], [1]))
	refused("expand_dims_axes", "it has not one axis", moves("EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], [[2, 2]]))
	refused("slice_batch", "a part of dimension 0, which is the batch", moves("SLICE", [1, 6, 4], [1, 6, 4], [[1, 0, 0], [-1, 6, 4]]))
	refused("slice_rows", "a part of dimension 0, which is the batch", moves("SLICE", [1, 6, 4], [1, 6, 4], [[0, 0, 0], [2, 6, 4]]))
	for axis, count, name in ((0, 1, "batch"), (3, 2, "far"), (-4, 2, "below"), (1, 4, "uneven")):
		m = Model()
		x = m.input([1, 6, 4], "int8", 0.05, 3)
		y = [m.tensor([1, 6, 4], "int8", 0.05, 3) for _ in range(count)]
		m.add("SPLIT", [m.ints(axis), x], y, count)
		refused(f"split_{name}", "which is the batch, none, or no multiple", m, y)
	m = Model()
	x = m.input([1, 6, 4], "int8", 0.05, 3)
	y = [m.tensor([1, 3, 4], "int8", 0.05, 3) for _ in range(2)]
	m.add("SPLIT", [m.ints(1), x], y, 3)
	refused("split_count", "other outputs than num_splits", m, y)
	for name, field, value in (("stride_h", 2, 256), ("dilation_h_factor", 5, 256), ("dilation_w_factor", 4, 0)):
		refused(name, f"option {name} is {value}", change(small_conv(), 0, fb.i32(value), operator=0, option=field))
	for name, field, value in (("filter_width", 3, 256), ("filter_height", 4, 0), ("pool_padding", 0, -1)):
		m = Model()
		m.add("MAX_POOL_2D", [m.input([1, 6, 5, 4], "int8", 0.05, 3)], [m.tensor([1, 6, 5, 4], "int8", 0.05, 3)], SAME, 1, 1, 1, 1, NONE, version=2)
		refused(name, f"is {value}", change(m, 0, (fb.i8 if field == 0 else fb.i32)(value), operator=0, option=field))


def refuse_files():
	refused("version", "is of version 2 of the format", relu(), version=2)
	refused("no_outputs", "has no outputs", relu(), [])
	refused("made_twice", "is made twice", change(relu(), 2, fb.vector("i", [0]), operator=0))
	m = relu()
	m.tensor([1, 6, 5, 4], "int8", 0.05, 3)
	refused("output_of_nothing", "nothing makes it", m)
	refused("input_later", "comes later, or by none", change(relu(), 1, fb.vector("i", [1]), operator=0))
	refused("input_left_out", "input 0 is left out", change(relu(), 1, fb.vector("i", [-1]), operator=0))
	refused("inputs", "2 inputs and 1 outputs; 1 to 1 and 1 make sense", change(relu(), 1, fb.vector("i", [0, 0]), operator=0))
	refused("tensor_index", "refers to tensor 7 of 2", change(relu(), 1, fb.vector("i", [7]), operator=0))
	refused("code_index", "of kind 3, and the model has 1", change(relu(), 0, fb.u32(3), operator=0))
	refused("buffer_index", "has buffer 9 of 1", change(relu(), 2, fb.u32(9), tensor=1))
	m = relu()
	m.codes[0] = {0: fb.i8(27), 3: fb.i32(27)}
	refused("operator", "node SVDF that makes", m)
	m = relu()
	m.codes[0] = {0: fb.i8(32), 1: fb.string("Own"), 3: fb.i32(32)}
	refused("custom_operator", "node Own that makes", m)
	m = relu()
	m.codes[0] = {0: fb.i8(19), 2: fb.i32(3)}
	refused("operator_version", "of version 3, and nnloop knows 1 to 2", m)
	m = relu()
	m.codes[0] = {0: fb.i8(19), 3: fb.i32(21)}
	refused("two_codes", "both of kind 19 and 21", m)
	m = relu()
	m.repeat = 300
	refused("same_bytes", "over and over", change(m, 1, fb.vector("i", [0] * 3000), operator=0))


def refuse_tensors():
	refused("rank", "has 9 dimensions", change(relu(), 0, fb.vector("i", [1] * 9), tensor=0))
	refused("scalar", "is a single number", change(relu(), 0, fb.vector("i", []), tensor=0))
	refused("negative_dimension", "dimension 2 of tensor \"x0\" is -5", change(relu(), 0, fb.vector("i", [1, 6, -5, 4]), tensor=0))
	refused("unknown_dimension", "dimension 1 of tensor \"x0\" is not known", change(relu(), 7, fb.vector("i", [-1, -1, 5, 4]), tensor=0))
	refused("signature", "and 2 in its shape_signature", change(relu(), 7, fb.vector("i", [-1, 6]), tensor=0))
	refused("shape", "the file says Nx6x5x5", change(relu(), 0, fb.vector("i", [1, 6, 5, 5]), tensor=1))
	refused("elements", "bytes, which is not what its shape says", change(small_conv(), 0, fb.vector("i", [8, 3, 3, 5]), tensor=1))
	refused("variable", "keeps its elements from one run", change(relu(), 5, fb.u8(1), tensor=0))
	refused("sparse", "as a sparse one", change(small_conv(), 6, fb.table({}), tensor=1))
	refused("external", "is in another file", change(small_conv(), 10, fb.u32(1), tensor=1))
	refused("float", "is of float32", change(relu(), 1, fb.i8(0), tensor=0))
	refused("int16", "knows it for int8 and uint8", change(relu(), 1, fb.i8(7), tensor=0))
	refused("complex", "is of complex64", change(relu(), 1, fb.i8(8), tensor=0))
	refused("type", "a type that nnloop does not know", change(relu(), 1, fb.i8(77), tensor=0))
	refused("no_scale", "without a scale", change(relu(), 4, None, tensor=0))
	refused("no_output_scale", "its output has no scale", change(relu(), 4, None, tensor=1))
	refused("scale", "its scale is -1", change(relu(), 4, quantized([-1.0], [0]), tensor=0))
	refused("zero_point", "zero point 4294967299", change(relu(), 4, quantized([0.05], [2**32 + 3]), tensor=0))
	refused("zero_point_of_type", "zero point", change(relu(), 4, quantized([0.05], [200]), tensor=0))
	refused("zero_points", "1 scales and 2 zero points", change(relu(), 4, quantized([0.05], [1, 2]), tensor=0))
	refused("scales_of_input", "one scale for each index", change(relu(), 4, quantized([0.05] * 4, [3] * 4, 3), tensor=0))
	refused("quantized_dimension", "quantized_dimension 3", change(small_conv(), 4, quantized([0.001] * 8, [0] * 8, 3), tensor=2))
	refused("scales_of_inputs", "for each index of dimension 3, not 0", change(small_conv(), 4, quantized([0.02] * 4, [0] * 4, 3), tensor=1))
	refused("scale_count", "it has 5 scales for dimension 0, which is 8", change(small_conv(), 4, quantized([0.02] * 5, [0] * 5), tensor=1))
	refused("other_quantization", "in a way that nnloop does not know", change(relu(), 4, quantized([0.05], [3], 0, {4: fb.u8(1)}), tensor=0))
	refused("bias_scale", "of its bias has scale", change(small_conv(), 4, quantized([0.5], [0]), tensor=2))
	refused("weights_type", "its weights are of int32", change(change(small_conv(), 1, fb.i8(2), tensor=1), 0, fb.vector("i", [2, 3, 3, 4]), tensor=1))
	refused("weights_computed", "is no constant", change(small_conv(), 2, fb.u32(0), tensor=1))


def refuse_options():
	refused("stride", "option stride_w is 300", change(small_conv(), 0, fb.i32(300), operator=0, option=1))
	refused("no_stride", "option stride_w is 0", change(small_conv(), 0, None, operator=0, option=1))
	refused("padding", "option padding is 2", change(small_conv(), 0, fb.i8(2), operator=0, option=0))
	refused("activation", "option fused_activation_function is 4", change(small_conv(), 0, fb.i8(4), operator=0, option=3))
	refused("unknown_option", "an option, field 9,", change(small_conv(), 0, fb.i8(1), operator=0, option=9))
	refused("other_options", "those of another operator", change(small_conv(), 3, fb.u8(2), operator=0))
	refused("custom_options", "no fields for", change(small_conv(), 5, fb.raw(b"x"), operator=0))
	refused("state", "carries state", change(small_conv(), 7, fb.vector("B", [0, 1, 0]), operator=0))
	m = Model()
	m.add("LEAKY_RELU", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int8", 0.05, 3)], float("nan"), version=2)
	refused("alpha", "alpha is not a finite number", m)
	m = Model()
	m.add("SQUEEZE", [m.input([1, 1, 6], "int8", 0.05, 3)], [m.tensor([6], "int8", 0.05, 3)], [])
	refused("squeeze", "the batch may be 1", m)
	m = Model()
	m.add("TRANSPOSE", [m.input([1, 1, 6], "int8", 0.05, 3), m.ints([1, 0, 2])], [m.tensor([1, 1, 6], "int8", 0.05, 3)])
	refused("transpose", "moves dimension 0", m)
	m = Model()
	m.add("RESHAPE", [m.input([1, 4, 6], "int8", 0.05, 3), m.ints([4, 6])], [m.tensor([4, 6], "int8", 0.05, 3)])
	refused("reshape", "the first dimension is the batch", m)
	m = Model()
	m.add("RESHAPE", [m.input([1, 4, 6], "int8", 0.05, 3), m.ints([1, 12])], [m.tensor([1, 24], "int8", 0.05, 3)])
	refused("reshape_to", "makes dimension 1 12, and that of its output is 24", m)
	m = Model()
	m.add("CONCATENATION", [m.input([1, 4], "int8", 0.05, 3), m.input([1, 4], "int8", 0.06, 3)], [m.tensor([1, 8], "int8", 0.05, 3)], 1, NONE)
	refused("concatenation", "in another way than its input", m)


def regions():
	"""Operators whose results come from many elements each, without weights; with random numbers of their own."""
	global rng
	others, rng = rng, np.random.default_rng(31)
	for kind, op in (("bilinear", "RESIZE_BILINEAR"), ("nearest", "RESIZE_NEAREST_NEIGHBOR")):
		resize(f"resize_{kind}", op, (5, 7, 3), (10, 9), 0, 0)
		resize(f"resize_{kind}_align", op, (5, 7, 3), (10, 18), 1, 0)
		resize(f"resize_{kind}_half", op, (5, 7, 3), (13, 14), 0, 1)
		resize(f"resize_{kind}_smaller", op, (11, 9, 5), (4, 5), 0, 1)
		resize(f"resize_{kind}_align_one", op, (6, 4, 2), (1, 9), 1, 0)
	resize("resize_nearest_u8", "RESIZE_NEAREST_NEIGHBOR", (5, 7, 3), (10, 9), 0, 0, "uint8")
	reduction("mean_image", "MEAN", (7, 5, 40), [1, 2], 1, (0.05, 0.03), (3, -7))
	reduction("mean_image_flat", "MEAN", (8, 4, 40), [2, 1], 0)
	reduction("mean_channels", "MEAN", (7, 5, 6), [-1], 1, (0.05, 0.03), (3, -7))
	reduction("mean_rows", "MEAN", (8, 9), [1], 0, (0.05, 0.05))
	reduction("mean_rows_u8", "MEAN", (9, 8, 6), [2], 0, (0.05, 0.02), (100, 70), "uint8")
	reduction("mean_all", "MEAN", (5, 8, 6), [1, 2, 3], 0, (0.05, 0.01))
	reduction("reduce_max", "REDUCE_MAX", (5, 8, 6), [1, 3], 1)
	reduction("reduce_min_u8", "REDUCE_MIN", (5, 8, 6), [-2], 0, dtype="uint8")
	reduction("mean_image_from_the_end", "MEAN", (7, 5, 40), [-3, -2], 1, (0.05, 0.05), (3, 3))
	reduction("mean_image_u8", "MEAN", (8, 4, 40), [1, 2], 0, (0.05, 0.03), (100, 70), "uint8")
	rng = others


def refuse_regions():
	m = Model()
	m.add("RESIZE_BILINEAR", [m.input([1, 4, 4, 2], "int8", 0.05, 3), m.ints([8, 8])], [m.tensor([1, 8, 8, 2], "int8", 0.05, 3)], None, None, 1, 1)
	refused("resize_both", "both align_corners and half_pixel_centers", m)
	m = Model()
	m.add("RESIZE_NEAREST_NEIGHBOR", [m.input([1, 4, 4, 2], "int8", 0.05, 3), m.ints([8, 70000])], [m.tensor([1, 8, 70000, 2], "int8", 0.05, 3)])
	refused("resize_size", "makes 70000 pixels", m)
	m = Model()
	m.add("RESIZE_BILINEAR", [m.input([1, 4, 4, 2], "int8", 0.05, 3), m.ints([8])], [m.tensor([1, 8, 8, 2], "int8", 0.05, 3)])
	m2 = Model()
	m2.add("MEAN", [m2.input([1, 4, 6], "int8", 0.05, 3), m2.ints([0, 1])], [m2.tensor([1, 1, 6], "int8", 0.05, 3)], 1)
	refused("mean_batch", "goes over the first dimension, which is the batch", m2)
	m2 = Model()
	m2.add("REDUCE_MAX", [m2.input([1, 4, 6], "int8", 0.05, 3), m2.ints([5])], [m2.tensor([1, 1, 6], "int8", 0.05, 3)], 1)
	refused("reduce_axis", "its axis 5 is not one of 3 dimensions", m2)
	m2 = Model()
	m2.add("REDUCE_MAX", [m2.input([1, 4, 6], "int8", 0.05, 3), m2.ints([1])], [m2.tensor([1, 6], "int8", 0.06, 3)], 0)
	refused("reduce_scale", "in another way than its input", m2)
	refused("resize_sizes", "its size is 1 numbers, not 2", m)
def detection_model(dtype, options):
	"""One to break, and its outputs."""
	m = Model()
	x = [m.input([1, 6, count], dtype, 0.05, 3) for count in (4, 5)]
	a = m.tensor([6, 4], dtype, 0.01, 0, data=rng.integers(1, 100, [6, 4]).astype(dtype))
	y = [m.tensor(shape, "float32") for shape in ([1, 10, 4], [1, 10], [1, 10], [1])]
	m.add_custom("TFLite_Detection_PostProcess", [*x, a], y, fb.flex_map({**DETECTION, **options}))
	return m, y


def refuse_ends():
	m = Model()
	x, y = m.tensor([1, 4], "float32", name="x0"), [m.tensor([1, 4], "int8", scale, 3) for scale in (0.05, 0.06)]
	m.inputs = [x]
	for output in y:
		m.add("QUANTIZE", [x], [output])
	refused("quantize_twice", "which another QUANTIZE does in another way", m, y)
	m = Model()
	x, y, z = m.input([1, 4], "int8", 0.05, 3), m.tensor([1, 4], "float32", name="r"), m.tensor([1, 4], "float32")
	m.add("DEQUANTIZE", [x], [y])
	m.add("TANH", [y], [z], version=1)
	refused("computed_in_float", 'its input "r" is of float32', m)
	m = Model()
	m.inputs = [m.tensor([1, 4], "float32", name="x0")]
	m.add("QUANTIZE", m.inputs, [m.tensor([1, 4], "int8", 0.05, 3)])
	refused("float_through", 'output "x0" is a float32 input', m, m.inputs)
	m = Model()
	m.add("DEQUANTIZE", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int8", 0.05, 3)])
	refused("dequantize_to", "it makes int8", m)
	m = Model()
	m.add("QUANTIZE", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int16", 0.05, 0)])
	refused("quantize_to", "it makes int16 of int8", m)
	for name, words, change_it in (
			("detection_option", 'an option "own", which nnloop does not know', {"own": 1}),
			("detection_number", "its option max_detections is no whole number", {"max_detections": 10.0}),
			("detection_range", "its option max_detections is 0; nnloop can do 1 to 65536", {"max_detections": 0})):
		m, y = detection_model("uint8", change_it)
		refused(name, words, m, y)
	m, y = detection_model("uint8", {})
	m.operators[0][5] = fb.raw(b"no map")
	refused("detection_map", "its options cannot be read: they are no map", m, y)
	m, y = detection_model("uint8", {})
	m.operators[0][5] = fb.raw(fb.flex_map(DETECTION)[40:])
	refused("detection_cut", "its options cannot be read: ", m, y)
	m = relu()
	m.inputs.append(m.tensor([2**25, 64, 4], "int8", 0.05, 3, name="large"))
	m.codes[0] = {0: fb.i8(32), 1: fb.string("Own"), 3: fb.i32(32)}
	refused("broken_behind_a_refusal", "node Own that makes", m, [1])
	m, y = detection_model("int8", {})
	refused("detection_int8", "is of int8; it is known for uint8 and float32", m, y)


def main():
	global rng
	os.makedirs(os.path.join(OUT, "../tflite-refused"), exist_ok=True)
	conv("conv_same", (9, 8, 5), (3, 3), 33, SAME)
	conv("conv_valid", (9, 8, 16), (3, 2), 40, VALID, activation=RELU)
	conv("conv_stride", (10, 9, 3), (3, 3), 24, SAME, stride=2, activation=RELU6)
	conv("conv_dilation", (11, 10, 8), (3, 3), 16, VALID, dilation=2, activation=RELU_N1_TO_1)
	conv("conv_1x1", (5, 6, 24), (1, 1), 8, SAME, per_channel=False)
	depthwise("depthwise_same", (9, 8, 33), (3, 3), 1, SAME, activation=RELU6)
	depthwise("depthwise_stride", (10, 9, 16), (3, 3), 1, SAME, stride=2)
	depthwise("depthwise_times", (9, 8, 5), (3, 4), 3, VALID)
	depthwise("depthwise_of_one", (9, 8, 1), (5, 4), 8, SAME, stride=2, activation=RELU)
	fully_connected("fully_connected", [1, 40], 40, 33, False)
	fully_connected("fully_connected_flat", [1, 3, 4, 5], 60, 12, False, RELU)
	fully_connected("fully_connected_keep", [1, 6, 24], 24, 10, True)
	pool("average_pool", "AVERAGE_POOL_2D", (8, 8, 16), (2, 2), VALID, 2)
	pool("average_pool_same", "AVERAGE_POOL_2D", (9, 8, 5), (4, 3), SAME, 1, activation=RELU)
	pool("average_pool_all", "AVERAGE_POOL_2D", (8, 6, 40), (8, 6), VALID, 1)
	pool("average_pool_u8", "AVERAGE_POOL_2D", (8, 8, 16), (2, 2), VALID, 2, "uint8", zero=128)
	pool("max_pool", "MAX_POOL_2D", (9, 8, 33), (3, 2), SAME, 2)
	add("add", (0.05, 0.03, 0.07))
	add("add_ties", (0.05, 0.05, 0.1), RELU)
	add("add_n1_to_1", (0.02, 0.05, 0.03), RELU_N1_TO_1)
	function("logistic", "LOGISTIC", "int8", 0.05, 1 / 256, -128)
	function("tanh", "TANH", "int8", 0.03, 1 / 128, 0)
	function("relu", "RELU", "int8", 0.05, 0.05, 4)
	function("relu6", "RELU6", "int8", 0.05, 0.04, -128)
	function("relu_n1_to_1", "RELU_N1_TO_1", "int8", 0.05, 0.05, 4, version=1)
	function("leaky_relu", "LEAKY_RELU", "int8", 0.05, 0.04, -7, 0.2)
	softmax("softmax", [1, 37], "int8", 0.1, 1.0)
	softmax("softmax_beta", [1, 5, 19], "int8", 0.03, 0.7)
	softmax("softmax_u8", [1, 300], "uint8", 0.2, 1.0)
	moved("reshape", "RESHAPE", [1, 4, 6], [1, 2, 12], [-1, 2, 12])
	moved("reshape_option", "RESHAPE", [1, 4, 6], [1, 24], None, [1, 24])
	moved("squeeze", "SQUEEZE", [1, 1, 6, 1], [1, 6, 1], None, [1])
	moved("expand_dims", "EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], 2)
	moved("transpose", "TRANSPOSE", [1, 5, 6, 4], [1, 4, 5, 6], [0, 3, 1, 2])
	sliced("slice", "SLICE", [1, 5, 6, 4], [1, 2, 6, 3], [[0, 3, 0, 1], [-1, 2, -1, 3]])
	sliced("strided_slice", "STRIDED_SLICE", [1, 8, 6, 2], [1, 6, 3, 2], [[0, 1, -4, 0], [1, 7, -1, 9], [1, 1, 1, 1]], 1, 8, 0, 0, 0)
	split("split", [1, 3, 4, 6], -1, 3)
	concatenation("concatenation", [[1, 3, 4, 5], [1, 3, 4, 7]], -1, [1, 3, 4, 12])
	concatenation("concatenation_rows", [[1, 3, 4], [1, 2, 4], [1, 3, 4]], 1, [1, 8, 4])
	int16 = tflite_int16.Forms(sys.modules[__name__])
	int16.write()
	before, moves = rng, tflite_moves.Moves(sys.modules[__name__])
	moves.write()
	rng = before
	state = rng.bit_generator.state  # so that no other model changes
	of_two_operands()
	rng.bit_generator.state = state
	regions()
	with_numbers(1, write_ends)
	with_numbers(1, write_detection)
	refuse_files()
	refuse_tensors()
	refuse_options()
	int16.refuse()
	moves.refuse()
	refuse_two()
	refuse_regions()
	with_numbers(1, refuse_ends)
	more_forms()
	refuse_more()
	with open(os.path.join(OUT, "list.txt"), "w") as file:
		file.write("# model, number of inputs\n")
		file.writelines(names)
	with open(os.path.join(OUT, "../tflite-refused", "list.txt"), "w") as file:
		file.write("# model, words of the sentence\n")
		file.writelines(refusals)


if __name__ == "__main__":
	main()
