/* SPDX-License-Identifier: MIT */
/*
 * TensorFlow Lite models, inside the importer.
 *
 *	flatbuffer.c	the encoding of the file
 *	file.c		from the file to the structs below; no one else reads it
 *	sparse.c	of that, tensors that are stored as sparse ones
 *	names.c		what the format calls its operators
 *	ops.c		the table of those that nnloop knows
 *	check.c		operators of the model, held against the table
 *	tflite.c	the walk: inputs, operators in their order, outputs
 *	layer.c		operators with weights or a window
 *	truths.c	comparisons of float32
 *	long.c		windows that are longer than the graph's
 *	element.c	operators of one element
 *	function.c	functions of one element, as tables
 *	wide.c		the same of int16
 *	binary.c	operators of two
 *	divide.c	of these, the quotient
 *	integers.c	those of integers and bools
 *	int16.c		what is different where tensors are int16
 *	move.c		operators that only move elements: shapes, orders, parts
 *	arrange.c	the others of these
 *	repeat.c	constants that a model has once for each item
 *	take.c		and those that take elements by indices that are computed
 *	shape.c		numbers that are known when a model is imported, such as shapes
 *	control.c	WHILE and IF, which run other graphs of the file
 *	fold.c		those that a convolution can do as well
 *	svdf.c		layers that keep what they have read for a while
 *	lstm.c		recurrent layers
 *	resources.c	variables that operators read and assign by a handle
 *	region.c	operators whose results come from many elements each, without weights
 *	quantize.c	between float32 and integers
 *	reals.c		operators of float32 in the middle of a model
 *	floats.c	models that compute in float32
 *	float_numbers.c	those of them that round, compare, number or add up
 *	hybrid.c	their layers with weights of integers
 *	suppress.c	which of boxes that overlap are left
 *	detection.c	the custom operator that detectors end with
 *	flexbuffer.c	the encoding of its options
 *
 * A file is read once, and checked as it is read. What is in the structs can be relied on: indices
 * are valid, and constants have as many elements as their shape says. Strings and elements stay
 * where they are in the file.
 *
 * What nnloop cannot do is noted; operators that read what a refused one makes are passed over.
 *
 * All tensors have their shapes in the file. nnloop infers them as well, and where the two differ,
 * the model is refused, but for dimensions that the file leaves open: these are as they are
 * inferred. Images have their channels last, so nothing is ever turned.
 */
#ifndef NN_TFLITE_H
#define NN_TFLITE_H

#include "import/options.h"
#include "import/tflite/flatbuffer.h"

/* Flags of a tensor, for what the format can say and nnloop cannot do; 0 is none. */
enum tflite_flag {
	TFLITE_VARIABLE = 1 << 0,	/* keeps its elements from one run to the next */
	TFLITE_SPARSE = 1 << 1,
	TFLITE_OTHER_QUANT = 1 << 2,	/* described in a way of its own */
};

struct tflite_blocks; /* of fold.c */

struct tflite_tensor {
	const char *name; /* NULL: none */
	enum nn_element element; /* NN_ELEMENT_NONE: one that nnloop does not know */
	uint8_t type; /* as the file has it */
	uint8_t flags;
	uint32_t rank, dims[NN_MAX_RANK];
	/* A bit for each dimension that the file leaves open: -1 in its shape_signature. Then dims
	 * has what the converter took, up to where the walk finds what it is. */
	uint8_t open;
	bool has_signature; /* the file has one */
	bool is_constant;
	bool is_worked_out; /* that constant is no one's in the file (shape.c) */
	struct nn_const constant;
	struct nn_const scales, zero_points; /* count 0: not quantized */
	int32_t axis; /* of several scales */

	/* The number of operators' inputs that it is, and of which operator the last (fold.c). */
	uint32_t readers, reader;

	/*
	 * Set by the walk (tflite.c): what it is in the graph, NULL: nothing yet; and whether what
	 * makes it cannot run.
	 */
	struct nn_build_tensor *made;
	bool is_refused;
	/* An input of the graph that the file gives no dimension for the batch: `made` has one in
	 * front. */
	bool adds_batch;
	/* The same of one that is computed, whose dimension 0 is not 1; some operators know it. */
	bool is_item;
	/* It is of float32, and `made` are the integers that stand for it. is_unrounded: it is an
	 * input of the model, and which integers these are is up to the caller. */
	bool is_real, is_unrounded;
	/*
	 * The real numbers that the integers of a real tensor stand for, by the integers as they are
	 * stored (256 bytes or 65536 numbers of int16), if these are others than their quantization
	 * says (reals.c); else NULL. There are `real_sets` of them: one for each index of the last
	 * `real_dims` dimensions, if that is not 0.
	 */
	const float *reals;
	uint32_t real_sets, real_dims;
	/* Pixels that were moved to the batch (fold.c): it is not made then. NULL: none. */
	struct tflite_blocks *blocks;
	/* It is the handle of a variable (resources.c); else NULL. */
	struct tflite_variable *variable;
	/* The same real tensor as one of float32, where an operator wanted that (floats.c); or NULL. */
	struct nn_build_tensor *as_floats;
	/* All its elements are the same integer, `filler`, as it is stored. */
	bool is_filled;
	int32_t filler;
	float real_filler; /* the same of a real tensor, which is not made */
};

#define TFLITE_MAX_OPTIONS 7

