# SPDX-License-Identifier: MIT
"""Operators of ONNX's newer opsets, and what is computed in float between quantized ends, for write.py."""
import itertools

import numpy as np
from onnx import TensorProto, helper

from common import cases
from edges.write import F32, I8, I32, I64, S16, U8, U16, Graph, In, i64, one

SUMS = cases.FLOAT_SUMS


def attention():
	q, k, v = In(2, 4, 3, 8), In(2, 4, 5, 8, quant=(0.03, 120)), In(2, 4, 5, 6, quant=(0.02, 100))
	to = (0.01, 100)
	causal = {"is_causal": 1}
	mask = np.where(np.arange(15).reshape(3, 5) % 4 == 1, -np.inf, 0.25).astype(F32)
	for name, inputs, attrs, opset, says in (
		("of heads", [q, k, v], {}, 23, None),
		("causal", [q, k, v], causal, 23, None),
		("scaled", [q, k, v], {"scale": 0.2}, 23, None),
		("softcap", [q, k, v], {"softcap": 2.0}, 23, None),
		("few keys for many queries", [In(2, 4, 3, 8), In(2, 2, 5, 8), In(2, 2, 5, 6)], {}, 23, None),
		("a mask of floats", [q, k, v, mask], {}, 23, None),
		("a mask of bools", [q, k, v, np.isfinite(mask)], {}, 23, None),
		("a mask that leaves one query out", [q, k, v, np.arange(15).reshape(3, 5) > 4], {}, 23, None),
		("a mask for each head", [q, k, v, np.stack([mask, mask, mask + 1, mask])], causal, 23, None),
		("a mask for each item", [In(2, 4, 3, 8, fixed=True), In(2, 4, 5, 8, fixed=True), In(2, 4, 5, 6, fixed=True), np.stack([mask[None], mask[None] + 1])], {}, 23, None),
		("a quantized mask", [q, k, v, In(2, 1, 3, 5)], {}, 23, None),
		("a quantized mask for all items", [q, k, v, In(3, 5, fixed=True)], {}, 23, " "),
		("with heads side by side", [In(2, 3, 32), In(2, 5, 16), In(2, 5, 12)], {"q_num_heads": 4, "kv_num_heads": 2}, 23, None),
		("of a fixed batch", [In(2, 4, 3, 8, fixed=True), In(2, 4, 5, 8, fixed=True), In(2, 4, 5, 6, fixed=True)], causal, 23, None),
		("of int8", [In(2, 4, 3, 8, dtype=I8), In(2, 4, 5, 8, dtype=I8, quant=(0.03, -3)), In(2, 4, 5, 6, dtype=I8)], {}, 23, None),
		("precise", [q, k, v], {"softmax_precision": 1}, 23, None),
		("in half precision", [q, k, v], {"softmax_precision": 10}, 23, "attribute softmax_precision 10: nnloop can do 1|11 only"),
		("of other depths", [q, In(2, 4, 5, 7), v], {}, 23, "do not fit"),
		("heads that do not divide", [In(2, 3, 32), In(2, 5, 32), In(2, 5, 32)], {"q_num_heads": 5, "kv_num_heads": 4}, 23, "q_num_heads does not divide"),
	):
		yield one(name, "Attention", inputs, says, to=to, opset=opset, flags=SUMS, **attrs)
	for name, attrs in (("with what was before", {}), ("with what was before, causal", causal)):
		past = [In(2, 4, 2, 8, quant=(0.05, 7)), In(2, 4, 2, 6, quant=(0.02, 100))]
		yield one(name, "Attention", [q, k, v, None, *past], None, to=[to, (0.05, 100), (0.03, 90)], outs=3, opset=23, flags=SUMS, **attrs)
	yield one("with its past keys only", "Attention", [q, k, v, None, In(2, 4, 2, 8)], "one of past_key and past_value only", to=to, opset=23)
	g = Graph("between other operators")
	x = g.real(In(2, 3, 32))
	y = g.node("Attention", [x, x, x], q_num_heads=4, kv_num_heads=4)
	y = g.node("DequantizeLinear", [g.node("QuantizeLinear", [y, *g.quant((0.02, 100), U8)]), *g.quant((0.02, 100), U8)])
	g.output(g.node("Add", [x, y]), quant=(0.06, 110))
	yield g.case(23, None, SUMS)
	g = Graph("moved, and in float at the end")
	x = g.real(In(2, 3, 32))
	y = g.node("Attention", [x, x, x], q_num_heads=4, kv_num_heads=4)
	g.output(g.node("QuantizeLinear", [g.node("Transpose", [y], perm=[0, 2, 1]), *g.quant((0.02, 100), U8)]), quant=None)
	yield g.case(23, None, SUMS)


def grid_sample():
	image, grid = In(2, 3, 5, 6), In(2, 4, 7, 2, quant=(0.012, 128))
	for mode in ("bilinear", "nearest", "bicubic"):
		for padding in ("zeros", "border", "reflection"):
			for align in (0, 1):
				yield one(f"{mode}, {padding}, corners {align}", "GridSample", [image, grid], None, opset=16, flags=SUMS, mode=mode, padding_mode=padding, align_corners=align)
	yield one("by a constant", "GridSample", [image, np.linspace(-1.2, 1.2, 24, dtype=F32).reshape(1, 3, 4, 2)[[0, 0]]], "its grid is for 2 items", opset=16)
	yield one("by a constant, of a fixed batch", "GridSample", [In(2, 3, 5, 6, fixed=True), np.linspace(-1.2, 1.2, 48, dtype=F32).reshape(2, 3, 4, 2)], None, opset=16, flags=SUMS)
	yield one("of volumes", "GridSample", [In(2, 3, 4, 5, 6), In(2, 2, 3, 4, 3, quant=(0.01, 128))], None, opset=20, flags=SUMS, mode="linear")
	yield one("of volumes, nearest", "GridSample", [In(2, 3, 4, 5, 6), In(2, 2, 3, 4, 3, quant=(0.01, 128))], None, opset=20, flags=SUMS, mode="nearest")
	yield one("of images with channels last", "GridSample", [In(2, 3, 5, 6, image=True), grid], None, opset=16, flags=SUMS)
	yield one("of a grid of three numbers", "GridSample", [image, In(2, 4, 7, 3)], "its grid does not fit", opset=16)


