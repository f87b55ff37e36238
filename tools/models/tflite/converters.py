# SPDX-License-Identifier: MIT
"""For write.py: what today's converters of Keras write, of whole layers. litert.py makes the golden values; tests/models/tflite/litert.txt has
the names."""
import numpy as np

import tflite.model
from tflite.model import NONE, RELU, SAME, VALID, Model
from tflite.moves import dilated


def weights(m, shape, scale, axis=0, bias=None, dtype="int32"):
	"""Weights with a scale for each output, and a bias, which may have other scales than they make."""
	rng = tflite.model.rng
	scales = np.float32(rng.uniform(0.004, 0.02, shape[axis]))
	w = m.tensor(shape, "int8", scales, axis=axis, data=rng.integers(-127, 128, shape).astype(np.int8))
	if bias is None:
		return [w]
	most = 2000 if dtype == "int32" else 200000
	return [w, m.tensor([shape[axis]], dtype, scales * np.float32(scale * bias),
			    data=rng.integers(-most, most, shape[axis]).astype(dtype))]


def line(name, real, readers, dtype="int8"):
	"""A dilated Conv1D: a line that becomes an image behind SPACE_TO_BATCH_ND, with float32 around what moves pixels or not."""
	m = Model()
	quant = (0.05, 3) if dtype == "int8" else (0.0004, 0)
	result = (0.06, -7) if dtype == "int8" else (0.0011, 0)
	x = m.input([1, 20, 5], dtype, *quant)
	if real:
		x, before = m.tensor([1, 20, 5], "float32"), x
		m.add("DEQUANTIZE", [before], [x], version=2)
	kind = "float32" if real else dtype
	at = m.tensor([1, 8, 5], kind, *(() if real else quant))
	m.add("SPACE_TO_BATCH_ND", [x, m.ints([3]), m.tensor([1, 2], "int32", data=np.array([[2, 2]], np.int32))], [at], version=2)
	image = m.tensor([1, 1, 8, 5], kind, *(() if real else quant))
	m.say_open(at, [1, 8, 5], [0])
	m.add("EXPAND_DIMS", [at, m.ints(-3)], [image])
	m.say_open(image, [1, 1, 8, 5], [0])
	if real:
		before, image = image, m.tensor([1, 1, 8, 5], dtype, *quant)
		m.add("QUANTIZE", [before], [image])
	outs = []
	for _ in range(readers):
		y = m.tensor([1, 1, 6, 7], dtype, *result)
		bias = weights(m, [7, 1, 3, 5], quant[0], bias=1, dtype="int32" if dtype == "int8" else "int64")
		m.add("CONV_2D", [image, *bias], [y], VALID, 1, 1, NONE, 1, 1, None if dtype == "int8" else 4, version=3 if dtype == "int8" else 6)
		m.say_open(y, [1, 1, 6, 7], [0])
		flat = m.tensor([1, 6, 7], dtype, *result)
		m.add("RESHAPE", [y, m.ints([-1, 6, 7])], [flat], None)
		m.say_open(flat, [1, 6, 7], [0])
		if real:
			before, flat = flat, m.tensor([1, 6, 7], "float32")
			m.add("DEQUANTIZE", [before], [flat], version=2)
		back = m.tensor([1, 17, 7], kind, *(() if real else result))
		m.add("BATCH_TO_SPACE_ND", [flat, m.ints([3]), m.tensor([1, 2], "int32", data=np.array([[0, 1]], np.int32))], [back], version=2)
		if real:
			before, back = back, m.tensor([1, 17, 7], dtype, *result)
			m.add("QUANTIZE", [before], [back])
		outs.append(back)
	m.save(name, outs)


def filled(m, like, units, kind, scale, zero):
	"""The state that a recurrent layer begins with: 0 for each item, whose shape is computed."""
	shape, batch = m.tensor([3], "int32"), m.tensor([], "int32")
	m.add("SHAPE", [like], [shape], 2)
	m.add("STRIDED_SLICE", [shape, m.ints([0]), m.ints([1]), m.ints([1])], [batch], 0, 0, 0, 0, 1)
	dims = m.tensor([2], "int32")
	m.add("PACK", [batch, m.ints(units)], [dims], 2, 0)
	quant = () if kind == "float32" else (scale, zero)
	number = m.tensor([], kind, *quant, data=np.array(0 if kind == "float32" else zero, kind))
	state = m.tensor([1, units], kind, *quant)
	m.add("FILL", [dims, number], [state], version=3)
	m.say_open(state, [1, units], [0])
	return state


