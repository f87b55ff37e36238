// SPDX-License-Identifier: MIT
/* A page as a picture with a frame around each digit and, beside each number, what was read. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "labels.h"
#include "nnloop.h"

/* Small pages are drawn larger, so that there is room for the frames. */
#define MIN_SIZE	768
#define GLYPH_WIDTH	5
#define GLYPH_HEIGHT	7

/* A row a byte, the leftmost pixel in bit 4. */
static const uint8_t glyphs[10][GLYPH_HEIGHT] = {
	{ 0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e }, { 0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e },
	{ 0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f }, { 0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e },
	{ 0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02 }, { 0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e },
	{ 0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e }, { 0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08 },
	{ 0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e }, { 0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c },
};

/* One number after the other; all readable on black and on white. */
static const uint8_t colours[][3] = {
	{ 0xd6, 0x27, 0x28 }, { 0x1f, 0x77, 0xb4 }, { 0x2c, 0xa0, 0x2c },
	{ 0xe3, 0x77, 0x00 }, { 0x94, 0x67, 0xbd }, { 0x00, 0x98, 0xa6 },
};

/* Each pixel of the page becomes factor x factor pixels. */
static int enlarge(const struct picture *from, uint32_t factor, struct picture *to)
{
	*to = (struct picture) { .width = from->width * factor,
				 .height = from->height * factor,
				 .channels = 3 };
	to->pixels = malloc((uint64_t)to->width * to->height * 3);
	if (!to->pixels)
		return fail("out of memory");
	for (uint32_t y = 0; y < to->height; y++) {
		for (uint32_t x = 0; x < to->width; x++)
			memcpy(to->pixels + ((uint64_t)y * to->width + x) * 3,
			       from->pixels +
				       ((uint64_t)(y / factor) * from->width + x / factor) * 3,
			       3);
	}
	return 0;
}

/* y0, x0, y1, x1; what is outside of the picture is left out. */
static void fill(struct picture *picture, int64_t y0, int64_t x0, int64_t y1, int64_t x1,
		 const uint8_t *colour)
{
	for (int64_t y = y0 < 0 ? 0 : y0; y < y1 && y < picture->height; y++) {
		for (int64_t x = x0 < 0 ? 0 : x0; x < x1 && x < picture->width; x++)
			memcpy(picture->pixels + (y * picture->width + x) * 3, colour, 3);
	}
}

static void draw_frame(struct picture *picture, const struct area *box, int64_t line,
		       const uint8_t *colour)
{
	fill(picture, box->y0, box->x0, box->y0 + line, box->x1, colour);
	fill(picture, box->y1 - line, box->x0, box->y1, box->x1, colour);
	fill(picture, box->y0, box->x0, box->y1, box->x0 + line, colour);
	fill(picture, box->y0, box->x1 - line, box->y1, box->x1, colour);
}

/* The digits of a number, white on its colour. */
static void draw_label(struct picture *picture, const struct area *place, int64_t size,
		       const struct digit *digits, uint32_t count, const uint8_t *colour)
{
	static const uint8_t white[3] = { 0xff, 0xff, 0xff };

	fill(picture, place->y0, place->x0, place->y1, place->x1, colour);
	for (uint32_t i = 0; i < count * GLYPH_HEIGHT * GLYPH_WIDTH; i++) {
		uint32_t x = i % GLYPH_WIDTH, y = i / GLYPH_WIDTH % GLYPH_HEIGHT;
		uint32_t k = i / GLYPH_WIDTH / GLYPH_HEIGHT;
		int64_t at_y = place->y0 + (y + 1) * size;
		int64_t at_x = place->x0 + ((GLYPH_WIDTH + 1) * k + x + 1) * size;

		if (glyphs[digits[k].value % 10][y] >> (GLYPH_WIDTH - 1 - x) & 1)
			fill(picture, at_y, at_x, at_y + size, at_x + size, white);
	}
}

/* The area around all of the boxes. */
static struct area around(const struct area *boxes, uint32_t count)
{
	struct area area = boxes[0];

	for (uint32_t i = 1; i < count; i++) {
		area.y0 = boxes[i].y0 < area.y0 ? boxes[i].y0 : area.y0;
		area.x0 = boxes[i].x0 < area.x0 ? boxes[i].x0 : area.x0;
		area.y1 = boxes[i].y1 > area.y1 ? boxes[i].y1 : area.y1;
		area.x1 = boxes[i].x1 > area.x1 ? boxes[i].x1 : area.x1;
	}
	return area;
}

/* Frames and label of the number that begins with digit @first of the page's; returns the digit
 * after it. */
