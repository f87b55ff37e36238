# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: activations of 16 bits, by both domains that have QuantizeLinear to them; integers of 16 bits as such."""
import numpy as np
from onnx import TensorProto

from common.cases import FLOAT_SUMS
from edges.write import F32, I8, I64, S16, U8, U16, Graph, In, i64

SCALE, STEP = 1.5e-4, 2.1e-4
MIDDLE = {U16: 32768, S16: 0}
X = (2, 3, 4, 5)


class Wide(Graph):
	"""A graph whose QuantizeLinear and DequantizeLinear are those of com.microsoft, before opset 21."""

	def __init__(self, name, opset=21):
		super().__init__(name)
		self.opset = opset

	def node(self, op, inputs, outputs=1, **attrs):
		if op in ("QuantizeLinear", "DequantizeLinear") and self.opset < 21:
			attrs["domain"] = "com.microsoft"
		return super().node(op, inputs, outputs, **attrs)

	def wide(self, *shape, dtype=U16, zero=123, scale=SCALE):
		return self.real(In(*shape, dtype=dtype, quant=(scale, MIDDLE[dtype] + zero)))

	def made(self, value, dtype=U16, zero=-321, scale=STEP, says=None, flags=FLOAT_SUMS):
		self.output(value, dtype, (scale, (MIDDLE[dtype] if dtype in MIDDLE else 0) + zero))
		return self.case(self.opset, says, flags)


def one(name, op, *more, dtype=U16, shape=X, opset=21, says=None, scale=STEP, to=None, **attrs):
	g = Wide(name, opset)
	names = [g.wide(*shape, dtype=dtype)] + [g.const(x) if isinstance(x, np.ndarray) else x(g) for x in more]
	return g.made(g.node(op, names, **attrs), to or dtype, 100 if to else -321, scale, says)


def quantized():
	"""Each type and domain, zero points at both ends, and one that is left out."""
	for dtype in (U16, S16):
		for opset in (13, 20, 21, 23):
			yield one(f"{dtype.__name__} in opset {opset}", "Relu", dtype=dtype, opset=opset)
		for zero in (0, -32768, 32767, 1):
			g = Wide(f"zero point {MIDDLE[dtype] + zero} of {dtype.__name__}")
			x = g.wide(2, 300, dtype=dtype, zero=zero)
			yield g.made(g.node("LeakyRelu", [x], alpha=0.25), dtype, zero=zero, flags=0)
	for dtype, to in ((U16, S16), (S16, U16), (U16, U8), (S16, I8), (U16, I8)):
		g = Wide(f"{dtype.__name__} quantized to {to.__name__}")
		yield g.made(g.wide(2, 300, dtype=dtype), to, zero=3, scale=0.05 if to in (U8, I8) else STEP, flags=0)
	for dtype, to in ((U8, U16), (I8, S16), (U8, S16)):
		g = Wide(f"{dtype.__name__} quantized to {to.__name__}")
		yield g.made(g.real(In(2, 300, dtype=dtype, quant=(0.03, 7))), to, flags=0)
	g = Wide("no zero point")
	x = g.node("DequantizeLinear", [g.input(In(2, 300, dtype=U16)), g.const(F32(SCALE)), g.const(U16(0))])
	yield g.made(x, flags=0)


def functions():
	"""Functions of an element, whose tables have 65,536 results."""
	for op in ("Abs", "Atan", "Ceil", "Cos", "Elu", "Erf", "Exp", "HardSigmoid", "HardSwish", "Mish", "Neg", "Round", "Selu", "Sigmoid", "Sign", "Sin",
		   "Softplus", "Softsign", "Tanh"):
		yield one(f"{op} of uint16", op)
		yield one(f"{op} of int16", op, dtype=S16, opset=20)
	yield one("Clip", "Clip", np.array(-1, F32), np.array(2, F32))
	yield one("Gelu", "Gelu")
	yield one("Add of a number", "Add", np.array(0.7, F32))


