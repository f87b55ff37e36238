// SPDX-License-Identifier: MIT
/*
 * Runs the models of case files (tools/models/common/cases.py) and compares what comes out with what ONNX
 * Runtime made of them, or TensorFlow Lite of its own: as written, optimized, and in a loop of one
 * item a pass.
 *
 * usage: cases [--verdicts] DEVICE[,DEVICE] FILE...
 *
 * A model may be refused, but with a sentence, if the case does not say that it must be accepted,
 * or refused with certain words. What is accepted gives the reference's bytes, or those of the
 * twin that has integer operators for its sums in float. Of values that are counted one in 10,000
 * may be a step off, where the reference's float is beside a boundary. Other devices give the same
 * bytes as the first. A test for each file; with --verdicts instead a line for each case: its name,
 * "equal", "near" (a sum in float without a twin, at most one step off), "refused", "invalid" (the
 * reference refused it) or "wrong", and why.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"
#include "nn_import.h"
#include "case_file.h"

#define MAX_DEVICES 2
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

/* ---- The file ---- */

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rbe");
	uint8_t *data = NULL;
	long length;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 8) {
		rewind(file);
		data = malloc(length);
		*size = length;
		if (data && (fread(data, 1, length, file) != *size || memcmp(data, "NNCASES1", 8))) {
			free(data);
			data = NULL;
		}
	}
	fclose(file);
	return data;
}

/* ---- Running ---- */

static uint32_t onnx_type(enum nn_data_type type)
{
	static const uint32_t types[] = {
		[NN_INT8] = ONNX_INT8,	   [NN_UINT8] = ONNX_UINT8, [NN_INT16] = ONNX_INT16,
		[NN_UINT16] = ONNX_UINT16, [NN_INT32] = ONNX_INT32, [NN_FLOAT32] = ONNX_FLOAT,
		[NN_INT64] = ONNX_INT64,   [NN_BOOL] = ONNX_BOOL,
	};

	return types[type];
}

static bool is_tflite(const struct one_case *c)
{
	return c->model_size >= 8 && !memcmp(c->model + 4, "TFL3", 4);
}

/* As QuantizeLinear is defined, or as TensorFlow Lite does it, which multiplies. */
static void quantize(const struct nn_tensor_info *info, const struct tensor *from, bool multiply,
		     uint8_t *to)
{
	float inverse = 1 / info->scale;
	int32_t low = info->type == NN_INT8 ? INT8_MIN : 0;
	int32_t high = info->type == NN_INT8 ? INT8_MAX : UINT8_MAX;

	for (uint32_t i = 0; i < from->size / 4; i++) {
		float value;

		memcpy(&value, from->data + 4 * i, 4);
		value = nearbyintf(multiply ? value * inverse : value / info->scale);
		value += info->zero_point;
		to[i] = (int32_t)fminf(fmaxf(value, low), high);
	}
}

static int set_inputs(struct nn_graph *graph, const struct one_case *c, struct nn_buffer *buffers,
		      uint32_t *rows)
{
	uint32_t count = nn_graph_get_input_count(graph);

	if (count != c->input_count || count > MAX_TENSORS)
		return say(WRONG, "%u inputs, not %u", count, c->input_count);
	for (uint32_t i = 0; i < count; i++) {
		const struct tensor *tensor = &c->inputs[i];
		struct nn_tensor_info info;
		bool fits;

		nn_graph_get_input_info(graph, i, &info);
		fits = info.rank == tensor->rank &&
		       (info.dims[0] == NN_VARIABLE || info.dims[0] == tensor->dims[0]);
		for (uint32_t k = 1; k < info.rank && fits; k++)
			fits = info.dims[k] == tensor->dims[k];
		if (!fits)
			return say(WRONG, "input %u has another shape", i);
		rows[i] = buffers[i].rows = tensor->dims[0];
		buffers[i].size = tensor->size;
		buffers[i].data = malloc(tensor->size + 1);
		if (tensor->type != ONNX_FLOAT) {
			if (onnx_type(info.type) != tensor->type)
				return say(WRONG, "input %u has another type", i);
			memcpy(buffers[i].data, tensor->data, tensor->size);
			continue;
		}
		if (info.type != NN_INT8 && info.type != NN_UINT8)
			return say(WRONG, "input %u is quantized to %s", i,
				   nn_data_type_name(info.type));
		buffers[i].size /= 4;
		quantize(&info, tensor, is_tflite(c), buffers[i].data);
	}
	return 0;
}

