# SPDX-License-Identifier: MIT
"""Whole models of torchvision and timm with random weights, exported by both exporters and quantized in several ways by the lines of docs/models.md,
run by nnloop and judged by ONNX Runtime at both levels; of what differs the first tensor that does.

usage: whole.py [--work DIR] [--ways WAY,...] [--exporters old,new] [--again] NNLOOP MODEL...

MODEL is NAME or NAME:SIZE, a model of torchvision or else of timm and the height of its pictures (default 64), or one of this file's own. Prints a
line for each: equal to the runtime, and to which level; within what the runtime's own results are apart, at these levels and of 16 bits with other
kernels and threads; differs; refused. Exit status: 1 if any differs by more than that, or is refused.

It needs timm beside what torch.txt has.
"""
import argparse
import collections
import contextlib
import itertools
import logging
import os
import subprocess
import sys
import warnings

import numpy as np
import onnxruntime
import torch
import torchvision
from torch import nn

import from_torch
import page

# What is written otherwise than on the page.
WAYS = {
	"u8": {},
	"u8_tensor": {"per_channel=True": "per_channel=False"},
	"s8": {"QuantType.QUInt8": "QuantType.QInt8"},
	"s8_tensor": {"QuantType.QUInt8": "QuantType.QInt8", "per_channel=True": "per_channel=False"},
	"u8_u8": {"weight_type=QuantType.QInt8": "weight_type=QuantType.QUInt8", "per_channel=True": "per_channel=False"},
	"u16": {"activation_type=QuantType.QUInt8": "activation_type=QuantType.QUInt16"},
	"u16_u8": {"activation_type=QuantType.QUInt8": "activation_type=QuantType.QUInt16", "weight_type=QuantType.QInt8": "weight_type=QuantType.QUInt8",
		   "per_channel=True": "per_channel=False"},
	"s16": {"activation_type=QuantType.QUInt8": "activation_type=QuantType.QInt16"},
	"qoperator": {"QuantFormat.QDQ": "QuantFormat.QOperator"},
}
WHAT = ("equal", "within", "differs", "refused", "not made")
EQUAL = "each item is equal to the level without optimizations"
ITEMS = 2
SECTION = "Where a model differs"
ALL, NONE = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
LEVELS = {"with optimizations": (ALL,), "without": (NONE,)}
# Without it the runtime leaves most operators of int8 in float32 at both levels.
INT8 = {"with int8 allowed": (ALL, 1, ("session.qdqisint8allowed",))}
# What else the runtime makes of activations of 16 bits, which it computes in float32 at both levels.
WIDE = {"with 3 threads": (NONE, 3), "with its other kernels": (ALL, 1, ("session.disable_quant_qdq",))}


def conv(cin, out, size=3, stride=1):
	return nn.Sequential(nn.Conv2d(cin, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out), nn.SiLU())


