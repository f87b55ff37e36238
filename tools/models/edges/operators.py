# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: windows, reductions, operators of two operands, images of another size."""
import numpy as np

from common.cases import FLOAT_SUMS
from edges.write import F32, I8, I32, QUANT, U8, Graph, In, i64, one


def pools():
	"""Windows: padding on each side by itself, as far as it goes, and one more; rounded up; as wide as AveragePool's ways of adding go."""
	x = In(2, 3, 7, 8)
	for op in ("MaxPool", "AveragePool"):
		for side in range(4):
			for pad in (1, 2):
				for ceil_mode in (0, 1):
					pads = [pad * (i == side) for i in range(4)]
					for strides in ([2, 2], [2, 3], [3, 2]):
						yield one(f"{op} pads {pads} strides {strides} ceil {ceil_mode}", op, [x], kernel_shape=[3, 3], strides=strides,
							  pads=pads, ceil_mode=ceil_mode)
			yield one(f"{op} pads too far {side}", op, [x], "is not less than its window of 3", kernel_shape=[3, 3],
				  pads=[3 * (i == side) for i in range(4)])
		for kernel in ([7, 8], [1, 8], [7, 1]):
			yield one(f"{op} kernel {kernel}", op, [x], kernel_shape=kernel)
		yield one(f"{op} too high", op, [x], "does not fit an input of 7", kernel_shape=[8, 1])
		yield one(f"{op} too wide", op, [x], "does not fit an input of 8", kernel_shape=[1, 9])
		yield one(f"{op} too wide with pads", op, [x], "does not fit an input of 8", kernel_shape=[1, 11], pads=[0, 1, 0, 1])
		yield one(f"{op} as wide with pads", op, [x], kernel_shape=[1, 10], pads=[0, 1, 0, 1])
		for same in ("SAME_UPPER", "SAME_LOWER"):
			for kernel, strides in (([2, 3], [1, 2]), ([3, 2], [2, 1]), ([4, 4], [3, 3]), ([2, 2], [3, 3])):
				yield one(f"{op} {same} {kernel} {strides}", op, [x], kernel_shape=kernel, strides=strides, auto_pad=same)


def linear_pool(name, x, says=None, to=(QUANT[0], 131), lists=(), opset=13, **attrs):
	"""lists: which of scales and zero points, inputs from 1 on, are lists of one."""
	g = Graph("QLinearAveragePool " + name)
	numbers = [F32(x.quant[0]), x.dtype(x.quant[1]), F32(to[0]), x.dtype(to[1])]
	numbers = [g.const(np.full((1,), n) if i + 1 in lists else n) for i, n in enumerate(numbers)]
	g.output(g.node("QLinearAveragePool", [g.input(x), *numbers], domain="com.microsoft", **attrs), x.dtype, None)
	return g.case(opset, says)


def linear_pools():
	"""QLinearAveragePool: as pools(), and where it becomes QLinearGlobalAveragePool; scales as far apart as they may be, or beyond float32."""
	x = In(2, 3, 7, 8)
	for side in range(4):
		for pad in (1, 2):
			for more in ({}, {"ceil_mode": 1}, {"ceil_mode": 1, "count_include_pad": 1}):
				pads = [pad * (i == side) for i in range(4)]
				for strides in ([2, 2], [2, 3], [3, 2]):
					yield linear_pool(f"pads {pads} strides {strides} {more}", x, kernel_shape=[3, 3], strides=strides, pads=pads, **more)
		yield linear_pool(f"pads too far {side}", x, "is not less than its window of 3", kernel_shape=[3, 3], pads=[3 * (i == side) for i in range(4)])
		yield linear_pool(f"covers, but for pads {side}", x, kernel_shape=[7, 8], pads=[int(i == side) for i in range(4)])
	for kernel in ([7, 8], [1, 8], [7, 1], [6, 8], [7, 7]):
		for strides in ([1, 1], [2, 3]):
			yield linear_pool(f"kernel {kernel} strides {strides}", x, kernel_shape=kernel, strides=strides)
	for last, shape in ((0, (2, 3, 7)), (1, (2, 7, 3))):
		for kernel in (6, 7):
			yield linear_pool(f"lines, kernel {kernel}, channels_last {last}", In(*shape), kernel_shape=[kernel], channels_last=last)
		yield linear_pool(f"too wide, channels_last {last}", In(*shape), "does not fit an input of 7", kernel_shape=[8], channels_last=last)
	for shape in ((2, 3), (2, 3, 4, 5, 6)):
		for last in (0, 1):
			yield linear_pool(f"{len(shape)} dimensions, channels_last {last}", In(*shape), "nnloop knows images of N, C, H, W", kernel_shape=[2] * (len(shape) - 2),
					  channels_last=last)
	for i in range(1, 5):
		yield linear_pool(f"input {i} is a list", x, f"its input {i} has 1 dimensions, not 0", lists=(i,), kernel_shape=[2, 2])
	for zero in (0, 1, 130, 254, 255):
		yield linear_pool(f"ties and a zero point of {zero}", x, to=(QUANT[0], zero), kernel_shape=[2, 2])
	apart = lambda scale, to, says=None: linear_pool(f"scales {scale} and {to}", In(2, 3, 7, 8, quant=(scale, 100)), says, (to, 131), kernel_shape=[2, 2])
	yield apart(2.0 ** 22, 1)
	yield apart(2.0 ** 22 + 1, 1, "the scales of input and output differ too much")
	yield apart(3e35, 1e35)
	yield apart(3.4e35, 1e35, "float32 cannot hold the sum")
	for height, width in ((255, 9), (9, 255), (17, 16), (16, 17)):
		yield linear_pool(f"kernel {height} x {width}", In(1, 2, height + 1, width, quant=(0.1, 100), span=(40, 161)), to=(0.4 / (height * width), 131),
				  kernel_shape=[height, width])


