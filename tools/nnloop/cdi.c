// SPDX-License-Identifier: MIT
/*
 * nnloop cdi: the DSP as the Container Device Interface describes devices, so that an engine gives it to
 * a container by its name, --device nnloop/dsp=nnloop.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nnloop.h"
#include "options.h"
#include "out_file.h"

#define NODES	"/sys/class/nnloop"

static int not_hidden(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static void print_nodes(FILE *stream, struct dirent **names, int count)
{
	fputs("\"containerEdits\": { \"deviceNodes\": [", stream);
	for (int i = 0; i < count; i++) {
		char path[sizeof("/dev/") + sizeof(names[i]->d_name)];

		snprintf(path, sizeof(path), "/dev/%s", names[i]->d_name);
		fprintf(stream, "%s{ \"path\": ", i ? ", " : " ");
		print_json_string(stream, path);
		fputs(", \"permissions\": \"rw\" }", stream);
	}
	fputs(" ] } }", stream);
}

/* All devices have a name each, and `all` is all of them. */
static void print_spec(FILE *stream, struct dirent **names, int count)
{
	fputs("{\n\t\"cdiVersion\": \"0.5.0\",\n\t\"kind\": \"nnloop/dsp\",\n\t\"devices\": [\n", stream);
	for (int i = 0; i < count; i++) {
		fputs("\t\t{ \"name\": ", stream);
		print_json_string(stream, names[i]->d_name);
		fputs(", ", stream);
		print_nodes(stream, names + i, 1);
		fputs(",\n", stream);
	}
	fputs("\t\t{ \"name\": \"all\", ", stream);
	print_nodes(stream, names, count);
	fputs("\n\t]\n}\n", stream);
}

static int write_spec(const char *output, struct dirent **names, int count)
{
	struct out_file *file;
	int status;

	if (!output) {
		print_spec(stdout, names, count);
		return 0;
	}
	status = out_file_open(output, &file);
	if (status)
		return status;
	print_spec(out_file_stream(file), names, count);
	return out_file_finish(file);
}

int cdi_main(int argc, char **argv)
{
	const char *output = NULL;
	const struct option_entry entries[] = {
		{ 'o', "output", "FILE", "write there, such as /etc/cdi/nnloop.json, instead of to standard\n"
		  "output", .text = &output },
		{ 0 },
	};
	const struct command_line line = {
		.command = "cdi",
		.words = "[OPTION...]",
		.about =
	"Describes each DSP of this machine as the Container Device Interface does. A container then\n"
	"gets one by --device nnloop/dsp=nnloop, and all of them by --device nnloop/dsp=all.\n",
		.entries = entries,
	};
	int status = options_parse(&line, argc, argv);
	struct dirent **names;
	int count;

	if (status >= 0)
		return status;
	if (optind != argc)
		return usage_error("cdi", "what is %s?", argv[optind]);
	count = scandir(NODES, &names, not_hidden, alphasort);
	if (count <= 0) {
		if (!count)
			free(names);
		return fail("this machine has no DSP to describe: nnloop doctor says why");
	}
	status = write_spec(output, names, count);
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return status;
}
