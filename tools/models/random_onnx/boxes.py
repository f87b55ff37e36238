# SPDX-License-Identifier: MIT
"""RoiAlign with random boxes and attributes, for graphs.py: as in operators.py."""
import numpy as np
from onnx import helper

from random_onnx.builder import ONNX_TYPES, UINT8, Quant, Value


def corners(g, boxes):
	"""Most end behind where they begin: in one direction alone ONNX Runtime fails without sampling_ratio."""
	data = g.rng.integers(0, 256, (boxes, 2, 2))
	return (data if g.d.chance(30) else np.sort(data, axis=1)).reshape(boxes, 4).astype(np.uint8)


def rois(g, boxes, around):
	op, quant = "RoiAlign", Quant(UINT8, np.float32(around), g.d.between(0, 60))
	form = g.d.pick(["floats", "computed", "integers"], [3, 4, 2])
	g.tag(op, "rois", form)
	data = corners(g, boxes)
	if form == "floats":
		return g.const((data.astype(np.float32) - quant.zero) * quant.scale, "r")
	if form == "integers":
		return g.node("DequantizeLinear", [g.const(data, "r"), *g.quant_names_always(quant)])
	x = g.input([boxes, 4], quant, True)
	g.data[x.name] = data
	return g.dequantize(x).name


def indices(g, boxes, images):
	form = g.d.pick(["constant", "an input"])
	g.tag("RoiAlign", "batch_indices", form)
	data = g.rng.integers(0, images, boxes)
	if form == "constant":
		return g.const(data, "b")
	name = g.name("x")
	g.data[name] = data
	g.inputs.append(helper.make_tensor_value_info(name, ONNX_TYPES["int64"], [boxes]))
	return name


def fix_batch(g):
	"""What comes out has a row for each box, which nnloop knows of a fixed batch only."""
	g.batch_form = "fixed"
	for info in g.inputs:
		dims = info.type.tensor_type.shape.dim
		if dims:
			dims[0].dim_value = g.data[info.name].shape[0]


def roi_align(g, v, opset):
	op, attrs = "RoiAlign", {}
	if not g.d.chance(12):
		fix_batch(g)
	v = v if v.real else g.dequantize(v)
	boxes = g.d.pick([2, 1, 5])
	modes = [("absent", None), ("half_pixel", "half_pixel"), ("output_half_pixel", "output_half_pixel")]
	if g.since(16, 2):
		g.attr(op, attrs, "coordinate_transformation_mode", modes)
	g.attr(op, attrs, "mode", [("absent", None), ("avg", "avg"), ("max", "max")])
	height = g.attr(op, attrs, "output_height", [("absent", None), *((str(n), n) for n in (1, 2, 3, 4))]) or 1
	width = g.attr(op, attrs, "output_width", [("absent", None), *((str(n), n) for n in (1, 2, 3, 7))]) or 1
	g.attr(op, attrs, "sampling_ratio", [("absent", None), *((str(n), n) for n in (0, 1, 2, 3))])
	scale = g.attr(op, attrs, "spatial_scale", [("absent", None), *((str(s), s) for s in (1.0, 0.25, 0.0625, 0.37))], [4, 1, 2, 2, 2]) or 1.0
	around = 1.4 * max(v.shape[2:]) / 255 / scale * (1 + g.d.below(100) / 200)
	name = g.node(op, [v.name, rois(g, boxes, around), indices(g, boxes, v.shape[0])], attrs)
	return Value(name, [boxes, *v.shape[1:2], height, width], True, None, v.hint)
