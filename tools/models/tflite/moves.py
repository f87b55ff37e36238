# SPDX-License-Identifier: MIT
"""The models of write.py whose operators only move elements further: padding, steps, parts, repetition, blocks.

Each draws its numbers by itself, so that none depends on which are written before it.
"""
import zlib

import numpy as np

import tflite.model
from tflite.model import NONE, VALID, Model, refused, weights


def model(name):
	tflite.model.rng = np.random.default_rng(zlib.crc32(name.encode()))
	return Model()


def moved(name, op, shape, outs, numbers, *options, dtype="int8", version=1):
	"""numbers: further inputs."""
	m = model(name)
	quant = () if dtype == "int32" else (0.05, 128 if dtype == "uint8" else 3)
	if quant:
		x = m.input(shape, dtype, *quant)
	else:
		x = m.input(shape, dtype, None, 0)
	y = [m.tensor(out, dtype, *quant) for out in outs]
	m.add(op, [x, *(m.ints(values) if not isinstance(values, np.ndarray) else array(m, values) for values in numbers)], y,
	      *options, version=version)
	m.save(name, y)


def array(m, values):
	return m.tensor(list(values.shape), "int32", data=values.astype(np.int32))


def pad(name, shape, paddings, op="PAD", options=(), dtype="int8", version=2, value=None):
	m = model(name)
	quant = (None, 0) if dtype == "int32" else (0.05, 128 if dtype == "uint8" else 3)
	x = m.input(shape, dtype, *quant)
	y = m.tensor([d + a + b for d, (a, b) in zip(shape, paddings)], dtype, *quant)
	inputs = [x, array(m, np.array(paddings))]
	if value is not None:
		inputs.append(m.tensor([1], dtype, *quant, data=np.array([value]).astype(dtype)))
	m.add(op, inputs, [y], *options, version=version)
	m.save(name, [y])


def pack(name, shapes, axis, out):
	m = model(name)
	x = [m.input(shape, "int8", 0.05, 3) for shape in shapes]
	y = m.tensor(out, "int8", 0.05, 3)
	m.add("PACK", x, [y], len(x), axis, version=2)
	m.save(name, [y])


def strided(name, shape, out, numbers, *masks, version=2):
	moved(name, "STRIDED_SLICE", shape, [out], numbers, *masks, version=version)


