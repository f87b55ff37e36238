#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/reader.numbers: the numbers on each page, from ONNX Runtime's golden outputs of reader.onnx.

A line for each page: its name, a colon, the numbers in reading order.
"""
import glob
import os

import numpy as np

import digits
import qnet
import reader


def main():
	path = os.path.join(digits.TESTS, "reader")
	classifier = qnet.load_layers(path + ".onnx", digits.LAYERS, "digit", "classifier_")
	boxes, _, owner, logits = (np.load(f"{path}.golden.{i}.npy") for i in range(4))
	good = reader.accepted(classifier, logits)
	with open(path + ".numbers", "w") as f:
		for page, name in enumerate(sorted(glob.glob(os.path.join(digits.TESTS, "pages", "*.png")))):
			mine = np.where((owner == page) & good)[0]
			numbers = ["".join(str(logits[mine[k]].argmax()) for k in number) for number in reader.group(boxes[mine])]
			f.write(" ".join([os.path.basename(name)[:-len(".png")] + ":"] + numbers) + "\n")


if __name__ == "__main__":
	main()
