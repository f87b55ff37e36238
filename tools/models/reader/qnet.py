# SPDX-License-Identifier: MIT
"""Small quantized convolution nets: trained in float by torch, quantized here, run here in integers, written as
QDQ ONNX.

A net is a list of layers, each a dict with `name`, `kind` and, where it is not the layer before, `input`:
  conv    cin, cout, k, stride (down, across), groups, relu     padding is k // 2 on each side
  pool    2 x 2 maximum, stride 2
  flatten
  fc      cin, cout, relu
Weights are signed with |w| <= 64 and zero point 0, one scale per output channel; activations are uint8 with one scale
and zero point. 7-bit weights because x86 machines without VNNI add two u8*s8 products in 16 saturating bits, and ONNX
Runtime's result would then depend on the machine: 2 * 255 * 64 < 2^15.
"""
import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
from onnx import helper, numpy_helper

from reader.save import save_model, sha256  # noqa: F401: for those who write what they made here

WEIGHT_MAX = 64
f32 = np.float32


def conv(name, cin, cout, k=3, stride=(1, 1), groups=1, relu=True, **more):
	return dict(kind="conv", name=name, cin=cin, cout=cout, k=k, stride=stride, groups=groups, relu=relu, **more)


def pool(name):
	return dict(kind="pool", name=name)


def flatten(name):
	return dict(kind="flatten", name=name)


def fc(name, cin, cout, relu=False):
	return dict(kind="fc", name=name, cin=cin, cout=cout, relu=relu)


class FakeQuant(torch.autograd.Function):
	"""Rounds to the grid of a scale; the gradient passes where nothing was clamped."""

	@staticmethod
	def forward(ctx, x, scale, lo, hi):
		q = x / scale
		ctx.save_for_backward((q >= lo - 0.5) & (q <= hi + 0.5))
		return torch.clamp(torch.round(q), lo, hi) * scale

	@staticmethod
	def backward(ctx, grad):
		return grad * ctx.saved_tensors[0], None, None, None


def weight_scale(w):
	return w.detach().abs().flatten(1).amax(1).clamp(min=1e-6) / WEIGHT_MAX


