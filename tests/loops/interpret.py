# SPDX-License-Identifier: MIT
"""An interpreter of the text format (docs/text-format.md) for graphs with loops (docs/loops.md), by itself: it shares nothing with the library.

It is slow and simple. Nodes run one by one; a value is a list of numbers, with its dimensions and the loop whose rows it has. It knows the operators that
the random graphs of this folder use, and of these the integer types.
"""
BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "int64": 64, "bool": 1}
LOOPS = ("BatchLoop", "CountLoop", "WhileLoop")


class Refused(Exception):
	"""The graph is none; the text is words of the library's sentence."""


class Failed(Exception):
	"""The run ends with an error; likewise."""


def wrap(kind, number):
	if kind == "bool":
		return int(number != 0)
	bits = BITS[kind]
	number &= (1 << bits) - 1
	return number - (1 << bits) if not kind.startswith("u") and number >> (bits - 1) else number


def product(numbers):
	result = 1
	for number in numbers:
		result *= number
	return result


class Value:
	def __init__(self, kind, dims, data, rows_of=None):
		self.kind, self.dims, self.data, self.rows_of = kind, tuple(dims), list(data), rows_of
		assert len(self.data) == product(self.dims), (self.dims, len(self.data))

	def row(self, index):
		size = product(self.dims[1:])
		return self.data[index * size:(index + 1) * size]

	def rows(self, first, count):
		size = product(self.dims[1:])
		return self.data[first * size:(first + count) * size]


def windows_of(lcn, size):
	"""Where each window of a BatchLoop begins in a dimension of that size, and how much of it there is."""
	window = lcn.key("window", lcn.key("step"))
	stride, tail = lcn.key("stride", window), lcn.key("tail", "short")
	begins, at = [], 0
	while at + window <= size:
		begins.append(at)
		at += stride
	if tail != "drop" and at < size and (not begins or begins[-1] + window < size):
		begins.append(at)
	return [(b, window if tail == "pad" else min(window, size - b)) for b in begins]


def piece(value, axis, begin, size):
	"""So much of a dimension, with zeros behind its end."""
	inner, outer = product(value.dims[axis + 1:]), product(value.dims[:axis])
	there = max(0, min(size, value.dims[axis] - begin))
	data = []
	for i in range(outer):
		start = (i * value.dims[axis] + begin) * inner
		data += value.data[start:start + there * inner] + [0] * ((size - there) * inner)
	return Value(value.kind, value.dims[:axis] + (size,) + value.dims[axis + 1:], data, value.rows_of)


class Node:
	def __init__(self, number, op, inputs, keys, place):
		self.id, self.op, self.inputs, self.keys, self.place = number, op, inputs, keys, place
		self.scope = self.home = None  # where what it makes is, and where it runs

	def key(self, name, otherwise=0):
		return self.keys.get(name, otherwise)

	def ints(self, name):
		value = self.keys[name]
		return [value] if isinstance(value, int) else list(value)


class Scope:
	def __init__(self, lcn):
		self.lcn, self.parent, self.first, self.go_on, self.initial = lcn, None, True, None, {}

	def path(self):
		"""The scopes around it and itself, the root first."""
		return (self.parent.path() if self.parent else []) + [self]


def parse(text):
	nodes = []
	for line in text.splitlines():
		words = line.split("#")[0].split()
		if not words:
			continue
		inputs, keys = [], {}
		for word in words[2:]:
			if "=" in word:
				name, value = word.split("=")
				parts = value.split(",")
				try:
					numbers = [int(p) for p in parts]
					keys[name] = numbers[0] if len(parts) == 1 else numbers
				except ValueError:
					keys[name] = value
			else:
				inputs.append(tuple(int(p) for p in word.split(":")))
		nodes.append(Node(int(words[0]), words[1], inputs, keys, len(nodes)))
	return nodes


def live(nodes):
	"""The nodes that OUTPUT depends on, loops, and what says whether these go on."""
	by_id = {n.id: n for n in nodes}
	waiting = [n for n in nodes if n.op in ("Input", "OUTPUT") or n.op == "Continue" or n.op in LOOPS]
	found = set(waiting)
	while waiting:
		node = waiting.pop()
		wanted = [by_id[s] for s, _ in node.inputs]
		if node.op == "Variable":
			wanted += [n for n in nodes if n.op == "Assign" and n.inputs[0][0] == node.id]
		waiting += [n for n in wanted if n not in found]
		found |= set(wanted)
	return [n for n in nodes if n in found]


