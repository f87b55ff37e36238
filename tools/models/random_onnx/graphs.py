#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random quantized ONNX graphs over the operators that nnloop imports, for fuzz.py.

A graph is made of a list of choices, each a number below how many there were: make_graph(Draw(seed=...)) draws them, and
make_graph(Draw(replay=[...])) makes the graph of a list again, or of a changed one. Options are listed the plainest
first, so that a list of smaller numbers is a smaller graph: this is how failures are made small.

Every graph has tags, "Operator.attribute=value", of which fuzz.py makes its table. Those of org.nnloop are left to other tests.

Where a graph convolves or multiplies matrices in float, between DequantizeLinear and QuantizeLinear, it has a twin with
ONNX Runtime's integer operators (QLinearConv, QLinearMatMul, com.microsoft's QGemm): float sums round in an order that
ONNX does not define, integers do not, so that either is right.
"""
import os
import sys
import time

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

from common.draw import Draw, Made
from random_onnx.builder import INT8, INT16, INT32, UINT8, UINT16, Graph, Quant, name_operator
from random_onnx.boxes import roi_align
from random_onnx.control import control
from random_onnx.found import found
from random_onnx.functions import circular, functions
from random_onnx.integers import arithmetic, cast, logic, where
from random_onnx.linear import microsoft_pair, qgemm, qlinear_concat, qlinear_leaky_relu, qlinear_sigmoid, qlinear_softmax
from random_onnx.moves import (blocked_weights, clip, concat, depth_to_space, dropout, expand, flatten, gather, identity, leaky_relu, max_pool, pad,
			  quantize_axis, relu, requantize, reshape, shape_gather, slice_, space_to_depth, split, squeeze, tile, transpose, trilu,
			  unsqueeze)
from random_onnx.newest import attention, cast_like, center_crop_pad, compress, einsum, grid_sample, loss, lp_pool, rotary_embedding
from random_onnx.normal import (batch_normalization, instance_normalization, layer_normalization, lp_normalization, steps)
from random_onnx.operators import (average_pool, conv, conv_transpose, gemm, global_average_pool, matmul, matmul_add, of_two, qlinear_conv,
			      qlinear_average_pool, qlinear_global_average_pool, qlinear_matmul, qlinear_two)
from random_onnx.picks import conv_integer, cum_sum, gather as gather_by_tensor, gather_elements, gather_nd, hardmax, one_hot, scatter_elements, scatter_nd, top_k
from random_onnx.products import arg, matmul_integer
from random_onnx.products import matmul as product
from random_onnx.recurrent import recurrent
from random_onnx.regions import global_lp_pool, global_max_pool, reduce, resize, softmax
from random_onnx.shapes import computed_reshape

# ---- kinds ----

IMAGE, VECTOR, ANY = "image", "vector", "any"
# name: function, what it takes, how often it is the graph's subject
KINDS = {
	"Conv": (conv, IMAGE, 22), "ConvTranspose": (conv_transpose, IMAGE, 14), "QLinearConv": (qlinear_conv, IMAGE, 18),
	"Gemm": (gemm, VECTOR, 20), "MatMul": (matmul, VECTOR, 4),
	"MatMul+Add": (matmul_add, VECTOR, 6), "QLinearMatMul": (qlinear_matmul, VECTOR, 4), "Add": (of_two("Add"), ANY, 6),
	"QLinearAdd": (qlinear_two("QLinearAdd"), ANY, 4), "AveragePool": (average_pool, IMAGE, 20), "GlobalAveragePool": (global_average_pool, IMAGE, 3),
	"QLinearAveragePool": (qlinear_average_pool, IMAGE, 20), "QLinearGlobalAveragePool": (qlinear_global_average_pool, IMAGE, 6), "MaxPool": (max_pool, IMAGE, 20), "Relu": (relu, ANY, 2),
	"LeakyRelu": (leaky_relu, ANY, 9), "Function": (functions, ANY, 40), "Circular": (circular, ANY, 12),
	"Clip": (clip, ANY, 8), "Reshape": (reshape, ANY, 9), "Flatten": (flatten, ANY, 5), "Squeeze": (squeeze, ANY, 10),
	"Unsqueeze": (unsqueeze, ANY, 3), "Transpose": (transpose, ANY, 9), "Identity": (identity, ANY, 1), "Dropout": (dropout, ANY, 7),
	"Concat": (concat, ANY, 6), "Requantize": (requantize, ANY, 6), "Axis": (quantize_axis, ANY, 5), "Blocks": (blocked_weights, VECTOR, 1),
	"Gather": (shape_gather, ANY, 1), "Pad": (pad, ANY, 10), "Slice": (slice_, ANY, 8), "Split": (split, ANY, 6), "Take": (gather, ANY, 5),
	"Tile": (tile, ANY, 3), "Expand": (expand, ANY, 3), "Trilu": (trilu, ANY, 3), "DepthToSpace": (depth_to_space, IMAGE, 3), "SpaceToDepth": (space_to_depth, IMAGE, 3),
	"Mul": (of_two("Mul"), ANY, 8), "Sub": (of_two("Sub"), ANY, 4), "Div": (of_two("Div"), ANY, 4), "Min": (of_two("Min"), ANY, 3),
	"Max": (of_two("Max"), ANY, 3), "PRelu": (of_two("PRelu"), ANY, 4), "QLinearMul": (qlinear_two("QLinearMul"), ANY, 4),
	"Resize": (resize, IMAGE, 20), "RoiAlign": (roi_align, IMAGE, 14),
	"ReduceMax": (reduce("ReduceMax", 18, True), ANY, 6), "ReduceMin": (reduce("ReduceMin", 18, True), ANY, 6),
	"ReduceMean": (reduce("ReduceMean", 18, False), ANY, 8), "ReduceSum": (reduce("ReduceSum", 13, False), ANY, 8),
	"ReduceProd": (reduce("ReduceProd", 18, False), ANY, 6), "ReduceL1": (reduce("ReduceL1", 18, False), ANY, 4),
	"ReduceL2": (reduce("ReduceL2", 18, False), ANY, 4), "ReduceSumSquare": (reduce("ReduceSumSquare", 18, False), ANY, 4), "GlobalLpPool": (global_lp_pool, IMAGE, 3), "GlobalMaxPool": (global_max_pool, IMAGE, 3),
	"Softmax": (softmax("Softmax"), ANY, 9), "LogSoftmax": (softmax("LogSoftmax"), ANY, 6),
	"ArgMax": (arg("ArgMax"), ANY, 5), "ArgMin": (arg("ArgMin"), ANY, 5),
	"Product": (product("MatMul"), VECTOR, 10), "QLinearProduct": (product("QLinearMatMul"), VECTOR, 6), "MatMulInteger": (matmul_integer, VECTOR, 5),
	"LayerNormalization": (layer_normalization, ANY, 8), "InstanceNormalization": (instance_normalization, IMAGE, 6),
	"BatchNormalization": (batch_normalization, ANY, 6),
	"LpNormalization": (lp_normalization, ANY, 5), "Steps": (steps, ANY, 8),
	"Logic": (logic, ANY, 12), "Where": (where, ANY, 10), "Integers": (arithmetic, ANY, 16), "Cast": (cast, ANY, 10),
	"OneHot": (one_hot, ANY, 4), "Hardmax": (hardmax, ANY, 4), "CumSum": (cum_sum, ANY, 5),
	"GatherByTensor": (gather_by_tensor, ANY, 5), "GatherElements": (gather_elements, ANY, 4), "GatherND": (gather_nd, ANY, 4),
	"ScatterElements": (scatter_elements, ANY, 5), "ScatterND": (scatter_nd, ANY, 4), "TopK": (top_k, ANY, 5), "ConvInteger": (conv_integer, IMAGE, 4),
	"Shapes": (computed_reshape, ANY, 12),
	"QLinearSigmoid": (qlinear_sigmoid, ANY, 3), "QLinearLeakyRelu": (qlinear_leaky_relu, ANY, 4), "QLinearConcat": (qlinear_concat, ANY, 4),
	"QLinearSoftmax": (qlinear_softmax, ANY, 4),
	"Attention": (attention, ANY, 8), "GridSample": (grid_sample, IMAGE, 6), "LpPool": (lp_pool, IMAGE, 6), **{op: (loss(op), ANY, 3) for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")}, "CenterCropPad": (center_crop_pad, ANY, 4), "Compress": (compress, ANY, 3),
	"CastLike": (cast_like, ANY, 4), "RotaryEmbedding": (rotary_embedding, ANY, 4), "Einsum": (einsum, ANY, 5), "ReduceLogSum": (reduce("ReduceLogSum", 18, False), ANY, 4), "ReduceLogSumExp": (reduce("ReduceLogSumExp", 18, False), ANY, 4),
	"Recurrent": (recurrent, ANY, 6), "Loop": (control("Loop"), ANY, 8), "If": (control("If"), ANY, 4), "Scan": (control("Scan"), ANY, 4),
	"NonMaxSuppression": (found, ANY, 6),
	"QGemm": (qgemm, VECTOR, 5), "Pair": (microsoft_pair, ANY, 3),
}
# Those that take what is real and not rounded yet, or integers, as well.
MOVES = ["Relu", "Clip", "MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Dropout", "Concat", "Pad", "Slice", "Split",
	 "Take", "Tile", "Expand", "CenterCropPad", "Compress", "DepthToSpace", "SpaceToDepth"]
# Those that end a graph, with integers that nothing else takes.
ENDS = ["ArgMax", "ArgMin", "MatMulInteger", "ConvInteger"]
# Those whose bodies decide how often they run, in models of fixed shapes, behind which nothing more comes.
CONTROL = ["Loop", "If", "Scan"]
# What has inputs of its own, of fixed dimensions.
FOUND = ["NonMaxSuppression"]
# Those that take lines of N, C, L as well.
LINES = ["Conv", "QLinearConv", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "QLinearAveragePool", "QLinearGlobalAveragePool"]
# Those whose results may be integers or bools that no scale belongs to.
INTEGERS = ["CastLike", "OneHot", "TopK", "GatherByTensor", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "CumSum", "Logic", "Where", "Integers", "Cast"]
LINEAR = ["QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul", "QLinearAveragePool", "QLinearGlobalAveragePool"]


def first_shape(g, kind, takes):
	size = lambda high: g.d.between(1, high)
	if takes == IMAGE:
		dims = [g.batch, g.d.pick([2, 1, 3, 4, 6, 8], [4, 3, 3, 5, 4, 2]), size(7), size(7)]
		if g.d.chance(20):
			dims[1] = g.d.pick([32, 33, 130])
		if g.d.chance(20):
			dims[3] = g.d.pick([17, 40])
		if g.d.chance(60):
			dims = dims[:3] if g.d.chance(2) else [*dims[:4], 3]
		elif kind in LINES and g.d.chance(4):
			dims = [*dims[:2], dims[3]]
		return dims
	if takes == VECTOR:
		dims = [g.batch, size(12) if not g.d.chance(10) else 70]
		if kind not in ("Gemm", "QGemm") and g.d.chance(3):
			dims.insert(1, size(4))
		if kind not in ("Gemm", "QGemm") and g.d.chance(8):
			dims.insert(1, size(3))
		return dims
	rank = g.d.pick([4, 2, 3, 5, 1], [8, 6, 4, 1, 1])
	dims = [g.batch, *[g.d.pick([1, 2, 3, 4, 5, 6, 7]) for _ in range(rank - 1)]]
	if kind == "Squeeze":
		for i in range(1, rank):
			if g.d.chance(2):
				dims[i] = 1
	return dims


def fits(kind, v):
	takes = KINDS[kind][1]
	if kind in ("Axis", "Blocks", "Gather", *CONTROL, *FOUND) or not (v.real or v.quant):
		return False
	if not v.shape:
		return kind in ("Relu", "Clip", "Identity")
	if takes == IMAGE:
		return len(v.shape) == 4 or (len(v.shape) == 3 and kind in LINES)
	if kind in ("Gemm", "QGemm"):
		return len(v.shape) == 2
	return takes != VECTOR or len(v.shape) >= 2


def apply(g, kind, v, opset):
	"""One operator on integers; its result may be real."""
	if kind in MOVES and v.quant and v.quant.dtype in (UINT8, INT8):
		on_integers = kind not in ("Relu", "Dropout") and opset >= 8 and g.d.chance(4 if kind not in ("Clip",) else 40)
		if kind == "Relu":
			on_integers = g.d.chance(40)
		if not on_integers:
			v = g.dequantize(v)
	return KINDS[kind][0](g, v, opset)


def post(g, v, opset):
	"""Operators between one that computes and its QuantizeLinear."""
	for _ in range(g.d.pick([0, 1, 2], [6, 3, 1])):
		options = [k for k in MOVES if fits(k, v)]
		if not options:  # integers that no scale belongs to
			return v
		v = KINDS[g.d.pick(options, [4 if k in ("Relu", "Clip") else 1 for k in options])][0](g, v, opset)
	return v


def versions(g):
	"""The opset and the version of the format."""
	group = g.d.pick(["usual", "old", "new", "too old", "newest", "made up"], [300, 0, 220, 3, 5, 3])
	opset = {"usual": lambda: g.d.pick([13, 11, 12, 14, 15, 16, 17, 18, 10], [8, 2, 2, 2, 2, 2, 2, 2, 3]), "old": lambda: 10,
		 "new": lambda: g.d.pick([19, 20, 21, 22, 23], [2, 2, 2, 2, 5]), "too old": lambda: g.d.pick([9, 7, 6, 4, 1]),
		 "newest": lambda: g.d.pick([24, 25, 26]), "made up": lambda: g.d.pick([99, 29, 0, -1, 1 << 40])}[group]()
	g.tag("opset", "version", opset if 0 < opset < 100 else "absurd")
	ir = 10 if opset >= 21 else 9 if opset >= 19 else 8
	how = g.d.pick(["usual", "initializers are inputs", "7", "made up"], [120, 4, 4, 1])
	g.tag("ir_version", "form", how)
	ir = {"usual": ir, "initializers are inputs": 3, "7": 7, "made up": 99}[how]
	domain = g.d.pick(["", "ai.onnx"], [20, 1])
	imports = [(domain, opset)]
	other = g.d.pick(["none", "another domain", "twice"], [80, 4, 1])
	g.tag("opset", "imports", other if other != "none" else "ai.onnx" if domain else "as usual")
	if other == "another domain":
		imports.append(("org.example", 1))
	elif other == "twice":
		imports.append((domain, 13))
	return opset, ir, imports


def live_tags(g):
	"""The tags, but for those of operators with a node that nothing reads: what it says is accepted whatever it is."""
	read, dead, live = {o.name for o in g.outputs}, set(), set()
	for node in reversed(g.nodes):
		is_live = bool(read & set(node.output))
		(live if is_live else dead).add(name_operator(node.domain, node.op_type))
		if is_live:
			read.update(node.input)
	return {tag for tag in g.tags if tag in live or tag.partition(".")[0] not in dead}


def make_graph(draw, kinds=None, narrow=True):
	g = Graph(draw)
	g.narrow = narrow
	kind = draw.pick(list(KINDS), [KINDS[k][2] if not kinds or k in kinds else 0 for k in KINDS])
	opset, ir, imports = versions(g)
	g.opset = opset
	g.constant_form = draw.pick(["initializer", "mixed"], [3, 1])
	takes = KINDS[kind][1]
	quant = None
	if kind in CONTROL + FOUND:
		g.batch_form = "fixed" if kind in CONTROL else "symbolic"
	if kind == "Requantize" and draw.chance(5):
		quant = Quant(draw.pick([INT32, INT16, UINT16], [6, 1, 1]), g.scale(0.001), 0)
	v = g.input(first_shape(g, kind, takes), quant, True if quant else None) if kind not in CONTROL + FOUND else None
	if v and not quant and draw.chance(6):
		options = [k for k in KINDS if fits(k, v) and k not in ("Squeeze", "Unsqueeze", "Flatten", "Reshape", *ENDS, *INTEGERS)]
		v = g.quantize(post(g, apply(g, draw.pick(options), v, opset), opset))
		if not fits(kind, v) and kind not in ("Axis", "Blocks", "Gather"):
			v = g.input(first_shape(g, kind, takes), quant)
	v = apply(g, kind, v, opset)
	if v.real and kind not in CONTROL:
		v = post(g, v, opset)
	end = draw.pick(["integers", "float", "unrounded"], [120, 12, 1])
	g.tag("output", "type", end)
	if v.real and end != "unrounded":
		v = g.quantize(v)
	for _ in range(draw.pick([0, 1, 2], [12, 2, 1]) if kind not in CONTROL else 0):
		options = [k for k in KINDS if fits(k, v) and k not in ENDS]
		if not v.quant or v.quant.dtype not in (UINT8, INT8):
			break
		v = g.quantize(post(g, apply(g, draw.pick(options), v, opset), opset))
	if end == "float" and v.quant and not v.real and kind not in ENDS:
		v = g.dequantize(v)
	g.output(v)
	if draw.chance(12):
		other = draw.pick(g.values)
		if all(other.name != i.name for i in g.inputs):
			g.output(other)
			g.tag("output", "count", "2")
	if any(n.domain == "com.microsoft" for n in g.nodes):
		imports.append(("com.microsoft", 1))
	model = g.model(opset, ir, imports, g.nodes, g.inits)
	twin = b""
	nodes = g.twin_nodes()
	if nodes:
		extra = [] if ("com.microsoft", 1) in imports else [("com.microsoft", 1)]
		twin = g.model(opset, ir, imports + extra, nodes[0], g.inits + nodes[1])
	return Made(kind, model, twin, [(i.name, g.data[i.name]) for i in g.inputs], live_tags(g) | {f"kind {kind}"}, draw.record, bool(g.sums) or g.inexact)


if __name__ == "__main__":
	begin = time.time()
	for index in range(int(sys.argv[1])):
		made = make_graph(Draw(seed=f"0/{index}"))
	print(f"{(time.time() - begin) / int(sys.argv[1]) * 1000:.2f} ms a graph; the last: {len(made.model)} bytes, {sorted(made.tags)}")
