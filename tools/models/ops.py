#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/models/ops/: one tiny ONNX model per operator form that importers meet, with random inputs.

Each model NAME.onnx has inputs NAME.in0.npy, ...; ops.sh runs golden.mjs on all. `exact` forms are those where
integer arithmetic is the definition; their golden output comes from ONNX Runtime's integer kernels (level all), the
others' from the unoptimized graph (level disabled). levels.txt says which is which. The loop models are nodes of domain
org.nnloop (docs/reader.md) whose bodies ONNX Runtime runs without a loop.
"""
import os
import sys

import numpy as np
from onnx import TensorProto, helper

import loops
import op_moves
import qnet
from glyphs import HERE

OUT = os.path.normpath(os.path.join(HERE, "../../tests/models/ops"))
rng = np.random.default_rng(11)
TYPES = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8,
	 np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int32): TensorProto.INT32}
levels = []


class Model(qnet.Writer):
	"""A graph under construction; tensors are (name, scale name, zero point name)."""

	def __init__(self):
		super().__init__()
		self.inputs, self.data = [], []

	def input(self, shape, dtype, scale, zero, symbolic=True):
		"""A quantized graph input filled with random values."""
		name = f"x{len(self.inputs)}"
		info = np.iinfo(dtype)
		self.data.append(rng.integers(info.min, info.max + 1, shape).astype(dtype))
		dims = ["N", *shape[1:]] if symbolic else shape
		self.inputs.append(helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], dims))
		return self.quantized(name, dtype, scale, zero)

	def quantized(self, name, dtype, scale, zero):
		return name, self.const(name + "_scale", np.float32(scale)), self.const(name + "_zero", dtype(zero))

	def real(self, tensor):
		return self.dequantize(*tensor)

	def weight(self, name, shape, scale, dtype=np.int8, zero=0, axis=None):
		"""A dequantized constant; a list of scales is per channel on `axis`."""
		lo, hi = (-64, 64) if dtype == np.int8 else (zero - 64, zero + 64)
		self.const(name, rng.integers(lo, hi + 1, shape).astype(dtype))
		many = axis is not None
		self.const(name + "_scale", np.asarray(scale, np.float32))
		self.const(name + "_zero", np.full(len(scale), zero, dtype) if many else dtype(zero))
		return self.dequantize(name, name + "_scale", name + "_zero", axis=axis)

	def bias(self, count, sx, sw, axis=None):
		self.const("bias", rng.integers(-3000, 3000, count).astype(np.int32))
		scale = np.float32(sx) * np.asarray(sw, np.float32)
		self.const("bias_scale", scale.astype(np.float32))
		self.const("bias_zero", np.zeros_like(scale, np.int32))
		return self.dequantize("bias", "bias_scale", "bias_zero", axis=axis)

	def output(self, value, shape, dtype, scale, zero, name="y"):
		self.const(name + "_scale", np.float32(scale))
		self.const(name + "_zero", dtype(zero))
		self.node("QuantizeLinear", [value, name + "_scale", name + "_zero"], name)
		return helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], shape)

	def plain_input(self, name, data, dims):
		"""A graph input of plain numbers."""
		self.data.append(data)
		self.inputs.append(helper.make_tensor_value_info(name, TYPES[data.dtype], dims))
		return name

	def loop_node(self, op, inputs, outputs, **attrs):
		self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0], domain=loops.DOMAIN, **attrs))

	def save(self, name, outputs, doc, exact, functions=(), opset=None):
		outputs = outputs if isinstance(outputs, list) else [outputs]
		opset, ir = (opset, 10 if opset > 20 else 8) if opset else (loops.OPSET, 8) if functions else (13, 7)
		qnet.save_model(os.path.join(OUT, name + ".onnx"), self, name, self.inputs, outputs, doc, opset, ir, functions,
				checksum=False)
		for i, data in enumerate(self.data):
			np.save(os.path.join(OUT, f"{name}.in{i}.npy"), data)
		levels.append(f"{name} {'all' if exact else 'disabled'} {len(self.data)}\n")


def conv(name, doc, dtype=np.uint8, zx=121, zy=97, cin=5, cout=7, size=(11, 9), k=3, group=1, per_channel=True, bias=True,
	 act=None, wtype=np.int8, wzero=0, **attrs):
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.input((3, cin, *size), dtype, 0.043, zx + offset)
	sw = rng.uniform(0.004, 0.02, cout).astype(np.float32) if per_channel else np.float32(0.0113)
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
	sw = rng.uniform(0.004, 0.02, cout).astype(np.float32) if per_channel else np.float32(0.0113)
	inputs = [m.real(x), m.weight("w", (cin, cout // group, *k), sw, wtype, wzero, 1 if per_channel else None)]
	if bias:
		inputs.append(m.bias(cout, 0.043, sw, 0 if per_channel else None))
	value = m.node("ConvTranspose", inputs, "sum", group=group, **attrs)
	if relu:
		value = m.node("Relu", [value], "act")
	m.save(name, m.output(value, ["N", cout, "OH", "OW"], dtype, 0.13, 97 + offset), doc, exact=False, opset=opset)


def conv_transposes():
	"""With numbers of their own, so that others do not depend on them."""
	global rng
	kept, rng = rng, np.random.default_rng(29)
	conv_transpose("conv_transpose", "ConvTranspose, strides 2, pads, one scale for each output", per_channel=True, strides=[2, 2], pads=[1, 1, 1, 1])
	conv_transpose("conv_transpose_i8", "int8, uneven pads, Relu", np.int8, relu=True, strides=[2, 1], pads=[0, 1, 2, 1])
	conv_transpose("conv_transpose_output_padding", "output_padding, no bias", bias=False, strides=[3, 2], output_padding=[2, 1])
	conv_transpose("conv_transpose_output_shape", "output_shape, odd padding", strides=[2, 2], output_shape=[10, 11])
	conv_transpose("conv_transpose_group", "two groups, weights with a zero point", cin=6, cout=8, group=2, wtype=np.uint8, wzero=128,
		       strides=[2, 2])
	conv_transpose("conv_transpose_each", "as many groups as channels, dilations", cin=6, cout=6, group=6, k=(2, 3), dilations=[2, 1])
	conv_transpose("conv_transpose_apart", "strides longer than the window, opset 22", k=(2, 1), strides=[3, 2], opset=22)
	rng = kept


def qlinear_conv():
	m = Model()
	x = m.input((2, 6, 8, 10), np.uint8, 0.02, 33)
	sw = rng.uniform(0.004, 0.02, 8).astype(np.float32)
	m.const("w", rng.integers(-64, 65, (8, 6, 3, 3)).astype(np.int8))
	m.const("w_scale", sw)
	m.const("w_zero", np.zeros(8, np.int8))
	m.const("bias", rng.integers(-3000, 3000, 8).astype(np.int32))
	m.const("y_scale", np.float32(0.07))
	m.const("y_zero", np.uint8(120))
	m.node("QLinearConv", [*x, "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"], "y", pads=[1, 1, 1, 1])
	m.save("qlinear_conv", helper.make_tensor_value_info("y", TensorProto.UINT8, ["N", 8, 8, 10]),
	       "QLinearConv with per-channel weights and bias", True)


def qlinear_matmul():
	m = Model()
	x = m.input((5, 37), np.uint8, 0.02, 33)
	m.const("w", rng.integers(-64, 65, (37, 12)).astype(np.int8))
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


def chain(name, doc, dtype, steps, scale, zero, opset=None):
	"""Functions of one element, with nothing rounded in between: (operator, inputs, attributes), whose inputs are "x", what the step before
	makes, None, and numbers. Every value that there is, is in the input."""
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	x = m.real(m.input((4, 3, 8, 8), dtype, 0.037, 90 + offset))
	m.data[-1].flat[:256] = np.arange(256) + offset
	value = x
	for i, (op, inputs, attrs) in enumerate(steps):
		names = [value if v is None else v if isinstance(v, str) else m.const(f"k{i}_{k}", np.float32(v)) for k, v in enumerate(inputs)]
		value = m.node(op, [x if v == "x" else v for v in names], f"v{i}", **attrs)
	m.save(name, m.output(value, ["N", 3, 8, 8], dtype, scale, zero + offset), doc, False, opset=opset)


def computed_shape():
	"""Reshape to [N, channels / 2, 2, -1], all of it computed of the input's shape."""
	m = Model()
	x = m.real(m.input((4, 6, 4, 5), np.uint8, 0.04, 9))
	axes, two = m.const("axes", np.array([0], np.int64)), m.const("two", np.int64(2))
	m.node("Shape", [x], "shape")
	m.node("Unsqueeze", [m.node("Gather", ["shape", m.const("first", np.int64(0))], "batch"), axes], "batches")
	m.node("Unsqueeze", [m.node("Div", [m.node("Gather", ["shape", m.const("second", np.int64(1))], "channels"), two], "half"), axes], "halves")
	m.node("Concat", ["batches", "halves", m.const("rest", np.array([2, -1], np.int64))], "dims", axis=0)
	m.node("Reshape", [x, m.node("Cast", [m.node("Cast", ["dims"], "dims32", to=6)], "dims64", to=7)], "moved")
	m.save("reshape_computed", m.output("moved", ["N", 3, 2, 20], np.uint8, 0.04, 9), "Reshape to a shape that is computed of the input's", True)


