// SPDX-License-Identifier: MIT
/* Chooses what stays in float, and how ranges are found, by what that does to the outputs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "quantize/quantizer.h"

#define SHOWN 100 /* characters of names in messages */
#define MOST_ROUNDS 32 /* each leaves at least one more node in float */

/* ---- What can be quantized ---- */

/*
 * Has the quantized nodes stay in float, too, that the inputs of a node in float come from, other
 * nodes in float in between; *found: there were some.
 */
static int keep_makers(struct nn_quantizer *quantizer, const struct quantizer_node *node, bool *found)
{
	bool *is_wanted = calloc(quantizer->node_count, sizeof(*is_wanted));

	if (!is_wanted)
		return quantizer_no_memory(quantizer);
	is_wanted[node - quantizer->nodes] = true;
	for (uint32_t i = node - quantizer->nodes + 1; i-- > 0;) {
		const struct quantizer_node *reader = &quantizer->nodes[i];

		for (size_t k = 0; k < reader->proto->n_input && is_wanted[i]; k++) {
			struct quantizer_node *maker = quantizer_maker(quantizer, reader, k);

			if (!maker || maker->is_kept)
				continue;
			if (!maker->is_quantized) {
				is_wanted[maker - quantizer->nodes] = true;
				continue;
			}
			maker->is_kept = true;
			maker->reason = "what reads it is in float, and has no form that reads integers";
			*found = true;
		}
	}
	free(is_wanted);
	return 0;
}

#define TRIAL_NAME 16 /* characters */

/*
 * Gives nodes short names, while the model is tried: those of refusals are cut. True, and theirs in
 * `names`, or false: no memory.
 */
static bool swap_names(struct nn_quantizer *quantizer, char **names)
{
	char *trial = nn_pool_array(&quantizer->pool, quantizer->node_count + 1, TRIAL_NAME);

	for (uint32_t i = 0; i < quantizer->node_count && trial; i++) {
		names[i] = quantizer->nodes[i].proto->name;
		quantizer->nodes[i].proto->name = trial + i * TRIAL_NAME;
		snprintf(trial + i * TRIAL_NAME, TRIAL_NAME, "node %u", i);
	}
	return trial;
}

/* Has the nodes stay in float that nnloop refuses in a quantized model; *found: there were some. */
static int keep_refused(struct nn_quantizer *quantizer, const struct nn_graph *graph, bool *found)
{
	struct nn_refusal refusal;

	*found = false;
	for (uint32_t i = 0; !nn_graph_get_refusal(graph, i, &refusal); i++) {
		for (uint32_t k = 0; k < quantizer->node_count; k++) {
			struct quantizer_node *node = &quantizer->nodes[k];

			if (!node->proto->name || strcmp(refusal.name, node->proto->name))
				continue;
			if (!node->is_quantized && keep_makers(quantizer, node, found))
				return -ENOMEM;
			if (!node->is_quantized || node->is_kept)
				continue;
			*found = true;
			/* It moves what others make, and nobody asked for it to have as many bits. */
			if (node->is_wide && !node->widened && node->role == QUANTIZER_MOVE) {
				node->is_narrow = true;
				continue;
			}
			node->is_kept = true;
			node->reason = nn_pool_string(&quantizer->pool, refusal.reason);
			if (!node->reason)
				return quantizer_no_memory(quantizer);
		}
	}
	return 0;
}

static uint32_t count_quantized(const struct nn_quantizer *quantizer)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < quantizer->node_count; i++)
		count += quantizer->nodes[i].is_quantized;
	return count;
}

/* A tensor that nothing is known of cannot have a range; what makes it stays in float. */
static bool keep_unobserved(struct nn_quantizer *quantizer)
{
	bool kept = false;

	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		for (size_t k = 0; k < node->proto->n_input + node->proto->n_output; k++) {
			uint32_t index = k < node->proto->n_input ?
						 node->inputs[k] : node->outputs[k - node->proto->n_input];
			const struct quantizer_tensor *tensor = quantizer_tensor(quantizer, index);

			if (!node->is_quantized || !tensor || !tensor->is_quantized ||
			    tensor->halves[0].count || node->is_kept)
				continue;
			node->is_kept = true;
			/* What a clamp reads is not observed where it would be left out. */
			node->reason = quantizer_is_clamp(node->proto) ?
					       "what it limits is in float" :
					       "nothing is known of one of its tensors";
			kept = true;
		}
	}
	return kept;
}

