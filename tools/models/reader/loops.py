# SPDX-License-Identifier: MIT
"""BatchLoop, Proposal and CropResize: as ONNX functions of domain org.nnloop, and in numpy integers.

docs/reader.md defines them. The function bodies are standard operators in int32, exact in every ONNX runtime.
"""
import numpy as np
from onnx import AttributeProto, helper

DOMAIN = "org.nnloop"
OPSET = 15


# ---- In integers -------------------------------------------------------------------------------

def proposal(scores, deltas, anchors, image_size, *, stride, delta_zero, delta_shift, score_min, min_size, before, after, iou, **_):
	"""Boxes [M, 4], scores [M] and owners [M] of scores [P, A, gh, gw] and deltas [P, 4 A, gh, gw]."""
	out = [], [], []
	p, a, gh, gw = scores.shape
	flat_scores = scores.transpose(0, 2, 3, 1).reshape(p, -1).astype(np.int64)
	q = deltas.transpose(0, 2, 3, 1).reshape(p, gh, gw, a, 4).astype(np.int64) - delta_zero
	half = 1 << (delta_shift - 1)
	size = np.asarray(anchors, np.int64)

	def edges(at, cells, step, limit, dim):
		centre = (2 * cells + 1) * step * 8 + ((q[..., dim] * size[:, dim] + half) >> delta_shift)
		extent = np.maximum(0, size[:, dim] + ((q[..., dim + 2] * size[:, dim] + half) >> delta_shift))
		low = centre - (extent >> 1)
		return np.clip(low, 0, 16 * limit).reshape(p, -1), np.clip(low + extent, 0, 16 * limit).reshape(p, -1)

	y0, y1 = edges(0, np.arange(gh)[:, None, None], stride[0], image_size[0], 0)
	x0, x1 = edges(1, np.arange(gw)[None, :, None], stride[1], image_size[1], 1)
	for page in range(p):
		boxes = np.stack([y0[page], x0[page], y1[page], x1[page]], 1)
		good = (flat_scores[page] >= score_min) & (boxes[:, 2] - boxes[:, 0] >= min_size) & (boxes[:, 3] - boxes[:, 1] >= min_size)
		index = np.where(good)[0]
		index = index[np.argsort(-flat_scores[page][index], kind="stable")][:before]
		kept = []
		for i in index:
			if len(kept) == after:
				break
			if kept:
				k = boxes[kept]
				ih = np.minimum(k[:, 2], boxes[i, 2]) - np.maximum(k[:, 0], boxes[i, 0])
				iw = np.minimum(k[:, 3], boxes[i, 3]) - np.maximum(k[:, 1], boxes[i, 1])
				inter = np.maximum(ih, 0) * np.maximum(iw, 0)
				union = area(k) + area(boxes[i][None]) - inter
				if np.any(inter * 256 > iou * union):
					continue
			kept.append(i)
		out[0].append(boxes[kept].reshape(-1, 4))
		out[1].append(flat_scores[page][kept])
		out[2].append(np.full(len(kept), page))
	return (np.concatenate(out[0]).astype(np.int32), np.concatenate(out[1]).astype(np.uint8),
		np.concatenate(out[2]).astype(np.int32))


def area(boxes):
	return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def crop_resize(image, boxes, owner, *, height, width):
	"""uint8 [M, C, height, width] of image [P, C, H, W]."""
	boxes = boxes.astype(np.int64)

	def axis(low, high, size, count):
		low, high = np.clip(low, 0, 16 * size)[:, None], np.clip(high, 0, 16 * size)[:, None]
		high = np.maximum(low, high)
		at = 16 * low + (high - low) * ((2 * np.arange(count) + 1) * 8)[None] // count - 128
		at = np.clip(at, 0, 256 * (size - 1))
		return at >> 8, np.minimum((at >> 8) + 1, size - 1), at & 255

	iy, jy, fy = (v[:, :, None] for v in axis(boxes[:, 0], boxes[:, 2], image.shape[2], height))
	ix, jx, fx = (v[:, None, :] for v in axis(boxes[:, 1], boxes[:, 3], image.shape[3], width))
	rows = image.transpose(0, 2, 3, 1).astype(np.int64)
	n = owner.astype(np.int64)[:, None, None]
	fy, fx = fy[..., None], fx[..., None]
	top = rows[n, iy, ix] * (256 - fx) + rows[n, iy, jx] * fx
	bottom = rows[n, jy, ix] * (256 - fx) + rows[n, jy, jx] * fx
	return ((top * (256 - fy) + bottom * fy + 32768) >> 16).astype(np.uint8).transpose(0, 3, 1, 2)


# ---- As ONNX functions -------------------------------------------------------------------------

