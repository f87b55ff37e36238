# SPDX-License-Identifier: MIT
"""The table of write.py for ONNX's RoiAlign: boxes at the ends of images, of every form, and what its operands can be."""
import numpy as np

from edges.write import F32, I8, I32, I64, U8, Graph, In, one

TO = (0.04, 77)


def numbers(*values):
	return np.array([values[0] if isinstance(values[0], tuple) else values], F32)


def boxes():
	"""Boxes around each side of an image; indices, shapes and types."""
	x, index = In(2, 3, 6, 7, fixed=True), np.array([1], I64)
	where = In(5, dtype=I64, quant=None, span=(0, 2), fixed=True)
	sides = {"inside": (1.3, 0.8, 4.1, 3.9), "left": (-3, 1, 1, 4), "right": (5, 1, 9, 4), "above": (1, -3, 4, 1), "below": (1, 4, 4, 9), "around": (-2, -2, 9, 8),
		 "outside": (20, 20, 30, 30), "a point": (2, 2, 2, 2), "at the last pixels": (6, 5, 7, 6), "at the ends": (-1, -1, 7, 6), "less than a pixel": (2.1, 1.2, 2.4, 1.5),
		 "a line": (1, 2, 5, 2), "backwards": (5, 4, 1, 1), "long": (0, 0, 900, 3), "high": (0, 0, 3, 900)}
	for name, corners in sides.items():
		for mode in ("avg", "max"):
			for ratio in (0, 1, 3):
				for coordinates in ("half_pixel", "output_half_pixel"):
					yield one(f"RoiAlign {name} {mode} {ratio} {coordinates}", "RoiAlign", [x, numbers(corners), index], to=TO, opset=16, mode=mode, sampling_ratio=ratio,
						  output_height=2, output_width=2, coordinate_transformation_mode=coordinates)
	for opset in (10, 15, 16, 21):
		for mode in ("avg", "max"):
			yield one(f"RoiAlign {mode} of opset {opset}", "RoiAlign", [x, numbers(sides["inside"]), index], to=TO, opset=opset, mode=mode, output_height=3, sampling_ratio=2)
		yield one(f"RoiAlign as it is, of opset {opset}", "RoiAlign", [x, numbers(sides["inside"]), index], to=TO, opset=opset)
	yield one("RoiAlign of opset 9", "RoiAlign", [x, numbers(sides["inside"]), index], "nnloop knows 10 to", opset=9)
	yield one("RoiAlign of an attribute before its opset", "RoiAlign", [x, numbers(sides["inside"]), index], "coordinate_transformation_mode", opset=15,
		  coordinate_transformation_mode="half_pixel")
	for name, attrs in {"mode": {"mode": "min"}, "height": {"output_height": 0}, "width": {"output_width": 0}, "ratio": {"sampling_ratio": -1},
			    "ratio 1025": {"sampling_ratio": 1025}, "height 65537": {"output_height": 65537}, "width 65537": {"output_width": 65537}}.items():
		yield one(f"RoiAlign of a wrong {name}", "RoiAlign", [x, numbers(sides["inside"]), index], "attribute", opset=16, **attrs)
	for scale in (0.0, -1.0):
		yield one(f"RoiAlign of spatial_scale {scale}", "RoiAlign", [x, numbers(sides["inside"]), index], "its spatial_scale is", opset=16, spatial_scale=scale)
	yield one("RoiAlign of 1024 samples", "RoiAlign", [In(1, 1, 6, 7, fixed=True), numbers(sides["around"]), np.array([0], I64)], to=TO, opset=16, sampling_ratio=1024)
	yield one("RoiAlign of bins of 1023 pixels", "RoiAlign", [In(1, 1, 6, 7, fixed=True), numbers((0, 0, 1023, 1)), np.array([0], I64)], to=TO, opset=16)
	for ends in ((0, 0, 1024, 1), (0, 0, 1, 1024)):
		yield one(f"RoiAlign of bins of {ends}", "RoiAlign", [x, numbers(ends), index], "say how many", opset=16)
	for wide in (64, 65, 130):
		yield one(f"RoiAlign of {wide} channels", "RoiAlign", [In(2, wide, 5, 4, fixed=True, image=True), numbers((0.5, 1, 3, 4)), index], to=TO, opset=16, output_width=2)

	rois = lambda *shape, **more: In(*shape, fixed=True, **{"quant": (0.03, 20), **more})
	for dtype, quant in ((U8, (0.03, 20)), (I8, (0.03, -90))):
		for mode in ("avg", "max"):
			yield one(f"RoiAlign of computed rois of {dtype.__name__}, {mode}", "RoiAlign", [x, rois(5, 4, dtype=dtype, quant=quant), where], to=TO, opset=16, mode=mode,
				  sampling_ratio=2, output_height=2, output_width=3)
	for images in (1, 4):
		yield one(f"RoiAlign of {images} images", "RoiAlign", [In(images, 2, 5, 4, fixed=True, image=True), rois(5, 4), In(5, dtype=I64, quant=None, span=(0, images), fixed=True)],
			  to=TO, opset=16, sampling_ratio=2, output_width=2)
	yield one("RoiAlign of one box", "RoiAlign", [In(1, 2, 5, 4, fixed=True), rois(1, 4), In(1, dtype=I64, quant=None, span=(0, 1), fixed=True)], to=TO, opset=16, sampling_ratio=2)
	yield one("RoiAlign of int8", "RoiAlign", [In(2, 3, 6, 7, dtype=I8, quant=(0.04, -3), fixed=True), rois(5, 4), where], to=(0.05, -7), dtype=I8, opset=16, sampling_ratio=2)
	for place in (-1, 2):
		yield one(f"RoiAlign of image {place}", "RoiAlign", [x, numbers(sides["inside"]), np.array([place], I64)], f"its batch index {place} is not one of 2 images", opset=16)
	yield one("RoiAlign of indices of int32", "RoiAlign", [x, numbers(sides["inside"]), np.array([0], I32)], "its batch_indices are not of int64", opset=16)
	yield one("RoiAlign of real indices", "RoiAlign", [x, rois(5, 4), rois(5)], "its batch_indices are not of int64", opset=16)
	yield one("RoiAlign of a matrix of indices", "RoiAlign", [x, numbers(sides["inside"]), np.array([[1]], I64)], "or its batch_indices have 2 dimensions", opset=16)
	yield one("RoiAlign of two indices", "RoiAlign", [x, numbers(sides["inside"]), np.array([0, 1], I64)], "it has 1 rois and 2 batch_indices", opset=16)
	yield one("RoiAlign of no box", "RoiAlign", [x, np.zeros((0, 4), F32), np.zeros(0, I64)], "it has 0 rois", opset=16)
	yield one("RoiAlign of five numbers", "RoiAlign", [x, rois(5, 5), where], "its rois are not 4 numbers each", opset=16)
	yield one("RoiAlign of matrices of boxes", "RoiAlign", [x, rois(5, 4, 4), where], "its rois are not 4 numbers each", opset=16)
	yield one("RoiAlign of a list of boxes", "RoiAlign", [x, rois(4), where], "its rois are not 4 numbers each", opset=16)
	yield one("RoiAlign of rois that are integers", "RoiAlign", [x, rois(5, 4, quant=None), where], "its input 1 is a tensor of integers", opset=16)
	yield one("RoiAlign of wide rois", "RoiAlign", [x, rois(5, 4, dtype=I32, quant=(2.0 ** -40, 0)), where], "its rois are of int32", opset=16)
	yield one("RoiAlign of wide images", "RoiAlign", [In(2, 3, 6, 7, dtype=I32, quant=(2.0 ** -40, 0), fixed=True), rois(5, 4), where], "its images are of int32", opset=16)
	yield one("RoiAlign of constant integers", "RoiAlign", [x, np.array([[1, 1, 3, 3]], I64), index], "its rois is no constant of floats", opset=16)
	yield one("RoiAlign of images that are a constant", "RoiAlign", [np.zeros((1, 1, 4, 4), F32), rois(5, 4), where], "its input 0 is a constant", opset=16)
	yield one("RoiAlign of lines", "RoiAlign", [In(2, 3, 6, fixed=True), rois(5, 4), where], "its input has 3 dimensions", opset=16)
	for name, inputs in {"images": [In(2, 3, 6, 7), rois(5, 4), where], "rois": [x, In(5, 4, quant=(0.03, 20)), where],
			     "indices": [x, rois(5, 4), In(5, dtype=I64, quant=None, span=(0, 2))]}.items():
		yield one(f"RoiAlign of a batch of {name}", "RoiAlign", inputs, "a number of rois that may vary", opset=16)
	g = Graph("RoiAlign of dequantized rois")
	corners = g.node("DequantizeLinear", [g.const(np.array([[30, 40, 90, 101], [1, 2, 240, 250]], U8)), *g.quant((0.05, 20), U8)])
	g.output(g.node("RoiAlign", [g.real(x), corners, g.const(np.array([1, 0], I64))], output_height=2), U8, TO)
	yield g.case(16, None)


FILES = {"boxes": boxes}
