// SPDX-License-Identifier: MIT
/*
 * Runs golden models (golden.h) on one device or several, and compares what comes out with what
 * ONNX Runtime made of them, or TensorFlow Lite of its own.
 *
 * usage: golden [OPTION...] DEVICE[,DEVICE...] FILE|FOLDER...
 *
 *	--whole, --looped	only in one pass; only in a loop of one item a pass, where one can be
 *	--streams N		as many streams, --workers N as many workers; 0: the library's choice
 *	--only LIST		only models that the file LIST names, one a line
 *	--one-submission	all that an execution sends to a device is one submission
 *	--all			each model of a folder on all devices, not only where it may be a step off
 *	--verdicts		a line for each model instead of tests (below)
 *	--reach			lists models that have, as they are planned, an operator that none
 *				before them had with an output of elements of that size
 *
 * A model of a file may be refused, but with a sentence, if the file does not say that it must be
 * accepted, or refused with certain words; those of a folder must be accepted, and can get a loop
 * unless they have one. What is accepted gives the reference's bytes, or those of the twin that has
 * integer operators for its sums in float. Of values that are counted one in 10,000 may be a step
 * off, where the reference's float is beside a boundary. The other devices give the same bytes as
 * the first, and so does that one when not optimized, which is only asked of files.
 *
 * A file is one test; a model of a folder is one in one pass and one in a loop; if it keeps a state,
 * one in one execution and one in an execution of each item. The lines of
 * --verdicts have a model's name, "equal", "near" (a sum in float without a twin, at most one step
 * off), "refused", "invalid" (the reference refused it) or "wrong", and why. One program does it
 * for all, because starting processes is what takes time in the VM.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "nn_import.h"

#define MAX_DEVICES 4
#define FEWEST_VALUES 10000 /* that are counted, of which one in so many may differ */
#define MAX_ROWS 4096

enum verdict { EQUAL, NEAR, INVALID, NOT_ACCEPTED, WRONG };

static const char *const verdict_names[] = { "equal", "near", "invalid", "refused", "wrong" };

struct result {
	uint32_t count;
	struct nn_tensor_info infos[MAX_TENSORS];
	uint8_t *data[MAX_TENSORS];
	uint64_t elements[MAX_TENSORS];
	uint32_t rows[MAX_TENSORS];
};

static char reason[512];

