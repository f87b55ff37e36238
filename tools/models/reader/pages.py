# SPDX-License-Identifier: MIT
"""Pages with numbers on them: meter displays, forms and receipts, to train the reader's detector and to test the reader.

Every layout that is learned from (TRAIN_LAYOUTS) is another function than those tested with (TEST_LAYOUTS); fonts
and words are apart as well. A page is drawn at twice its size, then rotated a little, reduced, lit and made noisy.
"""
import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from reader import glyphs

HEIGHT, WIDTH = 192, 256
SCALE = 2

TRAIN_WORDS = """TOTAL Total SUM Item Price amount name date No. Code kWh m3 Bar TEMP Volt Rate paid CASH change VAT Qty Unit street
city phone order BILL table server thank you Store bread MILK Butter ONION oil Salt LOSS soda Biscuit SOS BOSS SIZE Zoo GOBO IBIS Ill lIl
OSLO BOBSLED SOLID ISLE Zigzag GAS Air flow SET MODE OK Lo Hi AM PM Serial Type class load Phase the of and in for with as is Please fill
block capitals signature""".split()
TEST_WORDS = """Subtotal Balance Invoice customer reference Reading consumption meter Water POWER Gas tariff night day import export
COFFEE Tea Sugar Flour Eggs Soap LEMONADE olives Biscotti Zucchini SOBOR Illinois Gold Slip Tax account branch Member paid on behalf
was read at our office and shall be settled by bank transfer within weeks""".split()