/* Has a node stay in float, or have 16 bits. */
static int set_named(struct nn_quantizer *quantizer, const char *name, bool is_wide)
{
	char quoted[SHOWN + 8];
	bool found = false;

	nn_error_quote(quoted, SHOWN, name);
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		if (strcmp(quantizer_node_name(node), name) &&
		    (!node->proto->n_output || strcmp(node->proto->output[0], name)))
			continue;
		if (is_wide && node->is_kept)
			return quantizer_fail(quantizer, -EINVAL,
					      "node %s is to stay in float, and to have 16 bits", quoted);
		if (is_wide) {
			node->widened = "it is to have them";
		} else {
			node->is_kept = true;
			node->reason = "it is to be kept";
		}
		found = true;
	}
	if (found)
		return 0;
	return quantizer_fail(quantizer, -ENOENT, "the model has no node %s to %s", quoted,
			      is_wide ? "have 16 bits" : "keep in float");
}

/* Whether nnloop runs the model as it is written now; if not, what it refuses stays in float. */
static int try_named(struct nn_quantizer *quantizer, bool *good)
{
	struct quantizer_run run = { 0 };
	bool found = false;
	uint8_t *bytes;
	size_t size;
	int err = quantizer_write(quantizer, &bytes, &size);

	if (err)
		return err;
	err = quantizer_run_open(quantizer, bytes, size, quantizer->examples[0].inputs, &run);
	*good = !err;
	if (err == -EOPNOTSUPP && run.graph) {
		int failed = keep_refused(quantizer, run.graph, &found);

		if (failed || found)
			err = failed;
	}
	quantizer_run_close(&run);
	free(bytes);
	return err;
}

static int try_model(struct nn_quantizer *quantizer, bool *good)
{
	char **names = calloc(quantizer->node_count + 1, sizeof(*names));
	bool swapped = names && swap_names(quantizer, names);
	int err = swapped ? try_named(quantizer, good) : quantizer_no_memory(quantizer);

	for (uint32_t i = 0; i < quantizer->node_count && swapped; i++)
		quantizer->nodes[i].proto->name = names[i];
	free(names);
	/* Once more, for a sentence with the name that the node has. */
	return err == -EOPNOTSUPP ? try_named(quantizer, good) : err;
}

/* Plans until nnloop can run what is planned. */
static int plan(struct nn_quantizer *quantizer)
{
	bool good = false;
	int err = 0;

	for (int round = 0; round < MOST_ROUNDS && !good && !err; round++) {
		do {
			err = quantizer_plan(quantizer);
		} while (!err && keep_unobserved(quantizer));
		if (!err && !count_quantized(quantizer))
			return quantizer_fail(quantizer, -EOPNOTSUPP,
					      "no node of the model can be quantized");
		if (!err)
			err = quantizer_set_scales(quantizer);
		if (!err)
			err = try_model(quantizer, &good);
	}
	if (!err && !good)
		err = quantizer_fail(quantizer, -EOPNOTSUPP,
				     "nnloop refuses the quantized model, whatever stays in float");
	return err;
}

/* ---- How ranges are found ---- */

static void set_methods(struct nn_quantizer *quantizer, uint32_t method)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++)
		quantizer->tensors[i].method = method;
}

/* The examples that are kept. */
static uint32_t count_kept(const struct nn_quantizer *quantizer)
{
	return quantizer->example_count < NN_QUANTIZE_MEASURED ? quantizer->example_count :
								NN_QUANTIZE_MEASURED;
}

static int measure(struct nn_quantizer *quantizer, uint32_t examples, double *mean)
{
	uint8_t *bytes = NULL;
	size_t size;
	int err = quantizer_set_scales(quantizer);

	if (!err)
		err = quantizer_write(quantizer, &bytes, &size);
	if (!err)
		err = quantizer_measure(quantizer, bytes, size, examples, quantizer->outputs, NULL,
					mean);
	free(bytes);
	return err;
}

