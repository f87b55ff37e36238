#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints golden values of ADD_FLOAT and AVERAGE_POOL_FLOAT as C, for test-golden-float.c: every pair of bytes, and
as many windows, for several scales.

Nothing of nnloop is used. float32 is rounded to by struct from Python's doubles, which have more than twice as many
bits, so that a sum, product or quotient of two float32 rounds as if it had been rounded once; fma() is made of fractions.
"""
import struct
from fractions import Fraction

BYTES = 1 << 16


def fl(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def fma(a, b, c):
    """a * b + c, rounded once: to one bit more than float32 has, the last one of which stands for all below."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        return 0.0
    shift = 60 - exact.numerator.bit_length() + exact.denominator.bit_length()
    scaled = exact * Fraction(2) ** shift
    whole = int(scaled)
    if whole != scaled:
        whole |= 1
    # 60 bits, rounded to float32's 24 by hand: a double has too few for all of them.
    low = abs(whole).bit_length() - 24
    up, rest = abs(whole) >> low, abs(whole) & ((1 << low) - 1)
    half = 1 << (low - 1)
    up += rest > half or (rest == half and up & 1)
    value = Fraction(up << low) / Fraction(2) ** shift
    return float(value if whole > 0 else -value)


def limits(kind):
    return (-128, 127) if kind == "INT8" else (0, 255)


def signed(byte, kind):
    return byte - 256 if kind == "INT8" and byte > 127 else byte


def rounded(x, zero, kind):
    low, high = limits(kind)
    # round() is to nearest, ties to even.
    return max(low, min(high, round(max(-1e6, min(1e6, x))) + zero)) & 255


def array(name, values):
    print(f"static const uint8_t {name}[] = {{ {','.join(map(str, values))} }};")


def add(index, form, kinds, zeros, scales):
    a, b, c = kinds
    sa, sb, sc = map(fl, scales)
    table_a = [fl((signed(i, a) - zeros[0]) * sa) for i in range(256)]
    table_b = [fl((signed(i, b) - zeros[1]) * sb) for i in range(256)]
    if form == "DEQUANTIZED":
        y = [rounded(fl(fl(p + q) / sc), zeros[2], c) for p in table_a for q in table_b]
    else:
        ra, rb = fl(sa / sc), fl(sb / sc)
        base = fl(zeros[2] - fma(zeros[0], ra, fl(zeros[1] * rb)))
        inner = [fma(signed(i, b), rb, base) for i in range(256)]
        y = [rounded(fma(signed(i, a), ra, v), 0, c) for i in range(256) for v in inner]
    array(f"add{index}", y)
    return (f"\t{{ NN_ADD_{form}, {{ NN_TYPE_{a}, NN_TYPE_{b}, NN_TYPE_{c} }}, {{ {zeros[0]}, {zeros[1]}, {zeros[2]} }}, "
            f"{{ {sa.hex()}f, {sb.hex()}f, {sc.hex()}f }}, add{index} }},")


def window_byte(p, i):
    """Element p of window i, as test-golden-float.c makes it, too."""
    return (i * (2 * p + 1) + (i >> 8) * (p + 3) + p * 29) & 255


def total(values, order, height, width):
    """values: row after row."""
    def chain(parts):
        result = parts[0]
        for part in parts[1:]:
            result = fl(result + part)
        return result

    if order in ("ROWS", "ZERO_POINT"):
        return chain(values)
    if order == "COLUMNS":
        return chain([chain(values[x::width]) for x in range(width)])
    whole = len(values) // 4 * 4
    s = [chain([0.0] + values[k:whole:4]) for k in range(4)]
    return chain([fl(fl(s[0] + s[2]) + fl(s[1] + s[3]))] + values[whole:])