def window_places():
	"""Pools with dilations, in three directions, and norms."""
	x = In(2, 3, 9, 10)
	for op, more in (("MaxPool", {}), ("AveragePool", {"count_include_pad": 1}), ("LpPool", {})):
		flags = SUMS if op != "MaxPool" else 0
		for name, shape, attrs in (
			("dilated", x, {"kernel_shape": [3, 2], "dilations": [2, 3]}),
			("dilated, with strides and pads", x, {"kernel_shape": [3, 2], "dilations": [2, 3], "strides": [2, 1], "pads": [1, 0, 2, 1]}),
			("of volumes", In(2, 3, 4, 5, 6), {"kernel_shape": [2, 3, 2], "pads": [0, 1, 0, 1, 1, 0]}),
			("of volumes of one image", In(2, 3, 1, 5, 6), {"kernel_shape": [1, 2, 3]}),
			("of lines, dilated", In(2, 3, 12), {"kernel_shape": [3], "dilations": [4]}),
		):
			yield one(f"{op} {name}", op, [shape], None, opset=19, flags=flags, to=(0.09, 20) if op == "LpPool" else (0.04, 9), **attrs, **more)
	yield one("MaxPool of int8", "MaxPool", [In(2, 3, 9, 10, dtype=I8, quant=(0.04, -9))], None, opset=19, dtype=I8, kernel_shape=[3, 2], dilations=[2, 3], pads=[2, 1, 2, 1])
	for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
		yield one(f"LpPool {pad}", "LpPool", [x], None, opset=18, flags=SUMS, to=(0.09, 20), kernel_shape=[2, 4], auto_pad=pad)
	yield one("MaxPool of padding only", "MaxPool", [In(2, 3, 1)], "one of its windows has padding only", opset=13, kernel_shape=[2], dilations=[2], pads=[1, 1])
	for op in ("MaxPool", "AveragePool", "LpPool"):
		yield one(f"{op} dilated, SAME_UPPER", op, [x], "fewer windows than ONNX says", opset=19, kernel_shape=[2, 2], dilations=[2, 2], auto_pad="SAME_UPPER")
	yield one("LpPool of the third power", "LpPool", [x], "attribute p 3: nnloop can do 2 only", opset=18, kernel_shape=[2, 2], p=3)
	yield one("AveragePool whose padding does not count", "AveragePool", [x], None, opset=19, flags=SUMS, kernel_shape=[3, 2], dilations=[2, 3], pads=[1, 1, 1, 1])
	yield one("MaxPool of a large window", "MaxPool", [In(2, 2, 80, 80)], "more than 1024 places", opset=19, kernel_shape=[33, 32], dilations=[2, 2])


def moved_parts():
	"""CenterCropPad and Compress; what CastLike makes."""
	x = In(2, 5, 6)
	for name, shape, axes, says in (
		("cropped", [3, 3], [1, 2], None), ("padded", [8, 9], [1, 2], None), ("both", [8, 3], [1, 2], None), ("from the end", [4], [-1], None),
		("one axis twice", [3, 3], [1, 1], "not different ones"), ("the batch", [1, 5, 6], None, "which is the batch"),
		("fewer numbers", [3], [1, 2], "not a number for each axis"),
	):
		yield one(f"CenterCropPad {name}", "CenterCropPad", [x, i64(*shape)], says, opset=18, **({"axes": axes} if axes else {}))
	yield one("CenterCropPad of all that is fixed", "CenterCropPad", [In(2, 5, 6, fixed=True), i64(1, 7, 3)], None, opset=18)
	for name, shape, wanted, attrs, says in (
		("along an axis", x, [1, 0, 1, 1], {"axis": 1}, None), ("from the end", x, [0, 1, 1], {"axis": -1}, None),
		("without an axis", In(2, 5, 6, fixed=True), [0, 1] * 20, {}, None), ("without an axis, of a batch", x, [0, 1], {}, "which is the batch"),
		("of the batch", x, [0, 1], {"axis": 0}, "or takes none"), ("of nothing", x, [0, 0, 0], {"axis": 1}, "or takes none"),
		("of more than there is", x, [1] * 7, {"axis": 1}, "for more than the 5 indices"),
	):
		yield one(f"Compress {name}", "Compress", [shape, np.array(wanted, bool)], says, opset=11, **attrs)
	yield one("Compress by what is computed", "Compress", [x, i64(1, 0, 1)], "no constant list of bools", opset=11, axis=1)
	for name, like, to, dtype in (("float", In(2, 5, 6), (0.04, 9), U8), ("int32", In(2, 5, 6, dtype=np.int32, quant=None, span=(0, 9)), None, np.int32)):
		x = In(2, 5, 6) if name == "float" else In(2, 5, 6, dtype=I8, quant=None)
		yield one(f"CastLike of {name}", "CastLike", [x, like], None, to=to, dtype=dtype, opset=19)


def logarithms():
	for op in ("ReduceLogSum", "ReduceLogSumExp"):
		for name, axes, keep, shape in (("the last", [-1], 1, In(2, 5, 6)), ("two", [1, 2], 0, In(2, 4, 5, 6)), ("one in the middle", [1], 0, In(2, 5, 6)),
						("all that is fixed", [0, 1], 0, In(2, 5, 6, fixed=True))):
			yield one(f"{op} {name}", op, [shape, i64(*axes)], None, to=(0.03, 40), opset=18, flags=SUMS, keepdims=keep)
		yield one(f"{op} of the batch", op, [In(2, 5, 6), i64(0)], " ", to=(0.03, 40), opset=18)
	g = Graph("ReduceLogSumExp of a function")
	g.output(g.node("ReduceLogSumExp", [g.node("Tanh", [g.real(In(2, 5, 6))]), g.const(i64(2))]), quant=(0.03, 40))
	yield g.case(18, None, SUMS)