class Net(nn.Module):
	"""The float net: batch normalization while it learns, `fold()`ed away and then trained on with fake quantization."""

	def __init__(self, layers):
		super().__init__()
		self.layers = layers
		self.weights, self.norms = nn.ModuleDict(), nn.ModuleDict()
		for l in layers:
			if l["kind"] == "conv":
				self.weights[l["name"]] = nn.Conv2d(l["cin"], l["cout"], l["k"], l["stride"], l["k"] // 2, groups=l["groups"])
				if l["relu"]:
					self.norms[l["name"]] = nn.BatchNorm2d(l["cout"])
			elif l["kind"] == "fc":
				self.weights[l["name"]] = nn.Linear(l["cin"], l["cout"])
		self.ranges = None	# per layer [lo, hi] once quantization is being trained for

	def fold(self):
		for name, norm in self.norms.items():
			w = self.weights[name]
			g = norm.weight.data / torch.sqrt(norm.running_var + norm.eps)
			w.weight.data *= g.view(-1, 1, 1, 1)
			w.bias.data = (w.bias.data - norm.running_mean) * g + norm.bias.data
		self.norms = nn.ModuleDict()

	def forward(self, x, taps=None):
		"""Outputs of all layers by name; `taps` collects activation ranges."""
		values, value = {}, x
		for l in self.layers:
			value = values.get(l.get("input"), value)
			name = l["name"]
			if l["kind"] == "pool":
				value = F.max_pool2d(value, 2)
			elif l["kind"] == "flatten":
				value = value.flatten(1)
			else:
				m = self.weights[name]
				w = m.weight
				if self.ranges is not None:
					s = weight_scale(w).view(-1, *[1] * (w.dim() - 1))
					w = FakeQuant.apply(w, s, -WEIGHT_MAX, WEIGHT_MAX)
				if l["kind"] == "conv":
					value = F.conv2d(value, w, m.bias, m.stride, m.padding, groups=m.groups)
				else:
					value = F.linear(value, w, m.bias)
				if name in self.norms:
					value = self.norms[name](value)
				if l["relu"]:
					value = F.relu(value)
				if taps is not None:
					flat = value.detach().flatten()
					tail = max(1, int(len(flat) * 2e-5))	# a few outliers may saturate
					taps.setdefault(name, []).append((float(-torch.topk(-flat, tail)[0][-1]), float(torch.topk(flat, tail)[0][-1])))
				if self.ranges is not None:
					scale, zero = self.grid(name)
					value = FakeQuant.apply(value, float(scale), 0 - int(zero), 255 - int(zero))
			values[name] = value
		return values

	def calibrate(self, batches):
		"""Fixes the activation ranges from batches of inputs and turns fake quantization on."""
		self.ranges, taps = None, {}
		with torch.no_grad():
			for x in batches:
				self(x, taps)
		self.ranges = {k: (min(0.0, min(a for a, _ in v)), max(b for _, b in v)) for k, v in taps.items()}
		self.ranges.update({l["name"]: l["range"] for l in self.layers if "range" in l})

	def grid(self, name):
		"""Scale and zero point of a layer's output."""
		lo, hi = self.ranges[name]
		scale = f32((hi - lo) / 255)
		return scale, np.uint8(np.rint(-lo / scale))


def quantize(net, input_scale, input_zero=0):
	"""Quantized layers of a calibrated net: dicts as above plus w, ws, b, sx, zx, sy, zy."""
	grids, out = {}, []
	grid = (f32(input_scale), np.uint8(input_zero))
	for l in net.layers:
		grid = grids.get(l.get("input"), grid)
		q = dict(l, sx=grid[0], zx=grid[1])
		if l["name"] in net.weights:
			m = net.weights[l["name"]]
			w = m.weight.detach().numpy()
			ws = weight_scale(m.weight).numpy().astype(f32)
			q["ws"] = ws
			q["w"] = np.clip(np.rint(w / ws.reshape(-1, *[1] * (w.ndim - 1))), -WEIGHT_MAX, WEIGHT_MAX).astype(np.int8)
			q["b"] = np.rint(m.bias.detach().numpy().astype(np.float64) / (f32(grid[0]) * ws)).astype(np.int32)
			grid = net.grid(l["name"])
		q["sy"], q["zy"] = grid
		grids[l["name"]] = grid
		out.append(q)
	return out


def load_layers(path, layers, src, prefix=""):
	"""Quantized layers read back from a model that Writer.add_net made of `layers` with input `src`."""
	values = {i.name: numpy_helper.to_array(i) for i in onnx.load(path).graph.initializer}
	grids, out = {}, []
	grid = f32(values[src + "_scale"]), np.uint8(values[src + "_zero"])
	for l in layers:
		grid = grids.get(l.get("input"), grid)
		q, name = dict(l, sx=grid[0], zx=grid[1]), prefix + l["name"]
		if name + "_weight" in values:
			q.update(w=values[name + "_weight"], ws=values[name + "_weight_scale"], b=values[name + "_bias"])
			grid = f32(values[name + "_scale"]), np.uint8(values[name + "_zero"])
		q["sy"], q["zy"] = grids[l["name"]] = grid
		out.append(q)
	return out


def requantize(acc, q):
	"""int64 accumulators (channel axis 1) to uint8: rint(float32(acc) * s) + zero, s = fl(fl(sx * sw) / sy)."""
	s = (q["sx"] * q["ws"]).astype(f32) / q["sy"]
	s = s.astype(f32).reshape(1, -1, *[1] * (acc.ndim - 2))
	return np.clip(np.rint(acc.astype(f32) * s) + int(q["zy"]), 0, 255).astype(np.uint8)


def run_layer(q, x):
	"""One quantized layer in integers; x uint8, N C H W."""
	if q["kind"] == "pool":
		n, c, h, w = x.shape
		return x[:, :, :h // 2 * 2, :w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))
	if q["kind"] == "flatten":
		return x.reshape(len(x), -1)
	# Products of integers in float64 are exact below 2^53, and float64 has fast matrix products.
	x = x.astype(np.float64) - int(q["zx"])
	w = q["w"].astype(np.float64)
	if q["kind"] == "fc":
		acc = x @ w.T
	else:
		k, st, g, pad = q["k"], q["stride"], q["groups"], q["k"] // 2
		x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
		windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), (2, 3))[:, :, ::st[0], ::st[1]]
		n, c, oh, ow = windows.shape[:4]
		if g == 1:
			cols = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, oh, ow, -1)
			acc = (cols @ w.reshape(len(w), -1).T).transpose(0, 3, 1, 2)
		else:	# depthwise
			acc = np.einsum("nchwij,cij->nchw", windows, w[:, 0])
	acc = acc + q["b"].astype(np.float64).reshape(1, -1, *[1] * (acc.ndim - 2))
	assert np.abs(acc).max() < 2 ** 31
	return requantize(acc.astype(np.int64), q)


