# SPDX-License-Identifier: MIT
"""Recurrent layers for graphs.py: as in operators.py. Steps are in front of the rows, as ONNX Runtime has them."""
import numpy as np

from random_onnx.regions import float_sum

OPS = {"LSTM": (4, ["Sigmoid", "Tanh", "Tanh"]), "GRU": (3, ["Sigmoid", "Tanh"]), "RNN": (1, ["Tanh"])}


def floats(g, shape):
	return g.const(g.rng.normal(0, 0.5, shape).astype(np.float32), "w", "initializer")


def states(g, op, directions, hidden):
	"""What the layer begins with: constants, which are for one row, or for as many as the batch is said to have."""
	rows = g.batch if g.batch_form == "fixed" else 1
	return [floats(g, [directions, rows, hidden]) for _ in range(2 if op == "LSTM" else 1)]


def recurrent(g, _v, opset):
	op = g.d.pick(list(OPS), [3, 2, 2])
	gates, functions = OPS[op]
	attrs, n = {}, g.batch
	steps, inputs, hidden = g.d.between(1, 6), g.d.between(1, 7), g.d.between(1, 7)
	direction = g.attr(op, attrs, "direction", [("absent", None), *((d, d) for d in ("forward", "reverse", "bidirectional"))], [3, 1, 2, 4])
	directions = 2 if direction == "bidirectional" else 1
	g.attr(op, attrs, "hidden_size", [("given", hidden)])
	names = g.d.pick(["absent", "given", "Relu", "other"], [8, 3, 2 if op == "RNN" else 0, 1])
	g.tag(op, "activations", names)
	if names != "absent":
		attrs["activations"] = directions * {"given": functions, "Relu": ["Relu"] * len(functions), "other": ["Softsign"] * len(functions)}[names]
	g.attr(op, attrs, "clip", [("absent", None), ("given", 0.5)], [20, 1])
	if opset >= 14:
		g.attr(op, attrs, "layout", [("absent", None), ("0", 0)])
	if op == "LSTM":
		g.attr(op, attrs, "input_forget", [("absent", None), ("0", 0), ("1", 1)], [6, 1, 1])
	if op == "GRU":
		g.attr(op, attrs, "linear_before_reset", [("absent", None), ("0", 0), ("1", 1)])
	x = g.dequantize(g.input([n, steps, inputs]))
	given = [g.node("Transpose", [x.name], {"perm": [1, 0, 2]}), floats(g, [directions, gates * hidden, inputs]), floats(g, [directions, gates * hidden, hidden])]
	bias, lengths, first = (g.d.chance(odds) for odds in (2, 6, 3))
	peephole = op == "LSTM" and g.d.chance(3)
	for name, there in (("bias", bias), ("lengths", lengths), ("first", first), ("peephole", peephole)):
		g.tag(op, name, "given" if there else "absent")
	given.append(floats(g, [directions, 2 * gates * hidden]) if bias else "")
	rows = n if g.batch_form == "fixed" else 1
	given.append(g.const(np.full(rows, g.d.between(1, steps), np.int32), "l", "initializer") if lengths else "")
	given += states(g, op, directions, hidden) if first else ["", ""][:2 if op == "LSTM" else 1]
	given += [floats(g, [directions, 3 * hidden])] if peephole else []
	while not given[-1]:
		given.pop()
	last = g.d.chance(3)
	made = g.node(op, given, attrs, 2 if last else 1)
	if last:
		rows_first = g.node("Transpose", [made[1]], {"perm": [1, 0, 2]})
		return float_sum(g, x, rows_first, [n, directions, hidden], None, 1 / 128)
	return float_sum(g, x, g.node("Transpose", [made], {"perm": [2, 0, 1, 3]}), [n, steps, directions, hidden], None, 1 / 128)
