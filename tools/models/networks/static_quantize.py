# SPDX-License-Identifier: MIT
"""A float graph, and what ONNX Runtime's quantize_static() makes of it in the format QDQ, for architectures.py.

Which operators it quantizes, which keep their input's scale, which Relu and Clip it drops, and how it rounds weights, bias, scales and zero points is
that tool's; ranges come from one run on random inputs. Operators that it does not list stay in float, and what goes into
or comes out of those that it lists is quantized.

Beside the model it writes a twin with integer operators (QLinearConv, QLinearMatMul, com.microsoft's QGemm) where the model convolves or multiplies in float, as
random_onnx/builder.py does: ONNX does not say in what order floats are summed.
"""
from dataclasses import dataclass, field

import numpy as np
from onnx import TensorProto, helper

# Operators that the tool quantizes: inputs and outputs.
LISTED = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "Mul", "Relu", "Clip", "LeakyRelu", "Sigmoid", "MaxPool", "GlobalAveragePool", "Split", "Pad",
	  "Reshape", "Squeeze", "Unsqueeze", "Resize", "AveragePool", "Concat", "Softmax", "Where", "Transpose", "Slice", "Gather", "InstanceNormalization",
	  "LayerNormalization", "ArgMax"}
# Of these, where their input is quantized, the output is so as the input.
DIRECT = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Resize", "MaxPool", "AveragePool", "Slice", "Pad", "Gather", "Split"}
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8,
	 np.dtype(np.int32): TensorProto.INT32, np.dtype(np.int64): TensorProto.INT64, np.dtype(np.bool_): TensorProto.BOOL}


@dataclass
class Node:
	op: str
	inputs: list
	outputs: list
	attrs: dict = field(default_factory=dict)
	domain: str = ""

	def proto(self):
		return helper.make_node(self.op, self.inputs, self.outputs, domain=self.domain, **self.attrs)


