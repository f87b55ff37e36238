# SPDX-License-Identifier: MIT
"""What random graphs are built with: choices, and a graph that grows node by node."""
import math
from dataclasses import dataclass, field

import numpy as np
from onnx import AttributeProto, TensorProto, helper


UINT8, INT8, UINT16, INT16, INT32 = "uint8", "int8", "uint16", "int16", "int32"
ONNX_TYPES = {"float32": TensorProto.FLOAT, "uint8": TensorProto.UINT8, "int8": TensorProto.INT8,
	      "uint16": TensorProto.UINT16, "int16": TensorProto.INT16, "int32": TensorProto.INT32,
	      "int64": TensorProto.INT64, "bool": TensorProto.BOOL}


def name_operator(domain, op):
	"""As tags have it: those of com.microsoft without the domain, but for what ONNX has, too."""
	if domain == "com.microsoft" and op in ("QuantizeLinear", "DequantizeLinear"):
		return f"{op} ({domain})"
	return op if domain in ("", "com.microsoft") else f"{domain}.{op}"


@dataclass
class Quant:
	dtype: str
	scale: np.float32
	zero: int


@dataclass
class Value:
	"""A tensor of the graph: of integers (quant says what they mean) or real (quant: of the DequantizeLinear it came
	from, if it still has it). `sums` are the float sums in it that no QuantizeLinear has rounded yet."""
	name: str
	shape: list
	real: bool
	quant: Quant = None
	hint: float = 1.0  # a scale that suits it
	sums: list = field(default_factory=list)
	dtype: str = None  # of integers or bools that stand for nothing else


@dataclass
class Sum:
	"""A convolution or product in float, and what its twin in integers needs."""
	at: int  # node index
	x: Value
	weights: tuple  # names: integers, scale, zero point
	bias: str  # int32, or None
	op: str  # QLinearConv, QGemm, QLinearMatMul
	attrs: dict
	shape: list
	quant: Quant = None
	whole: bool = True  # a twin is possible


