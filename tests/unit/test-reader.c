// SPDX-License-Identifier: MIT
/*
 * Tests of what nnloop run --numbers makes of a reader's digits: numbers and lines from
 * hand-written boxes, where labels go, and low contrast.
 */
#include <stdlib.h>
#include <string.h>

#include "labels.h"
#include "nnloop.h"
#include "tap.h"

#define WIDTH	256
#define HEIGHT	192

static const struct seen_page no_page;

/* ---- Numbers ---- */

#define MAX_DIGITS 64

static struct digit digits[MAX_DIGITS];
static uint32_t count;

/* A digit 16 pixels high and 11 wide, upper left corner at y, x (pixels). */
static struct digit *add(uint32_t value, double y, double x)
{
	struct digit *digit = &digits[count++];

	*digit = (struct digit) { .value = value, .sure = true, .score = 1,
				  .box = { y * 16, x * 16, (y + 16) * 16, (x + 11) * 16 } };
	return digit;
}

/* Digits side by side, one pixel from box to box. @wobble: how far they are off y in turn. */
static void add_number(const char *number, double y, double x, const double *wobble)
{
	for (uint32_t i = 0; number[i]; i++)
		add(number[i] - '0', y + (wobble ? wobble[i % 3] : 0), x + 12 * i);
}

/* Groups them, and says what they are. Those of the boxes come in any order: the last first. */
static const char *read_numbers(const struct seen_page *page)
{
	static char text[2 * MAX_DIGITS + 1];
	char *to = text;

	for (uint32_t i = 0; i < count / 2; i++) {
		struct digit digit = digits[i];

		digits[i] = digits[count - 1 - i];
		digits[count - 1 - i] = digit;
	}
	if (number_lines_group(digits, &count, page))
		return "error";
	for (uint32_t i = 0; i < count; i++) {
		if (i && digits[i].number != digits[i - 1].number)
			*to++ = ' ';
		*to++ = '0' + digits[i].value;
	}
	*to = 0;
	count = 0;
	return text;
}

static bool reads(const char *wanted, const struct seen_page *page)
{
	const char *read = read_numbers(page);

	if (strcmp(read, wanted))
		printf("# read: %s; wanted: %s\n", read, wanted);
	return !strcmp(read, wanted);
}

/* The cells of a spreadsheet's row, the last ones a little higher than the first. */
static void test_row(void)
{
	const double wobble[] = { 0, 2, -1.5 };

	add_number("260", 44, 10, wobble);
	add_number("81", 43, 80, wobble);
	add_number("908", 40, 130, wobble);
	add_number("01", 41, 200, wobble);
	CHECK(reads("260 81 908 01", &no_page));
}

/* A line goes on as far off as this: from each number to the next 4 of 16 pixels, 12 in all. */
static void test_transitive(void)
{
	add_number("12", 50, 10, NULL);
	add_number("34", 46, 80, NULL);
	add_number("56", 42, 150, NULL);
	add_number("78", 38, 220, NULL);
	CHECK(reads("12 34 56 78", &no_page));
}

static void test_slope(void)
{
	/* 3 degrees: 0.0524 pixels up for each to the right. */
	for (int row = 0; row < 4; row++) {
		static const char *const left[] = { "11", "22", "33", "44" };
		static const char *const right[] = { "555", "666", "777", "888" };

		for (int i = 0; i < 2; i++)
			add(left[row][i] - '0', 40 + 22 * row - 0.0524 * (10 + 12 * i),
			    10 + 12 * i);
		for (int i = 0; i < 3; i++)
			add(right[row][i] - '0', 40 + 22 * row - 0.0524 * (170 + 12 * i),
			    170 + 12 * i);
	}
	CHECK(reads("11 555 22 666 33 777 44 888", &no_page));
	for (int row = 0; row < 3; row++) {
		for (int i = 0; i < 20; i++)
			add(row, 40 + 20 * row + 0.0524 * 12 * i, 12 * i);
	}
	CHECK(reads("00000000000000000000 11111111111111111111 22222222222222222222", &no_page));
}

/* Two lines in small print beside a number in large print. */
static void test_sizes(void)
{
	add_number("12", 20, 80, NULL);
	add_number("34", 40, 80, NULL);
	*add(5, 0, 0) = (struct digit) { .value = 5, .sure = true,
					 .box = { 20 * 16, 20 * 16, 56 * 16, 45 * 16 } };
	CHECK(reads("5 12 34", &no_page));
}

