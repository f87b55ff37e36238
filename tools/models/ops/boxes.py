# SPDX-License-Identifier: MIT
"""The models of write.py that cut boxes out of images: RoiAlign."""
import numpy as np

import ops.model
from ops.model import Model


def roi_align(name, doc, images, bins, boxes=9, opset=16, dtype=np.uint8, to=(0.045, 77), at=(0.09, 30), constant="", **attrs):
	"""constant: which of rois and batch_indices are no inputs: floats, integers that are dequantized, indices."""
	m = Model()
	x = m.input(images, dtype, 0.043, 100 if dtype == np.uint8 else -5, symbolic=False)
	x = m.node("MaxPool", [m.real(x)], "image", kernel_shape=[1, 1])
	corners = ops.model.rng.integers(0, 256, (boxes, 2, 2)).astype(np.uint8)
	# ONNX Runtime fails where a box ends before it begins in one direction only, without sampling_ratio.
	corners = np.sort(corners, axis=1).reshape(boxes, 4)
	if "floats" in constant:
		rois = m.const("rois", ((corners.astype(np.float32) - 30) * np.float32(0.0891)).astype(np.float32))
	elif "integers" in constant:
		rois = m.dequantize(m.const("rois_integers", corners), m.const("rois_scale", np.float32(at[0])), m.const("rois_zero", np.uint8(at[1])))
	else:
		rois = m.real(m.input((boxes, 4), np.uint8, *at, symbolic=False))
		m.data[-1] = corners
	numbers = ops.model.rng.integers(0, images[0], boxes)
	indices = m.const("numbers", numbers) if "indices" in constant else m.plain_input("numbers", numbers, [boxes])
	m.node("RoiAlign", [x, rois, indices], "aligned", output_height=bins[0], output_width=bins[1], **attrs)
	m.save(name, m.output("aligned", [boxes, images[1], *bins], dtype, *to), doc, False, opset=opset)


@ops.model.numbers(46)
def write():
	roi_align("whole_roi_align", "RoiAlign, computed boxes and indices", (3, 5, 9, 11), (3, 2))
	roi_align("whole_roi_align_old", "RoiAlign of opset 10, boxes that are floats", (2, 3, 12, 10), (2, 4), opset=10, constant="floats indices", sampling_ratio=2,
		  spatial_scale=0.53)
	roi_align("whole_roi_align_output_half_pixel", "RoiAlign that moves no box by half a pixel", (2, 3, 12, 10), (4, 3), 20, at=(0.2, 40), constant="indices",
		  coordinate_transformation_mode="output_half_pixel", spatial_scale=0.25)
	roi_align("whole_roi_align_max", "RoiAlign, the greatest, int8", (2, 4, 8, 9), (2, 3), dtype=np.int8, to=(0.031, 3), mode="max", sampling_ratio=3)
	roi_align("whole_roi_align_max_pixels", "RoiAlign, the greatest of as many samples as pixels, many channels", (2, 70, 8, 9), (2, 2), 7, opset=21,
		  constant="integers", mode="max", coordinate_transformation_mode="half_pixel")
	roi_align("whole_roi_align_one", "RoiAlign of one box of one image", (1, 65, 6, 7), (1, 1), 1, sampling_ratio=1)
