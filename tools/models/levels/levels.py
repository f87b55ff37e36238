#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Where ONNX Runtime computes what nnloop does, operator by operator: `make onnxruntime`.

usage: levels.py [--write] [--saturating] [--nnloop PROGRAM] [NAME...]
       levels.py --table

For each operator of the importer's table a quantized model of one node (levels/forms.py), in uint8 and int8 and with each kind of weights, or where that has none a dozen
of the models in tests/models with as few others as there are; nnloop's host device and ONNX Runtime at each level of its optimizations compute it. The levels are

	disabled, basic, extended, all	its own; all is what it does by itself
	allowed				all, with session.qdqisint8allowed, which it has by itself on ARM: integer operators for int8 as well

Prints the lines that are not those of tests/models/onnxruntime.txt, and exits with 1 if there are any; with --write it writes the file, and the tables of it in
docs/onnx.md. --table prints these, and needs nothing but Python. --saturating is for processors without VNNI instructions (`make onnxruntime-saturating` emulates
one): sums of products alone, and tests/models/onnxruntime-saturating.txt.

A line is: operator, types (or "golden": of tests/models), elements, and for each level how many of them differ from nnloop's and by how many steps at most.
"""
import argparse
import collections
import glob
import os
import subprocess
import sys
import tempfile

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too
ROOT = os.path.normpath(os.path.join(sys.path[0], "../.."))

from levels import results

RESULTS = os.path.join(ROOT, "tests/models/onnxruntime.txt")
SATURATING = os.path.join(ROOT, "tests/models/onnxruntime-saturating.txt")
PRODUCTS = ["Conv", "Gemm", "MatMul", "QLinearConv", "QLinearMatMul", "com.microsoft.QGemm"]
PAGE = os.path.join(ROOT, "docs/onnx.md")
BEGIN, END = "<!-- levels: make onnxruntime -->\n", "<!-- end of levels -->\n"
LEVELS = ["disabled", "basic", "extended", "all", "allowed"]
PAIRS = {"QuantizeLinear", "DequantizeLinear", "Constant", "com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear"}

MODELS = 12  # of an operator that has no form

# nnloop's definitions in a few words, and the operators that have each.
DEFINITIONS = {
	"moves or picks elements": "CenterCropPad Compress ConstantOfShape Constant DepthToSpace Dropout Expand Flatten Gather GatherElements GatherND Identity If Loop MaxPool GlobalMaxPool Pad Range Scan "
		"Reshape Scatter ScatterElements ScatterND Shape Size Slice SpaceToDepth Split Squeeze Tile TopK Transpose Trilu Unsqueeze OneHot ReduceMax ReduceMin Hardmax",
	"compares the real numbers": "ArgMax ArgMin Equal Greater GreaterOrEqual Less LessOrEqual",
	"integers, as they are": "And BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike ConvInteger MatMulInteger Mod Not Or Xor "
		"org.nnloop.BatchLoop org.nnloop.Collect org.nnloop.CountLoop org.nnloop.CropResize org.nnloop.Proposal",
	"scales of what is in a tensor, in float32, and integers by these": "DynamicQuantizeLinear com.microsoft.DynamicQuantizeMatMul com.microsoft.MatMulIntegerToFloat",
	"the function of each of 256 integers, in float32": "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Pow "
		"Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu",
	"float32, each step rounded": "Add Sub Mul Div Max Min Sum PRelu Where Concat QuantizeLinear DequantizeLinear com.microsoft.QuantizeLinear com.microsoft.DequantizeLinear "
		"BatchNormalization RotaryEmbedding Mean LRN NonMaxSuppression",
	"the exact sum of integers, times one float32": "Conv ConvTranspose Einsum Gemm MatMul QLinearConv QLinearMatMul com.microsoft.QGemm",
	"float32, in the order of ONNX Runtime's unoptimized kernel": "AveragePool GlobalAveragePool GridSample Resize Upsample RoiAlign",
	"float32, one element after the other": "NegativeLogLikelihoodLoss ReduceL1 ReduceLogSum ReduceMean ReduceProd ReduceSum CumSum",
	"exact sums, then float32": "GlobalLpPool LpPool ReduceL2 ReduceSumSquare LayerNormalization RMSNormalization InstanceNormalization LpNormalization GroupNormalization MeanVarianceNormalization",
	"sums and functions in double, what is kept in float32": "GRU LSTM RNN",
	"float32, of powers of e that are rounded to the nearest": "Softmax LogSoftmax SoftmaxCrossEntropyLoss Attention ReduceLogSumExp",
	"as that operator of ONNX Runtime": "com.microsoft.QLinearAdd com.microsoft.QLinearMul com.microsoft.QLinearAveragePool com.microsoft.QLinearGlobalAveragePool com.microsoft.QLinearConcat "
		"com.microsoft.QLinearLeakyRelu com.microsoft.QLinearSigmoid com.microsoft.QLinearSoftmax",
}
DEFINED = {op: text for text, ops in DEFINITIONS.items() for op in ops.split()}


# ---- The table ----


def cell(some, level):
	return results.cell(some, LEVELS.index(level))


def kind_of(result):
	"""The type of activations, and whether scales are powers of two."""
	words = result.types.split()
	return words[0], "powers-of-two" in words


def label(kinds, all_kinds):
	"""What is left of all kinds of an operator's models, in words."""
	parts = []
	for powers in (False, True):
		some, most = ({kind for kind, is_power in of if is_power == powers} for of in (kinds, all_kinds))
		words = [f"of {' and '.join(sorted(some))}"] if some != most else []
		words += ["with scales that are powers of two"] if powers else []
		if some and words:
			parts.append(" ".join(words))
	return " or ".join(parts) if kinds != all_kinds else ""


