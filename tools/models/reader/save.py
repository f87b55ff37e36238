# SPDX-License-Identifier: MIT
"""Writes ONNX models with nnloop's checksum. Needs no torch, as whoever puts parts of models together does."""
import hashlib
import zlib

import onnx
from onnx import helper


def with_checksum(data):
	"""A serialized model with nnloop's checksum: one more metadata entry, the last bytes of the file. Protobuf
	messages merge when they are put one after the other, so any reader takes it for part of the model."""
	entry = onnx.StringStringEntryProto(key="org.nnloop.crc32", value=f"{zlib.crc32(data):08x}")
	return data + onnx.ModelProto(metadata_props=[entry]).SerializeToString()


def save_model(path, writer, name, inputs, outputs, doc, opset=13, ir=7, functions=(), checksum=True):
	graph = helper.make_graph(writer.nodes, name, inputs, outputs, writer.inits, doc_string=doc)
	imports = [helper.make_opsetid("", opset)]
	if functions:
		imports.append(helper.make_opsetid("org.nnloop", 1))
	if any(node.domain == "com.microsoft" for node in writer.nodes):
		imports.append(helper.make_opsetid("com.microsoft", 1))
	model = helper.make_model(graph, opset_imports=imports, functions=list(functions), producer_name="nnloop tools/models",
				  producer_version="1", doc_string=doc)
	model.ir_version = ir
	if opset <= onnx.defs.onnx_opset_version():
		onnx.checker.check_model(model, full_check=not functions)
	with open(path, "wb") as f:
		data = model.SerializeToString()
		f.write(with_checksum(data) if checksum else data)
	return model


def sha256(path):
	return hashlib.sha256(open(path, "rb").read()).hexdigest()
