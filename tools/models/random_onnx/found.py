# SPDX-License-Identifier: MIT
"""NonMaxSuppression with random boxes and thresholds, for graphs.py: as in operators.py. What it finds is as many rows as that, with which the graph goes on."""
import numpy as np
from onnx import TensorProto, helper

from random_onnx.builder import ONNX_TYPES, UINT8, Quant, Value


def overlapping(g, count, images, centers):
	"""Boxes whose corners are often the same, and not always in order; or their middles and lengths."""
	places = g.rng.integers(0, g.d.pick([60, 12, 200]), (images, count, 2))
	lengths = g.rng.integers(0 if g.d.chance(4) else 2, g.d.pick([14, 40]), (images, count, 2))
	boxes = np.concatenate([places + 10, lengths] if centers else [places, places + lengths], axis=2)
	turned = g.rng.random((images, count, 1)) < (0.2 if not centers and g.d.chance(2) else 0)
	return np.where(turned, boxes[:, :, [2, 1, 0, 3]], boxes).astype(np.uint8)


def given(g, data, quant):
	"""A dequantized input of fixed dimensions."""
	name = g.name("x")
	g.data[name] = data
	g.inputs.append(helper.make_tensor_value_info(name, ONNX_TYPES[quant.dtype], data.shape))
	return g.dequantize(Value(name, list(data.shape), False, quant))


def found(g, _v, opset):
	"""Features of boxes that a NonMaxSuppression finds, of which there are as many rows as it finds."""
	op, attrs = "NonMaxSuppression", {}
	count, classes, images = g.d.between(1, 40), g.d.pick([1, 2, 5], [4, 2, 1]), 1
	if g.d.chance(4):
		images = g.d.between(2, 3)
	centers = g.attr(op, attrs, "center_point_box", [("absent", None), ("0", 0), ("1", 1)], [3, 1, 2])
	boxes = given(g, overlapping(g, count, images, centers), Quant(UINT8, np.float32(g.d.pick([0.25, 0.1, 1.0])), 0))
	span = g.d.pick([256, 8, 40])  # of few values many are equal
	scores = given(g, g.rng.integers(0, span, (images, classes, count)).astype(np.uint8), Quant(UINT8, np.float32(1 / span), 0))
	inputs = [boxes.name, scores.name, g.const(np.array([g.d.pick([5, 1, 100, 2 ** 62])], np.int64), "k")]
	for name, high in (("iou_threshold", 1), ("score_threshold", 1)):
		there = not g.d.chance(4)
		g.tag(op, name, "given" if there else "absent")
		inputs.append(g.const(np.array([g.d.between(0, 8) / 8 * high], np.float32), "k") if there else "")
	while not inputs[-1]:
		inputs.pop()
	made = g.node(op, inputs, attrs)
	features = given(g, g.rng.integers(0, 256, (count, g.d.between(1, 12))).astype(np.uint8), g.quant(0.05, UINT8))
	how = g.d.pick(["Gather", "GatherND", "Slice"], [3, 2, 1])
	g.tag(op, "read by", how)
	column = lambda at: g.const(np.array(at, np.int64), "k")
	if how == "GatherND":
		numbers = g.node("Gather", [made, column([2])], {"axis": 1})
		taken = g.node("GatherND", [features.name, numbers])
	else:
		if how == "Slice" and opset >= 10:
			numbers = g.node("Slice", [made, column([2]), column([3]), column([1])])
			numbers = g.node("Reshape", [numbers, column([-1])])
		else:
			numbers = g.node("Gather", [made, g.const(np.int64(2), "k")], {"axis": 1})
		taken = g.node("Gather", [features.name, numbers], {"axis": 0} if g.d.chance(2) else {})
	if g.d.chance(3):
		g.outputs.append(helper.make_tensor_value_info(made, TensorProto.INT64, None))
	return g.keep(Value(taken, [g.batch, features.shape[1]], True, features.quant, float(features.quant.scale)))
