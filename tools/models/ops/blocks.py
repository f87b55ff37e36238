# SPDX-License-Identifier: MIT
"""The models of write.py that are blocks of networks: what is divided along its channels, and put together again."""
import numpy as np

import ops.model
from ops.model import Model


class Block(Model):
	"""Values are (name, scale), dequantized; what a layer makes has zero point 0, because of its Relu."""

	def quantize(self, value, name, scale):
		self.output(value, None, np.uint8, scale, 0, name)
		return self.dequantize(name, name + "_scale", name + "_zero"), scale

	def conv(self, value, name, shape, group=1, like=None):
		"""`shape`: outputs, inputs of each, height and width of the kernel. Results spread over the range, or have the scale of `like`."""
		value, scale = value
		step = np.float32(0.002)
		sums = self.node("Conv", [value, self.weight(name + "_w", shape, step)], name + "_sum", pads=[shape[2] // 2, shape[3] // 2] * 2, group=group)
		spread = scale * step * 50 * np.sqrt(np.prod(shape[1:]), dtype=np.float32)
		return self.quantize(self.node("Relu", [sums], name + "_act"), name, like[1] if like else spread)

	def pool(self, value, name, kernel):
		"""The greatest of windows of an odd size with stride 1, as large as the input."""
		value, scale = value
		return self.quantize(self.node("MaxPool", [value], name + "_most", kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4), name, scale)

	def split(self, value, name, sizes):
		value, scale = value
		names = [f"{name}{i}_part" for i in range(len(sizes))]
		self.nodes.append(ops.model.helper.make_node("Split", [value, self.const(name + "_sizes", np.array(sizes, np.int64))], names, name=name, axis=1))
		return [self.quantize(part, f"{name}{i}", scale) for i, part in enumerate(names)]

	def concat(self, values, name):
		"""Of one scale."""
		return self.quantize(self.node("Concat", [value for value, _ in values], name + "_all", axis=1), name, values[0][1])


def begin(channels):
	m = Block()
	return m, (m.real(m.input((2, channels, 9, 10), np.uint8, 0.04, 0)), np.float32(0.04))


def end(m, name, doc, value, channels):
	m.save(name, m.output(value[0], ["N", channels, 9, 10], np.uint8, value[1], 0), doc, True)


def c2f():
	"""YOLOv8's: both halves, and what convolutions make of the second one, of that, and so on."""
	m, x = begin(16)
	halves = m.split(m.conv(x, "wide", (64, 16, 1, 1)), "half", [32, 32])
	parts = list(halves)
	for i in range(2):
		parts.append(m.conv(m.conv(parts[-1], f"narrow{i}", (32, 32, 3, 3)), f"made{i}", (32, 32, 3, 3), like=parts[0]))
	end(m, "block_c2f", "Split in halves, convolutions of one, Concat of all", m.conv(m.concat(parts, "all"), "last", (48, 128, 1, 1)), 48)


def shuffle():
	"""ShuffleNet's: one half stays as it is."""
	m, x = begin(16)
	left, right = m.split(m.conv(x, "wide", (48, 16, 1, 1)), "half", [24, 24])
	deep = m.conv(m.conv(m.conv(right, "first", (24, 24, 1, 1)), "each", (24, 1, 3, 3), 24), "second", (24, 24, 1, 1), like=left)
	end(m, "block_shuffle", "Split in halves, of which one stays as it is", m.concat([left, deep], "all"), 48)


def sppf():
	"""YOLOv8's, too: a convolution's output, its pool, the pool of that, and once more."""
	m, x = begin(16)
	parts = [m.conv(x, "narrow", (128, 16, 1, 1))]
	for i in range(3):
		parts.append(m.pool(parts[-1], f"pool{i}", 5))
	end(m, "block_sppf", "Pools of pools, Concat of all", m.conv(m.concat(parts, "all"), "last", (48, 512, 1, 1)), 48)


def ghost():
	"""GhostNet's: what a convolution makes, and what a depthwise one makes of that."""
	m, x = begin(16)
	wide = m.conv(x, "wide", (64, 16, 1, 1))
	cheap = m.conv(wide, "each", (64, 1, 3, 3), 64, like=wide)
	end(m, "block_ghost", "A convolution and a depthwise one of its output, Concat of both", m.conv(m.concat([wide, cheap], "all"), "last", (48, 128, 1, 1)), 48)


@ops.model.numbers(31)
def write():
	c2f()
	shuffle()
	sppf()
	ghost()
