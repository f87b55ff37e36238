# SPDX-License-Identifier: MIT
"""What the files share that write TensorFlow Lite models: the model under construction, its random numbers, and what both the
models to run and those to refuse are made of."""
import contextlib
import os

import numpy as np

from common import archive
from tflite import flatbuffer as fb

OUT = os.path.join(archive.UNPACKED, "tflite")
ITEMS = 3
rng = np.random.default_rng(13)
TYPES = {"float32": 0, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7, "int8": 9, "resource": 13}
SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)
names, refusals = [], []
browser = []  # models whose golden values golden.mjs makes

# Operator: its number, the number of its table of options, and what each field of that is.
OPERATORS = {
	"ADD": (0, 11, [fb.i8]),
	"ADD_INT16": (0, 11, [fb.i8, fb.u8]),  # which has an option for scales that are powers of two
	"AVERAGE_POOL_2D": (1, 5, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i32, fb.i8]),
	"CONCATENATION": (2, 10, [fb.i32, fb.i8]),
	"CONV_2D": (3, 1, [fb.i8, fb.i32, fb.i32, fb.i8, fb.i32, fb.i32, fb.i8]),
	"DEPTHWISE_CONV_2D": (4, 2, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i8, fb.i32, fb.i32]),
	"DEPTH_TO_SPACE": (5, 94, [fb.i32]),
	"DEQUANTIZE": (6, 38, []),
	"FULLY_CONNECTED": (9, 8, [fb.i8, fb.i8, fb.u8, fb.u8, fb.i8]),
	"L2_NORMALIZATION": (11, 12, [fb.i8]),
	"LOGISTIC": (14, 0, []),
	"FLOOR": (8, 0, []),
	"EXP": (47, 33, []),
	"SIN": (66, 0, []),
	"LOG": (73, 0, []),
	"SQRT": (75, 0, []),
	"SQUARE": (92, 66, []),
	"CEIL": (104, 0, []),
	"COS": (108, 84, []),
	"ROUND": (116, 0, []),
	"MUL": (18, 21, [fb.i8]),
	"MAX_POOL_2D": (17, 5, [fb.i8, fb.i32, fb.i32, fb.i32, fb.i32, fb.i8]),
	"RELU": (19, 0, []),
	"RELU_N1_TO_1": (20, 0, []),
	"RELU6": (21, 0, []),
	"RESHAPE": (22, 17, [lambda dims: fb.vector("i", dims)]),
	"RESIZE_BILINEAR": (23, 15, [fb.i32, fb.i32, fb.i8, fb.i8]),
	"SOFTMAX": (25, 9, [fb.f32]),
	"SPACE_TO_DEPTH": (26, 19, [fb.i32]),
	"SVDF": (27, 6, [fb.i32, fb.i8]),
	"UNIDIRECTIONAL_SEQUENCE_LSTM": (44, 71, [fb.i8, fb.f32, fb.f32, fb.u8, fb.u8, fb.u8]),
	"UNIDIRECTIONAL_SEQUENCE_RNN": (35, 31, [fb.u8, fb.i8, fb.u8]),
	"BIDIRECTIONAL_SEQUENCE_LSTM": (52, 69, [fb.i8, fb.f32, fb.f32, fb.u8, fb.u8, fb.u8]),
	"TANH": (28, 0, []),
	"PAD": (34, 22, []),
	"GATHER": (36, 23, [fb.i32, fb.i32]),
	"BATCH_TO_SPACE_ND": (37, 24, []),
	"SPACE_TO_BATCH_ND": (38, 25, []),
	"TRANSPOSE": (39, 26, []),
	"SUB": (41, 28, [fb.i8, fb.u8]),
	"MEAN": (40, 27, [fb.i8]),
	"REDUCE_MAX": (82, 27, [fb.i8]),
	"REDUCE_MIN": (89, 27, [fb.i8]),
	"SQUEEZE": (43, 30, [lambda dims: fb.vector("i", dims)]),
	"EXPAND_DIMS": (70, 52, []),
	"STRIDED_SLICE": (45, 32, [fb.i32, fb.i32, fb.i32, fb.i32, fb.i32, fb.u8]),
	"SPLIT": (49, 35, [fb.i32]),
	"PADV2": (60, 43, []),
	"CAST": (53, 37, [fb.i8, fb.i8]),
	"LESS": (58, 41, []),
	"NEG": (59, 42, []),
	"GREATER": (61, 44, []),
	"GREATER_EQUAL": (62, 45, []),
	"LESS_EQUAL": (63, 46, []),
	"SELECT": (64, 47, []),
	"EQUAL": (71, 53, []),
	"NOT_EQUAL": (72, 54, []),
	"LOGICAL_OR": (84, 60, []),
	"LOGICAL_AND": (86, 62, []),
	"LOGICAL_NOT": (87, 63, []),
	"FLOOR_DIV": (90, 65, []),
	"FLOOR_MOD": (95, 72, []),
	"SELECT_V2": (123, 98, []),
	"LOG_SOFTMAX": (50, 36, []),
	"PRELU": (54, 0, []),
	"ARG_MAX": (56, 40, [fb.i8]),
	"ARG_MIN": (79, 57, [fb.i8]),
	"BATCH_MATMUL": (126, 101, [fb.u8, fb.u8, fb.u8]),
	"MAXIMUM": (55, 39, []),
	"MINIMUM": (57, 39, []),
	"TRANSPOSE_CONV": (67, 49, [fb.i8, fb.i32, fb.i32, fb.i8]),
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
	"RSQRT": (76, 0, []),
	"GELU": (150, 116, [fb.i8]),
	"ELU": (111, 0, []),
	"HARD_SWISH": (117, 91, []),
	"QUANTIZE": (114, 89, []),
	"DIV": (42, 29, [fb.i8]),
	"TOPK_V2": (48, 34, []),
	"SUM": (74, 27, [fb.i8]),
	"SHAPE": (77, 55, [fb.i8]),
	"REDUCE_PROD": (81, 27, [fb.i8]),
	"ONE_HOT": (85, 61, [fb.i32]),
	"ZEROS_LIKE": (93, 67, []),
	"FILL": (94, 68, []),
	"RANGE": (96, 73, []),
	"GATHER_ND": (107, 83, []),
	"CUMSUM": (128, 102, [fb.i8, fb.i8]),
	"CALL_ONCE": (129, 103, [fb.i32]),
	"VAR_HANDLE": (142, 111, [fb.string, fb.string]),
	"READ_VARIABLE": (143, 112, []),
	"ASSIGN_VARIABLE": (144, 113, []),
	"IF": (118, 92, [fb.i32, fb.i32]),
	"WHILE": (119, 93, [fb.i32, fb.i32]),
	"NON_MAX_SUPPRESSION_V4": (120, 95, []),
	"NON_MAX_SUPPRESSION_V5": (121, 96, []),
}


