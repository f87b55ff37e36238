# SPDX-License-Identifier: MIT
"""The models of write.py that multiply matrices of which none is one of weights, and those that go along a dimension: ArgMax, LogSoftmax."""
import numpy as np
from onnx import TensorProto, helper

import ops.model
from ops.model import TYPES, Model

GRIDS = ((0.05, 77), (0.031, 140), (0.7, 60))


def operands(m, shapes, dtypes, grids):
	"""A list instead of a tuple is the shape of a constant, whose numbers are small."""
	tensors = []
	for i, (shape, dtype, (scale, zero)) in enumerate(zip(shapes, dtypes, grids)):
		zero -= 0 if dtype == np.uint8 else 128
		if isinstance(shape, tuple):
			tensors.append(m.input(shape, dtype, scale, zero))
		else:
			m.const(f"k{i}", ops.model.rng.integers(max(np.iinfo(dtype).min, zero - 64), min(np.iinfo(dtype).max, zero + 64) + 1, shape).astype(dtype))
			tensors.append(m.quantized(f"k{i}", dtype, scale, zero))
	return tensors


def matmul(name, doc, shapes, out, dtypes=(np.uint8, np.uint8, np.uint8), grids=GRIDS, act=None):
	m = Model()
	value = m.node("MatMul", [m.real(x) for x in operands(m, shapes, dtypes, grids)], "product")
	if act:
		value = m.node(act, [value], "act")
	y = m.output(value, ["N", *out], dtypes[2], grids[2][0], grids[2][1] - (0 if dtypes[2] == np.uint8 else 128))
	m.save(name, y, f"MatMul, {doc}", True)


def qlinear_matmul(name, doc, shapes, out, dtypes=(np.uint8, np.uint8, np.uint8), grids=GRIDS):
	m = Model()
	x = operands(m, shapes, dtypes, grids)
	y = m.quantized("y", dtypes[2], grids[2][0], grids[2][1] - (0 if dtypes[2] == np.uint8 else 128))
	m.nodes.append(helper.make_node("QLinearMatMul", [v for t in x for v in t] + list(y[1:]), ["y"], name="y"))
	m.save(name, helper.make_tensor_value_info("y", TYPES[np.dtype(dtypes[2])], ["N", *out]), f"QLinearMatMul, {doc}", True)


def matmul_integer():
	m = Model()
	a, b = (m.plain_input(f"x{i}", ops.model.rng.integers(0, 256, shape).astype(np.uint8), ["N", *shape[1:]]) for i, shape in enumerate([(3, 2, 7, 20), (3, 1, 20, 9)]))
	m.node("MatMulInteger", [a, b, m.const("a_zero", np.uint8(7)), m.const("b_zero", np.uint8(140))], "y")
	m.save("matmul_integer", helper.make_tensor_value_info("y", TensorProto.INT32, ["N", 2, 7, 9]), "MatMulInteger of two tensors", True)


def attention():
	"""Queries times turned keys, their softmax times values; heads are made of parts of the last dimension."""
	m = Model()
	reals = []
	for i, perm in enumerate(([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])):
		x = m.real(m.input((3, 5, 24), np.uint8, 0.03, 120 + i))
		x = m.node("Reshape", [x, m.const(f"heads{i}", np.array([0, 5, 3, 8], np.int64))], f"split{i}")
		reals.append(m.node("Transpose", [x], f"turned{i}", perm=perm))
	m.output(m.node("MatMul", reals[:2], "scores_float"), None, np.uint8, 0.1, 128, "scores")
	m.output(m.node("Softmax", [m.dequantize("scores", "scores_scale", "scores_zero")], "weights_float", axis=-1), None, np.uint8, 1 / 256, 0, "weights")
	mixed = m.node("MatMul", [m.dequantize("weights", "weights_scale", "weights_zero"), reals[2]], "mixed")
	turned = m.node("Transpose", [mixed], "turned", perm=[0, 2, 1, 3])
	flat = m.node("Reshape", [turned, m.const("whole", np.array([0, 5, 24], np.int64))], "flat")
	m.save("matmul_attention", m.output(flat, ["N", 5, 24], np.uint8, 0.02, 125), "MatMul, Softmax, MatMul, as of attention", True)


def halves():
	"""Sums next to the middle between two steps, and there."""
	m = Model()
	a = m.input((2, 41, 2), np.uint8, 0.5, 20)
	b = m.input((2, 2, 41), np.uint8, 0.25, 20)
	m.data[0][..., 0] = m.data[1][:, 0, :] = np.arange(41)
	m.data[0][..., 1] = m.data[1][:, 1, :] = 21
	m.node("MatMul", [m.real(a), m.real(b)], "product")
	m.save("matmul_halves", m.output("product", ["N", 41, 41], np.uint8, 2.0, 30), "MatMul, ties", True)