class Page:
	"""A page under construction, in pixels of the finished page. Numbers drawn on it are recorded."""

	def __init__(self, paper):
		self.image = Image.new("L", (WIDTH * SCALE, HEIGHT * SCALE), int(paper))
		self.pen = ImageDraw.Draw(self.image)
		self.numbers = []	# each a list of (digit, cx, cy, ink width, ink height)
		self.taken = []

	def rectangle(self, x0, y0, x1, y1, fill=None, outline=None, width=1.0):
		self.pen.rectangle([x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE], fill=fill, outline=outline, width=max(1, round(width * SCALE)))

	def ellipse(self, x0, y0, x1, y1, fill=None, outline=None, width=1.0):
		self.pen.ellipse([x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE], fill=fill, outline=outline, width=max(1, round(width * SCALE)))

	def line(self, x0, y0, x1, y1, value, width=1.0):
		self.pen.line([x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE], fill=value, width=max(1, round(width * SCALE)))

	def dashes(self, x0, x1, y, value, dash=3):
		x = x0
		while x < x1:
			self.line(x, y, min(x + dash, x1), y, value)
			x += 2 * dash

	def width(self, text, font, ink, spacing=0.0):
		return font.at(ink * SCALE).getlength(text) / SCALE + spacing * (len(text) - 1)

	def text(self, x, y, text, font, ink, value, spacing=0.0):
		"""Draws at baseline y, from x; digits `ink` high. Returns where the next character would be. Each run of digits,
		points, commas and colons is a number."""
		f = font.at(ink * SCALE)
		number = []
		for char in text:
			self.pen.text((x * SCALE, y * SCALE), char, font=f, fill=value, anchor="ls")
			if char.isdigit():
				x0, y0, x1, y1 = (v / SCALE for v in f.getbbox(char, anchor="ls"))
				number.append((int(char), x + (x0 + x1) / 2, y + (y0 + y1) / 2, x1 - x0, y1 - y0))
			elif char not in ".,:":
				self.record(number)
				number = []
			x += f.getlength(char) / SCALE + spacing
		self.record(number)
		return x

	def text_right(self, x, y, text, font, ink, value, spacing=0.0):
		self.text(x - self.width(text, font, ink, spacing), y, text, font, ink, value, spacing)

	def text_centre(self, x, y, text, font, ink, value, spacing=0.0):
		self.text(x - self.width(text, font, ink, spacing) / 2, y, text, font, ink, value, spacing)

	def segments(self, x, y, text, style, ink, value, spacing):
		"""As text(), in drawn seven-segment digits; a space is a digit's width."""
		number = []
		for char in text:
			mask = style.draw(int(char) if char.isdigit() else 8, round(ink * SCALE))
			if char.isdigit():
				self.image.paste(value, (round(x * SCALE), round((y - ink) * SCALE)), Image.fromarray(mask))
				x0, y0, x1, y1 = (v / SCALE for v in glyphs.ink_box(mask))
				number.append((int(char), x + (x0 + x1) / 2, y - ink + (y0 + y1) / 2, x1 - x0, y1 - y0))
			if char == ".":
				dot = max(1, style.thick * ink)
				at = x - spacing * 0.6 - dot / 2
				self.rectangle(at, y - dot, at + dot, y, fill=value)
			else:
				x += mask.shape[1] / SCALE - style.slant * ink + spacing
		self.record(number)
		return x

	def record(self, number):
		if number:
			self.numbers.append(number)

	def free(self, x0, y0, x1, y1):
		"""Claims a rectangle; false if it is outside the page or taken."""
		if x0 < 4 or y0 < 4 or x1 > WIDTH - 4 or y1 > HEIGHT - 4:
			return False
		if any(x0 < b[2] and b[0] < x1 and y0 < b[3] and b[1] < y1 for b in self.taken):
			return False
		self.taken.append((x0, y0, x1, y1))
		return True

	def finish(self, rng, angle, noise, blur, light):
		"""The page as uint8 [HEIGHT, WIDTH] and its numbers, each digit as (digit, y0, x0, y1, x1) of its box in pixels."""
		image = self.image.rotate(math.degrees(angle), Image.BICUBIC, fillcolor=self.image.getpixel((2, 2)))
		image = image.reduce(SCALE)
		if blur > 0:
			image = image.filter(ImageFilter.GaussianBlur(blur))
		page = np.asarray(image, np.float32)
		across, down = rng.uniform(-light, light, 2)
		page = page + across * np.linspace(-1, 1, WIDTH)[None] + down * np.linspace(-1, 1, HEIGHT)[:, None]
		page = page + rng.normal(0, noise, page.shape)
		numbers = []
		c, s = math.cos(angle), math.sin(angle)
		for number in self.numbers:
			digits = []
			for digit, x, y, w, h in number:
				dx, dy = x - WIDTH / 2, y - HEIGHT / 2
				cx, cy = WIDTH / 2 + c * dx + s * dy, HEIGHT / 2 - s * dx + c * dy
				half_h = h / 2 + glyphs.MARGIN * h
				half_w = max(w, glyphs.MIN_ASPECT * h) / 2 + glyphs.MARGIN * h
				digits.append((digit, cy - half_h, cx - half_w, cy + half_h, cx + half_w))
			numbers.append(digits)
		return np.clip(np.rint(page), 0, 255).astype(np.uint8), numbers


def digits_of(rng, count):
	return "".join(str(d) for d in rng.integers(0, 10, count))


def amount(rng, most=4):
	return digits_of(rng, rng.integers(1, most + 1)).lstrip("0") + str(rng.integers(0, 10)) + rng.choice([".", ","]) + digits_of(rng, 2)


def number_text(rng):
	kind = rng.integers(0, 6)
	if kind < 3:
		return digits_of(rng, rng.integers(1, 9))
	if kind == 3:
		return amount(rng)
	if kind == 4:
		return "-".join(digits_of(rng, rng.integers(2, 5)) for _ in range(rng.integers(2, 4)))
	return f"{digits_of(rng, 2)}{rng.choice(list(':/.'))}{digits_of(rng, 2)}"


# ---- Layouts to learn from ---------------------------------------------------------------------

class Kit:
	"""What a layout draws with: one choice of fonts, ink and words for a page."""

	def __init__(self, rng, fonts, words):
		self.rng, self.fonts, self.words = rng, fonts, words
		self.ink_value = int(rng.integers(0, 100))
		self.paper = int(min(255, self.ink_value + rng.integers(90, 200)))
		if rng.random() < 0.2:
			self.ink_value, self.paper = self.paper, self.ink_value

	def font(self):
		return self.fonts[self.rng.integers(len(self.fonts))]

	def word(self, n=1):
		words = [str(self.words[self.rng.integers(len(self.words))]) for _ in range(n)]
		if self.rng.random() < 0.15:
			letters = list("ABCDEFGHJKLMNOPQRSTUVWXYZabcdefghklmnopqrstuvwxyz")
			words[0] = "".join(self.rng.choice(letters, self.rng.integers(2, 8)))
		return " ".join(words)

	def size(self, low=9.5, high=36.0):
		return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))