def wide(name, width, pads, kernel=(1, 2), strides=(1, 1), ceil_mode=0, height=1, opset=13):
	"""Sums that are the middle of two steps but for how they are rounded on the way; those of large windows are within the output's range, too."""
	span = (40, 161) if kernel[0] * kernel[1] > 20 else None
	return one(name, "AveragePool", [In(1, 1, height, width, quant=(0.1, 100), span=span)], to=(0.4 / (kernel[0] * kernel[1]), 128), opset=opset,
		   kernel_shape=list(kernel), strides=list(strides), pads=list(pads), ceil_mode=ceil_mode)


def sums():
	"""The ways in which ONNX Runtime adds a window's elements: at what size it goes from one to the other."""
	for left, right in ((0, 0), (1, 0), (0, 1), (1, 2)):
		for width in (2045, 2046):
			yield wide(f"{width} with {left}, {right}", width - left - right, (0, left, 0, right), (3, 5), (1, 2), height=3)
	for kernel in ((32, 3), (33, 3), (3, 32), (3, 33)):
		yield wide(f"kernel {kernel}", 40, (0, 0, 0, 0), kernel, height=40)
	for across in (5, 7, 11):
		for down in (32, 33):
			yield wide(f"kernel {down} x {across}", 90, (0, 0, 0, 0), (down, across), height=50)
			yield wide(f"kernel {across} x {down}", 90, (0, 0, 0, 0), (across, down), height=50)
	for strides in ((1, 2), (1, 3), (2, 1), (3, 1)):
		yield wide(f"strides {strides}", 40, (0, 0, 0, 0), (3, 5), strides, height=9)
	for pads in ((0, 2, 0, 0), (0, 0, 0, 2), (1, 0, 0, 0)):
		for width in (2045 - max(pads), 2046 - max(pads)):
			yield wide(f"ceil {width} {pads}", width, pads, (3, 5), (1, 2), 1, height=3)
	for opset in (18, 19):
		yield wide(f"opset {opset}", 20, (0, 0, 0, 0), (3, 5), height=9, opset=opset)
		yield wide(f"opset {opset} covers", 5, (0, 0, 0, 0), (3, 5), height=3, opset=opset)
	for pads in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
		yield wide(f"covers {pads}", 5, pads, (3, 5), height=3)
	yield wide("covers, but for a row", 5, (0, 0, 0, 0), (3, 5), height=4)
	yield wide("covers, but for a column", 6, (0, 0, 0, 0), (3, 5), height=3)
	yield wide("covers, strides down", 5, (0, 0, 0, 0), (3, 5), (2, 1), height=3)
	yield wide("covers, strides across", 5, (0, 0, 0, 0), (3, 5), (1, 2), height=3)