/* Work that a convolution does for operators in front of it and behind it (fold.c). */
struct tflite_fold {
	const struct nn_build_tensor *x; /* what it convolves */
	uint32_t dilation[2]; /* height, width */
	int64_t padding[4]; /* top, left, bottom, right */
	int32_t output; /* the tensor that it makes */
	struct tflite_blocks *blocks; /* of fold.c: what that is; or NULL */
};

struct tflite_op; /* an entry of the table, below */

struct tflite_operator {
	const void *place; /* in the file */
	int32_t code; /* -1: a custom one */
	const char *custom; /* its name then */
	int32_t version;
	const struct tflite_op *op; /* NULL: nnloop has none (check.c) */
	uint32_t input_count, output_count;
	const int32_t *inputs, *outputs; /* -1: left out */
	uint32_t intermediate_count;
	const int32_t *intermediates; /* tensors that say how what is in between is quantized */
	uint8_t options_type; /* of the union; 0: none */
	struct flatbuffer_table options;
	const void *custom_options; /* of a custom one; NULL: none */
	uint32_t custom_size;
	bool more_options; /* others than these, for which the format has no fields */
	bool changes_inputs; /* it has state */
	int64_t option[TFLITE_MAX_OPTIONS]; /* by the entry's list (check.c) */
	float float_option[TFLITE_MAX_OPTIONS]; /* likewise */
	const struct tflite_fold *fold; /* NULL: it does nothing but itself */
	bool is_refused;
};

/* A graph of the file, as the import has that of the model. */
struct tflite_graph {
	uint32_t tensor_count, operator_count;
	struct tflite_tensor *tensors;
	struct tflite_operator *operators;
	uint32_t input_count, output_count;
	const int32_t *inputs, *outputs;
};

struct tflite_variable; /* of resources.c */

struct tflite_import {
	struct nn_builder builder;
	struct flatbuffer buffer;
	uint64_t file_size;
	bool may_change; /* the file is one that others may write to meanwhile */
	struct flatbuffer_vector codes, graphs, buffers;
	/* Graphs of a file with several that were read, and not walked yet; NULL: there is one. */
	struct {
		bool is;
		struct tflite_graph graph;
	} *kept;
	/* The graph that is being walked: the model's, or one that an operator runs (control.c). */
	uint32_t tensor_count, operator_count;
	struct tflite_tensor *tensors;
	struct tflite_operator *operators;
	uint32_t input_count, output_count;
	const int32_t *inputs, *outputs;
	bool one_is_batch; /* the inputs' dimension 0 is 1, and stands for any number of rows */
	bool floats; /* tensors of float32 are computed on the device (floats.c) */
	bool stands; /* integers stand for what a DEQUANTIZE makes, as long as they can */
	bool has_rows; /* dimension 0 of an input is any number of rows */
	/* The current operator's tensors have one for the batch in front of the file's dimensions. */
	bool is_lifted;
	const struct tflite_operator *now; /* the operator that is being looked at, or NULL */
	/* While it is one of reals that is done to integers: how these are quantized (reals.c). */
	const struct nn_quant *real_quant;
	uint32_t wide_tables; /* so far, and room to make the next one (wide.c) */
	int16_t *wide_table;
	uint64_t real_numbers; /* so far, in tables of reals (reals.c) */
	uint64_t made_numbers; /* so far (shape.c) */
	/* Variables that handles are of (resources.c). */
	struct tflite_variable *variables;
	uint32_t variable_count;
	bool controlled; /* data decide what it does: it is for one item, and its shapes are fixed */
	uint32_t depth; /* of graphs that operators run */
	uint64_t run_operators; /* of these, so far (control.c) */
	bool *run_graphs; /* which of the file's have been run, */
	uint32_t inner_operators; /* and the operators in them */
};

/* Advice behind a sentence about float. */
#define QUANTIZE_ALL "\nquantize the whole model, as docs/models.md says"

#define tflite_fail(import, ...) nn_builder_fail(&(import)->builder, __VA_ARGS__)
#define tflite_failed(import) nn_builder_failed(&(import)->builder)
#define tflite_alloc(import, count, size) nn_builder_alloc(&(import)->builder, count, size)
#define tflite_quote(import, name) nn_builder_quote(&(import)->builder, name)

/* ---- sparse.c ---- */

/*
 * Makes the elements of a sparse tensor, `size` bytes of `width` for each, those of a dense one, which
 * live as long as the import. sparsity: the table that the tensor has of it.
 */
int tflite_read_sparse(struct tflite_import *import, const struct flatbuffer_table *sparsity,
		       const struct tflite_tensor *tensor, uint32_t width, const void **elements,
		       uint64_t *size);

/* ---- file.c ---- */

/* The name of an input of the model as the options have it. */
static inline const char *tflite_input_name(const struct tflite_tensor *tensor)
{
	return tensor->name ? tensor->name : "";
}

/* Fills in the model: all but what says otherwise above. */
int tflite_read(struct tflite_import *import, const void *data, size_t size, const char *signature);
/* Fills in one of its graphs, which must be there, in the place of the one that is walked. */
int tflite_read_subgraph(struct tflite_import *import, uint32_t index);
/* The graph that is walked, and another one in its place. */
struct tflite_graph tflite_graph_of(const struct tflite_import *import);
void tflite_set_graph(struct tflite_import *import, const struct tflite_graph *graph);
/* Reads another one beside it; who calls it sees to it that no graph is read twice. */
int tflite_read_graph(struct tflite_import *import, int64_t index, struct tflite_graph *out);
/* The error of the encoding, if anything that was read was wrong. */
int tflite_check_encoding(struct tflite_import *import);
/* The name of a type as the file has it. */
const char *tflite_type_name(uint8_t type);

