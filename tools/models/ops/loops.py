# SPDX-License-Identifier: MIT
"""The models of write.py with loops: nodes of domain org.nnloop (docs/reader.md), and ONNX's own Loop."""
import numpy as np
from onnx import TensorProto, helper

from reader import loops
import ops.model
from ops.model import Model


def batch_loop():
	m = Model()
	name, scale, zero = m.input((11, 4, 6, 6), np.uint8, 0.04, 9)
	m.loop_node("BatchLoop", [name], ["rows"], step=4)
	m.node("Conv", [m.dequantize("rows", scale, zero), m.weight("w", (3, 4, 3, 3), np.float32(0.01))], "sum", pads=[1] * 4)
	m.save("batch_loop", m.output("sum", ["N", 3, 6, 6], np.uint8, 0.06, 128), "BatchLoop of step 4 over 11 items, then a convolution", True,
	       [loops.batch_loop_function()])


def proposal(name, doc, score_min, before=60, after=25):
	m = Model()
	p, a, gh, gw = 3, 2, 6, 9
	m.plain_input("scores", (ops.model.rng.integers(0, 256, (p, a, gh, gw)) // 8 * 8).astype(np.uint8), ["P", a, gh, gw])
	m.plain_input("deltas", ops.model.rng.integers(0, 256, (p, 4 * a, gh, gw)).astype(np.uint8), ["P", 4 * a, gh, gw])
	m.const("anchors", np.array([[200, 160], [333, 255]], np.int32))
	m.const("image_size", np.array([48, 36], np.int32))
	m.loop_node("Proposal", ["scores", "deltas", "anchors", "image_size"], ["boxes", "box_scores", "owner"], stride=[8, 4], delta_zero=128,
		    delta_shift=7, score_min=score_min, min_size=90, before=before, after=after, iou=96, step=8)
	info, t = helper.make_tensor_value_info, TensorProto
	m.save(name, [info("boxes", t.INT32, ["M", 4]), info("box_scores", t.UINT8, ["M"]), info("owner", t.INT32, ["M"])], doc, True,
	       [loops.proposal_function()])


def crop_resize():
	m = Model()
	m.plain_input("image", ops.model.rng.integers(0, 256, (3, 2, 20, 31)).astype(np.uint8), ["P", 2, 20, 31])
	low = ops.model.rng.integers(-40, 300, (17, 2))
	boxes = np.concatenate([low, low + ops.model.rng.integers(-20, 400, (17, 2))], 1).astype(np.int32)
	m.plain_input("boxes", boxes, ["M", 4])
	m.plain_input("owner", np.sort(ops.model.rng.integers(0, 3, 17)).astype(np.int32), ["M"])
	m.loop_node("CropResize", ["image", "boxes", "owner"], ["crops"], height=7, width=5)
	m.save("crop_resize", helper.make_tensor_value_info("crops", TensorProto.UINT8, ["M", 2, 7, 5]),
	       "CropResize of boxes in and partly outside of images of two channels", True, [loops.crop_resize_function()])


def loop(name, doc, exact, symbolic, channels, make_body):
	"""ONNX's own Loop over the rows of an input. make_body(m, body, x, number) appends the nodes of an iteration and returns the
	name of what is collected and, with a carried value, its initial value and the names it has."""
	m, body = Model(), Model()
	x = m.input((5, 4, 6, 6), np.uint8, 0.04, 9, symbolic)
	if symbolic:
		m.node("Shape", [x[0]], "shape")
		trips = m.node("Gather", ["shape", m.const("first", np.int64(0))], "trips")
	else:
		trips = m.const("trips", np.int64(5))
	collected, initial, before, after = make_body(m, body, x)
	info, t = helper.make_tensor_value_info, TensorProto
	body.node("Identity", ["go_on"], "goes_on")
	carried = ([info(before, t.UINT8, [1, 4, 6, 6])], [info(after, t.UINT8, [1, 4, 6, 6])]) if initial else ([], [])
	graph = helper.make_graph(body.nodes, "body", [info("number", t.INT64, []), info("go_on", t.BOOL, []), *carried[0]],
				  [info("goes_on", t.BOOL, []), *carried[1], info(collected, t.UINT8, [1, channels, 6, 6])], body.inits)
	m.node("Loop", [trips, m.const("always", np.bool_(True)), *([initial] if initial else [])], ["last", "y"] if initial else ["y"], body=graph)
	m.save(name, info("y", t.UINT8, ["N", 1, channels, 6, 6]), doc, exact)


def convolved(m, body, row, x):
	value = body.dequantize(row, *x[1:])
	body.node("Conv", [value, m.weight("w", (3, 4, 3, 3), np.float32(0.01))], "sum", pads=[1] * 4)
	body.output("sum", None, np.uint8, 0.06, 128, "result")
	return "result", None, None, None


def row_by_index(m, body, x):
	body.node("Unsqueeze", ["number", body.const("front", np.array([0]))], "index")
	return body.node("Gather", [x[0], "index"], "row")


def row_by_number(m, body, x):
	body.node("Gather", [x[0], "number"], "item")
	return body.node("Unsqueeze", ["item", body.const("front", np.array([0]))], "row")


def running_sum(m, body, x):
	row = row_by_number(m, body, x)
	m.const("total_scale", np.float32(0.1))
	m.const("total_zero", np.uint8(20))
	m.const("nothing", np.full((1, 4, 6, 6), 20, np.uint8))
	body.node("Add", [body.dequantize("before", "total_scale", "total_zero"), body.dequantize(row, *x[1:])], "sum")
	body.node("QuantizeLinear", ["sum", "total_scale", "total_zero"], "after")
	body.node("Identity", ["after"], "result")
	return "result", "nothing", "before", "after"


@ops.model.numbers(12)
def loop_carrying_three():
	"""Carried values that begin as a real constant, a stored one and what is made before, rows of two inputs, one taken twice."""
	m, body = Model(), Model()
	info, t, shape = helper.make_tensor_value_info, TensorProto, [1, 2, 3, 4]
	x, first, other = m.input((5, 2, 3, 4), np.uint8, 0.04, 9), m.input(tuple(shape), np.uint8, 0.1, 120, False), m.input((5, 2, 3, 4), np.int8, 0.05, -3)
	m.node("Shape", [x[0]], "shape")
	trips = m.node("Gather", ["shape", m.const("first", np.int64(0))], "trips")
	total = ("total_scale", "total_zero")
	m.const("total_scale", np.float32(0.1))
	m.const("total_zero", np.uint8(20))
	for name in ("begins_real", "begins_stored"):
		m.const(name, ops.model.rng.integers(0, 256, shape).astype(np.uint8))
	m.dequantize("begins_real", *total)
	m.node("QuantizeLinear", [m.node("Relu", [m.real(first)], "positive"), *total], "begins_made")
	body.node("Unsqueeze", ["number", body.const("front", np.array([0]))], "index")
	rows = [body.dequantize(body.node("Gather", [tensor[0], "index"], f"row{i}"), *tensor[1:])
		for i, tensor in enumerate((x, other, other))]
	# A sum that is carried as real, one of stored bytes, and one that takes what the others were.
	for i, (is_real, row) in enumerate(((True, rows[0]), (False, rows[1]), (False, rows[2]))):
		was = f"before{i}" if is_real else body.dequantize(f"before{i}", *total)
		body.node("Add", [was, row], f"sum{i}")
		body.node("QuantizeLinear", [f"sum{i}", *total], f"stored{i}")
	body.node("DequantizeLinear", ["stored0", *total], "after0")
	body.node("Identity", ["stored1"], "after1")
	body.node("Identity", ["before1"], "after2")
	for i in range(3):
		body.node("Identity", [f"stored{i}"], f"result{i}")
	# What it was when the iteration began.
	body.node("Identity", ["before1"], "result3")
	body.node("Identity", ["go_on"], "goes_on")
	carried = [[info(f"{name}{i}", t.UINT8 if i else t.FLOAT, shape) for i in range(3)] for name in ("before", "after")]
	graph = helper.make_graph(body.nodes, "body", [info("number", t.INT64, []), info("go_on", t.BOOL, []), *carried[0]],
				  [info("goes_on", t.BOOL, []), *carried[1], *(info(f"result{i}", t.UINT8, shape) for i in range(4))], body.inits)
	m.node("Loop", [trips, m.const("always", np.bool_(True)), "begins_real_real", "begins_stored", "begins_made"],
	       [*(f"last{i}" for i in range(3)), *(f"y{i}" for i in range(4))], body=graph)
	m.save("loop_carried_three", [info(f"y{i}", t.UINT8, ["N", *shape]) for i in range(4)],
	       "Loop that carries three values", False)