def average(index, order, kinds, zeros, scales, height, width):
    x, y = kinds
    si, so = map(fl, scales)
    count = height * width
    table = [fl((signed(i, x) - zeros[0]) * si) for i in range(256)]
    out = []
    for i in range(BYTES):
        window = [window_byte(p, i) for p in range(count)]
        if order == "EXACT":
            value = fl(fl(sum(signed(b, x) - zeros[0] for b in window)) * fl(si / fl(so * count)))
        else:
            value = fl(fl(total([table[b] for b in window], order, height, width) / count) / so)
        if order == "ZERO_POINT":
            out.append(rounded(fl(value + zeros[1]), 0, y))
        else:
            out.append(rounded(value, zeros[1], y))
    array(f"average{index}", out)
    return (f"\t{{ NN_AVERAGE_{order}, {{ NN_TYPE_{x}, NN_TYPE_{y} }}, {{ {zeros[0]}, {zeros[1]} }}, {{ {si.hex()}f, {so.hex()}f }}, "
            f"{height}, {width}, average{index} }},")


U, I = "UINT8", "INT8"
SUMS = [
    ("DEQUANTIZED", (U, U, U), (128, 128, 128), (0.05, 0.05, 0.05)),
    ("DEQUANTIZED", (U, U, U), (130, 126, 99), (0.0486565, 0.0486565, 0.097313)),  # ties of equal scales
    ("DEQUANTIZED", (I, U, I), (-4, 200, 10), (0.125, 0.25, 0.5)),  # powers of two: ties, all of them exact
    ("DEQUANTIZED", (U, I, U), (3, -5, 117), (0.1068042, 0.3204126, 0.2136084)),
    ("DEQUANTIZED", (I, I, U), (0, 1, 128), (0.0175226, 0.1104319, 0.0972738)),
    ("DEQUANTIZED", (U, U, I), (128, 0, -3), (7.5, 1e-3, 0.05)),  # one of them far larger
    ("DEQUANTIZED", (U, U, U), (10, 128, 0), (1e-35, 3e37, 1e38)),  # beyond what the vector kernel's integers are for
    ("FUSED", (U, U, U), (255, 128, 148), (0.0625, 0.0625, 0.25)),
    ("FUSED", (I, I, I), (-99, 69, 105), (0.0123456, 0.0308641, 0.0246912)),
    ("FUSED", (U, I, U), (41, -41, 40), (0.05, 0.05, 0.05)),
]
AVERAGES = [
    ("COLUMNS", (U, U), (128, 128), (0.0486565, 0.0486565), 2, 2),  # a quarter are ties
    ("COLUMNS", (I, U), (-7, 40), (0.0486565, 0.0324377), 3, 3),
    ("ROWS", (U, I), (90, 5), (0.0486565, 0.0973131), 3, 3),
    ("ROWS", (U, U), (0, 0), (0.9, 0.05), 1, 4),  # 18 times finer
    ("QUARTERS", (U, U), (128, 131), (0.0486565, 0.0486565), 3, 4),
    ("QUARTERS", (I, I), (3, 0), (0.0131, 0.00655), 5, 3),
    ("EXACT", (U, U), (128, 131), (0.05, 0.05), 2, 3),
    ("EXACT", (I, I), (-9, 131 - 128), (0.0131, 0.0262), 4, 4),
    ("ZERO_POINT", (U, U), (128, 131), (0.0486565, 0.0486565), 2, 2),  # a quarter are ties, which go the other way
    ("ZERO_POINT", (I, I), (-7, -40), (0.0486565, 0.0324377), 3, 3),
    ("ZERO_POINT", (U, I), (0, 127), (0.9, 0.05), 1, 4),
    ("ZERO_POINT", (I, U), (3, 254), (0.0131, 0.00655), 5, 3),
]

sums = [add(i, *case) for i, case in enumerate(SUMS)]
averages = [average(i, *case) for i, case in enumerate(AVERAGES)]
print("static const struct golden_sum sums[] = {\n" + "\n".join(sums) + "\n};")
print("static const struct golden_average averages[] = {\n" + "\n".join(averages) + "\n};")