class Body:
	"""Nodes of a function body; methods return the name of their result."""

	def __init__(self):
		self.nodes, self.constants = [], {}

	def node(self, op, *inputs, outputs=1, **attrs):
		names = [f"{op.lower()}{len(self.nodes)}_{i}" if outputs > 1 else f"{op.lower()}{len(self.nodes)}" for i in range(outputs)]
		self.nodes.append(helper.make_node(op, list(inputs), names, **attrs))
		return names[0] if outputs == 1 else names

	def int32(self, *values):
		"""A constant: a scalar, or with several values a vector."""
		return self.constant(np.array(values if len(values) > 1 else values[0], np.int32))

	def int64s(self, *values):
		return self.constant(np.array(values, np.int64))

	def constant(self, array):
		key = (array.dtype.str, array.shape, array.tobytes())
		if key not in self.constants:
			tensor = helper.make_tensor("value", helper.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape, array.flatten().tolist())
			self.constants[key] = self.node("Constant", value=tensor)
		return self.constants[key]

	def attribute(self, name, many=False, dtype=6):
		"""The value of the function's attribute, int32 (6) or another type."""
		made = self.node("Constant")
		ref = self.nodes[-1].attribute.add()
		ref.name = "value_ints" if many else "value_int"
		ref.ref_attr_name = name
		ref.type = AttributeProto.INTS if many else AttributeProto.INT
		return self.node("Cast", made, to=dtype)

	def calc(self, text, **names):
		"""Nodes for an expression of names, integers, + - * / (of non-negative numbers) and brackets."""
		import ast

		ops = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div"}

		def walk(e):
			if isinstance(e, ast.Name):
				return names[e.id]
			if isinstance(e, ast.Constant):
				return self.int32(e.value)
			return self.node(ops[type(e.op)], walk(e.left), walk(e.right))

		return walk(ast.parse(text, mode="eval").body)

	def clip(self, value, low, high):
		return self.node("Min", self.node("Max", value, low), high)

	def unsqueeze(self, value, *axes):
		return self.node("Unsqueeze", value, self.int64s(*axes))

	def pick(self, value, index, axis=0):
		"""value[index] along an axis, without that dimension."""
		return self.node("Gather", value, self.constant(np.array(index, np.int64)), axis=axis)

	def dims(self, value):
		"""The int32 shape of a tensor."""
		return self.node("Cast", self.node("Shape", value), to=6)

	def count(self, n):
		"""0 .. n - 1, int32."""
		return self.node("Range", self.int32(0), n, self.int32(1))

	def function(self, name, inputs, outputs, attributes, doc):
		"""The function; `outputs` maps its output names to results."""
		for output, value in outputs.items():
			self.nodes.append(helper.make_node("Identity", [value], [output]))
		made = helper.make_function(DOMAIN, name, inputs, list(outputs), self.nodes, [helper.make_opsetid("", OPSET)], attributes)
		made.doc_string = doc
		return made


def batch_loop_function():
	return Body().function("BatchLoop", ["x"], {"rows": "x"}, ["step"],
			       "A loop over the rows of x, `step` in a pass. Without a loop: all rows at once.")


