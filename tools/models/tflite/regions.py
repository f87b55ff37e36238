# SPDX-License-Identifier: MIT
"""The models of write.py whose results come from many elements each, without weights."""
import tflite.model
from tflite.model import Model, refused


def resize(name, op, image, size, align, half, dtype="int8"):
	m = Model()
	x = m.input([1, *image], dtype, 0.05, 3)
	y = m.tensor([1, *size, image[2]], dtype, 0.05, 3)
	options = (align, half) if op == "RESIZE_NEAREST_NEIGHBOR" else (None, None, align, half)
	m.add(op, [x, m.ints(list(size))], [y], *options, version=3)
	m.save(name, [y])


def reduction(name, op, shape, axes, keep, scales=(0.05, 0.05), zeros=(3, 3), dtype="int8"):
	m = Model()
	x = m.input([1, *shape], dtype, scales[0], zeros[0])
	gone = [axis % (len(shape) + 1) for axis in axes]
	out = [1 if i in gone else d for i, d in enumerate([1, *shape]) if keep or i not in gone]
	y = m.tensor(out, dtype, scales[1], zeros[1])
	m.add(op, [x, m.ints(axes)], [y], keep, version=2)
	m.save(name, [y])


@tflite.model.numbers(31)
def write():
	"""Operators whose results come from many elements each, without weights."""
	for kind, op in (("bilinear", "RESIZE_BILINEAR"), ("nearest", "RESIZE_NEAREST_NEIGHBOR")):
		resize(f"resize_{kind}", op, (5, 7, 3), (10, 9), 0, 0)
		resize(f"resize_{kind}_align", op, (5, 7, 3), (10, 18), 1, 0)
		resize(f"resize_{kind}_half", op, (5, 7, 3), (13, 14), 0, 1)
		resize(f"resize_{kind}_smaller", op, (11, 9, 5), (4, 5), 0, 1)
		resize(f"resize_{kind}_align_one", op, (6, 4, 2), (1, 9), 1, 0)
	resize("resize_nearest_u8", "RESIZE_NEAREST_NEIGHBOR", (5, 7, 3), (10, 9), 0, 0, "uint8")
	reduction("mean_image", "MEAN", (7, 5, 40), [1, 2], 1, (0.05, 0.03), (3, -7))
	reduction("mean_image_flat", "MEAN", (8, 4, 40), [2, 1], 0)
	reduction("mean_channels", "MEAN", (7, 5, 6), [-1], 1, (0.05, 0.03), (3, -7))
	reduction("mean_rows", "MEAN", (8, 9), [1], 0, (0.05, 0.05))
	reduction("mean_rows_u8", "MEAN", (9, 8, 6), [2], 0, (0.05, 0.02), (100, 70), "uint8")
	reduction("mean_all", "MEAN", (5, 8, 6), [1, 2, 3], 0, (0.05, 0.01))
	reduction("reduce_max", "REDUCE_MAX", (5, 8, 6), [1, 3], 1)
	reduction("reduce_min_u8", "REDUCE_MIN", (5, 8, 6), [-2], 0, dtype="uint8")
	reduction("mean_image_from_the_end", "MEAN", (7, 5, 40), [-3, -2], 1, (0.05, 0.05), (3, 3))
	reduction("mean_image_u8", "MEAN", (8, 4, 40), [1, 2], 0, (0.05, 0.03), (100, 70), "uint8")


def refuse():
	m = Model()
	m.add("RESIZE_BILINEAR", [m.input([1, 4, 4, 2], "int8", 0.05, 3), m.ints([8, 8])], [m.tensor([1, 8, 8, 2], "int8", 0.05, 3)], None, None, 1, 1)
	refused("resize_both", "both align_corners and half_pixel_centers", m)
	m = Model()
	m.add("RESIZE_NEAREST_NEIGHBOR", [m.input([1, 4, 4, 2], "int8", 0.05, 3), m.ints([8, 70000])], [m.tensor([1, 8, 70000, 2], "int8", 0.05, 3)])
	refused("resize_size", "makes 70000 pixels", m)
	m = Model()
	m.add("RESIZE_BILINEAR", [m.input([1, 4, 4, 2], "int8", 0.05, 3), m.ints([8])], [m.tensor([1, 8, 8, 2], "int8", 0.05, 3)])
	m2 = Model()
	m2.add("MEAN", [m2.input([1, 4, 6], "int8", 0.05, 3), m2.ints([0, 1])], [m2.tensor([1, 1, 6], "int8", 0.05, 3)], 1)
	refused("mean_batch", "goes over the first dimension, which is the batch", m2)
	m2 = Model()
	m2.add("REDUCE_MAX", [m2.input([1, 4, 6], "int8", 0.05, 3), m2.ints([5])], [m2.tensor([1, 1, 6], "int8", 0.05, 3)], 1)
	refused("reduce_axis", "its axis 5 is not one of 3 dimensions", m2)
	Model().input([1, 4, 6], "int8", 0.05, 3)  # for the random numbers of those behind it: LiteRT takes it (edges/tflite.py, stored)
	refused("resize_sizes", "its size is 1 numbers, not 2", m)