def reductions():
	"""Along each dimension, of what is stored in either order."""
	for image in (False, True):
		x, order = In(2, 3, 4, 5, image=image), "image" if image else "plain"
		for axes in ([1], [2], [3], [1, 2], [2, 3], [1, 3], [1, 2, 3], [-1], [-3], [3, 2]):
			for keep in (0, 1):
				for op in ("ReduceMean", "ReduceMax", "ReduceSum"):
					given = {"axes": axes} if op != "ReduceSum" else {}
					yield one(f"{op} {axes} {keep} {order}", op, [x, *([] if given else [i64(*axes)])], flags=FLOAT_SUMS, keepdims=keep,
						  to=(0.5, 9) if op == "ReduceSum" else QUANT, **given)
		for axis in (1, 2, 3, -1, -3):
			for opset in (12, 13):
				yield one(f"Softmax {axis} of {opset} {order}", "Softmax", [x], opset=opset, axis=axis, to=(1 / 256, 0), flags=FLOAT_SUMS)
		for opset in (12, 13):
			yield one(f"Softmax of {opset} {order}", "Softmax", [x], opset=opset, to=(1 / 256, 0), flags=FLOAT_SUMS)
			for axis, says in ((0, "it goes over the first dimension"), (-4, "it goes over the first dimension"),
					   (4, "its axis 4 is not one of 4"), (-5, "its axis -5 is not one of 4")):
				yield one(f"Softmax {axis} of {opset} {order}", "Softmax", [x], says, opset=opset, axis=axis)
	for axis, says in ((0, "it goes over the first dimension"), (-4, "it goes over the first dimension"), (4, "its axis 4 is not one of 4"),
			   (-5, "its axis -5 is not one of 4")):
		yield one(f"ReduceMean {axis}", "ReduceMean", [In(2, 3, 4, 5)], says, axes=[axis])
		yield one(f"ReduceMax {axis}", "ReduceMax", [In(2, 3, 4, 5)], says, axes=[axis])
	for op in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"):
		for empty in (0, 1):
			says = None if empty else "without axes it reduces all dimensions"
			yield one(f"{op} of nothing, {empty}", op, [In(2, 3, 4)], says, opset=18, noop_with_empty_axes=empty)
			yield one(f"{op} of an empty list, {empty}", op, [In(2, 3, 4), i64()], says, opset=18, noop_with_empty_axes=empty)
	# 246 steps of 0.04 are 2^3.2987, so that 38 of them are less than 2^127.
	for count, says in ((38, None), (39, "its result can be more than float32 has")):
		yield one(f"ReduceProd of {count}", "ReduceProd", [In(2, count)], says, axes=[1], flags=FLOAT_SUMS)
	yield one("ReduceProd of 2 by 20", "ReduceProd", [In(3, 2, 20)], "its result can be more than float32 has", axes=[1, 2])
	yield one("ReduceProd of 2, 20 times", "ReduceProd", [In(3, 2, 20)], axes=[1], flags=FLOAT_SUMS)
	for scale, says in ((2.0**112, None), (2.0**113, "its result can be more than float32 has")):
		yield one(f"ReduceSum of 2^{np.log2(scale):g}", "ReduceSum", [In(2, 128, quant=(scale, 9)), i64(1)], says, to=(scale * 40, 9))
	for op in ("ReduceL2", "ReduceSumSquare"):  # which cannot be nearly 0 by what cancels
		yield one(f"{op} of many steps", op, [In(2, 3, 4)], to=(1e-20, 3), axes=[1], flags=FLOAT_SUMS)
	for op, to in (("ReduceL1", (0.4, 3)), ("ReduceL2", (0.1, 3)), ("ReduceSumSquare", (2.5, 3))):
		for image in (False, True):
			for axes in ([1], [2], [-1], [1, 3], [1, 2, 3]):
				for keep in (0, 1):
					yield one(f"{op} {axes} {keep} {image}", op, [In(2, 3, 4, 5, image=image)], to=to, flags=FLOAT_SUMS, axes=axes, keepdims=keep)
		yield one(f"{op} of int8", op, [In(2, 40, dtype=I8, quant=(0.03, -128)), i64(1)], to=to, flags=FLOAT_SUMS, opset=18)
		yield one(f"{op} of many", op, [In(2, 3000)], to=(to[0] * 70, 0), flags=FLOAT_SUMS, axes=[1])
		yield one(f"{op}, fixed", op, [In(4, 3, 2, fixed=True)], to=to, flags=FLOAT_SUMS, axes=[0, 2])
		yield one(f"{op} of the batch", op, [In(4, 3, 2)], "it goes over the first dimension", axes=[0, 2])
		yield one(f"{op} of integers", op, [In(4, 3, quant=None)], "is a tensor of integers", axes=[1])
		yield one(f"{op} of wide reals", op, [In(4, 3, dtype=I32, quant=(2.0**-40, 0))], "its input is of int32", axes=[1])
		yield one(f"{op} of nothing", op, [In(4, 3)], "it reduces no dimension", opset=18, noop_with_empty_axes=1)
	for scale, says in ((2.0**54, None), (2.0**55, "float32's range"), (2.0**-63, None), (2.0**-64, "float32's range")):
		yield one(f"ReduceL2 of 2^{np.log2(scale):g}", "ReduceL2", [In(2, 3, 8, quant=(scale, 9))], says, to=(scale * 3, 9), axes=[2], flags=FLOAT_SUMS)
	# Eight squares of 2^8 steps of 2^54 are 2^127, and the square of 2^-63 is the least normal number.
	for scale, says in ((2.0**54, None), (2.0**55, "float32's range"), (2.0**-63, None), (2.0**-64, "float32's range")):
		for op in ("LpNormalization", "LayerNormalization"):
			inputs = [In(2, 3, 8, quant=(scale, 9))] + ([np.ones(8, F32)] if op == "LayerNormalization" else [])
			yield one(f"{op} of 2^{np.log2(scale):g}", op, inputs, says, to=(1 / 64, 128), opset=17, flags=FLOAT_SUMS)
	for p, says in ((1, "attribute p 1: nnloop can do 2 only"), (2, None), (3, "attribute p 3: nnloop can do 2 only")):
		yield one(f"GlobalLpPool, p {p}", "GlobalLpPool", [In(2, 3, 4, 5, image=True)], says, to=(0.2, 3), flags=FLOAT_SUMS, p=p)
	for shape in ((2, 3), (2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 2, 2)):
		rank = len(shape)
		yield one(f"GlobalLpPool of {rank}", "GlobalLpPool", [In(*shape)], None if rank > 2 else "its input has 2 dimensions", to=(0.2, 3), flags=FLOAT_SUMS)
		yield one(f"GlobalMaxPool of {rank}", "GlobalMaxPool", [In(*shape)], None if rank > 2 else "its input has 2 dimensions")
	for opset in (11, 12):
		yield one(f"ReduceMax of integers, {opset}", "ReduceMax", [In(2, 3, 4, quant=None)], None if opset == 12 else "from opset 12 on", to=None,
			  opset=opset, axes=[2])
	for rank in (7, 8):
		shape = [2, 2, 1, 2, 1, 2, 1, 2][:rank]
		for op in ("ReduceMean", "ReduceMax"):
			yield one(f"{op} of rank {rank}", op, [In(*shape)], axes=[rank - 1, 1], keepdims=1)
		yield one(f"Softmax of rank {rank}", "Softmax", [In(*shape)], axis=3, to=(1 / 256, 0), flags=FLOAT_SUMS)


