# SPDX-License-Identifier: MIT
"""The lines of Python that docs/models.md shows, so that what is tested is what the page says."""
import os
import re

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/models.md")


def blocks(section):
	"""The page's blocks of Python below the heading `section`."""
	with open(PAGE) as file:
		parts = re.split(r"^## (.*)\n", file.read(), flags=re.M)
	text = dict(zip(parts[1::2], parts[2::2])).get(section)
	if text is None:
		raise SystemExit(f"error: docs/models.md has no section '{section}'")
	return re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)


def block(section, word):
	"""The one of them that has this word."""
	found = [text for text in blocks(section) if word in text]
	if len(found) != 1:
		raise SystemExit(f"error: docs/models.md, '{section}': {len(found)} blocks have '{word}', not one")
	return found[0]


def run(text, names):
	"""Runs a block with the names that it takes; returns all that it defines."""
	names = dict(names)
	exec(compile(text, PAGE, "exec"), names)  # the page's own lines
	return names


def change(changes):
	"""What writes a block otherwise: each of the words in it as another."""
	def replace(text):
		for old, new in changes.items():
			if old not in text:
				raise SystemExit(f"error: docs/models.md has no '{old}'")
			text = text.replace(old, new)
		return text
	return replace