def recurrent(name, first, dtype, scale, gated):
	"""The first step of a recurrent layer. With a gate the state is cut in parts, multiplied and added."""
	m = Model()
	wide = dtype == "int16"
	quant = (0.0003, 0) if wide else (0.05, 3) if first != "uint8" else (0.05, 131)
	x = m.input([1, 2, 6], first if first != "float32" else dtype, *quant)
	zero = 0 if wide else -5
	state = filled(m, x, 8, "float32" if first == "float32" else dtype, scale, zero)
	if first == "float32":
		state, before = m.tensor([1, 8], dtype, scale, zero), state
		m.add("QUANTIZE", [before], [state])
	if first == "uint8":
		x, before = m.tensor([1, 2, 6], "int8", 0.05, 3), x
		m.add("QUANTIZE", [before], [x])
	step = m.tensor([1, 6], dtype, *((0.05, 3) if not wide else quant))
	m.add("STRIDED_SLICE", [x, m.ints([0, 0, 0]), m.ints([0, 1, 0]), m.ints([1, 1, 1])], [step], 5, 5, 0, 0, 2)
	new, old = m.tensor([1, 8], dtype, *((0.001, 0) if wide else (0.07, 4))), m.tensor([1, 8], dtype, scale, zero)
	options = (NONE, 0, 0, 0, 4) if wide else (NONE, 0, 0)
	m.add("FULLY_CONNECTED", [step, *weights(m, [8, 6], 0.0003 if wide else 0.05)], [new], *options, version=7 if wide else 4)
	m.add("FULLY_CONNECTED", [state, *weights(m, [8, 8], scale)], [old], *options, version=7 if wide else 4)
	if gated:
		gate = m.tensor([1, 8], dtype, *((2**-15, 0) if wide else (2**-8, -128)))
		m.add("LOGISTIC", [new], [gate], version=2)
		parts = [m.tensor([1, 4], dtype, scale, zero) for _ in range(2)]
		m.add("SPLIT", [m.ints(1), old], parts, 2, version=2)
		whole = m.tensor([1, 8], dtype, scale, zero)
		m.add("CONCATENATION", parts, [whole], 1, NONE) if not wide and scale > 1e-6 else None
		kept = m.tensor([1, 8], dtype, scale, zero)
		m.add("MUL", [gate, old], [kept], NONE, version=4 if wide else 2)
		old = kept
	sums = m.tensor([1, 8], dtype, *((0.001, 0) if wide else (0.07, 4)))
	m.add("ADD_INT16" if wide else "ADD", [old, new] if gated else [new, old], [sums], NONE, *((0,) if wide else ()), version=4 if wide else 2)
	y = m.tensor([1, 8], dtype, *((2**-15, 0) if wide else (2**-7, 0)))
	m.add("TANH", [sums], [y], version=3 if wide else 2)
	m.save(name, [y])


def computed_transposed(name, dtype, bias, padding, one=False):
	"""TRANSPOSE_CONV whose output's shape is computed of the batch."""
	m = Model()
	wide = dtype == "int16"
	x = m.input([1, 6, 7, 5], dtype, *((0.0003, 0) if wide else (0.05, 3)))
	shape, batch, dims = m.tensor([4], "int32"), m.tensor([], "int32"), m.tensor([4], "int32")
	m.add("SHAPE", [x], [shape], 2)
	m.add("STRIDED_SLICE", [shape, m.ints([0]), m.ints([1]), m.ints([1])], [batch], 0, 0, 0, 0, 1)
	out = [12, 14] if padding == SAME else [13, 15]
	m.add("PACK", [batch, m.ints(out[0]), m.ints(out[1]), m.ints(9)], [dims], 4, 0)
	parts = weights(m, [9, 3, 3, 5], 0.0003 if wide else 0.05, bias=1 if bias else None, dtype="int64" if wide else "int32")
	y = m.tensor([1, *out, 9], dtype, *((0.002, 0) if wide else (0.09, -7)))
	m.add("TRANSPOSE_CONV", [dims, parts[0], x, *parts[1:]], [y], padding, 2, 2, RELU if one else NONE, version=3 if not one else 4)
	m.say_open(y, [1, *out, 9], [0])
	m.save(name, [y])