def chains():
	"""With numbers of their own: what follows does not depend on them."""
	global rng
	rng = np.random.default_rng(30)
	u8, i8 = np.uint8, np.int8
	chain("chain_silu", "x * Sigmoid(x)", u8, [("Sigmoid", [None], {}), ("Mul", ["x", None], {})], 0.025, 12)
	chain("chain_hard_swish", "x * Clip(x + 3, 0, 6) / 6", i8, [("Add", [None, 3], {}), ("Clip", [None, 0, 6], {}), ("Mul", [None, "x"], {}),
							      ("Div", [None, 6], {})], 0.025, 20)
	chain("chain_mish", "x * Tanh(Softplus(x))", u8, [("Softplus", [None], {}), ("Tanh", [None], {}), ("Mul", ["x", None], {})], 0.025, 14)
	chain("chain_gelu", "0.5 * x * (1 + Erf(x / sqrt(2)))", i8, [("Div", [None, 2 ** 0.5], {}), ("Erf", [None], {}), ("Add", [1, None], {}),
								 ("Mul", ["x", None], {}), ("Mul", [None, 0.5], {})], 0.025, 9)
	chain("chain_gelu_tanh", "Gelu with Tanh, of powers", u8, [("Pow", [None, 3], {}), ("Mul", [None, 0.044715], {}), ("Add", ["x", None], {}),
							     ("Mul", [None, 0.7978846], {}), ("Tanh", [None], {}), ("Add", [None, 1], {}),
							     ("Mul", [None, "x"], {}), ("Mul", [None, 0.5], {})], 0.025, 9)
	chain("chain_log", "Sqrt(Abs(Log(Exp(x) + 1))), then Reciprocal", i8, [("Exp", [None], {}), ("Add", [None, 1], {}), ("Log", [None], {}),
									   ("Abs", [None], {}), ("Sqrt", [None], {}), ("Reciprocal", [None], {})], 0.02, 0)
	chain("chain_not_a_number", "Log of what is below 0 too, and less: the least integer", u8, [("Log", [None], {}), ("Sub", [0.5, None], {})], 0.02, 100)
	chain("chain_elu", "Elu, alpha 0.7, then Min and Max", u8, [("Elu", [None], {"alpha": 0.7}), ("Min", [None, 4], {}), ("Max", [-0.4, None], {})], 0.02, 40)
	chain("chain_selu", "Selu, Celu and Softsign", i8, [("Selu", [None], {}), ("Celu", [None], {"alpha": 0.5}), ("Softsign", [None], {})], 0.007, 128)
	chain("chain_hard_sigmoid", "HardSigmoid, then ThresholdedRelu", u8, [("HardSigmoid", [None], {"beta": 0.4}),
									  ("ThresholdedRelu", [None], {"alpha": 0.25})], 0.004, 0)
	chain("chain_round", "Floor, Ceil, Round, Sign and Neg", i8, [("Floor", [None], {}), ("Mul", [None, 0.3], {}), ("Ceil", [None], {}), ("Sub", [None, 0.5], {}),
								("Round", [None], {}), ("Neg", [None], {})], 0.03, 128)
	chain("chain_sigmoid", "Sigmoid alone", u8, [("Sigmoid", [None], {})], 1 / 256, 0)
	chain("chain_opset_20", "HardSwish, Mish and Gelu", u8, [("HardSwish", [None], {}), ("Mish", [None], {}), ("Gelu", [None], {})], 0.025, 9, opset=20)
	computed_shape()


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
	m.data = [rng.normal(0, 1.5, (2, 3, 8, 8)).astype(np.float32)]
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


