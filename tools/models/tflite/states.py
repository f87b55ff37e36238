# SPDX-License-Identifier: MIT
"""For write.py: models that keep something from one run to the next, whose items are runs one after the other. litert.py makes their golden
values; tests/models/tflite/litert.txt has their names."""
import numpy as np

import tflite.flatbuffer as fb
import tflite.model
from tflite.model import NONE, RELU, Model, weights


def variable(m, shape, dtype, scale, zero_point=0):
	"""A tensor that keeps its elements."""
	tensor = m.tensor(shape, dtype, scale, zero_point)
	m.tensors[tensor][5] = fb.u8(1)
	return tensor


def add_svdf(m, x, inputs, units, rank, memory, scale, out, bias=True):
	"""A layer that remembers its last `memory` inputs."""
	filters = units * rank
	features = m.tensor([filters, inputs], "int8", 0.007, data=tflite.model.rng.integers(-127, 128, [filters, inputs]).astype(np.int8))
	time = m.tensor([filters, memory], "int16", 0.00003, data=tflite.model.rng.integers(-32767, 32768, [filters, memory]).astype(np.int16))
	state = variable(m, [1, memory * filters], "int16", scale)
	behind = m.tensor([units], "int32", scale * 0.00003, data=tflite.model.rng.integers(-200000, 200000, units).astype(np.int32)) if bias else -1
	y = m.tensor([1, units], "int8", *out)
	m.add("SVDF", [x, features, time, behind, state], [y], rank, RELU, version=3)
	return y


def svdf(name, inputs, units, rank, memory, scale, out, bias=True):
	m = Model()
	x = m.input([1, inputs], "int8", 0.05, -20)
	m.save(name, [add_svdf(m, x, inputs, units, rank, memory, scale, out, bias)])


TANH = 4


def add_lstm(m, x, steps, inputs, cells, hidden=(0.0078, 3), exponent=-11, clip=0.0, in_scale=0.05):
	"""A recurrent layer as today's converter writes it: no peepholes, projection and normalization."""
	rng = tflite.model.rng
	weights, last, bias = [], [], []
	for gate in range(4):
		scale = 0.006 + 0.001 * gate
		weights.append(m.tensor([cells, inputs], "int8", scale, data=rng.integers(-127, 128, [cells, inputs]).astype(np.int8)))
		last.append(m.tensor([cells, cells], "int8", scale, data=rng.integers(-127, 128, [cells, cells]).astype(np.int8)))
		bias.append(m.tensor([cells], "int32", scale * in_scale, data=rng.integers(-4000, 4000, cells).astype(np.int32)))
	kept = variable(m, [1, cells], "int8", hidden[0], hidden[1])
	cell = variable(m, [1, cells], "int16", 2.0 ** exponent)
	between = [m.tensor([0], "float32") for gate in range(4)] + [m.tensor([0], "int8", *hidden)]
	y = m.tensor([1, steps, cells], "int8", *hidden)
	m.add("UNIDIRECTIONAL_SEQUENCE_LSTM", [x, *weights, *last, -1, -1, -1, *bias, -1, -1, kept, cell, -1, -1, -1, -1], [y],
	      TANH, clip, 0.0, 0, 0)
	m.operators[-1][8] = fb.vector("i", between)
	return y


def lstm(name, steps, inputs, cells, **options):
	m = Model()
	x = m.input([1, steps, inputs], "int8", 0.05, -20)
	m.save(name, [add_lstm(m, x, steps, inputs, cells, **options)])


def write():
	with tflite.model.numbers(43):
		lstm("lstm", 5, 12, 20)
		lstm("lstm_clip", 7, 9, 33, clip=0.4)
		lstm("lstm_wide", 3, 40, 65, exponent=-13)
		lstm("lstm_narrow", 4, 3, 1, exponent=-9, hidden=(0.004, -100))
		lstm("lstm_step", 1, 16, 32, exponent=-15, hidden=(0.01, 0))
		# One after another, and a layer behind them.
		m = Model()
		x = m.input([1, 6, 10], "int8", 0.05, 3)
		first = add_lstm(m, x, 6, 10, 16)
		second = add_lstm(m, first, 6, 16, 8, in_scale=0.0078)
		row = m.tensor([1, 48], "int8", 0.0078, 3)
		m.add("RESHAPE", [second, m.tensor([2], "int32", data=np.int32([1, 48]))], [row], [1, 48])
		y = m.tensor([1, 5], "int8", 0.02, 5)
		m.add("FULLY_CONNECTED", [row, *weights(m, [5, 48], 0, False, 0.0078, 5)], [y], NONE, 0, 0, 0, version=4)
		m.save("lstm_twice", [y])
	with tflite.model.numbers(41):
		svdf("svdf", 40, 12, 1, 2, 0.003, (0.2, -128))
		svdf("svdf_rank", 33, 67, 2, 3, 0.004, (0.3, -128))
		svdf("svdf_no_bias", 16, 5, 3, 8, 0.002, (0.15, -128), bias=False)
		svdf("svdf_no_memory", 24, 20, 2, 1, 0.003, (0.1, -128))
		svdf("svdf_saturated", 200, 16, 1, 3, 0.0002, (0.02, -128))
		# What is kept is between other layers, twice.
		m = Model()
		x = m.input([1, 30], "int8", 0.05, 3)
		first = add_svdf(m, x, 30, 16, 2, 2, 0.002, (0.1, -128))
		middle = m.tensor([1, 9], "int8", 0.4, 5)
		m.add("FULLY_CONNECTED", [first, *weights(m, [9, 16], 0, False, 0.1, 9)], [middle], NONE, 0, 0, 0, version=4)
		m.save("svdf_twice", [add_svdf(m, middle, 9, 8, 1, 2, 0.006, (0.2, -128))])