def real_slopes(name, op, shape, numbers, dtype="int8", behind=()):
	"""An operator of float32 with a number for each of the last dimensions."""
	m = Model()
	x = m.input(shape, dtype, *((0.05, 3) if dtype == "int8" else (0.05, 130)))
	at, y = m.tensor(shape, "float32"), m.tensor(shape, "float32")
	m.add("DEQUANTIZE", [x], [at])
	values = m.tensor(numbers, "float32", data=np.float32(tflite.model.rng.uniform(-0.9, 1.2, numbers)))
	m.add(op, [at, values], [y], *(() if op == "PRELU" else (NONE,)))
	for more in behind:
		y, before = m.tensor(shape, "float32"), y
		m.add(more, [before], [y])
	out = m.tensor(shape, dtype, *((0.04, -6) if dtype == "int8" else (0.04, 100)))
	m.add("QUANTIZE", [y], [out])
	m.save(name, [out])


def wide_real(name, op, *options, scale=0.0002):
	"""A function of float32 between int16 and int16, of all elements that there are in three items."""
	m = Model()
	x = m.input([1, 22000], "int16", 0.0001, 0)
	m.data[0][:] = np.resize(np.arange(-32768, 32768), m.data[0].shape)
	at, y = m.tensor([1, 22000], "float32"), m.tensor([1, 22000], "float32")
	m.add("DEQUANTIZE", [x], [at], version=3)
	m.add(op, [at], [y], *options)
	out = m.tensor([1, 22000], "int16", scale, 0)
	m.add("QUANTIZE", [y], [out])
	m.save(name, [out])


def wide_moved(name):
	m = Model()
	x = m.input([1, 4, 6], "int16", 0.0001, 0)
	at, y = m.tensor([1, 4, 6], "float32"), m.tensor([1, 4, 12], "float32")
	m.add("DEQUANTIZE", [x], [at], version=3)
	m.add("TILE", [at, m.ints([1, 1, 2])], [y])
	out = m.tensor([1, 4, 12], "int8", 0.03, -5)
	m.add("QUANTIZE", [y], [out])
	m.save(name, [out])


def unsigned_shape(name):
	"""QUANTIZE that says nothing of what is open in its input, whose shape the file has wrong."""
	m = Model()
	x = m.input([1, 4, 6], "int8", 0.05, 3)
	y = m.tensor([1, 1, 3], "int8", 0.05, 3)
	m.add("RESHAPE", [x, m.ints([-1, 8, 3])], [y], None)
	m.say_open(y, [1, 1, 3], [0, 1])
	out = m.tensor([1, 1, 3], "int8", 0.07, -5)
	m.add("QUANTIZE", [y], [out])
	m.save(name, [out])


def other_reverse(name):
	m = Model()
	x = m.input([1, 4, 6], "int8", 0.05, 3)
	y = m.tensor([1, 4, 6], "int8", 0.07, -5)
	m.add("REVERSE_V2", [x, m.ints([1])], [y], version=2)
	z = m.tensor([1, 4, 6], "int8", 0.05, 9)
	m.add("QUANTIZE", [y], [z])
	m.save(name, [z])


def other_bias(name):
	"""A bias whose scales are not those that input and weights make: it is added as it is."""
	m = Model()
	x = m.input([1, 5, 6, 4], "int16", 0.0003, 0)
	y = m.tensor([1, 5, 6, 4], "int16", 0.002, 0)
	m.add("DEPTHWISE_CONV_2D", [x, *weights(m, [1, 3, 3, 4], 0.0003, axis=3, bias=2.7, dtype="int64")], [y], SAME, 1, 1, 1, NONE, 1, 1, version=6)
	m.save(name, [y])


