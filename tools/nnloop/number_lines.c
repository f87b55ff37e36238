// SPDX-License-Identifier: MIT
/*
 * Numbers of a page: which digits belong together, and in which order they are read.
 * docs/reader.md has the rules ("From boxes to numbers"); tools/models/reader/number_lines.py
 * follows the same ones.
 *
 * All in integers, so that both come to the same: boxes are in 1/16 pixel, and the middle of a box
 * is taken twice.
 */
#include <stdlib.h>

#include "nnloop.h"

static int64_t middle_y(const struct digit *digit)
{
	return (int64_t)digit->box[0] + digit->box[2];
}

static int64_t middle_x(const struct digit *digit)
{
	return (int64_t)digit->box[1] + digit->box[3];
}

static int64_t height(const struct digit *digit)
{
	return (int64_t)digit->box[2] - digit->box[0];
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Returns how much of their heights two digits share; negative if they are apart. */
static int64_t shared_height(const struct digit *a, const struct digit *b)
{
	return least(a->box[2], b->box[2]) - most(a->box[0], b->box[0]);
}

/* May two digits stand side by side in a number? */
static bool are_beside(const struct digit *a, const struct digit *b)
{
	int64_t low = least(height(a), height(b)), high = most(height(a), height(b));

	return 2 * shared_height(a, b) >= low && 2 * high <= 3 * low &&
	       llabs(middle_x(b) - middle_x(a)) <= 3 * high;
}

/* ---- Digits that are not certain ---- */

static bool is_confirmed(const struct digit *digits, uint32_t count, const struct digit *digit)
{
	bool confirmed = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct digit *other = &digits[i];

		if (!other->sure)
			continue;
		if (shared_height(digit, other) > 0 &&
		    middle_x(digit) > 2 * (int64_t)other->box[1] &&
		    middle_x(digit) < 2 * (int64_t)other->box[3])
			return false;
		confirmed |= are_beside(digit, other);
	}
	return confirmed;
}

/* Keeps what is sure, and what stands beside that without being in it. */
static uint32_t drop_doubtful(struct digit *digits, uint32_t count)
{
	uint32_t kept = 0;

	/* Found out first, while all are where they were; moved then. */
	for (uint32_t i = 0; i < count; i++)
		digits[i].number = digits[i].sure || is_confirmed(digits, count, &digits[i]);
	for (uint32_t i = 0; i < count; i++) {
		if (digits[i].number)
			digits[kept++] = digits[i];
	}
	return kept;
}

/* ---- Digits to numbers ---- */

static int by_place(const void *a, const void *b)
{
	const struct digit *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (middle_x(x) != middle_x(y))
		return middle_x(x) < middle_x(y) ? -1 : 1;
	return x->box[0] != y->box[0] ? (x->box[0] < y->box[0] ? -1 : 1) : 0;
}

/*
 * Joins digits from left to right, each with the nearest that it can. Sorts by number, then from
 * left to right.
 */
static int join(struct digit *digits, uint32_t count)
{
	const struct digit **last = calloc(count + 1, sizeof(*last));
	uint32_t numbers = 0;

	if (!last)
		return fail("out of memory");
	for (uint32_t i = 0; i < count; i++)
		digits[i].number = 0;
	qsort(digits, count, sizeof(*digits), by_place);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t best = numbers;

		for (uint32_t k = 0; k < numbers; k++) {
			if (are_beside(last[k], &digits[i]) &&
			    (best == numbers || middle_x(last[k]) > middle_x(last[best])))
				best = k;
		}
		numbers += best == numbers;
		last[best] = &digits[i];
		digits[i].number = best;
	}
	free(last);
	qsort(digits, count, sizeof(*digits), by_place);
	return 0;
}

/* ---- Gaps ---- */

/*
 * The ink's width: an eighth of its height, a little more than it should, is between it and its
 * box.
 */
static int64_t ink_width(const struct digit *digit)
{
	return digit->box[3] - digit->box[1] - height(digit) / 4;
}

/*
 * Whether the gap between two that follow each other is wide: more than two widths from middle to
 * middle leave a gap that is wider than a digit. The width is the mean of both, but at least half
 * of their height, so that a 1 is as wide as others.
 */
static bool is_wide(const struct digit *left, const struct digit *right)
{
	int64_t widths = most(ink_width(left) + ink_width(right),
			      (height(left) + height(right)) / 2);

	return middle_x(right) - middle_x(left) > 2 * widths;
}

/* Each digit in a field of its own: the gap before or after it is much like this one. */
static bool is_even(const struct digit *left, const struct digit *start, const struct digit *end)
{
	int64_t gap = middle_x(left + 1) - middle_x(left);

	return (left > start && 4 * (middle_x(left) - middle_x(left - 1)) >= 3 * gap) ||
	       (left + 2 < end && 4 * (middle_x(left + 2) - middle_x(left + 1)) >= 3 * gap);
}

/* The ink of a digit: the pixel that is furthest from the paper, less the paper. */
static int64_t find_ink(const struct seen_page *page, const struct digit *digit, int64_t paper)
{
	int64_t ink = 0;
	int64_t y0 = most(digit->box[0] / 16, 0), y1 = least(digit->box[2] / 16, page->height);
	int64_t x0 = most(digit->box[1] / 16, 0), x1 = least(digit->box[3] / 16, page->width);

	for (int64_t y = y0; y < y1; y++) {
		for (int64_t x = x0; x < x1; x++) {
			int64_t off = page->pixels[y * page->width + x] - paper;

			if (llabs(off) > llabs(ink))
				ink = off;
		}
	}
	return ink;
}

