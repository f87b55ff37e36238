# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: uint32 and uint64, which are moved, compared and counted with; and shifts."""
import itertools

import numpy as np

from edges.write import I8, I32, I64, S16, TYPES, U8, U16, U32, U64, Graph, In, i64, one

BITS = {U8: 8, U16: 16, U32: 32, U64: 64}


def plain(dtype, *shape, span=None):
	return In(*shape, dtype=dtype, quant=None, span=span)


def cast(name, x, to):
	g = Graph(name)
	g.output(g.node("Cast", [g.real(x)], to=TYPES[to]), to, None)
	return g.case(21, None)


def top(name, dtype, fixed):
	g = Graph(f"TopK {name}")
	values, indices = g.node("TopK", [g.real(In(2, 3, 40, dtype=dtype, quant=None, fixed=fixed)), g.const(i64(5))], 2, axis=2)
	g.output(values, dtype, None)
	g.output(indices, I64, None)
	return g.case(13, None)


def of_both():
	"""What moves, compares and computes."""
	x = (2, 3, 4)
	for dtype in (U32, U64):
		top, name = 2**BITS[dtype] - 1, np.dtype(dtype).name

		def case(what, op, inputs, makes=dtype, opset=21, says=None, name=name, **attrs):
			return one(f"{what} of {name}", op, inputs, says, None, dtype=makes, opset=opset, **attrs)

		moved = (
			("Reshape", [i64(-1, 12)], {}),
			("Transpose", [], {"perm": [0, 2, 1]}),
			("Slice", [i64(1), i64(3), i64(1)], {}),
			("Gather", [i64(1, 0, 2)], {"axis": 1}),
			("Expand", [i64(2, 1, 3, 4)], {}),
			("Tile", [i64(1, 3, 1)], {}),
			("Flatten", [], {}),
			("Compress", [np.array([1, 0, 1], bool)], {"axis": 1}),
		)
		for op, more, attrs in moved:
			shape = plain(dtype, *x) if op != "Expand" else In(2, 1, 3, 4, dtype=dtype, quant=None, fixed=True)
			yield case(op, op, [shape, *more], **attrs)
		yield case("Concat", "Concat", [plain(dtype, *x), plain(dtype, *x)], axis=1)
		yield case("GatherElements", "GatherElements", [plain(dtype, *x), plain(I64, 2, 2, 4, span=(0, 3))], axis=1)
		yield case("ScatterElements", "ScatterElements", [plain(dtype, *x), plain(I64, 2, 1, 4, span=(0, 3)), plain(dtype, 2, 1, 4)], axis=1)
		small, other = plain(dtype, *x, span=(1, 9)), np.array([0, 3, top - 1, top], dtype)
		for op in ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
			yield case(f"{op} of two", op, [plain(dtype, *x), plain(dtype, *x)], np.bool_)
			yield case(f"{op} of small ones", op, [small, plain(dtype, *x, span=(1, 9))], np.bool_)
			yield case(f"{op} of a constant", op, [small, other], np.bool_)
		for op in ("Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "BitwiseAnd", "BitwiseOr", "BitwiseXor"):
			yield case(f"{op} of two", op, [plain(dtype, *x), plain(dtype, *x, span=(top - 9, top + 1) if op == "Mod" else (1, 2**29))])
			yield case(f"{op} of a constant", op, [plain(dtype, *x), other.clip(1)])
		yield case("Abs", "Abs", [plain(dtype, *x)])
		yield case("BitwiseNot", "BitwiseNot", [plain(dtype, *x)])
		yield case("Neg", "Neg", [plain(dtype, *x)], says="its input 0 is of uint")
		for to in (U8, I8, U16, S16, I32, I64, U32, U64, np.bool_):
			yield cast(f"Cast of {name} to {np.dtype(to).name}", plain(dtype, *x), to)
		for kind in (U8, I8, S16, I32, I64):
			yield cast(f"Cast of {np.dtype(kind).name} to {name}", plain(kind, *x), dtype)
	# What quantized tensors are chosen by.
	g = Graph("Where by uint32")
	x, y = g.real(plain(U32, 2, 3)), g.const(np.array([5, 2**31, 2**32 - 1], U32))
	g.output(g.node("Where", [g.node("Less", [x, y]), g.real(In(2, 3)), g.real(In(2, 3))]))
	yield g.case(21, None)


def shifts():
	"""BitShift to both sides, by constants and tensors, as far as there are bits."""
	for dtype, bits in BITS.items():
		if dtype == U16:
			continue  # ONNX Runtime has none
		for direction in ("LEFT", "RIGHT"):
			name = f"BitShift {direction} of {np.dtype(dtype).name}"
			yield one(f"{name} by a constant", "BitShift", [plain(dtype, 2, 3, 4), np.array([0, 1, bits // 2, bits - 1], dtype)], None, None, dtype=dtype, direction=direction)
			yield one(f"{name} by a tensor", "BitShift", [plain(dtype, 2, 3, 40), plain(dtype, 2, 3, 40, span=(0, bits))], None, None, dtype=dtype, direction=direction)
			yield one(f"{name} of a constant", "BitShift", [np.full((1, 3, 1), 0xA5, dtype), plain(dtype, 2, 3, 40, span=(0, bits))], None, None, dtype=dtype, direction=direction)
	yield one("BitShift of int32", "BitShift", [plain(I32, 2, 3), np.array([1], I32)], " ", None, dtype=I32, direction="LEFT")


def counted():
	"""Sums, the greatest and the least, and where these are, of integers without a scale."""
	for dtype, fixed in itertools.product((I32, I64), (False, True)):  # ONNX Runtime has none of uint32 and uint64
		name = f"of {np.dtype(dtype).name}{', fixed' * fixed}"
		x = In(2, 3, 4, 5, dtype=dtype, quant=None, fixed=fixed, span=(-100, 100))
		for op in ("ReduceSum", "ReduceMax", "ReduceMin"):
			for axes, keep in (([1], 1), ([-1, 1], 0), ([2, 3, 1], 0)) + ((([0], 0), ([0, 2], 1)) if fixed else ()):
				yield one(f"{op} {axes} {keep} {name}", op, [x, i64(*axes)], None, None, opset=18, dtype=dtype, keepdims=keep)
		for op in ("ArgMax", "ArgMin"):
			for axis in (1, -1) + ((0,) if fixed else ()):
				yield one(f"{op} {axis} {name}", op, [x], None, None, dtype=I64, axis=axis, keepdims=axis > 0)
		yield top(name, dtype, fixed)
	for dtype in (S16, U16):
		yield one(f"ReduceMax of {np.dtype(dtype).name}", "ReduceMax", [plain(dtype, 2, 3, 4), i64(1)], "its input is of", None, opset=18, dtype=dtype)
	yield one("ArgMax of the last of equal ones", "ArgMax", [plain(I32, 2, 3, 4)], "its select_last_index is 1", None, dtype=I64, axis=1, select_last_index=1)


def clipped():
	"""Clip, Relu and Sign of integers without a scale; of two bounds the first may be the greater."""
	for dtype in (I8, U8, I32, I64, U32, U64):
		name, is_unsigned = np.dtype(dtype).name, np.dtype(dtype).kind == "u"
		x = plain(dtype, 2, 3, 40, span=(0 if is_unsigned else -20, 20))
		low, high = dtype(3 if is_unsigned else -3), dtype(9)
		yield one(f"Clip of {name}", "Clip", [x, np.array(low), np.array(high)], None, None, dtype=dtype)
		yield one(f"Clip of {name} from below", "Clip", [x, np.array(low)], None, None, dtype=dtype)
		yield one(f"Clip of {name} to the second bound", "Clip", [x, np.array(high), np.array(low)], None, None, dtype=dtype)
		yield one(f"Sign of {name}", "Sign", [x], None, None, dtype=dtype)
	for dtype in (I8, I32):  # ONNX Runtime has no others
		yield one(f"Relu of {np.dtype(dtype).name}", "Relu", [plain(dtype, 2, 3, 40, span=(-20, 20))], None, None, opset=14, dtype=dtype)


FILES = {"clipped": clipped, "unsigned": of_both, "shifts": shifts, "counted": counted}