def masks():
	"""What is added to the scores of an attention: a number or none, of more elements than there may be different numbers."""
	n = 70
	for dtype in (U8, I8, S16):
		for op, fill in (("Add", -np.inf), ("Add", -1e9), ("Add", np.finfo(F32).min), ("Sub", np.inf), ("Max", -np.inf), ("Min", np.inf)):
			g = Graph(f"{op} {fill} of {np.dtype(dtype).name}")
			mask = g.const(F32(np.where(np.tri(n, dtype=bool), 0, fill)))
			g.output(g.node(op, [g.real(In(2, 2, n, n, dtype=dtype)), mask]), dtype, (0.07, 20))
			yield g.case(21, None)
	for op in ("Mul", "Div", "Max"):
		g = Graph(f"{op} of more different numbers than there are tables")
		g.output(g.node("Relu", [g.node(op, [g.real(In(2, 2, n, n)), g.const(F32(g.rng.normal(0, 1, (n, n))))])]))
		yield g.case(21, None)
	g = Graph("infinity times int16")
	g.output(g.node("Mul", [g.real(In(2, 3, dtype=S16)), g.const(F32([1, np.inf, 2]))]), S16)
	yield g.case(21, "element 1 of its constant")
	# Nothing that is padded counts, in three directions.
	yield one("AveragePool of volumes, padded", "AveragePool", [In(2, 3, 4, 5, 6, quant=(0.043, 9))], None, opset=19, flags=SUMS, kernel_shape=[2, 3, 2], pads=[1, 1, 0, 0, 1, 1])
	for dtype in (S16, U16):
		x = In(2, 3, 4, 5, 6, dtype=dtype, quant=(0.0043, 9))
		yield one(f"MaxPool of volumes of {np.dtype(dtype).name}", "MaxPool", [x], None, (0.0043, 9), opset=21, dtype=dtype, kernel_shape=[2, 3, 2], pads=[1, 1, 0, 0, 1, 1])
		yield one(f"AveragePool of volumes of {np.dtype(dtype).name}", "AveragePool", [x], None, (0.0031, 5), opset=21, dtype=dtype, flags=SUMS, kernel_shape=[2, 3, 2])


def wheres():
	"""Where, which broadcasts in all dimensions where the first ones are fixed."""
	for name, shapes, says in (
		("a condition of fewer dimensions", [(4, 1), (2, 3, 4, 5), (1,)], None),
		("each of its own", [(3, 1, 5), (3, 4, 1), (1, 4, 5)], None),
		("rows that differ", [(1, 4), (3, 1), (3, 4)], None),
		("dimensions that do not fit", [(2, 4), (2, 3), (2, 4)], " "),
	):
		ins = [In(*shapes[0], dtype=U8, quant=None, fixed=True, span=(0, 2)), *(In(*s, fixed=True, quant=(0.04, 9)) for s in shapes[1:])]
		g = Graph(name)
		condition = g.node("Cast", [g.real(ins[0])], to=9)
		g.output(g.node("Where", [condition, g.real(ins[1]), g.real(ins[2])]), quant=(0.05, 20))
		yield g.case(16, says)


def directions():
	"""Convolutions of volumes in which one direction is 1, and of lines."""
	for op, axis in (("Conv", 0), ("ConvTranspose", 1)):
		for name, shape, kernel, attrs, says in (
			("the depth is 1", (2, 3, 1, 6, 7), (1, 3, 2), {"pads": [0, 1, 0, 0, 0, 1], "strides": [1, 2, 1]}, None),
			("the height is 1", (2, 3, 6, 1, 7), (3, 1, 2), {"strides": [2, 3, 1]}, None),
			("the width is 1", (2, 3, 6, 7, 1), (2, 3, 1), {"dilations": [2, 1, 1]}, None),
			("none is 1", (2, 3, 4, 5, 6), (2, 2, 2), {}, None),
			("lines", (2, 3, 12), (4,), {"strides": [2], "pads": [1, 0], "dilations": [2]}, None),
		):
			g = Graph(f"{op}, {name}")
			w = g.weights([3, 4, *kernel] if axis else [4, 3, *kernel])
			g.output(g.node(op, [g.real(In(*shape)), w], **attrs), quant=(0.03, 120))
			yield g.case(13, says, SUMS)
	g = Graph("Conv, the depth is 1, with groups, a bias and Relu")
	w, bias = g.weights([4, 2, 1, 3, 3]), g.node("DequantizeLinear", [g.const(np.arange(-2, 2).astype(np.int32) * 300), g.const(F32(0.04) * F32(0.01)), g.const(np.int32(0))])
	g.output(g.node("Relu", [g.node("Conv", [g.real(In(2, 4, 1, 6, 7)), w, bias], group=2, auto_pad="SAME_UPPER")]), quant=(0.02, 0))
	yield g.case(13, None, SUMS)
	for name, shape, attrs in (
		("the depth is 1", (2, 3, 1, 6, 7), {"kernel_shape": [1, 3, 2], "pads": [0, 1, 1, 0, 1, 0], "strides": [1, 2, 1]}),
		("the width is 1, and it is rounded up", (2, 3, 6, 7, 1), {"kernel_shape": [3, 2, 1], "strides": [2, 2, 1], "pads": [1, 0, 0, 1, 0, 0], "ceil_mode": 1}),
		("the height is 1, and padding counts", (2, 3, 6, 1, 7), {"kernel_shape": [3, 1, 2], "pads": [1, 0, 0, 1, 0, 1], "count_include_pad": 1}),
	):
		for opset in (13, 19):
			yield one(f"AveragePool, {name}, opset {opset}", "AveragePool", [In(*shape)], None, opset=opset, flags=SUMS, **attrs)
	for opset in (10, 11, 22):
		for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
			for stride in (1, 2):
				g = Graph(f"ConvTranspose, {pad}, stride {stride}, opset {opset}")
				g.output(g.node("ConvTranspose", [g.real(In(2, 3, 5, 6)), g.weights([3, 4, 3, 4])], auto_pad=pad, strides=[stride, stride]), quant=(0.03, 120))
				yield g.case(opset, None, SUMS)