class Net:
	"""A float graph that grows node by node. `channels` are those of a tensor, its dimension 1, or the last for vectors."""

	def __init__(self, name, opset=13):
		self.name, self.opset = name, opset
		self.rng = np.random.default_rng(sum(map(ord, name)))
		self.nodes, self.consts, self.inputs, self.outputs = [], {}, [], []
		self.channels, self.integers = {}, set()
		self.count = 0

	def input(self, shape, name="x", kind=np.float32, pixels=False):
		"""Random numbers; pixels: those of a picture, 0 to 255."""
		data = (self.rng.integers(0, 256, shape) if pixels else self.rng.normal(0, 1, shape)).astype(kind)
		self.inputs.append((name, shape, data))
		self.channels[name] = shape[1] if len(shape) > 3 else shape[-1]
		return name

	def const(self, value, dtype=None):
		self.count += 1
		name = f"c{self.count}"
		self.consts[name] = np.asarray(value, dtype)
		return name

	def node(self, op, inputs, channels=None, outputs=1, integers=False, **attrs):
		self.count += 1
		names = [f"{op.lower()}{self.count}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
		self.nodes.append(Node(op, list(inputs), names, attrs))
		for name in names:
			self.channels[name] = channels if channels is not None else self.channels.get(inputs[0])
			if integers:
				self.integers.add(name)
		return names[0] if outputs == 1 else names

	def output(self, *names):
		self.outputs += names

	def model(self, nodes, consts, outputs, domains=()):
		"""outputs: names of floats. Each name's type is ONNX Runtime's to find."""
		inputs = [helper.make_tensor_value_info(name, TYPES[data.dtype], ["N", *shape[1:]]) for name, shape, data in self.inputs]
		infos = [helper.make_tensor_value_info(name, TensorProto.INT64 if name in self.integers else TensorProto.FLOAT, None) for name in outputs]
		inits = [helper.make_tensor(name, TYPES[v.dtype], v.shape, v.tobytes(), raw=True) for name, v in consts.items()]
		graph = helper.make_graph([n.proto() for n in nodes], self.name, inputs, infos, inits)
		imports = [helper.make_opsetid("", self.opset), *(helper.make_opsetid(d, 1) for d in domains)]
		model = helper.make_model(graph, producer_name="", opset_imports=imports)
		model.ir_version = 8
		return model.SerializeToString()

	def float_model(self):
		"""With every float tensor as an output: for their ranges."""
		names = [o for n in self.nodes for o in n.outputs if o not in self.integers]
		return self.model(self.nodes, self.consts, names)


@dataclass
class Way:
	"""Of quantizing: the types of activations and weights, and whether these have a scale for each output."""
	name: str
	activations: type
	weights: type
	per_channel: bool


WAYS = [Way("u8 u8", np.uint8, np.uint8, False), Way("u8 s8 per channel", np.uint8, np.int8, True), Way("s8 u8", np.int8, np.uint8, False),
	Way("s8 s8 per channel", np.int8, np.int8, True)]


def parameters(low, high, dtype, symmetric=False):
	"""Scale and zero point of a range."""
	info = np.iinfo(dtype)
	low, high = min(float(low), 0.0), max(float(high), 0.0)
	least, most = info.min, info.max
	if symmetric:
		high = max(abs(low), abs(high))
		low, least = -high, -info.max
	scale = np.float32((high - low) / (most - least))
	if scale < np.finfo(np.float32).tiny:
		return np.float32(1), dtype(0)
	zero = int(np.rint(least - low / float(scale))) if not symmetric else 0
	return scale, dtype(min(max(zero, info.min), info.max))


def round_to(values, scale, zero):
	info = np.iinfo(zero.dtype)
	return np.clip(np.rint(np.asarray(values, np.float32) / scale) + np.asarray(zero, np.float32), info.min, info.max).astype(zero.dtype)


class Quantizer:
	def __init__(self, net, ranges, way):
		self.net, self.ranges, self.way = net, dict(ranges), way
		self.nodes = [Node(n.op, list(n.inputs), list(n.outputs), dict(n.attrs)) for n in net.nodes]
		self.consts = dict(net.consts)
		self.like = {}  # tensors that have another's scale
		self.marked = set()
		self.weights = {}  # constant: (channel axis, bias of which scales)
		self.bias = {}
		self.out, self.twin = [], []
		self.made = {}

	def readers(self, name):
		return [n for n in self.nodes if name in n.inputs]

	def is_float(self, name):
		return name and name not in self.net.integers and (name not in self.consts or self.consts[name].dtype == np.float32)

	def mark(self, name):
		if self.is_float(name):
			self.marked.add(name)

	def weight_axis(self, node):
		if node.op == "Conv":
			return 0
		if node.op == "ConvTranspose":
			return 1
		return 0 if node.op == "Gemm" and node.attrs.get("transB") else 1

	def mark_weighted(self, node):
		self.mark(node.inputs[0])
		if node.inputs[1] in self.consts:
			self.weights[node.inputs[1]] = self.weight_axis(node)
		else:
			self.mark(node.inputs[1])
		if len(node.inputs) > 2:
			self.bias[node.inputs[2]] = (node.inputs[0], node.inputs[1])
		self.mark(node.outputs[0])

	def drop(self, node):
		"""A Relu or Clip whose input nobody else reads: the scale of what made that says as much."""
		maker = next((n for n in self.nodes if node.inputs[0] in n.outputs), None)
		if not maker or len(self.readers(node.inputs[0])) != 1 or node.inputs[0] in self.net.outputs:
			return False
		maker.outputs[maker.outputs.index(node.inputs[0])] = node.outputs[0]
		self.marked.discard(node.inputs[0])
		self.marked.add(node.outputs[0])
		return True

	def choose(self):
		"""Which tensors are quantized."""
		for node in self.nodes:
			if node.op in ("Relu", "Clip") and len(self.readers(node.inputs[0])) == 1 and node.outputs[0] in self.ranges:
				self.ranges[node.inputs[0]] = self.ranges[node.outputs[0]]
			if node.op == "Softmax":
				self.ranges[node.outputs[0]] = (0.0, 1.0)
		kept = []
		for node in list(self.nodes):
			if node.op not in LISTED or node.outputs[0] in self.net.integers:
				kept.append(node)
			elif node.op in ("Relu", "Clip"):
				if node.inputs[0] not in self.marked:
					kept.append(node)
				elif not self.drop(node):
					kept.append(node)
					self.mark(node.outputs[0])
			elif node.op in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
				self.mark_weighted(node)
				kept.append(node)
			elif node.op in DIRECT:
				kept.append(node)
				if node.inputs[0] not in self.marked:
					continue
				for name in node.outputs:
					self.mark(name)
					self.like[name] = node.inputs[0]
			else:
				for name in [*node.inputs, *node.outputs]:
					self.mark(name)
				kept.append(node)
		self.nodes = kept

	def quant(self, name):
		while name in self.like:
			name = self.like[name]
		return parameters(*self.ranges[name], self.way.activations)

	def names(self, name, scale, zero):
		"""Scale and zero point as constants."""
		for part, value in (("scale", np.asarray(scale, np.float32)), ("zero_point", np.asarray(zero))):
			self.made[f"{name}_{part}"] = value
		return [f"{name}_scale", f"{name}_zero_point"]

	def both(self, node):
		self.out.append(node)
		self.twin.append(node)

	def add_weights(self, name, axis):
		values = self.consts.pop(name)
		attrs = {}
		if self.way.per_channel:
			others = tuple(i for i in range(values.ndim) if i != axis)
			pairs = [parameters(a, b, self.way.weights, True) for a, b in zip(values.min(others), values.max(others))]
			scale, zero = np.array([p[0] for p in pairs], np.float32), np.array([p[1] for p in pairs], self.way.weights)
			shape = [-1 if i == axis else 1 for i in range(values.ndim)]
			self.made[name + "_quantized"] = round_to(values, scale.reshape(shape), zero.reshape(shape))
			attrs["axis"] = axis
		else:
			scale, zero = parameters(values.min(), values.max(), self.way.weights, self.way.weights == np.int8)
			self.made[name + "_quantized"] = round_to(values, scale, zero)
		self.both(Node("DequantizeLinear", [name + "_quantized", *self.names(name, scale, zero)], [name + "_dq"], attrs))
		return scale

	def add_bias(self, name, x, weights, scales):
		scale = (self.quant(x)[0] * scales[weights]).astype(np.float32)
		values = np.rint(self.consts.pop(name) / scale).astype(np.int64)
		self.made[name + "_quantized"] = np.clip(values, -2 ** 31, 2 ** 31 - 1).astype(np.int32)
		zero = np.zeros(scale.shape, np.int32)
		self.both(Node("DequantizeLinear", [name + "_quantized", *self.names(name, scale, zero)], [name + "_dq"], {"axis": 0} if scale.ndim else {}))

	def add_pair(self, name, maker=None):
		"""QuantizeLinear and DequantizeLinear behind a tensor; that of an output of the model has its name."""
		names = self.names(name, *self.quant(name))
		is_output = name in self.net.outputs
		raw, real = (name + "_raw", name) if is_output else (name, name + "_dq")
		self.both(Node("DequantizeLinear", [name + "_q", *names], [real]))
		pair = Node("QuantizeLinear", [raw, *names], [name + "_q"])
		self.out.insert(-1, pair)
		integers = maker and self.integer_node(maker, name)
		if integers:
			self.twin.pop(-2)
			self.twin.insert(-1, integers)
		else:
			self.twin.insert(-1, pair)

	def integer_node(self, node, name):
		"""The twin of a node that sums in float, or None."""
		if node.op not in ("Conv", "MatMul", "Gemm") or any(i in self.consts for i in node.inputs):
			return None
		x, w = node.inputs[:2]
		if x not in self.marked or (w not in self.marked and w not in self.weights):
			return None
		quantized = lambda n, tail: [n + tail, n + "_scale", n + "_zero_point"]
		second = quantized(w, "_quantized" if w in self.weights else "_q")
		y = [name + "_scale", name + "_zero_point"]
		bias = [node.inputs[2] + "_quantized"] if len(node.inputs) > 2 else []
		if node.op == "Conv":
			return Node("QLinearConv", [*quantized(x, "_q"), *second, *y, *bias], [name + "_q"], node.attrs)
		if node.op == "MatMul":
			return Node("QLinearMatMul", [*quantized(x, "_q"), *second, *y], [name + "_q"])
		return Node("QGemm", [*quantized(x, "_q"), *second, *(bias or [""]), *y], [name + "_q"], node.attrs, "com.microsoft")

	def run(self):
		self.choose()
		scales = {name: self.add_weights(name, axis) for name, axis in self.weights.items()}
		for name, (x, weights) in self.bias.items():
			self.add_bias(name, x, weights, scales)
		for name in [n for n in self.marked if n in self.consts]: # constants beside activations
			values = self.consts.pop(name)
			scale, zero = parameters(values.min(), values.max(), self.way.activations)
			self.made[name + "_quantized"] = round_to(values, scale, zero)
			self.both(Node("DequantizeLinear", [name + "_quantized", *self.names(name, scale, zero)], [name + "_dq"]))
		replaced = {*self.weights, *self.bias}
		for name, _, _ in self.net.inputs:
			if name in self.marked:
				self.add_pair(name)
		for node in self.nodes:
			inputs = [i + "_dq" if i in replaced or (i in self.marked and i not in self.net.outputs) else i for i in node.inputs]
			outputs = [o + "_raw" if o in self.marked and o in self.net.outputs else o for o in node.outputs]
			self.both(Node(node.op, inputs, outputs, node.attrs, node.domain))
			for name in node.outputs:
				if name in self.marked:
					self.add_pair(name, node)
		consts = {**self.consts, **self.made}
		model = self.net.model(self.out, consts, self.net.outputs)
		twin = self.net.model(self.twin, consts, self.net.outputs, ["com.microsoft"])
		return model, twin if any(n.op in ("QLinearConv", "QLinearMatMul", "QGemm") for n in self.twin) else b""


def quantize(net, ranges, way):
	"""The model and its twin, or b""."""
	return Quantizer(net, ranges, way).run()