def proposal_function():
	b = Body()
	scores = b.node("Transpose", "scores", perm=[0, 2, 3, 1])
	dims = b.dims(scores)
	pages, gh, gw = (b.pick(dims, i) for i in range(3))
	flat = b.node("Reshape", b.node("Cast", scores, to=6), b.int64s(0, -1))			# [P, N]
	deltas = b.node("Cast", b.node("Transpose", "deltas", perm=[0, 2, 3, 1]), to=6)
	q = b.node("Sub", deltas, b.attribute("delta_zero"))
	a4 = b.node("Concat", b.node("Slice", b.node("Shape", scores), b.int64s(0), b.int64s(4)), b.int64s(4), axis=0)
	q = b.node("Reshape", q, a4)									# [P, gh, gw, A, 4]
	shift = b.attribute("delta_shift", dtype=13)							# uint64: BitShift is unsigned
	one = b.node("Cast", b.node("BitShift", b.constant(np.array(1, np.uint64)), shift, direction="LEFT"), to=6)
	stride = b.attribute("stride", many=True)

	def edges(dim, cells, axes):
		size = b.pick("anchors", dim, axis=1)							# [A]
		limit = b.calc("16 * n", n=b.pick("image_size", dim))

		def scaled(channel):
			# (q * size + one / 2) >> shift; Div rounds towards 0, so the dividend is made positive: |q| < 512.
			return b.calc("(q * size + one / 2 + 512 * size * one) / one - 512 * size", q=b.pick(q, channel, axis=4), size=size, one=one)

		cell = b.unsqueeze(b.count(cells), *axes)
		centre = b.calc("(2 * cell + 1) * step * 8 + d", cell=cell, step=b.pick(stride, dim), d=scaled(dim))
		extent = b.node("Max", b.int32(0), b.calc("size + d", size=size, d=scaled(dim + 2)))
		low = b.calc("centre - extent / 2", centre=centre, extent=extent)
		flatten = b.int64s(0, -1)
		return [b.node("Reshape", b.clip(v, b.int32(0), limit), flatten) for v in (low, b.calc("a + b", a=low, b=extent))]

	y0, y1 = edges(0, gh, (1, 2))
	x0, x1 = edges(1, gw, (0, 2))
	small = b.node("Min", b.calc("a - b", a=y1, b=y0), b.calc("a - b", a=x1, b=x0))
	good = b.node("And", b.node("GreaterOrEqual", small, b.attribute("min_size")),
		      b.node("GreaterOrEqual", flat, b.attribute("score_min")))
	flat = b.node("Where", good, flat, b.int32(-1))
	boxes = b.node("Concat", *[b.unsqueeze(v, 2) for v in (y0, x0, y1, x1)], axis=2)		# [P, N, 4]
	n = b.node("Slice", b.node("Shape", flat), b.int64s(1), b.int64s(2))
	k = b.node("Min", n, b.node("Reshape", b.attribute("before", dtype=7), b.int64s(1)))
	best, index = b.node("TopK", flat, k, outputs=2, axis=1)					# [P, K]
	page = b.unsqueeze(b.node("Cast", b.count(pages), to=7), 1)
	pair = b.node("Concat", b.unsqueeze(b.node("Expand", page, b.node("Shape", index)), 2), b.unsqueeze(index, 2), axis=2)
	boxes = b.node("GatherND", boxes, pair)								# [P, K, 4]
	iou = b.node("Div", b.attribute("iou", dtype=1), b.constant(np.array(256, np.float32)))
	kept = b.node("NonMaxSuppression", b.node("Cast", boxes, to=1), b.unsqueeze(b.node("Cast", best, to=1), 1),
		      b.node("Reshape", b.attribute("after", dtype=7), b.int64s(1)), b.node("Reshape", iou, b.int64s(1)),
		      b.constant(np.array([-0.5], np.float32)))						# [M, 3]: page, 0, candidate
	pair = b.node("Gather", kept, b.int64s(0, 2), axis=1)
	return b.function("Proposal", ["scores", "deltas", "anchors", "image_size"],
			  {"boxes": b.node("GatherND", boxes, pair),
			   "box_scores": b.node("Cast", b.node("GatherND", best, pair), to=2),
			   "owner": b.node("Cast", b.pick(kept, 0, axis=1), to=6)},
			  ["stride", "delta_zero", "delta_shift", "score_min", "min_size", "before", "after", "iou", "step"],
			  "A loop over the boxes that a detector proposes, `step` in a pass. Without a loop: the boxes of all pages.")


def crop_resize_function():
	b = Body()
	rows = b.node("Transpose", "image", perm=[0, 2, 3, 1])						# [P, H, W, C]
	dims = b.dims(rows)
	h, w = b.pick(dims, 1), b.pick(dims, 2)
	channels = b.node("Slice", b.node("Shape", rows), b.int64s(3), b.int64s(4))
	flat = b.node("Reshape", rows, b.node("Concat", b.int64s(-1), channels, axis=0))		# [P H W, C]

	def axis(dim, size, count, axes):
		limit = b.calc("16 * n", n=size)
		low, high = (b.unsqueeze(b.clip(b.pick("boxes", i, axis=1), b.int32(0), limit), 1) for i in (dim, dim + 2))
		high = b.node("Max", low, high)
		at = b.calc("16 * low + (high - low) * ((2 * i + 1) * 8) / count - 128", low=low, high=high, i=b.count(count), count=count)
		at = b.clip(at, b.int32(0), b.calc("256 * (n - 1)", n=size))
		whole = b.calc("at / 256", at=at)
		part = b.calc("at - 256 * whole", at=at, whole=whole)
		after = b.node("Min", b.calc("whole + 1", whole=whole), b.calc("n - 1", n=size))
		return [b.unsqueeze(v, axes) for v in (whole, after, part)]				# [M, height, 1] or [M, 1, width]

	iy, jy, fy = axis(0, h, b.attribute("height"), 2)
	ix, jx, fx = axis(1, w, b.attribute("width"), 1)
	owner = b.unsqueeze("owner", 1, 2)
	fy, fx = b.unsqueeze(fy, 3), b.unsqueeze(fx, 3)

	def pixel(y, x):
		at = b.calc("(owner * h + y) * w + x", owner=owner, h=h, y=y, w=w, x=x)
		return b.node("Cast", b.node("Gather", flat, at, axis=0), to=6)				# [M, height, width, C]

	top, bottom = (b.calc("l * (256 - fx) + r * fx", l=pixel(y, ix), r=pixel(y, jx), fx=fx) for y in (iy, jy))
	value = b.calc("(top * (256 - fy) + bottom * fy + 32768) / 65536", top=top, bottom=bottom, fy=fy)
	return b.function("CropResize", ["image", "boxes", "owner"],
			  {"crops": b.node("Transpose", b.node("Cast", value, to=2), perm=[0, 3, 1, 2])}, ["height", "width"],
			  "Cuts boxes (y0, x0, y1, x1 in 1/16 pixel) out of images and resizes each, bilinear in integers.")
