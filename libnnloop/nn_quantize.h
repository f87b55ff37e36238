/* SPDX-License-Identifier: MIT */
/*
 * Quantizing models: from an ONNX or TensorFlow Lite model that computes in float32 to an ONNX model of 8
 * bits that computes nearly the same, by what example inputs are like.
 *
 *	nn_quantizer_create
 *	nn_quantizer_read_file			a float model
 *	nn_quantizer_feed			with each example, 100 to 500 of them
 *	nn_quantizer_choose			ranges, scales, and what stays in float
 *	nn_quantizer_get_model			the bytes of an ONNX file
 *	nn_quantizer_get_output...		what it costs
 *	nn_quantizer_destroy
 *
 * The file is in ONNX's QDQ form, with QuantizeLinear and DequantizeLinear around each operator, of
 * opset 13 or of the model's own if that is later (17 if there are normalizations computed step by
 * step, which become LayerNormalization): activations of 8 bits with one scale each, weights of int8
 * with one for each output, and biases corrected for what rounding these adds. Any runtime runs it.
 * Channels between neighbouring layers can be made as large as each other.
 * What has no quantized form stays in float. Activations of nodes that are to have 16 bits are rounded
 * by com.microsoft's operators of these names below opset 21, as ONNX's own have 8 bits alone there.
 *
 * Unless it says otherwise, a function returns 0 or a negative errno, and nn_quantizer_error() then
 * has a sentence. Errors that any call may return: -ENOMEM, -EINVAL for an argument or an order of
 * calls that breaks what is written here. Calls on the same quantizer must not run at the same time.
 *
 * Of the same examples, in the same order, the same file is made on each processor and with any
 * number of threads.
 *
 * Memory: while examples are fed, the model's constants three times, and the tensors of one example;
 * besides, the inputs and outputs of the examples that are measured.
 */
#ifndef NN_QUANTIZE_H
#define NN_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

#include "nn_graph.h"
#include "nn_import.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct nn_quantizer - a model that is being quantized; opaque */
struct nn_quantizer;

/**
 * nn_quantizer_create - make a quantizer that has no model yet
 * @device: where examples are run: the host device, whose threads are all used. A reference is
 *	kept until the quantizer is destroyed
 * @quantizer: set to it on success
 *
 * Return: 0 or -ENOMEM.
 */
int nn_quantizer_create(struct nn_device *device, struct nn_quantizer **quantizer);

/**
 * nn_quantizer_destroy - free a quantizer and all that belongs to it
 * @quantizer: may be NULL
 */
void nn_quantizer_destroy(struct nn_quantizer *quantizer);

/**
 * nn_quantizer_error - what the last call that failed says
 * @quantizer: a quantizer
 *
 * Return: it, owned by the quantizer, and overwritten by its next call. node is 0: text has the
 * names of nodes and tensors as the model has them.
 */
const struct nn_error *nn_quantizer_error(const struct nn_quantizer *quantizer);

/**
 * nn_quantizer_read_file - read a float model
 * @quantizer: one that has no model
 * @path: an ONNX file, or a TensorFlow Lite file, which becomes an ONNX model with inputs and outputs of
 *	the same names and shapes. Data that it has in other files is read as nn_graph_import_file() does
 * @options: what the model leaves open, as for nn_graph_import_file_with(); NULL: nothing
 *
 * Shapes that are given are those of the examples, and of the file that is made. Where they, or values, say
 * which branch of an If is taken, that is in the file in place of the If; inputs that nothing reads then
 * are not.
 *
 * Return: 0; what nn_graph_import_file_with() returns for a model that nnloop cannot run in float;
 * -EOPNOTSUPP for one that is neither an ONNX nor a TensorFlow Lite model, that has an operator that
 * nnloop cannot write as ONNX or bring to the opset that it needs, or that has values given which are
 * no constants in it; -EEXIST for one that is quantized already.
 */
static inline int nn_quantizer_read_file(struct nn_quantizer *quantizer, const char *path,
					 const struct nn_import_options *options);

/**
 * nn_quantizer_get_graph - the float model as a graph
 * @quantizer: one that has a model
 *
 * It is not prepared, and is for nn_graph_get_input_count(), nn_graph_get_input_info() and
 * nn_graph_get_open_dim().
 *
 * Return: it, owned by the quantizer; NULL if there is no model.
 */
