// SPDX-License-Identifier: MIT
/* Command lines: getopt's lists and the text of --help are made from a command's table. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "nnloop.h"
#include "options.h"

#define MAX_ENTRIES	32
#define FIRST_ENTRY	256	/* what getopt returns for the first entry; letters are less */
#define HELP_COLUMN	24

static void print_entry(const struct option_entry *entry)
{
	char head[64];

	snprintf(head, sizeof(head), "  %c%c%c --%s%s%s", entry->letter ? '-' : ' ',
		 entry->letter ? entry->letter : ' ', entry->letter ? ',' : ' ', entry->name,
		 entry->argument ? " " : "", entry->argument ? entry->argument : "");
	printf("%-*s", HELP_COLUMN, head);
	for (const char *at = entry->help; *at; at++) {
		putchar(*at);
		if (*at == '\n')
			printf("%*s", HELP_COLUMN, "");
	}
	putchar('\n');
}

static void print_help(const struct command_line *line)
{
	static const struct option_entry help = { .letter = 'h', .name = "help", .help = "this" };

	printf("usage: nnloop %s %s\n\n%s\n", line->command, line->words, line->about);
	for (const struct option_entry *entry = line->entries; entry->name; entry++)
		print_entry(entry);
	print_entry(&help);
}

static int take(const struct command_line *line, const struct option_entry *entry, char *value)
{
	uint64_t number;

	if (entry->set)
		return entry->set(value, line->options);
	if (entry->shapes)
		return given_add_shape(entry->shapes, line->command, value);
	if (entry->values)
		return given_add_value(entry->values, line->command, value);
	if (entry->flag)
		*entry->flag = true;
	else if (entry->text)
		*entry->text = value;
	else if (entry->passes && parse_number(value, 1, UINT64_MAX, entry->passes))
		return -1;
	else if (entry->passes)
		return usage_error(line->command, "--%s %s: not a number of passes", entry->name,
				   value);
	else if (entry->most && !parse_number(value, entry->least, entry->most, &number))
		return usage_error(line->command, "--%s %s: not a number from %u to %u",
				   entry->name, value, entry->least, entry->most);
	else if (!parse_number(value, entry->least, INT32_MAX, &number))
		return usage_error(line->command, "--%s %s: not a number of items", entry->name,
				   value);
	else
		*entry->items = number;
	return -1;
}

/* Says what getopt_long() does not like, instead of that. */
static int refuse(const struct command_line *line, int option, const char *word)
{
	if (option == ':')
		return usage_error(line->command, "%s needs a value", word);
	/* -h is known, so this is --help. */
	if (optopt >= FIRST_ENTRY || optopt == 'h')
		return usage_error(line->command, "%s: this option takes no value", word);
	if (optopt)
		return usage_error(line->command, "there is no option -%c", optopt);
	return usage_error(line->command, "there is no option %s, or several begin so", word);
}

int options_parse(const struct command_line *line, int argc, char **argv)
{
	struct option longs[MAX_ENTRIES + 2] = { 0 };
	char shorts[2 * MAX_ENTRIES + 3] = ":h", *letter = shorts + 2;
	int option, status = -1;
	size_t count;

	for (count = 0; count < MAX_ENTRIES && line->entries[count].name; count++) {
		const struct option_entry *entry = &line->entries[count];

		longs[count] = (struct option) {
			.name = entry->name,
			.has_arg = entry->argument ? required_argument : no_argument,
			.val = FIRST_ENTRY + count,
		};
		if (!entry->letter)
			continue;
		*letter++ = entry->letter;
		if (entry->argument)
			*letter++ = ':';
	}
	longs[count] = (struct option) { .name = "help", .val = 'h' };
	while (status < 0 && (option = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		size_t i = option - FIRST_ENTRY;

		if (option == 'h') {
			print_help(line);
			return EXIT_SUCCESS;
		}
		if (option == '?' || option == ':')
			return refuse(line, option, argv[optind - 1]);
		for (size_t k = 0; k < count && option < FIRST_ENTRY; k++) {
			if (line->entries[k].letter == option)
				i = k;
		}
		status = take(line, &line->entries[i], optarg);
	}
	return status;
}