/* The SQNR of examples with a method; its mean is -INFINITY if nnloop refuses it. */
struct trial {
	double mean;
	uint32_t count; /* of examples that are measured */
	double levels[NN_QUANTIZE_MEASURED];
};

/* The mean of the first examples, but those that say nothing. */
static double find_mean(const struct trial *trial, uint32_t end)
{
	uint32_t count = 0;
	double sum = 0;

	for (uint32_t i = 0; i < end; i++) {
		if (isnan(trial->levels[i]))
			continue;
		sum += trial->levels[i];
		count++;
	}
	return sum / (count ? count : 1);
}

/*
 * Finds what a trial has, of ranges that the examples they are measured on have no part in: those of half of the
 * examples on the other half, and the other way round. Else ranges that cut off what is rare look best
 * where nothing rare is left to be cut off. Those before the first one are known from another call.
 */
static int judge(struct nn_quantizer *quantizer, uint32_t first, uint32_t end, struct trial *trial)
{
	double unused;
	int err = 0;

	if (end > count_kept(quantizer))
		end = count_kept(quantizer);
	quantizer->measured_first = first;
	for (uint32_t half = 0; half < 2 && !err; half++) {
		/* A single example has to do for both. */
		quantizer->left_out = quantizer->example_count > 1 ? 1 + half : 0;
		err = measure(quantizer, end, &unused);
	}
	quantizer->left_out = quantizer->measured_first = 0;
	trial->count = end;
	for (uint32_t i = first; i < end; i++)
		trial->levels[i] = quantizer->examples[i].level;
	trial->mean = find_mean(trial, end);
	/* Scales can be such that nnloop refuses an operator: that is no method for this model. */
	if (err != -EOPNOTSUPP)
		return err;
	trial->mean = -INFINITY;
	return 0;
}

#define FIRST_EXAMPLES 8 /* all methods are tried on, and on the others those that may be best */
#define ERRORS 3 /* standard errors of a difference that it may change by on others */
#define NO_GAIN 0.2 /* dB that nobody wants to wait for */

/*
 * Whether other examples will not make a method better than the best on some, or by next to nothing. Few
 * examples say little where they differ much: then it has to be behind on each of them.
 */
static bool is_behind(const struct trial *trial, const struct trial *best, uint32_t count)
{
	double sum = 0, squares = 0, error;
	bool is_always = true;

	if (trial->mean == -INFINITY)
		return true;
	for (uint32_t i = 0; i < count; i++) {
		double lead = best->levels[i] - trial->levels[i];

		sum += lead;
		squares += lead * lead;
		is_always &= lead > 0;
	}
	/* Not a number where an example says nothing. */
	error = ERRORS * sqrt(fmax(0, squares / count - sum / count * (sum / count)) / (count - 1));
	return !isnan(sum) && error - sum / count < NO_GAIN && (is_always || error < NO_GAIN);
}

static uint32_t find_best(const struct trial *trials)
{
	uint32_t best = NN_QUANTIZE_MIN_MAX;

	for (uint32_t method = NN_QUANTIZE_MIN_MAX; method < QUANTIZER_METHODS; method++) {
		if (trials[method].mean > trials[best].mean)
			best = method;
	}
	return best;
}

/* Tries the methods that may be best on the other examples as well, if there are several. */
static int try_others(struct nn_quantizer *quantizer, struct trial *trials, uint32_t *best)
{
	bool is_left[QUANTIZER_METHODS] = { false };
	uint32_t left = 0;
	int err = 0;

	for (uint32_t method = NN_QUANTIZE_MIN_MAX; method < QUANTIZER_METHODS; method++) {
		is_left[method] = method == *best ||
				  !is_behind(&trials[method], &trials[*best], FIRST_EXAMPLES);
		left += is_left[method];
	}
	if (left < 2)
		return 0;
	for (uint32_t method = NN_QUANTIZE_MIN_MAX; method < QUANTIZER_METHODS && !err; method++) {
		trials[method].mean = -INFINITY;
		if (!is_left[method])
			continue;
		set_methods(quantizer, method);
		err = judge(quantizer, FIRST_EXAMPLES, UINT32_MAX, &trials[method]);
	}
	*best = find_best(trials);
	return err;
}

