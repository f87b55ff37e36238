# SPDX-License-Identifier: MIT
"""For write.py: models of int16 activations with int8 weights, and transposed convolutions of all types. Their numbers are drawn
by themselves, so that they are the same whatever else there is."""
import numpy as np

from tflite import flatbuffer as fb
import tflite.model
from tflite.model import ITEMS, NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Model, refused


def weights(m, shape, axis, outputs, x_scale, dtype="int16", per_channel=True, most=0.02):
	"""int8 weights, and the bias behind them, which is of int64 for int16."""
	scales = np.float32(tflite.model.rng.uniform(0.002, most, outputs if per_channel else 1))
	data = tflite.model.rng.integers(-127, 128, shape).astype(np.int8)
	wide = dtype == "int16"
	bias = tflite.model.rng.integers(-2000000 if wide else -3000, 2000000 if wide else 3000, outputs)
	return [m.tensor(shape, "int8", scales, axis=axis if per_channel else None, data=data),
		m.tensor([outputs], "int64" if wide else "int32", scales * np.float32(x_scale),
			 data=bias.astype(np.int64 if wide else np.int32))]


def conv(name, image, kernel, outputs, padding, stride=1, dilation=1, activation=NONE, per_channel=True):
	m = Model()
	x = m.input([1, *image], "int16", 0.0005, 0)
	w = weights(m, [outputs, *kernel, image[2]], 0, outputs, 0.0005, per_channel=per_channel)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - (k - 1) * dilation) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, outputs], "int16", 0.0011)
	m.add("CONV_2D", [x, *w], [y], padding, stride, stride, activation, dilation, dilation, version=4)
	m.save(name, [y])


def depthwise(name, image, kernel, times, padding, stride=1, activation=NONE, bias=True):
	m = Model()
	x = m.input([1, *image], "int16", 0.0005, 0)
	outputs = image[2] * times
	w = weights(m, [1, *kernel, outputs], 3, outputs, 0.0005)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, outputs], "int16", 0.0004)
	m.add("DEPTHWISE_CONV_2D", [x, *w] if bias else [x, w[0]], [y], padding, stride, stride, times, activation, 1, 1, version=5)
	m.save(name, [y])


def fully_connected(name, shape, inputs, outputs, keep, activation=NONE, bias=True):
	m = Model()
	x = m.input(shape, "int16", 0.0005, 0)
	w = weights(m, [outputs, inputs], 0, outputs, 0.0005, per_channel=False)
	y = m.tensor([*shape[:-1], outputs] if keep else [1, outputs], "int16", 0.0008)
	m.add("FULLY_CONNECTED", [x, *w] if bias else [x, w[0]], [y], activation, 0, int(keep), version=7)
	m.save(name, [y])


def pair(name, op, shapes, scales, activation=NONE, power_of_two=False, constant=None, version=2):
	"""Of two operands, of which one may be a constant."""
	m = Model()
	x = []
	for i, (shape, scale) in enumerate(zip(shapes, scales)):
		if i == constant:
			x.append(m.tensor(shape, "int16", scale, data=tflite.model.rng.integers(-32768, 32768, shape).astype(np.int16)))
		else:
			x.append(m.input(shape if len(shape) > 1 else [1, *shape], "int16", scale, 0))
			# One dimension has no batch: each item brings its own.
			m.tensors[x[-1]][0] = fb.vector("i", shape)
	y = m.tensor(max(shapes, key=len), "int16", scales[2])
	m.add(op, x, [y], activation, int(power_of_two), version=version)
	m.save(name, [y])


def function(name, op, dtype, scale, out_scale, *options, version=2, zeros=(0, 0), out=None):
	m = Model()
	x = m.input([1, 4000], dtype, scale, zeros[0])
	y = m.tensor([1, 4000], out or dtype, out_scale, zeros[1])
	m.add(op, [x], [y], *options, version=version)
	m.save(name, [y])


def transposed(name, dtype, image, kernel, outputs, padding, stride, sizes=None, bias=True, per_channel=True, version=3, shape_input=False):
	m = Model()
	scale, zero = (0.0005, 0) if dtype == "int16" else (0.05, 3 if dtype == "int8" else 120)
	x = m.input([1, *image], dtype, scale, zero)
	w = weights(m, [outputs, *kernel, image[2]], 0, outputs, scale, dtype, per_channel)
	if not sizes:
		sizes = [size * stride if padding == SAME else (size - 1) * stride + max(k, stride) for size, k in zip(image, kernel)]
	out = (0.001, 0) if dtype == "int16" else (0.07, -7 if dtype == "int8" else 131)
	y = m.tensor([1, *sizes, outputs], dtype, *out)
	shape = m.ints([1, *sizes, outputs])
	if shape_input:
		m.tensors[shape][2] = fb.u32(0)
		m.buffers.pop()
		m.inputs.append(shape)
		m.data.append(np.int32([[1, *sizes, outputs]] * ITEMS))
	m.add("TRANSPOSE_CONV", [shape, w[0], x, *([w[1]] if bias else [])], [y], padding, stride, stride,
	      version=version)
	m.save(name, [y])