def long_windows():
	"""Convolutions and pools whose window or stride is longer than the DSP's, as for sound."""
	for name, shape, w, attrs in (
		("a line, of stride 160", (1, 1, 1600), (6, 1, 512), {"strides": [160]}),
		("a line, of stride 1", (2, 3, 700), (4, 3, 300), {}),
		("a line, padded", (2, 2, 900), (3, 2, 512), {"strides": [8], "pads": [256, 255]}),
		("a line, of stride 512", (1, 1, 2100), (5, 1, 512), {"strides": [512]}),
		("a line, of a stride that is a prime", (1, 1, 1500), (5, 1, 12), {"strides": [257]}),
		("a line, dilated", (1, 2, 1400), (3, 2, 260), {"dilations": [3], "strides": [2]}),
		("a line, SAME_UPPER", (1, 2, 777), (3, 2, 400), {"auto_pad": "SAME_UPPER", "strides": [5]}),
		("a line, SAME_LOWER", (1, 2, 777), (3, 2, 400), {"auto_pad": "SAME_LOWER", "strides": [6]}),
		("a line, of groups", (2, 4, 600), (6, 2, 301), {"group": 2, "strides": [3]}),
		("a line, of groups, by a stride", (2, 4, 600), (6, 2, 301), {"group": 2, "strides": [4]}),
		("a line, each channel by itself", (2, 3, 600), (3, 1, 300), {"group": 3}),
		("an image, in its width", (1, 2, 3, 600), (3, 2, 2, 300), {"pads": [1, 0, 0, 7]}),
		("an image, in its height", (1, 2, 600, 3), (3, 2, 300, 2), {"strides": [3, 2]}),
		("an image, in both", (1, 1, 257, 260), (1, 1, 256, 256), {"strides": [1, 2]}),
		("a volume whose height is 1", (1, 2, 400, 1, 3), (3, 2, 300, 1, 2), {"strides": [4, 1, 1]}),
		("a line of 255", (1, 2, 600), (3, 2, 255), {}),
		("a line of 256", (1, 2, 600), (3, 2, 256), {}),
	):
		g = Graph(f"Conv, {name}")
		g.output(g.node("Conv", [g.real(In(*shape, quant=(0.04, 119))), g.weights(w)], **attrs), quant=(0.2, 120))
		yield g.case(13, None, SUMS)
	g = Graph("Conv, of a scale for each output, zero points and a bias")
	data = g.const(g.rng.integers(-64, 65, (3, 2, 400)).astype(I8))
	w = g.node("DequantizeLinear", [data, g.const(np.array([0.01, 0.02, 0.005], F32)), g.const(np.array([3, -4, 5], I8))], axis=0)
	bias = g.node("DequantizeLinear", [g.const(np.array([900, -700, 300], np.int32)), g.const(F32(0.04) * np.array([0.01, 0.02, 0.005], F32)), g.const(np.zeros(3, np.int32))], axis=0)
	g.output(g.node("Relu", [g.node("Conv", [g.real(In(2, 2, 700)), w, bias], strides=[3], pads=[200, 100])]), quant=(0.2, 0))
	yield g.case(13, None, SUMS)
	for op in ("MaxPool", "AveragePool", "LpPool"):
		flags, to = 0 if op == "MaxPool" else SUMS, (0.8, 0) if op == "LpPool" else (0.04, 9)
		for name, shape, attrs, says in (
			("all of a line", (2, 3, 512), {"kernel_shape": [512]}, None),
			("all of an image", (1, 2, 256, 7), {"kernel_shape": [256, 7]}, None),
			("nearly all of an image", (1, 2, 256, 7), {"kernel_shape": [256, 6], "strides": [1, 2]}, None),
			("a line", (2, 3, 1100), {"kernel_shape": [512], "strides": [100]}, None),
			("a line, of a long stride", (2, 3, 1100), {"kernel_shape": [5], "strides": [300]}, None),
			("a line of too many", (1, 1, 1030), {"kernel_shape": [1025]}, "more than 1024 places"),
		):
			yield one(f"{op}, {name}", op, [In(*shape)], says, to=to, flags=flags, **attrs)
	yield one("MaxPool, padded", "MaxPool", [In(2, 3, 600)], None, kernel_shape=[300], pads=[200, 100], strides=[7])
	yield one("GlobalAveragePool", "GlobalAveragePool", [In(1, 2, 300, 20)], None, flags=SUMS)
	yield one("GlobalMaxPool", "GlobalMaxPool", [In(1, 2, 300, 20)], None)
	yield one("ConvTranspose", "ConvTranspose", [In(1, 2, 5, 6), np.zeros((2, 3, 1, 256), F32)], " ")


def computed_weights():
	"""Convolutions whose weights are a tensor."""
	q = (0.01, 120)
	for name, shape, w, attrs, says in (
		("an image", (1, 3, 6, 7), (4, 3, 2, 3), {}, None),
		("two images", (2, 3, 6, 7), (4, 3, 2, 3), {"pads": [1, 0, 1, 2], "strides": [1, 2]}, None),
		("each channel by itself", (1, 3, 6, 7), (3, 1, 2, 2), {"group": 3, "dilations": [2, 3]}, None),
		("groups of two images", (2, 4, 6, 7), (6, 2, 3, 1), {"group": 2, "auto_pad": "SAME_UPPER"}, None),
		("a line", (1, 3, 20), (5, 3, 4), {"strides": [3]}, None),
		("a volume", (1, 2, 4, 5, 6), (3, 2, 2, 2, 2), {}, None),
		("another number of channels", (1, 3, 6, 7), (4, 2, 2, 3), {}, "do not fit 3 channels"),
		("a large window", (1, 1, 40, 40), (1, 1, 33, 32), {}, "more than 1024 places"),
	):
		g = Graph(name)
		g.output(g.node("Conv", [g.real(In(*shape, fixed=True)), g.real(In(*w, quant=q, fixed=True))], **attrs), quant=(0.06, 120))
		yield g.case(13, says, SUMS)
	g = Graph("with a bias")
	bias = g.node("DequantizeLinear", [g.const(np.arange(4, dtype=np.int32) * 90), g.const(F32(0.0004)), g.const(np.int32(0))])
	g.output(g.node("Conv", [g.real(In(1, 3, 6, 7, fixed=True)), g.real(In(4, 3, 2, 3, quant=q, fixed=True)), bias]), quant=(0.06, 120))
	yield g.case(13, "it has a bias")
	g = Graph("for any number of items")
	g.output(g.node("Conv", [g.real(In(2, 3, 6, 7)), g.real(In(4, 3, 2, 3, quant=q, fixed=True))]), quant=(0.06, 120))
	yield g.case(13, "computed for all items at once")
	g = Graph("the features of a template, found in an image")
	found = g.node("Reshape", [g.real(In(1, 5, 3, 2, quant=q, fixed=True)), g.const(i64(5, 1, 3, 2))])
	g.output(g.node("Relu", [g.node("Conv", [g.real(In(1, 5, 7, 8, fixed=True)), found], group=5)]), quant=(0.03, 0))
	yield g.case(13, None, SUMS)
	g = Graph("a constant that is turned")
	w = g.node("Transpose", [g.weights((2, 3, 3, 4))], perm=[3, 2, 0, 1])
	g.output(g.node("Conv", [g.real(In(2, 3, 6, 7)), w]), quant=(0.06, 120))
	yield g.case(13, None, SUMS)
	g = Graph("a constant of a scale for each output, that is turned")
	data = g.const(g.rng.integers(-64, 65, (2, 3, 3, 4)).astype(I8))
	w = g.node("DequantizeLinear", [data, g.const(np.array([0.01, 0.02, 0.005, 0.03], F32)), g.const(np.zeros(4, I8))], axis=3)
	w = g.node("Transpose", [w], perm=[3, 2, 0, 1])
	g.output(g.node("Conv", [g.real(In(2, 3, 6, 7)), w]), quant=(0.06, 120))
	yield g.case(13, None, SUMS)