static void free_result(struct result *result)
{
	for (uint32_t i = 0; i < result->count; i++)
		free(result->data[i]);
	result->count = 0;
}

static int execute(struct nn_graph *graph, const struct nn_buffer *inputs, uint32_t input_count,
		   struct result *result)
{
	struct nn_buffer buffers[MAX_TENSORS] = { 0 };

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
	if (nn_graph_execute(graph, inputs, input_count, buffers, result->count))
		return say(WRONG, "execute: %s", nn_graph_error(graph)->text);
	for (uint32_t i = 0; i < result->count; i++) {
		result->rows[i] = buffers[i].rows;
		result->elements[i] *= buffers[i].rows;
	}
	return 0;
}

/* EQUAL when it ran; NOT_ACCEPTED when it was refused. */
static int run(const struct one_case *c, struct nn_device *device, uint32_t step, uint32_t flags,
	       struct result *result)
{
	struct nn_buffer buffers[MAX_TENSORS] = { 0 };
	uint32_t rows[MAX_TENSORS];
	struct nn_prepare_options options = { .flags = flags, .step = step, .input_rows = rows };
	struct nn_graph *graph;
	int verdict;

	result->count = 0;
	if (nn_graph_create(&graph))
		return say(WRONG, "out of memory");
	if (nn_graph_import(graph, c->model, c->model_size, NULL)) {
		verdict = say(NOT_ACCEPTED, "%s", nn_graph_error(graph)->text);
		goto destroy;
	}
	options.input_count = c->input_count;
	verdict = set_inputs(graph, c, buffers, rows);
	if (verdict)
		goto destroy;
	if (nn_graph_prepare(graph, device, &options))
		verdict = say(NOT_ACCEPTED, "prepare: %s", nn_graph_error(graph)->text);
	else
		verdict = execute(graph, buffers, c->input_count, result);
destroy:
	if (verdict == NOT_ACCEPTED && !nn_graph_error(graph)->text[0])
		verdict = say(WRONG, "refused without a sentence");
	nn_graph_destroy(graph);
	for (uint32_t i = 0; i < MAX_TENSORS; i++)
		free(buffers[i].data);
	return verdict;
}

/* ---- Comparing ---- */

/* Wherever it is: what comes from a file is not aligned. */
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
		memcpy(&i64, data + 8 * i, sizeof(i64));
		return i64;
	default:
		memcpy(&i32, data + 4 * i, sizeof(i32));
		return i32;
	}
}

/* distance() of an output that is float32 itself: equal or not. */
static int64_t compare_floats(const struct result *result, uint32_t i, const struct tensor *wanted)
{
	if (wanted->type == ONNX_FLOAT && wanted->size == 4 * result->elements[i] &&
	    !memcmp(result->data[i], wanted->data, wanted->size))
		return 0;
	return say(1000, "output %u has other floats", i);
}

/* The type of elements that are to be, where nnloop has one: indices, which a model has as int64,
 * may be int32. */
static enum nn_data_type wanted_type(enum nn_data_type type, const struct tensor *wanted)
{
	return type == NN_INT32 && wanted->type == ONNX_INT64 ? NN_INT64 : type;
}

/* How far the farthest element of output i is from what it should be, in steps; -1: it is another
 * tensor altogether, and `reason` says so. */