def wide_product(name, inputs, outputs, kind):
	"""FULLY_CONNECTED of int16 with a scale for each output, and no bias, as recurrent layers have them; or with a bias's type all the same."""
	m = Model()
	x = m.input([1, inputs], "int16", 0.0005, 0)
	scales = np.float32(tflite.model.rng.uniform(0.004, 0.02, outputs))
	w = m.tensor([outputs, inputs], "int8", scales, axis=0, data=tflite.model.rng.integers(-127, 128, [outputs, inputs]).astype(np.int8))
	y = m.tensor([1, outputs], "int16", 0.013)
	m.add("FULLY_CONNECTED", [x, w], [y], NONE, 0, 0, 0, kind, version=7)
	m.save(name, [y])


def real_greatest(name, op, *options, alpha=0.3):
	"""The greatest of reals that a function made, which rises."""
	m = Model()
	x = m.input([1, 4, 6, 5], "int8", 0.05, 3)
	at, y = m.tensor([1, 4, 6, 5], "float32"), m.tensor([1, 4, 6, 5], "float32")
	m.add("DEQUANTIZE", [x], [at])
	m.add("LEAKY_RELU", [at], [y], alpha)
	shape = [1, 2, 3, 5] if op == "MAX_POOL_2D" else [1, 5]
	most = m.tensor(shape, "float32")
	m.add(op, [y] if op == "MAX_POOL_2D" else [y, m.ints([1, 2])], [most], *options)
	out = m.tensor(shape, "int8", 0.04, -5)
	m.add("QUANTIZE", [most], [out])
	m.save(name, [out])


def vanished(name, dtype, quants, constant):
	"""A product that is 0 whatever its elements are, as by the scale of a layer that was not trained."""
	m = Model()
	x = m.input([1, 5, 6, 8], dtype, *quants[0])
	if constant:
		y = m.tensor([8], dtype, *quants[1], data=tflite.model.rng.integers(0, 128, 8).astype(dtype))
	else:
		y = m.input([1, 5, 1, 8], dtype, *quants[1])
	out = m.tensor([1, 5, 6, 8], dtype, *quants[2])
	m.add("MUL", [x, y], [out], NONE, version=2)
	m.save(name, [out])


def resized(name, image, size, align, half):
	m = Model()
	x = m.input([1, *image], "int16", 0.0005, 0)
	y = m.tensor([1, *size, image[2]], "int16", 0.0005)
	m.add("RESIZE_BILINEAR", [x, m.ints(list(size))], [y], None, None, align, half, version=4)
	m.save(name, [y])


def fine_sum(name, op, shape=(1, 9, 7, 32)):
	"""ADD or SUB of int16 whose result has far finer steps than its inputs, so that it shows how these are rounded."""
	m = Model()
	x, y = m.input([1, 9, 7, 32], "int16", 0.0002, 0), m.input(shape, "int16", 0.0003, 0)
	for data in m.data:
		data >>= 6
	out = m.tensor([1, 9, 7, 32], "int16", 0.0006 / 2**7)
	m.add(op, [x, y], [out], NONE, 0, version=5 if op == "SUB" else 4)
	m.save(name, [out])


def hidden(name, op, dtype, quants, behind):
	"""A sum with a tensor whose steps are far finer than the result's."""
	m = Model()
	x = m.input([1, 64, 8] if not behind else [1, 1, 8], dtype, *quants[0])
	y = m.input([1, 64, 8], dtype, *quants[1])
	out = m.tensor([1, 64, 8], dtype, *quants[2])
	m.add(op, [x, y], [out], NONE, version=2)
	m.save(name, [out])


