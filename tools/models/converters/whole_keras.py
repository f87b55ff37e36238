# SPDX-License-Identifier: MIT
"""Whole models of keras.applications with random weights, converted in several ways by the lines of docs/models.md, run by nnloop and judged by
LiteRT.

usage: whole_keras.py [--work DIR] [--ways WAY,...] NNLOOP MODEL...

MODEL is NAME or NAME:SIZE, a function of keras.applications and the height of its pictures (default 64). Prints a line for each, and a table:
equal to LiteRT, byte for byte; differs; refused. Exit status: 1 if any differs or is refused.
"""
import argparse
import collections
import contextlib
import logging
import os
import sys
import warnings

import from_keras  # first, as it sets what TensorFlow reads
import keras
import tensorflow as tf

# The lines that have this word, and what is written otherwise than on the page.
WAYS = {
	"int8": ("TFLITE_BUILTINS_INT8", {}),
	"uint8": ("TFLITE_BUILTINS_INT8", {"tf.int8": "tf.uint8"}),
	"float ends": ("TFLITE_BUILTINS_INT8", {"converter.inference_": "# converter.inference_"}),
	"int16x8": ("ACTIVATIONS_INT16", {}),
	"ai-edge-quantizer 8": ("ai_edge_quantizer", {}),
	"ai-edge-quantizer 16": ("ai_edge_quantizer", {"static_wi8_ai8": "static_wi8_ai16"}),
}
WHAT = ("equal", "differs", "refused", "not made")


def build(name, size):
	return getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10)


def change(changes):
	def replace(text):
		for old, new in changes.items():
			if old not in text:
				raise SystemExit(f"error: docs/models.md has no '{old}'")
			text = text.replace(old, new)
		return text
	return replace


def run(nnloop, name, size, way):
	"""In its folder: what it is, and a sentence about that."""
	word, changes = WAYS[way]
	with from_keras.quiet("log"):
		try:
			x = from_keras.convert(lambda: build(name, size), word, change(changes))
		except Exception as error:  # converters know not all
			return "not made", str(error).strip().splitlines()[0]
		right, text = from_keras.judge(nnloop, x)
	return "equal" if right else "refused" if text.startswith("refused") else "differs", text


def main():
	parser = argparse.ArgumentParser(description="Runs whole models of Keras by the lines of docs/models.md.")
	parser.add_argument("--work", default="build/whole-keras", help="where models are written")
	parser.add_argument("--ways", default=",".join(WAYS), help="how they are converted")
	parser.add_argument("nnloop")
	parser.add_argument("models", nargs="+")
	args = parser.parse_args()
	nnloop, counts = os.path.abspath(args.nnloop), {way: collections.Counter() for way in args.ways.split(",")}
	warnings.filterwarnings("ignore")
	logging.disable(logging.WARNING)
	tf.config.threading.set_intra_op_parallelism_threads(1)
	for word in args.models:
		name, size = (word.split(":") + ["64"])[:2]
		for way, count in counts.items():
			folder = os.path.join(args.work, f"{name}-{way.replace(' ', '_')}")
			os.makedirs(folder, exist_ok=True)
			with contextlib.chdir(folder):
				what, text = run(nnloop, name, int(size), way)
			count[what] += 1
			print(f"{what}: {name}, {way}: {text}", flush=True)
	print(f"\n| way | {' | '.join(WHAT)} |\n|---|{'---|' * len(WHAT)}")
	for way, count in counts.items():
		print(f"| {way} | {' | '.join(str(count[what]) for what in WHAT)} |")
	return any(count["differs"] or count["refused"] for count in counts.values())


if __name__ == "__main__":
	sys.exit(main())
