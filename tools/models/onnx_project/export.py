#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the ONNX project's own operator cases, of the onnx package that runs it: `make onnx-cases`.

usage: export.py DIR

DIR/NAME/model.onnx and DIR/NAME/test_data_set_0/input_0.pb, ..., output_0.pb, ..., as the project's own files are. A value that is no tensor is an empty file.
"""
import os
import sys
import warnings

import numpy as np
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases


def save(path, value):
	with open(path, "wb") as file:
		if isinstance(value, TensorProto):
			file.write(value.SerializeToString())
		elif isinstance(value, (np.ndarray, np.generic)):
			file.write(numpy_helper.from_array(np.asarray(value)).SerializeToString())


def main():
	with warnings.catch_warnings():
		warnings.simplefilter("ignore")  # cases that overflow do so on purpose
		found = collect_testcases(None)
	for case in found:
		folder = os.path.join(sys.argv[1], case.name)
		data = os.path.join(folder, "test_data_set_0")
		os.makedirs(data, exist_ok=True)
		with open(os.path.join(folder, "model.onnx"), "wb") as file:
			file.write(case.model.SerializeToString())
		for kind, values in zip(("input", "output"), case.data_sets[0]):
			for i, value in enumerate(values):
				save(os.path.join(data, f"{kind}_{i}.pb"), value)


if __name__ == "__main__":
	main()