def rotary_embedding():
	x, flat = In(1, 4, 3, 8), In(1, 3, 32)  # ONNX Runtime wants angles for as many items
	angles = np.linspace(0, 6, 12, dtype=F32).reshape(3, 4)
	table = np.linspace(0, 9, 28, dtype=F32).reshape(7, 4)
	places = In(1, 3, dtype=np.int64, quant=None, span=(0, 7))
	of = lambda a: [np.cos(a), np.sin(a)]
	to = (0.05, 20)
	for name, inputs, attrs, says in (
		("of one angle for all items", [x, *of(angles[None])], {}, None),
		("interleaved", [x, *of(angles[None])], {"interleaved": 1}, None),
		("with heads side by side", [flat, *of(angles[None])], {"num_heads": 4}, None),
		("without num_heads", [flat, *of(angles[None])], {}, "num_heads does not divide the last"),
		("of a part", [x, *of(angles[None, :, :2])], {"rotary_embedding_dim": 4}, None),
		("of a part, interleaved", [x, *of(angles[None, :, :2])], {"rotary_embedding_dim": 4, "interleaved": 1}, None),
		("of places", [x, *of(table), places], {}, None),
		("of places, with heads side by side", [flat, *of(table), places], {"num_heads": 4, "interleaved": 1}, None),
		("of angles that are computed", [In(2, 4, 3, 8), In(2, 3, 4, quant=(0.01, 128)), In(2, 3, 4, quant=(0.01, 128))], {}, None),
		("of a fixed batch", [In(2, 4, 3, 8, fixed=True), *of(np.stack([angles, angles + 1]))], {}, None),
		("of angles for two items", [x, *of(np.stack([angles, angles + 1]))], {}, "for 2 items, which may be others"),
		("of other angles", [x, *of(angles[None, :, :2])], {}, "8 elements, and its angles 2"),
		("of int8", [In(1, 4, 3, 8, dtype=I8), *of(angles[None])], {}, None),
		("of places of two items", [In(2, 4, 3, 8), *of(table), In(2, 3, dtype=np.int64, quant=None, span=(0, 7))], {}, None),
	):
		yield one(name, "RotaryEmbedding", inputs, says, to=to, opset=23, flags=SUMS, **attrs)


def einsum():
	a, b = In(2, 3, 4, 5), In(2, 3, 6, 5, quant=(0.03, 120))
	fixed = lambda *shape: In(*shape, fixed=True, quant=(0.03, 120))
	w = lambda *shape: ("w", shape)
	for equation, inputs, says in (
		("bhid,bhjd->bhij", [a, b], None), ("bhij,bhjd->bhid", [In(2, 3, 4, 5), In(2, 3, 5, 6)], None),
		("bihd,bjhd->bhij", [In(2, 4, 3, 5), In(2, 6, 3, 5)], None), ("bhij,bjhd->bihd", [In(2, 3, 4, 5), In(2, 5, 3, 6)], None),
		("bnd,de->bne", [In(2, 4, 5), w(5, 6)], None), ("bnd,ed->bne", [In(2, 4, 5), w(6, 5)], None), ("bnd,dhk->bhnk", [In(2, 4, 5), w(5, 2, 3)], None),
		("bnhk,hkd->bnd", [In(2, 4, 2, 3), w(2, 3, 5)], None), ("nhd,hde->nhe", [In(2, 3, 4), w(3, 4, 5)], None), ("ij,bjk->bik", [w(4, 5), In(2, 5, 6)], None),
		("...d,de->...e", [In(2, 3, 4, 5), w(5, 6)], None), ("...ij,...jk->...ik", [In(2, 3, 4, 5), In(2, 3, 5, 6)], None), ("bi,bj->bij", [In(2, 4), In(2, 5)], None),
		(" b c d , b d e -> b e c ", [In(2, 3, 4), In(2, 4, 5)], None), ("bcd,bde", [In(2, 3, 4), In(2, 4, 5)], "'b', which is the batch"), ("bcd,de", [In(2, 3, 4), w(4, 5)], None), ("bd,bd->b", [In(2, 4), In(2, 4)], None),
		("ij,jk->ik", [fixed(4, 5), fixed(5, 6)], None), ("ij,kj->ki", [fixed(4, 5), fixed(6, 5)], None), ("bij,bjk->kbi", [fixed(2, 3, 4), fixed(2, 4, 5)], None),
		("nchw->nhwc", [In(2, 3, 4, 5)], None), ("ij->ji", [fixed(4, 5)], None), ("b...->b...", [In(2, 3, 4)], None), ("ba", [fixed(4, 5)], None),
		("bij->bi", [In(2, 3, 4)], "sums along dimensions of one operand"), ("bii->bi", [In(2, 3, 3)], "twice in one operand"), ("bij,bjk->ik", [In(2, 3, 4), In(2, 4, 5)], "'b', which is the batch"),
		("bij,bk->bijk,", [In(2, 3, 4), In(2, 5)], "its equation has a ','"), ("bij,bjk,bkl->bil", [In(2, 3, 4), In(2, 4, 5), In(2, 5, 6)], "it multiplies 3 operands"), ("bij,bjk->bil", [In(2, 3, 4), In(2, 4, 5)], "and no operand has"),
		("bij,bkl->bik", [In(2, 3, 4), In(2, 5, 6)], "of one operand only"), ("bij,bjk->bik", [In(2, 3, 4), In(2, 5, 6)], "different sizes of 'j'"), ("bij->b+i", [In(2, 3, 4)], "has a '+'"), ("bij,bj->bi", [In(2, 3, 4)], "for more operands"),
		("bi->bi", [In(2, 3, 4)], "for operand 0, which has 3"), ("bij", [In(2, 3, 4), In(2, 4, 5)], "for fewer operands"), ("bid,bd->bi", [In(2, 3, 4), w(2, 4)], "different sizes of 'b'"),
	):
		g = Graph(equation)
		names = [g.weights(x[1]) if isinstance(x, tuple) else g.real(x) for x in inputs]
		g.output(g.node("Einsum", names, equation=equation), quant=(0.05, 120))
		yield g.case(13, says, SUMS)
	for axis, says in ((1, None), (0, "one scale per index of 'd'")):
		g = Graph(f"scales of {axis}")
		many = (5, 6)[axis]
		data = g.const(g.rng.integers(-64, 65, (5, 6)).astype(I8))
		weights = g.node("DequantizeLinear", [data, g.const(np.linspace(0.005, 0.02, many, dtype=F32)), g.const(np.zeros(many, I8))], axis=axis)
		g.output(g.node("Relu", [g.node("Einsum", [g.real(In(2, 4, 5)), weights], equation="bnd,de->bne")]), quant=(0.05, 0))
		yield g.case(13, says, SUMS)


