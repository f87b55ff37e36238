# SPDX-License-Identifier: MIT
"""The models of write.py of opsets 7 to 9, which have no operators that quantize: those of com.microsoft do.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import zlib

import numpy as np
from onnx import helper

import ops.model
from ops.model import Model


def old(name, doc, opset, op, shape, out, consts=(), inputs=1, to=(0.04, 9), **attrs):
	ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	m = Model()
	xs = [m.real(m.input(shape, np.uint8, 0.04, 9)) for _ in range(inputs)]
	m.nodes.append(helper.make_node(op, [*xs, *(m.const(f"c{i}", c) for i, c in enumerate(consts))], ["made"], name="made", **attrs))
	output = m.output("made", ["N", *out[1:]], np.uint8, *to)
	for node in m.nodes:
		if node.op_type.lower().endswith("quantizelinear"):
			node.domain = "com.microsoft"
	m.save(f"opset{opset}_{name}", output, doc, False, opset=opset)


@ops.model.numbers(0)
def write():
	image = (3, 4, 5, 6)
	old("slice", "Slice by attributes", 7, "Slice", image, (3, 2, 5, 4), axes=[1, 3], starts=[1, -4], ends=[3, 2 ** 31])
	old("slice_all", "Slice by attributes, without axes", 9, "Slice", image, (3, 3, 5, 6), starts=[0, 1], ends=[2 ** 31, 9])
	old("upsample", "Upsample, nearest, by an attribute", 7, "Upsample", image, (3, 4, 10, 18), scales=[1.0, 1.0, 2.0, 3.0])
	old("upsample", "Upsample, linear, by an input", 9, "Upsample", image, (3, 4, 10, 15), [np.array([1, 1, 2, 2.5], np.float32)], mode="linear", to=(0.03, 20))
	old("maxpool", "MaxPool", 7, "MaxPool", image, (3, 4, 4, 3), kernel_shape=[2, 2], strides=[1, 2])
	old("averagepool", "AveragePool, padding counted", 8, "AveragePool", image, (3, 4, 6, 7), kernel_shape=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1, to=(0.031, 9))
	old("clip", "Clip", 7, "Clip", image, image, min=0.5, max=6.0)
	old("add", "Add", 7, "Add", image, image, inputs=2, to=(0.08, 18))
	old("max", "Max", 8, "Max", image, image, inputs=2)
	old("softmax", "Softmax from dimension 2 on", 9, "Softmax", image, image, axis=2, to=(1 / 256, 0))
	old("sinh", "Sinh", 9, "Sinh", (3, 256), (3, 256), to=(100, 128))
