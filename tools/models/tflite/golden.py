#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What TensorFlow Lite makes of the models in tests/models/tflite: NAME.golden.npy.

usage: golden.py [--compare] LIBRARY

LIBRARY is libtensorflowlite_c.so 2.9.0, which the npm package tfjs-tflite-node@0.0.2 has for amd64 Linux in
cc_deps/linux_amd64. Models run with its XNNPACK delegate, with int8 and uint8 switched on; what XNNPACK does not take is
computed by the library's own kernels. Each item is a run of its own. Models in browser.txt are left to golden.mjs.
With --compare nothing is written: a line for each model whose golden values are others, which are LiteRT's then (litert.py), with how many elements differ
and by how much; and how many models were compared.
"""
import ctypes
import glob
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np

from common import archive
from tflite.model import ITEMS, OUT

QS8, QU8 = 1, 2
DTYPES = {1: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}


class Options(ctypes.Structure):
	_fields_ = [("threads", ctypes.c_int32), ("flags", ctypes.c_uint32), ("cache", ctypes.c_void_p)]


def load(path):
	library = ctypes.CDLL(path)
	for name in ("ModelCreate", "InterpreterOptionsCreate", "XNNPackDelegateCreate", "InterpreterCreate",
		     "InterpreterGetInputTensor", "InterpreterGetOutputTensor"):
		getattr(library, "TfLite" + name).restype = ctypes.c_void_p
	library.TfLiteTensorByteSize.restype = ctypes.c_size_t
	return library


class Refused(Exception):
	"""TensorFlow Lite does not run a model."""


def must(status):
	if status:
		raise Refused("TensorFlow Lite refuses it")


class Interpreter:
	def __init__(self, library, model, with_xnnpack=True):
		self.library, self.bytes = library, ctypes.create_string_buffer(model, len(model))
		self.model = ctypes.c_void_p(library.TfLiteModelCreate(self.bytes, ctypes.c_size_t(len(model))))
		options = ctypes.c_void_p(library.TfLiteInterpreterOptionsCreate())
		xnnpack = Options(1, QS8 | QU8, None)
		delegate = ctypes.c_void_p(library.TfLiteXNNPackDelegateCreate(ctypes.byref(xnnpack)))
		if with_xnnpack:
			library.TfLiteInterpreterOptionsAddDelegate(options, delegate)
		self.interpreter = ctypes.c_void_p(library.TfLiteInterpreterCreate(self.model, options))
		self.has_xnnpack = with_xnnpack
		if self.interpreter.value is None and with_xnnpack:  # it takes PAD of uint8, and then cannot do it
			self.__init__(library, model, False)
		else:
			must(self.interpreter.value is None)
			must(library.TfLiteInterpreterAllocateTensors(self.interpreter))

	def run(self, inputs):
		library = self.library
		for i, data in enumerate(inputs):
			tensor = ctypes.c_void_p(library.TfLiteInterpreterGetInputTensor(self.interpreter, i))
			must(library.TfLiteTensorCopyFromBuffer(tensor, data.tobytes(), ctypes.c_size_t(data.nbytes)))
		must(library.TfLiteInterpreterInvoke(self.interpreter))
		return [self.output(i) for i in range(library.TfLiteInterpreterGetOutputTensorCount(self.interpreter))]

	def output(self, i):
		library = self.library
		tensor = ctypes.c_void_p(library.TfLiteInterpreterGetOutputTensor(self.interpreter, i))
		dims = [library.TfLiteTensorDim(tensor, i) for i in range(library.TfLiteTensorNumDims(tensor))]
		data = ctypes.create_string_buffer(library.TfLiteTensorByteSize(tensor))
		must(library.TfLiteTensorCopyToBuffer(tensor, data, ctypes.c_size_t(len(data))))
		return np.frombuffer(data.raw, DTYPES[library.TfLiteTensorType(tensor)]).reshape(dims)


def run_items(library, path, inputs, with_xnnpack=True):
	"""The outputs of all items, each joined to one array."""
	judged = os.path.join(OUT, "judged", os.path.basename(path))  # later.py
	with open(judged if os.path.exists(judged) else path, "rb") as file:
		interpreter = Interpreter(library, file.read(), with_xnnpack)
	runs = [interpreter.run([data[i : i + 1] for data in inputs]) for i in range(max((len(data) for data in inputs), default=ITEMS))]
	if os.path.basename(path).startswith("arg_"):  # nnloop's indices are of int32
		runs = [[array.astype(np.int32) for array in run] for run in runs]
	join = lambda parts: (np.concatenate if parts[0].shape[:1] == (1,) else np.stack)(parts)  # which know no batch
	return [join(parts) for parts in zip(*runs)]


def difference(made, path):
	golden = np.load(path)
	if made.size != golden.size:
		return f"of {list(made.shape)}, not {list(golden.shape)}"
	steps = np.abs(made.astype(np.float64).ravel() - golden.astype(np.float64).ravel())
	return f"{(steps != 0).sum()} of {steps.size} differ, by at most {steps.max():g}" if steps.any() else None


def main():
	is_comparison = sys.argv[1] == "--compare"
	library = load(sys.argv[-1])
	compared = 0
	archive.folder_of("tflite")
	with open(os.path.join(OUT, "browser.txt"), encoding="utf-8") as file:
		others = file.read().split()
	for path in sorted(glob.glob(os.path.join(OUT, "*.tflite"))):
		stem = path[: -len(".tflite")]
		if os.path.basename(stem) in others:
			continue
		try:
			outputs = run_items(library, path, [np.load(name) for name in sorted(glob.glob(stem + ".in*.npy"))])
		except Refused:
			if not is_comparison:
				raise
			print(f"{os.path.basename(stem)}: 2.9 refuses it")
			continue
		for i, array in enumerate(outputs):
			name = stem + (f".golden.{i}.npy" if len(outputs) > 1 else ".golden.npy")
			if not is_comparison:
				np.save(name, array)
			elif found := difference(array, name):
				print(f"{os.path.basename(name)}: {found}")
		compared += 1
	if is_comparison:
		print(f"{compared} models compared")
	else:
		archive.pack(["tflite"])


if __name__ == "__main__":
	main()
