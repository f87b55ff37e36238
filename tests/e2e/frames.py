#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Are the digits framed in an annotated page? usage: frames.py ANNOTATED BOXES.npy OWNER.npy PAGE SCALE [MINIMUM]

SCALE is how many of ANNOTATED's pixels one of the model's pixels is. Of the boxes of page number PAGE at least MINIMUM (default:
1) have a frame: the middle of each edge is coloured. A page without boxes is grey all over.
"""
import ast
import struct
import sys

import png


def read_npy(path):
	with open(path, "rb") as f:
		data = f.read()
	size = struct.unpack("<H", data[8:10])[0]
	header = ast.literal_eval(data[10:10 + size].decode())
	assert header["descr"] == "<i4", header
	values = struct.unpack(f"<{(len(data) - 10 - size) // 4}i", data[10 + size:])
	return values


def main():
	annotated, boxes, owner, page, scale = sys.argv[1:6]
	minimum = int(sys.argv[6]) if len(sys.argv) > 6 else 1
	(rows, channels), boxes, owner = png.read(annotated), read_npy(boxes), read_npy(owner)
	assert channels == 3, annotated
	mine = [k for k, of in enumerate(owner) if of == int(page)]

	def coloured(y, x):
		"""At this pixel or next to it, for the rounding."""
		around = [(v, u) for v in (y - 1, y, y + 1) for u in (x - 1, x, x + 1) if 0 <= v < len(rows) and 0 <= u < len(rows[0]) // 3]
		return any(len(set(rows[v][3 * u:3 * u + 3])) > 1 for v, u in around)

	framed = 0
	for k in mine:
		y0, x0, y1, x1 = (round(v * float(scale) / 16) for v in boxes[4 * k:4 * k + 4])
		y, x = (y0 + y1) // 2, (x0 + x1) // 2
		framed += all(coloured(*p) for p in ((y0, x), (y1 - 1, x), (y, x0), (y, x1 - 1)))
	if not mine:
		assert all(len(set(row[i:i + 3])) == 1 for row in rows for i in range(0, len(row), 3)), "a blank page has colours"
	else:
		assert framed >= minimum, f"{framed} of {len(mine)} boxes are framed"


if __name__ == "__main__":
	main()
