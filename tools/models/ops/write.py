#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/ops/: one tiny ONNX model per operator form that importers meet, with random inputs. They go where the archives
are unpacked, and from there into the archives (common/archive.py).

Each model NAME.onnx has inputs NAME.in0.npy, ...; golden.sh runs onnxruntime/golden.mjs on all. `exact` forms are those where
integer arithmetic is the definition; their golden output comes from ONNX Runtime's integer kernels (level all), the
others' from the unoptimized graph (level disabled). levels.txt says which is which. The loop models are nodes of domain
org.nnloop (docs/reader.md) whose bodies ONNX Runtime runs without a loop.
"""
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
from onnx import TensorProto, helper

from common import archive
import ops.apart
import ops.blocks
import ops.boxes
import ops.chains
import ops.control
import ops.ends
import ops.integers
import ops.linear
import ops.known
import ops.lines
import ops.loops
import ops.model
import ops.moves
import ops.normal
import ops.picks
import ops.products
import ops.reals
import ops.recurrent
import ops.regions
import ops.old
import ops.two
import ops.whole
import ops.wide
from ops.model import OUT, Model, levels


def conv(name, doc, dtype=np.uint8, zx=121, zy=97, cin=5, cout=7, size=(11, 9), k=3, group=1, per_channel=True, bias=True,
	 act=None, wtype=np.int8, wzero=0, **attrs):
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.input((3, cin, *size), dtype, 0.043, zx + offset)
	sw = ops.model.rng.uniform(0.004, 0.02, cout).astype(np.float32) if per_channel else np.float32(0.0113)
	axis = 0 if per_channel else None
	inputs = [m.real(x), m.weight("w", (cout, cin // group, k, k), sw, wtype, wzero, axis)]
	if bias:
		inputs.append(m.bias(cout, 0.043, sw, axis))
	value = m.node("Conv", inputs, "sum", group=group, **attrs)
	if act == "Relu":
		value = m.node("Relu", [value], "act")
	if act == "Clip":
		value = m.node("Clip", [value, m.const("low", np.float32(0)), m.const("high", np.float32(6))], "act")
	m.save(name, m.output(value, ["N", cout, "OH", "OW"], dtype, 0.11 if act != "Clip" else 0.03, zy + offset), doc, exact=True)


def conv_transpose(name, doc, dtype=np.uint8, cin=5, cout=7, size=(5, 6), k=(3, 3), group=1, per_channel=False, bias=True, relu=False,
		   wtype=np.int8, wzero=0, opset=None, **attrs):
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.input((3, cin, *size), dtype, 0.043, 121 + offset)
	sw = ops.model.rng.uniform(0.004, 0.02, cout).astype(np.float32) if per_channel else np.float32(0.0113)
	inputs = [m.real(x), m.weight("w", (cin, cout // group, *k), sw, wtype, wzero, 1 if per_channel else None)]
	if bias:
		inputs.append(m.bias(cout, 0.043, sw, 0 if per_channel else None))
	value = m.node("ConvTranspose", inputs, "sum", group=group, **attrs)
	if relu:
		value = m.node("Relu", [value], "act")
	m.save(name, m.output(value, ["N", cout, "OH", "OW"], dtype, 0.13, 97 + offset), doc, exact=False, opset=opset)


@ops.model.numbers(29)
def conv_transposes():
	conv_transpose("conv_transpose", "ConvTranspose, strides 2, pads, one scale for each output", per_channel=True, strides=[2, 2], pads=[1, 1, 1, 1])
	conv_transpose("conv_transpose_i8", "int8, uneven pads, Relu", np.int8, relu=True, strides=[2, 1], pads=[0, 1, 2, 1])
	conv_transpose("conv_transpose_output_padding", "output_padding, no bias", bias=False, strides=[3, 2], output_padding=[2, 1])
	conv_transpose("conv_transpose_output_shape", "output_shape, odd padding", strides=[2, 2], output_shape=[10, 11])
	conv_transpose("conv_transpose_group", "two groups, weights with a zero point", cin=6, cout=8, group=2, wtype=np.uint8, wzero=128,
		       strides=[2, 2])
	conv_transpose("conv_transpose_each", "as many groups as channels, dilations", cin=6, cout=6, group=6, k=(2, 3), dilations=[2, 1])
	conv_transpose("conv_transpose_apart", "strides longer than the window, opset 22", k=(2, 1), strides=[3, 2], opset=22)


def qlinear_conv():
	m = Model()
	x = m.input((2, 6, 8, 10), np.uint8, 0.02, 33)
	sw = ops.model.rng.uniform(0.004, 0.02, 8).astype(np.float32)
	m.const("w", ops.model.rng.integers(-64, 65, (8, 6, 3, 3)).astype(np.int8))
	m.const("w_scale", sw)
	m.const("w_zero", np.zeros(8, np.int8))
	m.const("bias", ops.model.rng.integers(-3000, 3000, 8).astype(np.int32))
	m.const("y_scale", np.float32(0.07))
	m.const("y_zero", np.uint8(120))
	m.node("QLinearConv", [*x, "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"], "y", pads=[1, 1, 1, 1])
	m.save("qlinear_conv", helper.make_tensor_value_info("y", TensorProto.UINT8, ["N", 8, 8, 10]),
	       "QLinearConv with per-channel weights and bias", True)


def qlinear_matmul():
	m = Model()
	x = m.input((5, 37), np.uint8, 0.02, 33)
	m.const("w", ops.model.rng.integers(-64, 65, (37, 12)).astype(np.int8))
	m.const("w_scale", np.float32(0.013))
	m.const("w_zero", np.int8(0))
	m.const("y_scale", np.float32(0.05))
	m.const("y_zero", np.uint8(120))
	m.node("QLinearMatMul", [*x, "w", "w_scale", "w_zero", "y_scale", "y_zero"], "y")
	m.save("qlinear_matmul", helper.make_tensor_value_info("y", TensorProto.UINT8, ["N", 12]), "QLinearMatMul, no bias", True)


def gemm(name, doc, dtype, trans_b, bias):
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.input((6, 70), dtype, 0.02, 30 + offset)
	shape = (11, 70) if trans_b else (70, 11)
	inputs = [m.real(x), m.weight("w", shape, np.float32(0.01))]
	if bias:
		inputs.append(m.bias(11, 0.02, np.float32(0.01)))
	m.node("Gemm", inputs, "sum", transB=int(trans_b))
	m.save(name, m.output("sum", ["N", 11], dtype, 0.06, 100 + offset), doc, True)


def matmul_add():
	m = Model()
	x = m.input((6, 70), np.uint8, 0.02, 30)
	m.node("MatMul", [m.real(x), m.weight("w", (70, 11), np.float32(0.01))], "product")
	m.node("Add", ["product", m.bias(11, 0.02, np.float32(0.01))], "sum")
	m.save("matmul_add", m.output("sum", ["N", 11], np.uint8, 0.06, 100),
	       "MatMul, then Add of an int32 bias: one fully connected operator. ONNX Runtime does the Add in float.", False)


def pool(name, doc, op, dtype=np.uint8, **attrs):
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.input((2, 6, 9, 12), dtype, 0.05, 77 + offset)
	m.node(op, [m.real(x)], "pooled", **attrs)
	same = op == "MaxPool"
	m.save(name, m.output("pooled", ["N", 6, "OH", "OW"], dtype, 0.05 if same else 0.031, (77 if same else 90) + offset), doc, same)


def binary(name, doc, op, dtype=np.uint8, other=None, scale=0.09, zero=60):
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	a = m.input((3, 4, 5, 8), dtype, 0.05, 77 + offset)
	b = m.input(other or (3, 4, 5, 8), dtype, 0.031, 140 + offset, symbolic=not other)
	m.node(op, [m.real(a), m.real(b)], "result")
	m.save(name, m.output("result", ["N", 4, 5, 8], dtype, scale, zero + offset), doc, False)


def function(name, doc, op, from_type, to_type, **attrs):
	"""A function of one element; every value that there is, is in the input."""
	m = Model()
	offset = 0 if from_type == np.uint8 else -128
	x = m.input((4, 3, 8, 8), from_type, 0.037, 90 + offset)
	m.data[-1].flat[:256] = np.arange(256) + offset
	m.node(op, [m.real(x)], "result", **attrs)
	m.save(name, m.output("result", ["N", 3, 8, 8], to_type, 0.031, 20 if to_type == np.uint8 else -70), doc, True)


def requantize(name, doc, from_type, to_type, zx, zy):
	m = Model()
	x = m.input((4, 3, 8, 8), from_type, 0.037, zx)
	m.save(name, m.output(m.real(x), ["N", 3, 8, 8], to_type, 0.05, zy), doc, True)


def shape_ops():
	m = Model()
	x = m.input((4, 6, 4, 5), np.uint8, 0.04, 9)
	m.node("Reshape", [m.real(x), m.const("dims", np.array([0, -1], np.int64))], "flat")
	m.save("reshape", m.output("flat", ["N", 120], np.uint8, 0.04, 9), "Reshape with 0 and -1", True)
	m = Model()
	x = m.input((4, 6, 4, 5), np.uint8, 0.04, 9)
	m.node("Transpose", [m.real(x)], "turned", perm=[0, 2, 3, 1])
	m.save("transpose", m.output("turned", ["N", 4, 5, 6], np.uint8, 0.04, 9), "Transpose NCHW to NHWC", True)
	m = Model()
	a = m.input((2, 3, 4, 5), np.uint8, 0.04, 9)
	b = m.input((2, 5, 4, 5), np.uint8, 0.04, 9)
	m.node("Concat", [m.real(a), m.real(b)], "both", axis=1)
	m.save("concat", m.output("both", ["N", 8, 4, 5], np.uint8, 0.04, 9), "Concat of channels, one scale", True)


def float_io():
	m = Model()
	m.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, 8])]
	m.data = [ops.model.rng.normal(0, 1.5, (2, 3, 8, 8)).astype(np.float32)]
	x = m.quantized("xq", np.uint8, 0.03, 128)
	m.node("QuantizeLinear", ["x", *x[1:]], "xq")
	m.node("Conv", [m.real(x), m.weight("w", (4, 3, 3, 3), np.float32(0.01)), m.bias(4, 0.03, np.float32(0.01))], "sum", pads=[1] * 4)
	m.output("sum", None, np.uint8, 0.04, 110, "yq")
	m.dequantize("yq", "yq_scale", "yq_zero")
	m.nodes[-1].output[0] = "y"
	m.save("float_io", helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4, 8, 8]),
	       "Float graph input and output, quantized inside", True)


def two_outputs():
	m = Model()
	x = m.input((2, 4, 6, 6), np.uint8, 0.04, 9)
	real = m.real(x)
	m.node("Conv", [real, m.weight("w0", (3, 4, 1, 1), np.float32(0.01))], "sum0")
	m.node("Conv", [real, m.weight("w1", (5, 4, 1, 1), np.float32(0.02))], "sum1")
	m.save("two_outputs", [m.output("sum0", ["N", 3, 6, 6], np.uint8, 0.03, 128, "y0"), m.output("sum1", ["N", 5, 6, 6], np.uint8, 0.05, 128, "y1")],
	       "One DequantizeLinear read by two convolutions; two graph outputs", True)


def ties(name, doc, op, scale, shape=(2, 8, 9, 10), zero=131, count=1, domain="", **attrs):
	"""Equal scales, or twice that: many results are ties, or a rounding away from one."""
	m = Model()
	inputs = [m.input(shape, np.uint8, 0.0486565, 117 + 9 * i) for i in range(count)]
	if domain:
		y = m.quantized("y", np.uint8, scale, zero)
		m.nodes.append(helper.make_node(op, [v for x in inputs for v in x] + list(y[1:]), ["y"], name="y", domain=domain, **attrs))
		out = helper.make_tensor_value_info("y", TensorProto.UINT8, ["N", shape[1], "OH", "OW"])
		m.save(name, out, doc, False)
		return
	value = m.node(op, [m.real(x) for x in inputs], "v", **attrs)
	m.save(name, m.output(value, ["N", shape[1], "OH", "OW"], np.uint8, scale, zero), doc, False)


def output_dtype(name, doc, opset, zero, **attrs):
	"""Of types that only an attribute says; this script's ONNX need not know the opset yet."""
	m = Model()
	x = m.input((4, 3, 8, 8), np.uint8, 0.037, 77)
	m.const("y_scale", np.float32(0.05))
	m.node("QuantizeLinear", [m.real(x), "y_scale", *([m.const("y_zero", np.int8(-9))] if zero else [])], "y", **attrs)
	m.save(name, helper.make_tensor_value_info("y", TensorProto.INT8, ["N", 3, 8, 8]), doc, True, opset=opset)


