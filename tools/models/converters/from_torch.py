# SPDX-License-Identifier: MIT
"""PyTorch's models with random weights, exported by both exporters and quantized by the very lines of docs/models.md, run by nnloop and judged by
ONNX Runtime with and without its optimizations.

usage: from_torch.py [--work DIR] NNLOOP [MODEL...]

A result is right if it is that of one of the two levels, or as near to one of them as they are to each other: a float sum that is a tie can
be rounded either way, and what lies behind it then differs. Exit status: 1 if any is wrong, or refused.
"""
import argparse
import contextlib
import io
import logging
import os
import subprocess
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
import torchvision
from torch import nn

import page

SECTION = "From PyTorch, or any ONNX file"
EXPORTERS = {"old": "dynamo=False", "new": "dynamo=True"}
ITEMS, EXAMPLES = 3, 6


class UNet(nn.Module):
	def __init__(self):
		super().__init__()
		self.down, self.deep = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU()), nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
		self.up, self.out = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 2, 1)

	def forward(self, x):
		x = self.down(x)
		return self.out(torch.cat([x, self.up(self.deep(nn.functional.max_pool2d(x, 2)))], 1))


class TemporalNet(nn.Module):
	def __init__(self):
		super().__init__()
		self.layers = nn.ModuleList(nn.Conv1d(16 if i else 4, 16, 3, dilation=2 ** i) for i in range(3))
		self.out = nn.Linear(16, 5)

	def forward(self, x):
		for i, layer in enumerate(self.layers):
			y = torch.relu(layer(nn.functional.pad(x, (2 ** (i + 1), 0))))
			x = y + x if i else y
		return self.out(x.mean(2))


class Encoder(nn.Module):
	def __init__(self):
		super().__init__()
		layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
		self.into, self.place = nn.Linear(8, 32), nn.Parameter(torch.randn(1, 12, 32) / 10)
		self.layers, self.out = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(32, 4)

	def forward(self, x):
		return self.out(self.layers(self.into(x) + self.place).mean(1))


def normalizations():
	return nn.Sequential(nn.Conv2d(3, 16, 3), nn.InstanceNorm2d(16, affine=True), nn.SiLU(), nn.Conv2d(16, 32, 3, 2), nn.GroupNorm(4, 32),
			     nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 7))


def of_torchvision(name, **options):
	return lambda: getattr(torchvision.models, name)(weights=None, num_classes=10, **options)


MODELS = {
	"mobilenet_v2": (of_torchvision("mobilenet_v2"), (3, 64, 64)),
	"mobilenet_v3_small": (of_torchvision("mobilenet_v3_small"), (3, 64, 64)),
	"resnet18": (of_torchvision("resnet18"), (3, 64, 64)),
	"shufflenet_v2": (of_torchvision("shufflenet_v2_x0_5"), (3, 64, 64)),
	"squeezenet1_1": (of_torchvision("squeezenet1_1"), (3, 64, 64)),
	"vision_transformer": (lambda: torchvision.models.VisionTransformer(32, 8, 2, 4, 48, 96, num_classes=10), (3, 32, 32)),
	"u_net": (UNet, (3, 32, 32)),
	"temporal_net": (TemporalNet, (4, 40)),
	"transformer_encoder": (Encoder, (12, 8)),
	"normalizations": (normalizations, (3, 24, 24)),
}


def convert(build, shape, exporter, change=str):
	"""Writes model.onnx here, by the page's lines as `change` makes them, and returns inputs of a few items."""
	torch.manual_seed(7)
	rng = np.random.default_rng(7)
	arrays = [rng.standard_normal((1, *shape)).astype(np.float32) for _ in range(EXAMPLES)]
	names = {"model": build(), "example": torch.randn(2, *shape), "arrays": arrays}
	with contextlib.redirect_stdout(io.StringIO()):
		page.run(page.block(SECTION, EXPORTERS[exporter]), names)
		page.run(change(page.block(SECTION, "quantize_static(")), names)
	return rng.standard_normal((ITEMS, *shape)).astype(np.float32)


def open_session(level, threads, settings):
	options = onnxruntime.SessionOptions()
	options.graph_optimization_level, options.log_severity_level, options.intra_op_num_threads = level, 4, threads
	for name in settings:
		options.add_session_config_entry(name, "1")
	return onnxruntime.InferenceSession("model.onnx", options, providers=["CPUExecutionProvider"])


def run_runtime(x, level, threads=1, settings=()):
	try:  # so that sums do not saturate, on any processor
		session = open_session(level, threads, ("session.x64quantprecision", *settings))
	except Exception:  # it stops where two nodes have the same weights
		session = open_session(level, threads, settings)
	name = session.get_inputs()[0].name
	return np.concatenate([session.run(None, {name: item[None]})[0] for item in x])


def find_scale(y):
	"""What a step of the output is; where it comes out in float, what float sums leave open of it."""
	graph = onnx.load("model.onnx").graph
	makers = {output: node for node in graph.node for output in node.output}
	node = makers[graph.output[0].name]
	for constant in graph.initializer:
		if node.op_type == "DequantizeLinear" and constant.name == node.input[1]:
			return float(onnx.numpy_helper.to_array(constant))
	return float(np.abs(y).max()) * 1e-5


def judge(nnloop, name, exporter):
	"""Returns whether it is right, and what it is."""
	x = convert(*MODELS[name], exporter)
	np.save("x.npy", x)
	run = subprocess.run([nnloop, "run", "--device", "host", "--quiet", "--real", "--output", "y.npy", "model.onnx", "x.npy"],
			     capture_output=True, text=True, check=False)
	if run.returncode:
		return False, "refused: " + run.stderr.strip()
	y = np.load("y.npy")
	levels = onnxruntime.GraphOptimizationLevel
	plain, best = (run_runtime(x, level) for level in (levels.ORT_DISABLE_ALL, levels.ORT_ENABLE_ALL))
	scale = find_scale(plain)
	steps = lambda a, b: float(np.rint(np.abs(a.astype(np.float64) - b) / scale).max())
	if y.shape != plain.shape:
		return False, f"of {y.shape}, not {plain.shape}"
	off = {"without optimizations": steps(y, plain), "with optimizations": steps(y, best)}
	equal = [level for level, count in off.items() if not count]
	if equal:
		return True, "equal " + " and ".join(equal)
	apart, least = steps(plain, best), min(off.values())
	return least <= max(apart, 1), f"{least:g} steps away; both levels are {apart:g} steps apart"


def main():
	parser = argparse.ArgumentParser(description="Runs PyTorch's models by the lines of docs/models.md.")
	parser.add_argument("--work", default="build/converters/torch", help="where models are written")
	parser.add_argument("nnloop")
	parser.add_argument("models", nargs="*", choices=[[], *MODELS])
	args = parser.parse_args()
	nnloop, failed = os.path.abspath(args.nnloop), 0
	warnings.filterwarnings("ignore")
	logging.disable(logging.WARNING)
	torch.set_num_threads(1)
	for name in args.models or MODELS:
		for exporter in EXPORTERS:
			folder = os.path.join(args.work, f"{name}-{exporter}")
			os.makedirs(folder, exist_ok=True)
			with contextlib.chdir(folder):
				right, text = judge(nnloop, name, exporter)
			failed += not right
			print(f"{'ok' if right else 'not ok'}: {name}, {exporter} exporter: {text}", flush=True)
	return failed > 0


if __name__ == "__main__":
	sys.exit(main())
