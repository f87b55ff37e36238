#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws pages of 640 x 480 pixels with numbers whose digits are 14 to 40 pixels high, and what they say, for the reader of large pages.

    large_pages.py FOLDER [--set NAME]		writes FOLDER/NN.png and FOLDER/truth.txt

Nothing of this is what the models learned from: the code is its own, and so are the layouts, numbers and words at random places, each
with a font, size, slant, turn and ink of its own. Of the fonts DejaVu's alone are among those that the models learned from. The sets "tune" are
for trying things out, and "judge" for the figures in docs/reader.md; those called small have digits of 10 to
29 pixels, which is what fonts of 14 to 40 pixels have, and those called large have pages of 1280 x 960 pixels and digits of 28 to 80.
truth.txt is as that of tests/models/pages: a number's digits, and of each the box y0,x0,y1,x1 in pixels: its ink, at least 0.45 heights
wide, and 0.12 heights around it.

Needs python3-pil python3-numpy fonts-dejavu fonts-freefont-ttf fonts-noto-core fonts-b612 fonts-go fonts-clear-sans fonts-paratype.
"""
import argparse
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

WIDTH, HEIGHT, PAGES, NUMBERS = 640, 480, 10, 12
FINE = 4			# drawn so much larger
# Seed, least and greatest height of digits, and how many times as large the page is made in the end.
SETS = {"tune": (4701, 14, 40, 1), "tune-small": (4702, 10, 29, 1), "tune-large": (4703, 14, 40, 2),
	"judge": (90210, 14, 40, 1), "judge-small": (90211, 10, 29, 1), "judge-large": (90212, 14, 40, 2)}
FONTS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSansMono", "DejaVuSansCondensed",
	 "FreeSans", "FreeSerif", "FreeMonoBold", "NotoSans-Regular", "NotoSans-Bold", "NotoSerif-Regular", "B612-Regular", "Go-Regular",
	 "Go-Mono-Bold", "ClearSans-Regular", "ClearSans-Bold", "PTS55F", "PTF75F")
WORDS = ("Total", "Kasse", "Weight", "Rue", "Train", "Numero", "Platform", "Haus", "Order", "Price", "km", "Via", "kWh", "Invoice", "Art.")


def find_fonts(folders):
	found = {}
	for folder in folders:
		for at, _, names in os.walk(folder):
			found.update({name.rsplit(".", 1)[0]: os.path.join(at, name) for name in names if name.endswith((".ttf", ".otf"))})
	missing = [name for name in FONTS if name not in found]
	if missing:
		raise SystemExit(f"fonts are missing: {', '.join(missing)}; the first comment of large_pages.py names their packages")
	return found


def font_of(path, height):
	"""The font at the size whose 0 is `height` pixels high, FINE times as large."""
	box = ImageFont.truetype(path, 400).getbbox("0")
	return ImageFont.truetype(path, round(400 * height * FINE / (box[3] - box[1])))


def draw(text, font, slant, degrees, spread):
	"""Masks, FINE times as large, of each character in one frame, slanted and turned."""
	length = sum(font.getlength(c) + spread for c in text)
	width, height = int(length) + 8 * font.size // 2, 4 * font.size
	x, masks = 2.0 * font.size, []
	for char in text:
		mask = Image.new("L", (width, height), 0)
		ImageDraw.Draw(mask).text((x, 2.5 * font.size), char, 255, font, "ls")
		mask = mask.transform(mask.size, Image.AFFINE, (1, slant, -slant * 2.5 * font.size, 0, 1, 0), Image.BILINEAR)
		masks.append(mask.rotate(degrees, Image.BILINEAR))
		x += font.getlength(char) + spread
	return masks


def ink_of(mask):
	"""x0, y0, x1, y1 of what is at least half black."""
	return mask.point(lambda v: 255 if v > 127 else 0).getbbox()


def digit_box(ink, dx, dy):
	"""y0, x0, y1, x1 of a digit's box, in pixels of the page."""
	x0, y0, x1, y1 = ((v + d) / FINE for v, d in zip(ink, (dx, dy, dx, dy)))
	high, middle = y1 - y0, (x0 + x1) / 2
	half = max(x1 - x0, 0.45 * high) / 2 + 0.12 * high
	return y0 - 0.12 * high, middle - half, y1 + 0.12 * high, middle + half


