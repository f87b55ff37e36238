// SPDX-License-Identifier: MIT
/*
 * The ONNX importer's table of operators.
 *
 *	onnx-table		prints the rows of the table in docs/onnx.md
 *	onnx-table SCHEMAS...	compares it with ONNX's schemas (tools/models/onnx_project): in each
 *				opset that an operator's entry names, each attribute that ONNX has
 *				there has a rule, with its type, and no rule is for one that it has
 *				not; and it has as many inputs. So whoever adds an opset must look
 *				at what it changed.
 */
#include <stdlib.h>
#include <string.h>

#include "libnnloop/import/onnx/onnx.h"
#include "tests/unit/tap.h"

#define MAX_LINES 8192

/* A line of the schemas: an operator as of an opset, or an attribute that it has as of that. */
struct line {
	char op[64], attr[64], type[32], required[16];
	int since, least, most; /* inputs; most: 255 for any number */
};

static struct line *lines;
static uint32_t line_count;
static int newest; /* opset that the schemas go up to */
static const struct onnx_op *op; /* that is being tested */

/* ---- Reading ---- */

static void read_schemas(const char *path)
{
	FILE *stream = fopen(path, "re");
	char text[256];

	if (!stream) {
		printf("Bail out! cannot open %s\n", path);
		exit(1);
	}
	while (fgets(text, sizeof(text), stream)) {
		struct line *line = &lines[line_count];
		int opset;

		if (*text == '#')
			continue;
		if (sscanf(text, "opset %d", &opset) == 1) {
			newest = opset > newest ? opset : newest;
			continue;
		}
		memset(line, 0, sizeof(*line));
		if (line_count == MAX_LINES ||
		    (sscanf(text, "%63s %d %63s %31s %15s", line->op, &line->since, line->attr,
			    line->type, line->required) != 5 &&
		     sscanf(text, "%63s %d %d %d", line->op, &line->since, &line->least,
			    &line->most) != 4)) {
			printf("Bail out! a line of %s is none of a schema: %s", path, text);
			exit(1);
		}
		if (!*line->required)
			*line->attr = 0;
		line_count++;
	}
	fclose(stream);
}

/* ---- Comparing ---- */

/* The schema of the operator that holds in an opset; NULL: there is none. */
static const struct line *find_schema(int opset)
{
	const struct line *found = NULL;

	for (uint32_t i = 0; i < line_count; i++) {
		const struct line *line = &lines[i];

		if (!*line->attr && !strcmp(line->op, op->name) && line->since <= opset &&
		    (!found || line->since > found->since))
			found = line;
	}
	return found;
}

static const struct line *find_attr(const struct line *schema, const char *name)
{
	for (uint32_t i = 0; i < line_count; i++) {
		const struct line *line = &lines[i];

		if (!strcmp(line->op, schema->op) && line->since == schema->since &&
		    !strcmp(line->attr, name))
			return line;
	}
	return NULL;
}

static const char *type_name(Onnx__AttributeProto__AttributeType type)
{
	const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(
		&onnx__attribute_proto__attribute_type__descriptor, type);

	return value ? value->name : "";
}

static void differ(int opset, const char *attr, const char *how)
{
	tap_good = false;
	printf("# %s of opset %d: %s: %s\n", op->name, opset, attr, how);
}

static void check_opset(int opset)
{
	const struct line *schema = find_schema(opset);
	const struct onnx_input_rule *inputs;

	if (!schema) {
		differ(opset, "the operator", "ONNX has none");
		return;
	}
	for (uint32_t i = 0; i < line_count; i++) {
		const struct line *line = &lines[i];
		const struct onnx_attr_rule *rule;

		if (!*line->attr || strcmp(line->op, op->name) || line->since != schema->since)
			continue;
		rule = onnx_find_attr_rule(op, line->attr, opset);
		if (!rule)
			differ(opset, line->attr, "the table does not say what becomes of it");
		else if (strcmp(line->type, type_name(rule->type)))
			differ(opset, line->attr, line->type);
		else if (rule->required == !strcmp(line->required, "optional"))
			differ(opset, line->attr, line->required);
	}
	for (const struct onnx_attr_rule *rule = op->attrs; rule && rule->name; rule++) {
		if (onnx_find_attr_rule(op, rule->name, opset) == rule &&
		    !find_attr(schema, rule->name))
			differ(opset, rule->name, "ONNX has no such attribute");
	}
	inputs = onnx_find_input_rule(op, opset);
	if (inputs->least != schema->least || inputs->most != schema->most)
		differ(opset, "inputs", "ONNX has not as many");
}

static void test_operator(void)
{
	if (op->opsets[1] > newest)
		differ(op->opsets[1], "the operator", "the schemas do not go so far");
	for (int opset = op->opsets[0]; opset <= op->opsets[1]; opset++)
		check_opset(opset);
}

/* ---- Printing ---- */

static void print_values(const struct onnx_attr_rule *rule)
{
	if (rule->values)
		printf(": %s", *rule->values ? "" : "none");
	for (const char *at = rule->values; at && *at; at++)
		printf(*at == '|' ? ", " : "%c", *at);
	if (rule->first && rule->last)
		printf(" (%d to %d)", rule->first, rule->last);
	else if (rule->first)
		printf(" (from %d)", rule->first);
	else if (rule->last)
		printf(" (to %d)", rule->last);
}

static void print_row(void)
{
	const char *separator = "";

	printf("| `%s%s%s` | ", op->domain ? op->domain : "", op->domain ? "." : "", op->name);
	if (op->opsets[0] == op->opsets[1])
		printf("%d |", op->opsets[0]);
	else
		printf("%d to %d |", op->opsets[0], op->opsets[1]);
	for (const struct onnx_attr_rule *rule = op->attrs; rule && rule->name; rule++) {
		printf("%s `%s`", separator, rule->name);
		print_values(rule);
		separator = ";";
	}
	printf(" |\n");
}

int main(int argc, char **argv)
{
	uint32_t count;

	op = onnx_get_ops(&count);
	if (argc == 1) {
		for (const struct onnx_op *end = op + count; op < end; op++)
			print_row();
		return 0;
	}
	lines = calloc(MAX_LINES + 1, sizeof(*lines));
	if (!lines)
		return 1;
	for (int i = 1; i < argc; i++)
		read_schemas(argv[i]);
	for (const struct onnx_op *end = op + count; op < end; op++) {
		if (!op->domain)
			tap_run(op->name, test_operator);
	}
	free(lines);
	return tap_end();
}