def pairs():
	"""Two operands: which is the constant, which is longer in which dimension, in either order of images."""
	for op in ("Add", "Mul", "Sub", "Div", "Max"):
		for image in (False, True):
			x, order = In(2, 3, 4, 5, image=image), "image" if image else "plain"
			for shape in ((1, 1, 1, 1), (1, 3, 1, 1), (1, 1, 4, 1), (1, 1, 1, 5), (1, 3, 4, 5), (3, 1, 1), (5,), (4, 5), ()):
				for first in (False, True):
					g = Graph(f"{op} {order} {shape} {first}")
					values = g.node("DequantizeLinear", [g.const(g.rng.integers(1, 256, shape).astype(U8)), *g.quant((0.03, 0), U8)])
					operands = [g.real(x), values]
					g.output(g.node(op, operands[::-1] if first else operands), quant=(0.5, 99))
					yield g.case(13, None, FLOAT_SUMS)
			for shape in ((2, 1, 1, 1), (2, 3, 1, 1), (2, 1, 4, 1), (2, 1, 1, 5)):
				yield one(f"{op} {order} {shape}", op, [x, In(*shape, quant=(0.03, 0))], to=(0.5, 99), flags=FLOAT_SUMS)
				yield one(f"{op} {order} by {shape}", op, [In(*shape, quant=(0.03, 0)), x], to=(0.5, 99), flags=FLOAT_SUMS)
		for shape, says in (((2, 2, 4, 5), "3 and 2 long in dimension 1"), ((2, 3, 4, 4), "5 and 4 long in dimension 3"),
				    ((2, 4, 5), "4 and 3 dimensions")):
			yield one(f"{op} of {shape}", op, [In(2, 3, 4, 5), In(*shape)], says)
		yield one(f"{op} of batches", op, [In(2, 3, 4), In(1, 3, 4, fixed=True)], "have different first dimensions")
		yield one(f"{op} of rank 8", op, [In(2, 1, 2, 1, 2, 1, 1, 2), In(2, 2, 1, 1, 2, 1, 1, 2, quant=(0.03, 0))], to=(0.5, 99), flags=FLOAT_SUMS)
	for shape, says in (((1,), None), ((5,), None), ((4, 5), None), ((3, 1, 1), None), ((1, 3, 4, 5), None), ((1, 1, 1, 1, 5), "its operands have 4 and 5 dimensions"),
			    ((2, 3, 1, 1), " ")):
		for image in (False, True):
			g = Graph(f"PRelu {shape} {image}")
			g.output(g.node("PRelu", [g.real(In(2, 3, 4, 5, image=image)), g.weights(shape)]))
			yield g.case(16, says, FLOAT_SUMS)
	yield one("PRelu whose slope is longer", "PRelu", [In(2, 3, 1), In(2, 3, 4)], "or is longer in one, than its input", opset=16)