#define FEW_EXAMPLES 16 /* pairs are equalized on, and methods tried for each tensor */
#define LEAST_GAIN 0.005 /* dB */
#define EQUALIZED_GAIN 0.1

/* Equalizes channels between products if outputs differ less then than with the best method alone. */
static int choose_equalized(struct nn_quantizer *quantizer, const struct trial *before)
{
	struct trial after = { .mean = -INFINITY };
	uint32_t count = before->count < FEW_EXAMPLES ? before->count : FEW_EXAMPLES;
	int err;

	quantizer_equalize(quantizer, true);
	err = plan(quantizer);
	if (!err)
		err = judge(quantizer, 0, count, &after);
	if (err && err != -EOPNOTSUPP)
		return err;
	if (after.mean > find_mean(before, count) + EQUALIZED_GAIN)
		return 0;
	quantizer_equalize(quantizer, false);
	return plan(quantizer);
}

/* The method with which the outputs differ least. */
static int choose_method(struct nn_quantizer *quantizer)
{
	struct trial trials[QUANTIZER_METHODS];
	uint32_t best;
	int err = 0;

	for (uint32_t method = NN_QUANTIZE_MIN_MAX; method < QUANTIZER_METHODS && !err; method++) {
		set_methods(quantizer, method);
		err = judge(quantizer, 0, FIRST_EXAMPLES, &trials[method]);
		if (quantizer->progress)
			quantizer->progress(method, QUANTIZER_METHODS - 1, quantizer->progress_opaque);
	}
	if (err)
		return err;
	best = find_best(trials);
	if (count_kept(quantizer) > FIRST_EXAMPLES)
		err = try_others(quantizer, trials, &best);
	set_methods(quantizer, best);
	quantizer->method = best;
	return err || !quantizer->pair_count ? err : choose_equalized(quantizer, &trials[best]);
}

/* Tries all methods for a tensor, and those that share its scale; *best is what it has cost so far. */
static int improve_tensor(struct nn_quantizer *quantizer, struct quantizer_tensor *tensor,
			  double *best)
{
	uint32_t chosen = tensor->method, before = chosen;
	struct trial trial;
	int err = 0;

	for (uint32_t method = NN_QUANTIZE_MIN_MAX; method < QUANTIZER_METHODS && !err; method++) {
		if (method == before)
			continue;
		tensor->method = method;
		err = judge(quantizer, 0, FEW_EXAMPLES, &trial);
		if (!err && trial.mean > *best + LEAST_GAIN) {
			*best = trial.mean;
			chosen = method;
		}
	}
	tensor->method = chosen;
	return err;
}

static bool has_scale(const struct nn_quantizer *quantizer, uint32_t group)
{
	for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
		if (quantizer->tensors[i].is_quantized &&
		    quantizer_group(quantizer, i) == &quantizer->tensors[group])
			return true;
	}
	return false;
}

/* Begins with the best method for all, and improves one tensor after the other. */
static int choose_each(struct nn_quantizer *quantizer)
{
	struct trial trial;
	int err = choose_method(quantizer);

	quantizer->method = NN_QUANTIZE_EACH;
	if (!err)
		err = judge(quantizer, 0, FEW_EXAMPLES, &trial);
	for (uint32_t i = 0; i < quantizer->tensor_count && !err; i++) {
		if (has_scale(quantizer, i))
			err = improve_tensor(quantizer, &quantizer->tensors[i], &trial.mean);
		if (quantizer->progress)
			quantizer->progress(i + 1, quantizer->tensor_count, quantizer->progress_opaque);
	}
	return err;
}

/* ---- What stays in float ---- */

/* Has layers be of 16 bits, or stay in float, that cost more than the budget. */
static int spend_budget(struct nn_quantizer *quantizer, float budget)
{
	bool any;
	int err = quantizer_measure_layers(quantizer, budget);

	if (err)
		return err;
	quantizer_spend_packets(quantizer, &any);
	return any ? plan(quantizer) : 0;
}

