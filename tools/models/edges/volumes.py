# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: convolutions of volumes, of scales that are powers of two, so that sums of float32 are exact and nothing may differ."""
import numpy as np
from onnx import TensorProto, helper

from common.cases import FLOAT_SUMS
from edges.write import F32, I8, S16, U8, Graph, In, one

X, W, Y = (0.0625, 119), 0.0078125, (0.25, 120)


def weighted(g, op, shape, kernel, bias=None, dtype=U8, scales=None, axis=0, fixed=False, relu=False, **attrs):
	x = g.real(In(*shape, dtype=dtype, quant=X, fixed=fixed))
	w = g.const(g.rng.integers(-64, 65, kernel).astype(I8))
	scales = F32(W) if scales is None else F32(scales)
	w = g.node("DequantizeLinear", [w, g.const(scales), g.const(np.zeros(scales.shape, I8))], axis=axis)
	inputs = [x, w]
	if bias is not None:
		inputs.append(g.node("DequantizeLinear", [g.const(np.int32(bias)), g.const(scales * F32(X[0])), g.const(np.zeros(scales.shape, np.int32))], axis=0))
	y = g.node(op, inputs, **attrs)
	g.output(g.node("Relu", [y]) if relu else y, dtype, Y)


def convolutions():
	"""Conv and ConvTranspose of three directions: each place of the window, stride, dilation and padding by itself."""
	x = (2, 3, 5, 6, 7)
	for name, shape, kernel, attrs, says in (
		("of one place", x, (4, 3, 1, 1, 1), {}, None),
		("a window of depth", x, (4, 3, 3, 1, 1), {}, None),
		("a window of height", x, (4, 3, 1, 3, 1), {}, None),
		("a window of width", x, (4, 3, 1, 1, 3), {}, None),
		("a window of all", x, (4, 3, 5, 6, 7), {}, None),
		("strides", x, (4, 3, 2, 3, 2), {"strides": [3, 2, 4]}, None),
		("strides that leave slices out", x, (4, 3, 1, 1, 2), {"strides": [2, 3, 3]}, None),
		("dilations", x, (4, 3, 2, 2, 3), {"dilations": [3, 4, 2]}, None),
		("dilations and strides", x, (4, 3, 2, 2, 3), {"dilations": [2, 3, 2], "strides": [2, 2, 1]}, None),
		("padding in front", x, (4, 3, 3, 3, 3), {"pads": [1, 2, 1, 0, 0, 0]}, None),
		("padding behind", x, (4, 3, 3, 3, 3), {"pads": [0, 0, 0, 2, 1, 2], "strides": [1, 2, 2]}, None),
		("more padding than window", x, (4, 3, 2, 2, 2), {"pads": [3, 4, 2, 1, 5, 3]}, None),
		("SAME_UPPER", x, (4, 3, 2, 3, 4), {"auto_pad": "SAME_UPPER", "strides": [2, 1, 2]}, None),
		("SAME_LOWER", x, (4, 3, 2, 3, 4), {"auto_pad": "SAME_LOWER", "strides": [2, 1, 2]}, None),
		("VALID", x, (4, 3, 2, 3, 4), {"auto_pad": "VALID"}, None),
		("groups", (2, 4, 5, 6, 7), (6, 2, 3, 2, 2), {"group": 2}, None),
		("each channel by itself", x, (6, 1, 2, 3, 2), {"group": 3, "pads": [1, 1, 0, 0, 1, 1]}, None),
		("a depth of 1, padded", (2, 3, 1, 6, 7), (4, 3, 3, 3, 3), {"pads": [1] * 6}, None),
		("another number of inputs", x, (4, 2, 3, 3, 3), {}, " "),
		("groups that do not fit", x, (4, 1, 3, 3, 3), {"group": 2}, "do not divide"),
		("a window longer than the depth", x, (4, 3, 6, 1, 1), {}, "its window is 6 long, and there are 5"),
		("a window of four directions", (2, 3, 4, 4, 4, 4), (4, 3, 2, 2, 2, 2), {}, "volumes of N, C, D, H, W"),
	):
		g = Graph(f"Conv, {name}")
		weighted(g, "Conv", shape, kernel, **attrs)
		yield g.case(13, says)
	x = (2, 4, 3, 4, 5)
	for name, shape, kernel, attrs, says in (
		("of one place", x, (4, 3, 1, 1, 1), {}, None),
		("without strides", x, (4, 3, 2, 3, 2), {}, None),
		("as long as strides", x, (4, 3, 2, 2, 2), {"strides": [2, 2, 2]}, None),
		("longer than strides", x, (4, 3, 3, 4, 3), {"strides": [2, 3, 2]}, None),
		("shorter than strides", x, (4, 3, 1, 1, 2), {"strides": [2, 3, 3]}, None),
		("strides of depth", x, (4, 3, 3, 1, 1), {"strides": [3, 1, 1]}, None),
		("dilations", x, (4, 3, 2, 2, 3), {"dilations": [2, 3, 2]}, None),
		("dilations and strides", x, (4, 3, 2, 2, 3), {"dilations": [2, 3, 2], "strides": [3, 2, 2]}, None),
		("pads in front", x, (4, 3, 3, 3, 3), {"pads": [1, 2, 1, 0, 0, 0], "strides": [2, 2, 2]}, None),
		("pads behind", x, (4, 3, 3, 3, 3), {"pads": [0, 0, 0, 1, 2, 1], "strides": [2, 2, 2]}, None),
		("pads longer than the window", x, (4, 3, 2, 2, 2), {"pads": [3, 2, 4, 0, 1, 0], "strides": [2, 2, 2]}, None),
		("output_padding", x, (4, 3, 3, 3, 3), {"pads": [1] * 6, "strides": [2, 2, 3], "output_padding": [1, 1, 2]}, None),
		("output_shape", x, (4, 3, 3, 3, 3), {"strides": [2, 2, 2], "output_shape": [6, 8, 9]}, None),
		("SAME_UPPER", x, (4, 3, 3, 3, 4), {"strides": [2, 1, 2], "auto_pad": "SAME_UPPER"}, None),
		("groups", x, (4, 3, 2, 3, 2), {"strides": [1, 2, 2], "group": 2}, None),
		("each channel by itself", x, (4, 1, 3, 2, 2), {"strides": [2, 2, 1], "group": 4}, None),
		("another number of inputs", x, (3, 3, 2, 2, 2), {}, " "),
		("too much output_padding", x, (4, 3, 3, 3, 3), {"strides": [2, 2, 2], "output_padding": [2, 0, 0]}, "its output_padding is 2"),
	):
		g = Graph(f"ConvTranspose, {name}")
		weighted(g, "ConvTranspose", shape, kernel, **attrs)
		yield g.case(13, says)
	for op, kernel, axis, attrs in (("Conv", (4, 3, 2, 3, 2), 0, {"pads": [1, 1, 0, 0, 1, 1]}), ("ConvTranspose", (3, 4, 2, 3, 2), 1, {"strides": [2, 2, 2], "pads": [1, 1, 0, 0, 1, 1]})):
		g = Graph(f"{op} of a scale for each output, with a bias and Relu")
		weighted(g, op, (2, 3, 4, 5, 6), kernel, bias=[900, -700, 300, 0], scales=[W, W / 2, W * 2, W], axis=axis, relu=True, **attrs)
		yield g.case(13, None)
		for dtype in (I8, S16):
			g = Graph(f"{op} of {np.dtype(dtype).name}, of two items that are fixed")
			weighted(g, op, (2, 3, 4, 5, 6), kernel, dtype=dtype, fixed=True, **attrs)
			yield g.case(21, None)
	for op, kernel, axis in (("Conv", (4, 3, 2, 3), 1), ("Conv", (4, 3, 2, 3, 2), 1), ("ConvTranspose", (3, 4, 2, 3), 0), ("ConvTranspose", (3, 4, 2, 3, 2), 0)):
		g = Graph(f"{op} by {kernel} of a scale for each input")
		weighted(g, op, (2, 3, 4, 5, 6)[:len(kernel)], kernel, scales=[W, W / 2, W * 2], axis=axis)
		yield g.case(13, None)
	g = Graph("QLinearConv")
	x = g.input(In(2, 3, 4, 5, 6))
	w = g.const(g.rng.integers(-64, 65, (4, 3, 2, 3, 2)).astype(I8))
	y = g.node("QLinearConv", [x, *g.quant(X, U8), w, *g.quant((W, 0), I8), *g.quant(Y, U8), g.const(np.arange(4, dtype=np.int32) * 400)], pads=[1, 1, 0, 0, 1, 1])
	g.output(y, U8, None)
	yield g.case(13, None)