def floats_on():
	"""What reads the results of operators that are computed in float."""
	for name, make, says in (
		("Pad", lambda g, y: g.node("Pad", [y, g.const(i64(0, 0, 1, 0, 0, 0, 0, 2))]), None),
		("Transpose", lambda g, y: g.node("Transpose", [y], perm=[0, 2, 3, 1]), None),
		("Slice", lambda g, y: g.node("Slice", [y, g.const(i64(1)), g.const(i64(3)), g.const(i64(2))]), None),
		("Relu", lambda g, y: g.node("Relu", [y]), None),
	):
		for end in ("quantized", "in float"):
			g = Graph(f"{name}, {end}")
			y = make(g, g.node("GridSample", [g.real(In(2, 3, 5, 6)), g.real(In(2, 4, 7, 2, quant=(0.012, 128)))]))
			if end == "quantized":
				g.output(y)
			else:
				g.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, None))
			yield g.case(17, says if end == "in float" else None, SUMS)


def losses():
	"""Scores of classes, and what is right: with each reduction, weights and what is ignored, of one number for each item and of images."""
	for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
		for shape, where in (((3, 5), (3,)), ((2, 5, 3, 2), (2, 3, 2)), ((1, 4, 6), (1, 6))):
			scores, target = In(*shape, fixed=True), In(*where, dtype=I64, quant=None, span=(0, shape[1]), fixed=True)
			for reduction in ("none", "mean", "sum"):
				for weights in (None, np.linspace(0.2, 1.5, shape[1], dtype=F32), In(shape[1], fixed=True)):
					for ignored in ({}, {"ignore_index": 2}):
						how = "" if weights is None else ", weights" if isinstance(weights, np.ndarray) else ", quantized weights"
						yield one(f"{op} {shape}, {reduction}{how}{', one ignored' if ignored else ''}", op, [scores, target, weights], opset=13, flags=SUMS, to=(0.04, 99),
							  reduction=reduction, **ignored)
		scores, target = In(3, 5, 2), In(3, 2, dtype=I32, quant=None, span=(-1, 5))
		yield one(f"{op} of a batch", op, [scores, target], opset=13, flags=SUMS, to=(0.04, 99), reduction="none", ignore_index=-1)
		yield one(f"{op} over a batch", op, [scores, target], "its reduction goes over the batch", opset=13, ignore_index=-1)
		fixed = In(3, 2, dtype=I32, quant=None, span=(0, 5), fixed=True)
		yield one(f"{op} in float", op, [In(3, 5, 2, fixed=True), fixed], opset=13, flags=SUMS, to=None, dtype=F32, reduction="none")
		yield one(f"{op} in float, one number", op, [In(3, 5, 2, fixed=True), fixed], opset=13, flags=SUMS, to=None, dtype=F32)
		yield one(f"{op} of other targets", op, [In(3, 5, 4, fixed=True), fixed], "its targets do not fit its scores", opset=13)
		yield one(f"{op} of other weights", op, [In(3, 5, 2, fixed=True), fixed, In(4, fixed=True)], "its weights do not fit its scores", opset=13)
		yield one(f"{op} of constant targets", op, [In(3, 5, fixed=True), i64(0, 4, 2)], opset=13, flags=SUMS, to=(0.04, 99))
		yield one(f"{op} of constant targets, a batch", op, [In(3, 5), i64(0, 4, 2)], "its targets do not fit its scores", opset=13, reduction="none")
		yield one(f"{op} of constant targets, one item", op, [In(1, 5, 2, fixed=True), np.array([[3, 1]], I32)], opset=13, flags=SUMS, to=(0.04, 99))
		yield one(f"{op} of targets in float", op, [In(3, 5, fixed=True), In(3, fixed=True)], " ", opset=13)
	yield one("with what the softmax is", "SoftmaxCrossEntropyLoss", [In(3, 5, 2, fixed=True), fixed], opset=13, flags=SUMS, to=[(0.04, 99), (0.04, 255)], outs=2)


