# SPDX-License-Identifier: MIT
"""The models of write.py whose operators are folded: functions of one element to a table, computed shapes to a constant."""
import numpy as np
from onnx import helper

import ops.model
from ops.model import Model


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


def computed_size():
	"""Reshape to [0, elements / rows], of Size and ConstantOfShape."""
	m = Model()
	x = m.real(m.input((4, 6, 4, 5), np.uint8, 0.04, 9))
	rows = m.node("Gather", [m.node("Shape", [x], "shape"), m.const("first", np.int64(0))], "rows")
	m.node("Unsqueeze", [m.node("Div", [m.node("Size", [x], "size"), rows], "item"), m.const("axes", np.array([0], np.int64))], "items")
	zero = m.node("ConstantOfShape", [m.const("one", np.array([1], np.int64))], "zero", value=helper.make_tensor("value", 7, [1], [0]))
	m.node("Reshape", [x, m.node("Concat", [zero, "items"], "dims", axis=0)], "moved")
	m.save("reshape_size", m.output("moved", ["N", 120], np.uint8, 0.04, 9), "Reshape to a size that is computed", True)


@ops.model.numbers(30)
def write():
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
	for name, factor, scale, zero in [("sin", 1, 0.008, 128), ("cos", 1, 0.008, 128), ("tan", 0.25, 0.05, 100), ("asin", 0.15, 0.0125, 100), ("acos", 0.2, 0.0125, 0), ("atan", 1, 0.0125, 128),
					  ("sinh", 0.4, 0.05, 90), ("cosh", 0.4, 0.04, 0), ("asinh", 1, 0.02, 100), ("acosh", 1, 0.012, 3), ("atanh", 0.2, 0.03, 60)]:
		chain(f"chain_{name}", f"{name.capitalize()} of {factor} * x", u8, [("Mul", [None, factor], {}), (name.capitalize(), [None], {})], scale, zero)
	chain("chain_shrink", "Shrink, then Sum with x", i8, [("Shrink", [None], {"bias": 0.25, "lambd": 1.5}), ("Sum", ["x", None, 1], {})], 0.08, 60)
	chain("chain_shrink_default", "Shrink without attributes", u8, [("Shrink", [None], {})], 0.037, 90)
	computed_size()
