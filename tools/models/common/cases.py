# SPDX-License-Identifier: MIT
"""Files of cases: models with inputs and with what ONNX Runtime makes of them, or TensorFlow Lite. onnxruntime/judge.mjs, random_tflite/judge.py and tests/e2e/golden.c
read them, too.

All numbers are u32, little endian; a blob is its size and its bytes. The file: "NNCASES1", then for each case the size of
the rest and

	blob name; flags; blob model; blob twin (only for onnxruntime/judge.mjs); count of inputs, tensors
	state; blob why ONNX Runtime refused it; count of outputs, tensors; count of the twin's outputs, tensors

and a tensor is blob name; type, as ONNX numbers it; rank, dimensions; blob elements.
"""
import struct
from dataclasses import dataclass, field

import numpy as np

MAGIC = b"NNCASES1"
NOT_JUDGED, JUDGED, REFUSED, CRASHED = range(4)
MUST_ACCEPT, FLOAT_SUMS, MUST_REFUSE = 1, 2, 4  # flags; of what must be refused, the reason is words of nnloop's sentence
COUNT_STEPS = 64  # the twin's output is a bit for each element: the reference's float is beside a rounding boundary
INT8_TWIN, OWN_KERNELS, INDICES, CLASSES_SHIFT = 8, 16, 32, 8  # and for random_tflite/judge.py; int64 is of indices; classes that a detector gives of each box
TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_, 12: np.uint32, 13: np.uint64}
NUMBERS = {np.dtype(t): n for n, t in TYPES.items()}


@dataclass
class Case:
	name: str
	model: bytes
	inputs: list  # (name, array)
	flags: int = 0
	twin: bytes = b""
	state: int = NOT_JUDGED
	reason: str = ""
	outputs: list = field(default_factory=list)
	twin_outputs: list = field(default_factory=list)


def blob(data):
	return struct.pack("<I", len(data)) + data


def tensors(list_of):
	parts = [struct.pack("<I", len(list_of))]
	for name, array in list_of:
		number = NUMBERS.get(array.dtype, 0)
		parts += [blob(name.encode()), struct.pack(f"<{2 + array.ndim}I", number, array.ndim, *array.shape), blob(array.tobytes())]
	return b"".join(parts)


def encode(c):
	return blob(blob(c.name.encode()) + struct.pack("<I", c.flags) + blob(c.model) + blob(c.twin) + tensors(c.inputs) +
		    struct.pack("<I", c.state) + blob(c.reason.encode()) + tensors(c.outputs) + tensors(c.twin_outputs))


def write(path, cases):
	with open(path, "wb") as file:
		file.write(MAGIC)
		for c in cases:
			file.write(encode(c))


class Reader:
	def __init__(self, data, at):
		self.data, self.at = data, at

	def u32(self):
		self.at += 4
		return struct.unpack_from("<I", self.data, self.at - 4)[0]

	def blob(self):
		size = self.u32()
		self.at += size
		return self.data[self.at - size:self.at]

	def tensors(self):
		out = []
		for _ in range(self.u32()):
			name = self.blob().decode()
			number = self.u32()
			dims = [self.u32() for _ in range(self.u32())]
			data = self.blob()
			out.append((name, np.frombuffer(data, TYPES[number]).reshape(dims) if number in TYPES else np.zeros(0, np.float64)))
		return out


def read(path):
	with open(path, "rb") as file:
		data = file.read()
	assert data[:8] == MAGIC, path
	at, cases = 8, []
	while at + 4 <= len(data):
		size = struct.unpack_from("<I", data, at)[0]
		if at + 4 + size > len(data):
			break  # the judge ended while it wrote
		r = Reader(data, at + 4)
		at += 4 + size
		name, flags, model, twin = r.blob().decode(), r.u32(), r.blob(), r.blob()
		inputs, state, reason = r.tensors(), r.u32(), r.blob().decode(errors="replace")
		cases.append(Case(name, model, inputs, flags, twin, state, reason, r.tensors(), r.tensors()))
	return cases
