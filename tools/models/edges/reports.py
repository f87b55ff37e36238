# SPDX-License-Identifier: MIT
"""What others reported of other programs, by its shape, for write.py: tests/README.md has a table of them. Each report has a file."""
import numpy as np

import tflite.model
from common import cases
from edges.tflite import begin, case
from edges.write import I8, U8, Graph, In, i64
from tflite.model import NONE, RELU, SAME, VALID, weights

SUMS = cases.FLOAT_SUMS


# ---- TensorFlow Lite ----

def dilated():
	"""A convolution with dilations as converters write it: SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND around one without."""
	for name, times in (("a convolution", 0), ("a depthwise one", 1)):
		m = begin("dilated " + name)
		x = m.input([1, 9, 10, 6], "int8", 0.05, 3)
		z, y, out = m.tensor([4, 7, 7, 6], "int8", 0.05, 3), m.tensor([4, 5, 5, 6], "int8", 0.2, -7), m.tensor([1, 9, 10, 6], "int8", 0.2, -7)
		pairs = [m.tensor([2, 2], "int32", data=np.array(p, np.int32)) for p in ([[2, 3], [2, 2]], [[0, 1], [0, 0]])]
		m.add("SPACE_TO_BATCH_ND", [x, m.ints([2, 2]), pairs[0]], [z], version=2)
		w = weights(m, [1 if times else 6, 3, 3, 6], 3 if times else 0, True, 0.05, 6)
		m.add("DEPTHWISE_CONV_2D" if times else "CONV_2D", [z, *w], [y], VALID, 1, 1, *([1] if times else []), NONE, 1, 1, version=3)
		m.add("BATCH_TO_SPACE_ND", [y, m.ints([2, 2]), pairs[1]], [out], version=2)
		yield case(name, m, [out], None)


def delegate_batch():
	"""A batch of 4 that the file fixes, in front of a classifier."""
	m = begin("delegate batch")
	x = m.input([4, 8, 8, 3], "int8", 0.05, 3)
	m.data[0] = tflite.model.rng.integers(-128, 128, (4, 8, 8, 3)).astype(np.int8)
	y, flat, out = m.tensor([4, 4, 4, 8], "int8", 0.1, -128), m.tensor([4, 128], "int8", 0.1, -128), m.tensor([4, 10], "int8", 0.4, 5)
	m.add("CONV_2D", [x, *weights(m, [8, 3, 3, 3], 0, True, 0.05, 8)], [y], SAME, 2, 2, RELU, 1, 1, version=3)
	m.add("RESHAPE", [y, m.ints([4, 128])], [flat], [4, 128])
	m.add("FULLY_CONNECTED", [flat, *weights(m, [10, 128], 0, False, 0.1, 10)], [out], NONE, 0, 0, version=4)
	yield case("four images", m, [out], None)


def lstm_cell(m, x, h, c, kernels, steps):
	"""One step: gates of two FULLY_CONNECTED, SPLIT, and what becomes of the state."""
	def make(shape, scale, zero):
		return m.tensor(shape, "int8", scale, zero)

	gates = make([1, 4 * steps], 0.06, 4)
	parts = [make([1, 4 * steps], 0.05, 2) for _ in range(2)]
	for from_, kernel, part in zip((x, h), kernels, parts):
		m.add("FULLY_CONNECTED", [from_, *kernel], [part], NONE, 0, 0, version=4)
	m.add("ADD", parts, [gates], NONE, version=2)
	four = [make([1, steps], 0.06, 4) for _ in range(4)]
	m.add("SPLIT", [m.ints(1), gates], four, 4, version=2)
	done = [make([1, steps], 1 / 256, -128) if i != 1 else make([1, steps], 1 / 128, 0) for i in range(4)]
	for i, gate in enumerate(four):
		m.add("TANH" if i == 1 else "LOGISTIC", [gate], [done[i]], version=2)
	kept, new, cell = make([1, steps], 0.016, 1), make([1, steps], 1 / 127, 0), make([1, steps], 0.016, 1)
	m.add("MUL", [done[2], c], [kept], NONE, version=2)
	m.add("MUL", [done[0], done[1]], [new], NONE, version=2)
	m.add("ADD", [kept, new], [cell], NONE, version=2)
	bent, state = make([1, steps], 1 / 128, 0), make([1, steps], 1 / 128, 0)
	m.add("TANH", [cell], [bent], version=2)
	m.add("MUL", [done[3], bent], [state], NONE, version=2)
	return state, cell


def lstm():
	"""An int8 LSTM of two steps, unrolled, with the state as inputs and outputs."""
	m = begin("lstm")
	x, h, c = m.input([1, 2, 5], "int8", 0.05, 3), m.input([1, 6], "int8", 1 / 128, 0), m.input([1, 6], "int8", 0.016, 1)
	kernels = [weights(m, [24, 5], 0, False, 0.05, 24), weights(m, [24, 6], 0, False, 1 / 128, 24)]
	steps = [m.tensor([1, 5], "int8", 0.05, 3) for _ in range(2)]
	m.add("UNPACK", [x], steps, 2, 1, version=2)
	for step in steps:
		h, c = lstm_cell(m, step, h, c, kernels, 6)
	yield case("two steps", m, [h, c], None)


