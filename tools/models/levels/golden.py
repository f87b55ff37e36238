#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whether today's ONNX Runtime still gives the golden values: `make onnxruntime`.

usage: golden.py [NAME...]

Runs the models of tests/models/ops and the reader's, at the levels that their golden values are of, and the cases of tests/models/edges, random and steps, without
optimizations, in Python's onnxruntime (tools/models/requirements.txt). Prints a line for each model whose outputs differ, with how many elements do and by how much,
and how many were compared; exits with 1 if any does that KNOWN does not name. NAME is of a model of tests/models/ops, or a file of cases.
"""
import glob
import os
import re
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too
ROOT = os.path.normpath(os.path.join(sys.path[0], "../.."))

import numpy as np
import onnxruntime as ort

from common import archive, cases

KNOWN = {}
ort.set_default_logger_severity(4)


def session(model, level):
	options = ort.SessionOptions()
	options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL if level == "all" else ort.GraphOptimizationLevel.ORT_DISABLE_ALL
	options.intra_op_num_threads = 1
	options.log_severity_level = 4
	return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run(model, level, arrays):
	"""arrays: of the inputs in their order, or by name."""
	one = session(model, level)
	names = [i.name for i in one.get_inputs()]
	feeds = dict(zip(names, arrays)) if isinstance(arrays, list) else {n: a for n, a in arrays.items() if n in names}
	return one.run(None, feeds)


def difference(golden, made):
	if golden.size != made.size:
		return f"{list(made.shape)}, not {list(golden.shape)}"
	a, b = golden.ravel(), made.ravel()
	differ = ~((a == b) | ((a != a) & (b != b)))
	if not differ.any():
		return None
	most = np.abs(a.astype(np.float64) - b.astype(np.float64))[differ].max()
	return f"{differ.sum()} of {differ.size} differ, by at most {most:g}"


class Report:
	def __init__(self):
		self.compared = self.failed = 0

	def compare(self, name, golden, made):
		self.compared += 1
		found = [d for d in map(difference, golden, made) if d]
		if len(golden) != len(made):
			found = [f"{len(made)} outputs, not {len(golden)}"]
		if found:
			print(f"{name}: {'; '.join(found)}" + (f" ({KNOWN[name]})" if name in KNOWN else ""))
			self.failed += name not in KNOWN


def golden_of(stem):
	paths = glob.glob(glob.escape(stem) + ".golden.*npy")
	return [np.load(path) for path in sorted(paths, key=lambda path: [int(n) for n in re.findall(r"golden\.(\d+)\.npy", path)])]


def compare_operators(report, names):
	folder = archive.folder_of("ops")
	with open(os.path.join(archive.KEPT, "ops/levels.txt"), encoding="utf-8") as file:
		rows = [line.split() for line in file if line[0] != "#"]
	for name, level, count in rows:
		if names and name not in names:
			continue
		stem = os.path.join(folder, name)
		made = run(stem + ".onnx", level, [np.load(f"{stem}.in{i}.npy") for i in range(int(count))])
		report.compare(name, golden_of(stem), made)


def compare_cases(report, names):
	for path in sorted(path for folder in ("edges", "random", "steps") for path in glob.glob(os.path.join(ROOT, "tests/models", folder, "*.cases"))):
		if os.path.basename(path).startswith("tflite") or (names and os.path.basename(path) not in names):
			continue
		for case in cases.read(path):
			if case.state != cases.JUDGED:
				continue
			name = f"{os.path.basename(os.path.dirname(path))}/{os.path.basename(path)} {case.name}"
			try:
				made = run(case.model, "disabled", dict(case.inputs))
			except Exception as error:  # pylint: disable=broad-except
				report.compared += 1
				report.failed += name not in KNOWN
				print(f"{name}: refused: {str(error).splitlines()[0][:200]}")
				continue
			report.compare(name, [array for _, array in case.outputs], made)


def compare_reader(report, names):
	from PIL import Image  # pylint: disable=import-outside-toplevel
	folder = os.path.join(ROOT, "tests/models")
	pixels = lambda paths, rows, columns: np.concatenate([np.asarray(Image.open(p).convert("L")) for p in paths]).reshape(-1, 1, rows, columns)
	for name, files, size in (("digits", ["digits.png"], (24, 16)), ("reader", sorted(os.path.basename(p) for p in glob.glob(folder + "/pages/*.png")), (192, 256))):
		if names and name not in names:
			continue
		paths = [os.path.join(folder, f if name == "digits" else f"pages/{f}") for f in files]
		report.compare(name, golden_of(os.path.join(folder, name)), run(os.path.join(folder, name + ".onnx"), "all", [pixels(paths, *size)]))


def main():
	report = Report()
	names = sys.argv[1:]
	compare_operators(report, names)
	compare_reader(report, names)
	compare_cases(report, names)
	print(f"ONNX Runtime {ort.__version__}: {report.compared} models compared, {report.failed} differ from their golden values")
	return 1 if report.failed else 0


if __name__ == "__main__":
	sys.exit(main())
