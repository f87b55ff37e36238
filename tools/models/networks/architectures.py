#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Small models of the architectures that people have, quantized in four ways, on nnloop's host device against ONNX Runtime: `make architectures`.

usage: architectures.py [--only NAME,...] [--work DIR] [--runner PROGRAM] [--save]

Weights are random and the models are narrow, but their operators, and the way in which exporters write them, are those of the real ones.
static_quantize.py quantizes them as ONNX Runtime's tool does. ONNX Runtime with optimizations off is the judge, as in
random_onnx/fuzz.py; tests/e2e/golden.c runs each as it is, optimized, and in a loop of one item a pass.

Writes DIR/report.md: for each model and each way *equal*, *near* (a sum in float that has no twin, no element more than one step off), *refused* or *wrong*, and the
reasons. With --save the models are written to DIR, too. Its exit status is 0 if none is wrong.
"""
import argparse
import collections
import os
import re
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np

from common import cases
import random_onnx.fuzz
from networks.static_quantize import WAYS, Net, quantize


# ---- parts ----

def conv(n, x, out, k=3, stride=1, group=1, act="Relu", pad=None, dilation=1):
	cin = n.channels[x]
	pad = k // 2 * dilation if pad is None else pad
	w = n.const(n.rng.normal(0, (2 / (cin // group * k * k)) ** 0.5, (out, cin // group, k, k)), np.float32)
	b = n.const(n.rng.normal(0, 0.1, out), np.float32)
	attrs = {"kernel_shape": [k, k], "strides": [stride] * 2, "pads": [pad] * 4, "group": group, "dilations": [dilation] * 2}
	return activate(n, n.node("Conv", [x, w, b], out, **attrs), act)


def activate(n, x, act):
	if act is None:
		return x
	if act == "Relu6":
		return n.node("Clip", [x, n.const(0, np.float32), n.const(6, np.float32)])
	if act == "SiLU":
		return n.node("Mul", [x, n.node("Sigmoid", [x])])
	if act == "HardSwish":  # as of opset 13
		return n.node("Mul", [x, n.node("HardSigmoid", [x], alpha=1 / 6, beta=0.5)])
	if act == "LeakyRelu":
		return n.node("LeakyRelu", [x], alpha=0.1)
	if act == "Gelu":
		inner = n.node("Add", [n.node("Erf", [n.node("Div", [x, n.const(2 ** 0.5, np.float32)])]), n.const(1, np.float32)])
		return n.node("Mul", [n.node("Mul", [x, inner]), n.const(0.5, np.float32)])
	return n.node(act, [x])


def linear(n, x, out, bias=True):
	w = n.const(n.rng.normal(0, n.channels[x] ** -0.5, (out, n.channels[x])), np.float32)
	return n.node("Gemm", [x, w, *([n.const(n.rng.normal(0, 0.1, out), np.float32)] if bias else [])], out, transB=1)


def dense(n, x, out):
	"""A linear layer of tensors with more than two dimensions."""
	w = n.const(n.rng.normal(0, n.channels[x] ** -0.5, (n.channels[x], out)), np.float32)
	return n.node("Add", [n.node("MatMul", [x, w], out), n.const(n.rng.normal(0, 0.1, out), np.float32)])


def pool(n, x, op="MaxPool", k=2, stride=2, pad=0):
	return n.node(op, [x], kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4)


def add(n, a, b, act="Relu"):
	return activate(n, n.node("Add", [a, b]), act)


def concat(n, *parts, axis=1):
	return n.node("Concat", parts, sum(n.channels[p] for p in parts), axis=axis)


def head(n, x, classes=10):
	"""Pool, flatten, classify."""
	return linear(n, n.node("Flatten", [n.node("GlobalAveragePool", [x])]), classes)


def reshape(n, x, shape, channels=None):
	return n.node("Reshape", [x, n.const(shape, np.int64)], channels)


def transpose(n, x, perm, channels=None):
	return n.node("Transpose", [x], channels, perm=perm)


def upsample(n, x, mode="nearest"):
	attrs = {"mode": mode, "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else "half_pixel"}
	if mode == "nearest":
		attrs["nearest_mode"] = "floor"
	return n.node("Resize", [x, "", n.const([1, 1, 2, 2], np.float32)], **attrs)


def squeeze_excite(n, x, inner="Relu", outer="HardSigmoid"):
	c = n.channels[x]
	s = conv(n, conv(n, n.node("GlobalAveragePool", [x]), max(4, c // 4), 1, act=inner), c, 1, act=None)
	s = n.node("HardSigmoid", [s], alpha=1 / 6, beta=0.5) if outer == "HardSigmoid" else n.node(outer, [s])
	return n.node("Mul", [x, s])


def separable(n, x, out, stride=1, act="Relu"):
	return conv(n, conv(n, x, n.channels[x], 3, stride, n.channels[x], act), out, 1, act=act)


def inverted(n, x, out, stride=1, expand=3, act="Relu6", k=3, excite=False):
	c = n.channels[x]
	y = conv(n, conv(n, x, c * expand, 1, act=act), c * expand, k, stride, c * expand, act)
	if excite:
		y = squeeze_excite(n, y)
	y = conv(n, y, out, 1, act=None)
	return n.node("Add", [x, y]) if stride == 1 and c == out else y


def basic_block(n, x, out, stride=1):
	y = conv(n, conv(n, x, out, 3, stride), out, act=None)
	return add(n, y, x if stride == 1 and n.channels[x] == out else conv(n, x, out, 1, stride, act=None))


def bottleneck(n, x, out, stride=1):
	y = conv(n, conv(n, conv(n, x, out // 4, 1), out // 4, 3, stride), out, 1, act=None)
	return add(n, y, x if stride == 1 and n.channels[x] == out else conv(n, x, out, 1, stride, act=None))


# ---- architectures ----

def mobilenet_v1(n):
	x = conv(n, n.input([2, 3, 32, 32]), 8, stride=2)
	for out, stride in ((16, 1), (24, 2), (24, 1), (32, 2)):
		x = separable(n, x, out, stride)
	n.output(n.node("Softmax", [head(n, x)], axis=1))


def mobilenet_v2(n):
	x = conv(n, n.input([2, 3, 32, 32]), 8, stride=2, act="Relu6")
	for out, stride in ((8, 1), (16, 2), (16, 1), (24, 2)):
		x = inverted(n, x, out, stride)
	n.output(head(n, conv(n, x, 40, 1, act="Relu6")))


def mobilenet_v3(n):
	x = conv(n, n.input([2, 3, 32, 32]), 8, stride=2, act="HardSwish")
	for out, stride, act, excite in ((8, 1, "Relu", True), (16, 2, "HardSwish", False), (16, 1, "HardSwish", True)):
		x = inverted(n, x, out, stride, 3, act, 5 if excite else 3, excite)
	x = n.node("Flatten", [n.node("GlobalAveragePool", [conv(n, x, 40, 1, act="HardSwish")])])
	n.output(linear(n, activate(n, linear(n, x, 32), "HardSwish"), 10))


def resnet18(n):
	x = pool(n, conv(n, n.input([2, 3, 48, 48]), 8, 7, 2), k=3, pad=1)
	for out, stride in ((8, 1), (8, 1), (16, 2), (16, 1), (24, 2)):
		x = basic_block(n, x, out, stride)
	n.output(head(n, x))


def resnet50(n):
	x = pool(n, conv(n, n.input([2, 3, 48, 48]), 8, 7, 2), k=3, pad=1)
	for out, stride in ((16, 1), (16, 1), (32, 2), (32, 1)):
		x = bottleneck(n, x, out, stride)
	n.output(head(n, x))


def squeezenet(n):
	x = pool(n, conv(n, n.input([2, 3, 40, 40]), 16, 3, 2, pad=0), k=3)
	for squeeze, expand in ((4, 12), (4, 12), (8, 16)):
		s = conv(n, x, squeeze, 1)
		x = concat(n, conv(n, s, expand, 1), conv(n, s, expand, 3))
	x = conv(n, n.node("Dropout", [x]), 10, 1)
	n.output(n.node("Flatten", [n.node("GlobalAveragePool", [x])]))


def efficientnet_lite(n):
	x = conv(n, n.input([2, 3, 32, 32]), 8, stride=2, act="Relu6")
	for out, stride, k in ((8, 1, 3), (12, 2, 5), (12, 1, 5), (20, 2, 3)):
		x = inverted(n, x, out, stride, 4, "Relu6", k)
	n.output(head(n, conv(n, x, 40, 1, act="Relu6")))


def inception(n):
	x = conv(n, n.input([2, 3, 32, 32]), 12, stride=2)
	for _ in range(2):
		branch = conv(n, conv(n, x, 6, 1), 8, 5)
		tower = conv(n, conv(n, conv(n, x, 6, 1), 8), 8)
		x = concat(n, conv(n, x, 8, 1), branch, tower, conv(n, pool(n, x, "AveragePool", 3, 1, 1), 6, 1))
	n.output(head(n, concat(n, pool(n, x, k=3, stride=2), conv(n, x, 16, 3, 2, pad=0))))


def shuffle(n, x, groups, side):
	c = n.channels[x]
	y = reshape(n, x, [-1, groups, c // groups, side, side])
	return reshape(n, transpose(n, y, [0, 2, 1, 3, 4]), [-1, c, side, side], c)


def shufflenet(n):
	x = conv(n, n.input([2, 3, 32, 32]), 16, stride=2)
	for _ in range(2):
		left, right = n.node("Split", [x, n.const([8, 8], np.int64)], 8, 2, axis=1)
		right = conv(n, conv(n, conv(n, right, 8, 1), 8, 3, 1, 8, None), 8, 1)
		x = shuffle(n, concat(n, left, right), 2, 16)
	n.output(head(n, conv(n, conv(n, x, 24, 1, group=4), 24, 3, 2, 24, None)))


def c3(n, x, act):
	y = conv(n, x, 8, 1, act=act)
	y = n.node("Add", [y, conv(n, conv(n, y, 8, 1, act=act), 8, 3, act=act)])
	return conv(n, concat(n, y, conv(n, x, 8, 1, act=act)), 16, 1, act=act)


def yolov5(n, act):
	x = conv(n, n.input([2, 3, 32, 32]), 8, 6, 2, act=act, pad=2)
	low = c3(n, conv(n, x, 16, 3, 2, act=act), act)
	x = conv(n, conv(n, low, 16, 3, 2, act=act), 8, 1, act=act)
	a = pool(n, x, k=5, stride=1, pad=2)
	b = pool(n, a, k=5, stride=1, pad=2)
	x = conv(n, concat(n, x, a, b, pool(n, b, k=5, stride=1, pad=2)), 16, 1, act=act)
	x = c3(n, concat(n, upsample(n, x), low), act)
	y = conv(n, x, 3 * 7, 1, act=None)
	y = transpose(n, reshape(n, y, [-1, 3, 7, 8, 8]), [0, 1, 3, 4, 2], 7)
	n.output(reshape(n, n.node("Sigmoid", [y]), [-1, 3 * 64, 7]))


def yolov5_silu(n):
	yolov5(n, "SiLU")


def yolov5_relu(n):
	yolov5(n, "Relu")


def yolox(n):
	"""Its input is a picture as it is, not normalized: each quarter of it that is quantized by itself has the same range."""
	x = n.input([2, 3, 32, 32], pixels=True)
	cuts = []
	for row, column in ((0, 0), (1, 0), (0, 1), (1, 1)):  # Focus
		y = n.node("Slice", [x, *(n.const([v], np.int64) for v in (row, 2 ** 63 - 1, 2, 2))], 3)
		cuts.append(n.node("Slice", [y, *(n.const([v], np.int64) for v in (column, 2 ** 63 - 1, 3, 2))], 3))
	x = conv(n, concat(n, *cuts), 8, act="SiLU")
	x = c3(n, conv(n, x, 16, 3, 2, act="SiLU"), "SiLU")
	boxes, seen, classes = conv(n, x, 4, 1, act=None), conv(n, x, 1, 1, act="Sigmoid"), conv(n, x, 3, 1, act="Sigmoid")
	y = concat(n, boxes, seen, classes)
	n.output(transpose(n, reshape(n, y, [-1, 8, 64]), [0, 2, 1], 8))


def ssd_head(n):
	x = conv(n, conv(n, n.input([2, 3, 32, 32]), 12, stride=2), 16, stride=2)
	boxes, scores = [], []
	for side in (8, 4):
		for made, width in ((boxes, 4), (scores, 5)):
			y = transpose(n, conv(n, x, 3 * width, act=None), [0, 2, 3, 1])
			made.append(reshape(n, y, [-1, side * side * 3, width], width))
		x = conv(n, x, 16, stride=2)
	n.output(n.node("Concat", boxes, 4, axis=1), n.node("Softmax", [n.node("Concat", scores, 5, axis=1)], axis=2))


def unet(n):
	x = n.input([2, 1, 32, 32])
	a = conv(n, conv(n, x, 8), 8)
	b = conv(n, conv(n, pool(n, a), 16), 16)
	x = conv(n, pool(n, b), 24)
	for skip, out in ((b, 16), (a, 8)):
		w = n.const(n.rng.normal(0, 0.1, (n.channels[x], out, 2, 2)), np.float32)
		up = n.node("ConvTranspose", [x, w, n.const(n.rng.normal(0, 0.1, out), np.float32)], out, kernel_shape=[2, 2], strides=[2, 2])
		x = conv(n, concat(n, up, skip), out)
	n.output(n.node("Sigmoid", [conv(n, x, 1, 1, act=None)]))


def deeplab(n):
	x = conv(n, conv(n, n.input([2, 3, 32, 32]), 8, stride=2, act="Relu6"), 16, stride=2, act="Relu6")
	image = conv(n, n.node("GlobalAveragePool", [x]), 8, 1)
	image = n.node("Resize", [image, "", n.const([1, 1, 8, 8], np.float32)], mode="nearest")
	x = concat(n, conv(n, x, 8, 1), conv(n, x, 8, dilation=2), conv(n, x, 8, dilation=3), image)
	x = conv(n, conv(n, x, 16, 1), 4, 1, act=None)
	n.output(upsample(n, upsample(n, x, "linear"), "linear"))


def espcn(n):
	x = conv(n, conv(n, n.input([2, 1, 24, 24]), 12, 5, act="Tanh"), 8, act="Tanh")
	n.output(n.node("DepthToSpace", [conv(n, x, 4, act=None)], 1, blocksize=2, mode="CRD"))


def layer_norm(n, x):
	"""As PyTorch writes it before opset 17."""
	d = n.node("Sub", [x, n.node("ReduceMean", [x], axes=[-1])])
	v = n.node("ReduceMean", [n.node("Pow", [d, n.const(2, np.float32)])], axes=[-1])
	y = n.node("Div", [d, n.node("Sqrt", [n.node("Add", [v, n.const(1e-5, np.float32)])])])
	y = n.node("Mul", [y, n.const(n.rng.uniform(0.5, 1.5, n.channels[x]), np.float32)])
	return n.node("Add", [y, n.const(n.rng.normal(0, 0.1, n.channels[x]), np.float32)])


def attention(n, x, tokens, dim, heads):
	parts = [transpose(n, reshape(n, dense(n, x, dim), [-1, tokens, heads, dim // heads]), [0, 2, 1, 3] if i != 1 else [0, 2, 3, 1]) for i in range(3)]
	scores = n.node("Mul", [n.node("MatMul", parts[:2]), n.const((dim // heads) ** -0.5, np.float32)])
	y = n.node("MatMul", [n.node("Softmax", [scores], axis=-1), parts[2]])
	return dense(n, reshape(n, transpose(n, y, [0, 2, 1, 3]), [-1, tokens, dim], dim), dim)


def vit_block(n):
	x = conv(n, n.input([2, 3, 16, 16]), 16, 4, 4, pad=0, act=None)
	x = transpose(n, reshape(n, x, [-1, 16, 16]), [0, 2, 1], 16)
	x = n.node("Add", [x, n.const(n.rng.normal(0, 0.3, (1, 16, 16)), np.float32)])
	x = n.node("Add", [x, attention(n, layer_norm(n, x), 16, 16, 2)])
	y = activate(n, dense(n, layer_norm(n, x), 32), "Gelu")
	x = n.node("Add", [x, dense(n, y, 16)])
	n.output(linear(n, n.node("ReduceMean", [layer_norm(n, x)], axes=[1], keepdims=0), 10))


def ds_cnn(n):
	x = conv(n, n.input([3, 1, 24, 10]), 16, 4, 2, pad=1)
	for _ in range(3):
		x = separable(n, x, 16)
	x = n.node("AveragePool", [x], kernel_shape=[12, 5])
	n.output(n.node("Softmax", [linear(n, n.node("Flatten", [x]), 12)], axis=1))


def autoencoder(n):
	x = n.input([4, 80])
	for width in (32, 32, 8, 32, 32):
		x = n.node("Relu", [linear(n, x, width)])
	n.output(linear(n, x, 80))


def autoencoder_conv(n):
	x = conv(n, conv(n, n.input([2, 1, 28, 28]), 8, 3, 2), 12, 3, 2)
	for out, act in ((8, "Relu"), (1, "Sigmoid")):
		w = n.const(n.rng.normal(0, 0.1, (n.channels[x], out, 3, 3)), np.float32)
		x = n.node("ConvTranspose", [x, w, n.const(n.rng.normal(0, 0.1, out), np.float32)], out, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4,
			   output_padding=[1, 1])
		x = n.node(act, [x])
	n.output(x)


def se_block(n):
	x = squeeze_excite(n, conv(n, n.input([2, 3, 16, 16]), 16), "Relu", "Sigmoid")
	n.output(head(n, conv(n, x, 16)))


def conv1d(n):
	x = n.input([3, 4, 64])
	n.channels[x] = 4
	for out, stride in ((8, 1), (12, 2), (12, 2)):
		w = n.const(n.rng.normal(0, 0.3, (out, n.channels[x], 5)), np.float32)
		x = n.node("Conv", [x, w, n.const(n.rng.normal(0, 0.1, out), np.float32)], out, kernel_shape=[5], strides=[stride], pads=[2, 2])
		x = n.node("Relu", [x])
	n.output(linear(n, n.node("Flatten", [n.node("GlobalAveragePool", [x])]), 5))


# ---- exports with computed shapes ----

def batch_of(n, x):
	shape = n.node("Shape", [x], integers=True)
	return n.node("Gather", [shape, n.const(0, np.int64)], integers=True, axis=0)


def joined(n, *numbers):
	"""Numbers as a shape: scalars that are computed, and constants."""
	axes = n.const([0], np.int64)
	parts = [n.node("Unsqueeze", [v, axes], integers=True) if isinstance(v, str) else n.const([v], np.int64) for v in numbers]
	return n.node("Concat", parts, integers=True, axis=0)


def view(n):
	"""x.view(x.size(0), -1)"""
	x = pool(n, conv(n, n.input([2, 3, 16, 16]), 8))
	n.output(linear(n, n.node("Reshape", [x, joined(n, batch_of(n, x), -1)], 8 * 64), 10))


def view_shuffle(n):
	"""A channel shuffle whose sizes are all read from the tensor, groups by division."""
	x = conv(n, n.input([2, 3, 16, 16]), 12)
	shape = n.node("Shape", [x], integers=True)
	sizes = [n.node("Gather", [shape, n.const(i, np.int64)], integers=True, axis=0) for i in range(4)]
	half = n.node("Div", [sizes[1], n.const(2, np.int64)], integers=True)
	y = n.node("Reshape", [x, joined(n, sizes[0], 2, half, sizes[2], sizes[3])])
	y = n.node("Reshape", [transpose(n, y, [0, 2, 1, 3, 4]), joined(n, sizes[0], -1, sizes[2], sizes[3])], 12)
	n.output(head(n, y))


def interpolate(n):
	"""F.interpolate() to the size of another tensor."""
	a = conv(n, n.input([2, 3, 16, 16]), 8)
	x = conv(n, pool(n, a), 8)
	ends = [n.node("Slice", [n.node("Shape", [v], integers=True), n.const([b], np.int64), n.const([e], np.int64), n.const([0], np.int64)], integers=True)
		for v, b, e in ((x, 0, 2), (a, 2, 4))]
	sizes = n.node("Concat", [n.node("Cast", [e], integers=True, to=7) for e in ends], integers=True, axis=0)
	x = n.node("Resize", [x, "", "", sizes], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
	n.output(conv(n, concat(n, x, a), 4, 1, act=None))


def recurrent(n, op, gates):
	x = n.input([3, 5, 8])
	x = transpose(n, x, [1, 0, 2])
	w, r = (n.const(n.rng.normal(0, 0.3, (1, gates * 6, k)), np.float32) for k in (8, 6))
	y, *_ = n.node(op, [x, w, r], 6, 2, hidden_size=6)
	n.output(n.node("Squeeze", [y, n.const([1], np.int64)]))


def lstm(n):
	recurrent(n, "LSTM", 4)


def gru(n):
	recurrent(n, "GRU", 3)


ARCHITECTURES = [mobilenet_v1, mobilenet_v2, mobilenet_v3, resnet18, resnet50, squeezenet, efficientnet_lite, inception, shufflenet, yolov5_silu, yolov5_relu,
		 yolox, ssd_head, unet, deeplab, espcn, vit_block, ds_cnn, autoencoder, autoencoder_conv, se_block, conv1d, view, view_shuffle, interpolate,
		 lstm, gru]


# ---- running them ----

def build(make):
	net = Net(make.__name__)
	make(net)
	return net


def ranges_of(run, nets):
	"""Of each float tensor of each net, on its random inputs."""
	batch = [cases.Case(n.name, n.float_model(), [(name, data) for name, _, data in n.inputs]) for n in nets]
	for net, case in zip(nets, run.judge(batch)):
		if case.state != cases.JUDGED:
			sys.exit(f"error: {net.name} is no valid model: {case.reason}")
		ranges = {name: (data.min(), data.max()) for name, data in case.outputs}
		yield {**ranges, **{name: (data.min(), data.max()) for name, _, data in net.inputs}}


ASSUMED = {"Relu": (0, 3), "Clip": (0, 6), "Sigmoid": (0, 1), "HardSigmoid": (0, 1), "Softmax": (0, 1), "Tanh": (-1, 1)}
USUAL = (-3, 3)


def assumed_ranges(net):
	"""The same without running it, for typical.py: by what makes a tensor, since sums of such weights have a variance of about one."""
	ranges = {name: (data.min(), data.max()) for name, _, data in net.inputs}
	for node in net.nodes:
		ranges.update({name: ASSUMED.get(node.op, USUAL) for name in node.outputs})
	return ranges


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--only", type=lambda text: text.split(","))
	parser.add_argument("--work", default="build/architectures")
	parser.add_argument("--runner", default="build/tests/e2e-golden")
	parser.add_argument("--save", action="store_true")
	args = parser.parse_args()
	args.commit = args.kinds = None
	run = random_onnx.fuzz.Run(args)
	nets = [build(make) for make in ARCHITECTURES if not args.only or make.__name__ in args.only]
	batch = []
	for net, ranges in zip(nets, list(ranges_of(run, nets))):
		for way in WAYS:
			model, twin = quantize(net, ranges, way)
			batch.append(cases.Case(f"{net.name} {way.name}", model, [(name, data) for name, _, data in net.inputs], cases.FLOAT_SUMS, twin))
	if args.save:
		for case in batch:
			path = os.path.join(args.work, case.name.replace(" ", "_"))
			for end, data in ((".onnx", case.model), (".twin.onnx", case.twin)):
				with open(path + end, "wb") as file:
					file.write(data)
			np.save(path + ".in0.npy", case.inputs[0][1])
	verdicts = run.run(run.judge(batch))
	total, rows, reasons = collections.Counter(), [], collections.Counter()
	for i, net in enumerate(nets):
		some = verdicts[i * len(WAYS):(i + 1) * len(WAYS)]
		rows.append(f"| `{net.name}` | " + " | ".join(v for v, _ in some) + " |")
		total.update(v for v, _ in some)
		for verdict, why in {(v, re.sub(r"\d+", "#", w) if v == "wrong" else w) for v, w in some if v != "equal"}:
			reasons[f"- `{net.name}`, {verdict}: {why}"] += 1
	text = "\n".join(["| model | " + " | ".join(w.name for w in WAYS) + " |", "|---|" + "---|" * len(WAYS), *rows, "", ", ".join(f"{c} {v}" for v, c in total.items()), "",
			  *reasons])
	with open(os.path.join(args.work, "report.md"), "w") as file:
		file.write(text + "\n")
	print(text)
	return 1 if any(total[bad] for bad in random_onnx.fuzz.BAD) else 0


if __name__ == "__main__":
	sys.exit(main())