class C2f(nn.Module):
	"""YOLOv8's block: halves, one of which goes through bottlenecks, whose outputs are joined."""
	def __init__(self, cin, out, count=1):
		super().__init__()
		self.into, self.out = conv(cin, out, 1), conv((2 + count) * (out // 2), out, 1)
		self.steps = nn.ModuleList(nn.Sequential(conv(out // 2, out // 2), conv(out // 2, out // 2)) for _ in range(count))

	def forward(self, x):
		parts = list(self.into(x).chunk(2, 1))
		for step in self.steps:
			parts.append(parts[-1] + step(parts[-1]))
		return self.out(torch.cat(parts, 1))


class C2fDfl(nn.Module):
	"""And its head: boxes whose sides are the mean of 16 bins."""
	def __init__(self):
		super().__init__()
		self.body = nn.Sequential(conv(3, 16, stride=2), conv(16, 32, stride=2), C2f(32, 32), conv(32, 64, stride=2), C2f(64, 64, 2))
		self.boxes = nn.Sequential(conv(64, 64), nn.Conv2d(64, 64, 1))
		self.classes = nn.Sequential(conv(64, 64), nn.Conv2d(64, 8, 1))
		self.bins = nn.Conv2d(16, 1, 1, bias=False)
		self.bins.weight.data[:] = torch.arange(16.0).view(1, 16, 1, 1)

	def forward(self, x):
		x = self.body(x)
		boxes, classes = self.boxes(x).flatten(2), self.classes(x).flatten(2)
		boxes = self.bins(boxes.view(boxes.shape[0], 4, 16, boxes.shape[2]).transpose(2, 1).softmax(1)).view(boxes.shape[0], 4, boxes.shape[2])
		return torch.cat([boxes, classes.sigmoid()], 1)


class Segmentation(nn.Module):
	"""A model of torchvision.models.segmentation, whose output is in a dictionary."""
	def __init__(self, name):
		super().__init__()
		self.body = getattr(torchvision.models.segmentation, name)(weights=None, weights_backbone=None, num_classes=5)

	def forward(self, x):
		return self.body(x)["out"]


class UNet(nn.Module):
	"""With one way up by a transposed convolution, and one by a bilinear resize."""
	def __init__(self):
		super().__init__()
		self.top, self.middle, self.low = self.twice(3, 12), self.twice(12, 24), self.twice(24, 32)
		self.up, self.join, self.last = nn.ConvTranspose2d(32, 24, 2, 2), self.twice(48, 24), self.twice(36, 12)
		self.out = nn.Conv2d(12, 2, 1)

	@staticmethod
	def twice(cin, out):
		parts = []
		for a in (cin, out):
			parts += [nn.Conv2d(a, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU()]
		return nn.Sequential(*parts)

	def forward(self, x):
		top = self.top(x)
		middle = self.middle(nn.functional.max_pool2d(top, 2))
		x = self.join(torch.cat([self.up(self.low(nn.functional.max_pool2d(middle, 2))), middle], 1))
		x = nn.functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)
		return self.out(self.last(torch.cat([x, top], 1)))


OWN = {"c2f_dfl": C2fDfl, "u_net": UNet}


def build(name, size):
	"""As if trained: normalizations are not all alike."""
	if name in OWN:
		model = OWN[name]()
	elif hasattr(torchvision.models.segmentation, name):
		model = Segmentation(name)
	elif hasattr(torchvision.models, name):
		model = getattr(torchvision.models, name)(weights=None, num_classes=10)
	else:
		import timm
		options = {"img_size": size} if name.startswith(("vit", "deit", "swin", "mixer", "resmlp", "cait", "xcit", "beit", "poolformer_")) else {}
		model = timm.create_model(name, pretrained=False, num_classes=10, **options)
	for module in model.modules():
		if isinstance(module, nn.BatchNorm2d):
			module.running_mean.normal_(0, 0.2)
			module.running_var.uniform_(0.5, 1.5)
			module.weight.data.uniform_(0.7, 1.3)
			module.bias.data.normal_(0, 0.2)
	return model


def trace(nnloop, item):
	"""Has nnloop compare look for the first tensor that differs, of one item and without optimizations."""
	np.save("input.npy", item)
	subprocess.run(["rm", "-rf", "tensors"], check=True)
	page.run(page.block(SECTION, "onnxruntime as ort"), {})
	with open("compare.txt", "w") as file:
		subprocess.run([nnloop, "compare", "--device", "host", "model.onnx", "input.npy", "--with", "tensors"], stdout=file, stderr=file, check=False)
	subprocess.run(["rm", "-rf", "tensors"], check=True)


def read_first():
	with open("compare.txt") as file:
		lines = [line.strip() for line in file if line[0] in " 0123456789"]
	return " | ".join([*lines[1:2], lines[-1]]) if len(lines) > 2 else EQUAL


def judge(nnloop, x, way):
	"""Whether it is right, what it is, and a sentence about that."""
	np.save("x.npy", x)
	run = subprocess.run([nnloop, "run", "--device", "host", "--quiet", "--real", "--output", "y.npy", "model.onnx", "x.npy"],
			     capture_output=True, text=True, check=False)
	if run.returncode:
		return False, "refused", run.stderr.strip()
	y = np.load("y.npy")
	levels = {**LEVELS, **(INT8 if way.startswith("s8") else {})}
	made = {name: from_torch.run_runtime(x, *level) for name, level in levels.items()}
	plain = made["without"]
	if y.shape != plain.shape:
		return False, "differs", f"of {y.shape}, not {plain.shape}"
	scale = from_torch.find_scale(plain)
	steps = lambda a, b: np.rint(np.abs(a.astype(np.float64) - b) / scale)
	tell = lambda off: f"{int((off > 0).sum())} of {off.size} by {off.max():g}"
	off = {name: steps(y, of) for name, of in made.items()}
	equal = [name for name in off if not off[name].any()]
	if equal:
		return True, "equal", " and ".join(equal)
	if "16" in way:
		made.update((name, from_torch.run_runtime(x, *other)) for name, other in WIDE.items())
	apart = {name: steps(of, plain) for name, of in made.items() if of is not plain}
	least, most = min(of.max() for of in off.values()), max(steps(a, b).max() for a in made.values() for b in made.values())
	text = ", ".join(f"{tell(of)} {name}" for name, of in off.items())
	text += f"; the runtime's own are up to {most:g} apart, from that without: " + ", ".join(f"{tell(of)} {name}" for name, of in apart.items())
	return least <= most, "within" if least <= most else "differs", text


def run(nnloop, name, size, way, exporter, again):
	"""In its folder: whether it is right, what it is, and a sentence about that."""
	if again and os.path.exists("x.npy"):
		x = np.load("x.npy")
	else:
		try:
			x = from_torch.convert(lambda: build(name, size), (3, size, size), exporter, page.change(WAYS[way]))[:ITEMS]
		except Exception as error:  # exporters and the quantizer know not all
			return True, "not made", str(error).strip().splitlines()[0]
	right, what, text = judge(nnloop, x, way)
	if what in ("within", "differs"):
		for item in x if not again or not os.path.exists("compare.txt") else ():
			trace(nnloop, item[None])
			if read_first() != EQUAL:
				break
		text += "; " + read_first()
	return right, what, text


def run_all(nnloop, args):
	failed, counts = 0, {way: collections.Counter() for way in args.ways.split(",")}
	for word, way, exporter in itertools.product(args.models, counts, args.exporters.split(",")):
		name, size = (word.split(":") + ["64"])[:2]
		folder = os.path.join(args.work, f"{name}-{way}-{exporter}")
		os.makedirs(folder, exist_ok=True)
		with contextlib.chdir(folder):
			right, what, text = run(nnloop, name, int(size), way, exporter, args.again)
		failed += not right
		counts[way][what] += 1
		print(f"{what}: {name}, {way}, {exporter} exporter: {text}", flush=True)
	print(f"\n| way | {' | '.join(WHAT)} |\n|---|{'---|' * len(WHAT)}")
	for way, count in counts.items():
		print(f"| {way} | {' | '.join(str(count[what]) for what in WHAT)} |")
	return failed > 0


def main():
	parser = argparse.ArgumentParser(description="Runs whole models by the lines of docs/models.md.")
	parser.add_argument("--work", default="build/whole", help="where models are written")
	parser.add_argument("--ways", default=",".join(WAYS), help="how they are quantized")
	parser.add_argument("--exporters", default=",".join(from_torch.EXPORTERS))
	parser.add_argument("--again", action="store_true", help="judge what is there already, without making it anew")
	parser.add_argument("nnloop")
	parser.add_argument("models", nargs="+")
	args = parser.parse_args()
	warnings.filterwarnings("ignore")
	logging.disable(logging.WARNING)
	torch.set_num_threads(1)
	return run_all(os.path.abspath(args.nnloop), args)


if __name__ == "__main__":
	sys.exit(main())
