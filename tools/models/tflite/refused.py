# SPDX-License-Identifier: MIT
"""Models of write.py that are broken in one thing: files, tensors, options, and operators that move or have windows."""
import numpy as np

from tflite import flatbuffer as fb
import tflite.model
from tflite.model import NONE, SAME, Model, refused


def relu():
	"""A model to break: its input is tensor 0, its output tensor 1."""
	m = Model()
	x = m.input([1, 6, 5, 4], "int8", 0.05, 3)
	m.add("RELU", [x], [m.tensor([1, 6, 5, 4], "int8", 0.05, 3)], version=2)
	return m


def small_conv():
	"""Another: weights are tensor 1, the bias is 2, the output 3."""
	m = Model()
	x = m.input([1, 6, 5, 4], "int8", 0.05, 3)
	w = [m.tensor([8, 3, 3, 4], "int8", 0.02, data=tflite.model.rng.integers(-127, 128, [8, 3, 3, 4]).astype(np.int8)),
	     m.tensor([8], "int32", np.float32(0.05) * np.float32(0.02), data=np.arange(8, dtype=np.int32))]
	m.add("CONV_2D", [x, *w], [m.tensor([1, 6, 5, 8], "int8", 0.06, -7)], SAME, 1, 1, NONE, 1, 1, version=3)
	return m


def change(m, field, value, tensor=None, operator=None, option=None):
	"""Of a tensor, of an operator, or of its options."""
	if option is not None:
		m.operators[operator][4][1][option] = value
	else:
		(m.operators[operator] if tensor is None else m.tensors[tensor])[field] = value
	return m


def quantized(scales, zero_points, axis=0, more=None):
	return fb.table({2: fb.vector("f", scales), 3: fb.vector("q", zero_points), 6: fb.i32(axis), **(more or {})})


def moves(op, shape, out, ints, *options):
	"""A model to refuse, of an operator that moves; `ints` are those of its further inputs."""
	m = Model()
	x = m.input(shape, "int8", 0.05, 3)
	m.add(op, [x, *(m.ints(values) for values in ints)], [m.tensor(out, "int8", 0.05, 3)], *options)
	return m


def outside(offset, size, data=None):
	"""Weights of 288 bytes that lie behind the tables, as a file of more than 2 GB has them."""
	m = small_conv()
	m.buffers[1] = {0: data and fb.raw(data), 1: fb.u64(offset), 2: fb.u64(size)}
	return m


def refuse_outside():
	for name, offset, size, data in (("begins_behind", 1 << 20, 288, None), ("ends_behind", 16, 1 << 20, None), ("wraps", 2**64 - 16, 288, None), ("is_endless", 16, 2**64 - 16, None),
					 ("is_twice", 16, 288, bytes(288))):
		refused(f"outside_{name}", "the file ends before tensor", outside(offset, size, data))
	refused("outside_size", "bytes, which is not what its shape says", outside(16, 287))


