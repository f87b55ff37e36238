# SPDX-License-Identifier: MIT
"""The models of write.py with operators that nothing quantizes, as quantize_static() leaves those that it has no quantized form for: at
the end, where the output is float32, or in front of another one that is; with operators of newer opsets; and with large pools. Where
the output is float32, scales are powers of two and means are of as many elements, so that float32 has every sum exactly, in any
order."""
import numpy as np
from onnx import TensorProto, helper

import ops.model
from ops.model import Model

AXES_INPUT = {"ReduceSum": 13, "ReduceMean": 18, "ReduceL1": 18, "ReduceL2": 18}


def start(shape, dtype, scale, zero, image):
	"""A real tensor; an image is behind a pool, so that it is stored as nnloop has images."""
	m = Model()
	x = m.real(m.input(shape, dtype, scale, zero))
	return m, m.node("MaxPool", [x], "image", kernel_shape=[1, 1]) if image else x


def reduce(m, op, value, axes, result, opset, keepdims=1):
	if opset >= AXES_INPUT[op]:
		return m.node(op, [value, m.const(result + "_axes", np.array(axes))], result, keepdims=keepdims)
	return m.node(op, [value], result, axes=axes, keepdims=keepdims)


def float_output(value, shape):
	return helper.make_tensor_value_info(value, TensorProto.FLOAT, ["N", *shape])


def function_end(name, doc, dtype, image):
	m, x = start((3, 6, 4, 5), dtype, 0.05, 117 if dtype == np.uint8 else -11, image)
	value = m.node("LeakyRelu", [x], "leaky", alpha=0.3)
	value = m.node("Mul", [value, m.const("number", np.float32(1.7))], "result")
	m.save(name, float_output(value, (6, 4, 5)), doc, False)


def moved_end(name, doc):
	m, x = start((3, 6, 4, 5), np.uint8, 0.05, 117, True)
	value = m.node("Abs", [x], "absolute")
	value = m.node("Transpose", [value], "turned", perm=[0, 2, 1, 3])
	m.save(name, float_output(m.node("Reshape", [value, m.const("shape", np.array([0, -1]))], "result"), (120,)), doc, False)


def two_ends(name, doc):
	"""What a QuantizeLinear rounds, and an output as well."""
	m, x = start((3, 9), np.int8, 0.05, -11, False)
	value = m.node("Neg", [x], "result")
	m.save(name, [m.output(value, ["N", 9], np.int8, 0.07, 3), float_output(value, (9,))], doc, False)


def reduced_end(name, doc, op, axes, left, opset=13, keepdims=1, function=None, image=True, shape=(3, 6, 4, 8)):
	m, x = start(shape, np.uint8, 2 ** -4, 117, image)
	if function:
		x = m.node(function, [x], "function")
	m.save(name, float_output(reduce(m, op, x, axes, "result", opset, keepdims), left), doc, False, opset=opset)


def pooled_end(name, doc):
	m, x = start((3, 6, 4, 8), np.int8, 2 ** -5, 12, True)
	m.save(name, float_output(m.node("GlobalAveragePool", [x], "result"), (6, 1, 1)), doc, False)


def reduced_function(name, doc, function, op, axes, left, opset=13, keepdims=1, shape=(3, 6, 5, 7), image=True, **attrs):
	"""Of a function that nothing rounds; the result is quantized."""
	m, x = start(shape, np.uint8, 0.04, 117, image)
	value = m.node(function, [x], "function", **attrs)
	value = m.node(op, [value], "result") if op.startswith("Global") else reduce(m, op, value, axes, "result", opset, keepdims)
	m.save(name, m.output(value, ["N", *left], np.uint8, 0.013, 30), doc, False, opset=opset)


def softmax_of(name, doc, op, scale, zero):
	m, x = start((5, 4, 11), np.uint8, 0.04, 117, False)
	value = m.node("LeakyRelu", [x], "function", alpha=0.2)
	m.save(name, m.output(m.node(op, [value], "result", axis=-1), ["N", 4, 11], np.uint8, scale, zero), doc, False)


def normalized(name, doc, shape, axis, op="ReduceL2", expand=True, opset=13, dtype=np.uint8, least=1e-12, end=False):
	"""PyTorch's normalize(); of the first row every vector is of zeros."""
	zero = 117 if dtype == np.uint8 else -11
	m, x = start(shape, dtype, 2 ** -4 if end else 0.05, zero, len(shape) == 4)
	m.data[0][0] = zero
	length = reduce(m, op, x, [axis], "length", opset)
	length = m.node("Clip", [length, m.const("least", np.float32(least))], "clamped")
	if expand:
		length = m.node("Expand", [length, m.node("Shape", [x], "shape")], "expanded")
	value = m.node("Div", [x, length], "result")
	made = float_output(value, shape[1:]) if end else m.output(value, ["N", *shape[1:]], dtype, 1 / 128, zero)
	m.save(name, made, doc, False, opset=opset)