def refuse():
	"""Layers whose parts do not fit."""
	def other(name, words, change):
		m = Model()
		x = m.input([1, 8], "int8", 0.05, 0)
		add_svdf(m, x, 8, 6, 2, 3, 0.002, (0.1, -128))
		change(m)
		tflite.model.refused(name, words, m)

	def other_lstm(name, words, change, **options):
		m = Model()
		x = m.input([1, 3, 4], "int8", 0.05, 0)
		add_lstm(m, x, 3, 4, 2, **options)
		change(m)
		tflite.model.refused(name, words, m)

	def quantized(scale, zero_point=0):
		return {4: fb.table({2: fb.vector("f", np.float32([scale])), 3: fb.vector("q", [zero_point])})}

	def inputs(m, **changed):
		"""The operator's inputs, numbers of which are changed."""
		now = [0, *range(1, 13, 3), *range(2, 13, 3), -1, -1, -1, *range(3, 13, 3), -1, -1, 13, 14, -1, -1, -1, -1]
		for place, tensor in changed.items():
			now[int(place[1:])] = tensor
		m.operators[0][1] = fb.vector("i", now)

	def options(m, **changed):
		table = {0: fb.i8(TANH), **{int(place[1:]): value for place, value in changed.items()}}
		m.operators[0][4] = fb.table(table)

	with tflite.model.numbers(44):
		other_lstm("lstm_peephole", "has peepholes", lambda m: inputs(m, i10=3))
		other_lstm("lstm_projection", "has a projection", lambda m: inputs(m, i16=1))
		other_lstm("lstm_normalized", "has normalized layers", lambda m: inputs(m, i21=3))
		other_lstm("lstm_no_input_gate", "no input gate", lambda m: inputs(m, i1=-1))
		other_lstm("lstm_time_major", "time_major is 1", lambda m: options(m, f3=fb.u8(1)))
		other_lstm("lstm_activation", "fused_activation_function is 1", lambda m: options(m, f0=fb.i8(RELU)))
		other_lstm("lstm_proj_clip", "proj_clip is not 0", lambda m: options(m, f2=fb.f32(1)))
		other_lstm("lstm_clip_below", "cell_clip is -1", lambda m: options(m, f1=fb.f32(-1)))
		other_lstm("lstm_cell_scale", "power of two", lambda m: m.tensors[14].update(quantized(0.0003)))
		other_lstm("lstm_hidden", "have not one scale", lambda m: m.tensors[19].update(quantized(0.02, 3)))
		other_lstm("lstm_no_hidden", "does not say how", lambda m: m.operators[0].update({8: None}))
		other_lstm("lstm_weights_zero", "no matrix of int8", lambda m: m.tensors[1].update(quantized(0.02, 3)))
		other_lstm("lstm_bias", "not of int32 with one dimension", lambda m: m.tensors[3].update({0: fb.vector("i", [2, 1])}))
		other_lstm("lstm_constant_state", "is no variable", lambda m: m.tensors[14].update({5: None}))
	with tflite.model.numbers(42):
		other("svdf_rank", "rank 5", lambda m: m.operators[0].update({4: fb.table({0: fb.i32(5), 1: fb.i8(RELU)})}))
		other("svdf_constant_state", "is no variable", lambda m: m.tensors[3].update({5: None}))
		other("svdf_short_state", "has not 3 elements", lambda m: m.tensors[3].update({0: fb.vector("i", [1, 35])}))
		other("svdf_zero_point", "zero point 0 is not -128", lambda m: m.tensors[5].update(
			{4: fb.table({2: fb.vector("f", np.float32([0.1])), 3: fb.vector("q", [0])})}))