class Graph:
	def __init__(self, text, all_nodes=True):
		self.nodes = parse(text) if all_nodes else live(parse(text))
		for place, node in enumerate(self.nodes):
			node.place = place
		self.by_id = {n.id: n for n in self.nodes}
		self.root = Scope(None)
		self.scopes = {n.id: Scope(n) for n in self.nodes if n.op in LOOPS}
		self.find_scopes()
		self.output = next(n for n in self.nodes if n.op == "OUTPUT")

	# ---- Scopes

	def deepest(self, node):
		best = self.root
		for source, _ in node.inputs:
			scope = self.by_id[source].scope
			if best in scope.path():
				best = scope
			elif scope not in best.path():
				raise Refused("side by side")
		return best

	def find_scope(self, node):
		if node.op in LOOPS:
			node.scope = node.home = self.scopes[node.id]
			node.scope.parent = self.deepest(node)
			if len(node.scope.path()) > 5:
				raise Refused("inside of 4 loops")
		elif node.op == "Variable":
			node.scope = self.scopes[node.key("loop")]
			if node.scope.lcn.scope is None:
				node.scope = None
				return
			outside = self.deepest(node) is not node.scope
			node.home = node.scope
			node.before = outside
		elif node.op in ("Collect", "Last"):
			inner = self.deepest(node)
			if "loop" in node.keys:
				inner = self.scopes[node.key("loop")]
			node.scope = inner.parent
			node.home = inner if node.op == "Collect" else inner.parent
			if inner is self.root:
				raise Refused("leaves a loop")
		elif node.op == "Continue":
			node.scope = node.home = self.scopes[node.key("loop")] if "loop" in node.keys else self.deepest(node)
		else:
			node.scope = node.home = self.deepest(node)

	def find_scopes(self):
		for node in self.nodes:
			node.scope = None
		left = list(self.nodes)
		while left:
			waiting = []
			for node in left:
				if all(self.by_id[s].scope for s, _ in node.inputs):
					self.find_scope(node)
				if node.scope is None:
					waiting.append(node)
			if len(waiting) == len(left):
				raise Refused("its own loop")
			left = waiting

	# ---- Order

	def head(self, node):
		"""Runs when its loop begins, before everything in it."""
		return node.op in LOOPS or (node.op == "Variable" and node.before)

	def item(self, node, scope):
		"""What a node is in a scope that it is in: itself, or a loop."""
		path = node.home.path()
		return node if path[-1] is scope else path[path.index(scope) + 1]

	def needs(self, node):
		"""Nodes that run before it, and whether it takes what they make."""
		for source, _ in node.inputs:
			yield self.by_id[source], True
		if node.op == "Last":
			return
		for number in {s for s, _ in node.inputs if self.by_id[s].op == "Variable"}:
			for other in self.nodes[:node.place]:
				takes = any(s == number for s, _ in other.inputs)
				assigns = other.op == "Assign" and other.inputs[0][0] == number
				if other.op != "Last" and takes and (assigns or (node.op == "Assign" and node.inputs[0][0] == number)):
					yield other, False

	def inside(self, scope):
		return [n for n in self.nodes if scope in n.home.path()]

	def order(self, scope):
		"""The items of a scope in order: all nodes that can go, then a loop, and so on."""
		if hasattr(scope, "items"):
			return scope.items
		items, before = [], {}
		for node in self.inside(scope):
			if node.home is scope and self.head(node):
				continue
			item = self.item(node, scope)
			if item not in before:
				before[item] = set()
				items.append(item)
			for other, taken in self.needs(node):
				if other.op == "Collect" and taken and other.home in node.home.path():
					raise Refused("made behind it")
				if scope in other.home.path() and not (other.home is scope and self.head(other)):
					before[item].add(self.item(other, scope))
			before[item].discard(item)
		result = []
		while items:
			ready = [i for i in items if not before[i] & set(items)]
			if not ready:
				raise Refused("made behind it")
			plain = [i for i in ready if isinstance(i, Node)]
			result.append(plain[0] if plain else ready[0])
			items.remove(result[-1])
		scope.items = result
		return result

	# ---- Running

	def run(self, inputs):
		self.values, self.given, self.collected, self.given_to = {}, list(inputs), {}, {}
		# Of each loop: rows of this iteration, rows before it, and rows that it had when it was entered before.
		self.rows, self.first, self.outer = {}, {}, {}
		# Row counts: of which loop they are, and whose rows it collects if not its own.
		self.counts = set()
		self.results = [None] * len(self.output.inputs)
		for scope in [self.root, *self.scopes.values()]:
			self.order(scope)
		self.run_items(self.root)
		return self.results

	def run_items(self, scope):
		for item in self.order(scope):
			if isinstance(item, Node):
				self.run_node(item, scope)
			else:
				self.run_loop(item)

	def value(self, source):
		return self.values[source]

	def run_loop(self, scope):
		lcn, inside = scope.lcn, self.inside(scope)
		for node in inside:
			if node.home is scope and self.head(node) and node is not lcn:
				self.set_variable(node)
			if node.home is scope and node.op == "Collect":
				for k in range(len(node.inputs)):
					self.collected[node.id, k] = []
		for token in self.counts:
			if token[0] is scope:
				self.outer[token] = self.outer.get(token, 0) + self.rows.get(token, 0)
				self.rows[token] = 0
		given = [self.values[i] for i in lcn.inputs]
		if given:
			self.given_to[lcn.id] = given[0]
		kept = 1 if lcn.op == "WhileLoop" or lcn.key("counted") else 0
		step = lcn.key("step") if lcn.op == "BatchLoop" else lcn.key("current", 1)
		most = lcn.key("most")
		if lcn.op == "WhileLoop":
			total = most if given[0].data[0] else 0
		elif kept:
			total = given[0].data[0]
			if total < 0 or total > most:
				raise Failed("not from 0 to most")
		elif lcn.op == "BatchLoop":
			axis = lcn.key("axis") % len(given[0].dims)
			windows = windows_of(lcn, given[0].dims[axis])
			if axis and not windows:
				raise Refused("has no iteration")
			if axis and windows[-1][1] < lcn.key("window", step):
				raise Refused("only rows can be fewer")
			counts = [given[0].dims[0] if axis else size for _, size in windows] or [0]
			total = sum(counts)
		else:
			total = lcn.key("total")
		first, count, iteration = 0, 0, 0
		skipped = kept and not total
		if skipped:
			# An iteration that leaves nothing behind but what its results are like.
			before = [dict(d) for d in (self.values, self.rows, self.first, self.outer, self.collected)] + [list(self.results), set(self.counts)]
		while True:
			count = counts[iteration] if lcn.op == "BatchLoop" else step
			self.rows[scope], self.first[scope] = count, first
			scope.first = iteration == 0
			for k, value in enumerate(given[kept:]):
				if lcn.op == "BatchLoop":
					begin, size = windows[iteration] if windows else (0, 0)
					taken = piece(value, axis, begin, size)
					self.values[lcn.id, k] = Value(value.kind, taken.dims, taken.data, scope)
					continue
				data = []
				for r in range(first, first + count):
					data += value.row(r % value.dims[0]) if value.dims[0] else [0] * product(value.dims[1:])
				if lcn.key("squeeze"):
					self.values[lcn.id, k] = Value(value.kind, value.dims[1:] or (1,), data)
				else:
					self.values[lcn.id, k] = Value(value.kind, (count,) + value.dims[1:], data, scope)
			self.run_items(scope)
			first += count
			iteration += 1
			if lcn.op == "WhileLoop" and not scope.go_on:
				break
			if iteration >= len(counts) if lcn.op == "BatchLoop" else first >= total:
				if lcn.op == "WhileLoop" and lcn.key("strict"):
					raise Failed("still true")
				break
		if skipped:
			shapes = {k: v[0] for k, v in self.collected.items() if v and self.by_id[k[0]].home is scope}
			self.values, self.rows, self.first, self.outer, self.collected, self.results, self.counts = before
			self.collected.update({k: [v] for k, v in shapes.items()})
			first = 0
		self.outer[scope] = self.outer.get(scope, 0) + first
		for node in inside:
			if node.home is scope and node.op == "Collect":
				self.end_collect(node, first, given)

	def set_variable(self, node):
		initial = self.values[node.inputs[0]]
		if node.key("fixed"):
			self.values[node.id, 0] = self.now(node.inputs[0], initial)
			return
		rows = self.full_rows(node.scope)
		data = initial.data[:rows * product(initial.dims[1:])] if initial.dims[0] != 1 else initial.data * rows
		self.values[node.id, 0] = Value(initial.kind, (rows,) + initial.dims[1:], data, node.scope)

	def full_rows(self, scope):
		lcn = scope.lcn
		if lcn.op == "BatchLoop":
			given = self.values[lcn.inputs[0]]
			if lcn.key("axis") % len(given.dims):
				return given.dims[0]
			return max([size for _, size in windows_of(lcn, given.dims[0])], default=0)
		return lcn.key("current", 1)

	def end_collect(self, node, rows, given):
		for k, source in enumerate(node.inputs):
			data = self.collected[node.id, k]
			kind, dims, rows_of = data[0] if data else (None, None, None)
			flat = [x for part in data[1:] for x in part]
			lcn = node.home.lcn
			axis = node.key("axis") % len(dims)
			if axis:
				self.values[node.id, k] = self.collect_along(axis, kind, dims, data[1:], rows_of is node.home and self.each_rows(node.home, given))
				continue
			outer = given[0].rows_of if lcn.op == "BatchLoop" else None
			if lcn.op == "BatchLoop" and outer is not None and not self.hands_out_all(lcn, given[0], outer):
				outer = (node.home, None)
			if lcn.op == "BatchLoop" and lcn.key("axis") % len(given[0].dims) and self.is_same(outer if not isinstance(outer, tuple) else given[0].rows_of):
				outer = None
			if node.home.lcn.op == "WhileLoop" or node.home.lcn.key("counted"):
				outer = (node.home, None)
			if isinstance(rows_of, tuple):
				# Rows of a count are packed, whatever the loop counts; and nobody in an inner one may count them over all iterations.
				if node.home.parent is not self.root and node.home in self.output.home.path() and \
				   any(self.values[s].rows_of == rows_of for s in self.output.inputs if s in self.values):
					raise Refused("take them behind that loop")
				outer = (node.home, rows_of)
				dims = (len(flat) // product(dims[1:]),) + dims[1:]
			elif rows_of is node.home:
				dims = (rows,) + dims[1:]
			elif node.key("stack"):
				dims = (rows,) + dims
			else:
				dims = (rows * dims[0],) + dims[1:]
			self.values[node.id, k] = Value(kind, dims, flat, outer)
			if isinstance(outer, tuple) and outer[0] is node.home:
				self.counts.add(outer)
				self.rows[outer] = dims[0]

	def hands_out_all(self, lcn, given, outer):
		"""Whether the rows of all iterations are those of the input."""
		window = lcn.key("window", lcn.key("step"))
		return not lcn.key("axis") % len(given.dims) and lcn.key("stride", window) == window and lcn.key("tail", "short") == "short"

	def is_same(self, rows_of):
		"""Whether rows are those of no loop, or of one that hands out as many in each iteration, always."""
		if rows_of is None:
			return True
		if isinstance(rows_of, tuple):
			return False
		lcn = rows_of.lcn
		if lcn.op != "BatchLoop":
			return lcn.op == "CountLoop" and not lcn.key("counted")
		given = self.given_to[lcn.id]
		return bool(lcn.key("axis") % len(given.dims)) and self.is_same(given.rows_of)

	def each_rows(self, scope, given):
		"""Whose rows those of each iteration are."""
		return given[0].rows_of if scope.lcn.op == "BatchLoop" else None

	def collect_along(self, axis, kind, dims, parts, rows_of):
		inner, outer = product(dims[axis:]), product(dims[:axis])
		data = []
		for i in range(outer):
			for part in parts:
				data += part[i * inner:(i + 1) * inner]
		return Value(kind, dims[:axis] + (dims[axis] * len(parts),) + dims[axis + 1:], data, rows_of or None)

	def run_node(self, node, scope):
		given = [self.values[i] for i in node.inputs]
		function = getattr(self, "run_" + node.op.lower())
		result = function(node, *given)
		if result is not None:
			self.values[node.id, 0] = result

	def run_input(self, node):
		return self.given.pop(0)

	def run_const(self, node):
		values = node.ints("values") if "values" in node.keys else [0]
		dims = node.ints("shape") if "shape" in node.keys else [1]
		kind = node.key("type", "uint8")
		return Value(kind, dims, values * product(dims) if len(values) == 1 else values)

	def run_variable(self, node, initial):
		"""Its initial value is made in the loop: it is set in the first iteration, to all the rows that one has."""
		if node.scope.first:
			if initial.rows_of is node.scope or node.key("fixed"):
				self.values[node.id, 0] = self.now(node.inputs[0], initial)
			else:
				self.set_variable(node)

	def run_assign(self, node, variable, value):
		target, value = node.inputs[0], self.now(node.inputs[1], value)
		if value.rows_of is variable.rows_of and value.rows_of is self.by_id[target[0]].scope:
			kept = variable.data[len(value.data):]
			self.values[target] = Value(value.kind, (max(variable.dims[0], value.dims[0]),) + value.dims[1:], value.data + kept, value.rows_of)
		else:
			self.values[target] = value
		return value

	def run_last(self, node, variable):
		own = variable.rows_of is self.by_id[node.inputs[0][0]].scope
		return Value(variable.kind, variable.dims, variable.data, None if own else variable.rows_of)

	def run_collect(self, node, *given):
		for k, value in enumerate(given):
			value = self.now(node.inputs[k], value)
			self.collected[node.id, k] = self.collected[node.id, k] or [(value.kind, value.dims, value.rows_of)]
			# An iteration without rows adds nothing.
			self.collected[node.id, k].append(value.data if self.rows[node.home] else [])

	def run_continue(self, node, condition):
		node.scope.go_on = condition.data[0]

	def now(self, source, value):
		"""A Variable has the rows of a full pass, and a pass may have fewer."""
		node = self.by_id[source[0]]
		if node.op != "Variable" or value.rows_of is not node.scope:
			return value
		count = self.rows[node.scope]
		return Value(value.kind, (count,) + value.dims[1:], value.rows(0, count), value.rows_of)

	def run_output(self, node, *given):
		for k, value in enumerate(given):
			value = self.now(node.inputs[k], value)
			if value.rows_of is None:
				self.results[k] = value
				continue
			# Rows of a loop around that of OUTPUT go to the same place in each of its iterations.
			data = self.results[k].data if self.results[k] else []
			place = (self.outer.get(value.rows_of, 0) + self.first.get(value.rows_of, 0)) * product(value.dims[1:])
			data = data[:place] + value.data + data[place + len(value.data):]
			self.results[k] = Value(value.kind, (len(data) // product(value.dims[1:]),) + value.dims[1:], data, value.rows_of)

	def run_integers(self, node, a, b):
		function = {
			"add": lambda x, y: x + y,
			"sub": lambda x, y: x - y,
			"mul": lambda x, y: x * y,
			"min": min,
			"max": max,
			"xor": lambda x, y: x ^ y,
			"and": lambda x, y: x & y,
			"floor_mod": lambda x, y: x % y if y else 0,
		}[node.key("function")]
		return self.pairs(node, a, b, a.kind, function)

	def run_compare(self, node, a, b):
		function = {
			"equal": lambda x, y: x == y,
			"not_equal": lambda x, y: x != y,
			"less": lambda x, y: x < y,
			"less_or_equal": lambda x, y: x <= y,
		}[node.key("function")]
		return self.pairs(node, a, b, "bool", lambda x, y: int(function(x, y)))

	def pairs(self, node, a, b, kind, function):
		a, b = self.now(node.inputs[0], a), self.now(node.inputs[1], b)
		rank = max(len(a.dims), len(b.dims))
		assert len(a.dims) == len(b.dims)
		dims = [x if y == 1 else y for x, y in zip(a.dims, b.dims)]

		def at(value, index):
			place = 0
			for i in range(rank):
				place = place * value.dims[i] + (index[i] if value.dims[i] != 1 else 0)
			return value.data[place]

		data, index = [], [0] * rank
		for _ in range(product(dims)):
			data.append(wrap(kind, function(at(a, index), at(b, index))))
			for i in reversed(range(rank)):
				index[i] += 1
				if index[i] < dims[i]:
					break
				index[i] = 0
		return Value(kind, dims, data, a.rows_of or b.rows_of)

	def run_copy(self, node, x):
		x = self.now(node.inputs[0], x)
		return Value(x.kind, x.dims, x.data, x.rows_of)

	run_nop = run_copy

	def run_slice(self, node, x):
		x = self.now(node.inputs[0], x)
		axis, begin, size = node.key("axis"), node.key("begin"), node.key("size")
		inner = product(x.dims[axis + 1:])
		outer = product(x.dims[:axis])
		data = []
		for i in range(outer):
			start = (i * x.dims[axis] + begin) * inner
			data += x.data[start:start + size * inner]
		return Value(x.kind, x.dims[:axis] + (size,) + x.dims[axis + 1:], data, x.rows_of)

	def run_concat(self, node, *given):
		given = [self.now(s, v) for s, v in zip(node.inputs, given)]
		axis = node.key("axis")
		outer = product(given[0].dims[:axis])
		data = []
		for i in range(outer):
			for x in given:
				size = product(x.dims[axis:])
				data += x.data[i * size:(i + 1) * size]
		dims = list(given[0].dims)
		dims[axis] = sum(x.dims[axis] for x in given)
		return Value(given[0].kind, dims, data, given[0].rows_of)

	def run_reshape(self, node, x):
		x = self.now(node.inputs[0], x)
		wanted = node.ints("shape")
		dims = [x.dims[i] if d == 0 else d for i, d in enumerate(wanted)]
		return Value(x.kind, dims, x.data, x.rows_of)