/* ---- control.c ---- */

int tflite_lower_while(struct tflite_import *import);
int tflite_lower_if(struct tflite_import *import);

/* ---- names.c ---- */

/* The name that the format has for a built-in operator. */
const char *tflite_code_name(int32_t code);

/* ---- ops.c ---- */

enum tflite_option_kind {
	TFLITE_BYTE = 1,
	TFLITE_INT,
	TFLITE_FLOAT,
	TFLITE_INTS,	/* the operator's function looks at them, if at all */
};

/*
 * An option: a field of the operator's table of options, by its place there. A field that no list
 * has, and a value outside of low..high, are refused.
 */
struct tflite_option {
	const char *name; /* as the format has it; NULL: nobody may use the field */
	enum tflite_option_kind kind;
	int32_t otherwise, low, high;
};

#define TFLITE_ANY_COUNT UINT8_MAX
#define TFLITE_STORED_8 (1 << 0)
#define TFLITE_STORED_16 (1 << 1)

struct numbers; /* of shape.c */

struct tflite_op {
	const char *name;
	int16_t code; /* -1: a custom one */
	uint8_t version; /* the last one whose definition is followed */
	uint8_t float_version; /* the same of models that compute in float32; 0: that one */
	uint8_t not_version; /* below that one, with another definition; 0: none */
	uint8_t options_type; /* in the union; 0: has none */
	uint8_t min_inputs, max_inputs;
	uint8_t outputs; /* TFLITE_ANY_COUNT: one or more */
	uint8_t option_count;
	const struct tflite_option *options;
	int (*lower)(struct tflite_import *import);
	/* Instead, where all inputs are numbers that are known (shape.c); NULL: it cannot be. */
	int (*compute)(struct tflite_import *import, struct numbers *out);
	/* Whether it knows tensors without a dimension for the batch (is_item): all its inputs are
	 * such then, and so is its output. */
	bool takes_items;
	bool has_state; /* it keeps tensors from one run to the next, which are inputs of it */
	/* TFLITE_STORED_...: integers that it hands on as they are, whatever its output says. */
	uint8_t stored;
	const char *function; /* of integers.c and shape.c: what attribute `function` is */
	const char *becomes; /* of functions of one element, or of two: nnloop's operator */
};

const struct tflite_op *tflite_get_ops(uint32_t *count);
/* custom: the name, if the code is -1. NULL: nnloop has none. */
const struct tflite_op *tflite_find_op(int32_t code, const char *custom);

/* ---- check.c ---- */

/* Whether all operators are in the table, with versions, options and counts of inputs and outputs
 * that their entries name. */
int tflite_check(struct tflite_import *import);
/* Whether a whole number is one that the option's entry names. 0 or the error. */
int tflite_check_option(struct tflite_import *import, const struct tflite_option *option,
			int64_t value);

/* ---- tflite.c ---- */

/* Appends what the operators of the graph that is walked make. */
int tflite_walk(struct tflite_import *import);

typedef void (*tflite_look_fp)(struct tflite_import *import, void *opaque);
/*
 * Imports a model as one that computes in float32, and calls a function once all of it was walked over,
 * while the import is still there: all shapes are known then, and constants that can be worked out.
 */
int tflite_import_for(struct nn_graph *graph, const struct nn_model_source *source,
		      tflite_look_fp look, void *opaque);

/* Sets what messages and names of results are about from here on; NULL: no operator. */
void tflite_look_at(struct tflite_import *import, const struct tflite_operator *operator);
/*
 * Called behind whatever looked at an operator: takes note of a refusal, as nn_builder_note() does,
 * and after that, or if it follows from another, refuses what the operator makes.
 */
int tflite_note(struct tflite_import *import, struct tflite_operator *operator, int err);

/* Inputs of the current operator. NULL: it is something else, and the error is set. */

/* Whether there is an input i. */
bool tflite_has_input(const struct tflite_import *import, uint32_t i);
/* A tensor of the graph, of integers. */
const struct nn_build_tensor *tflite_tensor_input(struct tflite_import *import, uint32_t i);
/* The same, also of an item (is_item), and, if it may be so, of float32 (is_real). */
const struct nn_build_tensor *tflite_item_input(struct tflite_import *import, uint32_t i,
						bool may_be_real);
/* The same, of 8 bits with a scale. */
const struct nn_build_tensor *tflite_8bit_input(struct tflite_import *import, uint32_t i);
/* The same, or of int16 with a scale and zero point 0. */
const struct nn_build_tensor *tflite_quantized_input(struct tflite_import *import, uint32_t i);
/* A tensor or a constant, of 8 bits with one scale. 0 or the error. */
int tflite_operand_input(struct tflite_import *import, uint32_t i, struct nn_operand *out);
/* The same of any type of integers or bool, as they are stored. */
int tflite_stored_operand_input(struct tflite_import *import, uint32_t i, struct nn_operand *out);
/* A constant of integers, such as a shape or an axis. */
const struct nn_const *tflite_ints_input(struct tflite_import *import, uint32_t i);
/* A variable, which no other operator reads and nothing has made, and how it is quantized. */
int tflite_state_input(struct tflite_import *import, uint32_t i, const struct tflite_tensor **state,
		       struct nn_quant *quant);