static int say(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int say(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return code;
}

/* ---- Running ---- */

static struct {
	bool whole, looped, all, verdicts, reach, one_submission;
	uint32_t streams, workers;
	struct file only; /* without a path: all are meant */
} options;

static bool is_tflite(const struct one_case *c)
{
	return c->model_size >= 8 && !memcmp(c->model + 4, "TFL3", 4);
}

/*
 * As QuantizeLinear is defined, which divides, or as TensorFlow Lite does it, which multiplies, but
 * for int16 divides the last elements of an item in double, as many as are left of eights, and
 * rounds their ties away from 0.
 */
static void quantize(const struct nn_tensor_info *info, const struct tensor *from, bool is_tflite,
		     uint8_t *to)
{
	uint32_t size = nn_data_type_size(info->type);
	bool is_signed = info->type == NN_INT8 || info->type == NN_INT16;
	float low = is_signed ? -(float)(1 << (8 * size - 1)) : 0;
	float high = low + (float)((1 << 8 * size) - 1), inverse = 1 / info->scale;
	uint64_t item = nn_tensor_info_bytes(info) / size;

	for (uint32_t i = 0; i < from->size / 4; i++) {
		float real, value;
		int32_t element;

		memcpy(&real, from->data + 4 * i, sizeof(real));
		if (is_tflite && size == 2 && i % item >= item - item % 8)
			value = fmin(fmax(round((double)real / info->scale), -65536), 65536);
		else
			value = nearbyintf(is_tflite ? real * inverse : real / info->scale);
		element = (int32_t)fminf(fmaxf(value + info->zero_point, low), high);
		memcpy(to + i * size, &element, size);
	}
}

/* narrow() makes int32 of int64: indices, which a model has as int64, may be int32. */
static bool narrow(const struct tensor *from, int32_t *to)
{
	for (uint32_t i = 0; i < from->size / 8; i++) {
		int64_t value;

		memcpy(&value, from->data + 8 * i, sizeof(value));
		if (value != (int32_t)value)
			return false;
		to[i] = value;
	}
	return true;
}

/* set_input() makes the bytes that an input takes of a case's tensor, buffer->size of them. */
static int set_input(const struct one_case *c, uint32_t i, const struct nn_tensor_info *info,
		     struct nn_buffer *buffer)
{
	const struct tensor *tensor = &c->inputs[i];
	uint32_t size = nn_data_type_size(info->type);

	if (tensor->type == ONNX_FLOAT && info->type != NN_FLOAT32) {
		if (info->scale == 0 || (info->type != NN_INT8 && info->type != NN_UINT8 &&
					 info->type != NN_INT16 && info->type != NN_UINT16))
			return say(WRONG, "input %u is quantized to %s", i,
				   nn_data_type_name(info->type));
		buffer->size = tensor->size / 4 * size;
		quantize(info, tensor, is_tflite(c), buffer->data);
		return 0;
	}
	if (tensor->type == ONNX_INT64 && info->type == NN_INT32) {
		buffer->size = tensor->size / 2;
		return narrow(tensor, buffer->data) ?
			       0 :
			       say(WRONG, "input %u has numbers beyond int32", i);
	}
	if (onnx_type(info->type) != tensor->type)
		return say(WRONG, "input %u has another type", i);
	buffer->size = tensor->size;
	memcpy(buffer->data, tensor->data, tensor->size);
	return 0;
}

static int set_inputs(struct nn_graph *graph, const struct one_case *c, struct nn_buffer *buffers,
		      uint32_t *rows)
{
	uint32_t inputs = nn_graph_get_input_count(graph);

	if (inputs != c->input_count || inputs > MAX_TENSORS)
		return say(WRONG, "%u inputs, not %u", inputs, c->input_count);
	for (uint32_t i = 0; i < inputs; i++) {
		const struct tensor *tensor = &c->inputs[i];
		struct nn_tensor_info info;
		uint32_t count;
		bool fits;

		nn_graph_get_input_info(graph, i, &info);
		/* A number without dimensions is a row of one for the library. */
		count = tensor->rank ? tensor->dims[0] : 1;
		fits = info.rank == (tensor->rank ? tensor->rank : 1) &&
		       (info.dims[0] == NN_VARIABLE || info.dims[0] == count);
		for (uint32_t k = 1; k < info.rank && fits; k++)
			fits = info.dims[k] == tensor->dims[k];
		if (!fits)
			return say(WRONG, "input %u has another shape", i);
		rows[i] = buffers[i].rows = count;
		buffers[i].data = malloc(tensor->size + 1);
		if (!buffers[i].data || set_input(c, i, &info, &buffers[i]))
			return WRONG;
	}
	return 0;
}

static void free_result(struct result *result)
{
	for (uint32_t i = 0; i < result->count; i++)
		free(result->data[i]);
	result->count = 0;
}

/*
 * execute_items() makes an execution of each row of the inputs: what a model keeps goes on from one
 * to the next, so they give what one execution of all rows does.
 */
static int execute_items(struct nn_graph *graph, const struct nn_buffer *inputs,
			 uint32_t input_count, struct nn_buffer *outputs, uint32_t output_count)
{
	struct nn_buffer row[MAX_TENSORS], made[MAX_TENSORS];
	uint32_t rows = inputs[0].rows;
	int err = 0;

	for (uint32_t i = 0; i < output_count; i++)
		outputs[i].rows = 0;
	for (uint32_t item = 0; item < rows && !err; item++) {
		for (uint32_t i = 0; i < input_count; i++) {
			row[i] = inputs[i];
			row[i].rows = 1;
			row[i].size /= rows;
			row[i].data = (uint8_t *)inputs[i].data + item * row[i].size;
		}
		for (uint32_t i = 0; i < output_count; i++) {
			made[i] = outputs[i];
			made[i].size /= rows;
			made[i].data = (uint8_t *)outputs[i].data + item * made[i].size;
		}
		err = nn_graph_execute(graph, row, input_count, made, output_count);
		for (uint32_t i = 0; i < output_count && !err; i++)
			outputs[i].rows += made[i].rows;
	}
	return err;
}

static int execute(struct nn_graph *graph, const struct nn_buffer *inputs, uint32_t input_count,
		   bool by_items, struct result *result)
{
	struct nn_buffer buffers[MAX_TENSORS] = { 0 };
	struct nn_execution_stats stats;

	result->count = nn_graph_get_output_count(graph);
	if (result->count > MAX_TENSORS) {
		result->count = 0;
		return say(WRONG, "too many outputs");
	}
	for (uint32_t i = 0; i < result->count; i++) {
		struct nn_tensor_info *info = &result->infos[i];
		uint64_t row;

		nn_graph_get_output_info(graph, i, info);
		row = nn_data_type_size(info->type);
		for (uint32_t k = 1; k < info->rank; k++)
			row *= info->dims[k];
		buffers[i].size = row * (info->dims[0] == NN_VARIABLE ? MAX_ROWS : info->dims[0]);
		result->data[i] = buffers[i].data = malloc(buffers[i].size + 1);
		result->elements[i] = row / nn_data_type_size(info->type);
	}
	if (by_items ? execute_items(graph, inputs, input_count, buffers, result->count) :
		       nn_graph_execute(graph, inputs, input_count, buffers, result->count))
		return say(WRONG, "execute: %s", nn_graph_error(graph)->text);
	nn_graph_get_stats(graph, &stats);
	if (options.one_submission && stats.submissions != 1)
		return say(WRONG, "%" PRIu64 " submissions", stats.submissions);
	for (uint32_t i = 0; i < result->count; i++) {
		result->rows[i] = buffers[i].rows;
		result->elements[i] *= buffers[i].rows;
	}
	return 0;
}

/*
 * reaches_more() says whether no model before had an operator with such elements: by their size,
 * and by whose it is, the library chooses what the device runs.
 */
static bool reaches_more(const struct one_case *c, const struct nn_graph *graph)
{
	static struct {
		bool is_tflite;
		char op[64];
		uint32_t size;
	} seen[1024];
	static uint32_t seen_count;
	struct nn_plan_node node;
	bool more = false;

	for (uint32_t i = 0; !nn_graph_get_plan_node(graph, i, &node); i++) {
		struct nn_tensor_info info = { 0 };
		uint32_t k = 0, size;

		if (node.runs_on == NN_RUNS_NOWHERE ||
		    nn_graph_get_plan_output(graph, i, 0, &info))
			continue;
		size = nn_data_type_size(info.type);
		while (k < seen_count && (strcmp(seen[k].op, node.op) || seen[k].size != size ||
					  seen[k].is_tflite != is_tflite(c)))
			k++;
		if (k < seen_count || k == sizeof(seen) / sizeof(*seen))
			continue;
		snprintf(seen[k].op, sizeof(seen[k].op), "%s", node.op);
		seen[k].size = size;
		seen[k].is_tflite = is_tflite(c);
		seen_count++;
		more = true;
	}
	return more;
}

/*
 * run() returns EQUAL when a case ran, NOT_ACCEPTED when it was refused. With --reach it does not
 * run: EQUAL when it reaches more than those before it, else NEAR.
 */
static int run(const struct one_case *c, struct nn_device *device, uint32_t step, uint32_t flags,
	       struct result *result)
{
	struct nn_buffer buffers[MAX_TENSORS] = { 0 };
	uint32_t rows[MAX_TENSORS];
	struct nn_prepare_options prepare = {
		.flags = flags,
		.step = step,
		.input_rows = rows,
		.input_count = c->input_count,
		.streams = options.streams,
		.workers = options.workers,
	};
	struct nn_graph *graph;
	bool by_items;
	int verdict;

	result->count = 0;
	if (!c->model)
		return say(WRONG, "its files cannot be read");
	if (nn_graph_create(&graph))
		return say(WRONG, "out of memory");
	if (nn_graph_import(graph, c->model, c->model_size, NULL)) {
		verdict = say(NOT_ACCEPTED, "%s", nn_graph_error(graph)->text);
		goto destroy;
	}
	verdict = set_inputs(graph, c, buffers, rows);
	if (verdict)
		goto destroy;
	/* A model that keeps a state has a loop of one item a pass. */
	by_items = step && nn_graph_get_state_size(graph);
	if (by_items)
		prepare.step = 0;
	if (nn_graph_prepare(graph, device, &prepare))
		verdict = say(NOT_ACCEPTED, "prepare: %s", nn_graph_error(graph)->text);
	else if (options.reach)
		verdict = reaches_more(c, graph) ? EQUAL : NEAR;
	else
		verdict = execute(graph, buffers, c->input_count, by_items, result);
destroy:
	if (verdict == NOT_ACCEPTED && !nn_graph_error(graph)->text[0])
		verdict = say(WRONG, "refused without a sentence");
	nn_graph_destroy(graph);
	for (uint32_t i = 0; i < MAX_TENSORS; i++)
		free(buffers[i].data);
	return verdict;
}

/* ---- Comparing ---- */

/* element() reads element i at any address: what comes from a file is not aligned. */
static int64_t element(enum nn_data_type type, const uint8_t *data, uint64_t i)
{
	int16_t i16;
	uint16_t u16;
	int32_t i32;
	int64_t i64;

	switch (type) {
	case NN_INT8:
		return (int8_t)data[i];
	case NN_UINT8:
		return data[i];
	case NN_INT16:
		memcpy(&i16, data + 2 * i, sizeof(i16));
		return i16;
	case NN_UINT16:
		memcpy(&u16, data + 2 * i, sizeof(u16));
		return u16;
	case NN_BOOL:
		return ((const uint8_t *)data)[i];
	case NN_INT64:
	case NN_UINT64:
		memcpy(&i64, data + 8 * i, sizeof(i64));
		return i64;
	default:
		memcpy(&i32, data + 4 * i, sizeof(i32));
		return i32;
	}
}

static float float_at(const void *data, uint64_t i)
{
	float value;

	memcpy(&value, (const uint8_t *)data + 4 * i, sizeof(value));
	return value;
}

/* compare_floats() is distance() for an output that is float32 itself: equal; a step, which is of
 * sums in float, if only by the last bits of the greatest of them; or more. */
static int64_t compare_floats(const struct result *result, uint32_t i, const struct tensor *wanted)
{
	float most = 0, by = 0;

	if (wanted->type != ONNX_FLOAT || wanted->size != 4 * result->elements[i])
		return say(1000, "output %u has other floats", i);
	if (!memcmp(result->data[i], wanted->data, wanted->size))
		return 0;
	for (uint64_t k = 0; k < result->elements[i]; k++) {
		float want = float_at(wanted->data, k), off = float_at(result->data[i], k) - want;

		if (isnan(want) != isnan(off))
			by = INFINITY;
		by = fabsf(off) > by ? fabsf(off) : by;
		most = fabsf(want) > most ? fabsf(want) : most;
	}
	say(0, "output %u has floats that differ by up to %g of %g", i, (double)by, (double)most);
	return by <= most / (1 << 18) ? 1 : 1000;
}

/* wanted_type() is the type of the elements that are to be, where nnloop has one: indices, which a
 * model has as int64, may be int32. */
static enum nn_data_type wanted_type(enum nn_data_type type, const struct tensor *wanted)
{
	return type == NN_INT32 && wanted->type == ONNX_INT64 ? NN_INT64 : type;
}

/* distance() is how far the farthest element of output i is from what it should be, in steps; -1:
 * it is another tensor altogether, and `reason` says so. */
static int64_t distance(const struct result *result, uint32_t i, const struct tensor *wanted)
{
	const struct nn_tensor_info *info = &result->infos[i];
	enum nn_data_type type = wanted_type(info->type, wanted);
	uint32_t off = 0, first = 0;
	int64_t most = 0;
	/* What has no dimensions has one of 1 in the graph. */
	const uint32_t rank = wanted->rank ? wanted->rank : 1;
	bool real = wanted->type == ONNX_FLOAT, same = info->rank == rank;
	char shapes[2][128] = { "", "" };
	int length = 0;

	for (uint32_t k = 0; k < wanted->rank && k < NN_MAX_RANK; k++)
		length += sprintf(shapes[0] + length, " %u", wanted->dims[k]);
	length = 0;
	for (uint32_t k = 0; k < info->rank; k++) {
		uint32_t dim = k ? info->dims[k] : result->rows[i];

		same &= dim == (wanted->rank ? wanted->dims[k] : 1);
		length += sprintf(shapes[1] + length, " %u", dim);
	}
	if (!same)
		return say(-1, "output %u has shape [%s ], not [%s ]", i, shapes[1], shapes[0]);
	if (!real && onnx_type(type) != wanted->type)
		return say(-1, "output %u is %s, not ONNX type %u", i,
			   nn_data_type_name(info->type), wanted->type);
	if (info->type == NN_FLOAT32)
		return compare_floats(result, i, wanted);
	if (real && info->scale == 0)
		return say(-1, "output %u is of integers, not of floats", i);
	for (uint64_t k = 0; k < result->elements[i]; k++) {
		int64_t value = element(info->type, result->data[i], k), by;
		float float_wanted;

		if (real) {
			memcpy(&float_wanted, wanted->data + 4 * k, 4);
			value -= info->zero_point;
			if ((float)value * info->scale == float_wanted)
				continue;
			by = llroundf(float_wanted / info->scale) - value;
			by = by ? llabs(by) : 1000;
		} else {
			by = llabs(value - element(type, wanted->data, k));
		}
		if (by && !off++)
			first = k;
		most = by > most ? by : most;
	}
	if (off)
		say(0, "output %u: %u of %" PRIu64 " elements up to %" PRId64 " steps off, first %u", i,
		    off, result->elements[i], most, first);
	return most;
}

static int64_t farthest(const struct result *result, const struct tensor *wanted, uint32_t count)
{
	int64_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t by = distance(result, i, &wanted[i]);

		if (by < 0)
			return by;
		if (by > most)
			most = by;
	}
	return most;
}

