/* SPDX-License-Identifier: MIT */
/*
 * The ONNX importer's own declarations. What it builds graphs with is in import/build.h.
 *
 *	file.c		bytes to protobuf-c's structures
 *	tensor.c	constants and attributes
 *	scoped.c	names of graphs within graphs
 *	names.c		the model's nodes in one list, and the names in it
 *	input.c		the model's inputs, and what is said of them
 *	branch.c	If, whose condition is known
 *	unfold.c	a model without these
 *	apart.c		whether a model that moves its batch keeps the items apart
 *	onnx.c		nn_graph_import_onnx(): the walk over the model
 *	value.c		what a name of the model stands for, and how it is quantized
 *	operand.c	what operators read, and those that wait for their quantization
 *	ops.c		the table of operators
 *	check.c		what of a model the table has
 *	refused.c	what cannot run, and what follows from it
 *	quantize.c	constants, QuantizeLinear, DequantizeLinear, and what only clamps
 *	shape.c		operators that only move elements: shapes, orders, Concat
 *	arrange.c	the others of these
 *	take.c		those that take elements by computed indices, and TopK
 *	scatter.c	those that put elements there
 *	window.c	convolutions and pools
 *	directions.c	convolutions and averages of volumes in which one direction is 1, and lines
 *	volume.c	convolutions of volumes
 *	long.c		those whose window or stride is longer than the graph's
 *	patches.c	those whose weights are computed
 *	taps.c		pools of windows that the graph's do not have
 *	binary.c	operators of two operands
 *	reals.c		those of which one is a constant that is not quantized
 *	real.c		those whose results nothing quantizes
 *	floats.c	those of one element, or two, that are computed in float
 *	float.c		models that compute in float: which nodes do, and what of each element
 *	float_window.c	their convolutions, pools and products
 *	float_along.c	what goes along dimensions there
 *	integers.c	those of integers and bools: arithmetic, comparisons, logic, Cast
 *	select.c	Where; Trilu, OneHot and Hardmax, which are made of it
 *	matmul.c	products of matrices
 *	sums.c		MatMulInteger and ConvInteger, whose sums stay as they are
 *	dynamic.c	tensors that are quantized by what is in them
 *	einsum.c	Einsum, as a product of matrices
 *	resize.c	Resize
 *	resample.c	what of it is computed in float
 *	roi_align.c	RoiAlign
 *	suppress.c	NonMaxSuppression, and the loop of what it finds
 *	attention.c	Attention
 *	recurrent.c	LSTM, GRU, RNN
 *	grid_sample.c	GridSample
 *	loss.c		how far scores are from the classes that are right
 *	rotary_embedding.c	RotaryEmbedding
 *	reduce.c	those along dimensions
 *	counted.c	the same of integers without a scale
 *	normalize.c	normalizations
 *	moments.c	normalizations that a model computes step by step
 *	numbers.c	shapes, and what is computed of few constants
 *	fold.c		what is computed of these
 *	fold_moves.c	their shapes, orders and choices
 *	function.c	functions of one element, and chains of them
 *	compute.c	the others that compute
 *	loop.c		those of nnloop's own domain: loops, and what runs in them
 *	scan.c		ONNX's own Loop over rows, with its body
 *	control.c	any other Loop, Scan and If
 *
 * A quantized ONNX model computes on paper in float: DequantizeLinear, operator, QuantizeLinear.
 * The importer walks the nodes once, in their order, and keeps for each name what it stands for
 * (struct onnx_value): a stored tensor; a *real* view of one (behind a DequantizeLinear); or a
 * *pending* result, an operator on real operands that no QuantizeLinear has rounded yet. The
 * QuantizeLinear says scale and zero point of the result and thereby turns the pending operator
 * into a node.
 *
 * What cannot run is noted, and what it would make is ONNX_REFUSED; nodes that read such a value
 * are passed over, and what they make is refused as well. Their operators and attributes have been
 * held against the table before. So one import finds all reasons that do not follow from others.
 */
#ifndef NN_ONNX_H
#define NN_ONNX_H

#include "import/options.h"
#include "ops/support/formulas.h"
#include "onnx.pb-c.h"

struct onnx_boxes;
struct onnx_choice;
struct onnx_control;
struct onnx_import;
struct onnx_moment;
struct onnx_op;
struct onnx_padding;
struct onnx_pending;
struct onnx_room;
struct onnx_scan;
struct onnx_symbol;
struct onnx_value;

/* ---- file.c ---- */

/* The model without its raw data, which onnx_raw_data() finds in the file; NULL: *wrong says why,
 * or is NULL if there is no memory. */
Onnx__ModelProto *onnx_unpack(const void *data, size_t size, const char **wrong);
/* A tensor's raw data, a view of the file or the model's; false: it has none. */
bool onnx_find_raw(const struct nn_model_source *source, const Onnx__TensorProto *tensor,
		   const void **data, uint64_t *size);
bool onnx_raw_data(const struct onnx_import *import, const Onnx__TensorProto *tensor,
		   const void **data, uint64_t *size);
void onnx_free(Onnx__ModelProto *model);
/* Changes a string of the model, which has one; false: there is no memory. */
bool onnx_set_string(char **string, const char *to);

/* ---- scoped.c ---- */

/* Makes the names of graphs within graphs different from each other; false: there is no memory. */
bool onnx_scope_names(const Onnx__ModelProto *model);

/* ---- tensor.c ---- */

enum nn_element onnx_to_element(int32_t type); /* ONNX__TENSOR_PROTO__DATA_TYPE__* */
int onnx_const_read(struct onnx_import *import, const Onnx__TensorProto *tensor,
		    struct nn_const *out);

const Onnx__AttributeProto *onnx_attr(const Onnx__NodeProto *node, const char *name);
/* The value, or `otherwise` if the node does not have the attribute. */
int64_t onnx_attr_int(const Onnx__NodeProto *node, const char *name, int64_t otherwise);
float onnx_attr_float(const Onnx__NodeProto *node, const char *name, float otherwise);
const char *onnx_attr_string(struct onnx_import *import, const char *name, const char *otherwise);

/* ---- The state of an import ---- */

enum onnx_kind {
	ONNX_UNDEFINED, /* not reached yet */
	ONNX_ABSENT, /* an optional input that is not there */
	ONNX_CONST,
	ONNX_STORED, /* a tensor of integers */
	ONNX_REAL_CONST, /* a constant, dequantized */
	ONNX_REAL, /* a tensor, dequantized */
	ONNX_PENDING, /* real, not rounded yet */
	ONNX_ROW_COUNT, /* numbers, of which some are multiples of dimension 0 of a tensor */
	ONNX_ITERATION, /* the number of a Loop's iteration */
	ONNX_REFUSED, /* what makes it cannot run, or reads what is refused */
};

/* Appends the nodes that compute `pending`, rounded as `quant` says. `activation`: NULL or what its
 * attribute can be. */
typedef int (*onnx_emit_fp)(struct onnx_import *import, const struct onnx_pending *pending,
			    const struct nn_quant *quant, const char *activation,
			    struct nn_build_tensor *out);

/* Appends the nodes that compute it in float32. */
typedef int (*onnx_emit_real_fp)(struct onnx_import *import, const struct onnx_pending *pending,
				 struct nn_build_tensor *out);