class Graph:
	def __init__(self, draw):
		self.d = draw
		self.nodes, self.inits, self.twin_inits, self.inputs, self.outputs = [], [], [], [], []
		self.data = {}
		self.tags = set()
		self.sums = []
		self.inexact = False  # functions that float32 has no exact results for
		self.values = []
		self.count = 0
		self.constant_form = "initializer"
		self.rng = np.random.default_rng(draw.below(1 << 16))
		self.power_of_two = draw.chance(4)
		self.batch = draw.pick([1, 2, 3], [2, 3, 2])
		self.batch_form = draw.pick(["symbolic", "fixed"], [2, 1])
		self.opset = 13
		self.narrow = True  # weights of 7 bits: see fuzz.py

	# ---- names, nodes, constants ----

	def name(self, stem):
		self.count += 1
		return f"{stem}{self.count}"

	def tag(self, op, attr=None, value=None):
		self.tags.add(op if attr is None else f"{op}.{attr}" if value is None else f"{op}.{attr}={value}")

	def const(self, array, stem="c", form=None, dims=None):
		array = np.asarray(array)
		name = self.name(stem)
		form = form or self.constant_form
		if form == "mixed":
			forms = ["initializer", "typed", "value"]
			if array.dtype == np.float32 and array.ndim < 2:
				forms.append("value_float" if array.ndim == 0 else "value_floats")
			if array.dtype == np.int64 and array.ndim < 2:
				forms.append("value_int" if array.ndim == 0 else "value_ints")
			form = self.d.pick(forms)
		tensor = helper.make_tensor(name, ONNX_TYPES[str(array.dtype)], array.shape,
					    array.flatten().tolist() if form == "typed" else array.tobytes(), raw=form != "typed")
		if form in ("initializer", "typed"):
			self.inits.append(tensor)
			self.tag("Constant", "initializer", "raw" if form == "initializer" else "typed")
			return name
		value = tensor if form == "value" else array.tolist()
		node = helper.make_node("Constant", [], [name], **({form: value} if form == "value" or array.size else {}))
		if form != "value" and not array.size:
			return self.const(array, stem, "initializer")
		self.nodes.append(node)
		self.tag("Constant")
		self.tag("Constant", form)
		return name

	def node(self, op, inputs, attrs=None, outputs=1, domain=""):
		names = [self.name("t") for _ in range(outputs)]
		attrs = dict(attrs or {})
		self.tag(name_operator(domain, op))
		if self.d.chance(500):
			self.tag(name_operator(domain, op), "made_up")
			attrs["made_up"] = 1
		self.nodes.append(self.make_node(op, inputs, names, attrs, domain))
		return names[0] if outputs == 1 else names

	@staticmethod
	def make_node(op, inputs, outputs, attrs, domain=""):
		node = helper.make_node(op, inputs, outputs, domain=domain)
		for key, value in attrs.items():
			if value is None:
				continue
			attr = node.attribute.add()
			attr.name = key
			if isinstance(value, list):
				if any(isinstance(v, float) for v in value):
					attr.type = AttributeProto.FLOATS
					attr.floats.extend(value)
				elif any(isinstance(v, str) for v in value):
					attr.type = AttributeProto.STRINGS
					attr.strings.extend(v.encode() for v in value)
				else:
					attr.type = AttributeProto.INTS
					attr.ints.extend(value)
			elif isinstance(value, str):
				attr.type = AttributeProto.STRING
				attr.s = value.encode()
			elif isinstance(value, float):
				attr.type = AttributeProto.FLOAT
				attr.f = value
			else:
				attr.type = AttributeProto.INT
				attr.i = int(value)
		return node

	def attr(self, op, attrs, name, options, weights=None):
		"""Draws an attribute's value out of (label, value); None: it is absent."""
		label, value = self.d.pick(options, weights)
		self.tag(op, name, label)
		if value is not None:
			attrs[name] = value
		return value

	def since(self, opset, one_in):
		"""Whether to use what only came with an opset; rarely before it."""
		return self.d.chance(one_in if self.opset >= opset else one_in * 60)

	# ---- quantization ----

	def scale(self, around=0.05):
		if self.d.chance(400):
			label, value = self.d.pick([("huge", 1e30), ("tiny", 1e-30), ("large", 1e4), ("small", 1e-7), ("greatest", 1.3e36), ("subnormal", 1e-40), ("0", 0.0), ("negative", -0.5),
						    ("infinite", math.inf), ("nan", math.nan)])
			self.tag("scale", "value", label)
			return np.float32(value)
		if not 1e-30 < around < 1e30:
			around = 1.0
		if self.power_of_two:
			return np.float32(2.0 ** (round(math.log2(around)) + self.d.pick([0, -1, 1])))
		return np.float32(around * (1 + self.d.below(200) / 100) / 2)

	def zero_point(self, dtype):
		low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype in (UINT8, INT8) else (-5, 5) if dtype == INT16 else (0, 5)
		middle = {UINT8: 128, INT8: 0}.get(dtype, 0)
		how = self.d.below(4)
		return 0 if dtype == INT32 else [middle, 0 if dtype == INT8 else low, self.d.between(low, high), high][how]

	def quant(self, around=0.05, dtype=None):
		dtype = dtype or self.d.pick([UINT8, INT8], [3, 2])
		return Quant(dtype, self.scale(around), self.zero_point(dtype))

	def quant_names(self, quant, op=None):
		"""Scale and zero point as constants; the latter may be absent."""
		shape = () if not self.d.chance(12) else (1,)
		if op and shape:
			self.tag(op, "scale shape", "[1]")
		names = [self.const(np.full(shape, quant.scale, np.float32), "s")]
		if quant.zero == 0 and (quant.dtype == UINT8 or op == "DequantizeLinear") and self.d.chance(3):
			if op:
				self.tag(op, "y_zero_point" if op == "QuantizeLinear" else "x_zero_point", "absent")
			return names
		return [*names, self.const(np.full(shape, quant.zero, quant.dtype), "z")]

	def quant_names_always(self, quant):
		shape = () if not self.d.chance(60) else (1,)
		return [self.const(np.full(shape, quant.scale, np.float32), "s"), self.const(np.full(shape, quant.zero, quant.dtype), "z")]

	def random_integers(self, shape, dtype):
		info = np.iinfo(dtype)
		how = self.d.pick(["all", "few", "edges"], [8, 1, 1])
		if dtype == INT32:
			return self.rng.integers(-100000, 100000, shape).astype(dtype)
		if how == "all":
			return self.rng.integers(info.min, info.max + 1, shape).astype(dtype)
		if how == "few":
			return self.rng.integers(0, 4, shape).astype(dtype)
		return self.rng.choice(np.array([info.min, info.max], dtype), shape)

	# ---- inputs and outputs ----

	def input(self, shape, quant=None, stored=None):
		"""A graph input of integers, or of floats that a QuantizeLinear rounds."""
		quant = quant or self.quant()
		name = self.name("x")
		dims = ["N" if self.batch_form == "symbolic" and shape else None, *shape[1:]] if shape else []
		if shape and dims[0] is None:
			dims[0] = shape[0]
		if stored is None:
			stored = not self.d.chance(12)
		if stored:
			self.data[name] = self.random_integers(shape, quant.dtype)
			self.inputs.append(helper.make_tensor_value_info(name, ONNX_TYPES[quant.dtype], dims))
			self.tag("input", "type", quant.dtype)
			return self.keep(Value(name, list(shape), False, quant))
		self.data[name] = (self.rng.normal(0, 60, shape) * (quant.scale if math.isfinite(quant.scale) else 1)).astype(np.float32)
		self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
		self.tag("input", "type", "float")
		return self.quantize(Value(name, list(shape), True, None), quant)

	def keep(self, value):
		self.values.append(value)
		return value

	def dequantize(self, value, attrs=None):
		if value.real:
			return value
		attrs = dict(attrs or {})
		if self.since(13, 25):
			self.tag("DequantizeLinear", "axis", "given, not needed")
			attrs["axis"] = self.d.pick([0, -1, 1] if len(value.shape) > 1 else [0, -1])
		if self.since(21, 15):
			self.attr("DequantizeLinear", attrs, "block_size", [("0", 0), ("1", 1), ("2", 2)], [10, 1, 1])
		if self.since(23, 4):
			self.attr("DequantizeLinear", attrs, "output_dtype", [("float", 1), ("float16", 10), ("0", 0)], [10, 1, 10])
		name = self.node("DequantizeLinear", [value.name, *self.quant_names(value.quant, "DequantizeLinear")], attrs)
		self.tag("DequantizeLinear", "type", value.quant.dtype)
		return Value(name, value.shape, True, value.quant, float(value.quant.scale))

	def quantize(self, value, quant=None):
		if not value.real:
			return value
		if quant is None:
			quant = self.result_quant(value)
		attrs = {}
		if self.since(13, 25):
			self.tag("QuantizeLinear", "axis", "given, not needed")
			attrs["axis"] = self.d.pick([0, -1, 1] if len(value.shape) > 1 else [0, -1])
		if self.since(19, 12):
			self.attr("QuantizeLinear", attrs, "saturate", [("1", 1), ("0", 0)])
		if self.since(21, 15):
			self.attr("QuantizeLinear", attrs, "block_size", [("0", 0), ("1", 1), ("2", 2)], [10, 1, 1])
		if self.since(23, 4):
			self.attr("QuantizeLinear", attrs, "precision", [("0", 0), ("float", 1)])
		names = self.quant_names(quant, "QuantizeLinear")
		if self.since(21, 4):
			if len(names) == 1 or (quant.zero == 0 and self.d.chance(2)):
				names = names[:1]
				other = self.d.pick([quant.dtype, UINT8, INT8, INT16, UINT16], [9, 1, 1, 1, 1])
				self.tag("QuantizeLinear", "output_dtype", f"{other}, no zero point" if other in (UINT8, INT8) else "of other integers")
				quant = Quant(other, quant.scale, 0)
				attrs["output_dtype"] = ONNX_TYPES[other]
			else:
				self.attr("QuantizeLinear", attrs, "output_dtype", [("as it is", ONNX_TYPES[quant.dtype]), ("0", 0)])
		name = self.node("QuantizeLinear", [value.name, *names], attrs)
		self.tag("QuantizeLinear", "type", quant.dtype)
		for one in value.sums:
			one.quant = quant
		return self.keep(Value(name, value.shape, False, quant))

	def result_quant(self, value, like=None):
		"""Scale and zero point for a result; of the type of `like`, but for a few."""
		dtype = None
		if like and not self.d.chance(40):
			dtype = like.dtype
		elif self.d.chance(100):
			dtype = self.d.pick([INT16, UINT16, INT32])
		if value.quant and not dtype:
			how = self.d.pick(["same", "scale", "all"], [6, 1, 1])
			if how == "same":
				return value.quant
			if how == "scale":
				return Quant(value.quant.dtype, value.quant.scale * np.float32(self.d.pick([2, 0.5, 1.5])), value.quant.zero)
		base = self.values[-1].quant if self.values else None
		if not dtype and base and base.dtype in (UINT8, INT8) and not self.d.chance(5):
			dtype = base.dtype
		return self.quant(value.hint if 1e-30 < value.hint < 1e30 else 1.0, dtype)

	def output(self, value):
		if any(o.name == value.name for o in self.outputs):
			return
		dims = list(value.shape)
		if dims and self.batch_form == "symbolic":
			dims[0] = "M"
		kind = TensorProto.FLOAT if value.real else ONNX_TYPES[value.quant.dtype if value.quant else value.dtype or UINT8]
		self.outputs.append(helper.make_tensor_value_info(value.name, kind, dims))

	# ---- models ----

	def twin_nodes(self):
		"""The nodes with their float sums as integer operators, or None."""
		if not self.sums or any(s.quant is None or not s.whole or s.quant.dtype not in (UINT8, INT8) for s in self.sums):
			return None
		inits = list(self.twin_inits)

		def const(stem, array):
			name = f"twin_{stem}{len(inits)}"
			inits.append(helper.make_tensor(name, ONNX_TYPES[str(array.dtype)], array.shape, array.tobytes(), raw=True))
			return name

		replaced = {}
		for s in self.sums:
			x = [s.x.name, const("s", np.float32(s.x.quant.scale)), const("z", np.array(s.x.quant.zero, s.x.quant.dtype))]
			y = [const("s", np.float32(s.quant.scale)), const("z", np.array(s.quant.zero, s.quant.dtype))]
			out = self.nodes[s.at[-1]].output[0]
			nodes = []
			if s.op == "QGemm":
				flat = const("d", np.array([-1, s.x.shape[-1]], np.int64))
				nodes.append(helper.make_node("Reshape", [x[0], flat], [out + "_flat"]))
				nodes.append(self.make_node("QGemm", [out + "_flat", *x[1:], *s.weights, s.bias or "", *y], [out + "_rows"], s.attrs,
							    "com.microsoft"))
				shape = const("d", np.array(s.shape, np.int64))
				nodes.append(helper.make_node("Reshape", [out + "_rows", shape], [out + "_sum"]))
			else:
				inputs = [*x, *s.weights, *y] + ([s.bias] if s.bias else [])
				nodes.append(self.make_node(s.op, inputs, [out + "_sum"], s.attrs))
			nodes.append(helper.make_node("DequantizeLinear", [out + "_sum", *y], [out]))
			for at in s.at:
				replaced[at] = []
			replaced[s.at[-1]] = nodes
		return [n for i, node in enumerate(self.nodes) for n in replaced.get(i, [node])], inits

	def model(self, opset, ir, imports, nodes, inits):
		inputs = list(self.inputs)
		if ir < 4:
			inputs += [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in inits]
		graph = helper.make_graph(nodes, "g", inputs, self.outputs, inits)
		model = helper.make_model(graph, producer_name="", opset_imports=[helper.make_opsetid(*i) for i in imports])
		model.ir_version = ir
		return model.SerializeToString()
