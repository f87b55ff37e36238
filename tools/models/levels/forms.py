# SPDX-License-Identifier: MIT
"""A typical form of each operator that rounds, as a float graph of one node, for levels.py: sizes and ranges as models have them, so that ties are as rare as there.

quantize() makes the model that quantize_static() would: QuantizeLinear and DequantizeLinear around the node, over the ranges that ONNX Runtime finds. The
operators of integers (QLinearConv and others) are made from the float operator that they stand for.
"""
from dataclasses import dataclass, field, replace

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from networks.static_quantize import parameters, round_to

OPSET = 20
IMAGE, LINE, TABLE = (4, 32, 24, 24), (4, 64, 96), (32, 256)
SEVERAL = 24  # models of an operator of two tensors
NUMBERS = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8}
RUN = ort.SessionOptions()
RUN.log_severity_level = 4


@dataclass
class Form:
	"""`inputs` are activations; the node reads them, then weights, bias and other constants (or "" for none) at the places that `constants` names."""
	op: str
	inputs: list
	constants: dict = field(default_factory=dict)	# place: array, which stays as it is
	weights: tuple = ()				# place, array, axis of the outputs
	bias: int = 0					# its place, of as many as the outputs
	attrs: dict = field(default_factory=dict)
	outputs: int = 1
	integers: bool = False				# the output is of int64 or bool
	like: str = ""					# the float operator of com.microsoft's or a QLinear one
	result: tuple = ()				# range of the output, if the operator has its own
	opset: int = OPSET
	only: type = None				# activations that it has
	kept: bool = False				# the result has the input's scale, as quantize_static() has it


def rng_of(name):
	return np.random.default_rng(sum(map(ord, name)))


def signed(name, shape, count=1):
	rng = rng_of(name)
	return [rng.normal(0.1, 1.3, shape).astype(np.float32) for _ in range(count)]


def between(name, shape, low, high):
	return [rng_of(name).uniform(low, high, shape).astype(np.float32)]


def of_two(op, i):
	"""Two tensors of other ranges each time: what lies near the middle between two integers depends on the scales."""
	a, b = signed(f"{op}{i}", (4, 32, 16, 16), 2)
	return [a, (b * rng_of(f"{i}{op}").uniform(0.2, 1.5)).astype(np.float32)]


def weighted(op, shape, weight_shape, axis, **attrs):
	rng = rng_of(op)
	inner = int(np.prod(weight_shape)) // weight_shape[axis]
	array = rng.normal(0, 1, weight_shape) / np.sqrt(inner)
	array *= rng.uniform(0.3, 1.5, [n if i == axis else 1 for i, n in enumerate(weight_shape)])
	return Form(op, signed(op, shape), weights=(1, array.astype(np.float32), axis), bias=2, attrs=attrs)


