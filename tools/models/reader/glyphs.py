# SPDX-License-Identifier: MIT
"""Digits as the models see them: Debian's fonts, drawn seven-segment digits, and distortions.

fonts.txt says which families are learned from and which are only tested with. Seven-segment digits to learn from
are drawn here segment by segment, so that the family tested with (DSEG) is wholly unseen.

A *strip* is a white-on-black picture of one digit in the middle with neighbours, ruled lines or nothing around
it. A *cell* is what the classifier gets: the digit's box cut out of a strip, distorted and resized to H x W.
The box of a digit is its ink, at least MIN_ASPECT as wide as high, plus MARGIN of its height on each side.
"""
import os

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageDraw, ImageFont

H, W = 24, 16			# cell, pixels
MIN_ASPECT, MARGIN = 0.45, 0.12	# box of a digit, in heights of its ink
INK = 40			# height of '0' in a strip, pixels
STRIP_H, STRIP_W = 80, 120
NO_DIGIT = -1			# label of a cell without a digit in its middle
# Letters that no font draws like a digit.
LETTERS = "ACEFHJKLMNPRTUVWXYacdefhkmnprtuvwxy"
HERE = os.path.dirname(os.path.abspath(__file__))


class Font:
	def __init__(self, family, path):
		self.family, self.path = family, path
		box = ImageFont.truetype(path, 200).getbbox("0")
		self.per_ink = 200 / (box[3] - box[1])
		self.sizes = {}

	def at(self, ink):
		"""The font at the size whose '0' is `ink` pixels high."""
		size = max(4, round(ink * self.per_ink))
		if size not in self.sizes:
			self.sizes[size] = ImageFont.truetype(self.path, size)
		return self.sizes[size]


def load_fonts(split):
	"""Fonts of one side of fonts.txt; a SystemExit names the Debian packages that are missing."""
	index, fonts, missing = {}, [], set()
	for root in ("/usr/share/fonts", "/usr/share/texmf/fonts"):
		for folder, _, names in sorted(os.walk(root)):
			for name in names:
				index.setdefault(name, os.path.join(folder, name))
	for line in open(os.path.join(HERE, "fonts.txt")):
		if line.startswith("#") or not line.strip():
			continue
		side, package, family, files = line.rstrip("\n").replace("\\ ", "\0").split()
		for name in files.replace("\0", " ").split(","):
			if name not in index:
				missing.add(package)
			elif side == split:
				fonts.append(Font(family, index[name]))
	if missing:
		raise SystemExit("fonts are missing: apt-get install --no-install-recommends " + " ".join(sorted(missing)))
	return fonts


def print_fonts():
	for split in ("train", "test"):
		families = {}
		for font in load_fonts(split):
			families.setdefault(font.family, []).append(os.path.basename(font.path))
		print(f"{split} fonts: {sum(map(len, families.values()))} files of {len(families)} families")
		for family, names in sorted(families.items()):
			print(f"  {family}: {', '.join(names)}")
	print("train also on: seven-segment digits drawn by glyphs.py")


# Seven-segment digits: segments a..g, bit 0 = a (top), clockwise, g in the middle.
SEGMENTS = {0: [0x3f], 1: [0x06], 2: [0x5b], 3: [0x4f], 4: [0x66], 5: [0x6d], 6: [0x7d, 0x7c], 7: [0x07, 0x27],
	    8: [0x7f], 9: [0x6f, 0x67]}