static uint32_t draw_number(struct picture *picture, struct labels *labels,
			    const struct digit *digits, uint32_t first, int64_t size)
{
	const uint8_t *colour =
		colours[digits[first].number % (sizeof(colours) / sizeof(*colours))];
	struct area all, place;
	uint32_t end = first;
	int64_t label;

	for (; end < labels->box_count && digits[end].number == digits[first].number; end++)
		draw_frame(picture, &labels->boxes[end], size, colour);
	all = around(&labels->boxes[first], end - first);
	label = labels_place(labels, &all, end - first, size, &place);
	if (label)
		draw_label(picture, &place, label, &digits[first], end - first, colour);
	return end;
}

/* The digits of a page, which follow each other. */
static const struct digit *find_digits(const struct numbers *numbers, uint32_t page,
				       uint32_t *count)
{
	uint32_t first = 0, end;

	while (first < numbers->count && numbers->digits[first].page != page)
		first++;
	for (end = first; end < numbers->count && numbers->digits[end].page == page;)
		end++;
	*count = end - first;
	return numbers->digits + first;
}

static int draw_page(struct picture *picture, const struct numbers *numbers, uint32_t page,
		     uint32_t factor)
{
	double scale = factor / (numbers->pages[page].scale * 16);
	uint32_t longest = picture->width > picture->height ? picture->width : picture->height;
	/* In proportion, on a scan of many pixels as well. */
	int64_t size = longest / 300 > 1 ? longest / 300 : 1;
	uint32_t count;
	const struct digit *digits = find_digits(numbers, page, &count);
	struct area *boxes = calloc(count + 1, sizeof(*boxes));
	struct area *places = calloc(count + 1, sizeof(*places));
	struct labels labels = { .width = picture->width, .height = picture->height,
				 .boxes = boxes, .box_count = count, .places = places };
	int status = boxes && places ? 0 : fail("out of memory");

	for (uint32_t i = 0; i < count && !status; i++) {
		const int32_t *box = digits[i].box;

		boxes[i] = (struct area) { llround(box[0] * scale), llround(box[1] * scale),
					   llround(box[2] * scale), llround(box[3] * scale) };
	}
	for (uint32_t i = 0; i < count && !status;)
		i = draw_number(picture, &labels, digits, i, size);
	free(boxes);
	free(places);
	return status;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int annotate_page(const struct numbers *numbers, uint32_t page, const char *path)
{
	struct picture picture, large;
	uint32_t longest, factor;
	struct file file;
	int status;

	status = file_read(numbers->pages[page].path, &file);
	if (status)
		return status;
	status = picture_read(&file, 3, 255, &picture);
	if (status)
		goto free_file;
	if (picture.width != numbers->pages[page].width ||
	    picture.height != numbers->pages[page].height) {
		status = fail("%s has changed while it was read", file.path);
		goto free_picture;
	}
	longest = picture.width > picture.height ? picture.width : picture.height;
	factor = (MIN_SIZE + longest - 1) / longest;
	status = enlarge(&picture, factor, &large);
	if (status)
		goto free_picture;
	status = draw_page(&large, numbers, page, factor);
	if (!status)
		status = picture_write(&large, path);
	picture_free(&large);
free_picture:
	picture_free(&picture);
free_file:
	file_free(&file);
	return status;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns where a page goes; NULL after an error was printed. */
static char *annotated_path(const char *folder, const struct page *page)
{
	const char *name = base_name(page->path);
	char *path;

	if (asprintf(&path, "%s/%s%s", folder, name, file_has_suffix(name, ".png") ? "" : ".png") <
	    0) {
		fail("out of memory");
		return NULL;
	}
	return path;
}

/* Pages of the same name would be written one over the other. */
static int check_names(const struct page *pages, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(pages[i].path, "-"))
			return fail("--annotate takes no page from standard input");
		for (uint32_t k = 0; k < i; k++) {
			if (!strcmp(base_name(pages[i].path), base_name(pages[k].path)))
				return fail("--annotate: %s and %s have the same name",
					    pages[k].path, pages[i].path);
		}
	}
	return 0;
}

static int check_path(const char *path, const struct page *page)
{
	if (is_same_file(path, page->path))
		return fail("%s would be written over: choose another folder for --annotate", path);
	if (access(path, W_OK) && errno != ENOENT)
		return fail("cannot create %s: %s", path, strerror(errno));
	return 0;
}

int annotate_check(const struct page *pages, uint32_t count, const char *folder)
{
	int status = check_names(pages, count);

	if (status)
		return status;
	status = folder_check(folder);
	for (uint32_t i = 0; i < count && !status; i++) {
		char *path = annotated_path(folder, &pages[i]);

		status = path ? check_path(path, &pages[i]) : EXIT_FAILURE;
		free(path);
	}
	return status;
}

int numbers_annotate(const struct numbers *numbers, const char *folder)
{
	int status = 0;

	for (uint32_t page = 0; page < numbers->page_count && !status; page++) {
		char *path = annotated_path(folder, &numbers->pages[page]);

		status = path ? annotate_page(numbers, page, path) : EXIT_FAILURE;
		free(path);
	}
	return status;
}