def in_float():
	"""The same of float32, of whole numbers; and pools of three directions."""
	for op, kernel, attrs in (
		("Conv", (4, 3, 3, 3, 3), {"pads": [1] * 6, "strides": [1, 2, 2]}),
		("Conv", (4, 1, 2, 3, 2), {"group": 2, "dilations": [2, 1, 2]}),
		("ConvTranspose", (3, 4, 3, 3, 3), {"strides": [2, 2, 2], "pads": [1] * 6, "output_padding": [1] * 3}),
		("ConvTranspose", (3, 4, 3), {"strides": [2]}),
		# Lines whose window or stride is long.
		("ConvTranspose", (3, 2, 20), {"strides": [16], "pads": [3, 5]}),
		("ConvTranspose", (3, 2, 1000), {"strides": [256], "pads": [300, 200], "output_padding": [40]}),
		("ConvTranspose", (3, 2, 512), {"strides": [256], "output_padding": [255]}),
		("ConvTranspose", (3, 2, 5), {"strides": [300], "pads": [0, 7]}),
		("ConvTranspose", (3, 1, 1, 40), {"strides": [1, 32], "pads": [0, 40, 0, 30]}),
		("ConvTranspose", (3, 2, 300), {"strides": [2]}),
		("ConvTranspose", (4, 2, 300), {"strides": [16], "group": 2, "dilations": [2]}),
	):
		for bias in (False, True):
			g = Graph(f"{op} by {kernel}{' and a bias' * bias}")
			channels = kernel[1] * attrs.get("group", 1) if op == "Conv" else kernel[0]
			shape = (2, channels, 4, 5, 6)[:len(kernel)]
			g.data.append(("x", F32(g.rng.integers(-9, 10, shape))))
			g.inputs.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *shape[1:]]))
			outputs = kernel[op != "Conv"] * (attrs.get("group", 1) if op != "Conv" else 1)
			y = g.node(op, ["x", g.const(F32(g.rng.integers(-9, 10, kernel))), *([g.const(F32(np.arange(outputs)))] if bias else [])], **attrs)
			g.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, None))
			yield g.case(17, None)
	g = Graph("ConvTranspose of groups by a stride of 256")
	g.data.append(("x", F32(g.rng.integers(-9, 10, (2, 4, 5)))))
	g.inputs.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4, 5]))
	g.outputs.append(helper.make_tensor_value_info(g.node("ConvTranspose", ["x", g.const(F32(np.ones((4, 2, 3))))], strides=[256], group=2), TensorProto.FLOAT, None))
	yield g.case(17, "its stride is 256")


def means():
	"""GlobalAveragePool of volumes."""
	for dtype in (U8, I8, S16):
		for shape in ((2, 4, 5, 6, 7), (2, 3, 1, 9, 8), (1, 2, 20, 30, 31)):
			yield one(f"GlobalAveragePool {shape} of {np.dtype(dtype).name}", "GlobalAveragePool", [In(*shape, dtype=dtype, quant=(0.043, 9))], None, (0.0173, 3), opset=21, dtype=dtype,
				  flags=FLOAT_SUMS)
	yield one("GlobalAveragePool of four directions", "GlobalAveragePool", [In(1, 2, 3, 3, 3, 3)], " ")


FILES = {"volumes": convolutions, "float_volumes": in_float, "volume_means": means}
