# SPDX-License-Identifier: MIT
"""The models of write.py that end in NON_MAX_SUPPRESSION_V4 and V5."""
import numpy as np

from tflite import flatbuffer as fb
import tflite.model
from tflite.model import Model, refused


REALS, OTHERS = (6, 7), (8, 9, 10)  # of to_refuse(): what the last operator reads
V4, V5 = "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5"


def number(m, dtype, value):
	return m.tensor([], dtype, data=np.array(value, dtype))


def squeeze(m, op, x, shape, dtype, scale, zero):
	y = m.tensor(shape, dtype, scale, zero)
	if op == "RESHAPE":
		m.add(op, [x, m.ints(shape)], [y], None)
	else:
		m.add(op, [x], [y], [0])
	return y


def suppression(op, m, x, most, thresholds, max_output_size=None):
	"""x: boxes and scores of one image, dequantized."""
	size = number(m, "int32", most) if max_output_size is None else max_output_size
	numbers = [number(m, "float32", value) for value in thresholds]
	y = [m.tensor([most], "int32")]
	if op == V5:
		y.append(m.tensor([most], "float32"))
	y.append(m.tensor([], "int32"))
	m.add(op, [*x, size, *numbers], y)
	return y


def draw_boxes(m, levels):
	"""Data of boxes that overlap often, any two corners of each, and scores of so many values."""
	rng, low = tflite.model.rng, np.iinfo(m.data[0].dtype).min
	shape = [*m.data[0].shape[:-1], 2]
	middle, half = rng.integers(60, 196, shape), rng.integers(0, 55, shape)
	corners = np.concatenate([middle - half, middle + half], -1)
	turned = rng.integers(0, 2, shape).astype(bool)
	for i in range(2):
		first, second = corners[..., i].copy(), corners[..., i + 2].copy()
		corners[..., i] = np.where(turned[..., i], second, first)
		corners[..., i + 2] = np.where(turned[..., i], first, second)
	m.data[0][:] = low + corners
	m.data[1][:] = low + rng.integers(0, levels, m.data[1].shape) * (255 // (levels - 1))


def model(name, op, dtype, count, most, thresholds, levels=256, by=("RESHAPE", "SQUEEZE")):
	"""by: how boxes and scores lose the dimension of the batch."""
	m = Model()
	low = np.iinfo(dtype).min
	scales, shapes = [(0.013, low + 7), (1 / 256, low)], [[count, 4], [count]]
	x = [m.input([1, *shape], dtype, *scale) for shape, scale in zip(shapes, scales)]
	draw_boxes(m, levels)
	x = [squeeze(m, how, v, shape, dtype, *scale) for how, v, shape, scale in zip(by, x, shapes, scales)]
	reals = [m.tensor(shape, "float32") for shape in shapes]
	for q, real in zip(x, reals):
		m.add("DEQUANTIZE", [q], [real], version=2)
	m.save(name, suppression(op, m, reals, most, thresholds))


@tflite.model.numbers(50)
def write():
	model("suppress", V4, "int8", 40, 12, (0.4, 0.2))
	model("suppress_u8", V4, "uint8", 57, 90, (0.0, -1.0), by=("SQUEEZE", "SQUEEZE"))
	model("suppress_ties", V4, "int8", 90, 40, (0.6, 0.3), 4)
	model("suppress_all_tied", V4, "uint8", 33, 33, (1.0, 0.1), 2)
	model("suppress_none", V4, "int8", 20, 5, (0.5, 2.0))
	model("suppress_scores", V5, "int8", 40, 30, (0.4, 0.2, 0.0))
	model("suppress_soft", V5, "int8", 60, 50, (1.0, 0.3, 0.5))
	model("suppress_soft_u8", V5, "uint8", 60, 20, (0.6, 0.05, 0.3), 8)
	model("suppress_soft_ties", V5, "int8", 50, 50, (0.9, 0.001, 0.05), 3)


@tflite.model.numbers(51)
def write_items():
	"""Tensors without a dimension for the batch, as outputs, and on the way to one that has it."""
	for name, op, shape, left, options in (("item_reshape", "RESHAPE", [1, 4, 6], [6, 4], []), ("item_squeeze", "SQUEEZE", [1, 6, 1, 4], [6, 4], [-4, 2])):
		m = Model()
		x, y, z = m.input(shape, "int8", 0.05, 3), m.tensor(left, "int8", 0.05, 3), m.tensor([1, 3, 8], "int8", 0.05, 3)
		m.add(op, [x, m.ints(left)] if op == "RESHAPE" else [x], [y], None if op == "RESHAPE" else options)
		m.add("RESHAPE", [y, m.ints([1, 3, 8])], [z], None)
		m.save(name, [y, z])


def to_refuse(op=V4, most=5, thresholds=(0.5, 0.2), dtype="int8", out="int32", shape=(6, 4), batch=True, real=True):
	"""One to break, and its outputs."""
	m = Model()
	x = [m.input([1, *dims] if batch else list(dims), dtype, 0.05, 3 if dtype == "int8" else 0) for dims in (shape, shape[:1])]
	if batch:
		x = [squeeze(m, "RESHAPE", v, list(dims), dtype, 0.05, 3 if dtype == "int8" else 0) for v, dims in zip(x, (shape, shape[:1]))]
	reals = [m.tensor(list(dims), "float32", name=f"r{i}") for i, dims in enumerate((shape, shape[:1]))]
	for q, r in zip(x, reals):
		m.add("DEQUANTIZE", [q], [r], version=2)
	y = suppression(op, m, reals if real else x, most, thresholds)
	m.tensors[y[0]][1] = fb.i8(tflite.model.TYPES[out])
	return m, y


@tflite.model.numbers(1)
def refuse():
	for name, words, changed in (
			("suppress_most", "its max_output_size is not one number from 1 to 65536", {"most": 65537}),
			("suppress_integers", "is not what a DEQUANTIZE makes of int8 or uint8", {"real": False}),
			("suppress_type", "its output is quantized in another way", {"out": "int64"})):
		refused(name, words, *to_refuse(**changed))
	m, y = to_refuse()
	m.tensors[y[0]][0] = fb.vector("i", [4])
	refused("suppress_shape", "its output is 5, and the file says 4", m, y)
	m, y = to_refuse(V5, thresholds=(0.5, 0.2, 0.0))
	m.tensors[y[1]][1] = fb.i8(tflite.model.TYPES["int32"])
	refused("suppress_scores_type", "is of int32", m, y)
	m, y = to_refuse()
	m.operators[-1][1] = fb.vector("i", [*REALS, m.ints([5, 6]), *OTHERS[1:]])
	refused("suppress_sizes", "its max_output_size is not one number", m, y)
	m, y = to_refuse()
	m.operators[-1][1] = fb.vector("i", [*REALS, OTHERS[0], OTHERS[0], OTHERS[2]])
	refused("suppress_threshold", "its iou_threshold is not one number of float32", m, y)
	# Boxes of a batch, and what else reads a tensor without one.
	m = Model()
	reals = []
	for shape in ([1, 4], [1]):
		reals.append(m.tensor(shape, "float32"))
		m.add("DEQUANTIZE", [m.input(shape, "int8", 0.05, 3)], reals[-1:], version=2)
	refused("suppress_batch", "it goes along the first dimension", m, suppression(V4, m, reals, 5, (0.5, 0.2)))
	m = Model()
	x = squeeze(m, "SQUEEZE", m.input([1, 6, 4], "int8", 0.05, 3), [6, 4], "int8", 0.05, 3)
	m.add("ABS", [x], [m.tensor([6, 4], "int8", 0.05, 3)], version=2)
	refused("no_batch", "has no dimension for the batch", m)