def reshape():
	"""A RESHAPE to sizes that the elements do not fit, which must not run; and to the nearest that they fit."""
	for name, dims, says in (("sizes that fit", [1, 6, 4], None), ("more elements than there are", [1, 5, 5], " "), ("fewer", [1, 4, 4], " "),
				 ("none that divides them", [1, 7, -1], " "), ("two open ones", [1, -1, -1], " ")):
		m = begin("reshape " + name)
		x = m.input([1, 4, 6], "int8", 0.05, 3)
		y = m.tensor([abs(d) for d in dims], "int8", 0.05, 3)
		m.add("RESHAPE", [x, m.ints(dims)], [y], dims)
		yield case(name, m, [y], says)


# ---- ONNX ----

def conv(g, x, shape, quant, group=1, per_channel=True, **attrs):
	"""A convolution with its bias, quantized; the real tensor behind it."""
	scales = g.rng.uniform(0.002, 0.01, shape[0] if per_channel else 1).astype(np.float32)
	data = g.const(g.rng.integers(-64, 65, shape).astype(I8))
	zeros = np.zeros(scales.shape, I8)
	w = g.node("DequantizeLinear", [data, g.const(scales if per_channel else scales[0]), g.const(zeros if per_channel else I8(0))], axis=0)
	bias = g.node("DequantizeLinear", [g.const(g.rng.integers(-2000, 2000, shape[0]).astype(np.int32)),
					   g.const(scales * np.float32(g.scale) if per_channel else scales[0] * np.float32(g.scale)),
					   g.const(np.zeros(scales.shape, np.int32) if per_channel else np.int32(0))], axis=0)
	return round_to(g, g.node("Conv", [x, w, bias], group=group, **attrs), quant)


def round_to(g, x, quant, dtype=U8):
	"""A pair of QuantizeLinear and DequantizeLinear."""
	g.scale = quant[0]
	integers = g.node("QuantizeLinear", [x, *g.quant(quant, dtype)])
	return g.node("DequantizeLinear", [integers, *g.quant(quant, dtype)])


def batch_items():
	"""Several items at once, of which the second one and those behind it were wrong elsewhere."""
	for name, fixed in (("an open batch", False), ("a batch of 4 that is fixed", True)):
		g = Graph("batch items " + name)
		x, g.scale = g.real(In(4, 3, 9, 10, fixed=fixed)), 0.04
		x = conv(g, x, (8, 3, 3, 3), (0.05, 120), pads=[1, 1, 1, 1], strides=[2, 2])
		x = round_to(g, g.node("Relu", [x]), (0.03, 0))
		x = conv(g, x, (8, 1, 3, 3), (0.06, 130), group=8, pads=[1, 1, 1, 1])
		x = round_to(g, g.node("GlobalAveragePool", [x]), (0.02, 128))
		g.output(g.node("Flatten", [x]), quant=(0.02, 128))
		yield g.case(13, None, SUMS)


def unsqueeze():
	"""Unsqueeze, whose axes are inputs since opset 13, behind and between quantized operators; of no loop."""
	for name, axes in (("in front", [1]), ("at the end", [-1]), ("two of them", [1, 4])):
		g = Graph("unsqueeze " + name)
		x = g.real(In(3, 4, 5))
		y = g.node("Unsqueeze", [x, g.const(i64(*axes))])
		y = g.node("Squeeze", [round_to(g, g.node("Abs", [y]), (0.05, 0)), g.const(i64(*axes))])
		g.output(y, quant=(0.05, 0))
		yield g.case(13, None)


def mobilenet_v3():
	"""A block of MobileNetV3, with a scale for each channel: expansion, HardSwish, depthwise, squeeze and excitation, projection, and a sum."""
	g = Graph("mobilenet v3 block")
	x, g.scale = g.real(In(2, 8, 8, 9)), 0.04
	y = conv(g, x, (16, 8, 1, 1), (0.05, 110))
	y = round_to(g, g.node("HardSwish", [y]), (0.04, 10))
	y = conv(g, y, (16, 1, 5, 5), (0.05, 120), group=16, pads=[2, 2, 2, 2])
	y = round_to(g, g.node("HardSwish", [y]), (0.03, 12))
	squeezed = round_to(g, g.node("GlobalAveragePool", [y]), (0.02, 100))
	squeezed = round_to(g, g.node("Relu", [conv(g, squeezed, (4, 16, 1, 1), (0.02, 90))]), (0.01, 0))
	squeezed = conv(g, squeezed, (16, 4, 1, 1), (0.03, 128))
	squeezed = round_to(g, g.node("HardSigmoid", [squeezed], alpha=1 / 6, beta=0.5), (1 / 255, 0))
	y = round_to(g, g.node("Mul", [y, squeezed]), (0.02, 15))
	y = conv(g, y, (8, 16, 1, 1), (0.05, 128))
	g.output(g.node("Add", [x, y]), quant=(0.06, 70))
	yield g.case(14, None, SUMS)


FILES = {"report-onnxruntime-11415": mobilenet_v3, "report-tensorflow-59630": unsqueeze, "report-tensorrt-3103": batch_items}
TFLITE_FILES = {"tflite-report-tensorflow-45478": dilated, "tflite-report-tensorflow-56835": delegate_batch, "tflite-report-tensorflow-58143": reshape,
		"tflite-report-tensorflow-60234": lstm}