def in_time(name):
	"""TimeDistributed: time in front of the batch, and a step after the other taken of it."""
	m = Model()
	x = m.input([1, 4, 5, 6], "int8", 0.05, 3)
	turned = m.tensor([4, 1, 5, 6], "int8", 0.05, 3)
	m.add("TRANSPOSE", [x, m.ints([1, 0, 2, 3])], [turned], version=2)
	m.say_open(turned, [4, 1, 5, 6], [1])
	parts = []
	for i in range(4):
		part = m.tensor([1, 5, 6], "int8", 0.05, 3)
		m.add("STRIDED_SLICE", [turned, m.ints([i, 0, 0, 0]), m.ints([i + 1, 0, 0, 0]), m.ints([1, 1, 1, 1])], [part], 14, 14, 0, 0, 1, version=2)
		m.say_open(part, [1, 5, 6], [0])
		parts.append(part)
	half = [m.tensor([2, 1, 5, 6], "int8", 0.05, 3) for _ in range(2)]
	m.add("SPLIT", [m.ints(0), turned], half, 2, version=2)
	last = m.tensor([1, 1, 5, 4], "int8", 0.05, 3)
	m.add("SLICE", [turned, m.ints([2, 0, 0, 1]), m.ints([1, -1, 5, 4])], [last], version=2)
	back = m.tensor([1, 2, 5, 6], "int8", 0.05, 3)
	m.add("TRANSPOSE", [half[1], m.ints([1, 0, 2, 3])], [back], version=2)
	for tensor, shape in ((half[0], [2, 1, 5, 6]), (half[1], [2, 1, 5, 6]), (last, [1, 1, 5, 4])):
		m.say_open(tensor, shape, [1])
	m.say_open(back, [1, 2, 5, 6], [0])
	end = m.tensor([1, 1, 5, 4], "int8", 0.05, 3)
	m.add("TRANSPOSE", [last, m.ints([1, 0, 2, 3])], [end], version=2)
	m.say_open(end, [1, 1, 5, 4], [0])
	whole = m.tensor([1, 5, 6], "int8", 0.05, 3)
	m.add("SPLIT", [m.ints(0), parts[3]], [whole], 1, version=2)
	m.say_open(whole, [1, 5, 6], [0])
	m.save(name, [parts[0], parts[2], back, end, whole])


def ends(name, dtype, quants, activation=NONE, square=False):
	"""A product of which each but 0 is at an end of the output, as by a scale that was never trained."""
	m = Model()
	x = m.input([1, 5, 6, 8], dtype, *quants[0])
	y = x if square else m.input([1, 5, 6, 8], dtype, *quants[1])
	out = m.tensor([1, 5, 6, 8], dtype, *quants[2])
	m.add("MUL", [x, y], [out], activation, version=2)
	m.save(name, [out])


