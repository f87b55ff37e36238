#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws tests/models/unseen/: twelve pages in layouts that the reader was neither trained nor tuned with, and what they say.

They are what people point a camera at, or take a picture of on a screen, and have the sizes of such pictures. All fonts are Debian's,
of families that the models did not learn from. Seeds are fixed, so a second run writes the same pages. truth.txt is as that of pages/:
a number is digits in a row, of which a point, comma or colon may stand between two; its boxes are those of glyphs.py.

Needs python3-pil python3-numpy fonts-inter fonts-clear-sans fonts-b612 fonts-dseg fonts-national-park fonts-routed-gothic fonts-ocr-b
fonts-paratype fonts-sil-andika fonts-oxygen fonts-mononoki fonts-oldstandard fonts-go.
"""
import math
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "models", "unseen")
SCALE = 2			# drawn larger, then reduced
MIN_ASPECT, MARGIN = 0.45, 0.12	# of a digit's box, as in glyphs.py


def find_fonts():
	return {name.rsplit(".", 1)[0]: os.path.join(folder, name)
		for folder, _, names in os.walk("/usr/share/fonts") for name in names}


class Page:
	"""A page under construction, in its own pixels; grey."""
	fonts = find_fonts()

	def __init__(self, seed, width, height, paper):
		self.rng = np.random.default_rng([20, seed])
		self.width, self.height = width, height
		self.image = Image.new("L", (width * SCALE, height * SCALE), paper)
		self.pen = ImageDraw.Draw(self.image)
		self.numbers = []	# each a list of (digit, x0, y0, x1, y1) of the ink

	def font(self, name, ink):
		"""The font at the size whose '0' is `ink` pixels high."""
		box = ImageFont.truetype(self.fonts[name], 200).getbbox("0")
		return ImageFont.truetype(self.fonts[name], round(200 * ink * SCALE / (box[3] - box[1])))

	def box(self, x0, y0, x1, y1, fill=None, outline=None, width=1, radius=0):
		self.pen.rounded_rectangle([v * SCALE for v in (x0, y0, x1, y1)], radius * SCALE, fill, outline, round(width * SCALE))

	def disc(self, x, y, radius, fill=None, outline=None, width=1):
		self.pen.ellipse([v * SCALE for v in (x - radius, y - radius, x + radius, y + radius)], fill, outline, round(width * SCALE))

	def line(self, x0, y0, x1, y1, value, width=1):
		self.pen.line([v * SCALE for v in (x0, y0, x1, y1)], value, round(width * SCALE))

	def length(self, text, font, ink):
		return self.font(font, ink).getlength(text) / SCALE

	def text(self, x, y, text, font, ink, value, spacing=0.0, wobble=0.0, align="left"):
		"""Draws at baseline y; each character up to `wobble` off it. Returns where the next would be."""
		f, number = self.font(font, ink), []
		if align != "left":
			x -= (self.length(text, font, ink) + spacing * (len(text) - 1)) / (1 if align == "right" else 2)
		for char in text:
			at = y + self.rng.uniform(-wobble, wobble)
			self.pen.text((x * SCALE, at * SCALE), char, value, f, "ls")
			if char.isdigit():
				x0, y0, x1, y1 = (v / SCALE for v in f.getbbox(char, anchor="ls"))
				number.append((int(char), x + x0, at + y0, x + x1, at + y1))
			elif char not in ".,:":
				self.end_number(number)
				number = []
			x += f.getlength(char) / SCALE + spacing
		self.end_number(number)
		return x

	def end_number(self, number):
		if number:
			self.numbers.append(number)

	def digits(self, count):
		"""That do not begin with 0."""
		return str(self.rng.integers(1, 10)) + "".join(str(d) for d in self.rng.integers(0, 10, count - 1))

	def shade(self, dark, start, end):
		"""A shadow from column `start`, whole at `end`, in which everything is `dark` times as bright."""
		at = np.clip((np.arange(self.width * SCALE) / SCALE - start) / (end - start), 0, 1)
		pixels = np.asarray(self.image, np.float32) * (1 + (dark - 1) * at)[None]
		self.image = Image.fromarray(np.rint(pixels).astype(np.uint8))

	def finish(self, degrees=0.0, blur=0.0, noise=0.0, light=0.0):
		"""The picture, and its numbers, each digit as (digit, y0, x0, y1, x1) of its box."""
		image = self.image.rotate(degrees, Image.BICUBIC, fillcolor=self.image.getpixel((2, 2))).reduce(SCALE)
		if blur:
			image = image.filter(ImageFilter.GaussianBlur(blur))
		pixels = np.asarray(image, np.float32)
		pixels = pixels + light * np.linspace(-1, 1, self.width)[None] + light * np.linspace(-1, 1, self.height)[:, None]
		pixels = pixels + self.rng.normal(0, 1, pixels.shape) * noise
		numbers = [[(d[0], *self.turned(math.radians(degrees), *d[1:])) for d in number] for number in self.numbers]
		return Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8)), numbers

	def turned(self, angle, x0, y0, x1, y1):
		c, s = math.cos(angle), math.sin(angle)
		dx, dy = (x0 + x1 - self.width) / 2, (y0 + y1 - self.height) / 2
		x, y = self.width / 2 + c * dx + s * dy, self.height / 2 - s * dx + c * dy
		h, w = y1 - y0, max(x1 - x0, MIN_ASPECT * (y1 - y0))
		return y - h / 2 - MARGIN * h, x - w / 2 - MARGIN * h, y + h / 2 + MARGIN * h, x + w / 2 + MARGIN * h


def number_plates(seed):
	"""Plates of four vehicles: letters, a gap, digits; light ones, a dark one, one of two lines."""
	page = Page(seed, 640, 480, 96)
	for k, (letters, font, back, ink) in enumerate((("KT", "NationalPark-Heavy", 236, 30), ("WHA", "routed-gothic", 228, 24), ("FE", "Inter-Bold", 40, 225))):
		y = 20 + 118 * k
		page.box(40, y, 400, y + 96, back, ink, 3, 10)
		x = page.text(60, y + 72, letters, font, 48, ink) + 32
		page.text(x, y + 72, page.digits(4 - (k == 1)), font, 48, ink)
	page.box(424, 150, 616, 330, 215, 30, 3, 10)
	page.text(520, 220, "MX", "ClearSans-Bold", 52, 30, align="centre")
	page.text(520, 306, page.digits(4), "ClearSans-Bold", 44, 30, 4, align="centre")
	page.box(40, 384, 400, 464, 150, 60, 2, 4)
	page.text(220, 440, page.digits(6), "B612-Bold", 36, 30, 12, align="centre")
	return page.finish(blur=0.8, noise=5, light=14)


def house_numbers(seed):
	"""Enamel signs beside doors: white on dark, one the other way round."""
	page = Page(seed, 600, 450, 168)
	fonts = ("Oxygen-Sans-Bold", "PTF55F", "ClearSans-Bold", "OldStandard-Bold", "Inter-Medium", "NationalPark-Heavy")
	for k, font in enumerate(fonts):
		x, y = 30 + 190 * (k % 3), 40 + 200 * (k // 3)
		dark = k != 4
		page.box(x, y, x + 160, y + 150, 50 if dark else 240, 225 if dark else 40, 4, 18)
		page.text(x + 80, y + 99, page.digits(1 + k % 3), font, 48, 240 if dark else 35, 3, align="centre")
	return page.finish(degrees=-1, blur=0.7, noise=6, light=16)


def spreadsheet(seed):
	"""A table on a screen: row and column heads, ruled cells, numbers at the right of each cell, not all on one line."""
	page = Page(seed, 480, 360, 255)
	page.box(0, 0, 480, 30, 225)
	page.box(0, 0, 44, 360, 225)
	for c in range(4):
		page.text(98 + 109 * c, 24, "ACFH"[c], "Inter-Regular", 16, 90, align="centre")
	for r in range(8):
		y = 30 + 41.25 * r
		page.line(0, y, 480, y, 190)
		page.text(34, y + 30, str(r + 2), "Inter-Regular", 20, 90, align="right")
		for c in range(4):
			page.text(146 + 109 * c, y + 30, page.digits(int(page.rng.integers(1, 5))), "Inter-Regular", 22, 20, wobble=2.5, align="right")
	for c in range(5):
		page.line(44 + 109 * c, 0, 44 + 109 * c, 360, 190)
	return page.finish()


def timetable(seed):
	"""A column of hours, and beside each its minutes, with nothing but gaps between them."""
	page = Page(seed, 512, 384, 244)
	page.text(20, 34, "Weekday", "PTS75F", 20, 40)
	for r in range(7):
		y = 84 + 46 * r
		page.box(14, y - 30, 76, y + 10, 70)
		page.text(45, y, f"{6 + 2 * r:02d}", "PTS75F", 22, 240, align="centre")
		for c, minute in enumerate(sorted(page.rng.choice(60, 5 - r % 2, False))):
			page.text(110 + 78 * c, y, f"{minute:02d}", "PTS55F", 22, 40)
	return page.finish(degrees=0.5, blur=0.5, noise=3, light=10)


def pale_print(seed):
	"""Five numbers with hardly any contrast, 118 on 140."""
	page = Page(seed, 512, 384, 140)
	for k, (font, ink) in enumerate((("Inter-Regular", 30), ("PTS55F", 36), ("ClearSans-Bold", 26), ("OCRB", 28), ("B612-Regular", 40))):
		page.text(40 + 36 * k, 62 + 72 * k, page.digits(5 + k % 3), font, ink, 118)
	return page.finish(noise=1)


def dim_display(seed):
	"""A dark display with dull digits in a case that is bright: contrast is low where the numbers are, not on the page."""
	page = Page(seed, 640, 480, 222)
	page.box(60, 60, 580, 400, 34, 250, 6, 16)
	page.text(96, 170, page.digits(5), "DSEG7Classic-Bold", 80, 66, align="left")
	page.text(96, 270, page.digits(3), "DSEG7Modern-Bold", 58, 62)
	page.text(320, 270, page.digits(4), "DSEG7Classic-Regular", 58, 62)
	page.text(96, 362, page.digits(7), "Oxygen-Sans", 40, 60)
	page.text(320, 450, "SELECT", "ClearSans-Bold", 24, 60, align="centre")
	return page.finish(blur=0.6, noise=2, light=6)


def shadow(seed):
	"""A list of names and telephone numbers, one half of it in the shade."""
	page = Page(seed, 560, 420, 214)
	for k, name in enumerate(("Anna", "Kamel", "Petra", "Wanja", "Hanna", "Max", "Fatma")):
		y = 56 + 54 * k
		page.text(24, y, name, "Andika-Regular", 24, 60)
		page.text(220, y, page.digits(3), "Andika-Regular", 26, 46)
		page.text(340, y, page.digits(5), "Andika-Regular", 26, 46)
	page.shade(0.3, 290, 330)
	return page.finish(degrees=-0.7, blur=0.6, noise=3, light=6)


def crooked_list(seed):
	"""A delivery note, 3 degrees turned: quantities left, article numbers right, two lines of sums."""
	page = Page(seed, 640, 480, 232)
	for k in range(6):
		y = 70 + 52 * k
		page.text(80, y, str(page.rng.integers(1, 40)), "mononoki-Regular", 27, 36, align="right")
		page.text(130, y, ("Lamp", "Tape", "Nut", "Key", "Wax", "Fan")[k], "mononoki-Regular", 27, 60)
		page.text(600, y, page.digits(6 + k % 3), "mononoki-Regular", 27, 36, align="right")
	page.line(110, 350, 610, 350, 90, 2)
	for k in range(2):
		page.text(600, 400 + 50 * k, page.digits(4) + "." + page.digits(2), "mononoki-Bold", 30, 36, align="right")
	return page.finish(degrees=3, blur=0.6, noise=5, light=10)


def crooked_plate(seed):
	"""The maker's plate of a machine, 3 degrees turned the other way: words and numbers in light print on dark metal."""
	page = Page(seed, 600, 450, 128)
	page.box(40, 40, 560, 410, 58, 205, 4, 14)
	page.text(300, 92, "PUMPEN WERKE", "B612-Bold", 26, 215, align="centre")
	for k, (word, count) in enumerate((("Type", 4), ("Made", 4), ("Watt", 3), ("Number", 8))):
		y = 160 + 66 * k
		page.text(70, y, word, "B612-Regular", 24, 185)
		page.box(220, y - 40, 530, y + 12, 82, 150, 1)
		page.text(240, y, page.digits(count), "OCRB" if k % 2 else "B612-Bold", 30, 230, 3)
	for x, y in ((58, 58), (542, 58), (58, 392), (542, 392)):
		page.disc(x, y, 8, 150, 30)
	return page.finish(degrees=-3, blur=0.7, noise=6, light=14)