const struct nn_graph *nn_quantizer_get_graph(const struct nn_quantizer *quantizer);

/**
 * nn_quantizer_feed - run the float model on an example, and take note of what its tensors are like
 * @quantizer: one that has a model, before nn_quantizer_choose()
 * @inputs: as for nn_graph_execute() of the float model: real values, as nnloop run takes them.
 *	Copied where the example is measured
 * @count: length of @inputs
 *
 * An example is one item, or several at once. The first NN_QUANTIZE_MEASURED of them are kept, to
 * measure what is chosen.
 *
 * Return: 0; -EDOM for a tensor that is not a number or infinite, which the sentence names; what
 * nn_graph_execute() returns.
 */
int nn_quantizer_feed(struct nn_quantizer *quantizer, const struct nn_buffer *inputs,
		      uint32_t count);

#define NN_QUANTIZE_MEASURED	32u	/* examples that are kept to be measured */

/** enum nn_quantize_method - how a tensor's range is found. Numbers are only ever added */
enum nn_quantize_method {
	NN_QUANTIZE_AUTO = 0,		/* that of the next four that costs the outputs least */
	NN_QUANTIZE_MIN_MAX = 1,	/* all that occurred */
	NN_QUANTIZE_PERCENTILE = 2,	/* but one element of 10,000 on each side */
	NN_QUANTIZE_ENTROPY = 3,	/* the least divergence between the distributions */
	NN_QUANTIZE_SQUARED_ERROR = 4,	/* the least squared error of the tensor's elements */
	NN_QUANTIZE_EACH = 5,		/* of each tensor that of these that costs the outputs least */
};

/**
 * struct nn_quantize_options - how to quantize
 * @method: how ranges are found: an enum nn_quantize_method
 * @activations: NN_UINT8 or NN_INT8; 0: NN_UINT8, which ONNX Runtime runs fastest
 * @keep: names of nodes that stay in float
 * @keep_count: length of @keep
 * @budget: not 0: layers that cost the outputs more than that, in dB of SQNR, have activations of 16
 *	bits if that is enough, or stay in float: whichever takes the DSP fewer packets
 * @pixel_channels: not 0: the quantized model's input, of which there is one, takes the bytes of pictures
 *	as they are, of uint8, and makes of a byte of each channel what the float model takes
 * @pixel_axis: the input's dimension that these channels are. With one channel it is all of them
 * @pixel_factors: of each channel: the real number is the byte times that,
 * @pixel_terms: and then plus this
 * @int16: names of nodes that have activations of 16 bits: uint16 or int16, as @activations has a sign
 * @int16_count: length of @int16
 */
struct nn_quantize_options {
	uint32_t method;
	uint32_t activations;
	const char *const *keep;
	uint32_t keep_count;
	float budget;
	uint32_t pixel_channels;
	uint32_t pixel_axis;
	const float *pixel_factors;
	const float *pixel_terms;
	const char *const *int16;
	uint32_t int16_count;
};

/**
 * nn_quantizer_choose - choose ranges, and make the quantized model
 * @quantizer: one that was fed with at least one example
 * @options: NULL: all zero
 *
 * Can be called again, with other options.
 *
 * What is measured is the model with real inputs, also where the one that is made takes bytes.
 *
 * Return: 0; -ENODATA without examples; -EDOM for an output that is the same in all examples, of
 * which there are several; -ENOENT for a node to keep, or to have 16 bits, that the model does not have;
 * -EINVAL for one that is to be both; -EOPNOTSUPP if
 * nothing can be quantized, or if bytes of pictures are wanted and there is not one input of float32
 * that has as many channels.
 */
static inline int nn_quantizer_choose(struct nn_quantizer *quantizer,
				      const struct nn_quantize_options *options);

/**
 * nn_quantizer_get_model - the quantized model
 * @quantizer: one that has chosen
 * @data: set to the bytes of an ONNX file, which are the quantizer's
 * @size: how many
 *
 * Return: 0 or -EINVAL.
 */
int nn_quantizer_get_model(const struct nn_quantizer *quantizer, const void **data, size_t *size);

/* ---- What it costs -------------------------------------------------------------------------- */

