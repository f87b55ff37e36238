# SPDX-License-Identifier: MIT
"""TensorFlow Lite's operators of integers and bools, with random operands, for graphs.py: as in layers.py."""
import numpy as np

from random_tflite.elements import broadcast, new_quant, second
from random_tflite.builder import PLAIN, Value, limits
from tflite.model import TYPES

EQUALITIES = ("EQUAL", "NOT_EQUAL")
# Of int64 in the file and of int32 in nnloop: in no graph with others of int64, whose outputs the judge could not tell from these.
INDICES = {"ARG_MAX.output_type=4", "ARG_MIN.output_type=4"}


def plain(g, op, v, types):
	"""The value, or an input of a type that few graphs begin with."""
	dtype = g.d.pick([v.dtype, *(t for t in types if t != "int64" or not INDICES & g.tags)])
	if dtype != v.dtype:
		v = g.input(v.shape, dtype)
	g.tag(op, "type", dtype)
	return v


def quant_of(v):
	return (v.scale, v.zero) if v.dtype in PLAIN else None


def compare(op):
	def make(g, v):
		v = plain(g, op, v, ["int32", "int64", *(["bool"] if op in EQUALITIES else [])])
		quant = (v.scale, v.zero) if g.d.chance(3) else quant_of(v)
		other, shape = second(g, op, v, quant)
		return g.result(op, [other, v] if g.d.chance(3) else [v, other], shape, "bool", None, 0)
	return make


def arithmetic(g, v):
	op = g.d.pick(["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", *(["SQUARED_DIFFERENCE"] if v.dtype == "int32" else [])])
	v = v if op == "SQUARED_DIFFERENCE" else plain(g, op, v, ["int64"] if g.d.chance(3) else [])
	other, shape = second(g, op, v, quant_of(v))
	options = {"fused_activation_function": g.d.pick([0, 1, 3], [30, 1, 1])} if op in ("ADD", "SUB", "MUL") else {}
	if op in ("ADD", "SUB"):
		options["pot_scale_int16"] = g.d.below(2)
	return g.result(op, [other, v] if g.d.chance(3) else [v, other], shape, v.dtype, None, 0, **options)


def floor(op):
	"""By what is not 0; and by -1 only what has an opposite."""
	def make(g, v):
		v = plain(g, op, v, ["int64"] if op == "FLOOR_MOD" or (op == "FLOOR_DIV" and g.d.chance(8)) else [])
		with_minus_one = g.d.chance(3)
		if with_minus_one:
			low = limits(v.dtype)[0]
			v = g.input(v.shape, v.dtype, adjust=lambda x: np.maximum(x, low + 1))
		nothing = (-1, 0) if not with_minus_one else (0,)
		adjust = lambda x: np.where(np.isin(x, nothing), 3, x).astype(x.dtype)
		what = g.d.pick(["input", "constant", "broadcast", "constant of fewer"])
		g.tag(op, "operand", what)
		if "constant" in what:
			shape = broadcast(g, v.shape) if what == "constant" else v.shape[g.d.between(1, len(v.shape)):]
			shape = [1, *shape[1:]] if len(shape) == len(v.shape) else shape
			other = Value(g.tensor(shape, v.dtype, data=adjust(g.random_data(shape, v.dtype))), shape, v.dtype)
		else:
			other = g.input(broadcast(g, v.shape) if what == "broadcast" else v.shape, v.dtype, adjust=adjust)
		options = {"fused_activation_function": 0} if op == "DIV" else {}
		return g.result(op, [v, other], v.shape, v.dtype, None, 0, **options)
	return make


def negate(g, v):
	v = plain(g, "NEG", v, ["int64"])
	return g.like("NEG", v, v.shape)


def logical(op):
	def make(g, v):
		if op == "LOGICAL_NOT":
			return g.like(op, v, v.shape)
		other, shape = second(g, op, v, quant_of(v))
		return g.result(op, [other, v] if g.d.chance(3) else [v, other], shape, v.dtype, None, 0)
	return make


def condition(g, op, shape):
	"""An earlier tensor, an input, a constant."""
	earlier = [e for e in g.values if e.dtype == "bool" and e.shape == shape]
	what = g.d.pick(["input", "earlier", "constant"], [3, 3, 1])
	g.tag(op, "condition", what)
	if what == "earlier" and earlier:
		return g.d.pick(earlier)
	return g.constant([1, *shape[1:]], "bool", None, 0) if what == "constant" else g.input(shape, "bool")


def select(op):
	def make(g, v):
		v = plain(g, op, v, ["int32", "int64"])
		quant = (v.scale, v.zero) if not g.d.chance(10) else None if v.dtype not in PLAIN else (None, 0)
		if op == "SELECT":
			other, shape = g.input(v.shape, v.dtype, *(quant or new_quant(g, v))), v.shape
			# A condition of one dimension is one of whole rows.
			c = condition(g, op, v.shape) if not g.d.chance(20) else g.input(v.shape[:1], "bool")
		else:
			other, shape = second(g, op, v, quant)
			c = condition(g, op, broadcast(g, shape) if g.d.chance(2) else list(shape))
		return g.like(op, other, shape, [v], [c]) if g.d.chance(2) else g.like(op, v, shape, [other], [c])
	return make


def cast(g, v):
	own = g.dtype == "uint8" and not g.twin  # the twin's integers are others
	v = plain(g, "CAST", v, ["bool", "int32", "int64"])
	to_types = ["int32", "bool", *([] if INDICES & g.tags else ["int64"]), *(["uint8"] if own else [])]
	if v.dtype == "uint8" and not own:
		return None
	dtype = g.d.pick([t for t in to_types if t != v.dtype])
	g.tag("CAST", "makes", dtype)
	quant = (g.scale(), g.zero(dtype)) if dtype == "uint8" else (None, 0)
	return g.result("CAST", [v], v.shape, dtype, *quant, in_data_type=TYPES[v.dtype], out_data_type=TYPES[dtype])