/* The sums over a file's cases that count (COUNT_STEPS). */
static struct counts {
	uint64_t values, differ;
} counts;

/* count_steps() says whether the elements of output 0 are the reference's, or one step off beside a
 * boundary. */
static int count_steps(const struct one_case *c, const struct result *result)
{
	const struct tensor *wanted = &c->outputs[0];
	enum nn_data_type type = result->infos[0].type;

	if (c->twin_count != 1 || distance(result, 0, wanted) < 0)
		return WRONG;
	counts.values += result->elements[0];
	for (uint64_t i = 0; i < result->elements[0]; i++) {
		int64_t by = element(type, result->data[0], i) - element(type, wanted->data, i);

		counts.differ += by != 0;
		if (by && (llabs(by) > 1 || !(c->twins[0].data[i / 8] >> i % 8 & 1)))
			return say(WRONG, "element %" PRIu64 " is %" PRId64 " steps off, %s a boundary",
				   i, by, llabs(by) > 1 ? "wherever" : "not beside");
	}
	return EQUAL;
}

static int compare(const struct one_case *c, const struct result *result)
{
	char against[sizeof(reason)] = "";
	int64_t most;

	if (c->state != JUDGED)
		return say(INVALID, "the reference refuses it");
	if (result->count != c->output_count)
		return say(WRONG, "%u outputs, not %u", result->count, c->output_count);
	if (c->flags & COUNT_STEPS)
		return count_steps(c, result);
	most = farthest(result, c->outputs, c->output_count);
	if (!most)
		return EQUAL;
	strcpy(against, reason);
	if (most > 0 && c->twin_count == c->output_count) {
		if (!farthest(result, c->twins, c->twin_count))
			return EQUAL;
	} else if (most == 1 && c->flags & FLOAT_SUMS && !c->twin_count) {
		return NEAR;
	}
	strcpy(reason, against);
	return WRONG;
}

