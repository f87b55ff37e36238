# SPDX-License-Identifier: MIT
"""TensorFlow Lite's operators that only move elements, with random options, for graphs.py: as in layers.py."""
import numpy as np


def axis_of(g, v, more=0):
	"""A dimension behind the batch (rarely that), and the number that the file has for it."""
	rank = len(v.shape) + more
	axis = g.d.between(1, rank - 1) if not g.d.chance(60) else 0
	return axis, axis - rank if g.d.chance(3) else axis


def concatenation(g, v):
	axis, number = axis_of(g, v)
	parts = []
	for _ in range(g.d.pick([1, 2, 0, 3], [4, 2, 1, 1])):
		shape = list(v.shape)
		shape[axis] = g.d.pick([shape[axis], 1, 2, 5]) if axis else shape[axis]
		parts.append(g.input(shape, v.dtype, v.scale, v.zero) if g.d.chance(3) or shape != v.shape else v)
	parts.insert(g.d.between(0, len(parts)), v)
	shape = list(v.shape)
	shape[axis] = sum(p.shape[axis] for p in parts)
	return g.result("CONCATENATION", parts, shape, v.dtype, v.scale, v.zero, axis=number, fused_activation_function=0)


def pack(g, v):
	axis, number = axis_of(g, v, 1)
	parts = [v, *(g.d.pick([v, g.input(v.shape, v.dtype, v.scale, v.zero)]) if not g.d.chance(3) else v for _ in range(g.d.pick([1, 2, 0])))]
	shape = [*v.shape[:axis], len(parts), *v.shape[axis:]]
	return g.result("PACK", parts, shape, v.dtype, v.scale, v.zero, values_count=len(parts), axis=number)


def parts(g, op, v, shapes, inputs, **options):
	"""Several outputs; all of them may be outputs of the graph."""
	y = [g.new(shape, v.dtype, v.scale, v.zero) for shape in shapes]
	g.add(op, inputs, y, **options)
	return g.d.pick(y)


def unpack(g, v):
	axis, number = axis_of(g, v)
	if len(v.shape) < 2 or v.shape[axis] > 6:
		return None
	return parts(g, "UNPACK", v, [v.shape[:axis] + v.shape[axis + 1:]] * v.shape[axis], [v], num=v.shape[axis], axis=number)


def split(g, v):
	axis, number = axis_of(g, v)
	counts = [n for n in (1, 2, 3, 4, 5, 6, 7) if v.shape[axis] % n == 0]
	count = g.d.pick(counts[::-1])
	shape = list(v.shape)
	shape[axis] //= count
	return parts(g, "SPLIT", v, [shape] * count, [g.ints(number), v], num_splits=count)


def split_v(g, v):
	axis, number = axis_of(g, v)
	sizes, left = [], v.shape[axis]
	while left and len(sizes) < 4:
		sizes.append(g.d.between(1, left) if len(sizes) < 3 else left)
		left -= sizes[-1]
	if left:
		sizes[-1] += left
	given = list(sizes)
	if g.d.chance(2):
		given[g.d.below(len(given))] = -1
	shapes = [[*v.shape[:axis], size, *v.shape[axis + 1:]] for size in sizes]
	return parts(g, "SPLIT_V", v, shapes, [v, g.ints(given), g.ints(number)], num_splits=len(sizes))


def factors(g, count):
	"""Dimensions that have so many elements."""
	dims = []
	for _ in range(g.d.pick([0, 1, 2, 3])):
		dims.append(g.d.pick([n for n in (1, 2, 3, 4, 5, 6, 7) if count % n == 0]))
		count //= dims[-1]
	dims.insert(g.d.between(0, len(dims)), count)
	return dims


def reshape(g, v):
	shape = [v.shape[0], *factors(g, int(np.prod(v.shape[1:])))] if not g.d.chance(60) else factors(g, int(np.prod(v.shape)))
	given = list(shape)
	if g.d.chance(3):
		given[g.d.below(len(given))] = -1
	form = g.d.pick(["input", "option", "both"])
	g.tag("RESHAPE", "shape", form)
	options = {"new_shape": given} if form != "input" else {}
	return g.like("RESHAPE", v, shape, [g.ints(given)] if form != "option" else [], **options)


