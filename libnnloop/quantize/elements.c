// SPDX-License-Identifier: MIT
/*
 * Adds the tensors of an example to what is known of them: to their histograms, and to the means of
 * their channels. Threads do so side by side, each with a tensor.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/host.h"
#include "device/team.h"
#include "quantize/quantizer.h"

#define SHOWN 100 /* characters of names in messages */
#define SAMPLED 65536 /* elements of a tensor that are looked at in any case */
#define MOST_STEP 16 /* of so many, one is looked at */
#define LEAST_ROWS 16 /* of a sample */
#define ROW 64 /* elements of a row where it is not that of an image's pixel, or of a matrix */

/* Work of threads. */
struct adding {
	struct nn_quantizer *quantizer;
	struct quantizer_elements *elements;
	atomic_uint infinite; /* the least index of elements with one that is not finite */
	atomic_bool failed; /* no memory */
};

static struct quantizer_statistics *statistics_of(const struct nn_quantizer *quantizer,
						  const struct quantizer_elements *elements)
{
	return &quantizer->tensors[elements->tensor].halves[quantizer->example_count % 2];
}

static struct quantizer_sample find_sample(const struct nn_quantizer *quantizer,
					   const struct quantizer_elements *elements)
{
	const struct quantizer_tensor *tensor = &quantizer->tensors[elements->tensor];
	const struct nn_tensor_info *info = elements->info;
	struct quantizer_sample sample = { .length = ROW, .step = 1 };
	uint64_t step = elements->count / SAMPLED;

	/* All channels of a pixel, so that each channel has as many. */
	if (elements->is_image || tensor->channels == QUANTIZER_LAST)
		sample.length = info->dims[info->rank - 1];
	if (!sample.length || elements->count % sample.length || step < 2) {
		sample.length = elements->count;
		sample.rows = 1;
		return sample;
	}
	sample.rows = elements->count / sample.length;
	if (step > sample.rows / LEAST_ROWS)
		step = sample.rows / LEAST_ROWS;
	sample.step = step < 1 ? 1 : step > MOST_STEP ? MOST_STEP : step;
	sample.rows /= sample.step;
	return sample;
}

/* Adds what elements between two products would be like; they are finite. */
static void add_equalized(struct adding *adding, const struct quantizer_elements *elements,
			  struct quantizer_sample sample)
{
	struct nn_quantizer *quantizer = adding->quantizer;
	struct quantizer_tensor *tensor = &quantizer->tensors[elements->tensor];
	float *values;

	if (!tensor->pair)
		return;
	values = quantizer_equalize_elements(quantizer, elements);
	if (!values || quantizer_statistics_add(&tensor->other_halves[quantizer->example_count % 2],
						values, elements->count, sample))
		atomic_store(&adding->failed, true);
	free(values);
}

static void add_tensors(void *opaque, uint32_t member, uint32_t begin, uint32_t end)
{
	struct adding *adding = opaque;

	(void)member;
	for (uint32_t i = begin; i < end; i++) {
		struct quantizer_elements *elements = &adding->elements[i];
		struct quantizer_sample sample = find_sample(adding->quantizer, elements);
		uint32_t least = atomic_load(&adding->infinite);

		if (!quantizer_statistics_add(statistics_of(adding->quantizer, elements),
					      elements->values, elements->count, sample)) {
			quantizer_add_means(adding->quantizer, elements, sample);
			add_equalized(adding, elements, sample);
			continue;
		}
		while (i < least && !atomic_compare_exchange_weak(&adding->infinite, &least, i))
			;
	}
}

static void add_all(struct adding *adding, uint32_t count)
{
	struct nn_device *device = adding->quantizer->device;
	struct nn_team *team = device->info.kind == NN_DEVICE_HOST ? nn_host_of(device)->team : NULL;

	if (!team || !nn_team_take(team)) {
		add_tensors(adding, 0, 0, count);
		return;
	}
	nn_team_run(team, count, 1, add_tensors, adding);
	nn_team_release(team);
}

/* Makes room for what channels would be like. False: no memory. */
static bool begin_equalized(struct nn_quantizer *quantizer, const struct quantizer_elements *elements)
{
	struct quantizer_tensor *tensor = &quantizer->tensors[elements->tensor];

	return !tensor->pair ||
	       quantizer_statistics_begin(&quantizer->pool,
					  &tensor->other_halves[quantizer->example_count % 2]);
}

int quantizer_add_elements(struct nn_quantizer *quantizer, struct quantizer_elements *elements,
			   uint32_t count)
{
	struct adding adding = { .quantizer = quantizer, .elements = elements, .infinite = UINT32_MAX };
	char quoted[SHOWN + 8];

	/* Threads make no memory of the pool. */
	for (uint32_t i = 0; i < count; i++) {
		if (!quantizer_statistics_begin(&quantizer->pool,
						statistics_of(quantizer, &elements[i])) ||
		    !quantizer_begin_means(quantizer, &elements[i]) || !begin_equalized(quantizer, &elements[i]))
			return quantizer_no_memory(quantizer);
	}
	add_all(&adding, count);
	if (adding.failed)
		return quantizer_no_memory(quantizer);
	if (adding.infinite == UINT32_MAX)
		return 0;
	nn_error_quote(quoted, SHOWN, quantizer->tensors[elements[adding.infinite].tensor].name);
	return quantizer_fail(quantizer, -EDOM,
			      "tensor %s has an element that is infinite or not a number (NaN)", quoted);
}