/* A constant, for the builder. */
int tflite_parameter_input(struct tflite_import *import, uint32_t i, struct nn_parameter *out);
/* The same of a bias, which may be of int64. */
int tflite_bias_input(struct tflite_import *import, uint32_t i, struct nn_parameter *out);
/* The same, which may be of float32. */
int tflite_real_parameter_input(struct tflite_import *import, uint32_t i,
				struct nn_parameter *out);

/* Input i if it is filled and not made, else NULL. */
const struct tflite_tensor *tflite_filled_input(const struct tflite_import *import, uint32_t i);
/* How a tensor that is computed is quantized; and its zero point, 0 if it says none. */
int tflite_tensor_quant(struct tflite_import *import, const struct tflite_tensor *tensor,
			struct nn_quant *out);
int64_t tflite_first_zero_point(const struct tflite_tensor *tensor);

/* Outputs of the current operator. */

/* Reads how the file says that it is quantized; 8 bits have a scale. */
int tflite_output_quant(struct tflite_import *import, uint32_t i, struct nn_quant *out);
/* The same of output 0, which has the type of the input. */
int tflite_typed_output_quant(struct tflite_import *import, enum nn_data_type type,
			      struct nn_quant *out);
/* Reads how one of the current operator's results in between is quantized, to 8 bits. */
int tflite_intermediate_quant(struct tflite_import *import, uint32_t i, struct nn_quant *out);
/*
 * Checks that an output with the input's quantization has it in the file, too, or that the operator
 * does not look at it (struct tflite_op, `stored`): tflite_define() makes it what the file says then.
 */
int tflite_same_quant(struct tflite_import *import, uint32_t i, const struct nn_quant *input);
/* The same integers, of 8 or 16 bits, with another quantization of that type; out may be x. */
int tflite_build_stored(struct tflite_import *import, const struct nn_build_tensor *x,
			const struct nn_quant *quant, struct nn_build_tensor *out);
/* Makes of a tensor whose integers it hands on so, in place, one that is quantized as output i. */
int tflite_keep_stored(struct tflite_import *import, uint32_t i, struct nn_build_tensor *made);
/* Takes in what its shape is, of one item, where the file leaves that open. */
void tflite_fill_open(struct tflite_import *import, uint32_t i, uint32_t rank,
		      const uint32_t *dims);
/* The same of output 0, which then has to be of that shape; `than`: whose it is, for the error. */
int tflite_need_shape(struct tflite_import *import, uint32_t rank, const uint32_t *dims,
		      const char *than);
/* The shape that the file gives it, with NN_ROWS where that is meant. */
void tflite_output_shape(const struct tflite_import *import, uint32_t i, uint32_t *rank,
			 uint32_t dims[NN_MAX_RANK]);
/* Says what the output is; its shape must be the file's. The second: what that tensor is. */
int tflite_define(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *made);
int tflite_define_tensor(struct tflite_import *import, int32_t index,
			 const struct nn_build_tensor *made);
/* Makes the current operator's inputs and outputs lifted (is_lifted), if that can be. */
bool tflite_lift(struct tflite_import *import);
/* Defines an output without a dimension for the batch, which `made` has in front. */
int tflite_define_item(struct tflite_import *import, uint32_t i,
		       const struct nn_build_tensor *made);

/* Activations that operators have in them. */
enum tflite_activation {
	TFLITE_ACTIVATION_NONE,
	TFLITE_ACTIVATION_RELU,
	TFLITE_ACTIVATION_RELU_N1_TO_1,
	TFLITE_ACTIVATION_RELU6,
};
/*
 * Puts what ends in the middle between two steps of 8 bits at the one that XNNPACK takes: the nearest
 * stored integer, ties to even.
 */
void tflite_settle_range(struct nn_range *range, const struct nn_quant *quant);
/*
 * Checks that a range ends at steps: a number in the middle between two of them is rounded in other
 * ways by each of TensorFlow Lite's operators.
 */
int tflite_need_range(struct tflite_import *import, const struct nn_range *range,
		      const struct nn_quant *quant);
struct nn_range tflite_activation_range(int64_t activation);
/* Checks the input's type of operators that TensorFlow Lite 2.9 has no kernel of uint8 for. */
int tflite_need_int8(struct tflite_import *import, enum nn_data_type type);

/* ---- svdf.c ---- */

int tflite_lower_svdf(struct tflite_import *import);

/* ---- lstm.c ---- */

int tflite_lower_lstm(struct tflite_import *import);

/* ---- quantize.c ---- */

#define TFLITE_CODE_QUANTIZE 114

/* Finds how the model quantizes a float32 input of its own; -ENOENT: not at all. */
int tflite_find_input_quant(struct tflite_import *import, const struct tflite_tensor *input,
			    struct nn_quant *out);
/* A real number, quantized as XNNPACK does it: to the nearest, ties to even. */
int32_t tflite_quantize_real(float real, const struct nn_quant *quant);
/* The same of an integer that is quantized otherwise, in place; false: nnloop does not know it. */
bool tflite_rescale_number(const struct nn_quant *from, const struct nn_quant *to, int64_t *number);
int tflite_lower_quantize(struct tflite_import *import);
int tflite_lower_dequantize(struct tflite_import *import);