def place(rng, size, taken):
	"""A free place for something of that width and height, which takes it; None: there is hardly any."""
	for _ in range(300):
		x, y = (int(rng.integers(6, most - s - 6)) for s, most in zip(size, (WIDTH, HEIGHT)))
		gap = 1.6 * size[1]
		if all(x + size[0] + gap < t[0] or t[2] + gap < x or y + size[1] + 8 < t[1] or t[3] + 8 < y for t in taken):
			taken.append((x, y, x + size[0], y + size[1]))
			return x, y
	return None


def draw_page(rng, fonts, least, most):
	"""The picture, and its numbers as (digits, boxes)."""
	dark_paper = rng.random() < 0.25
	paper = rng.uniform(25, 70) if dark_paper else rng.uniform(175, 250)
	cover = Image.new("L", (WIDTH * FINE, HEIGHT * FINE), 0)
	numbers, taken = [], []
	for k in range(NUMBERS + 4):
		is_number = k < NUMBERS
		font = font_of(fonts[str(rng.choice(FONTS))], rng.uniform(least, most))
		text = "".join(str(d) for d in rng.integers(0, 10, rng.integers(2, 7))) if is_number else str(rng.choice(WORDS))
		masks = draw(text, font, rng.uniform(-0.05, 0.16), rng.uniform(-2, 2), rng.uniform(0, 0.08) * font.size)
		boxes = [ink_of(mask) for mask in masks]
		around = [f(b[i] for b in boxes) for i, f in enumerate((min, min, max, max))]
		at = place(rng, [int((around[i + 2] - around[i]) / FINE) + 1 for i in range(2)], taken)
		if not at:
			continue
		dx, dy = at[0] * FINE - around[0], at[1] * FINE - around[1]
		strength = int(rng.uniform(170, 255))
		for mask in masks:
			cover.paste(strength, (dx, dy), mask)
		if is_number:
			numbers.append((text, [digit_box(b, dx, dy) for b in boxes]))
	ink = rng.uniform(190, 245) if dark_paper else rng.uniform(5, 60)
	amount = np.asarray(cover.reduce(FINE).filter(ImageFilter.GaussianBlur(rng.uniform(0, 0.7))), np.float64) / 255
	light = rng.uniform(-14, 14) * np.linspace(-1, 1, WIDTH)[None] + rng.uniform(-14, 14) * np.linspace(-1, 1, HEIGHT)[:, None]
	pixels = paper + (ink - paper) * amount + light + rng.normal(0, rng.uniform(1, 8), amount.shape)
	return Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8)), numbers


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("folder")
	parser.add_argument("--set", choices=SETS, default="judge")
	parser.add_argument("--fonts", action="append", default=["/usr/share/fonts"], help="a further folder with fonts")
	args = parser.parse_args()
	fonts = find_fonts(args.fonts)
	os.makedirs(args.folder, exist_ok=True)
	count, (seed, least, most, times) = 0, SETS[args.set]
	with open(os.path.join(args.folder, "truth.txt"), "w") as f:
		f.write("# A line for each page: page NAME. Then a line for each number on it: its digits, and y0,x0,y1,x1 of each digit's box in pixels.\n")
		for page in range(PAGES):
			image, numbers = draw_page(np.random.default_rng([seed, page]), fonts, least, most)
			image = image.resize((times * WIDTH, times * HEIGHT), Image.BICUBIC) if times > 1 else image
			image.save(os.path.join(args.folder, f"{page + 1:02d}.png"), optimize=True)
			f.write(f"page {page + 1:02d}\n")
			for text, boxes in numbers:
				f.write(" ".join([text] + [",".join(f"{times * v:.1f}" for v in box) for box in boxes]) + "\n")
			count += len(numbers)
	print(f"{PAGES} pages with {count} numbers")


if __name__ == "__main__":
	main()
