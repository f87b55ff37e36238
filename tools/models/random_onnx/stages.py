# SPDX-License-Identifier: MIT
"""Judges a graph of several roundings rounding by rounding, for fuzz.py.

A sum in float may be a step off where it is rounded to integers (docs/fuzzing.md, "near"); what follows may make more of that step: an Add of
the tensor to itself doubles it, and a normalization divides by as little as there is. So ONNX Runtime computes each rounded tensor once more, of
nnloop's own tensors in front of it. Then none is more than a step off what is a sum in float, and all else is equal; or the graph is wrong.
"""
import os
import subprocess

import numpy as np
import onnx
from onnx import helper

from common import cases

# What nnloop gives the bytes of, whatever follows it; what is not in here may be a step off.
EXACT = {"Add", "AveragePool", "Clip", "Concat", "Constant", "DepthToSpace", "DequantizeLinear", "Div", "Dropout", "Expand", "Flatten", "Gather",
	 "GatherElements", "GatherND", "GlobalAveragePool", "GlobalMaxPool", "Identity", "LeakyRelu", "Max", "MaxPool", "Min", "Mul", "PRelu", "Pad", "QuantizeLinear", "ReduceMax", "ReduceMin",
	 "Relu", "Reshape", "ScatterElements", "ScatterND", "Slice", "SpaceToDepth", "Split", "Squeeze", "Sub", "Tile", "Transpose", "Trilu", "Unsqueeze", "Where",
	 "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearConv", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMatMul", "QLinearMul"}
ROUNDS = {"QuantizeLinear", "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearConv", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMatMul", "QLinearMul",
	  "QLinearSigmoid", "QLinearSoftmax"}


def find_cuts(graph):
	"""What is rounded, but for constants."""
	known, cuts = {i.name for i in graph.input} - {t.name for t in graph.initializer}, []
	for node in graph.node:
		if known & set(node.input):
			known |= set(node.output)
			if node.op_type in ROUNDS and (node.op_type != "QGemm" or len(node.input) == 9):
				cuts.append(node.output[0])
	return cuts


def is_exact(makers, name, cut, seen):
	"""Whether nothing but exact operators is between the cuts (and inputs) and a tensor."""
	if name in seen or name not in makers:
		return True
	seen.add(name)
	node = makers[name]
	return node.op_type in EXACT and all(i in cut or is_exact(makers, i, cut, seen) for i in node.input)


def run_nnloop(run, model, inputs, count):
	"""nnloop's outputs, or None."""
	stem = os.path.join(run.args.work, "stage")
	with open(f"{stem}.onnx", "wb") as file:
		file.write(model)
	command = [os.path.join(os.path.dirname(run.args.runner), "../nnloop"), "run", "--quiet", "--device", "host", f"{stem}.onnx"]
	for i, (_, array) in enumerate(inputs):
		np.save(f"{stem}.in{i}.npy", array)
		command.append(f"{stem}.in{i}.npy")
	for i in range(count):
		command += ["-o", f"{stem}.out{i}.npy"]
	result = subprocess.run(command, capture_output=True, text=True, errors="replace")
	return None if result.returncode else [np.load(f"{stem}.out{i}.npy") for i in range(count)]


def tensor_infos(names, arrays):
	return [helper.make_tensor_value_info(name, cases.NUMBERS[array.dtype], array.shape) for name, array in zip(names, arrays)]


def find_quotients(graph, makers):
	"""What divides by a root, as normalizations do."""
	return [node.output[0] for node in graph.node if node.op_type == "Div" and node.input[1] in makers and makers[node.input[1]].op_type == "Sqrt"]


def find_wrong(got, wanted, most):
	"""Where integers are more than `most` steps off; None: they are not the same kind of tensor."""
	if got.shape != wanted.shape or got.dtype != wanted.dtype:
		return None
	if got.dtype == np.float32:
		same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
		return ~same & ~(np.abs(got - wanted) <= most * np.abs(wanted).max(initial=0) / 2**18)
	return np.abs(got.astype(np.int64) - wanted.astype(np.int64)) > most


def is_noise(got, wanted, quotients):
	"""Whether ONNX Runtime has divided the rounding error of a mean by 0, and nnloop 0 by 0 (docs/onnx.md, "step by step")."""
	if got.dtype == np.float32 or all(np.isfinite(q).all() for q in quotients):
		return False
	ends = np.iinfo(got.dtype)
	return bool(np.all(got == ends.min) and np.all((wanted == ends.min) | (wanted == ends.max)))


def judge(run, case):
	"""("near", why) if each of its roundings is as it should be, ("not judged", why) if it is so but where ONNX Runtime gives noise, else None."""
	model = onnx.load_model_from_string(case.model)
	graph = model.graph
	makers = {name: node for node in graph.node for name in node.output}
	ends = [o.name for o in graph.output]
	# In the end nnloop has no floats of integers: the integers are what is held against ONNX Runtime's.
	ends = [makers[e].input[0] if e in makers and makers[e].op_type == "DequantizeLinear" else e for e in ends]
	cuts = find_cuts(graph)
	names = list(dict.fromkeys(ends + cuts))
	plain = run_nnloop(run, case.model, case.inputs, len(graph.output))
	del graph.output[:]
	graph.output.extend(helper.make_tensor_value_info(name, 0, None) for name in names)
	got = run_nnloop(run, model.SerializeToString(), case.inputs, len(names))
	if not plain or not got or any(array.tobytes() != got[names.index(end)].tobytes() for array, end in zip(plain, ends)):
		return None
	# Each rounded tensor is computed, and beside it given to what reads it.
	given = {name: f"{name}_given" for name in cuts}
	for node in graph.node:
		for i, name in enumerate(node.input):
			node.input[i] = given.get(name, name)
	values = [(given[name], got[names.index(name)]) for name in cuts]
	graph.input.extend(tensor_infos([name for name, _ in values], [array for _, array in values]))
	quotients = find_quotients(graph, makers)
	del graph.output[:]
	graph.output.extend(tensor_infos(names, got))
	graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in quotients)
	judged = run.judge([cases.Case(case.name, model.SerializeToString(), [*case.inputs, *values])])[0]
	if judged.state != cases.JUDGED:
		return None
	noise = False
	floats = [array for _, array in judged.outputs[len(names):]]
	for (name, wanted), array in zip(judged.outputs, got):
		wrong = find_wrong(array, wanted, 0 if is_exact(makers, name, set(given.values()), set()) else 1)
		if wrong is None or (wrong.any() and not is_noise(array[wrong], wanted[wrong], floats)):
			return None
		noise |= bool(wrong.any())
	if noise:
		return "not judged", f"{run.name} divides the rounding error of a mean by 0"
	return "near", "each sum in float is at most a step off where it is rounded"
