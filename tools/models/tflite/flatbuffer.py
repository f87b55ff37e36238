# SPDX-License-Identifier: MIT
"""Writes FlatBuffers (https://flatbuffers.dev/internals), as far as .tflite files need them.

A table is a dict from field numbers to values, each made by one of the functions below:

	data = write({0: u32(3), 1: tables([{0: string("x")}])}, b"TFL3")
"""

import struct


def _scalar(code):
	return lambda value: ("scalar", struct.pack("<" + code, value))


i8, u8, i16, i32, u32, i64, u64, f32 = (_scalar(code) for code in "bBhiIqQf")


def string(text):
	return "vector", text.encode(), len(text.encode()), 1, b"\0"


def vector(code, values):
	"""A vector of numbers, whose type is struct's code."""
	return "vector", struct.pack(f"<{len(values)}{code}", *values), len(values), struct.calcsize(code), b""


def raw(data):
	"""A vector of bytes, at a multiple of 16, as elements of tensors are."""
	return "vector", bytes(data), len(data), 16, b""


def tables(list_of_tables):
	return "tables", list_of_tables


def repeated(fields, count):
	"""A vector of tables, which are all the same one."""
	return "repeated", fields, count


def table(fields):
	return "table", fields


class _Writer:
	def __init__(self, head):
		self.data = bytearray(head)

	def align(self, alignment, before=0):
		while (len(self.data) + before) % alignment:
			self.data.append(0)

	def point(self, at, to):
		struct.pack_into("<I", self.data, at, to - at)

	def value(self, value):
		"""Writes what is reached by an offset; returns where it is."""
		if value[0] == "table":
			return self.table(value[1])
		if value[0] == "vector":
			_, content, count, alignment, end = value
			self.align(4)
			self.align(max(alignment, 4), 4)
			at = len(self.data)
			self.data += struct.pack("<I", count) + content + end
			return at
		self.align(4)
		at = len(self.data)
		if value[0] == "repeated":
			self.data += struct.pack("<I", value[2]) + bytes(4 * value[2])
			to = self.table(value[1])
			for i in range(value[2]):
				self.point(at + 4 + 4 * i, to)
			return at
		self.data += struct.pack("<I", len(value[1])) + bytes(4 * len(value[1]))
		for i, fields in enumerate(value[1]):
			self.point(at + 4 + 4 * i, self.table(fields))
		return at

	def table(self, fields):
		fields = {number: value for number, value in fields.items() if value is not None}
		offsets = [0] * (max(fields, default=-1) + 1)
		size = 4
		# The largest first, so that all are aligned.
		for number, value in sorted(fields.items(), key=lambda item: -self.width(item[1])):
			width = self.width(value)
			size = (size + width - 1) // width * width
			offsets[number] = size
			size += width
		self.align(8)
		vtable = len(self.data)
		self.data += struct.pack(f"<HH{len(offsets)}H", 4 + 2 * len(offsets), size, *offsets)
		self.align(8)
		at = len(self.data)
		self.data += struct.pack("<i", at - vtable) + bytes(size - 4)
		for number, value in fields.items():
			if value[0] == "scalar":
				self.data[at + offsets[number] : at + offsets[number] + len(value[1])] = value[1]
		for number, value in fields.items():
			if value[0] != "scalar":
				self.point(at + offsets[number], self.value(value))
		return at

	@staticmethod
	def width(value):
		return len(value[1]) if value[0] == "scalar" else 4


def write(root, identifier):
	writer = _Writer(bytes(4) + identifier)
	writer.point(0, writer.table(root))
	return bytes(writer.data)


def flex_map(values, width=4):
	"""A FlexBuffer (https://flatbuffers.dev/flexbuffers) with a map from names to numbers, as custom operators have their
	options; width: bytes of each number."""
	data, keys = bytearray(), {}
	for name in sorted(values):
		keys[name] = len(data)
		data += name.encode() + b"\0"
	while len(data) % width:
		data.append(0)
	code = {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
	data += struct.pack("<" + code, len(keys))
	keys_at = len(data)
	for name in sorted(values):
		data += struct.pack("<" + code, len(data) - keys[name])
	data += struct.pack(f"<3{code}", len(data) - keys_at, width, len(keys))
	values_at, types = len(data), b""
	for name in sorted(values):
		value = values[name]
		kind = {bool: 26, int: 1, float: 3}[type(value)]
		data += struct.pack("<" + (("f" if width == 4 else "d") if kind == 3 else code.lower()), value)
		types += bytes([kind << 2 | width.bit_length() - 1])
	data += types
	return bytes(data) + struct.pack("<BBB", len(data) - values_at, 9 << 2 | width.bit_length() - 1, 1)