def table_rows(measured):
	"""What operators have in common is one row: (definition, kinds, what is at each level) and the operators."""
	rows = collections.defaultdict(list)
	by_op = collections.defaultdict(lambda: collections.defaultdict(list))
	for result in measured:
		by_op[result.op][kind_of(result)].append(result)
	for op, by_kind in by_op.items():
		alike = collections.defaultdict(set)
		for kind, some in by_kind.items():
			alike[tuple(cell(some, level) for level in ("disabled", "all", "allowed"))].add(kind)
		for cells, kinds in alike.items():
			rows[(DEFINED.get(op, "?"), label(kinds, set(by_kind)), cells)].append(op)
	return rows


def table(measured):
	order = list(DEFINITIONS)
	lines = ["| what nnloop computes | operators | `ORT_DISABLE_ALL` | `ORT_ENABLE_ALL` | the same, int8 allowed |", "|---|---|---|---|---|"]
	rows = table_rows(measured)
	place = lambda what: order.index(what) if what in order else len(order)
	for (what, kind, cells), ops in sorted(rows.items(), key=lambda row: (place(row[0][0]), -len(row[1]), row[1], row[0][1])):
		names = ", ".join(f"`{op}`" for op in ops) + (f", {kind}" if kind else "")
		lines.append(f"| {what} | {names} | {' | '.join(cells)} |")
	return "\n".join(lines) + "\n"


def saturating_table(measured):
	"""By operator and types of activations and weights."""
	lines = ["| types | operators | `ORT_DISABLE_ALL` | `ORT_ENABLE_ALL` |", "|---|---|---|---|"]
	rows = collections.defaultdict(dict)
	for result in measured:
		if "powers-of-two" not in result.types:
			rows[result.types.removesuffix(" per-channel").removesuffix(" per-tensor")].setdefault(result.op, []).append(result)
	for types, by_op in rows.items():
		if max(r.most[LEVELS.index("all")] for some in by_op.values() for r in some) <= 1:  # no more than rounding
			continue
		cells = collections.defaultdict(list)
		for op, some in by_op.items():
			cells[cell(some, "disabled"), cell(some, "all")].append(op)
		for pair, ops in cells.items():
			lines.append(f"| {types.replace(' weights', ', weights')} | {', '.join(f'`{op}`' for op in ops)} | {' | '.join(pair)} |")
	return "\n".join(lines) + "\n"


def tables():
	"""As docs/onnx.md has them."""
	heading, measured = results.read(RESULTS)
	saturating_heading, saturating = results.read(SATURATING)
	name = lambda lines: lines[0][2:].partition("; ")[0]
	return f"""{name(heading)}:

{table(measured)}
{name(saturating_heading)}, where sums saturate:

{saturating_table(saturating)}"""


