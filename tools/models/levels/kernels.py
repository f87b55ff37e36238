#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which of TensorFlow Lite's kernels compute what nnloop does, operator by operator: `make tflite-kernels`.

usage: kernels.py [--write] [--nnloop PROGRAM] --older LIBRARY [NAME...]
       kernels.py --table

The models of single operators in tests/models/tflite, on their own inputs and, where these are quantized, on random ones; nnloop's host device computes them, and in each
of these ways

	xnnpack		LiteRT as it comes: XNNPACK for what that has
	own		LiteRT's own kernels, optimized
	reference	LiteRT's own kernels, as simple as can be
	older		TensorFlow Lite 2.9, with XNNPACK
	older own	TensorFlow Lite 2.9's own kernels

LIBRARY is libtensorflowlite_c.so 2.9.0 (tools/models/tflite/golden.py says of which package). Prints the lines that are not those of tests/models/tflite-kernels.txt, and
exits with 1 if there are any; with --write it writes the file, and the table of it in docs/tflite.md. --table prints this, and needs nothing but Python. NAME is of an
operator.

A line of the file is: operator, types and form, elements, and for each way how many of them differ from nnloop's and by how many steps at most (of float32, in its last
place), or a dash where the runtime refuses a model.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too
ROOT = os.path.normpath(os.path.join(sys.path[0], "../.."))

from levels import results

RESULTS = os.path.join(ROOT, "tests/models/tflite-kernels.txt")
PAGE = os.path.join(ROOT, "docs/tflite.md")
BEGIN, END = "<!-- kernels: make tflite-kernels -->\n", "<!-- end of kernels -->\n"
WAYS = ["xnnpack", "own", "reference", "older", "older own"]
ITEMS = 100  # of a model, with its own
ENDS = {"QUANTIZE", "DEQUANTIZE"}
DATA = {"TRANSPOSE_CONV": 2, "SPLIT": 1, "ASSIGN_VARIABLE": 1}  # the place of what others have first
HANDLES = {"CALL_ONCE", "VAR_HANDLE"}  # which have no tensor with elements

# Forms of an operator that are computed in another way than its others: the model's name, and in words.
FORMS = [
	(r"mul_itself.*", "of a tensor by itself"),
	(r"transpose_conv_(gaps|gaps_across|relu_gaps|shape_input)", "which XNNPACK does not have"),
	(r"transpose_conv_int16(_same)?", "without a bias"),
	(r"fully_connected_int16_(no_bias|once)", "without a bias"),
	(r"add_to_number|add_epsilon|sub_epsilon", "with a number of a fine scale"),
	(r"concatenation_u8_(far|images|rescaled|saturated|ties|zero_points)", "which rescales"),
	(r"detection_regular.*", "class by class"),
	(r"fully_connected_channels.*|fully_connected_int16_scales.*", "with several scales"),
	(r"real_.*", "between 8 bits"),
]


class Model:
	"""One of tests/models/tflite: its operators, and the inputs of all items."""

	def __init__(self, path):
		import numpy as np  # pylint: disable=import-outside-toplevel
		self.path, self.name = path, os.path.basename(path)[:-len(".tflite")]
		self.nodes = nodes_of(path)
		self.operators = {name for name, _ in self.nodes}
		self.inputs = [np.load(name) for name in sorted(glob.glob(glob.escape(path[:-len(".tflite")]) + ".in*.npy"))]

	def kind(self, op):
		"""What the first of such operators is of."""
		kind = next(kind for name, kind in self.nodes if name == op)
		return ", ".join([kind, *(words for pattern, words in FORMS if re.fullmatch(pattern, self.name))])

	def all_inputs(self):
		"""Its own and, behind them, random ones, if each input can have any value of its type: no indices, masks and shapes. What data decide is for
		one item."""
		import numpy as np  # pylint: disable=import-outside-toplevel
		if self.name.startswith("control_") or any(array.dtype not in (np.int8, np.uint8, np.int16) for array in self.inputs):
			return self.inputs
		rng = np.random.default_rng(sum(map(ord, self.name)))
		more = lambda array, info: rng.integers(info.min, info.max + 1, [ITEMS - len(array), *array.shape[1:]]).astype(array.dtype)
		return [np.concatenate([array, more(array, np.iinfo(array.dtype))]) for array in self.inputs]


