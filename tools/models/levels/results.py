# SPDX-License-Identifier: MIT
"""Results of levels.py and kernels.py: how many elements differ from nnloop's in each of several ways to compute them; the files and the tables of these.

A line of a file is: operator, what of it, elements, and for each way how many of them differ and by how many steps at most, or a dash where it does not run.
"""


class Result:
	"""How many of the elements differ in each of the ways, and by how many steps. A way that does not run a model has none of its elements."""

	def __init__(self, op, types, ways):
		self.op, self.types, self.elements = op, types, 0
		self.differ, self.most = [0] * ways, [0] * ways

	@staticmethod
	def parse(line):
		op, types, elements, *ways = line.rstrip("\n").split("\t")
		result = Result(op, types, len(ways))
		result.elements = int(elements)
		for i, way in enumerate(ways):
			result.differ[i], result.most[i] = (None, None) if way == "-" else (int(n) for n in way.split(":"))
		return result

	def line(self):
		return "\t".join([self.op, self.types, str(self.elements), *("-" if n is None else f"{n}:{most}" for n, most in zip(self.differ, self.most))])

	def count(self, ours, theirs):
		"""theirs: the outputs of each way, or None."""
		import numpy as np  # pylint: disable=import-outside-toplevel
		self.elements += sum(a.size for a in ours)
		for i, outputs in enumerate(theirs):
			if outputs is None or self.differ[i] is None:
				self.differ[i] = self.most[i] = None
				continue
			for a, b in zip(ours, outputs):
				steps = np.abs(a.astype(np.float64).ravel() - b.astype(np.float64).ravel())
				self.differ[i] += int((steps != 0).sum())
				if b.dtype != np.float32:  # which has no steps
					self.most[i] = max(self.most[i], int(np.ceil(steps.max(initial=0))))


def read(path):
	"""The heading lines, and the results."""
	with open(path, encoding="utf-8") as file:
		lines = file.readlines()
	return [line for line in lines if line[0] == "#"], [Result.parse(line) for line in lines if line[0] != "#"]


def write(path, heading, results):
	with open(path, "w", encoding="utf-8") as file:
		file.write("".join(heading) + "".join(r.line() + "\n" for r in results))


def compare(path, heading, results, names):
	"""Prints what is not as the file has it, of these operators or all; how many lines that are."""
	kept_heading, kept = read(path)
	if heading[0] != kept_heading[0]:
		print(f"the file is of another runtime or processor:\n- {kept_heading[0][2:]}+ {heading[0][2:]}", end="")
	old = {r.line() for r in kept if not names or r.op in names}
	new = {r.line() for r in results}
	for line in sorted(old ^ new):
		print("-" if line in old else "+", line)
	return len(old ^ new)


def cell(results, i):
	"""The greatest share of some results in a way."""
	ran = [r for r in results if r.elements and r.differ[i] is not None]
	if not ran:
		return "\u2013"
	share, most = max(r.differ[i] / r.elements for r in ran), max(r.most[i] for r in ran)
	if not share:
		return "equal"
	number = f"{100 * share:.{3 if share >= 0.995 else 2}g} %" if share >= 0.001 else f"1 of {round(1 / share, -len(str(int(1 / share))) + 1):,.0f}"
	return f"{number}, by {most}" if most else number


def replace_table(page, begin, end, text):
	"""Puts text between these two lines of a page."""
	with open(page, encoding="utf-8") as file:
		before, _, rest = file.read().partition(begin)
	_, _, after = rest.partition(end)
	with open(page, "w", encoding="utf-8") as file:
		file.write(before + begin + "\n" + text + "\n" + end + after)