def resampled():
	"""Resize in float: cubic, with antialiasing, of a region, along other dimensions than height and width."""
	ways = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric")
	sizes = (((4, 5), (7, 3)), ((4, 5), (3, 8)), ((5, 4), (1, 1)), ((1, 5), (3, 2)), ((4, 5), (4, 9)))
	for mode in ("cubic", "linear"):
		for way in ways:
			for shape, size in sizes:
				x, to = In(2, 3, *shape, fixed=True), i64(2, 3, *size)
				if mode == "cubic":
					yield one(f"cubic {way} {shape} {size}", "Resize", [x, None, None, to], opset=19, flags=SUMS, mode=mode, coordinate_transformation_mode=way)
				if way != "align_corners":  # of which ONNX Runtime and ONNX differ
					yield one(f"{mode} antialias {way} {shape} {size}", "Resize", [x, None, None, to], opset=19, flags=SUMS, mode=mode, antialias=1, coordinate_transformation_mode=way)
		for scales in ((2, 0.5), (1, 1.5), (0.4, 1), (3, 3)):
			yield one(f"{mode} antialias by {scales}", "Resize", [In(2, 2, 5, 4), None, F32([1, 1, *scales])], opset=18, flags=SUMS, mode=mode, antialias=1)
	for more in ({"cubic_coeff_a": -0.5}, {"exclude_outside": 1}, {"exclude_outside": 1, "cubic_coeff_a": -0.5}):
		yield one(f"cubic {more}", "Resize", [In(2, 3, 4, 5), None, F32([1, 1, 1.5, 0.6])], opset=13, flags=SUMS, mode="cubic", **more)
	region = F32([0, 0, 0.2, -0.1, 1, 1, 0.8, 1.2])
	for outside in (0.0, 2.5):
		for size in ((3, 7), (1, 1)):
			yield one(f"a region of {size}, {outside} outside", "Resize", [In(2, 3, 5, 6, fixed=True), region, None, i64(2, 3, *size)], opset=13, flags=SUMS, mode="linear",
				  coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=outside)
	yield one("a region of some axes", "Resize", [In(2, 3, 5, 6), F32([0.1, 0.2, 0.9, 0.7]), None, i64(4, 3)], opset=18, flags=SUMS, mode="linear", axes=[3, 2],
		  coordinate_transformation_mode="tf_crop_and_resize")
	yield one("a region that is no constant", "Resize", [In(2, 3, 5, 6, fixed=True), In(8, fixed=True), None, i64(2, 3, 4, 4)], "its region is no constant", opset=13, mode="linear",
		  coordinate_transformation_mode="tf_crop_and_resize")
	yield one("a region to the nearest", "Resize", [In(2, 3, 5, 6, fixed=True), region, None, i64(2, 3, 4, 4)], "it resizes a region", opset=13, mode="nearest",
		  coordinate_transformation_mode="tf_crop_and_resize")
	for policy in ("not_larger", "not_smaller"):
		for mode in ("nearest", "linear", "cubic"):
			for size in ((7, 8), (3, 8), (2, 3)):
				yield one(f"{policy} {mode} {size}", "Resize", [In(2, 3, 4, 6), None, None, i64(*size)], opset=18, flags=SUMS, mode=mode, axes=[2, 3], keep_aspect_ratio_policy=policy)
	yield one("volumes", "Resize", [In(2, 3, 3, 4, 5), None, F32([1, 1, 2, 1.5, 0.6])], opset=13, flags=SUMS, mode="linear")
	yield one("lines", "Resize", [In(2, 3, 5), None, F32([1, 1, 2.4])], opset=18, flags=SUMS, mode="linear")
	yield one("cubic of the batch", "Resize", [In(2, 3, 5, 4), None, F32([2, 1, 1, 1])], "it resizes dimension 0, which is the batch", opset=13, mode="cubic")
	yield one("cubic of int8", "Resize", [In(2, 3, 4, 5, dtype=I8), None, F32([1, 1, 2, 2])], opset=13, dtype=I8, flags=SUMS, mode="cubic")
	yield one("cubic of an image", "Resize", [In(2, 3, 4, 5, image=True), None, F32([1, 1, 2, 2])], opset=13, flags=SUMS, mode="cubic")


def float_sums():
	"""Sums of three tensors and more, and powers of two tensors: each step in float32."""
	x, y, z = In(2, 3, 4, 5), In(2, 3, 4, 5, quant=(0.03, 77)), In(2, 3, 4, 5, quant=(0.011, 200))
	to = (0.08, 90)
	yield one("of three", "Sum", [x, y, z], to=to)
	yield one("of four", "Sum", [x, y, z, x], to=(0.12, 90))
	yield one("of images", "Sum", [In(2, 3, 4, 5, image=True), y, In(2, 3, 4, 5, image=True)], to=to)
	yield one("of int8", "Sum", [In(2, 7, dtype=I8), In(2, 7, dtype=I8), In(2, 7, dtype=I8, quant=(0.02, -3))], to=to, dtype=I8)
	yield one("broadcast", "Sum", [In(2, 1, 4, 5), In(2, 3, 1, 5), In(2, 1, 1, 1)], to=to)
	yield one("broadcast, fixed", "Sum", [In(4, 5, fixed=True), In(2, 3, 1, 5, fixed=True), In(5, fixed=True)], to=to)
	yield one("with constants", "Sum", [np.linspace(-1, 1, 5, dtype=F32), x, F32(0.25), y], to=to)
	yield one("of two constants in front", "Sum", [F32(1), F32(2), x], to=to)
	yield one("of integers", "Sum", [In(2, 3, dtype=I32, quant=None), In(2, 3), In(2, 3)], " ", to=to)
	base = In(2, 3, 4, quant=(0.01, 0))
	yield one("a power", "Pow", [base, In(2, 3, 4, quant=(0.02, 100))], to=(0.05, 0), flags=SUMS)
	yield one("a power, broadcast", "Pow", [base, In(2, 1, 4, quant=(0.02, 100))], to=(0.05, 0), flags=SUMS)
	yield one("powers of each channel", "Pow", [base, F32([0.5, 1, 2, 3])], to=(0.1, 0), flags=SUMS)


def whole_products():
	"""MatMul of tensors whose first dimensions are fixed: it is broadcast, summed along, or that of a vector."""
	to = (0.2, 120)
	shapes = (((3, 4), (4, 5)), ((1, 4), (4, 1)), ((2, 3, 4), (4, 5)), ((4,), (3, 4, 2)), ((2, 3, 4), (4,)), ((4,), (4,)), ((3, 4), (4,)), ((2, 1, 3, 4), (3, 4, 2)),
		  ((1, 3, 4), (5, 4, 2)), ((3, 3, 4), (3, 4, 2)), ((2, 4), (3, 4, 2)))
	for a, b in shapes:
		x, y = In(*a, fixed=True), In(*b, fixed=True, quant=(0.02, 120))
		yield one(f"{a} by {b}", "MatMul", [x, y], to=to, flags=SUMS)
		yield one(f"{a} by {b}, integers", "MatMulInteger", [In(*a, fixed=True, quant=None), In(*b, fixed=True, quant=None)], to=None, dtype=I32)
	g = Graph("QLinearMatMul of two matrices")
	g.output(g.node("QLinearMatMul", [g.input(In(3, 4, fixed=True)), *g.quant((0.04, 9), U8), g.input(In(4, 5, fixed=True)), *g.quant((0.02, 120), U8), *g.quant(to, U8)]), quant=None)
	yield g.case(13, None)
	yield one("a vector by another's constant", "MatMul", [In(4, fixed=True), np.ones((4, 3), F32)], None, to=to, flags=SUMS)
	yield one("of a batch by a matrix", "MatMul", [In(3, 4), In(4, 5, fixed=True)], " ", to=to)