def nodes_of(path):
	"""The names of a model's operators, and what each is of."""
	import numpy as np  # pylint: disable=import-outside-toplevel
	from ai_edge_litert.interpreter import Interpreter, OpResolverType  # pylint: disable=import-outside-toplevel
	interpreter = Interpreter(model_path=path, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
	tensors = {tensor["index"]: tensor for tensor in interpreter.get_tensor_details()}
	type_of = lambda i: np.dtype(tensors[i]["dtype"]).name
	nodes = []
	for node in interpreter._get_ops_details():  # pylint: disable=protected-access
		op, inputs = node["op_name"], node["inputs"]
		data = node["outputs"][0] if op == "READ_VARIABLE" else None if op in HANDLES else inputs[DATA.get(op, 0)]
		kind = "variables" if data is None else type_of(data)
		result = type_of(node["outputs"][0]) if op in ENDS else kind
		if op in ENDS and result != kind:
			kind += f" to {result}"
		if op == "BATCH_MATMUL" and tensors[inputs[1]]["quantization"][1]:
			kind += ", the second input not around 0"
		nodes.append((op, kind))
	return nodes


class Runner:
	def __init__(self, options):
		from ai_edge_litert.interpreter import OpResolverType  # pylint: disable=import-outside-toplevel
		from tflite import golden, litert  # pylint: disable=import-outside-toplevel
		self.program, self.work = options.nnloop, tempfile.mkdtemp(prefix="kernels-")
		library = golden.load(options.older)
		self.refusals = (RuntimeError, ValueError, golden.Refused)
		self.ways = [
			lambda model, inputs: litert.run(model.path, inputs),
			lambda model, inputs: litert.run(model.path, inputs, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES),
			lambda model, inputs: litert.run(model.path, inputs, OpResolverType.BUILTIN_REF),
			lambda model, inputs: golden.run_items(library, model.path, inputs),
			lambda model, inputs: golden.run_items(library, model.path, inputs, False),
		]

	def theirs(self, model, inputs):
		outputs = []
		for way in self.ways:
			try:
				outputs.append(way(model, inputs))
			except self.refusals:
				outputs.append(None)
		return outputs

	def ours(self, model, inputs, count, is_real):
		import numpy as np  # pylint: disable=import-outside-toplevel
		stem = os.path.join(self.work, "model")
		command = [self.program, "run", "--quiet", "--device", "host", *["--real"] * is_real]
		for i in range(count):
			command += ["-o", f"{stem}.out{i}.npy"]
		command.append(model.path)
		for i, array in enumerate(inputs):
			np.save(f"{stem}.in{i}.npy", array)
			command.append(f"{stem}.in{i}.npy")
		subprocess.run(command, check=True)
		return [np.load(f"{stem}.out{i}.npy") for i in range(count)]

	def add(self, result, model):
		import numpy as np  # pylint: disable=import-outside-toplevel
		inputs = model.all_inputs()
		theirs = self.theirs(model, inputs)
		is_real = [array.dtype == np.float32 for array in theirs[0]]
		ours = self.ours(model, inputs, len(is_real), False)
		if any(is_real):
			ours = [real if is_one else array for real, is_one, array in zip(self.ours(model, inputs, len(is_real), True), is_real, ours)]
		result.count(ours, theirs)


# ---- The models of an operator ----


def models_of(op, models):
	"""Those of it alone, but for what makes float32 of its input and of its output; or of as few others as there are."""
	if op in ENDS:
		return [model for model in models if op in model.operators and (model.operators <= ENDS or model.name.startswith("float_ends"))]
	mine = [model for model in models if op in model.operators and not model.name.startswith("float_ends")]
	others = lambda model: len(model.operators - ENDS - {op})
	fewest = min(map(others, mine), default=0)
	return [model for model in mine if others(model) == fewest]


def importer_table():
	"""The operators of docs/tflite.md."""
	with open(PAGE, encoding="utf-8") as file:
		rows = re.findall(r"^\| `(\w+)` \| [0-9, to]*\|", file.read(), re.M)
	return rows


def measure(options):
	"""The heading lines, and the results in the order of the importer's table."""
	from importlib.metadata import version  # pylint: disable=import-outside-toplevel
	from common import archive  # pylint: disable=import-outside-toplevel
	models = [Model(path) for path in sorted(glob.glob(os.path.join(archive.folder_of("tflite"), "*.tflite")))]
	runner = Runner(options)
	found = {}
	for op in importer_table():
		for model in models_of(op, models) if not options.names or op in options.names else []:
			runner.add(found.setdefault((op, model.kind(op)), results.Result(op, model.kind(op), len(WAYS))), model)
	heading = [f"# LiteRT {version('ai-edge-litert')} and TensorFlow Lite 2.9.0, {os.uname().machine}, one thread; `make tflite-kernels` compares with it\n",
		   f"# operator, of what, elements; how many differ, and by how many steps at most: {', '.join(WAYS)}\n"]
	return heading, list(found.values())


# ---- The table ----


def label(kinds, all_kinds):
	"""What kinds of an operator's models are, in words, if there are others."""
	if kinds == all_kinds:
		return ""
	types, forms = ([kind for kind in kinds if ("," in kind) == is_form] for is_form in (False, True))
	return f" ({'; '.join([', '.join(types)] * bool(types) + forms)})"


def table():
	"""As docs/tflite.md has it."""
	heading, measured = results.read(RESULTS)
	by_op = collections.defaultdict(lambda: collections.defaultdict(list))
	for result in measured:
		by_op[result.op][tuple(results.cell([result], i) for i in range(len(WAYS)))].append(result.types)
	rows = collections.defaultdict(list)
	for op, by_cells in by_op.items():
		all_kinds = [kind for kinds in by_cells.values() for kind in kinds]
		for cells, kinds in by_cells.items():
			rows[cells].append(f"`{op}`{label(kinds, all_kinds)}")
	lines = [heading[0][2:].partition("; ")[0] + ":", "",
		 "| operators | LiteRT | its own kernels | its reference kernels | 2.9 | its own kernels |", "|---|---|---|---|---|---|"]
	for cells, names in sorted(rows.items(), key=lambda row: row[0] != ("equal",) * len(WAYS)):
		lines.append(f"| {', '.join(names)} | {' | '.join(cells)} |")
	return "\n".join(lines) + "\n"


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--write", action="store_true")
	parser.add_argument("--table", action="store_true")
	parser.add_argument("--nnloop", default=os.path.join(ROOT, os.environ.get("O") or "build", "nnloop"))
	parser.add_argument("--older", metavar="LIBRARY")
	parser.add_argument("names", nargs="*")
	options = parser.parse_args()
	if options.table:
		print(table(), end="")
		return 0
	if not options.older:
		parser.error("--older is needed")
	heading, measured = measure(options)
	if options.write:
		results.write(RESULTS, heading, measured)
		results.replace_table(PAGE, BEGIN, END, table())
		return 0
	differ = results.compare(RESULTS, heading, measured, options.names)
	print(f"{len(measured)} lines, {differ} that differ from {os.path.relpath(RESULTS)}")
	return 1 if differ else 0


if __name__ == "__main__":
	sys.exit(main())