# ---- Running ----


class Runner:
	def __init__(self, program):
		import onnxruntime as ort  # pylint: disable=import-outside-toplevel
		from onnxruntime.capi import onnxruntime_pybind11_state as state  # pylint: disable=import-outside-toplevel
		self.ort, self.program = ort, program
		self.failures = (state.NotImplemented, state.Fail, state.RuntimeException, state.InvalidArgument)
		ort.set_default_logger_severity(4)
		self.work = tempfile.mkdtemp(prefix="levels-")

	def session(self, model, level):
		options = self.ort.SessionOptions()
		levels = self.ort.GraphOptimizationLevel
		options.graph_optimization_level = {"disabled": levels.ORT_DISABLE_ALL, "basic": levels.ORT_ENABLE_BASIC,
						    "extended": levels.ORT_ENABLE_EXTENDED}.get(level, levels.ORT_ENABLE_ALL)
		if level == "allowed":
			options.add_session_config_entry("session.qdqisint8allowed", "1")
		options.intra_op_num_threads = 1
		options.log_severity_level = 4
		return self.ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

	def theirs(self, model, feeds):
		outputs = []
		for level in LEVELS:
			session = self.session(model, level)
			known = {i.name for i in session.get_inputs()}
			outputs.append(session.run(None, {name: array for name, array in feeds.items() if name in known}))
		return outputs

	def ours(self, model, feeds, count):
		"""nnloop's outputs; or why there are none."""
		import numpy as np  # pylint: disable=import-outside-toplevel
		stem = os.path.join(self.work, "model")
		with open(stem, "wb") as file:
			file.write(model)
		command = [self.program, "run", "--quiet", "--device", "host"]
		for i in range(count):
			command += ["-o", f"{stem}.out{i}.npy"]
		command.append(stem)
		for i, array in enumerate(feeds.values()):
			np.save(f"{stem}.in{i}.npy", array)
			command.append(f"{stem}.in{i}.npy")
		result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
		if result.returncode:
			return result.stderr.strip().splitlines()[-1]
		return [np.load(f"{stem}.out{i}.npy") for i in range(count)]

	def add(self, result, model, feeds):
		theirs = self.theirs(model, feeds)
		ours = self.ours(model, feeds, len(theirs[0]))
		if isinstance(ours, str):
			return ours
		result.count(ours, theirs)
		return None


def full_name(op, domain):
	return f"{domain}.{op}" if domain else op


def form_name(form):
	return form.op if not form.like or form.op in ("QLinearConv", "QLinearMatMul") else "com.microsoft." + form.op


def run_forms(runner, names):
	"""The results by operator, of those that have a form which nnloop takes."""
	from levels import forms  # pylint: disable=import-outside-toplevel
	found, table_ops = {}, importer_table()
	for form in forms.list_forms():
		name = form_name(form)
		if name not in table_ops:
			continue
		for types in forms.list_types(form) if not names or name in names else []:
			why = runner.add(found.setdefault((name, str(types)), results.Result(name, str(types), len(LEVELS))), *forms.quantize(form, types))
			if why:
				print(f"{name}, {types}: {why}")
	return [result for result in found.values() if result.elements]


def operators_of(graph, found):
	for node in graph.node:
		found.add(full_name(node.op_type, node.domain))
		for attr in node.attribute:
			if attr.HasField("g"):
				operators_of(attr.g, found)
	return found