def moved(name, doc, op, extra, attrs, shape, opset=None):
	"""An operator that only moves elements, with constants as its further inputs."""
	m = Model()
	x = m.input((4, 6, 1, 5), np.uint8, 0.04, 9)
	m.node(op, [m.real(x), *(n and m.const(n, v) for n, v in extra)], "moved", **attrs)
	m.save(name, m.output("moved", shape, np.uint8, 0.04, 9), doc, True, opset=opset)


def gemm_c(name, doc, shape):
	"""Gemm's C by its shape. Its integers are the accumulator's steps."""
	m = Model()
	x = m.input((6, 70), np.uint8, 0.02, 30)
	m.const("c", ops.model.rng.integers(-3000, 3000, shape).astype(np.int32))
	c = m.dequantize("c", m.const("c_scale", np.float32(0.02) * np.float32(0.01)), m.const("c_zero", np.int32(0)))
	m.node("Gemm", [m.real(x), m.weight("w", (70, 11), np.float32(0.01)), c], "sum")
	m.save(name, m.output("sum", ["N", 11], np.uint8, 0.06, 100), doc, True)


def qlinear_add():
	"""Its result has the type of its operands where no zero point says so."""
	m = Model()
	a = m.input((4, 3, 8, 8), np.int8, 0.037, -77)
	b = m.input((4, 3, 8, 8), np.int8, 0.021, 5)
	m.nodes.append(helper.make_node("QLinearAdd", [*a, *b, m.const("y_scale", np.float32(0.05))], ["y"], name="y", domain="com.microsoft"))
	m.save("qlinear_add", helper.make_tensor_value_info("y", TensorProto.INT8, ["N", 3, 8, 8]), "QLinearAdd, int8, no zero point of the result", False)


