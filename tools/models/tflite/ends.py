# SPDX-License-Identifier: MIT
"""The models of write.py that end in float32: QUANTIZE, DEQUANTIZE, and the last operator of detectors."""
import numpy as np

from tflite import flatbuffer as fb
import tflite.model
from tflite.model import Model, refused
from tflite.refused import relu


def float_ends(name, dtype, scale, zero):
	m = Model()
	x = m.real_input([1, 6, 5, 3], scale)
	q, p = m.tensor([1, 6, 5, 3], dtype, scale, zero), m.tensor([1, 3, 6, 5], dtype, scale, zero)
	y = m.tensor([1, 3, 6, 5], "float32")
	m.add("QUANTIZE", [x], [q], version=1)
	m.add("TRANSPOSE", [q, m.ints([0, 3, 1, 2])], [p], version=2)
	m.add("DEQUANTIZE", [p], [y], version=2)
	m.save(name, [y])


def float_between(name, dtype, scales, zeros):
	"""DEQUANTIZE and QUANTIZE, one behind the other: and what is between them is an output, too."""
	m = Model()
	x = m.input([1, 256], dtype, scales[0], zeros[0])
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	r, y = m.tensor([1, 256], "float32"), m.tensor([1, 256], "int8", scales[1], zeros[1])
	m.add("DEQUANTIZE", [x], [r], version=2)
	m.add("QUANTIZE", [r], [y], version=1)
	m.save(name, [r, y])


def requantize(name, dtype, scales, zeros, out_dtype):
	m = Model()
	x = m.input([1, 256], dtype, scales[0], zeros[0])
	info = np.iinfo(dtype)
	m.data[0][:] = np.arange(info.min, info.max + 1)
	y = m.tensor([1, 256], out_dtype, scales[1], zeros[1])
	m.add("QUANTIZE", [x], [y], version=2)
	m.save(name, [y])


@tflite.model.numbers(1)
def write_ends():
	float_ends("float_ends", "int8", 0.0472, -3)
	float_ends("float_ends_u8", "uint8", 0.1, 121)
	float_between("float_between", "int8", (0.0472, 0.0311), (7, -20))
	float_between("float_between_u8", "uint8", (0.03, 0.05), (100, 4))
	requantize("requantize", "int8", (0.05, 0.04), (3, -7), "int8")
	requantize("requantize_u8", "uint8", (0.013, 0.05), (100, -7), "int8")
	requantize("requantize_to_u8", "int8", (0.05, 0.05), (3, 131), "uint8")


DETECTION = {"max_detections": 10, "max_classes_per_detection": 1, "num_classes": 5, "use_regular_nms": False,
	     "nms_score_threshold": 0.1, "nms_iou_threshold": 0.6, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}


