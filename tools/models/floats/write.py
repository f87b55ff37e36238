#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Small models in float32 with what ONNX Runtime or LiteRT makes of them: tests/models/floats, which tests/e2e/floats runs.

usage: write.py [NAME...]

Needs Python's packages of requirements.txt (`make judges` has them). Each function of MODELS makes a model, by its name, and its inputs are random,
the same each time. Writes NAME.onnx or NAME.tflite, NAME.in0.npy and so on, and NAME.golden.0.npy and so on. Nothing of nnloop has a part in it.
"""
import os
import sys
import zlib

import flatbuffers
import numpy as np
import onnx
import onnxruntime
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from onnx import TensorProto, helper, numpy_helper

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests/models/floats")


def random(name):
	return np.random.default_rng(zlib.crc32(name.encode()))


# ---- ONNX ----


def onnx_model(nodes, shape, constants):
	values = [numpy_helper.from_array(np.asarray(data), name) for name, data in constants.items()]
	graph = helper.make_graph(
		nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
		[helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], values)
	model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
	model.ir_version = 8
	return onnx.shape_inference.infer_shapes(model).SerializeToString()


def long_conv(rng):
	"""A convolution of sound: longer than 255, in strides that are, too."""
	nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], kernel_shape=[400], strides=[320], pads=[100, 60])]
	return onnx_model(nodes, [1, 2, 2000], {"w": rng.normal(0, 0.05, (5, 2, 400)).astype("f"), "b": rng.normal(0, 1, 5).astype("f")})


def long_pools(_):
	nodes = [
		helper.make_node("AveragePool", ["x"], ["mean"], kernel_shape=[300], strides=[260]),
		helper.make_node("MaxPool", ["x"], ["most"], kernel_shape=[300], strides=[260]),
		helper.make_node("Concat", ["mean", "most"], ["y"], axis=1),
	]
	return onnx_model(nodes, [1, 3, 1100], {})


def clip_to_computed(_):
	"""Bounds that are computed: what is more than 1 below the greatest element, and more than half of it."""
	nodes = [
		helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0),
		helper.make_node("Sub", ["most", "one"], ["low"]),
		helper.make_node("Mul", ["most", "half"], ["high"]),
		helper.make_node("Clip", ["x", "low"], ["above"]),
		helper.make_node("Clip", ["x", "", "high"], ["below"]),
		helper.make_node("Concat", ["above", "below"], ["y"], axis=1),
	]
	return onnx_model(nodes, [1, 4, 6], {"one": np.float32(1), "half": np.float32(0.5)})


# ---- TensorFlow Lite ----


class Lite:
	"""A model of one graph, with a buffer for each tensor."""

	def __init__(self):
		self.model, self.graph = schema.ModelT(), schema.SubGraphT()
		self.model.version, self.model.subgraphs = 3, [self.graph]
		self.model.buffers, self.model.operatorCodes = [schema.BufferT()], []
		self.graph.tensors, self.graph.operators, self.graph.inputs, self.graph.outputs = [], [], [], []

	def tensor(self, shape, data=None, kind=schema.TensorType.FLOAT32, sparsity=None):
		tensor, buffer = schema.TensorT(), schema.BufferT()
		tensor.name, tensor.shape, tensor.type, tensor.sparsity = f"t{len(self.graph.tensors)}", list(shape), kind, sparsity
		tensor.buffer = len(self.model.buffers)
		if data is not None:
			buffer.data = list(np.ascontiguousarray(data).tobytes())
		self.model.buffers.append(buffer)
		self.graph.tensors.append(tensor)
		return len(self.graph.tensors) - 1

	def add(self, code, inputs, shape, options=None, custom=None, custom_options=None):
		operator, its_code = schema.OperatorT(), schema.OperatorCodeT()
		its_code.builtinCode, its_code.deprecatedBuiltinCode, its_code.version, its_code.customCode = code, min(code, 127), 1, custom
		operator.opcodeIndex = len(self.model.operatorCodes)
		self.model.operatorCodes.append(its_code)
		out = self.tensor(shape)
		operator.inputs, operator.outputs = inputs, [out]
		if options is not None:
			operator.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
			operator.builtinOptions = options
		operator.customOptions = list(custom_options) if custom_options else None
		self.graph.operators.append(operator)
		return out

	def write(self, inputs, outputs):
		self.graph.inputs, self.graph.outputs = inputs, outputs
		builder = flatbuffers.Builder(1024)
		builder.Finish(self.model.Pack(builder), b"TFL3")
		return bytes(builder.Output())


def level(size=None, segments=None, indices=None):
	made = schema.DimensionMetadataT()
	if size is not None:
		made.format, made.denseSize = schema.DimensionType.DENSE, size
		return made
	made.format = schema.DimensionType.SPARSE_CSR
	made.arraySegmentsType = made.arrayIndicesType = schema.SparseIndexVector.Uint8Vector
	made.arraySegments, made.arrayIndices = schema.Uint8VectorT(), schema.Uint8VectorT()
	made.arraySegments.values, made.arrayIndices.values = segments, indices
	return made


def conv_options(kind):
	options = kind()
	options.strideW = options.strideH = 1
	if kind is schema.Conv2DOptionsT:
		options.dilationWFactor = options.dilationHFactor = 1
	return options


def sparse(rng, block):
	"""A convolution by weights that are stored as a sparse tensor, by rows of the last dimension, or in blocks of 1 x 4 of it."""
	outputs, channels, width = 6, 16, block or 1
	kept = [sorted(rng.choice(channels // width, int(rng.integers(0, 4)), replace=False).tolist()) for _ in range(outputs)]
	weights = np.zeros((outputs, 1, 1, channels), "f2")
	for row, columns in enumerate(kept):
		for column in columns:
			weights[row, 0, 0, column * width : (column + 1) * width] = rng.normal(0, 1, width)
	stored = np.concatenate([weights[row, 0, 0, column * width : (column + 1) * width] for row, columns in enumerate(kept) for column in columns])
	sparsity = schema.SparsityParametersT()
	sparsity.traversalOrder, sparsity.blockMap = list(range(5 if block else 4)), [3] if block else None
	segments = np.concatenate([[0], np.cumsum([len(columns) for columns in kept])]).tolist()
	sparsity.dimMetadata = [level(outputs), level(1), level(1), level(None, segments, sum(kept, []))] + ([level(block)] if block else [])
	lite = Lite()
	x = lite.tensor([1, 3, 3, channels])
	half = lite.tensor(weights.shape, stored, schema.TensorType.FLOAT16, sparsity)
	dense = lite.add(schema.BuiltinOperator.DENSIFY, [half], weights.shape, schema.DensifyOptionsT())
	lite.graph.tensors[dense].type = schema.TensorType.FLOAT16
	floats = lite.add(schema.BuiltinOperator.DEQUANTIZE, [dense], weights.shape, schema.DequantizeOptionsT())
	bias = lite.tensor([outputs], rng.normal(0, 1, outputs).astype("f"))
	y = lite.add(schema.BuiltinOperator.CONV_2D, [x, floats, bias], [1, 3, 3, outputs], conv_options(schema.Conv2DOptionsT))
	return lite.write([x], [y])


def sparse_rows(rng):
	return sparse(rng, None)


def sparse_blocks(rng):
	return sparse(rng, 4)


def transpose_bias(rng, kernel, stride, padding, size):
	"""MediaPipe's transposed convolution, which XNNPACK knows."""
	lite = Lite()
	x = lite.tensor([1, 4, 5, 3])
	weights = lite.tensor([2, kernel, kernel, 3], rng.normal(0, 1, (2, kernel, kernel, 3)).astype("f"))
	bias = lite.tensor([2], rng.normal(0, 1, 2).astype("f"))
	options = np.array([padding, stride, stride], "<i4").tobytes()
	y = lite.add(schema.BuiltinOperator.CUSTOM, [x, weights, bias], [1, *size, 2], None, "Convolution2DTransposeBias", options)
	return lite.write([x], [y])


