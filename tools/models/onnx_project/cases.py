#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The ONNX project's own operator cases, quantized, on nnloop's host device against ONNX Runtime: `make onnx-cases`.

usage: cases.py --data DIR [--only TEXT] [--work DIR] [--runner PROGRAM] [--save]

DIR is what export.py wrote, of Python's package onnx: a model for each form of each operator, with inputs and outputs. A case can be wrapped if all of these are tensors that a
model on the DSP could have: of float32, which are quantized to uint8 over their range, or of bool or integers that are taken as they are. Each float output is quantized over the range of the case's own output, and
where a case is a function of ONNX in its single operators ("expanded"), each float tensor between these over its range in ONNX Runtime, too.
What exporters write as a constant is one (CONSTANTS), weights as int8 and bias as int32; other inputs stay inputs. Outputs that are for training only are left out (OUTPUTS). The model keeps its opset where QuantizeLinear is in it, gets 13
where no operator of it has changed until then, and else com.microsoft's QuantizeLinear.

ONNX Runtime, optimizations off, is the judge of what was made, and the verdicts are those of random_onnx/fuzz.py. Writes DIR/report.md: how many are equal, near, refused and wrong, and the refusals by operator; and
DIR/results.tsv, a line for each case. Its exit status is 0 if none is wrong.
"""
import argparse
import collections
import os
import re
import sys
from dataclasses import dataclass

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import onnx
from onnx import TensorProto, defs, helper, numpy_helper, shape_inference

from common import cases
import random_onnx.fuzz
from networks.static_quantize import parameters, round_to

# What may be at a model's ends.
INTEGERS = {TensorProto.UINT8, TensorProto.INT8, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL}
# Inputs that exporters write as constants. Weights and bias are quantized, the others stay as they are.
WEIGHTS = {"Conv": (1, 2), "ConvTranspose": (1, 2), "Gemm": (1, 2)}
QUANTIZED = {"PRelu": (1,), **{op: where[:1] for op, where in WEIGHTS.items()}}
CONSTANTS = {
	"BatchNormalization": (1, 2, 3, 4), "Clip": (1, 2), "ConstantOfShape": (0,), "ConvInteger": (1, 2, 3), "CumSum": (1,), "DequantizeLinear": (1, 2), "DFT": (1,),
	"CenterCropPad": (1,), "Compress": (1,), "Dropout": (1, 2), "Expand": (1,), "GRU": (1, 2, 3), "InstanceNormalization": (1, 2), "LSTM": (1, 2, 3), "LayerNormalization": (1, 2), "Loop": (0, 1), "MatMulInteger": (2, 3),
	"NonMaxSuppression": (2, 3, 4), "OneHot": (1, 2), "Pad": (1, 2, 3), "QLinearConv": (1, 2, 3, 4, 5, 6, 7, 8), "QLinearMatMul": (1, 2, 4, 5, 6, 7), "QuantizeLinear": (1, 2), "RNN": (1, 2, 3),
	"Range": (0, 1, 2), "RMSNormalization": (1,), "Reshape": (1,), "Resize": (1, 2, 3), "STFT": (1, 2, 3), "Slice": (1, 2, 3, 4), "Split": (1,), "Squeeze": (1,), "Tile": (1,), "TopK": (1,), "Trilu": (1,),
	"Unsqueeze": (1,), "Upsample": (1,), **{"Reduce" + what: (1,) for what in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()},
}
# Outputs behind these many are for training only (mean and deviation), and left out.
OUTPUTS = {"LayerNormalization": 1}
QUANTIZE_OPSET = 10
COMMON_OPSET = 13
JUDGED_OPSET = 27  # of which ONNX Runtime has all operators that a wrapped model needs
# Sums and functions of floats, of which ONNX does not say how they are rounded.
EXACT = set("Identity Reshape Flatten Squeeze Unsqueeze Transpose Concat Split Slice Gather Pad Tile Expand DepthToSpace SpaceToDepth MaxPool Max Min Relu Clip Add Mul AveragePool "
	    "GlobalAveragePool GlobalMaxPool Equal Greater Less Where And Or Not Xor ReduceMax ReduceMin ArgMax ArgMin TopK".split())


def load_tensors(folder, kind):
	"""input_0.pb, ... or output_0.pb, ...; None if one is no tensor."""
	out = []
	while os.path.exists(path := os.path.join(folder, f"{kind}_{len(out)}.pb")):
		tensor = onnx.TensorProto()
		with open(path, "rb") as file:
			try:
				tensor.ParseFromString(file.read())
				out.append(numpy_helper.to_array(tensor))
			except Exception:  # pylint: disable=broad-except
				return None
	return out


def can_wrap(model, inputs, outputs):
	infos = [*model.graph.input, *model.graph.output]
	types = {i.type.tensor_type.elem_type if i.type.WhichOneof("value") == "tensor_type" else 0 for i in infos}
	return (inputs is not None and outputs is not None and types <= INTEGERS | {TensorProto.FLOAT} and len(inputs) == len(model.graph.input) and
		len(outputs) == len(model.graph.output) and all(not o.domain or o.domain == "ai.onnx" for o in model.opset_import))


def is_unchanged(node, opset, other):
	"""Whether the node's operator means the same in the other opset: in an earlier one it may be of fewer types."""
	try:
		schemas = [defs.get_schema(node.op_type, version) for version in (opset, other)]
		same = schemas[0].since_version == schemas[1].since_version or (other < opset and {*schemas[0].attributes} == {*schemas[1].attributes})
		return not node.domain and same
	except defs.SchemaError:
		return False