def of_two():
	"""Two tensors, of one width or two, and constants of floats."""
	def other(dtype, *shape):
		return lambda g: g.real(In(*shape, dtype=dtype, quant=(0.03, 5) if dtype in (U8, I8) else (1.1e-4, MIDDLE[dtype] - 55)))
	for op in ("Add", "Sub", "Mul", "Max", "Min", "PRelu"):
		for dtype in (U16, S16, U8):
			yield one(f"{op} of uint16 and {dtype.__name__}", op, other(dtype, *X), scale=5e-4)
		yield one(f"{op}, broadcast", op, other(U16, 2, 3, 1, 1), scale=5e-4)
		yield one(f"{op} with a constant", op, np.linspace(-2, 3, 3, dtype=F32).reshape(3, 1, 1), scale=5e-4)
	yield one("Add to uint8", "Add", other(U16, *X), to=U8, scale=0.05)
	yield one("Div by a constant", "Div", np.linspace(1, 3, 3, dtype=F32).reshape(3, 1, 1))
	for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"):
		g = Wide(f"{op} of one scale")
		x = g.node(op, [g.wide(2, 300), g.wide(2, 300)])
		g.output(g.node("Where", [x, g.const(F32(1)), g.const(F32(2))]), U8, (1, 0))
		yield g.case(21, None)
		g = Wide(f"{op} of two scales")
		x = g.node(op, [g.wide(2, 300), g.wide(2, 300, scale=STEP)])
		g.output(g.node("Where", [x, g.const(F32(1)), g.const(F32(2))]), U8, (1, 0))
		yield g.case(21, "compares tensors of 16 bits of several scales")
		g = Wide(f"{op} with a number")
		x = g.node(op, [g.wide(2, 300, scale=2.0**-13), g.const(F32(0.5))])
		g.output(g.node("Where", [x, g.const(F32(1)), g.const(F32(2))]), U8, (1, 0))
		yield g.case(21, None)


def weighted():
	"""Sums of products, padded around a zero point, and biases of each kind."""
	for dtype in (U16, S16):
		for pads in ((0, 0, 0, 0), (1, 1, 1, 1), (2, 0, 1, 2)):
			g = Wide(f"Conv of {dtype.__name__}, pads {pads}")
			x = g.wide(2, 6, 7, 6, dtype=dtype)
			yield g.made(g.node("Conv", [x, g.weights((8, 6, 3, 3))], pads=pads), dtype, scale=2e-3)
	for group in (2, 6):
		g = Wide(f"Conv of {group} groups")
		yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), g.weights((12, 6 // group, 3, 3))], group=group, strides=[2, 2]), scale=1e-3)
	g = Wide("Conv, weights of uint8")
	yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), g.weights((8, 6, 3, 3), U8, 128)], pads=[1] * 4), scale=2e-3)
	for dtype in (U16, S16, I8, U8):
		g = Wide(f"Conv, a bias of {dtype.__name__}")
		bias = g.node("DequantizeLinear", [g.const(g.rng.integers(0, 100, 8).astype(dtype)), g.const(F32(3e-3)), g.const(dtype(7))])
		yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), g.weights((8, 6, 3, 3)), bias]), scale=2e-3)
	g = Wide("Conv, a bias of floats")
	yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), g.weights((8, 6, 3, 3)), g.const(g.rng.standard_normal(8).astype(F32))]), scale=2e-3)
	g = Wide("Conv to uint8")
	yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), g.weights((8, 6, 3, 3))]), U8, 128, 0.1, says="it makes uint8 of uint16")
	g = Wide("Conv, weights of int16 that int8 can hold")
	yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), g.weights((8, 6, 3, 3), S16)]), scale=2e-3)
	g = Wide("Conv, weights of int16")
	w = g.node("DequantizeLinear", [g.const(g.rng.integers(-300, 300, (8, 6, 3, 3)).astype(S16)), g.const(F32(0.01))])
	yield g.made(g.node("Conv", [g.wide(2, 6, 7, 6), w]), scale=8e-3, says="from its zero point")
	g = Wide("ConvTranspose")
	yield g.made(g.node("ConvTranspose", [g.wide(2, 6, 5, 4), g.weights((6, 4, 3, 3))], strides=[2, 2], pads=[1] * 4), scale=1e-3)
	g = Wide("Gemm")
	yield g.made(g.node("Gemm", [g.wide(2, 30), g.weights((9, 30))], transB=1), scale=1e-3)
	for shape in ((2, 30), (2, 4, 30), (2, 3, 4, 30)):
		g = Wide(f"MatMul of {len(shape)} dimensions and weights")
		yield g.made(g.node("MatMul", [g.wide(*shape), g.weights((30, 9))]), scale=1e-3)
	for dtype in (U16, S16, U8):
		g = Wide(f"MatMul of uint16 and {dtype.__name__}")
		y = g.real(In(2, 3, 6, 7, dtype=dtype, quant=(0.03, 5) if dtype == U8 else (1e-4, MIDDLE[dtype] + 9)))
		yield g.made(g.node("MatMul", [g.wide(2, 3, 5, 6), y]), scale=5e-3)