@tflite.model.numbers(16)
def write():
	conv("conv_int16", (9, 8, 5), (3, 3), 13, SAME)
	conv("conv_int16_valid", (9, 8, 16), (3, 2), 10, VALID, stride=2, activation=RELU)
	conv("conv_int16_dilation", (11, 10, 8), (3, 3), 6, VALID, dilation=2, activation=RELU6, per_channel=False)
	depthwise("depthwise_int16", (9, 8, 12), (3, 3), 1, SAME, activation=RELU6)
	depthwise("depthwise_int16_times", (9, 8, 5), (3, 4), 3, VALID, stride=2)
	fully_connected("fully_connected_int16", [1, 40], 40, 33, False, RELU)
	fully_connected("fully_connected_int16_flat", [1, 3, 4, 5], 60, 12, False)
	fully_connected("fully_connected_int16_keep", [1, 6, 24], 24, 10, True)
	depthwise("depthwise_int16_no_bias", (9, 8, 5), (3, 4), 1, VALID, bias=False)
	fully_connected("fully_connected_int16_no_bias", [1, 40], 40, 12, False, bias=False)
	image, last = [1, 7, 9, 16], [16]
	pair("add_int16", "ADD_INT16", (image, image), (0.0005, 0.0003, 0.0007))
	pair("add_int16_relu", "ADD_INT16", (image, image), (0.0005, 0.0005, 0.0005), RELU)
	pair("add_int16_shifts", "ADD_INT16", (image, image), (2**-13, 2**-10, 2**-10), RELU6)
	pair("add_int16_shifts_option", "ADD_INT16", (image, image), (2**-11, 2**-14, 2**-11), power_of_two=True)
	pair("add_int16_nearly_shifts", "ADD_INT16", (image, image), (2**-11 * 1.0003, 2**-11, 2**-11 * 0.9996))
	pair("add_int16_constant", "ADD_INT16", (image, [1, 1, 1, 16]), (0.0005, 0.0003, 0.0007), constant=1)
	pair("add_int16_number", "ADD_INT16", ([], image), (0.0002, 0.0003, 0.0007), constant=0)
	pair("sub_int16", "SUB", (image, image), (0.0005, 0.0003, 0.0007))
	pair("sub_int16_relu6", "SUB", (image, image), (0.0005, 0.00025, 0.001), RELU6)
	pair("sub_int16_shifts", "SUB", (image, image), (2**-10, 2**-13, 2**-10))
	pair("sub_int16_shifts_second", "SUB", (image, image), (2**-14, 2**-10, 2**-10))
	pair("sub_int16_last", "SUB", ([1, 2, 5, 16], [1, 16]), (0.0005, 0.00001, 0.0007))
	pair("sub_int16_from_constant", "SUB", (last, image), (0.0005, 0.0003, 0.0007), constant=0)
	pair("sub_int16_option", "SUB", (image, image), (2**-10, 2**-13, 2**-10), power_of_two=True)
	pair("sub_int16_option_second", "SUB", (image, image), (2**-14, 2**-10, 2**-10), power_of_two=True)
	pair("sub_int16_option_any", "SUB", (image, image), (0.0005, 0.0003, 0.0007), power_of_two=True)
	pair("sub_int16_option_nearly", "SUB", (image, image), (2**-11 * 1.0003, 2**-11, 2**-11 * 0.9996), power_of_two=True)
	pair("add_int16_option_any", "ADD_INT16", (image, image), (0.0005, 0.0003, 0.0007), power_of_two=True)
	pair("add_int16_option_nearly", "ADD_INT16", (image, image), (2**-11 * 1.0003, 2**-11, 2**-11 * 0.9996), power_of_two=True)
	function("leaky_relu_int16", "LEAKY_RELU", "int16", 0.0005, 0.0004, 0.2)
	function("leaky_relu_int16_finer", "LEAKY_RELU", "int16", 0.0005, 0.00002, -0.05)
	function("leaky_relu_int16_ties", "LEAKY_RELU", "int16", 0.0005, 0.001, 0.25)
	function("leaky_relu_ties", "LEAKY_RELU", "int8", 0.05, 0.1, 0.5)
	transposed("transpose_conv", "int8", (5, 6, 7), (3, 3), 10, SAME, 2)
	transposed("transpose_conv_valid", "int8", (4, 5, 8), (3, 2), 33, VALID, 2, version=3)
	transposed("transpose_conv_apart", "int8", (4, 5, 8), (2, 2), 6, VALID, 3, bias=False, version=2)
	transposed("transpose_conv_odd", "int8", (4, 5, 3), (4, 5), 6, SAME, 2, sizes=[7, 9], per_channel=False)
	transposed("transpose_conv_one", "int8", (4, 5, 3), (3, 3), 6, SAME, 1)
	transposed("transpose_conv_int16", "int16", (4, 5, 8), (3, 4), 6, VALID, 2)
	transposed("transpose_conv_int16_same", "int16", (4, 5, 8), (5, 5), 6, SAME, 3, bias=False)
	pair("sub_int16_of_item", "SUB", (image, last), (0.0005, 0.0003, 0.0007))
	transposed("transpose_conv_shape_input", "int8", (4, 5, 3), (3, 3), 6, SAME, 2, shape_input=True)
	for op in ("LOGISTIC", "TANH"):
		for name, scale in (("", 0.0005), ("_coarse", 0.01), ("_nearly", 2**-12 * 1.0009)):
			function(op.lower() + "_int16" + name, op, "int16", scale, 2**-15, version=3)
	for op in ("RELU", "RELU6", "ABS"):
		function(op.lower() + "_int16", op, "int16", 0.0005, 0.0003, version=3)
	function("quantize_int16", "QUANTIZE", "int16", 0.0005, 0.0003, version=2)
	function("quantize_int16_to_int8", "QUANTIZE", "int16", 0.0005, 0.06, version=2, zeros=(0, -7), out="int8")


