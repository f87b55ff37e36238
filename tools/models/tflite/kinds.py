# SPDX-License-Identifier: MIT
"""For write.py: QUANTIZE and CAST between types of more than 8 bits. litert.py makes the golden values; tests/models/tflite/litert.txt has the
names."""
import numpy as np

import tflite.model
from tflite import flatbuffer as fb
from tflite.model import TYPES, Model, refused


def requantize(name, dtype, out_dtype, quant, out_quant, moved=False):
	"""Of all elements of 8 bits, else of random ones; with a move in front."""
	m = Model()
	x = m.input([1, 4, 64], dtype, *quant)
	info = np.iinfo(dtype)
	if info.bits == 8:
		m.data[0][:] = np.arange(info.min, info.max + 1).reshape(4, 64)
	if info.bits == 32:
		m.data[0][1:] >>= 14
	if moved:
		x, before = m.tensor([1, 64, 4], dtype, *quant), x
		m.add("TRANSPOSE", [before, m.ints([0, 2, 1])], [x], version=2)
	y = m.tensor([1, 64, 4] if moved else [1, 4, 64], out_dtype, *out_quant)
	m.add("QUANTIZE", [x], [y], version=2)
	m.save(name, [y])


def cast(name, dtype, out_dtypes, quant=()):
	"""Each type that a type can become: of stored integers, whatever these stand for."""
	m = Model()
	x = m.input([1, 2, 64], "uint8" if dtype == "bool" else dtype, *(quant or (None, None)))
	if dtype == "bool":
		m.tensors[x][1] = fb.i8(TYPES["bool"])
		m.data[0] = m.data[0] > 127
	outs = []
	for kind in out_dtypes:
		outs.append(m.tensor([1, 2, 64], kind, *(quant if kind in ("int8", "uint8", "int16") else ())))
		m.add("CAST", [x], [outs[-1]], TYPES[dtype], TYPES[kind])
	m.save(name, outs)


def write():
	with tflite.model.numbers(48):
		requantize("quantize_to_int16", "int8", "int16", (0.05, 3), (0.0021, 0))
		requantize("quantize_to_int16_ties", "int8", "int16", (0.05, 3), (0.1, 0))
		requantize("quantize_to_int16_u8", "uint8", "int16", (0.003, 100), (0.005, 0))
		requantize("quantize_to_int32", "int16", "int32", (2**-16, -32768), (2**-15, 0))
		requantize("quantize_to_int32_coarse", "int16", "int32", (0.0003, 0), (0.0071, 12))
		requantize("quantize_to_int32_fine", "int16", "int32", (0.0003, 100), (0.00000021, -7), True)
		requantize("quantize_of_int32", "int32", "int8", (0.0003, 0), (0.05, -5))
		requantize("quantize_of_int32_ties", "int32", "int16", (0.0125, 0), (0.2, 0), True)
		requantize("quantize_of_int32_apart", "int32", "int16", (0.0003, 71), (0.0021, 0))
		every = ("int8", "uint8", "int16", "int32", "int64", "bool")
		for dtype in every:
			quant = () if dtype in ("int32", "int64", "bool") else (0.05, 0 if dtype == "int16" else 3)
			cast(f"cast_{dtype}", dtype, [kind for kind in every if kind != dtype], quant)


def refuse():
	for name, words, dtype, quant, out_dtype, out_quant in (
			("quantize_int16_apart", "it makes int8 of int16", "int16", (0.0003, -3), "int8", (0.05, 5)),
			("quantize_to_int16_apart", "it makes int16 of int8", "int8", (0.05, 3), "int16", (0.0003, 4)),
			("quantize_int32_to_u8", "it makes uint8 of int32", "int32", (0.0003, 0), "uint8", (0.05, 5)),
			("quantize_int32_to_int32", "it makes int32 of int32", "int32", (0.0003, 0), "int32", (0.05, 0)),
			("quantize_far", "2^15 times its output scale", "int32", (0.3, 0), "int16", (0.000009, 0))):
		m = Model()
		m.add("QUANTIZE", [m.input([1, 4], dtype, *quant)], [m.tensor([1, 4], out_dtype, *out_quant)], version=2)
		refused(name, words, m)
	for name, words, op in (("custom_edgetpu", "whose name has no _edgetpu", "edgetpu-custom-op"),
				("custom_poses", "a file whose name has no _decoder", "PosenetDecoderOp")):
		m = Model()
		m.add_custom(op, [m.input([1, 4], "uint8", 0.05, 3)], [m.tensor([1, 4], "uint8", 0.05, 3)], b"")
		refused(name, words, m)
