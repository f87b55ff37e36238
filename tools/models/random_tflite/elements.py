# SPDX-License-Identifier: MIT
"""TensorFlow Lite's operators of one element and of two, and those at a graph's ends, with random options, for graphs.py: as
in layers.py."""
import numpy as np

from tflite import flatbuffer as fb
from random_tflite.builder import DETECTION, TABLE, Value, limits


def new_quant(g, v, factor=1.0):
	"""The input's, or another one near it."""
	if g.d.chance(3):
		return v.scale, v.zero
	return g.scale(float(v.scale) * factor), g.zero(v.dtype)


def unary(op, quants=None, factor=1.0):
	"""quants: scale and zero point by type, where the operator has its own."""
	def make(g, v):
		quant = quants[v.dtype] if quants else new_quant(g, v, factor)
		return g.result(op, [v], v.shape, v.dtype, np.float32(quant[0]), quant[1])
	return make


LOGISTIC = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)}
TANH = {"int8": (1 / 128, 0), "uint8": (1 / 128, 128), "int16": (1 / 32768, 0)}


def l2_normalization(g, v):
	return g.result("L2_NORMALIZATION", [v], v.shape, v.dtype, np.float32(1 / 128), 0 if v.dtype == "int8" else 128, fused_activation_function=0)


def gelu(g, v):
	return g.result("GELU", [v], v.shape, v.dtype, *new_quant(g, v), approximate=g.d.below(2))


def leaky_relu(g, v):
	return g.result("LEAKY_RELU", [v], v.shape, v.dtype, *new_quant(g, v), alpha=g.d.pick([0.25, 0.1, 0.01, -0.3, 1.5, 0.0], [4, 4, 2, 2, 1, 1]))


def quantize(g, v):
	"""Between two quantizations, of one type or of two."""
	dtype = v.dtype
	if v.dtype == "int8" and g.d.chance(3):
		g.tag("QUANTIZE", "makes", "uint8")
		dtype = "uint8"
	scale, zero = g.scale(float(v.scale)), g.zero(dtype)
	y = g.result("QUANTIZE", [v], v.shape, dtype, scale, zero)
	if dtype != v.dtype:
		y = g.result("QUANTIZE", [y], v.shape, v.dtype, g.scale(float(v.scale)), g.zero(v.dtype))
	return y


REAL_FUNCTIONS = ["FLOOR", "SIN", "SQUARE", "CEIL", "COS", "ROUND", "NEG", "ABS", "EXP", "RELU", "ELU", "LEAKY_RELU", "LOGISTIC"]


def dequantize(g, v):
	"""And QUANTIZE behind it, and perhaps functions in between."""
	real = g.new_real(v.shape)
	g.add("DEQUANTIZE", [v], [real])
	for _ in range(g.d.below(3) if v.dtype != "int16" else 0):
		op, before, real = g.d.pick(REAL_FUNCTIONS, [1] * len(REAL_FUNCTIONS)), real, g.new_real(v.shape)
		g.add(op, [before], [real], **({"alpha": 0.3} if op == "LEAKY_RELU" else {}))
	return g.result("QUANTIZE", [real], v.shape, v.dtype, g.scale(float(v.scale)), g.zero(v.dtype))


def least_zero(op, scale):
	"""Of what is not below 0."""
	def make(g, v):
		if v.zero != -128:
			v = g.input(v.shape, v.dtype, v.scale, -128)
		return g.result(op, [v], v.shape, v.dtype, g.scale(scale), g.zero(v.dtype))
	return make


def broadcast(g, shape):
	"""A shape that is broadcast to this one."""
	shape = list(shape)
	for i in range(1, len(shape)):
		if g.d.chance(2):
			shape[i] = 1
	return shape