def run(layers, x):
	"""The quantized net in integers; outputs of all layers by name."""
	values, value = {}, x
	for q in layers:
		value = values[q["name"]] = run_layer(q, values.get(q.get("input"), value))
	return values


def macs(layers, h, w):
	"""Multiply-accumulates for one item of h x w."""
	total, sizes, size = 0, {}, (h, w)
	for l in layers:
		size = sizes.get(l.get("input"), size)
		if l["kind"] == "conv":
			size = tuple((n - 1) // st + 1 for n, st in zip(size, l["stride"]))
			total += size[0] * size[1] * l["cout"] * l["cin"] // l["groups"] * l["k"] ** 2
		elif l["kind"] == "pool":
			size = (size[0] // 2, size[1] // 2)
		elif l["kind"] == "fc":
			total += l["cin"] * l["cout"]
		sizes[l["name"]] = size
	return total


class Writer:
	"""Nodes and initializers of an ONNX graph; `prefix` keeps the names of several nets apart."""

	def __init__(self):
		self.nodes, self.inits = [], []

	def const(self, name, value):
		self.inits.append(numpy_helper.from_array(np.asarray(value), name))
		return name

	def node(self, op, inputs, output, **attrs):
		outputs = output if isinstance(output, list) else [output]
		self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{outputs[0]}", **attrs))
		return output

	def dequantize(self, src, scale, zero, axis=None):
		attrs = {} if axis is None else dict(axis=axis)
		return self.node("DequantizeLinear", [src, scale, zero], src + "_real", **attrs)

	def add_net(self, layers, src, prefix="", rename=None):
		"""QDQ nodes of quantized layers, from tensor src; names of the quantized outputs by layer name."""
		rename = rename or {}
		names, grids, now = {}, {}, (src, None)
		first = layers[0]
		grid = (self.const(src + "_scale", first["sx"]), self.const(src + "_zero", first["zx"]))
		for q in layers:
			if q.get("input"):
				src, grid = names[q["input"]], grids[q["input"]]
			else:
				src = now[0] or src
			name = prefix + q["name"]
			if not any(n.output[0] == src + "_real" for n in self.nodes):
				self.dequantize(src, *grid)
			inputs = [src + "_real"]
			if "w" in q:
				ws = self.const(name + "_weight_scale", q["ws"])
				bs = self.const(name + "_bias_scale", (q["sx"] * q["ws"]).astype(f32))
				w = self.const(name + "_weight", q["w"])
				b = self.const(name + "_bias", q["b"])
				self.dequantize(w, ws, self.const(name + "_weight_zero", np.zeros(len(q["ws"]), np.int8)), axis=0)
				self.dequantize(b, bs, self.const(name + "_bias_zero", np.zeros(len(q["ws"]), np.int32)), axis=0)
				inputs += [w + "_real", b + "_real"]
				grid = (self.const(name + "_scale", q["sy"]), self.const(name + "_zero", q["zy"]))
			if q["kind"] == "conv":
				pad = q["k"] // 2
				value = self.node("Conv", inputs, name + "_sum", kernel_shape=[q["k"]] * 2, strides=list(q["stride"]),
						  pads=[pad] * 4, group=q["groups"], dilations=[1, 1])
			elif q["kind"] == "fc":
				value = self.node("Gemm", inputs, name + "_sum", transB=1)
			elif q["kind"] == "pool":
				value = self.node("MaxPool", inputs, name + "_max", kernel_shape=[2, 2], strides=[2, 2])
			else:
				value = self.node("Flatten", inputs, name + "_flat", axis=1)
			if q.get("relu"):
				value = self.node("Relu", [value], name + "_relu")
			out = self.node("QuantizeLinear", [value, *grid], rename.get(q["name"], name))
			names[q["name"]], grids[q["name"]] = out, grid
			now = (out, grid)
		return names
