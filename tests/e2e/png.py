# SPDX-License-Identifier: MIT
"""Pictures for the scripts in this folder, which run where there is nothing but Python itself."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def read(path):
	"""Rows of an 8-bit grey or RGB picture, as bytes, and its channels."""
	with open(path, "rb") as f:
		data = f.read()
	width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
	assert depth == 8 and colour in (0, 2) and not interlaced, path
	channels = 3 if colour else 1
	at, packed = len(SIGNATURE), b""
	while at < len(data):
		length, kind = struct.unpack(">I4s", data[at:at + 8])
		if kind == b"IDAT":
			packed += data[at + 8:at + 8 + length]
		at += 12 + length
	raw, stride, rows = zlib.decompress(packed), channels * width, []
	above = bytearray(stride)
	for y in range(height):
		method, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
		for i in range(stride):
			left, corner = (row[i - channels], above[i - channels]) if i >= channels else (0, 0)
			guess = left + above[i] - corner
			paeth = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]), (abs(guess - corner), 2, corner))[2]
			row[i] = row[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[method] & 255
		rows.append(bytes(row))
		above = row
	return rows, channels


def write(path, width, depth, colour, rows, palette=b""):
	"""Rows are bytes as they stand in the file."""
	def chunk(kind, data):
		return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

	with open(path, "wb") as f:
		f.write(SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), depth, colour, 0, 0, 0)))
		f.write(chunk(b"PLTE", palette) if palette else b"")
		f.write(chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))