def windows():
	for op in ("MaxPool", "AveragePool"):
		yield one(op, op, kernel_shape=[2, 3], pads=[1, 1, 0, 1])
		yield one(f"{op} of int16", op, dtype=S16, kernel_shape=[2, 2], strides=[2, 1])
	yield one("AveragePool with padding", "AveragePool", kernel_shape=[2, 2], pads=[1] * 4, count_include_pad=1)
	for op in ("GlobalAveragePool", "GlobalMaxPool"):
		yield one(op, op)
	for mode in ("nearest", "linear"):
		g = Wide(f"Resize, {mode}")
		yield g.made(g.node("Resize", [g.wide(*X), "", g.const(np.array([1, 1, 2, 2], F32))], mode=mode))


def vectors():
	for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare"):
		for axes in ((1,), (-1,), (2, 3), (1, 3)):
			yield one(f"{op} of {axes}", op, i64(*axes), scale=1e-3)
	for axis in (1, -1):
		yield one(f"Softmax {axis}", "Softmax", axis=axis, scale=2.0**-15)
		yield one(f"LogSoftmax {axis}", "LogSoftmax", axis=axis, scale=5e-4)
		for last in (0, 1):
			g = Wide(f"ArgMax {axis}, {last}")
			g.output(g.node("ArgMax", [g.wide(*X)], axis=axis, select_last_index=last), I64, None)
			yield g.case(21, None)
	for how in ({}, {"exclusive": 1}, {"reverse": 1}):
		yield one(f"CumSum {how}", "CumSum", np.array(2), scale=1e-3, **how)
	g = Wide("CumSum to uint8")
	yield g.made(g.node("CumSum", [g.wide(*X), g.const(np.array(2))]), U8, 128, 0.1, says="it makes uint8 of uint16")
	yield one("LayerNormalization", "LayerNormalization", np.linspace(0.5, 2, 5, dtype=F32), np.linspace(-1, 1, 5, dtype=F32))
	yield one("InstanceNormalization", "InstanceNormalization", np.linspace(0.5, 2, 3, dtype=F32), np.linspace(-1, 1, 3, dtype=F32))
	yield one("LpNormalization", "LpNormalization", axis=-1, p=2)
	g = Wide("Hardmax")
	yield g.made(g.node("Hardmax", [g.wide(*X)], axis=-1))
	g = Wide("TopK")
	g.output(g.node("TopK", [g.wide(2, 3, 20), g.const(i64(4))], 2)[1], I64, None)
	yield g.case(21, None)


