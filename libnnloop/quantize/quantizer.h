/* SPDX-License-Identifier: MIT */
/*
 * The parts of a quantizer (nn_quantize.h), which works on ONNX's own structures: what it makes is
 * a model like the one that it has read, with nodes put in between, and nnloop itself runs both.
 *
 *	quantizer.c	the public calls
 *	constants.c	constants that there are, and new ones
 *	read.c		the file, with its constants, of opset 13 or later
 *	branches.c	with the branches of its Ifs that are known to be taken
 *	tflite/		or of a TensorFlow Lite file
 *	opset.c		what earlier opsets write otherwise
 *	fold.c		normalizations that become a part of the convolution before them
 *	normalize.c	normalizations that are computed step by step
 *	index.c		which node makes and reads a tensor
 *	kinds.c		what quantizing means to an operator
 *	equalize.c	channels between two products that are made as large as each other
 *	plan.c		which nodes and tensors are quantized, and which of these share a scale
 *	width.c		which of these are of 16 bits
 *	run.c		runs a model on an example
 *	observe.c	what tensors of the float model are like
 *	statistics.c	histograms
 *	range.c		ranges of them
 *	weights.c	constants of integers
 *	bias.c		biases that make up for what rounding weights adds
 *	write.c		the quantized model
 *	measure.c	how the outputs of two models differ
 *	packets.c	what a model takes on the DSP, about
 *	sensitivity.c	what each layer costs
 *	choose.c	what is chosen by what it does to the outputs
 *
 * All that lives as long as the model is in the quantizer's pool, protobuf-c's structures too.
 */
#ifndef NN_QUANTIZER_H
#define NN_QUANTIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "nn_quantize.h"
#include "onnx.pb-c.h"

#define QUANTIZER_OPSET	13	/* the first with a scale for each channel */
#define QUANTIZER_BINS	4096u	/* of a histogram */
#define QUANTIZER_METHODS 5	/* enum nn_quantize_method: those that find ranges are below */

/* ---- What a model is made of ---- */

/*
 * Elements that occurred: a histogram from -2^exponent to 2^exponent, which grows by merging pairs
 * of bins. So it does not depend on the order of what is added.
 */
struct quantizer_statistics {
	float low, high;
	uint64_t count;		/* 0: nothing was added, all else is zero */
	uint64_t zeros;		/* of them, which no rounding changes */
	int exponent;
	uint64_t *bins;
};

/* The dimension of a tensor that a product's weights have elements for. */
enum quantizer_channels {
	QUANTIZER_NO_CHANNELS,
	QUANTIZER_SECOND,
	QUANTIZER_LAST,
	QUANTIZER_MIXED_CHANNELS, /* nodes differ on that: nothing is known of them */
};

/* The reals that integers of a tensor stand for: (integer - zero point) * scale. */
struct quantizer_steps {
	float scale;
	int32_t zero_point;
};

struct quantizer_pair;
struct quantizer_elements;

struct quantizer_tensor {
	const char *name;
	struct quantizer_node *producer;	/* NULL: an input of the model, or a constant */
	const Onnx__TensorProto *constant;	/* NULL: it is none */
	uint32_t reader_count;	/* nodes that read it, as often as they do */
	bool is_known;		/* a constant, or computed of constants alone */
	bool is_float;		/* of float32, and not known */
	bool is_output;		/* of the model */
	bool is_captured;	/* graphs in nodes read it */
	bool is_observed;
	struct quantizer_statistics halves[2];	/* of examples of even and of odd numbers */
	struct quantizer_pair *pair;	/* it is between these; NULL: it is not */
	struct quantizer_statistics other_halves[2]; /* if it were equalized, or not: as it is not */
	enum quantizer_channels channels;
	uint32_t channel_count;
	double *sums;		/* of each channel's elements; NULL: nothing was added */
	uint64_t summed_count;	/* elements of each */
	/* of a plan */
	uint32_t origin;	/* the tensor that it is a function of, itself if of none */
	bool is_inner;		/* between the nodes of one function: not rounded */
	bool is_quantized;
	bool is_wide;		/* as it is made it has 16 bits; of what is made in float: none reads 8 */
	uint32_t limited;	/* what a clamp that is left out makes of it; NO_TENSOR: nothing */
	uint32_t group;		/* a tensor that has the same scale; of one in each group, itself */
	/* of a choice, of one tensor of each group */
	uint32_t method;
	struct quantizer_steps steps[2];	/* of 8 bits, and of 16, where that is wanted */
};

