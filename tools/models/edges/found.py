# SPDX-License-Identifier: MIT
"""The table of write.py for ONNX's NonMaxSuppression, and for what a model makes of the boxes that it finds: rows, tables, pieces of images, second stages."""
import numpy as np
from onnx import TensorProto, helper

from common.cases import FLOAT_SUMS
from edges.controlled import Controlled, branches
from edges.write import F32, I8, I64, TYPES, U8, In

GRID = (0.25, 0)  # of boxes: many have the same corners


class Finder(Controlled):
	"""A model with a NonMaxSuppression of boxes that it is given."""

	def boxes(self, count, images=1, dtype=U8, quant=GRID, span=(0, 40), sizes=(2, 14), centers=False):
		"""Corners that are not in order in some, or middles and sizes, in units of the scale."""
		low = np.iinfo(dtype).min if dtype is I8 else 0
		places = self.rng.integers(*span, (images, count, 2))
		lengths = self.rng.integers(*sizes, (images, count, 2))
		corners = np.concatenate([places + 20, lengths] if centers else [places, places + lengths], axis=2)
		turned = self.rng.random((images, count, 1)) < (0 if centers else 0.2)
		corners = np.where(turned, corners[:, :, [2, 1, 0, 3]], corners)
		name = f"x{len(self.inputs)}"
		self.data.append((name, (corners + low).astype(dtype)))
		self.inputs.append(helper.make_tensor_value_info(name, TYPES[dtype], corners.shape))
		return self.node("DequantizeLinear", [name, *self.quant((quant[0], low), dtype)])

	def scores(self, count, classes=1, images=1, span=(0, 256)):
		"""Of few values, so that some are equal."""
		return self.real(In(images, classes, count, quant=(1 / 256, 0), fixed=True, span=span))

	def found(self, boxes, scores, most=6, iou=0.4, score=0.3, **attrs):
		inputs = [boxes, scores] + [np.array([most], I64)]
		inputs += [""] if iou is None else [np.array([iou], F32)]
		inputs += [] if score is None else [np.array([score], F32)]
		return self.add("NonMaxSuppression", *inputs, **attrs)

	def column(self, found, i):
		"""Number i of each box, as PyTorch's exporter reads the last, and by a single index."""
		if i < 2:
			return self.add("Gather", found, I64(i), axis=1)
		return self.add("Squeeze", self.add("Gather", found, I64([i]), axis=1), I64([1]))

	def table(self, boxes):
		"""Those of the only image, as rows."""
		return self.add("Squeeze", boxes, I64([0]))

	def ends(self, *outputs, says=None, flags=0):
		for value, *dtype in outputs:
			if dtype and dtype[0] is U8:
				value = self.add("QuantizeLinear", value, F32(dtype[1][0]), U8(dtype[1][1]))
			self.outputs.append(helper.make_tensor_value_info(value, TYPES[dtype[0] if dtype else I64], None))
		return self.case(16, says, flags)



