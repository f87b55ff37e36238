#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes pages as users have them. usage: pages.py GREY.png FOLDER

GREY.png is a page of 8-bit grey pixels. FOLDER gets the same page as double.png (twice as large), colour.png (RGB),
transparent.png (black of varying opacity), deep.png (16 bits), palette.png, and upper.png, its upper half.
"""
import os
import sys

import png


def main():
	(rows, channels), folder = png.read(sys.argv[1]), sys.argv[2]
	assert channels == 1, sys.argv[1]
	width = len(rows[0])
	os.makedirs(folder, exist_ok=True)

	def to(name):
		return os.path.join(folder, name + ".png")

	png.write(to("double"), 2 * width, 8, 0, [bytes(v for v in row for _ in range(2)) for row in rows for _ in range(2)])
	png.write(to("colour"), width, 8, 2, [bytes(v for v in row for _ in range(3)) for row in rows])
	png.write(to("transparent"), width, 8, 4, [b"".join(bytes((0, 255 - v)) for v in row) for row in rows])
	png.write(to("deep"), width, 16, 0, [b"".join(bytes((v, v)) for v in row) for row in rows])
	png.write(to("palette"), width, 8, 3, rows, bytes(v for v in range(256) for _ in range(3)))
	png.write(to("upper"), width, 8, 0, rows[:len(rows) // 2])


if __name__ == "__main__":
	main()