@tflite.model.numbers(0)
def write():
	pad("pad", [1, 5, 6, 4], [[0, 0], [1, 2], [0, 3], [0, 0]])
	pad("pad_channels", [1, 3, 4, 5], [[0, 0], [1, 0], [2, 1], [3, 2]])
	pad("pad_u8", [1, 6, 4, 3], [[0, 0], [2, 1], [0, 0], [0, 0]], dtype="uint8", version=1)
	pad("pad_int32", [1, 3, 4], [[0, 0], [0, 2], [1, 1]], dtype="int32", version=1)
	pad("pad_v2", [1, 5, 6, 2], [[0, 0], [2, 0], [0, 1], [0, 0]], "PADV2", value=-77)
	pad("mirror_pad", [1, 5, 6, 4], [[0, 0], [2, 4], [3, 0], [0, 0]], "MIRROR_PAD", (0,))
	pad("mirror_pad_symmetric", [1, 4, 3, 5], [[0, 0], [4, 1], [0, 3], [1, 2]], "MIRROR_PAD", (1,))
	pack("pack", [[1, 4, 3]] * 3, 1, [1, 3, 4, 3])
	pack("pack_last", [[1, 4, 3]] * 2, -1, [1, 4, 3, 2])
	moved("unpack", "UNPACK", [1, 3, 4, 5], [[1, 4, 5]] * 3, [], 3, 1, version=2)
	moved("split_v", "SPLIT_V", [1, 4, 9, 3], [[1, 4, 2, 3], [1, 4, 6, 3], [1, 4, 1, 3]], [[2, -1, 1], 2], 3, version=2)
	moved("gather", "GATHER", [1, 6, 5], [[1, 5, 5]], [[3, 0, 5, 5, 1]], 1, 0, version=2)
	moved("gather_matrix", "GATHER", [1, 4, 7], [[1, 4, 2, 3]], [np.array([[0, 2, 4], [6, 6, 1]])], 2, 0, version=2)
	moved("gather_one", "GATHER", [1, 4, 7], [[1, 7]], [2], 1, 0, version=2)
	moved("reverse", "REVERSE_V2", [1, 5, 6, 3], [[1, 5, 6, 3]], [[2]], version=1, dtype="uint8")
	moved("tile", "TILE", [1, 3, 4, 2], [[1, 6, 4, 6]], [[1, 2, 1, 3]], dtype="uint8")
	moved("tile_int32", "TILE", [1, 3, 4], [[1, 3, 8]], [[1, 1, 2]], dtype="int32")
	moved("broadcast_to", "BROADCAST_TO", [1, 3, 1, 4], [[1, 3, 5, 4]], [[1, 3, 5, 4]], version=2)
	moved("depth_to_space", "DEPTH_TO_SPACE", [1, 3, 4, 12], [[1, 6, 8, 3]], [], 2)
	moved("space_to_depth", "SPACE_TO_DEPTH", [1, 6, 9, 2], [[1, 2, 3, 18]], [], 3)
	strided("strided_slice_steps", [1, 9, 8, 3], [1, 3, 4, 2], [[0, 1, -1, 0], [1, 9, -9, 3], [1, 3, -2, 2]], 1, 0, 0, 0, 0)
	strided("strided_slice_masks", [1, 7, 6], [1, 4, 3], [[5, 6, 5], [0, 0, 0], [1, -2, -2]], 1 | 2, 1 | 2 | 4, 0, 0, 0)
	strided("strided_slice_shrink", [1, 7, 6, 3], [1, 6], [[0, -2, 0, 1], [0, 0, 0, 2], [1, 1, 1, 1]], 1 | 4, 1 | 4, 0, 0, 2 | 8)
	strided("strided_slice_ellipsis", [1, 4, 6, 3], [1, 4, 6, 1, 2], [[0, 0, 0, 1], [0, 0, 0, 3], [1, 1, 1, 1]], 1, 1, 2, 4, 0, version=6)
	padded_conv("pad_conv", [[0, 0], [0, 1], [1, 2], [0, 0]], (3, 4), False)
	padded_conv("pad_depthwise", [[0, 0], [0, 1], [0, 1], [0, 0]], (3, 3), True)
	padded_conv("pad_conv_far", [[0, 0], [3, 0], [0, 1], [0, 0]], (3, 3), False)
	padded_conv("pad_conv_read", [[0, 0], [0, 1], [1, 0], [0, 0]], (3, 3), False, twice=True)
	padded_conv("pad_conv_first", [[0, 0], [0, 1], [1, 2], [0, 0]], (3, 4), False, first=True)
	dilated("space_to_batch_depthwise", (2, 2), [[2, 3], [2, 2]], [[0, 1], [0, 0]], (3, 3), True)
	dilated("space_to_batch_conv", (3, 2), [[3, 3], [0, 0]], [[1, 2], [0, 0]], (2, 3), False)


