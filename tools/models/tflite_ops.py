#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/tflite/: one tiny TensorFlow Lite model per operator form that the importer knows, with random
inputs of three items. tflite_golden.py adds what TensorFlow Lite makes of them.

Models are for batches of one, as converters make them. list.txt has a line for each: its name, and how many inputs it
has. Those in tests/models/tflite-refused/ cannot be imported, and its list.txt has words that the sentence about it must have.
"""
import os

import numpy as np

import flatbuffer as fb

OUT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/models/tflite"))
ITEMS = 3
rng = np.random.default_rng(13)
TYPES = {"float32": 0, "int32": 2, "uint8": 3, "int16": 7, "int8": 9}
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
	"FULLY_CONNECTED": (9, 8, [fb.i8, fb.i8, fb.u8]),
	"LOGISTIC": (14, 0, []),
	"MAX_POOL_2D": (17, 5, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i32, fb.i8]),
	"RELU": (19, 0, []),
	"RELU_N1_TO_1": (20, 0, []),
	"RELU6": (21, 0, []),
	"RESHAPE": (22, 17, [lambda dims: fb.vector("i", dims)]),
	"SOFTMAX": (25, 9, [fb.f32]),
	"TANH": (28, 0, []),
	"TRANSPOSE": (39, 26, []),
	"SQUEEZE": (43, 30, [lambda dims: fb.vector("i", dims)]),
	"EXPAND_DIMS": (70, 52, []),
	"STRIDED_SLICE": (45, 32, [fb.i32, fb.i32, fb.i32, fb.i32, fb.i32]),
	"SPLIT": (49, 35, [fb.i32]),
	"SLICE": (65, 48, []),
	"LEAKY_RELU": (98, 75, [fb.f32]),
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

	def ints(self, values):
		return self.tensor([len(values)] if isinstance(values, list) else [], "int32", data=np.array(values, np.int32))

	def add(self, op, inputs, outputs, *options, version=1):
		number, options_type, kinds = OPERATORS[op]
		code = {0: fb.i8(number), 2: fb.i32(version), 3: fb.i32(number)}
		table = {i: kind(value) for i, (kind, value) in enumerate(zip(kinds, options)) if value is not None}
		self.codes.append(code)
		self.operators.append({0: fb.u32(len(self.codes) - 1), 1: fb.vector("i", inputs), 2: fb.vector("i", outputs),
				       3: fb.u8(options_type) if options_type else None,
				       4: fb.table(table) if options_type else None})

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
	sliced("strided_slice_masks", "STRIDED_SLICE", [1, 8, 6, 4], [1, 8, 5, 3], [[5, 7, 0, 1], [0, 1, -1, 4], [1, 1, 1, 1]], 3, 3, 0, 0, 0)
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


def main():
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
	refuse_files()
	refuse_tensors()
	refuse_options()
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