def refuse_more():
	refused("tensor_below", "refers to tensor -2 of 2", change(relu(), 1, fb.vector("i", [-2]), operator=0))
	refused("output_left_out", "refers to tensor -1 of 2", change(relu(), 2, fb.vector("i", [-1]), operator=0))
	refused("tensor_behind", "refers to tensor 2 of 2", change(relu(), 1, fb.vector("i", [2]), operator=0))
	for name, dims, seen in (("squeeze_of_more", [1], 1), ("squeeze_rank", [4], 4), ("squeeze_below", [-5], -1)):
		refused(name, f"it takes away dimension {seen}, which is the batch, or not 1", moves("SQUEEZE", [1, 6, 1, 4], [1, 6, 4], [], dims))
	refused("squeeze_batch", "the dimensions that are left", moves("SQUEEZE", [1, 6, 1, 4], [1, 6, 4], [], [0]))
	refused("squeeze_order", "the dimensions that are left", moves("SQUEEZE", [1, 6, 1, 4], [1, 4, 6], [], [2]))
	refused("squeeze_rows", "it takes away dimension 0, which is the batch, or not 1", moves("SQUEEZE", [2, 6, 1, 4], [6, 1, 4], [], [0]))
	refused("squeeze_output", "the dimensions that are left", moves("SQUEEZE", [1, 6, 1, 4], [1, 6, 1, 4], [], [2]))
	for name, axis in (("expand_dims_batch", 0), ("expand_dims_far", 4), ("expand_dims_below", -4)):
		refused(name, "where nnloop has the batch", moves("EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], [axis]))
	refused("expand_dims_elsewhere", "where its output has none", moves("EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], [1]))
	refused("expand_dims_axes", "it has not one axis", moves("EXPAND_DIMS", [1, 6, 4], [1, 6, 1, 4], [[2, 2]]))
	refused("slice_batch", "a part of dimension 0, which is the batch", moves("SLICE", [1, 6, 4], [1, 6, 4], [[1, 0, 0], [-1, 6, 4]]))
	refused("slice_rows", "a part of dimension 0, which is the batch", moves("SLICE", [1, 6, 4], [1, 6, 4], [[0, 0, 0], [2, 6, 4]]))
	for axis, count, name in ((0, 2, "batch"), (3, 2, "far"), (-4, 2, "below"), (1, 4, "uneven")):
		m = Model()
		x = m.input([1, 6, 4], "int8", 0.05, 3)
		y = [m.tensor([1, 6, 4], "int8", 0.05, 3) for _ in range(count)]
		m.add("SPLIT", [m.ints(axis), x], y, count)
		refused(f"split_{name}", "which is the batch, none, or no multiple", m, y)
	m = Model()
	x = m.input([1, 6, 4], "int8", 0.05, 3)
	y = [m.tensor([1, 3, 4], "int8", 0.05, 3) for _ in range(2)]
	m.add("SPLIT", [m.ints(1), x], y, 3)
	refused("split_count", "other outputs than num_splits", m, y)
	for name, field, value in (("stride_h", 2, 256), ("dilation_h_factor", 5, 256), ("dilation_w_factor", 4, 0)):
		refused(name, f"option {name} is {value}", change(small_conv(), 0, fb.i32(value), operator=0, option=field))
	for name, field, value in (("filter_width", 3, 65536), ("filter_height", 4, 0), ("pool_padding", 0, -1)):
		m = Model()
		m.add("MAX_POOL_2D", [m.input([1, 6, 5, 4], "int8", 0.05, 3)], [m.tensor([1, 6, 5, 4], "int8", 0.05, 3)], SAME, 1, 1, 1, 1, NONE, version=2)
		refused(name, f"is {value}", change(m, 0, (fb.i8 if field == 0 else fb.i32)(value), operator=0, option=field))


def refuse_files():
	refused("version", "is of version 2 of the format", relu(), version=2)
	refused("no_outputs", "has no outputs", relu(), [])
	refused("made_twice", "is made twice", change(relu(), 2, fb.vector("i", [0]), operator=0))
	m = relu()
	m.tensor([1, 6, 5, 4], "int8", 0.05, 3)
	refused("output_of_nothing", "nothing makes it", m)
	refused("input_later", "comes later, or by none", change(relu(), 1, fb.vector("i", [1]), operator=0))
	refused("input_left_out", "input 0 is left out", change(relu(), 1, fb.vector("i", [-1]), operator=0))
	refused("inputs", "2 inputs and 1 outputs; 1 to 1 and 1 make sense", change(relu(), 1, fb.vector("i", [0, 0]), operator=0))
	refused("tensor_index", "refers to tensor 7 of 2", change(relu(), 1, fb.vector("i", [7]), operator=0))
	refused("code_index", "of kind 3, and the model has 1", change(relu(), 0, fb.u32(3), operator=0))
	refused("buffer_index", "has buffer 9 of 1", change(relu(), 2, fb.u32(9), tensor=1))
	m = relu()
	m.codes[0] = {0: fb.i8(27), 3: fb.i32(27)}
	refused("operator", "node SVDF that makes", m)
	m = relu()
	m.codes[0] = {0: fb.i8(32), 1: fb.string("Own"), 3: fb.i32(32)}
	refused("custom_operator", "node Own that makes", m)
	m = relu()
	m.codes[0] = {0: fb.i8(19), 2: fb.i32(4)}
	refused("operator_version", "of version 4, and nnloop knows 1 to 3", m)
	m = relu()
	m.codes[0] = {0: fb.i8(19), 3: fb.i32(21)}
	refused("two_codes", "both of kind 19 and 21", m)
	m = relu()
	m.repeat = 300
	refused("same_bytes", "over and over", change(m, 1, fb.vector("i", [0] * 3000), operator=0))


def refuse_tensors():
	refused("rank", "has 9 dimensions", change(relu(), 0, fb.vector("i", [1] * 9), tensor=0))
	refused("scalar", "is a single number", change(relu(), 0, fb.vector("i", []), tensor=0))
	refused("negative_dimension", "dimension 2 of tensor \"x0\" is -5", change(relu(), 0, fb.vector("i", [1, 6, -5, 4]), tensor=0))
	refused("unknown_dimension", "dimension 1 of tensor \"x0\" is 6, and 7 in its shape_signature", change(relu(), 7, fb.vector("i", [-1, 7, 5, 4]), tensor=0))
	refused("signature", "and 2 in its shape_signature", change(relu(), 7, fb.vector("i", [-1, 6]), tensor=0))
	refused("shape", "the file says Nx6x5x5", change(relu(), 0, fb.vector("i", [1, 6, 5, 5]), tensor=1))
	refused("elements", "bytes, which is not what its shape says", change(small_conv(), 0, fb.vector("i", [8, 3, 3, 5]), tensor=1))
	refused("variable", "keeps its elements from one run", change(relu(), 5, fb.u8(1), tensor=0))
	refused("sparse", "as a sparse one", change(small_conv(), 6, fb.table({}), tensor=1))
	refused("external", "is in another file", change(small_conv(), 10, fb.u32(1), tensor=1))
	refused("float", "it makes int8 of float32", change(relu(), 1, fb.i8(0), tensor=0))
	refused("int16", "of int16, which needs a scale, and zero point 0", change(relu(), 1, fb.i8(7), tensor=0))
	refused("complex", "is of complex64", change(relu(), 1, fb.i8(8), tensor=0))
	refused("type", "a type that nnloop does not know", change(relu(), 1, fb.i8(77), tensor=0))
	refused("no_scale", "without a scale", change(relu(), 4, None, tensor=0))
	refused("no_output_scale", "its output has no scale", change(relu(), 4, None, tensor=1))
	refused("scale", "its scale is -1", change(relu(), 4, quantized([-1.0], [0]), tensor=0))
	refused("zero_point", "zero point 4294967299", change(relu(), 4, quantized([0.05], [2**32 + 3]), tensor=0))
	refused("zero_point_of_type", "zero point", change(relu(), 4, quantized([0.05], [200]), tensor=0))
	refused("zero_points", "1 scales and 2 zero points", change(relu(), 4, quantized([0.05], [1, 2]), tensor=0))
	refused("scales_of_input", "one scale for each index", change(relu(), 4, quantized([0.05] * 4, [3] * 4, 3), tensor=0))
	refused("quantized_dimension", "quantized_dimension 3", change(small_conv(), 4, quantized([0.001] * 8, [0] * 8, 3), tensor=2))
	refused("scales_of_inputs", "for each index of dimension 3, not 0", change(small_conv(), 4, quantized([0.02] * 4, [0] * 4, 3), tensor=1))
	refused("scale_count", "it has 5 scales for dimension 0, which is 8", change(small_conv(), 4, quantized([0.02] * 5, [0] * 5), tensor=1))
	refused("other_quantization", "in a way that nnloop does not know", change(relu(), 4, quantized([0.05], [3], 0, {4: fb.u8(1)}), tensor=0))
	refused("bias_scale", "of its bias has scale", change(small_conv(), 4, quantized([0.5], [0]), tensor=2))
	refused("weights_type", "its weights are of int32", change(change(small_conv(), 1, fb.i8(2), tensor=1), 0, fb.vector("i", [2, 3, 3, 4]), tensor=1))
	refused("weights_computed", "is no constant", change(small_conv(), 2, fb.u32(0), tensor=1))


def refuse_options():
	refused("stride", "option stride_w is 300", change(small_conv(), 0, fb.i32(300), operator=0, option=1))
	refused("no_stride", "option stride_w is 0", change(small_conv(), 0, None, operator=0, option=1))
	refused("padding", "option padding is 2", change(small_conv(), 0, fb.i8(2), operator=0, option=0))
	refused("activation", "option fused_activation_function is 4", change(small_conv(), 0, fb.i8(4), operator=0, option=3))
	refused("unknown_option", "an option, field 9,", change(small_conv(), 0, fb.i8(1), operator=0, option=9))
	refused("other_options", "those of another operator", change(small_conv(), 3, fb.u8(2), operator=0))
	refused("custom_options", "no fields for", change(small_conv(), 5, fb.raw(b"x"), operator=0))
	refused("state", "carries state", change(small_conv(), 7, fb.vector("B", [0, 1, 0]), operator=0))
	m = Model()
	m.add("LEAKY_RELU", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int8", 0.05, 3)], float("nan"), version=2)
	refused("alpha", "alpha is not a finite number", m)
	m = Model()
	m.add("SQUEEZE", [m.input([1, 1, 6], "int8", 0.05, 3)], [m.tensor([6], "int8", 0.05, 3)], [])
	refused("squeeze", "the batch may be 1", m)
	m = Model()
	m.add("TRANSPOSE", [m.input([2, 1, 6], "int8", 0.05, 3), m.ints([1, 0, 2])], [m.tensor([1, 2, 6], "int8", 0.05, 3)])
	refused("transpose", "moves dimension 0", m)
	m = Model()
	m.inputs = [m.tensor([2, 4, 6], "int8", 0.05, 3, varies=True)]
	m.add("RESHAPE", [*m.inputs, m.ints([8, 6])], [m.tensor([8, 6], "int8", 0.05, 3)])
	refused("reshape", "the first dimension is the batch", m)
	m = Model()
	m.add("RESHAPE", [m.input([1, 4, 6], "int8", 0.05, 3), m.ints([1, 12])], [m.tensor([1, 24], "int8", 0.05, 3)])
	refused("reshape_to", "makes dimension 1 12, and that of its output is 24", m)
	m = Model()
	m.add("CONCATENATION", [m.input([1, 4], "int8", 0.05, 3), m.input([1, 4], "int8", 0.06, 3)], [m.tensor([1, 8], "int8", 0.05, 3)], 1, NONE)
	refused("concatenation", "TensorFlow Lite has no CONCATENATION of int8 that rescales", m)