def arg(name, op, shape, dtype=np.uint8, real=True, few=True, opset=None, pool=False, **attrs):
	m = Model()
	x = m.input(shape, dtype, 0.05, 7)
	if few:  # so that there are equal ones
		m.data[0][:] = m.data[0] % 5
	value = m.real(x) if real else x[0]
	if pool:  # which leaves the channels last
		value = m.node("MaxPool", [value], "most", kernel_shape=[2, 2])
		shape = (*shape[:2], shape[2] - 1, shape[3] - 1)
	axis = attrs.get("axis", 0) % len(shape)
	m.node(op, [value], "y", **attrs)
	out = [1 if i == axis else d for i, d in enumerate(shape) if i != axis or attrs.get("keepdims", 1)]
	m.save(name, helper.make_tensor_value_info("y", TensorProto.INT64, ["N", *out[1:]]), f"{op}, {attrs}", False, opset=opset)


def log_softmax(name, shape, dtype=np.uint8, scale=0.05, out=(0.05, 255), opset=None, **attrs):
	m = Model()
	x = m.input(shape, dtype, scale, 100)
	m.node("LogSoftmax", [m.real(x)], "log", **attrs)
	m.save(name, m.output("log", ["N", *shape[1:]], np.uint8, *out), f"LogSoftmax, {attrs}", False, opset=opset)


@ops.model.numbers(43)
def write():
	u8, i8 = np.uint8, np.int8
	matmul("matmul_two", "of two tensors", [(3, 7, 20), (3, 20, 9)], (7, 9))
	matmul("matmul_two_i8", "of two tensors of int8", [(3, 2, 7, 20), (3, 2, 20, 9)], (2, 7, 9), (i8, i8, i8))
	matmul("matmul_u8_i8", "of uint8 and int8, to int8", [(3, 7, 20), (3, 20, 9)], (7, 9), (u8, i8, i8))
	matmul("matmul_i8_u8", "of int8 and uint8", [(3, 7, 20), (3, 20, 9)], (7, 9), (i8, u8, u8))
	matmul("matmul_broadcast", "where both are broadcast", [(3, 1, 4, 7, 20), (3, 2, 1, 20, 5)], (2, 4, 7, 5))
	matmul("matmul_batches", "of a tensor and constants for each head", [(3, 4, 7, 20), [4, 20, 5]], (4, 7, 5))
	matmul("matmul_batches_rows", "of a tensor of three dimensions and a constant of four", [(3, 1, 7, 20), [1, 2, 20, 5]], (2, 7, 5))
	matmul("matmul_left", "of a constant and a tensor", [[7, 20], (3, 20, 5)], (7, 5))
	matmul("matmul_left_vector", "of a vector and a tensor", [[20], (3, 4, 20, 5)], (4, 5))
	matmul("matmul_vector", "of a tensor and a vector", [(3, 4, 20), [20]], (4,))
	matmul("matmul_row_vector", "of rows and a vector", [(3, 20), [20]], ())
	matmul("matmul_one_matrix", "of a tensor and one matrix of three dimensions", [(3, 4, 20), [1, 20, 6]], (4, 6))
	matmul("matmul_relu", "then Relu", [(3, 7, 20), (3, 20, 9)], (7, 9), act="Relu")
	qlinear_matmul("qlinear_matmul_two", "of two tensors", [(3, 2, 7, 20), (3, 2, 20, 9)], (2, 7, 9), (u8, i8, u8))
	qlinear_matmul("qlinear_matmul_left", "of a constant and a tensor", [[7, 20], (3, 20, 9)], (7, 9))
	qlinear_matmul("qlinear_matmul_batches", "of a tensor and constants for each head, int8", [(3, 4, 7, 20), [4, 20, 5]], (4, 7, 5), (i8, i8, i8))
	attention()
	halves()
	arg("argmax", "ArgMax", (3, 5, 6, 7), axis=1)
	arg("argmax_last", "ArgMax", (3, 5, 6, 7), np.int8, axis=-1, keepdims=0, select_last_index=1)
	arg("argmax_stored", "ArgMax", (3, 5, 37), real=False, few=False, axis=2, keepdims=0)
	arg("argmax_image", "ArgMax", (3, 5, 6, 7), pool=True, axis=1, keepdims=0)
	arg("argmax_image_rows", "ArgMax", (3, 5, 6, 7), pool=True, axis=2, keepdims=1)
	arg("argmax_image_columns", "ArgMax", (3, 5, 6, 7), pool=True, axis=3, keepdims=0)
	arg("argmin", "ArgMin", (3, 5, 6, 7), axis=2, keepdims=1)
	arg("argmin_last", "ArgMin", (3, 40), axis=1, keepdims=0, select_last_index=1)
	arg("argmin_opset_11", "ArgMin", (3, 4, 40), axis=-2, opset=11)
	log_softmax("logsoftmax", (3, 37))
	log_softmax("logsoftmax_axis", (3, 5, 6, 7), axis=1)
	log_softmax("logsoftmax_flat", (3, 4, 5), opset=11)
	log_softmax("logsoftmax_fine", (40, 100), scale=0.01, out=(0.025, 300 - 45), axis=-1)
	matmul_integer()
