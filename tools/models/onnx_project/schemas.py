# SPDX-License-Identifier: MIT
"""Prints the schemas of ONNX's own operators, as the compiled part of python3-onnx has them (tools/models/onnx_project/schemas runs this):

	opset NEWEST
	OPERATOR SINCE LEAST MOST				of each opset that changed it; how many inputs it has, 255: any number
	OPERATOR SINCE ATTRIBUTE TYPE required|optional		an attribute of it

usage: schemas.py MODULE [OPSET]		of OPSET only those that it changed
"""
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("onnx_cpp2py_export", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
schemas = [s for s in module.defs.get_all_schemas_with_history() if s.domain == ""]
only = int(sys.argv[2]) if len(sys.argv) > 2 else 0
print("opset", only or max(s.since_version for s in schemas))
for schema in sorted(schemas, key=lambda s: (s.name, s.since_version)):
	if only and schema.since_version != only:
		continue
	print(schema.name, schema.since_version, schema.min_input, min(schema.max_input, 255))
	for name, attr in sorted(schema.attributes.items()):
		print(schema.name, schema.since_version, name, str(attr.type).rpartition(".")[2], "required" if attr.required else "optional")
