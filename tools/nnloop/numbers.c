// SPDX-License-Identifier: MIT
/*
 * Digits of a reader: from its boxes, scores and logits to the digits on each page, and what is
 * said of them. docs/reader.md has the rules ("From boxes to numbers").
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

enum { BOXES, SCORES, OWNER, LOGITS, OUTPUTS };

#define SURE_SCORE	184	/* of 255, by the detector: a digit without further evidence */
#define MIN_CHANCE	0.9	/* by the classifier, of one that is not sure */

static bool is_reader(const struct output *outputs, uint32_t output_count)
{
	return output_count == OUTPUTS && outputs[BOXES].info.type == NN_INT32 &&
	       outputs[BOXES].row_elements == 4 && outputs[OWNER].info.type == NN_INT32 &&
	       outputs[OWNER].row_elements == 1 && outputs[LOGITS].row_elements == 10 &&
	       outputs[SCORES].info.type == NN_UINT8 && outputs[SCORES].row_elements == 1 &&
	       outputs[BOXES].rows == outputs[OWNER].rows &&
	       outputs[BOXES].rows == outputs[SCORES].rows &&
	       outputs[BOXES].rows == outputs[LOGITS].rows;
}

/* Reads what the outputs say of a box; false if the classifier sees no digit there. */
static bool read_digit(const struct output *outputs, uint32_t row, struct digit *digit)
{
	const struct output *logits = &outputs[LOGITS];
	int32_t detected = output_element(&outputs[SCORES], row), above;
	double chance;

	*digit = (struct digit) { .value = output_class(logits, row),
				  .page = output_element(&outputs[OWNER], row) };
	memcpy(digit->box, (int32_t *)outputs[BOXES].data + 4 * row, sizeof(digit->box));
	above = output_element(logits, row * logits->row_elements + digit->value) -
		logits->info.zero_point;
	chance = 1 / (1 + exp(-above * (double)logits->info.scale));
	digit->score = detected / 255.0 * chance;
	digit->sure = detected >= SURE_SCORE;
	return above > 0 && (digit->sure || chance >= MIN_CHANCE);
}

/* The page as the model saw it. */
static struct seen_page seen_page(const struct items *input, uint32_t page)
{
	struct seen_page seen = { .width = input->fit_width, .height = input->fit_height };

	if (input->info.type == NN_UINT8 &&
	    input->item_bytes == (uint64_t)seen.width * seen.height)
		seen.pixels = input->data + page * input->item_bytes;
	return seen;
}

/* The digits of one page, behind what was read before. */
static int read_page(struct numbers *numbers, const struct items *input,
		     const struct output *outputs, uint32_t page)
{
	struct digit *first = numbers->digits + numbers->count;
	struct seen_page seen = seen_page(input, page);
	uint32_t count = 0;
	int status;

	for (uint32_t row = 0; row < outputs[BOXES].rows; row++) {
		if ((uint32_t)output_element(&outputs[OWNER], row) == page)
			count += read_digit(outputs, row, &first[count]);
	}
	status = number_lines_group(first, &count, &seen);
	numbers->count += count;
	return status;
}

int numbers_read(struct numbers *numbers, const struct items *input, const struct output *outputs,
		 uint32_t output_count)
{
	int status = 0;

	*numbers = (struct numbers) { .pages = input->pages, .page_count = input->count };
	if (!is_reader(outputs, output_count))
		return fail("--numbers: the model is no reader of digits: it must give boxes int32 [M, 4], their scores, int32 pages [M] and logits [M, 10]");
	numbers->digits = calloc(outputs[BOXES].rows + 1, sizeof(*numbers->digits));
	if (!numbers->digits)
		return fail("out of memory");
	for (uint32_t page = 0; page < numbers->page_count && !status; page++)
		status = read_page(numbers, input, outputs, page);
	return status;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->digits);
}

/* ---- Print ---- */

void numbers_print(const struct numbers *numbers)
{
	const struct digit *digit = numbers->digits, *end = digit + numbers->count;

	for (uint32_t page = 0; page < numbers->page_count; page++) {
		printf("%s:", numbers->pages[page].path);
		while (digit < end && digit->page == page) {
			const struct digit *first = digit;
			double score = 1;

			putchar(' ');
			for (; digit < end && digit->page == page &&
			       digit->number == first->number; digit++) {
				printf("%u", digit->value);
				score = fmin(score, digit->score);
			}
			printf(" (%.2f)", score);
		}
		putchar('\n');
	}
}

/* ---- Compare with the truth ---- */

#define MAX_DIGITS 32 /* of a number in a truth file */

/* A number of a truth file. */
struct truth {
	uint32_t page;
	uint32_t length;
	uint32_t value[MAX_DIGITS];
	double box[MAX_DIGITS][4];
};