def list_forms():
	forms = []
	add = lambda *args, **more: forms.append(Form(*args, **more))

	# Functions of one element.
	for op in ("Abs Atan Asinh Ceil Cos Elu Erf Floor HardSigmoid HardSwish LeakyRelu Mish Neg Relu Round Selu Celu Shrink Sigmoid Sign Sin Sinh Cosh Softplus Softsign Swish Tanh "
		   "ThresholdedRelu Exp Gelu").split():
		add(op, signed(op, IMAGE), opset=24 if op == "Swish" else OPSET)
	for op, low, high in (("Acos", -1, 1), ("Asin", -1, 1), ("Atanh", -0.9, 0.9), ("Acosh", 1, 4), ("Log", 0, 4), ("Sqrt", 0, 4), ("Reciprocal", 1, 4), ("Tan", -1, 1)):
		add(op, between(op, IMAGE, low, high))
	add("Pow", signed("Pow", IMAGE), {1: np.float32(2)})
	add("Clip", signed("Clip", IMAGE), {1: np.float32(0), 2: np.float32(2)})

	# Of two tensors.
	for op in "Add Sub Mul Max Min Sum".split():
		for i in range(SEVERAL):
			add(op, of_two(op, i))
	add("Div", signed("Div", IMAGE) + between("Div", IMAGE, 1, 3))
	add("PRelu", signed("PRelu", IMAGE), {1: rng_of("PRelu").uniform(0, 0.5, (32, 1, 1)).astype(np.float32)})
	for op in "Equal Greater GreaterOrEqual Less LessOrEqual".split():
		add(op, signed(op, IMAGE, 2), integers=True)
	add("Concat", signed("Concat", IMAGE, 2), attrs={"axis": 1})

	# Sums of products.
	image = {"pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
	forms.append(weighted("Conv", IMAGE, (48, 32, 3, 3), 0, **image))
	forms.append(weighted("Conv", IMAGE, (32, 1, 3, 3), 0, group=32, **image))
	forms.append(weighted("Conv", IMAGE, (48, 32, 1, 1), 0, kernel_shape=[1, 1]))
	forms.append(weighted("ConvTranspose", IMAGE, (32, 16, 2, 2), 1, kernel_shape=[2, 2], strides=[2, 2]))
	forms.append(weighted("Gemm", TABLE, (256, 200), 1))
	forms.append(weighted("MatMul", (8, 32, 256), (256, 200), 1))
	forms[-1].bias = 0
	add("MatMul", [signed("MatMul", (4, 8, 32, 64))[0], signed("MatMul2", (4, 8, 64, 48))[0]])
	for form, name in [(forms[-7], "QLinearConv"), (forms[-2], "QLinearMatMul"), (forms[-3], "QGemm")]:
		add(name, form.inputs, weights=form.weights, bias=form.bias, attrs=form.attrs, like=form.op)

	# Windows, means and sums.
	for op in ("AveragePool", "QLinearAveragePool"):
		add(op, signed(op, IMAGE), attrs={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}, like="AveragePool" if op[0] == "Q" else "", kept=True)
		add(op, signed(op, IMAGE), attrs={"kernel_shape": [2, 2], "strides": [2, 2]}, like="AveragePool" if op[0] == "Q" else "", kept=True)
	add("MaxPool", signed("MaxPool", IMAGE), attrs=image)
	for op in "GlobalAveragePool GlobalMaxPool GlobalLpPool QLinearGlobalAveragePool".split():
		attrs = {"channels_last": 0} if op[0] == "Q" else {}
		for side in (14, 4):
			add(op, signed(op, (32, 64, side, side)), attrs=attrs, like="GlobalAveragePool" if op[0] == "Q" else "")
	for op in "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceSum ReduceSumSquare".split():
		add(op, signed(op, (32, 64, 14, 14)), {1: np.array([2, 3], np.int64)})
	add("ReduceProd", between("ReduceProd", (64, 64, 4), 0.7, 1.3), {1: np.array([-1], np.int64)})
	add("CumSum", signed("CumSum", (16, 12, 64)), {1: np.array(1, np.int64)})
	sizes = np.array([4, 32, 48, 48], np.int64)
	add("Resize", signed("Resize", IMAGE), {1: None, 2: None, 3: sizes}, attrs={"mode": "linear"}, kept=True)
	add("Resize", signed("Resize", IMAGE), {1: None, 2: None, 3: sizes}, attrs={"mode": "nearest"}, kept=True)
	boxes = np.array([[1 + i, 2, 12 + i / 2, 20.5] for i in range(12)], np.float32)
	add("RoiAlign", signed("RoiAlign", IMAGE), {1: boxes, 2: np.arange(12, dtype=np.int64) % 4},
	    attrs={"output_height": 7, "output_width": 7, "sampling_ratio": 2})

	# Softmax and normalizations.
	for op in ("Softmax", "LogSoftmax", "Hardmax"):
		add(op, signed(op, (64, 8, 50)), attrs={"axis": -1}, result=(0, 1) if op != "LogSoftmax" else ())
	factor, shift = (rng_of(n).uniform(0.5, 1.5, 256).astype(np.float32) for n in ("factor", "shift"))
	add("LayerNormalization", signed("LayerNormalization", (8, 32, 256)), {1: factor, 2: shift - 1}, attrs={"axis": -1})
	add("RMSNormalization", signed("RMSNormalization", (8, 32, 256)), {1: factor}, attrs={"axis": -1}, opset=23)
	add("InstanceNormalization", signed("InstanceNormalization", IMAGE), {1: factor[:32], 2: shift[:32] - 1})
	add("BatchNormalization", signed("BatchNormalization", IMAGE), {1: factor[:32], 2: shift[:32] - 1, 3: shift[32:64] - 1, 4: factor[32:64]})
	add("LpNormalization", signed("LpNormalization", (32, 32, 64)), attrs={"axis": -1, "p": 2})

	add("GroupNormalization", signed("GroupNormalization", IMAGE), {1: factor[:32], 2: shift[:32] - 1}, attrs={"num_groups": 4}, opset=21)
	add("MeanVarianceNormalization", signed("MeanVarianceNormalization", IMAGE), attrs={"axes": [1, 2, 3]})
	add("LRN", signed("LRN", IMAGE), attrs={"size": 5, "alpha": 0.5})
	add("Mean", of_two("Mean", 0))

	# Of the newest opsets, and what is made of others.
	queries, keys, values = signed("Attention", (2, 4, 24, 32), 3)
	add("Attention", [queries, keys, values], opset=24)
	angles = np.tile(rng_of("RotaryEmbedding").uniform(0, 6.28, (1, 32, 16)).astype(np.float32), (2, 1, 1))
	add("RotaryEmbedding", signed("RotaryEmbedding", (2, 4, 32, 32)), {1: np.cos(angles), 2: np.sin(angles)}, opset=23)
	add("Einsum", [signed("Einsum", (4, 8, 32, 64))[0], signed("Einsum2", (4, 8, 64, 48))[0]], attrs={"equation": "bhij,bhjk->bhik"})
	grid = rng_of("GridSample").uniform(-1.1, 1.1, (4, 24, 24, 2)).astype(np.float32)
	for mode in ("linear", "nearest", "cubic"):
		add("GridSample", signed("GridSample", IMAGE), {1: grid}, attrs={"mode": mode})
	for mode in ("cubic", "linear"):
		add("Resize", signed("Resize", IMAGE), {1: None, 2: np.array([1, 1, 1.75, 0.5], np.float32)}, attrs={"mode": mode, "antialias": 1})
	add("Resize", signed("Resize", IMAGE), {1: None, 2: np.array([1, 1, 2, 2], np.float32)}, attrs={"mode": "cubic"})
	right = rng_of("NegativeLogLikelihoodLoss").integers(0, 64, (32, 14, 14))
	for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
		add(op, signed(op, (32, 64, 14, 14)), {1: right}, attrs={"reduction": "none"})
	add("LpPool", signed("LpPool", IMAGE), attrs={"kernel_shape": [2, 2], "strides": [2, 2], "p": 2})
	add("ReduceLogSum", between("ReduceLogSum", (32, 64, 14, 14), 0.1, 4), {1: np.array([2, 3], np.int64)})
	add("ReduceLogSumExp", signed("ReduceLogSumExp", (32, 64, 14, 14)), {1: np.array([2, 3], np.int64)})

	# Those of com.microsoft that are left.
	for i in range(SEVERAL):
		add("QLinearAdd", of_two("Add", i), like="Add")
		add("QLinearMul", of_two("Mul", i), like="Mul")
	add("QLinearConcat", signed("QLinearConcat", IMAGE, 2), attrs={"axis": 1}, like="Concat")
	add("QLinearLeakyRelu", signed("QLinearLeakyRelu", IMAGE), attrs={"alpha": 0.1}, like="LeakyRelu")
	add("QLinearSigmoid", signed("QLinearSigmoid", IMAGE), like="Sigmoid")
	add("QLinearSoftmax", signed("QLinearSoftmax", (64, 8, 50)), attrs={"axis": -1, "opset": 13}, like="Softmax", result=(0, 255 / 256), only=np.uint8)
	return forms


# ---- Quantizing ----


class Model:
	def __init__(self, opset):
		self.opset, self.nodes, self.inits, self.inputs = opset, [], [], []

	def const(self, name, array):
		self.inits.append(numpy_helper.from_array(np.asarray(array), name))
		return name

	def quant(self, name, scale, zero):
		return [self.const(name + "_scale", np.asarray(scale, np.float32)), self.const(name + "_zero", zero)]

	def node(self, op, inputs, outputs, domain="", **attrs):
		self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attrs))
		return outputs[0]

	def encode(self, outputs):
		graph = helper.make_graph(self.nodes, "g", self.inputs, [helper.make_tensor_value_info(*o, None) for o in outputs], self.inits)
		model = helper.make_model(graph, producer_name="", opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)])
		model.ir_version = 10
		return model.SerializeToString()