def resizes():
	"""Each way to find a pixel, larger and smaller, to one pixel and from one."""
	ways = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric")
	for mode in ("nearest", "linear"):
		for way in ways:
			for shape, size in (((4, 5), (1, 1)), ((4, 5), (7, 3)), ((4, 5), (3, 8)), ((1, 5), (3, 1)), ((4, 1), (1, 3)), ((4, 5), (2, 2)), ((2, 2), (5, 2)),
					    ((3, 3), (2, 3))):
				for rounding in (("round_prefer_floor", "round_prefer_ceil", "floor", "ceil") if mode == "nearest" else (None,)):
					if rounding in ("round_prefer_ceil", "floor", "ceil") and size not in ((7, 3), (2, 2), (3, 8)):
						continue
					more = {"nearest_mode": rounding} if rounding else {}
					yield one(f"{mode} {way} {shape} {size} {rounding}", "Resize", [In(2, 2, *shape, fixed=True), None, None, i64(2, 2, *size)], flags=FLOAT_SUMS,
						  opset=19, mode=mode, coordinate_transformation_mode=way, **more)
		for scales in ((2, 0.5), (1, 1.5), (0.4, 1), (3, 3)):
			yield one(f"{mode} by {scales}", "Resize", [In(2, 2, 5, 4), None, F32([1, 1, *scales])], flags=FLOAT_SUMS, mode=mode)
		for opset in (18,):
			for axes in ([2, 3], [3, 2], [-1, -2], [2], [3]):
				yield one(f"{mode} axes {axes}", "Resize", [In(2, 2, 5, 4), None, None, i64(*(7 - i for i in range(len(axes))))], flags=FLOAT_SUMS,
					  opset=opset, mode=mode, axes=axes)
			for axes, says in (([2, 2], "its axes are not different dimensions"), ([2, 4], "its axes are not different"), ([2, -5], "its axes are not different"),
					   ([1, 2], "it resizes dimension 1"), ([0, 2], "it resizes dimension 0")):
				yield one(f"{mode} axes {axes}", "Resize", [In(2, 2, 5, 4), None, None, i64(7, 6)], says, opset=opset, mode=mode, axes=axes)
	x = In(2, 2, 5, 4)
	for name, scales, says in (("scale 0", [1, 1, 0, 1], "its scale is 0"), ("scale below 0", [1, 1, 1, -1], "its scale is -1"),
				   ("scale too large", [1, 1, 65536, 1], "its scale is 65536"), ("to nothing", [1, 1, 0.1, 1], "it resizes 5 pixels to 0"),
				   ("to too much", [1, 1, 13107.2, 1], "it resizes 5 pixels to 65536"), ("of channels", [1, 2, 1, 1], "it resizes dimension 1"),
				   ("of the batch", [2, 1, 1, 1], "it resizes dimension 0"), ("of three", [1, 1, 2], "it has 3 scales or sizes for 4"),
				   ("of five", [1, 1, 1, 2, 2], "it has 5 scales or sizes for 4"),
				   ("of the same size", [1, 1, 1.1, 1], "leave the size as it is"), ("of the same width", [1, 1, 1, 1.2], "leave the size as it is")):
		yield one(name, "Resize", [x, None, F32(scales)], says)
	for name, sizes, says in (("size 0", [2, 2, 0, 4], "it resizes 5 pixels to 0"), ("size too large", [2, 2, 65536, 4], "it resizes 5 pixels to 65536"),
				  ("channels' size", [2, 3, 5, 4], "it resizes dimension 1"),
				  ("batch's size", [3, 2, 5, 4], "it resizes dimension 0")):
		yield one(name, "Resize", [In(2, 2, 5, 4, fixed=True), None, None, i64(*sizes)], says)
	yield one("both", "Resize", [x, None, F32([1, 1, 2, 2]), i64(2, 2, 10, 8)], "it has not one of scales and sizes")
	yield one("neither", "Resize", [x], "it has not one of scales and sizes")
	yield one("of lines", "Resize", [In(2, 2, 5), None, F32([1, 1, 2])], " ")
	yield one("of int32 sizes", "Resize", [x, None, None, np.array([2, 2, 7, 7], I32)], "is not a constant of int64")
	for scales in ((2, 0.5), (0.5, 2)):
		yield one(f"opset 10 {scales}", "Resize", [x, F32([1, 1, *scales])], opset=10)
		yield one(f"for nearest {scales}", "Resize", [x, F32([]), F32([1, 1, *scales])], opset=11, coordinate_transformation_mode="tf_half_pixel_for_nn")


def transposed():
	"""ConvTranspose: each side, each direction by itself."""
	def made(name, says=None, shape=(2, 3, 4, 5), weights=(3, 2, 3, 2), **attrs):
		g = Graph(name)
		g.output(g.node("ConvTranspose", [g.real(In(*shape)), g.weights(weights)], **attrs), quant=(0.1, 120))
		return g.case(13, says, FLOAT_SUMS)

	for strides in ([1, 1], [2, 1], [1, 3]):
		for side in range(4):
			for pad in (1, 2):
				yield made(f"strides {strides} side {side} pads {pad}", strides=strides, pads=[pad * (i == side) for i in range(4)])
	for dilations in ([2, 1], [1, 2]):
		yield made(f"dilations {dilations}", dilations=dilations, pads=[1, 0, 2, 1])
	for more in ([1, 0], [0, 2]):
		yield made(f"output_padding {more}", strides=[2, 3], output_padding=more)
	yield made("output_padding of a stride, down", "is 2, which is not below its stride 2", strides=[2, 3], output_padding=[2, 0])
	yield made("output_padding of a stride, across", "is 3, which is not below its stride 3", strides=[2, 3], output_padding=[0, 3])
	for shape, says in (([9, 10], None), ([7, 9], None), ([4, 5], None), ([5, 8], None), ([9, 11], "its output_shape is 11; nnloop can do 5 to 10"),
			    ([10, 10], "its output_shape is 10; nnloop can do 4 to 9")):
		yield made(f"output_shape {shape}", says, strides=[2, 2], output_shape=shape)
	yield made("output_shape too low", "its output_shape is 3; nnloop can do 4", strides=[2, 2], output_shape=[3, 5])
	for side, given in enumerate(([6, 0, 0, 0], [0, 3, 0, 3], [0, 0, 6, 0], [0, 0, 0, 6])):
		yield made(f"nothing left {side}", "of its output would be 0", pads=given)
	for side, given in enumerate(([5, 0, 0, 0], [0, 3, 0, 2], [0, 0, 5, 0], [0, 0, 0, 5])):
		yield made(f"one left {side}", pads=given)
	yield made("groups", weights=(3, 2, 3, 2), group=3)
	yield made("pads below 0", "attribute pads [-1,0,0,0]: nnloop can do 0.. only", pads=[-1, 0, 0, 0])
	yield made("three pads", "its attribute pads has 3 numbers", pads=[1, 0, 0])