/* A real operator that waits for its QuantizeLinear. */
struct onnx_pending {
	onnx_emit_fp emit;
	const Onnx__NodeProto *node; /* where it came from */
	const struct onnx_value **operands;
	uint32_t operand_count;
	bool takes_activation; /* emit heeds its argument */
	const char *rounding; /* of two operands: its attribute */
	bool *failed; /* emit has, and would again; shared by copies */
	struct nn_range range; /* what Relu and Clip made of its range */
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK]; /* of what it makes, for onnx_define_pending() */

	struct nn_window window; /* of convolutions and pools */
	struct nn_transposed transposed; /* of transposed convolutions */
	struct nn_resize resize; /* of Resize */
	struct nn_build_weights weights; /* of convolutions and fully connected; operand 1's */
	uint32_t group; /* Conv */
	uint32_t axis; /* Concat: in ONNX's order; Softmax; reductions: a bit for each */
	bool keep_dims; /* reductions */
	bool and_behind; /* Softmax: over the dimensions behind the axis as well */
	bool may_be_nan; /* its results, such as 0 times infinity */
	/*
	 * The results of a function of operand 0, by its stored bits, and behind these 256, or
	 * 65536, the least and the greatest that a runtime may have for each; NULL: it is no
	 * function of them.
	 */
	const float *results;
	/*
	 * What it is in float32 of operand 0: the function of nnloop's operator Real, along so many
	 * axes, of these 256 reals, by stored bytes, or of what they stand for; NULL: nnloop has it
	 * rounded alone, or as `results`.
	 */
	const char *real;
	uint32_t real_axes;
	const float *reals;
	onnx_emit_real_fp make_real; /* or what makes that, where Real alone does not */
	struct nn_const bias; /* of make_real; without data: none */
	const struct onnx_op *op; /* nnloop's operator for it */
	const struct onnx_pending *inner; /* what makes it with other dimensions (directions.c) */
	struct nn_attr attr; /* its attribute; without a name: none */
	const struct onnx_padding *padding; /* Pad (arrange.c) */
	const struct onnx_boxes *boxes; /* RoiAlign (roi_align.c) */
	struct nn_normalization *normalization;
	const struct onnx_moment *moment; /* what of a normalization it is (moments.c); or NULL */
};

/* Who says how a value is quantized: the first node among those that read it, or the nodes behind a
 * value that is quantized as it is. NULL: nobody. */
struct onnx_quantizer {
	const Onnx__NodeProto *node;
	const struct onnx_value *next;
};

/* Where the items of a batch are in a value, while one item of it is imported (apart.c). */
struct onnx_place {
	bool is; /* it depends on them */
	uint32_t axis, outer;
	int64_t step; /* of a constant: what it is more for each item than for the one before */
	bool of_item; /* not `is`: each item has its own, such as its scale */
};

/* A loop of nnloop's own that values are made in (loop.c). */
struct onnx_cut {
	const struct onnx_cut *around; /* NULL: none */
	uint32_t depth; /* how many these are */
	uint32_t windows; /* of another dimension than rows; 0: it goes over rows */
	bool is_of_found; /* boxes that a NonMaxSuppression finds (suppress.c) */
};

struct onnx_value {
	enum onnx_kind kind;
	/* The name and the shape of any kind of value. quant: of ONNX_STORED, ONNX_REAL and
	 * ONNX_REAL_CONST. The rest: of ONNX_STORED and ONNX_REAL. */
	struct nn_build_tensor tensor;
	struct nn_const constant; /* ONNX_CONST, ONNX_REAL_CONST and ONNX_ROW_COUNT */
	struct onnx_pending *pending; /* ONNX_PENDING */
	bool unrounded; /* ONNX_REAL: the model's float input, which only its first QuantizeLinear
			 * makes integers */
	bool promised; /* ONNX_REAL: rounded as a QuantizeLinear further on will; what the model has
			* there is not, so that only what moves and clamps may read it; or computed
			* in float32, which an output may be as well */
	const struct onnx_value *rows_of; /* ONNX_ROW_COUNT: the tensor */
	const bool *batch; /* ONNX_ROW_COUNT: which numbers are so many times that */
	/* ONNX_CONST, ONNX_REAL_CONST: its first dimension of 1 is repeated for the rows of this
	 * tensor; NULL: it is not. */
	const struct onnx_value *repeated_for;
	bool in_loop; /* made in a Loop's body, or from what was */
	const struct onnx_cut *cut; /* the innermost of org.nnloop's loops that it is made in; or NULL */
	bool is_input; /* of the model, and no constant */
	bool is_output; /* of the model, or of a body in it */
	struct onnx_place place;
	const Onnx__NodeProto *maker; /* the node that makes it; NULL: none does */
	const char *begins_as; /* of a body's input: the value that it is at first, or a part of; or NULL */
	/* What a body's output is behind the node, and in the next iteration; or NULL. */
	const struct onnx_value *goes_on_as[2];
	bool bare; /* it has no dimensions in the model, and one of 1 in the graph */
	bool rowless; /* a row without the dimension for it, which an Unsqueeze adds at once */
	uint32_t *users; /* nodes that read it, in order: indices of onnx_import.steps */
	uint32_t user_count;
	/* onnx_is_quantized_alike(), which fills it in. */
	enum { ONNX_ENDS_UNKNOWN, ONNX_ENDS_ALIKE, ONNX_ENDS_OTHERWISE } ends;
	struct onnx_quantizer quantizers[2]; /* while it is real, and while it is stored */
};

/* A node, or the begin or end of a Loop, whose body's nodes are between the two. */
enum onnx_step_kind {
	ONNX_NODE,
	ONNX_LOOP_BEGIN, /* over rows (scan.c) */
	ONNX_LOOP_END,
	ONNX_INNER_LOOP, /* in another's body; its own is not among the steps */
	/* A Loop, Scan or If as scopes (control.c): behind the first body of two is a next one. */
	ONNX_BODY_BEGIN,
	ONNX_BODY_NEXT,
	ONNX_BODY_END,
};

struct onnx_step {
	const Onnx__NodeProto *node;
	enum onnx_step_kind kind;
	bool refused; /* or behind what is */
};

/* Whether it is the only step of its node, or the first of several. */
static inline bool onnx_is_first(const struct onnx_step *step)
{
	return step->kind != ONNX_LOOP_END && step->kind != ONNX_BODY_NEXT &&
	       step->kind != ONNX_BODY_END;
}

/* The Ifs whose condition turned out to be known, which outlives a walk. */
struct onnx_choices {
	struct onnx_choice *list; /* of these `sorted` are in the list of nodes */
	uint32_t count, sorted, room;
};

struct onnx_import {
	struct nn_builder builder; /* with the pool of all but protobuf-c's structures */
	const Onnx__ModelProto *model;
	const struct nn_model_source *source; /* its bytes, the caller's */
	struct onnx_choices *choices;
	const Onnx__GraphProto **branches; /* those that are taken of an If */
	uint32_t branch_count;
	struct onnx_symbol *symbols; /* names of dimensions that somebody says something of */
	uint32_t symbol_count;
	struct onnx_step *steps; /* the nodes of the model, that of a Loop's body included */
	uint32_t step_count;
	struct onnx_scan *scan; /* the Loop that is open; NULL: none */
	bool controlled; /* Loop, Scan and If become scopes, of the shapes that the model has */
	bool has_control; /* there are some that are not decided */
	bool decides_rows; /* the number of rows decides one */
	struct onnx_control *control; /* the scope that is open; NULL: none */
	uint32_t loop_count; /* loop-control nodes appended */
	uint32_t wide_count; /* results of 16 bits that there are */
	const Onnx__NodeProto *node; /* that is being looked at; NULL: none */
	const struct onnx_op *op; /* its operator; NULL: unknown */
	bool makes_bare; /* what the node makes has no dimensions */
	bool one_batch; /* all inputs have as many rows */
	bool had_one; /* every input has 1 in front, or one is open there, and given as 1 */
	bool one_is_batch; /* every one's is 1, and it is taken as NN_ROWS */
	bool whole; /* what the importer was asked for: that is no batch */
	bool had_open; /* every input is open in front, and has as many items */
	bool apart; /* one of these is imported, and must be kept apart from others */
	bool mixes; /* and something does not keep it so */
	bool floats; /* what nothing quantizes is computed in float32, on the device (float.c) */
	bool in_float; /* and: the graph's inputs are of float32 where the model's are */
	struct onnx_room *rooms; /* of the numbers that a node computes with */
	uint64_t room_count, number_count; /* numbers of these, and of all nodes so far */
	bool needs_float; /* that may help: an input is quantized in several ways */
	struct onnx_value *values; /* sorted by name */
	uint32_t value_count;
	uint32_t readers_left; /* value.c: to look at for one value */
	struct onnx_value absent;
};