def second(g, op, v, quant):
	"""The other operand, and the shape of both: an input, the same tensor, an earlier one, or a constant, either broadcast."""
	earlier = [e for e in g.values if e.shape == v.shape and e.dtype == v.dtype and (quant is None or (e.scale, e.zero) == quant)]
	what = g.d.pick(["input", "constant", "itself", "earlier", "broadcast", "broadcast both", "constant of fewer", "input of fewer"], [6, 5, 1, 3, 3, 2, 3, 1])
	g.tag(op, "operand", what)
	if what in ("itself", "earlier"):
		return (g.d.pick(earlier) if what == "earlier" and earlier else v), v.shape
	scale, zero = quant or (g.scale(float(v.scale)), g.zero(v.dtype))
	if what == "input":
		return g.input(v.shape, v.dtype, scale, zero), v.shape
	if what == "broadcast":
		return g.input(broadcast(g, v.shape), v.dtype, scale, zero), v.shape
	if what == "broadcast both":
		shape = [v.shape[0], *(g.d.pick([3, 1, 2]) if d == 1 else g.d.pick([d, 1]) for d in v.shape[1:])]
		return g.input(shape, v.dtype, scale, zero), np.broadcast_shapes(tuple(shape), tuple(v.shape))
	if what == "input of fewer":
		shape = v.shape[g.d.between(1, len(v.shape) - 1):] if len(v.shape) > 1 else v.shape
		return g.input(shape, v.dtype, scale, zero, no_batch=len(shape) == 1 and len(v.shape) > 1), v.shape
	shape = v.shape if what == "constant" else v.shape[g.d.between(1, len(v.shape)):]
	if what == "constant":
		shape = g.d.pick([v.shape, broadcast(g, v.shape)])
	return g.constant([*([1] if shape and len(shape) == len(v.shape) else shape[:1]), *shape[1:]], v.dtype, scale, zero), v.shape


def binary(op, same=False):
	def make(g, v):
		quant = (v.scale, v.zero) if same or g.d.chance(5) else None
		other, shape = second(g, op, v, quant)
		swap = op != "PRELU" and g.d.chance(3)
		scale = float(v.scale)
		if op in ("MUL", "SQUARED_DIFFERENCE", "PRELU"):
			scale *= float(other.scale) * 40 if v.dtype != "int16" else 1
			scale = scale if op != "SQUARED_DIFFERENCE" else float(v.scale) ** 2 * 60
		elif op in ("ADD", "SUB"):
			scale = max(scale, float(other.scale)) * 1.5
		y = (v.scale, v.zero) if same else (g.scale(scale), g.zero(v.dtype))
		options = {}
		if op in ("ADD", "SUB", "MUL"):
			options["fused_activation_function"] = g.activation(op, v.dtype)
		if op in ("ADD", "SUB"):
			options["pot_scale_int16"] = g.d.below(2)
		if op in ("ADD", "SUB") and v.dtype == "int16" and g.d.chance(2):
			return shifts(g, op, v, options)
		return g.result(op, [other, v] if swap else [v, other], shape, v.dtype, *y, **options)
	return make


def shifts(g, op, v, options):
	"""int16 whose scales are powers of two, as one kernel has it: one of both is the output's, the other 2^-15 to 1 of it."""
	scale = np.float32(2.0 ** -g.d.between(8, 12))
	finer = np.float32(float(scale) * 2.0 ** -g.d.between(0, 6))
	x = [g.input(v.shape, "int16", s, 0) for s in g.d.pick([(scale, finer), (finer, scale)])]
	g.tag(op, "scales", "powers of two")
	return g.result(op, x, v.shape, "int16", scale, 0, **options)


