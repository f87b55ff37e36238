#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/tflite/: one tiny TensorFlow Lite model per operator form that the importer knows, with random
inputs of three items. They go where the archives are unpacked, and from there into the archives (common/archive.py). golden.py adds what TensorFlow Lite makes of them.

Models are for batches of one, as converters make them. list.txt has a line for each: its name, and how many inputs it
has. Those in tests/models/tflite-refused/ cannot be imported, and its list.txt has words that the sentence about it must have.
"""
import copy
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

from common import archive
import tflite.bytes
import tflite.control
import tflite.converters
import tflite.described
import tflite.ends
import tflite.found
import tflite.int16
import tflite.later
import tflite.model
import tflite.more
import tflite.moves
import tflite.normal
import tflite.picks
import tflite.refused
import tflite.products
import tflite.regions
import tflite.shapes
import tflite.resources
import tflite.states
import tflite.suppress
import tflite.today
import tflite.integers
import tflite.two
import tflite.kinds
import tflite.wide
from tflite.model import NONE, OUT, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Model, function, weights


def conv(name, image, kernel, outputs, padding, stride=1, dilation=1, activation=NONE, per_channel=True):
	m = Model()
	x = m.input([1, *image], "int8", 0.05, 3)
	w = weights(m, [outputs, *kernel, image[2]], 0, per_channel, 0.05, outputs)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - (k - 1) * dilation) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, outputs], "int8", 0.06, -7)
	m.add("CONV_2D", [x, *w], [y], padding, stride, stride, activation, dilation, dilation, version=3)
	m.save(name, [y])


def depthwise(name, image, kernel, times, padding, stride=1, activation=NONE):
	m = Model()
	x = m.input([1, *image], "int8", 0.05, 3)
	outputs = image[2] * times
	w = weights(m, [1, *kernel, outputs], 3, True, 0.05, outputs)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, outputs], "int8", 0.04, 5)
	m.add("DEPTHWISE_CONV_2D", [x, *w], [y], padding, stride, stride, times, activation, 1, 1, version=3)
	m.save(name, [y])


def fully_connected(name, shape, inputs, outputs, keep, activation=NONE):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	w = weights(m, [outputs, inputs], 0, False, 0.05, outputs)
	y = m.tensor([*shape[:-1], outputs] if keep else [1, outputs], "int8", 0.08, -3)
	m.add("FULLY_CONNECTED", [x, *w], [y], activation, 0, int(keep), version=5)
	m.save(name, [y])


def pool(name, op, image, kernel, padding, stride, dtype="int8", activation=NONE, zero=-9):
	m = Model()
	x = m.input([1, *image], dtype, 0.05, zero)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, image[2]], dtype, 0.05, zero)
	m.add(op, [x], [y], padding, stride, stride, kernel[1], kernel[0], activation, version=2 if dtype == "int8" else 1)
	m.save(name, [y])


def softmax(name, shape, dtype, scale, beta):
	m = Model()
	x = m.input(shape, dtype, scale, 4)
	y = m.tensor(shape, dtype, 1 / 256, -128 if dtype == "int8" else 0)
	m.add("SOFTMAX", [x], [y], beta, version=2 if dtype == "int8" else 1)
	m.save(name, [y])


def moved(name, op, shape, out, ints, *options):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	y = m.tensor(out, "int8", 0.05, 3)
	m.add(op, [x] if ints is None else [x, m.ints(ints)], [y], *options)
	m.save(name, [y])


def sliced(name, op, shape, out, numbers, *options):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	y = m.tensor(out, "int8", 0.05, 3)
	m.add(op, [x, *(m.ints(values) for values in numbers)], [y], *options)
	m.save(name, [y])


def split(name, shape, axis, count):
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	part = [*shape]
	part[axis] //= count
	y = [m.tensor(part, "int8", 0.05, 3) for _ in range(count)]
	m.add("SPLIT", [m.ints(axis), x], y, count)
	m.save(name, y)


def concatenation(name, shapes, axis, out):
	m = Model()
	x = [m.input(shape, "int8", 0.05, 3) for shape in shapes]
	y = m.tensor(out, "int8", 0.05, 3)
	m.add("CONCATENATION", x, [y], axis, NONE)
	m.save(name, [y])


def two_ways(name, op, kernel, stride, dilation, padding=VALID):
	"""A convolution or a pool whose window is not the same down and across."""
	m = Model()
	x = m.input([1, 12, 11, 3], "int8", 0.05, 3)
	sizes = [-(-size // s) if padding == SAME else -(-(size - (k - 1) * d) // s)
		 for size, k, s, d in zip((12, 11), kernel, stride, dilation)]
	pools = op.endswith("POOL_2D")
	y = m.tensor([1, *sizes, 3 if pools else 6], "int8", *((0.05, 3) if pools else (0.06, -7)))
	if pools:
		m.add(op, [x], [y], padding, stride[1], stride[0], kernel[1], kernel[0], NONE, version=2)
	else:
		shape = [6, *kernel, 3] if op == "CONV_2D" else [1, *kernel, 6]
		w = weights(m, shape, 0 if op == "CONV_2D" else 3, True, 0.05, 6)
		options = [padding, stride[1], stride[0], NONE, dilation[1], dilation[0]]
		if op != "CONV_2D":
			options.insert(3, 2)
		m.add(op, [x, *w], [y], *options, version=3)
	m.save(name, [y])


def more_forms():
	two_ways("conv_two_strides", "CONV_2D", (3, 2), (2, 1), (1, 1), SAME)
	two_ways("conv_two_dilations", "CONV_2D", (2, 3), (1, 1), (3, 2))
	two_ways("conv_stride_across", "CONV_2D", (3, 3), (1, 2), (1, 1))
	two_ways("depthwise_two_strides", "DEPTHWISE_CONV_2D", (3, 2), (2, 2), (1, 1), SAME)
	two_ways("depthwise_two_dilations", "DEPTHWISE_CONV_2D", (2, 3), (1, 1), (2, 3), SAME)
	two_ways("average_pool_two_ways", "AVERAGE_POOL_2D", (3, 5), (2, 1), (1, 1), SAME)
	two_ways("max_pool_two_ways", "MAX_POOL_2D", (5, 3), (1, 2), (1, 1))
	moved("squeeze_ends", "SQUEEZE", [1, 6, 1, 4, 1], [1, 6, 4], None, [-1, 2])
	moved("squeeze_behind_batch", "SQUEEZE", [1, 1, 6], [1, 6], None, [-2])
	moved("expand_dims_first", "EXPAND_DIMS", [1, 6, 4], [1, 1, 6, 4], 1)
	moved("expand_dims_last", "EXPAND_DIMS", [1, 6, 4], [1, 6, 4, 1], -1)
	moved("expand_dims_at_rank", "EXPAND_DIMS", [1, 6, 4], [1, 6, 4, 1], 3)
	moved("transpose_two", "TRANSPOSE", [1, 5, 6], [1, 6, 5], [0, 2, 1])
	sliced("slice_ends", "SLICE", [1, 5, 6, 4], [1, 1, 6, 1], [[0, 4, 0, 3], [1, 1, 6, 1]])
	sliced("slice_rest", "SLICE", [1, 5, 6, 4], [1, 1, 5, 4], [[0, 4, 1, 0], [-1, -1, -1, -1]])
	sliced("strided_slice_ends", "STRIDED_SLICE", [1, 8, 6, 4], [1, 1, 6, 3], [[0, -1, -9, 1], [1, 8, 9, 0], [1, 1, 1, 1]], 0, 8, 0, 0, 0)
	sliced("strided_slice_whole_masks", "STRIDED_SLICE", [1, 8, 6, 4], [1, 8, 5, 3], [[5, 7, 0, 1], [0, 1, -1, 4], [1, 1, 1, 1]], 3, 3, 0, 0, 0)
	split("split_behind_batch", [1, 6, 4], 1, 2)
	split("split_single", [1, 3, 4], 2, 4)
	concatenation("concatenation_behind_batch", [[1, 5], [1, 7]], 1, [1, 12])
	m = Model()
	x = m.input([1, 40], "int8", 0.05, 3)
	w = weights(m, [33, 40], 0, False, 0.05, 33)
	y = m.tensor([1, 33], "int8", 0.08, -3)
	m.add("FULLY_CONNECTED", [x, w[0]], [y], NONE, 0, 0, version=5)
	m.save("fully_connected_no_bias", [y])


def main():
	archive.folder_of("tflite")
	conv("conv_same", (9, 8, 5), (3, 3), 33, SAME)
	conv("conv_valid", (9, 8, 16), (3, 2), 40, VALID, activation=RELU)
	conv("conv_stride", (10, 9, 3), (3, 3), 24, SAME, stride=2, activation=RELU6)
	conv("conv_dilation", (11, 10, 8), (3, 3), 16, VALID, dilation=2, activation=RELU_N1_TO_1)
	conv("conv_1x1", (5, 6, 24), (1, 1), 8, SAME, per_channel=False)
	depthwise("depthwise_same", (9, 8, 33), (3, 3), 1, SAME, activation=RELU6)
	depthwise("depthwise_stride", (10, 9, 16), (3, 3), 1, SAME, stride=2)
	depthwise("depthwise_times", (9, 8, 5), (3, 4), 3, VALID)
	depthwise("depthwise_of_one", (9, 8, 1), (5, 4), 8, SAME, stride=2, activation=RELU)
	fully_connected("fully_connected", [1, 40], 40, 33, False)
	fully_connected("fully_connected_flat", [1, 3, 4, 5], 60, 12, False, RELU)
	fully_connected("fully_connected_keep", [1, 6, 24], 24, 10, True)
	pool("average_pool", "AVERAGE_POOL_2D", (8, 8, 16), (2, 2), VALID, 2)
	pool("average_pool_same", "AVERAGE_POOL_2D", (9, 8, 5), (4, 3), SAME, 1, activation=RELU)
	pool("average_pool_all", "AVERAGE_POOL_2D", (8, 6, 40), (8, 6), VALID, 1)
	pool("average_pool_u8", "AVERAGE_POOL_2D", (8, 8, 16), (2, 2), VALID, 2, "uint8", zero=128)
	pool("max_pool", "MAX_POOL_2D", (9, 8, 33), (3, 2), SAME, 2)
	tflite.two.add("add", (0.05, 0.03, 0.07))
	tflite.two.add("add_ties", (0.05, 0.05, 0.1), RELU)
	tflite.two.add("add_n1_to_1", (0.02, 0.05, 0.03), RELU_N1_TO_1)
	function("logistic", "LOGISTIC", "int8", 0.05, 1 / 256, -128)
	function("tanh", "TANH", "int8", 0.03, 1 / 128, 0)
	function("relu", "RELU", "int8", 0.05, 0.05, 4)
	function("relu6", "RELU6", "int8", 0.05, 0.04, -128)
	function("relu_n1_to_1", "RELU_N1_TO_1", "int8", 0.05, 0.05, 4, version=1)
	function("leaky_relu", "LEAKY_RELU", "int8", 0.05, 0.04, -7, 0.2)
	softmax("softmax", [1, 37], "int8", 0.1, 1.0)
	softmax("softmax_beta", [1, 5, 19], "int8", 0.03, 0.7)
	softmax("softmax_u8", [1, 300], "uint8", 0.2, 1.0)
	moved("reshape", "RESHAPE", [1, 4, 6], [1, 2, 12], [-1, 2, 12])
	moved("reshape_option", "RESHAPE", [1, 4, 6], [1, 24], None, [1, 24])
	moved("squeeze", "SQUEEZE", [1, 1, 6, 1], [1, 6, 1], None, [1])
	moved("expand_dims", "EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], 2)
	moved("transpose", "TRANSPOSE", [1, 5, 6, 4], [1, 4, 5, 6], [0, 3, 1, 2])
	sliced("slice", "SLICE", [1, 5, 6, 4], [1, 2, 6, 3], [[0, 3, 0, 1], [-1, 2, -1, 3]])
	sliced("strided_slice", "STRIDED_SLICE", [1, 8, 6, 2], [1, 6, 3, 2], [[0, 1, -4, 0], [1, 7, -1, 9], [1, 1, 1, 1]], 1, 8, 0, 0, 0)
	split("split", [1, 3, 4, 6], -1, 3)
	concatenation("concatenation", [[1, 3, 4, 5], [1, 3, 4, 7]], -1, [1, 3, 4, 12])
	concatenation("concatenation_rows", [[1, 3, 4], [1, 2, 4], [1, 3, 4]], 1, [1, 8, 4])
	tflite.int16.write()
	tflite.moves.write()
	# So that no other model changes.
	with tflite.model.numbers(copy.deepcopy(tflite.model.rng)):
		tflite.two.write()
	tflite.integers.write()
	tflite.regions.write()
	tflite.products.write()
	tflite.bytes.write()
	tflite.ends.write_ends()
	tflite.ends.write_detection()
	tflite.suppress.write()
	tflite.suppress.write_items()
	tflite.normal.write()
	tflite.refused.refuse_files()
	tflite.refused.refuse_tensors()
	tflite.refused.refuse_options()
	tflite.int16.refuse()
	tflite.moves.refuse()
	tflite.two.refuse()
	tflite.integers.refuse()
	tflite.regions.refuse()
	tflite.products.refuse()
	tflite.bytes.refuse()
	tflite.ends.refuse()
	tflite.suppress.refuse()
	tflite.normal.refuse()
	with tflite.model.numbers(12):
		more_forms()
		tflite.refused.refuse_more()
		tflite.refused.refuse_outside()
	tflite.found.write()
	tflite.found.refuse()
	tflite.later.write()
	tflite.today.write()
	tflite.converters.write()
	tflite.kinds.write()
	tflite.kinds.refuse()
	tflite.wide.write()
	tflite.wide.refuse()
	tflite.wide.write_axes()
	tflite.wide.write_softmax()
	tflite.picks.write()
	tflite.picks.refuse()
	tflite.more.write()
	tflite.more.refuse()
	tflite.more.write_rescaled()
	tflite.more.refuse_rescaled()
	tflite.shapes.write()
	tflite.described.write()
	tflite.states.write()
	tflite.resources.write()
	tflite.states.refuse()
	tflite.resources.refuse()
	tflite.control.write()
	with open(os.path.join(OUT, "list.txt"), "w") as file:
		file.write("# model, number of inputs\n")
		file.writelines(tflite.model.names)
	with open(os.path.join(OUT, "browser.txt"), "w") as file:
		file.writelines(tflite.model.browser)
	with open(os.path.join(OUT, "../tflite-refused", "list.txt"), "w") as file:
		file.write("# model, words of the sentence\n")
		file.writelines(tflite.model.refusals)
	archive.pack(["tflite", "tflite-refused"])


if __name__ == "__main__":
	main()