def convolutions():
	"""QLinearConv: each side, each direction by itself."""
	def made(name, says=None, shape=(2, 3, 6, 7), weights=(4, 3, 3, 2), **attrs):
		g = Graph(name)
		x, w = In(*shape), g.const(g.rng.integers(-64, 65, weights).astype(I8))
		made = g.node("QLinearConv", [g.input(x), *g.quant(x.quant, U8), w, *g.quant((0.01, 0), I8), *g.quant((0.1, 120), U8)], **attrs)
		g.output(made, quant=None)
		return g.case(13, says)

	for side in range(4):
		for pad in (1, 2):
			if pad > 1 and side % 2:
				yield made(f"side {side} pads {pad}", "is not less than its window of 2", pads=[pad * (i == side) for i in range(4)])
			else:
				yield made(f"side {side} pads {pad}", pads=[pad * (i == side) for i in range(4)], strides=[2, 1] if pad > 1 else [1, 2])
	yield made("pads of the window", "is not less than its window of 3", pads=[3, 0, 0, 0])
	for dilations in ([2, 1], [1, 3]):
		yield made(f"dilations {dilations}", dilations=dilations, pads=[1, 0, 2, 1])
	yield made("dilations too far down", "does not fit an input of 6", dilations=[3, 1])
	yield made("dilations too far across", "does not fit an input of 7", dilations=[1, 7])
	yield made("dilations as far", dilations=[2, 6])
	for weights in ((4, 3, 6, 7), (4, 3, 1, 7), (4, 3, 6, 1)):
		yield made(f"weights {weights}", weights=weights)
	yield made("two groups", "groups", group=2)
	yield made("three groups", shape=(2, 6, 6, 7), weights=(9, 2, 3, 2), group=3)
	yield made("three groups, outputs that do not fit", "groups", shape=(2, 6, 6, 7), weights=(8, 2, 3, 2), group=3)
	yield made("no groups", " ", group=0)
	yield made("each group of one", shape=(2, 3, 6, 7), weights=(6, 1, 3, 2), group=3)
	yield made("stride 255", shape=(2, 3, 6, 7), strides=[255, 255])
	yield made("stride 256", None, strides=[256, 1])
	yield made("stride 256 across", None, strides=[1, 256])
	yield made("stride 0", "attribute strides [1,0]: nnloop can do 1.. only", strides=[1, 0])
	yield made("kernel_shape, down", "its kernel_shape is not that of its weights", kernel_shape=[2, 2])
	yield made("kernel_shape, across", "its kernel_shape is not that of its weights", kernel_shape=[3, 3])
	yield made("kernel_shape", kernel_shape=[3, 2])
	yield made("255 high", shape=(1, 1, 255, 2), weights=(1, 1, 255, 1))
	yield made("255 wide", shape=(1, 1, 2, 255), weights=(1, 1, 1, 255))
	yield made("256 high", None, shape=(1, 1, 256, 2), weights=(1, 1, 256, 1))
	yield made("256 wide", None, shape=(1, 1, 2, 256), weights=(1, 1, 1, 256))
	yield made("of rank 5", None, shape=(1, 1, 3, 3, 3), weights=(1, 1, 2, 2, 2))