class Wrapper:
	"""One case's model between QuantizeLinear and DequantizeLinear."""

	def __init__(self, model, inputs, outputs, between):
		"""between: the values of float tensors inside of it, by name."""
		self.graph, self.inputs, self.outputs, self.between = model.graph, inputs, outputs, between
		self.opset = next((o.version for o in model.opset_import if not o.domain or o.domain == "ai.onnx"), 1)
		nearest = min(max(self.opset, COMMON_OPSET), JUDGED_OPSET)
		if all(is_unchanged(n, self.opset, nearest) for n in self.graph.node):
			self.opset = nearest
		self.domain = "" if self.opset >= QUANTIZE_OPSET else "com.microsoft"
		self.before, self.after, self.consts, self.scales = [], [], [], {}
		self.rename = {}

	def const(self, name, value):
		self.consts.append(numpy_helper.from_array(np.asarray(value), name))
		return name

	def pair_names(self, name, scale, zero):
		self.scales[name] = scale
		return [self.const(name + "_scale", np.float32(scale)), self.const(name + "_zero_point", zero)]

	def node(self, op, inputs, output):
		return helper.make_node(op, inputs, [output], domain=self.domain)

	def quantize(self, name, range_of, real, integers, raw):
		"""raw, in float, becomes integers and then real."""
		finite = range_of[np.isfinite(range_of)]
		names = self.pair_names(name, *parameters(finite.min(initial=0), finite.max(initial=0), np.uint8))
		return [self.node("QuantizeLinear", [raw, *names], integers), self.node("DequantizeLinear", [integers, *names], real)]

	def uses(self, name):
		"""The operators that read it, and where."""
		return [(n.op_type, i) for n in self.graph.node for i, x in enumerate(n.input) if x == name]

	def use_of(self, name, table):
		uses = self.uses(name)
		return uses and all(where in table.get(op, ()) for op, where in uses)

	def add_weights(self, name, values):
		scale, zero = parameters(values.min(initial=0), values.max(initial=0), np.int8, True)
		self.const(name + "_q", round_to(values, scale, zero))
		self.before.append(self.node("DequantizeLinear", [name + "_q", *self.pair_names(name, scale, zero)], name + "_dq"))
		self.rename[name] = name + "_dq"

	def add_bias(self, name, values):
		node = next(n for n in self.graph.node if name in n.input)
		scale = np.float32(self.scales.get(node.input[0], 1) * self.scales.get(node.input[1], 1))
		self.const(name + "_q", np.clip(np.rint(values / scale), -2 ** 31, 2 ** 31 - 1).astype(np.int32))
		self.before.append(self.node("DequantizeLinear", [name + "_q", *self.pair_names(name, scale, np.int32(0))], name + "_dq"))
		self.rename[name] = name + "_dq"

	def add_input(self, info, values, kept):
		name = info.name
		if self.use_of(name, QUANTIZED) and values.dtype == np.float32:
			self.add_weights(name, values)
		elif self.use_of(name, WEIGHTS) and values.dtype == np.float32:
			self.add_bias(name, values)
		elif self.use_of(name, CONSTANTS) or (values.size == 1 and self.use_of(name, {"Pow": (1,)})):
			self.const(name, values)
		else:
			kept.append((info, values))
			if values.dtype == np.float32:
				self.before += self.quantize(name, values, name + "_dq", name + "_q", name)
				self.rename[name] = name + "_dq"

	def integers_node(self, node):
		"""The one node with integer operators, for what ONNX sums in float; or None."""
		out = node.output[0]
		names = lambda n: [n + "_q", n + "_scale", n + "_zero_point"]
		y = [out + "_scale", out + "_zero_point"]
		if any(name not in self.rename for name in node.input) or self.opset < QUANTIZE_OPSET:
			return None
		if node.op_type == "Conv":
			return helper.make_node("QLinearConv", [*names(node.input[0]), *names(node.input[1]), *y, *(b + "_q" for b in node.input[2:])], [out + "_q"],
						**{a.name: helper.get_attribute_value(a) for a in node.attribute})
		if node.op_type == "MatMul":
			return helper.make_node("QLinearMatMul", [*names(node.input[0]), *names(node.input[1]), *y], [out + "_q"])
		return None

	def wrap(self):
		"""The model, its twin or b"", and the inputs that are left."""
		kept = []
		for info, values in zip(self.graph.input, self.inputs):
			self.add_input(info, values, kept)
		for info, values in zip(self.graph.output, self.outputs):
			if values.dtype == np.float32:
				self.after += self.quantize(info.name, values, info.name, info.name + "_q", info.name + "_raw")
				self.rename[info.name] = info.name + "_raw"
		body = []
		for node in self.graph.node:
			new = onnx.NodeProto()
			new.CopyFrom(node)
			new.input[:] = [self.rename.get(n, n) for n in node.input]
			new.output[:] = [self.rename.get(n, n) for n in node.output]
			body.append(new)
			for name in node.output:
				if name in self.between:
					body += self.quantize(name, self.between[name], name + "_dq", name + "_q", name)
					self.rename[name] = name + "_dq"
		twin = self.integers_node(self.graph.node[0]) if len(self.graph.node) == 1 else None
		model = self.model(self.before + body + self.after, kept)
		return model, self.model(self.before + [twin] + self.after[1:], kept) if twin else b"", [(i.name, v) for i, v in kept]

	def model(self, nodes, kept):
		outputs = [helper.make_tensor_value_info(o.name, o.type.tensor_type.elem_type, None) for o in self.graph.output]
		inputs = [helper.make_tensor_value_info(i.name, i.type.tensor_type.elem_type, v.shape) for i, v in kept]
		graph = helper.make_graph(nodes, self.graph.name, inputs, outputs, [*self.graph.initializer, *self.consts])
		opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
		model = helper.make_model(graph, producer_name="", opset_imports=opsets)
		model.ir_version = 8
		return model.SerializeToString()


