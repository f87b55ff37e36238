#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What ONNX Runtime's Python package, optimizations off, makes of the models in a file of cases (common/cases.py): judge.mjs, for opsets that the package for Node.js does not know.

usage: judge.py CASES OUT

A case is written as soon as it is judged, so that one which ends this process can be told.
"""
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import onnxruntime

from common import cases


def run(model, inputs):
	options = onnxruntime.SessionOptions()
	options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
	options.intra_op_num_threads = options.inter_op_num_threads = 1
	options.enable_cpu_mem_arena = options.enable_mem_pattern = False
	options.log_severity_level = 4
	session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
	known = {i.name for i in session.get_inputs()}
	results = session.run(None, {name: data for name, data in inputs if name in known})
	return [(output.name, np.asarray(data)) for output, data in zip(session.get_outputs(), results)]


def judge(case):
	try:
		case.outputs, case.state = run(case.model, case.inputs), cases.JUDGED
	except Exception as error:  # pylint: disable=broad-except
		case.state, case.reason = cases.REFUSED, str(error)
	if case.state == cases.JUDGED and case.twin:
		try:
			case.twin_outputs = run(case.twin, case.inputs)
		except Exception as error:  # pylint: disable=broad-except
			case.reason = f"twin: {error}"
	case.twin = b""


def main():
	with open(sys.argv[2], "wb") as file:
		file.write(cases.MAGIC)
		for case in cases.read(sys.argv[1]):
			judge(case)
			file.write(cases.encode(case))
			file.flush()


if __name__ == "__main__":
	main()
