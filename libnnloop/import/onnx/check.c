// SPDX-License-Identifier: MIT
/*
 * Holds a model's nodes against the table of operators, before anything is made of them: what an
 * entry does not name is refused by its name, so that nothing that matters is passed over.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_SHOWN 8 /* numbers of a list, in a message */

/* ---- Values ---- */

/* "3", "1..255" or "1..": whether x is that. */
static bool number_is(const char *values, double x)
{
	char *end;
	double low = strtoll(values, &end, 10), high = low;

	if (!strncmp(end, "..", 2)) {
		high = strtoll(end + 2, &end, 10);
		if (end[-1] == '.')
			return x >= low;
	}
	return x >= low && x <= high;
}

static bool number_fits(const char *values, double x)
{
	const char *next = values;

	while (next) {
		if (number_is(next, x))
			return true;
		next = strchr(next, '|');
		next = next ? next + 1 : NULL;
	}
	return false;
}

static bool word_fits(const char *values, const ProtobufCBinaryData *word)
{
	for (const char *at = values; *at;) {
		size_t length = strcspn(at, "|");

		if (length == word->len && !memcmp(at, word->data, length))
			return true;
		at += length + (at[length] == '|');
	}
	return false;
}

static bool value_fits(const struct onnx_attr_rule *rule, const Onnx__AttributeProto *attr)
{
	if (!rule->values)
		return true;
	switch (attr->type) {
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
		return number_fits(rule->values, attr->i);
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
		return number_fits(rule->values, attr->f);
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
		return word_fits(rule->values, &attr->s);
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
		for (size_t i = 0; i < attr->n_ints; i++) {
			if (!number_fits(rule->values, attr->ints[i]))
				return false;
		}
		return true;
	default:
		return false;
	}
}

#define VALUE_ROOM (MAX_SHOWN * 24 + 8)

/* The value for a message, with a space in front; nothing if it is not short. */
static const char *show_value(struct onnx_import *import, const Onnx__AttributeProto *attr,
			      char text[VALUE_ROOM])
{
	const size_t room = VALUE_ROOM;
	char word[NN_QUOTED + 2] = "";
	size_t length = 0;

	*text = 0;
	switch (attr->type) {
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
		snprintf(text, room, " %" PRId64, attr->i);
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
		snprintf(text, room, " %g", (double)attr->f);
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
		length = attr->s.len < sizeof(word) ? attr->s.len : sizeof(word) - 1;
		if (length)
			memcpy(word, attr->s.data, length);
		snprintf(text, room, " %s", onnx_quote(import, word));
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
		for (size_t i = 0; i < attr->n_ints && i < MAX_SHOWN; i++)
			length += snprintf(text + length, room - length, "%s%" PRId64,
					   i ? "," : " [", attr->ints[i]);
		if (length)
			snprintf(text + length, room - length,
				 attr->n_ints > MAX_SHOWN ? ",...]" : "]");
		break;
	default:
		break;
	}
	return text;
}

/* ---- Attributes ---- */

const struct onnx_attr_rule *onnx_find_attr_rule(const struct onnx_op *op, const char *name,
						 int64_t opset)
{
	const struct onnx_attr_rule *rule = op->attrs;

	for (; rule && rule->name; rule++) {
		if (!strcmp(rule->name, name) && opset >= rule->first &&
		    (!rule->last || opset <= rule->last))
			return rule;
	}
	return NULL;
}

static bool is_finite(const Onnx__AttributeProto *attr)
{
	for (size_t i = 0; i < attr->n_floats; i++) {
		if (!isfinite(attr->floats[i]))
			return false;
	}
	return isfinite(attr->f);
}

static int check_attr(struct onnx_import *import, const struct onnx_op *op, int64_t opset,
		      const Onnx__AttributeProto *attr)
{
	const struct onnx_attr_rule *rule;
	char value[VALUE_ROOM];

	if (!attr->name || !*attr->name)
		return onnx_fail(import, -EINVAL, "an attribute of it has no name");
	rule = onnx_find_attr_rule(op, attr->name, opset);
	if (!rule)
		return onnx_fail(import, -EOPNOTSUPP,
				 "attribute %s%s: nnloop knows no such one in opset %" PRId64,
				 onnx_quote(import, attr->name), show_value(import, attr, value),
				 opset);
	if (onnx_attr(import->node, attr->name) != attr)
		return onnx_fail(import, -EINVAL, "attribute %s: it has two of them", rule->name);
	if (attr->ref_attr_name && *attr->ref_attr_name)
		return onnx_fail(import, -EINVAL, "attribute %s: it stands for one of a function",
				 rule->name);
	if (attr->type != rule->type ||
	    (rule->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH && !attr->g) ||
	    (rule->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR && !attr->t))
		return onnx_fail(import, -EINVAL, "attribute %s: it is of another type in ONNX",
				 rule->name);
	if (!rule->any_float && !is_finite(attr))
		return onnx_fail(import, -EOPNOTSUPP,
				 "attribute %s%s: nnloop can do finite numbers only", rule->name,
				 show_value(import, attr, value));
	if (value_fits(rule, attr))
		return 0;
	return onnx_fail(import, -EOPNOTSUPP, "attribute %s%s: nnloop can do %s%s", rule->name,
			 show_value(import, attr, value),
			 *rule->values ? rule->values : "nothing with it",
			 *rule->values ? " only" : "");
}

