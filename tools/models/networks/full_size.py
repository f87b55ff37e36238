#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes networks as people run them, of their full size, quantized, with random weights: for counting packets.

usage: full_size.py DIR

DIR gets mobilenet_v2.onnx, resnet50.onnx (224 x 224) and yolo.onnx (like the smallest YOLOv5, with two heads, 320 x 320). What they compute means nothing, but each
layer's outputs spread over the range of 8 bits, as those of a real one do, because the DSP's kernels take longer where results are ties. Only the standard library is needed.
"""
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests/e2e"))
from onnx_file import block, number, value_info  # noqa: E402

SPREAD = 60  # standard deviation of sums, in steps of the output
OPSET = 13
FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6


def tensor(name, kind, dims, data):
    return b"".join(number(1, d) for d in dims) + number(2, kind) + block(8, name) + block(9, data)


def integers(name, values):
    return block(1, name) + b"".join(number(8, v) for v in values) + number(20, 7)


class Value:
    """A tensor of uint8: its scale and zero point, and what it is about, as the next layer needs it."""

    def __init__(self, name, channels, scale, zero, spread):
        self.name, self.channels, self.scale, self.zero, self.spread = name, channels, scale, zero, spread


class Network:
    def __init__(self, name, size):
        self.random = random.Random(name)
        self.parts, self.count, self.name = [], 0, name
        # Channels last, as cameras and the kernels have them.
        self.parts.append(block(11, value_info("image", "uint8", [0, size, size, 3])))
        self.input = Value(self.node("Transpose", ["image"], integers("perm", [0, 3, 1, 2])), 3, 0.0157, 128, 74)

    def constant(self, kind, dims, data):
        self.count += 1
        name = f"c{self.count}"
        self.parts.append(block(5, tensor(name, kind, dims, data)))
        return name

    def scalar(self, value, kind=FLOAT):
        return self.constant(kind, [], struct.pack("<f" if kind == FLOAT else "B", value))

    def node(self, op, inputs, *attributes):
        self.count += 1
        name = f"n{self.count}"
        body = b"".join(block(1, i) for i in inputs) + block(2, name) + block(3, name) + block(4, op)
        self.parts.append(block(1, body + b"".join(block(5, a) for a in attributes)))
        return name

    def weights(self, x, outputs, products):
        """The scale of a layer's outputs and those of its weights, with which sums spread as they should."""
        deviation = math.sqrt(products * (254 ** 2 - 1) / 12) * x.spread
        # None is another one times a power of two: those are cases of their own.
        scale = self.random.uniform(0.012, 0.022)
        return scale, [scale * SPREAD / deviation / x.scale * self.random.uniform(0.7, 1.3) for _ in range(outputs)]

    def conv(self, x, outputs, kernel=1, stride=1, relu=True, depthwise=False):
        inputs = 1 if depthwise else x.channels
        scale, scales = self.weights(x, outputs, inputs * kernel * kernel)
        count = outputs * inputs * kernel * kernel
        # -127 to 127
        data = self.random.randbytes(count).replace(b"\x80", b"\0")
        bias = struct.pack(f"<{outputs}i", *[int(self.random.gauss(0, 0.3 * SPREAD * scale / (x.scale * s))) for s in scales])
        zero = 0 if relu else 128
        name = self.node("QLinearConv", [
            x.name, self.scalar(x.scale), self.scalar(x.zero, UINT8),
            self.constant(INT8, [outputs, inputs, kernel, kernel], data),
            self.constant(FLOAT, [outputs], struct.pack(f"<{outputs}f", *scales)), self.constant(INT8, [outputs], bytes(outputs)),
            self.scalar(scale), self.scalar(zero, UINT8), self.constant(INT32, [outputs], bias)],
            integers("kernel_shape", [kernel] * 2), integers("strides", [stride] * 2), integers("pads", [kernel // 2] * 4),
            block(1, "group") + number(3, x.channels if depthwise else 1) + number(20, 2))
        return Value(name, outputs, scale, zero, SPREAD * (0.7 if relu else 1))

    def real(self, x):
        return self.node("DequantizeLinear", [x.name, self.scalar(x.scale), self.scalar(x.zero, UINT8)])

    def quantize(self, name, like, scale, zero, spread, channels=None):
        return Value(self.node("QuantizeLinear", [name, self.scalar(scale), self.scalar(zero, UINT8)]), channels or like.channels, scale, zero, spread)

    def add(self, a, b, relu=False):
        name = self.node("Add", [self.real(a), self.real(b)])
        if relu:
            name = self.node("Relu", [name])
        scale = math.hypot(a.scale * a.spread, b.scale * b.spread) / SPREAD
        return self.quantize(name, a, scale, 0 if relu else 128, SPREAD)

    def pool(self, x, kernel, stride, pads=0):
        name = self.node("MaxPool", [x.name], integers("kernel_shape", [kernel] * 2), integers("strides", [stride] * 2),
                         integers("pads", [pads] * 4))
        return Value(name, x.channels, x.scale, x.zero, x.spread)

    def leaky(self, x):
        """As a layer without an activation of its own is followed by: a table."""
        name = self.node("LeakyRelu", [self.real(x)], block(1, "alpha") + b"\x15" + struct.pack("<f", 0.1) + number(20, 1))
        return self.quantize(name, x, x.scale * 0.6, 20, SPREAD)

    def upsample(self, x):
        sizes = self.constant(FLOAT, [4], struct.pack("<4f", 1, 1, 2, 2))
        mode = block(1, "mode") + block(4, "nearest") + number(20, 3)
        round_down = block(1, "nearest_mode") + block(4, "floor") + number(20, 3)
        as_is = block(1, "coordinate_transformation_mode") + block(4, "asymmetric") + number(20, 3)
        name = self.node("Resize", [x.name, "", sizes], mode, round_down, as_is)
        return Value(name, x.channels, x.scale, x.zero, x.spread)

    def concat(self, a, b):
        name = self.node("Concat", [self.real(a), self.real(b)], block(1, "axis") + number(3, 1) + number(20, 2))
        return self.quantize(name, a, max(a.scale, b.scale), 128, SPREAD, a.channels + b.channels)

    def classify(self, x, classes):
        mean = self.quantize(self.node("GlobalAveragePool", [self.real(x)]), x, x.scale * 0.3, x.zero, SPREAD)
        return self.conv(mean, classes, relu=False)

    def save(self, folder, *outputs):
        for x in outputs:
            name = self.node("Transpose", [x.name], integers("perm", [0, 2, 3, 1]))
            self.parts.append(block(12, value_info(name, "uint8", [])))
        graph = block(2, self.name) + b"".join(self.parts)
        with open(os.path.join(folder, self.name + ".onnx"), "wb") as file:
            file.write(number(1, 7) + block(8, block(1, "") + number(2, OPSET)) + block(7, graph))


def mobilenet_v2():
    n = Network("mobilenet_v2", 224)
    x = n.conv(n.input, 32, 3, 2)
    for expansion, channels, repeat, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                                (6, 320, 1, 1)]:
        for i in range(repeat):
            y = n.conv(x, x.channels * expansion) if expansion > 1 else x
            y = n.conv(y, y.channels, 3, stride if not i else 1, depthwise=True)
            y = n.conv(y, channels, relu=False)
            x = n.add(x, y) if i else y
    x = n.conv(x, 1280)
    return n, [n.classify(x, 1000)]


def resnet50():
    n = Network("resnet50", 224)
    x = n.pool(n.conv(n.input, 64, 7, 2), 3, 2, 1)
    for stage, (channels, repeat) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for i in range(repeat):
            stride = 2 if stage and not i else 1
            y = n.conv(n.conv(x, channels), channels, 3, stride)
            y = n.conv(y, 4 * channels, relu=False)
            x = n.add(y, x if i else n.conv(x, 4 * channels, 1, stride, relu=False), relu=True)
    return n, [n.classify(x, 1000)]


def yolo():
    n = Network("yolo", 320)

    def layer(x, channels, kernel=3, stride=1):
        return n.leaky(n.conv(x, channels, kernel, stride, relu=False))

    def stage(x, channels, repeat):
        """Half of the channels goes through residual blocks."""
        y, half = layer(x, channels // 2, 1), channels // 2
        for _ in range(repeat):
            y = n.add(y, layer(layer(y, half, 1), half))
        return layer(n.concat(y, layer(x, half, 1)), channels, 1)

    x = layer(layer(n.input, 16, 3, 2), 32, 3, 2)
    x = layer(stage(x, 32, 1), 64, 3, 2)
    x = layer(stage(x, 64, 2), 128, 3, 2)
    fine = stage(x, 128, 3)
    coarse = stage(layer(fine, 256, 3, 2), 256, 1)
    y = stage(n.concat(n.upsample(layer(coarse, 128, 1)), fine), 128, 1)
    return n, [n.conv(y, 255, relu=False), n.conv(stage(layer(y, 256, 3, 2), 256, 1), 255, relu=False)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for make in (mobilenet_v2, resnet50, yolo):
        network, outputs = make()
        network.save(sys.argv[1], *outputs)


if __name__ == "__main__":
    main()
