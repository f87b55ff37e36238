#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes networks and heads of the sizes that people run, of the parts of architectures.py, and small ones of that: for counting packets (`make bench`).

usage: typical.py DIR

DIR gets NAME.onnx of each of NETWORKS, and small_NAME.onnx of each of SMALL. Weights are random, and the ranges of activations are those that architectures.py
assumes. Activations are uint8 and weights int8, with a scale for each output, but for networks whose names end with uint8: these have weights with a zero point.
"""
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np

from networks import architectures as parts
from networks.architectures import basic_block, concat, conv, head, inverted, linear, pool, reshape, shuffle, transpose, upsample
from networks.static_quantize import WAYS, Net, quantize

SMALL = ["mobilenet_v1", "squeezenet", "efficientnet_lite", "yolov5_relu", "yolox", "vit_block", "ds_cnn", "autoencoder", "autoencoder_conv", "se_block", "conv1d",
	 "interpolate"]


def mobilenet_v2_uint8(n):
	x = conv(n, n.input([1, 3, 224, 224]), 32, stride=2, act="Relu6")
	for expand, out, repeat, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
		for i in range(repeat):
			x = inverted(n, x, out, stride if not i else 1, expand)
	n.output(head(n, conv(n, x, 1280, 1, act="Relu6"), 1000))


def mobilenet_v3_small_96(n):
	x = conv(n, n.input([1, 3, 96, 96]), 16, stride=2, act="HardSwish")
	for k, wide, out, excite, act, stride in ((3, 16, 16, True, "Relu", 2), (3, 72, 24, False, "Relu", 2), (3, 88, 24, False, "Relu", 1),
						  (5, 96, 40, True, "HardSwish", 2), (5, 240, 40, True, "HardSwish", 1), (5, 240, 40, True, "HardSwish", 1),
						  (5, 120, 48, True, "HardSwish", 1), (5, 144, 48, True, "HardSwish", 1), (5, 288, 96, True, "HardSwish", 2),
						  (5, 576, 96, True, "HardSwish", 1), (5, 576, 96, True, "HardSwish", 1)):
		y = conv(n, x, wide, 1, act=act)
		y = conv(n, y, wide, k, stride, wide, act)
		y = parts.squeeze_excite(n, y) if excite else y
		y = conv(n, y, out, 1, act=None)
		x = n.node("Add", [x, y]) if stride == 1 and n.channels[x] == out else y
	x = n.node("Flatten", [n.node("GlobalAveragePool", [conv(n, x, 576, 1, act="HardSwish")])])
	n.output(linear(n, parts.activate(n, linear(n, x, 1024), "HardSwish"), 1000))


def resnet18(n):
	x = pool(n, conv(n, n.input([1, 3, 224, 224]), 64, 7, 2), k=3, pad=1)
	for out in (64, 128, 256, 512):
		x = basic_block(n, basic_block(n, x, out, 1 if out == 64 else 2), out)
	n.output(head(n, x, 1000))


def yolov5n_160(n):
	def stage(x, out, repeat):
		y = conv(n, x, out // 2, 1, act="SiLU")
		for _ in range(repeat):
			y = n.node("Add", [y, conv(n, conv(n, y, out // 2, 1, act="SiLU"), out // 2, act="SiLU")])
		return conv(n, concat(n, y, conv(n, x, out // 2, 1, act="SiLU")), out, 1, act="SiLU")

	x = conv(n, n.input([1, 3, 160, 160]), 16, 6, 2, act="SiLU", pad=2)
	x = stage(conv(n, x, 32, 3, 2, act="SiLU"), 32, 1)
	fine = stage(conv(n, x, 64, 3, 2, act="SiLU"), 64, 2)
	middle = stage(conv(n, fine, 128, 3, 2, act="SiLU"), 128, 3)
	x = conv(n, stage(conv(n, middle, 256, 3, 2, act="SiLU"), 256, 1), 128, 1, act="SiLU")
	pools = [x]
	for _ in range(3):
		pools.append(pool(n, pools[-1], k=5, stride=1, pad=2))
	x = conv(n, conv(n, concat(n, *pools), 256, 1, act="SiLU"), 128, 1, act="SiLU")
	y = stage(concat(n, upsample(n, x), middle), 128, 1)
	z = conv(n, y, 64, 1, act="SiLU")
	low = stage(concat(n, upsample(n, z), fine), 64, 1)
	mid = stage(concat(n, conv(n, low, 64, 3, 2, act="SiLU"), z), 128, 1)
	high = stage(concat(n, conv(n, mid, 128, 3, 2, act="SiLU"), x), 256, 1)
	heads = []
	for x, side in ((low, 20), (mid, 10), (high, 5)):
		y = transpose(n, reshape(n, conv(n, x, 255, 1, act=None), [-1, 3, 85, side, side]), [0, 1, 3, 4, 2], 85)
		heads.append(reshape(n, n.node("Sigmoid", [y]), [-1, 3 * side * side, 85]))
	n.output(n.node("Concat", heads, 85, axis=1))


def unet_128(n):
	skips, x = [], n.input([1, 3, 128, 128])
	for out in (16, 32, 64):
		x = conv(n, conv(n, x, out), out)
		skips.append(x)
		x = pool(n, x)
	x = conv(n, conv(n, x, 128), 128)
	for skip in reversed(skips):
		out = n.channels[skip]
		w = n.const(n.rng.normal(0, n.channels[x] ** -0.5, (n.channels[x], out, 2, 2)), np.float32)
		up = n.node("ConvTranspose", [x, w, n.const(n.rng.normal(0, 0.1, out), np.float32)], out, kernel_shape=[2, 2], strides=[2, 2])
		x = conv(n, conv(n, concat(n, up, skip), out), out)
	n.output(n.node("Sigmoid", [conv(n, x, 1, 1, act=None)]))


def ssd_head_375(n):
	"""375 boxes of 21 classes."""
	x, boxes, scores = n.input([1, 64, 10, 10]), [], []
	for side in (10, 5):
		for made, width in ((boxes, 4), (scores, 21)):
			y = transpose(n, conv(n, x, 3 * width, act=None), [0, 2, 3, 1])
			made.append(reshape(n, y, [-1, side * side * 3, width], width))
		x = conv(n, x, 64, stride=2)
	n.output(n.node("Concat", boxes, 4, axis=1), n.node("Softmax", [n.node("Concat", scores, 21, axis=1)], axis=2))


def deeplab_aspp(n):
	x = n.input([1, 160, 17, 17])
	image = conv(n, n.node("GlobalAveragePool", [x]), 64, 1)
	image = n.node("Resize", [image, "", n.const([1, 1, 17, 17], np.float32)], mode="nearest")
	x = concat(n, conv(n, x, 64, 1), *(conv(n, x, 64, dilation=rate) for rate in (3, 6, 9)), image)
	x = conv(n, conv(n, x, 64, 1), 21, 1, act=None)
	n.output(upsample(n, upsample(n, x, "linear"), "linear"))


def shufflenet_unit(n):
	x = n.input([1, 116, 28, 28])
	left, right = n.node("Split", [x, n.const([58, 58], np.int64)], 58, 2, axis=1)
	right = conv(n, conv(n, conv(n, right, 58, 1), 58, 3, 1, 58, None), 58, 1)
	n.output(shuffle(n, concat(n, left, right), 2, 28))


def espcn_64(n):
	x = conv(n, conv(n, n.input([1, 1, 64, 64]), 64, 5, act="Tanh"), 32, act="Tanh")
	n.output(n.node("DepthToSpace", [conv(n, x, 4, act=None)], 1, blocksize=2, mode="CRD"))


def inception_block(n):
	x = n.input([1, 192, 28, 28])
	branch, tower = conv(n, conv(n, x, 16, 1), 32, 5), conv(n, conv(n, x, 96, 1), 128)
	n.output(concat(n, conv(n, x, 64, 1), tower, branch, conv(n, pool(n, x, "AveragePool", 3, 1, 1), 32, 1)))


NETWORKS = [mobilenet_v2_uint8, mobilenet_v3_small_96, resnet18, yolov5n_160, unet_128, ssd_head_375, deeplab_aspp, shufflenet_unit, espcn_64, inception_block]


def write(folder, name, make):
	way = "u8 u8" if name.endswith("uint8") else "u8 s8 per channel"
	net = Net(name)
	make(net)
	model, _ = quantize(net, parts.assumed_ranges(net), next(w for w in WAYS if w.name == way))
	with open(os.path.join(folder, f"{name}.onnx"), "wb") as file:
		file.write(model)


def main():
	if len(sys.argv) != 2:
		sys.exit(__doc__)
	os.makedirs(sys.argv[1], exist_ok=True)
	for make in NETWORKS:
		write(sys.argv[1], make.__name__, make)
	for name in SMALL:
		write(sys.argv[1], f"small_{name}", getattr(parts, name))


if __name__ == "__main__":
	main()
