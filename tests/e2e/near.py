#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whether two .npy files of float32 have the same elements, without NumPy.

usage: near.py WANTED FILE TOLERANCE

Elements may differ by TOLERANCE of the range of the wanted ones, 0 included. Dimensions of 1 may be missing.
"""
import ast
import math
import struct
import sys


def load(path):
	with open(path, "rb") as file:
		data = file.read()
	size = struct.unpack("<H", data[8:10])[0]
	head = ast.literal_eval(data[10 : 10 + size].decode())
	assert head["descr"] == "<f4" and not head["fortran_order"], head
	shape = [dim for dim in head["shape"] if dim != 1]
	return shape, struct.unpack(f"<{math.prod(shape)}f", data[10 + size :])


def main():
	(shape, wanted), (made_shape, made) = load(sys.argv[1]), load(sys.argv[2])
	if shape != made_shape:
		sys.exit(f"the shape is {made_shape}, not {shape}")
	bound = float(sys.argv[3]) * (max(0, *wanted) - min(0, *wanted))
	for i, (want, got) in enumerate(zip(wanted, made)):
		if not abs(got - want) <= bound:
			sys.exit(f"element {i} is {got!r}, not {want!r}")


main()