def products():
	"""Gemm, MatMul, and Add behind it: which way round the weights are, and what is a bias."""
	def made(name, op, shape, weights, says=None, bias=None, first=False, axis=None, **attrs):
		g = Graph(name)
		x, w = g.real(In(*shape)), g.const(g.rng.integers(-64, 65, weights).astype(I8))
		if axis is None:
			w = g.node("DequantizeLinear", [w, *g.quant((0.01, 0), I8)])
		else:
			many = weights[axis]
			w = g.node("DequantizeLinear", [w, g.const(np.linspace(0.005, 0.02, many).astype(F32)), g.const(np.zeros(many, I8))], axis=axis)
		inputs = [x, w]
		if bias is not None:
			b = g.const(g.rng.integers(-3000, 3000, bias).astype(I32))
			b = g.node("DequantizeLinear", [b, g.const(F32(F32(QUANT[0]) * F32(0.01))), g.const(I32(0))])
			if op == "Gemm":
				inputs.append(b)
		made = g.node(op, inputs, **attrs)
		if bias is not None and op == "MatMul":
			made = g.node("Add", [b, made] if first else [made, b])
		g.output(made, quant=(0.1, 120))
		return g.case(13, says, FLOAT_SUMS)

	for trans in (0, 1):
		weights = (5, 7) if trans else (7, 5)
		for bias, says in ((None, None), ((5,), None), ((1, 5), None), ((3, 5), "has 3 rows, not one for all items"), ((1, 1, 5), "of 3 dimensions to a product of 2"),
				   ((1,), None), ((), None), ((6,), " "), ((1, 6), " "), ((3, 1), "has 3 rows")):
			yield made(f"Gemm {trans} {bias}", "Gemm", (3, 7), weights, says, bias, transB=trans)
		for axis in (0, 1):
			yield made(f"Gemm {trans} scales of {axis}", "Gemm", (3, 7), weights, None, axis=axis,
				   transB=trans)
	yield made("Gemm that does not fit", "Gemm", (3, 7), (6, 5), "which does not fit an input of 2")
	yield made("Gemm of rank 3", "Gemm", (3, 2, 7), (7, 5), "its input has 3 dimensions")
	for shape in ((3, 7), (3, 2, 7), (3, 2, 2, 7)):
		for bias, says in ((None, None), ((5,), None), ((1, 5), None), ((1,) * len(shape) + (5,), f"dimensions to a product of {len(shape)}"),
				   ((1, 1, 5), None) if len(shape) > 2 else ((), None), ((1,), None), ((2, 5), "has 2 rows")):
			for first in (False, True):
				if bias is not None or not first:
					yield made(f"MatMul {shape} {bias} {first}", "MatMul", shape, (7, 5), says, bias, first)
	for axis in (None, 0, 1):
		g = Graph(f"MatMul of transposed weights, scales of {axis}")
		w = g.const(g.rng.integers(-64, 65, (5, 7)).astype(I8))
		many = () if axis is None else (5, 7)[axis]
		more = {} if axis is None else {"axis": axis}
		w = g.node("DequantizeLinear", [w, g.const(np.full(many, 0.01, F32)), g.const(np.zeros(many, I8))], **more)
		g.output(g.node("MatMul", [g.real(In(3, 7)), g.node("Transpose", [w], perm=[1, 0])]), quant=(0.1, 120))
		yield g.case(13, None, FLOAT_SUMS)
	for shape, perm, says in (((7, 5), [0, 1], None), ((5, 1, 7), [1, 2, 0], "its operands have 2 and 3 dimensions")):
		g = Graph(f"MatMul of weights transposed by {perm}")
		g.output(g.node("MatMul", [g.real(In(3, 7)), g.node("Transpose", [g.weights(shape)], perm=perm)]), quant=(0.1, 120))
		yield g.case(13, says, FLOAT_SUMS)
	yield made("MatMul that does not fit", "MatMul", (3, 7), (6, 5), "which does not fit an input of 2")
	yield made("MatMul of three dimensions", "MatMul", (3, 7), (1, 7, 5), "its operands have 2 and 3 dimensions")


def operands():
	"""What an operator reads that is no real tensor."""
	for op, more in (("AveragePool", {"kernel_shape": [2, 2]}), ("GlobalAveragePool", {})):
		yield one(f"{op} of integers", op, [In(2, 3, 4, 5, quant=None)], "its input 0 is a tensor of integers", **more)
		yield one(f"{op} of a constant", op, [np.ones((2, 3, 4, 5), F32)], "its input 0 is a constant", **more)
	for zero, says in ((np.int64(3), "its zero point has a type that nnloop does not know"), (F32(3), "its zero point has a type that nnloop does not know"), (U8(3), None)):
		g = Graph(f"a zero point of {zero.dtype}")
		g.output(g.node("QuantizeLinear", [g.node("Relu", [g.real(In(2, 6))]), g.const(F32(0.04)), g.const(zero)]), quant=None)
		yield g.case(13, says)
	for axis in (1, 2):
		g = Graph(f"owners and dimension {axis}")
		rows, owners = g.node("BatchLoop", [g.input(In(2, 3, quant=None))], 2, domain="org.nnloop", step=1, owner=1)
		g.output(g.node("Squeeze", [owners, g.const(i64(axis))]), I32, None)
		g.output(rows, quant=None)
		yield g.case(13, f"it drops dimension {axis} of 1")


