# SPDX-License-Identifier: MIT
"""Choices that random graphs are made of: drawn, or those of a list once more, with or without some drawn anew (random_onnx/graphs.py says what for).
And what comes of them."""
import random
from dataclasses import dataclass


class Draw:
	"""Where choices come from: chance, or a list; an exhausted list goes on with zeros. Of a list each is drawn anew with the probability `fresh`,
	the first always, because the numbers in a graph come of it; such a list goes on with chance."""

	def __init__(self, seed=None, replay=None, fresh=0):
		self.random = random.Random(seed)
		self.replay = replay
		self.fresh = fresh
		self.record = []

	def is_replayed(self, at):
		if self.replay is None or not self.fresh:
			return self.replay is not None
		return 0 < at < len(self.replay) and self.random.random() >= self.fresh

	def below(self, count, weights=None):
		at = len(self.record)
		if self.is_replayed(at):
			value = min(self.replay[at], count - 1) if at < len(self.replay) else 0
		elif weights:
			value = self.random.choices(range(count), weights)[0]
		else:
			value = self.random.randrange(count)
		self.record.append(value)
		return value

	def pick(self, options, weights=None):
		return options[self.below(len(options), weights)]

	def chance(self, one_in):
		"""True once in so many times."""
		return self.below(2, [one_in - 1, 1]) == 1

	def between(self, low, high):
		return low + self.below(high - low + 1)


@dataclass
class Made:
	"""What a list of choices is a graph of."""
	kind: str
	model: bytes
	twin: bytes
	inputs: list  # (name, array), in the model's order
	tags: set
	choices: list
	sums: bool = False  # float sums: a result may be a step off where there is no twin
	flags: int = 0  # of the case