/* The page of that name: of its file, without folder and suffix. */
static int find_page(const struct numbers *numbers, const char *name)
{
	for (uint32_t i = 0; i < numbers->page_count; i++) {
		const char *path = numbers->pages[i].path, *slash = strrchr(path, '/');
		const char *base = slash ? slash + 1 : path;
		size_t length = strcspn(base, ".");

		if (strlen(name) == length && !strncmp(base, name, length))
			return i;
	}
	return -1;
}

static bool parse_truth(char *line, struct truth *truth)
{
	char *digits = strtok(line, " "), *box;

	truth->length = digits ? strlen(digits) : 0;
	if (!truth->length || truth->length > MAX_DIGITS)
		return false;
	for (uint32_t i = 0; i < truth->length; i++) {
		double *at = truth->box[i];

		box = strtok(NULL, " ");
		if (digits[i] < '0' || digits[i] > '9' || !box ||
		    sscanf(box, "%lf,%lf,%lf,%lf", &at[0], &at[1], &at[2], &at[3]) != 4)
			return false;
		truth->value[i] = digits[i] - '0';
	}
	return !strtok(NULL, " ");
}

/* Intersection over union of a digit and a true box, which is in pixels of the file. */
static double overlap(const struct numbers *numbers, const struct digit *digit, const double *box)
{
	double scale = numbers->pages[digit->page].scale * 16, both = 1, mine = 1, its = 1;

	for (int k = 0; k < 2; k++) {
		double from = digit->box[k] / scale, to = digit->box[k + 2] / scale;
		double low = from > box[k] ? from : box[k];
		double high = to < box[k + 2] ? to : box[k + 2];

		both *= high > low ? high - low : 0;
		mine *= to - from;
		its *= box[k + 2] - box[k];
	}
	return both / (mine + its - both);
}

struct score {
	uint32_t digits, found, right, numbers, numbers_right;
};

#define MIN_OVERLAP 0.4

/* Looks for one true number; @used says which digits have been found before. */
static void score_number(const struct numbers *numbers, const struct truth *truth, bool *used,
			 struct score *score)
{
	const struct digit *at = NULL;
	bool whole = true;

	for (uint32_t i = 0; i < truth->length; i++) {
		uint32_t best = numbers->count;
		double most = MIN_OVERLAP;

		for (uint32_t k = 0; k < numbers->count; k++) {
			double part;

			if (used[k] || numbers->digits[k].page != truth->page)
				continue;
			part = overlap(numbers, &numbers->digits[k], truth->box[i]);
			if (part >= most) {
				most = part;
				best = k;
			}
		}
		score->digits++;
		if (best == numbers->count) {
			whole = false;
			continue;
		}
		used[best] = true;
		score->found++;
		if (numbers->digits[best].value == truth->value[i])
			score->right++;
		else
			whole = false;
		/* One after the other, in the same number, and nothing before the first. */
		if (i ? &numbers->digits[best] != at + 1 || at[1].number != at->number :
			best && numbers->digits[best - 1].page == truth->page &&
				numbers->digits[best - 1].number == numbers->digits[best].number)
			whole = false;
		at = &numbers->digits[best];
	}
	if (whole && at + 1 < numbers->digits + numbers->count && at[1].page == at->page &&
	    at[1].number == at->number)
		whole = false;
	score->numbers++;
	score->numbers_right += whole;
}

static void print_score(const struct score *score, uint32_t read)
{
	printf("%u of %u digits found (%.2f %%), %u found and right (%.2f %%), %u other things read as digits\n",
	       score->found, score->digits, 100.0 * score->found / score->digits, score->right,
	       100.0 * score->right / score->digits, read - score->found);
	printf("%u of %u numbers right\n", score->numbers_right, score->numbers);
}

static int compare_lines(const struct numbers *numbers, char *text, const char *path, bool *used)
{
	struct score score = { 0 };
	struct truth truth = { 0 };
	uint32_t number = 0;
	int page = -1;
	char *next;

	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		number++;
		if (!*line || *line == '#')
			continue;
		if (!strncmp(line, "page ", 5)) {
			page = find_page(numbers, line + 5);
			continue;
		}
		if (!parse_truth(line, &truth))
			return fail("line %u of %s is neither a page nor a number with a box for each digit",
				    number, path);
		if (page < 0)
			continue;
		truth.page = page;
		score_number(numbers, &truth, used, &score);
	}
	if (!score.digits)
		return fail("%s has no digits for these pages", path);
	print_score(&score, numbers->count);
	return 0;
}

int numbers_compare(const struct numbers *numbers, const char *path)
{
	struct file file;
	bool *used;
	char *text;
	int status;

	status = file_read(path, &file);
	if (status)
		return status;
	used = calloc(numbers->count + 1, sizeof(*used));
	text = strndup((const char *)file.data, file.size);
	if (used && text)
		status = compare_lines(numbers, text, path, used);
	else
		status = fail("out of memory");
	free(text);
	free(used);
	file_free(&file);
	return status;
}