def rms(name, doc, shape, axis=-1, image=False, dtype=np.uint8, **attrs):
	zero = 117 if dtype == np.uint8 else -11
	m, x = start(shape, dtype, 0.05, zero, image)
	scale = m.const("scale", ops.model.rng.normal(1, 0.3, shape[axis:]).astype(np.float32))
	value = m.node("RMSNormalization", [x, scale], "result", axis=axis, **attrs)
	m.save(name, m.output(value, ["N", *shape[1:]], dtype, 0.03, zero), doc, False, opset=23)


def swish(name, doc, **attrs):
	m, x = start((1, 256), np.uint8, 0.05, 117, False)
	m.data[0][0] = np.arange(256)
	m.save(name, m.output(m.node("Swish", [x], "result", **attrs), ["N", 256], np.uint8, 0.04, 17), doc, False, opset=24)


def large_pool(name, doc, shape, dtype=np.uint8):
	zero = 117 if dtype == np.uint8 else -11
	m, x = start(shape, dtype, 0.05, zero, False)
	made = ["N", shape[1], *[1] * (len(shape) - 2)]
	m.save(name, m.output(m.node("GlobalAveragePool", [x], "result"), made, dtype, 0.003, zero), doc, False)


def clamped_length(name, doc):
	"""A length that is clamped and rounded."""
	m, x = start((6, 9), np.uint8, 0.05, 117, False)
	value = m.node("Clip", [reduce(m, "ReduceL2", x, [1], "length", 13), m.const("least", np.float32(11))], "clamped")
	m.save(name, m.output(value, ["N", 1], np.uint8, 0.06, 3), doc, False)


@ops.model.numbers(45)
def write():
	function_end("end_function", "A chain of functions, an output of float32", np.uint8, False)
	function_end("end_function_image", "The same of an image, int8", np.int8, True)
	moved_end("end_moved", "A function, which moves further, as float32")
	two_ends("end_two", "A function that is rounded, and an output as well")
	reduced_end("end_mean", "ReduceMean of an image", "ReduceMean", [2, 3], (6,), keepdims=0)
	reduced_end("end_mean_new", "The same of opset 18, keepdims", "ReduceMean", [-1, -2], (6, 1, 1), opset=18)
	reduced_end("end_mean_channels", "ReduceMean over all but the batch and columns", "ReduceMean", [1, 2], (1, 1, 8), shape=(3, 4, 4, 8))
	reduced_end("end_mean_function", "ReduceMean of Neg", "ReduceMean", [3], (6, 4, 1), function="Neg")
	reduced_end("end_sum", "ReduceSum", "ReduceSum", [1], (4, 8), keepdims=0)
	reduced_end("end_length", "ReduceL2", "ReduceL2", [1], (1, 4, 8))
	pooled_end("end_pooled", "GlobalAveragePool, int8")
	reduced_function("island_gelu_mean", "Gelu and ReduceMean, and nothing between them", "Gelu", "ReduceMean", [2, 3], (6,), 20, 0)
	reduced_function("island_sigmoid_pool", "Sigmoid and GlobalAveragePool", "Sigmoid", "GlobalAveragePool", None, (6, 1, 1))
	reduced_function("island_tanh_sum", "Tanh and ReduceSum", "Tanh", "ReduceSum", [1], (1, 5, 7))
	softmax_of("island_softmax", "Softmax of a LeakyRelu that nothing rounds", "Softmax", 1 / 256, 0)
	softmax_of("island_log_softmax", "LogSoftmax likewise", "LogSoftmax", 0.05, 255)
	normalized("normalize_length", "A tensor divided by its ReduceL2", (6, 9), 1)
	normalized("normalize_length_image", "The same over an image's channels, opset 18", (3, 6, 4, 5), 1, opset=18)
	normalized("normalize_length_plain", "The same without Expand, int8", (6, 3, 9), 2, expand=False, dtype=np.int8)
	normalized("normalize_sum", "A tensor divided by its ReduceL1", (6, 9), 1, "ReduceL1", least=0.05)
	normalized("normalize_end", "The same by ReduceL2, an output of float32", (6, 16), 1, end=True)
	clamped_length("normalize_clamped", "ReduceL2, clamped and rounded")
	rms("rms", "RMSNormalization", (9, 24))
	rms("rms_axis", "RMSNormalization of the last three dimensions, int8", (3, 6, 4, 5), -3, False, np.int8, epsilon=0.01)
	swish("swish", "Swish of every byte, alpha", alpha=1.5)
	large_pool("averagepool_global_line_large", "GlobalAveragePool of lines of more than a window has", (3, 5, 700))
	large_pool("averagepool_global_large", "The same of images, int8", (2, 3, 4, 300), np.int8)