/* ---- reals.c ---- */

/* The integers that an element of 8 bits, or of int16, can be. */
uint32_t tflite_count_integers(const struct tflite_tensor *tensor);
/* The real number of a set that a real tensor's element, as it is stored, stands for. */
float tflite_read_real(const struct tflite_tensor *tensor, uint32_t set, uint32_t stored);
/*
 * Builds integers, or float32, out of the tensor's: `table`, of quant's type, has what becomes of
 * each of them, set by set.
 */
int tflite_build_sets(struct tflite_import *import, const struct tflite_tensor *tensor,
		      const void *table, const struct nn_quant *quant,
		      struct nn_build_tensor *made);
/* Whether the current operator is one of reals that can be lowered; and lowers it. */
bool tflite_has_reals(struct tflite_import *import);
int tflite_lower_reals(struct tflite_import *import);
/* Refuses those that are known between DEQUANTIZE and QUANTIZE only. */
int tflite_lower_real(struct tflite_import *import);

/* ---- floats.c ---- */

/* Whether integers stand for what the file has as float32: in a model of floats alone none do. */
static inline bool tflite_stands_for(const struct tflite_import *import,
				     const struct tflite_tensor *tensor)
{
	return tensor->element == NN_ELEMENT_FLOAT && import->stands;
}
/* The numbers that a real tensor's integers stand for, as float32. NULL: the error is set. */
const struct nn_build_tensor *tflite_as_floats(struct tflite_import *import,
					       struct tflite_tensor *tensor);
/* Quantizes a tensor of float32 as QUANTIZE does: times the inverse of the scale. */
int tflite_quantize_floats(struct tflite_import *import, const struct nn_build_tensor *x,
			   const struct nn_quant *quant, struct nn_build_tensor *made);
/* Whether an operator but QUANTIZE takes a tensor of float32. */
bool tflite_has_float_parts(const struct tflite_import *import);
/* Whether nothing of the model that is computed is quantized. */
bool tflite_is_of_floats(const struct tflite_import *import);
/* Whether the current operator computes in float32; and lowers it. */
bool tflite_has_floats(const struct tflite_import *import);
int tflite_lower_floats(struct tflite_import *import);
int tflite_lower_only_in_float(struct tflite_import *import);
/* Inputs of the current operator: a tensor of float32, a constant of it, either of them. */
int tflite_float_tensor(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out);
int tflite_float_constant(struct tflite_import *import, uint32_t i, struct nn_const *out);
int tflite_float_operand(struct tflite_import *import, uint32_t i, struct nn_build_tensor *tensor,
			 struct nn_operand *out);
/* Puts an activation behind what was made. */
int tflite_limit_float(struct tflite_import *import, int64_t activation,
		       struct nn_build_tensor *made);

/* ---- float_numbers.c ---- */

int tflite_lower_float_not_equal(struct tflite_import *import);
int tflite_lower_float_zeros(struct tflite_import *import);
int tflite_lower_float_floor_div(struct tflite_import *import);
int tflite_lower_float_floor_mod(struct tflite_import *import);
int tflite_lower_float_cast(struct tflite_import *import);
int tflite_lower_float_cumsum(struct tflite_import *import);

/* ---- hybrid.c ---- */

/* Whether the weights of the current node, its input 1, are integers beside an input of float32. */
bool tflite_is_hybrid(const struct tflite_import *import);
/* Builds what it makes of them, but for its activation. */
int tflite_build_hybrid_layer(struct tflite_import *import, struct nn_build_tensor *out);
int tflite_build_hybrid_product(struct tflite_import *import, bool transposed,
				struct nn_build_tensor *out);
int tflite_build_hybrid_conv(struct tflite_import *import, const struct nn_build_tensor *x,
			     bool is_depthwise, struct nn_window *window,
			     struct nn_build_tensor *out);
int tflite_build_hybrid_transposed(struct tflite_import *import, const struct nn_build_tensor *x,
				   struct nn_transposed *transposed, bool valid,
				   struct nn_build_tensor *out);

/* ---- float_layers.c ---- */

int tflite_lower_float_conv(struct tflite_import *import);
int tflite_lower_float_transpose_conv(struct tflite_import *import);
int tflite_lower_float_transpose_bias(struct tflite_import *import);
int tflite_lower_float_fully_connected(struct tflite_import *import);
int tflite_lower_float_pool(struct tflite_import *import);
int tflite_lower_float_batch_matmul(struct tflite_import *import);

/* ---- float_recurrent.c: the same of layers over a sequence ---- */

int tflite_lower_float_lstm(struct tflite_import *import);
int tflite_lower_float_lstm_both(struct tflite_import *import);
int tflite_lower_float_rnn(struct tflite_import *import);

/* ---- truths.c ---- */
/* Whether the current operator is a comparison. */
bool tflite_has_truths(const struct tflite_import *import);
/* Lowers it for input `at`, which is of reals, and a number. */
int tflite_lower_truths(struct tflite_import *import, const struct tflite_tensor *x, uint32_t at);

/* ---- suppress.c, detection.c ---- */

#define TFLITE_MAX_BOXES 65536 /* that are made of an item */

int tflite_lower_non_max_suppression(struct tflite_import *import);
int tflite_lower_detection(struct tflite_import *import);