def transpose_bias_same(rng):
	return transpose_bias(rng, 3, 2, 1, (8, 10))


def transpose_bias_valid(rng):
	return transpose_bias(rng, 3, 2, 2, (9, 11))


def reduce_all(_):
	"""The greatest element of all, the batch of 1 included, is taken from each."""
	lite = Lite()
	x = lite.tensor([1, 3, 4])
	axes = lite.tensor([3], np.arange(3, dtype="<i4"), schema.TensorType.INT32)
	most = lite.add(schema.BuiltinOperator.REDUCE_MAX, [x, axes], [], schema.ReducerOptionsT())
	y = lite.add(schema.BuiltinOperator.SUB, [x, most], [1, 3, 4], schema.SubOptionsT())
	return lite.write([x], [y])


def lstm_stream(rng):
	"""A recurrent layer as Keras' converter writes it, which goes on with each item where it was."""
	steps, inputs, cells = 4, 3, 5
	lite = Lite()
	x = lite.tensor([1, steps, inputs])
	parts = [lite.tensor(shape, rng.normal(0, 0.5, shape).astype("f")) for shape in [(cells, inputs)] * 4 + [(cells, cells)] * 4 + [(cells,)] * 4]
	states = [lite.tensor([1, cells]) for _ in range(2)]
	for state in states:
		lite.graph.tensors[state].isVariable = True
	options = schema.UnidirectionalSequenceLSTMOptionsT()
	options.fusedActivationFunction, options.cellClip, options.timeMajor = schema.ActivationFunctionType.TANH, 10.0, False
	y = lite.add(schema.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM, [x, *parts[:8], -1, -1, -1, *parts[8:], -1, -1, *states, -1, -1, -1, -1],
		     [1, steps, cells], options)
	return lite.write([x], [y])


