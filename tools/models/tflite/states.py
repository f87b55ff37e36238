# SPDX-License-Identifier: MIT
"""For write.py: models that keep something from one run to the next, whose items are runs one after the other. litert.py makes their golden
values; tests/models/tflite/litert.txt has their names."""
import numpy as np

import tflite.flatbuffer as fb
import tflite.model
from tflite.model import NONE, RELU, Model, weights


def variable(m, shape, dtype, scale):
	"""A tensor that keeps its elements."""
	tensor = m.tensor(shape, dtype, scale)
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


def write():
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

	with tflite.model.numbers(42):
		other("svdf_rank", "rank 5", lambda m: m.operators[0].update({4: fb.table({0: fb.i32(5), 1: fb.i8(RELU)})}))
		other("svdf_constant_state", "is no variable", lambda m: m.tensors[3].update({5: None}))
		other("svdf_short_state", "has not 3 elements", lambda m: m.tensors[3].update({0: fb.vector("i", [1, 35])}))
		other("svdf_zero_point", "zero point 0 is not -128", lambda m: m.tensors[5].update(
			{4: fb.table({2: fb.vector("f", np.float32([0.1])), 3: fb.vector("q", [0])})}))