def sound(name, image, kernel, outputs, padding, stride=(1, 1), dilation=1, dtype="int8", activation=NONE):
	"""A convolution whose window is longer than 255."""
	m = Model()
	x = m.input([1, *image], dtype, 0.05 if dtype != "int16" else 0.0005, 3 if dtype != "int16" else 0)
	if dtype == "int8":
		w = tflite.model.weights(m, [outputs, *kernel, image[2]], 0, True, 0.05, outputs)
	else:
		shape = [outputs, *kernel, image[2]]
		zero = 120 if dtype == "uint8" else 0
		w = [m.tensor(shape, "int8" if dtype == "int16" else dtype, 0.004, zero, data=tflite.model.rng.integers(-100, 101, shape).astype("int8" if dtype == "int16" else dtype))]
		w.append(m.tensor([outputs], "int64" if dtype == "int16" else "int32", np.float32(0.004 * (0.0005 if dtype == "int16" else 0.05)),
				  data=tflite.model.rng.integers(-3000, 3000, outputs).astype("int64" if dtype == "int16" else "int32")))
	sizes = [-(-size // s) if padding == SAME else -(-(size - (k - 1) * dilation) // s) for size, k, s in zip(image, kernel, stride)]
	y = m.tensor([1, *sizes, outputs], dtype, 0.3 if dtype != "int16" else 0.002, 0 if dtype == "int16" else 100)
	m.add("CONV_2D", [x, *w], [y], padding, stride[1], stride[0], activation, dilation, dilation, version=3 if dtype != "int16" else 4)
	m.save(name, [y])


def long_pool(name, image, kernel, padding, stride, dtype="int8"):
	m = Model()
	x = m.input([1, *image], dtype, 0.05, 0 if dtype == "int16" else 3)
	sizes = [-(-size // stride) if padding == SAME else -(-(size - k + 1) // stride) for size, k in zip(image, kernel)]
	y = m.tensor([1, *sizes, image[2]], dtype, 0.05, 0 if dtype == "int16" else 3)
	m.add("MAX_POOL_2D", [x], [y], padding, stride, stride, kernel[1], kernel[0], NONE, version=2 if dtype != "int16" else 3)
	m.save(name, [y])


def truth(name, op, dtype, left=False):
	"""What is greater than a number behind a DEQUANTIZE, which is all that a SELECT knows of it."""
	m = Model()
	shape = [1, 5, 6]
	scale, zero = (0.0004, 0) if dtype == "int16" else (0.03, 4)
	x = m.input(shape, dtype, scale, zero)
	real = m.tensor(shape, "float32")
	m.add("DEQUANTIZE", [x], [real])
	number = m.tensor([], "float32", data=np.float32(0.3))
	holds = m.tensor(shape, "bool")
	m.add(op, [number, real] if left else [real, number], [holds])
	y, out = m.tensor(shape, dtype, scale, zero), m.tensor(shape, dtype, scale, zero)
	m.add("RELU", [x], [y], version=2)
	m.add("SELECT", [holds, y, x], [out])
	m.save(name, [out])


def fewer(name, op, shapes, dtype="int8"):
	"""A tensor that has fewer dimensions than what it meets, where the batch is 1 in the file."""
	m = Model()
	x, y = (m.input(shape, dtype, *grid) for shape, grid in zip(shapes, ((0.03, 4), (0.05, -3))))
	first, second = shapes if len(shapes[0]) > len(shapes[1]) else shapes[::-1]
	shape = [1, *np.broadcast_shapes(first[1:], second[1:])]
	m.add(op, [x, y], [out := m.tensor(shape, dtype, 0.07, 5)], NONE, version=2)
	m.save(name, [out])


def product(name, shapes):
	m = Model()
	x = [m.input(shape, "int8", *grid) for shape, grid in zip(shapes, ((0.03, 4), (0.05, -3)))]
	longer = max(shapes, key=len)
	m.add("BATCH_MATMUL", x, [out := m.tensor([*longer[:-2], shapes[0][-2], shapes[1][-1]], "int8", 0.3, 5)], 0, 0, 0, version=2)
	m.save(name, [out])


def apart(name, op, keep, axes, scale):
	"""A reduction of int16 over dimensions with another one between them."""
	m = Model()
	shape = [1, 4, 5, 6]
	x = m.input(shape, "int16", 0.0005, 0)
	left = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
	m.add(op, [x, m.ints(axes)], [out := m.tensor(left, "int16", scale)], keep, version=3)
	m.save(name, [out])


def write():
	with tflite.model.numbers(47):
		dilated("space_to_batch_crop", (2, 2), [[0, 3], [2, 2]], [[1, 0], [0, 0]], (3, 3), True)
		line("space_to_batch_line", False, 1)
		line("space_to_batch_line_twice", False, 2)
		line("space_to_batch_line_real", True, 1)
		line("space_to_batch_line_int16", True, 2, "int16")
		recurrent("fill_recurrent", "int8", "int8", 7.8e-9, False)
		recurrent("fill_recurrent_u8", "uint8", "int8", 7.8e-9, False)
		recurrent("fill_recurrent_real", "float32", "int8", 3.9e-12, False)
		recurrent("fill_recurrent_gated", "int8", "int8", 7.8e-9, True)
		recurrent("fill_recurrent_coarse", "int8", "int8", 0.02, True)
		recurrent("fill_recurrent_int16", "int16", "int16", 3.6e-43, False)
		recurrent("fill_recurrent_int16_gated", "int16", "int16", 3.6e-43, True)
		computed_transposed("transpose_conv_computed", "int8", True, SAME)
		computed_transposed("transpose_conv_computed_valid", "int8", False, VALID)
		computed_transposed("transpose_conv_computed_int16", "int16", False, SAME)
		real_slopes("real_prelu", "PRELU", [1, 4, 5, 6], [1, 1, 6])
		real_slopes("real_prelu_u8", "PRELU", [1, 4, 5, 6], [6], "uint8")
		real_slopes("real_prelu_elements", "PRELU", [1, 4, 5], [4, 5], behind=("TANH",))
		real_slopes("real_mul_channels", "MUL", [1, 4, 5], [5], behind=("NEG", "LOGISTIC"))
		wide_real("real_hard_swish_int16", "HARD_SWISH")
		wide_real("real_leaky_relu_int16", "LEAKY_RELU", 0.3)
		wide_real("real_square_int16", "SQUARE", scale=0.0004)
		wide_moved("real_tile_int16")
		unsigned_shape("quantize_open")
		other_reverse("reverse_other")
		other_bias("depthwise_int16_bias")
		wide_product("fully_connected_int16_scales_no_bias", 60, 1500, None)
		wide_product("fully_connected_int16_scales_bias_type", 60, 1500, 4)
		vanished("mul_vanished", "int8", ((0.03, 4), (1e-8, -128), (0.02, 5)), True)
		vanished("mul_vanished_u8", "uint8", ((0.03, 4), (0.00001, 3), (0.06, 250)), False)
		in_time("strided_slice_time")
		hidden("add_hidden", "ADD", "int8", ((0.03, 4), (2e-8, -7), (0.031, 5)), False)
		hidden("sub_hidden", "SUB", "uint8", ((3e-8, 100), (0.03, 120), (0.031, 110)), True)
		resized("resize_bilinear_int16", (5, 7, 3), (10, 9), 0, 0)
		resized("resize_bilinear_int16_align", (5, 7, 3), (10, 18), 1, 0)
		resized("resize_bilinear_int16_half", (5, 7, 3), (13, 14), 0, 1)
		resized("resize_bilinear_int16_twice", (6, 4, 40), (12, 8), 0, 1)
		resized("resize_bilinear_int16_smaller", (11, 9, 5), (4, 5), 0, 1)
		real_greatest("real_leaky_relu_reduce_max", "REDUCE_MAX", False)
		real_greatest("real_leaky_relu_reduce_min", "REDUCE_MIN", False)
		real_greatest("real_leaky_relu_max_pool", "MAX_POOL_2D", VALID, 2, 2, 2, 2, NONE)
		fine_sum("add_int16_fine", "ADD_INT16")
		fine_sum("sub_int16_fine", "SUB")
		fine_sum("add_int16_fine_last", "ADD_INT16", (1, 1, 1, 32))
		ends("mul_ends", "int8", ((0.03, 4), (0.5, -11), (1e-5, 0)))
		ends("mul_ends_u8", "uint8", ((0.03, 4), (0.02, 131), (2e-6, 0)), RELU)
		ends("mul_ends_square", "int8", ((0.5, 4), (0.5, 4), (9e-4, -128)), square=True)
		sound("conv_sound", (1, 900, 1), (1, 512), 6, VALID, (1, 160))
		sound("conv_sound_same", (1, 700, 3), (1, 301), 5, SAME, (1, 7), activation=RELU)
		sound("conv_sound_high", (520, 2, 2), (256, 2), 4, VALID)
		sound("conv_sound_dilated", (1, 1200, 1), (1, 300), 4, VALID, (1, 9), dilation=3)
		sound("conv_sound_u8", (1, 600, 2), (1, 270), 4, SAME, (1, 5), dtype="uint8")
		sound("conv_sound_int16", (1, 600, 2), (1, 270), 4, VALID, (1, 5), dtype="int16")
		long_pool("max_pool_long", (1, 900, 3), (1, 512), VALID, 64)
		long_pool("max_pool_long_same", (300, 4, 5), (256, 2), SAME, 3)
		long_pool("max_pool_long_u8", (1, 800, 2), (1, 767), SAME, 5, "uint8")
		for op in ("GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"):
			truth(f"real_{op.lower()}", op, "int8")
		truth("real_greater_left", "GREATER", "int8", True)
		truth("real_greater_int16", "GREATER", "int16")
		fewer("add_fewer", "ADD", ([1, 4, 1, 5], [1, 3, 5]))
		fewer("mul_fewer", "MUL", ([1, 5], [1, 3, 4, 5]))
		fewer("sub_fewer_batch", "SUB", ([1, 5], [1]))
		product("batch_matmul_fewer", ([1, 3, 4], [1, 2, 4, 5]))
		product("batch_matmul_fewer_right", ([1, 6, 3, 4], [1, 4, 2]))
		apart("mean_int16_apart", "MEAN", 0, [1, 3], 0.0004)
		apart("mean_int16_apart_keep", "MEAN", 1, [1, 3], 0.0002)
		apart("reduce_max_int16_apart", "REDUCE_MAX", 0, [1, 3], 0.0005)
