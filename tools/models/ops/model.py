# SPDX-License-Identifier: MIT
"""What the files share that write the tiny models of tests/models/ops: the model under construction, and its random numbers."""
import contextlib
import os

import numpy as np
from onnx import TensorProto, helper

from common import archive
from reader import loops
from reader import qnet

OUT = os.path.join(archive.UNPACKED, "ops")
rng = np.random.default_rng(11)
TYPES = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8,
	 np.dtype(np.uint16): TensorProto.UINT16, np.dtype(np.int16): TensorProto.INT16,
	 np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int32): TensorProto.INT32,
	 np.dtype(np.int64): TensorProto.INT64, np.dtype(bool): TensorProto.BOOL}
levels = []


@contextlib.contextmanager
def numbers(seed):
	"""A decorator of functions that write models: with random numbers of their own, so that others do not depend on them."""
	global rng
	before, rng = rng, np.random.default_rng(seed)
	yield
	rng = before


class Model(qnet.Writer):
	"""A graph under construction; tensors are (name, scale name, zero point name)."""

	def __init__(self):
		super().__init__()
		self.inputs, self.data = [], []

	def input(self, shape, dtype, scale, zero, symbolic=True):
		"""A quantized graph input filled with random values."""
		name = f"x{len(self.inputs)}"
		info = np.iinfo(dtype)
		self.data.append(rng.integers(info.min, info.max + 1, shape).astype(dtype))
		dims = ["N", *shape[1:]] if symbolic else shape
		self.inputs.append(helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], dims))
		return self.quantized(name, dtype, scale, zero)

	def quantized(self, name, dtype, scale, zero):
		return name, self.const(name + "_scale", np.float32(scale)), self.const(name + "_zero", dtype(zero))

	def real(self, tensor):
		return self.dequantize(*tensor)

	def weight(self, name, shape, scale, dtype=np.int8, zero=0, axis=None):
		"""A dequantized constant; a list of scales is per channel on `axis`."""
		lo, hi = (-64, 64) if dtype == np.int8 else (zero - 64, zero + 64)
		self.const(name, rng.integers(lo, hi + 1, shape).astype(dtype))
		many = axis is not None
		self.const(name + "_scale", np.asarray(scale, np.float32))
		self.const(name + "_zero", np.full(len(scale), zero, dtype) if many else dtype(zero))
		return self.dequantize(name, name + "_scale", name + "_zero", axis=axis)

	def bias(self, count, sx, sw, axis=None):
		self.const("bias", rng.integers(-3000, 3000, count).astype(np.int32))
		scale = np.float32(sx) * np.asarray(sw, np.float32)
		self.const("bias_scale", scale.astype(np.float32))
		self.const("bias_zero", np.zeros_like(scale, np.int32))
		return self.dequantize("bias", "bias_scale", "bias_zero", axis=axis)

	def output(self, value, shape, dtype, scale, zero, name="y"):
		self.const(name + "_scale", np.float32(scale))
		self.const(name + "_zero", dtype(zero))
		self.node("QuantizeLinear", [value, name + "_scale", name + "_zero"], name)
		return helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], shape)

	def plain_input(self, name, data, dims):
		"""A graph input of plain numbers."""
		self.data.append(data)
		self.inputs.append(helper.make_tensor_value_info(name, TYPES[data.dtype], dims))
		return name

	def loop_node(self, op, inputs, outputs, **attrs):
		self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0], domain=loops.DOMAIN, **attrs))

	def save(self, name, outputs, doc, exact, functions=(), opset=None):
		outputs = outputs if isinstance(outputs, list) else [outputs]
		opset, ir = (opset, 10 if opset > 20 else 8) if opset else (loops.OPSET, 8) if functions else (13, 7)
		qnet.save_model(os.path.join(OUT, name + ".onnx"), self, name, self.inputs, outputs, doc, opset, ir, functions,
				checksum=False)
		for i, data in enumerate(self.data):
			np.save(os.path.join(OUT, f"{name}.in{i}.npy"), data)
		levels.append(f"{name} {'all' if exact else 'disabled'} {len(self.data)}\n")
