#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/large_reader.onnx, the reader for pages of any size, of the parts of reader.onnx; nothing is trained.

    page --> edges around it --BatchLoop--> strips --BatchLoop--> tiles --> detector --> middle --Collect--> --Collect--> grid
    page --> edges around it --BatchLoop--> strips --BatchLoop--> tiles --> halved --> detector --> ... --> grid of half the size
    both grids --Proposal--> CropResize of the page --> classifier --> logits

docs/reader.md explains it. Two detectors share their weights. reader.onnx must be there (reader.py).
"""
import argparse
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from reader import loops
from reader import save

TESTS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests/models"))
CELL = (8, 4)			# pixels between the detector's grid cells, down and across
TILE = (320, 448)		# what the detector sees at once: any size gives the same bytes, and larger ones less at their margins
MARGIN = (32, 32)		# how much of that on each side is there only to be looked at: it looks 27 and 19 pixels around a cell
HALF_FIRST = 1			# of the anchors: at half the scale the least finds nothing that the greatest does not find at full scale
# What is around a page so that the middle of a cell of half the scale is that of one of full scale: half a cell more than the margins.
EDGE, HALF_EDGE = MARGIN, tuple(2 * m + c // 2 for m, c in zip(MARGIN, CELL))
IOU = 80			# of 256; less than reader.onnx has: a digit's boxes of two scales differ by more


class Graph(loops.Body):
	"""The graph under construction."""

	def __init__(self, parts):
		super().__init__()
		self.parts, self.used = parts, set()
		self.makers = {name: node for node in parts.node for name in node.output}

	def own(self, op, inputs, outputs, **attrs):
		"""A node of domain org.nnloop."""
		self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0], domain=loops.DOMAIN, **attrs))
		return outputs[0] if len(outputs) == 1 else outputs

	def initializers(self):
		return [i for i in self.parts.initializer if i.name in self.used]

	def copy(self, source, target, results, prefix=""):
		"""Nodes of reader.onnx that make `results` of `source`, for `target` instead; weights are shared."""
		wanted, chosen = list(results), []
		names = {source: target}
		while wanted:
			node = self.makers.get(wanted.pop())
			if node is not None and node not in chosen:
				chosen.append(node)
				wanted += [i for i in node.input if i != source]
		constant = {i.name for i in self.parts.initializer}
		self.used |= {i for node in chosen for i in node.input if i in constant}
		for node in (n for n in self.parts.node if n in chosen):
			if all(i in constant for i in node.input):	# dequantizes weights: once is enough
				if node not in self.nodes:
					self.nodes.append(node)
				continue
			made = onnx.NodeProto()
			made.CopyFrom(node)
			del made.input[:], made.output[:]
			names.update({o: prefix + o for o in node.output})
			made.name = prefix + node.name
			made.input.extend(names.get(i, i) for i in node.input)
			made.output.extend(names[o] for o in node.output)
			self.nodes.append(made)
		return [names[r] for r in results]

	def int64(self, expression, **names):
		"""A vector of one int64."""
		return self.calc(expression, **names)

	def vector(self, *parts):
		return self.node("Concat", *[self.int64s(p) if isinstance(p, int) else p for p in parts], axis=0)

	def grid(self, page, size, prefix, scale, edge):
		"""The detector's scores and deltas of all of a page, at 1 / scale, in cells of that scale."""
		tile, middle = ([scale * v for v in values] for values in (TILE, [t - 2 * m for t, m in zip(TILE, MARGIN)]))
		shift = [e - scale * m for e, m in zip(edge, MARGIN)]		# the first cell begins so far before the page
		counts = [self.int64(f"(n + {s + m - 1}) / {m}", n=n) for n, s, m in zip(size, shift, middle)]
		behind = [self.int64(f"{m} * count + {2 * scale * g - e} - n", count=c, n=n)
			  for c, n, m, g, e in zip(counts, size, middle, MARGIN, edge)]
		wide = self.node("Pad", page, self.vector(0, 0, edge[0], edge[1], 0, 0, behind[0], behind[1]), mode="edge")
		strips = self.own("BatchLoop", [wide], [prefix + "strip"], axis=2, window=tile[0], stride=middle[0])
		tiles = self.own("BatchLoop", [strips], [prefix + "tile"], axis=3, window=tile[1], stride=middle[1])
		if scale > 1:
			tiles = self.halve(tiles, prefix)
		results = []
		for value in self.copy("page", tiles, ["scores", "deltas"], prefix):
			begin, end = ([v // c for v, c in zip(values, CELL)] for values in (MARGIN, [t - m for t, m in zip(TILE, MARGIN)]))
			core = self.node("Slice", value, self.int64s(*begin), self.int64s(*end), self.int64s(2, 3))
			strip = self.own("Collect", [core, strips], [prefix + value.removeprefix(prefix) + "_strip"], axis=3)
			results.append(self.own("Collect", [strip, page], [prefix + value.removeprefix(prefix) + "_page"], axis=2))
		return results, [self.int64(f"{m // scale // c} * count", count=n) for n, m, c in zip(counts, middle, CELL)]

	def halve(self, tiles, prefix):
		"""The mean of 2 x 2 pixels, as a convolution: exact, and quick."""
		def constant(name, values, dtype):
			return self.initializer(prefix + name, np.array(values, dtype))

		weight = self.node("DequantizeLinear", constant("weight", np.full((1, 1, 2, 2), 32), np.int8),
				   constant("weight_scale", [1 / 128], np.float32), constant("weight_zero", [0], np.int8), axis=0)
		real = self.node("DequantizeLinear", tiles, "page_scale", "page_zero")
		mean = self.node("Conv", real, weight, kernel_shape=[2, 2], strides=[2, 2])
		self.used |= {"page_scale", "page_zero"}
		return self.node("QuantizeLinear", mean, "page_scale", "page_zero")

	def initializer(self, name, array):
		self.parts.initializer.append(numpy_helper.from_array(array, name))
		self.used.add(name)
		return name

	def spread(self, value, channels, cells):
		"""Cells of half the scale among those of full scale: one in four, and zeros, which are below any score that counts."""
		apart = self.node("Unsqueeze", value, self.int64s(3, 5))
		apart = self.node("Pad", apart, self.int64s(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1))
		return self.node("Reshape", apart, self.vector(0, channels, *[self.int64("2 * n", n=n) for n in cells]))


def int64_constants(graph):
	"""calc() of Body is of int32; here shapes are computed."""
	graph.int32 = lambda *values: graph.constant(np.array(values, np.int64))


# ---- What the loops are to who has none ---------------------------------------------------------

def body_graph(nodes, outputs):
	info = helper.make_tensor_value_info
	empty = [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
	return helper.make_graph(nodes, "window", empty, [helper.make_value_info(o, onnx.TypeProto()) for o in outputs])


def batch_loop_function():
	b = loops.Body()
	int64_constants(b)
	axis, window, stride = (b.node("Reshape", b.attribute(name, dtype=7), b.int64s(1)) for name in ("axis", "window", "stride"))
	shape = b.node("Shape", "x")
	size = b.node("Gather", shape, axis)
	count = b.calc("(rest + stride - 1) / stride + 1", rest=b.node("Max", b.calc("size - window", size=size, window=window), b.int64s(0)),
		       stride=stride)
	extra = b.calc("(count - 1) * stride + window - size", count=count, stride=stride, window=window, size=size)
	rank = b.node("Shape", shape)
	at = b.node("Range", b.constant(np.array(0, np.int64)), b.node("Squeeze", b.calc("2 * rank", rank=rank)), b.constant(np.array(1, np.int64)))
	pads = b.node("Where", b.node("Equal", at, b.calc("rank + axis", rank=rank, axis=axis)), extra, b.int64s(0))
	wide = b.node("Pad", "x", b.node("Max", pads, b.int64s(0)))
	inside = [helper.make_node("Mul", ["i", stride], ["begin"]), helper.make_node("Add", ["begin", window], ["end"]),
		  helper.make_node("Slice", [wide, "begin", "end", axis], ["part"]), helper.make_node("Identity", ["go"], ["on"])]
	parts = b.node("Loop", b.node("Squeeze", count), b.constant(np.array(True)), body=body_graph(inside, ["on", "part"]))
	rest = b.node("Slice", b.node("Shape", parts), b.int64s(2), b.int64s(99))
	return b.function("BatchLoop", ["x"], {"windows": b.node("Reshape", parts, b.node("Concat", b.int64s(-1), rest, axis=0))},
			  ["axis", "window", "stride"],
			  "A loop over windows of a dimension of x, which overlap. Without a loop: all windows, one behind the other along dimension 0.")


def collect_function():
	b = loops.Body()
	rows = b.node("Gather", b.node("Shape", "around"), b.constant(np.array(0, np.int64)))
	parts = b.node("SplitToSequence", b.node("Cast", "x", to=TensorProto.INT32), rows, axis=0)
	b.nodes.append(helper.make_node("ConcatFromSequence", [parts], ["joined"]))
	attribute = b.nodes[-1].attribute.add()
	attribute.name, attribute.ref_attr_name, attribute.type = "axis", "axis", onnx.AttributeProto.INT
	return b.function("Collect", ["x", "around"], {"all": b.node("Cast", "joined", to=TensorProto.UINT8)}, ["axis"],
			  "What all iterations of a loop over windows made, along a dimension; around: a value that is made outside of that loop.")


# ---- The model ----------------------------------------------------------------------------------

def attributes_of(graph, op):
	node = next(n for n in graph.node if n.op_type == op)
	return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def write(source, path):
	parts = onnx.load(source).graph
	anchors = next(numpy_helper.to_array(i) for i in parts.initializer if i.name == "anchors")
	g = Graph(parts)
	int64_constants(g)
	page = g.own("BatchLoop", ["pages"], ["page"], axis=0, window=1, stride=1)
	shape = g.node("Shape", "pages")
	size = [g.node("Slice", shape, g.int64s(at), g.int64s(at + 1)) for at in (2, 3)]
	full, _ = g.grid(page, size, "", 1, EDGE)
	half, cells = g.grid(page, size, "half_", 2, HALF_EDGE)
	left = len(anchors) - HALF_FIRST
	used = g.vector(*[g.int64(f"(n + {c - 1}) / {c}", n=n) for n, c in zip(size, CELL)])
	grids = []
	for whole, small, channels in zip(full, half, (1, 4)):
		small = g.node("Slice", small, g.int64s(channels * HALF_FIRST), g.int64s(99), g.int64s(1))
		both = [whole, g.spread(small, channels * left, cells)]
		both = [g.node("Slice", value, g.int64s(0, 0), used, g.int64s(2, 3)) for value in both]
		grids.append(g.node("Concat", *both, axis=1))
	sizes = g.initializer("all_anchors", np.concatenate([anchors, 2 * anchors[HALF_FIRST:]]).astype(np.int32))
	settings = attributes_of(parts, "Proposal") | dict(before=1 << 15, after=1 << 11, iou=IOU)
	g.own("Proposal", [*grids, sizes, g.node("Cast", g.vector(*size), to=TensorProto.INT32)], ["boxes", "box_scores", "owner"], **settings)
	g.own("CropResize", ["page", "boxes", "owner"], ["digit"], **attributes_of(parts, "CropResize"))
	g.copy("digit", "digit", ["logits"])

	class Parts:
		nodes, inits = g.nodes, g.initializers()

	info, t = helper.make_tensor_value_info, TensorProto
	doc = ("Reads the digits of grey pages of any size up to 4096 x 4096 pixels, uint8; digits are 10 to 90 pixels high. boxes: y0, x0, y1, x1 in 1/16 "
	       "pixel; owner: the page of each box; logits: of digits 0 to 9, the greatest is the answer. The boxes of all pages are packed in order. "
	       "Made by tools/models/reader/large_reader.py of nnloop.")
	save.save_model(path, Parts, "large_reader", [info("pages", t.UINT8, ["P", 1, "H", "W"])],
			[info("boxes", t.INT32, ["M", 4]), info("box_scores", t.UINT8, ["M"]), info("owner", t.INT32, ["M"]),
			 info("logits", t.UINT8, ["M", 10])], doc, opset=loops.OPSET, ir=8,
			functions=[batch_loop_function(), collect_function(), loops.proposal_function(), loops.crop_resize_function()])
	print(f"{path}: {os.path.getsize(path)} bytes, sha256 {save.sha256(path)}")


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("--out", default=TESTS, help="folder to write to; reader.onnx must be there")
	args = parser.parse_args()
	write(os.path.join(args.out, "reader.onnx"), os.path.join(args.out, "large_reader.onnx"))


if __name__ == "__main__":
	main()
