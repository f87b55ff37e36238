#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What LiteRT, which TensorFlow Lite is today, makes of the models in a file of cases (common/cases.py), each in a process of its own, which the
library may end.

usage: judge.py CASES OUT

Needs Python's packages of requirements.txt. Models for one item run on each item by itself.
"""
import os
import sys
import tempfile

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from common import cases


def clear_behind(outputs, classes):
	"""What detectors leave as it was behind the last box, by the number of boxes, which is the last output; of each are so many classes."""
	if [array.ndim for array in outputs[:4]] == [3, 2, 2, 1] and all(array.dtype == np.float32 for array in outputs[:4]):
		for i, array in enumerate(outputs[:3]):
			outputs[i] = array.copy()
			for row, count in zip(outputs[i], outputs[3]):
				row[int(count) * classes:] = 0


class Refused(Exception):
	"""What LiteRT says of a model that it does not run."""


def invoke(interpreter, inputs):
	try:
		for tensor, data in zip(interpreter.get_input_details(), inputs):
			interpreter.set_tensor(tensor["index"], data)
		interpreter.invoke()
		return [interpreter.get_tensor(tensor["index"]).copy() for tensor in interpreter.get_output_details()]
	except (RuntimeError, ValueError) as error:
		raise Refused(str(error)) from error


def open_model(model):
	try:
		interpreter = Interpreter(model_content=model, num_threads=1)
		interpreter.allocate_tensors()
		return interpreter
	except (RuntimeError, ValueError) as error:
		raise Refused(str(error)) from error


def run(case):
	interpreter = open_model(case.model)
	inputs = [data for _, data in case.inputs]
	shapes = [list(tensor["shape"]) for tensor in interpreter.get_input_details()]
	as_is = all(list(data.shape) == shape for data, shape in zip(inputs, shapes))
	# A number has no dimensions: such a model is for one item.
	if as_is and any(shape[:1] != [1] for shape in shapes):
		outputs = [np.atleast_1d(array) for array in invoke(interpreter, inputs)]
	else:
		rows = max((data.shape[0] for data, shape in zip(inputs, shapes) if list(data.shape) != shape), default=1)
		runs = [invoke(interpreter, [data[i:i + 1] for data in inputs]) for i in range(rows)]
		# Those without a batch are of each item.
		outputs = [(np.concatenate if parts[0].shape[:1] == (1,) else np.stack)(parts) for parts in zip(*runs)]
	clear_behind(outputs, case.flags >> cases.CLASSES_SHIFT or 1)
	if case.flags & cases.INDICES:  # nnloop's are of int32
		outputs = [array.astype(np.int32) if array.dtype == np.int64 else array for array in outputs]
	return [(f"y{i}", array) for i, array in enumerate(outputs)]


def write(out, case):
	case.twin = b""  # only what came of it
	out.write(cases.encode(case))
	out.flush()


def judge(case, out):
	"""In a process of its own; what comes of the case is written to `out`."""
	try:
		case.outputs, case.state = run(case), cases.JUDGED
	except Refused as refusal:
		case.state, case.reason = cases.REFUSED, str(refusal)
	write(out, case)


def main():
	with tempfile.TemporaryFile() as said, open(sys.argv[2], "wb") as out:
		os.dup2(said.fileno(), 2)
		out.write(cases.MAGIC)
		out.flush()
		for case in cases.read(sys.argv[1]):
			child = os.fork()
			if not child:
				judge(case, out)
				os._exit(0)  # pylint: disable=protected-access
			if os.waitpid(child, 0)[1]:
				case.state, case.reason = cases.CRASHED, "LiteRT died of it"
				write(out, case)


if __name__ == "__main__":
	main()