/* Two products between which channels can be equalized. */
struct quantizer_pair {
	struct quantizer_node *first, *second;
	uint32_t *between, between_count;	/* tensors */
	float *factors;		/* that elements of each channel are multiplied by */
	uint32_t count;		/* of channels */
};

/* The kinds of operators, as quantizing sees them. */
enum quantizer_role {
	QUANTIZER_OPAQUE,	/* it has no quantized form */
	QUANTIZER_PRODUCT,	/* sums of products with weights */
	QUANTIZER_MOVE,		/* moves or picks elements: one scale */
	QUANTIZER_FUNCTION,	/* of each element of one tensor */
	QUANTIZER_BINARY,	/* of elements of two or more operands */
	QUANTIZER_OWN,		/* others, with a scale of its own for the result */
};

/* The packets that a model takes on the DSP in one pass of all that it has, estimated. */
struct quantizer_packets {
	uint64_t all, floats;
	uint64_t conversions;	/* between integers and floats, which are floats', too */
};

struct quantizer_node {
	Onnx__NodeProto *proto;
	enum quantizer_role role;
	uint32_t *inputs, *outputs;	/* tensors; NO_TENSOR: it is left out */
	bool is_kept;		/* somebody wants it in float, or nnloop cannot have it otherwise */
	const char *reason;	/* why it is in float, if it is */
	const char *widened;	/* why it is to have 16 bits; NULL: it is not */
	bool is_narrow;		/* nnloop cannot have it so, and nobody asked */
	/* of a plan */
	bool is_quantized;
	bool is_merged;		/* a clamp that the range of its output does: it is left out */
	bool is_wide;		/* what it reads and makes has 16 bits */
	/* of quantizer_measure_layers() */
	uint32_t layer;		/* the first node of its layer; of that one: */
	double noise;		/* of the outputs, over their power, when nothing else is quantized */
	double cost;		/* that this is, in dB */
	struct quantizer_packets packets; /* of that model */
	double wide_noise;	/* of 16 bits, if it costs more than the budget; 0: there is no such form */
	struct quantizer_packets wide_packets;
	uint32_t form;		/* an enum nn_data_type that the budget buys, of 8 bits: none; 0: not chosen */
	double left;		/* noise with that */
};

#define NO_TENSOR	UINT32_MAX

/* ---- Running ---- */

/* A model that is prepared, with room for its results. */
struct quantizer_run {
	struct nn_graph *graph;
	uint32_t input_count, output_count;
	uint32_t *rows;		/* of each input that it is prepared for */
	struct nn_buffer *outputs;
	struct nn_tensor_info *infos;	/* of the outputs */
	float **reals;		/* of each output that is or stands for floats; else NULL */
	uint64_t *counts;	/* elements of each output */
	bool *is_image;		/* of outputs behind the model's own: with its channels last */
};

/* An example that is kept. */
struct quantizer_example {
	struct nn_buffer *inputs;
	float **outputs;	/* of the float model; NULL where these are integers */
	uint64_t *counts;	/* elements of each */
	double level;		/* of what was measured last: mean SQNR of the outputs in dB; NaN: of none */
};

struct nn_quantizer {
	struct nn_device *device;
	struct nn_error error;
	struct nn_pool pool;
	struct nn_graph *graph;		/* as it was read */
	struct nn_import_options options;
	Onnx__ModelProto *model;	/* NULL: none was read */
	struct quantizer_node *nodes;
	uint32_t node_count;
	struct quantizer_tensor *tensors;	/* by their names, in order */
	uint32_t tensor_count;
	struct quantizer_pair *pairs;
	uint32_t pair_count;
	bool is_equalized;		/* constants and what is known of tensors are so */
	/* The float model whose tensors are observed, and which tensor each output is. */
	struct quantizer_run observer;
	uint32_t *observed, observed_count; /* NULL: not known yet */
	struct quantizer_packets packets;	/* of the float model */
	nn_progress_fp progress;	/* NULL: nobody asks */
	void *progress_opaque;
	uint32_t example_count;
	struct quantizer_example examples[NN_QUANTIZE_MEASURED];
	/* The choice. */
	enum nn_data_type activations;
	uint32_t method;
	const struct nn_quantize_options *pixels;	/* how bytes of pictures go in; NULL: reals do */
	uint32_t left_out;	/* the half, from 1, that ranges do not know, and is measured; 0: none */
	uint32_t measured_first;	/* the first example that is measured */
	uint8_t *bytes;
	size_t size;
	struct quantizer_packets packets_after;
	struct nn_quantized_output *outputs;	/* of the model */
};