static bool same(const struct result *a, const struct result *b)
{
	bool equal = a->count == b->count;

	for (uint32_t i = 0; i < a->count && equal; i++)
		equal = a->elements[i] == b->elements[i] &&
			!memcmp(a->data[i], b->data[i],
				a->elements[i] * nn_data_type_size(a->infos[i].type));
	return equal;
}

/* The ways in which a model is run, which give the same. */
#define WHOLE 1u
#define UNOPTIMIZED 2u
#define LOOPED 4u
#define OTHERS 8u /* on other devices than the first as well */

static const struct way {
	uint32_t way, step, flags;
	const char *name;
} all_ways[] = {
	{ WHOLE, 0, 0, "" },
	{ UNOPTIMIZED, 0, NN_PREPARE_NO_OPTIMIZE, " when not optimized" },
	{ LOOPED, 1, 0, " in a loop" },
};

static struct nn_device *devices[MAX_DEVICES];
static const char *device_names[MAX_DEVICES];
static uint32_t device_count;

/* run_again() runs a case once more and compares the result with the first. */
static int run_again(const struct one_case *c, uint32_t device, const struct way *way,
		     const struct result *first)
{
	struct result other = { 0 };
	int verdict = run(c, devices[device], way->step, way->flags, &other);

	/* Not every graph can get a loop. */
	if (verdict == NOT_ACCEPTED)
		verdict = way->step && !(c->flags & MUST_LOOP) ? EQUAL : WRONG;
	else if (verdict == EQUAL && !same(first, &other))
		verdict = say(WRONG, "differs%s on %s", way->name, device_names[device]);
	free_result(&other);
	return verdict;
}