static int check_attrs(struct onnx_import *import, struct onnx_step *step,
		       const struct onnx_op *op)
{
	const Onnx__NodeProto *node = step->node;
	const struct onnx_attr_rule *rule = op->attrs;
	int64_t opset = onnx_get_opset(import, op);

	for (size_t i = 0; i < node->n_attribute; i++) {
		int err;

		import->builder.node.part = node->attribute[i]->name;
		err = check_attr(import, op, opset, node->attribute[i]);
		err = onnx_note_step(import, step, err);
		if (err)
			return err;
	}
	import->builder.node.part = NULL;
	for (; rule && rule->name; rule++) {
		if (rule->required && onnx_find_attr_rule(op, rule->name, opset) == rule &&
		    !onnx_attr(node, rule->name))
			return onnx_fail(import, -EINVAL, "it has no attribute %s", rule->name);
	}
	return 0;
}

/* ---- Inputs ---- */

const struct onnx_input_rule *onnx_find_input_rule(const struct onnx_op *op, int64_t opset)
{
	uint32_t last = sizeof(op->inputs) / sizeof(*op->inputs) - 1;

	while (last && (!op->inputs[last].first || opset < op->inputs[last].first))
		last--;
	return &op->inputs[last];
}

static int check_inputs(struct onnx_import *import, const struct onnx_op *op, int64_t opset)
{
	const struct onnx_input_rule *rule = onnx_find_input_rule(op, opset);
	const Onnx__NodeProto *node = import->node;

	if (rule->most != ONNX_ANY_COUNT && node->n_input > rule->most)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it has %zu inputs, and nnloop knows %u in opset %" PRId64,
				 node->n_input, rule->most, opset);
	for (uint32_t i = 0; i < rule->least; i++) {
		if (i >= node->n_input || (!*node->input[i] && rule->most != ONNX_ANY_COUNT &&
					   !(op->may_lack & 1u << i)))
			return onnx_fail(import, -EINVAL,
					 "it has no input %" PRIu32
					 ", which it must have in opset %" PRId64,
					 i, opset);
	}
	return 0;
}

/* ---- Outputs ---- */

static int check_outputs(struct onnx_import *import, const struct onnx_op *op)
{
	const Onnx__NodeProto *node = import->node;
	uint32_t most = op->outputs ? op->outputs : 1;

	if (most == ONNX_ANY_COUNT || node->n_output <= most)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "it has %zu outputs, and nnloop knows %" PRIu32 "\nleave the others out",
			 node->n_output, most);
}

/* ---- Nodes ---- */

/* ONNX's own domain has two names. */
static bool is_onnx(const char *domain)
{
	return !domain || !*domain || !strcmp(domain, "ai.onnx");
}

/* Whether the operator is of the domain. */
static bool is_domain(const struct onnx_op *op, const char *domain)
{
	return is_onnx(domain) ? !op->domain : op->domain && !strcmp(domain, op->domain);
}

int64_t onnx_get_opset(const struct onnx_import *import, const struct onnx_op *op)
{
	const Onnx__ModelProto *model = import->model;

	for (size_t i = 0; i < model->n_opset_import; i++) {
		if (is_domain(op, model->opset_import[i]->domain))
			return model->opset_import[i]->version;
	}
	return 0;
}

#define EXPORT "\nexport the model with another opset, or use onnx.version_converter"

