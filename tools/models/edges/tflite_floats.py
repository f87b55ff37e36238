# SPDX-License-Identifier: MIT
"""The tables of write.py for TensorFlow Lite: operators of float32, by themselves and between convolutions, where a quantizer that writes
them as ONNX has the channels of images second."""
import numpy as np

import tflite.model
from edges.controlled_tflite import begin, done
from tflite.model import NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID
from tflite.suppress import V4, V5, suppression

IMAGE = (1, 7, 6, 4)


def constant(m, shape, low=-1, high=1):
	return m.tensor(list(shape), "float32", data=tflite.model.rng.uniform(low, high, shape).astype(np.float32))


def conv(m, x, size, outputs=4, inputs=4, kernel=1, pad=SAME, stride=1, activation=NONE, dilation=1):
	shape = [1, *[-(-n // stride) if pad == SAME else (n - (kernel - 1) * dilation - 1) // stride + 1 for n in size], outputs]
	weights = [constant(m, (outputs, kernel, kernel, inputs)), constant(m, (outputs,))]
	return m.make("CONV_2D", [x, *weights], pad, stride, stride, activation, dilation, dilation, shape=shape, version=2)


def around(name, build, size=None, outputs=4):
	"""What build(m, x) makes of an image is there twice: of the input, and between two convolutions. size: of what it makes."""
	size = size or IMAGE[1:3]
	m = begin(name)
	yield done(name, m, [build(m, m.given(list(IMAGE), -2, 2))])
	name += ", between convolutions"
	m = begin(name)
	y = build(m, conv(m, m.given(list(IMAGE), -2, 2), IMAGE[1:3], kernel=3))
	yield done(name, m, [conv(m, y, size, inputs=outputs)])


def layers():
	"""Windows and weights: padding, strides, dilations, groups, activations."""
	for kernel, pad, stride, dilation, activation in ((3, SAME, 1, 1, NONE), (3, SAME, 2, 1, RELU), (2, SAME, 2, 1, RELU6), (3, VALID, 2, 1, RELU_N1_TO_1), (3, SAME, 1, 2, NONE), (2, VALID, 1, 3, NONE)):
		name = f"CONV_2D, {kernel}, {'SAME' if pad == SAME else 'VALID'}, by {stride}, dilated by {dilation}, {activation}"
		m = begin(name)
		yield done(name, m, [conv(m, m.given(list(IMAGE), -2, 2), IMAGE[1:3], 5, 4, kernel, pad, stride, activation, dilation)])
		for multiplier in (1, 2):
			name = f"DEPTHWISE_CONV_2D, {multiplier}, {kernel}, {'SAME' if pad == SAME else 'VALID'}, by {stride}, dilated by {dilation}, {activation}"
			m = begin(name)
			size = [-(-n // stride) if pad == SAME else (n - (kernel - 1) * dilation - 1) // stride + 1 for n in IMAGE[1:3]]
			inputs = [m.given(list(IMAGE), -2, 2), constant(m, (1, kernel, kernel, 4 * multiplier)), constant(m, (4 * multiplier,))]
			yield done(name, m, [m.make("DEPTHWISE_CONV_2D", inputs, pad, stride, stride, multiplier, activation, dilation, dilation, shape=[1, *size, 4 * multiplier], version=2)])
		if dilation > 1:
			continue
		for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
			name = f"{op}, {kernel}, {'SAME' if pad == SAME else 'VALID'}, by {stride}, {activation}"
			m = begin(name)
			size = [-(-n // stride) if pad == SAME else (n - kernel) // stride + 1 for n in IMAGE[1:3]]
			yield done(name, m, [m.make(op, [m.given(list(IMAGE), -2, 2)], pad, stride, stride, kernel, kernel, activation, shape=[1, *size, 4])])
	for stride, kernel, pad, more in ((1, 3, SAME, 0), (2, 3, SAME, 0), (2, 2, VALID, 0), (3, 4, VALID, 0), (2, 4, SAME, 0), (2, 3, VALID, 1)):
		name = f"TRANSPOSE_CONV, {kernel}, by {stride}, {'SAME' if pad == SAME else 'VALID'}, {more}"
		m = begin(name)
		size = [n * stride if pad == SAME else (n - 1) * stride + max(kernel, stride) + more for n in IMAGE[1:3]]
		inputs = [m.ints([1, *size, 3]), constant(m, (3, kernel, kernel, 4)), m.given(list(IMAGE), -2, 2), constant(m, (3,))]
		yield done(name, m, [m.make("TRANSPOSE_CONV", inputs, pad, stride, stride, NONE, shape=[1, *size, 3], version=3)])
	m = begin("CONV_2D, groups")
	y = m.make("CONV_2D", [m.given(list(IMAGE), -2, 2), constant(m, (6, 3, 3, 2)), constant(m, (6,))], SAME, 1, 1, NONE, 1, 1, shape=[1, 7, 6, 6], version=2)
	yield done("CONV_2D, groups", m, [y])
	for name, shape, keeps, made, activation in (("rows", [3, 24], 0, [3, 5], RELU), ("a sequence", [1, 6, 24], 1, [1, 6, 5], NONE), ("an image", [2, 2, 3, 4], 0, [2, 5], NONE)):
		name = f"FULLY_CONNECTED, {name}"
		m = begin(name)
		y = m.make("FULLY_CONNECTED", [m.given(shape, -2, 2), constant(m, (5, 24)), constant(m, (5,))], activation, 0, keeps, 0, 0, shape=made, version=5)
		yield done(name, m, [y])
	for a, b in ((0, 0), (1, 0), (0, 1), (1, 1)):
		for known in (True, False):
			name = f"BATCH_MATMUL, {a}, {b}, {'a constant' if known else 'tensors'}"
			m = begin(name)
			shapes = [[1, 5, 3] if a else [1, 3, 5], [1, 4, 5] if b else [1, 5, 4]]
			inputs = [m.given(shapes[0], -2, 2), constant(m, shapes[1]) if known else m.given(shapes[1], -2, 2)]
			yield done(name, m, [m.make("BATCH_MATMUL", inputs, a, b, shape=[1, 3, 4])])
	for align, half in ((0, 0), (1, 0), (0, 1)):
		for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
			options = ([None, None] if op == "RESIZE_BILINEAR" else []) + [align, half]
			yield from around(f"{op}, {align}, {half}", lambda m, x, op=op, options=options: m.make(op, [x, m.ints([11, 12])], *options, shape=[1, 11, 12, 4], version=3), (11, 12))
	yield from around("DEPTH_TO_SPACE", lambda m, x: m.make("DEPTH_TO_SPACE", [x], 2, shape=[1, 14, 12, 1]), (14, 12), 1)
	yield from around("SPACE_TO_DEPTH", lambda m, x: m.make("SPACE_TO_DEPTH", [m.make("PAD", [x, pads(m, 0, 1, 0, 0)], shape=[1, 8, 6, 4])], 2, shape=[1, 4, 3, 16]), (4, 3), 16)


def pads(m, *rest):
	"""Of height, width before and behind; or of all four dimensions."""
	values = [0, 0, *rest, 0, 0] if len(rest) == 4 else rest
	return m.tensor([len(values) // 2, 2], "int32", data=np.array(values, np.int32))


def elements():
	"""Functions of one element and of two, and what is along dimensions."""
	for op in ("ABS", "CEIL", "COS", "ELU", "EXP", "FLOOR", "HARD_SWISH", "LOGISTIC", "NEG", "RELU", "RELU6", "RELU_N1_TO_1", "ROUND", "SIN", "SQUARE", "TANH"):
		yield from around(op, lambda m, x, op=op: m.make(op, [x], shape=list(IMAGE)))
	for op in ("LOG", "RSQRT", "SQRT"):
		yield from around(op, lambda m, x, op=op: m.make(op, [m.make("ADD", [m.make("ABS", [x], shape=list(IMAGE)), constant(m, (1,), 0.1, 0.2)], NONE, shape=list(IMAGE))], shape=list(IMAGE)))
	yield from around("LEAKY_RELU", lambda m, x: m.make("LEAKY_RELU", [x], 0.3, shape=list(IMAGE)))
	for approximate in (0, 1):
		yield from around(f"GELU, {approximate}", lambda m, x, approximate=approximate: m.make("GELU", [x], approximate, shape=list(IMAGE)))
	for op in ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"):
		options = [RELU] if op in ("ADD", "SUB", "MUL") else [NONE] if op == "DIV" else []
		for shape in ((1,), (4,), (6, 1), (7, 6, 4), (1, 7, 1, 4)):
			yield from around(f"{op}, {shape}", lambda m, x, op=op, shape=shape, options=options: m.make(op, [x, constant(m, shape, 0.5, 2)], *options, shape=list(IMAGE)))
		yield from around(f"{op}, two tensors", lambda m, x, op=op, options=options: m.make(op, [m.make("ABS", [x], shape=list(IMAGE)), m.make("EXP", [x], shape=list(IMAGE))], *options, shape=list(IMAGE)))
	yield from around("PRELU", lambda m, x: m.make("PRELU", [x, constant(m, (1, 1, 4))], shape=list(IMAGE)))
	for op in ("EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
		yield from around(f"{op}, SELECT_V2", lambda m, x, op=op: m.make("SELECT_V2", [m.make(op, [x, constant(m, (4,))], shape=list(IMAGE), dtype="bool"), x, constant(m, (1,))], shape=list(IMAGE)))
	for op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
		for axes in ([1, 2], [3], [2], [-1, 1]):
			left = [n for i, n in enumerate(IMAGE) if i not in [a % 4 for a in axes]]
			kept = [1 if i in [a % 4 for a in axes] else n for i, n in enumerate(IMAGE)]
			yield from around(f"{op}, {axes}, kept", lambda m, x, op=op, axes=axes, kept=kept: m.make(op, [x, m.ints(axes)], 1, shape=kept), kept[1:3], kept[3])
			name = f"{op}, {axes}"
			m = begin(name)
			yield done(name, m, [m.make(op, [conv(m, m.given(list(IMAGE), -2, 2), IMAGE[1:3]), m.ints(axes)], 0, shape=left)])
	for op, options in (("SOFTMAX", [1.0]), ("SOFTMAX", [0.5]), ("LOG_SOFTMAX", []), ("L2_NORMALIZATION", [NONE])):
		yield from around(f"{op}, {options}", lambda m, x, op=op, options=options: m.make(op, [x], *options, shape=list(IMAGE)))


def moves():
	"""What only moves elements."""
	for name, padding, shape in (("of the image", (0, 0, 1, 0, 2, 1, 0, 0), (1, 8, 9, 4)), ("of channels", (0, 0, 0, 0, 0, 0, 1, 2), (1, 7, 6, 7))):
		yield from around(f"PAD {name}", lambda m, x, padding=padding, shape=shape: m.make("PAD", [x, pads(m, *padding)], shape=list(shape)), shape[1:3], shape[3])
	yield from around("PADV2", lambda m, x: m.make("PADV2", [x, pads(m, 1, 0, 2, 1), constant(m, ())], shape=[1, 8, 9, 4]), (8, 9))
	yield from around("MIRROR_PAD", lambda m, x: m.make("MIRROR_PAD", [x, pads(m, 1, 0, 2, 1)], 0, shape=[1, 8, 9, 4]), (8, 9))
	for axis in (1, 2, 3, -1):
		shape = [2 * n if i == axis % 4 else n for i, n in enumerate(IMAGE)]
		yield from around(f"CONCATENATION, {axis}", lambda m, x, axis=axis, shape=shape: m.make("CONCATENATION", [x, m.make("ABS", [x], shape=list(IMAGE))], axis, NONE, shape=shape), shape[1:3], shape[3])
	yield from around("RESHAPE", lambda m, x: m.make("RESHAPE", [x, m.ints([1, 6, 7, 4])], [1, 6, 7, 4], shape=[1, 6, 7, 4]), (6, 7))
	yield from around("TRANSPOSE", lambda m, x: m.make("TRANSPOSE", [x, m.ints([0, 2, 1, 3])], shape=[1, 6, 7, 4]), (6, 7))
	yield from around("SLICE", lambda m, x: m.make("SLICE", [x, m.ints([0, 2, 0, 1]), m.ints([1, 3, -1, 2])], shape=[1, 3, 6, 2]), (3, 6), 2)
	yield from around("STRIDED_SLICE", lambda m, x: m.make("STRIDED_SLICE", [x, m.ints([0, 5, 1, -3]), m.ints([1, 0, 6, 4]), m.ints([1, -2, 2, 1])], 0, 0, 0, 0, 0, 0, shape=[1, 3, 3, 3]), (3, 3), 3)
	yield from around("STRIDED_SLICE to the first", lambda m, x: m.make("STRIDED_SLICE", [x, m.ints([0, 0, 0, 0]), m.ints([0, 0, 0, 0]), m.ints([1, -1, 1, 1])], 15, 15, 0, 0, 0, 0, shape=list(IMAGE)))
	yield from around("STRIDED_SLICE of an index", lambda m, x: m.make("RESHAPE", [m.make("STRIDED_SLICE", [x, m.ints([0, 2, 0, 0]), m.ints([1, 3, 6, 4]), m.ints([1, 1, 1, 1])], 0, 0, 0, 0, 2, 0, shape=[1, 6, 4]), m.ints([1, 2, 3, 4])], [1, 2, 3, 4], shape=[1, 2, 3, 4]), (2, 3))

	def parts(m, x, op):
		made = [m.tensor([1, 7, 6, n], "float32") for n in ((2, 2) if op == "SPLIT" else (1, 3))]
		m.add(op, [m.ints(3), x] if op == "SPLIT" else [x, m.ints([1, 3]), m.ints(3)], made, 2)
		return m.make("CONCATENATION", made[::-1], 3, NONE, shape=list(IMAGE))

	yield from around("SPLIT", lambda m, x: parts(m, x, "SPLIT"))
	yield from around("SPLIT_V", lambda m, x: parts(m, x, "SPLIT_V"))

	def unpack(m, x):
		made = [m.tensor([1, 7, 6], "float32") for _ in range(4)]
		m.add("UNPACK", [x], made, 4, 3)
		return m.make("PACK", made[::-1], 4, 2, shape=[1, 7, 4, 6])

	yield from around("UNPACK, PACK", unpack, (7, 4), 6)
	yield from around("GATHER", lambda m, x: m.make("GATHER", [x, m.ints([3, 1, 1])], 2, 0, shape=[1, 7, 3, 4]), (7, 3))
	yield from around("TILE", lambda m, x: m.make("TILE", [x, m.ints([1, 2, 1, 2])], shape=[1, 14, 6, 8], version=2), (14, 6), 8)
	yield from around("EXPAND_DIMS, SQUEEZE", lambda m, x: m.make("SQUEEZE", [m.make("EXPAND_DIMS", [x, m.ints(2)], shape=[1, 7, 1, 6, 4])], [2], shape=list(IMAGE)))


def boxes_and_scores(m, count, batch, levels, computed=False):
	"""Boxes that overlap often, any two corners of each, and scores of so many values, 0 for any; of one image, without a dimension for it."""
	rng = tflite.model.rng
	made = []
	for i, shape in enumerate(((count, 4), (count,))):
		x = m.given([1, *shape] if batch else list(shape), 0, 1)
		if computed:
			x = m.make("MUL", [x, constant(m, (1,), 0.5, 2)], NONE, shape=[1, *shape])
		made.append(m.make("SQUEEZE", [x], [0], shape=list(shape)) if batch else x)
	middle, half = rng.uniform(2, 6, (count, 2)), rng.uniform(0, 2, (count, 2))
	corners = np.stack([middle - half, middle + half], 1)
	for i in range(2):
		turned = rng.integers(0, 2, count).astype(bool)
		corners[turned, :, i] = corners[turned, ::-1, i]
	m.data[-2][:] = corners.reshape(m.data[-2].shape)
	if levels:
		m.data[-1][:] = np.floor(m.data[-1] * levels) / levels
	return made


def found():
	"""Suppression of boxes in float32, hard and soft, of an item and of all that there is."""
	for op, thresholds in ((V4, (0.4, 0.2)), (V4, (0.0, -1.0)), (V4, (1.0, 0.1)), (V4, (0.5, 2.0)), (V5, (0.4, 0.2, 0.0)), (V5, (1.0, 0.3, 0.5)), (V5, (0.6, 0.05, 0.3))):
		for count, most, batch, levels in ((40, 12, True, 0), (90, 40, True, 4), (57, 90, False, 0)):
			name = f"{op} in float, {thresholds}, {count}, {most}, {batch}"
			m = begin(name)
			yield done(name, m, suppression(op, m, boxes_and_scores(m, count, batch, levels), most, thresholds))
	name = f"{V5} of what is computed"
	m = begin(name)
	yield done(name, m, suppression(V5, m, boxes_and_scores(m, 30, True, 0, computed=True), 20, (0.5, 0.25, 0.1)))
	name = f"{V4} of int16"
	m = begin(name)
	x = []
	for values, scale in zip((tflite.model.rng.integers(0, 30000, (1, 30, 4)), tflite.model.rng.integers(0, 32767, (1, 30))), (0.001, 1 / 32768)):
		shape = list(values.shape[1:])
		m.inputs.append(m.tensor([1, *shape], "int16", scale, 0, name=f"x{len(m.inputs)}"))
		m.data.append(values.astype(np.int16))
		q = m.tensor(shape, "int16", scale, 0)
		m.add("SQUEEZE", m.inputs[-1:], [q], [0])
		x.append(m.make("DEQUANTIZE", [q], shape=shape, version=3))
	yield done(name, m, suppression(V4, m, x, 12, (0.3, 0.2)))


TFLITE_FILES = {"tflite-float-layers": layers, "tflite-float-elements": elements, "tflite-float-moves": moves, "tflite-float-found": found}