def golden_models():
	"""Of tests/models/ops, edges and random, but those with a float output: operators, name, bytes and inputs, which are read when they are called for."""
	import numpy as np  # pylint: disable=import-outside-toplevel
	import onnx  # pylint: disable=import-outside-toplevel
	from common import archive, cases  # pylint: disable=import-outside-toplevel
	models = []

	def add(name, data, inputs):
		model = onnx.load_from_string(data)
		constants = {i.name for i in model.graph.initializer}
		names = [i.name for i in model.graph.input if i.name not in constants]
		if all(o.type.tensor_type.elem_type != onnx.TensorProto.FLOAT for o in model.graph.output):
			models.append((operators_of(model.graph, set()), name, data, lambda: inputs(names)))

	for path in sorted(glob.glob(os.path.join(archive.folder_of("ops"), "*.onnx"))):
		stem = path[:-len(".onnx")]
		with open(path, "rb") as file:
			add(os.path.basename(stem), file.read(), lambda names, stem=stem: {n: np.load(p) for n, p in zip(names, sorted(glob.glob(glob.escape(stem) + ".in*.npy")))})
	for path in sorted(path for folder in ("edges", "random") for path in glob.glob(os.path.join(ROOT, "tests/models", folder, "*.cases"))):
		for case in cases.read(path) if "tflite" not in os.path.basename(path) else []:
			if case.state == cases.JUDGED and case.flags & cases.MUST_ACCEPT:
				add(f"{os.path.basename(path)} {case.name}", case.model, lambda names, case=case: dict(case.inputs))
	return models


def run_golden(runner, op, models, noisy):
	"""Of a dozen models with fewest other operators, of which none is noisy: differs at some level itself."""
	result = results.Result(op, "golden", len(LEVELS))
	others = lambda m: m[0] - PAIRS - {op}
	quiet = sorted((m for m in models if op in m[0] and not others(m) & noisy and (op not in PAIRS or not others(m))), key=lambda m: (len(others(m)), len(m[0])))
	tried = 0
	for _, name, model, inputs in quiet:
		try:
			why = runner.add(result, model, inputs())
		except runner.failures:  # moves of integers that an opset has of floats only, where optimizations leave out DequantizeLinear
			continue
		if why:
			print(f"{name}: {why}")
		tried += 1
		if tried == MODELS:
			break
	return result


def importer_table():
	"""The operators of docs/onnx.md."""
	with open(PAGE, encoding="utf-8") as file:
		return [line.split("`")[1] for line in file if line.startswith("| `") and line.count("|") == 4]


def processor(options):
	"""What of it the integer kernels of ONNX Runtime depend on."""
	if options.saturating:
		return "AVX2"
	with open("/proc/cpuinfo", encoding="utf-8") as file:
		flags = file.read()
	return next((text for flag, text in (("avx512_vnni", "AVX-512 VNNI"), ("avx_vnni", "AVX VNNI"), ("avx512bw", "AVX-512"), ("avx2", "AVX2")) if flag in flags),
		    "neither AVX2 nor VNNI")


def measure(options):
	"""The heading lines, and the results in the order of the importer's table."""
	import onnxruntime as ort  # pylint: disable=import-outside-toplevel
	runner = Runner(options.nnloop)
	measured = run_forms(runner, options.names)
	found = {result.op for result in measured}
	table_ops = importer_table()
	models = golden_models() if not options.saturating else []
	noisy = {result.op for result in measured if any(result.differ)}
	measured += [run_golden(runner, op, models, noisy) for op in table_ops if op not in found and (not options.names or op in options.names)]
	heading = [f"# ONNX Runtime {ort.__version__}, {os.uname().machine} with {processor(options)}, one thread; `make onnxruntime{'-saturating' * options.saturating}` compares with it\n",
		   f"# operator, types, elements; how many differ, and by how many steps at most, at the levels {', '.join(LEVELS)}\n"]
	return heading, sorted(measured, key=lambda result: table_ops.index(result.op))


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--write", action="store_true")
	parser.add_argument("--table", action="store_true")
	parser.add_argument("--saturating", action="store_true")
	parser.add_argument("--nnloop", default=os.path.join(ROOT, os.environ.get("O") or "build", "nnloop"))
	parser.add_argument("names", nargs="*")
	options = parser.parse_args()
	path = SATURATING if options.saturating else RESULTS
	if options.table:
		print(tables(), end="")
		return 0
	if options.saturating:
		options.names = options.names or PRODUCTS
	heading, measured = measure(options)
	if options.write:
		results.write(path, heading, measured)
		results.replace_table(PAGE, BEGIN, END, tables())
		return 0
	differ = results.compare(path, heading, measured, options.names)
	print(f"{len(measured)} lines, {differ} that differ from {os.path.relpath(path)}")
	return 1 if differ else 0


if __name__ == "__main__":
	sys.exit(main())
