# SPDX-License-Identifier: MIT
"""For write.py: a model that says of itself, by TensorFlow Lite Metadata, how its pixels are normalized and what its classes are called."""
import io
import os
import zipfile

import numpy as np

import tflite.model
from tflite import flatbuffer as fb
from tflite.model import OUT, Model, weights

MEAN, DEVIATION = (127.5, 100, 90), (127.5, 60, 50)
LABELS = b"cat\ndog\nfish\n"


def metadata(labels):
	"""The buffer: of input 0 the normalization, of output 0 the file with the names."""
	normalization = fb.table({0: fb.vector("f", np.float32(MEAN)), 1: fb.vector("f", np.float32(DEVIATION))})
	inputs = [{0: fb.string("image"), 4: fb.tables([{0: fb.u8(1), 1: normalization}])}]
	outputs = [{0: fb.string("class"), 6: fb.tables([{0: fb.string(labels), 2: fb.i8(2)}])}]
	return fb.write({0: fb.string("described"), 3: fb.tables([{2: fb.tables(inputs), 3: fb.tables(outputs)}])}, b"M001")


def described(name, labels, method):
	with tflite.model.numbers(5100):
		m = Model()
		x = m.real_input([1, 2, 2, 3], 0.02)
		quantized = m.tensor([1, 2, 2, 3], "int8", 0.02, -5)
		m.add("QUANTIZE", [x], [quantized])
		w = weights(m, [3, 12], 0, False, 0.02, 3)
		y = m.tensor([1, 3], "int8", 0.06, -7)
		m.add("FULLY_CONNECTED", [quantized, *w], [y], 0, 0, 0, version=4)
		m.buffers.append({0: fb.raw(metadata("labels.txt"))})
		m.described = len(m.buffers) - 1
		m.save(name, [y])
	path = os.path.join(OUT, name + ".tflite")
	archive = io.BytesIO(open(path, "rb").read())
	with zipfile.ZipFile(archive, "a", method) as file:
		file.writestr(zipfile.ZipInfo("labels.txt"), labels, method)
	with open(path, "wb") as file:
		file.write(archive.getvalue())


def write():
	described("described_classes", LABELS, zipfile.ZIP_STORED)
	described("described_others", LABELS + b"bird\n", zipfile.ZIP_STORED)
	described("described_packed", LABELS, zipfile.ZIP_DEFLATED)