/* Has an error of the quantizer, and returns its code. */
int quantizer_fail(struct nn_quantizer *quantizer, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int quantizer_no_memory(struct nn_quantizer *quantizer);
/* The same that a graph has. */
int quantizer_fail_graph(struct nn_quantizer *quantizer, const struct nn_graph *graph, int code);

/* ---- read.c ---- */

int quantizer_read(struct nn_quantizer *quantizer, const char *path, enum nn_model_format format);
/* Whether the graphs in a node, if it has any, read a tensor. */
bool quantizer_captures(const Onnx__NodeProto *node, const char *name);
/* A string of the model that nobody has yet: name and what is behind it. NULL: no memory. */
char *quantizer_new_name(struct nn_quantizer *quantizer, struct nn_pool *pool, const char *name,
			 const char *behind);
const Onnx__AttributeProto *quantizer_attribute(const Onnx__NodeProto *node, const char *name);
int64_t quantizer_attribute_int(const Onnx__NodeProto *node, const char *name, int64_t otherwise);
/* The string of an attribute. */
bool quantizer_attribute_is(const Onnx__NodeProto *node, const char *name, const char *string,
			    const char *otherwise);
bool quantizer_is_ours(const Onnx__NodeProto *node); /* of ONNX's own domain */

/* ---- branches.c ---- */

struct nn_model_source;

/* Whether the model has an If at its top. */
bool quantizer_has_branches(const struct nn_quantizer *quantizer);
/* The model's bytes with branches in their Ifs' places that are known to be taken; NULL: none is known. */
int quantizer_unfold(struct nn_quantizer *quantizer, const struct nn_model_source *source,
		     uint8_t **bytes, size_t *size);
/* Drops nodes whose results nobody wants then, and inputs of known values that nothing reads. */
int quantizer_drop_unread(struct nn_quantizer *quantizer);

/* ---- tflite/ ---- */

/* Makes the model of a TensorFlow Lite file. */
int quantizer_read_tflite(struct nn_quantizer *quantizer, const char *path);

/* ---- constants.c ---- */

/* Elements of a constant. */
uint64_t quantizer_constant_count(const Onnx__TensorProto *constant);
/* The elements of one of float32; NULL: it is none, or empty. */
const float *quantizer_constant_floats(const Onnx__TensorProto *constant);
/* A new one, with a copy of its data, which may be NULL: zeros. NULL: no memory. */
Onnx__TensorProto *quantizer_constant_new(struct nn_pool *pool, const char *name, int type,
					  uint32_t rank, const int64_t *dims, const void *data);
/* The bytes of a new one's data. */
void *quantizer_constant_data(Onnx__TensorProto *constant);
/* Pointers in a pool. */
struct quantizer_list {
	void **items;
	size_t count, room;
};

/* One more at the end. False: no memory. */
bool quantizer_push(struct nn_pool *pool, struct quantizer_list *list, void *pointer);

/* ---- opset.c, fold.c, normalize.c: all of it 0, or the error ---- */

/* That of ONNX's own operators; NULL: there is none. */
Onnx__OperatorSetIdProto *quantizer_opset(const struct nn_quantizer *quantizer);
int quantizer_raise_opset(struct nn_quantizer *quantizer);
int quantizer_fold(struct nn_quantizer *quantizer);
int quantizer_find_normalizations(struct nn_quantizer *quantizer);

/* ---- index.c, kinds.c ---- */

int quantizer_index(struct nn_quantizer *quantizer);
/* NO_TENSOR: there is no such tensor. */
uint32_t quantizer_find(const struct nn_quantizer *quantizer, const char *name);
enum quantizer_role quantizer_find_role(const Onnx__NodeProto *node);
/* Whether what it makes is of another type than its first input, or of none. */
bool quantizer_makes_no_float(const Onnx__NodeProto *node);
bool quantizer_is_clamp(const Onnx__NodeProto *node);
/* The dimension of its weights that is a product's outputs; -1: none is. */
int quantizer_outputs_axis(const Onnx__NodeProto *node, const Onnx__TensorProto *weights);
/* NULL for NO_TENSOR; that of input i, NULL if it is left out; and the node that makes this. */
struct quantizer_tensor *quantizer_tensor(const struct nn_quantizer *quantizer, uint32_t tensor);
struct quantizer_tensor *quantizer_input(const struct nn_quantizer *quantizer,
					 const struct quantizer_node *node, size_t i);
struct quantizer_node *quantizer_maker(const struct nn_quantizer *quantizer,
				       const struct quantizer_node *node, size_t i);
/* A node's name for people. */
const char *quantizer_node_name(const struct quantizer_node *node);
/* The tensor whose group's scale a tensor has. */
struct quantizer_tensor *quantizer_group(const struct nn_quantizer *quantizer, uint32_t tensor);

/* ---- equalize.c ---- */

/* Finds the pairs of the model. */
int quantizer_find_pairs(struct nn_quantizer *quantizer);
/* The elements of a tensor that is between a pair as they would be; NULL: no memory. Free them. */
float *quantizer_equalize_elements(const struct nn_quantizer *quantizer,
				   const struct quantizer_elements *elements);
/* Has all pairs be equalized, or as they were. */
void quantizer_equalize(struct nn_quantizer *quantizer, bool is_wanted);

/* ---- plan.c ---- */

/* Finds what is quantized, of what nobody wants in float. */
int quantizer_plan(struct nn_quantizer *quantizer);
/* Whether input i is what a node of the same layer makes: nothing is rounded in between. */
bool quantizer_is_joined(const struct nn_quantizer *quantizer, const struct quantizer_node *node,
			 size_t i);

/* ---- width.c ---- */

/* Finds which nodes and tensors of a plan are of 16 bits. */
void quantizer_find_widths(struct nn_quantizer *quantizer);
/* The integers of activations, of 8 or of 16 bits. */
enum nn_data_type quantizer_type(const struct nn_quantizer *quantizer, bool is_wide);
/* The least of these. */
int32_t quantizer_least(const struct nn_quantizer *quantizer, bool is_wide);
/* How many steps there are from the least one to the greatest. */
static inline int32_t quantizer_step_count(bool is_wide)
{
	return is_wide ? 65535 : 255;
}

/* ---- run.c ---- */

/* Imports and prepares a model for the rows of these inputs. */
int quantizer_run_open(struct nn_quantizer *quantizer, const void *data, size_t size,
		       const struct nn_buffer *inputs, struct quantizer_run *run);
/* The same of a model in protobuf-c's structures. own: its outputs; those behind them are left as they
 * are stored. */
int quantizer_run_model(struct nn_quantizer *quantizer, const Onnx__ModelProto *model,
			const struct nn_buffer *inputs, uint32_t own, struct quantizer_run *run);
/* Fills in outputs and reals from inputs of the float model. */
int quantizer_run_execute(struct nn_quantizer *quantizer, struct quantizer_run *run,
			  const struct nn_buffer *inputs);
void quantizer_run_close(struct quantizer_run *run);

/* ---- observe.c, elements.c ---- */

/* A tensor of one example. */
struct quantizer_elements {
	uint32_t tensor;
	const struct nn_tensor_info *info;
	bool is_image;		/* with its channels last, whose order of dimensions info has */
	const float *values;
	uint64_t count;
};

/*
 * Elements that are looked at: `rows` rows of `length` elements that are side by side, one of each
 * `step` rows. Each stands for as many.
 */
struct quantizer_sample {
	uint64_t rows, length;
	uint32_t step;
};

/* The row of a tensor that is row `index` of a sample: not always the same one of `step`. */
static inline uint64_t quantizer_sample_row(struct quantizer_sample sample, uint64_t index)
{
	return index * sample.step + (((uint32_t)index * 2654435761u) >> 16) % sample.step;
}

/*
 * Adds tensors of an example to what is known of them, on all threads of the device, in any order,
 * which makes no difference.
 */
int quantizer_add_elements(struct nn_quantizer *quantizer, struct quantizer_elements *elements,
			   uint32_t count);

int quantizer_observe(struct nn_quantizer *quantizer, const struct nn_buffer *inputs);

/* ---- statistics.c, range.c ---- */

/* Makes room for what is added. False: no memory. */
bool quantizer_statistics_begin(struct nn_pool *pool, struct quantizer_statistics *statistics);
/* Adds elements, of which those of the sample are counted. 0; -EDOM for what is not finite. */
int quantizer_statistics_add(struct quantizer_statistics *statistics, const float *values,
			     uint64_t count, struct quantizer_sample sample);
/* All that is known of a tensor's elements, in memory of a pool. False: there is none. */
bool quantizer_statistics_of(struct nn_pool *pool, const struct quantizer_tensor *tensor,
			     struct quantizer_statistics *statistics);
/* Adds all that was added to others. False: no memory. */
bool quantizer_statistics_merge(struct nn_pool *pool, struct quantizer_statistics *statistics,
				const struct quantizer_statistics *others);
/* How many elements there are in each of equal parts from low to high. */
void quantizer_statistics_spread(const struct quantizer_statistics *statistics, uint64_t *parts,
				 uint32_t count);
/* The range that a method finds; both are 0 where there is none. */
void quantizer_range(const struct quantizer_statistics *statistics, uint32_t method, float *low,
		     float *high);
/* Steps of all groups: those of 8 bits by their methods, those of 16 of all that occurred. */
int quantizer_set_scales(struct nn_quantizer *quantizer);

/* ---- weights.c ---- */

/*
 * Integers of a constant of float32, of int8 with a scale for each index of an axis or, with axis
 * -1, one. least: which scales are not to be smaller than; NULL: none. most: nor greater, which weights
 * that are too great for are cut off by. *count: how many scales.
 */
int quantizer_quantize_weights(struct nn_pool *pool, const Onnx__TensorProto *constant, int axis,
			       const float *least, float most, int8_t **integers,
			       float **scales, uint32_t *count);

/* ---- bias.c ---- */

/* Finds what quantizer_add_means() has to add up. */
void quantizer_find_channels(struct nn_quantizer *quantizer);
/* Makes room for the means of elements. False: no memory. */
bool quantizer_begin_means(struct nn_quantizer *quantizer, const struct quantizer_elements *elements);
/* Adds an example's elements, those of the sample. */
void quantizer_add_means(struct nn_quantizer *quantizer, const struct quantizer_elements *elements,
			 struct quantizer_sample sample);
/* The sum to add to the bias of each output of a product; NULL: nothing is known, or no memory. */
double *quantizer_find_correction(struct nn_pool *pool, const struct quantizer_node *node,
				  const struct quantizer_tensor *input,
				  const Onnx__TensorProto *weights, const int8_t *integers,
				  const float *scales, uint64_t outputs);

/* ---- write.c ---- */

/* The quantized model, as it is planned, of the scales that are set. */
int quantizer_write(struct nn_quantizer *quantizer, uint8_t **bytes, size_t *size);
/* A model's bytes, which the caller frees. */
int quantizer_pack(struct nn_quantizer *quantizer, const Onnx__ModelProto *model, uint8_t **bytes,
		   size_t *size);

/* ---- measure.c ---- */

/*
 * Runs a model on so many of the examples that are kept, or on those that are left out. outputs: as
 * many as the model has. *mean: of the SQNR of each output in each example.
 */
int quantizer_measure(struct nn_quantizer *quantizer, const void *data, size_t size, uint32_t most,
		      struct nn_quantized_output *outputs, struct quantizer_packets *packets,
		      double *mean);

/* ---- packets.c ---- */

/* Counts what a graph that is prepared takes. */
struct quantizer_packets quantizer_count_packets(const struct nn_graph *graph);

/* ---- sensitivity.c ---- */

/* Finds what each layer of the plan costs, best where it is near the budget, if there is one. */
int quantizer_measure_layers(struct nn_quantizer *quantizer, float budget);
/* Has layers be of 16 bits, or stay in float, that cost more than that; *any: there are some. */
void quantizer_spend_packets(struct nn_quantizer *quantizer, bool *any);

/* ---- choose.c ---- */

int quantizer_choose(struct nn_quantizer *quantizer, const struct nn_quantize_options *options);

#endif