def squeeze(g, v):
	ones = [i for i, d in enumerate(v.shape) if d == 1 and i]
	if not ones:
		v = expand_dims(g, v)
		ones = [i for i, d in enumerate(v.shape) if d == 1 and i]
	if not ones:
		return None
	gone = [i for i in ones if g.d.chance(2)] or ones[-1:]
	given = [i - len(v.shape) if g.d.chance(3) else i for i in gone]
	if g.d.chance(30):
		gone, given = [i for i, d in enumerate(v.shape) if d == 1], []
	shape = [d for i, d in enumerate(v.shape) if i not in gone]
	return g.like("SQUEEZE", v, shape, squeeze_dims=given) if shape else None


def expand_dims(g, v):
	axis, number = axis_of(g, v, 1)
	return g.like("EXPAND_DIMS", v, [*v.shape[:axis], 1, *v.shape[axis:]], [g.ints([number] if g.d.chance(2) else number)])


def transpose(g, v):
	rest = list(range(1, len(v.shape)))
	for i in range(len(rest) - 1, 0, -1):
		k = g.d.below(i + 1)
		rest[i], rest[k] = rest[k], rest[i]
	order = [0, *rest]
	if g.d.chance(60) and rest:
		order[0], order[1] = order[1], order[0]
	return g.like("TRANSPOSE", v, [v.shape[i] for i in order], [g.ints(order)])


def slice_(g, v):
	begins, sizes, shape = [0], [g.d.pick([-1, v.shape[0]])], [v.shape[0]]
	for dim in v.shape[1:]:
		begin = g.d.pick([0, dim - 1, g.d.below(dim)])
		size = g.d.between(1, dim - begin)
		begins.append(begin)
		shape.append(size)
		sizes.append(-1 if size == dim - begin and g.d.chance(2) else size)
	return g.like("SLICE", v, shape, [g.ints(begins), g.ints(sizes)])


def steps(g, dim, i, masks, entry):
	"""Begin, end and step of one dimension, and how many indices that takes; 0: one, and the dimension goes."""
	if not i:
		whole = g.d.pick(["masks", "numbers"])
		masks["begin_mask"] |= (whole == "masks") << entry
		masks["end_mask"] |= (whole == "masks") << entry
		return (0, dim, 1, dim) if whole == "numbers" else (g.d.between(-3, 3), g.d.between(-3, 3), 1, dim)
	if g.d.chance(6):
		masks["shrink_axis_mask"] |= 1 << entry
		at = g.d.below(dim)
		return at - dim if g.d.chance(3) else at, g.d.pick([at + 1, 0]), 1, 0
	step = g.d.pick([1, 2, -1, -2, 3], [5, 2, 2, 1, 1])
	begin, end = (g.d.between(-dim - 2, dim + 2) for _ in range(2))
	for mask in ("begin_mask", "end_mask"):
		masks[mask] |= g.d.chance(3) << entry
	taken = slice(None if masks["begin_mask"] >> entry & 1 else begin, None if masks["end_mask"] >> entry & 1 else end, step)
	count = len(range(*taken.indices(dim)))
	if not count:
		masks["begin_mask"] |= 1 << entry
		masks["end_mask"] |= 1 << entry
		count = len(range(*slice(None, None, step).indices(dim)))
	return begin, end, step, count


