# SPDX-License-Identifier: MIT
"""From a page's boxes, scores and logits to its numbers: the rules of docs/reader.md ("From boxes to numbers").

Boxes are in 1/16 pixel and all is in integers, so that the tool (tools/nnloop/number_lines.c) comes to the same.
"""
import numpy as np

SURE = 184		# stored score of a digit that needs no further evidence
DOUBTFUL = 170		# stored score that counts beside one that is sure
MIN_CHANCE = 0.9	# by the classifier, of one that is not sure


def sizes(boxes):
	"""Twice the middles, and the heights."""
	return boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3], boxes[:, 2] - boxes[:, 0]


def shared(a, b):
	return min(a[2], b[2]) - max(a[0], b[0])


def beside(a, b):
	low, high = sorted((a[2] - a[0], b[2] - b[0]))
	return 2 * shared(a, b) >= low and 2 * high <= 3 * low and abs(a[1] + a[3] - b[1] - b[3]) <= 3 * high


def chances(logits, zero, scale):
	return 1 / (1 + np.exp(-(logits.max(1).astype(float) - zero) * float(scale)))


def certain(boxes, scores, chance):
	"""Indices of the boxes that count."""
	sure = [k for k in range(len(boxes)) if scores[k] >= SURE and chance[k] > 0.5]

	def confirmed(k):
		x = boxes[k][1] + boxes[k][3]
		inside = any(shared(boxes[k], boxes[s]) > 0 and 2 * boxes[s][1] < x < 2 * boxes[s][3] for s in sure)
		return not inside and any(beside(boxes[k], boxes[s]) for s in sure)

	return [k for k in range(len(boxes)) if k in set(sure) or (scores[k] < SURE and chance[k] >= MIN_CHANCE and confirmed(k))]


def join(boxes, indices):
	"""From left to right, each goes on with the nearest number that it can."""
	y, x, h = sizes(boxes)
	chains = []
	for k in sorted(indices, key=lambda k: (x[k], boxes[k][0])):
		near = [c for c in chains if beside(boxes[c[-1]], boxes[k])]
		if near:
			max(near, key=lambda c: x[c[-1]]).append(k)
		else:
			chains.append([k])
	return chains


def has_point(page, a, b):
	"""Ink in the lower part of the gap between two boxes, but not all along it."""
	high, bottom = (a[2] - a[0] + b[2] - b[0]) // 2, (a[2] + b[2]) // 2
	rows = [max(int((bottom - high * f // 5) / 16), 0) for f in (4, 2)] + [min(bottom // 16, page.shape[0])]
	x0, x1 = max((a[3] + 15) // 16, 0), min(b[1] // 16, page.shape[1])
	if x0 >= x1 or rows[0] >= rows[1] or rows[1] >= rows[2]:
		return False
	paper = int(page[rows[0]:rows[1], x0:x1].sum()) // ((rows[1] - rows[0]) * (x1 - x0))
	off = np.concatenate([page[d[0] // 16:d[2] // 16, d[1] // 16:d[3] // 16].ravel() for d in (a, b)]).astype(int) - paper
	ink = off[abs(off).argmax()] if len(off) else 0
	depth = ((page[rows[1]:rows[2], x0:x1].astype(int) - paper) * (-1 if ink < 0 else 1)).max(0).clip(0)
	columns = int((5 * depth >= 2 * abs(ink)).sum())
	return columns > 0 and 4 * columns <= 3 * (x1 - x0)


def split(boxes, chain, page):
	"""A gap wider than the digits ends a number, but not between digits that are evenly apart, nor where a point is."""
	x = [int(boxes[k][1] + boxes[k][3]) for k in chain]
	numbers = [chain[:1]]
	for i in range(1, len(chain)):
		a, b = (boxes[chain[j]] for j in (i - 1, i))
		ha, hb = a[2] - a[0], b[2] - b[0]
		width = max(a[3] - a[1] - ha // 4 + b[3] - b[1] - hb // 4, (ha + hb) // 2)
		gap = x[i] - x[i - 1]
		even = (i > 1 and 4 * (x[i - 1] - x[i - 2]) >= 3 * gap) or (i + 1 < len(x) and 4 * (x[i + 1] - x[i]) >= 3 * gap)
		if gap > 2 * width and not even and not has_point(page, a, b):
			numbers.append([])
		numbers[-1].append(chain[i])
	return numbers


def order(boxes, numbers):
	"""Line by line: a number and the nearest to its right that shares a third of the lower height are on one."""
	y, x, h = sizes(boxes)
	right, left = {}, {}
	for i, number in enumerate(numbers):
		last = number[-1]
		after = [j for j, n in enumerate(numbers) if x[n[0]] > x[last] and 3 * shared(boxes[last], boxes[n[0]]) >= min(h[last], h[n[0]])]
		if not after:
			continue
		j = min(after, key=lambda j: x[numbers[j][0]])
		if j not in left or x[numbers[left[j]][-1]] < x[last]:
			right.pop(left.get(j), None)
			left[j], right[i] = i, j
	out = []
	for i in sorted((i for i in range(len(numbers)) if i not in left), key=lambda i: (y[numbers[i][0]], x[numbers[i][0]])):
		while i is not None:
			out.append(numbers[i])
			i = right.get(i)
	return out


def read(boxes, scores, chance, page):
	"""The numbers of one page (uint8 [height, width]) in reading order, each a list of indices of its boxes."""
	boxes = np.asarray(boxes).astype(int)
	chains = join(boxes, certain(boxes, scores, chance))
	return order(boxes, [n for chain in chains for n in split(boxes, chain, page)])
