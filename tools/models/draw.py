# SPDX-License-Identifier: MIT
"""Choices that random graphs are made of: drawn, or those of a list once more (random_graphs.py says what for)."""
import random


class Draw:
	"""Where choices come from: chance, or a list; an exhausted list goes on with zeros."""

	def __init__(self, seed=None, replay=None):
		self.random = random.Random(seed)
		self.replay = replay
		self.record = []

	def below(self, count, weights=None):
		at = len(self.record)
		if self.replay is not None:
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
