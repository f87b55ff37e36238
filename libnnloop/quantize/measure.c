// SPDX-License-Identifier: MIT
/* How the outputs of a quantized model differ from those of the float model, on the same examples. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "quantize/quantizer.h"

/*
 * Sums over all examples, of one output. Where one of them has far greater outputs than all others, as
 * models of words have, it decides on the SQNR of all of them together, and chance on it. So what is
 * chosen is chosen by the mean of each example's own.
 */
struct sums {
	double squares, other_squares, products, errors, worst;
	uint64_t rows, agree;
	double levels; /* sum of each example's own SQNR */
	uint32_t examples;
};

static uint64_t greatest(const float *values, uint64_t count)
{
	uint64_t best = 0;

	for (uint64_t i = 1; i < count; i++) {
		if (values[i] > values[best])
			best = i;
	}
	return best;
}

/* The most that a mean counts of one output, which may not differ at all. */
#define MOST_SQNR 120

static double level_of(double squares, double errors)
{
	if (isnan(errors))
		return -MOST_SQNR;
	return errors > 0 ? fmin(10 * log10(squares / errors), MOST_SQNR) : MOST_SQNR;
}

/* Adds an output of an example; returns its SQNR, or NaN for one that is zero throughout. */
static double add(struct sums *sums, const float *wanted, const float *got, uint64_t count,
		uint64_t rows)
{
	double squares = 0, errors = 0;

	for (uint64_t i = 0; i < count; i++) {
		double difference = (double)wanted[i] - got[i];

		squares += (double)wanted[i] * wanted[i];
		sums->other_squares += (double)got[i] * got[i];
		sums->products += (double)wanted[i] * got[i];
		errors += difference * difference;
		sums->worst = fmax(sums->worst, fabs(difference));
	}
	sums->squares += squares;
	sums->errors += errors;
	if (squares > 0) {
		sums->levels += level_of(squares, errors);
		sums->examples++;
	}
	for (uint64_t row = 0; row < rows; row++) {
		uint64_t each = count / rows;

		sums->rows++;
		sums->agree += greatest(wanted + row * each, each) == greatest(got + row * each, each);
	}
	return squares > 0 ? level_of(squares, errors) : NAN;
}

static void finish(const struct sums *sums, struct nn_quantized_output *output)
{
	/* NaN where an output of the quantized model is no number. */
	output->sqnr = sums->errors == 0 ? INFINITY : 10 * log10(sums->squares / sums->errors);
	output->cosine = sums->squares > 0 && sums->other_squares > 0 ?
				 sums->products / sqrt(sums->squares * sums->other_squares) :
				 sums->squares == sums->other_squares;
	output->worst = sums->worst;
	output->row_count = sums->rows;
	output->agree_count = sums->agree;
}

/* *level: mean of the outputs' SQNR, or NaN if none has any. */
static int compare(struct nn_quantizer *quantizer, const struct quantizer_run *run,
		   const struct quantizer_example *example, struct sums *sums, double *level)
{
	const Onnx__GraphProto *graph = quantizer->model->graph;
	uint32_t counted = 0;
	double total = 0;

	for (size_t i = 0; i < graph->n_output; i++) {
		if (!example->outputs[i])
			continue;
		if (!run->reals[i] || run->counts[i] != example->counts[i])
			return quantizer_fail(quantizer, -EOPNOTSUPP,
					      "output %zu of the quantized model is of another size", i);
		*level = add(&sums[i], example->outputs[i], run->reals[i], run->counts[i],
			     run->outputs[i].rows);
		if (isnan(*level))
			continue;
		total += *level;
		counted++;
	}
	*level = counted ? total / counted : NAN;
	return 0;
}

int quantizer_measure(struct nn_quantizer *quantizer, const void *data, size_t size, uint32_t most,
		      struct nn_quantized_output *outputs, struct quantizer_packets *packets,
		      double *mean)
{
	const Onnx__GraphProto *graph = quantizer->model->graph;
	struct nn_pool_mark mark = nn_pool_get_mark(&quantizer->pool);
	struct sums *sums = nn_pool_array(&quantizer->pool, graph->n_output + 1, sizeof(*sums));
	struct quantizer_run run;
	uint32_t counted = 0;
	int err;

	err = quantizer_run_open(quantizer, data, size, quantizer->examples[0].inputs, &run);
	if (!err && !sums)
		err = quantizer_no_memory(quantizer);
	if (most > NN_QUANTIZE_MEASURED)
		most = NN_QUANTIZE_MEASURED;
	for (uint32_t i = quantizer->measured_first; i < quantizer->example_count && i < most && !err; i++) {
		if (quantizer->left_out && i % 2 != quantizer->left_out - 1)
			continue;
		err = quantizer_run_execute(quantizer, &run, quantizer->examples[i].inputs);
		if (!err)
			err = compare(quantizer, &run, &quantizer->examples[i], sums,
				      &quantizer->examples[i].level);
	}
	*mean = 0;
	for (size_t i = 0; i < graph->n_output && !err; i++) {
		finish(&sums[i], &outputs[i]);
		outputs[i].name = graph->output[i]->name;
		/* Integers, and what is zero throughout, say nothing. */
		if (!quantizer->examples[0].outputs[i] || !sums[i].examples)
			continue;
		*mean += sums[i].levels / sums[i].examples;
		counted++;
	}
	if (counted)
		*mean /= counted;
	if (!err && packets)
		*packets = quantizer_count_packets(run.graph);
	quantizer_run_close(&run);
	nn_pool_rewind(&quantizer->pool, mark);
	return err;
}
