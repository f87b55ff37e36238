#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What LiteRT, which TensorFlow Lite is today, makes of the models in tests/models/tflite.

usage: litert.py [--write] [NAME...]

Needs Python's packages of requirements.txt (`make litert` has them). LiteRT runs as it comes: with XNNPACK for what that has. Each item is a run of
its own. Without --write nothing is written: a line for each model where LiteRT's outputs are not the golden ones, with how many elements differ
and by how much; and how many models were compared. With --write golden values of the models in litert.txt, or of those named, become LiteRT's;
these are the ones where TensorFlow Lite 2.9, whose golden values the others have (golden.py), rounds in another way, and those that it does not know.
"""
import argparse
import glob
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from common import archive
from tflite.model import ITEMS, OUT


def run(path, inputs, kernels=OpResolverType.AUTO):
	"""The outputs of all items, each joined to one array."""
	interpreter = Interpreter(model_path=path, num_threads=1, experimental_op_resolver_type=kernels)
	interpreter.allocate_tensors()
	runs = []
	for i in range(max((len(data) for data in inputs), default=ITEMS)):
		for tensor, data in zip(interpreter.get_input_details(), inputs):
			interpreter.set_tensor(tensor["index"], data[i : i + 1].reshape(tensor["shape"]))
		interpreter.invoke()
		runs.append([interpreter.get_tensor(tensor["index"]).copy() for tensor in interpreter.get_output_details()])
	joined = []
	for parts in zip(*runs):
		join = np.concatenate if parts[0].shape[:1] == (1,) else np.stack  # which know no batch
		joined.append(join(parts))
	return joined


def golden_paths(stem, count):
	return [stem + (f".golden.{i}.npy" if count > 1 else ".golden.npy") for i in range(count)]


def difference(made, path):
	golden = np.load(path)
	if made.size != golden.size:
		return f"of {list(made.shape)}, not {list(golden.shape)}"
	made = made.reshape(golden.shape)
	differ = made != golden
	if not differ.any():
		return None
	most = np.abs(made.astype(np.float64) - golden.astype(np.float64)).max()
	return f"{differ.sum()} of {differ.size} differ, by at most {most:g}"


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--write", action="store_true")
	parser.add_argument("names", nargs="*")
	options = parser.parse_args()
	archive.folder_of("tflite")
	with open(os.path.join(archive.KEPT, "tflite", "litert.txt"), encoding="utf-8") as file:
		ours = file.read().split()
	names = options.names or (ours if options.write else
				  sorted(os.path.basename(path)[: -len(".tflite")] for path in glob.glob(os.path.join(OUT, "*.tflite"))))
	compared = 0
	for name in names:
		stem = os.path.join(OUT, name)
		inputs = [np.load(path) for path in sorted(glob.glob(stem + ".in*.npy"))]
		try:
			made = run(stem + ".tflite", inputs)
		except (RuntimeError, ValueError) as error:
			print(f"{name}: LiteRT refuses it: {str(error).splitlines()[0]}")
			continue
		for array, path in zip(made, golden_paths(stem, len(made))):
			if name.startswith("arg_"):  # nnloop's indices are of int32
				array = array.astype(np.int32)
			if options.write:
				np.save(path, array)
				continue
			found = difference(array, path)
			if found:
				print(f"{os.path.basename(path)}: {found}")
		compared += 1
	print(f"{compared} models {'written' if options.write else 'compared'}")
	if options.write:
		archive.pack(["tflite"])


if __name__ == "__main__":
	main()