def clutter(page, kit, count):
	"""Lines, frames, bars and dots that are no digits."""
	rng = kit.rng
	for _ in range(count):
		x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
		w, h = rng.uniform(10, 90), rng.uniform(6, 50)
		kind = rng.integers(0, 6)
		if kind in (2, 3, 4, 5) and not page.free(x, y, x + w, y + h):
			continue
		if kind == 0:
			page.line(x, y, x + w, y, kit.ink_value, rng.uniform(0.5, 2))
		elif kind == 1:
			page.line(x, y, x, y + h, kit.ink_value, rng.uniform(0.5, 2))
		elif kind == 2:
			page.rectangle(x, y, x + w, y + h, outline=kit.ink_value, width=rng.uniform(0.5, 3))
		elif kind == 3:
			at = x
			while at < x + w:
				bar = rng.uniform(0.5, 2.5)
				page.rectangle(at, y, at + bar, y + h, fill=kit.ink_value)
				at += bar + rng.uniform(0.7, 3)
		elif kind == 4:
			r = min(w, h)
			page.ellipse(x, y, x + r, y + r, outline=kit.ink_value, width=rng.uniform(0.5, 3))
		else:
			page.rectangle(x, y, x + w, y + h, fill=int((kit.ink_value + kit.paper) / 2))


def scatter(kit):
	"""Numbers and words of many fonts and sizes, anywhere; some on panels."""
	rng, page = kit.rng, Page(kit.paper)
	for _ in range(rng.integers(6, 26)):
		font, ink = kit.font(), kit.size()
		number = rng.random() < 0.6
		text = number_text(rng) if number else kit.word(rng.integers(1, 3))
		spacing = rng.choice([0.0, rng.uniform(0, 0.3) * ink])
		w = page.width(text, font, ink, spacing)
		pad = ink * rng.uniform(0.25, 0.8)
		x, y = rng.uniform(0, WIDTH - w) if w < WIDTH else 0, rng.uniform(ink, HEIGHT)
		box = (x - pad, y - ink - pad, x + w + pad, y + pad)
		if not page.free(*box):
			continue
		value = kit.ink_value
		if rng.random() < 0.3:
			back = int(rng.integers(0, 256))
			value = int(np.clip(back + rng.choice([-1, 1]) * rng.integers(70, 200), 0, 255))
			if abs(value - back) < 60:
				value = 255 if back < 128 else 0
			page.rectangle(*box, fill=back, outline=value if rng.random() < 0.5 else None)
		elif rng.random() < 0.25:
			page.rectangle(*box, outline=value, width=rng.uniform(0.5, 1.5))
		page.text(x, y, text, font, ink, value, spacing)
	clutter(page, kit, rng.integers(0, 5))
	return page


def panels(kit):
	"""Seven-segment panels with a word beside or under them."""
	rng, page = kit.rng, Page(kit.paper)
	for _ in range(rng.integers(1, 6)):
		style, ink = glyphs.SegmentStyle(rng), kit.size(10, 36)
		text = digits_of(rng, rng.integers(2, 9))
		if rng.random() < 0.5:
			cut = rng.integers(1, len(text))
			text = text[:cut] + "." + text[cut:]
		spacing = ink * rng.uniform(0.15, 0.4)
		cell = ink * style.aspect + spacing
		w, pad = cell * len(text.replace(".", "")), ink * rng.uniform(0.2, 0.6)
		x, y = rng.uniform(4, max(5, WIDTH - w - 8)), rng.uniform(ink + 8, HEIGHT - 8)
		if not page.free(x - pad, y - ink - pad, x + w + pad, y + pad):
			continue
		back = int(rng.integers(0, 256))
		value = back + int(rng.integers(80, 200)) * (1 if back < 128 else -1)
		value = int(np.clip(value, 0, 255))
		page.rectangle(x - pad, y - ink - pad, x + w + pad, y + pad, fill=back, outline=kit.ink_value if rng.random() < 0.5 else None,
			       width=rng.uniform(0.5, 3))
		page.segments(x, y, text, style, ink, value, spacing)
	for _ in range(rng.integers(1, 7)):
		place_word(page, kit)
	clutter(page, kit, rng.integers(0, 4))
	return page