/* ---- layer.c ---- */

/* The positions at which the entries of convolutions have their options. */
enum tflite_conv_option {
	TFLITE_CONV_PADDING,
	TFLITE_CONV_STRIDE_W,
	TFLITE_CONV_STRIDE_H,
	TFLITE_CONV_ACTIVATION,
	TFLITE_CONV_DILATION_W,
	TFLITE_CONV_DILATION_H,
	TFLITE_DEPTHWISE_ACTIVATION = 4,
	TFLITE_DEPTHWISE_DILATION_W,
	TFLITE_DEPTHWISE_DILATION_H,
	TFLITE_POOL_WIDTH = 3, /* and those of pools */
	TFLITE_POOL_HEIGHT,
	TFLITE_POOL_ACTIVATION,
};
#define TFLITE_PADDING_VALID 1

/* Finds where windows are, of padding and strides, which all of them have as options 0, 1 and 2. */
int tflite_place_window(struct tflite_import *import, const struct nn_build_tensor *x,
			struct nn_window *window);
/* Puts an activation behind an operator that has not `done` it itself, and defines output 0. */
int tflite_finish_layer(struct tflite_import *import, const struct nn_range *range, bool done,
			struct nn_build_tensor *made);
/* Finds where a transposed convolution of x begins, whose strides and outputs are known; and reads the
 * shape of its output. */
int tflite_place_transposed(struct tflite_import *import, const struct nn_build_tensor *x,
			    const uint32_t weights[4], bool valid, struct nn_transposed *out);
int tflite_read_output_shape(struct tflite_import *import, uint32_t dims[NN_MAX_RANK],
			     struct nn_build_tensor *x);
/* Whether weights are of as many channels as x, in float32. */
int tflite_need_channels(struct tflite_import *import, const struct nn_build_tensor *x,
			 const uint32_t weights[4]);
/* x as a fully connected layer multiplies it. */
int tflite_flatten(struct tflite_import *import, const struct nn_build_tensor *x, uint32_t inputs,
		   struct nn_build_tensor *out);
int tflite_lower_conv(struct tflite_import *import);
int tflite_lower_depthwise_conv(struct tflite_import *import);
int tflite_lower_transpose_conv(struct tflite_import *import);
int tflite_lower_fully_connected(struct tflite_import *import);
int tflite_lower_average_pool(struct tflite_import *import);
int tflite_lower_max_pool(struct tflite_import *import);

/* ---- long.c ---- */

/* Makes a convolution's window, which is placed, one of the graph's, with other weights and x. */
int tflite_shorten_conv(struct tflite_import *import, uint32_t group, struct nn_build_tensor *x,
			struct nn_build_weights *weights, struct nn_window *window);
/* A MaxPool whose window is longer in a direction than the graph's. */
int tflite_build_long_pool(struct tflite_import *import, const struct nn_build_tensor *x,
			   const struct nn_window *window, struct nn_build_tensor *out);
/* An AveragePool likewise. */
int tflite_build_long_average(struct tflite_import *import, const struct nn_build_tensor *x,
			      const struct nn_window *window, struct nn_build_tensor *out);

/* ---- element.c ---- */

int tflite_lower_unary(struct tflite_import *import);
int tflite_lower_relu(struct tflite_import *import);
int tflite_lower_relu_n1_to_1(struct tflite_import *import);
int tflite_lower_relu6(struct tflite_import *import);
int tflite_lower_leaky_relu(struct tflite_import *import);
int tflite_lower_softmax(struct tflite_import *import);
int tflite_lower_l2_normalization(struct tflite_import *import);

/* ---- int16.c ---- */

/* Whether input i is a tensor or a constant of int16. */
bool tflite_is_int16(const struct tflite_import *import, uint32_t i);
/*
 * Reads how output 0 is quantized, of an operator whose input is x: both are of int16, or neither.
 */
int tflite_wide_output_quant(struct tflite_import *import, const struct nn_build_tensor *x,
			     struct nn_quant *out);
/* Fails where the activation is one that operators of int16 do not have in them. */
int tflite_need_wide_activation(struct tflite_import *import, const struct nn_range *range);
/* Input i, a tensor or a constant of int16 with one scale and zero point 0. */
int tflite_wide_operand_input(struct tflite_import *import, uint32_t i, struct nn_operand *out);
/* Limits what an operator of int16 made, as its activation says. */
int tflite_limit_wide(struct tflite_import *import, const struct nn_range *range,
		      struct nn_build_tensor *made);
/* The sum of inputs 0 and 1, or their difference. */
int tflite_lower_add_int16(struct tflite_import *import, bool subtract);
/* ---- function.c ---- */

/* The result, before it is saturated to the output's type, of an element less its zero point. */
typedef int64_t (*tflite_function_fp)(int32_t q, const struct nn_quant *from,
				      const struct nn_quant *to);

/* A function of x, which is of 8 bits, as a table. An error where x's scale is 2^15 times that of
 * quant, which is of 8 bits, too, or more. */
int tflite_build_table(struct tflite_import *import, const struct nn_build_tensor *x,
		       tflite_function_fp function, const struct nn_quant *quant,
		       struct nn_build_tensor *made);
/* x in another quantization as LiteRT's own kernel has it: sixteen elements at a time, where ties of
 * the second rounding go up, and what is left of an item by itself, by this function. */