def functions():
	"""What follows a function of what is nearly 0, which ONNX Runtime makes 0 of where it is exp(x) - 1."""
	for op in ("Celu", "Elu", "Selu", "Sqrt"):
		for scale, says in ((0.04, None), (1e-30, None if op == "Sqrt" else "depends on the last bits")):
			g = Graph(f"{op} of {scale:g}")
			value = g.node(op, [g.real(In(2, 30, quant=(scale, 9)))])
			g.output(g.node("Reciprocal", [value]), quant=(2.0, 128))
			yield g.case(13, says, FLOAT_SUMS)
	for op in ("Celu", "Elu", "Gelu", "HardSigmoid", "LeakyRelu", "Selu", "Shrink", "ThresholdedRelu"):
		yield one(f"{op} without attributes", op, [In(8, 60, quant=(0.04, 128))], to=(0.03, 100), opset=20, flags=FLOAT_SUMS)


def not_numbers():
	"""Functions that are no number for some elements, and what reads them."""
	for op, other in (("Sqrt", 0), ("Log", 0), ("Asin", 0), ("Acosh", 0), ("Atanh", 0)):
		for zero in (128, other):
			x = In(2, 3, 4, 5, quant=(0.25, zero))
			for reader, more in (("MaxPool", {"kernel_shape": [2, 2]}), ("Concat", {"axis": 1}), ("Transpose", {"perm": [0, 2, 1, 3]})):
				g = Graph(f"{reader} of {op} from {zero}")
				made = g.node(op, [g.real(x)])
				g.output(g.node(reader, [made, g.real(x)] if reader == "Concat" else [made], **more))
				says = "for some elements" if reader == "MaxPool" and (zero == 128 or op not in ("Sqrt", "Log")) else None
				yield g.case(13, says)
	for name, readers, says in (
		("moved", ("Reshape",), None), ("moved twice", ("Transpose", "Reshape"), None), ("clamped behind that", ("Reshape", "Relu"), "for some elements"),
		("moved and an output", ("Reshape",), "for some elements"),
	):
		g = Graph("0 by 0, " + name)
		made = g.node("Div", [g.real(In(2, 3, 4, quant=(0.25, 100), span=(96, 105))), g.real(In(2, 3, 4, quant=(0.5, 100), span=(98, 103)))])
		for reader in readers:
			made = g.node(reader, [made, g.const(i64(0, 12))] if reader == "Reshape" else [made], **({"perm": [0, 2, 1]} if reader == "Transpose" else {}))
		if "output" in name:
			g.output(made, dtype=F32, quant=None)
		g.output(made, quant=(0.1, 100))
		yield g.case(13, says)

	# More ways from a value to what quantizes it than anybody can go.
	for op in ("Sqrt", "Relu"):
		g = Graph(f"{op}, joined sixty times, nine times")
		made = g.node(op, [g.real(In(1, 2))])
		for _ in range(9):
			made = g.node("Concat", [made] * 60, axis=1)
		g.output(made)
		yield g.case(13, " ")

	# Divided by a root of what was rounded, which is 0 or no number if that can be.
	for epsilon in (0, 0.2, 0.3):
		for reader, more in (("Relu", []), ("Clip", [F32(-0.5), F32(0.5)]), ("Identity", [])):
			if epsilon < 0.3 and reader != "Identity":
				continue # it may be no number
			g = Graph(f"{reader} of what is divided by a deviation, {epsilon}")
			x = g.real(In(4, 5, 12))
			difference = g.node("Sub", [x, g.node("ReduceMean", [x], axes=[2])])
			variance = g.node("ReduceMean", [g.node("Mul", [difference, difference])], axes=[2])
			scale = [g.const(F32(0.11)), g.const(U8(2))]
			variance = g.node("DequantizeLinear", [g.node("QuantizeLinear", [variance, *scale]), *scale])
			if epsilon:
				variance = g.node("Add", [variance, g.const(F32(epsilon))])
			g.output(g.node(reader, [g.node("Div", [difference, g.node("Sqrt", [variance])]), *map(g.const, more)]), quant=(0.02, 120))
			yield g.case(13, None, FLOAT_SUMS)


def lines():
	"""Images that become lines and tables, from which order they are stored in, and what reads those."""
	for shape in ((2, 4, 1, 6), (2, 6, 1, 4), (2, 4, 6, 1), (2, 1, 4, 6), (2, 4, 2, 3), (2, 24, 1, 1), (2, 1, 1, 24)):
		for to in ((24,), (4, 6), (6, 4), (1, 24), (24, 1), (2, 12), (8, 3), (4, 2, 3), (4, 1, 6), (6, 1, 4)):
			for reader in (None, "Add", "Transpose"):
				g = Graph(f"{shape} to {to}, {reader}")
				made = g.node("Reshape", [g.real(In(*shape, image=True)), g.const(i64(0, *to))])
				if reader == "Add":
					made = g.node("Add", [made, g.weights((1, *to))])
				elif reader:
					made = g.node("Transpose", [made], perm=[0, *range(len(to), 0, -1)])
				g.output(made)
				yield g.case(13, None, FLOAT_SUMS)


FILES = {"functions": functions, "not_numbers": not_numbers, "lines": lines, "pools": pools, "linear_pools": linear_pools, "sums": sums, "reductions": reductions, "pairs": pairs, "resizes": resizes, "transposed": transposed,
	 "convolutions": convolutions, "products": products, "operands": operands}
