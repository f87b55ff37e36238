/* SPDX-License-Identifier: MIT */
/* A case of a file of cases (tools/models/common/cases.py), read where it lies. */
#ifndef TESTS_E2E_CASE_FILE_H
#define TESTS_E2E_CASE_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "nn_graph.h"

#define MAX_TENSORS 16

/* Flags of a case. */
#define MUST_ACCEPT 1u
#define FLOAT_SUMS 2u
#define MUST_REFUSE 4u /* and `why` is in the sentence */
#define COUNT_STEPS 64u /* the twin: a bit for each element, set beside a rounding boundary */

enum onnx_type {
	ONNX_FLOAT = 1,
	ONNX_UINT8,
	ONNX_INT8,
	ONNX_UINT16,
	ONNX_INT16,
	ONNX_INT32,
	ONNX_INT64,
	ONNX_BOOL = 9
};
enum state { NOT_JUDGED, JUDGED, REFUSED, CRASHED };

struct tensor {
	char name[64];
	uint32_t type, rank, dims[NN_MAX_RANK];
	const uint8_t *data; /* anywhere: not aligned */
	uint32_t size;
};

struct one_case {
	char name[128], why[128];
	uint32_t flags, state;
	const uint8_t *model;
	uint32_t model_size;
	uint32_t input_count, output_count, twin_count;
	struct tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS], twins[MAX_TENSORS];
};

static inline uint32_t read_u32(const uint8_t **at)
{
	uint32_t value = (*at)[0] | (*at)[1] << 8 | (*at)[2] << 16 | (uint32_t)(*at)[3] << 24;

	*at += 4;
	return value;
}

static inline const uint8_t *read_blob(const uint8_t **at, uint32_t *size)
{
	const uint8_t *data;

	*size = read_u32(at);
	data = *at;
	*at += *size;
	return data;
}

static inline void read_text(const uint8_t **at, char *text, size_t room)
{
	uint32_t size;
	const uint8_t *data = read_blob(at, &size);

	snprintf(text, room, "%.*s", (int)size, (const char *)data);
}

static inline uint32_t read_tensors(const uint8_t **at, struct tensor *tensors)
{
	uint32_t count = read_u32(at);

	for (uint32_t i = 0; i < count; i++) {
		struct tensor t = { 0 };

		read_text(at, t.name, sizeof(t.name));
		t.type = read_u32(at);
		t.rank = read_u32(at);
		for (uint32_t k = 0; k < t.rank; k++) {
			uint32_t dim = read_u32(at);

			if (k < NN_MAX_RANK)
				t.dims[k] = dim;
		}
		t.data = read_blob(at, &t.size);
		if (i < MAX_TENSORS)
			tensors[i] = t;
	}
	return count;
}

static inline void read_case(const uint8_t *at, struct one_case *c)
{
	read_text(&at, c->name, sizeof(c->name));
	c->flags = read_u32(&at);
	c->model = read_blob(&at, &c->model_size);
	read_u32(&at); /* no twin: only what came of it */
	c->input_count = read_tensors(&at, c->inputs);
	c->state = read_u32(&at);
	read_text(&at, c->why, sizeof(c->why));
	c->output_count = read_tensors(&at, c->outputs);
	c->twin_count = read_tensors(&at, c->twins);
}

#endif
