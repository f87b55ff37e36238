#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random quantized TensorFlow Lite graphs over the operators that nnloop imports, for fuzz.py, which runs them.

As in random_onnx/graphs.py a graph is made of a list of choices, the plainest first, so that a list of smaller numbers is a smaller graph;
and it has tags, "OPERATOR.option=value", of which fuzz.py makes its table.

usage: graphs.py --check		whether each operator of docs/tflite.md is in here
"""
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

from common import cases
from common.draw import Made
import random_tflite.control
from random_tflite.elements import (LOGISTIC, TANH, binary, dequantize, detection, gelu, l2_normalization, leaky_relu, least_zero, quantize, suppression,
					   unary)
from random_tflite.integers import INDICES, arithmetic, cast, compare, floor, logical, negate, select
from random_tflite.layers import (arg, batch_matmul, blocks, conv, depthwise, fully_connected, log_softmax, padded_conv, pool, reduce, resize, softmax,
				  transpose_conv)
from random_tflite.moves import (broadcast_to, concatenation, depth_to_space, expand_dims, mirror_pad, pack, pad, pad_v2, reshape, reverse, slice_,
				 space_to_depth, split, split_v, squeeze, strided_slice, tile, transpose, unpack)
from random_tflite.picks import cumsum, gather, gather_nd, known_constants, one_hot, shape_numbers, top_k
from random_tflite.builder import DETECTION, TABLE, Graph

IMAGE, BLOCK, ANY = "image", "block", "any"  # four dimensions; at least two; at least one
EIGHT, WIDE, ALL = ("int8", "uint8"), ("int8", "uint8", "int16"), ("int8", "uint8", "int16", "int32")
COMPARED, SELECTED = ("int8", "uint8", "int32", "int64"), ("int8", "uint8", "int16", "int32", "int64")
# What is the reference for uint8: kernels of int8, by way of the twin; those of uint8; or either.
BY_TWIN, OWN, EITHER = "by twin", "own", "either"
# Operator: function, what it takes, types, kernels, how often it is a graph's subject.
KINDS = {
	"ADD": (binary("ADD"), ANY, WIDE, BY_TWIN, 12), "AVERAGE_POOL_2D": (pool("AVERAGE_POOL_2D"), IMAGE, WIDE, OWN, 10),
	"CONCATENATION": (concatenation, BLOCK, ALL, EITHER, 6), "CONV_2D": (conv, IMAGE, WIDE, BY_TWIN, 18),
	"DEPTHWISE_CONV_2D": (depthwise, IMAGE, WIDE, BY_TWIN, 16), "PAD+CONV": (padded_conv, IMAGE, EIGHT, BY_TWIN, 4),
	"SPACE_TO_BATCH_ND": (blocks, IMAGE, EIGHT, BY_TWIN, 8), "DEPTH_TO_SPACE": (depth_to_space, IMAGE, ALL, EITHER, 5),
	"SPACE_TO_DEPTH": (space_to_depth, IMAGE, ALL, EITHER, 5), "DEQUANTIZE": (dequantize, ANY, EIGHT, BY_TWIN, 5),
	"FULLY_CONNECTED": (fully_connected, BLOCK, WIDE, BY_TWIN, 16), "LOGISTIC": (unary("LOGISTIC", LOGISTIC), ANY, WIDE, BY_TWIN, 4),
	"TANH": (unary("TANH", TANH), ANY, WIDE, BY_TWIN, 4), "MAX_POOL_2D": (pool("MAX_POOL_2D"), IMAGE, WIDE, EITHER, 10),
	"MUL": (binary("MUL"), ANY, WIDE, BY_TWIN, 8), "RELU": (unary("RELU"), ANY, WIDE, OWN, 4), "RELU6": (unary("RELU6"), ANY, WIDE, OWN, 4),
	"RELU_N1_TO_1": (unary("RELU_N1_TO_1"), ANY, EIGHT, OWN, 4), "RESHAPE": (reshape, ANY, ALL, EITHER, 5),
	"RESIZE_BILINEAR": (resize("RESIZE_BILINEAR"), IMAGE, WIDE, BY_TWIN, 9), "SOFTMAX": (softmax, BLOCK, WIDE, OWN, 4),
	"LOG_SOFTMAX": (log_softmax, BLOCK, EIGHT, OWN, 4), "ARG_MAX": (arg("ARG_MAX"), BLOCK, EIGHT, EITHER, 5),
	"ARG_MIN": (arg("ARG_MIN"), BLOCK, EIGHT, EITHER, 5), "BATCH_MATMUL": (batch_matmul, BLOCK, ("int8",), EITHER, 10),
	"PAD": (pad, ANY, ALL, EITHER, 6), "PADV2": (pad_v2, ANY, ALL, EITHER, 5), "MIRROR_PAD": (mirror_pad, ANY, ALL, EITHER, 6),
	"GATHER": (gather, BLOCK, ALL, EITHER, 9), "GATHER_ND": (gather_nd, BLOCK, ("int8", "uint8", "int16", "int32"), EITHER, 6),
	"ONE_HOT": (one_hot, ANY, ALL, EITHER, 5), "TOPK_V2": (top_k, BLOCK, ("int8", "uint8", "int32"), EITHER, 5),
	"CUMSUM": (cumsum, BLOCK, ("int32", "int64"), EITHER, 4), "SHAPE": (shape_numbers, BLOCK, ("uint8",), OWN, 12),
	"FILL": (known_constants, ANY, ("int32", "uint8", "int64"), EITHER, 5), "DIV": (floor("DIV"), ANY, ("int32",), EITHER, 4), "TRANSPOSE": (transpose, ANY, ALL, EITHER, 6), "MEAN": (reduce("MEAN"), BLOCK, WIDE, OWN, 9),
	"REDUCE_MAX": (reduce("REDUCE_MAX"), BLOCK, WIDE, EITHER, 5), "REDUCE_MIN": (reduce("REDUCE_MIN"), BLOCK, WIDE, EITHER, 5),
	"SUM": (reduce("SUM"), BLOCK, EIGHT, OWN, 6), "SUB": (binary("SUB"), ANY, WIDE, BY_TWIN, 10), "SQUEEZE": (squeeze, ANY, ALL, EITHER, 5), "EXPAND_DIMS": (expand_dims, ANY, ALL, EITHER, 4),
	"STRIDED_SLICE": (strided_slice, ANY, ALL, EITHER, 14), "SPLIT": (split, BLOCK, ALL, EITHER, 5), "SPLIT_V": (split_v, BLOCK, ALL, EITHER, 5),
	"PRELU": (binary("PRELU"), ANY, EIGHT, OWN, 5), "MAXIMUM": (binary("MAXIMUM", True), ANY, WIDE, EITHER, 4),
	"MINIMUM": (binary("MINIMUM", True), ANY, WIDE, EITHER, 4), "SLICE": (slice_, ANY, ALL, EITHER, 5),
	"TRANSPOSE_CONV": (transpose_conv, IMAGE, WIDE, BY_TWIN, 10), "TILE": (tile, ANY, ALL, EITHER, 4), "PACK": (pack, ANY, ALL, EITHER, 6),
	"UNPACK": (unpack, BLOCK, ALL, EITHER, 6), "RESIZE_NEAREST_NEIGHBOR": (resize("RESIZE_NEAREST_NEIGHBOR"), IMAGE, WIDE, EITHER, 7),
	"LEAKY_RELU": (leaky_relu, ANY, WIDE, OWN, 5), "SQUARED_DIFFERENCE": (binary("SQUARED_DIFFERENCE"), ANY, ("int8",), OWN, 4),
	"ABS": (unary("ABS"), ANY, ("int8",), OWN, 4), "REVERSE_V2": (reverse, BLOCK, ALL, EITHER, 4), "ELU": (unary("ELU"), ANY, ("int8",), OWN, 3),
	"L2_NORMALIZATION": (l2_normalization, BLOCK, EIGHT, OWN, 4), "RSQRT": (least_zero("RSQRT", 0.05), ANY, ("int8",), OWN, 4), "SQRT": (least_zero("SQRT", 0.05), ANY, ("int8",), OWN, 3),
	"EXP": (unary("EXP"), ANY, ("int8",), OWN, 3), "LOG": (unary("LOG"), ANY, ("int8",), OWN, 3), "GELU": (gelu, ANY, EIGHT, OWN, 4),
	"LESS": (compare("LESS"), ANY, COMPARED, EITHER, 4), "LESS_EQUAL": (compare("LESS_EQUAL"), ANY, COMPARED, EITHER, 4),
	"GREATER": (compare("GREATER"), ANY, COMPARED, EITHER, 4), "GREATER_EQUAL": (compare("GREATER_EQUAL"), ANY, COMPARED, EITHER, 4),
	"EQUAL": (compare("EQUAL"), ANY, (*COMPARED, "bool"), EITHER, 4), "NOT_EQUAL": (compare("NOT_EQUAL"), ANY, (*COMPARED, "bool"), EITHER, 4),
	"SELECT": (select("SELECT"), ANY, SELECTED, EITHER, 4), "SELECT_V2": (select("SELECT_V2"), ANY, SELECTED, EITHER, 5),
	"LOGICAL_AND": (logical("LOGICAL_AND"), ANY, ("bool",), EITHER, 3), "LOGICAL_OR": (logical("LOGICAL_OR"), ANY, ("bool",), EITHER, 3),
	"LOGICAL_NOT": (logical("LOGICAL_NOT"), ANY, ("bool",), EITHER, 3), "NEG": (negate, ANY, ("int32", "int64"), EITHER, 3),
	"FLOOR_DIV": (floor("FLOOR_DIV"), ANY, ("int32", "int64"), EITHER, 4), "FLOOR_MOD": (floor("FLOOR_MOD"), ANY, ("int32", "int64"), EITHER, 4),
	"CAST": (cast, ANY, ("int32", "int64", "bool", "uint8"), OWN, 5), "ARITHMETIC": (arithmetic, ANY, ("int32", "int64"), EITHER, 5),
	"QUANTIZE": (quantize, ANY, WIDE, OWN, 5), "HARD_SWISH": (unary("HARD_SWISH"), ANY, EIGHT, OWN, 4),
	"BROADCAST_TO": (broadcast_to, ANY, ALL, EITHER, 4), DETECTION: (detection, None, (), OWN, 8), "NON_MAX_SUPPRESSION_V5": (suppression, None, (), OWN, 8),
}
# Models of their own.
KINDS.update({kind: (None, None, (), EITHER, weight) for kind, weight in random_tflite.control.KINDS.items()})
MADE_WITH = {"FLOOR": "DEQUANTIZE", "SIN": "DEQUANTIZE", "SQUARE": "DEQUANTIZE", "CEIL": "DEQUANTIZE", "COS": "DEQUANTIZE", "ROUND": "DEQUANTIZE", "REDUCE_PROD": "SHAPE", "ZEROS_LIKE": "FILL", "RANGE": "FILL", "BATCH_TO_SPACE_ND": "SPACE_TO_BATCH_ND", "NON_MAX_SUPPRESSION_V4": "NON_MAX_SUPPRESSION_V5"}


def first_shape(g, takes):
	size = lambda high: g.d.between(1, high)
	if takes == IMAGE:
		return [g.batch, size(7), size(7), g.d.pick([2, 1, 3, 4, 6, 8, 33], [4, 3, 3, 5, 4, 2, 1])]
	rank = g.d.pick([2, 4, 3, 5, 1, 6], [15, 18, 15, 9, 4, 1])
	if takes == BLOCK:
		rank = max(rank, 2)
	dims = [g.d.pick([2, 1, 3, 4, 5, 6, 7]) for _ in range(rank - 1)]
	if dims and g.d.chance(12):
		dims[-1] = g.d.pick([17, 40, 130])
	return [g.batch if rank > 1 else g.rows, *dims]


def fits(g, kind, v):
	_, takes, types, exact, _ = KINDS[kind]
	if v.dtype not in types or (v.dtype == "uint8" and exact not in (EITHER, g.exact)):
		return False
	return len(v.shape) == 4 if takes == IMAGE else len(v.shape) >= (2 if takes == BLOCK else 1)


def begin(g, kind):
	"""An input that suits the operator."""
	_, takes, types, exact, _ = KINDS[kind]
	dtype = g.dtype if g.dtype in types else types[0] if types else "int8"
	g.begin(dtype, exact if exact != EITHER else g.exact)
	if not types:
		return None
	shape = first_shape(g, takes)
	if g.dtype in EIGHT and (g.dtype == "int8" or g.exact == BY_TWIN) and len(shape) > 1 and g.d.chance(8):
		return g.real_input(shape)
	return g.input(shape)


def make_graph(draw, kinds=None, _narrow=True):
	g = Graph(draw)
	kind = draw.pick(list(KINDS), [KINDS[k][4] if not kinds or k in kinds else 0 for k in KINDS])
	if kind in random_tflite.control.KINDS:
		return random_tflite.control.make(draw, kind)
	v = begin(g, kind)
	outputs = []
	if v is None:
		outputs = KINDS[kind][0](g, v)
		rest = 0
	else:
		before, rest = draw.pick([0, 1, 2], [6, 3, 1]), draw.pick([0, 1, 2, 3, 5], [8, 5, 3, 2, 1])
		for _ in range(before):
			v = apply(g, draw.pick([k for k in KINDS if fits(g, k, v)] or [kind]), v)
		if not fits(g, kind, v):
			v = g.input(list(v.shape) if KINDS[kind][1] == ANY else first_shape(g, KINDS[kind][1]))
		v = apply(g, kind, v)
	for _ in range(rest):
		# From an earlier tensor now and then, so that there are branches.
		if draw.chance(6):
			v = draw.pick([e for e in g.values if e.dtype == v.dtype] or [v])
		options = [k for k in KINDS if fits(g, k, v)]
		if options:
			v = apply(g, draw.pick(options), v)
	# XNNPACK cannot do what nobody reads.
	outputs = outputs or [v, *(e for e in g.values if e.at not in g.read and e.at != v.at and e.at not in g.m.inputs)]
	while draw.chance(8):
		other = draw.pick(g.values)
		if other.at not in g.m.inputs and all(other.at != o.at for o in outputs):
			outputs.append(other)
	if v and v.dtype in EIGHT and (v.dtype == "int8" or g.exact == BY_TWIN) and draw.chance(12) and outputs == [v]:
		real = g.new_real(v.shape)
		g.add("DEQUANTIZE", [v], [real])
		outputs = [real]
	if any(o.at in g.m.inputs for o in outputs):
		g.tag("graph", "outputs", "an input")
	if len(outputs) > 1:
		g.tag("graph", "outputs", "several")
	g.keep_rows()
	model, twin = g.encode(outputs)
	g.tags.add(f"kind {kind}")
	return Made(kind, model, twin, g.inputs, g.tags, draw.record, flags=flags(g))


def flags(g):
	"""What the judge must know."""
	indices = cases.INDICES if INDICES & g.tags else 0
	if g.twin:
		return cases.INT8_TWIN | indices
	return (cases.OWN_KERNELS if g.dtype == "uint8" else 0) | indices | g.classes << cases.CLASSES_SHIFT


def apply(g, kind, v):
	"""One operator; as it was, if there can be none of it."""
	return (KINDS[kind][0](g, v) if fits(g, kind, v) else None) or v


def main():
	missing = sorted(set(TABLE) - set(KINDS) - set(MADE_WITH))
	for op in missing:
		print(f"tools/models/random_tflite/graphs.py makes no graphs with {op}")
	return 1 if missing else 0


if __name__ == "__main__":
	sys.exit(main())