static int judge(const struct one_case *c, uint32_t ways)
{
	struct result first = { 0 };
	uint32_t step = !(ways & WHOLE);
	int verdict;

	*reason = 0;
	verdict = run(c, devices[0], step, 0, &first);
	if (verdict == NOT_ACCEPTED && step && !(c->flags & MUST_LOOP)) {
		ways = (ways & ~LOOPED) | WHOLE;
		step = 0;
		verdict = run(c, devices[0], step, 0, &first);
	}
	if (verdict == EQUAL)
		verdict = compare(c, &first);
	for (uint32_t d = 0; d < (ways & OTHERS ? device_count : 1); d++) {
		for (size_t i = 0; i < sizeof(all_ways) / sizeof(*all_ways); i++) {
			const struct way *way = &all_ways[i];
			bool is_first = !d && way->step == step && !way->flags;

			if (verdict < INVALID && (ways & way->way) && !is_first && !(d && way->flags) &&
			    run_again(c, d, way, &first) != EQUAL)
				verdict = WRONG;
		}
	}
	free_result(&first);
	return verdict;
}

/* is_good() says whether the verdict is as the case says it must be. */
static bool is_good(const struct one_case *c, int verdict)
{
	if (c->flags & MUST_REFUSE)
		return verdict == NOT_ACCEPTED && strstr(reason, c->why);
	return verdict == EQUAL || verdict == NEAR ||
	       (verdict == NOT_ACCEPTED && !(c->flags & MUST_ACCEPT));
}