int tflite_build_requantized(struct tflite_import *import, const struct nn_build_tensor *x,
			     tflite_function_fp last, const struct nn_quant *quant,
			     struct nn_build_tensor *made);
/* A result's integer part; of what such functions make far beyond 8 bits, less. */
int64_t tflite_whole(float y);
int tflite_lower_abs(struct tflite_import *import);
/*
 * Whether XNNPACK computes the LEAKY_RELU that is lowered; and lowers that. Its slopes and alpha are
 * normal numbers within what it knows, and input and output of one type.
 */
bool tflite_has_xnnpack_leaky_relu(struct tflite_import *import);
int tflite_lower_xnnpack_leaky_relu(struct tflite_import *import);
int tflite_lower_elu(struct tflite_import *import);
int tflite_lower_gelu(struct tflite_import *import);
int tflite_lower_exp(struct tflite_import *import);
int tflite_lower_log(struct tflite_import *import);
int tflite_lower_sqrt(struct tflite_import *import);
int tflite_lower_rsqrt(struct tflite_import *import);
int tflite_lower_hard_swish(struct tflite_import *import);

/* ---- wide.c: of int16 ---- */

/* Room for a table of 65536 results; NULL: the error is set. */
int16_t *tflite_begin_wide_table(struct tflite_import *import);
/* int16, or 8 bits as int16, in another quantization; with limits, before the zero point is added. */
struct tflite_wide_rescale {
	double ratio; /* of the scales */
	bool is_abs;
	int32_t low, high; /* low: 0, or INT32_MIN */
};
int tflite_build_wide_rescale(struct tflite_import *import, const struct nn_build_tensor *x,
			      const struct tflite_wide_rescale *rescale,
			      const struct nn_quant *quant, struct nn_build_tensor *made);
int tflite_lower_wide_relu(struct tflite_import *import);
int tflite_lower_wide_relu6(struct tflite_import *import);
int tflite_lower_wide_abs(struct tflite_import *import);
/* LOGISTIC or TANH. */
int tflite_lower_wide_curve(struct tflite_import *import, bool is_tanh);
/*
 * A function of int16 as TensorFlow Lite's kernels interpolate it, which compute some of it. ends: the
 * least and the greatest number that the output can be.
 */
typedef float (*tflite_real_fp)(float x, const float ends[2]);
int tflite_lower_between_places(struct tflite_import *import, tflite_real_fp function);

/* ---- binary.c ---- */

/*
 * A tensor of fewer dimensions than the other has ones behind its batch then, where that is 1 in the
 * file: what it meets there is a dimension of its own, along which it is broadcast. i: which of the
 * two, the current node's inputs, that may be.
 */
int tflite_widen(struct tflite_import *import, uint32_t i, struct nn_operand operands[2]);
int tflite_lower_sum(struct tflite_import *import);
int tflite_lower_mul(struct tflite_import *import);
int tflite_lower_div(struct tflite_import *import);
int tflite_lower_extreme(struct tflite_import *import);
int tflite_lower_prelu(struct tflite_import *import);
int tflite_lower_squared_difference(struct tflite_import *import);
int tflite_lower_batch_matmul(struct tflite_import *import);

/* ---- divide.c ---- */

/* Builds the quotient of two operands of 8 bits, of one type, which is the output's, too. */
int tflite_build_quotient(struct tflite_import *import, const struct nn_operand operands[2],
			  const struct nn_quant *quant, struct nn_build_tensor *made);

/* ---- integers.c ---- */

/* Whether input 0 is of int32, int64 or bool. */
bool tflite_is_plain(const struct tflite_import *import);
/* Where shapes differ, TensorFlow Lite's own kernels have no more than four dimensions. */
int tflite_need_broadcast(struct tflite_import *import, const struct nn_operand *operands,
			  uint32_t count);
int tflite_lower_integers(struct tflite_import *import);
/* SQUARED_DIFFERENCE of int32. */
int tflite_lower_plain_squared_difference(struct tflite_import *import);
int tflite_lower_compare(struct tflite_import *import);
int tflite_lower_select(struct tflite_import *import);
int tflite_lower_cast(struct tflite_import *import);

/* ---- move.c ---- */

int tflite_lower_reshape(struct tflite_import *import);
int tflite_lower_squeeze(struct tflite_import *import);
int tflite_lower_expand_dims(struct tflite_import *import);
int tflite_lower_concatenation(struct tflite_import *import);
int tflite_lower_transpose(struct tflite_import *import);
int tflite_lower_slice(struct tflite_import *import);
int tflite_lower_strided_slice(struct tflite_import *import);
/*
 * Finds what entry `entry` of STRIDED_SLICE, whose begins, ends and strides are bounds[], takes of
 * a dimension of `size` indices.
 */
int tflite_find_steps(struct tflite_import *import, const struct nn_const *bounds[3],
		      uint32_t entry, int64_t size, struct nn_steps *steps);
int tflite_lower_split(struct tflite_import *import);

/* ---- arrange.c ---- */

int tflite_lower_pad(struct tflite_import *import);
int tflite_lower_pad_v2(struct tflite_import *import);
int tflite_lower_mirror_pad(struct tflite_import *import);
int tflite_lower_pack(struct tflite_import *import);
int tflite_lower_unpack(struct tflite_import *import);
int tflite_lower_split_v(struct tflite_import *import);
int tflite_lower_gather(struct tflite_import *import);
int tflite_lower_reverse(struct tflite_import *import);
int tflite_lower_tile(struct tflite_import *import);
int tflite_lower_broadcast_to(struct tflite_import *import);
int tflite_lower_depth_to_space(struct tflite_import *import);
int tflite_lower_space_to_depth(struct tflite_import *import);