def bare():
	"""What has no dimensions, which has one of 1 in the graph; and what does not depend on any input."""
	x = In(3, 4, fixed=True)
	for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"):
		yield one(f"{op} of all", op, [x], opset=11, flags=SUMS, to=(0.1, 20), keepdims=0)
		g = Graph(f"{op} of all, and further")
		y = g.node(op, [g.real(x)], keepdims=0)
		y = g.node("DequantizeLinear", [g.node("QuantizeLinear", [y, *g.quant((0.1, 20), U8)]), *g.quant((0.1, 20), U8)])
		g.output(g.node("Mul", [g.node("Sigmoid", [y]), g.real(x)]), quant=(0.05, 9))
		yield g.case(11, None, SUMS)
	g = Graph("a number that is divided by another")
	y = g.node("Div", [g.node("ReduceSum", [g.node("GlobalLpPool", [g.real(In(2, 3, 4, fixed=True))])], keepdims=0), g.node("ReduceSum", [g.node("LogSoftmax", [g.real(x)])], keepdims=0)])
	g.output(y, quant=(0.02, 250))
	yield g.case(11, None, SUMS)
	g = Graph("with dimensions again")
	y = g.node("ReduceMax", [g.real(x)], keepdims=0)
	g.output(g.node("Unsqueeze", [y], axes=[0]))
	yield g.case(11, "its input 0 has no dimensions", 0)
	yield one("over the batch", "ReduceMean", [In(3, 4)], "the batch, too", opset=11, keepdims=0)
	g = Graph("a reshape to nothing")
	g.output(g.node("Relu", [g.node("Reshape", [g.real(In(1, 1, fixed=True)), g.const(np.zeros(0, I64))])]))
	yield g.case(13, None)
	for name, make, dtype in (("Shape", lambda g, y: g.node("Shape", [y]), I64), ("Size", lambda g, y: g.node("Size", [y]), I64), ("an int8", lambda g, _: g.node("Identity", [g.const(I8([1, -2, 3]))]), I8),
				  ("floats", lambda g, _: g.node("Constant", [], value_floats=[0.5, -1.5]), F32), ("what is quantized", lambda g, _: g.weights((2, 3)), F32)):
		for fixed in (True, False):
			g = Graph(f"{name} as an output, {'fixed' if fixed else 'of a batch'}")
			y = g.real(In(2, 5, fixed=fixed))
			g.output(g.node("Relu", [y]))
			g.output(make(g, y), dtype, None)
			yield g.case(13, None if fixed else " ")
	g = Graph("an output of no elements")
	g.output(g.node("Relu", [g.real(x)]))
	g.output(g.node("Shape", [g.real(x)], start=1, end=1), I64, None)
	yield g.case(15, "is empty")


def linear_softmaxes():
	"""QLinearSoftmax of few elements, and of int8 where 1 is more than it can hold: until 1.31 ONNX Runtime has other numbers."""
	for dtype, zeros in ((U8, (0, 5)), (I8, (-128, -100, 0))):
		for count, steps, zero in itertools.product((1, 2, 3), (256, 512), zeros):
			g = Graph(f"{np.dtype(dtype).name}, {count} of {steps} steps from {zero}")
			inputs = [g.input(In(3, 40, count, dtype=dtype, quant=None)), *g.quant((0.05, 3), dtype), *g.quant((1 / steps, zero), dtype)]
			g.output(g.node("QLinearSoftmax", inputs, domain="com.microsoft", axis=-1, opset=13), dtype, None)
			yield g.case(17, None, SUMS)
	g = Graph("of no whole number of steps")
	g.output(g.node("QLinearSoftmax", [g.input(In(3, 5, quant=None)), *g.quant((0.05, 3), U8), *g.quant((0.003, 0), U8)], domain="com.microsoft", axis=-1, opset=13), U8, None)
	yield g.case(17, "is no whole number")


def zeros():
	"""Constants of zeros with a scale of 1, which quantizers give them, beside tensors of fine scales."""
	fine = (1.5e-7, 204)
	for op in ("Add", "Mul"):
		g = Graph(f"QLinear{op}")
		x = g.input(In(2, 3, 5, 5, quant=None))
		zero = g.const(np.zeros((3, 5, 5), U8))
		g.output(g.node(f"QLinear{op}", [x, *g.quant(fine, U8), zero, *g.quant((1.0, 0), U8), *g.quant(fine, U8)], domain="com.microsoft"), U8, None)
		yield g.case(17, None)
	for op in ("Add", "Sub", "Max", "Min", "Mul"):
		for dtype in (U8, I8):
			for zero, first in ((0, False), (7, True)):
				g = Graph(f"{op} of {np.dtype(dtype).name}, zero point {zero}")
				x = g.real(In(2, 3, 5, 5, dtype=dtype, quant=(1.5e-7, 20)))
				c = g.node("DequantizeLinear", [g.const(np.full((3, 5, 5), zero, dtype)), *g.quant((1.0, zero), dtype)])
				g.output(g.node(op, [c, x] if first else [x, c]), dtype, (1.7e-7, 20))
				yield g.case(13, None)
	g = Graph("QLinearAdd of what is not all zeros")
	c = g.const(np.arange(5, dtype=U8))
	g.output(g.node("QLinearAdd", [g.input(In(2, 5, quant=None)), *g.quant(fine, U8), c, *g.quant((1.0, 0), U8), *g.quant(fine, U8)], domain="com.microsoft"), U8, None)
	yield g.case(17, "differ too much")


NEWER = ("linear_softmaxes",)
FILES = {"zeros": zeros, "linear_softmaxes": linear_softmaxes, "masks": masks, "losses": losses, "resampled": resampled, "whole_products": whole_products, "bare": bare, "float_sums": float_sums, "floats_on": floats_on, "einsum": einsum, "rotary_embedding": rotary_embedding, "computed_weights": computed_weights, "long_windows": long_windows, "attention": attention, "grid_sample": grid_sample, "window_places": window_places, "moved_parts": moved_parts, "logarithms": logarithms, "wheres": wheres, "directions": directions}