/* The builder's, for short. */
#define onnx_fail(import, ...) nn_builder_fail(&(import)->builder, __VA_ARGS__)
#define onnx_quote(import, name) nn_builder_quote(&(import)->builder, name)
#define onnx_alloc(import, count, size) nn_builder_alloc(&(import)->builder, count, size)
#define onnx_failed(import) nn_builder_failed(&(import)->builder)

#define onnx_follow(import) nn_builder_follow(&(import)->builder)

/* The same of what could run if it were quantized, or were computed in float. */
#define onnx_fail_float(import, sentence, ...)                                               \
	nn_builder_fail_float(&(import)->builder,                                            \
			      onnx_fail(import, -EOPNOTSUPP, sentence                        \
					"\nquantize the model statically, to 8 bits: with ONNX " \
					"Runtime, quantize_static()", ##__VA_ARGS__))

/* The same of what is known in float32 only, so that quantizing is no help. */
#define onnx_fail_form(import, sentence, ...)                        \
	nn_builder_fail_form(&(import)->builder,                     \
			     onnx_fail(import, -EOPNOTSUPP, sentence, ##__VA_ARGS__))

/* Advice for the end of the format of an onnx_fail(). */
#define ONNX_QUANTIZE_INPUT                                      \
	"\nquantize the input itself: with quantize_static(), " \
	"extra_options={'ForceQuantizeNoInputCheck': True}"
#define ONNX_8_BITS "\nquantize to 8 bits: QuantType.QInt8 or QUInt8"
#define ONNX_ONE_WIDTH "\nquantize its input and its result to as many bits"
#define ONNX_FIX_SHAPES "\nexport the model with fixed shapes; only the batch may vary"
#define ONNX_KEEP_BATCH "\nleave the first dimension, the batch, as it is"

/* Makes a node the one that is being looked at. */
void onnx_look_at(struct onnx_import *import, const Onnx__NodeProto *node);

/* ---- input.c ---- */

int onnx_import_inputs(struct onnx_import *import, const struct nn_import_options *options);

/* ---- branch.c ---- */

int onnx_lower_if(struct onnx_import *import);
/* The input of the model that a value is computed of, by the first of each node's inputs that is no
 * constant; NULL: none is found. */
const char *onnx_find_source(struct onnx_import *import, const char *name);
/* The branch that is taken of a node; NULL: it is no If, or not known yet. */
const Onnx__GraphProto *onnx_chosen_branch(const struct onnx_choices *choices,
					   const Onnx__NodeProto *node);
const Onnx__GraphProto *onnx_taken_branch(const struct onnx_import *import,
					  const Onnx__NodeProto *node);
/* Whether there are decisions that the list of nodes does not have; it will have them now. */
bool onnx_sort_choices(struct onnx_choices *choices);
/* A node that makes output i of an If of that of its branch; NULL: no memory. */
Onnx__NodeProto *onnx_pass_on(struct nn_pool *pool, const Onnx__NodeProto *node,
			      const Onnx__GraphProto *branch, size_t i);

/* ---- unfold.c ---- */

/* Makes the bytes of the model with the branches that are chosen in the places of their Ifs, which the
 * caller frees; NULL: none is chosen. 0 or -ENOMEM. */
int onnx_unfold(const struct onnx_choices *choices, const struct nn_model_source *source,
		const Onnx__ModelProto *model, uint8_t **bytes, size_t *size);

/* ---- control.c ---- */

/* Whether it is a Loop, Scan or If. */
bool onnx_is_control(const Onnx__NodeProto *node);
/* Its bodies, those of an If in the order then, else; one that is absent is not counted. */
uint32_t onnx_find_bodies(const Onnx__NodeProto *node, const Onnx__GraphProto *bodies[2]);
/* Says where what comes out of a body goes on, for who looks for its quantization. */
void onnx_index_bodies(struct onnx_import *import, const Onnx__NodeProto *node);
/* Scan, where it is not imported as a scope. */
int onnx_lower_scan(struct onnx_import *import);
/* The steps of such a node; those that are not the first end a body. */
int onnx_begin_control(struct onnx_import *import, uint32_t step);
int onnx_end_control(struct onnx_import *import, uint32_t step);

/* ---- iterate.c ---- */

/* Refuses to take elements of x by the number of an iteration, where there are more of these. */
int onnx_check_iteration(struct onnx_import *import, const struct nn_build_tensor *index,
			 const struct nn_build_tensor *x, uint32_t axis);

/* ---- apart.c ---- */

/* Finds where the items are in what the current node makes, or refuses it. */
int onnx_place_items(struct onnx_import *import);
/* A quantized constant that is the same for each item as a tensor with a row for each. NULL: the
 * error is set. */
const struct onnx_value *onnx_place_constant(struct onnx_import *import,
					     const struct onnx_value *constant);
/* Takes note where the current node, which cannot run for one item, would mix several. */
void onnx_note_mixing(struct onnx_import *import);
/* Whether the rows of an output of the model are those of one item after the other. */
int onnx_check_item_rows(struct onnx_import *import, const struct onnx_value *output);

/* ---- names.c ---- */

/* Called for the model's graph, for that of each Loop and for each branch that is taken. */
typedef int (*onnx_graph_fp)(struct onnx_import *import, const Onnx__GraphProto *graph);

/* Fills in steps and values: all nodes in one list, a Loop's body where the Loop stands and a taken
 * branch instead of its If, and all names, with the nodes that read them. */
int onnx_index(struct onnx_import *import);
int onnx_for_each_graph(struct onnx_import *import, onnx_graph_fp function);

struct onnx_value *onnx_find(struct onnx_import *import, const char *name);
/* Input or output i of the current node. Absent ones are never NULL: their kind is ONNX_ABSENT. */
struct onnx_value *onnx_input(struct onnx_import *import, uint32_t i);
struct onnx_value *onnx_output(struct onnx_import *import, uint32_t i);

/* ---- value.c ---- */

static inline bool onnx_is_const(const struct onnx_value *value)
{
	return value->kind == ONNX_CONST || value->kind == ONNX_REAL_CONST;
}

/* A tensor of a node's, of integers or what they stand for. */
static inline bool onnx_is_tensor(const struct onnx_value *value)
{
	return value->kind == ONNX_STORED || value->kind == ONNX_REAL;
}

/* Gives output i of the current node the value of another one; an output that the model does not
 * name is wanted by nobody. */
int onnx_define(struct onnx_import *import, uint32_t i, const struct onnx_value *like);
int onnx_define_const(struct onnx_import *import, const struct nn_const *constant);
/* Makes the constant that is output 0 of the current node repeated for the rows of a tensor. */
int onnx_repeat(struct onnx_import *import, const struct onnx_value *rows_of);
/* The type of integers that a QuantizeLinear's output_dtype asks for; 0: it leaves that to the zero
 * point. */
enum nn_data_type onnx_output_type(const Onnx__NodeProto *node);
/*
 * Scale and zero point as the inputs of a QuantizeLinear give them. `type` of the integers, or 0:
 * the zero point's, uint8 without one. `axis`, of dims, for one scale per index.
 */
int onnx_quant_read(struct onnx_import *import, const struct onnx_value *scale,
		    const struct onnx_value *zero_point, enum nn_data_type type, int64_t axis,
		    uint32_t rank, const uint32_t *dims, struct nn_quant *out);
/* Fills in what is known of a value when its users are: its quantizers. */
void onnx_index_quantizers(struct onnx_import *import, struct onnx_value *value);
/*
 * The quantization that a value gets further on: of the first QuantizeLinear that it reaches
 * through operators that only move or clamp elements. Of a stored one: of the first operator that
 * says what the integers mean; plain integers if none does.
 */
int onnx_find_quant(struct onnx_import *import, const struct onnx_value *value, bool stored,
		    enum nn_data_type type, struct nn_quant *quant);
/* Whether there is such a QuantizeLinear behind a real value. */
bool onnx_is_quantized(const struct onnx_value *value);
/* Whether there are operators of the type: 8 bits, or int16. */
bool onnx_is_computed(enum nn_data_type type);
/* Whether it is a quantized constant that is the same for each item (onnx_place_constant()). */
static inline bool onnx_is_placed(const struct onnx_value *value)
{
	return value->kind == ONNX_REAL_CONST && value->place.is && !value->place.axis &&
	       !value->place.step && value->constant.rank && value->constant.dims[0] == 1 &&
	       !value->tensor.quant.scales && onnx_is_computed(value->tensor.quant.type);
}
/* How far apart the least and the greatest real of a quantized tensor are. */
double onnx_find_span(const struct nn_quant *quant);
/* Whether it is, and everywhere in one way, so that nothing needs it in float. */
bool onnx_is_quantized_alike(struct onnx_import *import, const struct onnx_value *value);
/* Whether the value is quantized wherever it goes, and only copied before that. */
bool onnx_is_copied(struct onnx_import *import, const struct onnx_value *value);
/*
 * Whether sums of float32 can be what `quant` is of, the greatest of the elements being `greatest`:
 * nnloop's sums are exact; what ONNX Runtime's leave of elements that cancel is some 2^-24 of them.
 */
int onnx_check_sums(struct onnx_import *import, double greatest, const struct nn_quant *quant);
/* The same for sums of products with weights. */
int onnx_check_products(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant);
/* A float input of the model, which the graph has as float32, quantized. */
int onnx_quantize_input(struct onnx_import *import, const struct onnx_value *value,
			const struct nn_quant *quant, struct nn_build_tensor *out);
/* The value as a stored tensor, rounded (again, if it was with another scale or zero point) as
 * `quant` says. */
int onnx_settle(struct onnx_import *import, const struct onnx_value *value,
		const struct nn_quant *quant, struct nn_build_tensor *out);

/* ---- operand.c ---- */

/* Inputs of the current node. All of them: NULL: it is something else, and the error is set. */

/*
 * The operand of an operator that moves elements: stored or real. A pending one is settled as it
 * will be further on.
 */
const struct onnx_value *onnx_movable_input(struct onnx_import *import, uint32_t i);
/* The same of integers, or what will be: floats that nothing quantizes are refused. */
const struct onnx_value *onnx_ordered_input(struct onnx_import *import, uint32_t i);
/* Input i as a real tensor. */
const struct onnx_value *onnx_real_input(struct onnx_import *import, uint32_t i);
/* Input i as a real tensor or a constant, dequantized. */
const struct onnx_value *onnx_operand_input(struct onnx_import *import, uint32_t i);
/* Input i as constant weights, dequantized. */
const struct onnx_value *onnx_weights_input(struct onnx_import *import, uint32_t i);
/* Input i as a real tensor or constant, with scale and zero point in the two inputs behind it, as
 * the QLinear operators have them. */
const struct onnx_value *onnx_linear_input(struct onnx_import *import, uint32_t i, int64_t axis);
/* Scale and zero point, inputs i and i + 1, have no dimensions: some definitions want it so. */
int onnx_need_scalars(struct onnx_import *import, uint32_t i);
/* A constant operand, for the builder; NULL if the model leaves it out. */
const struct nn_parameter *onnx_parameter(const struct onnx_value *value, struct nn_parameter *out);

/* An operator of the current node that waits for its QuantizeLinear. */
struct onnx_pending *onnx_new_pending(struct onnx_import *import, onnx_emit_fp emit,
				      uint32_t operand_count);
/* Output 0 of the current node. NULL: there is none, the error is set, and its code returned. */
int onnx_define_pending(struct onnx_import *import, struct onnx_pending *pending);
/* One on x with constant weights, and perhaps a bias: its operands 0, 1 and 2. */
struct onnx_pending *onnx_new_weighted(struct onnx_import *import, onnx_emit_fp emit,
				       const struct onnx_value *x, const struct onnx_value *w,
				       const struct onnx_value *bias);
/* The same for a QLinear operator, whose inputs `scale` and scale + 1 are its output's. `type` of
 * its output, or 0: the zero point's, which must be there then. */
int onnx_define_linear(struct onnx_import *import, struct onnx_pending *pending, uint32_t scale,
		       enum nn_data_type type);

/* ---- ops.c ---- */

/*
 * An attribute that an operator has in ONNX, and the values of it that nnloop can do.
 *
 * values: NULL: all. Else separated by "|": words for a string, for numbers and for each of a list
 * of them "3", "1..255" or "1..". ONNX_NO_VALUE: whoever gives the attribute is refused.
 */
struct onnx_attr_rule {
	const char *name;
	Onnx__AttributeProto__AttributeType type;
	const char *values;
	uint8_t first, last; /* opsets that have it; 0: all that the operator's entry names */
	bool required;
	bool any_float; /* infinite or no number as well; its function looks at it */
};

#define ONNX_NO_VALUE ""

/*
 * The number of inputs of an operator, as of an opset. Those that it must have have a name, but
 * where there can be any number.
 */
struct onnx_input_rule {
	uint8_t least, most;
	uint8_t first; /* opset; 0: in a later rule, that there is none */
};

#define ONNX_ANY_COUNT UINT8_MAX
#define ONNX_NEWEST 28 /* of ONNX's own opsets */

/*
 * An operator of ONNX. An entry says what is to be known about it without looking into its
 * function; a new property is a new member, which is 0 for all that do not have it. What an entry
 * does not name, an opset, an attribute or an input, is refused before anything is lowered.
 */
struct onnx_op {
	const char *domain; /* NULL: ONNX's own */
	const char *name;
	/* Handles the current node, where it is no function of one tensor nor computes numbers, or
	 * fails; NULL: Loop, which is no single step. */
	int (*lower)(struct onnx_import *import);
	uint8_t opsets[2]; /* of its domain, the first and the last: whose definition it follows */
	struct onnx_input_rule inputs[3];
	uint8_t may_lack; /* of the least inputs those that can be left out, a bit each */
	uint8_t outputs; /* at most; 0: 1 */
	const struct onnx_attr_rule *attrs; /* up to one without a name; NULL: none */
	bool is_function; /* in the model, for other runtimes; its body is not looked at */
	bool only_moves; /* elements, so that the output has the first input's quantization */
	/* The function of reductions. For function.c and binary.c: nnloop's operator, and the
	 * attribute that both have, with what it is where the model does not say. */
	const char *becomes;
	const char *attr;
	float otherwise;
};

/* The table. */
const struct onnx_op *onnx_get_ops(uint32_t *count);
/* NULL: nnloop has none for the node. */
const struct onnx_op *onnx_find_op(const Onnx__NodeProto *node);
/* Handles the current node, or fails. */
int onnx_lower_node(struct onnx_import *import);
/* Whether a node only moves elements. */
bool onnx_only_moves(const Onnx__NodeProto *node);
/* Whether a node only limits a range: Relu and Clip. */
bool onnx_only_clamps(const Onnx__NodeProto *node);

/* ---- check.c ---- */

/* The rule for an attribute in an opset; NULL: the entry names none. */
const struct onnx_attr_rule *onnx_find_attr_rule(const struct onnx_op *op, const char *name,
						 int64_t opset);
const struct onnx_input_rule *onnx_find_input_rule(const struct onnx_op *op, int64_t opset);
/* The opset that the model has of an operator's domain; 0: none. */
int64_t onnx_get_opset(const struct onnx_import *import, const struct onnx_op *op);
/* Whether all nodes are of operators in the table, with opsets, attributes and inputs that their
 * entries name. */
int onnx_check_nodes(struct onnx_import *import);

/* ---- refused.c ---- */

/*
 * Called behind whatever looked at a step: takes note of a refusal, as nn_builder_note() does, and
 * after that, or if it follows from another, refuses what the step makes.
 */
int onnx_note_step(struct onnx_import *import, struct onnx_step *step, int err);
/* The same for a value that no node makes. */
int onnx_note_value(struct onnx_import *import, struct onnx_value *value, int err);

/* ---- quantize.c ---- */

int onnx_lower_constant(struct onnx_import *import);
int onnx_lower_quantize(struct onnx_import *import);
int onnx_lower_dequantize(struct onnx_import *import);
int onnx_lower_relu(struct onnx_import *import);
int onnx_lower_clip(struct onnx_import *import);
/* Reads the bounds of the current node, a Clip. */
int onnx_read_bounds(struct onnx_import *import, float *low, float *high);

/* ---- shape.c ---- */

int onnx_lower_identity(struct onnx_import *import);
int onnx_lower_dropout(struct onnx_import *import);
int onnx_lower_reshape(struct onnx_import *import);
int onnx_lower_flatten(struct onnx_import *import);
int onnx_lower_squeeze(struct onnx_import *import);
int onnx_lower_unsqueeze(struct onnx_import *import);
int onnx_lower_transpose(struct onnx_import *import);
int onnx_lower_concat(struct onnx_import *import);
/* A constant for each row of a tensor that it is quantized as and broadcast with: it is selected in
 * place of that. */
int onnx_repeat_operand(struct onnx_import *import, const struct nn_operand *constant,
			const struct nn_build_tensor *part, struct nn_build_tensor *out);
/* A constant part of a concatenation along `axis` as a tensor, with as many rows as `like`, which is
 * one of the others. */
int onnx_build_part(struct onnx_import *import, const struct nn_operand *constant,
		    const struct nn_build_tensor *like, uint32_t axis,
		    struct nn_build_tensor *out);
/*
 * A shape that the node wants, input i, of which dimension 0 may be the batch of input 0, as so
 * many times 1: *keeps_batch.
 */
int onnx_read_shape(struct onnx_import *import, uint32_t i, int64_t wanted[NN_MAX_RANK],
		    uint32_t *count, bool *keeps_batch);
/* Constant integers: input i, or where that is absent, the attribute; none without either. */
int onnx_read_ints(struct onnx_import *import, uint32_t i, const char *attr_name,
		   int64_t values[NN_MAX_RANK], uint32_t *count);

/* ---- arrange.c ---- */

int onnx_lower_pad(struct onnx_import *import);
int onnx_lower_slice(struct onnx_import *import);
int onnx_lower_split(struct onnx_import *import);
/* Gather of a tensor, whose indices are constant. */
int onnx_lower_gather_constant(struct onnx_import *import);
int onnx_lower_tile(struct onnx_import *import);
int onnx_lower_center_crop_pad(struct onnx_import *import);
/* Compress, whose condition is a constant. */
int onnx_lower_compress(struct onnx_import *import);
int onnx_lower_expand(struct onnx_import *import);
int onnx_lower_depth_to_space(struct onnx_import *import);
int onnx_lower_space_to_depth(struct onnx_import *import);
int onnx_lower_qlinear_concat(struct onnx_import *import);

/* ---- take.c ---- */

/* Gather whose indices are a tensor. */
int onnx_lower_gather_computed(struct onnx_import *import);
int onnx_lower_gather_elements(struct onnx_import *import);
int onnx_lower_gather_nd(struct onnx_import *import);
int onnx_lower_top_k(struct onnx_import *import);
int onnx_lower_float_top_k(struct onnx_import *import);
/* The current node's indices, input 1, of int32 or int64. */
int onnx_need_indices(struct onnx_import *import, struct nn_operand *out, enum nn_data_type *type);
/* The operand as a single row. */
int onnx_lift(struct onnx_import *import, const struct nn_operand *operand,
	      struct nn_build_tensor *out);
/* The dimension `axis` last, the others as they are; and back. */
void onnx_find_turn(uint32_t rank, uint32_t axis, uint32_t *there, uint32_t *back);
const uint32_t *onnx_dims_of(const struct nn_operand *operand, uint32_t *rank);

/* ---- scatter.c ---- */

/* ScatterElements, ScatterND. */
int onnx_lower_scatter(struct onnx_import *import);

/* ---- window.c ---- */

/* Kernel, strides and dilations; 1 for the height where there is one direction only. With weights
 * the kernel is theirs. */
int onnx_read_window(struct onnx_import *import, uint32_t directions,
		     const struct nn_build_weights *weights, struct nn_window *window);
/* The same with its padding, over x. weights: NULL: the kernel is what the attribute says. */
int onnx_read_placed_window(struct onnx_import *import, const struct onnx_value *x,
			    const struct nn_build_weights *weights, struct nn_window *window);
/* Reports an error where weights have several scales, and not one for each index of dimension `axis`,
 * which has the outputs; NN_MAX_RANK: no dimension has. */
int onnx_need_output_scales(struct onnx_import *import, const struct onnx_value *w, uint32_t axis);
/* A line as the image that it is, with a height of 1; and what was made of it as a line again. */
int onnx_build_image(struct onnx_import *import, const struct nn_build_tensor *x,
		     struct nn_build_tensor *image);
int onnx_build_like(struct onnx_import *import, const struct nn_build_tensor *x,
		    struct nn_build_tensor *out);
int onnx_lower_conv(struct onnx_import *import);
int onnx_lower_max_pool(struct onnx_import *import);
int onnx_lower_average_pool(struct onnx_import *import);
int onnx_lower_global_average_pool(struct onnx_import *import);
int onnx_lower_qlinear_conv(struct onnx_import *import);
/* A convolution that is pending, and the nodes of it. */
struct onnx_pending *onnx_new_conv(struct onnx_import *import, const struct onnx_value *x,
				   const struct onnx_value *w, const struct onnx_value *bias);
int onnx_emit_conv(struct onnx_import *import, const struct onnx_pending *pending,
		   const struct nn_quant *quant, const char *activation,
		   struct nn_build_tensor *out);
int onnx_lower_qlinear_average_pool(struct onnx_import *import);
int onnx_lower_qlinear_global_average_pool(struct onnx_import *import);

/* ---- taps.c ---- */

#define ONNX_DIRECTIONS (NN_MAX_RANK - 3)

/* A window in each direction. `over`: it reaches over what is padded, by ceil_mode; axes, keep: what
 * a pool reduces, and whether these dimensions stay. */
struct onnx_taps {
	uint32_t directions, count, axes;
	int64_t kernel[ONNX_DIRECTIONS], stride[ONNX_DIRECTIONS], dilation[ONNX_DIRECTIONS];
	int64_t before[ONNX_DIRECTIONS], after[ONNX_DIRECTIONS], windows[ONNX_DIRECTIONS];
	bool over, keep;
};

/* An attribute that has `count` numbers, or is absent: each is `otherwise` then. */
int onnx_read_list(struct onnx_import *import, const char *name, uint32_t count,
		   int64_t otherwise, int64_t *out);
/* Reads the current node's windows over x, of any length. kernel: that of its weights, or NULL. */
int onnx_read_taps(struct onnx_import *import, const struct nn_build_tensor *x,
		   const uint32_t *kernel, struct onnx_taps *taps);
/* x with `value`, an integer as it is stored, where the windows are padded; counts their places. */
int onnx_pad_taps(struct onnx_import *import, const struct nn_build_tensor *x,
		  struct onnx_taps *taps, int32_t value, struct nn_build_tensor *out);
/* Place number `tap` of the window, of all windows. */
int onnx_build_tap(struct onnx_import *import, const struct nn_build_tensor *padded,
		   const struct onnx_taps *taps, uint32_t tap, struct nn_build_tensor *out);
/* A pool of float32, of any such windows: the greatest element, or the mean. */
int onnx_lower_float_taps(struct onnx_import *import, const struct nn_build_tensor *x, bool is_max);
/* Whether the current node has dilations. */
bool onnx_has_dilations(struct onnx_import *import);
/* Whether the current node, a pool, has dilations, or is longer than the graph's. */
bool onnx_has_taps(struct onnx_import *import);
/* Such MaxPools and AveragePools, and those of three directions. */
int onnx_lower_max_taps(struct onnx_import *import);
int onnx_lower_average_taps(struct onnx_import *import);
/* Whether the current node is an AveragePool of which nnloop knows a form of float32 only. */
bool onnx_is_other_average(struct onnx_import *import);
int onnx_lower_lp_pool(struct onnx_import *import);

/* ---- directions.c ---- */

typedef struct onnx_pending *(*onnx_make_fp)(struct onnx_import *import, const struct onnx_value *x,
					     const struct onnx_value *w,
					     const struct onnx_value *bias);
/* Whether x is a volume of which one direction is 1, as the pool's window is there. */
bool onnx_is_flat(struct onnx_import *import, const struct onnx_value *x);
/* A convolution, or without w an average, that `make` makes of images, or with makes_lines of lines,
 * and of what becomes images where a direction of 1 goes or comes. NULL: the error is set. */
struct onnx_pending *onnx_new_in_directions(struct onnx_import *import, const struct onnx_value *x,
					    const struct onnx_value *w,
					    const struct onnx_value *bias, onnx_make_fp make,
					    bool makes_lines);

/* The same as `inner`, with other dimensions, which the caller sets and `emit` gives it. NULL: the
 * error is set. */
struct onnx_pending *onnx_wrap_pending(struct onnx_import *import, onnx_emit_fp emit,
				       const struct onnx_pending *inner);

/* Where another window is, of so many directions; what is 0 in all of them is left out: pads, and
 * the output_padding `more`. */
struct onnx_attrs {
	size_t count;
	int64_t strides[ONNX_DIRECTIONS], dilations[ONNX_DIRECTIONS];
	int64_t pads[2 * ONNX_DIRECTIONS], more[ONNX_DIRECTIONS];
};

/* A copy of the current node that has its window there. NULL: the error is set. */
Onnx__NodeProto *onnx_replace_window(struct onnx_import *import, const struct onnx_attrs *attrs);

/* ---- volume.c ---- */

/* A convolution, or transposed convolution, of volumes, that `make` makes of images. NULL: the
 * error is set. */
struct onnx_pending *onnx_new_volume(struct onnx_import *import, const struct onnx_value *x,
				     const struct onnx_value *w, const struct onnx_value *bias,
				     onnx_make_fp make);
struct onnx_pending *onnx_new_transposed_volume(struct onnx_import *import,
						const struct onnx_value *x,
						const struct onnx_value *w,
						const struct onnx_value *bias, onnx_make_fp make);

/* ---- long.c ---- */

/* Whether the current node, a convolution, has a window or stride longer than the graph's. */
bool onnx_is_long(struct onnx_import *import, const struct onnx_value *w);
/* A convolution that `make` makes of a shorter window and more channels. NULL: the error is set. */
struct onnx_pending *onnx_new_long(struct onnx_import *import, const struct onnx_value *x,
				   const struct onnx_value *w, const struct onnx_value *bias,
				   onnx_make_fp make);

/* ---- patches.c ---- */

/* A convolution whose weights are a tensor. NULL: the error is set. */
struct onnx_pending *onnx_new_patches(struct onnx_import *import, const struct onnx_value *x,
				      const struct onnx_value *w);

/* ---- transposed.c ---- */

/* A direction of a transposed convolution: `before` outputs are cut off in front, `outputs` are
 * left. */
struct onnx_direction {
	uint32_t stride, dilation, before, outputs;
};

/* Reads where the outputs of the current node are, whose strides and dilations are known. */
int onnx_read_directions(struct onnx_import *import, uint32_t count, const uint32_t *kernel,
			 const uint32_t *sizes, struct onnx_direction *out);

int onnx_lower_conv_transpose(struct onnx_import *import);
/* Where the current node, of an image x, puts its windows. */
int onnx_read_transposed(struct onnx_import *import, const struct nn_build_tensor *x,
			 const uint32_t kernel[2], struct nn_transposed *out);
/* ---- resize.c ---- */

int onnx_lower_resize(struct onnx_import *import);
/* Reads the current node's sizes and coordinates, of an image. */
int onnx_read_resize(struct onnx_import *import, const struct onnx_value *of,
		     struct nn_resize *resize);

/* The sizes that a Resize makes, and of which dimensions its `count` numbers are. */
struct onnx_sizes {
	uint32_t size[NN_MAX_RANK];
	float scale[NN_MAX_RANK];
	uint32_t of[NN_MAX_RANK], count;
};

/* Reads the current node's sizes or scales; size[0] is x's where that is the batch and stays. */
int onnx_read_sizes(struct onnx_import *import, const struct nn_build_tensor *x,
		    struct onnx_sizes *sizes);

/* ---- resample.c ---- */

/* Whether the current node, a Resize, is computed in float as sums along each dimension. */
bool onnx_is_resampled(struct onnx_import *import);
/* Lowers it; of this tensor, in place of its input. */
int onnx_lower_resampled(struct onnx_import *import);
int onnx_resample(struct onnx_import *import, const struct nn_build_tensor *of);

/* ---- roi_align.c ---- */

int onnx_lower_roi_align(struct onnx_import *import);

/* ---- counted.c ---- */

/* Whether it is a tensor of integers that no scale belongs to. */
bool onnx_is_counted(const struct onnx_value *x);
/* Lowers the current node, a sum or the greatest or least, of such a tensor; and where that is. */
int onnx_reduce_counted(struct onnx_import *import, const struct onnx_value *x, uint32_t axes);
int onnx_arg_counted(struct onnx_import *import, const struct onnx_value *x);

/* ---- reduce.c ---- */

/* A bit for each dimension that the current node reduces. */
int onnx_read_axes(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t *axes);
/* The function is `becomes` of the operator's entry. */
int onnx_lower_reduce(struct onnx_import *import);
/* ReduceLogSum, ReduceLogSumExp. */
int onnx_lower_reduce_log(struct onnx_import *import);
/* ReduceL1, ReduceL2, ReduceSumSquare: none of their elements is below 0. */
int onnx_lower_reduce_magnitudes(struct onnx_import *import);
int onnx_lower_global_lp_pool(struct onnx_import *import);
/* Define what the current node makes of x along `axes`: a norm, as `becomes` of its entry says, the
 * greatest or least, a mean. */
int onnx_define_magnitudes(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
			   bool keep_dims);
int onnx_define_extreme(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
			bool keep_dims);
int onnx_define_mean(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
		     bool keep_dims);
int onnx_lower_reduce_extreme(struct onnx_import *import);
int onnx_lower_global_max_pool(struct onnx_import *import);
int onnx_lower_arg(struct onnx_import *import);
int onnx_lower_float_arg(struct onnx_import *import);
int onnx_lower_cum_sum(struct onnx_import *import);
/* Lowers Softmax; with `becomes` the logarithm of it. */
int onnx_lower_softmax(struct onnx_import *import);
int onnx_lower_qlinear_softmax(struct onnx_import *import);

/* ---- normalize.c ---- */

int onnx_lower_batch_normalization(struct onnx_import *import);
int onnx_lower_instance_normalization(struct onnx_import *import);
int onnx_lower_layer_normalization(struct onnx_import *import);
int onnx_lower_rms_normalization(struct onnx_import *import);
int onnx_lower_lp_normalization(struct onnx_import *import);
/* A constant as floats, whether it is quantized or not. */
int onnx_read_floats(struct onnx_import *import, const struct onnx_value *value, const char *what,
		     struct nn_const *out);
/* A normalization of operand 0. */
/* Whether a variance along these dimensions is a number in float32. */
int onnx_check_squares(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t axes);
int onnx_emit_normalization(struct onnx_import *import, const struct onnx_pending *pending,
			    const struct nn_quant *quant, const char *activation,
			    struct nn_build_tensor *out);

/* ---- moments.c ---- */

/* Begins a pending mean of x along `axes`: it may become a normalization. */
int onnx_begin_moment(struct onnx_import *import, struct onnx_pending *mean);
/* Begins pending lengths of vectors, or with !is_of_squares sums of magnitudes: what is divided by
 * them may become a normalization. */
int onnx_begin_length(struct onnx_import *import, struct onnx_pending *length, bool is_of_squares);
/* Whether the current node goes on with one, in float. */
bool onnx_is_moment(struct onnx_import *import);
int onnx_lower_moment(struct onnx_import *import);

/* ---- compute.c ---- */

/*
 * Fully connected: w is [K, O] or [O, K], where output_axis says, and perhaps has several scales.
 */
struct onnx_pending *onnx_new_fc(struct onnx_import *import, const struct onnx_value *x,
				 const struct onnx_value *w, const struct onnx_value *bias,
				 uint32_t output_axis);
int onnx_lower_gemm(struct onnx_import *import);
/* Whether the current node is a Gemm of a form that is known in float32 only. */
bool onnx_is_other_gemm(struct onnx_import *import);
int onnx_lower_qgemm(struct onnx_import *import);
int onnx_lower_add(struct onnx_import *import);

/* ---- einsum.c ---- */

int onnx_lower_einsum(struct onnx_import *import);

/* ---- matmul.c ---- */

/* A product of tensors or constants of as many dimensions. NULL: the error is set. */
struct onnx_pending *onnx_new_product(struct onnx_import *import, const struct onnx_value *a,
				      const struct onnx_value *b);
/* A product of real operands; b NULL, or the result: the error is set. */
struct onnx_pending *onnx_new_matmul(struct onnx_import *import, const struct onnx_value *a,
				     const struct onnx_value *b);
int onnx_lower_matmul(struct onnx_import *import);
int onnx_lower_qlinear_matmul(struct onnx_import *import);
/* A vector as a matrix: on the left a row, on the right a column. That of a batch stays. NULL: the
 * error is set. */
const struct onnx_value *onnx_as_matrix(struct onnx_import *import, const struct onnx_value *value,
					bool is_right);
/* Whether a constant on the right is one matrix, for all that x has. */
bool onnx_is_matrix_of(const struct onnx_value *x, const struct onnx_value *w);

/* ---- sums.c ---- */

/* The sums of products of integers of 8 bits, as int32. */
int onnx_build_sums(struct onnx_import *import, const struct onnx_value *a,
		    const struct onnx_value *b, const struct onnx_value *zero_a,
		    const struct onnx_value *zero_b, struct nn_build_tensor *out);
int onnx_lower_matmul_integer(struct onnx_import *import);
int onnx_lower_conv_integer(struct onnx_import *import);

/* ---- dynamic.c ---- */

int onnx_lower_dynamic_quantize(struct onnx_import *import);
int onnx_lower_dynamic_quantize_matmul(struct onnx_import *import);
int onnx_lower_matmul_integer_to_float(struct onnx_import *import);

/* ---- binary.c ---- */

/* A real tensor, or a constant, for the builder. */
struct nn_operand onnx_operand_of(const struct onnx_value *value);
/* Lowers an operator that makes one element of two, as its entry says. */
int onnx_lower_binary(struct onnx_import *import);
/* Lowers Min and Max, of any number of operands. */
int onnx_lower_extreme(struct onnx_import *import);
/* Lowers Sum. */
int onnx_lower_sum(struct onnx_import *import);
int onnx_lower_prelu(struct onnx_import *import);
int onnx_lower_qlinear_binary(struct onnx_import *import);

/* ---- reals.c ---- */

/* Whether one of the current node's two operands is a constant of reals that are not quantized with
 * one scale to 8 bits, and the other is none. */
bool onnx_has_reals(struct onnx_import *import);
/* Whether it is one of more different numbers than nnloop has tables for. */
bool onnx_has_many_reals(struct onnx_import *import);
/* Makes what the node computes of them a pending value. NULL: the error is set. */
struct onnx_pending *onnx_new_of_reals(struct onnx_import *import);

/* ---- real.c ---- */

/*
 * Input i: an 8-bit tensor, or *reals, not NULL, which are a function of one, by stored bytes; or a
 * tensor of float32, which has no scale. NULL: the error is set.
 */
const struct onnx_value *onnx_results_input(struct onnx_import *import, uint32_t i,
					    const float **reals);
/*
 * Says what a pending value is in float32 (onnx_pending.real), where it is of 8 bits. Of `reals` it
 * has no other form.
 */
void onnx_set_real(struct onnx_pending *pending, const float *reals, const char *function,
		   uint32_t axes);
/* Whether an operand is of float32. */
static inline bool onnx_is_float(const struct onnx_value *x)
{
	return x->tensor.quant.type == NN_FLOAT32;
}

/* Says that a pending value is computed in float32 by make_real(), and rounded behind that. */
void onnx_set_float(struct onnx_pending *pending, const float *reals, onnx_emit_real_fp make_real);
/* Operand 0 of one in float32. */
int onnx_build_float(struct onnx_import *import, const struct onnx_pending *pending,
		     struct nn_build_tensor *out);
/* Whether a value can be had in float32. */
bool onnx_has_real(const struct onnx_value *value);
/* Makes it. */
int onnx_make_real(struct onnx_import *import, const struct onnx_value *value,
		   struct nn_build_tensor *out);
/* Makes it, and rounds that. */
int onnx_emit_real(struct onnx_import *import, const struct onnx_pending *pending,
		   const struct nn_quant *quant, const char *activation,
		   struct nn_build_tensor *out);

/* ---- attention.c ---- */

int onnx_lower_attention(struct onnx_import *import);
/* Input i, in float32 or as 8 bits with one scale, whether it is rounded or not. */
int onnx_float_input(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out);
/* A tensor of these as float32. */
int onnx_to_float(struct onnx_import *import, const struct nn_build_tensor *x,
		     struct nn_build_tensor *out);
/* It with a dimension of 1 behind its first for the items of a row; where the first one is fixed, all
 * items are one row, and the 1 is in front. */
int onnx_add_rows(struct onnx_import *import, const struct nn_build_tensor *x,
		  struct nn_build_tensor *out);
/* Gives output i of the current node what was made, of float32. */
int onnx_define_float(struct onnx_import *import, uint32_t i, const struct nn_build_tensor *made);

/* ---- rotary_embedding.c ---- */

int onnx_lower_rotary_embedding(struct onnx_import *import);

/* ---- recurrent.c ---- */

int onnx_lower_recurrent(struct onnx_import *import);

/* ---- grid_sample.c ---- */

int onnx_lower_grid_sample(struct onnx_import *import);

/* ---- loss.c ---- */

/* NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss. */
int onnx_lower_loss(struct onnx_import *import);

/* ---- floats.c ---- */

/* Whether the current node is a function of what is computed in float32, and of what can be. */
bool onnx_has_floats(struct onnx_import *import);
int onnx_lower_floats(struct onnx_import *import);
/* A Sum of three operands or more. */
int onnx_lower_float_sum(struct onnx_import *import);
/* Builds such a function of values that can be had in float32. */
int onnx_build_floats(struct onnx_import *import, const Onnx__NodeProto *node,
		      const struct onnx_value *const *values, uint32_t count,
		      struct nn_build_tensor *out);

/* ---- float.c ---- */

/*
 * Whether the current node is one of those that have a form of float32, and computes in it: an
 * operand is of float32, or what it makes is not quantized.
 */
bool onnx_is_in_float(struct onnx_import *import);
/* Refuses a node of an operator that is known in float32 only. */
int onnx_refuse_integers(struct onnx_import *import);
int onnx_lower_in_float(struct onnx_import *import);
/* Input i as a tensor of float32, or a constant of floats. */
int onnx_float_operand(struct onnx_import *import, uint32_t i, struct nn_build_tensor *tensor,
		       struct nn_const *constant, struct nn_operand *out);
/* A tensor that the model has in float, as one of float32. */
int onnx_make_float(struct onnx_import *import, const struct onnx_value *value,
		    struct nn_build_tensor *out);
/* Input i as a tensor of float32. */
int onnx_float_tensor(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out);
/* Input i as a constant of floats. */
int onnx_float_constant(struct onnx_import *import, uint32_t i, const char *what,
			struct nn_const *out);
/* A value of float32 for operators that are asked what they make of a tensor. */
struct onnx_value onnx_float_value(const struct nn_build_tensor *tensor);

/* ---- float_window.c ---- */

int onnx_lower_float_conv(struct onnx_import *import);
int onnx_lower_float_conv_transpose(struct onnx_import *import);
int onnx_lower_float_pool(struct onnx_import *import);
int onnx_lower_float_lrn(struct onnx_import *import);
int onnx_lower_float_gemm(struct onnx_import *import);
int onnx_lower_float_matmul(struct onnx_import *import);
int onnx_lower_float_batch_normalization(struct onnx_import *import);

/* ---- float_along.c ---- */

int onnx_lower_float_reduce(struct onnx_import *import);
int onnx_lower_float_global_pool(struct onnx_import *import);
int onnx_lower_float_softmax(struct onnx_import *import);
int onnx_lower_float_cum_sum(struct onnx_import *import);
int onnx_lower_float_normalization(struct onnx_import *import);
int onnx_lower_float_instance_normalization(struct onnx_import *import);
int onnx_lower_float_mean_variance(struct onnx_import *import);
int onnx_lower_float_lp_normalization(struct onnx_import *import);

/* ---- integers.c ---- */

/* Whether the current node computes with integers as they are stored, which nothing stands for. */
bool onnx_has_integers(struct onnx_import *import);
/* Lowers such a node, or reports an error. */
int onnx_lower_integers(struct onnx_import *import);
int onnx_lower_bit_shift(struct onnx_import *import);
int onnx_lower_compare(struct onnx_import *import);
/* Lowers Cast, and CastLike. */
int onnx_lower_cast(struct onnx_import *import);
/* The type that the current node, one of these two, makes: its attribute's, or input 1's. */
enum nn_element onnx_cast_target(struct onnx_import *import);
/* A tensor or constant as an operand that is taken as it is stored; the type of its elements; 0: it
 * is neither, or of float. */
enum nn_data_type onnx_stored_operand(struct onnx_import *import, const struct onnx_value *value,
				      struct nn_operand *out);
/* Integers whose output is of the type, quantized as who reads it further on says, if anybody. */
int onnx_find_output_quant(struct onnx_import *import, enum nn_data_type type,
			   struct nn_quant *quant);
/* The current node's output is that of integers or bools. */
int onnx_define_stored(struct onnx_import *import, const struct nn_build_tensor *made);

/* ---- select.c ---- */

/*
 * Input i of an operator that only chooses elements: a real tensor, or a constant of reals or of
 * what stands for them with one scale; NULL: the error is set.
 */
const struct onnx_value *onnx_choice_input(struct onnx_import *import, uint32_t i);
/* Settles such a value, rounded as `quant` says. *settled is the operand's tensor. */
int onnx_settle_choice(struct onnx_import *import, const struct onnx_value *value,
		       const struct nn_quant *quant, struct nn_build_tensor *settled,
		       struct nn_operand *out);
int onnx_lower_where(struct onnx_import *import);
int onnx_lower_trilu(struct onnx_import *import);
int onnx_lower_one_hot(struct onnx_import *import);
int onnx_lower_hardmax(struct onnx_import *import);

/* ---- numbers.c ---- */

int onnx_lower_shape(struct onnx_import *import);
int onnx_lower_size(struct onnx_import *import);
int onnx_lower_constant_of_shape(struct onnx_import *import);
/* Whether the current node computes numbers of numbers that are known. */
bool onnx_has_numbers(struct onnx_import *import);
/* Computes them. */
int onnx_fold_numbers(struct onnx_import *import);
/* Casts numbers that are known, or refuses what is none. */
int onnx_cast_numbers(struct onnx_import *import);
/* Refuses a node that could only have been numbers: says that it is not. */
int onnx_refuse_numbers(struct onnx_import *import);
/* Whether two tensors have as many rows, whatever the batch. */
bool onnx_same_rows(const struct onnx_import *import, const struct onnx_value *a,
		    const struct onnx_value *b);

/* ---- function.c ---- */

/* Whether the current node is a function of the elements of one quantized tensor, and of constants
 * that are one number. */
bool onnx_is_function(struct onnx_import *import);
/* Whether it is one, or limits one, of a chain of which the last is rounded. */
bool onnx_becomes_table(struct onnx_import *import, const struct onnx_value *made);
/* Builds it, as one function. */
int onnx_build_function(struct onnx_import *import);
/* Refuses a node that could only have been a function: says what keeps it from that. */
int onnx_refuse_function(struct onnx_import *import);
int onnx_lower_qlinear_function(struct onnx_import *import);
/* NULL: the node is of no function. */
const struct nn_formula *onnx_find_function(const Onnx__NodeProto *node);
/* Reads the current node's attributes. */
struct nn_formula_parameters onnx_read_parameters(struct onnx_import *import,
						  const struct nn_formula *function);
/* How many results a function of a tensor's elements has. */
uint32_t onnx_count_results(const struct nn_quant *quant);
/* The real that a stored byte, or 16 bits, stands for. */
float onnx_read_element(const struct nn_quant *quant, int byte);
/* Quantizes a result; one that is no number becomes the least, as ONNX Runtime has it. */
int32_t onnx_quantize_real(float result, const struct nn_quant *quant);
/* Clamps the results that x is of a tensor's elements, if it is, for a pending operator that clamps
 * x. */
int onnx_clamp_results(struct onnx_import *import, struct onnx_pending *pending,
		       const struct onnx_value *x, float low, float high);
/* Whether two are the same elements, of the same quantization and shape. */
bool onnx_is_same_tensor(const struct nn_build_tensor *a, const struct nn_build_tensor *b);
/* Whether a pending operator makes of each element a number, as far as is known. */
bool onnx_is_number(const struct onnx_pending *pending);

/* ---- loop.c ---- */

int onnx_lower_loop(struct onnx_import *import);
int onnx_lower_collect(struct onnx_import *import);
/* The innermost of these loops that an input of the current node is made in; NULL: none is. */
const struct onnx_cut *onnx_find_cut(struct onnx_import *import);
/* A loop of what the current node has found, in which its outputs are. */
int onnx_begin_found(struct onnx_import *import);
int onnx_lower_proposal(struct onnx_import *import);
int onnx_lower_crop_resize(struct onnx_import *import);

/* ---- suppress.c ---- */

/* Whether it is a NonMaxSuppression. */
bool onnx_finds_boxes(const Onnx__NodeProto *node);
int onnx_lower_non_max_suppression(struct onnx_import *import);
/* An output of the model that is made in the loop of what one has found: the tensor leaves it. */
int onnx_leave_found(struct onnx_import *import, const struct onnx_value *value,
		     struct nn_build_tensor *tensor);

/* ---- scan.c ---- */

/* The graph in a Loop node, or NULL. */
const Onnx__GraphProto *onnx_loop_body(const Onnx__NodeProto *node);
int onnx_begin_scan(struct onnx_import *import);
int onnx_end_scan(struct onnx_import *import);
int onnx_lower_gather(struct onnx_import *import);
/* Whether input 0 of the current node is a single number of a loop's, which reshaping only passes
 * on. */
bool onnx_is_index(struct onnx_import *import);
int onnx_lower_index(struct onnx_import *import);

#endif