/**
 * struct nn_quantized_info - what was made of a model
 * @example_count: that it was fed with
 * @measured_count: how many of these figures are of
 * @output_count: for nn_quantizer_get_output()
 * @tensor_count: for nn_quantizer_get_tensor()
 * @layer_count: for nn_quantizer_get_layer()
 * @float_count: layers that stayed in float
 * @float_packets_before: of the float model on the DSP, estimated, as nn_plan_info has them
 * @float_packets_after: of what of the quantized model is in float
 * @method: by which ranges were found, never NN_QUANTIZE_AUTO
 * @int16_count: layers whose activations have 16 bits
 * @equalized_count: pairs of neighbouring layers whose channels are equalized: those that NN_QUANTIZE_AUTO
 *	and NN_QUANTIZE_EACH found that the outputs differ less with
 * @packets_before: of the whole float model on the DSP, estimated
 * @packets_after: of the quantized one; integers by their multiplications and bytes, more roughly than floats
 */
struct nn_quantized_info {
	uint32_t example_count;
	uint32_t measured_count;
	uint32_t output_count;
	uint32_t tensor_count;
	uint32_t layer_count;
	uint32_t float_count;
	uint64_t float_packets_before;
	uint64_t float_packets_after;
	uint32_t method;
	uint32_t int16_count;
	uint32_t equalized_count;
	uint64_t packets_before;
	uint64_t packets_after;
};

/**
 * struct nn_quantized_output - how an output differs from that of the float model
 * @name: as the model has it
 * @sqnr: 10 log10 of the sum of squares over that of the differences' squares, in dB; infinite if
 *	nothing differs
 * @cosine: of the angle between the two as vectors; 1 is best
 * @worst: the greatest difference
 * @row_count: rows, each of which is an item's
 * @agree_count: rows of which the greatest element is the same one
 */
struct nn_quantized_output {
	const char *name;
	double sqnr;
	double cosine;
	double worst;
	uint64_t row_count;
	uint64_t agree_count;
};

/**
 * struct nn_quantized_tensor - a tensor of the quantized model
 * @name: as the float model has it
 * @low: the least element that occurred
 * @high: the greatest
 * @scale: real value of one step
 * @zero_point: the integer that means 0
 * @method: an enum nn_quantize_method, one of those that find ranges themselves; of 16 bits always
 *	NN_QUANTIZE_MIN_MAX
 * @type: of its integers: an enum nn_data_type. What one node makes with 16 bits and another reads with
 *	8 is rounded in between once more; this is what is made
 */
struct nn_quantized_tensor {
	const char *name;
	float low;
	float high;
	float scale;
	int32_t zero_point;
	uint32_t method;
	uint32_t type;
};

/**
 * struct nn_quantized_layer - a node of the float model that computes in float
 * @name: its name or, if it has none, that of what it makes
 * @op: its operator
 * @kept: why it stayed in float; NULL if it is quantized
 * @sqnr: mean of the outputs' in dB when it is the only one that is quantized, together with the clamp
 *	behind it or the function that it begins; 0 if that was not measured, or not of this node
 * @cost: what the outputs' SQNR would gain, in dB, if it stayed in float, where the noise of all layers
 *	adds up; 0 likewise. With a budget this is of 8 bits, also where it has others
 * @type: of the activations that it reads and makes: an enum nn_data_type; NN_FLOAT32 for one that stayed
 *	in float
 * @widened: why these have 16 bits; NULL: they have not
 */
struct nn_quantized_layer {
	const char *name;
	const char *op;
	const char *kept;
	double sqnr;
	double cost;
	uint32_t type;
	const char *widened;
};

/**
 * nn_quantizer_measure_layers - find what each layer costs
 * @quantizer: one that has chosen
 *
 * Runs the model on the first example once for each layer, with that one quantized and all others in
 * float, and on the first four for the six that cost most: nn_quantizer_get_layer() tells the
 * figures. What was chosen remains.
 *
 * Return: 0 or a negative errno.
 */
int nn_quantizer_measure_layers(struct nn_quantizer *quantizer);

/**
 * nn_quantizer_set_progress - have a function called while layers are measured, or methods tried
 * @quantizer: a quantizer
 * @function: called with the layers or methods that are done, or the tensors for which methods were tried,
 *	and how many there are; NULL: none
 * @opaque: for it
 */
void nn_quantizer_set_progress(struct nn_quantizer *quantizer, nn_progress_fp function,
			       void *opaque);

/* Strings are the quantizer's. -EINVAL: nothing was chosen yet; -ENOENT: no such index. */