def place_word(page, kit, low=7.0, high=20.0):
	rng, font, ink = kit.rng, kit.font(), kit.size(low, high)
	text = kit.word(rng.integers(1, 3))
	w = page.width(text, font, ink)
	x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
	if page.free(x - 3, y - ink * 1.2, x + w + 3, y + ink * 0.4):
		page.text(x, y, text, font, ink, kit.ink_value)


def windows(kit):
	"""Rows of digits, each in a window of its own."""
	rng, page = kit.rng, Page(kit.paper)
	for _ in range(rng.integers(1, 5)):
		font, ink = kit.font(), kit.size(11, 34)
		pitch, pad = ink * rng.uniform(1.0, 1.5), ink * rng.uniform(0.15, 0.4)
		text = digits_of(rng, rng.integers(3, 9))
		w = pitch * len(text)
		x, y = rng.uniform(4, max(5, WIDTH - w - 4)), rng.uniform(ink + 8, HEIGHT - 8)
		if not page.free(x, y - ink - pad - 1, x + w, y + pad + 1):
			continue
		dark = rng.random() < 0.6
		number = []
		for i, char in enumerate(text):
			back, value = (int(rng.integers(0, 60)), int(rng.integers(150, 256))) if dark else (int(rng.integers(180, 256)), int(rng.integers(0, 80)))
			x0 = x + i * pitch
			page.rectangle(x0 + 0.5, y - ink - pad, x0 + pitch - 1, y + pad, fill=back, outline=kit.ink_value, width=rng.uniform(0.5, 1.5))
			page.text_centre(x0 + pitch / 2, y, char, font, ink, value)
			number += page.numbers.pop()
		page.record(number)
	for _ in range(rng.integers(1, 8)):
		place_word(page, kit)
	clutter(page, kit, rng.integers(0, 4))
	return page


def lines(kit):
	"""Word and number on each line, the number perhaps underlined."""
	rng, page = kit.rng, Page(kit.paper)
	font, ink = kit.font(), kit.size(9.5, 22)
	other = font if rng.random() < 0.5 else kit.font()
	step, y = ink * rng.uniform(1.5, 2.6), 8 + ink * rng.uniform(1, 2)
	left, column = rng.uniform(5, 30), rng.uniform(70, 140)
	rule = rng.random() < 0.4
	while y < HEIGHT - 6:
		page.text(left, y, kit.word(rng.integers(1, 3))[:int(column / ink)], other, ink * 0.9, kit.ink_value)
		text = number_text(rng)
		while page.width(text, font, ink) > WIDTH - column - 6:
			text = text[1:]
		page.rectangle(column - 2, y - ink * 1.2, WIDTH, y + ink * 0.3, fill=kit.paper)
		end = page.text(column, y, text, font, ink, kit.ink_value)
		if rule:
			page.line(column - 4, y + ink * 0.25, max(end, WIDTH - 20), y + ink * 0.25, kit.ink_value, 0.7)
		y += step
	return page