static int64_t distance(const struct result *result, uint32_t i, const struct tensor *wanted)
{
	const struct nn_tensor_info *info = &result->infos[i];
	enum nn_data_type type = wanted_type(info->type, wanted);
	uint32_t off = 0, first = 0;
	int64_t most = 0;
	bool real = wanted->type == ONNX_FLOAT, same = info->rank == wanted->rank;
	char shapes[2][128] = { "", "" };
	int length = 0;

	for (uint32_t k = 0; k < wanted->rank && k < NN_MAX_RANK; k++)
		length += sprintf(shapes[0] + length, " %u", wanted->dims[k]);
	length = 0;
	for (uint32_t k = 0; k < info->rank; k++) {
		uint32_t dim = k ? info->dims[k] : result->rows[i];

		same &= dim == wanted->dims[k];
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

/* Of the cases of a file that count (COUNT_STEPS). */
static struct counts {
	uint64_t values, differ;
} counts;

/* Whether the elements of output 0 are the reference's, or one step off beside a boundary. */
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

static int judge(const struct one_case *c, struct nn_device **devices, uint32_t device_count)
{
	static const struct {
		uint32_t device, step, flags;
		const char *name;
	} others[] = {
		{ 0, 0, NN_PREPARE_NO_OPTIMIZE, "when not optimized" },
		{ 0, 1, 0, "in a loop" },
		{ 1, 0, 0, "on the other device" },
		{ 1, 1, 0, "in a loop on the other device" },
	};
	struct result first = { 0 }, other = { 0 };
	int verdict;

	*reason = 0;
	verdict = run(c, devices[0], 0, 0, &first);
	if (verdict == EQUAL)
		verdict = compare(c, &first);
	for (uint32_t i = 0; i < sizeof(others) / sizeof(*others) && verdict < INVALID; i++) {
		int again;

		if (others[i].device >= device_count)
			break;
		again = run(c, devices[others[i].device], others[i].step, others[i].flags, &other);
		/* Not every graph can get a loop. */
		if (again == WRONG || (again == NOT_ACCEPTED && !others[i].step))
			verdict = WRONG;
		else if (again == EQUAL && !same(&first, &other))
			verdict = say(WRONG, "differs %s", others[i].name);
		free_result(&other);
	}
	free_result(&first);
	return verdict;
}

/* ---- Files ---- */

static int run_file(const char *path, struct nn_device **devices, uint32_t device_count,
		    bool verdicts, uint32_t *accepted, uint32_t *total)
{
	size_t size;
	uint8_t *data = read_file(path, &size);
	int failed = 0;

	if (!data) {
		printf("# %s is no file of cases\n", path);
		return 1;
	}
	for (size_t at = 8; at < size;) {
		const uint8_t *from = data + at;
		struct one_case c = { 0 };
		uint32_t length = read_u32(&from);
		int verdict;
		bool good;

		at += 4 + (size_t)length;
		read_case(from, &c);
		verdict = judge(&c, devices, device_count);
		if (c.flags & MUST_REFUSE)
			good = verdict == NOT_ACCEPTED && strstr(reason, c.why);
		else
			good = verdict == EQUAL || verdict == NEAR ||
			       (verdict == NOT_ACCEPTED && !(c.flags & MUST_ACCEPT));
		failed += !good;
		*accepted += verdict == EQUAL || verdict == NEAR;
		++*total;
		for (char *c2 = reason; *c2; c2++)
			*c2 = *c2 == '\n' || *c2 == '\t' ? ' ' : *c2;
		if (verdicts)
			printf("%s\t%s\t%s\n", c.name, verdict_names[verdict], reason);
		else if (!good)
			printf("# %s: %s, %s%s%s\n", c.name, verdict_names[verdict], reason,
			       c.flags & MUST_REFUSE ? "; to be refused: " : "",
			       c.flags & MUST_REFUSE ? c.why : "");
		fflush(stdout);
	}
	free(data);
	if (counts.values)
		printf("# %" PRIu64 " of %" PRIu64 " values differ\n", counts.differ, counts.values);
	if (counts.differ * FEWEST_VALUES > counts.values ||
	    (counts.values && counts.values < FEWEST_VALUES))
		failed++;
	counts = (struct counts){ 0 };
	return failed;
}

int main(int argc, char **argv)
{
	struct nn_device *devices[MAX_DEVICES];
	uint32_t device_count = 0;
	bool verdicts = argc > 1 && !strcmp(argv[1], "--verdicts");
	int first = verdicts ? 2 : 1, failures = 0;
	struct nn_error error;

	if (argc < first + 2) {
		fprintf(stderr, "usage: cases [--verdicts] DEVICE[,DEVICE] FILE...\n");
		return 2;
	}
	for (char *name = strtok(argv[first], ","); name; name = strtok(NULL, ",")) {
		if (device_count == MAX_DEVICES ||
		    nn_device_open(name, &devices[device_count++], &error)) {
			fprintf(stderr, "error: %s\n", error.text);
			return 1;
		}
	}
	if (!verdicts)
		printf("1..%d\n", argc - first - 1);
	for (int i = first + 1; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		uint32_t accepted = 0, total = 0;
		int failed = run_file(argv[i], devices, device_count, verdicts, &accepted, &total);

		failures += failed > 0;
		if (!verdicts)
			printf("%sok %d %s: %u of %u models accepted\n", failed ? "not " : "",
			       i - first, slash ? slash + 1 : argv[i], accepted, total);
		fflush(stdout);
	}
	for (uint32_t d = 0; d < device_count; d++)
		nn_device_close(devices[d]);
	return verdicts ? 0 : failures > 0;
}
