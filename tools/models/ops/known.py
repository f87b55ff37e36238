# SPDX-License-Identifier: MIT
"""The models of write.py of which something is computed when they are imported: an If whose condition follows from a shape, and rows that are
counted."""
import numpy as np
from onnx import TensorProto, helper

import ops.model
from ops.model import Model


def dim(m, x, index):
	shape = m.node("Shape", [x], f"shape{index}")
	return m.node("Gather", [shape, m.const(f"index{index}", np.int64(index))], f"dim{index}")


def branch(name, doc, wanted):
	"""An If in an If: what of the input is left depends on its second dimension."""
	m, taken, other, inner, outer = (Model() for _ in range(5))
	x = m.input((5, 6, 4), np.uint8, 0.04, 9)
	info, t = helper.make_tensor_value_info, TensorProto
	ends = [inner.const(f"{name}_{key}", np.array([value])) for key, value in (("begin", 1), ("end", 4), ("axis", 1))]
	inner.node("Slice", [x[0], *ends], "part")
	outer.node("Identity", [x[0]], "same")
	then_inner = helper.make_graph(inner.nodes, "inner", [], [info("part", t.UINT8, ["N", "rows", "columns"])], inner.inits)
	else_inner = helper.make_graph(outer.nodes, "outer", [], [info("same", t.UINT8, ["N", "rows", "columns"])])
	taken.node("If", ["is_so"], "chosen", then_branch=then_inner, else_branch=else_inner)
	taken.node("Transpose", ["chosen"], "turned", perm=[0, 2, 1])
	other.node("Identity", [x[0]], "kept")
	m.node("Equal", [dim(m, x[0], 1), m.const("six", np.int64(wanted))], "is_six")
	m.node("Less", [dim(m, x[0], 2), m.const("five", np.int64(5))], "is_so")
	m.node("If", ["is_six"], "result", then_branch=helper.make_graph(taken.nodes, "then", [], [info("turned", t.UINT8, ["N", "rows", "columns"])]),
	       else_branch=helper.make_graph(other.nodes, "else", [], [info("kept", t.UINT8, ["N", "rows", "columns"])]))
	m.node("Relu", [m.dequantize("result", *x[1:])], "clamped")
	m.save(name, m.output("clamped", ["N", "rows", "columns"], np.uint8, 0.04, 9), doc, True)


def counted():
	"""Every second index of a dimension but the first: a Range of what its shape says. (From its end ONNX Runtime makes a Slice of it that is empty.)"""
	m = Model()
	x = m.input((5, 3, 7), np.uint8, 0.04, 9)
	m.node("Range", [m.const("first", np.int64(1)), dim(m, x[0], 2), m.const("step", np.int64(2))], "indices")
	m.node("Gather", [m.dequantize(*x), "indices"], "taken", axis=2)
	m.save("range_taken", m.output("taken", ["N", "rows", "columns"], np.uint8, 0.04, 9), "Gather of what a Range counts", True)


def token():
	"""A constant that is repeated for the batch as torch's exporter writes expand(n, -1, -1), in front of a tensor."""
	m = Model()
	x = m.input((3, 4, 6), np.uint8, 0.04, 9)
	listed = m.node("Unsqueeze", [dim(m, x[0], 0), m.const("front", np.array([0]))], "listed")
	same = m.const("same", np.array([-1]))
	m.node("Concat", [listed, same, same], "wanted", axis=0)
	m.node("Reshape", ["wanted", m.const("flat", np.array([-1]))], "shape")
	m.node("Equal", ["shape", m.const("open", np.array([-1, -1, -1]))], "is_open")
	m.node("Where", ["is_open", m.const("ones", np.array([1, 1, 1])), "shape"], "repeats")
	numbers = ops.model.rng.uniform(-1, 1, (1, 2, 6)).astype(np.float32)
	m.node("Expand", [m.const("token", numbers), "repeats"], "tokens")
	_, scale, zero = m.quantized("t", np.uint8, 0.01, 120)
	m.node("QuantizeLinear", ["tokens", scale, zero], "t")
	m.node("Concat", [m.dequantize("t", scale, zero), m.dequantize(*x)], "all", axis=1)
	m.save("expand_token", m.output("all", ["N", 6, 6], np.uint8, 0.05, 30), "A constant repeated for the batch, in front of a tensor", False)


def write():
	for seed, (name, doc, wanted) in enumerate((("if_taken", "If in an If, both taken", 6), ("if_else", "If that is not taken", 7))):
		ops.model.rng = np.random.default_rng(6000 + seed)
		branch(name, doc, wanted)
	ops.model.rng = np.random.default_rng(6010)
	counted()
	ops.model.rng = np.random.default_rng(6020)
	token()
