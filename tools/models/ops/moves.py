# SPDX-License-Identifier: MIT
"""The models of write.py whose operators only move elements further: padding, steps, parts, repetition, blocks.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import zlib

import numpy as np
from onnx import helper

import ops.model
from ops.model import TYPES, Model

I64 = lambda *values: np.array(values, np.int64)


def model(name):
	ops.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	return Model()


def moved(name, doc, op, shape, outs, consts=(), opset=13, real=True, to=None, **attrs):
	"""consts: further inputs, None for one that is left out. real: between dequantized and quantized, to `to` if that is not as
	the input."""
	m = model(name)
	x = m.input(shape, np.uint8, 0.04, 9)
	inputs = [m.real(x) if real else x[0], *("" if c is None else m.const(f"c{i}", c) for i, c in enumerate(consts))]
	names = [f"moved{i}" if real else f"y{i}" for i in range(len(outs))]
	m.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attrs))
	if real:
		outputs = [m.output(n, ["N", *out[1:]], np.uint8, *(to or (0.04, 9)), name=f"y{i}") for i, (n, out) in enumerate(zip(names, outs))]
	else:
		outputs = [helper.make_tensor_value_info(n, TYPES[np.dtype(np.uint8)], ["N", *out[1:]]) for n, out in zip(names, outs)]
	m.save(name, outputs, doc, False, opset=opset)


def behind_conv(name, doc, op, outs, consts, **attrs):
	"""Of an image that is stored with its channels last, and before it is rounded."""
	m = model(name)
	x = m.input((2, 5, 6, 7), np.uint8, 0.04, 9)
	m.node("Conv", [m.real(x), m.weight("w", (8, 5, 1, 1), np.float32(0.01))], "sum")
	m.output("sum", None, np.uint8, 0.05, 100, "z")
	value = m.dequantize("z", "z_scale", "z_zero")
	names = [f"moved{i}" for i in range(len(outs))]
	m.nodes.append(helper.make_node(op, [value, *(m.const(f"c{i}", c) for i, c in enumerate(consts))], names, name=names[0], **attrs))
	m.save(name, [m.output(n, ["N", *out[1:]], np.uint8, 0.05, 100, name=f"y{i}") for i, (n, out) in enumerate(zip(names, outs))], doc, True)


@ops.model.numbers(0)
def write():
	pads = I64(0, 1, 0, 2, 0, 0, 3, 1)
	image, padded = (3, 4, 5, 6), (3, 5, 8, 9)
	moved("pad", "Pad with 0", "Pad", image, [padded], [pads])
	moved("pad_value", "Pad with a value that is no step", "Pad", image, [padded], [pads, np.float32(1.23)], to=(0.031, 77))
	moved("pad_range", "Pad with a value that is out of range, and one axis", "Pad", image, [(3, 4, 5, 8)],
	      [I64(1, 1), np.float32(-3e5), I64(-1)], opset=18)
	moved("pad_integers", "Pad of integers", "Pad", image, [padded], [pads, np.uint8(200)], real=False)
	moved("pad_integers_zero", "Pad of integers, with 0", "Pad", image, [padded], [pads], real=False)
	moved("pad_crop", "Pad by less than nothing", "Pad", image, [(3, 4, 5, 5)], [I64(0, 0, -1, -2, 0, 0, 1, 1)])
	moved("pad_edge", "Pad, edge", "Pad", image, [padded], [pads], mode="edge")
	moved("pad_reflect", "Pad, reflect, requantized", "Pad", image, [padded], [pads], mode="reflect", to=(0.05, 20))
	moved("pad_wrap", "Pad, wrap", "Pad", image, [padded], [pads], opset=19, mode="wrap")
	behind_conv("pad_channels_last", "Pad behind Conv", "Pad", [(2, 9, 8, 9)], [I64(0, 1, 2, 0, 0, 0, 0, 2)])
	moved("pad_opset_10", "Pad by attributes", "Pad", image, [padded], opset=10, pads=pads.tolist(), value=0.32)
	top = np.iinfo(np.int64).max
	moved("slice", "Slice of one axis", "Slice", image, [(3, 4, 3, 6)], [I64(1), I64(-1), I64(2)])
	moved("slice_steps", "Slice with steps, backwards, to the end", "Slice", image, [(3, 2, 5, 2)],
	      [I64(-1, 0, 0, 1), I64(-top, top, top, 6), I64(1, 0, 2, 3), I64(-2, 1, 1, 3)])
	moved("slice_int32", "Slice by int32, without axes", "Slice", (3, 7, 4), [(3, 3, 3)],
	      [np.array([0, 6, 1], np.int32), np.array([2**31 - 1, 3, 99], np.int32), None, np.array([1, -1, 1], np.int32)], real=False)
	behind_conv("slice_channels_last", "Slice behind Conv", "Slice", [(2, 4, 3, 7)], [I64(1, 0), I64(8, 6), I64(1, 2), I64(2, 2)])
	moved("split", "Split by an input", "Split", image, [(3, 4, 1, 6), (3, 4, 3, 6), (3, 4, 1, 6)], [I64(1, 3, 1)], axis=-2)
	moved("split_equal", "Split into equal parts", "Split", image, [(3, 2, 5, 6)] * 2, axis=1)
	moved("split_num_outputs", "Split by num_outputs", "Split", (3, 7, 4), [(3, 3, 4), (3, 3, 4), (3, 1, 4)], opset=18, axis=1, num_outputs=3)
	moved("split_opset_11", "Split by an attribute", "Split", image, [(3, 4, 5, 4), (3, 4, 5, 2)], opset=11, axis=3, split=[4, 2])
	behind_conv("split_channels_last", "Split behind Conv", "Split", [(2, 6, 6, 7), (2, 2, 6, 7)], [I64(6, 2)], axis=1)
	moved("gather", "Gather, uneven", "Gather", image, [(3, 4, 5, 6)], [I64(3, 0, -1, 2, 2)], axis=2)
	moved("gather_matrix", "Gather of a matrix of indices", "Gather", (3, 6, 4), [(3, 2, 3, 4)], [np.array([[0, 2, 5], [1, 1, 4]])], axis=1)
	moved("gather_one", "Gather of one index, which drops the axis", "Gather", image, [(3, 4, 5)], [np.int64(2)], axis=-1)
	moved("gather_even", "Gather of every other, backwards", "Gather", image, [(3, 4, 5, 3)], [I64(5, 3, 1)], axis=3)
	behind_conv("gather_channels_last", "Gather behind Conv", "Gather", [(2, 4, 6, 7)], [I64(7, 0, 1, 5)], axis=1)
	moved("tile", "Tile", "Tile", image, [(3, 8, 5, 18)], [I64(1, 2, 1, 3)])
	behind_conv("tile_channels_last", "Tile behind Conv", "Tile", [(2, 16, 6, 14)], [I64(1, 2, 1, 2)])
	moved("expand", "Expand", "Expand", (3, 4, 1, 6), [(3, 4, 5, 6)], [I64(5, 1)])
	moved("depth_to_space", "DepthToSpace, DCR", "DepthToSpace", (2, 12, 3, 4), [(2, 3, 6, 8)], blocksize=2)
	moved("depth_to_space_crd", "DepthToSpace, CRD", "DepthToSpace", (2, 18, 3, 4), [(2, 2, 9, 12)], blocksize=3, mode="CRD")
	behind_conv("depth_to_space_channels_last", "DepthToSpace behind Conv", "DepthToSpace", [(2, 2, 12, 14)], [], blocksize=2, mode="CRD")
	moved("space_to_depth", "SpaceToDepth", "SpaceToDepth", (2, 3, 6, 8), [(2, 12, 3, 4)], blocksize=2)