@contextlib.contextmanager
def numbers(seed):
	"""A decorator of functions that write models: with random numbers of their own, so that others do not depend on them."""
	global rng
	before, rng = rng, np.random.default_rng(seed)
	yield
	rng = before


class Model:
	def __init__(self):
		self.tensors, self.operators, self.codes, self.buffers = [], [], [], [{}]
		self.inputs, self.data = [], []
		self.others = []  # graphs behind the model's own
		self.described = 0  # the buffer with its metadata
		self.repeat = 0  # times that the file says its one operator is there

	def tensor(self, shape, dtype, scale=None, zero=0, axis=None, data=None, name=None, varies=False):
		quantization = None
		if scale is not None:
			scales = np.atleast_1d(np.float32(scale))
			quantization = fb.table({2: fb.vector("f", scales), 3: fb.vector("q", np.broadcast_to(zero, scales.shape)),
						 6: fb.i32(axis) if axis else None})
		buffer = 0
		if data is not None:
			buffer = len(self.buffers)
			self.buffers.append({0: fb.raw(np.ascontiguousarray(data).tobytes())})
		self.tensors.append({0: fb.vector("i", shape), 1: fb.i8(TYPES[dtype]), 2: fb.u32(buffer),
				     3: fb.string(name or f"tensor{len(self.tensors)}"), 4: quantization,
				     7: fb.vector("i", [-1, *shape[1:]]) if varies else None})
		return len(self.tensors) - 1

	def say_open(self, tensor, shape, dims):
		"""The file leaves these dimensions of a tensor open."""
		self.tensors[tensor][7] = fb.vector("i", [-1 if i in dims else n for i, n in enumerate(shape)])

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

	def add_graph(self, build):
		"""A graph of its own: build() adds its tensors and operators."""
		before, self.tensors, self.operators = (self.tensors, self.operators), [], []
		build()
		self.others.append({0: fb.tables(self.tensors), 1: fb.vector("i", []), 2: fb.vector("i", []), 3: fb.tables(self.operators)})
		self.tensors, self.operators = before

	def add_custom(self, name, inputs, outputs, options):
		self.codes.append({0: fb.i8(32), 1: fb.string(name), 2: fb.i32(1), 3: fb.i32(32)})
		self.operators.append({0: fb.u32(len(self.codes) - 1), 1: fb.vector("i", inputs), 2: fb.vector("i", outputs),
				       5: fb.raw(options)})

	def encode(self, outputs, version=3):
		graph = {0: fb.tables(self.tensors), 1: fb.vector("i", self.inputs), 2: fb.vector("i", outputs),
			 3: fb.repeated(self.operators[0], self.repeat) if self.repeat else fb.tables(self.operators)}
		model = {0: fb.u32(version), 1: fb.tables(self.codes), 2: fb.tables([graph, *self.others]), 4: fb.tables(self.buffers)}
		if self.described:
			model[6] = fb.tables([{0: fb.string("TFLITE_METADATA"), 1: fb.u32(self.described)}])
		return fb.write(model, b"TFL3")

	def write(self, path, outputs, version=3):
		with open(os.path.join(OUT, path + ".tflite"), "wb") as file:
			file.write(self.encode(outputs, version))

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


def function(name, op, dtype, scale, out_scale, out_zero, *options, version=2):
	"""Of one element: all of them."""
	m = Model()
	x = m.input([1, 256], dtype, scale, 4 if dtype == "int8" else 100)
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, 256], dtype, out_scale, out_zero)
	m.add(op, [x], [y], *options, version=version)
	m.save(name, [y])


def refused(name, words, m, outputs=None, version=3):
	m.write(os.path.join("../tflite-refused", name), [len(m.tensors) - 1] if outputs is None else outputs, version)
	refusals.append(f"{name} {words}\n")