def float_op(form):
	return form.like or form.op


def float_attrs(form):
	return {name: value for name, value in form.attrs.items() if not form.like or name not in ("channels_last", "opset")}


def run_float(form):
	"""What the float operator makes of the float inputs: its range is the output's."""
	m = Model(form.opset)
	places = {}
	for i, array in enumerate(form.inputs):
		m.inputs.append(helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, array.shape))
		places[i] = f"x{i}"
	for place, array in form.constants.items():
		places[place] = "" if array is None else m.const(f"c{place}", array)
	if form.weights:
		places[form.weights[0]] = m.const("w", form.weights[1])
	m.node(float_op(form), [places[i] for i in range(max(places) + 1)], ["y"], **float_attrs(form))
	session = ort.InferenceSession(m.encode([("y", TensorProto.FLOAT)]), RUN, providers=["CPUExecutionProvider"])
	return session.run(None, {f"x{i}": array for i, array in enumerate(form.inputs)})[0]


@dataclass
class Types:
	activations: type
	weights: type = None
	per_channel: bool = False
	powers: bool = False	# scales are powers of two, so that many numbers lie in the middle between two integers

	def __str__(self):
		name = lambda kind: np.dtype(kind).name
		weights = f" weights {name(self.weights)} {'per-channel' if self.per_channel else 'per-tensor'}" if self.weights else ""
		return name(self.activations) + (" powers-of-two" if self.powers else "") + weights

	def parameters(self, low, high, dtype, symmetric=False):
		scale, zero = parameters(low, high, dtype, symmetric)
		return (np.float32(2.0 ** np.rint(np.log2(scale))), zero) if self.powers else (scale, zero)


