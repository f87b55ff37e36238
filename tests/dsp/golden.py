#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints golden values of the portable kernels as C, for test-golden.c.

Nothing of nnloop is used: the definitions of dsp/program/kernels.h and dsp/kernels/ are spelled out with
Python's integers, and float32 is rounded to by struct. Operators that are only defined up to a step (ADD,
AVERAGE_POOL) are computed with fractions and rounded once.
"""
import random
import struct
from fractions import Fraction

rng = random.Random(7)


def fl(x):
    """The nearest float32. Doubles hold products of two float32 exactly, quotients well enough."""
    return struct.unpack("f", struct.pack("f", x))[0]


def rand_type():
    return rng.choice(["INT8", "UINT8"])


def limits(kind):
    return (-128, 127) if kind == "INT8" else (0, 255)


def rand_values(kind, count):
    lo, hi = limits(kind)
    return [rng.randint(lo, hi) for _ in range(count)]


def rand_scale(lo, hi):
    return fl(rng.uniform(lo, hi))


def rand_clamp(kind):
    lo, hi = limits(kind)
    if rng.random() < 0.5:
        return lo, hi
    return tuple(sorted(rng.randint(lo, hi) for _ in range(2)))


def clamp(x, bounds):
    return max(bounds[0], min(bounds[1], x))


def requant(acc, scale, zero, bounds):
    """round() is to nearest, ties to even."""
    return clamp(round(fl(fl(acc) * scale)) + zero, bounds)


def array(name, ctype, values):
    text = ", ".join(v.hex() if isinstance(v, float) else str(v) for v in values)
    print(f"static const {ctype} {name}[] = {{ {text} }};")


def geometry():
    """kernel, stride, dilation, pad, input size, output size along one axis."""
    while True:
        k, s, d = rng.randint(1, 4), rng.randint(1, 3), rng.choice([1, 1, 2])
        pad, size = rng.randint(0, (k - 1) * d), rng.randint(1, 7)
        most = (size + pad - 1) // s + 1
        if most >= 1:
            return k, s, d, pad, size, rng.randint(max(1, most - 1), most)


def taps(axis, out):
    """Input positions of a window, None for padding."""
    k, s, d, pad, size, _ = axis
    return [p if 0 <= p < size else None for p in (out * s - pad + i * d for i in range(k))]


def bytes_of(values):
    return [v & 255 for v in values]


def convolution(index, depthwise, connected):
    v, h = geometry(), geometry()
    if connected:
        v = h = (1, 1, 1, 0, 1, 1)
    n = rng.randint(1, 2)
    channels = rng.choice([1, 2, 3, 5, 8, 13, 24])
    outputs = channels * rng.choice([1, 1, 2]) if depthwise else rng.choice([1, 3, 10, 32, 33])
    inputs = 1 if depthwise else channels
    ti, to = rand_type(), rand_type()
    zi, zo = rng.randint(*limits(ti)), rng.randint(*limits(to))
    bounds = rand_clamp(to)
    x = rand_values(ti, n * v[4] * h[4] * channels)
    # output, row, column, input
    w = [rng.randint(-128, 127) for _ in range(outputs * v[0] * h[0] * inputs)]
    bias = [rng.randint(-5000, 5000) for _ in range(outputs)]
    sx, sy = rand_scale(0.01, 0.1), rand_scale(0.5, 5.0)
    sw = [rand_scale(0.0005, 0.02) for _ in range(outputs)]
    if rng.random() < 0.3:	# powers of two: ties
        sx, sy, sw = 0.0625, 1.0, [0.03125] * outputs
    y = []
    for image in range(n):
        for oy in range(v[5]):
            for ox in range(h[5]):
                for m in range(outputs):
                    acc = bias[m]
                    for ky, iy in enumerate(taps(v, oy)):
                        for kx, ix in enumerate(taps(h, ox)):
                            if iy is None or ix is None:
                                continue
                            for c in range(inputs):
                                channel = m // (outputs // channels) if depthwise else c
                                a = x[((image * v[4] + iy) * h[4] + ix) * channels + channel]
                                acc += (a - zi) * w[((m * v[0] + ky) * h[0] + kx) * inputs + c]
                    y.append(requant(acc, fl(fl(sx * sw[m]) / sy), zo, bounds))
    name = f"layer{index}"
    array(name + "_x", "uint8_t", bytes_of(x))
    array(name + "_w", "int8_t", w)
    array(name + "_bias", "int32_t", bias)
    array(name + "_sw", "float", sw)
    array(name + "_y", "uint8_t", bytes_of(y))
    opcode = "DEPTHWISE_CONV2D" if depthwise else "FULLY_CONNECTED" if connected else "CONV2D"
    return (f"\t{{ NN_OPCODE_{opcode}, NN_TYPE_{ti}, NN_TYPE_{to}, {zi}, {zo}, "
            f"{bounds[0]}, {bounds[1]}, "
        f"{{ {n}, {v[4]}, {h[4]}, {channels} }}, {{ {n}, {v[5]}, {h[5]}, {outputs} }}, "
        f"{{ {v[0]}, {h[0]}, {v[1]}, {h[1]}, {v[2]}, {h[2]}, {v[3]}, {h[3]}, 0, 0, 0 }}, "
        f"{sx.hex()}f, {sy.hex()}f, {name}_sw, {name}_w, {name}_bias, {name}_x, {name}_y }},")


def pool(index, average):
    while True:
        v, h = geometry(), geometry()
        if v[2] == h[2] == 1:
            break
    n, channels = rng.randint(1, 2), rng.choice([1, 3, 16, 40])
    ti = rand_type()
    to = rand_type() if average else ti
    zi, zo = rng.randint(*limits(ti)), rng.randint(*limits(to))
    bounds, count_padding = rand_clamp(to), rng.randint(0, 1)
    sx = rand_scale(0.05, 0.2)
    sy = rng.choice([sx, rand_scale(0.05, 0.2)])
    x, y = rand_values(ti, n * v[4] * h[4] * channels), []
    for image in range(n):
        for oy in range(v[5]):
            for ox in range(h[5]):
                for c in range(channels):
                    values = [x[((image * v[4] + iy) * h[4] + ix) * channels + c]
                          for iy in taps(v, oy) for ix in taps(h, ox)
                          if iy is not None and ix is not None]
                    if average:
                        count = v[0] * h[0] if count_padding else len(values)
                        mean = Fraction(sum(a - zi for a in values), count)
                        y.append(clamp(round(mean * Fraction(sx) / Fraction(sy)) + zo, bounds))
                    else:
                        y.append(clamp(max(values), bounds))
    name = f"pool{index}"
    array(name + "_x", "uint8_t", bytes_of(x))
    array(name + "_y", "uint8_t", bytes_of(y))
    opcode = "AVERAGE_POOL" if average else "MAX_POOL"
    return (f"\t{{ NN_OPCODE_{opcode}, NN_TYPE_{ti}, NN_TYPE_{to}, {zi}, {zo}, "
            f"{bounds[0]}, {bounds[1]}, "
        f"{{ {n}, {v[4]}, {h[4]}, {channels} }}, {{ {n}, {v[5]}, {h[5]}, {channels} }}, "
        f"{{ {v[0]}, {h[0]}, {v[1]}, {h[1]}, 1, 1, {v[3]}, {h[3]}, {count_padding}, 0, 0 }}, "
        f"{sx.hex()}f, {sy.hex()}f, NULL, NULL, NULL, {name}_x, {name}_y }},")


def addition(index):
    ta, tb, to = rand_type(), rand_type(), rand_type()
    za, zb, zo = (rng.randint(*limits(t)) for t in (ta, tb, to))
    sa, sb, sc = rand_scale(0.01, 0.2), rand_scale(0.01, 0.2), rand_scale(0.02, 0.3)
    bounds = rand_clamp(to)
    a, b = rand_values(ta, 500), rand_values(tb, 500)
    fa, fb, fc = Fraction(sa), Fraction(sb), Fraction(sc)
    y = [clamp(round(((p - za) * fa + (q - zb) * fb) / fc) + zo, bounds) for p, q in zip(a, b)]
    name = f"add{index}"
    array(name + "_a", "uint8_t", bytes_of(a))
    array(name + "_b", "uint8_t", bytes_of(b))
    array(name + "_y", "uint8_t", bytes_of(y))
    return (f"\t{{ NN_TYPE_{ta}, NN_TYPE_{tb}, NN_TYPE_{to}, {za}, {zb}, {zo}, "
            f"{bounds[0]}, {bounds[1]}, "
        f"{sa.hex()}f, {sb.hex()}f, {sc.hex()}f, {name}_a, {name}_b, {name}_y }},")


def crop(index):
    """Boxes of two images: some outside, empty or upside down, some of an image not there."""
    kind = rand_type()
    height, width, channels = rng.randint(1, 20), rng.randint(1, 20), rng.choice([1, 1, 3, 40])
    oh, ow, zero = rng.randint(1, 12), rng.randint(1, 12), rng.randint(*limits(kind))
    image, boxes, owner, y = rand_values(kind, 2 * height * width * channels), [], [], []

    def axis(low, high, size, count):
        low, high = clamp(low, (0, 16 * size)), clamp(high, (0, 16 * size))
        high = max(low, high)
        for i in range(count):
            p = 16 * low + (high - low) * (2 * i + 1) * 8 // count - 128
            p = clamp(p, (0, 256 * (size - 1)))
            yield p >> 8, min((p >> 8) + 1, size - 1), p & 255

    for _ in range(8):
        box = [rng.randint(-20, 16 * height + 20), rng.randint(-20, 16 * width + 20)]
        box += [box[0] + rng.randint(-5, 16 * height), box[1] + rng.randint(-5, 16 * width)]
        boxes += box
        owner.append(rng.choice([0, 1, 0, 1, 0, 1, 2, -1]))
        n = owner[-1]
        for iy, jy, fy in axis(box[0], box[2], height, oh):
            for ix, jx, fx in axis(box[1], box[3], width, ow):
                for c in range(channels):
                    if n not in (0, 1):
                        y.append(zero)
                        continue
                    at = lambda r, s: image[((n * height + r) * width + s) * channels + c]
                    top = at(iy, ix) * (256 - fx) + at(iy, jx) * fx
                    bottom = at(jy, ix) * (256 - fx) + at(jy, jx) * fx
                    y.append((top * (256 - fy) + bottom * fy + 32768) >> 16)
    name = f"crop{index}"
    array(name + "_x", "uint8_t", bytes_of(image))
    array(name + "_boxes", "int32_t", boxes)
    array(name + "_owner", "int32_t", owner)
    array(name + "_y", "uint8_t", bytes_of(y))
    return (f"\t{{ NN_TYPE_{kind}, {zero}, {{ 2, {height}, {width}, {channels} }}, "
            f"{{ 8, {oh}, {ow}, {channels} }}, "
        f"{name}_x, {name}_boxes, {name}_owner, {name}_y }},")


def requants():
    """Accumulators and scales whose products lie on or next to ties, and any."""
    rows = []
    for _ in range(4000):
        if rng.random() < 0.5:
            acc = rng.randint(-2**31, 2**31 - 1) >> rng.randint(0, 31)
            scale = rand_scale(0.5, 1) * 2.0 ** -rng.randint(0, 28)
        else:	# acc * scale near a half, the scale a quotient
            half = rng.randint(-140, 140) + 0.5
            acc = rng.choice([-1, 1]) * rng.randint(1, 2**rng.randint(1, 31) - 1)
            scale = fl(abs(half / acc))
        if not 1e-37 < scale:
            continue
        rows.append((acc, scale, round(max(-1000.0, min(1000.0, fl(fl(acc) * scale))))))
    array("requant_acc", "int32_t", [r[0] for r in rows])
    array("requant_scale", "float", [r[1] for r in rows])
    array("requant_result", "int16_t", [r[2] for r in rows])


layers = [convolution(i, i % 3 == 1, i % 3 == 2) for i in range(60)]
layers += [pool(i, i % 2) for i in range(60)]
print("static const struct golden_layer layers[] = {\n" + "\n".join(layers) + "\n};")
sums = [addition(i) for i in range(20)]
crops = [crop(i) for i in range(20)]
print("static const struct golden_crop crops[] = {\n" + "\n".join(crops) + "\n};")
print("static const struct golden_sum sums[] = {\n" + "\n".join(sums) + "\n};")
requants()