static void test_gap(void)
{
	/* A gap of 13 pixels, where digits are 11 with all that is around them. */
	add_number("4656", 30, 10, NULL);
	add_number("321", 30, 10 + 4 * 12 + 12, NULL);
	CHECK(reads("4656 321", &no_page));
	/* A space as between words, or a decimal point in most fonts. */
	add_number("4656", 30, 10, NULL);
	add_number("321", 30, 10 + 4 * 12 + 4, NULL);
	CHECK(reads("4656321", &no_page));
	/* The greatest gap that there may be. */
	add_number("4656", 30, 10, NULL);
	add_number("321", 30, 100, NULL);
	CHECK(reads("4656 321", &no_page));
}

/* The fields of a form: each digit in one of its own. */
static void test_comb(void)
{
	for (int i = 0; i < 6; i++)
		add(i + 1, 30, 10 + 23 * i);
	CHECK(reads("123456", &no_page));
	/* Two alone have nothing to be even with. */
	add(1, 30, 10);
	add(2, 30, 33);
	CHECK(reads("1 2", &no_page));
}

static void ink(uint8_t *pixels, int y0, int x0, int y1, int x1, uint8_t value)
{
	for (int y = y0; y < y1; y++)
		memset(pixels + y * WIDTH + x0, value, x1 - x0);
}

/* Two digits left and right of a gap of 13 pixels, and what stands in it. */
static bool reads_gap(const char *wanted, int y0, int x0, int y1, int x1, bool dark)
{
	uint8_t *pixels = malloc(WIDTH * HEIGHT);
	struct seen_page page = { pixels, WIDTH, HEIGHT };
	uint8_t paper = dark ? 30 : 220, black = dark ? 220 : 30;
	bool good;

	if (!pixels)
		return false;
	memset(pixels, paper, WIDTH * HEIGHT);
	for (int i = 0; i < 4; i++) {
		int x = 10 + 12 * i + (i > 1) * 12;

		add(i + 1, 30, x);
		ink(pixels, 32, x + 4, 44, x + 7, black);
	}
	ink(pixels, y0, x0, y1, x1, black);
	good = reads(wanted, &page);
	free(pixels);
	return good;
}

static void test_point(void)
{
	CHECK(reads_gap("12 34", 0, 0, 0, 0, false));
	CHECK(reads_gap("1234", 42, 39, 44, 41, false));
	CHECK(reads_gap("1234", 42, 39, 44, 41, true));
	/* Above the middle, or a line under the number. */
	CHECK(reads_gap("12 34", 34, 39, 36, 41, false));
	CHECK(reads_gap("12 34", 44, 0, 45, 100, false));
	/* On the edge of the page. */
	CHECK(reads_gap("1234", 42, 39, 44, 41, false));
}

static void test_doubtful(void)
{
	/* One of a number, one alone, one between two digits. */
	add_number("12", 30, 10, NULL);
	add(3, 30, 34)->sure = false;
	add(9, 100, 100)->sure = false;
	CHECK(reads("123", &no_page));
	add_number("12", 30, 10, NULL);
	add(7, 30, 15)->sure = false;
	CHECK(reads("12", &no_page));
	/* Others that are not sure are no evidence. */
	add(1, 30, 10)->sure = false;
	add(2, 30, 22)->sure = false;
	CHECK(reads("", &no_page));
}

/* ---- Labels ---- */

static bool apart(const struct area *a, const struct area *b)
{
	return a->y0 >= b->y1 || b->y0 >= a->y1 || a->x0 >= b->x1 || b->x0 >= a->x1;
}

/* Labels all; returns how many found a place, and checks that none covers what it must not. */
static uint32_t place_all(const struct area *boxes, uint32_t box_count, int64_t width,
			  int64_t height, int64_t size)
{
	struct area *places = calloc(box_count, sizeof(*places));
	struct labels labels = { width, height, boxes, box_count, places, 0 };
	uint32_t placed = 0;

	for (uint32_t i = 0; i < box_count; i++) {
		struct area place;
		int64_t got = labels_place(&labels, &boxes[i], 1, size, &place);

		if (!got)
			continue;
		placed++;
		CHECK(got <= size);
		CHECK(place.y1 - place.y0 == LABEL_HEIGHT * got);
		CHECK(place.x1 - place.x0 == LABEL_WIDTH(1) * got);
		CHECK(place.y0 >= 0 && place.x0 >= 0 && place.y1 <= height && place.x1 <= width);
		for (uint32_t k = 0; k < box_count; k++)
			CHECK(apart(&place, &boxes[k]));
		for (uint32_t k = 0; k + 1 < labels.count; k++)
			CHECK(apart(&place, &places[k]));
	}
	free(places);
	return placed;
}

