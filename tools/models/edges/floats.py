# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: operators that are computed in float between quantized tensors."""
import numpy as np

from common.cases import FLOAT_SUMS
from edges.write import F32, I8, TYPES, U8, Graph, In, helper, i64

X = (2, 3, 4, 5)
OUT = (0.05, 100)

ONE = ("Abs", "Atan", "Celu", "Elu", "Erf", "Exp", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "Neg", "Selu", "Sigmoid", "Softplus", "Softsign", "Tanh")
TWO = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum")


class Floats(Graph):
	"""A model whose tensor is in float behind its first operator."""

	def __init__(self, name, opset=18):
		super().__init__(name)
		self.opset, self.x = opset, self.real(In(*X))
		self.begun = self.normalized(self.x)

	def floats(self, low, high, *shape):
		return self.const(self.rng.uniform(low, high, shape).astype(F32))

	def normalized(self, x):
		"""Scaled and moved for each channel, by other numbers than one table has."""
		return self.node("BatchNormalization", [x, self.floats(0.6, 1.4, 3), self.floats(-1, 1, 3), self.floats(-1, 1, 3), self.floats(0.5, 2, 3)])

	def done(self, value, says=None, quant=OUT):
		self.output(value, U8 if quant else F32, quant)
		return self.case(self.opset, says, FLOAT_SUMS)


def others(g):
	"""Other operands by their names."""
	yield "the tensor", lambda: g.x
	yield "another", lambda: g.real(In(2, 3, 4, 5, dtype=I8, quant=(0.03, -5)))
	yield "another in float", lambda: g.normalized(g.real(In(*X)))
	yield "its means", lambda: g.node("ReduceMean", [g.begun, g.const(i64(2, 3))], keepdims=1)
	yield "a number", lambda: g.const(F32(1.7))
	yield "a number for each channel", lambda: g.floats(0.5, 2, 3, 1, 1)
	yield "a number for each element", lambda: g.floats(0.5, 2, 1, 3, 4, 5)
	yield "quantized numbers", lambda: g.weights((3, 1, 1))


def in_float(g):
	"""What is computed in float32 on the device: of weights that are not quantized."""
	return g.node("ConvTranspose", [g.x, g.floats(-0.3, 0.3, 3, 2, 3, 3), g.floats(-1, 1, 2)])


def given_floats(g, *shape):
	"""An input of float32, in place of the one that there is: nothing of the model is quantized."""
	g.nodes, g.inputs, g.data = [], [helper.make_tensor_value_info("x", TYPES[F32], shape)], [("x", g.rng.uniform(-1, 1, shape).astype(F32))]
	return "x"


