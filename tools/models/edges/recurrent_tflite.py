# SPDX-License-Identifier: MIT
"""The table of write.py for TensorFlow Lite's recurrent layers of float32: UNIDIRECTIONAL_SEQUENCE_LSTM as converters write it of a Keras layer,
with peepholes, without an input gate; of both directions; UNIDIRECTIONAL_SEQUENCE_RNN."""
import numpy as np

import tflite.flatbuffer as fb
import tflite.model
from edges.controlled_tflite import begin, done
from tflite.model import NONE, RELU

TANH = 4
GATES = ("input", "forget", "cell", "output")


class Layer:
	"""The parts of one direction, by the format's places."""

	def __init__(self, m, inputs, cells, peepholes=False, input_gate=True):
		first = 0 if input_gate else 1
		self.weights, self.last_weights, self.bias = ([-1] * first + [m.floats(*shape, low=-0.7, high=0.7) for _ in GATES[first:]]
							      for shape in ((cells, inputs), (cells, cells), (cells,)))
		self.peepholes = [-1] * (3 if not peepholes else first) + [m.floats(cells, low=-0.7, high=0.7) for _ in range((3 - first) * peepholes)]
		self.kept, self.cell = [variable(m, [1, cells]) for _ in range(2)]


def variable(m, shape):
	kept = m.tensor(shape, "float32")
	m.tensors[kept][5] = fb.u8(1)
	return kept


def add_lstm(m, x, layer, shape, clip=0.0, activation=TANH, **changed):
	"""changed: inputs by their place, i16=...."""
	inputs = [x, *layer.weights, *layer.last_weights, *layer.peepholes, *layer.bias, -1, -1, layer.kept, layer.cell, -1, -1, -1, -1]
	for place, tensor in changed.items():
		inputs[int(place[1:])] = tensor
	return m.make("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, activation, clip, 0.0, 0, 0, shape=shape)


def forward():
	for steps, inputs, cells, options in ((5, 4, 6, {}), (1, 3, 1, {}), (7, 5, 3, {"peepholes": True}), (4, 3, 5, {"input_gate": False}), (4, 3, 5, {"input_gate": False, "peepholes": True})):
		for clip in (0.0, 10.0, 0.3):
			name = f"LSTM of {steps} x {inputs} to {cells}, {options}, {clip}"
			m = begin(name)
			yield done(name, m, [add_lstm(m, m.given([1, steps, inputs], -2, 2), Layer(m, inputs, cells, **options), [1, steps, cells], clip)])
	name = "LSTM of LSTM, and a layer behind them"
	m = begin(name)
	y = add_lstm(m, m.given([1, 5, 4]), Layer(m, 4, 6), [1, 5, 6], 10.0)
	y = add_lstm(m, m.make("TANH", [y], shape=[1, 5, 6]), Layer(m, 6, 3), [1, 5, 3], 10.0)
	y = m.make("RESHAPE", [y, m.ints([1, 15])], [1, 15], shape=[1, 15])
	yield done(name, m, [m.make("FULLY_CONNECTED", [y, m.floats(2, 15), m.floats(2)], NONE, 0, 0, shape=[1, 2])])


def both():
	for merge in (0, 1):
		for clip in (0.0, 0.5):
			name = f"LSTM of both directions, {merge}, {clip}"
			m = begin(name)
			x, layers = m.given([1, 5, 4]), [Layer(m, 4, 6, peepholes=merge), Layer(m, 4, 6, peepholes=merge)]
			inputs = [x]
			for layer in layers:
				inputs += [*layer.weights, *layer.last_weights, *layer.peepholes, *layer.bias, -1, -1]
			for layer in layers:
				inputs += [layer.kept, layer.cell]
			made = [m.tensor([1, 5, 12 if merge else 6], "float32") for _ in range(2 - merge)]
			m.add("BIDIRECTIONAL_SEQUENCE_LSTM", inputs + [-1] * 9, made, TANH, clip, 0.0, merge, 0, 0)
			yield done(name, m, made)


def plain():
	for activation, says in ((TANH, None), (RELU, None), (3, "fused_activation_function is 3")):
		name = f"RNN, {activation}"
		m = begin(name)
		inputs = [m.given([1, 6, 4]), m.floats(5, 4), m.floats(5, 5), m.floats(5), variable(m, [1, 5])]
		yield done(name, m, [m.make("UNIDIRECTIONAL_SEQUENCE_RNN", inputs, 0, activation, 0, shape=[1, 6, 5])], says)


def refused():
	def lstm(name, says, change=lambda m, layer: None, shape=None, **options):
		m = begin(name)
		x, layer = m.given([1, 3, 4]), Layer(m, 4, 5)
		changed = change(m, layer) or {}
		return done(name, m, [add_lstm(m, x, layer, shape or [1, 3, 5], **options, **changed)], says)

	yield lstm("projection", "has a projection", lambda m, layer: {"i16": m.floats(5, 5)})
	yield lstm("normalized", "has normalized layers", lambda m, layer: {"i20": m.floats(5)})
	yield lstm("clip below 0", "cell_clip is -1", clip=-1.0)
	yield lstm("weights of others", "is not for 5 cells", lambda m, layer: {"i3": m.floats(5, 3)})
	yield lstm("bias of others", "is not for 5 cells", lambda m, layer: {"i13": m.floats(4)})
	yield lstm("half of an input gate", "input gate that it has not", lambda m, layer: {"i1": -1})
	yield lstm("one peephole", "peepholes of some gates", lambda m, layer: {"i10": m.floats(5)})
	yield lstm("weights that are computed", "no constant of float32", lambda m, layer: {"i2": m.given([5, 4])})
	yield lstm("a state of others", "with 5 elements in each row", lambda m, layer: {"i18": variable(m, [1, 4])})
	yield lstm("a constant state", "is no variable", lambda m, layer: {"i19": m.floats(1, 5)})
	yield lstm("of another activation", "fused_activation_function is 1", activation=RELU)


def recurrent():
	for make in (forward, both, plain, refused):
		yield from make()


TFLITE_FILES = {"tflite-float-recurrent": recurrent}