/* ---- Tests ---- */

static unsigned int tests, failures;

static void result(bool good, const char *name, const char *what)
{
	tests++;
	failures += !good;
	if (!options.verdicts && !options.reach)
		printf("%sok %u %s%s\n", good ? "" : "not ", tests, name, what);
	fflush(stdout);
}

/* judge_and_say() prints the verdict where a line is wanted or it is not as it should be. */
static int judge_and_say(const struct one_case *c, uint32_t ways, const char *what)
{
	int verdict = judge(c, ways);

	for (char *at = reason; *at; at++)
		*at = *at == '\n' || *at == '\t' ? ' ' : *at;
	if (options.verdicts)
		printf("%s%s\t%s\t%s\n", c->name, what, verdict_names[verdict], reason);
	else if (!is_good(c, verdict) || (verdict == NEAR && *c->suffix))
		printf("# %s%s: %s, %s%s%s\n", c->name, what, verdict_names[verdict], reason,
		       c->flags & MUST_REFUSE ? "; to be refused: " : "",
		       c->flags & MUST_REFUSE ? c->why : "");
	fflush(stdout);
	return verdict;
}

/* is_wanted() says whether the list that was given, if there is one, has a line with the model. */
static bool is_wanted(const struct one_case *c)
{
	const uint8_t *at = options.only.data, *end = at + options.only.size, *line_end;
	char name[192];
	size_t length;

	if (!options.only.path)
		return true;
	length = snprintf(name, sizeof(name), "%s%s", c->name, c->suffix);
	for (; at < end && (line_end = memchr(at, '\n', end - at)); at = line_end + 1) {
		if ((size_t)(line_end - at) == length && !memcmp(at, name, length))
			return true;
	}
	return false;
}

static bool list_if_reaching(const struct one_case *c)
{
	struct result none = { 0 };
	int verdict = run(c, devices[0], 0, 0, &none);

	if (verdict == EQUAL)
		printf("%s%s\n", c->name, c->suffix);
	if (verdict < INVALID || !(c->flags & MUST_ACCEPT))
		return true;
	fail("%s%s: %s", c->name, c->suffix, reason);
	return false;
}

/* test_model() makes two tests of a folder's model, in one pass and in a loop. */
static void test_model(const struct one_case *c)
{
	uint32_t others = options.all || (c->flags & FLOAT_SUMS) ? OTHERS : 0;

	if (!options.looped || (c->flags & OWN_LOOP))
		result(is_good(c, judge_and_say(c, WHOLE | others, c->suffix)), c->name, c->suffix);
	if (!options.whole && !(c->flags & OWN_LOOP))
		result(is_good(c, judge_and_say(c, LOOPED | others, ", in a loop")), c->name,
		       ", in a loop");
}