@dataclass
class Loaded:
	"""A case as it is."""
	name: str
	model: onnx.ModelProto
	inputs: list
	outputs: list

	@property
	def operator(self):
		nodes = self.model.graph.node
		return nodes[0].op_type if len(nodes) == 1 else self.name.split("_expanded")[0].split("_")[1] + " (expanded)"

	def wrap(self, between):
		wrapped, twin, kept = Wrapper(self.model, self.inputs, self.outputs, between).wrap()
		exact = all(n.op_type in EXACT for n in self.model.graph.node)
		return cases.Case(self.name, wrapped, kept, 0 if exact else cases.FLOAT_SUMS, twin)

	def floats_between(self):
		"""The names of float tensors that nodes compute of the inputs, and that are no outputs."""
		graph = self.model.graph
		if len(graph.node) == 1 or any(a.type == onnx.AttributeProto.GRAPH for n in graph.node for a in n.attribute):
			return []
		types = {i.name: i.type.tensor_type.elem_type for i in shape_inference.infer_shapes(self.model).graph.value_info}
		known, names = {i.name for i in graph.input}, []
		for node in graph.node:
			if known & set(node.input):
				known |= set(node.output)
				names += [n for n in node.output if n and types.get(n) == TensorProto.FLOAT]
		return names

	def with_outputs(self, names):
		model = onnx.ModelProto()
		model.CopyFrom(self.model)
		del model.graph.output[:]
		model.graph.output.extend(helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names)
		return cases.Case(self.name, model.SerializeToString(), [(i.name, v) for i, v in zip(model.graph.input, self.inputs)])