/* ---- All of it ---- */

/* An output that no example changes says nothing of what quantizing costs. */
static int check_outputs(struct nn_quantizer *quantizer)
{
	const Onnx__GraphProto *graph = quantizer->model->graph;
	uint32_t kept = count_kept(quantizer);

	for (size_t i = 0; i < graph->n_output && kept > 1; i++) {
		const struct quantizer_example *first = &quantizer->examples[0];
		char quoted[SHOWN + 8];
		uint32_t same = 1;

		/* One that is computed of constants alone. */
		if (!first->outputs[i] || quantizer->tensors[quantizer_find(quantizer,
							    graph->output[i]->name)].is_known)
			continue;
		while (same < kept && quantizer->examples[same].counts[i] == first->counts[i] &&
		       !memcmp(quantizer->examples[same].outputs[i], first->outputs[i],
			       first->counts[i] * sizeof(float)))
			same++;
		if (same < kept)
			continue;
		nn_error_quote(quoted, SHOWN, graph->output[i]->name);
		return quantizer_fail(quantizer, -EDOM,
				      "output %s is the same in all %u examples; are they what the model was trained on?",
				      quoted, kept);
	}
	return 0;
}

/* Writes the model again, with an input of bytes. */
static int write_pixels(struct nn_quantizer *quantizer, const struct nn_quantize_options *options)
{
	struct quantizer_run run = { 0 };
	int err;

	free(quantizer->bytes);
	quantizer->bytes = NULL;
	quantizer->pixels = options;
	err = quantizer_write(quantizer, &quantizer->bytes, &quantizer->size);
	quantizer->pixels = NULL;
	/* Whether nnloop takes that, too. */
	if (!err)
		err = quantizer_run_open(quantizer, quantizer->bytes, quantizer->size,
					 quantizer->examples[0].inputs, &run);
	quantizer_run_close(&run);
	return err;
}

int quantizer_choose(struct nn_quantizer *quantizer, const struct nn_quantize_options *options)
{
	double mean;
	int err = check_outputs(quantizer);

	quantizer_equalize(quantizer, false);

	/* There is no example more, most likely, and other models need the memory. */
	quantizer_run_close(&quantizer->observer);
	free(quantizer->bytes);
	quantizer->bytes = NULL;
	for (uint32_t i = 0; i < quantizer->node_count; i++) {
		quantizer->nodes[i].is_kept = quantizer->nodes[i].is_narrow = false;
		quantizer->nodes[i].widened = NULL;
	}
	for (uint32_t i = 0; i < options->keep_count && !err; i++)
		err = set_named(quantizer, options->keep[i], false);
	for (uint32_t i = 0; i < options->int16_count && !err; i++)
		err = set_named(quantizer, options->int16[i], true);
	quantizer->activations = options->activations ? options->activations : NN_UINT8;
	quantizer->outputs = nn_pool_array(&quantizer->pool, quantizer->model->graph->n_output + 1,
					   sizeof(*quantizer->outputs));
	if (!err && !quantizer->outputs)
		err = quantizer_no_memory(quantizer);
	set_methods(quantizer, options->method % NN_QUANTIZE_EACH ? options->method :
								    NN_QUANTIZE_MIN_MAX);
	quantizer->method = options->method;
	if (!err)
		err = plan(quantizer);
	if (!err && !options->method)
		err = choose_method(quantizer);
	if (!err && options->method == NN_QUANTIZE_EACH)
		err = choose_each(quantizer);
	if (!err && options->budget > 0)
		err = spend_budget(quantizer, options->budget);
	/* With the scales that it is, which may be others. */
	if (!err)
		err = plan(quantizer);
	if (!err)
		err = quantizer_write(quantizer, &quantizer->bytes, &quantizer->size);
	if (!err)
		err = quantizer_measure(quantizer, quantizer->bytes, quantizer->size, UINT32_MAX,
					quantizer->outputs, &quantizer->packets_after, &mean);
	return !err && options->pixel_channels ? write_pixels(quantizer, options) : err;
}