def conv(m, x, kernel, channels, outputs, y, strides, depthwise, zero=-7):
	"""A convolution without padding of its own, to a tensor of shape y."""
	shape = [1, *kernel, channels] if depthwise else [outputs, *kernel, channels]
	w = weights(m, shape, 3 if depthwise else 0, True, 0.05, outputs)
	y = m.tensor(y, "int8", 0.06, zero)
	options = (VALID, *strides, 1, NONE, 1, 1) if depthwise else (VALID, *strides, NONE, 1, 1)
	m.add("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [x, *w], [y], *options, version=3)
	return y


def padded_conv(name, paddings, kernel, depthwise, twice=False, first=False):
	"""PAD in front of a convolution with strides of 2, which can do that itself if nobody else reads what is padded. first: that is the
	first tensor of the file."""
	m = model(name)
	size = [9 + sum(paddings[1]), 10 + sum(paddings[2])]
	z = m.tensor([1, *size, 6], "int8", 0.05, 3) if first else None
	x = m.input([1, 9, 10, 6], "int8", 0.05, 3)
	z = m.tensor([1, *size, 6], "int8", 0.05, 3) if z is None else z
	m.add("PAD", [x, array(m, np.array(paddings))], [z], version=2)
	outputs = 6 if depthwise else 8
	y = conv(m, z, kernel, 6, outputs, [1, *((s - k) // 2 + 1 for s, k in zip(size, kernel)), outputs], (2, 2), depthwise)
	m.save(name, [y, z] if twice else [y])


def dilated_conv(m, block, paddings, crops, kernel, depthwise, back_block=None, stride=1):
	"""A dilated convolution as converters write it."""
	x = m.input([1, 9, 10, 6], "int8", 0.05, 3)
	size = [(9 + sum(paddings[0])) // block[0], (10 + sum(paddings[1])) // block[1]]
	z = m.tensor([block[0] * block[1], *size, 6], "int8", 0.05, 3)
	m.add("SPACE_TO_BATCH_ND", [x, array(m, np.array(block)), array(m, np.array(paddings))], [z], version=2)
	outputs = 6 if depthwise else 5
	size = [(s - k) // stride + 1 for s, k in zip(size, kernel)]
	y = conv(m, z, kernel, 6, outputs, [block[0] * block[1], *size, outputs], (stride, stride), depthwise)
	block = back_block or block
	out = [size[0] * block[0] - sum(crops[0]), size[1] * block[1] - sum(crops[1])]
	last = m.tensor([1, *out, outputs], "int8", 0.06, -7)
	m.add("BATCH_TO_SPACE_ND", [y, array(m, np.array(block)), array(m, np.array(crops))], [last], version=2)
	return last


def dilated(name, *args, **named):
	m = model(name)
	m.save(name, [dilated_conv(m, *args, **named)])


def not_dilated(name, *args, **named):
	m = model(name)
	dilated_conv(m, *args, **named)
	refused(name, "around a convolution that it dilates", m)


def refused_move(name, words, op, shape, out, inputs, *options, version=1, value=None):
	m = model(name)
	x = m.input(shape, "int8", 0.05, 3)
	more = [array(m, np.array(numbers)) for numbers in inputs]
	if value is not None:
		more.append(m.tensor([1], "int8", value, 3, data=np.array([5], np.int8)))
	m.add(op, [x, *more], [m.tensor(out, "int8", 0.05, 3)], *options, version=version)
	refused(name, words, m)


@tflite.model.numbers(0)
def refuse():
	refused_move("pad_batch", "pads dimension 0, which is the batch", "PAD", [1, 4, 3], [2, 4, 3], [[[0, 1], [0, 0], [0, 0]]])
	refused_move("pad_count", "4 paddings for 3 dimensions", "PAD", [1, 4, 3], [1, 4, 3], [[[0, 0], [0, 0]]])
	refused_move("pad_negative", "pads dimension 1 by -1 and 0", "PAD", [1, 4, 3], [1, 3, 3], [[[0, 0], [-1, 0], [0, 0]]])
	refused_move("pad_value", "no number that is quantized as its input", "PADV2", [1, 4, 3], [1, 5, 3], [[[0, 0], [1, 0], [0, 0]]], value=0.1)
	refused_move("mirror_pad", "mirrors more of dimension 1 than there is", "MIRROR_PAD", [1, 4, 3], [1, 8, 3], [[[0, 0], [4, 0], [0, 0]]], 0)
	refused_move("pack_batch", "its axis is dimension 0", "PACK", [2, 4], [1, 2, 4], [], 1, 0)
	refused_move("pack_count", "packs 2 of 1 inputs", "PACK", [1, 4], [1, 2, 4], [], 2, 1)
	refused_move("unpack_batch", "its axis is dimension 0", "UNPACK", [2, 4], [4], [], 1, 0)
	refused_move("unpack_count", "makes 1 outputs of dimension 1, which is 4", "UNPACK", [1, 4], [1], [], 1, 1)
	refused_move("split_v", "are not parts of dimension 1", "SPLIT_V", [1, 4], [1, 3], [[3], [1]], 1)
	refused_move("gather_batch", "its axis is dimension 0", "GATHER", [1, 4], [2, 4], [[0, 0]], 0, 0)
	refused_move("gather_index", "takes index 4 of dimension 1, which has 4", "GATHER", [1, 4], [1, 2], [[0, 4]], 1, 0)
	refused_move("gather_batches", "its option batch_dims is not 0", "GATHER", [1, 4], [1, 2], [[[0, 1]]], 1, 1, version=5)
	refused_move("reverse_batch", "its axis is dimension 0", "REVERSE_V2", [1, 4], [1, 4], [[0]])
	refused_move("tile_batch", "repeats dimension 0", "TILE", [1, 4], [2, 4], [[2, 1]])
	refused_move("tile_many", "takes 9 dimensions on the way", "TILE", [1, 2, 3, 2, 3], [1, 4, 6, 4, 6], [[1, 2, 2, 2, 2]])
	refused_move("broadcast_batch", "makes dimension 0", "BROADCAST_TO", [1, 4], [3, 4], [[3, 4]], version=2)
	refused_move("broadcast_rank", "3 numbers for 2 dimensions", "BROADCAST_TO", [1, 4], [1, 2, 4], [[1, 2, 4]], version=2)
	refused_move("depth_to_space", "block of 2 squared does not divide 6 channels", "DEPTH_TO_SPACE", [1, 2, 2, 6], [1, 4, 4, 1], [], 2)
	refused_move("space_to_depth", "does not divide an image of 3 x 4", "SPACE_TO_DEPTH", [1, 3, 4, 2], [1, 1, 2, 8], [], 2)
	refused_move("strided_slice_batch", "a part of dimension 0", "STRIDED_SLICE", [1, 4], [4], [[0, 0], [1, 4], [1, 1]], 0, 0, 0, 0, 1)
	refused_move("strided_slice_stride", "its stride is 0", "STRIDED_SLICE", [1, 4], [1, 4], [[0, 0], [1, 4], [1, 0]], 0, 0, 0, 0, 0)
	refused_move("strided_slice_nothing", "takes nothing of a dimension of 4", "STRIDED_SLICE", [1, 4], [1, 1], [[0, 3], [1, 1], [1, 1]], 0, 0, 0, 0, 0)
	refused_move("strided_slice_axis", "in front of dimension 0", "STRIDED_SLICE", [1, 4], [1, 1, 4], [[0, 0], [1, 4], [1, 1]], 0, 0, 0, 1, 0, version=6)
	refused_move("strided_slice_index", "takes index 4 of 4", "STRIDED_SLICE", [1, 4], [1], [[0, 4], [1, 5], [1, 1]], 0, 0, 0, 0, 2)
	not_dilated("space_to_batch_block", (2, 2), [[2, 3], [2, 2]], [[0, 1], [0, 0]], (3, 3), True, back_block=(4, 1))
	not_dilated("space_to_batch_stride", (2, 2), [[2, 3], [2, 2]], [[0, 0], [0, 0]], (3, 3), True, stride=2)
	refused_move("space_to_batch", "around a convolution that it dilates", "SPACE_TO_BATCH_ND", [1, 4, 4, 2], [4, 2, 2, 2], [[2, 2], [[0, 0], [0, 0]]])
	refused_move("batch_to_space", "with SPACE_TO_BATCH_ND in front", "BATCH_TO_SPACE_ND", [4, 2, 2, 2], [1, 4, 4, 2], [[2, 2], [[0, 0], [0, 0]]])
