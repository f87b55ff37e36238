#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models of operators whose results no two runtimes have to the last bit: functions, softmax, normalizations, sums of floats. For tests/models/steps.

usage: steps.py [NAME...]

Each NAME is a file of cases (common/cases.py), all of them if none is given, of at least 10,000 elements, with what ONNX Runtime, optimizations off, makes of them. Beside that is
a bit for each element: whether ONNX Runtime's float, before it is rounded, is beside the boundary between two integers. tests/e2e/golden.c counts: an element may differ by
one step, only there, and one in 10,000 of a file. NODE_PATH says where onnxruntime-node is. Nothing of nnloop has a part in it.
"""
import os
import subprocess
import sys
import tempfile

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import onnx
from onnx import numpy_helper

from common import cases
from edges.write import F32, I8, U8, Graph, In

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.normpath(os.path.join(HERE, "../../../tests/models/steps"))
BESIDE = 2.0 ** -11  # of a step: ONNX Runtime's softmax is some 2^-13 off
ENOUGH = 10240
FUNCTIONS = {  # opset, the least and the greatest real element, those of the result, attributes
	"Acos": (13, -1, 1, 0, 3.2), "Acosh": (13, 1, 9, 0, 2.9), "Asin": (13, -1, 1, -1.6, 1.6), "Asinh": (13, -6, 6, -2.5, 2.5), "Atan": (13, -6, 6, -1.5, 1.5),
	"Atanh": (13, -0.99, 0.99, -2, 2), "Celu": (13, -5, 5, -1, 5, {"alpha": 0.8}), "Cos": (13, -6, 6, -1, 1), "Cosh": (13, -3, 3, 1, 10), "Elu": (13, -5, 5, -1, 5, {"alpha": 0.9}),
	"Erf": (13, -3, 3, -1, 1), "Exp": (13, -5, 2, 0, 7), "Gelu": (20, -5, 5, -0.2, 5), "HardSigmoid": (13, -4, 4, 0, 1), "HardSwish": (14, -5, 5, -0.4, 5),
	"Log": (13, 0.01, 9, -4, 2.2), "Mish": (18, -5, 5, -0.4, 5), "Reciprocal": (13, 0.2, 5, 0, 5), "Selu": (13, -5, 5, -1.8, 5), "Sigmoid": (13, -6, 6, 0, 1),
	"Sin": (13, -6, 6, -1, 1), "Sinh": (13, -3, 3, -10, 10), "Softplus": (13, -6, 6, 0, 6), "Softsign": (13, -6, 6, -1, 1), "Sqrt": (13, 0, 9, 0, 3), "Tan": (13, -1.3, 1.3, -3.5, 3.5),
	"Tanh": (13, -3, 3, -1, 1),
}


def span(rng, low, high, dtype):
	"""A scale and a zero point so that 8 bits reach about from low to high, not two times the same."""
	info = np.iinfo(dtype)
	scale = F32((high - low) / 255 * rng.uniform(0.8, 1.2))
	return scale, dtype(np.clip(round(info.min - low / float(scale)), info.min, info.max))


class Two:
	"""A case, and in front of its QuantizeLinear the same as its twin."""

	def __init__(self, name, opset, y, dtype):
		self.graph, self.opset, self.y, self.dtype = Graph(name), opset, y, dtype

	def made(self, value):
		g, nodes = self.graph, len(self.graph.nodes)
		g.output(value, self.dtype, self.y)
		case = g.case(self.opset, None, cases.COUNT_STEPS)
		del g.nodes[nodes:], g.outputs[:]
		g.output(value, np.float32, None)
		case.twin = g.case(self.opset, None).model
		return case


def of_one(op):
	opset, low, high, least, most, *attrs = FUNCTIONS[op]
	rng, made = np.random.default_rng(len(op) * 1000 + ord(op[-1])), []
	for i in range(ENOUGH // 256):
		dtype = (U8, I8)[i % 2]
		two = Two(f"{op} {i}", opset, span(rng, least, most, dtype), dtype)
		x = two.graph.real(In(1, 256, dtype=dtype, quant=span(rng, low, high, dtype)))
		info = np.iinfo(dtype)
		two.graph.data[0] = ("x0", np.arange(info.min, info.max + 1).astype(dtype).reshape(1, 256))
		made.append(two.made(two.graph.node(op, [x], **(attrs[0] if attrs else {}))))
	return made


def of_many(op, shape, spans, opset=13, more=None, count=4, **attrs):
	"""spans: of what there is, and of the result. more: makes the other inputs' names."""
	made, rng = [], np.random.default_rng(len(op) + 7)
	low, high, least, most = spans
	for i in range(count):
		dtype = (U8, I8)[i % 2]
		two = Two(f"{op} {i}", opset, span(rng, least, most, dtype), dtype)
		x = two.graph.real(In(*shape, dtype=dtype, quant=span(rng, low, high, dtype)))
		made.append(two.made(two.graph.node(op, [x, *(more(two.graph, rng, shape) if more else ())], **attrs)))
	return made


