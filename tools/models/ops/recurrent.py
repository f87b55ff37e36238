# SPDX-License-Identifier: MIT
"""The recurrent layers of write.py: LSTM, GRU and RNN between DequantizeLinear and QuantizeLinear, in the order that PyTorch exports, with the steps
in front, and back."""
import numpy as np
from onnx import helper

import ops.model
from ops.model import Model

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def floats(m, name, shape, scale=0.4, quantized=False):
	"""A constant, of floats or dequantized with a scale for each index of dimension 1."""
	if quantized:
		scales = np.float32(ops.model.rng.uniform(0.5, 1, shape[1]) * scale / 64)
		return m.weight(name, shape, scales, axis=1)
	return m.const(name, np.float32(ops.model.rng.normal(0, scale, shape)))


def recurrent(name, doc, op, steps=7, inputs=5, hidden=6, direction="forward", batch=3, bias=True, first=False, peephole=False, lengths=None,
	      last=False, quantized=False, dtype=np.uint8, **attributes):
	"""Of a batch of sequences; `last`: and what it ends with, too."""
	m, directions, gates = Model(), 2 if direction == "bidirectional" else 1, GATES[op]
	x = m.input((batch, steps, inputs), dtype, 0.02, 117 if dtype == np.uint8 else -11)
	m.node("Transpose", [m.real(x)], "steps", perm=[1, 0, 2])
	given = ["steps", floats(m, "w", (directions, gates * hidden, inputs), quantized=quantized),
		 floats(m, "r", (directions, gates * hidden, hidden), quantized=quantized)]
	given.append(floats(m, "b", (directions, 2 * gates * hidden)) if bias else "")
	if lengths:
		m.node("Shape", ["x0"], "shape")
		m.node("Gather", ["shape", m.const("zero", np.int64(0))], "rows", axis=0)
		m.node("Unsqueeze", ["rows", m.const("front", np.int64([0]))], "row")
		m.node("Expand", [m.const("length", np.int32([lengths])), "row"], "lengths")
	given.append("lengths" if lengths else "")
	if first:
		m.node("Shape", ["x0"], "sizes")
		m.node("Slice", ["sizes", m.const("from", np.int64([0])), m.const("to", np.int64([1]))], "rows1")
		m.node("Concat", [m.const("d", np.int64([directions])), "rows1", m.const("h", np.int64([hidden]))], "size", axis=0)
		for kept in ["first", "first_cell"][:2 if op == "LSTM" else 1]:
			m.node("Expand", [floats(m, kept + "_one", (directions, 1, hidden), 0.6), "size"], kept)
			given.append(kept)
	if peephole:
		given += [""] * (7 - len(given)) + [floats(m, "p", (directions, 3 * hidden))]
	while not given[-1]:
		given.pop()
	if direction != "forward":
		attributes["direction"] = direction
	made = ["made", "last", "cell"][:(3 if op == "LSTM" else 2) if last else 1]
	m.nodes.append(helper.make_node(op, given, made, hidden_size=hidden, **attributes))
	m.node("Transpose", ["made"], "back", perm=[2, 0, 1, 3])
	m.node("Reshape", ["back", m.const("joined", np.int64([0, steps, directions * hidden]))], "rows_first")
	outputs = [m.output("rows_first", ["N", steps, directions * hidden], np.uint8, 0.0078, 128)]
	for i, end in enumerate(made[1:]):
		m.node("Transpose", [end], end + "_rows", perm=[1, 0, 2])
		outputs.append(m.output(end + "_rows", ["N", directions, hidden], np.uint8, 0.02, 128, f"y{1 + i}"))
	m.save(name, outputs if last else outputs[0], doc, False)


@ops.model.numbers(48)
def write():
	for op in GATES:
		low = op.lower()
		recurrent(low, f"{op}, weights quantized", op, quantized=True)
		recurrent(f"{low}_reverse", f"{op}, from the end, without a bias", op, direction="reverse", bias=False, dtype=np.int8)
		recurrent(f"{low}_both", f"{op}, in both directions, with all outputs", op, steps=5, inputs=9, hidden=17, direction="bidirectional", last=True)
		recurrent(f"{low}_first", f"{op}, with what it begins with", op, first=True, last=True, direction="bidirectional")
		recurrent(f"{low}_length", f"{op}, of fewer steps than there are", op, lengths=4, last=True, direction="bidirectional")
		recurrent(f"{low}_one", f"{op}, one step of one cell", op, steps=1, inputs=1, hidden=1, batch=4)
	recurrent("lstm_peephole", "LSTM, with peepholes", "LSTM", peephole=True, direction="bidirectional")
	recurrent("lstm_input_forget", "LSTM, whose forget gate is its input gate", "LSTM", input_forget=1)
	recurrent("gru_linear", "GRU, linear before its reset", "GRU", linear_before_reset=1, direction="bidirectional", first=True)
	recurrent("rnn_relu", "RNN, with Relu", "RNN", activations=["Relu"])
	recurrent("lstm_named", "LSTM, whose functions are said", "LSTM", activations=["Sigmoid", "Tanh", "tanh"])