def strided_slice(g, v):
	masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
	numbers, shape, i = [], [], 0
	ellipsis = g.d.between(0, len(v.shape) - 1) if g.d.chance(5) else None
	rank = len(v.shape)
	while i < rank:
		entry = len(numbers)
		if i == ellipsis:
			masks["ellipsis_mask"] |= 1 << entry
			numbers.append((0, 0, 1))
			most = g.d.between(0, rank - i)
			shape += v.shape[i:i + most]
			i += most
			ellipsis = None
			continue
		if i and g.d.chance(12) and len(shape) < 5:
			masks["new_axis_mask"] |= 1 << entry
			numbers.append((0, 0, 1))
			shape.append(1)
			continue
		if i and g.d.chance(12) and not masks["ellipsis_mask"]:
			shape += v.shape[i:]
			break
		*one, count = steps(g, v.shape[i], i, masks, entry)
		numbers.append(one)
		shape += [count] if count else []
		i += 1
	if not shape:
		return None
	return g.like("STRIDED_SLICE", v, shape, [g.ints([n[k] for n in numbers]) for k in range(3)], **masks, offset=0)


def gather(g, v):
	axis, number = axis_of(g, v)
	dims = g.d.pick([[3], [1], [], [2, 3], [7]])
	if len(v.shape) - 1 + len(dims) < 1:
		return None
	indices = g.rng.integers(0, v.shape[axis], dims).astype(np.int32)
	at = g.tensor(dims, "int32", data=indices)
	return g.like("GATHER", v, [*v.shape[:axis], *dims, *v.shape[axis + 1:]], [at], axis=number, batch_dims=0)


def reverse(g, v):
	axis, number = axis_of(g, v)
	return g.like("REVERSE_V2", v, v.shape, [g.ints([number])])


def tile(g, v):
	repeats = [1, *(g.d.pick([1, 2, 3], [3, 1, 1]) for _ in v.shape[1:])]
	return g.like("TILE", v, [d * r for d, r in zip(v.shape, repeats)], [g.ints(repeats)])


def broadcast_to(g, v):
	if 1 not in v.shape[1:]:
		v = expand_dims(g, v)
	shape = [v.shape[0], *(d if d != 1 else g.d.pick([3, 1, 2]) for d in v.shape[1:])]
	return g.like("BROADCAST_TO", v, shape, [g.ints(shape)])


def paddings(g, v, most):
	more = [[0, 0], *([min(g.d.pick([0, 1, 2, 3], [3, 2, 1, 1]), most(d)) for _ in range(2)] for d in v.shape[1:])]
	return more, [d + a + b for d, (a, b) in zip(v.shape, more)]


def pad(g, v):
	more, shape = paddings(g, v, lambda d: 9)
	return g.like("PAD", v, shape, [g.ints(more)])


def pad_v2(g, v):
	more, shape = paddings(g, v, lambda d: 9)
	value = g.rng.integers(-100, 100) if v.dtype != "uint8" else g.rng.integers(0, 256)
	value = v.zero if g.d.chance(3) else int(value)
	data = np.array(value).astype(v.dtype).reshape(g.d.pick([[1], []]))
	return g.like("PADV2", v, shape, [g.ints(more), g.tensor(list(data.shape), v.dtype, v.scale, v.zero, data)])


def mirror_pad(g, v):
	mode = g.d.below(2)
	more, shape = paddings(g, v, lambda d: d - 1 + mode)
	return g.like("MIRROR_PAD", v, shape, [g.ints(more)], mode=mode)


def depth_to_space(g, v):
	block = g.d.pick([2, 1, 3])
	if v.shape[3] % (block * block):
		shape = [*v.shape[:3], g.d.pick([1, 2, 3]) * block * block]
		v = g.input(shape, v.dtype, v.scale, v.zero)
	return g.like("DEPTH_TO_SPACE", v, [v.shape[0], v.shape[1] * block, v.shape[2] * block, v.shape[3] // block // block], block_size=block)


def space_to_depth(g, v):
	block = g.d.pick([2, 1, 3])
	if v.shape[1] % block or v.shape[2] % block:
		v = g.input([v.shape[0], g.d.between(1, 3) * block, g.d.between(1, 3) * block, v.shape[3]], v.dtype, v.scale, v.zero)
	return g.like("SPACE_TO_DEPTH", v, [v.shape[0], v.shape[1] // block, v.shape[2] // block, v.shape[3] * block * block], block_size=block)