def table(kit):
	"""Numbers in a ruled grid, words at its head."""
	rng, page = kit.rng, Page(kit.paper)
	font, ink = kit.font(), kit.size(9.5, 18)
	rows, columns = ink * rng.uniform(1.6, 2.3), rng.uniform(38, 80)
	x0, y0 = rng.uniform(4, 20), rng.uniform(4, 20)
	across, down = int((WIDTH - 4 - x0) / columns), int((HEIGHT - 4 - y0) / rows)
	for r in range(down + 1):
		page.line(x0, y0 + r * rows, x0 + across * columns, y0 + r * rows, kit.ink_value, 0.8)
	for c in range(across + 1):
		page.line(x0 + c * columns, y0, x0 + c * columns, y0 + down * rows, kit.ink_value, 0.8)
	for r in range(down):
		for c in range(across):
			base = y0 + (r + 1) * rows - (rows - ink) / 2
			text = kit.word() if r == 0 or rng.random() < 0.1 else number_text(rng)
			while page.width(text, font, ink) > columns - 6:
				text = text[1:]
			if rng.random() < 0.85:
				page.text(x0 + c * columns + 3, base, text, font, ink, kit.ink_value)
	return page


def till(kit):
	"""A roll of paper: words left, amounts right."""
	rng, page = kit.rng, Page(int(kit.rng.integers(0, 256)))
	left, right = rng.uniform(5, 60), rng.uniform(170, 250)
	page.rectangle(left - 4, 0, right + 4, HEIGHT, fill=kit.paper)
	font, ink = kit.font(), kit.size(9.5, 15)
	step, y = ink * rng.uniform(1.35, 2.0), 4 + ink * rng.uniform(1, 3)
	while y < HEIGHT - 4:
		text = amount(rng)
		w = page.width(text, font, ink)
		word = kit.word(rng.integers(1, 3))
		while page.width(word, font, ink) > right - left - w - ink:
			word = word[:-1]
		page.text(left, y, word, font, ink, kit.ink_value)
		if rng.random() < 0.85:
			page.text_right(right, y, text, font, ink, kit.ink_value)
		if rng.random() < 0.1:
			page.dashes(left, right, y + ink * 0.3, kit.ink_value)
		y += step
	return page


def dense(kit):
	"""Nothing but numbers, line after line."""
	rng, page = kit.rng, Page(kit.paper)
	font, ink = kit.font(), kit.size(9.5, 16)
	y = 4 + ink * 1.2
	while y < HEIGHT - 4:
		x = rng.uniform(4, 14)
		while True:
			text = number_text(rng) if rng.random() < 0.85 else kit.word()
			if x + page.width(text, font, ink) > WIDTH - 4:
				break
			x = page.text(x, y, text, font, ink, kit.ink_value) + ink * rng.uniform(0.6, 1.5)
		y += ink * rng.uniform(1.35, 1.7)
	return page


def prose(kit):
	"""Words only, line after line, and clutter; or nothing at all."""
	rng, page = kit.rng, Page(kit.paper)
	if rng.random() < 0.2:
		return page
	clutter(page, kit, rng.integers(0, 6))
	font, ink = kit.font(), kit.size(8, 24)
	y = 4 + ink * 1.2
	while y < HEIGHT - 4:
		x = rng.uniform(4, 14)
		while x < WIDTH - 10 and rng.random() < 0.9:
			x = page.text(x, y, kit.word(), font, ink, kit.ink_value) + ink * 0.6
		y += ink * rng.uniform(1.4, 2.0)
	return page


TRAIN_LAYOUTS = {scatter: 6, panels: 4, windows: 2, lines: 2, table: 2, till: 2, dense: 2, prose: 2}


def make_training_pages(count, seed):
	"""`count` pages (uint8 [N, HEIGHT, WIDTH]) and for each its digits' boxes (float [k, 4]: y0, x0, y1, x1)."""
	rng = np.random.default_rng(seed)
	fonts = glyphs.load_fonts("train")
	layouts = list(TRAIN_LAYOUTS)
	weights = np.array([TRAIN_LAYOUTS[l] for l in layouts], float)
	pages, boxes = [], []
	for _ in range(count):
		kit = Kit(rng, fonts, TRAIN_WORDS)
		page = layouts[rng.choice(len(layouts), p=weights / weights.sum())](kit)
		image, numbers = page.finish(rng, rng.uniform(-0.07, 0.07), rng.uniform(0, 10), rng.choice([0, rng.uniform(0.2, 0.8)]), rng.uniform(0, 30))
		pages.append(image)
		boxes.append(np.array([d[1:] for n in numbers for d in n], np.float32).reshape(-1, 4))
	return np.stack(pages), boxes


