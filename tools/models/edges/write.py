#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What operators can do at its ends: of each limit the last value that is taken and the first that is refused; of what goes in two
directions, or has two sides, each by itself. For tests/models/edges.

usage: write.py [--runner PROGRAM] [--tflite] [NAME...]

Each NAME is a file of cases (common/cases.py), all of them if none is given. NODE_PATH says where onnxruntime-node is. With --tflite this
is run by a Python that has the packages of requirements.txt; without it the files of TensorFlow Lite stay as they are. A model that must be accepted has what its own runtime makes of
it; PROGRAM (build/tests/e2e-golden) is asked whether nnloop gives the same, and nothing is written if it does not.
"""
import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import zlib

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from common import cases

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.normpath(os.path.join(HERE, "../../../tests/models/edges"))
F32, U8, I8, U16, S16, I32, I64, U32, U64 = np.float32, np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64, np.uint32, np.uint64
TYPES = {F32: TensorProto.FLOAT, U8: TensorProto.UINT8, I8: TensorProto.INT8, U16: TensorProto.UINT16, S16: TensorProto.INT16, I32: TensorProto.INT32, I64: TensorProto.INT64, np.bool_: TensorProto.BOOL, U32: TensorProto.UINT32, U64: TensorProto.UINT64}
QUANT = (0.04, 9)


def i64(*values):
	return np.array(values, I64)


class In:
	"""An activation: its shape, whose first dimension is a number of items, and how it is quantized; None for plain integers."""

	def __init__(self, *shape, dtype=U8, quant=QUANT, image=False, fixed=False, span=None):
		"""image: it comes out of a pool, so that nnloop has its channels last. fixed: the model is for so many items. span: the least number, and one past the greatest."""
		self.shape, self.dtype, self.quant, self.image, self.fixed, self.span = shape, dtype, quant, image, fixed, span


class Graph:
	"""An ONNX graph under construction."""

	def __init__(self, name, prefix=""):
		self.name, self.prefix, self.rng = name, prefix, np.random.default_rng(zlib.crc32(name.encode()))
		self.nodes, self.inits, self.inputs, self.outputs, self.data = [], [], [], [], []

	def const(self, value):
		self.inits.append(numpy_helper.from_array(np.asarray(value), f"{self.prefix}c{len(self.inits)}"))
		return self.inits[-1].name

	def node(self, op, inputs, outputs=1, **attrs):
		names = [f"{self.prefix}t{len(self.nodes)}_{i}" for i in range(outputs)]
		self.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attrs))
		return names[0] if outputs == 1 else names

	def quant(self, quant, dtype):
		return [self.const(F32(quant[0])), self.const(dtype(quant[1]))]

	def input(self, x):
		name, info = f"x{len(self.inputs)}", np.iinfo(x.dtype)
		low, high = x.span or (info.min, info.max + 1)
		self.data.append((name, self.rng.integers(low, high, x.shape, U64 if x.dtype == U64 else I64).astype(x.dtype)))
		self.inputs.append(helper.make_tensor_value_info(name, TYPES[x.dtype], [x.shape[0] if x.fixed else "N", *x.shape[1:]]))
		return name

	def real(self, x):
		name = self.input(x)
		if not x.quant:
			return name
		name = self.node("DequantizeLinear", [name, *self.quant(x.quant, x.dtype)])
		return self.node("MaxPool", [name], kernel_shape=[1, 2], pads=[0, 0, 0, 1]) if x.image else name

	def weights(self, shape, dtype=I8, zero=0, scale=0.01):
		"""Dequantized, and few enough for sums of float32 to be exact."""
		data = self.const(self.rng.integers(-64, 65, shape).astype(dtype))
		return self.node("DequantizeLinear", [data, self.const(F32(scale)), self.const(dtype(zero))])

	def output(self, value, dtype=U8, quant=QUANT):
		if quant:
			value = self.node("QuantizeLinear", [value, *self.quant(quant, dtype)])
		self.outputs.append(helper.make_tensor_value_info(value, TYPES[dtype], None))

	def case(self, opset, says, flags=0):
		graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.inits)
		model = helper.make_model(graph, ir_version=10 if opset > 20 else 8, producer_name="nnloop",
					  opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("org.nnloop", 1)])
		return cases.Case(self.name, model.SerializeToString(), self.data, flags | (cases.MUST_REFUSE if says else cases.MUST_ACCEPT),
				  reason=says or "")


def one(name, op, inputs, says=None, to=QUANT, outs=1, opset=13, dtype=U8, flags=0, **attrs):
	"""A model of one operator. says: words of the sentence that refuses it, " " for any. inputs: In, None for one that is left out, or a constant. to: how all outputs are quantized, or a list."""
	g = Graph(name)
	names = []
	for x in inputs:
		names.append(g.real(x) if isinstance(x, In) else "" if x is None else g.const(x))
	made = g.node(op, names, outs, **attrs)
	for i, value in enumerate(made if outs > 1 else [made]):
		g.output(value, dtype, to[i] if isinstance(to, list) else to)
	return g.case(opset, says, flags)


def judge_onnx(made, newer):
	"""With what ONNX Runtime makes of those that must be accepted: that of Node.js, or Python's, which is newer."""
	judge = [sys.executable, os.path.join(HERE, "../onnxruntime/judge.py")] if newer else ["node", os.path.join(HERE, "../onnxruntime/judge.mjs")]
	with tempfile.TemporaryDirectory() as folder:
		paths = [os.path.join(folder, name) for name in ("cases", "judged")]
		cases.write(paths[0], [c for c in made if c.flags & cases.MUST_ACCEPT])
		subprocess.run([*judge, *paths], check=True)
		judged = {c.name: c for c in cases.read(paths[1])}
	return [judged.get(c.name, c) for c in made]