def detection(name, dtype, levels, background, options, width=4, shapes=True):
	"""The end of a detector: boxes around a grid of 7 x 6 anchors, scores of so many different values."""
	m = Model()
	options = {**DETECTION, **options}
	anchors, classes = 42, options["num_classes"] + background
	first = np.iinfo(dtype).min
	x = [m.input([1, anchors, 4], dtype, 0.08, first + 120), m.input([1, anchors, classes], dtype, 1 / 256, first)]
	m.data[1][:] = first + m.data[1].astype(int) % levels * (255 // (levels - 1))
	grid = [((y + 0.5) / 7, (x + 0.5) / 6, 0.3 + 0.05 * (y % 3), 0.35) for y in range(7) for x in range(6)]
	if dtype == "int8":  # which the operator does not know
		r = [m.tensor([1, anchors, 4], "float32"), m.tensor([1, anchors, classes], "float32")]
		for q, real in zip(x, r):
			m.add("DEQUANTIZE", [q], [real], version=2)
		x, a = r, m.tensor([anchors, 4], "float32", data=np.array(grid, np.float32))
	else:
		a = m.tensor([anchors, 4], "uint8", 0.0045, 3, data=np.round(np.array(grid) / 0.0045 + 3).astype(np.uint8))
	most = options["max_detections"] * options["max_classes_per_detection"]
	y = [m.tensor(shape if shapes else [], "float32") for shape in ([1, most, 4], [1, most], [1, most], [1])]
	m.add_custom("TFLite_Detection_PostProcess", [*x, a], y, fb.flex_map(options, width))
	m.save(name, y)


@tflite.model.numbers(1)
def write_detection():
	detection("detection", "int8", 256, 1, {})
	detection("detection_u8", "uint8", 256, 1, {}, 8)
	detection("detection_ties", "uint8", 4, 0, {"nms_iou_threshold": 0.8, "nms_score_threshold": 85 / 256})
	detection("detection_classes", "int8", 5, 1, {"max_classes_per_detection": 3, "max_detections": 5, "num_classes": 11})
	detection("detection_all_classes", "int8", 3, 0, {"max_classes_per_detection": 6, "max_detections": 4, "num_classes": 6})
	detection("detection_regular", "int8", 256, 1, {"use_regular_nms": True, "detections_per_class": 3, "_output_quantized": True}, shapes=False)
	detection("detection_regular_ties", "uint8", 4, 1, {"use_regular_nms": True, "max_detections": 23})
	detection("detection_regular_few", "uint8", 256, 0, {"use_regular_nms": True, "nms_score_threshold": 0.95, "nms_iou_threshold": 0.3, "max_detections": 30})


def detection_model(dtype, options):
	"""One to break, and its outputs."""
	m = Model()
	x = [m.input([1, 6, count], dtype, 0.05, 3) for count in (4, 5)]
	a = m.tensor([6, 4], dtype, 0.01, 0, data=tflite.model.rng.integers(1, 100, [6, 4]).astype(dtype))
	y = [m.tensor(shape, "float32") for shape in ([1, 10, 4], [1, 10], [1, 10], [1])]
	m.add_custom("TFLite_Detection_PostProcess", [*x, a], y, fb.flex_map({**DETECTION, **options}))
	return m, y


@tflite.model.numbers(1)
def refuse():
	m = Model()
	x, y = m.tensor([1, 4], "float32", name="x0"), [m.tensor([1, 4], "int8", scale, 3) for scale in (0.05, 0.06)]
	m.inputs = [x]
	for output in y:
		m.add("QUANTIZE", [x], [output])
	refused("quantize_twice", "which another QUANTIZE does in another way", m, y)
	m = Model()
	m.inputs = [m.tensor([1, 4], "float32", name="x0")]
	m.add("QUANTIZE", m.inputs, [m.tensor([1, 4], "int8", 0.05, 3)])
	refused("float_through", 'output "x0" is a float32 input', m, m.inputs)
	m = Model()
	m.add("DEQUANTIZE", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int8", 0.05, 3)])
	refused("dequantize_to", "it makes int8", m)
	m = Model()
	m.add("QUANTIZE", [m.input([1, 4], "int8", 0.05, 3)], [m.tensor([1, 4], "int32", 0.05, 0)])
	refused("quantize_to", "it makes int32 of int8", m)
	for name, words, change_it in (
			("detection_option", 'an option "own", which nnloop does not know', {"own": 1}),
			("detection_number", "its option max_detections is no whole number", {"max_detections": 10.0}),
			("detection_range", "its option max_detections is 0; nnloop can do 1 to 65536", {"max_detections": 0})):
		m, y = detection_model("uint8", change_it)
		refused(name, words, m, y)
	m, y = detection_model("uint8", {})
	m.operators[0][5] = fb.raw(b"no map")
	refused("detection_map", "its options cannot be read: they are no map", m, y)
	m, y = detection_model("uint8", {})
	m.operators[0][5] = fb.raw(fb.flex_map(DETECTION)[40:])
	refused("detection_cut", "its options cannot be read: ", m, y)
	m = relu()
	m.inputs.append(m.tensor([2**25, 64, 4], "int8", 0.05, 3, name="large"))
	m.codes[0] = {0: fb.i8(32), 1: fb.string("Own"), 3: fb.i32(32)}
	refused("broken_behind_a_refusal", "node Own that makes", m, [1])
	m, y = detection_model("int8", {})
	refused("detection_int8", "is of int8; it is known for uint8 and float32", m, y)
