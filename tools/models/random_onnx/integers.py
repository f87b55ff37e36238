# SPDX-License-Identifier: MIT
"""Operators of integers and bools, with random attributes, for graphs.py: comparisons, logic, arithmetic, Where, Cast."""
import numpy as np
from onnx import TensorProto, helper

from random_onnx.builder import ONNX_TYPES, Value
from random_onnx.operators import same_shape

SINCE = {"GreaterOrEqual": 12, "LessOrEqual": 12, "BitwiseAnd": 18, "BitwiseOr": 18, "BitwiseXor": 18, "BitwiseNot": 18}


def numbers(g, shape, dtype):
	if dtype == "bool":
		return g.rng.integers(0, 2, shape).astype(bool)
	info = np.iinfo(dtype)
	few = g.rng.integers(max(info.min, -3), 4, shape)
	return np.where(g.rng.integers(0, 3, shape) > 0, few, g.rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)).astype(dtype)


def plain_input(g, shape, dtype):
	name = g.name("x")
	g.data[name] = numbers(g, shape, dtype)
	first = "N" if g.batch_form == "symbolic" else shape[0]
	g.inputs.append(helper.make_tensor_value_info(name, ONNX_TYPES[dtype], [first, *shape[1:]]))
	g.tag("input", "type", dtype)
	return Value(name, list(shape), False, dtype=dtype)


def other_shape(g, shape):
	"""A shape that goes with it, and whether only a constant can have it."""
	how = g.d.pick(["same", "ones", "last", "number", "shorter"], [6, 3, 3, 1, 2])
	if how == "ones":
		return [shape[0], *(1 if g.d.chance(2) else size for size in shape[1:])], False
	if how == "last":
		return [1] * (len(shape) - 1) + [shape[-1]], True
	if how == "number":
		return [], True
	return (shape[1:], True) if how == "shorter" and len(shape) > 1 else (list(shape), False)


def operand(g, v, op, no_zeros=False):
	"""Of the same type, another input, or a constant."""
	shape, constant = other_shape(g, v.shape)
	if g.d.chance(3) or constant or no_zeros:
		g.tag(op, "operand", "constant")
		data = numbers(g, shape, v.dtype)
		return g.const(np.where(data == 0, np.array(1, data.dtype), data) if no_zeros else data, "k")
	g.tag(op, "operand", "input")
	return plain_input(g, shape, v.dtype).name


def made(g, op, inputs, shape, dtype, attrs=None):
	return g.keep(Value(g.node(op, inputs, attrs or {}), list(shape), False, dtype=dtype))


def choose(g, opset, ops):
	usual = [op for op in ops if SINCE.get(op, 0) <= opset]
	return g.d.pick(usual) if usual and not g.d.chance(100) else g.d.pick(ops)


def condition(g, v, opset):
	"""Two tensors compared, as what they stand for or as they are."""
	op = choose(g, opset, ["Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"])
	form = g.d.pick(["quantized", "number", "int32", "int64", "stored", "bool"], [8, 4, 4, 4, 2, 1])
	g.tag(op, "form", form)
	if form == "quantized":
		other, shape = same_shape(g, v, op)
		names = [g.dequantize(v).name, g.dequantize(other).name]
		return made(g, op, names if not g.d.chance(4) else names[::-1], shape, "bool")
	if form == "number":
		x = g.dequantize(v)
		scale = float(v.quant.scale) if 1e-30 < float(v.quant.scale) < 1e30 else 1.0
		names = [x.name, g.const(np.float32(scale * (g.d.between(0, 80) - 40) * g.d.pick([1, 0.5])), "k")]
		return made(g, op, names if not g.d.chance(4) else names[::-1], v.shape, "bool")
	if form == "stored":
		x = Value(v.name, v.shape, False, dtype=v.quant.dtype)
	else:
		x = plain_input(g, v.shape, form)
	names = [x.name, operand(g, x, op)]
	return made(g, op, names if not g.d.chance(4) else names[::-1], v.shape, "bool")


def logic(g, v, opset):
	"""Bools, and what is made of them."""
	c = condition(g, v, opset) if not g.d.chance(4) else plain_input(g, v.shape, "bool")
	for _ in range(g.d.below(3)):
		op = g.d.pick(["And", "Or", "Xor", "Not"])
		c = made(g, op, [c.name] if op == "Not" else [c.name, operand(g, c, op)], c.shape, "bool")
	return c


def where(g, v, opset):
	c = logic(g, v, opset)
	op, form = "Where", g.d.pick(["quantized", "one quantization", "number", "int64", "int32", "uint8"], [6, 3, 3, 2, 2, 1])
	g.tag(op, "form", form)
	if form in ("int64", "int32", "uint8"):
		x = plain_input(g, v.shape, form)
		return made(g, op, [c.name, x.name, operand(g, x, op)], v.shape, form)
	x = g.dequantize(v)
	if form == "number":
		names = [x.name, g.const(np.float32(g.d.pick([0, -1e9, 1, -np.inf])), "k")]
	elif form == "one quantization":
		names = [x.name, g.dequantize(g.input(v.shape, v.quant, True)).name]
	else:
		names = [x.name, g.dequantize(same_shape(g, v, op)[0]).name]
	return Value(g.node(op, [c.name, *(names if g.d.chance(2) else names[::-1])]), v.shape, True,
		     v.quant if form == "one quantization" else None, float(v.quant.scale))


def arithmetic(g, v, opset):
	x = plain_input(g, v.shape, g.d.pick(["int32", "int64", "int8", "uint8"], [8, 8, 1, 1]))
	for _ in range(g.d.between(1, 2)):
		op = choose(g, opset, ["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Neg", "Abs", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"])
		attrs, of_one = {}, op in ("Neg", "Abs", "BitwiseNot")
		g.tag(op, "type", x.dtype)
		if op == "Mod":
			g.attr(op, attrs, "fmod", [("absent", None), ("0", 0), ("1", 1)])
		x = made(g, op, [x.name] if of_one else [x.name, operand(g, x, op, op in ("Div", "Mod"))], v.shape, x.dtype, attrs)
	return x


def cast(g, v, opset):
	op, attrs = "Cast", {}
	from_type = g.d.pick(["bool", "uint8", "int8", "int32", "int64"])
	x = plain_input(g, v.shape, from_type) if from_type != "bool" else logic(g, v, opset)
	to = g.d.pick(["int32", "int64", "uint8", "int8", "bool", "float"], [2, 2, 2, 2, 2, 3])
	attrs["to"] = TensorProto.FLOAT if to == "float" else ONNX_TYPES[to]
	g.tag(op, "to", attrs["to"])
	if g.since(19, 6):
		g.attr(op, attrs, "saturate", [("1", 1), ("0", 0)])
	name = g.node(op, [x.name], attrs)
	if to != "float":
		return g.keep(Value(name, list(x.shape), False, dtype=to))
	return Value(name, list(x.shape), True, None, 1.0)
