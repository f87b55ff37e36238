# SPDX-License-Identifier: MIT
"""Each quantized operator of a model by itself, fed with what ONNX Runtime has in front of it: where nnloop rounds otherwise, without what came of that
in the layers before.

usage: apart.py NNLOOP FOLDER...

A folder has model.onnx and x.npy, as whole.py and from_torch.py write them. Prints for each kind of operator how many of its elements differ from
ONNX Runtime's, by how many steps, and how far from the middle between two steps the runtime's real numbers of these are at most. Exit
status: 1 if any differs by more than a step, or where that is no rounding. Operators that nnloop knows only with those around them are left out, and counted.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

ROUNDING = 2 ** -6  # of a step, as nnloop compare has it


def run_runtime(model, x):
	"""All tensors, by their names: those of one item, without optimizations."""
	names = [name for node in model.graph.node for name in node.output]
	full = onnx.ModelProto.FromString(model.SerializeToString())
	known = {output.name for output in full.graph.output}
	full.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
	options = onnxruntime.SessionOptions()
	options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
	options.log_severity_level, options.intra_op_num_threads = 3, 1
	session = onnxruntime.InferenceSession(full.SerializeToString(), options)
	into = session.get_inputs()[0].name
	names = [output.name for output in session.get_outputs()]
	return {**dict(zip(names, session.run(names, {into: x}))), into: x}


class Parts:
	def __init__(self, model):
		self.model, self.graph = model, model.graph
		self.makers = {name: node for node in self.graph.node for name in node.output}
		self.stored = {constant.name: constant for constant in self.graph.initializer}
		self.constants = set(self.stored)
		for node in self.graph.node:
			if all(not name or name in self.constants for name in node.input):
				self.constants.update(node.output)
		self.places = {id(node): i for i, node in enumerate(self.graph.node)}

	def cut(self, last):
		"""The nodes that end in this QuantizeLinear, and the tensors that others make for them."""
		nodes, inputs, todo, seen = [last], [], list(last.input), set()
		while todo:
			name = todo.pop()
			if not name or name in seen or name in self.stored:
				continue
			seen.add(name)
			node = self.makers.get(name)
			if node is None or (node.op_type == "QuantizeLinear" and name not in self.constants):
				inputs.append(name)
				continue
			nodes.append(node)
			todo += node.input
		return sorted(nodes, key=lambda node: self.places[id(node)]), inputs

	def name(self, nodes):
		own = [node.op_type for node in nodes if node.output[0] not in self.constants]
		own = [op for op in own if op not in ("QuantizeLinear", "DequantizeLinear", "Shape", "Gather", "Unsqueeze", "Concat", "Reshape", "Transpose", "Slice")]
		return "+".join(own) or "moves"

	def build(self, nodes, inputs, values):
		def describe(name):
			dims = list(values[name].shape)
			return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values[name].dtype), ["n", *dims[1:]] if dims[:1] == [1] else dims)

		needed = dict.fromkeys(name for node in nodes for name in node.input if name in self.stored)
		graph = helper.make_graph(nodes, "part", [describe(name) for name in inputs], [describe(nodes[-1].output[0])], [self.stored[name] for name in needed])
		return helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version)


def run_part(nnloop, model, arrays):
	"""What nnloop makes of it, or None."""
	with tempfile.TemporaryDirectory() as folder:
		paths = [os.path.join(folder, f"{i}.npy") for i in range(len(arrays))]
		for path, array in zip(paths, arrays):
			np.save(path, array)
		onnx.save(model, os.path.join(folder, "part.onnx"))
		out = os.path.join(folder, "y.npy")
		run = subprocess.run([nnloop, "run", "--device", "host", "--quiet", "--output", out, os.path.join(folder, "part.onnx"), *paths],
				     capture_output=True, check=False)
		return None if run.returncode else np.load(out).astype(np.int64)


def count_apart(nnloop, folder, counts):
	model = onnx.load(os.path.join(folder, "model.onnx"))
	values = run_runtime(model, np.load(os.path.join(folder, "x.npy"))[:1])
	parts = Parts(model)
	for last in parts.graph.node:
		if last.op_type != "QuantizeLinear" or last.output[0] in parts.constants:
			continue
		nodes, inputs = parts.cut(last)
		count = counts[parts.name(nodes)]
		y = run_part(nnloop, parts.build(nodes, inputs, values), [values[name] for name in inputs])
		if y is None:
			count["left out"] += 1
			continue
		steps = np.abs(y - values[last.output[0]].astype(np.int64).reshape(y.shape))
		count["nodes"] += 1
		count["elements"] += steps.size
		count["differ"] += int((steps > 0).sum())
		count["steps"] = max(count["steps"], int(steps.max(initial=0)))
		if steps.any():
			real = values[last.input[0]].astype(np.float64).reshape(y.shape) / numpy_helper.to_array(parts.stored[last.input[1]]).astype(np.float64)
			count["from half"] = max(count["from half"], float(np.abs(real - np.floor(real) - 0.5)[steps > 0].max()))


def main():
	parser = argparse.ArgumentParser(description="Runs each operator of models by itself.")
	parser.add_argument("nnloop")
	parser.add_argument("folders", nargs="+")
	args = parser.parse_args()
	counts = collections.defaultdict(collections.Counter)
	for folder in args.folders:
		count_apart(os.path.abspath(args.nnloop), folder, counts)
	print("| operators | nodes | elements | differ | most steps | most from half a step | left out |\n|---|---|---|---|---|---|---|")
	for name, count in sorted(counts.items(), key=lambda item: -item[1]["differ"]):
		print(f"| {name} | {count['nodes']} | {count['elements']} | {count['differ']} | {count['steps']} | {count['from half']:.4f} | {count['left out']} |")
	return any(count["steps"] > 1 or count["from half"] > ROUNDING for count in counts.values())


if __name__ == "__main__":
	sys.exit(main())
