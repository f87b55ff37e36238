#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains, quantizes and tests the digit classifier; writes tests/models/digits.{onnx,png,labels}.

Its ten outputs are logits of ten independent questions, "is this a 3?": where all are below zero there is no digit.

digits.png is one column of 211 test digits: 16 x (211 * 24) grey pixels, so that its bytes are the tensor
[211, 24, 16, 1]. digits.labels has one label a line, in the same order.
"""
import argparse
import os
import sys
import time

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper
from PIL import Image

from reader import glyphs
from reader import qnet

TESTS = os.path.normpath(os.path.join(glyphs.HERE, "../../../tests/models"))
IMAGES = 211
LENIENCE = 1.0	# added to every logit when training is done: reading a letter costs less than missing a digit

LAYERS = [
	qnet.conv("conv1", 1, 16),
	qnet.pool("pool1"),
	qnet.conv("depthwise2", 16, 16, groups=16),
	qnet.conv("pointwise2", 16, 32, k=1),
	qnet.pool("pool2"),
	qnet.conv("conv3", 32, 64),
	qnet.conv("depthwise4", 64, 64, groups=64),
	qnet.conv("pointwise4", 64, 64, k=1),
	qnet.pool("pool4"),
	qnet.flatten("flat"),
	qnet.fc("logits", 64 * 3 * 2, 10),
]


def train(net, data, gen, steps, rate, batch=384):
	"""Adam with a cosine rate."""
	strips, sizes, labels = data
	optimizer = torch.optim.Adam(net.parameters(), lr=rate, weight_decay=1e-5)
	schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
	seen = right = 0
	for step in range(steps):
		pick = torch.randint(len(strips), (batch,), generator=gen)
		cells = glyphs.make_cells(strips[pick], sizes[pick], gen, 1.0)
		logits = net(cells.float() / 255)["logits"]
		is_digit = labels[pick] != glyphs.NO_DIGIT
		which = F.one_hot(labels[pick].clamp(min=0), 10) * is_digit[:, None]
		loss = F.cross_entropy(logits[is_digit], labels[pick][is_digit], label_smoothing=0.05)
		loss = loss + F.binary_cross_entropy_with_logits(logits, which.float()) * 5
		optimizer.zero_grad()
		loss.backward()
		optimizer.step()
		schedule.step()
		answer = torch.where(logits.amax(1) > 0, logits.argmax(1), glyphs.NO_DIGIT)
		seen, right = seen + batch, right + int((answer == labels[pick]).sum())
		if step % 500 == 499:
			print(f"  step {step + 1}: {100 * right / seen:.2f} % of distorted training cells right", flush=True)
			seen = right = 0


def make_test(count, seed, strength, batch=16):
	"""`count` held-out cells and labels, digits and families in equal parts, in random order."""
	rng = np.random.default_rng(seed)
	gen = torch.Generator().manual_seed(seed)
	families = {}
	for font in glyphs.load_fonts("test"):
		families.setdefault(font.family, []).append(font)
	families = list(families.values())
	jobs = []
	for i in range(count):
		family = families[i // 10 % len(families)]
		jobs.append((family[i // 10 // len(families) % len(family)], i % 10))
	jobs = [jobs[i] for i in rng.permutation(count)]
	strips, sizes = [], []
	for font, digit in jobs:
		canvas, w, h = glyphs.strip_of_font(font, str(digit), rng)
		if rng.random() < 0.3:
			glyphs.add_rules(canvas, w, h, rng)
		strips.append(canvas)
		sizes.append((w, h))
	strips = torch.from_numpy(np.stack(strips)[:, None])
	sizes = torch.tensor(np.array(sizes, np.float32))
	cells = [glyphs.make_cells(strips[i:i + batch], sizes[i:i + batch], gen, strength) for i in range(0, count, batch)]
	return torch.cat(cells).numpy(), np.array([d for _, d in jobs]), [f.family for f, _ in jobs]


def write_onnx(path, layers):
	writer = qnet.Writer()
	writer.add_net(layers, "image")
	doc = ("Classifies grey pictures of one printed digit, 24 rows x 16 columns, uint8. logits: one uint8 per digit 0 to 9, "
	       "the greatest is the answer; if it is not above the zero point, there is no digit. Made by tools/models/reader/digits.py of nnloop from Debian's fonts.")
	qnet.save_model(path, writer, "digits",
			[helper.make_tensor_value_info("image", TensorProto.UINT8, ["N", 1, glyphs.H, glyphs.W])],
			[helper.make_tensor_value_info("logits", TensorProto.UINT8, ["N", 10])], doc)


def accuracy(layers, cells, labels):
	found = np.concatenate([qnet.run(layers, cells[i:i + 500])["logits"].argmax(1) for i in range(0, len(cells), 500)])
	return found, 100 * np.mean(found == labels)


def main():
	parser = argparse.ArgumentParser(description=__doc__)
	parser.add_argument("--steps", type=int, default=2400, help="training steps in float; a fifth more with fake quantization")
	parser.add_argument("--out", default=TESTS, help="folder to write to")
	args = parser.parse_args()
	start = time.time()
	torch.set_num_threads(2)
	torch.use_deterministic_algorithms(True)
	torch.manual_seed(1)
	gen = torch.Generator().manual_seed(2)
	glyphs.print_fonts()
	data = glyphs.make_strips(glyphs.load_fonts("train"), 6, 150, 5000, seed=3)
	print(f"{len(data[0])} strips; {qnet.macs(LAYERS, glyphs.H, glyphs.W)} multiply-accumulates per digit", flush=True)
	net = qnet.Net(LAYERS)
	train(net, data, gen, args.steps, 4e-3)
	net.eval()
	net.fold()

	def sample():
		pick = torch.randint(len(data[0]), (256,), generator=gen)
		return glyphs.make_cells(data[0][pick], data[1][pick], gen, 1.0).float() / 255

	net.calibrate([sample() for _ in range(20)])
	train(net, data, gen, args.steps // 5, 3e-4)
	net.weights["logits"].bias.data += LENIENCE
	net.ranges["logits"] = tuple(v + LENIENCE for v in net.ranges["logits"])
	layers = qnet.quantize(net, 1 / 255)

	cells, labels, _ = make_test(IMAGES, 4, 0.8)
	os.makedirs(args.out, exist_ok=True)
	path = os.path.join(args.out, "digits")
	write_onnx(path + ".onnx", layers)
	Image.fromarray(cells.reshape(-1, glyphs.W)).save(path + ".png", optimize=True)
	with open(path + ".labels", "w") as f:
		f.writelines(f"{l}\n" for l in labels)
	print(f"{path}.onnx: {os.path.getsize(path + '.onnx')} bytes, sha256 {qnet.sha256(path + '.onnx')}")
	print(f"quantized model: {accuracy(layers, cells, labels)[1]:.2f} % of the {IMAGES} held-out digits right")
	many, many_labels, families = make_test(6300, 5, 0.8)
	found, percent = accuracy(layers, many, many_labels)
	missed = np.mean(np.concatenate([qnet.run(layers, many[i:i + 500])["logits"].max(1) for i in range(0, len(many), 500)]) <= layers[-1]["zy"])
	print(f"quantized model: {percent:.2f} % of 6300 further held-out digits right; by family, lowest first:")
	families = np.array(families)
	rates = sorted((100 * np.mean((found == many_labels)[families == f]), f) for f in set(families))
	print("  " + ", ".join(f"{f} {rate:.1f}" for rate, f in rates))
	print(f"  taken for no digit: {100 * missed:.2f} %")
	strips, sizes, _ = glyphs.make_strips(glyphs.load_fonts("test"), 0, 0, 2000, seed=6)
	nothing = torch.cat([glyphs.make_cells(strips[i:i + 16], sizes[i:i + 16], torch.Generator().manual_seed(i), 0.8) for i in range(0, 2000, 16)])
	rejected = np.mean(qnet.run(layers, nothing.numpy())["logits"].max(1) <= layers[-1]["zy"])
	print(f"  of 2000 letters, gaps and bare papers {100 * rejected:.2f} % taken for no digit")
	print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
	main()
