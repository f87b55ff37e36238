# SPDX-License-Identifier: MIT
"""TensorFlow Lite's operators with weights or windows, and those whose results come from many elements each, with random options, for
graphs.py. Each takes the graph and a value, and returns the result; None where there can be none of it."""
import math

import numpy as np

from tflite.model import SAME, VALID


def window_sizes(sizes, kernel, stride, dilation, padding):
	return [-(-size // s) if padding == SAME else -(-(size - (k - 1) * d) // s) for size, k, s, d in zip(sizes, kernel, stride, dilation)]


def place_window(g, v, kernel, may_dilate=True):
	"""Padding, strides and dilations, and the height and width of what comes of it."""
	padding = g.d.pick([VALID, SAME])
	stride = [g.d.pick([1, 2, 3], [5, 3, 1]) for _ in range(2)]
	if g.d.chance(2):
		stride[1] = stride[0]
	dilation = [g.d.pick([1, 2, 3], [6, 2, 1]) for _ in range(2)] if may_dilate else [1, 1]
	if dilation != [1, 1] and not g.d.chance(10):
		stride = [1, 1]
	sizes = window_sizes(v.shape[1:3], kernel, stride, dilation, padding)
	if min(sizes) < 1:
		padding = SAME
		sizes = window_sizes(v.shape[1:3], kernel, stride, dilation, padding)
	# XNNPACK 2.9 pads by a negative number then, and computes garbage.
	if may_dilate and padding == SAME and kernel != [1, 1] and any((n - 1) * s + (k - 1) * d + 1 < size
								       for n, s, k, d, size in zip(sizes, stride, kernel, dilation, v.shape[1:3])):
		stride, sizes = [1, 1], v.shape[1:3]
	return padding, stride, dilation, sizes


def weights(g, v, shape, outputs, axis, inputs, with_bias=True, may_be_each=True):
	"""Of 8 bits, as the input is, and the bias; and a scale for the output that suits them."""
	each = may_be_each and g.d.chance(2)
	g.tag("weights", "scales", "each" if each else "one")
	scales = np.float32(g.rng.uniform(0.002, 0.02, outputs if each else 1))
	low = -127 if not g.d.chance(10) else -128
	data = g.rng.integers(low, 128, shape)
	if v.dtype == "uint8":
		# The twin has zero point 0, and the products are the same.
		zero = g.d.pick([128, 120, 131])
		data = np.clip(data, -zero, 255 - zero)
		at = g.tensor(shape, "uint8", scales, zero, (data + zero).astype(np.uint8), axis if each else None, np.clip(data, -128, 127).astype(np.int8), 0)
	else:
		at = g.tensor(shape, "int8", scales, 0, data.astype(np.int8), axis if each else None)
	names = [v.at, at]
	if with_bias:
		wide = v.dtype == "int16"
		bias = g.rng.integers(-3000, 3000, outputs) * (g.d.pick([1, 40]) if wide else 1)
		names.append(g.tensor([outputs], "int64" if wide else "int32", scales * v.scale, 0, bias.astype(np.int64 if wide else np.int32)))
	hint = float(v.scale) * float(np.mean(scales)) * math.sqrt(inputs) * 40 * (1 if v.dtype != "int16" else 1)
	return names, hint * g.d.pick([1, 0.31, 2.7, 0.011, 90], [10, 3, 3, 1, 1])


def out_quant(g, v, hint):
	return np.float32(hint * (1 if v.dtype != "int16" else 0.9)), g.zero(v.dtype)


def kernel_size(g, most=4):
	return [g.d.pick([1, 3, 2, 4, 5][:most + 1]) for _ in range(2)]


def conv(g, v):
	kernel, channels = kernel_size(g), v.shape[3]
	group = g.d.pick([n for n in (1, 2, 3) if channels % n == 0], [40, 1, 1][:sum(channels % n == 0 for n in (1, 2, 3))]) if v.dtype != "int16" else 1
	outputs = group * g.d.pick([4, 1, 2, 3, 7, 17, 33], [4, 2, 2, 2, 2, 1, 1])
	padding, stride, dilation, sizes = place_window(g, v, kernel)
	names, hint = weights(g, v, [outputs, *kernel, channels // group], outputs, 0, kernel[0] * kernel[1] * channels // group, not g.d.chance(40))
	g.tag("CONV_2D", "groups", group)
	return g.result("CONV_2D", names, [v.shape[0], *sizes, outputs], v.dtype, *out_quant(g, v, hint), padding=padding, stride_w=stride[1], stride_h=stride[0],
			fused_activation_function=g.activation("CONV_2D", v.dtype), dilation_w_factor=dilation[1], dilation_h_factor=dilation[0],
			quantized_bias_type=0)


def depthwise(g, v):
	kernel, times = kernel_size(g), g.d.pick([1, 2, 3], [5, 1, 1])
	outputs = v.shape[3] * times
	padding, stride, dilation, sizes = place_window(g, v, kernel)
	names, hint = weights(g, v, [1, *kernel, outputs], outputs, 3, kernel[0] * kernel[1], not g.d.chance(8))
	return g.result("DEPTHWISE_CONV_2D", names, [v.shape[0], *sizes, outputs], v.dtype, *out_quant(g, v, hint), padding=padding, stride_w=stride[1],
			stride_h=stride[0], depth_multiplier=times, fused_activation_function=g.activation("DEPTHWISE_CONV_2D", v.dtype),
			dilation_w_factor=dilation[1], dilation_h_factor=dilation[0])


def padded_conv(g, v):
	"""PAD in front of a convolution, which becomes its own."""
	more = [[0, 0], *[[g.d.between(0, 2) for _ in range(2)] for _ in range(2)], [0, 0]]
	shape = [d + a + b for d, (a, b) in zip(v.shape, more)]
	return g.d.pick([conv, depthwise])(g, g.like("PAD", v, shape, [g.ints(more)]))


def blocks(g, v):
	"""A dilated convolution as converters write it."""
	block, kernel = [g.d.between(1, 3) for _ in range(2)], [g.d.between(1, 3) for _ in range(2)]
	paddings, crops, moved, sizes = [], [], [], []
	for size, b, k in zip(v.shape[1:3], block, kernel):
		before = g.d.between(0, 2)
		after = g.d.between(0, 2)
		while (size + before + after) % b or (size + before + after) // b < k:
			after += 1
		windows = ((size + before + after) // b - k + 1) * b
		crop = [0, min(g.d.between(0, after), windows - 1)]
		paddings.append([before, after])
		crops.append(crop)
		moved.append((size + before + after) // b)
		sizes.append(windows - crop[1])
	rows = v.shape[0] * block[0] * block[1]
	x = g.like("SPACE_TO_BATCH_ND", v, [rows, *moved, v.shape[3]], [g.ints(block), g.ints(paddings)])
	each = g.d.chance(2)
	outputs = v.shape[3] if each else g.d.pick([4, 2, 9])
	inner = [m - k + 1 for m, k in zip(moved, kernel)]
	shape = [1, *kernel, outputs] if each else [outputs, *kernel, v.shape[3]]
	names, hint = weights(g, x, shape, outputs, 3 if each else 0, kernel[0] * kernel[1] * (1 if each else v.shape[3]))
	op = "DEPTHWISE_CONV_2D" if each else "CONV_2D"
	options = {"padding": VALID, "stride_w": 1, "stride_h": 1, "fused_activation_function": g.activation(op, v.dtype), "dilation_w_factor": 1, "dilation_h_factor": 1}
	if each:
		options["depth_multiplier"] = 1
	y = g.result(op, names, [rows, *inner, outputs], v.dtype, *out_quant(g, v, hint), **options)
	return g.like("BATCH_TO_SPACE_ND", y, [v.shape[0], *sizes, outputs], [g.ints(block), g.ints(crops)])


def transpose_conv(g, v):
	kernel, outputs = kernel_size(g, 3), g.d.pick([3, 1, 2, 8, 17])
	padding, stride = g.d.pick([VALID, SAME]), [g.d.between(1, 3) for _ in range(2)]
	sizes = []
	for size, k, s in zip(v.shape[1:3], kernel, stride):
		least = (size - 1) * s + (k if padding == VALID else 1)
		sizes.append(least + g.d.below(s))
	shape = [v.shape[0], *sizes, outputs]
	names, hint = weights(g, v, [outputs, *kernel, v.shape[3]], outputs, 0, kernel[0] * kernel[1] * v.shape[3], g.d.chance(2), v.dtype != "uint8" or g.d.chance(2))
	activation = g.activation("TRANSPOSE_CONV", v.dtype)
	at = len(g.m.operators)
	y = g.result("TRANSPOSE_CONV", [g.ints(shape), names[1], v.at, *names[2:]], shape, v.dtype, *out_quant(g, v, hint), padding=padding, stride_w=stride[1],
		     stride_h=stride[0], fused_activation_function=activation)
	if activation:
		g.clamps[at] = y.at, {1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6"}[activation]
	return y


def fully_connected(g, v):
	inner = v.shape[-1]
	keep = g.d.below(2) if len(v.shape) > 1 else 0
	rows = v.shape[:-1] if keep else [int(np.prod(v.shape[:-1], dtype=int))]
	if not keep and len(v.shape) > 2:
		inner = int(np.prod(v.shape[1:]))
		rows = [v.shape[0]]
		if inner > 400:
			return None
	outputs = g.d.pick([4, 1, 2, 7, 10, 33])
	names, hint = weights(g, v, [outputs, inner], outputs, 0, inner, not g.d.chance(4), False)
	return g.result("FULLY_CONNECTED", names, [*rows, outputs], v.dtype, *out_quant(g, v, hint), fused_activation_function=g.activation("FULLY_CONNECTED", v.dtype),
			weights_format=0, keep_num_dims=keep, asymmetric_quantize_inputs=g.d.below(2), quantized_bias_type=0)


def pool(op):
	def make(g, v):
		kernel = kernel_size(g)
		if g.d.chance(6):
			kernel = v.shape[1:3]
		padding, stride, _, sizes = place_window(g, v, kernel, False)
		return g.like(op, v, [v.shape[0], *sizes, v.shape[3]], padding=padding, stride_w=stride[1], stride_h=stride[0], filter_width=kernel[1],
			      filter_height=kernel[0], fused_activation_function=g.activation(op, "int8"))
	return make


def resize(op):
	def make(g, v):
		size = [g.d.pick([d, 2 * d, d + 1, max(1, d // 2), 1, 3 * d - 2 or 1]) for d in v.shape[1:3]]
		mode = g.d.pick([(0, 0), (1, 0), (0, 1)])
		options = {"align_corners": mode[0], "half_pixel_centers": mode[1]}
		if op == "RESIZE_BILINEAR" and g.d.chance(4):
			options |= {"new_height": size[0], "new_width": size[1]}
		return g.like(op, v, [v.shape[0], *size, v.shape[3]], [g.ints(size)], **options)
	return make


def reduce(op):
	def make(g, v):
		rank = len(v.shape)
		axes = sorted(set(g.d.between(1, rank - 1) for _ in range(g.d.pick([1, 2, 3])))) if not g.d.chance(3) or rank != 4 else [1, 2]
		if v.dtype == "int16" and not g.d.chance(8):
			axes = list(range(axes[0], axes[0] + len(axes))) if axes[0] + len(axes) <= rank else axes[:1]
		if g.d.chance(40):
			axes = [0, *axes]
		keep = g.d.below(2)
		shape = [1 if i in axes else d for i, d in enumerate(v.shape) if i not in axes or keep]
		if not shape:
			return None
		if op == "MEAN" and v.dtype == "uint8" and rank == 4 and axes == [1, 2]:
			return None  # XNNPACK's, which the library has for int8 only: tflite/bytes.py
		given = [a - rank if g.d.chance(4) else a for a in axes]
		if g.d.chance(4):
			given.reverse()
		numbers = g.ints(given) if len(given) > 1 or not g.d.chance(3) else g.ints(given[0])
		quant = (v.scale, v.zero)
		if op == "SUM":
			quant = g.scale(float(v.scale) * g.d.pick([4, 1, 16, 0.3])), g.zero(v.dtype)
		if op == "MEAN" and g.d.chance(2):
			quant = g.scale(float(v.scale)), g.zero(v.dtype)
		return g.result(op, [v, numbers], shape, v.dtype, *quant, keep_dims=keep)
	return make


def softmax(g, v):
	low = {"uint8": 0, "int16": 0, "int8": -128}[v.dtype]
	return g.result("SOFTMAX", [v], v.shape, v.dtype, np.float32(1 / 256 if v.dtype != "int16" else 1 / 32768), low, beta=g.d.pick([1.0, 0.7, 2.5, 0.0], [6, 2, 2, 1]))




def log_softmax(g, v):
	return g.result("LOG_SOFTMAX", [v], v.shape, v.dtype, np.float32(1 / 16), 127 if v.dtype == "int8" else 255)


def arg(op):
	"""Indices, of int32 or int64, which nobody reads."""
	def make(g, v):
		axis = g.d.between(1, len(v.shape) - 1)
		shape = v.shape[:axis] + v.shape[axis + 1:]
		number = axis - len(v.shape) if g.d.chance(3) else axis
		kind = g.d.pick([2, 4]) if all(e.dtype != "int64" for e in g.values) else 2
		y = g.new(shape, "int32" if kind == 2 else "int64", None, 0)
		g.add(op, [v, g.ints([number] if g.d.chance(2) else number)], [y], output_type=kind)
		return v
	return make


def batch_matmul(g, v):
	"""Of two tensors, or of one and a constant, on either side, each turned or not."""
	if len(v.shape) < 3:
		return None
	inner, columns = v.shape[-1], g.d.between(1, 6)
	left = g.d.chance(3)
	turned = [g.d.below(2), g.d.below(2)]
	if left:  # v is on the right
		rows = v.shape[-1] if turned[1] else v.shape[-2]
		matrix = [columns, rows][::-1 if turned[0] else 1]
		ends = [columns, v.shape[-2] if turned[1] else v.shape[-1]]
		inner = rows
	else:
		inner = v.shape[-2] if turned[0] else v.shape[-1]
		matrix = [inner, columns][::-1 if turned[1] else 1]
		ends = [v.shape[-1] if turned[0] else v.shape[-2], columns]
	batch = [d if not g.d.chance(4) else 1 for d in v.shape[:-2]]
	scale, zero = g.scale(0.02), g.zero(v.dtype)
	if g.d.chance(2):
		g.tag("BATCH_MATMUL", "operand", "constant")
		other = g.constant([*[1 for _ in batch][:1], *batch[1:], *matrix] if not g.d.chance(2) else matrix, v.dtype, scale, zero)
	else:
		g.tag("BATCH_MATMUL", "operand", "input")
		other = g.input([v.shape[0], *batch[1:], *matrix], v.dtype, scale, zero)
	hint = float(v.scale) * float(scale) * math.sqrt(inner) * 60
	return g.result("BATCH_MATMUL", [other, v] if left else [v, other], [*v.shape[:-2], *ends], v.dtype, *out_quant(g, v, hint), adj_x=turned[0], adj_y=turned[1],
			asymmetric_quantize_inputs=g.d.below(2))
