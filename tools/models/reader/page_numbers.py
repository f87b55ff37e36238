#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/reader.numbers: the numbers on each page, from ONNX Runtime's golden outputs of reader.onnx.

A line for each page: its name, a colon, the numbers in reading order, each with its score.
"""
import glob
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np

from PIL import Image

from reader import digits
from reader import number_lines
from reader import qnet


def main():
	path = os.path.join(digits.TESTS, "reader")
	classifier = qnet.load_layers(path + ".onnx", digits.LAYERS, "digit", "classifier_")
	boxes, scores, owner, logits = (np.load(f"{path}.golden.{i}.npy") for i in range(4))
	scores, chance = scores.ravel(), number_lines.chances(logits, classifier[-1]["zy"], classifier[-1]["sy"])
	with open(path + ".numbers", "w") as f:
		for page, name in enumerate(sorted(glob.glob(os.path.join(digits.TESTS, "pages", "*.png")))):
			here, image = np.where(owner.ravel() == page)[0], np.asarray(Image.open(name).convert("L"))
			numbers = [here[n] for n in number_lines.read(boxes[here], scores[here], chance[here], image)]
			said = ["".join(str(logits[k].argmax()) for k in n) + f" ({(scores[n] / 255 * chance[n]).min():.2f})" for n in numbers]
			f.write(" ".join([os.path.basename(name)[:-len(".png")] + ":"] + said) + "\n")


if __name__ == "__main__":
	main()