def refused_pair(name, words, shapes, activation=NONE, zero=0, op="ADD_INT16", dtypes=("int16", "int16")):
	m = Model()
	x = [m.input(shape, dtype, 0.0005, zero) for shape, dtype in zip(shapes, dtypes)]
	m.add(op, x, [m.tensor(shapes[0], "int16", 0.0007)], activation, 0, version=2)
	refused(name, words, m)


def refused_conv(name, words, bias="int64", weights="int8", scales=1, transposed=None, zero=0):
	m = Model()
	x = m.input([1, 4, 4, 3], "int16", 0.0005, 0)
	scale = np.float32([0.02] * scales)
	w = m.tensor([6, 3, 3, 3], weights, scale, zero, data=np.zeros([6, 3, 3, 3], np.int8))
	b = m.tensor([6], bias, np.float32(0.02) * np.float32(0.0005), data=np.zeros(6, bias))
	if transposed:
		size, shape = transposed
		y = m.tensor([1, size, size, 6], "int16", 0.001)
		m.add("TRANSPOSE_CONV", [m.ints([1, shape, shape, 6]), w, x, b], [y], SAME, 2, 2, version=3)
	else:
		y = m.tensor([1, 4, 4, 6], "int16", 0.001)
		m.add("CONV_2D", [x, w, b], [y], SAME, 1, 1, NONE, 1, 1, version=4)
	refused(name, words, m)


@tflite.model.numbers(16)
def refuse():
	image = [1, 3, 4, 5]
	refused_pair("int16_zero_point", "needs a scale, and zero point 0", (image, image), zero=3)
	refused_pair("int16_shapes", "of which one has the last dimensions of the other", (image, [1, 3, 4, 1]))
	refused_pair("int16_batch", "of which one has the last dimensions of the other", ([3, 3, 5], [3, 5]))
	refused_pair("int16_activation", "the activations RELU and RELU6 only", (image, image), RELU_N1_TO_1)
	refused_pair("int16_and_int8", "and the other is not", (image, image), dtypes=("int16", "int8"))
	refused_conv("int16_bias", "its bias is of int32", bias="int32")
	refused_conv("int16_weights", "of int16, and its weights are of uint8", weights="uint8")
	refused_conv("int16_weights_zero_point", "of int8, which needs zero point 0, not 1", zero=1)
	refused_conv("transpose_conv_shape", "it makes dimension 1 7, and that of its output is 8", transposed=(8, 7))
	refused_conv("transpose_conv_size", "which 4 do not make", transposed=(9, 9))
	def refused_function(name, words, op, scales, dtypes=("int16", "int16"), count=1, version=2):
		m = Model()
		x = m.input([1, 4], dtypes[0], scales[0], 0)
		for _ in range(count):
			x, last = m.tensor([1, 4], dtypes[1], scales[1], 0), x
			m.add(op, [last], [x], version=version)
		refused(name, words, m, [x])
	refused_function("logistic_int16_shift", "is 2^-12, or nearly so", "LOGISTIC", (2**-12 * 1.0006, 2**-15), version=3)
	refused_function("tanh_int16_shift", "is 2^-12, or nearly so", "TANH", (2**-12, 2**-15), version=3)
	refused_function("tanh_int16_shift_twice", "is 2^-11, or nearly so", "TANH", (2**-11, 2**-15), version=3)
	refused_function("logistic_int16_output", "its output scale is 3e-05, not 2^-15", "LOGISTIC", (0.0005, 3e-05), version=3)
	refused_function("tanh_int16_output", "its output scale is 6.10352e-05, not 2^-15", "TANH", (0.0005, 2**-14), version=3)
	refused_function("logistic_int16_scale", "nnloop knows it below 1", "LOGISTIC", (1, 2**-15), version=3)
	refused_function("quantize_int16_to_uint8", "it makes uint8 of int16", "QUANTIZE", (0.0005, 0.06), ("int16", "uint8"))
	refused_function("int16_functions", "has more than 256 functions of int16", "RELU", (0.0005, 0.0005), count=257)