def load(folder, name):
	"""The case; None if it cannot be wrapped."""
	model = onnx.load(os.path.join(folder, name, "model.onnx"))
	data = os.path.join(folder, name, "test_data_set_0")
	inputs, outputs = load_tensors(data, "input"), load_tensors(data, "output")
	if not can_wrap(model, inputs, outputs):
		return None
	for node in model.graph.node:
		kept = OUTPUTS.get(node.op_type, len(node.output))
		if len(model.graph.node) == 1 and kept < len(node.output):
			del node.output[kept:], model.graph.output[kept:], outputs[kept:]
	return Loaded(name, model, inputs, outputs)


def measure(run, loaded):
	"""Of each case the values of the float tensors inside of it, by name."""
	names = {case.name: case.floats_between() for case in loaded}
	judged = run.judge([case.with_outputs(names[case.name]) for case in loaded if names[case.name]])
	return {case.name: dict(case.outputs) for case in judged}


def write_report(path, rows, skipped):
	"""rows: (operator, name, verdict, why)."""
	total = collections.Counter(row[2] for row in rows)
	count = collections.defaultdict(collections.Counter)
	reasons = collections.defaultdict(collections.Counter)
	for op, _, verdict, why in rows:
		count[op][verdict] += 1
		if verdict not in random_onnx.fuzz.ACCEPTED:
			reasons[op][f"{verdict}: {re.sub(chr(34) + '[^' + chr(34) + ']*' + chr(34), chr(34) * 2, why)}"] += 1
	columns = [v for v in random_onnx.fuzz.COLUMNS if total[v]]
	text = [f"{len(rows)} cases: " + ", ".join(f"{total[v]} {v}" for v in columns) + f"; {skipped} cannot be wrapped", "",
		"| operator | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
	order = sorted(count, key=lambda op: (-sum(reasons[op].values()), op))
	text += [f"| {op} | " + " | ".join(str(count[op][v]) for v in columns) + " |" for op in order]
	text += [""] + [f"- {op}: {number} {why}" for op in order for why, number in reasons[op].most_common()]
	with open(path, "w") as file:
		file.write("\n".join(text) + "\n")
	print(text[0] + f"\nreport in {path}")
	return total


def save(folder, made):
	os.makedirs(folder, exist_ok=True)
	for case in made:
		with open(os.path.join(folder, case.name + ".onnx"), "wb") as file:
			file.write(case.model)
		for i, (_, data) in enumerate(case.inputs):
			np.save(os.path.join(folder, f"{case.name}.in{i}.npy"), data)


class Run(random_onnx.fuzz.Run):
	"""Judged by ONNX Runtime's Python package, which knows all opsets that ONNX's has."""

	def judge_command(self, paths):
		return [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../onnxruntime/judge.py"), *paths]


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--data", required=True)
	parser.add_argument("--only", default="")
	parser.add_argument("--work", default="build/onnx-cases")
	parser.add_argument("--runner", default="build/tests/e2e-golden")
	parser.add_argument("--save", action="store_true")
	args = parser.parse_args()
	args.commit = args.kinds = None
	run = Run(args)
	names = [name for name in sorted(os.listdir(args.data)) if args.only in name and not name.startswith(".")]
	loaded = [case for case in (load(args.data, name) for name in names) if case]
	between = measure(run, loaded)
	made = [case.wrap(between.get(case.name, {})) for case in loaded]
	if args.save:
		save(os.path.join(args.work, "models"), made)
	verdicts = run.run(run.judge(made))
	rows = [(case.operator, case.name, *verdict) for case, verdict in zip(loaded, verdicts)]
	with open(os.path.join(args.work, "results.tsv"), "w") as file:
		file.writelines("\t".join(row) + "\n" for row in rows)
	total = write_report(os.path.join(args.work, "report.md"), rows, len(names) - len(loaded))
	return 1 if any(total[bad] for bad in random_onnx.fuzz.BAD) else 0


if __name__ == "__main__":
	sys.exit(main())