static void test_labels(void)
{
	const struct area one = { 100, 100, 140, 130 }, top = { 0, 100, 40, 130 };
	struct labels labels = { 400, 300, &one, 1, &(struct area) { 0 }, 0 };
	struct area place, lines[40];

	/* Above it; at the upper edge below it. */
	CHECK(labels_place(&labels, &one, 3, 2, &place) == 2);
	CHECK(place.y1 == 100 && place.y0 == 82 && place.x0 == 100 && place.x1 == 138);
	labels = (struct labels) { 400, 300, &top, 1, labels.places, 0 };
	CHECK(labels_place(&labels, &top, 1, 2, &place) == 2);
	CHECK(place.y0 == 40);
	/* Lines with 12 pixels between them have room for labels half as large. */
	for (int i = 0; i < 40; i++) {
		int y = 20 + 52 * (i / 10), x = 20 + 36 * (i % 10);

		lines[i] = (struct area) { y, x, y + 40, x + 34 };
	}
	CHECK(place_all(lines, 40, 400, 250, 2) == 40);
	/* Rather none than one that covers a digit: only those at the edge have room. */
	for (int i = 0; i < 40; i++) {
		int y = 20 + 42 * (i / 10), x = 20 + 36 * (i % 10);

		lines[i] = (struct area) { y, x, y + 40, x + 34 };
	}
	CHECK(place_all(lines, 40, 400, 250, 2) == 24);
}

/* ---- Contrast ---- */

/* How far two pixels of a page are apart after it was evened out: on paper with some noise, ink in
 * strokes of two pixels. Returns whether the pixels there are still the same. */
static bool even_out(uint8_t paper, uint8_t ink_value, uint32_t noise, int *contrast)
{
	struct picture picture = { WIDTH, HEIGHT, 1, malloc(WIDTH * HEIGHT) };
	uint8_t *before = malloc(WIDTH * HEIGHT);
	uint32_t state = 1;
	bool same = true;

	memset(picture.pixels, paper, WIDTH * HEIGHT);
	for (int x = 40; x < 200; x += 10)
		ink(picture.pixels, 90, x, 104, x + 2, ink_value);
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		state = state * 1664525 + 1013904223;
		picture.pixels[i] += (state >> 16) % (2 * noise + 1) - noise;
	}
	memcpy(before, picture.pixels, WIDTH * HEIGHT);
	CHECK(!picture_even_out(&picture));
	for (int y = 88; y < 104; y++)
		same &= !memcmp(before + y * WIDTH + 40, picture.pixels + y * WIDTH + 40, 160);
	*contrast = abs(picture.pixels[97 * WIDTH + 101] - picture.pixels[97 * WIDTH + 106]);
	free(before);
	free(picture.pixels);
	return same;
}

static void test_contrast(void)
{
	int contrast;

	CHECK(!even_out(140, 118, 0, &contrast) && contrast >= 60);
	CHECK(!even_out(118, 140, 0, &contrast) && contrast >= 60);
	/* At the ends of what a pixel can be, too. */
	CHECK(!even_out(255, 233, 0, &contrast) && contrast >= 60);
	CHECK(!even_out(0, 22, 0, &contrast) && contrast >= 60);
	CHECK(!even_out(140, 110, 3, &contrast) && contrast >= 40);
	/* Enough contrast, and paper with nothing on it. */
	CHECK(even_out(230, 30, 0, &contrast));
	CHECK(even_out(230, 30, 6, &contrast));
	CHECK(even_out(200, 200, 0, &contrast));
	CHECK(even_out(200, 200, 8, &contrast));
}

int main(void)
{
	tap_run("digits of a row are one line", test_row);
	tap_run("a line is as long as its neighbours go", test_transitive);
	tap_run("lines that are 3 degrees crooked", test_slope);
	tap_run("lines of different sizes", test_sizes);
	tap_run("a gap wider than its digits ends a number", test_gap);
	tap_run("but not where each digit is in a field of its own", test_comb);
	tap_run("nor where a point is in it", test_point);
	tap_run("what is not sure counts beside what is", test_doubtful);
	tap_run("labels cover neither digits nor labels", test_labels);
	tap_run("low contrast is evened out", test_contrast);
	return tap_end();
}