def suppression(g, _):
	"""Boxes that overlap often, any two corners of each: of each item, or of a model without a batch."""
	dtype = g.d.pick(["int8", "uint8"])
	op = g.d.pick(["NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5"])
	count, of_items = g.d.pick([12, 3, 40, 2]), g.d.chance(2)
	most, low = g.d.pick([5, 2, 12, 50] if of_items else [5, 1, 12, 50]), limits(dtype)[0]
	levels = g.d.pick([256, 4, 2, 17])
	shapes = [[count, 4], [count]]

	def draw_boxes(data):
		shape = [*data.shape[:-1], 2]
		middle, half = g.rng.integers(60, 196, shape), g.rng.integers(0, g.d.pick([55, 9, 2]), shape)
		turn = np.where(g.rng.integers(0, 2, shape), 1, -1)
		return (low + np.concatenate([middle - half * turn, middle + half * turn], -1)).astype(data.dtype)

	def draw_scores(data):
		return (low + g.rng.integers(0, levels, data.shape) * (255 // (levels - 1))).astype(data.dtype)

	x = [g.input([1, *shape] if of_items else shape, dtype, np.float32(scale), low + zero, adjust=draw)
	     for shape, scale, zero, draw in zip(shapes, (0.013, 1 / 256), (g.d.pick([7, 0, 120]), 0), (draw_boxes, draw_scores))]
	if of_items:
		x = [g.like("SQUEEZE", v, shape, squeeze_dims=[0]) if g.d.chance(2) else g.like("RESHAPE", v, shape, [g.ints(shape)], new_shape=shape)
		     for v, shape in zip(x, shapes)]
	reals = [g.new_real(shape) for shape in shapes]
	for v, real in zip(x, reals):
		g.add("DEQUANTIZE", [v], [real])
	numbers = [g.d.pick([0.4, 0.9, 1.0, 0.05, 0.0]), g.d.pick([0.2, -1.0, 0.0, 0.7])]
	y = [g.new([most], "int32", None, 0)]
	if op == "NON_MAX_SUPPRESSION_V5":
		numbers.append(g.d.pick([0.0, 0.5, 0.1, 2.0]))
		y.append(g.new_real([most]))
	y.append(g.new([], "int32", None, 0))
	size = g.tensor([], "int32", data=np.array(most, np.int32))
	g.add(op, [*reals, size, *(g.tensor([], "float32", data=np.array(value, np.float32)) for value in numbers)], y)
	return y


def detection(g, _):
	"""The custom operator that detectors end with: a grid of anchors, boxes around them, and scores."""
	dtype = g.d.pick(["uint8", "int8"])
	background, classes, side = g.d.below(2), g.d.between(1, 5), g.d.between(2, 5)
	anchors, low = side * side, limits(dtype)[0]
	options = {"detections_per_class": g.d.pick([100, 3, 1]), "h_scale": g.d.pick([5.0, 1.0]), "max_classes_per_detection": g.d.between(1, min(3, classes)),
		   "max_detections": g.d.pick([10, 3, 30, 1]), "nms_iou_threshold": g.d.pick([0.6, 0.3, 0.9]), "nms_score_threshold": g.d.pick([0.3, 0.0, 0.9]),
		   "num_classes": classes, "use_regular_nms": bool(g.d.below(2)), "w_scale": 5.0, "x_scale": 10.0, "y_scale": 10.0}
	boxes = g.input([1, anchors, 4], dtype, np.float32(0.08), low + 120)
	scores = g.input([1, anchors, classes + background], dtype, np.float32(1 / 256), low)
	grid = np.array([((y + 0.5) / side, (x + 0.5) / side, 0.3 + 0.05 * (y % 3), 0.35) for y in range(side) for x in range(side)])
	inputs = [boxes, scores]
	if dtype == "int8":
		inputs = [g.new_real(v.shape) for v in inputs]
		g.add("DEQUANTIZE", [boxes], inputs[:1])
		g.add("DEQUANTIZE", [scores], inputs[1:])
		at = g.tensor([anchors, 4], "float32", data=grid.astype(np.float32))
	else:
		at = g.tensor([anchors, 4], "uint8", np.float32(0.0045), 3, np.round(grid / 0.0045 + 3).astype(np.uint8))
	most = options["max_detections"] * options["max_classes_per_detection"]
	y = [g.new_real(shape) for shape in ([1, most, 4], [1, most], [1, most], [1])]
	for name in TABLE[DETECTION][1]:
		g.tags.add(f"{DETECTION}.{name}" if name != "use_regular_nms" else f"{DETECTION}.{name}={int(options[name])}")
	g.add(DETECTION, inputs, y)
	if not options["use_regular_nms"]:
		g.classes = options["max_classes_per_detection"]
	g.m.add_custom(DETECTION, [v.at for v in [*inputs, Value(at, [], "")]], [v.at for v in y], fb.flex_map(options))
	return y