def check(runner, path, made):
	"""Whether nnloop does what the cases say."""
	wrong = 0
	result = subprocess.run([runner, "--verdicts", "host", path], capture_output=True, text=True, errors="replace")
	lines = [line.split("\t") for line in result.stdout.splitlines()]
	if len(lines) != len(made):
		print(f"{path}: nnloop said {len(lines)} verdicts of {len(made)}: {result.returncode} {result.stderr}")
		return len(made)
	for case, (_, verdict, why) in zip(made, lines):
		if case.flags & cases.MUST_REFUSE:
			good = verdict == "refused" and case.reason in why
		else:
			good = verdict in ("equal", "near")
		if not good:
			wanted = f"refused: {case.reason}" if case.flags & cases.MUST_REFUSE else f"equal {case.reason}"
			print(f"{case.name}: {verdict}, {why} (wanted: {wanted})")
		wrong += not good
	return wrong


# Each has FILES, of ONNX, or TFLITE_FILES: the file's name, and a function that makes its cases. NEWER: those of FILES for which ONNX Runtime 1.30 is too old.
MODULES = (
	"between",
	"boxes",
	"controlled",
	"controlled_tflite",
	"dynamic",
	"float_forms",
	"floats",
	"found",
	"hybrid",
	"integers",
	"moves",
	"newest",
	"operators",
	"picks",
	"products",
	"recurrent_tflite",
	"reports",
	"tflite",
	"tflite_floats",
	"unsigned",
	"volumes",
	"wide",
)


def main():
	onnx, tflite, newer = {}, {}, set()
	for module in MODULES:
		module = importlib.import_module("edges." + module)
		newer.update(getattr(module, "NEWER", ()))
		onnx.update(getattr(module, "FILES", {}))
		tflite.update(getattr(module, "TFLITE_FILES", {}))
	parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
	parser.add_argument("--runner", default=os.path.join(HERE, "../../../build/tests/e2e-golden"))
	parser.add_argument("--tflite", action="store_true")
	parser.add_argument("names", nargs="*")
	args = parser.parse_args()
	wrong = 0
	for name, make in {**onnx, **(tflite if args.tflite else {})}.items():
		if args.names and name not in args.names:
			continue
		made = list(make())
		doubles = {c.name for c in made if sum(d.name == c.name for d in made) > 1}
		if doubles:
			sys.exit(f"{name}: two cases of one name: {doubles}")
		made = importlib.import_module("edges.tflite").judge(made) if name in tflite else judge_onnx(made, name in newer)
		path = os.path.join(OUT, name + ".cases")
		cases.write(path + ".new", made)
		bad = check(args.runner, path + ".new", made)
		wrong += bad
		if not bad:
			os.replace(path + ".new", path)
		print(f"{name}: {len(made)} cases, {bad} wrong")
	return wrong > 0


if __name__ == "__main__":
	sys.exit(main())
