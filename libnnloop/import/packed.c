// SPDX-License-Identifier: MIT
/*
 * Models that are packed in zip archives, as those of MediaPipe: a .task file has TensorFlow Lite
 * models, or other such archives, which are not compressed, so that they can be mapped.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "import/zip.h"

#define MAX_NESTED	4 /* archives in archives */
#define NAMES_SHOWN	8 /* in a sentence */

static bool is_model(const struct zip_entry *entry)
{
	return entry->name_size > 7 && !memcmp(entry->name + entry->name_size - 7, ".tflite", 7);
}

/* Whether an entry is what is wanted, or an archive with it; *rest: its name in that, or NULL. */
static bool is_wanted(const struct zip_entry *entry, const char *wanted, const char **rest)
{
	*rest = NULL;
	if (!wanted)
		return is_model(entry);
	if (strncmp(wanted, entry->name, entry->name_size))
		return false;
	*rest = wanted[entry->name_size] == '/' ? wanted + entry->name_size + 1 : NULL;
	return !wanted[entry->name_size] || *rest;
}

static const char *quote(struct nn_builder *builder, const struct zip_entry *entry)
{
	char name[NN_QUOTED];

	snprintf(name, sizeof(name), "%.*s", (int)entry->name_size, entry->name);
	return nn_builder_quote(builder, name);
}

/* The names of the models in an archive, in a sentence. */
static void list_models(struct nn_builder *builder, struct zip zip, char *text, size_t room)
{
	struct zip_entry entry;
	size_t length = 0;

	*text = 0;
	for (uint32_t shown = 0; shown < NAMES_SHOWN && zip_next(&zip, &entry);) {
		bool is_archive = zip_is(entry.data, entry.data ? entry.size : 0);

		if (!is_model(&entry) && !is_archive)
			continue;
		length += snprintf(text + length, room - length, "%s%s", shown++ ? ", " : "",
				   quote(builder, &entry));
	}
}

/* Finds the one entry that is wanted in an archive. 0 or the error. */
static int find(struct nn_builder *builder, struct zip zip, const char *wanted,
		struct zip_entry *found, const char **rest)
{
	char models[NAMES_SHOWN * (NN_QUOTED + 8)];
	const struct zip all = zip;
	struct zip_entry entry;
	uint32_t count = 0;
	const char *behind;

	while (zip_next(&zip, &entry)) {
		if (!is_wanted(&entry, wanted, &behind))
			continue;
		*found = entry;
		*rest = behind;
		count++;
	}
	list_models(builder, all, models, sizeof(models));
	if (count > 1)
		return nn_builder_fail(builder, -EINVAL,
				       "it is an archive with more than one model: name one behind its "
				       "path and a /, of %s", models);
	if (!count && wanted)
		return nn_builder_fail(builder, -ENOENT, "it is an archive without %s: it has %s",
				       nn_builder_quote(builder, wanted),
				       *models ? models : "no models");
	if (!count)
		return nn_builder_fail(builder, -EINVAL,
				       "it is an archive without a .tflite file%s%s",
				       *models ? "; it has others, of which one can be named behind its "
						 "path and a /: " : "", models);
	if (!found->is_stored)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "%s in the archive is compressed: unpack it, or pack it "
				       "without compression, as with zip -0", quote(builder, found));
	if (!found->data)
		return nn_builder_fail(builder, -EINVAL, "the archive ends before %s",
				       quote(builder, found));
	return 0;
}

int nn_import_unpack(struct nn_graph *graph, struct nn_model_source *source)
{
	struct nn_builder builder = { .graph = graph };
	const char *wanted = source->entry;
	struct zip_entry entry = { 0 };
	struct zip zip;
	int err = 0;

	/* The importer says what is wrong with that. */
	if (graph->node_count)
		return 0;
	for (int depth = 0; !err && (zip_is(source->data, source->size) || wanted); depth++) {
		if (depth == MAX_NESTED || !zip_is(source->data, source->size) ||
		    !zip_open(&zip, source->data, source->size))
			err = nn_builder_fail(&builder, -EINVAL,
					      "it is no archive that can be read, as far as that is one");
		else
			err = find(&builder, zip, wanted, &entry, &wanted);
		if (err)
			break;
		source->data = entry.data;
		source->size = entry.size;
	}
	return nn_builder_end(&builder, err, 0);
}