def resized():
	"""Resize of what is in float32: along each dimension, and as the graph's does it."""
	scales, region = F32([1, 1, 1.5, 0.6]), F32([0, 0, 0.2, 0.1, 1, 1, 0.8, 1.1])
	for attrs in (
		{"mode": "linear"},
		{"mode": "linear", "antialias": 1},
		{"mode": "linear", "antialias": 1, "exclude_outside": 1},
		{"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 1.5},
		{"mode": "cubic"},
		{"mode": "cubic", "antialias": 1},
		{"mode": "cubic", "cubic_coeff_a": -0.5, "exclude_outside": 1},
		{"mode": "cubic", "coordinate_transformation_mode": "align_corners"},
		{"mode": "cubic", "coordinate_transformation_mode": "asymmetric"},
		{"mode": "cubic", "coordinate_transformation_mode": "tf_half_pixel_for_nn"},
	):
		of_opset = 11 if "tf_half_pixel_for_nn" in attrs.values() else 18
		g = Floats(f"Resize in float, {', '.join(f'{name} {value}' for name, value in attrs.items())}", of_opset)
		cut = attrs.get("coordinate_transformation_mode") == "tf_crop_and_resize"
		yield g.done(g.node("Resize", [in_float(g), g.const(region) if cut else g.const(F32([])), g.const(scales)], **attrs))
		g = Floats(f"{g.name}, of nothing quantized", of_opset)
		yield g.done(g.node("Resize", [given_floats(g, *X), g.const(region) if cut else g.const(F32([])), g.const(scales)], **attrs), quant=None)
	g = Floats("Resize in float, of lines")
	lines = g.node("Reshape", [in_float(g), g.const(i64(0, 2, -1))])
	yield g.done(g.node("Resize", [lines, "", g.const(F32([1, 1, 0.7]))], mode="linear"))
	for mode in ("linear", "nearest"):
		g = Floats(f"Resize, {mode}, with exclude_outside")
		yield g.done(g.node("Resize", [g.x, "", g.const(scales)], mode=mode, exclude_outside=1), "its exclude_outside is for cubic")


def floats():
	"""Functions of one element and of two; clamps; what sums, moves and convolves, one behind the other."""
	for op in ONE:
		g = Floats(f"{op}")
		yield g.done(g.node(op, [g.begun]))
	g = Floats("Gelu, twice", 20)
	yield g.done(g.node("Gelu", [g.node("Gelu", [g.begun], approximate="tanh")]))
	for op in TWO:
		for name in [name for name, _ in others(Floats(""))]:
			for turned in (0, 1):
				g = Floats(f"{op}, {name}{', turned' if turned else ''}")
				operands = [g.begun, dict(others(g))[name]()]
				yield g.done(g.node(op, operands[::-1] if turned else operands), quant=(0.5, 100) if op in ("Mul", "Div") else OUT)
	for name, chain in (("clamped means", ("Relu", "GlobalAveragePool")), ("clamped twice", ("Elu", "Relu", "Sigmoid", "Relu")), ("clamped", ("Relu",)),
			    ("clamped and moved", ("Relu", "Transpose"))):
		g = Floats(name)
		value = g.begun
		for op in chain:
			value = g.node(op, [value], **({"perm": [0, 3, 1, 2]} if op == "Transpose" else {}))
		yield g.done(value)
	g = Floats("clipped")
	yield g.done(g.node("Clip", [g.node("Sin", [g.begun]), g.const(F32(-0.25)), g.const(F32(0.75))]))
	g = Floats("PRelu in float")
	yield g.done(g.node("PRelu", [g.begun, g.floats(-0.5, 0.5, 3, 1, 1)]))
	g = Floats("PRelu by floats, moved, and its means")
	value = g.node("Transpose", [g.node("PRelu", [g.x, g.floats(-0.5, 0.5, 3, 1, 1)])], perm=[0, 2, 3, 1])
	yield g.done(g.node("ReduceMean", [value, g.const(i64(2))], keepdims=0))
	g = Floats("a sum moved, and its means")
	value = g.node("Transpose", [g.node("Add", [g.x, g.real(In(*X))])], perm=[0, 2, 3, 1])
	yield g.done(g.node("ReduceMean", [value, g.const(i64(2))], keepdims=0))
	for stride in (1, 2):
		g = Floats(f"ConvTranspose by {stride}, and Elu, and another")
		value = g.node("ConvTranspose", [g.x, g.floats(-0.3, 0.3, 3, 4, 3, 3), g.floats(-1, 1, 4)], strides=[stride] * 2)
		yield g.done(g.node("ConvTranspose", [g.node("Elu", [value]), g.floats(-0.3, 0.3, 4, 2, 2, 3)], group=2, dilations=[2, 1], pads=[1, 0, 1, 1]))
	for size in (1, 2):
		g = Floats(f"ConvTranspose with a bias of {size} for 4 outputs")
		made = g.node("ConvTranspose", [given_floats(g, *X), g.floats(-0.3, 0.3, 3, 4, 3, 3), g.floats(-1, 1, size)])
		yield g.done(made, f"its bias has {size} elements, of 1 dimensions, for 4 outputs", quant=None)
	yield from resized()
	for op in ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceSumSquare"):
		for axes in ([], [i64()]):
			g = Floats(f"{op} of {'an empty list of' if axes else 'no'} axes")
			value = g.node("Exp", [in_float(g)]) if op == "ReduceLogSum" else in_float(g)
			yield g.done(g.node(op, [value, *(g.const(a) for a in axes)], noop_with_empty_axes=1), quant=(0.1, 100))
	g = Floats("two LayerNormalizations")
	value = g.node("LayerNormalization", [g.x, g.floats(0.5, 2, 5), g.floats(-1, 1, 5)])
	yield g.done(g.node("LayerNormalization", [value, g.floats(0.5, 2, 4, 5)], axis=2))
	g = Floats("LayerNormalization with more scales than elements")
	yield g.done(g.node("LayerNormalization", [given_floats(g, 2, 3, 1), g.floats(0.5, 2, 5)]), "more elements than what it normalizes", quant=None)
	g = Floats("two uses of what is in float")
	yield g.done(g.node("Mul", [g.node("Sigmoid", [g.begun]), g.begun]))
	for op in ("Mul", "Div"):
		g = Floats(f"{op} by a root of another")
		other = g.real(In(2, 3, 4, 1, quant=(0.03, 0)))
		yield g.done(g.node(op, [g.x, g.node("Sqrt", [g.node("Add", [other, g.const(F32(0.5))])])]))
	g = Floats("numbers of quantized constants")
	number = g.node("Sub", [g.weights((3, 1, 1)), g.const(F32(2.5))])
	number = g.node("Max", [g.node("Neg", [number]), g.weights((1, 4, 1))])
	yield g.done(g.node("Add", [g.x, g.node("DequantizeLinear", [g.node("QuantizeLinear", [number, *g.quant((0.02, 9), U8)]), *g.quant((0.02, 9), U8)])]))
	g = Floats("a constant quantized again")
	again = g.node("QuantizeLinear", [g.weights((3, 1, 1)), *g.quant((0.013, 99), U8)])
	yield g.done(g.node("Mul", [g.x, g.node("DequantizeLinear", [again, *g.quant((0.013, 99), U8)])]))
	for upper in (0, 1):
		for k in (-2, 0, 3):
			g = Floats(f"a triangle of numbers, {k}, {'upper' if upper else 'lower'}")
			mask = g.node("Trilu", [g.node("Expand", [g.const(F32(1.5)), g.const(i64(2, 1, 4, 5))]), g.const(np.int64(k))], upper=upper)
			mask = g.node("Where", [g.node("Equal", [mask, g.const(F32(0))]), g.const(F32(-2)), mask])
			mask = g.node("Slice", [mask, g.const(i64(1)), g.const(i64(2)), g.const(i64(0))])
			yield g.done(g.node("Add", [g.x, g.node("DequantizeLinear", [g.node("QuantizeLinear", [mask, *g.quant((0.02, 9), I8)]), *g.quant((0.02, 9), I8)])]))
	g = Floats("a token of each item, moved")
	token = g.node("Expand", [g.floats(-1, 1, 1, 5, 3), g.node("Concat", [g.node("Shape", [g.x], start=0, end=1), g.const(i64(5, 3))], axis=0)])
	token = g.node("QuantizeLinear", [g.node("Transpose", [token], perm=[0, 2, 1]), *g.quant((0.02, 9), I8)])
	rows = g.node("Reshape", [g.x, g.const(i64(0, 3, 20))])
	yield g.done(g.node("Concat", [g.node("DequantizeLinear", [token, *g.quant((0.02, 9), I8)]), rows], axis=2))
	g = Floats("another number of dimensions")
	yield g.done(g.node("Add", [g.begun, g.node("ReduceMean", [g.begun, g.const(i64(3))], keepdims=0)]), "dimensions, by which the batch")


FILES = {"floats": floats}
