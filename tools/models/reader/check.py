#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts the values in which ONNX Runtime's golden outputs of digits.onnx, reader.onnx and the org.nnloop operators differ
from the integer models of qnet.py and loops.py.

Exit status 1 if there are any. The weights are read back from the ONNX files.
"""
import glob
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import onnx
from onnx import helper, numpy_helper
from PIL import Image

from common import archive
from reader import digits
from reader import loops
from reader import glyphs
from reader import qnet
from reader import reader

TESTS = digits.TESTS


def compare(name, golden, mine):
	differ = mine.size if golden.shape != mine.shape else int((golden != mine).sum())
	print(f"{name} {golden.dtype} {list(golden.shape)}: {differ} of {golden.size} values differ")
	return differ


def check_digits():
	path = os.path.join(TESTS, "digits")
	layers = qnet.load_layers(path + ".onnx", digits.LAYERS, "image")
	images = np.asarray(Image.open(path + ".png")).reshape(-1, 1, glyphs.H, glyphs.W)
	return compare("digits logits", np.load(path + ".golden.npy"), qnet.run(layers, images)["logits"])


def attributes_of(path, op):
	node = next(n for n in onnx.load(path).graph.node if n.op_type == op)
	return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def check_operators():
	path = os.path.join(archive.folder_of("ops"), "")
	differ = 0
	for name in ("proposal", "proposal_limits", "proposal_none"):
		constants = {i.name: numpy_helper.to_array(i) for i in onnx.load(path + name + ".onnx").graph.initializer}
		mine = loops.proposal(np.load(f"{path}{name}.in0.npy"), np.load(f"{path}{name}.in1.npy"), constants["anchors"],
				      constants["image_size"], **attributes_of(path + name + ".onnx", "Proposal"))
		differ += sum(compare(f"{name} {k}", np.load(f"{path}{name}.golden.{k}.npy"), v) for k, v in enumerate(mine))
	crops = loops.crop_resize(*[np.load(f"{path}crop_resize.in{i}.npy") for i in range(3)],
				  **attributes_of(path + "crop_resize.onnx", "CropResize"))
	return differ + compare("crop_resize", np.load(path + "crop_resize.golden.npy"), crops)


def check_reader():
	path = os.path.join(TESTS, "reader")
	detector = qnet.load_layers(path + ".onnx", reader.LAYERS, "page", "detector_")
	classifier = qnet.load_layers(path + ".onnx", digits.LAYERS, "digit", "classifier_")
	images = np.stack([np.asarray(Image.open(name)) for name in sorted(glob.glob(os.path.join(TESTS, "pages", "*.png")))])
	mine = reader.read(detector, classifier, images, attributes_of(path + ".onnx", "Proposal"))
	return sum(compare(f"reader {name}", np.load(f"{path}.golden.{i}.npy"), value)
		   for i, (name, value) in enumerate(zip(("boxes", "box_scores", "owner", "logits"), mine)))


if __name__ == "__main__":
	sys.exit(1 if check_digits() + check_operators() + check_reader() else 0)