def scoreboard(seed):
	"""Two large scores, a clock between them, and fouls below in small digits."""
	page = Page(seed, 720, 480, 24)
	page.text(120, 60, "HEIM", "NationalPark-Heavy", 32, 210, align="centre")
	page.text(600, 60, "GAST", "NationalPark-Heavy", 32, 210, align="centre")
	for x in (46, 526):
		page.box(x - 10, 84, x + 160, 220, 8, 120, 3)
		page.text(x, 202, page.digits(2), "DSEG7Classic-Bold", 96, 235)
	page.text(360, 320, f"{page.digits(2)}:{page.digits(2)}", "DSEG7Modern-Bold", 70, 225, align="centre")
	for k in range(6):
		page.text(70 + 116 * k, 430, page.digits(2), "DSEG7Classic-Regular", 44, 200, align="centre")
	return page.finish(degrees=1, blur=0.9, noise=5)


def lottery(seed):
	"""Drawn balls in two rows: a number in each circle."""
	page = Page(seed, 600, 400, 200)
	page.text(300, 52, "KENO", "Inter-Bold", 32, 40, align="centre")
	numbers = page.rng.choice(np.arange(1, 70), 10, False)
	for k, n in enumerate(numbers):
		x, y = 75 + 112 * (k % 5), 140 + 130 * (k // 5)
		page.disc(x, y, 46, (250, 60)[k % 2], 30, 3)
		page.text(x, y + 18, str(n), "Oxygen-Sans-Bold", 36, (30, 240)[k % 2], align="centre")
	page.text(300, 372, page.digits(7), "Go-Regular", 26, 40, 8, align="centre")
	return page.finish(blur=0.8, noise=6, light=12)


def calendar(seed):
	"""A month: seven columns, five rows, the days before the first are empty."""
	page = Page(seed, 560, 420, 250)
	for c, name in enumerate(("Mn", "Tu", "Wd", "Th", "Fr", "Sa", "Su")):
		page.text(52 + 76 * c, 44, name, "ClearSans-Regular", 18, 130, align="centre")
	for day in range(1, 32):
		at = day + 1
		x, y = 52 + 76 * (at % 7), 110 + 66 * (at // 7)
		page.text(x, y, str(day), "ClearSans-Bold" if at % 7 == 6 else "ClearSans-Regular", 27, 60, align="centre")
	for r in range(6):
		page.line(14, 64 + 66 * r, 546, 64 + 66 * r, 170)
	return page.finish(degrees=0.8, blur=0.5, noise=2, light=5)


# name, layout; PNG for what is a screen's or has little noise, JPEG for photographs.
LAYOUTS = [
	("01-number-plates.jpg", number_plates), ("02-house-numbers.jpg", house_numbers), ("03-spreadsheet.png", spreadsheet),
	("04-timetable.jpg", timetable), ("05-pale-print.png", pale_print), ("06-dim-display.jpg", dim_display),
	("07-shadow.jpg", shadow), ("08-crooked-list.jpg", crooked_list), ("09-crooked-plate.jpg", crooked_plate),
	("10-scoreboard.jpg", scoreboard), ("11-lottery.jpg", lottery), ("12-calendar.jpg", calendar),
]


def main():
	os.makedirs(OUT, exist_ok=True)
	with open(os.path.join(OUT, "truth.txt"), "w") as f:
		f.write("# A line for each page: page NAME. Then a line for each number on it: its digits, and y0,x0,y1,x1 of each digit's box in pixels.\n")
		for seed, (name, layout) in enumerate(LAYOUTS):
			image, numbers = layout(seed)
			image.save(os.path.join(OUT, name), **({"optimize": True} if name.endswith(".png") else {"quality": 85}))
			f.write(f"page {name.rsplit('.', 1)[0]}\n")
			for number in numbers:
				f.write(" ".join(["".join(str(d[0]) for d in number)] + [",".join(f"{v:.1f}" for v in d[1:]) for d in number]) + "\n")
			print(f"{name}: {len(numbers)} numbers; {layout.__doc__}")


if __name__ == "__main__":
	main()
