#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What TensorFlow Lite makes of the models in a file of cases (common/cases.py), each in a process of its own, which the library may end.

usage: judge.py LIBRARY CASES OUT

Models for one item run on each item by itself. Of a case with a twin, that is what runs (builder.py).
"""
import ctypes
import os
import sys
import tempfile

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np

from common import cases
from tflite.golden import Interpreter, load, must


# A twin of int8 has integers that are 128 less.
def flip(array):
	return (array ^ 0x80).view(np.int8) if array.dtype == np.uint8 else array


def flip_back(array):
	return array.view(np.uint8) ^ 0x80 if array.dtype == np.int8 else array


def input_rank(library, interpreter, i):
	tensor = ctypes.c_void_p(library.TfLiteInterpreterGetInputTensor(interpreter, i))
	return [library.TfLiteTensorDim(tensor, k) for k in range(library.TfLiteTensorNumDims(tensor))]


def clear_behind(outputs, classes):
	"""What detectors leave as it was behind the last box, by the number of boxes, which is the last output; of each are so many classes."""
	if [array.ndim for array in outputs[:4]] == [3, 2, 2, 1] and all(array.dtype == np.float32 for array in outputs[:4]):
		for i, array in enumerate(outputs[:3]):
			outputs[i] = array.copy()
			for row, count in zip(outputs[i], outputs[3]):
				row[int(count) * classes:] = 0


def run(library, case):
	flipped = case.flags & cases.INT8_TWIN
	own = bool(case.flags & cases.OWN_KERNELS)
	interpreter = Interpreter(library, case.twin or case.model, not own)
	must(not own and not interpreter.has_xnnpack)
	inputs = [flip(data) if flipped else data for _, data in case.inputs]
	shapes = [input_rank(library, interpreter.interpreter, i) for i in range(len(inputs))]
	as_is = all(list(data.shape) == shape for data, shape in zip(inputs, shapes))
	if as_is and any(shape[0] != 1 for shape in shapes):
		outputs = [np.atleast_1d(array) for array in interpreter.run(inputs)]
	else:
		rows = max((data.shape[0] for data, shape in zip(inputs, shapes) if list(data.shape) != shape), default=1)
		runs = [interpreter.run([data[i:i + 1] for data in inputs]) for i in range(rows)]
		# Those without a batch are of each item.
		outputs = [(np.concatenate if parts[0].shape[:1] == (1,) else np.stack)(parts) for parts in zip(*runs)]
	clear_behind(outputs, case.flags >> cases.CLASSES_SHIFT or 1)
	if flipped:
		outputs = [flip_back(array) for array in outputs]
	if case.flags & cases.INDICES:  # nnloop's are of int32
		outputs = [array.astype(np.int32) if array.dtype == np.int64 else array for array in outputs]
	return [(f"y{i}", array) for i, array in enumerate(outputs)]


def write(out, case):
	case.twin = b""  # only what came of it
	out.write(cases.encode(case))
	out.flush()


def judge(library, case, said, out):
	"""In a process of its own; what it says of the case is written to `out`."""
	try:
		case.outputs, case.state = run(library, case), cases.JUDGED
	except SystemExit:
		case.state = cases.REFUSED
	said.seek(0)
	case.reason = said.read().decode(errors="replace").strip()
	if "delegate application failure" in case.reason:  # its own kernels, which round otherwise, took over
		case.outputs, case.state = [], cases.REFUSED
	write(out, case)


def main():
	library = load(sys.argv[1])
	with tempfile.TemporaryFile() as said, open(sys.argv[3], "wb") as out:
		os.dup2(said.fileno(), 2)
		out.write(cases.MAGIC)
		out.flush()
		for case in cases.read(sys.argv[2]):
			said.seek(0)
			said.truncate()
			child = os.fork()
			if not child:
				judge(library, case, said, out)
				os._exit(0)  # pylint: disable=protected-access
			if os.waitpid(child, 0)[1]:
				case.state, case.reason = cases.CRASHED, "TensorFlow Lite died of it"
				write(out, case)


if __name__ == "__main__":
	main()