def indices():
	"""What it finds, in all its forms."""
	for count in (1, 7, 40):
		for iou in (0.0, 0.3, 1.0, None):
			for score in (0.0, 0.7, 1.0, None):
				g = Finder(f"NonMaxSuppression of {count}, {iou}, {score}")
				yield g.ends((g.found(g.boxes(count), g.scores(count, span=(0, 256) if count < 40 else (100, 108)), iou=iou, score=score),))
	for most in (1, 5, 2 ** 31, 2 ** 63 - 1):
		g = Finder(f"NonMaxSuppression, {most} at most")
		yield g.ends((g.found(g.boxes(30), g.scores(30), most=most),))
	for classes, images in ((3, 1), (80, 1), (1, 3), (3, 2), (20, 5)):
		g = Finder(f"NonMaxSuppression of {classes} classes, {images} images")
		yield g.ends((g.found(g.boxes(12, images), g.scores(12, classes, images), most=4),))
	for dtype in (U8, I8):
		for centers in (0, 1):
			g = Finder(f"NonMaxSuppression of {dtype.__name__}, {centers}")
			yield g.ends((g.found(g.boxes(50, dtype=dtype, centers=centers), g.scores(50, span=(0, 16)), most=20, score=0.01, center_point_box=centers),))
	g = Finder("NonMaxSuppression of empty boxes")
	yield g.ends((g.found(g.boxes(30, sizes=(0, 3)), g.scores(30), most=30, score=None),))
	g = Finder("NonMaxSuppression of the same box")
	yield g.ends((g.found(g.boxes(30, span=(5, 6), sizes=(4, 5)), g.scores(30), most=30),))
	for iou in (0.5, 0.25):
		g = Finder(f"NonMaxSuppression of overlaps that are {iou}")
		yield g.ends((g.found(g.boxes(40, span=(0, 4), sizes=(2, 5)), g.scores(40), most=40, iou=iou),))
	for quantized in (False, True):
		for centers in (0, 1):
			g = Finder(f"NonMaxSuppression in float, {quantized}, {centers}")
			boxes = g.boxes(60, centers=centers) if quantized else g.given(np.abs(g.floats(1, 60, 4)) * 9)
			yield g.ends((g.found(boxes, g.add("Sigmoid", g.given(g.floats(1, 2, 60))), score=0.5, most=20, center_point_box=centers),))


def refused():
	g = Finder("NonMaxSuppression of none")
	yield g.ends((g.found(g.boxes(9), g.scores(9), most=0),), says="finds nothing")
	g = Finder("NonMaxSuppression of no number")
	yield g.ends((g.add("NonMaxSuppression", g.boxes(9), g.scores(9)),), says="finds nothing")
	g = Finder("NonMaxSuppression of too many")
	scores = g.add("Tile", g.scores(600), I64([1, 4000, 1]))
	yield g.ends((g.found(g.boxes(600), scores, most=600),), says="nnloop knows 2097152 in all")
	g = Finder("NonMaxSuppression of others")
	yield g.ends((g.found(g.boxes(9), g.scores(8)),), says="its boxes and scores are")
	g = Finder("NonMaxSuppression by a computed threshold")
	where = g.add("ReduceMax", g.given(g.floats(3, low=0)), keepdims=0)
	yield g.ends((g.add("NonMaxSuppression", g.boxes(9), g.scores(9), I64([3]), where),), says="its iou_threshold is no constant")
	g = Finder("NonMaxSuppression in a branch")
	boxes, scores, yes = g.boxes(9), g.scores(9), g.given(np.array([True]), TensorProto.BOOL)

	def find(branch):
		return branch.add("NonMaxSuppression", boxes, scores, I64([3]))

	yield g.ends((branches(g, yes, find, find, (None, 3)),), says="in the body of a Loop, Scan or If")
	g = Finder("NonMaxSuppression of what one has found")
	boxes = g.boxes(20)
	rows = g.add("Gather", g.table(boxes), g.column(g.found(boxes, g.scores(20)), 2), axis=0)
	yield g.ends((g.found(g.add("Unsqueeze", rows, I64([0])), g.scores(20)),), says=" ")
	g = Finder("NonMaxSuppression, the greatest of all")
	boxes = g.boxes(20)
	rows = g.add("Gather", g.table(boxes), g.column(g.found(boxes, g.scores(20)), 2), axis=0)
	yield g.ends((g.add("ReduceMax", rows, axes=[0], keepdims=1), U8, (0.25, 0)), says=" ")
	g = Finder("NonMaxSuppression of two, added")
	rows = []
	for _ in range(2):
		boxes = g.boxes(20)
		rows.append(g.add("Gather", g.table(boxes), g.column(g.found(boxes, g.scores(20)), 2), axis=0))
	yield g.ends((g.add("Add", *rows), U8, (0.5, 0)), says=" ")


