#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random graphs whose loops are a tree, and what an interpreter by itself (interpret.py) makes of them, as a file of cases (tools/models/common/cases.py).

usage: random_trees.py FILE COUNT [SEED]
"""
import random
import struct
import sys

import interpret

NUMBERS = {"uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9}
FORMATS = {"uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "bool": "B"}
KINDS = ("int32", "int32", "int8", "int64")
MUST_ACCEPT, MUST_REFUSE, JUDGED = 1, 4, 1
MOST_NODES = 70


class Known:
	"""A value as it is generated: its type, dimensions, the scope where it is, and the one whose rows it counts. Dimension 0 is None where a batch says it."""

	def __init__(self, source, kind, dims, scope, rows_of=None):
		self.source, self.kind, self.dims, self.scope, self.rows_of = source, kind, tuple(dims), scope, rows_of


class Count:
	"""How many rows a loop has collected, where only the run knows."""

	def __init__(self, scope):
		self.scope = scope


class Scope:
	def __init__(self, parent, lcn=None, op=None, rows=None, total=None, total_of=None):
		self.parent, self.lcn, self.op, self.rows, self.total, self.total_of = parent, lcn, op, rows, total, total_of
		self.values, self.variables = [], []
		self.count, self.packed = Count(self), {}
		# Where each iteration has as many rows: how many iterations, and whose rows these are; and whether they are always so many.
		self.trips, self.each_of, self.each_rows, self.same = 0, None, None, op == "CountLoop"
		# All its rows are another number than the batch, and nobody here knows it.
		self.is_vague = False
		self.depth = parent.depth + 1 if parent else 0
		self.all = parent.all if parent else []
		self.all.append(self)

	def path(self):
		return (self.parent.path() if self.parent else []) + [self]


class Maker:
	def __init__(self, seed):
		self.random = random.Random(seed)
		self.lines, self.id, self.root = [], 0, Scope(None)

	def chance(self, percent):
		return self.random.randrange(100) < percent

	def line(self, text):
		self.id += 1
		self.lines.append(f"{self.id} {text}")
		return self.id

	def const(self, kind, dims, values=None):
		count = interpret.product(dims)
		if values is None:
			values = [self.random.randint(-9, 9) if kind != "bool" else self.random.randint(0, 1) for _ in range(count)]
		shape = ",".join(map(str, dims))
		return f"{self.line(f'Const shape={shape} type={kind} values=' + ','.join(map(str, values)))}:0"

	def visible(self, scope, test=lambda v: True):
		return [v for s in scope.path() for v in s.values if test(v)]

	def pick(self, scope, test=lambda v: True):
		"""A value that is visible, most likely one of the scope itself."""
		values = self.visible(scope, test)
		near = [v for v in values if v.scope is scope]
		if near and self.chance(65):
			values = near
		return self.random.choice(values) if values else None

	def add(self, scope, node, kind, dims, rows_of=None, output=0):
		value = Known(f"{node}:{output}", kind, dims, scope, rows_of)
		scope.values.append(value)
		return value

	# ---- Operators

	def same_rows(self, a, b):
		return a.rows_of is b.rows_of and a.dims[0] == b.dims[0]

	def operator(self, scope):
		x = self.pick(scope)
		if x is None:
			return None
		what = self.random.randrange(10)
		if what < 6:
			return self.binary(scope, x)
		inner = x.dims[1:]
		if what == 6:
			axis = self.random.randrange(1, len(x.dims)) if len(x.dims) > 1 else 0
			if not axis:
				return None
			begin = self.random.randrange(x.dims[axis])
			size = self.random.randint(1, x.dims[axis] - begin)
			node = self.line(f"Slice {x.source} axis={axis} begin={begin} size={size}")
			return self.made(scope, [x], node, x.kind, x.dims[:axis] + (size,) + x.dims[axis + 1:])
		if what == 7:
			y = self.pick(scope, lambda v: v.kind == x.kind and self.same_rows(v, x) and len(v.dims) == len(x.dims) == 2 and v.scope in x.scope.path() + scope.path())
			if y is None or x.dims[1] + y.dims[1] > 12:
				return None
			node = self.line(f"Concat {x.source} {y.source} axis=1")
			return self.made(scope, [x, y], node, x.kind, x.dims[:1] + (x.dims[1] + y.dims[1],))
		if what == 8 and len(inner) == 1 and inner[0] % 2 == 0:
			node = self.line(f"Reshape {x.source} shape=0,2,{inner[0] // 2}")
			return self.made(scope, [x], node, x.kind, x.dims[:1] + (2, inner[0] // 2))
		node = self.line(f"{self.random.choice(('Copy', 'Nop'))} {x.source}")
		return self.made(scope, [x], node, x.kind, x.dims)

	def made(self, scope, inputs, node, kind, dims):
		"""A node is where the deepest of its inputs is."""
		deepest = max((v.scope for v in inputs), key=lambda s: s.depth)
		return self.add(deepest, node, kind, dims, inputs[0].rows_of)

	def binary(self, scope, x, function=None, kind=None):
		y = self.pick(scope, lambda v: v.kind == x.kind and self.same_rows(v, x) and len(v.dims) == len(x.dims) and
			      all(a == b or 1 in (a, b) for a, b in zip(v.dims[1:], x.dims[1:])))
		inputs, dims = [x], x.dims
		if y is None or self.chance(30):
			other = self.const(x.kind, [1] + [self.random.choice((1, d)) for d in x.dims[1:]])
		else:
			inputs.append(y)
			other = y.source
			dims = x.dims[:1] + tuple(max(a, b) for a, b in zip(x.dims[1:], y.dims[1:]))
		pair = [x.source, other]
		if self.chance(50):
			pair.reverse()
		function = function or self.random.choice(("add", "sub", "mul", "min", "max"))
		if x.kind == "bool":
			function = self.random.choice(("xor", "and"))
		node = self.line(f"Integers {' '.join(pair)} function={function}")
		return self.made(scope, inputs, node, x.kind, dims)

	def single(self, scope, kind):
		"""The source of one element without a loop's rows that data decide, and where it is; None if nothing can be it."""
		x = self.pick(scope, lambda v: v.kind == "int32" and v.rows_of is None and v.dims[0] == 1)
		if x is None:
			return None
		value = x
		for axis in range(1, len(x.dims)):
			if value.dims[axis] > 1:
				at = self.random.randrange(value.dims[axis])
				node = self.line(f"Slice {value.source} axis={axis} begin={at} size=1")
				value = Known(f"{node}:0", "int32", value.dims[:axis] + (1,) + value.dims[axis + 1:], x.scope)
		if kind == "bool":
			other = self.const("int32", [1] * len(x.dims))
			node = self.line(f"Compare {value.source} {other} function={self.random.choice(('less', 'less_or_equal', 'equal', 'not_equal'))}")
		else:
			other = self.const("int32", [1] * len(x.dims), [kind + 1])
			node = self.line(f"Integers {value.source} {other} function=floor_mod")
		return Known(f"{node}:0", "bool" if kind == "bool" else "int32", [1] * len(x.dims), x.scope)

	# ---- Loops

	def loop(self, scope):
		kind = self.random.choice(("batch", "count", "counted", "while", "if"))
		maker = {"batch": self.batch_loop, "count": self.count_loop, "counted": self.counted_loop, "while": self.while_loop, "if": self.counted_loop}[kind]
		inner = maker(scope, kind == "if")
		if inner is None:
			return
		self.body(inner)

	def handed(self, scope, inner, node, inputs, rows, squeeze):
		for k, x in enumerate(inputs):
			if squeeze:
				self.add(inner, node, x.kind, x.dims[1:] or (1,), None, k)
			else:
				self.add(inner, node, x.kind, (rows,) + x.dims[1:], inner, k)

	def place(self, scope, inputs):
		return max([v.scope for v in inputs], key=lambda s: s.depth, default=self.root)

	def batch_loop(self, scope, _):
		x = self.pick(scope, lambda v: v.source.split(":")[0] not in self.variable_ids)
		if x is None:
			return None
		others = self.visible(scope, lambda v: self.same_rows(v, x) and v.source.split(":")[0] not in self.variable_ids)
		inputs = [x] + self.random.sample(others, min(len(others), self.random.randint(0, 2)))
		where = self.place(scope, inputs)
		if where.depth >= 4:
			return None
		if self.chance(50):
			return self.windows_loop(where, x, inputs)
		step = self.random.randint(1, 3)
		node = self.line(f"BatchLoop {' '.join(v.source for v in inputs)} step={step}")
		rows = x.dims[0]
		inner = Scope(where, node, "BatchLoop", None if rows is None or step > 1 else 1, (x.dims[0],), x.rows_of)
		inner.step, inner.most_rows = step, step if rows is None else min(step, rows)
		self.handed(where, inner, node, inputs, None, False)
		return inner

	def windows_loop(self, where, x, inputs):
		axis = self.random.randrange(len(x.dims))
		if axis:
			inputs = [v for v in inputs if len(v.dims) > axis and v.dims[axis] == x.dims[axis]]
			where = self.place(where, inputs)
		keys = {"window": self.random.randint(1, 4)}
		if self.chance(75):
			keys["stride"] = self.random.randint(1, 4)
		if self.chance(70 if not axis else 95):
			keys["tail"] = self.random.choice(("pad", "pad", "drop", "short"))
		if axis or self.chance(30):
			keys["axis"] = axis if self.chance(80) else axis - len(x.dims)
		lcn = interpret.Node(0, "BatchLoop", [], keys, 0)
		if not axis and x.dims[0] is not None and not interpret.windows_of(lcn, x.dims[0]):
			return None  # what has no rows cannot be stacked
		node = self.line(f"BatchLoop {' '.join(v.source for v in inputs)} " + " ".join(f"{k}={v}" for k, v in keys.items()))
		window, rows = keys["window"], x.dims[0]
		if not axis:
			total = None if rows is None else sum(size for _, size in interpret.windows_of(lcn, rows))
			inner = Scope(where, node, "BatchLoop", None, (total,), x.rows_of)
			if keys.get("stride", window) != window or keys.get("tail", "short") != "short":
				inner.is_vague = rows is None and x.rows_of is None
				if x.rows_of is not None:
					inner.total_of = inner.count
			inner.step, inner.most_rows = window, window if total is None else min(window, total)
			self.handed(where, inner, node, inputs, None, False)
			return inner
		trips = len(interpret.windows_of(lcn, x.dims[axis]))
		inner = Scope(where, node, "BatchLoop", None, (None if rows is None else rows * trips,), None)
		inner.same = x.rows_of is None or (isinstance(x.rows_of, Scope) and x.rows_of.same)
		if not inner.same:
			inner.total, inner.total_of = (None,), inner.count
		inner.is_vague = rows is None and inner.same
		inner.step, inner.most_rows = rows, rows
		inner.trips, inner.each_of, inner.each_rows = trips, x.rows_of, rows
		for k, v in enumerate(inputs):
			self.add(inner, node, v.kind, (None,) + v.dims[1:axis] + (window,) + v.dims[axis + 1:], inner, k)
		return inner

	def count_loop(self, scope, _):
		inputs = [v for v in [self.pick(scope, lambda v: v.dims[0] != 0)] if v]
		if not inputs:
			return None
		if self.chance(40):
			inputs.append(self.pick(scope))
		where = self.place(scope, inputs)
		if where.depth >= 4:
			return None
		current, total = self.random.choice(((1, 1), (1, 2), (1, 3), (2, 4), (2, 3), (1, 0)))
		squeeze = current == 1 and self.chance(50)
		node = self.line(f"CountLoop {' '.join(v.source for v in inputs)} current={current} total={total}" + (" squeeze=1" if squeeze else ""))
		rows = max(current, -(-total // current) * current)
		inner = Scope(where, node, "CountLoop", current, (rows,), None)
		inner.step = inner.most_rows = inner.each_rows = current
		inner.trips = rows // current
		self.handed(where, inner, node, inputs, current, squeeze)
		return inner

	def counted_loop(self, scope, is_if):
		most = 1 if is_if else self.random.randint(1, 4)
		total = self.single(scope, "bool" if is_if else most)
		if total is None:
			return None
		current = 1 if is_if or self.chance(70) else 2
		return self.deciding(scope, total, f"CountLoop {{}} counted=1 most={most}" + (f" current={current}" if current > 1 else ""), current, False)

	def while_loop(self, scope, _):
		condition = self.single(scope, "bool")
		if condition is None:
			return None
		return self.deciding(scope, condition, f"WhileLoop {{}} most={self.random.randint(1, 4)}", 1, True)

	def deciding(self, scope, decides, text, current, is_while):
		inputs = [v for v in [self.pick(scope) for _ in range(self.random.randint(0, 2))] if v]
		where = self.place(scope, [decides] + inputs)
		if where.depth >= 4:
			return None
		squeeze = current == 1 and self.chance(50)
		node = self.line(text.format(" ".join(v.source for v in [decides] + inputs)) + (" squeeze=1" if squeeze else ""))
		inner = Scope(where, node, "WhileLoop" if is_while else "counted", current, None, None)
		inner.step = inner.most_rows = current
		self.handed(where, inner, node, inputs, current, squeeze)
		return inner

	def variable(self, scope):
		"""One of the loop, set before that or in it."""
		fixed = self.chance(70)
		around = scope.parent if self.chance(70) else scope
		x = self.pick(around, lambda v: (v.rows_of is None or (fixed and v.rows_of in scope.parent.path() and v.scope is not scope)) and v.dims[0] is not None)
		if fixed and self.chance(30):
			x = self.pick(around, lambda v: v.rows_of in scope.parent.path()) or x
		if x is not None and x.rows_of is not None and x.scope is scope:
			x = None
		if fixed and x is not None:
			node = self.line(f"Variable {x.source} loop={scope.lcn} fixed=1")
			value = self.add(scope, node, x.kind, x.dims, x.rows_of)
		else:
			kind, dims = (x.kind, x.dims[1:]) if x is not None else ("int32", (self.random.randint(1, 4),))
			source = x.source if x is not None and x.dims[0] == 1 and x.rows_of is None else self.const(kind, (1,) + dims)
			node = self.line(f"Variable {source} loop={scope.lcn}")
			value = self.add(scope, node, kind, (scope.rows if scope.op != "BatchLoop" else None,) + dims, scope)
		self.variable_ids.add(str(node))
		value.is_inside = x is not None and f"Variable {x.source} " in self.lines[-1] and x.scope is scope
		scope.variables.append(value)

	def assign(self, scope):
		variables = [v for s in scope.path() for v in s.variables]
		if not variables:
			return
		v = self.random.choice(variables)
		x = self.pick(scope, lambda w: w.kind == v.kind and w.dims == v.dims and w.rows_of is v.rows_of and w is not v)
		if x is None:
			x = self.binary(scope, v)
			if x is None or x.dims != v.dims:
				return
		node = self.line(f"Assign {v.source} {x.source}")
		self.made(scope, [x, v], node, v.kind, v.dims)

	def body(self, inner):
		where = inner.parent
		for _ in range(self.random.choice((0, 1, 1, 2))):
			self.variable(inner)
		if not inner.values:
			self.variable(inner)
		self.statements(inner, self.random.randint(1, 4))
		if inner.op == "WhileLoop":
			condition = self.single(inner, "bool")
			self.line(f"Continue {condition.source} loop={inner.lcn}" if condition else f"Continue {self.const('bool', (1,))} loop={inner.lcn}")
		for v in inner.variables:
			if self.chance(70) and not (v.is_inside and inner.op in ('WhileLoop', 'counted')):
				dims = v.dims
				if v.rows_of is inner:
					dims = (inner.most_rows,) + v.dims[1:]
					if inner.op == "BatchLoop" and (inner.total[0] is None or inner.total_of is not None):
						continue
				node = self.line(f"Last {v.source}")
				self.add(where, node, v.kind, dims, None if v.rows_of is inner else v.rows_of)
		for _ in range(self.random.randint(0, 2)):
			self.collect(inner)

	def collect(self, inner):
		single = inner.op != "BatchLoop" and inner.rows == 1 or inner.op == "BatchLoop" and inner.step == 1
		x = self.pick(inner, lambda v: v.rows_of is inner or (single and v.rows_of is None and v.dims[0] is not None) or (isinstance(v.rows_of, Count) and inner in v.rows_of.scope.path()[:-1] and self.chance(60)))
		if x is None:
			return
		text, total = f"Collect {x.source} loop={inner.lcn}", inner.total[0] if inner.total else None
		total_of = inner.total_of if inner.total else inner.count
		if inner.trips and not isinstance(x.rows_of, Count) and len(x.dims) > 1 and self.chance(50):
			axis = self.random.randrange(1, len(x.dims))
			if x.dims[axis] * inner.trips <= 24:
				node = self.line(text + f" axis={axis if self.chance(80) else axis - len(x.dims)}")
				own = x.rows_of is inner
				dims = (inner.each_rows if own else x.dims[0],) + x.dims[1:axis] + (x.dims[axis] * inner.trips,) + x.dims[axis + 1:]
				self.add(inner.parent, node, x.kind, dims, inner.each_of if own else None)
				return
		if inner.is_vague and not isinstance(x.rows_of, Count):
			return
		if isinstance(x.rows_of, Count):
			dims = (None,) + x.dims[1:]
			total_of = inner.packed.setdefault(x.rows_of, Count(inner))
		elif x.rows_of is inner:
			dims = (total,) + x.dims[1:]
		elif self.chance(50) or x.dims[0] != 1 and (total is None or total_of is not None):
			text += " stack=1"
			dims = (total,) + x.dims
		else:
			dims = (total if x.dims[0] == 1 else total * x.dims[0],) + x.dims[1:]
		node = self.line(text)
		self.add(inner.parent, node, x.kind, dims, total_of)

	def statements(self, scope, count):
		for _ in range(count):
			if len(self.lines) > MOST_NODES:
				return
			what = self.random.randrange(10)
			if what < 6:
				self.operator(scope)
			elif what < 8 and scope.depth < 4:
				self.loop(scope)
			else:
				self.assign(scope)

	def graph(self):
		self.variable_ids = set()
		self.inputs = []
		batch = self.random.randint(0, 5)
		for k in range(self.random.randint(1, 3)):
			kind = self.random.choice(KINDS)
			rows = None if self.chance(40) else self.random.choice((1, 1, 1, 2, 3))
			dims = (rows, self.random.choice((1, 2, 3, 4)))
			node = self.line(f"Input shape={rows or 0},{dims[1]} type={kind}")
			self.add(self.root, node, kind, dims)
			if rows is None:
				dims = (batch, dims[1])
			count = dims[0] * dims[1]
			self.inputs.append(interpret.Value(kind, dims, [self.random.randint(-20, 20) for _ in range(count)]))
		self.statements(self.root, self.random.randint(2, 7))
		for _ in range(4):
			if len(self.lines) < 12:
				self.loop(self.root)
		# OUTPUT may be in a loop, with values of those around.
		scope = self.random.choice(self.root.all) if self.chance(25) else self.root
		values = self.visible(scope)
		chosen = self.random.sample(values[-8:], min(len(values[-8:]), self.random.randint(1, 4)))
		if not chosen:
			chosen = [values[0]]
		self.line("OUTPUT " + " ".join(v.source for v in chosen))
		return "\n".join(self.lines) + "\n"


def blob(data):
	return struct.pack("<I", len(data)) + data


def tensors(values):
	parts = [struct.pack("<I", len(values))]
	for k, value in enumerate(values):
		parts += [blob(str(k).encode()), struct.pack(f"<{2 + len(value.dims)}I", NUMBERS[value.kind], len(value.dims), *value.dims),
			  blob(struct.pack(f"<{len(value.data)}{FORMATS[value.kind]}", *value.data))]
	return b"".join(parts)


def case(name, text, inputs):
	outputs, flags, why = [], MUST_ACCEPT, ""
	try:
		outputs = interpret.Graph(text).run(inputs)
		if None in outputs:
			return None, 0  # OUTPUT is in a loop that has no iteration
	except interpret.Refused:
		# It may be for a node that nothing reads: then it depends on whether such nodes go.
		try:
			interpret.Graph(text, False).run(inputs)
			return None, 0
		except interpret.Refused as refused:
			flags, why = MUST_REFUSE, str(refused)
	return blob(blob(name.encode()) + struct.pack("<I", flags) + blob(text.encode()) + blob(b"") + tensors(inputs) +
		    struct.pack("<I", JUDGED) + blob(why.encode()) + tensors(outputs) + tensors([])), flags


def make(seed):
	"""A graph with a loop that is left, or decides itself; others are chains, in which OUTPUT must be in the last loop."""
	again = 0
	while True:
		maker = Maker(f"{seed}.{again}")
		text = maker.graph()
		if any(word in text for word in ("Collect", "Last", " loop=", "most=")):
			return maker, text
		again += 1


def main():
	path, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
	refused = 0
	with open(path, "wb") as file:
		file.write(b"NNCASES1")
		for k in range(count):
			data, again = None, 0
			while data is None:
				maker, text = make(f"{seed}.{k}.{again}")
				data, flags = case(f"tree {seed}.{k}", text, maker.inputs)
				again += 1
			refused += flags == MUST_REFUSE
			file.write(data)
	print(f"{count} graphs, {refused} of them to be refused", file=sys.stderr)


if __name__ == "__main__":
	main()
