#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints the schemas of ONNX's own operators in all opsets, as Python's package onnx of requirements.txt has them: tests/unit/onnx-schemas.txt.

	opset NEWEST
	OPERATOR SINCE LEAST MOST				of each opset that changed it; how many inputs it has, 255: any number
	OPERATOR SINCE ATTRIBUTE TYPE required|optional		an attribute of it

usage: schemas.py
"""
import onnx

schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""]
print(f"# ONNX's operators, by tools/models/onnx_project/schemas.py with onnx {onnx.__version__}: `make onnx-schemas`")
print("opset", max(s.since_version for s in schemas))
for schema in sorted(schemas, key=lambda s: (s.name, s.since_version)):
	print(schema.name, schema.since_version, schema.min_input, min(schema.max_input, 255))
	for name, attr in sorted(schema.attributes.items()):
		print(schema.name, schema.since_version, name, str(attr.type).rpartition(".")[2], "required" if attr.required else "optional")