class SegmentStyle:
	"""One random look of a seven-segment display; draws digits into masks."""

	def __init__(self, rng):
		self.aspect = rng.uniform(0.45, 0.68)
		self.thick = rng.uniform(0.07, 0.19)
		self.gap = rng.uniform(0.0, 0.03)
		self.slant = rng.choice([0.0, rng.uniform(0.05, 0.2)])
		self.ghost = int(rng.choice([0, 0, rng.integers(8, 40)]))
		self.bevel = rng.uniform(0.0, 1.0)
		self.variant = int(rng.integers(0, 2))

	def draw(self, digit, ink, ghost=True):
		"""Mask (uint8 array) of one digit cell, `ink` high; every digit has the same width."""
		big = 4
		h = ink * big
		w, t, g = h * self.aspect, h * self.thick, h * self.gap
		image = Image.new("L", (int(w + self.slant * h) + 1, h + 1), 0)
		pen = ImageDraw.Draw(image)
		forms = SEGMENTS[digit]
		bits = forms[self.variant % len(forms)]

		def bar(x0, y0, x1, y1, value):
			# A bar from (x0, y0) to (x1, y1) along its centre line, ends cut by `bevel`.
			horizontal = y0 == y1
			cut = self.bevel * t / 2
			if horizontal:
				x0, x1 = x0 + g, x1 - g
				points = [(x0 - t / 2 + cut, y0), (x0 - t / 2 + 2 * cut, y0 - t / 2), (x1 + t / 2 - 2 * cut, y0 - t / 2),
					  (x1 + t / 2 - cut, y0), (x1 + t / 2 - 2 * cut, y0 + t / 2), (x0 - t / 2 + 2 * cut, y0 + t / 2)]
			else:
				y0, y1 = y0 + g, y1 - g
				points = [(x0, y0 - t / 2 + cut), (x0 + t / 2, y0 - t / 2 + 2 * cut), (x0 + t / 2, y1 + t / 2 - 2 * cut),
					  (x0, y1 + t / 2 - cut), (x0 - t / 2, y1 + t / 2 - 2 * cut), (x0 - t / 2, y0 - t / 2 + 2 * cut)]
			pen.polygon([(x + self.slant * (h - y), y) for x, y in points], fill=value)

		l, r, top, mid, bottom = t / 2, w - t / 2, t / 2, h / 2, h - t / 2
		lines = [(l, top, r, top), (r, top, r, mid), (r, mid, r, bottom), (l, bottom, r, bottom),
			 (l, mid, l, bottom), (l, top, l, mid), (l, mid, r, mid)]
		for lit in (False, True):
			for i, line in enumerate(lines):
				if bool(bits >> i & 1) == lit and (lit or (ghost and self.ghost)):
					bar(*line, 255 if lit else self.ghost)
		return np.asarray(image.resize((max(1, image.width // big), ink), Image.BOX))


def ink_box(mask, threshold=100):
	"""x0, y0, x1, y1 of the pixels above threshold."""
	ys, xs = np.where(mask > threshold)
	return xs.min(), ys.min(), xs.max() + 1, ys.max() + 1


def paste(canvas, mask, x, y):
	"""Maximum of canvas and mask placed at (x, y), clipped."""
	x0, y0 = max(x, 0), max(y, 0)
	x1, y1 = min(x + mask.shape[1], canvas.shape[1]), min(y + mask.shape[0], canvas.shape[0])
	if x0 < x1 and y0 < y1:
		part = canvas[y0:y1, x0:x1]
		np.maximum(part, mask[y0 - y:y1 - y, x0 - x:x1 - x], out=part)


def glyph(font, text, ink):
	"""Mask of a text and the offset of its baseline origin in it."""
	f = font.at(ink)
	x0, y0, x1, y1 = f.getbbox(text, anchor="ls")
	image = Image.new("L", (max(1, x1 - x0), max(1, y1 - y0)), 0)
	ImageDraw.Draw(image).text((-x0, -y0), text, font=f, fill=255, anchor="ls")
	return np.asarray(image), x0, y0, f.getlength(text)


def strip_of_font(font, char, rng, neighbours=list("0123456789") + list(".,:-/$") + [" "] * 8):
	"""A strip with a character in its middle, and the width and height of its ink."""
	mask, _, y0, _ = glyph(font, char, INK)
	bx0, by0, bx1, by1 = ink_box(mask)
	canvas = np.zeros((STRIP_H, STRIP_W), np.uint8)
	top = STRIP_H // 2 - (by0 + by1) // 2
	left = STRIP_W // 2 - (bx0 + bx1) // 2
	paste(canvas, mask, left, top)
	baseline = top - y0
	gap = rng.uniform(0.04, 0.4) * INK
	for side in (-1, 1):
		text = str(rng.choice(neighbours))
		if text == " ":
			continue
		near, _, ny0, _ = glyph(font, text, INK)
		x = left + bx1 + gap if side > 0 else left + bx0 - gap - near.shape[1]
		paste(canvas, near, int(x), baseline + ny0)
	return canvas, bx1 - bx0, by1 - by0


def strip_of_nothing(fonts, rng):
	"""A strip without a digit in its middle: a letter, the gap between two digits, or bare paper."""
	font = fonts[rng.integers(len(fonts))]
	kind = rng.random()
	if kind < 0.6:
		char = str(rng.choice(list(LETTERS)))
		while glyph(font, char, INK)[0].max() <= 100:	# not every font has every letter
			font = fonts[rng.integers(len(fonts))]
		return strip_of_font(font, char, rng, list(LETTERS + "Ooil") + [" "] * 8)
	canvas, w, h = strip_of_font(font, str(rng.integers(10)), rng, list("0123456789"))
	if kind < 0.85:
		away = int(0.5 * w + rng.uniform(0.05, 0.2) * INK)
		return np.roll(canvas, away if rng.random() < 0.5 else -away, 1), max(w, INK // 2), h
	canvas[:] = 0
	return canvas, int(rng.uniform(0.3, 0.9) * INK), INK


def strip_of_segments(digit, rng):
	style = SegmentStyle(rng)
	mask = style.draw(digit, INK)
	bx0, by0, bx1, by1 = ink_box(mask)
	canvas = np.zeros((STRIP_H, STRIP_W), np.uint8)
	top = STRIP_H // 2 - (by0 + by1) // 2
	left = STRIP_W // 2 - (bx0 + bx1) // 2
	paste(canvas, mask, left, top)
	pitch = int(mask.shape[1] - style.slant * INK + rng.uniform(0.06, 0.4) * INK)
	for side in (-1, 1):
		if rng.random() < 0.6:
			paste(canvas, style.draw(int(rng.integers(10)), INK), left + side * pitch, top)
		if rng.random() < 0.15:	# decimal point
			size = max(2, int(style.thick * INK))
			x = left + (mask.shape[1] if side > 0 else -pitch + mask.shape[1])
			canvas[top + INK - size:top + INK, x:x + size] = 255
	return canvas, bx1 - bx0, by1 - by0


def add_rules(canvas, ink_w, ink_h, rng):
	"""Ruled lines of a form near the digit: under it, over it, at its sides."""
	for side in range(4):
		if rng.random() > 0.4:
			continue
		thick = int(rng.integers(1, 5))
		off = rng.uniform(0.12, 0.35) * ink_h
		value = int(rng.integers(90, 256))
		half = ink_h / 2 if side < 2 else ink_w / 2
		at = int((STRIP_H if side < 2 else STRIP_W) / 2 + (half + off) * (1 if side % 2 else -1))
		part = canvas[at:at + thick] if side < 2 else canvas[:, at:at + thick]
		np.maximum(part, value, out=part)


def make_strips(fonts, per_digit, segments, nothing, seed):
	"""Strips (uint8 N x 1 x STRIP_H x STRIP_W), ink sizes (N x 2: w, h), labels; `per_digit` of each font and
	digit, `segments` drawn seven-segment ones of each digit, `nothing` without a digit."""
	rng = np.random.default_rng(seed)
	strips, sizes, labels = [], [], []
	for digit in range(10):
		for font in fonts:
			for _ in range(per_digit):
				strips.append(strip_of_font(font, str(digit), rng))
				labels.append(digit)
		for _ in range(segments):
			strips.append(strip_of_segments(digit, rng))
			labels.append(digit)
	for _ in range(nothing):
		strips.append(strip_of_nothing(fonts, rng))
		labels.append(NO_DIGIT)
	for canvas, w, h in strips:
		sizes.append((w, h))
		if rng.random() < 0.3:
			add_rules(canvas, w, h, rng)
	return (torch.from_numpy(np.stack([s[0] for s in strips])[:, None]),
		torch.tensor(np.array(sizes, np.float32)), torch.tensor(labels))


def make_cells(strips, sizes, gen, strength):
	"""Distorted cells (uint8 N x 1 x H x W) of strips. `strength` scales every distortion; one call shares its
	resolution and stroke weight, so call it in batches."""
	n = len(strips)

	def uniform(lo, hi, shape=(n,)):
		return torch.rand(shape, generator=gen) * (hi - lo) + lo

	def around(spread, shape=(n,)):
		return uniform(-spread * strength, spread * strength, shape)

	mask = strips.float() / 255
	weight = float(uniform(0, 1, (1,)))
	if weight < 0.15 * strength:
		mask = F.max_pool2d(mask, 3, 1, 1)
	elif weight < 0.25 * strength:
		mask = 1 - F.max_pool2d(1 - mask, 3, 1, 1)
	# The box to cut out, in strip pixels.
	ink_w, ink_h = sizes[:, 0], sizes[:, 1]
	half_h = (ink_h / 2 + MARGIN * ink_h) * torch.exp(around(0.16))
	half_w = (torch.maximum(ink_w, MIN_ASPECT * ink_h) / 2 + MARGIN * ink_h) * torch.exp(around(0.2))
	cx = STRIP_W / 2 + around(0.11) * ink_h
	cy = STRIP_H / 2 + around(0.09) * ink_h
	angle, shear = around(0.17), around(0.22)
	# Low resolution first, as on a page; the reader's bilinear resize comes after.
	rows = int(torch.randint(11, 34, (1,), generator=gen))
	cols = max(6, round(rows * float(uniform(0.55, 0.8, (1,)))))
	over = 3 if rows < 18 else 2
	v, u = torch.meshgrid(torch.linspace(-1, 1, 2 * rows * over + 1)[1::2],
			      torch.linspace(-1, 1, 2 * cols * over + 1)[1::2], indexing="ij")
	dx = u[None] * half_w[:, None, None] + shear[:, None, None] * v[None] * half_h[:, None, None]
	dy = v[None] * half_h[:, None, None]
	c, s = torch.cos(angle)[:, None, None], torch.sin(angle)[:, None, None]
	x = cx[:, None, None] + c * dx - s * dy
	y = cy[:, None, None] + s * dx + c * dy
	grid = torch.stack([2 * x / STRIP_W - 1, 2 * y / STRIP_H - 1], -1)
	cell = F.avg_pool2d(F.grid_sample(mask, grid, align_corners=False), over)
	# Ink and paper, light falling from one side, noise, blur.
	paper, contrast = uniform(0.0, 1.0), uniform(0.35 + 0.3 * (1 - strength), 1.0)
	ink = torch.where(paper > 0.5, paper - contrast, paper + contrast).clamp(0, 1)
	paper = torch.where(paper > 0.5, torch.maximum(paper, ink + 0.3), torch.minimum(paper, ink - 0.3)).clamp(0, 1)
	view = (n, 1, 1, 1)
	vv = torch.linspace(-1, 1, rows)[:, None].expand(rows, cols)
	uu = torch.linspace(-1, 1, cols)[None].expand(rows, cols)
	cell = paper.view(view) + (ink - paper).view(view) * cell
	cell = cell + around(0.1).view(view) * uu + around(0.1).view(view) * vv
	if float(uniform(0, 1, (1,))) < 0.6:
		b = uniform(0, 0.25 * strength).view(n, 1, 1)
		k = torch.stack([b, 1 - 2 * b, b], -1).view(n, 3)
		kernel = (k[:, :, None] * k[:, None, :]).view(n, 1, 3, 3)
		padded = F.pad(cell.view(1, n, rows, cols), (1, 1, 1, 1), mode="replicate")
		cell = F.conv2d(padded, kernel, groups=n).view(n, 1, rows, cols)
	cell = cell + torch.randn(cell.shape, generator=gen) * uniform(0, 0.08 * strength).view(view)
	cell = F.interpolate(cell, (H, W), mode="bilinear", align_corners=False)
	return (cell.clamp(0, 1) * 255).round().to(torch.uint8)