MODELS = (long_conv, long_pools, clip_to_computed, sparse_rows, sparse_blocks, transpose_bias_same, transpose_bias_valid, reduce_all, lstm_stream)
ITEMS = {"lstm_stream": 3}  # that it is given, one after the other


# ---- What the runtimes make of them ----


def judge(path, rng, items):
	if path.endswith(".onnx"):
		session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
		x = rng.normal(0, 1, session.get_inputs()[0].shape).astype("f")
		return x, session.run(None, {"x": x})
	interpreter = Interpreter(model_path=path, num_threads=1)
	interpreter.allocate_tensors()
	info = interpreter.get_input_details()[0]
	x = rng.normal(0, 1, [items, *info["shape"]]).astype("f")
	outputs = []
	for item in x:
		interpreter.set_tensor(info["index"], item)
		interpreter.invoke()
		outputs.append([interpreter.get_tensor(info["index"]) for info in interpreter.get_output_details()])
	return np.concatenate(x), [np.concatenate(of_items) for of_items in zip(*outputs)]


def main():
	os.makedirs(FOLDER, exist_ok=True)
	for make in MODELS:
		if len(sys.argv) > 1 and make.__name__ not in sys.argv[1:]:
			continue
		rng = random(make.__name__)
		data = make(rng)
		stem = os.path.join(FOLDER, make.__name__)
		path = stem + (".tflite" if data[4:8] == b"TFL3" else ".onnx")
		with open(path, "wb") as file:
			file.write(data)
		x, outputs = judge(path, rng, ITEMS.get(make.__name__, 1))
		np.save(stem + ".in0.npy", x)
		for i, output in enumerate(outputs):
			np.save(f"{stem}.golden.{i}.npy", output)


if __name__ == "__main__":
	main()