def parameters(count):
	return lambda g, rng, shape: [g.const(rng.uniform(0.5, 1.5, shape[1 if count else -1]).astype(F32)), g.const(rng.uniform(-0.5, 0.5, shape[1 if count else -1]).astype(F32))]


def other(*shape):
	return lambda g, rng, _: [g.real(In(*shape, dtype=U8, quant=span(rng, -1, 1, U8)))]


def kernel(g, rng, shape):
	return [g.weights((shape[1], 4, 3, 3), zero=3)]


def ratios(g, rng, shape):
	return [g.const(np.array([], F32)), g.const(np.array([1, 1, 2.5, 2.5], F32))]


MANY = {
	"Softmax": lambda: of_many("Softmax", (40, 64), (-4, 4, 0, 0.2), axis=-1),
	"LogSoftmax": lambda: of_many("LogSoftmax", (40, 64), (-4, 4, -9, 0), axis=-1),
	"LayerNormalization": lambda: of_many("LayerNormalization", (40, 64), (-2, 2, -3, 3), 17, parameters(0)),
	"InstanceNormalization": lambda: of_many("InstanceNormalization", (4, 10, 8, 8), (-2, 2, -3, 3), 13, parameters(1)),
	"BatchNormalization": lambda: of_many("BatchNormalization", (4, 10, 8, 8), (-2, 2, -3, 3), 15, lambda g, rng, s: [*parameters(1)(g, rng, s), *parameters(1)(g, rng, s)[::-1]]),
	"LpNormalization": lambda: of_many("LpNormalization", (40, 64), (-2, 2, -0.3, 0.3), axis=-1, p=2),
	"ReduceMean": lambda: of_many("ReduceMean", (80, 32, 9), (-2, 2, -0.8, 0.8), axes=[2], keepdims=0),
	"ReduceSum": lambda: of_many("ReduceSum", (80, 32, 9), (-2, 2, -8, 8), 12, axes=[2], keepdims=0),
	"ReduceL1": lambda: of_many("ReduceL1", (80, 32, 9), (-2, 2, 0, 20), axes=[2], keepdims=0),
	"ReduceProd": lambda: of_many("ReduceProd", (80, 32, 4), (-1.5, 1.5, -1, 1), axes=[2], keepdims=0),
	"CumSum": lambda: of_many("CumSum", (40, 64), (-2, 2, -15, 15), more=lambda g, rng, s: [g.const(np.int64(1))]),
	"Resize": lambda: of_many("Resize", (2, 3, 10, 10), (-2, 2, -2, 2), more=ratios, mode="linear"),
	"ConvTranspose": lambda: of_many("ConvTranspose", (4, 6, 6, 6), (-2, 2, -3, 3), more=kernel, strides=[2, 2]),
	"MatMul": lambda: of_many("MatMul", (8, 20, 24), (-1, 1, -4, 4), more=other(8, 24, 16)),
}


def bits(floats, case):
	"""Of each element whether it is beside a boundary."""
	graph = onnx.load_model_from_string(case.model).graph
	scale_name = graph.node[-1].input[1]
	scale = next(numpy_helper.to_array(t) for t in graph.initializer if t.name == scale_name)
	with np.errstate(invalid="ignore"):  # what is no number
		steps = floats.astype(np.float64).ravel() / float(scale)
		return np.packbits(np.abs(steps - np.floor(steps) - 0.5) < BESIDE, bitorder="little")


def judge(made):
	with tempfile.TemporaryDirectory() as folder:
		paths = [os.path.join(folder, name) for name in ("cases", "judged")]
		cases.write(paths[0], made)
		subprocess.run(["node", os.path.join(HERE, "../onnxruntime/judge.mjs"), *paths], check=True)
		judged = cases.read(paths[1])
	for case in judged:
		if case.state != cases.JUDGED or len(case.twin_outputs) != 1:
			sys.exit(f"error: {case.name}: {case.reason}")
		case.twin_outputs = [("beside", bits(case.twin_outputs[0][1], case))]
	return judged


def main():
	names = sys.argv[1:] or [*FUNCTIONS, *MANY]
	os.makedirs(OUT, exist_ok=True)
	for name in names:
		judged = judge(MANY[name]() if name in MANY else of_one(name))
		count = sum(array.size for case in judged for _, array in case.outputs)
		beside = sum(int(np.unpackbits(array).sum()) for case in judged for _, array in case.twin_outputs)
		if count < ENOUGH * 0.97:
			sys.exit(f"error: {name}: {count} elements only")
		cases.write(os.path.join(OUT, f"{name.lower()}.cases"), judged)
		print(f"{name}: {count} elements, {beside} of them beside a boundary")


if __name__ == "__main__":
	main()