def batch_loop():
	m = Model()
	name, scale, zero = m.input((11, 4, 6, 6), np.uint8, 0.04, 9)
	m.loop_node("BatchLoop", [name], ["rows"], step=4)
	m.node("Conv", [m.dequantize("rows", scale, zero), m.weight("w", (3, 4, 3, 3), np.float32(0.01))], "sum", pads=[1] * 4)
	m.save("batch_loop", m.output("sum", ["N", 3, 6, 6], np.uint8, 0.06, 128), "BatchLoop of step 4 over 11 items, then a convolution", True,
	       [loops.batch_loop_function()])


def proposal(name, doc, score_min, before=60, after=25):
	m = Model()
	p, a, gh, gw = 3, 2, 6, 9
	m.plain_input("scores", (rng.integers(0, 256, (p, a, gh, gw)) // 8 * 8).astype(np.uint8), ["P", a, gh, gw])
	m.plain_input("deltas", rng.integers(0, 256, (p, 4 * a, gh, gw)).astype(np.uint8), ["P", 4 * a, gh, gw])
	m.const("anchors", np.array([[200, 160], [333, 255]], np.int32))
	m.const("image_size", np.array([48, 36], np.int32))
	m.loop_node("Proposal", ["scores", "deltas", "anchors", "image_size"], ["boxes", "box_scores", "owner"], stride=[8, 4], delta_zero=128,
		    delta_shift=7, score_min=score_min, min_size=90, before=before, after=after, iou=96, step=8)
	info, t = helper.make_tensor_value_info, TensorProto
	m.save(name, [info("boxes", t.INT32, ["M", 4]), info("box_scores", t.UINT8, ["M"]), info("owner", t.INT32, ["M"])], doc, True,
	       [loops.proposal_function()])


def crop_resize():
	m = Model()
	m.plain_input("image", rng.integers(0, 256, (3, 2, 20, 31)).astype(np.uint8), ["P", 2, 20, 31])
	low = rng.integers(-40, 300, (17, 2))
	boxes = np.concatenate([low, low + rng.integers(-20, 400, (17, 2))], 1).astype(np.int32)
	m.plain_input("boxes", boxes, ["M", 4])
	m.plain_input("owner", np.sort(rng.integers(0, 3, 17)).astype(np.int32), ["M"])
	m.loop_node("CropResize", ["image", "boxes", "owner"], ["crops"], height=7, width=5)
	m.save("crop_resize", helper.make_tensor_value_info("crops", TensorProto.UINT8, ["M", 2, 7, 5]),
	       "CropResize of boxes in and partly outside of images of two channels", True, [loops.crop_resize_function()])


def loop(name, doc, exact, symbolic, channels, make_body):
	"""ONNX's own Loop over the rows of an input. make_body(m, body, x, number) appends the nodes of an iteration and returns the
	name of what is collected and, with a carried value, its initial value and the names it has."""
	m, body = Model(), Model()
	x = m.input((5, 4, 6, 6), np.uint8, 0.04, 9, symbolic)
	if symbolic:
		m.node("Shape", [x[0]], "shape")
		trips = m.node("Gather", ["shape", m.const("first", np.int64(0))], "trips")
	else:
		trips = m.const("trips", np.int64(5))
	collected, initial, before, after = make_body(m, body, x)
	info, t = helper.make_tensor_value_info, TensorProto
	body.node("Identity", ["go_on"], "goes_on")
	carried = ([info(before, t.UINT8, [1, 4, 6, 6])], [info(after, t.UINT8, [1, 4, 6, 6])]) if initial else ([], [])
	graph = helper.make_graph(body.nodes, "body", [info("number", t.INT64, []), info("go_on", t.BOOL, []), *carried[0]],
				  [info("goes_on", t.BOOL, []), *carried[1], info(collected, t.UINT8, [1, channels, 6, 6])], body.inits)
	m.node("Loop", [trips, m.const("always", np.bool_(True)), *([initial] if initial else [])], ["last", "y"] if initial else ["y"], body=graph)
	m.save(name, info("y", t.UINT8, ["N", 1, channels, 6, 6]), doc, exact)


def convolved(m, body, row, x):
	value = body.dequantize(row, *x[1:])
	body.node("Conv", [value, m.weight("w", (3, 4, 3, 3), np.float32(0.01))], "sum", pads=[1] * 4)
	body.output("sum", None, np.uint8, 0.06, 128, "result")
	return "result", None, None, None


def row_by_index(m, body, x):
	body.node("Unsqueeze", ["number", body.const("front", np.array([0]))], "index")
	return body.node("Gather", [x[0], "index"], "row")


def row_by_number(m, body, x):
	body.node("Gather", [x[0], "number"], "item")
	return body.node("Unsqueeze", ["item", body.const("front", np.array([0]))], "row")


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


def running_sum(m, body, x):
	row = row_by_number(m, body, x)
	m.const("total_scale", np.float32(0.1))
	m.const("total_zero", np.uint8(20))
	m.const("nothing", np.full((1, 4, 6, 6), 20, np.uint8))
	body.node("Add", [body.dequantize("before", "total_scale", "total_zero"), body.dequantize(row, *x[1:])], "sum")
	body.node("QuantizeLinear", ["sum", "total_scale", "total_zero"], "after")
	body.node("Identity", ["after"], "result")
	return "result", "nothing", "before", "after"


def loop_carrying_three():
	"""Carried values that begin as a real constant, a stored one and what is made before, rows of two inputs, one taken twice. With random
	numbers of its own, so that the other models stay what they are."""
	global rng
	before, rng = rng, np.random.default_rng(12)
	m, body = Model(), Model()
	info, t, shape = helper.make_tensor_value_info, TensorProto, [1, 2, 3, 4]
	x, first, other = m.input((5, 2, 3, 4), np.uint8, 0.04, 9), m.input(tuple(shape), np.uint8, 0.1, 120, False), m.input((5, 2, 3, 4), np.int8, 0.05, -3)
	m.node("Shape", [x[0]], "shape")
	trips = m.node("Gather", ["shape", m.const("first", np.int64(0))], "trips")
	total = ("total_scale", "total_zero")
	m.const("total_scale", np.float32(0.1))
	m.const("total_zero", np.uint8(20))
	for name in ("begins_real", "begins_stored"):
		m.const(name, rng.integers(0, 256, shape).astype(np.uint8))
	m.dequantize("begins_real", *total)
	m.node("QuantizeLinear", [m.node("Relu", [m.real(first)], "positive"), *total], "begins_made")
	body.node("Unsqueeze", ["number", body.const("front", np.array([0]))], "index")
	rows = [body.dequantize(body.node("Gather", [tensor[0], "index"], f"row{i}"), *tensor[1:])
		for i, tensor in enumerate((x, other, x))]
	# A sum that is carried as real, one of stored bytes, and one that takes what the others were.
	for i, (is_real, row) in enumerate(((True, rows[0]), (False, rows[1]), (False, rows[2]))):
		was = f"before{i}" if is_real else body.dequantize(f"before{i}", *total)
		body.node("Add", [was, row], f"sum{i}")
		body.node("QuantizeLinear", [f"sum{i}", *total], f"stored{i}")
	body.node("DequantizeLinear", ["stored0", *total], "after0")
	body.node("Identity", ["stored1"], "after1")
	body.node("Identity", ["before1"], "after2")
	for i in range(3):
		body.node("Identity", [f"stored{i}"], f"result{i}")
	# What it was when the iteration began.
	body.node("Identity", ["before1"], "result3")
	body.node("Identity", ["go_on"], "goes_on")
	carried = [[info(f"{name}{i}", t.UINT8 if i else t.FLOAT, shape) for i in range(3)] for name in ("before", "after")]
	graph = helper.make_graph(body.nodes, "body", [info("number", t.INT64, []), info("go_on", t.BOOL, []), *carried[0]],
				  [info("goes_on", t.BOOL, []), *carried[1], *(info(f"result{i}", t.UINT8, shape) for i in range(4))], body.inits)
	m.node("Loop", [trips, m.const("always", np.bool_(True)), "begins_real_real", "begins_stored", "begins_made"],
	       [*(f"last{i}" for i in range(3)), *(f"y{i}" for i in range(4))], body=graph)
	m.save("loop_carried_three", [info(f"y{i}", t.UINT8, ["N", *shape]) for i in range(4)],
	       "Loop that carries three values", False)
	rng = before


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
	m.const("c", rng.integers(-3000, 3000, shape).astype(np.int32))
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


def of_two(name, doc, op, shapes, dtype=np.uint8, grids=((0.05, 77), (0.031, 140), (0.09, 60)), act=None, out=None):
	"""Of two or more operands. A list instead of a tuple is the shape of a constant."""
	m = Model()
	offset = 0 if dtype == np.uint8 else -128
	reals = []
	for i, (shape, (scale, zero)) in enumerate(zip(shapes, grids)):
		if isinstance(shape, tuple):
			reals.append(m.real(m.input(shape, dtype, scale, zero + offset)))
		else:
			info = np.iinfo(dtype)
			m.const(f"k{i}", rng.integers(info.min, info.max + 1, shape).astype(dtype))
			reals.append(m.real(m.quantized(f"k{i}", dtype, scale, zero + offset)))
	value = m.node(op, reals, "result")
	if act:
		value = m.node(act, [value], "act")
	out = out or max((s for s in shapes if isinstance(s, tuple)), key=np.prod)
	m.save(name, m.output(value, ["N", *out[1:]], dtype, grids[-1][0], grids[-1][1] + offset), doc, False)


def pairs(name, op, dtype, *grids):
	"""All pairs of bytes: a row for each of the first operand, the second is a constant."""
	m = Model()
	info = np.iinfo(dtype)
	every = np.arange(info.min, info.max + 1).astype(dtype)
	a = m.input((256, 256 if op == "PRelu" else 1), dtype, *grids[0])
	m.data[0][:] = every[:, None]
	m.const("k", every)
	m.node(op, [m.real(a), m.real(m.quantized("k", dtype, *grids[1]))], "result")
	m.save(name, m.output("result", ["N", 256], dtype, *grids[2]), f"{op} of all pairs of bytes", False)


def qlinear_two(name, op, shapes, dtype=np.uint8):
	"""The second operand may be a constant, as above; scales bring results next to halves."""
	m = Model()
	operands = [m.input(shapes[0], dtype, 0.05, 3)]
	if isinstance(shapes[1], tuple):
		operands.append(m.input(shapes[1], dtype, 0.05, 3))
	else:
		info = np.iinfo(dtype)
		operands.append(m.quantized(m.const("k", rng.integers(info.min, info.max + 1, shapes[1]).astype(dtype)), dtype, 0.05, 3))
	y = m.quantized("y", dtype, 0.1, 30)
	m.nodes.append(helper.make_node(op, [v for x in operands for v in x] + list(y[1:]), ["y"], name="y", domain="com.microsoft"))
	m.save(name, helper.make_tensor_value_info("y", TYPES[np.dtype(dtype)], ["N", *shapes[0][1:]]), f"{op}, {shapes[1]}", False)


def scaled_image(name, doc, op, flatten, shape):
	"""Behind a pool, whose result nnloop stores with the channels last; shape None: with its own channels' means."""
	m = Model()
	x = m.input((2, 8, 6, 5), np.uint8, 0.06, 128)
	m.node("MaxPool", [m.real(x)], "most", kernel_shape=[2, 2])
	m.output("most", None, np.uint8, 0.06, 128, "image")
	real = m.dequantize("image", "image_scale", "image_zero")
	if flatten:
		real = m.node("Flatten", [real], "flat_float")
		m.output(real, None, np.uint8, 0.06, 128, "flat")
		real = m.dequantize("flat", "flat_scale", "flat_zero")
	if shape is None:
		m.node("GlobalAveragePool", [real], "mean_float")
		m.output("mean_float", None, np.uint8, 0.02, 100, "mean")
		other = m.dequantize("mean", "mean_scale", "mean_zero")
	else:
		other = m.real(m.quantized(m.const("k", rng.integers(0, 256, shape).astype(np.uint8)), np.uint8, 0.01, 120))
	m.node(op, [real, other], "result")
	m.save(name, m.output("result", ["N", 160] if flatten else ["N", 8, 5, 4], np.uint8, 0.05, 120), doc, False)


def of_two_operands():
	image = (3, 4, 5, 8)
	of_two("mul_i8", "Mul, int8", "Mul", [image, image], np.int8)
	of_two("mul_relu", "Mul, then Relu", "Mul", [image, image], act="Relu")
	of_two("mul_channels", "Mul of images and a number for each channel and image", "Mul", [image, (3, 4, 1, 1)])
	of_two("mul_both", "Mul where both are broadcast", "Mul", [(3, 4, 1, 8), (3, 1, 5, 8)], out=image)
	of_two("mul_constant", "Mul of a constant [4, 1, 1]", "Mul", [image, [4, 1, 1]])
	of_two("mul_constant_rows", "Mul of a constant [1, 4, 5, 8]", "Mul", [image, [1, 4, 5, 8]])
	of_two("mul_constant_first", "Mul of a constant [8], which comes first", "Mul", [[8], image])
	of_two("mul_number", "Mul of a single number", "Mul", [image, []])
	of_two("add_channels", "Add of images and a number for each channel and image", "Add", [image, (3, 4, 1, 1)])
	of_two("add_constant", "Add of a constant [5, 1]", "Add", [image, [5, 1]])
	of_two("sub", "Sub", "Sub", [image, image])
	of_two("sub_constant_first", "a constant less x, int8", "Sub", [[1], image], np.int8)
	of_two("div", "Div", "Div", [image, image])
	of_two("div_constant", "Div by a constant [4, 1, 1], int8", "Div", [image, [4, 1, 1]], np.int8)
	grids = ((0.05, 77), (0.031, 140), (0.04, 90), (0.06, 100))
	of_two("min", "Min of three", "Min", [image, image, [4, 1, 1]], grids=grids)
	of_two("max", "Max of three, int8", "Max", [image, (3, 1, 1, 8), image], np.int8, grids)
	of_two("max_of_one", "Max of one is that", "Max", [image], grids=grids[:1])
	of_two("prelu", "PRelu, a slope for each channel", "PRelu", [image, [4, 1, 1]])
	of_two("prelu_i8", "PRelu, int8, the slope computed, too", "PRelu", [image, image], np.int8)
	scaled_image("mul_means", "Mul of an image and its channels' means", "Mul", False, None)
	scaled_image("mul_image_constant", "Mul of an image and a constant [8, 1, 1]", "Mul", False, [8, 1, 1])
	scaled_image("sub_image_constant", "An image less a constant [8, 5, 4]", "Sub", False, [8, 5, 4])
	scaled_image("mul_image_columns", "Mul of an image and a constant [4]", "Mul", False, [4])
	scaled_image("mul_flattened", "Mul of a flattened image and a constant [160]", "Mul", True, [160])
	scaled_image("mul_flattened_number", "Mul of a flattened image and a number", "Mul", True, [1, 1])
	pairs("mul_pairs", "Mul", np.uint8, (0.05, 3), (0.05, 3), (0.1, 30))
	pairs("sub_pairs", "Sub", np.int8, (0.05, 3), (0.03, -7), (0.1, 5))
	pairs("div_pairs", "Div", np.uint8, (0.02, 120), (0.02, 128), (0.04, 128))
	pairs("prelu_pairs", "PRelu", np.int8, (0.05, 3), (1 / 128, 0), (0.025, -20))
	for op in ("QLinearMul", "QLinearAdd"):
		name = {"QLinearMul": "qlinear_mul", "QLinearAdd": "qlinear_add"}[op]
		qlinear_two(name + "_broadcast", op, [image, (3, 4, 1, 1)])
		qlinear_two(name + "_constant", op, [image, [5, 1]], np.int8)
	qlinear_two("qlinear_mul", "QLinearMul", [image, image])
def resize(name, doc, size, mode, scales=None, opset=18, dtype=np.uint8, zero=(9, 9), scale=(0.04, 0.04), **attrs):
	m = Model()
	x = m.input((2, 3, 5, 7), dtype, scale[0], zero[0])
	numbers = m.const("numbers", np.array(scales, np.float32) if scales else np.array(size, np.int64))
	inputs = [m.real(x), numbers] if opset < 11 else [m.real(x), m.const("roi", np.array([], np.float32)), *([] if scales else [""]), numbers]
	if not scales:
		attrs["axes"] = [2, 3]
	m.node("Resize", inputs, "resized", mode=mode, **attrs)
	m.save(name, m.output("resized", ["N", 3, *size], dtype, scale[1], zero[1]), doc, mode == "nearest", opset=opset)


def softmax(name, doc, shape, axis, dtype=np.uint8, opset=13):
	m = Model()
	x = m.real(m.input(shape, dtype, 0.043, 100 if dtype == np.uint8 else -5))
	if len(shape) == 4:
		x = m.node("MaxPool", [x], "image", kernel_shape=[1, 1])
	m.node("Softmax", [x], "result", **({} if axis is None else {"axis": axis}))
	m.save(name, m.output("result", ["N", *shape[1:]], dtype, 1 / 256, 0 if dtype == np.uint8 else -128), doc, False, opset=opset)


def reduction(name, op, axes, keep):
	"""Behind a Relu, so that it finds an image as nnloop stores it."""
	m = Model()
	x = m.input((3, 6, 4, 5), np.uint8, 0.043, 100)
	x = (m.node("MaxPool", [m.real(x)], "image", kernel_shape=[1, 1]), *x[1:])
	inputs = [x[0]] if axes is None else [x[0], m.const("axes", np.array(axes, np.int64))]
	m.node(op, inputs, "reduced", **({} if axes is None else {"keepdims": keep}))
	gone = {2, 3} if axes is None else {a % 4 for a in axes}
	shape = [1 if i in gone else d for i, d in enumerate(["N", 6, 4, 5]) if keep or i not in gone]
	moves = op in ("ReduceMax", "ReduceMin", "GlobalMaxPool")
	scale = 0.043 if moves else {"ReduceSum": 0.09, "ReduceProd": 3.1}.get(op, 0.021)
	m.save(name, m.output("reduced", shape, np.uint8, scale, 100 if moves else 77), f"{op} of {axes}", moves, opset=18)


def resize_computed():
	"""To sizes that are a Concat of an input's batch and channels, and of numbers; the batch is not known."""
	m = Model()
	x = m.input((3, 2, 6, 5), np.uint8, 0.04, 9)
	real = m.real(x)
	m.node("Shape", [real], "shape")
	m.node("Slice", ["shape", m.const("begin", np.array([0], np.int64)), m.const("end", np.array([2], np.int64))], "kept")
	m.node("Concat", ["kept", m.const("size", np.array([12, 7], np.int64))], "sizes", axis=0)
	value = m.node("Resize", [real, "", "", "sizes"], "resized", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
	m.save("resize_computed", m.output(value, ["N", 2, 12, 7], np.uint8, 0.04, 9), "Resize to computed sizes", exact=False)


def regions():
	"""Operators whose results come from many elements each, without weights; with random numbers of their own."""
	global rng
	others, rng = rng, np.random.default_rng(32)
	for mode in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"):
		resize(f"resize_{mode}", f"Resize, nearest, {mode}", (10, 9), "nearest", coordinate_transformation_mode=mode, nearest_mode="round_prefer_ceil")
		resize(f"resize_linear_{mode}", f"Resize, linear, {mode}", (10, 9), "linear", coordinate_transformation_mode=mode, zero=(9, 30), scale=(0.04, 0.03))
	resize("resize_floor", "Resize, nearest, floor, by scales", (2, 14), "nearest", [1, 1, 0.5, 2], nearest_mode="floor")
	resize("resize_ceil", "Resize, nearest, ceil, by scales", (8, 5), "nearest", [1, 1, 1.6875, 0.75], nearest_mode="ceil")
	resize("resize_old", "Resize of opset 10, smaller and larger", (3, 17), "nearest", [1, 1, 0.75, 2.5], opset=10)
	resize("resize_linear_old", "Resize, linear, of opset 10, int8", (10, 3), "linear", [1, 1, 2, 0.5], opset=10, dtype=np.int8)
	resize("resize_linear_kept", "Resize, linear, of width alone", (5, 14), "linear", [1, 1, 1, 2])
	for op, axes in (("ReduceMean", [2, 3]), ("ReduceMean", [1]), ("ReduceSum", [-1]), ("ReduceMax", [1, 2, 3]), ("ReduceMin", [2])):
		for keep in (0, 1):
			reduction(f"{op.lower()}_{'_'.join(str(abs(a)) for a in axes)}{'_keep' if keep else ''}", op, axes, keep)
	reduction("reduceprod", "ReduceProd", [3], 1)
	reduction("globalmaxpool", "GlobalMaxPool", None, 1)
	softmax("softmax", "Softmax, the last of two", (300, 40), -1)
	softmax("softmax_channels", "Softmax of an image's channels", (3, 21, 12, 10), 1, np.int8)
	softmax("softmax_inner", "Softmax, a dimension inside", (3, 6, 24, 10), 2)
	softmax("softmax_old", "Softmax of opset 11: from axis 2 on as one", (3, 6, 4, 10), 2, opset=11)
	softmax("softmax_old_image", "Softmax of opset 12 without axis", (3, 6, 4, 10), None, opset=12)
	resize_computed()
	rng = others


def main():
	global rng
	os.makedirs(OUT, exist_ok=True)
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
	binary("add_broadcast", "Add of [1, 4, 1, 1]", "Add", other=(1, 4, 1, 1))
	binary("mul", "Mul", "Mul", scale=0.15, zero=128)
	requantize("requantize_u8_i8", "uint8 to int8", np.uint8, np.int8, 77, -5)
	requantize("requantize_i8_u8", "int8 to uint8", np.int8, np.uint8, -3, 100)
	shape_ops()
	float_io()
	two_outputs()
	batch_loop()
	proposal("proposal", "Proposal on random scores with many ties", 100)
	proposal("proposal_limits", "Proposal where both limits cut", 8, before=40, after=9)
	proposal("proposal_none", "Proposal without a single box", 255)
	crop_resize()
	loop("loop_rows", "Loop over as many rows as there are, each convolved", False, True, 3, lambda m, b, x: convolved(m, b, row_by_index(m, b, x), x))
	loop("loop_trips", "Loop over five rows, taken by a scalar", False, False, 3, lambda m, b, x: convolved(m, b, row_by_number(m, b, x), x))
	loop("loop_carried", "Loop that carries a sum", False, True, 4, running_sum)
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
	kept = rng
	op_moves.Moves(sys.modules[__name__]).write()
	rng = kept
	of_two_operands()
	regions()
	chains()
	loop_carrying_three()
	with open(os.path.join(OUT, "levels.txt"), "w") as f:
		f.write("# model, ONNX Runtime's optimization level for its golden output, number of inputs\n")
		f.writelines(levels)
	print(f"{len(levels)} models in {OUT}")


if __name__ == "__main__":
	sys.exit(main())