/** nn_quantizer_get_info - what was made of the model */
static inline int nn_quantizer_get_info(const struct nn_quantizer *quantizer,
					struct nn_quantized_info *info);
/** nn_quantizer_get_output - how an output differs, in the order of the model's outputs */
static inline int nn_quantizer_get_output(const struct nn_quantizer *quantizer, uint32_t index,
					  struct nn_quantized_output *output);
/** nn_quantizer_get_tensor - a quantized tensor, in the order of their names */
static inline int nn_quantizer_get_tensor(const struct nn_quantizer *quantizer, uint32_t index,
					  struct nn_quantized_tensor *tensor);
/** nn_quantizer_get_layer - a node, in the order they are computed */
static inline int nn_quantizer_get_layer(const struct nn_quantizer *quantizer, uint32_t index,
					 struct nn_quantized_layer *layer);

/**
 * nn_quantizer_get_layer_input - which layers a layer reads
 * @quantizer: one that has chosen
 * @index: of the layer
 * @input: which of its inputs that other layers make, from 0
 * @layer: set to the index of the layer that makes it
 *
 * Return: 0; -EINVAL: nothing was chosen yet; -ENOENT: there is no such layer, or it has no more.
 */
int nn_quantizer_get_layer_input(const struct nn_quantizer *quantizer, uint32_t index,
				 uint32_t input, uint32_t *layer);

/**
 * nn_quantizer_get_histogram - how often elements of a quantized tensor occurred
 * @quantizer: one that has chosen
 * @index: of the tensor
 * @bins: filled in: elements in each of as many equal parts of its range from low to high; about, as
 *	the quantizer's own parts are of another size
 * @count: of the parts
 *
 * Return: 0; -ENOMEM; -EINVAL: nothing was chosen yet; -ENOENT: there is no such tensor.
 */
int nn_quantizer_get_histogram(const struct nn_quantizer *quantizer, uint32_t index,
			       uint64_t *bins, uint32_t count);

/* ---- The sizes of this header's structures, told to the library (see nn_graph.h) ------------ */

int nn_quantizer_read_file_sized(struct nn_quantizer *quantizer, const char *path,
				 const struct nn_import_options *options, size_t size);
static inline int nn_quantizer_read_file(struct nn_quantizer *quantizer, const char *path,
					 const struct nn_import_options *options)
{
	return nn_quantizer_read_file_sized(quantizer, path, options, sizeof(*options));
}

int nn_quantizer_choose_sized(struct nn_quantizer *quantizer,
			      const struct nn_quantize_options *options, size_t size);
static inline int nn_quantizer_choose(struct nn_quantizer *quantizer,
				      const struct nn_quantize_options *options)
{
	return nn_quantizer_choose_sized(quantizer, options, sizeof(*options));
}

int nn_quantizer_get_info_sized(const struct nn_quantizer *quantizer,
				struct nn_quantized_info *info, size_t size);
static inline int nn_quantizer_get_info(const struct nn_quantizer *quantizer,
					struct nn_quantized_info *info)
{
	return nn_quantizer_get_info_sized(quantizer, info, sizeof(*info));
}

int nn_quantizer_get_output_sized(const struct nn_quantizer *quantizer, uint32_t index,
				  struct nn_quantized_output *output, size_t size);
static inline int nn_quantizer_get_output(const struct nn_quantizer *quantizer, uint32_t index,
					  struct nn_quantized_output *output)
{
	return nn_quantizer_get_output_sized(quantizer, index, output, sizeof(*output));
}

int nn_quantizer_get_tensor_sized(const struct nn_quantizer *quantizer, uint32_t index,
				  struct nn_quantized_tensor *tensor, size_t size);
static inline int nn_quantizer_get_tensor(const struct nn_quantizer *quantizer, uint32_t index,
					  struct nn_quantized_tensor *tensor)
{
	return nn_quantizer_get_tensor_sized(quantizer, index, tensor, sizeof(*tensor));
}

int nn_quantizer_get_layer_sized(const struct nn_quantizer *quantizer, uint32_t index,
				 struct nn_quantized_layer *layer, size_t size);
static inline int nn_quantizer_get_layer(const struct nn_quantizer *quantizer, uint32_t index,
					 struct nn_quantized_layer *layer)
{
	return nn_quantizer_get_layer_sized(quantizer, index, layer, sizeof(*layer));
}

#ifdef __cplusplus
}
#endif

#endif