# ---- Layouts to test with ----------------------------------------------------------------------

class TestKit(Kit):
	"""Held-out fonts by the name of their file."""

	def __init__(self, rng, fonts):
		super().__init__(rng, fonts, TEST_WORDS)
		self.by_name = {f.path.split("/")[-1].rsplit(".", 1)[0]: f for f in fonts}

	def __getitem__(self, name):
		return self.by_name[name]


def water_meter(kit):
	"""A round dial with a drum counter across its middle and two small pointers."""
	rng, page = kit.rng, Page(120)
	page.ellipse(34, 2, 222, 190, fill=225, outline=60, width=4)
	font = kit["Oxygen-Sans-Bold"]
	page.text_centre(128, 40, "WATER", font, 11, 60)
	text, ink, pitch = digits_of(rng, 8), 17, 19
	page.rectangle(50, 66, 206, 98, fill=90)
	number = []
	for i, char in enumerate(text):
		x = 53 + i * pitch
		page.rectangle(x, 69, x + pitch - 3, 95, fill=25 if i < 5 else 150)
		page.text_centre(x + (pitch - 3) / 2, 82 + ink / 2 + rng.uniform(-1.5, 1.5), char, font, ink, 240 if i < 5 else 30)
		number += page.numbers.pop()
	page.record(number)
	page.text(208, 90, "m", font, 9, 60)
	for x in (96, 160):
		page.ellipse(x - 20, 122, x + 20, 162, outline=80)
		for k in range(10):
			a = k * math.pi / 5
			page.line(x + 16 * math.cos(a), 142 + 16 * math.sin(a), x + 20 * math.cos(a), 142 + 16 * math.sin(a) * 1.2, 80)
		a = rng.uniform(0, 6.28)
		page.line(x, 142, x + 14 * math.cos(a), 142 + 14 * math.sin(a), 160, 2)
	page.text_centre(128, 178, "Reading", kit["Oxygen-Sans"], 8, 90)
	return page


def ghosted(page, x, y, text, font, ink, value, back, strength=0.12, spacing=0.0):
	"""Seven-segment text over its unlit segments."""
	mark = len(page.numbers)
	page.text(x, y, "".join("8" if c.isdigit() else c for c in text), font, ink, int(back + strength * (value - back)), spacing)
	del page.numbers[mark:]
	page.text(x, y, text, font, ink, value, spacing)


def power_meter(kit):
	"""A wall meter: one large liquid-crystal line, a nameplate under it."""
	rng, page = kit.rng, Page(205)
	page.rectangle(14, 10, 242, 182, outline=120, width=2)
	page.rectangle(28, 28, 228, 84, fill=168, outline=70, width=2)
	ghosted(page, 40, 72, digits_of(rng, 6), kit["DSEG7Classic-Bold"], 32, 30, 168)
	page.text(200, 72, "kWh", kit["ClearSans-Bold"], 9, 40)
	page.text(30, 112, "POWER METER", kit["ClearSans-Bold"], 11, 70)
	page.text(30, 136, "Serial " + digits_of(rng, 8), kit["ClearSans-Regular"], 12, 60)
	page.text(30, 160, digits_of(rng, 3) + " V   " + digits_of(rng, 2) + " Hz", kit["ClearSans-Regular"], 12, 60)
	return page


def gas_meter(kit):
	"""Light digits on a dark display, two lines of different size."""
	rng, page = kit.rng, Page(60)
	page.rectangle(20, 18, 236, 150, fill=18, outline=110, width=3)
	ghosted(page, 36, 76, digits_of(rng, 5) + "." + digits_of(rng, 2), kit["DSEG7Modern-Bold"], 30, 225, 18, 0.08)
	ghosted(page, 36, 130, digits_of(rng, 2) + ":" + digits_of(rng, 2), kit["DSEG7Classic-Italic"], 22, 190, 18, 0.08)
	page.text(150, 128, "tariff", kit["B612-Regular"], 12, 170)
	page.text_centre(128, 174, "Gas export", kit["B612-Bold"], 12, 190)
	return page