def tables():
	"""What a model looks up for each box."""
	g = Finder("NonMaxSuppression, then Gather")
	boxes, scores = g.boxes(40), g.scores(40)
	kept = g.column(g.found(boxes, scores), 2)
	yield g.ends((g.add("Gather", g.table(boxes), kept, axis=0), U8, (0.25, 0)), (g.add("Gather", g.add("Reshape", scores, I64([40])), kept, axis=0), U8, (1 / 256, 0)), (kept,))
	for classes in (1, 5):
		g = Finder(f"NonMaxSuppression, then GatherND, {classes}")
		boxes, scores = g.boxes(40), g.scores(40, classes)
		found = g.found(boxes, scores)
		yield g.ends((g.add("GatherND", boxes, g.add("Gather", found, I64([0, 2]), axis=1)), U8, (0.25, 0)), (g.add("GatherND", scores, found), U8, (1 / 256, 0)), (g.column(found, 1),))
	g = Finder("NonMaxSuppression, then a Slice")
	boxes = g.boxes(40)
	found = g.add("Slice", g.found(boxes, g.scores(40)), I64([2]), I64([3]), I64([1]))
	yield g.ends((g.add("Gather", g.table(boxes), g.add("Squeeze", found, I64([1])), axis=0), U8, (0.25, 0)))
	g = Finder("NonMaxSuppression of two")
	rows = []
	for _ in range(2):
		boxes = g.boxes(20)
		rows.append((g.add("Gather", g.table(boxes), g.column(g.found(boxes, g.scores(20)), 2), axis=0), U8, (0.25, 0)))
	yield g.ends(*rows)


def stages():
	"""A second stage for each box: of features in rows, of pieces of an image; none, few and many boxes."""
	for most, score in ((3, 0.3), (30, 0.01), (30, 1.0)):
		g = Finder(f"NonMaxSuppression, then a layer, {most}, {score}")
		boxes = g.boxes(40)
		features = g.real(In(40, 16, fixed=True))
		kept = g.column(g.found(boxes, g.scores(40), most=most, score=score), 2)
		rows = g.add("MatMul", g.add("Gather", features, kept, axis=0), g.weights((16, 5)))
		yield g.ends((g.add("Relu", rows), U8, (0.1, 0)))
		g = Finder(f"NonMaxSuppression, then RoiAlign, {most}, {score}")
		image = g.real(In(1, 3, 16, 16, quant=(0.02, 0), fixed=True))
		features = g.rounded(g.add("Conv", image, g.weights((6, 3, 3, 3)), pads=[1] * 4), (0.03, 30))
		boxes = g.boxes(40)
		found = g.found(boxes, g.scores(40), most=most, score=score)
		rois = g.add("Gather", g.table(boxes), g.column(found, 2), axis=0)
		pieces = g.rounded(g.add("RoiAlign", features, rois, g.column(found, 0), output_height=4, output_width=4, sampling_ratio=2), (0.03, 30))
		pieces = g.rounded(g.add("Relu", g.add("Conv", pieces, g.weights((8, 6, 3, 3)))), (0.05, 0))
		classes = g.add("Gemm", g.add("Flatten", pieces, axis=1), g.weights((32, 5)))
		yield g.ends((classes, U8, (0.06, 99)), (rois, U8, (0.25, 0)), (found,), flags=FLOAT_SUMS)
	g = Finder("NonMaxSuppression in float, then a layer")
	boxes = g.given(np.abs(g.floats(1, 60, 4)) * 9)
	features = g.given(g.floats(60, 16))
	kept = g.column(g.found(boxes, g.add("Sigmoid", g.given(g.floats(1, 1, 60))), score=0.4, most=20), 2)
	rows = g.add("Tanh", g.add("MatMul", g.add("Gather", features, kept, axis=0), g.floats(16, 5)))
	yield g.ends((rows, F32), (g.add("Gather", g.table(boxes), kept, axis=0), F32), flags=FLOAT_SUMS)


def found():
	for make in (indices, tables, stages, refused):
		yield from make()


FILES = {"found": found}
