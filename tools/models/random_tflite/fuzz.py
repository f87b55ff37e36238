#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random quantized TensorFlow Lite graphs on nnloop's host device, against LiteRT: `make fuzz-tflite-models`.

usage: fuzz.py --python PYTHON [--graphs N] [--seed SEED] [--kinds OPERATOR,...] [--work DIR] [--runner PROGRAM] [--shrink N]
       fuzz.py --python PYTHON --commit DIR [--graphs N] ...

PYTHON is one that has the packages of requirements.txt. Graphs are graphs.py's, and the rest is as in random_onnx/fuzz.py: what it
writes, to DIR (build/fuzz-tflite), and how it exits. Of 20,000 graphs and more, each operator of docs/tflite.md, each of its versions,
and each value of its options must have been accepted 200 times, where the table names a few values, else each option.
"""
import os
import re
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import random_onnx.fuzz
from random_tflite.builder import DETECTION, TABLE

HERE = os.path.dirname(os.path.abspath(__file__))


class Run(random_onnx.fuzz.Run):
	extension, reference, runtime = "tflite", "golden", "LiteRT 2.3"
	work, program, name = "build/fuzz-tflite", "random_tflite/fuzz.py", "TensorFlow Lite"
	tries = 4
	# What it refuses may be a limit of its own.
	invalid, ordinary, unsure = re.compile("(?!)"), set(), set()

	@staticmethod
	def load_graphs():
		import random_tflite.graphs  # pylint: disable=import-outside-toplevel
		return random_tflite.graphs

	def judge_command(self, paths):
		return [self.args.python, os.path.join(HERE, "judge.py"), *paths]

	def is_attribute(self, tag):
		operator, _, option = tag.partition(".")
		name, _, value = option.partition("=")
		values = TABLE.get(operator, (0, {}))[1].get(name)
		return operator in TABLE and (not option or name == "version" or (bool(value) if values else name in TABLE[operator][1]))

	def wanted(self):
		tags = set()
		for operator, (versions, options) in TABLE.items():
			tags |= {operator} | ({f"{operator}.version={i}" for i in versions} if operator != DETECTION else set())
			for option, values in options.items():
				tags |= {f"{operator}.{option}={value}" for value in values} if values else {f"{operator}.{option}"}
		return tags - {"ARG_MAX.output_type=3", "ARG_MIN.output_type=3", "SHAPE.out_type=3"}, lambda tag: {tag, tag.partition("=")[0]}


if __name__ == "__main__":
	sys.exit(random_onnx.fuzz.main(Run, [("--python", "a Python with LiteRT")]))
