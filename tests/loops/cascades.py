#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models with several stages that data decide about, as a file of cases (tools/models/common/cases.py), with what Python makes of them by itself.

usage: cascades.py FILE [CASES NAME...]...

with the cases of those names of other files behind them, which end with .cases.

Weights and pictures are drawn by a seed, and all scales are powers of two, so that each sum is rounded exactly once, ties to even.

detector	of any number of pages: a region proposal network, a second stage for each of a page's boxes, and a third one for all boxes of all pages together
cascade		of one picture: candidates that NonMaxSuppression leaves, a second stage for each of them, and a third one for those that the second finds good
decoder		64 steps, each of which looks at all before it, which a cache keeps
hailstone	a WHILE that ends when it has come to 1
"""
import random
import struct
import sys

import interpret
from random_trees import JUDGED, MUST_ACCEPT, blob, tensors

SIZE, GRID = 24, 12  # of pictures, and of the cells of their detector


def flat(nested):
	return sum(map(flat, nested), []) if isinstance(nested, list) else [nested]


def value(kind, dims, nested):
	return interpret.Value(kind, dims, flat(nested))


class Model:
	"""A graph that is written, and the layers of it that have been."""

	def __init__(self, seed):
		self.random, self.lines, self.id = random.Random(seed), [], 0

	def node(self, text):
		self.id += 1
		self.lines.append(f"{self.id} {text}")
		return f"{self.id}:0"

	def const(self, kind, dims, nested, more=""):
		return self.node(f"Const shape={','.join(map(str, dims))} type={kind} values={','.join(map(str, flat(nested)))}{more}")

	def draw(self, low, high, *dims):
		if not dims:
			return self.random.randint(low, high)
		return [self.draw(low, high, *dims[1:]) for _ in range(dims[0])]

	def picture(self):
		"""Rectangles of any brightness on noise."""
		pixels = self.draw(0, 60, SIZE, SIZE, 1)
		for _ in range(4):
			top, left, light = self.draw(0, SIZE - 7), self.draw(0, SIZE - 7), self.draw(120, 255)
			for y in range(top, top + 6):
				for x in range(left, left + 7):
					pixels[y][x][0] = light
		return pixels

	def text(self):
		return "\n".join(self.lines) + "\n"

	def case(self, name, inputs, outputs):
		return blob(blob(name.encode()) + struct.pack("<I", MUST_ACCEPT) + blob(self.text().encode()) + blob(b"") + tensors(inputs) +
			    struct.pack("<I", JUDGED) + blob(b"") + tensors(outputs) + tensors([]))


def rounded(total, shift, low, high):
	return max(low, min(high, round(total / (1 << shift))))


class Conv:
	"""A convolution of uint8 with `size` squared weights, whose results are divided by 2^shift; padded so that stride 1 keeps the size."""

	def __init__(self, model, channels, outputs, size, stride, shift, low=-8, high=8):
		self.model, self.size, self.stride, self.shift = model, size, stride, shift
		self.weights, self.bias = model.draw(low, high, outputs, size, size, channels), [0] * outputs
		self.consts = [model.const("int8", (outputs, size, size, channels), self.weights, f" scale={2 ** -shift}"), model.const("int32", (outputs,), self.bias)]

	def write(self, source):
		pad = self.size // 2
		return self.model.node(f"Conv2d {source} {' '.join(self.consts)} stride={self.stride},{self.stride} padding={pad},{pad},{pad},{pad} type=uint8 scale=1")

	def run(self, image):
		height, width, pad = len(image), len(image[0]), self.size // 2

		def total(weights, y, x):
			return sum(w * p for i, row in enumerate(weights) if 0 <= y + i < height for j, taps in enumerate(row) if 0 <= x + j < width
				   for w, p in zip(taps, image[y + i][x + j]))

		return [[[rounded(total(w, y - pad, x - pad) + b, self.shift, 0, 255) for w, b in zip(self.weights, self.bias)]
			 for x in range(0, width, self.stride)] for y in range(0, height, self.stride)]


class Dense:
	"""A fully connected layer, of what has that scale."""

	def __init__(self, model, inputs, outputs, shift, kind="uint8", low=-8, high=8, scale=1):
		self.model, self.shift, self.kind = model, shift, kind
		self.weights = model.draw(low, high, outputs, inputs)
		self.const = model.const("int8", (outputs, inputs), self.weights, f" scale={2 ** -shift / scale}")

	def write(self, source):
		return self.model.node(f"FullyConnected {source} {self.const} type={self.kind} scale=1")

	def run(self, nested):
		low, high = (0, 255) if self.kind == "uint8" else (-128, 127)
		return [rounded(sum(w * x for w, x in zip(row, flat(nested))), self.shift, low, high) for row in self.weights]


def crop(image, box, size):
	"""CropResize of docs/reader.md, of one channel; a box in 1/16 pixel."""
	def places(first, last, limit):
		first, last = (min(max(e, 0), 16 * limit) for e in (first, last))
		last = max(last, first)
		for i in range(size):
			p = min(max(16 * first + ((last - first) * (2 * i + 1) * 8) // size - 128, 0), 256 * (limit - 1))
			yield p >> 8, min((p >> 8) + 1, limit - 1), p & 255

	def between(row, x):
		return row[x[0]][0] * (256 - x[2]) + row[x[1]][0] * x[2]

	across = list(places(box[1], box[3], len(image[0])))
	return [[[(between(image[y[0]], x) * (256 - y[2]) + between(image[y[1]], x) * y[2] + 32768) >> 16] for x in across]
		for y in places(box[0], box[2], len(image))]


def area(box):
	return (box[2] - box[0]) * (box[3] - box[1])


def intersection(a, b):
	height, width = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
	return height * width if height > 0 and width > 0 else 0


# ---- The detector

ANCHOR, LEAST, MOST, IOU = 128, 60, 5, 100


def propose(scores, deltas):
	"""Proposal of docs/reader.md: boxes of one page."""
	found = []
	for r in range(GRID):
		for c in range(GRID):
			score, (dy, dx, dh, dw) = scores[r][c][0], [((q - 128) * ANCHOR + 32) >> 6 for q in deltas[r][c]]
			height, width = max(0, ANCHOR + dh), max(0, ANCHOR + dw)
			y, x = (2 * r + 1) * 16 + dy - (height >> 1), (2 * c + 1) * 16 + dx - (width >> 1)
			box = [min(max(e, 0), 16 * SIZE) for e in (y, x, y + height, x + width)]
			if score >= LEAST and box[2] - box[0] >= 16 and box[3] - box[1] >= 16:
				found.append((-score, GRID * r + c, box))
	kept = []
	for _, _, box in sorted(found)[:100]:
		if len(kept) < MOST and all(intersection(box, k) * 256 <= IOU * (area(box) + area(k) - intersection(box, k)) for k in kept):
			kept.append(box)
	return kept


def detector(pages):
	m = Model(f"detector {pages}")
	page = m.node(f"Input shape=0,{SIZE},{SIZE},1 type=uint8 scale=1 name=pages")
	backbone, scorer, mover = Conv(m, 1, 6, 3, 2, 5, -6, 9), Conv(m, 6, 1, 1, 1, 3, 0, 6), Conv(m, 6, 4, 1, 1, 4, -3, 3)
	mover.bias = [2048] * 4  # 128 is no move
	mover.consts[1] = m.const("int32", (4,), mover.bias)
	second = [Conv(m, 1, 4, 3, 2, 5), Dense(m, 64, 4, 6)]
	third = [Conv(m, 1, 4, 3, 1, 5), Conv(m, 4, 1, 1, 1, 3, -4, 8)]
	anchors, image = m.const("int32", (1, 2), [ANCHOR, ANCHOR]), m.const("int32", (2,), [SIZE, SIZE])

	page = m.node(f"BatchLoop {page} step=1")
	features = backbone.write(page)
	scores, deltas = scorer.write(features), mover.write(features)
	boxes = m.node(f"Proposal {scores} {deltas} {anchors} {image} stride=2,2 delta_zero=128 delta_shift=6 score_min={LEAST} min_size=16 "
		       f"before=100 after={MOST} iou={IOU} step=2")
	node = boxes.split(":")[0]
	crops = m.node(f"CropResize {page} {boxes} {node}:2 height=8 width=8")
	classes = second[1].write(second[0].write(crops))
	left = [m.node(f"Collect {m.node(f'Collect {source}')}") for source in (boxes, f"{node}:2", classes, crops)]
	again = m.node(f"BatchLoop {left[3]} step=3")
	masks = m.node(f"Collect {third[1].write(third[0].write(again))}")
	m.node(f"OUTPUT {' '.join(left[:3])} {masks}")

	pictures = [m.picture() if k % 3 else m.draw(0, 9, SIZE, SIZE, 1) for k in range(1, pages + 1)]
	results = [[], [], [], []]
	for k, picture in enumerate(pictures):
		features = backbone.run(picture)
		for box in propose(scorer.run(features), mover.run(features)):
			piece = crop(picture, box, 8)
			for result, part in zip(results, (box, k, second[1].run(second[0].run(piece)), third[1].run(third[0].run(piece)))):
				result.append(part)
	count = len(results[0])
	return m.case(f"detector of {pages} pages", [value("uint8", (pages, SIZE, SIZE, 1), pictures)],
		      [value(kind, (count, *dims), part) for kind, dims, part in zip(("int32", "int32", "uint8", "uint8"), ((4,), (), (4,), (8, 8, 1)), results)]), count


# ---- The cascade

def cascade(number, good, any_candidate=True):
	"""good: what the second stage's scores are to be more than."""
	m = Model(f"cascade {number}")
	first = [Conv(m, 1, 6, 3, 2, 5, -6, 9), Conv(m, 6, 1, 3, 1, 6, -6, 9), Conv(m, 6, 4, 1, 1, 9, 0, 4)]
	second, third = [Conv(m, 1, 4, 3, 2, 5), Dense(m, 64, 1, 6, low=-4)], [Conv(m, 1, 4, 3, 2, 5), Dense(m, 144, 5, 7)]
	image = m.picture()
	features = first[0].run(image)
	scores = flat(first[1].run(features))
	# Candidates down to the first two that are equal: which of them comes first is not what this is about.
	order, least = sorted(scores, reverse=True), 255
	if any_candidate:
		least = next(a for a, b in zip(order, order[1:]) if a == b)
	cells = [[[max(0, 2 * r - 3), max(0, 2 * c - 3), min(SIZE, 2 * r + 5), min(SIZE, 2 * c + 5)] for c in range(GRID)] for r in range(GRID)]
	anchors, most = m.const("uint8", (1, GRID, GRID, 4), cells, " scale=1"), 12
	zero, sixteen = m.const("int32", (1,), [0]), m.const("int32", (1, 4), [16] * 4)
	bound = m.const("uint8", (1, 1), [good], " scale=1")

	picture = m.node(f"Input shape=1,{SIZE},{SIZE},1 type=uint8 scale=1 name=picture")
	conved = first[0].write(picture)
	ranks = m.node(f"Reshape {first[1].write(conved)} shape=0,{GRID * GRID}")
	moved = m.node(f"Add {anchors} {first[2].write(conved)} type=uint8 scale=1")
	moved = m.node(f"Reshape {moved} shape=0,{GRID * GRID},4")
	kept = m.node(f"NonMaxSuppression {moved} {ranks} max_output_size={most} iou_threshold=0.5 score_threshold={least}")
	node = kept.split(":")[0]
	indices = m.node(f"Reshape {kept} shape={most},1")
	each = m.node(f"CountLoop {node}:2 {indices} {moved} {zero} counted=1 most={most}")
	node = each.split(":")[0]
	box = m.node(f"Reshape {m.node(f'Take {node}:1 {each}')} shape=0,4")
	box = m.node(f"Cast {box} type=int32")
	box = m.node(f"Integers {box} {sixteen} function=mul")
	owner = f"{node}:2"
	piece = m.node(f"CropResize {picture} {box} {owner} height=8 width=8")
	score = second[1].write(second[0].write(piece))
	chosen = m.node(f"Compare {bound} {score} function=less")
	inner = m.node(f"CountLoop {chosen} {box} {owner} {score} counted=1 most=1")
	node = inner.split(":")[0]
	large = m.node(f"CropResize {picture} {inner} {node}:1 height=12 width=12")
	points = third[1].write(third[0].write(large))
	left = [m.node(f"Collect {m.node(f'Collect {source}')}") for source in (inner, f"{node}:2", points)]
	m.node(f"OUTPUT {' '.join(left)}")

	offsets = first[2].run(features)
	boxes = [[min(255, a + b) for a, b in zip(cells[k // GRID][k % GRID], offsets[k // GRID][k % GRID])] for k in range(GRID * GRID)]
	candidates = sorted((-score, k) for k, score in enumerate(scores) if score > least)
	kept = []
	for _, k in candidates:
		if len(kept) < most and all(2 * intersection(boxes[k], other) < area(boxes[k]) + area(other) - intersection(boxes[k], other) for other in kept):
			kept.append(boxes[k])
	results = [[], [], []]
	for box in kept:
		box = [16 * e for e in box]
		score = second[1].run(second[0].run(crop(image, box, 8)))
		if score[0] > good:
			for result, part in zip(results, (box, score, third[1].run(third[0].run(crop(image, box, 12))))):
				result.append(part)
	count = len(results[0])
	return m.case(f"cascade {number}", [value("uint8", (1, SIZE, SIZE, 1), image)],
		      [value(kind, (count, *dims), part) for kind, dims, part in zip(("int32", "uint8", "uint8"), ((4,), (1,), (5,)), results)]), len(kept), count


# ---- Loops of tokens and numbers

def decoder(number):
	steps, width = 64, 8
	m = Model(f"decoder {number}")
	keys, last = Dense(m, width, width, 3, "int8", -15, 15), Dense(m, width, width, 1, "int8", -9, 9, 2 ** 17)
	state = m.node(f"Input shape=1,{width} type=int8 scale=1 name=first")
	cache, yes = m.const("int8", (1, steps, width), [0] * (steps * width), " scale=1"), m.const("bool", (1, 1), [1])
	never = m.const("int32", (1, 1), [99])
	loop = m.node(f"WhileLoop {yes} most={steps}").split(":")[0]
	now, known = m.node(f"Variable {state} loop={loop} fixed=1"), m.node(f"Variable {cache} loop={loop} fixed=1")
	key = m.node(f"Reshape {keys.write(now)} shape=0,1,{width}")
	older = m.node(f"Slice {known} axis=1 begin=1 size={steps - 1}")
	joined = m.node(f"Concat {older} {key} axis=1")
	m.node(f"Assign {known} {joined}")
	query = m.node(f"Reshape {now} shape=0,1,{width}")
	scores = m.node(f"MatMul {query} {joined} transpose_b=1 type=int8 scale={2 ** 9}")
	context = m.node(f"MatMul {scores} {joined} type=int8 scale={2 ** 17}")
	after = last.write(m.node(f"Reshape {context} shape=0,{width}"))
	m.node(f"Assign {now} {after}")
	token = m.node(f"Arg {after} function=max keep_dims=1")
	more = m.node(f"Compare {token} {never} function=not_equal")
	m.node(f"Continue {more}")
	made, kept = m.node(f"Collect {token} loop={loop}"), m.node(f"Last {known}")
	m.node(f"OUTPUT {made} {kept}")

	first = m.draw(-128, 127, width)
	vector, memory, tokens = first, [[0] * width for _ in range(steps)], []
	for _ in range(steps):
		memory = memory[1:] + [keys.run(vector)]
		weights = [rounded(sum(a * b for a, b in zip(vector, entry)), 9, -128, 127) for entry in memory]
		vector = last.run([rounded(sum(w * entry[i] for w, entry in zip(weights, memory)), 8, -128, 127) for i in range(width)])
		tokens.append(vector.index(max(vector)))
	return m.case("decoder", [value("int8", (1, width), first)],
		      [value("int32", (steps, 1), tokens), value("int8", (1, steps, width), memory)]), len(set(tokens))


def hailstone(start):
	m = Model("hailstone")
	number = m.node("Input shape=1,1 type=int32 name=start")
	zero, one, two, three = (m.const("int32", (1, 1), [k]) for k in range(4))
	begins = m.node(f"Compare {one} {number} function=less")
	loop = m.node(f"WhileLoop {begins} most=200").split(":")[0]
	now, count = m.node(f"Variable {number} loop={loop} fixed=1"), m.node(f"Variable {zero} loop={loop} fixed=1")
	odd = m.node(f"Compare {m.node(f'Integers {now} {two} function=mod')} {one} function=equal")
	larger = m.node(f"Integers {m.node(f'Integers {now} {three} function=mul')} {one} function=add")
	after = m.node(f"Select {odd} {larger} {m.node(f'Integers {now} {two} function=div')}")
	m.node(f"Assign {now} {after}")
	m.node(f"Assign {count} {m.node(f'Integers {count} {one} function=add')}")
	m.node(f"Continue {m.node(f'Compare {one} {after} function=less')}")
	m.node(f"OUTPUT {m.node(f'Last {now}')} {m.node(f'Last {count}')}")
	steps, last = 0, start
	while last > 1:
		last, steps = 3 * last + 1 if last % 2 else last // 2, steps + 1
	return m.case(f"hailstone from {start}", [value("int32", (1, 1), [start])], [value("int32", (1, 1), [last]), value("int32", (1, 1), [steps])])


def read_cases(path, names):
	with open(path, "rb") as file:
		data, at = file.read(), 8
	while at < len(data):
		size, = struct.unpack_from("<I", data, at)
		length, = struct.unpack_from("<I", data, at + 4)
		if data[at + 8:at + 8 + length].decode() in names:
			names.remove(data[at + 8:at + 8 + length].decode())
			yield data[at:at + 4 + size]
		at += 4 + size
	assert not names, names


def main():
	cases = []
	for pages in (1, 5, 2):
		data, count = detector(pages)
		assert count > pages, count
		cases.append(data)
	seen = set()
	for number in range(1, 100):
		data, kept, count = cascade(number, (20, 0, 255)[number % 3], number % 5 > 0)
		kind = "no candidate" if not kept else "none" if not count else "all" if count == kept else "some"
		if kept != 1 and kind not in seen:
			seen.add(kind)
			cases.append(data)
	assert len(seen) == 4, seen
	# Most weights come to rest soon.
	cases.append(next(data for data, different in map(decoder, range(100)) if different > 3))
	cases += [hailstone(start) for start in (27, 1, 6)]
	others = {}
	for word in sys.argv[2:]:
		if word.endswith(".cases"):
			names = others[word] = []
		else:
			names.append(word)
	for path, names in others.items():
		cases += read_cases(path, names)
	with open(sys.argv[1], "wb") as file:
		file.write(b"NNCASES1" + b"".join(cases))


if __name__ == "__main__":
	main()