/* A decimal point, comma or colon: ink in the lower part of the gap, but not all along it, as a
 * line under a number is. */
static bool has_point(const struct seen_page *page, const struct digit *left,
		      const struct digit *right)
{
	int64_t high = (height(left) + height(right)) / 2;
	int64_t bottom = ((int64_t)left->box[2] + right->box[2]) / 2;
	int64_t y0 = most((bottom - high * 4 / 5) / 16, 0);
	int64_t y1 = most((bottom - high * 2 / 5) / 16, 0);
	int64_t y2 = least(bottom / 16, page->height);
	int64_t x0 = most(((int64_t)left->box[3] + 15) / 16, 0);
	int64_t x1 = least(right->box[1] / 16, page->width);
	int64_t paper = 0, ink, columns = 0;

	if (!page->pixels || x0 >= x1 || y0 >= y1 || y1 >= y2)
		return false;
	for (int64_t y = y0; y < y1; y++) {
		for (int64_t x = x0; x < x1; x++)
			paper += page->pixels[y * page->width + x];
	}
	paper /= (y1 - y0) * (x1 - x0);
	ink = find_ink(page, left, paper);
	if (llabs(find_ink(page, right, paper)) > llabs(ink))
		ink = find_ink(page, right, paper);
	for (int64_t x = x0; x < x1; x++) {
		int64_t off = 0;

		for (int64_t y = y1; y < y2; y++) {
			int64_t pixel = page->pixels[y * page->width + x];

			off = most(off, ink < 0 ? paper - pixel : pixel - paper);
		}
		columns += 5 * off >= 2 * llabs(ink);
	}
	return columns && 4 * columns <= 3 * (x1 - x0);
}

/* ---- Numbers to lines ---- */

struct number {
	const struct digit *first, *last;
	struct number *left, *right;	/* on the same line; NULL: none */
	uint32_t rank;
};

/* Ends a number at gaps that are wider than its digits. */
static uint32_t split(struct digit *digits, uint32_t count, const struct seen_page *page,
		      struct number *numbers)
{
	const struct digit *start = digits, *end = digits;
	uint32_t made = 0;

	for (struct digit *at = digits; at < digits + count; at++) {
		if (at == end) {
			start = at;
			while (end < digits + count && end->number == start->number)
				end++;
		}
		if (at > start && !(is_wide(at - 1, at) && !is_even(at - 1, start, end) &&
				    !has_point(page, at - 1, at)))
			numbers[made - 1].last = at;
		else
			numbers[made++] = (struct number) { .first = at, .last = at };
	}
	return made;
}

/* The nearest to the right whose first digit shares a third of the lower height. */
static struct number *find_right(struct number *numbers, uint32_t count, const struct number *of)
{
	struct number *best = NULL;

	for (struct number *number = numbers; number < numbers + count; number++) {
		const struct digit *first = number->first;

		if (middle_x(first) > middle_x(of->last) &&
		    3 * shared_height(of->last, first) >= least(height(of->last), height(first)) &&
		    (!best || middle_x(first) < middle_x(best->first)))
			best = number;
	}
	return best;
}

/* Neighbours are on one line, and so are their neighbours, however the line goes up and down. Of
 * several that have the same right neighbour it is the nearest. */
static void link_lines(struct number *numbers, uint32_t count)
{
	for (struct number *number = numbers; number < numbers + count; number++) {
		struct number *right = find_right(numbers, count, number);

		if (!right)
			continue;
		if (right->left) {
			if (middle_x(right->left->last) >= middle_x(number->last))
				continue;
			right->left->right = NULL;
		}
		number->right = right;
		right->left = number;
	}
}

static int by_line(const void *a, const void *b)
{
	const struct digit *x = (*(const struct number *const *)a)->first;
	const struct digit *y = (*(const struct number *const *)b)->first;

	if (middle_y(x) != middle_y(y))
		return middle_y(x) < middle_y(y) ? -1 : 1;
	if (middle_x(x) != middle_x(y))
		return middle_x(x) < middle_x(y) ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Numbers the numbers, line by line. @lines has room for all. */
static void rank_lines(struct number *numbers, uint32_t count, struct number **lines)
{
	uint32_t line_count = 0, rank = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!numbers[i].left)
			lines[line_count++] = &numbers[i];
	}
	qsort(lines, line_count, sizeof(*lines), by_line);
	for (uint32_t i = 0; i < line_count; i++) {
		for (struct number *number = lines[i]; number; number = number->right)
			number->rank = rank++;
	}
}

int number_lines_group(struct digit *digits, uint32_t *count, const struct seen_page *page)
{
	struct number *numbers, **lines;
	uint32_t number_count;
	int status;

	*count = drop_doubtful(digits, *count);
	numbers = calloc(*count + 1, sizeof(*numbers));
	lines = calloc(*count + 1, sizeof(*lines));
	status = numbers && lines ? join(digits, *count) : fail("out of memory");
	if (status)
		goto free_all;
	number_count = split(digits, *count, page, numbers);
	link_lines(numbers, number_count);
	rank_lines(numbers, number_count, lines);
	for (uint32_t i = 0; i < number_count; i++) {
		for (struct digit *digit = digits + (numbers[i].first - digits);
		     digit <= numbers[i].last; digit++)
			digit->number = numbers[i].rank;
	}
	qsort(digits, *count, sizeof(*digits), by_place);
free_all:
	free(numbers);
	free(lines);
	return status;
}