def list_types(form):
	some = [Types(np.uint8), Types(np.int8)]
	if form.weights:
		some = [Types(np.uint8, np.int8, True), Types(np.uint8, np.int8), Types(np.uint8, np.uint8), Types(np.int8, np.int8, True), Types(np.int8, np.int8)]
	some = [types for types in some if form.only in (None, types.activations)]
	return some + [replace(types, powers=True) for types in some if not types.weights or types.per_channel]


def quantize_weights(m, form, types, x_scale):
	"""Names of integers, scale and zero point, and of the bias."""
	place, values, axis = form.weights
	if types.per_channel:
		others = tuple(i for i in range(values.ndim) if i != axis)
		pairs = [types.parameters(a, b, types.weights, True) for a, b in zip(values.min(others), values.max(others))]
		scale, zero = np.array([p[0] for p in pairs], np.float32), np.array([p[1] for p in pairs], types.weights)
		shape = [-1 if i == axis else 1 for i in range(values.ndim)]
		integers = round_to(values, scale.reshape(shape), zero.reshape(shape))
	else:
		scale, zero = types.parameters(values.min(), values.max(), types.weights, types.weights == np.int8)
		integers = round_to(values, scale, zero)
	names = [m.const("w_quantized", integers), *m.quant("w", scale, zero)]
	if not form.bias:
		return names, None, None
	bias_scale = np.broadcast_to(np.float32(x_scale) * scale, (values.shape[axis],)).astype(np.float32)
	bias = np.rint(rng_of("bias").normal(0, 0.3, values.shape[axis]) / bias_scale).astype(np.int32)
	return names, m.const("b_quantized", bias), bias_scale


def quantize(form, types):
	"""The model, its inputs by name."""
	m = Model(form.opset)
	feeds, quants, places = {}, [], {}
	for i, array in enumerate(form.inputs):
		scale, zero = types.parameters(array.min(), array.max(), types.activations)
		name = f"x{i}"
		feeds[name] = round_to(array, scale, zero)
		m.inputs.append(helper.make_tensor_value_info(name, NUMBERS[np.dtype(types.activations)], array.shape))
		quants.append((scale, [name, *m.quant(name, scale, zero)]))
	result = None if form.integers else form.result or run_float(form)
	y = None
	if not form.integers:
		low, high = (result[0], result[1]) if form.result else (result[np.isfinite(result)].min(), result[np.isfinite(result)].max())
		if form.kept:
			y = m.quant("y", quants[0][0], types.parameters(form.inputs[0].min(), form.inputs[0].max(), types.activations)[1])
		else:
			y = m.quant("y", *types.parameters(low, high, types.activations))
	weights = bias = None
	if form.weights:
		weights, bias, bias_scale = quantize_weights(m, form, types, quants[0][0])
	if form.like:
		return finish_integers(m, form, quants, weights, bias, y, types), feeds
	for i, (_, names) in enumerate(quants):
		places[i] = m.node("DequantizeLinear", names, [f"x{i}_real"])
	for place, array in form.constants.items():
		places[place] = "" if array is None else m.const(f"c{place}", array)
	if weights:
		attrs = {"axis": form.weights[2]} if types.per_channel else {}
		places[form.weights[0]] = m.node("DequantizeLinear", weights, ["w_real"], **attrs)
	if bias:
		places[form.bias] = m.node("DequantizeLinear", [bias, m.const("b_scale", bias_scale), m.const("b_zero", np.zeros(len(bias_scale), np.int32))], ["b_real"], axis=0)
	out = m.node(form.op, [places[i] for i in range(max(places) + 1)], ["y" if form.integers else "y_real"], **form.attrs)
	if form.integers:
		return m.encode([("y", TensorProto.BOOL)]), feeds
	m.node("QuantizeLinear", [out, *y], ["y"])
	return m.encode([("y", NUMBERS[np.dtype(types.activations)])]), feeds


def finish_integers(m, form, quants, weights, bias, y, types):
	"""The operator of integers, with scale and zero point of each tensor as inputs."""
	domain = "" if form.op in ("QLinearConv", "QLinearMatMul") else "com.microsoft"
	xs = [name for _, names in quants for name in names]
	if form.op == "QLinearConcat":
		inputs = [*y, *xs]
	elif form.op == "QGemm":
		inputs = [*xs, *weights, bias or "", *y]
	else:
		inputs = [*xs, *(weights or []), *y, *([bias] if bias else [])]
	m.node(form.op, inputs, ["y"], domain, **form.attrs)
	return m.encode([("y", NUMBERS[np.dtype(types.activations)])])