/* are_counts_good() says whether few values of a file differ, of enough to say so. */
static bool are_counts_good(void)
{
	bool good = counts.differ * FEWEST_VALUES <= counts.values &&
		    (!counts.values || counts.values >= FEWEST_VALUES);

	if (counts.values)
		printf("# %" PRIu64 " of %" PRIu64 " values differ\n", counts.differ, counts.values);
	counts = (struct counts){ 0 };
	return good;
}

/* test_file() makes one test of a file of cases. */
static void test_file(struct golden *golden)
{
	const char *slash = strrchr(golden->path, '/');
	uint32_t ways = WHOLE | UNOPTIMIZED | LOOPED | OTHERS, accepted = 0, total = 0;
	struct one_case c;
	char what[64];
	bool good = true;
	int more;

	if (options.whole)
		ways &= ~LOOPED;
	if (options.looped)
		ways &= ~(WHOLE | UNOPTIMIZED);
	while ((more = golden_next(golden, &c)) > 0) {
		int verdict;

		if (!is_wanted(&c))
			continue;
		verdict = judge_and_say(&c, ways, "");
		good &= is_good(&c, verdict);
		accepted += verdict == EQUAL || verdict == NEAR;
		total++;
	}
	good &= !more;
	good &= are_counts_good();
	snprintf(what, sizeof(what), ": %u of %u models accepted", accepted, total);
	result(good, slash ? slash + 1 : golden->path, what);
}

static void test_one(const char *path)
{
	struct golden golden;
	struct one_case c;
	int more;

	if (golden_open(path, &golden)) {
		result(false, path, "");
		return;
	}
	if (!golden.folder && !options.reach) {
		test_file(&golden);
		golden_close(&golden);
		return;
	}
	while ((more = golden_next(&golden, &c)) > 0) {
		if (!is_wanted(&c))
			continue;
		if (!options.reach)
			test_model(&c);
		else if (!list_if_reaching(&c))
			failures++;
	}
	if (more)
		result(false, path, "");
	golden_close(&golden);
}

static int read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "whole", no_argument, NULL, 'w' },	     { "looped", no_argument, NULL, 'l' },
		{ "all", no_argument, NULL, 'a' },	     { "verdicts", no_argument, NULL, 'v' },
		{ "reach", no_argument, NULL, 'r' },	     { "only", required_argument, NULL, 'o' },
		{ "streams", required_argument, NULL, 's' }, { "workers", required_argument, NULL, 'k' },
		{ "one-submission", no_argument, NULL, 'n' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		switch (option) {
		case 'w':
			options.whole = true;
			break;
		case 'l':
			options.looped = true;
			break;
		case 'a':
			options.all = true;
			break;
		case 'v':
			options.verdicts = true;
			break;
		case 'r':
			options.reach = true;
			break;
		case 'n':
			options.one_submission = true;
			break;
		case 'o':
			if (file_read(optarg, &options.only))
				return 1;
			break;
		case 's':
			options.streams = strtoul(optarg, NULL, 10);
			break;
		case 'k':
			options.workers = strtoul(optarg, NULL, 10);
			break;
		default:
			return 1;
		}
	}
	if (argc - optind < 2)
		return fail("usage: golden [OPTION...] DEVICE[,DEVICE...] FILE|FOLDER...");
	return 0;
}

static int open_devices(char *names)
{
	struct nn_error error;

	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		if (device_count == MAX_DEVICES)
			return fail("more than %u devices", MAX_DEVICES);
		if (nn_device_open(name, &devices[device_count], &error))
			return fail("%s", error.text);
		device_names[device_count++] = name;
	}
	return device_count ? 0 : fail("no device is named");
}

int main(int argc, char **argv)
{
	int status = read_options(argc, argv);

	if (!status)
		status = open_devices(argv[optind]);
	for (int i = optind + 1; i < argc && !status; i++)
		test_one(argv[i]);
	for (uint32_t i = 0; i < device_count; i++)
		nn_device_close(devices[i]);
	if (options.only.path)
		file_free(&options.only);
	if (status)
		return status;
	if (options.verdicts)
		return 0;
	if (!options.reach)
		printf("1..%u\n", tests);
	return failures > 0;
}