def disjoint_clamps():
	"""Relu, and then Clip to what is all below 0: one number comes out."""
	m = Model()
	x = m.input((6, 70), np.uint8, 0.02, 30)
	m.node("Gemm", [m.real(x), m.weight("w", (70, 11), np.float32(0.01))], "sum")
	m.node("Relu", ["sum"], "positive")
	m.output("positive", None, np.uint8, 0.03125, 200, "rounded")
	value = m.dequantize("rounded", "rounded_scale", "rounded_zero")
	m.node("Clip", [value, m.const("low", np.float32(-0.875)), m.const("high", np.float32(-0.375))], "clipped")
	m.save("clip_below_relu", m.output("clipped", ["N", 11], np.uint8, 0.03125, 200), "Relu, then Clip below 0", True)


def main():
	archive.folder_of("ops")
	conv("conv", "3x3 convolution, zero padding around a non-zero zero point", pads=[1, 1, 1, 1])
	conv("conv_i8", "int8 activations", dtype=np.int8, pads=[1, 1, 1, 1])
	conv("conv_pads_asymmetric", "asymmetric padding, strides 2", pads=[1, 0, 2, 1], strides=[2, 2])
	conv("conv_strides_differ", "strides 2 and 1", strides=[2, 1])
	conv("conv_same_upper", "auto_pad SAME_UPPER, strides 2", size=(12, 10), auto_pad="SAME_UPPER", strides=[2, 2])
	conv("conv_same_lower", "auto_pad SAME_LOWER, strides 2", size=(12, 10), auto_pad="SAME_LOWER", strides=[2, 2])
	conv("conv_dilations", "dilations 2", dilations=[2, 2])
	conv("conv_per_tensor", "one weight scale, no bias", per_channel=False, bias=False, pads=[1] * 4)
	conv("conv_weight_u8", "uint8 weights with zero point 128", per_channel=False, wtype=np.uint8, wzero=128, pads=[1] * 4)
	conv("conv_group", "two groups", cin=6, cout=8, group=2, pads=[1] * 4)
	conv("conv_depthwise", "depthwise", cin=6, cout=6, group=6, pads=[1] * 4)
	conv("conv_depthwise_twice", "depthwise, two outputs per channel", cin=6, cout=12, group=6, strides=[2, 2], pads=[1] * 4)
	conv("conv_pointwise", "1x1", cin=40, cout=33, k=1)
	conv("conv_5x5", "5x5", k=5, pads=[2] * 4)
	conv("conv_relu", "Relu", act="Relu", zy=0, pads=[1] * 4)
	conv("conv_relu_zero", "Relu, output zero point not at the end of the range", act="Relu", pads=[1] * 4)
	conv("conv_clip6", "Clip 0..6, output range wider", act="Clip", zy=20, pads=[1] * 4)
	qlinear_conv()
	qlinear_matmul()
	gemm("gemm", "Gemm, B transposed", np.uint8, True, True)
	gemm("gemm_i8", "Gemm, B not transposed, int8", np.int8, False, True)
	gemm("gemm_no_bias", "Gemm without C", np.uint8, True, False)
	matmul_add()
	pool("maxpool", "3x3, strides 2, padding 1", "MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
	pool("maxpool_ceil", "2x2, strides 2, ceil_mode, int8", "MaxPool", np.int8, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
	pool("averagepool", "2x2, strides 2", "AveragePool", kernel_shape=[2, 2], strides=[2, 2])
	pool("averagepool_pads", "3x3, padding not counted", "AveragePool", kernel_shape=[3, 3], pads=[1] * 4)
	pool("averagepool_pads_counted", "3x3, padding counted, int8", "AveragePool", np.int8, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1)
	pool("averagepool_global", "GlobalAveragePool", "GlobalAveragePool")
	binary("add", "Add, three scales", "Add")
	binary("add_i8", "Add, int8", "Add", np.int8)
	binary("mul", "Mul", "Mul", scale=0.15, zero=128)
	requantize("requantize_u8_i8", "uint8 to int8", np.uint8, np.int8, 77, -5)
	requantize("requantize_i8_u8", "int8 to uint8", np.int8, np.uint8, -3, 100)
	shape_ops()
	float_io()
	two_outputs()
	ops.loops.batch_loop()
	ops.loops.proposal("proposal", "Proposal on random scores with many ties", 100)
	ops.loops.proposal("proposal_limits", "Proposal where both limits cut", 8, before=40, after=9)
	ops.loops.proposal("proposal_none", "Proposal without a single box", 255)
	ops.loops.crop_resize()
	ops.loops.loop("loop_rows", "Loop over as many rows as there are, each convolved", False, True, 3, lambda m, b, x: ops.loops.convolved(m, b, ops.loops.row_by_index(m, b, x), x))
	ops.loops.loop("loop_trips", "Loop over five rows, taken by a scalar", False, False, 3, lambda m, b, x: ops.loops.convolved(m, b, ops.loops.row_by_number(m, b, x), x))
	ops.loops.loop("loop_carried", "Loop that carries a sum", False, True, 4, ops.loops.running_sum)
	function("leaky_relu", "LeakyRelu, alpha 0.01", "LeakyRelu", np.uint8, np.uint8)
	function("leaky_relu_i8", "LeakyRelu, alpha 0.3, uint8 to int8", "LeakyRelu", np.uint8, np.int8, alpha=0.3)
	output_dtype("quantize_output_dtype", "QuantizeLinear without zero point, int8 by its output_dtype", 21, False, output_dtype=3)
	output_dtype("quantize_opset_23", "QuantizeLinear of opset 23 with each attribute as it is without", 23, True, axis=1, block_size=0,
		     output_dtype=3, precision=1, saturate=1)
	moved("dropout", "Dropout with training_mode false", "Dropout", [("ratio", np.float32(0.5)), ("training", np.bool_(False))], {"seed": 1},
	      ["N", 6, 1, 5])
	moved("squeeze", "Squeeze with axes", "Squeeze", [("axes", np.array([2], np.int64))], {}, ["N", 6, 5])
	moved("flatten", "Flatten, axis from the end", "Flatten", [], {"axis": -3}, ["N", 30])
	moved("reshape_allowzero", "Reshape, allowzero and no zero", "Reshape", [("dims", np.array([-1, 5, 6], np.int64))], {"allowzero": 1},
	      ["N", 5, 6], 14)
	gemm_c("gemm_c_row", "Gemm, C [1, 11]", (1, 11))
	gemm_c("gemm_c_number", "Gemm, C [1, 1]", (1, 1))
	qlinear_add()
	disjoint_clamps()
	ties("add_ties", "Add, equal scales, the output's twice that", "Add", 0.097313, count=2)
	ties("qlinear_add_ties", "QLinearAdd, scales likewise", "QLinearAdd", 0.097313, count=2, domain="com.microsoft")
	ties("averagepool_ties", "2x2, scale as the input's", "AveragePool", 0.0486565, kernel_shape=[2, 2])
	ties("averagepool_columns", "4x4, strides 2", "AveragePool", 0.0486565, kernel_shape=[4, 4], strides=[1, 2])
	ties("averagepool_rows", "4x4, strides 3: summed in another order", "AveragePool", 0.0486565, kernel_shape=[4, 4], strides=[1, 3])
	ties("averagepool_covers", "a window as large as the image", "AveragePool", 0.0486565, (40, 8, 6, 5), kernel_shape=[6, 5])
	ties("averagepool_fine", "2x2, input scale / output scale 16", "AveragePool", 0.0486565 / 16, kernel_shape=[2, 2])
	ties("averagepool_global_ties", "GlobalAveragePool, scale as the input's", "GlobalAveragePool", 0.0486565, (40, 8, 4, 7))
	ties("qlinear_averagepool_global", "QLinearGlobalAveragePool", "QLinearGlobalAveragePool", 0.0486565, (40, 8, 4, 7),
	     domain="com.microsoft", channels_last=0)
	conv_transposes()
	ops.integers.write()
	ops.moves.write()
	ops.lines.write()
	ops.old.write()
	ops.two.write()
	ops.whole.write()
	ops.regions.write()
	ops.regions.write_squares()
	ops.products.write()
	ops.chains.write()
	ops.loops.loop_carrying_three()
	ops.normal.write()
	ops.picks.write()
	ops.linear.write()
	ops.boxes.write()
	ops.blocks.write()
	ops.reals.write()
	ops.reals.write_parts()
	ops.known.write()
	ops.ends.write()
	ops.wide.write()
	ops.apart.write()
	ops.regions.write_stored()
	ops.control.write()
	ops.recurrent.write()
	with open(os.path.join(OUT, "levels.txt"), "w") as f:
		f.write("# model, ONNX Runtime's optimization level for its golden output, number of inputs\n")
		f.writelines(levels)
	archive.pack(["ops"])
	print(f"{len(levels)} models in {OUT}")


if __name__ == "__main__":
	sys.exit(main())