/* A dimension that is not the batch, from the last one if negative; 0: the error is set. */
uint32_t tflite_find_axis(struct tflite_import *import, int64_t axis, uint32_t rank);

/* ---- repeat.c ---- */

/* BROADCAST_TO of a constant, input 0; and QUANTIZE of what comes of that. */
int tflite_broadcast_constant(struct tflite_import *import);
int tflite_quantize_constant(struct tflite_import *import);
/* Whether input i is a constant; and that as a part beside `like`, along an axis, for all rows. */
bool tflite_is_constant_part(const struct tflite_import *import, uint32_t i);
int tflite_repeat_part(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *like,
		       int64_t axis, struct nn_build_tensor *out);

/* ---- take.c ---- */

/* GATHER, where the indices are computed. */
int tflite_lower_gather_computed(struct tflite_import *import);
int tflite_lower_gather_nd(struct tflite_import *import);
int tflite_lower_one_hot(struct tflite_import *import);
int tflite_lower_top_k(struct tflite_import *import);
int tflite_lower_cumsum(struct tflite_import *import);

/* ---- shape.c ---- */

/*
 * Whether the current operator's entry has a `compute`, and all its inputs are constants of int32
 * or int64, or were made such.
 */
bool tflite_is_known(const struct tflite_import *import);
/* Makes output 0 a constant then. */
int tflite_compute(struct tflite_import *import);
int tflite_compute_same(struct tflite_import *import, struct numbers *out);
int tflite_compute_pack(struct tflite_import *import, struct numbers *out);
int tflite_compute_concatenation(struct tflite_import *import, struct numbers *out);
int tflite_compute_strided_slice(struct tflite_import *import, struct numbers *out);
int tflite_compute_slice(struct tflite_import *import, struct numbers *out);
int tflite_compute_gather(struct tflite_import *import, struct numbers *out);
int tflite_compute_binary(struct tflite_import *import, struct numbers *out);
int tflite_compute_reduction(struct tflite_import *import, struct numbers *out);
int tflite_compute_range(struct tflite_import *import, struct numbers *out);
/*
 * Before so many numbers are made that the file does not have; fails where they are too many in
 * all.
 */
int tflite_make_numbers(struct tflite_import *import, uint64_t count);
/* Lowers operators that are only known as numbers: an error if they are not. */
int tflite_lower_known(struct tflite_import *import);
int tflite_lower_shape(struct tflite_import *import);
int tflite_lower_fill(struct tflite_import *import);
/*
 * Tensors of which all elements are the same, an item for each of the batch (is_filled): makes it
 * if it has not been; says that output 0 is one; and such a tensor as a constant of one number.
 */
int tflite_make_filled(struct tflite_import *import, struct tflite_tensor *tensor);
void tflite_define_filled(struct tflite_import *import, int32_t filler);
/* Whether the current operator moves elements of such a tensor; and lowers it. */
bool tflite_moves_filled(const struct tflite_import *import, const struct tflite_tensor **filled);
int tflite_move_filled(struct tflite_import *import, const struct tflite_tensor *filled);
int tflite_filled_operand(struct tflite_import *import, const struct tflite_tensor *tensor,
			  struct nn_parameter *out);
int tflite_lower_zeros_like(struct tflite_import *import);

/* ---- fold.c ---- */

/* Before the walk. */
void tflite_count_readers(struct tflite_import *import);
/* Whether a convolution pads x, which the current operator would; then there is nothing to do. */
bool tflite_fold_pad(struct tflite_import *import, const struct nn_build_tensor *x,
		     const uint32_t *before, const uint32_t *after);
/* Whether an input of the current operator is of blocks of pixels; and lowers it. */
bool tflite_has_blocks(const struct tflite_import *import);
int tflite_lower_blocks(struct tflite_import *import);
/* Called by a convolution of blocks with what it made. */
int tflite_finish_blocks(struct tflite_import *import, const struct nn_build_tensor *made);
int tflite_lower_space_to_batch(struct tflite_import *import);
int tflite_lower_batch_to_space(struct tflite_import *import);
/* ---- resources.c ---- */

/* Finds the model's variables, what they are at first, and which of them are never assigned. */
int tflite_find_variables(struct tflite_import *import);
int tflite_lower_var_handle(struct tflite_import *import);
int tflite_lower_read_variable(struct tflite_import *import);
int tflite_lower_assign_variable(struct tflite_import *import);

/* ---- region.c ---- */

int tflite_lower_resize_bilinear(struct tflite_import *import);
int tflite_lower_resize_nearest(struct tflite_import *import);
/* The dimensions that input 1 names, a bit for each. */
int tflite_read_axes(struct tflite_import *import, const struct nn_build_tensor *x, uint32_t *axes);
int tflite_lower_mean(struct tflite_import *import);
int tflite_lower_reduce_sum(struct tflite_import *import);
int tflite_lower_reduce_extreme(struct tflite_import *import);
int tflite_lower_arg(struct tflite_import *import);
int tflite_lower_log_softmax(struct tflite_import *import);

#endif