static int check_opset(struct onnx_import *import, const struct onnx_op *op)
{
	const Onnx__ModelProto *model = import->model;
	int64_t opset = onnx_get_opset(import, op);
	uint32_t named = 0;

	for (size_t i = 0; i < model->n_opset_import; i++)
		named += is_domain(op, model->opset_import[i]->domain);
	import->builder.node.part = op->domain;
	import->builder.node.any_op = true;
	if (named != 1)
		return onnx_fail(import, -EINVAL, "the model names %s opset of %s",
				 named ? "more than one" : "no", op->domain ? op->domain : "ONNX");
	if (opset > op->opsets[1])
		return onnx_fail(import, -EOPNOTSUPP,
				 "opset %" PRId64 ": nnloop knows up to %u" EXPORT, opset,
				 op->opsets[1]);
	if (opset < op->opsets[0])
		return onnx_fail(import, -EOPNOTSUPP,
				 "opset %" PRId64 ": nnloop knows %u to %u" EXPORT, opset,
				 op->opsets[0], op->opsets[1]);
	import->builder.node.part = NULL;
	import->builder.node.any_op = false;
	return 0;
}

/* A function of the model's can have the name of an operator, and take its place. */
static bool is_redefined(const Onnx__ModelProto *model, const struct onnx_op *op)
{
	for (size_t i = 0; i < model->n_functions; i++) {
		const Onnx__FunctionProto *function = model->functions[i];

		if (function->name && !strcmp(function->name, op->name) &&
		    is_domain(op, function->domain))
			return true;
	}
	return false;
}

/* Advice about operators that nnloop does not have. */
static const char *find_help(const Onnx__NodeProto *node)
{
	static const struct {
		const char *ops, *help; /* with a blank around each */
	} helps[] = {
		{ " DynamicQuantizeLSTM ",
		  "leave LSTM as it is: quantize_dynamic() with op_types_to_quantize, docs/onnx.md, "
		  "\"Models quantized dynamically\"" },
		{ " BatchNormalization ",
		  "fold it into the convolution before it, as ONNX Runtime's quant_pre_process() does" },
		{ " DFT STFT ",
		  "write it as products (MatMul, Conv) with constant sines and cosines" },
		{ " QLinearReduceMean QLinearWhere ",
		  "quantize with QuantFormat.QDQ, not QOperator" },
		{ " FusedConv FusedGemm FusedMatMul ",
		  "quantize the model as it was before ONNX Runtime optimized it" },
	};
	char blanks[NN_QUOTED];

	snprintf(blanks, sizeof(blanks), " %s ", node->op_type);
	for (size_t i = 0; i < sizeof(helps) / sizeof(*helps); i++) {
		if (strstr(helps[i].ops, blanks))
			return helps[i].help;
	}
	return "docs/onnx.md lists the operators that there are";
}

static int check_node(struct onnx_import *import, struct onnx_step *step)
{
	const Onnx__NodeProto *node = step->node;
	const struct onnx_op *op = onnx_find_op(node);
	int err;

	if (step->kind == ONNX_INNER_LOOP)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it is inside of another Loop; nnloop imports one level of them");
	if (!op && node->domain && *node->domain)
		return onnx_fail(import, -EOPNOTSUPP,
				 "nnloop has no operator of that name in domain %s\n%s",
				 onnx_quote(import, node->domain), find_help(node));
	if (!op)
		return onnx_fail(import, -EOPNOTSUPP, "nnloop has no such operator\n%s",
				 find_help(node));
	if (!op->is_function && is_redefined(import->model, op))
		return onnx_fail(
			import, -EOPNOTSUPP,
			"the model has a function of that name, which nnloop does not read");
	err = check_opset(import, op);
	if (err)
		return err;
	err = onnx_note_step(import, step,
			     check_inputs(import, op, onnx_get_opset(import, op)));
	if (!err)
		err = onnx_note_step(import, step, check_outputs(import, op));
	return err ? err : check_attrs(import, step, op);
}

/*
 * An opset of ONNX's own that no node is of is looked at as well: it does not exist. Where there
 * are such nodes, each has been refused.
 */
static int check_newest(struct onnx_import *import)
{
	for (uint32_t i = 0; i < import->step_count; i++) {
		if (is_onnx(import->steps[i].node->domain))
			return 0;
	}
	for (size_t i = 0; i < import->model->n_opset_import; i++) {
		const Onnx__OperatorSetIdProto *id = import->model->opset_import[i];

		if (is_onnx(id->domain) && id->version > ONNX_NEWEST)
			return onnx_fail(import, -EOPNOTSUPP,
					 "the model names opset %" PRId64
					 " of ONNX: nnloop knows up to %d",
					 id->version, ONNX_NEWEST);
	}
	return 0;
}

int onnx_check_nodes(struct onnx_import *import)
{
	int err = 0;

	for (uint32_t i = 0; i < import->step_count && !err; i++) {
		struct onnx_step *step = &import->steps[i];

		if (!onnx_is_first(step))
			continue;
		onnx_look_at(import, step->node);
		err = onnx_note_step(import, step, check_node(import, step));
	}
	if (err)
		return err;
	onnx_look_at(import, NULL);
	return check_newest(import);
}
