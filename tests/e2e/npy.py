#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a .npy file, without NumPy.

usage: npy.py FILE DESCR ORDER SHAPE      reads the elements, in C order, from standard input

DESCR is NumPy's, such as <f8; ORDER is C or F; SHAPE is such as 2,3,4.
"""

import itertools
import math
import struct
import sys

CODES = {"|u1": "B", "|i1": "b", "<u2": "H", "<i2": "h", "<i4": "i", "<i8": "q", "<f4": "f",
         "<f8": "d", ">i4": "i"}


def main():
    path, descr, order, shape = sys.argv[1:]
    shape = [int(dim) for dim in shape.split(",")]
    elements = [float(word) if "f" in descr else int(word) for word in sys.stdin.read().split()]
    assert len(elements) == math.prod(shape)
    if order == "F":
        # The last index is the slowest; the others as the first is the fastest.
        strides = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
        backwards = itertools.product(*(range(dim) for dim in reversed(shape)))
        elements = [elements[sum(i * stride for i, stride in zip(reversed(index), strides))]
                    for index in backwards]
    head = (f"{{'descr': '{descr}', 'fortran_order': {order == 'F'}, "
            f"'shape': ({', '.join(map(str, shape))},), }}")
    head += " " * (-(11 + len(head)) % 64) + "\n"
    sign = ">" if descr[0] == ">" else "<"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"{sign}{len(elements)}{CODES[descr]}", *elements))


main()