def heat_meter(kit):
	"""A grey panel with four small displays, each beside its label."""
	rng, page = kit.rng, Page(150)
	for k, label in enumerate(("day", "night", "import", "export")):
		x, y = 16 + 118 * (k % 2), 20 + 84 * (k // 2)
		page.rectangle(x, y + 18, x + 106, y + 58, fill=205, outline=90, width=1.5)
		page.text(x + 2, y + 12, label, kit["Dosis-Bold"], 11, 40)
		page.text(x + 8, y + 49, digits_of(rng, 4) + "." + digits_of(rng, 1), kit["DSEG7Classic-Bold" if k % 2 else "DSEG7Modern-Regular"], 22, 45)
	return page


def comb_form(kit):
	"""A form whose fields are combs, one tooth for each digit."""
	rng, page = kit.rng, Page(240)
	page.text(12, 22, "Account reference", kit["Cantarell-Bold"], 12, 30)
	for k, (label, count, name) in enumerate((("customer", 9, "FiraCode-Regular"), ("branch", 6, "Go-Mono"), ("Balance", 7, "agave-r-autohinted"))):
		y = 46 + 50 * k
		page.text(12, y, label, kit["Cantarell-Regular"], 10, 60)
		number = []
		for i in range(count):
			x = 12 + i * 24
			page.rectangle(x, y + 6, x + 24, y + 34, outline=130, width=0.8)
			page.text_centre(x + 12, y + 29, digits_of(rng, 1), kit[name], 17, 35)
			number += page.numbers.pop()
		page.record(number)
	return page


def invoice(kit):
	"""Two columns of label over value in light boxes."""
	rng, page = kit.rng, Page(228)
	page.text(10, 24, "Invoice", kit["PTS75F"], 16, 20)
	fonts = ("PTS55F", "PTF55F", "Inter-Regular", "Caladea-Regular", "Andika-Regular", "OCRB")
	for k, name in enumerate(fonts):
		x, y = 10 + 122 * (k % 2), 40 + 50 * (k // 2)
		page.text(x, y + 8, kit.words[int(rng.integers(len(kit.words)))], kit["PTS55F"], 8, 90)
		page.rectangle(x, y + 13, x + 112, y + 40, fill=250, outline=170)
		page.text(x + 8, y + 34, digits_of(rng, int(rng.integers(4, 8))), kit[name], 14, 25)
	return page


def letter(kit):
	"""Running text with a number in each line."""
	rng, page = kit.rng, Page(236)
	font = kit["Quattrocento-Regular"]
	words = [w for w in kit.words if w.islower()]
	for row in range(8):
		x, y = 12, 24 + row * 21
		at = int(rng.integers(1, 3))
		for k in range(4):
			text = digits_of(rng, int(rng.integers(2, 6))) if k == at else str(words[rng.integers(len(words))])
			if x + page.width(text, font, 11) > WIDTH - 10:
				break
			x = page.text(x, y, text, font, 11, 30) + 7
	return page


def centred_receipt(kit):
	"""Heading centred, count x price = amount in three columns, dashes, a large total, a bar code."""
	rng, page = kit.rng, Page(90)
	page.rectangle(40, 0, 216, 192, fill=235)
	font = kit["Hermit-medium"]
	page.text_centre(128, 18, "COFFEE Tea", kit["Hermit-bold"], 11, 40)
	page.dashes(48, 208, 26, 90)
	for k in range(5):
		y = 44 + 19 * k
		page.text(50, y, str(rng.integers(1, 10)), font, 11, 45)
		page.text(68, y, str(kit.words[rng.integers(len(kit.words))])[:6], font, 11, 45)
		page.text_right(208, y, f"{digits_of(rng, int(rng.integers(1, 3)))}.{digits_of(rng, 2)}", font, 11, 45)
	page.dashes(48, 208, 130, 90)
	page.text(50, 152, "Slip", font, 15, 40)
	page.text_right(208, 152, f"{digits_of(rng, 3)}.{digits_of(rng, 2)}", font, 15, 40)
	x = 60
	while x < 196:
		w = rng.choice([0.8, 1.6, 2.4])
		page.rectangle(x, 164, x + w, 184, fill=40)
		x += w + rng.choice([1.2, 2.0])
	return page


def ticket(kit):
	"""A crooked slip: large ticket number, date and gate."""
	rng, page = kit.rng, Page(170)
	page.rectangle(24, 20, 232, 172, fill=240, outline=120)
	page.text(38, 46, "Member", kit["NationalPark-Heavy"], 12, 40)
	page.text(38, 92, digits_of(rng, 6), kit["NationalPark-Regular"], 30, 50)
	page.text(38, 126, f"{digits_of(rng, 2)}.{digits_of(rng, 2)}.{digits_of(rng, 4)}", kit["Tuffy"], 16, 60)
	page.text(38, 156, "Gate " + digits_of(rng, 2), kit["Tuffy_Bold"], 15, 60)
	page.line(176, 104, 176, 168, 120)
	page.text(186, 144, digits_of(rng, 2), kit["routed-gothic"], 22, 60)
	return page


def bank_slip(kit):
	"""Faint print on tinted paper under a heavy rule."""
	rng, page = kit.rng, Page(196)
	page.rectangle(0, 0, 256, 26, fill=70)
	page.text(12, 19, "bank transfer", kit["Andika-Bold"], 11, 215)
	for k in range(5):
		y = 54 + 27 * k
		page.text(12, y, str(kit.words[rng.integers(len(kit.words))])[:9], kit["Andika-Regular"], 11, 95)
		page.text_right(240, y, digits_of(rng, int(rng.integers(5, 11))), kit["B612Mono-Regular" if k % 2 else "OxygenMono-Regular"], 12.5, 85)
		page.line(12, y + 6, 244, y + 6, 150, 0.7)
	return page


def blank(kit):
	"""Paper."""
	return Page(222)


def crowded(kit):
	"""Columns of small numbers without a gap to spare."""
	rng, page = kit.rng, Page(234)
	names = ("Inter-Regular", "PTM55F", "ClearSans-Regular", "Go-Regular", "FiraCode-Regular", "Cantarell-Regular", "B612-Regular", "Oxygen-Sans", "Tuffy", "Caladea-Bold")
	for row, name in enumerate(names):
		for column in range(3):
			page.text(8 + 84 * column, 20 + 17.6 * row, digits_of(rng, 7), kit[name], 11, 35)
	return page


# name, layout, angle (radians), noise, blur, light
TEST_LAYOUTS = [
	("01-water-meter", water_meter, 0.03, 7, 0.5, 20),
	("02-power-meter", power_meter, -0.02, 5, 0.4, 15),
	("03-gas-meter", gas_meter, 0.015, 6, 0.6, 10),
	("04-heat-meter", heat_meter, -0.035, 8, 0.4, 20),
	("05-comb-form", comb_form, 0.02, 4, 0.3, 10),
	("06-invoice", invoice, -0.01, 3, 0.0, 8),
	("07-letter", letter, 0.012, 4, 0.3, 10),
	("08-receipt", centred_receipt, -0.03, 8, 0.4, 20),
	("09-ticket", ticket, 0.06, 8, 0.5, 20),
	("10-bank-slip", bank_slip, 0.01, 8, 0.3, 15),
	("11-blank", blank, 0.0, 5, 0.0, 15),
	("12-crowded", crowded, -0.008, 4, 0.0, 10),
]


def make_test_pages(seed):
	"""[(name, page, numbers)] of TEST_LAYOUTS."""
	fonts = glyphs.load_fonts("test")
	out = []
	for k, (name, layout, *how) in enumerate(TEST_LAYOUTS):
		rng = np.random.default_rng([seed, k])
		out.append((name, *layout(TestKit(rng, fonts)).finish(rng, *how)))
	return out


def print_layouts():
	print("train layouts: " + ", ".join(f"{l.__name__} ({l.__doc__})" for l in TRAIN_LAYOUTS))
	print("test layouts: " + ", ".join(f"{l.__name__} ({l.__doc__})" for _, l, *_ in TEST_LAYOUTS))