def moves():
	yield one("Transpose", "Transpose", perm=[0, 2, 3, 1], scale=SCALE)
	yield one("Reshape", "Reshape", i64(0, -1), scale=SCALE)
	yield one("Slice", "Slice", i64(1), i64(3), i64(2), scale=SCALE)
	yield one("Gather", "Gather", i64(2, 0), axis=1, scale=SCALE)
	yield one("Tile", "Tile", i64(1, 2, 1, 3), scale=SCALE)
	yield one("Expand", "Expand", i64(1, 3, 1, 1), shape=(2, 1, 4, 5), scale=SCALE)
	yield one("DepthToSpace", "DepthToSpace", shape=(2, 8, 3, 2), blocksize=2, scale=SCALE)
	yield one("Pad", "Pad", i64(0, 0, 1, 0, 0, 0, 0, 2), scale=SCALE)
	yield one("Concat of two scales", "Concat", lambda g: g.wide(*X, scale=STEP), axis=1)
	for dtype in (U16, S16):
		g = Wide(f"integers of {dtype.__name__} that are moved")
		g.output(g.node("Transpose", [g.node("Slice", [g.input(In(*X, dtype=dtype)), g.const(i64(1)), g.const(i64(3)), g.const(i64(2))])], perm=[0, 3, 1, 2]),
			 dtype, None)
		yield g.case(21, None)


def four_bits():
	"""Weights of int4 and uint4, an even number and an odd one, in raw bytes and in numbers."""
	for name, dtype, span, zero in (("int4", TensorProto.INT4, (-8, 8), 0), ("uint4", TensorProto.UINT4, (0, 16), 7)):
		for raw in (True, False):
			for shape in ((6, 3, 3, 3), (5, 3, 1, 1)):
				g = Wide(f"Conv, weights {shape} of {name}" + ", raw" * raw)
				data = g.rng.integers(*span, shape).ravel()
				packed = bytes(int(a) & 15 | (int(b) & 15) << 4 for a, b in zip(data[::2], [*data[1::2], 0]))
				tensor = TensorProto(name="w", data_type=dtype, dims=shape)
				if raw:
					tensor.raw_data = packed
				else:
					tensor.int32_data.extend(packed)
				g.inits += [tensor, TensorProto(name="wz", data_type=dtype, dims=[shape[0]], raw_data=bytes([zero * 17]) * ((shape[0] + 1) // 2))]
				w = g.node("DequantizeLinear", ["w", g.const(g.rng.uniform(0.02, 0.1, shape[0]).astype(F32)), "wz"], axis=0)
				g.output(g.node("Conv", [g.real(In(2, 3, 7, 6)), w]), U8, (0.1, 120))
				yield g.case(21, None, FLOAT_SUMS)
	for width in (U8, I8):
		g = Wide(f"int4 with a zero point of {width.__name__}")
		g.inits.append(TensorProto(name="w", data_type=TensorProto.INT4, dims=[4, 3, 1, 1], raw_data=bytes(6)))
		w = g.node("DequantizeLinear", ["w", g.const(F32(0.1)), g.const(width(0))])
		g.output(g.node("Conv", [g.real(In(2, 3, 7, 6)), w]))
		yield g.case(21, "its zero point has another type than its integers")
	g = Wide("QuantizeLinear to int4")
	g.inits.append(TensorProto(name="z", data_type=TensorProto.INT4, dims=[], raw_data=bytes(1)))
	x = g.node("QuantizeLinear", [g.real(In(2, 30)), g.const(F32(0.1)), "z"])
	g.output(g.node("DequantizeLinear", [x, g.const(F32(0.1)), "z"]))
	yield g.case(21, "its zero point has a type that nnloop does not know")
	for size, says in ((5, "has 5 bytes of data, its shape takes 6"), (7, "has 7 bytes")):
		g = Wide(f"{size} bytes of 12 int4")
		g.inits.append(TensorProto(name="w", data_type=TensorProto.INT4, dims=[4, 3, 1, 1], raw_data=bytes(size)))
		w = g.node("DequantizeLinear", ["w", g.const(F32(0.1))])
		g.output(g.node("Conv", [g.real(In(2, 3, 7, 6)), w]))
		yield g.case(21, says)


def wide():
	for part in (quantized, functions, of_two, weighted, windows, vectors, moves):
		yield from part()


FILES = {"wide": wide, "four_bits": four_bits}
